//! Heaps of discs come to rest: contacts are redundant, their forces not unique.

use hamel::schemes::by_name;
use hamel::{Model, State, Stepper, initial_state};
use hamel_macros::multibody;
use hamel_models::DiscPile;

multibody! {
    /// 36 discs with 94 contacts, a small distance apart at first.
    model Heap {
        planar;
        coordinates absolute;
        const rows = 8;
        const radius = 0.02 m;
        const apart = 1e-4 m;
        const friction = 0.4;
        const restitution = 0.2;
        const mass = 0.1 kg;

        gravity [0, -9.81] m/s^2;
        for row in 0..rows {
            for k in 0..rows - row {
                body disc[row, k] { mass: mass, inertia: mass * radius^2 / 2 }
                initial disc[row, k].position =
                    [(2 * k + row) * (radius + apart / 2), radius + apart + row * sqrt(3) * (radius + apart / 2)];
            }
            for k in 1..rows - row {
                contact beside[row, k]: disc_on_disc(disc[row, k], disc[row, k - 1]) {
                    radii: [radius, radius], restitution: restitution, friction: friction,
                }
            }
        }
        for row in 1..rows {
            for k in 0..rows - row {
                for side in 0..2 {
                    contact on[row, k, side]: disc_on_disc(disc[row, k], disc[row - 1, k + side]) {
                        radii: [radius, radius], restitution: restitution, friction: friction,
                    }
                }
            }
        }
        for k in 0..rows {
            contact floor[k]: disc_on_line(disc[0, k], ground) {
                radius: radius, restitution: restitution, friction: friction,
            }
        }
        marker left: ground at [-(radius + apart), 0] rotated -90 deg;
        marker right: ground at [2 * (rows - 1) * (radius + apart / 2) + radius + apart, 0] rotated 90 deg;
        contact wall[0]: disc_on_line(disc[0, 0], left) { radius: radius, restitution: restitution, friction: friction }
        contact wall[1]: disc_on_line(disc[0, rows - 1], right) {
            radius: radius, restitution: restitution, friction: friction,
        }
    }
}

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
