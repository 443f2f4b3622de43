//! Contacts that bodies pass within a step or two, without an impact: open before and after, although they were about to
//! close, or closed in between where the scheme does not look.
//!
//! Schemes look at gaps at one instant of a step, so that a fast body can leave a thin one behind. The motion of a gap in
//! the two steps before foretells the next: where it cannot but close, with three times the change of its rate that was
//! seen, and is found open without an impact, the contact was passed.

use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::rows::relative_velocities;
use crate::step::ContactRecord;

/// How much more than before the rate of a gap may change in a step.
const CHANGE: f64 = 3.0;
/// A gap is open if it is larger than this part of its motion in a step.
const NOTABLE: f64 = 1e-2;
/// A gap is closed if it is deeper than this part of its motion in a step; less may be rounding.
const DEEP: f64 = 1e-6;
/// By how much of itself the rate of a gap is taken to have changed before the start.
const AT_START: f64 = 0.05;
/// Gaps of bodies that touch and are rounding errors, in the unit of the gap.
const ROUNDING: f64 = 1e-12;

/// The gap of a contact with what has become of it.
#[derive(Clone, Copy)]
struct Motion {
    /// Its row among the forces of contacts.
    row: usize,
    gap: f64,
    /// Sum of its impulses.
    impulse: f64,
    /// Mean rates in the last two steps, NaN where they are not known.
    rates: [f64; 2],
    /// While it is negative: the least value since then, and what its rate may be at the end of this step without an
    /// impact.
    deepest: f64,
    highest_rate: f64,
    /// Whether there was an impact or a force since it became negative.
    is_met: bool,
    /// Whether it should have closed in the last step, and ended next to zero.
    is_awaited: bool,
}

/// Follows the gaps of a run.
pub(crate) struct Skipped {
    motions: Vec<Motion>,
    /// Contacts that move the same bodies as each.
    beside: Vec<Vec<usize>>,
    /// Whether contacts have had impulses in the step.
    are_struck: Vec<bool>,
    t: f64,
    /// Whether no step was looked at.
    is_new: bool,
    count: u64,
    /// The first contact that was passed, when, s, and how fast it was closing.
    first: Option<(usize, f64, f64)>,
}

impl Skipped {
    /// For a run from this state.
    pub(crate) fn new(model: &dyn Model, start: &State) -> Self {
        let contacts = &model.describe().contacts;
        let (mut gaps, velocities, mut row) = (vec![0.0; contacts.len()], relative_velocities(model, start), 0);
        model.contact_gap(start.t, start.q.as_slice(), &mut gaps);
        let motion = |(tangents, gap): (usize, f64)| {
            let rate = velocities[row];
            let motion = Motion {
                row,
                gap,
                impulse: 0.0,
                rates: [(1.0 + AT_START) * rate, rate],
                deepest: gap.min(0.0),
                highest_rate: 0.0,
                is_met: true,
                is_awaited: false,
            };
            row += 1 + tangents;
            motion
        };
        let motions = contacts.iter().map(|contact| contact.tangents).zip(gaps).map(motion).collect();
        let are_struck = vec![false; contacts.len()];
        Self { motions, beside: beside(model), are_struck, t: start.t, is_new: true, count: 0, first: None }
    }

    /// Looks at the end of a step.
    pub(crate) fn follow(&mut self, t: f64, record: &ContactRecord) {
        let h = t - self.t;
        for (is_struck, motion) in self.are_struck.iter_mut().zip(&self.motions) {
            *is_struck = record.impulses[motion.row] != motion.impulse;
        }
        for (contact, (motion, &gap)) in self.motions.iter_mut().zip(&record.gaps).enumerate() {
            let [before, last] = motion.rates;
            let rate = (gap - motion.gap) / h;
            let change = CHANGE * (last - before).abs();
            let expected = motion.gap + h * (last + change);
            // A contact that closes while it separates, as behind the middle of a body, has no impulse.
            let impulse = record.impulses[motion.row];
            let is_struck = impulse != motion.impulse || record.forces[motion.row] > 0.0;
            // An impact of another contact that moves the same bodies may have turned the gap round.
            let is_touched = is_struck || self.beside[contact].iter().any(|&other| self.are_struck[other]);
            let is_open = gap > (NOTABLE * (h * last).abs().max((h * rate).abs())).max(ROUNDING);
            // Comparisons with what is unknown, NaN, are false.
            let is_jumped = (motion.is_awaited || motion.gap > 0.0 && expected < 0.0) && !is_touched;
            let has_turned = motion.deepest < -DEEP * (h * rate).abs() && rate > motion.highest_rate;
            let is_crossed = has_turned && !motion.is_met && !is_touched;
            if is_open && (is_jumped || is_crossed) {
                self.count += 1;
                self.first.get_or_insert((contact, t, last.abs()));
            }
            motion.is_awaited = is_jumped && !is_open && gap > ROUNDING;
            (motion.deepest, motion.is_met) = match (gap < 0.0, motion.deepest < 0.0) {
                (true, true) => (motion.deepest.min(gap), motion.is_met || is_touched),
                // One that is closed from the start on has not been entered.
                (true, false) => {
                    motion.highest_rate = last + 3.0 * change;
                    (gap, is_touched || self.is_new && motion.gap <= ROUNDING)
                }
                (false, _) => (0.0, false),
            };
            motion.highest_rate += change;
            // An impact within the step, as where steps are divided there, leaves a rate that tells nothing.
            let is_struck_within = motion.gap > 0.0 && gap > 0.0 && impulse != motion.impulse;
            let rates = if is_struck_within { [f64::NAN; 2] } else { [last, rate] };
            (motion.gap, motion.impulse, motion.rates) = (gap, impulse, rates);
        }
        (self.t, self.is_new) = (t, false);
    }

    /// What is to be said of the run.
    pub(crate) fn caution(&self, model: &dyn Model) -> Option<Caution> {
        let (contact, t, speed) = self.first?;
        let name = model.describe().contacts[contact].name.clone();
        Some(Caution::Passed { contact: name, t, speed, count: self.count })
    }
}

/// The contacts whose directions share a velocity with those of each.
fn beside(model: &dyn Model) -> Vec<Vec<usize>> {
    let info = model.describe();
    let owners = info.contacts.iter().enumerate();
    let owners: Vec<usize> = owners.flat_map(|(contact, info)| vec![contact; 1 + info.tangents]).collect();
    let mut beside = vec![Vec::new(); info.contacts.len()];
    for column in 0..info.velocities.len() {
        let rows = &info.contact_jacobian.row_indices()[info.contact_jacobian.column(column)];
        let mut moved: Vec<usize> = rows.iter().map(|&row| owners[row as usize]).collect();
        moved.dedup();
        for &contact in &moved {
            beside[contact].extend(moved.iter().filter(|&&other| other != contact));
        }
    }
    for others in &mut beside {
        others.sort_unstable();
        others.dedup();
    }
    beside
}
