//! Distance: a massless rod with ball ends, which keeps the two origins apart by its length.

use super::kind::{Connects, Displacement, Ends, Joint, JointField, Residual, residuals};
use crate::expr::Graph;
use crate::spatial::{self, Transform};
use crate::units::Unit;

/// See the module.
#[derive(Debug)]
pub struct Distance;

impl Joint for Distance {
    fn keyword(&self) -> &'static str {
        "distance"
    }

    fn connects(&self) -> Connects {
        Connects::FramesAsConstraint
    }

    fn fields(&self) -> &'static [JointField] {
        &[JointField { name: "length", unit: "m", is_positive: true }]
    }

    /// Apart already: where the origins coincide the rod has no direction.
    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let zero = graph.zero();
        Transform { position: [at.fields[0], zero, zero], ..Transform::identity(graph) }
    }

    /// ½ (d·d / l − l): polynomial, and as d / l has length one its multiplier is the force that pushes the ends apart.
    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let length = ends.fields[0];
        let d = spatial::sub(graph, ends.child.position, ends.parent.position);
        let squared = spatial::dot(graph, d, d);
        let stretched = graph.div(squared, length);
        let excess = graph.sub(stretched, length);
        let half = graph.ratio(1, 2);
        let residual = graph.mul(half, excess);
        residuals(Unit::METRE, [residual])
    }
}
