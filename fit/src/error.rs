//! Why a fit cannot be made.

use hamel::gradient::GradientError;
use thiserror::Error;

/// Why measurements cannot be read, or parameters not be fitted to them.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    /// A table that is no table of measurements.
    #[error("measurements, line {line}: {what}")]
    Table {
        /// Line, from one.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A column that is no output, and no coordinate or velocity.
    #[error("measurements: there is no output, coordinate or velocity `{name}`; outputs of the model: {known}")]
    UnknownOutput {
        /// Name of the column.
        name: String,
        /// The outputs that there are.
        known: String,
    },
    /// A name that no column has.
    #[error("measurements: there is no column `{name}`")]
    NoColumn {
        /// The name.
        name: String,
    },
    /// A column in another unit.
    #[error("measurements: `{name}` is in {found}, expected {expected}")]
    Unit {
        /// Name of the column.
        name: String,
        /// Unit in the table.
        found: String,
        /// Unit of the output.
        expected: String,
    },
    /// A parameter by which the model has no derivatives.
    #[error("there is no parameter `{name}` to fit; the model has {known}")]
    UnknownParameter {
        /// Its name.
        name: String,
        /// The parameters that there are.
        known: String,
    },
    /// A start outside of the bounds, or bounds that leave nothing.
    #[error("parameter `{name}`: expected a start within {lower}..{upper}, found {start}")]
    Bounds {
        /// Its name.
        name: String,
        /// Lower bound.
        lower: f64,
        /// Upper bound.
        upper: f64,
        /// Where it starts.
        start: f64,
    },
    /// The same parameter twice, or none.
    #[error("{0}")]
    Free(String),
    /// Fewer numbers than parameters.
    #[error("{numbers} measured numbers for {parameters} parameters, expected more numbers than parameters")]
    TooFewData {
        /// Numbers that were measured.
        numbers: usize,
        /// Parameters that are free.
        parameters: usize,
    },
    /// A column with too few numbers to estimate its noise.
    #[error(
        "{numbers} measured numbers of `{name}` for {parameters} parameters are too few to estimate its noise; give it, or leave the column out"
    )]
    UnknownNoise {
        /// Name of the column.
        name: String,
        /// Numbers that were measured of it.
        numbers: usize,
        /// Parameters that are free.
        parameters: usize,
    },
    /// More intervals than times of measurements, or none.
    #[error("expected 1 to {most} intervals, of which each has a time of measurements, found {count}")]
    Intervals {
        /// Intervals that were asked for.
        count: usize,
        /// Times of measurements after the start.
        most: usize,
    },
    /// Several intervals of a model with contacts.
    #[error(
        "several intervals need a start each that may be chosen, and contacts of `{model}` restrict it; fit it in one"
    )]
    IntervalsOf {
        /// Name of the model.
        model: String,
    },
    /// No measured output depends on a parameter.
    #[error("parameter `{name}` changes none of the measured outputs")]
    NoInfluence {
        /// Its name.
        name: String,
    },
    /// The motion with the parameters from which the fit starts fails.
    #[error("the motion with the parameters at the start fails: {0}")]
    Start(GradientError),
    /// The parameters at the start are refused.
    #[error("the parameters at the start are refused: {0}")]
    Model(String),
    /// The search failed beside parameters that have no motion.
    #[error(
        "the search ended without a result; it had tried {tried}, and there {error}; give bounds that exclude such values"
    )]
    Tried {
        /// The parameters that were tried last in vain.
        tried: String,
        /// Why they have no motion.
        error: String,
    },
    /// The search for the least squares failed.
    #[error("the search ended without a result: {0}")]
    Search(String),
}
