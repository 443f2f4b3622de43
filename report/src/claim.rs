//! A claim: a measured number, the expectation for it, and the resulting verdict.
//!
//! What a paper prints, what theory promises, what another computation found and what we recorded earlier are different
//! kinds of expectation and are never mixed. Where our value differs from a paper, the claim carries the printed form,
//! and our own value must meet an expectation of its own. That the source is wrong is said only with a proof that does
//! not rest on our numbers. An expectation that allows much more than was measured says why.

use serde::{Deserialize, Serialize};

use crate::expected::{Expected, Fixed, Origin, fixed, half_unit_in_last_place};

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
    /// Otherwise than we find it.
    Differs {
        /// What the source states.
        printed: String,
        /// What the difference shows.
        why: Why,
        /// The reason, what was tried, or what is missing.
        because: String,
    },
}

/// What a difference to the source shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The source is wrong: our value is expected to differ.
    Wrong(Proof),
    /// Nothing: we do not find what the source states, and do not know why. The claim says what was tried.
    NotReproduced,
    /// That the result depends on data that the source does not state, and for which we take our own.
    Undetermined,
    /// That our computation fails where that of the source did not.
    OursFails,
}

impl Why {
    /// The beginning of a sentence that the claim's reason ends.
    pub fn label(self) -> &'static str {
        match self {
            Why::Wrong(Proof::Algebra) => "Wrong, by algebra",
            Why::Wrong(Proof::ClosedForm) => "Wrong, by a closed form",
            Why::NotReproduced => "Not found here",
            Why::Undetermined => "Not determined",
            Why::OursFails => "Ours fails",
        }
    }
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
    /// Why the expectation allows what it allows, where its origin does not say.
    pub because: Option<String>,
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

impl Claim {
    /// A claim whose source states a number, or none.
    pub fn new(what: impl Into<String>, unit: &'static str, expected: Expected, measured: impl Into<Measured>) -> Self {
        let measured = measured.into();
        Self { what: what.into(), unit, expected, measured, statement: Statement::Quantity, because: None }
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
    pub fn refutes(self, printed: impl Into<String>, proof: Proof, because: impl Into<String>) -> Self {
        self.differs(printed, Why::Wrong(proof), because)
    }

    /// The source states something else, and it is not known why.
    pub fn not_reproduced(self, printed: impl Into<String>, tried: impl Into<String>) -> Self {
        self.differs(printed, Why::NotReproduced, tried)
    }

    /// The source states something else, which depends on data that it does not state.
    pub fn undetermined(self, printed: impl Into<String>, missing: impl Into<String>) -> Self {
        self.differs(printed, Why::Undetermined, missing)
    }

    /// Our computation fails where that of the source did not.
    pub fn ours_fails(self, printed: impl Into<String>, because: impl Into<String>) -> Self {
        self.differs(printed, Why::OursFails, because)
    }

    fn differs(mut self, printed: impl Into<String>, why: Why, because: impl Into<String>) -> Self {
        self.statement = Statement::Differs { printed: printed.into(), why, because: because.into() };
        self
    }

    /// Why the tolerance or bound is as wide as it is.
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.because = Some(reason.into());
        self
    }

    /// Measured minus expected, where both are numbers.
    pub fn deviation(&self) -> Option<f64> {
        match (&self.measured, self.expected.value(), self.expected.tolerance()) {
            (Measured::Value(value), Some(expected), Some(_)) => Some(value - expected),
            _ => None,
        }
    }

    /// The part of what the expectation allows that the measured value uses: deviation over tolerance, or for a bound
    /// the ratio of measured value and bound that one may not exceed. Absent where there is none to form: where the
    /// value must be met exactly, where the bound is zero, so that only a sign is claimed, and where it has another sign.
    pub fn used(&self) -> Option<f64> {
        self.used_by(0.0).filter(|used| !used.is_sign_negative())
    }

    /// The same with a deviation or a bounded value of at least `least`.
    fn used_by(&self, least: f64) -> Option<f64> {
        let Measured::Value(value) = self.measured else { return None };
        match self.expected {
            Expected::AtMost(0.0, _) | Expected::AtLeast(0.0, _) => None,
            Expected::AtMost(bound, _) if bound > 0.0 => Some(value.abs().max(least) * value.signum() / bound),
            Expected::AtLeast(bound, _) if bound < 0.0 => Some(value.abs().max(least) * -value.signum() / -bound),
            Expected::AtMost(bound, _) | Expected::AtLeast(bound, _) => Some(bound / value),
            _ => match (self.deviation(), self.expected.tolerance()) {
                (Some(deviation), Some(tolerance)) if tolerance > 0.0 => Some(deviation.abs().max(least) / tolerance),
                _ => None,
            },
        }
    }

    /// Why the expectation allows what it allows, where the claim or its origin says so.
    pub fn reason(&self) -> Option<&str> {
        self.because.as_deref().or_else(|| self.expected.reason())
    }

    /// Whether the expectation allows more than a hundred times what was measured without saying why.
    ///
    /// Deviations below the rounding of one, or of the expected number where that is larger, count as that rounding:
    /// a deviation of exactly zero is luck.
    pub fn is_unexplained(&self) -> bool {
        let size = match self.expected.tolerance() {
            Some(_) => self.expected.value().unwrap_or(0.0).abs().max(1.0),
            None => 1.0,
        };
        let is_loose = self.used_by(f64::EPSILON * size).is_some_and(|used| used.abs() < 0.01);
        is_loose && self.reason().is_none()
    }

    /// Whether the claim calls its source wrong by a bound that is ours: chosen, or recorded.
    pub fn refutes_by_ours(&self) -> bool {
        let is_ours = match self.expected {
            Expected::Recorded { .. } => true,
            Expected::AtMost(_, origin) | Expected::AtLeast(_, origin) => {
                matches!(origin, Origin::Chosen(_) | Origin::Recorded)
            }
            _ => false,
        };
        is_ours && matches!(self.statement, Statement::Differs { why: Why::Wrong(_), .. })
    }

    /// The verdict on the claim.
    pub fn verdict(&self) -> Verdict {
        match (&self.expected, &self.statement) {
            (Expected::Reported(_), _) => Verdict::Reported,
            (Expected::Missing(_), _) => Verdict::NotDetermined,
            _ if !self.is_met() => Verdict::Outside,
            (_, Statement::Differs { why: Why::Wrong(_), .. }) => Verdict::SourceIsWrong,
            (_, Statement::Differs { why: Why::NotReproduced, .. }) => Verdict::NotReproduced,
            (_, Statement::Differs { why: Why::Undetermined, .. }) => Verdict::NotDetermined,
            (_, Statement::Differs { why: Why::OursFails, .. }) => Verdict::OursFails,
            // A bound that an earlier run of ours has set tests no words.
            (
                Expected::Recorded { .. }
                | Expected::AtMost(_, Origin::Recorded)
                | Expected::AtLeast(_, Origin::Recorded),
                _,
            ) => Verdict::AsRecorded,
            (_, Statement::Words(_)) => Verdict::Ordering,
            (Expected::Printed { .. }, _) => Verdict::Reproduced,
            _ => Verdict::Agrees,
        }
    }

    /// Whether the expectation is met. Undefined numbers meet none.
    fn is_met(&self) -> bool {
        match (&self.expected, &self.measured) {
            (Expected::Fails, Measured::Breakdown(_)) => true,
            (Expected::Reported(_) | Expected::Missing(_), _) => true,
            (Expected::AtMost(bound, _), Measured::Value(value)) => value <= bound,
            (Expected::AtLeast(bound, _), Measured::Value(value)) => value >= bound,
            (expected, Measured::Value(value)) => match (expected.value(), expected.tolerance()) {
                (Some(expected), Some(tolerance)) => (value - expected).abs() <= tolerance,
                _ => false,
            },
            _ => false,
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

    /// Where the expectation comes from, in words; of a printed number, how many of its digits are found.
    pub fn origin(&self) -> &'static str {
        match self.has_printed_digits() {
            Some(true) => "printed, every digit",
            Some(false) => "printed, within tolerance",
            None => self.expected.origin_label(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expected::{at_least, at_most};

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
        let chosen = at_least(1.0, Origin::Chosen("far beyond rounding"));
        let by_ours = Claim::new("growth", "1", chosen, 2.0).refutes("none", Proof::ClosedForm, "it grows");
        assert!(by_ours.refutes_by_ours() && !order(1.04).refutes_by_ours());
    }

    #[test]
    fn what_proves_nothing_about_the_source_says_so() {
        let claim = || Claim::new("growth", "1", at_most(1.0, Origin::Source), 0.5);
        assert_eq!(claim().not_reproduced("unstable", "two formulations").verdict(), Verdict::NotReproduced);
        assert_eq!(claim().undetermined("slope 1", "the geometry").verdict(), Verdict::NotDetermined);
        assert_eq!(claim().ours_fails("completes", "Newton's method diverges").verdict(), Verdict::OursFails);
        let recorded = Expected::Recorded { value: 0.5, tolerance: 1e-9 };
        assert_eq!(Claim::new("growth", "1", recorded, 0.5).verdict(), Verdict::AsRecorded);
        let bound = Claim::new("growth", "1", at_most(1.0, Origin::Recorded), 0.5).in_words("little");
        assert_eq!(bound.verdict(), Verdict::AsRecorded);
        assert_eq!(
            Claim::new("growth", "1", at_most(0.1, Origin::Source), 0.5).not_reproduced("", "").verdict(),
            Verdict::Outside
        );
    }

    #[test]
    fn a_breakdown_meets_only_the_expectation_to_fail() {
        let broken = Measured::Breakdown("did not converge at t = 0.3 s".into());
        assert_eq!(Claim::new("α = 0", "1", Expected::Fails, broken.clone()).verdict(), Verdict::Agrees);
        assert_eq!(Claim::new("α = 0", "1", at_most(1.0, Origin::Source), broken).verdict(), Verdict::Outside);
        assert_eq!(Claim::new("α = 0", "1", Expected::Fails, 1.0).verdict(), Verdict::Outside);
    }

    #[test]
    fn words_and_gaps_have_verdicts_of_their_own() {
        let trend = Claim::new("slope", "1", at_least(0.5, Origin::Source), 1.0).in_words("grows");
        assert_eq!(trend.verdict(), Verdict::Ordering);
        assert_eq!(Claim::missing("Fig. 7", "the torque curve").verdict(), Verdict::NotDetermined);
        assert_eq!(Claim::new("time", "s", Expected::Reported("of this machine"), 3.0).verdict(), Verdict::Reported);
    }

    #[test]
    fn what_allows_more_than_a_hundred_times_what_was_measured_says_why() {
        let rounding = Origin::Rounding("of a sum of ten terms");
        let bound = |bound, measured| Claim::new("residual", "1", at_most(bound, rounding), measured);
        assert!(!bound(1e-14, 1e-15).is_unexplained());
        assert!(bound(1e-9, 1e-15).is_unexplained());
        assert!(!bound(1e-9, 1e-15).because("the step control leaves it anywhere below").is_unexplained());
        // Exactly zero counts as the rounding of one.
        assert!(!bound(1e-14, 0.0).is_unexplained());
        assert!(bound(1e-12, 0.0).is_unexplained());
        let chosen = at_most(1.0, Origin::Chosen("what the eye sees in the figure"));
        assert!(!Claim::new("difference", "1", chosen, 1e-6).is_unexplained());
        let theory = |measured| Claim::new("period", "s", Expected::Theory { value: 1e3, tolerance: 1e-11 }, measured);
        assert!(!theory(1e3).is_unexplained());
        let theory = |measured| Claim::new("period", "s", Expected::Theory { value: 1e3, tolerance: 0.1 }, measured);
        assert!(theory(1000.0005).is_unexplained());
        assert!(!theory(1000.05).is_unexplained());
        // Lower bounds, and bounds of a sign.
        let least = |bound| Claim::new("ratio", "1", at_least(bound, Origin::Theory("of ratios")), 500.0);
        assert!(least(1.0).is_unexplained() && !least(10.0).is_unexplained() && !least(0.0).is_unexplained());
    }

    #[test]
    fn what_is_used_of_an_allowance_is_one_at_its_border() {
        let used = |expected, measured: f64| Claim::new("", "1", expected, measured).used();
        assert_eq!(used(Expected::Theory { value: 2.0, tolerance: 0.5 }, 1.5), Some(1.0));
        for bound in [0.25, -0.25] {
            assert_eq!(used(at_most(bound, Origin::Source), bound), Some(1.0));
            assert_eq!(used(at_least(bound, Origin::Source), bound), Some(1.0));
        }
        assert_eq!(used(at_most(0.25, Origin::Source), 0.125), Some(0.5));
        assert_eq!(used(at_least(0.25, Origin::Source), 0.5), Some(0.5));
        assert_eq!(used(at_least(0.0, Origin::Source), 0.5), None);
    }
}
