//! Numbers with the digits they were written with, and angles that are quarter turns.

use std::f64::consts::FRAC_PI_2;

/// Most right angles of an angle: doubles beyond have too few decimals to tell multiples of a right angle from others.
const MOST_TURNS: f64 = 1e6;

/// A number as written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Number {
    /// Its digits, as a literal of the language without sign.
    digits: String,
    pub(crate) value: f64,
}

impl Number {
    /// Reads a number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let digits = text.trim_start_matches(['+', '-']);
        let digits = if digits.starts_with('.') { format!("0{digits}") } else { digits.to_owned() };
        // `1.e3` is no literal.
        let digits = match digits.split_once(".e").or_else(|| digits.split_once(".E")) {
            Some((integer, exponent)) => format!("{integer}e{exponent}"),
            None => digits.trim_end_matches('.').to_owned(),
        };
        Some(Self { digits, value })
    }

    /// A finite number that was computed, in the shortest digits that mean it.
    pub(crate) fn computed(value: f64) -> Self {
        Self { digits: format!("{:?}", value.abs()), value }
    }

    /// A whole number.
    pub(crate) fn whole(value: i32) -> Self {
        Self { digits: value.unsigned_abs().to_string(), value: f64::from(value) }
    }

    /// Zero.
    pub(crate) fn zero() -> Self {
        Self::whole(0)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.value == 0.0
    }

    /// As a literal of the language; zero has no sign.
    pub(crate) fn literal(&self) -> String {
        self.signed(self.value)
    }

    /// The literal of the number with its sign changed.
    pub(crate) fn negated(&self) -> String {
        self.signed(-self.value)
    }

    fn signed(&self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}{}", self.digits)
    }

    /// As an angle in radians.
    ///
    /// A number whose digits, four decimals at least, are those of a multiple of a right angle is taken for it: sines
    /// and cosines are then exact, and what they multiply needs no operations. Where angles are `exact`, only those are
    /// that mean a right angle to the last digit of a double.
    pub(crate) fn angle(&self, exact: bool) -> Angle {
        let turns = (self.value / FRAC_PI_2).round();
        let distance = (self.value - turns * FRAC_PI_2).abs();
        let is_exact = distance <= f64::EPSILON * self.value.abs();
        let decimals = match self.digits.split_once('.') {
            Some((_, decimals)) if decimals.bytes().all(|digit| digit.is_ascii_digit()) => decimals.len(),
            _ => 0,
        };
        let is_rounded = !exact && decimals >= 4 && distance < 10_f64.powi(-(decimals.min(15) as i32));
        if turns != 0.0 && turns.abs() <= MOST_TURNS && (is_exact || is_rounded) {
            let sin_cos = match turns.rem_euclid(4.0) {
                1.0 => (1.0, 0.0),
                2.0 => (0.0, -1.0),
                3.0 => (-1.0, 0.0),
                _ => (0.0, 1.0),
            };
            let is_as_written = is_exact;
            Angle {
                written: self.clone(),
                text: format!("{} deg", 90.0 * turns),
                is_as_written,
                is_quarter_turn: true,
                sin_cos,
            }
        } else {
            let (text, sin_cos) = (format!("{} rad", self.literal()), self.value.sin_cos());
            Angle {
                written: self.clone(),
                text,
                is_as_written: true,
                is_quarter_turn: turns == 0.0 && self.is_zero(),
                sin_cos,
            }
        }
    }
}

/// An angle in the language.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Angle {
    pub(crate) written: Number,
    /// With its unit.
    pub(crate) text: String,
    /// Whether it is the number that was written, to the last digit of a double.
    pub(crate) is_as_written: bool,
    /// Whether it is a multiple of a right angle, zero included.
    pub(crate) is_quarter_turn: bool,
    pub(crate) sin_cos: (f64, f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).expect(text)
    }

    #[test]
    fn digits_are_kept_and_become_literals() {
        let literals = ["0.10", "1e-06", "-9e-05", "+.5", "-0.0", "1.", "2.e3", "0.020000000000000004"];
        let expected = ["0.10", "1e-06", "-9e-05", "0.5", "0.0", "1", "2e3", "0.020000000000000004"];
        assert_eq!(literals.map(|text| number(text).literal()), expected);
        assert_eq!(number("-0.3").negated(), "0.3");
        for text in ["", "x", "inf", "nan", "1e999", "0x10", "1f", "${pi}"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn quarter_turns_are_recognised_by_their_digits() {
        for (text, angle, is_as_written) in [
            ("1.5707963267948966", "90 deg", true),
            ("-3.141592653589793", "-180 deg", true),
            ("1.5708", "90 deg", false),
            ("1.5707", "90 deg", false),
            ("-1.570796", "-90 deg", false),
            ("1.571", "1.571 rad", true),
            ("1.5709", "1.5709 rad", true),
            ("0.7853981633974483", "0.7853981633974483 rad", true),
            ("0.0001", "0.0001 rad", true),
            ("1e16", "1e16 rad", true),
            ("-1e308", "-1e308 rad", true),
        ] {
            let found = number(text).angle(false);
            assert_eq!((found.text.as_str(), found.is_as_written), (angle, is_as_written), "{text}");
            let exact = number(text).angle(true);
            let as_written = if is_as_written { angle.to_owned() } else { format!("{text} rad") };
            assert_eq!((exact.text, exact.is_as_written), (as_written, true), "{text}");
            assert!((exact.sin_cos.0 - number(text).value.sin()).abs() < 1e-15 * number(text).value.abs().max(1.0));
        }
    }
}
