//! Sparsity patterns known at compile time.

/// Positions of the entries of a sparse matrix, compressed by columns; rows ascend within a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SparsityPattern {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Where each column starts in `row_indices`; `columns + 1` entries.
    pub column_starts: &'static [u32],
    /// Row of each entry.
    pub row_indices: &'static [u32],
}

impl SparsityPattern {
    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.row_indices.len()
    }

    /// `(row, column)` of every entry, in storage order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.columns).flat_map(move |column| {
            let range = self.column_starts[column] as usize..self.column_starts[column + 1] as usize;
            self.row_indices[range].iter().map(move |&row| (row as usize, column))
        })
    }

    /// The dense matrix with these values.
    pub fn to_dense(&self, values: &[f64]) -> nalgebra::DMatrix<f64> {
        let mut dense = nalgebra::DMatrix::zeros(self.rows, self.columns);
        for ((row, column), &value) in self.entries().zip(values) {
            dense[(row, column)] = value;
        }
        dense
    }
}
