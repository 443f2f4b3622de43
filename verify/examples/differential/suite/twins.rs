//! One mechanism in joint and in absolute coordinates, at the same positions, velocities and accelerations.
//!
//! Nothing needs to be solved for that: the equations in joint coordinates are those of the bodies, projected on the
//! motions that the joints allow, `r = Jᵀ r_bodies`, whatever the accelerations are and whether or not loops are closed.

use hamel::{Attitude, Model, consistent_acceleration};
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::schedule::interpret::Point;
use nalgebra::DMatrix;

use super::ball::{Ball, dot};
use super::case::{BODY_OUTPUTS, bodies};
use super::derivatives::product;
use super::findings::Findings;
use super::jet::Jet;
use super::kinematics::{attitude_rates, euler_angles, euler_parameters};
use super::subject::{Moment, Subject};

/// Beyond this condition, rounding leaves no digit of a solution.
const SINGULAR: f64 = 1e13;

/// The motion of a model's bodies, in the coordinates of another.
struct Carried {
    at: Moment,
    /// Velocities of the bodies by those of the joints, row by row.
    jacobian: Vec<Ball>,
}

/// All laws at a moment of the model in joint coordinates.
pub fn check(joint: &Subject, absolute: &Subject, at: &Moment, findings: &mut Findings) {
    let Some(carried) = carried(joint, absolute, at) else {
        return findings.remark("formulations: no Euler angles of a body at this attitude");
    };
    forces(joint, absolute, at, &carried, findings);
    scalars(joint, absolute, at, &carried, findings);
    constraints(joint, absolute, at, &carried, findings);
    contacts(joint, absolute, at, &carried, findings);
    solutions(joint, absolute, at, &carried, findings);
}

fn names(subject: &Subject) -> Vec<&str> {
    subject.stages.simplified.layout.outputs.iter().map(|channel| channel.name.as_str()).collect()
}

/// Places of the components of an output.
fn places(names: &[&str], output: &str) -> Vec<usize> {
    let is_component =
        |name: &str| name.strip_prefix(output).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '_', '.']));
    (0..names.len()).filter(|&place| is_component(names[place])).collect()
}

/// How rotations of bodies are written in the coordinates of a model; `None` in the plane.
fn attitude(absolute: &Subject) -> Option<Attitude> {
    let has = |ending: &str| absolute.model().describe().coordinates.iter().any(|c| c.name.ends_with(ending));
    match (has(".e0"), has(".theta")) {
        (true, _) => Some(Attitude::EulerParameters),
        (_, true) => Some(Attitude::EulerAngles),
        _ => None,
    }
}

/// A vector in ground axes, in those of a body with this matrix.
fn in_body(r: &[Ball], w: &[Ball]) -> Vec<Ball> {
    (0..3).map(|k| (0..3).fold(Ball::ZERO, |sum, i| sum + r[3 * i + k] * w[i])).collect()
}

/// Coordinates, velocities and accelerations of a body from what it does in ground axes.
fn of_body(attitude: Option<Attitude>, output: &[Vec<Ball>; 6]) -> [Vec<Ball>; 3] {
    let [place, turned, speed, spin, push, twist] = output;
    let both = |a: &[Ball], b: &[Ball]| [a, b].concat();
    let Some(attitude) = attitude else {
        return [both(place, turned), both(speed, spin), both(push, twist)];
    };
    let q = match attitude {
        Attitude::EulerParameters => euler_parameters(turned),
        Attitude::EulerAngles => euler_angles(turned),
    };
    let (w, twist) = (in_body(turned, spin), in_body(turned, twist));
    let rates = attitude_rates(attitude, &q, &w);
    let rates_of_rates = attitude_rates(attitude, &Jet::moving(&q, &rates), &Jet::moving(&w, &twist));
    let second: Vec<Ball> = rates_of_rates.iter().map(|rate| rate.slope(0)).collect();
    [both(place, &q), both(speed, &rates), both(push, &second)]
}

fn carried(joint: &Subject, absolute: &Subject, at: &Moment) -> Option<Carried> {
    let (names, attitude) = (names(joint), attitude(absolute));
    let outputs = joint.output(FunctionRole::Outputs, Role::Outputs, &joint.balls(at));
    let by_v = Point { v: Jet::variables(&at.v), ..joint.jets(at) };
    let by_v = joint.output(FunctionRole::Outputs, Role::Outputs, &by_v);
    let (mut q, mut v, mut a, mut jacobian) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for body in 0..bodies(&joint.text).len() {
        let places = BODY_OUTPUTS.map(|(name, ..)| places(&names, &format!("{name}{body}")));
        let values = places.each_ref().map(|places| places.iter().map(|&place| outputs[place]).collect());
        let [of_q, of_v, of_a] = of_body(attitude, &values);
        let columns = (0..at.v.len()).map(|j| {
            let slope = |places: &[usize]| places.iter().map(|&place| by_v[place].slope(j)).collect::<Vec<_>>();
            let (speed, spin) = (slope(&places[2]), slope(&places[3]));
            let turning = attitude.map_or(spin.clone(), |attitude| {
                let first = of_q.len() - attitude.size();
                attitude_rates(attitude, &of_q[first..], &in_body(&values[1], &spin))
            });
            [speed, turning].concat()
        });
        let columns: Vec<Vec<Ball>> = columns.collect();
        (0..of_v.len()).for_each(|row| jacobian.extend(columns.iter().map(|column| column[row])));
        q.extend(of_q);
        v.extend(of_v);
        a.extend(of_a);
    }
    // First-order states are the same in both.
    let states = joint.stages.simplified.layout.states;
    let last = |values: &[Ball]| values[values.len() - states..].to_vec();
    q.extend(last(&at.q));
    v.extend(last(&at.v));
    a.extend(last(&at.a));
    for state in at.v.len() - states..at.v.len() {
        jacobian.extend((0..at.v.len()).map(|column| Ball::exact(f64::from(u8::from(column == state)))));
    }
    let lambda = vec![Ball::ZERO; absolute.model().dims().nc];
    let at = Moment { t: at.t, q, v, a, lambda };
    let is_known = at.q.iter().chain(&at.v).chain(&at.a).all(|ball| ball.rad.is_finite());
    is_known.then_some(Carried { at, jacobian })
}

/// Rows times the Jacobian.
fn projected(rows: &[Ball], carried: &Carried, nv: usize) -> Vec<Ball> {
    let column = |j: usize| carried.jacobian.iter().skip(j).step_by(nv);
    rows.chunks(carried.at.v.len()).flat_map(|row| (0..nv).map(move |j| dot(row, column(j)))).collect()
}

fn forces(joint: &Subject, absolute: &Subject, at: &Moment, carried: &Carried, findings: &mut Findings) {
    let free = Moment { lambda: vec![Ball::ZERO; at.lambda.len()], ..at.clone() };
    let found = joint.interpreter().residual(&joint.balls(&free)).0;
    let of_bodies = absolute.interpreter().residual(&absolute.balls(&carried.at)).0;
    let expected = projected(&of_bodies, carried, at.v.len());
    findings.same("formulations: virtual work of r", "r and Jᵀ r", &found, &expected);
}

/// Energy, power, and all outputs but those that carry the motion across.
fn scalars(joint: &Subject, absolute: &Subject, at: &Moment, carried: &Carried, findings: &mut Findings) {
    let (a, b) = (joint.balls(at), absolute.balls(&carried.at));
    for role in [Role::KineticEnergy, Role::PotentialEnergy] {
        let of = |subject: &Subject, point| subject.output(FunctionRole::Energy, role, point);
        findings.same("formulations: energy", &format!("{role:?}"), &of(joint, &a), &of(absolute, &b));
    }
    if !joint.stages.simplified.layout.has_unknown_power {
        let of = |subject: &Subject, point| subject.output(FunctionRole::Power, Role::Power, point);
        findings.same("formulations: power", "the power", &of(joint, &a), &of(absolute, &b));
    }
    let of = |subject: &Subject, point| subject.output(FunctionRole::Outputs, Role::Outputs, point);
    let (left, right) = (of(joint, &a), of(absolute, &b));
    let names = [names(joint), names(absolute)];
    // Multipliers, which loads of joints depend on, are none of this motion.
    for (place, name) in names[0].iter().enumerate().filter(|(_, name)| !name.starts_with("load")) {
        if let Some(other) = names[1].iter().position(|known| known == name) {
            findings.same("formulations: outputs", name, &[left[place]], &[right[other]]);
        }
    }
}

/// Rows of constraints on their three levels: g, G by the velocities of the joints, ġ and g̈.
fn levels(subject: &Subject, at: &Moment) -> [Vec<Ball>; 4] {
    use FunctionRole as F;
    let point = subject.balls(at);
    let g = subject.output(F::Constraint, Role::Constraint, &point);
    let jacobian = subject.output(F::ConstraintJacobian, Role::ConstraintJacobian, &point);
    let rate = subject.output(F::ConstraintBias, Role::ConstraintRate, &point);
    let rest = subject.output(F::ConstraintBias, Role::ConstraintAcceleration, &point);
    let sum = |vector: &[Ball], rest: &[Ball]| -> Vec<Ball> {
        product(&jacobian, vector).iter().zip(rest).map(|(&a, &b)| a + b).collect()
    };
    let (speed, acceleration) = (sum(&at.v, &rate), sum(&at.a, &rest));
    [g, jacobian, speed, acceleration]
}

/// Constraints of both models are the same; those of the tree's joints alone are satisfied by its coordinates.
fn constraints(joint: &Subject, absolute: &Subject, at: &Moment, carried: &Carried, findings: &mut Findings) {
    let nv = at.v.len();
    let (a, mut b) = (levels(joint, at), levels(absolute, &carried.at));
    b[1] = projected(&b[1], carried, nv);
    let by_joints = &joint.model().describe().constraints;
    let size = |values: &[Ball]| values.iter().map(|value| value.mid.abs()).fold(1.0, f64::max);
    let sizes = [&carried.at.q, &carried.jacobian, &carried.at.v, &carried.at.a].map(|values| size(values));
    for (row, channel) in absolute.model().describe().constraints.iter().enumerate() {
        let other = by_joints.iter().position(|known| known.name == channel.name);
        for (level, what) in ["g", "G", "ġ", "g̈"].into_iter().enumerate() {
            let width = if level == 1 { nv } else { 1 };
            let of = |levels: &[Vec<Ball>; 4], row: usize| levels[level][row * width..(row + 1) * width].to_vec();
            let found = of(&b, row);
            let what = format!("{what} of {}", channel.name);
            match other {
                Some(other) => findings.same("formulations: constraints", &what, &of(&a, other), &found),
                None => findings.vanishes("formulations: joints are closed", &what, &found, sizes[level]),
            }
        }
    }
}

fn contacts(joint: &Subject, absolute: &Subject, at: &Moment, carried: &Carried, findings: &mut Findings) {
    use FunctionRole as F;
    if joint.model().describe().contacts.is_empty() {
        return;
    }
    let of = |subject: &Subject, at: &Moment| {
        let point = subject.balls(at);
        let output = |function, role| subject.output(function, role, &point);
        let w = output(F::ContactJacobian, Role::ContactJacobian);
        let sum = |vector: &[Ball], rest: Vec<Ball>| -> Vec<Ball> {
            product(&w, vector).iter().zip(rest).map(|(&a, b)| a + b).collect()
        };
        let speed = sum(&at.v, output(F::ContactBias, Role::ContactRate));
        let acceleration = sum(&at.a, output(F::ContactBias, Role::ContactAcceleration));
        (output(F::ContactGap, Role::ContactGap), speed, acceleration, w)
    };
    let law = "formulations: contacts";
    let ((gap, speed, acceleration, w), other) = (of(joint, at), of(absolute, &carried.at));
    findings.same(law, "gaps", &gap, &other.0);
    findings.same(law, "velocities", &speed, &other.1);
    findings.same(law, "accelerations", &acceleration, &other.2);
    findings.same(law, "Wᵀ", &w, &projected(&other.3, carried, at.v.len()));
}

/// Accelerations that satisfy the equations of motion, each with what its residual can mean; `None` where the equations
/// are singular up to rounding, with the condition.
fn solved(subject: &Subject, at: &Moment) -> Result<Vec<Ball>, String> {
    let mut state = at.state();
    consistent_acceleration(subject.model(), &mut state).map_err(|error| format!("not solved: {}", kind(&error)))?;
    let found = |values: &[f64]| values.iter().map(|&value| Ball::exact(value)).collect::<Vec<_>>();
    let (a, lambda) = (found(state.a.as_slice()), found(state.lambda.as_slice()));
    let at = Moment { a, lambda, ..at.clone() };
    let r = subject.interpreter().residual(&subject.balls(&at)).0;
    let rows = [r, levels(subject, &at)[3].clone()].concat();
    let pattern = &subject.model().describe().iteration_matrix;
    let mut values = vec![0.0; pattern.nnz()];
    subject.model().iteration_matrix(&state, 1.0, 0.0, 0.0, &mut values);
    let inverse = inverse(pattern.to_dense(&values))?;
    let error =
        |row: usize| 2.0 * rows.iter().enumerate().map(|(k, r)| inverse[(row, k)].abs() * r.reach()).sum::<f64>();
    Ok(at.a.iter().enumerate().map(|(row, a)| Ball { mid: a.mid, rad: error(row) }).collect())
}

fn kind(error: &dyn std::fmt::Debug) -> String {
    let text = format!("{error:?}");
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

/// The inverse, if the condition of the equilibrated matrix leaves digits of it.
fn inverse(matrix: DMatrix<f64>) -> Result<DMatrix<f64>, String> {
    let n = matrix.nrows();
    let mut scales = vec![1.0_f64; n];
    for _ in 0..4 {
        for row in 0..n {
            let largest = (0..n).map(|k| (scales[row] * matrix[(row, k)] * scales[k]).abs()).fold(0.0, f64::max);
            if largest > 0.0 {
                scales[row] /= largest.sqrt();
            }
        }
    }
    let scaled = DMatrix::from_fn(n, n, |i, k| scales[i] * matrix[(i, k)] * scales[k]);
    let norm = |m: &DMatrix<f64>| m.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    let size = norm(&scaled);
    // Not `try_inverse` of the matrix itself: up to four rows it takes cofactors, which lose the digits of a small pivot.
    let inverse = scaled.lu().try_inverse().ok_or("accelerations: the equations are singular")?;
    if norm(&inverse) * size < SINGULAR {
        Ok(DMatrix::from_fn(n, n, |i, k| scales[i] * inverse[(i, k)] * scales[k]))
    } else {
        Err("accelerations: the condition of the equations exceeds 1e13".to_owned())
    }
}

/// Bodies accelerate in the same way, whichever equations are solved.
fn solutions(joint: &Subject, absolute: &Subject, at: &Moment, carried: &Carried, findings: &mut Findings) {
    let (by_joints, by_bodies) = match (solved(joint, at), solved(absolute, &carried.at)) {
        (Ok(a), Ok(b)) => (a, b),
        (Err(reason), _) | (_, Err(reason)) => return findings.remark(reason),
    };
    let Some(expected) = self::carried(joint, absolute, &Moment { a: by_joints, ..at.clone() }) else { return };
    let n = absolute.mechanical();
    findings.same("formulations: accelerations", "a", &by_bodies[..n], &expected.at.a[..n]);
}
