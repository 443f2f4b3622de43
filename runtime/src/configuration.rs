//! Moving in a configuration space made of blocks: vectors, redundant Euler parameters, rotations.
//!
//! Vectors and Euler parameters add; rotations compose, `e₁ = e₀ ∘ exp(δ/2)` with δ in body axes [sherif, Eqs. 29, 30].

use std::ops::Range;

use nalgebra::{Vector3, Vector4};

use crate::model::Block;
use crate::rotation::{exp_half, matrix_l, normalize, product};

/// The blocks with their ranges in q and in v.
pub fn ranges(blocks: &[Block]) -> impl Iterator<Item = (Block, Range<usize>, Range<usize>)> + '_ {
    let (mut q, mut v) = (0, 0);
    blocks.iter().map(move |&block| {
        let (nq, nv) = block.sizes();
        let ranges = (block, q..q + nq, v..v + nv);
        q += nq;
        v += nv;
        ranges
    })
}

/// `out = q ⊕ increment`; q and out `[nq]`, the increment `[nv]`.
pub fn retract(blocks: &[Block], q: &[f64], increment: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in ranges(blocks) {
        let (from, by, to) = (&q[q_range.clone()], &increment[v_range], &mut out[q_range]);
        match block {
            Block::Vector { .. } | Block::EulerParameters => {
                for ((to, from), by) in to.iter_mut().zip(from).zip(by) {
                    *to = from + by;
                }
            }
            Block::Rotation => {
                let turned = product(&euler_parameters(from), &exp_half(&Vector3::from_column_slice(by)));
                // The product of unit quaternions leaves the unit sphere by round-off only; it must not add up.
                to.copy_from_slice(normalize(&turned).as_slice());
            }
        }
    }
}

/// `out = q̇ = N(q) v`, `[nq]`.
pub fn velocity_map_apply(blocks: &[Block], q: &[f64], v: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in ranges(blocks) {
        match block {
            Block::Vector { .. } | Block::EulerParameters => out[q_range].copy_from_slice(&v[v_range]),
            Block::Rotation => {
                let omega = Vector3::from_column_slice(&v[v_range]);
                let rate = 0.5 * matrix_l(&euler_parameters(&q[q_range.clone()])).transpose() * omega;
                out[q_range].copy_from_slice(rate.as_slice());
            }
        }
    }
}

/// Divides the Euler parameters of every rotation block by their norm.
pub fn normalize_rotations(blocks: &[Block], q: &mut [f64]) {
    for (block, q_range, _) in ranges(blocks) {
        if block == Block::Rotation {
            let unit = normalize(&euler_parameters(&q[q_range.clone()]));
            q[q_range].copy_from_slice(unit.as_slice());
        }
    }
}

/// The Euler parameters at the beginning of a slice.
pub(crate) fn euler_parameters(q: &[f64]) -> Vector4<f64> {
    Vector4::from_column_slice(&q[..4])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: [Block; 3] = [Block::Vector { size: 2 }, Block::Rotation, Block::EulerParameters];
    const Q: [f64; 10] = [1.0, 2.0, 0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.4];
    const V: [f64; 9] = [0.3, -0.1, 0.2, 0.7, -0.4, 1.0, 2.0, 3.0, 4.0];

    #[test]
    fn ranges_cover_coordinates_and_velocities() {
        let found: Vec<_> = ranges(&BLOCKS).map(|(_, q, v)| (q, v)).collect();
        assert_eq!(found, [(0..2, 0..2), (2..6, 2..5), (6..10, 5..9)]);
    }

    #[test]
    fn retraction_starts_with_the_velocity_map() {
        let mut rate = [0.0; 10];
        velocity_map_apply(&BLOCKS, &Q, &V, &mut rate);
        let h = 1e-6;
        let (mut plus, mut minus) = ([0.0; 10], [0.0; 10]);
        retract(&BLOCKS, &Q, &V.map(|v| h * v), &mut plus);
        retract(&BLOCKS, &Q, &V.map(|v| -h * v), &mut minus);
        for i in 0..10 {
            assert!(((plus[i] - minus[i]) / (2.0 * h) - rate[i]).abs() < 1e-9, "coordinate {i}");
        }
    }

    #[test]
    fn rotations_stay_of_unit_length() {
        let mut q = Q;
        for _ in 0..1000 {
            let old = q;
            retract(&BLOCKS, &old, &V, &mut q);
        }
        assert!((q[2..6].iter().map(|e| e * e).sum::<f64>() - 1.0).abs() < 1e-15);
    }
}
