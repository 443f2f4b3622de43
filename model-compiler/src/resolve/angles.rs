//! Numbers that are meant as angles: they carry a unit, because -30 may be degrees as well as radians.
//!
//! Zero is the same in both, and what is made with `pi` or with other names can only be radians.

use super::context::Context;
use super::{JointId, Quantity, Term, TermKind};
use crate::diagnostics;
use crate::expr::{Binary, Number, Unary};
use crate::parse::{Operator, Value, ValueKind};

/// Functions of angles.
pub(super) const FUNCTIONS: [&str; 7] = ["sin", "cos", "tan", "rotation_x", "rotation_y", "rotation_z", "euler_zyx"];

impl Term {
    /// Whether it is made of angles, or of their rates, by sums and scaling alone; `unit` tells the unit of a coordinate of
    /// a joint, or of a velocity.
    pub(crate) fn is_angular(&self, unit: &dyn Fn(JointId, usize, Level) -> Option<&'static str>) -> bool {
        let is = |term: &Term| term.is_angular(unit);
        let is_number = |term: &Term| matches!(term.kind, TermKind::Number(_));
        match &self.kind {
            TermKind::Quantity(quantity) => match *quantity {
                Quantity::Angle(_)
                | Quantity::EulerAngle(..)
                | Quantity::AngularVelocity(_)
                | Quantity::AngularAcceleration(_) => true,
                Quantity::Coordinate(joint, i) => {
                    unit(joint, i, Level::Position).is_some_and(|unit| unit.starts_with("rad"))
                }
                Quantity::CoordinateVelocity(joint, i) | Quantity::CoordinateAcceleration(joint, i) => {
                    unit(joint, i, Level::Velocity).is_some_and(|unit| unit.starts_with("rad"))
                }
                _ => false,
            },
            TermKind::Stack(terms) => terms.iter().any(is),
            TermKind::Component(a, _)
            | TermKind::Unary(Unary::Neg, a)
            | TermKind::Norm(a)
            | TermKind::ExpressedIn(a, _) => is(a),
            TermKind::Binary(Binary::Add | Binary::Sub, a, b) => is(a) || is(b),
            TermKind::Binary(Binary::Mul, a, b) => (is_number(a) && is(b)) || (is(a) && is_number(b)),
            TermKind::Binary(Binary::Div, a, b) => is(a) && is_number(b),
            _ => false,
        }
    }
}

/// Coordinates or velocities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Among the coordinates.
    Position,
    /// Among the velocities.
    Velocity,
}

impl Context<'_> {
    /// Reports a bare number where an angle is meant.
    pub(super) fn refuse_bare_angle(&self, value: &Value) {
        if let Some(bare) = bare_number(value) {
            self.errors.push(diagnostics::angle_without_unit(bare.place, &bare.to_string(), can_have_unit(bare)));
        } else if let Some((quotient, unit)) = divided_by_angle(value) {
            self.errors.push(diagnostics::divided_by_angle(quotient.place, &quotient.to_string(), unit));
        }
    }

    /// The same for both sides of a sum or a comparison, where one is an angle, or a sum of some; a formula such as
    /// `1 + 0.2 * hinge.angle` is none.
    pub(super) fn refuse_bare_angles(&self, sides: [(&Term, &Value); 2]) {
        let [(left, of_left), (right, of_right)] = sides;
        for (angle, value) in [(left, of_right), (right, of_left)] {
            let is_suspect = || bare_number(value).is_some() || divided_by_angle(value).is_some();
            if angle.unit.is_one() && is_suspect() && self.is_angle(angle) {
                self.refuse_bare_angle(value);
            }
        }
    }

    /// Whether a term is an angle, or a sum of angles and numbers.
    fn is_angle(&self, term: &Term) -> bool {
        match &term.kind {
            TermKind::Quantity(Quantity::Angle(_) | Quantity::EulerAngle(..)) => true,
            TermKind::Quantity(Quantity::Coordinate(joint, index)) => {
                let (q, _) = self.channels(*joint);
                q.get(*index).is_some_and(|channel| channel.unit == "rad")
            }
            TermKind::Unary(Unary::Neg, a) => self.is_angle(a),
            TermKind::Binary(Binary::Add | Binary::Sub, a, b) => self.is_angle(a) || self.is_angle(b),
            _ => false,
        }
    }

    /// Reports a bare number that is equated with an angle, or with what is made of angles.
    pub(super) fn refuse_bare_angle_beside(&self, angle: &Term, value: &Value) {
        let unit = |joint: JointId, index: usize, level: Level| {
            let (q, v) = self.channels(joint);
            let channels = if level == Level::Position { q } else { v };
            channels.get(index).map(|channel| channel.unit)
        };
        if angle.unit.is_one() && angle.is_angular(&unit) {
            self.refuse_bare_angle(value);
        }
    }
}

/// The part of an expression that is made of digits alone, and is not zero.
fn bare_number(value: &Value) -> Option<&Value> {
    match &value.kind {
        ValueKind::Number(_) | ValueKind::Operation(..) => {
            exact(value).filter(|number| !number.is_zero()).map(|_| value)
        }
        ValueKind::Negation(inner) => bare_number(inner).map(|_| value),
        ValueKind::Stack(parts) => parts.iter().find_map(bare_number),
        ValueKind::Choice(choice) => bare_number(&choice.then).or_else(|| bare_number(&choice.otherwise)),
        _ => None,
    }
}

/// A number divided by an angle, as `90/2 deg`, where half of 90 deg is meant; and the angle's unit.
fn divided_by_angle(value: &Value) -> Option<(&Value, &str)> {
    match &value.kind {
        ValueKind::Negation(inner) => divided_by_angle(inner),
        ValueKind::Stack(parts) => parts.iter().find_map(divided_by_angle),
        ValueKind::Operation(Operator::Divide, _, dividend, divisor) => {
            let ValueKind::WithUnit(_, unit) = &divisor.kind else { return None };
            let [factor] = unit.factors.as_slice() else { return None };
            let is_plain = matches!(dividend.kind, ValueKind::Name(_)) || exact(dividend).is_some();
            let is_angle = factor.exponent == 1 && ["deg", "rad"].contains(&factor.symbol.as_str());
            (is_plain && is_angle).then_some((value, factor.symbol.as_str()))
        }
        _ => None,
    }
}

/// The value of an expression of plain numbers.
fn exact(value: &Value) -> Option<Number> {
    match &value.kind {
        ValueKind::Number(digits) => Number::parse_decimal(digits),
        ValueKind::Negation(a) => exact(a)?.checked_neg(),
        ValueKind::Operation(operator, _, a, b) => {
            let (a, b) = (exact(a)?, exact(b)?);
            match operator {
                Operator::Add => a.checked_add(b),
                Operator::Subtract => a.checked_sub(b),
                Operator::Multiply => a.checked_mul(b),
                Operator::Divide => a.checked_div(b),
                // Whatever it is, it is not zero unless its base is.
                Operator::Power => Some(a),
            }
        }
        _ => None,
    }
}

/// Units follow numbers.
fn can_have_unit(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Number(_) => true,
        ValueKind::Negation(inner) => matches!(inner.kind, ValueKind::Number(_)),
        _ => false,
    }
}
