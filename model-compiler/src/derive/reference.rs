//! A configuration from which assembly starts: all joints at zero, placed from the ground outwards.
//!
//! Assembly itself takes place at run time. Bodies that no joint reaches are placed at the origin.

use super::beam;
use super::parameters::Parameters;
use crate::expr::ExprId;
use crate::joints::Displacement;
use crate::resolve::{Beam, BodyId, Frame, Joint, System};
use crate::rotations::{RotationKind, rotation_vector};
use crate::space::Space;
use crate::spatial::{self, Matrix3, Transform};

/// The absolute coordinates of that configuration, in the graph of parameters.
pub(super) fn configuration(system: &System, parameters: &mut Parameters) -> Vec<ExprId> {
    let poses = poses(system, parameters);
    let mut q = Vec::new();
    for (index, pose) in poses.iter().enumerate() {
        q.extend(&pose.position[..system.space.dimension()]);
        let curved = system.beams.iter().filter(|beam| beam.curvature.is_some());
        match curved.into_iter().find_map(|beam| Some((beam, beam.index_of(BodyId(index))?))) {
            Some((beam, node)) => q.extend(turned_with(parameters, beam, node, &poses[beam.root.0].rotation)),
            None => {
                let turned = rotation_coordinates(system, &values(parameters, &pose.rotation));
                q.extend(turned.into_iter().map(|value| parameters.graph.float(value)));
            }
        }
    }
    q
}

/// The Euler parameters of a node of a curved beam with this orientation of its root. The relative rotations of nodes
/// follow from the parameters, so that the beam starts without strain.
fn turned_with(parameters: &mut Parameters, beam: &Beam, node: usize, root: &Matrix3) -> [ExprId; 4] {
    let root = euler_parameters(&values(parameters, root));
    let arc = arc(parameters, beam, node);
    let (_, turned) = beam::along_reference(parameters, beam, arc);
    let graph = &mut parameters.graph;
    let [e0, x, y, z] = rotation_vector::euler_parameters(graph, turned);
    let (scalar, axis) = (graph.float(root[0]), [root[1], root[2], root[3]].map(|component| graph.float(component)));
    let vector = [x, y, z];
    let (straight, along) = (graph.mul(scalar, e0), spatial::dot(graph, axis, vector));
    let [first, second] = [(scalar, vector), (e0, axis)].map(|(factor, part)| spatial::scale(graph, factor, part));
    let sum = spatial::add(graph, first, second);
    let across = spatial::cross(graph, axis, vector);
    let [x, y, z] = spatial::add(graph, sum, across);
    [graph.sub(straight, along), x, y, z]
}

/// The distance of a node from the root along the beam.
fn arc(parameters: &mut Parameters, beam: &Beam, node: usize) -> ExprId {
    let length = parameters.lower(&beam.length)[0];
    let part = parameters.graph.ratio(node as i64, 2 * beam.elements as i64);
    parameters.graph.mul(part, length)
}

fn poses(system: &System, parameters: &mut Parameters) -> Vec<Transform> {
    let ground = Transform::identity(&mut parameters.graph);
    let mut poses: Vec<Option<Transform>> = vec![None; system.bodies.len()];
    loop {
        let mut progress = false;
        for joint in &system.joints {
            let known = |frame: &Frame, poses: &[Option<Transform>]| frame.body.map_or(Some(ground), |b| poses[b.0]);
            let (parent, child) = (known(&joint.parent, &poses), known(&joint.child, &poses));
            let at_rest = at_rest(system, parameters, joint);
            let (from, near, far, across, body) = match (parent, child, joint.parent.body, joint.child.body) {
                (Some(pose), None, _, Some(body)) => (pose, &joint.parent, &joint.child, at_rest, body),
                (None, Some(pose), Some(body), _) => {
                    let back = at_rest.inverse(&mut parameters.graph);
                    (pose, &joint.child, &joint.parent, back, body)
                }
                _ => continue,
            };
            poses[body.0] = Some(beyond(system, parameters, from, near, &across, far));
            progress = true;
        }
        for beam in &system.beams {
            let Some(known) = beam.nodes().find(|node| poses[node.0].is_some()) else { continue };
            let missing: Vec<BodyId> = beam.nodes().filter(|node| poses[node.0].is_none()).collect();
            let Some(pose) = poses[known.0].filter(|_| !missing.is_empty()) else { continue };
            let from_root = node(parameters, beam, known);
            let to_root = from_root.inverse(&mut parameters.graph);
            let root = pose.then(&mut parameters.graph, &to_root);
            for other in missing {
                let in_root = node(parameters, beam, other);
                poses[other.0] = Some(root.then(&mut parameters.graph, &in_root));
            }
            progress = true;
        }
        match poses.iter().position(Option::is_none) {
            Some(free) if !progress => poses[free] = Some(ground),
            Some(_) => {}
            None => break,
        }
    }
    poses.into_iter().flatten().collect()
}

/// The pose of a beam's node relative to its root.
fn node(parameters: &mut Parameters, beam: &Beam, node: BodyId) -> Transform {
    let arc = arc(parameters, beam, node.0 - beam.root.0);
    let (position, turned) = beam::along_reference(parameters, beam, arc);
    let graph = &mut parameters.graph;
    if turned.iter().all(|&component| graph.is_zero(component)) {
        return Transform { rotation: spatial::identity(graph), position };
    }
    let squared = spatial::dot(graph, turned, turned);
    let coefficients = rotation_vector::coefficients(graph, squared);
    Transform { rotation: rotation_vector::matrix(graph, turned, coefficients), position }
}

/// The pose of a joint's child frame in its parent frame while its coordinates are zero.
fn at_rest(system: &System, parameters: &mut Parameters, joint: &Joint) -> Transform {
    let fields: Vec<ExprId> = joint.fields.iter().flat_map(|term| parameters.lower(term)).collect();
    let graph = &mut parameters.graph;
    let q = vec![graph.zero(); joint.kind.coordinates(system.space).len()];
    let rotation = Some(spatial::identity(graph));
    joint.kind.pose(graph, &Displacement { space: system.space, q: &q, rotation, fields: &fields })
}

/// The pose of the body that carries `far`, when that frame has the pose `across` in `near`.
fn beyond(
    system: &System,
    parameters: &mut Parameters,
    from: Transform,
    near: &Frame,
    across: &Transform,
    far: &Frame,
) -> Transform {
    let (near, far) = (frame(system, parameters, near), frame(system, parameters, far));
    let graph = &mut parameters.graph;
    let joint = from.then(graph, &near).then(graph, across);
    let back = far.inverse(graph);
    joint.then(graph, &back)
}

fn frame(system: &System, parameters: &mut Parameters, frame: &Frame) -> Transform {
    let position = frame.position.as_ref().map(|term| parameters.lower(term));
    let rotation = frame.rotation.as_ref().map(|term| parameters.lower(term));
    let graph = &mut parameters.graph;
    let zero = graph.zero();
    let position = position.map_or([zero; 3], |p| [p[0], p[1], p.get(2).copied().unwrap_or(zero)]);
    let rotation = match (rotation, system.space) {
        (None, _) => spatial::identity(graph),
        (Some(angle), Space::Planar) => {
            let (s, c) = (graph.sin(angle[0]), graph.cos(angle[0]));
            spatial::rotation_z(graph, c, s)
        }
        (Some(m), Space::Spatial) => [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]],
    };
    Transform { rotation, position }
}

/// A rotation matrix with the parameters at their defaults, which is close enough for a start.
fn values(parameters: &Parameters, rotation: &Matrix3) -> [[f64; 3]; 3] {
    rotation.map(|row| {
        let row = parameters.at_defaults(&row);
        [row[0], row[1], row[2]]
    })
}

fn rotation_coordinates(system: &System, r: &[[f64; 3]; 3]) -> Vec<f64> {
    match (system.space, system.rotation) {
        (Space::Planar, _) => vec![r[1][0].atan2(r[0][0])],
        (Space::Spatial, RotationKind::EulerZyx) => {
            vec![r[2][1].atan2(r[2][2]), (-r[2][0]).clamp(-1.0, 1.0).asin(), r[1][0].atan2(r[0][0])]
        }
        (Space::Spatial, RotationKind::EulerParameters) => euler_parameters(r),
    }
}

/// The Euler parameters of a rotation matrix, from the largest of the four squares.
fn euler_parameters(r: &[[f64; 3]; 3]) -> Vec<f64> {
    let trace = r[0][0] + r[1][1] + r[2][2];
    let squares = [trace, r[0][0], r[1][1], r[2][2]].map(|x| 2.0 * x + 1.0 - trace);
    let largest = (0..4).max_by(|&i, &j| squares[i].total_cmp(&squares[j])).unwrap_or(0);
    // Four times the products e_i e_j.
    let (skew, sum) = (
        [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]],
        [r[2][1] + r[1][2], r[0][2] + r[2][0], r[1][0] + r[0][1]],
    );
    let products = match largest {
        0 => [squares[0], skew[0], skew[1], skew[2]],
        1 => [skew[0], squares[1], sum[2], sum[1]],
        2 => [skew[1], sum[2], squares[2], sum[0]],
        _ => [skew[2], sum[1], sum[0], squares[3]],
    };
    let norm = products.iter().map(|x| x * x).sum::<f64>().sqrt();
    products.iter().map(|x| x / norm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rotation by an angle about a direction, by Rodrigues' formula.
    fn rotation(angle: f64, axis: [f64; 3]) -> [[f64; 3]; 3] {
        let [x, y, z] = axis;
        let cross = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        let (s, c) = angle.sin_cos();
        std::array::from_fn(|i| {
            std::array::from_fn(|j| f64::from(u8::from(i == j)) * c + (1.0 - c) * axis[i] * axis[j] + s * cross[i][j])
        })
    }

    /// Euler parameters are cos φ/2 and sin φ/2 along the axis, up to the sign of all; which of them is the largest decides
    /// by which formula they are found.
    #[test]
    fn euler_parameters_are_those_of_axis_and_angle() {
        let axes =
            [[0.6, 0.0, 0.8], [1.0, 0.0, 0.0], [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0], [0.1, 0.7, -(0.5_f64.sqrt())]];
        for axis in axes {
            for angle in [0.0, 0.3, 1.8, 3.0, std::f64::consts::PI, 4.5] {
                let (s, c) = (0.5 * angle).sin_cos();
                let expected = [c, s * axis[0], s * axis[1], s * axis[2]];
                let found = euler_parameters(&rotation(angle, axis));
                let sign = found.iter().zip(expected).map(|(a, b)| a * b).sum::<f64>().signum();
                let is_near = found.iter().zip(expected).all(|(a, b)| (a - sign * b).abs() < 1e-14);
                assert!(is_near, "{angle} about {axis:?}: {found:?} instead of {expected:?}");
            }
        }
    }
}
