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
