//! A force on a point of a body, given by an expression; the opposite force acts on a point of a second body, if one is
//! named.

use super::kind::{Action, FieldKind, FieldShape, Force, Situation, Target};
use crate::expr::Graph;
use crate::space::Space;
use crate::spatial::{self, Wrench};

/// The force of this module.
#[derive(Debug)]
pub struct PointForce;

impl Force for PointForce {
    fn keyword(&self) -> &'static str {
        "force"
    }

    fn target(&self) -> Target {
        Target::On
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        &[FieldKind { name: "value", shape: FieldShape::Vector, unit: "N", default: None }]
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let value = &situation.fields[0];
        let (force, torque) = ([value[0], value[1], value[2]], spatial::zero(graph));
        let opposite = spatial::neg(graph, force);
        let wrenches = [force, opposite].map(|force| Wrench { force, torque });
        Action { wrenches: wrenches[..situation.frames.len()].to_vec(), ..Action::default() }
    }
}
