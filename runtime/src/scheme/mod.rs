//! Interface of integration schemes: a [`Scheme`] starts a [`Stepper`] on a model.

mod constrained;

use nalgebra::DMatrix;

use crate::contact_settings::Settings;
use crate::linear_analysis::{Oscillator, spectral_radius};
use crate::model::{Model, State};
use crate::newton::{NewtonMatrix, Tolerance};
use crate::prelude::*;
use crate::start::check_start;
use crate::step::ContactRecord;
use crate::tables::Tableau;
use crate::tangent::{STATE, StepMap};
use crate::watchers::Watchers;

use constrained::Constrained;

pub use crate::step::{Cause, ConstraintLevel, StepError, StepStats};

/// The orientation from which the rotations of a step are measured, see [zhang, Sect. 2.4].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RotationReference {
    /// That at the beginning of the step: every scheme keeps its order.
    #[default]
    StepStart,
    /// That at the last time point, which within a step is the previous stage, as in [zhang, Sect. 2.4]: it reduces
    /// schemes of fifth order to fourth order.
    LastPoint,
}

/// Initial guess of the derivatives in Newton's method. [zhang, Eqs. 12-17]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Predictor {
    /// The derivatives at the last time point.
    Constant,
    /// From the cubic through the last two time points and their derivatives.
    TwoPoint,
    /// From the quintic through the last three time points and their derivatives.
    ThreePoint,
}

/// Treatment of the drift of coordinates, and of velocities, where a scheme imposes constraints on velocities or
/// accelerations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Drift {
    /// After every step coordinates and velocities are projected back onto the constraints, in the metric of M.
    #[default]
    Removed,
    /// Neither is corrected, as in the published schemes.
    Kept,
}

/// Options that are common to all schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    /// Tolerances of Newton's method.
    pub tolerance: Tolerance,
    /// How long a factorized matrix serves in Newton's method; `None` keeps it, except in schemes that carry errors of
    /// multipliers from step to step, for models with constraints.
    pub newton_matrix: Option<NewtonMatrix>,
    /// Where constraints on coordinates are imposed; `None` leaves it to the scheme, which prefers positions for fixed
    /// steps and velocities for steps that a tolerance chooses.
    pub constraint_level: Option<ConstraintLevel>,
    /// Treatment of the drift, where constraints are not imposed on positions.
    pub drift: Drift,
    /// Reference of the rotations of a step, in schemes for first-order equations.
    pub rotation_reference: RotationReference,
    /// Initial guess of Newton's method, in schemes for first-order equations; `None` leaves it to the scheme.
    pub predictor: Option<Predictor>,
    /// Options of schemes for contacts.
    pub contacts: ContactOptions,
    /// Limits whose violation ends a [`Simulation`](crate::Simulation).
    pub watchers: Watchers,
}

impl Options {
    /// The same for steps that a tolerance chooses.
    pub(crate) fn for_chosen_steps(self, scheme: &dyn Scheme) -> Self {
        Self { constraint_level: self.constraint_level.or(Some(scheme.level_of_chosen_steps())), ..self }
    }

    /// The same, which say how long matrices serve.
    pub(crate) fn with_newton_matrix(self, scheme: &(impl Scheme + ?Sized), is_constrained: bool) -> Self {
        // A kept matrix leaves larger errors in multipliers, which must not last.
        let usual = || match is_constrained && (scheme.reads_forces() || !scheme.settles_forces()) {
            true => NewtonMatrix::EveryIteration,
            false => NewtonMatrix::Kept,
        };
        Self { newton_matrix: Some(self.newton_matrix.unwrap_or_else(usual)), ..self }
    }

    /// Whether states are projected after each step of a model with constraints on coordinates.
    pub(crate) fn removes_drift(&self, scheme: &(impl Scheme + ?Sized)) -> bool {
        let level = self.constraint_level.unwrap_or(scheme.preferred_level());
        level != ConstraintLevel::Position && self.drift == Drift::Removed
    }
}

/// Options of schemes for contacts.
///
/// # Examples
/// A stone at rest on the ground: the normal force is its weight.
///
/// ```
/// # hamel::multibody! {
/// #     model Rest {
/// #         planar;
/// #         coordinates joint;
/// #         gravity [-9.81, 0] m/s^2;
/// #         body stone { mass: 2 kg, inertia: 1 kg m^2 }
/// #         joint shaft: prismatic(ground, stone);
/// #         contact floor { gap: shaft.displacement }
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::nonsmooth::{ContactOptions, InitialAcceleration};
/// use hamel::{Options, Simulation, initial_state, schemes};
///
/// let rest = Rest::default();
/// let scheme = schemes::by_name("bathe", &[])?;
/// let contacts = ContactOptions { initial_acceleration: InitialAcceleration::Consistent, ..ContactOptions::default() };
/// let options = Options { contacts, ..Options::default() };
/// let run = Simulation::new(&rest, &*scheme).options(options).step(1e-3).until(0.01).run(initial_state(&rest)?);
/// run.outcome?;
/// let forces: Vec<f64> = run.trajectory.column("normal_force(floor)")?.collect();
/// assert!(forces.iter().all(|force| (force - 2.0 * 9.81).abs() < 1e-9));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct ContactOptions {
    /// Accelerations at the start of the motion, and wherever they are recomputed.
    pub initial_acceleration: InitialAcceleration,
    /// Accelerations after an impact.
    pub after_impact: AfterImpact,
    /// Whether impacts take place where contacts close, so that motions with impacts keep the order of the scheme. A step that
    /// passes an impact is made in parts: the first one up to that instant, which some ten trials find, the next one from
    /// there on, with accelerations that are consistent. Steps allocate memory then. Schemes whose impacts are a part of their
    /// steps (`moreau`) refuse it.
    ///
    /// # Examples
    /// A stone that falls from 1 m with 10 m/s², and rebounds with half of its velocity at √0.2 s.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Drop {
    /// #         planar;
    /// #         coordinates joint;
    /// #         gravity [-10, 0] m/s^2;
    /// #         body stone { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint shaft: prismatic(ground, stone);
    /// #         contact floor { gap: shaft.displacement, restitution: 0.5 }
    /// #         initial shaft.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::nonsmooth::ContactOptions;
    /// use hamel::{Options, Simulation, initial_state, schemes};
    ///
    /// let drop = Drop::default();
    /// let scheme = schemes::by_name("bathe", &[])?;
    /// let contacts = ContactOptions { follow_impacts: true, ..ContactOptions::default() };
    /// let options = Options { contacts, ..Options::default() };
    /// let run = Simulation::new(&drop, &*scheme).options(options).step(0.1).until(0.8).run(initial_state(&drop)?);
    /// run.outcome?;
    /// let since = 0.8 - 0.2_f64.sqrt();
    /// let reached = run.trajectory.column("shaft.displacement")?.next_back();
    /// assert!((reached.unwrap() - (5_f64.sqrt() * since - 5.0 * since * since)).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub follow_impacts: bool,
    /// Tolerances and limits of the contact solver, which are open to studies of these only.
    #[doc(hidden)]
    #[cfg_attr(feature = "serde", serde(skip))]
    pub settings: Settings,
}

/// Accelerations of an initial state whose contacts are closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum InitialAcceleration {
    /// Those of the initial state, without contact forces, as the source has it. The first forces of contacts that are
    /// closed are then far off with schemes that carry accelerations. [rezaei, Eqs. 25, 62, 83]
    Free,
    /// Those with the forces of closed contacts: the default.
    #[default]
    Consistent,
}

/// Accelerations after an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AfterImpact {
    /// Those before the impact: the default. [rezaei, Fig. 4]
    #[default]
    Carried,
    /// They are recomputed according to [`InitialAcceleration`].
    Renewed,
}

/// How a scheme advances instances of a model side by side, see [`crate::abreast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum SideBySide {
    /// It does not: it asks for norms of vectors, or knows kinds of coordinates.
    Never,
    /// Its steps add and scale vectors, and are solved for by Newton's method.
    Always,
    /// The same while steps have one length.
    WithEqualSteps,
    /// It adds and scales vectors, for accelerations that have a closed form.
    WithClosedForm,
    /// The same by the classical scheme of Runge and Kutta.
    Classical,
}

/// An integration scheme with its parameters.
pub trait Scheme: Send + Sync {
    /// Name with parameters, e.g. `generalized-α (ρ∞ = 0.6)`.
    fn name(&self) -> String;
    /// Name by which [`schemes::by_name`](crate::schemes::by_name) makes it, e.g. `generalized_alpha`; `None` for a scheme
    /// that is not in the registry.
    fn key(&self) -> Option<&'static str> {
        None
    }
    /// Name for messages: with parameters, and with the name that can be given to
    /// [`schemes::by_name`](crate::schemes::by_name) and to `hamel run`, if it has one.
    ///
    /// # Examples
    /// ```
    /// let scheme = hamel::schemes::by_name("generalized_alpha", &[("rho_infinity", 0.6)])?;
    /// assert_eq!(scheme.label(), "generalized-α (ρ∞ = 0.6) [generalized_alpha]");
    /// # Ok::<(), hamel::StepError>(())
    /// ```
    fn label(&self) -> String {
        match self.key() {
            Some(key) => format!("{} [{key}]", self.name()),
            None => self.name(),
        }
    }
    /// Order for smooth problems without constraints.
    fn order(&self) -> u32;
    /// Number of systems of equations solved in a step, or of evaluations of an explicit scheme, as a measure of its
    /// cost.
    fn stages(&self) -> u32 {
        1
    }
    /// Amplification matrix for a linear oscillator in units of the step, see [`crate::linear_analysis`]; `None` if a
    /// step is not a linear map.
    ///
    /// # Examples
    /// ```
    /// use hamel::linear_analysis::{Oscillator, spectral_radius};
    /// use hamel::schemes;
    ///
    /// let scheme = schemes::by_name("rho_bathe", &[("rho_infinity", 0.3)])?;
    /// // In the limit of high frequency the parameter is the spectral radius.
    /// let matrix = scheme.amplification(Oscillator::undamped(1e8)).expect("a linear map");
    /// assert!((spectral_radius(&matrix) - 0.3).abs() < 1e-6);
    /// # Ok::<(), hamel::StepError>(())
    /// ```
    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>>;
    /// Coefficients, if it is a Runge-Kutta scheme.
    fn tableau(&self) -> Option<&Tableau> {
        None
    }
    /// Level at which it imposes constraints on coordinates unless the options specify another.
    fn preferred_level(&self) -> ConstraintLevel {
        ConstraintLevel::Position
    }
    /// The same for steps chosen by a tolerance, where velocities and multipliers need the accuracy of coordinates: with
    /// constraints on positions, what velocities miss them by becomes larger multipliers when the next step is shorter.
    fn level_of_chosen_steps(&self) -> ConstraintLevel {
        self.preferred_level()
    }
    /// Whether it supports models with contacts; [`Scheme::start_with`] refuses other schemes for them.
    fn carries_contacts(&self) -> bool {
        false
    }
    /// Whether it begins with the accelerations of its start; other schemes compute what they need.
    fn reads_accelerations(&self) -> bool {
        true
    }
    /// Whether forces at the beginning of a step enter it.
    fn reads_forces(&self) -> bool {
        false
    }
    /// Whether it estimates the error of a step, as step size control requires, see [`crate::adaptive`].
    fn estimates_errors(&self) -> bool {
        self.tableau().is_some_and(|tableau| tableau.embedded.is_some())
    }
    /// Whether errors of the multipliers of constraints on positions, and of forces of contacts that stay closed, die out:
    /// as a rule where it damps infinitely fast motion, as its [`amplification`](Scheme::amplification) says. A scheme that
    /// computes them anew from every state says so here.
    fn settles_forces(&self) -> bool {
        !is_undamped(self)
    }
    /// How it advances instances of a model side by side.
    #[doc(hidden)]
    fn abreast(&self) -> SideBySide {
        SideBySide::Never
    }
    /// A known weakness of the scheme with these parameters, for all models.
    fn caution(&self) -> Option<&'static str> {
        None
    }
    /// The stepper without checks and without projection of constraints, from a state that [`Scheme::start_with`] has
    /// checked.
    ///
    /// # Errors
    /// [`StepError::Undefined`] if the scheme is not defined for this kind of model or these options,
    /// [`StepError::BadParameter`] for parameters out of range.
    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError>;

    /// A stepper that starts from a consistent state.
    ///
    /// # Errors
    /// [`StepError::BadModel`] for parameters of the model out of range;
    /// [`StepError::BadState`] for sizes other than those of the model, values that are not finite, and violated
    /// constraints on positions; [`StepError::Penetration`] for bodies that penetrate each other;
    /// [`StepError::Undefined`] for a model with contacts which the scheme does not support; and those of
    /// [`Scheme::stepper`].
    ///
    /// # Examples
    /// A state that violates a constraint is refused: the hinge of this rod is 1 m from its centre of mass.
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
    /// use hamel::schemes::RungeKutta;
    /// use hamel::{Options, Scheme, StepError, initial_state};
    ///
    /// let rod = Rod::default();
    /// let mut state = initial_state(&rod)?;
    /// let options = Options::default();
    /// assert!(RungeKutta.start_with(&rod, state.clone(), &options).is_ok());
    /// state.q[0] += 0.01;
    /// assert!(matches!(RungeKutta.start_with(&rod, state, &options), Err(StepError::BadState { .. })));
    /// # Ok(())
    /// # }
    /// ```
    fn start_with<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        check_start(model, &initial)?;
        self.go_on_with(model, initial, options)
    }

    /// The same for a state of a motion that goes on, which its steps may have left a little beside constraints, or with bodies
    /// a little within each other.
    #[doc(hidden)]
    fn go_on_with<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let info = model.describe();
        if !info.contacts.is_empty() && !self.carries_contacts() {
            let reason = "it has contacts, which this scheme with these parameters does not support; \
                          take one that `hamel list schemes` marks with `contacts`, or other parameters";
            return Err(StepError::Undefined { scheme: self.label(), model: info.name.clone(), reason });
        }
        let is_constrained = model.dims().nc > 0;
        let mut stepper = self.stepper(model, initial, &options.with_newton_matrix(self, is_constrained))?;
        let undefined = |reason| StepError::Undefined { scheme: self.label(), model: info.name.clone(), reason };
        let contacts = info.contacts.len();
        if stepper.contacts().is_some_and(|record| record.gaps.len() != contacts) {
            return Err(undefined("its record of contacts has another number of gaps than the model"));
        }
        if options.contacts.follow_impacts && contacts > 0 && !stepper.has_impacts_after_steps() {
            return Err(undefined(
                "its impacts are a part of its steps, whose instants are not found; leave `follow_impacts` out",
            ));
        }
        if !is_constrained {
            return Ok(stepper);
        }
        let removes_drift = options.removes_drift(self) && info.constraints.len() > info.velocity_constraints;
        if removes_drift && stepper.correctable().is_none() {
            return Err(undefined(
                "it imposes constraints on velocities or accelerations, so that coordinates drift, and its states cannot be \
                 corrected: its stepper lacks `correctable`; with `Drift::Kept` they drift",
            ));
        }
        Ok(Constrained::around(model, self.label(), stepper, removes_drift))
    }

    /// [`Scheme::start_with`] default options.
    ///
    /// # Errors
    /// Those of [`Scheme::start_with`].
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
    /// use hamel::{Scheme, initial_state, schemes::RungeKutta};
    ///
    /// let model = Oscillator::default();
    /// let mut stepper = RungeKutta.start(&model, initial_state(&model)?)?;
    /// for _ in 0..100 {
    ///     stepper.step(0.01)?;
    /// }
    /// assert!((stepper.state().t - 1.0).abs() < 1e-12);
    /// assert!((stepper.state().q[0] - 2_f64.cos()).abs() < 1e-7);
    /// # Ok(())
    /// # }
    /// ```
    fn start<'m>(&self, model: &'m dyn Model, initial: State) -> Result<Box<dyn Stepper + 'm>, StepError> {
        self.start_with(model, initial, &Options::default())
    }
}

/// An Ω that represents infinity, and the largest distance of an undamped spectral radius from one there.
const INFINITY: f64 = 1e8;
const UNDAMPED: f64 = 1e-3;

/// Whether a scheme does not damp infinitely fast motion, such as errors of multipliers of constraints on positions.
fn is_undamped(scheme: &(impl Scheme + ?Sized)) -> bool {
    let matrix = scheme.amplification(Oscillator::undamped(INFINITY));
    matrix.is_some_and(|matrix| (spectral_radius(&matrix) - 1.0).abs() < UNDAMPED)
}

/// The integration of one motion by a scheme. After an error the state is the last one that was reached.
///
/// Two methods suffice for fixed steps; what others are for:
///
/// | without | there is no |
/// |---|---|
/// | [`resume`](Stepper::resume) | controller, and no jump of inputs |
/// | [`correctable`](Stepper::correctable) | removal of drift, which constraints on velocities or accelerations need |
/// | [`leave_out`](Stepper::leave_out) | motion through positions where constraints are dependent |
/// | [`error_estimate`](Stepper::error_estimate) and [`retreat`](Stepper::retreat) | choice of steps by a tolerance |
/// | [`fork`](Stepper::fork) | several motions from one state |
///
/// [`Simulation`](crate::Simulation) holds steppers to this: a time other than the end of the step, gaps of contacts other
/// than those of the model, and steps that cannot be undone where they have to be, end the run.
pub trait Stepper {
    /// The current state: coordinates, velocities, accelerations and multipliers at the end of the last step. Events and
    /// tables read all of them.
    fn state(&self) -> &State;
    /// Advances by `dt`, s; allocates nothing. [`schemes::check_step_size`](crate::schemes::check_step_size) refuses lengths
    /// that are no steps.
    ///
    /// # Errors
    /// If the step has no solution; the state is then unchanged.
    fn step(&mut self, dt: f64) -> Result<StepStats, StepError>;
    /// Forces, impulses and losses of contacts so far; `None` if the stepper does not treat contacts.
    fn contacts(&self) -> Option<&ContactRecord> {
        None
    }
    /// The error of the last step, if the scheme estimates it; some estimate it better from the second step on, if asked
    /// after each.
    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        None
    }
    /// Leaves redundant constraints out of the equations from now on; their multipliers remain unchanged. Each call
    /// replaces the previous set. `false` if the scheme does not support this.
    fn leave_out(&mut self, _constraints: &[usize]) -> bool {
        false
    }
    /// The constraints that are left out.
    fn left_out(&self) -> &[usize] {
        &[]
    }
    /// The current state, for corrections of coordinates and velocities that are as small as the error of a step;
    /// `None` if the scheme does not support them.
    fn correctable(&mut self) -> Option<&mut State> {
        None
    }
    /// Undoes the last step, once; `false` if the scheme cannot, and the state is then unchanged.
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
    /// use hamel::{Scheme, initial_state, schemes::RungeKutta};
    ///
    /// let model = Oscillator::default();
    /// let start = initial_state(&model)?;
    /// let mut stepper = RungeKutta.start(&model, start.clone())?;
    /// stepper.step(0.01)?;
    /// if stepper.retreat() {
    ///     assert_eq!(stepper.state(), &start);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    fn retreat(&mut self) -> bool {
        false
    }
    /// A copy with all that the scheme remembers, which continues by itself: steps of the same lengths lead both to the same
    /// digits. `None` if the scheme has no copies.
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
    /// use hamel::{Scheme, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let mut stepper = schemes::by_name("generalized_alpha", &[])?.start(&model, initial_state(&model)?)?;
    /// stepper.step(0.01)?;
    /// let mut copy = stepper.fork().expect("a copy");
    /// stepper.step(0.01)?;
    /// assert!(copy.state().t < stepper.state().t);
    /// copy.step(0.01)?;
    /// assert_eq!(copy.state(), stepper.state());
    /// # Ok(())
    /// # }
    /// ```
    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        None
    }
    /// What the scheme carries from step to step at the start, from changes of the state; an error says why the scheme has
    /// no slopes.
    #[doc(hidden)]
    fn linear_start(&self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        Ok(())
    }
    /// What the last step did to small changes, without the constraints that are left out; an error says why the scheme
    /// has no slopes.
    #[doc(hidden)]
    fn linear_step(&mut self, _map: &mut StepMap) -> Result<(), &'static str> {
        Err("its steps have no slopes yet")
    }
    /// The impact that followed the last step; nothing where there was none, or where it was a part of the step.
    #[doc(hidden)]
    fn after_impact(&self) -> Option<Impact> {
        None
    }
    /// Whether its impacts follow its steps, so that these may end there.
    #[doc(hidden)]
    fn has_impacts_after_steps(&self) -> bool {
        false
    }
    /// Opens contacts that separate for the next step, although their gaps are zero up to rounding, so that those which close
    /// within it again collide again; from now on bounces that nobody notices end, beside the `fastest` approaches that other
    /// steppers have seen. Or, if not `are_open`, closes them again.
    #[doc(hidden)]
    fn leave_contacts(&mut self, _are_open: bool, _fastest: &[f64]) {}
    /// Continues from the current state after a jump of the forces, for example of an input that a controller has set:
    /// takes accelerations and multipliers from `next`, with which the motion of the next step is interpolated, and
    /// discards the history of previous steps. `false` if the scheme does not support this; one that remembers nothing from
    /// step to step and does not read accelerations has nothing to do.
    fn resume(&mut self, _next: &State) -> bool {
        false
    }
}

/// An impact that followed a step.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Impact {
    /// The state before it.
    pub before: State,
    /// Contacts that closed.
    pub closing: Vec<usize>,
    /// Whether a contact is closed after it.
    pub stays_closed: bool,
    /// The fastest approach of each contact so far.
    pub fastest: Vec<f64>,
}

/// An estimate of the error of a step.
///
/// Where constraints are imposed on positions or velocities, errors of velocities are those along the constraints. What
/// velocities miss the constraints by has a lower order; it counts by the displacement that it causes within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorEstimate<'s> {
    /// Error of the coordinates, in the directions of the velocities at the beginning of the step, `[nv]`.
    pub x: &'s [f64],
    /// Error of the velocities, `[nv]`.
    pub v: &'s [f64],
    /// It shrinks with the power `order + 1` of the step: the order of the embedded scheme, where there is one.
    pub order: u32,
    /// Effort of the estimate, beyond that of the step.
    pub stats: StepStats,
}
