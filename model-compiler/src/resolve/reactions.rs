//! Refuses what joints pass on where it does not follow from accelerations, forces and multipliers.

use std::collections::BTreeSet;

use super::{Formulation, JointId, Quantity, System, Term, TermKind};
use crate::diagnostics::{self, Errors};

/// Refuses outputs with the force of a joint of the spanning tree where something acts on bodies whose force on each of
/// them is not known: with joint coordinates that force is what moves the bodies which the joint carries, less all other
/// forces on them.
pub(super) fn refuse_unknown_reactions(system: &System, errors: &Errors) {
    // Each joint is said once.
    let mut refused = BTreeSet::new();
    let mut refuse = |term: &Term| {
        if let TermKind::Quantity(Quantity::Reaction(joint, _)) = term.kind
            && let Some(of) = system.unknown_reaction(joint)
            && refused.insert(joint)
        {
            let member = system.members.first().map(|member| &member.name);
            errors.push(diagnostics::unknown_reaction(term.span, &system.joints[joint.0].name, &of, member));
        }
    };
    system.outputs.iter().for_each(|output| output.value.walk(&mut refuse));
}

impl System {
    /// Why it is not known what a joint passes on, if it is not.
    pub(crate) fn unknown_reaction(&self, joint: JointId) -> Option<String> {
        let is_tree = self.formulation == Formulation::Joint && self.joints[joint.0].is_tree;
        is_tree.then(|| unknown_force(self)).flatten()
    }
}

/// What acts on bodies with a force that is not known for each of them.
fn unknown_force(system: &System) -> Option<String> {
    let contacts = system.contacts.iter().map(|contact| format!("contact `{}`", contact.name));
    let members = system.members.iter().map(|member| format!("flexible member `{}`", member.name));
    let water = system.bodies.iter().filter(|body| body.added_mass.is_some());
    let water = water.map(|body| format!("the added mass of `{}`", body.name));
    let constraints = system.constraints.iter().filter(|constraint| is_on_bodies(&constraint.residual));
    let constraints = constraints.map(|constraint| format!("constraint `{}`", constraint.name));
    let gears = system.joints.iter().filter(|joint| joint.coordinates.iter().any(is_on_bodies));
    let gears = gears.map(|joint| format!("joint `{}`", joint.name));
    contacts.chain(members).chain(water).chain(constraints).chain(gears).next()
}

/// Whether a term contains a quantity of a body: a force on coordinates of joints passes from one of their bodies to the
/// other.
fn is_on_bodies(term: &Term) -> bool {
    let mut found = false;
    term.walk(&mut |part| {
        found |= match &part.kind {
            TermKind::Quantity(quantity) => {
                !matches!(quantity, Quantity::Coordinate(..) | Quantity::CoordinateVelocity(..) | Quantity::State(_))
            }
            TermKind::ExpressedIn(..) | TermKind::GivenIn(..) => true,
            _ => false,
        };
    });
    found
}
