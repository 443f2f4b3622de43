//! What only numbers can tell before a model runs: constraints that nothing can satisfy, coordinates without inertia.
//!
//! Judged at an assembled configuration near the reference, with parameters at their defaults. A mechanism that cannot be
//! assembled from the reference is left to the run time, which can say more. Constraints that follow from others are none
//! of this: which do is known only where the mechanism is, and they hold like the others.

mod rows;

use std::collections::BTreeSet;

use crate::derive::{Block, Equations, FunctionRole, Kernel, Role, roots};
use crate::diagnostics::{self, Errors};
use crate::expr::{Binary, ExprId, Graph, Node, Stage, evaluate};
use crate::random::noise;
use crate::resolve::{Formulation, System, principal_moments};
use crate::rotations::RotationKind;
use crate::schedule::Schedule;
use crate::schedule::interpret::{Interpreter, Point, defaults};
use crate::schedule::pattern::filled;
use crate::space::Space;
use crate::spelling::spelled;
use rows::{Factors, Row};

/// Configurations that are looked at.
const SAMPLES: u64 = 3;
/// Iterations of an assembly; one that needs more is left to the run time.
const ITERATIONS: u32 = 20;
/// Residual of an assembled mechanism.
const ASSEMBLED: f64 = 1e-9;
/// Inertia of which nothing is known, relative to the largest: positions are rounded to 10⁻¹⁶ of the lengths in it.
const FEIGNED: f64 = 1e-26;
/// Most velocities of a model with constraints whose inertia is judged here; the work grows with their third power.
const LARGEST_JUDGED: usize = 400;

/// Collects the errors of a model that is otherwise complete.
///
/// # Errors
/// Constraints that nothing can satisfy, contacts that nothing moves, mass matrices that are not positive definite: those
/// of bodies with added mass, and that of the model where the constraints let it move, in joint coordinates or with point
/// masses.
pub fn check(system: &System, equations: &Equations, schedule: &Schedule) -> syn::Result<()> {
    let errors = Errors::default();
    let parameters = defaults(schedule);
    let model = Interpreter::new(equations, schedule, parameters.clone());
    for (row, residual) in out_of_reach(&model, equations) {
        let member = member(system, equations, row);
        errors.push(diagnostics::constant_constraint(member.span(), &member.to_string(), residual));
    }
    for (contact, what) in contacts_at_rest(system, schedule, equations) {
        errors.push(diagnostics::contact_at_rest(contact.span(), &contact.to_string(), what));
    }
    let sunk = without_total_mass(system, equations, &parameters);
    let is_sunk = !sunk.is_empty();
    sunk.into_iter().for_each(|error| errors.push(error));
    let is_judged = system.formulation == Formulation::Joint || has_point_mass(equations, &parameters);
    if is_judged
        && !is_sunk
        && let Some(q) = (0..SAMPLES).find_map(|seed| assemble(&model, equations, seed))
        && let Some(column) = massless(&model, equations, &q)
    {
        let name = &equations.layout.velocities[column].name;
        errors.push(diagnostics::massless_coordinate(owner_of_velocity(system, column), name));
    }
    // Other mistakes, such as masses that vanish, divide by zero too, and are told by their names.
    if errors.found() == 0 && equations.kernels.iter().any(divides_by_zero) {
        errors.push(diagnostics::division_by_zero(system.name.span(), &system.name.to_string()));
    }
    errors.finish(Some(()))
}

/// Whether a function of a kernel has a divisor that is the constant zero.
fn divides_by_zero(kernel: &Kernel) -> bool {
    let graph = &kernel.graph;
    let is_undefined = |node: Node| matches!(node, Node::Binary(Binary::Div, _, divisor) if graph.is_zero(divisor));
    // Most graphs have none, used or not.
    graph.nodes().any(|(_, node)| is_undefined(node)) && {
        let results: Vec<ExprId> = kernel.functions.iter().flat_map(roots).collect();
        graph.reachable(&results).into_iter().any(|id| is_undefined(graph.node(id)))
    }
}

/// A configuration near the reference that satisfies all constraints: minimum-norm Newton steps from a small
/// deterministic displacement.
fn assemble(model: &Interpreter<f64>, equations: &Equations, seed: u64) -> Option<Vec<f64>> {
    let mut q = displaced(model, equations, seed);
    for _ in 0..ITERATIONS {
        let g = constraint(model, equations, &q);
        if g.iter().all(|g| g.abs() < ASSEMBLED) {
            return Some(q);
        }
        let mut rows = jacobian(model, equations, &q);
        // Constraints on velocities do not bind the configuration.
        rows.truncate(rows.len() - equations.layout.velocity_constraints);
        let step = Factors::new(&rows).minimum_norm_step(&g, equations.layout.velocities.len());
        if step.iter().any(|x| !x.is_finite()) {
            return None;
        }
        displace(equations, &mut q, &step);
    }
    None
}

/// A configuration near the reference without symmetry.
fn displaced(model: &Interpreter<f64>, equations: &Equations, seed: u64) -> Vec<f64> {
    let mut q = model.reference_configuration();
    let nv = equations.layout.velocities.len();
    let displacement: Vec<f64> = (0..nv as u64).map(|i| 0.3 * noise((seed * 7919 + i) as usize)).collect();
    displace(equations, &mut q, &displacement);
    q
}

/// Moves coordinates along velocities: q + N δ, with unit Euler parameters.
fn displace(equations: &Equations, q: &mut [f64], step: &[f64]) {
    let (mut i, mut j) = (0, 0);
    for block in &equations.layout.blocks {
        match *block {
            Block::Vector(n) => {
                (0..n).for_each(|k| q[i + k] += step[j + k]);
                (i, j) = (i + n, j + n);
            }
            Block::EulerParameters => {
                (0..4).for_each(|k| q[i + k] += step[j + k]);
                (i, j) = (i + 4, j + 4);
            }
            Block::Rotation(kind) => {
                let size = kind.coordinates().len();
                turn(kind, &mut q[i..i + size], &step[j..j + 3]);
                (i, j) = (i + size, j + 3);
            }
            Block::Pose(kind) => {
                let size = kind.coordinates().len();
                // The position moves along the axes of the body.
                let axes = at(kind, &q[i + 3..], |graph, e| kind.matrix(graph, e).map(Vec::from).to_vec());
                (0..3).for_each(|k| q[i + k] += dot(&axes[k], &step[j..]));
                turn(kind, &mut q[i + 3..i + 3 + size], &step[j + 3..j + 6]);
                (i, j) = (i + 3 + size, j + 6);
            }
        }
    }
}

/// Turns a rotation by a small rotation vector in body axes.
fn turn(kind: RotationKind, q: &mut [f64], w: &[f64]) {
    let map = at(kind, q, |graph, q| kind.velocity_map(graph, q));
    q.iter_mut().zip(&map).for_each(|(q, row)| *q += dot(row, w));
    if kind == RotationKind::EulerParameters {
        let norm = dot(q, q).sqrt();
        q.iter_mut().for_each(|x| *x /= norm);
    }
}

/// Rows of a matrix of a rotation, at what stands at the beginning of q.
fn at(kind: RotationKind, q: &[f64], rows: impl Fn(&mut Graph, &[ExprId]) -> Vec<Vec<ExprId>>) -> Vec<Vec<f64>> {
    let mut graph = Graph::new();
    let symbols: Vec<ExprId> =
        kind.coordinates().iter().map(|coordinate| graph.symbol(coordinate.name, Stage::Position)).collect();
    rows(&mut graph, &symbols).iter().map(|row| evaluate(&graph, row, q)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn point(equations: &Equations, q: &[f64]) -> Point<f64> {
    let layout = &equations.layout;
    Point {
        t: 0.0,
        inputs: vec![0.0; layout.inputs.len()],
        q: q.to_vec(),
        v: vec![0.0; layout.velocities.len()],
        a: vec![0.0; layout.velocities.len()],
        lambda: vec![0.0; layout.constraints.len()],
        tau: Vec::new(),
    }
}

fn constraint(model: &Interpreter<f64>, equations: &Equations, q: &[f64]) -> Vec<f64> {
    let nc = equations.layout.constraints.len();
    model.output(FunctionRole::Constraint, Role::Constraint, &point(equations, q), (nc, 1)).values
}

/// Rows of G.
fn jacobian(model: &Interpreter<f64>, equations: &Equations, q: &[f64]) -> Vec<Row> {
    let mut rows = vec![Row::new(); equations.layout.constraints.len()];
    let at = point(equations, q);
    model.for_each_output(FunctionRole::ConstraintJacobian, &at, |output, entries| {
        if output.role == Role::ConstraintJacobian {
            entries.into_iter().for_each(|((row, column), value)| *rows[row].entry(column).or_default() += value);
        }
    });
    rows
}

/// Constraints on coordinates that no coordinate can change, with what remains of them.
fn out_of_reach(model: &Interpreter<f64>, equations: &Equations) -> Vec<(usize, f64)> {
    let n_positions = equations.layout.constraints.len() - equations.layout.velocity_constraints;
    let configurations: Vec<Vec<f64>> = (0..SAMPLES).map(|seed| displaced(model, equations, seed)).collect();
    let jacobians: Vec<_> = configurations.iter().map(|q| jacobian(model, equations, q)).collect();
    let g = constraint(model, equations, &model.reference_configuration());
    let is_fixed = |row: usize| jacobians.iter().all(|jacobian| jacobian[row].values().all(|entry| *entry == 0.0));
    (0..n_positions).filter(|&row| g[row].abs() > ASSEMBLED && is_fixed(row)).map(|row| (row, g[row])).collect()
}

/// Contacts whose gap, or whose whole slip, no velocity changes. One direction of slip without motion is no mistake: a
/// foot that swings in a plane of space slides in one direction only.
fn contacts_at_rest<'s>(
    system: &'s System,
    schedule: &Schedule,
    equations: &Equations,
) -> Vec<(&'s proc_macro2::Ident, &'static str)> {
    let jacobian = filled(equations, schedule, Role::ContactJacobian);
    let moving: BTreeSet<usize> = jacobian.into_iter().map(|(row, _)| row).collect();
    let mut found = Vec::new();
    let mut row = 0;
    for contact in &system.contacts {
        let slip = row + 1..row + 1 + contact.form.tangents();
        if !moving.contains(&row) {
            found.push((&contact.name, "gap"));
        }
        if !slip.is_empty() && slip.clone().all(|row| !moving.contains(&row)) {
            found.push((&contact.name, "slip"));
        }
        row = slip.end;
    }
    found
}

/// The joint or constraint that a row of g belongs to.
fn member(system: &System, equations: &Equations, row: usize) -> proc_macro2::Ident {
    let channel = &equations.layout.constraints[row].name;
    let joints = system.joints.iter().map(|joint| &joint.name);
    let constraints = system.constraints.iter().map(|constraint| &constraint.name);
    let is_named = |name: &&proc_macro2::Ident| {
        let rest = channel.strip_prefix(&spelled(&name.to_string()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '_', '.']))
    };
    joints.chain(constraints).find(is_named).unwrap_or(&system.name).clone()
}

/// Bodies whose mass and added mass together are not positive definite, which no choice of coordinates mends.
fn without_total_mass(system: &System, equations: &Equations, parameters: &[f64]) -> Vec<syn::Error> {
    let graph = &equations.parameter_graph;
    let mut errors = Vec::new();
    for total in &equations.total_masses {
        let mut m = evaluate(graph, &total.components, parameters);
        let n = m.len().isqrt();
        let least: Vec<f64> = (0..n).map(|k| 1e-12 * m[k * n + k].abs()).collect();
        let Some((k, found)) = lacking_pivot(&mut m, n, &least, 0..n) else { continue };
        let along = if n == 3 { ["along x", "along y", "about z"][k] } else { DIRECTIONS[k] };
        let Some(water) = &system.bodies[total.body].added_mass else { continue };
        let span = if along.starts_with("along") { water.force.span } else { water.moment.span };
        errors.push(diagnostics::total_mass_not_positive(span, &total.of, along, found));
    }
    errors
}

/// Directions of the velocities of a body in its own axes.
const DIRECTIONS: [&str; 6] = ["along x", "along y", "along z", "about x", "about y", "about z"];

/// Whether some body has no inertia about some axis through its centre of mass.
fn has_point_mass(equations: &Equations, parameters: &[f64]) -> bool {
    equations.bodies.iter().any(|body| {
        let inertia = evaluate(&equations.parameter_graph, &body.inertia, parameters);
        match <[f64; 9]>::try_from(inertia.as_slice()) {
            Ok(matrix) => {
                let [small, _, large] = principal_moments(&matrix);
                small <= 1e-12 * large
            }
            Err(_) => inertia.iter().all(|value| *value == 0.0),
        }
    })
}

/// The last column of M without a positive pivot, also after the constraints have held what they hold: M + Gᵀ G is
/// positive definite if and only if M is where G v = 0. From the ends of a tree to its root, no zero of M is filled.
fn massless(model: &Interpreter<f64>, equations: &Equations, q: &[f64]) -> Option<usize> {
    let m = model.mass_matrix(q);
    let n = m.rows;
    let largest = |m: &[f64]| (0..n).map(|i| m[i * n + i].abs()).fold(0.0, f64::max);
    // Rounding of a pivot goes with what stood on its diagonal; inertia that rounding of positions feigns goes with their
    // square. Between these, an inertia is small because a body is.
    let lacking = |m: &[f64], part: f64| {
        let feigned = FEIGNED * largest(m);
        let least: Vec<f64> = (0..n).map(|k| feigned.max(part * m[k * n + k])).collect();
        lacking_pivot(&mut m.to_vec(), n, &least, (0..n).rev()).map(|(column, _)| column)
    };
    let alone = lacking(&m.values, 1e-14)?;
    let rows = jacobian(model, equations, q);
    if rows.is_empty() {
        return Some(alone);
    }
    if n > LARGEST_JUDGED {
        return None;
    }
    let mut held = vec![0.0; n * n];
    for row in &rows {
        for (&i, a) in row {
            row.iter().for_each(|(&j, b)| held[i * n + j] += a * b);
        }
    }
    // Units differ from coordinate to coordinate; of each, what holds it is as large as what it moves.
    let scale = if largest(&held) > 0.0 { largest(&m.values) / largest(&held) } else { 0.0 };
    held.iter_mut().zip(&m.values).for_each(|(held, mass)| *held = scale * *held + mass);
    lacking(&held, 1e-12)
}

/// The first pivot of a symmetric matrix, n × n, in this order, that is not larger than the `least` of its column; its
/// column and value.
fn lacking_pivot(
    m: &mut [f64],
    n: usize,
    least: &[f64],
    order: impl Iterator<Item = usize> + Clone,
) -> Option<(usize, f64)> {
    let mut left = order;
    while let Some(k) = left.next() {
        let pivot = m[k * n + k];
        if pivot.is_nan() || pivot <= least[k] {
            return Some((k, pivot));
        }
        let filled: Vec<usize> = left.clone().filter(|i| m[i * n + k] != 0.0).collect();
        for &i in &filled {
            let factor = m[i * n + k] / pivot;
            for &j in &filled {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
    None
}

/// Where the tree joint, or the body, is written that a velocity belongs to.
fn owner_of_velocity(system: &System, column: usize) -> proc_macro2::Span {
    if system.formulation == Formulation::Absolute {
        let size = system.rotation.coordinates().len() + 3;
        let size = if system.space == Space::Planar { 3 } else { size };
        return system.bodies.get(column / size).map_or(system.name.span(), |body| body.name.span());
    }
    let mut first = 0;
    for (id, joint) in system.tree_joints() {
        if let Some(member) = system.member_before(id) {
            first += member.inner_coordinates();
            if column < first {
                return member.name.span();
            }
        }
        first += joint.channels(system.space, system.rotation).1.len();
        if column < first {
            return joint.name.span();
        }
    }
    system.name.span()
}
