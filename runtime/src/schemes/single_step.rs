//! Single-step schemes that are equivalent to linear multistep ones: SS2, SS3, SS4. [zhang, Eqs. 18-20]
//!
//! Instead of earlier points they carry auxiliary derivatives w¹, w², w³, each an average of the one before it over
//! the step; only w¹ of SS3 and SS4 is complex. A change of the step size rescales them, which keeps second order.

use nalgebra::{Complex, DMatrix, DVector};

use super::quadrature_estimate::Estimator;
use super::time_point::TimePoint;
use crate::chart;
use crate::digits::Digits;
use crate::linear_analysis::Oscillator;
use crate::model::{Block, Model, State};
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, ErrorEstimate, Options, Predictor, Scheme, SideBySide, Stepper};
use crate::step::{StepError, StepStats};
use crate::tables;
use crate::tangent::{self, Register, STATE, StepMap};

/// SS2, SS3 or SS4.
///
/// # Examples
/// The single-step form of [`LinearMultistep`](super::LinearMultistep) has the same physical modes.
///
/// ```
/// use hamel::Scheme;
/// use hamel::linear_analysis::physical_modes;
/// use hamel::schemes::{LinearMultistep, SingleStep};
///
/// let phase = |scheme: &dyn Scheme| {
///     let modes = physical_modes(|oscillator| scheme.amplification(oscillator).expect("a linear map"), &[0.5]);
///     modes[0].phase
/// };
/// let (one, other) = (SingleStep { steps: 3, rho_infinity: 0.5 }, LinearMultistep { steps: 3, rho_infinity: 0.5 });
/// assert!((phase(&one) - phase(&other)).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleStep {
    /// Steps of the equivalent multistep scheme, 2 to 4.
    pub steps: usize,
    /// Spectral radius for infinite frequency, in [0, 1].
    pub rho_infinity: f64,
}

impl Scheme for SingleStep {
    fn name(&self) -> String {
        format!("SS{} (ρ∞ = {})", self.steps, Digits(self.rho_infinity))
    }

    fn key(&self) -> Option<&'static str> {
        match self.steps {
            2 => Some("ss2"),
            3 => Some("ss3"),
            4 => Some("ss4"),
            _ => None,
        }
    }

    fn order(&self) -> u32 {
        2
    }

    fn estimates_errors(&self) -> bool {
        true
    }

    fn level_of_chosen_steps(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::Always
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(tables::ss(self.steps, self.rho_infinity).ok()?.amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let weights =
            tables::ss(self.steps, self.rho_infinity).map_err(|error| super::bad_table(&self.label(), &error))?;
        let mut point = TimePoint::new(model, &initial, options);
        let rate = Rate::new(&mut point, &initial);
        Ok(Box::new(SingleStepStepper {
            name: self.label(),
            weights,
            blocks: &model.describe().blocks,
            auxiliaries: vec![[rate.clone(), Rate::zeros(&initial)]; self.steps - 1],
            next: vec![[Rate::zeros(&initial), Rate::zeros(&initial)]; self.steps - 1],
            rate: rate.clone(),
            new_rate: rate,
            point,
            predictor: options.predictor.unwrap_or(Predictor::Constant),
            estimator: Estimator::new(model, &initial, 2),
            old: initial.clone(),
            state: initial,
            has_advanced: false,
            last_dt: None,
            ratio: 1.0,
        }))
    }
}

/// ẏ, in coordinates and velocities.
#[derive(Clone)]
struct Rate {
    x: DVector<f64>,
    v: DVector<f64>,
}

impl Rate {
    fn zeros(state: &State) -> Self {
        Self { x: DVector::zeros(state.v.len()), v: DVector::zeros(state.v.len()) }
    }

    /// Of a state that is its own reference.
    fn new(point: &mut TimePoint, state: &State) -> Self {
        let mut rate = Self::zeros(state);
        point.begin(&state.q);
        point.add(state, 0.0, 1.0);
        let (x, v) = point.known();
        rate.x.copy_from(x);
        rate.v.copy_from(v);
        rate
    }

    fn fill(&mut self, value: f64) {
        self.x.fill(value);
        self.v.fill(value);
    }

    fn add(&mut self, factor: f64, other: &Rate) {
        if factor != 0.0 {
            self.x.axpy(factor, &other.x, 1.0);
            self.v.axpy(factor, &other.v, 1.0);
        }
    }
}

#[derive(Clone)]
struct SingleStepStepper<'m> {
    name: String,
    weights: tables::SingleStep,
    blocks: &'m [Block],
    point: TimePoint<'m>,
    predictor: Predictor,
    state: State,
    /// The state before the last step, and whether the current one is its end.
    old: State,
    has_advanced: bool,
    estimator: Estimator<'m>,
    /// ẏ at the state, and at the new one.
    rate: Rate,
    new_rate: Rate,
    /// Real and imaginary parts of w¹, w², …
    auxiliaries: Vec<[Rate; 2]>,
    next: Vec<[Rate; 2]>,
    last_dt: Option<f64>,
    /// Ratio of the last step's length to that of the one before.
    ratio: f64,
}

impl Stepper for SingleStepStepper<'_> {
    fn state(&self) -> &State {
        &self.state
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        // The auxiliaries belong to instants that are off by a part of the step size.
        let ratio = self.last_dt.filter(|&last| !super::is_same_step(dt, last)).map_or(1.0, |last| dt / last);
        let start = self.state.t;
        self.point.begin(&self.state.q);
        self.point.add(&self.state, 1.0, dt * self.weights.b_old);
        for ([real, imaginary], weight) in self.auxiliaries.iter().zip(&self.weights.b) {
            self.point.add_rates(dt * ratio * weight.re, &real.x, &real.v);
            self.point.add_rates(-dt * ratio * weight.im, &imaginary.x, &imaginary.v);
            self.point.add_rates(dt * (1.0 - ratio) * weight.re, &self.rate.x, &self.rate.v);
        }
        self.point.guess(self.predictor, start + dt, &[&self.state]);
        let stats = self.point.solve(start + dt, dt * self.weights.b_new, start, &self.name, None)?;

        if ratio != 1.0 {
            for [real, imaginary] in &mut self.auxiliaries {
                // w ← ẏ + ratio (w − ẏ).
                real.x.axpy(1.0 - ratio, &self.rate.x, ratio);
                real.v.axpy(1.0 - ratio, &self.rate.v, ratio);
                imaginary.x *= ratio;
                imaginary.v *= ratio;
            }
        }
        if self.has_advanced {
            self.estimator.continue_from(&self.old);
        }
        core::mem::swap(&mut self.old, &mut self.state);
        self.state.copy_from(self.point.state());
        let (_, x_rate) = self.point.coordinates();
        self.new_rate.x.copy_from(x_rate);
        self.new_rate.v.copy_from(&self.state.a);
        self.average();
        (self.last_dt, self.has_advanced, self.ratio) = (Some(dt), true, ratio);
        Ok(stats)
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        let Self { old, state, point, estimator, .. } = self;
        Some(estimator.evaluate(old, state, |error| point.make_tangential_on_positions(error)))
    }

    fn retreat(&mut self) -> bool {
        // What the last step has averaged is left in the place of what it would average next, for steps of its length.
        core::mem::swap(&mut self.old, &mut self.state);
        core::mem::swap(&mut self.auxiliaries, &mut self.next);
        core::mem::swap(&mut self.rate, &mut self.new_rate);
        self.has_advanced = false;
        true
    }

    fn linear_start(&self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        let [position, velocity, acceleration, _] = STATE;
        // A state is its own reference.
        let (q, v, x) = (self.state.q.as_slice(), self.state.v.as_slice(), vec![0.0; self.state.v.len()]);
        let [by_v, by_q, by_reference] = tangent::rate(self.blocks, q, &x, v);
        let rate = map.sum(vec![(by_v, velocity), (by_q, position), (by_reference, position)]);
        let none = map.combine(&[(0.0, velocity)]);
        let own = (1..self.steps()).flat_map(|_| [rate, acceleration, none, none]);
        map.end(STATE.into_iter().chain([rate, acceleration]).chain(own));
        Ok(())
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        let count = self.steps() - 1;
        map.begin(STATE.len() + 2 + 4 * count);
        let (Some(h), ratio) = (self.last_dt, self.ratio) else { return Err("no step was made") };
        let at = |k: usize| Register(STATE.len() + k);
        let rate = [at(0), at(1)];
        // w ← ẏ + ratio (w − ẏ), real and imaginary parts.
        let mut auxiliaries = Vec::new();
        for j in 0..count {
            let [real, imaginary] = [0, 2].map(|k| [at(2 + 4 * j + k), at(3 + 4 * j + k)]);
            let scaled = [0, 1].map(|k| map.combine(&[(ratio, real[k]), (1.0 - ratio, rate[k])]));
            auxiliaries.push([scaled, imaginary.map(|register| map.combine(&[(ratio, register)]))]);
        }
        let weighted = auxiliaries.iter().zip(&self.weights.b);
        let rates: Vec<_> = weighted
            .flat_map(|([real, imaginary], weight)| [(h * weight.re, *real), (-h * weight.im, *imaginary)])
            .collect();
        let past = [(&self.old, [STATE[0], STATE[1], STATE[2]], [1.0, h * self.weights.b_old])];
        let end = (h * self.weights.b_new, &self.state);
        let point = self.point.write_map(map, (&self.old, STATE[0]), (&past, &rates), end);
        // In the chart of the old state, until everything is carried to that of the new one.
        let (from, q, v) = (self.old.q.as_slice(), self.state.q.as_slice(), self.state.v.as_slice());
        let mut x = vec![0.0; v.len()];
        chart::locate(self.blocks, from, q, &mut x);
        let [by_v, by_q, by_reference] = tangent::rate(self.blocks, q, &x, v);
        let x_rate = map.sum(vec![(by_v, point.velocity), (by_q, point.position), (by_reference, STATE[0])]);
        let new_rate = [x_rate, point.acceleration];
        let mut next: Vec<[[Register; 2]; 2]> = Vec::new();
        let tables::SingleStep { c, d, e, .. } = &self.weights;
        for (j, ((same, new), old)) in c.iter().zip(d).zip(e).enumerate() {
            let mut terms = vec![(*same, auxiliaries[j][0], Some(auxiliaries[j][1]))];
            match j.checked_sub(1) {
                None => terms.extend([(*new, new_rate, None), (*old, rate, None)]),
                Some(below) => {
                    let [real, imaginary] = next[below];
                    let [old_real, old_imaginary] = auxiliaries[below];
                    terms.extend([(*new, real, Some(imaginary)), (*old, old_real, Some(old_imaginary))]);
                }
            }
            let part = |map: &mut StepMap, k: usize, is_real: bool| {
                let terms: Vec<_> = terms
                    .iter()
                    .flat_map(|(factor, real, imaginary)| {
                        let [by_real, by_imaginary] =
                            if is_real { [factor.re, -factor.im] } else { [factor.im, factor.re] };
                        [(by_real, real[k])].into_iter().chain(imaginary.map(|imaginary| (by_imaginary, imaginary[k])))
                    })
                    .collect();
                map.combine(&terms)
            };
            let [real, imaginary] = [true, false].map(|is_real| [0, 1].map(|k| part(map, k, is_real)));
            next.push([real, imaginary]);
        }
        let [by_q, by_reference] = tangent::location(self.blocks, from, q, &x);
        let moved = map.sum(vec![(by_q, point.position), (by_reference, STATE[0])]);
        let mut own = vec![new_rate];
        own.extend(next.into_iter().flatten());
        for (rates, carried) in own.iter_mut().zip([&self.rate].into_iter().chain(self.auxiliaries.iter().flatten())) {
            let [by_rate, by_x] = tangent::transport(self.blocks, &x, carried.x.as_slice());
            rates[0] = map.sum(vec![(by_rate, rates[0]), (by_x, moved)]);
        }
        map.end(point.all().into_iter().chain(own.into_iter().flatten()));
        Ok(())
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.point.leave_out(constraints);
        true
    }

    fn resume(&mut self, next: &State) -> bool {
        self.state.a.copy_from(&next.a);
        self.state.lambda.copy_from(&next.lambda);
        self.rate = Rate::new(&mut self.point, &self.state);
        self.new_rate = self.rate.clone();
        for [real, imaginary] in &mut self.auxiliaries {
            real.x.copy_from(&self.rate.x);
            real.v.copy_from(&self.rate.v);
            imaginary.fill(0.0);
        }
        (self.last_dt, self.has_advanced) = (None, false);
        self.estimator.forget();
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.state)
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl SingleStepStepper<'_> {
    /// Steps of the equivalent multistep scheme.
    fn steps(&self) -> usize {
        self.auxiliaries.len() + 1
    }

    /// `w^j ← C w^j + D w^(j−1) (new) + E w^(j−1) (old)` with `w⁰ = ẏ`, then everything relative to the new state.
    fn average(&mut self) {
        let tables::SingleStep { c, d, e, .. } = &self.weights;
        for (j, ((same, new), old)) in c.iter().zip(d).zip(e).enumerate() {
            let (before, after) = self.next.split_at_mut(j);
            let [real, imaginary] = &mut after[0];
            real.fill(0.0);
            imaginary.fill(0.0);
            let mut add = |factor: Complex<f64>, value: &Rate, imaginary_value: Option<&Rate>| {
                real.add(factor.re, value);
                imaginary.add(factor.im, value);
                if let Some(value) = imaginary_value {
                    real.add(-factor.im, value);
                    imaginary.add(factor.re, value);
                }
            };
            let [last, last_imaginary] = &self.auxiliaries[j];
            add(*same, last, Some(last_imaginary));
            match before.last() {
                None => {
                    add(*new, &self.new_rate, None);
                    add(*old, &self.rate, None);
                }
                Some([below, below_imaginary]) => {
                    let [last, last_imaginary] = &self.auxiliaries[j - 1];
                    add(*new, below, Some(below_imaginary));
                    add(*old, last, Some(last_imaginary));
                }
            }
        }
        core::mem::swap(&mut self.auxiliaries, &mut self.next);
        let (x, _) = self.point.coordinates();
        for rate in self.auxiliaries.iter_mut().flatten().chain([&mut self.new_rate]) {
            chart::transport(self.blocks, x.as_slice(), rate.x.as_mut_slice());
        }
        core::mem::swap(&mut self.rate, &mut self.new_rate);
    }
}
