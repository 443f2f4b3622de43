//! A ball that is thrown onto a floor with friction: it bounces, takes up spin, and rolls away.

use hamel::{Simulation, initial_state, schemes};

hamel::multibody! {
    /// A ball of uniform density above the plane z = 0.
    pub model Ball {
        coordinates absolute(euler_parameters);
        param mass = 0.2 kg;
        param radius = 0.05 m;
        let inertia = 2/5 * mass * radius^2;

        gravity [0, 0, -9.81] m/s^2;
        body ball { mass: mass, inertia: diag(inertia, inertia, inertia) }
        contact floor: ball_on_plane(ball, ground) { radius: radius, restitution: 0.6, friction: 0.3 }

        initial ball.position = [0, 0, 0.5] m;
        initial ball.velocity = [2, 0, 0] m/s;
        output speed = ball.velocity.x;
        output spin = radius * ball.angular_velocity.y;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = Ball::default();
    // Of second order: a scheme of first order would lose a few per cent of the spin in these four seconds.
    let scheme = schemes::by_name("bathe", &[])?;
    let run = Simulation::new(&ball, &*scheme).step(1e-3).until(4.0).record_every(10).run(initial_state(&ball)?);
    for caution in &run.cautions {
        println!("caution: {caution}");
    }
    run.outcome?;
    let last = |name: &str| -> Result<f64, Box<dyn std::error::Error>> {
        run.trajectory.column(name)?.next_back().ok_or_else(|| "nothing was recorded".into())
    };
    println!("{} impacts took {:.3} J", last("impacts")?, last("impact_loss")?);
    println!("speed {:.4} m/s, speed of the surface by spin {:.4} m/s", last("speed")?, last("spin")?);
    // A ball that rolls has 5/7 of the speed with which it was thrown, whatever the friction and the bounces.
    assert!((last("speed")? - 2.0 * 5.0 / 7.0).abs() < 1e-3 && (last("speed")? - last("spin")?).abs() < 1e-6);
    Ok(())
}
