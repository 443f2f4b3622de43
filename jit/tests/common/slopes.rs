//! Slopes of motions against differences of runs, and gradients against sensitivities.

use hamel::gradient::{Differentiated, Direction, GradientError, Impacts, Instant, Slopes};
use hamel::nonsmooth::ContactRecord;
use hamel::{ContactLaw, Model, Options, Scheme, initial_state};
use hamel_jit::JitModel;

pub use super::differences::differences;
pub use super::differentiable::{model, options};

/// Equal steps, but for instants that they meet, which make them of different lengths.
pub struct Course {
    pub step: f64,
    pub until: f64,
    pub instants: Vec<f64>,
}

impl Course {
    /// Lengths of the steps.
    pub fn lengths(&self) -> Vec<f64> {
        let mut lengths = Vec::new();
        let mut t = 0.0;
        for end in self.instants.iter().copied().chain([self.until]) {
            let count = ((end - t) / self.step - 1e-6).ceil();
            lengths.extend((0..count as usize).map(|_| (end - t) / count));
            t = end;
        }
        lengths
    }
}

/// Coordinates, velocities, accelerations, multipliers and outputs at the end of a run of equal steps.
/// With what contacts did in each step.
pub fn end(
    model: &JitModel,
    scheme: &dyn Scheme,
    lengths: &[f64],
    options: &Options,
) -> (Vec<f64>, Vec<(u64, Vec<i8>)>) {
    let mut start = initial_state(model).unwrap_or_else(|error| panic!("{error}"));
    hamel::consistent_acceleration(model, &mut start).unwrap();
    let mut stepper = scheme.start_with(model, start, options).unwrap();
    let mut course = Vec::new();
    for &dt in lengths {
        stepper.step(dt).unwrap();
        course.extend(stepper.contacts().map(|record| (record.impacts, rules(model, record))));
    }
    let state = stepper.state();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(state, &mut outputs);
    let values = [state.v.as_slice(), state.a.as_slice(), state.lambda.as_slice(), &outputs].concat();
    (values, course)
}

/// What sensitivities and gradients miss, relative to the largest of each kind.
#[derive(Debug)]
pub struct Missed {
    /// Velocities and outputs against differences.
    pub motion: f64,
    /// Accelerations and multipliers against differences.
    pub forces: f64,
    /// The gradient against sensitivities, and against that of several objectives at once.
    pub gradient: f64,
}

/// Slopes of every quantity by every parameter; differences are over this part of its value.
pub fn missed(
    model: &JitModel,
    scheme: &dyn Scheme,
    options: &Options,
    (course, part): (&Course, f64),
) -> Result<Missed, GradientError> {
    let info = model.describe();
    let motion = Differentiated::new(model, scheme).step(course.step).until(course.until).options(*options);
    let motion = motion.meeting(course.instants.clone()).impacts(Impacts::AtEnds);
    let lengths = course.lengths();
    let directions: Vec<Direction> = (0..info.differentiated.len()).map(Direction::Parameter).collect();
    let mut last = None;
    motion.sensitivities(&directions, &mut |_, changes| last = Some(changes.clone()))?;
    let changes = last.unwrap();
    let nv = info.velocities.len();
    let rules = end(model, scheme, &lengths, options).1;
    let mut worst = [0.0_f64; 2];
    for (column, &place) in info.differentiated.iter().enumerate() {
        let name = &info.parameters[place].name;
        let value = model.parameters()[place];
        let of = |change: f64| {
            let mut other = model.another();
            other.set(&[(name, value + change)]).unwrap();
            end(&other, scheme, &lengths, options)
        };
        let size = value.abs().max(0.1);
        // The largest difference over which all contacts do the same in every step.
        let is_alike = |h: &f64| rules.is_empty() || [*h, -h].map(of).iter().all(|end| end.1 == rules);
        let h = (0..9).map(|k| part * 10_f64.powi(-k) * size).find(is_alike).unwrap();
        let exact = differences(&|change| of(change).0, h);
        let found: Vec<f64> = [&changes.velocity, &changes.acceleration, &changes.multipliers, &changes.outputs]
            .iter()
            .flat_map(|matrix| matrix.column(column).iter().copied().collect::<Vec<_>>())
            .collect();
        let outputs = 2 * nv + info.constraints.len();
        let is_force = |i: &usize| info.outputs[i - outputs].unit.starts_with('N');
        let (loads, others): (Vec<usize>, Vec<usize>) = (outputs..found.len()).partition(is_force);
        let parts = [
            (0, (0..nv).collect()),
            (1, (nv..2 * nv).collect()),
            (1, (2 * nv..outputs).collect()),
            (0, others),
            (1, loads),
        ];
        for (kind, part) in parts {
            let size = part.iter().fold(1e-3_f64, |size, &i| size.max(exact[i].abs()));
            part.iter().for_each(|&i| worst[kind] = worst[kind].max((found[i] - exact[i]).abs() / size));
        }
    }
    // The gradient of a sum over the motion that contains every quantity.
    let weight = |i: usize| 0.3 + (i as f64 * 0.7).sin();
    let objective = |instant: &Instant, slopes: &mut Slopes| {
        let factor = if instant.is_end { 1.0 } else { 10.0 * instant.weight };
        let mut value = 0.0;
        let parts = [
            (&instant.state.v, &mut slopes.velocity),
            (&instant.state.a, &mut slopes.acceleration),
            (&instant.state.lambda, &mut slopes.multipliers),
        ];
        for (values, slopes) in parts {
            for (i, (x, slope)) in values.iter().zip(slopes.iter_mut()).enumerate() {
                value += factor * weight(i) * x;
                *slope = factor * weight(i);
            }
        }
        for (i, y) in instant.outputs.iter().enumerate() {
            value += factor * y * y;
            slopes.outputs[i] = 2.0 * factor * y;
        }
        value
    };
    let gradient = motion.gradient(&objective)?;
    let repeated = motion.clone().checkpoints(3).gradient(&objective)?;
    assert_eq!(repeated, gradient, "{} with three copies", scheme.label());
    // Beside another objective of the same motion.
    let end_speed = |instant: &Instant, slopes: &mut Slopes| {
        slopes.velocity[0] = if instant.is_end { 1.0 } else { 0.0 };
        slopes.velocity[0] * instant.state.v[0]
    };
    let both = motion.gradients(&[&end_speed, &objective])?;
    let alone = [motion.gradient(&end_speed)?, gradient.clone()];
    let mut between = 0.0_f64;
    for (one, alone) in both.iter().zip(&alone) {
        assert_eq!((one.value, &one.end), (alone.value, &alone.end));
        let pairs = one.parameters.iter().chain(&one.velocity).zip(alone.parameters.iter().chain(&alone.velocity));
        let size = alone.parameters.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
        between = pairs.map(|(a, b)| (a - b).abs() / size).fold(between, f64::max);
    }
    let mut forward = vec![0.0; directions.len()];
    let mut step = 0;
    motion.sensitivities(&directions, &mut |state, changes| {
        let length = |step: Option<usize>| step.and_then(|step| lengths.get(step)).copied().unwrap_or(0.0);
        let is_end = step == lengths.len();
        let factor = if is_end { 1.0 } else { 5.0 * (length(step.checked_sub(1)) + length(Some(step))) };
        let mut outputs = vec![0.0; info.outputs.len()];
        model.outputs(state, &mut outputs);
        for (k, sum) in forward.iter_mut().enumerate() {
            for part in [&changes.velocity, &changes.acceleration, &changes.multipliers] {
                *sum += part.column(k).iter().enumerate().map(|(i, x)| factor * weight(i) * x).sum::<f64>();
            }
            *sum +=
                outputs.iter().zip(changes.outputs.column(k).iter()).map(|(y, dy)| factor * 2.0 * y * dy).sum::<f64>();
        }
        step += 1;
    })?;
    let size = forward.iter().fold(1e-12_f64, |size, x| size.max(x.abs()));
    let between = gradient.parameters.iter().zip(&forward).map(|(a, b)| (a - b).abs() / size).fold(between, f64::max);
    Ok(Missed { motion: worst[0], forces: worst[1], gradient: between })
}

/// Whether each contact presses, and whether it slides to one side or the other.
fn rules(model: &JitModel, record: &ContactRecord) -> Vec<i8> {
    let mut laws = vec![ContactLaw::default(); model.describe().contacts.len()];
    model.contact_laws(&mut laws);
    let mut row = 0;
    let mut rules = Vec::new();
    for (contact, law) in model.describe().contacts.iter().zip(laws) {
        let normal = record.forces[row];
        let tangents = &record.forces[row + 1..=row + contact.tangents];
        let size = tangents.iter().map(|force| force * force).sum::<f64>().sqrt();
        let slides = size >= law.friction * normal * (1.0 - 1e-9);
        rules.push(i8::from(normal > 0.0));
        rules.extend(tangents.iter().map(|force| if slides { force.signum() as i8 } else { 0 }));
        row += 1 + contact.tangents;
    }
    rules
}
