//! One step of the modified scheme, which has a closed form. [sherif, Eqs. 41, 42]
//!
//! ω = ω' + c h + c h γ α (1 − e₀), with γ = ½ − α and e₀ = 1 − ω'²h²/8 − c ω' h³/8 + O(h⁴), c = Mₓ/Iₓ.

use hamel::scheme::StepError;
use hamel_report::number::exact_digits;
use hamel_report::{Cell, Claim, Column, Expected, Origin, Report, Table, at_most};

use super::{ALPHAS, Rotor};
use crate::convergence::largest;
use crate::sherif::schemes::modified;

/// Angular velocity before the step, rad/s.
const SPEED: f64 = 20.0;
/// Step sizes, s; the last turns the body by a third of a radian.
const STEPS: [f64; 4] = [1e-4, 1e-3, 5e-3, 1.5e-2];

/// One step and its closed form.
struct Step {
    alpha: f64,
    h: f64,
    speed: f64,
    closed_form: f64,
    exact: f64,
    e0: f64,
    e0_series: f64,
}

pub(super) fn run() -> Result<Report, StepError> {
    let rotor = Rotor::new(SPEED)?;
    let mut steps = Vec::new();
    for alpha in ALPHAS {
        for h in STEPS {
            steps.push(step(&rotor, alpha, h)?);
        }
    }
    Ok(Report {
        claims: claims(&steps, rotor.acceleration),
        tables: vec![table(&steps)],
        notes: vec![format!(
            "Steps from ω' = {SPEED} rad/s under c = M/I = {:.4} rad/s². Eq. 42 holds for any step size, not as a series.",
            rotor.acceleration
        )],
        ..Report::default()
    })
}

fn step(rotor: &Rotor, alpha: f64, h: f64) -> Result<Step, StepError> {
    let state = rotor.step(&*modified(alpha)?, h)?;
    let (c, gamma, e0) = (rotor.acceleration, 0.5 - alpha, rotor.first_euler_parameter(&state));
    Ok(Step {
        alpha,
        h,
        speed: rotor.speed(&state),
        closed_form: SPEED + c * h + c * h * gamma * alpha * (1.0 - e0),
        exact: SPEED + c * h,
        e0,
        e0_series: 1.0 - (SPEED * h).powi(2) / 8.0 - c * SPEED * h.powi(3) / 8.0,
    })
}

fn claims(steps: &[Step], c: f64) -> Vec<Claim> {
    let worst = |deviation: &dyn Fn(&Step) -> f64| largest(steps.iter().map(deviation));
    let undamped = |step: &Step| if step.alpha == 0.0 { step.speed - step.exact } else { 0.0 };
    let zero = |tolerance| Expected::Theory { value: 0.0, tolerance };
    // The next term of the series, from the exact rotation: both hold the angle to O(h⁴).
    let h = STEPS[1];
    let remainder = worst(&|step: &Step| if step.h == h { step.e0 - step.e0_series } else { 0.0 });
    vec![
        Claim::new(
            "angular velocity, largest deviation from Eq. 42 over α and h",
            "rad/s",
            zero(5e-14),
            worst(&|step| step.speed - step.closed_form),
        ),
        Claim::new(
            "angular velocity for α = 0, largest deviation from the exact ω' + c h",
            "rad/s",
            zero(5e-14),
            worst(&undamped),
        ),
        Claim::new(
            "e₀ at h = 10⁻³ s, largest deviation from Eq. 41 over α",
            "1",
            at_most((SPEED * h).powi(4) + (c * h * h).powi(2), Origin::Theory("the next terms of the series")),
            remainder,
        ),
    ]
}

fn table(steps: &[Step]) -> Table {
    let rows = steps.iter().map(|step| {
        vec![
            Cell::number(step.alpha, exact_digits(step.alpha, 3)),
            Cell::number(step.h, exact_digits(step.h, 3)),
            Cell::number(step.speed, 12),
            Cell::number(step.speed - step.closed_form, 2),
            Cell::number(step.speed - step.exact, 3),
        ]
    });
    Table {
        slug: "steps".into(),
        title: "Angular velocity after one step of the modified scheme".into(),
        columns: vec![
            Column::new("α", "1"),
            Column::new("h", "s"),
            Column::new("ω", "rad/s"),
            Column::new("ω − Eq. 42", "rad/s"),
            Column::new("ω − exact", "rad/s"),
        ],
        rows: rows.collect(),
    }
}
