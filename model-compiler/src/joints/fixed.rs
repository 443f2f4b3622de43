//! Fixed joint: the two frames coincide.

use super::{Coordinate, Joint, alignment, coincidence};
use crate::expr::{ExprId, Graph};
use crate::resolve::Space;
use crate::spatial::{Matrix3, Transform};

/// See the module.
#[derive(Debug)]
pub struct Fixed;

impl Joint for Fixed {
    fn keyword(&self) -> &'static str {
        "fixed"
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[]
    }

    fn pose(&self, graph: &mut Graph, _space: Space, _q: &[ExprId], _rotation: Option<Matrix3>) -> Transform {
        Transform::identity(graph)
    }

    fn closure(&self, graph: &mut Graph, space: Space, parent: &Transform, child: &Transform) -> Vec<ExprId> {
        let mut residuals = coincidence(graph, space, parent, child);
        residuals.extend(alignment(graph, space, parent, child));
        residuals
    }
}
