//! Untyped expressions → typed terms.

use proc_macro2::Ident;

use super::context::Context;
use super::dimensions::{self, Operand};
use super::names::{self, Meaning};
use super::quantity::Subject;
use super::{Frame, Quantity, Term, TermKind, angles, functions};
use crate::diagnostics::{self, Place};
use crate::expr::Number;
use crate::limits;
use crate::parse::{Choice, Index, Operator, UnitExpression, Value, ValueKind};
use crate::space::Shape;
use crate::units::{self, Declared, Unit};

impl Context<'_> {
    /// The term that an expression stands for, or `None` after reporting what is wrong with it.
    pub(super) fn term(&self, value: &Value) -> Option<Term> {
        match self.subject(value)? {
            Subject::Term(mut term) => {
                term.span = value.place.first;
                Some(term)
            }
            other => self.as_term(other, value.place),
        }
    }

    /// The term together with where it is written.
    pub(super) fn operand(&self, value: &Value) -> Option<Operand> {
        Some(Operand { term: self.term(value)?, place: value.place })
    }

    /// The term of an expression that must have this shape and unit.
    pub(super) fn typed(&self, value: &Value, shape: Shape, unit: impl Into<Declared>) -> Option<Term> {
        let unit = unit.into();
        let operand = self.operand(value)?;
        let found = operand.term.unit;
        let typed = operand.require(shape, unit);
        self.keep(typed.map_err(|error| {
            match value.as_name().and_then(|name| Some((self.names.declared_at(&name)?, name))) {
                Some((declared, name)) if found != unit.unit => {
                    diagnostics::declared_here(error, declared, &name, found)
                }
                _ => error,
            }
        }))
    }

    /// All operands, or `None` if one of them is in error; errors of all of them are reported.
    fn operands(&self, values: &[Value]) -> Option<Vec<Operand>> {
        let operands: Vec<Option<Operand>> = values.iter().map(|value| self.operand(value)).collect();
        operands.into_iter().collect()
    }

    /// What an expression is about, which need not be a value.
    pub(super) fn subject(&self, value: &Value) -> Option<Subject> {
        let place = value.place;
        let term = match &value.kind {
            ValueKind::Name(name) => return self.named(name),
            ValueKind::Field(base, name) => return self.member(base, name),
            ValueKind::Point(body, position) => return self.point(body, position),
            ValueKind::In(vector, axes) => {
                let (vector, body) = (self.operand(vector), self.body_of_axes(axes));
                self.expressed_in(vector?, body?)
            }
            ValueKind::Number(digits) => self.number(digits, place),
            ValueKind::WithUnit(value, unit) => self.with_unit(value, unit),
            ValueKind::Index(base, indices) => {
                if let Some(name) = value.as_name()
                    && self.stands_alone(&name, base)
                {
                    return self.named(&name);
                }
                let term = self.operand(base);
                indices.iter().fold(term, |base, index| self.index(base?, index)).map(|operand| operand.term)
            }
            ValueKind::Call(name, arguments) => {
                if angles::FUNCTIONS.iter().any(|known| name == known) {
                    arguments.iter().for_each(|argument| self.refuse_bare_angle(argument));
                }
                let arguments = self.operands(arguments);
                // Errors in the arguments of an unknown function are reported with it.
                if arguments.is_none() && !functions::NAMES.iter().any(|known| name == known) {
                    return self.report(diagnostics::unknown_word("function", name, functions::NAMES));
                }
                self.keep(functions::call(name, arguments?, place)).and_then(|term| self.bounded(term, place))
            }
            ValueKind::Stack(parts) => {
                let parts = self.operands(parts)?;
                self.keep(dimensions::stack(parts, place))
            }
            ValueKind::Negation(value) => self.term(value).map(Term::negated),
            ValueKind::Operation(operator, span, of_lhs, of_rhs) => {
                let (lhs, rhs) = (self.operand(of_lhs), self.operand(of_rhs));
                let (lhs, rhs) = (lhs?, rhs?);
                if matches!(operator, Operator::Add | Operator::Subtract) {
                    self.refuse_bare_angles([(&lhs.term, of_lhs), (&rhs.term, of_rhs)]);
                }
                self.keep(match operator {
                    Operator::Add => dimensions::add(lhs, rhs, *span),
                    Operator::Subtract => dimensions::subtract(lhs, rhs, "subtract", *span),
                    Operator::Multiply => dimensions::multiply(lhs, rhs, *span),
                    Operator::Divide => dimensions::divide(lhs, rhs),
                    Operator::Power => dimensions::power(lhs, rhs),
                })
            }
            ValueKind::Choice(choice) => self.choice(choice, place),
        };
        term.map(Subject::Term)
    }

    pub(super) fn named(&self, name: &Ident) -> Option<Subject> {
        let span = name.span();
        let term = match name.to_string().as_str() {
            "ground" => return Some(Subject::Body(None)),
            "model" => return Some(Subject::Model),
            "time" => Term::scalar(TermKind::Time, Unit::SECOND, span),
            "pi" => Term::number(Number::from_f64(std::f64::consts::PI), span),
            _ if self.index_of_force(name).is_some() => return self.force(name),
            _ if self.index_of_constraint(name).is_some() => return self.constraint(name),
            _ => match self.names.look_up(name, self.errors)? {
                Meaning::Body(body) => return Some(Subject::Body(Some(body))),
                Meaning::Member(index) => return Some(Subject::Member(index)),
                Meaning::Beam(index) => return Some(Subject::Beam(index)),
                Meaning::Marker(index) => {
                    if !self.unfinished_markers.borrow_mut().insert(index) {
                        return self.report(diagnostics::defined_by_itself(name));
                    }
                    let frame = self.markers.get(index).and_then(|marker| self.frame(marker, None));
                    self.unfinished_markers.borrow_mut().remove(&index);
                    return frame.map(|frame| Subject::Point(Frame { rotation: None, ..frame }));
                }
                Meaning::Joint(joint) => return Some(Subject::Joint(joint)),
                Meaning::Coordinate(joint) => return self.sole_coordinate(joint, Place::at(span)),
                Meaning::Input(id) => Term::scalar(TermKind::Input(id), self.inputs.get(id.0)?.unit, span),
                Meaning::State(id) => {
                    let unit = self.states.get(id.0)?.unit;
                    Term::scalar(TermKind::Quantity(Quantity::State(id)), unit, span)
                }
                Meaning::Parameter(id) => {
                    let (shape, unit) = *self.parameters.get(id.0)?;
                    Term { kind: TermKind::Parameter(id), shape, unit, span }
                }
                Meaning::Definition(index) => {
                    let (term, size) = self.definitions.get(index)?;
                    self.replace(*size, Place::at(span))?;
                    term.clone()
                }
                Meaning::Pending | Meaning::Itself | Meaning::Broken => return None,
            },
        };
        Some(Subject::Term(term))
    }

    fn number(&self, digits: &str, place: Place) -> Option<Term> {
        let number = Number::parse_decimal(digits).filter(|number| number.to_f64().is_finite());
        let number = number.ok_or_else(|| diagnostics::number_out_of_range(place));
        self.keep(number).map(|number| Term::number(number, place.first))
    }

    fn with_unit(&self, value: &Value, written: &UnitExpression) -> Option<Term> {
        let operand = self.operand(value);
        let (unit, factor) = self.unit(written)?;
        let term = self.keep(dimensions::with_unit(operand?, unit, |number| factor.apply(number)))?;
        let mut is_finite = true;
        term.walk(&mut |part| is_finite &= !matches!(part.kind, TermKind::Number(x) if !x.to_f64().is_finite()));
        if !is_finite {
            self.errors.push(diagnostics::number_out_of_range(value.place));
        }
        is_finite.then_some(term)
    }

    /// The unit that is written, and its factor to SI units.
    pub(super) fn unit(&self, written: &UnitExpression) -> Option<(Unit, units::Factor)> {
        let (mut unit, mut factor, mut is_known) = (Unit::ONE, units::Factor::ONE, true);
        for part in &written.factors {
            let Some(symbol) = units::find(&part.symbol) else {
                self.errors.push(diagnostics::unknown_unit(&part.symbol, part.span));
                is_known = false;
                continue;
            };
            match (symbol.unit.power(part.exponent.into(), 1), symbol.factor().power(part.exponent)) {
                (Some(power), Some(scale)) => {
                    unit = unit.times(power);
                    factor = factor.times(scale);
                }
                _ => {
                    self.errors.push(diagnostics::no_such_power(Place::at(part.span), symbol.unit));
                    is_known = false;
                }
            }
        }
        is_known.then_some((unit, factor))
    }

    /// Whether a name with indices is declared as such; if neither it nor its base is, it is what to complain about.
    fn stands_alone(&self, name: &Ident, base: &Value) -> bool {
        let base = base.as_name().is_some_and(|base| self.names.get(&base).is_some() || names::is_reserved(&base));
        !base || self.names.get(name).is_some()
    }

    fn index(&self, base: Operand, index: &Index) -> Option<Operand> {
        let position = self.keep(index.value.ok_or_else(|| diagnostics::index_not_integer(index.place)))?;
        let Operand { term, place } = base;
        let length = match term.shape {
            Shape::Vector(n) | Shape::Matrix(n, _) => n,
            Shape::Scalar => {
                self.errors.push(diagnostics::wrong_shape_in_words(place, "a vector or matrix", term.shape));
                return None;
            }
        };
        if position >= length {
            self.errors.push(diagnostics::index_out_of_range(index.place, length));
            return None;
        }
        Some(Operand { term: self.bounded(term.component(position), place)?, place })
    }

    fn choice(&self, choice: &Choice, place: Place) -> Option<Term> {
        let [lhs, rhs, then, otherwise] =
            [&choice.lhs, &choice.rhs, &choice.then, &choice.otherwise].map(|value| self.operand(value));
        let (lhs, rhs, then, otherwise) = (lhs?, rhs?, then?, otherwise?);
        self.refuse_bare_angles([(&lhs.term, &choice.lhs), (&rhs.term, &choice.rhs)]);
        let (compared, chosen) = (choice.rhs.place.first, choice.otherwise.place.first);
        let sides = self.keep(dimensions::alike(lhs, rhs, "compare", compared));
        let branches = self.keep(dimensions::alike(then, otherwise, "choose between", chosen));
        let (sides, branches) = (sides?, branches?);
        let left = Operand { term: sides.0, place: choice.lhs.place };
        let sides = (self.keep(left.require_scalar())?, sides.1);
        Some(dimensions::select(choice.comparison, sides, branches, place.first))
    }

    /// Counts terms that a name is replaced by; refuses too many, once.
    fn replace(&self, terms: usize, place: Place) -> Option<()> {
        let before = self.replaced.get();
        self.replaced.set(before.saturating_add(terms));
        if self.replaced.get() <= limits::ALL_TERMS {
            return Some(());
        }
        if before <= limits::ALL_TERMS {
            self.errors.push(diagnostics::too_many_terms(place, limits::ALL_TERMS));
        }
        None
    }

    /// Refuses terms that have grown beyond reason.
    pub(super) fn bounded(&self, term: Term, place: Place) -> Option<Term> {
        if term.depth() > limits::DEPTH_OF_TERMS {
            self.errors.push(diagnostics::expression_too_deep(place, limits::DEPTH_OF_TERMS));
            return None;
        }
        if term.size() > limits::TERMS {
            self.errors.push(diagnostics::expression_too_large(place, limits::TERMS));
            return None;
        }
        Some(term)
    }
}
