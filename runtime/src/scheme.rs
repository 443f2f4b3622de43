//! What an integration scheme is: a way to start a stepper on a model.

use thiserror::Error;

use crate::model::{Model, ParameterError, State};

/// An integration scheme with its parameters.
pub trait Scheme: Send + Sync {
    /// Name with parameters, e.g. `generalized-α (ρ∞ = 0.6)`.
    fn name(&self) -> String;
    /// Order for smooth problems, as its source claims.
    fn order(&self) -> u32;
    /// A stepper from a consistent state.
    ///
    /// # Errors
    /// [`StepError::Undefined`] when the scheme has no meaning for this kind of model.
    fn start<'m>(&self, model: &'m dyn Model, initial: State) -> Result<Box<dyn Stepper + 'm>, StepError>;
}

/// A scheme on its way through a motion. After an error the state is the last one that was reached.
pub trait Stepper {
    /// The current state.
    fn state(&self) -> &State;
    /// Advances by `dt`; allocates nothing.
    ///
    /// # Errors
    /// When the step has no solution; the state stays where it was.
    fn step(&mut self, dt: f64) -> Result<StepStats, StepError>;
}

/// What a step cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStats {
    /// Newton iterations.
    pub newton_iterations: u32,
    /// Matrix factorizations.
    pub factorizations: u32,
}

impl std::ops::AddAssign for StepStats {
    fn add_assign(&mut self, other: Self) {
        self.newton_iterations += other.newton_iterations;
        self.factorizations += other.factorizations;
    }
}

/// Why a step failed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum StepError {
    /// Newton's method did not reach its tolerance.
    #[error(
        "{scheme} did not converge at t = {t} s: residual {residual:.3e} after {iteration} iterations; try a smaller step"
    )]
    NotConverged {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Iterations done.
        iteration: u32,
        /// Largest scaled residual.
        residual: f64,
    },
    /// The iteration matrix is singular.
    #[error(
        "{scheme}: singular iteration matrix at t = {t} s in iteration {iteration} (residual {residual:.3e}); redundant constraints, or a body without inertia?"
    )]
    Singular {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Iteration in which the factorization failed.
        iteration: u32,
        /// Largest scaled residual.
        residual: f64,
    },
    /// A value became infinite or undefined.
    #[error("{scheme}: the residual is not finite at t = {t} s in iteration {iteration}")]
    NotFinite {
        /// Time of the step's beginning, s.
        t: f64,
        /// Name of the scheme.
        scheme: String,
        /// Iteration in which it appeared.
        iteration: u32,
    },
    /// The scheme is not defined for this kind of model.
    #[error("{scheme} is not defined for {model}: {reason}")]
    Undefined {
        /// Name of the scheme.
        scheme: String,
        /// Name of the model.
        model: &'static str,
        /// What is missing.
        reason: &'static str,
    },
    /// No consistent initial state exists near the start.
    #[error("{model} has no consistent initial state: {reason} (residual {residual:.3e})")]
    Inconsistent {
        /// Name of the model.
        model: &'static str,
        /// Which equations are in conflict, by their names.
        reason: String,
        /// Largest residual that is left.
        residual: f64,
    },
    /// No mechanical system has the parameters of the model.
    #[error(transparent)]
    BadModel(#[from] ParameterError),
    /// Parameters of the scheme or the step size are out of range.
    #[error("{scheme}: {reason}")]
    BadParameter {
        /// Name of the scheme.
        scheme: String,
        /// What was expected.
        reason: String,
    },
}
