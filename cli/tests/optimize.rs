//! Designs and inputs from the command line.

use crate::common::program::{self, refused, succeeded};

const SLIDE: &str = "model Slide {
    planar;
    coordinates joint;
    param mass = 1 kg;
    input force N;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force push: [force, 0 N] on block;
    initial rail.displacement = 0 m;
    output x = rail.displacement;
    output speed = rail.displacement.velocity;
    output effort = force;
}";

fn folder() -> tempfile::TempDir {
    program::folder(&[("slide.model", SLIDE)])
}

const SEARCH: &str = "optimize slide.model --minimize effort.squared --samples force=-10..10:5 --subject-to x.final=1 --subject-to speed.final=0 --until 1 --dt 0.01";

#[test]
fn the_least_effort_from_rest_to_rest_is_linear_in_time() {
    let folder = folder();
    let text = succeeded(folder.path(), &format!("{} --out best", SEARCH.replace("--dt 0.01", "--dt 0.001")));
    assert!(text.contains("effort.squared 12.0000") && text.contains("converged"), "{text}");
    let table = std::fs::read_to_string(folder.path().join("best/force.csv")).unwrap();
    let samples: Vec<f64> =
        table.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    for (sample, exact) in samples.iter().zip([6.0, 3.0, 0.0, -3.0, -6.0]) {
        assert!((sample - exact).abs() < 1e-4, "{table}");
    }
    // The table is one that runs take.
    let text = succeeded(folder.path(), "run slide.model --until 1 --input force=best/force.csv");
    let end: f64 = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("x "))
        .unwrap()
        .trim()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((end - 1.0).abs() < 1e-6, "{text}");
}

#[test]
fn searches_that_find_no_optimum_end_with_an_error() {
    let folder = folder();
    refused(folder.path(), &SEARCH.replace("-10..10", "-1..1"), 3, &["the search is not converged"]);
}

/// Slopes that are small beside an objective without a least value, or for a scale that is much too small, are no optimum.
#[test]
fn what_runs_away_is_no_optimum() {
    let folder = folder();
    let search = "optimize slide.model --until 1 --dt 0.01 --minimize x.final --samples force:11";
    refused(folder.path(), search, 3, &["the search is not converged"]);
    let heavy = "model Heavy {
        planar;
        coordinates joint;
        param damping = 0 N s/m;
        body block { mass: 1000 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force spring: spring_damper(ground, block) { stiffness: 1e11 N/m, damping: damping }
        initial rail.displacement = 1 m;
        output x = rail.displacement;
    }";
    std::fs::write(folder.path().join("heavy.model"), heavy).unwrap();
    // The integral of x² from 1 m at rest is least with d² = m k, here 1e14.
    let text = succeeded(
        folder.path(),
        "optimize heavy.model --until 2e-3 --dt 2e-6 --minimize x.squared --free damping --json",
    );
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let damping = found["design"]["parameters"][0][1].as_f64().unwrap();
    assert!((damping / 1e7 - 1.0).abs() < 1e-2, "{damping}");
}

/// An objective that is zero at the start with all its slopes says nothing of its unit.
#[test]
fn a_search_from_nothing_finds_its_unit() {
    let folder = folder();
    let text = succeeded(
        folder.path(),
        &SEARCH.replace("force=-10..10:5", "force=-200..200:17").replace("x.final=1 ", "x.final=30 "),
    );
    let iterations: usize = text.lines().last().unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(text.contains("converged") && iterations < 50, "{text}");
}

#[test]
fn mistakes_are_told_with_what_was_expected() {
    let folder = folder();
    for (arguments, message) in [
        ("--minimize effort --free mass", "expected OUTPUT.final, OUTPUT.integral or OUTPUT.squared"),
        ("--minimize effrt.final --free mass", "no output `effrt`"),
        ("--minimize x.final --free mas", "unknown parameter `mas`"),
        ("--minimize x.final --samples force:1", "2 to 10000 samples"),
        ("--minimize x.final --samples pull:3", "unknown input `pull`"),
        ("--minimize x.final --free mass", "changes neither the objective nor a condition"),
        ("--minimize x.final --free mass=2..3", "expected a start within 2..3"),
        ("--minimize x.final --free mass --subject-to x.final", "expected QUANTITY=VALUE"),
        ("--minimize x.final --maximize x.final --free mass", "cannot be used with"),
        ("--minimize x.final", "required"),
        ("--minimize x.final --free mass --subject-to x.final=nan", "x.final: expected a range"),
        ("--minimize x.final --free mass --subject-to x.final=..", "x.final: expected a range"),
        ("--minimize x.final --free mass --subject-to x.final=2..1", "found 2..1"),
        ("--minimize x.final --free mass=3..1", "found 3..1"),
    ] {
        refused(folder.path(), &format!("optimize slide.model --until 1 {arguments}"), 2, &[message]);
    }
}

/// An unstable start, whose cost is 10¹² and more, tells nothing of the optimum's: gains of the Riccati equation.
#[test]
fn unstable_starts_end_at_the_optimum() {
    let model = "model Lq {
        planar;
        coordinates joint;
        param kp = 0 N m;
        param kd = 0 N m s;
        body b { mass: 1 kg, inertia: 1 kg m^2 }
        joint h: revolute(ground, b);
        let u = -kp * h.angle - kd * h.velocity;
        torque t: u + 4 N m * h.angle on h;
        state cost s: h.angle^2 + 0.2 / (1 N m)^2 * u^2;
        initial h.angle = 0.3 rad;
        initial h.velocity = 0.5 rad/s;
        output c = cost;
    }";
    let folder = program::folder(&[("lq.model", model)]);
    // A P + P A − P b b P / r + Q = 0 with A = [0 1; 4 0], r = 1/5: P₁₂ = 4 r + √(16 r² + r), P₂₂ = √(2 r P₁₂).
    let r = 0.2_f64;
    let kp = (4.0 * r + (16.0 * r * r + r).sqrt()) / r;
    let kd = (2.0 * r * kp * r).sqrt() / r;
    for until in [8, 20] {
        let command = format!("optimize lq.model --minimize c.final --free kp,kd --until {until} --dt 0.01 --json");
        let found: serde_json::Value = serde_json::from_str(&succeeded(folder.path(), &command)).unwrap();
        for (k, expected) in [kp, kd].into_iter().enumerate() {
            let value = found["design"]["parameters"][k][1].as_f64().unwrap_or_else(|| panic!("{found}"));
            assert!((value / expected - 1.0).abs() < 1e-3, "{until}: {value} instead of {expected}");
        }
    }
}
