//! Simulation of a motion over an interval of time: steps, events, controllers, recording.

#[cfg(feature = "simd")]
mod abreast;
mod controller;
mod driver;
#[cfg(feature = "simd")]
mod lanes;
mod motion;
mod steps;

#[cfg(feature = "std")]
use core::any::Any;
use core::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "std")]
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::adaptive::Control;
use crate::caution::Caution;
use crate::events::{Event, Occurrence};
use crate::known::Known;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::recorder::Recorder;
use crate::scheme::{Options, Scheme};
use crate::signal::Held;
use crate::start::check_start;
use crate::step::{StepError, StepStats};
use crate::trajectory::Trajectory;
use crate::undefined::blame;
use crate::watchers::Watchers;

use controller::{Controller, Controllers};
use driver::Driver;

pub use driver::Division;
#[cfg(feature = "simd")]
pub use lanes::{abreast, runs_abreast, together};
pub use motion::Motion;
pub use steps::Steps;

/// Results of a simulation, and how it ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// Everything recorded until the end or the failure.
    pub trajectory: Trajectory,
    /// The total cost, or why the simulation stopped early.
    pub outcome: Result<StepStats, StepError>,
    /// Warnings about the results, in the order in which they were found.
    pub cautions: Vec<Caution>,
    /// The events that occurred, in ascending order of time.
    pub occurrences: Vec<Occurrence>,
    /// Number of accepted steps.
    pub accepted: u64,
    /// Number of rejected steps, whose error was too large or which had no solution; zero with fixed steps.
    pub rejected: u64,
}

/// Description of a simulation, in the style of a builder; [`Simulation::run`] executes it.
///
/// # Examples
/// ```
/// use hamel::schemes::RungeKutta;
/// use hamel::{Simulation, initial_state};
///
/// hamel::multibody! {
///     model Pendulum {
///         planar;
///         coordinates joint;
///         gravity [0, -9.81] m/s^2;
///         body bob { mass: 1 kg, inertia: 0.1 kg m^2 }
///         joint hinge: revolute(ground, bob at [-0.5, 0] m);
///     }
/// }
///
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let model = Pendulum::default();
///     let start = initial_state(&model)?;
///     let run = Simulation::new(&model, &RungeKutta).step(1e-3).until(2.0).record_every(10).run(start);
///     run.outcome?;
///     assert_eq!(run.trajectory.len(), 201);
///     let lowest = run.trajectory.column("hinge.angle")?.fold(0.0, f64::min);
///     assert!((lowest + std::f64::consts::PI).abs() < 1e-3);
///     Ok(())
/// }
/// ```
pub struct Simulation<'a> {
    model: &'a dyn Model,
    scheme: &'a dyn Scheme,
    options: Options,
    steps: Option<Steps>,
    until: Option<f64>,
    record_every: usize,
    events: Vec<Event<'a>>,
    controllers: Vec<Controller<'a>>,
    on_step: Option<Box<dyn FnMut(&State) + 'a>>,
    reduce: Option<Box<dyn FnMut(&[f64]) + 'a>>,
    on_progress: Option<Box<dyn FnMut(f64) + 'a>>,
    cancelled_by: Option<&'a AtomicBool>,
    max_steps: u64,
}

impl<'a> Simulation<'a> {
    /// A simulation of a model by a scheme. The end ([`until`](Self::until)) and the step size ([`step`](Self::step),
    /// [`tolerance`](Self::tolerance) or [`control`](Self::control)) are required.
    ///
    /// # Examples
    /// A mass of 1 kg on a spring of 4 N/m, from rest at 1 m: q = cos 2t.
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
    /// use hamel::{Simulation, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("generalized_alpha", &[])?;
    /// let run = Simulation::new(&model, &*scheme).step(1e-3).until(1.0).run(initial_state(&model)?);
    /// run.outcome?;
    /// let reached = run.trajectory.column("rail.displacement")?.next_back();
    /// assert!(reached.is_some_and(|q| (q - 2_f64.cos()).abs() < 1e-5));
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(model: &'a dyn Model, scheme: &'a dyn Scheme) -> Self {
        Self {
            model,
            scheme,
            options: Options::default(),
            steps: None,
            until: None,
            record_every: 1,
            events: Vec::new(),
            controllers: Vec::new(),
            on_step: None,
            reduce: None,
            on_progress: None,
            cancelled_by: None,
            max_steps: u64::MAX,
        }
    }

    /// Fixed steps of this length, s. If it divides the interval up to rounding, all steps are equal; otherwise the
    /// last one is shorter. Replaces a tolerance.
    ///
    /// # Examples
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let run = Simulation::new(&model, &RungeKutta).step(0.3).until(1.0).run(initial_state(&model)?);
    /// run.outcome?;
    /// let times: Vec<f64> = run.trajectory.times().collect();
    /// assert_eq!(times.len(), 5);
    /// assert!(times.iter().zip([0.0, 0.3, 0.6, 0.9, 1.0]).all(|(found, expected)| (found - expected).abs() < 1e-14));
    /// # Ok(())
    /// # }
    /// ```
    pub fn step(self, length: f64) -> Self {
        self.steps(Steps::Fixed(length))
    }

    /// Step size control with this relative and absolute tolerance, for schemes that estimate their error (`radau_iia5`,
    /// `dormand_prince`, `esdirk325`, `generalized_alpha` and others, see [`Scheme::estimates_errors`]). Replaces a fixed
    /// step, and imposes constraints on velocities unless the options say otherwise.
    ///
    /// Models with contacts need fixed steps, because no estimate sees their impacts. A pulse of an input that is shorter
    /// than a step can be missed; bound the steps by [`Control::longest_step`] then.
    ///
    /// # Examples
    /// A mass of 1 kg on a spring of 4 N/m, from rest at 1 m: q = cos 2t.
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
    /// use hamel::{Simulation, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("esdirk436", &[])?;
    /// let run = Simulation::new(&model, &*scheme).tolerance(1e-8).until(5.0).run(initial_state(&model)?);
    /// run.outcome?;
    /// assert_eq!(run.trajectory.len() as u64, run.accepted + 1);
    /// for (t, row) in run.trajectory.iter() {
    ///     assert!((row[1] - (2.0 * t).cos()).abs() < 1e-5);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn tolerance(self, tolerance: f64) -> Self {
        self.control(Control::tolerance(tolerance))
    }

    /// Step size control with separate tolerances and bounds of the step size. Replaces a fixed step.
    ///
    /// # Examples
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
    /// use hamel::adaptive::Control;
    /// use hamel::{Simulation, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name("esdirk324", &[])?;
    /// let control = Control { longest_step: 0.05, ..Control::tolerance(1e-3) };
    /// let run = Simulation::new(&model, &*scheme).control(control).until(1.0).run(initial_state(&model)?);
    /// run.outcome?;
    /// let times: Vec<f64> = run.trajectory.times().collect();
    /// assert!(times.windows(2).all(|pair| pair[1] - pair[0] < 0.05 + 1e-12));
    /// # Ok(())
    /// # }
    /// ```
    pub fn control(self, control: Control) -> Self {
        self.steps(Steps::Chosen(control))
    }

    /// Fixed or chosen steps, such as [`Steps::suitable`] gives. Replaces those that were set before.
    pub fn steps(mut self, steps: Steps) -> Self {
        self.steps = Some(steps);
        self
    }

    /// The time at which the simulation ends, s.
    pub fn until(mut self, t: f64) -> Self {
        self.until = Some(t);
        self
    }

    /// Records every n-th state; the first and the last one are always recorded, so that `usize::MAX` records these
    /// alone. For 0 the run ends at its start with [`StepError::BadParameter`].
    ///
    /// # Examples
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let run = Simulation::new(&model, &RungeKutta).step(0.1).until(1.0).record_every(4).run(initial_state(&model)?);
    /// run.outcome?;
    /// // The start, steps 4 and 8, and the last one.
    /// assert_eq!((run.accepted, run.trajectory.len()), (10, 4));
    /// # Ok(())
    /// # }
    /// ```
    pub fn record_every(mut self, steps: usize) -> Self {
        self.record_every = steps;
        self
    }

    /// Options of the scheme, and limits that end the simulation; replaces all of them.
    ///
    /// # Examples
    /// A rod on a hinge, with the constraint on velocities. The drift is removed after every step, unless it is to be kept.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Rod {
    /// #         planar;
    /// #         gravity [0, -9.81] m/s^2;
    /// #         body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
    /// #         joint hinge: revolute(ground, rod at [-1, 0] m);
    /// #         initial rod.angular_velocity = 2 rad/s;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::{ConstraintLevel, Drift, Options, Simulation, initial_state, schemes};
    ///
    /// let rod = Rod::default();
    /// let scheme = schemes::by_name("trapezoidal", &[])?;
    /// let largest = |drift: Drift| -> Result<f64, Box<dyn std::error::Error>> {
    ///     let options = Options { constraint_level: Some(ConstraintLevel::Velocity), drift, ..Options::default() };
    ///     let run = Simulation::new(&rod, &*scheme).options(options).step(0.01).until(1.0).run(initial_state(&rod)?);
    ///     run.outcome?;
    ///     Ok(run.trajectory.column("position_residual")?.fold(0.0, f64::max))
    /// };
    /// assert!(largest(Drift::Removed)? < 1e-10);
    /// assert!(largest(Drift::Kept)? > 1e-7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Limits on residuals, energy gain and finite values whose violation ends the simulation with an error.
    ///
    /// # Examples
    /// An explicit scheme that is stable for ω h < 2, with a spring of ω = 2 rad/s: beyond that limit the energy of the
    /// scheme grows, which ends the run.
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
    /// use hamel::schemes::ModifiedEuler;
    /// use hamel::{Simulation, StepError, Watchers, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let run = |step: f64| -> Result<_, StepError> {
    ///     let watchers = Watchers { energy: Some(0.2), ..Watchers::default() };
    ///     let simulation = Simulation::new(&model, &ModifiedEuler).watchers(watchers);
    ///     Ok(simulation.step(step).until(200.0).run(initial_state(&model)?).outcome)
    /// };
    /// assert!(run(0.1)?.is_ok());
    /// assert!(matches!(run(1.1)?, Err(StepError::EnergyGained { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub fn watchers(mut self, watchers: Watchers) -> Self {
        self.options.watchers = watchers;
        self
    }

    /// Adds an event that is located within every step; a terminal event ends the simulation where it occurs.
    ///
    /// [`AdaptiveStepper::locate`](crate::adaptive::AdaptiveStepper::locate) describes the method and which events may
    /// be missed. [`Run::occurrences`] refers to events by the order in which they were added.
    ///
    /// # Examples
    /// The run ends where cos 2t falls below zero for the first time.
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Direction, Event, Simulation, State, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let displacement = |state: &State| state.q[0];
    /// let run = Simulation::new(&model, &RungeKutta)
    ///     .step(1e-2)
    ///     .until(10.0)
    ///     .event(Event { function: &displacement, direction: Direction::Falling, is_terminal: true })
    ///     .run(initial_state(&model)?);
    /// run.outcome?;
    /// let end = run.trajectory.times().next_back();
    /// assert!(end.is_some_and(|t| (t - std::f64::consts::FRAC_PI_4).abs() < 1e-6));
    /// # Ok(())
    /// # }
    /// ```
    pub fn event(mut self, event: Event<'a>) -> Self {
        self.events.push(event);
        self
    }

    /// Adds a sampled controller: calls `law` with the current state at the start and then every `period`, s, and holds
    /// the returned values at the inputs until the next call.
    ///
    /// Inputs are held signals of the model, in the units of the inputs, see [`Signal::held`](crate::Signal::held); one
    /// that nothing reads, because its signal was not assigned to an input, is an error. A fixed step must divide the
    /// period. Controllers that are due at the same time are called in the order in which
    /// they were added. [`ModelInfo::coordinate`](crate::ModelInfo::coordinate) and
    /// [`ModelInfo::velocity`](crate::ModelInfo::velocity) give the indices of coordinates and velocities by name.
    ///
    /// After each call accelerations and multipliers are recomputed for the new inputs, and multistep schemes restart,
    /// so that schemes keep their order in spite of the jump.
    ///
    /// # Examples
    /// ```
    /// use hamel::{Model, Signal, Simulation, initial_state, schemes};
    ///
    /// hamel::multibody! {
    ///     model Cart {
    ///         planar;
    ///         coordinates joint;
    ///         input drive N;
    ///         body cart { mass: 1 kg, inertia: 1 kg m^2 }
    ///         joint rail: prismatic(ground, cart);
    ///         force motor: force(cart) { value: [drive, 0] }
    ///     }
    /// }
    ///
    /// fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     let (drive, held) = Signal::held(0.0);
    ///     let mut model = Cart::default();
    ///     model.inputs.drive = drive;
    ///     let x = model.describe().coordinate("rail.displacement")?;
    ///     let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.8)])?;
    ///     let run = Simulation::new(&model, &*scheme)
    ///         .step(1e-3)
    ///         .until(10.0)
    ///         .controller(1e-2, [&held], |state| [4.0 * (1.0 - state.q[x]) - 4.0 * state.v[x]])
    ///         .run(initial_state(&model)?);
    ///     run.outcome?;
    ///     let reached = run.trajectory.column("rail.displacement")?.next_back();
    ///     assert!((reached.unwrap_or(0.0) - 1.0).abs() < 1e-6);
    ///     Ok(())
    /// }
    /// ```
    pub fn controller<const N: usize>(
        mut self,
        period: f64,
        inputs: [&'a Held; N],
        mut law: impl FnMut(&State) -> [f64; N] + 'a,
    ) -> Self {
        let sample =
            move |state: &State| inputs.into_iter().zip(law(state)).for_each(|(input, value)| input.set(value));
        self.controllers.push(Controller { period, inputs: inputs.to_vec(), sample: Box::new(sample) });
        self
    }

    /// Calls a function with the state at the start and after every step.
    ///
    /// # Examples
    /// The highest speed of a mass that swings as cos 2t is 2 m/s.
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let mut fastest = 0.0_f64;
    /// let simulation = Simulation::new(&model, &RungeKutta).step(1e-2).until(5.0);
    /// simulation.on_step(|state| fastest = fastest.max(state.v[0].abs())).run(initial_state(&model)?).outcome?;
    /// assert!((fastest - 2.0).abs() < 1e-3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_step(mut self, function: impl FnMut(&State) + 'a) -> Self {
        self.on_step = Some(Box::new(function));
        self
    }

    /// Calls a function with every recorded row, which is not kept: the trajectory has its last row alone, so that memory
    /// does not grow with the length of the run. The columns are those of [`Trajectory::columns`].
    ///
    /// # Examples
    /// The largest kinetic energy of a mass that swings as cos 2t is 2 J.
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, Trajectory, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let place = Trajectory::new(&model).place("kinetic_energy")?;
    /// let mut largest = 0.0_f64;
    /// let simulation = Simulation::new(&model, &RungeKutta).step(1e-2).until(5.0);
    /// let run = simulation.reduce(|row| largest = largest.max(row[place])).run(initial_state(&model)?);
    /// run.outcome?;
    /// assert!((largest - 2.0).abs() < 1e-3);
    /// assert_eq!(run.trajectory.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reduce(mut self, function: impl FnMut(&[f64]) + 'a) -> Self {
        self.reduce = Some(Box::new(function));
        self
    }

    /// Calls a function with the completed fraction of the interval, from 0 to 1, at most once per hundredth.
    ///
    /// # Examples
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let mut parts = Vec::new();
    /// let simulation = Simulation::new(&model, &RungeKutta).step(0.25).until(1.0);
    /// simulation.on_progress(|part| parts.push(part)).run(initial_state(&model)?).outcome?;
    /// assert_eq!(parts, [0.25, 0.5, 0.75, 1.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_progress(mut self, function: impl FnMut(f64) + 'a) -> Self {
        self.on_progress = Some(Box::new(function));
        self
    }

    /// Ends the simulation with [`StepError::TooManySteps`], and the results so far, where more steps than these would be
    /// taken, rejected ones included: a motion that becomes ever faster lets chosen steps become ever shorter.
    ///
    /// # Examples
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, StepError, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let simulation = Simulation::new(&model, &RungeKutta).step(0.25).until(1.0).max_steps(3);
    /// let run = simulation.run(initial_state(&model)?);
    /// assert!(matches!(run.outcome, Err(StepError::TooManySteps { steps: 3, .. })));
    /// assert_eq!(run.trajectory.times().collect::<Vec<_>>(), [0.0, 0.25, 0.5, 0.75]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = steps;
        self
    }

    /// Ends the simulation before the next step once this flag is set, with [`StepError::Cancelled`] and the results so
    /// far.
    ///
    /// # Examples
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
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, StepError, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let stop = AtomicBool::new(false);
    /// // A real program sets the flag in another thread, or when it is interrupted.
    /// let run = Simulation::new(&model, &RungeKutta)
    ///     .step(0.25)
    ///     .until(1.0)
    ///     .on_step(|state| stop.store(state.t > 0.4, Ordering::Relaxed))
    ///     .cancelled_by(&stop)
    ///     .run(initial_state(&model)?);
    /// assert!(matches!(run.outcome, Err(StepError::Cancelled { .. })));
    /// assert_eq!(run.trajectory.times().collect::<Vec<_>>(), [0.0, 0.25, 0.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cancelled_by(mut self, flag: &'a AtomicBool) -> Self {
        self.cancelled_by = Some(flag);
        self
    }

    /// Integrates from a consistent state, such as [`initial_state`](crate::initial_state) finds.
    ///
    /// A failure ends the run; the results before it are kept, and [`Run::outcome`] has the error. A panic in a
    /// function of the user, such as an input signal, an event or a controller, is caught and treated like a failure.
    /// [`StepError::BadParameter`] means that the end or the step size is missing or not valid.
    ///
    /// # Examples
    /// Without a step size there is an error; the start is recorded nevertheless.
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Simulation, StepError, initial_state};
    ///
    /// let model = Oscillator::default();
    /// let run = Simulation::new(&model, &RungeKutta).until(1.0).run(initial_state(&model)?);
    /// assert!(matches!(run.outcome, Err(StepError::BadParameter { .. })));
    /// assert_eq!(run.trajectory.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn run(self, start: State) -> Run {
        Going::begun(self, start).go_on()
    }
}

/// A simulation that goes on.
struct Going<'a> {
    simulation: Simulation<'a>,
    trajectory: Trajectory,
    /// From the checked start on.
    parts: Option<Parts<'a>>,
    occurrences: Vec<Occurrence>,
    accepted: u64,
    rejected: u64,
    began: f64,
    total: StepStats,
    progress: Progress,
    /// Of a run that has ended.
    outcome: Option<Result<StepStats, StepError>>,
}

struct Parts<'a> {
    recorder: Recorder<'a>,
    controllers: Controllers<'a>,
    /// The state before a jump of the forces, for events.
    before: Option<State>,
    /// Once the start is recorded.
    driver: Option<Driver<'a>>,
}

impl<'a> Going<'a> {
    /// A simulation that has begun, or failed.
    fn begun(simulation: Simulation<'a>, start: State) -> Self {
        let mut going = Self::new(simulation, start.t);
        going.guarded(|going| going.begin(start).map(|()| None));
        going
    }

    fn new(simulation: Simulation<'a>, began: f64) -> Self {
        Self {
            trajectory: Trajectory::new(simulation.model),
            simulation,
            parts: None,
            occurrences: Vec::new(),
            accepted: 0,
            rejected: 0,
            began,
            total: StepStats::default(),
            progress: Progress::default(),
            outcome: None,
        }
    }

    /// Does a part of the run, which may be its end, or fail.
    fn guarded(&mut self, part: impl FnOnce(&mut Self) -> Result<Option<StepStats>, StepError>) {
        #[cfg(not(feature = "std"))]
        let result = part(self);
        // A function of the user may panic. It leaves incomplete the stepper, which is not used again, and the last row
        // of the table.
        #[cfg(feature = "std")]
        let result = catch_unwind(AssertUnwindSafe(|| part(self))).unwrap_or_else(|panic| {
            self.trajectory.drop_incomplete();
            let t = self.trajectory.times().next_back().unwrap_or(self.began);
            let scheme = self.simulation.scheme.label();
            Err(StepError::Panicked { t, scheme, message: message(&*panic).to_owned() })
        });
        self.outcome = result.transpose();
    }

    /// Takes all further steps, if it has not ended yet.
    fn go_on(mut self) -> Run {
        if self.outcome.is_none() {
            self.take_steps();
        }
        self.ended()
    }

    /// Takes steps until the end.
    fn take_steps(&mut self) {
        self.guarded(|going| {
            loop {
                if let Some(total) = going.end()? {
                    return Ok(Some(total));
                }
                if let Some(total) = going.step(None)? {
                    return Ok(Some(total));
                }
            }
        });
    }

    fn ended(mut self) -> Run {
        // Both are set by `guarded`, which ends with the run.
        let outcome = self.outcome.unwrap_or(Ok(self.total));
        // What was recorded where the run ended early; a function that has panicked is not called again.
        if !matches!(outcome, Err(StepError::Panicked { .. })) {
            reduced(&mut self.simulation.reduce, &mut self.trajectory);
        }
        let cautions = self.parts.map_or_else(Vec::new, |parts| parts.recorder.cautions(&outcome));
        let Self { trajectory, occurrences, accepted, rejected, .. } = self;
        Run { trajectory, outcome, cautions, occurrences, accepted, rejected }
    }

    /// Checks and records the start, and makes ready for the first step.
    fn begin(&mut self, mut start: State) -> Result<(), StepError> {
        let Self { simulation, trajectory, .. } = self;
        let (model, scheme) = (simulation.model, simulation.scheme);
        check_start(model, &start)?;
        // Before anything is computed with the inputs, which may have no value until then.
        let controllers = core::mem::take(&mut simulation.controllers);
        let mut controllers = Controllers::new(model, scheme, controllers, start.t);
        controllers.begin(&mut start)?;
        let mut tolerance = 0.0;
        if let Some(Steps::Chosen(control)) = simulation.steps {
            simulation.options = simulation.options.for_chosen_steps(scheme);
            tolerance = control.absolute;
        }
        let recorder = Recorder::new(model, scheme, &simulation.options, &start, tolerance, trajectory);
        let before = (!simulation.events.is_empty()).then(|| start.clone());
        let parts = self.parts.insert(Parts { recorder, controllers, before, driver: None });
        parts.recorder.begin(trajectory, &start)?;
        simulation.reduce.iter_mut().for_each(|function| trajectory.rows().for_each(&mut *function));
        let bad = |reason: &str| StepError::BadParameter { scheme: scheme.label(), reason: reason.to_owned() };
        let until = simulation.until.ok_or_else(|| bad("the time of the end is not given; call `until`"))?;
        let steps = simulation.steps.ok_or_else(|| {
            bad("the length of the steps is not given; call `step`, or `tolerance` to have it chosen")
        })?;
        if simulation.record_every == 0 {
            return Err(bad(
                "cannot record every 0th state; 1 records all, and `usize::MAX` the first and the last one",
            ));
        }
        parts.controllers.check(scheme, until)?;
        let periods = parts.controllers.periods();
        let driver = Driver::new(model, scheme, &simulation.options, steps, start, until, periods)?;
        simulation.on_step.iter_mut().for_each(|function| function(driver.state()));
        parts.driver = Some(driver);
        Ok(())
    }

    /// The driver of a run that has begun.
    fn driver(&self) -> Option<&Driver<'a>> {
        self.parts.as_ref()?.driver.as_ref()
    }

    /// The total cost, if the end is reached.
    ///
    /// # Errors
    /// If the run ends early, which was cancelled or takes too many steps.
    fn end(&mut self) -> Result<Option<StepStats>, StepError> {
        let Self { simulation, trajectory, parts, total, .. } = self;
        let Some(Parts { recorder, driver: Some(driver), .. }) = parts else { return Ok(Some(*total)) };
        if simulation.cancelled_by.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            recorder.unrecorded(trajectory, driver.state(), driver.stepper());
            return Err(StepError::Cancelled { t: driver.state().t, scheme: simulation.scheme.label() });
        }
        if driver.is_at_end() {
            return Ok(Some(*total));
        }
        let steps = driver.counts().iter().sum();
        if steps >= simulation.max_steps {
            recorder.unrecorded(trajectory, driver.state(), driver.stepper());
            let (t, scheme) = (driver.state().t, simulation.scheme.label());
            let until = simulation.until.unwrap_or(t);
            return Err(StepError::TooManySteps { t, scheme, steps, until });
        }
        Ok(None)
    }

    /// Whether the state after the next step is recorded, if that is not the last one.
    #[cfg(feature = "simd")]
    fn records_next(&self) -> bool {
        (self.accepted + 1).is_multiple_of(self.simulation.record_every as u64)
    }

    /// A step, with its end if that was computed elsewhere; the total cost, if it was the last one.
    fn step(&mut self, given: Option<Given>) -> Result<Option<StepStats>, StepError> {
        let Self { simulation, trajectory, parts, occurrences, accepted, rejected, began, total, progress, .. } = self;
        let Some(Parts { recorder, controllers, before, driver: Some(driver) }) = parts else {
            return Ok(Some(*total));
        };
        before.iter_mut().for_each(|before| before.copy_from(driver.state()));
        let sampled = controllers.sample(driver);
        if let Ok(true) = sampled {
            let state = driver.state();
            recorder.jump(state);
            for (event, Event { function, direction, is_terminal }) in simulation.events.iter().enumerate() {
                let Some(before) = before else { continue };
                if !direction.counts(function(before), function(state)) {
                    continue;
                }
                occurrences.push(Occurrence { event, state: state.clone() });
                if *is_terminal {
                    recorder.end(trajectory, driver.stepper(), None)?;
                    simulation.on_step.iter_mut().for_each(|function| function(state));
                    return Ok(Some(*total));
                }
            }
        }
        let result = sampled.and_then(|_| match &given {
            #[cfg(feature = "simd")]
            Some(given) => driver.arrive(given.end).map(|()| given.stats),
            _ => driver.step(controllers.next(driver.until()), controllers.jumps()),
        });
        [*accepted, *rejected] = driver.counts();
        *total += match result {
            Ok(stats) => stats,
            Err(error) => {
                let reached = driver.reached();
                recorder.unrecorded(trajectory, reached, driver.stepper());
                let times = [0.0, 0.5, 1.0].map(|part| reached.t + part * driver.next_step());
                return Err(blame(simulation.model, reached, error, times));
            }
        };
        if let Some(event) = simulation.events.iter().position(|event| (event.function)(driver.state()).is_nan()) {
            recorder.unrecorded(trajectory, driver.state(), driver.stepper());
            let (t, scheme) = (driver.state().t, simulation.scheme.label());
            let quantity = format!("the function of event {event}");
            return Err(StepError::NotFiniteValue { t, scheme, quantity, value: f64::NAN });
        }
        for (event, t) in driver.interval().met(&simulation.events) {
            if simulation.events[event].is_terminal {
                let end = driver.end_at(t)?;
                *total += end.stats;
                recorder.end(trajectory, driver.stepper(), end.interpolated.as_ref())?;
                let state = end.interpolated.unwrap_or_else(|| driver.state().clone());
                simulation.on_step.iter_mut().for_each(|function| function(&state));
                occurrences.push(Occurrence { event, state });
                return Ok(Some(*total));
            }
            occurrences.push(Occurrence { event, state: driver.interval().interpolate(t) });
        }
        let is_recorded = accepted.is_multiple_of(simulation.record_every as u64) || driver.is_at_end();
        recorder.step(trajectory, driver.stepper(), is_recorded, given.map(|given| given.known))?;
        reduced(&mut simulation.reduce, trajectory);
        simulation.on_step.iter_mut().for_each(|function| function(driver.state()));
        if let Some(function) = &mut simulation.on_progress {
            let until = simulation.until.unwrap_or(*began);
            progress.pass((driver.state().t - *began) / (until - *began), function);
        }
        Ok(None)
    }
}

/// A step that was computed elsewhere.
struct Given<'g> {
    /// Writes its end, with accelerations.
    #[cfg_attr(not(feature = "simd"), expect(dead_code, reason = "lanes alone compute steps elsewhere"))]
    end: &'g dyn Fn(&mut State),
    /// What it took.
    #[cfg_attr(not(feature = "simd"), expect(dead_code, reason = "lanes alone compute steps elsewhere"))]
    stats: StepStats,
    /// What is known of that.
    known: &'g Known,
}

/// Hands over the row that was recorded last, if there is a new one, and keeps it alone.
fn reduced(function: &mut Option<Box<dyn FnMut(&[f64]) + '_>>, trajectory: &mut Trajectory) {
    if let (Some(function), 2..) = (function, trajectory.len()) {
        trajectory.keep_last();
        trajectory.rows().for_each(function);
    }
}

/// The message of a panic.
#[cfg(feature = "std")]
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}

/// Number of hundredths that were reported.
#[derive(Default)]
struct Progress(u32);

impl Progress {
    fn pass(&mut self, part: f64, tell: &mut dyn FnMut(f64)) {
        let hundredths = (100.0 * part) as u32;
        if hundredths > self.0 {
            self.0 = hundredths;
            tell(part.min(1.0));
        }
    }
}
