//! What initial conditions leave open is completed by the smallest change.

use hamel::{Model, Simulation, initial_state, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::random::Random;

fn compiled(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The outputs of a model at its start.
fn outputs(model: &JitModel) -> Vec<f64> {
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(&initial_state(model).unwrap(), &mut outputs);
    outputs
}

/// Two bodies whose positions are given, far from where they are without, and satisfy everything: neither turns.
#[test]
fn bodies_do_not_turn_that_need_not() {
    for coordinates in ["absolute", "absolute(euler_zyx)", "joint"] {
        let model = compiled(&format!(
            "model Ini {{ coordinates {coordinates}; gravity [0, 0, -9.81] m/s^2;
                body b {{ mass: 1 kg, inertia: diag(0.05, 0.06, 0.04) kg m^2 }}
                body c {{ mass: 1 kg, inertia: diag(0.02, 0.03, 0.025) kg m^2 }}
                joint fb: free(ground, b);
                joint fc: free(ground, c);
                joint rod: distance(b at [0, 0.2, 0] m, c at [0, 0, 0.1] m) {{ length: 0.4 m }}
                initial b.position = [0.5, 0, 0] m;
                initial c.position = [0.5, 0.2, 0.3] m;
                output tb = [b.roll, b.pitch, b.yaw];
                output tc = [c.roll, c.pitch, c.yaw];
            }}"
        ));
        let turned = outputs(&model);
        assert!(turned.iter().all(|angle| angle.abs() < 1e-8), "{coordinates}: {turned:?}");
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// a + factor b.
fn sum(a: [f64; 3], factor: f64, b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] + factor * b[i])
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    a.map(|x| x / dot(a, a).sqrt())
}

/// A ball on a rod in a plane that is given: of the circle that is left the point next to where the ball is without conditions.
#[test]
fn a_ball_is_put_where_it_is_nearest() {
    let mut numbers = Random(1);
    let mut random = || 0.5 * numbers.next();
    let mut tried = 0;
    for _ in 0..40 {
        let at = [random(), random(), random()];
        let normal = unit([random(), random(), random()]);
        let length = 0.2 + random().abs();
        let across = 1.8 * length * random();
        let model = compiled(&format!(
            "model Ball {{ coordinates absolute;
                body ball {{ mass: 1 kg, inertia: diag(0.05, 0.06, 0.04) kg m^2 }}
                joint rod: distance(ground at {at:?} m, ball) {{ length: {length} m }}
                initial dot({normal:?}, ball.position) = {} m;
                output place = ball.position;
            }}",
            dot(normal, at) + across
        ));
        let mut reference = [0.0; 7];
        model.reference_configuration(&mut reference);
        let center = sum(at, across, normal);
        let from = sum([reference[0], reference[1], reference[2]], -1.0, center);
        let in_plane = sum(from, -dot(normal, from), normal);
        let radius = (length * length - across * across).sqrt();
        // From the axis of the circle all its points are equally far.
        if dot(in_plane, in_plane) < (0.1 * radius).powi(2) {
            continue;
        }
        tried += 1;
        let expected = sum(center, radius, unit(in_plane));
        let found = outputs(&model);
        let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-7);
        assert!(is_near, "{found:?}, expected {expected:?}: {at:?}, {normal:?}, {length}, {across}");
    }
    assert!(tried > 20, "{tried}");
}

/// A block that starts on its two feet on a slope: forces of the feet are those of statics, or of friction that slides, in
/// the first step as in all others, by every scheme that carries contacts.
#[test]
fn what_starts_in_contact_has_its_forces_from_the_first_step_on() {
    const G: f64 = 9.81;
    let (mass, base, height) = (2.3, 0.35, 0.12);
    for (slope, friction) in [(0.0_f64, 0.4), (0.2, 0.5), (0.45, 0.3), (-0.3, 0.0)] {
        let model = compiled(&format!(
            "model Block {{
                planar;
                coordinates joint;
                gravity [{}, {}] m/s^2;
                body block {{ mass: {mass} kg, inertia: 0.07 kg m^2 }}
                joint free: free(ground, block);
                contact left: point_on_line(block at [-{base}, -{height}] m, ground) {{ friction: {friction} }}
                contact right: point_on_line(block at [{base}, -{height}] m, ground) {{ friction: {friction} }}
                initial block.position.y = {height} m;
            }}",
            G * slope.sin(),
            -G * slope.cos()
        ));
        let weight = mass * G * slope.cos();
        let (along, most) = (mass * G * slope.sin(), friction * weight);
        // Friction, over both feet, and the moment that it has about the center of mass.
        let held = along.clamp(-most, most);
        let shift = 0.5 * held * height / base;
        let expected = [0.5 * weight - shift, 0.5 * weight + shift];
        let mut tried = 0;
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            if !scheme.carries_contacts() {
                continue;
            }
            let start = initial_state(&model).unwrap();
            let run = Simulation::new(&model, &*scheme).step(1e-3).until(5e-3).run(start);
            run.outcome.unwrap_or_else(|error| panic!("{slope}: {error}"));
            for (name, expected) in ["left", "right"].into_iter().zip(expected) {
                for force in run.trajectory.column(&format!("normal_force({name})")).unwrap().skip(1) {
                    let label = scheme.label();
                    assert!((force - expected).abs() < 1e-6 * weight, "{label}, {slope}, {name}: {force}, {expected}");
                }
            }
            tried += 1;
        }
        assert!(tried > 15, "{tried}");
    }
}

/// An arm on a hinge and a plate that is held below it, joined by two rods: of both ways of assembling them that in which
/// nothing has to turn.
#[test]
fn nothing_turns_over_to_be_assembled() {
    for coordinates in ["absolute", "joint"] {
        let model = compiled(&format!(
            "model Arm {{ coordinates {coordinates};
                body plate {{ mass: 1 kg, inertia: diag(0.01, 0.01, 0.01) kg m^2 }}
                body arm {{ mass: 1 kg, inertia: diag(0.01, 0.01, 0.01) kg m^2 }}
                joint h: revolute(ground at [0.2, 0, 0] m, arm) {{ axis: [0, 1, 0] }}
                joint hand: free(ground, plate);
                joint rod0: distance(arm at [0.3, -0.04, 0] m, plate at [0.05, -0.04, 0] m) {{ length: 0.6 m }}
                joint rod1: distance(arm at [0.3, 0.04, 0] m, plate at [0.05, 0.04, 0] m) {{ length: 0.6 m }}
                initial plate.position = [0, 0, -{}] m;
                output pitches = [arm.pitch, plate.pitch];
            }}",
            // 0.45 m across.
            (0.6_f64.powi(2) - 0.45_f64.powi(2)).sqrt()
        ));
        let turned = outputs(&model);
        assert!(turned.iter().all(|angle| angle.abs() < 1e-8), "{coordinates}: {turned:?}");
    }
}

/// A robot with three arms around a plate that is held below them, each with two rods: as in joint coordinates, where the
/// arms begin level, they stay level with all bodies free in space.
#[test]
fn three_arms_stay_level() {
    let mut items = String::new();
    for k in 0..3 {
        let turn = 120.0 * f64::from(k);
        let (sin, cos) = turn.to_radians().sin_cos();
        let around = |x: f64, y: f64| format!("[{}, {}, 0] m", cos * x - sin * y, sin * x + cos * y);
        items += &format!(
            "body arm{k} {{ mass: 0.5 kg, inertia: diag(0.0004, 0.006, 0.006) kg m^2, center_of_mass: [0.12, 0, 0.01] m }}
             joint h{k}: revolute(ground at {} rotated rotation_z({turn} deg), arm{k}) {{ axis: [0, 1, 0] }}\n",
            around(0.2, 0.0)
        );
        for (side, y) in [("a", -0.04), ("b", 0.04)] {
            items += &format!(
                "joint rod{k}{side}: distance(arm{k} at [0.3, {y}, 0] m, plate at {}) {{ length: 0.6 m }}\n",
                around(0.05, y)
            );
        }
    }
    for coordinates in ["absolute", "joint"] {
        let model = compiled(&format!(
            "model Delta {{ coordinates {coordinates};
                body plate {{ mass: 1.2 kg, inertia: diag(0.003, 0.003, 0.005) kg m^2 }}
                joint hand: free(ground, plate);
                {items}
                initial plate.position = [0, 0, -{}] m;
                output down = (arm0 at [0.3, 0, 0] m).position.z;
                output turned = [plate.roll, plate.pitch, plate.yaw];
            }}",
            (0.6_f64.powi(2) - 0.45_f64.powi(2)).sqrt()
        ));
        let found = outputs(&model);
        assert!(found.iter().all(|value| value.abs() < 1e-8), "{coordinates}: {found:?}");
    }
}

/// Where every body is said to be where a double pendulum has it, in digits that are rounded, it is put there.
#[test]
fn starts_that_say_everything_are_found() {
    let mut numbers = Random(1);
    let mut random = |size: f64| size * numbers.next();
    for trial in 0..100 {
        let [h, k0, k1] = [(); 3].map(|()| [random(6.0), random(6.0)]);
        let [a, b] = [random(3.1), random(3.1)];
        let turned = |angle: f64, [x, y]: [f64; 2]| {
            let (s, c) = angle.sin_cos();
            [c * x - s * y, s * x + c * y]
        };
        // The hinge on the ground holds the first body at `h`, the second one holds it at `k0` and the second body at `k1`.
        let first = turned(a, h).map(|x| -x);
        let knee = turned(a, k0);
        let end = turned(b, k1);
        let second = [0, 1].map(|i| first[i] + knee[i] - end[i]);
        for coordinates in ["absolute", "joint"] {
            let text = format!(
                "model Said {{
                    planar;
                    coordinates {coordinates};
                    body a {{ mass: 1 kg, inertia: 1 kg m^2 }}
                    body b {{ mass: 1 kg, inertia: 1 kg m^2 }}
                    joint h: revolute(ground, a at {h:?} m);
                    joint k: revolute(a at {k0:?} m, b at {k1:?} m);
                    initial a.position = {first:?} m;
                    initial a.angle = {a:?} rad;
                    initial b.position = {second:?} m;
                    initial b.angle = {b:?} rad;
                    output p = b.position;
                }}"
            );
            let found = outputs(&compiled(&text));
            let missed = found.iter().zip(second).map(|(found, said)| (found - said).abs()).fold(0.0, f64::max);
            assert!(missed < 1e-8, "{trial}: {found:?}\n{text}");
        }
    }
}

/// Chains whose hinges have turned frames on both sides: a body's angle is within a turn where all joints are at zero, in
/// joint coordinates as in absolute ones, so that what depends on it acts alike in both.
#[test]
fn angles_of_bodies_are_the_same_in_both_coordinates() {
    let mut random = Random(7);
    let mut beyond = 0;
    for _ in 0..30 {
        let mut angle = || std::f64::consts::PI * random.next();
        let turned: [[f64; 2]; 3] = std::array::from_fn(|_| [angle(), angle()]);
        let links: String = (0..3)
            .map(|k| {
                let parent = if k == 0 { "ground".to_owned() } else { format!("b{} at [0.3, 0] m", k - 1) };
                let [before, after] = turned[k];
                format!(
                    "body b{k} {{ mass: 1 kg, inertia: 0.1 kg m^2 }}
                     joint j{k}: revolute({parent} rotated {before:e} rad, b{k} at [-0.3, 0] m rotated {after:e} rad);
                     torque t{k}: -5 N m/rad * b{k}.angle on b{k};
                     output a{k} = b{k}.angle;"
                )
            })
            .collect();
        let chain: f64 = turned.iter().map(|[before, after]| before - after).sum();
        beyond += usize::from(chain.abs() > std::f64::consts::PI);
        let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
        let [joint, absolute] = ["joint", "absolute"].map(|coordinates| {
            let model = compiled(&format!(
                "model Turned {{ planar; coordinates {coordinates}; gravity [0, -9.81] m/s^2; {links} }}"
            ));
            let start = outputs(&model);
            let run = Simulation::new(&model, &*scheme).step(2e-3).until(0.2).run(initial_state(&model).unwrap());
            run.outcome.unwrap();
            let end = ["a0", "a1", "a2"].map(|name| run.trajectory.column(name).unwrap().next_back().unwrap());
            (start, end)
        });
        for (one, other) in joint.0.iter().zip(&absolute.0) {
            assert!(
                (one - other).abs() < 1e-9 && one.abs() < std::f64::consts::PI + 1e-9,
                "{turned:?}: {joint:?}, {absolute:?}"
            );
        }
        for (one, other) in joint.1.iter().zip(absolute.1) {
            assert!((one - other).abs() < 1e-7, "{turned:?}: {joint:?}, {absolute:?}");
        }
    }
    assert!(beyond > 5, "{beyond}");
}

/// A four-bar of micrometres and picograms, and the same of metres and kilograms: without forces both turn alike.
#[test]
fn loops_of_any_size_turn_alike() {
    let ends = [1.0, 1e-3, 1e-5, 1e-6].map(|size| {
        let model = |coordinates: &str| {
            let of = |length: f64| format!("{:e} m", length * size);
            let (short, long) = (of(1.0), of(2.0));
            let bodies: String = ["a", "b", "c"]
                .map(|name| {
                    let (mass, inertia) = (size.powi(3), 0.1 * size.powi(5));
                    format!("body {name} {{ mass: {mass:e} kg, inertia: {inertia:e} kg m^2 }}")
                })
                .concat();
            let start = match coordinates {
                "joint" => "initial j.angle = 60 deg; initial j.angle.velocity = 3 rad/s;",
                _ => "initial a.angle = 60 deg; initial a.angular_velocity = 3 rad/s;",
            };
            compiled(&format!(
                "model Bars {{ planar; coordinates {coordinates}; {bodies}
                    joint j: revolute(ground, a);
                    joint k: revolute(a at [{short}, 0 m], b);
                    joint l: revolute(b at [{long}, 0 m], c);
                    joint m: revolute(c at [{short}, 0 m], ground at [{}, 0 m]);
                    {start} output turned = [a.angle, b.angle, c.angle]; }}",
                of(1.5)
            ))
        };
        ["joint", "absolute"].map(|coordinates| {
            let model = model(coordinates);
            ["generalized_alpha", "radau_iia5", "runge_kutta"].map(|name| {
                let scheme = schemes::by_name(name, &[]).unwrap();
                let run = Simulation::new(&model, &*scheme).step(1e-3).until(0.5).run(initial_state(&model).unwrap());
                run.outcome.unwrap_or_else(|error| panic!("{size}, {coordinates}, {name}: {error}"));
                ["turned_x", "turned_y", "turned_z"]
                    .map(|name| run.trajectory.column(name).unwrap().next_back().unwrap())
            })
        })
    });
    for of_size in &ends[1..] {
        for (found, expected) in of_size.iter().flatten().flatten().zip(ends[0].iter().flatten().flatten()) {
            assert!((found - expected).abs() < 1e-7, "{ends:?}");
        }
    }
}

/// The same in space, of two bodies on a hinge and a ball joint, from centimetres of water to micrometres.
#[test]
fn chains_of_any_size_turn_alike() {
    let ends = [1e-2, 1e-4, 1e-5, 1e-6].map(|size| {
        let of = |x: f64, y: f64, z: f64| format!("[{:e}, {:e}, {:e}] m", x * size, y * size, z * size);
        let (mass, inertia) = (1e3 * size.powi(3), 1e3 * size.powi(5));
        let bodies: String = ["a", "b"]
            .map(|name| {
                let moments = [0.1, 0.12, 0.08].map(|part| format!("{:e}", part * inertia)).join(", ");
                format!("body {name} {{ mass: {mass:e} kg, inertia: diag({moments}) kg m^2 }}")
            })
            .concat();
        let text = format!(
            "model Chain {{ {bodies}
                joint hinge: revolute(ground, a at {}) {{ axis: [1, 2, 3] }}
                joint ball: spherical(a at {}, b at {});
                initial a.angular_velocity.z = 4 rad/s;
                initial b.angular_velocity = [3, -2, 5] rad/s;
                output turned = [a.roll, a.pitch, a.yaw, b.roll, b.pitch, b.yaw]; }}",
            of(-0.5, 0.1, 0.0),
            of(0.5, 0.0, 0.2),
            of(0.0, -0.4, 0.1)
        );
        ["absolute", "absolute(euler_zyx)", "joint"].map(|coordinates| {
            let model = compiled(&text.replacen('{', &format!("{{ coordinates {coordinates};"), 1));
            ["generalized_alpha", "radau_iia5", "half_explicit", "bathe", "runge_kutta"].map(|name| {
                let scheme = schemes::by_name(name, &[]).unwrap();
                let run = Simulation::new(&model, &*scheme).step(1e-3).until(0.2).run(initial_state(&model).unwrap());
                run.outcome.unwrap_or_else(|error| panic!("{size}, {coordinates}, {name}: {error}"));
                let angle = |k| run.trajectory.column(&format!("turned_{k}")).unwrap().next_back().unwrap();
                std::array::from_fn::<f64, 6, _>(angle)
            })
        })
    });
    for of_size in &ends[1..] {
        for (found, expected) in of_size.iter().flatten().flatten().zip(ends[0].iter().flatten().flatten()) {
            assert!((found - expected).abs() < 1e-6, "{ends:?}");
        }
    }
}

/// Roll and yaw of any number of turns are those within half a turn, as numbers and as parameters.
#[test]
fn bodies_are_turned_by_any_angle() {
    let mut random = Random(9);
    for _ in 0..20 {
        let [roll, yaw] = [(); 2].map(|()| 1000.0 * random.next());
        let pitch = 80.0 * random.next();
        let [(sr, cr), (sp, cp), (sy, cy)] = [roll, pitch, yaw].map(|angle| angle.to_radians().sin_cos());
        let along = [cy * cp, sy * cp, -sp];
        let across = [cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr];
        for coordinates in ["absolute", "absolute(euler_zyx)", "joint"] {
            let model = compiled(&format!(
                "model Turned {{ coordinates {coordinates};
                    param heading = {yaw:e} deg;
                    body b {{ mass: 1 kg, inertia: diag(0.05, 0.06, 0.04) kg m^2 }}
                    joint motion: free(ground, b);
                    initial b.roll = {roll:e} deg;
                    initial b.pitch = {pitch:e} deg;
                    initial heading = b.yaw;
                    output along = (b at [1, 0, 0] m).position - b.position;
                    output across = (b at [0, 1, 0] m).position - b.position;
                }}"
            ));
            let found = outputs(&model);
            let is_near =
                found.iter().zip(along.iter().chain(&across)).all(|(found, expected)| (found - expected).abs() < 1e-9);
            assert!(is_near, "{coordinates}, {roll}, {pitch}, {yaw}: {found:?}, {along:?}, {across:?}");
        }
    }
}

/// Where the x axis of a body is vertical, roll is zero, and yaw is what turns it.
#[test]
fn bodies_that_stand_upright_have_a_yaw() {
    for (pitch, angle) in [(-90.0, 0.5), (90.0, 2.0), (-90.0, -3.0), (90.0, 0.0)] {
        for coordinates in ["absolute", "joint"] {
            let model = compiled(&format!(
                "model Upright {{ coordinates {coordinates};
                    body b {{ mass: 1 kg, inertia: diag(0.05, 0.06, 0.04) kg m^2 }}
                    joint hinge: revolute(ground, b rotated rotation_y({:e} deg));
                    initial (b at [0, 1, 0] m).position.x = {:e} m;
                    initial (b at [0, 1, 0] m).position.y = {:e} m;
                    output turned = [b.roll, b.pitch, b.yaw];
                }}",
                -pitch,
                -f64::sin(angle),
                f64::cos(angle)
            ));
            let found = outputs(&model);
            let expected = [0.0, f64::to_radians(pitch), angle];
            let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-7);
            assert!(is_near, "{coordinates}: {found:?}, {expected:?}");
        }
    }
}

/// A screw advances by its pitch with every turn, wherever along it a nut starts.
#[test]
fn nuts_start_at_the_turn_of_their_height() {
    for height in [-210.0, -35.0, -9.0, 5.0, 15.0, 19.9, 20.1, 30.0, 60.0, 100.0, 130.0] {
        for coordinates in ["absolute", "absolute(euler_zyx)"] {
            let model = compiled(&format!(
                "model Nut {{ coordinates {coordinates};
                    body nut {{ mass: 2 kg, inertia: diag(0.001, 0.001, 0.002) kg m^2 }}
                    joint s: screw(ground, nut) {{ pitch: 40 mm }}
                    initial nut.position.z = {height:e} mm;
                    output x = (nut at [1, 0, 0] m).position;
                }}"
            ));
            let (sine, cosine) = (std::f64::consts::TAU * height / 40.0).sin_cos();
            let expected = [cosine, sine, 1e-3 * height];
            let found = outputs(&model);
            let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
            assert!(is_near, "{coordinates}, {height}: {found:?}, {expected:?}");
        }
    }
}

/// Constraints that say which axes are at right angles also hold half a turn away from where a joint belongs.
#[test]
fn joints_are_not_assembled_half_a_turn_away() {
    let turned = |dimension: &str, joint: &str, condition: &str| {
        let (inertia, place) =
            if dimension == "planar;" { ("0.1", "[0.1, 0]") } else { ("diag(1, 2, 3)", "[0.1, 0, 0.2]") };
        let model = compiled(&format!(
            "model Turned {{ {dimension} coordinates absolute;
                body a {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
                body b {{ mass: 1 kg, inertia: {inertia} kg m^2, center_of_mass: {place} m }}
                joint h: revolute(ground, a);
                joint w: {joint};
                initial {condition};
            }}"
        ));
        initial_state(&model).map(|_| ()).map_err(|error| error.to_string())
    };
    let cases = [
        ("planar;", "fixed(a, b)", "b.angle = 180 deg; initial a.angle = 0"),
        ("planar;", "prismatic(a, b)", "b.angle = 180 deg; initial a.angle = 0"),
        ("", "revolute(ground, b)", "b.roll = 180 deg"),
        ("", "cylindrical(ground, b)", "b.roll = 180 deg"),
        ("", "planar(ground, b)", "b.roll = 180 deg"),
        ("", "prismatic(ground, b)", "b.yaw = 180 deg"),
        ("", "prismatic(ground, b)", "b.roll = 180 deg"),
        ("", "fixed(ground, b)", "b.yaw = 180 deg"),
    ];
    for (dimension, joint, condition) in cases {
        let said = turned(dimension, joint, condition);
        assert!(said.as_ref().is_err_and(|said| said.contains("half a turn away")), "{joint}, {condition}: {said:?}");
    }
    for (dimension, joint, condition) in [
        ("planar;", "fixed(a, b)", "b.angle = 180 deg; initial a.angle = 180 deg"),
        ("", "revolute(ground, b)", "b.yaw = 180 deg"),
        ("", "universal(ground, b)", "b.roll = 180 deg"),
        ("", "prismatic(ground rotated rotation_x(180 deg), b)", "b.roll = 180 deg"),
    ] {
        assert_eq!(turned(dimension, joint, condition), Ok(()), "{joint}, {condition}");
    }
}

/// Bodies whose position is opposite to where assembly begins.
#[test]
fn bodies_are_put_upside_down() {
    for angle in [90.0, 179.0, 179.9, 180.0, 180.1] {
        let (sine, cosine) = f64::to_radians(angle).sin_cos();
        let model = compiled(&format!(
            "model Upright {{ coordinates absolute; gravity [0, 0, -9.81] m/s^2;
                body b {{ mass: 2 kg, inertia: diag(0.01, 0.02, 0.03) kg m^2 }}
                joint s: revolute(ground, b at [0, 0.1, 1] m) {{ axis: [0, 1, 0] }}
                initial b.position = [{:e}, -0.1, {:e}] m;
                output along = (b at [0, 0, 1] m).position - b.position;
            }}",
            -sine, -cosine
        ));
        let found = outputs(&model);
        let is_near = found.iter().zip([sine, 0.0, cosine]).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(is_near, "{angle}: {found:?}");
    }
}

/// Without anything that moves conditions hold or not.
#[test]
fn what_cannot_move_starts_where_it_is() {
    for (angle, holds) in [(0.0, true), (90.0, false)] {
        let model = compiled(&format!(
            "model Still {{ planar; coordinates joint;
                body b {{ mass: 2 kg, inertia: 0.1 kg m^2 }}
                joint s: fixed(ground, b);
                initial b.angle = {angle:e} deg;
            }}"
        ));
        let start = initial_state(&model);
        assert_eq!(start.is_ok(), holds, "{angle}: {start:?}");
        let Ok(start) = start else { continue };
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            let run = Simulation::new(&model, &*scheme).step(0.01).until(0.02).run(start.clone());
            let panicked = run.outcome.err().map(|error| error.to_string()).filter(|said| said.contains("panicked"));
            assert_eq!(panicked, None, "{}", entry.name);
        }
    }
}

/// The first row of a motion that begins with closed contacts has their forces, and the accelerations under these, as the
/// rows behind it have: a cart that slides on two wheels down a slope and carries a pendulum on the move.
#[test]
fn forces_of_contacts_that_are_closed_are_part_of_the_start() {
    let text = |coordinates: &str, lift: f64| {
        format!(
            "model Sledge {{
                planar;
                coordinates {coordinates};
                gravity [1.7, -9.81] m/s^2;
                body sledge {{ mass: 3.1 kg, inertia: 0.4 kg m^2, center_of_mass: [0.07, 0.1] m }}
                body bob {{ mass: 1.3 kg, inertia: 0.02 kg m^2 }}
                joint free: free(ground, sledge);
                joint hinge: revolute(sledge at [0.1, 0.3] m, bob at [0, 0.4] m);
                contact rear {{ gap: (sledge at [-0.5, 0] m).position.y, slip: (sledge at [-0.5, 0] m).velocity.x, friction: 0.2 }}
                contact front {{ gap: (sledge at [0.6, 0] m).position.y, slip: (sledge at [0.6, 0] m).velocity.x, friction: 0.1 }}
                initial sledge.position = [0, 0] m;
                initial sledge.angle = 0 rad;
                initial sledge.velocity = [0.9, {lift}] m/s;
                initial sledge.angular_velocity = 0 rad/s;
                initial bob.angle = 0.6 rad;
                initial bob.angular_velocity = 1.1 rad/s;
                output ax = sledge.acceleration.x;
            }}"
        )
    };
    let names = ["normal_force(rear)", "normal_force(front)", "friction(rear)", "friction(front)", "ax"];
    for coordinates in ["joint", "absolute"] {
        for name in ["moreau", "half_explicit", "radau_iia5", "bathe", "generalized_alpha"] {
            let what = format!("{coordinates}, {name}");
            let scheme = schemes::by_name(name, &[]).unwrap();
            let rows = |lift: f64| {
                let model = hamel_jit::model(text(coordinates, lift).parse().unwrap(), Level::AtOnce, None).unwrap();
                let run = Simulation::new(&model, &*scheme).step(1e-6).until(2e-6).run(initial_state(&model).unwrap());
                run.outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
                names.map(|name| run.trajectory.column(name).unwrap().collect::<Vec<f64>>())
            };
            let sliding = rows(0.0);
            for (name, row) in names.iter().zip(&sliding) {
                // The first step of some, in absolute coordinates, is not as accurate as the second.
                assert!((row[0] - row[2]).abs() < 2e-3, "{what}, {name}: {row:?}");
            }
            let [rear, front, of_rear, of_front, _] = &sliding;
            assert!(rear[0] > 1.0 && front[0] > 1.0, "{what}: {sliding:?}");
            assert!((of_rear[0] + 0.2 * rear[0]).abs() + (of_front[0] + 0.1 * front[0]).abs() < 1e-9, "{what}");
            // Contacts that separate have no forces.
            let [rear, front, ..] = rows(0.3);
            assert_eq!([rear[0], front[0]], [0.0; 2], "{what}");
        }
    }
}
