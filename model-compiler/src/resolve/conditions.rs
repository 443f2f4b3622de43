//! Constraints, initial conditions and outputs; and vectors given or expressed in the axes of a body.

use std::f64::consts::PI;
use std::rc::Rc;

use super::context::Context;
use super::dependence::{Cause, Site};
use super::dimensions::{self, Operand};
use super::{BodyId, Constraint, Initial, Output, Quantity, Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Unary};
use crate::parse::{self, UnitExpression, UnitFactor, Value, ValueKind};
use crate::space::Shape;

impl Context<'_> {
    /// A constraint between positions or velocities, or a drive.
    pub(super) fn resolve_constraint(&self, constraint: &parse::Constraint) -> Option<Constraint> {
        let (lhs, rhs) = (self.operand(&constraint.lhs), self.operand(&constraint.rhs));
        let place = Place { first: constraint.lhs.place.first, last: constraint.rhs.place.last };
        let (lhs, mut rhs) = (lhs?, rhs?);
        self.refuse_bare_angle_beside(&lhs.term, &constraint.rhs);
        self.refuse_bare_angle_beside(&rhs.term, &constraint.lhs);
        if constraint.is_drive {
            rhs.term = self.allow(rhs.term, Site::Law)?;
        }
        let is_velocity = constraint.is_velocity || (constraint.is_drive && depends_on(&lhs.term, Cause::Velocity));
        let is_turn = is_turn(&lhs.term, &rhs.term) || is_turn(&rhs.term, &lhs.term);
        let residual = self.keep(dimensions::subtract(lhs, rhs, "equate", constraint.rhs.place.first))?;
        let residual = if is_turn { within_half_a_turn(residual) } else { residual };
        let residual = self.allow(residual, if is_velocity { Site::VelocityConstraint } else { Site::Constraint })?;
        let (level, what) = match (is_velocity, constraint.is_drive) {
            (true, _) => (Cause::Velocity, "a constraint as velocity"),
            (false, true) => (Cause::Position, "a drive"),
            (false, false) => (Cause::Position, "a constraint"),
        };
        if !depends_on(&residual, level) {
            let without = if is_velocity { "velocities" } else { "positions or velocities" };
            return self.report(diagnostics::no_motion(place, what, without));
        }
        if let Some(Err(span)) = is_velocity.then(|| residual.velocity_degree()) {
            return self.report(diagnostics::not_linear_in_velocities(span, "a constraint"));
        }
        if let Shape::Matrix(..) = residual.shape {
            return self.report(diagnostics::wrong_shape_in_words(place, "a scalar or vector", residual.shape));
        }
        Some(Constraint { name: constraint.name.clone(), residual, is_velocity })
    }

    /// A condition on the initial state.
    pub(super) fn resolve_initial(&self, initial: &parse::Initial) -> Option<Initial> {
        let (lhs, rhs) = (self.operand(&initial.lhs), self.operand(&initial.rhs));
        let axes = initial.axes.as_ref().map(|axes| self.body_of_axes(axes));
        let place = initial.lhs.place;
        let lhs = match axes {
            Some(body) => Operand { term: self.expressed_in(lhs?, body?)?, place },
            None => lhs?,
        };
        let rhs = rhs?;
        self.refuse_bare_angle_beside(&lhs.term, &initial.rhs);
        self.refuse_bare_angle_beside(&rhs.term, &initial.lhs);
        let is_turn = is_turn(&lhs.term, &rhs.term) || is_turn(&rhs.term, &lhs.term);
        let residual = self.keep(dimensions::subtract(lhs, rhs, "equate", initial.rhs.place.first))?;
        let residual = if is_turn { within_half_a_turn(residual) } else { residual };
        let residual = self.allow(residual, Site::Initial)?;
        let is_state = residual.causes().iter().any(|(cause, _)| matches!(cause, Cause::State(_)));
        let is_velocity = is_state || depends_on(&residual, Cause::Velocity);
        if !is_velocity && !depends_on(&residual, Cause::Position) {
            return self.report(diagnostics::no_motion(place, "an initial condition", "positions or velocities"));
        }
        let axes = initial.axes.as_ref().map_or(String::new(), |axes| format!(" in {axes}"));
        let text = format!("{} = {}{axes}", initial.lhs, initial.rhs);
        Some(Initial { residual, is_velocity, text, span: place.first })
    }

    /// A named result.
    pub(super) fn resolve_output(&self, output: &parse::Output) -> Option<Output> {
        // An output has any unit, so that none tells which of both is meant.
        self.refuse_names_that_are_units(&output.value);
        let operand = self.operand(&output.value);
        let axes = output.axes.as_ref().map(|axes| self.body_of_axes(axes));
        let value = match axes {
            Some(body) => self.expressed_in(operand?, body?)?,
            None => operand?.term,
        };
        Some(Output { name: output.name.clone(), value })
    }

    /// Reports `6 N / t` where `t` is a name of the model, too.
    fn refuse_names_that_are_units(&self, value: &Value) {
        if let ValueKind::WithUnit(number, unit) = &value.kind {
            let is_name = |factor: &UnitFactor| factor.divides && self.names.is_declared(&factor.symbol);
            let factors = unit.factors.iter();
            if let Some((place, factor)) = factors.enumerate().find(|(_, factor)| is_name(factor)) {
                let before = UnitExpression { factors: unit.factors[..place].to_vec(), place: unit.place };
                let before = format!("{number} {before}");
                self.errors.push(diagnostics::unit_is_a_name(factor.span, &factor.symbol, &before));
            }
        }
        value.kind.parts().into_iter().for_each(|part| self.refuse_names_that_are_units(part));
    }

    /// A vector in ground axes, expressed in the axes of a body.
    pub(super) fn expressed_in(&self, vector: Operand, body: BodyId) -> Option<Term> {
        self.in_axes(vector, |vector| TermKind::ExpressedIn(vector, body))
    }

    /// Components given in the axes of a body, as a vector in ground axes.
    pub(super) fn given_in(&self, vector: Operand, body: BodyId) -> Option<Term> {
        self.in_axes(vector, |vector| TermKind::GivenIn(vector, body))
    }

    fn in_axes(&self, vector: Operand, kind: impl Fn(Rc<Term>) -> TermKind) -> Option<Term> {
        let Operand { term, place } = vector;
        let expected = Shape::Vector(self.settings.space.dimension());
        if term.shape != expected {
            return self.report(diagnostics::wrong_shape(place, expected, term.shape));
        }
        let (shape, unit, span) = (term.shape, term.unit, term.span);
        Some(Term { kind: kind(Rc::new(term)), shape, unit, span })
    }
}

/// Whether roll or yaw, which are within half a turn, is compared with an angle that may be beyond it.
fn is_turn(angle: &Term, other: &Term) -> bool {
    let is_within = matches!(&other.kind, TermKind::Number(number) if number.to_f64().abs() <= PI);
    matches!(angle.kind, TermKind::Quantity(Quantity::EulerAngle(_, 0 | 2))) && !is_within
}

/// The same angle without whole turns.
fn within_half_a_turn(angle: Term) -> Term {
    let (unit, span, angle) = (angle.unit, angle.span, Rc::new(angle));
    let [sine, cosine] =
        [Unary::Sin, Unary::Cos].map(|function| Term::scalar(TermKind::Unary(function, Rc::clone(&angle)), unit, span));
    Term::binary(Binary::Atan2, sine, cosine, unit)
}

pub(super) fn depends_on(term: &Term, cause: Cause) -> bool {
    term.causes().iter().any(|(found, _)| *found == cause)
}
