//! A claim: a measured number, the expectation for it, and the resulting verdict.
//!
//! What a paper prints, what theory promises, what another computation found and what we recorded earlier are different
//! kinds of expectation and are never mixed. Where a paper is wrong, the claim carries the printed form and the reason,
//! and our own value must meet an expectation of its own.

use serde::{Deserialize, Deserializer, Serialize};

/// Text with static lifetime. Text that is read back from a file is leaked.
pub type Fixed = &'static str;

/// Reads such text back.
pub(crate) fn fixed<'de, D: Deserializer<'de>>(source: D) -> Result<Fixed, D::Error> {
    String::deserialize(source).map(|text| &*text.leak())
}

/// The expectation with which a measured number is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// A number printed in the source, digit by digit.
    Printed {
        /// The number as printed.
        #[serde(deserialize_with = "fixed")]
        text: Fixed,
        /// Largest deviation that still counts as agreement.
        tolerance: f64,
    },
    /// The value of a formula: of the source, or a closed form.
    Theory {
        /// The value.
        value: f64,
        /// Largest deviation that still counts as agreement.
        tolerance: f64,
    },
    /// An order of convergence.
    Order {
        /// The order.
        order: f64,
        /// Largest deviation that still counts as agreement.
        tolerance: f64,
    },
    /// The result of an independent computation.
    Reference {
        /// The value.
        value: f64,
        /// Largest deviation that still counts as agreement.
        tolerance: f64,
    },
    /// A value that was measured before; it proves nothing, but detects changes.
    Recorded {
        /// The value.
        value: f64,
        /// Largest deviation that still counts as agreement.
        tolerance: f64,
    },
    /// An upper bound.
    AtMost(f64),
    /// A lower bound.
    AtLeast(f64),
    /// The scheme must break down.
    Fails,
    /// Reported, never judged.
    Timing,
    /// The source does not say enough to repeat this result.
    Missing(#[serde(deserialize_with = "fixed")] Fixed),
}

/// The measured result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// A number.
    Value(f64),
    /// The computation broke down; how and when.
    Breakdown(String),
    /// Nothing could be measured.
    Nothing,
}

impl From<f64> for Measured {
    fn from(value: f64) -> Self {
        Measured::Value(value)
    }
}

/// How the source states what is claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    /// As a number or formula, which the expectation repeats.
    Quantity,
    /// In words, or as a figure without numbers.
    Words(String),
    /// Wrongly: our value is expected to differ from the source.
    Wrong {
        /// What the source prints.
        printed: String,
        /// Why that cannot be right.
        because: String,
    },
}

/// A measured number and the expectation for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The quantity, in words.
    pub what: String,
    /// SI unit, `1` when dimensionless.
    #[serde(deserialize_with = "fixed")]
    pub unit: Fixed,
    /// The expectation.
    pub expected: Expected,
    /// The outcome.
    pub measured: Measured,
    /// How the source states it.
    pub statement: Statement,
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every printed digit agrees.
    MatchesPrintedDigits,
    /// The deviation stays within the stated tolerance.
    WithinTolerance,
    /// The source states it in words or as a curve, and our result agrees with that.
    SameTrend,
    /// The source is wrong; our value differs from it and meets its own expectation.
    DiffersExplained,
    /// The source omits data that a repetition needs.
    NotReproducible,
    /// Only reported.
    Reported,
    /// The expectation is not met.
    Failed,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Verdict; 7] = [
        Verdict::MatchesPrintedDigits,
        Verdict::WithinTolerance,
        Verdict::SameTrend,
        Verdict::DiffersExplained,
        Verdict::NotReproducible,
        Verdict::Reported,
        Verdict::Failed,
    ];

    /// The verdict in words.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::MatchesPrintedDigits => "matches to printed digits",
            Verdict::WithinTolerance => "within stated tolerance",
            Verdict::SameTrend => "same trend",
            Verdict::DiffersExplained => "differs, explained",
            Verdict::NotReproducible => "not reproducible from the paper",
            Verdict::Reported => "reported",
            Verdict::Failed => "outside tolerance",
        }
    }

    /// The verdict as an identifier, for style sheets and JSON.
    pub fn key(self) -> &'static str {
        match self {
            Verdict::MatchesPrintedDigits => "matches_printed_digits",
            Verdict::WithinTolerance => "within_tolerance",
            Verdict::SameTrend => "same_trend",
            Verdict::DiffersExplained => "differs_explained",
            Verdict::NotReproducible => "not_reproducible",
            Verdict::Reported => "reported",
            Verdict::Failed => "failed",
        }
    }
}

impl Expected {
    /// The expected number, where there is one.
    pub fn value(&self) -> Option<f64> {
        match *self {
            Expected::Printed { text, .. } => text.parse().ok(),
            Expected::Theory { value, .. } | Expected::Reference { value, .. } | Expected::Recorded { value, .. } => {
                Some(value)
            }
            Expected::Order { order, .. } => Some(order),
            Expected::AtMost(bound) | Expected::AtLeast(bound) => Some(bound),
            Expected::Fails | Expected::Timing | Expected::Missing(_) => None,
        }
    }

    /// The stated tolerance, where there is one.
    pub fn tolerance(&self) -> Option<f64> {
        match *self {
            Expected::Printed { tolerance, .. }
            | Expected::Theory { tolerance, .. }
            | Expected::Order { tolerance, .. }
            | Expected::Reference { tolerance, .. }
            | Expected::Recorded { tolerance, .. } => Some(tolerance),
            _ => None,
        }
    }

    /// Whether a measured value meets the expectation. Undefined numbers meet none.
    fn is_met_by(&self, measured: &Measured) -> bool {
        match (self, measured) {
            (Expected::Fails, Measured::Breakdown(_)) => true,
            (Expected::Timing | Expected::Missing(_), _) => true,
            (Expected::AtMost(bound), Measured::Value(value)) => value <= bound,
            (Expected::AtLeast(bound), Measured::Value(value)) => value >= bound,
            (_, Measured::Value(value)) => match (self.value(), self.tolerance()) {
                (Some(expected), Some(tolerance)) => (value - expected).abs() <= tolerance,
                _ => false,
            },
            _ => false,
        }
    }
}

impl Claim {
    /// A claim whose source states a number, or none.
    pub fn new(what: impl Into<String>, unit: &'static str, expected: Expected, measured: impl Into<Measured>) -> Self {
        Self { what: what.into(), unit, expected, measured: measured.into(), statement: Statement::Quantity }
    }

    /// A result that cannot be repeated because the source omits data.
    pub fn missing(what: impl Into<String>, missing: &'static str) -> Self {
        Self::new(what, "1", Expected::Missing(missing), Measured::Nothing)
    }

    /// The source states this in words, or as a curve.
    pub fn in_words(mut self, says: impl Into<String>) -> Self {
        self.statement = Statement::Words(says.into());
        self
    }

    /// The source states something else, which is wrong.
    pub fn although(mut self, printed: impl Into<String>, because: impl Into<String>) -> Self {
        self.statement = Statement::Wrong { printed: printed.into(), because: because.into() };
        self
    }

    /// Measured minus expected, where both are numbers.
    pub fn deviation(&self) -> Option<f64> {
        match (&self.measured, self.expected.value(), self.expected.tolerance()) {
            (Measured::Value(value), Some(expected), Some(_)) => Some(value - expected),
            _ => None,
        }
    }

    /// The verdict on the claim.
    pub fn verdict(&self) -> Verdict {
        match (&self.expected, &self.statement) {
            (Expected::Timing, _) => Verdict::Reported,
            (Expected::Missing(_), _) => Verdict::NotReproducible,
            _ if !self.expected.is_met_by(&self.measured) => Verdict::Failed,
            (_, Statement::Wrong { .. }) => Verdict::DiffersExplained,
            (_, Statement::Words(_)) => Verdict::SameTrend,
            (Expected::Printed { text, .. }, _) if self.agrees_with_digits(text) => Verdict::MatchesPrintedDigits,
            _ => Verdict::WithinTolerance,
        }
    }

    /// Whether the measured value rounds to the printed text.
    fn agrees_with_digits(&self, text: &str) -> bool {
        match (&self.measured, text.parse::<f64>()) {
            (Measured::Value(value), Ok(printed)) => (value - printed).abs() <= half_unit_in_last_place(text),
            _ => false,
        }
    }
}

/// Half a unit of the last digit of a printed decimal number such as `-4.61538` or `1.0e-3`.
fn half_unit_in_last_place(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exponent = exponent.parse::<i32>().unwrap_or(0) - i32::try_from(decimals).unwrap_or(0);
    0.5 * 10f64.powi(exponent) * (1.0 + 1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(measured: f64) -> Claim {
        Claim::new("ω_z", "rad/s", Expected::Printed { text: "-4.61538", tolerance: 1e-3 }, measured)
    }

    #[test]
    fn printed_numbers_are_judged_by_their_digits() {
        assert_eq!(printed(-4.6153846).verdict(), Verdict::MatchesPrintedDigits);
        assert_eq!(printed(-4.6157).verdict(), Verdict::WithinTolerance);
        assert_eq!(printed(-4.7).verdict(), Verdict::Failed);
        assert_eq!(printed(f64::NAN).verdict(), Verdict::Failed);
    }

    #[test]
    fn half_unit_follows_mantissa_and_exponent() {
        for (text, half) in [("150", 0.5), ("0.234375", 5e-7), ("1.0e-3", 5e-5), ("-2.50E2", 0.5)] {
            assert!((half_unit_in_last_place(text) / half - 1.0).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn a_wrong_source_needs_our_own_value_to_be_right() {
        let order = |measured| {
            Claim::new("order", "1", Expected::Order { order: 1.0, tolerance: 0.1 }, measured)
                .although("second order", "a slope of +1 in a double logarithmic plot is first order")
        };
        assert_eq!(order(1.04).verdict(), Verdict::DiffersExplained);
        assert_eq!(order(2.0).verdict(), Verdict::Failed);
    }

    #[test]
    fn a_breakdown_meets_only_the_expectation_to_fail() {
        let broken = Measured::Breakdown("did not converge at t = 0.3 s".into());
        assert_eq!(Claim::new("α = 0", "1", Expected::Fails, broken.clone()).verdict(), Verdict::WithinTolerance);
        assert_eq!(Claim::new("α = 0", "1", Expected::AtMost(1.0), broken).verdict(), Verdict::Failed);
        assert_eq!(Claim::new("α = 0", "1", Expected::Fails, 1.0).verdict(), Verdict::Failed);
    }

    #[test]
    fn words_and_gaps_have_verdicts_of_their_own() {
        let trend = Claim::new("slope", "1", Expected::AtLeast(0.5), 1.0).in_words("grows");
        assert_eq!(trend.verdict(), Verdict::SameTrend);
        assert_eq!(Claim::missing("Fig. 7", "the torque curve").verdict(), Verdict::NotReproducible);
        assert_eq!(Claim::new("time", "s", Expected::Timing, 3.0).verdict(), Verdict::Reported);
    }
}
