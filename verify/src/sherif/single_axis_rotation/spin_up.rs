//! Angular velocity over time from rest. [sherif, abstract and Sects. 5, 7]
//!
//! By Eq. 28 the classical scheme stops accelerating where ¼ |α| ω³ h² balances c h; Hamel measures that speed. The
//! modified scheme keeps accelerating, with a rate between c and c (1 + 2γα).

use hamel::scheme::StepError;

use super::Rotor;
use crate::claim::{Claim, Expected};
use crate::motion::Grid;
use crate::parallel;
use crate::report::{Axis, Curve, Figure, Report, Style};
use crate::sherif::schemes::{classical, modified};

const DT: f64 = 1e-3;
const DURATION: f64 = 5.0;
const ALPHA: f64 = -0.3;
const SAMPLES: usize = 250;

pub(super) fn run() -> Result<Report, StepError> {
    let rotor = Rotor::new(0.0)?;
    let schemes = [classical(ALPHA), classical(0.0), modified(ALPHA), modified(0.0)];
    let grid = Grid::new(DT, DURATION).sampled(SAMPLES);
    let curves = parallel::map(&schemes, |scheme| {
        rotor.observe(&**scheme, grid, |state| (state.t, rotor.speed(state))).complete()
    });
    let curves = curves.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(Report {
        claims: claims(&curves, rotor.acceleration),
        figures: vec![figure(&curves, rotor.acceleration)],
        notes: vec![format!("From rest under M/I = {:.4} rad/s², h = {DT} s.", rotor.acceleration)],
        ..Report::default()
    })
}

fn claims(curves: &[Vec<(f64, f64)>], c: f64) -> Vec<Claim> {
    let end = |k: usize| curves[k].last().map_or(f64::NAN, |point| point.1);
    let exact = c * DURATION;
    let limit = (4.0 * c / (ALPHA.abs() * DT)).cbrt();
    vec![
        Claim::new(
            "classical, α = −0.3: speed at which damping and moment balance, by Eq. 28",
            "rad/s",
            Expected::Theory { value: limit, tolerance: 0.02 * limit },
            end(0),
        )
        .in_words("the angular velocity will not increase linearly but grows slower"),
        Claim::new(
            "classical, α = 0: share of the exact angular velocity lost after 5 s",
            "1",
            Expected::AtLeast(1e-3),
            1.0 - end(1) / exact,
        )
        .in_words("the effect is observed even without numerical damping"),
        Claim::new(
            "modified, α = −0.3: share of the exact angular velocity lost after 5 s",
            "1",
            Expected::AtMost(1e-2),
            1.0 - end(2) / exact,
        )
        .in_words("reduces the damping effect significantly"),
        Claim::new(
            "modified, α = 0: angular velocity after 5 s",
            "rad/s",
            Expected::Theory { value: exact, tolerance: 1e-8 },
            end(3),
        ),
    ]
}

fn figure(curves: &[Vec<(f64, f64)>], c: f64) -> Figure {
    let names = ["classical, α = −0.3", "classical, α = 0", "modified, α = −0.3", "modified, α = 0"];
    let styles = [Style::Line, Style::Line, Style::Line, Style::Dashed];
    let mut drawn = vec![Curve::new(
        "exact",
        Style::Markers,
        (0..=10).map(|k| 0.1 * f64::from(k) * DURATION).map(|t| (t, c * t)).collect(),
    )];
    drawn.extend(
        names.iter().zip(styles).zip(curves).map(|((name, style), points)| Curve::new(*name, style, points.clone())),
    );
    Figure {
        slug: "spin_up".into(),
        title: "Angular velocity under a constant moment".into(),
        caption: "The classical scheme stops accelerating; for α = 0 it still loses some speed.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("ω", "rad/s"),
        curves: drawn,
        slopes: Vec::new(),
    }
}
