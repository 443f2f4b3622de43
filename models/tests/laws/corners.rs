//! What has no value or no derivative somewhere: nothing is lost where the product has one, and else the error says which
//! expression of which item it is.

use hamel::{Model, State, StepError, explain_not_finite, initial_state, schemes};
use hamel_macros::multibody;

multibody! {
    /// A ball at rest in still air, with drag along its velocity, that a spring begins to pull.
    model Still {
        planar;
        coordinates joint;
        param c = 0.5 N s^2/m^2;
        body ball { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint fly: free(ground, ball);
        force drag: -c * norm(ball.velocity) * ball.velocity on ball;
        force s: spring(ground at [1, 0] m, ball) { stiffness: 4 N/m }
    }
}

multibody! {
    /// Dry friction against the direction of the velocity, which nothing has at rest.
    model Dry {
        planar;
        coordinates joint;
        param c = 0.5 N;
        body ball { mass: 1 kg, inertia: 0 }
        joint rail: prismatic(ground, ball) { coordinate: x }
        let speed = norm(ball.velocity);
        force rub[0]: -c * ball.velocity / speed on ball;
        initial rail.velocity = 0;
    }
}

multibody! {
    /// Conditions that no motion has together.
    model Torn {
        planar;
        coordinates joint;
        body rod { mass: 1 kg, inertia: 1 kg m^2 }
        joint hinge: revolute(ground, rod);
        initial hinge.angle = 30 deg;
        initial sin(hinge.angle) = -0.5;
        initial hinge.velocity = 1 rad/s;
    }
}

#[test]
fn drag_at_rest_stops_no_scheme() {
    let model = Still::default();
    // What one paper prints is no scheme of any order.
    for scheme in schemes::all().into_iter().filter(|scheme| !scheme.name().contains("as printed")) {
        let mut stepper = scheme.start(&model, initial_state(&model).unwrap()).unwrap();
        for _ in 0..100 {
            stepper.step(1e-3).unwrap_or_else(|error| panic!("{}: {error}", scheme.name()));
        }
        // x = 1 − cos 2t, but for a drag that is of the fourth order in time.
        let x = stepper.state().q[0];
        assert!((x - (1.0 - 0.2_f64.cos())).abs() < 5e-4, "{}: {x}", scheme.name());
    }
}

#[test]
fn the_expression_is_named_with_its_place_and_the_values() {
    let model = Dry::default();
    let Err(StepError::Inconsistent { reason, .. }) = initial_state(&model) else { panic!("it starts") };
    for part in
        ["along `x`", "`-c * ball.velocity / speed` in force `rub[0]`", "`norm(ball.velocity)` in let `speed`", "x = 0"]
    {
        assert!(reason.contains(part), "{reason}");
    }
    let mut state = State::zeros(model.dims());
    state.v[0] = 1.0;
    assert_eq!(explain_not_finite(&model, &state), None);
}

#[test]
fn conditions_in_conflict_are_named_by_their_text() {
    let error = initial_state(&Torn::default()).unwrap_err().to_string();
    assert!(
        error.contains("`initial sin(hinge.angle) = -0.5`") || error.contains("`initial hinge.angle = 30 deg`"),
        "{error}"
    );
    let torn = Torn::default();
    let (positions, velocities) = &torn.describe().initial_conditions;
    assert_eq!(*positions, ["hinge.angle = 30 deg", "sin(hinge.angle) = -0.5"]);
    assert_eq!(*velocities, ["hinge.velocity = 1 rad/s"]);
}
