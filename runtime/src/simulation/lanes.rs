//! Simulations of instances of one model, whose steps are computed in lanes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::abreast::ABREAST;
use crate::instances::{Instances, are_alike, is_plain};
use crate::known::Known;
use crate::lanes::Lanes;
use crate::model::{Energy, Model, State};
use crate::prelude::*;
use crate::scheme::{Scheme, SideBySide};
use crate::step::StepStats;
use crate::switches::Times;
use crate::together::{Group, InLanes};

use super::abreast::Abreast;
use super::driver::Division;
use super::{Given, Going, Run, Simulation, Steps};

/// Runs simulations of up to N instances, each with its start, as [`Simulation::run`] would run them one by one, and with the
/// digits of that where the lanes of the model have them (those of generated Rust differ in sines and cosines).
///
/// Steps are computed in lanes if the scheme and the model allow it, see [`InLanes`], and the step is fixed; else, and
/// where a lane has no finite result, each instance computes its own. Controllers, and fewer instances than a quarter of
/// the lanes, keep all from lanes.
///
/// # Examples
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         param stiffness = 4 N/m;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #         force spring: spring(ground, block) { stiffness: stiffness }
/// #         initial rail.displacement = 1 m;
/// #     }
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use hamel::schemes::RungeKutta;
/// use hamel::simulation::together;
/// use hamel::{Simulation, initial_state};
///
/// let models = [1.0, 4.0, 9.0].map(|stiffness| Oscillator::new(OscillatorParameters { stiffness }));
/// let simulation = |model| Simulation::new(model, &RungeKutta).step(1e-3).until(1.0);
/// let mut runs = Vec::new();
/// for model in &models {
///     runs.push((model, simulation(model), initial_state(model)?));
/// }
/// for (run, frequency) in together::<_, 4>(runs).into_iter().zip([1.0_f64, 2.0, 3.0]) {
///     run.outcome?;
///     let end = run.trajectory.column("rail.displacement")?.next_back();
///     assert!(end.is_some_and(|end| (end - frequency.cos()).abs() < 1e-10));
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// For more than N instances, and for a simulation of another model than that which stands beside it.
pub fn together<'a, M: InLanes<N>, const N: usize>(runs: Vec<(&'a M, Simulation<'a>, State)>) -> Vec<Run> {
    assert!(runs.len() <= N, "{} instances do not fit in {N} lanes", runs.len());
    for (model, simulation, _) in &runs {
        let is_the_same = core::ptr::addr_eq(simulation.model, *model);
        assert!(is_the_same, "a simulation of another model than that beside it");
    }
    let is_classical = |(_, simulation, _): &(&M, Simulation, State)| {
        simulation.scheme.abreast() == SideBySide::Classical && is_simple(simulation)
    };
    // Idle lanes take as long as others.
    let group = match runs.len() > N / 4 && runs.iter().all(is_classical) {
        true => Group::new(runs.iter().map(|(model, ..)| *model).collect()).ok(),
        false => None,
    };
    let runs = runs.into_iter().map(|(_, simulation, start)| (simulation, start));
    match group {
        Some(group) => {
            let runs: Vec<Going> = runs.map(|(simulation, start)| Going::begun(simulation, start)).collect();
            advance(Classical::new(group, &runs), runs)
        }
        None => abreast(runs.collect()),
    }
}

/// The same for models that have no functions in lanes: these are evaluated one by one, and what schemes, Newton's method
/// and elimination do with their values is computed for [`ABREAST`] instances at once. Digits are those of single runs.
///
/// Steps are computed side by side if the simulations have the same scheme, options, step, beginning and end, if the scheme
/// treats coordinates alike, and if the models differ in nothing but parameters and inputs, and have neither contacts nor
/// rotations. Otherwise, and from a step on that fails or needs another order of elimination, each instance computes its own.
pub fn abreast(runs: Vec<(Simulation, State)>) -> Vec<Run> {
    let mut ended = Vec::with_capacity(runs.len());
    let mut left = runs.into_iter().peekable();
    while left.peek().is_some() {
        let runs: Vec<_> = left.by_ref().take(ABREAST).collect();
        if !fit(&runs) {
            ended.extend(runs.into_iter().map(|(simulation, start)| simulation.run(start)));
            continue;
        }
        let runs: Vec<Going> = runs.into_iter().map(|(simulation, start)| Going::begun(simulation, start)).collect();
        // Those that have ended at the start, and those with equations of their own, do not take part.
        let takes_part = |run: &Going| {
            let driver = run.driver().filter(|_| run.outcome.is_none());
            driver.is_some_and(|driver| driver.stepper().left_out().is_empty())
        };
        let members: Vec<usize> = (0..runs.len()).filter(|&run| takes_part(&runs[run])).collect();
        let models: Vec<&dyn Model> = members.iter().map(|&run| runs[run].simulation.model).collect();
        match members.len() > ABREAST / 4 {
            true => {
                let instances = Instances::new(&models);
                match Abreast::new(&instances, &runs, members) {
                    Some(team) => ended.extend(advance(team, runs)),
                    None => ended.extend(runs.into_iter().map(Going::go_on)),
                }
            }
            false => ended.extend(runs.into_iter().map(Going::go_on)),
        }
    }
    ended
}

/// Whether simulations have steps of equal length, which nothing interrupts: behind jumps accelerations are found anew.
fn is_simple(simulation: &Simulation) -> bool {
    let Some(Steps::Fixed(dt)) = simulation.steps else { return false };
    let end = simulation.until.unwrap_or(f64::INFINITY) + dt;
    let jump = Times::of_jumps(simulation.model).after(f64::NEG_INFINITY);
    simulation.controllers.is_empty() && jump.is_none_or(|jump| jump > end)
}

/// Whether instances of a model can be computed side by side by [`abreast`] in such steps, for so long, s.
///
/// # Examples
/// ```
/// # hamel::multibody! {
/// #     model Oscillator {
/// #         planar;
/// #         coordinates joint;
/// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
/// #         joint rail: prismatic(ground, block);
/// #     }
/// # }
/// use hamel::schemes;
/// use hamel::simulation::{Steps, runs_abreast};
///
/// let scheme = schemes::by_name("generalized_alpha", &[])?;
/// assert!(runs_abreast(&Oscillator::default(), &*scheme, Steps::Fixed(1e-3), 1.0));
/// // Steps that a tolerance chooses differ from instance to instance.
/// assert!(!runs_abreast(&Oscillator::default(), &*scheme, Steps::with_tolerance(1e-6, 1.0), 1.0));
/// # Ok::<(), hamel::StepError>(())
/// ```
pub fn runs_abreast(model: &dyn Model, scheme: &dyn Scheme, steps: Steps, duration: f64) -> bool {
    let (info, Steps::Fixed(dt)) = (model.describe(), steps) else { return false };
    if !info.contacts.is_empty() || !is_plain(model) {
        return false;
    }
    match scheme.abreast() {
        SideBySide::Never => false,
        SideBySide::Always => true,
        SideBySide::WithEqualSteps => Division::new(duration, dt).is_some_and(|division| division.last == division.dt),
        SideBySide::WithClosedForm | SideBySide::Classical => {
            let State { t, q, v, mut a, .. } = State::zeros(model.dims());
            info.constraints.is_empty() && model.acceleration(t, q.as_slice(), v.as_slice(), a.as_mut_slice())
        }
    }
}

/// Whether runs differ in nothing but parameters, inputs and states, and can be computed abreast.
fn fit(runs: &[(Simulation, State)]) -> bool {
    let Some(((first, start), others)) = runs.split_first().filter(|_| runs.len() > ABREAST / 4) else { return false };
    let (Some(steps), Some(until)) = (first.steps, first.until) else { return false };
    let label = first.scheme.label();
    is_simple(first)
        && runs_abreast(first.model, first.scheme, steps, until - start.t)
        && others.iter().all(|(simulation, state)| {
            is_simple(simulation)
                && simulation.steps == first.steps
                && simulation.until == first.until
                && simulation.options == first.options
                && state.t == start.t
                && are_alike(first.model, simulation.model)
                && runs_abreast(simulation.model, simulation.scheme, steps, until - start.t)
                // Labels are names that anyone gives, and schemes without data may share an address.
                && core::ptr::addr_eq(first.scheme, simulation.scheme)
                && simulation.scheme.label() == label
        })
}

/// What computes steps of runs side by side.
pub(super) trait Team {
    /// The next steps, of these lengths, s; nothing for runs that have ended. Which of them have a result.
    fn step(&mut self, lengths: &[Option<f64>], is_observed: bool, has_result: &mut [bool]);
    /// Writes the end of the step of a run.
    fn store(&self, run: usize, state: &mut State);
    /// What is known of that.
    fn known(&self, run: usize, known: &mut Known);
    /// What the step took.
    fn stats(&self, run: usize) -> StepStats;
}

/// Takes all steps of runs that have begun. A run whose step has no result goes on alone.
fn advance<'a>(mut team: impl Team, mut runs: Vec<Going<'a>>) -> Vec<Run> {
    let mut is_aboard = vec![true; runs.len()];
    let (mut lengths, mut has_result) = (vec![None; runs.len()], vec![false; runs.len()]);
    let mut known = Known::default();
    loop {
        let mut is_observed = false;
        for (run, (length, is_aboard)) in runs.iter_mut().zip(lengths.iter_mut().zip(&is_aboard)) {
            *length = None;
            if *is_aboard && run.outcome.is_none() {
                run.guarded(Going::end);
            }
            if *is_aboard && run.outcome.is_none() {
                *length = run.driver().and_then(|driver| driver.length());
                is_observed |= run.records_next();
            }
        }
        if lengths.iter().all(Option::is_none) {
            return runs.into_iter().map(Going::go_on).collect();
        }
        // Inputs are functions of the user.
        has_result.fill(true);
        let step = AssertUnwindSafe(|| team.step(&lengths, is_observed, &mut has_result));
        if catch_unwind(step).is_err() {
            has_result.fill(false);
        }
        for (place, run) in runs.iter_mut().enumerate().filter(|(place, _)| lengths[*place].is_some()) {
            is_aboard[place] = has_result[place];
            if has_result[place] {
                let end = |state: &mut State| team.store(place, state);
                team.known(place, &mut known);
                let given = Given { end: &end, stats: team.stats(place), known: &known };
                run.guarded(|run| run.step(Some(given)));
            }
        }
    }
}

/// The classical scheme of Runge and Kutta, whose steps may differ in length.
struct Classical<'m, M: InLanes<N>, const N: usize> {
    group: Group<'m, M, N>,
    is_ready: bool,
    steps: u64,
}

impl<'m, M: InLanes<N>, const N: usize> Classical<'m, M, N> {
    fn new(mut group: Group<'m, M, N>, runs: &[Going]) -> Self {
        for (lane, driver) in runs.iter().enumerate().filter_map(|(lane, run)| Some((lane, run.driver()?))) {
            group.load(lane, driver.state());
        }
        let is_ready = catch_unwind(AssertUnwindSafe(|| group.accelerate())).is_ok();
        Self { group, is_ready, steps: 0 }
    }
}

impl<M: InLanes<N>, const N: usize> Team for Classical<'_, M, N> {
    fn step(&mut self, lengths: &[Option<f64>], is_observed: bool, has_result: &mut [bool]) {
        if !self.is_ready {
            return has_result.fill(false);
        }
        self.steps += 1;
        let lengths = Lanes(core::array::from_fn(|lane| lengths.get(lane).copied().flatten().unwrap_or(0.0)));
        let is_undefined = self.group.step(lengths, is_observed);
        self.group.accept();
        has_result.iter_mut().zip(is_undefined).for_each(|(has_result, is_undefined)| *has_result = !is_undefined);
    }

    fn store(&self, run: usize, state: &mut State) {
        self.group.store(run, state);
    }

    fn known(&self, run: usize, known: &mut Known) {
        let (observed, [power, power_halfway]) = self.group.observed();
        let energy =
            |[kinetic, potential]: [Lanes<N>; 2]| Energy { kinetic: kinetic.0[run], potential: potential.0[run] };
        known.energy = observed.energy.map(energy);
        known.power = power.map(|power| power.0[run]);
        // The first step begins with accelerations that the run was given, which need not be those that lanes have found.
        known.power_halfway = power_halfway.map(|power| power.0[run]).filter(|_| self.steps > 1);
        known.has_outputs = observed.has_outputs;
        known.outputs.clear();
        known.outputs.extend(observed.outputs.iter().map(|output| output.0[run]));
    }

    fn stats(&self, _run: usize) -> StepStats {
        StepStats::default()
    }
}
