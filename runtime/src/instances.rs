//! Instances of one model as one model, whose values alternate in all lists, see [`crate::abreast`].
//!
//! Schemes add and scale lists, whatever stands in them, so that a stepper of this model advances all instances at once.
//! Newton's method and elimination alone treat each by itself.

use std::sync::{Arc, Mutex, PoisonError};

use crate::abreast::{ABREAST, Abreast};
use crate::model::{Block, Dims, Energy, Model, ModelInfo, State};

/// Up to [`ABREAST`] instances; places beyond the last one repeat it.
pub(crate) struct Instances<'m> {
    models: [&'m dyn Model; ABREAST],
    /// With the patterns of one, and constraints of all.
    info: ModelInfo,
    one: &'m ModelInfo,
    dims: Dims,
    abreast: Arc<Abreast>,
    room: Mutex<Room>,
}

/// Room for what one instance is given, and for what it gives.
struct Room {
    state: State,
    lists: [Vec<f64>; 2],
}

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
    std::ptr::eq(a, b)
        || one.dims() == other.dims()
            && a.blocks == b.blocks
            && a.coordinates == b.coordinates
            && a.velocity_constraints == b.velocity_constraints
            && patterns(a) == patterns(b)
}

impl<'m> Instances<'m> {
    /// Of alike instances, at least one, without contacts and rotations.
    pub(crate) fn new(instances: &[&'m dyn Model]) -> Self {
        let models: [&dyn Model; ABREAST] = std::array::from_fn(|i| instances[i.min(instances.len() - 1)]);
        let (one, Dims { nq, nv, nc }) = (models[0].describe(), models[0].dims());
        let dims = Dims { nq: ABREAST * nq, nv: ABREAST * nv, nc: ABREAST * nc };
        let all = one.constraints.iter().flat_map(|channel| std::iter::repeat_n(channel, ABREAST));
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
            ..ModelInfo::default()
        };
        let lists = [nv.max(one.iteration_matrix.nnz()).max(one.constraint_jacobian.nnz()), nc].map(|n| vec![0.0; n]);
        let room = Mutex::new(Room { state: State::zeros(models[0].dims()), lists });
        Self { models, info, one, dims, abreast: Arc::new(Abreast::new(instances.len())), room }
    }

    pub(crate) fn counted(&self) -> &Abreast {
        &self.abreast
    }

    /// The state of all, of which that of each instance has yet to be loaded.
    pub(crate) fn zeros(&self) -> State {
        State::zeros(self.dims)
    }

    /// Calls a function for each instance whose values are wanted.
    fn each(&self, mut function: impl FnMut(&dyn Model, usize, &mut Room)) {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        for (i, _) in self.abreast.wanted().iter().enumerate().filter(|(_, wanted)| **wanted) {
            function(self.models[i], i, &mut room);
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
        self.each(|model, i, Room { state: one, lists: [of_r, of_g] }| {
            take(state, i, one);
            let of_r = &mut of_r[..r.len() / ABREAST];
            model.residual(one, of_r, of_g);
            scatter(of_r, r, i);
            scatter(of_g, g, i);
        });
    }

    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        self.matrix_of(state, values, |model, one, values| model.iteration_matrix(one, ca, cv, cq, values));
    }

    fn damping(&self, state: &State, out: &mut [f64]) {
        self.matrix_of(state, out, |model, one, out| model.damping(one, out));
    }

    fn stiffness(&self, state: &State, out: &mut [f64]) {
        self.matrix_of(state, out, |model, one, out| model.stiffness(one, out));
    }

    fn acceleration(&self, t: f64, q: &[f64], v: &[f64], a: &mut [f64]) -> bool {
        let mut is_known = true;
        self.each(|model, i, Room { state: one, .. }| {
            gather(q, one.q.as_mut_slice(), i);
            gather(v, one.v.as_mut_slice(), i);
            is_known &= model.acceleration(t, one.q.as_slice(), one.v.as_slice(), one.a.as_mut_slice());
            scatter(one.a.as_slice(), a, i);
        });
        is_known
    }

    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.each(|model, i, Room { state: one, lists: [list, _] }| {
            gather(q, one.q.as_mut_slice(), i);
            let list = &mut list[..out.len() / ABREAST];
            model.constraint_jacobian(t, one.q.as_slice(), list);
            scatter(list, out, i);
        });
    }

    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        self.each(|model, i, Room { state: one, lists: [_, list] }| {
            gather(q, one.q.as_mut_slice(), i);
            gather(v, one.v.as_mut_slice(), i);
            model.constraint_bias(t, one.q.as_slice(), one.v.as_slice(), list, one.lambda.as_mut_slice());
            scatter(list, rate, i);
            scatter(one.lambda.as_slice(), acceleration, i);
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

impl Instances<'_> {
    /// Fills the values of a matrix of all instances.
    fn matrix_of(&self, state: &State, out: &mut [f64], function: impl Fn(&dyn Model, &State, &mut [f64])) {
        self.each(|model, i, Room { state: one, lists: [list, _] }| {
            take(state, i, one);
            let list = &mut list[..out.len() / ABREAST];
            function(model, one, list);
            scatter(list, out, i);
        });
    }
}
