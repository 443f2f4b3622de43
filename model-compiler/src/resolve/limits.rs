//! How large a model may be, so that a slip of the pen costs neither hours nor all memory.
//!
//! Loops have bounds of their own where they are read. Here are those of what grows faster than it is written.

use super::flexible::MOST_ELEMENTS;
use super::{Formulation, System};
use crate::diagnostics::{self, Errors};
use crate::joints;
use crate::parse;

/// Most elements of all beams; their nodes are bodies.
const MOST_ELEMENTS_OF_BEAMS: i64 = 10_000;
/// Most pairs of velocities, of different joints, that a tree couples, those of a chain of a hundred hinges: compiling it
/// takes a minute and a gigabyte, and twice as many hinges would take ten times as much. Bodies side by side couple none.
const MOST_COUPLED: usize = 100 * 99 / 2;

/// Most velocities in joint coordinates: all of them are in one kernel, and the matrix of all masses is checked.
const MOST_VELOCITIES: usize = 2000;

/// Refuses flexible members with more elements than are handled together. Says whether there are few enough.
pub(super) fn are_elements_few(members: &[&parse::Flexible], beams: &[&parse::Flexible], errors: &Errors) -> bool {
    // The matrix of floating frames with all their nodes is dense while it is checked.
    [(members, MOST_ELEMENTS), (beams, MOST_ELEMENTS_OF_BEAMS)].into_iter().all(|(written, most)| {
        // A number that is none, or too large for one member, is reported there.
        let counts = written.iter().map(|member| member.elements.unwrap_or(0).clamp(0, MOST_ELEMENTS));
        let totals = counts.scan(0, |total, count| {
            *total += count;
            Some(*total)
        });
        match written.iter().zip(totals).find(|(_, total)| *total > most) {
            Some((member, _)) => {
                errors.push(diagnostics::too_many_elements(&member.name, most));
                false
            }
            None => true,
        }
    })
}

/// Refuses joint coordinates where too many of them depend on each other.
pub(super) fn refuse_coupled_trees(system: &System, errors: &Errors) {
    if system.formulation != Formulation::Joint {
        return;
    }
    // Velocities that move a body.
    let mut moving = vec![0; system.bodies.len()];
    let (mut velocities, mut coupled) = (0, 0);
    for (_, joint) in system.tree_joints() {
        let own = joints::channels(joint.kind, system.space, system.rotation).1.len();
        let before = joint.parent.body.map_or(0, |body| moving[body.0]);
        velocities += own;
        coupled += own * before;
        if let Some(child) = joint.child.body {
            moving[child.0] = before + own;
        }
        if velocities > MOST_VELOCITIES {
            errors.push(diagnostics::too_many_velocities(&joint.name, MOST_VELOCITIES));
            return;
        }
        if coupled > MOST_COUPLED {
            errors.push(diagnostics::too_many_coupled(&joint.name, MOST_COUPLED));
            return;
        }
    }
}
