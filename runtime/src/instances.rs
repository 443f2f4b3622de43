//! Instances of one model as one model, whose values alternate in all lists, see [`crate::abreast`].
//!
//! Schemes add and scale lists, whatever stands in them, so that a stepper of this model advances all instances at once.
//! Newton's method and elimination alone treat each by itself.

use std::sync::{Arc, Mutex, PoisonError};

use crate::abreast::{ABREAST, Abreast, LaneFunction, LaneFunctions, LanePoint};
use crate::model::{Block, Dims, Energy, Model, ModelInfo, State};
use crate::prelude::*;

/// Up to [`ABREAST`] instances; places beyond the last one repeat it.
pub(crate) struct Instances<'m> {
    models: [&'m dyn Model; ABREAST],
    /// With the patterns of one, and constraints of all.
    info: ModelInfo,
    one: &'m ModelInfo,
    dims: Dims,
    abreast: Arc<Abreast>,
    room: Mutex<Room<'m>>,
}

/// What evaluates functions: of all instances at once, or of one with room for what it is given and what it gives.
struct Room<'m> {
    functions: Option<Box<dyn LaneFunctions + 'm>>,
    state: State,
    lists: [Vec<f64>; 2],
}

/// Up to so many instances are evaluated one by one.
const FEW: usize = 2;

/// Whether each coordinate of a model is added to by itself.
pub(crate) fn is_plain(model: &dyn Model) -> bool {
    model.describe().blocks.iter().all(|block| block.turn().is_none())
}

/// Whether instances have equal patterns: they may differ in parameters and inputs.
pub(crate) fn are_alike(one: &dyn Model, other: &dyn Model) -> bool {
    let (a, b) = (one.describe(), other.describe());
    let patterns = |info: &'_ ModelInfo| {
        [&info.iteration_matrix, &info.damping, &info.stiffness, &info.constraint_jacobian].map(Clone::clone)
    };
    core::ptr::eq(a, b)
        || one.dims() == other.dims()
            && a.blocks == b.blocks
            && a.coordinates == b.coordinates
            && a.velocity_constraints == b.velocity_constraints
            && patterns(a) == patterns(b)
}

impl<'m> Instances<'m> {
    /// Of alike instances, at least one, without contacts and rotations.
    pub(crate) fn new(instances: &[&'m dyn Model]) -> Self {
        let models: [&dyn Model; ABREAST] = core::array::from_fn(|i| instances[i.min(instances.len() - 1)]);
        let (one, Dims { nq, nv, nc }) = (models[0].describe(), models[0].dims());
        let dims = Dims { nq: ABREAST * nq, nv: ABREAST * nv, nc: ABREAST * nc };
        let all = one.constraints.iter().flat_map(|channel| core::iter::repeat_n(channel, ABREAST));
        let info = ModelInfo {
            name: one.name.clone(),
            coordinates: one.coordinates.clone(),
            velocities: one.velocities.clone(),
            constraints: all.cloned().collect(),
            velocity_constraints: ABREAST * one.velocity_constraints,
            blocks: vec![Block::Vector { size: dims.nv }],
            mass_matrix: one.mass_matrix.clone(),
            damping: one.damping.clone(),
            stiffness: one.stiffness.clone(),
            constraint_jacobian: one.constraint_jacobian.clone(),
            iteration_matrix: one.iteration_matrix.clone(),
            is_conservative: one.is_conservative,
            is_scleronomic: one.is_scleronomic,
            ..ModelInfo::default()
        };
        let entries =
            [&one.iteration_matrix, &one.damping, &one.stiffness, &one.constraint_jacobian].map(|one| one.nnz());
        let longest = entries.into_iter().fold(nv.max(nc), usize::max);
        let lists = [longest, nc].map(|n| vec![0.0; n]);
        let functions = models[0].functions_abreast(&models);
        let room = Mutex::new(Room { functions, state: State::zeros(models[0].dims()), lists });
        Self { models, info, one, dims, abreast: Arc::new(Abreast::new(instances.len())), room }
    }

    pub(crate) fn counted(&self) -> &Abreast {
        &self.abreast
    }

    /// The state of all, of which that of each instance has yet to be loaded.
    pub(crate) fn zeros(&self) -> State {
        State::zeros(self.dims)
    }

    /// Evaluates a function of all instances at once; `false` if there is no such function.
    pub(crate) fn evaluate_at(&self, function: LaneFunction, state: &State, results: &mut [&mut [f64]]) -> bool {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let (t, q, v, a, lambda) = parts(state);
        let at = LanePoint { t, q, v, a, lambda, wanted: self.abreast.wanted() };
        room.functions.as_mut().is_some_and(|functions| functions.evaluate(function, &at, results))
    }

    /// Evaluates a function of all instances at once where there is such a function and enough instances; else calls another
    /// for each instance whose values are wanted.
    fn evaluate(
        &self,
        function: LaneFunction,
        (t, q, v, a, lambda): (f64, &[f64], &[f64], &[f64], &[f64]),
        results: &mut [&mut [f64]],
        each: impl Fn(&dyn Model, &State, &mut [Vec<f64>; 2]),
    ) {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let Room { functions, state, lists } = &mut *room;
        let wanted = self.abreast.wanted();
        let count = wanted.iter().filter(|wanted| **wanted).count();
        if let Some(functions) = functions.as_mut().filter(|_| count > FEW)
            && functions.evaluate(function, &LanePoint { t, q, v, a, lambda, wanted }, results)
        {
            return;
        }
        state.t = t;
        for i in (0..ABREAST).filter(|&i| wanted[i]) {
            let pairs = [(q, &mut state.q), (v, &mut state.v), (a, &mut state.a), (lambda, &mut state.lambda)];
            pairs.into_iter().for_each(|(all, one)| gather(all, one.as_mut_slice(), i));
            each(self.models[i], state, lists);
            results.iter_mut().zip(&*lists).for_each(|(all, one)| scatter(one, all, i));
        }
    }
}

/// Puts the state of an instance among those of all.
pub(crate) fn load(all: &mut State, i: usize, one: &State) {
    all.t = one.t;
    let pairs = [(&mut all.q, &one.q), (&mut all.v, &one.v), (&mut all.a, &one.a), (&mut all.lambda, &one.lambda)];
    pairs.into_iter().for_each(|(all, one)| scatter(one.as_slice(), all.as_mut_slice(), i));
}

/// Takes the state of an instance from those of all.
pub(crate) fn take(all: &State, i: usize, one: &mut State) {
    one.t = all.t;
    let pairs = [(&all.q, &mut one.q), (&all.v, &mut one.v), (&all.a, &mut one.a), (&all.lambda, &mut one.lambda)];
    pairs.into_iter().for_each(|(all, one)| gather(all.as_slice(), one.as_mut_slice(), i));
}

fn parts(state: &State) -> (f64, &[f64], &[f64], &[f64], &[f64]) {
    let State { t, q, v, a, lambda } = state;
    (*t, q.as_slice(), v.as_slice(), a.as_slice(), lambda.as_slice())
}

fn gather(all: &[f64], one: &mut [f64], i: usize) {
    one.iter_mut().zip(all.as_chunks::<ABREAST>().0).for_each(|(one, all)| *one = all[i]);
}

fn scatter(one: &[f64], all: &mut [f64], i: usize) {
    one.iter().zip(all.as_chunks_mut::<ABREAST>().0).for_each(|(one, all)| all[i] = *one);
}

/// Functions of which schemes ask for the values of all instances; no others are called.
impl Model for Instances<'_> {
    fn describe(&self) -> &ModelInfo {
        &self.info
    }

    fn abreast(&self) -> Option<(&Arc<Abreast>, &ModelInfo)> {
        Some((&self.abreast, self.one))
    }

    fn dims(&self) -> Dims {
        self.dims
    }

    fn residual(&self, state: &State, r: &mut [f64], g: &mut [f64]) {
        let nv = r.len() / ABREAST;
        self.evaluate(LaneFunction::Residual, parts(state), &mut [r, g], |model, one, [r, g]| {
            model.residual(one, &mut r[..nv], g);
        });
    }

    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        let n = values.len() / ABREAST;
        let function = LaneFunction::IterationMatrix([ca, cv, cq]);
        self.evaluate(function, parts(state), &mut [values], |model, one, [values, _]| {
            model.iteration_matrix(one, ca, cv, cq, &mut values[..n]);
        });
    }

    fn damping(&self, state: &State, out: &mut [f64]) {
        let n = out.len() / ABREAST;
        self.evaluate(LaneFunction::Damping, parts(state), &mut [out], |model, one, [out, _]| {
            model.damping(one, &mut out[..n]);
        });
    }

    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let n = out.len() / ABREAST;
        self.evaluate(LaneFunction::Stiffness, parts(state), &mut [out], |model, one, [out, _]| {
            model.stiffness(one, &mut out[..n]);
        });
    }

    /// Of instances that all have it.
    fn acceleration(&self, t: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {
        let nv = v.len() / ABREAST;
        self.evaluate(LaneFunction::Acceleration, (t, q, v, &[], &[]), &mut [a], |model, one, [a, _]| {
            model.acceleration(t, one.q.as_slice(), one.v.as_slice(), &mut a[..nv]);
        });
        true
    }

    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let n = out.len() / ABREAST;
        let function = LaneFunction::ConstraintJacobian;
        self.evaluate(function, (t, q, &[], &[], &[]), &mut [out], |model, one, [out, _]| {
            model.constraint_jacobian(t, one.q.as_slice(), &mut out[..n]);
        });
    }

    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        let nc = rate.len() / ABREAST;
        let function = LaneFunction::ConstraintBias;
        self.evaluate(function, (t, q, v, &[], &[]), &mut [rate, acceleration], |model, one, [rate, acceleration]| {
            model.constraint_bias(t, one.q.as_slice(), one.v.as_slice(), &mut rate[..nc], acceleration);
        });
    }

    fn input_values(&self, _t: f64, _out: &mut [f64]) {}

    fn mass_matrix(&self, _q: &[f64], _out: &mut [f64]) {
        unreachable!("{ALONE}")
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], _out: &mut [f64]) {
        unreachable!("{ALONE}")
    }
    fn applied_force(&self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut [f64]) {
        unreachable!("{ALONE}")
    }
    fn constraint(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {
        unreachable!("{ALONE}")
    }
    fn energy(&self, _t: f64, _q: &[f64], _v: &[f64]) -> Energy {
        unreachable!("{ALONE}")
    }
    fn outputs(&self, _state: &State, _out: &mut [f64]) {
        unreachable!("{ALONE}")
    }
    fn reference_configuration(&self, _q: &mut [f64]) {
        unreachable!("{ALONE}")
    }
    fn n_initial_conditions(&self) -> (usize, usize) {
        (0, 0)
    }
    fn initial_position(&self, _t: f64, _q: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
    fn initial_velocity(&self, _t: f64, _q: &[f64], _v: &[f64], _residual: &mut [f64], _jacobian: &mut [f64]) {}
}

const ALONE: &str = "no step of instances abreast asks for it";
