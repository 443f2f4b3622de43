//! Directions in which small motions are described, and how steady motions move.
//!
//! Small displacements θ and changes of velocity δv along the model's own directions obey `θ' = δv − K θ`. New directions
//! η and w follow from `θ = U η`, `δv = U w + V η`, where V is the derivative of U times the velocity. Rotations have two
//! kinds of axes: their own, and those of what they turn against. Redundant Euler parameters become a small rotation about
//! these axes, and the change of their norm.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3, Vector4};

use super::sums::sum;
use crate::configuration::{euler_parameters, ranges};
use crate::model::{Attitude, Block, State};
#[cfg(not(feature = "std"))]
use crate::prelude::*;
use crate::rotation::{conjugate, exp_half, product, rotation_matrix, skew};

/// The axes of small rotations, and in which the velocities of a steady motion are constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Those of the body that turns.
    Own,
    /// Those of what it turns against, of the ground or of the body before.
    Parent,
}

/// The change of directions at a state.
pub(crate) struct Directions {
    pub(crate) u: DMatrix<f64>,
    pub(crate) inverse: DMatrix<f64>,
    u_rate: DMatrix<f64>,
    pub(crate) v: DMatrix<f64>,
    v_rate: DMatrix<f64>,
    k: DMatrix<f64>,
}

/// `η' = w − K η`, `w' = P η + Q w`: the motion in new directions.
pub(crate) struct Rates {
    pub(crate) k: DMatrix<f64>,
    pub(crate) p: DMatrix<f64>,
    pub(crate) q: DMatrix<f64>,
}

impl Directions {
    /// Of a state with its accelerations.
    pub(crate) fn new(blocks: &[Block], axes: Axes, state: &State) -> Self {
        let nv = state.v.len();
        let zero = || DMatrix::zeros(nv, nv);
        let identity = DMatrix::identity(nv, nv);
        let mut all =
            Self { u: identity.clone(), inverse: identity, u_rate: zero(), v: zero(), v_rate: zero(), k: zero() };
        for (block, q, v) in ranges(blocks) {
            let (first, q) = (v.start, &state.q.as_slice()[q]);
            let (velocity, acceleration) = (&state.v.as_slice()[v.clone()], &state.a.as_slice()[v]);
            if matches!(block, Block::EulerParameters) {
                all.of_euler_parameters(axes, first, q, velocity, acceleration);
            } else if let Some((offset, attitude)) = block.turn() {
                all.of_turn(axes, first, offset, &attitude.read(&q[offset..]), velocity, acceleration);
            }
        }
        all
    }

    fn of_euler_parameters(&mut self, axes: Axes, first: usize, e: &[f64], velocity: &[f64], acceleration: &[f64]) {
        let [e, velocity, acceleration] = [e, velocity, acceleration].map(euler_parameters);
        // Linear in e.
        let directions = |e: &Vector4<f64>| {
            let unit = |i: usize| Vector4::ith(i + 1, 0.5);
            let column = |i: usize| match axes {
                Axes::Own => product(e, &unit(i)),
                Axes::Parent => product(&unit(i), e),
            };
            DMatrix::from_fn(4, 4, |row, i| if i < 3 { column(i)[row] } else { e[row] })
        };
        let dense = |vector: &Vector4<f64>| DVector::from_column_slice(vector.as_slice());
        let fixed = |vector: &DVector<f64>| Vector4::from_column_slice(vector.as_slice());
        let (u, u_rate) = (directions(&e), directions(&velocity));
        let inverse = u.clone().try_inverse().unwrap_or_else(|| DMatrix::from_element(4, 4, f64::NAN));
        let w = &inverse * dense(&velocity);
        let w_rate = &inverse * (dense(&acceleration) - &u_rate * &w);
        let columns = |column: &dyn Fn(usize) -> DVector<f64>| DMatrix::from_columns(&[0, 1, 2, 3].map(column));
        let along = |matrix: &DMatrix<f64>, i: usize| directions(&fixed(&matrix.column(i).into_owned()));
        self.v.view_mut((first, first), (4, 4)).copy_from(&columns(&|i| along(&u, i) * &w));
        let v_rate = columns(&|i| along(&u_rate, i) * &w + along(&u, i) * &w_rate);
        self.v_rate.view_mut((first, first), (4, 4)).copy_from(&v_rate);
        self.u.view_mut((first, first), (4, 4)).copy_from(&u);
        self.inverse.view_mut((first, first), (4, 4)).copy_from(&inverse);
        self.u_rate.view_mut((first, first), (4, 4)).copy_from(&u_rate);
    }

    /// A rotation whose angular velocity begins at `offset` in its block, behind that of the origin if there is one.
    fn of_turn(
        &mut self,
        axes: Axes,
        first: usize,
        offset: usize,
        e: &Vector4<f64>,
        velocity: &[f64],
        acceleration: &[f64],
    ) {
        let vector = |slice: &[f64]| Vector3::from_column_slice(&slice[..3]);
        let turn = first + offset;
        let (spin, spin_rate) = (skew(&vector(&velocity[offset..])), skew(&vector(&acceleration[offset..])));
        set(&mut self.k, turn, turn, &spin);
        if offset > 0 {
            set(&mut self.k, first, first, &spin);
            set(&mut self.k, first, turn, &skew(&vector(velocity)));
        }
        if axes == Axes::Own {
            return;
        }
        let to_own = rotation_matrix(e).transpose();
        let to_own_rate = -spin * to_own;
        let places = if offset > 0 { &[first, turn][..] } else { &[turn] };
        for &place in places {
            set(&mut self.u, place, place, &to_own);
            set(&mut self.inverse, place, place, &to_own.transpose());
            set(&mut self.u_rate, place, place, &to_own_rate);
            // A vector that is fixed in the other axes changes in the own ones by how these turn.
            let (seen, seen_rate) = match place == turn {
                true => (spin, spin_rate),
                false => (skew(&vector(velocity)), skew(&vector(acceleration))),
            };
            set(&mut self.v, place, turn, &(seen * to_own));
            set(&mut self.v_rate, place, turn, &(seen_rate * to_own + seen * to_own_rate));
        }
    }

    /// `[θ, δv]` by `[η, w]`, `[2 nv × 2 nv]`.
    pub(crate) fn outward(&self) -> DMatrix<f64> {
        blocks_of(&self.u, &self.v, &self.u)
    }

    /// `[η, w]` by `[θ, δv]`, `[2 nv × 2 nv]`.
    pub(crate) fn inward(&self) -> DMatrix<f64> {
        blocks_of(&self.inverse, &-(&self.inverse * &self.v * &self.inverse), &self.inverse)
    }

    /// K in the model's own directions.
    pub(crate) fn turning(&self) -> &DMatrix<f64> {
        &self.k
    }

    /// The rates in new directions, from `δv' = P θ + Q δv`.
    pub(crate) fn rates(&self, p: &DMatrix<f64>, q: &DMatrix<f64>) -> Rates {
        let Self { u, inverse, u_rate, v, v_rate, k } = self;
        let one = DMatrix::identity(u.nrows(), u.nrows());
        let minus = -&one;
        let k = sum(&[(inverse, &sum(&[(k, u), (u_rate, &one), (v, &minus)]))]);
        let p = sum(&[(p, u), (q, v), (v_rate, &minus), (v, &k)]);
        let q = sum(&[(q, u), (u_rate, &minus), (v, &minus)]);
        Rates { p: sum(&[(inverse, &p)]), q: sum(&[(inverse, &q)]), k }
    }
}

/// `[a, 0; b, c]`.
fn blocks_of(a: &DMatrix<f64>, b: &DMatrix<f64>, c: &DMatrix<f64>) -> DMatrix<f64> {
    let n = a.nrows();
    let mut matrix = DMatrix::zeros(2 * n, 2 * n);
    for (place, block) in [((0, 0), a), ((n, 0), b), ((n, n), c)] {
        matrix.view_mut(place, (n, n)).copy_from(block);
    }
    matrix
}

fn set(matrix: &mut DMatrix<f64>, row: usize, column: usize, block: &Matrix3<f64>) {
    matrix.view_mut((row, column), (3, 3)).copy_from(block);
}

/// The accelerations with which the velocities of a state are constant in these axes; all coordinates move on.
pub(crate) fn steady_acceleration(blocks: &[Block], axes: Axes, state: &State) -> DVector<f64> {
    let mut acceleration = DVector::zeros(state.v.len());
    for (block, q, v) in ranges(blocks) {
        let (q, velocity) = (&state.q.as_slice()[q], &state.v.as_slice()[v.clone()]);
        match block {
            // ė = ½ e ∘ ω with ω constant in both kinds of axes.
            Block::EulerParameters => {
                let (e, rate) = (euler_parameters(q), euler_parameters(velocity));
                let twice = -(rate.norm_squared() / e.norm_squared());
                (0..4).for_each(|i| acceleration[v.start + i] = twice * e[i]);
            }
            Block::Pose(_) if axes == Axes::Parent => {
                let [shift, turn] = [0, 3].map(|i| Vector3::from_column_slice(&velocity[i..i + 3]));
                acceleration.rows_mut(v.start, 3).copy_from(&shift.cross(&turn));
            }
            Block::Vector { .. } | Block::Rotation(_) | Block::Pose(_) => {}
        }
    }
    acceleration
}

/// Where a steady motion is a time later.
pub(crate) fn advanced(blocks: &[Block], axes: Axes, state: &State, time: f64) -> State {
    let mut later = state.clone();
    later.t += time;
    for (block, q, v) in ranges(blocks) {
        let (from, velocity) = (&state.q.as_slice()[q.clone()], &state.v.as_slice()[v.clone()]);
        let to = &mut later.q.as_mut_slice()[q];
        match block {
            Block::Vector { .. } => to.iter_mut().zip(velocity).for_each(|(to, rate)| *to += time * rate),
            Block::EulerParameters => {
                let (e, rate) = (euler_parameters(from), euler_parameters(velocity));
                let spin = 2.0 * product(&conjugate(&e), &rate) / e.norm_squared();
                let increment = exp_half(&(time * Vector3::new(spin[1], spin[2], spin[3])));
                to.copy_from_slice(product(&e, &increment).as_slice());
                let moved = product(&rate, &increment);
                later.v.as_mut_slice()[v].copy_from_slice(moved.as_slice());
            }
            Block::Rotation(attitude) => turn(attitude, from, velocity, time, to),
            Block::Pose(attitude) => {
                let [shift, spin] = [0, 3].map(|i| Vector3::from_column_slice(&velocity[i..i + 3]));
                let to_parent = rotation_matrix(&attitude.read(&from[3..]));
                let mean = match axes {
                    Axes::Own => mean_rotation(&(time * spin)) * shift,
                    Axes::Parent => shift,
                };
                let moved = time * (to_parent * mean);
                (0..3).for_each(|i| to[i] += moved[i]);
                turn(attitude, &from[3..], &velocity[3..], time, &mut to[3..]);
                if axes == Axes::Parent {
                    let seen = rotation_matrix(&exp_half(&(time * spin))).transpose() * shift;
                    later.v.as_mut_slice()[v.start..v.start + 3].copy_from_slice(seen.as_slice());
                }
            }
        }
    }
    later
}

fn turn(attitude: Attitude, from: &[f64], spin: &[f64], time: f64, to: &mut [f64]) {
    let increment = exp_half(&(time * Vector3::from_column_slice(&spin[..3])));
    attitude.write(&product(&attitude.read(from), &increment), from, to);
}

/// The mean of the rotations from none up to a rotation vector: `∫ exp(s φ̃) ds` for s from 0 to 1.
fn mean_rotation(angle: &Vector3<f64>) -> Matrix3<f64> {
    let (size, cross) = (angle.norm(), skew(angle));
    let (first, second) = match size {
        small if small < 1e-3 => (0.5 - small * small / 24.0, 1.0 / 6.0 - small * small / 120.0),
        size => ((1.0 - size.cos()) / (size * size), (size - size.sin()) / size.powi(3)),
    };
    Matrix3::identity() + first * cross + second * cross * cross
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::tests::{BLOCKS, NQ, NV, Q, V};
    use crate::configuration::{retract, velocity_map_apply};

    fn state() -> State {
        let mut state = State {
            t: 0.0,
            q: Q.to_vec().into(),
            v: V.to_vec().into(),
            a: DVector::zeros(NV),
            lambda: DVector::zeros(0),
        };
        // Euler parameters of unit norm whose rates keep it.
        state.q.rows_mut(6, 4).copy_from_slice(&[0.5, -0.5, 0.7, 0.1]);
        let e = euler_parameters(&state.q.as_slice()[6..]);
        let rate = product(&e, &Vector4::new(0.0, 0.3, -0.2, 0.6));
        state.v.rows_mut(5, 4).copy_from(&rate);
        state
    }

    /// Central differences of a function of time.
    fn rate<const N: usize>(of: impl Fn(f64) -> [f64; N]) -> [f64; N] {
        let h = 1e-5;
        let (after, before) = (of(h), of(-h));
        std::array::from_fn(|i| (after[i] - before[i]) / (2.0 * h))
    }

    #[test]
    fn steady_motions_have_their_velocities_and_accelerations() {
        let state = state();
        for axes in [Axes::Own, Axes::Parent] {
            let at = |time: f64| advanced(&BLOCKS, axes, &state, time);
            for time in [0.0, 0.7] {
                let here = at(time);
                let moved: [f64; NQ] = rate(|h| std::array::from_fn(|i| at(time + h).q[i]));
                let mut expected = [0.0; NQ];
                velocity_map_apply(&BLOCKS, here.q.as_slice(), here.v.as_slice(), &mut expected);
                let worst = moved.iter().zip(expected).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                assert!(worst < 1e-8, "{axes:?}, {time}: {worst}");
                let accelerated: [f64; NV] = rate(|h| std::array::from_fn(|i| at(time + h).v[i]));
                let expected = steady_acceleration(&BLOCKS, axes, &here);
                let worst = accelerated.iter().zip(&expected).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
                assert!(worst < 1e-8, "{axes:?}, {time}: {worst}");
            }
        }
    }

    /// A motion beside a steady one, with small η in new directions and w by `η' = w − K η`, has the velocities that
    /// `δv = U w + V η` says.
    #[test]
    fn neighbouring_motions_move_as_the_directions_say() {
        let mut state = state();
        for axes in [Axes::Own, Axes::Parent] {
            state.a = steady_acceleration(&BLOCKS, axes, &state);
            let of = |time: f64| Directions::new(&BLOCKS, axes, &advanced(&BLOCKS, axes, &state, time));
            let directions = of(0.0);
            let zero = DMatrix::zeros(NV, NV);
            let k = directions.rates(&zero, &zero).k;
            let (size, h) = (1e-4, 1e-4);
            for column in 0..NV {
                // η stays, so that w = K η.
                let w = k.column(column).into_owned();
                let moved = |time: f64, sign: f64| {
                    let (at, by) = (advanced(&BLOCKS, axes, &state, time), of(time).u.column(column) * (sign * size));
                    let mut q = [0.0; NQ];
                    retract(&BLOCKS, at.q.as_slice(), by.as_slice(), &mut q);
                    q
                };
                let change = |time: f64| -> [f64; NQ] {
                    let (plus, minus) = (moved(time, 1.0), moved(time, -1.0));
                    std::array::from_fn(|i| (plus[i] - minus[i]) / (2.0 * size))
                };
                let (after, before) = (change(h), change(-h));
                // The rate of δq, and N δv + δN v by differences of the velocity map.
                let delta = &directions.u * &w + directions.v.column(column);
                let mapped = |sign: f64| {
                    let (q, mut rate) = (moved(0.0, sign), [0.0; NQ]);
                    let v = &state.v + sign * size * &delta;
                    velocity_map_apply(&BLOCKS, &q, v.as_slice(), &mut rate);
                    rate
                };
                let (plus, minus) = (mapped(1.0), mapped(-1.0));
                for i in 0..NQ {
                    let (found, expected) = ((after[i] - before[i]) / (2.0 * h), (plus[i] - minus[i]) / (2.0 * size));
                    assert!((found - expected).abs() < 1e-6, "{axes:?}, {column}, {i}: {found} {expected}");
                }
            }
        }
    }
}
