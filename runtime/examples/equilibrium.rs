//! Static equilibrium of two rods with springs, by Newton's method, and a check that it is at rest.

use hamel::{equilibrium, initial_state};

hamel::multibody! {
    /// Two rods in a row, held by springs of torsion.
    pub model Crane {
        planar;
        coordinates joint;
        param stiffness = 30 N m/rad;
        gravity [0, -9.81] m/s^2;
        body lower { mass: 2 kg, inertia: 0.2 kg m^2 }
        body upper { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint foot: revolute(ground rotated 60 deg, lower at [-0.5, 0] m);
        joint knee: revolute(lower at [0.5, 0] m, upper at [-0.4, 0] m);
        torque foot_spring: -stiffness * foot.angle on lower;
        torque knee_spring: -stiffness * knee.angle on upper from lower;
        output tip = (upper at [0.4, 0] m).position;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let crane = Crane::default();
    let found = equilibrium(&crane, &initial_state(&crane)?)?;
    let [foot, knee] = [found.state.q[0], found.state.q[1]];
    println!("foot {:.4}°, knee {:.4}°", foot.to_degrees(), knee.to_degrees());
    // Moments about both hinges vanish.
    let (sixty, g) = (60_f64.to_radians(), 9.81);
    let [first, second] = [(sixty + foot).cos(), (sixty + foot + knee).cos()];
    let about_knee = -30.0 * knee - g * 0.4 * second;
    let about_foot = -30.0 * foot - g * (2.0 * 0.5 * first + 1.0 * (first + 0.4 * second));
    assert!(about_knee.abs() < 1e-8 && about_foot.abs() < 1e-8, "{about_knee:e} {about_foot:e}");
    Ok(())
}
