//! The error of stages that are solved together, by an implicit equation that filters what is infinitely fast.
//! [Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8]
//!
//! With stages f the error is e from `e = h (γ₀ f(t₀, y₀ + e) + Σ d f)`, and once more with `f(t₀, y₀ + e)` for `f(t₀, y₀)`
//! where a start may be off the motion that is slow. As `y₀ + e = ŷ + β ẏ` it is a time point, at which constraints are
//! imposed on velocities, whatever they are in the step: by what stages miss them, coordinates then err.

use nalgebra::DVector;

use super::time_point::TimePoint;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, ErrorEstimate, Options, Predictor};
use crate::step::{StepError, StepStats};

/// γ₀ and d, see [`crate::tables::radau_iia5_estimate`], and the order of the embedded scheme.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub(super) filter: f64,
    pub(super) stages: Vec<f64>,
    pub(super) order: u32,
}

#[derive(Clone)]
pub(super) struct Estimator<'m> {
    weights: Weights,
    point: TimePoint<'m>,
    /// `y₀ + e` as it is found first.
    near: State,
    /// Whether the stages obey constraints on positions, and miss those on velocities.
    is_tangential: bool,
    x: DVector<f64>,
    v: DVector<f64>,
}

impl<'m> Estimator<'m> {
    pub(super) fn new(
        weights: Weights,
        model: &'m dyn Model,
        initial: &State,
        level: ConstraintLevel,
        options: &Options,
    ) -> Self {
        let is_tangential = level == ConstraintLevel::Position && model.dims().nc > 0;
        let level = if is_tangential { ConstraintLevel::Velocity } else { level };
        let options = Options { constraint_level: Some(level), ..*options };
        let zeros = || DVector::zeros(model.dims().nv);
        let point = TimePoint::new(model, initial, &options);
        Self { weights, point, near: initial.clone(), is_tangential, x: zeros(), v: zeros() }
    }

    pub(super) fn leave_out(&mut self, constraints: &[usize]) {
        self.point.leave_out(constraints);
    }

    /// The error of a step from `old` with these stages; `twice` where `old` may be off the motion that is slow. It is not
    /// a number where its equation has no solution.
    pub(super) fn evaluate(
        &mut self,
        old: &State,
        stages: &[State],
        dt: f64,
        twice: bool,
        scheme: &str,
    ) -> ErrorEstimate<'_> {
        let solved = self.solve(old, stages, dt, twice, scheme);
        if solved.is_err() {
            self.x.fill(f64::NAN);
        }
        let stats = solved.unwrap_or_default();
        ErrorEstimate { x: self.x.as_slice(), v: self.v.as_slice(), order: self.weights.order, stats }
    }

    fn solve(
        &mut self,
        old: &State,
        stages: &[State],
        dt: f64,
        twice: bool,
        scheme: &str,
    ) -> Result<StepStats, StepError> {
        let Self { weights, point, near, is_tangential, x, v } = self;
        let beta = dt * weights.filter;
        point.begin(&old.q);
        point.add(old, 1.0, 0.0);
        for (stage, weight) in stages.iter().zip(&weights.stages) {
            point.add(stage, 0.0, dt * weight);
        }
        point.guess(Predictor::Constant, old.t, &[old]);
        let mut stats = point.solve(old.t, beta, old.t, scheme, None)?;
        if twice {
            near.copy_from(point.state());
            point.add(near, 0.0, beta);
            point.add(old, 0.0, -beta);
            stats += point.solve(old.t, beta, old.t, scheme, None)?;
        }
        x.copy_from(point.coordinates().0);
        v.copy_from(&point.state().v);
        *v -= &old.v;
        if *is_tangential {
            point.make_tangential(v.as_mut_slice());
        }
        Ok(stats)
    }
}
