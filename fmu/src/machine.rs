//! A model, and what computes with it: both live as long as the instance.
//!
//! Dynamics, projections and motions borrow the model and the scheme. Here they lie beside them, which Rust does not
//! express; they are dropped first, and before the model is changed.

use std::ptr::NonNull;

use hamel::nonsmooth::Phases;
use hamel::{ForwardDynamics, Held, Model, Motion, Projection, Scheme, Signal, Simulation, State, StepError};
use hamel_jit::JitModel;

use crate::settings::Stepping;

/// Most steps of an interval, where a tolerance chooses them.
const MAX_STEPS: u64 = 1_000_000;

pub(crate) struct Machine {
    borrowers: Borrowers,
    model: NonNull<JitModel>,
    scheme: NonNull<dyn Scheme>,
    inputs: Vec<Held>,
    without_forces: Vec<f64>,
}

/// What has references to model and scheme. Nothing outside of this file sees them as static.
#[derive(Default)]
struct Borrowers {
    dynamics: Option<ForwardDynamics<'static>>,
    projection: Option<Projection<'static>>,
    motion: Option<Motion<'static>>,
    phases: Option<Phases<'static>>,
}

impl Machine {
    pub(crate) fn new(mut model: JitModel, scheme: Box<dyn Scheme>) -> Machine {
        let names: Vec<String> = model.describe().inputs.iter().map(|input| input.name.clone()).collect();
        let held = |name: &String| {
            let (signal, held) = Signal::held(0.0);
            // The names are the model's own.
            let _ = model.set_input(name, signal);
            held
        };
        Machine {
            inputs: names.iter().map(held).collect(),
            without_forces: vec![0.0; model.dims().nv],
            borrowers: Borrowers::default(),
            model: NonNull::from(Box::leak(Box::new(model))),
            scheme: NonNull::from(Box::leak(scheme)),
        }
    }

    pub(crate) fn model(&self) -> &JitModel {
        // SAFETY: the model was leaked in `new` and is freed in `drop` alone. It is borrowed mutably in `change` alone,
        // which has `self` mutably and has dropped all that borrows it.
        unsafe { self.model.as_ref() }
    }

    /// The model, for those that are stored beside it.
    fn lasting_model(&self) -> &'static JitModel {
        // SAFETY: as in `model`; what gets this reference is one of the borrowers, which `change` and `drop` drop first.
        unsafe { self.model.as_ref() }
    }

    fn lasting_scheme(&self) -> &'static dyn Scheme {
        // SAFETY: the scheme was leaked in `new` and is freed in `drop` alone, after the borrowers; it is never borrowed
        // mutably.
        unsafe { self.scheme.as_ref() }
    }

    /// Changes the model.
    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&mut JitModel) -> T) -> T {
        self.borrowers = Borrowers::default();
        // SAFETY: the borrowers are gone, and `self` is borrowed mutably, so that no other reference to the model exists.
        change(unsafe { self.model.as_mut() })
    }

    /// The values of the inputs from now on.
    pub(crate) fn inputs(&self) -> &[Held] {
        &self.inputs
    }

    /// Replaces accelerations and multipliers of a state by those of the equations of motion.
    pub(crate) fn accelerate(&mut self, state: &mut State) -> Result<(), StepError> {
        if let Some(phases) = &mut self.borrowers.phases {
            return phases.accelerate(state);
        }
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        let is_found = self.model().acceleration(state.t, q, v, state.a.as_mut_slice());
        // Where that gives no finite values, elimination tells why.
        if is_found && state.a.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        if self.borrowers.dynamics.is_none() {
            self.borrowers.dynamics = Some(ForwardDynamics::new(self.lasting_model(), state)?);
        }
        match &mut self.borrowers.dynamics {
            Some(dynamics) => dynamics.solve(state, &self.without_forces),
            None => unreachable!("it was made above"),
        }
    }

    /// Moves a state onto the constraints.
    pub(crate) fn project(&mut self, state: &mut State) -> Result<(), StepError> {
        hamel::configuration::normalize_rotations(&self.model().describe().blocks, state.q.as_mut_slice());
        if state.lambda.is_empty() {
            return Ok(());
        }
        if self.borrowers.projection.is_none() {
            self.borrowers.projection = Some(Projection::new(self.lasting_model(), state)?);
        }
        match &mut self.borrowers.projection {
            Some(projection) => projection.apply(state).map(drop),
            None => unreachable!("it was made above"),
        }
    }

    /// Begins a phase between events of contacts.
    pub(crate) fn begin_phase(&mut self, state: &mut State, tolerance: f64) -> Result<(), StepError> {
        if self.borrowers.phases.is_none() {
            self.borrowers.phases = Some(Phases::new(self.lasting_model(), state)?.tolerance(tolerance));
        }
        match &mut self.borrowers.phases {
            Some(phases) => phases.begin(state).map(drop),
            None => unreachable!("they were made above"),
        }
    }

    /// The phases between events, if one has begun.
    pub(crate) fn phases(&mut self) -> Option<&mut Phases<'static>> {
        self.borrowers.phases.as_mut()
    }

    /// The motion that goes on, if one has begun.
    pub(crate) fn motion(&mut self) -> Option<&mut Motion<'static>> {
        self.borrowers.motion.as_mut()
    }

    /// Begins a motion from a consistent state.
    pub(crate) fn begin(&mut self, start: State, stepping: &Stepping) -> Result<&mut Motion<'static>, StepError> {
        let simulation = Simulation::new(self.lasting_model(), self.lasting_scheme());
        let simulation = match *stepping {
            Stepping::Fixed(dt) => simulation.step(dt),
            // A motion that grows without bound needs ever shorter steps.
            Stepping::Tolerance(tolerance) => simulation.tolerance(tolerance).max_steps(MAX_STEPS),
        };
        Ok(self.borrowers.motion.insert(simulation.begin(start)?))
    }

    /// Forgets the motion: the next one begins anew.
    pub(crate) fn halt(&mut self) {
        self.borrowers.motion = None;
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.borrowers = Borrowers::default();
        // SAFETY: both come from boxes that were leaked in `new`, are freed here alone, and nothing refers to them any more.
        unsafe {
            drop(Box::from_raw(self.model.as_ptr()));
            drop(Box::from_raw(self.scheme.as_ptr()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "model Driven {
        planar;
        coordinates joint;
        param mass = 2 kg;
        input push N;
        body block { mass: mass, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force driven: [push, 0] on block;
    }";

    #[test]
    fn a_model_changes_between_motions() {
        let model = hamel_jit::model(TEXT.parse().unwrap(), hamel_jit::Level::AtOnce, None).unwrap();
        let start = hamel::initial_state(&model).unwrap();
        let mut machine = Machine::new(model, hamel::schemes::by_name("runge_kutta", &[]).unwrap());
        machine.inputs()[0].set(4.0);
        for mass in [2.0, 8.0] {
            machine.change(|model| model.set(&[("mass", mass)])).unwrap();
            let mut state = start.clone();
            machine.accelerate(&mut state).unwrap();
            assert_eq!(state.a[0], 4.0 / mass);
            assert!(machine.motion().is_none(), "what borrowed the model before is gone");
            machine.begin(state, &Stepping::Fixed(0.1)).unwrap().advance(1.0).unwrap();
            assert!((machine.motion().unwrap().state().q[0] - 0.5 * 4.0 / mass).abs() < 1e-14);
        }
    }
}
