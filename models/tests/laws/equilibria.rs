//! Static equilibria of models without beams, and why there may be none.

use hamel::{EquilibriumError, Model, equilibrium, initial_state};
use hamel_models::{FreeBody, PendulumAbsolute, Sleigh};

/// A pendulum hangs, wherever the search for it begins, and its support carries its weight.
#[test]
fn a_pendulum_hangs() {
    let model = PendulumAbsolute::default();
    let start = initial_state(&model).unwrap();
    let found = equilibrium(&model, &start).unwrap();
    let (mut r, mut g) = (vec![0.0; model.dims().nv], vec![0.0; model.dims().nc]);
    model.residual(&found.state, &mut r, &mut g);
    assert!(r.iter().chain(&g).all(|value| value.abs() < 1e-12), "{r:?} {g:?}");
    assert_eq!(found.state.v.amax(), 0.0);
}

/// What floats freely has no place to rest.
#[test]
fn freedom_without_resistance_is_named() {
    let model = FreeBody::default();
    let start = initial_state(&model).unwrap();
    let error = equilibrium(&model, &start).unwrap_err();
    assert!(matches!(&error, EquilibriumError::Singular { reason, .. } if reason.contains("motion of `")), "{error}");
}

/// A knife edge binds velocities, which are zero wherever it rests.
#[test]
fn constraints_on_velocities_decide_nothing() {
    let model = Sleigh::default();
    let start = initial_state(&model).unwrap();
    let error = equilibrium(&model, &start).unwrap_err();
    assert!(matches!(error, EquilibriumError::VelocityConstraint { .. }), "{error}");
}
