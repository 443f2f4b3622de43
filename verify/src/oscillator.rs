//! The forced oscillator on which all schemes are measured, as a plain equation.
//!
//! For formulas that no scheme of the runtime follows: printed ones, which hold a misprint, and corrected ones written
//! down a second time. Equation, start and end are those of the model `forced_oscillator`.

use hamel::scheme::{Scheme, StepError};

use crate::convergence::Convergence;
use crate::motion::{self, Grid};
use crate::schemes::problem;

/// q and q̇.
pub(crate) type Point = [f64; 2];

pub(crate) const START: Point = [0.7, 0.2];
/// Length of the motion, s.
const DURATION: f64 = 2.0;
/// The point at its end, computed independently of this project.
pub(crate) const END: Point = [0.4854768094962305, -0.5533388011279987];
/// Numbers of steps of a study.
const STEPS: [u32; 6] = [20, 40, 80, 160, 320, 640];

/// q̈.
pub(crate) fn acceleration([q, v]: Point, t: f64) -> f64 {
    -q.sin() - 0.3 * v - 0.2 * v * v * v + 0.5 * (1.0 + 0.1 * q) * t.cos()
}

/// The state after so many steps, whose lengths repeat this pattern; `step` takes a state, its time and a step size.
pub(crate) fn integrate<S>(start: S, steps: u32, pattern: &[f64], step: impl Fn(S, f64, f64) -> S) -> S {
    let mean = pattern.iter().sum::<f64>() / pattern.len() as f64;
    let unit = DURATION / (f64::from(steps) * mean);
    let lengths = pattern.iter().cycle().map(|part| part * unit).take(steps as usize);
    lengths.fold((start, 0.0), |(state, t), h| (step(state, t, h), t + h)).0
}

/// The larger of the errors of q and q̇ at the end, over the mean step size.
pub(crate) fn study<S>(
    start: impl Fn() -> S,
    pattern: &[f64],
    step: impl Fn(S, f64, f64) -> S,
    point: impl Fn(&S) -> Point,
) -> Convergence {
    let errors = STEPS.map(|steps| {
        let end = point(&integrate(start(), steps, pattern, &step));
        (DURATION / f64::from(steps), distance(end, END))
    });
    Convergence::new(errors.to_vec())
}

/// A study of equal steps from point to point.
pub(crate) fn study_points(step: impl Fn(Point, f64, f64) -> Point) -> Convergence {
    study(|| START, &[1.0], step, |&point| point)
}

/// The larger difference of q and q̇.
pub(crate) fn distance(a: Point, b: Point) -> f64 {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
}

/// How far formulas written down elsewhere are from a scheme of the runtime after twenty steps.
pub(crate) fn difference(scheme: &dyn Scheme, step: impl Fn(Point, f64, f64) -> Point) -> Result<f64, StepError> {
    Ok(distance(end(scheme, 20)?, integrate(START, 20, &[1.0], step)))
}

/// Where a scheme of the runtime ends after so many equal steps.
pub(crate) fn end(scheme: &dyn Scheme, steps: u32) -> Result<Point, StepError> {
    let model = problem::build("forced_oscillator")?;
    let grid = Grid::new(DURATION / f64::from(steps), DURATION);
    let initial = hamel::initial_state(&*model)?;
    let points = motion::observe(&*model, scheme, initial, grid, |state| [state.q[0], state.v[0]]).complete()?;
    Ok(points[points.len() - 1])
}
