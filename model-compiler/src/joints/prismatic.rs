//! Prismatic joint: translation along the common axis (z in space, x in the plane), axes parallel.

use super::kind::{Displacement, Ends, Joint, Residual, alignment, offset_along};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

/// See the module.
#[derive(Debug)]
pub struct Prismatic;

impl Joint for Prismatic {
    fn keyword(&self) -> &'static str {
        "prismatic"
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "displacement", unit: "m" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let mut position = spatial::zero(graph);
        position[if at.space == Space::Planar { 0 } else { 2 }] = at.q[0];
        Transform { rotation: spatial::identity(graph), position }
    }

    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let across: &[usize] = if ends.space == Space::Planar { &[1] } else { &[0, 1] };
        let mut residuals = offset_along(graph, ends, across);
        residuals.extend(alignment(graph, ends));
        residuals
    }
}
