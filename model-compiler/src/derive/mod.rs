//! System → Equations: the functions to be computed, with shapes.
//!
//! Joint coordinates give one kernel for the whole tree, absolute coordinates one per kind of member. All
//! derivatives are formed here, symbolically.

mod absolute;
mod added_mass;
mod articulated;
mod base_parameters;
mod beam;
mod bodies;
mod contact;
mod context;
mod counting;
mod dynamics;
mod equations;
mod factorization;
mod field;
mod flexible;
mod frames;
mod joint_coordinates;
mod kernel;
mod kinds;
mod linearization;
mod links;
mod lower;
mod momentum;
mod motion;
mod parameters;
pub mod picture;
mod provided;
mod reactions;
mod reference;
mod regressor;
mod second_derivatives;
mod statements;
mod structured;
mod switches;
mod terms;
mod tree;
mod tree_coordinates;
mod varying;

pub use counting::Counting;
pub use equations::*;

use std::collections::BTreeSet;

use crate::expr::ExprId;
use crate::resolve::{Formulation, System};
use crate::spelling::spelled;
use context::Context;
use kinds::Kinds;
use parameters::Parameters;

/// The equations of a system.
pub fn derive(system: &System) -> Equations {
    derive_counting(system, Counting::default())
}

/// The equations of a system, in the form that is shortest when these operations are counted.
pub fn derive_counting(system: &System, counting: Counting) -> Equations {
    let mut layout = Layout::default();
    let mut parameters = Parameters::declare(system, &mut layout);
    statements::declare(system, &mut layout);
    contact::declare(system, &mut layout);
    flexible::declare_outputs(system, &mut layout);
    beam::declare_outputs(system, &mut layout);
    layout.is_linearized = system.is_linearized;
    layout.differentiated = parameters.symbols(&system.differentiated);
    let mut kinds = Kinds::default();
    let reference_configuration = match system.formulation {
        Formulation::Joint => {
            let reference = joint_coordinates::declare(system, &mut layout, &mut parameters);
            let mut context = Context { system, layout: &layout, parameters: &mut parameters };
            joint_coordinates::derive(&mut context, counting, &mut kinds);
            for (kernel, instance) in linearization::of_constants(&mut context, &reference) {
                kinds.add(kernel, [instance]);
            }
            reference
        }
        Formulation::Absolute => {
            absolute::declare(system, &mut layout);
            let mut reference = reference::configuration(system, &mut parameters);
            reference.resize(layout.coordinates.len(), parameters.graph.zero());
            let mut context = Context { system, layout: &layout, parameters: &mut parameters };
            absolute::derive(&mut context, &mut kinds);
            for (kernel, instance) in linearization::of_constants(&mut context, &reference) {
                kinds.add(kernel, [instance]);
            }
            reference
        }
    };
    layout.singular = system.singular.iter().map(|one| (one.text.clone(), one.place.clone())).collect();
    layout.has_unknown_power = terms::has_unknown_power(system);
    layout.names_mut().for_each(|name| *name = spelled(name));
    let bodies = system.bodies.iter().filter(|body| !body.is_part).map(|body| BodyInertia {
        name: body.name.to_string(),
        mass: parameters.lower(&body.mass)[0],
        inertia: parameters.lower(&body.inertia),
    });
    let bodies = bodies.collect();
    let contact_laws = system.contacts.iter().map(|contact| contact.law.map(|value| parameters.lower(value)[0]));
    let contact_laws = contact_laws.collect();
    let switches = switches::times(system, &mut parameters);
    let mut dimensions = flexible::dimensions(system, &mut parameters);
    dimensions.extend(beam::dimensions(system, &mut parameters));
    dimensions.extend(contact::dimensions(system, &mut parameters));
    dimensions.extend(statements::dimensions(system, &mut parameters));
    let symmetries = added_mass::symmetries(system, &mut parameters);
    let total_masses = added_mass::total_masses(system, &mut parameters);
    let (kernels, instances) = kinds.named();
    layout.switches = instances.iter().map(|instance| instance.switches.len()).sum();
    Equations {
        kernels,
        instances,
        parameter_graph: parameters.graph,
        defaults: parameters.defaults,
        reference_configuration,
        bodies,
        contact_laws,
        switches,
        dimensions,
        symmetries,
        total_masses,
        layout,
        is_fused: system.is_fused,
    }
}

/// All expressions of a function, in the order of its outputs.
pub(crate) fn roots(function: &Function) -> Vec<ExprId> {
    function.outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.value)).collect()
}

/// Values known when the model is constructed that results or later stages read, ascending.
pub(crate) fn constants(kernel: &Kernel) -> Vec<ExprId> {
    let graph = &kernel.graph;
    let roots: Vec<ExprId> = kernel.functions.iter().flat_map(roots).collect();
    let hot = graph.reachable(&roots).into_iter().filter(|&id| graph.is_hot(id));
    let read = hot.flat_map(|id| graph.operands(id)).chain(roots.iter().copied());
    let constants = read.filter(|id| !graph.is_hot(*id) && graph.as_number(*id).is_none());
    constants.collect::<BTreeSet<_>>().into_iter().collect()
}
