//! C in single precision: the text of a program in `double` with `float`, for processors that compute with it alone.
//!
//! Types, literals and functions of `math.h` are exchanged, so that nothing is computed in double precision on the way.

/// Functions of `math.h` that programs call.
const FUNCTIONS: [&str; 24] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "pow", "fabs",
    "fmin", "fmax", "floor", "fma", "cbrt", "hypot", "copysign", "expm1", "log1p",
];

/// The same program with `float`; comments stay as they are.
pub(super) fn in_single_precision(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").map_or(rest.len(), |end| end + 4);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let first = rest.chars().next().unwrap_or(' ');
        let len = if first.is_alphabetic() || first == '_' {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        } else if first.is_ascii_digit() {
            number(rest)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(len);
        match token {
            "double" => out.push_str("float"),
            "HUGE_VAL" => out.push_str("HUGE_VALF"),
            "FP_FAST_FMA" => out.push_str("FP_FAST_FMAF"),
            _ => {
                out.push_str(token);
                let is_real = first.is_ascii_digit() && token.contains(['.', 'e', 'E']);
                let is_called = FUNCTIONS.contains(&token) && after.starts_with('(');
                if is_real || is_called {
                    out.push('f');
                }
            }
        }
        rest = after;
    }
    out
}

/// The length of a number, with its exponent.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(&byte) = bytes.get(end) {
        let is_sign = matches!(byte, b'+' | b'-') && matches!(bytes[end.saturating_sub(1)], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || is_sign) {
            break;
        }
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_literals_and_functions_are_exchanged() {
        let given = "const double x1 = 0.5 * sin(q[1]) - 1e-3; /* 2.0 double */ int n = 3; double asin2 = HUGE_VAL;";
        let expected =
            "const float x1 = 0.5f * sinf(q[1]) - 1e-3f; /* 2.0 double */ int n = 3; float asin2 = HUGE_VALF;";
        assert_eq!(in_single_precision(given), expected);
        assert_eq!(in_single_precision("x12 + 1.5e+10/y"), "x12 + 1.5e+10f/y");
    }
}
