//! The V8 crank drive against its kinematics by hand, and its single degree of freedom.

use crate::common::{constraint_jacobian, noise};
use hamel::consistent::{consistent_acceleration, initial_state};
use hamel::schemes;
use hamel::{Model, State};
use hamel_models::V8CrankDrive;
use nalgebra::{DMatrix, DVector};

const THROW: f64 = 0.04;
const ROD: f64 = 0.15;
const ROD_CENTER: f64 = 0.045;

/// Throw angle, position along the shaft, bank angle and offset along the shaft of each cylinder, by bank and throw.
fn cylinders() -> impl Iterator<Item = (String, f64, f64, f64)> {
    let throws = [(0.0_f64, -0.15), (90.0, -0.05), (270.0, 0.05), (180.0, 0.15)];
    [(135.0_f64, -0.011), (45.0, 0.011)].into_iter().enumerate().flat_map(move |(b, (bank, offset))| {
        throws
            .into_iter()
            .enumerate()
            .map(move |(k, (throw, x))| (format!("[{b},{k}]"), throw.to_radians(), bank.to_radians(), x + offset))
    })
}

fn coordinate(model: &dyn Model, state: &State, name: &str) -> f64 {
    let index = model.describe().coordinates.iter().position(|channel| channel.name == name);
    state.q[index.unwrap_or_else(|| panic!("no coordinate {name}"))]
}

/// A state of the motion under a torque that turns the shaft several times, with the angle of the shaft.
fn states() -> Vec<(State, f64)> {
    let model = V8CrankDrive::default();
    let mut state = initial_state(&model).unwrap();
    let (mut angle, mut states) = (0.0, vec![(state.clone(), 0.0)]);
    let scheme = schemes::by_name("modified_hht_body_weighted", &[("alpha", -0.3)]).unwrap();
    // A second in, the shaft is fast enough to turn through all positions in few steps.
    state.t = 1.0;
    consistent_acceleration(&model, &mut state).unwrap();
    let mut stepper = scheme.start(&model, state).unwrap();
    for step in 1..=600 {
        stepper.step(1e-3).unwrap();
        let now = stepper.state();
        let (e0, e1) = (coordinate(&model, now, "crankshaft.e0"), coordinate(&model, now, "crankshaft.e1"));
        let turned = 2.0 * e1.atan2(e0);
        angle += (turned - angle).rem_euclid(std::f64::consts::TAU);
        if step % 20 == 0 {
            states.push((now.clone(), angle));
        }
    }
    assert!(angle > std::f64::consts::TAU, "{angle}");
    states
}

/// 119 coordinates and 118 constraints, as [sherif] counts them, leave one direction of motion everywhere.
#[test]
fn one_degree_of_freedom_remains_along_the_run() {
    let model = V8CrankDrive::default();
    let (nv, nc) = (model.dims().nv, model.dims().nc);
    assert_eq!((nv, nc), (119, 118));
    let norms = model.describe().constraints.iter().filter(|constraint| constraint.name.ends_with(".norm"));
    assert_eq!(norms.count(), 17);
    for (state, angle) in states() {
        let singular_values = constraint_jacobian(&model, &state).singular_values();
        let (smallest, largest) = (singular_values.min(), singular_values.max());
        assert!(smallest > 0.01 * largest, "at {angle} rad: {smallest:.2e} of {largest:.2e}");
    }
}

/// s = r cos ψ + √(l² − r² sin² ψ) along the cylinder, ψ between throw and cylinder; rods and pistons are where the
/// kinematics of the slider-crank say, on the right side of the shaft.
#[test]
fn pistons_and_rods_are_where_the_crank_puts_them() {
    let model = V8CrankDrive::default();
    for (state, angle) in states() {
        for (name, throw, bank, x) in cylinders() {
            let psi = angle + throw - bank;
            let along_rod = (ROD * ROD - (THROW * psi.sin()).powi(2)).sqrt();
            let (piston, share) = (THROW * psi.cos() + along_rod, ROD_CENTER / ROD);
            let (along, across) = (THROW * psi.cos() + share * along_rod, THROW * psi.sin() * (1.0 - share));
            let rod = [along * bank.cos() - across * bank.sin(), along * bank.sin() + across * bank.cos()];
            let expected = [("piston", [x, piston * bank.cos(), piston * bank.sin()]), ("rod", [x, rod[0], rod[1]])];
            for (body, position) in expected {
                for (axis, value) in ["x", "y", "z"].into_iter().zip(position) {
                    let found = coordinate(&model, &state, &format!("{body}{name}.{axis}"));
                    assert!((found - value).abs() < 1e-9, "{body}{name}.{axis} at {angle} rad: {found} for {value}");
                }
            }
        }
    }
}

/// At every position, 2 T = J(θ) ω² with the inertia that the kinematics by hand give, and one acceleration.
#[test]
fn inertia_of_the_single_freedom_is_that_of_the_slider_cranks() {
    let model = V8CrankDrive::default();
    for (index, (state, angle)) in states().into_iter().enumerate() {
        let omega = 50.0 + 20.0 * noise(index);
        let mut moving = state.clone();
        moving.v = motion(&model, &state, omega);
        let energy = model.energy(moving.t, moving.q.as_slice(), moving.v.as_slice()).kinetic;
        let expected: f64 = 0.2 + cylinders().map(|(_, throw, bank, _)| inertia(angle + throw - bank)).sum::<f64>();
        let found = 2.0 * energy / (omega * omega);
        assert!((found - expected).abs() < 1e-9, "at {angle} rad: {found} for {expected}");
    }
}

/// What a rod and its piston add to the inertia of the shaft: derivatives by ψ of their places and of the rod's angle.
fn inertia(psi: f64) -> f64 {
    let (sine, cosine) = psi.sin_cos();
    let along_rod = (ROD * ROD - (THROW * sine).powi(2)).sqrt();
    let shortening = -THROW * THROW * sine * cosine / along_rod;
    let share = ROD_CENTER / ROD;
    let piston = -THROW * sine + shortening;
    let (along, across) = (-THROW * sine + share * shortening, THROW * cosine * (1.0 - share));
    let swing = THROW * cosine / along_rod;
    0.45 * piston * piston + 0.55 * (along * along + across * across) + 1.8e-3 * swing * swing
}

/// The only velocities that the constraints allow, scaled to an angular velocity of the shaft.
fn motion(model: &dyn Model, state: &State, omega: f64) -> DVector<f64> {
    let nv = model.dims().nv;
    // One more row picks the shaft: 2 L ė, whose x component is ω.
    let mut rows: DMatrix<f64> = constraint_jacobian(model, state).insert_row(nv - 1, 0.0);
    let e = ["e0", "e1", "e2", "e3"].map(|name| coordinate(model, state, &format!("crankshaft.{name}")));
    let first = model.describe().velocities.iter().position(|channel| channel.name == "crankshaft.e0").unwrap();
    for (k, value) in [-e[1], e[0], e[3], -e[2]].into_iter().enumerate() {
        rows[(nv - 1, first + k)] = 2.0 * value;
    }
    let mut rhs = DVector::zeros(nv);
    rhs[nv - 1] = omega;
    rows.lu().solve(&rhs).expect("one degree of freedom")
}
