//! Watches a simulation and records its states in a table.

use crate::blows::Blows;
use crate::caution::Caution;
use crate::contact_settings::Settings;
use crate::joint_limits;
use crate::known::Known;
use crate::model::{Model, State};
use crate::nonsmooth::{InitialAcceleration, loaded_start};
use crate::penetration::Extent;
use crate::prelude::*;
use crate::redundancy::{held_contacts, least_norm_multipliers, redundant_constraints};
use crate::scheme::{Options, Scheme, Stepper};
use crate::skipped::Skipped;
use crate::smallness::Changes;
use crate::start::{rounding_of_gaps, wrong_accelerations};
use crate::step::{StepError, StepStats};
use crate::switches::{AtBorders, Switched};
use crate::trajectory::Trajectory;
use crate::watchers::{self, Unexplained};

/// Largest loss or gain of energy by the scheme without a warning, relative to the energy in motion.
const UNNOTICED: f64 = 0.02;
/// The same on the way, where it came back: less is an error of the second order with steps of a tenth of a radian.
const WAVERING: f64 = 0.05;
/// Violation of the laws of contact, relative to the velocities without impulses, that needs no caution.
const CLOSE: f64 = 1e-3;

/// A gap above this part of what counts as closed is more than assembly leaves of one that is.
const OPEN: f64 = 0.05;

/// The contact that is taken for closed although its gap is open by most.
fn taken_for_closed(model: &dyn Model, start: &State, settings: &Settings) -> Option<Caution> {
    let contacts = &model.describe().contacts;
    let mut gaps = vec![0.0; contacts.len()];
    model.contact_gap(start.t, start.q.as_slice(), &mut gaps);
    let closed = rounding_of_gaps(model, start.q.as_slice(), settings);
    let open = contacts.iter().zip(gaps).filter(|(_, gap)| *gap > OPEN * closed && *gap <= closed);
    let (contact, gap) = open.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(Caution::Taken { contact: contact.name.clone(), gap, closed })
}

/// Watches a run, and records its states with residuals and energy balance.
pub(crate) struct Recorder<'m> {
    model: &'m dyn Model,
    watch: watchers::Watch,
    skipped: Skipped,
    blows: Blows,
    switched: Switched,
    /// With steps of equal length.
    borders: Option<AtBorders>,
    impacts: u64,
    joints: joint_limits::Followed,
    redundant: Vec<usize>,
    cautions: Vec<Caution>,
    /// The largest violation of the laws of contact, m/s, and the largest relative one.
    violation: [f64; 2],
    /// Numbers of impacts whose restitution was reduced, and of all.
    weakened: [u64; 2],
    extent: Extent,
    changes: Changes,
    /// How contacts begin, if forces of theirs are part of the start.
    contacts: Option<Settings>,
    /// A copy of the state with the multipliers of least norm.
    least_norm: State,
    /// Of the state that is recorded.
    known: Known,
}

impl<'m> Recorder<'m> {
    /// For a run from this state; `tolerance` is the absolute one by which steps are chosen, zero where they are not.
    pub(crate) fn new(
        model: &'m dyn Model,
        scheme: &dyn Scheme,
        options: &Options,
        start: &State,
        tolerance: f64,
        trajectory: &Trajectory,
    ) -> Self {
        let mut cautions: Vec<Caution> =
            crate::schemes::caution(scheme, model, options).map(Caution::Scheme).into_iter().collect();
        if scheme.reads_accelerations() {
            cautions.extend(wrong_accelerations(model, start).map(|relative| Caution::Accelerations { relative }));
        }
        let redundant = redundant_constraints(model, start);
        if !redundant.is_empty() {
            let constraints = &model.describe().constraints;
            cautions.push(Caution::Redundant(redundant.iter().map(|&row| constraints[row].name.clone()).collect()));
        }
        cautions.extend(taken_for_closed(model, start, &options.contacts.settings));
        let held = held_contacts(model, start);
        if !held.is_empty() {
            let contacts = &model.describe().contacts;
            cautions.push(Caution::Held(held.iter().map(|&contact| contacts[contact].name.clone()).collect()));
        }
        Self {
            model,
            watch: watchers::Watch::new(model, scheme.label(), options.watchers, start, tolerance),
            skipped: Skipped::new(model, start),
            blows: Blows::new(model, start),
            switched: Switched::new(model, start.t),
            borders: if tolerance == 0.0 { AtBorders::new(model, start) } else { None },
            impacts: 0,
            joints: joint_limits::Followed::new(model, start),
            redundant,
            cautions,
            violation: [0.0; 2],
            weakened: [0; 2],
            extent: Extent::new(model, trajectory),
            changes: Changes::new(model, start, tolerance),
            contacts: (options.contacts.initial_acceleration == InitialAcceleration::Consistent)
                .then_some(options.contacts.settings),
            least_norm: start.clone(),
            known: Known::default(),
        }
    }

    /// Records the start; closed contacts with their forces, which the first step begins with.
    pub(crate) fn begin(&mut self, trajectory: &mut Trajectory, start: &State) -> Result<(), StepError> {
        self.known.clear();
        let balance = self.watch.energy_balance(self.model, start, &mut self.known);
        let mut loaded = self.contacts.and_then(|settings| loaded_start(self.model, start, &self.redundant, &settings));
        if let Some((start, _)) = &mut loaded {
            self.known.clear();
            if !self.redundant.is_empty() {
                least_norm_multipliers(self.model, start);
            }
        }
        let (start, contacts) = loaded.as_ref().map_or((start, None), |(start, contacts)| (start, Some(contacts)));
        trajectory.record_with(self.model, start, contacts, self.watch.residuals(), balance, &mut self.known);
        self.keep_finite(trajectory, start.t)
    }

    /// Forces have jumped at this state.
    pub(crate) fn jump(&mut self, state: &State) {
        self.watch.jump(self.model, state);
        self.borders.iter_mut().for_each(|borders| borders.jump(self.model, state));
    }

    /// Checks a step, and records it if it is due; `known` is what was computed before of its end.
    pub(crate) fn step(
        &mut self,
        trajectory: &mut Trajectory,
        stepper: &dyn Stepper,
        is_recorded: bool,
        known: Option<&Known>,
    ) -> Result<(), StepError> {
        let state = stepper.state();
        match known {
            Some(known) => self.known.copy_from(known),
            None => self.known.clear(),
        }
        self.watch.pass(self.model, state, stepper.contacts(), is_recorded, &mut self.known)?;
        if let Some(record) = stepper.contacts() {
            self.skipped.follow(state.t, record);
            if stepper.has_impacts_after_steps() {
                self.blows.follow(self.model, state, record);
            }
        }
        self.switched.follow(self.model, state);
        if let Some(borders) = &mut self.borders {
            let impacts = stepper.contacts().map_or(0, |record| record.impacts);
            match core::mem::replace(&mut self.impacts, impacts) == impacts {
                true => borders.follow(self.model, state),
                false => borders.jump(self.model, state),
            }
        }
        self.changes.follow(state);
        self.joints.follow(state);
        if is_recorded {
            self.record(trajectory, state, stepper);
            self.keep_finite(trajectory, state.t)?;
        }
        Ok(())
    }

    /// Records the state at which a run ends early, unless it is already recorded.
    pub(crate) fn unrecorded(&mut self, trajectory: &mut Trajectory, state: &State, stepper: &dyn Stepper) {
        if trajectory.times().last() != Some(state.t) {
            self.known.clear();
            self.record(trajectory, state, stepper);
            // The error that ends the run is more specific than that the state is not finite.
            let _ = self.keep_finite(trajectory, state.t);
        }
    }

    /// Records the end of a run within a step: the state of the stepper, or one that was interpolated.
    pub(crate) fn end(
        &mut self,
        trajectory: &mut Trajectory,
        stepper: &dyn Stepper,
        interpolated: Option<&State>,
    ) -> Result<(), StepError> {
        let Some(state) = interpolated else {
            return self.step(trajectory, stepper, true, None);
        };
        self.known.clear();
        self.record(trajectory, state, stepper);
        self.keep_finite(trajectory, state.t)
    }

    /// Records a state of a stepper.
    fn record(&mut self, trajectory: &mut Trajectory, state: &State, stepper: &dyn Stepper) {
        let mut recorded = state;
        let balance = self.watch.energy_balance(self.model, state, &mut self.known);
        if let Some(record) = stepper.contacts() {
            self.violation = [record.violation, record.relative_violation];
            self.weakened = [record.weakened, record.impacts];
        }
        if !self.redundant.is_empty() || !stepper.left_out().is_empty() {
            self.least_norm.copy_from(state);
            least_norm_multipliers(self.model, &mut self.least_norm);
            recorded = &self.least_norm;
        }
        let residuals = self.watch.residuals();
        trajectory.record_with(self.model, recorded, stepper.contacts(), residuals, balance, &mut self.known);
    }

    /// Removes the last row if it has a value that is not finite, otherwise takes it into account.
    fn keep_finite(&mut self, trajectory: &mut Trajectory, t: f64) -> Result<(), StepError> {
        match trajectory.last_not_finite().filter(|_| self.watch.is_finite_required()) {
            None => {
                trajectory.rows().next_back().into_iter().for_each(|row| self.extent.pass(row));
                Ok(())
            }
            Some((quantity, value)) => {
                trajectory.drop_last();
                Err(StepError::NotFiniteValue { t, scheme: self.watch.scheme().to_owned(), quantity, value })
            }
        }
    }

    /// The cautions of a run that has ended.
    pub(crate) fn cautions(mut self, outcome: &Result<StepStats, StepError>) -> Vec<Caution> {
        self.cautions.extend(self.skipped.caution(self.model));
        self.cautions.extend(self.blows.caution(self.model));
        self.cautions.extend(self.switched.cautions());
        self.cautions.extend(self.borders.and_then(|borders| borders.caution()));
        self.cautions.extend(self.joints.cautions(self.model));
        self.cautions.extend(self.extent.caution());
        self.cautions.extend(self.changes.caution(self.model));
        let [violation, relative] = self.violation;
        if relative > CLOSE {
            self.cautions.push(Caution::Violation { violation, relative });
        }
        let [count, impacts] = self.weakened;
        if count > 0 {
            self.cautions.push(Caution::Weakened { count, impacts });
        }
        let stats = outcome.as_ref().copied().unwrap_or_default();
        if stats.at_rounding > 0 {
            self.cautions.push(Caution::Rounding { count: stats.at_rounding });
        }
        if let Some(Unexplained { gain, uncertainty, in_motion, seen, farthest: (t, departure) }) =
            self.watch.unexplained().filter(|_| outcome.is_ok())
        {
            match gain {
                // Of a run that is far off neither is known.
                gain if gain.abs() > UNNOTICED * in_motion && gain.abs() <= uncertainty => {
                    self.cautions.push(Caution::EnergyUnresolved { unexplained: gain, uncertainty, in_motion });
                }
                gain if gain > UNNOTICED * in_motion => self.cautions.push(Caution::EnergyGained { gain, in_motion }),
                gain if -gain > UNNOTICED * in_motion => {
                    self.cautions.push(Caution::EnergyLost { loss: -gain, in_motion });
                }
                _ if departure.abs() > WAVERING * seen => {
                    self.cautions.push(Caution::EnergyWavered { t, departure, in_motion: seen });
                }
                _ => {}
            }
        }
        self.cautions
    }
}
