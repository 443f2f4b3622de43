//! The contacts of a model in a step: which are closed, the directions of their forces, and the problem of their impulses.
//!
//! A scheme has solved linear equations `K x = …` for accelerations or changes of velocity, as if all contacts were open.
//! Impulses Λ change the solution by `K⁻¹ W Λ`, and with it the velocities at the points in time at which contacts act. So
//! the contact problem has `b = Wᵀ v + ∂g/∂t` and the Schur complement `G = Wᵀ (∂v/∂x) K⁻¹ W`. Bilateral constraints and
//! implicit stiffness and damping are part of K. [rezaei, Eqs. 33-41, 44-50]

use super::history::History;
use super::problem::Problem;
use super::solver::{Solver, Unsolved};
use crate::contact_settings::Settings;
use crate::linear_solver::LinearSolver;
use crate::model::{ContactInfo, ContactLaw, Model, State};
use crate::newton::{Equations, Newton};
use crate::norms::largest;
use crate::prelude::*;
use crate::step::{ContactRecord, StepError, StepStats, check_finite};
use crate::tangent::StepMap;

/// Largest number of points in time of a step that one contact problem couples.
pub(crate) const MAX_POINTS: usize = 3;
/// Memory for this many rows is allocated at the start; for more, when they close for the first time.
const RESERVED_ROWS: usize = 512;

/// Forces below this part of the largest do not press a contact.
const PRESSED: f64 = 1e-9;
/// Number of contacts that an error names.
const NAMED: usize = 8;

/// The equations of a step whose unknowns are accelerations and whose contacts act at one or several points in time.
pub(crate) trait ContactEquations: Equations {
    /// Number of points, at most [`MAX_POINTS`].
    fn points(&self) -> usize;
    /// The iterate at a point.
    fn state(&self, point: usize) -> &State;
    /// Derivative of the velocity at a point with respect to the acceleration at another.
    fn response(&self, point: usize, by: usize) -> f64;
}

/// Energy that impulses dissipate, J.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    taken: f64,
    /// Work of the impulses on the bodies, including that of moving obstacles.
    work: f64,
    /// The larger of two losses: from the velocities before the impact, and from these plus the change by all other
    /// forces. They differ if an impact is resolved together with a step, because the law of impact does not determine
    /// its instant.
    least: f64,
    /// Magnitude of the summands, to which rounding errors are relative.
    size: f64,
    /// The fraction of restitution that was left, and whether it was reduced.
    share: f64,
    is_reduced: bool,
}

impl Loss {
    /// The fraction of restitution that was left.
    pub(crate) fn share(&self) -> f64 {
        self.share
    }
}

/// Directions of the contacts in one configuration.
#[derive(Clone)]
pub(super) struct Directions {
    /// Values of Wᵀ.
    directions: Vec<f64>,
    /// The part of relative velocities that does not depend on v.
    pub(super) rate: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
}

impl Directions {
    /// The row of Wᵀ with these entries times a velocity, without the rate.
    fn along(&self, entries: &[(usize, usize)], v: &[f64]) -> f64 {
        entries.iter().map(|&(column, slot)| self.directions[slot] * v[column]).sum()
    }
}

/// How the velocities at the points in time follow from a solution x of linear equations, block by block.
pub(crate) struct VelocityMap<'a> {
    /// Velocities for x = 0.
    pub(crate) known: [&'a [f64]; MAX_POINTS],
    pub(crate) points: usize,
    /// Derivatives of the velocity at a point with respect to the block of x of another.
    pub(crate) response: [[f64; MAX_POINTS]; MAX_POINTS],
    /// Directions in which velocities are measured, and in which contact forces act: indices of [`Contacts::evaluate`].
    pub(crate) measured: [usize; MAX_POINTS],
    pub(crate) pushed: [usize; MAX_POINTS],
    /// Fraction of the coefficients of restitution that is applied to the known velocities: 0 except in an impact.
    pub(crate) restitution: f64,
}

impl<'a> VelocityMap<'a> {
    /// One point in time, with the first directions.
    pub(crate) fn single(known: &'a [f64], response: f64, restitution: f64) -> Self {
        let none: &[f64] = &[];
        let mut factors = [[0.0; MAX_POINTS]; MAX_POINTS];
        factors[0][0] = response;
        Self {
            known: [known, none, none],
            points: 1,
            response: factors,
            measured: [0, 1, 2],
            pushed: [0, 1, 2],
            restitution,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Contacts<'m> {
    pub(crate) model: &'m dyn Model,
    pub(crate) settings: Settings,
    scheme: String,
    pub(super) infos: &'m [ContactInfo],
    pub(super) laws: Vec<ContactLaw>,
    /// Row of each contact's normal.
    pub(super) first_rows: Vec<usize>,
    /// Entries of each row of Wᵀ: column and index among the values.
    rows: Vec<Vec<(usize, usize)>>,
    pub(super) places: Vec<Directions>,
    pub(crate) closed: Vec<usize>,
    /// Contacts that stay closed although their gaps may be positive by rounding: at the end of the last step, and of
    /// the one before.
    kept_closed: [Vec<bool>; 2],
    /// Contacts that an impact has separated and that are open in the next step, although their gaps are zero up to rounding.
    leaving: Vec<bool>,
    /// Largest gap up to which each contact stays closed.
    slacks: Vec<f64>,
    /// Contact and row of Wᵀ of every row of a closed contact.
    closed_rows: Vec<(usize, usize)>,
    /// Closed rows by columns: where the entries of each velocity begin, and of each entry the index of its row among the
    /// closed ones and its index among the values of Wᵀ.
    column_starts: Vec<usize>,
    closed_entries: Vec<(usize, usize)>,
    problem: Problem,
    solver: Solver,
    /// `K⁻¹ W`, column by column.
    responses: Vec<f64>,
    /// Velocities at a point: without contact forces, or the change by one of them.
    velocity: Vec<f64>,
    /// Impulses by point and row, from the problem solved last; zero where open. They warm-start the next problem.
    impulses: Vec<f64>,
    /// The solution without contact forces, while that of an impact is sought.
    free: Vec<f64>,
    /// The fastest approach of each contact that closed so far.
    pub(super) fastest: Vec<f64>,
    /// Time of the step's beginning, s, for errors.
    start: f64,
    /// Whether the last problem was that of an earlier Newton iterate of the same step.
    repeats: bool,
    pub(crate) record: ContactRecord,
    /// What was solved in this step.
    pub(super) history: History,
}

impl<'m> Contacts<'m> {
    /// `unknowns`: size of the largest linear system whose solution contacts will change; `points`: number in a step.
    pub(crate) fn new(
        model: &'m dyn Model,
        scheme: String,
        unknowns: usize,
        points: usize,
        settings: Settings,
    ) -> Self {
        let info = model.describe();
        let infos = &info.contacts;
        let n_rows = info.contact_jacobian.rows;
        let first_row = |row: &mut usize, contact: &ContactInfo| {
            let first = *row;
            *row += 1 + contact.tangents;
            Some(first)
        };
        let mut rows = vec![Vec::new(); n_rows];
        for (slot, (row, column)) in info.contact_jacobian.entries().enumerate() {
            rows[row].push((column, slot));
        }
        let mut laws = vec![ContactLaw::default(); infos.len()];
        model.contact_laws(&mut laws);
        let place = || Directions {
            directions: vec![0.0; info.contact_jacobian.nnz()],
            rate: vec![0.0; n_rows],
            acceleration: vec![0.0; n_rows],
        };
        let reserved = (points * n_rows).min(RESERVED_ROWS);
        let (mut problem, mut solver) = (Problem::default(), Solver::new(settings));
        problem.reserve(reserved, reserved);
        solver.reserve(reserved);
        Self {
            model,
            settings,
            scheme,
            infos,
            laws,
            first_rows: infos.iter().scan(0, first_row).collect(),
            rows,
            places: (0..MAX_POINTS).map(|_| place()).collect(),
            closed: Vec::with_capacity(infos.len()),
            kept_closed: [vec![false; infos.len()], vec![false; infos.len()]],
            leaving: vec![false; infos.len()],
            slacks: vec![0.0; infos.len()],
            closed_rows: Vec::with_capacity(n_rows),
            column_starts: vec![0; info.velocities.len() + 1],
            closed_entries: Vec::with_capacity(info.contact_jacobian.nnz()),
            problem,
            solver,
            responses: Vec::with_capacity(reserved * unknowns),
            velocity: vec![0.0; info.velocities.len()],
            impulses: vec![0.0; MAX_POINTS * n_rows],
            free: Vec::with_capacity(unknowns),
            fastest: vec![0.0; infos.len()],
            start: 0.0,
            repeats: false,
            history: History::new([infos.len(), n_rows], [model.dims().nv, model.dims().nc]),
            record: ContactRecord {
                gaps: vec![0.0; infos.len()],
                forces: vec![0.0; n_rows],
                impulses: vec![0.0; n_rows],
                least_loss: f64::INFINITY,
                ..ContactRecord::default()
            },
        }
    }

    /// Begins a step with the closed contacts: those whose gaps are not positive, and those that stay closed. The impulses
    /// found last are the warm start.
    pub(crate) fn begin(&mut self, start: f64, gaps: &[f64]) {
        self.start = start;
        self.close(|contacts, contact| contacts.closes(contact, gaps[contact]));
    }

    /// Closes these contacts alone.
    pub(super) fn close(&mut self, is_closed: impl Fn(&Self, usize) -> bool) {
        self.closed.clear();
        for contact in 0..self.len() {
            if is_closed(self, contact) {
                self.closed.push(contact);
            }
        }
        self.closed_rows.clear();
        for &contact in &self.closed {
            let first = self.first_rows[contact];
            self.closed_rows.extend((first..=first + self.infos[contact].tangents).map(|row| (contact, row)));
        }
        self.index_closed_rows();
        if self.closed.is_empty() {
            self.impulses.fill(0.0);
        }
    }

    /// Normal velocities up to this value count as zero in a contact that stays closed.
    pub(crate) fn rest(&self, v: &[f64]) -> f64 {
        self.settings.at_rest * (1.0 + largest(v))
    }

    /// Closed contacts approach with these normal velocities.
    pub(super) fn approach(&mut self, velocities: &[f64]) {
        for &contact in &self.closed {
            self.fastest[contact] = self.fastest[contact].max(-velocities[contact]);
        }
    }

    /// Whether a contact approaches so slowly that bounces, which would become ever faster, end with it: beside its fastest
    /// approach, because velocities elsewhere, as of what spins, tell nothing of it.
    pub(super) fn is_slow(&self, contact: usize, approach: f64, rest: f64) -> bool {
        approach <= (self.settings.unnoticed * self.fastest[contact]).max(rest)
    }

    /// Approaches up to this fast need no further impact, in velocities of this size.
    pub(crate) fn unnoticed(&self, v: &[f64]) -> f64 {
        self.settings.unnoticed * (1.0 + largest(v))
    }

    /// Which contacts were pressed together at the end of the last step.
    pub(crate) fn pressed(&self) -> Vec<bool> {
        let Some(last) = self.history.within().last() else { return Vec::new() };
        let largest = largest(last.forces);
        let is_pressed = |(row, closed): (&usize, &f64)| *closed != 0.0 && last.forces[*row] > PRESSED * largest;
        self.first_rows.iter().zip(last.closed).map(is_pressed).collect()
    }

    /// Whether a contact with this gap is closed.
    pub(crate) fn closes(&self, contact: usize, gap: f64) -> bool {
        gap <= 0.0 && !self.leaving[contact] || self.kept_closed[0][contact]
    }

    /// Opens the contacts that separate for the next step.
    pub(super) fn leave(&mut self, velocities: &[f64], rest: f64) {
        for (contact, velocity) in velocities.iter().enumerate() {
            self.leaving[contact] = *velocity > rest;
            self.kept_closed[0][contact] &= !self.leaving[contact];
        }
    }

    /// The step after [`Self::leave`] has begun.
    pub(super) fn have_left(&mut self) {
        self.leaving.fill(false);
    }

    /// Whether a contact is closed in the step, or was in the last one.
    pub(crate) fn is_closed(&self, contact: usize) -> bool {
        self.closed.binary_search(&contact).is_ok()
    }

    /// At the start: closes the contacts whose gaps are zero except for rounding.
    pub(crate) fn close_at_start(&mut self, gaps: &[f64], rounding: f64) {
        for (contact, &gap) in gaps.iter().enumerate() {
            self.kept_closed[0][contact] = gap <= rounding;
            self.slacks[contact] =
                self.settings.opened * rounding + if self.kept_closed[0][contact] { gap.max(0.0) } else { 0.0 };
        }
    }

    /// At the end of a step: closed contacts stay closed if their gap is zero up to rounding and they do not separate.
    pub(crate) fn update_kept_closed(&mut self, gaps: &[f64], velocities: &[f64], rest: f64) {
        self.kept_closed.swap(0, 1);
        for contact in 0..self.len() {
            let touches = gaps[contact] <= self.slacks[contact] && velocities[contact].abs() <= rest;
            self.kept_closed[0][contact] = touches && self.is_closed(contact);
        }
    }

    /// Undoes the last [`Self::update_kept_closed`].
    pub(crate) fn restore_kept_closed(&mut self) {
        self.kept_closed.swap(0, 1);
    }

    /// Opens the contacts that an impact has separated.
    pub(crate) fn release_separating(&mut self, velocities: &[f64], rest: f64) {
        self.kept_closed[0].iter_mut().zip(velocities).for_each(|(held, v)| *held = *held && v.abs() <= rest);
    }

    /// Records gaps.
    pub(crate) fn record_gaps(&mut self, gaps: &[f64]) {
        self.record.gaps.copy_from_slice(gaps);
        self.record.penetration = gaps.iter().fold(self.record.penetration, |deepest, gap| deepest.max(-gap));
    }

    /// Indexes the entries of closed rows by columns.
    fn index_closed_rows(&mut self) {
        let Self { rows, closed_rows, column_starts, closed_entries, .. } = self;
        column_starts.fill(0);
        for &(_, row) in closed_rows.iter() {
            rows[row].iter().for_each(|&(column, _)| column_starts[column + 1] += 1);
        }
        for column in 1..column_starts.len() {
            column_starts[column] += column_starts[column - 1];
        }
        let total = column_starts.last().copied().unwrap_or(0);
        closed_entries.clear();
        closed_entries.resize(total, (0, 0));
        // Filled backwards: each start moves from the end of its range to its beginning.
        for (k, &(_, row)) in closed_rows.iter().enumerate().rev() {
            for &(column, slot) in &rows[row] {
                column_starts[column + 1] -= 1;
                closed_entries[column_starts[column + 1]] = (k, slot);
            }
        }
        column_starts.rotate_left(1);
        if let Some(end) = column_starts.last_mut() {
            *end = total;
        }
    }

    /// Number of rows of Wᵀ.
    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Evaluates directions in a configuration.
    pub(crate) fn evaluate(&mut self, place: usize, t: f64, q: &[f64], v: &[f64]) {
        let Directions { directions, rate, acceleration } = &mut self.places[place];
        self.model.contact_jacobian(t, q, directions);
        self.model.contact_bias(t, q, v, rate, acceleration);
    }

    /// A row of Wᵀ for these directions times a vector.
    pub(super) fn along(&self, place: usize, row: usize, vector: &[f64]) -> f64 {
        self.places[place].along(&self.rows[row], vector)
    }

    /// Adds to a vector a row of Wᵀ for these directions times a factor.
    pub(super) fn add_row(&self, place: usize, row: usize, factor: f64, out: &mut [f64]) {
        for &(column, slot) in &self.rows[row] {
            out[column] += factor * self.places[place].directions[slot];
        }
    }

    /// Normal velocities of all contacts for these directions.
    pub(crate) fn normal_velocities(&self, place: usize, v: &[f64], out: &mut [f64]) {
        let place = &self.places[place];
        for (out, &row) in out.iter_mut().zip(&self.first_rows) {
            *out = place.along(&self.rows[row], v) + place.rate[row];
        }
    }

    /// `out += factor W f` with the forces of the record and these directions.
    pub(crate) fn add_forces(&self, place: usize, factor: f64, out: &mut [f64]) {
        let directions = &self.places[place].directions;
        for (entries, force) in self.rows.iter().zip(&self.record.forces).filter(|(_, force)| **force != 0.0) {
            for &(column, slot) in entries {
                out[column] += factor * directions[slot] * force;
            }
        }
    }

    /// Solves equations by Newton's method under the forces of the closed contacts, if the step has contacts.
    pub(crate) fn solve<E: ContactEquations>(
        contacts: Option<&mut Contacts>,
        newton: &mut Newton,
        equations: &mut E,
        start: f64,
        scheme: &str,
    ) -> Result<StepStats, StepError> {
        let stats = match contacts {
            None => newton.solve(equations, start, scheme),
            Some(contacts) => {
                let stats = newton.solve_projected(equations, start, scheme, |equations: &E, solver, correction| {
                    let is_projected = contacts.project_correction(equations, solver, correction)?;
                    contacts.repeats = true;
                    Ok(is_projected)
                });
                contacts.repeats = false;
                contacts.note(equations.points());
                stats
            }
        }?;
        for point in 0..equations.points() {
            check_finite(equations.state(point), start, scheme)?;
        }
        Ok(stats)
    }

    /// Projects a Newton correction: the velocities after it obey the laws of the closed contacts.
    ///
    /// The solver holds the factorized matrix that the correction was computed with. Returns whether any contact is closed.
    fn project_correction<E: ContactEquations>(
        &mut self,
        equations: &E,
        solver: &mut LinearSolver,
        correction: &mut [f64],
    ) -> Result<bool, StepError> {
        if self.closed.is_empty() {
            return Ok(false);
        }
        let points = equations.points();
        let none: &[f64] = &[];
        let mut motion = VelocityMap { points, ..VelocityMap::single(none, 0.0, 0.0) };
        for point in 0..points {
            let state = equations.state(point);
            self.evaluate(point, state.t, state.q.as_slice(), state.v.as_slice());
            motion.known[point] = state.v.as_slice();
            for by in 0..points {
                motion.response[point][by] = equations.response(point, by);
            }
        }
        // Newton's method subtracts the correction, `impose` adds to a solution.
        correction.iter_mut().for_each(|entry| *entry = -*entry);
        self.impose(solver, correction, &motion)?;
        correction.iter_mut().for_each(|entry| *entry = -*entry);
        Ok(true)
    }

    /// Keeps the forces at the points in time of the problem solved last, if there was one.
    pub(crate) fn note(&mut self, points: usize) {
        self.note_impulses(points, 0.0, 1.0);
    }

    /// The same with impulses in a duration, and this fraction of restitution.
    pub(crate) fn note_impulses(&mut self, points: usize, restitution: f64, duration: f64) {
        let n_rows = self.n_rows();
        if self.closed.is_empty() {
            return;
        }
        for impulses in self.impulses.chunks_exact(n_rows).take(points) {
            self.history.add(restitution, &self.closed, impulses, duration);
        }
    }

    /// Keeps the impact that was solved last: velocities before it, their changes and the impulses of the constraints.
    pub(super) fn note_impact(&mut self, restitution: f64, before: &[f64], solution: &[f64]) {
        let n_rows = self.n_rows();
        self.history.add_impact(restitution, &self.closed, &self.impulses[..n_rows], before, solution);
    }

    /// Begins a step of which nothing has been solved.
    pub(crate) fn begin_history(&mut self) {
        self.history.clear();
    }

    /// Tells a map which problems were solved within the step.
    pub(crate) fn tell(&self, map: &mut StepMap) {
        map.expect_contacts(self.history.within());
    }

    /// Adds the effect of the closed contacts to the solution x of linear equations.
    pub(crate) fn impose(
        &mut self,
        solver: &mut LinearSolver,
        x: &mut [f64],
        motion: &VelocityMap,
    ) -> Result<(), StepError> {
        self.set_up(solver, x, motion);
        let stuck = |unsolved: Unsolved, contacts: &Self| StepError::Contact {
            t: contacts.start,
            scheme: contacts.scheme.clone(),
            contacts: contacts.violated(motion.points, unsolved.tolerance),
            iteration: unsolved.iterations,
            residual: unsolved.violation,
        };
        if !self.problem.is_finite() {
            return Err(StepError::NotFinite { t: self.start, scheme: self.scheme.clone(), iteration: 0 });
        }
        let solved = match self.solver.solve(&mut self.problem, self.repeats) {
            Ok(solved) => solved,
            Err(unsolved) => return Err(stuck(unsolved, self)),
        };
        let record = &mut self.record;
        record.violation = record.violation.max(solved.violation);
        if solved.violation > 0.0 {
            record.relative_violation = record.relative_violation.max(solved.violation / self.problem.free_velocity());
        }
        self.record.iterations += u64::from(solved.iterations);
        self.impulses.fill(0.0);
        let (n, n_rows) = (x.len(), self.n_rows());
        for (index, response) in self.responses.chunks_exact(n).enumerate() {
            let (point, (_, row)) = (index / self.closed_rows.len(), self.closed_rows[index % self.closed_rows.len()]);
            let impulse = self.problem.impulse(index);
            self.impulses[point * n_rows + row] = impulse;
            x.iter_mut().zip(response).for_each(|(x, response)| *x += response * impulse);
        }
        Ok(())
    }

    /// b and G of the closed contacts.
    fn set_up(&mut self, solver: &mut LinearSolver, x: &[f64], motion: &VelocityMap) {
        let Self { problem, responses, rows, places, first_rows, infos, laws, .. } = self;
        let Self { closed, closed_rows, column_starts, closed_entries, velocity, impulses, .. } = self;
        let (n, block, n_rows) = (x.len(), x.len() / motion.points, rows.len());
        problem.clear();
        for _ in 0..motion.points {
            for &contact in closed.iter() {
                problem.push(infos[contact].tangents, laws[contact].friction);
            }
        }
        problem.allocate();
        responses.clear();
        responses.resize(problem.size() * n, 0.0);

        // Adds the effect of all blocks of x to the velocity at a point.
        let respond = |point: usize, x: &[f64], velocity: &mut [f64]| {
            for (x, factor) in x.chunks_exact(block).zip(motion.response[point]) {
                velocity.iter_mut().zip(x).for_each(|(velocity, x)| *velocity += factor * x);
            }
        };
        for point in 0..motion.points {
            let (place, known) = (&places[motion.measured[point]], motion.known[point]);
            velocity.copy_from_slice(known);
            respond(point, x, velocity);
            for (k, &(contact, row)) in closed_rows.iter().enumerate() {
                let rate = place.rate[row];
                let mut bias = place.along(&rows[row], velocity) + rate;
                if motion.restitution > 0.0 {
                    let is_normal = row == first_rows[contact];
                    let law = &laws[contact];
                    let factor = if is_normal { law.restitution } else { law.tangential_restitution };
                    bias += motion.restitution * factor * (place.along(&rows[row], known) + rate);
                }
                problem.set_row(point * closed_rows.len() + k, bias, impulses[point * n_rows + row]);
            }
        }
        for (column, response) in responses.chunks_exact_mut(n).enumerate() {
            let (pushed, (_, row)) = (column / closed_rows.len(), closed_rows[column % closed_rows.len()]);
            let directions = &places[motion.pushed[pushed]].directions;
            for &(at, slot) in &rows[row] {
                response[pushed * block + at] = directions[slot];
            }
            solver.solve(response);
            for point in 0..motion.points {
                velocity.fill(0.0);
                respond(point, response, velocity);
                let directions = &places[motion.measured[point]].directions;
                for (at, &value) in velocity.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    for &(k, slot) in &closed_entries[column_starts[at]..column_starts[at + 1]] {
                        problem.add_entry(point * closed_rows.len() + k, column, directions[slot] * value);
                    }
                }
            }
        }
        problem.scale();
    }

    /// Names of the contacts that violate their laws, once each.
    fn violated(&self, points: usize, tolerance: f64) -> String {
        let is_violated = |contact: usize| {
            let all = (0..points).map(|point| &self.problem.contacts[point * self.closed.len() + contact]);
            all.into_iter().any(|rows| self.problem.violates(rows, tolerance))
        };
        let names = (0..self.closed.len()).filter(|&contact| is_violated(contact));
        let names: Vec<String> = names.map(|contact| format!("`{}`", self.infos[self.closed[contact]].name)).collect();
        // The list is limited because hundreds of contacts may be violated.
        match names.get(NAMED..) {
            Some(others) if !others.is_empty() => format!("{} and {} others", names[..NAMED].join(", "), others.len()),
            _ => names.join(", "),
        }
    }

    /// Records the impulses at a point in time, divided by a duration, as forces.
    pub(crate) fn record_forces(&mut self, point: usize, duration: f64) {
        let n = self.n_rows();
        let impulses = &self.impulses[point * n..(point + 1) * n];
        self.record.forces.iter_mut().zip(impulses).for_each(|(force, impulse)| *force = impulse / duration);
    }

    /// Resets the warm start to zero impulses, where the next problem is unrelated to the last one.
    pub(crate) fn reset_warm_start(&mut self) {
        self.impulses.fill(0.0);
    }

    /// Replaces the relative velocities of the first directions by those after the duration `instant` of acceleration;
    /// normal velocities that count as zero are set to zero.
    pub(crate) fn accelerate(&mut self, v: &[f64], rest: f64, instant: f64) {
        for row in 0..self.n_rows() {
            let velocity = self.places[0].along(&self.rows[row], v) + self.places[0].rate[row];
            let is_kept = self.first_rows.contains(&row) && velocity.abs() <= rest;
            let Directions { rate, acceleration, .. } = &mut self.places[0];
            rate[row] += instant * acceleration[row] - if is_kept { velocity } else { 0.0 };
        }
    }

    /// Replaces the slip of a contact in the first directions, at this velocity.
    pub(super) fn set_slip(&mut self, contact: usize, v: &[f64], slip: [f64; 2]) {
        for (k, slip) in slip.iter().enumerate().take(self.infos[contact].tangents) {
            let row = self.first_rows[contact] + 1 + k;
            self.places[0].rate[row] = slip - self.places[0].along(&self.rows[row], v);
        }
    }

    /// How fast a relative velocity of the first directions changes with these accelerations.
    pub(super) fn slip_rate(&self, row: usize, a: &[f64]) -> f64 {
        self.places[0].along(&self.rows[row], a) + self.places[0].acceleration[row]
    }

    /// [`Self::impose`] on a change x of velocity, with this fraction of the restitution of an impact, and with less of it
    /// if that would add energy.
    pub(crate) fn apply_impact(
        &mut self,
        solver: &mut LinearSolver,
        x: &mut [f64],
        before: &[f64],
        restitution: f64,
    ) -> Result<Loss, StepError> {
        let mut free = core::mem::take(&mut self.free);
        free.clear();
        free.extend_from_slice(x);
        let mut share = restitution;
        let result = loop {
            x.copy_from_slice(&free);
            if let Err(error) = self.impose(solver, x, &VelocityMap::single(before, 1.0, share)) {
                break Err(error);
            }
            let loss = Loss { is_reduced: share < restitution, ..self.loss(before, &free, x, share) };
            // An impact without restitution cannot add energy.
            if loss.least >= -self.settings.impact_rounding * loss.size || share == 0.0 {
                break Ok(loss);
            }
            share = if share > self.settings.least_restitution { 0.5 * share } else { 0.0 };
        };
        self.free = free;
        result
    }

    /// The energy that the impulses of the problem solved last dissipate, `−½ Λᵀ (ξ⁻ + ξ⁺)`: velocities change by `free`
    /// without them, by x with them, after this fraction of restitution.
    fn loss(&self, before: &[f64], free: &[f64], x: &[f64], share: f64) -> Loss {
        let (place, mut taken, mut work, mut from_free, mut size) = (&self.places[0], 0.0, 0.0, 0.0, 0.0);
        for row in (0..self.n_rows()).filter(|&row| self.impulses[row] != 0.0) {
            let half = 0.5 * self.impulses[row];
            let before = place.along(&self.rows[row], before) + place.rate[row];
            let [free, change] = [free, x].map(|change| place.along(&self.rows[row], change));
            taken -= half * (2.0 * before + change);
            work += half * (2.0 * (before - place.rate[row]) + change);
            from_free -= half * (2.0 * before + free + change);
            size += half.abs() * (before.abs() + (before + free).abs() + (before + change).abs());
        }
        Loss { taken, work, least: taken.max(from_free), size, share, is_reduced: false }
    }

    /// Records an impact with the impulses of the problem solved last; `is_first` at its instant.
    pub(crate) fn record_impact(&mut self, loss: &Loss, is_first: bool) {
        let impulses = self.record.impulses.iter_mut().zip(&self.impulses);
        impulses.for_each(|(sum, impulse)| *sum += impulse);
        self.record.impacts += u64::from(is_first);
        self.record_loss(loss);
    }

    /// Relative velocities along these directions, without the velocities of obstacles.
    pub(crate) fn motion_along(&self, place: usize, v: &[f64], out: &mut [f64]) {
        for (out, entries) in out.iter_mut().zip(&self.rows) {
            *out = self.places[place].along(entries, v);
        }
    }

    /// Records the work of the contact forces in a step, from the relative velocities at its beginning and at its end.
    pub(crate) fn record_work(&mut self, dt: f64, before: &[f64], after: &[f64]) {
        let pairs = self.record.forces.iter().zip(before.iter().zip(after));
        let power: f64 = pairs.map(|(force, (before, after))| 0.5 * force * (before + after)).sum();
        self.record.work += dt * power;
        self.record.most_work += (dt * power).max(0.0);
    }

    /// Records the work of drives in an impact, J.
    pub(crate) fn record_drives(&mut self, work: f64) {
        self.record.work += work;
        self.record.most_work += work;
    }

    /// Records the energy that contacts have dissipated.
    pub(crate) fn record_loss(&mut self, loss: &Loss) {
        self.record.weakened += u64::from(loss.is_reduced);
        self.record.loss += loss.taken;
        self.record.work += loss.work;
        self.record.most_work += loss.work;
        self.record.least_loss = self.record.least_loss.min(loss.least);
    }

    /// The normal impulse of a contact in the problem solved last.
    pub(crate) fn normal_impulse(&self, contact: usize) -> f64 {
        self.impulses[self.first_rows[contact]]
    }

    /// Name of the scheme, for errors.
    pub(crate) fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Name of a contact.
    pub(crate) fn name(&self, contact: usize) -> &'m str {
        &self.infos[contact].name
    }

    /// Number of contacts.
    pub(crate) fn len(&self) -> usize {
        self.infos.len()
    }
}
