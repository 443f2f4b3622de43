//! Steps that are chosen by a tolerance, and events: the period of a pendulum with a large amplitude.

use hamel::{Direction, Event, Simulation, State, initial_state, schemes};

hamel::multibody! {
    /// A bob of 1 kg on a string of 1 m that stays taut, from rest at 170° to the vertical.
    pub model Pendulum {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body bob { mass: 1 kg, inertia: 0 }
        joint hinge: revolute(ground rotated -90 deg, bob at [-1, 0] m);
        initial hinge.angle = 170 deg;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pendulum = Pendulum::default();
    let scheme = schemes::by_name("esdirk436", &[])?;
    let lowest = |state: &State| state.q[0];
    let run = Simulation::new(&pendulum, &*scheme)
        .tolerance(1e-9)
        .until(30.0)
        .event(Event { function: &lowest, direction: Direction::Falling, is_terminal: false })
        .run(initial_state(&pendulum)?);
    run.outcome?;
    let times: Vec<f64> = run.occurrences.iter().map(|event| event.state.t).collect();
    println!("{} steps; passes the lowest point towards the left at {times:.6?} s", run.accepted);
    // 4 K(sin(θ₀/2)) / √(g/l), with K by the arithmetic-geometric mean.
    let (mut a, mut b) = (1.0_f64, 85_f64.to_radians().cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let period = 2.0 * std::f64::consts::PI / (9.81_f64.sqrt() * a);
    for pair in times.windows(2) {
        assert!((pair[1] - pair[0] - period).abs() < 1e-5, "{pair:?} for {period}");
    }
    Ok(())
}
