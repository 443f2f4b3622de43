//! Motions that are known in closed form.

use hamel::schemes::{self, RungeKutta};
use hamel::{Model, Scheme, Simulation, initial_state};
use hamel_macros::multibody;
use hamel_models::{DrivenPendulum, Sleigh, SleighAbsolute};

/// Outputs at t = `n` · `dt`.
fn run(model: &dyn Model, scheme: &dyn Scheme, n: usize, dt: f64) -> Vec<f64> {
    let mut stepper = scheme.start(model, initial_state(model).unwrap()).unwrap();
    for _ in 0..n {
        stepper.step(dt).unwrap();
    }
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(stepper.state(), &mut outputs);
    outputs
}

/// With u along the edge, ω, and the mass m at a ahead of it: u̇ = a ω², (J + m a²) ω̇ = −m a u ω. From u = 0, ω = Ω
/// follows u = U tanh(b t), ω = Ω / cosh(b t) with U = Ω √((J + m a²)/m), b = a m U / (J + m a²).
#[test]
fn sleigh_turns_into_a_straight_line() {
    let (m, j, a, start): (f64, f64, f64, f64) = (2.0, 0.3, 0.4, 1.5);
    let about_edge = j + m * a * a;
    let speed = start * (about_edge / m).sqrt();
    let rate = a * m * speed / about_edge;
    let expected = |t: f64| [speed * (rate * t).tanh(), start / (rate * t).cosh()];
    let error =
        |outputs: &[f64], t: f64| expected(t).iter().zip(outputs).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    let models: [&dyn Model; 2] = [&Sleigh::default(), &SleighAbsolute::default()];
    for model in models {
        let reference = error(&run(model, &RungeKutta, 200, 0.01), 2.0);
        assert!(reference < 1e-9, "{}: {reference:e}", model.describe().name);
        let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
        let [coarse, fine] = [100, 200].map(|n| error(&run(model, &*scheme, n, 2.0 / n as f64), 2.0));
        let order = (coarse / fine).log2();
        assert!(fine < 1e-4 && order > 1.8, "{}: {coarse:e}, {fine:e}, order {order}", model.describe().name);
    }
}

/// The crank is where its law says, in both pieces of the law and with its rates.
#[test]
fn driven_crank_follows_its_law() {
    let model = DrivenPendulum::default();
    let (run_up, acceleration) = (0.006, 200.0);
    for n in [40, 400] {
        let t = n as f64 * 1e-4;
        let law = if t <= run_up { acceleration * t * t / 2.0 } else { acceleration * run_up * (t - run_up / 2.0) };
        let angle = run(&model, &RungeKutta, n, 1e-4)[2];
        assert!((angle - law).abs() < 1e-12, "t = {t}: {angle} for {law}");
    }
}

multibody! {
    /// A parallelogram drawn in space, where three of the constraints of its last hinge follow from the others. Without
    /// weight it turns at the speed at which it starts.
    model Parallelogram {
        coordinates joint;
        param start = 10 deg;
        body left { mass: 1 kg, inertia: diag(0.01, 0.01, 0.01) kg m^2 }
        body right { mass: 1 kg, inertia: diag(0.01, 0.01, 0.01) kg m^2 }
        body coupler { mass: 1 kg, inertia: diag(0.01, 0.01, 0.01) kg m^2 }
        joint left_foot: revolute(ground, left at [-0.5, 0, 0] m) { coordinate: left_angle }
        joint right_foot: revolute(ground at [2, 0, 0] m, right at [-0.5, 0, 0] m) { coordinate: right_angle }
        joint left_hinge: revolute(left at [0.5, 0, 0] m, coupler at [-1, 0, 0] m);
        joint right_hinge: revolute(coupler at [1, 0, 0] m, right at [0.5, 0, 0] m) { cut }
        initial left_angle = start;
        initial right_angle = start;
        initial left_foot.velocity = 6 rad/s;
        initial right_foot.velocity = 6 rad/s;
    }
}

/// Cranks in line with the coupler leave one gradient more dependent on the others; coordinates are known there to the root
/// of rounding.
#[test]
fn a_parallelogram_in_space_passes_its_dead_centres_at_constant_speed() {
    for start in [10.0_f64, 90.0] {
        let model = Parallelogram::new(ParallelogramParameters { start: start.to_radians() });
        for name in ["radau_iia5", "esdirk436", "generalized_alpha", "bathe", "runge_kutta"] {
            let scheme = hamel::schemes::by_name(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
            for dt in [1e-2, 5e-3, 2e-3, 1e-3] {
                let run = Simulation::new(&model, &*scheme).step(dt).until(2.0).run(initial_state(&model).unwrap());
                let what = format!("{start}°, {name}, h = {dt} s");
                run.outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
                let rates = run.trajectory.column("velocity(left_angle)").unwrap();
                let off = rates.map(|rate| (rate - 6.0).abs()).fold(0.0, f64::max);
                // Close to a dead centre accelerations divide rounding by the sine of the angle that is left.
                assert!(off < 1e-5, "{what}: {off} rad/s");
            }
        }
    }
}
