//! Universal joint (Cardan, Hooke): rotation about the parent's x axis, then about the child's y axis; origins
//! coincident.

use super::kind::{Displacement, Ends, Joint, Residual, coincidence, cosines};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

/// See the module.
#[derive(Debug)]
pub struct Universal;

impl Joint for Universal {
    fn keyword(&self) -> &'static str {
        "universal"
    }

    fn is_spatial(&self) -> bool {
        true
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "angle_x", unit: "rad" }, Coordinate { name: "angle_y", unit: "rad" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (zero, one) = (graph.zero(), graph.one());
        let [(sx, cx), (sy, cy)] = [at.q[0], at.q[1]].map(|angle| (graph.sin(angle), graph.cos(angle)));
        let (minus_sx, minus_sy) = (graph.neg(sx), graph.neg(sy));
        let about_x = [[one, zero, zero], [zero, cx, minus_sx], [zero, sx, cx]];
        let about_y = [[cy, zero, sy], [zero, one, zero], [minus_sy, zero, cy]];
        let rotation = spatial::multiply(graph, &about_x, &about_y);
        Transform { rotation, position: spatial::zero(graph) }
    }

    /// The arms of the cross, the parent's x axis and the child's y axis, stay at right angles.
    fn closure(&self, graph: &mut Graph, ends: &Ends) -> Vec<Residual> {
        let mut residuals = coincidence(graph, ends);
        residuals.extend(cosines(graph, ends, &[(0, 1)]));
        residuals
    }
}
