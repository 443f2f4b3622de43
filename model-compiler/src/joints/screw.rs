//! Screw joint: rotation about the common z axis, and with every turn an advance by the pitch along it.

use super::kind::{Displacement, Ends, Joint, JointField, Residual, common_axis, cosines, offset_along};
use crate::expr::{ExprId, Graph, Number};
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};
use crate::units::Unit;

/// See the module.
#[derive(Debug)]
pub struct Screw;

impl Joint for Screw {
    fn keyword(&self) -> &'static str {
        "screw"
    }

    fn is_spatial(&self) -> bool {
        true
    }

    /// The advance per turn; positive for a right-handed thread.
    fn fields(&self) -> &'static [JointField] {
        &[JointField { name: "pitch", unit: "m", is_positive: false }]
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "angle", unit: "rad" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (s, c) = (graph.sin(at.q[0]), graph.cos(at.q[0]));
        let turn = turn(graph);
        let per_radian = graph.div(at.fields[0], turn);
        let (zero, advance) = (graph.zero(), graph.mul(per_radian, at.q[0]));
        Transform { rotation: spatial::rotation_z(graph, c, s), position: [zero, zero, advance] }
    }

    /// A cylindrical joint whose angle φ follows its displacement z: sin(φ − 2π z / pitch) = 0, with sin φ and cos φ
    /// from direction cosines, so that any number of turns is counted right.
    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let along = offset_along(graph, ends, &[2])[0].value;
        let turned = cosines(graph, ends, &[(0, 0), (1, 0)]);
        let (cosine, sine) = (turned[0].value, turned[1].value);
        let turn = turn(graph);
        let per_metre = graph.div(turn, ends.fields[0]);
        let expected = graph.mul(per_metre, along);
        let (s, c) = (graph.sin(expected), graph.cos(expected));
        let (ahead, behind) = (graph.mul(sine, c), graph.mul(cosine, s));
        let lag = graph.sub(ahead, behind);

        let mut all = offset_along(graph, ends, &[0, 1]);
        all.extend(common_axis(graph, ends));
        let (with, across) = (graph.mul(cosine, c), graph.mul(sine, s));
        let side = Some(graph.add(with, across));
        all.push(Residual { value: lag, unit: Unit::ONE, side });
        all
    }
}

fn turn(graph: &mut Graph) -> ExprId {
    graph.number(Number::from_f64(std::f64::consts::TAU))
}
