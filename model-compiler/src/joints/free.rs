//! Free joint: the child moves freely. Position in the parent's axes; in the plane also the angle.

use super::{Coordinate, Joint};
use crate::expr::{ExprId, Graph};
use crate::resolve::Space;
use crate::spatial::{self, Matrix3, Transform};

/// See the module.
#[derive(Debug)]
pub struct Free;

impl Joint for Free {
    fn keyword(&self) -> &'static str {
        "free"
    }

    fn coordinates(&self, space: Space) -> &'static [Coordinate] {
        match space {
            Space::Planar => &[
                Coordinate { name: "x", unit: "m" },
                Coordinate { name: "y", unit: "m" },
                Coordinate { name: "angle", unit: "rad" },
            ],
            Space::Spatial => &[
                Coordinate { name: "x", unit: "m" },
                Coordinate { name: "y", unit: "m" },
                Coordinate { name: "z", unit: "m" },
            ],
        }
    }

    fn has_rotation(&self) -> bool {
        true
    }

    fn is_free(&self) -> bool {
        true
    }

    fn pose(&self, graph: &mut Graph, space: Space, q: &[ExprId], rotation: Option<Matrix3>) -> Transform {
        let zero = graph.zero();
        match space {
            Space::Planar => {
                let (s, c) = (graph.sin(q[2]), graph.cos(q[2]));
                Transform { rotation: spatial::rotation_z(graph, c, s), position: [q[0], q[1], zero] }
            }
            Space::Spatial => Transform {
                rotation: rotation.unwrap_or_else(|| spatial::identity(graph)),
                position: [q[0], q[1], q[2]],
            },
        }
    }

    fn closure(&self, _graph: &mut Graph, _space: Space, _parent: &Transform, _child: &Transform) -> Vec<ExprId> {
        Vec::new()
    }
}
