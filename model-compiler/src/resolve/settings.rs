//! Settings of a model: plane or space, its coordinates, its arithmetic.

use proc_macro2::Span;

use super::Formulation;
use super::context::Settings;
use crate::diagnostics::{self, Errors};
use crate::parse::{Coordinates, Description, Item};
use crate::rotations::RotationKind;
use crate::space::Space;

/// Reads the settings. Without any, a model is spatial and has absolute coordinates with Euler parameters.
pub(super) fn settings(description: &Description, errors: &Errors) -> Settings {
    let (mut planar, mut fused) = (None, None);
    let mut coordinates: Option<&Coordinates> = None;
    for item in &description.items {
        match item {
            Item::Planar(span) => once("planar", &mut planar, *span, errors),
            Item::FusedMultiplyAdd(span) => once("fused_multiply_add", &mut fused, *span, errors),
            Item::Coordinates(again) => match coordinates {
                Some(first) => {
                    let (first, again) = (first.formulation.span(), again.formulation.span());
                    errors.push(diagnostics::repeated_setting(again, "coordinates", first));
                }
                None => coordinates = Some(again),
            },
            _ => {}
        }
    }
    let space = if planar.is_some() { Space::Planar } else { Space::Spatial };
    let (formulation, rotation) = match coordinates {
        Some(written) => (formulation(written, errors), rotation(written, space, errors)),
        None => (Formulation::Absolute, RotationKind::EulerParameters),
    };
    Settings { space, formulation, rotation, is_fused: fused.is_some() }
}

fn once(word: &str, known: &mut Option<Span>, span: Span, errors: &Errors) {
    match *known {
        Some(first) => errors.push(diagnostics::repeated_setting(span, word, first)),
        None => *known = Some(span),
    }
}

fn formulation(written: &Coordinates, errors: &Errors) -> Formulation {
    let word = &written.formulation;
    if word == "joint" {
        return Formulation::Joint;
    }
    if word != "absolute" {
        errors.push(diagnostics::unknown_word("coordinates", word, &["absolute", "joint"]));
    }
    Formulation::Absolute
}

fn rotation(written: &Coordinates, space: Space, errors: &Errors) -> RotationKind {
    let Some(word) = &written.rotation else { return RotationKind::EulerParameters };
    if space == Space::Planar {
        errors.push(diagnostics::only_in_space(word.span(), &format!("`{word}`")));
    }
    RotationKind::find(&word.to_string()).unwrap_or_else(|| {
        let known = RotationKind::ALL.map(RotationKind::keyword);
        errors.push(diagnostics::unknown_word("coordinates of rotations", word, &known));
        RotationKind::EulerParameters
    })
}
