//! Revolute joint: rotation about the common z axis, origins coincident.

use super::kind::{Displacement, Ends, Joint, Residual, coincidence, common_axis};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

/// See the module.
#[derive(Debug)]
pub struct Revolute;

impl Joint for Revolute {
    fn keyword(&self) -> &'static str {
        "revolute"
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "angle", unit: "rad" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (s, c) = (graph.sin(at.q[0]), graph.cos(at.q[0]));
        Transform { rotation: spatial::rotation_z(graph, c, s), position: spatial::zero(graph) }
    }

    /// Coinciding origins; in space the child's z axis is also normal to the parent's x and y axes.
    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let mut residuals = coincidence(graph, ends);
        if ends.space == Space::Spatial {
            residuals.extend(common_axis(graph, ends));
        }
        residuals
    }
}
