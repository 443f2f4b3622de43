//! Prismatic joint: translation along the common axis (z in space, x in the plane), axes parallel.

use super::{Coordinate, Joint, alignment, offset_along};
use crate::expr::{ExprId, Graph};
use crate::resolve::Space;
use crate::spatial::{self, Matrix3, Transform};

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

    fn pose(&self, graph: &mut Graph, space: Space, q: &[ExprId], _rotation: Option<Matrix3>) -> Transform {
        let mut position = spatial::zero(graph);
        position[if space == Space::Planar { 0 } else { 2 }] = q[0];
        Transform { rotation: spatial::identity(graph), position }
    }

    fn closure(&self, graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId> {
        let across: &[usize] = if space == Space::Planar { &[1] } else { &[0, 1] };
        let mut residuals = offset_along(graph, parent, child, across);
        residuals.extend(alignment(graph, space, parent, child));
        residuals
    }
}
