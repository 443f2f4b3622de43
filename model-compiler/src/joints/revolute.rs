//! Revolute joint: rotation about the common z axis, origins coincident.

use super::{Coordinate, Joint, coincidence, cosines};
use crate::expr::{ExprId, Graph};
use crate::resolve::Space;
use crate::spatial::{self, Matrix3, Transform};

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

    fn pose(&self, graph: &mut Graph, _space: Space, q: &[ExprId], _rotation: Option<Matrix3>) -> Transform {
        let (s, c) = (graph.sin(q[0]), graph.cos(q[0]));
        Transform { rotation: spatial::rotation_z(graph, c, s), position: spatial::zero(graph) }
    }

    /// Coinciding origins; in space the child's z axis is also normal to the parent's x and y axes.
    fn closure(&self, graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId> {
        let mut residuals = coincidence(graph, space, parent, child);
        if space == Space::Spatial {
            residuals.extend(cosines(graph, parent, child, &[(0, 2), (1, 2)]));
        }
        residuals
    }
}
