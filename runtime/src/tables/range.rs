//! The values that a parameter of a scheme may have.

use core::fmt;
use core::ops::{Bound, RangeBounds};

#[cfg(not(feature = "std"))]
use crate::prelude::*;

/// An interval, or equally spaced values in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lowest value, and whether it belongs to the range.
    pub lowest: Bound<f64>,
    /// Highest value, and whether it belongs to the range.
    pub highest: Bound<f64>,
    /// Where only multiples of a number are values, that number.
    pub step: Option<f64>,
}

impl Range {
    /// Positive and finite.
    pub const POSITIVE: Self =
        Self { lowest: Bound::Excluded(0.0), highest: Bound::Excluded(f64::INFINITY), step: None };

    /// Both ends belong to it.
    pub const fn closed(lowest: f64, highest: f64) -> Self {
        Self { lowest: Bound::Included(lowest), highest: Bound::Included(highest), step: None }
    }

    /// The multiples of this number in it.
    pub const fn in_steps_of(self, step: f64) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Whether the range contains this value.
    ///
    /// # Examples
    /// ```
    /// use hamel::tables::Range;
    ///
    /// let tenths = Range::closed(0.0, 1.0).in_steps_of(0.1);
    /// assert!(tenths.contains(0.3) && !tenths.contains(0.35) && !tenths.contains(1.1));
    /// assert_eq!(tenths.to_string(), "[0, 1] in steps of 0.1");
    /// ```
    pub fn contains(&self, value: f64) -> bool {
        // A decimal such as 0.3 is not an exact multiple of 0.1 in binary.
        let is_multiple = |step: f64| (value / step - (value / step).round()).abs() < 1e-12;
        (self.lowest, self.highest).contains(&value) && self.step.is_none_or(is_multiple)
    }
}

/// As in `[0, 1]` and `(0, ∞)`.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.lowest {
            Bound::Included(value) => write!(f, "[{}, ", short(value))?,
            Bound::Excluded(value) => write!(f, "({}, ", short(value))?,
            Bound::Unbounded => f.write_str("(-∞, ")?,
        }
        match self.highest {
            Bound::Included(value) => write!(f, "{}]", short(value))?,
            Bound::Excluded(value) if value < f64::INFINITY => write!(f, "{})", short(value))?,
            Bound::Excluded(_) | Bound::Unbounded => f.write_str("∞)")?,
        }
        self.step.map_or(Ok(()), |step| write!(f, " in steps of {step}"))
    }
}

/// Four decimals at most.
fn short(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
