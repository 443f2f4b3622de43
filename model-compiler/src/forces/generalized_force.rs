//! A generalized force on one coordinate of a joint, given by an expression.

use super::kind::{Action, FieldKind, FieldShape, Force, Situation, Target};
use crate::expr::Graph;
use crate::space::Space;

/// The force of this module.
#[derive(Debug)]
pub struct GeneralizedForce;

impl Force for GeneralizedForce {
    fn keyword(&self) -> &'static str {
        "generalized"
    }

    fn target(&self) -> Target {
        Target::Coordinate
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    /// The unit is J per unit of the coordinate: N for a displacement, N m for an angle.
    fn fields(&self) -> &'static [FieldKind] {
        &[FieldKind { name: "value", shape: FieldShape::Scalar, unit: "*", default: None }]
    }

    fn act(&self, _graph: &mut Graph, situation: &Situation) -> Action {
        Action { generalized: Some(situation.fields[0][0]), ..Action::default() }
    }
}
