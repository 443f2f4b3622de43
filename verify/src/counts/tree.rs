//! Trees with numbers for parameters: two arms, a double pendulum and a quadruped with a free trunk, written in
//! `data/opcounts/*.model`; the algorithms that rigid-body libraries offer for them.
//!
//! A free trunk moves with the velocity of its origin and its angular velocity, both in its own axes; its coordinates
//! are the position, the quaternion (x, y, z, w) and then the joints' angles.

use hamel_compiler::expr::{ExprId, Graph, Stage};
use hamel_compiler::spatial::{self, Vector3};

use super::dynamics::{Dynamics, State};
use super::factorization::Factorization;
use super::{Formulas, Function, symbols};

/// Names and descriptions.
const TREES: [(&str, &str); 4] = [
    ("dp", include_str!("../../data/opcounts/double_pendulum.model")),
    ("arm6", include_str!("../../data/opcounts/arm6.model")),
    ("arm7", include_str!("../../data/opcounts/arm7.model")),
    ("quad", include_str!("../../data/opcounts/quadruped.model")),
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
    let of_tree = |(tree, model)| {
        ALGORITHMS
            .map(|(name, algorithm)| Function::of_numbers(format!("K_{tree}_{name}"), move || write(model, algorithm)))
    };
    TREES.into_iter().flat_map(of_tree).collect()
}

fn write(model: &str, algorithm: Algorithm) -> syn::Result<Formulas> {
    let tree = Tree { dynamics: Dynamics::of(model)? };
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

    /// What stands for the model's symbols.
    ///
    /// The dynamics of a free trunk does not depend on its pose when gravity stands in the trunk's axes.
    fn state(&self, graph: &mut Graph, q: &[ExprId], v: &[ExprId], a: &[ExprId]) -> State {
        if !self.is_free() {
            return State { q: q.to_vec(), v: v.to_vec(), a: a.to_vec(), parameters: Vec::new() };
        }
        let (zero, one) = (graph.zero(), graph.one());
        let pose = [zero, zero, zero, one, zero, zero, zero];
        State {
            q: [&pose, &q[7..]].concat(),
            v: v.to_vec(),
            a: a.to_vec(),
            parameters: free_fall(graph, &q[3..7]).to_vec(),
        }
    }

    fn mass_matrix(&self, graph: &mut Graph, q: &[ExprId]) -> Vec<Vec<ExprId>> {
        let at_rest = vec![graph.zero(); self.dynamics.sizes().1];
        let state = self.state(graph, q, &at_rest, &at_rest);
        self.dynamics.mass_matrix(graph, &state)
    }

    fn inverse_dynamics(&self, graph: &mut Graph, q: &[ExprId], v: &[ExprId], a: &[ExprId]) -> Vec<ExprId> {
        let state = self.state(graph, q, v, a);
        self.dynamics.inverse_dynamics(graph, &state)
    }

    fn bias_force(&self, graph: &mut Graph, q: &[ExprId], v: &[ExprId]) -> Vec<ExprId> {
        let at_rest = vec![graph.zero(); v.len()];
        self.inverse_dynamics(graph, q, v, &at_rest)
    }

    /// τ − h.
    fn excess(&self, graph: &mut Graph, [q, v, tau]: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
        let bias = self.bias_force(graph, q, v);
        tau.iter().zip(bias).map(|(&tau, h)| graph.sub(tau, h)).collect()
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

fn mass_matrix(tree: &Tree, graph: &mut Graph, [q, ..]: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.mass_matrix(graph, q).concat()
}

fn bias_force(tree: &Tree, graph: &mut Graph, [q, v, _]: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.bias_force(graph, q, v)
}

fn inverse_dynamics(tree: &Tree, graph: &mut Graph, [q, v, a]: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    tree.inverse_dynamics(graph, q, v, a)
}

/// a of M a + h = τ.
fn forward_dynamics(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    let mass = tree.mass_matrix(graph, &arguments[0]);
    let excess = tree.excess(graph, arguments);
    Factorization::new(graph, &mass).solve(graph, &excess)
}

/// ∂τ/∂q, ∂τ/∂v and M of τ = M a + h.
fn inverse_dynamics_derivatives(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    let [q, v, a] = arguments;
    let forces = tree.inverse_dynamics(graph, q, v, a);
    let mut values = [graph.jacobian(&forces, q), graph.jacobian(&forces, v)].concat();
    values.extend(tree.mass_matrix(graph, q));
    values.concat()
}

/// ∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹: the derivatives of τ = M a + h at constant a, times −M⁻¹.
fn forward_dynamics_derivatives(tree: &Tree, graph: &mut Graph, arguments: &[Vec<ExprId>; 3]) -> Vec<ExprId> {
    let [q, v, _] = arguments;
    let (mass, excess) = (tree.mass_matrix(graph, q), tree.excess(graph, arguments));
    let inverse = Factorization::new(graph, &mass).inverse(graph);
    let acceleration: Vec<ExprId> = inverse.iter().map(|row| graph.dot(row, &excess)).collect();

    // In a graph of its own the acceleration is a symbol, so that it is kept constant.
    let mut constant = Graph::new();
    let [q_at, v_at, a_at] = tree.arguments(&mut constant);
    let forces = tree.inverse_dynamics(&mut constant, &q_at, &v_at, &a_at);
    let derivatives = [constant.jacobian(&forces, &q_at), constant.jacobian(&forces, &v_at)];

    let images = [q.as_slice(), v, &acceleration].concat();
    let mut values = Vec::new();
    for derivative in derivatives {
        let columns = derivative.first().map_or(0, Vec::len);
        let entries = graph.import(&constant, &derivative.concat(), &|_, symbol| images[symbol.index()]);
        for row in &inverse {
            for column in 0..columns {
                let entries: Vec<ExprId> = entries.iter().skip(column).step_by(columns).copied().collect();
                let product = graph.dot(row, &entries);
                values.push(graph.neg(product));
            }
        }
    }
    values.extend(inverse.concat());
    values
}
