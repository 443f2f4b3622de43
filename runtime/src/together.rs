//! Instances of one model that advance together: explicit Runge-Kutta schemes with fixed steps, in lanes.
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

/// N instances, and room for a step.
struct Group<M: ClosedForm, const N: usize> {
    constants: M::Constants<Lanes<N>>,
    state: Point<N>,
    stage: Point<N>,
    next: Point<N>,
    rates: Vec<Point<N>>,
    inputs: Vec<Lanes<N>>,
    input: Vec<f64>,
    /// Lanes whose values no longer count: those of failed instances, and those beyond the last one.
    is_idle: [bool; N],
}

#[derive(Clone)]
struct Point<const N: usize> {
    t: Lanes<N>,
    q: Vec<Lanes<N>>,
    v: Vec<Lanes<N>>,
    a: Vec<Lanes<N>>,
}

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
        let tableau = tables::runge_kutta4();
        let processor = pulp::Arch::new();
        for (k, group) in self.groups.iter_mut().enumerate() {
            let models = &self.instances[N * k..self.instances.len().min(N * (k + 1))];
            let mut left = steps;
            while left > 0 && group.is_idle.contains(&false) {
                left -= processor.dispatch(Advance { group, models, tableau: &tableau, dt, steps: left });
                if left > 0 {
                    for i in group.failed_lanes() {
                        let state = group.state_of(i);
                        let error = StepError::NotFinite { t: state.t, scheme: scheme.clone(), iteration: 0 };
                        self.failures[N * k + i] = Some((state, error));
                        group.is_idle[i] = true;
                    }
                    std::mem::swap(&mut group.state, &mut group.next);
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
        let vector = |n: usize, value: &dyn Fn(&State) -> &[f64]| -> Vec<Lanes<N>> {
            (0..n).map(|k| lanes(&|i| value(&starts[i])[k])).collect()
        };
        let dims = models[0].dims();
        let rows: Vec<Vec<f64>> = models.iter().map(M::parameters_in_lanes).collect();
        let parameters: Vec<Lanes<N>> =
            (0..rows[0].len()).map(|k| Lanes(std::array::from_fn(|i| rows[i.min(last)][k]))).collect();
        let n_inputs = models[0].describe().inputs.len();
        let state = Point {
            t: lanes(&|i| starts[i].t),
            q: vector(dims.nq, &|state| state.q.as_slice()),
            v: vector(dims.nv, &|state| state.v.as_slice()),
            a: vec![Lanes([0.0; N]); dims.nv],
        };
        let mut group = Self {
            constants: M::constants_in_lanes(&parameters),
            stage: state.clone(),
            next: state.clone(),
            rates: vec![state.clone(); tables::runge_kutta4().stages()],
            state,
            inputs: vec![Lanes([0.0; N]); n_inputs],
            input: vec![0.0; n_inputs],
            is_idle,
        };
        std::mem::swap(&mut group.stage, &mut group.state);
        group.accelerate(models);
        std::mem::swap(&mut group.stage, &mut group.state);
        group
    }

    /// The accelerations of `stage`.
    #[inline(always)]
    fn accelerate(&mut self, models: &[M]) {
        let stage = &mut self.stage;
        if !self.inputs.is_empty() {
            for i in 0..N {
                models[i.min(models.len() - 1)].input_values(stage.t.0[i], &mut self.input);
                self.inputs.iter_mut().zip(&self.input).for_each(|(lanes, value)| lanes.0[i] = *value);
            }
        }
        M::acceleration_in_lanes(&self.constants, stage.t, &self.inputs, &stage.q, &stage.v, &mut stage.a);
    }

    /// `next` ← the state one step later, in the order of operations of a single run.
    #[inline(always)]
    fn step(&mut self, models: &[M], tableau: &Tableau, dt: f64) {
        let lanes = Lanes::<N>::from_f64;
        copy(&self.state, &mut self.stage);
        copy(&self.state, &mut self.next);
        for index in 0..tableau.stages() {
            if index > 0 {
                self.stage.t = self.state.t + lanes(dt * tableau.nodes[index]);
                self.stage.q.copy_from_slice(&self.state.q);
                self.stage.v.copy_from_slice(&self.state.v);
                for (known, &factor) in self.rates[..index].iter().zip(&tableau.matrix[index]) {
                    if factor != 0.0 {
                        let factor = lanes(dt * factor);
                        axpy(factor, &known.v, &mut self.stage.q);
                        axpy(factor, &known.a, &mut self.stage.v);
                    }
                }
                self.accelerate(models);
            }
            let weight = lanes(dt * tableau.weights[index]);
            axpy(weight, &self.stage.v, &mut self.next.q);
            axpy(weight, &self.stage.a, &mut self.next.v);
            self.rates[index].v.copy_from_slice(&self.stage.v);
            self.rates[index].a.copy_from_slice(&self.stage.a);
        }
        self.next.t = self.state.t + lanes(dt);
        std::mem::swap(&mut self.stage, &mut self.next);
        self.accelerate(models);
        std::mem::swap(&mut self.stage, &mut self.next);
    }

    /// Lanes of instances in which `next` is not finite.
    #[inline(always)]
    fn failed(&self) -> [bool; N] {
        // 0 x is zero or undefined.
        let zero = Lanes([0.0; N]);
        let Point { t, q, v, a } = &self.next;
        let sum = [q, v, a].into_iter().flatten().fold(zero * *t, |sum, x| sum + zero * *x);
        let mut failed = [false; N];
        for i in 0..N {
            failed[i] = sum.0[i].is_nan() & !self.is_idle[i];
        }
        failed
    }

    fn failed_lanes(&self) -> impl Iterator<Item = usize> + use<M, N> {
        self.failed().into_iter().enumerate().filter_map(|(i, failed)| failed.then_some(i))
    }

    fn state_of(&self, lane: usize) -> State {
        let vector = |values: &[Lanes<N>]| values.iter().map(|x| x.0[lane]).collect::<Vec<_>>().into();
        let Point { t, q, v, a } = &self.state;
        State { t: t.0[lane], q: vector(q), v: vector(v), a: vector(a), lambda: Vec::new().into() }
    }
}

#[inline(always)]
fn axpy<const N: usize>(factor: Lanes<N>, x: &[Lanes<N>], y: &mut [Lanes<N>]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y = factor * *x + *y);
}

#[inline(always)]
fn copy<const N: usize>(from: &Point<N>, to: &mut Point<N>) {
    to.t = from.t;
    to.q.copy_from_slice(&from.q);
    to.v.copy_from_slice(&from.v);
    to.a.copy_from_slice(&from.a);
}

/// Steps of a group up to one in which an instance fails, which is left in `next`; their number.
struct Advance<'a, M: ClosedForm, const N: usize> {
    group: &'a mut Group<M, N>,
    models: &'a [M],
    tableau: &'a Tableau,
    dt: f64,
    steps: u64,
}

impl<M: ClosedForm, const N: usize> pulp::NullaryFnOnce for Advance<'_, M, N> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        for done in 0..self.steps {
            self.group.step(self.models, self.tableau, self.dt);
            if self.group.failed().into_iter().fold(false, |any, failed| any | failed) {
                return done;
            }
            std::mem::swap(&mut self.group.state, &mut self.group.next);
        }
        self.steps
    }
}
