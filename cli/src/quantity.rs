//! Numbers with units in arguments: `--set length=35cm`, `--vary angle=10deg..30deg:21`.

use hamel::trajectory::is_same_unit;

use crate::failure::Failure;

/// What is given to a name, in SI units, and the unit that was written, in base units.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given<T> {
    pub name: String,
    pub value: T,
    unit: Option<String>,
}

impl<T> Given<T> {
    /// Of an argument without a unit.
    pub(crate) fn plain(name: &str, value: T) -> Given<T> {
        Given { name: name.to_owned(), value, unit: None }
    }

    /// Another value of the same name, in the same unit.
    pub(crate) fn with<U>(&self, value: U) -> Given<U> {
        Given { name: self.name.clone(), value, unit: self.unit.clone() }
    }

    /// The unit that was written.
    pub(crate) fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// Refuses a unit other than that of what has this name.
    pub(crate) fn check_unit(&self, option: &str, expected: Option<&str>) -> Result<(), Failure> {
        let (Some(found), Some(expected)) = (&self.unit, expected) else { return Ok(()) };
        if is_same_unit(found, expected) {
            return Ok(());
        }
        let shown = |unit: &str| if unit == "1" { "a pure number or an angle".to_owned() } else { unit.to_owned() };
        let (name, expected, found) = (&self.name, shown(expected), shown(found));
        Err(Failure::Usage(format!("{option} {name}: expected {expected}, found {found}")))
    }
}

/// `NAME=VALUE`, of which the value is read once its numbers are in SI units.
pub(crate) fn given<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Given<T>, String> {
    let (name, value) = crate::runnable::named(text)?;
    let (value, unit) = hamel_jit::in_si(&value).map_err(|error| error.to_string())?;
    Ok(Given { name, value: read(&value)?, unit })
}

/// `NAME=NUMBER`, with a unit or in SI units.
pub(crate) fn number(text: &str) -> Result<Given<f64>, String> {
    given(text, |value| {
        value.parse().map_err(|_| format!("expected a number, in SI units or with its unit, found `{value}`"))
    })
}

/// A time or a length of steps, in seconds or with its unit.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let given = match text.trim().parse() {
        Ok(number) => Some(number),
        Err(_) => {
            hamel_jit::quantity(text.trim()).ok().filter(|(_, unit)| is_same_unit(unit, "s")).map(|(value, _)| value)
        }
    };
    given.ok_or_else(|| "expected seconds, or a time with its unit, as in `0.5` or `20ms`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_need_a_name_and_a_number() {
        assert_eq!(number("mass=2.5"), Ok(Given::plain("mass", 2.5)));
        assert_eq!(number("tip[1] = -1e-3"), Ok(Given::plain("tip[1]", -1e-3)));
        assert_eq!(number("mass=2 t").map(|given| (given.value, given.unit)), Ok((2000.0, Some("kg".to_owned()))));
        assert_eq!(
            ["0.5", "2s", "20 ms", "-1"].map(|text| seconds(text).ok()),
            [Some(0.5), Some(2.0), Some(0.02), Some(-1.0)]
        );
        assert!(seconds("1 m").is_err() && seconds("soon").is_err());
        assert!(number("mass").unwrap_err().contains("NAME=VALUE"));
        assert!(number("mass=heavy").unwrap_err().contains("`heavy`"));
    }
}
