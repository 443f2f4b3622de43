//! Expressions of every kind have the values that arithmetic gives them.

use hamel_compiler::derive::{FunctionRole, Role, derive};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::schedule;

/// The output of a model with these parameters, as derived, where the slider stands at 1.5 m.
fn value(parameters: &str, expression: &str) -> Vec<f64> {
    let text = format!(
        "model M {{ coordinates joint; {parameters} body b {{ mass: 1 kg, inertia: diag(1, 1, 1) kg m^2 }}
         joint rail: prismatic(ground, b); output it = {expression}; }}"
    );
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{text}: {error}"));
    let equations = derive(&resolve(&description).unwrap_or_else(|error| panic!("{text}: {error}")));
    let schedule = schedule(&equations, &equations);
    let interpreter = Interpreter::<f64>::new(&equations, &schedule, defaults(&schedule));
    let point =
        Point { t: 0.0, inputs: vec![], q: vec![1.5], v: vec![0.25], a: vec![0.0], lambda: vec![], tau: vec![] };
    let shape = (equations.layout.outputs.len(), 1);
    interpreter.output(FunctionRole::Outputs, Role::Outputs, &point, shape).values
}

#[test]
fn matrices_multiply_vectors_and_matrices() {
    let matrix = "param a = [[1, 2, 3], [4, 5, 6], [7, 8, 10]]; param x = [2, -1, 3];";
    assert_eq!(value(matrix, "a * x"), [9.0, 21.0, 36.0]);
    assert_eq!(value(matrix, "(a * a) * x"), [159.0, 357.0, 591.0]);
    assert_eq!(value(matrix, "transpose(a) * x"), [19.0, 23.0, 30.0]);
    assert_eq!(value(matrix, "2 * a * x / 4"), [4.5, 10.5, 18.0]);
    assert_eq!(value(matrix, "dot(x, a * x) + norm([3, 0, 4])"), [2.0 * 9.0 - 21.0 + 3.0 * 36.0 + 5.0]);
    assert_eq!(value(matrix, "cross(x, [1, 0, 2])"), [-2.0, -1.0, 1.0]);
}

#[test]
fn powers_are_products_roots_and_exponentials() {
    let x = "param x = 4; param n = 1.5;";
    let near = |expression: &str, expected: f64| {
        let found = value(x, expression);
        assert!((found[0] - expected).abs() < 1e-14 * expected.abs(), "{expression}: {found:?}");
    };
    near("x^3", 64.0);
    near("x^-2", 0.0625);
    near("x^0.5", 2.0);
    near("x^n", 8.0);
    near("rail.displacement^2 / (1 m^2)", 2.25);
    near("sqrt(x) * exp(0) + abs(-x)", 6.0);
}

/// Frames turned by right angles leave no rounding errors, other angles keep theirs.
#[test]
fn sines_of_right_angles_are_exact() {
    assert_eq!(value("", "[cos(90 deg), sin(90 deg), cos(180 deg)]"), [0.0, 1.0, -1.0]);
    assert_eq!(value("", "[sin(180 deg), sin(270 deg), cos(270 deg)]"), [0.0, -1.0, 0.0]);
    let near = value("", "[sin(30 deg), cos(30 deg), sin(1e-3 rad)]");
    for (found, expected) in near.iter().zip([0.5, 0.75_f64.sqrt(), 1e-3_f64.sin()]) {
        assert!((found - expected).abs() < 2.3e-16, "{near:?}");
    }
}
