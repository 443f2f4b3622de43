//! Matrices are derivatives, rates are rates: everything that a model computes beside its forces, against dual numbers
//! through the function that it is the derivative of.

use hamel::Model;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::expr::{Binary, Scalar};
use hamel_compiler::schedule::interpret::{Interpreter, Point};

use super::ball::{Ball, dot};
use super::findings::Findings;
use super::jet::Jet;
use super::kinematics::{along_velocities, rates};
use super::subject::{Moment, Subject};

/// All laws at a moment.
pub fn check(subject: &Subject, at: &Moment, findings: &mut Findings) {
    residual(subject, at, findings);
    sums(subject, at, findings);
    constraints(subject, at, findings);
    contacts(subject, at, findings);
    conditions(subject, at, findings);
    power(subject, at, findings);
    provided(subject, at, findings);
    linearization(subject, at, findings);
    parameters(subject, at, findings);
}

/// Slopes of values, row by row: one column a direction.
fn slopes(values: &[Jet], directions: usize) -> Vec<Ball> {
    values.iter().flat_map(|value| (0..directions).map(|k| value.slope(k))).collect()
}

fn transposed(matrix: &[Ball], columns: usize) -> Vec<Ball> {
    let rows = matrix.len().checked_div(columns).unwrap_or(0);
    (0..columns).flat_map(|column| (0..rows).map(move |row| matrix[row * columns + column])).collect()
}

/// A matrix, row by row, times a vector.
pub fn product(matrix: &[Ball], vector: &[Ball]) -> Vec<Ball> {
    if vector.is_empty() {
        return Vec::new();
    }
    matrix.chunks(vector.len()).map(|row| dot(row, vector)).collect()
}

fn plus(a: &[Ball], b: &[Ball]) -> Vec<Ball> {
    a.iter().zip(b).map(|(&a, &b)| a + b).collect()
}

/// M, ∂r/∂v, (∂r/∂q) N and G, as Newton's method gets them.
fn residual(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let law = "∂r/∂a, ∂r/∂v, ∂r/∂q, ∂r/∂λ: slopes of r";
    let (nv, nc) = (at.v.len(), at.lambda.len());
    let still = subject.jets(at);
    let linear = |role| subject.output(FunctionRole::Linearization, role, &subject.balls(at));
    let r_of = |point: &Point<Jet>| subject.interpreter().residual(point);
    let by_a = r_of(&Point { a: Jet::variables(&at.a), ..still.clone() }).0;
    let m = linear(Role::MassMatrix);
    findings.same(law, "M", &m, &slopes(&by_a, nv));
    let alone = subject.output(FunctionRole::MassMatrix, Role::MassMatrix, &subject.balls(at));
    findings.same(law, "M of the iteration matrix", &m, &alone);
    findings.same("M is symmetric", "M", &m, &transposed(&m, nv));
    let (by_v, g_by_v) = r_of(&Point { v: Jet::variables(&at.v), ..still.clone() });
    findings.same(law, "∂r/∂v", &linear(Role::Damping), &slopes(&by_v, nv));
    let (by_q, g_by_q) = r_of(&Point { q: along_velocities(subject.blocks(), &at.q, nv), ..still.clone() });
    findings.same(law, "∂r/∂q", &linear(Role::Stiffness), &slopes(&by_q, nv));
    let by_lambda = r_of(&Point { lambda: Jet::variables(&at.lambda), ..still }).0;
    let g = linear(Role::ConstraintJacobian);
    let minus_g: Vec<Ball> = g.iter().map(|&entry| -entry).collect();
    findings.same(law, "−Gᵀ", &transposed(&minus_g, nv), &slopes(&by_lambda, nc));
    let split = subject.position_constraints();
    let exact = [slopes(&g_by_q[..split], nv), slopes(&g_by_v[split..], nv)].concat();
    findings.same("G: slopes of g", "G of the iteration matrix", &g, &exact);
}

/// r = M a + h − f − Gᵀ λ, and T = ½ vᵀ M v.
fn sums(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let point = subject.balls(at);
    let output = |function, role| subject.output(function, role, &point);
    let m = output(FunctionRole::MassMatrix, Role::MassMatrix);
    let h = output(FunctionRole::BiasForce, Role::BiasForce);
    let f = output(FunctionRole::AppliedForce, Role::AppliedForce);
    let g = output(FunctionRole::ConstraintJacobian, Role::ConstraintJacobian);
    let (r, of_g) = subject.interpreter().residual(&point);
    let holding = product(&transposed(&g, at.v.len()), &at.lambda);
    let inertial = product(&m, &at.a);
    let holding = if holding.is_empty() { vec![Ball::ZERO; r.len()] } else { holding };
    let sum: Vec<Ball> = (0..r.len()).map(|k| inertial[k] + h[k] - f[k] - holding[k]).collect();
    findings.same("r = M a + h − f − Gᵀ λ", "r", &r, &sum);
    let split = subject.position_constraints();
    let alone = output(FunctionRole::Constraint, Role::Constraint);
    findings.same("g of the residual", "g", &of_g[..split], &alone[..split]);
    let n = subject.mechanical();
    let moving: Vec<Ball> = at.v.iter().enumerate().map(|(k, &v)| if k < n { v } else { Ball::ZERO }).collect();
    let kinetic = Ball::exact(0.5) * dot(&moving, &product(&m, &moving));
    let found = output(FunctionRole::Energy, Role::KineticEnergy);
    findings.same("T = ½ vᵀ M v", "T", &found, &[kinetic]);
}

/// Coordinates and time on their way with constant velocities.
fn on_the_way(subject: &Subject, at: &Moment) -> Point<Jet> {
    let rates = rates(subject.blocks(), &at.q, &at.v);
    let t = Jet::with_slopes(Ball::exact(at.t), vec![Ball::exact(1.0)]);
    Point { t, q: Jet::moving(&at.q, &rates), ..subject.jets(at) }
}

/// Time alone.
fn later(subject: &Subject, at: &Moment) -> Point<Jet> {
    Point { t: Jet::with_slopes(Ball::exact(at.t), vec![Ball::exact(1.0)]), ..subject.jets(at) }
}

/// Rates of `matrix · v + rate` along a motion with constant velocities.
fn acceleration(subject: &Subject, at: &Moment, function: [FunctionRole; 2], role: [Role; 2]) -> Vec<Ball> {
    let moving = on_the_way(subject, at);
    let matrix = slopes(&subject.output(function[0], role[0], &moving), 1);
    let rate = slopes(&subject.output(function[1], role[1], &moving), 1);
    plus(&product(&matrix, &at.v), &rate)
}

/// G, ∂g/∂t and the rest of g̈, and for constraints on velocities A, b and the rest of their rates.
fn constraints(subject: &Subject, at: &Moment, findings: &mut Findings) {
    use FunctionRole as F;
    if at.lambda.is_empty() {
        return;
    }
    let (nv, split) = (at.v.len(), subject.position_constraints());
    let output = |function, role| subject.output(function, role, &subject.balls(at));
    let g = output(F::ConstraintJacobian, Role::ConstraintJacobian);
    let by_q = Point { q: along_velocities(subject.blocks(), &at.q, nv), ..subject.jets(at) };
    let exact = slopes(&subject.output(F::Constraint, Role::Constraint, &by_q)[..split], nv);
    findings.same("G: slopes of g", "G", &g[..split * nv], &exact);
    let rate = output(F::ConstraintBias, Role::ConstraintRate);
    let exact = slopes(&subject.output(F::Constraint, Role::Constraint, &later(subject, at))[..split], 1);
    findings.same("rates of g", "∂g/∂t", &rate[..split], &exact);
    let speed = plus(&product(&g, &at.v), &rate);
    let of_g = subject.interpreter().residual(&subject.balls(at)).1;
    findings.same("rates of g", "A v + b", &speed[split..], &of_g[split..]);
    let roles = [Role::ConstraintJacobian, Role::ConstraintRate];
    let exact = acceleration(subject, at, [F::ConstraintJacobian, F::ConstraintBias], roles);
    findings.same("rates of g", "g̈ − G a", &output(F::ConstraintBias, Role::ConstraintAcceleration), &exact);
}

/// Gradients of gaps, and the rates of gaps and slips.
fn contacts(subject: &Subject, at: &Moment, findings: &mut Findings) {
    use FunctionRole as F;
    let info = subject.model().describe();
    if info.contacts.is_empty() {
        return;
    }
    let nv = at.v.len();
    let output = |function, role| subject.output(function, role, &subject.balls(at));
    let (w, rate) = (output(F::ContactJacobian, Role::ContactJacobian), output(F::ContactBias, Role::ContactRate));
    let normals: Vec<usize> = info
        .contacts
        .iter()
        .scan(0, |next, contact| {
            let row = *next;
            *next += 1 + contact.tangents;
            Some(row)
        })
        .collect();
    let by_q = Point { q: along_velocities(subject.blocks(), &at.q, nv), ..subject.jets(at) };
    let gradient = slopes(&subject.output(F::ContactGap, Role::ContactGap, &by_q), nv);
    let rows: Vec<Ball> = normals.iter().flat_map(|row| w[row * nv..(row + 1) * nv].to_vec()).collect();
    findings.same("W: slopes of gaps", "Wᵀ", &rows, &gradient);
    let exact = slopes(&subject.output(F::ContactGap, Role::ContactGap, &later(subject, at)), 1);
    let of_normals: Vec<Ball> = normals.iter().map(|&row| rate[row]).collect();
    findings.same("rates of gaps and slips", "∂gap/∂t", &of_normals, &exact);
    let roles = [Role::ContactJacobian, Role::ContactRate];
    let exact = acceleration(subject, at, [F::ContactJacobian, F::ContactBias], roles);
    let found = output(F::ContactBias, Role::ContactAcceleration);
    findings.same("rates of gaps and slips", "the rest of the accelerations", &found, &exact);
}

/// Derivatives of the initial conditions.
fn conditions(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let law = "initial conditions: slopes of their residuals";
    let nv = at.v.len();
    let by_q = Point { q: along_velocities(subject.blocks(), &at.q, nv), ..subject.jets(at) };
    let by_v = Point { v: Jet::variables(&at.v), ..subject.jets(at) };
    for (function, moving) in [(FunctionRole::InitialPosition, by_q), (FunctionRole::InitialVelocity, by_v)] {
        let found = subject.output(function, Role::InitialJacobian, &subject.balls(at));
        let exact = slopes(&subject.output(function, Role::InitialResidual, &moving), nv);
        findings.same(law, "the derivatives", &found, &exact);
    }
}

/// dT/dt + dV/dt = power + v · (r + Gᵀ λ) along any motion: bias forces do no work, and forces with a potential take from it
/// what they give.
fn power(subject: &Subject, at: &Moment, findings: &mut Findings) {
    if subject.stages.simplified.layout.has_unknown_power {
        return findings.remark("power: a potential depends on an input, a velocity or a state");
    }
    let mut moving = on_the_way(subject, at);
    moving.v = Jet::moving(&at.v, &at.a);
    let rate = |role| subject.output(FunctionRole::Energy, role, &moving)[0].slope(0);
    let stored = rate(Role::KineticEnergy) + rate(Role::PotentialEnergy);
    let free = Moment { lambda: vec![Ball::ZERO; at.lambda.len()], ..at.clone() };
    let (r, _) = subject.interpreter().residual(&subject.balls(&free));
    let n = subject.mechanical();
    let given = dot(&at.v[..n], &r[..n]);
    let power = subject.output(FunctionRole::Power, Role::Power, &subject.balls(at))[0];
    findings.same("dT/dt + dV/dt = power + v · r", "the rate of the energy", &[stored], &[power + given]);
    if subject.model().describe().is_conservative {
        findings.same("conservative models have no power", "the power", &[power], &[Ball::ZERO]);
    }
}

/// Functions on request, by those that every model has.
fn provided(subject: &Subject, at: &Moment, findings: &mut Findings) {
    use FunctionRole as F;
    let law = "functions on request: those of the residual";
    let nv = at.v.len();
    let point = Point { tau: at.a.clone(), ..subject.balls(at) };
    let output = |function, role| subject.output(function, role, &point);
    let linear = |role| output(F::Linearization, role);
    let model = subject.model();
    let r_with = |a: &[Ball]| {
        let at = Moment { a: a.to_vec(), ..at.clone() };
        subject.interpreter().residual(&subject.balls(&at)).0
    };
    if model.provides("nonlinear_effects") {
        let found = output(F::NonlinearEffects, Role::NonlinearEffects);
        findings.same(law, "h − f", &found, &r_with(&vec![Ball::ZERO; nv]));
    }
    if model.provides("inverse_dynamics") {
        findings.same(law, "τ", &output(F::InverseDynamics, Role::Force), &r_with(&at.a));
    }
    if model.provides("inverse_dynamics_derivatives") {
        let function = F::InverseDynamicsDerivatives;
        findings.same(law, "∂τ/∂q", &output(function, Role::ForceByPosition), &linear(Role::Stiffness));
        findings.same(law, "∂τ/∂v", &output(function, Role::ForceByVelocity), &linear(Role::Damping));
        findings.same(law, "∂τ/∂a", &output(function, Role::MassMatrix), &linear(Role::MassMatrix));
    }
    if model.provides("inverse_dynamics_second_derivatives") {
        second_derivatives(subject, at, findings);
    }
    if model.provides("forward_dynamics") {
        let a = output(F::ForwardDynamics, Role::Acceleration);
        findings.same(law, "r of forward dynamics", &r_with(&a), &at.a);
    }
    if model.provides("forward_dynamics_derivatives") {
        let function = F::ForwardDynamicsDerivatives;
        let a = output(F::ForwardDynamics, Role::Acceleration);
        let moved = Point { a: a.clone(), ..point.clone() };
        let m = linear(Role::MassMatrix);
        let times = |role| {
            let columns = transposed(&output(function, role), nv);
            transposed(&columns.chunks(nv).flat_map(|column| product(&m, column)).collect::<Vec<_>>(), nv)
        };
        let minus = |role| -> Vec<Ball> {
            subject.output(F::Linearization, role, &moved).into_iter().map(|entry| -entry).collect()
        };
        let one: Vec<Ball> = (0..nv * nv).map(|k| Ball::from_f64(f64::from(u8::from(k % (nv + 1) == 0)))).collect();
        if subject.has_rounded_numbers() {
            // They are differences of rounded products, whose errors nothing tells.
            return findings.remark("functions on request: inverse of numbers that were rounded while it was derived");
        }
        findings.same(law, "M ∂a/∂τ", &times(Role::InverseMassMatrix), &one);
        if model.provides("forward_dynamics") {
            findings.same(law, "M ∂a/∂q", &times(Role::AccelerationByPosition), &minus(Role::Stiffness));
            findings.same(law, "M ∂a/∂v", &times(Role::AccelerationByVelocity), &minus(Role::Damping));
        }
    }
}

/// What a linearisation needs beside the derivatives of the residual.
fn linearization(subject: &Subject, at: &Moment, findings: &mut Findings) {
    use FunctionRole as F;
    if !subject.stages.simplified.layout.is_linearized {
        return;
    }
    let law = "linearisation: slopes of rates, forces and outputs";
    let (nv, still) = (at.v.len(), subject.jets(at));
    let found = |function, role| subject.output(function, role, &subject.balls(at));
    let moved = Point { q: along_velocities(subject.blocks(), &at.q, nv), ..still.clone() };
    let faster = Point { v: Jet::variables(&at.v), ..still.clone() };
    let pulled = Point { a: Jet::variables(&at.a), ..still.clone() };
    let pressed = Point { lambda: Jet::variables(&at.lambda), ..still.clone() };
    let inputs: Vec<Ball> = subject.balls(at).inputs;
    let driven = Point { inputs: Jet::variables(&inputs), ..still.clone() };
    // Rows of G times a vector, and what is left without it.
    let sum = |point: &Point<Jet>, vector: &[Jet], bias: Role| -> Vec<Jet> {
        let g = subject.output(F::ConstraintJacobian, Role::ConstraintJacobian, point);
        let bias = subject.output(F::ConstraintBias, bias, point);
        let row = |(row, bias): (usize, Jet)| {
            let terms = g[row * nv..(row + 1) * nv].iter().zip(vector);
            terms.fold(bias, |sum, (g, x)| sum.binary(Binary::Add, &g.binary(Binary::Mul, x)))
        };
        bias.into_iter().enumerate().map(row).collect()
    };
    if !at.lambda.is_empty() {
        for (what, role, point, bias) in [
            ("∂ġ/∂q", Role::ConstraintRateByPosition, &moved, Role::ConstraintRate),
            ("∂g̈/∂q", Role::ConstraintAccelerationByPosition, &moved, Role::ConstraintAcceleration),
            ("∂g̈/∂v", Role::ConstraintAccelerationByVelocity, &faster, Role::ConstraintAcceleration),
        ] {
            let vector = if bias == Role::ConstraintRate { &point.v } else { &point.a };
            let exact = slopes(&sum(point, vector, bias), nv);
            findings.same(law, what, &found(F::ConstraintDerivatives, role), &exact);
        }
    }
    let along = |at: &Point<Jet>| {
        let w = subject.output(F::ContactJacobian, Role::ContactJacobian, at);
        let rate = subject.output(F::ContactBias, Role::ContactRate, at);
        let row = |(row, rate): (usize, Jet)| {
            let terms = w[row * nv..(row + 1) * nv].iter().zip(&at.v);
            terms.fold(rate, |sum, (w, v)| sum.binary(Binary::Add, &w.binary(Binary::Mul, v)))
        };
        rate.into_iter().enumerate().map(row).collect::<Vec<Jet>>()
    };
    let slips = found(F::ContactDerivatives, Role::ContactRateByPosition);
    findings.same(law, "∂(Wᵀ v)/∂q", &slips, &slopes(&along(&moved), nv));
    let nu = inputs.len();
    let exact = slopes(&subject.interpreter().residual(&driven).0, nu);
    findings.same(law, "∂r/∂u", &found(F::InputDerivatives, Role::ForceByInput), &exact);
    for (what, role, point, count) in [
        ("∂y/∂q", Role::OutputByPosition, &moved, nv),
        ("∂y/∂v", Role::OutputByVelocity, &faster, nv),
        ("∂y/∂a", Role::OutputByAcceleration, &pulled, nv),
        ("∂y/∂λ", Role::OutputByMultiplier, &pressed, at.lambda.len()),
        ("∂y/∂u", Role::OutputByInput, &driven, nu),
    ] {
        let exact = slopes(&subject.output(F::Outputs, Role::Outputs, point), count);
        findings.same(law, what, &found(F::OutputDerivatives, role), &exact);
    }
    let switches = |point: &Point<Jet>| subject.output(F::SwitchingFunctions, Role::Switch, point);
    let by_q = slopes(&switches(&moved), nv);
    findings.same(law, "∂s/∂q", &found(F::SwitchingFunctions, Role::SwitchByPosition), &by_q);
    findings.same(law, "∂s/∂v", &found(F::SwitchingFunctions, Role::SwitchByVelocity), &slopes(&switches(&faster), nv));
    let later = Point { t: Jet::variables(&[subject.balls(at).t]).remove(0), ..still };
    let rates =
        slopes(&switches(&later), 1).into_iter().zip(by_q.chunks(nv)).map(|(rate, by_q)| rate + dot(by_q, &at.v));
    findings.same(law, "ṡ", &found(F::SwitchingFunctions, Role::SwitchRate), &rates.collect::<Vec<_>>());
}

/// Derivatives with respect to parameters, by the slopes of what a model with parameters that vary computes.
fn parameters(subject: &Subject, at: &Moment, findings: &mut Findings) {
    use FunctionRole as F;
    let layout = &subject.stages.simplified.layout;
    if layout.differentiated.is_empty() {
        return;
    }
    let law = "parameters: slopes of r, g, ġ, g̈, outputs and initial conditions";
    let (nv, np) = (at.v.len(), layout.differentiated.len());
    let defaults: Vec<Ball> = hamel_compiler::schedule::interpret::defaults(&subject.stages.schedule);
    let chosen: Vec<Ball> = layout.differentiated.iter().map(|symbol| defaults[symbol.index()]).collect();
    let mut varied = Jet::constants(&defaults);
    for (jet, symbol) in Jet::variables(&chosen).into_iter().zip(&layout.differentiated) {
        varied[symbol.index()] = jet;
    }
    let varied = Interpreter::new(&subject.stages.simplified, &subject.stages.schedule, varied);
    let point = subject.jets(at);
    let varying = |function, role| varied.output(function, role, &point, subject.shape(function, role)).values;
    let found = |function, role| subject.output(function, role, &subject.balls(at));
    let (r, g) = varied.residual(&point);
    findings.same(law, "∂r/∂p", &found(F::ParameterDerivatives, Role::ForceByParameter), &slopes(&r, np));
    findings.same(law, "∂g/∂p", &found(F::ParameterDerivatives, Role::ConstraintByParameter), &slopes(&g, np));
    let jacobian = varying(F::ConstraintJacobian, Role::ConstraintJacobian);
    for (what, role, vector, bias) in [
        ("∂ġ/∂p", Role::ConstraintRateByParameter, &point.v, Role::ConstraintRate),
        ("∂g̈/∂p", Role::ConstraintAccelerationByParameter, &point.a, Role::ConstraintAcceleration),
    ] {
        let bias = varying(F::ConstraintBias, bias);
        let row = |(row, bias): (usize, Jet)| {
            let terms = jacobian[row * nv..(row + 1) * nv].iter().zip(vector);
            terms.fold(bias, |sum, (g, x)| sum.binary(Binary::Add, &g.binary(Binary::Mul, x)))
        };
        let sum: Vec<Jet> = bias.into_iter().enumerate().map(row).collect();
        findings.same(law, what, &found(F::ParameterDerivatives, role), &slopes(&sum, np));
    }
    let gaps = varying(F::ContactGap, Role::ContactGap);
    let by_p = found(F::ContactParameterDerivatives, Role::GapByParameter);
    findings.same(law, "∂(gap)/∂p", &by_p, &slopes(&gaps, np));
    let w = varying(F::ContactJacobian, Role::ContactJacobian);
    let row = |(row, rate): (usize, Jet)| {
        let terms = w[row * nv..(row + 1) * nv].iter().zip(&point.v);
        terms.fold(rate, |sum, (w, v)| sum.binary(Binary::Add, &w.binary(Binary::Mul, v)))
    };
    let rates = varying(F::ContactBias, Role::ContactRate);
    let slips: Vec<Jet> = rates.into_iter().enumerate().map(row).collect();
    let by_p = found(F::ContactParameterDerivatives, Role::ContactRateByParameter);
    findings.same(law, "∂(Wᵀ v)/∂p", &by_p, &slopes(&slips, np));
    let outputs = varying(F::Outputs, Role::Outputs);
    let by_p = found(F::OutputParameterDerivatives, Role::OutputByParameter);
    findings.same(law, "∂y/∂p", &by_p, &slopes(&outputs, np));
    let switches = varying(F::SwitchingFunctions, Role::Switch);
    let by_p = found(F::SwitchingFunctions, Role::SwitchByParameter);
    findings.same(law, "∂s/∂p", &by_p, &slopes(&switches, np));
    for (what, function, role) in [
        ("∂c/∂p of coordinates", F::InitialPosition, Role::InitialPositionByParameter),
        ("∂c/∂p of velocities", F::InitialVelocity, Role::InitialVelocityByParameter),
    ] {
        let residual = varying(function, Role::InitialResidual);
        findings.same(law, what, &found(F::InitialDerivatives, role), &slopes(&residual, np));
    }
    let moved = Point { q: along_velocities(subject.blocks(), &at.q, nv), ..point.clone() };
    let residual = subject.output(F::InitialVelocity, Role::InitialResidual, &moved);
    let by_q = found(F::InitialDerivatives, Role::InitialVelocityByPosition);
    findings.same(law, "∂c/∂q of velocities", &by_q, &slopes(&residual, nv));
}

/// Second derivatives of wᵀ τ, by the slopes of the first ones; accelerations stand for weights.
fn second_derivatives(subject: &Subject, at: &Moment, findings: &mut Findings) {
    let law = "second derivatives: slopes of the first";
    let (nv, still) = (at.v.len(), subject.jets(at));
    let weighted = Point { tau: at.a.clone(), ..subject.balls(at) };
    let moved = Point { q: along_velocities(subject.blocks(), &at.q, nv), ..still.clone() };
    let faster = Point { v: Jet::variables(&at.v), ..still.clone() };
    let pulled = Point { a: Jet::variables(&at.a), ..still };
    for (what, block, first, along) in [
        ("D D wᵀτ", Role::ForceByPositions, Role::ForceByPosition, &moved),
        ("D ∂/∂v wᵀτ", Role::ForceByPositionAndVelocity, Role::ForceByPosition, &faster),
        ("∂²/∂v² wᵀτ", Role::ForceByVelocities, Role::ForceByVelocity, &faster),
        ("D ∂/∂a wᵀτ", Role::ForceByPositionAndAcceleration, Role::ForceByPosition, &pulled),
    ] {
        let first = slopes(&subject.output(FunctionRole::InverseDynamicsDerivatives, first, along), nv);
        let of_rows = transposed(&first, nv * nv);
        let expected: Vec<Ball> = of_rows.chunks(nv).map(|column| dot(column, &at.a)).collect();
        let found = subject.output(FunctionRole::InverseDynamicsSecondDerivatives, block, &weighted);
        findings.same(law, what, &found, &expected);
    }
}
