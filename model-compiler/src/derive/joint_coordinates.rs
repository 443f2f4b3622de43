//! A model in joint coordinates: one kernel, derived by recursion over the links of its spanning tree, beside those of
//! the elements of flexible members.

use super::added_mass;
use super::base_parameters;
use super::contact;
use super::counting::Counting;
use super::dynamics::Dynamics;
use super::equations::{Block, Channel, Layout};
use super::flexible;
use super::kernel::{KernelBuilder, Mechanics, Symbols};
use super::kinds::Kinds;
use super::links::Links;
use super::lower::{lower, lower_scalar};
use super::motion::{Rest, Stage};
use super::parameters::Parameters;
use super::provided;
use super::statements::{self, run_names};
use super::tree;
use crate::expr::{ExprId, Graph};
use crate::joints::{channels, is_pose};
use crate::resolve::{BodyId, FlexibleMember, Joint, JointId, System};
use crate::rotations::RotationKind;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Vector3, Wrench};

/// Where the coordinates of a tree joint stand, and how they move.
pub(super) struct Run {
    pub joint: JointId,
    pub q: std::ops::Range<usize>,
    pub v: std::ops::Range<usize>,
    moves: Moves,
}

/// How the coordinates of a joint move with its velocities.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    /// q̇ = v.
    Vector,
    /// The last coordinates are those of a rotation.
    Rotation,
    /// Position and rotation, velocities in the axes of the child.
    Pose,
}

/// Names every coordinate, velocity and constraint; gives the reference configuration.
pub(super) fn declare(system: &System, layout: &mut Layout, parameters: &mut Parameters) -> Vec<ExprId> {
    let mut reference = Vec::new();
    for (id, joint) in system.tree_joints() {
        if let Some(member) = system.member_before(id) {
            flexible::declare_inner(member, layout);
            reference.extend(std::iter::repeat_n(parameters.graph.zero(), member.inner_coordinates()));
        }
        let (q, v) = channels(joint.kind, system.space, system.rotation);
        let name = |coordinate: &Coordinate| match &joint.coordinate_name {
            Some(given) if q.len() == 1 => given.to_string(),
            _ => {
                joint.absolute_angle.as_ref().map_or(format!("{}.{}", joint.name, coordinate.name), ToString::to_string)
            }
        };
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
            Moves::Vector if q.is_empty() => {}
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

/// The unit of a velocity: angular velocities have theirs already.
fn rate_unit(unit: &str) -> String {
    match unit {
        "rad" => "rad/s".to_owned(),
        "m" => "m/s".to_owned(),
        other => other.to_owned(),
    }
}

fn moves(system: &System, joint: &Joint) -> Moves {
    if is_pose(joint.kind, system.space) {
        Moves::Pose
    } else if joint.kind.has_rotation() && system.space == Space::Spatial {
        Moves::Rotation
    } else {
        Moves::Vector
    }
}

/// Of every tree joint, in the order of the tree.
pub(super) fn runs(system: &System) -> Vec<Run> {
    let (mut first_q, mut first_v) = (0, 0);
    system
        .tree_joints()
        .map(|(id, joint)| {
            let inner = system.member_before(id).map_or(0, FlexibleMember::inner_coordinates);
            (first_q, first_v) = (first_q + inner, first_v + inner);
            let (q, v) = channels(joint.kind, system.space, system.rotation);
            let (q, v) = (first_q..first_q + q.len(), first_v..first_v + v.len());
            let run = Run { joint: id, q, v, moves: moves(system, joint) };
            (first_q, first_v) = (run.q.end, run.v.end);
            run
        })
        .collect()
}

/// The kernel of the tree with its one instance, and those of the elements of flexible members.
pub(super) fn derive(
    system: &System,
    layout: &Layout,
    parameters: &mut Parameters,
    counting: Counting,
    kinds: &mut Kinds,
) {
    let doc = "All bodies, in joint coordinates.";
    let mut builder = KernelBuilder::new("system", doc, &system.name.to_string(), parameters, layout);
    builder.counting = counting;
    let symbols = runs(system).iter().map(|run| coordinates(&mut builder, layout, system, run)).collect();
    let states: Vec<usize> = (0..system.states.len()).map(|index| builder.state(index).1).collect();
    builder.multipliers(0, layout.constraints.len());
    let nv = builder.n_velocities();

    let mut stage = Stage::new(system, &mut builder, &Rest, true);
    let gravity = system.gravity.as_ref().map(|term| stage.vector("gravity", term));
    let mut links = Links::new(&mut stage, symbols);
    let inertias = tree::inertias(&mut stage, &links);

    let a = stage.builder.accelerations();
    let graph = &mut stage.builder.graph;
    let at_rest = spatial::zero(graph);
    let accelerations = tree::accelerations(graph, &links, at_rest, &a);
    links.set_accelerations(accelerations);
    let mut totals = tree::totals(graph, &links, &inertias, gravity);

    let mut stage = Stage::new(system, &mut builder, &links, true);
    let mut applied = applied(&mut stage, &links, nv);
    for (equation, &row) in system.states.iter().zip(&states) {
        applied.generalized.push((row, lower_scalar(&mut stage, &equation.rate)));
    }
    let water = added_mass::of_all_bodies(&mut stage);
    let (constraint, velocity_constraint) = constraint(&mut stage);
    let contacts = system.contacts.iter().map(|contact| contact::measures(&mut stage, contact)).collect();
    (0..system.contacts.len()).for_each(|index| stage.builder.contact(index));

    let graph = &mut stage.builder.graph;
    for water in &water {
        applied.generalized.extend(water.applied_force(graph).into_iter().enumerate());
        let own = water.totals(graph);
        totals = totals.plus(graph, &own);
        applied.powers.push(water.power(graph));
    }
    let power = graph.sum(&applied.powers);
    applied.generalized.retain(|&(_, value)| !graph.is_zero(value));
    if let Some(potential) = applied.potential {
        totals.potential_energy = graph.add(totals.potential_energy, potential);
    }
    let regrouped = [Counting::All, counting].map(|free| base_parameters::regroup(graph, &links, &inertias, free));
    let candidates = [&inertias, &regrouped[0], &regrouped[1]]
        .map(|inertias| Dynamics::new(graph, &links, inertias, gravity, &applied, (&water, &states), nv));
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
    let provided = provided::functions(system, &mut builder, &dynamics);

    let mut stage = Stage::new(system, &mut builder, &links, true);
    stage.totals = Some(totals);
    let outputs = statements::outputs(&mut stage);
    let initial = statements::initial_conditions(&mut stage);
    let mut functions = builder.functions(Mechanics {
        mass_matrix,
        bias_force,
        applied_force,
        inverse_dynamics,
        derivatives,
        constraint,
        velocity_constraint,
        contacts,
        kinetic_energy: Some(totals.kinetic_energy),
        potential_energy: Some(totals.potential_energy),
        power: Some(power),
    });
    functions.extend(provided);
    functions.extend(outputs);
    functions.extend(initial);
    let (kernel, instance) = builder.finish(functions);
    kinds.add(kernel, [instance]);
    for member in &system.members {
        flexible::derive(system, layout, parameters, member, kinds);
    }
}

/// Declares the coordinates of a joint in a kernel. Gives the first of its velocities there, and its symbols.
pub(super) fn coordinates(
    builder: &mut KernelBuilder,
    layout: &Layout,
    system: &System,
    run: &Run,
) -> (JointId, usize, Symbols) {
    let first = builder.n_velocities();
    let (q_names, v_names) = run_names(layout, run.q.clone(), run.v.clone());
    let rotation = system.rotation;
    if run.moves == Moves::Pose {
        let map = move |graph: &mut Graph, q: &[ExprId]| pose_velocity_map(graph, rotation, q);
        let symbols = builder.coordinates((&q_names, &v_names), (run.q.start, run.v.start), Some(&map));
        return (run.joint, first, symbols);
    }
    let turning = if run.moves == Moves::Rotation { rotation.coordinates().len() } else { 0 };
    let n_own = run.q.len() - turning;
    let own = (&q_names[..n_own], &v_names[..n_own]);
    let mut symbols = builder.coordinates(own, (run.q.start, run.v.start), None);
    if run.moves == Moves::Rotation {
        let map = move |graph: &mut Graph, q: &[ExprId]| rotation.velocity_map(graph, q);
        let names = (&q_names[n_own..], &v_names[n_own..]);
        let free = builder.coordinates(names, (run.q.start + n_own, run.v.start + n_own), Some(&map));
        symbols.q.extend(free.q);
        symbols.v.extend(free.v);
        symbols.a.extend(free.a);
    }
    (run.joint, first, symbols)
}

/// q̇ = N v of a pose, row by row: the position moves along the axes of the child.
fn pose_velocity_map(graph: &mut Graph, rotation: RotationKind, q: &[ExprId]) -> Vec<Vec<ExprId>> {
    let zero = graph.zero();
    let (axes, turning) = (rotation.matrix(graph, &q[3..]), rotation.velocity_map(graph, &q[3..]));
    let moving = axes.iter().map(|row| [row.as_slice(), &[zero; 3]].concat());
    moving.chain(turning.iter().map(|row| [&[zero; 3], row.as_slice()].concat())).collect()
}

/// Applied forces other than gravity: wrenches on the links, forces on coordinates, and their potential.
pub(super) struct Applied {
    pub wrenches: Vec<Option<Wrench>>,
    pub generalized: Vec<(usize, ExprId)>,
    potential: Option<ExprId>,
    powers: Vec<ExprId>,
}

fn applied(stage: &mut Stage, links: &Links, nv: usize) -> Applied {
    let wrenches = vec![None; links.links.len()];
    let mut applied = Applied { wrenches, generalized: Vec::new(), potential: None, powers: Vec::new() };
    for force in &stage.system.forces {
        let (action, ends) = stage.act(force);
        for ((frame, point), wrench) in force.frames.iter().zip(ends).zip(action.wrenches) {
            let Some(body) = frame.body else { continue };
            let [push, turn] = [wrench.force, wrench.torque].map(|vector| in_working_axes(stage, links, body, vector));
            let graph = &mut stage.builder.graph;
            let arm = links.arm(graph, body, point);
            let moment = spatial::cross(graph, arm, push);
            let torque = spatial::add(graph, turn, moment);
            let slot = &mut applied.wrenches[body.0];
            *slot = Some(match slot.take() {
                None => Wrench { force: push, torque },
                Some(sum) => Wrench {
                    force: spatial::add(graph, sum.force, push),
                    torque: spatial::add(graph, sum.torque, torque),
                },
            });
        }
        if let (Some((joint, index)), Some(value)) = (force.coordinate, action.generalized)
            && let Some(link) = links.links.iter().find(|link| link.joint == joint)
        {
            debug_assert!(link.first_velocity + index < nv);
            applied.generalized.push((link.first_velocity + index, value));
        }
        applied.powers.extend(action.power);
        if let Some(energy) = action.potential {
            let graph = &mut stage.builder.graph;
            applied.potential = Some(applied.potential.map_or(energy, |sum| graph.add(sum, energy)));
        }
    }
    applied
}

/// A vector in ground axes → the working axes of a body's link.
fn in_working_axes(stage: &mut Stage, links: &Links, body: BodyId, vector: Vector3) -> Vector3 {
    match links.space {
        Space::Planar => vector,
        Space::Spatial => {
            let in_body = stage.in_body_axes(body, vector);
            links.working(&mut stage.builder.graph, body, in_body)
        }
    }
}

/// g: closures of the joints outside the tree, then the constraints written as equations; and those on velocities.
fn constraint(stage: &mut Stage) -> (Vec<ExprId>, Vec<ExprId>) {
    let system = stage.system;
    let (mut residuals, mut on_velocities) = (Vec::new(), Vec::new());
    for joint in system.joints.iter().filter(|joint| !joint.is_tree) {
        residuals.extend(statements::closure(stage, joint));
    }
    for constraint in &system.constraints {
        let rows = if constraint.is_velocity { &mut on_velocities } else { &mut residuals };
        rows.extend(lower(stage, &constraint.residual));
    }
    (residuals, on_velocities)
}
