//! Free joint: the child moves freely. Position in the parent's axes; in the plane also the angle.

use super::kind::{Displacement, Ends, Joint, Residual};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

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

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let zero = graph.zero();
        match at.space {
            Space::Planar => {
                let (s, c) = (graph.sin(at.q[2]), graph.cos(at.q[2]));
                Transform { rotation: spatial::rotation_z(graph, c, s), position: [at.q[0], at.q[1], zero] }
            }
            Space::Spatial => Transform {
                rotation: at.rotation.unwrap_or_else(|| spatial::identity(graph)),
                position: [at.q[0], at.q[1], at.q[2]],
            },
        }
    }

    fn closure(&self, _graph: &mut Graph, _ends: &Ends) -> Vec<Residual> {
        Vec::new()
    }
}
