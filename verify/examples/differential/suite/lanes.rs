//! Runs of several instances in lanes have every bit of those one by one.

use hamel::simulation::{Simulation, Steps, runs_abreast, together};
use hamel::{Model, Run, Scheme, State, initial_state, schemes};
use hamel_jit::{JitModel, LANES};

use super::findings::Findings;
use super::random::noise;
use super::subject::Subject;

const LAW: &str = "lanes: runs have the bits of single runs";
/// Length of a step, s, and their number.
const STEP: f64 = 1e-2;
const STEPS: usize = 12;

/// Beside the classical scheme, which has lanes of its own.
const SCHEMES: [&str; 4] = ["runge_kutta", "generalized_alpha", "esdirk324", "radau_iia3"];

/// The law, for machine code of each level.
pub fn check(subject: &Subject, findings: &mut Findings) {
    for model in &subject.models {
        for scheme in SCHEMES.into_iter().filter_map(|name| schemes::by_name(name, &[]).ok()) {
            match runs_abreast(model, &*scheme, Steps::Fixed(STEP), STEP * STEPS as f64) {
                true => compare(model, &*scheme, findings),
                false => findings.remark(format!("lanes: not by {}", scheme.name())),
            }
        }
    }
}

fn compare(model: &JitModel, scheme: &dyn Scheme, findings: &mut Findings) {
    let instances: Vec<JitModel> = (0..LANES).map(|lane| instance(model, lane)).collect();
    let run = |model| Simulation::new(model, scheme).step(STEP).until(STEP * STEPS as f64);
    let starts: Vec<State> = instances.iter().enumerate().map(|(lane, model)| start(model, lane)).collect();
    let runs = instances.iter().zip(&starts).map(|(model, start)| (model, run(model), start.clone())).collect();
    for (lane, (found, (model, start))) in
        together::<_, LANES>(runs).iter().zip(instances.iter().zip(starts)).enumerate()
    {
        let expected = run(model).run(start);
        findings.count(LAW, said(found).0.len());
        if said(found) != said(&expected) {
            let (found, expected) = (&found.outcome, &expected.outcome);
            let sentence = format!("{}, lane {lane}: {found:?} instead of {expected:?}", scheme.name());
            return findings.fail(LAW, sentence);
        }
    }
}

/// The same model with other parameters.
fn instance(model: &JitModel, lane: usize) -> JitModel {
    let mut instance = model.another();
    let other = |(place, value): (usize, &f64)| value * (1.0 + 0.1 * noise(1000 * lane + place));
    let values = model.parameters().iter().enumerate().map(other);
    let parameters: Vec<(String, f64)> =
        model.describe().parameters.iter().map(|channel| channel.name.clone()).zip(values).collect();
    // Names are its own.
    let _ = instance.set(&parameters);
    instance
}

/// A start with velocities; of some lanes so large that they may lead to no number.
fn start(model: &JitModel, lane: usize) -> State {
    let mut state = initial_state(model).unwrap_or_else(|_| State::zeros(model.dims()));
    let size = if lane % 4 == 3 { 1e100 } else { 1.0 };
    state.v.iter_mut().enumerate().for_each(|(place, v)| *v += size * noise(77 * lane + place));
    state
}

/// All that a run has found out, with every bit.
fn said(run: &Run) -> (Vec<u64>, String) {
    let bits = run.trajectory.rows().flatten().map(|value| value.to_bits()).collect();
    (bits, format!("{:?} {:?} {}", run.outcome, run.cautions, run.accepted))
}
