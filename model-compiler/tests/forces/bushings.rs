//! Closed forms of bushings.

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::{Interpreter, defaults};

use super::assert_close;
use super::models::{point, stages};

/// Rz(0.4) Rx(0.7), as the frames of the following bushings are turned.
const TURNED: &str = "rotated rotation_z(0.4 rad) * rotation_x(0.7 rad)";

fn turned() -> [[f64; 3]; 3] {
    let ((s, c), (t, d)) = (0.4_f64.sin_cos(), 0.7_f64.sin_cos());
    [[c, -s * d, s * t], [s, c * d, -c * t], [0.0, t, d]]
}

/// θ'' = −(k/J) θ about an axis of the frames, with the period 2π √(J/k) whatever the amplitude: in space up to half a
/// turn, in the plane for many.
#[test]
fn large_turns_about_an_axis_of_a_bushing_are_harmonic() {
    let (stiffness, inertia) = (3.0, 0.3);
    let spatial = stages(&format!(
        "model M {{ coordinates joint;
            body b {{ mass: 1 kg, inertia: diag({inertia}, {inertia}, {inertia}) kg m^2 }}
            joint fly: free(ground, b);
            force s: bushing(ground {TURNED}, b {TURNED}) {{
                stiffness: [10, 20, 30] N/m, rotational_stiffness: [1, 2, {stiffness}] N m/rad,
            }}
        }}"
    ));
    let axis = turned().map(|row| row[2]);
    for degrees in [-179.0_f64, -90.0, -1e-6, 0.0, 3.0, 14.2, 14.3, 120.0, 179.9] {
        let angle = degrees.to_radians();
        let (s, c) = (0.5 * angle).sin_cos();
        let q = vec![0.0, 0.0, 0.0, c, s * axis[0], s * axis[1], s * axis[2]];
        let parameters = defaults(&spatial.schedule);
        let model = Interpreter::<f64>::new(&spatial.simplified, &spatial.schedule, parameters);
        let mut at = point(&spatial, q, vec![0.0; 6]);
        at.a[3..].iter_mut().zip(axis).for_each(|(a, axis)| *a = -stiffness / inertia * angle * axis);
        let (left, _) = model.residual(&at);
        assert!(left.iter().all(|r| r.abs() < 1e-11), "{degrees}°: {left:?}");
    }

    let planar = stages(&format!(
        "model M {{ planar; coordinates absolute;
            body b {{ mass: 1 kg, inertia: {inertia} kg m^2 }}
            force s: bushing(ground rotated 0.3 rad, b rotated -0.2 rad) {{
                stiffness: [10, 20] N/m, rotational_stiffness: {stiffness} N m/rad,
            }}
        }}"
    ));
    for angle in [-40.0, -0.5, 3.0, 7.0] {
        let model = Interpreter::<f64>::new(&planar.simplified, &planar.schedule, defaults(&planar.schedule));
        let mut at = point(&planar, vec![0.0, 0.0, angle + 0.5], vec![0.0; 3]);
        at.a[2] = -stiffness / inertia * angle;
        let (left, _) = model.residual(&at);
        assert!(left.iter().all(|r| r.abs() < 1e-12), "{angle}: {left:?}");
    }
}

/// Small oscillations have the stiffness K = Q k Qᵀ of the displaced point, and its moments.
#[test]
fn small_motions_on_a_bushing_have_its_stiffness_in_turned_axes() {
    let (k, c, p) = ([10.0, 20.0, 30.0], [1.0, 2.0, 3.0], [0.3, -0.2, 0.5]);
    let place = format!("at {p:?} m {TURNED}");
    let stages = stages(&format!(
        "model M {{ coordinates joint;
            body b {{ mass: 1 kg, inertia: diag(0.3, 0.4, 0.5) kg m^2 }}
            joint fly: free(ground, b);
            force s: bushing(ground {place}, b {place}) {{
                stiffness: {k:?} N/m, rotational_stiffness: {c:?} N m/rad,
            }}
        }}"
    ));
    let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
    let at = point(&stages, model.reference_configuration(), vec![0.0; 6]);
    let found = model.output(FunctionRole::Linearization, Role::Stiffness, &at, (6, 6)).values;
    let q = turned();
    let seen = |of: [f64; 3], x: [f64; 3]| -> [f64; 3] {
        let own: [f64; 3] = std::array::from_fn(|i| of[i] * (0..3).map(|j| q[j][i] * x[j]).sum::<f64>());
        std::array::from_fn(|i| (0..3).map(|j| q[i][j] * own[j]).sum())
    };
    let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
    };
    for column in 0..6 {
        let unit = |first: usize| std::array::from_fn::<f64, 3, _>(|i| f64::from(u8::from(first + i == column)));
        let (shift, turn) = (unit(0), unit(3));
        let carried = cross(turn, p);
        let force = seen(k, std::array::from_fn(|i| shift[i] + carried[i]));
        let (moment, torque) = (cross(p, force), seen(c, turn));
        for row in 0..6 {
            let expected = if row < 3 { force[row] } else { moment[row - 3] + torque[row - 3] };
            assert_close(&format!("row {row}, column {column}"), found[6 * row + column], expected, 1e-13);
        }
    }
}
