//! Work of a step against the number of members, through `Simulation` with a scheme of each family: Newton's method takes as
//! many iterations and factorizations for a long mechanism as for a short one. That the operations of each grow with the
//! number of members is what the experiments `scaling` claim.

use hamel::schemes::{self, FAMILIES};
use hamel::{Model, Simulation, initial_state};
use hamel_jit::{JitModel, Level};

const STEP: f64 = 1e-4;
const STEPS: u32 = 20;
/// Greatest exponent of the number of members in the numbers of iterations and of factorizations, and what is lost in a motion
/// by whole numbers.
const EXPONENT: f64 = 0.05;
const MORE: f64 = 2.0;
/// One of each family; explicit and half-explicit ones factorize with constraints, and iterate to remove drift.
const SCHEMES: [&str; 8] =
    ["runge_kutta", "generalized_alpha", "half_explicit", "lms2", "ss2", "esdirk324", "mssth3_published", "radau_iia3"];

fn model(text: &str, length: usize) -> JitModel {
    let text = text.replace("const n = 10;", &format!("const n = {length};"));
    let stages = hamel_compiler::stages(text.parse().expect("tokens")).expect("a model");
    hamel_jit::compile(&stages, Level::AtOnce).expect("machine code")
}

/// Newton iterations and factorizations of a motion.
fn work(model: &dyn Model, scheme: &str) -> [u32; 2] {
    let scheme = schemes::by_name(scheme, &[]).expect("a scheme");
    let start = initial_state(model).expect("a consistent state");
    let run = Simulation::new(model, &*scheme).step(STEP).until(f64::from(STEPS) * STEP).run(start);
    let stats = run.outcome.expect("a motion");
    [stats.newton_iterations, stats.factorizations]
}

/// Compares mechanisms of two lengths by all schemes but those that are not `stable`.
fn compare(text: &str, lengths: [usize; 2], stable: impl Fn(&str) -> bool) {
    let [short, long] = lengths.map(|length| model(text, length));
    let growth = (lengths[1] as f64 / lengths[0] as f64).powf(EXPONENT);
    for scheme in SCHEMES.into_iter().filter(|scheme| stable(scheme)) {
        for (few, many) in work(&short, scheme).into_iter().zip(work(&long, scheme)) {
            let allowed = f64::from(few) * growth + MORE;
            assert!(
                f64::from(many) <= allowed,
                "{scheme}: {few} with {} members, {many} with {}",
                lengths[0],
                lengths[1]
            );
        }
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
