//! Contacts: their names, gaps and slips.
//!
//! Gaps and slips are differentiated like constraints, in `kernel`. The laws of contact are functions of parameters
//! alone and belong to no kernel but that of their derivatives, in `linearization`.

use rustc_hash::FxHashSet;

use super::equations::{ContactChannel, Dimension, Layout};
use super::kernel::Measures;
use super::lower::{lower, lower_scalar};
use super::motion::KernelScope;
use super::parameters::Parameters;
use crate::expr::ExprId;
use crate::forces::FrameMotion;
use crate::resolve::{Contact, ContactForm, System};
use crate::spatial::{self, Transform, Vector3};
use crate::spelling::spelled;

/// Declares the names of all contacts.
pub(super) fn declare(system: &System, layout: &mut Layout) {
    layout.contacts.extend(system.contacts.iter().map(|contact| ContactChannel {
        name: contact.name.to_string(),
        unit: contact.form.unit().to_string(),
        tangents: contact.form.tangents(),
    }));
}

/// The radii that parameters may change, each once.
pub(super) fn dimensions(system: &System, parameters: &mut Parameters) -> Vec<Dimension> {
    let (mut dimensions, mut known) = (Vec::new(), FxHashSet::default());
    for contact in &system.contacts {
        let ContactForm::Kind { radii: Some(term), .. } = &contact.form else { continue };
        for value in parameters.lower(term) {
            if parameters.graph.as_number(value).is_none() && known.insert(value) {
                dimensions.push(Dimension { what: "radius", unit: "m", of: spelled(&contact.name.to_string()), value });
            }
        }
    }
    dimensions
}

/// Gap and slip of a contact.
pub(super) fn measures(scope: &mut KernelScope, contact: &Contact) -> Measures {
    match &contact.form {
        ContactForm::Written { gap, slip } => Measures {
            gap: lower_scalar(scope, gap),
            slip: slip.as_ref().map(|slip| lower(scope, &slip.value)).unwrap_or_default(),
            is_velocity: slip.as_ref().is_some_and(|slip| slip.is_velocity),
        },
        ContactForm::Kind { kind, frames, radii, is_rough } => {
            let names = ["first", "second"];
            let poses: [Transform; 2] = std::array::from_fn(|i| scope.frame_pose(names[i], &frames[i]));
            let radii = match (radii, kind.field()) {
                (Some(term), Some((name, _))) => scope.value(name, term),
                _ => Vec::new(),
            };
            let nearest = kind.nearest(&mut scope.builder.graph, [&poses[0], &poses[1]], &radii);
            let slip = if *is_rough {
                let motions = [0, 1].map(|i| scope.frame_motion(names[i], &frames[i]));
                let velocities = [0, 1].map(|i| velocity(scope, &motions[i], nearest.arms[i]));
                let graph = &mut scope.builder.graph;
                let relative = spatial::sub(graph, velocities[0], velocities[1]);
                nearest.tangents.iter().map(|&tangent| spatial::dot(graph, tangent, relative)).collect::<Vec<ExprId>>()
            } else {
                Vec::new()
            };
            Measures { gap: nearest.gap, slip, is_velocity: true }
        }
    }
}

/// Velocity of the material point at a given offset from a frame's origin.
fn velocity(scope: &mut KernelScope, frame: &FrameMotion, arm: Vector3) -> Vector3 {
    let graph = &mut scope.builder.graph;
    let turning = spatial::cross(graph, frame.angular_velocity, arm);
    spatial::add(graph, frame.velocity, turning)
}
