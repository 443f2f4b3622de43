//! A model that stands in a file, compiled by a build script: a load that swings below a trolley.
//!
//! Small motions are known exactly: the sum of two modes. The program prints their frequencies, and the largest
//! difference of the simulated motion to one of them.

use std::error::Error;
use std::f64::consts::TAU;

use hamel::{Model, Simulation, schemes};

include!(concat!(env!("OUT_DIR"), "/crane.rs"));

/// Largest displacement of the trolley, m: what is left of nonlinear terms is of its third power.
const AMPLITUDE: f64 = 1e-5;

fn main() -> Result<(), Box<dyn Error>> {
    let crane = Crane::new(CraneParameters { load_mass: 4.0, ..Default::default() });
    let modes = modes(&CraneParameters { load_mass: 4.0, ..Default::default() });
    let mut largest = 0.0_f64;
    for (omega, angle) in modes {
        let mut start = hamel::initial_state(&crane)?;
        start.q.copy_from_slice(&[AMPLITUDE, angle * AMPLITUDE]);
        hamel::consistent_acceleration(&crane, &mut start)?;
        let period = TAU / omega;
        let run = Simulation::new(&crane, &schemes::RungeKutta).step(period / 500.0).until(3.0 * period).run(start);
        run.outcome?;
        let x = run.trajectory.column("rail.displacement")?;
        let differences = run.trajectory.times().zip(x).map(|(t, x)| (x / AMPLITUDE - (omega * t).cos()).abs());
        largest = differences.fold(largest, f64::max);
    }
    println!("{}: {:.6} and {:.6} rad/s", crane.describe().name, modes[0].0, modes[1].0);
    println!("largest difference to the modes: {largest:.1e} of the amplitude");
    assert!(largest < 1e-8);
    Ok(())
}

/// Both modes of small motions: frequency, rad/s, and angle of the rope by displacement of the trolley, rad/m.
///
/// Of x, of the trolley, and φ, of the rope: `(M + m) ẍ + m l φ̈ + k x = 0` and `m l ẍ + (m l² + J) φ̈ + m g l φ = 0`.
fn modes(crane: &CraneParameters) -> [(f64, f64); 2] {
    let CraneParameters { trolley_mass, load_mass, rope, stiffness } = *crane;
    let (gravity, inertia) = (9.81, 1e-6);
    let (all, coupling, swing) = (trolley_mass + load_mass, load_mass * rope, load_mass * rope * rope + inertia);
    let weight = load_mass * gravity * rope;
    // a ω⁴ − b ω² + c = 0.
    let (a, b, c) = (all * swing - coupling * coupling, all * weight + swing * stiffness, stiffness * weight);
    let root = (b * b - 4.0 * a * c).sqrt();
    [b - root, b + root].map(|sum| {
        let square = sum / (2.0 * a);
        (square.sqrt(), (stiffness - all * square) / (coupling * square))
    })
}

#[test]
fn the_motion_is_known() {
    main().unwrap();
}
