//! What expressions are resolved against: settings, names, and the motion they may speak of.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::Ident;

use super::constants::Defaults;
use super::names::{Meaning, Names};
use super::outlines::{BeamOutline, JointOutline, MemberOutline, StateOutline};
use super::{BodyId, Force, Formulation, Input, InputId, JointId, Term};
use crate::diagnostics::{self, Errors};
use crate::joints;
use crate::parse::End;
use crate::rotations::RotationKind;
use crate::space::{Coordinate, Shape, Space};
use crate::units::Unit;

/// Plane or space, and the coordinates of the motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) space: Space,
    pub(super) formulation: Formulation,
    pub(super) rotation: RotationKind,
    pub(super) is_fused: bool,
}

/// Everything that is known while expressions are resolved.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) errors: &'a Errors,
    pub(super) settings: Settings,
    pub(super) names: Names,
    pub(super) markers: Vec<End>,
    /// Markers whose place is being resolved, which therefore cannot be in terms of them.
    pub(super) unfinished_markers: RefCell<BTreeSet<usize>>,
    pub(super) joints: Vec<JointOutline>,
    /// Flexible members in a floating frame.
    pub(super) members: Vec<MemberOutline>,
    /// Geometrically exact beams.
    pub(super) beams: Vec<BeamOutline>,
    pub(super) inputs: Vec<Input>,
    pub(super) names_of_forces: Vec<Ident>,
    /// The forces of these names, once they are resolved; nothing for those in error.
    pub(super) forces: Vec<Option<Rc<Force>>>,
    pub(super) names_of_constraints: Vec<Ident>,
    /// Shapes of the constraints and drives of these names, and units of their multipliers, once they are resolved.
    pub(super) multipliers: Vec<Option<(Shape, Unit)>>,
    pub(super) states: Vec<StateOutline>,
    /// Shapes and units of the parameters, as far as they are resolved.
    pub(super) parameters: Vec<(Shape, Unit)>,
    /// Named expressions, each with its number of terms.
    pub(super) definitions: Vec<(Term, usize)>,
    /// Terms that names of expressions have been replaced by.
    pub(super) replaced: Cell<usize>,
    /// Values of parameters at their defaults.
    pub(super) defaults: Defaults,
    /// Of these, the values that no parameter of the model changes: those of `const` alone.
    pub(super) settled: Defaults,
}

impl<'a> Context<'a> {
    /// Nothing is known yet.
    pub(super) fn new(settings: Settings, errors: &'a Errors) -> Context<'a> {
        Context {
            errors,
            settings,
            names: Names::default(),
            markers: Vec::new(),
            unfinished_markers: RefCell::default(),
            joints: Vec::new(),
            members: Vec::new(),
            beams: Vec::new(),
            inputs: Vec::new(),
            names_of_forces: Vec::new(),
            forces: Vec::new(),
            names_of_constraints: Vec::new(),
            multipliers: Vec::new(),
            states: Vec::new(),
            parameters: Vec::new(),
            definitions: Vec::new(),
            replaced: Cell::new(0),
            defaults: Vec::new(),
            settled: Vec::new(),
        }
    }
}

impl Context<'_> {
    /// Takes the error of a result.
    pub(super) fn keep<T>(&self, result: syn::Result<T>) -> Option<T> {
        self.errors.keep(result)
    }

    /// The name of an input.
    pub(super) fn input_name(&self, id: InputId) -> String {
        self.inputs.get(id.0).map(|input| input.name.to_string()).unwrap_or_default()
    }

    /// The body of this name, or the one that a marker of this name is fixed to; `None` within is the ground.
    pub(super) fn body_or_ground(&self, name: &Ident) -> Option<Option<BodyId>> {
        let name = self.marker(name).map_or(name, |marker| &marker.name);
        if self.marker(name).is_some() {
            // A marker on a marker, which is reported with it.
            return None;
        }
        if name == "ground" {
            return Some(None);
        }
        if self.names.get(name).is_none() {
            let is_end = |meaning| matches!(meaning, Meaning::Body(_) | Meaning::Marker(_) | Meaning::Member(_));
            let mut ends = self.names.of_kind(|meaning| is_end(meaning) || matches!(meaning, Meaning::Beam(_)));
            ends.push("ground");
            if !self.errors.is_full() {
                self.errors.push(diagnostics::unknown_word("body", name, &ends));
            }
            return None;
        }
        self.body(name).map(Some)
    }

    /// What a marker stands for, if one has this name.
    pub(super) fn marker(&self, name: &Ident) -> Option<&End> {
        match self.names.get(name) {
            Some(Meaning::Marker(index)) => self.markers.get(index),
            _ => None,
        }
    }

    /// The body of this name.
    pub(super) fn body(&self, name: &Ident) -> Option<BodyId> {
        match self.names.get(name) {
            Some(Meaning::Body(body)) => Some(body),
            // The axes of a flexible member are those of its floating frame.
            Some(Meaning::Member(index)) => self.members.get(index).map(|member| member.frame),
            Some(Meaning::Broken) => None,
            Some(other) => {
                let found = other.describe(name);
                self.errors.push(diagnostics::wrong_kind(name.span(), "the name of a body", &found));
                None
            }
            None if name == "ground" => {
                self.errors.push(diagnostics::wrong_kind(name.span(), "the name of a body", "`ground`"));
                None
            }
            None if self.errors.is_full() => None,
            None => {
                let bodies = self.names.of_kind(|meaning| matches!(meaning, Meaning::Body(_)));
                self.errors.push(diagnostics::unknown_word("body", name, &bodies));
                None
            }
        }
    }

    /// Coordinates and velocities of a joint, as the tree has them.
    pub(super) fn channels(&self, joint: JointId) -> (Vec<Coordinate>, Vec<Coordinate>) {
        match self.joints.get(joint.0) {
            Some(outline) => joints::channels(outline.kind, self.settings.space, self.settings.rotation),
            None => Default::default(),
        }
    }
}
