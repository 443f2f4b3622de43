//! What every scheme must do: the orders that were measured, the digits that were recorded, the formulas in print.

mod common;

use common::{Chain, FreeBody, HeavyTop, Oscillator, Pendulum, Rotor};
use hamel::schemes::{self, GeneralizedAlpha, Hht, ModifiedHht, Newmark, RungeKutta, Weighting};
use hamel::{Model, Scheme, State, StepError};
use nalgebra::DVector;

/// The state after `steps` equal steps over `duration`.
fn integrate(model: &dyn Model, scheme: &dyn Scheme, initial: State, duration: f64, steps: usize) -> State {
    let mut stepper = scheme.start(model, initial).expect("the scheme is defined for the model");
    for step in 0..steps {
        if let Err(error) = stepper.step(duration / steps as f64) {
            panic!("step {step}: {error}");
        }
    }
    stepper.state().clone()
}

/// log₂ of the ratio of errors when the number of steps is doubled.
fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} instead of {expected} ± {tolerance}");
}

const MODIFIED_PRINTED: ModifiedHht = ModifiedHht { alpha: -0.2, weighting: Weighting::Printed };
const MODIFIED_BODY: ModifiedHht = ModifiedHht { alpha: -0.2, weighting: Weighting::BodyFrame };

#[test]
fn every_scheme_has_its_order_on_the_oscillator() {
    for scheme in schemes::all() {
        let errors = [80, 160].map(|steps| {
            let end = integrate(&Oscillator, &*scheme, Oscillator::initial(), 2.0, steps);
            assert_near(end.t, 2.0, 1e-12, "time");
            [end.q[0] - Oscillator::END[0], end.v[0] - Oscillator::END[1]].map(f64::abs)
        });
        for (what, index) in [("coordinate", 0), ("velocity", 1)] {
            let measured = order(errors[0][index], errors[1][index]);
            assert_near(measured, f64::from(scheme.order()), 0.1, &format!("{}: {what}", scheme.name()));
        }
    }
}

#[test]
fn damped_newmark_is_of_first_order() {
    let scheme = Newmark { beta: 0.3025, gamma: 0.6 };
    let error =
        |steps| (integrate(&Oscillator, &scheme, Oscillator::initial(), 2.0, steps).q[0] - Oscillator::END[0]).abs();
    assert_near(order(error(160), error(320)), f64::from(scheme.order()), 0.05, "order");
}

#[test]
fn oscillator_after_twenty_steps_has_the_recorded_digits() {
    let cases: [(&dyn Scheme, [f64; 2]); 7] = [
        (&Newmark { beta: 0.25, gamma: 0.5 }, [0.4853318761196894, -0.552803525478177]),
        (&Newmark { beta: 0.3025, gamma: 0.6 }, [0.4826847150136335, -0.5533939661000873]),
        (&Hht { alpha: -0.1 }, [0.4852851293572258, -0.552627005205984]),
        (&Hht { alpha: -0.3 }, [0.485227877071701, -0.5525025856690244]),
        (&GeneralizedAlpha { rho_infinity: 0.0 }, [0.4841568255099196, -0.5505912535562669]),
        (&GeneralizedAlpha { rho_infinity: 0.6 }, [0.4852725156230986, -0.5526360515355205]),
        (&GeneralizedAlpha { rho_infinity: 0.8 }, [0.4853208553502861, -0.5527694205478529]),
    ];
    for (scheme, [q, v]) in cases {
        let end = integrate(&Oscillator, scheme, Oscillator::initial(), 2.0, 20);
        assert_near(end.q[0], q, 1e-12, &scheme.name());
        assert_near(end.v[0], v, 1e-12, &scheme.name());
    }
}

#[test]
fn every_scheme_has_its_order_on_the_pendulum_with_a_constraint() {
    for scheme in schemes::all() {
        let errors = [160, 320].map(|steps| {
            let end = integrate(&Pendulum, &*scheme, Pendulum::initial(), 1.0, steps);
            let gap = 0.5 * (end.q.norm_squared() - 1.0);
            assert!(gap.abs() < 1e-14, "{}: the constraint drifts by {gap:e}", scheme.name());
            let q = (end.q - DVector::from_column_slice(&Pendulum::END_Q)).norm();
            let v = (end.v - DVector::from_column_slice(&Pendulum::END_V)).norm();
            [q, v, (end.lambda[0] - Pendulum::END_LAMBDA).abs()]
        });
        let expected = f64::from(scheme.order());
        for (what, index) in [("coordinates", 0), ("velocities", 1), ("multiplier", 2)] {
            // The trapezoidal rule lets the multiplier oscillate with an amplitude that does not shrink.
            let expected = if index == 2 && scheme.name().starts_with("Newmark") { 0.0 } else { expected };
            let measured = order(errors[0][index], errors[1][index]);
            assert_near(measured, expected, 0.15, &format!("{}: {what}", scheme.name()));
        }
    }
}

#[test]
fn generalized_alpha_keeps_its_order_when_the_step_changes() {
    // Steps in the ratio 1 : 2 in turn.
    let error = |pairs: usize| {
        let scheme = GeneralizedAlpha { rho_infinity: 0.5 };
        let mut stepper = scheme.start(&Oscillator, Oscillator::initial()).unwrap();
        let short = 2.0 / (3 * pairs) as f64;
        for _ in 0..pairs {
            stepper.step(short).unwrap();
            stepper.step(2.0 * short).unwrap();
        }
        (stepper.state().v[0] - Oscillator::END[1]).abs()
    };
    assert_near(order(error(80), error(160)), 2.0, 0.1, "order");
}

/// Orders of the angular velocity of a tumbling body over one second, against an integration of high order.
fn tumbling_order(
    model: &dyn Model,
    initial: State,
    scheme: &dyn Scheme,
    spin: impl Fn(&State) -> DVector<f64>,
) -> f64 {
    let exact = integrate(
        &Rotor(FreeBody::TUMBLING),
        &RungeKutta,
        Rotor(FreeBody::TUMBLING).initial(FreeBody::SPIN),
        1.0,
        1000,
    )
    .v;
    let error = |steps| (spin(&integrate(model, scheme, initial.clone(), 1.0, steps)) - &exact).norm();
    order(error(200), error(400))
}

#[test]
fn euler_parameters_cost_an_order_unless_old_forces_turn_with_the_body() {
    let cases: [(&dyn Scheme, f64); 8] = [
        (&Newmark::default(), 2.0),
        (&Hht { alpha: 0.0 }, 2.0),
        (&Hht { alpha: -0.2 }, 1.0),
        (&MODIFIED_PRINTED, 1.0),
        (&ModifiedHht { alpha: 0.0, ..MODIFIED_PRINTED }, 2.0),
        (&ModifiedHht { alpha: 0.0, ..MODIFIED_BODY }, 2.0),
        (&MODIFIED_BODY, 2.0),
        (&GeneralizedAlpha { rho_infinity: 0.6 }, 2.0),
    ];
    for (scheme, expected) in cases {
        let body = FreeBody::TUMBLING;
        let initial = body.initial(FreeBody::SPIN);
        let spin = |state: &State| DVector::from_column_slice(FreeBody::angular_velocity(state).as_slice());
        let measured = tumbling_order(&body, initial, scheme, spin);
        let tolerance = if expected == 1.0 { 0.2 } else { 0.05 };
        assert_near(measured, expected, tolerance, &scheme.name());
    }
}

#[test]
fn rotations_keep_every_scheme_at_second_order() {
    for scheme in schemes::all().iter().filter(|scheme| scheme.order() == 2) {
        let rotor = Rotor(FreeBody::TUMBLING);
        let initial = rotor.initial(FreeBody::SPIN);
        let measured = tumbling_order(&rotor, initial, &**scheme, |state| state.v.clone());
        assert_near(measured, 2.0, 0.05, &scheme.name());
    }
}

#[test]
fn heavy_top_reaches_its_reference_state() {
    let end = integrate(&HeavyTop, &RungeKutta, HeavyTop::initial(), 1.0, 10_000);
    let sign = end.q[3].signum();
    for (index, expected) in HeavyTop::END_E.into_iter().enumerate() {
        assert_near(sign * end.q[3 + index], expected, 2e-8, "Euler parameters");
    }
    for (index, expected) in HeavyTop::END_OMEGA.into_iter().enumerate() {
        assert_near(end.v[3 + index], expected, 2e-7, "angular velocity");
    }
}

#[test]
fn a_rotation_held_by_a_constraint_keeps_second_order() {
    let exact = integrate(&HeavyTop, &RungeKutta, HeavyTop::initial(), 0.1, 4000);
    for scheme in schemes::all().iter().filter(|scheme| scheme.order() == 2) {
        let error = |steps| {
            let end = integrate(&HeavyTop, &**scheme, HeavyTop::initial(), 0.1, steps);
            (end.v.rows(3, 3) - exact.v.rows(3, 3)).norm()
        };
        assert_near(order(error(200), error(400)), 2.0, 0.1, &scheme.name());
    }
}

/// The angular velocity after one step about the first axis.
fn one_step(scheme: &dyn Scheme, inertia: f64, moment: f64, spin: f64, h: f64) -> State {
    let body = FreeBody { inertia: [inertia, 1.0, 2.0], moment: [moment, 0.0, 0.0] };
    integrate(&body, scheme, body.initial([spin, 0.0, 0.0]), h, 1)
}

#[test]
fn one_classical_step_follows_its_expansion() {
    // [sherif, Eq. 28]; the remainder is of fourth order.
    let (inertia, moment, spin, alpha) = (0.5, 1.5, 3.0, -0.2);
    let c = moment / inertia;
    let third = (10.0 * alpha * alpha * alpha * alpha + 3.0 * alpha * alpha * alpha - 12.0 * alpha * alpha
        + 11.0 * alpha
        - 4.0)
        / (16.0 * (alpha - 1.0) * (alpha - 1.0));
    let remainder = |h: f64| {
        let state = one_step(&Hht { alpha }, inertia, moment, spin, h);
        let expansion = spin + c * h + 0.25 * alpha * spin.powi(3) * h * h + c * third * spin * spin * h.powi(3);
        (FreeBody::angular_velocity(&state)[0] - expansion).abs()
    };
    assert_near(order(remainder(0.02), remainder(0.01)), 4.0, 0.1, "order of the remainder");
}

#[test]
fn one_modified_step_follows_its_closed_form() {
    // [sherif, Eq. 42]
    let (inertia, moment, spin, h) = (0.5, 1.5, 3.0, 0.1);
    let c = moment / inertia;
    for alpha in [0.0, -0.1, -1.0 / 3.0] {
        let gamma = 0.5 - alpha;
        let scheme = ModifiedHht { alpha, weighting: Weighting::Printed };
        let state = one_step(&scheme, inertia, moment, spin, h);
        let expected = spin + c * h + c * h * gamma * alpha * (1.0 - state.q[0]);
        assert_near(FreeBody::angular_velocity(&state)[0], expected, 1e-12, &scheme.name());
    }
    // Turned with the body, a moment that is constant in the body is averaged exactly.
    let state = one_step(&MODIFIED_BODY, inertia, moment, spin, h);
    assert_near(FreeBody::angular_velocity(&state)[0], spin + c * h, 1e-12, "body-weighted");
}

#[test]
fn dense_and_sparse_solutions_of_a_chain_conserve_energy() {
    let initial = Chain::initial();
    let energy = |state: &State| Chain.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
    let start = energy(&initial);
    let fine = integrate(&Chain, &RungeKutta, initial.clone(), 0.2, 400);
    assert_near(energy(&fine), start, 1e-6, "energy");
    let coarse = integrate(&Chain, &GeneralizedAlpha { rho_infinity: 0.8 }, initial, 0.2, 400);
    assert!((coarse.q - fine.q).amax() < 1e-4);
}

#[test]
fn newton_needs_few_iterations_with_the_exact_matrix() {
    let schemes: [&dyn Scheme; 4] =
        [&Hht { alpha: -0.2 }, &MODIFIED_PRINTED, &MODIFIED_BODY, &GeneralizedAlpha::default()];
    for scheme in schemes {
        let body = FreeBody::TUMBLING;
        let mut stepper = scheme.start(&body, body.initial(FreeBody::SPIN)).unwrap();
        for _ in 0..20 {
            let stats = stepper.step(0.05).unwrap();
            assert!(stats.newton_iterations <= 6, "{}: {stats:?}", scheme.name());
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let bad: [&dyn Scheme; 7] = [
        &Newmark { beta: -0.1, gamma: 0.5 },
        &Newmark { beta: 0.25, gamma: 0.4 },
        &Hht { alpha: 0.1 },
        &Hht { alpha: f64::NAN },
        &ModifiedHht { alpha: -0.4, ..ModifiedHht::default() },
        &GeneralizedAlpha { rho_infinity: 1.1 },
        &GeneralizedAlpha { rho_infinity: -0.1 },
    ];
    for scheme in bad {
        let result = scheme.start(&Oscillator, Oscillator::initial());
        assert!(matches!(result, Err(StepError::BadParameter { .. })), "{}", scheme.name());
    }
    let explicit = Newmark { beta: 0.0, gamma: 0.5 };
    assert!(matches!(explicit.start(&Pendulum, Pendulum::initial()), Err(StepError::Undefined { .. })));
    assert!(explicit.start(&Oscillator, Oscillator::initial()).is_ok());
}

#[test]
fn bad_step_sizes_leave_the_state_alone() {
    for scheme in schemes::all() {
        let mut stepper = scheme.start(&Pendulum, Pendulum::initial()).unwrap();
        stepper.step(0.01).unwrap();
        let state = stepper.state().clone();
        for dt in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(stepper.step(dt), Err(StepError::BadParameter { .. })), "{}", scheme.name());
        }
        assert_eq!(*stepper.state(), state);
        stepper.step(0.01).unwrap();
        assert_near(stepper.state().t, 0.02, 1e-15, "time");
    }
}

#[test]
fn a_step_without_solution_fails_and_keeps_the_state() {
    for scheme in schemes::all().iter().filter(|scheme| scheme.order() == 2) {
        let mut stepper = scheme.start(&Pendulum, Pendulum::initial()).unwrap();
        stepper.step(0.01).unwrap();
        let state = stepper.state().clone();
        // The squares of coordinates predicted so far ahead are infinite.
        let error = stepper.step(1e160).unwrap_err();
        assert!(
            matches!(error, StepError::NotConverged { .. } | StepError::NotFinite { .. } | StepError::Singular { .. }),
            "{error}"
        );
        assert_eq!(*stepper.state(), state, "{}", scheme.name());
        stepper.step(0.01).unwrap();
    }
}

#[test]
fn schemes_are_found_by_name() {
    for (name, parameters) in schemes::names() {
        let by_default = schemes::by_name(name, &[]).unwrap();
        let explicit = schemes::by_name(name, parameters).unwrap();
        assert_eq!(by_default.name(), explicit.name());
    }
    let scheme = schemes::by_name("hht", &[("alpha", -0.25)]).unwrap();
    assert_eq!(scheme.name(), "HHT (α = -0.25)");
    let unknown = schemes::by_name("hth", &[]).err().unwrap().to_string();
    assert!(unknown.contains("hht"), "{unknown}");
    let parameter = schemes::by_name("hht", &[("rho", 0.5)]).err().unwrap().to_string();
    assert!(parameter.contains("alpha"), "{parameter}");
}
