//! Sparse elimination that keeps its order of pivots.
//!
//! faer orders the columns and chooses the pivots once; later matrices of the same pattern are eliminated in that
//! order, without searching. Kept pivots lose accuracy silently when values move far: a pivot below a thousandth of
//! its column, or a solution that fails its residual test, makes faer choose anew.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::perm::PermRef;
use faer::sparse::linalg::{colamd, lu::simplicial};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

use super::{Singular, Work, is_regular};
use crate::sparsity::OwnedPattern;

/// A kept pivot must not be smaller than this part of its column.
const PIVOT_RATIO: f64 = 1e-3;
/// Largest residual of an accepted solution, relative to the sizes of matrix, solution and right-hand side.
const RESIDUAL_LIMIT: f64 = 1e-11;

/// Factors of the matrix with rows and columns permuted.
pub(super) struct SparseLu {
    n: usize,
    column_order: Vec<u32>,
    column_order_inverse: Vec<u32>,
    /// Position of each row among the pivots.
    row_position: Vec<u32>,
    row_order: Vec<u32>,
    /// Strictly lower part, unit diagonal not stored.
    lower: Factor,
    /// Strictly upper part, rows ascending.
    upper: Factor,
    pivots: Vec<f64>,
    is_ordered: bool,
    work: Vec<f64>,
    rhs: Vec<f64>,
    faer: simplicial::SimplicialLu<u32, f64>,
    memory: MemBuffer,
}

/// A triangular factor, compressed by columns.
#[derive(Default)]
struct Factor {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Factor {
    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.rows.clear();
        self.values.clear();
    }

    fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }
}

impl SparseLu {
    pub(super) fn new(pattern: &OwnedPattern) -> Self {
        let n = pattern.columns;
        let needed = StackReq::or(
            colamd::order_scratch::<u32>(n, n, pattern.nnz()),
            simplicial::factorize_simplicial_numeric_lu_scratch::<u32, f64>(n, n),
        );
        let mut memory = MemBuffer::new(needed);
        let mut column_order: Vec<u32> = (0..n as u32).collect();
        let mut column_order_inverse = column_order.clone();
        let ordered = colamd::order(
            &mut column_order,
            &mut column_order_inverse,
            symbolic(pattern),
            colamd::Control::default(),
            MemStack::new(&mut memory),
        );
        if ordered.is_err() {
            // Ordering can only fail for lack of memory; the natural order is slower but as correct.
            column_order = (0..n as u32).collect();
            column_order_inverse = column_order.clone();
        }
        Self {
            n,
            column_order,
            column_order_inverse,
            row_position: vec![0; n],
            row_order: vec![0; n],
            lower: Factor::default(),
            upper: Factor::default(),
            pivots: vec![0.0; n],
            is_ordered: false,
            work: vec![0.0; n],
            rhs: vec![0.0; n],
            faer: simplicial::SimplicialLu::new(),
            memory,
        }
    }

    pub(super) fn factor(&mut self, pattern: &OwnedPattern, values: &[f64]) -> Result<(), Singular> {
        if self.is_ordered && self.refactor(pattern, values) {
            return Ok(());
        }
        self.factor_with_new_pivots(pattern, values)
    }

    pub(super) fn work(&self) -> Work {
        if !self.is_ordered {
            return Work { entries: 0, factor: 0, solve: 0 };
        }
        let entries = (self.lower.rows.len() + self.upper.rows.len() + self.n) as u64;
        let eliminated = self.upper.rows.iter().map(|&row| self.lower.column(row as usize).len() as u64);
        Work { entries, factor: eliminated.sum::<u64>() + self.lower.rows.len() as u64, solve: entries }
    }

    /// Solves, and chooses new pivots when the solution does not satisfy the equations.
    pub(super) fn solve(&mut self, pattern: &OwnedPattern, values: &[f64], rhs: &mut [f64]) {
        let mut given = std::mem::take(&mut self.rhs);
        given.copy_from_slice(rhs);
        self.substitute(rhs);
        if !self.is_accurate(pattern, values, &given, rhs) && self.factor_with_new_pivots(pattern, values).is_ok() {
            rhs.copy_from_slice(&given);
            self.substitute(rhs);
        }
        self.rhs = given;
    }

    fn factor_with_new_pivots(&mut self, pattern: &OwnedPattern, values: &[f64]) -> Result<(), Singular> {
        self.is_ordered = false;
        simplicial::factorize_simplicial_numeric_lu(
            &mut self.row_order,
            &mut self.row_position,
            &mut self.faer,
            SparseColMatRef::new(symbolic(pattern), values),
            PermRef::new_checked(&self.column_order, &self.column_order_inverse, self.n),
            MemStack::new(&mut self.memory),
        )
        .map_err(|_| Singular)?;
        self.copy_factors()?;
        self.is_ordered = true;
        Ok(())
    }

    /// Takes pivots and patterns over from faer, upper rows sorted, so that ascending order eliminates correctly.
    fn copy_factors(&mut self) -> Result<(), Singular> {
        let (l, u) = (self.faer.l_factor_unsorted(), self.faer.u_factor_unsorted());
        self.lower.clear();
        self.upper.clear();
        let mut sorted: Vec<(u32, f64)> = Vec::new();
        for column in 0..self.n {
            sorted.clear();
            sorted.extend(u.row_idx_of_col_raw(column).iter().copied().zip(u.val_of_col(column).iter().copied()));
            sorted.sort_unstable_by_key(|&(row, _)| row);
            let Some((_, pivot)) = sorted.pop() else { return Err(Singular) };
            if !is_regular(pivot, self.n) {
                return Err(Singular);
            }
            self.pivots[column] = pivot;
            self.upper.rows.extend(sorted.iter().map(|&(row, _)| row));
            self.upper.values.extend(sorted.iter().map(|&(_, value)| value));
            self.upper.starts.push(self.upper.rows.len());

            for (&row, &value) in l.row_idx_of_col_raw(column).iter().zip(l.val_of_col(column)) {
                if row as usize != column {
                    self.lower.rows.push(row);
                    self.lower.values.push(value);
                }
            }
            self.lower.starts.push(self.lower.rows.len());
        }
        Ok(())
    }

    /// Eliminates in the kept order; false when a pivot has become too small for its column.
    fn refactor(&mut self, pattern: &OwnedPattern, values: &[f64]) -> bool {
        for column in 0..self.n {
            for slot in pattern.column(self.column_order[column] as usize) {
                let row = self.row_position[pattern.row_indices[slot] as usize];
                self.work[row as usize] = values[slot];
            }
            for slot in self.upper.column(column) {
                let row = self.upper.rows[slot] as usize;
                let value = std::mem::take(&mut self.work[row]);
                self.upper.values[slot] = value;
                if value != 0.0 {
                    for below in self.lower.column(row) {
                        self.work[self.lower.rows[below] as usize] -= self.lower.values[below] * value;
                    }
                }
            }
            let pivot = std::mem::take(&mut self.work[column]);
            let inverse = 1.0 / pivot;
            let mut largest = 0.0_f64;
            for slot in self.lower.column(column) {
                let value = std::mem::take(&mut self.work[self.lower.rows[slot] as usize]);
                largest = largest.max(value.abs());
                self.lower.values[slot] = value * inverse;
            }
            let is_usable = pivot.abs() >= PIVOT_RATIO * largest && is_regular(pivot, self.n);
            if !is_usable {
                self.work.fill(0.0);
                return false;
            }
            self.pivots[column] = pivot;
        }
        true
    }

    fn substitute(&mut self, rhs: &mut [f64]) {
        let work = &mut self.work;
        for (&position, &value) in self.row_position.iter().zip(&*rhs) {
            work[position as usize] = value;
        }
        for column in 0..self.n {
            let x = work[column];
            for slot in self.lower.column(column) {
                work[self.lower.rows[slot] as usize] -= self.lower.values[slot] * x;
            }
        }
        for column in (0..self.n).rev() {
            let x = work[column] / self.pivots[column];
            work[column] = x;
            for slot in self.upper.column(column) {
                work[self.upper.rows[slot] as usize] -= self.upper.values[slot] * x;
            }
        }
        for (&column, value) in self.column_order.iter().zip(work) {
            rhs[column as usize] = std::mem::take(value);
        }
    }

    fn is_accurate(&mut self, pattern: &OwnedPattern, values: &[f64], given: &[f64], solution: &[f64]) -> bool {
        let residual = &mut self.work;
        residual.copy_from_slice(given);
        for (column, &x) in solution.iter().enumerate() {
            for slot in pattern.column(column) {
                residual[pattern.row_indices[slot] as usize] -= values[slot] * x;
            }
        }
        let largest = |vector: &[f64]| vector.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        // Entries of the scaled matrix are at most about one.
        let accurate = largest(residual) <= RESIDUAL_LIMIT * (largest(solution) + largest(given));
        residual.fill(0.0);
        accurate
    }
}

fn symbolic(pattern: &OwnedPattern) -> SymbolicSparseColMatRef<'_, u32> {
    SymbolicSparseColMatRef::new_checked(
        pattern.rows,
        pattern.columns,
        &pattern.column_starts,
        None,
        &pattern.row_indices,
    )
}
