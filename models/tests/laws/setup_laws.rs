//! What a model computes once: constants, the reference configuration, initial conditions and laws of contact, for default
//! parameters and for others, against the interpreter over the same statements, which knows no names.

use crate::common::{Subject, arbitrary_state, for_each, noise, point};
use hamel::{ContactLaw, Model};
use hamel_compiler::contacts;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::{Arguments, Interpreter, defaults, run};

/// The model with these components of its parameters.
fn with_parameters(s: &Subject, values: &[f64]) -> Box<dyn Model> {
    let channels = &s.model.describe().parameters;
    assert_eq!(channels.len(), values.len(), "{}", s.entry.name);
    let named: Vec<(String, f64)> =
        channels.iter().map(|channel| channel.name.to_owned()).zip(values.iter().copied()).collect();
    (s.entry.build)(&named).unwrap_or_else(|error| panic!("{}: {error}", s.entry.name))
}

/// Calls the law with the model as it is, and with all its parameters a little changed.
fn for_each_setup(law: impl Fn(&Subject, &dyn Model, &Interpreter<f64>, &[f64])) {
    for_each(|s| {
        let written = defaults::<f64>(&s.schedule);
        law(s, s.model.as_ref(), &s.interpreter(), &written);
        let value =
            |(i, &value): (usize, &f64)| if value == 0.0 { 0.01 * noise(i) } else { value * (1.0 + 0.02 * noise(i)) };
        let changed: Vec<f64> = written.iter().enumerate().map(value).collect();
        let interpreter = Interpreter::new(&s.equations, &s.schedule, changed.clone());
        law(s, with_parameters(s, &changed).as_ref(), &interpreter, &changed);
    });
}

fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * scale, "{what}: {found} instead of {expected}");
    }
}

#[test]
fn references_and_initial_conditions_are_what_the_interpreter_computes() {
    for_each_setup(|s, model, interpreter, _| {
        let (name, dims) = (s.entry.name, model.dims());
        let mut q = vec![0.0; dims.nq];
        model.reference_configuration(&mut q);
        assert_close(&format!("{name}: reference"), &q, &interpreter.reference_configuration());

        let state = arbitrary_state(model, 5);
        let at = point(model, &state);
        let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
        let (positions, velocities) = model.n_initial_conditions();
        for (function, n) in [(FunctionRole::InitialPosition, positions), (FunctionRole::InitialVelocity, velocities)] {
            let (mut residual, mut jacobian) = (vec![0.0; n], vec![0.0; n * dims.nv]);
            if function == FunctionRole::InitialPosition {
                model.initial_position(t, q, &mut residual, &mut jacobian);
            } else {
                model.initial_velocity(t, q, v, &mut residual, &mut jacobian);
            }
            let expected = |role, columns| interpreter.output(function, role, &at, (n, columns)).values;
            assert_close(&format!("{name}: {function:?}"), &residual, &expected(Role::InitialResidual, 1));
            assert_close(&format!("{name}: {function:?}"), &jacobian, &expected(Role::InitialJacobian, dims.nv));
        }
    });
}

/// Functions that read every constant there is, with parameters whose constants are others.
#[test]
fn constants_follow_the_parameters() {
    for_each_setup(|s, model, interpreter, _| {
        let (name, dims) = (s.entry.name, model.dims());
        let state = arbitrary_state(model, 6);
        let at = point(model, &state);
        let (mut r, mut g) = (vec![0.0; dims.nv], vec![0.0; dims.nc]);
        model.residual(&state, &mut r, &mut g);
        let (residual, constraint) = interpreter.residual(&at);
        assert_close(&format!("{name}: r"), &r, &residual);
        assert_close(&format!("{name}: g"), &g, &constraint);
        let mut gaps = vec![0.0; model.describe().contacts.len()];
        model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
        let expected = interpreter.output(FunctionRole::ContactGap, Role::ContactGap, &at, (gaps.len(), 1));
        assert_close(&format!("{name}: gaps"), &gaps, &expected.values);
        let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice());
        for (role, found) in [(Role::KineticEnergy, energy.kinetic), (Role::PotentialEnergy, energy.potential)] {
            let expected = interpreter.output(FunctionRole::Energy, role, &at, (1, 1)).values;
            assert_close(&format!("{name}: {role:?}"), &[found], &expected);
        }
        let mut outputs = vec![0.0; model.describe().outputs.len()];
        model.outputs(&state, &mut outputs);
        let expected = interpreter.output(FunctionRole::Outputs, Role::Outputs, &at, (outputs.len(), 1));
        assert_close(&format!("{name}: outputs"), &outputs, &expected.values);
    });
}

#[test]
fn laws_of_contact_are_what_the_interpreter_computes() {
    for_each_setup(|s, model, _, parameters| {
        let laws = run(&s.schedule.contact_laws, &Arguments::of_parameters(parameters.to_vec()));
        let mut found = vec![ContactLaw::default(); model.describe().contacts.len()];
        model.contact_laws(&mut found);
        assert_eq!(found.len(), s.schedule.law_of_contact.len(), "{}", s.entry.name);
        for (found, &law) in found.iter().zip(&s.schedule.law_of_contact) {
            let ContactLaw { restitution, tangential_restitution, friction } = *found;
            let found = contacts::ContactLaw { restitution, tangential_restitution, friction };
            assert_close(s.entry.name, &found.values(), &laws[law]);
        }
    });
}
