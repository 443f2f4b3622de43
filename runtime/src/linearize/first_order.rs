//! Derivatives of ẋ = f(x, u) and y = g(x, u) by the coordinates and velocities themselves, x = (q, v).

use nalgebra::{DMatrix, Vector3};

use super::LinearizeError;
use super::terms::Terms;
use crate::configuration::{normalize_rotations, ranges, velocity_map_apply};
use crate::model::{Attitude, Block, Model, State};
use crate::prelude::*;
use crate::rotation::{euler_angle_rates, rotation_matrix};

/// Derivatives of the rates q̇ = N v and v̇ = a, and of the outputs, at one state: `ẋ = f(x, u)`, `y = g(x, u)`, x = (q, v).
///
/// Unlike those of a [`Linearization`](super::Linearization), coordinates and velocities are not reduced to independent
/// ones: a is that of the equations of motion with constraints on accelerations, also beside the constraints. Rotations
/// are evaluated with unit norm, whatever norm their Euler parameters have.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstOrder {
    /// ∂f/∂x, `[(nq + nv) × (nq + nv)]`.
    pub a: DMatrix<f64>,
    /// ∂f/∂u, `[(nq + nv) × inputs]`.
    pub b: DMatrix<f64>,
    /// ∂g/∂x, `[outputs × (nq + nv)]`.
    pub c: DMatrix<f64>,
    /// ∂g/∂u, `[outputs × inputs]`.
    pub d: DMatrix<f64>,
}

/// The derivatives at a state, whose accelerations and multipliers become those of the equations of motion.
///
/// # Errors
/// [`LinearizeError`] for a model that does not provide its derivatives, and a state that has no accelerations.
///
/// # Examples
/// A mass of 2 kg on a spring of 8 N/m.
///
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         input push N;
/// #         body block { mass: 2 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: 8 N/m }
/// #         force driven: [push, 0] on block;
/// #         provide linearization;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::linearize::first_order;
///
/// let model = Oscillator::default();
/// let mut state = hamel::initial_state(&model)?;
/// let first = first_order(&model, &mut state)?;
/// assert_eq!(first.a.as_slice(), [0.0, -4.0, 1.0, 0.0]);
/// assert_eq!(first.b.as_slice(), [0.0, 0.5]);
/// # Ok(())
/// # }
/// ```
pub fn first_order(model: &dyn Model, state: &mut State) -> Result<FirstOrder, LinearizeError> {
    let blocks = &model.describe().blocks;
    let mut unit = state.clone();
    normalize_rotations(blocks, unit.q.as_mut_slice());
    let Terms { p, q, r, outputs: [y_by_q, y_by_v, y_by_u], .. } = Terms::new(model, &mut unit)?;
    state.a.copy_from(&unit.a);
    state.lambda.copy_from(&unit.lambda);
    let (nq, nv, nu, ny) = (state.q.len(), state.v.len(), r.ncols(), y_by_q.nrows());

    let displacements = displacements(blocks, state.q.as_slice());
    let mut a = DMatrix::zeros(nq + nv, nq + nv);
    a.view_mut((nq, 0), (nv, nq)).copy_from(&(&p * &displacements));
    a.view_mut((nq, nq), (nv, nv)).copy_from(&q);
    a.view_mut((0, 0), (nq, nq)).copy_from(&(rates_by_turns(blocks, &unit) * &displacements));
    a.view_mut((0, nq), (nq, nv)).copy_from(&velocity_map(blocks, unit.q.as_slice(), nv));
    let mut b = DMatrix::zeros(nq + nv, nu);
    b.view_mut((nq, 0), (nv, nu)).copy_from(&r);
    let mut c = DMatrix::zeros(ny, nq + nv);
    c.view_mut((0, 0), (ny, nq)).copy_from(&(y_by_q * &displacements));
    c.view_mut((0, nq), (ny, nv)).copy_from(&y_by_v);
    Ok(FirstOrder { a, b, c, d: y_by_u })
}

/// N, `[nq × nv]`.
fn velocity_map(blocks: &[Block], q: &[f64], nv: usize) -> DMatrix<f64> {
    let mut map = DMatrix::zeros(q.len(), nv);
    let mut v = vec![0.0; nv];
    for i in 0..nv {
        v[i] = 1.0;
        velocity_map_apply(blocks, q, &v, map.column_mut(i).as_mut_slice());
        v[i] = 0.0;
    }
    map
}

/// Displacements along the directions of the velocities by changes of the coordinates, `[nv × nq]`: of rotations those of
/// unit norm, so that a change of the norm is none.
pub(crate) fn displacements(blocks: &[Block], q: &[f64]) -> DMatrix<f64> {
    let nv = blocks.iter().map(|block| block.sizes().1).sum();
    let mut result = DMatrix::zeros(nv, q.len());
    for (block, of_q, of_v) in ranges(blocks) {
        let Some((offset, attitude)) = block.turn() else {
            of_q.zip(of_v).for_each(|(q, v)| result[(v, q)] = 1.0);
            continue;
        };
        let (first_q, first_v) = (of_q.start + offset, of_v.start + offset);
        let turn = &q[first_q..first_q + attitude.size()];
        if offset > 0 {
            let to_body = rotation_matrix(&unit(attitude, turn)).transpose();
            result.view_mut((of_v.start, of_q.start), (3, 3)).copy_from(&to_body);
        }
        match attitude {
            Attitude::EulerParameters => {
                // Of δê = ½ Lᵀ θ the inverse is 2 L, and δê = (1 − ê êᵀ) δe / |e|, of which L ê = 0 leaves the first term.
                let norm = turn.iter().map(|e| e * e).sum::<f64>().sqrt();
                let map = velocity_map(&[Block::Rotation(attitude)], unit(attitude, turn).as_slice(), 3);
                result.view_mut((first_v, first_q), (3, 4)).copy_from(&(map.transpose() * (4.0 / norm)));
            }
            Attitude::EulerAngles => {
                // Its inverse, which exists at all angles.
                let ((s1, c1), (s2, c2)) = (turn[0].sin_cos(), turn[1].sin_cos());
                let inverse = [[1.0, 0.0, -s2], [0.0, c1, s1 * c2], [0.0, -s1, c1 * c2]];
                for (row, entries) in inverse.iter().enumerate() {
                    for (column, &entry) in entries.iter().enumerate() {
                        result[(first_v + row, first_q + column)] = entry;
                    }
                }
            }
        }
    }
    result
}

/// Euler parameters of unit norm.
fn unit(attitude: Attitude, turn: &[f64]) -> nalgebra::Vector4<f64> {
    attitude.read(turn).normalize()
}

/// Derivatives of N v by displacements, with v as it is, `[nq × nv]`.
fn rates_by_turns(blocks: &[Block], state: &State) -> DMatrix<f64> {
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    let mut result = DMatrix::zeros(q.len(), v.len());
    for (block, of_q, of_v) in ranges(blocks) {
        let Some((offset, attitude)) = block.turn() else { continue };
        let (first_q, first_v) = (of_q.start + offset, of_v.start + offset);
        let (turn, omega) = (&q[first_q..first_q + attitude.size()], &v[first_v..first_v + 3]);
        for axis in 0..3 {
            let mut theta = Vector3::zeros();
            theta[axis] = 1.0;
            let column = first_v + axis;
            if offset > 0 {
                // A u becomes A (u + θ × u).
                let u = Vector3::from_column_slice(&v[of_v.start..of_v.start + 3]);
                let moved = rotation_matrix(&unit(attitude, turn)) * theta.cross(&u);
                result.view_mut((of_q.start, column), (3, 1)).copy_from(&moved);
            }
            match attitude {
                Attitude::EulerParameters => {
                    // ½ Lᵀ ω is linear in the parameters.
                    let kind = [Block::Rotation(attitude)];
                    let (mut change, mut rate) = ([0.0; 4], [0.0; 4]);
                    velocity_map_apply(&kind, turn, theta.as_slice(), &mut change);
                    velocity_map_apply(&kind, &change, omega, &mut rate);
                    (0..4).for_each(|i| result[(first_q + i, column)] = rate[i]);
                }
                Attitude::EulerAngles => {
                    let angles = Vector3::from_column_slice(turn);
                    let change = euler_angle_rates(&angles) * theta;
                    let ((s1, c1), (s2, c2)) = (angles[0].sin_cos(), angles[1].sin_cos());
                    let (across, along) = (s1 * omega[1] + c1 * omega[2], c1 * omega[1] - s1 * omega[2]);
                    let rate = [
                        along * change[0] * s2 / c2 + across * change[1] / (c2 * c2),
                        -across * change[0],
                        along * change[0] / c2 + across * change[1] * s2 / (c2 * c2),
                    ];
                    (0..3).for_each(|i| result[(first_q + i, column)] = rate[i]);
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::tests::{BLOCKS, NQ, NV, Q, V};
    use crate::model::Dims;

    /// Of N(ê) v by coordinates, and of displacements: by extrapolated differences.
    #[test]
    fn rates_and_displacements_have_the_slopes_of_their_formulas() {
        let rates = |q: &[f64]| {
            let (mut unit, mut rates) = (q.to_vec(), vec![0.0; NQ]);
            normalize_rotations(&BLOCKS, &mut unit);
            velocity_map_apply(&BLOCKS, &unit, &V, &mut rates);
            rates
        };
        // Not of unit norm, as an integrator leaves them.
        let mut q = Q;
        (2..6).for_each(|i| q[i] *= 1.1);
        let mut state = State::zeros(Dims { nq: NQ, nv: NV, nc: 0 });
        state.q.copy_from_slice(&q);
        state.v.copy_from_slice(&V);
        normalize_rotations(&BLOCKS, state.q.as_mut_slice());
        let found = rates_by_turns(&BLOCKS, &state) * displacements(&BLOCKS, &q);
        for j in 0..NQ {
            let difference = |h: f64| -> Vec<f64> {
                let at = |h: f64| {
                    let mut moved = q;
                    moved[j] += h;
                    rates(&moved)
                };
                at(h).iter().zip(at(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect()
            };
            let (coarse, fine) = (difference(2e-3), difference(1e-3));
            for i in 0..NQ {
                let expected = (4.0 * fine[i] - coarse[i]) / 3.0;
                assert!((found[(i, j)] - expected).abs() < 1e-9, "{i}, {j}: {} and {expected}", found[(i, j)]);
            }
        }
        // Displacements lead back to velocities: D N = 1, where norms are one.
        let unit = displacements(&BLOCKS, state.q.as_slice()) * velocity_map(&BLOCKS, state.q.as_slice(), NV);
        assert!((unit - DMatrix::identity(NV, NV)).amax() < 1e-14);
    }
}
