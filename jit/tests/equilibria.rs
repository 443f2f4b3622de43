//! Equilibria from starts that are far from them, where Newton's method alone flies away, and loads under which nothing
//! comes to rest.

use hamel::{EquilibriumError, Model, State, equilibrium, initial_state};
use hamel_jit::{JitModel, Level};

fn model(text: &str) -> JitModel {
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Starts all over the range of each coordinate, by the golden ratio and its powers.
fn scattered(count: usize, coordinates: usize, range: f64) -> impl Iterator<Item = Vec<f64>> {
    let place = move |start: usize, coordinate: usize| {
        let part = (0.618_033_988_749_895_f64.powi(coordinate as i32 + 1) * (start as f64 + 0.5)).fract();
        (2.0 * part - 1.0) * range
    };
    (0..count).map(move |start| (0..coordinates).map(|coordinate| place(start, coordinate)).collect())
}

/// The largest force that is left over.
fn left_over(model: &JitModel, state: &State) -> f64 {
    let (mut r, mut g) = (vec![0.0; model.dims().nv], vec![0.0; model.dims().nc]);
    model.residual(state, &mut r, &mut g);
    r.iter().chain(&g).fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

/// Three rods with springs in their hinges, weights and a drag that pushes, from any angles.
#[test]
fn rods_come_to_rest_from_anywhere() {
    let model = model(
        "model Rods {
            planar;
            coordinates joint;
            gravity [0, -9.81] m/s^2;
            body a { mass: 0.7 kg, inertia: 0.02 kg m^2 }
            body b { mass: 0.4 kg, inertia: 0.01 kg m^2 }
            body c { mass: 1.1 kg, inertia: 0.03 kg m^2 }
            joint first: revolute(ground, a at [0, 0.5] m);
            joint second: revolute(a at [0, -0.5] m, b at [0, 0.3] m);
            joint third: revolute(b at [0, -0.3] m, c at [0, 0.4] m);
            force spring: torsion_spring(second) { stiffness: 0.3 N m/rad, damping: 0.1 N m s/rad }
            force wind: [0.8 N, 0 N] on c;
        }",
    );
    let rest = initial_state(&model).unwrap();
    for angles in scattered(60, 3, std::f64::consts::PI) {
        let start = State { q: hamel::nalgebra::DVector::from_vec(angles), ..rest.clone() };
        let found = equilibrium(&model, &start).unwrap_or_else(|error| panic!("{}: {error}", start.q.transpose()));
        let left = left_over(&model, &found.state);
        assert!(left < 1e-10, "{}: {left:e}", start.q.transpose());
    }
}

/// The wind of a sail that turns with it: beyond a part of the weight nothing balances it, and it turns on and on.
#[test]
fn where_nothing_balances_a_load_none_is_found() {
    let text = |torque: f64| {
        format!(
            "model Wheel {{
                planar;
                coordinates joint;
                gravity [0, -9.81] m/s^2;
                body wheel {{ mass: 2 kg, inertia: 0.1 kg m^2 }}
                joint hub: revolute(ground, wheel at [0, 0.25] m);
                torque motor: {torque} N m on wheel;
            }}"
        )
    };
    // m g r = 4.905 N m.
    let balanced = model(&text(4.8));
    for angle in scattered(20, 1, 6.0) {
        let start = State { q: hamel::nalgebra::DVector::from_vec(angle), ..initial_state(&balanced).unwrap() };
        let q = equilibrium(&balanced, &start).unwrap().state.q[0];
        assert!((4.905 * q.sin() - 4.8).abs() < 1e-12, "{q}");
    }
    let driven = model(&text(5.0));
    for angle in scattered(20, 1, 6.0) {
        let start = State { q: hamel::nalgebra::DVector::from_vec(angle), ..initial_state(&driven).unwrap() };
        let found = equilibrium(&driven, &start);
        assert!(matches!(found, Err(EquilibriumError::NotConverged { .. })), "{found:?}");
    }
}

/// A chain between two supports that begins as a rectangle: the pull at its middle is half of its weight over twice the
/// sine of the angle at a support, link by link, in a form that is symmetric.
#[test]
fn chains_sag_between_supports() {
    let link = |i: usize| format!("body l{i} {{ mass: 0.2 kg, inertia: 0.001 kg m^2 }}\n");
    let joint = |i: usize| format!("joint j{i}: revolute(l{} at [0.1, 0] m, l{i} at [-0.1, 0] m);\n", i - 1);
    let text = format!(
        "model Chain {{
            planar;
            coordinates absolute;
            gravity [0, -9.81] m/s^2;
            {}
            joint left: revolute(ground, l0 at [-0.1, 0] m);
            {}
            joint right: revolute(ground at [0.8, 0] m, l7 at [0.1, 0] m);
            initial l0.angle = -90 deg;
            initial l1.angle = -90 deg;
            initial l6.angle = 90 deg;
        }}",
        (0..8).map(link).collect::<String>(),
        (1..8).map(joint).collect::<String>()
    );
    let model = model(&text);
    let start = initial_state(&model).unwrap();
    let found = equilibrium(&model, &start).unwrap();
    assert!(left_over(&model, &found.state) < 1e-9);
    // Of body i: x, y and angle.
    let angle = |i: usize| found.state.q[3 * i + 2];
    for i in 0..4 {
        assert!((angle(i) + angle(7 - i)).abs() < 1e-10, "{}", found.state.q);
    }
    // Pulls across and along at the left support, and in equal steps of weight to the middle: tan φ is linear in i.
    let slope = |i: usize| angle(i).tan();
    for i in 1..4 {
        assert!(((slope(0) - slope(i)) / (i as f64) - (slope(0) - slope(1))).abs() < 1e-9);
    }
    assert!(slope(0) < -0.5);
}
