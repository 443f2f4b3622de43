//! The classical explicit Runge-Kutta scheme of fourth order, for reference solutions.
//!
//! It integrates `q̇ = N v`, `v̇ = a` with a from `[M, −Gᵀ; G, 0] (a, λ) = (f − h, −bias)`, the equations with their
//! constraints differentiated twice. After each step coordinates and velocities are projected back onto `g = 0` and
//! `ġ = 0`, in the metric of M, so that constraints do not drift. Not here: step size control.

use nalgebra::DVector;

use crate::configuration::{normalize_rotations, retract, velocity_map_apply};
use crate::linear_solver::LinearSolver;
use crate::model::{Model, State};
use crate::newton::largest;
use crate::scheme::{Scheme, StepError, StepStats, Stepper};

/// The classical scheme of Runge and Kutta, explicit, of fourth order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RungeKutta;

const NAME: &str = "Runge-Kutta";
/// Where the stages after the first stand in the step.
const STAGES: [f64; 3] = [0.5, 0.5, 1.0];
/// Weights of the four stages.
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
/// A projection whose corrections are smaller than this part of one plus the coordinates has ended.
const PROJECTED: f64 = 1e-15;
/// A projection whose last correction is larger than this part of one plus the coordinates has failed.
const PROJECTION_FAILED: f64 = 1e-12;
const MAX_PROJECTIONS: u32 = 10;

impl Scheme for RungeKutta {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn order(&self) -> u32 {
        4
    }

    fn start<'m>(&self, model: &'m dyn Model, initial: State) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let dims = model.dims();
        let solver = LinearSolver::new(&model.describe().iteration_matrix);
        Ok(Box::new(RungeKuttaStepper {
            model,
            values: vec![0.0; solver.nnz()],
            rhs: vec![0.0; solver.size()],
            rate: vec![0.0; dims.nc],
            solver,
            stage: initial.clone(),
            next: initial.clone(),
            state: initial,
            q_rate: DVector::zeros(dims.nq),
            moved: DVector::zeros(dims.nq),
            stats: StepStats::default(),
        }))
    }
}

struct RungeKuttaStepper<'m> {
    model: &'m dyn Model,
    solver: LinearSolver,
    values: Vec<f64>,
    rhs: Vec<f64>,
    rate: Vec<f64>,
    /// The last state that was reached.
    state: State,
    stage: State,
    next: State,
    q_rate: DVector<f64>,
    moved: DVector<f64>,
    stats: StepStats,
}

impl Stepper for RungeKuttaStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        super::check_step_size(NAME, dt)?;
        self.stats = StepStats::default();
        let blocks = self.model.describe().blocks;

        self.stage.copy_from(&self.state);
        self.next.q.copy_from(&self.state.q);
        self.next.v.copy_from(&self.state.v);
        for (index, weight) in WEIGHTS.into_iter().enumerate() {
            self.factor(Which::Stage, index)?;
            self.accelerate(Which::Stage, index)?;
            velocity_map_apply(blocks, self.stage.q.as_slice(), self.stage.v.as_slice(), self.q_rate.as_mut_slice());
            self.next.q.axpy(dt * weight, &self.q_rate, 1.0);
            self.next.v.axpy(dt * weight, &self.stage.a, 1.0);
            if let Some(&fraction) = STAGES.get(index) {
                self.stage.t = self.state.t + dt * fraction;
                self.stage.q.copy_from(&self.state.q);
                self.stage.q.axpy(dt * fraction, &self.q_rate, 1.0);
                self.stage.v.copy_from(&self.state.v);
                self.stage.v.axpy(dt * fraction, &self.stage.a, 1.0);
            }
        }

        self.next.t = self.state.t + dt;
        normalize_rotations(blocks, self.next.q.as_mut_slice());
        let end = WEIGHTS.len();
        self.factor(Which::Next, end)?;
        if !self.rate.is_empty() {
            self.project_coordinates()?;
            self.factor(Which::Next, end)?;
            self.project_velocities();
        }
        self.accelerate(Which::Next, end)?;
        std::mem::swap(&mut self.state, &mut self.next);
        Ok(self.stats)
    }
}

/// The state that a calculation is about.
#[derive(Clone, Copy)]
enum Which {
    Stage,
    Next,
}

impl RungeKuttaStepper<'_> {
    /// Factorizes `[M, −Gᵀ; G, 0]`; it depends on time and coordinates only.
    fn factor(&mut self, which: Which, stage: usize) -> Result<(), StepError> {
        let state = match which {
            Which::Stage => &self.stage,
            Which::Next => &self.next,
        };
        let (t, iteration) = (self.state.t, stage as u32);
        self.model.iteration_matrix(state, 1.0, 0.0, 0.0, &mut self.values);
        if !self.values.iter().all(|value| value.is_finite()) {
            return Err(StepError::NotFinite { t, scheme: NAME.to_owned(), iteration });
        }
        self.stats.factorizations += 1;
        self.solver.factor(&self.values).map_err(|_| StepError::Singular {
            t,
            scheme: NAME.to_owned(),
            iteration,
            residual: largest(&self.rhs),
        })
    }

    /// a and λ at the state whose matrix was factorized last.
    fn accelerate(&mut self, which: Which, stage: usize) -> Result<(), StepError> {
        let state = match which {
            Which::Stage => &mut self.stage,
            Which::Next => &mut self.next,
        };
        solve_for_acceleration(self.model, &mut self.solver, state, &mut self.rhs, &mut self.rate);
        if self.rhs.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        Err(StepError::NotFinite { t: self.state.t, scheme: NAME.to_owned(), iteration: stage as u32 })
    }

    /// Moves the coordinates onto `g = 0` by Newton's method with the matrix factorized last.
    fn project_coordinates(&mut self) -> Result<(), StepError> {
        let blocks = self.model.describe().blocks;
        let nv = self.next.v.len();
        let mut size = f64::INFINITY;
        for _ in 0..MAX_PROJECTIONS {
            self.rhs[..nv].fill(0.0);
            self.model.constraint(self.next.t, self.next.q.as_slice(), &mut self.rhs[nv..]);
            self.rhs[nv..].iter_mut().for_each(|g| *g = -*g);
            self.solver.solve(&mut self.rhs);
            retract(blocks, self.next.q.as_slice(), &self.rhs[..nv], self.moved.as_mut_slice());
            std::mem::swap(&mut self.next.q, &mut self.moved);
            self.stats.newton_iterations += 1;
            let previous =
                std::mem::replace(&mut size, largest(&self.rhs[..nv]) / (1.0 + largest(self.next.q.as_slice())));
            if size <= PROJECTED || (size >= previous && size <= PROJECTION_FAILED) {
                return Ok(());
            }
        }
        if size <= PROJECTION_FAILED {
            return Ok(());
        }
        let residual = largest(&self.rhs[..nv]);
        Err(StepError::NotConverged { t: self.state.t, scheme: NAME.to_owned(), iteration: MAX_PROJECTIONS, residual })
    }

    /// Moves the velocities onto `G v + rate = 0`.
    fn project_velocities(&mut self) {
        let nv = self.next.v.len();
        let (t, q, v) = (self.next.t, self.next.q.as_slice(), self.next.v.as_slice());
        // The lower rows of the matrix are G; its values are those of the pattern at rows from nv on.
        self.model.constraint_bias(t, q, v, &mut self.rate, &mut self.rhs[nv..]);
        for ((row, column), value) in self.model.describe().iteration_matrix.entries().zip(&self.values) {
            if row >= nv {
                self.rate[row - nv] += value * v[column];
            }
        }
        self.rhs[..nv].fill(0.0);
        for (entry, rate) in self.rhs[nv..].iter_mut().zip(&self.rate) {
            *entry = -rate;
        }
        self.solver.solve(&mut self.rhs);
        for (v, change) in self.next.v.iter_mut().zip(&self.rhs[..nv]) {
            *v += change;
        }
    }
}

/// Solves `[M, −Gᵀ; G, 0] (a, λ) = (f − h, −bias)` with the factorized matrix, and writes a and λ into the state.
///
/// `rhs` `[nv + nc]` holds the solution afterwards; `rate` `[nc]` is workspace.
pub(crate) fn solve_for_acceleration(
    model: &dyn Model,
    solver: &mut LinearSolver,
    state: &mut State,
    rhs: &mut [f64],
    rate: &mut [f64],
) {
    // Without acceleration and multipliers the residual is h − f.
    state.a.fill(0.0);
    state.lambda.fill(0.0);
    let (force, bias) = rhs.split_at_mut(state.v.len());
    model.residual(state, force, bias);
    model.constraint_bias(state.t, state.q.as_slice(), state.v.as_slice(), rate, bias);
    rhs.iter_mut().for_each(|entry| *entry = -*entry);
    solver.solve(rhs);
    let (acceleration, multipliers) = rhs.split_at(state.v.len());
    state.a.as_mut_slice().copy_from_slice(acceleration);
    state.lambda.as_mut_slice().copy_from_slice(multipliers);
}
