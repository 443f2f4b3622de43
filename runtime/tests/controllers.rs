//! Simulations with controllers, events at fixed steps, progress and cancellation.

use std::cell::RefCell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{self, Driven};
use hamel::initial_state;
use hamel::nonsmooth::{ContactOptions, InitialAcceleration};
use hamel::schemes::{self, RungeKutta};
use hamel::{
    Block, Caution, Direction, Energy, Event, Model, ModelInfo, Options, Signal, Simulation, State, StepError,
};

const PERIOD: f64 = 0.05;
const CALLS: usize = 40;

/// Averages of rates that belong to instants between the steps begin with the rates of the start, so that the first step
/// after a jump is of first order.
const STARTS_ROUGHLY: [&str; 3] = ["ss2", "ss3", "ss4"];

fn law(x: f64, v: f64) -> f64 {
    6.0 * (1.0 - x) - 3.0 * v
}

/// Position and velocity after so many calls of the controller: between calls the force is constant.
fn exact(calls: usize) -> [f64; 2] {
    (0..calls).fold([0.0, 0.0], |[x, v], _| {
        let force = law(x, v);
        [x + PERIOD * v + 0.5 * PERIOD * PERIOD * force, v + PERIOD * force]
    })
}

/// Motions with constant forces are exact for every scheme of second order, so that what a scheme keeps of the time
/// before a jump would show.
#[test]
fn sampled_control_is_exact_for_all_schemes() {
    let mut tried = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if scheme.order() < 2 {
            continue;
        }
        for steps_per_call in [1, 3] {
            let allowed = if STARTS_ROUGHLY.contains(&entry.name) { 0.1 * PERIOD } else { 1e-9 };
            let (force, held) = Signal::held(f64::NAN);
            let model = Driven { force, has_floor: false };
            let run = Simulation::new(&model, &*scheme)
                .step(PERIOD / f64::from(steps_per_call))
                .until(PERIOD * CALLS as f64)
                .record_every(steps_per_call as usize)
                .controller(PERIOD, [&held], |state| [law(state.q[0], state.v[0])])
                .run(Driven::initial());
            assert!(run.outcome.is_ok(), "{}: {:?}", scheme.name(), run.outcome);
            assert_eq!(run.trajectory.len(), CALLS + 1);
            // The start is recorded with the first inputs: the mass accelerates by 6 N / 1 kg, and its energy is balanced.
            assert_eq!(run.trajectory.rows().next().unwrap()[1..4], [0.0, 0.0, 6.0], "{}", scheme.name());
            for balance in run.trajectory.column("energy_balance").unwrap() {
                assert!(balance.abs() < allowed, "{}: {balance:e} J", scheme.name());
            }
            for (calls, row) in run.trajectory.rows().enumerate() {
                for (found, expected) in row[1..].iter().zip(exact(calls)) {
                    let error = (found - expected).abs();
                    assert!(error < allowed, "{}: {error:e} after {calls} calls", scheme.name());
                }
            }
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

/// A mass in the plane on two rails that are the same, so that one of them is redundant: y = 0, twice.
struct Railed {
    force: Signal,
}

impl Model for Railed {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 2] = ["x", "y"];
        const RAILS: [&str; 2] = ["rail", "same rail"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            common::full_info("Railed", &COORDINATES, &COORDINATES, &RAILS, &[Block::Vector { size: 2 }])
        });
        &INFO
    }
    fn mass_matrix(&self, _q: &[f64], out: &mut [f64]) {
        common::fill(&self.describe().mass_matrix, out, |row, column| if row == column { 1.0 } else { 0.0 });
    }
    fn bias_force(&self, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn applied_force(&self, t: f64, _q: &[f64], _v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[self.force.value(t), -Driven::GRAVITY]);
    }
    fn constraint(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(q[1]);
    }
    fn constraint_jacobian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        common::fill(&self.describe().constraint_jacobian, out, |_, column| column as f64);
    }
    fn constraint_bias(&self, _t: f64, _q: &[f64], _v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate.fill(0.0);
        acceleration.fill(0.0);
    }
    fn energy(&self, _t: f64, q: &[f64], v: &[f64]) -> Energy {
        Energy { kinetic: 0.5 * (v[0] * v[0] + v[1] * v[1]), potential: Driven::GRAVITY * q[1] }
    }
    fn damping(&self, _state: &State, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn stiffness(&self, _state: &State, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        q.fill(0.0);
    }
    common::assembled_from_parts!();
    common::without_initial_conditions!();
}

/// Controllers of a model with a redundant constraint: each of the two rails bears half of the weight.
#[test]
fn redundant_constraints_do_not_disturb_controllers() {
    let (force, held) = Signal::held(0.0);
    let model = Railed { force };
    let start = initial_state(&model).unwrap();
    let mut tried = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if scheme.order() < 2 || STARTS_ROUGHLY.contains(&entry.name) || scheme.start(&model, start.clone()).is_err() {
            continue;
        }
        let run = Simulation::new(&model, &*scheme)
            .step(PERIOD / 2.0)
            .until(PERIOD * CALLS as f64)
            .record_every(2)
            .controller(PERIOD, [&held], |state| [law(state.q[0], state.v[0])])
            .run(start.clone());
        assert!(run.outcome.is_ok(), "{}: {:?}", scheme.name(), run.outcome);
        let rows = run.trajectory.column("x").unwrap().zip(run.trajectory.column("multiplier(rail)").unwrap());
        for (calls, (x, lambda)) in rows.enumerate() {
            let error = (x - exact(calls)[0]).abs();
            assert!(error < 1e-9, "{}: {error:e} after {calls} calls", scheme.name());
            let error = (lambda - 0.5 * Driven::GRAVITY).abs();
            assert!(error < 1e-6, "{}: {error:e} N after {calls} calls", scheme.name());
        }
        tried += 1;
    }
    assert!(tried > 25, "{tried}");
}

/// The state from which a controller asks for what is not finite is recorded, whatever is recorded else.
#[test]
fn a_failing_controller_loses_nothing() {
    let (force, held) = Signal::held(0.0);
    let model = Driven { force, has_floor: false };
    let run = Simulation::new(&model, &RungeKutta)
        .step(0.01)
        .until(1.0)
        .record_every(1000)
        .controller(0.1, [&held], |state| [if state.t > 0.45 { f64::NAN } else { 2.0 }])
        .run(Driven::initial());
    assert!(matches!(&run.outcome, Err(StepError::BadInput { input, .. }) if input == "force"), "{:?}", run.outcome);
    let last = run.trajectory.rows().next_back().unwrap();
    assert!((last[0] - 0.5).abs() < 1e-12 && (last[1] - 0.25).abs() < 1e-12, "{last:?}");
}

#[test]
fn adaptive_steps_end_where_a_controller_is_due() {
    let (force, held) = Signal::held(0.0);
    let model = Driven { force, has_floor: false };
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let called = RefCell::new(Vec::new());
    let run = Simulation::new(&model, &*scheme)
        .tolerance(1e-8)
        .until(PERIOD * CALLS as f64)
        .controller(PERIOD, [&held], |state| {
            called.borrow_mut().push(state.t);
            [law(state.q[0], state.v[0])]
        })
        .run(Driven::initial());
    assert!(run.outcome.is_ok(), "{:?}", run.outcome);
    let called = called.into_inner();
    assert_eq!(called.len(), CALLS);
    for (call, t) in called.iter().enumerate() {
        assert!((t - PERIOD * call as f64).abs() < 1e-12, "{call}: {t}");
    }
    let last: Vec<f64> = run.trajectory.rows().next_back().unwrap()[1..3].to_vec();
    for (found, expected) in last.iter().zip(exact(CALLS)) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// The mass rests on the floor while the force is less than its weight, and leaves it when a controller says so: from
/// then on x = g τ²/2. The floor bears what is left of the weight.
#[test]
fn controllers_lift_what_rests_on_a_contact() {
    let (lift_at, h) = (0.1, 1e-3);
    let mut tried = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if !scheme.carries_contacts() {
            continue;
        }
        // Forces that are means over two instants take some steps to forget a jump.
        let is_mean = ["hht", "generalized_alpha"].contains(&entry.name);
        let (force, held) = Signal::held(0.0);
        let model = Driven { force, has_floor: true };
        let lift = |state: &State| {
            let call = (state.t / 0.01).round();
            [Driven::GRAVITY * if state.t > lift_at - 0.5 * h { 2.0 } else { 0.2 + 0.3 * (call % 2.0) }]
        };
        let contacts = ContactOptions { initial_acceleration: InitialAcceleration::Consistent, ..Default::default() };
        let run = Simulation::new(&model, &*scheme)
            .options(Options { contacts, ..Options::default() })
            .step(h)
            .until(0.3)
            .controller(0.01, [&held], lift)
            .run(Driven::initial());
        assert!(run.outcome.is_ok(), "{}: {:?}", scheme.name(), run.outcome);
        let forces = run.trajectory.column("normal_force(floor)").unwrap();
        let x = run.trajectory.column("x").unwrap();
        for ((t, x), force) in run.trajectory.times().zip(x).zip(forces).skip(1) {
            let tau: f64 = (t - lift_at).max(0.0);
            let expected = 0.5 * Driven::GRAVITY * tau * tau;
            // A step of delay moves the mass by g τ h.
            let allowed = 1e-9 + if scheme.order() < 2 || is_mean { 1.01 * Driven::GRAVITY * tau * h } else { 0.0 };
            assert!((x - expected).abs() <= allowed, "{}: {x} for {expected} at {t} s", scheme.name());
            let call = ((t - 0.5 * h) / 0.01).floor();
            let share = if t > lift_at + 0.5 * h { 0.0 } else { 0.8 - 0.3 * (call % 2.0) };
            let expected = share * Driven::GRAVITY;
            // A force that is a mean over two instants takes some steps to forget a jump.
            let is_checked = !["hht", "generalized_alpha"].contains(&entry.name) || t > lift_at + 0.5 * h;
            assert!(
                !is_checked || (force - expected).abs() < 1e-6,
                "{}: {force} N for {expected} N at {t} s",
                scheme.name()
            );
        }
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn controllers_that_make_no_sense_are_refused() {
    let run = |step: f64, period: f64, value: f64| {
        let (force, held) = Signal::held(0.0);
        let model = Driven { force, has_floor: false };
        let simulation = Simulation::new(&model, &RungeKutta).step(step).until(1.0);
        simulation.controller(period, [&held], |_| [value]).run(Driven::initial()).outcome
    };
    assert!(run(0.01, 0.1, 1.0).is_ok());
    for (step, period) in [(0.03, 0.1), (0.1, 0.01), (0.01, 0.0), (0.01, -1.0), (0.01, f64::NAN)] {
        let outcome = run(step, period, 1.0);
        assert!(matches!(outcome, Err(StepError::BadParameter { .. })), "{step} {period}: {outcome:?}");
    }
    let outcome = run(0.01, 0.1, f64::NAN);
    assert!(matches!(&outcome, Err(StepError::BadInput { t: 0.0, input, .. }) if input == "force"), "{outcome:?}");
}

/// Settings that are refused leave the start, with the accelerations of the first inputs.
#[test]
fn refused_settings_leave_the_start() {
    for (period, every, expected) in [
        (0.0, 1, "expected a positive period of a controller, not 0 s"),
        (-1.0, 1, "expected a positive period of a controller, not -1 s"),
        (f64::NAN, 1, "expected a positive period of a controller, not NaN s"),
        (0.1, 0, "cannot record every 0th state"),
    ] {
        let (force, held) = Signal::held(f64::NAN);
        let model = Driven { force, has_floor: false };
        let simulation = Simulation::new(&model, &RungeKutta).step(0.1).until(1.0).record_every(every);
        let run = simulation.controller(period, [&held], |_| [2.0]).run(Driven::initial());
        let Err(StepError::BadParameter { reason, .. }) = run.outcome else { panic!("{:?}", run.outcome) };
        assert!(reason.starts_with(expected), "{reason}");
        assert_eq!(run.trajectory.rows().next().unwrap()[..4], [0.0, 0.0, 0.0, 2.0]);
        assert_eq!(run.trajectory.len(), 1);
    }
}

/// A value that a controller sets must have an effect; one that a function of time reads later has one.
#[test]
fn values_that_nothing_reads_are_refused() {
    let (_, lost) = Signal::held(0.0);
    let (force, held) = Signal::held(0.0);
    let model = Driven { force, has_floor: false };
    let simulation = || Simulation::new(&model, &RungeKutta).step(0.1).until(1.0);
    let run = simulation().controller(0.1, [&held, &lost], |_| [2.0, lost.get()]).run(Driven::initial());
    let Err(StepError::BadParameter { reason, .. }) = run.outcome else { panic!("{:?}", run.outcome) };
    assert!(reason.starts_with("nothing reads value 1 that controller 0 sets"), "{reason}");
    assert_eq!(run.trajectory.len(), 1);

    let (_, later) = Signal::held(0.0);
    let read = later.clone();
    let force = Signal::from(move |t: f64| if t < 0.5 { 0.0 } else { read.get() });
    let model = Driven { force, has_floor: false };
    let simulation = Simulation::new(&model, &RungeKutta).step(0.1).until(1.0);
    let run = simulation.controller(0.1, [&later], |_| [2.0]).run(Driven::initial());
    assert!(run.outcome.is_ok(), "{:?}", run.outcome);
}

#[test]
fn what_is_not_told_is_asked_for() {
    let model = Driven { force: Signal::from(0.0), has_floor: false };
    let message = |simulation: Simulation| simulation.run(Driven::initial()).outcome.unwrap_err().to_string();
    let new = || Simulation::new(&model, &RungeKutta);
    assert!(message(new().step(0.1)).contains("call `until`"));
    assert!(message(new().until(1.0)).contains("call `step`, or `tolerance`"));
    assert!(message(new().step(0.1).until(-1.0)).contains("to -1 s"));
    let esdirk = schemes::by_name("esdirk436", &[]).unwrap();
    let past = Simulation::new(&model, &*esdirk).tolerance(1e-6).until(-1.0).run(Driven::initial());
    assert!(matches!(past.outcome, Err(StepError::BadParameter { .. })), "{:?}", past.outcome);
}

/// A mass under a constant force of 2 N passes x = 1 m at 1 s, and x = 4 m at 2 s.
#[test]
fn events_are_met_at_fixed_steps_of_all_schemes() {
    let model = Driven { force: Signal::from(2.0), has_floor: false };
    let mut start = Driven::initial();
    start.a[0] = 2.0;
    let (one, four) = (|state: &State| state.q[0] - 1.0, |state: &State| state.q[0] - 4.0);
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if scheme.order() < 2 {
            continue;
        }
        let allowed = if STARTS_ROUGHLY.contains(&entry.name) { 0.005 } else { 1e-9 };
        let run = Simulation::new(&model, &*scheme)
            .step(0.3)
            .until(5.0)
            .event(Event { function: &one, direction: Direction::Both, is_terminal: false })
            .event(Event { function: &four, direction: Direction::Rising, is_terminal: true })
            .run(start.clone());
        assert!(run.outcome.is_ok(), "{}: {:?}", scheme.name(), run.outcome);
        let met: Vec<(usize, f64)> = run.occurrences.iter().map(|event| (event.event, event.state.t)).collect();
        assert_eq!(met.len(), 2, "{}: {met:?}", scheme.name());
        for ((event, t), (expected, at)) in met.into_iter().zip([(0, 1.0), (1, 2.0)]) {
            assert!(event == expected && (t - at).abs() < allowed, "{}: {event} at {t} s", scheme.name());
        }
        let last = run.trajectory.rows().next_back().unwrap();
        // The last step is repeated with another length, which leads elsewhere where averages have not settled.
        let missed = if STARTS_ROUGHLY.contains(&entry.name) { 1e-4 } else { 1e-8 };
        assert!((last[0] - 2.0).abs() < allowed && (last[1] - 4.0).abs() < missed, "{}: {last:?}", scheme.name());
    }
}

#[test]
fn steps_and_progress_are_told() {
    let model = Driven { force: Signal::from(2.0), has_floor: false };
    let (mut times, mut parts) = (Vec::new(), Vec::new());
    let run = Simulation::new(&model, &RungeKutta)
        .step(0.01)
        .until(2.0)
        .on_step(|state| times.push(state.t))
        .on_progress(|part| parts.push(part))
        .run(Driven::initial());
    assert!(run.outcome.is_ok());
    assert_eq!(times, run.trajectory.times().collect::<Vec<_>>());
    assert!(parts.len() <= 100 && parts.len() > 95, "{}", parts.len());
    assert!(parts.is_sorted() && parts.last() == Some(&1.0));
}

#[test]
fn a_flag_cancels_and_what_was_computed_stays() {
    let model = Driven { force: Signal::from(2.0), has_floor: false };
    let flag = AtomicBool::new(false);
    let run = Simulation::new(&model, &RungeKutta)
        .step(0.01)
        .until(2.0)
        .record_every(1000)
        .on_step(|state| flag.store(state.t > 0.995, Ordering::Relaxed))
        .cancelled_by(&flag)
        .run(Driven::initial());
    let Err(StepError::Cancelled { t, .. }) = run.outcome else { panic!("{:?}", run.outcome) };
    assert!((t - 1.0).abs() < 1e-12, "{t}");
    assert_eq!(run.trajectory.times().collect::<Vec<_>>(), [0.0, t]);
    assert_eq!(run.accepted, 100);
}

/// Falling from 1 m, just above the floor v = −√(2 g (x₀ − x)): the step that ends with the impact must not be
/// interpolated across it.
#[test]
fn events_before_an_impact_see_the_velocity_before_it() {
    let height = 1.0;
    let nearly = |state: &State| state.q[0] - 1e-9;
    let exact = -(2.0 * Driven::GRAVITY * height).sqrt();
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if !scheme.carries_contacts() {
            continue;
        }
        let mut start = Driven::initial();
        (start.q[0], start.a[0]) = (height, -Driven::GRAVITY);
        for h in [1e-2, 1e-3, 1e-4] {
            let model = Driven { force: Signal::from(0.0), has_floor: true };
            let run = Simulation::new(&model, &*scheme)
                .step(h)
                .until(0.6)
                .record_every(100)
                .event(Event { function: &nearly, direction: Direction::Falling, is_terminal: true })
                .run(start.clone());
            assert!(run.outcome.is_ok(), "{}: {:?}", scheme.name(), run.outcome);
            // Moreau's rule may take the whole impulse in a step that ends above the event.
            let Some(met) = run.occurrences.first() else {
                assert_eq!(entry.name, "moreau");
                continue;
            };
            let error = (met.state.v[0] - exact).abs();
            let allowed = 1.1 * Driven::GRAVITY * h + if entry.name == "moreau" { exact.abs() } else { 0.0 };
            assert!(error < allowed, "{}, h = {h}: {} m/s", scheme.name(), met.state.v[0]);
        }
    }
}

/// The square root has no value beyond the place that the event looks for.
#[test]
fn events_without_a_value_end_the_run() {
    let model = Driven { force: Signal::from(2.0), has_floor: false };
    let mut start = Driven::initial();
    start.a[0] = 2.0;
    let root = |state: &State| (0.5 - state.q[0]).sqrt() - 0.2;
    let beyond = |state: &State| (0.5 - state.q[0]).sqrt();
    let run = |function: &dyn Fn(&State) -> f64| {
        let event = Event { function, direction: Direction::Falling, is_terminal: true };
        Simulation::new(&model, &RungeKutta).step(0.01).until(2.0).record_every(1000).event(event).run(start.clone())
    };
    let met = run(&root);
    assert!(met.outcome.is_ok() && (met.occurrences[0].state.q[0] - 0.46).abs() < 1e-9, "{:?}", met.outcome);
    let lost = run(&beyond);
    let Err(StepError::NotFiniteValue { t, ref quantity, .. }) = lost.outcome else { panic!("{:?}", lost.outcome) };
    assert!(quantity.contains("event 0") && (t - 0.71).abs() < 1e-12, "{quantity} at {t} s");
    assert_eq!(lost.trajectory.times().next_back(), Some(t));
}

/// A mass that rests on the floor: every scheme that carries contacts, over its parameters, bears its weight, and says so
/// where it does on average only.
#[test]
fn a_mass_at_rest_is_borne() {
    let mut tried = 0;
    for entry in schemes::entries() {
        let ranges: Vec<f64> = (0..=10).map(|k| 0.1 * f64::from(k)).collect();
        let has_rho = entry.parameters.iter().any(|parameter| parameter.name == "rho_infinity");
        for rho in ranges.iter().take(if has_rho { 11 } else { 1 }) {
            let parameters = [("rho_infinity", *rho)];
            let Ok(scheme) = entry.scheme(if has_rho { &parameters } else { &[] }) else { continue };
            if !scheme.carries_contacts() {
                continue;
            }
            let model = Driven { force: Signal::from(0.0), has_floor: true };
            let contacts =
                ContactOptions { initial_acceleration: InitialAcceleration::Consistent, ..Default::default() };
            let options = Options { contacts, ..Options::default() };
            let run = Simulation::new(&model, &*scheme).options(options).step(1e-3).until(0.5).run(Driven::initial());
            let name = format!("{} {rho}", scheme.name());
            assert!(run.outcome.is_ok(), "{name}: {:?}", run.outcome);
            let forces: Vec<f64> = run.trajectory.column("normal_force(floor)").unwrap().collect();
            let [.., before, last] = forces[..] else { panic!("{name}") };
            let is_cautioned = run.cautions.iter().any(|caution| matches!(caution, Caution::Scheme(_)));
            let error = if is_cautioned { 0.5 * (before + last) } else { last } - Driven::GRAVITY;
            assert!(error.abs() < 1e-3, "{name}: {before} and {last} N, {:?}", run.cautions);
            assert!(run.trajectory.column("x").unwrap().all(|x| x.abs() < 1e-9), "{name} sinks");
            assert!(!run.cautions.iter().any(|caution| matches!(caution, Caution::Penetration { .. })), "{name}");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

/// Accelerations that belong to another force or place are said, those of the equations of motion are not, nor any where
/// the scheme does not read them.
#[test]
fn stale_accelerations_of_a_start_are_told() {
    let model = Driven { force: Signal::from(2.0), has_floor: false };
    let newmark = schemes::by_name("newmark", &[]).unwrap();
    let cautions = |scheme: &dyn hamel::Scheme, acceleration: f64| {
        let mut start = Driven::initial();
        start.a[0] = acceleration;
        Simulation::new(&model, scheme).step(0.01).until(0.1).run(start).cautions
    };
    let said = |acceleration: f64| match cautions(&*newmark, acceleration)[..] {
        [Caution::Accelerations { relative }, ..] => relative,
        ref other => panic!("{other:?}"),
    };
    assert_eq!(cautions(&*newmark, 2.0), []);
    assert!((said(0.3) - 0.85).abs() < 1e-12);
    assert!((said(1e6) - 1.0).abs() < 1e-5);
    assert_eq!(cautions(&RungeKutta, 1e6), []);
}
