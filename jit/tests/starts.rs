//! What initial conditions leave open is completed by the smallest change.

use hamel::{Model, Simulation, initial_state, schemes};
use hamel_jit::{JitModel, Level};

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
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
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
    let mut seed = 0x1234_5678_9ABC_DEF1_u64;
    let mut random = |size: f64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        size * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
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
