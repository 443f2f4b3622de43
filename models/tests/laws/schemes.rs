//! Every scheme on a pose: position and orientation moved by velocities in the body's own axes.

use hamel::schemes::{self, RungeKutta, Stability};
use hamel::{Model, Scheme, State};
use hamel_models::free_body::FreeBodyJoint;
use nalgebra::DVector;

/// The position and orientation after one second, and the most Newton iterations of a step and stage.
fn end(model: &dyn Model, scheme: &dyn Scheme, initial: State, steps: u32) -> (DVector<f64>, u32) {
    let mut stepper = scheme.start(model, initial).expect("a scheme for a free body");
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
    let (exact, _) = end(&model, &RungeKutta, initial.clone(), 2000);
    for entry in schemes::entries().filter(|entry| entry.stability != Stability::Never) {
        let scheme = entry.scheme(&[]).expect("default parameters");
        let error = |steps| (&end(&model, &*scheme, initial.clone(), steps).0 - &exact).norm();
        let (coarse, fine) = if scheme.order() > 3 { (25, 50) } else { (100, 200) };
        let order = (error(coarse) / error(fine)).log2();
        assert!((order - f64::from(scheme.order())).abs() < 0.15, "{}: order {order}", scheme.name());
        let (_, iterations) = end(&model, &*scheme, initial.clone(), 100);
        assert!(iterations <= 4, "{}: {iterations} iterations", scheme.name());
    }
}

/// The energy of a run is that of its start and the work of forces, drives and contacts, but for the scheme's error.
#[test]
fn the_energy_of_every_model_is_accounted_for() {
    for entry in hamel_models::ALL {
        let model = (entry.build)(&[]).expect("default parameters");
        let start = hamel::initial_state(&*model).expect("a start");
        for name in ["generalized_alpha", "half_explicit"] {
            let scheme = schemes::by_name(name, &[]).expect("a scheme");
            let run = hamel::Simulation::new(&*model, &*scheme).step(1e-4).until(0.01).run(start.clone());
            match run.outcome {
                Ok(_) => {}
                // Beams are too stiff for explicit steps of this length.
                Err(hamel::StepError::EnergyGained { .. }) if name == "half_explicit" => continue,
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
    }
}
