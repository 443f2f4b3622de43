//! Linear spring along the line between two points.

use super::kind::{Action, FieldKind, Force, Situation, Target};
use super::spring_damper::{FREE_LENGTH, STIFFNESS, pull};
use crate::expr::Graph;
use crate::space::Space;

/// The force of this module.
#[derive(Debug)]
pub struct Spring;

impl Force for Spring {
    fn keyword(&self) -> &'static str {
        "spring"
    }

    fn target(&self) -> Target {
        Target::Points
    }

    fn spaces(&self) -> &'static [Space] {
        Space::ALL
    }

    fn fields(&self) -> &'static [FieldKind] {
        &[STIFFNESS, FREE_LENGTH]
    }

    fn stores_energy(&self) -> bool {
        true
    }

    fn divides_by_distance(&self, is_given: &dyn Fn(&str) -> bool) -> bool {
        is_given("free_length")
    }

    fn act(&self, graph: &mut Graph, situation: &Situation) -> Action {
        let no_damping = graph.zero();
        let [stiffness, free_length] = [0, 1].map(|field| [situation.fields[field][0], situation.rates[field][0]]);
        pull(graph, situation, stiffness, no_damping, free_length)
    }
}
