//! Errors of one scheme on one problem as the number of steps is doubled.

use std::time::Instant;

use hamel::scheme::{Options, Scheme, StepError, StepStats};
use nalgebra::DVector;

use super::problem::{Motion, Problem};

/// The quantities whose errors are measured, in the order of all arrays of three.
pub(crate) const QUANTITIES: [&str; 3] = ["q", "v", "λ"];
/// What a motion has come to.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) steps: u32,
    /// Errors of q, v and λ: the largest component, relative to the largest of the exact values.
    pub(crate) errors: [f64; 3],
    /// Iterations of the whole motion.
    pub(crate) cost: StepStats,
    /// Time that it took, s; reported, never judged.
    pub(crate) seconds: f64,
}

/// Results by number of steps, the fewest first; steps that failed are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refinement {
    pub(crate) ends: Vec<End>,
    pub(crate) failure: Option<StepError>,
}

impl Refinement {
    /// Runs a scheme on a problem in each of these numbers of steps.
    pub(crate) fn new(problem: &Problem, motion: &Motion, scheme: &dyn Scheme, steps: &[u32]) -> Self {
        Self::with_options(problem, motion, scheme, &problem.options(), steps)
    }

    /// The same with options other than those of the problem.
    pub(crate) fn with_options(
        problem: &Problem,
        motion: &Motion,
        scheme: &dyn Scheme,
        options: &Options,
        steps: &[u32],
    ) -> Self {
        let mut refinement = Refinement::default();
        for &steps in steps {
            match run(problem, motion, scheme, options, steps) {
                Ok(end) => refinement.ends.push(end),
                Err(error) => refinement.failure = Some(error),
            }
        }
        refinement
    }

    /// Whether the scheme has no meaning for the problem.
    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self.failure, Some(StepError::Undefined { .. }))
    }

    /// Order of a quantity between the finest pair of runs whose errors are above rounding.
    pub(crate) fn order(&self, problem: &Problem, quantity: usize) -> f64 {
        let error = |end: &End| end.errors[quantity];
        let is_above = |end: &End| error(end) > problem.rounding[quantity] * f64::from(end.steps) / 100.0;
        let pair = self.ends.windows(2).rev().find(|pair| is_above(&pair[1])).or_else(|| self.ends.windows(2).next());
        pair.map_or(f64::NAN, |pair| {
            (error(&pair[0]) / error(&pair[1])).ln() / f64::from(pair[1].steps / pair[0].steps).ln()
        })
    }
}

/// One motion from start to end.
///
/// # Errors
/// When the scheme is not defined for the problem, or a step fails.
pub(crate) fn run(
    problem: &Problem,
    motion: &Motion,
    scheme: &dyn Scheme,
    options: &Options,
    steps: u32,
) -> Result<End, StepError> {
    let mut stepper = scheme.start_with(&*motion.model, motion.initial.clone(), options)?;
    let mut cost = StepStats::default();
    let begin = Instant::now();
    for _ in 0..steps {
        cost += stepper.step(problem.duration / f64::from(steps))?;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let state = stepper.state();
    let [q, v, lambda] = &motion.end;
    let error = |ours: &DVector<f64>, exact: &DVector<f64>| (ours - exact).amax() / exact.amax();
    let errors = [error(&state.q, q), error(&state.v, v), error(&state.lambda, lambda)];
    Ok(End { steps, errors, cost, seconds })
}
