//! Simulations of instances of one model, whose steps are computed in lanes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::known::Known;
use crate::lanes::Lanes;
use crate::model::{Energy, State};
use crate::together::{Group, InLanes};

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
    let is_simple = |(_, simulation, _): &(&M, Simulation, State)| {
        let is_fixed = matches!(simulation.steps, Some(Steps::Fixed(_)));
        is_fixed && simulation.scheme.advances_in_lanes() && simulation.controllers.is_empty()
    };
    // Idle lanes take as long as others.
    let group = match runs.len() > N / 4 && runs.iter().all(is_simple) {
        true => Group::new(runs.iter().map(|(model, ..)| *model).collect()).ok(),
        false => None,
    };
    let Some(group) = group else {
        return runs.into_iter().map(|(_, simulation, start)| simulation.run(start)).collect();
    };
    let begun = |(model, simulation, start): (&'a M, Simulation<'a>, State)| {
        let is_the_same = std::ptr::addr_eq(simulation.model, model);
        assert!(is_the_same, "a simulation of another model than that beside it");
        let mut going = Going::new(simulation, start.t);
        going.guarded(|going| going.begin(start).map(|()| None));
        going
    };
    let mut runs = InStep { group, runs: runs.into_iter().map(begun).collect() };
    runs.advance();
    runs.runs.into_iter().map(Going::ended).collect()
}

/// Runs that take their steps together.
struct InStep<'a, M: InLanes<N>, const N: usize> {
    group: Group<'a, M, N>,
    runs: Vec<Going<'a>>,
}

impl<M: InLanes<N>, const N: usize> InStep<'_, M, N> {
    fn advance(&mut self) {
        for lane in 0..self.runs.len() {
            self.load(lane);
        }
        // Inputs are functions of the user.
        let mut is_ready = catch_unwind(AssertUnwindSafe(|| self.group.accelerate())).is_ok();
        let (mut known, mut is_first) = (Known::default(), true);
        loop {
            self.runs.iter_mut().filter(|run| run.outcome.is_none()).for_each(|run| run.guarded(Going::end));
            let going = || self.runs.iter().filter(|run| run.outcome.is_none());
            if going().next().is_none() {
                return;
            }
            let is_observed = going().any(Going::records_next);
            let lengths = self.lengths();
            let group = &mut self.group;
            let computed = catch_unwind(AssertUnwindSafe(|| group.step(lengths, is_observed)));
            let is_undefined = match computed {
                Ok(is_undefined) if is_ready => is_undefined,
                _ => [true; N],
            };
            self.group.accept();
            for (lane, run) in self.runs.iter_mut().enumerate().filter(|(_, run)| run.outcome.is_none()) {
                if is_undefined[lane] {
                    run.guarded(|run| run.step(None));
                } else {
                    let end = |state: &mut State| self.group.store(lane, state);
                    self.group.known(lane, is_first, &mut known);
                    run.guarded(|run| run.step(Some(Given { end: &end, known: &known })));
                }
            }
            for lane in (0..self.runs.len()).filter(|&lane| is_undefined[lane]) {
                self.load(lane);
            }
            (is_ready, is_first) = (true, false);
        }
    }

    /// Takes a lane from where its run is.
    fn load(&mut self, lane: usize) {
        if let Some(driver) = self.runs[lane].driver() {
            self.group.load(lane, driver.state());
        }
    }

    /// Of the next steps, s; whatever it is where there is none.
    fn lengths(&self) -> Lanes<N> {
        let length = |lane: usize| self.runs.get(lane)?.driver()?.length();
        Lanes(std::array::from_fn(|lane| length(lane).unwrap_or(0.0)))
    }
}

impl<M: InLanes<N>, const N: usize> Group<'_, M, N> {
    /// What a run needs to know of the end of the last step. The first one begins with accelerations that the run was
    /// given, which need not be those that lanes have found.
    fn known(&self, lane: usize, is_first: bool, known: &mut Known) {
        let (observed, [power, power_halfway]) = self.observed();
        let energy =
            |[kinetic, potential]: [Lanes<N>; 2]| Energy { kinetic: kinetic.0[lane], potential: potential.0[lane] };
        known.energy = observed.energy.map(energy);
        known.power = power.map(|power| power.0[lane]);
        known.power_halfway = power_halfway.map(|power| power.0[lane]).filter(|_| !is_first);
        known.has_outputs = observed.has_outputs;
        known.outputs.clear();
        known.outputs.extend(observed.outputs.iter().map(|output| output.0[lane]));
    }
}
