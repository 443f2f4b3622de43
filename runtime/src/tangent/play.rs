//! Evaluation of what steps do to small changes: forwards for changes, and backwards for the slopes of results with respect
//! to them.

use super::blocks::{Blocks, has_own};
use super::bundle::{Bundle, add_full, add_scaled, add_sparse};
use super::contact_terms::{AboutToChange, ContactTerms, Touch};
use super::map::{
    BeforeImpact, Equations, Instant, Kind, LinearEquations, Operation, Operations, Projected, Register, Sum, Target,
};
use super::system::{Shape, System, Systems};
use super::terms::{RowOf, Terms, Wanted};
use crate::configuration::ranges;
use crate::linear_solver::Singular;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::step::ConstraintLevel;

/// Changes of what a motion depends on apart from its start: forwards, one column for each direction; backwards, where
/// slopes with respect to them are added up, one column for each result.
pub(crate) trait Outside {
    /// Parameters, `[np]`.
    fn parameters(&mut self) -> &mut Bundle;
    /// Forwards: `out += factor A p` with a matrix of so many columns, row by row.
    fn add_by_parameters(&self, by_p: (&[f64], usize), factor: f64, out: &mut [f64]);
    /// Forwards: inputs at a time, `[nu]`.
    fn inputs(&mut self, t: f64) -> &Bundle;
    /// Backwards: adds slopes with respect to the inputs at a time.
    fn add_inputs(&mut self, t: f64, slopes: &Bundle);
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
    /// The vectors of a step: changes, or slopes with respect to them.
    registers: Vec<Bundle>,
    /// Backwards: which of them have slopes.
    touched: Vec<bool>,
    room: Room<'m>,
}

/// What belongs to the equations that are evaluated, in memory that is used again.
#[derive(Default)]
struct Room<'m> {
    /// Where each constraint holds.
    levels: Vec<ConstraintLevel>,
    terms: Vec<TermsOf<'m>>,
    /// Right-hand sides, and solutions.
    solution: Bundle,
    /// Changes of coordinates, velocities and accelerations where constraints hold, or slopes with respect to them.
    elsewhere: [Bundle; 3],
}

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
            registers: Vec::new(),
            touched: Vec::new(),
            room: Room::default(),
            model,
        }
    }

    /// Changes after a step from those before it.
    pub(crate) fn forward(
        &mut self,
        operations: &Operations,
        carried: &mut Vec<Bundle>,
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let mut registers = self.take_registers(operations);
        for (register, carried) in registers.iter_mut().zip(&mut *carried) {
            core::mem::swap(register, carried);
        }
        let mut next = operations.inputs;
        for operation in &operations.list {
            let (known, new) = registers.split_at_mut(next);
            let new = &mut new[..operation.results()];
            next += new.len();
            match operation {
                Operation::Sum(sum) => self.sum(sum, known, &mut new[0]),
                Operation::Solve(equations) => self.solve(equations, known, new, outside)?,
                Operation::Force(force) => self.force(&force.0, force.1, known, &mut new[0], outside),
                Operation::Project(projected) => self.project(projected, known, new, outside)?,
                Operation::Close(closing) => self.close(closing, known, &mut new[0], outside),
                Operation::Shift(shift) => {
                    let time = known[shift.time.0].values();
                    new[0].copy_from(&known[shift.of.0]);
                    for (row, along) in shift.along.iter().enumerate() {
                        add_scaled(*along, time, new[0].entries_mut(row, 1));
                    }
                }
            }
        }
        carried.resize_with(operations.outputs.len(), Bundle::default);
        for (carried, output) in carried.iter_mut().zip(&operations.outputs) {
            carried.copy_from(&registers[output.0]);
        }
        self.registers = registers;
        Ok(())
    }

    /// Room for the vectors of a step.
    fn take_registers(&mut self, operations: &Operations) -> Vec<Bundle> {
        let mut registers = core::mem::take(&mut self.registers);
        registers.resize_with(registers.len().max(operations.registers), Bundle::default);
        registers
    }

    /// A vector of the step that was evaluated forwards last.
    pub(crate) fn register(&self, register: Register) -> &Bundle {
        &self.registers[register.0]
    }

    /// Slopes with respect to what a step begins with, from those with respect to what it ends with; `before`: slopes with
    /// respect to what was before the impact that it ended with, and to its instant.
    pub(crate) fn backward(
        &mut self,
        operations: &Operations,
        carried: &mut Vec<Bundle>,
        outside: &mut dyn Outside,
        before: Option<&[Bundle; 5]>,
    ) -> Result<(), NoSlope> {
        let width = carried.first().map_or(0, Bundle::width);
        let (mut registers, mut touched) = (self.take_registers(operations), core::mem::take(&mut self.touched));
        touched.clear();
        touched.resize(operations.registers, false);
        let mut slopes = Slopes { all: &mut registers, touched: &mut touched, width };
        for (output, slope) in operations.outputs.iter().zip(&*carried) {
            let to = slopes.entry(*output, slope.len());
            add_scaled(1.0, slope.values(), to.values_mut());
        }
        if let (Some(BeforeImpact { point: [position, velocity, acceleration, multiplier], time }), Some(before)) =
            (operations.impact, before)
        {
            for (register, slope) in [position, velocity, acceleration, multiplier, time].into_iter().zip(before) {
                add_scaled(1.0, slope.values(), slopes.entry(register, slope.len()).values_mut());
            }
        }
        let mut end = operations.registers;
        for operation in operations.list.iter().rev() {
            let first = end - operation.results();
            let is_touched = slopes.touched[first..end].contains(&true);
            let (mut below, of) = slopes.split(first, end);
            end = first;
            if !is_touched {
                continue;
            }
            match operation {
                Operation::Sum(sum) => self.sum_backward(sum, of.of(0), &mut below),
                Operation::Solve(equations) => self.solve_backward(equations, of, &mut below, outside)?,
                Operation::Force(force) => self.force_backward(&force.0, force.1, of.of(0), &mut below, outside),
                Operation::Project(projected) => self.project_backward(projected, of, &mut below, outside)?,
                Operation::Close(closing) => self.close_backward(closing, of.of(0), &mut below, outside),
                Operation::Shift(shift) => {
                    let slope = of.of(0);
                    add_scaled(1.0, slope.values(), below.entry(shift.of, self.nv).values_mut());
                    let time = below.entry(shift.time, 1).values_mut();
                    for (row, along) in shift.along.iter().enumerate() {
                        add_scaled(*along, slope.entries(row, 1), time);
                    }
                }
            }
        }
        carried.resize_with(operations.inputs, Bundle::default);
        for (k, carried) in carried.iter_mut().enumerate() {
            let slope = slopes.entry(Register(k), if k == 3 { self.nc } else { self.nv });
            core::mem::swap(carried, slope);
        }
        (self.registers, self.touched) = (registers, touched);
        Ok(())
    }

    fn sum(&self, sum: &Sum, registers: &[Bundle], value: &mut Bundle) {
        let len = sum.first().map_or(self.nv, |(_, register)| registers[register.0].len());
        value.begin(len, registers[0].width());
        for (map, register) in sum {
            let x = &registers[register.0];
            self.add_map(map, false, (x.values(), x.width()), value.values_mut());
        }
    }

    fn sum_backward(&self, sum: &Sum, slope: &Bundle, slopes: &mut Slopes<'_>) {
        for (map, register) in sum {
            let to = slopes.entry(*register, slope.len());
            self.add_map(map, true, (slope.values(), slope.width()), to.values_mut());
        }
    }

    /// Vectors of multipliers have no blocks.
    fn add_map(&self, map: &Blocks, is_transposed: bool, (x, width): (&[f64], usize), out: &mut [f64]) {
        if x.len() == self.nv * width {
            map.add_product(self.blocks, is_transposed, (x, width), out);
        } else {
            add_scaled(map.factor, x, out);
        }
    }

    fn set_levels(&mut self, levels: [ConstraintLevel; 2]) {
        let on_velocities = self.model.describe().velocity_constraints;
        let of = |row: usize| levels[usize::from(row >= self.nc - on_velocities)];
        self.room.levels.clear();
        self.room.levels.extend((0..self.nc).map(of));
    }

    /// `out += factor · (rows of constraints by ξ, v or a) x`, or transposed.
    fn add_rows(
        &self,
        terms: &Terms,
        (by, factor, is_transposed): (usize, f64, bool),
        (x, width): (&[f64], usize),
        out: &mut [f64],
    ) {
        let levels = &self.room.levels;
        let mut has_gradients = false;
        for (row, &level) in levels.iter().enumerate() {
            let of_row = row * width..(row + 1) * width;
            match terms.row(row, level).by[by] {
                RowOf::Nothing => {}
                RowOf::Gradient => has_gradients = true,
                RowOf::Full(values) if is_transposed => {
                    add_full((values, values.len()), factor, true, (&x[of_row], width), out);
                }
                RowOf::Full(values) => add_full((values, values.len()), factor, false, (x, width), &mut out[of_row]),
            }
        }
        if !has_gradients {
            return;
        }
        let pattern = &self.model.describe().constraint_jacobian;
        for column in 0..pattern.columns {
            for slot in pattern.column(column) {
                let row = pattern.row_indices()[slot] as usize;
                if matches!(terms.row(row, levels[row]).by[by], RowOf::Gradient) {
                    let (to, from) = if is_transposed { (column, row) } else { (row, column) };
                    let value = factor * terms.jacobian[slot];
                    add_scaled(value, &x[from * width..][..width], &mut out[to * width..][..width]);
                }
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

    /// The system of some equations, factorized, by its place; the terms of every instant are in the room.
    fn factor(&mut self, equations: &Equations) -> Result<usize, NoSlope> {
        let LinearEquations { instants, levels, left_out } = &equations.linear;
        let (n, info) = (self.size(equations), self.model.describe());
        self.set_levels(*levels);
        let mut all = core::mem::take(&mut self.room.terms);
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
        all.extend(instants.iter().map(terms_of));
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
        let levels = &self.room.levels;
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
        self.room.terms = all;
        Ok(place)
    }

    fn solve(
        &mut self,
        equations: &Equations,
        registers: &[Bundle],
        results: &mut [Bundle],
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let place = self.factor(equations)?;
        let (n, width) = (self.size(equations), registers[0].width());
        let instants = &equations.linear.instants;
        let (mut rhs, mut moved) =
            (core::mem::take(&mut self.room.solution), core::mem::take(&mut self.room.elsewhere));
        rhs.begin(n * instants.len(), width);
        for (i, (instant, terms)) in instants.iter().zip(&self.room.terms).enumerate() {
            // What is known of coordinates, velocities and accelerations.
            for (sum, of) in instant.known.iter().zip(&mut results[5 * i..]) {
                self.sum(sum, registers, of);
            }
            let of = &results[5 * i..][..3];
            let (forces, rows) = rhs.entries_mut(i * n, n).split_at_mut(self.nv * width);
            for (matrix, x) in self.matrices(&terms.forces).into_iter().zip(of) {
                add_sparse(matrix, -1.0, false, (x.values(), width), forces);
            }
            if let Some(elsewhere) = instant.constrained.as_deref() {
                elsewhere.known.iter().zip(&mut moved).for_each(|(sum, to)| self.sum(sum, registers, to));
            }
            let measured = if instant.constrained.is_some() { &moved } else { of };
            for (by, x) in measured.iter().enumerate() {
                self.add_rows(terms.of_constraints(), (by, -1.0, false), (x.values(), width), rows);
            }
            self.add_outside(terms, instant.state.t, outside, (forces, rows));
            for (map, register) in &instant.force {
                self.add_map(map, false, (registers[register.0].values(), width), forces);
            }
            instant.follows.iter().for_each(|map| self.add_map(map, false, (of[0].values(), width), forces));
            if let Some(contacts) = &terms.contacts {
                let acting = (&equations.contacts[i], registers);
                self.add_contacts(contacts, [&of[0], &measured[0], &measured[1]], acting, outside, (forces, rows));
            }
        }
        self.systems.solve(place, &mut rhs);
        let (results, forces) = results.split_at_mut(5 * instants.len());
        for (i, (instant, of)) in instants.iter().zip(results.chunks_exact_mut(5)).enumerate() {
            let [position, velocity, acceleration, multipliers, own] = of else { continue };
            for j in 0..instants.len() {
                let unknown = rhs.entries(j * n, self.nv);
                self.add_map(&instant.position[j], false, (unknown, width), position.values_mut());
                self.add_map(&instant.velocity[j], false, (unknown, width), velocity.values_mut());
                add_scaled(instant.acceleration[j], unknown, acceleration.values_mut());
            }
            multipliers.copy_from_slice(rhs.entries(i * n + self.nv, self.nc), width);
            own.copy_from_slice(rhs.entries(i * n, self.nv), width);
            if let Some(contacts) = &self.room.terms[i].contacts {
                let along = rhs.entries(i * n + self.nv + self.nc, self.nr);
                self.contact_forces(contacts, position, along, outside, &mut forces[i]);
            }
        }
        (self.room.solution, self.room.elsewhere) = (rhs, moved);
        self.take_back();
        Ok(())
    }

    fn solve_backward(
        &mut self,
        equations: &Equations,
        mut of: Slopes<'_>,
        slopes: &mut Slopes<'_>,
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let place = self.factor(equations)?;
        let (n, width, nv) = (self.size(equations), slopes.width, self.nv);
        let instants = &equations.linear.instants;
        let (mut adjoint, mut elsewhere) =
            (core::mem::take(&mut self.room.solution), core::mem::take(&mut self.room.elsewhere));
        adjoint.begin(n * instants.len(), width);
        for k in 0..of.all.len() {
            of.entry(Register(k), if k % 5 == 3 && k < 5 * instants.len() { self.nc } else { nv });
        }
        let (of, of_forces) = of.all.split_at_mut(5 * instants.len());
        for (i, (instant, of)) in instants.iter().zip(of.chunks_exact_mut(5)).enumerate() {
            if let (Some(contacts), Some(slope)) = (&self.room.terms[i].contacts, of_forces.get(i)) {
                let along = adjoint.entries_mut(i * n + nv + self.nc, self.nr);
                self.contact_forces_backward(contacts, slope, &mut of[0], along, outside);
            }
            for j in 0..instants.len() {
                let to = adjoint.entries_mut(j * n, nv);
                self.add_map(&instant.position[j], true, (of[0].values(), width), to);
                self.add_map(&instant.velocity[j], true, (of[1].values(), width), to);
                add_scaled(instant.acceleration[j], of[2].values(), to);
            }
            add_scaled(1.0, of[4].values(), adjoint.entries_mut(i * n, nv));
            add_scaled(1.0, of[3].values(), adjoint.entries_mut(i * n + nv, self.nc));
        }
        self.systems.solve(place, &mut adjoint);
        for (i, (instant, direct)) in instants.iter().zip(of.chunks_exact_mut(5)).enumerate() {
            let terms = &self.room.terms[i];
            let (force, rows) = adjoint.entries(i * n, n).split_at(nv * width);
            elsewhere.iter_mut().for_each(|slope| slope.begin(nv, width));
            if let Some(contacts) = &terms.contacts {
                let [position, velocity, _] = &mut elsewhere;
                let slopes_of = [&mut direct[0], position, velocity];
                let acting = (&equations.contacts[i], &mut *slopes);
                self.add_contacts_backward(contacts, slopes_of, acting, outside, (force, rows));
            }
            for (by, slope) in elsewhere.iter_mut().enumerate() {
                self.add_rows(terms.of_constraints(), (by, -1.0, true), (rows, width), slope.values_mut());
            }
            for (by, (matrix, slope)) in self.matrices(&terms.forces).into_iter().zip(&mut *direct).enumerate() {
                add_sparse(matrix, -1.0, true, (force, width), slope.values_mut());
                if let Some(follows) = instant.follows.as_ref().filter(|_| by == 0) {
                    self.add_map(follows, true, (force, width), slope.values_mut());
                }
                match &instant.constrained {
                    Some(instant) => self.sum_backward(&instant.known[by], &elsewhere[by], slopes),
                    None => add_scaled(1.0, elsewhere[by].values(), slope.values_mut()),
                }
                self.sum_backward(&instant.known[by], slope, slopes);
            }
            self.add_outside_backward(terms, instant.state.t, outside, (force, rows));
            for (map, register) in &instant.force {
                self.add_map(map, true, (force, width), slopes.entry(*register, nv).values_mut());
            }
        }
        (self.room.solution, self.room.elsewhere) = (adjoint, elsewhere);
        self.take_back();
        Ok(())
    }

    fn take_back(&mut self) {
        for TermsOf { forces, constraints, contacts } in self.room.terms.drain(..) {
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

    /// `(forces, rows) −= ∂(r, rows)/∂(p, u) (p, u)`.
    fn add_outside(
        &self,
        terms: &TermsOf,
        t: f64,
        outside: &mut dyn Outside,
        (forces, rows): (&mut [f64], &mut [f64]),
    ) {
        if self.wanted.parameters {
            outside.add_by_parameters((&terms.forces.force_by_p, self.np), -1.0, forces);
            let width = outside.parameters().width();
            for (row, &level) in self.room.levels.iter().enumerate() {
                let by_p = terms.of_constraints().row(row, level).by_p;
                outside.add_by_parameters((by_p, self.np), -1.0, &mut rows[row * width..][..width]);
            }
        }
        if self.wanted.inputs {
            let inputs = outside.inputs(t);
            let x = (inputs.values(), inputs.width());
            add_full((&terms.forces.force_by_u, inputs.len()), -1.0, false, x, forces);
        }
    }

    fn add_outside_backward(
        &self,
        terms: &TermsOf,
        t: f64,
        outside: &mut dyn Outside,
        (force, rows): (&[f64], &[f64]),
    ) {
        if self.wanted.parameters {
            let parameters = outside.parameters();
            let width = parameters.width();
            let out = parameters.values_mut();
            add_full((&terms.forces.force_by_p, self.np), -1.0, true, (force, width), out);
            for (row, &level) in self.room.levels.iter().enumerate() {
                let by_p = terms.of_constraints().row(row, level).by_p;
                add_full((by_p, self.np), -1.0, true, (&rows[row * width..][..width], width), out);
            }
        }
        if self.wanted.inputs {
            let (nu, width) = (self.model.describe().inputs.len(), outside.parameters().width());
            let mut slopes = Bundle::zeros(nu, width);
            add_full((&terms.forces.force_by_u, nu), -1.0, true, (force, width), slopes.values_mut());
            outside.add_inputs(t, &slopes);
        }
    }

    /// Evaluates the terms of forces at a state without its acceleration.
    fn evaluate_still(&mut self, state: &State) {
        let mut still = state.clone();
        still.a.fill(0.0);
        self.terms.evaluate(&still, self.wanted);
    }

    fn force(
        &mut self,
        state: &State,
        of: [Register; 3],
        registers: &[Bundle],
        value: &mut Bundle,
        outside: &mut dyn Outside,
    ) {
        self.evaluate_still(state);
        let width = registers[0].width();
        value.begin(self.nv, width);
        let [position, velocity, multiplier] = of.map(|register| (registers[register.0].values(), width));
        let [stiffness, damping, _] = self.matrices(&self.terms);
        add_sparse(stiffness, 1.0, false, position, value.values_mut());
        add_sparse(damping, 1.0, false, velocity, value.values_mut());
        let jacobian = (&self.model.describe().constraint_jacobian, self.terms.jacobian.as_slice());
        add_sparse(jacobian, -1.0, true, multiplier, value.values_mut());
        if self.wanted.parameters {
            outside.add_by_parameters((&self.terms.force_by_p, self.np), 1.0, value.values_mut());
        }
        if self.wanted.inputs {
            let inputs = outside.inputs(state.t);
            let columns = inputs.len();
            add_full((&self.terms.force_by_u, columns), 1.0, false, (inputs.values(), width), value.values_mut());
        }
    }

    fn force_backward(
        &mut self,
        state: &State,
        [position, velocity, multiplier]: [Register; 3],
        slope: &Bundle,
        slopes: &mut Slopes<'_>,
        outside: &mut dyn Outside,
    ) {
        self.evaluate_still(state);
        let [stiffness, damping, _] = self.matrices(&self.terms);
        let x = (slope.values(), slope.width());
        add_sparse(stiffness, 1.0, true, x, slopes.entry(position, self.nv).values_mut());
        add_sparse(damping, 1.0, true, x, slopes.entry(velocity, self.nv).values_mut());
        let jacobian = (&self.model.describe().constraint_jacobian, self.terms.jacobian.as_slice());
        add_sparse(jacobian, -1.0, false, x, slopes.entry(multiplier, self.nc).values_mut());
        if self.wanted.parameters {
            add_full((&self.terms.force_by_p, self.np), 1.0, true, x, outside.parameters().values_mut());
        }
        if self.wanted.inputs {
            let nu = self.model.describe().inputs.len();
            let mut of_inputs = Bundle::zeros(nu, x.1);
            add_full((&self.terms.force_by_u, nu), 1.0, true, x, of_inputs.values_mut());
            outside.add_inputs(state.t, &of_inputs);
        }
    }
}

/// Slopes with respect to the vectors of a step; those that nothing has touched are zero.
struct Slopes<'s> {
    all: &'s mut [Bundle],
    touched: &'s mut [bool],
    width: usize,
}

impl Slopes<'_> {
    /// The slope with respect to a vector of this length.
    fn entry(&mut self, Register(register): Register, len: usize) -> &mut Bundle {
        let slope = &mut self.all[register];
        if !core::mem::replace(&mut self.touched[register], true) {
            slope.begin(len, self.width);
        }
        slope
    }

    /// Those below a register, and those from there to another one, whose numbers begin with zero.
    fn split(&mut self, first: usize, end: usize) -> (Slopes<'_>, Slopes<'_>) {
        let (below, all) = self.all[..end].split_at_mut(first);
        let (touched_below, touched) = self.touched[..end].split_at_mut(first);
        let width = self.width;
        (Slopes { all: below, touched: touched_below, width }, Slopes { all, touched, width })
    }

    fn of(&self, register: usize) -> &Bundle {
        &self.all[register]
    }
}

mod contacts;
mod instants;
mod projection;
