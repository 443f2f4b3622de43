//! The bodies and quantities to which an expression refers.

use proc_macro2::Ident;

use crate::resolve::{
    AddedMass, BodyId, Contact, ContactForm, Convention, Force, Frame, JointId, Quantity, System, Term, TermKind,
};

/// Calls `visit` on a term and on all its parts.
pub(super) fn walk<'t>(term: &'t Term, visit: &mut dyn FnMut(&'t Term)) {
    visit(term);
    match &term.kind {
        TermKind::Number(_) | TermKind::Parameter(_) | TermKind::Input(_) | TermKind::Time => {}
        TermKind::Stack(terms) | TermKind::Diagonal(terms) => terms.iter().for_each(|t| walk(t, visit)),
        TermKind::Component(a, _)
        | TermKind::Unary(_, a)
        | TermKind::Norm(a)
        | TermKind::Transpose(a)
        | TermKind::ExpressedIn(a, _)
        | TermKind::GivenIn(a, _) => walk(a, visit),
        TermKind::Binary(_, a, b) | TermKind::Dot(a, b) | TermKind::Cross(a, b) => {
            walk(a, visit);
            walk(b, visit);
        }
        TermKind::Select { lhs, rhs, then, otherwise } => {
            [lhs, rhs, then, otherwise].into_iter().for_each(|t| walk(t, visit));
        }
        TermKind::Quantity(quantity) => {
            if let Some(position) = frame(quantity).and_then(|frame| frame.position.as_ref()) {
                walk(position, visit);
            }
            if let Quantity::Force(force, _) = quantity {
                let of_frames = force.frames.iter().filter_map(|frame| frame.position.as_ref());
                of_frames.chain(&force.fields).for_each(|part| walk(part, visit));
            }
        }
    }
}

fn frame(quantity: &Quantity) -> Option<&Frame> {
    match quantity {
        Quantity::Position(frame) | Quantity::Velocity(frame) | Quantity::Acceleration(frame) => Some(frame),
        _ => None,
    }
}

/// The bodies whose motion an expression needs, in order of appearance.
pub(super) fn bodies(term: &Term) -> Vec<BodyId> {
    let mut found = Vec::new();
    walk(term, &mut |part| match &part.kind {
        TermKind::ExpressedIn(_, body) | TermKind::GivenIn(_, body) => found.push(*body),
        TermKind::Quantity(
            Quantity::Rotation(body)
            | Quantity::Angle(body)
            | Quantity::EulerAngle(body, _)
            | Quantity::AngularVelocity(body)
            | Quantity::AngularAcceleration(body),
        ) => found.push(*body),
        TermKind::Quantity(Quantity::Force(force, _)) => {
            found.extend(force.frames.iter().filter_map(|frame| frame.body))
        }
        TermKind::Quantity(quantity) => found.extend(frame(quantity).and_then(|frame| frame.body)),
        _ => {}
    });
    found
}

/// The bodies whose motion a force needs: its ends first.
pub(super) fn bodies_of_force(force: &Force) -> Vec<BodyId> {
    let ends = force.frames.iter().filter_map(|frame| frame.body);
    ends.chain(force.fields.iter().flat_map(bodies)).collect()
}

/// The bodies whose motion an added mass needs in addition to that of its own body.
pub(super) fn bodies_of_added_mass(water: &AddedMass) -> Vec<BodyId> {
    match &water.convention {
        Convention::LowFrequency { velocity, yaw_rate } => [bodies(velocity), bodies(yaw_rate)].concat(),
        Convention::Relative | Convention::YawOnly | Convention::Blocked => Vec::new(),
    }
}

/// The bodies whose motion a contact needs, those in contact first.
pub(super) fn bodies_of_contact(contact: &Contact) -> Vec<BodyId> {
    match &contact.form {
        ContactForm::Written { gap, slip } => {
            let slip = slip.iter().flat_map(|slip| bodies(&slip.value));
            bodies(gap).into_iter().chain(slip).collect()
        }
        ContactForm::Kind { frames, .. } => frames.iter().filter_map(|frame| frame.body).collect(),
    }
}

/// Whether a potential depends on inputs, velocities or states, whose rates do not follow from time, coordinates and
/// velocities.
pub(super) fn has_unknown_power(system: &System) -> bool {
    let elastic = system.forces.iter().filter(|force| force.kind.stores_energy()).flat_map(|force| &force.fields);
    let currents = system.bodies.iter().filter_map(|body| body.added_mass.as_ref()?.current.as_ref());
    elastic.chain(currents).any(has_unknown_rate)
}

fn has_unknown_rate(term: &Term) -> bool {
    let mut found = false;
    walk(term, &mut |part| {
        found |= matches!(
            &part.kind,
            TermKind::Input(_)
                | TermKind::Quantity(
                    Quantity::State(_)
                        | Quantity::Velocity(_)
                        | Quantity::AngularVelocity(_)
                        | Quantity::CoordinateVelocity(..)
                )
        );
    });
    found
}

/// The joints of which an expression uses what they pass on.
pub(super) fn reactions(term: &Term) -> Vec<JointId> {
    let mut found = Vec::new();
    walk(term, &mut |part| {
        if let TermKind::Quantity(Quantity::Reaction(joint, _)) = part.kind {
            found.push(joint);
        }
    });
    found
}

/// The constraints and drives of which an expression uses the multipliers.
pub(super) fn multipliers(term: &Term) -> Vec<&Ident> {
    let mut found = Vec::new();
    walk(term, &mut |part| {
        if let TermKind::Quantity(Quantity::Multiplier(name)) = &part.kind {
            found.push(name);
        }
    });
    found
}

/// Whether an expression uses an energy or a momentum of the whole model.
pub(super) fn asks_for_totals(term: &Term) -> bool {
    let mut found = false;
    walk(term, &mut |part| {
        found |= matches!(
            &part.kind,
            TermKind::Quantity(
                Quantity::KineticEnergy | Quantity::PotentialEnergy | Quantity::Momentum | Quantity::AngularMomentum
            )
        );
    });
    found
}
