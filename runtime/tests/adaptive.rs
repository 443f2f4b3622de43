//! Steps chosen by an error estimate keep it, states between steps lie on the motion, events are met where they happen.

use crate::common::refinement::Refinement;
use crate::common::{Craft, FreeBody, Heavy, HeavyTop, LinearOscillator, Oscillator, Pendulum, Rotor};
use hamel::adaptive::{AdaptiveStepper, Control};
use hamel::newton::NewtonMatrix;
use hamel::rotation::{conjugate, product};
use hamel::{
    Block, ConstraintLevel, Direction, Drift, Event, Model, Options, Simulation, State, StepError, Stepper, schemes,
};
use nalgebra::{DVector, Vector3, Vector4};

/// The end of an integration, and how many steps it took.
fn end(model: &dyn Model, name: &str, initial: State, until: f64, tolerance: f64) -> (State, u64) {
    let scheme = schemes::by_name(name, &[]).unwrap();
    let control = Control::tolerance(tolerance);
    let mut stepper = AdaptiveStepper::new(model, &*scheme, &Options::default(), initial, control).unwrap();
    let mut steps = 0;
    while stepper.state().t < until {
        stepper.step(until).unwrap();
        steps += 1;
    }
    (stepper.state().clone(), steps)
}

/// The schemes that estimate errors.
fn adaptive() -> impl Iterator<Item = &'static str> {
    schemes::entries().filter(|entry| entry.scheme(&[]).unwrap().estimates_errors()).map(|entry| entry.name)
}

/// A level of constraints for steps of a stepper.
fn on(level: ConstraintLevel) -> Options {
    Options { constraint_level: Some(level), ..Options::default() }
}

const LEVELS: [ConstraintLevel; 3] =
    [ConstraintLevel::Velocity, ConstraintLevel::Position, ConstraintLevel::Acceleration];

/// Models of every kind with a time in which they hardly move.
fn with_each(mut look: impl FnMut(&dyn Model, &State, f64)) {
    let (body, rotor) = (FreeBody::TUMBLING, Rotor(FreeBody::TUMBLING));
    look(&Oscillator, &Oscillator::initial(), 0.4);
    look(&Pendulum, &Pendulum::initial(), 0.2);
    look(&body, &body.initial(FreeBody::SPIN), 0.2);
    look(&rotor, &rotor.initial(FreeBody::SPIN), 0.2);
    look(&HeavyTop, &HeavyTop::initial(), 5e-3);
    look(&Craft::PULLED, &Craft::PULLED.initial([2.0, -3.0, 1.0], [0.5, 1.5, -2.0]), 0.05);
}

/// From one configuration to another nearby, in the directions of the velocities.
fn increment(block: Block, from: &DVector<f64>, to: &DVector<f64>) -> DVector<f64> {
    let Block::Rotation(_) = block else { return to - from };
    let at = |q: &DVector<f64>| Vector4::from_column_slice(q.as_slice());
    let relative = product(&conjugate(&at(from)), &at(to));
    DVector::from_iterator(3, (1..4).map(|i| 2.0 * relative[i] * relative[0].signum()))
}

/// Whether multipliers converge.
fn converges(name: &str, level: ConstraintLevel) -> bool {
    let entry = schemes::entries().find(|entry| entry.name == name).unwrap();
    level != ConstraintLevel::Position || entry.index_3.is_some_and(|[.., multipliers]| multipliers > 0)
}

/// The power of the step with which an estimate says that it shrinks.
fn power(stepper: &mut dyn Stepper) -> f64 {
    f64::from(stepper.error_estimate().expect("an estimate").order + 1)
}

/// Whether steps are no more accurate than their estimates say, so that the errors of all of them add up: where the
/// estimate is not that of an embedded scheme of lower order, or constraints on positions leave none.
fn adds_up(name: &str, level: ConstraintLevel) -> bool {
    level == ConstraintLevel::Position || schemes::by_name(name, &[]).unwrap().order() <= 2
}

/// Equal steps over a duration, without those that show their start, are estimated ever smaller with more of them.
#[test]
fn estimates_have_the_order_that_they_say() {
    let mut compared = 0;
    for name in adaptive() {
        // Fast damping, so that the start is soon forgotten.
        let damped = schemes::by_name(name, &[("rho_infinity", 0.3)]);
        let scheme = damped.or_else(|_| schemes::by_name(name, &[])).unwrap();
        with_each(|model, initial, duration| {
            for level in LEVELS.into_iter().filter(|&level| converges(name, level)) {
                let what = format!("{name} on {} with constraints on {level:?}", model.describe().name);
                let mut promised = 0.0;
                // The multipliers of a kept matrix have errors of rounding.
                let options = Options { newton_matrix: Some(NewtonMatrix::EveryIteration), ..on(level) };
                let sizes = [24, 48, 96].map(|steps| {
                    let mut stepper = scheme.start_with(model, initial.clone(), &options).expect(&what);
                    let mut sum = 0.0;
                    for step in 0..steps {
                        stepper.step(duration / f64::from(steps)).expect(&what);
                        promised = power(&mut *stepper);
                        let estimate = stepper.error_estimate().expect(&what);
                        let sizes = estimate.x.iter().chain(estimate.v).map(|error| error.abs());
                        sum += if 4 * step < 3 * steps { 0.0 } else { sizes.fold(0.0, f64::max) };
                    }
                    4.0 * sum / f64::from(steps)
                });

                let found = Refinement { errors: sizes.to_vec(), rounding: 1e-11 }.order();
                assert!((promised - 0.4..promised + 0.8).contains(&found), "{what}: {found} of {promised}, {sizes:?}");
                compared += 1;
            }
        });
    }
    assert!(compared >= 90, "{compared}");
}

/// What the estimate calls the error of a step is the distance of its end from the motion through its beginning, where the
/// scheme has no other of another order to compare with.
#[test]
fn errors_of_second_order_are_those_of_their_steps() {
    let (body, rotor) = (FreeBody::TUMBLING, Rotor(FreeBody::TUMBLING));
    let craft = Craft::PULLED.initial([2.0, -3.0, 1.0], [0.5, 1.5, -2.0]);
    let cases: [(&dyn Model, State, f64); 5] = [
        (&Oscillator, Oscillator::initial(), 4e-3),
        (&Pendulum, Pendulum::initial(), 1e-3),
        (&body, body.initial(FreeBody::SPIN), 2e-3),
        (&rotor, rotor.initial(FreeBody::SPIN), 2e-3),
        (&Craft::PULLED, craft, 2e-3),
    ];
    let rho = |value| [("rho_infinity", value)];
    for (name, parameters) in [("generalized_alpha", &rho(0.8)[..]), ("generalized_alpha", &rho(0.2)), ("newmark", &[])]
    {
        let scheme = schemes::by_name(name, parameters).unwrap();
        for (model, initial, h) in &cases {
            let what = format!("{} on {}", scheme.name(), model.describe().name);
            let options = Options { drift: Drift::Kept, ..on(ConstraintLevel::Acceleration) };
            let mut stepper = scheme.start_with(*model, initial.clone(), &options).expect(&what);
            // As many as the start is seen in, and changes.
            for part in [1.0; 20].into_iter().chain([0.7, 1.1, 0.8]) {
                stepper.step(part * h).expect(&what);
                assert!(stepper.error_estimate().is_some(), "{what}");
            }
            let mut old = stepper.state().clone();
            stepper.step(*h).expect(&what);
            let new = stepper.state().clone();
            let reference = schemes::by_name("radau_iia5", &[]).unwrap();
            let mut exact = reference.start_with(*model, old.clone(), &options).expect(&what);
            hamel::consistent_acceleration(*model, &mut old).expect(&what);
            (0..4).for_each(|_| _ = exact.step(0.25 * h).expect(&what));
            let exact = exact.state();
            let estimate = stepper.error_estimate().expect(&what);
            let v = (estimate.v, &exact.v - &new.v);
            let off = |(found, expected): (&[f64], DVector<f64>)| {
                (DVector::from_column_slice(found) - &expected).norm() / expected.norm()
            };
            let x = match model.describe().blocks[0] {
                // A shift turns with the axes, its length does not.
                Block::Pose(_) => {
                    let length = |x: &[f64]| vec![Vector3::from_column_slice(&x[..3]).norm()];
                    off((&length(estimate.x), DVector::from_vec(length((&exact.q - &new.q).as_slice()))))
                }
                block => off((estimate.x, increment(block, &new.q, &exact.q))),
            };
            let v = off(v);
            assert!(x < 0.05 && v < 0.05, "{what}: estimates of coordinates and velocities are off by {x} and {v}");
        }
    }
}

/// A step that is taken back leaves nothing behind, also when its error was estimated.
#[test]
fn a_rejected_step_leaves_the_state_unchanged() {
    for name in adaptive() {
        let scheme = schemes::by_name(name, &[]).unwrap();
        with_each(|model, initial, duration| {
            for level in LEVELS {
                let what = format!("{name} on {} with constraints on {level:?}", model.describe().name);
                let mut stepper = scheme.start_with(model, initial.clone(), &on(level)).expect(&what);
                let mut other = scheme.start_with(model, initial.clone(), &on(level)).expect(&what);
                for h in [0.1, 0.07, 0.12].map(|part| part * duration) {
                    stepper.step(h).expect(&what);
                    other.step(h).expect(&what);
                }
                let before = stepper.state().clone();
                stepper.step(duration).expect(&what);
                assert!(stepper.error_estimate().is_some() && *stepper.state() != before, "{what}");
                assert!(stepper.retreat(), "{what}");
                assert_eq!(*stepper.state(), before, "{what}");
                stepper.step(0.1 * duration).expect(&what);
                other.step(0.1 * duration).expect(&what);
                let (found, expected) = (stepper.state(), other.state());
                assert!((&found.q - &expected.q).amax() < 1e-12 * (1.0 + expected.q.amax()), "{what}");
                assert!((&found.v - &expected.v).amax() < 1e-11 * (1.0 + expected.v.amax()), "{what}");
            }
        });
    }
}

/// The largest error at the end, in units of the tolerance.
const FACTOR: f64 = 50.0;

/// Errors at the end, in units of the tolerance of the largest coordinate or velocity, with constraints on each level and for three tolerances.
///
/// With constraints on positions velocities miss the constraints, by what is within the tolerance as a displacement within
/// a step.
#[test]
fn errors_keep_the_tolerance_with_constraints_on_each_level() {
    let body = FreeBody::TUMBLING;
    let cases: [(&dyn Model, State, f64); 4] = [
        (&Pendulum, Pendulum::initial(), 1.0),
        (&body, body.initial(FreeBody::SPIN), 2.0),
        (&HeavyTop, HeavyTop::initial(), 0.1),
        (&Craft::PULLED, Craft::PULLED.initial([2.0, -3.0, 1.0], [0.5, 1.5, -2.0]), 1.0),
    ];
    for (model, initial, until) in cases {
        let (exact, _) = end(model, "dormand_prince", initial.clone(), until, 1e-13);
        for name in adaptive() {
            let scheme = schemes::by_name(name, &[]).unwrap();
            for level in LEVELS.into_iter().filter(|&level| converges(name, level)) {
                for tolerance in [1e-4, 1e-6, 1e-8] {
                    let what = format!("{name} on {} with {level:?}, {tolerance:e}", model.describe().name);
                    let control = Control { first_step: 1e-4 * until, ..Control::tolerance(tolerance) };
                    let mut stepper =
                        AdaptiveStepper::new(model, &*scheme, &on(level), initial.clone(), control).unwrap();
                    while stepper.state().t < until {
                        stepper.step(until).expect(&what);
                    }
                    let steps = stepper.counts()[0] as f64;
                    let [q, v] = [(&stepper.state().q, &exact.q), (&stepper.state().v, &exact.v)]
                        .map(|(found, exact)| (found - exact).amax() / (1.0 + exact.amax()) / tolerance);
                    let by_coordinates = if adds_up(name, level) { FACTOR.max(steps) } else { FACTOR };
                    let across = if level == ConstraintLevel::Position { FACTOR * steps / until } else { 0.0 };
                    let by_velocities = by_coordinates.max(across);
                    assert!(q < by_coordinates && v < by_velocities, "{what}: {q} and {v} in {steps} steps");
                }
            }
        }
    }
}

#[test]
fn errors_follow_the_tolerance() {
    for name in adaptive() {
        let errors = [1e-5, 1e-7, 1e-9].map(|tolerance| {
            let (state, steps) = end(&Oscillator, name, Oscillator::initial(), 2.0, tolerance);
            assert_eq!(state.t, 2.0);
            let error = (state.q[0] - Oscillator::END[0]).hypot(state.v[0] - Oscillator::END[1]);
            let factor = if adds_up(name, ConstraintLevel::Velocity) { 100_f64.max(steps as f64) } else { 100.0 };
            assert!(error < factor * tolerance, "{name}: {error:e} for a tolerance of {tolerance:e} in {steps} steps");
            error
        });
        let power = if adds_up(name, ConstraintLevel::Velocity) { 2.0 / 3.0 } else { 1.0 };
        assert!(errors[2] < 10.0 * 1e-4_f64.powf(power) * errors[0], "{name}: {errors:?}");
    }
}

#[test]
fn constraints_and_rotations_have_adaptive_steps_too() {
    let rotor = Rotor(FreeBody::TUMBLING);
    let initial = rotor.initial(FreeBody::SPIN);
    let until = 5.0;
    let (exact, _) = end(&rotor, "esdirk436", initial.clone(), until, 1e-13);
    for name in adaptive() {
        let factor = |steps: u64| if adds_up(name, ConstraintLevel::Velocity) { steps.max(100) as f64 } else { 100.0 };
        let (state, steps) = end(&Pendulum, name, Pendulum::initial(), 1.0, 1e-8);
        let error = (state.q - DVector::from_column_slice(&Pendulum::END_Q)).norm();
        assert!(error < factor(steps) * 1e-8, "{name}: {error:e} in {steps} steps");
        let [(coarse, few), (fine, many)] =
            [1e-6, 1e-10].map(|tolerance| end(&rotor, name, initial.clone(), until, tolerance));
        let errors = [coarse, fine].map(|state| (state.q - &exact.q).norm());
        let [coarse, fine] = [(few, 1e-6), (many, 1e-10)].map(|(steps, tolerance)| 10.0 * factor(steps) * tolerance);
        assert!(errors[0] < coarse && errors[1] < fine, "{name}: {errors:?}");
        let mut stepper = schemes::by_name(name, &[]).unwrap().start(&rotor, initial.clone()).unwrap();
        let powers = [0.01; 2].map(|h| {
            stepper.step(h).unwrap();
            power(&mut *stepper)
        });
        let expected = 1e4_f64.powf(1.0 / powers[1]);
        let found = many as f64 / few as f64;
        assert!((0.7..1.4).contains(&(found / expected)), "{name}: {few}, {many}, expected a ratio of {expected}");
    }
}

/// Undamped schemes are cautioned against where multipliers do not converge, which is not on velocities.
#[test]
fn chosen_steps_impose_constraints_on_velocities() {
    let scheme = schemes::by_name("trapezoidal", &[]).unwrap();
    let cautions = |options| {
        let simulation = Simulation::new(&Pendulum, &*scheme).options(options).tolerance(1e-5).until(0.1);
        let run = simulation.run(Pendulum::initial());
        run.outcome.unwrap();
        run.cautions.len()
    };
    assert_eq!(cautions(Options::default()), 0);
    assert_eq!(cautions(on(ConstraintLevel::Position)), 1);
    let end_of = |name: &str| {
        let (state, _) = end(&Pendulum, name, Pendulum::initial(), 1.0, 1e-6);
        state.q.dot(&state.v).abs()
    };
    for name in adaptive() {
        let missed = end_of(name);
        assert!(missed < 1e-13, "{name}: velocities miss the constraint by {missed:e}");
    }
}

#[test]
fn steps_adapt_to_what_happens() {
    // A stiff oscillator at rest needs few steps, one that moves needs as many as its period asks for.
    let model = LinearOscillator { omega: 100.0, damping: 0.7, ends_at: f64::INFINITY };
    let (_, steps) = end(&model, "esdirk324", model.initial(), 10.0, 1e-5);
    assert!(steps < 200, "{steps} steps");
}

/// A start off the slow motion, and a step within which its fast part ends: the first estimate sees what is left of that,
/// which is nothing, and not the displacement that was there.
#[test]
fn the_estimate_of_radau_sees_through_what_is_infinitely_fast() {
    let scheme = schemes::by_name("radau_iia5", &[]).unwrap();
    for damping in [0.7, 2.0] {
        let model = LinearOscillator { omega: 1e7, damping, ends_at: f64::INFINITY };
        let mut initial = model.initial();
        (initial.q[0], initial.v[0]) = (1.0, 0.0);
        initial.a[0] = -model.omega * model.omega;
        let mut stepper = scheme.start(&model, initial).unwrap();
        let mut seen = || {
            stepper.step(0.1).unwrap();
            let estimate = stepper.error_estimate().unwrap();
            estimate.x[0].abs()
        };
        let first = seen();
        assert!(first < 1e-4 && seen() < 1e-4, "{first:e}");
    }
}

#[test]
fn states_between_steps_lie_on_the_motion() {
    let model = LinearOscillator { omega: 2.0, damping: 0.0, ends_at: f64::INFINITY };
    let mut initial = model.initial();
    (initial.q[0], initial.v[0], initial.a[0]) = (1.0, 0.0, -4.0);
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let mut stepper =
        AdaptiveStepper::new(&model, &*scheme, &Options::default(), initial, Control::tolerance(1e-8)).unwrap();
    while stepper.state().t < 3.0 {
        stepper.step(3.0).unwrap();
        for part in [0.0, 0.3, 0.8, 1.0] {
            let t = stepper.previous().t + part * (stepper.state().t - stepper.previous().t);
            let state = stepper.interpolate(t);
            assert!((state.q[0] - (2.0 * t).cos()).abs() < 1e-6, "t = {t}");
            assert!((state.v[0] + 2.0 * (2.0 * t).sin()).abs() < 1e-5, "t = {t}");
        }
    }
}

/// Coordinates between steps are at least as accurate as the ends, and velocities lose at most an order by the derivative:
/// halving all steps shows the order of the interpolation, on vectors, rotations and poses.
#[test]
fn states_between_steps_have_the_order_of_the_scheme() {
    let scheme = schemes::by_name("dormand_prince", &[]).unwrap();
    let body = FreeBody::TUMBLING;
    let rotor = Rotor(FreeBody::TUMBLING);
    let models: [(&dyn Model, State); 3] = [
        (&Oscillator, Oscillator::initial()),
        (&body, body.initial(FreeBody::SPIN)),
        (&rotor, rotor.initial(FreeBody::SPIN)),
    ];
    for (model, initial) in models {
        let exact = |t: f64| {
            let mut stepper = scheme.start(model, initial.clone()).unwrap();
            for _ in 0..2000 {
                stepper.step(t / 2000.0).unwrap();
            }
            stepper.state().clone()
        };
        let errors = |steps: f64| {
            let h = 1.0 / steps;
            let (before, within) = (0.5, 0.5 + 0.37 * h);
            let event = |state: &State| state.t - within;
            let event = Event { function: &event, direction: Direction::Rising, is_terminal: false };
            let run = Simulation::new(model, &*scheme).step(h).until(before + h).event(event).run(initial.clone());
            run.outcome.unwrap();
            let (found, exact) = (&run.occurrences[0].state, exact(run.occurrences[0].state.t));
            assert!((found.t - within).abs() < 1e-9);
            [(&found.q - exact.q).norm(), (&found.v - exact.v).norm()]
        };
        let (coarse, fine) = (errors(20.0), errors(40.0));
        for (coarse, fine) in coarse.into_iter().zip(fine) {
            let order = (coarse / fine).log2();
            assert!(order > 4.6, "{}: {coarse:e}, {fine:e}", model.describe().name);
        }
    }
}

#[test]
fn events_are_met_where_they_happen() {
    let model = LinearOscillator { omega: 1.0, damping: 0.0, ends_at: f64::INFINITY };
    let mut initial = model.initial();
    (initial.q[0], initial.v[0], initial.a[0]) = (1.0, 0.0, -1.0);
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let function = |state: &State| state.q[0];
    let simulate = |direction, is_terminal| {
        let event = Event { function: &function, direction, is_terminal };
        let control = Control::tolerance(1e-10);
        Simulation::new(&model, &*scheme).control(control).until(7.0).event(event).run(initial.clone())
    };
    let times = |direction, is_terminal| {
        let run = simulate(direction, is_terminal);
        assert!(run.outcome.is_ok());
        run.occurrences.iter().map(|occurrence| occurrence.state.t).collect::<Vec<_>>()
    };
    let half = std::f64::consts::FRAC_PI_2;
    for (direction, expected) in [
        (Direction::Both, vec![half, 3.0 * half]),
        (Direction::Falling, vec![half]),
        (Direction::Rising, vec![3.0 * half]),
    ] {
        let found = times(direction, false);
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-7), "{found:?}");
    }
    let run = simulate(Direction::Falling, true);
    let last = run.trajectory.times().last().unwrap();
    assert!((last - half).abs() < 1e-7, "{last}");
    assert!(run.accepted > 0);
}

/// Times of events of a motion with constant speed, q = t, over 20 s; its steps grow to seconds.
fn times_at_constant_speed(functions: &[&dyn Fn(&State) -> f64]) -> Vec<(usize, f64)> {
    let model = LinearOscillator { omega: 0.0, damping: 0.0, ends_at: f64::INFINITY };
    let mut initial = model.initial();
    (initial.q[0], initial.v[0], initial.a[0]) = (0.0, 1.0, 0.0);
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let simulation = Simulation::new(&model, &*scheme).tolerance(1e-6).until(20.0);
    let watched = functions.iter().fold(simulation, |simulation, &function| {
        simulation.event(Event { function, direction: Direction::Both, is_terminal: false })
    });
    let run = watched.run(initial);
    run.outcome.unwrap();
    assert!(run.accepted < 12, "{} steps", run.accepted);
    run.occurrences.iter().map(|occurrence| (occurrence.event, occurrence.state.t)).collect()
}

#[test]
fn all_events_of_a_long_step_are_met_in_order() {
    for (rate, count) in [(10.0, 63), (2.0, 12), (30.0, 190)] {
        let found = times_at_constant_speed(&[&|state| (rate * state.q[0]).sin()]);
        assert_eq!(found.len(), count, "{rate} rad/s: {found:?}");
        for (k, (_, t)) in (1..).zip(found) {
            assert!((t - f64::from(k) * std::f64::consts::PI / rate).abs() < 1e-12, "{rate} rad/s: {t}");
        }
    }
    // Two functions in turn, among them one that jumps.
    let found = times_at_constant_speed(&[&|state| state.q[0].cos(), &|state| (state.q[0] - 4.0).signum()]);
    assert_eq!(found.iter().map(|(event, _)| *event).collect::<Vec<_>>(), [0, 1, 0, 0, 0, 0, 0]);
    assert!((found[1].1 - 4.0).abs() < 1e-12);
}

#[test]
fn a_function_that_crosses_zero_and_comes_back_is_met_twice() {
    for center in [0.013, 1.37, 7.0, 13.1, 19.9] {
        for half in [1e-1, 1e-3, 1e-5] {
            let dip = |state: &State| (state.q[0] - center).powi(2) - half * half;
            let above = |state: &State| (state.q[0] - center).powi(2) + half * half;
            let found = times_at_constant_speed(&[&dip, &above]);
            // What lies before the start or behind the end is none.
            let expected: Vec<f64> =
                [center - half, center + half].into_iter().filter(|t| (0.0..=20.0).contains(t)).collect();
            assert_eq!(found.len(), expected.len(), "{center} ± {half}: {found:?}");
            for ((event, t), expected) in found.iter().zip(expected) {
                assert!(*event == 0 && (t - expected).abs() < 1e-9, "{center} ± {half}: {t}");
            }
        }
    }
}

#[test]
fn what_cannot_be_controlled_is_refused() {
    let start = |name: &str, control| {
        let scheme = schemes::by_name(name, &[]).unwrap();
        AdaptiveStepper::new(&Oscillator, &*scheme, &Options::default(), Oscillator::initial(), control).err()
    };
    assert!(matches!(start("lms3", Control::tolerance(1e-6)), Some(StepError::Undefined { .. })));
    for bad in [0.0, -1.0, 1e-16, f64::NAN, f64::INFINITY] {
        assert!(matches!(start("esdirk436", Control::tolerance(bad)), Some(StepError::BadParameter { .. })));
    }
}

#[test]
fn a_motion_that_ends_keeps_what_was_computed() {
    let model = LinearOscillator { omega: 1.0, damping: 0.0, ends_at: 0.5 };
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let control = Control::tolerance(1e-6);
    let run = Simulation::new(&model, &*scheme).control(control).until(1.0).run(model.initial());
    assert!(matches!(run.outcome, Err(StepError::NotFinite { .. })), "{:?}", run.outcome);
    let last = run.trajectory.times().last().unwrap();
    assert!((0.4..0.5).contains(&last) && run.rejected > 0, "{last}");
}

/// Accelerations and multipliers between steps are lines, wherever the step begins.
#[test]
fn accelerations_and_multipliers_between_steps_lie_on_lines() {
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let initial = State { t: 2.0, ..Pendulum::initial() };
    let control = Control::tolerance(1e-6);
    let mut stepper = AdaptiveStepper::new(&Pendulum, &*scheme, &Options::default(), initial, control).unwrap();
    for _ in 0..3 {
        let old = stepper.state().clone();
        stepper.step(10.0).unwrap();
        let new = stepper.state().clone();
        for part in [0.25, 0.5, 0.9] {
            let between = stepper.interpolate(old.t + part * (new.t - old.t));
            let line = |old: &DVector<f64>, new: &DVector<f64>| old * (1.0 - part) + new * part;
            assert!((between.a - line(&old.a, &new.a)).norm() < 1e-12);
            assert!((between.lambda - line(&old.lambda, &new.lambda)).norm() < 1e-12);
        }
    }
}

/// Runs with numbers near the largest or with a motion that is far too fast went on without end.
#[test]
fn steps_that_make_no_headway_end_the_run() {
    let mut ended = 0;
    for (mass, stiffness) in [(1e300, 1e300), (1e300, 1e308), (1.0, 1e20), (1e-300, 4.0), (1.0, 1e300)] {
        for name in ["esdirk324", "esdirk325", "esdirk436"] {
            let model = Heavy { mass, stiffness };
            let mut start = State::zeros(model.dims());
            (start.q[0], start.a[0]) = (1.0, -stiffness / mass);
            let scheme = schemes::by_name(name, &[]).unwrap();
            let run = Simulation::new(&model, &*scheme).tolerance(1e-6).until(1.0).record_every(usize::MAX).run(start);
            let what = format!("{mass:e} kg, {stiffness:e} N/m, {name}: {:?}", run.outcome);
            let Err(error) = run.outcome else { panic!("{what}") };
            if let StepError::NoHeadway { t, dt, accepted, rejected, reason, .. } = error {
                let is_rejecting = rejected > 150 && 3 * rejected > accepted;
                let is_slow = accepted >= 20_000 && (1.0 - t) / dt > 1e10;
                assert!(is_rejecting || is_slow || reason.contains("not finite"), "{what}");
                assert_eq!((accepted, rejected), (run.accepted, run.rejected), "{what}");
                ended += 1;
            }
            assert!(run.trajectory.times().next_back().is_some_and(|t| t < 1e-3), "{what}");
        }
    }
    assert!(ended >= 6, "{ended}");
}

/// A motion of half a micrometre by a tolerance of a micrometre is said, a model at rest and larger motions are not.
#[test]
fn motions_of_the_size_of_the_tolerance_are_said() {
    let scheme = schemes::by_name("esdirk325", &[]).unwrap();
    for (size, is_small) in [(5e-7, true), (0.0, false), (1e-2, false)] {
        let model = Heavy { mass: 1.0, stiffness: 4.0 };
        let mut start = State::zeros(model.dims());
        (start.q[0], start.a[0]) = (size, -4.0 * size);
        let run = Simulation::new(&model, &*scheme).tolerance(1e-6).until(3.0).run(start);
        run.outcome.unwrap();
        let said = run.cautions.iter().any(|caution| matches!(caution, hamel::Caution::Small { tolerance: 1e-6, .. }));
        assert_eq!(said, is_small, "{size}: {:?}", run.cautions);
    }
}
