//! Refuses what the [limits](crate::limits) do not allow and what grows faster than it is written.

use super::{Formulation, System};
use crate::diagnostics::{self, Errors};
use crate::limits;
use crate::parse;

/// Refuses flexible members with more elements than are handled together. Says whether there are few enough.
pub(super) fn are_elements_few(members: &[&parse::Flexible], beams: &[&parse::Flexible], errors: &Errors) -> bool {
    [(members, limits::ELEMENTS), (beams, limits::ELEMENTS_OF_BEAMS)].into_iter().all(|(written, most)| {
        // A number that is none, or too large for one member, is reported there.
        let counts = written.iter().map(|member| member.elements.unwrap_or(0).clamp(0, limits::ELEMENTS));
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

/// Refuses initial conditions whose derivatives are too many. In absolute coordinates a condition depends on those of the
/// bodies that it names.
pub(super) fn refuse_many_initial_conditions(system: &System, errors: &Errors) {
    if system.formulation != Formulation::Joint {
        return;
    }
    let channels = |joint: &super::Joint| joint.channels(system.space, system.rotation).1.len();
    let velocities: usize = system.tree_joints().map(|(_, joint)| channels(joint)).sum();
    let velocities = (velocities + system.states.len()).max(1);
    let mut conditions = 0;
    for initial in &system.initial {
        conditions += initial.residual.shape.size();
        if conditions * velocities > limits::INITIAL_DERIVATIVES {
            let most = limits::INITIAL_DERIVATIVES;
            errors.push(diagnostics::too_many_initial_conditions(initial.residual.span, velocities, most));
            return;
        }
    }
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
        let own = joint.channels(system.space, system.rotation).1.len();
        let before = joint.parent.body.map_or(0, |body| moving[body.0]);
        velocities += own;
        coupled += own * before;
        if let Some(child) = joint.child.body {
            moving[child.0] = before + own;
        }
        if velocities > limits::VELOCITIES {
            errors.push(diagnostics::too_many_velocities(&joint.name, limits::VELOCITIES));
            return;
        }
        if coupled > limits::COUPLED_VELOCITIES {
            errors.push(diagnostics::too_many_coupled(&joint.name, limits::COUPLED_VELOCITIES));
            return;
        }
    }
}
