//! Forces whose size has no slope at rest, through all stages: nothing resists what does not move, and the matrices are
//! those of the motion beside it.

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::Dual;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};

fn point(nq: usize, v: Vec<f64>, lambda: usize) -> Point<f64> {
    let mut q = vec![0.2; nq];
    // Euler parameters of unit norm.
    q[3..7].fill(0.5);
    let a = vec![0.3; v.len()];
    Point { t: 0.0, inputs: Vec::new(), q, v, a, lambda: vec![0.0; lambda], tau: Vec::new() }
}

#[test]
fn matrices_at_rest_are_finite_and_right() {
    let text = include_str!("pass/drag.model");
    for coordinates in ["joint", "absolute"] {
        let text = text.replacen('{', &format!("{{ coordinates {coordinates};"), 1);
        let stages = hamel_compiler::stages(text.parse().expect("it lexes")).unwrap_or_else(|error| panic!("{error}"));
        let layout = &stages.simplified.layout;
        let (nq, nv, nc) = (layout.coordinates.len(), layout.velocities.len(), layout.constraints.len());
        let model = Interpreter::<f64>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
        let damping =
            |v: Vec<f64>| model.output(FunctionRole::Linearization, Role::Damping, &point(nq, v, nc), (nv, nv)).values;
        let at_rest = damping(vec![0.0; nv]);
        // The quadratic velocity term has no slope at rest either; but for `abs(w.x)^n * w.x` with n = 1 the same holds.
        assert!(at_rest.iter().all(|entry| *entry == 0.0), "{coordinates}: {at_rest:?}");
        let largest = |entries: &[f64]| entries.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let sizes: Vec<f64> = [1e-4, 1e-6, 1e-8].map(|v| largest(&damping(vec![v; nv]))).to_vec();
        assert!(sizes.windows(2).all(|pair| pair[1] < 0.5 * pair[0]), "{coordinates}: {sizes:?}");

        let dual = Interpreter::<Dual>::new(&stages.simplified, &stages.schedule, defaults(&stages.schedule));
        for v in [vec![0.0; nv], (0..nv).map(|i| 0.3 - 0.1 * i as f64).collect()] {
            let plain = point(nq, v, nc);
            let constant = |values: &[f64]| values.iter().map(|&x| Dual::constant(x)).collect();
            let moving = Point {
                t: Dual::constant(0.0),
                inputs: Vec::new(),
                q: constant(&plain.q),
                v: plain.v.iter().enumerate().map(|(i, &x)| Dual::variable(x, i, nv)).collect(),
                a: constant(&plain.a),
                lambda: constant(&plain.lambda),
                tau: Vec::new(),
            };
            let (residual, _) = dual.residual(&moving);
            let found = damping(plain.v);
            for (i, row) in residual.iter().enumerate() {
                for j in 0..nv {
                    let (entry, slope) = (found[i * nv + j], row.slope(j));
                    assert!(
                        (entry - slope).abs() < 1e-12 * (1.0 + slope.abs()),
                        "{coordinates}, {i}, {j}: {entry} {slope}"
                    );
                }
            }
        }
    }
}

/// Whatever the parameters and the motion are, these are no numbers; they were zeros once.
#[test]
fn divisions_by_zero_are_mistakes() {
    let compiled = |expression: &str, force: &str| {
        let text = format!(
            "model Rod {{
                planar;
                coordinates joint;
                param length = 1 m;
                body rod {{ mass: 1 kg, inertia: 0.1 kg m^2 }}
                joint hinge: revolute(ground, rod at [0, length]);
                torque drag: (-0.1 N m) * ({force}) on hinge;
                output x = {expression};
            }}"
        );
        hamel_compiler::stages(text.parse().unwrap()).map(|_| ()).map_err(|error| error.to_string())
    };
    for wrong in [
        "1/0",
        "0/0",
        "-3/0",
        "1/0^2",
        "1/sin(0)",
        "length/(length - length)",
        "hinge.angle/0",
        "1/(hinge.angle - hinge.angle)",
        "1/(sin(hinge.angle)^2 + cos(hinge.angle)^2 - 1)",
    ] {
        for found in [compiled(wrong, "1"), compiled("1", &wrong.replace("length", "length / (1 m)"))] {
            let error = found.expect_err(wrong);
            assert!(error.contains("divides by zero whatever its motion is"), "{wrong}: {error}");
        }
    }
    for right in ["1/(length - 1 m)", "0/length", "1/hinge.angle", "0/hinge.angle"] {
        assert_eq!(compiled(right, "1"), Ok(()), "{right}");
    }
}
