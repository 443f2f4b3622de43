//! Expressions as Rust text.
//!
//! Parentheses keep the order of floating-point operations and stand nowhere else.

use super::paths;
use crate::expr::{Binary, Number, Unary};
use crate::schedule::{Argument, Expression, Routine, Statement};

/// How a routine writes what it is given and its numbers.
pub(super) struct Notation<'a> {
    /// Text of an argument.
    pub argument: Box<dyn Fn(Argument) -> String + 'a>,
    /// The routine, for the names of its temporaries and numbers.
    pub routine: &'a Routine,
    /// Generic code, in which numbers have names and functions come from the scalar's trait; else `f64`.
    pub is_generic: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Sum,
    Product,
    Sign,
    Atom,
}

impl Notation<'_> {
    /// Every statement; `store` is the left side of a result.
    pub fn statements(&self, store: &dyn Fn(usize, usize) -> String) -> String {
        self.routine.statements.iter().map(|statement| self.statement(statement, store)).collect()
    }

    /// The statements that compute temporaries; results may follow them in any order.
    pub fn temporaries(&self) -> String {
        let is_temporary = |statement: &&Statement| !matches!(statement, Statement::Store { .. });
        let temporaries = self.routine.statements.iter().filter(is_temporary);
        temporaries.map(|statement| self.statement(statement, &|_, _| String::new())).collect()
    }

    /// Formulas of the results, output by output.
    pub fn results(&self) -> Vec<Vec<String>> {
        let mut results: Vec<Vec<String>> = self.routine.outputs.iter().map(|&n| vec![String::new(); n]).collect();
        for statement in &self.routine.statements {
            if let Statement::Store { output, position, value } = statement {
                results[*output][*position] = self.formula(value);
            }
        }
        results
    }

    fn statement(&self, statement: &Statement, store: &dyn Fn(usize, usize) -> String) -> String {
        let locals = &self.routine.locals;
        match statement {
            Statement::Let { local, value } => format!("let {} = {};\n", locals[*local], self.formula(value)),
            Statement::SinCos { sine, cosine, argument } => {
                format!("let ({}, {}) = {}.sin_cos();\n", locals[*sine], locals[*cosine], self.receiver(argument))
            }
            Statement::Store { output, position, value } => {
                format!("{} = {};\n", store(*output, *position), self.formula(value))
            }
        }
    }

    /// `let [two, half] = [2.0, 0.5].map(T::from_f64);`
    pub fn numbers(&self) -> String {
        let (names, values): (Vec<&str>, Vec<String>) =
            self.routine.numbers.iter().map(|(number, name)| (name.as_str(), float(number.to_f64()))).unzip();
        match (names.as_slice(), values.as_slice()) {
            ([], _) => String::new(),
            ([name], [value]) => format!("let {name} = T::from_f64({value});\n"),
            _ => format!("let [{}] = [{}].map(T::from_f64);\n", names.join(", "), values.join(", ")),
        }
    }

    /// One formula.
    pub fn formula(&self, expression: &Expression) -> String {
        self.write(expression).0
    }

    fn at_least(&self, expression: &Expression, least: Tightness) -> String {
        let (text, tightness) = self.write(expression);
        if tightness < least { format!("({text})") } else { text }
    }

    fn write(&self, expression: &Expression) -> (String, Tightness) {
        match expression {
            Expression::Number(number) => self.number(*number),
            Expression::Argument(argument) => ((self.argument)(*argument), Tightness::Atom),
            Expression::Local(local) => (self.routine.locals[*local].clone(), Tightness::Atom),
            Expression::Unary(Unary::Neg, a) => (format!("-{}", self.at_least(a, Tightness::Atom)), Tightness::Sign),
            Expression::Unary(op, a) => (self.call(*op, a), Tightness::Atom),
            Expression::Binary(op, a, b) => self.binary(*op, a, b),
            Expression::MulAdd(parts) => {
                let [a, b, c] = parts.as_ref();
                let text = format!("{}.mul_add({}, {})", self.receiver(a), self.formula(b), self.formula(c));
                (text, Tightness::Atom)
            }
            Expression::Select(parts) => self.select(parts),
        }
    }

    fn number(&self, number: Number) -> (String, Tightness) {
        let name = self.routine.numbers.iter().find(|(magnitude, _)| self.is_generic && *magnitude == number.abs());
        let magnitude = name.map_or_else(|| float(number.abs().to_f64()), |(_, name)| name.clone());
        if number.is_negative() { (format!("-{magnitude}"), Tightness::Sign) } else { (magnitude, Tightness::Atom) }
    }

    /// The text before a method call; the type of a bare literal would be ambiguous there.
    fn receiver(&self, expression: &Expression) -> String {
        let suffix = if matches!(expression, Expression::Number(_)) && !self.is_generic { "_f64" } else { "" };
        let text = format!("{}{suffix}", self.formula(expression));
        if self.write(expression).1 < Tightness::Atom { format!("({text})") } else { text }
    }

    fn call(&self, op: Unary, a: &Expression) -> String {
        let method = match op {
            Unary::Neg => "neg",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sqrt => "sqrt",
            Unary::Exp => "exp",
            Unary::Ln => "ln",
            Unary::Tanh => "tanh",
            Unary::Abs => "abs",
            Unary::Sign if !self.is_generic => return format!("{}::signum0({})", paths::REAL, self.formula(a)),
            Unary::Sign => "signum0",
        };
        format!("{}.{method}()", self.receiver(a))
    }

    fn binary(&self, op: Binary, a: &Expression, b: &Expression) -> (String, Tightness) {
        let infix = |sign: &str, left: Tightness, right: Tightness| {
            (format!("{} {sign} {}", self.at_least(a, left), self.at_least(b, right)), left)
        };
        let method = |name: &str| (format!("{}.{name}({})", self.receiver(a), self.formula(b)), Tightness::Atom);
        match op {
            Binary::Add => infix("+", Tightness::Sum, Tightness::Product),
            Binary::Sub => infix("-", Tightness::Sum, Tightness::Product),
            Binary::Mul => infix("*", Tightness::Product, Tightness::Sign),
            Binary::Div => infix("/", Tightness::Product, Tightness::Sign),
            Binary::Atan2 => method("atan2"),
            Binary::Power => method("powf"),
            Binary::Min => method("min"),
            Binary::Max => method("max"),
        }
    }

    fn select(&self, parts: &[Expression; 4]) -> (String, Tightness) {
        let [lhs, rhs, then, otherwise] = parts.each_ref().map(|part| self.formula(part));
        let text = if self.is_generic {
            format!("{}.select_less({rhs}, {then}, {otherwise})", self.receiver(&parts[0]))
        } else {
            format!("(if {lhs} < {rhs} {{ {then} }} else {{ {otherwise} }})")
        };
        (text, Tightness::Atom)
    }
}

/// The shortest literal with this value.
pub(super) fn float(value: f64) -> String {
    if value.is_nan() {
        "f64::NAN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "f64::INFINITY" } else { "f64::NEG_INFINITY" }.to_owned()
    } else {
        format!("{value:?}")
    }
}
