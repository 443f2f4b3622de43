//! The files of a crate use each other in one direction: stages in the order of the pipeline, files without circles.

use crate::common::uses::{Source, Use, circles, sources, upward, uses};
use std::path::Path;

/// The modules of the compiler from the bottom up: each may use those before it.
const COMPILER: [&str; 26] = [
    // The ground: what every stage may know.
    "limits",
    "escape",
    "reserved",
    "space",
    "spelling",
    "parallel",
    "random",
    "expr",
    "spatial",
    "units",
    // What models are made of.
    "rotations",
    "joints",
    "forces",
    "contacts",
    "solids",
    // The stages, in the order in which they run.
    "diagnostics",
    "parse",
    "resolve",
    "derive",
    "simplify",
    "schedule",
    "check",
    "emit",
    // What is made of their results.
    "inspect",
    "lib",
    "file",
];

/// The modules of the runtime from the bottom up.
const RUNTIME: [&str; 70] = [
    // What a standard library has.
    "prelude",
    "once",
    // Numbers, without mechanics.
    "random",
    "real",
    "sine_cosine",
    "lanes",
    "sign_changes",
    "pivots",
    "sparsity",
    "spelling",
    "digits",
    "norms",
    "rotation",
    "linear_solver",
    "tables",
    "linear_analysis",
    "signal",
    // What a model is.
    "abreast",
    "model",
    "instances",
    "known",
    "runs",
    "mass_solution",
    "generated",
    "configuration",
    "residuals",
    "rows",
    "span",
    // What a step is, and what it needs.
    "step",
    "caution",
    "blows",
    "contact_settings",
    "admissible",
    "redundancy",
    "undefined",
    "singularity",
    "skipped",
    "smallness",
    "joint_limits",
    "chart",
    "newton",
    "start",
    "acceleration",
    "switches",
    "projection",
    "consistent",
    "borders",
    "forward_dynamics",
    "inverse_dynamics",
    "equilibrium",
    "linearize",
    "modal",
    "marine",
    // Schemes.
    "events",
    "watchers",
    "tangent",
    "scheme",
    "nonsmooth",
    "schemes",
    "together",
    // Simulations.
    "adaptive",
    "trajectory",
    "serialised",
    "parquet_file",
    "penetration",
    "recorder",
    "simulation",
    "gradient",
    "ensemble",
    "lib",
];

fn read(files: &[(&str, &str)]) -> Vec<Use> {
    let source = |&(path, text): &(&str, &str)| Source { path: path.to_owned(), text: text.to_owned() };
    uses(&files.iter().map(source).collect::<Vec<_>>())
}

fn of(folder: &str) -> Vec<Use> {
    uses(&sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)))
}

#[test]
fn the_compiler_goes_in_one_direction() {
    let uses = of("src");
    assert!(uses.len() > 1000, "the sources have been read");
    assert_eq!(upward(&uses, &COMPILER), Vec::<&Use>::new(), "uses that go up");
    assert_eq!(circles(&uses), Vec::<Vec<String>>::new(), "files that use each other in circles");
}

#[test]
fn the_runtime_goes_in_one_direction() {
    let uses = of("../runtime/src");
    assert!(uses.len() > 500, "the sources have been read");
    assert_eq!(upward(&uses, &RUNTIME), Vec::<&Use>::new(), "uses that go up");
}

/// What is found in files that are written like this, as `from > to`.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let mut found: Vec<String> = read(files).iter().map(|used| format!("{} > {}", used.from, used.to)).collect();
    found.dedup();
    found
}

#[test]
fn a_wrong_use_is_found_however_it_is_written() {
    let ground = ("ground.rs", "pub struct Shape;\npub fn measure() {}");
    let stage = ("stage/mod.rs", "pub mod detail;\npub use detail::Detail;\npub fn run() {}");
    let detail = ("stage/detail.rs", "pub struct Detail;\npub enum Kind { One }");
    let wrong = [
        "use crate::stage::Detail;",
        "use crate::stage::{detail::{Detail, Kind}};",
        "use crate::{stage::{self as later}};\nfn f() { later::detail::Kind::One; }",
        "use super::super::stage::Detail as Other;",
        "pub(crate) fn f(_: crate::stage::detail::Kind) {}",
        "fn f() -> String { format!(\"{}\", size_of::<crate::stage::Detail>()) }",
        "mod inner { pub use super::super::super::stage::*;\nfn f(_: Detail) {} }",
        "impl From<crate::stage::Detail> for Own { fn from(_: crate::stage::Detail) -> Own { todo!() } }",
    ];
    for text in wrong {
        let files = [ground, stage, detail, ("early/mod.rs", "mod own;"), ("early/own.rs", text)];
        assert_eq!(found(&files), ["early/own.rs > stage/detail.rs"], "{text}");
        let uses = read(&files);
        assert!(!upward(&uses, &["ground", "early", "stage"]).is_empty(), "{text}");
        assert!(upward(&uses, &["ground", "stage", "early"]).is_empty(), "{text}");
        assert!(!upward(&uses, &["ground", "stage"]).is_empty(), "a module without a place: {text}");
    }
}

#[test]
fn what_is_no_use_is_not_found() {
    let later = ("later.rs", "pub struct Detail;");
    let harmless = [
        "// use crate::later::Detail;",
        "/// [`crate::later::Detail`]\nfn f() -> &'static str { \"crate::later::Detail\" }",
        "#[cfg(test)]\nmod tests { use crate::later::Detail; }",
        "#[cfg(test)]\nuse crate::later::Detail;",
        "use std::fmt; use other::later::Detail; fn f() { ::later::Detail; }",
        "use crate::later;",
        "use self::own::Detail; mod own { pub struct Detail; }",
    ];
    for text in harmless {
        assert_eq!(found(&[later, ("early.rs", text)]), [""; 0], "{text}");
    }
    let tests = [later, ("early/mod.rs", "#[cfg(test)]\nmod tests;"), ("early/tests.rs", "use crate::later::Detail;")];
    assert_eq!(found(&tests), [""; 0]);
}

#[test]
fn circles_within_a_stage_are_found() {
    let list = ("kinds/mod.rs", "mod one;\nmod two;\npub trait Kind {}\nstatic ALL: &[&dyn Kind] = &[&one::One];");
    let one = ("kinds/one.rs", "use super::Kind;\npub struct One;\nimpl Kind for One {}");
    let two = ("kinds/two.rs", "use super::one::One;");
    let of = |files: &[(&str, &str)]| circles(&read(files));
    assert_eq!(of(&[list, one, two]), [["kinds/mod.rs", "kinds/one.rs"]]);
    // A module may list what implements a trait that stands beside it.
    let list = ("kinds/mod.rs", "mod kind;\nmod one;\npub use kind::Kind;\nstatic ALL: &[&dyn Kind] = &[&one::One];");
    assert_eq!(of(&[list, ("kinds/kind.rs", "pub trait Kind {}"), one, two]), Vec::<Vec<String>>::new());
    // And it may pass on what uses it.
    let facade = ("stage/mod.rs", "mod all;\npub use all::all;\npub fn one() {}");
    let all = ("stage/all.rs", "pub fn all() { super::one() }");
    assert_eq!(of(&[facade, all]), Vec::<Vec<String>>::new());
    let caller = ("stage/mod.rs", "mod all;\npub use all::all;\npub fn one() { all() }");
    assert_eq!(of(&[caller, all]), [["stage/all.rs", "stage/mod.rs"]]);
}
