//! Sparsity patterns: where matrices have entries.

/// Positions of the entries of a sparse matrix, compressed by columns; rows ascend within a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SparsityPattern {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Where each column starts in `row_indices`; `columns + 1` entries.
    pub column_starts: Vec<u32>,
    /// Row of each entry.
    pub row_indices: Vec<u32>,
}

impl SparsityPattern {
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
        Self { rows, columns, column_starts, row_indices }
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

    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.row_indices.len()
    }

    /// Range of the values of a column.
    pub fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.column_starts[column] as usize..self.column_starts[column + 1] as usize
    }

    /// Index of an entry among the values; `None` if it is not in the pattern.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.column(column);
        let place = self.row_indices[range.clone()].binary_search(&(row as u32)).ok()?;
        Some(range.start + place)
    }

    /// `(row, column)` of every entry, in storage order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.columns)
            .flat_map(move |column| self.column(column).map(move |slot| (self.row_indices[slot] as usize, column)))
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
