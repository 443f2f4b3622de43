//! Why a search cannot begin.

use hamel::gradient::GradientError;
use thiserror::Error;

/// Why a design cannot be searched.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum OptimizeError {
    /// Nothing is free, or something is free twice; nothing judges the design.
    #[error("{0}")]
    Free(String),
    /// A parameter by which no model has derivatives.
    #[error("there is no parameter `{name}` to choose; the model has {known}")]
    UnknownParameter {
        /// Its name.
        name: String,
        /// The parameters that there are.
        known: String,
    },
    /// An input that no model has.
    #[error("there is no input `{name}` to choose samples of; the model has {known}")]
    UnknownInput {
        /// Its name.
        name: String,
        /// The inputs that there are.
        known: String,
    },
    /// An output that a model does not have, in an objective or a condition.
    #[error("there is no output `{name}`; the model has {known}")]
    UnknownOutput {
        /// Its name.
        name: String,
        /// The outputs that there are.
        known: String,
    },
    /// A quantity that is not written as one.
    #[error("expected OUTPUT.final, OUTPUT.integral or OUTPUT.squared, found `{found}`")]
    Quantity {
        /// What was found.
        found: String,
    },
    /// A range that contains nothing, or everything.
    #[error("{name}: expected a range whose ends ascend and are not both infinite, found {lower}..{upper}")]
    Range {
        /// What is to be within.
        name: String,
        /// Its beginning.
        lower: f64,
        /// Its end.
        upper: f64,
    },
    /// A start outside of the bounds, or bounds that leave nothing.
    #[error("{name}: expected a start within {lower}..{upper}, found {start}")]
    Bounds {
        /// What is free.
        name: String,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
        /// Where it starts.
        start: f64,
    },
    /// Samples whose times do not ascend, or are not as many as the values.
    #[error("samples of `{input}`: expected {expected}, found {found}")]
    Samples {
        /// Name of the input.
        input: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// A setting without meaning.
    #[error("{what}: expected {expected}, found {found}")]
    Setting {
        /// What was set.
        what: String,
        /// What it can be.
        expected: &'static str,
        /// Its value.
        found: f64,
    },
    /// Neither the objective nor a condition depends on something that is free.
    #[error("{name} changes neither the objective nor a condition")]
    NoInfluence {
        /// What is free.
        name: String,
    },
    /// The design at the start cannot be judged.
    #[error("at the start {0}")]
    Start(#[from] Rejection),
    /// The library that searches failed.
    #[error("the search failed: {0}")]
    Search(String),
}

/// Why a design cannot be judged. At the start this is an error; a trial step of the search is rejected, and the search takes
/// a shorter one.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Rejection {
    /// There is no such model.
    #[error("the design is refused: {0}")]
    Model(String),
    /// The motion fails, or has no slopes.
    #[error("the motion fails: {0}")]
    Motion(#[from] GradientError),
    /// An objective, a condition or a slope of one is not a finite number.
    #[error("{what} is {found}, expected a finite number")]
    NotFinite {
        /// What is not finite.
        what: String,
        /// Its value.
        found: f64,
    },
}

/// Names for a message.
pub(crate) fn quoted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.is_empty() { "none".to_owned() } else { names }
}

/// A setting that must be positive.
pub(crate) fn positive(what: &str, found: f64) -> Result<(), OptimizeError> {
    match found.is_finite() && found > 0.0 {
        true => Ok(()),
        false => Err(OptimizeError::Setting { what: what.to_owned(), expected: "a positive number", found }),
    }
}
