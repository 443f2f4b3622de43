//! Velocity of the centre of mass and angular velocity over time. [sherif, Figs. 3, 4]

use hamel::scheme::StepError;
use hamel_report::{Axis, Claim, Curve, Figure, Origin, Report, Style, at_most};

use super::{Top, reference};
use crate::convergence::largest;
use crate::motion::Grid;
use crate::sherif::schemes::modified;

const DT: f64 = 1e-5;
const ALPHA: f64 = -0.2;
const DURATION: f64 = 2.0;

/// What is plotted of a state.
struct Sample {
    t: f64,
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
}

pub(super) fn run() -> Result<Report, StepError> {
    let top = Top::absolute()?;
    let grid = Grid { every: 100, ..Grid::new(DT, DURATION) };
    let observe = |state: &hamel::State| Sample {
        t: state.t,
        velocity: top.velocity(state),
        angular_velocity: top.angular_velocity(state),
    };
    let samples = top.observe(&*modified(ALPHA)?, grid, observe).complete()?;
    let grid = Grid { every: 50, ..Grid::new(2.0 * DT, DURATION) };
    let coarse = top.observe(&*modified(ALPHA)?, grid, observe).complete()?;
    Ok(Report {
        claims: claims(&samples, &coarse),
        tables: Vec::new(),
        figures: vec![velocities(&samples), angular_velocity(&samples)],
        notes: vec![
            "The modified scheme as printed, h = 10⁻⁵ s, α = −0.2, over the two seconds for which independent values are \
             at hand. The paper gives the curves without numbers, so that nothing of them is compared; the markers are the independent values."
                .into(),
        ],
    })
}

fn claims(samples: &[Sample], coarse: &[Sample]) -> Vec<Claim> {
    // A scheme of first order is as far from the exact motion as from its own with twice the step, but for the next term.
    const FIRST_ORDER: Origin = Origin::Theory("of a scheme of first order: a tenth more than twice the step changes");
    let change = |pick: fn(&Sample) -> [f64; 3]| {
        1.1 * largest(samples.iter().zip(coarse).map(|(fine, coarse)| distance(&pick(fine), &pick(coarse))))
    };
    let worst = |pick: fn(&Sample) -> [f64; 3], reference: fn(&reference::Sample) -> [f64; 3]| {
        largest(within().map(|expected| {
            let ours = samples.iter().min_by(|a, b| (a.t - expected.t).abs().total_cmp(&(b.t - expected.t).abs()));
            ours.map_or(f64::NAN, |ours| distance(&pick(ours), &reference(expected)))
        }))
    };
    vec![
        Claim::new(
            "largest deviation of the velocity of the centre of mass",
            "m/s",
            at_most(change(|s| s.velocity), FIRST_ORDER),
            worst(|s| s.velocity, |r| r.velocity),
        ),
        Claim::new(
            "largest deviation of the angular velocity",
            "rad/s",
            at_most(change(|s| s.angular_velocity), FIRST_ORDER),
            worst(|s| s.angular_velocity, |r| r.angular_velocity),
        ),
    ]
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}

fn velocities(samples: &[Sample]) -> Figure {
    let ours = |k: usize| samples.iter().map(|s| (s.t, s.velocity[k])).collect();
    let expected = |k: usize| within().map(|s| (s.t, s.velocity[k])).collect();
    let mut curves: Vec<Curve> =
        ["v_x", "v_y", "v_z"].iter().enumerate().map(|(k, name)| Curve::new(*name, Style::Line, ours(k))).collect();
    curves.extend(
        (0..3).map(|k| Curve::new(format!("{}, reference", ["v_x", "v_y", "v_z"][k]), Style::Markers, expected(k))),
    );
    Figure {
        slug: "fig3".into(),
        title: "Fig. 3: velocity of the centre of mass".into(),
        caption: "Components in the fixed frame.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("velocity", "m/s"),
        curves,
        slopes: Vec::new(),
    }
}

fn angular_velocity(samples: &[Sample]) -> Figure {
    Figure {
        slug: "fig4".into(),
        title: "Fig. 4: angular velocity about the body's x axis".into(),
        caption: "Component in body axes.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("ω_x", "rad/s"),
        curves: vec![
            Curve::new("ours", Style::Line, samples.iter().map(|s| (s.t, s.angular_velocity[0])).collect()),
            Curve::new("reference", Style::Markers, within().map(|s| (s.t, s.angular_velocity[0])).collect()),
        ],
        slopes: Vec::new(),
    }
}

fn within() -> impl Iterator<Item = &'static reference::Sample> {
    reference::SAMPLES.iter().filter(|sample| sample.t <= DURATION + 1e-9)
}
