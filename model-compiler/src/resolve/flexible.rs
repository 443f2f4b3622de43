//! Flexible members: their fields, the bodies that stand for their frame and ends, and the joints between these.
//!
//! A member has no inertia in the tree: its elements have. The tree carries its floating frame and its two ends, to which
//! everything else attaches as to rigid bodies; the coordinates of the nodes between stand beside those of the far end.

use proc_macro2::Ident;

use super::JointLimits;
use super::constants::evaluate;
use super::context::Context;
use super::dependence::Site;
use super::names::Meaning;
use super::outlines::{JointOutline, MemberOutline};
use super::quantity::Subject;
use super::{Body, BodyId, FlexibleMember, FloatingFrame, Formulation, Frame, Joint, JointId, Term, TermKind};
use crate::diagnostics::{self, Place};
use crate::expr::{Binary, Number};
use crate::joints::{self, Joint as JointKind, node};
use crate::limits;
use crate::parse::{self, Axes, End, Value, ValueKind};
use crate::space::{Shape, Space};
use crate::units::Unit;

const KIND: &str = "beam_floating_frame";
/// The kind of the members of [`beams`](super::beams).
pub(super) const EXACT_BEAM: &str = "beam_three_node";
const FIELDS: [&str; 9] = ["length", "elements", "E", "density", "mass", "section", "area", "second_moment", "frame"];
const FRAMES: [&str; 2] = ["tangent", "pinned"];
pub(super) const SECTION_FORCES: &str = "section_forces";
const ENDS: [&str; 2] = ["root", "tip"];

impl Context<'_> {
    /// Finds the number of elements and the frame of every member, and declares the members; `first` is the id that
    /// follows those of the rigid bodies. Gives the name of every body that stands for a part of one.
    pub(super) fn outline_members(&mut self, written: &[&parse::Flexible], first: usize) -> Vec<Ident> {
        let mut bodies = Vec::new();
        for member in written {
            let Some((elements, frame_kind)) = self.outline_member(member) else {
                self.names.declare(&member.name, Meaning::Broken, self.errors);
                continue;
            };
            let mut body = || {
                bodies.push(member.name.clone());
                BodyId(first + bodies.len() - 1)
            };
            let frame = body();
            let root = if frame_kind == FloatingFrame::Pinned { body() } else { frame };
            let tip = body();
            self.names.declare(&member.name, Meaning::Member(self.members.len()), self.errors);
            self.members.push(MemberOutline { name: member.name.clone(), frame_kind, elements, frame, root, tip });
        }
        bodies
    }

    fn outline_member(&self, member: &parse::Flexible) -> Option<(usize, FloatingFrame)> {
        if member.kind != KIND {
            let known = [KIND, EXACT_BEAM];
            return self.report(diagnostics::unknown_word("kind of flexible member", &member.kind, &known));
        }
        if self.settings.space == Space::Spatial {
            return self.report(diagnostics::only_in_plane(member.kind.span(), &format!("`{}`", member.kind)));
        }
        if self.settings.formulation == Formulation::Absolute {
            let what = format!("`{}`", member.kind);
            return self.report(diagnostics::needs_joint_coordinates(Place::at(member.kind.span()), &what));
        }
        let frame = match field(member, "frame") {
            None => FloatingFrame::Tangent,
            Some(value) => match value.as_name() {
                Some(word) if word == "tangent" => FloatingFrame::Tangent,
                Some(word) if word == "pinned" => FloatingFrame::Pinned,
                Some(word) => return self.report(diagnostics::unknown_word("floating frame", &word, &FRAMES)),
                None => return self.report(diagnostics::not_a_floating_frame(value.place)),
            },
        };
        Some((self.number_of_elements(member)?, frame))
    }

    /// The number of elements of a flexible member.
    pub(super) fn number_of_elements(&self, member: &parse::Flexible) -> Option<usize> {
        let Some(elements) = field(member, "elements") else {
            return self.report(diagnostics::missing_field(&member.name, "flexible member", "elements"));
        };
        match member.elements {
            Some(count) if (1..=limits::ELEMENTS).contains(&count) => usize::try_from(count).ok(),
            _ => self.report(diagnostics::wrong_number_of_elements(elements.place, limits::ELEMENTS)),
        }
    }

    /// The joints within the members.
    pub(super) fn inner_joints(&self) -> Vec<JointOutline> {
        let mut joints = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let mut add = |name: Ident, kind: &'static dyn JointKind, parent: BodyId, child: BodyId| {
                joints.push(JointOutline {
                    name,
                    kind,
                    parent: Some(parent),
                    child: Some(child),
                    is_tree: false,
                    is_follower: false,
                    is_turned: false,
                    absolute_angle: None,
                    coordinate_name: None,
                    member: Some(index),
                });
            };
            match (member.frame_kind, joints::find("free")) {
                (FloatingFrame::Tangent, Some(free)) => {
                    add(member.node(member.elements), free, member.frame, member.tip)
                }
                _ => {
                    add(member.node(0), &node::PinnedFrame, member.root, member.frame);
                    add(member.node(member.elements), &node::HeldEnd, member.frame, member.tip);
                }
            }
        }
        joints
    }

    /// A joint within a member.
    pub(super) fn inner_joint(&self, outline: &JointOutline, written: &[&parse::Flexible]) -> Option<Joint> {
        let member = self.members.get(outline.member?)?;
        let written = written.iter().find(|written| written.name == member.name)?;
        let at = |body, position| Frame { body, position, rotation: None };
        let length = if outline.child == Some(member.tip) { Some(self.length(written)?) } else { None };
        let across = |x: Term| {
            let zero = Term::scalar(TermKind::Number(Number::ZERO), Unit::METRE, x.span);
            Term::stack(vec![x, zero], Unit::METRE, member.name.span())
        };
        Some(Joint {
            name: outline.name.clone(),
            kind: outline.kind,
            parent: at(outline.parent, length.map(across)),
            child: at(outline.child, None),
            coordinates: Vec::new(),
            fields: Vec::new(),
            is_tree: outline.is_tree,
            follows: None,
            absolute_angle: None,
            coordinate_name: None,
            limits: JointLimits::default(),
            rotor_inertia: None,
        })
    }

    /// The bodies that stand for a member's frame and ends; they weigh nothing.
    pub(super) fn member_bodies(&self) -> Vec<Body> {
        let weightless = |name: Ident| {
            let zero = |unit| Term::scalar(TermKind::Number(Number::ZERO), unit, name.span());
            let (mass, inertia) = (zero(Unit::KILOGRAM), zero(Unit::INERTIA));
            Body {
                name,
                mass,
                inertia,
                center_of_mass: None,
                added_mass: None,
                is_part: true,
                shapes: Vec::new(),
                color: None,
            }
        };
        let mut bodies = Vec::new();
        for member in &self.members {
            bodies.push(weightless(member.name.clone()));
            if member.root != member.frame {
                bodies.push(weightless(member.node(0)));
            }
            bodies.push(weightless(member.node(member.elements)));
        }
        bodies
    }

    /// A member with its fields.
    pub(super) fn resolve_member(
        &self,
        written: &parse::Flexible,
        section_forces: &[&parse::Output],
    ) -> Option<FlexibleMember> {
        if written.kind != KIND {
            return None;
        }
        self.refuse_unknown_fields(written, &FIELDS);
        let pascal = Unit::NEWTON.over(Unit::METRE).over(Unit::METRE);
        let length = self.length(written);
        let modulus = self.positive(written, "E", pascal);
        let section = self.section(written);
        let (length, (area, second_moment)) = (length?, section?);
        let mass = self.mass(written, &area, &length);
        let index = self.members.iter().position(|outline| outline.name == written.name)?;
        let outline = &self.members[index];
        let own = section_forces.iter().filter(|output| self.member_with_section_forces(output) == Some(index));
        let end = self.joints.iter().position(|joint| joint.child == Some(outline.tip) && joint.member.is_some())?;
        Some(FlexibleMember {
            name: written.name.clone(),
            frame: outline.frame_kind,
            frame_body: outline.frame,
            end: JointId(end),
            elements: outline.elements,
            length,
            mass: mass?,
            area,
            second_moment,
            modulus: modulus?,
            section_forces: own.map(|output| output.name.clone()).collect(),
        })
    }

    /// Reports fields that a kind of flexible member does not have, and those that occur twice.
    pub(super) fn refuse_unknown_fields(&self, written: &parse::Flexible, known: &[&str]) {
        for field in &written.fields {
            if written.kind == KIND && field.name == "modes" {
                self.errors.push(diagnostics::modes_at_run_time(&field.name, &written.name));
            } else if !known.iter().any(|known| field.name == known) {
                self.errors.push(diagnostics::unknown_field("a flexible member", &field.name, known));
            }
        }
        self.refuse_duplicates(written.fields.iter().map(|field| &field.name));
    }

    /// The member whose section forces an output is, and nothing else.
    pub(super) fn member_with_section_forces(&self, output: &parse::Output) -> Option<usize> {
        match self.names.get(&section_forces_of(output)?) {
            Some(Meaning::Member(index)) => Some(index),
            _ => None,
        }
    }

    fn length(&self, written: &parse::Flexible) -> Option<Term> {
        self.positive(written, "length", Unit::METRE)
    }

    /// The mass of a member, which may be given by its density.
    fn mass(&self, written: &parse::Flexible, area: &Term, length: &Term) -> Option<Term> {
        let cubic = Unit::METRE.times(Unit::METRE).times(Unit::METRE);
        match (field(written, "mass"), field(written, "density")) {
            (Some(_), Some(density)) => {
                self.report(diagnostics::fields_exclude_each_other(density.place, "density", "mass"))
            }
            (None, None) => self.report(diagnostics::missing_field(&written.name, "flexible member", "mass")),
            (Some(_), None) => self.positive(written, "mass", Unit::KILOGRAM),
            (None, Some(_)) => {
                let density = self.positive(written, "density", Unit::KILOGRAM.over(cubic))?;
                let volume = Term::binary(Binary::Mul, area.clone(), length.clone(), cubic);
                Some(Term::binary(Binary::Mul, density, volume, Unit::KILOGRAM))
            }
        }
    }

    /// Area and second moment of area of the cross-section.
    fn section(&self, written: &parse::Flexible) -> Option<(Term, Term)> {
        let square = Unit::METRE.times(Unit::METRE);
        let fourth = square.times(square);
        let Some(section) = field(written, "section") else {
            let area = self.positive(written, "area", square);
            return Some((area?, self.positive(written, "second_moment", fourth)?));
        };
        for name in ["area", "second_moment"] {
            if let Some(value) = field(written, name) {
                self.errors.push(diagnostics::fields_exclude_each_other(value.place, name, "section"));
            }
        }
        let ValueKind::Call(word, sides) = &section.kind else {
            return self.report(diagnostics::not_a_section(section.place));
        };
        if word != "rectangle" {
            return self.report(diagnostics::unknown_word("section", word, &["rectangle"]));
        }
        let [width, height] = sides.as_slice() else {
            return self.report(diagnostics::not_a_section(section.place));
        };
        let side = |value: &Value, name: &str| self.positive_value(value, name, &written.name, Unit::METRE);
        let (width, height) = (side(width, "width"), side(height, "height"));
        let (width, height) = (width?, height?);
        let area = Term::binary(Binary::Mul, width, height.clone(), square);
        let twelfth = Term::number(Number::ratio(1, 12), section.place.first);
        let squared = Term::binary(Binary::Mul, height.clone(), height, square);
        let squared = Term::binary(Binary::Mul, twelfth, squared, square);
        let second_moment = Term::binary(Binary::Mul, area.clone(), squared, fourth);
        Some((area, second_moment))
    }

    pub(super) fn positive(&self, written: &parse::Flexible, name: &str, unit: Unit) -> Option<Term> {
        match field(written, name) {
            Some(value) => self.positive_value(value, name, &written.name, unit),
            None => self.report(diagnostics::missing_field(&written.name, "flexible member", name)),
        }
    }

    fn positive_value(&self, value: &Value, name: &str, member: &Ident, unit: Unit) -> Option<Term> {
        let term = self.typed(value, Shape::Scalar, unit)?;
        let term = self.allow(term, Site::Fixed("a dimension of a flexible member"))?;
        match evaluate(&term, &self.defaults).as_deref() {
            Some([value_of]) if value_of.is_nan() || *value_of <= 0.0 => {
                self.report(diagnostics::not_positive(value.place, name, member, *value_of))
            }
            _ => Some(term),
        }
    }

    /// The body that an end of a joint, of a force or of a marker is fixed to; `None` within is the ground.
    pub(super) fn body_of_end(&self, end: &End) -> Option<Option<BodyId>> {
        let end = self.marker(&end.name).unwrap_or(end);
        if self.marker(&end.name).is_some() {
            // A marker on a marker, which is reported with it.
            return None;
        }
        if let Some(Meaning::Member(index)) = self.names.get(&end.name) {
            return match &end.coordinate {
                Some(name) => self.end_of_member(index, name).map(Some),
                None => self.report(diagnostics::needs_an_end(Place::at(end.name.span()), &end.name)),
            };
        }
        if let Some(Meaning::Beam(index)) = self.names.get(&end.name) {
            return match &end.coordinate {
                Some(name) => self.end_of_beam(index, name).map(Some),
                None => self.report(diagnostics::needs_an_end(Place::at(end.name.span()), &end.name)),
            };
        }
        let body = self.body_or_ground(&end.name)?;
        match &end.coordinate {
            Some(coordinate) => self.report(diagnostics::not_a_body(coordinate)),
            None => Some(body),
        }
    }

    /// The body whose axes are meant.
    pub(super) fn body_of_axes(&self, axes: &Axes) -> Option<BodyId> {
        let Axes { name, end } = axes;
        match end {
            None => self.body(name),
            Some(_) => {
                let end =
                    End { name: name.clone(), coordinate: end.clone(), position: None, rotation: None, axis: None };
                self.body_of_end(&end)?
            }
        }
    }

    /// `rod.root` or `rod.tip`.
    fn end_of_member(&self, member: usize, name: &Ident) -> Option<BodyId> {
        let outline = self.members.get(member)?;
        self.end_among(&outline.name, [outline.root, outline.tip], name)
    }

    /// The root or the tip of a flexible member.
    pub(super) fn end_among(&self, member: &Ident, ends: [BodyId; 2], name: &Ident) -> Option<BodyId> {
        match ENDS.iter().position(|end| name == end) {
            Some(index) => Some(ends[index]),
            None => {
                let what = format!("flexible member `{member}`");
                self.report(diagnostics::unknown_quantity(&what, name, &ENDS))
            }
        }
    }

    /// A quantity of a member: its ends, or what its floating frame has as a body.
    pub(super) fn of_member(&self, member: usize, name: &Ident) -> Option<Subject> {
        if ENDS.iter().any(|end| name == end) {
            return self.end_of_member(member, name).map(|body| Subject::Body(Some(body)));
        }
        let outline = self.members.get(member)?;
        if name == SECTION_FORCES {
            return self.report(diagnostics::only_as_an_output(name, &outline.name));
        }
        self.of_body(Some(outline.frame), name)
    }
}

/// The name before `.section_forces`, if an output is nothing else.
pub(super) fn section_forces_of(output: &parse::Output) -> Option<Ident> {
    match &output.value.kind {
        ValueKind::Field(base, name) if name == SECTION_FORCES && output.axes.is_none() => base.as_name(),
        _ => None,
    }
}

pub(super) fn field<'f>(member: &'f parse::Flexible, name: &str) -> Option<&'f Value> {
    member.fields.iter().find(|field| field.name == name).map(|field| &field.value)
}
