//! Linear multistep schemes with tunable damping: LMS2, LMS3, LMS4. [zhang, Sect. 2.1]
//!
//! The coefficients stand in [`crate::tables`]; here is the step. The first steps, while earlier points are missing,
//! are those of the trapezoidal rule. After a change of the step size LMS2 uses coefficients for variable steps; LMS3
//! and LMS4 have none and restart.

use nalgebra::DMatrix;

use super::quadrature_estimate::Estimator;
use super::time_point::TimePoint;
use crate::digits::Digits;
use crate::linear_analysis::Oscillator;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, ErrorEstimate, Options, Predictor, Scheme, SideBySide, Stepper};
use crate::step::{StepError, StepStats};
use crate::tables::{self, Multistep};
use crate::tangent::{Register, STATE, StepMap};

/// LMS2, LMS3 or LMS4.
///
/// # Examples
/// ```
/// use hamel::Scheme;
/// use hamel::linear_analysis::{Oscillator, spectral_radius};
/// use hamel::schemes::LinearMultistep;
///
/// let scheme = LinearMultistep { steps: 2, rho_infinity: 0.5 };
/// let matrix = scheme.amplification(Oscillator::undamped(1e6)).expect("a linear map");
/// assert!((spectral_radius(&matrix) - 0.5).abs() < 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearMultistep {
    /// Number of earlier points, 2 to 4.
    pub steps: usize,
    /// Spectral radius for infinite frequency, in [0, 1]; for more than two points it should be below 1, because at
    /// 1 rounding errors accumulate.
    pub rho_infinity: f64,
}

impl Scheme for LinearMultistep {
    fn name(&self) -> String {
        format!("LMS{} (ρ∞ = {})", self.steps, Digits(self.rho_infinity))
    }

    fn key(&self) -> Option<&'static str> {
        match self.steps {
            2 => Some("lms2"),
            3 => Some("lms3"),
            4 => Some("lms4"),
            _ => None,
        }
    }

    fn order(&self) -> u32 {
        2
    }

    /// LMS3 and LMS4 have no coefficients for steps that change, and would begin anew with each.
    fn estimates_errors(&self) -> bool {
        self.steps == 2
    }

    fn level_of_chosen_steps(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn caution(&self) -> Option<&'static str> {
        let is_doubtful = self.steps > 2 && self.rho_infinity == 1.0;
        is_doubtful
            .then_some("with ρ∞ = 1 rounding errors grow over many steps; take `rho_infinity` < 1, or `trapezoidal`")
    }

    fn abreast(&self) -> SideBySide {
        SideBySide::Always
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(tables::lms(self.steps, self.rho_infinity).ok()?.amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        let weights =
            tables::lms(self.steps, self.rho_infinity).map_err(|error| super::bad_table(&self.label(), &error))?;
        Ok(Box::new(LinearMultistepStepper {
            name: self.label(),
            rho_infinity: self.rho_infinity,
            point: TimePoint::new(model, &initial, options),
            predictor: options.predictor.unwrap_or(Predictor::TwoPoint),
            known: 1,
            last_dt: None,
            before: (1, None),
            estimator: (self.steps == 2).then(|| Estimator::new(model, &initial, 2)),
            history: vec![initial; self.steps + 1],
            weights,
        }))
    }
}

/// Steps of the longest scheme.
const MOST: usize = 4;

#[derive(Clone)]
struct LinearMultistepStepper<'m> {
    name: String,
    rho_infinity: f64,
    point: TimePoint<'m>,
    predictor: Predictor,
    /// The latest point first; one more than the scheme needs, for the new one.
    history: Vec<State>,
    /// Number of earlier points, equally spaced.
    known: usize,
    last_dt: Option<f64>,
    /// Both before the last step.
    before: (usize, Option<f64>),
    estimator: Option<Estimator<'m>>,
    weights: Multistep,
}

impl Stepper for LinearMultistepStepper<'_> {
    fn state(&self) -> &State {
        &self.history[0]
    }

    fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
        super::check_step_size(&self.name, dt)?;
        let steps = self.weights.alpha.len();
        let last_dt = self.last_dt.unwrap_or(dt);
        let known = if super::is_same_step(dt, last_dt) || steps == 2 { self.known } else { 1 };
        let (alpha, beta) = self.coefficients(dt, last_dt, self.known)?;
        let start = self.history[0].t;
        self.point.begin(&self.history[0].q);
        for ((past, &value), &derivative) in self.history.iter().zip(&alpha).zip(&beta[1..]) {
            self.point.add(past, value, dt * derivative);
        }
        let past = &self.history;
        let behind: [&State; 3] = [&past[0], &past[1], &past[2.min(past.len() - 1)]];
        self.point.guess(self.predictor, start + dt, &behind[..known.min(3)]);
        let stats = self.point.solve(start + dt, dt * beta[0], start, &self.name, None)?;

        if let (true, Some(estimator)) = (self.known > 1, &mut self.estimator) {
            estimator.continue_from(&self.history[1]);
        }
        self.before = (self.known, self.last_dt);
        self.history.rotate_right(1);
        self.history[0].copy_from(self.point.state());
        self.known = (known + 1).min(steps);
        self.last_dt = Some(dt);
        Ok(stats)
    }

    fn error_estimate(&mut self) -> Option<ErrorEstimate<'_>> {
        let Self { history, point, estimator, .. } = self;
        let correct = |error: &mut [f64]| point.make_tangential_on_positions(error);
        Some(estimator.as_mut()?.evaluate(&history[1], &history[0], correct))
    }

    fn retreat(&mut self) -> bool {
        self.history.rotate_left(1);
        (self.known, self.last_dt) = self.before;
        true
    }

    fn linear_start(&self, map: &mut StepMap) -> Result<(), &'static str> {
        map.begin(STATE.len());
        // Until there are earlier points, nothing is read of them.
        let earlier = (1..self.weights.alpha.len()).flat_map(|_| [STATE[0], STATE[1], STATE[2]]);
        map.end(STATE.into_iter().chain(earlier));
        Ok(())
    }

    fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
        let steps = self.weights.alpha.len();
        map.begin(STATE.len() + 3 * (steps - 1));
        let (known, last_dt) = self.before;
        let (Some(dt), last_dt) = (self.last_dt, last_dt) else { return Err("no step was made") };
        let (alpha, beta) =
            self.coefficients(dt, last_dt.unwrap_or(dt), known).map_err(|_| "its coefficients failed")?;
        let earlier = |k: usize| [0, 1, 2].map(|i| Register(STATE.len() + 3 * (k - 1) + i));
        let registers: Vec<[Register; 3]> =
            (0..steps).map(|k| if k == 0 { [STATE[0], STATE[1], STATE[2]] } else { earlier(k) }).collect();
        // The latest point is that of the last step.
        let past: Vec<_> = self.history[1..]
            .iter()
            .zip(&registers)
            .zip(alpha.iter().zip(&beta[1..]))
            .map(|((state, &registers), (&value, &derivative))| (state, registers, [value, dt * derivative]))
            .collect();
        let reference = (&self.history[1], STATE[0]);
        let point = self.point.write_map(map, reference, (&past, &[]), (dt * beta[0], &self.history[0]));
        map.end(point.all().into_iter().chain(registers[..steps - 1].iter().flatten().copied()));
        Ok(())
    }

    fn leave_out(&mut self, constraints: &[usize]) -> bool {
        self.point.leave_out(constraints);
        true
    }

    fn resume(&mut self, next: &State) -> bool {
        self.history[0].a.copy_from(&next.a);
        self.history[0].lambda.copy_from(&next.lambda);
        self.known = 1;
        self.estimator.iter_mut().for_each(Estimator::forget);
        true
    }

    fn correctable(&mut self) -> Option<&mut State> {
        Some(&mut self.history[0])
    }

    fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
    where
        Self: 's,
    {
        Some(Box::new(self.clone()))
    }
}

impl LinearMultistepStepper<'_> {
    /// Coefficients of values and of derivatives, the latter from the new point on; zero beyond those of the scheme. Where
    /// there are not enough points at equal distances those of the trapezoidal rule, or of LMS2 for the last two steps.
    fn coefficients(&self, dt: f64, last_dt: f64, known: usize) -> Result<([f64; MOST], [f64; MOST + 1]), StepError> {
        let steps = self.weights.alpha.len();
        let is_even = super::is_same_step(dt, last_dt);
        let (mut alpha, mut beta) = ([0.0; MOST], [0.0; MOST + 1]);
        if known < steps || !is_even && steps > 2 {
            alpha[0] = 1.0;
            beta[..2].fill(0.5);
        } else if is_even {
            alpha[..steps].copy_from_slice(&self.weights.alpha);
            beta[..=steps].copy_from_slice(&self.weights.beta);
        } else {
            let uneven = tables::lms2_variable(self.rho_infinity, dt / last_dt);
            let uneven = uneven.map_err(|error| super::bad_table(&self.name, &error))?;
            alpha[..2].copy_from_slice(&uneven.0);
            beta[..3].copy_from_slice(&uneven.1);
        }
        Ok((alpha, beta))
    }
}
