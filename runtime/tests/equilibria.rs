//! Equilibria that are known.

use crate::common::{self, Oscillator, Particle, Pendulum, Springs};
use hamel::{ContactLaw, EquilibriumError, Model, State, equilibrium};

/// One newton at the middle of the chain stretches the springs on the way to its held end by a metre each, and the rest
/// follows; the end is held by as much.
#[test]
fn a_chain_hangs_on_its_end() {
    let found = equilibrium(&Springs, &State::zeros(Springs.dims())).unwrap();
    for (found, expected) in found.state.q.iter().zip([0.0, 1.0, 2.0, 2.0, 2.0]) {
        assert!((found - expected).abs() < 1e-14, "{found} instead of {expected}");
    }
    assert!((found.state.lambda[0] + 1.0).abs() < 1e-14);
    // The first correction solves linear equations, the second finds nothing.
    assert_eq!((found.corrections.len(), found.corrections[0]), (2, 2.0 / 3.0));
    assert!(found.corrections[1] < 1e-15);
}

#[test]
fn a_pendulum_hangs_down_and_an_oscillator_where_forces_balance() {
    let start = State { q: common::vector(&[0.3, -0.9]), ..Pendulum::initial() };
    let state = equilibrium(&Pendulum, &start).unwrap().state;
    assert!(state.q[0].abs() < 1e-12 && (state.q[1] + 1.0).abs() < 1e-12, "{}", state.q);
    assert!((state.lambda[0] + Pendulum::GRAVITY).abs() < 1e-12);
    assert!(state.v.amax() == 0.0 && state.a.amax() == 0.0);

    let q = equilibrium(&Oscillator, &Oscillator::initial()).unwrap().state.q[0];
    assert!((q.sin() - 0.5 * (1.0 + 0.1 * q)).abs() < 1e-14, "{q}");
}

#[test]
fn what_nothing_holds_is_named() {
    let particle = Particle::on(ContactLaw::default());
    let found = equilibrium(&particle, &Particle::initial(1.0, [0.0; 3]));
    let Err(EquilibriumError::Singular { iteration: 0, reason, .. }) = &found else { panic!("{found:?}") };
    assert!(reason.starts_with("nothing resists motion of `z`, along which 9.810e0"), "{reason}");
}
