//! A model of no mechanism: each function is a sum of its arguments with weights of its own.

use std::sync::LazyLock;

use hamel::{
    Attitude, Block, Channel, ContactInfo, ContactLaw, Energy, Model, ModelInfo, ParameterError, SparsityPattern, State,
};

use super::{channels, full_info, full_pattern};

/// A rotation by Euler parameters, five displacements of which three are the nodes of `rod`, and a rotation by angles; two
/// constraints and a contact with friction. No matrix is symmetric or full, and no parameters are right.
pub struct Weighted;

/// The sum of the arguments with weights that belong to a function and to one of its results.
fn weighted(function: usize, result: usize, arguments: &[&[f64]]) -> f64 {
    let weight = |i: usize| ((7 * function + 5 * result + 3 * i) % 11) as f64 - 4.5;
    let sum = arguments.iter().flat_map(|part| part.iter()).enumerate().map(|(i, x)| weight(i) * x).sum::<f64>();
    sum + (function + result) as f64
}

fn fill(function: usize, arguments: &[&[f64]], out: &mut [f64]) {
    out.iter_mut().enumerate().for_each(|(result, out)| *out = weighted(function, result, arguments));
}

fn parts(state: &State) -> [&[f64]; 5] {
    let State { t, q, v, a, lambda } = state;
    [std::slice::from_ref(t), q.as_slice(), v.as_slice(), a.as_slice(), lambda.as_slice()]
}

/// Places of a matrix without symmetry.
fn sparse(rows: usize, columns: usize) -> SparsityPattern {
    full_pattern(rows, columns, |row, column| (row + 2 * column) % 3 != 0)
}

impl Model for Weighted {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 12] =
            ["e0", "e1", "e2", "e3", "drive", "rod[0].x", "rod[1].x", "rod[2].x", "end", "roll", "pitch", "yaw"];
        const VELOCITIES: [&str; 11] = [
            "omega[0]", "omega[1]", "omega[2]", "drive", "rod[0].x", "rod[1].x", "rod[2].x", "end", "nu[0]", "nu[1]",
            "nu[2]",
        ];
        const CONSTRAINTS: [&str; 2] = ["first", "second"];
        const OUTPUTS: [&str; 3] = ["x", "y", "z"];
        const INPUTS: [&str; 2] = ["force", "moment"];
        static BLOCKS: [Block; 3] = [
            Block::Rotation(Attitude::EulerParameters),
            Block::Vector { size: 5 },
            Block::Rotation(Attitude::EulerAngles),
        ];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| ModelInfo {
            contacts: vec![ContactInfo::new("wall", "m", 1)],
            outputs: channels(&OUTPUTS),
            inputs: channels(&INPUTS),
            mass_matrix: sparse(11, 11),
            damping: full_pattern(11, 11, |row, column| row <= column),
            stiffness: full_pattern(11, 11, |row, column| row + 1 >= column),
            constraint_jacobian: sparse(2, 11),
            contact_jacobian: full_pattern(2, 11, |row, column| (row + column) % 2 == 0),
            iteration_matrix: full_pattern(13, 13, |row, column| (row < 11 || column < 11) && row != 2 * column),
            ..full_info("Weighted", &COORDINATES, &VELOCITIES, &CONSTRAINTS, &BLOCKS)
        });
        &INFO
    }
    fn validate(&self) -> Result<(), ParameterError> {
        Err(ParameterError { what: "weight".to_owned(), value: 0.5, expected: "a mechanism".to_owned() })
    }
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        fill(1, &[q], out);
    }
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        fill(2, &[q, v], out);
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        fill(3, &[&[t], q, v], out);
    }
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        fill(4, &[&[t], q], out);
    }
    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        fill(5, &[&[t], q], out);
    }
    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        fill(6, &[&[t], q, v], rate);
        fill(7, &[&[t], q, v], acceleration);
    }
    fn contact_gap(&self, t: f64, q: &[f64], out: &mut [f64]) {
        fill(8, &[&[t], q], out);
    }
    fn contact_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        fill(9, &[&[t], q], out);
    }
    fn contact_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        fill(10, &[&[t], q, v], rate);
        fill(11, &[&[t], q, v], acceleration);
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        out[0] = ContactLaw { restitution: 0.3, tangential_restitution: 0.2, friction: 0.1 };
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: weighted(12, 0, &[&[t], q, v]), potential: weighted(12, 1, &[&[t], q, v]) }
    }
    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
        Some(weighted(13, 0, &[&[t], q, v]))
    }
    fn input_values(&self, t: f64, out: &mut [f64]) {
        fill(14, &[&[t]], out);
    }
    fn outputs(&self, state: &State, out: &mut [f64]) {
        fill(15, &parts(state), out);
    }
    fn residual(&self, state: &State, r: &mut [f64], g: &mut [f64]) {
        fill(16, &parts(state), r);
        fill(17, &parts(state), g);
    }
    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        let [t, q, v, a, lambda] = parts(state);
        fill(18, &[t, q, v, a, lambda, &[ca, cv, cq]], values);
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        fill(19, &parts(state), out);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        fill(20, &parts(state), out);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        fill(21, &[], q);
    }
    fn singular_angles(&self) -> &'static [usize] {
        &[10]
    }
    fn n_initial_conditions(&self) -> (usize, usize) {
        (2, 3)
    }
    fn initial_position(&self, t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        fill(22, &[&[t], q], residual);
        fill(23, &[&[t], q], jacobian);
    }
    fn initial_velocity(&self, t: f64, q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        fill(24, &[&[t], q, v], residual);
        fill(25, &[&[t], q, v], jacobian);
    }
}
