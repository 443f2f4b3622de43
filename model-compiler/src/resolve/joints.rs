//! Joints: what they connect, which of them span the tree, and their frames.

use proc_macro2::Ident;

use super::context::{Context, JointOutline};
use super::names::Meaning;
use super::tree::{Edge, spanning_tree};
use super::{Formulation, Joint, JointId, Space};
use crate::diagnostics;
use crate::joints;
use crate::parse::{self, Value, ValueKind};

const OPTIONS: [&str; 4] = ["absolute_angle", "axis", "coordinate", "cut"];

/// Options that name a coordinate.
const NAMING: [&str; 2] = ["absolute_angle", "coordinate"];

impl<'a> Context<'_> {
    /// Finds kinds, bodies and options of all joints, chooses the tree, and declares joints and named coordinates.
    /// Gives the joints as written, in the order of [`Context::joints`].
    pub(super) fn outline_joints(&mut self, written: &[&'a parse::Joint], bodies: &[Ident]) -> Vec<&'a parse::Joint> {
        let outlined: Vec<_> =
            written.iter().map(|joint| self.outline(joint).map(|outline| (*joint, outline))).collect();
        for (joint, _) in written.iter().zip(&outlined).filter(|(_, outline)| outline.is_none()) {
            self.names.declare(&joint.name, Meaning::Broken, self.errors);
            let naming = joint.options.iter().filter(|option| NAMING.iter().any(|known| option.name == known));
            for value in naming.filter_map(|option| option.value.as_ref()) {
                if let ValueKind::Name(name) = &value.kind {
                    self.names.declare(name, Meaning::Broken, self.errors);
                }
            }
        }
        let is_complete = outlined.iter().all(Option::is_some);
        let mut outlined: Vec<_> = outlined.into_iter().flatten().collect();
        if self.settings.formulation == Formulation::Joint {
            let is_cut = |joint: &parse::Joint| joint.options.iter().any(|option| option.name == "cut");
            let edge = |(joint, outline): &(&parse::Joint, JointOutline)| Edge {
                parent: outline.parent,
                child: outline.child,
                is_cut: is_cut(joint),
            };
            let edges: Vec<Edge> = outlined.iter().map(edge).collect();
            let tree = spanning_tree(bodies.len(), &edges);
            for &index in &tree.reversed {
                if let [far, near] = outlined[index].0.ends.as_slice() {
                    self.errors.push(diagnostics::reversed_joint(&outlined[index].0.name, &far.name, &near.name));
                }
            }
            // A joint in error might have attached them.
            if is_complete {
                let unattached = tree.unattached.iter().map(|body| diagnostics::unattached_body(&bodies[body.0]));
                unattached.for_each(|error| self.errors.push(error));
            }
            for &index in &tree.joints {
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
        let bodies: Vec<_> = joint.ends.iter().map(|end| self.body_or_ground(&end.name)).collect();
        let mut outline = JointOutline {
            name: joint.name.clone(),
            kind: kind?,
            parent: None,
            child: None,
            is_tree: false,
            is_turned: joint.ends.iter().any(|end| end.rotation.is_some() || end.axis.is_some()),
            absolute_angle: None,
            coordinate_name: None,
        };
        self.read_options(joint, &mut outline);
        let [parent, child] = bodies.as_slice() else {
            return self.report(diagnostics::wrong_number_of_ends(&joint.name, &joint.kind, "2", bodies.len()));
        };
        (outline.parent, outline.child) = ((*parent)?, (*child)?);
        if outline.parent == outline.child {
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
        for option in &joint.options {
            let name = &option.name;
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
                _ => self.errors.push(diagnostics::unknown_word("option of a joint", name, &OPTIONS)),
            }
        }
        if let (Some(_), Some(second)) = (&outline.coordinate_name, &outline.absolute_angle) {
            self.errors.push(diagnostics::named_twice(second));
        }
    }

    /// The name that an option gives.
    fn name_in(&self, option: &Ident, value: Option<&Value>) -> Option<Ident> {
        match value.map(|value| &value.kind) {
            Some(ValueKind::Name(name)) => Some(name.clone()),
            _ => self.report(diagnostics::option_needs_value(option, "theta")),
        }
    }

    /// A joint with its frames.
    pub(super) fn resolve_joint(&self, index: usize, joint: &parse::Joint) -> Option<Joint> {
        let outline = self.joints.get(index)?;
        let axis = joint.options.iter().find(|option| option.name == "axis").and_then(|option| option.value.as_ref());
        let axes = axis.map(|axis| self.axis(axis));
        let shared = axes.iter().flatten().next();
        let frames: Vec<_> = joint.ends.iter().map(|end| self.joint_end(end, shared)).collect();
        let [parent, child] = <[_; 2]>::try_from(frames).ok()?;
        if let Some(None) = axes {
            return None;
        }
        Some(Joint {
            name: outline.name.clone(),
            kind: outline.kind,
            parent: parent?,
            child: child?,
            is_tree: outline.is_tree,
            absolute_angle: outline.absolute_angle.clone(),
            coordinate_name: outline.coordinate_name.clone(),
        })
    }
}
