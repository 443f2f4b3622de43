//! Equations of the flexible slider-crank as printed, beside the model that the compiler derives.
//! [rezaei, Eqs. 144, 149, 152, 169]
//!
//! Everything is judged in closed form with the rod straight, where its nodes weigh ∫ρS and lie at ∫ρ x S.

use hamel::Model;
use hamel::scheme::StepError;
use hamel_models::FlexibleSliderCrank;
use hamel_models::flexible_slider_crank::FlexibleSliderCrankParameters;
use hamel_report::{Claim, Expected, Proof, Report};

use super::mass_matrix;

const GRAVITY: f64 = 9.81;
const ELEMENTS: f64 = 20.0;

pub(in crate::rezaei) fn run() -> Result<Report, StepError> {
    let parameters = FlexibleSliderCrankParameters::default();
    let FlexibleSliderCrankParameters { l1, l2, m1, m2, m3, j1, .. } = parameters;
    let model = FlexibleSliderCrank::new(parameters);
    let info = model.describe();
    let n = info.velocities.len();
    let (theta1, theta2) = (0.7_f64, -0.4_f64);
    let mut q = vec![0.0; n];
    (q[0], q[1]) = (theta1, theta2);
    let mass = mass_matrix(&model, &q);
    // h of rates of crank and rod: what the printed Q_v is the negative of.
    let bias = |rates: [f64; 2]| {
        let (mut v, mut h) = (vec![0.0; n], vec![0.0; n]);
        v[..2].copy_from_slice(&rates);
        model.bias_force(&q, &v, &mut h);
        h
    };
    let weight = {
        let mut f = vec![0.0; n];
        model.applied_force(0.0, &q, &vec![0.0; n], &mut f);
        f[0] - bias([0.0, 0.0])[0]
    };

    let tip = (m2 + m3) * l1 * l1;
    let coupling = l1 * l2 * (0.5 * m2 + m3) * (theta1 - theta2).sin();
    // The last node has half an element, whose ∫ρ x S_x is μ l (x/2 − l/6), and the slider.
    let element = l2 / ELEMENTS;
    let pull = m2 / l2 * element * (0.5 * l2 - element / 6.0) + m3 * l2;
    let last = info.velocities.iter().position(|channel| channel.name == "rod[20].x").unwrap_or_default();
    let theory = |value: f64| Expected::Theory { value, tolerance: 1e-14 * value.abs() };
    let claims = vec![
        Claim::new("M of the crank's angle", "kg m^2", theory(j1 + 0.25 * m1 * l1 * l1 + tip), mass[(0, 0)]).refutes(
            format!("J₁ + ½ m₁ l₁² in I₁ of Eq. 144, with which it is {:.4e}", j1 + 0.5 * m1 * l1 * l1 + tip), Proof::Algebra,
            "The centre of the crank is at l₁/2, and its inertia about the axle is J₁ + m₁ (l₁/2)².",
        ),
        Claim::new("Q_v of the rod's angle by ω₁²", "N m s^2", theory(coupling), -bias([1.0, 0.0])[1]).refutes(
            format!("l₁ (cos θ₁, sin θ₁) in Eq. 149, with which it is {:.4e}", -coupling), Proof::Algebra,
            "The derivative of l₁ (−sin θ₁, cos θ₁) is −l₁ (cos θ₁, sin θ₁).",
        ),
        Claim::new("Q_v along the rod at its last node by ω₂²", "N s^2", theory(pull), -bias([0.0, 1.0])[last]).refutes(
            "(I₃ + S_ff) q_f in the last row of Eq. 152, which is zero for a straight rod", Proof::Algebra,
            "The derivative of ½ ω₂² (I₂ + 2 I₃ q_f + q_fᵀ S_ff q_f) is ω₂² (I₃ᵀ + S_ff q_f): a turning rod is stretched.",
        ),
        Claim::new(
            "weight on the crank's angle",
            "N m",
            theory(-GRAVITY * l1 * theta1.cos() * (0.5 * m1 + m2 + m3)),
            weight,
        )
        .refutes("−m g l/2 sin θ₁ in Eq. 169, without indices", Proof::Algebra, "The arm of the crank's weight is (l₁/2) cos θ₁."),
    ];
    let notes = vec![
        "The flexible model is held to finite differences of its kinetic energy by the tests of the models.".into(),
    ];
    Ok(Report { claims, notes, ..Report::default() })
}
