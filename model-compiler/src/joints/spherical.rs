//! Spherical joint: origins coincident, free rotation. In the plane it is a revolute joint.

use super::kind::{Displacement, Ends, Joint, Residual, coincidence};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

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

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let rotation = match (at.space, at.rotation) {
            (Space::Planar, _) => {
                let (s, c) = (graph.sin(at.q[0]), graph.cos(at.q[0]));
                spatial::rotation_z(graph, c, s)
            }
            (Space::Spatial, rotation) => rotation.unwrap_or_else(|| spatial::identity(graph)),
        };
        Transform { rotation, position: spatial::zero(graph) }
    }

    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        coincidence(graph, ends)
    }
}
