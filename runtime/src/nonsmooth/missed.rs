//! Detection of steps that are too long to notice a contact.
//!
//! A contact that is open at both ends of a step may have been closed in between. The cubic Hermite interpolation of
//! gaps and normal velocities detects this. A missed shallow contact is within the error of time stepping. A missed
//! contact that is deeper than the gaps at the ends, and not small compared to the motion, invalidates the result.

use super::Contacts;
use crate::model::State;
use crate::prelude::*;
use crate::step::StepError;

/// Gaps and normal velocities at the beginning of a step, and at its end.
#[derive(Clone)]
pub(crate) struct GapWatch {
    pub(crate) gaps: [Vec<f64>; 2],
    pub(crate) velocities: [Vec<f64>; 2],
}

impl GapWatch {
    pub(crate) fn new(contacts: usize) -> Self {
        let zeros = || [vec![0.0; contacts], vec![0.0; contacts]];
        Self { gaps: zeros(), velocities: zeros() }
    }

    /// Observes the contacts at the beginning (0) or end (1) of a step.
    pub(crate) fn observe(&mut self, end: usize, contacts: &mut Contacts, state: &State) {
        let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
        contacts.model.contact_gap(t, q, &mut self.gaps[end]);
        contacts.evaluate(0, t, q, v);
        contacts.normal_velocities(0, v, &mut self.velocities[end]);
    }

    /// The end of a step becomes the beginning of the next one.
    pub(crate) fn advance(&mut self) {
        self.gaps.swap(0, 1);
        self.velocities.swap(0, 1);
    }

    /// Whether a contact is closed at the beginning (0) or end (1) of a step that was not before.
    pub(crate) fn has_closed(&self, end: usize, contacts: &Contacts) -> bool {
        (0..contacts.len())
            .any(|contact| contacts.closes(contact, self.gaps[end][contact]) && !contacts.is_closed(contact))
    }

    /// Whether a closed contact approaches, at the beginning (0) or end (1) of a step.
    pub(crate) fn approaches(&self, end: usize, contacts: &Contacts, rest: f64) -> bool {
        contacts.closed.iter().any(|&contact| self.velocities[end][contact] < -rest)
    }

    /// Rejects a step that has missed a contact; contacts that were closed in it were not missed. `fastest` is the largest
    /// velocity at its end.
    pub(crate) fn check(&self, contacts: &Contacts, start: f64, dt: f64, fastest: f64) -> Result<(), StepError> {
        let ([before, after], [before_v, after_v]) = (&self.gaps, &self.velocities);
        for contact in 0..contacts.len() {
            let (g0, g1) = (before[contact], after[contact]);
            if !g1.is_finite() {
                return Err(StepError::NotFinite { t: start, scheme: contacts.scheme().to_owned(), iteration: 0 });
            }
            if g0 <= 0.0 || g1 <= 0.0 || contacts.is_closed(contact) {
                continue;
            }
            let depth = -least(g0, g1, before_v[contact] * dt, after_v[contact] * dt);
            if depth > g0.max(g1).max(contacts.settings.tremor * dt * fastest) {
                return Err(StepError::MissedContact {
                    t: start,
                    scheme: contacts.scheme().to_owned(),
                    contact: contacts.name(contact).to_owned(),
                    depth,
                    unit: contacts.model.describe().contacts[contact].unit.clone(),
                });
            }
        }
        Ok(())
    }
}

/// The minimum in [0, 1] of the cubic with values g and slopes d at both ends.
fn least(g0: f64, g1: f64, d0: f64, d1: f64) -> f64 {
    let ends = g0.min(g1);
    if d0 >= 0.0 || d1 <= 0.0 {
        return ends;
    }
    // g0 + d0 s + square s² + cube s³; between the ends its slope changes sign once.
    let (square, cube) = (3.0 * (g1 - g0) - 2.0 * d0 - d1, 2.0 * (g0 - g1) + d0 + d1);
    let root = (square * square - 3.0 * cube * d0).max(0.0).sqrt();
    let s = (-d0 / (square + root)).clamp(0.0, 1.0);
    ends.min(g0 + s * (d0 + s * (square + s * cube)))
}

#[cfg(test)]
mod tests {
    use super::{Contacts, GapWatch, StepError, least};
    use crate::contact_settings::Settings;
    use crate::schemes::common::Press;

    #[test]
    fn the_least_gap_is_that_of_the_cubic() {
        // (s − 0.3)² − 0.01, then a cubic by brute force.
        assert!((least(0.08, 0.48, -0.6, 1.4) + 0.01).abs() < 1e-15);
        let (g0, g1, d0, d1) = (0.1, 0.3, -2.0, 0.7);
        let (square, cube) = (3.0 * (g1 - g0) - 2.0 * d0 - d1, 2.0 * (g0 - g1) + d0 + d1);
        let values = (0..=100_000).map(|k| {
            let s = f64::from(k) * 1e-5;
            g0 + s * (d0 + s * (square + s * cube))
        });
        assert!((least(g0, g1, d0, d1) - values.fold(f64::INFINITY, f64::min)).abs() < 1e-9);
        assert_eq!(least(0.1, 0.2, 1.0, 1.0), 0.1);
    }

    /// A step of this length along the gap `width + (s − a)² − a²` in the part s of it, whose lowest point is known.
    fn check(width: f64, a: f64, dt: f64, fastest: f64, is_closed: bool) -> Result<(), StepError> {
        let mut contacts = Contacts::new(&Press { wall: 1.0 }, "none".to_owned(), 2, 1, Settings::DEFAULT);
        contacts.begin(0.0, &[if is_closed { 0.0 } else { width }]);
        let mut watch = GapWatch::new(1);
        watch.gaps = [vec![width], vec![width + 1.0 - 2.0 * a]];
        watch.velocities = [vec![-2.0 * a / dt], vec![2.0 * (1.0 - a) / dt]];
        watch.check(&contacts, 3.0, dt, fastest)
    }

    /// The parabola with its lowest point at s = 0.45 goes as deep below zero as it is wide there for 0.45² − w = w + 0.1.
    #[test]
    fn contacts_are_missed_where_dips_are_deeper_than_wide() {
        let border = 0.5 * (0.45 * 0.45 - 0.1);
        for dt in [0.01, 1.0, 4.0] {
            assert!(check(border + 1e-6, 0.45, dt, 0.0, false).is_ok());
            let missed = check(border - 1e-6, 0.45, dt, 0.0, false);
            let Err(StepError::MissedContact { t, contact, depth, .. }) = missed else { panic!("{missed:?}") };
            assert_eq!((t, contact.to_string()), (3.0, "wall".to_owned()));
            assert!((depth - (0.45 * 0.45 - border + 1e-6)).abs() < 1e-15, "{depth}");
            assert!(check(border - 1e-6, 0.45, dt, 0.0, true).is_ok(), "what was closed was seen");
            // Beside a motion of a thousand times the depth it is tremor.
            assert!(check(0.01, 0.5, dt, 0.23 / (Settings::DEFAULT.tremor * dt), false).is_err());
            assert!(check(0.01, 0.5, dt, 0.25 / (Settings::DEFAULT.tremor * dt), false).is_ok());
        }
        assert!(matches!(check(0.01, f64::NAN, 1.0, 0.0, false), Err(StepError::NotFinite { .. })));
    }

    #[test]
    fn the_end_of_a_step_is_the_beginning_of_the_next() {
        let contacts = Contacts::new(&Press { wall: 1.0 }, "none".to_owned(), 2, 1, Settings::DEFAULT);
        let mut watch = GapWatch::new(1);
        watch.gaps = [vec![0.1], vec![-0.1]];
        assert!(!watch.has_closed(0, &contacts) && watch.has_closed(1, &contacts));
        watch.advance();
        assert!(watch.has_closed(0, &contacts) && !watch.has_closed(1, &contacts));
    }

    #[test]
    fn closed_contacts_approach_faster_than_rest() {
        let mut contacts = Contacts::new(&Press { wall: 1.0 }, "none".to_owned(), 2, 1, Settings::DEFAULT);
        let mut watch = GapWatch::new(1);
        watch.velocities = [vec![-0.2], vec![0.2]];
        assert!(!watch.approaches(0, &contacts, 0.1), "it is open");
        contacts.begin(0.0, &[0.0]);
        assert!(watch.approaches(0, &contacts, 0.1) && !watch.approaches(0, &contacts, 0.3));
        assert!(!watch.approaches(1, &contacts, 0.1));
    }
}
