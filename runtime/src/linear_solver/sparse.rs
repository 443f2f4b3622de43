//! Sparse elimination that keeps its order of pivots.
//!
//! The first matrix is eliminated in two orderings of minimum degree, and the one with less work stays. It and later
//! matrices of the same pattern are then eliminated by [`Panels`] with the same pivots, without searching. Kept pivots
//! lose accuracy silently when values move far: a pivot below a thousandth of its column, or a solution that fails its
//! residual test, makes the solver choose anew.

#[cfg(feature = "simd")]
use super::number::Number;
use super::panels::Panels;
use super::{Singular, Work, is_regular};
use crate::sparsity::SparsityPattern;

/// The diagonal entry, which the ordering counts on, becomes the pivot unless it is below this part of its column.
const DIAGONAL_RATIO: f64 = 0.02;
/// Largest residual of an accepted solution, relative to the sizes of matrix, solution and right-hand side.
pub(super) const RESIDUAL_LIMIT: f64 = 1e-11;
/// The position of a row that is no pivot yet.
const FREE: u32 = u32::MAX;

/// Elimination of the matrix with rows and columns permuted.
pub(super) struct SparseLu {
    n: usize,
    /// Orderings of the columns that are still to be compared; none, once one has been chosen.
    candidates: Vec<Vec<u32>>,
    order: Order,
    is_ordered: bool,
    /// The factors, once there are pivots.
    panels: Option<Panels<f64>>,
    work: Vec<f64>,
    rhs: Vec<f64>,
}

/// An order of pivots, and the factors that it was found with.
struct Order {
    columns: Vec<u32>,
    /// Position of each row among the pivots.
    row_position: Vec<u32>,
    /// Strictly lower part, rows ascending, unit diagonal not stored.
    lower: Factor,
    /// Rows of the strictly upper part, ascending.
    upper: Factor,
}

impl Order {
    fn new(columns: Vec<u32>) -> Self {
        let row_position = vec![FREE; columns.len()];
        Self { columns, row_position, lower: Factor::default(), upper: Factor::default() }
    }

    fn work(&self) -> Work {
        let entries = (self.lower.rows.len() + self.upper.rows.len() + self.columns.len()) as u64;
        let eliminated = self.upper.rows.iter().map(|&row| self.lower.column(row as usize).len() as u64);
        Work { entries, factor: eliminated.sum::<u64>() + self.lower.rows.len() as u64, solve: entries }
    }
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

    fn rows(&self, column: usize) -> &[u32] {
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
    pub(super) fn new(pattern: &SparsityPattern) -> Self {
        Self::with_orderings(pattern, orderings(pattern))
    }

    /// With these orderings of the columns to choose from.
    pub(super) fn with_orderings(pattern: &SparsityPattern, mut candidates: Vec<Vec<u32>>) -> Self {
        let n = pattern.columns;
        Self {
            n,
            order: Order::new(if candidates.len() == 1 { candidates.remove(0) } else { Vec::new() }),
            candidates,
            is_ordered: false,
            panels: None,
            work: vec![0.0; n],
            rhs: vec![0.0; n],
        }
    }

    /// Chooses pivots and eliminates.
    pub(super) fn factor(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        match self.candidates.is_empty() {
            true => self.factor_with_new_pivots(pattern, values)?,
            false => self.choose_ordering(pattern, values)?,
        }
        self.use_pivots(pattern, values)
    }

    /// Eliminates with kept pivots; false if there are none, or one has become too small for its column.
    pub(super) fn refactor(&mut self, values: &[f64]) -> bool {
        self.is_ordered && self.panels.as_mut().is_some_and(|panels| panels.factor(values))
    }

    /// Eliminates with the pivots chosen last.
    fn use_pivots(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        let Order { columns, row_position, lower, .. } = &self.order;
        self.panels = Some(Panels::new(pattern, columns, row_position, |position| lower.rows(position)));
        if self.refactor(values) { Ok(()) } else { Err(Singular) }
    }

    /// The order of columns, and the positions of rows among the pivots.
    #[cfg(feature = "simd")]
    pub(super) fn pivot_order(&self) -> (&[u32], &[u32]) {
        (&self.order.columns, &self.order.row_position)
    }

    /// Factors of further matrices with the pivots of the last one.
    #[cfg(feature = "simd")]
    pub(super) fn panels_in_this_order<S: Number>(&self, pattern: &SparsityPattern) -> Panels<S> {
        let Order { columns, row_position, lower, .. } = &self.order;
        Panels::new(pattern, columns, row_position, |position| lower.rows(position))
    }

    /// Keeps the ordering of columns with the least work for these values, and its pivots.
    fn choose_ordering(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        let mut best: Option<(u64, Order)> = None;
        for columns in self.candidates.clone() {
            self.order = Order::new(columns);
            self.factor_with_new_pivots(pattern, values)?;
            let work = self.order.work().factor;
            if best.as_ref().is_none_or(|&(least, _)| work < least) {
                best = Some((work, std::mem::replace(&mut self.order, Order::new(Vec::new()))));
            }
        }
        if let Some((_, order)) = best {
            self.order = order;
        }
        self.candidates.clear();
        Ok(())
    }

    pub(super) fn work(&self) -> Work {
        if self.is_ordered { self.order.work() } else { Work { entries: 0, factor: 0, solve: 0 } }
    }

    /// The pivots in the order of the columns.
    pub(super) fn pivots(&self) -> Vec<f64> {
        self.panels.as_ref().map_or_else(Vec::new, Panels::pivots)
    }

    /// Solves, and chooses new pivots when the solution does not satisfy the equations.
    pub(super) fn solve(&mut self, pattern: &SparsityPattern, values: &[f64], rhs: &mut [f64]) {
        let mut given = std::mem::take(&mut self.rhs);
        given.copy_from_slice(rhs);
        self.substitute(rhs);
        if !self.is_accurate(pattern, values, &given, rhs) && self.factor(pattern, values).is_ok() {
            rhs.copy_from_slice(&given);
            self.substitute(rhs);
        }
        self.rhs = given;
    }

    pub(super) fn substitute(&mut self, rhs: &mut [f64]) {
        if let Some(panels) = &mut self.panels {
            panels.solve(rhs);
        }
    }

    /// Eliminates column by column: each is reduced by the columns before it that it reaches, in their order, and its
    /// pivot is chosen among what is left.
    fn factor_with_new_pivots(&mut self, pattern: &SparsityPattern, values: &[f64]) -> Result<(), Singular> {
        self.is_ordered = false;
        let Self { n, work, order: Order { columns, row_position, lower, upper }, .. } = self;
        lower.clear();
        upper.clear();
        row_position.fill(FREE);
        let mut row_order: Vec<u32> = Vec::with_capacity(*n);
        // How many of the rows of a column of the lower part come first and lead to all others (Eisenstat and Liu 1992).
        let mut leading: Vec<usize> = Vec::with_capacity(*n);
        // The column in which a row was met last; the free rows of a column.
        let mut met = vec![FREE; *n];
        let mut free: Vec<u32> = Vec::new();
        for (position, &column) in columns.iter().enumerate() {
            let mut meet = |row: u32, reached: &mut Vec<u32>| {
                if std::mem::replace(&mut met[row as usize], position as u32) != position as u32 {
                    match row_position[row as usize] {
                        FREE => free.push(row),
                        pivot => reached.push(pivot),
                    }
                }
            };
            for slot in pattern.column(column as usize) {
                let row = pattern.row_indices[slot];
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
                let value = std::mem::take(&mut work[row_order[pivot as usize] as usize]);
                lower.subtract(pivot as usize, value, work);
            }

            let Some(pivot) = pivot(column, &free, row_position, work) else {
                work.fill(0.0);
                return Err(Singular);
            };
            let inverse = 1.0 / work[pivot as usize];
            for row in free.drain(..) {
                let value = std::mem::take(&mut work[row as usize]);
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
        self.is_ordered = true;
        Ok(())
    }

    fn is_accurate(&mut self, pattern: &SparsityPattern, values: &[f64], given: &[f64], solution: &[f64]) -> bool {
        let residual = &mut self.work;
        residual.copy_from_slice(given);
        for (column, x) in solution.iter().enumerate() {
            let slots = pattern.column(column);
            for (&row, value) in pattern.row_indices[slots.clone()].iter().zip(&values[slots]) {
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

/// The diagonal entry of a column if it is large enough, else the largest; none if that is round-off.
fn pivot(column: u32, free: &[u32], row_position: &[u32], work: &[f64]) -> Option<u32> {
    let size = |row: u32| work[row as usize].abs();
    let largest = free.iter().copied().max_by(|&a, &b| size(a).total_cmp(&size(b)).then(a.cmp(&b)))?;
    if !is_regular(size(largest), work.len()) {
        return None;
    }
    // The work space of rows that the column does not meet is zero.
    let takes_diagonal = row_position[column as usize] == FREE && size(column) >= DIAGONAL_RATIO * size(largest);
    Some(if takes_diagonal { column } else { largest })
}

/// Minimum degree of A + Aᵀ, with and without aggressive absorption of elements: neither is always better.
pub(super) fn orderings(pattern: &SparsityPattern) -> Vec<Vec<u32>> {
    let n = pattern.columns;
    let starts: Vec<i64> = pattern.column_starts.iter().map(|&start| i64::from(start)).collect();
    let rows: Vec<i64> = pattern.row_indices.iter().map(|&row| i64::from(row)).collect();
    let ordering = |aggressive| {
        let control = amd::Control { aggressive, ..amd::Control::default() };
        let (ordering, ..) = amd::order(n as i64, &starts, &rows, &control).ok()?;
        Some(ordering.into_iter().map(|column| column as u32).collect())
    };
    let mut found: Vec<Vec<u32>> = [true, false].into_iter().filter_map(ordering).collect();
    found.dedup();
    // The natural order is slower but as correct.
    if found.is_empty() { vec![(0..n as u32).collect()] } else { found }
}
