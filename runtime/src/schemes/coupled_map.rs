//! What a step of stages that are solved together does to small changes, see [`crate::tangent`].
//!
//! The stages obey `xᵢ = h (eᵢ ẋ₀ + Σ wᵢⱼ ẋⱼ)` and `vᵢ = v₀ + h (eᵢ a₀ + Σ wᵢⱼ aⱼ)`. Vectors follow with sums of products of
//! the weights; what turns answers to the angular velocities of all stages at once, through its rates `T(g) ω`.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3};

use crate::chart::{self, vector};
use crate::configuration::ranges;
use crate::model::{Block, State};
use crate::prelude::*;
use crate::rotation::{rotation_matrix, skew};
use crate::tangent::{Blocks, Instant, STATE, Sum, backwards, multiples};

/// A step that was made.
pub(super) struct Made<'s> {
    pub(super) blocks: &'s [Block],
    pub(super) dt: f64,
    /// The beginning, and the implicit stages with their coordinates relative to it.
    pub(super) reference: &'s State,
    pub(super) states: &'s [State],
    pub(super) x: &'s [DVector<f64>],
    /// Weights of the explicit stage and of the implicit ones.
    pub(super) explicit: &'s [f64],
    pub(super) weights: &'s [Vec<f64>],
}

/// How a block that turns answers, stage by stage.
struct Turned {
    /// To its configuration at the beginning.
    by_reference: Vec<Matrix6<f64>>,
    /// To its velocities: at the beginning by way of the explicit stage, then in each stage.
    by_velocity: Vec<Vec<Matrix6<f64>>>,
}

impl Made<'_> {
    /// The equations of every stage but for what they solve.
    pub(super) fn instants(&self) -> Vec<Instant> {
        let Self { dt: h, explicit, weights, states, .. } = self;
        let turned: Vec<Turned> =
            ranges(self.blocks).filter(|(block, ..)| block.turn().is_some()).map(|block| self.turned(block)).collect();
        // Weights of all velocities on which coordinates depend: of the explicit stage, and of the implicit ones.
        let all = |i: usize| core::iter::once(explicit[i]).chain(weights[i].iter().copied());
        // A sum over these velocities, each with a factor.
        let follow = |i: usize, factors: &dyn Fn(usize) -> f64| {
            let factor = h * all(i).enumerate().map(|(j, weight)| weight * factors(j)).sum::<f64>();
            let mut turned = turned.iter();
            Blocks::of(self.blocks, factor, |_, _, _| {
                let by_velocity = turned.next().map(|turned| turned.by_velocity[i].iter());
                let terms = by_velocity.into_iter().flatten().enumerate();
                terms.map(|(j, matrix)| matrix * factors(j)).sum()
            })
        };
        let instant = |i: usize| {
            let mut by_reference = turned.iter().map(|turned| turned.by_reference[i]);
            let [position, velocity, acceleration, _] = STATE;
            let known_x = vec![
                (Blocks::of(self.blocks, 1.0, |_, _, _| by_reference.next().unwrap_or_default()), position),
                (follow(i, &|_| 1.0), velocity),
                // The velocity at the beginning does not follow the acceleration there.
                (follow(i, &|j| j.checked_sub(1).map_or(0.0, |stage| h * explicit[stage])), acceleration),
            ];
            let by_acceleration =
                |k: usize| follow(i, &|j| j.checked_sub(1).map_or(0.0, |stage| h * weights[stage][k]));
            Instant {
                state: states[i].clone(),
                known: [known_x, multiples(&[(1.0, velocity), (h * explicit[i], acceleration)]), Vec::new()],
                position: (0..states.len()).map(by_acceleration).collect(),
                velocity: weights[i].iter().map(|weight| Blocks::uniform(h * weight)).collect(),
                acceleration: (0..states.len()).map(|j| if i == j { 1.0 } else { 0.0 }).collect(),
                force: Sum::new(),
                follows: None,
                constrained: None,
            }
        };
        (0..states.len()).map(instant).collect()
    }

    fn turned(&self, (block, of_q, of_v): (Block, core::ops::Range<usize>, core::ops::Range<usize>)) -> Turned {
        let Self { dt: h, reference, states, x, explicit, weights, .. } = self;
        let s = states.len();
        let (first, attitude) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let turn = of_v.start + first;
        let g = |i: usize| vector(&x[i].as_slice()[turn..]);
        let omega = |i: usize| vector(&states[i].v.as_slice()[turn..]);
        // gᵢ − h Σ wᵢⱼ T(gⱼ) ωⱼ = h eᵢ ω₀, differentiated.
        let mut implicit = DMatrix::identity(3 * s, 3 * s);
        let mut right = DMatrix::zeros(3 * s, 3 * (s + 1));
        for i in 0..s {
            right.view_mut((3 * i, 0), (3, 3)).copy_from(&(Matrix3::identity() * (h * explicit[i])));
            for j in 0..s {
                let weight = h * weights[i][j];
                let mut entry = implicit.view_mut((3 * i, 3 * j), (3, 3));
                entry -= weight * chart::rate_derivative(&g(j), &omega(j));
                right.view_mut((3 * i, 3 * j + 3), (3, 3)).copy_from(&(weight * chart::rate_matrix(&g(j))));
            }
        }
        if !implicit.lu().solve_mut(&mut right) {
            right.fill(f64::NAN);
        }
        let angular = |i: usize, j: usize| -> Matrix3<f64> {
            chart::inverse_rate_matrix(&g(i)) * right.fixed_view::<3, 3>(3 * i, 3 * j)
        };
        let back = |i: usize| backwards(&g(i));
        let assembled = |shift: Matrix3<f64>, turn: Matrix3<f64>, shift_by_turn: Matrix3<f64>| {
            let mut matrix = Matrix6::zeros();
            matrix.fixed_view_mut::<3, 3>(first, first).copy_from(&turn);
            if first > 0 {
                matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&shift);
                matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&shift_by_turn);
            }
            matrix
        };
        // The shift of a pose is h (eᵢ A₀ u₀ + Σ wᵢⱼ Aⱼ uⱼ), here in the axes of stage i, and A u changes by A (δu − ũ θ).
        let at = |j: usize| j.checked_sub(1).map_or(*reference, |stage| &states[stage]);
        let axes = |j: usize| rotation_matrix(&attitude.read(&at(j).q.as_slice()[of_q.start + first..]));
        let carried = |i: usize, j: usize| {
            let weight = j.checked_sub(1).map_or(explicit[i], |stage| weights[i][stage]);
            h * weight * (axes(i + 1).transpose() * axes(j))
        };
        let u = |j: usize| -> Vector3<f64> { vector(&at(j).v.as_slice()[of_v.start..]) };
        let shift_by = |i: usize, turns: &dyn Fn(usize) -> Matrix3<f64>| -> Matrix3<f64> {
            if first == 0 {
                return Matrix3::zeros();
            }
            -(0..=s).map(|j| carried(i, j) * skew(&u(j)) * turns(j)).sum::<Matrix3<f64>>()
        };
        let by_reference = |i: usize| {
            let turns = |j: usize| j.checked_sub(1).map_or(Matrix3::identity(), back);
            assembled(axes(i + 1).transpose() * axes(0), back(i), shift_by(i, &turns))
        };
        let by_velocity = |i: usize, k: usize| {
            let turns = |j: usize| j.checked_sub(1).map_or(Matrix3::zeros(), |stage| angular(stage, k));
            assembled(carried(i, k), angular(i, k), shift_by(i, &turns))
        };
        Turned {
            by_reference: (0..s).map(by_reference).collect(),
            by_velocity: (0..s).map(|i| (0..=s).map(|k| by_velocity(i, k)).collect()).collect(),
        }
    }
}
