//! Linear maps between vectors of the directions of velocities that act on each block of the configuration space alone: a
//! number for vectors, and a matrix for what turns and, where a scheme treats them so, for redundant Euler parameters.
//!
//! A change of coordinates is given along the velocities, `δq = N ξ`: for a rotation ξ is a small turn in body axes, for a
//! pose the shift of its origin and the turn, both in its own axes.

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::bundle::add_scaled;
use crate::chart;
use crate::configuration::{pose_tangent, ranges};
use crate::model::Block;
use crate::prelude::*;
use crate::rotation::{
    euler_angle_rates, euler_angle_rates_derivative, exp_half, rotation_matrix, skew, tangent_operator,
};

/// A map of blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blocks {
    /// Of vectors, and of all that have no matrix.
    pub(crate) factor: f64,
    /// Of blocks other than vectors, in their order, in the upper left corner for rotations and Euler parameters; where there
    /// are none, the number holds for all.
    own: Vec<Option<Matrix6<f64>>>,
}

impl Blocks {
    /// The same number for every entry.
    pub(crate) fn uniform(factor: f64) -> Self {
        Self { factor, own: Vec::new() }
    }

    /// A number for vectors, and for each block that turns, with its places in q and v, a matrix.
    pub(crate) fn of(
        blocks: &[Block],
        factor: f64,
        mut turn: impl FnMut(Block, core::ops::Range<usize>, core::ops::Range<usize>) -> Matrix6<f64>,
    ) -> Self {
        Self::of_each(blocks, factor, |block, q, v| block.turn().map(|_| turn(block, q, v)))
    }

    /// The same with a matrix for each block that is no vector, or none where the number holds.
    pub(crate) fn of_each(
        blocks: &[Block],
        factor: f64,
        mut own: impl FnMut(Block, core::ops::Range<usize>, core::ops::Range<usize>) -> Option<Matrix6<f64>>,
    ) -> Self {
        let others = ranges(blocks).filter(|(block, ..)| has_own(*block));
        Self { factor, own: others.map(|(block, q, v)| own(block, q, v)).collect() }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.factor == 0.0 && self.own.iter().all(Option::is_none)
    }

    /// The matrix of the block at this place among those that are no vectors, unless the number holds.
    pub(super) fn own(&self, place: usize) -> Option<&Matrix6<f64>> {
        self.own.get(place)?.as_ref()
    }

    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.factor *= factor;
        self.own.iter_mut().flatten().for_each(|own| *own *= factor);
        self
    }

    /// `out += B x`, or `out += Bᵀ x`, for so many vectors.
    pub(super) fn add_product(
        &self,
        blocks: &[Block],
        is_transposed: bool,
        (x, width): (&[f64], usize),
        out: &mut [f64],
    ) {
        if self.own.is_empty() {
            add_scaled(self.factor, x, out);
            return;
        }
        if width == 0 {
            return;
        }
        let mut all = self.own.iter();
        for (block, _, v) in ranges(blocks) {
            let of = v.start * width..v.end * width;
            let (x, out) = (&x[of.clone()], &mut out[of]);
            let own = if has_own(block) { all.next().and_then(Option::as_ref) } else { None };
            let Some(own) = own else {
                add_scaled(self.factor, x, out);
                continue;
            };
            let n = v.len();
            for (i, out) in out.chunks_exact_mut(width).enumerate() {
                for (k, x) in x.chunks_exact(width).enumerate().take(n) {
                    add_scaled(if is_transposed { own[(k, i)] } else { own[(i, k)] }, x, out);
                }
            }
        }
    }
}

/// Whether a block may have a matrix of its own.
pub(super) fn has_own(block: Block) -> bool {
    !matches!(block, Block::Vector { .. })
}

/// A matrix of what adds (of poses), of what turns, and of how the former follows the latter.
fn assembled(block: Block, shift: Matrix3<f64>, turn: Matrix3<f64>, shift_by_turn: Matrix3<f64>) -> Matrix6<f64> {
    let mut matrix = Matrix6::zeros();
    let Some((first, _)) = block.turn() else { return matrix };
    matrix.fixed_view_mut::<3, 3>(first, first).copy_from(&turn);
    if first > 0 {
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&shift);
        matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&shift_by_turn);
    }
    matrix
}

fn vector(slice: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(&slice[..3])
}

/// How `retract(q, increment)` answers to the increment, and to q.
pub(crate) fn retraction(blocks: &[Block], increment: &[f64]) -> [Blocks; 2] {
    let by_increment = Blocks::of(blocks, 1.0, |block, _, v| match block {
        Block::Pose(_) => pose_tangent(&increment[v]),
        _ => {
            let tangent = tangent_operator(&vector(&increment[v]));
            assembled(block, Matrix3::zeros(), tangent, Matrix3::zeros())
        }
    });
    let by_start = Blocks::of(blocks, 1.0, |block, _, v| {
        let increment = &increment[v];
        let (first, _) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let angle = vector(&increment[first..]);
        let back = rotation_matrix(&exp_half(&angle)).transpose();
        // The increment of a pose is a shift in the axes half way.
        let moved = rotation_matrix(&exp_half(&(0.5 * angle))) * vector(increment);
        assembled(block, back, back, -back * skew(&moved))
    });
    [by_increment, by_start]
}

/// How coordinates x relative to a reference, see [`chart`], answer to the configuration at x and to the reference.
pub(crate) fn location(blocks: &[Block], reference: &[f64], q: &[f64], x: &[f64]) -> [Blocks; 2] {
    let by_q = Blocks::of(blocks, 1.0, |block, of_q, v| {
        let (first, attitude) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let g = vector(&x[v.start + first..]);
        let axes = rotation_matrix(&attitude.read(&q[of_q.start + first..]));
        assembled(block, axes, chart::rate_matrix(&g), Matrix3::zeros())
    });
    let by_reference = Blocks::of(blocks, -1.0, |block, of_q, v| {
        let (first, attitude) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let g = vector(&x[v.start + first..]);
        let axes = rotation_matrix(&attitude.read(&reference[of_q.start + first..]));
        assembled(block, -axes, -chart::rate_matrix(&g) * backwards(&g), Matrix3::zeros())
    });
    [by_q, by_reference]
}

/// From the axes of the reference to those at g.
pub(crate) fn backwards(g: &Vector3<f64>) -> Matrix3<f64> {
    // The same turn in the axes of both ends: T(g) ω = T(−g) R ω.
    chart::inverse_rate_matrix(g) * chart::rate_matrix(&-g)
}

/// How the rate of x answers to v, to the configuration at x, and to the reference.
pub(crate) fn rate(blocks: &[Block], q: &[f64], x: &[f64], v: &[f64]) -> [Blocks; 3] {
    let parts = |block: Block, of_q: core::ops::Range<usize>, of_v: core::ops::Range<usize>| {
        let (first, attitude) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let axes = rotation_matrix(&attitude.read(&q[of_q.start + first..]));
        let (g, omega) = (vector(&x[of_v.start + first..]), vector(&v[of_v.start + first..]));
        (axes, g, chart::rate_derivative(&g, &omega), vector(&v[of_v.start..]))
    };
    let by_v = Blocks::of(blocks, 1.0, |block, of_q, of_v| {
        let (axes, g, ..) = parts(block, of_q, of_v);
        assembled(block, axes, chart::rate_matrix(&g), Matrix3::zeros())
    });
    let by_q = Blocks::of(blocks, 0.0, |block, of_q, of_v| {
        let (axes, g, derivative, u) = parts(block, of_q, of_v);
        assembled(block, Matrix3::zeros(), derivative * chart::rate_matrix(&g), -axes * skew(&u))
    });
    let by_reference = Blocks::of(blocks, 0.0, |block, of_q, of_v| {
        let (_, g, derivative, _) = parts(block, of_q, of_v);
        assembled(block, Matrix3::zeros(), -derivative * chart::rate_matrix(&g) * backwards(&g), Matrix3::zeros())
    });
    [by_v, by_q, by_reference]
}

/// How the directions of the velocities at one configuration answer to those at another as coordinates stay what they are,
/// and to what is added to them: N(q) v there, by v and by q. Both with angles where they turn.
pub(crate) fn addition(blocks: &[Block], to: &[f64], q: &[f64], v: &[f64]) -> [Blocks; 2] {
    let parts = |block: Block, of_q: core::ops::Range<usize>| {
        let (first, attitude) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let [there, here] = [to, q].map(|q| vector(&q[of_q.start + first..]));
        let [at, of] = [to, q].map(|q| rotation_matrix(&attitude.read(&q[of_q.start + first..])));
        let back = euler_angle_rates(&there).try_inverse().unwrap_or_else(|| Matrix3::repeat(f64::NAN));
        (here, back, at.transpose() * of)
    };
    let by_v = Blocks::of(blocks, 1.0, |block, of_q, _| {
        let (angles, back, carried) = parts(block, of_q);
        assembled(block, carried, back * euler_angle_rates(&angles), Matrix3::zeros())
    });
    let by_q = Blocks::of(blocks, 0.0, |block, of_q, of_v| {
        let (angles, back, carried) = parts(block, of_q);
        let turn = euler_angle_rates_derivative(&angles, &vector(&v[of_v.end - 3..]));
        let by_turn = -carried * skew(&vector(&v[of_v]));
        assembled(block, Matrix3::zeros(), back * turn * euler_angle_rates(&angles), by_turn)
    });
    [by_v, by_q]
}

/// How rates of x, carried to the chart whose reference is at x, answer to those before and to x; see [`chart::transport`].
pub(crate) fn transport(blocks: &[Block], x: &[f64], carried: &[f64]) -> [Blocks; 2] {
    let parts = |block: Block, of_v: core::ops::Range<usize>| {
        let (first, _) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let turn = of_v.start + first;
        let g = vector(&x[turn..]);
        (chart::inverse_rate_matrix(&g), chart::rate_derivative(&g, &vector(&carried[turn..])))
    };
    let by_rate = Blocks::of(blocks, 1.0, |block, _, of_v| {
        assembled(block, Matrix3::identity(), parts(block, of_v).0, Matrix3::zeros())
    });
    let by_x = Blocks::of(blocks, 0.0, |block, _, of_v| {
        let (inverse, derivative) = parts(block, of_v);
        assembled(block, Matrix3::zeros(), -inverse * derivative, Matrix3::zeros())
    });
    [by_rate, by_x]
}

/// How the configuration at the solution of `x = x̂ + β ẋ(x, v)` answers to x̂, to v, and to the reference.
pub(crate) fn solution(blocks: &[Block], beta: f64, q: &[f64], x: &[f64], v: &[f64]) -> [Blocks; 3] {
    let parts = |block: Block, of_q: core::ops::Range<usize>, of_v: core::ops::Range<usize>| {
        let (first, attitude) = block.turn().unwrap_or_else(|| unreachable!("it turns"));
        let axes = rotation_matrix(&attitude.read(&q[of_q.start + first..]));
        let (g, omega) = (vector(&x[of_v.start + first..]), vector(&v[of_v.start + first..]));
        (axes, g, omega, -beta * skew(&vector(&v[of_v.start..])))
    };
    let by_known = Blocks::of(blocks, 1.0, |block, of_q, of_v| {
        let (axes, g, omega, carried) = parts(block, of_q, of_v);
        let implicit = Matrix3::identity() - beta * chart::rate_derivative(&g, &omega);
        let inverse = implicit.try_inverse().unwrap_or_else(|| Matrix3::repeat(f64::NAN));
        let turn = chart::inverse_rate_matrix(&g) * inverse;
        assembled(block, axes.transpose(), turn, carried * turn)
    });
    let by_v =
        Blocks::of(blocks, beta, |block, _, of_v| beta * chart::sensitivity(block, beta, &x[of_v.clone()], &v[of_v]));
    let by_reference = Blocks::of(blocks, 1.0, |block, of_q, of_v| {
        let (_, g, _, carried) = parts(block, of_q, of_v);
        let back = backwards(&g);
        assembled(block, back, back, carried * back)
    });
    [by_known, by_v, by_reference]
}
