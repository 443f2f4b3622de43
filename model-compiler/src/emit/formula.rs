//! Expressions as text of Rust or C.
//!
//! Parentheses keep the order of floating-point operations and stand nowhere else.

use super::paths;
use crate::expr::{Binary, Number, Unary};
use crate::schedule::{Argument, Expression, LEAST_ANGLES, Routine, Statement};

/// How a routine writes what it is given and its numbers.
pub(super) struct Notation<'a> {
    /// Text of an argument.
    pub argument: Box<dyn Fn(Argument) -> String + 'a>,
    /// The routine, for the names of its temporaries and numbers.
    pub routine: &'a Routine,
    /// What they are written in.
    pub language: Language,
}

/// What formulas are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Language {
    /// Generic Rust, in which numbers have names and functions come from the scalar's trait.
    Generic,
    /// Rust with `f64`.
    Float,
    /// C99 with `double`.
    C,
}

/// The method of the scalar's trait.
fn method(op: Unary) -> &'static str {
    match op {
        Unary::Sign => "signum0",
        op => op.word(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Choice,
    Sum,
    Product,
    Sign,
    Atom,
}

impl Notation<'_> {
    /// Every statement; `store` is the left side of a result.
    pub fn statements(&self, store: &dyn Fn(usize, usize) -> String) -> String {
        let group = |group: &[Statement]| match (self.language, group.len()) {
            (Language::Generic, LEAST_ANGLES..) => self.angles(group),
            _ => group.iter().map(|statement| self.statement(statement, store)).collect(),
        };
        self.routine.groups().into_iter().map(group).collect()
    }

    /// `let [(sin_a, cos_a), (sin_b, cos_b), …] = T::sin_cos_each([a, b, …]);`
    fn angles(&self, statements: &[Statement]) -> String {
        let (mut pairs, mut angles) = (Vec::new(), Vec::new());
        for statement in statements {
            if let Statement::SinCos { sine, cosine, argument } = statement {
                pairs.push(format!("({}, {})", self.local(*sine), self.local(*cosine)));
                angles.push(self.formula(argument));
            }
        }
        format!("let [{}] = T::sin_cos_each([{}]);\n", pairs.join(", "), angles.join(", "))
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
        let name = |local: usize| self.local(local);
        match statement {
            Statement::Let { local, value } => self.definition(&name(*local), &self.formula(value)),
            Statement::SinCos { sine, cosine, argument } if self.language == Language::C => {
                let argument = self.formula(argument);
                [(sine, "sin"), (cosine, "cos")]
                    .map(|(&local, function)| self.definition(&name(local), &format!("{function}({argument})")))
                    .concat()
            }
            Statement::SinCos { sine, cosine, argument } => {
                let value = match self.language {
                    Language::Float => format!("{}::sin_cos({})", paths::REAL, self.formula(argument)),
                    _ => format!("{}.sin_cos()", self.receiver(argument)),
                };
                format!("let ({}, {}) = {value};\n", name(*sine), name(*cosine))
            }
            Statement::Store { output, position, value } => {
                format!("{} = {};\n", store(*output, *position), self.formula(value))
            }
        }
    }

    fn definition(&self, name: &str, value: &str) -> String {
        let keyword = if self.language == Language::C { "const double" } else { "let" };
        format!("{keyword} {name} = {value};\n")
    }

    /// The name of a temporary.
    pub fn local(&self, local: usize) -> String {
        let name = &self.routine.locals[local];
        if self.language == Language::C { c_identifier(name) } else { name.clone() }
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
        at_least(self.write(expression), least)
    }

    fn write(&self, expression: &Expression) -> (String, Tightness) {
        match expression {
            Expression::Number(number) => self.number(*number),
            Expression::Argument(argument) => ((self.argument)(*argument), Tightness::Atom),
            Expression::Local(local) => (self.local(*local), Tightness::Atom),
            Expression::Unary(Unary::Neg, a) => (format!("-{}", self.at_least(a, Tightness::Atom)), Tightness::Sign),
            Expression::Unary(op, a) => (self.call(*op, a), Tightness::Atom),
            Expression::Binary(op, a, b) => self.binary(*op, a, b),
            Expression::MulAdd(parts) => {
                let [a, b, c] = parts.as_ref();
                let (b, c) = (self.formula(b), self.formula(c));
                let text = match self.language {
                    Language::C => format!("mul_add({}, {b}, {c})", self.formula(a)),
                    Language::Float => format!("{}::mul_add({}, {b}, {c})", paths::REAL, self.formula(a)),
                    Language::Generic => format!("{}.mul_add({b}, {c})", self.receiver(a)),
                };
                (text, Tightness::Atom)
            }
            Expression::Select(parts) => self.select(parts),
        }
    }

    fn number(&self, number: Number) -> (String, Tightness) {
        let name = self.routine.numbers.get(&number.abs()).filter(|_| self.language == Language::Generic);
        let magnitude = name.cloned().unwrap_or_else(|| self.literal(number.abs().to_f64()));
        if number.is_negative() { (format!("-{magnitude}"), Tightness::Sign) } else { (magnitude, Tightness::Atom) }
    }

    /// The text before a method call.
    fn receiver(&self, expression: &Expression) -> String {
        let text = self.formula(expression);
        if self.write(expression).1 < Tightness::Atom { format!("({text})") } else { text }
    }

    fn literal(&self, value: f64) -> String {
        match (self.language, value.is_finite()) {
            (Language::C, false) if value.is_nan() => "NAN".to_owned(),
            (Language::C, false) => "INFINITY".to_owned(),
            _ => float(value),
        }
    }

    fn call(&self, op: Unary, a: &Expression) -> String {
        match (self.language, op) {
            (Language::C, Unary::Abs) => format!("fabs({})", self.formula(a)),
            (Language::C, Unary::Ln) => format!("log({})", self.formula(a)),
            (Language::C, _) => format!("{}({})", op.word(), self.formula(a)),
            (Language::Float, _) => format!("{}::{}({})", paths::REAL, method(op), self.formula(a)),
            (Language::Generic, _) => format!("{}.{}()", self.receiver(a), method(op)),
        }
    }

    fn binary(&self, op: Binary, a: &Expression, b: &Expression) -> (String, Tightness) {
        let infix = |left: Tightness, right: Tightness| {
            let (mut a, mut b) = (self.write(a), self.write(b));
            // Sums and products of two numbers do not depend on their order: `b + c + a` instead of `a + (b + c)`.
            if op.is_commutative() && b.1 == left && a.1 != left {
                (a, b) = (b, a);
            }
            (format!("{} {} {}", at_least(a, left), op.word(), at_least(b, right)), left)
        };
        let call = |rust: &str, c: &str| match self.language {
            Language::C => format!("{c}({}, {})", self.formula(a), self.formula(b)),
            Language::Float => format!("{}::{rust}({}, {})", paths::REAL, self.formula(a), self.formula(b)),
            Language::Generic => format!("{}.{rust}({})", self.receiver(a), self.formula(b)),
        };
        match op {
            Binary::Add | Binary::Sub => infix(Tightness::Sum, Tightness::Product),
            Binary::Mul | Binary::Div => infix(Tightness::Product, Tightness::Sign),
            Binary::Atan2 => (call("atan2", "atan2"), Tightness::Atom),
            Binary::Power => (call("powf", "pow"), Tightness::Atom),
            Binary::Min => (call("min", "fmin"), Tightness::Atom),
            Binary::Max => (call("max", "fmax"), Tightness::Atom),
        }
    }

    fn select(&self, parts: &[Expression; 4]) -> (String, Tightness) {
        let [lhs, rhs, then, otherwise] = parts;
        let compared = || [lhs, rhs].map(|side| self.at_least(side, Tightness::Sum)).join(" < ");
        let [limit, then, otherwise] = [rhs, then, otherwise].map(|part| self.formula(part));
        match self.language {
            Language::Generic => {
                (format!("{}.select_less({limit}, {then}, {otherwise})", self.receiver(lhs)), Tightness::Atom)
            }
            Language::Float => (format!("if {} {{ {then} }} else {{ {otherwise} }}", compared()), Tightness::Choice),
            Language::C => (format!("{} ? {then} : {otherwise}", compared()), Tightness::Choice),
        }
    }
}

/// The text in parentheses if it does not hold together by itself.
fn at_least((text, tightness): (String, Tightness), least: Tightness) -> String {
    if tightness < least { format!("({text})") } else { text }
}

/// Keywords of C that Rust does not escape, names that compilers define before anything is read, and functions that
/// generated C calls.
const C_RESERVED: [&str; 60] = [
    "alignas",
    "alignof",
    "asm",
    "auto",
    "case",
    "complex",
    "constexpr",
    "default",
    "double",
    "float",
    "fortran",
    "goto",
    "hpux",
    "i386",
    "imaginary",
    "inline",
    "int",
    "linux",
    "long",
    "mips",
    "noreturn",
    "nullptr",
    "register",
    "restrict",
    "short",
    "signed",
    "sizeof",
    "sparc",
    "sun",
    "switch",
    "typeof_unqual",
    "union",
    "unix",
    "unsigned",
    "vax",
    "vector",
    "void",
    "volatile",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sqrt",
    "exp",
    "log",
    "tanh",
    "fabs",
    "pow",
    "fmin",
    "fmax",
    "fma",
    "sign",
    "mul_add",
    "main",
    "errno",
    "signgam",
    "math_errhandling",
];

/// A name of generated Rust as one of C, where compilers differ in which letters beyond ASCII they take: these are written
/// by their numbers.
pub(super) fn c_identifier(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            letter if letter.is_ascii() => spelled.push(letter),
            letter => spelled.push_str(&format!("_u{:04x}_", u32::from(letter))),
        }
    }
    if C_RESERVED.contains(&name) { spelled + "_" } else { spelled }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn routine(statements: Vec<Statement>) -> Routine {
        let locals = ["a", "b", "c", "d", "e", "f"].map(str::to_owned).to_vec();
        Routine { statements, locals: locals.into(), ..Routine::default() }
    }

    fn written(expression: &Expression, language: Language) -> String {
        let routine = routine(Vec::new());
        Notation { argument: Box::new(|_| String::new()), routine: &routine, language }.formula(expression)
    }

    fn op(op: Binary, a: Expression, b: Expression) -> Expression {
        Expression::Binary(op, Box::new(a), Box::new(b))
    }

    #[test]
    fn parentheses_stand_where_the_order_of_operations_needs_them() {
        let [a, b, c, d] = [0, 1, 2, 3].map(Expression::Local);
        let sum = || op(Binary::Add, b.clone(), c.clone());
        let product = || op(Binary::Mul, b.clone(), c.clone());
        let cases = [
            (op(Binary::Add, a.clone(), sum()), "b + c + a"),
            (op(Binary::Add, product(), sum()), "b + c + b * c"),
            (op(Binary::Sub, a.clone(), sum()), "a - (b + c)"),
            (op(Binary::Add, op(Binary::Sub, a.clone(), d.clone()), sum()), "a - d + (b + c)"),
            (op(Binary::Mul, a.clone(), product()), "b * c * a"),
            (op(Binary::Mul, sum(), product()), "b * c * (b + c)"),
            (op(Binary::Mul, a.clone(), sum()), "a * (b + c)"),
            (op(Binary::Div, a.clone(), product()), "a / (b * c)"),
            (op(Binary::Mul, a.negated(), op(Binary::Div, b.clone(), c.clone())), "b / c * -a"),
        ];
        for (expression, expected) in cases {
            assert_eq!(written(&expression, Language::Generic), expected);
        }
    }

    #[test]
    fn choices_stand_alone_without_parentheses() {
        let [a, b, c] = [0, 1, 2].map(Expression::Local);
        let choice = Expression::Select(Box::new([a.clone(), b.clone(), a, c.clone()]));
        let doubled = op(Binary::Add, choice.clone(), c);
        let compared = Expression::Select(Box::new([choice.clone(), b.clone(), b.clone(), b]));
        assert_eq!(written(&choice, Language::Float), "if a < b { a } else { c }");
        assert_eq!(written(&doubled, Language::Float), "(if a < b { a } else { c }) + c");
        assert_eq!(written(&compared, Language::Float), "if (if a < b { a } else { c }) < b { b } else { b }");
        assert_eq!(written(&choice, Language::C), "a < b ? a : c");
        assert_eq!(written(&doubled, Language::C), "(a < b ? a : c) + c");
        assert_eq!(written(&choice, Language::Generic), "a.select_less(b, a, c)");
    }

    #[test]
    fn several_angles_are_computed_together() {
        let angle = |i| Statement::SinCos { sine: 2 * i, cosine: 2 * i + 1, argument: Expression::Local(2 * i) };
        let text = |count: usize, language| {
            let routine = routine((0..count).map(angle).collect());
            Notation { argument: Box::new(|_| String::new()), routine: &routine, language }
                .statements(&|_, _| String::new())
        };
        assert_eq!(text(2, Language::Generic), "let (a, b) = a.sin_cos();\nlet (c, d) = c.sin_cos();\n");
        assert_eq!(text(3, Language::Generic), "let [(a, b), (c, d), (e, f)] = T::sin_cos_each([a, c, e]);\n");
        let on_first = Statement::SinCos { sine: 4, cosine: 5, argument: Expression::Local(1) };
        let routine = routine(vec![angle(0), angle(1), on_first]);
        let notation =
            Notation { argument: Box::new(|_| String::new()), routine: &routine, language: Language::Generic };
        let one_by_one = "let (a, b) = a.sin_cos();\nlet (c, d) = c.sin_cos();\nlet (e, f) = b.sin_cos();\n";
        assert_eq!(notation.statements(&|_, _| String::new()), one_by_one, "an angle that depends on another waits");
        assert_eq!(text(3, Language::Float).lines().count(), 3);
        assert_eq!(text(3, Language::C).lines().count(), 6);
    }

    #[test]
    fn values_that_are_not_finite_have_the_names_of_their_language() {
        let routine = routine(Vec::new());
        let text = |language, value| {
            Notation { argument: Box::new(|_| String::new()), routine: &routine, language }.literal(value)
        };
        let of = |language| [f64::NAN, f64::INFINITY, 0.1].map(|value| text(language, value));
        assert_eq!(of(Language::C), ["NAN", "INFINITY", "0.1"]);
        assert_eq!(of(Language::Float), ["f64::NAN", "f64::INFINITY", "0.1"]);
    }
}
