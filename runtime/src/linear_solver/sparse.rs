//! Sparse elimination that keeps its order of pivots.
//!
//! Columns are ordered by minimum degree; of small matrices the first one is eliminated in two such orderings, and the one
//! with less work stays. It and later matrices of the same pattern are then eliminated by [`Panels`] with the same pivots,
//! without searching. Kept pivots lose accuracy silently when values move far: a pivot below a thousandth of its column, or
//! a solution that fails its residual test, makes the solver choose anew.

use alloc::sync::Arc;

use super::panels::{Panels, in_panels};
use super::{Singular, Work, is_regular};
use crate::pivots::Pivots;
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// The diagonal entry, which the ordering counts on, becomes the pivot unless it is below this part of its column.
const DIAGONAL_RATIO: f64 = 0.02;
/// Largest residual of an accepted solution, relative to the sizes of matrix, solution and right-hand side.
pub(super) const RESIDUAL_LIMIT: f64 = 1e-11;
/// The position of a row that is no pivot yet.
const FREE: u32 = u32::MAX;
/// Up to this many unknowns two orderings are compared, of which one may have twice the work of the other. That of larger
/// matrices differs by a few hundredths, and comparing takes as long as ten factorizations.
const COMPARED: usize = 1000;

/// Elimination of the matrix with rows and columns permuted.
#[derive(Clone)]
pub(super) struct SparseLu {
    n: usize,
    /// The order of the columns; empty until a matrix is given.
    columns: Vec<u32>,
    /// The factors, once there are pivots; whether the last search has found any.
    panels: Option<Panels<f64>>,
    is_ordered: bool,
    work: Vec<f64>,
    rhs: Vec<f64>,
    /// Several right-hand sides as they were given; their sum, its solution, and their weights in it.
    several: [Vec<f64>; 4],
}

/// An order of pivots, and the factors that it was found with.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) columns: Vec<u32>,
    /// Position of each row among the pivots.
    pub(super) row_position: Vec<u32>,
    /// Strictly lower part, rows ascending, unit diagonal not stored.
    pub(super) lower: Factor,
    /// Rows of the strictly upper part, ascending.
    upper: Factor,
}

impl Order {
    /// Entries of both factors, and multiplications that these cost.
    pub(super) fn work(&self) -> (u64, u64) {
        let entries = (self.lower.rows.len() + self.upper.rows.len() + self.columns.len()) as u64;
        let eliminated = self.upper.rows.iter().map(|&row| self.lower.column(row as usize).len() as u64);
        (entries, eliminated.sum::<u64>() + self.lower.rows.len() as u64)
    }
}

/// What decides on the pivot of a column.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice {
    column: u32,
    diagonal: f64,
    largest: f64,
    /// The row of the largest entry.
    row: u32,
}

impl Choice {
    /// Before any entry of this column is seen.
    pub(super) fn of(column: u32) -> Self {
        // Below every size, and as small as none.
        Self { column, diagonal: 0.0, largest: -0.0, row: 0 }
    }

    /// An entry in a row that is no pivot yet; of equal ones that of the last row counts.
    pub(super) fn see(&mut self, row: u32, entry: f64) {
        let size = entry.abs();
        if row == self.column {
            self.diagonal = size;
        }
        if size.total_cmp(&self.largest).then(row.cmp(&self.row)).is_gt() {
            (self.largest, self.row) = (size, row);
        }
    }

    /// The row of the diagonal entry if that is large enough, else of the largest; none if that is round-off in a matrix of
    /// n unknowns.
    pub(super) fn pivot(&self, n: usize) -> Option<u32> {
        let takes_diagonal = self.diagonal >= DIAGONAL_RATIO * self.largest;
        is_regular(self.largest, n).then_some(if takes_diagonal { self.column } else { self.row })
    }
}

/// A triangular factor, compressed by columns.
#[derive(Clone)]
pub(super) struct Factor {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Factor {
    /// Without columns, and with room for so many entries.
    fn new(entries: usize) -> Self {
        Self { starts: vec![0], rows: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    fn column(&self, column: usize) -> core::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    pub(super) fn rows(&self, column: usize) -> &[u32] {
        &self.rows[self.column(column)]
    }

    fn values(&self, column: usize) -> &[f64] {
        &self.values[self.column(column)]
    }

    /// Puts the rows of each column in ascending order.
    fn sort(&mut self) {
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for slots in self.starts.windows(2).map(|pair| pair[0]..pair[1]) {
            let (rows, values) = (&mut self.rows[slots.clone()], &mut self.values[slots]);
            entries.clear();
            entries.extend(rows.iter().copied().zip(values.iter().copied()));
            entries.sort_unstable_by_key(|&(row, _)| row);
            for ((row, value), entry) in rows.iter_mut().zip(values).zip(&entries) {
                (*row, *value) = *entry;
            }
        }
    }

    /// Subtracts a column times a factor.
    fn subtract(&self, column: usize, factor: f64, work: &mut [f64]) {
        for (&row, value) in self.rows(column).iter().zip(self.values(column)) {
            work[row as usize] -= value * factor;
        }
    }
}

impl SparseLu {
    /// Elimination of matrices with n unknowns.
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            columns: Vec::new(),
            panels: None,
            is_ordered: false,
            work: vec![0.0; n],
            rhs: vec![0.0; n],
            several: Default::default(),
        }
    }

    /// Chooses pivots and eliminates.
    pub(super) fn factor(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        if self.columns.is_empty() && self.takes_known_pivots(pattern, values) {
            return Ok(());
        }
        self.is_ordered = false;
        let order = match self.columns.is_empty() {
            true => self.best_order(pattern, values)?,
            false => self.order(pattern, values, self.columns.clone())?,
        };
        self.columns.clone_from(&order.columns);
        let pivots = Arc::new(in_panels(pattern, order));
        if shares_pivots(self.n) {
            pattern.know_pivots(Arc::clone(&pivots));
        }
        (self.panels, self.is_ordered) = (Some(Panels::new(pattern, pivots)), true);
        if self.refactor(values) { Ok(()) } else { Err(Singular) }
    }

    /// Eliminates with pivots that were found for another matrix, if they are those that would be found for this one.
    fn takes_known_pivots(&mut self, pattern: &SparsityPattern, values: &[f64]) -> bool {
        let Some(pivots) = pattern.pivots().filter(|_| shares_pivots(self.n)) else { return false };
        self.columns.clone_from(&pivots.columns);
        let mut panels = Panels::new(pattern, Arc::clone(pivots));
        self.is_ordered = panels.factor_as_found(values);
        self.panels = self.is_ordered.then_some(panels);
        self.is_ordered
    }

    /// Eliminates with kept pivots; false if there are none, or one has become too small for its column.
    pub(super) fn refactor(&mut self, values: &[f64]) -> bool {
        self.is_ordered && self.panels.as_mut().is_some_and(|panels| panels.factor(values))
    }

    /// The pivots of the last matrix, for others that are to have the same.
    #[cfg(feature = "simd")]
    pub(super) fn kept_pivots(&self) -> Option<&Arc<Pivots>> {
        self.panels.as_ref().filter(|_| self.is_ordered).map(Panels::pivots)
    }

    /// The ordering of columns with the least work for these values, with its pivots.
    fn best_order(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<Order, Singular> {
        let orderings = orderings(pattern).into_iter();
        let orders: Vec<Order> =
            orderings.map(|columns| self.order(pattern, values, columns)).collect::<Result<_, _>>()?;
        orders.into_iter().min_by_key(|order| order.work().1).ok_or(Singular)
    }

    pub(super) fn work(&self) -> Work {
        let Some(panels) = self.panels.as_ref().filter(|_| self.is_ordered) else {
            return Work { entries: 0, factor: 0, solve: 0 };
        };
        let Pivots { entries, multiplications, .. } = **panels.pivots();
        Work { entries, factor: multiplications, solve: entries }
    }

    /// The pivots in the order of the columns.
    pub(super) fn pivots(&self) -> Vec<f64> {
        self.panels.as_ref().map_or_else(Vec::new, Panels::values_of_pivots)
    }

    /// Solves, and chooses new pivots when the solution does not satisfy the equations.
    pub(super) fn solve(&mut self, pattern: &SparsityPattern, values: &[f64], rhs: &mut [f64]) {
        let mut given = core::mem::take(&mut self.rhs);
        given.copy_from_slice(rhs);
        self.substitute(rhs);
        if !self.is_accurate(pattern, values, &given, rhs) && self.factor(pattern, values).is_ok() {
            rhs.copy_from_slice(&given);
            self.substitute(rhs);
        }
        self.rhs = given;
    }

    /// The same for so many right-hand sides, whose entries stand together.
    pub(super) fn solve_several(
        &mut self,
        pattern: &SparsityPattern,
        values: &[f64],
        (rhs, width): (&mut [f64], usize),
    ) {
        let [mut given, mut alone, mut solution, mut weights] = core::mem::take(&mut self.several);
        given.clear();
        given.extend_from_slice(rhs);
        self.substitute_several(rhs, width);
        // One test for all: of their sum, in which each has the same weight.
        let largest = |all: &[f64], side: usize| {
            all.iter().skip(side).step_by(width).fold(0.0_f64, |largest, x| largest.max(x.abs()))
        };
        weights.clear();
        weights.extend((0..width).map(|side| match largest(&given, side) + largest(rhs, side) {
            0.0 => 0.0,
            size => 1.0 / size,
        }));
        for (sum, all) in [(&mut alone, &given[..]), (&mut solution, &*rhs)] {
            sum.clear();
            let of = |entries: &[f64]| entries.iter().zip(&weights).map(|(x, weight)| x * weight).sum::<f64>();
            sum.extend(all.chunks_exact(width).map(of));
        }
        let is_accurate = self.is_accurate(pattern, values, &alone, &solution);
        if !is_accurate && self.factor(pattern, values).is_ok() {
            rhs.copy_from_slice(&given);
            self.substitute_several(rhs, width);
        }
        self.several = [given, alone, solution, weights];
    }

    fn substitute_several(&mut self, rhs: &mut [f64], width: usize) {
        if let Some(panels) = &mut self.panels {
            panels.solve_several(rhs, width);
        }
    }

    pub(super) fn substitute(&mut self, rhs: &mut [f64]) {
        if let Some(panels) = &mut self.panels {
            panels.solve(rhs);
        }
    }

    /// Eliminates column by column: each is reduced by the columns before it that it reaches, in their order, and its
    /// pivot is chosen among what is left.
    fn order(&mut self, pattern: &SparsityPattern, values: &[f64], columns: Vec<u32>) -> Result<Order, Singular> {
        let Self { n, work, .. } = self;
        let mut row_position = vec![FREE; *n];
        let (mut lower, mut upper) = (Factor::new(pattern.nnz()), Factor::new(pattern.nnz()));
        let mut row_order: Vec<u32> = Vec::with_capacity(*n);
        // How many of the rows of a column of the lower part come first and lead to all others (Eisenstat and Liu 1992).
        let mut leading: Vec<usize> = Vec::with_capacity(*n);
        // The column in which a row was met last; the free rows of a column.
        let mut met = vec![FREE; *n];
        let mut free: Vec<u32> = Vec::new();
        for (position, &column) in columns.iter().enumerate() {
            let mut meet = |row: u32, reached: &mut Vec<u32>| {
                if core::mem::replace(&mut met[row as usize], position as u32) != position as u32 {
                    match row_position[row as usize] {
                        FREE => free.push(row),
                        pivot => reached.push(pivot),
                    }
                }
            };
            for slot in pattern.column(column as usize) {
                let row = pattern.row_indices()[slot];
                work[row as usize] = values[slot];
                meet(row, &mut upper.rows);
            }
            // The column is reduced by the pivots of its rows, and by those that they lead to.
            let first = upper.starts[position];
            let mut next = first;
            while let Some(&pivot) = upper.rows.get(next) {
                let leading = &lower.rows(pivot as usize)[..leading[pivot as usize]];
                leading.iter().for_each(|&row| meet(row, &mut upper.rows));
                next += 1;
            }
            upper.rows[first..].sort_unstable();
            upper.starts.push(upper.rows.len());
            for &pivot in &upper.rows[first..] {
                let value = core::mem::take(&mut work[row_order[pivot as usize] as usize]);
                lower.subtract(pivot as usize, value, work);
            }

            let mut choice = Choice::of(column);
            free.iter().for_each(|&row| choice.see(row, work[row as usize]));
            let Some(pivot) = choice.pivot(*n) else {
                work.fill(0.0);
                return Err(Singular);
            };
            let inverse = 1.0 / work[pivot as usize];
            for row in free.drain(..) {
                let value = core::mem::take(&mut work[row as usize]);
                if row != pivot {
                    lower.rows.push(row);
                    lower.values.push(value * inverse);
                }
            }
            lower.starts.push(lower.rows.len());
            row_position[pivot as usize] = position as u32;
            row_order.push(pivot);
            leading.push(lower.column(position).len());
            // A column that this one was reduced by, and that has its pivot's row, has no free row that this one lacks.
            for &earlier in upper.rows(position) {
                let leading = &mut leading[earlier as usize];
                let slots = lower.column(earlier as usize);
                if *leading == slots.len() && lower.rows[slots.clone()].contains(&pivot) {
                    let (rows, values) = (&mut lower.rows[slots.clone()], &mut lower.values[slots]);
                    *leading = 0;
                    for slot in 0..rows.len() {
                        if row_position[rows[slot] as usize] != FREE {
                            rows.swap(slot, *leading);
                            values.swap(slot, *leading);
                            *leading += 1;
                        }
                    }
                }
            }
        }
        for row in &mut lower.rows {
            *row = row_position[*row as usize];
        }
        lower.sort();
        Ok(Order { columns, row_position, lower, upper })
    }

    fn is_accurate(&mut self, pattern: &SparsityPattern, values: &[f64], given: &[f64], solution: &[f64]) -> bool {
        let residual = &mut self.work;
        residual.copy_from_slice(given);
        for (column, x) in solution.iter().enumerate() {
            let slots = pattern.column(column);
            for (&row, value) in pattern.row_indices()[slots.clone()].iter().zip(&values[slots]) {
                residual[row as usize] -= value * x;
            }
        }
        let largest = |vector: &[f64]| vector.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        // Entries of the scaled matrix are at most about one.
        let accurate = largest(residual) <= RESIDUAL_LIMIT * (largest(solution) + largest(given));
        residual.fill(0.0);
        accurate
    }
}

/// Whether matrices of n unknowns share pivots: the ordering of their columns depends on the pattern alone.
pub(super) fn shares_pivots(n: usize) -> bool {
    n > COMPARED
}

/// Minimum degree of A + Aᵀ with aggressive absorption of elements, and for small matrices without it: neither is always
/// better, and the counts that come with them do not tell.
fn orderings(pattern: &SparsityPattern) -> Vec<Vec<u32>> {
    let found = minimum_degree(pattern);
    // The natural order is slower but as correct.
    if found.is_empty() { vec![(0..pattern.columns as u32).collect()] } else { found }
}

/// None without the standard library, which the crate that computes them needs.
#[cfg(not(feature = "std"))]
fn minimum_degree(_pattern: &SparsityPattern) -> Vec<Vec<u32>> {
    Vec::new()
}

#[cfg(feature = "std")]
fn minimum_degree(pattern: &SparsityPattern) -> Vec<Vec<u32>> {
    let n = pattern.columns;
    let starts: Vec<i64> = pattern.column_starts().iter().map(|&start| i64::from(start)).collect();
    let rows: Vec<i64> = pattern.row_indices().iter().map(|&row| i64::from(row)).collect();
    let ordering = |&aggressive: &bool| {
        let control = amd::Control { aggressive, ..amd::Control::default() };
        let (ordering, ..) = amd::order(n as i64, &starts, &rows, &control).ok()?;
        Some(ordering.into_iter().map(|column| column as u32).collect())
    };
    let kinds: &[bool] = if n <= COMPARED { &[true, false] } else { &[true] };
    let mut found: Vec<Vec<u32>> = kinds.iter().filter_map(ordering).collect();
    found.dedup();
    found
}
