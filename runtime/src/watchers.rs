//! Checks that end a run whose results have no meaning: violated constraints, values that are not finite, unexplained
//! energy.
//!
//! Constraints and energy are checked whenever a state is recorded, and every [`STRIDE`] steps in between. A state that
//! exceeds a limit is not recorded; the states before it are kept.

use nalgebra::DVector;

use crate::events::Cubic;
use crate::known::Known;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::residuals::Residuals;
use crate::start::{largest_length, wrong_accelerations};
use crate::step::ContactRecord;
use crate::step::StepError;
use crate::undefined::not_finite;

/// Limits that end a run whose results have no meaning. All are on by default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Watchers {
    /// Largest residual of a constraint: on positions relative to the model's lengths if it is a length, on velocities
    /// relative to its terms. `None` turns the check off.
    pub constraints: Option<f64>,
    /// Whether coordinates, velocities, accelerations, multipliers, outputs and energies that are not finite end a run.
    pub finite: bool,
    /// Most energy that a run may gain beyond the work of applied forces, drives and moving obstacles, relative to the
    /// energy in motion (largest kinetic energy, range of the potential energy, and exchanged energy) without the gain;
    /// `None` turns the check and the energy balance off. A loss of energy is not a failure, because it may be numerical
    /// damping.
    pub energy: Option<f64>,
}

impl Default for Watchers {
    /// Residuals up to 10⁻³ of the lengths, finite values, a gain up to the energy in motion.
    fn default() -> Self {
        Self { constraints: Some(1e-3), finite: true, energy: Some(1.0) }
    }
}

/// Steps between two checks where nothing is recorded.
const STRIDE: u64 = 16;
/// Relative accuracy of coordinates: a smaller displacement in a step is not a motion.
const UNRESOLVED: f64 = 1e-12;
/// Coordinates below this size, m or rad, count as this size: a body at rest at zero trembles by rounding, too.
const AT_REST: f64 = 10.0;
/// Velocities of so many times the absolute tolerance are errors that chosen steps may leave.
const TOLERATED: f64 = 10.0;
/// Gaps are the same within this part of the largest gap.
const SAME_GAP: f64 = 1e-2;
/// What the norm of Euler parameters is corrected by in a step of a quarter of a radian changes lengths by this part.
const CORRECTED: f64 = 1e-2;
/// Changes below this fraction of the potential energy are rounding errors.
const ROUNDING: f64 = 1e-9;

/// The watchers of a run, and its balance of energy.
pub(crate) struct Watch {
    limits: Watchers,
    scheme: String,
    residuals: Residuals,
    balance: Option<Balance>,
    steps: u64,
    /// Gaps of contacts, the largest so far, and what corrections of coordinates may change of them.
    gaps: Vec<f64>,
    widest: f64,
    corrected: f64,
}

impl Watch {
    /// For a run from this state; `tolerance` is the absolute one by which steps are chosen, zero where they are not.
    pub(crate) fn new(model: &dyn Model, scheme: String, limits: Watchers, start: &State, tolerance: f64) -> Self {
        Self {
            limits,
            scheme,
            residuals: Residuals::new(model, start),
            balance: limits.energy.and_then(|_| Balance::new(model, start, tolerance)),
            steps: 0,
            gaps: vec![0.0; model.describe().contacts.len()],
            widest: 0.0,
            corrected: CORRECTED * (1.0 + largest_length(model, start.q.as_slice())),
        }
    }

    /// Checks the state after a step; `is_recorded` if a row is about to be written.
    ///
    /// # Errors
    /// [`StepError::ConstraintsLost`], [`StepError::NotFiniteValue`], [`StepError::EnergyGained`], and
    /// [`StepError::Undefined`] for a scheme whose record of contacts belongs to another state.
    pub(crate) fn pass(
        &mut self,
        model: &dyn Model,
        state: &State,
        contacts: Option<&ContactRecord>,
        is_recorded: bool,
        known: &mut Known,
    ) -> Result<(), StepError> {
        self.steps += 1;
        let is_look = is_recorded || self.steps.is_multiple_of(STRIDE);
        if let Some(balance) = &mut self.balance {
            balance.follow(model, state, contacts, known);
        }
        if !is_look {
            return Ok(());
        }
        if let Some((quantity, value)) = not_finite(model, state).filter(|_| self.limits.finite) {
            return Err(StepError::NotFiniteValue { t: state.t, scheme: self.scheme.clone(), quantity, value });
        }
        if let Some(record) = contacts {
            self.hold_to_gaps(model, state, record)?;
        }
        // Without constraints no limit can be exceeded, whatever it is.
        let is_constrained = !model.describe().constraints.is_empty();
        if let Some(limit) = self.limits.constraints.filter(|_| is_constrained) {
            self.residuals.evaluate_positions(model, state, known);
            let worst =
                [Some(self.residuals.worst_position()), self.residuals.worst_on_velocities(model, state, known)];
            for (row, part) in worst.into_iter().flatten() {
                let Some(constraint) = model.describe().constraints.get(row).filter(|_| is_beyond(part, limit)) else {
                    continue;
                };
                return Err(StepError::ConstraintsLost {
                    t: state.t,
                    scheme: self.scheme.clone(),
                    constraint: constraint.name.clone(),
                    residual: part,
                    limit,
                });
            }
        }
        if let (Some(balance), Some(limit)) = (&mut self.balance, self.limits.energy) {
            balance.look(model, state, known);
            let gain = balance.gain();
            // What was gained is in motion too.
            let in_motion = balance.of_first_step + balance.seen() - gain.max(0.0);
            if limit.is_nan() || gain > limit * in_motion {
                return Err(StepError::EnergyGained {
                    t: state.t,
                    scheme: self.scheme.clone(),
                    gain,
                    in_motion,
                    limit,
                });
            }
        }
        Ok(())
    }

    /// Refuses a record with other gaps than those of the state, but for what coordinates have been corrected by: a scheme
    /// that does not treat contacts might pass bodies through each other.
    fn hold_to_gaps(&mut self, model: &dyn Model, state: &State, record: &ContactRecord) -> Result<(), StepError> {
        model.contact_gap(state.t, state.q.as_slice(), &mut self.gaps);
        self.widest = self.gaps.iter().fold(self.widest, |widest, gap| widest.max(gap.abs()));
        // Of bodies that lie all gaps are what corrections leave of them.
        let most = SAME_GAP * self.widest + self.corrected;
        let is_other = |(gap, recorded): (&f64, &f64)| (gap - recorded).abs() > most;
        if record.gaps.len() == self.gaps.len() && !self.gaps.iter().zip(&record.gaps).any(is_other) {
            return Ok(());
        }
        let model = model.describe().name.clone();
        let reason = "its record of contacts has other gaps than its state";
        Err(StepError::Undefined { scheme: self.scheme.clone(), model, reason })
    }

    /// Forces have jumped at this state, as by an input that a controller has set: work of the next step begins with the
    /// new power. Velocities that have changed, where a drive jumps, did so by impulses of constraints, whose work is the
    /// change of the kinetic energy.
    pub(crate) fn jump(&mut self, model: &dyn Model, state: &State) {
        let Some(balance) = &mut self.balance else { return };
        balance.power = balance.supply.power(model, state, &mut Known::default());
        if balance.supply.has_moving_constraints && balance.previous.v != state.v {
            let kinetic = |v: &DVector<f64>| model.energy(state.t, state.q.as_slice(), v.as_slice()).kinetic;
            let work = kinetic(&state.v) - kinetic(&balance.previous.v);
            balance.work += work;
            balance.most_work += work;
            balance.turnover += work.abs();
        }
        balance.previous.copy_from(state);
    }

    /// Energy minus that at the start and minus all known work, J; `None` if the model does not give its power.
    pub(crate) fn energy_balance(&mut self, model: &dyn Model, state: &State, known: &mut Known) -> Option<f64> {
        let balance = self.balance.as_mut()?;
        balance.look(model, state, known);
        Some(balance.difference())
    }

    /// What the balance of energy leaves unexplained; `None` if the model does not give its power.
    pub(crate) fn unexplained(&self) -> Option<Unexplained> {
        self.balance.as_ref().map(|balance| Unexplained {
            gain: balance.difference(),
            uncertainty: balance.correction.abs(),
            in_motion: balance.in_motion(),
            seen: balance.seen(),
            farthest: balance.farthest,
        })
    }

    pub(crate) fn residuals(&mut self) -> &mut Residuals {
        &mut self.residuals
    }

    pub(crate) fn scheme(&self) -> &str {
        &self.scheme
    }

    pub(crate) fn is_finite_required(&self) -> bool {
        self.limits.finite
    }
}

/// Whether a value is above its limit, or one of them is not a number.
fn is_beyond(value: f64, limit: f64) -> bool {
    value.is_nan() || limit.is_nan() || value > limit
}

/// Energy that work does not explain.
pub(crate) struct Unexplained {
    /// At the end, J; lost if negative.
    pub(crate) gain: f64,
    /// How uncertain that is because work is known at some instants only, J.
    pub(crate) uncertainty: f64,
    /// Energy that has been in motion, J.
    pub(crate) in_motion: f64,
    /// The same without what accelerations of the start would give.
    pub(crate) seen: f64,
    /// When it was largest beyond its uncertainty, s, and how large, J; not known of models with contacts.
    pub(crate) farthest: (f64, f64),
}

/// Energy, and the work of everything that changes it.
struct Balance {
    supply: Supply,
    start: f64,
    energy: f64,
    potential: [f64; 2],
    kinetic: f64,
    t: f64,
    power: f64,
    /// The state at the beginning of the step.
    previous: State,
    /// Room for the state halfway.
    cubic: Cubic,
    /// What is known there.
    halfway: Known,
    /// Work by Simpson's rule, with the power halfway through the interpolated step; by the trapezoidal rule for models
    /// with contacts, whose velocities jump and whose accelerations may lack the forces of contacts, J.
    work: f64,
    /// What Simpson's rule has added to the trapezoidal rule, J. Where the power is resolved by the steps, Simpson's rule
    /// is far more accurate than this.
    correction: f64,
    /// Work with the largest of the powers of each step: a damper that stops a motion within a step
    /// dissipates far less than the trapezoidal rule gives, which must not appear as a gain.
    most_work: f64,
    /// Work of contacts, and an upper bound of it, J.
    of_contacts: f64,
    most_of_contacts: f64,
    /// Energy that was supplied or taken, in absolute values, J.
    turnover: f64,
    /// The accelerations of the start, and the energy that they would give in the first step. For a start from rest,
    /// where schemes use the accelerations of open contacts, there is no other measure of the error of a step; nor where a
    /// strong damper brings a body to its final velocity within that step, at whose ends power then is zero.
    accelerations: Option<DVector<f64>>,
    of_first_step: f64,
    /// The energy that the rounding of coordinates would give in the first step, and that of velocities as large as errors
    /// that are tolerated.
    of_rounding: f64,
    tolerance: f64,
    /// When the difference was largest, s, and how large, J, of models without contacts.
    farthest: (f64, f64),
    has_contacts: bool,
}

/// What supplies energy besides contacts: applied forces, and constraints that move.
struct Supply {
    is_conservative: bool,
    has_moving_constraints: bool,
}

impl Supply {
    fn new(model: &dyn Model) -> Self {
        let info = model.describe();
        let has_moving_constraints = model.dims().nc > 0 && !info.is_scleronomic;
        Self { is_conservative: info.is_conservative, has_moving_constraints }
    }

    /// Whether there can be no power.
    fn is_none(&self) -> bool {
        self.is_conservative && !self.has_moving_constraints
    }

    fn power(&self, model: &dyn Model, state: &State, known: &mut Known) -> f64 {
        let mut power = if self.is_conservative { 0.0 } else { known.power(model, state) };
        if self.has_moving_constraints {
            let rate = known.rate(model, state);
            power -= rate.iter().zip(&state.lambda).map(|(rate, lambda)| rate * lambda).sum::<f64>();
        }
        power
    }
}

impl Balance {
    fn new(model: &dyn Model, start: &State, tolerance: f64) -> Option<Self> {
        model.power(start.t, start.q.as_slice(), start.v.as_slice())?;
        let energy = model.energy(start.t, start.q.as_slice(), start.v.as_slice());
        let supply = Supply::new(model);
        let power = supply.power(model, start, &mut Known::default());
        Some(Self {
            supply,
            start: energy.total(),
            energy: energy.total(),
            potential: [energy.potential; 2],
            kinetic: energy.kinetic,
            t: start.t,
            power,
            previous: start.clone(),
            cubic: Cubic::new(start),
            halfway: Known::default(),
            work: 0.0,
            correction: 0.0,
            most_work: 0.0,
            of_contacts: 0.0,
            most_of_contacts: 0.0,
            turnover: 0.0,
            accelerations: Some(start.a.clone()),
            of_first_step: 0.0,
            of_rounding: 0.0,
            tolerance,
            farthest: (start.t, 0.0),
            has_contacts: !model.describe().contacts.is_empty(),
        })
    }

    /// Adds the work of a step.
    fn follow(&mut self, model: &dyn Model, state: &State, contacts: Option<&ContactRecord>, known: &mut Known) {
        let dt = state.t - self.t;
        self.t = state.t;
        if let Some(mut change) = self.accelerations.take() {
            let kinetic = |v: &DVector<f64>| model.energy(state.t, state.q.as_slice(), v.as_slice()).kinetic.abs();
            change *= dt;
            self.of_first_step = kinetic(&change);
            change.fill(UNRESOLVED * state.q.amax().max(AT_REST) / dt);
            self.of_rounding = kinetic(&change);
            change.fill(TOLERATED * self.tolerance);
            self.of_rounding += kinetic(&change);
            // A scheme that does not read the accelerations of the start moves rightly whatever they are; work is
            // interpolated by them.
            if !self.supply.is_none() && wrong_accelerations(model, &self.previous).is_some() {
                self.previous.a.copy_from(&state.v);
                self.previous.a -= &self.previous.v;
                self.previous.a /= dt;
            }
        }
        if !self.supply.is_none() {
            let power = self.supply.power(model, state, known);
            let before = core::mem::replace(&mut self.power, power);
            let (mut mean, mut most) = (0.5 * (before + power), before.max(power));
            // Nothing is interpolated where there is no work.
            if contacts.is_none() && (before != 0.0 || power != 0.0) && dt > 0.0 {
                let middle = match known.power_halfway {
                    Some(power) => power,
                    None => {
                        let ends = [&self.previous, state];
                        let halfway = self.cubic.at(&model.describe().blocks, ends, state.t - 0.5 * dt);
                        self.halfway.clear();
                        self.supply.power(model, halfway, &mut self.halfway)
                    }
                };
                let correction = 2.0 / 3.0 * (middle - mean);
                self.correction += dt * correction;
                mean += correction;
                most = most.max(middle);
            }
            self.previous.copy_from(state);
            self.work += dt * mean;
            self.most_work += dt * most;
            self.turnover += dt * mean.abs().min(most.abs());
        }
        if let Some(record) = contacts {
            self.turnover += (record.work - self.of_contacts).abs();
            (self.of_contacts, self.most_of_contacts) = (record.work, record.most_work);
        }
    }

    /// Updates the energies from a state.
    fn look(&mut self, model: &dyn Model, state: &State, known: &mut Known) {
        let energy = known.energy(model, state);
        self.energy = energy.total();
        self.kinetic = self.kinetic.max(energy.kinetic);
        let [least, most] = &mut self.potential;
        *least = least.min(energy.potential);
        *most = most.max(energy.potential);
        let difference = self.difference();
        if !self.has_contacts && difference.abs() > self.correction.abs().max(self.farthest.1.abs()) {
            self.farthest = (state.t, difference);
        }
    }

    /// The energy that the work does not explain.
    fn difference(&self) -> f64 {
        self.energy - self.start - self.work - self.of_contacts
    }

    /// A lower bound of the unexplained gain.
    fn gain(&self) -> f64 {
        self.energy - self.start - self.most_work - self.most_of_contacts
    }

    /// What errors are measured by: bodies that fall onto each other may stop within the first step, before anything of it
    /// is seen.
    fn in_motion(&self) -> f64 {
        self.seen() + if self.has_contacts { self.of_first_step } else { 0.0 }
    }

    /// The energy that has been seen in motion.
    fn seen(&self) -> f64 {
        let [least, most] = self.potential;
        let rounding = self.of_rounding + ROUNDING * least.abs().max(most.abs());
        self.kinetic + (most - least) + self.turnover + rounding
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schemes::common::Springs;

    /// From a driven start to a state with a stretched spring, half a second later; all by hand.
    #[test]
    fn a_balance_is_that_of_powers_of_drives_and_of_contacts() {
        let mut start = Springs::initial();
        (start.a[0], start.lambda[0]) = (1.0, 2.0);
        let mut balance = Balance::new(&Springs, &start, 0.0).unwrap();
        balance.has_contacts = true;
        let mut end = Springs::initial();
        (end.t, end.q[0], end.lambda[0]) = (0.5, 0.3, -4.0);
        end.v.fill(0.0);
        let record = ContactRecord { work: -0.3, most_work: 0.4, ..ContactRecord::default() };
        balance.follow(&Springs, &end, Some(&record), &mut Known::default());
        balance.look(&Springs, &end, &mut Known::default());

        // The pull at the middle, a tenth of the squares of rates of the springs, and the drive with 2 N at 0.1 m/s.
        let before = 0.2 - 0.1 * (0.01 + 0.04 + 0.04 + 0.09) + 0.2;
        let after = -0.4 * f64::cos(0.5);
        let work = 0.25 * (before + after);
        let (kinetic, potential) = (0.5 * (2.0 * 0.01 + 0.04 + 3.0 * 0.09), 0.045);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-10, "{found}, {expected}");
        near(balance.difference(), potential - kinetic - work + 0.3);
        near(balance.gain(), potential - kinetic - 0.5 * before - 0.4);
        // The acceleration of the start makes 0.5 m/s of the first mass, which counts where there are contacts.
        near(balance.in_motion(), kinetic + 0.25 + potential + work.abs() + 0.3);
        // Half a second later at the same place: contacts have done nothing more.
        (end.t, end.lambda[0]) = (1.0, 0.0);
        balance.follow(&Springs, &end, Some(&record), &mut Known::default());
        near(balance.difference(), potential - kinetic - work - 0.25 * after + 0.3);
        near(balance.in_motion(), kinetic + 0.25 + potential + work.abs() + 0.3);
    }
}
