//! What a search found.

use serde::Serialize;

use crate::free::Design;

/// What a search found: an optimum where it [is converged](Self::is_converged), otherwise the best design that it saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Optimum {
    /// The design.
    pub design: Design,
    /// Its numbers, those of samples one after the other.
    pub variables: Vec<Variable>,
    /// The objective, in the sum over the cases.
    pub objective: f64,
    /// The objective of the start.
    pub objective_at_start: f64,
    /// What the conditions came to.
    pub conditions: Vec<ConditionValue>,
    /// Largest slope of the objective by a number of the design, with the conditions by their multipliers, where no bound is
    /// in the way: relative to the objective's unit and for the scale of the number.
    pub projected_gradient: f64,
    /// Most that a condition is violated, in its unit.
    pub violation: f64,
    /// Largest product of what a condition that is not equal has left, in its unit, and its multiplier, relative to the
    /// objective's unit.
    pub complementarity: f64,
    /// How often the search made a step.
    pub iterations: u64,
    /// How often a design was judged: by one motion of each case, with the adjoints of its objective and its conditions.
    pub evaluations: u64,
    /// How many of these designs were rejected, because their motion failed or had values that are no numbers.
    pub rejections: u64,
    /// Why the last of these was.
    pub last_rejection: Option<String>,
    /// Why the search ended.
    pub ended: Ended,
    /// What runs of this design caution, case by case.
    pub cautions: Vec<String>,
}

impl Optimum {
    /// Whether it is a first-order optimum to the tolerance of the search: conditions are met, and no slope leads down
    /// within them and the bounds. A saddle is one, too.
    pub fn is_converged(&self) -> bool {
        self.ended == Ended::Converged
    }

    /// The value of a parameter, if it was free.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.design.parameters.iter().find(|(parameter, _)| parameter == name).map(|(_, value)| *value)
    }

    /// The samples of an input, if they were free.
    pub fn samples(&self, input: &str) -> Option<&[f64]> {
        self.design.inputs.iter().find(|samples| samples.input == input).map(|samples| samples.values.as_slice())
    }
}

/// A number of a design, in SI units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variable {
    /// What it is, as ``parameter `mass` `` or ``input `force` at 0.5 s``.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the search began.
    pub start: f64,
    /// What was found.
    pub value: f64,
    /// The bound that it is at.
    pub bound: Option<Side>,
}

/// A bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Side {
    /// The lower one.
    Lower,
    /// The upper one.
    Upper,
}

/// What a condition came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionValue {
    /// Its quantity.
    pub name: String,
    /// The value of that.
    pub value: f64,
    /// What it should be, or be at most or at least.
    pub target: f64,
    /// Whether it is met to the tolerance of the search.
    pub is_met: bool,
    /// How the least objective changes with the target: its derivative at an optimum, zero for a condition that holds by
    /// itself.
    pub price: f64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Ended {
    /// At a first-order optimum, to the tolerance.
    Converged,
    /// At the limit of iterations.
    Iterations,
    /// At the limit of evaluations.
    Evaluations,
    /// It found no way down, although slopes say that there is one: rounding, a tolerance of the scheme that is too loose,
    /// motions that fail nearby, or an objective with kinks.
    NoProgress,
    /// It found no way to meet the conditions; perhaps there is none within the bounds.
    Unmet,
}

impl std::fmt::Display for Ended {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Ended::Converged => "converged",
            Ended::Iterations => "not converged: the limit of iterations is reached",
            Ended::Evaluations => "not converged: the limit of evaluations is reached",
            Ended::NoProgress => "not converged: no step leads further down",
            Ended::Unmet => "not converged: no step meets the conditions better",
        })
    }
}
