//! The instances of a kernel: what they gather, and where their results go, as tables of indices.
//!
//! Where many instances follow each other with equal steps of all indices, the first of them and the steps stand for all.
//! A kernel with one instance needs a table only where its local order is not the model's.

use super::groups::{Group, groups};
use super::pattern::{Pattern, Patterns, placed};
use super::placement::axes;
use super::runs::{Run, difference, is_regular, runs};
use super::vocabulary::{function_name, role_name};
use super::{Names, Schedule, ScheduledFunction, ScheduledKernel, ScheduledOutput, Series, identifier};
use crate::derive::{Equations, FunctionRole, Instance, Kernel, Role};

/// Name of the table that says which constants an instance has.
pub(crate) const ROW: &str = "constants";

/// A kernel with its instances.
pub struct Members<'a> {
    /// Name of its module.
    pub module: String,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its routines.
    pub scheduled: &'a ScheduledKernel,
    /// Its instances.
    pub instances: Vec<&'a Instance>,
    /// Their places in [`Equations::instances`].
    pub indices: Vec<usize>,
    /// Rows of parameters that make its constants.
    pub rows: &'a Series,
    /// The tables; see [`Members::table`].
    pub(crate) tables: Vec<Table>,
    /// The instances by rule; nothing if there is no table.
    pub runs: Vec<Run<Vec<i64>>>,
}

/// One index list per instance.
pub struct Table {
    /// Its name.
    pub name: String,
    /// The indices of every instance.
    pub rows: Vec<Vec<usize>>,
    /// The only row is 0, 1, 2, … to the end.
    is_identity: bool,
}

/// All kernels that have instances.
pub fn members<'a>(equations: &'a Equations, schedule: &'a Schedule, patterns: &Patterns) -> Vec<Members<'a>> {
    let mut members_of_kernel = vec![Vec::new(); equations.kernels.len()];
    for (i, instance) in equations.instances.iter().enumerate() {
        members_of_kernel[instance.kernel].push(i);
    }
    let mut modules = Names::default();
    let mut all = Vec::new();
    for (index, (kernel, indices)) in equations.kernels.iter().zip(members_of_kernel).enumerate() {
        if indices.is_empty() {
            continue;
        }
        let instances = indices.iter().map(|&i| &equations.instances[i]).collect();
        let module = modules.unique(&identifier(&kernel.name));
        let scheduled = &schedule.kernels[index];
        let (rows, tables, runs) = (&schedule.rows_of_kernel[index], Vec::new(), Vec::new());
        let mut members = Members { module, kernel, scheduled, instances, indices, rows, tables, runs };
        members.add_rows(schedule);
        members.add_gathers(equations);
        for function in &members.scheduled.functions {
            for (_, output) in function.results() {
                members.add_scatters(equations, patterns, function, output);
            }
        }
        members.find_runs();
        all.push(members);
    }
    all
}

/// Name of the table of places of a part of the linearisation in its own pattern.
pub fn own_name(role: Role) -> String {
    match role {
        Role::MassMatrix | Role::ConstraintJacobian => format!("{}_of_linearization", role_name(role)),
        role => role_name(role).to_owned(),
    }
}

/// Name of the table that says where an output of a function goes.
pub(crate) fn scatter_name(function: FunctionRole, role: Role) -> String {
    let (function, role) = (function_name(function), role_name(role));
    if function == role { function.to_owned() } else { format!("{function}_{role}") }
}

impl Members<'_> {
    /// Whether this table exists; otherwise the local order is the model's.
    pub fn has_table(&self, name: &str) -> bool {
        self.table(name).is_some()
    }

    /// The indices of every instance in this table; `None` if the local order is the model's.
    pub fn table(&self, name: &str) -> Option<&[Vec<usize>]> {
        let known = self.tables.iter().find(|table| table.name == name && !table.is_identity);
        known.map(|table| table.rows.as_slice())
    }

    /// Whether there is a single instance.
    pub fn is_single(&self) -> bool {
        self.instances.len() == 1
    }

    /// Whether the indices are given by rule.
    pub fn is_regular(&self) -> bool {
        is_regular(&self.runs)
    }

    /// Whether every one of several instances has constants that no other has.
    pub fn has_own_constants(&self) -> bool {
        !self.is_single() && self.rows.len() == self.instances.len()
    }

    /// The table of rows, where some instances share constants and others do not.
    fn add_rows(&mut self, schedule: &Schedule) {
        if (2..self.instances.len()).contains(&self.rows.len()) {
            let rows = self.indices.iter().map(|&i| vec![schedule.row_of_instance[i]]).collect();
            self.add(ROW.to_owned(), self.rows.len(), rows);
        }
    }

    fn find_runs(&mut self) {
        let tables: Vec<&Table> = self.written().collect();
        let all = |i: usize| tables.iter().flat_map(|table| table.rows[i].iter().copied()).collect::<Vec<usize>>();
        let members: Vec<Vec<usize>> = (0..self.instances.len()).map(all).collect();
        // Members without tables need no rule.
        let n = if tables.is_empty() { 0 } else { members.len() };
        self.runs = runs(n, |from, to| difference(&members[from], &members[to]));
    }

    /// The tables that differ from the model's own order.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().filter(|table| !table.is_identity)
    }

    fn add(&mut self, name: String, size: usize, rows: Vec<Vec<usize>>) {
        let is_identity = self.is_single() && rows.iter().flatten().copied().eq(0..size);
        self.tables.push(Table { name, rows, is_identity });
    }

    fn add_gathers(&mut self, equations: &Equations) {
        let layout = &equations.layout;
        let gathers: [(&str, usize, fn(&Instance) -> &Vec<usize>); 4] = [
            ("inputs", layout.inputs.len(), |member| &member.inputs),
            ("q", layout.coordinates.len(), |member| &member.q),
            ("v", layout.velocities.len(), |member| &member.v),
            ("lambda", layout.constraints.len(), |member| &member.lambda),
        ];
        let read: Vec<Group> = self
            .scheduled
            .functions
            .iter()
            .flat_map(|function| groups(&function.routine))
            .map(|(group, _)| group)
            .collect();
        for (name, size, indices) in gathers {
            if read.iter().any(|group| group.table() == Some(name)) {
                let rows = self.instances.iter().map(|member| indices(member).clone()).collect();
                self.add(name.to_owned(), size, rows);
            }
        }
    }

    fn add_scatters(
        &mut self,
        equations: &Equations,
        patterns: &Patterns,
        function: &ScheduledFunction,
        output: &ScheduledOutput,
    ) {
        let places: Vec<Vec<(usize, usize)>> =
            self.instances.iter().map(|instance| placed(instance, function.role, output)).collect();
        let in_pattern = |pattern: &Pattern, places: &[Vec<(usize, usize)>]| -> Vec<Vec<usize>> {
            places.iter().map(|row| row.iter().map(|&(i, j)| pattern.position(i, j)).collect()).collect()
        };
        let name = scatter_name(function.role, output.role);
        let nv = equations.layout.velocities.len();
        match (function.role, output.role) {
            // Energies and powers are sums.
            (_, Role::KineticEnergy | Role::PotentialEnergy | Role::Power) => {}
            (FunctionRole::Linearization, role) => {
                let whole = &patterns.iteration_matrix;
                if role == Role::ConstraintJacobian {
                    let moved = |place: fn(usize, usize, usize) -> (usize, usize)| -> Vec<Vec<(usize, usize)>> {
                        places.iter().map(|row| row.iter().map(|&(i, j)| place(i, j, nv)).collect()).collect()
                    };
                    let transposed = in_pattern(whole, &moved(|i, j, nv| (j, nv + i)));
                    self.add(format!("{name}_transposed"), whole.nnz(), transposed);
                    self.add(name, whole.nnz(), in_pattern(whole, &moved(|i, j, nv| (nv + i, j))));
                } else {
                    self.add(name, whole.nnz(), in_pattern(whole, &places));
                }
                let is_alone = equations.layout.is_linearized;
                let own = match role {
                    Role::Damping => &patterns.damping,
                    Role::Stiffness => &patterns.stiffness,
                    Role::MassMatrix if is_alone => &patterns.mass_matrix,
                    Role::ConstraintJacobian if is_alone => &patterns.constraint_jacobian,
                    _ => return,
                };
                self.add(own_name(role), own.nnz(), in_pattern(own, &places));
            }
            (FunctionRole::MassMatrix, Role::MassMatrix) => {
                self.add(name, patterns.mass_matrix.nnz(), in_pattern(&patterns.mass_matrix, &places));
            }
            (_, Role::ConstraintJacobian | Role::ContactJacobian) => {
                let is_constraint = output.role == Role::ConstraintJacobian;
                let pattern = if is_constraint { &patterns.constraint_jacobian } else { &patterns.contact_jacobian };
                self.add(name, pattern.nnz(), in_pattern(pattern, &places));
            }
            (function, _) if function.is_on_request() => {}
            (function, role) => {
                let (rows, columns) = axes(function, role, output.shape);
                let (n, m) = (rows.size(&equations.layout), columns.size(&equations.layout));
                let dense = places.iter().map(|row| row.iter().map(|&(i, j)| i * m + j).collect()).collect();
                self.add(name, n * m, dense);
            }
        }
    }
}
