//! Every entry is run, and its check holds.

use std::collections::HashSet;

use hamel_gallery::{Case, Finding, Motion, chapters};

fn holds(name: &str) {
    let entry = chapters::named(name).expect("there is an entry of this name");
    let motion = Motion::new(&entry, &entry.setup).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    let case = Case { entry: &entry, motion: &motion };
    let findings = (entry.check)(&case).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    assert!(!findings.is_empty(), "{name}: nothing is checked");
    let told: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(findings.iter().all(Finding::holds), "{name}:\n  {}", told.join("\n  "));
}

macro_rules! entries {
    ($($name:ident),* $(,)?) => {
        const NAMES: [&str; 40] = [$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            holds(stringify!($name));
        })*
    };
}

entries!(
    double_pendulum,
    spherical_pendulum,
    wilberforce,
    foucault,
    swing,
    tautochrone,
    tippe_top,
    rattleback,
    tennis_racket,
    gyrocompass,
    rolling_coin,
    bricard,
    jansen,
    peaucellier,
    cardan_shaft,
    gripper,
    differential,
    governor,
    trebuchet,
    escapement,
    cam_follower,
    gantry_crane,
    newtons_cradle,
    dominoes,
    vibratory_feeder,
    rocking_block,
    bicycle,
    quarter_car,
    pantograph,
    helicopter_rotor,
    spin_up,
    whirling_shaft,
    falling_chain,
    deployable_boom,
    crane_ship,
    moored_platform,
    stewart_platform,
    excavator,
    hexapod,
    humanoid,
);

#[test]
fn every_entry_and_every_text_is_tested() {
    let listed: Vec<&str> = chapters().iter().flat_map(|chapter| &chapter.entries).map(|entry| entry.name).collect();
    assert_eq!(listed, NAMES);
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/models")).unwrap();
    let files: HashSet<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files, NAMES.iter().map(|name| format!("{name}.model")).collect());
}

#[test]
fn every_text_begins_with_a_paragraph_and_plots_an_output() {
    for entry in chapters().into_iter().flat_map(|chapter| chapter.entries) {
        let words = entry.paragraph().split_whitespace().count();
        assert!((20..100).contains(&words), "{}: {words} words", entry.name);
        let outputs = entry.text.matches("output ").count();
        assert!(outputs > 0 && entry.text.contains(&format!("output {}", entry.plotted)), "{}", entry.name);
    }
}

/// The checks of the gallery can fail: another text, or another parameter, is noticed.
#[test]
fn a_model_that_is_another_is_noticed() {
    for (name, parameter, value) in [("foucault", "latitude", 0.8), ("jansen", "m", 0.16), ("governor", "ball", 1.6)] {
        let mut entry = chapters::named(name).expect("there is an entry of this name");
        entry.setup = entry.setup.clone().with(parameter, value);
        let motion = Motion::new(&entry, &entry.setup).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let findings = (entry.check)(&Case { entry: &entry, motion: &motion });
        assert!(findings.is_ok_and(|findings| !findings.iter().all(Finding::holds)), "{name}");
    }
}
