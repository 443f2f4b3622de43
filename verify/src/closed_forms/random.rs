//! Random starts of small models with contacts: whatever the start, a run ends well and obeys laws that no motion breaks,
//! or with a typed error.
//!
//! Bodies fly, touch or overlap; every number follows from a seed.

use hamel::{Model, Scheme, Simulation, State, StepError, consistent_acceleration, schemes};

use super::contacts::{Cradle, CradleParameters, Disc, DiscParameters, Percussion, PercussionParameters};
use super::contacts::{Stack, StackParameters};

/// How a run ended that broke no law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// It reached its end.
    Ok,
    /// Bodies penetrated each other at the start.
    Penetration,
    /// A step was too long to see a contact.
    MissedContact,
    /// No forces obey the laws of contact.
    Contact,
    /// Newton's method found no solution.
    NotConverged,
    /// A watcher ended it because energy came from nowhere.
    EnergyGained,
    /// Any other typed error.
    Other,
}

/// Steps of a run.
const STEPS: u32 = 200;
/// How often a start is drawn that must not overlap.
const DRAWS: u32 = 30;

struct Numbers(u64);

impl Numbers {
    /// In [0, 1).
    fn next(&mut self) -> f64 {
        // Sebastiano Vigna's SplitMix64: neighbouring seeds share no pattern.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }

    /// Zero in one of three cases, otherwise between the bounds.
    fn or_zero(&mut self, least: f64, most: f64) -> f64 {
        let value = least + (most - least) * self.next();
        if self.below(3) == 0 { 0.0 } else { value }
    }

    /// Zero, one, or between.
    fn restitution(&mut self) -> f64 {
        [0.0, 0.5, 1.0, self.next()][self.below(4)]
    }
}

fn model(numbers: &mut Numbers) -> Box<dyn Model> {
    match numbers.below(5) {
        0 => Box::new(Stack::new(StackParameters { restitution: numbers.restitution(), ..Default::default() })),
        1 => Box::new(Cradle::new(CradleParameters::default())),
        2 => {
            let (below_end, restitution) = (1.2 * numbers.next(), numbers.restitution());
            Box::new(Percussion::new(PercussionParameters { below_end, restitution, ..Default::default() }))
        }
        3 => {
            let values = [("restitution", numbers.restitution()), ("friction", numbers.next())];
            let values = values.map(|(name, value)| (name.to_owned(), value));
            let build = hamel_models::find("rocking_block").and_then(|entry| (entry.build)(&values).ok());
            build.unwrap_or_else(|| unreachable!("the model and its parameters exist"))
        }
        _ => Box::new(Disc::new(DiscParameters {
            radius: 0.5 * numbers.next(),
            inertia: 0.1,
            gravity_x: numbers.or_zero(-5.0, 5.0),
            restitution: numbers.restitution(),
            friction: numbers.or_zero(0.0, 1.0),
            ..Default::default()
        })),
    }
}

/// A run from the start with this number.
///
/// # Errors
/// A sentence, where the run ends well and breaks a law, or has no start.
pub fn run(seed: u64) -> Result<End, String> {
    let mut numbers = Numbers(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let model = model(&mut numbers);
    let carrying: Vec<Box<dyn Scheme>> = schemes::all().into_iter().filter(|s| s.carries_contacts()).collect();
    let scheme = &*carrying[numbers.below(carrying.len())];
    let dt = [1e-2, 1e-3][numbers.below(2)];
    let mut state = State::zeros(model.dims());
    model.reference_configuration(state.q.as_mut_slice());
    // Some overlap; most are drawn again until they do not.
    let may_overlap = numbers.below(4) == 0;
    let mut gaps = vec![0.0; model.describe().contacts.len()];
    for _ in 0..DRAWS {
        state.q.iter_mut().for_each(|q| *q = numbers.or_zero(-0.1, 0.8));
        model.contact_gap(state.t, state.q.as_slice(), &mut gaps);
        if may_overlap || gaps.iter().all(|gap| *gap >= 0.0) {
            break;
        }
    }
    state.v.iter_mut().for_each(|v| *v = numbers.or_zero(-2.0, 2.0));
    let what = || format!("seed {seed}, {}, {}, h = {dt} s", model.describe().name, scheme.name());
    consistent_acceleration(&*model, &mut state).map_err(|error| format!("{}: {error}", what()))?;
    let run = Simulation::new(&*model, scheme).step(dt).until(f64::from(STEPS) * dt).run(state);
    match run.outcome {
        Ok(_) => {}
        Err(StepError::Penetration { .. }) => return Ok(End::Penetration),
        Err(StepError::MissedContact { .. }) => return Ok(End::MissedContact),
        Err(StepError::Contact { .. }) => return Ok(End::Contact),
        Err(StepError::NotConverged { .. }) => return Ok(End::NotConverged),
        Err(StepError::EnergyGained { .. }) => return Ok(End::EnergyGained),
        Err(_) => return Ok(End::Other),
    }
    let column = |name: &str| run.trajectory.column(name).into_iter().flatten().collect::<Vec<f64>>();
    let energy: Vec<f64> =
        column("kinetic_energy").iter().zip(column("potential_energy")).map(|(kinetic, rest)| kinetic + rest).collect();
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    // Of all velocities, angular ones with arms below a metre.
    let first = 1 + model.dims().nq;
    let fastest =
        run.trajectory.rows().map(|row| row[first..first + model.dims().nv].iter().map(|v| v.abs()).sum::<f64>());
    let fastest = fastest.fold(0.0, f64::max);
    let (start, end) = (energy[0], energy.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    // An impact comes up to a step late, and changes potential energy by that much.
    let late = dt * (1.0 + fastest);
    let moving = 1.0 + largest(&column("kinetic_energy"));
    if exceeds(end - start, 5.0 * late * moving) {
        return Err(format!("{}: the energy rises from {start:e} J to {end:e} J", what()));
    }
    let deepest = largest(&column("penetration"));
    if exceeds(deepest, 2.0 * late) {
        return Err(format!("{}: contacts close by {deepest:e} at {fastest} m/s", what()));
    }
    let violation = largest(&column("contact_violation"));
    if exceeds(violation, 1e-8 * (1.0 + fastest)) {
        return Err(format!("{}: the laws of contact are violated by {violation:e} m/s", what()));
    }
    Ok(End::Ok)
}

/// Whether a value is above its limit, or not a number.
fn exceeds(value: f64, limit: f64) -> bool {
    value.is_nan() || value > limit
}
