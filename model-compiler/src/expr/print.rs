//! Formulas for people: plain text and LaTeX, with as few parentheses as precedence allows.
//!
//! Repeated factors print as powers. Shared expressions are written out wherever they occur.

use super::{Binary, ExprId, Graph, Node, Number, Unary};
use crate::escape::latex as latex_text;

/// The formula in plain text, such as `2*x^2 - sin(x)/m`.
pub fn text(graph: &Graph, id: ExprId) -> String {
    render(graph, id, &Text)
}

/// The formula in LaTeX, such as `2 x^{2} - \frac{\sin\left(x\right)}{m}`.
pub fn latex(graph: &Graph, id: ExprId) -> String {
    render(graph, id, &Latex)
}

/// How tightly a formula holds together; a looser one needs parentheses inside a tighter one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Sum,
    Product,
    Power,
    Atom,
}

#[derive(Clone)]
struct Formula {
    text: String,
    tightness: Tightness,
}

impl Formula {
    fn new(text: String, tightness: Tightness) -> Formula {
        Formula { text, tightness }
    }
}

/// What text and LaTeX write differently.
trait Notation {
    fn symbol(&self, name: &str) -> String;
    fn number(&self, number: Number) -> Formula;
    fn parentheses(&self, inner: &str) -> String;
    fn product(&self, factors: &[String]) -> String;
    fn quotient(&self, numerator: &Formula, denominator: &Formula) -> Formula;
    fn power(&self, base: &str, exponent: &str) -> String;
    fn unary(&self, op: Unary, argument: &Formula) -> Formula;
    fn call(&self, name: &str, arguments: &[&str]) -> String;
    fn select(&self, lhs: &str, rhs: &str, then: &str, otherwise: &str) -> String;

    fn wrapped(&self, formula: &Formula, least: Tightness) -> String {
        if formula.tightness < least { self.parentheses(&formula.text) } else { formula.text.clone() }
    }
}

fn render(graph: &Graph, root: ExprId, notation: &dyn Notation) -> String {
    let mut formulas: Vec<Option<Formula>> = vec![None; graph.len()];
    for id in graph.reachable(&[root]) {
        let formula = compose(graph, id, &formulas, notation);
        formulas[id.index()] = Some(formula);
    }
    formula_of(&formulas, root).text.clone()
}

/// Operands precede their users, so the formula of an operand of a visited node exists.
fn formula_of(formulas: &[Option<Formula>], id: ExprId) -> &Formula {
    formulas[id.index()].as_ref().expect("operands are visited before their users")
}

fn compose(graph: &Graph, id: ExprId, formulas: &[Option<Formula>], notation: &dyn Notation) -> Formula {
    let formula = |operand: ExprId| formula_of(formulas, operand);
    match graph.node(id) {
        Node::Number(number) => notation.number(number),
        Node::Symbol(symbol) => Formula::new(notation.symbol(&graph.symbols()[symbol.index()].name), Tightness::Atom),
        Node::Unary(Unary::Neg, a) => {
            Formula::new(format!("-{}", notation.wrapped(formula(a), Tightness::Product)), Tightness::Sum)
        }
        Node::Unary(op, a) => notation.unary(op, formula(a)),
        Node::Binary(Binary::Add, a, b) => sum(formula(a), "+", notation.wrapped(formula(b), Tightness::Sum)),
        Node::Binary(Binary::Sub, a, b) => sum(formula(a), "-", notation.wrapped(formula(b), Tightness::Product)),
        Node::Binary(Binary::Mul, ..) => product(graph, id, formulas, notation),
        Node::Binary(Binary::Div, a, b) => notation.quotient(formula(a), formula(b)),
        Node::Binary(Binary::Power, a, b) => {
            let base = notation.wrapped(formula(a), Tightness::Atom);
            Formula::new(notation.power(&base, &formula(b).text), Tightness::Power)
        }
        Node::Binary(op @ (Binary::Atan2 | Binary::Min | Binary::Max), a, b) => {
            call(notation, op.word(), formula(a), formula(b))
        }
        Node::Select { lhs, rhs, then, otherwise } => {
            let parts = [lhs, rhs, then, otherwise].map(|operand| formula(operand).text.as_str());
            Formula::new(notation.select(parts[0], parts[1], parts[2], parts[3]), Tightness::Atom)
        }
    }
}

fn sum(left: &Formula, sign: &str, right: String) -> Formula {
    // A leading minus on the right of a sum joins the sign.
    let text = match (sign, right.strip_prefix('-')) {
        ("+", Some(rest)) => format!("{} - {rest}", left.text),
        _ => format!("{} {sign} {right}", left.text),
    };
    Formula::new(text, Tightness::Sum)
}

fn call(notation: &dyn Notation, name: &str, a: &Formula, b: &Formula) -> Formula {
    Formula::new(notation.call(name, &[&a.text, &b.text]), Tightness::Atom)
}

fn product(graph: &Graph, id: ExprId, formulas: &[Option<Formula>], notation: &dyn Notation) -> Formula {
    let factors: Vec<String> = graph
        .factors(id)
        .into_iter()
        .map(|(factor, exponent)| {
            let formula = formula_of(formulas, factor);
            match exponent {
                1 => notation.wrapped(formula, Tightness::Product),
                _ => notation.power(&notation.wrapped(formula, Tightness::Atom), &exponent.to_string()),
            }
        })
        .collect();
    let tightness = if factors.len() == 1 { Tightness::Power } else { Tightness::Product };
    Formula::new(notation.product(&factors), tightness)
}

struct Text;

impl Notation for Text {
    fn symbol(&self, name: &str) -> String {
        name.to_owned()
    }

    fn number(&self, number: Number) -> Formula {
        let text = number.to_string();
        let tightness = if number.is_negative() {
            Tightness::Sum
        } else if text.contains('/') {
            Tightness::Product
        } else {
            Tightness::Atom
        };
        Formula::new(text, tightness)
    }

    fn parentheses(&self, inner: &str) -> String {
        format!("({inner})")
    }

    fn product(&self, factors: &[String]) -> String {
        factors.join("*")
    }

    fn quotient(&self, numerator: &Formula, denominator: &Formula) -> Formula {
        let numerator = self.wrapped(numerator, Tightness::Product);
        Formula::new(format!("{numerator}/{}", self.wrapped(denominator, Tightness::Power)), Tightness::Product)
    }

    fn power(&self, base: &str, exponent: &str) -> String {
        let is_simple = exponent.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if is_simple { format!("{base}^{exponent}") } else { format!("{base}^({exponent})") }
    }

    fn unary(&self, op: Unary, argument: &Formula) -> Formula {
        Formula::new(self.call(op.word(), &[&argument.text]), Tightness::Atom)
    }

    fn call(&self, name: &str, arguments: &[&str]) -> String {
        format!("{name}({})", arguments.join(", "))
    }

    fn select(&self, lhs: &str, rhs: &str, then: &str, otherwise: &str) -> String {
        format!("if({lhs} < {rhs}, {then}, {otherwise})")
    }
}

struct Latex;

impl Notation for Latex {
    fn symbol(&self, name: &str) -> String {
        latex_symbol(name)
    }

    fn number(&self, number: Number) -> Formula {
        let sign = if number.is_negative() { "-" } else { "" };
        let text = match number.abs().as_ratio() {
            Some((numerator, denominator)) if number.to_string().contains('/') => {
                format!("{sign}\\frac{{{numerator}}}{{{denominator}}}")
            }
            _ => number.to_string(),
        };
        Formula::new(text, if number.is_negative() { Tightness::Sum } else { Tightness::Atom })
    }

    fn parentheses(&self, inner: &str) -> String {
        format!("\\left({inner}\\right)")
    }

    fn product(&self, factors: &[String]) -> String {
        let mut product = String::new();
        for factor in factors {
            if !product.is_empty() {
                // Two numbers side by side would read as one, and so would two words without a space.
                product.push_str(if factor.starts_with(|c: char| c.is_ascii_digit()) { " \\cdot " } else { " \\, " });
            }
            product.push_str(factor);
        }
        product
    }

    fn quotient(&self, numerator: &Formula, denominator: &Formula) -> Formula {
        Formula::new(format!("\\frac{{{}}}{{{}}}", numerator.text, denominator.text), Tightness::Product)
    }

    fn power(&self, base: &str, exponent: &str) -> String {
        format!("{base}^{{{exponent}}}")
    }

    fn unary(&self, op: Unary, argument: &Formula) -> Formula {
        let x = &argument.text;
        let text = match op {
            Unary::Sqrt => format!("\\sqrt{{{x}}}"),
            Unary::Abs => format!("\\left|{x}\\right|"),
            Unary::Exp => format!("e^{{{x}}}"),
            Unary::Asin => self.call("arcsin", &[x]),
            Unary::Acos => self.call("arccos", &[x]),
            Unary::Atan => self.call("arctan", &[x]),
            Unary::Sign => format!("\\operatorname{{sign}}\\left({x}\\right)"),
            _ => self.call(op.word(), &[x]),
        };
        Formula::new(text, if op == Unary::Exp { Tightness::Power } else { Tightness::Atom })
    }

    fn call(&self, name: &str, arguments: &[&str]) -> String {
        let command = if name == "atan2" { "\\operatorname{atan2}".to_owned() } else { format!("\\{name}") };
        format!("{command}\\left({}\\right)", arguments.join(", "))
    }

    fn select(&self, lhs: &str, rhs: &str, then: &str, otherwise: &str) -> String {
        format!("\\begin{{cases}}{then} & {lhs} < {rhs}\\\\{otherwise} & \\text{{otherwise}}\\end{{cases}}")
    }
}

const GREEK: [&str; 34] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
];

/// `theta_1` and `theta1` become θ with a subscript, `theta_dot` θ with a dot; the owner in `crank.theta` becomes a
/// subscript, too. A name of several words is one upright name.
fn latex_symbol(name: &str) -> String {
    let (owner, own) = name.rsplit_once('.').map_or((None, name), |(owner, own)| (Some(owner), own));
    let accents = [("_ddot", "\\ddot"), ("_dot", "\\dot")];
    let accent = accents.iter().find_map(|&(suffix, accent)| own.strip_suffix(suffix).map(|stem| (stem, Some(accent))));
    let (own, accent) = accent.unwrap_or((own, None));
    let (stem, index) = match own.split_once('_').unwrap_or_else(|| split_trailing_digits(own)) {
        (stem, index) if is_letter(stem) && !index.contains('_') => (stem, index),
        (stem, index) if index.chars().all(|c| c.is_ascii_digit()) || index.len() == 1 => (stem, index),
        _ => (own, ""),
    };
    let mut subscripts = Vec::new();
    if !index.is_empty() {
        subscripts.push(latex_word(index));
    }
    subscripts.extend(owner.map(latex_word));
    let stem = latex_word(stem);
    let stem = accent.map_or(stem.clone(), |accent| format!("{accent}{{{stem}}}"));
    if subscripts.is_empty() { stem } else { format!("{stem}_{{{}}}", subscripts.join(",")) }
}

/// Whether a word prints as one letter.
fn is_letter(word: &str) -> bool {
    word.chars().count() == 1 || GREEK.contains(&word)
}

fn split_trailing_digits(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.is_empty() { (name, "") } else { name.split_at(stem.len()) }
}

fn latex_word(word: &str) -> String {
    if GREEK.contains(&word) {
        format!("\\{word}")
    } else if is_letter(word) || word.bytes().all(|b| b.is_ascii_digit()) {
        latex_text(word)
    } else {
        format!("\\mathrm{{{}}}", latex_text(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Stage;

    fn sample(graph: &mut Graph) -> ExprId {
        let (m, theta) = (graph.symbol("m", Stage::Parameter), graph.symbol("theta_1", Stage::Position));
        let sine = graph.sin(theta);
        let square = graph.mul(theta, theta);
        let sum = graph.add(square, m);
        let quotient = graph.div(sine, sum);
        let third = graph.ratio(1, 3);
        let scaled = graph.mul(third, m);
        let difference = graph.sub(scaled, quotient);
        graph.mul(difference, difference)
    }

    #[test]
    fn text_has_minimal_parentheses() {
        let mut graph = Graph::new();
        let id = sample(&mut graph);
        assert_eq!(text(&graph, id), "(1/3*m - sin(theta_1)/(m + theta_1^2))^2");
        let (a, b) = (graph.symbol("a", Stage::Time), graph.symbol("b", Stage::Time));
        let (sum, difference) = (graph.add(a, b), graph.sub(a, b));
        let nested = graph.sub(sum, difference);
        assert_eq!(text(&graph, nested), "a + b - (a - b)");
        let product = graph.mul(sum, difference);
        let negated = graph.neg(product);
        assert_eq!(text(&graph, negated), "-(a + b)*(a - b)");
        let quotient = graph.div(a, product);
        assert_eq!(text(&graph, quotient), "a/((a + b)*(a - b))");
    }

    #[test]
    fn latex_names_greek_letters_and_subscripts() {
        let mut graph = Graph::new();
        let id = sample(&mut graph);
        assert_eq!(
            latex(&graph, id),
            "\\left(\\frac{1}{3} \\, m - \\frac{\\sin\\left(\\theta_{1}\\right)}{m + \\theta_{1}^{2}}\\right)^{2}"
        );
        assert_eq!(latex_symbol("crank.omega2"), "\\omega_{2,\\mathrm{crank}}");
        assert_eq!(latex_symbol("mass"), "\\mathrm{mass}");
        assert_eq!(latex_symbol("e0"), "e_{0}");
        assert_eq!(latex_symbol("hinge.omega_x_dot"), "\\dot{\\omega}_{x,\\mathrm{hinge}}");
        assert_eq!(latex_symbol("mass_length_squared"), "\\mathrm{mass\\_length\\_squared}");
    }
}
