//! Joints: what they connect, which of them span the tree, and their frames.

use proc_macro2::Ident;

use super::constants::evaluate;
use super::context::Context;
use super::dependence::{Cause, Site};
use super::dimensions::Operand;
use super::names::Meaning;
use super::outlines::JointOutline;
use super::quantity::Subject;
use super::tree::{Edge, spanning_tree};
use super::{Follows, Formulation, Frame, Joint, JointId, JointLimits, Term, constants};
use crate::diagnostics::{self, Place};
use crate::expr::Number;
use crate::joints::{self, Connects};
use crate::parse::{self, End, Value};
use crate::space::{Shape, Space};
use crate::units::{Declared, Unit};

const OPTIONS: [&str; 11] = [
    "absolute_angle",
    "axis",
    "coordinate",
    "cut",
    "effort_limit",
    "follows",
    "limits",
    "offset",
    "ratio",
    "rotor_inertia",
    "velocity_limit",
];

/// Options that limit the only coordinate, with an example of a value.
const LIMITS: [(&str, &str); 3] =
    [("limits", "-90 deg..90 deg"), ("velocity_limit", "2 rad/s"), ("effort_limit", "50 N m")];

/// Options that name a coordinate.
const NAMING: [&str; 2] = ["absolute_angle", "coordinate"];

impl<'a> Context<'_> {
    /// Finds kinds, bodies and options of all joints, chooses the tree, and declares joints and named coordinates.
    /// Gives the joints as written, in the order of [`Context::joints`]; those within flexible members are not.
    pub(super) fn outline_joints(
        &mut self,
        written: &[&'a parse::Joint],
        bodies: &[Ident],
        is_one_unread: bool,
    ) -> Vec<Option<&'a parse::Joint>> {
        let outlined: Vec<_> =
            written.iter().map(|joint| self.outline(joint).map(|outline| (Some(*joint), outline))).collect();
        for (joint, _) in written.iter().zip(&outlined).filter(|(_, outline)| outline.is_none()) {
            self.names.declare(&joint.name, Meaning::Broken, self.errors);
            let naming = joint.options.iter().filter(|option| NAMING.iter().any(|known| option.name == known));
            for value in naming.filter_map(|option| option.value.as_ref()) {
                if let Some(name) = value.as_name() {
                    self.names.declare(&name, Meaning::Broken, self.errors);
                }
            }
        }
        let is_complete = !is_one_unread && outlined.iter().all(Option::is_some);
        let mut outlined: Vec<_> = outlined.into_iter().flatten().collect();
        outlined.extend(self.inner_joints().into_iter().map(|outline| (None, outline)));
        if self.settings.formulation == Formulation::Joint {
            let edge = |(joint, outline): &(Option<&parse::Joint>, JointOutline)| Edge {
                parent: outline.parent,
                child: outline.child,
                is_cut: outline.kind.connects() != Connects::Frames
                    || joint.is_some_and(|joint| joint.options.iter().any(|option| option.name == "cut")),
                is_inner: outline.member.is_some(),
            };
            let edges: Vec<Edge> = outlined.iter().map(edge).collect();
            let tree = spanning_tree(bodies.len(), &edges);
            // A joint in error might have attached the bodies that are not, and would then lead to others.
            if is_complete {
                for &index in &tree.reversed {
                    let Some(joint) = outlined[index].0 else { continue };
                    if let [far, near] = joint.ends.as_slice() {
                        self.errors.push(diagnostics::reversed_joint(&joint.name, &far.name, &near.name));
                    }
                }
                for body in &tree.unattached {
                    let is_member = self.members.iter().any(|member| member.is_part(*body));
                    self.errors.push(diagnostics::unattached_body(&bodies[body.0], is_member));
                }
            }
            let reversed: &[usize] = if is_complete { &[] } else { &tree.reversed };
            for &index in tree.joints.iter().chain(reversed) {
                outlined[index].1.is_tree = true;
            }
            let rank = |index: usize| tree.joints.iter().position(|&joint| joint == index).unwrap_or(tree.joints.len());
            let mut ranked: Vec<_> = outlined.into_iter().enumerate().collect();
            ranked.sort_by_key(|(index, _)| rank(*index));
            outlined = ranked.into_iter().map(|(_, joint)| joint).collect();
        }

        let mut in_order = Vec::new();
        for (index, (joint, outline)) in outlined.into_iter().enumerate() {
            self.names.declare(&outline.name, Meaning::Joint(JointId(index)), self.errors);
            for name in [&outline.coordinate_name, &outline.absolute_angle].into_iter().flatten() {
                self.names.declare(name, Meaning::Coordinate(JointId(index)), self.errors);
            }
            self.joints.push(outline);
            in_order.push(joint);
        }
        in_order
    }

    fn outline(&self, joint: &parse::Joint) -> Option<JointOutline> {
        let kind = joints::find(&joint.kind.to_string());
        if kind.is_none() {
            let known: Vec<&str> = joints::ALL.iter().map(|kind| kind.keyword()).collect();
            self.errors.push(diagnostics::unknown_word("kind of joint", &joint.kind, &known));
        }
        let couples_coordinates = kind.is_some_and(|kind| kind.connects() == Connects::Coordinates);
        let bodies: Vec<_> = match couples_coordinates {
            true => vec![Some(None); joint.ends.len()],
            false => joint.ends.iter().map(|end| self.body_of_end(end)).collect(),
        };
        let mut outline = JointOutline {
            name: joint.name.clone(),
            kind: kind?,
            parent: None,
            child: None,
            is_tree: false,
            is_turned: joint.ends.iter().any(|end| {
                let end = self.marker(&end.name).unwrap_or(end);
                end.rotation.is_some() || end.axis.is_some()
            }),
            absolute_angle: None,
            coordinate_name: None,
            is_follower: joint.options.iter().any(|option| option.name == "follows"),
            member: None,
        };
        if outline.kind.is_spatial() && self.settings.space == Space::Planar {
            self.errors.push(diagnostics::only_in_space(joint.kind.span(), &format!("`{}`", joint.kind)));
        }
        self.read_options(joint, &mut outline);
        let [parent, child] = bodies.as_slice() else {
            return self.report(diagnostics::wrong_number_of_ends(&joint.name, &joint.kind, "2", bodies.len()));
        };
        (outline.parent, outline.child) = ((*parent)?, (*child)?);
        if outline.parent == outline.child && !couples_coordinates {
            let again = joint.ends.last().map_or(&joint.name, |end| &end.name);
            return self.report(diagnostics::joint_to_itself(again));
        }
        Some(outline)
    }

    fn read_options(&self, joint: &parse::Joint, outline: &mut JointOutline) {
        self.refuse_duplicates(joint.options.iter().map(|option| &option.name));
        let kind = outline.kind.keyword();
        let coordinates = outline.kind.coordinates(self.settings.space);
        let has_one = coordinates.len() == 1 && !(outline.kind.has_rotation() && self.settings.space == Space::Spatial);
        let fields: Vec<&str> = outline.kind.fields().iter().map(|field| field.name).collect();
        for option in &joint.options {
            let name = &option.name;
            if let Some(end) = option.end.as_ref().filter(|_| name != "limits") {
                self.errors.push(diagnostics::option_takes_no_range(end.place, name));
            }
            if fields.iter().any(|field| name == field) {
                continue;
            }
            match name.to_string().as_str() {
                "cut" if option.value.is_some() => self.errors.push(diagnostics::option_takes_no_value(name)),
                "cut" => {}
                "axis" if option.value.is_some() => {}
                "axis" => self.errors.push(diagnostics::option_needs_value(name, "[0, 0, 1]")),
                "coordinate" if has_one => outline.coordinate_name = self.name_in(name, option.value.as_ref()),
                "coordinate" => {
                    let error = diagnostics::option_of_other_joints(name, "exactly one coordinate", kind);
                    self.errors.push(error);
                }
                "follows" if !has_one => {
                    let error = diagnostics::option_of_other_joints(name, "exactly one coordinate", kind);
                    self.errors.push(error);
                }
                "follows" => {}
                "ratio" | "offset" if outline.is_follower => {}
                "ratio" | "offset" => self.errors.push(diagnostics::option_without_follows(name)),
                limit if limit == "rotor_inertia" || LIMITS.iter().any(|(known, _)| *known == limit) => {
                    if !has_one {
                        let error = diagnostics::option_of_other_joints(name, "exactly one coordinate", kind);
                        self.errors.push(error);
                    }
                }
                "absolute_angle" if self.settings.space == Space::Spatial => {
                    self.errors.push(diagnostics::only_in_plane(name.span(), "`absolute_angle`"));
                }
                "absolute_angle" if outline.kind.keyword() == "revolute" => {
                    outline.absolute_angle = self.name_in(name, option.value.as_ref());
                }
                "absolute_angle" => {
                    let error = diagnostics::option_of_other_joints(name, "an angle alone", kind);
                    self.errors.push(error);
                }
                _ => {
                    let known = [&fields, OPTIONS.as_slice()].concat();
                    self.errors.push(diagnostics::unknown_word("option of a joint", name, &known));
                }
            }
        }
        if let (Some(_), Some(second)) = (&outline.coordinate_name, &outline.absolute_angle) {
            self.errors.push(diagnostics::named_twice(second));
        }
    }

    /// The name that an option gives.
    fn name_in(&self, option: &Ident, value: Option<&Value>) -> Option<Ident> {
        match value.and_then(Value::as_name) {
            Some(name) => Some(name),
            None => self.report(diagnostics::option_needs_value(option, "theta")),
        }
    }

    /// A joint with its frames.
    pub(super) fn resolve_joint(&self, index: usize, joint: &parse::Joint) -> Option<Joint> {
        let outline = self.joints.get(index)?;
        let option = joint.options.iter().find(|option| option.name == "axis");
        if let Some(option) = option {
            self.refuse_axis_twice(&option.name, &joint.ends);
        }
        let axis = option.and_then(|option| option.value.as_ref());
        let axes = axis.map(|axis| self.axis(axis));
        let shared = axes.iter().flatten().next();
        let (frames, coordinates): (Vec<_>, Vec<_>) = match outline.kind.connects() {
            Connects::Coordinates => {
                let ground = Frame { body: None, position: None, rotation: None };
                (vec![Some(ground.clone()), Some(ground)], joint.ends.iter().map(|end| self.coupled(end)).collect())
            }
            Connects::Frames | Connects::FramesAsConstraint => {
                (joint.ends.iter().map(|end| self.joint_end(end, shared)).collect(), Vec::new())
            }
        };
        let (limits, rotor_inertia) = (self.limits(joint, outline), self.rotor_inertia(joint, outline));
        let coordinates: Option<Vec<Term>> = coordinates.into_iter().collect();
        let fields = coordinates.as_ref().and_then(|coordinates| self.joint_fields(joint, outline, coordinates));
        let [parent, child] = <[_; 2]>::try_from(frames).ok()?;
        if let Some(None) = axes {
            return None;
        }
        let follows = match outline.is_follower {
            true => Some(self.resolve_follows(JointId(index), joint)?),
            false => None,
        };
        Some(Joint {
            name: outline.name.clone(),
            kind: outline.kind,
            parent: parent?,
            child: child?,
            coordinates: coordinates?,
            fields: fields?,
            is_tree: outline.is_tree,
            absolute_angle: outline.absolute_angle.clone(),
            coordinate_name: outline.coordinate_name.clone(),
            follows,
            limits: limits?,
            rotor_inertia: rotor_inertia?,
        })
    }

    /// Refuses an axis for both ends of a joint where one has its own.
    fn refuse_axis_twice(&self, option: &Ident, ends: &[End]) {
        let own = |end: &End| Some(self.marker(&end.name).unwrap_or(end).axis.as_ref()?.place);
        if let Some((end, own)) = ends.iter().find_map(|end| Some((end, own(end)?))) {
            self.errors.push(diagnostics::axis_twice(option, own, &end.name));
        }
    }

    /// The inertia of what turns or slides with the only coordinate of a joint; `None` within if there is none.
    fn rotor_inertia(&self, joint: &parse::Joint, outline: &JointOutline) -> Option<Option<Term>> {
        let option = joint.options.iter().find(|option| option.name == "rotor_inertia");
        let (Some(option), [coordinate]) = (option, outline.kind.coordinates(self.settings.space)) else {
            return Some(None);
        };
        if !outline.is_tree {
            return self.report(diagnostics::limits_without_coordinate(&option.name));
        }
        if outline.absolute_angle.is_some() {
            return self.report(diagnostics::rotor_of_absolute_angle(&option.name));
        }
        let unit = if coordinate.unit == "m" { "kg" } else { "kg m^2" };
        let Some(value) = &option.value else {
            return self.report(diagnostics::option_needs_value(&option.name, &format!("0.1 {unit}")));
        };
        let term = self.typed(value, Shape::Scalar, Declared::of_field(unit, Unit::ONE))?;
        let term = self.allow(term, Site::Fixed("an inertia"))?;
        match evaluate(&term, &self.defaults).as_deref() {
            Some([found]) if *found < 0.0 => {
                self.report(diagnostics::negative_limit(value.place, &option.name, *found))
            }
            _ => Some(Some(term)),
        }
    }

    /// The limits of a joint's coordinate.
    fn limits(&self, joint: &parse::Joint, outline: &JointOutline) -> Option<JointLimits> {
        let limiting = |option: &&parse::JointOption| LIMITS.iter().any(|(known, _)| option.name == known);
        let mut limiting = joint.options.iter().filter(limiting).peekable();
        let coordinates = outline.kind.coordinates(self.settings.space);
        let (Some(first), [coordinate]) = (limiting.peek(), coordinates) else { return Some(JointLimits::default()) };
        if !outline.is_tree {
            return self.report(diagnostics::limits_without_coordinate(&first.name));
        }
        if outline.is_follower {
            return self.report(diagnostics::limits_of_follower(&first.name));
        }
        let [unit, rate, effort] = match coordinate.unit {
            "m" => ["m", "m/s", "N"],
            _ => ["rad", "rad/s", "N m"],
        };
        let mut limits = JointLimits::default();
        let mut is_complete = true;
        for option in limiting {
            let example = LIMITS.iter().find(|(known, _)| option.name == known).map_or("", |(_, example)| example);
            let values = match (&option.value, &option.end) {
                (Some(value), Some(end)) if option.name == "limits" => {
                    if unit == "rad" {
                        [value, end].into_iter().for_each(|angle| self.refuse_bare_angle(angle));
                    }
                    self.constant(value, unit).zip(self.constant(end, unit)).and_then(|(lower, upper)| {
                        if lower > upper {
                            return self.report(diagnostics::limits_in_wrong_order(end.place, lower, upper));
                        }
                        limits.range = Some([lower, upper]);
                        Some(())
                    })
                }
                (Some(value), None) if option.name != "limits" => {
                    let of_velocity = option.name == "velocity_limit";
                    let unit = if of_velocity { rate } else { effort };
                    self.constant(value, unit).and_then(|limit| {
                        if limit < 0.0 {
                            return self.report(diagnostics::negative_limit(value.place, &option.name, limit));
                        }
                        *(if of_velocity { &mut limits.speed } else { &mut limits.effort }) = Some(limit);
                        Some(())
                    })
                }
                // What has a range and takes none has been reported.
                (Some(_), Some(_)) => None,
                _ => self.report(diagnostics::option_needs_value(&option.name, example)),
            };
            is_complete &= values.is_some();
        }
        is_complete.then_some(limits)
    }

    /// A number that is known where the model is written.
    fn constant(&self, value: &Value, unit: &'static str) -> Option<f64> {
        let term = self.typed(value, Shape::Scalar, Declared::of_field(unit, Unit::ONE))?;
        match evaluate(&term, &self.settled).as_deref() {
            Some([number]) if number.is_finite() => Some(*number),
            _ => self.report(diagnostics::limit_not_constant(value.place)),
        }
    }

    /// The joint that one follows, and how: the options `follows`, `ratio` and `offset`.
    fn resolve_follows(&self, id: JointId, joint: &parse::Joint) -> Option<Follows> {
        let outline = self.joints.get(id.0)?;
        let option = |name: &str| joint.options.iter().find(|option| option.name == name);
        let written = option("follows")?;
        if self.channels(id).1.len() != 1 {
            // That has been reported.
            return None;
        }
        let Some(leader) = written.value.as_ref().and_then(Value::as_name) else {
            return self.report(diagnostics::option_needs_value(&written.name, "hinge"));
        };
        if !outline.is_tree {
            let is_joint = self.settings.formulation == Formulation::Joint;
            return self.report(diagnostics::follower_outside_the_tree(&written.name, &joint.name, is_joint));
        }
        if !self.members.is_empty() {
            return self.report(diagnostics::follower_beside_members(&written.name));
        }
        let of = match self.names.look_up(&leader, self.errors)? {
            Meaning::Joint(of) | Meaning::Coordinate(of) => of,
            other => {
                let found = other.describe(&leader);
                return self.report(diagnostics::wrong_kind(&leader, "a joint", &found));
            }
        };
        let led = self.joints.get(of.0)?;
        if of == id {
            return self.report(diagnostics::follower_of_itself(&leader));
        }
        if led.is_follower {
            return self.report(diagnostics::follower_of_follower(&leader));
        }
        if !led.is_tree || self.channels(of).1.len() != 1 {
            return self.report(diagnostics::leader_without_coordinate(&leader));
        }
        let unit = |joint| {
            let place = Place::at(leader.span());
            let subject = self.sole_coordinate(joint, place)?;
            self.as_term(subject, place).map(|term| term.unit)
        };
        let (own, of_leader) = (unit(id)?, unit(of)?);
        let value = |name: &str, unit: Unit| match option(name) {
            None => Some(None),
            Some(option) => match &option.value {
                None => self.report(diagnostics::option_needs_value(&option.name, "0.5")),
                Some(value) => self
                    .typed(value, Shape::Scalar, unit)
                    .and_then(|term| self.allow(term, Site::Fixed("a dimension of a joint")))
                    .map(Some),
            },
        };
        if let Some(offset) = option("offset").and_then(|option| option.value.as_ref())
            && outline.kind.coordinates(self.settings.space).iter().any(|coordinate| coordinate.unit == "rad")
        {
            self.refuse_bare_angle(offset);
        }
        let (ratio, offset) = (value("ratio", own.over(of_leader)), value("offset", own));
        let ratio = match ratio? {
            Some(ratio) => ratio,
            None if own == of_leader => Term::number(Number::one(), written.name.span()),
            None => {
                return self.report(diagnostics::missing_field(&joint.name, "the follower", "ratio"));
            }
        };
        if constants::evaluate(&ratio, &self.defaults).is_some_and(|values| values == [0.0]) {
            let place = option("ratio").map_or(&written.name, |option| &option.name);
            return self.report(diagnostics::ratio_is_zero(place));
        }
        Some(Follows { leader: of, ratio, offset: offset? })
    }

    /// The coordinate that an end of a coupling names.
    fn coupled(&self, end: &End) -> Option<Term> {
        for extra in [&end.position, &end.rotation, &end.axis].into_iter().flatten() {
            self.errors.push(diagnostics::coordinate_has_no_point(extra.place));
        }
        let last = end.coordinate.as_ref().unwrap_or(&end.name);
        let place = Place { first: end.name.span(), last: last.span() };
        let subject = match (self.named(&end.name)?, &end.coordinate) {
            (subject, Some(name)) => self.member_of(subject, name)?,
            (Subject::Joint(joint), None) if self.channels(joint).1.len() == 1 => self.sole_coordinate(joint, place)?,
            (subject, None) => subject,
        };
        let term = self.keep(Operand { term: self.as_term(subject, place)?, place }.require_scalar())?;
        let term = self.allow(term, Site::Constraint)?;
        if !term.causes().iter().any(|(cause, _)| *cause == Cause::Position) {
            return self.report(diagnostics::no_motion(place, "a coupling", "positions or velocities"));
        }
        Some(term)
    }

    /// Values of all fields of a joint's kind.
    fn joint_fields(&self, joint: &parse::Joint, outline: &JointOutline, coordinates: &[Term]) -> Option<Vec<Term>> {
        let ratio = match coordinates {
            [first, second] => second.unit.over(first.unit),
            _ => Unit::ONE,
        };
        let value = |field: &joints::JointField| {
            let unit = Declared::of_field(field.unit, ratio);
            let Some(written) = joint.options.iter().find(|option| option.name == field.name) else {
                let of = format!("`{}`", outline.kind.keyword());
                return self.report(diagnostics::missing_field(&joint.name, &of, field.name));
            };
            let Some(value) = &written.value else {
                let example = unit.written().map_or("1.0".to_owned(), |unit| format!("1.0 {unit}"));
                return self.report(diagnostics::option_needs_value(&written.name, &example));
            };
            let term = self.typed(value, Shape::Scalar, unit)?;
            let term = self.allow(term, Site::Fixed("a dimension of a joint"))?;
            match evaluate(&term, &self.defaults).as_deref() {
                Some([found]) if field.is_positive && (found.is_nan() || *found <= 0.0) => {
                    self.report(diagnostics::not_positive(value.place, field.name, &joint.name, *found))
                }
                _ => Some(term),
            }
        };
        let values: Vec<Option<Term>> = outline.kind.fields().iter().map(value).collect();
        values.into_iter().collect()
    }
}
