//! What a fit found.

use serde::Serialize;

/// Parameters with which a model misses measurements least.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// The parameters that were free.
    pub parameters: Vec<Parameter>,
    /// Correlations of their errors, row by row.
    pub correlation: Vec<Vec<f64>>,
    /// The columns of the measurements.
    pub columns: Vec<FittedColumn>,
    /// What the measurements leave in doubt.
    pub doubts: Vec<Doubt>,
    /// How often the motion was computed.
    pub motions: u64,
}

/// A parameter that was fitted, in SI units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the search began.
    pub start: f64,
    /// What was found.
    pub value: f64,
    /// Standard error; infinite where the measurements do not tell the parameter.
    pub error: f64,
    /// Whether the value is one of its bounds, so that the standard error means little.
    pub is_at_bound: bool,
}

/// A column of measurements beside the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedColumn {
    /// Name of the output.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Standard deviation of what the model misses, or the one that was given.
    pub deviation: f64,
    /// Root of the mean square of what the model misses.
    pub missed: f64,
    /// The model at the times of the measurements.
    pub model: Vec<f64>,
}

/// Something that the measurements leave in doubt.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Doubt {
    /// Parameters that can change together without changing what was measured.
    Undetermined {
        /// Their names, the one that changes most first.
        parameters: Vec<String>,
    },
    /// The search ended at its limit of motions.
    Motions {
        /// The limit.
        most: u64,
    },
    /// One value of an output is missed by far more than all others: no noise of a normal distribution, and what it is takes
    /// weight from the output.
    Outlier {
        /// The output.
        output: String,
        /// In standard deviations of what is left of the others.
        deviations: f64,
    },
    /// Parameters that the measurements hardly tell apart: their standard errors are a large part of them, beyond which the
    /// model is not linear, so that they may be much farther off.
    HardlyDetermined {
        /// Their names.
        parameters: Vec<String>,
    },
    /// What is left of an output is larger than the noise that was given for it. Another minimum, another model or other
    /// inputs may be right, and standard errors are too small.
    MoreThanNoise {
        /// The output.
        output: String,
        /// What is left over the noise.
        factor: f64,
    },
    /// What is left of an output is nearly as large as what was measured varies.
    Unexplained {
        /// The output.
        output: String,
        /// What is left over the spread of the measurements.
        part: f64,
    },
    /// What is left of an output is not noise: neighbouring values are alike. Another minimum, another model or other
    /// inputs may be right, and standard errors are too small.
    NotNoise {
        /// The output.
        output: String,
        /// Correlation of what is left with its next value.
        correlation: f64,
    },
    /// The noise of outputs changed in the last round of its estimation as well.
    UnsettledNoise,
    /// The model misses next to nothing of what was measured, as where numbers were computed: standard errors, which come
    /// from what it misses, then say little.
    NoNoise,
    /// The search ended because it made no progress, not because it found a minimum.
    NoProgress,
    /// The search ended beside values that have no motion, behind which the minimum may lie.
    Edge {
        /// These values.
        tried: String,
        /// Why they have none.
        error: String,
    },
    /// What a run of the motion cautions.
    Motion {
        /// As the run says it.
        caution: String,
    },
    /// With half the length of its steps the motion differs by a part of the noise that matters.
    LongSteps {
        /// The largest difference, in standard deviations of the noise.
        difference: f64,
    },
}

impl Doubt {
    /// Whether it may be another minimum.
    pub(crate) fn is_of_place(&self) -> bool {
        match self {
            Doubt::NotNoise { .. }
            | Doubt::MoreThanNoise { .. }
            | Doubt::Unexplained { .. }
            | Doubt::NoProgress
            | Doubt::Motions { .. } => true,
            Doubt::Undetermined { .. }
            | Doubt::HardlyDetermined { .. }
            | Doubt::Outlier { .. }
            | Doubt::UnsettledNoise
            | Doubt::NoNoise
            | Doubt::Edge { .. }
            | Doubt::Motion { .. }
            | Doubt::LongSteps { .. } => false,
        }
    }
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Doubt::Undetermined { parameters } => {
                write!(
                    out,
                    "the measurements do not tell {} apart: they can change together without changing what was measured",
                    parameters.join(", ")
                )
            }
            Doubt::LongSteps { difference } => write!(
                out,
                "with half the step the outputs differ by {difference:.2} standard deviations of the noise; take shorter steps"
            ),
            Doubt::NotNoise { output, correlation } => write!(
                out,
                "what is left of {output} is not noise, neighbouring values have a correlation of {correlation:.2}: this may be \
                 a minimum in the wrong place, which a search in intervals, or in more of them, may avoid, or the model \
                 or an input is another; standard errors are too small"
            ),
            Doubt::Edge { tried, error } => write!(
                out,
                "the search ended beside {tried}, which has no motion: {error}; the minimum may lie beyond, give bounds that \
                 exclude such values"
            ),
            Doubt::Motions { most } => {
                write!(out, "the search ended after {most} motions, before the minimum; allow it more")
            }
            Doubt::Outlier { output, deviations } => write!(
                out,
                "one value of {output} is missed by {deviations:.0} standard deviations of the others: it may be no measurement, \
                 and leaving it out would give the others their weight"
            ),
            Doubt::HardlyDetermined { parameters } => write!(
                out,
                "the measurements hardly tell {} apart: their standard errors are a large part of them, so that the true values \
                 may be much farther off",
                parameters.join(", ")
            ),
            Doubt::MoreThanNoise { output, factor } => write!(
                out,
                "what is left of {output} is {factor:.1} times the noise that was given: this may be a minimum in the wrong \
                 place, which a search in intervals, or in more of them, may avoid, or the model or an input is another; \
                 standard errors are too small"
            ),
            Doubt::Unexplained { output, part } => write!(
                out,
                "what is left of {output} is {:.0} % of what was measured varies by: this may be a minimum in the wrong \
                 place, which a search in intervals, or in more of them, may avoid, or the noise is that large",
                100.0 * part
            ),
            Doubt::Motion { caution } => out.write_str(caution),
            Doubt::UnsettledNoise => write!(
                out,
                "the estimated noise of the outputs did not settle; give it, and standard errors will mean something"
            ),
            Doubt::NoNoise => write!(
                out,
                "the model misses less than a millionth of what was measured, as if there were no noise: what it misses are \
                 errors of steps and rounding, and standard errors say little"
            ),
            Doubt::NoProgress => {
                write!(out, "the search ended because it made no more progress, perhaps before the minimum")
            }
        }
    }
}
