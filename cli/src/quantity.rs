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
    let (value, unit) = in_si(&value)?;
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

/// A text with its numbers in SI units, and the unit that they have.
fn in_si(text: &str) -> Result<(String, Option<String>), String> {
    let (mut converted, mut unit, mut has_plain) = (String::new(), None::<String>, false);
    let (mut rest, mut is_behind_number) = (text, false);
    loop {
        let places = ["..", ",", ":"].iter().filter_map(|separator| Some((rest.find(separator)?, *separator)));
        let next = places.min_by_key(|(place, _)| *place);
        let piece = rest[..next.map_or(rest.len(), |(place, _)| place)].trim();
        let is_number = piece.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
        // How many values there are follows a colon.
        let is_count = is_behind_number && converted.ends_with(':');
        match piece.parse::<f64>() {
            Err(_) if is_number && !is_count => {
                let (value, found) = hamel_jit::quantity(piece).map_err(|error| format!("`{piece}`: {error}"))?;
                converted.push_str(&format!("{value:?}"));
                if let Some(other) = unit.replace(found.clone()).filter(|other| *other != found) {
                    return Err(format!("`{text}`: expected numbers in one unit, found {other} and {found}"));
                }
            }
            number => {
                has_plain |= !is_count && number.is_ok_and(|number| number != 0.0);
                converted.push_str(piece);
            }
        }
        is_behind_number = is_number;
        let Some((place, separator)) = next else { break };
        converted.push_str(separator);
        rest = &rest[place + separator.len()..];
    }
    match unit {
        Some(_) if has_plain => Err(format!("`{text}`: expected a unit of each number, or none in SI units")),
        unit => Ok((converted, unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_units() {
        let read = |text: &str| in_si(text).unwrap();
        let in_unit = |text: &str, unit: &str| (text.to_owned(), Some(unit.to_owned()));
        assert_eq!(read("35cm"), in_unit("0.35", "m"));
        assert_eq!(read("-2.5 kN/mm"), in_unit("-2500000.0", "N/m"));
        assert_eq!(read("0..90deg:7"), in_unit(&format!("0..{:?}:7", std::f64::consts::FRAC_PI_2), "1"));
        assert_eq!(read("log:1mm..1m:4"), in_unit("log:0.001..1.0:4", "m"));
        assert_eq!(read("10mm, 2cm,3 cm"), in_unit("0.01,0.02,0.03", "m"));
        for text in ["1e-3", "log:0.1..10:50", "0.5,1,2", "1..3", "", "heavy", "-.5..inf"] {
            assert_eq!(in_si(text), Ok((text.to_owned(), None)));
        }
        let refused = [("10..30deg:3", "a unit of each number"), ("1 m,1 s", "one unit"), ("3 feet", "feet")];
        for (text, said) in refused {
            assert!(in_si(text).unwrap_err().contains(said), "{text}");
        }
        assert_eq!(read("2 kg.."), in_unit("2.0..", "kg"));
    }

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
