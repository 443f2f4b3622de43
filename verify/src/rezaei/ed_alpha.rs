//! ED-α in terms of velocities, as printed and corrected. [rezaei, Eqs. 86, 87, 90]
//!
//! Eqs. 79-82 solved for the accelerations give c₇ and c₁₄ without the step size in the divisor that Eq. 90 prints, and
//! Eqs. 77, 78 have damping matrices that Eq. 86 leaves out. The coefficients are written down here once more; that they
//! are right when corrected is shown with the scheme, which takes its own from a tableau.

use hamel::scheme::StepError;
use hamel::schemes;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Proof, Report, Style, at_most};
use nalgebra::{Matrix2, Vector2};

use crate::convergence::{self, Convergence};
use crate::origins::TWENTY_STEPS;
use crate::oscillator::{self, Point, acceleration};

const ALPHA_AR: f64 = 1.0 / 6.0;
const RHO: f64 = 0.5;
/// Corrections of the implicit equations, each smaller than the last by a factor of the step size.
const ITERATIONS: u32 = 60;

/// c₁ to c₁₅ of Eq. 90; c₇ and c₁₄ with or without the factor that is missing.
#[derive(Clone, Copy)]
enum Form {
    Printed,
    Corrected,
}

pub(super) fn run() -> Result<Report, StepError> {
    let step = |form: Form, rho: f64| move |point, t, h| nonlinear_step(&coefficients(form, rho, h), point, t, h);
    let studies = [Form::Printed, Form::Corrected].map(|form| oscillator::study_points(step(form, RHO)));
    let damped = [false, true].map(damped_study);
    let scheme = |rho: f64| schemes::by_name("ed_alpha", &[("rho_infinity", rho)]);
    let order = |what: &str, order: f64, study: &Convergence| {
        Claim::new(format!("order {what}"), "1", Expected::Order { order, tolerance: 0.1 }, study.last_order())
    };
    let agreement = |what: &str, difference: f64| {
        let what = format!("difference to the scheme `ed_alpha` after 20 steps, {what}");
        Claim::new(what, "1", at_most(5e-15, TWENTY_STEPS), difference)
    };
    let named = [("Eq. 90 as printed", &studies[0]), ("Eq. 90 corrected", &studies[1])];
    let linear = [("Eq. 86 as printed", &damped[0]), ("Eq. 86 with C", &damped[1])];
    let error = ("error", "1");
    Ok(Report {
        claims: vec![
            order("with c₇ and c₁₄ as printed, ρ∞ = 0.5, forced oscillator", 0.0, &studies[0]),
            order("with c₇ = −c₁₄ = (1 − α)/(1 + α), ρ∞ = 0.5, forced oscillator", 2.0, &studies[1]).refutes(
                "c₇ = −c₁₄ = α_AR (1 − α)/(Δt α_AR (1 + α))",
                Proof::Algebra,
                "They multiply an acceleration and give one: the factor Δt is missing in the numerator.",
            ),
            agreement("corrected, ρ∞ = 0.5", oscillator::difference(&*scheme(RHO)?, step(Form::Corrected, RHO))?),
            agreement(
                "as printed, ρ∞ = 0, where both coefficients vanish",
                oscillator::difference(&*scheme(0.0)?, step(Form::Printed, 0.0))?,
            ),
            order("on a damped linear oscillator, Eq. 86 as printed", 0.0, &damped[0]),
            order("on a damped linear oscillator, C added on the diagonal of Eq. 86", 3.0, &damped[1]).refutes(
                "an effective matrix of M and K only",
                Proof::Algebra,
                "Eqs. 77 and 78 contain C, so that C_{i+1} belongs to the first block on the diagonal and C_j to the \
                 second. With them the scheme has the third order that the text claims for the linear problem.",
            ),
        ],
        tables: vec![
            convergence::table("eq_90", "Larger error of q and q̇, forced oscillator, ρ∞ = 0.5", error, &named),
            convergence::table("eq_86", "Larger error of q and q̇, damped linear oscillator, ρ∞ = 0.5", error, &linear),
        ],
        figures: vec![
            figure("eq_90", "Eq. 90, forced oscillator", &named),
            figure("eq_86", "Eq. 86, damped linear oscillator", &linear),
        ],
        notes: vec!["α_AR = 1/6. The state carries the acceleration of the equations of motion.".into()],
    })
}

/// c₁ to c₁₅ at the indices 1 to 15.
fn coefficients(form: Form, rho: f64, h: f64) -> [f64; 16] {
    let alpha = (1.0 - rho) / (1.0 + rho);
    let divisor = h * ALPHA_AR * (alpha + 1.0);
    let seventh = match form {
        Form::Printed => ALPHA_AR * (1.0 - alpha) / divisor,
        Form::Corrected => h * ALPHA_AR * (1.0 - alpha) / divisor,
    };
    [
        0.0,
        1.0,
        0.5 * h,
        0.5 * h,
        2.0 * ALPHA_AR * alpha / divisor,
        2.0 * (0.5 - ALPHA_AR * alpha) / divisor,
        -1.0 / divisor,
        seventh,
        -h * ALPHA_AR,
        1.0,
        h * ALPHA_AR * alpha,
        h * ALPHA_AR * (1.0 - alpha),
        1.0 / divisor,
        -2.0 * (0.5 + ALPHA_AR) / divisor,
        -seventh,
        2.0 * ALPHA_AR / divisor,
    ]
}

/// v_{i+1} and v_j whose accelerations by Eq. 90 are those of the forced oscillator.
fn nonlinear_step(c: &[f64; 16], [q, v]: Point, t: f64, h: f64) -> Point {
    let a = acceleration([q, v], t);
    let matrix = Matrix2::new(c[4], c[6], c[15], c[12]);
    let mut velocities = Vector2::new(v, v);
    let new_q = |[v_new, v_j]: [f64; 2]| c[1] * q + c[2] * v_j + c[3] * v_new;
    for _ in 0..ITERATIONS {
        let [v_new, v_j] = velocities.into();
        let q_j = c[8] * v_new + c[9] * q + c[10] * v_j + c[11] * v;
        let a_new = acceleration([new_q([v_new, v_j]), v_new], t + h);
        let a_j = acceleration([q_j, v_j], t);
        let rhs = Vector2::new(a_new - c[5] * v - c[7] * a, a_j - c[13] * v - c[14] * a);
        velocities = solve(matrix, rhs);
    }
    let [v_new, v_j] = velocities.into();
    [new_q([v_new, v_j]), v_new]
}

/// `q̈ + C q̇ + K q = 0` from q = 1 and q̇ = 0 over two seconds by Eqs. 85-87, whose matrix may or may not contain C.
fn damped_study(with_damping: bool) -> Convergence {
    let (damping, stiffness, duration): (f64, f64, f64) = (0.8, 4.0, 2.0);
    let decay = 0.5 * damping;
    let frequency = (stiffness - decay * decay).sqrt();
    let (sin, cos) = (frequency * duration).sin_cos();
    let envelope = (-decay * duration).exp();
    let exact = [envelope * (cos + decay / frequency * sin), -envelope * stiffness / frequency * sin];

    let step = |[q, v]: Point, h: f64| {
        let c = coefficients(Form::Corrected, RHO, h);
        let in_matrix = if with_damping { damping } else { 0.0 };
        let matrix = Matrix2::new(
            c[4] + c[3] * stiffness + in_matrix,
            c[6] + c[2] * stiffness,
            c[15] + c[8] * stiffness,
            c[12] + c[10] * stiffness + in_matrix,
        );
        let a = -damping * v - stiffness * q;
        let rhs = Vector2::new(
            -c[5] * v - c[7] * a - c[1] * stiffness * q,
            -c[13] * v - c[14] * a - c[9] * stiffness * q - c[11] * stiffness * v,
        );
        let [v_new, v_j] = solve(matrix, rhs).into();
        [c[1] * q + c[2] * v_j + c[3] * v_new, v_new]
    };
    let errors = [20_u32, 40, 80, 160, 320].map(|steps| {
        let h = duration / f64::from(steps);
        let end = (0..steps).fold([1.0, 0.0], |point, _| step(point, h));
        (h, oscillator::distance(end, exact))
    });
    Convergence::new(errors.to_vec())
}

/// Not a number where there is no solution.
fn solve(matrix: Matrix2<f64>, rhs: Vector2<f64>) -> Vector2<f64> {
    matrix.lu().solve(&rhs).unwrap_or(Vector2::repeat(f64::NAN))
}

fn figure(slug: &str, title: &str, studies: &[(&str, &Convergence)]) -> Figure {
    let curve = |(name, study): &(&str, &Convergence)| Curve::new(*name, Style::LineAndMarkers, study.points.clone());
    Figure {
        slug: slug.into(),
        title: title.into(),
        caption: "Larger error of q and q̇ after two seconds.".into(),
        x: Axis::log("step size Δt", "s"),
        y: Axis::log("error", "m, m/s"),
        curves: studies.iter().map(curve).collect(),
        slopes: Vec::new(),
    }
}
