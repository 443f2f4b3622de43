//! Resolution of applied forces: kinds with fields, and expressions on a body or on a coordinate.

use super::context::Context;
use super::dependence::Site;
use super::dimensions::Operand;
use super::names::Meaning;
use super::quantity::Subject;
use super::{Force, Frame, JointId, Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::Number;
use crate::forces::{self, FieldKind, FieldShape, Force as ForceKind, Target};
use crate::parse::{self, Axes, End, ForceForm, Noun, Value};
use crate::space::{Shape, Space};
use crate::units::{Declared, Unit};

impl Context<'_> {
    /// A force with its frames and the values of its fields.
    pub(super) fn resolve_force(&self, force: &parse::Force) -> Option<Force> {
        let resolved = match &force.form {
            ForceForm::Kind { kind, ends, fields } => self.force_of_kind(force, kind, ends, fields),
            ForceForm::Value { value, on, from, axes } => match self.is_coordinate(on) {
                true => self.generalized_force(force, value, on, from.as_deref(), axes.as_ref()),
                false => self.force_on_body(force, value, on, from.as_deref(), axes.as_ref()),
            },
        }?;
        let pushes_nothing = match resolved.frames.as_slice() {
            [] => false,
            [frame] => frame.body.is_none(),
            [first, others @ ..] => others.iter().all(|frame| frame.body == first.body),
        };
        if pushes_nothing {
            return self.report(diagnostics::force_without_effect(&force.name));
        }
        Some(resolved)
    }

    fn force_of_kind(
        &self,
        force: &parse::Force,
        word: &proc_macro2::Ident,
        ends: &[End],
        written: &[parse::Field],
    ) -> Option<Force> {
        let Some(kind) = forces::find(&word.to_string()) else {
            let known: Vec<&str> = forces::ALL.iter().map(|kind| kind.keyword()).collect();
            return self.report(diagnostics::unknown_word("kind of force", word, &known));
        };
        if !kind.spaces().contains(&self.settings.space) {
            let what = format!("`{word}`");
            self.errors.push(match self.settings.space {
                Space::Planar => diagnostics::only_in_space(word.span(), &what),
                Space::Spatial => diagnostics::only_in_plane(word.span(), &what),
            });
        }
        let (allowed, expected) = match kind.target() {
            Target::Points | Target::Frames => (2..=2, "2"),
            Target::On => (1..=2, "1 or 2"),
            Target::Coordinate => (1..=1, "1"),
        };
        if !allowed.contains(&ends.len()) {
            return self.report(diagnostics::wrong_number_of_ends(&force.name, word, expected, ends.len()));
        }
        let coordinate = match kind.target() {
            Target::Coordinate => Some(self.target_coordinate(ends.first()?)),
            Target::Points | Target::Frames | Target::On => None,
        };
        let frames: Vec<Option<Frame>> = match coordinate {
            Some(_) => Vec::new(),
            None if kind.target() == Target::Frames => ends.iter().map(|end| self.joint_end(end, None)).collect(),
            None => ends.iter().map(|end| self.point_end(end, diagnostics::point_has_no_axes)).collect(),
        };
        let unit = match coordinate {
            Some(target) => self.generalized_unit(kind, target?, ends.first()?)?,
            None => Unit::ONE,
        };
        let fields = self.fields(kind, force, written, unit);
        Some(Force {
            name: force.name.clone(),
            kind,
            frames: frames.into_iter().collect::<Option<_>>()?,
            coordinate: coordinate.flatten(),
            fields: fields?,
        })
    }

    /// Values of all fields of a kind. `any` is the unit of fields that are declared with the unit `*`.
    fn fields(
        &self,
        kind: &'static dyn ForceKind,
        force: &parse::Force,
        written: &[parse::Field],
        any: Unit,
    ) -> Option<Vec<Term>> {
        let of = format!("`{}`", kind.keyword());
        let known: Vec<&str> = kind.fields().iter().map(|field| field.name).collect();
        for field in written.iter().filter(|field| !known.iter().any(|known| field.name == known)) {
            self.errors.push(diagnostics::unknown_field(&of, &field.name, &known));
        }
        self.refuse_duplicates(written.iter().map(|field| &field.name));
        let values: Vec<Option<Term>> = kind
            .fields()
            .iter()
            .map(|field| {
                let (shape, unit) = (self.field_shape(field), Declared::of_field(field.unit, any));
                match (written.iter().find(|given| given.name == field.name), field.default) {
                    (Some(given), _) => {
                        if field.unit == "rad" {
                            self.refuse_bare_angle(&given.value);
                        }
                        self.typed(&given.value, shape, unit).and_then(|term| self.allow(term, Site::Force))
                    }
                    (None, Some(default)) => {
                        let span = force.name.span();
                        let number = Term::scalar(TermKind::Number(Number::from(default)), unit.unit, span);
                        Some(match shape {
                            Shape::Scalar => number,
                            _ => Term::stack(vec![number; shape.size()], unit.unit, span),
                        })
                    }
                    (None, None) => self.report(diagnostics::missing_field(&force.name, &of, field.name)),
                }
            })
            .collect();
        values.into_iter().collect()
    }

    fn field_shape(&self, field: &FieldKind) -> Shape {
        match (field.shape, self.settings.space) {
            (FieldShape::Scalar, _) | (FieldShape::Axial, Space::Planar) => Shape::Scalar,
            (FieldShape::Vector, space) => Shape::Vector(space.dimension()),
            (FieldShape::Axial, Space::Spatial) => Shape::Vector(3),
        }
    }

    /// Whether an end is a joint or a coordinate, not a frame.
    fn is_coordinate(&self, end: &End) -> bool {
        matches!(self.names.get(&end.name), Some(Meaning::Joint(_) | Meaning::Coordinate(_)))
    }

    fn is_unknown(&self, end: &End) -> bool {
        end.name != "ground" && self.names.get(&end.name).is_none()
    }

    /// The coordinate that an end names: its joint, and its index among the joint's velocities.
    fn target_coordinate(&self, end: &End) -> Option<(JointId, usize)> {
        for extra in [&end.position, &end.rotation, &end.axis].into_iter().flatten() {
            self.errors.push(diagnostics::coordinate_has_no_point(extra.place));
        }
        let (joint, is_coordinate) = match self.names.get(&end.name) {
            Some(Meaning::Joint(joint)) => (joint, false),
            Some(Meaning::Coordinate(joint)) => (joint, true),
            Some(Meaning::Broken) => return None,
            Some(other) => {
                let found = other.describe(&end.name);
                return self.report(diagnostics::wrong_kind(end.name.span(), "a joint", &found));
            }
            None => {
                let joints =
                    self.names.of_kind(|meaning| matches!(meaning, Meaning::Joint(_) | Meaning::Coordinate(_)));
                return self.report(diagnostics::unknown_word("joint", &end.name, &joints));
            }
        };
        let place = Place::at(end.coordinate.as_ref().unwrap_or(&end.name).span());
        let subject = match &end.coordinate {
            Some(name) if is_coordinate => {
                return self.report(diagnostics::unknown_quantity("a coordinate", name, &[]));
            }
            Some(name) => self.of_joint(joint, name)?,
            None if self.channels(joint).1.len() == 1 => self.sole_coordinate(joint, place)?,
            None => {
                let (_, v) = self.channels(joint);
                let known: Vec<&str> = v.iter().map(|velocity| velocity.name).collect();
                return self.report(diagnostics::coordinate_not_named(&end.name, &known));
            }
        };
        match subject {
            Subject::Coordinate(joint, _, Some(index)) => Some((joint, index)),
            Subject::Coordinate(joint, _, None) => {
                let (_, v) = self.channels(joint);
                let known: Vec<&str> = v.iter().map(|velocity| velocity.name).collect();
                self.report(diagnostics::no_force_on(place, &known))
            }
            Subject::Term(_) => self.report(diagnostics::force_on_value(place, &end.name)),
            _ => self.report(diagnostics::needs_joint_coordinates(place, "a force on a coordinate")),
        }
    }

    /// The unit of a generalized force: power per unit of the velocity that it acts on.
    fn generalized_unit(&self, kind: &dyn ForceKind, target: (JointId, usize), end: &End) -> Option<Unit> {
        let (joint, index) = target;
        let (q, v) = self.channels(joint);
        let rate = self.velocity_unit(joint, index);
        let takes_any = kind.fields().iter().any(|field| field.unit == "*");
        let is_angle = v.get(index).is_some_and(|v| q.iter().any(|q| q.name == v.name && q.unit == "rad"));
        if !takes_any && !is_angle {
            return self.report(diagnostics::needs_an_angle(&end.name, kind.keyword()));
        }
        Some(Unit::JOULE.over(Unit::SECOND).over(rate))
    }

    fn generalized_force(
        &self,
        force: &parse::Force,
        value: &Value,
        on: &End,
        from: Option<&End>,
        axes: Option<&Axes>,
    ) -> Option<Force> {
        for name in from.map(|end| &end.name).into_iter().chain(axes.map(|axes| &axes.name)) {
            self.errors.push(diagnostics::nothing_beside_a_coordinate(name));
        }
        let kind = self.kind("generalized", force)?;
        let coordinate = self.target_coordinate(on);
        let operand = self.operand(value);
        let unit = self.generalized_unit(kind, coordinate?, on)?;
        let term = self.keep(operand?.require(Shape::Scalar, unit))?;
        let term = self.allow(term, Site::Force)?;
        Some(Force { name: force.name.clone(), kind, frames: Vec::new(), coordinate, fields: vec![term] })
    }

    fn force_on_body(
        &self,
        force: &parse::Force,
        value: &Value,
        on: &End,
        from: Option<&End>,
        axes: Option<&Axes>,
    ) -> Option<Force> {
        let kind = self.kind(if force.noun == Noun::Torque { "torque" } else { "force" }, force)?;
        let ends = [Some(on), from];
        let unknown: Vec<&End> = ends.into_iter().flatten().filter(|end| self.is_unknown(end)).collect();
        for &end in &unknown {
            let mut known = self.names.of_kind(|meaning| match meaning {
                Meaning::Body(_) | Meaning::Marker(_) | Meaning::Member(_) | Meaning::Beam(_) => true,
                // They take no force from elsewhere.
                Meaning::Joint(_) | Meaning::Coordinate(_) => std::ptr::eq(end, on) && from.is_none(),
                _ => false,
            });
            if !std::ptr::eq(end, on) {
                known.push("ground");
            }
            self.errors.push(diagnostics::unknown_word("body or joint", &end.name, &known));
        }
        let is_broken = matches!(self.names.get(&on.name), Some(Meaning::Broken));
        if !unknown.is_empty() || is_broken {
            // It may be a joint: the shape of the value is judged when that is known.
            self.operand(value);
            return None;
        }
        if let Some(position) = ends.iter().flatten().find_map(|end| end.position.as_ref())
            && force.noun == Noun::Torque
        {
            self.errors.push(diagnostics::torque_has_no_point(position.place));
        }
        let objection =
            if force.noun == Noun::Torque { diagnostics::torque_has_no_axes } else { diagnostics::point_has_no_axes };
        let frames: Vec<Option<Frame>> = ends.into_iter().flatten().map(|end| self.point_end(end, objection)).collect();
        let axes = axes.map(|axes| self.body_of_axes(axes));
        let term = self.operand(value).and_then(|operand| {
            let field = kind.fields().first()?;
            let term =
                self.keep(operand.require(self.field_shape(field), Declared::of_field(field.unit, Unit::ONE)))?;
            self.allow(term, Site::Force)
        });
        let term = match axes {
            None => term?,
            Some(body) => self.given_in(Operand { term: term?, place: value.place }, body?)?,
        };
        let frames = frames.into_iter().collect::<Option<_>>()?;
        Some(Force { name: force.name.clone(), kind, frames, coordinate: None, fields: vec![term] })
    }

    fn kind(&self, keyword: &str, force: &parse::Force) -> Option<&'static dyn ForceKind> {
        let known = forces::ALL.iter().map(|kind| kind.keyword()).collect::<Vec<_>>();
        self.keep(forces::find(keyword).ok_or_else(|| diagnostics::unknown_word("kind of force", &force.name, &known)))
    }
}
