//! Bodies that move in their own axes, with angles for their attitude: free flight is known exactly.

use std::f64::consts::FRAC_PI_2;

use crate::common::Craft;
use hamel::{Scheme, Simulation, StepError, schemes};
use nalgebra::{Rotation3, Vector3};

const VELOCITY: [f64; 3] = [1.0, 0.5, -0.2];
const TURN: [f64; 3] = [0.3, 0.5, -0.4];

/// The schemes that are defined for such bodies: printed formulas that add coordinates are not.
fn defined() -> Vec<Box<dyn Scheme>> {
    let mut schemes = schemes::all();
    schemes.retain(|scheme| {
        let started = scheme.start(&Craft::BALL, Craft::BALL.initial(VELOCITY, TURN));
        !matches!(started, Err(StepError::Undefined { .. }))
    });
    assert!(schemes.len() > 25);
    schemes
}

/// Distance from the straight line, and from the rotation about an axis that stays, after a second by steps of h.
fn errors(scheme: &dyn Scheme, h: f64) -> [f64; 2] {
    let run = Simulation::new(&Craft::BALL, scheme)
        .step(h)
        .until(1.0)
        .record_every(1_000_000)
        .run(Craft::BALL.initial(VELOCITY, TURN));
    run.outcome.unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
    let row = run.trajectory.rows().next_back().unwrap();
    let mut state = Craft::BALL.initial(VELOCITY, TURN);
    state.q.copy_from_slice(&row[1..7]);
    let exact = Rotation3::new(Vector3::from(TURN)).into_inner();
    let position = Vector3::from_column_slice(&row[1..4]);
    [(position - Vector3::from(VELOCITY)).norm(), (Craft::attitude(&state) - exact).norm()]
}

#[test]
fn free_flight_is_a_straight_line_and_a_steady_turn() {
    for scheme in defined() {
        let h = 0.02_f64;
        let bound = 2.0 * h.powi(scheme.order() as i32) + 1e-9;
        let errors = errors(&*scheme, h);
        assert!(errors.into_iter().all(|error| error < bound), "{}: {errors:?}, not below {bound:e}", scheme.name());
    }
}

/// The pitch passes 90° after π/2 seconds; just before, and at another pitch, nothing is wrong.
#[test]
fn angles_are_followed_up_to_where_they_are_singular() {
    for scheme in defined() {
        let start = || Craft::BALL.initial([0.0; 3], [0.0, 1.0, 0.0]);
        let run = Simulation::new(&Craft::BALL, &*scheme).step(0.01).until(2.0).run(start());
        let Err(StepError::SingularAngle { t, coordinate, angle }) = run.outcome else {
            panic!("{}: {:?}", scheme.name(), run.outcome)
        };
        assert_eq!(coordinate, "theta", "{}", scheme.name());
        assert!((t - FRAC_PI_2).abs() < 0.08 && (angle - t).abs() < 0.02, "{}: {angle} at {t}", scheme.name());
        assert_eq!(run.trajectory.times().next_back(), Some(t), "{}", scheme.name());

        let run = Simulation::new(&Craft::BALL, &*scheme).step(0.01).until(1.5).run(start());
        assert!(run.outcome.is_ok(), "{}: {:?}", scheme.name(), run.outcome);
        let roll = Craft::BALL.initial([0.0; 3], [1.0, 0.0, 0.0]);
        assert!(
            Simulation::new(&Craft::BALL, &*scheme).step(0.01).until(2.0).run(roll).outcome.is_ok(),
            "{}",
            scheme.name()
        );
    }
}
