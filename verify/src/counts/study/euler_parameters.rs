//! Rigid body in Euler parameters e about its centre of mass: the upper triangle of 4 LᵀJL and the bias force,
//! [sherif, Eqs. 4, 9], as printed, 8 LᵀL L'ᵀJL e', or in its short form 8 L'ᵀJL e', which is another function where
//! |e| = 1 or e·e' = 0 does not hold; with Jacobians of M a and of the bias force.

use hamel_compiler::expr::Stage;
use hamel_compiler::rotations::euler_parameter_matrix;

use super::super::Function;
use super::algebra::{Matrix, apply, scaled, symbols, symmetric, times, transposed, upper_triangle, zeros};
use super::written;

#[derive(Clone, Copy, Default)]
struct Variant {
    has_full_inertia: bool,
    is_short: bool,
    has_jacobians: bool,
}

pub(super) fn functions() -> Vec<Function> {
    let function = |name: &str, variant: Variant| Function::new(name, move |stage| Ok(body(variant, stage)));
    let full = Variant { has_full_inertia: true, ..Variant::default() };
    vec![
        function("EP diag", Variant::default()),
        function("EP diag +Jac", Variant { has_jacobians: true, ..Variant::default() }),
        function("EP full", full),
        function("EP full +Jac", Variant { has_jacobians: true, ..full }),
        function("EP full short", Variant { is_short: true, ..full }),
        function("EP full short +Jac", Variant { is_short: true, has_jacobians: true, ..full }),
    ]
}

fn body(variant: Variant, stage: Stage) -> super::Formulas {
    written(|g| {
        let e = symbols(g, "e", 4, Stage::Position);
        let v = symbols(g, "v", 4, Stage::Velocity);
        let inertia = if variant.has_full_inertia {
            symmetric(g, "J", 3, stage)
        } else {
            let mut inertia = zeros(g, 3, 3);
            let diagonal = symbols(g, "J", 3, stage);
            diagonal.into_iter().enumerate().for_each(|(axis, j)| inertia[axis][axis] = j);
            inertia
        };
        let [l, l_rate] = [&e, &v].map(|e| euler_parameter_matrix(g, e).map(|row| row.to_vec()).to_vec());
        let jl = times(g, &inertia, &l);
        let ltjl = times(g, &transposed(&l), &jl);
        let (four, eight) = (g.integer(4), g.integer(8));
        let mass: Matrix = ltjl.iter().map(|row| scaled(g, four, row)).collect();
        let momentum = apply(g, &jl, &v);
        let mut bias = apply(g, &transposed(&l_rate), &momentum);
        if !variant.is_short {
            let lifted = apply(g, &l, &bias);
            bias = apply(g, &transposed(&l), &lifted);
        }
        let bias = scaled(g, eight, &bias);
        let mut values = upper_triangle(&mass);
        values.extend(&bias);
        if variant.has_jacobians {
            let a = symbols(g, "a", 4, Stage::Acceleration);
            let inertial = apply(g, &mass, &a);
            values.extend(g.jacobian(&inertial, &e).concat());
            values.extend(g.jacobian(&bias, &e).concat());
            values.extend(g.jacobian(&bias, &v).concat());
        }
        values
    })
}
