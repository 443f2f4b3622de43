//! A motion over an interval of time: steps, events, controllers, and what is recorded on the way.

mod controller;
mod driver;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::adaptive::Control;
use crate::caution::Caution;
use crate::events::{Event, Occurrence};
use crate::model::{Model, State};
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

/// What a simulation computed, and how it ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// Everything recorded until the end or the failure.
    pub trajectory: Trajectory,
    /// The total cost, or why the simulation stopped early.
    pub outcome: Result<StepStats, StepError>,
    /// What the reader of the results should know, in the order in which it was noticed.
    pub cautions: Vec<Caution>,
    /// The events that were met, in the order of time.
    pub occurrences: Vec<Occurrence>,
    /// Steps that were done.
    pub accepted: u64,
    /// Steps that were refused, by their error or because they had no solution; none at fixed steps.
    pub rejected: u64,
}

/// A simulation that is being described; [`Simulation::run`] does it.
///
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
    on_progress: Option<Box<dyn FnMut(f64) + 'a>>,
    cancelled_by: Option<&'a AtomicBool>,
}

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Steps {
    Fixed(f64),
    Chosen(Control),
}

impl<'a> Simulation<'a> {
    /// A model and the scheme that integrates it. The length of steps and the end are to be told.
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
            on_progress: None,
            cancelled_by: None,
        }
    }

    /// Steps of this length, s. Where it divides the interval up to rounding, all steps are equal; otherwise the last one
    /// is shorter. Replaces a tolerance.
    pub fn step(mut self, length: f64) -> Self {
        self.steps = Some(Steps::Fixed(length));
        self
    }

    /// Steps that are chosen so that their errors keep this relative and absolute tolerance, by a scheme that estimates
    /// its errors (`esdirk3` and its relatives). Replaces a fixed step.
    pub fn tolerance(self, tolerance: f64) -> Self {
        self.control(Control::tolerance(tolerance))
    }

    /// Steps that are chosen by tolerances, with bounds of their own. Replaces a fixed step.
    pub fn control(mut self, control: Control) -> Self {
        self.steps = Some(Steps::Chosen(control));
        self
    }

    /// The time at which the simulation ends, s.
    pub fn until(mut self, t: f64) -> Self {
        self.until = Some(t);
        self
    }

    /// Records every so manyth state; the first and the last one are always recorded.
    pub fn record_every(mut self, steps: usize) -> Self {
        self.record_every = steps.max(1);
        self
    }

    /// Options of the scheme, and what watches the simulation.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// What ends a simulation that means nothing any more.
    pub fn watchers(mut self, watchers: Watchers) -> Self {
        self.options.watchers = watchers;
        self
    }

    /// An event that is looked for along every step; a terminal one ends the simulation where it happens.
    ///
    /// Events are looked for as by [`AdaptiveStepper::locate`](crate::adaptive::AdaptiveStepper::locate), which says what
    /// may be missed. Called again, adds another one; [`Run::occurrences`] names them in this order.
    pub fn event(mut self, event: Event<'a>) -> Self {
        self.events.push(event);
        self
    }

    /// Calls a controller at the start and every `period` s from there on, with the state at that time, and holds what it
    /// returns as the values of inputs until the next call.
    ///
    /// Inputs are held signals of the model, see [`Signal::held`](crate::Signal::held). Fixed steps must divide the
    /// period. Called again, adds another controller; those that are due at the same time are called in their order.
    ///
    /// At each call accelerations and multipliers are found anew for the new inputs, and schemes of several steps begin
    /// again, so that schemes keep their order whatever jumps.
    ///
    /// ```
    /// use hamel::schemes;
    /// use hamel::{Signal, Simulation, initial_state};
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
    ///     let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.8)])?;
    ///     let run = Simulation::new(&model, &*scheme)
    ///         .step(1e-3)
    ///         .until(10.0)
    ///         .controller(1e-2, [&held], |state| [4.0 * (1.0 - state.q[0]) - 4.0 * state.v[0]])
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
        self.controllers.push(Controller { period, sample: Box::new(sample) });
        self
    }

    /// Calls a function with the state at the start and after every step.
    pub fn on_step(mut self, function: impl FnMut(&State) + 'a) -> Self {
        self.on_step = Some(Box::new(function));
        self
    }

    /// Calls a function with the part of the interval that is done, from 0 to 1, whenever another hundredth is.
    pub fn on_progress(mut self, function: impl FnMut(f64) + 'a) -> Self {
        self.on_progress = Some(Box::new(function));
        self
    }

    /// Ends before the next step when this flag is set, with [`StepError::Cancelled`] and what was computed.
    pub fn cancelled_by(mut self, flag: &'a AtomicBool) -> Self {
        self.cancelled_by = Some(flag);
        self
    }

    /// Integrates from a consistent state, such as [`initial_state`](crate::initial_state) finds.
    ///
    /// A failure ends the run and keeps what was computed before it, as does a panic in a function of the user that the
    /// model, an event, a controller or the simulation calls. [`StepError::BadParameter`] says that the end or the length
    /// of steps was not told or makes no sense.
    pub fn run(mut self, start: State) -> Run {
        let (scheme, t) = (self.scheme, start.t);
        let mut done = Done::new(self.model);
        // A function of the user may panic. It leaves incomplete the stepper, which is not used again, and the last row
        // of the table.
        let all = AssertUnwindSafe(|| self.integrate(start, &mut done));
        let outcome = catch_unwind(all).unwrap_or_else(|panic| {
            done.trajectory.drop_incomplete();
            let t = done.trajectory.times().next_back().unwrap_or(t);
            Err(StepError::Panicked { t, scheme: scheme.name(), message: message(&*panic).to_owned() })
        });
        let Done { trajectory, recorder, occurrences, accepted, rejected } = done;
        let cautions = recorder.map_or_else(Vec::new, |recorder| recorder.cautions(&outcome, &trajectory));
        Run { trajectory, outcome, cautions, occurrences, accepted, rejected }
    }

    fn integrate(&mut self, mut start: State, done: &mut Done<'a>) -> Result<StepStats, StepError> {
        check_start(self.model, &start)?;
        self.model.validate()?;
        // Before anything is computed with the inputs, which may have no value until then.
        let mut controllers = Controllers::new(self.model, self.scheme, &mut self.controllers, start.t)?;
        controllers.begin(&mut start)?;
        let recorder = done.recorder.insert(Recorder::new(self.model, self.scheme, &self.options, &start));
        let trajectory = &mut done.trajectory;
        recorder.begin(trajectory, &start)?;
        let bad = |reason: &str| StepError::BadParameter { scheme: self.scheme.name(), reason: reason.to_owned() };
        let until = self.until.ok_or_else(|| bad("the time of the end is not given; call `until`"))?;
        let steps = self.steps.ok_or_else(|| {
            bad("the length of the steps is not given; call `step`, or `tolerance` to have it chosen")
        })?;
        let began = start.t;
        let mut driver =
            Driver::new(self.model, self.scheme, &self.options, steps, start, until, controllers.periods())?;
        self.on_step.iter_mut().for_each(|function| function(driver.state()));
        let mut progress = Progress::default();
        let mut total = StepStats::default();
        loop {
            if self.cancelled_by.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                recorder.unrecorded(trajectory, driver.state(), driver.stepper());
                return Err(StepError::Cancelled { t: driver.state().t, scheme: self.scheme.name() });
            }
            if driver.is_at_end() {
                return Ok(total);
            }
            let result = controllers.sample(&mut driver).and_then(|has_jumped| {
                if has_jumped {
                    recorder.jump(driver.state());
                }
                driver.step(controllers.next())
            });
            [done.accepted, done.rejected] = driver.counts();
            total += match result {
                Ok(stats) => stats,
                Err(error) => {
                    let reached = driver.reached();
                    recorder.unrecorded(trajectory, reached, driver.stepper());
                    let times = [0.0, 0.5, 1.0].map(|part| reached.t + part * driver.next_step());
                    return Err(blame(self.model, reached, error, times));
                }
            };
            for (event, t) in driver.interval().met(&self.events) {
                if self.events[event].is_terminal {
                    let end = driver.end_at(t)?;
                    total += end.stats;
                    recorder.end(trajectory, driver.stepper(), end.interpolated.as_ref())?;
                    let state = end.interpolated.unwrap_or_else(|| driver.state().clone());
                    self.on_step.iter_mut().for_each(|function| function(&state));
                    done.occurrences.push(Occurrence { event, state });
                    return Ok(total);
                }
                done.occurrences.push(Occurrence { event, state: driver.interval().interpolate(t) });
            }
            let is_recorded = done.accepted.is_multiple_of(self.record_every as u64) || driver.is_at_end();
            recorder.step(trajectory, driver.stepper(), is_recorded)?;
            self.on_step.iter_mut().for_each(|function| function(driver.state()));
            if let Some(function) = &mut self.on_progress {
                progress.pass((driver.state().t - began) / (until - began), function);
            }
        }
    }
}

/// What is known of a run while it goes on, and when it fails.
struct Done<'a> {
    trajectory: Trajectory,
    /// Once the start is checked.
    recorder: Option<Recorder<'a>>,
    occurrences: Vec<Occurrence>,
    accepted: u64,
    rejected: u64,
}

impl Done<'_> {
    fn new(model: &dyn Model) -> Self {
        let trajectory = Trajectory::new(model);
        Self { trajectory, recorder: None, occurrences: Vec::new(), accepted: 0, rejected: 0 }
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why")
}

/// The hundredths that were told.
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
