//! Sparsity patterns of the model's matrices, as unions over instances.

use super::placement::axes;
use super::{Schedule, ScheduledOutput};
use crate::derive::{Equations, FunctionRole, Instance, Role};

/// Positions of a matrix's entries, by columns.
#[derive(Clone, Debug)]
pub struct Pattern {
    n_rows: usize,
    /// Where each column begins in `rows`, and the end of the last one.
    starts: Vec<usize>,
    /// Rows of the entries, upwards in each column.
    rows: Vec<usize>,
}

impl Pattern {
    /// Entries are rows and columns, in any order.
    fn new(n_rows: usize, n_columns: usize, entries: impl Iterator<Item = (usize, usize)> + Clone) -> Pattern {
        let mut ends = vec![0; n_columns + 1];
        entries.clone().for_each(|(_, column)| ends[column + 1] += 1);
        (0..n_columns).for_each(|column| ends[column + 1] += ends[column]);
        let mut sorted = vec![0; ends[n_columns]];
        let mut next = ends.clone();
        for (row, column) in entries {
            sorted[next[column]] = row;
            next[column] += 1;
        }
        let (mut starts, mut rows) = (vec![0], Vec::with_capacity(sorted.len()));
        for range in ends.windows(2) {
            let column = &mut sorted[range[0]..range[1]];
            column.sort_unstable();
            rows.extend(column.chunk_by(|a, b| a == b).map(|equal| equal[0]));
            starts.push(rows.len());
        }
        Pattern { n_rows, starts, rows }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.n_rows, self.starts.len() - 1)
    }

    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.rows.len()
    }

    /// Row and column of every entry, in storage order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        self.rows_of_columns().enumerate().flat_map(|(column, rows)| rows.iter().map(move |&row| (row, column)))
    }

    /// Storage position of an entry; the entry must be one.
    pub fn position(&self, row: usize, column: usize) -> usize {
        let start = self.starts[column];
        start + self.rows[start..self.starts[column + 1]].partition_point(|&known| known < row)
    }

    /// Where each column begins among the entries, and the end of the last one.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Rows of the entries of every column, upwards.
    pub fn rows_of_columns(&self) -> impl ExactSizeIterator<Item = &[usize]> + Clone {
        self.starts.windows(2).map(|range| &self.rows[range[0]..range[1]])
    }
}

/// The patterns of a model.
pub struct Patterns {
    /// M.
    pub mass_matrix: Pattern,
    /// ∂r/∂v.
    pub damping: Pattern,
    /// (∂r/∂q) N.
    pub stiffness: Pattern,
    /// G.
    pub constraint_jacobian: Pattern,
    /// Normals and tangents, contact by contact.
    pub contact_jacobian: Pattern,
    /// `[ M D K, −Gᵀ ; G, 0 ]`; constraints have no diagonal entries. Models make the same one at run time, in the runtime's
    /// `runs.rs`.
    pub iteration_matrix: Pattern,
}

impl Patterns {
    /// The union of what all instances fill.
    pub fn of(equations: &Equations, schedule: &Schedule) -> Patterns {
        let (nv, nc) = (equations.layout.velocities.len(), equations.layout.constraints.len());
        let union = |role, rows| Pattern::new(rows, nv, filled(equations, schedule, role).iter().copied());
        let [mass_matrix, damping, stiffness] =
            [Role::MassMatrix, Role::Damping, Role::Stiffness].map(|role| union(role, nv));
        let constraint_jacobian = union(Role::ConstraintJacobian, nc);
        let contact_jacobian = union(Role::ContactJacobian, equations.layout.contact_rows());
        let upper_left = [&mass_matrix, &damping, &stiffness].into_iter().flat_map(Pattern::entries);
        let lower_left = constraint_jacobian.entries().map(|(row, column)| (nv + row, column));
        let upper_right = constraint_jacobian.entries().map(|(row, column)| (column, nv + row));
        let iteration_matrix = Pattern::new(nv + nc, nv + nc, upper_left.chain(lower_left).chain(upper_right));
        Patterns { mass_matrix, damping, stiffness, constraint_jacobian, contact_jacobian, iteration_matrix }
    }
}

/// Rows and columns in the model that outputs with this role fill.
pub(crate) fn filled(equations: &Equations, schedule: &Schedule, role: Role) -> Vec<(usize, usize)> {
    let mut entries = Vec::new();
    for instance in &equations.instances {
        for function in &schedule.kernels[instance.kernel].functions {
            for output in function.outputs.iter().filter(|output| output.role == role) {
                entries.extend(placed(instance, function.role, output));
            }
        }
    }
    entries
}

/// Rows and columns in the model of an output's entries.
pub(crate) fn placed(instance: &Instance, function: FunctionRole, output: &ScheduledOutput) -> Vec<(usize, usize)> {
    let (rows, columns) = axes(function, output.role, output.shape);
    output.entries.iter().map(|&(row, column)| (rows.place(instance, row), columns.place(instance, column))).collect()
}
