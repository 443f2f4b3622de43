//! What a typed expression depends on, and where in a model which dependence is allowed.

use proc_macro2::Span;

use super::context::Context;
use super::{Frame, InputId, Quantity, StateId, Term, TermKind};
use crate::diagnostics;
use crate::expr::{Binary, Unary};

/// What a term depends on besides numbers and parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    Input(InputId),
    Time,
    Position,
    Velocity,
    Acceleration,
    /// A quantity of first order.
    State(StateId),
    /// An energy or momentum of the whole model.
    Total,
    /// What a joint or a constraint does.
    Reaction,
}

impl Term {
    /// Visits this term and all terms in it.
    pub(super) fn walk(&self, visit: &mut impl FnMut(&Term)) {
        visit(self);
        self.for_each_part(&mut |part| part.walk(visit));
    }

    /// Visits the terms that this one is made of.
    fn for_each_part(&self, visit: &mut impl FnMut(&Term)) {
        match &self.kind {
            TermKind::Number(_) | TermKind::Parameter(_) | TermKind::Input(_) | TermKind::Time => {}
            TermKind::Stack(parts) | TermKind::Diagonal(parts) => parts.iter().for_each(visit),
            TermKind::Component(a, _)
            | TermKind::Unary(_, a)
            | TermKind::Norm(a)
            | TermKind::Transpose(a)
            | TermKind::ExpressedIn(a, _)
            | TermKind::GivenIn(a, _) => visit(a),
            TermKind::Binary(_, a, b) | TermKind::Dot(a, b) | TermKind::Cross(a, b) => {
                visit(a);
                visit(b);
            }
            TermKind::Select { lhs, rhs, then, otherwise } => {
                [lhs, rhs, then, otherwise].into_iter().for_each(|part| visit(part));
            }
            TermKind::Quantity(Quantity::Position(at) | Quantity::Velocity(at) | Quantity::Acceleration(at)) => {
                let Frame { position, rotation, .. } = &**at;
                position.iter().chain(rotation).for_each(visit);
            }
            TermKind::Quantity(_) => {}
        }
    }

    /// Number of terms in this one.
    pub(super) fn size(&self) -> usize {
        let mut size = 0;
        self.walk(&mut |_| size += 1);
        size
    }

    /// Levels of terms in this one.
    pub(super) fn depth(&self) -> usize {
        let mut below = 0;
        self.for_each_part(&mut |part| below = part.depth().max(below));
        below + 1
    }

    /// Whether it is linear in velocities (`1`), or does not contain any (`0`); else where it is neither.
    pub(super) fn velocity_degree(&self) -> Result<u8, Span> {
        let linear = |degree: u8| if degree > 1 { Err(self.span) } else { Ok(degree) };
        let largest = |parts: &[Term]| parts.iter().try_fold(0, |degree, part| Ok(part.velocity_degree()?.max(degree)));
        let none = |part: &Term| if part.velocity_degree()? == 0 { Ok(0) } else { Err(part.span) };
        match &self.kind {
            TermKind::Number(_) | TermKind::Parameter(_) | TermKind::Input(_) | TermKind::Time => Ok(0),
            TermKind::Stack(parts) | TermKind::Diagonal(parts) => largest(parts),
            TermKind::Component(a, _) | TermKind::Transpose(a) | TermKind::Unary(Unary::Neg, a) => a.velocity_degree(),
            TermKind::ExpressedIn(a, _) | TermKind::GivenIn(a, _) => a.velocity_degree(),
            TermKind::Unary(_, a) | TermKind::Norm(a) => none(a),
            TermKind::Binary(Binary::Add | Binary::Sub, a, b) => Ok(a.velocity_degree()?.max(b.velocity_degree()?)),
            TermKind::Binary(Binary::Mul, a, b) | TermKind::Dot(a, b) | TermKind::Cross(a, b) => {
                linear(a.velocity_degree()? + b.velocity_degree()?)
            }
            TermKind::Binary(Binary::Div, a, b) => none(b).and(a.velocity_degree()),
            TermKind::Binary(_, a, b) => none(a).and(none(b)),
            TermKind::Select { lhs, rhs, then, otherwise } => {
                none(lhs)?;
                none(rhs)?;
                Ok(then.velocity_degree()?.max(otherwise.velocity_degree()?))
            }
            kind => Ok(u8::from(cause(kind) == Some(Cause::Velocity))),
        }
    }

    /// What it depends on, and where.
    pub(super) fn causes(&self) -> Vec<(Cause, Span)> {
        let mut causes = Vec::new();
        self.walk(&mut |term| causes.extend(cause(&term.kind).map(|cause| (cause, term.span))));
        causes
    }
}

fn cause(kind: &TermKind) -> Option<Cause> {
    let quantity = match kind {
        TermKind::Input(id) => return Some(Cause::Input(*id)),
        TermKind::Time => return Some(Cause::Time),
        TermKind::ExpressedIn(..) | TermKind::GivenIn(..) => return Some(Cause::Position),
        TermKind::Quantity(quantity) => quantity,
        _ => return None,
    };
    Some(match quantity {
        Quantity::Position(_)
        | Quantity::Rotation(_)
        | Quantity::Angle(_)
        | Quantity::EulerAngle(..)
        | Quantity::Coordinate(..) => Cause::Position,
        Quantity::State(id) => Cause::State(*id),
        Quantity::Velocity(_) | Quantity::AngularVelocity(_) | Quantity::CoordinateVelocity(..) => Cause::Velocity,
        Quantity::Acceleration(_) | Quantity::AngularAcceleration(_) | Quantity::CoordinateAcceleration(..) => {
            Cause::Acceleration
        }
        Quantity::KineticEnergy
        | Quantity::PotentialEnergy
        | Quantity::Momentum
        | Quantity::AngularMomentum
        | Quantity::Force(..) => Cause::Total,
        Quantity::Reaction(..) | Quantity::Multiplier(_) => Cause::Reaction,
    })
}

/// A place in a model that not everything may stand in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    /// Parameters, masses, dimensions: known when the model is constructed. The words name it in messages.
    Fixed(&'static str),
    /// An applied force.
    Force,
    /// The rate of change of a state, or a velocity of low frequency.
    Rate,
    /// The velocity of the fluid around a body.
    Current,
    /// A constraint on positions.
    Constraint,
    /// A constraint on velocities.
    VelocityConstraint,
    /// The gap of a contact.
    Gap,
    /// The slip of a contact.
    Slip,
    /// The right side of a drive.
    Law,
    /// A condition on the initial state.
    Initial,
}

impl Context<'_> {
    /// Gives a term that may stand there, or `None` after reporting why it may not.
    pub(super) fn allow(&self, term: Term, site: Site) -> Option<Term> {
        let error = term.causes().into_iter().find_map(|(cause, span)| self.objection(site, cause, span));
        match error {
            Some(error) => {
                self.errors.push(error);
                None
            }
            None => Some(term),
        }
    }

    fn objection(&self, site: Site, cause: Cause, span: Span) -> Option<syn::Error> {
        let (place, allowed) = match site {
            Site::Fixed(place) => (place, "numbers and parameters"),
            Site::Force => ("a force", "positions, velocities, states, inputs and time"),
            Site::Rate => ("a rate of change", "positions, velocities, states, inputs and time"),
            Site::Current => ("a current", "numbers, parameters, inputs and time"),
            Site::Constraint => ("a constraint", "positions and time"),
            Site::VelocityConstraint => ("a constraint as velocity", "positions, velocities and time"),
            Site::Gap => ("a gap", "positions and time"),
            Site::Slip => ("a slip", "positions, velocities and time"),
            Site::Law => ("the law of a drive", "numbers, parameters and time"),
            Site::Initial => ("an initial condition", "positions, velocities, states and time"),
        };
        match (site, cause) {
            (Site::Force, Cause::Acceleration) => Some(diagnostics::acceleration_in_force(span)),
            (Site::Constraint, Cause::Velocity) => Some(diagnostics::velocity_in_constraint(span)),
            (Site::Constraint | Site::VelocityConstraint | Site::Law, Cause::Input(id)) => {
                Some(diagnostics::input_in_constraint(span, &self.input_name(id)))
            }
            (Site::Law, Cause::Time) => None,
            (Site::Current, Cause::Input(_) | Cause::Time) => None,
            (Site::Fixed(_) | Site::Law | Site::Current, _)
            | (_, Cause::Total | Cause::Reaction)
            | (Site::Rate | Site::Constraint | Site::VelocityConstraint | Site::Initial, Cause::Acceleration)
            | (Site::Constraint | Site::VelocityConstraint, Cause::State(_))
            | (Site::Gap, Cause::Velocity | Cause::Acceleration | Cause::State(_) | Cause::Input(_))
            | (Site::Slip, Cause::Acceleration | Cause::State(_) | Cause::Input(_))
            | (Site::Initial, Cause::Input(_)) => {
                Some(diagnostics::wrong_dependence(span, place, allowed, &self.describe(cause)))
            }
            _ => None,
        }
    }

    fn describe(&self, cause: Cause) -> String {
        match cause {
            Cause::Input(id) => format!("input `{}`", self.input_name(id)),
            Cause::Time => "`time`".to_owned(),
            Cause::Position => "a position".to_owned(),
            Cause::Velocity => "a velocity".to_owned(),
            Cause::Acceleration => "an acceleration".to_owned(),
            Cause::State(id) => format!("state `{}`", self.state_name(id)),
            Cause::Total => "a total of the model".to_owned(),
            Cause::Reaction => "what a joint or a constraint does, which outputs may contain".to_owned(),
        }
    }
}
