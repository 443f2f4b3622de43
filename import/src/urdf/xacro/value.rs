//! Values of xacro: numbers, truths and texts, as Python has them.

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
}

impl Value {
    /// What a text stands for where it is the value of a property or a parameter: a number, a truth, or itself.
    pub(super) fn literal(text: &str) -> Value {
        if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            return Value::Text(inner.to_owned());
        }
        let word = text.trim();
        if text.contains('_') {
            Value::Text(text.to_owned())
        } else if let Ok(number) = word.parse() {
            Value::Int(number)
        } else if let Ok(number) = word.parse() {
            Value::Float(number)
        } else {
            match text {
                "true" | "True" => Value::Bool(true),
                "false" | "False" => Value::Bool(false),
                _ => Value::Text(text.to_owned()),
            }
        }
    }

    /// The same for a text, and any other value as it is.
    pub(super) fn known(self) -> Value {
        match self {
            Value::Text(text) => Value::literal(&text),
            other => other,
        }
    }

    /// As it is written.
    pub(super) fn text(&self) -> String {
        match self {
            Value::Int(number) => number.to_string(),
            Value::Float(number) => written(*number),
            Value::Bool(true) => "True".to_owned(),
            Value::Bool(false) => "False".to_owned(),
            Value::Text(text) => text.clone(),
        }
    }

    /// A number; a truth is 0 or 1.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            Value::Bool(is_true) => Some(f64::from(u8::from(*is_true))),
            Value::Text(_) => None,
        }
    }

    /// A whole number; a truth is 0 or 1.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Bool(is_true) => Some(i64::from(*is_true)),
            _ => None,
        }
    }

    /// Whether it is true within an expression.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Value::Text(text) => !text.is_empty(),
            other => other.number() != Some(0.0),
        }
    }

    /// Whether it is true as the value of an `xacro:if`.
    pub(super) fn condition(&self) -> Result<bool, String> {
        let Value::Text(text) = self else { return Ok(self.is_true()) };
        match text.as_str() {
            "true" | "True" => Ok(true),
            "false" | "False" => Ok(false),
            other => match other.trim().parse::<i64>() {
                Ok(number) => Ok(number != 0),
                Err(_) => Err(format!("expected `true`, `false`, 0 or 1, found `{other}`")),
            },
        }
    }
}

/// The shortest digits that mean a number, as Python writes them.
fn written(number: f64) -> String {
    if !number.is_finite() {
        return format!("{number}").to_lowercase();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let digits = number.to_string();
        return if digits.contains('.') { digits } else { digits + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_python_does() {
        for (number, expected) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-4, "0.0001"),
            (1.5e-5, "1.5e-05"),
            (1e-300, "1e-300"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (-2.5e123, "-2.5e+123"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(written(number), expected);
        }
    }

    #[test]
    fn texts_stand_for_what_python_takes_them_for() {
        for (text, expected) in [
            ("0.10", Value::Float(0.1)),
            (" 7 ", Value::Int(7)),
            ("1e3", Value::Float(1000.0)),
            ("true", Value::Bool(true)),
            ("'5'", Value::Text("5".to_owned())),
            ("1_0", Value::Text("1_0".to_owned())),
            ("a b", Value::Text("a b".to_owned())),
        ] {
            assert_eq!(Value::literal(text), expected, "{text}");
        }
    }
}
