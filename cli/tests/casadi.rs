//! Functions for CasADi: their sources compile without a warning, and their Jacobians are what differences give.

use std::path::Path;
use std::process::Command;

use crate::common::program::{self, refused, succeeded};

/// Every warning that the compilers of boards have.
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wshadow"];

/// Constraints, rotations of all kinds, states, constraints on velocities, inputs, and time.
const MODELS: [&str; 8] =
    ["pendulum", "slider_crank", "heavy_top", "heavy_top_joint", "otter", "sleigh", "driven_pendulum", "moored_ship"];

/// Joints of all kinds of coordinates, with an input, outputs of accelerations, and second derivatives.
const ARM: &str = "model Arm {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;
    param payload = 0.5 kg;
    input drive N m;
    body a { mass: 2 kg, inertia: diag(0.1, 0.2, 0.15) kg m^2 }
    body b { mass: 1.5 kg, inertia: diag(0.05, 0.12, 0.1) kg m^2 }
    body c { mass: payload, inertia: diag(0.01, 0.02, 0.015) kg m^2 }
    joint base: free(ground, a);
    joint elbow: revolute(a at [0, 0, 0.2] m, b at [-0.3, 0, 0] m) { axis: [0, 1, 0] }
    joint wrist: spherical(b at [0.3, 0, 0] m, c at [-0.1, 0, 0] m);
    torque motor: drive on elbow;
    output tip = c.position;
    output acceleration = c.acceleration;
}";

fn exported(model: &str, out: &Path) -> Vec<String> {
    let folder = out.parent().unwrap();
    let text = succeeded(folder, &format!("export casadi {model} --out {}", out.display()));
    let functions = text.lines().find_map(|line| line.strip_prefix("functions: ")).unwrap();
    functions.split(", ").map(str::to_owned).collect()
}

#[test]
fn jacobians_of_functions_for_casadi_are_those_of_differences() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/casadi_driver.c");
    let mut models: Vec<String> = MODELS.map(str::to_owned).to_vec();
    for (name, text) in
        [("arm", ARM.to_owned()), ("arm_by_angles", ARM.replace("coordinates joint", "coordinates joint(euler_zyx)"))]
    {
        let path = folder.path().join(format!("{name}.model"));
        std::fs::write(&path, text).unwrap();
        models.push(path.to_str().unwrap().to_owned());
    }
    std::thread::scope(|scope| {
        for half in [0, 1] {
            let (models, driver, folder) = (&models, &driver, folder.path());
            scope.spawn(move || {
                for (i, model) in models.iter().enumerate().filter(|(i, _)| i % 2 == half) {
                    compare(model, driver, &folder.join(i.to_string()));
                }
            });
        }
    });
}

fn compare(model: &str, driver: &Path, out: &Path) {
    let functions = exported(model, out);
    let is_tree = functions.iter().any(|name| name == "forward_dynamics");
    let is_bound = functions.iter().any(|name| name == "constraint_rate");
    assert!(functions.len() >= 3 && !(is_tree && is_bound), "{model}: {functions:?}");
    let header = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let header = header.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "h")).unwrap();
    let symbol = header.file_stem().unwrap().to_str().unwrap();
    let list: String = functions.iter().map(|name| format!(" X({symbol}_casadi_{name})")).collect();
    std::fs::write(out.join("functions.h"), format!("#define FUNCTIONS(X){list}\n")).unwrap();
    let mut command = Command::new("cc");
    command.current_dir(out).args(["-std=c99", "-O1", "-include", "functions.h"]).args(WARNINGS);
    let sources = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    command.args(sources.filter(|path| path.extension().is_some_and(|ending| ending == "c"))).arg(driver);
    let output = command.args(["-o", "main", "-lm"]).output().unwrap();
    assert!(output.status.success(), "{model}: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(out.join("main")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{model}: {}\n{text}", output.status);
    let compared = text.lines().count();
    assert!(compared >= 2 * functions.len(), "{model}: {text}");
}

#[test]
fn models_without_derivatives_are_refused_for_casadi() {
    let folder = program::folder(&[]);
    refused(folder.path(), "export casadi bouncing_ball --out out", 2, &["has contacts"]);
}
