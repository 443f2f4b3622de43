//! Description → System: names become ids, shapes and units are checked, a spanning tree is chosen.
//!
//! All errors of this stage are reported together. A name whose declaration is in error is not reported again where it
//! is used.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod system;

mod added_mass;
mod angles;
mod appearance;
mod beams;
mod bodies;
mod conditions;
mod constants;
mod contacts;
mod context;
mod dependence;
mod differentiated;
mod dimensions;
mod expression;
mod flexible;
mod forces;
mod frames;
mod functions;
mod joints;
mod limits;
mod names;
mod outlines;
mod parameters;
mod provided;
mod quantity;
mod reactions;
mod settings;
mod singular;
mod states;
mod tree;

pub use angles::Level;
pub use bodies::{ImpossibleInertia, impossible_inertia};
pub(crate) use constants::principal_moments;
pub use names::is_free_name;
pub use system::*;

use std::rc::Rc;

use indexmap::IndexMap;
use proc_macro2::Ident;

use crate::diagnostics::{self, Errors};
use crate::parse::{self, Description, Item};
use crate::space::Shape;
use context::Context;
use names::{Meaning, Names};

/// Finds out what a description means.
///
/// # Errors
///
/// Everything that is wrong with its names, units, shapes and mechanics, combined.
pub fn resolve(description: &Description) -> syn::Result<System> {
    let errors = Errors::default();
    let system = resolve_into(description, &errors);
    errors.finish(system)
}

/// Finds out what a description means; errors join those that are there already.
pub(crate) fn resolve_into(description: &Description, errors: &Errors) -> Option<System> {
    let system = system(description, errors);
    if let Some(system) = &system {
        limits::refuse_coupled_trees(system, errors);
        limits::refuse_many_initial_conditions(system, errors);
        reactions::refuse_unknown_reactions(system, errors);
    }
    system
}

/// What everything stands on, which has a look and no inertia.
const GROUND: &str = "ground";

/// Items of one kind, in the order written.
macro_rules! items {
    ($description:expr, $kind:ident) => {
        $description.items.iter().filter_map(|item| if let Item::$kind(item) = item { Some(item) } else { None })
    };
}

fn system(description: &Description, errors: &Errors) -> Option<System> {
    let unread = &description.unread;
    let mut context = Context::new(settings::settings(description, errors), errors);
    context.names = Names::beside(&unread.words);
    refuse_name_of_model(&description.name, errors);

    let (written_ground, written_bodies): (Vec<_>, Vec<_>) =
        items!(description, Body).partition(|body| body.name == GROUND);
    let (written_beams, written_members): (Vec<_>, Vec<_>) =
        items!(description, Flexible).partition(|member| member.kind == flexible::EXACT_BEAM);
    let has_body = !(written_bodies.is_empty() && written_members.is_empty() && written_beams.is_empty());
    // An item that could not be read may be one.
    if !has_body && unread.words.is_empty() {
        errors.push(diagnostics::no_bodies(&description.name));
    }
    if !limits::are_elements_few(&written_members, &written_beams, errors) {
        return None;
    }
    for (index, body) in written_bodies.iter().enumerate() {
        context.names.declare(&body.name, Meaning::Body(BodyId(index)), errors);
    }
    let mut body_names: Vec<Ident> = written_bodies.iter().map(|body| body.name.clone()).collect();
    body_names.extend(context.outline_members(&written_members, body_names.len()));
    body_names.extend(context.outline_beams(&written_beams, body_names.len()));
    for (index, marker) in items!(description, Marker).enumerate() {
        context.names.declare(&marker.name, Meaning::Marker(index), errors);
        context.markers.push(marker.end.clone());
    }
    let written_joints: Vec<_> = items!(description, Joint).collect();
    let written_joints = context.outline_joints(&written_joints, &body_names, unread.has_joint);
    context.declare_inputs(items!(description, Input));
    context.names_of_forces = items!(description, Force).map(|force| force.name.clone()).collect();
    context.names_of_constraints = items!(description, Constraint).map(|item| item.name.clone()).collect();
    context.declare_states(items!(description, State));
    let parameters = context.resolve_values(description);
    let gravity = context.resolve_gravity(items!(description, Gravity));

    // Everything is resolved before anything is given up, so that all errors are reported.
    let mut bodies: Vec<_> = written_bodies.iter().map(|body| context.resolve_body(body)).collect();
    bodies.extend(context.member_bodies().into_iter().map(Some));
    let ground: Vec<_> = written_ground.into_iter().map(|body| context.resolve_ground(body)).collect();
    let (section_forces, written_outputs): (Vec<_>, Vec<_>) = items!(description, Output).partition(|output| {
        context.member_with_section_forces(output).or(context.beam_with_section_forces(output)).is_some()
    });
    let beams: Vec<_> = written_beams.iter().map(|beam| context.resolve_beam(beam, &section_forces)).collect();
    bodies.extend(beams.iter().flatten().flat_map(|beam| context.nodes_of(beam)).map(Some));
    let member = |member: &&parse::Flexible| context.resolve_member(member, &section_forces);
    let members: Vec<_> = written_members.iter().map(member).collect();
    // Also those that nothing uses.
    for marker in &context.markers {
        context.frame(marker, None);
    }
    let joint = |(index, written): (usize, &Option<&parse::Joint>)| match written {
        Some(joint) => context.resolve_joint(index, joint),
        None => context.inner_joint(context.joints.get(index)?, &written_members),
    };
    let joints: Vec<_> = written_joints.iter().enumerate().map(joint).collect();
    let forces: Vec<_> = items!(description, Force).map(|force| context.resolve_force(force).map(Rc::new)).collect();
    let constraints: Vec<_> = items!(description, Constraint).map(|item| context.resolve_constraint(item)).collect();
    let contacts: Vec<_> = items!(description, Contact).map(|item| context.resolve_contact(item)).collect();
    let states: Vec<_> = items!(description, State).map(|item| context.resolve_state(item)).collect();
    let initial: Vec<_> = items!(description, Initial).map(|item| context.resolve_initial(item)).collect();
    // Outputs alone may use forces and multipliers.
    context.forces.clone_from(&forces);
    context.multipliers = constraints.iter().map(|known| known.as_ref().map(Constraint::multiplier)).collect();
    let outputs: Vec<_> = written_outputs.into_iter().map(|item| context.resolve_output(item)).collect();
    let is_constrained = !constraints.is_empty() || context.joints.iter().any(|joint| !joint.is_tree);
    let asked = context.resolve_provided(
        items!(description, Provide).flatten(),
        (is_constrained, unread.words.is_empty()),
        &written_bodies,
    );
    let differentiated =
        differentiated::differentiated(items!(description, Differentiate).flatten(), &parameters, errors);
    refuse_equal_names_of_kinds(description, errors);
    let public = parameters.iter().flatten().filter(|parameter| !parameter.is_constant);
    refuse_equal_components(public.map(|parameter| (&parameter.name, parameter.value.shape)), errors);
    let known = outputs.iter().flatten().map(|output| (&output.name, output.value.shape));
    refuse_equal_components(known, errors);

    Some(System {
        name: description.name.clone(),
        visibility: description.visibility.clone(),
        doc: description.doc.clone(),
        space: context.settings.space,
        formulation: context.settings.formulation,
        rotation: context.settings.rotation,
        is_fused: context.settings.is_fused,
        parameters: parameters?,
        inputs: context.inputs,
        states: states.into_iter().collect::<Option<_>>()?,
        gravity: gravity?,
        bodies: bodies.into_iter().collect::<Option<_>>()?,
        ground: ground.into_iter().collect::<Option<_>>()?,
        joints: joints.into_iter().collect::<Option<_>>()?,
        members: members.into_iter().collect::<Option<_>>()?,
        beams: beams.into_iter().collect::<Option<_>>()?,
        forces: forces.into_iter().collect::<Option<_>>()?,
        constraints: {
            let mut constraints = constraints.into_iter().collect::<Option<Vec<_>>>()?;
            constraints.sort_by_key(|constraint| constraint.is_velocity);
            constraints
        },
        contacts: contacts.into_iter().collect::<Option<_>>()?,
        initial: initial.into_iter().collect::<Option<_>>()?,
        outputs: outputs.into_iter().collect::<Option<_>>()?,
        singular: singular::singular(description),
        provided: asked.of_model,
        provided_of_frames: asked.of_frames,
        // Slopes by inputs and starts need it too, of a model without parameters.
        is_linearized: asked.linearization || items!(description, Differentiate).next().is_some(),
        differentiated,
    })
}

fn refuse_name_of_model(name: &Ident, errors: &Errors) {
    if names::is_reserved(name) {
        errors.push(diagnostics::reserved_name(name));
    } else if names::is_no_type(name) {
        errors.push(diagnostics::name_of_another_type(name));
    }
}

fn refuse_equal_names_of_kinds(description: &Description, errors: &Errors) {
    refuse_equal_names(items!(description, Force).map(|force| &force.name), errors);
    refuse_equal_names(items!(description, Constraint).map(|constraint| &constraint.name), errors);
    refuse_equal_names(items!(description, Contact).map(|contact| &contact.name), errors);
    refuse_equal_names(items!(description, Output).map(|output| &output.name), errors);
    let named_time = items!(description, Output).map(|output| &output.name).filter(|name| *name == "t");
    named_time.for_each(|name| errors.push(diagnostics::output_named_time(name)));
}

/// Names of one kind that expressions do not use only have to differ among themselves.
fn refuse_equal_names<'a>(names: impl Iterator<Item = &'a Ident>, errors: &Errors) {
    let mut declared = names::Names::default();
    for name in names {
        declared.declare(name, Meaning::Broken, errors);
    }
}

/// Components have names of their own, by which they are set, printed and written to files.
fn refuse_equal_components<'a>(values: impl Iterator<Item = (&'a Ident, Shape)>, errors: &Errors) {
    let mut declared: IndexMap<String, &Ident> = IndexMap::new();
    for (name, shape) in values {
        for component in shape.component_names(&name.to_string()) {
            match declared.get(&component) {
                // That one has been reported.
                Some(&first) if first == name => {}
                Some(&first) => {
                    errors.push(diagnostics::equal_components(name, first, &component));
                    break;
                }
                None => {
                    declared.insert(component, name);
                }
            }
        }
    }
}
