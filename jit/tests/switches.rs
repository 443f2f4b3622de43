//! Times at which formulas change: steps that are chosen end there, and what equal steps or slopes miss is said.

use hamel::gradient::{Changes, Differentiated, Direction};
use hamel::simulation::Steps;
use hamel::{Caution, Event, Model, Signal, Simulation, State, StepError, initial_state, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::random::Random;

/// A block of 2 kg that is pushed in pulses of a force, each for a time.
fn pushed(pulses: &[[f64; 3]], comparison: &str) -> JitModel {
    let until = |i: usize, t: &str| match comparison {
        "<" | "<=" => format!("time {comparison} {t}"),
        // The same with what ends a pulse on the right.
        _ => format!("3 * {t} - 2 * time > {t} + p{i} * 0 s"),
    };
    let parameters: String = pulses
        .iter()
        .enumerate()
        .map(|(i, [at, width, force])| {
            format!(
                "param begin{i} = {at:e} s; param width{i} = {width:e} s; param push{i} = {force:e} N; const p{i} = 0;"
            )
        })
        .collect();
    let forces: String = (0..pulses.len())
        .map(|i| {
            if comparison == "abs" {
                let middle = format!("abs(time - begin{i} - width{i} / 2)");
                return format!("force kick{i}: (if {middle} < width{i} / 2 {{ push{i} }} else {{ 0 N }}) on rail;");
            }
            let (begun, ended) = (until(i, &format!("begin{i}")), until(i, &format!("(begin{i} + width{i})")));
            format!("force kick{i}: (if {begun} {{ 0 N }} else {{ if {ended} {{ push{i} }} else {{ 0 N }} }}) on rail;")
        })
        .collect();
    let text = format!(
        "model Pushed {{
            planar;
            coordinates joint;
            {parameters}
            body block {{ mass: 2 kg, inertia: 1 kg m^2 }}
            joint rail: prismatic(ground, block);
            {forces}
            differentiate all;
        }}"
    );
    hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap()
}

/// Where it is at a time, and how fast.
fn place(pulses: &[[f64; 3]], t: f64) -> (f64, f64) {
    pulses.iter().fold((0.0, 0.0), |(x, v), &[at, width, force]| {
        let (a, since, acting) = (0.5 * force, (t - at).max(0.0), (t - at).clamp(0.0, width));
        let speed = a * acting;
        (x + 0.5 * a * acting * acting + speed * (since - acting), v + speed)
    })
}

/// Pulses of a microsecond to a second, somewhere in ten seconds of rest.
fn pulses(seed: u64) -> Vec<[f64; 3]> {
    let mut numbers = Random(seed);
    let mut random = || (numbers.next() + 1.0) / 2.0;
    (0..1 + seed % 3)
        .map(|_| {
            let width = 10_f64.powf(-6.0 * random());
            [9.0 * random(), width, (random() + 0.5) / width]
        })
        .collect()
}

#[test]
fn chosen_steps_end_where_formulas_change() {
    let mut tried = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if !scheme.estimates_errors() {
            continue;
        }
        for seed in 0..8 {
            let comparison = ["<", "<=", "-", "abs"][(seed % 4) as usize];
            let pulses = pulses(seed + 1);
            let model = pushed(&pulses, comparison);
            let what = format!("{}, {comparison}, {pulses:?}", entry.name);
            let steps = Steps::with_tolerance(1e-6, 10.0);
            let run = Simulation::new(&model, &*scheme).steps(steps).until(10.0).run(initial_state(&model).unwrap());
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
            let (x, v) = place(&pulses, 10.0);
            let reached = |name: &str| run.trajectory.column(name).unwrap().next_back().unwrap();
            let found = (reached("rail.displacement"), reached("velocity(rail.displacement)"));
            let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-4 * (1.0 + expected.abs());
            assert!(is_near(found.0, x) && is_near(found.1, v), "{what}: {found:?}, expected {x} and {v}");
            assert!(run.accepted + run.rejected < 3000, "{what}: {} and {} steps", run.accepted, run.rejected);
            tried += 1;
        }
    }
    assert!(tried > 30, "{tried}");
}

/// A block of 2 kg, pushed by an input.
fn driven(force: Signal) -> JitModel {
    let text = "model Driven {
        planar;
        coordinates joint;
        param mass = 2 kg;
        input push N;
        body block { mass: mass, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force hand: push on rail;
        differentiate all;
    }";
    let mut model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    model.set_input("push", force).unwrap();
    model
}

/// Forces that are constant between the ends of steps have motions of second order, which schemes compute without errors
/// if no step has a force of the next one; and so do their slopes.
#[test]
fn equal_steps_have_the_forces_before_jumps_at_their_ends() {
    let dt = 0.01;
    for seed in 1..4_u64 {
        let forces: Vec<f64> =
            (0..20).map(|k| f64::from((seed * 7919 + k * k * 104_729) as u32 % 1001) - 500.0).collect();
        // The last jump is at the end of the run, where it moves nothing.
        let samples = forces
            .iter()
            .enumerate()
            .flat_map(|(k, &force)| [(0.05 * k as f64, force), (0.05 * (k + 1) as f64, force)]);
        let table = driven(Signal::sampled(samples.chain([(1.0, 1e3)])).unwrap());
        let (mut x, mut v) = (0.0, 0.0);
        for force in &forces {
            let a = force / 2.0;
            (x, v) = (x + 0.05 * v + 0.5 * a * 0.05 * 0.05, v + 0.05 * a);
        }
        let mut tried = 0;
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            let start = initial_state(&table).unwrap();
            let Ok(mut stepper) = scheme.start(&table, start.clone()) else { continue };
            if scheme.order() < 2 || !stepper.resume(&start) {
                continue;
            }
            let run = Simulation::new(&table, &*scheme).step(dt).until(1.0).run(start);
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            assert!(!run.cautions.iter().any(|caution| matches!(caution, Caution::Jumped { .. })), "{}", entry.name);
            let reached = |name: &str| run.trajectory.column(name).unwrap().next_back().unwrap();
            let found = [reached("rail.displacement") - x, reached("velocity(rail.displacement)") - v];
            // Times of jumps are known to a rounding of steps.
            // `ss2` begins with positions of another order behind each jump; stages of the others lie beyond the ends of steps.
            let is_beyond = ["ss", "mssth5", "esdirk436"].iter().any(|name| entry.name.starts_with(name));
            let is_said = |caution: &Caution| matches!(caution, Caution::Scheme(text) if text.contains("lies beyond"));
            let has_stage_beyond = ["mssth5", "esdirk436"].iter().any(|name| entry.name.starts_with(name));
            assert_eq!(run.cautions.iter().any(is_said), has_stage_beyond, "{}", entry.name);
            let most = if is_beyond { 0.5 } else { 1e-8 };
            assert!(found.iter().all(|error| error.abs() < most), "{}: {found:?}, {x}, {v}", entry.name);
            let times: Vec<f64> = run.trajectory.times().collect();
            assert!(times.len() == 101 && times.iter().enumerate().all(|(k, t)| (t - dt * k as f64).abs() < 1e-12));
            tried += 1;
            let motion = Differentiated::new(&table, &*scheme).step(dt).until(1.0);
            let mut last = None;
            let keep = &mut |_: &State, changes: &Changes| last = Some(changes.clone());
            let Ok(()) = motion.sensitivities(&[Direction::Parameter(0)], keep) else { continue };
            let last = last.unwrap();
            let by_mass = [last.position[(0, 0)], last.velocity[(0, 0)]];
            let expected = [-x / 2.0, -v / 2.0];
            let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() < most * (1.0 + expected.abs());
            assert!(by_mass.iter().zip(&expected).all(is_near), "{}: {by_mass:?}, {expected:?}", entry.name);
        }
        assert!(tried > 12, "{tried}");
    }
}

#[test]
fn equal_steps_say_where_forces_jump_within_them() {
    let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
    let jumped = |at: f64| {
        let model = driven(Signal::sampled([(0.0, 1.0), (at, 1.0), (at, 3.0)]).unwrap());
        let run = Simulation::new(&model, &*scheme).step(0.01).until(1.0).run(initial_state(&model).unwrap());
        run.cautions.into_iter().find(|caution| matches!(caution, Caution::Jumped { .. }))
    };
    let Some(Caution::Jumped { t, length, count: 1 }) = jumped(0.305) else { panic!("a jump in a step") };
    assert!(t == 0.305 && (length - 0.01).abs() < 1e-12);
    assert_eq!(jumped(0.3), None);
}

#[test]
fn equal_steps_say_what_they_miss() {
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let said = |pulse: [f64; 3], dt: f64| {
        let model = pushed(&[pulse], "<");
        let run = Simulation::new(&model, &*scheme).step(dt).until(2.0).run(initial_state(&model).unwrap());
        // A force that ends within the step for which it begins may be taken for gained energy.
        assert!(matches!(run.outcome, Ok(_) | Err(StepError::EnergyGained { .. })));
        run.cautions.into_iter().find(|caution| matches!(caution, Caution::Switched { .. }))
    };
    let Some(Caution::Switched { first, second, length, count: 1 }) = said([1.00345, 1e-3, 500.0], 0.01) else {
        panic!("a pulse in one step")
    };
    assert!((first - 1.00345).abs() < 1e-12 && (second - 1.00445).abs() < 1e-12 && (length - 0.01).abs() < 1e-12);
    // Steps that see it, and one that ends where it begins or ends.
    for (pulse, dt) in [([1.00345, 1e-3, 500.0], 5e-4), ([1.0, 1e-3, 500.0], 0.01), ([0.999, 1e-3, 500.0], 0.01)] {
        assert_eq!(said(pulse, dt), None, "{pulse:?}");
    }
}

/// A pulse of a table within a step is said as one of a formula is; a table whose samples are nearer to each other than steps
/// says nothing where these resolve it.
#[test]
fn equal_steps_say_what_they_miss_of_tables() {
    let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
    let said = |samples: &[(f64, f64)]| {
        let model = driven(Signal::sampled(samples.iter().copied()).unwrap());
        let run = Simulation::new(&model, &*scheme).step(0.01).until(1.0).run(initial_state(&model).unwrap());
        run.outcome.unwrap();
        run.cautions.into_iter().find(|caution| matches!(caution, Caution::Switched { .. }))
    };
    let pulse = [(0.0, 0.0), (0.3301, 0.0), (0.3302, 500.0), (0.3303, 0.0)];
    let Some(Caution::Switched { first, second, count: 1, .. }) = said(&pulse) else { panic!("a pulse in one step") };
    assert_eq!([first, second], [0.3301, 0.3302]);
    let sine = |rate: f64| -> Vec<(f64, f64)> {
        let sample = |k: i32| (1e-3 * f64::from(k), (rate * 1e-3 * f64::from(k)).sin());
        (0..1000).map(sample).collect()
    };
    assert_eq!(said(&sine(5.0)), None);
    assert!(said(&sine(500.0)).is_some());
    assert_eq!(said(&[(0.0, 0.0), (0.333, 500.0)]), None);
}

#[test]
fn parameters_that_move_times_are_known() {
    let text = "model Started {
        planar;
        coordinates joint;
        param start = 0.3 s;
        param push = 5 N;
        param end = 0.7 s;
        param late = 9 s;
        param turn = 0.5 s;
        body block { mass: 2 kg, inertia: 1 kg m^2 }
        body wheel { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        joint axle: revolute(ground, wheel);
        drive spin: axle.angle == max(0 s, time - turn)^2 * 1 rad/s^2;
        force jumps: (if time < start { 0 N } else { push }) on rail;
        force fades: (-max(0 s, time - end) * 2 N/s) on rail;
        force never: (if time < late { 0 N } else { push }) on rail;
        differentiate all;
    }";
    let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    let mut times = Vec::new();
    model.switching_times(&mut |[t, _], moved_by| times.push((t, moved_by.to_vec())));
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(times, [(0.3, vec![0]), (0.5, vec![4]), (0.7, vec![2]), (9.0, vec![3])]);
    // What jumps, and what bends in constraints, has switching functions; so have times that are never reached.
    assert_eq!(model.n_switching_functions(), 3);
}

/// Tables of inputs: steps end where these have a corner, however near to each other two of them are, and jump where values do.
#[test]
fn tables_are_followed_from_corner_to_corner() {
    let text = "model Pushed {
        planar;
        coordinates joint;
        input push N;
        body block { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force driven: push on rail;
    }";
    // A jump, one as a steep ramp, a pulse, and a ramp that many samples divide.
    let samples = [(0.5, 0.0), (0.5, 4.0), (0.9, 4.0), (0.9 + 1e-7, -2.0), (2.3, -2.0), (2.3, 900.0), (2.301, 900.0)];
    let ramp = (0..=100).map(|i| (2.301 + 0.01 * f64::from(i), 0.05 * f64::from(i)));
    let samples: Vec<(f64, f64)> = samples.into_iter().chain(ramp).collect();
    // ∫∫ f over each straight part, in closed form.
    let (mut x, mut v) = (0.0, 0.0);
    let end = samples.last().copied().unwrap();
    for pair in samples.iter().copied().chain([(4.0, end.1)]).collect::<Vec<_>>().windows(2) {
        let (h, a, b) = (pair[1].0 - pair[0].0, 0.5 * pair[0].1, 0.5 * pair[1].1);
        x += h * v + h * h * (a / 3.0 + b / 6.0);
        v += 0.5 * h * (a + b);
    }
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        if !scheme.estimates_errors() {
            continue;
        }
        let mut model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
        model.set_input("push", Signal::sampled(samples.iter().copied()).unwrap()).unwrap();
        let steps = Steps::with_tolerance(1e-7, 4.0);
        let run = Simulation::new(&model, &*scheme).steps(steps).until(4.0).run(initial_state(&model).unwrap());
        run.outcome.unwrap();
        let reached = |name: &str| run.trajectory.column(name).unwrap().next_back().unwrap();
        let found = (reached("rail.displacement"), reached("velocity(rail.displacement)"));
        let is_near = (found.0 - x).abs() < 1e-4 && (found.1 - v).abs() < 1e-4;
        assert!(is_near, "{}: {found:?}, expected {x} and {v}", entry.name);
        assert!(run.accepted + run.rejected < 2000, "{}: {} and {} steps", entry.name, run.accepted, run.rejected);
    }
}

/// What changes its sign as forces jump, and the instant itself, is met by steps of both kinds, by a table as by a formula.
#[test]
fn events_are_met_where_forces_jump() {
    let table = || {
        let mut model = driven(Signal::sampled([(0.0, -4.0), (0.5, -4.0), (0.5, 4.0)]).unwrap());
        model.set(&[("mass", 2.0)]).unwrap();
        model
    };
    let text = "model Switched {
        planar;
        coordinates joint;
        body block { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force hand: (if time < 0.5 s { -4 N } else { 4 N }) on rail;
    }";
    let formula = || hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    let accelerated = |state: &State| state.a[0];
    let instant = |state: &State| state.t - 0.5;
    let functions: [&dyn Fn(&State) -> f64; 2] = [&accelerated, &instant];
    let mut tried = 0;
    for model in [table(), formula()] {
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            let start = initial_state(&model).unwrap();
            if !scheme.start(&model, start.clone()).is_ok_and(|mut stepper| stepper.resume(&start)) {
                continue;
            }
            let chosen = scheme.estimates_errors().then(|| Steps::with_tolerance(1e-6, 1.0));
            for steps in [Some(Steps::Fixed(0.01)), chosen].into_iter().flatten() {
                for function in functions {
                    for is_terminal in [false, true] {
                        let event = Event { function, direction: hamel::Direction::Rising, is_terminal };
                        let run =
                            Simulation::new(&model, &*scheme).steps(steps).until(1.0).event(event).run(start.clone());
                        run.outcome.unwrap();
                        let times: Vec<f64> = run.occurrences.iter().map(|met| met.state.t).collect();
                        let end = run.trajectory.times().next_back().unwrap();
                        let what = format!("{}, {steps:?}, {is_terminal}: {times:?}, {end}", entry.name);
                        assert!(times.len() == 1 && (times[0] - 0.5).abs() < 1e-9, "{what}");
                        assert!((end - if is_terminal { 0.5 } else { 1.0 }).abs() < 1e-9, "{what}");
                        tried += 1;
                    }
                }
            }
        }
    }
    assert!(tried > 150, "{tried}");
}

/// Formulas of inputs tell when they change, as those of models do: pulses and square waves are followed.
#[test]
fn formulas_of_inputs_are_followed() {
    for (formula, [x, v]) in [
        ("if t < 0.5 { 3 } else { 0 }", [0.75 * 0.25 + 0.75 * 1.5, 0.75]),
        ("if t > 1.3 { if t < 1.3001 { 1e4 } else { 0 } } else { 0 }", [0.5 * (0.7 - 0.5e-4), 0.5]),
        ("2e4 * max(0, 1 - abs(t - 1.3) / 1e-4)", [0.7, 1.0]),
        ("2 * sign(sin(10 * pi * t))", [0.1, 0.0]),
    ] {
        let model = driven(hamel_jit::function_of_time(formula).unwrap());
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            if !scheme.estimates_errors() {
                continue;
            }
            let steps = Steps::with_tolerance(1e-8, 2.0);
            let run = Simulation::new(&model, &*scheme).steps(steps).until(2.0).run(initial_state(&model).unwrap());
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{}, {formula}: {error}", entry.name));
            let reached = |name: &str| run.trajectory.column(name).unwrap().next_back().unwrap();
            let found = [reached("rail.displacement"), reached("velocity(rail.displacement)")];
            let most = if entry.name == "esdirk436" { 1e-3 } else { 1e-6 };
            let is_near = (found[0] - x).abs() < most && (found[1] - v).abs() < most;
            assert!(is_near, "{}, {formula}: {found:?}, expected {x} and {v}", entry.name);
        }
        // Steps of a hundredth end at its changes, or say what they pass.
        let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
        let run = Simulation::new(&model, &*scheme).step(0.01).until(2.0).run(initial_state(&model).unwrap());
        let is_said =
            run.cautions.iter().any(|caution| matches!(caution, Caution::Jumped { .. } | Caution::Switched { .. }));
        // A force that ends within the step for which it begins may be taken for gained energy.
        let is_met = !is_said && run.outcome.is_ok();
        assert_eq!(is_met, !formula.contains("1.3"), "{formula}: {:?}", run.cautions);
        if is_met {
            let found = run.trajectory.column("rail.displacement").unwrap().next_back().unwrap();
            assert!((found - x).abs() < 1e-8, "{formula}: {found}, expected {x}");
        }
    }
}
