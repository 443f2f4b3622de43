//! Quantities of the motion: `top.angular_velocity`, `(rod at p).velocity.x`, `hinge.angle`, `model.kinetic_energy`.

use std::rc::Rc;

use proc_macro2::{Ident, Span};

use super::context::Context;
use super::dependence::Site;
use super::{BodyId, Force, ForceValue, Formulation, Frame, JointId, Quantity, ReactionValue, Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::Binary;
use crate::forces::Target;
use crate::parse::Value;
use crate::space::{Shape, Space};
use crate::units::Unit;

/// What an expression is about.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// A value.
    Term(Term),
    /// A body, or the ground.
    Body(Option<BodyId>),
    /// A flexible member, by its index.
    Member(usize),
    /// A geometrically exact beam, by its index.
    Beam(usize),
    /// A point fixed to a body.
    Point(Frame),
    /// A joint.
    Joint(JointId),
    /// A coordinate of a tree joint: its index among the coordinates, and among the velocities.
    Coordinate(JointId, Option<usize>, Option<usize>),
    /// The angle of one body against another, of which `None` is the ground.
    RelativeAngle(Option<BodyId>, Option<BodyId>),
    /// An applied force.
    Force(Rc<Force>),
    /// A constraint or drive, with the shape and unit of its multiplier.
    Constraint(Ident, Shape, Unit),
    /// The whole model.
    Model,
}

const POINT: [&str; 3] = ["position", "velocity", "acceleration"];
const SPATIAL_BODY: [&str; 9] = [
    "position",
    "velocity",
    "acceleration",
    "rotation",
    "angular_velocity",
    "angular_acceleration",
    EULER_ANGLES[0],
    EULER_ANGLES[1],
    EULER_ANGLES[2],
];
const EULER_ANGLES: [&str; 3] = ["roll", "pitch", "yaw"];
const PLANAR_BODY: [&str; 6] =
    ["position", "velocity", "acceleration", "angle", "angular_velocity", "angular_acceleration"];
const COORDINATE: [&str; 2] = ["velocity", "acceleration"];
const REACTION: [&str; 2] = ["force", "torque"];
const MULTIPLIER: &str = "multiplier";
const MODEL: [&str; 4] = ["kinetic_energy", "potential_energy", "momentum", "angular_momentum"];
const COMPONENTS: [&str; 3] = ["x", "y", "z"];

impl Context<'_> {
    /// `(body at position)`.
    pub(super) fn point(&self, body: &Value, position: &Value) -> Option<Subject> {
        let subject = self.subject(body);
        let position = self.position(position);
        if let (Some(Subject::Member(_) | Subject::Beam(_)), Some(name)) = (&subject, body.as_name()) {
            return self.report(diagnostics::needs_an_end(body.place, &name));
        }
        let Subject::Body(of) = subject? else {
            self.errors.push(diagnostics::wrong_kind(body.place, "a body before `at`", "a value"));
            return None;
        };
        Some(Subject::Point(Frame { body: of, position: Some(position?), rotation: None }))
    }

    /// A position in a body's frame.
    pub(super) fn position(&self, value: &Value) -> Option<Term> {
        let position = self.typed(value, Shape::Vector(self.settings.space.dimension()), Unit::METRE)?;
        self.allow(position, Site::Fixed("a position in a body"))
    }

    /// `base.name`.
    pub(super) fn member(&self, base: &Value, name: &Ident) -> Option<Subject> {
        let subject = self.subject(base)?;
        self.member_of(subject, name)
    }

    pub(super) fn member_of(&self, subject: Subject, name: &Ident) -> Option<Subject> {
        match subject {
            Subject::Term(term) => self.component(term, name),
            Subject::Body(body) => self.of_body(body, name),
            Subject::Member(index) => self.of_member(index, name),
            Subject::Beam(index) => self.of_beam(index, name),
            Subject::Point(frame) => self.of_point(frame, name),
            Subject::Joint(joint) => self.of_joint(joint, name),
            Subject::Coordinate(joint, _, velocity) => {
                if velocity.is_none() && COORDINATE.iter().any(|known| name == known) {
                    let velocities = self.channels(joint).1;
                    return self
                        .report(diagnostics::no_rate(name, &velocities.iter().map(|v| v.name).collect::<Vec<_>>()));
                }
                let (rate, unit) = match name.to_string().as_str() {
                    "velocity" => {
                        (Quantity::CoordinateVelocity(joint, velocity?), self.velocity_unit(joint, velocity?))
                    }
                    "acceleration" => {
                        let unit = self.velocity_unit(joint, velocity?).over(Unit::SECOND);
                        (Quantity::CoordinateAcceleration(joint, velocity?), unit)
                    }
                    _ => return self.no_quantity("a coordinate", name, &COORDINATE),
                };
                Some(Subject::Term(quantity(rate, Shape::Scalar, unit, name.span())))
            }
            Subject::RelativeAngle(child, parent) => {
                let make = match name.to_string().as_str() {
                    "velocity" => Quantity::AngularVelocity,
                    "acceleration" => Quantity::AngularAcceleration,
                    _ => return self.no_quantity("a coordinate", name, &COORDINATE),
                };
                let rate = Unit::ONE.over(Unit::SECOND);
                let unit = if name == "velocity" { rate } else { rate.over(Unit::SECOND) };
                difference(child, parent, |body| quantity(make(body), Shape::Scalar, unit, name.span()))
                    .map(Subject::Term)
            }
            Subject::Force(force) => self.of_force(force, name),
            Subject::Constraint(of, shape, unit) if name == MULTIPLIER => {
                Some(Subject::Term(quantity(Quantity::Multiplier(of), shape, unit, name.span())))
            }
            Subject::Constraint(of, ..) => self.no_quantity(&format!("constraint `{of}`"), name, &[MULTIPLIER]),
            Subject::Model => self.of_model(name),
        }
    }

    /// The value that stands for a subject where a value is needed.
    pub(super) fn as_term(&self, subject: Subject, place: Place) -> Option<Term> {
        let span = place.first;
        let vector = Shape::Vector(self.settings.space.dimension());
        let (found, help) = match subject {
            Subject::Term(term) => return Some(term),
            Subject::Point(frame) => {
                return Some(quantity(Quantity::Position(Rc::new(frame)), vector, Unit::METRE, span));
            }
            Subject::RelativeAngle(child, parent) => {
                return difference(child, parent, |body| {
                    quantity(Quantity::Angle(body), Shape::Scalar, Unit::ONE, span)
                });
            }
            Subject::Coordinate(joint, Some(index), _) => {
                let unit = self.coordinate_unit(joint, index);
                return Some(quantity(Quantity::Coordinate(joint, index), Shape::Scalar, unit, span));
            }
            Subject::Coordinate(joint, None, Some(index)) => {
                let unit = self.velocity_unit(joint, index);
                return Some(quantity(Quantity::CoordinateVelocity(joint, index), Shape::Scalar, unit, span));
            }
            Subject::Member(_) | Subject::Beam(_) => {
                ("a flexible member", "name a quantity of one of its ends, such as `.tip.position`")
            }
            Subject::Body(_) => ("a body", "name a quantity of it, such as `.position`"),
            Subject::Joint(_) | Subject::Coordinate(_, None, None) => ("a joint", "name one of its coordinates"),
            Subject::Force(_) => ("a force", "name a value of it, such as `.force`"),
            Subject::Constraint(..) => ("a constraint", "name its value, `.multiplier`"),
            Subject::Model => ("the model", "name a total, such as `model.kinetic_energy`"),
        };
        self.errors.push(diagnostics::not_a_value(place, found, help));
        None
    }

    fn component(&self, term: Term, name: &Ident) -> Option<Subject> {
        let length = match term.shape {
            Shape::Vector(n) => n,
            Shape::Scalar | Shape::Matrix(..) => 0,
        };
        let known = COMPONENTS.get(..length).unwrap_or_default();
        match known.iter().position(|component| name == component) {
            Some(index) => Some(Subject::Term(term.component(index))),
            None if length > 0 && POINT.iter().any(|quantity| name == quantity) => {
                self.report(diagnostics::vector_without_motion(name))
            }
            None => {
                let what = match term.shape {
                    Shape::Scalar => "a scalar",
                    Shape::Vector(_) => "a vector",
                    Shape::Matrix(..) => "a matrix",
                };
                self.no_quantity(what, name, known)
            }
        }
    }

    fn of_point(&self, frame: Frame, name: &Ident) -> Option<Subject> {
        let vector = Shape::Vector(self.settings.space.dimension());
        let frame = Rc::new(frame);
        let (kind, unit) = match name.to_string().as_str() {
            "position" => (Quantity::Position(frame), Unit::METRE),
            "velocity" => (Quantity::Velocity(frame), Unit::METRE.over(Unit::SECOND)),
            "acceleration" => (Quantity::Acceleration(frame), Unit::METRE.over(Unit::SECOND).over(Unit::SECOND)),
            // A point used as a vector means its position.
            "x" | "y" | "z" => {
                return self.component(quantity(Quantity::Position(frame), vector, Unit::METRE, name.span()), name);
            }
            _ => return self.no_quantity("a point", name, &POINT),
        };
        Some(Subject::Term(quantity(kind, vector, unit, name.span())))
    }

    pub(super) fn of_body(&self, body: Option<BodyId>, name: &Ident) -> Option<Subject> {
        if POINT.iter().any(|known| name == known) {
            return self.of_point(Frame { body, position: None, rotation: None }, name);
        }
        let space = self.settings.space;
        let known = if space == Space::Planar { PLANAR_BODY.as_slice() } else { &SPATIAL_BODY };
        let axial = if space == Space::Planar { Shape::Scalar } else { Shape::Vector(3) };
        let rate = Unit::ONE.over(Unit::SECOND);
        let Some(body) = body else {
            return self.no_quantity("the ground", name, &POINT);
        };
        if let Some(index) = EULER_ANGLES.iter().position(|angle| name == angle).filter(|_| space == Space::Spatial) {
            return Some(Subject::Term(quantity(
                Quantity::EulerAngle(body, index),
                Shape::Scalar,
                Unit::ONE,
                name.span(),
            )));
        }
        let (kind, shape, unit) = match (name.to_string().as_str(), space) {
            ("angular_velocity", _) => (Quantity::AngularVelocity(body), axial, rate),
            ("angular_acceleration", _) => (Quantity::AngularAcceleration(body), axial, rate.over(Unit::SECOND)),
            ("angle", Space::Planar) => (Quantity::Angle(body), Shape::Scalar, Unit::ONE),
            ("rotation", Space::Spatial) => (Quantity::Rotation(body), Shape::Matrix(3, 3), Unit::ONE),
            ("rotation", Space::Planar) => return self.report(diagnostics::only_in_space(name.span(), "`rotation`")),
            ("angle", Space::Spatial) => return self.report(diagnostics::only_in_plane(name.span(), "`angle`")),
            _ => return self.no_quantity("a body", name, known),
        };
        Some(Subject::Term(quantity(kind, shape, unit, name.span())))
    }

    pub(super) fn of_joint(&self, joint: JointId, name: &Ident) -> Option<Subject> {
        let outline = self.joints.get(joint.0)?;
        let (q, v) = self.channels(joint);
        let find = |list: &[crate::space::Coordinate]| list.iter().position(|coordinate| name == coordinate.name);
        let (position, velocity) = (find(&q), find(&v));
        let is_named = [&outline.coordinate_name, &outline.absolute_angle].into_iter().flatten().any(|own| own == name);
        if position.is_some() || velocity.is_some() || is_named {
            let sole = is_named.then_some(0);
            return self.coordinate(joint, position.or(sole), velocity.or(sole), Place::at(name.span()));
        }
        if v.len() == 1 && COORDINATE.iter().any(|known| name == known) {
            let sole = self.sole_coordinate(joint, Place::at(name.span()))?;
            return self.member_of(sole, name);
        }
        if REACTION.iter().any(|known| name == known) {
            return self.reaction(joint, name);
        }
        let rates = v.iter().filter(|velocity| q.iter().all(|coordinate| coordinate.name != velocity.name));
        let mut known: Vec<&str> = q.iter().chain(rates).map(|coordinate| coordinate.name).collect();
        if v.len() == 1 {
            known.extend(COORDINATE);
        }
        known.extend(REACTION);
        let what = format!("joint `{}`", outline.name);
        self.no_quantity(&what, name, &known)
    }

    /// What a joint passes on, which outputs may contain.
    fn reaction(&self, joint: JointId, name: &Ident) -> Option<Subject> {
        let outline = self.joints.get(joint.0)?;
        if !outline.kind.passes_forces() {
            return self.report(diagnostics::joint_without_force(name, &outline.name, outline.kind.keyword()));
        }
        let is_planar = self.settings.space == Space::Planar;
        let (value, shape, unit) = match name == REACTION[0] {
            true => (ReactionValue::Force, Shape::Vector(self.settings.space.dimension()), Unit::NEWTON),
            false => {
                let shape = if is_planar { Shape::Scalar } else { Shape::Vector(3) };
                (ReactionValue::Torque, shape, Unit::NEWTON.times(Unit::METRE))
            }
        };
        Some(Subject::Term(quantity(Quantity::Reaction(joint, value), shape, unit, name.span())))
    }

    /// The coordinate of a joint that has only one.
    pub(super) fn sole_coordinate(&self, joint: JointId, place: Place) -> Option<Subject> {
        self.coordinate(joint, Some(0), Some(0), place)
    }

    /// A coordinate of a joint. Outside the tree there are none, but angles in the plane have a meaning all the same.
    fn coordinate(&self, joint: JointId, q: Option<usize>, v: Option<usize>, place: Place) -> Option<Subject> {
        let outline = self.joints.get(joint.0)?;
        if self.settings.formulation == Formulation::Joint && outline.is_tree {
            return Some(Subject::Coordinate(joint, q, v));
        }
        let is_revolute = self.settings.space == Space::Planar && outline.kind.keyword() == "revolute";
        match outline.absolute_angle {
            Some(_) if is_revolute => Some(Subject::RelativeAngle(outline.child, None)),
            None if is_revolute && !outline.is_turned => Some(Subject::RelativeAngle(outline.child, outline.parent)),
            _ => {
                let what = format!("a coordinate of joint `{}`", outline.name);
                self.report(diagnostics::needs_joint_coordinates(place, &what))
            }
        }
    }

    fn of_model(&self, name: &Ident) -> Option<Subject> {
        let vector = Shape::Vector(self.settings.space.dimension());
        let axial = if self.settings.space == Space::Planar { Shape::Scalar } else { Shape::Vector(3) };
        if !(self.members.is_empty() && self.beams.is_empty()) && MODEL.iter().any(|known| name == known) {
            return self.report(diagnostics::total_of_flexible_model(name));
        }
        let momentum = Unit::NEWTON.times(Unit::SECOND);
        let (kind, shape, unit) = match name.to_string().as_str() {
            "kinetic_energy" => (Quantity::KineticEnergy, Shape::Scalar, Unit::JOULE),
            "potential_energy" => (Quantity::PotentialEnergy, Shape::Scalar, Unit::JOULE),
            "momentum" => (Quantity::Momentum, vector, momentum),
            "angular_momentum" => (Quantity::AngularMomentum, axial, momentum.times(Unit::METRE)),
            _ => return self.no_quantity("the model", name, &MODEL),
        };
        Some(Subject::Term(quantity(kind, shape, unit, name.span())))
    }

    /// The force of this name, in outputs.
    pub(super) fn force(&self, name: &Ident) -> Option<Subject> {
        match self.forces.get(self.index_of_force(name)?) {
            Some(force) => force.clone().map(Subject::Force),
            None => self.report(diagnostics::value_of_force(name)),
        }
    }

    /// The index of a force with a name that stands for nothing else.
    pub(super) fn index_of_force(&self, name: &Ident) -> Option<usize> {
        let is_free = self.names.get(name).is_none();
        self.names_of_forces.iter().position(|known| is_free && known == name)
    }

    /// The constraint or drive of this name, in outputs.
    pub(super) fn constraint(&self, name: &Ident) -> Option<Subject> {
        match self.multipliers.get(self.index_of_constraint(name)?) {
            Some(known) => known.map(|(shape, unit)| Subject::Constraint(name.clone(), shape, unit)),
            None => self.report(diagnostics::value_of_constraint(name)),
        }
    }

    /// The index of a constraint or drive with a name that stands for nothing else.
    pub(super) fn index_of_constraint(&self, name: &Ident) -> Option<usize> {
        let is_free = self.names.get(name).is_none();
        self.names_of_constraints.iter().position(|known| is_free && known == name)
    }

    fn of_force(&self, force: Rc<Force>, name: &Ident) -> Option<Subject> {
        let span = name.span();
        let vector = Shape::Vector(self.settings.space.dimension());
        let axial = if self.settings.space == Space::Planar { Shape::Scalar } else { Shape::Vector(3) };
        let (newton, newton_metre) = (Unit::NEWTON, Unit::NEWTON.times(Unit::METRE));
        let turns = force.coordinate.is_some_and(|(joint, index)| {
            self.channels(joint).1.get(index).is_some_and(|velocity| velocity.unit.starts_with("rad"))
        });
        let known: &[&str] = match force.kind.target() {
            Target::Points => &["force", "tension"],
            Target::Frames | Target::On => &["force", "torque"],
            Target::Coordinate if turns => &["torque"],
            Target::Coordinate => &["force"],
        };
        let Some(name) = known.iter().find(|known| name == **known) else {
            return self.no_quantity(&format!("force `{}`", force.name), name, known);
        };
        let (value, shape, unit) = match (*name, force.kind.target()) {
            (_, Target::Coordinate) => {
                (ForceValue::OnCoordinate, Shape::Scalar, if turns { newton_metre } else { newton })
            }
            ("tension", _) => (ForceValue::Tension, Shape::Scalar, newton),
            ("torque", _) => (ForceValue::Torque, axial, newton_metre),
            _ => (ForceValue::Force, vector, newton),
        };
        Some(Subject::Term(quantity(Quantity::Force(force, value), shape, unit, span)))
    }

    /// Unit of a coordinate of a joint.
    pub(super) fn coordinate_unit(&self, joint: JointId, index: usize) -> Unit {
        let (q, _) = self.channels(joint);
        q.get(index).and_then(|coordinate| Unit::parse(coordinate.unit)).unwrap_or_default()
    }

    /// Unit of a velocity of a joint. A velocity with the name of a coordinate is its rate.
    pub(super) fn velocity_unit(&self, joint: JointId, index: usize) -> Unit {
        let (q, v) = self.channels(joint);
        let Some(velocity) = v.get(index) else { return Unit::ONE };
        let unit = Unit::parse(velocity.unit).unwrap_or_default();
        if q.iter().any(|coordinate| coordinate.name == velocity.name) { unit.over(Unit::SECOND) } else { unit }
    }

    fn no_quantity<T>(&self, of: &str, name: &Ident, known: &[&str]) -> Option<T> {
        self.report(diagnostics::unknown_quantity(of, name, known))
    }

    pub(super) fn report<T>(&self, error: syn::Error) -> Option<T> {
        self.errors.push(error);
        None
    }
}

fn quantity(kind: Quantity, shape: Shape, unit: Unit, span: Span) -> Term {
    Term { kind: TermKind::Quantity(kind), shape, unit, span }
}

/// `of(child) - of(parent)`, where the ground contributes nothing.
fn difference(child: Option<BodyId>, parent: Option<BodyId>, of: impl Fn(BodyId) -> Term) -> Option<Term> {
    match (child.map(&of), parent.map(&of)) {
        (Some(child), Some(parent)) => {
            let unit = child.unit;
            Some(Term::binary(Binary::Sub, child, parent, unit))
        }
        (Some(child), None) => Some(child),
        (None, Some(parent)) => Some(parent.negated()),
        (None, None) => None,
    }
}
