//! What a step does to small changes, see [`crate::tangent`].

use core::ops::Range;

use nalgebra::{Matrix4, Matrix6, Vector4};

use super::super::modified_hht;
use super::super::newmark::Average;
use super::{Step, combine};
use crate::configuration::euler_parameters;
use crate::model::Block;
use crate::prelude::*;
use crate::scheme::ConstraintLevel;
use crate::tables::NewmarkFamily;
use crate::tangent::{Blocks, Instant, LinearEquations, Register, STATE, StepMap, Sum, multiples, retraction};

impl Step<'_> {
    /// What the step that has been accepted did, from A at its beginning.
    pub(super) fn write_map(
        &self,
        map: &mut StepMap,
        auxiliary: Register,
        left_out: Vec<usize>,
    ) -> Result<(), &'static str> {
        // The step has exchanged its ends.
        let Self { old: new, new: old, dt: h, .. } = self;
        let NewmarkFamily { beta, gamma, .. } = self.scheme.coefficients;
        let (acceleration_factor, auxiliary_factor, old_factor) = self.scheme.acceleration_factors();
        let (position_factor, velocity_factor) = self.newmark_factors();
        let [by_increment, by_start] = retraction(self.blocks, self.increment.as_slice());
        let times = |factor: f64| by_increment.clone().scaled(factor);
        let share = self.scheme.old_force_factor();
        let (mut force, mut follows) = (Sum::new(), None);
        if share != 0.0 {
            let old_force = map.force(old, STATE[0], STATE[1], STATE[3]);
            // Forces of contacts belong to the old ones.
            let contacts = self.of_contacts().map(|contacts| (-1.0, contacts));
            let terms: Vec<(f64, Register)> = [(1.0, old_force)].into_iter().chain(contacts).collect();
            let old_force = if terms.len() > 1 { map.combine(&terms) } else { old_force };
            force.push((Blocks::uniform(share), old_force));
            if self.scheme.is_body_weighted() {
                let [by_end, by_start, by_force] = self.carried_force_maps().map(|map| map.scaled(share));
                force = vec![(by_force, old_force), (by_start, STATE[0])];
                follows = Some(by_end);
            }
        }
        let mut state = new.clone();
        combine([1.0, acceleration_factor], [&self.known[2], &self.auxiliary], &mut state.a);
        let position = vec![(by_start, STATE[0]), (times(*h), STATE[1]), (times(h * h * (0.5 - beta)), auxiliary)];
        let mut by_acceleration = Blocks::uniform(velocity_factor);
        let mut velocity = multiples(&[(1.0, STATE[1]), (h * (1.0 - gamma), auxiliary)]);
        if self.scheme.weighting().is_some() {
            (by_acceleration, velocity) = self.modified_velocity_maps(auxiliary);
        }
        let known = [position, velocity, multiples(&[(old_factor, STATE[2]), (auxiliary_factor, auxiliary)])];
        let instant = Instant {
            state,
            known,
            position: vec![times(position_factor)],
            velocity: vec![by_acceleration],
            acceleration: vec![acceleration_factor],
            force,
            follows,
            constrained: None,
        };
        let levels = [self.constraints.of_coordinates(), ConstraintLevel::Velocity];
        let (point, unknown) =
            map.solve_in_contact(LinearEquations { instants: vec![instant], levels, left_out }, None)[0];
        let acceleration = if self.scheme.average == Average::Accelerations { point.acceleration } else { unknown };
        let contacts = self.of_contacts().map(|_| map.contact_force().unwrap_or_else(|| map.combine(&[])));
        let ends = [point.position, point.velocity, acceleration, point.multiplier, unknown];
        map.end(ends.into_iter().chain(contacts));
        Ok(())
    }

    /// The change of the forces of contacts at the beginning of a step, where they are carried from step to step.
    pub(super) fn of_contacts(&self) -> Option<Register> {
        let is_carried = self.scheme.old_force_factor() != 0.0 && !self.model.describe().contacts.is_empty();
        is_carried.then_some(Register(STATE.len() + 1))
    }

    /// Of Euler parameters a matrix each, given their e at both ends, their places, and their number; of others the factor.
    fn of_euler_parameters(
        &self,
        factor: f64,
        matrix: impl Fn([&Vector4<f64>; 2], Range<usize>, usize) -> Matrix4<f64>,
    ) -> Blocks {
        // The step has exchanged its ends.
        let (start, end) = (self.new.q.as_slice(), self.old.q.as_slice());
        let mut number = 0;
        Blocks::of_each(self.blocks, factor, |block, q, v| {
            if block != Block::EulerParameters {
                return None;
            }
            let [start, end] = [start, end].map(|all| euler_parameters(&all[q.clone()]));
            let mut own = Matrix6::zeros();
            own.fixed_view_mut::<4, 4>(0, 0).copy_from(&matrix([&start, &end], v, number));
            number += 1;
            Some(own)
        })
    }

    /// How the old force that is turned with the body answers to both ends, the new one first, and to the force.
    fn carried_force_maps(&self) -> [Blocks; 3] {
        let slopes = |ends: [&Vector4<f64>; 2], v: Range<usize>| {
            modified_hht::carried_force_slopes(ends, &euler_parameters(&self.old_force.as_slice()[v]))
        };
        [(0, 0.0), (1, 0.0), (2, 1.0)]
            .map(|(which, factor)| self.of_euler_parameters(factor, |ends, v, _| slopes(ends, v)[which]))
    }

    /// How the new velocity answers to A₁, and to what was before.
    fn modified_velocity_maps(&self, auxiliary: Register) -> (Blocks, Sum) {
        let (h, NewmarkFamily { beta, gamma, .. }) = (self.dt, self.scheme.coefficients);
        let (position_factor, velocity_factor) = self.newmark_factors();
        let rest = h * (1.0 - gamma);
        let acceleration = |v: Range<usize>| euler_parameters(&self.auxiliary.as_slice()[v]);
        let slopes = |ends: [&Vector4<f64>; 2], v: Range<usize>, number: usize| {
            let [rate, old] =
                [&self.new.v, &self.old_auxiliary].map(|all| euler_parameters(&all.as_slice()[v.clone()]));
            let sum = rate + rest * old;
            modified_hht::velocity_slopes(ends, &self.angular[number], &sum, &acceleration(v), velocity_factor)
        };
        let by_acceleration = self.of_euler_parameters(velocity_factor, |ends, v, number| {
            let (w, a) = (&self.angular[number], acceleration(v));
            modified_hht::velocity_derivative(ends[1], w, &a, position_factor, velocity_factor)
        });
        // The new orientation is the old one and its increment.
        let by = |factor: f64, [by_end, by_start, by_sum]: [f64; 3]| {
            self.of_euler_parameters(factor, |ends, v, number| {
                let [end, start, sum] = slopes(ends, v, number);
                end * by_end + start * by_start + sum * by_sum
            })
        };
        let known = vec![
            (by(0.0, [1.0, 1.0, 0.0]), STATE[0]),
            (by(1.0, [h, 0.0, 1.0]), STATE[1]),
            (by(rest, [h * h * (0.5 - beta), 0.0, rest]), auxiliary),
        ];
        (by_acceleration, known)
    }
}
