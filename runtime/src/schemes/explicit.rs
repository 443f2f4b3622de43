//! The explicit schemes for `ẍ = f(x, ẋ, t)`: modified Euler, a scheme like Runge-Kutta's, Newmark's as predictor and
//! corrector. [simo, Sect. 4]
//!
//! The acceleration is that of the equations of motion without constraints. On rotations the changes of x move the
//! configuration by the exponential.

use nalgebra::{DMatrix, DVector};

use crate::acceleration::Acceleration;
use crate::configuration::retract;
use crate::digits::Digits;
use crate::linear_analysis::{self, Oscillator};
use crate::model::{Model, State};
use crate::norms::largest;
use crate::prelude::*;
use crate::scheme::{Options, Scheme, SideBySide, Stepper};
use crate::step::{Cause, StepError, StepStats};
use crate::tables::Range;
use crate::tangent::{Register, STATE, StepMap, retraction};

/// Euler's scheme with the new velocity in the new position; symplectic, of first order. [simo, Sect. 4.1]
///
/// # Examples
/// The scheme is symplectic: a step preserves areas in the plane of coordinate and velocity.
///
/// ```
/// use hamel::linear_analysis::Oscillator;
/// use hamel::{Scheme, schemes::ModifiedEuler};
///
/// let matrix = ModifiedEuler.amplification(Oscillator::undamped(0.7)).expect("a linear map");
/// assert!((matrix.determinant() - 1.0).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModifiedEuler;

/// A scheme of Runge-Kutta type with two evaluations. [simo, Sect. 4.2]
///
/// The source claims third order; in its corrected form it has second order, because only the position is more
/// accurate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RungeKuttaLike {
    /// Which formula the second change of position follows.
    pub form: Form,
}

/// Variant of a formula with a misprint in its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// With the misprint corrected.
    #[default]
    Corrected,
    /// As printed, which is not consistent.
    Printed,
}

/// Newmark's formulas as predictor and corrector. [simo, Sect. 4.3]
///
/// With a fixed number of corrections the scheme differs from the converged one: one correction damps, two amplify.
///
/// # Examples
/// Constant acceleration is integrated exactly for any weights: a mass falls by g t² / 2.
///
/// ```
/// # hamel::multibody! {
/// #     model Fall {
/// #         planar;
/// #         coordinates joint;
/// #         gravity [9.81, 0] m/s^2;
/// #         body stone { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint shaft: prismatic(ground, stone);
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::schemes::{Corrections, NewmarkPredictorCorrector};
/// use hamel::{Scheme, initial_state};
///
/// let fall = Fall::default();
/// let scheme = NewmarkPredictorCorrector { beta: 0.25, gamma: 0.5, corrections: Corrections::Fixed(3) };
/// let mut stepper = scheme.start(&fall, initial_state(&fall)?)?;
/// for _ in 0..10 {
///     stepper.step(0.1)?;
/// }
/// assert!((stepper.state().q[0] - 0.5 * 9.81).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewmarkPredictorCorrector {
    /// Weight of the new acceleration in the position.
    pub beta: f64,
    /// Weight of the new acceleration in the velocity; second order for ½, else first.
    pub gamma: f64,
    /// When the corrections end.
    pub corrections: Corrections,
}

/// How often a predicted state is corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Corrections {
    /// This number of times, see [`NewmarkPredictorCorrector::CORRECTIONS`].
    Fixed(u32),
    /// Until the position changes by less than this, and the velocity by less than this divided by h. The source
    /// mentions this variant as future work.
    Tolerance(f64),
}

/// The most corrections; an iteration with tolerance that needs more has failed.
const MAX_CORRECTIONS: u32 = 1000;

impl NewmarkPredictorCorrector {
    /// Range of β and γ.
    pub const WEIGHT: Range = Range::closed(0.0, 1.0);
    /// What a fixed number of corrections may be.
    pub const CORRECTIONS: Range = Range::closed(1.0, MAX_CORRECTIONS as f64).in_steps_of(1.0);
}

impl Default for NewmarkPredictorCorrector {
    fn default() -> Self {
        Self { beta: 0.25, gamma: 0.5, corrections: Corrections::Fixed(3) }
    }
}

impl Scheme for ModifiedEuler {
    fn name(&self) -> String {
        "modified Euler".to_owned()
    }

    fn key(&self) -> Option<&'static str> {
        Some("modified_euler")
    }

    fn order(&self) -> u32 {
        1
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::WithClosedForm
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(linear_analysis::modified_euler(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        _: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        start(self, model, initial, Rule::ModifiedEuler)
    }
}

impl Scheme for RungeKuttaLike {
    fn name(&self) -> String {
        match self.form {
            Form::Corrected => "Runge-Kutta-like".to_owned(),
            Form::Printed => "Runge-Kutta-like, as printed".to_owned(),
        }
    }

    fn key(&self) -> Option<&'static str> {
        Some(match self.form {
            Form::Corrected => "runge_kutta_like",
            Form::Printed => "runge_kutta_like_printed",
        })
    }

    fn order(&self) -> u32 {
        match self.form {
            Form::Corrected => 2,
            Form::Printed => 0,
        }
    }

    fn stages(&self) -> u32 {
        2
    }

    fn caution(&self) -> Option<&'static str> {
        (self.form == Form::Printed)
            .then_some("the printed formula is not consistent: its error does not fall with the step")
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::WithClosedForm
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        match self.form {
            Form::Corrected => Some(linear_analysis::runge_kutta_like(oscillator)),
            Form::Printed => None,
        }
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        _: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        if self.form == Form::Printed && model.describe().blocks.iter().any(|block| block.turn().is_some()) {
            let (scheme, model) = (self.label(), model.describe().name.clone());
            return Err(StepError::Undefined { scheme, model, reason: "the printed formula adds coordinates" });
        }
        start(self, model, initial, Rule::RungeKuttaLike(self.form))
    }
}

impl Scheme for NewmarkPredictorCorrector {
    fn name(&self) -> String {
        let (beta, gamma) = (Digits(self.beta), Digits(self.gamma));
        match self.corrections {
            Corrections::Fixed(count) => {
                format!("Newmark predictor-corrector (β = {beta}, γ = {gamma}, {count} corrections)")
            }
            Corrections::Tolerance(tolerance) => {
                format!("Newmark predictor-corrector (β = {beta}, γ = {gamma}, tolerance {tolerance:e})")
            }
        }
    }

    fn key(&self) -> Option<&'static str> {
        Some(match self.corrections {
            Corrections::Fixed(_) => "newmark_predictor_corrector",
            Corrections::Tolerance(_) => "newmark_iterated",
        })
    }

    fn order(&self) -> u32 {
        if self.gamma == 0.5 { 2 } else { 1 }
    }

    fn stages(&self) -> u32 {
        match self.corrections {
            Corrections::Fixed(count) => count + 1,
            Corrections::Tolerance(_) => 1,
        }
    }

    fn abreast(&self) -> SideBySide {
        match self.corrections {
            Corrections::Fixed(_) => SideBySide::WithClosedForm,
            Corrections::Tolerance(_) => SideBySide::Never,
        }
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        match self.corrections {
            Corrections::Fixed(count) => {
                Some(linear_analysis::newmark_corrector(self.beta, self.gamma, count, oscillator))
            }
            Corrections::Tolerance(_) => None,
        }
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        _: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let (name, value, range) = match self.corrections {
            Corrections::Fixed(count) => ("corrections", f64::from(count), Self::CORRECTIONS),
            Corrections::Tolerance(tolerance) => ("tolerance", tolerance, Range::POSITIVE),
        };
        for (name, value, range) in
            [("beta", self.beta, Self::WEIGHT), ("gamma", self.gamma, Self::WEIGHT), (name, value, range)]
        {
            super::check_range(&self.label(), name, value, range)?;
        }
        start(self, model, initial, Rule::Newmark(*self))
    }
}

#[derive(Clone)]
enum Rule {
    ModifiedEuler,
    RungeKuttaLike(Form),
    Newmark(NewmarkPredictorCorrector),
}

fn start<'m>(
    scheme: &dyn Scheme,
    model: &'m dyn Model,
    initial: State,
    rule: Rule,
) -> Result<Box<dyn Stepper + 'm>, StepError> {
    if model.dims().nc > 0 {
        let reason = "it needs accelerations that no constraint restricts; use joint coordinates";
        return Err(StepError::Undefined { scheme: scheme.label(), model: model.describe().name.clone(), reason });
    }
    let zeros = || DVector::zeros(initial.v.len());
    Ok(Box::new(ExplicitStepper {
        name: scheme.label(),
        rule,
        acceleration: Acceleration::new(model, scheme.label()),
        increment: zeros(),
        change: [zeros(), zeros()],
        corrections: 0,
        dt: 0.0,
        next: initial.clone(),
        state: initial,
    }))
}

#[derive(Clone)]
struct ExplicitStepper<'m> {
    name: String,
    rule: Rule,
    acceleration: Acceleration<'m>,
    /// The last state that was reached, with its acceleration.
    state: State,
    next: State,
    /// The increment of the coordinates.
    increment: DVector<f64>,
    /// The last correction of position and velocity, and how many there were.
    change: [DVector<f64>; 2],
    corrections: u32,
    /// Length of the last step, s.
    dt: f64,
}

impl Stepper for ExplicitStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        self.acceleration.begin(self.state.t);
        self.next.t = self.state.t + dt;
        match self.rule {
            Rule::ModifiedEuler => {
                self.set_velocity(&[(dt, Which::Old)]);
                self.move_by(&[(dt, Part::NewVelocity)]);
            }
            Rule::RungeKuttaLike(form) => self.runge_kutta_like(dt, form)?,
            Rule::Newmark(parameters) => self.newmark(dt, parameters)?,
        }
        self.acceleration.find(&mut self.next)?;
        self.acceleration.check_end(&self.next)?;
        core::mem::swap(&mut self.state, &mut self.next);
        self.dt = dt;
        Ok(self.acceleration.stats)
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        self.write_map(map).ok_or("its step could not be repeated")
    }

    fn resume(&mut self, next: &State) -> bool {
        self.state.a.copy_from(&next.a);
        self.state.lambda.copy_from(&next.lambda);
        true
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

/// The acceleration in a velocity update.
#[derive(Clone, Copy)]
enum Which {
    Old,
    New,
}

/// Terms of an increment of the coordinates.
#[derive(Clone, Copy)]
enum Part {
    OldVelocity,
    NewVelocity,
    OldAcceleration,
    NewAcceleration,
}

impl ExplicitStepper<'_> {
    /// What the last step did; its intermediate states are found again.
    fn write_map(&self, map: &mut StepMap) -> Option<()> {
        let (h, old) = (self.dt, &self.next);
        let model = self.acceleration.model;
        let blocks = &model.describe().blocks;
        let [x, v, a, _] = STATE;
        // Where an increment leads, with a velocity: sums of multiples of vectors.
        let reached = |map: &mut StepMap,
                       increment: &[(f64, Register, &DVector<f64>)],
                       velocity: &[(f64, Register, &DVector<f64>)]| {
            let sum = |terms: &[(f64, Register, &DVector<f64>)]| {
                let zero = DVector::zeros(old.v.len());
                terms.iter().fold(zero, |sum, (factor, _, vector)| sum + *vector * *factor)
            };
            let by = sum(increment);
            let mut state = State { t: old.t + h, ..old.clone() };
            retract(blocks, old.q.as_slice(), by.as_slice(), state.q.as_mut_slice());
            state.v = &old.v + sum(velocity);
            let [by_increment, by_start] = retraction(blocks, by.as_slice());
            let moved = increment.iter().map(|&(factor, register, _)| (by_increment.clone().scaled(factor), register));
            let position = map.sum([(by_start, x)].into_iter().chain(moved).collect());
            let terms: Vec<_> = velocity.iter().map(|&(factor, register, _)| (factor, register)).collect();
            let velocity = map.combine(&[&[(1.0, v)], terms.as_slice()].concat());
            (state, position, velocity)
        };
        let accelerated = |map: &mut StepMap, (mut state, position, velocity): (State, Register, Register)| {
            let mut acceleration = Acceleration::new(model, self.name.clone());
            acceleration.find(&mut state).ok()?;
            let point = map.accelerate(state.clone(), position, velocity, &[]);
            Some((point, state.a))
        };
        let (old_v, old_a) = (&old.v, &old.a);
        let point = match self.rule {
            Rule::ModifiedEuler => {
                let end = reached(map, &[(h, v, old_v), (h * h, a, old_a)], &[(h, a, old_a)]);
                accelerated(map, end)?.0
            }
            Rule::RungeKuttaLike(form) => {
                let first = reached(map, &[(h, v, old_v), (0.25 * h * h, a, old_a)], &[(h, a, old_a)]);
                let (between, f) = accelerated(map, first)?;
                let faster = [(0.5 * h, a, old_a), (0.5 * h, between.acceleration, &f)];
                let sixth = h * h / 6.0;
                let moved = [(h, v, old_v), (2.0 * sixth, a, old_a), (sixth, between.acceleration, &f)];
                let mut end = reached(map, &moved, &faster);
                if form == Form::Printed {
                    // Coordinates are added where their rates must have been meant.
                    let share = 0.5 * (1.0 + 5.0 / 12.0 * h);
                    let terms =
                        [(1.0 + 0.5 * h, x), (share * h, v), (0.25 * share * h * h, a), (sixth, between.acceleration)];
                    end.0.q.copy_from(&self.state.q);
                    end.1 = map.combine(&terms);
                }
                accelerated(map, end)?.0
            }
            Rule::Newmark(NewmarkPredictorCorrector { beta, gamma, .. }) => {
                let mut reached_last = reached(map, &[(h, v, old_v), (h * h, a, old_a)], &[(h, a, old_a)]);
                for _ in 0..self.corrections {
                    let (point, f) = accelerated(map, reached_last)?;
                    let new = point.acceleration;
                    let faster = [((1.0 - gamma) * h, a, old_a), (gamma * h, new, &f)];
                    let moved = [(h, v, old_v), ((0.5 - beta) * h * h, a, old_a), (beta * h * h, new, &f)];
                    reached_last = reached(map, &moved, &faster);
                }
                accelerated(map, reached_last)?.0
            }
        };
        map.end(point.all());
        Some(())
    }

    /// `v₁ = v₀ + Σ factor a`.
    fn set_velocity(&mut self, terms: &[(f64, Which)]) {
        self.next.v.copy_from(&self.state.v);
        for &(factor, which) in terms {
            let a = match which {
                Which::Old => &self.state.a,
                Which::New => &self.next.a,
            };
            self.next.v.axpy(factor, a, 1.0);
        }
    }

    /// `q₁ = q₀ ⊕ Σ factor part`.
    fn move_by(&mut self, terms: &[(f64, Part)]) {
        self.increment.fill(0.0);
        for &(factor, part) in terms {
            let part = match part {
                Part::OldVelocity => &self.state.v,
                Part::NewVelocity => &self.next.v,
                Part::OldAcceleration => &self.state.a,
                Part::NewAcceleration => &self.next.a,
            };
            self.increment.axpy(factor, part, 1.0);
        }
        let blocks = &self.acceleration.model.describe().blocks;
        retract(blocks, self.state.q.as_slice(), self.increment.as_slice(), self.next.q.as_mut_slice());
    }

    fn runge_kutta_like(&mut self, h: f64, form: Form) -> Result<(), StepError> {
        self.set_velocity(&[(h, Which::Old)]);
        self.move_by(&[(h, Part::OldVelocity), (0.25 * h * h, Part::OldAcceleration)]);
        self.acceleration.find(&mut self.next)?;
        match form {
            Form::Corrected => {
                // x + ½ (Δx₁ + Δx₂) with Δx₂ = h (ẋ + 5/12 Δẋ₁) + ⅓ h² f'.
                let sixth = h * h / 6.0;
                self.move_by(&[
                    (h, Part::OldVelocity),
                    (2.0 * sixth, Part::OldAcceleration),
                    (sixth, Part::NewAcceleration),
                ]);
            }
            Form::Printed => {
                // Δx₂ = h (x + 5/12 Δx₁) + ⅓ h² f': coordinates where their rates must have been meant.
                let (x, v, a, f) = (&self.state.q, &self.state.v, &self.state.a, &self.next.a);
                for i in 0..x.len() {
                    let first = h * v[i] + 0.25 * h * h * a[i];
                    let second = h * (x[i] + 5.0 / 12.0 * first) + h * h / 3.0 * f[i];
                    self.next.q[i] = x[i] + 0.5 * (first + second);
                }
            }
        }
        self.set_velocity(&[(0.5 * h, Which::Old), (0.5 * h, Which::New)]);
        Ok(())
    }

    fn newmark(&mut self, h: f64, parameters: NewmarkPredictorCorrector) -> Result<(), StepError> {
        let NewmarkPredictorCorrector { beta, gamma, corrections } = parameters;
        self.set_velocity(&[(h, Which::Old)]);
        self.move_by(&[(h, Part::NewVelocity)]);
        let most = match corrections {
            Corrections::Fixed(count) => count,
            Corrections::Tolerance(_) => MAX_CORRECTIONS,
        };
        let mut size = 0.0;
        self.corrections = 0;
        for _ in 0..most {
            self.corrections += 1;
            let [position, velocity] = &mut self.change;
            position.copy_from(&self.increment);
            velocity.copy_from(&self.next.v);
            self.acceleration.find(&mut self.next)?;
            self.set_velocity(&[((1.0 - gamma) * h, Which::Old), (gamma * h, Which::New)]);
            self.move_by(&[
                (h, Part::OldVelocity),
                ((0.5 - beta) * h * h, Part::OldAcceleration),
                (beta * h * h, Part::NewAcceleration),
            ]);
            if let Corrections::Tolerance(tolerance) = corrections {
                let [position, velocity] = &mut self.change;
                *position -= &self.increment;
                *velocity -= &self.next.v;
                size = largest(position.as_slice()).max(h * largest(velocity.as_slice()));
                if size < tolerance {
                    return Ok(());
                }
            }
        }
        match corrections {
            Corrections::Fixed(_) => Ok(()),
            Corrections::Tolerance(_) => {
                let (t, scheme) = (self.state.t, self.name.clone());
                Err(StepError::NotConverged {
                    t,
                    scheme,
                    iteration: MAX_CORRECTIONS,
                    residual: size,
                    cause: Cause::StepTooLong,
                })
            }
        }
    }
}
