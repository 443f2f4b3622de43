//! Angular velocity over time from rest. [sherif, abstract and Sects. 5, 7]
//!
//! By Eq. 28 the classical scheme stops accelerating where ¼ |α| ω³ h² balances c h. Without numerical damping it loses
//! speed as well, and then breaks down: trapezoidal steps with the norm as a constraint amplify errors of the velocity.
//! The modified scheme keeps accelerating.

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_report::number::readable;
use hamel_report::{self, Axis, Claim, Expected, Figure, Measured, Report, Style, at_least};

use super::Rotor;
use crate::motion::Grid;
use crate::origins::SOME;
use crate::sherif::schemes::{classical, modified};

const DT: f64 = 1e-3;
const DURATION: f64 = 5.0;
const ALPHA: f64 = -0.3;
const SAMPLES: usize = 250;
/// Time at which the undamped schemes are compared, before the classical one breaks down, s.
const EARLY: f64 = 1.0;

/// `(time, angular velocity)`, s and rad/s.
type Curve = Vec<(f64, f64)>;

pub(super) fn run() -> Result<Report, StepError> {
    let rotor = Rotor::new(0.0)?;
    let schemes = [classical(ALPHA)?, classical(0.0)?, modified(ALPHA)?, modified(0.0)?];
    let grid = Grid::new(DT, DURATION).sampled(SAMPLES);
    let motions =
        parallel::map(&schemes, |scheme| rotor.observe(&**scheme, grid, |state| (state.t, rotor.speed(state))));
    let c = rotor.acceleration;
    let curves: Vec<Curve> = motions.into_iter().map(|motion| while_rotating(motion.samples, c)).collect();
    Ok(Report {
        claims: claims(&curves, c),
        figures: vec![figure(&curves, c)],
        notes: vec![format!(
            "From rest under M/I = {c:.4} rad/s², h = {DT} s. A curve ends where the body turns back or faster \
             than the moment can make it, or where a step has no solution."
        )],
        ..Report::default()
    })
}

/// The part of a motion before it broke down: numerical damping brakes, it neither drives nor reverses.
fn while_rotating(mut curve: Curve, c: f64) -> Curve {
    let possible = |&(t, speed): &(f64, f64)| (0.0..=1.05 * c * t).contains(&speed);
    curve.truncate(curve.iter().position(|point| !possible(point)).unwrap_or(curve.len()));
    curve
}

fn claims(curves: &[Curve], c: f64) -> Vec<Claim> {
    let end = |k: usize| match curves[k].last() {
        Some(&(t, speed)) if t > DURATION - 0.5 * DT => Measured::Value(speed),
        Some(&(t, _)) => {
            Measured::Breakdown(format!("rotates as no moment could make it after t = {} s", readable(t, 3)))
        }
        None => Measured::Nothing,
    };
    let early =
        curves[1].iter().find(|(t, _)| *t > EARLY - 0.5 * DT).map_or(f64::NAN, |point| 1.0 - point.1 / (c * EARLY));
    let exact = c * DURATION;
    let limit = (4.0 * c / (ALPHA.abs() * DT)).cbrt();
    vec![
        Claim::new(
            "classical, α = −0.3: speed at which damping and moment balance, by Eq. 28",
            "rad/s",
            Expected::Theory { value: limit, tolerance: 0.02 * limit },
            end(0),
        )
        .in_words("the angular velocity does not increase linearly but grows slower"),
        Claim::new(
            "classical, α = 0: share of the exact angular velocity lost after 1 s",
            "1",
            at_least(1e-4, SOME),
            early,
        )
        .in_words("the effect is there even without numerical damping"),
        Claim::new("classical, α = 0: angular velocity after 5 s", "rad/s", Expected::Fails, end(1))
            .in_words("without damping the integrator usually fails to converge"),
        Claim::new(
            "modified, α = −0.3: angular velocity after 5 s",
            "rad/s",
            Expected::Theory { value: exact, tolerance: 1e-3 * exact },
            end(2),
        )
        .in_words("reduces the damping effect significantly"),
        Claim::new(
            "modified, α = 0: angular velocity after 5 s",
            "rad/s",
            Expected::Theory { value: exact, tolerance: 1e-12 },
            end(3),
        ),
    ]
}

fn figure(curves: &[Curve], c: f64) -> Figure {
    let names = ["classical, α = −0.3", "classical, α = 0", "modified, α = −0.3", "modified, α = 0"];
    let styles = [Style::Line, Style::Line, Style::Line, Style::Dashed];
    let mut drawn = vec![hamel_report::Curve::new(
        "exact",
        Style::Markers,
        (0..=10).map(|k| 0.1 * f64::from(k) * DURATION).map(|t| (t, c * t)).collect(),
    )];
    drawn.extend(
        names
            .iter()
            .zip(styles)
            .zip(curves)
            .map(|((name, style), points)| hamel_report::Curve::new(*name, style, points.clone())),
    );
    Figure {
        slug: "spin_up".into(),
        title: "Angular velocity under a constant moment".into(),
        caption: "The classical scheme stops accelerating; for α = 0 it loses some speed and then breaks down.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("ω", "rad/s"),
        curves: drawn,
        slopes: Vec::new(),
    }
}
