//! Static equilibria of models without beams, and why there may be none.

use hamel::{Model, equilibrium, initial_state};
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

/// What floats freely rests where it is; only a weight that nothing holds finds no place.
#[test]
fn what_nothing_determines_stays() {
    let model = FreeBody::default();
    let start = initial_state(&model).unwrap();
    let found = equilibrium(&model, &start).unwrap();
    assert!((found.state.q - start.q).amax() < 1e-12);
    // Three of a place, and of four Euler parameters those that keep the norm.
    assert_eq!(found.free.len(), 6);
}

/// A knife edge binds velocities, which are zero wherever it rests.
#[test]
fn constraints_on_velocities_decide_nothing() {
    let model = Sleigh::default();
    let start = initial_state(&model).unwrap();
    let found = equilibrium(&model, &start).unwrap();
    assert_eq!(found.free, [0, 1, 2]);
    assert_eq!(found.state.v.amax(), 0.0);
    assert!((found.state.q - start.q).amax() < 1e-15);
}
