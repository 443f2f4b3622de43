//! Numbers for readers: few digits, powers of ten as superscripts.

/// `value` with `digits` significant digits; very large and very small numbers as `1.2·10⁻⁵`.
pub fn readable(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "undefined".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{:.*e}", digits.saturating_sub(1), value.abs());
    let sign = if value < 0.0 { "−" } else { "" };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-2..6).contains(&exponent) {
        let decimals = i32::try_from(digits).unwrap_or(i32::MAX).saturating_sub(1 + exponent).max(0);
        format!("{sign}{:.*}", usize::try_from(decimals).unwrap_or(0), value.abs())
    } else if mantissa == "1" {
        format!("{sign}{}", power_of_ten(exponent))
    } else {
        format!("{sign}{mantissa}·{}", power_of_ten(exponent))
    }
}

/// The fewest digits, up to `most`, that show `value` without loss.
pub fn exact_digits(value: f64, most: usize) -> usize {
    let shows = |&digits: &usize| {
        let shown: f64 = format!("{:.*e}", digits - 1, value).parse().unwrap_or(f64::NAN);
        (shown - value).abs() <= 1e-9 * value.abs()
    };
    (1..most).find(shows).unwrap_or(most)
}

/// `10⁻³` for −3.
pub fn power_of_ten(exponent: i32) -> String {
    let superscript = |digit: char| match digit {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_significant_digits() {
        for (value, digits, text) in [
            (0.0, 3, "0"),
            (-4.61538, 4, "−4.615"),
            (150.0, 3, "150"),
            (0.0123, 2, "0.012"),
            (2.0e-5, 3, "2.00·10⁻⁵"),
            (1.0e-3, 1, "10⁻³"),
            (1.0e-5, 2, "1.0·10⁻⁵"),
            (-1.5e9, 2, "−1.5·10⁹"),
            (9.9999, 3, "10.0"),
        ] {
            assert_eq!(readable(value, digits), text);
        }
        for (value, digits) in [(1e-3, 1), (2.5e-4, 2), (0.1 / 1600.0, 3), (0.0, 1), (1.0 / 3.0, 4)] {
            assert_eq!(exact_digits(value, 4), digits, "{value}");
        }
        assert_eq!(power_of_ten(-45), "10⁻⁴⁵");
    }
}
