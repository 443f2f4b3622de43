//! Coordinates of a configuration relative to a reference, `q = reference ⊕ x`, in which schemes for first-order
//! equations add: as many as there are velocities, zero at the reference, `ẋ = T(x) v`.
//!
//! Vectors and Euler parameters: `x = q − reference`. Rotations: Cayley-Gibbs-Rodrigues parameters
//! `g = 2 tan(θ/2) n` of the increment in body axes, `ġ = (I + ½ g̃ + ¼ g gᵀ) ω` [zhang, Sect. 2.4, there in space].
//! Poses: the shift in the parent's axes, then g. A half turn away from the reference there is no g.

use core::ops::Range;

use nalgebra::{DVector, Matrix3, Matrix6, SVector, Vector3, Vector4};

use crate::configuration::{joined, ranges};
use crate::model::{Block, Model, State};
use crate::rotation::{conjugate, normalize, product, rotation_matrix, skew};

/// Newton's method for a rotation that moves by its own rate needs three or four iterations.
const MAX_ITERATIONS: usize = 20;

/// `q = reference ⊕ x`; x `[nv]`, q `[nq]`.
pub(crate) fn place(blocks: &[Block], reference: &[f64], x: &[f64], q: &mut [f64]) {
    for (block, q_range, v_range) in joined(blocks) {
        let (from, by, to) = (&reference[q_range.clone()], &x[v_range], &mut q[q_range]);
        for i in shift(block) {
            to[i] = from[i] + by[i];
        }
        if let Some((first, attitude)) = block.turn() {
            let turned = product(&attitude.read(&from[first..]), &increment(&vector(&by[first..])));
            attitude.write(&turned, &from[first..], &mut to[first..]);
        }
    }
}

/// The x of q; not finite half a turn away from the reference.
pub(crate) fn locate(blocks: &[Block], reference: &[f64], q: &[f64], x: &mut [f64]) {
    for (block, q_range, v_range) in joined(blocks) {
        let (from, at, x) = (&reference[q_range.clone()], &q[q_range], &mut x[v_range]);
        for i in shift(block) {
            x[i] = at[i] - from[i];
        }
        if let Some((first, attitude)) = block.turn() {
            let relative = product(&conjugate(&attitude.read(&from[first..])), &attitude.read(&at[first..]));
            (0..3).for_each(|i| x[first + i] = 2.0 * relative[i + 1] / relative[0]);
        }
    }
}

/// `out = ẋ = T(x) v` at the x of q.
pub(crate) fn rate(blocks: &[Block], q: &[f64], x: &[f64], v: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in joined(blocks) {
        let (q, x, v, out) = (&q[q_range], &x[v_range.clone()], &v[v_range.clone()], &mut out[v_range]);
        let Some((first, _)) = block.turn() else {
            out.copy_from_slice(v);
            continue;
        };
        if let Block::Pose(attitude) = block {
            let shift = rotation_matrix(&attitude.read(&q[3..])) * vector(v);
            out[..3].copy_from_slice(shift.as_slice());
        }
        out[first..].copy_from_slice((rate_matrix(&vector(&x[first..])) * vector(&v[first..])).as_slice());
    }
}

/// `out = v = T(x)⁻¹ ẋ` at the x of q.
pub(crate) fn velocity(blocks: &[Block], q: &[f64], x: &[f64], rate: &[f64], out: &mut [f64]) {
    for (block, q_range, v_range) in joined(blocks) {
        let (q, x, rate, out) = (&q[q_range], &x[v_range.clone()], &rate[v_range.clone()], &mut out[v_range]);
        let Some((first, _)) = block.turn() else {
            out.copy_from_slice(rate);
            continue;
        };
        if let Block::Pose(attitude) = block {
            let shift = rotation_matrix(&attitude.read(&q[3..])).transpose() * vector(rate);
            out[..3].copy_from_slice(shift.as_slice());
        }
        out[first..].copy_from_slice((inverse_rate_matrix(&vector(&x[first..])) * vector(&rate[first..])).as_slice());
    }
}

/// `out = ẍ`, the rate of T(x) v, at the x of q.
pub(crate) fn second_rate(blocks: &[Block], q: &[f64], x: &[f64], v: &[f64], a: &[f64], out: &mut [f64]) {
    rate(blocks, q, x, a, out);
    for (block, q_range, v_range) in joined(blocks) {
        let Some((first, _)) = block.turn() else { continue };
        let (q, x, v, out) = (&q[q_range], &x[v_range.clone()], &v[v_range.clone()], &mut out[v_range]);
        let (g, omega) = (vector(&x[first..]), vector(&v[first..]));
        if let Block::Pose(attitude) = block {
            let shift = rotation_matrix(&attitude.read(&q[3..])) * omega.cross(&vector(v));
            (0..3).for_each(|i| out[i] += shift[i]);
        }
        let turn = rate_derivative(&g, &omega) * (rate_matrix(&g) * omega);
        (0..3).for_each(|i| out[first + i] += turn[i]);
    }
}

/// Solves `x = known + β T(x) v` and places q there. Rotations start from the x that is given; where one has no
/// solution, its x and q are not numbers.
pub(crate) fn solve(
    blocks: &[Block],
    reference: &[f64],
    known: &[f64],
    beta: f64,
    v: &[f64],
    x: &mut [f64],
    q: &mut [f64],
) {
    for (block, _, range) in joined(blocks) {
        match block.turn() {
            None => {
                for i in range {
                    x[i] = known[i] + beta * v[i];
                }
            }
            Some((first, _)) => {
                let turn = range.start + first..range.end;
                let g = solve_turn(
                    &vector(&known[turn.clone()]),
                    beta,
                    &vector(&v[turn.clone()]),
                    vector(&x[turn.clone()]),
                );
                x[turn].copy_from_slice(g.as_slice());
            }
        }
    }
    place(blocks, reference, x, q);
    // The shift of a pose follows from its rotation.
    for (block, q_range, range) in joined(blocks) {
        let Block::Pose(attitude) = block else { continue };
        let axes = rotation_matrix(&attitude.read(&q[q_range.start + 3..]));
        let shift = vector(&known[range.clone()]) + beta * (axes * vector(&v[range.clone()]));
        for i in 0..3 {
            x[range.start + i] = shift[i];
            q[q_range.start + i] = reference[q_range.start + i] + shift[i];
        }
    }
}

/// How the model's directions at the solution of [`solve`] answer to v: `θ' = β C v'` with θ in the directions of the
/// velocities. C of a block that turns, in the upper left corner for a rotation; the identity for all other blocks.
pub(crate) fn sensitivity(block: Block, beta: f64, x: &[f64], v: &[f64]) -> Matrix6<f64> {
    let mut result = Matrix6::identity();
    let Some((first, _)) = block.turn() else { return result };
    let turn = turn_sensitivity(beta, &vector(&x[first..]), &vector(&v[first..]));
    result.fixed_view_mut::<3, 3>(first, first).copy_from(&turn);
    if matches!(block, Block::Pose(_)) {
        result.fixed_view_mut::<3, 3>(0, 3).copy_from(&(-beta * skew(&vector(v)) * turn));
    }
    result
}

/// Carries rates of x, taken relative to one reference, to the chart whose reference is at x.
pub(crate) fn transport(blocks: &[Block], x: &[f64], rates: &mut [f64]) {
    for (block, _, range) in ranges(blocks) {
        let Some((first, _)) = block.turn() else { continue };
        let turn = range.start + first..range.end;
        let carried = inverse_rate_matrix(&vector(&x[turn.clone()])) * vector(&rates[turn.clone()]);
        rates[turn].copy_from_slice(carried.as_slice());
    }
}

/// The entries of a block that add.
fn shift(block: Block) -> Range<usize> {
    0..block.turn().map_or(block.sizes().1, |(first, _)| first)
}

/// The first three entries.
pub(crate) fn vector(slice: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(&slice[..3])
}

/// The unit quaternion of g: `tan(θ/2) n = g/2`.
fn increment(g: &Vector3<f64>) -> Vector4<f64> {
    normalize(&Vector4::new(1.0, 0.5 * g[0], 0.5 * g[1], 0.5 * g[2]))
}

/// T(g): `ġ = T ω` with ω in body axes.
pub(crate) fn rate_matrix(g: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() + 0.5 * skew(g) + 0.25 * g * g.transpose()
}

/// T(g)⁻¹.
pub(crate) fn inverse_rate_matrix(g: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() - 0.5 * skew(g)) * (4.0 / (4.0 + g.norm_squared()))
}

/// ∂(T(g) ω)/∂g.
pub(crate) fn rate_derivative(g: &Vector3<f64>, omega: &Vector3<f64>) -> Matrix3<f64> {
    0.25 * (Matrix3::identity() * g.dot(omega) + g * omega.transpose()) - 0.5 * skew(omega)
}

/// `g = known + β T(g) ω`; not a number where there is none.
fn solve_turn(known: &Vector3<f64>, beta: f64, omega: &Vector3<f64>, start: Vector3<f64>) -> Vector3<f64> {
    let solution = solve_by_newton(start, |g| {
        let matrix = Matrix3::identity() - beta * rate_derivative(g, omega);
        Some(matrix.try_inverse()? * (g - known - beta * (rate_matrix(g) * omega)))
    });
    solution.unwrap_or(Vector3::repeat(f64::NAN))
}

/// The rotations from which Newton's method takes no correction beyond rounding, if it finds them.
pub(crate) fn solve_by_newton<const N: usize>(
    start: SVector<f64, N>,
    correction: impl Fn(&SVector<f64, N>) -> Option<SVector<f64, N>>,
) -> Option<SVector<f64, N>> {
    let mut g = start;
    let mut size = f64::INFINITY;
    for _ in 0..MAX_ITERATIONS {
        let correction = correction(&g)?;
        g -= correction;
        let previous = core::mem::replace(&mut size, correction.amax());
        let round_off = f64::EPSILON * (1.0 + g.amax());
        if size <= round_off || (size >= previous && size <= 100.0 * round_off) {
            return Some(g);
        }
    }
    None
}

/// C of a rotation: `T⁻¹ (I − β ∂(T ω)/∂g)⁻¹ T`.
fn turn_sensitivity(beta: f64, g: &Vector3<f64>, omega: &Vector3<f64>) -> Matrix3<f64> {
    let implicit = Matrix3::identity() - beta * rate_derivative(g, omega);
    let inverse = implicit.try_inverse().unwrap_or_else(|| Matrix3::repeat(f64::NAN));
    inverse_rate_matrix(g) * inverse * rate_matrix(g)
}

/// A state after this time, s, if the accelerations of this one do not change.
pub(crate) fn thrown(model: &dyn Model, state: &State, span: f64) -> State {
    let mut mean = state.clone();
    mean.v.axpy(0.5 * span, &state.a, 1.0);
    let mut next = moved(model, &mean, span);
    next.v.copy_from(&state.v);
    next.v.axpy(span, &state.a, 1.0);
    next
}

/// A state after this time, s, to the first power of that, with the accelerations of this one.
pub(crate) fn moved(model: &dyn Model, state: &State, span: f64) -> State {
    let (blocks, mut next) = (&model.describe().blocks, state.clone());
    let mut shift = DVector::zeros(state.v.len());
    let start = shift.clone();
    rate(blocks, state.q.as_slice(), start.as_slice(), state.v.as_slice(), shift.as_mut_slice());
    shift *= span;
    place(blocks, state.q.as_slice(), shift.as_slice(), next.q.as_mut_slice());
    next.v.axpy(span, &state.a, 1.0);
    next.t += span;
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::retract;
    use crate::configuration::tests::{BLOCKS, NQ, NV, Q as REFERENCE, V as X};
    use crate::model::Attitude;

    const V: [f64; NV] = [
        1.0, 0.4, -0.8, 0.3, 0.9, 0.1, 0.2, -0.7, 0.5, 1.1, -0.2, 0.6, 0.7, 0.3, -1.0, 0.9, -0.4, 0.2, 0.6, -0.8, 0.3,
        0.5, -0.7, 0.4,
    ];

    fn placed(x: &[f64]) -> [f64; NQ] {
        let mut q = [0.0; NQ];
        place(&BLOCKS, &REFERENCE, x, &mut q);
        q
    }

    fn located(q: &[f64]) -> [f64; NV] {
        let mut x = [0.0; NV];
        locate(&BLOCKS, &REFERENCE, q, &mut x);
        x
    }

    #[test]
    fn locating_undoes_placing() {
        let x = located(&placed(&X));
        assert!(x.iter().zip(X).all(|(found, given)| (found - given).abs() < 1e-14), "{x:?}");
        assert!(located(&REFERENCE).iter().all(|x| x.abs() < 1e-15));
    }

    #[test]
    fn coordinates_move_at_their_rate() {
        let (h, q) = (1e-6, placed(&X));
        let moved = |sign: f64| {
            let mut moved = [0.0; NQ];
            retract(&BLOCKS, &q, &V.map(|v| sign * h * v), &mut moved);
            located(&moved)
        };
        let mut expected = [0.0; NV];
        rate(&BLOCKS, &q, &X, &V, &mut expected);
        for (i, (plus, minus)) in moved(1.0).iter().zip(moved(-1.0)).enumerate() {
            assert!(((plus - minus) / (2.0 * h) - expected[i]).abs() < 1e-8, "coordinate {i}");
        }
    }

    /// The solution of `x = X + β T(x) v` and its configuration.
    fn solved(beta: f64, v: &[f64]) -> ([f64; NV], [f64; NQ]) {
        let (mut x, mut q) = ([0.0; NV], [0.0; NQ]);
        solve(&BLOCKS, &REFERENCE, &X, beta, v, &mut x, &mut q);
        (x, q)
    }

    #[test]
    fn implicit_coordinates_obey_their_equation() {
        let beta = 0.2;
        let (x, q) = solved(beta, &V);
        let mut rates = [0.0; NV];
        rate(&BLOCKS, &q, &x, &V, &mut rates);
        for i in 0..NV {
            assert!((x[i] - X[i] - beta * rates[i]).abs() < 1e-14, "coordinate {i}");
        }
        assert!(located(&q).iter().zip(x).all(|(found, x)| (found - x).abs() < 1e-13));
    }

    #[test]
    fn rotations_too_fast_for_the_chart_are_not_numbers() {
        let (mut x, mut q) = ([0.0; 3], [0.0; 4]);
        solve(
            &[Block::Rotation(Attitude::EulerParameters)],
            &[1.0, 0.0, 0.0, 0.0],
            &[0.0; 3],
            1.0,
            &[9.0, 0.0, 0.0],
            &mut x,
            &mut q,
        );
        assert!(x.iter().all(|x| x.is_nan()));
    }

    #[test]
    fn sensitivity_is_the_derivative_of_the_solution() {
        let (beta, h) = (0.2, 1e-6);
        let (x, q) = solved(beta, &V);
        for (block, q_range, range) in ranges(&BLOCKS) {
            let matrix = sensitivity(block, beta, &x[range.clone()], &V[range.clone()]);
            for column in range.clone() {
                let solution = |sign: f64| {
                    let mut v = V;
                    v[column] += sign * h;
                    solved(beta, &v).1
                };
                let (plus, minus) = (solution(1.0), solution(-1.0));
                let direction: Vec<f64> = (0..NV)
                    .map(|i| {
                        if range.contains(&i) && i - range.start < 6 {
                            matrix[(i - range.start, column - range.start)]
                        } else {
                            0.0
                        }
                    })
                    .collect();
                let mut expected = [0.0; NQ];
                crate::configuration::velocity_map_apply(&BLOCKS, &q, &direction, &mut expected);
                for i in q_range.clone() {
                    let difference = (plus[i] - minus[i]) / (2.0 * h);
                    assert!((difference - beta * expected[i]).abs() < 1e-8, "coordinate {i} by velocity {column}");
                }
            }
        }
    }

    #[test]
    fn transported_rates_are_velocities() {
        let q = placed(&X);
        let (mut rates, mut expected) = ([0.0; NV], [0.0; NV]);
        rate(&BLOCKS, &q, &X, &V, &mut rates);
        transport(&BLOCKS, &X, &mut rates);
        rate(&BLOCKS, &q, &[0.0; NV], &V, &mut expected);
        assert!(rates.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-14));
    }
}
