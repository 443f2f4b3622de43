//! The classical explicit Runge-Kutta scheme of fourth order, for reference solutions.
//!
//! It integrates `q̇ = N v`, `v̇ = a` with a from `[M, −Gᵀ; G, 0] (a, λ) = (f − h, −bias)`, the equations with their
//! constraints differentiated twice. After each step coordinates and velocities are projected back onto `g = 0` and
//! `ġ = 0`, in the metric of M, so that constraints do not drift. Not here: step size control.

use nalgebra::{DMatrix, DVector};

use crate::acceleration::Acceleration;
use crate::configuration::{normalize_rotations, retract, velocity_map_apply};
use crate::linear_analysis::Oscillator;
use crate::model::{Block, Model, State};
use crate::newton::largest;
use crate::scheme::{ConstraintLevel, Options, Scheme, Stepper};
use crate::step::{Cause, StepError, StepStats, check_finite};
use crate::tables::{self, Tableau};

/// The classical scheme of Runge and Kutta, explicit, of fourth order.
///
/// # Examples
/// Of fourth order: half the step leaves a sixteenth of the error.
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
/// let error = |steps: u32| -> Result<f64, Box<dyn std::error::Error>> {
///     let mut stepper = RungeKutta.start(&model, initial_state(&model)?)?;
///     for _ in 0..steps {
///         stepper.step(1.0 / f64::from(steps))?;
///     }
///     Ok((stepper.state().q[0] - 2_f64.cos()).abs())
/// };
/// let ratio = error(20)? / error(40)?;
/// assert!((ratio / 16.0 - 1.0).abs() < 0.2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RungeKutta;

/// A projection has converged when its correction is below this fraction of one plus the coordinates.
const PROJECTED: f64 = 1e-15;
/// A projection has failed if its last correction is above this fraction of one plus the coordinates.
const PROJECTION_FAILED: f64 = 1e-12;
const MAX_PROJECTIONS: u32 = 10;

impl Scheme for RungeKutta {
    fn name(&self) -> String {
        "Runge-Kutta".to_owned()
    }

    fn key(&self) -> Option<&'static str> {
        Some("runge_kutta")
    }

    fn order(&self) -> u32 {
        4
    }

    fn stages(&self) -> u32 {
        4
    }

    fn reads_accelerations(&self) -> bool {
        false
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(tables::runge_kutta4().amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let dims = model.dims();
        Ok(Box::new(RungeKuttaStepper {
            blocks: &model.describe().blocks,
            tableau: tables::runge_kutta4(),
            name: self.label(),
            acceleration: Acceleration::new(model, self.label()),
            is_constrained: dims.nc > 0,
            level: options.constraint_level.unwrap_or(self.preferred_level()),
            stage: initial.clone(),
            next: initial.clone(),
            state: initial,
            is_accelerated: false,
            q_rate: DVector::zeros(dims.nq),
            moved: DVector::zeros(dims.nq),
        }))
    }
}

struct RungeKuttaStepper<'m> {
    name: String,
    blocks: &'m [Block],
    /// Each stage depends only on the one before it.
    tableau: Tableau,
    acceleration: Acceleration<'m>,
    is_constrained: bool,
    /// Where the end of a step obeys the constraints; within a step accelerations do.
    level: ConstraintLevel,
    /// The last state that was reached.
    state: State,
    /// Whether its accelerations are those of the equations of motion at it, as the last step left it.
    is_accelerated: bool,
    stage: State,
    next: State,
    q_rate: DVector<f64>,
    moved: DVector<f64>,
}

impl Stepper for RungeKuttaStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    // What is interpolated within the next step begins with these accelerations; its stages find their own.
    fn resume(&mut self, next: &State) {
        self.is_accelerated = false;
        self.state.a.copy_from(&next.a);
        self.state.lambda.copy_from(&next.lambda);
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        self.acceleration.begin(self.state.t);
        let blocks = self.blocks;

        self.stage.copy_from(&self.state);
        self.next.q.copy_from(&self.state.q);
        self.next.v.copy_from(&self.state.v);
        for (index, weight) in self.tableau.weights.iter().enumerate() {
            if index > 0 || !self.is_accelerated {
                self.acceleration.find(&mut self.stage)?;
            }
            velocity_map_apply(blocks, self.stage.q.as_slice(), self.stage.v.as_slice(), self.q_rate.as_mut_slice());
            self.next.q.axpy(dt * weight, &self.q_rate, 1.0);
            self.next.v.axpy(dt * weight, &self.stage.a, 1.0);
            if let Some(fraction) = self.tableau.nodes.get(index + 1) {
                self.stage.t = self.state.t + dt * fraction;
                self.stage.q.copy_from(&self.state.q);
                self.stage.q.axpy(dt * fraction, &self.q_rate, 1.0);
                self.stage.v.copy_from(&self.state.v);
                self.stage.v.axpy(dt * fraction, &self.stage.a, 1.0);
            }
        }

        self.next.t = self.state.t + dt;
        normalize_rotations(blocks, self.next.q.as_mut_slice());
        if self.is_constrained {
            self.acceleration.factor(&self.next)?;
            if self.level == ConstraintLevel::Position {
                self.project_coordinates()?;
                self.acceleration.factor(&self.next)?;
            }
            if self.level != ConstraintLevel::Acceleration {
                self.project_velocities()?;
            }
        }
        self.acceleration.find(&mut self.next)?;
        check_finite(&self.next, self.state.t, &self.name)?;
        std::mem::swap(&mut self.state, &mut self.next);
        self.is_accelerated = true;
        Ok(self.acceleration.stats)
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.is_accelerated = false;
        self.acceleration.leave_out(constraints);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        self.is_accelerated = false;
        Some(&mut self.state)
    }
}

impl RungeKuttaStepper<'_> {
    /// Moves the coordinates onto `g = 0` by Newton's method with the matrix factorized last.
    fn project_coordinates(&mut self) -> Result<(), StepError> {
        let nv = self.next.v.len();
        let mut size = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            self.acceleration.position_rows(&self.next);
            self.acceleration.solve()?;
            let correction = &self.acceleration.rhs[..nv];
            retract(self.blocks, self.next.q.as_slice(), correction, self.moved.as_mut_slice());
            std::mem::swap(&mut self.next.q, &mut self.moved);
            self.acceleration.stats.newton_iterations += 1;
            let relative = largest(&self.acceleration.rhs[..nv]) / (1.0 + largest(self.next.q.as_slice()));
            let previous = std::mem::replace(&mut size, relative);
            if size <= PROJECTED || (size >= previous && size <= PROJECTION_FAILED) {
                return Ok(());
            }
        }
        if size <= PROJECTION_FAILED {
            return Ok(());
        }
        let residual = largest(&self.acceleration.rhs[..nv]);
        Err(StepError::NotConverged {
            t: self.state.t,
            scheme: self.name.clone(),
            iteration: MAX_PROJECTIONS,
            residual,
            cause: Cause::StepTooLong,
        })
    }

    /// Moves the velocities onto `G v + rate = 0`.
    fn project_velocities(&mut self) -> Result<(), StepError> {
        let nv = self.next.v.len();
        self.acceleration.velocity_rows(&self.next);
        self.acceleration.rhs[..nv].fill(0.0);
        self.acceleration.solve()?;
        for (v, change) in self.next.v.iter_mut().zip(&self.acceleration.rhs[..nv]) {
            *v += change;
        }
        Ok(())
    }
}
