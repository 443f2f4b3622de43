//! A revolute chain in modified Denavit-Hartenberg form, like a PUMA arm or with all twists, lengths and offsets general.
//!
//! Written in the language of `multibody!` and derived by the compiler; and by hand: from world-frame Jacobians and
//! Christoffel symbols, which is the way that wastes most, and with base parameters, which the language does not have.

use std::fmt::Write;

use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{ExprId, Graph, Stage};

use super::super::Function;
use super::super::dynamics::{Dynamics, State, bias_force, derivatives, write};
use super::algebra::{
    Matrix, Vector, apply, cross, plus, scaled, symbols, symmetric, times, transposed, upper_triangle, zeros,
};
use super::written;

/// Of the joints' axes against the ones before, in quarter turns about x.
const TWISTS: [i64; 6] = [0, -1, 0, -1, 1, -1];
const HAS_LENGTH: [bool; 6] = [false, false, true, true, false, false];
const HAS_OFFSET: [bool; 6] = [false, true, true, true, false, false];

pub(super) fn functions() -> Vec<Function> {
    let derived = |name: &str, joints: usize, is_general: bool, values: fn(&Dynamics, &mut Graph, &State) -> Vector| {
        let model = model(joints, is_general);
        Function::new(name, move |stage| write(&model, stage, values))
    };
    let by_hand = |name: &str, variant: Variant, values: fn(&mut Graph, &Arm) -> Vector| {
        Function::new(name, move |stage| {
            Ok(written(|g| {
                let arm = Arm::new(g, variant, stage);
                values(g, &arm)
            }))
        })
    };
    let like_a_puma = |joints: usize| Variant { joints, is_general: false, has_base_parameters: false };
    let base = Variant { has_base_parameters: true, ..like_a_puma(6) };
    vec![
        derived("arm3 ID", 3, false, forces),
        derived("arm3 M+h", 3, false, mass_and_bias),
        by_hand("arm3 M+h, Lagrange", like_a_puma(3), lagrange),
        derived("arm6 ID", 6, false, forces),
        by_hand("arm6 ID, base parameters", base, inverse_dynamics),
        derived("arm6 M", 6, false, mass),
        derived("arm6 M+h", 6, false, mass_and_bias),
        by_hand("arm6 M+h, Lagrange", like_a_puma(6), lagrange),
        derived("arm6 ID +Jac", 6, false, forces_and_derivatives),
        derived("arm6 GU ID", 6, true, forces),
        by_hand("arm6 GU ID, base parameters", Variant { is_general: true, ..base }, inverse_dynamics),
    ]
}

fn mass(dynamics: &Dynamics, g: &mut Graph, state: &State) -> Vector {
    upper_triangle(&dynamics.matrix(g, (FunctionRole::MassMatrix, Role::MassMatrix), state))
}

fn mass_and_bias(dynamics: &Dynamics, g: &mut Graph, state: &State) -> Vector {
    [mass(dynamics, g, state), bias_force(dynamics, g, state)].concat()
}

fn forces(dynamics: &Dynamics, g: &mut Graph, state: &State) -> Vector {
    dynamics.vector(g, (FunctionRole::InverseDynamics, Role::Force), state)
}

fn forces_and_derivatives(dynamics: &Dynamics, g: &mut Graph, state: &State) -> Vector {
    [forces(dynamics, g, state), derivatives(dynamics, g, state)].concat()
}

/// The arm in the language.
fn model(joints: usize, is_general: bool) -> String {
    let mut text = "pub model Arm { coordinates joint; param g = 9.81 m/s^2; gravity [0, 0, -g];\n".to_owned();
    for k in 0..joints {
        let _ = writeln!(text, "param m{k} = 1 kg; param c{k} = [0, 0, 0] m;");
        for (axes, inertia) in [("xx", 1), ("yy", 1), ("zz", 1), ("xy", 0), ("xz", 0), ("yz", 0)] {
            let _ = writeln!(text, "param i{axes}{k} = {inertia} kg m^2;");
        }
        let _ = writeln!(
            text,
            "body link{k} {{ mass: m{k}, center_of_mass: c{k}, inertia: [[ixx{k}, ixy{k}, ixz{k}], [ixy{k}, iyy{k}, \
             iyz{k}], [ixz{k}, iyz{k}, izz{k}]] about origin }}"
        );
        let length = if k > 0 && (is_general || HAS_LENGTH[k]) { format!("a{k}") } else { "0".to_owned() };
        let offset = if k > 0 && (is_general || HAS_OFFSET[k]) { format!("d{k}") } else { "0".to_owned() };
        for name in [&length, &offset].into_iter().filter(|name| *name != "0") {
            let _ = writeln!(text, "param {name} = 1 m;");
        }
        let (position, rotation) = if k > 0 && is_general {
            let _ = writeln!(text, "param alpha{k} = 1 rad;");
            let position = format!("[{length}, -sin(alpha{k}) * {offset}, cos(alpha{k}) * {offset}]");
            (position, format!("rotation_x(alpha{k})"))
        } else {
            let (sine, cosine) = (TWISTS[k], 1 - TWISTS[k].abs());
            // A plain zero fits every unit.
            let times = |factor: i64| if offset == "0" { offset.clone() } else { format!("{factor} * {offset}") };
            let position = format!("[{length}, {}, {}]", times(-sine), times(cosine));
            (position, format!("[[1, 0, 0], [0, {cosine}, {}], [0, {sine}, {cosine}]]", -sine))
        };
        let parent =
            if k == 0 { "ground".to_owned() } else { format!("link{} at {position} rotated {rotation}", k - 1) };
        let _ = writeln!(text, "joint j{k}: revolute({parent}, link{k}) {{ coordinate: q{k} }}");
    }
    text + "}"
}

/// Inverse dynamics by the recursive Newton-Euler algorithm.
fn inverse_dynamics(g: &mut Graph, arm: &Arm) -> Vector {
    let n = arm.q.len();
    let zero = g.zero();
    let (mut w, mut w_rate) = (vec![zero; 3], vec![zero; 3]);
    let mut acceleration = vec![zero, zero, arm.gravity];
    let (mut forces, mut moments) = (Vec::new(), Vec::new());
    for k in 0..n {
        let (rotation, position) = &arm.frames[k];
        let back = transposed(rotation);
        let tangential = cross(g, &w_rate, position);
        let velocity = cross(g, &w, position);
        let centripetal = cross(g, &w, &velocity);
        let relative = plus(g, &tangential, &centripetal);
        let total = plus(g, &relative, &acceleration);
        acceleration = apply(g, &back, &total);
        let (w_parent, w_rate_parent) = (apply(g, &back, &w), apply(g, &back, &w_rate));
        let (spin, spin_rate) = (vec![zero, zero, arm.qd[k]], vec![zero, zero, arm.qdd[k]]);
        let gyration = cross(g, &w_parent, &spin);
        w = plus(g, &w_parent, &spin);
        let sum = plus(g, &w_rate_parent, &spin_rate);
        w_rate = plus(g, &sum, &gyration);
        let h = &arm.h[k];
        let euler = cross(g, &w_rate, h);
        let wh = cross(g, &w, h);
        let wwh = cross(g, &w, &wh);
        let translation = scaled(g, arm.m[k], &acceleration);
        let force = plus(g, &translation, &euler);
        forces.push(plus(g, &force, &wwh));
        let angular_momentum = apply(g, &arm.inertia[k], &w);
        let rate = apply(g, &arm.inertia[k], &w_rate);
        let gyroscopic = cross(g, &w, &angular_momentum);
        let lever = cross(g, h, &acceleration);
        let moment = plus(g, &rate, &gyroscopic);
        moments.push(plus(g, &moment, &lever));
    }
    let (mut force, mut moment) = (vec![zero; 3], vec![zero; 3]);
    let mut roots = vec![zero; n];
    for k in (0..n).rev() {
        force = plus(g, &force, &forces[k]);
        moment = plus(g, &moment, &moments[k]);
        roots[k] = moment[2];
        (force, moment) = arm.to_parent(g, k, &force, &moment);
    }
    roots
}

/// M and h of the same arm from world-frame Jacobians and Christoffel symbols, the way that wastes most.
fn lagrange(g: &mut Graph, arm: &Arm) -> Vector {
    let n = arm.q.len();
    let (zero, one) = (g.zero(), g.one());
    let mut rotation: Matrix = (0..3).map(|i| (0..3).map(|j| if i == j { one } else { zero }).collect()).collect();
    let mut origin = vec![zero; 3];
    let (mut axes, mut origins): (Vec<Vector>, Vec<Vector>) = (Vec::new(), Vec::new());
    let mut mass = vec![vec![zero; n]; n];
    let mut potential = zero;
    for k in 0..n {
        let (relative, position) = &arm.frames[k];
        let step = apply(g, &rotation, position);
        origin = plus(g, &origin, &step);
        rotation = times(g, &rotation, relative);
        axes.push((0..3).map(|i| rotation[i][2]).collect());
        origins.push(origin.clone());
        let h = apply(g, &rotation, &arm.h[k]);
        let partial = times(g, &rotation, &arm.inertia[k]);
        let inertia = times(g, &partial, &transposed(&rotation));
        let velocities: Vec<Vector> = (0..=k)
            .map(|j| {
                let arm_vector: Vector = (0..3).map(|i| g.sub(origin[i], origins[j][i])).collect();
                cross(g, &axes[j], &arm_vector)
            })
            .collect();
        for i in 0..=k {
            for j in i..=k {
                let speed = g.dot(&velocities[i], &velocities[j]);
                let translation = g.mul(arm.m[k], speed);
                let turned = cross(g, &axes[j], &h);
                let first = g.dot(&velocities[i], &turned);
                let turned = cross(g, &axes[i], &h);
                let second = g.dot(&velocities[j], &turned);
                let spun = apply(g, &inertia, &axes[j]);
                let rotation_part = g.dot(&axes[i], &spun);
                let entry = g.sum(&[mass[i][j], translation, first, second, rotation_part]);
                mass[i][j] = entry;
                mass[j][i] = entry;
            }
        }
        let lifted = g.mul(arm.m[k], origin[2]);
        potential = g.sum(&[potential, lifted, h[2]]);
    }
    let mut roots = upper_triangle(&mass);
    let derivatives: Vec<Matrix> =
        (0..n).map(|k| mass.iter().map(|row| g.jacobian(row, &[arm.q[k]]).concat()).collect()).collect();
    let energy = g.mul(arm.gravity, potential);
    for k in 0..n {
        let mut bias = zero;
        for i in 0..n {
            for j in 0..n {
                let half = g.ratio(1, 2);
                let term = g.mul(half, derivatives[k][i][j]);
                let christoffel = g.sub(derivatives[i][k][j], term);
                let speeds = g.mul(arm.qd[i], arm.qd[j]);
                let term = g.mul(christoffel, speeds);
                bias = g.add(bias, term);
            }
        }
        let weight = g.derivative(energy, arm.q[k]);
        roots.push(g.add(bias, weight));
    }
    roots
}

/// Which arm is written out by hand.
#[derive(Clone, Copy)]
struct Variant {
    joints: usize,
    is_general: bool,
    /// Whether parameters are regrouped to those that forces at the joints determine: no mass, no first moment along
    /// the joint's axis, no inertia about y, and of the first link the inertia about its axis alone.
    has_base_parameters: bool,
}

/// Symbols of the arm; inertias are about the link origins.
struct Arm {
    q: Vector,
    qd: Vector,
    qdd: Vector,
    m: Vector,
    h: Vec<Vector>,
    inertia: Vec<Matrix>,
    gravity: ExprId,
    /// Rotation and position of every link in its parent.
    frames: Vec<(Matrix, Vector)>,
}

impl Arm {
    fn new(g: &mut Graph, variant: Variant, stage: Stage) -> Arm {
        let Variant { joints: n, is_general, has_base_parameters } = variant;
        let q = symbols(g, "q", n, Stage::Position);
        let qd = symbols(g, "qd", n, Stage::Velocity);
        let qdd = symbols(g, "qdd", n, Stage::Acceleration);
        let mut m = symbols(g, "m", n, stage);
        let mut h: Vec<Vector> = (0..n).map(|k| symbols(g, &format!("h{k}_"), 3, stage)).collect();
        let mut inertia: Vec<Matrix> = (0..n).map(|k| symmetric(g, &format!("I{k}"), 3, stage)).collect();
        if has_base_parameters {
            m = vec![g.zero(); n];
            for k in 0..n {
                h[k][2] = g.zero();
                inertia[k][1][1] = g.zero();
            }
            let about_axis = inertia[0][2][2];
            h[0] = vec![g.zero(); 3];
            inertia[0] = zeros(g, 3, 3);
            inertia[0][2][2] = about_axis;
        }
        let gravity = g.symbol("g", stage);
        let parameter = |g: &mut Graph, exists: bool, name: &str, k: usize| {
            if k > 0 && (is_general || exists) { g.symbol(&format!("{name}{k}"), stage) } else { g.zero() }
        };
        let mut frame = |k: usize| {
            let twist = if k > 0 && is_general {
                let angle = g.symbol(&format!("alpha{k}"), stage);
                (g.sin(angle), g.cos(angle))
            } else {
                (g.integer(TWISTS[k]), g.integer(1 - TWISTS[k].abs()))
            };
            let place = (parameter(g, HAS_LENGTH[k], "a", k), parameter(g, HAS_OFFSET[k], "d", k));
            link_frame(g, q[k], twist, place)
        };
        let frames = (0..n).map(&mut frame).collect();
        Arm { q, qd, qdd, m, h, inertia, gravity, frames }
    }

    /// A force and a moment about the origin of link k, seen from its parent.
    fn to_parent(&self, g: &mut Graph, k: usize, force: &Vector, moment: &Vector) -> (Vector, Vector) {
        let (rotation, position) = &self.frames[k];
        let (force, moment) = (apply(g, rotation, force), apply(g, rotation, moment));
        let lever = cross(g, position, &force);
        let moment = plus(g, &moment, &lever);
        (force, moment)
    }
}

/// Rotation and position of a link that turns by q, with the sine and cosine of its twist, its length and its offset.
fn link_frame(
    g: &mut Graph,
    q: ExprId,
    (sine_twist, cosine_twist): (ExprId, ExprId),
    (length, offset): (ExprId, ExprId),
) -> (Matrix, Vector) {
    let (sine, cosine) = (g.sin(q), g.cos(q));
    let (zero, minus_sine, minus_sine_twist) = (g.zero(), g.neg(sine), g.neg(sine_twist));
    let rotation = vec![
        vec![cosine, minus_sine, zero],
        vec![g.mul(sine, cosine_twist), g.mul(cosine, cosine_twist), minus_sine_twist],
        vec![g.mul(sine, sine_twist), g.mul(cosine, sine_twist), cosine_twist],
    ];
    let position = vec![length, g.mul(minus_sine_twist, offset), g.mul(cosine_twist, offset)];
    (rotation, position)
}

#[cfg(test)]
mod tests {
    use super::super::super::Formulas;
    use super::*;
    use hamel_compiler::expr::evaluate;

    /// Values of a function, with every symbol's value from its name.
    fn values(formulas: &Formulas, of: &dyn Fn(&str) -> f64) -> Vec<f64> {
        let point: Vec<f64> = formulas.graph.symbols().iter().map(|symbol| of(&symbol.name)).collect();
        evaluate(&formulas.graph, &formulas.values, &point)
    }

    #[test]
    fn both_ways_are_the_same_function() {
        let value = |name: &str| {
            let hash = name.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
            0.2 + f64::from(hash % 1000) / 1000.0
        };
        const AXES: [[&str; 3]; 3] = [["xx", "xy", "xz"], ["xy", "yy", "yz"], ["xz", "yz", "zz"]];
        let place = |index: &str| index.parse::<usize>().expect("an index");
        // The first moment of a link is its mass times the place of its centre of mass.
        let by_hand = |name: &str| {
            let parts: Vec<&str> = name.split('_').collect();
            match (name.split_at(1), &parts[..]) {
                (("h", _), [link, axis]) => {
                    let (link, axis) = (&link[1..], ["x", "y", "z"][place(axis)]);
                    value(&format!("m{link}")) * value(&format!("c{link}_{axis}"))
                }
                (("I", _), [link, row, column]) => {
                    value(&format!("i{}{}", AXES[place(row)][place(column)], &link[1..]))
                }
                (("q", _), _) => value(&name.replace("qd", "v_").replace("q", "q_")),
                _ => value(name),
            }
        };
        let [derived, lagrange] = ["arm3 M+h", "arm3 M+h, Lagrange"].map(|name| {
            let function = functions().into_iter().find(|function| function.name == name).expect("a case");
            function.write(Stage::Parameter).expect("the compiler accepts its reference models")
        });
        let values = values(&derived, &value).into_iter().zip(values(&lagrange, &by_hand));
        for (derived, lagrange) in values {
            assert!((derived - lagrange).abs() <= 1e-12 * (1.0 + derived.abs()), "{derived} {lagrange}");
        }
    }
}
