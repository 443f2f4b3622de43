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

/// Rank of a matrix, by elimination with complete pivoting.
fn rank(mut rows: Vec<Vec<f64>>) -> usize {
    let mut rank = 0;
    while let Some((row, column)) = (rank..rows.len())
        .flat_map(|row| (0..6).map(move |column| (row, column)))
        .max_by(|a, b| rows[a.0][a.1].abs().total_cmp(&rows[b.0][b.1].abs()))
        .filter(|&(row, column)| rows[row][column].abs() > 1e-4)
    {
        rows.swap(rank, row);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(value, pivot)| *value -= factor * pivot);
        }
        rank += 1;
    }
    rank
}

/// No row of a closure follows from the others: a row written twice would leave a direction open.
#[test]
fn rows_of_a_closure_are_independent() {
    for joint in ALL.iter().filter(|joint| joint.connects() == Connects::Frames) {
        for &space in spaces(*joint) {
            let Case { mut graph, ends: (parent, child), fields, .. } = case(*joint, space);
            let (zero, one) = (graph.zero(), graph.one());
            let twist: Vec<ExprId> = (0..6).map(|i| graph.symbol(&format!("d{i}"), Stage::Position)).collect();
            let is_free = |i: usize| space == Space::Spatial || [0, 1, 5].contains(&i);
            let d: Vec<ExprId> = (0..6).map(|i| if is_free(i) { twist[i] } else { zero }).collect();
            let [mx, my, mz] = [d[3], d[4], d[5]].map(|angle| graph.neg(angle));
            let rotation = [[one, mz, d[4]], [d[5], one, mx], [my, d[3], one]];
            let moved = child.then(&mut graph, &Transform { rotation, position: [d[0], d[1], d[2]] });
            let ends = Ends { space, parent, child: moved, coordinates: &[], fields: &fields };
            let residuals: Vec<ExprId> = joint.closure(&mut graph, &ends).iter().map(|r| r.value).collect();
            let at = |i: usize, step: f64| -> Vec<f64> {
                let mut values = VALUES.to_vec();
                values.extend((0..6).map(|k| if k == i { step } else { 0.0 }));
                evaluate(&graph, &residuals, &values)
            };
            let columns: Vec<[Vec<f64>; 2]> = (0..6).map(|i| [at(i, 1e-5), at(i, -1e-5)]).collect();
            let rows = (0..residuals.len())
                .map(|row| columns.iter().map(|[above, below]| (above[row] - below[row]) / 2e-5).collect())
                .collect();
            assert_eq!(rank(rows), residuals.len(), "{} in {space:?}", joint.keyword());
        }
    }
}
