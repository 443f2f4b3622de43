//! Vectors, rotations and wrenches whose components are expressions.

use crate::expr::{ExprId, Graph};

/// Three components.
pub type Vector3 = [ExprId; 3];
/// Rows of a 3 × 3 matrix.
pub type Matrix3 = [[ExprId; 3]; 3];

/// Pose of a frame C in a frame P.
#[derive(Clone, Copy, Debug)]
pub struct Transform {
    /// R_PC: axes of C as columns, in P.
    pub rotation: Matrix3,
    /// p_PoCo_P: origin of C seen from P.
    pub position: Vector3,
}

/// Force and torque about one point.
#[derive(Clone, Copy, Debug)]
pub struct Wrench {
    /// Force, N.
    pub force: Vector3,
    /// Torque, N m.
    pub torque: Vector3,
}

/// The zero vector.
pub fn zero(graph: &mut Graph) -> Vector3 {
    [graph.zero(); 3]
}

/// The unit matrix.
pub fn identity(graph: &mut Graph) -> Matrix3 {
    let (o, i) = (graph.zero(), graph.one());
    [[i, o, o], [o, i, o], [o, o, i]]
}

/// a + b.
pub fn add(graph: &mut Graph, a: Vector3, b: Vector3) -> Vector3 {
    std::array::from_fn(|i| graph.add(a[i], b[i]))
}

/// a − b.
pub fn sub(graph: &mut Graph, a: Vector3, b: Vector3) -> Vector3 {
    std::array::from_fn(|i| graph.sub(a[i], b[i]))
}

/// −a.
pub fn neg(graph: &mut Graph, a: Vector3) -> Vector3 {
    a.map(|x| graph.neg(x))
}

/// s a.
pub fn scale(graph: &mut Graph, s: ExprId, a: Vector3) -> Vector3 {
    a.map(|x| graph.mul(s, x))
}

/// a · b.
pub fn dot(graph: &mut Graph, a: Vector3, b: Vector3) -> ExprId {
    graph.dot(&a, &b)
}

/// a × b.
pub fn cross(graph: &mut Graph, a: Vector3, b: Vector3) -> Vector3 {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (left, right) = (graph.mul(a[j], b[k]), graph.mul(a[k], b[j]));
        graph.sub(left, right)
    })
}

/// A x.
pub fn apply(graph: &mut Graph, a: &Matrix3, x: Vector3) -> Vector3 {
    std::array::from_fn(|i| graph.dot(&a[i], &x))
}

/// Aᵀ x.
pub fn apply_transposed(graph: &mut Graph, a: &Matrix3, x: Vector3) -> Vector3 {
    apply(graph, &transpose(a), x)
}

/// A B.
pub fn multiply(graph: &mut Graph, a: &Matrix3, b: &Matrix3) -> Matrix3 {
    let columns = transpose(b);
    std::array::from_fn(|i| std::array::from_fn(|j| graph.dot(&a[i], &columns[j])))
}

/// Aᵀ.
pub fn transpose(a: &Matrix3) -> Matrix3 {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// R W Rᵀ. About a coordinate axis the sum of two diagonal entries stays, and 2 × 2 entries turn by twice the angle:
/// that takes a third less than two products.
pub(crate) fn rotate_dyad(graph: &mut Graph, rotation: &Matrix3, dyad: &Matrix3) -> Matrix3 {
    let Some((k, c, s)) = elementary(graph, rotation) else {
        let half = multiply(graph, rotation, dyad);
        return multiply(graph, &half, &transpose(rotation));
    };
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let (squared, mixed) = (graph.mul(s, s), graph.mul(s, c));
    let difference = graph.sub(dyad[i][i], dyad[j][j]);
    let sum = graph.add(dyad[i][j], dyad[j][i]);
    let pair = |graph: &mut Graph, a, b, x: ExprId, y: ExprId, sign: i64| {
        let (first, second) = (graph.mul(a, x), graph.mul(b, y));
        if sign > 0 { graph.add(first, second) } else { graph.sub(first, second) }
    };
    let (stretch, shear) =
        (pair(graph, squared, mixed, difference, sum, 1), pair(graph, mixed, squared, difference, sum, -1));
    let mut result = *dyad;
    result[i][i] = graph.sub(dyad[i][i], stretch);
    result[j][j] = graph.add(dyad[j][j], stretch);
    result[i][j] = graph.add(dyad[i][j], shear);
    result[j][i] = graph.add(dyad[j][i], shear);
    result[i][k] = pair(graph, c, s, dyad[i][k], dyad[j][k], -1);
    result[j][k] = pair(graph, s, c, dyad[i][k], dyad[j][k], 1);
    result[k][i] = pair(graph, c, s, dyad[k][i], dyad[k][j], -1);
    result[k][j] = pair(graph, s, c, dyad[k][i], dyad[k][j], 1);
    result
}

/// R J Rᵀ of a symmetric matrix; in general six entries are computed.
pub(crate) fn rotate_symmetric(graph: &mut Graph, rotation: &Matrix3, tensor: &Matrix3) -> Matrix3 {
    if elementary(graph, rotation).is_some() {
        return rotate_dyad(graph, rotation, tensor);
    }
    let half = multiply(graph, rotation, tensor);
    let mut result = *tensor;
    for i in 0..3 {
        for j in i..3 {
            result[i][j] = graph.dot(&half[i], &rotation[j]);
            result[j][i] = result[i][j];
        }
    }
    result
}

/// Axis, cosine and sine of a rotation about a coordinate axis.
fn elementary(graph: &mut Graph, rotation: &Matrix3) -> Option<(usize, ExprId, ExprId)> {
    let (zero, one) = (graph.zero(), graph.one());
    (0..3).find_map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let is_about = rotation[k][k] == one && [rotation[k][i], rotation[k][j]] == [zero; 2];
        let (c, s) = (rotation[i][i], rotation[j][i]);
        let turns =
            rotation[j][j] == c && rotation[i][j] == graph.neg(s) && [rotation[i][k], rotation[j][k]] == [zero; 2];
        (is_about && turns).then_some((k, c, s))
    })
}

/// A rotation about z by the angle with this cosine and sine.
pub fn rotation_z(graph: &mut Graph, c: ExprId, s: ExprId) -> Matrix3 {
    let (o, i) = (graph.zero(), graph.one());
    let minus_s = graph.neg(s);
    [[c, minus_s, o], [s, c, o], [o, o, i]]
}

impl Transform {
    /// X_AC = X_AB X_BC.
    pub fn then(&self, graph: &mut Graph, next: &Transform) -> Transform {
        let moved = apply(graph, &self.rotation, next.position);
        Transform {
            rotation: multiply(graph, &self.rotation, &next.rotation),
            position: add(graph, self.position, moved),
        }
    }

    /// X_CP of X_PC.
    pub fn inverse(&self, graph: &mut Graph) -> Transform {
        let back = apply_transposed(graph, &self.rotation, self.position);
        Transform { rotation: transpose(&self.rotation), position: neg(graph, back) }
    }

    /// The pose of a frame in itself.
    pub fn identity(graph: &mut Graph) -> Transform {
        Transform { rotation: identity(graph), position: zero(graph) }
    }
}
