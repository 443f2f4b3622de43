//! Instances of one model that advance together, in lanes, by the classical Runge-Kutta scheme.
//!
//! For models whose accelerations have a closed form, see [`InLanes`]: in joint coordinates, without constraints, contacts
//! and rotations. The code is compiled for several processors and chosen when the program runs.
//! [`Together`] advances instances by fixed steps, of which nothing is recorded or watched but that values are finite;
//! [`simulation::together`](crate::simulation::together) does with each instance what a [`Simulation`](crate::Simulation)
//! does with one.

use thiserror::Error;

use crate::events::hermite_weights;
use crate::generated::ClosedForm;
use crate::lanes::Lanes;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::real::Real;
use crate::scheme::Scheme;
use crate::schemes::{RungeKutta, check_step_size};
use crate::step::StepError;
use crate::tables::{self, Tableau};

/// A model of which N instances are computed with in one call, which differ in parameters and inputs.
///
/// Models that `multibody!` writes implement it for any N if their accelerations have a closed form.
pub trait InLanes<const N: usize>: Model + Sized {
    /// What tells the instances of a call apart.
    type Group;
    /// Values of nq coordinates.
    type Coordinates: Values<N>;
    /// Values of nv velocities.
    type Velocities: Values<N>;

    /// Up to N instances, at least one; further lanes repeat the last one.
    ///
    /// # Errors
    /// Why they have to be computed with one by one.
    fn group(instances: &[&Self]) -> Result<Self::Group, NotInLanes>;

    /// Zeros.
    fn coordinates(&self) -> Self::Coordinates;
    /// Zeros.
    fn velocities(&self) -> Self::Velocities;

    /// Accelerations at times t, s, with these inputs, coordinates and velocities; each lane with the digits of
    /// [`Model::acceleration`], but for sines and cosines of generated Rust.
    fn accelerate(
        group: &Self::Group,
        t: Lanes<N>,
        inputs: &[Lanes<N>],
        q: &Self::Coordinates,
        v: &Self::Velocities,
        a: &mut Self::Velocities,
    );

    /// What else is known of instances at a state, with the digits of single ones; all else is asked of them one by one.
    fn observe(_group: &Self::Group, _at: At<N>, _a: &[Lanes<N>], _observed: &mut Observed<N>) {}

    /// Power of applied forces, W, see [`Model::power`]; `None` where it is asked for one by one, and for models in which
    /// there is none.
    fn power_in_lanes(_group: &Self::Group, _at: At<N>) -> Option<Lanes<N>> {
        None
    }
}

/// A list of fixed length.
pub trait Values<const N: usize>: AsRef<[Lanes<N>]> + AsMut<[Lanes<N>]> + Clone {}

impl<const N: usize, T: AsRef<[Lanes<N>]> + AsMut<[Lanes<N>]> + Clone> Values<N> for T {}

/// Where instances are.
#[derive(Clone, Copy)]
pub struct At<'a, const N: usize> {
    /// Times, s.
    pub t: &'a Lanes<N>,
    /// Inputs at these times.
    pub inputs: &'a [Lanes<N>],
    /// Coordinates, `[nq]`.
    pub q: &'a [Lanes<N>],
    /// Velocities, `[nv]`.
    pub v: &'a [Lanes<N>],
}

/// What is recorded of instances beside their states.
#[derive(Clone, Debug, Default)]
pub struct Observed<const N: usize> {
    /// Kinetic and potential energy, J.
    pub energy: Option<[Lanes<N>; 2]>,
    /// Outputs, as many as the model has.
    pub outputs: Vec<Lanes<N>>,
    /// Whether the outputs are filled in.
    pub has_outputs: bool,
}

/// Why instances of a model do not advance in lanes, but one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", self.reason())]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NotInLanes {
    /// It has constraints.
    Constraints,
    /// It has contacts.
    Contacts,
    /// It has coordinates of rotations, whose rates are not velocities.
    Rotations,
    /// Its accelerations are no function by itself.
    NoClosedForm,
    /// That function is too long to be compiled for lanes too.
    Long,
    /// Its code for lanes was not asked for when it was compiled.
    NotCompiled,
    /// They are instances of different models.
    Different,
}

impl NotInLanes {
    fn reason(self) -> &'static str {
        match self {
            NotInLanes::Constraints => {
                "it has constraints, which do not advance in lanes; run its instances one by one"
            }
            NotInLanes::Contacts => "it has contacts, which do not advance in lanes; run its instances one by one",
            NotInLanes::Rotations => "it has rotations, which do not advance in lanes; run its instances one by one",
            NotInLanes::NoClosedForm => "its accelerations have no closed form; run its instances one by one",
            NotInLanes::Long => "its accelerations are too long a function for lanes; run its instances one by one",
            NotInLanes::NotCompiled => "it was compiled without code for lanes; run its instances one by one",
            NotInLanes::Different => "these are instances of different models; run them one by one",
        }
    }
}

/// Why a model has to be computed with one by one, whatever its functions are.
pub(crate) fn not_plain(model: &impl Model) -> Option<NotInLanes> {
    let info = model.describe();
    let is_plain = info.blocks.iter().all(|block| matches!(block, Block::Vector { .. }));
    match () {
        () if !info.constraints.is_empty() => Some(NotInLanes::Constraints),
        () if !info.contacts.is_empty() => Some(NotInLanes::Contacts),
        () if !is_plain => Some(NotInLanes::Rotations),
        () => None,
    }
}

impl<M: ClosedForm, const N: usize> InLanes<N> for M {
    type Group = M::Constants<Lanes<N>>;
    type Coordinates = M::Coordinates<Lanes<N>>;
    type Velocities = M::Velocities<Lanes<N>>;

    fn group(instances: &[&Self]) -> Result<Self::Group, NotInLanes> {
        let rows: Vec<Vec<f64>> = instances.iter().map(|model| model.parameters_in_lanes()).collect();
        let last = rows.len() - 1;
        let lanes = |k: usize| Lanes(core::array::from_fn(|i| rows[i.min(last)][k]));
        let parameters: Vec<Lanes<N>> = (0..rows[0].len()).map(lanes).collect();
        Ok(M::constants_in_lanes(&parameters))
    }

    fn coordinates(&self) -> Self::Coordinates {
        M::coordinates_in_lanes()
    }

    fn velocities(&self) -> Self::Velocities {
        M::velocities_in_lanes()
    }

    #[inline(always)]
    fn accelerate(
        group: &Self::Group,
        t: Lanes<N>,
        inputs: &[Lanes<N>],
        q: &Self::Coordinates,
        v: &Self::Velocities,
        a: &mut Self::Velocities,
    ) {
        M::acceleration_in_lanes(group, t, inputs, q, v, a);
    }
}

/// Up to N instances at their states.
pub(crate) struct Group<'m, M: InLanes<N>, const N: usize> {
    functions: Functions<'m, M, N>,
    points: Points<M, N>,
    /// Lanes whose values no longer count, which are those of failed instances and those beyond the last one.
    is_idle: [bool; N],
    observed: Observed<N>,
    /// Power at the end of the step, and halfway through it.
    powers: [Option<Lanes<N>>; 2],
    tableau: Tableau,
}

struct Functions<'m, M: InLanes<N>, const N: usize> {
    instances: Vec<&'m M>,
    group: M::Group,
    inputs: Vec<Lanes<N>>,
    /// Room for those of one instance.
    input: Vec<f64>,
}

/// A state, and where a step from there leads.
struct Points<M: InLanes<N>, const N: usize> {
    state: Point<M, N>,
    /// After the first one, which is the state.
    stages: [Point<M, N>; STAGES - 1],
    next: Point<M, N>,
}

struct Point<M: InLanes<N>, const N: usize> {
    t: Lanes<N>,
    q: M::Coordinates,
    v: M::Velocities,
    a: M::Velocities,
}

impl<M: InLanes<N>, const N: usize> Point<M, N> {
    fn zeros(model: &M) -> Self {
        Self { t: Lanes([0.0; N]), q: model.coordinates(), v: model.velocities(), a: model.velocities() }
    }

    /// Copies without allocation.
    #[inline(always)]
    fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.as_mut().copy_from_slice(other.q.as_ref());
        self.v.as_mut().copy_from_slice(other.v.as_ref());
        self.a.as_mut().copy_from_slice(other.a.as_ref());
    }

    fn load(&mut self, lane: usize, state: &State) {
        let set = |values: &mut [Lanes<N>], from: &[f64]| {
            values.iter_mut().zip(from).for_each(|(value, from)| value.0[lane] = *from);
        };
        self.t.0[lane] = state.t;
        set(self.q.as_mut(), state.q.as_slice());
        set(self.v.as_mut(), state.v.as_slice());
        set(self.a.as_mut(), state.a.as_slice());
    }

    fn store(&self, lane: usize, state: &mut State) {
        let get = |values: &[Lanes<N>], to: &mut [f64]| {
            values.iter().zip(to).for_each(|(value, to)| *to = value.0[lane]);
        };
        state.t = self.t.0[lane];
        get(self.q.as_ref(), state.q.as_mut_slice());
        get(self.v.as_ref(), state.v.as_mut_slice());
        get(self.a.as_ref(), state.a.as_mut_slice());
    }

    /// In which lanes a value is not finite.
    #[inline(always)]
    fn is_undefined(&self) -> [bool; N] {
        // Any of them leaves its mark in the sum, which may also be too large itself.
        let mut sum = self.t;
        for values in [self.q.as_ref(), self.v.as_ref(), self.a.as_ref()] {
            for value in values {
                sum = sum + *value;
            }
        }
        let (mut undefined, mut any) = ([false; N], false);
        for i in 0..N {
            any |= !sum.0[i].is_finite();
        }
        if any {
            self.find_undefined(&mut undefined);
        }
        undefined
    }

    #[cold]
    #[inline(never)]
    fn find_undefined(&self, undefined: &mut [bool; N]) {
        for values in [core::slice::from_ref(&self.t), self.q.as_ref(), self.v.as_ref(), self.a.as_ref()] {
            for value in values {
                undefined.iter_mut().zip(value.0).for_each(|(undefined, value)| *undefined |= !value.is_finite());
            }
        }
    }
}

impl<M: InLanes<N>, const N: usize> Functions<'_, M, N> {
    #[inline(never)]
    fn evaluate_inputs(&mut self, t: &Lanes<N>) {
        for i in 0..N {
            self.instances[i.min(self.instances.len() - 1)].input_values(t.0[i], &mut self.input);
            self.inputs.iter_mut().zip(&self.input).for_each(|(lanes, value)| lanes.0[i] = *value);
        }
    }

    /// Replaces accelerations by those of the equations of motion.
    #[inline(always)]
    fn accelerate(&mut self, at: &mut Point<M, N>) {
        if !self.inputs.is_empty() {
            self.evaluate_inputs(&at.t);
        }
        M::accelerate(&self.group, at.t, &self.inputs, &at.q, &at.v, &mut at.a);
    }

    /// A stage after the first one, with the rates of the one before it.
    #[inline(always)]
    fn stage(&mut self, points: &mut Points<M, N>, index: usize, Stage { node, factor, .. }: &Stage<N>) {
        let Points { state, stages, .. } = points;
        let (before, rest) = stages.split_at_mut(index - 1);
        let (before, stage) = (before.last().unwrap_or(state), &mut rest[0]);
        stage.t = state.t + *node;
        advance(stage.q.as_mut(), state.q.as_ref(), *factor, before.v.as_ref());
        advance(stage.v.as_mut(), state.v.as_ref(), *factor, before.a.as_ref());
        self.accelerate(stage);
    }

    /// The end of a step.
    #[inline(always)]
    fn end(&mut self, points: &mut Points<M, N>, step: &Step<N>) {
        let Points { state, stages, next } = points;
        let weights = step.stages.each_ref().map(|stage| stage.weight);
        next.t = state.t + step.dt;
        let rates = [&*state, &stages[0], &stages[1], &stages[2]];
        combine(next.q.as_mut(), state.q.as_ref(), weights, rates.map(|stage| stage.v.as_ref()));
        combine(next.v.as_mut(), state.v.as_ref(), weights, rates.map(|stage| stage.a.as_ref()));
        self.accelerate(next);
    }
}

impl<M: InLanes<N>, const N: usize> Functions<'_, M, N> {
    /// Halfway through a step that has been computed, whose stages are no longer needed; states there are interpolated as
    /// those of single runs.
    fn power_halfway(&mut self, points: &mut Points<M, N>) -> Option<Lanes<N>> {
        let Points { state: old, stages: [halfway, ..], next: new } = points;
        let lanes = Lanes::<N>::from_f64;
        let length = new.t - old.t;
        halfway.t = new.t - lanes(0.5) * length;
        let [old_weight, new_weight, old_rate, new_rate] = hermite_weights((halfway.t - old.t) / length, length);
        let ends = old.q.as_ref().iter().zip(new.q.as_ref());
        let rates = old.v.as_ref().iter().zip(new.v.as_ref());
        for ((to, (old, new)), (v_old, v_new)) in halfway.q.as_mut().iter_mut().zip(ends).zip(rates) {
            // Relative to the old coordinates, which are zero there.
            let moved = new_weight * (*new - *old) + lanes(0.0);
            *to = *old + (new_rate * *v_new + (old_rate * *v_old + moved));
        }
        let ends = old.v.as_ref().iter().zip(new.v.as_ref());
        let rates = old.a.as_ref().iter().zip(new.a.as_ref());
        for ((to, (old, new)), (a_old, a_new)) in halfway.v.as_mut().iter_mut().zip(ends).zip(rates) {
            *to = new_rate * *a_new + (old_rate * *a_old + (new_weight * *new + *old * old_weight));
        }
        if !self.inputs.is_empty() {
            self.evaluate_inputs(&halfway.t);
        }
        let Point { t, q, v, .. } = &*halfway;
        M::power_in_lanes(&self.group, At { t, inputs: &self.inputs, q: q.as_ref(), v: v.as_ref() })
    }
}

/// Where a step leads, in the order of operations of a single run. Stages of one group follow from each other; those of
/// different groups do not, so that the processor computes them side by side.
#[inline(always)]
fn step<M: InLanes<N>, const N: usize>(groups: &mut [Group<M, N>], step: &Step<N>) {
    for (index, stage) in step.stages.iter().enumerate().skip(1) {
        for Group { functions, points, .. } in groups.iter_mut() {
            functions.stage(points, index, stage);
        }
    }
    for Group { functions, points, .. } in groups.iter_mut() {
        functions.end(points, step);
    }
}

#[inline(always)]
fn advance<const N: usize>(to: &mut [Lanes<N>], from: &[Lanes<N>], factor: Lanes<N>, rates: &[Lanes<N>]) {
    for ((to, from), rate) in to.iter_mut().zip(from).zip(rates) {
        *to = factor * *rate + *from;
    }
}

/// `from` and the weighted rates of all stages, added one after the other.
#[inline(always)]
fn combine<const N: usize>(
    to: &mut [Lanes<N>],
    from: &[Lanes<N>],
    weights: [Lanes<N>; STAGES],
    rates: [&[Lanes<N>]; STAGES],
) {
    for (k, (to, from)) in to.iter_mut().zip(from).enumerate() {
        let mut sum = *from;
        for (weight, rates) in weights.iter().zip(rates) {
            sum = *weight * rates[k] + sum;
        }
        *to = sum;
    }
}

/// Groups whose stages are computed in turns.
const SIDE_BY_SIDE: usize = 4;

const STAGES: usize = 4;

/// A step of the classical scheme, each stage of which follows from the one before it; lanes may differ in its length.
struct Step<const N: usize> {
    dt: Lanes<N>,
    stages: [Stage<N>; STAGES],
}

/// A stage: its time after the beginning of the step, the factor of the rates of the stage before it, and that of its own
/// rates in the end.
#[derive(Clone, Copy)]
struct Stage<const N: usize> {
    node: Lanes<N>,
    factor: Lanes<N>,
    weight: Lanes<N>,
}

impl<const N: usize> Step<N> {
    fn new(tableau: &Tableau, dt: Lanes<N>) -> Self {
        let Tableau { nodes, matrix, weights, .. } = tableau;
        let times = |factor: f64| dt * Lanes::from_f64(factor);
        let stages = core::array::from_fn(|i| Stage {
            node: times(nodes[i]),
            factor: times(i.checked_sub(1).map_or(0.0, |before| matrix[i][before])),
            weight: times(weights[i]),
        });
        Self { dt, stages }
    }
}

impl<'m, M: InLanes<N>, const N: usize> Group<'m, M, N> {
    /// Up to N instances, at least one, at zero.
    ///
    /// # Errors
    /// Why they are computed with one by one.
    pub(crate) fn new(instances: Vec<&'m M>) -> Result<Self, NotInLanes> {
        if let Some(reason) = not_plain(instances[0]) {
            return Err(reason);
        }
        let info = instances[0].describe();
        let (n_inputs, n_outputs) = (info.inputs.len(), info.outputs.len());
        let first = instances[0];
        let zeros = || Point::zeros(first);
        let n = instances.len();
        Ok(Self {
            is_idle: core::array::from_fn(|lane| lane >= n),
            functions: Functions {
                group: M::group(&instances)?,
                inputs: vec![Lanes([0.0; N]); n_inputs],
                input: vec![0.0; n_inputs],
                instances,
            },
            points: Points { state: zeros(), stages: core::array::from_fn(|_| zeros()), next: zeros() },
            observed: Observed { outputs: vec![Lanes([0.0; N]); n_outputs], ..Observed::default() },
            powers: [None; 2],
            tableau: tables::runge_kutta4(),
        })
    }

    /// Puts an instance at a state.
    pub(crate) fn load(&mut self, lane: usize, state: &State) {
        self.points.state.load(lane, state);
    }

    /// Replaces the accelerations at the states by those of the equations of motion.
    pub(crate) fn accelerate(&mut self) {
        self.functions.accelerate(&mut self.points.state);
    }

    /// Where a step leads whose length, s, may differ from lane to lane, and in which lanes that is not finite; what else is
    /// known of its end, if that is observed. [`Group::accept`] goes on from there.
    pub(crate) fn step(&mut self, dt: Lanes<N>, is_observed: bool) -> [bool; N] {
        let step = Step::new(&self.tableau, dt);
        pulp::Arch::new().dispatch(OneStep { group: self, step: &step, is_observed })
    }

    /// Writes the state of an instance.
    pub(crate) fn store(&self, lane: usize, state: &mut State) {
        self.points.state.store(lane, state);
    }

    /// What was observed last, and the power there and halfway through the step.
    pub(crate) fn observed(&self) -> (&Observed<N>, [Option<Lanes<N>>; 2]) {
        (&self.observed, self.powers)
    }

    /// Leaves behind the instances for which the end of the step that was computed last is not finite.
    fn retire(&mut self, failures: &mut [Option<(State, StepError)>], scheme: &str) {
        for (lane, is_undefined) in self.points.next.is_undefined().into_iter().enumerate() {
            if is_undefined && !self.is_idle[lane] {
                let state = self.state(lane);
                let error = StepError::NotFinite { t: state.t, scheme: scheme.to_owned(), iteration: 0 };
                failures[lane] = Some((state, error));
                self.is_idle[lane] = true;
            }
        }
    }

    /// Goes on from the end of the step that was computed last.
    #[inline(always)]
    pub(crate) fn accept(&mut self) {
        let Points { state, next, .. } = &mut self.points;
        state.copy_from(next);
    }

    fn state(&self, lane: usize) -> State {
        let mut state = State::zeros(self.functions.instances[0].dims());
        self.points.state.store(lane, &mut state);
        state
    }
}

struct OneStep<'a, 'm, M: InLanes<N>, const N: usize> {
    group: &'a mut Group<'m, M, N>,
    step: &'a Step<N>,
    is_observed: bool,
}

impl<M: InLanes<N>, const N: usize> pulp::NullaryFnOnce for OneStep<'_, '_, M, N> {
    type Output = [bool; N];

    #[inline(always)]
    fn call(self) -> [bool; N] {
        let Self { group, step: length, is_observed } = self;
        step(core::slice::from_mut(group), length);
        let Group { functions, points, observed, powers, .. } = group;
        (observed.energy, observed.has_outputs, *powers) = (None, false, [None; 2]);
        if is_observed {
            let Point { t, q, v, a } = &points.next;
            let at = At { t, inputs: &functions.inputs, q: q.as_ref(), v: v.as_ref() };
            M::observe(&functions.group, at, a.as_ref(), observed);
            powers[0] = M::power_in_lanes(&functions.group, at);
            if powers[0].is_some() {
                powers[1] = functions.power_halfway(points);
            }
        }
        points.next.is_undefined()
    }
}

/// Steps of equal length up to one in which an instance fails that counts, whose end is left in `next`; their number.
struct Advance<'a, 'm, M: InLanes<N>, const N: usize> {
    groups: &'a mut [Group<'m, M, N>],
    step: &'a Step<N>,
    steps: u64,
}

impl<M: InLanes<N>, const N: usize> pulp::NullaryFnOnce for Advance<'_, '_, M, N> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let Self { groups, step: lengths, steps } = self;
        for done in 0..steps {
            step(groups, lengths);
            let mut any = false;
            for Group { points, is_idle, .. } in groups.iter() {
                let failed = points.next.is_undefined();
                for i in 0..N {
                    any |= failed[i] & !is_idle[i];
                }
            }
            if any {
                return done;
            }
            groups.iter_mut().for_each(Group::accept);
        }
        steps
    }
}

/// Instances of a model, N of which are computed with in one call; see [`Together::new`].
pub struct Together<'m, M: InLanes<N>, const N: usize> {
    groups: Vec<Group<'m, M, N>>,
    /// Of each instance, the state before the step that failed.
    failures: Vec<Option<(State, StepError)>>,
}

impl<'m, M: InLanes<N>, const N: usize> Together<'m, M, N> {
    /// Starts the classical Runge-Kutta scheme for instances, which differ in parameters and inputs, at their states. An
    /// instance whose state is not valid has failed from the beginning.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] unless there are as many states as instances; [`StepError::Undefined`] for a model with
    /// constraints, contacts or rotations, whose instances run one by one.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         param stiffness = 4 N/m;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: stiffness }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{initial_state, together::Together};
    ///
    /// let model = |stiffness| Oscillator::new(OscillatorParameters { stiffness });
    /// let models = [1.0, 4.0, 9.0].map(model);
    /// let starts = models.iter().map(|model| initial_state(model)).collect::<Result<_, _>>()?;
    /// let mut runs = Together::<_, 8>::new(&models, starts)?;
    /// runs.advance(1000, 1e-3)?;
    /// for (i, frequency) in [1.0_f64, 2.0, 3.0].into_iter().enumerate() {
    ///     let state = runs.state(i)?;
    ///     assert!((state.q[0] - frequency.cos()).abs() < 1e-10);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(instances: &'m [M], starts: Vec<State>) -> Result<Self, StepError> {
        const { assert!(N > 0, "there is no instance in a call of none") };
        if starts.len() != instances.len() {
            let reason = format!("{} instances need as many states, not {}", instances.len(), starts.len());
            return Err(StepError::BadParameter { scheme: RungeKutta.label(), reason });
        }
        let groups: Result<Vec<Group<M, N>>, NotInLanes> =
            instances.chunks(N).map(|models| Group::new(models.iter().collect())).collect();
        let undefined = |reason: NotInLanes| {
            let model = instances.first().map_or_else(String::new, |model| model.describe().name.clone());
            StepError::Undefined { scheme: RungeKutta.label(), model, reason: reason.reason() }
        };
        let mut groups = groups.map_err(undefined)?;
        let failure = |(model, start): (&M, &State)| {
            let begun = model
                .validate()
                .map_err(StepError::from)
                .and_then(|()| RungeKutta.start(model, start.clone()).map(|_| ()));
            begun.err().map(|error| (start.clone(), error))
        };
        let failures: Vec<_> = instances.iter().zip(&starts).map(failure).collect();
        for (group, (starts, failures)) in groups.iter_mut().zip(starts.chunks(N).zip(failures.chunks(N))) {
            group.is_idle = core::array::from_fn(|i| failures.get(i).is_none_or(Option::is_some));
            for (lane, start) in starts.iter().enumerate().filter(|(lane, _)| failures[*lane].is_none()) {
                group.load(lane, start);
            }
            group.accelerate();
        }
        Ok(Self { groups, failures })
    }

    /// Advances all instances that have not failed by so many steps of `dt`, s. Where forces jump, as by a table of an input,
    /// steps are of first order; a [`Simulation`](crate::Simulation) ends them there. Values that are not finite end an
    /// instance, and leave it at the beginning of the step in which they appear.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for a step that is not positive and finite.
    pub fn advance(&mut self, steps: u64, dt: f64) -> Result<(), StepError> {
        let scheme = RungeKutta.label();
        check_step_size(&scheme, dt)?;
        let step = Step::new(&tables::runge_kutta4(), Lanes([dt; N]));
        let processor = pulp::Arch::new();
        for (k, groups) in self.groups.chunks_mut(SIDE_BY_SIDE).enumerate() {
            let mut left = steps;
            while left > 0 && groups.iter().any(|group| group.is_idle.contains(&false)) {
                left -= processor.dispatch(Advance { groups: &mut *groups, step: &step, steps: left });
                if left > 0 {
                    for (group, failures) in groups.iter_mut().zip(self.failures[k * N * SIDE_BY_SIDE..].chunks_mut(N))
                    {
                        group.retire(failures, &scheme);
                        group.accept();
                    }
                    left -= 1;
                }
            }
        }
        Ok(())
    }

    /// The state that an instance has reached.
    ///
    /// # Errors
    /// Why it ended, if it has failed.
    ///
    /// # Panics
    /// If there is no instance of this index.
    pub fn state(&self, instance: usize) -> Result<State, StepError> {
        match &self.failures[instance] {
            Some((_, error)) => Err(error.clone()),
            None => Ok(self.groups[instance / N].state(instance % N)),
        }
    }

    /// The last valid state of an instance that has failed, and why it ended.
    ///
    /// # Panics
    /// If there is no instance of this index.
    pub fn failure(&self, instance: usize) -> Option<(&State, &StepError)> {
        self.failures[instance].as_ref().map(|(state, error)| (state, error))
    }
}
