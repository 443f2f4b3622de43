//! Exact constants.
//!
//! Constants stay exact rationals until code is emitted, because equality of expressions is decided exactly: constants
//! folded in floating point would make equal expressions look different.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::DoubleDouble;

/// An exact rational number, or an opaque floating-point number where the exact value does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number(Repr);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Repr {
    /// In lowest terms, with a positive denominator.
    Ratio { numerator: i128, denominator: i128 },
    /// The bits of a value that no such ratio represents.
    Float(u64),
}

impl Number {
    /// The number 0.
    pub(crate) const ZERO: Number = Number(Repr::Ratio { numerator: 0, denominator: 1 });
    /// The number 1.
    pub(crate) const ONE: Number = Number(Repr::Ratio { numerator: 1, denominator: 1 });

    /// The number 0.
    pub fn zero() -> Number {
        Number::ZERO
    }

    /// The number 1.
    pub fn one() -> Number {
        Number::ONE
    }

    /// `numerator / denominator` in lowest terms; opaque if the denominator is zero or the reduced ratio does not fit.
    pub fn ratio(numerator: i128, denominator: i128) -> Number {
        Number::exact_ratio(numerator, denominator)
            .unwrap_or_else(|| Number::opaque(numerator as f64 / denominator as f64))
    }

    /// The exact value of `value` where it fits, else opaque.
    pub fn from_f64(value: f64) -> Number {
        Number::dyadic(value).unwrap_or_else(|| Number::opaque(value))
    }

    /// Reads a decimal literal such as `0.153`, `1_000` or `1e-3` exactly.
    ///
    /// A literal whose exact value does not fit becomes the nearest `f64`. One that exceeds every `f64`, and anything else
    /// than a literal, gives `None`.
    pub(crate) fn parse_decimal(text: &str) -> Option<Number> {
        let literal: String = text.chars().filter(|&c| c != '_').collect();
        if !is_decimal_literal(&literal) {
            return None;
        }
        let nearest = || literal.parse().ok().filter(|value: &f64| value.is_finite()).map(Number::from_f64);
        exact_decimal(&literal).or_else(nearest)
    }

    /// The nearest `f64`, up to one rounding of the quotient.
    pub(crate) fn to_f64(self) -> f64 {
        match self.0 {
            Repr::Ratio { numerator, denominator } => {
                const EXACT: u128 = 1 << 53;
                if numerator.unsigned_abs() <= EXACT && denominator.unsigned_abs() <= EXACT {
                    numerator as f64 / denominator as f64
                } else {
                    DoubleDouble::ratio(numerator, denominator).to_f64()
                }
            }
            Repr::Float(bits) => f64::from_bits(bits),
        }
    }

    /// Numerator and denominator of an exact number.
    pub fn as_ratio(self) -> Option<(i128, i128)> {
        match self.0 {
            Repr::Ratio { numerator, denominator } => Some((numerator, denominator)),
            Repr::Float(_) => None,
        }
    }

    /// The value of an exact integer.
    pub(crate) fn as_integer(self) -> Option<i128> {
        self.as_ratio().filter(|&(_, denominator)| denominator == 1).map(|(numerator, _)| numerator)
    }

    /// Whether the number is exact.
    pub fn is_exact(self) -> bool {
        self.as_ratio().is_some()
    }

    /// Whether the number is 0.
    pub fn is_zero(self) -> bool {
        self == Number::ZERO
    }

    /// Whether the number is 1.
    pub(crate) fn is_one(self) -> bool {
        self == Number::ONE
    }

    /// Whether the number is less than 0.
    pub(crate) fn is_negative(self) -> bool {
        match self.0 {
            Repr::Ratio { numerator, .. } => numerator < 0,
            Repr::Float(bits) => f64::from_bits(bits) < 0.0,
        }
    }

    /// Whether the number is ±2ⁿ, so that dividing by it and multiplying by its reciprocal round alike.
    pub(crate) fn is_power_of_two(self) -> bool {
        self.as_ratio().is_some_and(|(numerator, denominator)| {
            numerator.unsigned_abs().is_power_of_two() && denominator.unsigned_abs().is_power_of_two()
        })
    }

    /// The absolute value.
    pub fn abs(self) -> Number {
        if self.is_negative() { -self } else { self }
    }

    /// The exact sum, if both are exact and it fits.
    pub(crate) fn checked_add(self, other: Number) -> Option<Number> {
        let ((a, b), (c, d)) = (self.as_ratio()?, other.as_ratio()?);
        if b == d {
            return Number::exact_ratio(a.checked_add(c)?, b);
        }
        let common = gcd(b.unsigned_abs(), d.unsigned_abs()) as i128;
        let (b_part, d_part) = (b / common, d / common);
        let numerator = a.checked_mul(d_part)?.checked_add(c.checked_mul(b_part)?)?;
        Number::exact_ratio(numerator, b.checked_mul(d_part)?)
    }

    /// The exact difference, if both are exact and it fits.
    pub fn checked_sub(self, other: Number) -> Option<Number> {
        self.checked_add(other.checked_neg()?)
    }

    /// The exact product, if both are exact and it fits.
    pub(crate) fn checked_mul(self, other: Number) -> Option<Number> {
        let ((a, b), (c, d)) = (self.as_ratio()?, other.as_ratio()?);
        if b == 1 && d == 1 {
            return Some(Number(Repr::Ratio { numerator: a.checked_mul(c)?, denominator: 1 }));
        }
        // Cancelling crosswise first keeps the products as small as possible.
        let (left, right) = (gcd(a.unsigned_abs(), d.unsigned_abs()), gcd(c.unsigned_abs(), b.unsigned_abs()));
        let (left, right) = (i128::try_from(left).ok()?, i128::try_from(right).ok()?);
        // What is left has no common factors, and denominators are positive.
        let numerator = (a / left).checked_mul(c / right)?;
        Some(Number(Repr::Ratio { numerator, denominator: (b / right).checked_mul(d / left)? }))
    }

    /// The exact quotient, if both are exact, the divisor is not zero, and it fits.
    pub(crate) fn checked_div(self, other: Number) -> Option<Number> {
        let (c, d) = other.as_ratio()?;
        self.checked_mul(Number::exact_ratio(d, c)?)
    }

    /// The exact negative, if the number is exact and it fits.
    pub(crate) fn checked_neg(self) -> Option<Number> {
        let (numerator, denominator) = self.as_ratio()?;
        Some(Number(Repr::Ratio { numerator: numerator.checked_neg()?, denominator }))
    }

    /// The square root, if it is rational.
    pub(crate) fn exact_sqrt(self) -> Option<Number> {
        let (numerator, denominator) = self.as_ratio()?;
        let root = |square: i128| {
            let root = u128::try_from(square).ok()?.isqrt() as i128;
            (root * root == square).then_some(root)
        };
        Some(Number(Repr::Ratio { numerator: root(numerator)?, denominator: root(denominator)? }))
    }

    fn opaque(value: f64) -> Number {
        Number(Repr::Float(value.to_bits()))
    }

    fn exact_ratio(numerator: i128, denominator: i128) -> Option<Number> {
        if denominator == 1 {
            return Some(Number(Repr::Ratio { numerator, denominator }));
        }
        if denominator == 0 {
            return None;
        }
        let common = i128::try_from(gcd(numerator.unsigned_abs(), denominator.unsigned_abs())).ok()?;
        let (numerator, denominator) = (numerator / common, denominator / common);
        let (numerator, denominator) = if denominator < 0 {
            (numerator.checked_neg()?, denominator.checked_neg()?)
        } else {
            (numerator, denominator)
        };
        Some(Number(Repr::Ratio { numerator, denominator }))
    }

    /// Every finite `f64` is an integer times a power of two.
    fn dyadic(value: f64) -> Option<Number> {
        const MANTISSA_BITS: i32 = 52;
        if !value.is_finite() {
            return None;
        }
        if value == 0.0 {
            return Some(Number::ZERO);
        }
        let bits = value.to_bits();
        let biased = ((bits >> MANTISSA_BITS) & 0x7ff) as i32;
        let fraction = (bits & ((1 << MANTISSA_BITS) - 1)) as i128;
        let (mantissa, exponent) = if biased == 0 {
            (fraction, 1 - 1023 - MANTISSA_BITS)
        } else {
            (fraction | (1 << MANTISSA_BITS), biased - 1023 - MANTISSA_BITS)
        };
        let trailing = mantissa.trailing_zeros() as i32;
        let (mantissa, exponent) = (mantissa >> trailing, exponent + trailing);
        let mantissa = if value < 0.0 { -mantissa } else { mantissa };
        match exponent {
            0..=73 => Some(Number(Repr::Ratio { numerator: mantissa << exponent, denominator: 1 })),
            -126..=-1 => Some(Number(Repr::Ratio { numerator: mantissa, denominator: 1 << -exponent })),
            _ => None,
        }
    }
}

/// Sums, differences and products are exact where they fit and round to an opaque `f64` where they do not.
macro_rules! rounding_operator {
    ($operator:ident, $method:ident, $checked:ident, $symbol:tt) => {
        impl $operator for Number {
            type Output = Number;
            fn $method(self, other: Number) -> Number {
                self.$checked(other).unwrap_or_else(|| Number::from_f64(self.to_f64() $symbol other.to_f64()))
            }
        }
    };
}
rounding_operator!(Add, add, checked_add, +);
rounding_operator!(Sub, sub, checked_sub, -);
rounding_operator!(Mul, mul, checked_mul, *);

impl Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        self.checked_neg().unwrap_or_else(|| Number::opaque(-self.to_f64()))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number(Repr::Ratio { numerator: i128::from(value), denominator: 1 })
    }
}

/// By value; numbers that round to the same `f64` are ordered by their parts, so that the order is total.
impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        self.to_f64().total_cmp(&other.to_f64()).then(self.0.cmp(&other.0))
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An integer, a short decimal if the number has one, a fraction with a small denominator, else the nearest `f64`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Ratio { numerator, denominator: 1 } => write!(f, "{numerator}"),
            Repr::Ratio { numerator, denominator } => match decimal_digits(numerator, denominator) {
                Some((digits, places)) => write_decimal(f, digits, places),
                None if denominator > LARGEST_FRACTION => write!(f, "{:?}", self.to_f64()),
                None => write!(f, "{numerator}/{denominator}"),
            },
            Repr::Float(bits) => write!(f, "{:?}", f64::from_bits(bits)),
        }
    }
}

/// Fractions with larger denominators are not read as such.
const LARGEST_FRACTION: i128 = 1 << 20;

/// The digits and the number of decimal places of a terminating decimal of at most twelve places.
fn decimal_digits(numerator: i128, denominator: i128) -> Option<(i128, usize)> {
    (1..=12).find_map(|places| {
        let scale = 10_i128.pow(places as u32);
        (scale % denominator == 0).then(|| Some((numerator.checked_mul(scale / denominator)?, places)))?
    })
}

fn write_decimal(f: &mut fmt::Formatter<'_>, digits: i128, places: usize) -> fmt::Result {
    let scale = 10_u128.pow(places as u32);
    let sign = if digits < 0 { "-" } else { "" };
    let magnitude = digits.unsigned_abs();
    write!(f, "{sign}{}.{:0places$}", magnitude / scale, magnitude % scale)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        // Most numbers are small, and division of 64-bit numbers is many times faster.
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd_u64(x, y));
        }
        (a, b) = (b, a % b);
    }
    a.max(1)
}

fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// Digits with at most one point and an optional exponent, as in Rust literals; a leading minus is accepted.
fn is_decimal_literal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let exponent_is_valid = exponent.is_none_or(|part| {
        let part = part.strip_prefix(['+', '-']).unwrap_or(part);
        !part.is_empty() && digits(part)
    });
    !(whole.is_empty() && fraction.is_empty()) && digits(whole) && digits(fraction) && exponent_is_valid
}

fn exact_decimal(literal: &str) -> Option<Number> {
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let shift = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let scale = 10_i128.checked_pow(shift.unsigned_abs())?;
    if shift >= 0 { Some(Number::ratio(digits.checked_mul(scale)?, 1)) } else { Number::exact_ratio(digits, scale) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(Number::parse_decimal("0.153"), Some(Number::ratio(153, 1000)));
        assert_eq!(Number::parse_decimal("1e-3"), Some(Number::ratio(1, 1000)));
        assert_eq!(Number::parse_decimal("-2.50E1"), Some(Number::from(-25)));
        assert_eq!(Number::parse_decimal("1_000."), Some(Number::from(1000)));
        assert_eq!(Number::parse_decimal(".5"), Some(Number::ratio(1, 2)));
        for text in ["", ".", "1.2.3", "1e", "e5", "0x10", "1.0f64", "+1", "--1", "inf", "1e400"] {
            assert_eq!(Number::parse_decimal(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_opaque_but_keeps_its_value() {
        let tiny = Number::parse_decimal("1e-60").expect("a literal");
        assert!(!tiny.is_exact());
        assert_eq!(tiny.to_f64(), 1e-60);
        let huge = Number::ratio(i128::MAX, 1);
        assert_eq!(huge.checked_add(huge), None);
        assert_eq!((huge + huge).to_f64(), 2.0 * i128::MAX as f64);
    }

    #[test]
    fn prints_decimals_and_fractions() {
        assert_eq!(Number::ratio(-3, 2).to_string(), "-1.5");
        assert_eq!(Number::ratio(1, 3).to_string(), "1/3");
        assert_eq!(Number::from(12).to_string(), "12");
    }

    proptest! {
        #[test]
        fn arithmetic_is_exact(a in -999i64..999, b in 1i64..999, c in -999i64..999, d in 1i64..999) {
            let (x, y) = (Number::ratio(a.into(), b.into()), Number::ratio(c.into(), d.into()));
            let wide = |n: i64| i128::from(n);
            prop_assert_eq!(x + y, Number::ratio(wide(a * d + c * b), wide(b * d)));
            prop_assert_eq!(x - y, Number::ratio(wide(a * d - c * b), wide(b * d)));
            prop_assert_eq!(x * y, Number::ratio(wide(a * c), wide(b * d)));
            prop_assert_eq!((x * y).checked_div(y), if c == 0 { None } else { Some(x) });
            prop_assert_eq!(x.checked_mul(x).and_then(Number::exact_sqrt), Some(x.abs()));
        }

        #[test]
        fn floats_survive(value in proptest::num::f64::NORMAL) {
            prop_assert_eq!(Number::from_f64(value).to_f64(), value);
        }

        #[test]
        fn order_agrees_with_values(a in -99i64..99, b in 1i64..99, c in -99i64..99, d in 1i64..99) {
            let (x, y) = (Number::ratio(a.into(), b.into()), Number::ratio(c.into(), d.into()));
            prop_assert_eq!(x.cmp(&y), (a * d).cmp(&(c * b)));
        }
    }
}
