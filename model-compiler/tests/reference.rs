//! The configuration from which assembly starts obeys the joints of a tree, whatever frames they connect.

use hamel_compiler::derive::{FunctionRole, Role, derive};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::schedule;

/// Coordinates of the reference configuration, and what is left of the constraints there.
fn reference(text: &str) -> (Vec<f64>, Vec<f64>) {
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{text}: {error}"));
    let equations = derive(&resolve(&description).unwrap_or_else(|error| panic!("{text}: {error}")));
    let schedule = schedule(&equations, &equations);
    let interpreter = Interpreter::<f64>::new(&equations, &schedule, defaults(&schedule));
    let q = interpreter.reference_configuration();
    let layout = &equations.layout;
    let zeros = vec![0.0; layout.velocities.len()];
    let (lambda, tau) = (vec![0.0; layout.constraints.len()], Vec::new());
    let point = Point { t: 0.0, inputs: vec![], q: q.clone(), v: zeros.clone(), a: zeros, lambda, tau };
    let shape = (layout.constraints.len(), 1);
    (q, interpreter.output(FunctionRole::Constraint, Role::Constraint, &point, shape).values)
}

#[test]
fn bodies_in_space_stand_where_their_joints_hold_them() {
    for kind in ["absolute(euler_parameters)", "absolute(euler_zyx)"] {
        let (q, left) = reference(&format!(
            "model M {{
                coordinates {kind};
                body a {{ mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 }}
                body b {{ mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 }}
                body c {{ mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 }}
                joint hinge: revolute(
                    ground at [1, 2, 3] m rotated rotation_x(0.4 rad) * rotation_z(1.1 rad),
                    a at [0.1, -0.2, 0.3] m rotated rotation_y(-0.7 rad)
                );
                joint rail: prismatic(a at [0.5, 0, 0.2] m rotated rotation_z(2 rad), b rotated rotation_x(1 rad));
                joint weld: fixed(b at [0, 0.3, 0] m, c at [0.2, 0, 0] m rotated rotation_y(1.2 rad));
            }}"
        ));
        assert!(left.len() >= 5 + 5 + 6, "{kind}");
        assert!(left.iter().all(|g| g.abs() < 1e-14), "{kind}: {left:?} at {q:?}");
        assert!(q.iter().filter(|q| q.abs() > 0.1).count() > 9, "{kind}: {q:?}");
    }
}

#[test]
fn bodies_in_the_plane_stand_where_their_joints_hold_them() {
    let (q, left) = reference(
        "model M {
            planar;
            coordinates absolute;
            body a { mass: 1 kg, inertia: 1 kg m^2 }
            body b { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground at [1, 2] m rotated 100 deg, a at [0.1, 0.2] m rotated -50 deg);
            joint weld: fixed(a at [0.5, 0] m, b at [0, 0.3] m rotated 30 deg);
        }",
    );
    assert!(left.iter().all(|g| g.abs() < 1e-14), "{left:?} at {q:?}");
    let near = |found: f64, degrees: f64| (found - degrees.to_radians()).abs() < 1e-14;
    assert!(near(q[2], 150.0) && near(q[5], 120.0), "{q:?}");
}
