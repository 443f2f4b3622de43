//! Instances of one model that advance together, in lanes, by the classical Runge-Kutta scheme with fixed steps.
//!
//! For models whose accelerations have a closed form, see [`ClosedForm`]. The code is compiled for several processors and
//! chosen when the program runs. Nothing is recorded or watched within steps but that values are finite.

use crate::generated::ClosedForm;
use crate::model::{Block, State};
use crate::real::Real;
use crate::scheme::Scheme;
use crate::schemes::{RungeKutta, check_step_size};
use crate::step::StepError;
use crate::tables::{self, Tableau};
use crate::wide_lanes::Lanes;

/// Instances of a model, N of which are computed with in one call; see [`Together::new`].
pub struct Together<'m, M: ClosedForm, const N: usize> {
    instances: &'m [M],
    groups: Vec<Group<M, N>>,
    /// Of each instance, the state before the step that failed.
    failures: Vec<Option<(State, StepError)>>,
}

/// N instances.
struct Group<M: ClosedForm, const N: usize> {
    constants: M::Constants<Lanes<N>>,
    state: Point<M, N>,
    /// The end of a step in which an instance fails.
    next: Point<M, N>,
    inputs: Vec<Lanes<N>>,
    input: Vec<f64>,
    /// Lanes whose values no longer count: those of failed instances, and those beyond the last one.
    is_idle: [bool; N],
}

struct Point<M: ClosedForm, const N: usize> {
    t: Lanes<N>,
    q: M::Coordinates<Lanes<N>>,
    v: M::Velocities<Lanes<N>>,
    a: M::Velocities<Lanes<N>>,
}

impl<M: ClosedForm, const N: usize> Clone for Point<M, N> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: ClosedForm, const N: usize> Copy for Point<M, N> {}

impl<'m, M: ClosedForm, const N: usize> Together<'m, M, N> {
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
        let mut found = Self { instances, groups: Vec::new(), failures: Vec::new() };
        let Some(first) = instances.first() else { return Ok(found) };
        let (info, dims) = (first.describe(), first.dims());
        let is_plain = info.blocks.iter().all(|block| matches!(block, Block::Vector { .. }));
        if dims.nc > 0 || !info.contacts.is_empty() || !is_plain {
            let reason = "it has constraints, contacts or rotations, which do not advance in lanes; run its instances one by one";
            return Err(StepError::Undefined { scheme: RungeKutta.label(), model: info.name.clone(), reason });
        }
        found.failures = instances
            .iter()
            .zip(&starts)
            .map(|(model, start)| RungeKutta.start(model, start.clone()).err().map(|error| (start.clone(), error)))
            .collect();
        for (k, models) in instances.chunks(N).enumerate() {
            let failures = &found.failures[N * k..][..models.len()];
            found.groups.push(Group::new(models, &starts[N * k..][..models.len()], failures));
        }
        Ok(found)
    }

    /// Advances all instances that have not failed by so many steps of `dt`, s. Values that are not finite end an
    /// instance, and leave it at the beginning of the step in which they appear.
    ///
    /// # Errors
    /// [`StepError::BadParameter`] for a step that is not positive and finite.
    pub fn advance(&mut self, steps: u64, dt: f64) -> Result<(), StepError> {
        let scheme = RungeKutta.label();
        check_step_size(&scheme, dt)?;
        let stages = stages(dt);
        let processor = pulp::Arch::new();
        for (k, group) in self.groups.iter_mut().enumerate() {
            let models = &self.instances[N * k..self.instances.len().min(N * (k + 1))];
            let mut left = steps;
            while left > 0 && group.is_idle.contains(&false) {
                left -= processor.dispatch(Advance { group, models, stages: &stages, dt, steps: left });
                if left > 0 {
                    for i in group.failed_lanes() {
                        let state = group.state_of(i);
                        let error = StepError::NotFinite { t: state.t, scheme: scheme.clone(), iteration: 0 };
                        self.failures[N * k + i] = Some((state, error));
                        group.is_idle[i] = true;
                    }
                    group.state = group.next;
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
            None => Ok(self.groups[instance / N].state_of(instance % N)),
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

impl<M: ClosedForm, const N: usize> Group<M, N> {
    fn new(models: &[M], starts: &[State], failures: &[Option<(State, StepError)>]) -> Self {
        let is_idle = std::array::from_fn(|i| failures.get(i).is_none_or(Option::is_some));
        // Lanes without an instance repeat the last one; those of invalid states are undefined.
        let last = models.len() - 1;
        let lanes = |value: &dyn Fn(usize) -> f64| {
            Lanes(std::array::from_fn(|i| if i <= last && is_idle[i] { f64::NAN } else { value(i.min(last)) }))
        };
        let (mut q, mut v) = (M::coordinates_in_lanes(), M::velocities_in_lanes());
        q.as_mut().iter_mut().enumerate().for_each(|(k, q)| *q = lanes(&|i| starts[i].q[k]));
        v.as_mut().iter_mut().enumerate().for_each(|(k, v)| *v = lanes(&|i| starts[i].v[k]));
        let rows: Vec<Vec<f64>> = models.iter().map(M::parameters_in_lanes).collect();
        let parameters: Vec<Lanes<N>> =
            (0..rows[0].len()).map(|k| Lanes(std::array::from_fn(|i| rows[i.min(last)][k]))).collect();
        let n_inputs = models[0].describe().inputs.len();
        let mut state = Point { t: lanes(&|i| starts[i].t), q, v, a: M::velocities_in_lanes() };
        let mut group = Self {
            constants: M::constants_in_lanes(&parameters),
            next: state,
            state,
            inputs: vec![Lanes([0.0; N]); n_inputs],
            input: vec![0.0; n_inputs],
            is_idle,
        };
        group.accelerate(models, &mut state);
        group.state = state;
        group
    }

    /// Replaces accelerations by those of the equations of motion.
    #[inline(always)]
    fn accelerate(&mut self, models: &[M], at: &mut Point<M, N>) {
        if !self.inputs.is_empty() {
            for i in 0..N {
                models[i.min(models.len() - 1)].input_values(at.t.0[i], &mut self.input);
                self.inputs.iter_mut().zip(&self.input).for_each(|(lanes, value)| lanes.0[i] = *value);
            }
        }
        M::acceleration_in_lanes(&self.constants, at.t, &self.inputs, &at.q, &at.v, &mut at.a);
    }

    /// A step later, in the order of operations of a single run.
    #[inline(always)]
    fn step(&mut self, models: &[M], stages: &[Stage; STAGES], dt: f64, state: &Point<M, N>) -> Point<M, N> {
        let lanes = Lanes::<N>::from_f64;
        let (mut stage, mut next) = (*state, *state);
        let (mut v, mut a) = (state.v, state.a);
        for (index, &Stage { node, factor, weight }) in stages.iter().enumerate() {
            if index > 0 {
                (stage.t, stage.q, stage.v) = (state.t + lanes(node), state.q, state.v);
                axpy(lanes(factor), v.as_ref(), stage.q.as_mut());
                axpy(lanes(factor), a.as_ref(), stage.v.as_mut());
                self.accelerate(models, &mut stage);
                (v, a) = (stage.v, stage.a);
            }
            axpy(lanes(weight), v.as_ref(), next.q.as_mut());
            axpy(lanes(weight), a.as_ref(), next.v.as_mut());
        }
        next.t = state.t + lanes(dt);
        self.accelerate(models, &mut next);
        next
    }

    /// Lanes of instances in which a point is not finite.
    #[inline(always)]
    fn failed(&self, at: &Point<M, N>) -> [bool; N] {
        // Zero times anything finite is zero.
        let zero = Lanes::<N>::from_f64(0.0);
        let Point { t, q, v, a } = at;
        let mut sum = zero * *t;
        for values in [q.as_ref(), v.as_ref(), a.as_ref()] {
            for value in values {
                sum = sum + zero * *value;
            }
        }
        let mut failed = [false; N];
        for i in 0..N {
            failed[i] = sum.0[i].is_nan() & !self.is_idle[i];
        }
        failed
    }

    fn failed_lanes(&self) -> impl Iterator<Item = usize> + use<M, N> {
        self.failed(&self.next).into_iter().enumerate().filter_map(|(i, failed)| failed.then_some(i))
    }

    fn state_of(&self, lane: usize) -> State {
        let vector = |values: &[Lanes<N>]| values.iter().map(|x| x.0[lane]).collect::<Vec<_>>().into();
        let Point { t, q, v, a } = &self.state;
        State {
            t: t.0[lane],
            q: vector(q.as_ref()),
            v: vector(v.as_ref()),
            a: vector(a.as_ref()),
            lambda: Vec::new().into(),
        }
    }
}

#[inline(always)]
fn axpy<const N: usize>(factor: Lanes<N>, x: &[Lanes<N>], y: &mut [Lanes<N>]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = factor * *x + *y;
    }
}

const STAGES: usize = 4;

/// A stage of a step: its time after the beginning of the step, the factor of the rates of the stage before it, and that of
/// its own rates in the end.
struct Stage {
    node: f64,
    factor: f64,
    weight: f64,
}

/// The classical scheme, each stage of which follows from the one before it.
fn stages(dt: f64) -> [Stage; STAGES] {
    let Tableau { nodes, matrix, weights, .. } = tables::runge_kutta4();
    std::array::from_fn(|i| Stage {
        node: dt * nodes[i],
        factor: i.checked_sub(1).map_or(0.0, |before| dt * matrix[i][before]),
        weight: dt * weights[i],
    })
}

/// Steps of a group up to one in which an instance fails, which is left in `next`; their number.
struct Advance<'a, M: ClosedForm, const N: usize> {
    group: &'a mut Group<M, N>,
    models: &'a [M],
    stages: &'a [Stage; STAGES],
    dt: f64,
    steps: u64,
}

impl<M: ClosedForm, const N: usize> pulp::NullaryFnOnce for Advance<'_, M, N> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let Self { group, models, stages, dt, steps } = self;
        let mut state = group.state;
        for done in 0..steps {
            let next = group.step(models, stages, dt, &state);
            if group.failed(&next).into_iter().fold(false, |any, failed| any | failed) {
                (group.state, group.next) = (state, next);
                return done;
            }
            state = next;
        }
        group.state = state;
        steps
    }
}
