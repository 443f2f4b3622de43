//! What decides whether a model can move: inertia where the constraints let it move, and not how many constraints say so.

use hamel_compiler::Stages;
use hamel_compiler::schedule::interpret::Interpreter;

fn stages(text: &str) -> Result<Stages, String> {
    hamel_compiler::stages(text.parse().expect("the model lexes")).map_err(|error| error.to_string())
}

fn is_accepted(text: &str) {
    if let Err(error) = stages(text) {
        panic!("{error}\n{text}");
    }
}

/// Six hinges at the corners of a cube, each axis across both edges that meet there: 30 constraints on 30 coordinates, and
/// it moves. [IFToMM benchmark A04]
#[test]
fn mechanisms_with_more_constraints_than_freedom_are_accepted() {
    let rods = "body b1 { mass: 1 kg, inertia: diag(0.01, 0.1, 0.1) kg m^2, center_of_mass: [0.5, 0, 0] m }
        body b2 { mass: 1 kg, inertia: diag(0.1, 0.1, 0.01) kg m^2, center_of_mass: [0, 0, 0.5] m }
        body b3 { mass: 1 kg, inertia: diag(0.1, 0.01, 0.1) kg m^2, center_of_mass: [0, 0.5, 0] m }
        body b4 { mass: 1 kg, inertia: diag(0.01, 0.1, 0.1) kg m^2, center_of_mass: [-0.5, 0, 0] m }
        body b5 { mass: 1 kg, inertia: diag(0.1, 0.1, 0.01) kg m^2, center_of_mass: [0, 0, -0.5] m }";
    let bricard = format!(
        "{rods}
        joint j1: revolute(ground, b1) {{ axis: [0, 0, 1] }}
        joint j2: revolute(b1 at [1, 0, 0] m, b2) {{ axis: [0, 1, 0] }}
        joint j3: revolute(b2 at [0, 0, 1] m, b3) {{ axis: [1, 0, 0] }}
        joint j4: revolute(b3 at [0, 1, 0] m, b4) {{ axis: [0, 0, 1] }}
        joint j5: revolute(b4 at [-1, 0, 0] m, b5) {{ axis: [0, 1, 0] }}
        joint j6: revolute(b5 at [0, 0, -1] m, ground at [0, 1, 0] m) {{ axis: [1, 0, 0] }}"
    );
    let rod = |name: &str, length: f64| {
        format!(
            "body {name} {{ mass: 1 kg, inertia: diag(0.1, 0.1, 0.01) kg m^2, center_of_mass: [{}, 0, 0] m }}",
            length / 2.0
        )
    };
    let four_bar = format!(
        "{} {} {}
        joint a: revolute(ground, crank);
        joint b: revolute(crank at [1, 0, 0] m, coupler);
        joint c: revolute(coupler at [3, 0, 0] m, rocker);
        joint d: revolute(rocker at [2, 0, 0] m, ground at [3, 0, 0] m);",
        rod("crank", 1.0),
        rod("coupler", 3.0),
        rod("rocker", 2.0)
    );
    // A door on two hinges: five constraints of the second follow from those of the first.
    let door = "body panel { mass: 20 kg, inertia: diag(1, 1, 1) kg m^2 }
        joint upper: revolute(ground at [0, 0, 2] m, panel at [0, 0, 1] m);
        joint lower: revolute(ground, panel at [0, 0, -1] m);";
    for mechanism in [bricard.as_str(), &four_bar, door] {
        for coordinates in ["joint", "absolute"] {
            is_accepted(&format!("model M {{ coordinates {coordinates}; gravity [0, -9.81, 0] m/s^2; {mechanism} }}"));
        }
    }
}

#[test]
fn point_masses_move_where_their_rotation_has_no_meaning() {
    let welded = "body rod { mass: 1 kg, inertia: diag(0.1, 0.1, 0.1) kg m^2 }
        body tip { mass: 2 kg, inertia: diag(0, 0, 0) kg m^2 }
        joint hinge: revolute(ground, rod) { axis: [0, 1, 0] }
        joint weld: fixed(rod at [0, 0, 1] m, tip);";
    let swinging = "body bob { mass: 2 kg, inertia: diag(0, 0, 0) kg m^2, center_of_mass: [0, 0, -1] m }
        joint hinge: revolute(ground, bob) { axis: [0, 1, 0] }";
    let thin = "body rod { mass: 2 kg, inertia: diag(0.1, 0.1, 0) kg m^2 }
        joint hinge: universal(ground, rod);";
    let sliding = "body bead { mass: 2 kg, inertia: diag(0, 0, 0) kg m^2 } joint wire: prismatic(ground, bead);";
    for bodies in [welded, swinging, thin, sliding] {
        for coordinates in ["joint", "absolute"] {
            is_accepted(&format!("model M {{ coordinates {coordinates}; {bodies} }}"));
        }
    }
    for coordinates in ["joint", "absolute"] {
        is_accepted(&format!(
            "model M {{ planar; coordinates {coordinates}; body bob {{ mass: 2 kg, inertia: 0 }}
                joint string: revolute(ground, bob at [0, 1] m); }}"
        ));
    }
    // A closed loop may hold what a tree alone would let turn without inertia.
    is_accepted(
        "model M { planar; coordinates joint;
            body rod { mass: 1 kg, inertia: 0.1 kg m^2 } body pin { mass: 1 kg, inertia: 0 }
            joint hinge: revolute(ground, rod); joint turn: revolute(rod at [1, 0] m, pin);
            constraint level: pin.angle == 0; }",
    );
}

#[test]
fn what_turns_without_inertia_is_refused() {
    let cases = [
        (
            "body bob { mass: 2 kg, inertia: diag(0, 0, 0) kg m^2 } joint ball: spherical(ground, bob);",
            ["ball.omega", "bob.e"],
        ),
        (
            "body bob { mass: 2 kg, inertia: diag(0, 0, 0) kg m^2 } joint fly: free(ground, bob);",
            ["fly.omega", "bob.e"],
        ),
        (
            "body rod { mass: 2 kg, inertia: diag(0.1, 0.1, 0) kg m^2 } joint ball: spherical(ground, rod);",
            ["ball.omega_z", "rod.e"],
        ),
    ];
    for (bodies, names) in cases {
        for (coordinates, name) in ["joint", "absolute"].into_iter().zip(names) {
            let error = stages(&format!("model M {{ coordinates {coordinates}; {bodies} }}"));
            let error = error.err().unwrap_or_else(|| panic!("{coordinates}: accepted {bodies}"));
            assert!(error.contains(name) && error.contains("moves no mass"), "{coordinates}: {error}\n{bodies}");
        }
    }
}

/// A frame without mass between two hinges makes a universal joint of them; at an end it moves without inertia.
#[test]
fn frames_between_joints_need_no_mass() {
    let body = "body end { mass: 2 kg, inertia: [[1, 0.1, 0], [0.1, 2, 0.3], [0, 0.3, 2.5]] kg m^2, center_of_mass: [0.1, 0.2, 0.3] m }";
    let universal =
        format!("model M {{ coordinates joint; {body} joint u: universal(ground, end at [0.5, 0, 0.1] m); }}");
    let hinges = format!(
        "model M {{ coordinates joint; {body} body middle {{ mass: 0, inertia: diag(0, 0, 0) kg m^2 }}
        joint x: revolute(ground, middle) {{ axis: [1, 0, 0] }}
        joint y: revolute(middle, end at [0.5, 0, 0.1] m) {{ axis: [0, 1, 0] }} }}"
    );
    let mass = |text: &str, q: &[f64]| {
        let stages = stages(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Interpreter::<f64>::new(&stages.simplified, &stages.schedule, Vec::new()).mass_matrix(q).values
    };
    for q in [[0.0, 0.0], [0.3, -1.2], [-2.0, 0.8], [1.0, 3.0]] {
        for (found, expected) in mass(&hinges, &q).iter().zip(mass(&universal, &q)) {
            assert!((found - expected).abs() < 1e-14, "{found} and {expected} at {q:?}");
        }
    }
    let end = "model M { coordinates joint; body a { mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }
        body b { mass: 0, inertia: diag(0, 0, 0) kg m^2 }
        joint ja: revolute(ground, a); joint jb: prismatic(a, b); }";
    let message = stages(end).map(|_| ()).expect_err("nothing resists the slider");
    assert!(message.contains("jb.displacement"), "{message}");
}
