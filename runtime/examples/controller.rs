//! A controller that is called at a rate of its own, as a program on a robot is: a cart that balances a pole.

use hamel::{Signal, Simulation, State, initial_state, schemes};

hamel::multibody! {
    /// A pole on a cart on a rail; the force on the cart is an input.
    pub model Balance {
        planar;
        coordinates joint;
        input push N;
        param length = 1 m;

        gravity [0, -9.81] m/s^2;
        body cart { mass: 1 kg, inertia: 1 kg m^2 }
        body pole { mass: 0.1 kg, inertia: 0.1 kg * length^2 / 12 }
        joint rail: prismatic(ground, cart);
        joint hinge: revolute(cart rotated 90 deg, pole at [-length / 2, 0]);
        force motor: [push, 0] on cart;

        initial hinge.angle = 5 deg;
        output tip = (pole at [length / 2, 0]).position;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (push, held) = Signal::held(0.0);
    let mut model = Balance::default();
    model.inputs.push = push;
    // State feedback every 20 ms, with poles at −2, −2, −3, −3 1/s. A controller sees states, and returns the values of
    // the inputs that it is given.
    let law = |state: &State| [2.5 * state.q[0] + 4.2 * state.v[0] - 37.7 * state.q[1] - 9.6 * state.v[1]];
    let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.8)])?;
    let run = Simulation::new(&model, &*scheme)
        .step(1e-3)
        .until(15.0)
        .record_every(10)
        .controller(0.02, [&held], law)
        .run(initial_state(&model)?);
    run.outcome?;
    let height = run.trajectory.column("tip_y")?.fold(f64::INFINITY, f64::min);
    let Some(end) = run.trajectory.rows().next_back() else { return Err("nothing was recorded".into()) };
    println!("the tip stays above {height:.4} m; at the end x = {:.2e} m, angle = {:.2e} rad", end[1], end[2]);
    assert!(height > 0.9 && end[1].abs() < 1e-2 && end[2].abs() < 1e-2);
    Ok(())
}
