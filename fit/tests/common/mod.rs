//! Models, and measurements of them with noise.

use hamel::schemes::RungeKutta;
use hamel::{Model, Scheme, initial_state};
use hamel_fit::Measurements;
use hamel_jit::{JitModel, Level};

pub const OSCILLATOR: &str = "model Oscillator {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param stiffness = 50 N/m;
    param damping = 0.6 N s/m;
    param start = 0.3 m;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force spring: spring_damper(ground, block) { stiffness: stiffness, damping: damping }
    initial rail.displacement = start;
    output x = rail.displacement;
    output speed = rail.displacement.velocity;
    output unused = 2 * time;
}";

pub fn model(text: &str) -> JitModel {
    let tokens = hamel_jit::with_derivatives(text.parse().unwrap());
    hamel_jit::model(tokens, Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub fn with(model: &JitModel, values: &[(&str, f64)]) -> Result<Box<dyn Model>, String> {
    let mut other = model.another();
    other.set(values).map_err(|error| error.to_string())?;
    Ok(Box::new(other))
}

/// Numbers that are nearly normally distributed.
pub struct Noise(pub u64);

impl Noise {
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn next(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Outputs at equal times, with noise, as a table.
pub fn measured(
    model: &JitModel,
    columns: &[&str],
    count: usize,
    interval: f64,
    noise: f64,
    seed: u64,
) -> Measurements {
    let info = model.describe();
    let mut noisy = Noise(seed);
    let mut table = format!("t [s],{}\n", columns.join(","));
    let mut stepper = RungeKutta.start(model, initial_state(model).unwrap()).unwrap();
    let mut outputs = vec![0.0; info.outputs.len()];
    for _ in 0..count {
        (0..10).for_each(|_| _ = stepper.step(0.1 * interval).unwrap());
        model.outputs(stepper.state(), &mut outputs);
        let values = columns.iter().map(|name| {
            let place = info.outputs.iter().position(|output| output.name == *name).unwrap();
            format!("{:e}", outputs[place] + noise * noisy.next())
        });
        table.push_str(&format!("{:e},{}\n", stepper.state().t, values.collect::<Vec<_>>().join(",")));
    }
    Measurements::read(&table, info).unwrap()
}
