//! Names of everything that stands in a formula: arguments, numbers, temporaries.
//!
//! A temporary is named after the source where that is short (`sin_theta`, `e0_squared`, `e1_e2`, `two_e0`), else `x1, x2, …`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::routine::{Argument, Expression};
use crate::derive::Inputs;
use crate::expr::{Binary, ExprId, Graph, Node, Number, SymbolId, Unary};
use crate::reserved;

/// Longest name made from a formula.
const MAX_LENGTH: usize = 28;
/// Longest name of a factor that goes into the name of a product.
const MAX_FACTOR_LENGTH: usize = 8;

/// Most digits of a number in its name.
const MAX_LITERAL: usize = 12;

/// Words that generated functions use themselves, and the keywords of the language.
const RESERVED: [&str; 73] = [
    "constants",
    "t",
    "inputs",
    "q",
    "v",
    "a",
    "lambda",
    "tau",
    "w",
    "residual",
    "constraint",
    "mass_matrix",
    "bias_force",
    "applied_force",
    "constraint_jacobian",
    "rate",
    "acceleration",
    "kinetic",
    "potential",
    "damping",
    "stiffness",
    "outputs",
    "jacobian",
    "parameters",
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "while",
];

/// A word that can stand as a name in generated code: lower case, no keyword, no name of an argument or a result.
pub fn identifier(name: &str) -> String {
    let mut identifier = String::new();
    for c in name.chars() {
        match c {
            '\'' => identifier.push_str("_dot"),
            _ if c.is_ascii_alphanumeric() => identifier.push(c.to_ascii_lowercase()),
            _ if identifier.is_empty() || identifier.ends_with('_') => {}
            _ => identifier.push('_'),
        }
    }
    let trimmed = identifier.trim_end_matches('_');
    if trimmed.is_empty() || trimmed.starts_with(|c: char| c.is_ascii_digit()) {
        format!("x_{trimmed}")
    } else if RESERVED.contains(&trimmed) || reserved::PRIMITIVES.contains(&trimmed) || trimmed == reserved::RUNTIME {
        format!("{trimmed}_")
    } else {
        trimmed.to_owned()
    }
}

/// A word in camel case as a word in snake case: `HeavyTop` → `heavy_top`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut previous = '_';
    for c in name.chars() {
        if c.is_uppercase() && (previous.is_lowercase() || previous.is_ascii_digit()) {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
        previous = c;
    }
    snake
}

/// Names of the arguments of a kernel's routines.
#[derive(Clone, Debug, Default)]
pub struct ArgumentNames {
    /// Parameters.
    pub parameters: Vec<String>,
    /// What the setup has computed.
    pub constants: Vec<String>,
    /// Time.
    pub time: String,
    /// Run-time inputs.
    pub inputs: Vec<String>,
    /// Coordinates.
    pub q: Vec<String>,
    /// Velocities.
    pub v: Vec<String>,
    /// Accelerations.
    pub a: Vec<String>,
    /// Multipliers.
    pub lambda: Vec<String>,
    /// Forces on the directions of the velocities.
    pub tau: Vec<String>,
    /// Weights of the forces on the directions of the velocities.
    pub w: Vec<String>,
}

impl ArgumentNames {
    /// The name of an argument.
    pub fn of(&self, argument: Argument) -> &str {
        match argument {
            Argument::Parameter(i) => &self.parameters[i],
            Argument::Constant(i) => &self.constants[i],
            Argument::Time => &self.time,
            Argument::Input(i) => &self.inputs[i],
            Argument::Position(i) => &self.q[i],
            Argument::Velocity(i) => &self.v[i],
            Argument::Acceleration(i) => &self.a[i],
            Argument::Multiplier(i) => &self.lambda[i],
            Argument::Force(i) => &self.tau[i],
            Argument::Weight(i) => &self.w[i],
        }
    }

    /// Names of the symbols of a kernel, fit for code and not in `names`; coordinates come first and keep theirs.
    pub(super) fn of_kernel(graph: &Graph, inputs: &Inputs, mut names: Names) -> (ArgumentNames, Names) {
        let mut all = |symbols: &[SymbolId]| -> Vec<String> {
            symbols.iter().map(|symbol| names.unique(&identifier(&graph.symbols()[symbol.index()].name))).collect()
        };
        let arguments = ArgumentNames {
            q: all(&inputs.q),
            v: all(&inputs.v),
            a: all(&inputs.a),
            lambda: all(&inputs.lambda),
            tau: all(&inputs.tau),
            w: all(&inputs.w),
            inputs: all(&inputs.inputs),
            parameters: all(&inputs.parameters),
            time: "t".to_owned(),
            constants: Vec::new(),
        };
        (arguments, names)
    }
}

/// The names taken in one scope and in those around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Those around it, which many scopes share.
    around: Arc<FxHashSet<String>>,
    taken: FxHashSet<String>,
    /// The numbers that have been tried after a name.
    counts: FxHashMap<String, usize>,
    numbered: BTreeMap<&'static str, usize>,
}

impl Names {
    /// This name, or with a number after it if it is taken.
    pub fn unique(&mut self, name: &str) -> String {
        if self.insert(name) {
            return name.to_owned();
        }
        let mut count = self.counts.get(name).copied().unwrap_or(1);
        let unique = loop {
            count += 1;
            let unique = format!("{name}_{count}");
            if self.insert(&unique) {
                break unique;
            }
        };
        self.counts.insert(name.to_owned(), count);
        unique
    }

    /// Takes a name, if it is free.
    fn insert(&mut self, name: &str) -> bool {
        !self.around.contains(name) && self.taken.insert(name.to_owned())
    }

    /// The same names, of which copies share one list: every routine has a scope of its own.
    pub fn shared(mut self) -> Names {
        Arc::make_mut(&mut self.around).extend(self.taken.drain());
        self
    }

    /// These names are taken.
    pub fn of(taken: impl Iterator<Item = String>) -> Names {
        Names { taken: taken.collect(), ..Names::default() }
    }

    /// These names are taken as well.
    pub fn take(&mut self, names: impl Iterator<Item = String>) {
        self.taken.extend(names);
    }

    /// The next of `x1, x2, …` or the like.
    pub fn next_numbered(&mut self, letter: &'static str) -> String {
        let mut number = self.numbered.get(letter).copied().unwrap_or_default();
        loop {
            number += 1;
            let name = format!("{letter}{number}");
            if self.insert(&name) {
                self.numbered.insert(letter, number);
                return name;
            }
        }
    }
}

/// A name after the formula, for functions and for products of two short names; `of` names the leaves.
pub(super) fn from_formula(expression: &Expression, of: &dyn Fn(&Expression) -> Option<String>) -> Option<String> {
    match expression {
        Expression::Unary(op, argument) => function_word(*op).zip(word(argument, of)).map(|(f, x)| format!("{f}_{x}")),
        Expression::Binary(Binary::Mul, a, b) if a == b => of(a).map(|name| format!("{name}_squared")),
        Expression::Binary(Binary::Mul, a, b) if is_symbol(a) && is_symbol(b) => {
            let factors = of(a).zip(of(b));
            factors.filter(|(a, b)| a.len().max(b.len()) <= MAX_FACTOR_LENGTH).map(|(a, b)| format!("{a}_{b}"))
        }
        Expression::Binary(Binary::Mul, a, b) => multiple(a, b, of).or_else(|| multiple(b, a, of)),
        _ => None,
    }
    .filter(|name| name.len() <= MAX_LENGTH)
}

/// `two_e0` for a number with a word and something given.
fn multiple(number: &Expression, value: &Expression, of: &dyn Fn(&Expression) -> Option<String>) -> Option<String> {
    let Expression::Number(number) = number else { return None };
    let word = number_word(*number)?;
    of(value).filter(|_| is_symbol(value)).map(|value| format!("{word}_{value}"))
}

fn is_symbol(expression: &Expression) -> bool {
    matches!(expression, Expression::Argument(_))
}

fn function_word(op: Unary) -> Option<&'static str> {
    (!matches!(op, Unary::Neg | Unary::Sign)).then(|| op.word())
}

/// A short formula in words: `theta1_plus_theta2`.
pub(super) fn word(expression: &Expression, of: &dyn Fn(&Expression) -> Option<String>) -> Option<String> {
    match expression {
        Expression::Binary(Binary::Mul, a, b) if a == b => Some(format!("{}_squared", word(a, of)?)),
        Expression::Binary(op, a, b) => {
            // Numbers come first, as in a formula: `two_mass`.
            let is_swapped = *op == Binary::Mul && matches!(**b, Expression::Number(_));
            let (a, b) = if is_swapped { (b, a) } else { (a, b) };
            let join = match op {
                Binary::Add => "_plus_",
                Binary::Sub => "_minus_",
                Binary::Mul => "_",
                _ => return None,
            };
            Some([word(a, of)?, word(b, of)?].join(join))
        }
        Expression::Unary(Unary::Neg, a) => Some(format!("minus_{}", word(a, of)?)),
        Expression::Unary(..) | Expression::MulAdd(_) | Expression::Select(_) => None,
        leaf => of(leaf),
    }
    .filter(|word| word.len() <= MAX_LENGTH)
}

/// A name for a constant of few parameters, after its formula: `mass_length_squared`, `third_mass_length`,
/// `inertia_plus_mass_length`; `of` names the parameters. Numbers that are no words make no names.
pub(super) fn of_constant(graph: &Graph, id: ExprId, of: &dyn Fn(SymbolId) -> Option<String>) -> Option<String> {
    let word = |id| term_word(graph, id, of);
    match graph.node(id) {
        Node::Binary(Binary::Add, a, b) => word(a).zip(word(b)).map(|(a, b)| format!("{a}_plus_{b}")),
        Node::Binary(Binary::Sub, a, b) => word(a).zip(word(b)).map(|(a, b)| format!("{a}_minus_{b}")),
        _ => word(id),
    }
    .filter(|word| word.len() <= MAX_LENGTH)
}

/// The name of something without sums: a product of powers, a quotient or a function of such.
fn term_word(graph: &Graph, id: ExprId, of: &dyn Fn(SymbolId) -> Option<String>) -> Option<String> {
    let word = |id| term_word(graph, id, of);
    match graph.node(id) {
        Node::Number(_) | Node::Select { .. } => None,
        Node::Symbol(symbol) => of(symbol),
        Node::Unary(Unary::Neg, a) => word(a).map(|a| format!("minus_{a}")),
        Node::Unary(op, a) => function_word(op).zip(word(a)).map(|(function, a)| format!("{function}_{a}")),
        Node::Binary(Binary::Mul, ..) => product_word(graph, id, of),
        Node::Binary(Binary::Div, a, b) => word(a).zip(word(b)).map(|(a, b)| format!("{a}_over_{b}")),
        Node::Binary(..) => None,
    }
}

fn product_word(graph: &Graph, id: ExprId, of: &dyn Fn(SymbolId) -> Option<String>) -> Option<String> {
    let mut number = Number::from(1);
    let mut words = Vec::new();
    let mut factors = graph.factors(id);
    // In the order of declaration, so that equal products have equal names.
    factors.sort_by_key(|&(factor, _)| factor);
    for (factor, exponent) in factors {
        match (graph.as_number(factor), exponent) {
            (Some(value), 1) => number = number * value,
            (None, 1) => words.push(term_word(graph, factor, of)?),
            (None, 2) => words.push(term_word(graph, factor, of)? + "_squared"),
            (None, 3) => words.push(term_word(graph, factor, of)? + "_cubed"),
            _ => return None,
        }
    }
    let sign = if number.is_negative() { "minus_" } else { "" };
    let factor = match number.abs() {
        one if one == Number::from(1) => String::new(),
        other => format!("{}_", number_word(other)?),
    };
    Some(format!("{sign}{factor}{}", words.join("_")))
}

/// The word for a small number or fraction that is not negative.
fn number_word(number: Number) -> Option<&'static str> {
    const SMALL: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match number.as_ratio()? {
        (n @ 0..=12, 1) => Some(SMALL[n as usize]),
        (1, 2) => Some("half"),
        (1, 3) => Some("third"),
        (1, 4) => Some("quarter"),
        (1, 6) => Some("sixth"),
        (1, 8) => Some("eighth"),
        (1, 12) => Some("twelfth"),
        _ => None,
    }
}

/// A name for a number that is not negative: `two`, `half`, `c9_81`.
pub(super) fn literal(number: Number) -> String {
    if let Some(word) = number_word(number) {
        return word.to_owned();
    }
    let exact = number.to_string();
    let digits = if exact.len() <= MAX_LITERAL { exact } else { number.to_f64().to_string() };
    let short: String = digits.chars().take(MAX_LITERAL).collect();
    format!("c{}", short.replace('/', "_over_").replace('-', "m").replace('.', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    #[test]
    fn identifiers_are_fit_for_code() {
        let cases = [("top.e0", "top_e0"), ("J1", "j1"), ("e0'", "e0_dot"), ("a", "a_"), ("rod[2].x", "rod_2_x")];
        for (name, expected) in cases {
            assert_eq!(identifier(name), expected);
        }
        assert_eq!(identifier("2nd"), "x_2nd");
        assert_eq!(identifier("loop"), "loop_");
        assert_eq!(snake_case("HeavyTop"), "heavy_top");
        assert_eq!(snake_case("V8CrankDrive"), "v8_crank_drive");
    }

    #[test]
    fn equal_names_are_told_apart() {
        let mut names = Names::default();
        assert_eq!(names.unique("x1"), "x1");
        assert_eq!(names.unique("x1"), "x1_2");
        assert_eq!(names.next_numbered("x"), "x2");
    }

    #[test]
    fn numbers_have_readable_names() {
        assert_eq!(literal(Number::from(2)), "two");
        for (n, word) in [(2, "half"), (3, "third"), (4, "quarter"), (6, "sixth"), (8, "eighth"), (12, "twelfth")] {
            assert_eq!(literal(Number::ratio(1, n)), word);
        }
        assert_eq!(literal(Number::ratio(1, 7)), "c1_over_7");
        assert_eq!(literal(Number::ratio(2, 3)), "c2_over_3");
    }

    #[test]
    fn constants_are_named_after_their_formulas() {
        let mut graph = Graph::new();
        let [m, l] = ["m", "l"].map(|name| graph.symbol(name, Stage::Parameter));
        let of = |symbol: SymbolId| Some(["m", "l"][symbol.index()].to_owned());
        let half = graph.ratio(1, 2);
        let minus_third = graph.ratio(-1, 3);
        let sevenths = graph.ratio(2, 7);
        let squared = graph.mul(l, l);
        let cubed = graph.mul(squared, l);
        let fourth = graph.mul(cubed, l);
        let cases = [
            (graph.mul(m, l), Some("m_l")),
            (graph.product(&[m, squared]), Some("m_l_squared")),
            (graph.product(&[m, cubed]), Some("m_l_cubed")),
            (graph.product(&[m, fourth]), None),
            (graph.product(&[half, m, l]), Some("half_m_l")),
            (graph.product(&[minus_third, m]), Some("minus_third_m")),
            (graph.product(&[sevenths, m]), None),
            (graph.neg(m), Some("minus_m")),
            (graph.div(m, l), Some("m_over_l")),
            (graph.add(m, squared), Some("m_plus_l_squared")),
            (graph.sub(m, squared), Some("m_minus_l_squared")),
        ];
        for (constant, expected) in cases {
            assert_eq!(of_constant(&graph, constant, &of).as_deref(), expected);
        }
    }
}
