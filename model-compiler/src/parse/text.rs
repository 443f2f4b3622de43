//! Expressions as text again: in one form, whatever spaces and parentheses they were written with.

use std::fmt::{self, Display, Formatter};

use super::expression::{Axes, Choice, Comparison, Operator, UnitExpression, Value, ValueKind};
use crate::spelling::spelled;

/// How strongly the parts of an expression hold together; what holds less than its surroundings stands in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Sum,
    Product,
    Sign,
    Power,
    Operand,
}

impl Display for Axes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&spelled(&self.name.to_string()))?;
        self.end.iter().try_for_each(|end| write!(f, ".{end}"))
    }
}

impl Value {
    fn strength(&self) -> Strength {
        match &self.kind {
            ValueKind::Operation(Operator::Add | Operator::Subtract, ..) => Strength::Sum,
            ValueKind::Operation(Operator::Multiply | Operator::Divide, ..) => Strength::Product,
            ValueKind::Negation(_) => Strength::Sign,
            ValueKind::Operation(Operator::Power, ..) => Strength::Power,
            // `2 m^2` are square metres.
            ValueKind::WithUnit(..) => Strength::Power,
            _ => Strength::Operand,
        }
    }

    fn within(&self, strength: Strength) -> String {
        if self.strength() < strength { format!("({self})") } else { self.to_string() }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ValueKind::Number(digits) => f.write_str(digits),
            ValueKind::WithUnit(value, unit) => write!(f, "{value} {unit}"),
            ValueKind::Name(name) => f.write_str(&spelled(&name.to_string())),
            ValueKind::Field(base, name) => write!(f, "{}.{name}", base.within(Strength::Operand)),
            ValueKind::Index(base, indices) => {
                let index = |value: Option<usize>| value.map_or("?".to_owned(), |value| value.to_string());
                let indices: Vec<String> = indices.iter().map(|i| index(i.value)).collect();
                write!(f, "{}[{}]", base.within(Strength::Operand), indices.join(", "))
            }
            ValueKind::Call(name, arguments) => write!(f, "{name}({})", list(arguments)),
            ValueKind::Stack(parts) => write!(f, "[{}]", list(parts)),
            ValueKind::Negation(value) => write!(f, "-{}", value.within(Strength::Sign)),
            ValueKind::Operation(operator, _, a, b) => {
                let (sign, left, right) = match operator {
                    Operator::Add => (" + ", Strength::Sum, Strength::Product),
                    Operator::Subtract => (" - ", Strength::Sum, Strength::Product),
                    Operator::Multiply => (" * ", Strength::Product, Strength::Sign),
                    Operator::Divide => (" / ", Strength::Product, Strength::Sign),
                    Operator::Power => ("^", Strength::Operand, Strength::Operand),
                };
                write!(f, "{}{sign}{}", a.within(left), b.within(right))
            }
            ValueKind::Choice(choice) => {
                let Choice { lhs, comparison, rhs, then, otherwise } = &**choice;
                let sign = match comparison {
                    Comparison::Less => "<",
                    Comparison::LessOrEqual => "<=",
                    Comparison::Greater => ">",
                    Comparison::GreaterOrEqual => ">=",
                };
                write!(f, "if {lhs} {sign} {rhs} {{ {then} }} else {{ {otherwise} }}")
            }
            ValueKind::Point(body, position) => write!(f, "({body} at {position})"),
            ValueKind::In(vector, axes) => write!(f, "({vector} in {axes})"),
        }
    }
}

impl Display for UnitExpression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, factor) in self.factors.iter().enumerate() {
            let sign = match (i, factor.exponent < 0) {
                (_, true) => "/",
                (0, false) => "",
                (_, false) => " ",
            };
            let one = if i == 0 && factor.exponent < 0 { "1" } else { "" };
            write!(f, "{one}{sign}{}", factor.symbol)?;
            match factor.exponent.unsigned_abs() {
                1 => {}
                power => write!(f, "^{power}")?,
            }
        }
        Ok(())
    }
}

fn list(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::panic, reason = "tests may")]
mod tests {
    use crate::parse::{Item, parse};

    #[test]
    fn what_is_written_is_read_as_the_same() {
        for text in [
            "-30 deg",
            "[0, 150, -4.6] rad/s",
            "9.81 m/s^2 * (2 + x) / 3 - -1",
            "(a - (b - c)) ^ 2 ^ -1",
            "(2 m)^2 / (3 * s)",
            "if time <= 1 s { sin(2 * k) } else { link[1, 2].angle.velocity }",
            "(rod at [l / 2, 0]).position.x + (hull.velocity - current in hull)[2]",
            "1e-3 kg m^2/s^2",
        ] {
            let read = |text: &str| {
                let model = format!("model M {{ let value = {text}; }}").parse().expect("it lexes");
                let description = parse(model).unwrap_or_else(|error| panic!("{text}: {error}"));
                let Some(Item::Definition(definition)) = description.items.into_iter().next() else { panic!("{text}") };
                definition.value.to_string()
            };
            let again = read(&read(text));
            assert_eq!(read(text), again, "{text}");
        }
    }
}
