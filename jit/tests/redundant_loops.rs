//! Mechanisms whose constraints follow from others: which do changes on the way, wherever a loop is cut.

use hamel::{Model, Simulation, State, initial_state, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::random::Random;

/// The rectangular Bricard mechanism of the IFToMM library of benchmarks: six edges of a unit cube, the first one fixed, of
/// 1 kg and 1/12 kg m² each, joined by hinges, with weight along −y. Six hinges leave one motion, so that one constraint
/// follows from the others.
const CORNERS: [[f64; 3]; 6] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]];
/// Axis of the hinge at each corner.
const AXES: [usize; 6] = [1, 2, 0, 1, 2, 0];

/// In joint coordinates with the loop cut at a corner, or in absolute ones.
fn bricard(cut: Option<usize>) -> JitModel {
    let vector = |x: [f64; 3]| format!("[{:?}, {:?}, {:?}]", x[0], x[1], x[2]);
    let middle = |body: usize| [0, 1, 2].map(|i| 0.5 * (CORNERS[body + 1][i] + CORNERS[(body + 2) % 6][i]));
    let mut text = String::from("gravity [0, -9.81, 0] m/s^2;");
    for body in 0..5 {
        let along = [0, 1, 2].map(|i| CORNERS[(body + 2) % 6][i] - CORNERS[body + 1][i]);
        let inertia = along.map(|x| (1.0 - x * x) / 12.0);
        text +=
            &format!("body r{body} {{ mass: 1 kg, inertia: diag({}) kg m^2 }}", &vector(inertia)[1..].replace(']', ""));
        if cut.is_none() {
            text += &format!("initial r{body}.position = {} m;", vector(middle(body)));
        }
    }
    // A corner joins the edge before it to the one behind it; that from the last corner to the first is the ground's.
    let end = |body: Option<usize>, corner: usize| match body {
        None => format!("ground at {} m", vector(CORNERS[corner])),
        Some(body) => {
            let from = middle(body);
            format!("r{body} at {} m", vector([0, 1, 2].map(|i| CORNERS[corner][i] - from[i])))
        }
    };
    let joint = |corner: usize, is_reversed: bool| {
        let before = corner.checked_sub(2).or((corner == 0).then_some(4));
        let behind = if corner == 0 { None } else { Some(corner - 1) };
        let mut ends = [end(before, corner), end(behind.filter(|body| *body < 5), corner)];
        if is_reversed {
            ends.swap(0, 1);
        }
        let axis = ["[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"][AXES[corner]];
        let is_cut = if cut == Some(corner) { ", cut" } else { "" };
        format!("joint j{corner}: revolute({}, {}) {{ axis: {axis}{is_cut} }}", ends[0], ends[1])
    };
    // The ground ends at corners 0 and 1.
    let order = [1, 2, 3, 4, 5, 0];
    let place = cut.map_or(6, |cut| order.iter().position(|&corner| corner == cut).unwrap());
    order[..place.min(6)].iter().for_each(|&corner| text += &joint(corner, false));
    order[place.min(6)..].iter().rev().for_each(|&corner| text += &joint(corner, cut != Some(corner)));
    let coordinates = if cut.is_some() { "joint" } else { "absolute" };
    let output = format!("output p = (r2 at {} m).position;", vector([0, 1, 2].map(|i| CORNERS[3][i] - middle(2)[i])));
    let text = format!("model Bricard {{ coordinates {coordinates}; {text} {output} }}");
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Where the corner opposite to the fixed edge is after two seconds.
fn reached(model: &JitModel, scheme: &str, dt: f64, start: State) -> Result<[f64; 3], String> {
    let scheme = schemes::by_name(scheme, &[]).unwrap();
    let run = Simulation::new(model, &*scheme).step(dt).until(2.0).run(start);
    run.outcome.map_err(|error| error.to_string())?;
    Ok(["p_x", "p_y", "p_z"].map(|name| run.trajectory.column(name).unwrap().next_back().unwrap()))
}

#[test]
fn a_loop_moves_alike_wherever_it_is_cut() {
    let absolute = bricard(None);
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let reference = reached(&absolute, "radau_iia5", 2e-3, initial_state(&absolute).unwrap()).unwrap();
    let finer = reached(&absolute, "radau_iia5", 1e-3, initial_state(&absolute).unwrap()).unwrap();
    assert!(distance(reference, finer) < 1e-7, "{reference:?} {finer:?}");
    for cut in [0, 2, 3, 4, 5] {
        let model = bricard(Some(cut));
        let start = initial_state(&model).unwrap();
        for (scheme, bound) in [
            ("radau_iia5", 1e-7),
            ("runge_kutta", 1e-5),
            ("esdirk436", 1e-4),
            ("half_explicit", 1e-3),
            ("ed_alpha", 2e-2),
            ("generalized_alpha", 1e-3),
            ("bathe", 1e-3),
            ("lms2", 1e-2),
        ] {
            let found = reached(&model, scheme, 1e-3, start.clone());
            let found = found.unwrap_or_else(|error| panic!("cut at {cut}, {scheme}: {error}"));
            let error = distance(found, finer);
            assert!(error < bound, "cut at {cut}, {scheme}: {error:.1e}, {found:?}, expected {finer:?}");
        }
    }
}

fn vector(random: &mut Random) -> [f64; 3] {
    [(); 3].map(|()| (100.0 * random.next()).round() / 100.0)
}

fn shown([x, y, z]: [f64; 3]) -> String {
    format!("[{x:?}, {y:?}, {z:?}]")
}

/// A second joint on the line of the first binds nothing, and its constraints are rounding errors in joint coordinates, which
/// differ from one axis to the next: a body on two hinges or two guides moves as on one, and a bolt in a weld moves nothing.
#[test]
fn joints_that_bind_nothing_change_nothing() {
    let mut random = Random(2);
    for trial in 0..24 {
        let (axis, at, on_body, shift) = (vector(&mut random), vector(&mut random), vector(&mut random), random.next());
        let along = axis.map(|x| x * shift);
        let plus = |a: [f64; 3], b: [f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        let kind = ["revolute", "prismatic", "cylindrical"][trial % 3];
        let joint = |name: &str, by: [f64; 3]| {
            let (at, on_body) = (shown(plus(at, by)), shown(plus(on_body, by)));
            format!("joint {name}: {kind}(ground at {at} m, body at {on_body} m) {{ axis: {} }}", shown(axis))
        };
        let text = |more: &str| {
            format!(
                "model Twice {{
                    coordinates joint;
                    gravity [0, 0, -9.81] m/s^2;
                    body body {{ mass: 2 kg, inertia: diag(0.3, 0.4, 0.6) kg m^2 }}
                    {} {more}
                    output p = body.position;
                }}",
                joint("one", [0.0; 3])
            )
        };
        let model = |text: String| {
            hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None)
                .unwrap_or_else(|error| panic!("{error}\n{text}"))
        };
        let (single, double) = (model(text("")), model(text(&joint("other", along))));
        for name in ["esdirk325", "generalized_alpha", "dormand_prince", "radau_iia5"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let reached = |model: &JitModel| {
                let run = Simulation::new(model, &*scheme).step(2e-3).until(0.3).run(initial_state(model).unwrap());
                run.outcome
                    .as_ref()
                    .unwrap_or_else(|error| panic!("{name}: {error}\n{}", text(&joint("other", along))));
                ["p_x", "p_y", "p_z"].map(|column| run.trajectory.column(column).unwrap().next_back().unwrap())
            };
            let [one, two] = [&single, &double].map(reached);
            let missed = one.iter().zip(two).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(missed < 1e-8, "{name}: {one:?}, {two:?}\n{}", text(&joint("other", along)));
        }
    }
}

/// Four bars in a plane that lies obliquely in space, closed by a hinge or by a joint that leaves more, move alike.
#[test]
fn planar_loops_move_alike_however_they_lie_in_space() {
    let mut random = Random(3);
    for _ in 0..8 {
        let normal = vector(&mut random);
        let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        let n = normal.map(|x| x / length);
        // Two directions in the plane.
        let aside = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let e = cross(n, aside);
        let size = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        let e = e.map(|x| x / size);
        let f = cross(n, e);
        let at = |x: f64, y: f64| shown([0, 1, 2].map(|i| x * e[i] + y * f[i]));
        let model = |coordinates: &str, closing: &str| {
            let axis = format!("{{ axis: {} }}", shown(normal));
            let closing = closing.replace("AXIS", &axis);
            let text = format!(
                "model Bars {{
                    coordinates {coordinates};
                    gravity {} m/s^2;
                    body a {{ mass: 1 kg, inertia: diag(0.01, 0.01, 0.01) kg m^2 }}
                    body b {{ mass: 2 kg, inertia: diag(0.02, 0.02, 0.02) kg m^2 }}
                    body c {{ mass: 2 kg, inertia: diag(0.02, 0.02, 0.02) kg m^2 }}
                    joint drive: revolute(ground, a at {} m) {axis}
                    joint knee: revolute(a at {} m, b at {} m) {axis}
                    joint pivot: revolute(ground at {} m, c at {} m) {axis}
                    joint close: {closing}
                    initial b.position = {} m;
                    initial c.position = {} m;
                    output p = b.position;
                }}",
                at(-9.0, -3.0),
                at(-0.2, 0.0),
                at(0.2, 0.0),
                at(-0.4, 0.0),
                at(0.8, 0.4),
                at(-0.2, -0.4),
                at(0.8, 0.0),
                at(1.0, 0.8),
            );
            hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None)
                .unwrap_or_else(|error| panic!("{error}\n{text}"))
        };
        let ends = format!("(b at {} m, c at {} m)", at(0.4, 0.4), at(0.2, -0.4));
        let models = [
            model("joint", &format!("spherical{ends};")),
            model("joint", &format!("revolute{ends} AXIS")),
            model("joint", &format!("cylindrical{ends} AXIS")),
            model("absolute", &format!("revolute{ends} AXIS")),
        ];
        let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
        let reached = models.map(|model| {
            let run = Simulation::new(&model, &*scheme).step(5e-3).until(0.3).run(initial_state(&model).unwrap());
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{normal:?}: {error}"));
            ["p_x", "p_y", "p_z"].map(|column| run.trajectory.column(column).unwrap().next_back().unwrap())
        });
        for other in &reached[1..] {
            let missed = reached[0].iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(missed < 1e-6, "{normal:?}: {reached:?}");
        }
    }
}

/// Three cranks of one rod, and a slider that a pin holds as well, turn evenly without forces: which of the constraints follows
/// from the others changes four times a turn, and those that go on without it take over its forces.
#[test]
fn constraints_hand_over_their_forces_as_mechanisms_turn() {
    let cranks = "
        body c0 { mass: 1 kg, inertia: 0.01 kg m^2 }
        body c1 { mass: 1 kg, inertia: 0.01 kg m^2 }
        body c2 { mass: 1 kg, inertia: 0.01 kg m^2 }
        body rod { mass: 2 kg, inertia: 0.3 kg m^2 }
        joint g0: revolute(ground, c0);
        joint g1: revolute(ground at [0.7, 0.2] m, c1);
        joint g2: revolute(ground at [1.1, -0.3] m, c2);
        joint k0: revolute(c0 at [0.3, 0.1] m, rod);
        joint k1: revolute(c1 at [0.3, 0.1] m, rod at [0.7, 0.2] m) { cut }
        joint k2: revolute(c2 at [0.3, 0.1] m, rod at [1.1, -0.3] m) { cut }
        initial c1.angle = 0;
        initial c2.angle = 0;
        initial c0.angular_velocity = 3 rad/s;
        output turn = c0.angle;";
    let pinned = "
        body a { mass: 2 kg, inertia: 0.1 kg m^2 }
        body b { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint h: revolute(ground, a at [0.1, 0.2] m);
        joint s: prismatic(a at [0.25, 0.33] m rotated 12 deg, b);
        joint pin: revolute(a at [0.25, 0.33] m, b) { cut }
        initial a.angular_velocity = 3 rad/s;
        output turn = a.angle;";
    for (mechanism, coordinates) in [(cranks, "absolute"), (cranks, "joint"), (pinned, "absolute")] {
        let text = format!("model Turning {{ planar; coordinates {coordinates}; {mechanism} }}");
        let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
        let mut tried = 0;
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            let start = initial_state(&model).unwrap();
            // Multipliers of those that do not damp grow with constraints on positions, which runs say.
            let is_undamped = ["newmark", "trapezoidal"].contains(&entry.name);
            if is_undamped || scheme.start(&model, start.clone()).is_err() {
                continue;
            }
            let run = Simulation::new(&model, &*scheme).step(2e-3).until(4.0).run(start);
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{coordinates}, {}: {error}\n{text}", entry.name));
            let turned = run.trajectory.column("turn").unwrap().next_back().unwrap();
            let bound = if scheme.order() < 2 { 0.2 } else { 1e-3 };
            assert!((turned - 12.0).abs() < bound, "{coordinates}, {}: {turned}\n{text}", entry.name);
            tried += 1;
        }
        assert!(tried > 24, "{tried}");
    }
}

/// A truss of bars that cross in each bay, on a pin: in each bay one bar follows from the others, and all of it falls as one
/// body, in which the joints of the bars do not turn.
#[test]
fn trusses_with_many_redundant_bars_fall_as_one_body() {
    for bays in [20, 80, 120] {
        let text = format!(
            "model Truss {{
                planar;
                gravity [0, -9.81] m/s^2;
                const n = {bays};
                param a = 1 m;
                for i in 0..=n {{
                    body b[i] {{ mass: 1 kg, inertia: 1e-3 kg m^2 }}
                    body t[i] {{ mass: 1 kg, inertia: 1e-3 kg m^2 }}
                    initial b[i].position = [a * i, 0 m];
                    initial t[i].position = [a * i, a];
                    joint v[i]: distance(b[i], t[i]) {{ length: a }}
                }}
                joint pin: revolute(ground, b[0]);
                for i in 0..n {{
                    joint lower[i]: distance(b[i], b[i + 1]) {{ length: a }}
                    joint upper[i]: distance(t[i], t[i + 1]) {{ length: a }}
                    joint rising[i]: distance(b[i], t[i + 1]) {{ length: sqrt(2) * a }}
                    joint falling[i]: distance(t[i], b[i + 1]) {{ length: sqrt(2) * a }}
                }}
                output tip = t[n].acceleration;
            }}"
        );
        let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
        let start = initial_state(&model).unwrap_or_else(|error| panic!("{bays} bays: {error}"));
        assert_eq!(hamel::redundant_constraints(&model, &start).len(), bays, "{bays} bays");
        let mut tip = [0.0; 2];
        model.outputs(&start, &mut tip);
        let sum = |of: fn(f64) -> f64| (0..=bays).map(|i| of(f64::from(i as u32))).sum::<f64>();
        let turning = -9.81 * sum(|i| 2.0 * i) / sum(|i| 2.0 * i * i + 1.0);
        let expected = [-turning, turning * bays as f64];
        let is_near =
            tip.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6 * expected.abs());
        assert!(is_near, "{bays} bays: {tip:?}, {expected:?}");
    }
}
