//! Planar joint in space: translation in the parent's x-y plane and rotation about its normal.

use super::kind::{Displacement, Ends, Joint, Residual, common_axis, offset_along};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

/// See the module.
#[derive(Debug)]
pub struct Planar;

impl Joint for Planar {
    fn keyword(&self) -> &'static str {
        "planar"
    }

    fn is_spatial(&self) -> bool {
        true
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[
            Coordinate { name: "x", unit: "m" },
            Coordinate { name: "y", unit: "m" },
            Coordinate { name: "angle", unit: "rad" },
        ]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (s, c) = (graph.sin(at.q[2]), graph.cos(at.q[2]));
        let zero = graph.zero();
        Transform { rotation: spatial::rotation_z(graph, c, s), position: [at.q[0], at.q[1], zero] }
    }

    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let mut residuals = offset_along(graph, ends, &[2]);
        residuals.extend(common_axis(graph, ends));
        residuals
    }
}
