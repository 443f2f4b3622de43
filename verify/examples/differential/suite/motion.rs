//! Short runs: two schemes lead to the same state, and the energy changes by the work that is done.
//!
//! Each run is repeated with halves of its step, three times. What these differ by tells the order that it has, twice, and
//! bounds its error; a run that does not show its order is repeated with shorter steps. What rounding does is measured by
//! another start, beside the first.

use hamel::newton::Tolerance;
use hamel::{ConstraintLevel, Model, Options, Scheme, State, StepError, initial_state, schemes};

use hamel_compiler::derive::{FunctionRole, Role};
use nalgebra::{DMatrix, DVector};

use super::ball::Ball;
use super::findings::Findings;
use super::random::noise;
use super::subject::{Moment, Subject};

/// Schemes that have nothing in common but the model, with their orders.
const SCHEMES: [(&str, i32); 2] = [("runge_kutta", 4), ("radau_iia5", 5)];
/// Steps of the coarsest run; even, for Simpson's rule.
const STEPS: usize = 8;
/// By how much steps are divided.
const PARTS: [usize; 4] = [1, 2, 4, 8];
/// Coarsest steps, tried in turn, s.
const LENGTHS: [f64; 6] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7];
/// By how much rounding may exceed what one disturbance of the start shows.
const LUCK: f64 = 100.0;
/// Cosine of the angle between two changes that are taken for the same direction.
const ALONG: f64 = 0.9;
/// The same of what is a bound already.
const BOUNDED: f64 = 4.0;
/// Constraints whose rates are beyond this part of their terms contradict each other.
const CONTRADICTION: f64 = 1e-6;
/// Energies below this have been set to zero by a scheme, or might have been, J.
const VANISHING: f64 = 1e-140;
/// Relative size of that disturbance.
const DISTURBED: f64 = 1e-15;

/// The end of a run: coordinates and velocities, and what of the energy is not explained by work.
struct End {
    state: State,
    balance: f64,
    energy: f64,
    /// Whether the rates of all constraints vanish: some are left out if at the start they follow from others.
    is_kept: bool,
}

/// A run with the bounds of its errors.
struct Judged {
    end: End,
    /// Of coordinates and of velocities, in a norm over all of them.
    errors: [f64; 2],
    /// Of the balance of energy.
    balance: f64,
}

/// Both laws.
pub fn check(subject: &Subject, findings: &mut Findings) {
    let model = subject.model();
    if !model.describe().contacts.is_empty() {
        return findings.remark("runs: contacts strike");
    }
    let start = match initial_state(model) {
        Ok(start) => start,
        Err(error) => return findings.remark(format!("runs: no start: {}", kind(&error))),
    };
    for h in LENGTHS {
        let [a, b] = SCHEMES.map(|(name, order)| judged(model, name, order, &start, h));
        let (Ok(Some(a)), Ok(Some(b))) = (a, b) else { continue };
        if !(a.end.is_kept && b.end.is_kept) {
            return findings.remark("runs: constraints contradict each other");
        }
        return compare(subject, &a, &b, h, findings);
    }
    findings.remark("runs: no step is short enough to show the order of a scheme");
}

fn kind(error: &StepError) -> String {
    let text = format!("{error:?}");
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

fn compare(subject: &Subject, a: &Judged, b: &Judged, h: f64, findings: &mut Findings) {
    let (law, what) = ("runs: two schemes", format!("steps of {h:e} s:"));
    let distances = distances(&a.end.state, &b.end.state);
    for (k, name) in ["coordinates", "velocities"].into_iter().enumerate() {
        let values = if k == 0 { &b.end.state.q } else { &b.end.state.v };
        findings.bound(law, &format!("{what} {name}"), distances[k], a.errors[k] + b.errors[k], values.amax());
    }
    if subject.stages.simplified.layout.has_unknown_power {
        return;
    }
    for (run, (scheme, _)) in [a, b].into_iter().zip(SCHEMES) {
        let what = format!("{what} energy, by {scheme},");
        let bound = run.balance + energy_of_errors(subject, run);
        findings.bound("runs: balance of energy", &what, run.end.balance.abs(), bound, run.end.energy.abs());
    }
}

/// What errors of the state change in the energy, which may be more than the balance itself shows by chance, and the rounding
/// of what cancels in it.
fn energy_of_errors(subject: &Subject, run: &Judged) -> f64 {
    let State { t, q, v, a, lambda, .. } = &run.end.state;
    let balls = |values: &DVector<f64>, error: f64| values.iter().map(|&mid| Ball { mid, rad: error }).collect();
    let [of_q, of_v] = run.errors;
    let at = Moment { t: *t, q: balls(q, of_q), v: balls(v, of_v), a: balls(a, 0.0), lambda: balls(lambda, 0.0) };
    let energy = |role| subject.output(FunctionRole::Energy, role, &subject.balls(&at));
    let both = [energy(Role::KineticEnergy), energy(Role::PotentialEnergy)].concat();
    2.0 * both.iter().map(|ball| ball.rad).sum::<f64>()
}

fn distances(a: &State, b: &State) -> [f64; 2] {
    [(&a.q - &b.q).amax(), (&a.v - &b.v).amax()]
}

/// A run with the shortest steps, if it shows the order of its scheme.
fn judged(model: &dyn Model, name: &str, order: i32, start: &State, h: f64) -> Result<Option<Judged>, StepError> {
    let scheme = schemes::by_name(name, &[])?;
    let mut beside = start.clone();
    for (k, value) in beside.q.iter_mut().chain(beside.v.iter_mut()).enumerate() {
        *value *= 1.0 + DISTURBED * noise(k);
    }
    let run = |start: &State, parts: usize| end(model, &*scheme, start, h / parts as f64, STEPS * parts);
    let mut ends = Vec::new();
    for parts in PARTS {
        ends.push(run(start, parts)?);
    }
    let (Some(last), other) = (ends.last(), run(&beside, PARTS[PARTS.len() - 1])?) else { return Ok(None) };
    let disturbed = distances(&last.state, &other.state);
    let (time, solved) = (h * STEPS as f64, rounding_of_accelerations(model, start));
    let rounding = [0, 1].map(|k| LUCK * disturbed[k] + BOUNDED * solved * time.powi(2 - k as i32));
    // Each step ends where Newton's method does.
    let newton = Tolerance::default();
    let steps = (STEPS * PARTS[PARTS.len() - 1]) as f64;
    let values = |end: &End, k: usize| if k == 0 { end.state.q.clone() } else { end.state.v.clone() };
    let errors = [0, 1].map(|k| {
        let size = values(last, k).amax();
        let floor = rounding[k] + LUCK * f64::EPSILON * size + steps * (newton.relative * size + newton.absolute);
        let changes: Vec<_> = ends.windows(2).map(|pair| values(&pair[0], k) - values(&pair[1], k)).collect();
        error(&changes, floor, order)
    });
    let change = |pair: &[End]| DVector::from_element(1, pair[0].balance - pair[1].balance);
    let changes: Vec<_> = ends.windows(2).map(change).collect();
    let floor = LUCK * ((last.balance - other.balance).abs() + f64::EPSILON * last.energy) + VANISHING;
    // The power of drives has the third order of the multipliers by Radau IIA, and Simpson's rule the fourth.
    let balance = error(&changes, floor, order.min(3));
    let ([Some(q), Some(v)], Some(balance)) = (errors, balance) else { return Ok(None) };
    Ok(ends.pop().map(|end| Judged { end, errors: [q, v], balance }))
}

/// A bound of what rounding changes in accelerations: of a body that moves about a far point its inertia is all but lost
/// beside the product of its mass and the square of the distance.
fn rounding_of_accelerations(model: &dyn Model, start: &State) -> f64 {
    let pattern = &model.describe().iteration_matrix;
    let mut values = vec![0.0; pattern.nnz()];
    model.iteration_matrix(start, 1.0, 0.0, 0.0, &mut values);
    let mut matrix = DMatrix::zeros(pattern.rows, pattern.columns);
    pattern.entries().zip(values).for_each(|(place, value)| matrix[place] = value);
    let Some(inverse) = matrix.clone().lu().try_inverse() else { return 0.0 };
    let unknowns = DVector::from_iterator(pattern.rows, start.a.iter().chain(&start.lambda).map(|x| x.abs()));
    let change = inverse.abs() * (matrix.abs() * unknowns) * f64::EPSILON;
    change.rows(0, start.v.len()).amax()
}

/// What is left of an error after all halvings, if they show at least the order below that of the scheme, or nothing but
/// rounding: each changes the result in the same direction, by the power of two less that the order says.
fn error(changes: &[DVector<f64>], floor: f64, order: i32) -> Option<f64> {
    let least = 2.0_f64.powi(order - 1);
    for pair in changes.windows(2) {
        let (coarse, fine) = (&pair[0], &pair[1]);
        if fine.amax() <= floor {
            return Some(2.0 * floor);
        }
        let ratio = coarse.norm() / fine.norm();
        let is_along = coarse.dot(fine) >= ALONG * coarse.norm() * fine.norm();
        if !is_along || ratio < least || ratio > 8.0 * least {
            return None;
        }
    }
    Some(changes.last()?.norm() / (least - 1.0) + floor)
}

fn end(model: &dyn Model, scheme: &dyn Scheme, start: &State, h: f64, steps: usize) -> Result<End, StepError> {
    let options = Options { constraint_level: Some(ConstraintLevel::Velocity), ..Options::default() };
    let mut stepper = scheme.start_with(model, start.clone(), &options)?;
    let energy = |state: &State| model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
    let before = energy(stepper.state());
    let mut work = power(model, stepper.state());
    for step in 1..=steps {
        stepper.step(h)?;
        let weight = if step == steps { 1.0 } else { [2.0, 4.0][step % 2] };
        work += weight * power(model, stepper.state());
    }
    let state = stepper.state().clone();
    let after = energy(&state);
    let is_kept = is_kept(model, &state);
    Ok(End { balance: after - before - work * h / 3.0, energy: after.abs().max(before.abs()), is_kept, state })
}

/// Power of forces and of moving constraints.
fn power(model: &dyn Model, state: &State) -> f64 {
    let nc = state.lambda.len();
    let (mut rate, mut rest) = (vec![0.0; nc], vec![0.0; nc]);
    let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
    model.constraint_bias(t, q, v, &mut rate, &mut rest);
    let driving: f64 = state.lambda.iter().zip(&rate).map(|(lambda, rate)| lambda * rate).sum();
    model.power(t, q, v).unwrap_or(0.0) - driving
}

/// Whether `G v + ∂g/∂t` vanishes in all rows, beside the largest terms.
fn is_kept(model: &dyn Model, state: &State) -> bool {
    let (info, nc) = (model.describe(), state.lambda.len());
    let (mut rate, mut rest, mut jacobian) = (vec![0.0; nc], vec![0.0; nc], vec![0.0; info.constraint_jacobian.nnz()]);
    let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
    model.constraint_bias(t, q, v, &mut rate, &mut rest);
    model.constraint_jacobian(t, q, &mut jacobian);
    let mut largest = rate.iter().fold(0.0_f64, |largest, rate| largest.max(rate.abs()));
    for ((row, column), value) in info.constraint_jacobian.entries().zip(jacobian) {
        rate[row] += value * v[column];
        largest = largest.max((value * v[column]).abs());
    }
    rate.iter().all(|rate| rate.abs() <= CONTRADICTION * largest)
}
