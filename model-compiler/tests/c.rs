//! The C of every valid model: it compiles without a warning, and computes what the interpreter computes.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::c_program;
use hamel_compiler::derive::Role;
use hamel_compiler::schedule::interpret::{Dense, Interpreter, Point, defaults};
use hamel_compiler::schedule::totals;
use hamel_compiler::schedule::vocabulary::role_name;
use hamel_compiler::{Stages, emit, parallel};

fn stages(text: &str) -> Stages {
    let tokens = text.parse().expect("the model lexes");
    hamel_compiler::stages(tokens).unwrap_or_else(|error| panic!("{error}"))
}

fn point(stages: &Stages) -> Point<f64> {
    let layout = &stages.simplified.layout;
    let numbers = |n: usize, start: f64| (0..n).map(|i| start + 0.37 * i as f64 - 0.05 * (i * i) as f64).collect();
    Point {
        t: 0.6,
        inputs: numbers(layout.inputs.len(), 0.8),
        q: numbers(layout.coordinates.len(), 0.3),
        v: numbers(layout.velocities.len(), -0.7),
        a: numbers(layout.velocities.len(), 1.9),
        lambda: numbers(layout.constraints.len(), 2.1),
        tau: numbers(layout.velocities.len(), -1.3),
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Compiles the C of a model in a folder, runs it, and compares.
fn check(folder: &Path, stages: &Stages) {
    check_at(folder, stages, &point(stages));
}

fn check_at(folder: &Path, stages: &Stages, point: &Point<f64>) {
    let model = Interpreter::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let functions = totals::functions(&stages.simplified, &stages.schedule).into_iter();
    let expected: Vec<(String, Vec<(Role, Dense<f64>)>)> =
        functions.map(|function| (function.name, model.evaluate(function.role, point))).collect();
    let printed = c_program::printed(folder, stages, point).unwrap_or_else(|error| panic!("{error}"));
    let mut count = 0;
    let mut sums: Vec<f64> = Vec::new();
    for line in &printed {
        let c_program::Line { function, result, value, .. } = line;
        let results = expected.iter().find(|(name, _)| name == function);
        let dense = results.and_then(|(_, all)| all.iter().find(|(role, _)| role_name(*role) == result));
        let (_, dense) = dense.unwrap_or_else(|| panic!("{line:?}"));
        let index = line.index(dense.columns);
        let scale = dense.values.iter().fold(1e-30_f64, |scale, value| scale.max(value.abs()));
        assert!((value - dense.values[index]).abs() <= 1e-13 * scale, "{line:?}: {}", dense.values[index]);
        sums.push(*value);
        count += 1;
    }
    let non_zero = |dense: &Dense<f64>| dense.values.iter().filter(|value| **value != 0.0).count();
    let all: usize = expected.iter().flat_map(|(_, results)| results).map(|(_, dense)| non_zero(dense)).sum();
    assert!(all > 0 && sums.iter().filter(|value| **value != 0.0).count() == all, "{count} of {all} results");
}

#[test]
fn c_computes_what_the_interpreter_computes() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass");
    let entries = std::fs::read_dir(models).expect("a folder");
    let paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a model").path()).collect();
    parallel::map(&paths, |path| {
        let text = std::fs::read_to_string(path).expect("a model");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c_{name}"));
        check(&folder, &stages(&text));
        if name == "double_pendulum" {
            let wanted = "{ provide nonlinear_effects, inverse_dynamics, forward_dynamics, \
                          inverse_dynamics_derivatives, forward_dynamics_derivatives;";
            check(&folder.with_extension("provided"), &stages(&text.replacen('{', wanted, 1)));
        }
        if name == "drag" {
            let stages = stages(&text);
            let mut at_rest = point(&stages);
            at_rest.v.fill(0.0);
            check_at(&folder.with_extension("at_rest"), &stages, &at_rest);
        }
        if name == "slider_crank" {
            check(&folder.with_extension("fused"), &stages(&text.replacen('{', "{ fused_multiply_add;", 1)));
        }
    });
}

/// Restitution, tangential restitution and friction of the pass model's contacts, with a parameter changed.
#[test]
fn laws_of_contacts_follow_the_parameters_in_c() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pass/contacts.model"));
    let stages = stages(&text.expect("a model"));
    let files = emit::c("TheModel", &stages.simplified, &stages.schedule);
    let friction = stages.simplified.parameter_graph.symbols().iter().position(|symbol| symbol.name == "friction");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_laws");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("the_model.h"), files.header).expect("a file");
    std::fs::write(folder.join("the_model.c"), files.source).expect("a file");
    let main = format!(
        "#include <stdio.h>\n#include \"the_model.h\"\nint main(void)\n{{\ndouble parameters[the_model_n_parameters];\n\
        the_model_contact_law laws[the_model_n_contacts];\nthe_model_parameters(parameters);\nparameters[{}] = 0.7;\n\
        the_model_contact_laws(parameters, laws);\nfor (int i = 0; i < the_model_n_contacts; ++i)\n\
        printf(\"%g %g %g \", laws[i].restitution, laws[i].tangential_restitution, laws[i].friction);\nreturn 0;\n}}\n",
        friction.expect("a parameter")
    );
    std::fs::write(folder.join("main.c"), main).expect("a file");
    let program = folder.join("main");
    run(Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(&program)
        .args([folder.join("main.c"), folder.join("the_model.c")])
        .arg("-lm"));
    let (floor, pair, side) = ("0.5 0 0.7 ", "0 0 0.2 ", "0.5 0.1 1.4 ");
    // In the order written: loops round by round.
    let expected = [floor.repeat(3), pair.repeat(3), "0 0 0 ".to_owned(), side.repeat(3)].concat();
    assert_eq!(run(&mut Command::new(&program)), expected);
}

/// Without parameters, constants follow from numbers alone; C has no empty arrays.
#[test]
fn models_without_parameters_and_with_functions_on_request_are_c() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let model = "model M { coordinates joint; body arm { mass: 2 kg, inertia: diag(1, 2, 2.5) kg m^2 }
        body hand { mass: 1 kg, inertia: diag(1, 2, 2.5) kg m^2, center_of_mass: [0.1, -0.2, 0.3] m }
        joint slide: prismatic(ground at [1, -133.41, 0] m rotated rotation_z(1.9765 rad), arm);
        joint ball: spherical(arm at [0.3, 0.4, 0] m rotated rotation_x(1.2 rad), hand);
        provide inverse_dynamics_derivatives, forward_dynamics_derivatives; }";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_plain");
    check(&folder, &stages(model));
}

/// Parameters with the names of keywords of C, of macros that compilers define, and of functions that the code calls.
#[test]
fn names_that_c_reserves_are_escaped() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let names = "alignas alignof asm auto bool case char complex constexpr default double errno float fmax goto i386 inline int \
                 isnan linux long main mul_add noreturn nullptr parameters pow register restrict short signed sizeof size_t switch \
                 thread_local typeof_unqual uint32_t union unix unsigned vector void volatile NULL INFINITY M_PI _Bool θ größe vᵀ";
    let parameters: String = names.split_whitespace().map(|name| format!("param {name} = 0.1;")).collect();
    let sum = names.split_whitespace().map(|name| format!(" + sin({name} * disc.angle)")).collect::<String>();
    let stages = stages(&format!(
        "model M {{ planar; {parameters} body disc {{ mass: 1 kg, inertia: 1 kg m^2 }} joint motion: free(ground, disc);
        torque motor: 1 N m * (1{sum}) on disc; }}"
    ));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_names");
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, plain) in [("TheModel", "the_model"), ("Vᵀ", "v_u1d40_")] {
        let files = emit::c(name, &stages.simplified, &stages.schedule);
        std::fs::write(folder.join(format!("{plain}.h")), files.header).expect("a file");
        let source = folder.join(format!("{plain}.c"));
        std::fs::write(&source, files.source).expect("a file");
        // The compiler's own dialect has more names than the standard.
        for dialect in ["-std=c99", "-std=gnu17"] {
            run(Command::new("cc").args([dialect, "-Werror", "-fsyntax-only"]).arg(&source));
        }
    }
}

/// A loop makes derivatives of forward dynamics of trees with many velocities of other functions.
#[test]
fn slopes_that_loops_solve_for_are_those_of_the_interpreter() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("not checked: there is no C compiler `cc`");
        return;
    }
    let text = "model Chain { planar; coordinates joint; gravity [0.2, -9.81] m/s^2;
        for k in 0..24 { body link[k] { mass: 1 kg, inertia: 0.1 kg m^2, center_of_mass: [0.1, 0.03] m } }
        joint pin[0]: revolute(ground, link[0]);
        for k in 1..12 { joint pin[k]: revolute(link[k - 1] at [0.2, 0] m, link[k]); }
        joint pin[12]: revolute(ground at [1, 0] m, link[12]);
        for k in 13..24 { joint pin[k]: revolute(link[k - 1] at [0.2, 0] m, link[k]); }
        input push N m; torque drive: push on link[3];
        provide forward_dynamics_derivatives; }";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_loops");
    check(&folder, &stages(text));
}
