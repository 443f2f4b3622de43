//! Flexible body in a floating frame with Euler parameters and n modes, its integrals of shape given as parameters:
//! the upper triangle of M and the velocity forces −M'v + ∂(½ vᵀMv)/∂q. Integrals quadratic in the modes are left out
//! of the rotational inertia.

use hamel_compiler::expr::Stage;
use hamel_compiler::rotations::{euler_parameter_matrix, euler_parameter_rotation};

use super::super::{Formulas, Function};
use super::algebra::{
    Matrix, apply, plus, plus_scaled, scaled, symbols, symmetric, times, transposed, upper_triangle, velocity_forces,
    zeros,
};
use super::written;

pub(super) fn functions() -> Vec<Function> {
    vec![Function::new("FFRF 3D, 4 modes", |stage| Ok(body(4, stage)))]
}

fn body(modes: usize, stage: Stage) -> Formulas {
    written(|g| {
        let e = symbols(g, "e", 4, Stage::Position);
        let f = symbols(g, "f", modes, Stage::Position);
        let v = symbols(g, "v", 7 + modes, Stage::Velocity);
        let mass = g.symbol("m", stage);
        let static_moment = symbols(g, "s", 3, stage);
        let shapes: Matrix = (0..3).map(|i| symbols(g, &format!("S{i}_"), modes, stage)).collect();
        let mut inertia = symmetric(g, "I", 3, stage);
        let mut coupling: Matrix = (0..3).map(|i| symbols(g, &format!("H{i}_"), modes, stage)).collect();
        for k in 0..modes {
            let change = symmetric(g, &format!("K{k}"), 3, stage);
            inertia = plus_scaled(g, &inertia, f[k], &change);
            let change: Matrix = (0..3).map(|i| symbols(g, &format!("G{k}{i}_"), modes, stage)).collect();
            coupling = plus_scaled(g, &coupling, f[k], &change);
        }
        let modal = symmetric(g, "M", modes, stage);

        // The angular velocity in the frame is 2 L e'.
        let l = euler_parameter_matrix(g, &e).map(|row| row.to_vec());
        let two = g.integer(2);
        let turning: Matrix = l.iter().map(|row| scaled(g, two, row)).collect();
        let axes = euler_parameter_rotation(g, &e).map(|row| row.to_vec()).to_vec();
        let deformed = apply(g, &shapes, &f);
        let lever = plus(g, &static_moment, &deformed);
        let (zero, minus) = (g.zero(), [0, 1, 2].map(|i| g.neg(lever[i])));
        // −(lever ×)
        let skew = vec![vec![zero, lever[2], minus[1]], vec![minus[2], zero, lever[0]], vec![lever[1], minus[0], zero]];
        let partial = times(g, &axes, &skew);
        let displaced = times(g, &partial, &turning);
        let deforming = times(g, &axes, &shapes);
        let back = transposed(&turning);
        let partial = times(g, &inertia, &turning);
        let rotating = times(g, &back, &partial);
        let coupled = times(g, &back, &coupling);

        let n = 7 + modes;
        let mut matrix = zeros(g, n, n);
        for i in 0..3 {
            matrix[i][i] = mass;
            matrix[i][3..7].copy_from_slice(&displaced[i]);
            matrix[i][7..].copy_from_slice(&deforming[i]);
        }
        for i in 0..4 {
            matrix[3 + i][3..7].copy_from_slice(&rotating[i]);
            matrix[3 + i][7..].copy_from_slice(&coupled[i]);
        }
        for i in 0..modes {
            matrix[7 + i][7..].copy_from_slice(&modal[i]);
        }
        for i in 0..n {
            for j in 0..i {
                matrix[i][j] = matrix[j][i];
            }
        }
        let coordinates = [vec![zero; 3], e, f].concat();
        let forces = velocity_forces(g, &matrix, &coordinates, &v);
        [upper_triangle(&matrix), forces].concat()
    })
}
