//! A model in joint coordinates: one kernel, derived by recursion over the links of its spanning tree, beside those of
//! the elements of flexible members.

use super::added_mass;
use super::base_parameters;
use super::contact;
use super::context::Context;
use super::counting::Counting;
use super::dynamics::{Applied, Dynamics};
use super::equations::{Block, Channel, Layout};
use super::flexible;
use super::kernel::{Mechanics, Symbols};
use super::kinds::Kinds;
use super::linearization;
use super::links::Links;
use super::lower::{lower, lower_scalar};
use super::motion::{KernelScope, Rest};
use super::parameters::Parameters;
use super::provided;
use super::reactions;
use super::statements;
use super::switches;
use super::tree;
use super::tree_coordinates::{Moves, all_coordinates, moves, runs};
use crate::expr::ExprId;
use crate::resolve::{JointId, System};
use crate::rotations::RotationKind;
use crate::space::Coordinate;
use crate::spatial;

/// Declares all coordinates, velocities and constraints; returns the reference configuration.
pub(super) fn declare(system: &System, layout: &mut Layout, parameters: &mut Parameters) -> Vec<ExprId> {
    let mut reference = Vec::new();
    for (id, joint) in system.tree_joints() {
        if let Some(member) = system.member_before(id) {
            flexible::declare_inner(member, layout);
            reference.extend(std::iter::repeat_n(parameters.graph.zero(), member.inner_coordinates()));
        }
        let (q, v) = joint.channels(system.space, system.rotation);
        let name = |coordinate: &Coordinate| match &joint.coordinate_name {
            Some(given) if q.len() == 1 => given.to_string(),
            _ => {
                joint.absolute_angle.as_ref().map_or(format!("{}.{}", joint.name, coordinate.name), ToString::to_string)
            }
        };
        if !joint.limits.is_empty() {
            layout.limits.push((layout.coordinates.len(), layout.velocities.len(), joint.limits));
        }
        let rates = v.iter().map(|coordinate| Channel { name: name(coordinate), unit: rate_unit(coordinate.unit) });
        layout.velocities.extend(rates);
        layout.coordinates.extend(q.iter().map(|c| Channel { name: name(c), unit: c.unit.to_owned() }));

        let own = joint.kind.coordinates(system.space).len();
        let moves = moves(system, joint);
        if system.rotation == RotationKind::EulerZyx && moves != Moves::Vector {
            layout.singular_angles.push(reference.len() + own + 1);
        }
        let zero = parameters.graph.zero();
        reference.extend(std::iter::repeat_n(zero, q.len()));
        match moves {
            _ if q.is_empty() => {}
            Moves::Vector => layout.blocks.push(Block::Vector(q.len())),
            Moves::Rotation => {
                if own > 0 {
                    layout.blocks.push(Block::Vector(own));
                }
                layout.blocks.push(Block::Rotation(system.rotation));
            }
            Moves::Pose => layout.blocks.push(Block::Pose(system.rotation)),
        }
        if system.rotation == RotationKind::EulerParameters && moves != Moves::Vector {
            let first = reference.len() - 4;
            reference[first] = parameters.graph.one();
        }
    }
    statements::declare_states(system, layout);
    reference.extend(std::iter::repeat_n(parameters.graph.zero(), system.states.len()));
    for joint in system.joints.iter().filter(|joint| !joint.is_tree) {
        layout.constraints.extend(statements::closure_channels(system, joint));
    }
    layout.constraints.extend(statements::constraint_channels(system).concat());
    reference
}

/// The unit of a velocity; angular velocities already have theirs.
fn rate_unit(unit: &str) -> String {
    match unit {
        "rad" => "rad/s".to_owned(),
        "m" => "m/s".to_owned(),
        other => other.to_owned(),
    }
}

/// The kernel of the tree with its one instance, and those of the elements of flexible members.
pub(super) fn derive(context: &mut Context, counting: Counting, kinds: &mut Kinds) {
    let Context { system, layout, .. } = *context;
    let doc = "All bodies, in joint coordinates.";
    let mut builder = context.kernel("system", doc, &system.name.to_string());
    builder.counting = counting;
    let symbols = all_coordinates(&mut builder, system, &runs(system));
    let states: Vec<usize> = (0..system.states.len()).map(|index| builder.state(index).1).collect();
    builder.multipliers(0, layout.constraints.len());
    let nv = builder.n_velocities();

    let mut scope = KernelScope::new(system, &mut builder, &Rest, true);
    let gravity = system.gravity.as_ref().map(|term| scope.vector("gravity", term));
    let rotors = rotors(&mut scope, &symbols);
    let mut links = Links::new(&mut scope, symbols);
    let inertias = tree::inertias(&mut scope, &links);

    let a = scope.builder.accelerations();
    let graph = &mut scope.builder.graph;
    let at_rest = spatial::zero(graph);
    let accelerations = tree::accelerations(graph, &links, at_rest, &a);
    links.set_accelerations(accelerations);
    let mut totals = tree::totals(graph, &links, &inertias, gravity);
    let of_bodies = totals;

    let mut scope = KernelScope::new(system, &mut builder, &links, true);
    let mut applied = Applied::new(&mut scope, &links);
    for (equation, &row) in system.states.iter().zip(&states) {
        applied.generalized.push((row, lower_scalar(&mut scope, &equation.rate)));
    }
    let water = added_mass::of_all_bodies(&mut scope);
    let (constraint, velocity_constraint, sides) = constraint(&mut scope);
    let contacts = system.contacts.iter().map(|contact| contact::measures(&mut scope, contact)).collect();
    (0..system.contacts.len()).for_each(|index| scope.builder.contact(index));

    let graph = &mut scope.builder.graph;
    for water in &water {
        applied.generalized.extend(water.applied_force(graph).into_iter().enumerate());
        let own = water.totals(graph);
        totals = totals.plus(graph, &own);
        applied.powers.push(water.power(graph));
    }
    let power = graph.sum(&applied.powers);
    applied.generalized.retain(|&(_, value)| !graph.is_zero(value));
    let v = builder.velocities();
    let graph = &mut builder.graph;
    for &(row, inertia) in &rotors {
        let half = graph.ratio(1, 2);
        let square = graph.mul(v[row], v[row]);
        let product = graph.mul(inertia, square);
        let energy = graph.mul(half, product);
        totals.kinetic_energy = graph.add(totals.kinetic_energy, energy);
    }
    if let Some(potential) = applied.potential {
        totals.potential_energy = graph.add(totals.potential_energy, potential);
    }
    let regrouped = [Counting::All, counting].map(|free| base_parameters::regroup(graph, &links, &inertias, free));
    let candidates = [&inertias, &regrouped[0], &regrouped[1]]
        .map(|inertias| Dynamics::new(graph, &links, inertias, gravity, &applied, (&water, &states, &rotors), nv));
    let counts = candidates.each_ref().map(|candidate| candidate.operations(&mut builder, &a));
    let [as_written, numbers, all] = candidates;
    let dynamics = match counts {
        [first, second, third] if third < first && third < second => all,
        [first, second, _] if second < first => numbers,
        _ => as_written,
    };
    let graph = &mut builder.graph;
    let (mass_matrix, bias_force) = (dynamics.mass_matrix(graph), dynamics.bias_force(graph));
    let (inverse_dynamics, applied_force) = (dynamics.inverse_dynamics(graph, &a), dynamics.applied_force(graph));
    let derivatives = dynamics.derivatives(&mut builder, &a);
    let tree = provided::Tree {
        links: &links,
        inertias: &inertias,
        totals: &of_bodies,
        dynamics: &dynamics,
        constraints: (&constraint, &velocity_constraint),
    };
    let provided = provided::functions(system, layout, &mut builder, &tree);

    let mut scope = KernelScope::new(system, &mut builder, &links, true);
    scope.totals = Some(totals);
    if !statements::joints_in_outputs(system).is_empty() {
        scope.reactions.of_joints = reactions::in_tree(&mut scope, &links);
    }
    let lambda = scope.builder.lambda();
    for (constraint, rows) in statements::constraint_rows(system, layout) {
        scope.reactions.multipliers.insert(constraint.name.clone(), lambda[rows].to_vec());
    }
    let outputs = statements::outputs(&mut scope);
    let initial = statements::initial_conditions(&mut scope);
    let switching = statements::switching_functions(&mut scope, &switches::of_motion(system));
    let mut functions = builder.functions(Mechanics {
        mass_matrix,
        bias_force,
        applied_force,
        inverse_dynamics,
        derivatives,
        constraint,
        velocity_constraint,
        sides,
        contacts,
        kinetic_energy: Some(totals.kinetic_energy),
        potential_energy: Some(totals.potential_energy),
        power: Some(power),
    });
    functions.extend(provided);
    functions.extend(outputs);
    functions.extend(initial);
    functions.extend(switching);
    let (kernel, instance) = linearization::finish(builder, functions);
    kinds.add(kernel, [instance]);
    for member in &system.members {
        flexible::derive(context, member, kinds);
    }
}

/// Rows of coordinates with which rotors turn, and their inertia: that of a joint which follows another is seen through
/// the square of the ratio.
fn rotors(scope: &mut KernelScope, symbols: &[(JointId, usize, Symbols)]) -> Vec<(usize, ExprId)> {
    let mut rotors = Vec::new();
    for &(joint, row, _) in symbols {
        let joint = &scope.system.joints[joint.0];
        let Some(inertia) = &joint.rotor_inertia else { continue };
        let mut inertia = scope.value("rotor_inertia", inertia)[0];
        if let Some(follows) = &joint.follows {
            let ratio = scope.value("ratio", &follows.ratio)[0];
            let graph = &mut scope.builder.graph;
            let square = graph.mul(ratio, ratio);
            inertia = graph.mul(square, inertia);
        }
        rotors.push((row, inertia));
    }
    rotors
}

/// g: closures of the joints outside the tree, then the constraints written as equations; those on velocities; and the sides of
/// the closures.
fn constraint(scope: &mut KernelScope) -> (Vec<ExprId>, Vec<ExprId>, Vec<ExprId>) {
    let system = scope.system;
    let (mut residuals, mut on_velocities, mut sides) = (Vec::new(), Vec::new(), Vec::new());
    for joint in system.joints.iter().filter(|joint| !joint.is_tree) {
        let (own, own_sides) = statements::closure(scope, joint);
        residuals.extend(own);
        sides.extend(own_sides);
    }
    for constraint in &system.constraints {
        let rows = if constraint.is_velocity { &mut on_velocities } else { &mut residuals };
        rows.extend(lower(scope, &constraint.residual));
    }
    (residuals, on_velocities, sides)
}
