//! Time stepping with constraints on velocities: Moreau's midpoint rule, and half-explicit time stepping of second
//! order for smooth motion. [rezaei, Refs. 30, 40, 41]
//!
//! Constraints on coordinates are imposed on velocities, and coordinates drift. Moreau's rule solves for contact forces and
//! impacts together, with the contacts that are closed at the midpoint; the scheme of second order has the forces of closed
//! contacts at both ends of a step, and leaves impacts to [`crate::nonsmooth`].

use nalgebra::{DMatrix, DVector};

use crate::acceleration::Acceleration;
use crate::configuration::retract;
use crate::linear_analysis::{self, Oscillator};
use crate::model::{Block, Model, State};
use crate::nonsmooth::{self, ContactStepper, Contacts, GapWatch, Loss, VelocityMap};
use crate::norms::largest;
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, Options, Scheme, Stepper};
use crate::start::rounding_of_gaps;
use crate::step::{ContactRecord, StepError, StepStats, check_finite};
use crate::tangent::{Blocks, Instant, LinearEquations, Point, Register, STATE, StepMap, Sum, multiples, retraction};

/// Moreau's midpoint rule; forces at the midpoint with the old velocity, of first order, of second where forces and
/// inertia do not depend on velocities. Its acceleration and multipliers are averages over the step.
///
/// # Examples
/// A stone that falls from 1 m onto a floor with restitution ½ rises to a quarter of the height; the impact dissipates
/// three quarters of the energy m g h.
///
/// ```
/// # hamel::multibody! {
/// #     model Drop {
/// #         planar;
/// #         coordinates joint;
/// #         gravity [-9.81, 0] m/s^2;
/// #         body stone { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint shaft: prismatic(ground, stone);
/// #         contact floor { gap: shaft.displacement, restitution: 0.5 }
/// #         initial shaft.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::schemes::Moreau;
/// use hamel::{Simulation, initial_state};
///
/// let drop = Drop::default();
/// let run = Simulation::new(&drop, &Moreau).step(1e-4).until(0.7).run(initial_state(&drop)?);
/// run.outcome?;
/// let after_impact = run.trajectory.iter().filter(|(t, _)| *t > 0.46);
/// let top = after_impact.map(|(_, row)| row[1]).fold(0.0, f64::max);
/// assert!((top - 0.25).abs() < 1e-3);
/// let loss = run.trajectory.column("impact_loss")?.next_back();
/// assert!(loss.is_some_and(|loss| (loss - 0.75 * 9.81).abs() < 0.01));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moreau;

/// Half-explicit time stepping of second order: Heun's scheme for the velocities, with multipliers that let the
/// velocities at both ends obey the constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HalfExplicit;

impl Scheme for Moreau {
    fn name(&self) -> String {
        "Moreau".to_owned()
    }

    fn key(&self) -> Option<&'static str> {
        Some("moreau")
    }

    fn order(&self) -> u32 {
        1
    }

    fn carries_contacts(&self) -> bool {
        true
    }

    fn reads_accelerations(&self) -> bool {
        false
    }

    fn preferred_level(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(linear_analysis::moreau(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        check_level(self, model, options)?;
        let parts = Parts::new(model, self.label(), initial);
        let settings = options.contacts.settings;
        let mut contacts = Contacts::new(model, self.label(), model.describe().iteration_matrix.rows, 1, settings);
        let mut watch = GapWatch::new(contacts.len());
        let State { t, q, v, .. } = &parts.state;
        if contacts.len() > 0 {
            watch.observe(1, &mut contacts, &parts.state);
            contacts.close_at_start(&watch.gaps[1], rounding_of_gaps(model, q.as_slice(), &settings));
            contacts.record_gaps(&watch.gaps[1]);
            contacts.begin(*t, &watch.gaps[1]);
        }
        // Closed contacts that approach at the start have their impact in the first step.
        let approaches = watch.approaches(1, &contacts, contacts.rest(v.as_slice()));
        let gaps = vec![0.0; contacts.len()];
        let mut last_closed = Vec::with_capacity(contacts.len());
        last_closed.extend(contacts.closed.iter().copied().filter(|_| !approaches));
        Ok(Box::new(MoreauStepper { parts, contacts, watch, gaps, last_closed }))
    }
}

impl Scheme for HalfExplicit {
    fn name(&self) -> String {
        "half-explicit".to_owned()
    }

    fn key(&self) -> Option<&'static str> {
        Some("half_explicit")
    }

    fn order(&self) -> u32 {
        2
    }

    fn stages(&self) -> u32 {
        2
    }

    fn carries_contacts(&self) -> bool {
        true
    }

    fn reads_accelerations(&self) -> bool {
        false
    }

    fn preferred_level(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(linear_analysis::half_explicit(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        check_level(self, model, options)?;
        let stepper = HalfExplicitStepper(Parts::new(model, self.label(), initial));
        let unknowns = model.describe().iteration_matrix.rows;
        Ok(nonsmooth::with_contacts(stepper, model, &self.label(), &options.contacts, unknowns, 1))
    }
}

fn check_level(scheme: &dyn Scheme, model: &dyn Model, options: &Options) -> Result<(), StepError> {
    if options.constraint_level.is_none_or(|level| level == ConstraintLevel::Velocity) || model.dims().nc == 0 {
        return Ok(());
    }
    let reason = "its impulses act on velocities, on which alone it can impose constraints";
    Err(StepError::Undefined { scheme: scheme.label(), model: model.describe().name.clone(), reason })
}

/// The parts of both steppers.
#[derive(Clone)]
struct Parts<'m> {
    name: String,
    blocks: &'m [Block],
    acceleration: Acceleration<'m>,
    state: State,
    next: State,
    /// An intermediate state.
    middle: State,
    increment: DVector<f64>,
    /// Length of the last step, s.
    dt: f64,
}

impl<'m> Parts<'m> {
    /// Where a sum of multiples of velocities and accelerations leads from a configuration.
    fn moved(
        &self,
        map: &mut StepMap,
        (from, of): (&DVector<f64>, Register),
        terms: &[(f64, Register, &DVector<f64>)],
    ) -> (DVector<f64>, Sum) {
        let zero = DVector::zeros(self.state.v.len());
        let by = terms.iter().fold(zero, |sum, (factor, _, vector)| sum + *vector * *factor);
        let mut q = from.clone();
        retract(self.blocks, from.as_slice(), by.as_slice(), q.as_mut_slice());
        let [by_increment, by_start] = retraction(self.blocks, by.as_slice());
        let terms = terms.iter().map(|&(factor, register, _)| (by_increment.clone().scaled(factor), register));
        let position = map.sum([(by_start, of)].into_iter().chain(terms).collect());
        (q, multiples(&[(1.0, position)]))
    }

    /// Accelerations and multipliers from forces at one state and constraints on velocities at another, where the
    /// velocity follows the acceleration by a factor; restitution of contacts is relative to the velocities `before`.
    fn solved(
        &self,
        map: &mut StepMap,
        (forces, position, velocity): (State, Sum, Sum),
        (rows, of_rows, known_velocity, factor): (State, Sum, Sum, f64),
        before: Option<(&DVector<f64>, Register)>,
    ) -> (Point, Register) {
        let still = |state, position, velocity, by_velocity, by_acceleration| Instant {
            state,
            known: [position, velocity, Vec::new()],
            position: vec![Blocks::uniform(0.0)],
            velocity: vec![Blocks::uniform(by_velocity)],
            acceleration: vec![by_acceleration],
            force: Sum::new(),
            follows: None,
            constrained: None,
        };
        let constrained = Some(Box::new(still(rows, of_rows, known_velocity, factor, 1.0)));
        let instant = Instant { constrained, ..still(forces, position, velocity, 0.0, 1.0) };
        let levels = [ConstraintLevel::Velocity; 2];
        let left_out = self.acceleration.left_out();
        map.solve_in_contact(LinearEquations { instants: vec![instant], levels, left_out }, before)[0]
    }

    /// Steps find accelerations of their own; what is interpolated within the next one begins with these.
    fn resume(&mut self, next: &State) -> bool {
        self.state.a.copy_from(&next.a);
        self.state.lambda.copy_from(&next.lambda);
        true
    }

    fn new(model: &'m dyn Model, name: String, initial: State) -> Self {
        Self {
            blocks: &model.describe().blocks,
            acceleration: Acceleration::new(model, name.clone()),
            name,
            next: initial.clone(),
            middle: initial.clone(),
            increment: DVector::zeros(initial.v.len()),
            dt: 0.0,
            state: initial,
        }
    }
}

#[derive(Clone)]
struct MoreauStepper<'m> {
    parts: Parts<'m>,
    contacts: Contacts<'m>,
    /// Observed last at the end of a step.
    watch: GapWatch,
    /// At the midpoint.
    gaps: Vec<f64>,
    /// The contacts that were closed in the last step.
    last_closed: Vec<usize>,
}

impl Stepper for MoreauStepper<'_> {
    fn state(&self) -> &State {
        &self.parts.state
    }

    fn contacts(&self) -> Option<&ContactRecord> {
        (self.contacts.len() > 0).then_some(&self.contacts.record)
    }

    fn resume(&mut self, next: &State) -> bool {
        self.parts.resume(next)
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let Self { parts, contacts, watch, gaps, last_closed } = self;
        let Parts { name, blocks, acceleration, state, next, middle, increment, .. } = parts;
        super::check_step_size(name, dt)?;
        acceleration.begin(state.t);
        middle.t = state.t + 0.5 * dt;
        middle.v.copy_from(&state.v);
        increment.copy_from(&state.v);
        *increment *= 0.5 * dt;
        retract(blocks, state.q.as_slice(), increment.as_slice(), middle.q.as_mut_slice());

        acceleration.factor(middle)?;
        acceleration.forces(dt, middle);
        acceleration.velocity_rows(middle);
        acceleration.solve()?;
        let (t, q) = (middle.t, middle.q.as_slice());
        acceleration.model.contact_gap(t, q, gaps);
        contacts.begin(state.t, gaps);
        contacts.begin_history();
        let mut loss = None;
        if !contacts.closed.is_empty() {
            contacts.evaluate(0, t, q, state.v.as_slice());
            loss = Some(contacts.apply_impact(
                &mut acceleration.solver,
                &mut acceleration.rhs,
                state.v.as_slice(),
                1.0,
            )?);
            let share = loss.as_ref().map_or(0.0, Loss::share);
            contacts.note_impulses(1, share, dt);
        }
        let (change, impulse) = acceleration.rhs.split_at(state.v.len());
        next.t = state.t + dt;
        for (i, change) in change.iter().enumerate() {
            next.v[i] = state.v[i] + change;
            next.a[i] = change / dt;
        }
        for (lambda, impulse) in next.lambda.iter_mut().zip(impulse) {
            *lambda = impulse / dt;
        }
        increment.copy_from(&next.v);
        *increment *= 0.5 * dt;
        retract(blocks, middle.q.as_slice(), increment.as_slice(), next.q.as_mut_slice());
        check_finite(next, state.t, name)?;
        if contacts.len() > 0 {
            watch.advance();
            watch.observe(1, contacts, next);
            if let Err(error) = watch.check(contacts, state.t, dt, largest(next.v.as_slice())) {
                watch.advance();
                return Err(error);
            }
            contacts.update_kept_closed(&watch.gaps[1], &watch.velocities[1], contacts.rest(next.v.as_slice()));
            contacts.record_forces(0, dt);
            contacts.record_gaps(&watch.gaps[1]);
            let strikes = |&contact: &usize| {
                contacts.normal_impulse(contact) > 0.0 && last_closed.binary_search(&contact).is_err()
            };
            let is_impact = contacts.closed.iter().any(strikes);
            match &loss {
                Some(loss) if is_impact => contacts.record_impact(loss, true),
                Some(loss) => contacts.record_loss(loss),
                None => {}
            }
            last_closed.clear();
            last_closed.extend_from_slice(&contacts.closed);
        }
        core::mem::swap(state, next);
        parts.dt = dt;
        Ok(parts.acceleration.stats)
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        self.contacts.tell(map);
        let Parts { state, next: old, dt: h, .. } = &self.parts;
        let [x, v, ..] = STATE;
        let (q, position) = self.parts.moved(map, (&old.q, x), &[(0.5 * h, v, &old.v)]);
        // Forces with the old velocity; the new one obeys the constraints.
        let middle = State { t: old.t + 0.5 * h, q, ..state.clone() };
        let forces = State { v: old.v.clone(), ..middle.clone() };
        let known = multiples(&[(1.0, v)]);
        let (point, acceleration) = self.parts.solved(
            map,
            (forces, position.clone(), known.clone()),
            (middle.clone(), position.clone(), known, *h),
            Some((&old.v, v)),
        );
        let velocity = map.combine(&[(1.0, v), (*h, acceleration)]);
        let (_, end) = self.parts.moved(map, (&middle.q, position[0].1), &[(0.5 * h, velocity, &state.v)]);
        map.end([end[0].1, velocity, acceleration, point.multiplier]);
        Ok(())
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.parts.acceleration.leave_out(constraints);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.parts.state)
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

#[derive(Clone)]
struct HalfExplicitStepper<'m>(Parts<'m>);

impl Stepper for HalfExplicitStepper<'_> {
    fn state(&self) -> &State {
        &self.0.state
    }

    fn resume(&mut self, next: &State) -> bool {
        self.0.resume(next)
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        self.advance(dt, None)
    }

    fn retreat(&mut self) -> bool {
        core::mem::swap(&mut self.0.state, &mut self.0.next);
        true
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        let Parts { state, next: old, middle, dt: h, .. } = &self.0;
        let [x, v, ..] = STATE;
        let one = |register| multiples(&[(1.0, register)]);
        // The middle state has the first acceleration, at the configuration to which the old velocity leads.
        let first = &middle.a;
        let (_, far) = self.0.moved(map, (&old.q, x), &[(*h, v, &old.v)]);
        let rows = State { v: &old.v + first * *h, ..middle.clone() };
        let start = State { a: first.clone(), lambda: middle.lambda.clone(), ..old.clone() };
        let (_, acceleration) = self.0.solved(map, (start, one(x), one(v)), (rows, far, one(v), *h), None);
        let terms = [(*h, v, &old.v), (0.5 * h * h, acceleration, first)];
        let (_, position) = self.0.moved(map, (&old.q, x), &terms);
        let predicted = multiples(&[(1.0, v), (*h, acceleration)]);
        let half = multiples(&[(1.0, v), (0.5 * h, acceleration)]);
        let forces = State { v: &old.v + first * *h, ..state.clone() };
        let rows = (state.clone(), position.clone(), half, 0.5 * h);
        let (point, last) = self.0.solved(map, (forces, position.clone(), predicted), rows, None);
        let velocity = map.combine(&[(1.0, v), (0.5 * h, acceleration), (0.5 * h, last)]);
        map.end([position[0].1, velocity, last, point.multiplier]);
        Ok(())
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.0.acceleration.leave_out(constraints);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.0.state)
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl ContactStepper for HalfExplicitStepper<'_> {
    fn step_with_contacts(&mut self, dt: f64, contacts: &mut Contacts) -> Result<StepStats, StepError> {
        self.advance(dt, Some(contacts))
    }

    fn state_mut(&mut self) -> &mut State {
        &mut self.0.state
    }

    fn renew(&mut self) {}
}

impl HalfExplicitStepper<'_> {
    /// Where nothing holds the motion, accelerations alone are asked for, for which the model may need no matrix.
    fn advance_freely(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let Parts { name, blocks, acceleration, state, next, middle, increment, .. } = &mut self.0;
        super::check_step_size(name, dt)?;
        acceleration.begin(state.t);
        next.copy_from(state);
        acceleration.find(next)?;

        middle.copy_from(next);
        middle.t = state.t + dt;
        increment.copy_from(&state.v);
        *increment *= dt;
        retract(blocks, state.q.as_slice(), increment.as_slice(), middle.q.as_mut_slice());

        next.t = middle.t;
        next.v.axpy(dt, &middle.a, 1.0);
        increment.axpy(0.5 * dt * dt, &middle.a, 1.0);
        retract(blocks, state.q.as_slice(), increment.as_slice(), next.q.as_mut_slice());
        acceleration.find(next)?;
        next.v.copy_from(&state.v);
        next.v.axpy(0.5 * dt, &middle.a, 1.0);
        next.v.axpy(0.5 * dt, &next.a, 1.0);
        check_finite(next, state.t, name)?;
        core::mem::swap(state, next);
        self.0.dt = dt;
        Ok(self.0.acceleration.stats)
    }

    fn advance(&mut self, dt: f64, mut contacts: Option<&mut Contacts>) -> Result<StepStats, StepError> {
        if self.0.state.lambda.is_empty() && contacts.is_none() {
            return self.advance_freely(dt);
        }
        let Parts { name, blocks, acceleration, state, next, middle, increment, .. } = &mut self.0;
        super::check_step_size(name, dt)?;
        acceleration.begin(state.t);
        let (nv, end) = (state.v.len(), state.t + dt);

        // a₀ and λ₀: the velocity v₀ + h a₀ satisfies the constraints at the configuration to which v₀ leads.
        middle.t = end;
        middle.v.copy_from(&state.v);
        increment.copy_from(&state.v);
        *increment *= dt;
        retract(blocks, state.q.as_slice(), increment.as_slice(), middle.q.as_mut_slice());
        next.copy_from(state);
        acceleration.factor_with_rows_of(next, middle)?;
        acceleration.forces(1.0, next);
        acceleration.velocity_rows(middle);
        acceleration.rhs[nv..].iter_mut().for_each(|row| *row /= dt);
        acceleration.solve()?;
        if let Some(contacts) = contacts.as_deref_mut().filter(|contacts| !contacts.closed.is_empty()) {
            contacts.evaluate(0, middle.t, middle.q.as_slice(), middle.v.as_slice());
            contacts.evaluate(1, state.t, state.q.as_slice(), state.v.as_slice());
            let mut motion = VelocityMap::single(state.v.as_slice(), dt, 0.0);
            motion.pushed[0] = 1;
            contacts.impose(&mut acceleration.solver, &mut acceleration.rhs, &motion)?;
            contacts.note(1);
        }
        middle.a.as_mut_slice().copy_from_slice(&acceleration.rhs[..nv]);
        middle.lambda.as_mut_slice().copy_from_slice(&acceleration.rhs[nv..]);

        // q₁ with the mean velocity, then a₁ and λ₁ such that v₁ satisfies the constraints there.
        next.t = end;
        next.v.copy_from(&state.v);
        next.v.axpy(dt, &middle.a, 1.0);
        increment.axpy(0.5 * dt * dt, &middle.a, 1.0);
        retract(blocks, state.q.as_slice(), increment.as_slice(), next.q.as_mut_slice());
        acceleration.factor(next)?;
        acceleration.forces(1.0, next);
        next.v.copy_from(&state.v);
        next.v.axpy(0.5 * dt, &middle.a, 1.0);
        acceleration.velocity_rows(next);
        acceleration.rhs[nv..].iter_mut().for_each(|row| *row *= 2.0 / dt);
        acceleration.solve()?;
        if let Some(contacts) = contacts {
            if !contacts.closed.is_empty() {
                contacts.evaluate(0, next.t, next.q.as_slice(), next.v.as_slice());
                let motion = VelocityMap::single(next.v.as_slice(), 0.5 * dt, 0.0);
                contacts.impose(&mut acceleration.solver, &mut acceleration.rhs, &motion)?;
                contacts.note(1);
            }
            contacts.record_forces(0, 1.0);
        }
        let (a, lambda) = acceleration.rhs.split_at(nv);
        next.a.as_mut_slice().copy_from_slice(a);
        next.lambda.as_mut_slice().copy_from_slice(lambda);
        next.v.axpy(0.5 * dt, &next.a, 1.0);
        check_finite(next, state.t, name)?;
        core::mem::swap(state, next);
        self.0.dt = dt;
        Ok(self.0.acceleration.stats)
    }
}
