//! Numbers in messages.

use core::fmt;

/// A number in the fewest digits that read back exactly, with an exponent where it would have many zeros.
pub(crate) struct Digits(pub(crate) f64);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self(value) = self;
        let is_short = *value == 0.0 || !value.is_finite() || (1e-5..1e7).contains(&value.abs());
        if is_short { write!(f, "{value}") } else { write!(f, "{value:e}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let numbers = [0.6, -1.0 / 3.0, 1e150, -1e-300, 0.0, 12_345_678.0, f64::NAN, f64::INFINITY];
        let expected = ["0.6", "-0.3333333333333333", "1e150", "-1e-300", "0", "1.2345678e7", "NaN", "inf"];
        assert_eq!(numbers.map(|number| Digits(number).to_string()), expected);
    }
}
