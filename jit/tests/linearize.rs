//! Linearised motions against closed forms, and the same motions in other coordinates.

use std::f64::consts::PI;

use crate::common::linearized::{about, distance, model, nonzero, text_of};
use hamel::linearize::{About, Doubt, Linearization, LinearizeError, monodromy};
use hamel::nalgebra::{Complex, DVector, Matrix2, Matrix4};
use hamel::{Model, initial_state, linearize};

/// A circle of mass that rolls straight ahead: it stays upright if C (C + m r²) ω² > A m g r.
const HOOP: &str = "model Hoop {
    COORDINATES
    param speed = 2 m/s;
    const r = 0.4;
    gravity [0, 0, -9.81] m/s^2;
    body hoop { mass: 3 kg, inertia: diag(0.24, 0.48, 0.24) kg m^2 }
    joint way: free(ground, hoop);
    let wheel = [hoop.rotation[0][1], hoop.rotation[1][1], hoop.rotation[2][1]];
    let rise = sqrt(1 - wheel.z^2);
    let down = (wheel.z * wheel - [0, 0, 1]) / rise;
    let slip = hoop.velocity + cross(hoop.angular_velocity, r * 1 m * down);
    constraint touch: hoop.position.z - r * 1 m * rise == 0;
    constraint along: slip.x == 0 as velocity;
    constraint across: slip.y == 0 as velocity;
    initial hoop.position.x = 0;
    initial hoop.position.y = 0;
    initial hoop.velocity.x = speed;
    initial hoop.angular_velocity = [0, speed / (r * 1 m), 0];
    output lean = wheel.z;
}";

/// A motor whose current lags, as a first-order state, turns an arm against a brake at a steady rate.
#[test]
fn steady_motions_have_states() {
    let motor = model(
        "model Motor {
            planar;
            coordinates joint;
            param volt = 3;
            body arm { mass: 1 kg, inertia: 0.5 kg m^2 }
            joint shaft: revolute(ground, arm);
            let rate = shaft.angle.velocity / 1 rad/s;
            state current 1: (volt - 0.4 * rate - 2 * current) / 0.1 s;
            torque drive: 0.4 N m * current - 0.6 N m * rate on arm;
            initial shaft.angle.velocity = RATE rad/s;
            initial current = CURRENT;
        }"
        .replace("RATE", "0.882352941176470588")
        .replace("CURRENT", "1.32352941176470588")
        .as_str(),
    );
    let linear = about(&motor, About::Steady);
    // J w' = 0.4 i − 0.6 w, 0.1 i' = −0.4 w − 2 i.
    let (trace, determinant) = (-1.2 - 20.0_f64, 1.2 * 20.0 + 0.8 * 4.0);
    let root = (trace * trace / 4.0 - determinant).sqrt();
    let expected = [trace / 2.0 - root, trace / 2.0 + root].map(|value| Complex::new(value, 0.0));
    assert!(distance(&nonzero(&linear), &expected) < 1e-12);
    assert_eq!(linear.doubts, []);
    // About the state, which is steady, there is no doubt either.
    assert_eq!(about(&motor, About::State).doubts, []);
}

/// Forces that are zero, but whose derivatives change with time.
#[test]
fn equations_that_change_with_time_are_doubted() {
    let text = "model Shaken {
        planar;
        coordinates joint;
        body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force spring: -(10 N/m) * (1 + 0.8 * DEPTH * sin(6.3 rad/s * time)) * rail.displacement on rail;
        output x = rail.displacement * (1 + 0.5 * SEEN * time / 1 s);
        OTHER
    }";
    let doubts = |depth: &str, seen: &str, other: &str, of: About| {
        let text = text.replace("DEPTH", depth).replace("SEEN", seen).replace("OTHER", other);
        about(&model(&text), of).doubts
    };
    assert_eq!(doubts("0", "0", "", About::Equilibrium), []);
    assert_eq!(doubts("1", "0", "", About::Equilibrium), [Doubt::Equations { t: 0.0 }]);
    assert_eq!(doubts("0", "1", "", About::Equilibrium), [Doubt::Equations { t: 0.0 }]);
    assert_eq!(doubts("0", "0", "initial rail.displacement = 0.1 m;", About::State), [Doubt::Motion]);
}

#[test]
fn a_hoop_stays_upright_above_its_critical_speed() {
    let (m, r, a, c, g) = (3.0_f64, 0.4, 0.24, 0.48, 9.81);
    let critical: f64 = (a * m * g * r / (c * (c + m * r * r)) * r * r).sqrt();
    for coordinates in ["coordinates joint;", "coordinates joint(euler_zyx);", "coordinates absolute;"] {
        let mut hoop = model(&HOOP.replace("COORDINATES", coordinates));
        for factor in [0.0, 0.5, 0.9, 1.1, 3.0] {
            let speed = factor * critical;
            hoop.set(&[("speed", speed)]).unwrap();
            let spin = speed / r;
            let square = (m * g * r - c * (c + m * r * r) * spin * spin / a) / (a + m * r * r);
            let root = Complex::new(square, 0.0).sqrt();
            let found = nonzero(&about(&hoop, About::Steady));
            assert!(distance(&found, &[root, -root]) < 1e-11, "{coordinates} {factor}: {found:?} and {root}");
        }
    }
}

/// A top with its tip at rest: A z̈ − i C ω ż − m g l z = 0 for its lean z, seen from the ground.
const TOP: &str = "model Top {
    COORDINATES
    param spin = 30 rad/s;
    gravity [0, 0, -9.81] m/s^2;
    body top { mass: 0.5 kg, inertia: diag(0.002, 0.002, 0.0008) kg m^2 }
    joint tip: spherical(ground, top at [0, 0, -0.1] m);
    initial top.angular_velocity = [0, 0, spin];
    output lean = top.rotation[0][2];
}";

#[test]
fn a_top_sleeps_above_its_critical_spin() {
    let (a, c, weight): (f64, f64, f64) = (0.002 + 0.5 * 0.01, 0.0008, 0.5 * 9.81 * 0.1);
    let critical = (4.0 * a * weight).sqrt() / c;
    for coordinates in ["coordinates joint;", "coordinates absolute;", "coordinates joint(euler_zyx);"] {
        let mut top = model(&TOP.replace("COORDINATES", coordinates));
        for factor in [0.0, 0.5, 0.99, 1.01, 2.0] {
            let spin = factor * critical;
            top.set(&[("spin", spin)]).unwrap();
            let root: Complex<f64> = Complex::new(c * c * spin * spin - 4.0 * a * weight, 0.0).sqrt();
            let half: [Complex<f64>; 2] =
                [root, -root].map(|root| Complex::new(0.0, 1.0) * (c * spin + root) / (2.0 * a));
            let expected: Vec<_> = half.iter().flat_map(|value| [*value, value.conj()]).collect();
            let found = nonzero(&about(&top, About::Steady));
            // Near the limit two eigenvalues meet, and keep half of their digits.
            let tolerance = if (factor - 1.0_f64).abs() < 0.1 { 1e-6 } else { 1e-10 };
            assert!(distance(&found, &expected) < tolerance, "{coordinates} {factor}: {found:?} {expected:?}");
            let grows = found.iter().any(|value| value.re > 1e-6);
            assert_eq!(grows, factor < 1.0, "{coordinates} {factor}");
        }
    }
}

/// A disc in the middle of a shaft without mass, bent by k and tilted by kt, with damping outside and in the shaft, which
/// turns with it: whirl forward with (ω, and above the critical speed ω (1 + ce/ci) it grows.
const ROTOR: &str = "model Rotor {
    COORDINATES
    param spin = 50 rad/s;
    param inner = 0 N s/m;
    param outer = 0 N s/m;
    const k = 2000;
    body disc { mass: 2 kg, inertia: diag(0.01, 0.01, 0.02) kg m^2 }
    joint bearing: free(ground, disc);
    let carried = cross([0, 0, spin], disc.position);
    force shaft: [-k * 1 N/m * disc.position.x, -k * 1 N/m * disc.position.y, -k * 1 N/m * disc.position.z] on disc;
    force inside: -inner * (disc.velocity - carried) on disc;
    force outside: -outer * disc.velocity on disc;
    torque back: 30 N m * cross([disc.rotation[0][2], disc.rotation[1][2], disc.rotation[2][2]], [0, 0, 1]) on disc;
    initial disc.position = [0, 0, 0];
    initial disc.angular_velocity = [0, 0, spin];
}";

#[test]
fn a_rotor_whirls_as_its_spin_and_its_damping_say() {
    let (m, k, a, c, kt) = (2.0, 2000.0, 0.01, 0.02, 30.0);
    let natural: f64 = f64::sqrt(k / m);
    for coordinates in ["coordinates joint;", "coordinates absolute;"] {
        let mut rotor = model(&ROTOR.replace("COORDINATES", coordinates));
        for spin in [0.0, 20.0, 100.0] {
            // Backward and forward whirl of the tilt, in the diagram of Campbell; the bend knows no spin.
            rotor.set(&[("spin", spin)]).unwrap();
            let found = nonzero(&about(&rotor, About::Steady));
            let root = f64::sqrt(c * c * spin * spin + 4.0 * a * kt);
            let whirl = [(c * spin + root) / (2.0 * a), (root - c * spin) / (2.0 * a), natural, natural, natural];
            let expected: Vec<_> = whirl.iter().flat_map(|w| [Complex::new(0.0, *w), Complex::new(0.0, -w)]).collect();
            assert!(distance(&found, &expected) < 1e-9, "{coordinates} {spin}: {found:?}");
        }
        // m z̈ + (ci + ce) ż + (k − i ci Ω) z = 0.
        let (inner, outer) = (3.0, 1.0);
        for factor in [0.9, 1.1] {
            let spin = factor * natural * (1.0 + outer / inner);
            rotor.set(&[("spin", spin), ("inner", inner), ("outer", outer)]).unwrap();
            let found = nonzero(&about(&rotor, About::Steady));
            let damping = inner + outer;
            let root = Complex::new(damping * damping - 4.0 * m * k, 4.0 * m * inner * spin).sqrt();
            for expected in [(-damping + root) / (2.0 * m), (-damping - root) / (2.0 * m)] {
                let nearest = found.iter().map(|value| (value - expected).norm()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-9, "{coordinates} {factor}: {expected} in {found:?}");
            }
            assert_eq!(found.iter().any(|value| value.re > 1e-6), factor > 1.0);
        }
    }
}

/// A ship that heaves with waves that it radiates, and sways and rolls together, as its centre of mass is below its middle.
const SHIP: &str = "model Ship {
    COORDINATES
    gravity [0, 0, -9.81] m/s^2;
    body hull {
        mass: 2e6 kg, center_of_mass: [0, 0, -0.4] m, inertia: diag(4e7, 2e8, 2.1e8) kg m^2 about origin,
        added_mass: { force: diag(2e5, 1.1e6, 2.4e6) kg, moment: diag(1.5e7, 1.3e8, 6e7) kg m^2 },
    }
    state radiation N: 8e5 N/m * hull.velocity.z - 0.3 rad/s * radiation - 0.7 rad/s * echo;
    state echo N: 0.7 rad/s * radiation - 0.3 rad/s * echo;
    force buoyancy: [0 N, 0 N, 2e6 kg * 9.81 m/s^2 - 1.2e7 N/m * hull.position.z - radiation] on hull;
    let v = (hull.velocity in hull);
    force drag: [-3e4 N s/m * v.x, -2e5 N s/m * v.y, 0 N] on hull in hull;
    torque righting: [-3e7 N m * hull.roll, -4e8 N m * hull.pitch, 0 N m] on hull in hull;
    torque brake: -2e6 N m s * hull.angular_velocity on hull;
}";

#[test]
fn a_ship_heaves_sways_and_rolls() {
    // M ẍ + C ẋ + K x = 0, for each pair of directions that the centre of mass couples, and heave with two states.
    let (m, below) = (2e6, 0.4);
    let pair = |side: f64, masses: [f64; 2], damping: [f64; 2], righting: f64| {
        let mass = Matrix2::new(masses[0], side * m * below, side * m * below, masses[1]);
        let inverse = mass.try_inverse().unwrap();
        let stiffness = inverse * Matrix2::new(0.0, 0.0, 0.0, righting + m * 9.81 * below);
        let damping = inverse * Matrix2::new(damping[0], 0.0, 0.0, damping[1]);
        let mut rates = Matrix4::zeros();
        rates.fixed_view_mut::<2, 2>(0, 2).fill_with_identity();
        rates.fixed_view_mut::<2, 2>(2, 0).copy_from(&-stiffness);
        rates.fixed_view_mut::<2, 2>(2, 2).copy_from(&-damping);
        rates
    };
    let roll = pair(1.0, [3.1e6, 5.5e7], [2e5, 2e6], 3e7);
    let pitch = pair(-1.0, [2.2e6, 3.3e8], [3e4, 2e6], 4e8);
    let heaving = 4.4e6;
    let heave = Matrix4::new(
        0.0,
        1.0,
        0.0,
        0.0,
        -1.2e7 / heaving,
        0.0,
        -1.0 / heaving,
        0.0,
        0.0,
        8e5,
        -0.3,
        -0.7,
        0.0,
        0.0,
        0.7,
        -0.3,
    );
    let yaw = Complex::new(-2e6 / 2.7e8, 0.0);
    let all = [roll, pitch, heave]
        .into_iter()
        .flat_map(|rates| rates.complex_eigenvalues().iter().copied().collect::<Vec<_>>());
    let expected: Vec<_> = all.filter(|value| value.norm() > 1e-9).chain([yaw]).collect();
    for coordinates in
        ["coordinates joint(euler_zyx); joint sea: free(ground, hull);", "coordinates absolute(euler_zyx);"]
    {
        let ship = model(&SHIP.replace("COORDINATES", coordinates));
        let found = nonzero(&about(&ship, About::Equilibrium));
        assert!(distance(&found, &expected) < 1e-9, "{coordinates}: {found:?}, {expected:?}");
    }
}

/// A slider-crank whose crank hangs down.
#[test]
fn a_slider_crank_swings_about_its_equilibrium() {
    let (l1, m1, m2, m3, j1) = (0.153, 0.038, 0.038, 0.076, 7.4e-5);
    let stiffness = 9.81 * l1 * (m1 + m2) / 2.0;
    let mass = j1 + m1 * l1 * l1 / 4.0 + (m2 + m3) * l1 * l1;
    let expected = Complex::new(0.0, f64::sqrt(stiffness / mass));
    for (name, angle) in [("slider_crank", "theta1"), ("slider_crank_absolute", "crank.angle")] {
        let text = text_of(name).parse().unwrap();
        let text = hamel_jit::with_initial(text, &[(angle, "-1.4rad")]).unwrap();
        let crank = model(&text.to_string());
        let linear = about(&crank, About::Equilibrium);
        assert_eq!(linear.states.len(), 2, "{name}");
        assert!(distance(&linear.eigenvalues().unwrap(), &[expected, expected.conj()]) < 1e-11, "{name}");
        // The torque acts on the crank, and the slider moves with l1.
        let h = linear.response([Complex::new(0.0, 0.0)])[0][(0, 0)];
        assert!((h.re - l1 / stiffness).abs() < 1e-9 * h.norm(), "{name}: {h}");
    }
}

/// A pendulum on a shaft that turns at a given rate: it stands off at cos θ = g / l Ω², and swings about with Ω sin θ.
#[test]
fn a_pendulum_on_a_driven_shaft_swings_about_its_steady_motion() {
    let text = "model Governor {
        coordinates joint;
        const l = 0.5;
        param spin = 6 rad/s;
        gravity [0, 0, -9.81] m/s^2;
        body shaft { mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }
        body bob { mass: 2 kg, inertia: diag(0, 0, 0) kg m^2, center_of_mass: [0, 0, -l] m }
        joint bearing: revolute(ground, shaft);
        joint hinge: revolute(shaft, bob) { axis: [0, 1, 0] }
        drive turn: bearing.angle == spin * time;
        initial hinge.angle = acos(9.81 m/s^2 / (l * 1 m * spin^2));
        initial hinge.velocity = 0;
    }";
    let mut governor = model(text);
    for spin in [5.0_f64, 6.0, 20.0] {
        governor.set(&[("spin", spin)]).unwrap();
        let cosine = 9.81 / (0.5 * spin * spin);
        let rate = Complex::new(0.0, spin * (1.0 - cosine * cosine).sqrt());
        let found = about(&governor, About::Steady).eigenvalues().unwrap();
        assert!(distance(&found, &[rate, rate.conj()]) < 1e-10, "{spin}: {found:?}");
    }
    let error = linearize(&governor, &initial_state(&governor).unwrap(), About::Equilibrium).unwrap_err();
    assert!(matches!(&error, LinearizeError::Driven { constraint, .. } if constraint == "turn"), "{error}");
}

/// Eigenvalues of a beam that is clamped at its root: cos βl cosh βl = −1.
#[test]
fn a_beam_has_its_natural_frequencies() {
    let text = "model Cantilever {
        planar;
        coordinates joint;
        flexible beam: beam_floating_frame {
            length: 1 m, elements: 12, E: 1 Pa, density: 1 kg/m^3, area: 1 m^2, second_moment: 1e-2 m^4,
        }
        joint clamp: fixed(ground, beam.root);
        input push N;
        force load: [0, push] on beam.tip;
        output tip = beam[12].y;
    }";
    let beam = model(text);
    let linear = about(&beam, About::Equilibrium);
    let modes = linear.modes().unwrap();
    assert_eq!(modes.len(), 72);
    for exact in [1.875_104_068_711_961_f64, 4.694_091_132_974_175, 7.854_757_438_237_613] {
        let rate = exact * exact * 0.1;
        let error = |value: &Complex<f64>| ((value.im - rate) / rate).abs() + value.re.abs();
        // Elements of third degree have errors of the fourth order.
        let bound = (exact / 12.0).powi(4) / 1000.0;
        assert!(modes.iter().any(|mode| error(&mode.eigenvalue) < bound), "{rate}");
    }
    // With all modes in place of the coordinates it is the same beam, and with a few it has their frequencies.
    let response = |linear: &Linearization| linear.response([Complex::new(0.0, 0.1)])[0][(0, 0)];
    for count in [36, 5] {
        let reduced = hamel::modal::Reduced::member(&beam, "beam", count).unwrap();
        let found = linearize(&reduced, &initial_state(&reduced).unwrap(), About::Equilibrium).unwrap();
        let tolerance = if count == 36 { 1e-9 } else { 5e-3 };
        assert!((response(&found) / response(&linear) - 1.0).norm() < tolerance, "{count}");
        assert!((found.modes().unwrap()[0].frequency() / modes[0].frequency() - 1.0).abs() < 1e-9);
    }
    // The same as the modes of the member with symmetric matrices.
    let symmetric = hamel::modal::member_modes(&beam, "beam").unwrap();
    for (index, hertz) in symmetric.frequencies.iter().enumerate() {
        let found = modes[2 * index].frequency();
        assert!((found / hertz - 1.0).abs() < 1e-9, "{index}: {found} {hertz}");
    }
}

/// Departures from a motion grow as the matrix of its instant says: in a steady motion the monodromy matrix of any time
/// is e^{A t}.
#[test]
fn over_any_time_a_steady_motion_has_the_exponential_of_its_matrix() {
    let mut bicycle = model(&text_of("bicycle"));
    bicycle.set(&[("speed", 4.6)]).unwrap();
    let linear = about(&bicycle, About::Steady);
    let found = monodromy(&bicycle, &linear.state, 0.7, 1e-9).unwrap();
    let expected = (&linear.state_matrix * 0.7).exp();
    assert!((&found.matrix - &expected).amax() < 1e-8 * expected.amax(), "{}", found.matrix - expected);
}

/// Swings of a pendulum by a large angle: one multiplier belongs to a departure along the motion, and the other one is its
/// inverse, in coordinates with and without constraints.
#[test]
fn a_large_swing_returns_with_multipliers_of_one() {
    for coordinates in ["coordinates joint;", "coordinates absolute;"] {
        let pendulum = model(&format!(
            "model Pendulum {{
                planar;
                {coordinates}
                gravity [0, -9.81] m/s^2;
                body rod {{ mass: 2 kg, inertia: 0.3 kg m^2 }}
                joint hinge: revolute(ground, rod at [0, 0.5] m);
                initial rod.angle = 2 rad;
                initial rod.angular_velocity = 0;
            }}"
        ));
        // T = 4 √(J / m g l) K(sin θ₀/2), K by the arithmetic-geometric mean.
        let (mut a, mut b) = (1.0_f64, (1.0_f64).cos());
        for _ in 0..8 {
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
        }
        let period = 4.0 * ((0.3 + 0.5) / (2.0 * 9.81 * 0.5_f64)).sqrt() * PI / (2.0 * a);
        let start = initial_state(&pendulum).unwrap();
        let found = monodromy(&pendulum, &start, period, 1e-9).unwrap();
        assert!((found.matrix.trace() - 2.0).abs() < 1e-7, "{coordinates}: {}", found.matrix);
        assert!((found.matrix.determinant() - 1.0).abs() < 1e-7, "{coordinates}");
        // After half a period it has the velocity and the stiffness of its start, on the other side.
        for part in [0.5, 0.9, 1.5] {
            let error = monodromy(&pendulum, &start, part * period, 1e-9).unwrap_err();
            assert!(matches!(&error, LinearizeError::NotPeriodic { .. }), "{part}: {error}");
        }
        let error = monodromy(&pendulum, &start, -1.0, 1e-9).unwrap_err();
        assert_eq!(error, LinearizeError::BadPeriod { period: -1.0 });
    }
}

/// Mechanisms with inputs, outputs, loops, first-order states and constraints on velocities, in joint and in absolute
/// coordinates: the same eigenvalues, and the same responses of all outputs to all inputs.
const PAIRS: [(&str, About); 5] = [
    (
        "planar;
        gravity [0, -9.81] m/s^2;
        input drive N;
        input pull N m;
        body cart { mass: 3 kg, inertia: 1 kg m^2 }
        body first { mass: 1 kg, inertia: 0.05 kg m^2, center_of_mass: [0, -0.3] m }
        body second { mass: 0.7 kg, inertia: 0.02 kg m^2, center_of_mass: [0.02, -0.2] m }
        joint rail: prismatic(ground, cart);
        joint upper: revolute(cart at [0.1, 0] m, first);
        joint lower: revolute(first at [0, -0.6] m, second);
        state motor N: (drive - motor) / (0.05 s) - 3 N s/m * cart.velocity.x / (0.05 s);
        force push: [motor, 0] on cart;
        torque twist: pull on second from first;
        force back: spring_damper(ground at [-1, 0] m, cart) { stiffness: 40 N/m, damping: 2 N s/m, free_length: 0.8 m }
        output way = cart.position.x;
        output speed = second.velocity.y;
        output jerkless = second.acceleration.x + motor / (2 kg) + drive / (10 kg);",
        About::Equilibrium,
    ),
    (
        "planar;
        gravity [0, -9.81] m/s^2;
        input push N;
        body hand { mass: 1 kg, inertia: 0.02 kg m^2 }
        body crank { mass: 0.3 kg, center_of_mass: [0.05, 0.01] m, inertia: 2e-3 kg m^2 }
        body finger { mass: 0.4 kg, center_of_mass: [0.04, 0.02] m, inertia: 3e-3 kg m^2 }
        body rocker { mass: 0.2 kg, center_of_mass: [0.06, 0] m, inertia: 1e-3 kg m^2 }
        joint slide: prismatic(ground, hand);
        joint a: revolute(hand at [0, 0.02] m, crank);
        joint b: revolute(crank at [0.1, 0] m, finger);
        joint c: revolute(hand at [0.03, -0.04] m, rocker);
        joint d: revolute(finger at [0.05, -0.05] m, rocker at [0.11, 0] m);
        force spring: spring(hand, finger at [0.1, 0] m) { stiffness: 200 N/m, free_length: 0.1 m }
        force back: spring_damper(ground at [-1, 0.1] m, hand) { stiffness: 40 N/m, damping: 2 N s/m, free_length: 0.8 m }
        force load: [0, push] on finger;
        output tip = (finger at [0.1, 0] m).position;
        output jolt = rocker.angular_acceleration;",
        About::Equilibrium,
    ),
    (
        "gravity [0, 0, -9.81] m/s^2;
        input torque_in N m;
        body arm { mass: 1 kg, inertia: diag(0.05, 0.06, 0.02) kg m^2, center_of_mass: [0, 0, -0.3] m }
        body bell { mass: 2 kg, inertia: [[0.05, 0.005, 0], [0.005, 0.06, 0.004], [0, 0.004, 0.03]] kg m^2, center_of_mass: [0.05, 0.02, -0.2] m }
        joint hook: universal(ground, arm);
        joint ball: spherical(arm at [0, 0, -0.6] m, bell);
        torque drag: -0.3 N m s/rad * (bell.angular_velocity - arm.angular_velocity) on bell from arm;
        torque turn: [torque_in, 0, torque_in] on bell in bell;
        torque hold: -0.4 N m * [0, 0, bell.yaw] on bell;
        output place = bell.position;
        output spin = (bell.angular_velocity in bell);
        output lift = (bell at [0.1, 0.1, 0] m).acceleration.z;",
        About::Equilibrium,
    ),
    (
        "planar;
        input side N;
        body sled { mass: 4 kg, inertia: 0.5 kg m^2, center_of_mass: [0.2, 0] m }
        body load { mass: 1 kg, inertia: 0.1 kg m^2, center_of_mass: [-0.3, 0] m }
        joint way: free(ground, sled);
        joint hitch: revolute(sled at [-0.4, 0] m, load);
        constraint knife: sled.velocity.y * cos(sled.angle) - sled.velocity.x * sin(sled.angle) == 0 as velocity;
        force gust: [0, side] on load;
        initial sled.position = [0, 0];
        initial sled.angle = 0;
        initial sled.velocity.x = 3 m/s;
        initial load.angle = 0;
        initial load.angular_velocity = 0;
        output heading = sled.angle;
        output swing = load.angle - sled.angle;",
        About::Steady,
    ),
    (
        "gravity [0, 0, -9.81] m/s^2;
        input pull N;
        body gyro { mass: 1 kg, inertia: diag(0.03, 0.03, 0.05) kg m^2, center_of_mass: [0, 0, -0.05] m }
        body frame { mass: 0.5 kg, inertia: diag(0.03, 0.04, 0.05) kg m^2 }
        joint gimbal: universal(ground, frame);
        joint axle: revolute(frame, gyro);
        torque drag: -0.02 N m s/rad * frame.angular_velocity on frame;
        force tug: [pull, 0, 0] on frame at [0, 0, 0.3] m;
        initial gyro.angular_velocity = [0, 0, 40] rad/s;
        initial frame.angular_velocity = [0, 0, 0];
        initial frame.rotation[2][2] = 1;
        output tilt = [frame.rotation[0][2], frame.rotation[1][2]];
        output yaw_rate = gyro.angular_velocity.z;",
        About::Steady,
    ),
];

#[test]
fn joint_and_absolute_coordinates_have_the_same_linearisation() {
    for (index, (items, kind)) in PAIRS.into_iter().enumerate() {
        let all = ["joint", "absolute", "joint(euler_zyx)", "absolute(euler_zyx)"];
        let coordinates = match (items.starts_with("planar"), kind) {
            (true, _) => &all[..2],
            // Angles against the ground are not small where something spins.
            (false, About::Steady) => &all[..3],
            _ => &all[..],
        };
        let found: Vec<_> = coordinates
            .iter()
            .map(|coordinates| {
                let linear = about(&model(&format!("model Pair {{ coordinates {coordinates}; {items} }}")), kind);
                let frequencies = [Complex::new(0.3, 2.0), Complex::new(-0.2, 11.0), Complex::new(5.0, 0.0)];
                (linear.eigenvalues().unwrap(), linear.response(frequencies))
            })
            .collect();
        for (coordinates, (eigenvalues, responses)) in coordinates.iter().zip(&found).skip(1) {
            let size = eigenvalues.iter().fold(0.0_f64, |most, value| most.max(value.norm()));
            let error = distance(eigenvalues, &found[0].0);
            // Where zeros meet they keep half of their digits.
            assert!(error < 1e-7 * size, "{index} {coordinates}: {eigenvalues:?} {:?}", found[0].0);
            for (response, expected) in responses.iter().zip(&found[0].1) {
                let (error, size) = ((response - expected).camax(), expected.camax());
                assert!(error < 1e-9 * size, "{index} {coordinates}: {response} {expected}");
                assert!(size > 0.0);
            }
        }
    }
}

/// The nonlinear motion beside a steady one follows e^{A t} up to the square of the departure.
#[test]
fn small_departures_follow_the_matrix_exponential() {
    let mut bicycle = model(&text_of("bicycle"));
    let linear = about(&bicycle, About::Steady);
    let (time, steps) = (0.4, 400);
    let outputs = |bicycle: &hamel_jit::JitModel| {
        let start = initial_state(bicycle).unwrap();
        let scheme = hamel::schemes::by_name("radau_iia5", &[]).unwrap();
        let options =
            hamel::Options { constraint_level: Some(hamel::ConstraintLevel::Velocity), ..hamel::Options::default() };
        let mut stepper = scheme.start_with(bicycle, start, &options).unwrap();
        (0..steps).for_each(|_| stepper.step(time / f64::from(steps)).map(|_| ()).unwrap());
        let mut outputs = DVector::zeros(4);
        bicycle.outputs(stepper.state(), outputs.as_mut_slice());
        outputs
    };
    let still = outputs(&bicycle);
    let at = |name: &str| linear.states.iter().position(|state| state.name == name).unwrap();
    let mut departure = DVector::zeros(linear.states.len());
    (departure[at("way.rotation_x")], departure[at("delta.velocity")]) = (1.0, -0.5);
    let expected = &linear.c * (&linear.state_matrix * time).exp() * departure;
    let error = |size: f64| {
        let mut bicycle = bicycle.another();
        bicycle.set(&[("lean", size), ("steer_rate", -0.5 * size)]).unwrap();
        ((outputs(&bicycle) - &still) / size - &expected).amax() / expected.amax()
    };
    let errors = [2e-2, 1e-2, 5e-3].map(error);
    assert!(errors[2] < 1e-3, "{errors:?}");
    // The bicycle is as it is in a mirror, so that terms of even order vanish.
    assert!(errors.windows(2).all(|pair| pair[0] / pair[1] > 3.5), "{errors:?}");
    bicycle.set(&[("speed", 4.0)]).unwrap();
    assert!((about(&bicycle, About::Steady).state_matrix - linear.state_matrix).amax() > 0.1);
}

/// Four bars in space with parallel hinges, where three of the constraints follow from others wherever they are.
#[test]
fn constraints_that_always_follow_from_others_do_not_count() {
    let text = |planar: &str, coordinates: &str| {
        let (inertia, zero) = if planar.is_empty() { ("diag(0.1, 0.1, 0.1)", ", 0") } else { ("0.1", "") };
        let body = |name: &str| format!("body {name} {{ mass: 1 kg, inertia: {inertia} kg m^2 }}");
        format!(
            "model Bars {{
                {planar}
                coordinates {coordinates};
                gravity [0, -9.81{zero}] m/s^2;
                {} {} {}
                joint first: revolute(ground, a);
                joint second: revolute(a at [0, -1{zero}] m, b);
                joint third: revolute(ground at [2, 0{zero}] m, c);
                joint last: revolute(b at [1.8, 0{zero}] m, c at [0, -1.1{zero}] m);
                force weight: [0, -5 N{}] on b at [0.9, 0.1{zero}] m;
            }}",
            body("a"),
            body("b"),
            body("c"),
            if planar.is_empty() { ", 0 N" } else { "" },
        )
    };
    let expected = about(&model(&text("planar;", "joint")), About::Equilibrium).eigenvalues().unwrap();
    assert_eq!(expected.len(), 2);
    for coordinates in ["joint", "absolute"] {
        let found = about(&model(&text("", coordinates)), About::Equilibrium).eigenvalues().unwrap();
        assert!(distance(&found, &expected) < 1e-9, "{coordinates}: {found:?} {expected:?}");
    }
}

#[test]
fn what_cannot_be_linearised_says_why() {
    let error = |text: &str, kind| {
        let model = model(text);
        linearize(&model, &initial_state(&model).unwrap(), kind).unwrap_err()
    };
    let falling = "model Stone {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body stone { mass: 1 kg, inertia: 1 kg m^2 }
        joint way: free(ground, stone);
        contact floor: point_on_line(stone, ground at [0, -1] m) { }
    }";
    assert!(matches!(error(falling, About::Steady), LinearizeError::Accelerated { .. }));
    let reason = error(falling, About::Equilibrium).to_string();
    assert!(reason.contains("nothing resists motion of `way.y`"), "{reason}");
    let resting = falling.replace("[0, -1] m", "[0, 0] m");
    assert!(matches!(error(&resting, About::State), LinearizeError::ClosedContact { .. }));
    // A wheel with a weight turns evenly without gravity, but a spring at its rim feels where it is.
    let spinning = "model Wheel {
        planar;
        coordinates joint;
        body wheel { mass: 1 kg, inertia: 1 kg m^2 }
        joint axle: revolute(ground, wheel);
        joint arm: prismatic(wheel, bead);
        body bead { mass: 1 kg, inertia: 1 kg m^2 }
        force hold: -(20 + 5 * cos(axle.angle)) * 1 N/m * arm.displacement on arm;
        initial axle.velocity = 2 rad/s;
    }";
    assert!(matches!(error(spinning, About::Steady), LinearizeError::Changing { .. }));
    // Without the request there are no derivatives of constraints, inputs and outputs.
    let plain = hamel_jit::model(falling.parse().unwrap(), hamel_jit::Level::AtOnce, None).unwrap();
    assert!(linearize(&plain, &initial_state(&plain).unwrap(), About::State).is_ok());
    let text = HOOP.replace("COORDINATES", "coordinates joint;");
    let plain = hamel_jit::model(text.parse().unwrap(), hamel_jit::Level::AtOnce, None).unwrap();
    let reason = linearize(&plain, &initial_state(&plain).unwrap(), About::State).unwrap_err();
    assert!(matches!(reason, LinearizeError::NotProvided { .. }), "{reason}");
    // A parallelogram whose bars lie in one line can fold in two ways.
    let folded = "model Parallelogram {
        planar;
        coordinates joint;
        body a { mass: 1 kg, inertia: 0.1 kg m^2 }
        body b { mass: 1 kg, inertia: 0.1 kg m^2 }
        body c { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint first: revolute(ground, a);
        joint second: revolute(a at [1, 0] m, b);
        joint third: revolute(ground at [2, 0] m, c);
        joint last: revolute(b at [2, 0] m, c at [1, 0] m);
        initial first.angle = 0;
        initial second.angle = 0;
    }";
    let reason = error(folded, About::State);
    assert!(matches!(reason, LinearizeError::SingularConfiguration { .. }), "{reason}");
    let unknown = about(&model(&TOP.replace("COORDINATES", "coordinates joint;")), About::Steady).output("leen");
    assert_eq!(unknown.unwrap_err().to_string(), "there is no output `leen`; did you mean `lean`?");
}

/// Stiff motions lead anywhere with the first, long steps.
#[test]
fn periods_of_stiff_motions_are_found_with_shorter_steps() {
    let oscillator = model(
        "model Vdp {
            planar;
            coordinates joint;
            body b { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, b);
            let x = rail.displacement / 1 m;
            force f: 1 kg * (3 / (1 s) * (1 - x^2) * rail.displacement.velocity - rail.displacement / (1 s^2)) on rail;
            initial rail.displacement = 2.02330414168214 m;
        }",
    );
    let start = initial_state(&oscillator).unwrap();
    let found = monodromy(&oscillator, &start, 8.85909549971882, 1e-9).unwrap();
    // One is 1, and their product is the exponential of the mean divergence, some 10⁻¹⁵.
    let multipliers = found.multipliers().unwrap();
    let largest = multipliers.iter().map(|multiplier| multiplier.norm()).fold(0.0, f64::max);
    let least = multipliers.iter().map(|multiplier| multiplier.norm()).fold(f64::INFINITY, f64::min);
    assert!((largest - 1.0).abs() < 1e-6 && least < 1e-6, "{multipliers:?}");
}
