//! A serial chain in space: hinges about z, y, x, z, …, links along their z axes, all parameters symbolic.

use std::fmt::Write;

use super::Function;
use super::dynamics::{bias_force, derivatives, mass_matrix, write};

pub(super) fn functions() -> Vec<Function> {
    let of_length = |n: usize| {
        [
            Function::new(format!("C{n}_M"), move |stage| write(&model(n), stage, mass_matrix)),
            Function::new(format!("C{n}_h"), move |stage| write(&model(n), stage, bias_force)),
            Function::new(format!("C{n}_KD"), move |stage| write(&model(n), stage, derivatives)),
        ]
    };
    [3, 6].into_iter().flat_map(of_length).collect()
}

/// The model of a chain of n links; parameters stand in the order of the published inputs.
fn model(n: usize) -> String {
    const AXES: [&str; 3] = ["[0, 0, 1]", "[0, 1, 0]", "[1, 0, 0]"];
    let mut text = "pub model Chain { coordinates joint;\n".to_owned();
    for i in 0..n {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "param l{i} = 1 m; param m{i} = 1 kg; param c{i} = 1 m;");
        let _ = writeln!(text, "param jx{i} = 1 kg m^2; param jy{i} = 1 kg m^2; param jz{i} = 1 kg m^2;");
        let _ = writeln!(
            text,
            "body b{i} {{ mass: m{i}, center_of_mass: [0, 0, c{i}], inertia: diag(jx{i}, jy{i}, jz{i}) }}"
        );
        let parent = if i == 0 { "ground".to_owned() } else { format!("b{0} at [0, 0, l{0}]", i - 1) };
        let _ = writeln!(text, "joint h{i}: revolute({parent}, b{i}) {{ axis: {} }}", AXES[i % 3]);
    }
    text + "param g = 9.81 m/s^2; gravity [0, 0, -g]; }"
}
