//! Time stepping with constraints on velocities: Moreau's midpoint rule and half-explicit stepping of second order, as
//! far as motion is smooth. [rezaei, Refs. 30, 40, 41]
//!
//! Constraints on coordinates hold for velocities, and coordinates drift. Not here: contacts and impacts.

use nalgebra::{DMatrix, DVector};

use super::acceleration::Acceleration;
use crate::configuration::retract;
use crate::linear_analysis::{self, Oscillator};
use crate::model::{Block, Model, State};
use crate::scheme::{ConstraintLevel, Options, Scheme, StepError, StepStats, Stepper};

/// Moreau's midpoint rule; forces at the midpoint with the old velocity, of first order, of second where forces and
/// inertia do not depend on velocities. Its acceleration and multipliers are averages over the step.
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

    fn order(&self) -> u32 {
        1
    }

    fn preferred_level(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(linear_analysis::moreau(oscillator))
    }

    fn start_with<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        check_level(self, model, options)?;
        Ok(Box::new(MoreauStepper(Parts::new(model, self.name(), initial))))
    }
}

impl Scheme for HalfExplicit {
    fn name(&self) -> String {
        "half-explicit".to_owned()
    }

    fn order(&self) -> u32 {
        2
    }

    fn stages(&self) -> u32 {
        2
    }

    fn preferred_level(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(linear_analysis::half_explicit(oscillator))
    }

    fn start_with<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        check_level(self, model, options)?;
        Ok(Box::new(HalfExplicitStepper(Parts::new(model, self.name(), initial))))
    }
}

fn check_level(scheme: &dyn Scheme, model: &dyn Model, options: &Options) -> Result<(), StepError> {
    if options.constraint_level != Some(ConstraintLevel::Position) || model.dims().nc == 0 {
        return Ok(());
    }
    let reason = "its impulses act on velocities and cannot impose constraints on positions";
    Err(StepError::Undefined { scheme: scheme.name(), model: model.describe().name, reason })
}

/// What both steppers have.
struct Parts<'m> {
    name: String,
    blocks: &'static [Block],
    acceleration: Acceleration<'m>,
    state: State,
    next: State,
    /// A state between.
    middle: State,
    increment: DVector<f64>,
}

impl<'m> Parts<'m> {
    fn new(model: &'m dyn Model, name: String, initial: State) -> Self {
        Self {
            blocks: model.describe().blocks,
            acceleration: Acceleration::new(model, name.clone()),
            name,
            next: initial.clone(),
            middle: initial.clone(),
            increment: DVector::zeros(initial.v.len()),
            state: initial,
        }
    }
}

struct MoreauStepper<'m>(Parts<'m>);

impl Stepper for MoreauStepper<'_> {
    fn state(&self) -> &State {
        &self.0.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let Parts { name, blocks, acceleration, state, next, middle, increment } = &mut self.0;
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
        std::mem::swap(state, next);
        Ok(acceleration.stats)
    }
}

struct HalfExplicitStepper<'m>(Parts<'m>);

impl Stepper for HalfExplicitStepper<'_> {
    fn state(&self) -> &State {
        &self.0.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        let Parts { name, blocks, acceleration, state, next, middle, increment } = &mut self.0;
        super::check_step_size(name, dt)?;
        acceleration.begin(state.t);
        let (nv, end) = (state.v.len(), state.t + dt);

        // a₀ and λ₀: the velocity v₀ + h a₀ obeys the constraints where v₀ alone leads.
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
        middle.a.as_mut_slice().copy_from_slice(&acceleration.rhs[..nv]);

        // q₁ with the average of the velocities, then a₁ and λ₁ so that v₁ obeys the constraints there.
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
        let (a, lambda) = acceleration.rhs.split_at(nv);
        next.a.as_mut_slice().copy_from_slice(a);
        next.lambda.as_mut_slice().copy_from_slice(lambda);
        next.v.axpy(0.5 * dt, &next.a, 1.0);
        std::mem::swap(state, next);
        Ok(acceleration.stats)
    }
}
