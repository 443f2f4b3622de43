//! One step of schemes as their sources print them, worked out by hand in fractions.

use crate::common::{LinearOscillator, vector};
use hamel::schemes::{Corrections, Form, ModifiedEuler, NewmarkPredictorCorrector, RungeKuttaLike};
use hamel::{Scheme, State, StepError, schemes};
use nalgebra::DVector;

/// `ẍ = −x` from x = ẋ = 1 over this time: x, ẋ and ẍ.
fn step(scheme: &dyn Scheme, h: f64) -> [f64; 3] {
    let model = LinearOscillator { omega: 1.0, damping: 0.0, ends_at: f64::INFINITY };
    let one = || vector(&[1.0]);
    let initial = State { t: 0.0, q: one(), v: one(), a: vector(&[-1.0]), lambda: DVector::zeros(0) };
    let mut stepper = scheme.start(&model, initial).unwrap();
    stepper.step(h).unwrap();
    let State { q, v, a, .. } = stepper.state();
    [q[0], v[0], a[0]]
}

fn assert_step(scheme: &dyn Scheme, h: f64, x: f64, v: f64) {
    let [found_x, found_v, found_a] = step(scheme, h);
    let name = scheme.name();
    assert!((found_x - x).abs() < 1e-15, "{name}: x = {found_x} instead of {x}");
    assert!((found_v - v).abs() < 1e-15, "{name}: ẋ = {found_v} instead of {v}");
    assert!((found_a + x).abs() < 1e-14, "{name}: ẍ = {found_a} instead of {}", -x);
}

/// `ẋ₁ = ẋ + h f`, `x₁ = x + h ẋ₁`. [simo, Sect. 4.1]
#[test]
fn modified_euler() {
    assert_step(&ModifiedEuler, 0.5, 5.0 / 4.0, 1.0 / 2.0);
}

/// Δx₁ = h ẋ + ¼ h² f = 7/16 and f' = −23/16. As printed Δx₂ = h (x + 5/12 Δx₁) + ⅓ h² f' = 181/384, corrected
/// h (ẋ + 5/12 Δẋ₁) + ⅓ h² f' = 53/192; the new position is x + ½ (Δx₁ + Δx₂), the new velocity ẋ + ½ h (f + f').
/// [simo, Sect. 4.2]
#[test]
fn runge_kutta_like() {
    assert_step(&RungeKuttaLike { form: Form::Printed }, 0.5, 1117.0 / 768.0, 25.0 / 64.0);
    assert_step(&RungeKuttaLike { form: Form::Corrected }, 0.5, 521.0 / 384.0, 25.0 / 64.0);
}

/// Predicted are ẋ = ½ and x = 5/4; with β = 1/6 each correction takes f = −x of the last one to
/// x = 17/12 + f/24, ẋ = ¾ + f/4, which ends at x = 34/25. [simo, Sect. 4.3]
#[test]
fn newmark_as_predictor_and_corrector() {
    let scheme = |corrections| NewmarkPredictorCorrector { beta: 1.0 / 6.0, gamma: 0.5, corrections };
    assert_step(&scheme(Corrections::Fixed(1)), 0.5, 131.0 / 96.0, 7.0 / 16.0);
    assert_step(&scheme(Corrections::Fixed(2)), 0.5, 3133.0 / 2304.0, 157.0 / 384.0);
    assert_step(&scheme(Corrections::Tolerance(1e-16)), 0.5, 34.0 / 25.0, 41.0 / 100.0);
}

#[test]
fn tolerances_that_end_no_iteration_are_refused() {
    let model = LinearOscillator { omega: 1.0, damping: 0.0, ends_at: f64::INFINITY };
    for tolerance in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let corrections = Corrections::Tolerance(tolerance);
        let scheme = NewmarkPredictorCorrector { corrections, ..NewmarkPredictorCorrector::default() };
        let refused = scheme.start(&model, model.initial()).map(|_| ());
        assert!(matches!(refused, Err(StepError::BadParameter { .. })), "{tolerance}");
    }
}

/// The trapezoidal rule over two seconds, `x₁ = 2 + ẋ₁`, `ẋ₁ = −x₁`. [zhang, Sect. 2]
#[test]
fn trapezoidal_rule() {
    assert_step(&*schemes::by_name("trapezoidal", &[]).unwrap(), 2.0, 1.0, -1.0);
}

/// The trapezoidal rule over half of two seconds leads to x = 7/5, ẋ = −1/5; then `y₁ = y₀ + h/3 (ẏ₀ + ẏ_½ + ẏ₁)`, which
/// is the backward difference over three points. [rezaei, Eqs. 58-67]
#[test]
fn bathe() {
    assert_step(&*schemes::by_name("bathe", &[]).unwrap(), 2.0, 51.0 / 65.0, -73.0 / 65.0);
}
