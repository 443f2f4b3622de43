//! What a check has found.

use std::fmt;

use hamel_report::number::readable;

/// A number of a motion beside what is known of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What the number is.
    pub what: String,
    /// SI unit, empty where it has none.
    pub unit: &'static str,
    /// What the motion has.
    pub found: f64,
    /// What is known.
    pub known: Known,
}

/// What is known of a number.
#[derive(Clone, Copy, Debug)]
pub enum Known {
    /// The number, within a tolerance.
    Near(f64, f64),
    /// Its size at most.
    Small(f64),
    /// Two bounds.
    Between(f64, f64),
}

impl Finding {
    /// A number that is known within a tolerance.
    pub fn near(what: impl Into<String>, unit: &'static str, found: f64, expected: f64, tolerance: f64) -> Finding {
        Finding { what: what.into(), unit, found, known: Known::Near(expected, tolerance) }
    }

    /// A deviation of which only the size counts.
    pub fn small(what: impl Into<String>, unit: &'static str, found: f64, most: f64) -> Finding {
        Finding { what: what.into(), unit, found, known: Known::Small(most) }
    }

    /// A number between two bounds.
    pub fn between(what: impl Into<String>, unit: &'static str, found: f64, [low, high]: [f64; 2]) -> Finding {
        Finding { what: what.into(), unit, found, known: Known::Between(low, high) }
    }

    /// Whether it is as known; a number that is none is not.
    pub fn holds(&self) -> bool {
        match self.known {
            Known::Near(expected, tolerance) => (self.found - expected).abs() <= tolerance,
            Known::Small(most) => self.found.abs() <= most,
            Known::Between(low, high) => (low..=high).contains(&self.found),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let number = |value: f64, digits: usize| {
            let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
            format!("{}{unit}", readable(value, digits))
        };
        write!(f, "{}: ", self.what)?;
        match self.known {
            Known::Near(expected, 0.0) => write!(f, "{}, known {}", self.found, expected),
            Known::Near(expected, tolerance) => {
                let digits = digits(expected, tolerance);
                let apart = (self.found - expected).abs();
                let (found, expected) = (number(self.found, digits), number(expected, digits));
                write!(f, "{found}, known {expected}: off by {}, at most {}", number(apart, 2), number(tolerance, 2))
            }
            Known::Small(most) => write!(f, "{}, at most {}", number(self.found.abs(), 2), number(most, 2)),
            Known::Between(low, high) => {
                write!(f, "{}, between {} and {}", number(self.found, 3), readable(low, 3), number(high, 3))
            }
        }
    }
}

/// Enough digits to see a difference of a tenth of the tolerance.
fn digits(value: f64, tolerance: f64) -> usize {
    let digits = (value.abs() / tolerance).log10().ceil() + 1.0;
    if digits.is_finite() { digits.clamp(3.0, 12.0) as usize } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::Finding;

    #[test]
    fn a_finding_holds_within_its_tolerance_alone() {
        assert!(Finding::near("period", "s", 2.0049, 2.0, 0.005).holds());
        assert!(!Finding::near("period", "s", 2.0051, 2.0, 0.005).holds());
        assert!(!Finding::small("deviation", "m", f64::NAN, 1.0).holds());
        assert!(Finding::between("ratio", "", 0.9, [0.5, 1.0]).holds());
        assert_eq!(
            Finding::near("period", "s", 2.00491, 2.0, 0.005).to_string(),
            "period: 2.005 s, known 2.000 s: off by 4.9·10⁻³ s, at most 5.0·10⁻³ s"
        );
    }
}
