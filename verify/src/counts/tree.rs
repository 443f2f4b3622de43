//! Trees with numbers for parameters: two arms, a double pendulum and a quadruped with a free trunk, described in
//! `data/opcounts/*.urdf`; the algorithms that rigid-body libraries offer for them.
//!
//! A free trunk moves with the velocity of its origin and its angular velocity, both in its own axes; its coordinates
//! are the position, the quaternion (x, y, z, w) and then the joints' angles.

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{ExprId, Graph, Stage};
use hamel_compiler::spatial::{self, Vector3};
use hamel_import::urdf;
use proc_macro2::Span;

use super::dynamics::{Dynamics, State};
use super::{Formulas, Function, symbols};

/// Names, descriptions, and whether the root moves freely.
const TREES: [(&str, &str, bool); 4] = [
    ("dp", include_str!("../../data/opcounts/double_pendulum.urdf"), false),
    ("arm6", include_str!("../../data/opcounts/arm6.urdf"), false),
    ("arm7", include_str!("../../data/opcounts/arm7.urdf"), false),
    ("quad", include_str!("../../data/opcounts/quadruped.urdf"), true),
];

/// The values of a function at (q, v, third), where the third argument is an acceleration or a force.
type Algorithm = fn(&Tree, &mut Graph, &[Vec<ExprId>; 3]) -> Vec<ExprId>;

const ALGORITHMS: [(&str, Algorithm); 6] = [
    ("crba", mass_matrix),
    ("nle", bias_force),
    ("rnea", inverse_dynamics),
    ("aba", forward_dynamics),
    ("drnea", inverse_dynamics_derivatives),
    ("daba", forward_dynamics_derivatives),
];

pub(super) fn functions() -> Vec<Function> {
    let of_tree = |(tree, description, is_free)| {
        ALGORITHMS.map(|(name, algorithm)| {
            Function::of_numbers(format!("K_{tree}_{name}"), move || write(&model(description, is_free)?, algorithm))
        })
    };
    TREES.into_iter().flat_map(of_tree).collect()
}

/// The model that a description is translated into; with a free root its gravity is a parameter.
fn model(description: &str, is_free: bool) -> syn::Result<String> {
    let options = urdf::Options { is_floating: is_free, ..urdf::Options::default() };
    let import = urdf::import(description, &options).map_err(|error| syn::Error::new(Span::call_site(), error))?;
    let gravity = urdf::GRAVITY;
    let in_axes_of_the_root = format!("param free_fall = {gravity}; gravity free_fall;");
    Ok(if is_free { import.model.replace(&format!("gravity {gravity};"), &in_axes_of_the_root) } else { import.model })
}

fn write(model: &str, algorithm: Algorithm) -> syn::Result<Formulas> {
    let tree = Tree { dynamics: Dynamics::of(model, Stage::Position)? };
    let mut graph = Graph::new();
    let arguments = tree.arguments(&mut graph);
    let values = algorithm(&tree, &mut graph, &arguments);
    Ok(Formulas { graph, values })
}

/// A tree on the ground, or with a free trunk.
struct Tree {
    dynamics: Dynamics,
}

impl Tree {
    /// New symbols for q, v and an acceleration or a force.
    fn arguments(&self, graph: &mut Graph) -> [Vec<ExprId>; 3] {
        let (n_q, n_v) = self.dynamics.sizes();
        [("q", n_q), ("v", n_v), ("x", n_v)].map(|(name, n)| symbols(graph, name, n, Stage::Position))
    }

    /// A free trunk has one coordinate more than velocities.
    fn is_free(&self) -> bool {
        let (n_q, n_v) = self.dynamics.sizes();
        n_q > n_v
    }

    /// What stands for the model's symbols; the third argument is an acceleration or a force.
    ///
    /// The dynamics of a free trunk does not depend on its pose when gravity stands in the trunk's axes.
    fn state(&self, graph: &mut Graph, [q, v, third]: &[Vec<ExprId>; 3]) -> State {
        let (v, a, tau) = (v.clone(), third.clone(), third.clone());
        if !self.is_free() {
            return State { q: q.clone(), v, a, tau, parameters: Vec::new() };
        }
        let (zero, one) = (graph.zero(), graph.one());
        let pose = [zero, zero, zero, one, zero, zero, zero];
        State { q: [&pose, &q[7..]].concat(), v, a, tau, parameters: free_fall(graph, &q[3..7]).to_vec() }
    }

    fn matrix(&self, graph: &mut Graph, which: (FunctionRole, Role), arguments: &[Vec<ExprId>; 3]) -> Vec<Vec<ExprId>> {
        let state = self.state(graph, arguments);
        self.dynamics.matrix(graph, which, &state)
    }

    fn vector(&self, graph: &mut Graph, which: (FunctionRole, Role), arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
        let state = self.state(graph, arguments);
        self.dynamics.vector(graph, which, &state)
    }

    /// Derivatives by the coordinates, from those along the velocities' directions. Nothing depends on the position of a
    /// free trunk, and on its quaternion only what depends on gravity: `by_free_fall` has three columns.
    fn by_coordinates(
        &self,
        graph: &mut Graph,
        q: &[ExprId],
        along: Vec<Vec<ExprId>>,
        by_free_fall: &[Vec<ExprId>],
    ) -> Vec<Vec<ExprId>> {
        if !self.is_free() {
            return along;
        }
        let zero = graph.zero();
        let free_fall = free_fall(graph, &q[3..7]);
        let by_quaternion = graph.jacobian(&free_fall, &q[3..7]);
        let row = |(along, by_free_fall): (Vec<ExprId>, &Vec<ExprId>)| {
            let turned = (0..4).map(|k| {
                let column: Vec<ExprId> = by_quaternion.iter().map(|row| row[k]).collect();
                graph.dot(by_free_fall, &column)
            });
            [vec![zero; 3], turned.collect(), along[6..].to_vec()].concat()
        };
        along.into_iter().zip(by_free_fall).map(row).collect()
    }
}

/// The acceleration of free fall in the axes of a frame whose quaternion is (x, y, z, w).
fn free_fall(graph: &mut Graph, quaternion: &[ExprId]) -> Vector3 {
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| quaternion[i]);
    let two = graph.integer(2);
    let mut twice = |(a, b): (ExprId, ExprId), (c, d): (ExprId, ExprId), sign: i64| {
        let (first, second) = (graph.mul(a, b), graph.mul(c, d));
        let sum = if sign > 0 { graph.add(first, second) } else { graph.sub(first, second) };
        graph.mul(two, sum)
    };
    let (across, along, tilt) = (twice((x, z), (w, y), -1), twice((y, z), (w, x), 1), twice((x, x), (y, y), 1));
    let one = graph.one();
    let up = [across, along, graph.sub(one, tilt)];
    let strength = graph.ratio(-981, 100);
    spatial::scale(graph, strength, up)
}

fn mass_matrix(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.matrix(graph, (FunctionRole::MassMatrix, Role::MassMatrix), arguments).concat()
}

fn bias_force(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.vector(graph, (FunctionRole::NonlinearEffects, Role::NonlinearEffects), arguments)
}

fn inverse_dynamics(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.vector(graph, (FunctionRole::InverseDynamics, Role::Force), arguments)
}

fn forward_dynamics(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.vector(graph, (FunctionRole::ForwardDynamics, Role::Acceleration), arguments)
}

/// ∂τ/∂q, ∂τ/∂v and M of τ = M a + h: in free fall a trunk feels no gravity, so that −M has the derivatives by it.
fn inverse_dynamics_derivatives(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    let [by_q, by_v, mass] = [Role::ForceByPosition, Role::ForceByVelocity, Role::MassMatrix]
        .map(|role| tree.matrix(graph, (FunctionRole::InverseDynamicsDerivatives, role), arguments));
    let by_free_fall: Vec<Vec<ExprId>> =
        mass.iter().map(|row| row.iter().take(3).map(|&entry| graph.neg(entry)).collect()).collect();
    let by_q = tree.by_coordinates(graph, &arguments[0], by_q, &by_free_fall);
    [by_q, by_v, mass].concat().concat()
}

/// ∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹: gravity accelerates a trunk and turns nothing.
fn forward_dynamics_derivatives(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    let [by_q, by_v, inverse] = [Role::AccelerationByPosition, Role::AccelerationByVelocity, Role::InverseMassMatrix]
        .map(|role| tree.matrix(graph, (FunctionRole::ForwardDynamicsDerivatives, role), arguments));
    let (zero, one) = (graph.zero(), graph.one());
    let by_free_fall: Vec<Vec<ExprId>> =
        (0..inverse.len()).map(|row| (0..3).map(|k| if row == k { one } else { zero }).collect()).collect();
    let by_q = tree.by_coordinates(graph, &arguments[0], by_q, &by_free_fall);
    [by_q, by_v, inverse].concat().concat()
}
