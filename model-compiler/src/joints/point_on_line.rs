//! Point on a line: the child's origin stays on the parent's z axis, in the plane on its x axis (a pin in a slot).

use super::kind::{Connects, Ends, Joint, Residual, offset_along};
use crate::expr::Graph;
use crate::space::Space;

/// See the module.
#[derive(Debug)]
pub struct PointOnLine;

impl Joint for PointOnLine {
    fn keyword(&self) -> &'static str {
        "point_on_line"
    }

    fn connects(&self) -> Connects {
        Connects::FramesAsConstraint
    }

    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let across: &[usize] = if ends.space == Space::Planar { &[1] } else { &[0, 1] };
        offset_along(graph, ends, across)
    }
}
