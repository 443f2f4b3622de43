//! Matrices of few entries a row, where they are made and solved outside of steps.

use nalgebra::{DMatrix, DVector, SVD};

use crate::linear_solver::LinearSolver;
use crate::model::{Model, State};
use crate::sparsity::SparsityPattern;

/// From this many columns on, shortest solutions are found by sparse elimination, whose work grows with the number of
/// entries, instead of by a singular value decomposition.
const SPARSE_FROM: usize = 400;
/// Added to the products of rows in sparse elimination, so that rows that follow from others do no harm; repetition
/// removes what it changes.
const DAMPING: f64 = 1e-8;
/// Directions whose singular value is below this part of the largest are taken as free.
pub(crate) const RANK: f64 = 1e-10;

/// A matrix of few entries a row.
pub(crate) struct Rows {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// `(row, column, value)`.
    pub(crate) entries: Vec<(usize, usize, f64)>,
}

impl Rows {
    /// G.
    pub(crate) fn of_constraints(model: &dyn Model, state: &State) -> Self {
        let pattern = &model.describe().constraint_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
        let entries = pattern.entries().zip(values).map(|((row, column), value)| (row, column, value)).collect();
        Self { rows: pattern.rows, columns: pattern.columns, entries }
    }

    /// Adds rows below, given row by row.
    pub(crate) fn append(&mut self, dense: &[f64]) {
        for (index, &value) in dense.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            self.entries.push((self.rows + index / self.columns, index % self.columns, value));
        }
        self.rows += dense.len().checked_div(self.columns).unwrap_or(0);
    }

    /// With rows of length one; those of zeros stay.
    pub(crate) fn normalized(mut self) -> Self {
        let mut norms = vec![0.0_f64; self.rows];
        self.entries.iter().for_each(|&(row, _, value)| norms[row] = norms[row].hypot(value));
        self.entries.iter_mut().filter(|(row, ..)| norms[*row] > 0.0).for_each(|(row, _, value)| *value /= norms[*row]);
        self
    }

    pub(crate) fn transposed(self) -> Self {
        let entries = self.entries.into_iter().map(|(row, column, value)| (column, row, value)).collect();
        Self { rows: self.columns, columns: self.rows, entries }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.entries.iter().all(|(.., value)| value.is_finite())
    }

    /// `A x`.
    pub(crate) fn times(&self, x: &DVector<f64>) -> DVector<f64> {
        let mut product = DVector::zeros(self.rows);
        self.entries.iter().for_each(|&(row, column, value)| product[row] += value * x[column]);
        product
    }

    /// Row by row.
    pub(crate) fn to_vectors(&self) -> Vec<DVector<f64>> {
        let mut rows = vec![DVector::zeros(self.columns); self.rows];
        self.entries.iter().for_each(|&(row, column, value)| rows[row][column] = value);
        rows
    }

    /// The shortest x that minimizes `|A x − rhs|`; `None` when there is nothing to solve or it is not finite.
    pub(crate) fn minimum_norm_solution(&self, rhs: &DVector<f64>) -> Option<DVector<f64>> {
        if self.rows == 0 || self.columns == 0 || !self.is_finite() || !rhs.iter().all(|value| value.is_finite()) {
            return None;
        }
        if self.columns >= SPARSE_FROM {
            return Some(self.bordered(DAMPING)?.shortest(rhs));
        }
        let mut dense = DMatrix::zeros(self.rows, self.columns);
        self.entries.iter().for_each(|&(row, column, value)| dense[(row, column)] = value);
        let svd = SVD::try_new(dense, true, true, f64::EPSILON, 10_000)?;
        let smallest = RANK * svd.singular_values.max();
        svd.solve(rhs, smallest).ok()
    }

    /// `[ I, Aᵀ ; A, −ε I ]`, eliminated; `None` where that is singular to working precision.
    pub(crate) fn bordered(&self, epsilon: f64) -> Option<Bordered> {
        let n = self.columns;
        let diagonal = (0..n + self.rows).map(|i| (i, i, if i < n { 1.0 } else { -epsilon }));
        let sides = self.entries.iter().flat_map(|&(row, column, value)| {
            let row = n + row;
            [(row, column, value), (column, row, value)]
        });
        let (pattern, values) =
            SparsityPattern::with_values(n + self.rows, &diagonal.chain(sides).collect::<Vec<(usize, usize, f64)>>());
        let mut solver = LinearSolver::new(pattern);
        solver.factor(&values).ok()?;
        Some(Bordered { solver, columns: n })
    }
}

/// A matrix of rows and their transpose beside a unit matrix, eliminated.
pub(crate) struct Bordered {
    solver: LinearSolver,
    columns: usize,
}

impl Bordered {
    /// `x = Aᵀ y` with `(A Aᵀ + ε I) y = rhs`.
    pub(crate) fn shortest(&mut self, rhs: &DVector<f64>) -> DVector<f64> {
        let mut unknowns = vec![0.0; self.columns];
        unknowns.extend(rhs.iter());
        self.solver.solve(&mut unknowns);
        unknowns.truncate(self.columns);
        DVector::from_vec(unknowns)
    }

    /// What elimination leaves of the squares of the rows, by those eliminated before.
    pub(crate) fn squares(&self) -> Vec<f64> {
        self.solver.pivots().split_off(self.columns).into_iter().map(f64::abs).collect()
    }
}
