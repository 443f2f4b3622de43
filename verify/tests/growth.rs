//! Iterations and factorizations against the number of members, through `Simulation` with a scheme of each family: a long
//! mechanism takes hardly more of them than a short one. That the operations of each grow with the number of members is
//! what the experiments `scaling` claim.

use hamel::schemes::{self, FAMILIES};
use hamel::{Model, Simulation, initial_state};
use hamel_jit::{JitModel, Level};

const STEP: f64 = 1e-4;
const STEPS: u32 = 20;
/// Greatest exponent of the number of members in the cost of a motion, and what a longer motion may lose by whole numbers.
const EXPONENT: f64 = 0.1;
const MORE: f64 = 2.0;
/// Corrections that take as long as a factorization, about.
const FACTORIZATION: u32 = 3;
/// One of each family; explicit and half-explicit ones factorize with constraints, and iterate to remove drift.
const SCHEMES: [&str; 8] =
    ["runge_kutta", "generalized_alpha", "half_explicit", "lms2", "ss2", "esdirk324", "mssth3_published", "radau_iia3"];

fn model(text: &str, length: usize) -> JitModel {
    let text = text.replace("const n = 10;", &format!("const n = {length};"));
    let stages = hamel_compiler::stages(text.parse().expect("tokens")).expect("a model");
    hamel_jit::compile(&stages, Level::AtOnce).expect("machine code")
}

/// Newton iterations and factorizations of a motion, in corrections.
fn cost(model: &dyn Model, scheme: &str) -> f64 {
    let scheme = schemes::by_name(scheme, &[]).expect("a scheme");
    let start = initial_state(model).expect("a consistent state");
    let run = Simulation::new(model, &*scheme).step(STEP).until(f64::from(STEPS) * STEP).run(start);
    let stats = run.outcome.expect("a motion");
    f64::from(stats.newton_iterations + FACTORIZATION * stats.factorizations)
}

/// Compares mechanisms of two lengths by all schemes but those that are not `stable`.
fn compare(text: &str, lengths: [usize; 2], stable: impl Fn(&str) -> bool) {
    let [short, long] = lengths.map(|length| model(text, length));
    let growth = (lengths[1] as f64 / lengths[0] as f64).powf(EXPONENT);
    for scheme in SCHEMES.into_iter().filter(|scheme| stable(scheme)) {
        let (few, many) = (cost(&short, scheme), cost(&long, scheme));
        let [n, m] = lengths;
        assert!(many <= few * growth + MORE, "{scheme}: {few} with {n} members, {many} with {m}");
    }
}

#[test]
fn each_family_has_a_scheme() {
    for family in FAMILIES {
        assert!(family.entries.iter().any(|entry| SCHEMES.contains(&entry.name)), "{}", family.name);
    }
}

#[test]
fn chains_in_space_need_no_more_iterations() {
    compare(include_str!("../data/scaling/chain.model"), [10, 80], |_| true);
}

#[test]
fn chains_in_the_plane_need_no_more_iterations() {
    compare(include_str!("../data/scaling/planar_chain.model"), [10, 160], |_| true);
}

#[test]
fn chains_in_joint_coordinates_need_no_more_iterations() {
    compare(include_str!("../data/scaling/joint_planar_chain.model"), [5, 20], |_| true);
}

#[test]
fn beams_need_no_more_iterations() {
    // Explicit schemes would have to resolve waves along an element.
    compare(include_str!("../data/scaling/beam.model"), [16, 64], |scheme| {
        !["runge_kutta", "half_explicit"].contains(&scheme)
    });
}
