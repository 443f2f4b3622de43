//! Motion in a configuration space of blocks: vectors, redundant Euler parameters, rotations, poses.
//!
//! Vectors and Euler parameters add; rotations compose, `e₁ = e₀ ∘ exp(δ/2)` with δ in body axes [sherif, Eqs. 29, 30],
//! in any parametrization: angles are converted to Euler parameters, rotated, and converted back. A pose is rotated in
//! the same way and translated along its axes at half the rotation, `p₁ = p₀ + A(e₀ ∘ exp(δ/4)) δp`. The negative
//! increment is then the inverse, so that schemes that are symmetric in time remain symmetric.

use core::ops::Range;

use nalgebra::{DMatrix, Matrix3, Matrix6, Vector3, Vector4};

use crate::model::{Attitude, Block};
use crate::rotation::{
    conjugate, euler_angle_rates, euler_angles, exp_half, from_euler_angles, matrix_l, normalize, product,
    rotation_matrix, rotation_vector, skew, tangent_operator,
};

/// The blocks with their ranges in q and in v.
///
/// # Examples
/// ```
/// use hamel::configuration::ranges;
/// use hamel::{Attitude, Block};
///
/// let blocks = [Block::Vector { size: 2 }, Block::Rotation(Attitude::EulerParameters)];
/// let found: Vec<_> = ranges(&blocks).map(|(_, q, v)| (q, v)).collect();
/// assert_eq!(found, [(0..2, 0..2), (2..6, 2..5)]);
/// ```
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

/// [`ranges`] with vectors that follow each other as one: joints by themselves have a block each.
pub(crate) fn joined(blocks: &[Block]) -> impl Iterator<Item = (Block, Range<usize>, Range<usize>)> + '_ {
    let mut blocks = ranges(blocks).peekable();
    core::iter::from_fn(move || {
        let (mut block, mut q, mut v) = blocks.next()?;
        while let (Block::Vector { size }, Some((Block::Vector { size: more }, of_q, of_v))) = (block, blocks.peek()) {
            (block, q.end, v.end) = (Block::Vector { size: size + more }, of_q.end, of_v.end);
            blocks.next();
        }
        Some((block, q, v))
    })
}

/// `out = q ⊕ increment`; q and out `[nq]`, the increment `[nv]` with rotations as rotation vectors in body axes, rad.
///
/// # Examples
/// A quarter turn about z, from the identity.
///
/// ```
/// use hamel::configuration::retract;
/// use hamel::{Attitude, Block};
///
/// let mut e = [0.0; 4];
/// let quarter = std::f64::consts::FRAC_PI_2;
/// retract(&[Block::Rotation(Attitude::EulerParameters)], &[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, quarter], &mut e);
/// let half = 0.5_f64.sqrt();
/// assert!((e[0] - half).abs() < 1e-15 && (e[3] - half).abs() < 1e-15);
/// ```
pub fn retract(blocks: &[Block], q: &[f64], increment: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in joined(blocks) {
        let (from, by, to) = (&q[q_range.clone()], &increment[v_range], &mut out[q_range]);
        match block {
            Block::Vector { .. } | Block::EulerParameters => {
                for ((to, from), by) in to.iter_mut().zip(from).zip(by) {
                    *to = from + by;
                }
            }
            Block::Rotation(attitude) => turn(attitude, from, by, to),
            Block::Pose(attitude) => {
                let halfway = 0.5 * Vector3::from_column_slice(&by[3..]);
                let axes = rotation_matrix(&product(&attitude.read(&from[3..]), &exp_half(&halfway)));
                let moved = axes * Vector3::from_column_slice(&by[..3]);
                (0..3).for_each(|i| to[i] = from[i] + moved[i]);
                turn(attitude, &from[3..], &by[3..], &mut to[3..]);
            }
        }
    }
}

/// The increment with which [`retract`] leads from one configuration to another: q and other `[nq]`, out `[nv]`, with
/// rotation vectors of at most half a turn.
///
/// # Examples
/// From a quarter turn about z to three quarters of one.
///
/// ```
/// use hamel::configuration::difference;
/// use hamel::{Attitude, Block};
///
/// let turned = |angle: f64| [(0.5 * angle).cos(), 0.0, 0.0, (0.5 * angle).sin()];
/// let mut increment = [0.0; 3];
/// difference(&[Block::Rotation(Attitude::EulerParameters)], &turned(0.4), &turned(1.2), &mut increment);
/// assert!((increment[2] - 0.8).abs() < 1e-15);
/// ```
pub fn difference(blocks: &[Block], q: &[f64], other: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in joined(blocks) {
        let (from, to, out) = (&q[q_range.clone()], &other[q_range], &mut out[v_range]);
        out.iter_mut().zip(from.iter().zip(to)).for_each(|(out, (from, to))| *out = to - from);
        let Some((first, attitude)) = block.turn() else { continue };
        let before = attitude.read(&from[first..]);
        let angle = rotation_vector(&product(&conjugate(&before), &attitude.read(&to[first..])));
        out[first..].copy_from_slice(angle.as_slice());
        if first > 0 {
            let halfway = rotation_matrix(&product(&before, &exp_half(&(0.5 * angle))));
            let shift = halfway.transpose() * Vector3::from_column_slice(&out[..3]);
            out[..3].copy_from_slice(shift.as_slice());
        }
    }
}

/// Rotates an attitude by a rotation vector in body axes.
fn turn(attitude: Attitude, from: &[f64], by: &[f64], to: &mut [f64]) {
    let turned = product(&attitude.read(from), &exp_half(&Vector3::from_column_slice(by)));
    attitude.write(&turned, from, to);
}

impl Attitude {
    /// The Euler parameters of the attitude at the beginning of a slice of q.
    pub(crate) fn read(self, q: &[f64]) -> Vector4<f64> {
        match self {
            Attitude::EulerParameters => euler_parameters(q),
            Attitude::EulerAngles => from_euler_angles(&Vector3::from_column_slice(&q[..3])),
        }
    }

    /// Writes a product of unit quaternions to q; angles are the equivalent ones nearest to `near`.
    pub(crate) fn write(self, e: &Vector4<f64>, near: &[f64], q: &mut [f64]) {
        // Products of unit quaternions have unit norm up to rounding, which must not accumulate.
        let unit = normalize(e);
        match self {
            Attitude::EulerParameters => q.copy_from_slice(unit.as_slice()),
            Attitude::EulerAngles => {
                q.copy_from_slice(euler_angles(&unit, &Vector3::from_column_slice(&near[..3])).as_slice());
            }
        }
    }

    /// The rates of the attitude in q for an angular velocity in body axes.
    fn rate(self, q: &[f64], omega: &[f64], out: &mut [f64]) {
        let omega = Vector3::from_column_slice(omega);
        match self {
            // ė = ½ L(e)ᵀ ω.
            Attitude::EulerParameters => {
                out.copy_from_slice((0.5 * matrix_l(&euler_parameters(q)).transpose() * omega).as_slice());
            }
            Attitude::EulerAngles => {
                let angles = Vector3::from_column_slice(&q[..3]);
                out.copy_from_slice((euler_angle_rates(&angles) * omega).as_slice());
            }
        }
    }
}

/// Tangent operator of a pose, from a change of the increment to the velocities' directions at the resulting pose:
/// `retract(q, δ + dδ) = retract(retract(q, δ), T(δ) dδ)` to first order.
pub(crate) fn pose_tangent(increment: &[f64]) -> Matrix6<f64> {
    let (shift, angle) = (Vector3::from_column_slice(&increment[..3]), Vector3::from_column_slice(&increment[3..]));
    let from_halfway = rotation_matrix(&exp_half(&(0.5 * angle))).transpose();
    let mut tangent = Matrix6::zeros();
    let mut set = |row, column, block: Matrix3<f64>| tangent.fixed_view_mut::<3, 3>(row, column).copy_from(&block);
    set(0, 0, from_halfway);
    set(0, 3, -0.5 * from_halfway * skew(&shift) * tangent_operator(&(0.5 * angle)));
    set(3, 3, tangent_operator(&angle));
    tangent
}

/// Derivative of [`retract`] by the increment δ, along the velocities at the resulting configuration, `[nv × nv]`:
/// `q ⊕ (δ + dδ) = (q ⊕ δ) ⊕ T(δ) dδ` to first order. The same for all q; the identity but for what turns.
///
/// # Examples
/// ```
/// use hamel::configuration::retract_tangent;
/// use hamel::{Attitude, Block};
///
/// let blocks = [Block::Vector { size: 1 }, Block::Rotation(Attitude::EulerParameters)];
/// let tangent = retract_tangent(&blocks, &[5.0, 0.0, 0.0, 0.1]);
/// // Turns about one axis add.
/// assert!(tangent[(0, 0)] == 1.0 && (tangent[(3, 3)] - 1.0).abs() < 1e-15);
/// // About another axis they are seen from what has turned.
/// assert!((tangent[(1, 2)] - 0.05).abs() < 1e-3);
/// ```
pub fn retract_tangent(blocks: &[Block], increment: &[f64]) -> DMatrix<f64> {
    let mut tangent = DMatrix::identity(increment.len(), increment.len());
    for (block, _, v) in ranges(blocks) {
        let of = &increment[v.clone()];
        match block {
            Block::Vector { .. } | Block::EulerParameters => {}
            Block::Rotation(_) => {
                let turned = tangent_operator(&Vector3::from_column_slice(of));
                tangent.fixed_view_mut::<3, 3>(v.start, v.start).copy_from(&turned);
            }
            Block::Pose(_) => tangent.fixed_view_mut::<6, 6>(v.start, v.start).copy_from(&pose_tangent(of)),
        }
    }
    tangent
}

/// `out = q̇ = N(q) v`, `[nq]`, from v, `[nv]`.
///
/// # Examples
/// ė = ½ Lᵀ ω: at the identity half the angular velocity.
///
/// ```
/// use hamel::configuration::velocity_map_apply;
/// use hamel::{Attitude, Block};
///
/// let mut rate = [0.0; 4];
/// let blocks = [Block::Rotation(Attitude::EulerParameters)];
/// velocity_map_apply(&blocks, &[1.0, 0.0, 0.0, 0.0], &[0.2, 0.4, 0.6], &mut rate);
/// assert_eq!(rate, [0.0, 0.1, 0.2, 0.3]);
/// ```
pub fn velocity_map_apply(blocks: &[Block], q: &[f64], v: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in ranges(blocks) {
        match block {
            Block::Vector { .. } | Block::EulerParameters => out[q_range].copy_from_slice(&v[v_range]),
            Block::Rotation(attitude) => attitude.rate(&q[q_range.clone()], &v[v_range], &mut out[q_range]),
            Block::Pose(attitude) => {
                let (pose, v, out) = (&q[q_range.clone()], &v[v_range], &mut out[q_range]);
                let rate = rotation_matrix(&attitude.read(&pose[3..])) * Vector3::from_column_slice(&v[..3]);
                out[..3].copy_from_slice(rate.as_slice());
                attitude.rate(&pose[3..], &v[3..], &mut out[3..]);
            }
        }
    }
}

/// Divides the Euler parameters of every rotation and every pose by their norm.
///
/// # Examples
/// ```
/// use hamel::configuration::normalize_rotations;
/// use hamel::{Attitude, Block};
///
/// let mut q = [7.0, 0.0, 3.0, 0.0, 4.0];
/// normalize_rotations(&[Block::Vector { size: 1 }, Block::Rotation(Attitude::EulerParameters)], &mut q);
/// assert_eq!(q, [7.0, 0.0, 0.6, 0.0, 0.8]);
/// ```
pub fn normalize_rotations(blocks: &[Block], q: &mut [f64]) {
    for (block, q_range, _) in ranges(blocks) {
        let Some((offset, Attitude::EulerParameters)) = block.turn() else { continue };
        let first = q_range.start + offset;
        let unit = normalize(&euler_parameters(&q[first..]));
        q[first..first + 4].copy_from_slice(unit.as_slice());
    }
}

/// The Euler parameters at the beginning of a slice.
pub(crate) fn euler_parameters(q: &[f64]) -> Vector4<f64> {
    Vector4::from_column_slice(&q[..4])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every kind of block, with a configuration and velocities without pattern.
    pub(crate) const BLOCKS: [Block; 6] = [
        Block::Vector { size: 2 },
        Block::Rotation(Attitude::EulerParameters),
        Block::EulerParameters,
        Block::Pose(Attitude::EulerParameters),
        Block::Rotation(Attitude::EulerAngles),
        Block::Pose(Attitude::EulerAngles),
    ];
    pub(crate) const NQ: usize = 26;
    pub(crate) const NV: usize = 24;
    pub(crate) const Q: [f64; NQ] = [
        1.0, 2.0, 0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3, 0.4, -0.3, 0.7, 1.1, 0.1, -0.7, 0.5, 0.5, 0.4, -0.6, 2.9, 0.8,
        -1.2, 0.5, -0.3, 0.9, -2.0,
    ];
    pub(crate) const V: [f64; NV] = [
        0.3, -0.1, 0.2, 0.7, -0.4, 1.0, 2.0, 3.0, 4.0, -0.6, 0.5, 1.2, 0.9, -1.3, 0.4, 0.3, -0.2, 0.1, 0.5, 1.4, -0.7,
        0.2, 0.4, -0.3,
    ];

    #[test]
    fn differences_are_what_retractions_lead_by() {
        for scale in [0.0, 1e-9, 0.4, -0.7] {
            // Rotations of more than half a turn have shorter ones.
            let by: Vec<f64> = V.iter().map(|v| (scale * v).clamp(-1.5, 1.5)).collect();
            let (mut other, mut found, mut again) = ([0.0; NQ], [0.0; NV], [0.0; NQ]);
            let mut q = Q;
            normalize_rotations(&BLOCKS, &mut q);
            retract(&BLOCKS, &q, &by, &mut other);
            difference(&BLOCKS, &q, &other, &mut found);
            retract(&BLOCKS, &q, &found, &mut again);
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
            assert!(near(&found, &by) && near(&again, &other), "{by:?} and {found:?}");
            // The opposite quaternion is the same attitude.
            other[2..6].iter_mut().for_each(|e| *e = -*e);
            difference(&BLOCKS, &q, &other, &mut found);
            assert!(near(&found, &by), "{by:?} and {found:?}");
        }
    }

    #[test]
    fn ranges_cover_coordinates_and_velocities() {
        let found: Vec<_> = ranges(&BLOCKS).map(|(_, q, v)| (q, v)).collect();
        assert_eq!(
            found,
            [(0..2, 0..2), (2..6, 2..5), (6..10, 5..9), (10..17, 9..15), (17..20, 15..18), (20..26, 18..24)]
        );
    }

    #[test]
    fn retraction_starts_with_the_velocity_map() {
        let mut rate = [0.0; NQ];
        velocity_map_apply(&BLOCKS, &Q, &V, &mut rate);
        let h = 1e-6;
        let (mut plus, mut minus) = ([0.0; NQ], [0.0; NQ]);
        retract(&BLOCKS, &Q, &V.map(|v| h * v), &mut plus);
        retract(&BLOCKS, &Q, &V.map(|v| -h * v), &mut minus);
        for i in 0..NQ {
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
        for first in [2, 13] {
            assert!((q[first..first + 4].iter().map(|e| e * e).sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_opposite_increment_leads_a_pose_back() {
        for (block, q, v) in ranges(&BLOCKS).filter(|(block, ..)| matches!(block, Block::Pose(_))) {
            let (mut there, mut back) = (vec![0.0; q.len()], vec![0.0; q.len()]);
            retract(&[block], &Q[q.clone()], &V[v.clone()], &mut there);
            let opposite: Vec<f64> = V[v].iter().map(|v| -v).collect();
            retract(&[block], &there, &opposite, &mut back);
            assert!(back.iter().zip(&Q[q]).all(|(found, start)| (found - start).abs() < 1e-15), "{back:?}");
        }
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_retraction() {
        let mut reached = [0.0; NQ];
        retract(&BLOCKS, &Q, &V, &mut reached);
        let tangent = retract_tangent(&BLOCKS, &V);
        let h = 1e-6;
        for direction in 0..NV {
            let moved = |sign: f64| {
                let mut changed = V;
                changed[direction] += sign * h;
                let mut out = [0.0; NQ];
                retract(&BLOCKS, &Q, &changed, &mut out);
                out
            };
            let mut rate = [0.0; NQ];
            velocity_map_apply(&BLOCKS, &reached, tangent.column(direction).as_slice(), &mut rate);
            for ((plus, minus), rate) in moved(1.0).iter().zip(moved(-1.0)).zip(rate) {
                assert!(((plus - minus) / (2.0 * h) - rate).abs() < 1e-9, "direction {direction}");
            }
        }
    }
}
