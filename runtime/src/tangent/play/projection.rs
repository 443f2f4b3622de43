//! Projections onto the constraints: `M₀ x = G₀ᵀ m` and the constraints, or their rates, where x leads.
//!
//! How M₀ x − G₀ᵀ m changes with the state that M₀ and G₀ belong to is what the derivatives of the residual differ by
//! between the accelerations and multipliers x, m and zero.

use super::super::blocks::{Blocks, retraction};
use super::super::terms::{Terms, add_full, add_sparse};
use super::{ConstraintLevel, Matrix, NoSlope, Outside, Player, Projected, Shape, Singular, System, Target, entry};
use crate::model::State;
use crate::prelude::*;

/// What belongs to one projection.
struct Parts {
    /// Place of the system.
    place: usize,
    levels: Vec<ConstraintLevel>,
    /// How the coordinates afterwards answer to x and to those before.
    retraction: Option<[Blocks; 2]>,
}

impl<'m> Player<'m> {
    /// Evaluates the terms: `self.terms` becomes the difference of those of forces, `self.other` those of the state
    /// afterwards. The system is factorized.
    fn prepare(&mut self, projected: &Projected) -> Result<Parts, NoSlope> {
        let Projected { metric, by, after, target, left_out, .. } = projected;
        let (n, info) = (self.nv + self.nc, self.model.describe());
        let t = after.t;
        let singular = |Singular| NoSlope::Singular { t };
        let (first, is_backward) = (self.nv, self.is_backward);
        // A system of multipliers has no kind.
        let mut take = |kind: Option<bool>| {
            let fill = |shape: &mut Shape| {
                shape.begin(0, [0; 2], left_out);
                shape.zeros.extend(kind);
            };
            let is_transposed = kind.is_some() && is_backward;
            let rows = || left_out.iter().map(|row| first + row).collect();
            self.systems.take(fill, || System::new(n, is_transposed, rows()))
        };
        let (place_of_multipliers, mut multipliers_of) = take(None);
        let (place, mut system) = take(Some(matches!(target, Target::Coordinates)));
        // The multipliers of the projection.
        self.terms.evaluate(&still(metric), self.wanted);
        multipliers_of.begin();
        for ((row, column), &value) in info.mass_matrix.entries().zip(&self.terms.mass) {
            multipliers_of.add(row, column, value);
        }
        let mut rhs = Matrix::zeros(n, 1);
        for ((row, column), &value) in info.constraint_jacobian.entries().zip(&self.terms.jacobian) {
            multipliers_of.add(self.nv + row, column, value);
            multipliers_of.add(column, self.nv + row, -value);
            rhs[(self.nv + row, 0)] += value * by[column];
        }
        multipliers_of.factor().map_err(singular)?;
        multipliers_of.solve(&mut rhs);
        self.systems.put_back(place_of_multipliers, multipliers_of);
        let mut moved = still(metric);
        moved.a.copy_from_slice(by);
        moved.lambda.copy_from_slice(&rhs.as_slice()[self.nv..]);
        let mut difference = self.free.pop().unwrap_or_else(|| Box::new(Terms::new(self.model)));
        if matches!(target, Target::Coordinates) {
            // Constraints on velocities keep out of displacements what they forbid.
            moved.v.copy_from_slice(by);
            let mut at_rest = still(metric);
            at_rest.v.fill(0.0);
            difference.evaluate(&moved, self.wanted);
            self.other.evaluate(&at_rest, self.wanted);
            difference.subtract_rows(&self.other);
            moved.v.copy_from(&metric.v);
        }
        self.other.evaluate(&moved, self.wanted);
        self.other.subtract_forces(&self.terms);
        difference.take_forces(&self.other);
        difference.take_matrices(&self.terms);
        core::mem::swap(&mut self.terms, &mut *difference);
        self.free.push(difference);
        self.other.evaluate(after, self.wanted);
        let (levels, retraction) = match target {
            Target::Coordinates => {
                let levels = self.levels([ConstraintLevel::Position, ConstraintLevel::Velocity]);
                (levels, Some(retraction(self.blocks, by)))
            }
            Target::Velocities { .. } => (self.levels([ConstraintLevel::Velocity; 2]), None),
        };
        system.begin();
        for ((row, column), &value) in info.mass_matrix.entries().zip(&self.terms.mass) {
            system.add(row, column, value);
        }
        for ((row, column), &value) in info.constraint_jacobian.entries().zip(&self.terms.jacobian) {
            system.add(column, self.nv + row, -value);
        }
        let one = Blocks::uniform(1.0);
        let gradients = info.constraint_jacobian.entries().zip(self.other.jacobian.iter().zip(&self.terms.jacobian));
        for ((row, column), (&after, &before)) in gradients {
            let is_of_position = levels[row] == ConstraintLevel::Position;
            let (value, map) = match &retraction {
                Some([by_increment, _]) if is_of_position => (after, by_increment),
                Some(_) => (before, &one),
                None => (after, &one),
            };
            self.assemble(&mut system, (self.nv + row, column, value), [0, 0], map);
        }
        system.factor().map_err(singular)?;
        self.systems.put_back(place, system);
        Ok(Parts { place, levels, retraction })
    }

    pub(super) fn project(
        &mut self,
        projected: &Projected,
        registers: &[Matrix],
        outside: &mut dyn Outside,
    ) -> Result<[Matrix; 2], NoSlope> {
        let Parts { place, levels, retraction } = self.prepare(projected)?;
        let (n, info) = (self.nv + self.nc, self.model.describe());
        let metric = &registers[projected.metric_position.0];
        let columns = metric.ncols();
        let mut rhs = Matrix::zeros(n, columns);
        add_sparse((&info.stiffness, &self.terms.stiffness), -1.0, false, metric, (&mut rhs, 0));
        let mut result = Matrix::zeros(self.nv, columns);
        match projected.target {
            Target::Coordinates => {
                if let Some([_, by_start]) = &retraction {
                    self.add_map(by_start, false, metric, &mut result);
                }
                self.add_rows_of(&levels, ConstraintLevel::Position, &self.other, false, &result, &mut rhs);
                self.add_rows_of(&levels, ConstraintLevel::Velocity, &self.terms, false, metric, &mut rhs);
            }
            Target::Velocities { position, velocity } => {
                result += &registers[velocity.0];
                let position = &registers[position.0];
                self.add_rows(&self.other, &levels, (0, -1.0, false), (position, 0), (&mut rhs, self.nv));
                self.add_rows(&self.other, &levels, (1, -1.0, false), (&result, 0), (&mut rhs, self.nv));
            }
        }
        self.add_outside_of_projection(projected, &levels, outside, &mut rhs);
        self.systems.solve(place, &mut rhs);
        let x = rhs.rows(0, self.nv).into_owned();
        match &retraction {
            Some([by_increment, _]) => self.add_map(by_increment, false, &x, &mut result),
            None => result += x,
        }
        Ok([result, rhs.rows(self.nv, self.nc).into_owned()])
    }

    pub(super) fn project_backward(
        &mut self,
        projected: &Projected,
        of: Vec<Option<Matrix>>,
        columns: usize,
        slopes: &mut [Option<Matrix>],
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let Parts { place, levels, retraction } = self.prepare(projected)?;
        let (n, info) = (self.nv + self.nc, self.model.describe());
        let mut of = of.into_iter();
        let mut next = |rows: usize| of.next().flatten().unwrap_or_else(|| Matrix::zeros(rows, columns));
        let (of_result, of_multipliers) = (next(self.nv), next(self.nc));
        let mut of_x = Matrix::zeros(self.nv, columns);
        match &retraction {
            Some([by_increment, _]) => self.add_map(by_increment, true, &of_result, &mut of_x),
            None => of_x += &of_result,
        }
        let mut adjoint = Matrix::zeros(n, columns);
        adjoint.rows_mut(0, self.nv).copy_from(&of_x);
        adjoint.rows_mut(self.nv, self.nc).copy_from(&of_multipliers);
        self.systems.solve(place, &mut adjoint);
        let force = adjoint.rows(0, self.nv).into_owned();
        let mut of_metric = Matrix::zeros(self.nv, columns);
        add_sparse((&info.stiffness, &self.terms.stiffness), -1.0, true, &force, (&mut of_metric, 0));
        match projected.target {
            Target::Coordinates => {
                let mut of_moved = of_result;
                self.add_rows_of(&levels, ConstraintLevel::Position, &self.other, true, &adjoint, &mut of_moved);
                if let Some([_, by_start]) = &retraction {
                    self.add_map(by_start, true, &of_moved, &mut of_metric);
                }
                self.add_rows_of(&levels, ConstraintLevel::Velocity, &self.terms, true, &adjoint, &mut of_metric);
            }
            Target::Velocities { position, velocity } => {
                let mut of_velocity = of_result;
                let rows = (&adjoint, self.nv);
                self.add_rows(&self.other, &levels, (1, -1.0, true), rows, (&mut of_velocity, 0));
                let mut of_position = Matrix::zeros(self.nv, columns);
                self.add_rows(&self.other, &levels, (0, -1.0, true), rows, (&mut of_position, 0));
                *entry(slopes, position, self.nv, columns) += of_position;
                *entry(slopes, velocity, self.nv, columns) += of_velocity;
            }
        }
        *entry(slopes, projected.metric_position, self.nv, columns) += of_metric;
        self.add_outside_of_projection_backward(projected, &levels, outside, &adjoint);
        Ok(())
    }

    /// `−(rows by ξ) x` of the constraints at one of the levels: forwards from the first row of x to those of the
    /// constraints, and backwards.
    fn add_rows_of(
        &self,
        levels: &[ConstraintLevel],
        level: ConstraintLevel,
        terms: &Terms,
        is_transposed: bool,
        x: &Matrix,
        out: &mut Matrix,
    ) {
        let mut chosen = Matrix::zeros(self.nc, if is_transposed { x.ncols() } else { out.ncols() });
        let is_chosen = |row: usize| levels[row] == level;
        if is_transposed {
            for row in (0..self.nc).filter(|&row| is_chosen(row)) {
                chosen.row_mut(row).copy_from(&x.row(self.nv + row));
            }
            self.add_rows(terms, levels, (0, -1.0, true), (&chosen, 0), (out, 0));
        } else {
            self.add_rows(terms, levels, (0, -1.0, false), (x, 0), (&mut chosen, 0));
            for row in (0..self.nc).filter(|&row| is_chosen(row)) {
                let mut to = out.row_mut(self.nv + row);
                to += chosen.row(row);
            }
        }
    }

    fn add_outside_of_projection(
        &self,
        projected: &Projected,
        levels: &[ConstraintLevel],
        outside: &mut dyn Outside,
        rhs: &mut Matrix,
    ) {
        if self.wanted.parameters {
            let parameters = outside.parameters();
            add_full(&self.terms.force_by_p, self.np, -1.0, false, parameters, (rhs, 0));
            for (row, &level) in levels.iter().enumerate() {
                let by_p = self.terms_of_row(projected, level).row(row, level).by_p;
                add_full(by_p, self.np, -1.0, false, parameters, (rhs, self.nv + row));
            }
        }
    }

    fn add_outside_of_projection_backward(
        &self,
        projected: &Projected,
        levels: &[ConstraintLevel],
        outside: &mut dyn Outside,
        adjoint: &Matrix,
    ) {
        if self.wanted.parameters {
            let parameters = outside.parameters();
            let force = adjoint.rows(0, self.nv).into_owned();
            add_full(&self.terms.force_by_p, self.np, -1.0, true, &force, (parameters, 0));
            for (row, &level) in levels.iter().enumerate() {
                let by_p = self.terms_of_row(projected, level).row(row, level).by_p;
                let of = adjoint.rows(self.nv + row, 1).into_owned();
                add_full(by_p, self.np, -1.0, true, &of, (parameters, 0));
            }
        }
    }

    /// In a projection of coordinates, rows of constraints on velocities belong to the displacement.
    fn terms_of_row(&self, projected: &Projected, level: ConstraintLevel) -> &Terms<'m> {
        let is_of_displacement = matches!(projected.target, Target::Coordinates) && level == ConstraintLevel::Velocity;
        if is_of_displacement { &self.terms } else { &self.other }
    }
}

/// A state without accelerations and multipliers.
fn still(state: &State) -> State {
    let mut still = state.clone();
    still.a.fill(0.0);
    still.lambda.fill(0.0);
    still
}
