//! The expression language in the form that `egg` needs, and the properties of each class of equal expressions.
//!
//! Variables are numbers, not interned names: a process-wide table of names would make results depend on what else was
//! compiled. A class with a constant value keeps only the constant; otherwise the e-graph would fill with forms of it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use egg::{Analysis, DidMerge, EGraph, FromOp, Id, Language};

use crate::expr::{Binary, Number, Stage, Unary};

/// An e-graph of expressions.
pub(super) type Expressions = EGraph<Term, Facts>;

/// What a term does with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Operator {
    Number(Number),
    /// An input, numbered.
    Variable(u32),
    Unary(Unary),
    Binary(Binary),
    Select,
}

impl Operator {
    fn arity(self) -> usize {
        match self {
            Operator::Number(_) | Operator::Variable(_) => 0,
            Operator::Unary(_) => 1,
            Operator::Binary(_) => 2,
            Operator::Select => 4,
        }
    }
}

/// Names of the operators in rules.
const NAMES: [(&str, Operator); 21] = [
    ("neg", Operator::Unary(Unary::Neg)),
    ("sin", Operator::Unary(Unary::Sin)),
    ("cos", Operator::Unary(Unary::Cos)),
    ("tan", Operator::Unary(Unary::Tan)),
    ("asin", Operator::Unary(Unary::Asin)),
    ("acos", Operator::Unary(Unary::Acos)),
    ("atan", Operator::Unary(Unary::Atan)),
    ("sqrt", Operator::Unary(Unary::Sqrt)),
    ("exp", Operator::Unary(Unary::Exp)),
    ("ln", Operator::Unary(Unary::Ln)),
    ("tanh", Operator::Unary(Unary::Tanh)),
    ("abs", Operator::Unary(Unary::Abs)),
    ("sign", Operator::Unary(Unary::Sign)),
    ("+", Operator::Binary(Binary::Add)),
    ("-", Operator::Binary(Binary::Sub)),
    ("*", Operator::Binary(Binary::Mul)),
    ("/", Operator::Binary(Binary::Div)),
    ("atan2", Operator::Binary(Binary::Atan2)),
    ("pow", Operator::Binary(Binary::Power)),
    ("min", Operator::Binary(Binary::Min)),
    ("max", Operator::Binary(Binary::Max)),
];

/// A number for every operator; all constants have the same, and all variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Kind(u8);

impl Kind {
    const NUMBER: Kind = Kind(0);
    const VARIABLE: Kind = Kind(1);
    const SELECT: Kind = Kind(2);

    fn of(operator: Operator) -> Kind {
        match operator {
            Operator::Number(_) => Kind::NUMBER,
            Operator::Variable(_) => Kind::VARIABLE,
            Operator::Select => Kind::SELECT,
            Operator::Unary(op) => Kind(64 + op as u8),
            Operator::Binary(op) => Kind(128 + op as u8),
        }
    }
}

/// An operator on classes.
#[derive(Clone, Copy, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Term {
    /// The kind of the operator, which is compared far more often than the operator itself.
    kind: Kind,
    pub(super) operator: Operator,
    /// Operands beyond the arity are zero, as the order of terms relies on.
    operands: [Id; 4],
}

impl Term {
    /// A term; there must be as many operands as the operator takes.
    pub(super) fn new(operator: Operator, operands: &[Id]) -> Term {
        debug_assert_eq!(operator.arity(), operands.len());
        let mut padded = [Id::from(0); 4];
        padded[..operands.len()].copy_from_slice(operands);
        Term { kind: Kind::of(operator), operator, operands: padded }
    }

    pub(super) fn number(number: Number) -> Term {
        Term::new(Operator::Number(number), &[])
    }
}

/// The kind is sufficient, except for constants and variables.
impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        self.operands == other.operands && self.matches(other)
    }
}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        if self.kind <= Kind::VARIABLE {
            self.operator.hash(state);
        }
        self.operands.hash(state);
    }
}

impl Language for Term {
    type Discriminant = Kind;

    fn discriminant(&self) -> Kind {
        self.kind
    }

    fn matches(&self, other: &Term) -> bool {
        self.kind == other.kind && (self.kind > Kind::VARIABLE || self.operator == other.operator)
    }

    fn children(&self) -> &[Id] {
        &self.operands[..self.operator.arity()]
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.operands[..self.operator.arity()]
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operator {
            Operator::Number(number) => write!(f, "{number}"),
            Operator::Variable(index) => write!(f, "x{index}"),
            Operator::Select => f.write_str("select"),
            operator => f.write_str(NAMES.iter().find(|(_, other)| *other == operator).map_or("?", |(name, _)| name)),
        }
    }
}

/// A word of a rule that is not an operator, or has the wrong number of operands.
#[derive(Debug)]
pub(super) struct UnknownTerm(String);

impl fmt::Display for UnknownTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no term", self.0)
    }
}

impl std::error::Error for UnknownTerm {}

impl FromStr for Operator {
    type Err = UnknownTerm;
    fn from_str(word: &str) -> Result<Operator, UnknownTerm> {
        let named = NAMES.iter().find(|(name, _)| *name == word).map(|&(_, operator)| operator);
        let select = (word == "select").then_some(Operator::Select);
        let number = || Number::parse_decimal(word).map(Operator::Number);
        named.or(select).or_else(number).ok_or_else(|| UnknownTerm(word.to_owned()))
    }
}

impl FromOp for Term {
    type Error = UnknownTerm;
    fn from_op(word: &str, operands: Vec<Id>) -> Result<Term, UnknownTerm> {
        let operator: Operator = word.parse()?;
        if operator.arity() != operands.len() {
            return Err(UnknownTerm(word.to_owned()));
        }
        Ok(Term::new(operator, &operands))
    }
}

/// Known properties of the values of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// The exact value, if it is a constant.
    pub(super) constant: Option<Number>,
    /// The stage at which the value becomes known, by the earliest way to compute it.
    pub(super) stage: Stage,
    /// Whether the value is greater than zero for all inputs.
    pub(super) is_positive: bool,
    /// Whether the value is different from zero for all inputs.
    pub(super) is_nonzero: bool,
}

/// Computes [`Known`] for every class.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// The stage of every variable.
    pub(super) variable_stages: Vec<Stage>,
    /// Whether two different constants were found equal, which means that a rule is wrong or divides by zero.
    pub(super) is_contradictory: bool,
}

impl Analysis<Term> for Facts {
    type Data = Known;

    fn make(egraph: &mut Expressions, term: &Term, _id: Id) -> Known {
        let known = |operand: &Id| egraph[*operand].data;
        let operands: Vec<Known> = term.children().iter().map(known).collect();
        let stage = match term.operator {
            Operator::Variable(index) => {
                egraph.analysis.variable_stages.get(index as usize).copied().unwrap_or(Stage::Acceleration)
            }
            _ => operands.iter().map(|operand| operand.stage).max().unwrap_or_default(),
        };
        let constant = constant_value(term.operator, &operands);
        match constant {
            Some(value) => {
                let is_positive = !value.is_zero() && !value.is_negative();
                Known { constant, stage: Stage::Constant, is_positive, is_nonzero: !value.is_zero() }
            }
            None => {
                let is_positive = is_positive(term.operator, &operands);
                let is_nonzero = is_positive || is_nonzero(term.operator, &operands);
                Known { constant, stage, is_positive, is_nonzero }
            }
        }
    }

    fn merge(&mut self, known: &mut Known, other: Known) -> DidMerge {
        let before = *known;
        if let (Some(x), Some(y)) = (known.constant, other.constant) {
            self.is_contradictory |= x != y;
        }
        known.constant = match (known.constant, other.constant) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        };
        known.stage = known.stage.min(other.stage);
        known.is_positive |= other.is_positive;
        known.is_nonzero |= other.is_nonzero;
        DidMerge(*known != before, *known != other)
    }

    fn modify(egraph: &mut Expressions, id: Id) {
        if let Some(value) = egraph[id].data.constant {
            let constant = egraph.add(Term::number(value));
            egraph.union(id, constant);
            egraph[id].nodes.retain(Language::is_leaf);
        }
    }
}

/// Folds exact arithmetic; numbers without an exact value are like variables.
fn constant_value(operator: Operator, operands: &[Known]) -> Option<Number> {
    let constant = |k: usize| operands[k].constant;
    match operator {
        Operator::Number(number) => Some(number).filter(|number| number.is_exact()),
        Operator::Unary(Unary::Neg) => constant(0)?.checked_neg(),
        Operator::Unary(Unary::Sqrt) => constant(0)?.exact_sqrt(),
        Operator::Binary(Binary::Add) => constant(0)?.checked_add(constant(1)?),
        Operator::Binary(Binary::Sub) => constant(0)?.checked_sub(constant(1)?),
        Operator::Binary(Binary::Mul) => constant(0)?.checked_mul(constant(1)?),
        Operator::Binary(Binary::Div) => constant(0)?.checked_div(constant(1)?),
        _ => None,
    }
}

fn is_positive(operator: Operator, operands: &[Known]) -> bool {
    match operator {
        Operator::Unary(Unary::Exp) => true,
        Operator::Unary(Unary::Sqrt) => operands[0].is_positive,
        Operator::Binary(Binary::Add | Binary::Mul | Binary::Div | Binary::Min | Binary::Max) => {
            operands.iter().all(|operand| operand.is_positive)
        }
        _ => false,
    }
}

fn is_nonzero(operator: Operator, operands: &[Known]) -> bool {
    match operator {
        Operator::Unary(Unary::Neg) | Operator::Binary(Binary::Mul | Binary::Div) => {
            operands.iter().all(|operand| operand.is_nonzero)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egg::RecExpr;

    fn class_of(text: &str, egraph: &mut Expressions) -> Known {
        let expression: RecExpr<Term> = text.parse().expect("a term");
        let id = egraph.add_expr(&expression);
        egraph.rebuild();
        egraph[id].data
    }

    #[test]
    fn folds_constants_and_prunes_their_classes() {
        let mut egraph = Expressions::default();
        let known = class_of("(* (/ 1 3) (+ 2 (sqrt 4)))", &mut egraph);
        assert_eq!(known.constant, Some(Number::ratio(4, 3)));
        assert!(known.is_positive && known.is_nonzero);
        assert!(egraph.classes().all(|class| class.data.constant.is_none() || class.nodes.len() == 1));
    }

    #[test]
    fn knows_signs() {
        let mut egraph = Expressions::default();
        assert!(class_of("(neg (exp (sin 1)))", &mut egraph).is_nonzero);
        assert!(!class_of("(sin 1)", &mut egraph).is_nonzero);
        assert_eq!(class_of("(/ 1 0)", &mut egraph).constant, None);
    }

    #[test]
    fn different_constants_in_one_class_are_a_contradiction() {
        let mut egraph = Expressions::default();
        let (one, two) = (egraph.add(Term::number(Number::from(1))), egraph.add(Term::number(Number::from(2))));
        egraph.union(one, two);
        egraph.rebuild();
        assert!(egraph.analysis.is_contradictory);
    }
}
