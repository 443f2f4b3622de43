//! Heaps of discs come to rest: contacts are redundant, their forces not unique.

use hamel::schemes::by_name;
use hamel::{Caution, Model, Run, Simulation, State, Stepper, initial_state};
use hamel_models::DiscPile;

use crate::common::noise;

// 36 discs with 94 contacts.
hamel_models::disc_pile!(Heap, 8);
// 14 balls with 50 contacts.
hamel_models::ball_pile!(Balls, 3);

fn start<'m>(model: &'m dyn Model, scheme: &str) -> Box<dyn Stepper + 'm> {
    let state = initial_state(model).unwrap_or_else(|error| panic!("{error}"));
    let scheme = by_name(scheme, &[]).unwrap_or_else(|error| panic!("{error}"));
    scheme.start(model, state).unwrap_or_else(|error| panic!("{error}"))
}

/// Discs fall into each other's hollows and stay.
#[test]
fn a_heap_comes_to_rest() {
    let model = Heap::default();
    for name in ["moreau", "half_explicit", "generalized_alpha"] {
        let mut stepper = start(&model, name);
        let energy = |state: &State| model.energy(state.t, state.q.as_slice(), state.v.as_slice());
        let before = energy(stepper.state());
        for _ in 0..200 {
            stepper.step(5e-4).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let after = energy(stepper.state());
        assert!(after.kinetic < 1e-8 && after.total() < before.total(), "{name}: {before:?}, {after:?}");
        let record = stepper.contacts().expect("the scheme looks at contacts");
        let pushing = record.forces.iter().filter(|force| force.abs() > 1e-3).count();
        assert!(record.violation < 1e-12 && pushing > 50, "{name}: {} m/s, {pushing} forces", record.violation);
    }
}

/// The first collisions of 190 discs with 534 contacts.
#[test]
fn hundreds_of_contacts_close() {
    let model = DiscPile::default();
    let mut stepper = start(&model, "moreau");
    for _ in 0..8 {
        stepper.step(1e-3).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(stepper.contacts().is_some_and(|record| record.violation < 1e-12));
}

/// Where no method finds a good solution the run says so, and where contacts come to rest one by one it does not.
#[test]
fn laws_that_hold_approximately_are_told() {
    let is_told = |run: &Run| run.cautions.iter().any(|caution| matches!(caution, Caution::Violation { .. }));

    let parameters = BallsParameters { apart: 0.0, friction: 0.5, ..BallsParameters::default() };
    let balls = Balls::new(parameters);
    let scheme = by_name("half_explicit", &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut approximate = 0;
    for seed in 0..3_usize {
        let mut start = initial_state(&balls).unwrap_or_else(|error| panic!("{error}"));
        // The first Euler parameter of a body that is not turned is one and keeps that value.
        let moves = |q: f64| if q == 1.0 { 0.0 } else { 1.0 };
        start.v.iter_mut().zip(&start.q).enumerate().for_each(|(i, (v, &q))| *v = moves(q) * noise(1000 * seed + i));
        let run = Simulation::new(&balls, &*scheme).step(1e-4).until(1e-4).run(start);
        assert!(run.outcome.is_ok(), "{seed}: {:?}", run.outcome);
        let violation = run.trajectory.column("contact_violation").ok().and_then(|mut column| column.next_back());
        // Balls approach each other by some m/s.
        let is_approximate = violation.is_some_and(|violation| violation > 1e-2);
        assert!(is_told(&run) || !is_approximate, "{seed}: {violation:?}");
        approximate += usize::from(is_approximate);
    }
    assert!(approximate > 0);

    let discs = Heap::default();
    for name in ["moreau", "half_explicit", "generalized_alpha"] {
        let scheme = by_name(name, &[]).unwrap_or_else(|error| panic!("{error}"));
        let start = initial_state(&discs).unwrap_or_else(|error| panic!("{error}"));
        let run = Simulation::new(&discs, &*scheme).step(5e-4).until(0.1).record_every(50).run(start);
        assert!(run.outcome.is_ok() && !is_told(&run), "{name}: {:?}, {:?}", run.outcome, run.cautions);
    }
}
