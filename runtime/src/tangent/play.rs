//! Evaluation of what steps do to small changes: forwards for changes, and backwards for the slopes of results with respect
//! to them.

use nalgebra::DMatrix;

use super::blocks::{Blocks, has_own};
use super::contact_terms::{AboutToChange, ContactTerms, Touch};
use super::map::{Equations, Instant, Kind, LinearEquations, Operation, Operations, Projected, Register, Sum, Target};
use super::system::{Shape, System, Systems};
use super::terms::{RowOf, Terms, Wanted, add_full, add_sparse};
use crate::configuration::ranges;
use crate::linear_solver::Singular;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::step::ConstraintLevel;

/// Changes of what a motion depends on apart from its start: forwards, one column for each direction; backwards, where
/// slopes with respect to them are added up, one column for each result.
pub(crate) trait Outside {
    /// Parameters, `[np × k]`.
    fn parameters(&mut self) -> &mut DMatrix<f64>;
    /// Inputs at a time: forwards what they are, `[nu × k]`.
    fn inputs(&mut self, t: f64) -> DMatrix<f64>;
    /// Backwards: adds slopes with respect to the inputs at a time.
    fn add_inputs(&mut self, t: f64, slopes: &DMatrix<f64>);
}

/// Why changes are not determined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NoSlope {
    /// An equation that determines a change is singular.
    Singular {
        /// Time, s.
        t: f64,
    },
    /// An inequality in the law of a contact is about to change.
    Contact {
        /// Time, s.
        t: f64,
        /// Place of the contact among those of the model.
        contact: usize,
    },
}

/// Evaluates steps of a model.
pub(crate) struct Player<'m> {
    model: &'m dyn Model,
    blocks: &'m [Block],
    nv: usize,
    nc: usize,
    np: usize,
    /// Rows of contacts.
    nr: usize,
    wanted: Wanted,
    is_backward: bool,
    terms: Terms<'m>,
    other: Terms<'m>,
    /// Room for terms that are not in use.
    #[expect(clippy::vec_box, reason = "they are taken out and put back, a dozen lists each")]
    free: Vec<Box<Terms<'m>>>,
    #[expect(clippy::vec_box, reason = "they are taken out and put back")]
    free_contacts: Vec<Box<ContactTerms<'m>>>,
    systems: Systems,
    /// Of each velocity that belongs to a block that is no vector, the block's first velocity, its size and its place.
    own: Vec<Option<(usize, usize, usize)>>,
}

type Matrix = DMatrix<f64>;

/// The terms of an instant: of its forces, and of its constraints if they hold elsewhere.
struct TermsOf<'m> {
    forces: Box<Terms<'m>>,
    constraints: Option<Box<Terms<'m>>>,
    contacts: Option<Box<ContactTerms<'m>>>,
}

impl<'m> TermsOf<'m> {
    fn of_constraints(&self) -> &Terms<'m> {
        self.constraints.as_deref().unwrap_or(&self.forces)
    }
}

impl<'m> Player<'m> {
    pub(crate) fn new(model: &'m dyn Model, wanted: Wanted, is_backward: bool) -> Self {
        let (info, dims) = (model.describe(), model.dims());
        let mut own = vec![None; dims.nv];
        let others = ranges(&info.blocks).filter(|(block, ..)| has_own(*block));
        for (place, (_, _, v)) in others.enumerate() {
            own[v.clone()].fill(Some((v.start, v.len(), place)));
        }
        Self {
            blocks: &info.blocks,
            nv: dims.nv,
            nc: dims.nc,
            nr: info.contact_jacobian.rows,
            np: if wanted.parameters { info.differentiated.len() } else { 0 },
            wanted,
            is_backward,
            terms: Terms::new(model),
            other: Terms::new(model),
            free: Vec::new(),
            free_contacts: Vec::new(),
            systems: Systems::default(),
            own,
            model,
        }
    }

    /// Changes after a step from those before it.
    pub(crate) fn forward(
        &mut self,
        operations: &Operations,
        carried: &mut Vec<Matrix>,
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let mut registers = core::mem::take(carried);
        for operation in &operations.list {
            match operation {
                Operation::Sum(sum) => {
                    let value = self.sum(sum, &registers);
                    registers.push(value);
                }
                Operation::Solve(equations) => {
                    let results = self.solve(equations, &registers, outside)?;
                    registers.extend(results);
                }
                Operation::Force(force) => {
                    let value = self.force(&force.0, force.1, &registers, outside);
                    registers.push(value);
                }
                Operation::Project(projected) => {
                    let results = self.project(projected, &registers, outside)?;
                    registers.extend(results);
                }
            }
        }
        carried.extend(operations.outputs.iter().map(|output| registers[output.0].clone()));
        Ok(())
    }

    /// Slopes with respect to what a step begins with, from those with respect to what it ends with.
    pub(crate) fn backward(
        &mut self,
        operations: &Operations,
        carried: &mut Vec<Matrix>,
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let columns = carried.first().map_or(0, |first| first.ncols());
        let mut slopes: Vec<Option<Matrix>> = vec![None; operations.registers];
        for (output, slope) in operations.outputs.iter().zip(carried.drain(..)) {
            match &mut slopes[output.0] {
                Some(sum) => *sum += slope,
                none => *none = Some(slope),
            }
        }
        let mut end = operations.registers;
        for operation in operations.list.iter().rev() {
            let count = match operation {
                Operation::Sum(_) | Operation::Force(_) => 1,
                Operation::Project(_) => 2,
                Operation::Solve(equations) => equations.results(),
            };
            end -= count;
            if slopes[end..end + count].iter().all(Option::is_none) {
                continue;
            }
            let of: Vec<Option<Matrix>> = slopes[end..end + count].iter_mut().map(Option::take).collect();
            match operation {
                Operation::Sum(sum) => {
                    let Some(slope) = &of[0] else { continue };
                    self.sum_backward(sum, slope, &mut slopes);
                }
                Operation::Solve(equations) => self.solve_backward(equations, of, columns, &mut slopes, outside)?,
                Operation::Force(force) => {
                    let Some(slope) = &of[0] else { continue };
                    self.force_backward(&force.0, force.1, slope, &mut slopes, outside);
                }
                Operation::Project(projected) => {
                    self.project_backward(projected, of, columns, &mut slopes, outside)?;
                }
            }
        }
        let room = |register: usize, rows: usize| (register, rows);
        for (register, rows) in (0..operations.inputs).map(|k| room(k, if k == 3 { self.nc } else { self.nv })) {
            carried.push(slopes[register].take().unwrap_or_else(|| Matrix::zeros(rows, columns)));
        }
        Ok(())
    }

    fn sum(&self, sum: &Sum, registers: &[Matrix]) -> Matrix {
        let columns = registers[0].ncols();
        let rows = sum.first().map_or(self.nv, |(_, register)| registers[register.0].nrows());
        let mut value = Matrix::zeros(rows, columns);
        for (map, register) in sum {
            self.add_map(map, false, &registers[register.0], &mut value);
        }
        value
    }

    fn sum_backward(&self, sum: &Sum, slope: &Matrix, slopes: &mut [Option<Matrix>]) {
        for (map, register) in sum {
            let to = entry(slopes, *register, slope.nrows(), slope.ncols());
            self.add_map(map, true, slope, to);
        }
    }

    /// Vectors of multipliers have no blocks.
    fn add_map(&self, map: &Blocks, is_transposed: bool, x: &Matrix, out: &mut Matrix) {
        if x.nrows() == self.nv {
            map.add_product(self.blocks, is_transposed, x, out);
        } else {
            *out += x * map.factor;
        }
    }

    fn levels(&self, levels: [ConstraintLevel; 2]) -> Vec<ConstraintLevel> {
        let on_velocities = self.model.describe().velocity_constraints;
        let of = |row: usize| levels[usize::from(row >= self.nc - on_velocities)];
        (0..self.nc).map(of).collect()
    }

    /// `out[first..] += factor · (rows of constraints by ξ, v or a) x`, or transposed, with x from a row on.
    fn add_rows(
        &self,
        terms: &Terms,
        levels: &[ConstraintLevel],
        (by, factor, is_transposed): (usize, f64, bool),
        (x, first_of_x): (&Matrix, usize),
        (out, first): (&mut Matrix, usize),
    ) {
        let mut add = |row: usize, column: usize, value: f64| {
            let (to, from) = if is_transposed { (column, row) } else { (row, column) };
            for k in 0..x.ncols() {
                out[(first + to, k)] += factor * value * x[(first_of_x + from, k)];
            }
        };
        let rows: Vec<RowOf> = levels.iter().enumerate().map(|(row, &level)| terms.row(row, level).by[by]).collect();
        for (row, of) in rows.iter().enumerate() {
            if let RowOf::Full(values) = of {
                values.iter().enumerate().for_each(|(column, &value)| add(row, column, value));
            }
        }
        let pattern = &self.model.describe().constraint_jacobian;
        for ((row, column), &value) in pattern.entries().zip(&terms.jacobian) {
            if matches!(rows[row], RowOf::Gradient) {
                add(row, column, value);
            }
        }
    }

    /// Adds the entries of a matrix times a map of blocks to a system.
    fn assemble(
        &self,
        system: &mut System,
        (row, column, value): (usize, usize, f64),
        first: [usize; 2],
        map: &Blocks,
    ) {
        let [first_row, first_column] = first;
        match self.own[column].and_then(|(start, size, place)| Some((start, size, map.own(place)?))) {
            Some((start, size, own)) => {
                for k in 0..size {
                    let factor = own[(column - start, k)];
                    system.add(first_row + row, first_column + start + k, value * factor);
                }
            }
            None => system.add(first_row + row, first_column + column, value * map.factor),
        }
    }

    /// The entries of the matrices of blocks, row by row.
    fn entries<'b>(&'b self, map: &'b Blocks) -> impl Iterator<Item = (usize, usize, f64)> + 'b {
        let places = (0..self.nv).filter_map(|row| self.own[row].map(|own| (row, own)));
        places.flat_map(move |(row, (start, size, place))| {
            let own = map.own(place);
            (0..size).filter_map(move |k| own.map(|own| (row, start + k, own[(row - start, k)])))
        })
    }

    /// The system of some equations, factorized, by its place, with the terms of every instant.
    fn factor(&mut self, equations: &Equations) -> Result<(usize, Vec<TermsOf<'m>>), NoSlope> {
        let LinearEquations { instants, levels, left_out } = &equations.linear;
        let (n, info) = (self.size(equations), self.model.describe());
        let is_impact = equations.kind == Kind::Impact;
        let mut evaluated = |state: &State| {
            let mut terms = self.free.pop().unwrap_or_else(|| Box::new(Terms::new(self.model)));
            if is_impact {
                terms.evaluate_impact(state, &mut self.other, self.wanted);
            } else {
                terms.evaluate(state, self.wanted);
            }
            terms
        };
        let terms_of = |instant: &Instant| TermsOf {
            forces: evaluated(&instant.state),
            constraints: instant.constrained.as_ref().map(|instant| evaluated(&instant.state)),
            contacts: None,
        };
        let mut all: Vec<TermsOf> = instants.iter().map(terms_of).collect();
        self.evaluate_contacts(equations, &mut all)?;
        let fill = |shape: &mut Shape| {
            let levels = levels.map(|level| level as u8);
            shape.begin(instants.len(), levels, left_out);
            for instant in instants.iter().flat_map(|instant| [Some(instant), instant.constrained.as_deref()]).flatten()
            {
                for ((position, velocity), acceleration) in
                    instant.position.iter().zip(&instant.velocity).zip(&instant.acceleration)
                {
                    shape.zeros.extend([position.is_zero(), velocity.is_zero(), *acceleration == 0.0]);
                }
                shape.zeros.push(instant.follows.is_none());
            }
            // What follows differs from what is without contacts by its length.
            let rules = all.iter().filter_map(|terms| terms.contacts.as_ref()).flat_map(|contacts| &contacts.rules);
            shape.zeros.extend(rules.flat_map(|rule| [rule.state == Touch::Open, rule.state == Touch::Slide]));
        };
        let (first, is_backward) = (self.nv, self.is_backward);
        let new = || {
            let rows = (0..instants.len()).flat_map(|i| left_out.iter().map(move |row| i * n + first + row));
            System::new(n * instants.len(), is_backward, rows.collect())
        };
        let (place, mut system) = self.systems.take(fill, new);
        system.begin();
        let levels = self.levels(*levels);
        for (i, (instant, terms)) in instants.iter().zip(&all).enumerate() {
            for j in 0..instants.len() {
                let acceleration = Blocks::uniform(instant.acceleration[j]);
                let maps = [&instant.position[j], &instant.velocity[j], &acceleration];
                for (map, (pattern, values)) in maps.iter().zip(self.matrices(&terms.forces)) {
                    for ((row, column), &value) in pattern.entries().zip(values).filter(|_| !map.is_zero()) {
                        self.assemble(&mut system, (row, column, value), [i * n, j * n], map);
                    }
                }
                for (row, column, value) in instant.follows.iter().flat_map(|follows| self.entries(follows)) {
                    self.assemble(&mut system, (row, column, -value), [i * n, j * n], maps[0]);
                }
                let (instant, terms) = (instant.of_constraints(), terms.of_constraints());
                let acceleration = Blocks::uniform(instant.acceleration[j]);
                let maps = [&instant.position[j], &instant.velocity[j], &acceleration];
                let first = [i * n + self.nv, j * n];
                for (row, &level) in levels.iter().enumerate() {
                    for (map, by) in maps.iter().zip(terms.row(row, level).by).filter(|(map, _)| !map.is_zero()) {
                        if let RowOf::Full(values) = by {
                            for (column, &value) in values.iter().enumerate() {
                                self.assemble(&mut system, (row, column, value), first, map);
                            }
                        }
                    }
                }
                for ((row, column), &value) in info.constraint_jacobian.entries().zip(&terms.jacobian) {
                    let by = terms.row(row, levels[row]).by;
                    let maps = maps.iter().zip(by).filter(|(map, by)| matches!(by, RowOf::Gradient) && !map.is_zero());
                    for (map, _) in maps {
                        self.assemble(&mut system, (row, column, value), first, map);
                    }
                }
            }
            for ((row, column), &value) in info.constraint_jacobian.entries().zip(&terms.forces.jacobian) {
                system.add(i * n + column, i * n + self.nv + row, -value);
            }
            if let Some(contacts) = &terms.contacts {
                self.assemble_contacts(&mut system, (i, instants), contacts, n);
            }
        }
        let t = instants.first().map_or(0.0, |instant| instant.state.t);
        system.factor().map_err(|Singular| NoSlope::Singular { t })?;
        self.systems.put_back(place, system);
        Ok((place, all))
    }

    fn solve(
        &mut self,
        equations: &Equations,
        registers: &[Matrix],
        outside: &mut dyn Outside,
    ) -> Result<Vec<Matrix>, NoSlope> {
        let (place, all) = self.factor(equations)?;
        let (n, columns) = (self.size(equations), registers[0].ncols());
        let Equations { linear: LinearEquations { instants, levels, .. }, .. } = equations;
        let levels = self.levels(*levels);
        let mut rhs = Matrix::zeros(n * instants.len(), columns);
        let mut known = Vec::new();
        for (i, (instant, terms)) in instants.iter().zip(&all).enumerate() {
            let of: Vec<Matrix> = instant.known.iter().map(|sum| self.sum(sum, registers)).collect();
            for (matrix, x) in self.matrices(&terms.forces).into_iter().zip(&of) {
                add_sparse(matrix, -1.0, false, x, (&mut rhs, i * n));
            }
            let elsewhere = instant.constrained.as_deref();
            let moved: Option<Vec<Matrix>> =
                elsewhere.map(|instant| instant.known.iter().map(|sum| self.sum(sum, registers)).collect());
            for (by, x) in moved.as_ref().unwrap_or(&of).iter().enumerate() {
                self.add_rows(terms.of_constraints(), &levels, (by, -1.0, false), (x, 0), (&mut rhs, i * n + self.nv));
            }
            self.add_outside(terms, &levels, instant.state.t, outside, (&mut rhs, i * n));
            let mut forces = Matrix::zeros(self.nv, columns);
            for (map, register) in &instant.force {
                self.add_map(map, false, &registers[register.0], &mut forces);
            }
            instant.follows.iter().for_each(|follows| self.add_map(follows, false, &of[0], &mut forces));
            let mut rows = rhs.rows_mut(i * n, self.nv);
            rows += forces;
            if let Some(contacts) = &terms.contacts {
                let before = self.before(&equations.contacts[i], registers);
                let measured = moved.as_ref().unwrap_or(&of);
                self.add_contacts(contacts, [&of[0], &measured[0], &measured[1]], before, outside, (&mut rhs, i * n));
            }
            known.push(of);
        }
        self.systems.solve(place, &mut rhs);
        let unknown = |j: usize| rhs.rows(j * n, self.nv).into_owned();
        let unknowns: Vec<Matrix> = (0..instants.len()).map(unknown).collect();
        let (mut results, mut forces) = (Vec::new(), Vec::new());
        for (i, (instant, of)) in instants.iter().zip(known).enumerate() {
            let mut of = of.into_iter();
            let mut next = || of.next().unwrap_or_else(|| Matrix::zeros(self.nv, columns));
            let [mut position, mut velocity, mut acceleration] = [next(), next(), next()];
            for (j, unknown) in unknowns.iter().enumerate() {
                self.add_map(&instant.position[j], false, unknown, &mut position);
                self.add_map(&instant.velocity[j], false, unknown, &mut velocity);
                acceleration += unknown * instant.acceleration[j];
            }
            let multipliers = rhs.rows(i * n + self.nv, self.nc).into_owned();
            if let Some(contacts) = &all[i].contacts {
                forces.push(self.contact_forces(contacts, &position, (&rhs, i * n), outside));
            }
            results.extend([position, velocity, acceleration, multipliers, unknowns[i].clone()]);
        }
        self.take_back(all);
        results.extend(forces);
        Ok(results)
    }

    fn solve_backward(
        &mut self,
        equations: &Equations,
        of: Vec<Option<Matrix>>,
        columns: usize,
        slopes: &mut [Option<Matrix>],
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let (place, all) = self.factor(equations)?;
        let n = self.size(equations);
        let Equations { linear: LinearEquations { instants, levels, .. }, .. } = equations;
        let levels = self.levels(*levels);
        let mut adjoint = Matrix::zeros(n * instants.len(), columns);
        let mut of = of;
        let of_forces = of.split_off(5 * instants.len());
        let mut of = of.into_iter();
        let mut given = Vec::new();
        for (i, instant) in instants.iter().enumerate() {
            let mut next = |rows: usize| of.next().flatten().unwrap_or_else(|| Matrix::zeros(rows, columns));
            let mut direct = [next(self.nv), next(self.nv), next(self.nv)];
            let (multipliers, own) = (next(self.nc), next(self.nv));
            if let (Some(contacts), Some(Some(slope))) = (&all[i].contacts, of_forces.get(i)) {
                self.contact_forces_backward(contacts, slope, &mut direct[0], (&mut adjoint, i * n), outside);
            }
            for j in 0..instants.len() {
                let mut sum = Matrix::zeros(self.nv, columns);
                self.add_map(&instant.position[j], true, &direct[0], &mut sum);
                self.add_map(&instant.velocity[j], true, &direct[1], &mut sum);
                sum += &direct[2] * instant.acceleration[j];
                if i == j {
                    sum += &own;
                }
                let mut rows = adjoint.rows_mut(j * n, self.nv);
                rows += sum;
            }
            let mut rows = adjoint.rows_mut(i * n + self.nv, self.nc);
            rows += multipliers;
            given.push(direct);
        }
        self.systems.solve(place, &mut adjoint);
        for (i, ((instant, terms), mut direct)) in instants.iter().zip(&all).zip(given).enumerate() {
            let force = adjoint.rows(i * n, self.nv).into_owned();
            let mut of_contacts = [(); 2].map(|()| Matrix::zeros(self.nv, columns));
            if let Some(contacts) = &terms.contacts {
                let [position, velocity] = &mut of_contacts;
                let slopes_of = [&mut direct[0], position, velocity];
                let of_before = self.add_contacts_backward(contacts, slopes_of, outside, (&adjoint, i * n));
                if let Some(restitution) = &equations.contacts[i].restitution {
                    *entry(slopes, restitution.velocity, self.nv, columns) += of_before;
                }
            }
            let matrices = self.matrices(&terms.forces);
            for (by, ((matrix, mut slope), sum)) in matrices.into_iter().zip(direct).zip(&instant.known).enumerate() {
                add_sparse(matrix, -1.0, true, &force, (&mut slope, 0));
                if let Some(follows) = instant.follows.as_ref().filter(|_| by == 0) {
                    self.add_map(follows, true, &force, &mut slope);
                }
                let rows = (&adjoint, i * n + self.nv);
                if let Some(elsewhere) = &instant.constrained {
                    let mut slope = Matrix::zeros(self.nv, columns);
                    self.add_rows(terms.of_constraints(), &levels, (by, -1.0, true), rows, (&mut slope, 0));
                    of_contacts.get(by).into_iter().for_each(|of| slope += of);
                    self.sum_backward(&elsewhere.known[by], &slope, slopes);
                } else {
                    of_contacts.get(by).into_iter().for_each(|of| slope += of);
                    self.add_rows(terms.of_constraints(), &levels, (by, -1.0, true), rows, (&mut slope, 0));
                }
                self.sum_backward(sum, &slope, slopes);
            }
            self.add_outside_backward(terms, &levels, instant.state.t, outside, (&adjoint, i * n));
            self.sum_backward(&instant.force, &force, slopes);
        }
        self.take_back(all);
        Ok(())
    }

    fn take_back(&mut self, all: Vec<TermsOf<'m>>) {
        for TermsOf { forces, constraints, contacts } in all {
            self.free.extend([Some(forces), constraints].into_iter().flatten());
            self.free_contacts.extend(contacts);
        }
    }

    /// Number of unknowns of an instant.
    fn size(&self, equations: &Equations) -> usize {
        self.nv + self.nc + if equations.contacts.is_empty() { 0 } else { self.nr }
    }

    fn matrices<'t>(&self, terms: &'t Terms<'m>) -> [(&'m crate::SparsityPattern, &'t [f64]); 3] {
        let info = self.model.describe();
        [
            (&info.stiffness, terms.stiffness.as_slice()),
            (&info.damping, terms.damping.as_slice()),
            (&info.mass_matrix, terms.mass.as_slice()),
        ]
    }

    /// `out −= ∂(r, rows)/∂(p, u) (p, u)`.
    fn add_outside(
        &self,
        terms: &TermsOf,
        levels: &[ConstraintLevel],
        t: f64,
        outside: &mut dyn Outside,
        (out, first): (&mut Matrix, usize),
    ) {
        if self.wanted.parameters {
            let parameters = outside.parameters();
            add_full(&terms.forces.force_by_p, self.np, -1.0, false, parameters, (out, first));
            for (row, &level) in levels.iter().enumerate() {
                let by_p = terms.of_constraints().row(row, level).by_p;
                add_full(by_p, self.np, -1.0, false, parameters, (out, first + self.nv + row));
            }
        }
        if self.wanted.inputs {
            let inputs = outside.inputs(t);
            add_full(&terms.forces.force_by_u, inputs.nrows(), -1.0, false, &inputs, (out, first));
        }
    }

    fn add_outside_backward(
        &self,
        terms: &TermsOf,
        levels: &[ConstraintLevel],
        t: f64,
        outside: &mut dyn Outside,
        (adjoint, first): (&Matrix, usize),
    ) {
        let force = adjoint.rows(first, self.nv).into_owned();
        if self.wanted.parameters {
            let parameters = outside.parameters();
            add_full(&terms.forces.force_by_p, self.np, -1.0, true, &force, (parameters, 0));
            for (row, &level) in levels.iter().enumerate() {
                let by_p = terms.of_constraints().row(row, level).by_p;
                let of = adjoint.rows(first + self.nv + row, 1).into_owned();
                add_full(by_p, self.np, -1.0, true, &of, (parameters, 0));
            }
        }
        if self.wanted.inputs {
            let nu = self.model.describe().inputs.len();
            let mut slopes = Matrix::zeros(nu, adjoint.ncols());
            add_full(&terms.forces.force_by_u, nu, -1.0, true, &force, (&mut slopes, 0));
            outside.add_inputs(t, &slopes);
        }
    }

    /// Evaluates the terms of forces at a state without its acceleration.
    fn evaluate_still(&mut self, state: &State) {
        let mut still = state.clone();
        still.a.fill(0.0);
        self.terms.evaluate(&still, self.wanted);
    }

    fn force(&mut self, state: &State, of: [Register; 3], registers: &[Matrix], outside: &mut dyn Outside) -> Matrix {
        self.evaluate_still(state);
        let mut value = Matrix::zeros(self.nv, registers[0].ncols());
        let [position, velocity, multiplier] = of.map(|register| &registers[register.0]);
        let [stiffness, damping, _] = self.matrices(&self.terms);
        add_sparse(stiffness, 1.0, false, position, (&mut value, 0));
        add_sparse(damping, 1.0, false, velocity, (&mut value, 0));
        let jacobian = (&self.model.describe().constraint_jacobian, self.terms.jacobian.as_slice());
        add_sparse(jacobian, -1.0, true, multiplier, (&mut value, 0));
        if self.wanted.parameters {
            add_full(&self.terms.force_by_p, self.np, 1.0, false, outside.parameters(), (&mut value, 0));
        }
        if self.wanted.inputs {
            let inputs = outside.inputs(state.t);
            add_full(&self.terms.force_by_u, inputs.nrows(), 1.0, false, &inputs, (&mut value, 0));
        }
        value
    }

    fn force_backward(
        &mut self,
        state: &State,
        [position, velocity, multiplier]: [Register; 3],
        slope: &Matrix,
        slopes: &mut [Option<Matrix>],
        outside: &mut dyn Outside,
    ) {
        self.evaluate_still(state);
        let [stiffness, damping, _] = self.matrices(&self.terms);
        let columns = slope.ncols();
        add_sparse(stiffness, 1.0, true, slope, (entry(slopes, position, self.nv, columns), 0));
        add_sparse(damping, 1.0, true, slope, (entry(slopes, velocity, self.nv, columns), 0));
        let jacobian = (&self.model.describe().constraint_jacobian, self.terms.jacobian.as_slice());
        add_sparse(jacobian, -1.0, false, slope, (entry(slopes, multiplier, self.nc, columns), 0));
        if self.wanted.parameters {
            add_full(&self.terms.force_by_p, self.np, 1.0, true, slope, (outside.parameters(), 0));
        }
        if self.wanted.inputs {
            let nu = self.model.describe().inputs.len();
            let mut of_inputs = Matrix::zeros(nu, columns);
            add_full(&self.terms.force_by_u, nu, 1.0, true, slope, (&mut of_inputs, 0));
            outside.add_inputs(state.t, &of_inputs);
        }
    }
}

/// The slope of a register, zero at first.
fn entry(slopes: &mut [Option<Matrix>], register: Register, rows: usize, columns: usize) -> &mut Matrix {
    slopes[register.0].get_or_insert_with(|| Matrix::zeros(rows, columns))
}

mod contacts;
mod projection;
