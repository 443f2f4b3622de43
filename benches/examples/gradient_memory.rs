//! The memory of a gradient: of so many steps of a pendulum, with so many copies, or with what every step did.
//!
//! `cargo run -p hamel-benches --example gradient_memory -- runge_kutta 1000000 100`

use std::time::Instant;

use hamel::gradient::{self, Differentiated, Slopes};
use hamel::schemes;

hamel_macros::multibody! {
    model Pendulum {
        planar;
        coordinates joint;
        param reach = 0.7 m;
        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: 0.04 kg m^2 }
        joint hinge: revolute(ground, rod at [0 m, reach]);
        initial hinge.angle = 0.8 rad;
        output angle = hinge.angle;
        differentiate reach;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [key, steps, copies @ ..] = arguments.as_slice() else {
        return Err("expected a scheme, a number of steps, and perhaps one of copies".into());
    };
    let (model, scheme) = (Pendulum::default(), schemes::by_name(key, &[])?);
    let mean = |instant: &gradient::Instant, slopes: &mut Slopes| {
        slopes.outputs[0] = 2.0 * instant.weight * instant.outputs[0];
        instant.weight * instant.outputs[0].powi(2)
    };
    let motion = Differentiated::new(&model, &*scheme).step(1e-4).until(1e-4 * steps.parse::<f64>()?);
    let motion = match copies.first() {
        Some(copies) => motion.checkpoints(copies.parse()?),
        None => motion,
    };
    let clock = Instant::now();
    let gradient = motion.gradient(&mean)?;
    let time = clock.elapsed().as_secs_f64();
    let peak = peak().map_or("unknown".to_owned(), |kib| format!("{} MB", kib / 1024));
    println!("value {}, slope {}; {time:.1} s, memory {peak}", gradient.value, gradient.parameters[0]);
    Ok(())
}

/// The most memory that the process has had, KiB; nothing where the system does not say so.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
