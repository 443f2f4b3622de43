//! Models of texts, and numbers that look random.

// Each test uses a part.
#![allow(dead_code)]

use hamel::Model;
use hamel::gradient::{Instant, Objective, Slopes};
use hamel::schemes::RungeKutta;
use hamel_jit::{JitModel, Level};
use hamel_optimize::{Case, Design, Family};

pub const OSCILLATOR: &str = "model Oscillator {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param stiffness = 50 N/m;
    param unused = 1 kg;
    input push N;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force spring: spring_damper(ground, block) { stiffness: stiffness, damping: 0.6 N s/m }
    force pushed: [push, 0 N] on block;
    initial rail.displacement = 0.3 m;
    output x = rail.displacement;
    output speed = rail.displacement.velocity;
    output effort = push;
}";

/// Outputs that are the parameters: the motion does not matter.
pub const NUMBERS: &str = "model Numbers {
    planar;
    coordinates joint;
    param a = 1 kg;
    param b = 1 kg;
    param c = 1 kg;
    param d = 1 kg;
    body block { mass: 1 kg, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    output first = a;
    output second = b;
    output third = c;
    output fourth = d;
}";

pub const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A function of the outputs at the end, with its slopes.
pub struct AtEnd<F>(pub F);

impl<F: Fn(&[f64]) -> (f64, Vec<f64>)> Objective for AtEnd<F> {
    fn add(&self, instant: &Instant, slopes: &mut Slopes) -> f64 {
        if !instant.is_end {
            return 0.0;
        }
        let (value, by_outputs) = (self.0)(instant.outputs);
        slopes.outputs.copy_from_slice(&by_outputs);
        value
    }
}

/// A case of numbers alone.
pub fn of_numbers<'a>(family: Family<'a>, objective: &'a dyn Objective) -> Case<'a> {
    Case::new(family, &RungeKutta, objective).step(0.5).until(0.5)
}

pub fn model(text: &str) -> JitModel {
    let tokens = hamel_jit::with_derivatives(text.parse().unwrap());
    hamel_jit::model(tokens, Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The model with the parameters and inputs of a design.
pub fn family(model: &JitModel) -> impl Fn(&Design) -> Result<Box<dyn Model>, String> {
    |design| {
        let mut other = model.another();
        other.set(&design.parameters).map_err(|error| error.to_string())?;
        for (input, signal) in design.signals() {
            other.set_input(input, signal).map_err(|_| format!("no input {input}"))?;
        }
        Ok(Box::new(other))
    }
}

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d)
    }

    pub fn within(&mut self, lower: f64, upper: f64) -> f64 {
        for _ in 0..4 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
        lower + (upper - lower) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
