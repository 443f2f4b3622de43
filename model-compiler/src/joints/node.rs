//! What the ends of a flexible member do against its floating frame; the compiler alone places these joints.
//!
//! Where a frame is tangent, its far end moves as a free joint in the plane does.

use super::kind::{Displacement, Ends, Joint, Residual};
use crate::expr::Graph;
use crate::space::{Coordinate, Space};
use crate::spatial::{self, Transform};

/// The end that a pinned frame holds on its x axis: moves along that axis and turns.
#[derive(Debug)]
pub struct HeldEnd;

/// The frame of a member as its pinned first end sees it, which turns in the frame by the coordinate.
#[derive(Debug)]
pub struct PinnedFrame;

impl Joint for HeldEnd {
    fn keyword(&self) -> &'static str {
        "end of a flexible member"
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "x", unit: "m" }, Coordinate { name: "angle", unit: "rad" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (s, c) = (graph.sin(at.q[1]), graph.cos(at.q[1]));
        let zero = graph.zero();
        Transform { rotation: spatial::rotation_z(graph, c, s), position: [at.q[0], zero, zero] }
    }

    fn closure(&self, _graph: &mut Graph, _ends: &Ends) -> Vec<Residual> {
        Vec::new()
    }
}

impl Joint for PinnedFrame {
    fn keyword(&self) -> &'static str {
        "frame of a flexible member"
    }

    fn coordinates(&self, _space: Space) -> &'static [Coordinate] {
        &[Coordinate { name: "angle", unit: "rad" }]
    }

    fn pose(&self, graph: &mut Graph, at: &Displacement) -> Transform {
        let (s, c) = (graph.sin(at.q[0]), graph.cos(at.q[0]));
        let rotation = spatial::rotation_z(graph, c, s);
        Transform { rotation: spatial::transpose(&rotation), position: spatial::zero(graph) }
    }

    fn closure(&self, _graph: &mut Graph, _ends: &Ends) -> Vec<Residual> {
        Vec::new()
    }
}
