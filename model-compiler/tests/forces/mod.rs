//! What every kind of force must obey, in the plane and in space: what its ends receive cancels, its work is what its
//! potential loses, velocities take energy and never give it; and it is one force in joint and in absolute coordinates.
//!
//! A kind is built from what the registry says of it, so that none can be forgotten.

mod bushings;
mod laws;
mod models;

use crate::common::random::Random;
use hamel_compiler::forces::{ALL, Force};
use hamel_compiler::space::Space;

const SEEDS: std::ops::Range<u64> = 0..20;

/// From −1 to 1.
fn signed(random: &mut Random) -> f64 {
    random.below(2_000_001) as f64 * 1e-6 - 1.0
}

/// From 0.2 to 1.2.
fn positive(random: &mut Random) -> f64 {
    0.7 + 0.5 * signed(random)
}

fn spaces() -> impl Iterator<Item = (&'static dyn Force, Space)> {
    ALL.iter().flat_map(|force| force.spaces().iter().map(move |&space| (*force, space)))
}

fn assert_close(what: &str, a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + a.abs() + b.abs()), "{what}: {a} and {b}");
}
