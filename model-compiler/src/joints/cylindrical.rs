//! Cylindrical joint: rotation about the common z axis and translation along it, independent of each other.

use super::kind::{Displacement, Ends, Joint, Residual, common_axis, offset_along};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

/// See the module.
#[derive(Debug)]
pub struct Cylindrical;

impl Joint for Cylindrical {
    fn keyword(&self) -> &'static str {
        "cylindrical"
    }

    fn is_spatial(&self) -> bool {
        true
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "displacement", unit: "m" }, Coordinate { name: "angle", unit: "rad" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (s, c) = (graph.sin(at.q[1]), graph.cos(at.q[1]));
        let zero = graph.zero();
        Transform { rotation: spatial::rotation_z(graph, c, s), position: [zero, zero, at.q[0]] }
    }

    /// The child's origin lies on the parent's z axis, and its z axis is normal to the parent's x and y axes.
    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let mut residuals = offset_along(graph, ends, &[0, 1]);
        residuals.extend(common_axis(graph, ends));
        residuals
    }
}
