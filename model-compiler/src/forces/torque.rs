//! A torque on a body, given by an expression; the opposite torque acts on a second body, if one is named.

use super::kind::{Action, FieldKind, FieldShape, Force, Situation, Target};
use crate::expr::Graph;
use crate::space::Space;
use crate::spatial::{self, Wrench};

/// The force of this module.
#[derive(Debug)]
pub struct Torque;

impl Force for Torque {
    fn keyword(&self) -> &'static str {
        "torque"
    }

    fn target(&self) -> Target {
        Target::On
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        &[FieldKind { name: "value", shape: FieldShape::Axial, unit: "N m", default: None }]
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let value = &situation.fields[0];
        let (force, torque) = (spatial::zero(graph), [value[0], value[1], value[2]]);
        let opposite = spatial::neg(graph, torque);
        let wrenches = [torque, opposite].map(|torque| Wrench { force, torque });
        Action { wrenches: wrenches[..situation.frames.len()].to_vec(), ..Action::default() }
    }
}
