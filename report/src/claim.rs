//! A claim: a measured number, the expectation for it, and the resulting verdict.
//!
//! What a paper prints, what theory promises, what another computation found and what we recorded earlier are different
//! kinds of expectation and are never mixed. Where our value differs from a paper, the claim carries the printed form,
//! and our own value must meet an expectation of its own. That the source is wrong is said only with a proof that does
//! not rest on our numbers.

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
    Value(#[serde(with = "crate::saved::any_number")] f64),
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
        /// What shows it.
        proof: Proof,
        /// Why that cannot be right.
        because: String,
    },
    /// We do not find what the source states, and do not know why.
    NotReproduced {
        /// What the source states.
        printed: String,
        /// What was tried.
        tried: String,
    },
    /// The source states a result, but not all data on which it depends; with data of our own it differs.
    Undetermined {
        /// What the source states.
        printed: String,
        /// What it does not state.
        missing: String,
    },
    /// Our computation fails where that of the source did not.
    OursFails {
        /// What the source states.
        printed: String,
        /// What is known about the cause.
        because: String,
    },
}

/// What shows that a source is wrong, without our numbers being right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// Algebra: dimensions, a derivative, a definition, a contradiction within the source.
    Algebra,
    /// A closed form, or a number that follows from printed coefficients alone.
    ClosedForm,
}

impl Proof {
    /// The proof in words.
    pub fn label(self) -> &'static str {
        match self {
            Proof::Algebra => "by algebra",
            Proof::ClosedForm => "by a closed form",
        }
    }
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
    /// A printed number, with its digits or within the stated tolerance.
    Reproduced,
    /// A number from theory or from an independent computation, or a bound, is met.
    Agrees,
    /// A comparison or trend that the source states in words or as a curve is found.
    Ordering,
    /// A number of an earlier run of ours, which proves constancy only.
    AsRecorded,
    /// The source is wrong, as a proof shows; our value meets its own expectation.
    SourceIsWrong,
    /// The source omits data on which the result depends.
    NotDetermined,
    /// Only reported.
    Reported,
    /// What the source states is not found, and the cause is unknown.
    NotReproduced,
    /// Our computation fails where that of the source did not.
    OursFails,
    /// The expectation is not met.
    Outside,
}

impl Verdict {
    /// All verdicts, best first.
    pub const ALL: [Verdict; 10] = [
        Verdict::Reproduced,
        Verdict::Agrees,
        Verdict::Ordering,
        Verdict::AsRecorded,
        Verdict::SourceIsWrong,
        Verdict::NotDetermined,
        Verdict::Reported,
        Verdict::NotReproduced,
        Verdict::OursFails,
        Verdict::Outside,
    ];

    /// The verdict in words.
    pub fn label(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Agrees => "agrees",
            Verdict::Ordering => "ordering",
            Verdict::AsRecorded => "as recorded",
            Verdict::SourceIsWrong => "source is wrong",
            Verdict::NotDetermined => "not determined by the source",
            Verdict::Reported => "reported",
            Verdict::NotReproduced => "not reproduced",
            Verdict::OursFails => "ours fails",
            Verdict::Outside => "outside",
        }
    }

    /// The verdict as an identifier, for style sheets and JSON.
    pub fn key(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Agrees => "agrees",
            Verdict::Ordering => "ordering",
            Verdict::AsRecorded => "as_recorded",
            Verdict::SourceIsWrong => "source_is_wrong",
            Verdict::NotDetermined => "not_determined",
            Verdict::Reported => "reported",
            Verdict::NotReproduced => "not_reproduced",
            Verdict::OursFails => "ours_fails",
            Verdict::Outside => "outside",
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
    pub fn refutes(mut self, printed: impl Into<String>, proof: Proof, because: impl Into<String>) -> Self {
        self.statement = Statement::Wrong { printed: printed.into(), proof, because: because.into() };
        self
    }

    /// The source states something else, and it is not known why.
    pub fn not_reproduced(mut self, printed: impl Into<String>, tried: impl Into<String>) -> Self {
        self.statement = Statement::NotReproduced { printed: printed.into(), tried: tried.into() };
        self
    }

    /// The source states something else, which depends on data that it does not state.
    pub fn undetermined(mut self, printed: impl Into<String>, missing: impl Into<String>) -> Self {
        self.statement = Statement::Undetermined { printed: printed.into(), missing: missing.into() };
        self
    }

    /// Our computation fails where that of the source did not.
    pub fn ours_fails(mut self, printed: impl Into<String>, because: impl Into<String>) -> Self {
        self.statement = Statement::OursFails { printed: printed.into(), because: because.into() };
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
            (Expected::Missing(_), _) => Verdict::NotDetermined,
            _ if !self.expected.is_met_by(&self.measured) => Verdict::Outside,
            (_, Statement::Wrong { .. }) => Verdict::SourceIsWrong,
            (_, Statement::NotReproduced { .. }) => Verdict::NotReproduced,
            (_, Statement::Undetermined { .. }) => Verdict::NotDetermined,
            (_, Statement::OursFails { .. }) => Verdict::OursFails,
            (_, Statement::Words(_)) => Verdict::Ordering,
            (Expected::Printed { .. }, _) => Verdict::Reproduced,
            (Expected::Recorded { .. }, _) => Verdict::AsRecorded,
            _ => Verdict::Agrees,
        }
    }

    /// Whether the measured value rounds to the printed text, where the source prints a number.
    pub fn has_printed_digits(&self) -> Option<bool> {
        let (Expected::Printed { text, .. }, Measured::Value(value)) = (&self.expected, &self.measured) else {
            return None;
        };
        let printed: f64 = text.parse().ok()?;
        Some((value - printed).abs() <= half_unit_in_last_place(text))
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
        let of = |measured| (printed(measured).verdict(), printed(measured).has_printed_digits());
        assert_eq!(of(-4.6153846), (Verdict::Reproduced, Some(true)));
        assert_eq!(of(-4.6157), (Verdict::Reproduced, Some(false)));
        assert_eq!(of(-4.7), (Verdict::Outside, Some(false)));
        assert_eq!(of(f64::NAN), (Verdict::Outside, Some(false)));
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
            Claim::new("order", "1", Expected::Order { order: 1.0, tolerance: 0.1 }, measured).refutes(
                "second order",
                Proof::Algebra,
                "a slope of +1 in a double logarithmic plot is first order",
            )
        };
        assert_eq!(order(1.04).verdict(), Verdict::SourceIsWrong);
        assert_eq!(order(2.0).verdict(), Verdict::Outside);
    }

    #[test]
    fn what_proves_nothing_about_the_source_says_so() {
        let claim = || Claim::new("growth", "1", Expected::AtMost(1.0), 0.5);
        assert_eq!(claim().not_reproduced("unstable", "two formulations").verdict(), Verdict::NotReproduced);
        assert_eq!(claim().undetermined("slope 1", "the geometry").verdict(), Verdict::NotDetermined);
        assert_eq!(claim().ours_fails("completes", "Newton's method diverges").verdict(), Verdict::OursFails);
        let recorded = Expected::Recorded { value: 0.5, tolerance: 1e-9 };
        assert_eq!(Claim::new("growth", "1", recorded, 0.5).verdict(), Verdict::AsRecorded);
        assert_eq!(
            Claim::new("growth", "1", Expected::AtMost(0.1), 0.5).not_reproduced("", "").verdict(),
            Verdict::Outside
        );
    }

    #[test]
    fn a_breakdown_meets_only_the_expectation_to_fail() {
        let broken = Measured::Breakdown("did not converge at t = 0.3 s".into());
        assert_eq!(Claim::new("α = 0", "1", Expected::Fails, broken.clone()).verdict(), Verdict::Agrees);
        assert_eq!(Claim::new("α = 0", "1", Expected::AtMost(1.0), broken).verdict(), Verdict::Outside);
        assert_eq!(Claim::new("α = 0", "1", Expected::Fails, 1.0).verdict(), Verdict::Outside);
    }

    #[test]
    fn words_and_gaps_have_verdicts_of_their_own() {
        let trend = Claim::new("slope", "1", Expected::AtLeast(0.5), 1.0).in_words("grows");
        assert_eq!(trend.verdict(), Verdict::Ordering);
        assert_eq!(Claim::missing("Fig. 7", "the torque curve").verdict(), Verdict::NotDetermined);
        assert_eq!(Claim::new("time", "s", Expected::Timing, 3.0).verdict(), Verdict::Reported);
    }
}
