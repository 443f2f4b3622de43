//! Bodies in water: the equations of every convention, written out by hand, beside the derived ones. [simo, Eqs. 8, 13-20]

use hamel_compiler::derive::{Equations, FunctionRole, Kernel, Role, derive};
use hamel_compiler::expr::evaluate;
use hamel_compiler::parse::parse;
use hamel_compiler::resolve::resolve;

type Vector = [f64; 3];
type Matrix = [Vector; 3];

const MASS: f64 = 2.0;
const CENTER: Vector = [0.1, -0.2, 0.3];
const INERTIA: Matrix = [[0.9, 0.05, -0.02], [0.05, 1.1, 0.03], [-0.02, 0.03, 1.3]];
const FORCE: Matrix = [[1.0, 0.2, -0.1], [0.2, 3.0, 0.4], [-0.1, 0.4, 5.0]];
const COUPLING: Matrix = [[0.3, -0.2, 0.1], [0.5, 0.1, -0.6], [0.2, 0.7, -0.4]];
const MOMENT: Matrix = [[0.8, 0.1, 0.2], [0.1, 0.6, -0.3], [0.2, -0.3, 0.9]];
const CURRENT: Vector = [0.7, -0.4, 0.2];
const SLOW: Vector = [0.25, 0.5, -0.15];
const SLOW_YAW: f64 = 0.35;

fn sum(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

fn difference(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn times(m: Matrix, x: Vector) -> Vector {
    m.map(|row| dot(row, x))
}

fn transposed(m: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// Momentum of the water: linear, and angular about the origin.
fn momentum(v: Vector, w: Vector) -> [Vector; 2] {
    [sum(times(FORCE, v), times(COUPLING, w)), sum(times(transposed(COUPLING), v), times(MOMENT, w))]
}

/// The same of the body.
fn own_momentum(v: Vector, w: Vector) -> [Vector; 2] {
    let at_center = sum(v, cross(w, CENTER)).map(|u| MASS * u);
    [at_center, sum(times(INERTIA, w), cross(CENTER, at_center))]
}

/// Force and moment that the motion asks for. [simo, Eq. 20]
fn required(convention: &str, axes: Matrix, [v, w]: [Vector; 2], [dv, dw]: [Vector; 2]) -> [f64; 6] {
    let u = times(transposed(axes), CURRENT);
    let (v_tilde, w_tilde, turning) = match convention {
        "relative" => (difference(v, u), w, cross(w, u)),
        "yaw_only" => (difference(v, u), [0.0, 0.0, w[2]], [0.0; 3]),
        "blocked" => (u.map(|u| -u), [0.0; 3], [0.0; 3]),
        _ => (difference(times(transposed(axes), SLOW), u), [0.0, 0.0, SLOW_YAW], [0.0; 3]),
    };
    let ([p, l], [p_rate, l_rate]) = (own_momentum(v, w), own_momentum(dv, dw));
    let ([pa, la], [pa_rate, la_rate]) = (momentum(v_tilde, w_tilde), momentum(sum(dv, turning), dw));
    let force = sum(sum(p_rate, cross(w, p)), sum(pa_rate, cross(w_tilde, pa)));
    let body = sum(sum(l_rate, cross(w, l)), cross(v, p));
    let water = sum(sum(la_rate, cross(w_tilde, la)), cross(v_tilde, pa));
    let moment = sum(body, water);
    [force[0], force[1], force[2], moment[0], moment[1], moment[2]]
}

fn equations(coordinates: &str, convention: &str) -> Equations {
    let slow = match convention {
        "low_frequency" => format!("low_frequency_velocity: {SLOW:?} m/s, low_frequency_yaw_rate: {SLOW_YAW} rad/s,"),
        _ => String::new(),
    };
    let text = format!(
        "pub model M {{
            coordinates {coordinates};
            body hull {{
                mass: {MASS} kg, inertia: {INERTIA:?} kg m^2, center_of_mass: {CENTER:?} m,
                added_mass: {{
                    force: {FORCE:?} kg, coupling: {COUPLING:?} kg m, moment: {MOMENT:?} kg m^2,
                    velocity: {convention}, current: {CURRENT:?} m/s, {slow}
                }},
            }}
            joint swim: free(ground, hull);
        }}"
    );
    let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
    derive(&resolve(&description).unwrap_or_else(|error| panic!("{error}")))
}

/// Values of an output at a state.
fn values(kernel: &Kernel, function: FunctionRole, role: Role, state: [&[f64]; 3]) -> Vec<f64> {
    let mut symbols = vec![0.0; kernel.graph.symbols().len()];
    for (ids, given) in [&kernel.inputs.q, &kernel.inputs.v, &kernel.inputs.a].into_iter().zip(state) {
        ids.iter().zip(given).for_each(|(id, value)| symbols[id.index()] = *value);
    }
    let function = kernel.functions.iter().find(|known| known.role == function).expect("every model has it");
    let output = function.outputs.iter().find(|output| output.role == role).expect("the function has it");
    let roots: Vec<_> = output.entries.iter().map(|entry| entry.value).collect();
    let mut dense = vec![0.0; output.shape.0 * output.shape.1];
    for (entry, value) in output.entries.iter().zip(evaluate(&kernel.graph, &roots, &symbols)) {
        dense[entry.row * output.shape.1 + entry.column] = value;
    }
    dense
}

fn assert_close(what: &str, found: &[f64], expected: &[f64]) {
    let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && error < 1e-13, "{what}: {found:?}, expected {expected:?}");
}

const V: Vector = [0.8, -0.3, 0.5];
const W: Vector = [0.4, 0.6, -0.2];
const RATES: [Vector; 2] = [[0.1, 0.9, -0.7], [-0.5, 0.2, 0.3]];

/// R of Euler parameters of unit norm.
fn axes([e0, x, y, z]: [f64; 4]) -> Matrix {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - e0 * z), 2.0 * (x * z + e0 * y)],
        [2.0 * (x * y + e0 * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - e0 * x)],
        [2.0 * (x * z - e0 * y), 2.0 * (y * z + e0 * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// With velocities in the axes of the body the equations are those of the source as they stand.
#[test]
fn conventions_are_those_of_the_source() {
    let e = [0.1, 0.5, -0.7, 0.5];
    for convention in ["relative", "yaw_only", "blocked", "low_frequency"] {
        let equations = equations("joint(euler_parameters)", convention);
        let q = [&[1.0, 2.0, 3.0], e.as_slice()].concat();
        let state = [q.as_slice(), &[V, W].concat(), &RATES.concat()];
        let residual = values(&equations.kernels[0], FunctionRole::Residual, Role::Residual, state);
        assert_close(convention, &residual, &required(convention, axes(e), [V, W], RATES));
    }
}

/// A motion in Euler angles, and the same in the axes of the body.
struct AngleMotion {
    axes: Matrix,
    /// S of ω = S (φ̇, θ̇, ψ̇).
    s: Matrix,
    nu: [Vector; 2],
    rates: [Vector; 2],
}

const ANGLES: Vector = [0.4, -0.7, 1.1];
/// Rates and second derivatives of position and angles.
const DERIVATIVES: [[Vector; 2]; 2] = [[[0.8, -0.3, 0.5], [0.3, -0.2, 0.5]], [[0.1, 0.9, -0.7], [-0.5, 0.2, 0.3]]];

impl AngleMotion {
    fn new([phi, theta, psi]: Vector, [[x_dot, rates], [x_ddot, accelerations]]: [[Vector; 2]; 2]) -> Self {
        let ((sf, cf), (st, ct), (sp, cp)) = (phi.sin_cos(), theta.sin_cos(), psi.sin_cos());
        let axes = [
            [cp * ct, cp * st * sf - sp * cf, cp * st * cf + sp * sf],
            [sp * ct, sp * st * sf + cp * cf, sp * st * cf - cp * sf],
            [-st, ct * sf, ct * cf],
        ];
        let s = [[1.0, 0.0, -st], [0.0, cf, ct * sf], [0.0, -sf, ct * cf]];
        let s_dot = [
            [0.0, 0.0, -ct * rates[1]],
            [0.0, -sf * rates[0], -st * sf * rates[1] + ct * cf * rates[0]],
            [0.0, -cf * rates[0], -st * cf * rates[1] - ct * sf * rates[0]],
        ];
        let (v, w) = (times(transposed(axes), x_dot), times(s, rates));
        let dv = difference(times(transposed(axes), x_ddot), cross(w, v));
        let dw = sum(times(s, accelerations), times(s_dot, rates));
        Self { axes, s, nu: [v, w], rates: [dv, dw] }
    }

    /// What a force and moment in the axes of the body do along position and angles.
    fn work(&self, wrench: &[f64]) -> Vec<f64> {
        let (force, moment) = ([wrench[0], wrench[1], wrench[2]], [wrench[3], wrench[4], wrench[5]]);
        [times(self.axes, force), times(transposed(self.s), moment)].concat()
    }
}

/// With Euler angles and velocities in the axes of the body the equations are still those of the source; with rates of
/// the angles the same force and moment do their work on them.
#[test]
fn angles_give_the_same_work() {
    let motion = AngleMotion::new(ANGLES, DERIVATIVES);
    let q = [[1.0, 2.0, 3.0], ANGLES].concat();
    for convention in ["relative", "yaw_only", "blocked", "low_frequency"] {
        let wrench = required(convention, motion.axes, motion.nu, motion.rates);
        let state = [q.as_slice(), &motion.nu.concat(), &motion.rates.concat()];
        assert_close(convention, &residual(&equations("joint(euler_zyx)", convention), 0.0, state), &wrench);
        let state = [q.as_slice(), &DERIVATIVES[0].concat(), &DERIVATIVES[1].concat()];
        let found = residual(&equations("absolute(euler_zyx)", convention), 0.0, state);
        assert_close(convention, &found, &motion.work(&wrench));
    }
}

/// dT/dt = v · f, and the potential of a current gives back what f takes, for the two conventions that conserve energy.
#[test]
fn currents_conserve_energy_where_they_should() {
    let e = [0.1, 0.5, -0.7, 0.5];
    for (convention, is_conservative) in
        [("relative", true), ("blocked", true), ("yaw_only", false), ("low_frequency", false)]
    {
        let equations = equations("joint(euler_parameters)", convention);
        let kernel = &equations.kernels[0];
        let step = 1e-6;
        let at = |sign: f64| {
            let r = axes(e);
            let moved = sum([1.0, 2.0, 3.0], times(r, V).map(|u| sign * step * u));
            let [e0, x, y, z] = e;
            let l = [[-x, e0, z, -y], [-y, -z, e0, x], [-z, y, -x, e0]];
            let turned: Vec<f64> =
                (0..4).map(|j| e[j] + sign * step * 0.5 * (0..3).map(|i| l[i][j] * W[i]).sum::<f64>()).collect();
            let q = [moved.as_slice(), turned.as_slice()].concat();
            values(kernel, FunctionRole::Energy, Role::PotentialEnergy, [&q, &[V, W].concat(), &[]])[0]
        };
        let potential_rate = (at(1.0) - at(-1.0)) / (2.0 * step);
        let state = [&[1.0, 2.0, 3.0, e[0], e[1], e[2], e[3]][..], &[V, W].concat(), &[]];
        let f = values(kernel, FunctionRole::AppliedForce, Role::AppliedForce, state);
        let h = values(kernel, FunctionRole::BiasForce, Role::BiasForce, state);
        let power = |force: &[f64]| -> f64 { force.iter().zip([V, W].concat()).map(|(f, v)| f * v).sum() };
        assert!(power(&h).abs() < 1e-13, "{convention}: h works with {}", power(&h));
        let gain = power(&f) + potential_rate;
        assert_eq!(gain.abs() < 1e-8, is_conservative, "{convention}: energy changes by {gain} W");
    }
}

/// r of a model with its default parameters and one input, summed over all members.
fn residual(equations: &Equations, input: f64, state: [&[f64]; 3]) -> Vec<f64> {
    let mut defaults = vec![0.0; equations.parameter_graph.symbols().len()];
    for (i, &value) in equations.defaults.iter().enumerate() {
        defaults[i] = evaluate(&equations.parameter_graph, &[value], &defaults)[0];
    }
    let mut sum = vec![0.0; equations.layout.velocities.len()];
    for instance in &equations.instances {
        let kernel = &equations.kernels[instance.kernel];
        let Some(function) = kernel.functions.iter().find(|known| known.role == FunctionRole::Residual) else {
            continue;
        };
        let mut symbols = vec![0.0; kernel.graph.symbols().len()];
        let mut give = |ids: &[hamel_compiler::expr::SymbolId], values: Vec<f64>| {
            ids.iter().zip(values).for_each(|(id, value)| symbols[id.index()] = value);
        };
        let at = |values: &[f64], places: &[usize]| places.iter().map(|&place| values[place]).collect::<Vec<f64>>();
        give(&kernel.inputs.parameters, evaluate(&equations.parameter_graph, &instance.parameters, &defaults));
        give(&kernel.inputs.inputs, vec![input; instance.inputs.len()]);
        give(&kernel.inputs.q, at(state[0], &instance.q));
        give(&kernel.inputs.v, at(state[1], &instance.v));
        give(&kernel.inputs.a, at(state[2], &instance.v));
        for output in function.outputs.iter().filter(|output| output.role == Role::Residual) {
            let roots: Vec<_> = output.entries.iter().map(|entry| entry.value).collect();
            for (entry, value) in output.entries.iter().zip(evaluate(&kernel.graph, &roots, &symbols)) {
                sum[instance.v[entry.row]] += value;
            }
        }
    }
    sum
}

/// Kernels by members and the kernel of the tree agree, states included, whose rows are ż − rate.
#[test]
fn members_and_tree_agree() {
    let text = include_str!("pass/vessel.model");
    let in_joint_coordinates = text.replace("absolute(euler_zyx);", "joint(euler_zyx); joint sea: free(ground, hull);");
    let [absolute, joint] = [text, in_joint_coordinates.as_str()].map(|text| {
        let description = parse(text.parse().expect("the model lexes")).unwrap_or_else(|error| panic!("{error}"));
        derive(&resolve(&description).unwrap_or_else(|error| panic!("{error}")))
    });
    let names = |equations: &Equations| equations.layout.velocities.iter().map(|v| v.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&absolute)[6..], ["slow", "angle"]);
    assert_eq!(names(&joint)[6..], ["slow", "angle"]);
    let motion = AngleMotion::new(ANGLES, DERIVATIVES);
    let q = [&[1.0, 2.0, 3.0], ANGLES.as_slice(), &[0.0; 2]].concat();
    let at = |[nu, rates]: [[Vector; 2]; 2]| {
        [[&nu.concat()[..], &[0.6, 0.25]].concat(), [&rates.concat()[..], &[0.15, -0.4]].concat()]
    };
    let (by_angles, by_nu) = (at(DERIVATIVES), at([motion.nu, motion.rates]));
    let a = residual(&absolute, 0.35, [&q, &by_angles[0], &by_angles[1]]);
    let b = residual(&joint, 0.35, [&q, &by_nu[0], &by_nu[1]]);
    let expected = motion.work(&b[..6]);
    let error = a.iter().zip(expected.iter().chain(&b[6..])).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 1e-11, "{a:?}\n{b:?}");
    assert_close("states", &a[6..], &[0.15 - (0.8 - 0.6) / 5.0, -0.4 - (0.35 - 0.25) / 2.0]);
}

/// The added mass is named, and not the joint that has nothing to move.
#[test]
fn indefinite_total_masses_are_named() {
    let model = |water: &str| {
        let text = format!(
            "model M {{
                coordinates joint;
                param sway = -1.6e6 kg;
                body hull {{ mass: 80 kg, inertia: diag(11, 15, 14) kg m^2, {water} }}
                joint sea: free(ground, hull);
            }}"
        );
        let result = hamel_compiler::stages(text.parse().expect("the model lexes"));
        result.err().into_iter().flatten().map(|error| error.to_string()).collect::<Vec<_>>()
    };
    let heavy = "added_mass: { force: diag(5 kg, 82 kg, 55 kg), moment: diag(2, 12, 24) kg m^2 }";
    assert_eq!(model(heavy), [""; 0]);
    let sway = "added_mass: { force: diag(5 kg, sway, 55 kg), moment: diag(2, 12, 24) kg m^2 }";
    let errors = model(sway);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].starts_with("[H0510] expected a positive mass of `hull` with its added mass along y, found -1599920"),
        "{errors:?}"
    );
    let turning = "added_mass: { force: diag(5, 82, 55) kg, moment: diag(2, 12, -14) kg m^2 }";
    let errors = model(turning);
    assert!(
        errors[0].starts_with("[H0510] expected a positive mass of `hull` with its added mass about z, found 0"),
        "{errors:?}"
    );
}
