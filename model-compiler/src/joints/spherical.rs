//! Spherical joint: origins coincident, free rotation. In the plane it is a revolute joint.

use super::{Coordinate, Joint, coincidence};
use crate::expr::{ExprId, Graph};
use crate::resolve::Space;
use crate::spatial::{self, Matrix3, Transform};

/// See the module.
#[derive(Debug)]
pub struct Spherical;

impl Joint for Spherical {
    fn keyword(&self) -> &'static str {
        "spherical"
    }

    fn coordinates(&self, space: Space) -> &'static [Coordinate] {
        match space {
            Space::Planar => &[Coordinate { name: "angle", unit: "rad" }],
            Space::Spatial => &[],
        }
    }

    fn has_rotation(&self) -> bool {
        true
    }

    fn pose(&self, graph: &mut Graph, space: Space, q: &[ExprId], rotation: Option<Matrix3>) -> Transform {
        let rotation = match (space, rotation) {
            (Space::Planar, _) => {
                let (s, c) = (graph.sin(q[0]), graph.cos(q[0]));
                spatial::rotation_z(graph, c, s)
            }
            (Space::Spatial, rotation) => rotation.unwrap_or_else(|| spatial::identity(graph)),
        };
        Transform { rotation, position: spatial::zero(graph) }
    }

    fn closure(&self, graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId> {
        coincidence(graph, space, parent, child)
    }
}
