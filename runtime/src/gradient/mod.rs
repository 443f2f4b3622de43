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
mod slides;
mod start;
mod way;

use nalgebra::{DMatrix, DVector};

use crate::acceleration::Acceleration;
use crate::caution::Caution;
use crate::consistent::{consistent_acceleration, initial_state, state_with};
use crate::model::{Block, Model, State};
use crate::nonsmooth::InitialAcceleration;
use crate::prelude::*;
use crate::redundancy::redundant_constraints;
use crate::scheme::{ConstraintLevel, Options, Scheme, Stepper};
use crate::simulation::Simulation;
use crate::step::{Cause, StepError};
use crate::switches::{Crossed, Jumping, JumpingRates, Moved, Times, aside};
use crate::tangent::{Bundle, Operations, Outside, Player, Projected, STATE, StepMap, Target, Wanted};

pub use direction::Direction;
pub use error::GradientError;

use course::Course;
use direction::{Backwards, Forwards};
use outputs::Outputs;
use repeats::for_each_from_the_end;
use start::Start;
use way::{Done, Made, Way};

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
    start: Beginning,
    checkpoints: Option<usize>,
    impacts: Impacts,
    is_cancelled: &'m (dyn Fn() -> bool + Sync),
}

/// Where a motion starts.
#[derive(Clone)]
enum Beginning {
    /// At the initial conditions of the model.
    Conditions,
    /// At a state, whatever the parameters are.
    State(State),
    /// At the consistent state that is nearest to this one.
    Near(State),
}

/// When impacts occur in a motion whose slopes are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Impacts {
    /// At the instants at which contacts close: the step that passes one is divided there, and also one in which a rough
    /// contact stops to slide. The instant comes earlier or later as parameters change, and so slopes are those of the motion,
    /// up to the error of the steps. Schemes whose impacts are a part of their steps have none (`moreau`), and neither has a
    /// motion in which several contacts close, or stop to slide, at once.
    #[default]
    Followed,
    /// At the ends of the steps in which contacts close, as those of [`Simulation`]; they stay in these
    /// steps as parameters change. Slopes are those of the computed numbers, to rounding; those of the motion are others.
    AtEnds,
}

/// Name of a scheme that has slopes for a model, and its options: `runge_kutta`; where rotations have angular velocities
/// `esdirk436` with constraints on velocities, or `radau_iia5` if formulas give way to others, where stages beyond the ends
/// of steps lose an order; and with contacts `bathe`, with constraints on velocities too.
pub fn suitable_scheme(model: &dyn Model) -> (&'static str, Options) {
    let info = model.describe();
    let on_velocities = Options { constraint_level: Some(ConstraintLevel::Velocity), ..Options::default() };
    if !info.contacts.is_empty() {
        return ("bathe", on_velocities);
    }
    let is_turning = |block: &Block| block.turn().is_some();
    match info.blocks.iter().any(is_turning) {
        false => ("runge_kutta", Options::default()),
        true if model.n_switching_functions() > 0 || !Times::of_jumps(model).is_empty() => {
            ("radau_iia5", on_velocities)
        }
        true => ("esdirk436", on_velocities),
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
    /// Its number among those of [`Differentiated::states`], zero at the start: that of the step that ends here, and one more
    /// for each impact so far, which has one instant before it and one after it.
    pub number: usize,
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

    /// What is integrated over time by the weights of instants, before an impact and after it: one that comes later prolongs
    /// what was before. The part of [`add`](Self::add) in proportion to the weight, unless it is defined otherwise.
    fn integrand(&self, instant: &Instant<'_>, slopes: &mut Slopes) -> f64 {
        let mut of = |weight: f64| {
            slopes.clear();
            self.add(&Instant { weight, ..*instant }, slopes)
        };
        of(1.0) - of(0.0)
    }
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
            start: Beginning::Conditions,
            checkpoints: None,
            impacts: Impacts::default(),
            is_cancelled: &|| false,
        }
        .options(Options::default())
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
    pub fn options(self, mut options: Options) -> Self {
        // Slopes follow impacts step by step, and begin with accelerations that know of no contacts, whose derivatives would
        // be second ones of their directions.
        let is_followed = core::mem::take(&mut options.contacts.follow_impacts);
        options.contacts.initial_acceleration = InitialAcceleration::Free;
        let impacts = if is_followed { Impacts::Followed } else { self.impacts };
        Self { options, impacts, ..self }
    }

    /// When impacts occur; [`Impacts::Followed`] unless this says otherwise.
    ///
    /// # Examples
    /// A stone falls from the height h with g = 10 m/s², and rebounds with half of its velocity √(2 g h). It reaches the floor
    /// at √(2 h / g), so that at t its velocity is `1.5 √(2 g h) − g t`.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Drop {
    /// #         planar;
    /// #         coordinates joint;
    /// #         param height = 1 m;
    /// #         gravity [-10, 0] m/s^2;
    /// #         body stone { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint shaft: prismatic(ground, stone);
    /// #         contact floor { gap: shaft.displacement, restitution: 0.5 }
    /// #         initial shaft.displacement = height;
    /// #         differentiate height;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::gradient::{Differentiated, Direction, Impacts};
    /// use hamel::schemes;
    ///
    /// let model = Drop::default();
    /// let scheme = schemes::by_name("generalized_alpha", &[])?;
    /// let motion = Differentiated::new(&model, &*scheme).step(1e-2).until(0.8);
    /// let slope = |motion: Differentiated| {
    ///     let mut slope = 0.0;
    ///     let directions = [Direction::Parameter(0)];
    ///     motion.sensitivities(&directions, &mut |_, changes| slope = changes.velocity[0]).map(|()| slope)
    /// };
    /// assert!((slope(motion.clone())? - 1.5 * 5_f64.sqrt()).abs() < 1e-9);
    /// // Where the impact stays in its step, the stone is no faster there.
    /// assert_eq!(slope(motion.impacts(Impacts::AtEnds))?, 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn impacts(self, impacts: Impacts) -> Self {
        Self { impacts, ..self }
    }

    /// A start that does not depend on parameters, in place of the initial conditions of the model; its accelerations and
    /// multipliers are found from it.
    pub fn from(self, start: State) -> Self {
        Self { start: Beginning::State(start), ..self }
    }

    /// A start at the consistent state that is nearest to this one, see [`state_with`], in place of the
    /// initial conditions of the model: constraints that contain parameters move it, and changes of its coordinates and
    /// velocities are what constraints leave of them. For a state near to what constraints allow; slopes are exact where it is
    /// consistent.
    ///
    /// # Examples
    /// A bob on a thread of length l, from the horizontal: what is asked of it is a shift along the thread, which is not
    /// possible, but for as much as l grows.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Bob {
    /// #         planar;
    /// #         param l = 2 m;
    /// #         body bob { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint thread: distance(ground, bob) { length: l }
    /// #         initial bob.position.x = 2 m;
    /// #         differentiate l;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::gradient::{Differentiated, Direction};
    /// use hamel::{initial_state, schemes};
    ///
    /// let model = Bob::default();
    /// let scheme = schemes::by_name("generalized_alpha", &[])?;
    /// let motion = Differentiated::new(&model, &*scheme).until(0.1).near(initial_state(&model)?);
    /// let directions = [Direction::Position(0), Direction::Position(1), Direction::Parameter(0)];
    /// let mut shifts = None;
    /// motion.sensitivities(&directions, &mut |_, changes| shifts = Some(changes.position.clone()))?;
    /// let expected = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]];
    /// let shifts = shifts.ok_or("no state")?;
    /// assert!((0..2).all(|i| (0..3).all(|k| (shifts[(i, k)] - expected[i][k]).abs() < 1e-9)), "{shifts}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn near(self, start: State) -> Self {
        Self { start: Beginning::Near(start), ..self }
    }

    /// The motion alone: `visit` is given each state, from the start on. They are those of the motion with slopes; an impact
    /// that is followed has two of one time, before it and after it.
    ///
    /// # Errors
    /// See [`GradientError`].
    pub fn states(&self, visit: &mut dyn FnMut(&State)) -> Result<(), GradientError> {
        let mut way = self.way(self.first()?)?;
        visit(way.state());
        while way.advance()?.is_some() {
            way.before_impact().into_iter().for_each(&mut *visit);
            visit(way.state());
        }
        Ok(())
    }

    /// What a run with steps as long as the longest of these would caution, which slopes of its motion do not tell; it costs
    /// such a run. Of a motion [through](Self::through) chosen times the run that chose them has said it. And parameters that
    /// move a time at which the equations of motion jump, as in `if time < t1`, and states that do, as in `if x < x1`: slopes
    /// leave that out.
    ///
    /// # Errors
    /// See [`GradientError`].
    ///
    /// # Examples
    /// Steps that are too long for a spring.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::gradient::Differentiated;
    /// use hamel::{Caution, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("bathe", &[])?;
    /// let motion = Differentiated::new(&model, &*scheme).until(20.0);
    /// assert!(matches!(motion.clone().step(0.5).cautions()?[..], [Caution::EnergyLost { .. }]));
    /// assert!(motion.step(0.01).cautions()?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn cautions(&self) -> Result<Vec<Caution>, GradientError> {
        let start = self.first()?;
        let mut moved = Moved::new(self.model, start.t, self.until);
        let mut crossed = Crossed::new(self.model, &start);
        let mut way = self.way(start.clone())?;
        let mut pass = |state: &State, is_followed: bool| {
            moved.iter_mut().for_each(|moved| moved.pass(state, is_followed));
            crossed.pass(state, is_followed);
        };
        pass(way.state(), false);
        let mut is_divided = false;
        while way.advance()?.is_some() {
            way.before_impact().into_iter().for_each(|before| pass(before, false));
            pass(way.state(), way.has_crossed());
            is_divided |= way.has_crossed();
        }
        let said = moved.map_or_else(Vec::new, Moved::cautions);
        let stays = way.stays.map(|t| Caution::Crossed { t });
        let mut said = [said, crossed.caution().or(stays).into_iter().collect()].concat();
        if is_divided && crate::schemes::has_stages_beyond(self.scheme) {
            said.push(Caution::Scheme(
                "a stage of it lies beyond the ends of steps, also of those that end where the motion crosses a border at which \
                 forces jump, so that slopes have first order there; take another scheme, such as `radau_iia5`",
            ));
        }
        if self.are_chosen {
            return Ok(said);
        }
        let mut course = Course::new(self.beginning(), self.step, self.until, &self.instants);
        let longest = core::iter::from_fn(|| course.next()).fold(0.0, f64::max);
        if longest == 0.0 {
            return Ok(said);
        }
        let mut options = self.options;
        options.contacts.follow_impacts =
            self.impacts == Impacts::Followed && !self.model.describe().contacts.is_empty();
        let simulation = Simulation::new(self.model, self.scheme).options(options).step(longest).until(self.until);
        let run = simulation.run(start);
        // Equal steps may find no solution where formulas jump within one, which the motion divides there, or gain energy.
        let passes_jump = |error: &StepError| match error {
            StepError::NotConverged { cause: Cause::Jump { .. }, .. } => true,
            StepError::EnergyGained { .. } | StepError::NotConverged { .. } => is_divided,
            _ => false,
        };
        if let Err(error) = run.outcome
            && (self.model.n_switching_functions() == 0 || !passes_jump(&error))
        {
            return Err(error.into());
        }
        let belongs_to_motion = |caution: &Caution| match caution {
            // Those steps are divided.
            Caution::Jumped { .. } | Caution::JumpedAtBorder { .. } => self.impacts == Impacts::AtEnds,
            Caution::EnergyGained { .. }
            | Caution::EnergyLost { .. }
            | Caution::EnergyUnresolved { .. }
            | Caution::EnergyWavered { .. } => !is_divided,
            _ => true,
        };
        Ok(run.cautions.into_iter().filter(belongs_to_motion).chain(said).collect())
    }

    /// Asked before each step, also of those that are made again: a motion that is cancelled ends with
    /// [`StepError::Cancelled`].
    pub fn cancelled_by(self, is_cancelled: &'m (dyn Fn() -> bool + Sync)) -> Self {
        Self { is_cancelled, ..self }
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
    /// its changes at this time. An impact that is followed has two states of one time, before it and after it.
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
        let mut done = Done::default();
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
            way.write(&mut done)?;
            player.forward(&done.step, &mut carried, &mut outside).map_err(no_slope)?;
            if let (Some(before), Some(state)) = (done.step.impact, way.before_impact()) {
                let point = before.point.map(|register| player.register(register).clone());
                changes.take(&point, outputs.changes(state, &point, &mut outside));
                visit(state, &changes);
            }
            for operations in &done.renewed {
                player.forward(operations, &mut carried, &mut outside).map_err(no_slope)?;
            }
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
        let vectors = first[1].outputs.len();
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
            before: core::array::from_fn(|k| Bundle::zeros(if k == 4 { 1 } else { rows(k) }, count)),
            next: None,
            end: None,
        };
        for_each_from_the_end(way, self.checkpoints, &mut |step| backward.pass(step))?;
        backward.observe(&beginning, 0, None, None);
        let Backward { mut player, mut outside, mut slopes, values, end, .. } = backward;
        let no_slope = |reason| GradientError::of(self.model, reason);
        for operations in first.iter().rev() {
            player.backward(operations, &mut slopes, &mut outside, None).map_err(no_slope)?;
        }
        start.add_slopes(&mut slopes, &mut outside);
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
            true => self.instants.first().is_some_and(|first| *first >= self.beginning() - aside(self.beginning())),
            false => {
                let is_step = self.step.is_finite() && self.step > 0.0;
                is_step && (self.beginning()..=MOST_STEPS * self.step).contains(&self.until)
            }
        };
        if !are_finite || !is_ascending || !are_steps {
            return Err(GradientError::BadSteps { step: self.step, until: self.until });
        }
        let mut state = match &self.start {
            Beginning::Conditions => initial_state(model)?,
            Beginning::Near(state) => state_with(model, state, &[], &[])?,
            Beginning::State(state) => state.clone(),
        };
        // A motion has the forces behind a jump at its start.
        let has_jumped = Times::of_jumps(model).is_at(state.t) && Jumping::new(model).at(model, state.t, &state);
        if has_jumped {
            let mut system = Acceleration::new(model, self.scheme.label());
            let behind = state.t + aside(state.t);
            let has_contacts = !model.describe().contacts.is_empty();
            if JumpingRates::new(model).pass(&mut system, &mut state, behind, has_contacts)?.is_some() {
                return Err(self.refused("the speed of a drive jumps at its start; begin it barely later"));
            }
        }
        if has_jumped || matches!(self.start, Beginning::State(_)) {
            consistent_acceleration(model, &mut state)?;
        }
        Ok(state)
    }

    /// When it begins, s.
    fn beginning(&self) -> f64 {
        match &self.start {
            Beginning::Conditions => 0.0,
            Beginning::Near(state) | Beginning::State(state) => state.t,
        }
    }

    /// The motion from a state on.
    fn way(&self, state: State) -> Result<Way<'_>, GradientError> {
        let stepper = self.scheme.start_with(self.model, state, &self.options)?;
        let is_followed = self.impacts == Impacts::Followed && stepper.contacts().is_some();
        let t = self.beginning();
        let course = match self.are_chosen {
            true => Course::through(t, &self.instants),
            false => Course::new(t, self.step, self.until, &self.instants),
        };
        Ok(Way::new(self, stepper, course, is_followed))
    }

    /// Accelerations and multipliers of a state, which follow from the rest, and what a scheme that starts there carries;
    /// velocities, too, that constraints have just changed.
    fn started(&self, stepper: &dyn Stepper, change: Option<&DVector<f64>>) -> Result<[Operations; 2], GradientError> {
        let (model, state) = (self.model, stepper.state());
        let left_out = redundant_constraints(model, state);
        let mut map = StepMap::default();
        map.begin(STATE.len());
        let [position, mut velocity, ..] = STATE;
        if let Some(change) = change {
            [velocity, _] = map.project(Projected {
                metric: State { v: &state.v - change, ..state.clone() },
                metric_position: position,
                target: Target::Velocities { position, velocity },
                by: change.as_slice().to_vec(),
                after: state.clone(),
                left_out: left_out.clone(),
            });
        }
        let point = map.accelerate(state.clone(), position, velocity, &left_out);
        map.end([position, velocity, point.acceleration, point.multiplier]);
        let accelerations = core::mem::take(&mut map.operations);
        stepper.linear_start(&mut map).map_err(|reason| self.refused(reason))?;
        Ok([accelerations, map.operations])
    }

    fn refused(&self, reason: &'static str) -> GradientError {
        GradientError::Scheme { scheme: self.scheme.label(), reason }
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
        let start = match &self.start {
            Beginning::State(_) => Start::given(model),
            Beginning::Near(_) => Start::nearest(model, &state)?,
            Beginning::Conditions => Start::of_conditions(model, &state)?,
        };
        let way = self.way(state)?;
        let first = self.started(&*way.stepper, None)?;
        Ok(Begun { way, start, first, wanted })
    }
}

/// A motion at its start.
struct Begun<'a> {
    way: Way<'a>,
    start: Start,
    /// What the start does to changes, before the first step.
    first: [Operations; 2],
    wanted: Wanted,
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
    /// By what was before the impact of the step to pass: its state, and its instant.
    before: [Bundle; 5],
    /// Length of the step that was passed last, s.
    next: Option<f64>,
    end: Option<State>,
}

impl Backward<'_> {
    fn pass(&mut self, made: Made<'_>) -> Result<(), GradientError> {
        let Made { done, state, before, number, dt } = made;
        self.observe(state, number, before.is_none().then_some(dt), None);
        self.end.get_or_insert_with(|| state.clone());
        if let Some(before) = before {
            self.next = Some(0.0);
            self.observe(before, number - 1, Some(dt), Some(state));
        }
        self.next = Some(dt);
        let Self { player, slopes, outside, .. } = self;
        let no_slope = |reason| GradientError::of(self.of.model, reason);
        for operations in done.renewed.iter().rev() {
            player.backward(operations, slopes, outside, None).map_err(no_slope)?;
        }
        player.backward(&done.step, slopes, outside, before.map(|_| &self.before)).map_err(no_slope)
    }

    /// An instant, at the end of a step of this length, or before an impact that leads to a state.
    fn observe(&mut self, state: &State, number: usize, dt: Option<f64>, after: Option<&State>) {
        let half = |dt: Option<f64>| dt.map_or(0.0, |dt| 0.5 * dt);
        let weight = half(dt) + half(self.next);
        let is_end = self.next.is_none();
        let of_slopes = if after.is_some() { &mut self.before[..] } else { &mut self.slopes[..] };
        if after.is_some() {
            of_slopes.iter_mut().for_each(|slope| slope.values_mut().fill(0.0));
        }
        for (k, (objective, value)) in self.objectives.iter().zip(&mut self.values).enumerate() {
            if let Some(after) = after {
                self.outputs.evaluate(after);
                let instant =
                    Instant { state: after, outputs: &self.outputs.values, number: number + 1, is_end, weight };
                let integrand = objective.integrand(&instant, &mut self.own);
                of_slopes[4].values_mut()[k] -= integrand;
            }
            self.outputs.evaluate(state);
            let instant = Instant { state, outputs: &self.outputs.values, number, is_end, weight };
            if after.is_some() {
                of_slopes[4].values_mut()[k] += objective.integrand(&instant, &mut self.own);
            }
            self.own.clear();
            *value += objective.add(&instant, &mut self.own);
            self.outputs.add_slopes(state, k, &mut self.own, &mut self.outside);
            let Slopes { position, velocity, acceleration, multipliers, .. } = &self.own;
            for (slope, own) in of_slopes.iter_mut().zip([position, velocity, acceleration, multipliers]) {
                slope.add_to(k, own.as_slice());
            }
        }
    }
}
