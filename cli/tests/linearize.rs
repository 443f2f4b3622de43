//! `hamel linearize` as users call it: tables, files, JSON, messages.

use std::fs;

use crate::common::program::{self, refused, succeeded};

const MODEL: &str = "model Suspension {
    planar;
    coordinates joint;
    gravity [9.81, 0] m/s^2;
    param damping = 4 N s/m;
    input push N;
    body block { mass: 2 kg, inertia: 1 kg m^2 }
    joint guide: prismatic(ground, block);
    force spring: spring(ground, block) { stiffness: 50 N/m }
    force damper: -damping * guide.velocity on guide;
    force hand: [push, 0] on block;
    output way = guide.displacement;
    output load = spring.tension;
}";

#[test]
fn an_equilibrium_has_a_table_of_its_natural_motions_and_files() {
    let folder = program::folder(&[("s.model", MODEL)]);
    let text = succeeded(folder.path(), "linearize s.model --out files");
    for part in [
        "input push is 0",
        "2 states, 1 displacements",
        "−1.00000000 ± 4.89897949 i",
        "0.795775",
        "0.200000",
        "guide.displacement",
        "outputs: way = 0.392400 m, load = 19.6200 N",
        "no departure grows",
    ] {
        assert!(text.contains(part), "expected `{part}` in\n{text}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join("files").join(name)).unwrap();
    assert_eq!(read("Suspension_A.csv").lines().last().unwrap().split(',').count(), 3);
    assert!(read("Suspension_B.csv").starts_with(",push\n"));
    assert!(read("Suspension_modes.csv").contains("guide.displacement.re"));
    assert!(
        read("Suspension_push_magnitude.svg").starts_with("<svg")
            && read("Suspension_push_phase.svg").contains("phase")
    );
    // At rest the spring answers with 1/k, 1/50 m/N.
    let response = read("Suspension_response.csv");
    let first: Vec<f64> = response.lines().nth(1).unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    assert!((first[1] - 0.02).abs() < 1e-3, "{first:?}");
    // The same files are written again, and those of others are not.
    succeeded(folder.path(), "linearize s.model --out files");
    fs::write(folder.path().join("files/Suspension_A.csv"), "mine").unwrap();
    refused(folder.path(), "linearize s.model --out files", 2, &["Suspension_A.csv"]);
}

#[test]
fn json_has_everything() {
    let folder = program::folder(&[("s.model", MODEL)]);
    let text = succeeded(folder.path(), "linearize s.model --set damping=0 --input push=25 --at equilibrium --json");
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let q = found["q"][0].as_f64().unwrap();
    assert!((q - (2.0 * 9.81 + 25.0) / 50.0).abs() < 1e-12, "{q}");
    let mode = &found["modes"][0];
    assert!((mode["eigenvalue"][1].as_f64().unwrap() - 5.0).abs() < 1e-12);
    assert!(mode["time_constant"].is_null(), "an undamped motion does not decay");
    assert_eq!(found["states"][1]["name"], "guide.displacement.velocity");
    assert_eq!((found["A"].as_array().unwrap().len(), found["D"].as_array().unwrap().len()), (2, 2));
}

#[test]
fn a_parameter_draws_a_root_locus() {
    let folder = program::folder(&[("s.model", MODEL)]);
    let text = succeeded(folder.path(), "linearize s.model --vary damping=0..40:21 --out locus");
    assert!(text.contains("damping, N s/m"), "{text}");
    let table = fs::read_to_string(folder.path().join("locus/Suspension_locus.csv")).unwrap();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("damping,re_1,im_1,re_2,im_2,way,load"));
    for row in rows {
        let row: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
        // λ₁ λ₂ = k / m, λ₁ + λ₂ = −d / m.
        let product = row[1] * row[3] - row[2] * row[4];
        assert!((row[6] - 2.0 * 9.81).abs() < 1e-12 && (row[5] - row[6] / 50.0).abs() < 1e-14, "{row:?}");
        // Where both meet, at d = 20 N s/m, they have half of their digits.
        assert!((product - 25.0).abs() < 1e-6 && (row[1] + row[3] + row[0] / 2.0).abs() < 1e-6, "{row:?}");
    }
    for name in ["locus", "real", "imaginary"] {
        assert!(folder.path().join(format!("locus/Suspension_{name}.svg")).is_file());
    }
    let text = succeeded(folder.path(), "linearize s.model --vary push=-10,0,10 --json");
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((found["unit"].as_str(), found["values"].as_array().unwrap().len()), (Some("N"), 3));
}

/// A spring with two places of rest, of which the first ends at a push of 2/√27.
#[test]
fn a_locus_that_leaps_to_another_equilibrium_is_doubted() {
    let text = "model Snap {
        planar;
        coordinates joint;
        param push = 0;
        body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        let x = rail.displacement / 1 m;
        force spring: (1 N) * (x - x^3 + push) on rail;
        initial rail.displacement = -1.1 m;
    }";
    let folder = program::folder(&[("s.model", text)]);
    let text = succeeded(folder.path(), "linearize s.model --vary push=-0.3..0.35:14");
    assert!(!text.contains("caution"), "{text}");
    let text = succeeded(folder.path(), "linearize s.model --vary push=-0.3,-0.1,0.1,0.3,1");
    let said = "caution: between push = 0.300000 and 1.00000 `rail.displacement` leaps from";
    assert!(text.contains(said), "{text}");
}

/// m g l sin φ = push: a rod rests up to 4.905 N m, and what was found up to there is told before the message.
#[test]
fn loci_end_where_equilibria_do() {
    let text = "model Rod {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        param push = 0 N m;
        body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, rod at [0, 0.5] m);
        torque drive: push on rod;
    }";
    let folder = program::folder(&[("rod.model", text)]);
    let end = ["equilibrium", "the eigenvalues before push = 6 are told"];
    refused(folder.path(), "linearize rod.model --vary push=0..8:5 --out rod", 3, &end);
    let table = fs::read_to_string(folder.path().join("rod/Rod_locus.csv")).unwrap();
    let rows: Vec<Vec<f64>> = (table.lines().skip(1))
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect())
        .collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.0, 2.0, 4.0]);
    for row in rows {
        // ω² = m g l cos φ / (inertia + m l²)
        let expected = ((4.905_f64.powi(2) - row[0].powi(2)).sqrt() / 0.35).sqrt();
        assert!(row.iter().any(|value| (value - expected).abs() < 1e-9), "{row:?}: {expected}");
    }
    refused(folder.path(), "linearize rod.model --vary push=6,4", 3, &["push = 6"]);
}

/// A slender cantilever under a load, at once and in steps: Newton's method from the straight beam flies away from 1.3 N
/// on.
#[test]
fn bent_beams_are_found_from_straight_ones() {
    let text = "model Elastica {
        coordinates absolute;
        param load = 1 N;
        flexible beam: beam_three_node {
            length: 80 cm, elements: 10, axial: 1e7 N, shear: [1e7, 1e7] N, torsion: 1 N m^2, bending: [2, 0.7] N m^2,
            mass_per_length: 0.2 kg/m, inertia_per_length: [3e-6, 1e-6, 2e-6] kg m,
        }
        joint clamp: fixed(ground, beam.root);
        force pull: [0 N, load, 0 N] on beam.tip;
        output tip = beam.tip.position;
    }";
    let folder = program::folder(&[("elastica.model", text)]);
    succeeded(folder.path(), "linearize elastica.model --vary load=0..3:7 --out files");
    let table = fs::read_to_string(folder.path().join("files/Elastica_locus.csv")).unwrap();
    let place = table.lines().next().unwrap().split(',').position(|head| head.starts_with("tip_y")).unwrap();
    let rise = |line: &str| line.split(',').nth(place).unwrap().parse::<f64>().unwrap();
    let rises: Vec<f64> = table.lines().skip(1).map(rise).collect();
    // EI φ″ = −P cos φ of a rod that does not stretch, integrated: 0.464248 m at 3 N.
    assert!(rises.len() == 7 && rises[0].abs() < 1e-9 && (rises[6] - 0.464248).abs() < 1e-3, "{rises:?}");
    let text = succeeded(folder.path(), "linearize elastica.model --set load=3");
    let alone =
        text.split("tip_y = ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_else(|| panic!("{text}"));
    assert!((alone.parse::<f64>().unwrap() - rises[6]).abs() < 1e-6, "{alone} {rises:?}");
}

#[test]
fn motions_have_instants_and_periods() {
    let folder = program::folder(&[("s.model", MODEL)]);
    let text = succeeded(folder.path(), "linearize s.model --at time=0.5 --json");
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((found["time"].as_f64(), found["about"].as_str()), (Some(0.5), Some("state")));
    let fallen = found["q"][0].as_f64().unwrap();
    // From rest towards m g / k, with ζ = 0.2 and ω = 5 rad/s.
    let (decay, rate) = (1.0_f64, 24.0_f64.sqrt());
    let expected =
        2.0 * 9.81 / 50.0 * (1.0 - (-decay * 0.5_f64).exp() * ((rate * 0.5).cos() + decay / rate * (rate * 0.5).sin()));
    assert!((fallen - expected).abs() < 1e-8, "{fallen} {expected}");
    let text = succeeded(folder.path(), "linearize bicycle --at steady --set speed=5");
    for part in ["6 eigenvalues are zero", "−0.775341882 ± 4.46486771 i", "−14.0783897", "−0.322866429"] {
        assert!(text.contains(part), "expected `{part}` in\n{text}");
    }
    // At 5 m/s all decays; what rests is periodic with any period.
    assert!(text.contains("no departure grows"), "{text}");
    let period = std::f64::consts::TAU / 5.0;
    let text = succeeded(folder.path(), &format!("linearize s.model --set damping=0 --at periodic={period}"));
    assert!(text.contains("multiplier") && text.contains("1.00000000"), "{text}");
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let folder = program::folder(&[("s.model", MODEL)]);
    let folder = folder.path();
    refused(folder, "linearize s.model --at rest", 2, &["expected equilibrium, steady, initial, time=T or periodic=T"]);
    refused(
        folder,
        "linearize s.model --at steady",
        2,
        &["no steady motion", "`guide.displacement` changes", "initial conditions"],
    );
    refused(
        folder,
        "linearize s.model --vary dampin=1..2:3",
        2,
        &["unknown parameter or input `dampin`", "did you mean `damping`?"],
    );
    refused(folder, "linearize s.model --vary damping=1,3,2", 2, &["ascending or descending"]);
    refused(folder, "linearize s.model --vary damping=1..2:3 --at periodic=1", 2, &["--vary"]);
    refused(folder, "linearize s.model --at periodic=0.3 --set damping=0", 2, &["does not return after 0.3 s"]);
    refused(folder, "linearize s.model --frequencies=-1..2:3 --out f", 2, &["positive numbers, Hz"]);
    refused(folder, "linearize free_body --at steady", 2, &["no steady motion", "linearise about the state"]);
    refused(folder, "linearize bouncing_ball", 3, &["BouncingBall", "nothing resists motion of"]);
}

#[test]
fn runs_begin_in_an_equilibrium() {
    let moored = "model Moored {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        input wind N;
        body buoy { mass: 2 kg, inertia: 1 kg m^2 }
        joint place: free(ground, buoy);
        force line: spring(ground, buoy) { stiffness: 50 N/m }
        force gust: [wind, 0] on buoy;
        initial place.y = 1 m;
        output load = line.tension;
    }";
    let touching = "model Touching {
        planar;
        body ball { mass: 1 kg, inertia: 1 kg m^2 }
        contact floor { gap: ball.position.y }
    }";
    let driven = |name: &str, law: &str| {
        format!(
            "model {name} {{
                planar;
                coordinates joint;
                gravity [0, -9.81] m/s^2;
                body rod {{ mass: 1 kg, inertia: 1 kg m^2, center_of_mass: [0, -1] m }}
                joint hinge: revolute(ground, rod);
                drive motor: rod.angle == 0.2 rad + {law};
            }}"
        )
    };
    let (turned, moved) = (driven("Turned", "1 rad/s^2 * time^2"), driven("Moved", "1 rad/s * time"));
    let folder = program::folder(&[
        ("m.model", moored),
        ("c.model", touching),
        ("turned.model", &turned),
        ("moved.model", &moved),
    ]);
    let text = succeeded(folder.path(), "run m.model --until 1 --dt 1e-2 --scheme runge_kutta --from equilibrium");
    for part in ["−3.84944 J of potential energy (44.62", "it is one of many, which differ in place.angle"] {
        assert!(text.contains(part), "expected `{part}` in\n{text}");
    }
    let table = fs::read_to_string(folder.path().join("run/Moored.csv")).unwrap();
    let load = table.lines().next().unwrap().split(',').position(|name| name.starts_with("load")).unwrap();
    for row in table.lines().skip(1).filter(|row| !row.starts_with('#')) {
        let cell = row.split(',').nth(load).unwrap();
        if let Ok(load) = cell.parse::<f64>() {
            assert!((load - 2.0 * 9.81).abs() < 1e-12, "{row}");
        }
    }
    refused(folder.path(), "run c.model --until 1 --from equilibrium", 2, &["does not know of contacts"]);
    // A pendulum that a motor begins to turn: 2 rad/s² and 2 · 2 + 9.81 sin 0.2 N m.
    let text = succeeded(folder.path(), "run turned.model --until 0.1 --dt 1e-2 --from equilibrium --out turned");
    assert!(text.contains("in an equilibrium"), "{text}");
    let table = fs::read_to_string(folder.path().join("turned/Turned.csv")).unwrap();
    let (names, first) = (table.lines().next().unwrap(), table.lines().nth(1).unwrap());
    let value = |begin: &str| -> f64 {
        let place = names.split(',').position(|name| name.starts_with(begin)).unwrap();
        first.split(',').nth(place).unwrap().parse().unwrap()
    };
    assert!((value("acceleration(hinge.angle)") - 2.0).abs() < 1e-12, "{first}");
    assert!((value("multiplier(motor)") - (4.0 + 9.81 * 0.2_f64.sin())).abs() < 1e-9, "{first}");
    refused(folder.path(), "run moved.model --until 1 --from equilibrium", 2, &["nothing rests", "`motor` moves at"]);
    succeeded(folder.path(), "animate m.model --until 1 --from equilibrium -o still.html");
    refused(folder.path(), "animate run --from equilibrium -o again.html", 2, &["--from"]);
}

/// Two bodies on a spring have ten zeros, of which rounding makes small eigenvalues with real parts of either sign.
#[test]
fn double_zeros_are_not_unstable() {
    let pair = "model Pair {
        planar;
        coordinates absolute;
        body a { mass: 1 kg, inertia: 1 kg m^2 }
        body b { mass: 1 kg, inertia: 1 kg m^2 }
        joint f: free(ground, a);
        joint g: free(ground, b);
        force s: spring(a, b) { stiffness: 10 N/m, free_length: 1 m }
        initial a.position = [0, 0] m;
        initial b.position = [0.6, 0.8] m;
    }";
    let folder = program::folder(&[("p.model", pair)]);
    let text = succeeded(folder.path(), "linearize p.model");
    assert!(text.contains("4.47213") && text.contains("no departure grows"), "{text}");
}
