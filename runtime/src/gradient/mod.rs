//! Slopes of whole motions: forward sensitivities, and gradients of objectives by the adjoint of the discrete equations.
//!
//! What is differentiated are the numbers that a scheme computes with the steps that it takes, with equations solved
//! exactly, not the motion that they approximate (a discrete adjoint). So slopes agree to rounding with those of the
//! computed results where the tolerance of Newton's method is tight, however long the steps are.
//!
//! A scheme writes what a step does to small changes as linear operations, see [`crate::tangent`]; sensitivities evaluate
//! them step by step, a gradient keeps them and evaluates them backwards. Changes of coordinates are along the velocities,
//! `δq = N ξ`: turns in body axes where velocities are angular ones.

mod course;
mod direction;
mod error;
mod outputs;
mod repeats;
mod start;

use nalgebra::{DMatrix, DVector};

use crate::consistent::initial_state;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::redundancy::redundant_constraints;
use crate::scheme::{ConstraintLevel, Options, Scheme, Stepper};
use crate::tangent::{Bundle, Operations, Outside, Player, STATE, StepMap, Wanted};

pub use direction::Direction;
pub use error::GradientError;

use course::Course;
use direction::{Backwards, Forwards};
use outputs::Outputs;
use repeats::for_each_from_the_end;
use start::Start;

/// A motion whose slopes are wanted: a model, a scheme, and equal steps.
///
/// # Examples
/// A block on a spring, from rest at 1 m: q = cos(ω t) with ω² = k/m, so ∂q/∂k = −t sin(ω t) / (2 m ω).
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         param mass = 1 kg;
/// #         param stiffness = 4 N/m;
/// #         body block { mass: mass, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: stiffness }
/// #         initial rail.displacement = 1 m;
/// #         output x = rail.displacement;
/// #         differentiate mass, stiffness;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::gradient::{Instant, Slopes, Differentiated};
/// use hamel::schemes::RungeKutta;
///
/// let model = Oscillator::default();
/// let end = |instant: &Instant, slopes: &mut Slopes| {
///     if instant.is_end {
///         slopes.outputs[0] = 1.0;
///         return instant.outputs[0];
///     }
///     0.0
/// };
/// let gradient = Differentiated::new(&model, &RungeKutta).step(1e-3).until(1.0).gradient(&end)?;
/// assert!((gradient.value - 2_f64.cos()).abs() < 1e-12);
/// let exact = -2_f64.sin() / 4.0;
/// assert!((gradient.parameters[1] - exact).abs() < 1e-12);
/// assert!((gradient.parameters[0] + 4.0 * exact).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Differentiated<'m> {
    model: &'m dyn Model,
    scheme: &'m dyn Scheme,
    options: Options,
    step: f64,
    until: f64,
    instants: Vec<f64>,
    /// Whether a single step leads to each of the instants.
    are_chosen: bool,
    start: Option<State>,
    checkpoints: Option<usize>,
    has_impacts: bool,
}

/// Name of a scheme of fourth order that has slopes for a model, and its options: `runge_kutta`, or `esdirk436` with
/// constraints on velocities where rotations have angular velocities.
pub fn suitable_scheme(model: &dyn Model) -> (&'static str, Options) {
    let is_turning = |block: &Block| block.turn().is_some();
    match model.describe().blocks.iter().any(is_turning) {
        false => ("runge_kutta", Options::default()),
        true => {
            let level = Some(ConstraintLevel::Velocity);
            ("esdirk436", Options { constraint_level: level, ..Options::default() })
        }
    }
}

/// Small changes of a state, one column for each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// Of coordinates, along the velocities, `[nv × k]`.
    pub position: DMatrix<f64>,
    /// Of velocities, `[nv × k]`.
    pub velocity: DMatrix<f64>,
    /// Of accelerations, `[nv × k]`.
    pub acceleration: DMatrix<f64>,
    /// Of multipliers, `[nc × k]`.
    pub multipliers: DMatrix<f64>,
    /// Of outputs, `[outputs × k]`.
    pub outputs: DMatrix<f64>,
}

impl Changes {
    fn new(model: &dyn Model, count: usize) -> Self {
        let (dims, ny) = (model.dims(), model.describe().outputs.len());
        let [position, velocity, acceleration, multipliers, outputs] =
            [dims.nv, dims.nv, dims.nv, dims.nc, ny].map(|rows| DMatrix::zeros(rows, count));
        Self { position, velocity, acceleration, multipliers, outputs }
    }

    fn take(&mut self, carried: &[Bundle], outputs: &Bundle) {
        let Self { position, velocity, acceleration, multipliers, outputs: of_outputs } = self;
        for (matrix, bundle) in [position, velocity, acceleration, multipliers].into_iter().zip(carried) {
            bundle.write_columns(matrix);
        }
        outputs.write_columns(of_outputs);
    }
}

/// More steps than these do not fit into memory.
const MOST_STEPS: f64 = 1e8;

/// An instant of a motion, for an [`Objective`].
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The state.
    pub state: &'a State,
    /// The outputs, `[outputs]`.
    pub outputs: &'a [f64],
    /// Number of the step that ends here; zero at the start.
    pub step: usize,
    /// Whether the motion ends here.
    pub is_end: bool,
    /// Weight of this instant in an integral over time by the trapezoidal rule, s.
    pub weight: f64,
}

/// Slopes of what an instant adds to an objective; zero unless they are set.
#[derive(Clone, Debug, PartialEq)]
pub struct Slopes {
    /// By coordinates, along the velocities, `[nv]`.
    pub position: DVector<f64>,
    /// By velocities, `[nv]`.
    pub velocity: DVector<f64>,
    /// By accelerations, `[nv]`.
    pub acceleration: DVector<f64>,
    /// By multipliers, `[nc]`.
    pub multipliers: DVector<f64>,
    /// By outputs, `[outputs]`.
    pub outputs: DVector<f64>,
}

impl Slopes {
    fn new(model: &dyn Model) -> Self {
        let (dims, ny) = (model.dims(), model.describe().outputs.len());
        let [position, velocity, acceleration, multipliers, outputs] =
            [dims.nv, dims.nv, dims.nv, dims.nc, ny].map(DVector::zeros);
        Self { position, velocity, acceleration, multipliers, outputs }
    }

    fn clear(&mut self) {
        let Self { position, velocity, acceleration, multipliers, outputs } = self;
        [position, velocity, acceleration, multipliers, outputs].into_iter().for_each(|slope| slope.fill(0.0));
    }
}

/// A number that judges a motion, as a sum over its instants.
pub trait Objective {
    /// What an instant adds, and the slopes of that.
    fn add(&self, instant: &Instant<'_>, slopes: &mut Slopes) -> f64;
}

impl<F: Fn(&Instant<'_>, &mut Slopes) -> f64> Objective for F {
    fn add(&self, instant: &Instant<'_>, slopes: &mut Slopes) -> f64 {
        self(instant, slopes)
    }
}

/// An objective and its slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct Gradient {
    /// The objective.
    pub value: f64,
    /// By the parameters of [`ModelInfo::differentiated`](crate::model::ModelInfo::differentiated); by way of the initial
    /// conditions too, unless the start was given.
    pub parameters: Vec<f64>,
    /// By the coordinates of the start, along the velocities, `[nv]`. With constraints only their changes along the
    /// constraints mean something.
    pub position: Vec<f64>,
    /// By the velocities of the start, `[nv]`.
    pub velocity: Vec<f64>,
    /// By the values of inputs at times at which the motion reads them, input by input: pairs of time, s, and slope, in the
    /// order of time. Those of a table follow by the weights of its samples, see [`Gradient::of_samples`].
    pub inputs: Vec<Vec<(f64, f64)>>,
    /// The state at the end.
    pub end: State,
}

impl Gradient {
    /// Slopes by the samples of an input that is a table, see [`Signal::sampled`](crate::Signal::sampled): linear between
    /// these ascending times, s, and constant outside.
    pub fn of_samples(&self, input: usize, times: &[f64]) -> Vec<f64> {
        let mut slopes = vec![0.0; times.len()];
        for &(t, slope) in self.inputs.get(input).into_iter().flatten() {
            for (sample, weight) in direction::weights(times, t) {
                slopes[sample] += weight * slope;
            }
        }
        slopes
    }
}

impl<'m> Differentiated<'m> {
    /// Steps of 1 ms up to 1 s, from the initial conditions of the model.
    pub fn new(model: &'m dyn Model, scheme: &'m dyn Scheme) -> Self {
        Self {
            model,
            scheme,
            options: Options::default(),
            step: 1e-3,
            until: 1.0,
            instants: Vec::new(),
            are_chosen: false,
            start: None,
            checkpoints: None,
            has_impacts: false,
        }
    }

    /// Length of the steps, s; the last one is shorter where they do not fit.
    pub fn step(self, step: f64) -> Self {
        Self { step, ..self }
    }

    /// Time of the end, s.
    pub fn until(self, until: f64) -> Self {
        Self { until, ..self }
    }

    /// Ascending times, s, at which a step shall end, as those of measurements: between them steps are equal, and none is
    /// longer than that of [`step`](Self::step). Those before the start are passed over.
    pub fn meeting(self, instants: Vec<f64>) -> Self {
        Self { instants, are_chosen: false, ..self }
    }

    /// One step to each of these ascending times, s, up to the last of them: those of a run that chose its steps, in place of
    /// [`step`](Self::step) and [`until`](Self::until). The times stay what they are as parameters change.
    ///
    /// # Examples
    /// The example of [`Differentiated`], with steps chosen by the error of each.
    ///
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
    /// #         differentiate stiffness;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::gradient::{Differentiated, Direction};
    /// use hamel::{Simulation, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("dormand_prince", &[])?;
    /// let run = Simulation::new(&model, &*scheme).tolerance(1e-9).until(1.0).run(initial_state(&model)?);
    /// run.outcome?;
    /// let motion = Differentiated::new(&model, &*scheme).through(run.trajectory.times().collect());
    /// let (mut steps, mut slope) = (0, 0.0);
    /// motion.sensitivities(&[Direction::Parameter(0)], &mut |_, changes| {
    ///     (steps, slope) = (steps + 1, changes.position[0]);
    /// })?;
    /// assert_eq!(steps, run.trajectory.len());
    /// assert!((slope + 2_f64.sin() / 4.0).abs() < 1e-7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn through(self, times: Vec<f64>) -> Self {
        Self { instants: times, are_chosen: true, ..self }
    }

    /// Options of the scheme. Slopes are as exact as equations are solved.
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Accepts impacts: they stay at the ends of the steps in which contacts closed. An impact of the motion itself comes
    /// earlier or later as parameters change, which these slopes do not know; without this, a motion with impacts has none.
    pub fn with_impacts(self) -> Self {
        Self { has_impacts: true, ..self }
    }

    /// A start that does not depend on parameters, in place of the initial conditions of the model; its accelerations and
    /// multipliers are found from it.
    pub fn from(self, start: State) -> Self {
        Self { start: Some(start), ..self }
    }

    /// The motion alone: `visit` is given each state, from the start on. They are those of the motion with slopes.
    ///
    /// # Errors
    /// See [`GradientError`].
    pub fn states(&self, visit: &mut dyn FnMut(&State)) -> Result<(), GradientError> {
        let mut way = self.way(self.first()?)?;
        visit(way.state());
        while way.advance()?.is_some() {
            visit(way.state());
        }
        Ok(())
    }

    /// Memory of a gradient: so many copies of what the scheme carries from step to step, and what one step does to changes,
    /// in place of what every step does. At least one copy is kept, of the start; steps are made again from the copies, in all
    /// so often: with n copies a motion of (n + r)! / (n! r!) steps is made at most r times more, the least that is possible.
    /// The gradient is the same to the last digit.
    ///
    /// # Examples
    /// A thousand steps with three copies.
    ///
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
    /// #         output x = rail.displacement;
    /// #         differentiate stiffness;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::gradient::{Differentiated, Instant, Slopes};
    /// use hamel::schemes::RungeKutta;
    ///
    /// let model = Oscillator::default();
    /// let mean = |instant: &Instant, slopes: &mut Slopes| {
    ///     slopes.outputs[0] = instant.weight;
    ///     instant.weight * instant.outputs[0]
    /// };
    /// let motion = Differentiated::new(&model, &RungeKutta).step(1e-3).until(1.0);
    /// assert_eq!(motion.clone().checkpoints(3).gradient(&mean)?, motion.gradient(&mean)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn checkpoints(self, copies: usize) -> Self {
        Self { checkpoints: Some(copies), ..self }
    }

    /// How the motion answers to changes, one column for each direction: `visit` is given each state, from the start on, with
    /// its changes.
    ///
    /// # Errors
    /// See [`GradientError`].
    pub fn sensitivities(
        &self,
        directions: &[Direction],
        visit: &mut dyn FnMut(&State, &Changes),
    ) -> Result<(), GradientError> {
        directions.iter().try_for_each(|direction| direction.check(self.model))?;
        let mut motion = self.begin(directions.iter().any(Direction::is_input))?;
        let mut outside = Forwards::new(self.model, directions);
        let mut player = Player::new(self.model, motion.wanted, false);
        let mut carried = motion.start.changes(directions, &mut outside);
        let mut map = StepMap::default();
        let no_slope = |reason| GradientError::of(self.model, reason);
        for operations in &motion.first {
            player.forward(operations, &mut carried, &mut outside).map_err(no_slope)?;
        }
        let way = &mut motion.way;
        let mut outputs = Outputs::new(self.model);
        let mut changes = Changes::new(self.model, directions.len());
        loop {
            let state = way.state();
            changes.take(&carried, outputs.changes(state, &carried, &mut outside));
            visit(state, &changes);
            let Some(_) = way.advance()? else { return Ok(()) };
            way.write_map(&mut map)?;
            player.forward(&map.operations, &mut carried, &mut outside).map_err(no_slope)?;
        }
    }

    /// The objective and its gradient, by the adjoint of every step.
    ///
    /// # Errors
    /// See [`GradientError`].
    pub fn gradient(&self, objective: &dyn Objective) -> Result<Gradient, GradientError> {
        // One for each objective.
        Ok(self.gradients(&[objective])?.remove(0))
    }

    /// Several objectives of one motion and their gradients, as an objective and what it is subject to: the motion and the
    /// matrices of its steps are evaluated once.
    ///
    /// # Errors
    /// See [`GradientError`].
    pub fn gradients(&self, objectives: &[&dyn Objective]) -> Result<Vec<Gradient>, GradientError> {
        let Begun { way, start, first, wanted } = self.begin(true)?;
        let (beginning, dims, count) = (way.state().clone(), self.model.dims(), objectives.len());
        // The vectors with which the first step begins, and any other.
        let vectors = first.last().map_or(STATE.len(), |operations| operations.outputs.len());
        let rows = |k: usize| if k == 3 { dims.nc } else { dims.nv };
        let mut backward = Backward {
            of: self,
            objectives,
            player: Player::new(self.model, wanted, true),
            outside: Backwards::new(self.model, count),
            slopes: (0..vectors).map(|k| Bundle::zeros(rows(k), count)).collect(),
            outputs: Outputs::new(self.model),
            own: Slopes::new(self.model),
            values: vec![0.0; count],
            next: None,
            end: None,
        };
        for_each_from_the_end(way, self.checkpoints, &mut |step| backward.pass(step))?;
        backward.observe(&beginning, 0, None);
        let Backward { mut player, mut outside, mut slopes, values, end, .. } = backward;
        let no_slope = |reason| GradientError::of(self.model, reason);
        for operations in first.iter().rev() {
            player.backward(operations, &mut slopes, &mut outside).map_err(no_slope)?;
        }
        start.add_slopes(&slopes, &mut outside);
        let end = end.unwrap_or(beginning);
        let parameters = outside.parameters().clone();
        let gradient = |(k, (value, inputs))| Gradient {
            value,
            parameters: parameters.vector(k).collect(),
            position: slopes[0].vector(k).collect(),
            velocity: slopes[1].vector(k).collect(),
            inputs,
            end: end.clone(),
        };
        Ok(values.into_iter().zip(outside.into_inputs()).enumerate().map(gradient).collect())
    }

    /// The state at the start, with its accelerations and multipliers, of a motion that can have slopes.
    fn first(&self) -> Result<State, GradientError> {
        let model = self.model;
        let is_ascending = self.instants.windows(2).all(|pair| pair[0] < pair[1]);
        let are_finite = self.instants.iter().all(|instant| instant.is_finite());
        let are_steps = match self.are_chosen {
            true => !self.instants.is_empty(),
            false => {
                let is_step = self.step.is_finite() && self.step > 0.0;
                is_step && self.until.is_finite() && self.until <= MOST_STEPS * self.step
            }
        };
        if !are_finite || !is_ascending || !are_steps {
            return Err(GradientError::BadSteps { step: self.step, until: self.until });
        }
        let Some(state) = &self.start else { return Ok(initial_state(model)?) };
        let mut state = state.clone();
        crate::consistent::consistent_acceleration(model, &mut state)?;
        Ok(state)
    }

    /// The motion from a state on.
    fn way(&self, state: State) -> Result<Way<'_>, GradientError> {
        Ok(Way {
            course: match self.are_chosen {
                true => Course::through(state.t, &self.instants),
                false => Course::new(state.t, self.step, self.until, &self.instants),
            },
            stepper: self.scheme.start_with(self.model, state, &self.options)?,
            scheme: self.scheme,
            has_impacts: self.has_impacts,
        })
    }

    /// Checks everything, and starts the scheme.
    fn begin(&self, has_inputs: bool) -> Result<Begun<'_>, GradientError> {
        let (model, info) = (self.model, self.model.describe());
        let wanted =
            Wanted { parameters: !info.differentiated.is_empty(), inputs: has_inputs && !info.inputs.is_empty() };
        let state = self.first()?;
        if !start::has_derivatives(model, &state) {
            return Err(GradientError::NotProvided { model: info.name.clone() });
        }
        let start = match self.start {
            Some(_) => Start::given(model),
            None => Start::of_conditions(model, &state)?,
        };
        // Accelerations and multipliers of the start follow from the rest.
        let mut map = StepMap::default();
        map.begin(STATE.len());
        let point = map.accelerate(state.clone(), STATE[0], STATE[1], &redundant_constraints(model, &state));
        map.end([STATE[0], STATE[1], point.acceleration, point.multiplier]);
        let mut first = vec![core::mem::take(&mut map.operations)];
        let way = self.way(state)?;
        way.stepper.linear_start(&mut map).map_err(|reason| way.refused(reason))?;
        first.push(core::mem::take(&mut map.operations));
        Ok(Begun { way, start, first, wanted })
    }
}

/// A motion at its start.
struct Begun<'a> {
    way: Way<'a>,
    start: Start,
    /// What the start does to changes, before the first step.
    first: Vec<Operations>,
    wanted: Wanted,
}

/// A motion on its way.
struct Way<'a> {
    stepper: Box<dyn Stepper + 'a>,
    course: Course<'a>,
    scheme: &'a dyn Scheme,
    /// Whether impacts are accepted.
    has_impacts: bool,
}

impl Way<'_> {
    /// Number of impacts so far.
    fn impacts(&self) -> u64 {
        self.stepper.contacts().map_or(0, |record| record.impacts)
    }

    fn state(&self) -> &State {
        self.stepper.state()
    }

    fn refused(&self, reason: &'static str) -> GradientError {
        GradientError::Scheme { scheme: self.scheme.label(), reason }
    }

    /// Makes a step; its length, or nothing at the end.
    fn advance(&mut self) -> Result<Option<f64>, GradientError> {
        let Some(dt) = self.course.next() else { return Ok(None) };
        let before = self.impacts();
        self.stepper.step(dt)?;
        if !self.has_impacts && self.impacts() > before {
            return Err(GradientError::Impact { t: self.state().t });
        }
        Ok(Some(dt))
    }

    /// Writes what the last step did.
    fn write_map(&mut self, map: &mut StepMap) -> Result<(), GradientError> {
        self.stepper.linear_step(map).map_err(|reason| self.refused(reason))
    }

    /// Another one that goes the same way from here.
    fn fork(&self) -> Result<Self, GradientError> {
        let stepper = self.stepper.fork().ok_or_else(|| self.refused("its steps cannot be made again from copies"))?;
        Ok(Self { stepper, course: self.course.clone(), ..*self })
    }
}

/// A step that was made: what it did, where it led, its number, from one, and its length, s.
struct Made<'s> {
    operations: &'s Operations,
    state: &'s State,
    number: usize,
    dt: f64,
}

/// Gradients on their way from the end to the start.
struct Backward<'a> {
    of: &'a Differentiated<'a>,
    objectives: &'a [&'a dyn Objective],
    player: Player<'a>,
    outside: Backwards,
    /// By the vectors with which the next step to pass ends.
    slopes: Vec<Bundle>,
    outputs: Outputs<'a>,
    /// What an instant adds to those of one objective.
    own: Slopes,
    values: Vec<f64>,
    /// Length of the step that was passed last, s.
    next: Option<f64>,
    end: Option<State>,
}

impl Backward<'_> {
    fn pass(&mut self, made: Made<'_>) -> Result<(), GradientError> {
        self.observe(made.state, made.number, Some(made.dt));
        self.end.get_or_insert_with(|| made.state.clone());
        self.next = Some(made.dt);
        let passed = self.player.backward(made.operations, &mut self.slopes, &mut self.outside);
        passed.map_err(|reason| GradientError::of(self.of.model, reason))
    }

    /// An instant, at the end of a step of this length.
    fn observe(&mut self, state: &State, step: usize, dt: Option<f64>) {
        let half = |dt: Option<f64>| dt.map_or(0.0, |dt| 0.5 * dt);
        let weight = half(dt) + half(self.next);
        self.outputs.evaluate(state);
        for (k, (objective, value)) in self.objectives.iter().zip(&mut self.values).enumerate() {
            self.own.clear();
            let outputs = &self.outputs.values;
            let instant = Instant { state, outputs, step, is_end: self.next.is_none(), weight };
            *value += objective.add(&instant, &mut self.own);
            self.outputs.add_slopes(state, k, &mut self.own, &mut self.outside);
            let Slopes { position, velocity, acceleration, multipliers, .. } = &self.own;
            for (slope, own) in self.slopes.iter_mut().zip([position, velocity, acceleration, multipliers]) {
                slope.add_to(k, own.as_slice());
            }
        }
    }
}
