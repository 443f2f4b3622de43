//! Matrices of few entries a row, where they are made and solved outside of steps.

use nalgebra::{DMatrix, DVector, SVD};

use crate::linear_solver::LinearSolver;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::residuals::is_length;
use crate::sparsity::SparsityPattern;

/// From this many columns on, shortest solutions are found by sparse elimination, whose work grows with the number of
/// entries, where the result proves to be one, and otherwise by a singular value decomposition.
const SPARSE_FROM: usize = 40;
/// From this many columns on, a singular value decomposition takes too long.
const NOT_DECOMPOSED_FROM: usize = 400;
/// What a solution of elimination may leave of the right-hand side, and how large the factors of its rows may be, in
/// units of the largest value of that side.
const LEFT: f64 = 1e-12;
const LARGEST_FACTOR: f64 = 1e6;
/// Added to the products of rows in sparse elimination, so that rows that follow from others do no harm; repetition
/// removes what it changes.
const DAMPING: f64 = 1e-8;
const ROUNDS: usize = 3;
/// Rows of G with no entry above this are rounding, of directions as of lengths, where the model's lever arms count if they are
/// longer than a metre; those of mechanisms of a nanometre are longer. Of the largest coordinate that is a length, rounding
/// leaves less.
pub(crate) const ROUNDING: f64 = 1e-11;
const FAR: f64 = 1e-14;
/// Directions whose singular value is below this part of the largest are taken as free.
pub(crate) const RANK: f64 = 1e-10;

/// A matrix of few entries a row.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// `(row, column, value)`.
    pub(crate) entries: Vec<(usize, usize, f64)>,
}

/// Relative velocities along the rows of Wᵀ, those of obstacles included.
pub(crate) fn relative_velocities(model: &dyn Model, state: &State) -> Vec<f64> {
    if model.describe().contacts.is_empty() {
        return Vec::new();
    }
    let mut velocities = Rows::of_contacts(model, state).times(&state.v);
    let [mut rates, mut unused] = [(); 2].map(|()| vec![0.0; velocities.len()]);
    model.contact_bias(state.t, state.q.as_slice(), state.v.as_slice(), &mut rates, &mut unused);
    velocities.iter_mut().zip(&rates).for_each(|(velocity, rate)| *velocity += rate);
    velocities.as_slice().to_vec()
}

/// Which rows of G are rounding.
fn are_rounding(model: &dyn Model, state: &State, rows: &Rows) -> Vec<bool> {
    let info = model.describe();
    let moves = |column: usize| info.velocities[column].unit == "m/s";
    let unit = |row: usize| info.constraints[row].unit.trim_end_matches("/s");
    let (mut sizes, mut arm) = (vec![0.0_f64; rows.rows], 1.0_f64);
    for &(row, column, value) in &rows.entries {
        // What a rotation by one, or a displacement by a metre, changes.
        sizes[row] = sizes[row].max(value.abs());
        if is_length(unit(row)) && !moves(column) {
            arm = arm.max(value.abs());
        }
    }
    let coordinates = info.coordinates.iter().zip(&state.q).filter(|(coordinate, _)| is_length(&coordinate.unit));
    let largest = coordinates.fold(0.0_f64, |largest, (_, q)| largest.max(q.abs()));
    let of_lengths = ROUNDING * arm + FAR * largest;
    let is_rounding = |(row, size): (usize, &f64)| match unit(row) {
        "1" => *size <= ROUNDING,
        unit if is_length(unit) => *size <= of_lengths,
        _ => false,
    };
    sizes.iter().enumerate().map(is_rounding).collect()
}

impl Rows {
    /// G. Rows that are rounding have no entries: those of constraints that hold whatever the coordinates are, such as those
    /// of a second hinge on the axis of the first.
    pub(crate) fn of_constraints(model: &dyn Model, state: &State) -> Self {
        let fill = |values: &mut [f64]| model.constraint_jacobian(state.t, state.q.as_slice(), values);
        let mut rows = Self::filled(&model.describe().constraint_jacobian, fill);
        let are_rounding = are_rounding(model, state, &rows);
        rows.entries.retain(|(row, ..)| !are_rounding[*row]);
        rows
    }

    /// Wᵀ.
    pub(crate) fn of_contacts(model: &dyn Model, state: &State) -> Self {
        let fill = |values: &mut [f64]| model.contact_jacobian(state.t, state.q.as_slice(), values);
        Self::filled(&model.describe().contact_jacobian, fill)
    }

    /// A matrix of this pattern, with the values that are filled in.
    fn filled(pattern: &SparsityPattern, fill: impl FnOnce(&mut [f64])) -> Self {
        let mut values = vec![0.0; pattern.nnz()];
        fill(&mut values);
        let entries = pattern.entries().zip(values).map(|((row, column), value)| (row, column, value)).collect();
        Self { rows: pattern.rows, columns: pattern.columns, entries }
    }

    /// Adds so many rows below, given row by row.
    pub(crate) fn append(&mut self, rows: usize, dense: &[f64]) {
        for (index, &value) in dense.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            self.entries.push((self.rows + index / self.columns, index % self.columns, value));
        }
        self.rows += rows;
    }

    /// With rows of length one; those of zeros stay.
    pub(crate) fn normalized(mut self) -> Self {
        let norms = self.norms();
        self.entries.iter_mut().filter(|(row, ..)| norms[*row] > 0.0).for_each(|(row, _, value)| *value /= norms[*row]);
        self
    }

    /// Some of the rows, given by their indices in ascending order.
    pub(crate) fn some(self, rows: &[usize]) -> Self {
        let place = |(row, column, value)| Some((rows.binary_search(&row).ok()?, column, value));
        Self { rows: rows.len(), columns: self.columns, entries: self.entries.into_iter().filter_map(place).collect() }
    }

    /// Lengths of the rows.
    fn norms(&self) -> Vec<f64> {
        let mut norms = vec![0.0_f64; self.rows];
        self.entries.iter().for_each(|&(row, _, value)| norms[row] = norms[row].hypot(value));
        norms
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

    /// `Aᵀ y`.
    fn times_transposed(&self, y: &DVector<f64>) -> DVector<f64> {
        let mut product = DVector::zeros(self.columns);
        self.entries.iter().for_each(|&(row, column, value)| product[column] += value * y[row]);
        product
    }

    /// Row by row.
    pub(crate) fn to_vectors(&self) -> Vec<DVector<f64>> {
        let mut rows = vec![DVector::zeros(self.columns); self.rows];
        self.entries.iter().for_each(|&(row, column, value)| rows[row][column] = value);
        rows
    }

    pub(crate) fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.rows, self.columns);
        self.entries.iter().for_each(|&(row, column, value)| dense[(row, column)] = value);
        dense
    }

    /// The shortest x that minimizes `|A x − rhs|`; `None` when there is nothing to solve or it is not finite.
    pub(crate) fn minimum_norm_solution(&self, rhs: &DVector<f64>) -> Option<DVector<f64>> {
        if self.rows == 0 || self.columns == 0 || !self.is_finite() || !rhs.iter().all(|value| value.is_finite()) {
            return None;
        }
        if self.columns >= SPARSE_FROM
            && let Some(solution) = self.solution_of_independent_rows(rhs)
        {
            return Some(solution);
        }
        if self.columns >= NOT_DECOMPOSED_FROM {
            let mut bordered = self.bordered(DAMPING)?;
            let mut solution = bordered.shortest(rhs);
            for _ in 1..ROUNDS {
                solution += bordered.shortest(&(rhs - self.times(&solution)));
            }
            return Some(solution);
        }
        let svd = SVD::try_new(self.to_dense(), true, true, f64::EPSILON, 10_000)?;
        let smallest = RANK * svd.singular_values.max();
        svd.solve(rhs, smallest).ok()
    }

    /// The shortest solution of `A x = rhs` by elimination; `None` where rows are dependent or nearly so. Whatever was
    /// eliminated, `x = Aᵀ y` that solves the equations is the shortest solution.
    fn solution_of_independent_rows(&self, rhs: &DVector<f64>) -> Option<DVector<f64>> {
        let norms = self.norms();
        let scaled =
            DVector::from_fn(self.rows, |row, _| if norms[row] > 0.0 { rhs[row] / norms[row] } else { rhs[row] });
        let rows = Rows { entries: self.entries.clone(), ..*self }.normalized();
        let size = scaled.amax();
        let mut bordered = rows.bordered(0.0)?;
        let (mut x, mut factors) = bordered.solve(&scaled);
        let (correction, of_factors) = bordered.solve(&(&scaled - rows.times(&x)));
        x += correction;
        factors += of_factors;
        let is_solution = (&scaled - rows.times(&x)).amax() <= LEFT * size;
        let is_shortest = (rows.times_transposed(&factors) - &x).amax() <= LEFT * size;
        (is_solution && is_shortest && factors.amax() <= LARGEST_FACTOR * size).then_some(x)
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
        self.solve(rhs).0
    }

    /// x and y of [`shortest`](Self::shortest).
    pub(crate) fn solve(&mut self, rhs: &DVector<f64>) -> (DVector<f64>, DVector<f64>) {
        let mut x = vec![0.0; self.columns];
        x.extend(rhs.iter());
        self.solver.solve(&mut x);
        let y = x.split_off(self.columns);
        (DVector::from_vec(x), -DVector::from_vec(y))
    }

    /// What elimination leaves of the squares of the rows, by those eliminated before.
    pub(crate) fn squares(&self) -> Vec<f64> {
        self.solver.pivots().split_off(self.columns).into_iter().map(f64::abs).collect()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DVector;

    use super::{RANK, Rows};
    use crate::random::Random;

    /// A band with random values, as constraints of a chain have.
    fn band(random: &mut Random, rows: usize, columns: usize) -> Rows {
        let entries = (0..rows)
            .flat_map(|row| (0..4).map(move |i| (row, (row * columns / rows + i).min(columns - 1))))
            .collect::<std::collections::BTreeSet<_>>();
        let entries = entries.into_iter().map(|(row, column)| (row, column, 2.0 * random.next())).collect();
        Rows { rows, columns, entries }
    }

    fn by_singular_values(rows: &Rows, rhs: &DVector<f64>) -> DVector<f64> {
        let svd = rows.to_dense().svd(true, true);
        let smallest = RANK * svd.singular_values.max();
        svd.solve(rhs, smallest).unwrap_or_else(|error| unreachable!("{error}"))
    }

    #[test]
    fn elimination_finds_the_shortest_solution() {
        let mut random = Random(7);
        let mut eliminated = 0;
        for columns in (40..120).step_by(5) {
            let rows = band(&mut random, columns * 2 / 3, columns);
            let rhs = DVector::from_fn(rows.rows, |_, _| random.next());
            let expected = by_singular_values(&rows, &rhs);
            let found = rows.minimum_norm_solution(&rhs).unwrap();
            let error = (&found - &expected).amax() / expected.amax();
            assert!(error < 1e-9, "{columns} columns: {error:e}");
            eliminated += usize::from(rows.solution_of_independent_rows(&rhs).is_some());
        }
        assert!(eliminated > 12, "{eliminated} of 16 eliminated");
    }

    #[test]
    fn dependent_rows_are_not_eliminated_unless_that_gives_a_solution() {
        let mut random = Random(8);
        for in_conflict in [false, true] {
            let mut rows = band(&mut random, 40, 60);
            let copies: Vec<_> = rows.entries.iter().filter(|entry| entry.0 < 5).copied().collect();
            rows.entries.extend(copies.into_iter().map(|(row, column, value)| (40 + row, column, 3.0 * value)));
            rows.rows = 45;
            let rhs = DVector::from_fn(45, |_, _| random.next());
            let rhs = if in_conflict { rhs } else { rows.times(&rows.times_transposed(&rhs)) };
            let expected = by_singular_values(&rows, &rhs);
            let error = (rows.minimum_norm_solution(&rhs).unwrap() - &expected).amax() / expected.amax();
            assert!(error < 1e-9, "{error:e}");
            assert!(!in_conflict || rows.solution_of_independent_rows(&rhs).is_none());
        }
    }

    #[test]
    fn near_dependence_is_left_to_singular_values() {
        let mut random = Random(9);
        let mut rows = band(&mut random, 40, 60);
        // Nearly the first row: what tells them apart is no more than rounding of the equations would be.
        let copies: Vec<_> = rows.entries.iter().filter(|entry| entry.0 == 0).copied().collect();
        rows.entries.extend(copies.into_iter().map(|(_, column, value)| (40, column, value + 1e-12)));
        rows.rows = 41;
        let rhs = DVector::from_fn(41, |_, _| random.next());
        assert!(rows.solution_of_independent_rows(&rhs).is_none());
    }
}
