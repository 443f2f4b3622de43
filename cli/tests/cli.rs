//! The command as a person meets it: exit codes, messages, files.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn hamel(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
    // Compiled models are kept here instead of in the user's folder.
    command.args(arguments).env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command.output().expect("the binary was built for this test")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Exit code 2 and a message with all of these parts.
fn assert_usage_error(arguments: &[&str], parts: &[&str]) {
    let output = hamel(arguments);
    let message = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{message}");
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: expected `{part}` in\n{message}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let run = ["--dt", "1e-3", "--until", "1"];
    let with = |head: &[&'static str]| [head, &run].concat();
    assert_usage_error(
        &with(&["run", "pendulim", "--scheme", "hht"]),
        &["unknown model `pendulim`", "did you mean `pendulum`?"],
    );
    assert_usage_error(
        &with(&["run", "pendulum", "--scheme", "hth"]),
        &["unknown scheme `hth`", "did you mean `hht`?"],
    );
    assert_usage_error(&with(&["run", "pendulum", "--scheme", "zzzzzzzz"]), &["unknown scheme", "generalized_alpha"]);
    assert_usage_error(&["reproduce", "sherrif"], &["unknown paper `sherrif`", "did you mean `sherif`?"]);
    assert_usage_error(
        &["reproduce", "--only", "sherif/heavy_top/fig22"],
        &["unknown experiment", "`sherif/heavy_top/fig2`"],
    );
    assert_usage_error(&["inspect", "heavy_tob"], &["unknown model `heavy_tob`", "did you mean `heavy_top`?"]);
    assert_usage_error(
        &with(&["run", "pendulum", "--set", "mas=2", "--scheme", "hht"]),
        &["unknown parameter `mas`", "did you mean `mass`?"],
    );
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    let run =
        |extra: &[&'static str]| [&["run", "pendulum_absolute", "--scheme", "hht", "--until", "1"], extra].concat();
    assert_usage_error(&run(&["--dt", "0"]), &["--dt", "positive"]);
    assert_usage_error(&run(&["--dt", "-1e-3"]), &["--dt", "positive", "-0.001"]);
    assert_usage_error(&run(&["--dt", "nan"]), &["--dt", "positive"]);
    let with = |assignment: &'static str| run(&["--dt", "1e-3", "--with", assignment]);
    assert_usage_error(&with("alpha=-0.5"), &["hht: alpha must lie in [-0.3333, 0], but is -0.5"]);
    assert_usage_error(&with("alpha=nan"), &["[-0.3333, 0], but is NaN"]);
    assert_usage_error(&with("alpa=-0.1"), &["no parameter `alpa`", "[-0.3333, 0]", "did you mean `alpha`?"]);
    assert_usage_error(&with("rho_infinity=0.5"), &["no parameter `rho_infinity`", "known: alpha in"]);
    assert_usage_error(&with("alpha"), &["NAME=VALUE"]);
    assert_usage_error(&run(&["--dt", "1e-3", "--set", "mass"]), &["NAME=VALUE"]);
    assert_usage_error(&run(&["--dt", "1e-3", "--record", "0"]), &["--record"]);
    assert_usage_error(&["inspect", "pendulum", "--stats", "--as", "latex"], &["--stats", "--as"]);
    assert_usage_error(
        &run(&["--dt", "1e-3", "--with", "alpha=0", "--with", "alpha=-0.1"]),
        &["`alpha` is given twice"],
    );
    let export = ["export", "c", "pendulum", "--out", "nowhere", "--set", "mass=inf"];
    assert_usage_error(&export, &["parameter `mass` is inf: expected a finite number"]);
    let sweep =
        ["sweep", "pendulum", "--vary", "mass=1,2", "--outputs", "energy.final", "--until", "1", "--out", "t.xlsx"];
    assert_usage_error(&sweep, &["`t.xlsx`: expected a name that ends in .parquet"]);
}

#[test]
fn parameters_that_no_mechanism_has_are_refused() {
    let with = |value: &'static str| {
        ["run", "heavy_top", "--scheme", "hht", "--dt", "1e-3", "--until", "0.01", "--set", value]
    };
    assert_usage_error(&with("mass=-1"), &["the mass of `top` is -1, expected a positive mass"]);
    assert_usage_error(&with("mass=0"), &["the mass of `top` is 0"]);
    assert_usage_error(&with("mass=nan"), &["parameter `mass` is NaN, expected a finite number"]);
    assert_usage_error(&with("tip_y=inf"), &["parameter `tip_y` is inf"]);
    assert_usage_error(&with("tip[1]=inf"), &["parameter `tip_y` is inf"]);
    assert_usage_error(&with("inertia_yy=1e9"), &["`top`", "triangle inequality"]);
}

#[test]
fn runs_that_would_never_end_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let run = |dt: &'static str| {
        hamel(&[
            "run",
            "pendulum",
            "--scheme",
            "newmark",
            "--with",
            "beta=0.3025",
            "--with",
            "gamma=0.6",
            "--dt",
            dt,
            "--until",
            "0.1",
            "--out",
            out,
        ])
    };
    let output = run("1e-300");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("steps, which never end"), "{}", errors(&output));
    // A step that does not divide the interval: the last one is shorter, and that is said.
    let output = run("0.03");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(text(&output).contains("4 steps, the last of 1.000000e-2 s"), "{}", text(&output));
    assert!(text(&output).contains("β = 0.3025"), "{}", text(&output));
    let table = std::fs::read_to_string(directory.path().join("pendulum.csv")).unwrap();
    let header = table.lines().next().unwrap();
    let mut columns: Vec<&str> = header.split(',').collect();
    let all = columns.len();
    columns.sort_unstable();
    columns.dedup();
    assert_eq!(columns.len(), all, "{header}");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let below = file.join("report");
    let below = below.to_str().unwrap();
    let run = ["run", "pendulum", "--scheme", "hht", "--dt", "0.01", "--until", "0.1", "--out", below];
    for arguments in [["reproduce", "--cost", "seconds", "--out", below].as_slice(), &run] {
        let output = hamel(arguments);
        let message = errors(&output);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}\n{message}");
        assert!(message.contains("cannot write") && message.contains(below), "{arguments:?}: {message}");
    }
}

#[test]
fn wrong_usage_is_claps_own() {
    assert_usage_error(&[], &["Usage"]);
    assert_usage_error(&["reproduce", "--cost", "days"], &["days", "seconds"]);
    assert_eq!(hamel(&["--version"]).status.code(), Some(0));
    assert!(text(&hamel(&["--help"])).contains("Exit codes"));
}

#[test]
fn a_motion_is_written_with_its_plots() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let output = hamel(&[
        "run",
        "heavy_top",
        "--scheme",
        "modified-hht-body-weighted",
        "--with",
        "alpha=-0.2",
        "--dt",
        "1e-3",
        "--until",
        "0.1",
        "--record",
        "10",
        "--set",
        "mass=15",
        "--out",
        out,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(text(&output).contains("omega_y"), "{}", text(&output));
    let records = csv::Reader::from_path(directory.path().join("heavy_top.csv")).unwrap().into_records().count();
    assert_eq!(records, 11);
    for file in ["energy.svg", "constraints.svg", "output_omega.svg", "heavy_top.json"] {
        assert!(directory.path().join(file).is_file(), "{file}");
    }
}

/// A longer pendulum swings more slowly; each value has files of its own, and all share the plots.
#[test]
fn runs_that_vary_a_parameter_share_their_plots() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let vary = ["--vary", "mass=0.5, 2"];
    let run = ["run", "pendulum", "--until", "0.2", "--dt", "1e-2", "--scheme", "hht", "--out", out];
    let output = hamel(&[&run[..], &vary].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    for name in ["pendulum_mass_0.5", "pendulum_mass_2"] {
        let about = std::fs::read_to_string(folder.path().join(format!("{name}.json"))).unwrap();
        assert!(about.contains("\"mass\""), "{about}");
        let motion = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        assert_eq!(motion.lines().count(), 22);
    }
    let plot = std::fs::read_to_string(folder.path().join("energy.svg")).unwrap();
    for curve in ["total, mass = 0.5 kg", "total, mass = 2 kg"] {
        assert!(plot.contains(curve), "expected `{curve}`");
    }
    assert_usage_error(&[&run[..], &["--vary", "mass=1,1"]].concat(), &["two runs would write pendulum_mass_1.csv"]);
    assert_usage_error(&[&run[..], &["--vary", "mass=1,a"]].concat(), &["expected numbers with commas between", "`a`"]);
    assert_usage_error(&[&run[..], &["--vary", "mas=1,2"]].concat(), &["did you mean `mass`?"]);

    // Several models: what they share is drawn in one plot.
    let both =
        ["run", "pendulum", "pendulum_absolute", "--until", "0.2", "--dt", "1e-2", "--scheme", "hht", "--out", out];
    let output = hamel(&both);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let plot = std::fs::read_to_string(folder.path().join("energy.svg")).unwrap();
    assert!(plot.contains("total, pendulum_absolute") && folder.path().join("pendulum.csv").exists());
}

#[test]
fn a_failed_step_leaves_what_was_computed() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    // Far too large a step: the top turns by 15 rad in it.
    let output = hamel(&[
        "run",
        "heavy_top",
        "--scheme",
        "modified-hht",
        "--with",
        "alpha=0",
        "--dt",
        "0.01",
        "--until",
        "5",
        "--record",
        "1",
        "--out",
        out,
    ]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("t = "), "{}", errors(&output));
    assert!(csv::Reader::from_path(directory.path().join("heavy_top.csv")).unwrap().into_records().count() >= 1);
    let sidecar = std::fs::read_to_string(directory.path().join("heavy_top.json")).unwrap();
    let sidecar: serde_json::Value = serde_json::from_str(&sidecar).unwrap();
    assert!(sidecar["failure"].is_string());
}

#[test]
fn the_list_names_every_model_and_experiment() {
    let output = hamel(&["list", "--json"]);
    let listing: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!(listing["models"].as_array().unwrap().len(), hamel_models::ALL.len());
    let listed =
        |name: &str| listing["schemes"].as_array().unwrap().iter().find(|scheme| scheme["name"] == name).unwrap();
    let alpha = serde_json::json!([{
        "name": "alpha", "default": -0.1, "step": null,
        "lowest": { "value": -1.0 / 3.0, "belongs": true }, "highest": { "value": 0.0, "belongs": true },
    }]);
    assert_eq!(listed("hht")["parameters"], alpha);
    assert_eq!([&listed("hht")["adaptive"], &listed("esdirk324")["adaptive"]], [false, true]);
    let plain = text(&hamel(&["list"]));
    for experiment in hamel_verify::PAPERS.iter().flat_map(|paper| paper.experiments) {
        assert!(plain.contains(experiment.id), "{}", experiment.id);
    }
    let schemes = text(&hamel(&["list", "schemes"]));
    for entry in hamel::schemes::entries() {
        assert!(schemes.lines().any(|line| line.trim_start().starts_with(entry.name)), "{}", entry.name);
        for parameter in entry.parameters {
            assert!(schemes.contains(&parameter.to_string()), "{parameter}");
        }
    }
    assert!(!schemes.contains("Models") && !schemes.contains("Experiments"), "{schemes}");
}

/// The trapezoidal rule does not damp what constraints on positions excite: said before, and the end of the run.
#[test]
fn runs_that_mean_nothing_end_with_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let run = |more: &[&str]| {
        let usual =
            ["run", "pendulum_absolute", "--scheme", "trapezoidal", "--dt", "0.01", "--until", "100", "--out", out];
        hamel(&[&usual, more].concat())
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let message = errors(&output);
    assert!(message.contains("caution: ") && message.contains("J above all that forces"), "{message}");
    let csv = std::fs::read_to_string(directory.path().join("pendulum_absolute.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("position_residual [1],velocity_residual [1/s],energy_balance [J]"));
    assert!(csv.lines().count() > 10);

    let output = run(&["--max-energy-gain", "inf", "--max-residual", "inf"]);
    assert!(errors(&output).contains("the scheme added"), "{}", errors(&output));
    let output = run(&["--max-residual", "-1"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
}

/// The first step of an adaptive run may be any: steps grow from it.
#[test]
fn adaptive_runs_begin_with_tiny_steps() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let run = ["run", "pendulum", "--scheme", "esdirk436", "--step", "1e-10", "--until", "2", "--out", out];
    let output = hamel(&[&run[..], &["--adaptive", "1e-8"]].concat());
    assert!(output.status.success(), "{}", errors(&output));
    assert!(text(&output).contains("h = 0.0000000001 s at first"), "{}", text(&output));
    assert_eq!(hamel(&run).status.code(), Some(2));
}

#[test]
fn errors_in_a_model_file_carry_their_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("swing.rs");
    std::fs::write(&file, "fn f() {}\nmultibody! {\n    pub model Swing {\n        planar;\n        bdoy rod { mass: 1.0 kg }\n    }\n}\n").unwrap();
    let output = hamel(&["inspect", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("swing.rs:5:9: "), "{}", errors(&output));

    std::fs::write(&file, "fn f( {").unwrap();
    assert_usage_error(&["inspect", file.to_str().unwrap()], &["swing.rs:1:"]);
    std::fs::write(&file, "fn f() {}").unwrap();
    assert_usage_error(&["inspect", file.to_str().unwrap()], &["no `multibody!`"]);
    assert_usage_error(&["inspect", "does/not/exist.rs"], &["does/not/exist.rs"]);
    std::fs::write(&file, "multibody! {\n    pub model Swing {\n        planar;\n}\n").unwrap();
    assert_usage_error(
        &["inspect", file.to_str().unwrap()],
        &["swing.rs:2:21: error[H0102]: `{` is never closed", "`hamel explain H0102`"],
    );
}

#[test]
fn messages_are_explained_by_their_codes() {
    let explained = text(&hamel(&["explain", "h0302"]));
    assert!(explained.starts_with("# H0302: units that do not fit\n"), "{explained}");
    assert!(explained.contains("error[H0302]: expected") && explained.contains("Mended:"), "{explained}");
    let list = text(&hamel(&["explain"]));
    assert!(list.contains("H0302  units that do not fit\n") && list.lines().count() > 30, "{list}");
    assert_usage_error(&["explain", "H9999"], &["unknown code `H9999`", "`hamel explain` lists"]);
}

#[test]
fn graphs_are_printed_for_graphviz_and_as_pictures() {
    let print = |arguments: &[&str]| String::from_utf8(hamel(arguments).stdout).unwrap();
    assert!(print(&["inspect", "slider_crank", "--as", "dot"]).starts_with("graph topology {"));
    assert_usage_error(
        &["inspect", "slider_crank", "--term", "forward_dynamics"],
        &["unknown function `forward_dynamics`", "residual"],
    );
    for extra in [&[][..], &["--term", "mass_matrix"]] {
        let picture = print(&[&["inspect", "slider_crank", "--as", "svg"], extra].concat());
        assert!(picture.contains("<svg") && picture.trim_end().ends_with("</svg>"), "{extra:?}: {picture}");
    }
}

#[test]
fn the_code_of_a_model_in_a_file_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("two.rs");
    let model = |name: &str| {
        format!(
            "hamel::multibody! {{\n    /// Mass.\n    pub model {name} {{\n        planar;\n        coordinates joint;\n        body bob {{ mass: 1 kg, inertia: 1 kg m^2 }}\n        joint slide: prismatic(ground, bob);\n    }}\n}}\n"
        )
    };
    std::fs::write(&file, model("First")).unwrap();
    let file = file.to_str().unwrap();
    let output = hamel(&["expand", file]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(syn::parse_str::<syn::File>(&text(&output)).is_ok());
    assert!(text(&output).contains("pub struct First {"));

    std::fs::write(file, [model("First"), model("Second")].concat()).unwrap();
    assert_usage_error(&["expand", file], &["two.rs", "First", "Second", "--model"]);
    assert_usage_error(&["expand", file, "--model", "Secnd"], &["did you mean `Second`?"]);
    let output = hamel(&["expand", file, "--model", "Second"]);
    assert!(text(&output).contains("pub struct Second {") && !text(&output).contains("First"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hamel"))
        .args(["list", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(errors(&output), "");
}

#[test]
fn nothing_is_written_beside_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("report");
    let what = ["reproduce", "--only", "sherif/single_axis_rotation", "--animate", "--out", out.to_str().unwrap()];
    let output = hamel(&what);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output), errors(&output));
    assert!(Path::new(&out).join("report.html").is_file() && out.join("report.json").is_file());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    // Progress is for terminals only.
    assert_eq!(errors(&output), "");
    // One of the four experiments is a motion.
    let motion = "sherif-single_axis_rotation-spin_up/motion.html";
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert_eq!((report.matches("motion.html").count(), report.contains(motion)), (1, true));
    assert!(std::fs::read_to_string(out.join(motion)).unwrap().contains("SingleAxisRotation"));
}

#[test]
fn results_of_several_runs_are_merged_and_compared() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (one, two, both) = (path("one"), path("two"), path("both"));
    let run = |id: &str, out: &str| hamel(&["reproduce", id, "--out", out]);
    let first = run("sherif/single_axis_rotation/modified_step", &one);
    assert_eq!(first.status.code(), Some(0), "{}", errors(&first));
    run("sherif/single_axis_rotation/classical_step", &two);
    let earlier = format!("{one}/report.json");
    let merged = hamel(&["reproduce", "--merge", &one, &two, "--out", &both, "--compare", &earlier]);
    assert_eq!(merged.status.code(), Some(0), "{}", errors(&merged));
    let said = text(&merged);
    assert!(said.contains("0 claims changed, 3 are as before, 1 experiments in one run only"), "{said}");
    assert!(said.contains("2 experiments, 7 claims"), "{said}");
    // Files of experiments are the same, and the merged folder can be merged again.
    for file in ["sherif-single_axis_rotation-classical_step/coefficients.csv", "report.json"] {
        let read = |folder: &str| std::fs::read_to_string(Path::new(folder).join(file));
        let is_same = read(&two).unwrap() == read(&both).unwrap();
        assert_eq!(is_same, file.ends_with("csv"), "{file}");
    }
    assert_eq!(hamel(&["reproduce", "--merge", &both, "--out", &path("again")]).status.code(), Some(0));
    let lost = hamel(&["reproduce", "--merge", &path("nothing"), "--out", &path("again")]);
    assert_eq!(lost.status.code(), Some(2));
    assert!(errors(&lost).contains("report.json"), "{}", errors(&lost));
    let unreadable = hamel(&["reproduce", "sherif", "--out", &path("again"), "--compare", &path("nothing")]);
    assert_eq!(unreadable.status.code(), Some(2));
}

#[test]
fn what_would_run_is_listed_with_its_cost() {
    let listed = hamel(&["reproduce", "sherif/heavy_top/fig2", "simo", "--list"]);
    let said = text(&listed);
    assert_eq!(listed.status.code(), Some(0), "{}", errors(&listed));
    assert_eq!(said.lines().count(), 13, "{said}");
    let is_named = |line: &str| ["simo/", "sherif/heavy_top/fig2"].iter().any(|id| line.starts_with(id));
    assert!(said.lines().all(|line| is_named(line.trim_start())), "{said}");
    assert!(said.lines().any(|line| line.contains("minutes")), "{said}");
    assert_eq!(hamel(&["reproduce", "sherif/heavy_tip", "--list"]).status.code(), Some(2));
}

#[test]
fn a_robot_is_imported_with_warnings_for_what_is_left_out() {
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/data/opcounts/double_pendulum.urdf");
    let output = hamel(&["import", arm, "--provide", "inverse_dynamics"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let text = text(&output);
    assert!(text.starts_with("hamel::multibody! {\n    /// The robot `double_pendulum`.\n"), "{text}");
    assert!(text.contains("\n        provide inverse_dynamics;\n"), "{text}");
    assert!(text.ends_with("\n    }\n}\n"), "{text}");

    assert_usage_error(&["import", arm, "--floating"], &["double_pendulum.urdf:3:1: ", "`base_joint.omega_y`"]);
    assert_usage_error(&["import", "no.urdf"], &["cannot read `no.urdf`"]);
}

/// What is wrong with a robot stands where its description says it, also for verbs that compile it.
#[test]
fn robots_are_taken_by_all_verbs() {
    let arm = concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/data/opcounts/double_pendulum.urdf");
    let output = hamel(&["inspect", arm, "--coordinates"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let table: Vec<Vec<String>> =
        text(&output).lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    assert_eq!(table[0].join(" "), "q name unit lower upper q of Pinocchio");
    assert_eq!(table[2].join(" "), "1 j1.angle rad -6.3 6.3 1");
    assert_eq!(table[3].join(" "), "v name unit velocity effort v of Pinocchio");
    assert_eq!(table[4].join(" "), "0 j0.angle rad/s 10 100 0");

    let quadruped = concat!(env!("CARGO_MANIFEST_DIR"), "/../verify/data/opcounts/quadruped.urdf");
    let output = hamel(&["inspect", quadruped, "--coordinates", "--floating"]);
    let listed = text(&output);
    assert!(listed.lines().any(|line| line.split_whitespace().eq(["3", "base.e0", "1", "6"])), "{listed}");
    let output = hamel(&["check", quadruped, "--floating"]);
    assert!(text(&output).contains("degrees of freedom  18"), "{}{}", text(&output), errors(&output));

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("sweep.csv");
    let command = ["sweep", arm, "--parameters", "mass", "--vary", "l1_mass=1,2", "--outputs", "energy.range"];
    let last = ["--until", "0.1", "--no-figures", "--out", out.to_str().unwrap()];
    let output = hamel(&[&command[..], &last].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().filter(|line| !line.starts_with('#')).count(), 3);

    let bad = folder.path().join("bad.urdf");
    let described = std::fs::read_to_string(arm).unwrap();
    std::fs::write(&bad, described.replace("ixx=\"0.0834\"", "ixx=\"1\"").replacen("ixx=\"1\"", "ixx=\"x\"", 1))
        .unwrap();
    let bad = bad.to_str().unwrap();
    assert_usage_error(&["check", bad], &["bad.urdf:4:", "link `l0`: expected a number in `ixx`, found `x`"]);
    std::fs::write(bad, described.replace("ixx=\"0.0834\"", "ixx=\"1\"")).unwrap();
    assert_usage_error(
        &["run", bad, "--until", "1"],
        &["bad.urdf:4:1: no rigid body has the inertia of `l0`", "bad.urdf:6:1: "],
    );
    let output = hamel(&["check", bad, "--json"]);
    let report: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!((&report["errors"][0]["line"], &report["errors"][1]["line"]), (&4.into(), &6.into()), "{report}");
    let output = hamel(&["check", bad, "--repair-inertia"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(errors(&output).matches("is repaired").count(), 2, "{}", errors(&output));
    assert_usage_error(&["check", "pendulum", "--floating"], &["`pendulum` is not the description of a robot"]);
}

/// A rod that hangs from a hinge falls as a pendulum of its length does, until a stop holds it.
#[test]
fn robots_of_mujoco_are_taken_too() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("rod.xml"), folder.path().join("run"));
    let rod = r#"<mujoco model="rod"><worldbody><body><joint name="hinge" axis="0 1 0" range="-20 90"/>
<inertial pos="0 0 -1" mass="2" diaginertia="0 0 0"/></body></worldbody></mujoco>"#;
    std::fs::write(&file, rod).unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let output = hamel(&["import", file]);
    assert!(text(&output).contains("limits: -0.3490658503988659 rad..1.5707963267948966 rad"), "{}", text(&output));
    let start = ["--initial", "hinge.angle=60deg", "--until", "1.5", "--out", out];
    let command = ["run", file, "--stops", "--scheme", "moreau", "--dt", "1e-3"];
    let output = hamel(&[&command[..], &start].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let mut table = csv::Reader::from_path(std::path::Path::new(out).join("Rod.csv")).unwrap();
    let angle = table.headers().unwrap().iter().position(|title| title.starts_with("hinge.angle")).unwrap();
    let angles: Vec<f64> = table.records().map(|row| row.unwrap()[angle].parse().unwrap()).collect();
    let least = angles.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((least.to_degrees() + 20.0).abs() < 1.0, "{}", least.to_degrees());
    std::fs::write(file, rod.replace("hinge\" axis", "hinge\" axs=\"\" type=\"screw\" axis")).unwrap();
    assert_usage_error(&["check", file], &["rod.xml:1:38: joint `hinge`: unknown type of joint `screw`"]);
}

/// A car on an inclined rail, which a frame and the pose of the joint turn by 30° each, slides with g sin 60°.
#[test]
fn robots_in_sdformat_are_taken_too() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("lift.sdf"), folder.path().join("run"));
    let lift = r#"<sdf version="1.9"><model name="lift">
<frame name="tilted"><pose degrees="true">0 0 0 0 30 0</pose></frame>
<link name="car"><pose relative_to="tilted"/><inertial><mass>2</mass></inertial></link>
<joint name="rail" type="prismatic"><pose degrees="true">0 0 0 0 30 0</pose>
<parent>world</parent><child>car</child><axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"#;
    std::fs::write(&file, lift).unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let output = hamel(&["run", file, "--until", "1", "--dt", "1e-2", "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let mut table = csv::Reader::from_path(std::path::Path::new(out).join("Lift.csv")).unwrap();
    let place = table.headers().unwrap().iter().position(|title| title.starts_with("rail.displacement")).unwrap();
    let last: f64 = table.records().last().unwrap().unwrap()[place].parse().unwrap();
    let expected = 0.5 * 9.81 * 0.75_f64.sqrt();
    assert!((last - expected).abs() < 1e-9, "{last} for {expected}");
    std::fs::write(file, lift.replace("prismatic", "sliding")).unwrap();
    let output = hamel(&["check", file]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("lift.sdf:4:") && errors(&output).contains("sliding"), "{}", errors(&output));
}

/// With x₂ = k x₁ + c of two sliders on a vertical rail, (m₁ + k² m₂) ẍ₁ = −g (m₁ + k m₂).
#[test]
fn joints_of_a_robot_follow_others() {
    let slider = |name: &str, mass: f64, mimic: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="{mass}"/>
            <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
            <joint name="to_{name}" type="prismatic"><axis xyz="0 0 1"/>
            <parent link="base"/><child link="{name}"/>{mimic}</joint>"#
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("sliders.urdf"), folder.path().join("run"));
    let mimic = r#"<mimic joint="to_a" multiplier="-0.5" offset="0.2"/>"#;
    let links = slider("a", 2.0, "") + &slider("b", 3.0, mimic);
    std::fs::write(&file, format!(r#"<robot name="sliders"><link name="base"/>{links}</robot>"#)).unwrap();
    let output = hamel(&["run", file.to_str().unwrap(), "--until", "1", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let mut table = csv::Reader::from_path(out.join("Sliders.csv")).unwrap();
    let place = |name: &str, table: &mut csv::Reader<std::fs::File>| {
        table.headers().unwrap().iter().position(|title| title.starts_with(name)).unwrap()
    };
    let (a, b) = (place("to_a.displacement", &mut table), place("to_b", &mut table));
    let rows: Vec<[f64; 3]> = table
        .records()
        .map(|row| row.unwrap())
        .map(|row| [0, a, b].map(|column| row[column].parse().unwrap()))
        .collect();
    let acceleration = -9.81 * (2.0 - 0.5 * 3.0) / (2.0 + 0.25 * 3.0);
    for [t, a, b] in &rows {
        assert!((b - (-0.5 * a + 0.2)).abs() < 1e-9, "{a} {b}");
        assert!((a - rows[0][1] - 0.5 * acceleration * t * t).abs() < 1e-9, "{a} at {t}");
    }
    assert!(rows.len() > 10);
}

#[cfg(unix)]
#[test]
fn pipes_are_no_models_and_paths_are_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe.model");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for verb in ["import", "inspect", "expand"] {
        assert_usage_error(&[verb, pipe.to_str().unwrap()], &["expected a regular file"]);
    }
    let model = "pub model Swing { planar; coordinates joint; body rod { mass: 1 kg, inertia: 1 kg m^2 } joint pin: revolute(ground, rod at [0, 1] m); }";
    let odd = directory.path().join(OsStr::from_bytes(b"caf\xe9.model"));
    let out = directory.path().join(OsStr::from_bytes(b"caf\xe9.rs"));
    std::fs::write(&odd, model).unwrap();
    let expand = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hamel"));
        command.arg("expand").arg(&odd).arg("--out").arg(&out).args(more).output().unwrap()
    };
    let output = expand(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(std::fs::read_to_string(&out).unwrap().contains("pub struct Swing"));
    // A file that exists is replaced by request only.
    std::fs::write(&out, "mine").unwrap();
    let output = expand(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("exists\nhelp: ") && std::fs::read_to_string(&out).unwrap() == "mine");
    assert_eq!(expand(&["--force"]).status.code(), Some(0));
    assert!(std::fs::read_to_string(&out).unwrap().contains("pub struct Swing"));
}

#[test]
fn files_of_others_are_not_replaced_without_force() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let run = ["run", "pendulum", "--scheme", "hht", "--dt", "0.01", "--until", "0.1", "--out", out];
    let reproduce = ["reproduce", "--only", "sherif/single_axis_rotation", "--out", out];
    for foreign in ["report.html", ".writable", "pendulum.csv"] {
        let file = directory.path().join(foreign);
        std::fs::write(&file, "mine").unwrap();
        for arguments in [run.as_slice(), &reproduce] {
            assert_usage_error(arguments, &[foreign, "is not of hamel", "--force", "--out"]);
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        std::fs::remove_file(file).unwrap();
    }
    assert_eq!(hamel(&run).status.code(), Some(0));
    let plot = directory.path().join("energy.svg");
    std::fs::write(&plot, "mine").unwrap();
    assert_usage_error(&run, &["energy.svg", "was changed after hamel wrote it", "--force"]);
    assert_eq!(hamel(&[&run[..], &["--force"]].concat()).status.code(), Some(0));
    assert!(std::fs::read_to_string(&plot).unwrap().contains("</svg>"));
    assert_usage_error(&[&reproduce[..], &["--resume"]].concat(), &["no command was interrupted there"]);
}

#[test]
fn counts_are_printed_of_what_was_asked_for() {
    let output = hamel(&["counts", "--only", "K_dp_crba"]);
    let text = text(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.lines().any(|line| line.trim_start().starts_with("K_dp_crba") && line.contains("SymPy cse")),
        "{text}"
    );

    let output = hamel(&["counts", "--only", "SC_M", "--json"]);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON was asked for");
    let names: Vec<_> = rows.as_array().into_iter().flatten().filter_map(|row| row["function"].as_str()).collect();
    assert_eq!(names, ["SC_M", "SC_Mh"]);

    let output = hamel(&["counts", "--only", "K_arm7_abba"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("did you mean `K_arm7_aba`?"), "{message}");
}

const SWING: &str = "model Swing {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    param mass = 2 kg;
    input push N;
    body bob { mass: mass, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, bob at [0, 1] m);
    force wind: [push, 0] on bob;
    initial hinge.angle = 10 deg;
    output x = bob.position.x;
}";

/// A file runs without rustc, and gives the digits that the same equations give in the program's own models.
#[test]
fn models_in_files_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("swing.model");
    std::fs::write(&file, SWING).unwrap();
    let (file, out) = (file.to_str().unwrap(), folder.path().join("out"));
    let out = out.to_str().unwrap();
    let run = |extra: &[&str]| hamel(&[&["run", file, "--out", out, "--until", "0.5"], extra].concat());
    let last = |name: &str| {
        let table = std::fs::read_to_string(folder.path().join("out").join(name)).unwrap();
        let mut rows = csv::Reader::from_reader(table.as_bytes());
        let place = rows.headers().unwrap().iter().position(|column| column.starts_with("hinge.angle")).unwrap();
        let last = rows.records().last().unwrap().unwrap();
        last[place].parse::<f64>().unwrap()
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(text(&output).contains("input push is 0"), "{}", text(&output));
    assert!(text(&output).contains("scheme esdirk325, for a model without contacts"), "{}", text(&output));
    assert!(text(&output).contains("steps chosen by a tolerance"), "{}", text(&output));
    // Small swings: ω² = m g l / (m l² + J).
    let exact = 10_f64.to_radians() * (0.5 * (2.0 * 9.81 / 2.1_f64).sqrt()).cos();
    assert!((last("Swing.csv") - exact).abs() < 2e-3, "{} {exact}", last("Swing.csv"));

    let output = run(&["--initial", "hinge.angle=-30deg", "--set", "mass=5", "--scheme", "hht", "--dt", "1e-3"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("note: results of `hamel run"), "{}", errors(&output));
    let heavier = last("Swing.csv");
    assert!(heavier > -30_f64.to_radians() && heavier < 0.6);
    // The same with a unit, which is exact.
    let output = run(&["--initial", "hinge.angle=-30deg", "--set", "mass=5000 g", "--scheme", "hht", "--dt", "1e-3"]);
    assert!(output.status.code() == Some(0) && last("Swing.csv") == heavier, "{}", errors(&output));

    // The same force, as a function and as a table that it goes through.
    let push = |signal: &str| {
        let output = run(&["--input", signal, "--initial", "hinge.angle=0rad"]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        assert!(!text(&output).contains("input push is"), "{}", text(&output));
        last("Swing.csv")
    };
    let table = folder.path().join("push.csv");
    std::fs::write(&table, "time, push\n0, 0\n1, 2\n").unwrap();
    let by_table = push(&format!("push={}", table.display()));
    assert!(by_table > 0.0);
    assert_eq!(push("push=2*t"), by_table);

    std::fs::write(&table, "0, 0\n0.3, 2\n").unwrap();
    let output = run(&["--input", &format!("push={}", table.display())]);
    assert!(text(&output).contains("constant before 0 s and after 0.3 s"), "{}", text(&output));

    // A push for a moment, at rest: chosen steps do not grow beyond it.
    std::fs::write(&table, "0, 0\n0.3, 0\n0.301, 100\n0.311, 100\n0.312, 0\n1, 0\n").unwrap();
    let by_impulse = 100.0 * 0.011 / 2.1 * 0.2;
    let found = push(&format!("push={}", table.display()));
    assert!((found - by_impulse).abs() < 0.1 * by_impulse, "{found} {by_impulse}");

    for (wrong, part) in [
        (["--initial", "hinge.angel=1rad"], "did you mean `angle`?"),
        (["--initial", "hinge.angle=1"], "expected an angle with its unit"),
        (["--input", "pull=1"], "did you mean `push`?"),
        (["--input", "push=2*x"], "--input"),
        (["--input", "push=nowhere.csv"], "nowhere.csv"),
        (["--set", "mas=1"], "did you mean `mass`?"),
        (["--set", "mass=-1"], "mass"),
        (["--set", "mass=2 m"], "--set mass: expected kg, found m"),
        (["--vary", "mass=1kg,2"], "expected a unit of each number, or none"),
    ] {
        let output = run(&wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", errors(&output));
        assert!(errors(&output).contains(part), "{wrong:?}: {}", errors(&output));
    }
    for twice in [["--set", "mass=1"], ["--initial", "hinge.angle=1rad"], ["--input", "push=1"]] {
        let output = run(&[twice, twice].concat());
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains("is given twice"), "{}", errors(&output));
    }
    // An input without value is named, and not the next best quotient.
    let output = run(&["--input", "push=sqrt(0.2 - t)"]);
    assert!(errors(&output).contains("`push`"), "{}", errors(&output));
}

#[test]
fn files_are_checked_without_running() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("swing.model");
    std::fs::write(&file, SWING).unwrap();
    let path = file.to_str().unwrap();
    let output = hamel(&["check", path]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(text(&output).contains("degrees of freedom  1"), "{}", text(&output));
    let about: serde_json::Value = serde_json::from_slice(&hamel(&["check", path, "--json"]).stdout).unwrap();
    assert_eq!(about["model"]["inputs"], serde_json::json!([["push", "N"]]));
    assert_eq!(about["model"]["degrees_of_freedom"], 1);

    std::fs::write(&file, SWING.replace("mass: mass", "mass: mas").replace("bob at", "bop at")).unwrap();
    assert_usage_error(&["check", path], &["swing.model:7:22", "swing.model:8:35"]);
    let output = hamel(&["check", path, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let about: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&about["errors"][0]["line"], &about["errors"][1]["line"]), (&7.into(), &8.into()));
    assert!(about["model"].is_null());

    // More constraints than coordinates, and no start that tells which of them follow from others.
    let clash = "model Clash { planar; body rod { mass: 1 kg, inertia: 1 kg m^2 } joint here: fixed(ground, rod);
                 joint there: fixed(ground at [1, 0] m, rod); }";
    std::fs::write(&file, clash).unwrap();
    assert!(text(&hamel(&["check", path])).contains("degrees of freedom  not known"));

    assert!(text(&hamel(&["completions", "bash"])).contains("_hamel"));
    assert!(text(&hamel(&["man"])).contains(".TH hamel"));
}
