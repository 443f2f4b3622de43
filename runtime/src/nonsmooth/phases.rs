//! Motions with contacts as smooth phases between events, for integrators that find events themselves.

use nalgebra::{DMatrix, DVector};

use super::Contacts;
use super::contacts::Directions;
use super::stepper::impacts;
use crate::acceleration::Acceleration;
use crate::configuration::retract;
use crate::contact_settings::Settings;
use crate::model::{Model, State};
use crate::nonsmooth::VelocityMap;
use crate::norms::largest;
use crate::prelude::*;
use crate::redundancy::{Kept, redundant_constraints};
use crate::start::{check_sizes, largest_length, rounding_of_gaps};
use crate::step::{ContactRecord, StepError};

/// Indicators of open contacts are larger than gaps by this part of the lengths of the model, so that they do not begin at
/// zero, or by this part of the tolerance of the integrator, whose errors would make events otherwise.
const SLACK: f64 = 1e-10;
const OF_TOLERANCE: f64 = 0.1;
/// Contacts that penetrate by more than this part of the lengths of the model, and twice what they approach in a step, do so
/// for another reason than integration.
const DEEP: f64 = 1e-2;
/// Slips that are so many times slower than what an indicator is larger by are none.
const NO_SLIP: f64 = 100.0;
/// Friction that is so near to its limit does not hold.
const AT_LIMIT: f64 = 1e-7;
/// Normal forces below this part of the largest are none.
const NO_FORCE: f64 = 1e-10;
/// Contacts that pull by more than this part of the largest force do so for another reason than rounding.
const PULL: f64 = 1e-5;
/// Where directions of the state stand that was evaluated last; the first ones are those of contact problems.
const HERE: usize = 1;
/// Corrections of gaps at an event.
const CORRECTIONS: usize = 4;
/// Directions of contacts that depend on each other have singular values below this part of the largest.
const DEPENDENT: f64 = 1e-11;

/// What a contact does in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Open,
    Stick,
    /// With the direction in which it slides at the beginning of the phase; zero without friction.
    Slide([f64; 2]),
}

/// Motions with contacts as smooth phases between events: within a phase each contact is open, sticks or slides, and
/// accelerations are a smooth function of the state.
///
/// A phase ends where an [indicator](Self::indicators) becomes negative: a contact closes, is released, begins to slide, or
/// comes to rest. [`begin`](Self::begin) then applies impacts and finds what contacts do in the next phase, by the same
/// laws as the schemes of this crate: Newton's law of impact, and Coulomb's law of friction.
/// It is for programs that integrate `q̇ = N v`, `v̇ = a` themselves and find zeros of indicators, as importers of
/// functional mock-up units do; a [`Simulation`](crate::Simulation) has schemes that need no events.
///
/// Bounces become ever faster; those slower than 10⁻⁴ of one plus the largest velocity end.
/// An integrator that goes past events by a part of its step finds bodies moved back to where they touch, with the
/// velocities that they had there, and slips that have changed their sign gone.
///
/// # Examples
/// A stone that falls from 1 m onto a floor, in the closed form of its phases: half of the velocity comes back.
///
/// ```
/// # hamel::multibody! {
/// #     model Drop {
/// #         planar;
/// #         coordinates joint;
/// #         gravity [-10, 0] m/s^2;
/// #         body stone { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint shaft: prismatic(ground, stone);
/// #         contact floor { gap: shaft.displacement, restitution: 0.5 }
/// #         initial shaft.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::{initial_state, nonsmooth::Phases};
///
/// let drop = Drop::default();
/// let mut state = initial_state(&drop)?;
/// let mut phases = Phases::new(&drop, &state)?;
/// phases.begin(&mut state)?;
/// phases.accelerate(&mut state)?;
/// assert_eq!(state.a[0], -10.0);
///
/// state.t += (2.0 / 10.0_f64).sqrt();
/// (state.q[0], state.v[0]) = (-1e-9, -20_f64.sqrt());
/// phases.accelerate(&mut state)?;
/// let mut indicators = [0.0];
/// phases.indicators(&state, &mut indicators);
/// assert!(indicators[0] < 0.0);
/// assert!(phases.begin(&mut state)?);
/// // It is moved back to the floor, with the velocity that it had there.
/// assert!(state.q[0].abs() < 1e-12 && (state.v[0] - 0.5 * 20_f64.sqrt()).abs() < 1e-8);
/// # Ok(())
/// # }
/// ```
pub struct Phases<'m> {
    model: &'m dyn Model,
    contacts: Contacts<'m>,
    accelerations: Acceleration<'m>,
    kept: Kept,
    kinds: Vec<Kind>,
    gaps: Vec<f64>,
    /// Contacts that close at an event, or stay closed.
    touching: Vec<bool>,
    /// Whether the contacts of the last forces depend on each other: these are then some of many.
    is_dependent: bool,
    /// The last two times at which accelerations were asked for, s.
    times: [f64; 2],
    tolerance: f64,
    /// By how much indicators of open contacts are larger than gaps; gaps up to this size are zero; velocities up to this
    /// size are zero.
    slack: f64,
    rounding: f64,
    slowest: f64,
}

/// A force that a phase has: along a row of Wᵀ, and with friction in the plane of contact.
struct Force {
    row: usize,
    /// What pulls along the tangents of a sliding contact, for a normal force of one: opposite to its direction.
    friction: [f64; 2],
}

impl Force {
    fn along(row: usize) -> Force {
        Force { row, friction: [0.0; 2] }
    }
}

impl<'m> Phases<'m> {
    /// Phases of a model, whose redundant constraints are those of this state.
    ///
    /// # Errors
    /// For a state of another model.
    pub fn new(model: &'m dyn Model, state: &State) -> Result<Self, StepError> {
        check_sizes(model, state)?;
        let (info, scheme) = (model.describe(), "phases between events");
        let mut accelerations = Acceleration::new(model, scheme.to_owned());
        accelerations.leave_out(&redundant_constraints(model, state));
        let n = info.contacts.len();
        let unknowns = accelerations.solver.size();
        Ok(Self {
            model,
            contacts: Contacts::new(model, scheme.to_owned(), unknowns, 1, Settings::DEFAULT),
            accelerations,
            kept: Kept::new(model),
            kinds: vec![Kind::Open; n],
            gaps: vec![0.0; n],
            touching: vec![false; n],
            is_dependent: false,
            times: [state.t; 2],
            tolerance: 0.0,
            slack: 0.0,
            rounding: 0.0,
            slowest: 0.0,
        })
    }

    /// The relative tolerance of the integrator.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Number of indicators: one of each contact, and a second one of contacts with directions of friction.
    pub fn n_indicators(model: &dyn Model) -> usize {
        model.describe().contacts.iter().map(|contact| 1 + usize::from(contact.tangents > 0)).sum()
    }

    /// Begins a phase, at the start of a motion and at each event: corrects what integration has left of gaps and slips,
    /// applies impacts, and finds which contacts are closed and which of them slide. Whether coordinates or velocities have
    /// changed.
    ///
    /// # Errors
    /// [`StepError::Penetration`] for a contact that penetrates by more than a hundredth of the lengths of the model and
    /// what it moves by in a step, as jumps of obstacles and other parameters leave it; [`StepError::Painleve`] and
    /// [`StepError::Contact`] where the laws of contact have no solution, as those of a rod with much friction may have
    /// none; and those of [`ForwardDynamics::solve`](crate::ForwardDynamics::solve).
    pub fn begin(&mut self, state: &mut State) -> Result<bool, StepError> {
        let before = (state.q.clone(), state.v.clone());
        let settings = self.contacts.settings;
        let q = state.q.as_slice();
        let length = 1.0 + largest_length(self.model, q);
        self.slack = length * (OF_TOLERANCE * self.tolerance).max(SLACK);
        self.rounding = rounding_of_gaps(self.model, q, &settings).max(self.slack);
        let left_out = self.accelerations.left_out();
        if let Some(others) = self.kept.exchanged(self.model, state, &left_out) {
            self.accelerations.leave_out(&others);
        }
        self.accelerations.begin(state.t);
        self.close(state, DEEP * length)?;

        // Impacts. The closed contacts are those that touch.
        self.mark_touching();
        self.contacts.close_at_start(&self.gaps, 0.0);
        self.contacts.begin(state.t, &self.gaps);
        self.contacts.evaluate(0, state.t, state.q.as_slice(), state.v.as_slice());
        let mut velocities = vec![0.0; self.gaps.len()];
        self.contacts.normal_velocities(0, state.v.as_slice(), &mut velocities);
        let rest = self.contacts.rest(state.v.as_slice());
        if self.contacts.closed.iter().any(|&contact| velocities[contact] < -rest) {
            self.accelerations.factor(state)?;
            self.contacts.approach(&velocities);
            let are_slow =
                self.contacts.closed.iter().all(|&contact| self.contacts.is_slow(contact, -velocities[contact], rest));
            let restitution = if are_slow { 0.0 } else { 1.0 };
            self.contacts.begin_history();
            impacts(&mut self.contacts, &mut self.accelerations, state, &mut velocities, restitution)?;
        }
        self.slowest = self.contacts.rest(state.v.as_slice());
        self.stop(state, &mut velocities)?;

        // Forces of contacts that stay closed.
        for (touches, velocity) in self.touching.iter_mut().zip(&velocities) {
            *touches &= velocity.abs() <= self.slowest;
        }
        self.mark_touching();
        self.contacts.close_at_start(&self.gaps, 0.0);
        self.contacts.begin(state.t, &self.gaps);
        self.accelerations.factor(state)?;
        self.accelerations.accelerate(state)?;
        self.contacts.reset_warm_start();
        self.contacts.evaluate(0, state.t, state.q.as_slice(), state.v.as_slice());
        self.contacts.accelerate(state.v.as_slice(), self.slowest, settings.instant);
        let motion = VelocityMap::single(state.v.as_slice(), settings.instant, 0.0);
        self.contacts.impose(&mut self.accelerations.solver, &mut self.accelerations.rhs, &motion)?;
        self.contacts.record_forces(0, 1.0);
        self.contacts.reset_warm_start();
        self.classify(state);
        self.accelerate(state)?;
        self.check_forces(state.t)?;
        self.model.contact_gap(state.t, state.q.as_slice(), &mut self.gaps);
        self.contacts.record_gaps(&self.gaps);
        Ok(before.0 != state.q || before.1 != state.v)
    }

    /// Gaps by which contacts that touch, and only those, are closed.
    fn mark_touching(&mut self) {
        for (gap, touches) in self.gaps.iter_mut().zip(&self.touching) {
            *gap = if *touches { 0.0 } else { 1.0 };
        }
    }

    /// Rejects accelerations that need a contact to pull: with friction there may be none that need not.
    fn check_forces(&self, t: f64) -> Result<(), StepError> {
        let forces = &self.contacts.record.forces;
        let most = self.contacts.first_rows.iter().fold(0.0_f64, |most, &row| most.max(forces[row].abs()));
        let force = |contact: &usize| forces[self.contacts.first_rows[*contact]];
        match (0..self.kinds.len()).min_by(|a, b| force(a).total_cmp(&force(b))) {
            // Contacts that depend on each other have forces that are some of many.
            Some(contact) if force(&contact) < -PULL * most && !self.is_dependent => {
                let name = self.contacts.name(contact).to_owned();
                Err(StepError::Painleve { t, contact: name, force: -force(&contact) })
            }
            _ => Ok(()),
        }
    }

    /// Replaces accelerations and multipliers of a state by those of the phase, and the forces of the
    /// [record](Self::record) by those of closed contacts.
    ///
    /// # Errors
    /// Those of [`ForwardDynamics::solve`](crate::ForwardDynamics::solve).
    pub fn accelerate(&mut self, state: &mut State) -> Result<(), StepError> {
        if state.t != self.times[1] {
            self.times = [self.times[1], state.t];
        }
        self.accelerations.begin(state.t);
        self.accelerations.factor(state)?;
        self.accelerations.accelerate(state)?;
        self.evaluate(state);
        let forces = self.forces(state);
        let missing = |phases: &Self, row: usize| {
            -(phases.along(row, state.a.as_slice()) + phases.directions().acceleration[row])
        };
        let missing: Vec<f64> = forces.iter().map(|force| missing(self, force.row)).collect();
        let (change, sizes) = self.respond(&forces, &missing);
        let (a, lambda) = change.split_at(state.v.len());
        state.a.iter_mut().zip(a).for_each(|(a, change)| *a += change);
        state.lambda.iter_mut().zip(lambda).for_each(|(lambda, change)| *lambda += change);
        let recorded = &mut self.contacts.record.forces;
        recorded.fill(0.0);
        for (force, size) in forces.iter().zip(&sizes) {
            recorded[force.row] = *size;
            for (k, part) in force.friction.iter().enumerate().filter(|(_, part)| **part != 0.0) {
                recorded[force.row + 1 + k] = part * size;
            }
        }
        Ok(())
    }

    /// What is not negative within the phase, at the state of the last call of [`accelerate`](Self::accelerate), contact by
    /// contact: the gap of an open one, the normal force of a closed one; and, where there are directions of friction, how
    /// much larger the friction of a sticking contact may become, how fast a sliding one slides, one where it is open.
    ///
    /// # Panics
    /// When the list is not as long as [`n_indicators`](Self::n_indicators) says.
    pub fn indicators(&mut self, state: &State, out: &mut [f64]) {
        assert_eq!(out.len(), Self::n_indicators(self.model), "the number of indicators");
        self.evaluate(state);
        self.model.contact_gap(state.t, state.q.as_slice(), &mut self.gaps);
        let infos = &self.model.describe().contacts;
        let mut out = out.iter_mut();
        for (contact, info) in infos.iter().enumerate() {
            let row = self.contacts.first_rows[contact];
            let forces = &self.contacts.record.forces[row..=row + info.tangents];
            let [normal, tangential] = match self.kinds[contact] {
                Kind::Open => [self.gaps[contact] + self.slack, 1.0],
                Kind::Stick => [forces[0], self.contacts.laws[contact].friction * forces[0] - size(&forces[1..])],
                Kind::Slide([0.0, 0.0]) => [forces[0], 1.0],
                Kind::Slide(direction) => {
                    let slip = self.slip(contact, state);
                    [forces[0], direction[0] * slip[0] + direction[1] * slip[1] + self.slowest]
                }
            };
            let indicators = [normal, tangential];
            for (indicator, out) in indicators.iter().take(1 + usize::from(info.tangents > 0)).zip(&mut out) {
                *out = *indicator;
            }
        }
    }

    /// By how much gaps of closed contacts, and their normal velocities, have left zero since the phase began.
    pub fn drift(&mut self, state: &State) -> f64 {
        self.evaluate(state);
        self.model.contact_gap(state.t, state.q.as_slice(), &mut self.gaps);
        let speed = 1.0 + largest(state.v.as_slice());
        let closed = (0..self.kinds.len()).filter(|&contact| self.kinds[contact] != Kind::Open);
        closed.fold(0.0, |most: f64, contact| {
            let row = self.contacts.first_rows[contact];
            let velocity = self.along(row, state.v.as_slice()) + self.directions().rate[row];
            most.max(self.gaps[contact].abs()).max(velocity.abs() / speed)
        })
    }

    /// Gaps at the last event, forces of the last state, and impulses and losses of all impacts.
    pub fn record(&self) -> &ContactRecord {
        &self.contacts.record
    }

    /// Finds the contacts that touch, and moves the state so that they do; contacts that approach have the velocities that
    /// they had when they touched.
    fn close(&mut self, state: &mut State, deep: f64) -> Result<(), StepError> {
        let blocks = &self.model.describe().blocks;
        self.model.contact_gap(state.t, state.q.as_slice(), &mut self.gaps);
        self.evaluate(state);
        let rest = self.contacts.rest(state.v.as_slice());
        let approaches = |phases: &Self, contact: usize| {
            let row = phases.contacts.first_rows[contact];
            phases.along(row, state.v.as_slice()) + phases.directions().rate[row]
        };
        let (infos, n) = (&self.model.describe().contacts, self.kinds.len());
        for contact in 0..n {
            let (gap, velocity) = (self.gaps[contact], approaches(self, contact));
            self.touching[contact] =
                self.kinds[contact] != Kind::Open || gap < 0.0 || gap <= self.rounding && velocity <= rest;
            if gap < -deep - 2.0 * velocity.abs() * (self.times[1] - self.times[0]).abs() {
                let (contact, unit) = (infos[contact].name.clone(), infos[contact].unit.clone());
                let model = self.model.describe().name.clone();
                return Err(StepError::Penetration { model, t: state.t, contact, gap, unit });
            }
        }
        let touching: Vec<usize> = (0..n).filter(|&contact| self.touching[contact]).collect();

        // Of an approach by −v with an acceleration −a over the depth d only v² − 2 a d was there.
        let mut accelerated = state.clone();
        self.accelerate(&mut accelerated)?;
        // Contacts that were closed in between stay so.
        let mut forces = self.forces(state);
        let (held, mut missing) = (forces.len(), vec![0.0; forces.len()]);
        for &contact in &touching {
            let (row, depth, velocity) =
                (self.contacts.first_rows[contact], -self.gaps[contact], approaches(self, contact));
            let acceleration = self.along(row, accelerated.a.as_slice()) + self.directions().acceleration[row];
            if depth > 0.0 && velocity < -rest && acceleration < 0.0 && self.kinds[contact] == Kind::Open {
                let there = (velocity * velocity + 2.0 * acceleration * depth).max(0.0).sqrt();
                forces.push(Force::along(row));
                missing.push(-there - velocity);
            }
        }
        self.accelerations.factor(state)?;
        if forces.len() > held {
            let (change, _) = self.respond(&forces, &missing);
            state.v.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
        }
        for _ in 0..CORRECTIONS {
            if touching.iter().all(|&contact| self.gaps[contact].abs() <= 0.1 * self.slack) {
                break;
            }
            self.accelerations.factor(state)?;
            let forces: Vec<Force> =
                touching.iter().map(|&contact| Force::along(self.contacts.first_rows[contact])).collect();
            let missing: Vec<f64> = touching.iter().map(|&contact| -self.gaps[contact]).collect();
            let (change, _) = self.respond(&forces, &missing);
            let from = state.q.clone();
            retract(blocks, from.as_slice(), &change[..state.v.len()], state.q.as_mut_slice());
            self.model.contact_gap(state.t, state.q.as_slice(), &mut self.gaps);
            self.evaluate(state);
        }
        Ok(())
    }

    /// Takes away what is left of velocities of contacts that touch and do not separate faster than bounces end, and of
    /// slips that are none or have changed their sign.
    fn stop(&mut self, state: &mut State, velocities: &mut [f64]) -> Result<(), StepError> {
        self.evaluate(state);
        let unnoticed = self.contacts.unnoticed(state.v.as_slice());
        let (mut forces, mut missing) = (Vec::new(), Vec::new());
        for contact in (0..self.kinds.len()).filter(|&contact| self.touching[contact]) {
            let row = self.contacts.first_rows[contact];
            let mut add = |row: usize, velocity: f64| {
                forces.push(Force::along(row));
                missing.push(-velocity);
            };
            if velocities[contact] > unnoticed {
                continue;
            }
            add(row, self.along(row, state.v.as_slice()) + self.directions().rate[row]);
            if self.contacts.laws[contact].friction > 0.0 {
                let slip = self.slip(contact, state);
                let along = match self.kinds[contact] {
                    Kind::Slide([x, y]) => x * slip[0] + y * slip[1],
                    _ => 0.0,
                };
                // What has turned round had come to rest in between.
                let turned = match self.kinds[contact] {
                    Kind::Slide(direction) if along < 0.0 => direction.map(|part| along * part),
                    _ => [0.0; 2],
                };
                let rest = [slip[0] - turned[0], slip[1] - turned[1]];
                let gone = if size(&rest) <= NO_SLIP * self.slowest { slip } else { turned };
                let tangents = self.model.describe().contacts[contact].tangents;
                if gone != [0.0; 2] {
                    (0..tangents).for_each(|k| add(row + 1 + k, gone[k]));
                }
            }
        }
        if !forces.is_empty() {
            self.accelerations.factor(state)?;
            let (change, _) = self.respond(&forces, &missing);
            state.v.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
        }
        self.evaluate(state);
        for (contact, velocity) in velocities.iter_mut().enumerate() {
            *velocity = self.along(self.contacts.first_rows[contact], state.v.as_slice())
                + self.directions().rate[self.contacts.first_rows[contact]];
        }
        Ok(())
    }

    /// What contacts do, from the forces of the record.
    fn classify(&mut self, state: &State) {
        let forces = self.contacts.record.forces.clone();
        let most = self.contacts.first_rows.iter().fold(0.0_f64, |most, &row| most.max(forces[row]));
        for contact in 0..self.kinds.len() {
            let (row, friction) = (self.contacts.first_rows[contact], self.contacts.laws[contact].friction);
            let tangents = self.model.describe().contacts[contact].tangents;
            let tangential = &forces[row + 1..=row + tangents];
            let slip = self.slip(contact, state);
            self.kinds[contact] = if !self.contacts.is_closed(contact) || forces[row] <= NO_FORCE * most {
                Kind::Open
            } else if tangents == 0 || friction == 0.0 {
                Kind::Slide([0.0; 2])
            } else if size(&slip) > NO_SLIP * self.slowest {
                Kind::Slide(slip.map(|part| part / size(&slip)))
            } else if size(tangential) >= (1.0 - AT_LIMIT) * friction * forces[row] {
                let part = |k: usize| tangential.get(k).map_or(0.0, |force| -force / size(tangential));
                Kind::Slide([part(0), part(1)])
            } else {
                Kind::Stick
            };
        }
    }

    /// The forces of the phase at a state, which was evaluated last.
    fn forces(&self, state: &State) -> Vec<Force> {
        let mut forces = Vec::new();
        for (contact, kind) in self.kinds.iter().enumerate() {
            let (row, friction) = (self.contacts.first_rows[contact], self.contacts.laws[contact].friction);
            match *kind {
                Kind::Open => {}
                Kind::Stick => {
                    let tangents = self.model.describe().contacts[contact].tangents;
                    forces.extend((row..=row + tangents).map(Force::along));
                }
                Kind::Slide(first) => {
                    // Friction follows the velocity, while that has a direction which is not opposite to the first.
                    let slip = self.slip(contact, state);
                    let is_usable = first[0] * slip[0] + first[1] * slip[1] > NO_SLIP * self.slowest;
                    let direction = if is_usable { slip.map(|part| part / size(&slip)) } else { first };
                    forces.push(Force { row, friction: direction.map(|part| -friction * part) });
                }
            }
        }
        forces
    }

    /// The changes of accelerations and multipliers by forces that change motions along their rows by so much, and the
    /// sizes of the forces; the least ones where contacts depend on each other. For the matrix factorized last.
    fn respond(&mut self, forces: &[Force], missing: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (m, n) = (forces.len(), self.accelerations.solver.size());
        let mut change = vec![0.0; n];
        if m == 0 {
            return (change, Vec::new());
        }
        let mut responses = DMatrix::zeros(n, m);
        for (j, force) in forces.iter().enumerate() {
            let mut column = vec![0.0; n];
            let mut push = |row: usize, factor: f64| self.contacts.add_row(HERE, row, factor, &mut column);
            push(force.row, 1.0);
            for (k, part) in force.friction.iter().enumerate().filter(|(_, part)| **part != 0.0) {
                push(force.row + 1 + k, *part);
            }
            self.accelerations.solver.solve(&mut column);
            responses.column_mut(j).copy_from_slice(&column);
        }
        let coupling = DMatrix::from_fn(m, m, |i, j| self.along(forces[i].row, responses.column(j).as_slice()));
        // Contacts differ in their units, and bodies in their mass.
        let scales = DVector::from_fn(m, |i, _| match coupling[(i, i)].abs() {
            0.0 => 1.0,
            own => own.sqrt().recip(),
        });
        let scaled = DMatrix::from_fn(m, m, |i, j| scales[i] * coupling[(i, j)] * scales[j]);
        let right = DVector::from_fn(m, |i, _| scales[i] * missing[i]);
        let decomposed = scaled.svd(true, true);
        let least = DEPENDENT * decomposed.singular_values.max();
        self.is_dependent = decomposed.singular_values.min() <= least;
        let sizes = decomposed.solve(&right, least).unwrap_or_else(|_| DVector::zeros(m)).component_mul(&scales);
        change.iter_mut().zip((responses * &sizes).iter()).for_each(|(change, by)| *change = *by);
        (change, sizes.iter().copied().collect())
    }

    /// Evaluates directions and what relative velocities and accelerations have without their highest derivatives.
    fn evaluate(&mut self, state: &State) {
        self.contacts.evaluate(HERE, state.t, state.q.as_slice(), state.v.as_slice());
    }

    /// Those of the state that was evaluated last.
    fn directions(&self) -> &Directions {
        &self.contacts.places[HERE]
    }

    /// A row of Wᵀ times a vector.
    fn along(&self, row: usize, vector: &[f64]) -> f64 {
        self.contacts.along(HERE, row, vector)
    }

    /// Relative velocity in the plane of contact.
    fn slip(&self, contact: usize, state: &State) -> [f64; 2] {
        let (row, tangents) = (self.contacts.first_rows[contact], self.model.describe().contacts[contact].tangents);
        let along = |k: usize| match k < tangents {
            true => self.along(row + 1 + k, state.v.as_slice()) + self.directions().rate[row + 1 + k],
            false => 0.0,
        };
        [along(0), along(1)]
    }
}

fn size(parts: &[f64]) -> f64 {
    parts.iter().map(|part| part * part).sum::<f64>().sqrt()
}
