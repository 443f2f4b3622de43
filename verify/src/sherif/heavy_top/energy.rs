//! Total energy over ten seconds for several damping parameters. [sherif, Fig. 5]

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_report::number::readable;
use hamel_report::{Axis, Claim, Curve, Figure, Origin, Report, Style, at_least, at_most};

use super::Top;
use crate::convergence::largest;
use crate::motion::Grid;
use crate::origins::SOME;
use crate::sherif::schemes::modified;

/// Step size as printed, s.
const DT: f64 = 1e-5;
const DURATION: f64 = 10.0;
const SAMPLES: usize = 500;
/// The text does not print the values of the figure; these span the interval of stable motion.
const ALPHAS: [f64; 4] = [-0.05, -0.1, -0.2, -0.3];

pub(super) fn run() -> Result<Report, StepError> {
    let grid = Grid::new(DT, DURATION).sampled(SAMPLES);
    // The last one shows what rounding does to the loss: its start differs by as little.
    let cases = ALPHAS.iter().map(|&alpha| (alpha, 1.0)).chain([(ALPHAS[0], 1.0 + 1e-14)]).collect::<Vec<_>>();
    let curves = parallel::map(&cases, |&(alpha, faster)| {
        let mut top = Top::absolute()?;
        top.initial.v *= faster;
        let start = top.energy(&top.initial);
        top.observe(&*modified(alpha)?, grid, |state| (state.t, top.energy(state) - start)).complete()
    });
    let mut curves = curves.into_iter().collect::<Result<Vec<_>, _>>()?;
    let disturbed = curves.split_off(ALPHAS.len());
    let top = Top::absolute()?;
    let start = top.energy(&top.initial);
    Ok(Report {
        claims: claims(&curves, &disturbed, start),
        figures: vec![figure(&curves)],
        notes: vec![format!(
            "The modified scheme as printed, h = 10⁻⁵ s, t ∈ [0, 10] s. The energy at the start is {} J; the figure shows \
             the difference from it. The loss is about a part in 10⁹ for every α and does not grow steadily with |α|.",
            readable(start, 7)
        )],
        ..Report::default()
    })
}

fn claims(curves: &[Vec<(f64, f64)>], disturbed: &[Vec<(f64, f64)>], start: f64) -> Vec<Claim> {
    let loss = |curve: &Vec<(f64, f64)>| -curve.last().map_or(f64::NAN, |point| point.1);
    let lost: Vec<f64> = curves.iter().map(loss).collect();
    let by_rounding = largest(disturbed.iter().map(|curve| loss(curve) / lost[0] - 1.0));
    let (least, most) = (lost.iter().copied().fold(f64::INFINITY, f64::min), largest(lost.iter().copied()));
    vec![
        Claim::new("largest loss of energy in 10 s over that of another α", "1", at_least(1.1, SOME), most / least)
            .in_words("α influences the total energy dissipation"),
        Claim::new(
            "share of the energy lost in 10 s, the largest over α",
            "1",
            at_most(1e-9, Origin::Recorded),
            most / start,
        )
        .in_words("the energy proves the accuracy of the modified scheme"),
        Claim::new(
            "relative change of the loss when the start is faster by 10⁻¹⁴, α = −0.05",
            "1",
            at_most(1e-2, Origin::Chosen("A tenth of the least that α must change it by.")),
            by_rounding,
        ),
        Claim::missing("damping parameters of the figure's curves", "their values stand in the figure only"),
    ]
}

fn figure(curves: &[Vec<(f64, f64)>]) -> Figure {
    let curve = |(alpha, points): (&f64, &Vec<(f64, f64)>)| {
        Curve::new(format!("α = {}", readable(*alpha, 2)), Style::Line, points.clone())
    };
    Figure {
        slug: "fig5".into(),
        title: "Fig. 5: energy of the heavy top".into(),
        caption: "Difference of the total energy from its value at the start, h = 10⁻⁵ s.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("E − E(0)", "J"),
        curves: ALPHAS.iter().zip(curves).map(curve).collect(),
        slopes: Vec::new(),
    }
}
