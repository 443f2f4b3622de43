//! What compiled models can do beside the trait: parameters, inputs, functions on request; and that nothing leaks.

use hamel::{ForwardDynamics, Model, Signal, State, StepError, consistent_acceleration, schemes};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_jit::{JitModel, Level};

const ARM: &str = "model Arm {
    gravity [0, 0, -9.81] m/s^2;
    coordinates joint;
    param reach = 0.4 m;
    param mass = [3, 2, 1] kg;
    input motor N m;
    body a { mass: mass[0], inertia: diag(0.1, 0.2, 0.3) kg m^2, center_of_mass: [0, 0, 0.1] m }
    body b { mass: mass[1], inertia: diag(0.2, 0.1, 0.2) kg m^2, center_of_mass: [0.2, 0, 0] m }
    body c { mass: mass[2], inertia: diag(0.1, 0.1, 0.05) kg m^2, center_of_mass: [0.1, 0.05, 0] m }
    joint base: revolute(ground, a) { axis: [0, 0, 1] }
    joint shoulder: revolute(a at [0, 0, 0.3] m, b) { axis: [0, 1, 0] }
    joint elbow: revolute(b at [reach, 0, 0], c) { axis: [0, 1, 1] }
    torque drive: [0, motor, 0] on b;
    provide nonlinear_effects, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives,
        forward_dynamics_derivatives;
    output tip = c.position;
}";

fn stages(text: &str) -> hamel_compiler::Stages {
    hamel_compiler::stages(text.parse().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

fn arm() -> (hamel_compiler::Stages, JitModel) {
    let stages = stages(ARM);
    let model = hamel_jit::compile(&stages, Level::Optimised).unwrap();
    (stages, model)
}

/// Against the statements as the interpreter runs them, which knows nothing of machine code.
#[test]
fn functions_on_request_are_those_of_the_interpreter() {
    let (stages, mut model) = arm();
    assert!(model.set_input("motor", Signal::from(|t: f64| 3.0 * t)).is_ok());
    let interpreter = Interpreter::new(&stages.simplified, &stages.schedule, defaults::<f64>(&stages.schedule));
    for seed in 0..20 {
        let x = |i: usize| ((1 + seed * 17 + i) as f64 * 0.618).sin() * 1.4;
        let (t, q, v, a) = (x(0).abs(), [x(1), x(2), x(3)], [x(4), x(5), x(6)], [x(7), x(8), x(9)]);
        let given = |forces: [f64; 3], a: [f64; 3]| Point {
            t,
            inputs: vec![3.0 * t],
            q: q.to_vec(),
            v: v.to_vec(),
            a: a.to_vec(),
            lambda: Vec::new(),
            tau: forces.to_vec(),
        };
        let check = |function, role, point: &Point<f64>, found: &[f64]| {
            let expected = interpreter.output(function, role, point, (3, found.len() / 3)).values;
            let scale = expected.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
            let error = expected.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= 1e-13 * scale, "{function:?} {role:?}: {expected:?} {found:?}");
        };
        let (mut effects, mut tau, mut back) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        let moved = given([0.0; 3], a);
        model.nonlinear_effects(t, &q, &v, &mut effects);
        check(FunctionRole::NonlinearEffects, Role::NonlinearEffects, &moved, &effects);
        model.inverse_dynamics(t, &q, &v, &a, &mut tau);
        check(FunctionRole::InverseDynamics, Role::Force, &moved, &tau);
        let driven = given(tau, [0.0; 3]);
        model.forward_dynamics(t, &q, &v, &tau, &mut back);
        check(FunctionRole::ForwardDynamics, Role::Acceleration, &driven, &back);
        assert!(a.iter().zip(back).all(|(a, back)| (a - back).abs() < 1e-11), "{a:?} {back:?}");

        let [mut by_q, mut by_v, mut last] = [[f64::NAN; 9]; 3];
        model.inverse_dynamics_derivatives(t, &q, &v, &a, [&mut by_q, &mut by_v, &mut last]);
        let function = FunctionRole::InverseDynamicsDerivatives;
        check(function, Role::ForceByPosition, &moved, &by_q);
        check(function, Role::ForceByVelocity, &moved, &by_v);
        check(function, Role::MassMatrix, &moved, &last);
        model.forward_dynamics_derivatives(t, &q, &v, &tau, [&mut by_q, &mut by_v, &mut last]);
        let function = FunctionRole::ForwardDynamicsDerivatives;
        check(function, Role::AccelerationByPosition, &driven, &by_q);
        check(function, Role::AccelerationByVelocity, &driven, &by_v);
        check(function, Role::InverseMassMatrix, &driven, &last);
    }
}

/// A slide has no forces that depend on its coordinate: the matrix without entries is zero, whatever was called before.
#[test]
fn results_without_entries_are_zero() {
    let text = "model Slide {
        planar;
        coordinates joint;
        body block { mass: 3 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        provide nonlinear_effects, inverse_dynamics_derivatives, forward_dynamics_derivatives;
    }";
    let model = hamel_jit::compile(&stages(text), Level::Optimised).unwrap();
    for _ in 0..2 {
        let [mut by_q, mut by_v, mut last] = [[f64::NAN; 1]; 3];
        model.inverse_dynamics_derivatives(0.0, &[0.7], &[0.3], &[2.0], [&mut by_q, &mut by_v, &mut last]);
        assert_eq!([by_q, by_v, last], [[0.0], [0.0], [3.0]]);
        model.forward_dynamics_derivatives(0.0, &[0.7], &[0.3], &[2.0], [&mut by_q, &mut by_v, &mut last]);
        assert_eq!([by_q, by_v, last], [[0.0], [0.0], [1.0 / 3.0]]);
        model.mass_matrix(&[0.7], &mut last);
        assert_eq!(last, [3.0]);
    }
}

#[test]
fn parameters_and_inputs_belong_to_one_model() {
    let (_, mut model) = arm();
    let mut state = State::zeros(model.dims());
    let tip = |model: &JitModel, state: &State| {
        let mut tip = [0.0; 3];
        model.outputs(state, &mut tip);
        tip
    };
    let other = model.another();
    model.set(&[("reach", 0.7), ("mass[1]", 5.0), ("mass_z", 2.0)]).unwrap();
    assert_eq!(model.parameters(), [0.7, 3.0, 5.0, 2.0]);
    assert_eq!(other.parameters(), [0.4, 3.0, 2.0, 1.0]);
    assert!((tip(&model, &state)[0] - tip(&other, &state)[0] - 0.3).abs() < 1e-15);
    let error = model.set(&[("mass_x", 9.0), ("weight", 1.0)]).unwrap_err();
    assert_eq!((error.name.as_str(), model.parameters()[1]), ("weight", 3.0), "all of them are set or none");

    model.set(&[("mass_x", -1.0)]).unwrap();
    assert_eq!(model.validate().unwrap_err().what, "the mass of `a`");
    assert!(other.validate().is_ok());
    // Nothing begins with such a mass.
    let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
    let refused = [
        scheme.start(&model, state.clone()).err(),
        ForwardDynamics::new(&model, &state).err(),
        consistent_acceleration(&model, &mut state).err(),
    ];
    assert!(refused.iter().all(|error| matches!(error, Some(StepError::BadModel(_)))), "{refused:?}");

    assert!(model.set_input("engine", Signal::from(1.0)).is_err());
    state.t = 2.0;
    let force = |model: &JitModel| {
        let mut force = [0.0; 3];
        model.applied_force(state.t, state.q.as_slice(), state.v.as_slice(), &mut force);
        force[1]
    };
    let at_rest = force(&model);
    assert!(model.set_input("motor", Signal::from(|t: f64| 10.0 * t)).is_ok());
    assert!((force(&model) - at_rest - 20.0).abs() < 1e-12);
}

#[test]
fn lists_of_other_lengths_are_refused() {
    let (_, model) = arm();
    let refused = |call: &(dyn Fn() + std::panic::RefUnwindSafe)| std::panic::catch_unwind(call).is_err();
    let model = std::panic::AssertUnwindSafe(&model);
    assert!(refused(&|| model.bias_force(&[0.0; 2], &[0.0; 3], &mut [0.0; 3])));
    assert!(refused(&|| model.bias_force(&[0.0; 3], &[0.0; 4], &mut [0.0; 3])));
    assert!(refused(&|| model.bias_force(&[0.0; 3], &[0.0; 3], &mut [0.0; 2])));
    assert!(refused(&|| model.inverse_dynamics(0.0, &[0.0; 3], &[0.0; 3], &[0.0; 2], &mut [0.0; 3])));
    assert!(!refused(&|| model.bias_force(&[0.0; 3], &[0.0; 3], &mut [0.0; 3])));
}

/// Signals may evaluate other compiled models, and functions run on any thread.
#[test]
fn calls_may_be_nested_and_parallel() {
    let (_, mut model) = arm();
    let inner = model.another();
    let within = Signal::from(move |t: f64| {
        let mut force = [0.0; 3];
        inner.inverse_dynamics(t, &[t; 3], &[1.0; 3], &[0.0; 3], &mut force);
        force[1]
    });
    assert!(model.set_input("motor", within).is_ok());
    let force = |t: f64| {
        let mut force = [0.0; 3];
        model.applied_force(t, &[0.1; 3], &[0.2; 3], &mut force);
        force
    };
    let alone: Vec<[f64; 3]> = (0..100).map(|i| force(f64::from(i))).collect();
    std::thread::scope(|scope| {
        let all: Vec<_> =
            (0..4).map(|_| scope.spawn(|| (0..100).map(|i| force(f64::from(i))).collect::<Vec<_>>())).collect();
        assert!(all.into_iter().all(|thread| thread.join().unwrap() == alone));
    });
}

/// What the compiler refuses at the defaults, `validate` refuses at other values.
#[test]
fn radii_that_no_ball_has_are_refused() {
    let text = "model Ball {
        planar;
        gravity [0, -9.81] m/s^2;
        param r = 0.1 m;
        body ball { mass: 1 kg, inertia: 0.01 kg m^2 }
        contact floor: disc_on_line(ball, ground) { radius: r }
        initial ball.position = [0, 1] m;
    }";
    let mut model = hamel_jit::compile(&stages(text), Level::AtOnce).unwrap();
    assert!(model.validate().is_ok());
    model.set(&[("r", -0.1)]).unwrap();
    let error = model.validate().unwrap_err();
    assert_eq!((error.what.as_str(), error.value), ("the radius of `floor`", -0.1));
}
