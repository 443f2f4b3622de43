//! Formulas of the chapter as printed and as they must be meant, by their orders. [simo, Sects. 4.2, 4.3]
//!
//! In step (e) of the scheme like Runge and Kutta's the dots over x and Δx₁ are missing, in step (b) of the corrector a
//! bracket. The test that ends the corrections compares with the first of them instead of the last.

use hamel::scheme::StepError;
use hamel::schemes::{Corrections, Form, NewmarkPredictorCorrector, RungeKuttaLike};
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Proof, Report, Style, at_least, at_most};

use crate::convergence::{self, Convergence};
use crate::origins::TWENTY_STEPS;
use crate::oscillator::{self, Point, acceleration};

const TOLERANCE: f64 = 0.1;
const BETA: f64 = 0.25;
const GAMMA: f64 = 0.5;

/// Step (e) of the scheme like Runge and Kutta's.
pub(super) fn step_e() -> Result<Report, StepError> {
    // Δx₂ − ⅓ T² f' over T, from x, ẋ, Δx₁ and Δẋ₁.
    let forms: [(&str, fn(Point, Point) -> f64); 3] = [
        ("as printed", |[x, _], [dx, _]| x + 5.0 / 12.0 * dx),
        ("dot over x only", |[_, v], [dx, _]| v + 5.0 / 12.0 * dx),
        ("both dots", |[_, v], [_, dv]| v + 5.0 / 12.0 * dv),
    ];
    let studies = forms.map(|(_, form)| oscillator::study_points(like_runge_kutta(form)));
    let difference =
        |form: Form, k: usize| oscillator::difference(&RungeKuttaLike { form }, like_runge_kutta(forms[k].1));
    let named = [0, 1, 2].map(|k| (forms[k].0, &studies[k]));
    Ok(Report {
        claims: vec![
            order("step (e) as printed", 0.0, &studies[0]),
            order("step (e) with a dot over x only", 1.0, &studies[1]),
            order("step (e) with both dots", 2.0, &studies[2]).refutes(
                "Δx₂ = T (x + 5/12 Δx₁) + ⅓ T² f', a scheme of third order",
                Proof::Algebra,
                "Lengths and velocities are added. With the dots that are missing the scheme is of second order.",
            ),
            agreement("the scheme `runge_kutta_like_printed`", difference(Form::Printed, 0)?),
            agreement("the scheme `runge_kutta_like`", difference(Form::Corrected, 2)?),
        ],
        tables: vec![table(&named)],
        figures: vec![figure("Step (e), as printed and corrected", &named)],
        notes: Vec::new(),
    })
}

/// Step (b) of the corrector, and when corrections end.
pub(super) fn corrector() -> Result<Report, StepError> {
    // What (1 − γ) f_k and γ f become in the change of velocity.
    let forms: [(&str, fn(f64, f64, f64) -> f64); 2] =
        [("as printed", |h, old, new| h * old + new), ("with the bracket", |h, old, new| h * (old + new))];
    let studies = forms.map(|(_, form)| oscillator::study_points(predictor_corrector(form)));
    let named = [0, 1].map(|k| (forms[k].0, &studies[k]));
    let scheme = NewmarkPredictorCorrector { beta: BETA, gamma: GAMMA, corrections: Corrections::Fixed(CORRECTIONS) };

    let h = 0.1;
    let iterates = iterates(forms[1].1, oscillator::START, 0.0, h, 41);
    let to_last = |i: usize| oscillator::distance(iterates[i + 1], iterates[i]);
    let to_first = |i: usize| oscillator::distance(iterates[i + 1], iterates[1]);
    let tolerance = 1e-12;
    let needed = (0..40).find(|&i| to_last(i) < tolerance).map_or(f64::INFINITY, |i| i as f64 + 1.0);
    Ok(Report {
        claims: vec![
            order("step (b) as printed", 0.0, &studies[0]),
            order("step (b) with the bracket", 2.0, &studies[1]).refutes(
                "ẋ_k + T (1 − γ) f_k + γ f",
                Proof::Algebra,
                "An acceleration is added to a velocity. T belongs to both terms, T [(1 − γ) f_k + γ f].",
            ),
            agreement(
                "the scheme `newmark_predictor_corrector`",
                oscillator::difference(&scheme, predictor_corrector(forms[1].1))?,
            ),
            Claim::new(
                "corrections until x changes by less than 10⁻¹² m, h = 0.1 s",
                "1",
                at_most(10.0, Origin::Chosen("A few, where the criterion as printed needs more than forty.")),
                needed,
            ),
            Claim::new(
                "least |x⁽ⁱ⁺¹⁾ − x⁽¹⁾| over |x⁽²⁾ − x⁽¹⁾|, i = 1 … 39, h = 0.1 s",
                "1",
                at_least(0.9, Origin::Theory("what follows a correction is at most 0.05, 0.05², … of it")),
                (1..40).map(to_first).fold(f64::INFINITY, f64::min) / to_last(1),
            )
            .refutes(
                "until |x⁽ⁱ⁺¹⁾ − x⁽¹⁾| < ε",
                Proof::Algebra,
                "That difference does not vanish: it tends to what all corrections but the first have changed. The \
                 last two corrections must be meant.",
            ),
        ],
        tables: vec![table(&named)],
        figures: vec![figure("Step (b) of the corrector, as printed and corrected", &named)],
        notes: vec![format!("β = {BETA}, γ = {GAMMA}, {CORRECTIONS} corrections.")],
    })
}

/// Steps (a) to (g) with what stands in the bracket of (e).
fn like_runge_kutta(bracket: impl Fn(Point, Point) -> f64) -> impl Fn(Point, f64, f64) -> Point {
    move |[x, v], t, h| {
        let f = acceleration([x, v], t);
        let [dx, dv] = [h * v + 0.25 * h * h * f, h * f];
        let new = acceleration([x + dx, v + dv], t + h);
        let second = h * bracket([x, v], [dx, dv]) + h * h / 3.0 * new;
        [x + 0.5 * (dx + second), v + 0.5 * (dv + h * new)]
    }
}

const CORRECTIONS: u32 = 3;

/// The predicted point and the corrected ones after it.
fn iterates(weigh: impl Fn(f64, f64, f64) -> f64, [x, v]: Point, t: f64, h: f64, corrections: u32) -> Vec<Point> {
    let f = acceleration([x, v], t);
    let mut points = vec![[x + h * (v + h * f), v + h * f]];
    for i in 0..corrections as usize {
        let new = acceleration(points[i], t + h);
        let velocity = v + weigh(h, (1.0 - GAMMA) * f, GAMMA * new);
        points.push([x + h * v + h * h * ((0.5 - BETA) * f + BETA * new), velocity]);
    }
    points
}

fn predictor_corrector(weigh: impl Fn(f64, f64, f64) -> f64) -> impl Fn(Point, f64, f64) -> Point {
    move |point, t, h| {
        let points = iterates(&weigh, point, t, h, CORRECTIONS);
        points[points.len() - 1]
    }
}

fn order(what: &str, order: f64, study: &Convergence) -> Claim {
    let expected = Expected::Order { order, tolerance: TOLERANCE };
    Claim::new(format!("order of {what}"), "1", expected, study.last_order())
}

fn agreement(scheme: &str, difference: f64) -> Claim {
    Claim::new(format!("difference to {scheme} after 20 steps"), "1", at_most(2e-15, TWENTY_STEPS), difference)
}

fn table(studies: &[(&str, &Convergence)]) -> hamel_report::Table {
    convergence::table("orders", "Larger error of q and q̇ on the forced oscillator", ("error", "1"), studies)
}

fn figure(title: &str, studies: &[(&str, &Convergence)]) -> Figure {
    let curve = |(name, study): &(&str, &Convergence)| Curve::new(*name, Style::LineAndMarkers, study.points.clone());
    Figure {
        slug: "orders".into(),
        title: title.into(),
        caption: "Larger error of q and q̇ at the end of two seconds of the forced oscillator.".into(),
        x: Axis::log("step size h", "s"),
        y: Axis::log("error", "m, m/s"),
        curves: studies.iter().map(curve).collect(),
        slopes: Vec::new(),
    }
}
