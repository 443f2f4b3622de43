//! Sparsity patterns of the model's matrices, as unions over instances.

use std::collections::BTreeSet;

use super::placement::axes;
use super::{Schedule, ScheduledOutput};
use crate::derive::{Equations, FunctionRole, Instance, Role};

/// Positions of a matrix's entries, by columns.
#[derive(Clone, Debug)]
pub struct Pattern {
    rows: usize,
    columns: usize,
    /// Column and row.
    entries: Vec<(usize, usize)>,
}

impl Pattern {
    /// Entries are rows and columns, in any order.
    fn new(rows: usize, columns: usize, entries: impl Iterator<Item = (usize, usize)>) -> Pattern {
        let ordered: BTreeSet<(usize, usize)> = entries.map(|(row, column)| (column, row)).collect();
        Pattern { rows, columns, entries: ordered.into_iter().collect() }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Row and column of every entry, in storage order.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
        self.entries.iter().map(|&(column, row)| (row, column))
    }

    /// Storage position of an entry; the entry must be one.
    pub fn position(&self, row: usize, column: usize) -> usize {
        self.entries.partition_point(|&entry| entry < (column, row))
    }

    /// Rows of the entries of every column, upwards.
    pub fn rows_of_columns(&self) -> impl ExactSizeIterator<Item = impl Iterator<Item = usize>> {
        (0..self.columns).map(|column| {
            let [start, end] = [column, column + 1].map(|at| self.entries.partition_point(|&(known, _)| known < at));
            self.entries[start..end].iter().map(|&(_, row)| row)
        })
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
        let union = |role, rows| Pattern::new(rows, nv, filled(equations, schedule, role).into_iter());
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
fn filled(equations: &Equations, schedule: &Schedule, role: Role) -> Vec<(usize, usize)> {
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
    let (rows, columns) = axes(function, output.role);
    output.entries.iter().map(|&(row, column)| (rows.place(instance, row), columns.place(instance, column))).collect()
}
