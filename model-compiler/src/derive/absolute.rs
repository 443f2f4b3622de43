//! A model in absolute coordinates: one kernel per kind of member, each member an instance.
//!
//! A body has the position of its origin in ground axes and the coordinates of its rotation. With Euler parameters the
//! equations are those of [sherif, Eq. 9], quadratic velocity term included as printed: forms that agree only where
//! |e| = 1 and e·ė = 0 are different functions, with different derivatives and integration errors.

use proc_macro2::Ident;
use rustc_hash::{FxHashMap, FxHashSet};

use super::added_mass::MovedWater;
use super::beam;
use super::bodies::{Bodies, State, body_coordinates, coordinates_of, has_norm};
use super::contact;
use super::context::Context;
use super::equations::{Block, Channel, Instance, Kernel, Layout};
use super::kernel::Mechanics;
use super::kinds::Kinds;
use super::linearization;
use super::lower::{lower, lower_scalar};
use super::motion::{KernelScope, Totals};
use super::reactions;
use super::statements;
use super::switches;
use super::terms;
use super::tree::Inertia;
use crate::expr::{ExprId, Graph};
use crate::forces::Action;
use crate::resolve::{AddedMass, Body, BodyId, ContactForm, Force, Joint, JointId, StateEquation, System};
use crate::rotations::{RotationKind, euler_parameter_matrix};
use crate::space::Space;
use crate::spatial::{self, Vector3, Wrench};

/// Where the constraints of the members start.
struct Rows {
    norms: usize,
    joints: Vec<usize>,
}

/// Names every coordinate, velocity and constraint.
pub(super) fn declare(system: &System, layout: &mut Layout) {
    let coordinates = body_coordinates(system);
    for body in &system.bodies {
        for &(name, unit) in &coordinates {
            let name = format!("{}.{name}", body.name);
            let rate = if unit == "1" { "1/s".to_owned() } else { format!("{unit}/s") };
            layout.velocities.push(Channel { name: name.clone(), unit: rate });
            layout.coordinates.push(Channel { name, unit: unit.to_owned() });
        }
        if has_norm(system) {
            layout.blocks.extend([Block::Vector(3), Block::EulerParameters]);
        } else {
            layout.blocks.push(Block::Vector(coordinates.len()));
        }
    }
    if system.space == Space::Spatial && system.rotation == RotationKind::EulerZyx {
        let pitch = coordinates.iter().position(|(name, _)| *name == "theta");
        layout.singular_angles =
            (0..system.bodies.len()).filter_map(|body| Some(coordinates_of(system, BodyId(body)) + pitch?)).collect();
    }
    statements::declare_states(system, layout);
    if has_norm(system) {
        let norms =
            system.bodies.iter().map(|body| Channel { name: format!("{}.norm", body.name), unit: "1".to_owned() });
        layout.constraints.extend(norms);
    }
    for joint in &system.joints {
        layout.constraints.extend(statements::closure_channels(system, joint));
    }
    layout.constraints.extend(statements::constraint_channels(system).concat());
}

fn rows(system: &System) -> Rows {
    let norms = if has_norm(system) { system.bodies.len() } else { 0 };
    let mut next = norms;
    let mut advance = |n: usize| {
        let first = next;
        next += n;
        first
    };
    let joints = system.joints.iter().map(|joint| advance(statements::closure_rows(system, joint))).collect();
    Rows { norms, joints }
}

/// Every member with its kernel.
pub(super) fn derive(context: &mut Context, kinds: &mut Kinds) {
    let system = context.system;
    let rows = rows(system);
    for (index, body) in system.bodies.iter().enumerate() {
        rigid_body(context, kinds, BodyId(index), body, rows.norms > 0);
    }
    for (index, body) in system.bodies.iter().enumerate() {
        if let Some(water) = &body.added_mass {
            added_mass(context, kinds, BodyId(index), water);
        }
    }
    for index in 0..system.states.len() {
        state(context, kinds, index);
    }
    for force in &system.forces {
        applied_force(context, kinds, force);
    }
    for (joint, &first) in system.joints.iter().zip(&rows.joints) {
        joint_closure(context, kinds, joint, first);
    }
    for (index, (_, rows)) in statements::constraint_rows(system, context.layout).enumerate() {
        user_constraint(context, kinds, index, rows.start);
    }
    for index in 0..system.contacts.len() {
        contact(context, kinds, index);
    }
    let written = [output_kernel(context), initial_kernel(context), switching_kernel(context)];
    for (kernel, instance) in written.into_iter().flatten() {
        kinds.add(kernel, [instance]);
    }
    for beam in &system.beams {
        let (kernel, elements) = beam::derive(context, beam);
        kinds.add(kernel, elements);
    }
}

/// Mass properties of a body about its origin, in body axes.
fn inertia(scope: &mut KernelScope, body: &Body) -> Inertia {
    let mass = scope.value("mass", &body.mass)[0];
    let center = match &body.center_of_mass {
        Some(term) => scope.vector("center", term),
        None => spatial::zero(&mut scope.builder.graph),
    };
    let j = scope.value("inertia", &body.inertia);
    let graph = &mut scope.builder.graph;
    let zero = graph.zero();
    let second_moment = match *j.as_slice() {
        [xx, xy, xz, _, yy, yz, _, _, zz] => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
        _ => [[zero; 3], [zero; 3], [zero, zero, j[0]]],
    };
    let central = Inertia { mass, first_moment: [zero; 3], second_moment };
    central.seen_from(graph, center)
}

/// One body: inertia, weight, and the norm of its Euler parameters.
fn rigid_body(context: &mut Context, kinds: &mut Kinds, id: BodyId, body: &Body, has_norm: bool) {
    let system = context.system;
    let doc = "A rigid body: inertia, weight, and the norm of its Euler parameters. [sherif, Eq. 9]";
    let doc = if has_norm { doc } else { "A rigid body: inertia and weight." };
    let mut builder = context.kernel("rigid_body", doc, &body.name.to_string());
    let bodies = Bodies::declare(system, &mut builder, &[(id, String::new())]);
    if has_norm {
        builder.multipliers(id.0, 1);
    }
    let mut scope = KernelScope::new(system, &mut builder, &bodies, false);
    let inertia = inertia(&mut scope, body);
    let gravity = system.gravity.as_ref().map(|term| scope.vector("gravity", term));
    let state = &bodies.states[&id];
    let graph = &mut builder.graph;
    let mechanics = Mechanics {
        constraint: if has_norm { vec![norm_residual(graph, &state.rotation_symbols.q)] } else { Vec::new() },
        ..body_mechanics(graph, system, &bodies, id, &inertia, gravity)
    };
    kinds.add_member(builder, mechanics);
}

/// eᵀ e − 1. [sherif, Eq. 5]
fn norm_residual(graph: &mut Graph, e: &[ExprId]) -> ExprId {
    let (squared, one) = (graph.dot(e, e), graph.one());
    graph.sub(squared, one)
}

fn body_mechanics(
    graph: &mut Graph,
    system: &System,
    bodies: &Bodies,
    id: BodyId,
    inertia: &Inertia,
    gravity: Option<Vector3>,
) -> Mechanics {
    let state = &bodies.states[&id];
    let dimension = system.space.dimension();
    let nv = dimension + state.subspace.len();
    let zero = graph.zero();

    // h: centripetal force and gyroscopic moment.
    let momentum = spatial::apply(graph, &inertia.second_moment, state.omega);
    let gyroscopic = gyroscopic_moment(graph, system, state, momentum);
    let turning = spatial::cross(graph, state.omega, inertia.first_moment);
    let centripetal = spatial::cross(graph, state.omega, turning);
    let carried = inertia.wrench(graph, state.subspace_rate, [zero; 3]);
    let bias_in_body = spatial::add(graph, centripetal, carried.force);
    let bias_push = spatial::apply(graph, &state.rotation, bias_in_body);
    let bias_turn = spatial::add(graph, gyroscopic, carried.torque);
    let mut bias_force = vec![zero; nv];
    bodies.push(graph, id, bias_push, bias_turn, &mut bias_force);

    // f: weight.
    let mut applied_force = vec![zero; nv];
    if let Some(g) = gravity {
        let (push, turn) = weight(graph, state, inertia, g);
        bodies.push(graph, id, push, turn, &mut applied_force);
    }

    // M a + h − f, without multiplying M out.
    let in_body = spatial::apply_transposed(graph, &state.rotation, state.acceleration);
    let lever = spatial::cross(graph, inertia.first_moment, in_body);
    let tangential = spatial::cross(graph, state.alpha, inertia.first_moment);
    let both = spatial::add(graph, tangential, centripetal);
    let push = spatial::apply(graph, &state.rotation, both);
    let linear = spatial::scale(graph, inertia.mass, state.acceleration);
    let push = spatial::add(graph, linear, push);
    let turn = spatial::apply(graph, &inertia.second_moment, state.alpha);
    let turn = spatial::add(graph, turn, gyroscopic);
    let turn = spatial::add(graph, turn, lever);
    let mut inverse_dynamics = vec![zero; nv];
    bodies.push(graph, id, push, turn, &mut inverse_dynamics);
    for (r, &f) in inverse_dynamics.iter_mut().zip(&applied_force) {
        *r = graph.sub(*r, f);
    }

    let totals = body_totals(graph, state, inertia, gravity);
    Mechanics {
        mass_matrix: body_mass_matrix(graph, state, inertia, dimension),
        bias_force,
        applied_force,
        derivatives: None,
        inverse_dynamics,
        constraint: Vec::new(),
        velocity_constraint: Vec::new(),
        sides: Vec::new(),
        contacts: Vec::new(),
        kinetic_energy: Some(totals.kinetic_energy),
        potential_energy: Some(totals.potential_energy),
        power: None,
    }
}

/// The gyroscopic moment ω × (J ω); with Euler parameters in the printed form 2 L L̇ᵀ J ω.
/// [sherif, Eq. 9]
fn gyroscopic_moment(graph: &mut Graph, system: &System, state: &State, momentum: Vector3) -> Vector3 {
    if !has_norm(system) {
        return spatial::cross(graph, state.omega, momentum);
    }
    let l = euler_parameter_matrix(graph, &state.rotation_symbols.q);
    let l_dot = euler_parameter_matrix(graph, &state.rotation_symbols.v);
    let two = graph.integer(2);
    let carried: Vec<ExprId> = (0..4).map(|j| graph.dot(&[l_dot[0][j], l_dot[1][j], l_dot[2][j]], &momentum)).collect();
    l.map(|row| {
        let component = graph.dot(&row, &carried);
        graph.mul(two, component)
    })
}

/// Force in ground axes and torque in body axes, about the body's origin.
fn weight(graph: &mut Graph, state: &State, inertia: &Inertia, gravity: Vector3) -> (Vector3, Vector3) {
    let in_body = spatial::apply_transposed(graph, &state.rotation, gravity);
    (spatial::scale(graph, inertia.mass, gravity), spatial::cross(graph, inertia.first_moment, in_body))
}

/// [ m 1, R (S × h) ; …ᵀ, Sᵀ J S ].
fn body_mass_matrix(graph: &mut Graph, state: &State, inertia: &Inertia, dimension: usize) -> Vec<Vec<ExprId>> {
    let n = dimension + state.subspace.len();
    let mut matrix = vec![vec![graph.zero(); n]; n];
    for (i, row) in matrix.iter_mut().enumerate().take(dimension) {
        row[i] = inertia.mass;
    }
    for (j, &column) in state.subspace.iter().enumerate() {
        let swing = spatial::cross(graph, column, inertia.first_moment);
        let swing = spatial::apply(graph, &state.rotation, swing);
        for i in 0..dimension {
            matrix[i][dimension + j] = swing[i];
            matrix[dimension + j][i] = swing[i];
        }
        let moment = spatial::apply(graph, &inertia.second_moment, column);
        for (i, &row) in state.subspace.iter().enumerate().take(j + 1) {
            let value = spatial::dot(graph, row, moment);
            matrix[dimension + i][dimension + j] = value;
            matrix[dimension + j][dimension + i] = value;
        }
    }
    matrix
}

fn body_totals(graph: &mut Graph, state: &State, inertia: &Inertia, gravity: Option<Vector3>) -> Totals {
    let turning = spatial::cross(graph, state.omega, inertia.first_moment);
    let turning = spatial::apply(graph, &state.rotation, turning);
    let linear = spatial::scale(graph, inertia.mass, state.velocity);
    let momentum = spatial::add(graph, linear, turning);
    let in_body = spatial::apply_transposed(graph, &state.rotation, state.velocity);
    let spin = spatial::apply(graph, &inertia.second_moment, state.omega);
    let lever = spatial::cross(graph, inertia.first_moment, in_body);
    let about_origin = spatial::add(graph, spin, lever);
    // 2 T = v · p + ω · L about the origin.
    let (translation, rotation) =
        (spatial::dot(graph, state.velocity, momentum), spatial::dot(graph, state.omega, about_origin));
    let twice = graph.add(translation, rotation);
    let half = graph.ratio(1, 2);
    let kinetic_energy = graph.mul(half, twice);

    let in_ground = spatial::apply(graph, &state.rotation, about_origin);
    let orbital = spatial::cross(graph, state.position, momentum);
    let angular_momentum = spatial::add(graph, in_ground, orbital);
    let potential_energy = match gravity {
        None => graph.zero(),
        Some(g) => {
            let moment = spatial::apply(graph, &state.rotation, inertia.first_moment);
            let at_origin = spatial::scale(graph, inertia.mass, state.position);
            let moment = spatial::add(graph, at_origin, moment);
            let work = spatial::dot(graph, g, moment);
            graph.neg(work)
        }
    };
    Totals { kinetic_energy, potential_energy, momentum, angular_momentum }
}

/// The added mass of a body.
fn added_mass(context: &mut Context, kinds: &mut Kinds, id: BodyId, water: &AddedMass) {
    let system = context.system;
    let doc = "The added mass of a body. [simo, Eqs. 11-17]";
    let name = system.bodies[id.0].name.to_string();
    let mut builder = context.kernel("added_mass", doc, &name);
    let used: Vec<BodyId> = std::iter::once(id).chain(terms::bodies_of_added_mass(water)).collect();
    let bodies = Bodies::declare(system, &mut builder, &prefixed(system, &used));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, false);
    let moved = MovedWater::new(&mut scope, "", id, water);
    let a = scope.builder.accelerations();
    let graph = &mut scope.builder.graph;
    let applied_force = moved.applied_force(graph);
    let inertial = moved.inertial_force(graph, &a);
    let inverse_dynamics = inertial.iter().zip(&applied_force).map(|(&r, &f)| graph.sub(r, f)).collect();
    let totals = moved.totals(graph);
    let mechanics = Mechanics {
        mass_matrix: moved.mass_matrix(graph),
        bias_force: moved.bias_force(graph),
        applied_force,
        inverse_dynamics,
        kinetic_energy: Some(totals.kinetic_energy),
        potential_energy: Some(totals.potential_energy),
        power: Some(moved.power(graph)),
        ..Mechanics::default()
    };
    kinds.add_member(builder, mechanics);
}

/// A first-order state, represented as the velocity of its integral, with unit inertia and its rate as the force.
fn state(context: &mut Context, kinds: &mut Kinds, index: usize) {
    let system = context.system;
    let StateEquation { name, rate, .. } = &system.states[index];
    let doc = "A quantity of first order.";
    let mut builder = context.kernel("state", doc, &name.to_string());
    let bodies = Bodies::declare(system, &mut builder, &prefixed(system, &terms::bodies(rate)));
    let (_, row) = builder.state(index);
    let mut scope = KernelScope::new(system, &mut builder, &bodies, false);
    scope.share_numbers = true;
    let rate = lower_scalar(&mut scope, rate);
    let (zero, one, n) = (builder.graph.zero(), builder.graph.one(), builder.n_velocities());
    let mut mechanics =
        Mechanics { mass_matrix: vec![vec![zero; n]; n], applied_force: vec![zero; n], ..Mechanics::default() };
    mechanics.mass_matrix[row][row] = one;
    mechanics.applied_force[row] = rate;
    kinds.add_member(builder, mechanics);
}

/// A force, with the bodies it acts on or depends on.
fn applied_force(context: &mut Context, kinds: &mut Kinds, force: &Force) {
    let system = context.system;
    let keyword = force.kind.keyword();
    let doc = format!("An applied force of kind `{keyword}`.");
    let mut builder = context.kernel(keyword, &doc, &force.name.to_string());
    let bodies = Bodies::declare(system, &mut builder, &prefixed(system, &terms::bodies_of_force(force)));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, false);
    let (applied_force, Action { potential, power, .. }) = generalized_force(&mut scope, &bodies, force);
    let mechanics = Mechanics { applied_force, potential_energy: potential, power, ..Mechanics::default() };
    kinds.add_member(builder, mechanics);
}

fn generalized_force(scope: &mut KernelScope, bodies: &Bodies, force: &Force) -> (Vec<ExprId>, Action) {
    let (action, ends) = scope.act(force);
    let size = bodies.order.len() * body_coordinates(scope.system).len();
    let mut f = vec![scope.builder.graph.zero(); size];
    for ((frame, point), wrench) in force.frames.iter().zip(ends).zip(&action.wrenches) {
        let Some(body) = frame.body else { continue };
        let push = scope.in_body_axes(body, wrench.force);
        let turn = scope.in_body_axes(body, wrench.torque);
        let graph = &mut scope.builder.graph;
        let moment = spatial::cross(graph, point, push);
        let torque = spatial::add(graph, turn, moment);
        bodies.push(graph, body, wrench.force, torque, &mut f);
    }
    (f, action)
}

/// Names for the bodies of a kernel: none for a single body, else `a_`, `b_`, ….
fn prefixed(_system: &System, bodies: &[BodyId]) -> Vec<(BodyId, String)> {
    let mut unique: Vec<BodyId> = Vec::new();
    for &body in bodies {
        if !unique.contains(&body) {
            unique.push(body);
        }
    }
    let prefix = |i: usize| match (unique.len(), i) {
        (1, _) => String::new(),
        (_, 0) => "a_".to_owned(),
        (_, 1) => "b_".to_owned(),
        (_, i) => format!("c{i}_"),
    };
    unique.iter().enumerate().map(|(i, &body)| (body, prefix(i))).collect()
}

/// Names for the bodies of a kernel that serves one statement: the names of the bodies themselves.
fn named(system: &System, bodies: &[BodyId]) -> Vec<(BodyId, String)> {
    bodies.iter().map(|&body| (body, format!("{}_", system.bodies[body.0].name))).collect()
}

/// A joint as a constraint, unless it constrains nothing.
fn joint_closure(context: &mut Context, kinds: &mut Kinds, joint: &Joint, first: usize) {
    let system = context.system;
    let keyword = joint.kind.keyword();
    let doc = format!("A {keyword} joint between two bodies.");
    let name = format!("{keyword}_joint");
    let mut builder = context.kernel(&name, &doc, &joint.name.to_string());
    let ends = [&joint.parent, &joint.child].into_iter().filter_map(|frame| frame.body);
    let ends: Vec<BodyId> = ends.chain(joint.coordinates.iter().flat_map(terms::bodies)).collect();
    let bodies = Bodies::declare(system, &mut builder, &prefixed(system, &ends));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, false);
    let (constraint, sides) = statements::closure(&mut scope, joint);
    if constraint.is_empty() {
        return;
    }
    builder.multipliers(first, constraint.len());
    kinds.add_member(builder, Mechanics { constraint, sides, ..Mechanics::default() });
}

fn user_constraint(context: &mut Context, kinds: &mut Kinds, index: usize, first: usize) {
    let system = context.system;
    let statement = &system.constraints[index];
    let name = statement.name.to_string();
    let mut builder = context.kernel(&name, "A constraint written as an equation.", &name);
    let bodies = Bodies::declare(system, &mut builder, &named(system, &terms::bodies(&statement.residual)));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, true);
    let residual = lower(&mut scope, &statement.residual);
    builder.multipliers(first, residual.len());
    let mechanics = match statement.is_velocity {
        true => Mechanics { velocity_constraint: residual, ..Mechanics::default() },
        false => Mechanics { constraint: residual, ..Mechanics::default() },
    };
    kinds.add_member(builder, mechanics);
}

fn contact(context: &mut Context, kinds: &mut Kinds, index: usize) {
    let system = context.system;
    let contact = &system.contacts[index];
    let (name, doc) = match &contact.form {
        ContactForm::Written { .. } => ("contact", "A contact, by its gap and slip.".to_owned()),
        ContactForm::Kind { kind, .. } => (kind.keyword, format!("A contact of kind `{}`.", kind.keyword)),
    };
    let mut builder = context.kernel(name, &doc, &contact.name.to_string());
    let bodies = Bodies::declare(system, &mut builder, &prefixed(system, &terms::bodies_of_contact(contact)));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, false);
    scope.share_numbers = true;
    let contacts = vec![contact::measures(&mut scope, contact)];
    builder.contact(index);
    kinds.add_member(builder, Mechanics { contacts, ..Mechanics::default() });
}

/// All outputs, in one kernel.
fn output_kernel(context: &mut Context) -> Option<(Kernel, Instance)> {
    let system = context.system;
    let needs_totals = system.outputs.iter().any(|output| terms::asks_for_totals(&output.value));
    let mut joints = statements::joints_in_outputs(system);
    joints.sort();
    joints.dedup();
    let used: Vec<BodyId> = if needs_totals {
        (0..system.bodies.len()).map(BodyId).collect()
    } else {
        let of_outputs = system.outputs.iter().flat_map(|output| terms::bodies(&output.value));
        let ends = |joint: &JointId| {
            let joint = &system.joints[joint.0];
            [joint.parent.body, joint.child.body].into_iter().flatten()
        };
        of_outputs.chain(joints.iter().flat_map(ends)).collect()
    };
    let mut builder = context.kernel("outputs", "Outputs of the model.", "outputs");
    let bodies = Bodies::declare(system, &mut builder, &named(system, &used));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, true);
    if needs_totals {
        scope.totals = Some(totals(&mut scope, &bodies));
    }
    scope.reactions.of_joints = reactions(&mut scope, &joints);
    let multipliers: FxHashSet<&Ident> =
        system.outputs.iter().flat_map(|output| terms::multipliers(&output.value)).collect();
    for (constraint, rows) in statements::constraint_rows(system, scope.builder.layout) {
        if multipliers.contains(&constraint.name) {
            let own = scope.builder.further_multipliers(rows);
            scope.reactions.multipliers.insert(constraint.name.clone(), own);
        }
    }
    let function = statements::outputs(&mut scope)?;
    Some(linearization::finish(builder, vec![function]))
}

/// What these joints pass on, each named once.
pub(super) fn reactions(scope: &mut KernelScope, joints: &[JointId]) -> FxHashMap<JointId, Wrench> {
    let mut found = FxHashMap::default();
    if joints.is_empty() {
        return found;
    }
    let (system, rows) = (scope.system, rows(scope.system));
    for &id in joints {
        let (joint, first) = (&system.joints[id.0], rows.joints[id.0]);
        let own = scope.builder.further_multipliers(first..first + statements::closure_rows(system, joint));
        found.insert(id, reactions::of_closure(scope, joint, &own));
    }
    found
}

/// Energies and momenta of all bodies and forces.
fn totals(scope: &mut KernelScope, bodies: &Bodies) -> Totals {
    let system = scope.system;
    let zero = scope.builder.graph.zero();
    let mut sum =
        Totals { kinetic_energy: zero, potential_energy: zero, momentum: [zero; 3], angular_momentum: [zero; 3] };
    let gravity = system.gravity.as_ref().map(|term| scope.vector("gravity", term));
    for (index, body) in system.bodies.iter().enumerate() {
        let inertia = inertia(scope, body);
        let graph = &mut scope.builder.graph;
        let own = body_totals(graph, &bodies.states[&BodyId(index)], &inertia, gravity);
        sum = sum.plus(graph, &own);
        if let Some(water) = &body.added_mass {
            let own = MovedWater::new(scope, "", BodyId(index), water).totals(&mut scope.builder.graph);
            sum = sum.plus(&mut scope.builder.graph, &own);
        }
    }
    for force in &system.forces {
        if let Some(energy) = generalized_force(scope, bodies, force).1.potential {
            sum.potential_energy = scope.builder.graph.add(sum.potential_energy, energy);
        }
    }
    sum
}

/// All switching functions, in one kernel.
fn switching_kernel(context: &mut Context) -> Option<(Kernel, Instance)> {
    let system = context.system;
    let switches = switches::of_motion(system);
    let terms = || switches.iter().flat_map(|&(one, other)| [Some(one), other]).flatten();
    let needs_totals = terms().any(terms::asks_for_totals);
    let used: Vec<BodyId> = match needs_totals {
        true => (0..system.bodies.len()).map(BodyId).collect(),
        false => terms().flat_map(terms::bodies).collect(),
    };
    let doc = "Functions whose signs choose between formulas.";
    let mut builder = context.kernel("switching_functions", doc, "switches");
    let bodies = Bodies::declare(system, &mut builder, &named(system, &used));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, true);
    if needs_totals {
        scope.totals = Some(totals(&mut scope, &bodies));
    }
    let function = statements::switching_functions(&mut scope, &switches)?;
    Some(linearization::finish(builder, vec![function]))
}

/// All initial conditions, in one kernel.
fn initial_kernel(context: &mut Context) -> Option<(Kernel, Instance)> {
    let system = context.system;
    let used: Vec<BodyId> = system.initial.iter().flat_map(|initial| terms::bodies(&initial.residual)).collect();
    let doc = "Conditions on the initial state.";
    let mut builder = context.kernel("initial_conditions", doc, "initial");
    let bodies = Bodies::declare(system, &mut builder, &named(system, &used));
    let mut scope = KernelScope::new(system, &mut builder, &bodies, true);
    let functions = statements::initial_conditions(&mut scope);
    (!functions.is_empty()).then(|| linearization::finish(builder, functions))
}
