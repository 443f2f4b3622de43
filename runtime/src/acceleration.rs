//! Accelerations and multipliers from `[M, −Gᵀ; G, 0] (a, λ) = (f − h, −bias)`, for explicit schemes, impacts and
//! projections.
//!
//! The matrix depends on time and coordinates only; its last factorization is reused for other right-hand sides. M and G
//! are evaluated by themselves: the matrix of Newton's method would bring all derivatives of the forces along.

use nalgebra::{DMatrix, DVector};

use crate::linear_solver::LinearSolver;
use crate::model::{Model, State, instances};
use crate::newton::unknowns_of;
use crate::norms::largest;
use crate::prelude::*;
use crate::sparsity::SparsityPattern;
use crate::step::{StepError, StepStats, check_finite};

/// Places of M, G and −Gᵀ in the values of `[M, −Gᵀ; G, 0]`, and room for theirs.
#[derive(Clone)]
struct Parts {
    pattern: SparsityPattern,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    of_mass: Vec<u32>,
    /// Of each entry of G: in the lower rows, and in the columns on the right.
    of_jacobian: Vec<[u32; 2]>,
}

impl Parts {
    fn new(model: &dyn Model) -> Self {
        // Instances abreast have accelerations in closed form, and no equations of their own here.
        let (info, _) = instances(model);
        let (mass, jacobian) = (&info.mass_matrix, &info.constraint_jacobian);
        let nv = info.velocities.len();
        let pattern = mass.bordered(jacobian);
        let place = |row, column| pattern.slot(row, column).unwrap_or_default() as u32;
        Self {
            of_mass: mass.entries().map(|(row, column)| place(row, column)).collect(),
            of_jacobian: jacobian
                .entries()
                .map(|(row, column)| [place(nv + row, column), place(column, nv + row)])
                .collect(),
            mass: vec![0.0; mass.nnz()],
            jacobian: vec![0.0; jacobian.nnz()],
            pattern,
        }
    }

    /// The values of the matrix; M and Gᵀ of one state, G of another.
    fn evaluate(&mut self, model: &dyn Model, state: &State, rows: Option<&State>, values: &mut [f64]) {
        model.mass_matrix(state.q.as_slice(), &mut self.mass);
        for (&place, value) in self.of_mass.iter().zip(&self.mass) {
            values[place as usize] = *value;
        }
        if self.jacobian.is_empty() {
            return;
        }
        model.constraint_jacobian(state.t, state.q.as_slice(), &mut self.jacobian);
        for (&[below, beside], value) in self.of_jacobian.iter().zip(&self.jacobian) {
            (values[below as usize], values[beside as usize]) = (*value, -value);
        }
        if let Some(rows) = rows {
            model.constraint_jacobian(rows.t, rows.q.as_slice(), &mut self.jacobian);
            for (&[below, _], value) in self.of_jacobian.iter().zip(&self.jacobian) {
                values[below as usize] = *value;
            }
        }
    }
}

#[derive(Clone)]
pub(crate) struct Acceleration<'m> {
    pub(crate) model: &'m dyn Model,
    pub(crate) solver: LinearSolver,
    parts: Parts,
    values: Vec<f64>,
    /// Time and coordinates of the matrix that was factorized last; nothing if none was, or that of two states.
    of: Option<f64>,
    at: DVector<f64>,
    /// `[nv + nc]`: the right-hand side, then the solution.
    pub(crate) rhs: Vec<f64>,
    rate: Vec<f64>,
    unused: Vec<f64>,
    pub(crate) scheme: String,
    /// Time of the step's beginning, s, for errors.
    start: f64,
    pub(crate) stats: StepStats,
}

impl<'m> Acceleration<'m> {
    pub(crate) fn new(model: &'m dyn Model, scheme: String) -> Self {
        let parts = Parts::new(model);
        let solver = LinearSolver::new(parts.pattern.clone());
        let (nnz, n) = (solver.nnz(), solver.size());
        Self {
            model,
            solver,
            parts,
            values: vec![0.0; nnz],
            of: None,
            at: DVector::zeros(model.dims().nq),
            rhs: vec![0.0; n],
            rate: vec![0.0; model.dims().nc],
            unused: vec![0.0; model.dims().nc],
            scheme,
            start: 0.0,
            stats: StepStats::default(),
        }
    }

    /// Leaves constraints out of the equations from now on.
    pub(crate) fn leave_out(&mut self, constraints: &[usize]) {
        let size = self.solver.size();
        self.of = None;
        self.solver.leave_out(&unknowns_of(self.model, constraints, size));
    }

    /// The constraints that are left out.
    pub(crate) fn left_out(&self) -> Vec<usize> {
        let nv = self.model.dims().nv;
        self.solver.left_out().iter().map(|unknown| unknown - nv).collect()
    }

    /// Begins a step at this time.
    pub(crate) fn begin(&mut self, start: f64) {
        self.start = start;
        self.stats = StepStats::default();
    }

    /// Factorizes the matrix of a state, unless it was the last one.
    pub(crate) fn factor(&mut self, state: &State) -> Result<(), StepError> {
        if self.of == Some(state.t) && self.at == state.q {
            return Ok(());
        }
        self.parts.evaluate(self.model, state, None, &mut self.values);
        self.factor_values()?;
        self.of = Some(state.t);
        self.at.copy_from(&state.q);
        Ok(())
    }

    /// Factorizes the matrix of a state with the lower rows of another.
    pub(crate) fn factor_with_rows_of(&mut self, state: &State, rows: &State) -> Result<(), StepError> {
        self.parts.evaluate(self.model, state, Some(rows), &mut self.values);
        self.factor_values()
    }

    fn factor_values(&mut self) -> Result<(), StepError> {
        self.of = None;
        let iteration = self.stats.factorizations;
        if !self.values.iter().all(|value| value.is_finite()) {
            return Err(StepError::NotFinite { t: self.start, scheme: self.scheme.clone(), iteration });
        }
        self.stats.factorizations += 1;
        self.solver.factor(&self.values).map_err(|_| StepError::Singular {
            t: self.start,
            scheme: self.scheme.clone(),
            iteration,
            residual: largest(&self.rhs),
            what: "accelerations or multipliers".to_owned(),
        })
    }

    /// The matrix of the last state, dense.
    pub(crate) fn matrix(&self) -> DMatrix<f64> {
        self.parts.pattern.to_dense(&self.values)
    }

    /// a and λ of the state whose matrix was factorized last.
    pub(crate) fn accelerate(&mut self, state: &mut State) -> Result<(), StepError> {
        solve_for_acceleration(self.model, &mut self.solver, state, &mut self.rhs, &mut self.rate);
        self.check_solution()
    }

    /// Finds a and λ of a state: by the model's own function where it has one, otherwise with the factors of its matrix.
    pub(crate) fn find(&mut self, state: &mut State) -> Result<(), StepError> {
        let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_mut_slice());
        // Where that gives no finite values, elimination tells why; instances abreast are asked alone then.
        let is_usable = |a: &[f64]| self.model.abreast().is_some() || a.iter().all(|value| value.is_finite());
        if self.model.acceleration(state.t, q, v, a) && is_usable(a) {
            return Ok(());
        }
        self.eliminate(state)
    }

    /// The same by the factors of its matrix, which are there afterwards, as is the solution in `rhs`.
    pub(crate) fn eliminate(&mut self, state: &mut State) -> Result<(), StepError> {
        self.factor(state)?;
        self.accelerate(state)
    }

    /// Rejects the end of a step that is not finite; instances abreast are checked where they are taken apart.
    pub(crate) fn check_end(&self, end: &State) -> Result<(), StepError> {
        match self.model.abreast() {
            Some(_) => Ok(()),
            None => check_finite(end, self.start, &self.scheme),
        }
    }

    /// The upper part of `rhs` ← `factor (f − h)`; sets the acceleration and multipliers of the state to zero.
    pub(crate) fn forces(&mut self, factor: f64, state: &mut State) {
        state.a.fill(0.0);
        state.lambda.fill(0.0);
        let (force, rows) = self.rhs.split_at_mut(state.v.len());
        self.model.residual(state, force, rows);
        force.iter_mut().for_each(|entry| *entry *= -factor);
    }

    /// The lower part of `rhs` ← `−(G v + rate)`, with the G of the matrix factorized last.
    pub(crate) fn velocity_rows(&mut self, state: &State) {
        let (nv, v) = (state.v.len(), state.v.as_slice());
        self.model.constraint_bias(state.t, state.q.as_slice(), v, &mut self.rate, &mut self.rhs[nv..]);
        for ((row, column), value) in self.parts.pattern.entries().zip(&self.values) {
            if row >= nv {
                self.rate[row - nv] += value * v[column];
            }
        }
        for (entry, rate) in self.rhs[nv..].iter_mut().zip(&self.rate) {
            *entry = -rate;
        }
    }

    /// The upper part of `rhs` ← the change of the velocities of a state, shortest in the metric of M, that leads them onto the
    /// constraints; with the factors of that state.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub(crate) fn velocity_correction(&mut self, state: &State) -> Result<(), StepError> {
        self.rhs[..state.v.len()].fill(0.0);
        self.velocity_rows(state);
        self.solve()
    }

    /// The lower part of `rhs` ← what G a has to be, so that the constraints' accelerations vanish.
    pub(crate) fn acceleration_rows(&mut self, state: &State) {
        let (nv, q, v) = (state.v.len(), state.q.as_slice(), state.v.as_slice());
        self.model.constraint_bias(state.t, q, v, &mut self.rate, &mut self.rhs[nv..]);
        self.rhs[nv..].iter_mut().for_each(|bias| *bias = -*bias);
    }

    /// The upper part of `rhs` ← 0, the lower part ← −g.
    pub(crate) fn position_rows(&mut self, state: &State) {
        let nv = state.v.len();
        self.rhs[..nv].fill(0.0);
        self.model.constraint(state.t, state.q.as_slice(), &mut self.rhs[nv..]);
        self.rhs[nv..].iter_mut().for_each(|g| *g = -*g);
    }

    /// Replaces `rhs` by the solution for the matrix factorized last.
    pub(crate) fn solve(&mut self) -> Result<(), StepError> {
        self.solver.solve(&mut self.rhs);
        self.check_solution()
    }

    /// Work of moving constraints in an impact, J: `rhs` holds the change of velocities and the impulses of constraints.
    pub(crate) fn work_of_impulses(&mut self, state: &State) -> f64 {
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        self.model.constraint_bias(state.t, q, v, &mut self.rate, &mut self.unused);
        -self.rate.iter().zip(&self.rhs[v.len()..]).map(|(rate, impulse)| rate * impulse).sum::<f64>()
    }

    fn check_solution(&self) -> Result<(), StepError> {
        if self.rhs.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        let iteration = self.stats.factorizations;
        Err(StepError::NotFinite { t: self.start, scheme: self.scheme.clone(), iteration })
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
