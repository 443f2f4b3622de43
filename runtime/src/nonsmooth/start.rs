//! What a motion begins with whose contacts are closed.

use super::Contacts;
use super::stepper::press;
use crate::acceleration::Acceleration;
use crate::contact_settings::Settings;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::start::rounding_of_gaps;
use crate::step::ContactRecord;

/// A start with the accelerations and multipliers that belong to the forces of its contacts, and these forces. Nothing if no
/// contact is closed, if an impact comes first, or if the laws of contact determine none. `redundant` are the constraints that
/// follow from others.
pub(crate) fn loaded_start(
    model: &dyn Model,
    start: &State,
    redundant: &[usize],
    settings: &Settings,
) -> Option<(State, ContactRecord)> {
    let n = model.describe().contacts.len();
    if n == 0 {
        return None;
    }
    let (t, q, v) = (start.t, start.q.as_slice(), start.v.as_slice());
    let [mut gaps, mut velocities] = [(); 2].map(|()| vec![0.0; n]);
    model.contact_gap(t, q, &mut gaps);
    let scheme = "start";
    let mut equations = Acceleration::new(model, scheme.to_owned());
    equations.leave_out(redundant);
    let mut contacts = Contacts::new(model, scheme.to_owned(), equations.solver.size(), 1, *settings);
    contacts.close_at_start(&gaps, rounding_of_gaps(model, q, settings));
    contacts.begin(t, &gaps);
    contacts.evaluate(0, t, q, v);
    contacts.normal_velocities(0, v, &mut velocities);
    let rest = contacts.rest(v);
    if contacts.closed.iter().any(|&contact| velocities[contact] < -rest) {
        return None;
    }
    contacts.release_separating(&velocities, rest);
    contacts.begin(t, &gaps);
    if contacts.closed.is_empty() {
        return None;
    }
    let mut loaded = start.clone();
    equations.begin(t);
    equations
        .eliminate(&mut loaded)
        .and_then(|()| press(&mut contacts, &mut equations, &mut loaded, (&[], 0.0)))
        .ok()?;
    let is_finite = loaded.a.iter().chain(&loaded.lambda).chain(&contacts.record.forces).all(|value| value.is_finite());
    is_finite.then_some((loaded, contacts.record))
}
