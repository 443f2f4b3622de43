//! Three masses between springs, the last one held by a stiff spring or by a constraint. [rezaei, Sect. 2.8]

mod constrained;
mod stiff;

use hamel::scheme::StepError;
use hamel::{ConstraintLevel, Drift, Model, Options, Scheme, schemes};
use hamel_report::{Axis, Curve, Figure};

use super::mechanism::free_acceleration;

pub(super) use constrained::constrained;
pub(super) use stiff::stiff;

/// γ of the paper, m/s².
const GRAVITY: f64 = 9.81;

/// The masses after a step.
struct Sample {
    t: f64,
    /// Coordinates, velocities and accelerations of the three masses.
    motion: [[f64; 3]; 3],
    /// The multiplier of the constraint, if there is one.
    force: f64,
}

impl Sample {
    /// Coordinate, velocity and acceleration of mass 3.
    fn third(&self) -> [f64; 3] {
        self.motion.map(|masses| masses[2])
    }
}

/// The accelerations with which a motion begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Those without the force of the constraint. [rezaei, Eq. 25]
    Free,
    Consistent,
}

fn motion(
    model: &dyn Model,
    scheme: &dyn Scheme,
    level: ConstraintLevel,
    (dt, steps): (f64, usize),
    start: Start,
) -> Result<Vec<Sample>, StepError> {
    let mut initial = hamel::initial_state(model)?;
    if start == Start::Free {
        free_acceleration(model, &mut initial)?;
    }
    let options = Options { constraint_level: Some(level), drift: Drift::Kept, ..Options::default() };
    let mut stepper = scheme.start_with(model, initial, &options)?;
    let mut samples = Vec::new();
    for _ in 0..steps {
        stepper.step(dt)?;
        let state = stepper.state();
        let motion = [&state.q, &state.v, &state.a].map(|values| [values[0], values[1], values[2]]);
        samples.push(Sample { t: state.t, motion, force: state.lambda.get(0).copied().unwrap_or(0.0) });
    }
    Ok(samples)
}

fn generalized_alpha(rho: f64) -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("generalized_alpha", &[("rho_infinity", rho)])
}

/// Names, slugs and units of what a figure shows of a mass.
const QUANTITIES: [(&str, &str, &str); 3] =
    [("displacement", "q", "m"), ("velocity", "v", "m/s"), ("acceleration", "a", "m/s^2")];

/// A figure over time.
fn figure(slug: String, title: String, label: &str, unit: &'static str, curves: Vec<Curve>) -> Figure {
    Figure {
        slug,
        title,
        caption: String::new(),
        x: Axis::linear("time", "s"),
        y: Axis::linear(label, unit),
        curves,
        slopes: Vec::new(),
    }
}
