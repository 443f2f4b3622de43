//! The error of a step of Newmark's kind, from the accelerations a of the equations of motion.
//!
//! A step integrates A, whose instants are off by `Δ h` with `Δ = α_m − α_f`; accelerations at both ends give
//! `h² (a₀/3 + a₁/6)` for coordinates, and with those before the step the parabola `h (a₀ + a₁)/2 − h³ ä/12` for velocities.
//! The differences are, to leading order, `h² (1/6 − Δ/2 − β) (A₁ − A₀)` and `h³ ä (Δ (1/2 − α_f) − 1/12)`, and include what A
//! has not settled after a start. Increments of rotations do not commute, which adds `h³/12 ω × ω̇`, and to those of poses
//! `h³/12 (ω × (u̇ + ½ ω × u) + u × ω̇)`.

use nalgebra::{DVector, Vector3};

use crate::chart::vector;
use crate::configuration::ranges;
use crate::model::{Block, State};
use crate::tables::NewmarkFamily;

pub(super) struct Estimator {
    coefficients: NewmarkFamily,
    /// Accelerations at the beginning of the step that led to the last step, and its length; nothing after a start.
    earlier: DVector<f64>,
    earlier_dt: Option<f64>,
    pub(super) x: DVector<f64>,
    pub(super) v: DVector<f64>,
    /// Workspace of the projection of velocities.
    pub(super) rhs: Vec<f64>,
}

impl Estimator {
    pub(super) fn new(coefficients: NewmarkFamily, nv: usize, unknowns: usize) -> Self {
        let zeros = || DVector::zeros(nv);
        Self { coefficients, earlier: zeros(), earlier_dt: None, x: zeros(), v: zeros(), rhs: vec![0.0; unknowns] }
    }

    /// A step begins where another of this length has ended, which began with these accelerations.
    pub(super) fn continue_from(&mut self, a: &DVector<f64>, dt: f64) {
        self.earlier.copy_from(a);
        self.earlier_dt = Some(dt);
    }

    /// A step begins without another before it.
    pub(super) fn forget(&mut self) {
        self.earlier_dt = None;
    }

    /// x and v of a step from `old` to `new`, in which A went through these values.
    pub(super) fn evaluate(&mut self, blocks: &[Block], old: &State, new: &State, [a_old, a_new]: [&DVector<f64>; 2]) {
        let Self { coefficients: NewmarkFamily { beta, gamma, .. }, earlier, earlier_dt, x, v, .. } = self;
        let h = new.t - old.t;
        let integrate = |error: &mut DVector<f64>, factor: f64, exact: [f64; 2], weight: f64| {
            error.fill(0.0);
            error.axpy(factor * exact[0], &old.a, 1.0);
            error.axpy(factor * exact[1], &new.a, 1.0);
            error.axpy(-factor * (exact[0] + exact[1] - weight), a_old, 1.0);
            error.axpy(-factor * weight, a_new, 1.0);
        };
        integrate(x, h * h, [1.0 / 3.0, 1.0 / 6.0], *beta);
        integrate(v, h, [0.5; 2], *gamma);
        if let Some(before) = *earlier_dt {
            // −h³/6 times the second divided difference.
            let factor = -h * h * h / (6.0 * (h + before));
            v.axpy(factor / h, &new.a, 1.0);
            v.axpy(-factor * (1.0 / h + 1.0 / before), &old.a, 1.0);
            v.axpy(factor / before, earlier, 1.0);
        }
        for (block, _, range) in ranges(blocks) {
            let Some((first, _)) = block.turn() else { continue };
            let part = |of: &DVector<f64>, from: usize| vector(&of.as_slice()[range.start + from..]);
            let (omega, rate) = (part(&old.v, first), part(&old.a, first));
            let mut add = |from: usize, change: Vector3<f64>| {
                (0..3).for_each(|i| x[range.start + from + i] += h * h * h / 12.0 * change[i]);
            };
            add(first, omega.cross(&rate));
            if first > 0 {
                let (u, u_rate) = (part(&old.v, 0), part(&old.a, 0));
                add(0, omega.cross(&(u_rate + 0.5 * omega.cross(&u))) + u.cross(&rate));
            }
        }
    }
}
