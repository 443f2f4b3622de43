//! What every joint must obey: where its coordinates put the child, its closure is satisfied; and what it leaves free
//! and what it closes make up all freedom of a rigid body.

use hamel_compiler::expr::{ExprId, Graph, Stage, evaluate};
use hamel_compiler::joints::{ALL, Connects, Displacement, Ends, Joint};
use hamel_compiler::rotations::RotationKind;
use hamel_compiler::space::Space;
use hamel_compiler::spatial::Transform;

/// Values of a symbol by its index; Euler parameters of unit norm come last.
const VALUES: [f64; 8] = [0.3, -0.7, 1.1, 0.25, 0.5, -0.5, 0.5, 0.5];

struct Case {
    graph: Graph,
    freedom: usize,
    ends: (Transform, Transform),
    fields: Vec<ExprId>,
}

/// The child's frame where arbitrary coordinates put it, seen from an arbitrary frame of the parent.
fn case(joint: &dyn Joint, space: Space) -> Case {
    let mut graph = Graph::new();
    let symbols: Vec<ExprId> = (0..VALUES.len()).map(|i| graph.symbol(&format!("x{i}"), Stage::Position)).collect();
    let own = joint.coordinates(space).len();
    let rotates = joint.has_rotation() && space == Space::Spatial;
    let rotation = rotates.then(|| RotationKind::EulerParameters.matrix(&mut graph, &symbols[4..]));
    let fields = vec![symbols[3]; joint.fields().len()];
    let moved = joint.pose(&mut graph, &Displacement { space, q: &symbols[..own], rotation, fields: &fields });
    let (s, c) = (graph.sin(symbols[2]), graph.cos(symbols[2]));
    let rotation = hamel_compiler::spatial::rotation_z(&mut graph, c, s);
    let parent = Transform { rotation, position: [symbols[0], symbols[1], graph.zero()] };
    let child = parent.then(&mut graph, &moved);
    Case { graph, freedom: own + 3 * usize::from(rotates), ends: (parent, child), fields }
}

fn spaces(joint: &dyn Joint) -> &'static [Space] {
    if joint.is_spatial() { &[Space::Spatial] } else { &[Space::Planar, Space::Spatial] }
}

#[test]
fn coordinates_satisfy_the_closure() {
    for joint in ALL.iter().filter(|joint| joint.connects() != Connects::Coordinates) {
        for &space in spaces(*joint) {
            let Case { mut graph, ends: (parent, child), fields, .. } = case(*joint, space);
            let ends = Ends { space, parent, child, coordinates: &[], fields: &fields };
            let residuals: Vec<ExprId> = joint.closure(&mut graph, &ends).iter().map(|r| r.value).collect();
            let values: Vec<f64> = evaluate(&graph, &residuals, &VALUES);
            assert!(values.iter().all(|value| value.abs() < 1e-15), "{} in {space:?}: {values:?}", joint.keyword());
        }
    }
}

#[test]
fn free_and_closed_directions_make_up_a_rigid_body() {
    for joint in ALL.iter().filter(|joint| joint.connects() == Connects::Frames) {
        for &space in spaces(*joint) {
            let Case { mut graph, freedom, ends: (parent, child), fields, .. } = case(*joint, space);
            let ends = Ends { space, parent, child, coordinates: &[], fields: &fields };
            let closed = joint.closure(&mut graph, &ends).len();
            let all = if space == Space::Planar { 3 } else { 6 };
            assert_eq!(freedom + closed, all, "{} in {space:?}", joint.keyword());
        }
    }
}
