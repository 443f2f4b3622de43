//! Constraints that follow from others, and multipliers that are not unique.
//!
//! Where rows of G depend on each other, the motion is that under any independent set of them with the same span, and
//! `Gᵀ λ` is unique while λ is not. Schemes leave the dependent constraints out of their linear systems;
//! [`least_norm_multipliers`] spreads the forces over all of them.

use nalgebra::DVector;

use crate::linear_solver::LinearSolver;
use crate::model::{Model, State};
use crate::sparsity::OwnedPattern;

/// A constraint depends on others where its gradient, of length one, is nearer than this to their span: well above what
/// assembly to 1e-10 leaves of an exact dependence.
pub(crate) const DEPENDENT: f64 = 1e-7;
/// Up to this many constraints, gradients are made orthogonal one by one; beyond, a sparse elimination finds dependent
/// ones, whose work grows with the number of entries.
const ORTHOGONALIZED: usize = 300;
/// Added to the products of gradients in sparse elimination, so that it passes dependent ones; above the rounding of
/// thousands of terms.
const PIVOT: f64 = 1e-10;
/// Products of gradients that elimination leaves below this are those of dependent ones.
const LEAST_PIVOT: f64 = 1e-9;
/// The same where multipliers are sought; two rounds remove what it changes.
const DAMPING: f64 = 1e-10;
const ROUNDS: usize = 3;

/// Constraints whose gradients depend on those of others at the time and coordinates of a state, in ascending order.
///
/// Their multipliers are not unique. Up to 300 constraints, each of them follows from those before it.
pub fn redundant_constraints(model: &dyn Model, state: &State) -> Vec<usize> {
    dependent_constraints(model, state, DEPENDENT)
}

/// Those whose gradient, of length one, is nearer than `within` to the span of the others.
pub(crate) fn dependent_constraints(model: &dyn Model, state: &State, within: f64) -> Vec<usize> {
    let gradients = Gradients::new(model, state);
    // What is not finite is reported by whoever computes with it.
    if gradients.rows == 0 || gradients.entries.iter().any(|(.., value)| !value.is_finite()) {
        return Vec::new();
    }
    match gradients.rows <= ORTHOGONALIZED {
        true => gradients.dependent_by_orthogonalization(within),
        false => gradients.dependent_by_elimination(within),
    }
}

/// Replaces the multipliers of a state by those of least norm with the same forces `Gᵀ λ`.
///
/// Where constraints are independent they are what they were, up to rounding.
pub fn least_norm_multipliers(model: &dyn Model, state: &mut State) {
    let info = model.describe();
    let (nv, nc) = (info.velocities.len(), info.constraints.len());
    let mut values = vec![0.0; info.constraint_jacobian.nnz()];
    model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
    let forces = |lambda: &DVector<f64>| {
        let mut forces = vec![0.0; nv];
        for ((row, column), value) in info.constraint_jacobian.entries().zip(&values) {
            forces[column] += value * lambda[row];
        }
        forces
    };
    // λ = G x with (Gᵀ G + ε) x = Gᵀ λ, from [ −I, G ; Gᵀ, ε ] (λ, x) = (0, Gᵀ λ); ε relative to the size of G.
    let size = values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    let n = nc + nv;
    let entries = info.constraint_jacobian.entries();
    let pattern = OwnedPattern::from_entries(
        n,
        n,
        entries.flat_map(|(row, column)| [(row, nc + column), (nc + column, row)]).chain((0..n).map(|i| (i, i))),
    );
    let mut matrix = vec![0.0; pattern.nnz()];
    let mut set = |row: usize, column: usize, value: f64| {
        if let Some(slot) = pattern.slot(row, column) {
            matrix[slot] = value;
        }
    };
    (0..n).for_each(|i| set(i, i, if i < nc { -1.0 } else { DAMPING * size * size }));
    for ((row, column), &value) in info.constraint_jacobian.entries().zip(&values) {
        set(row, nc + column, value);
        set(nc + column, row, value);
    }
    let mut solver = LinearSolver::from_pattern(pattern);
    if nc == 0 || solver.factor(&matrix).is_err() {
        return;
    }
    let (given, mut found) = (forces(&state.lambda), DVector::<f64>::zeros(nc));
    for _ in 0..ROUNDS {
        let mut rhs = vec![0.0; nc];
        rhs.extend(given.iter().zip(forces(&found)).map(|(given, found)| given - found));
        solver.solve(&mut rhs);
        found.iter_mut().zip(&rhs).for_each(|(found, change)| *found += change);
    }
    // Forces that the damped system cannot give would be forces lost.
    let left = given.iter().zip(forces(&found)).map(|(given, found)| (given - found).abs());
    let largest = given.iter().fold(0.0_f64, |largest, force| largest.max(force.abs()));
    if left.fold(0.0, f64::max) <= LOST * largest {
        state.lambda.copy_from(&found);
    }
}

/// Multipliers of least norm give the same forces up to this part of them, or are not taken.
const LOST: f64 = 1e-8;

/// Rows of G, each of length one.
struct Gradients {
    rows: usize,
    columns: usize,
    /// `(row, column, value)`.
    entries: Vec<(usize, usize, f64)>,
}

impl Gradients {
    fn new(model: &dyn Model, state: &State) -> Self {
        let pattern = &model.describe().constraint_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
        let mut norms = vec![0.0_f64; pattern.rows];
        pattern.entries().zip(&values).for_each(|((row, _), value)| norms[row] = norms[row].hypot(*value));
        let unit = |row: usize, value: f64| if norms[row] > 0.0 { value / norms[row] } else { 0.0 };
        let entries = pattern.entries().zip(&values).map(|((row, column), &value)| (row, column, unit(row, value)));
        Self { rows: pattern.rows, columns: pattern.columns, entries: entries.collect() }
    }

    /// Row after row is freed of its parts along those before it.
    fn dependent_by_orthogonalization(&self, within: f64) -> Vec<usize> {
        let mut rows = vec![DVector::<f64>::zeros(self.columns); self.rows];
        self.entries.iter().for_each(|&(row, column, value)| rows[row][column] = value);
        let (mut basis, mut dependent): (Vec<DVector<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
        for (index, mut rest) in rows.into_iter().enumerate() {
            // The second round removes what rounding left in the first.
            for direction in [&basis, &basis].into_iter().flatten() {
                let along = rest.dot(direction);
                rest.axpy(-along, direction, 1.0);
            }
            let size = rest.norm();
            if size <= within {
                dependent.push(index);
            } else {
                basis.push(rest / size);
            }
        }
        dependent
    }

    /// Pivots of `[ I, Gᵀ ; G, −ε ]` are squares of what is left of gradients by those eliminated before.
    fn dependent_by_elimination(&self, within: f64) -> Vec<usize> {
        let n = self.columns + self.rows;
        let sides = self.entries.iter().flat_map(|&(row, column, value)| {
            let row = self.columns + row;
            [(row, column, value), (column, row, value)]
        });
        let diagonal = (0..n).map(|i| (i, i, if i < self.columns { 1.0 } else { -PIVOT }));
        let entries: Vec<(usize, usize, f64)> = sides.chain(diagonal).collect();
        let pattern = OwnedPattern::from_entries(n, n, entries.iter().map(|&(row, column, _)| (row, column)));
        let mut values = vec![0.0; pattern.nnz()];
        for (row, column, value) in entries {
            if let Some(slot) = pattern.slot(row, column) {
                values[slot] = value;
            }
        }
        let mut solver = LinearSolver::from_pattern(pattern);
        match solver.factor(&values) {
            Ok(()) => (0..self.rows)
                .filter(|&row| solver.pivot(self.columns + row).abs() <= LEAST_PIVOT.max(within * within))
                .collect(),
            Err(_) => Vec::new(),
        }
    }
}
