//! Every scheme on a pose: position and orientation moved by velocities in the body's own axes.

use hamel::adaptive::{AdaptiveStepper, Control};
use hamel::newton::NewtonMatrix;
use hamel::schemes::{self, RungeKutta, Stability};
use hamel::{Caution, Model, Options, Scheme, Simulation, State, StepError};
use hamel_compiler::parallel;
use hamel_models::double_pendulum::DoublePendulum;
use hamel_models::free_body::FreeBodyJoint;
use hamel_models::heavy_top::{HeavyTop, HeavyTopJoint};
use nalgebra::DVector;

/// The position and orientation after one second, and the most Newton iterations of a step and stage.
fn end(
    model: &dyn Model,
    scheme: &dyn Scheme,
    initial: State,
    steps: u32,
    newton_matrix: Option<NewtonMatrix>,
) -> (DVector<f64>, u32) {
    let options = Options { newton_matrix, ..Options::default() };
    let mut stepper = scheme.start_with(model, initial, &options).expect("a scheme for a free body");
    let mut iterations = 0;
    for _ in 0..steps {
        let stats = stepper.step(1.0 / f64::from(steps)).expect("a step");
        iterations = iterations.max(stats.newton_iterations / scheme.stages());
    }
    (stepper.state().q.clone(), iterations)
}

#[test]
fn every_scheme_keeps_its_order_on_a_pose() {
    let model = FreeBodyJoint::default();
    let initial = hamel::initial_state(&model).expect("a free body starts");
    let (exact, _) = end(&model, &RungeKutta, initial.clone(), 2000, None);
    for entry in schemes::entries().filter(|entry| entry.stability != Stability::Never) {
        let scheme = entry.scheme(&[]).expect("default parameters");
        let error = |steps| (&end(&model, &*scheme, initial.clone(), steps, None).0 - &exact).norm();
        let (coarse, fine) = if scheme.order() > 3 { (25, 50) } else { (100, 200) };
        let order = (error(coarse) / error(fine)).log2();
        assert!((order - f64::from(scheme.order())).abs() < 0.15, "{}: order {order}", scheme.name());
        let (_, iterations) = end(&model, &*scheme, initial.clone(), 100, Some(NewtonMatrix::EveryIteration));
        assert!(iterations <= 4, "{}: {iterations} iterations", scheme.name());
    }
}

/// Angular velocity, position and velocity of the top after a tenth of a second, with steps that a tolerance chooses, and how
/// many these are.
fn top_by_tolerance(model: &dyn Model, scheme: &str, tolerance: f64) -> (DVector<f64>, f64) {
    let scheme = schemes::by_name(scheme, &[]).expect("a scheme");
    let start = hamel::initial_state(model).expect("a top starts");
    let control = Control { first_step: 1e-5, ..Control::tolerance(tolerance) };
    let mut stepper = AdaptiveStepper::new(model, &*scheme, &Options::default(), start, control).expect("an estimate");
    while stepper.state().t < 0.1 {
        stepper.step(0.1).expect("a step");
    }
    let mut outputs = DVector::zeros(model.describe().outputs.len());
    model.outputs(stepper.state(), outputs.as_mut_slice());
    (outputs, stepper.counts()[0] as f64)
}

/// Euler parameters and rotations of the same top end in the same state, within fifty tolerances, or within as many as there
/// are steps where these are of second order.
#[test]
fn the_heavy_top_keeps_tolerances_in_every_formulation() {
    let (absolute, joint) = (HeavyTop::default(), HeavyTopJoint::default());
    let (exact, _) = top_by_tolerance(&joint, "dormand_prince", 1e-13);
    let cases = ["radau_iia5", "esdirk324", "esdirk325", "esdirk436", "generalized_alpha", "lms2", "ss3", "bathe"];
    for name in cases {
        let is_second = schemes::by_name(name, &[]).expect("a scheme").order() == 2;
        for model in [&absolute as &dyn Model, &joint] {
            for tolerance in [1e-4, 1e-6, 1e-8] {
                let (found, steps) = top_by_tolerance(model, name, tolerance);
                // Relative to the spin of 150 rad/s, which moves all.
                let error = (&found - &exact).amax() / 150.0 / tolerance;
                let allowed = if is_second { steps.max(50.0) } else { 50.0 };
                assert!(
                    error < allowed,
                    "{name} on {}, {tolerance:e}: {error} in {steps} steps",
                    model.describe().name
                );
            }
        }
    }
}

/// The energy of a run is that of its start and the work of forces, drives and contacts, but for the scheme's error.
#[test]
fn the_energy_of_every_model_is_accounted_for() {
    parallel::map(hamel_models::ALL, |entry| {
        let model = (entry.build)(&[]).expect("default parameters");
        let start = hamel::initial_state(&*model).expect("a start");
        for name in ["generalized_alpha", "half_explicit"] {
            let scheme = schemes::by_name(name, &[]).expect("a scheme");
            let run = Simulation::new(&*model, &*scheme).step(1e-4).until(0.01).run(start.clone());
            match run.outcome {
                Ok(_) => {}
                // Beams are too stiff for explicit steps of this length.
                Err(StepError::EnergyGained { .. }) if name == "half_explicit" => continue,
                Err(error) => panic!("{}: {error}", entry.name),
            }
            let column = |name: &str| run.trajectory.column(name).expect("a column").collect::<Vec<f64>>();
            let kinetic = column("kinetic_energy").into_iter().fold(0.0, f64::max);
            let left = *column("energy_balance").last().expect("a last row");
            // Heaps collide, with friction, which steps resolve to first order.
            let accuracy = if entry.name == "disc_pile" { 0.02 } else { 5e-3 };
            let allowed = accuracy * kinetic + 1e-9;
            assert!(left.abs() < allowed, "{}, {name}: {left:e} J of {kinetic:e} J", entry.name);
        }
    });
}

/// The state in which a run ends is a start for another run, without a caution about its accelerations.
#[test]
fn ends_of_runs_are_starts() {
    let found = parallel::map(hamel_models::ALL, |entry| {
        let (mut runs, mut trouble) = (0, Vec::new());
        let model = (entry.build)(&[]).expect("default parameters");
        let start = hamel::initial_state(&*model).expect("a start");
        for scheme in schemes::all() {
            let Ok(mut stepper) = scheme.start(&*model, start.clone()) else { continue };
            // Explicit steps of this length are too long for beams.
            if (0..10).any(|_| stepper.step(2e-4).is_err()) {
                continue;
            }
            runs += 1;
            let end = stepper.state().clone();
            let run = Simulation::new(&*model, &*scheme).step(1e-4).until(end.t).run(end);
            let stale = run.cautions.iter().find(|caution| matches!(caution, Caution::Accelerations { .. }));
            let error = match run.outcome {
                // Contacts close at the end of a step, where gaps are below zero by the motion within it.
                Ok(_) | Err(StepError::Penetration { .. }) => stale.map(ToString::to_string),
                Err(error) => Some(error.to_string()),
            };
            trouble.extend(error.map(|what| format!("{}, {}: {what}", entry.name, scheme.name())));
        }
        (runs, trouble)
    });
    let runs: usize = found.iter().map(|(runs, _)| runs).sum();
    let trouble: Vec<String> = found.into_iter().flat_map(|(_, trouble)| trouble).collect();
    assert!(trouble.is_empty(), "{} of {runs}:\n{}", trouble.len(), trouble.join("\n"));
    assert!(runs > 1000, "{runs} runs");
}

/// Schemes say whether they begin with the accelerations of their start.
#[test]
fn schemes_that_do_not_read_accelerations_ignore_them() {
    let model = DoublePendulum::default();
    let start = hamel::initial_state(&model).expect("a start");
    for scheme in schemes::all() {
        let end = |start: State| {
            let mut stepper = scheme.start(&model, start).expect("a smooth model");
            for _ in 0..3 {
                stepper.step(1e-3).expect("a step");
            }
            stepper.state().v.clone()
        };
        let mut other = start.clone();
        other.a.add_scalar_mut(1.0);
        let difference = (end(start.clone()) - end(other)).amax();
        assert_eq!(difference > 1e-9, scheme.reads_accelerations(), "{}: {difference:e} rad/s", scheme.name());
    }
}

/// Where constraints are imposed on velocities, those impulses belong to forces and accelerations that are recorded.
#[test]
fn accelerations_and_multipliers_of_moreau_are_those_of_the_equations_of_motion() {
    let scheme = schemes::by_name("moreau", &[]).expect("a scheme");
    for name in
        ["driven_pendulum", "driven_pendulum_absolute", "slider_crank_absolute", "scotch_yoke", "pendulum_absolute"]
    {
        let model = (hamel_models::find(name).expect("a model").build)(&[]).expect("default parameters");
        let missed = |dt: f64| {
            let mut stepper =
                scheme.start(&*model, hamel::initial_state(&*model).expect("a start")).expect("a stepper");
            (0..10).for_each(|_| assert!(stepper.step(dt).is_ok(), "{name}"));
            let found = stepper.state();
            let mut exact = found.clone();
            hamel::consistent_acceleration(&*model, &mut exact).expect("accelerations");
            [(&found.a, &exact.a), (&found.lambda, &exact.lambda)]
                .map(|(found, exact)| (found - exact).amax() / exact.amax())
        };
        let [coarse, fine] = [missed(2e-4), missed(1e-4)];
        for (what, (coarse, fine)) in ["accelerations", "multipliers"].into_iter().zip(coarse.into_iter().zip(fine)) {
            // To first order.
            assert!(
                fine < 0.1 && fine < 0.6 * coarse + 1e-9,
                "{name}: {what} are wrong by {coarse:.1e} and {fine:.1e}"
            );
        }
    }
}
