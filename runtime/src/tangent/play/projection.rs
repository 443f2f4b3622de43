//! Projections onto the constraints: `M₀ x = G₀ᵀ m` and the constraints, or their rates, where x leads.
//!
//! How M₀ x − G₀ᵀ m changes with the state that M₀ and G₀ belong to is what the derivatives of the residual differ by
//! between the accelerations and multipliers x, m and zero.

use super::super::blocks::{Blocks, retraction};
use super::super::bundle::{Bundle, add_full, add_scaled, add_sparse};
use super::super::map::Register;
use super::super::terms::Terms;
use super::{ConstraintLevel, NoSlope, Outside, Player, Projected, Shape, Singular, Slopes, System, Target};
use crate::model::State;
use crate::prelude::*;

/// What belongs to one projection.
struct Parts {
    /// Place of the system.
    place: usize,
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
        let mut rhs = Bundle::zeros(n, 1);
        for ((row, column), &value) in info.constraint_jacobian.entries().zip(&self.terms.jacobian) {
            multipliers_of.add(self.nv + row, column, value);
            multipliers_of.add(column, self.nv + row, -value);
            rhs.entries_mut(self.nv + row, 1)[0] += value * by[column];
        }
        multipliers_of.factor().map_err(singular)?;
        multipliers_of.solve(&mut rhs);
        self.systems.put_back(place_of_multipliers, multipliers_of);
        let mut moved = still(metric);
        moved.a.copy_from_slice(by);
        moved.lambda.copy_from_slice(rhs.entries(self.nv, self.nc));
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
                ([ConstraintLevel::Position, ConstraintLevel::Velocity], Some(retraction(self.blocks, by)))
            }
            Target::Velocities { .. } => ([ConstraintLevel::Velocity; 2], None),
        };
        self.set_levels(levels);
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
            let is_of_position = self.room.levels[row] == ConstraintLevel::Position;
            let (value, map) = match &retraction {
                Some([by_increment, _]) if is_of_position => (after, by_increment),
                Some(_) => (before, &one),
                None => (after, &one),
            };
            self.assemble(&mut system, (self.nv + row, column, value), [0, 0], map);
        }
        system.factor().map_err(singular)?;
        self.systems.put_back(place, system);
        Ok(Parts { place, retraction })
    }

    pub(super) fn project(
        &mut self,
        projected: &Projected,
        registers: &[Bundle],
        results: &mut [Bundle],
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let Parts { place, retraction } = self.prepare(projected)?;
        let [result, multipliers] = results else { return Ok(()) };
        let (n, info) = (self.nv + self.nc, self.model.describe());
        let metric = &registers[projected.metric_position.0];
        let width = metric.width();
        let mut rhs = core::mem::take(&mut self.room.solution);
        rhs.begin(n, width);
        result.begin(self.nv, width);
        let (forces, rows) = rhs.values_mut().split_at_mut(self.nv * width);
        add_sparse((&info.stiffness, &self.terms.stiffness), -1.0, false, (metric.values(), width), forces);
        match projected.target {
            Target::Coordinates => {
                if let Some([_, by_start]) = &retraction {
                    self.add_map(by_start, false, (metric.values(), width), result.values_mut());
                }
                self.add_rows_of(ConstraintLevel::Position, &self.other, false, (result.values(), width), rows);
                self.add_rows_of(ConstraintLevel::Velocity, &self.terms, false, (metric.values(), width), rows);
            }
            Target::Velocities { position, velocity } => {
                result.copy_from(&registers[velocity.0]);
                self.add_rows(&self.other, (0, -1.0, false), (registers[position.0].values(), width), rows);
                self.add_rows(&self.other, (1, -1.0, false), (result.values(), width), rows);
            }
        }
        self.add_outside_of_projection(projected, outside, (forces, rows));
        self.systems.solve(place, &mut rhs);
        let x = rhs.entries(0, self.nv);
        match &retraction {
            Some([by_increment, _]) => self.add_map(by_increment, false, (x, width), result.values_mut()),
            None => add_scaled(1.0, x, result.values_mut()),
        }
        multipliers.copy_from_slice(rhs.entries(self.nv, self.nc), width);
        self.room.solution = rhs;
        Ok(())
    }

    pub(super) fn project_backward(
        &mut self,
        projected: &Projected,
        mut of: Slopes<'_>,
        slopes: &mut Slopes<'_>,
        outside: &mut dyn Outside,
    ) -> Result<(), NoSlope> {
        let Parts { place, retraction } = self.prepare(projected)?;
        let (nv, info, width) = (self.nv, self.model.describe(), slopes.width);
        let mut adjoint = core::mem::take(&mut self.room.solution);
        adjoint.begin(nv + self.nc, width);
        add_scaled(1.0, of.entry(Register(1), self.nc).values(), adjoint.entries_mut(nv, self.nc));
        let of_result = of.entry(Register(0), nv);
        let of_x = adjoint.entries_mut(0, nv);
        match &retraction {
            Some([by_increment, _]) => self.add_map(by_increment, true, (of_result.values(), width), of_x),
            None => add_scaled(1.0, of_result.values(), of_x),
        }
        self.systems.solve(place, &mut adjoint);
        let (force, rows) = adjoint.values().split_at(nv * width);
        let rows = (rows, width);
        let of_metric = slopes.entry(projected.metric_position, nv).values_mut();
        add_sparse((&info.stiffness, &self.terms.stiffness), -1.0, true, (force, width), of_metric);
        match projected.target {
            Target::Coordinates => {
                self.add_rows_of(ConstraintLevel::Position, &self.other, true, rows, of_result.values_mut());
                if let Some([_, by_start]) = &retraction {
                    self.add_map(by_start, true, (of_result.values(), width), of_metric);
                }
                self.add_rows_of(ConstraintLevel::Velocity, &self.terms, true, rows, of_metric);
            }
            Target::Velocities { position, velocity } => {
                self.add_rows(&self.other, (1, -1.0, true), rows, of_result.values_mut());
                add_scaled(1.0, of_result.values(), slopes.entry(velocity, nv).values_mut());
                self.add_rows(&self.other, (0, -1.0, true), rows, slopes.entry(position, nv).values_mut());
            }
        }
        self.add_outside_of_projection_backward(projected, outside, (force, rows.0));
        self.room.solution = adjoint;
        Ok(())
    }

    /// `−(rows by ξ) x` of the constraints at one of the levels: forwards to the rows of the constraints, and backwards.
    fn add_rows_of(
        &self,
        level: ConstraintLevel,
        terms: &Terms,
        is_transposed: bool,
        (x, width): (&[f64], usize),
        out: &mut [f64],
    ) {
        let mut chosen = Bundle::zeros(self.nc, width);
        let rows = self.room.levels.iter().enumerate().filter(|(_, of)| **of == level).map(|(row, _)| row);
        if is_transposed {
            for row in rows {
                chosen.entries_mut(row, 1).copy_from_slice(&x[row * width..][..width]);
            }
            self.add_rows(terms, (0, -1.0, true), (chosen.values(), width), out);
        } else {
            self.add_rows(terms, (0, -1.0, false), (x, width), chosen.values_mut());
            for row in rows {
                add_scaled(1.0, chosen.entries(row, 1), &mut out[row * width..][..width]);
            }
        }
    }

    fn add_outside_of_projection(
        &self,
        projected: &Projected,
        outside: &mut dyn Outside,
        (forces, rows): (&mut [f64], &mut [f64]),
    ) {
        if self.wanted.parameters {
            let parameters = outside.parameters();
            let x = (parameters.values(), parameters.width());
            add_full((&self.terms.force_by_p, self.np), -1.0, false, x, forces);
            for (row, &level) in self.room.levels.iter().enumerate() {
                let by_p = self.terms_of_row(projected, level).row(row, level).by_p;
                add_full((by_p, self.np), -1.0, false, x, &mut rows[row * x.1..][..x.1]);
            }
        }
    }

    fn add_outside_of_projection_backward(
        &self,
        projected: &Projected,
        outside: &mut dyn Outside,
        (force, rows): (&[f64], &[f64]),
    ) {
        if self.wanted.parameters {
            let parameters = outside.parameters();
            let width = parameters.width();
            let out = parameters.values_mut();
            add_full((&self.terms.force_by_p, self.np), -1.0, true, (force, width), out);
            for (row, &level) in self.room.levels.iter().enumerate() {
                let by_p = self.terms_of_row(projected, level).row(row, level).by_p;
                add_full((by_p, self.np), -1.0, true, (&rows[row * width..][..width], width), out);
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
