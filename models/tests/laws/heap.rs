//! Heaps of discs come to rest: contacts are redundant, their forces not unique.

use hamel::schemes::by_name;
use hamel::{Model, State, Stepper, initial_state};
use hamel_models::DiscPile;

// 36 discs with 94 contacts.
hamel_models::disc_pile!(Heap, 8);

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
