//! Linear viscous damper along the line between two points.

use super::kind::{Action, FieldKind, Force, Situation, Target};
use super::spring_damper::{DAMPING, pull};
use crate::expr::Graph;
use crate::space::Space;

/// The force of this module.
#[derive(Debug)]
pub struct Damper;

impl Force for Damper {
    fn keyword(&self) -> &'static str {
        "damper"
    }

    fn target(&self) -> Target {
        Target::Points
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        &[DAMPING]
    }

    fn divides_by_distance(&self, _is_given: &dyn Fn(&str) -> bool) -> bool {
        true
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let nothing = graph.zero();
        let damping = situation.fields[0][0];
        Action { potential: None, ..pull(graph, situation, [nothing; 2], damping, [nothing; 2]) }
    }
}
