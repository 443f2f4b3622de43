//! Models that are taken from the cache are those that were put into it.

use std::fs;

use hamel::{Model, Options, State, initial_state, schemes};
use hamel_jit::{Cache, JitModel, Level};

fn model(text: &str, level: Level, cache: Option<&Cache>) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), level, cache).unwrap()
}

/// The state after some steps, bit by bit.
fn end(model: &JitModel) -> Vec<u64> {
    let start = initial_state(model).unwrap();
    let name = if model.describe().contacts.is_empty() { "generalized_alpha" } else { "bathe" };
    let scheme = schemes::by_name(name, &[]).unwrap();
    let mut stepper = scheme.start_with(model, start, &Options::default()).unwrap();
    (0..20).for_each(|_| _ = stepper.step(1e-3).unwrap());
    let State { q, v, a, lambda, .. } = stepper.state();
    q.iter().chain(v.iter()).chain(a.iter()).chain(lambda.iter()).map(|value| value.to_bits()).collect()
}

fn files(folder: &tempfile::TempDir) -> usize {
    fs::read_dir(folder.path()).unwrap().count()
}

/// Models with constraints, contacts, beams, laws of parameters and arrays by rule: the same description, the same bits.
#[test]
fn models_are_read_as_they_were_written() {
    let names =
        ["heavy_top", "slider_crank", "slider_crank_clearance", "flexible_pendulum", "otter", "rolling_ball", "chain"];
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path());
    let mut kept = 0;
    for name in names {
        let Some(entry) = hamel_models::find(name) else { continue };
        let text = (entry.build)(&[]).unwrap().describe().source.clone();
        let fresh = model(&text, Level::AtOnce, None);
        assert_eq!(files(&folder), kept, "nothing is kept without a cache");
        let written = model(&text, Level::AtOnce, Some(&cache));
        kept += 1;
        assert_eq!(files(&folder), kept);
        let read = model(&text, Level::AtOnce, Some(&cache));
        assert_eq!(format!("{:?}", read.describe()), format!("{:?}", fresh.describe()), "{name}");
        assert_eq!(read.parameters(), fresh.parameters(), "{name}");
        assert_eq!(read.validate(), fresh.validate(), "{name}");
        assert!(end(&read) == end(&fresh) && end(&written) == end(&fresh), "{name}");
    }
    assert!(kept >= 5, "{kept} models");
    // Another level is another entry.
    let text = (hamel_models::find("heavy_top").unwrap().build)(&[]).unwrap().describe().source.clone();
    model(&text, Level::Optimised, Some(&cache));
    assert_eq!(files(&folder), kept, "one entry a text: the last level replaces the other");
}

/// Pivots of large matrices are kept too, and make no difference but in time.
#[test]
fn large_models_are_read_with_their_pivots() {
    let text = "model Beam {
        gravity [0, 0, -9.81] m/s^2;
        flexible rod: beam_three_node {
            length: 2 m, elements: 70, axial: 2e6 N, shear: [1, 0.8] MN, torsion: 80 N m^2, bending: [120, 150] N m^2,
            mass_per_length: 3 kg/m, inertia_per_length: [2e-4, 1e-4, 1e-4] kg m
        }
        joint clamp: fixed(ground, rod.root);
    }";
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path());
    let fresh = model(text, Level::AtOnce, None);
    let written = model(text, Level::AtOnce, Some(&cache));
    let read = model(text, Level::AtOnce, Some(&cache));
    let has_pivots = |model: &JitModel| {
        let info = model.describe();
        let motion = info.mass_matrix.bordered(&info.constraint_jacobian);
        [&info.iteration_matrix, &motion].map(|pattern| pattern.pivots().is_some())
    };
    assert_eq!([&fresh, &written, &read].map(has_pivots), [[false; 2], [true; 2], [true; 2]]);
    assert_eq!(format!("{:?}", read.describe()), format!("{:?}", fresh.describe()));
    let [fresh, written, read] = [&fresh, &written, &read].map(end);
    assert!(written == fresh && read == fresh);
}

/// An entry that was cut off or altered is compiled again, and mistakes are not kept.
#[test]
fn damaged_entries_are_replaced() {
    let text = "model Block { planar; coordinates joint; param k = 4 N/m; body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block); force spring: spring(ground, block) { stiffness: k }
        initial rail.displacement = 1 m; }";
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::in_folder(folder.path());
    let fresh = end(&model(text, Level::AtOnce, Some(&cache)));
    let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&path).unwrap();
    let mut damaged: Vec<Vec<u8>> = (0..whole.len()).step_by(97).map(|end| whole[..end].to_vec()).collect();
    damaged.extend((0..whole.len()).step_by(89).map(|place| {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x10;
        bytes
    }));
    for bytes in damaged {
        fs::write(&path, bytes).unwrap();
        assert_eq!(end(&model(text, Level::AtOnce, Some(&cache))), fresh);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    assert!(hamel_jit::model("model Nothing { }".parse().unwrap(), Level::AtOnce, Some(&cache)).is_err());
    assert_eq!(files(&folder), 1);
}

/// Machine code of one library is not run by another, nor by a program, even if only the content of its file differs.
#[test]
fn each_library_takes_its_own_entries_alone() {
    let text = "model Block { planar; coordinates joint; body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block); initial rail.velocity = 1 m/s; }";
    let (folder, libraries) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let library = |name: &str, content: &str| {
        let path = libraries.path().join(name);
        fs::write(&path, content).unwrap();
        Cache::in_folder(folder.path()).of_library(&path).unwrap()
    };
    let entry = |cache: &Cache| {
        model(text, Level::AtOnce, Some(cache));
        let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        fs::read(path).unwrap()
    };
    let (first, other) = (library("first", "1"), library("other", "2"));
    let kept = entry(&first);
    assert_ne!(entry(&other), kept, "it was compiled anew");
    assert_ne!(entry(&Cache::in_folder(folder.path())), entry(&first));
    assert_eq!(entry(&library("moved", "1")), kept, "the content counts, and not the place");
    assert!(Cache::in_folder(folder.path()).of_library(&libraries.path().join("missing")).is_err());
}
