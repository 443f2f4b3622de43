//! Forward dynamics of closed loops and their derivatives: against elimination with another library, against what is
//! found without forces, and against differences.

use hamel::configuration::retract;
use hamel::inverse_dynamics::Unattainable;
use hamel::nalgebra::{DMatrix, DVector};
use hamel::{ForwardDynamics, InverseDynamics, Model, State, consistent_acceleration, initial_state};
use hamel_jit::{JitModel, Level};

/// A gripper of four bars on a slide, with a spring between its fingers.
const FOUR_BARS: &str = "model FourBars {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    body hand { mass: 1 kg, inertia: 0.02 kg m^2 }
    body crank { mass: 0.3 kg, center_of_mass: [0.05, 0.01] m, inertia: 2e-3 kg m^2 }
    body finger { mass: 0.4 kg, center_of_mass: [0.04, 0.02] m, inertia: 3e-3 kg m^2 }
    body rocker { mass: 0.2 kg, center_of_mass: [0.06, 0] m, inertia: 1e-3 kg m^2 }
    joint slide: prismatic(ground, hand);
    joint a: revolute(hand at [0, 0.02] m, crank);
    joint b: revolute(crank at [0.1, 0] m, finger);
    joint c: revolute(hand at [0.03, -0.04] m, rocker);
    joint d: revolute(finger at [0.05, -0.05] m, rocker at [0.11, 0] m);
    force spring: spring(hand, finger at [0.1, 0] m) { stiffness: 200 N/m, free_length: 0.1 m }
    initial a.angle = 20 deg;
    provide constraint_acceleration_derivatives;
}";

/// Six equal links whose hinges are perpendicular to each other: it moves although six constraints hold six hinges.
const BRICARD: &str = "model Bricard {
    coordinates joint;
    gravity [0, -9.81, 0] m/s^2;
    body p1 { mass: 1 kg, center_of_mass: [0.5, 0, 0] m, inertia: diag(0.02, 0.08, 0.09) kg m^2 }
    body p2 { mass: 1 kg, center_of_mass: [0, -0.5, 0] m, inertia: diag(0.08, 0.02, 0.09) kg m^2 }
    body p3 { mass: 1 kg, center_of_mass: [0, 0, 0.5] m, inertia: diag(0.08, 0.09, 0.02) kg m^2 }
    body p4 { mass: 1 kg, center_of_mass: [-0.5, 0, 0] m, inertia: diag(0.02, 0.08, 0.09) kg m^2 }
    body p5 { mass: 1 kg, center_of_mass: [0, 0.5, 0] m, inertia: diag(0.08, 0.02, 0.09) kg m^2 }
    joint j1: revolute(ground axis [0, 1, 0], p1 axis [0, 1, 0]);
    joint j2: revolute(p1 at [1, 0, 0] m axis [0, 0, 1], p2 axis [0, 0, 1]);
    joint j3: revolute(p2 at [0, -1, 0] m axis [1, 0, 0], p3 axis [1, 0, 0]);
    joint j4: revolute(p3 at [0, 0, 1] m axis [0, 1, 0], p4 axis [0, 1, 0]);
    joint j5: revolute(p4 at [-1, 0, 0] m axis [0, 0, 1], p5 axis [0, 0, 1]);
    joint j6: revolute(p5 at [0, 1, 0] m axis [1, 0, 0], ground at [0, 0, 1] m axis [1, 0, 0]);
    provide constraint_acceleration_derivatives;
}";

/// A plate on six legs, each a slide between a universal and a ball joint.
fn stewart() -> String {
    let mut text = "model Stewart {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;
    body plate { mass: 10 kg, inertia: diag(0.5, 0.5, 0.9) kg m^2 }
    joint base: free(ground, plate);
    initial plate.position = [0.05, -0.02, 1] m;
"
    .to_owned();
    let point = |radius: f64, turn: f64| format!("[{:.9}, {:.9}, 0] m", radius * turn.cos(), radius * turn.sin());
    for k in 0..6 {
        let third = f64::from(k / 2) * 2.0 * std::f64::consts::FRAC_PI_3;
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let (below, above) = (point(1.0, third + 0.2 * side), point(0.6, third + 0.8 * side));
        text += &format!(
            "    body low{k} {{ mass: 2 kg, center_of_mass: [0, 0, 0.3] m, inertia: diag(0.1, 0.1, 0.01) kg m^2 }}
    body high{k} {{ mass: 1 kg, center_of_mass: [0, 0, -0.3] m, inertia: diag(0.1, 0.1, 0.01) kg m^2 }}
    joint foot{k}: universal(ground at {below}, low{k});
    joint slide{k}: prismatic(low{k}, high{k});
    constraint held{k}: high{k}.position - (plate at {above}).position == [0, 0, 0] m;
"
        );
    }
    text + "    provide constraint_acceleration_derivatives;\n}"
}

fn model(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A state in motion that obeys the constraints, and forces.
fn moving(model: &JitModel) -> (State, Vec<f64>) {
    let mut state = initial_state(model).unwrap();
    let nv = state.v.len();
    let wish = DVector::from_fn(nv, |i, _| (1.0 + 1.7 * i as f64).sin());
    state.v.copy_from(&wish);
    if !state.lambda.is_empty() {
        let jacobian = jacobian(model, &state);
        state.v -= jacobian.clone().svd(true, true).solve(&(&jacobian * &wish), 1e-9).unwrap();
    }
    (state, (0..nv).map(|i| 3.0 * (2.0 + 0.9 * i as f64).cos()).collect())
}

fn jacobian(model: &JitModel, state: &State) -> DMatrix<f64> {
    let pattern = &model.describe().constraint_jacobian;
    let mut values = vec![0.0; pattern.nnz()];
    model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
    pattern.to_dense(&values)
}

/// a and λ of least norm, by a singular value decomposition of the whole system.
fn decomposed(model: &JitModel, state: &State, tau: &[f64]) -> DVector<f64> {
    let (info, nv, nc) = (model.describe(), state.v.len(), state.lambda.len());
    let mut values = vec![0.0; info.mass_matrix.nnz()];
    model.mass_matrix(state.q.as_slice(), &mut values);
    let (mass, jacobian) = (info.mass_matrix.to_dense(&values), jacobian(model, state));
    let mut matrix = DMatrix::zeros(nv + nc, nv + nc);
    matrix.view_mut((0, 0), (nv, nv)).copy_from(&mass);
    matrix.view_mut((0, nv), (nv, nc)).copy_from(&-jacobian.transpose());
    matrix.view_mut((nv, 0), (nc, nv)).copy_from(&jacobian);
    let (mut h, mut f, mut rate, mut bias) = (vec![0.0; nv], vec![0.0; nv], vec![0.0; nc], vec![0.0; nc]);
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    model.bias_force(q, v, &mut h);
    model.applied_force(state.t, q, v, &mut f);
    model.constraint_bias(state.t, q, v, &mut rate, &mut bias);
    let upper = (0..nv).map(|i| f[i] + tau[i] - h[i]);
    let rhs = DVector::from_iterator(nv + nc, upper.chain(bias.iter().map(|bias| -bias)));
    matrix.svd(true, true).solve(&rhs, 1e-9).unwrap()
}

#[test]
fn accelerations_are_those_of_the_whole_system() {
    for text in [FOUR_BARS, BRICARD, &stewart()] {
        let model = model(text);
        let (mut state, tau) = moving(&model);
        let mut dynamics = ForwardDynamics::new(&model, &state).unwrap();
        let expected = decomposed(&model, &state, &tau);
        dynamics.solve(&mut state, &tau).unwrap();
        let nv = state.v.len();
        let scale = expected.rows(0, nv).amax();
        let error = (&state.a - expected.rows(0, nv)).amax();
        assert!(error < 1e-9 * scale, "{}: {error:e} of {scale}", model.describe().name);
        assert_eq!(dynamics.left_out().len(), usize::from(text == BRICARD));
        if dynamics.left_out().is_empty() {
            let error = (&state.lambda - expected.rows(nv, state.lambda.len())).amax();
            assert!(error < 1e-9 * expected.amax(), "{}: {error:e}", model.describe().name);
        }
        // Without forces, and again with them.
        let mut free = state.clone();
        consistent_acceleration(&model, &mut free).unwrap();
        let mut again = state.clone();
        dynamics.solve(&mut again, &vec![0.0; nv]).unwrap();
        assert!((&again.a - &free.a).amax() < 1e-9 * free.a.amax(), "{}", model.describe().name);
        assert!((&again.a - &state.a).amax() > 1e-3);
    }
}

#[test]
fn derivatives_are_limits_of_differences() {
    for text in [FOUR_BARS, BRICARD, &stewart()] {
        let model = model(text);
        let (mut state, tau) = moving(&model);
        let mut dynamics = ForwardDynamics::new(&model, &state).unwrap();
        let found = dynamics.derivatives(&mut state, &tau).unwrap().expect("the model provides them");
        let (nv, name) = (state.v.len(), model.describe().name.clone());
        let blocks = model.describe().blocks.clone();
        let mut at = |change: &dyn Fn(f64, &mut State, &mut Vec<f64>)| {
            // Two steps, extrapolated.
            let mut difference = |step: f64| {
                let mut ends = [step, -step].map(|step| {
                    let (mut moved, mut tau) = (state.clone(), tau.clone());
                    change(step, &mut moved, &mut tau);
                    dynamics.solve(&mut moved, &tau).unwrap();
                    DVector::from_iterator(nv + moved.lambda.len(), moved.a.iter().chain(moved.lambda.iter()).copied())
                });
                let [plus, minus] = &mut ends;
                (&*plus - &*minus) / (2.0 * step)
            };
            let (coarse, fine) = (difference(2e-4), difference(1e-4));
            (4.0 * fine - coarse) / 3.0
        };
        let mut check = |what: &str,
                         a: &DMatrix<f64>,
                         lambda: &DMatrix<f64>,
                         change: &dyn Fn(usize, f64, &mut State, &mut Vec<f64>)| {
            for j in 0..nv {
                let expected = at(&|step, state, tau| change(j, step, state, tau));
                let column =
                    DVector::from_iterator(expected.len(), a.column(j).iter().chain(lambda.column(j).iter()).copied());
                let error = (&column - &expected).amax();
                assert!(
                    error < 2e-6 * (1.0 + expected.amax()),
                    "{name}, by {what} {j}: {error:e} of {}",
                    expected.amax()
                );
            }
        };
        check("q", &found.a_by_q, &found.lambda_by_q, &|j, step, state, _| {
            let mut along = vec![0.0; nv];
            along[j] = step;
            let from = state.q.clone();
            retract(&blocks, from.as_slice(), &along, state.q.as_mut_slice());
        });
        check("v", &found.a_by_v, &found.lambda_by_v, &|j, step, state, _| state.v[j] += step);
        check("tau", &found.a_by_tau, &found.lambda_by_tau, &|j, step, _, tau| tau[j] += step);
    }
}

#[test]
fn models_without_constraints_need_nothing_and_others_say_what() {
    let free = FOUR_BARS.replace("    joint d: revolute(finger at [0.05, -0.05] m, rocker at [0.11, 0] m);\n", "");
    let free = model(
        &free.replace("    provide constraint_acceleration_derivatives;\n", "provide forward_dynamics_derivatives;"),
    );
    let (mut state, tau) = moving(&free);
    let mut dynamics = ForwardDynamics::new(&free, &state).unwrap();
    let found = dynamics.derivatives(&mut state, &tau).unwrap().expect("there are no constraints");
    let nv = state.v.len();
    let mut a = vec![0.0; nv];
    free.forward_dynamics(0.0, state.q.as_slice(), state.v.as_slice(), &tau, &mut a);
    assert!((DVector::from_vec(a) - &state.a).amax() < 1e-9 * state.a.amax());
    let mut results = [(); 3].map(|()| vec![0.0; nv * nv]);
    let [by_q, by_v, by_tau] = &mut results;
    free.forward_dynamics_derivatives(0.0, state.q.as_slice(), state.v.as_slice(), &tau, [by_q, by_v, by_tau]);
    for (found, expected) in [found.a_by_q, found.a_by_v, found.a_by_tau].iter().zip(&results) {
        let expected = DMatrix::from_row_slice(nv, nv, expected);
        assert!((found - &expected).amax() < 1e-9 * expected.amax());
    }
    let closed = model(&FOUR_BARS.replace("    provide constraint_acceleration_derivatives;\n", ""));
    let (mut state, tau) = moving(&closed);
    let mut dynamics = ForwardDynamics::new(&closed, &state).unwrap();
    assert_eq!(dynamics.derivatives(&mut state, &tau).unwrap(), None);
}

/// Velocities that, with forces along them, move the mechanism in all ways that it can.
fn actuated(model: &JitModel) -> Vec<usize> {
    let names = match model.describe().name.as_str() {
        "FourBars" => vec!["slide", "a."],
        "Bricard" => vec!["j1"],
        _ => vec!["slide"],
    };
    let velocities = model.describe().velocities.iter().enumerate();
    let is_actuated = |name: &str| names.iter().any(|actuated| name.starts_with(actuated));
    velocities.filter(|(_, velocity)| is_actuated(&velocity.name)).map(|(index, _)| index).collect()
}

/// Inverse dynamics gives back the forces that forward dynamics was given, and its derivatives are those of the inverse
/// function: τ(q, v, a(q, v, τ)) does not change with q and v.
#[test]
fn forces_of_actuators_are_found_again() {
    for (text, count) in [(FOUR_BARS.to_owned(), 2), (BRICARD.to_owned(), 1), (stewart(), 6)] {
        let model = model(&text);
        let name = model.describe().name.clone();
        let actuated = actuated(&model);
        assert_eq!(actuated.len(), count, "{name}");
        let (mut state, forces) = moving(&model);
        let mut tau = vec![0.0; state.v.len()];
        actuated.iter().for_each(|&velocity| tau[velocity] = forces[velocity]);
        let mut forward = ForwardDynamics::new(&model, &state).unwrap();
        let of_forward = forward.derivatives(&mut state, &tau).unwrap().unwrap();
        let lambda = state.lambda.clone();

        let inverse = InverseDynamics::new(&model, &actuated);
        let (found, of_inverse) = inverse.derivatives(&mut state).unwrap();
        let given = DVector::from_iterator(count, actuated.iter().map(|&velocity| forces[velocity]));
        assert!((&found - &given).amax() < 1e-9 * lambda.amax().max(given.amax()), "{name}: {found} for {given}");
        if forward.left_out().is_empty() {
            assert!((&state.lambda - &lambda).amax() < 1e-9 * lambda.amax(), "{name}");
        }
        // Along motions that the constraints allow, since elsewhere constraints may stop to depend on each other.
        let jacobian = jacobian(&model, &state);
        let all = DMatrix::identity(state.v.len(), state.v.len());
        let allowed = &all - jacobian.clone().svd(true, true).solve(&jacobian, 1e-9).unwrap();
        for (by, accelerations) in
            [(&of_inverse.tau_by_q, &of_forward.a_by_q), (&of_inverse.tau_by_v, &of_forward.a_by_v)]
        {
            let sum = (by + &of_inverse.tau_by_a * accelerations) * &allowed;
            assert!(by.amax() > 1e-3 && sum.amax() < 1e-8 * by.amax(), "{name}: {:e} of {:e}", sum.amax(), by.amax());
        }
        let identity = &of_inverse.tau_by_a * of_forward.a_by_tau.select_columns(&actuated);
        assert!((identity - DMatrix::identity(count, count)).amax() < 1e-9, "{name}");
    }
}

/// More actuators than motions share the work with the least forces; fewer, or accelerations that break constraints, are
/// errors that say what is missing.
#[test]
fn forces_that_are_not_determined_are_the_least_and_those_that_do_not_exist_are_errors() {
    let model = model(FOUR_BARS);
    let (mut state, _) = moving(&model);
    let nv = state.v.len();
    state.a = DVector::from_fn(nv, |i, _| (0.3 + i as f64).cos());
    let [all, two, one] = [&[0, 1, 2, 3][..], &[0, 1], &[0]].map(|actuated| InverseDynamics::new(&model, actuated));
    assert!(matches!(all.solve(&mut state), Err(Unattainable::BreaksConstraint { .. })));
    let wish = state.a.clone();
    all.admissible(&mut state).unwrap();
    // The change is a combination of the constraints' gradients.
    let (jacobian, change) = (jacobian(&model, &state), &state.a - &wish);
    let along = jacobian.transpose().svd(true, true).solve(&change, 1e-9).unwrap();
    assert!((jacobian.transpose() * along - &change).amax() < 1e-9 * change.amax());

    let least = all.solve(&mut state).unwrap();
    let mut residual = vec![0.0; nv];
    model.residual(&state, &mut residual, &mut vec![0.0; state.lambda.len()]);
    assert!((DVector::from_vec(residual) - &least).amax() < 1e-9 * least.amax());
    let more = two.solve(&mut state).unwrap();
    assert!(more.norm() > least.norm() + 1e-3);
    // Changes that move no constrained motion are combinations of the gradients; the least is perpendicular to them.
    assert!((&jacobian * &least).amax() < 1e-9 * least.amax());
    assert!(matches!(all.derivatives(&mut state), Err(Unattainable::NotDetermined { actuators: 4, motions: 2, .. })));
    let error = one.solve(&mut state).unwrap_err();
    assert!(matches!(error, Unattainable::NotActuated { .. }), "{error}");
}
