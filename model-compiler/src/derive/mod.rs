//! System → Equations: what is to be computed, with shapes.
//!
//! Joint coordinates give one kernel for the whole tree, absolute coordinates one per kind of member. Every derivative
//! that a function needs is formed here, symbolically.

mod absolute;
mod added_mass;
mod articulated;
mod base_parameters;
mod beam;
mod contact;
mod counting;
mod dynamics;
mod equations;
mod factorization;
mod field;
mod flexible;
mod joint_coordinates;
mod kernel;
mod links;
mod lower;
mod motion;
mod parameters;
mod provided;
mod reference;
mod statements;
mod structured;
mod terms;
mod tree;
mod varying;

pub use counting::Counting;
pub use equations::*;

use std::collections::BTreeSet;

use crate::expr::{ExprId, Graph};
use crate::parse::spelled;
use crate::resolve::{Formulation, System};
use parameters::Parameters;

/// The equations of a system.
pub fn derive(system: &System) -> Equations {
    derive_counting(system, Counting::default())
}

/// The equations of a system, in the form that is shortest when these operations count.
pub fn derive_counting(system: &System, counting: Counting) -> Equations {
    let mut layout = Layout::default();
    let mut parameters = Parameters::declare(system, &mut layout);
    statements::declare(system, &mut layout);
    contact::declare(system, &mut layout);
    flexible::declare_outputs(system, &mut layout);
    beam::declare_outputs(system, &mut layout);
    let (reference_configuration, members) = match system.formulation {
        Formulation::Joint => {
            let reference = joint_coordinates::declare(system, &mut layout, &mut parameters);
            let members = joint_coordinates::derive(system, &layout, &mut parameters, counting);
            (reference, members.into_iter().map(|(kernel, instance)| (kernel, vec![instance])).collect())
        }
        Formulation::Absolute => {
            absolute::declare(system, &mut layout);
            let mut reference = reference::configuration(system, &mut parameters);
            reference.resize(layout.coordinates.len(), parameters.graph.zero());
            (reference, absolute::derive(system, &layout, &mut parameters))
        }
    };
    layout.names_mut().for_each(|name| *name = spelled(name));
    let bodies = system.bodies.iter().filter(|body| !body.is_part).map(|body| BodyInertia {
        name: body.name.to_string(),
        mass: parameters.lower(&body.mass)[0],
        inertia: parameters.lower(&body.inertia),
    });
    let bodies = bodies.collect();
    let contact_laws =
        system.contacts.iter().map(|contact| contact.laws.each_ref().map(|law| parameters.lower(law)[0]));
    let contact_laws = contact_laws.collect();
    let mut dimensions = flexible::dimensions(system, &mut parameters);
    dimensions.extend(beam::dimensions(system, &mut parameters));
    let symmetries = added_mass::symmetries(system, &mut parameters);
    let total_masses = added_mass::total_masses(system, &mut parameters);
    let (kernels, instances) = merge_equal_kernels(members);
    Equations {
        kernels,
        instances,
        parameter_graph: parameters.graph,
        defaults: parameters.defaults,
        reference_configuration,
        bodies,
        contact_laws,
        dimensions,
        symmetries,
        total_masses,
        layout,
        is_fused: system.is_fused,
    }
}

/// One kernel for all members that compute the same; found by structure, whatever the members are called.
fn merge_equal_kernels(members: Vec<(Kernel, Vec<Instance>)>) -> (Vec<Kernel>, Vec<Instance>) {
    let (mut kernels, mut instances): (Vec<Kernel>, Vec<Instance>) = (Vec::new(), Vec::new());
    for (kernel, uses) in members {
        let index = match kernels.iter().position(|known| is_equal(known, &kernel)) {
            Some(known) => known,
            None => {
                kernels.push(kernel);
                kernels.len() - 1
            }
        };
        instances.extend(uses.into_iter().map(|instance| Instance { kernel: index, ..instance }));
    }
    for index in 1..kernels.len() {
        let taken = |name: &str| kernels[..index].iter().any(|known| known.name == name);
        if taken(&kernels[index].name) {
            let free = (2..).map(|i| format!("{}_{i}", kernels[index].name)).find(|name| !taken(name));
            kernels[index].name = free.unwrap_or_default();
        }
    }
    (kernels, instances)
}

fn is_equal(a: &Kernel, b: &Kernel) -> bool {
    let stages = |graph: &Graph| graph.symbols().iter().map(|symbol| symbol.stage).collect::<Vec<_>>();
    a.inputs == b.inputs
        && stages(&a.graph) == stages(&b.graph)
        && a.functions.len() == b.functions.len()
        && a.functions
            .iter()
            .zip(&b.functions)
            .all(|(a, b)| a.role == b.role && outputs(&a.outputs) == outputs(&b.outputs))
        && a.graph.nodes().eq(b.graph.nodes())
}

/// The comparable content of a function's outputs.
fn outputs(outputs: &[Output]) -> Vec<(Role, (usize, usize), &[Entry])> {
    outputs.iter().map(|output| (output.role, output.shape, output.entries.as_slice())).collect()
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
    let read = hot.flat_map(|id| graph.node(id).operands()).chain(roots.iter().copied());
    let constants = read.filter(|id| !graph.is_hot(*id) && graph.as_number(*id).is_none());
    constants.collect::<BTreeSet<_>>().into_iter().collect()
}
