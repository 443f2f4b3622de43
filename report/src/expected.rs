//! What is expected of a measured number, and where that comes from.

use serde::{Deserialize, Deserializer, Serialize};

/// Text with static lifetime. Text that is read back from a file is leaked.
pub type Fixed = &'static str;

/// Reads such text back.
pub(crate) fn fixed<'de, D: Deserializer<'de>>(source: D) -> Result<Fixed, D::Error> {
    String::deserialize(source).map(|text| &*text.leak())
}

/// Where a bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The source states it, as a number or in words that leave no choice, such as a sign or "less than".
    Source,
    /// It follows from theory; from what.
    Theory(#[serde(deserialize_with = "fixed")] Fixed),
    /// An independent computation found it; which.
    Independent(#[serde(deserialize_with = "fixed")] Fixed),
    /// It is what rounding leaves; of what.
    Rounding(#[serde(deserialize_with = "fixed")] Fixed),
    /// An earlier run of ours found it.
    Recorded,
    /// We chose it; why.
    Chosen(#[serde(deserialize_with = "fixed")] Fixed),
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
    AtMost(f64, Origin),
    /// A lower bound.
    AtLeast(f64, Origin),
    /// The scheme must break down.
    Fails,
    /// Reported, never judged; why not.
    Reported(#[serde(deserialize_with = "fixed")] Fixed),
    /// The source does not say enough to repeat this result.
    Missing(#[serde(deserialize_with = "fixed")] Fixed),
}

/// Why tolerances of orders of convergence are wider than what is measured.
pub const WHOLE_ORDERS: &str = "An order is a whole number. Those of finite steps are off by a multiple of the step, \
    which is not estimated; the tolerance keeps neighbours apart.";

/// Why tolerances of printed numbers are not narrowed.
const DIGITS: &str = "Half a unit of the last printed digit.";
/// Why bounds that a source states are not narrowed.
const STATED: &str = "The source states this bound.";

/// Why computing times are not judged.
pub const TIMES: &str = "A time depends on the machine and on what else it does.";

/// A printed number, every digit of it.
pub fn printed(text: Fixed) -> Expected {
    Expected::Printed { text, tolerance: half_unit_in_last_place(text) }
}

/// The result of an independent computation that was recorded with these digits.
pub fn independent(text: &str) -> Expected {
    Expected::Reference { value: text.parse().unwrap_or(f64::NAN), tolerance: half_unit_in_last_place(text) }
}

/// An upper bound and where it comes from.
pub fn at_most(bound: f64, origin: Origin) -> Expected {
    Expected::AtMost(bound, origin)
}

/// A lower bound and where it comes from.
pub fn at_least(bound: f64, origin: Origin) -> Expected {
    Expected::AtLeast(bound, origin)
}

impl Origin {
    /// The origin in a word or two.
    pub fn label(self) -> &'static str {
        match self {
            Origin::Source => "source",
            Origin::Theory(_) => "theory",
            Origin::Independent(_) => "independent",
            Origin::Rounding(_) => "rounding",
            Origin::Recorded => "recorded",
            Origin::Chosen(_) => "chosen",
        }
    }

    /// What theory, which computation, rounding of what, or why it was chosen.
    pub fn detail(self) -> Option<Fixed> {
        match self {
            Origin::Theory(text) | Origin::Independent(text) | Origin::Rounding(text) | Origin::Chosen(text) => {
                Some(text)
            }
            Origin::Source | Origin::Recorded => None,
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
            Expected::AtMost(bound, _) | Expected::AtLeast(bound, _) => Some(bound),
            Expected::Fails | Expected::Reported(_) | Expected::Missing(_) => None,
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

    /// Where the number comes from, in a word or two.
    pub fn origin_label(&self) -> &'static str {
        match self {
            Expected::Printed { .. } => "printed",
            Expected::Theory { .. } => "theory",
            Expected::Order { .. } => "order",
            Expected::Reference { .. } => "independent",
            Expected::Recorded { .. } => "recorded",
            Expected::AtMost(_, origin) | Expected::AtLeast(_, origin) => origin.label(),
            Expected::Fails => "breakdown",
            Expected::Reported(_) => "not judged",
            Expected::Missing(_) => "missing",
        }
    }

    /// What the origin is, where a word does not say it.
    pub fn origin_detail(&self) -> Option<Fixed> {
        match self {
            Expected::AtMost(_, origin) | Expected::AtLeast(_, origin) => origin.detail(),
            Expected::Reported(why) | Expected::Missing(why) => Some(why),
            _ => None,
        }
    }

    /// Why it allows what it allows, where the kind of expectation says so.
    pub(crate) fn reason(&self) -> Option<Fixed> {
        match *self {
            Expected::Order { .. } => Some(WHOLE_ORDERS),
            Expected::Printed { text, tolerance } if tolerance <= half_unit_in_last_place(text) => Some(DIGITS),
            Expected::AtMost(_, Origin::Chosen(why)) | Expected::AtLeast(_, Origin::Chosen(why)) => Some(why),
            Expected::AtMost(_, Origin::Source) | Expected::AtLeast(_, Origin::Source) => Some(STATED),
            _ => None,
        }
    }
}

/// Half a unit of the last digit of a printed decimal number such as `-4.61538` or `1.0e-3`.
pub(crate) fn half_unit_in_last_place(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exponent = exponent.parse::<i32>().unwrap_or(0) - i32::try_from(decimals).unwrap_or(0);
    0.5 * 10f64.powi(exponent) * (1.0 + 1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_unit_follows_mantissa_and_exponent() {
        for (text, half) in [("150", 0.5), ("0.234375", 5e-7), ("1.0e-3", 5e-5), ("-2.50E2", 0.5)] {
            assert!((half_unit_in_last_place(text) / half - 1.0).abs() < 1e-9, "{text}");
        }
    }
}
