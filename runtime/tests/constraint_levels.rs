//! Constraints on positions, on velocities and on accelerations: which scheme imposes them where, with which orders and
//! which drift.

use crate::common::Pendulum;
use crate::common::refinement::{Refinement, assert_near};
use hamel::newton::Tolerance;
use hamel::schemes;
use hamel::{ConstraintLevel, Drift, Options, StepError};
use nalgebra::DVector;

/// A start with constraints on the given level.
fn on(constraint_level: ConstraintLevel, drift: Drift) -> Options {
    // What a loose tolerance leaves adds up where nothing corrects the drift.
    let tolerance = Tolerance { relative: 1e-15, ..Tolerance::default() };
    Options { constraint_level: Some(constraint_level), drift, tolerance, ..Options::default() }
}

#[test]
fn every_scheme_has_its_orders_on_the_pendulum_with_a_constraint() {
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        let levels = [
            (ConstraintLevel::Velocity, Drift::Kept, entry.index_2),
            (ConstraintLevel::Velocity, Drift::Removed, entry.index_2),
            (ConstraintLevel::Position, Drift::Removed, entry.index_3),
            // An ordinary differential equation.
            (ConstraintLevel::Acceleration, Drift::Kept, Some([scheme.order(); 3])),
            (ConstraintLevel::Acceleration, Drift::Removed, Some([scheme.order(); 3])),
        ];
        for (level, drift, orders) in levels {
            let Some(orders) = orders else { continue };
            let mut errors = [vec![], vec![], vec![]];
            let is_ordinary = level == ConstraintLevel::Acceleration;
            let first = if is_ordinary { 40 } else { 160 };
            for steps in [1, 2, 4, 8, 16].map(|k| k * first) {
                let mut stepper = match scheme.start_with(&Pendulum, Pendulum::initial(), &on(level, drift)) {
                    Err(StepError::Undefined { .. }) if is_ordinary => break,
                    stepper => stepper.unwrap(),
                };
                for _ in 0..steps {
                    stepper.step(1.0 / f64::from(steps)).unwrap();
                }
                let end = stepper.state();
                if drift == Drift::Removed {
                    let gap = 0.5 * (end.q.norm_squared() - 1.0);
                    assert!(gap.abs() < 1e-14, "{}: the constraint drifts by {gap:e}", scheme.name());
                }
                // Alone, the impulse of Moreau's rule obeys the constraint of the midpoint.
                if level == ConstraintLevel::Velocity && (drift == Drift::Removed || entry.name != "moreau") {
                    let rate = end.q.dot(&end.v);
                    assert!(rate.abs() < 1e-13, "{}: the rate of the constraint is {rate:e}", scheme.name());
                }
                errors[0].push((&end.q - DVector::from_column_slice(&Pendulum::END_Q)).norm());
                errors[1].push((&end.v - DVector::from_column_slice(&Pendulum::END_V)).norm());
                errors[2].push((end.lambda[0] - Pendulum::END_LAMBDA).abs());
            }
            // Multipliers of constraints on positions lose two orders of the step size to rounding.
            if errors[0].is_empty() {
                continue;
            }
            let rounding = if is_ordinary { [1e-13; 3] } else { [1e-13, 1e-12, 2e-9] };
            let places = ["coordinates", "velocities", "multiplier"].into_iter().zip(rounding);
            for (((what, rounding), errors), expected) in places.zip(errors).zip(orders) {
                let measured = Refinement { errors, rounding }.order();
                let tolerance = match entry.name {
                    // It shows 2.87 of 3 in its velocities with a constraint on these.
                    "mssth4" => 0.13,
                    // Its errors are rounding before they are in their asymptotic range: 5.16, and with drift removed
                    // 4.18 in a multiplier that is fifty times as accurate as without.
                    "mssth5_published" if is_ordinary && what == "multiplier" => 0.9,
                    "mssth5_published" if is_ordinary => 0.2,
                    _ => 0.1,
                };
                let what = format!("{}, {level:?}, drift {drift:?}: {what}", scheme.name());
                assert_near(measured, f64::from(expected), tolerance, &what);
            }
        }
    }
}

/// With constraints on positions the accelerations of a scheme are no better than its multipliers; those that follow from
/// its coordinates and velocities, at the price of one solution, are as good as these.
#[test]
fn accelerations_that_follow_from_a_state_have_the_order_of_its_velocities() {
    let end = DVector::from_column_slice(&Pendulum::END_Q);
    let exact = DVector::from_column_slice(&[0.0, -Pendulum::GRAVITY]) + &end * Pendulum::END_LAMBDA;
    for entry in schemes::entries() {
        let Some([q, v, lambda]) = entry.index_3 else { continue };
        let scheme = entry.scheme(&[]).unwrap();
        let (mut own, mut followed) = (Vec::new(), Vec::new());
        for steps in [160, 320, 640, 1280] {
            let mut stepper = scheme
                .start_with(&Pendulum, Pendulum::initial(), &on(ConstraintLevel::Position, Drift::Removed))
                .unwrap();
            for _ in 0..steps {
                stepper.step(1.0 / f64::from(steps)).unwrap();
            }
            let mut state = stepper.state().clone();
            own.push((&state.a - &exact).norm());
            hamel::consistent_acceleration(&Pendulum, &mut state).unwrap();
            followed.push((&state.a - &exact).norm() + (state.lambda[0] - Pendulum::END_LAMBDA).abs());
        }
        let measured = Refinement { errors: own, rounding: 2e-9 }.order();
        assert!(measured < f64::from(lambda) + 0.3, "{}: its own accelerations are of order {measured}", scheme.name());
        let measured = Refinement { errors: followed, rounding: 1e-11 }.order();
        assert!(measured > f64::from(q.min(v)) - 0.15, "{}: {measured} instead of {}", scheme.name(), q.min(v));
    }
}

#[test]
fn schemes_without_meaning_for_a_model_say_so_before_the_first_step() {
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        let is_explicit = entry.index_2.is_none();
        let start = |level| scheme.start_with(&Pendulum, Pendulum::initial(), &on(level, Drift::Removed)).err();
        if is_explicit {
            assert!(matches!(start(ConstraintLevel::Velocity), Some(StepError::Undefined { .. })), "{}", entry.name);
        }
        if is_explicit || ["moreau", "half_explicit"].contains(&entry.name) {
            assert!(matches!(start(ConstraintLevel::Position), Some(StepError::Undefined { .. })), "{}", entry.name);
        } else {
            assert!(scheme.start(&Pendulum, Pendulum::initial()).is_ok(), "{}", entry.name);
        }
    }
}
