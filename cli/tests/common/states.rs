//! Models at run time with hostile states, parameters, steps and forces: a run ends well, or with a typed error, and what
//! it has recorded is finite and keeps the constraints.

use std::cell::Cell;

use hamel::adaptive::Control;
use hamel::{
    ContactLaw, Direction, Energy, Event, Model, ModelInfo, Options, ParameterError, Run, Scheme, State, StepError,
};
use hamel::{Simulation, Watchers, consistent_acceleration, equilibrium, initial_state, schemes};

use super::random::Random;

const VALUES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    1e-3,
    1e3,
    -1e3,
    1e-9,
    1e9,
    1e-150,
    1e150,
    -1e150,
    1e-300,
    1e300,
    1e308,
    -1e308,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];
const STEPS: [f64; 16] =
    [1e-3, 1e-3, 1e-2, 1e-2, 0.1, 1.0, 10.0, 1e-6, 1e-12, 1e-300, 1e6, 1e300, 0.0, -1e-3, f64::INFINITY, f64::NAN];
const FORCES: [f64; 6] = [1e3, 1e9, 1e150, 1e308, f64::INFINITY, f64::NAN];
/// Steps of a run as planned, and more than that: of a model, and of a large one.
const MOST_STEPS: [(u32, f64); 2] = [(20, 1e3), (4, 4.0)];
/// How often an adaptive run looks for its event before it finds it.
const MOST_LOOKS: f64 = 2000.5;
/// Velocities beyond which a model is run rarely and shortly: its steps take long.
const LARGE: usize = 40;

/// A model on which a force acts that it knows nothing of.
pub struct Pushed {
    /// The model.
    pub model: Box<dyn Model>,
    /// Along its first velocity.
    pub force: f64,
}

impl Pushed {
    fn push(&self, out: &mut [f64]) {
        if self.force != 0.0
            && let Some(first) = out.first_mut()
        {
            *first += self.force;
        }
    }
}

impl Model for Pushed {
    fn describe(&self) -> &ModelInfo {
        self.model.describe()
    }
    fn validate(&self) -> Result<(), ParameterError> {
        self.model.validate()
    }
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        self.model.mass_matrix(q, out);
    }
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.model.bias_force(q, v, out);
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.model.applied_force(t, q, v, out);
        self.push(out);
    }
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.model.constraint(t, q, out);
    }
    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.model.constraint_jacobian(t, q, out);
    }
    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        self.model.constraint_bias(t, q, v, rate, acceleration);
    }
    fn contact_gap(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.model.contact_gap(t, q, out);
    }
    fn contact_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.model.contact_jacobian(t, q, out);
    }
    fn contact_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        self.model.contact_bias(t, q, v, rate, acceleration);
    }
    fn contact_laws(&self, out: &mut [ContactLaw]) {
        self.model.contact_laws(out);
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy {
        self.model.energy(t, q, v)
    }
    fn power(&self, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
        self.model.power(t, q, v).map(|power| power + v.first().map_or(0.0, |v| self.force * v))
    }
    fn input_values(&self, t: f64, out: &mut [f64]) {
        self.model.input_values(t, out);
    }
    fn outputs(&self, state: &State, out: &mut [f64]) {
        self.model.outputs(state, out);
    }
    fn residual(&self, state: &State, r: &mut [f64], g: &mut [f64]) {
        self.model.residual(state, r, g);
        if self.force != 0.0
            && let Some(first) = r.first_mut()
        {
            *first -= self.force;
        }
    }
    fn iteration_matrix(&self, state: &State, ca: f64, cv: f64, cq: f64, values: &mut [f64]) {
        self.model.iteration_matrix(state, ca, cv, cq, values);
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        self.model.damping(state, out);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        self.model.stiffness(state, out);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        self.model.reference_configuration(q);
    }
    fn singular_angles(&self) -> &[usize] {
        self.model.singular_angles()
    }
    fn n_initial_conditions(&self) -> (usize, usize) {
        self.model.n_initial_conditions()
    }
    fn initial_position(&self, t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        self.model.initial_position(t, q, residual, jacobian);
    }
    fn initial_velocity(&self, t: f64, q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        self.model.initial_velocity(t, q, v, residual, jacobian);
    }
}

/// Every how manyth value is hostile; zero is none.
#[derive(Clone, Copy)]
struct Wildness(usize);

impl Wildness {
    fn is_due(self, random: &mut Random) -> bool {
        self.0 > 0 && random.below(self.0) == 0
    }
}

/// A run with this number: how it ended, or the law that is broken.
pub fn run(seed: u64) -> Result<String, String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0f1e_2d3c_4b5a_6978);
    random.below(2);
    let entry = random.pick(hamel_models::ALL);
    let default = (entry.build)(&[]).map_err(|error| error.to_string())?;
    let info = default.describe();
    if info.velocities.len() > LARGE && random.below(40) > 0 {
        return Ok("left out".to_owned());
    }
    // What is hostile: parameters, forces, the state, the step, or several of these.
    let mut wild = || Wildness([0, 0, 1, 3, 10][random.below(5)]);
    let (of_parameters, of_state, of_schemes) = (wild(), wild(), wild());
    let mut parameters = Vec::new();
    for channel in &info.parameters {
        if of_parameters.is_due(&mut random) {
            parameters.push((channel.name.to_owned(), *random.pick(&VALUES)));
        }
    }
    parameters.truncate(1 + random.below(4));
    let model = (entry.build)(&parameters).map_err(|error| error.to_string())?;
    let force = if random.below(3) == 0 { *random.pick(&FORCES) } else { 0.0 };
    let model = Pushed { model, force };
    let all: Vec<_> = schemes::entries().collect();
    let scheme_entry = random.pick(&all);
    let mut numbers = Vec::new();
    for parameter in scheme_entry.parameters {
        if of_schemes.is_due(&mut random) {
            numbers.push((parameter.name, *random.pick(&VALUES)));
        }
    }
    let scheme = match scheme_entry.scheme(&numbers) {
        Ok(scheme) => scheme,
        Err(error) => return ended(&Err(error)),
    };
    let dt = *random.pick(&STEPS);
    let what =
        format!("{} {parameters:?}, force {force:e}, {} {numbers:?}, h = {dt:e} s", entry.name, scheme_entry.name);
    let mut state = match initial_state(&model) {
        Ok(state) => state,
        Err(error) if random.below(2) == 0 => return ended(&Err(error)),
        Err(_) => {
            let mut state = State::zeros(model.dims());
            model.reference_configuration(state.q.as_mut_slice());
            state
        }
    };
    disturb(&mut state, of_state, &mut random);
    if random.below(8) == 0 {
        // A start of the wrong sizes is refused there as well.
        let _ = consistent_acceleration(&model, &mut state);
    }
    if info.velocities.len() < 10 && random.below(8) == 0 {
        let _ = equilibrium(&model, &state);
    }
    let is_adaptive = scheme.estimates_errors() && random.below(2) == 0;
    let outcome = if is_adaptive {
        adapt(&model, &*scheme, state, dt, &mut random)
    } else if random.below(3) == 0 {
        drive(&model, &*scheme, state, dt, &mut random)
    } else {
        record(&model, &*scheme, state, dt, &mut random)
    };
    outcome.map_err(|sentence| format!("{what}: {sentence}"))
}

/// Values that no state has, or another number of them.
fn disturb(state: &mut State, wildness: Wildness, random: &mut Random) {
    let n = state.q.len().max(1);
    for values in [&mut state.q, &mut state.v, &mut state.a, &mut state.lambda] {
        for value in values.iter_mut() {
            // One value of a large state is enough.
            if wildness.is_due(random) && random.below(n) < 2 {
                *value = match random.below(3) {
                    0 => *random.pick(&VALUES),
                    1 => *value + 1e-9 * random.below(1000) as f64,
                    _ => *value + random.below(100) as f64,
                };
            }
        }
        if wildness.is_due(random) && random.below(40) == 0 {
            let size = [0, 1, values.len() + 1, values.len().saturating_sub(1)][random.below(4)];
            *values = std::mem::take(values).resize_vertically(size, 0.0);
        }
    }
    if wildness.is_due(random) && random.below(6) == 0 {
        state.t = *random.pick(&VALUES);
    }
}

/// A recorded run.
fn record(model: &Pushed, scheme: &dyn Scheme, state: State, dt: f64, random: &mut Random) -> Result<String, String> {
    let (most, limit) = MOST_STEPS[usize::from(model.dims().nv > LARGE)];
    let until = match random.below(12) {
        0 => *random.pick(&VALUES),
        _ => state.t + dt * f64::from(1 + random.below(most as usize) as u32) * [1.0, 1.0, 0.7][random.below(3)],
    };
    // Work that is legitimate and long is none of this.
    let steps = (until - state.t) / dt;
    let until = if steps > limit && steps < 1e11 { state.t + limit.min(10.0) * dt } else { until };
    let every = [1, 1, 2, 7, 1000, 0][random.below(6)];
    let watchers = match random.below(4) {
        0 => Watchers { energy: None, ..Watchers::default() },
        1 => Watchers { constraints: Some(*random.pick(&VALUES)), energy: Some(*random.pick(&VALUES)), finite: true },
        _ => Watchers::default(),
    };
    let run = Simulation::new(model, scheme)
        .options(Options { watchers, ..Options::default() })
        .step(dt)
        .until(until)
        .record_every(every)
        .run(state);
    let largest = judged(&run, until)?;
    if let (Some(limit), Some(largest), Ok(_)) = (watchers.constraints, largest, &run.outcome)
        && largest > limit.max(1e-6)
    {
        return Err(format!("constraints are left by {largest:e}, more than {limit:e}"));
    }
    ended(&run.outcome.map(drop))
}

/// Steps by a tolerance.
fn adapt(model: &Pushed, scheme: &dyn Scheme, state: State, dt: f64, random: &mut Random) -> Result<String, String> {
    const TOLERANCES: [f64; 8] = [1e-3, 1e-4, 1e-5, 0.0, -1.0, f64::NAN, f64::INFINITY, 1e308];
    let control = Control { first_step: dt, ..Control::tolerance(*random.pick(&TOLERANCES)) };
    let until = state.t + (10.0 * dt).clamp(-1.0, 0.05);
    // Motions of high frequency take any number of steps: an event ends them.
    let looks = Cell::new(0_u32);
    let is_enough = |_: &State| {
        looks.set(looks.get() + 1);
        f64::from(looks.get()) - MOST_LOOKS
    };
    let event = Event { function: &is_enough, direction: Direction::Rising, is_terminal: true };
    let run = Simulation::new(model, scheme).control(control).until(until).event(event).run(state);
    judged(&run, until)?;
    ended(&run.outcome.map(drop))
}

/// The largest residual of a constraint that was recorded, if all that was recorded is finite.
fn judged(run: &Run, until: f64) -> Result<Option<f64>, String> {
    let columns = run.trajectory.columns();
    // A balance that is not known is not a number.
    let is_known = |place: usize| columns[place].name != "energy_balance";
    for row in run.trajectory.rows() {
        if let Some(place) = (0..row.len()).find(|&place| !row[place].is_finite() && is_known(place)) {
            return Err(format!(
                "recorded {} = {} at t = {} s, until {until:e} s, ended {:?}",
                columns[place].name, row[place], row[0], run.outcome
            ));
        }
    }
    for caution in &run.cautions {
        let _ = caution.to_string();
    }
    Ok(run.trajectory.column("position_residual").ok().map(|residuals| residuals.fold(0.0, f64::max)))
}

/// Steps one by one, of other lengths as they go.
fn drive(model: &Pushed, scheme: &dyn Scheme, state: State, dt: f64, random: &mut Random) -> Result<String, String> {
    let mut stepper = match scheme.start(model, state) {
        Ok(stepper) => stepper,
        Err(error) => return ended(&Err(error)),
    };
    for _ in 0..=random.below(8) {
        let dt = if random.below(6) == 0 { *random.pick(&STEPS) } else { dt };
        let before = stepper.state().clone();
        match stepper.step(dt) {
            Ok(_) => {
                let state = stepper.state();
                if !(dt > 0.0 && dt.is_finite()) {
                    return Err(format!("a step of {dt} s was done"));
                }
                let values = [&state.q, &state.v, &state.a, &state.lambda];
                if !state.t.is_finite() || values.into_iter().flatten().any(|value| !value.is_finite()) {
                    return Err(format!("a step of {dt:e} s is done, and leads to {state:?}"));
                }
            }
            Err(error) => {
                let state = stepper.state();
                // Contacts that close at the start of a step strike before it, whatever becomes of it.
                let is_struck = stepper.contacts().is_some() && (state.t, &state.q) == (before.t, &before.q);
                if *state != before && !is_struck {
                    return Err(format!("a step of {dt:e} s failed ({error}) and left {state:?} of {before:?}"));
                }
                return ended(&Err(error));
            }
        }
    }
    Ok("driven to its end".to_owned())
}

/// The end in one word.
fn ended(outcome: &Result<(), StepError>) -> Result<String, String> {
    match outcome {
        Ok(()) => Ok("recorded to its end".to_owned()),
        // No function of these models is to panic.
        Err(StepError::Panicked { message, .. }) => Err(format!("a panic: {message}")),
        Err(error) => {
            let text = error.to_string();
            if text.trim().is_empty() {
                return Err("an error without a text".to_owned());
            }
            let word = format!("{error:?}");
            Ok(word.split([' ', '(', '{']).next().unwrap_or_default().to_owned())
        }
    }
}
