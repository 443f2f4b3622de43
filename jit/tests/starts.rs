//! What initial conditions leave open is completed by the smallest change.

use hamel::{Model, initial_state};
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
