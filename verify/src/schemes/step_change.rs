//! What schemes carry from step to step belongs to the size of the step: what a change of it costs.
//! [zhang, Eqs. 8-11, 18-20], [rezaei, Eqs. 94, 95]
//!
//! SS and generalized-α are written down once more, with auxiliary variables left as they are or rescaled,
//! `w ← ẏ + (h_new/h_old) (w − ẏ)`. With steps in the ratio 1 : 2 in turn they fall to first order if left.

use hamel::scheme::StepError;
use hamel::schemes;
use hamel::tables::{self, NewmarkFamily, SingleStep};
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Style, at_most};
use nalgebra::Complex;

use crate::convergence::{self, Convergence};
use crate::linear::{most, table};
use crate::origins::TWENTY_STEPS;
use crate::oscillator::{self, Point, acceleration};

const RHO: f64 = 0.6;
const ALTERNATING: [f64; 2] = [1.0, 2.0];
/// Corrections of an implicit equation, each smaller than the last by a factor of the step size.
const ITERATIONS: u32 = 60;

pub(super) fn run() -> Result<Report, StepError> {
    let (mut claims, mut studies) = (Vec::new(), Vec::new());
    for r in 2..=4 {
        let weights = table("SS", tables::ss(r, RHO))?;
        let study = |pattern: &[f64], rescales: bool| {
            let step = |state: Auxiliaries, t, h| state.step(&weights, t, h, rescales);
            oscillator::study(|| Auxiliaries::new(r), pattern, step, |state| state.y)
        };
        let scheme = schemes::by_name(&format!("ss{r}"), &[("rho_infinity", RHO)])?;
        let steps = 20;
        let state =
            oscillator::integrate(Auxiliaries::new(r), steps, &[1.0], |state, t, h| state.step(&weights, t, h, true));
        let own = oscillator::end(&*scheme, steps)?;
        claims.push(agreement(&scheme.name(), oscillator::distance(state.y, own)));
        claims.push(
            Claim::new(
                format!("SS{r} with equal steps: largest deviation from the recursion of LMS{r}"),
                "1",
                at_most(2e-15, Origin::Rounding("of recursions with numbers of the order of one")),
                deviation_from_recursion(r, &weights)?,
            )
            .in_words("equivalent single-step methods"),
        );
        let [left, rescaled] = [false, true].map(|rescales| study(&ALTERNATING, rescales));
        let [first, second] = orders(&format!("SS{r}"), &left, &rescaled);
        claims.extend([first, second]);
        studies.extend([(format!("SS{r}, left"), left), (format!("SS{r}, rescaled"), rescaled)]);
    }
    let family = NewmarkFamily::generalized_alpha(RHO);
    let step = |rescales| move |state: Accelerations, t, h| state.step(&family, t, h, rescales);
    let study = |rescales| oscillator::study(Accelerations::new, &ALTERNATING, step(rescales), |state| state.point);
    let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", RHO)])?;
    let state = oscillator::integrate(Accelerations::new(), 20, &[1.0], step(true));
    claims.push(agreement(&scheme.name(), oscillator::distance(state.point, oscillator::end(&*scheme, 20)?)));
    let [left, rescaled] = [false, true].map(study);
    claims.extend(orders("generalized-α", &left, &rescaled));
    studies.extend([("generalized-α, left".to_owned(), left), ("generalized-α, rescaled".to_owned(), rescaled)]);

    let named: Vec<(&str, &Convergence)> = studies.iter().map(|(name, study)| (name.as_str(), study)).collect();
    let title = "Larger error of q and q̇ on the forced oscillator, steps in the ratio 1 : 2 in turn";
    let curve = |(name, study): &(&str, &Convergence)| Curve::new(*name, Style::LineAndMarkers, study.points.clone());
    Ok(Report {
        claims,
        tables: vec![convergence::table("orders", title, ("error", "1"), &named)],
        figures: vec![Figure {
            slug: "orders".into(),
            title: "Error over the mean step size, steps in the ratio 1 : 2 in turn".into(),
            caption: format!("Forced oscillator, ρ∞ = {RHO}. Left: auxiliary variables are not changed with the step."),
            x: Axis::log("mean step size h", "s"),
            y: Axis::log("error", "m, m/s"),
            curves: named.iter().map(curve).collect(),
            slopes: Vec::new(),
        }],
        notes: vec![
            "SS and LMS are equivalent for equal steps only: when the step changes, the auxiliary variables of SS must \
             change with it, or first order is left."
                .into(),
            "The schemes of the runtime rescale; HHT does so too, with the acceleration that the equations of motion ask \
             for. LMS2 has coefficients for unequal steps, LMS3 and LMS4 begin anew."
                .into(),
        ],
    })
}

fn agreement(scheme: &str, difference: f64) -> Claim {
    let what = format!("difference of {scheme} to the formulas written down here, 20 equal steps");
    Claim::new(what, "1", at_most(2e-15, TWENTY_STEPS), difference)
}

fn orders(name: &str, left: &Convergence, rescaled: &Convergence) -> [Claim; 2] {
    let order = |what: &str, order: f64, study: &Convergence| {
        let what = format!("order of {name}, auxiliary variables {what}, steps 1 : 2");
        Claim::new(what, "1", Expected::Order { order, tolerance: 0.1 }, study.last_order())
    };
    [order("left as they are", 1.0, left), order("rescaled", 2.0, rescaled)]
}

/// State of a single-step scheme: y, ẏ and w¹, w², …
struct Auxiliaries {
    y: Point,
    rate: Point,
    w: Vec<[Complex<f64>; 2]>,
    last: Option<f64>,
}

fn rate(y: Point, t: f64) -> Point {
    [y[1], acceleration(y, t)]
}

impl Auxiliaries {
    fn new(r: usize) -> Self {
        let rate = rate(oscillator::START, 0.0);
        Self { y: oscillator::START, rate, w: vec![rate.map(Complex::from); r - 1], last: None }
    }

    fn step(mut self, weights: &SingleStep, t: f64, h: f64, rescales: bool) -> Self {
        let ratio = if rescales { self.last.map_or(1.0, |last| h / last) } else { 1.0 };
        for w in &mut self.w {
            *w = [0, 1].map(|k| self.rate[k] + (w[k] - self.rate[k]) * ratio);
        }
        let known = [0, 1].map(|k| {
            let auxiliary: Complex<f64> = self.w.iter().zip(&weights.b).map(|(w, b)| b * w[k]).sum();
            self.y[k] + h * (weights.b_old * self.rate[k] + auxiliary.re)
        });
        let mut new_rate = self.rate;
        for _ in 0..ITERATIONS {
            let y = [0, 1].map(|k| known[k] + h * weights.b_new * new_rate[k]);
            new_rate = rate(y, t + h);
        }
        let y = [0, 1].map(|k| known[k] + h * weights.b_new * new_rate[k]);
        let (mut old_below, mut new_below) = (self.rate.map(Complex::from), new_rate.map(Complex::from));
        for (j, w) in self.w.iter_mut().enumerate() {
            let (c, d, e) = (weights.c[j], weights.d[j], weights.e[j]);
            let new = [0, 1].map(|k| c * w[k] + d * new_below[k] + e * old_below[k]);
            (old_below, new_below) = (std::mem::replace(w, new), new);
        }
        Self { y, rate: new_rate, last: Some(h), ..self }
    }
}

/// Of `y_k = Σ α_j y_{k−j} + h Σ β_j ẏ_{k−j}` over a motion of equal steps.
fn deviation_from_recursion(r: usize, weights: &SingleStep) -> Result<f64, StepError> {
    let multistep = table("LMS", tables::lms(r, RHO))?;
    let h = 0.05;
    let mut state = Auxiliaries::new(r);
    let mut history = vec![(state.y, state.rate)];
    for k in 0..40 {
        state = state.step(weights, h * f64::from(k), h, true);
        history.push((state.y, state.rate));
    }
    let deviations = history.windows(r + 1).flat_map(|points| {
        // The newest point is the last.
        let at = |j: usize| points[r - j];
        [0, 1].map(|k| {
            let past: f64 = (1..=r).map(|j| multistep.alpha[j - 1] * at(j).0[k]).sum();
            let rates: f64 = (0..=r).map(|j| multistep.beta[j] * at(j).1[k]).sum();
            (at(0).0[k] - past - h * rates).abs()
        })
    });
    Ok(most(deviations))
}

/// State of generalized-α: a is that of the equations of motion, A the one in Newmark's formulas.
struct Accelerations {
    point: Point,
    a: f64,
    auxiliary: f64,
    last: Option<f64>,
}

impl Accelerations {
    fn new() -> Self {
        let a = acceleration(oscillator::START, 0.0);
        Self { point: oscillator::START, a, auxiliary: a, last: None }
    }

    fn step(self, family: &NewmarkFamily, t: f64, h: f64, rescales: bool) -> Self {
        let NewmarkFamily { beta, gamma, alpha_m, alpha_f } = *family;
        let ratio = if rescales { self.last.map_or(1.0, |last| h / last) } else { 1.0 };
        let (old, [q, v]) = (self.a + ratio * (self.auxiliary - self.a), self.point);
        let mut a = self.a;
        let mut next = (self.point, old);
        for _ in 0..ITERATIONS {
            let new = ((1.0 - alpha_f) * a + alpha_f * self.a - alpha_m * old) / (1.0 - alpha_m);
            let point =
                [q + h * v + h * h * ((0.5 - beta) * old + beta * new), v + h * ((1.0 - gamma) * old + gamma * new)];
            a = acceleration(point, t + h);
            next = (point, new);
        }
        Self { point: next.0, a, auxiliary: next.1, last: Some(h) }
    }
}
