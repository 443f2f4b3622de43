//! The error of a step of second order, from rates at its ends and at the beginning of the step before.
//!
//! Their parabola leads from the beginning of a step to an end of third order, `y₀ + h (ẏ₀ + ẏ₁)/2 − h³/6 ẏ[₋₁, ₀, ₁]` with the
//! second divided difference, in coordinates relative to the beginning, see [`crate::chart`]. The distance of the end that
//! the scheme has found is its error to leading order, whatever the scheme: for generalized-α
//! `h² (1/6 − Δ/2 − β) (A₁ − A₀)` in coordinates and `h³ ä (Δ (1/2 − α_f) − 1/12)` in velocities with `Δ = α_m − α_f`. After a
//! start nothing is known before the step; the error of a scheme of first order, `h (ẏ₁ − ẏ₀)/2`, is above that of the step.

use nalgebra::DVector;

use crate::chart;
use crate::model::{Block, Model, State};
use crate::scheme::ErrorEstimate;
use crate::step::StepStats;

#[derive(Clone)]
pub(super) struct Estimator<'m> {
    blocks: &'m [Block],
    /// Order of the scheme, at most two.
    order: u32,
    /// The beginning of the step before; nothing is kept until an error is asked for.
    earlier: State,
    is_asked: bool,
    is_known: bool,
    x: DVector<f64>,
    v: DVector<f64>,
    /// Coordinates of a point, and their rate.
    past_x: DVector<f64>,
    past_rate: DVector<f64>,
}

impl<'m> Estimator<'m> {
    pub(super) fn new(model: &'m dyn Model, initial: &State, order: u32) -> Self {
        let zeros = || DVector::zeros(initial.v.len());
        Self {
            blocks: &model.describe().blocks,
            order,
            earlier: initial.clone(),
            is_asked: false,
            is_known: false,
            x: zeros(),
            v: zeros(),
            past_x: zeros(),
            past_rate: zeros(),
        }
    }

    /// A step begins where another ends, which has begun here.
    pub(super) fn continue_from(&mut self, beginning: &State) {
        if self.is_asked {
            self.earlier.copy_from(beginning);
            self.is_known = true;
        }
    }

    /// A step begins without another before it.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// The error of a step; `correct` may change that of the velocities.
    pub(super) fn evaluate(&mut self, old: &State, new: &State, correct: impl FnOnce(&mut [f64])) -> ErrorEstimate<'_> {
        self.is_asked = true;
        let Self { blocks, earlier, x, v, past_x, past_rate, .. } = self;
        x.fill(0.0);
        v.fill(0.0);
        let mut add = |point: &State, value: f64, rate: f64| {
            chart::locate(blocks, old.q.as_slice(), point.q.as_slice(), past_x.as_mut_slice());
            chart::rate(blocks, point.q.as_slice(), past_x.as_slice(), point.v.as_slice(), past_rate.as_mut_slice());
            x.axpy(value, past_x, 1.0);
            x.axpy(rate, past_rate, 1.0);
            v.axpy(value, &point.v, 1.0);
            v.axpy(rate, &point.a, 1.0);
        };
        let (h, half) = (new.t - old.t, 0.5 * (new.t - old.t));
        if self.is_known {
            let before = old.t - earlier.t;
            let curvature = -h * h * h / (6.0 * (h + before));
            add(old, 1.0, half - curvature * (1.0 / h + 1.0 / before));
            add(new, -1.0, half + curvature / h);
            add(earlier, 0.0, curvature / before);
        } else {
            add(old, 0.0, -half);
            add(new, 0.0, half);
        }
        correct(self.v.as_mut_slice());
        let order = if self.is_known { self.order } else { 1 };
        ErrorEstimate { x: self.x.as_slice(), v: self.v.as_slice(), order, stats: StepStats::default() }
    }
}
