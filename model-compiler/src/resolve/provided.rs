//! Functions asked for by `provide …;`: of the model, and of its bodies and markers.

use proc_macro2::Ident;

use super::context::Context;
use super::{Formulation, FrameFunction, LINEARIZATION, Provided, ProvidedOfFrame};
use crate::diagnostics;
use crate::parse::{Body, End, Request};

/// What is asked for.
pub(super) struct Asked {
    /// Functions of the model.
    pub of_model: Vec<Provided>,
    /// Functions of frames.
    pub of_frames: Vec<ProvidedOfFrame>,
    /// What a linearisation needs.
    pub linearization: bool,
}

impl Context<'_> {
    /// The functions asked for, each once and in order. `is_constrained`: joints close loops, or constraints are written;
    /// `is_complete`: all items could be read.
    pub(super) fn resolve_provided<'d>(
        &self,
        asked: impl Iterator<Item = &'d Request>,
        (is_constrained, is_complete): (bool, bool),
        bodies: &[&Body],
    ) -> Asked {
        let mut provided: Vec<(Provided, &Ident)> = Vec::new();
        let mut of_frames: Vec<(ProvidedOfFrame, &Ident)> = Vec::new();
        let mut linearization: Option<&Ident> = None;
        for request in asked {
            let word = &request.function;
            if word == LINEARIZATION {
                match (linearization, &request.frame) {
                    (_, Some(frame)) => self.errors.push(diagnostics::function_of_the_model(word, frame)),
                    (Some(first), _) => self.errors.push(diagnostics::duplicate_name(word, first.span())),
                    _ => linearization = Some(word),
                }
                continue;
            }
            let of_frame = FrameFunction::ALL.into_iter().find(|function| word == function.keyword());
            let of_model = Provided::ALL.into_iter().find(|function| word == function.keyword());
            let needs_freedom = of_model.is_some_and(Provided::needs_freedom);
            match (of_model, of_frame, &request.frame) {
                (Some(function), _, None) => match provided.iter().find(|(known, _)| *known == function) {
                    Some((_, first)) => self.errors.push(diagnostics::duplicate_name(word, first.span())),
                    None => provided.push((function, word)),
                },
                (_, Some(function), Some(frame)) => {
                    let Some(asked) = self.of_frame(function, frame, request.axes.as_ref()) else { continue };
                    let is_same = |known: &ProvidedOfFrame| {
                        (known.function, known.in_own_axes, &known.name) == (function, asked.in_own_axes, &asked.name)
                    };
                    match of_frames.iter().find(|(known, _)| is_same(known)) {
                        Some((_, first)) => self.errors.push(diagnostics::duplicate_name(word, first.span())),
                        None => of_frames.push((asked, word)),
                    }
                }
                (Some(_), _, Some(frame)) => self.errors.push(diagnostics::function_of_the_model(word, frame)),
                (_, Some(_), None) => self.errors.push(diagnostics::function_of_a_frame(word)),
                (None, None, _) => {
                    let of_model = Provided::ALL.map(Provided::keyword);
                    let of_frames = FrameFunction::ALL.map(FrameFunction::keyword);
                    let known = [of_model.as_slice(), &of_frames, &[LINEARIZATION]].concat();
                    self.errors.push(diagnostics::unknown_word("function", word, &known));
                    continue;
                }
            }
            if self.settings.formulation != Formulation::Joint || is_constrained && needs_freedom {
                self.errors.push(diagnostics::provided_without_freedom(word, needs_freedom, is_constrained));
            } else if !self.members.is_empty() {
                self.errors.push(diagnostics::provided_for_rigid_bodies(word));
            } else if of_model == Some(Provided::ConstraintAccelerationDerivatives) && !is_constrained {
                // What could not be read may be a constraint.
                if is_complete {
                    self.errors.push(diagnostics::provided_without_constraints(word));
                }
            } else if of_model == Some(Provided::CoriolisMatrix)
                && let Some(body) = bodies.iter().find(|body| !body.added_mass.is_empty())
            {
                self.errors.push(diagnostics::provided_without_added_mass(word, &body.name));
            }
        }
        provided.sort();
        Asked {
            of_model: provided.into_iter().map(|(function, _)| function).collect(),
            of_frames: of_frames.into_iter().map(|(asked, _)| asked).collect(),
            linearization: linearization.is_some(),
        }
    }

    fn of_frame(&self, function: FrameFunction, name: &Ident, axes: Option<&Ident>) -> Option<ProvidedOfFrame> {
        // A name that stands for nothing is reported there.
        let end = End { name: name.clone(), coordinate: None, position: None, rotation: None, axis: None };
        let frame = self.joint_end(&end, None)?;
        if frame.body.is_none() {
            return self.report(diagnostics::wrong_kind(name, "a body or a marker on one", &format!("`{name}`")));
        }
        if let Some(axes) = axes.filter(|axes| *axes != name) {
            return self.report(diagnostics::axes_of_another_frame(axes, name));
        }
        if let Some(axes) = axes.filter(|_| function == FrameFunction::Pose) {
            return self.report(diagnostics::pose_in_own_axes(axes));
        }
        Some(ProvidedOfFrame { function, in_own_axes: axes.is_some(), name: name.to_string(), frame })
    }
}
