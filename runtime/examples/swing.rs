//! A rod on a hinge, held by a spring: from the macro to a table of its motion.

use hamel::schemes;

hamel::multibody! {
    /// A rod that swings under a spring.
    pub model Swing {
        planar;
        coordinates joint;
        param mass = 2.0 kg;
        param length = 0.8 m;
        param stiffness = 60.0 N/m;

        gravity [0, -9.81] m/s^2;
        body rod { mass: mass, inertia: mass * length^2 / 12 }
        joint hinge: revolute(ground, rod at [-length/2, 0]);
        force band: spring(ground at [0, 1] m, rod at [length/2, 0]) { stiffness: stiffness, free_length: 0.5 m }

        initial hinge.angle = -30 deg;
        output tip = (rod at [length/2, 0]).position;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Swing::new(SwingParameters { mass: 2.5, ..Default::default() });
    let start = hamel::initial_state(&model)?;
    let scheme = schemes::by_name("generalized_alpha", &[("rho_infinity", 0.8)])?;
    let run = hamel::Simulation::new(&model, &*scheme).step(1e-3).until(2.0).record_every(10).run(start);
    run.trajectory.write_csv(std::io::stdout())?;
    run.outcome?;
    Ok(())
}
