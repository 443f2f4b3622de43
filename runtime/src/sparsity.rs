//! Sparsity patterns: where matrices have entries.

use alloc::sync::Arc;
use core::fmt;

use crate::once::Once;
use crate::pivots::Pivots;
use crate::prelude::*;

/// Positions of the entries of a sparse matrix, compressed by columns; rows ascend within a column.
///
/// Clones share the positions, and the pivots that were found for a large matrix of this pattern.
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Columns", into = "Columns"))]
pub struct SparsityPattern {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    entries: Arc<Entries>,
}

#[derive(Default)]
struct Entries {
    column_starts: Vec<u32>,
    row_indices: Vec<u32>,
    pivots: Once<Arc<Pivots>>,
    /// A pattern of constraints, and this one with them at its border.
    bordered: Once<(SparsityPattern, SparsityPattern)>,
}

impl SparsityPattern {
    /// The pattern with so many rows, from where each column starts among the entries, `[columns + 1]`, and the row of each
    /// entry.
    ///
    /// # Panics
    /// When columns do not start in order, from the first to the end of the last entry.
    ///
    /// # Examples
    /// ```
    /// use hamel::SparsityPattern;
    ///
    /// let pattern = SparsityPattern::new(2, vec![0, 1, 3], vec![0, 0, 1]);
    /// assert_eq!(pattern, SparsityPattern::from_entries(2, 2, [(0, 0), (0, 1), (1, 1)]));
    /// ```
    pub fn new(rows: usize, column_starts: Vec<u32>, row_indices: Vec<u32>) -> Self {
        let ends = (column_starts.first().copied(), column_starts.last().copied());
        assert_eq!(ends, (Some(0), Some(row_indices.len() as u32)), "columns cover all entries");
        assert!(column_starts.is_sorted(), "columns follow each other");
        let columns = column_starts.len() - 1;
        Self { rows, columns, entries: Arc::new(Entries { column_starts, row_indices, ..Entries::default() }) }
    }

    /// Where each column starts in [`row_indices`](Self::row_indices), and the end of the last one, `[columns + 1]`.
    pub fn column_starts(&self) -> &[u32] {
        &self.entries.column_starts
    }

    /// Row of each entry, column by column.
    pub fn row_indices(&self) -> &[u32] {
        &self.entries.row_indices
    }

    /// Pivots that were found for a matrix of this pattern.
    #[doc(hidden)]
    pub fn pivots(&self) -> Option<&Arc<Pivots>> {
        self.entries.pivots.get()
    }

    /// Pivots that were found for a matrix of this pattern; those that are known already stay.
    #[doc(hidden)]
    pub fn know_pivots(&self, pivots: Arc<Pivots>) {
        if pivots.fits(self.columns) {
            self.entries.pivots.get_or_init(|| pivots);
        }
    }

    /// The pattern with these `(row, column)` entries, in any order; duplicates count once.
    ///
    /// # Examples
    /// ```
    /// use hamel::SparsityPattern;
    ///
    /// let pattern = SparsityPattern::from_entries(2, 2, [(1, 1), (0, 0), (1, 1)]);
    /// assert_eq!(pattern.entries().collect::<Vec<_>>(), [(0, 0), (1, 1)]);
    /// assert_eq!((pattern.slot(1, 1), pattern.slot(0, 1)), (Some(1), None));
    /// ```
    pub fn from_entries(rows: usize, columns: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let entries: Vec<(usize, usize)> = entries.into_iter().collect();
        let mut ends = vec![0; columns + 1];
        entries.iter().for_each(|&(_, column)| ends[column + 1] += 1);
        (0..columns).for_each(|column| ends[column + 1] += ends[column]);
        let (mut by_columns, mut next) = (vec![0; entries.len()], ends.clone());
        for (row, column) in entries {
            by_columns[next[column]] = row as u32;
            next[column] += 1;
        }
        let (mut column_starts, mut row_indices) = (vec![0], Vec::with_capacity(by_columns.len()));
        for range in ends.windows(2) {
            let column = &mut by_columns[range[0]..range[1]];
            column.sort_unstable();
            row_indices.extend(column.chunk_by(|a, b| a == b).map(|equal| equal[0]));
            column_starts.push(row_indices.len() as u32);
        }
        Self::new(rows, column_starts, row_indices)
    }

    /// The square pattern of `(row, column, value)` entries in any order, and its values; repetitions add up.
    pub(crate) fn with_values(size: usize, entries: &[(usize, usize, f64)]) -> (Self, Vec<f64>) {
        let pattern = Self::from_entries(size, size, entries.iter().map(|&(row, column, _)| (row, column)));
        let mut values = vec![0.0; pattern.nnz()];
        for &(row, column, value) in entries {
            if let Some(slot) = pattern.slot(row, column) {
                values[slot] += value;
            }
        }
        (pattern, values)
    }

    /// The pattern of `[M, −Gᵀ; G, 0]` for this one of M and one of G. It is kept for the first G, so that those who ask again
    /// share pivots.
    #[doc(hidden)]
    pub fn bordered(&self, constraints: &SparsityPattern) -> SparsityPattern {
        let make = || {
            let (nv, n) = (self.columns, self.columns + constraints.rows);
            let both = constraints.entries().flat_map(|(row, column)| [(nv + row, column), (column, nv + row)]);
            Self::from_entries(n, n, self.entries().chain(both))
        };
        let (of, bordered) = self.entries.bordered.get_or_init(|| (constraints.clone(), make()));
        if Arc::ptr_eq(&of.entries, &constraints.entries) { bordered.clone() } else { make() }
    }

    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.row_indices().len()
    }

    /// Range of the values of a column.
    pub fn column(&self, column: usize) -> core::ops::Range<usize> {
        let starts = self.column_starts();
        starts[column] as usize..starts[column + 1] as usize
    }

    /// Index of an entry among the values; `None` if it is not in the pattern.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.column(column);
        let place = self.row_indices()[range.clone()].binary_search(&(row as u32)).ok()?;
        Some(range.start + place)
    }

    /// `(row, column)` of every entry, in storage order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.row_indices();
        (0..self.columns)
            .flat_map(move |column| rows[self.column(column)].iter().map(move |&row| (row as usize, column)))
    }

    /// The dense matrix with these values.
    ///
    /// # Examples
    /// ```
    /// use hamel::SparsityPattern;
    /// use hamel::nalgebra::DMatrix;
    ///
    /// let pattern = SparsityPattern::from_entries(2, 2, [(0, 0), (1, 0), (1, 1)]);
    /// assert_eq!(pattern.to_dense(&[1.0, 2.0, 3.0]), DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 2.0, 3.0]));
    /// ```
    pub fn to_dense(&self, values: &[f64]) -> nalgebra::DMatrix<f64> {
        let mut dense = nalgebra::DMatrix::zeros(self.rows, self.columns);
        for ((row, column), &value) in self.entries().zip(values) {
            dense[(row, column)] = value;
        }
        dense
    }
}

/// Without rows and columns.
impl Default for SparsityPattern {
    fn default() -> Self {
        Self::new(0, vec![0], Vec::new())
    }
}

impl PartialEq for SparsityPattern {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
            && self.column_starts() == other.column_starts()
            && self.row_indices() == other.row_indices()
    }
}

impl Eq for SparsityPattern {}

impl fmt::Debug for SparsityPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("SparsityPattern");
        fields.field("rows", &self.rows).field("columns", &self.columns);
        fields.field("column_starts", &self.column_starts()).field("row_indices", &self.row_indices()).finish()
    }
}

/// A pattern as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Columns {
    rows: usize,
    columns: usize,
    column_starts: Vec<u32>,
    row_indices: Vec<u32>,
}

#[cfg(feature = "serde")]
impl From<SparsityPattern> for Columns {
    fn from(pattern: SparsityPattern) -> Self {
        let [column_starts, row_indices] = [pattern.column_starts(), pattern.row_indices()].map(<[u32]>::to_vec);
        Self { rows: pattern.rows, columns: pattern.columns, column_starts, row_indices }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Columns> for SparsityPattern {
    type Error = &'static str;

    fn try_from(written: Columns) -> Result<Self, Self::Error> {
        let Columns { rows, columns, column_starts, row_indices } = written;
        if rows == 0 && columns == 0 && column_starts.is_empty() && row_indices.is_empty() {
            return Ok(Self::default());
        }
        let ends = (column_starts.first().copied(), column_starts.last().map(|&end| end as usize));
        let is_whole = ends == (Some(0), Some(row_indices.len())) && column_starts.len() == columns + 1;
        match is_whole && column_starts.is_sorted() && row_indices.iter().all(|&row| (row as usize) < rows) {
            true => Ok(Self::new(rows, column_starts, row_indices)),
            false => Err("a pattern whose columns do not cover its entries, or with entries outside of its rows"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_found_again() {
        let pattern = SparsityPattern::from_entries(3, 3, [(2, 1), (0, 0), (1, 1), (2, 1), (0, 2)]);
        assert_eq!(pattern.entries().collect::<Vec<_>>(), [(0, 0), (1, 1), (2, 1), (0, 2)]);
        for (slot, (row, column)) in pattern.entries().enumerate() {
            assert_eq!(pattern.slot(row, column), Some(slot));
        }
        assert_eq!(pattern.slot(1, 0), None);
    }

    #[test]
    fn values_at_one_place_add_up() {
        let (pattern, values) = SparsityPattern::with_values(2, &[(1, 1, 2.0), (0, 1, 1.0), (1, 1, 0.5)]);
        assert_eq!(pattern.entries().zip(values).collect::<Vec<_>>(), [((0, 1), 1.0), ((1, 1), 2.5)]);
    }
}
