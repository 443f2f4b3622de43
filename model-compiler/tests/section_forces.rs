//! Forces in the sections of a beam's element whose nodes stand where stretch and rotation about a fixed axis are quadratic
//! along it: interpolation is exact then, and forces are stiffness times strain.

use hamel_compiler::derive::{FunctionRole, Role, derive};
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::schedule;

const LENGTH: f64 = 2.0;
/// Against stretching and shearing, N, and against twisting and bending, N m².
const FORCE: [f64; 3] = [2e3, 1e3, 0.8e3];
const MOMENT: [f64; 3] = [80.0, 120.0, 150.0];

#[test]
fn forces_in_sections_are_stiffness_times_strain() {
    let text = format!(
        "model M {{
            flexible beam: beam_three_node {{
                length: {LENGTH} m, elements: 1, axial: {} N, shear: [{}, {}] N, torsion: {} N m^2, bending: [{}, {}] N m^2,
                mass_per_length: 3 kg/m, inertia_per_length: [2e-4, 1e-4, 1e-4] kg m,
            }}
            joint fly: free(ground, beam.root);
            output place_a = beam.root.position; output place_b = beam[1].position; output place_c = beam.tip.position;
            output loads = beam.section_forces;
        }}",
        FORCE[0], FORCE[1], FORCE[2], MOMENT[0], MOMENT[1], MOMENT[2]
    );
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
    let equations = derive(&resolve(&description).unwrap_or_else(|error| panic!("{error}")));
    let schedule = schedule(&equations, &equations);
    let layout = &equations.layout;
    assert_eq!(layout.coordinates.len(), 3 * 7);
    let names: Vec<&str> = layout.coordinates.iter().map(|channel| channel.name.as_str()).collect();
    let interpreter = Interpreter::<f64>::new(&equations, &schedule, defaults(&schedule));
    let outputs = |q: Vec<f64>| {
        let zeros = |n| vec![0.0; n];
        let point = Point {
            t: 0.0,
            inputs: Vec::new(),
            q,
            v: zeros(layout.velocities.len()),
            a: zeros(layout.velocities.len()),
            lambda: zeros(layout.constraints.len()),
            tau: Vec::new(),
        };
        interpreter.output(FunctionRole::Outputs, Role::Outputs, &point, (layout.outputs.len(), 1)).values
    };
    // The nodes' places among the coordinates, from what their positions show.
    let numbered: Vec<f64> = (0..21).map(f64::from).collect();
    let shown = outputs(numbered);
    let first = [0, 3, 6].map(|output| shown[output] as usize);
    assert!(first.iter().all(|place| place % 7 == 0), "{names:?}: {first:?}");

    for axis in 0..3 {
        let (stretch, turn) = ([0.05, 0.02], [0.3, -0.11]);
        let at = |[linear, square]: [f64; 2], s: f64| linear * s + square * s * s;
        let slope = |[linear, square]: [f64; 2], s: f64| linear + 2.0 * square * s;
        let mut q = vec![0.0; 21];
        for (node, first) in first.into_iter().enumerate() {
            let s = 0.5 * LENGTH * node as f64;
            let (sine, cosine) = (0.5 * at(turn, s)).sin_cos();
            (q[first], q[first + 3], q[first + 4 + axis]) = (s + at(stretch, s), cosine, sine);
        }
        let loads = &outputs(q)[9..];
        assert_eq!(loads.len(), 12);
        for (loads, xi) in loads.chunks_exact(6).zip([-1.0, 1.0]) {
            let s = 0.5 * LENGTH * (1.0 + xi / 3.0_f64.sqrt());
            let (sine, cosine) = at(turn, s).sin_cos();
            let along = 1.0 + slope(stretch, s);
            // The tangent in the axes of the section.
            let tangent = match axis {
                0 => [along, 0.0, 0.0],
                1 => [along * cosine, 0.0, along * sine],
                _ => [along * cosine, -along * sine, 0.0],
            };
            let mut expected =
                [FORCE[0] * (tangent[0] - 1.0), FORCE[1] * tangent[1], FORCE[2] * tangent[2], 0.0, 0.0, 0.0];
            expected[3 + axis] = MOMENT[axis] * slope(turn, s);
            for (found, expected) in loads.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-10, "about {axis} at {s}: {loads:?} instead of {expected:?}");
            }
        }
    }
}
