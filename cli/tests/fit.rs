//! `hamel fit` as users call it: tables, files, JSON, messages.

use std::fs;

use crate::common::program::{self, refused, succeeded};

const MODEL: &str = "model Oscillator {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param stiffness = 50 N/m;
    param damping = 0.6 N s/m;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force spring: spring_damper(ground, block) { stiffness: stiffness, damping: damping }
    initial rail.displacement = 0.3 m;
    output x = rail.displacement;
}";

/// The motion in closed form, with a small disturbance.
fn table() -> String {
    let (decay, turn) = (0.15_f64, (25.0_f64 - 0.15 * 0.15).sqrt());
    let row = |k: u32| {
        let t = 0.03 * f64::from(k);
        let x = 0.3 * (-decay * t).exp() * ((turn * t).cos() + decay / turn * (turn * t).sin());
        format!("{t},{}\n", x + 1e-3 * (17.0 * f64::from(k * k)).sin())
    };
    let rows: String = (1..=60).map(row).collect();
    format!("t [s],x [m]\n{rows}")
}

#[test]
fn parameters_are_found_with_their_errors() {
    let folder = program::folder(&[("o.model", MODEL), ("d.csv", &table())]);
    let fit = "fit o.model --data d.csv --free stiffness,damping=0.. --set stiffness=40 --out found";
    let text = succeeded(folder.path(), fit);
    assert!(text.contains("standard error") && text.contains("root mean square"), "{text}");
    let files = ["Oscillator_fit.csv", "Oscillator_fit.json", "Oscillator_x_fit.svg"];
    files.iter().for_each(|file| assert!(folder.path().join("found").join(file).exists(), "{file}"));
    let found: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("found/Oscillator_fit.json")).unwrap()).unwrap();
    for (place, exact) in [50.0, 0.6].into_iter().enumerate() {
        let parameter = &found["parameters"][place];
        let (value, error) = (parameter["value"].as_f64().unwrap(), parameter["error"].as_f64().unwrap());
        assert!((value - exact).abs() < 3.0 * error && error < 0.05 * exact, "{parameter}");
    }
    // From afar the whole motion leads elsewhere.
    let far = "fit o.model --data d.csv --free stiffness --set stiffness=900";
    assert!(succeeded(folder.path(), far).contains("is not noise"));
    let text = succeeded(folder.path(), &format!("{far} --intervals 10"));
    assert!(text.contains("50.") && !text.contains("caution"), "{text}");
    let printed = succeeded(folder.path(), "fit o.model --data d.csv --free stiffness --json");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap()["parameters"][0]["name"], "stiffness");
}

#[test]
fn doubts_and_mistakes_are_said() {
    let folder = program::folder(&[("o.model", MODEL), ("d.csv", &table())]);
    let text = succeeded(folder.path(), "fit o.model --data d.csv --free mass,stiffness,damping");
    assert!(text.contains("caution: the measurements do not tell") && text.contains("not determined"), "{text}");
    let fit = "fit o.model --data d.csv --free";
    refused(folder.path(), &format!("{fit} mas"), 2, &["no parameter `mas` to fit", "`mass`, `stiffness`, `damping`"]);
    refused(folder.path(), &format!("{fit} mass=3..4"), 2, &["within 3..4, found 2", "--set mass="]);
    refused(folder.path(), &format!("{fit} mass=3"), 2, &["expected NAME or NAME=LOW..HIGH"]);
    refused(folder.path(), &format!("{fit} mass --noise y=1"), 2, &["--noise y", "no column `y`"]);
    refused(folder.path(), &format!("{fit} mass --dt 0"), 2, &["expected a positive time"]);
    refused(folder.path(), &format!("{fit} mass --intervals 0"), 2, &["--intervals: expected 1 to 60 intervals"]);
    refused(folder.path(), &format!("{fit} mass --until 0.04"), 2, &["1 measured numbers for 1 parameters"]);
    let two = MODEL.replace("0.3 m;", "0.3 m;\n    param place = [0.3, 0] m;");
    fs::write(folder.path().join("two.model"), two).unwrap();
    for command in ["fit two.model --data d.csv", "optimize two.model --until 1 --minimize x.final"] {
        let twice = format!("{command} --free place_x,place[0]");
        refused(folder.path(), &twice, 2, &["--free: `place_x` and `place[0]` are one parameter"]);
    }
    fs::write(folder.path().join("bad.csv"), "t,x\n0.1,1\n0.05,2\n").unwrap();
    refused(
        folder.path(),
        "fit o.model --data bad.csv --free mass",
        2,
        &["bad.csv:3", "a time after 0.1 s, found 0.05"],
    );
}
