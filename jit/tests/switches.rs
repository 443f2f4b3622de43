//! Times at which formulas change: steps that are chosen end there, and what equal steps or slopes miss is said.

use hamel::gradient::Differentiated;
use hamel::simulation::Steps;
use hamel::{Caution, Model, Signal, Simulation, initial_state, schemes};
use hamel_jit::{JitModel, Level};

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
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
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
        for seed in 0..6 {
            let comparison = ["<", "<=", "-"][(seed % 3) as usize];
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

#[test]
fn equal_steps_say_what_they_miss() {
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let said = |pulse: [f64; 3], dt: f64| {
        let model = pushed(&[pulse], "<");
        let run = Simulation::new(&model, &*scheme).step(dt).until(2.0).run(initial_state(&model).unwrap());
        run.outcome.unwrap();
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

#[test]
fn slopes_say_what_they_leave_out() {
    let text = "model Started {
        planar;
        coordinates joint;
        param start = 0.3 s;
        param push = 5 N;
        param end = 0.7 s;
        param late = 9 s;
        body block { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force jumps: (if time < start { 0 N } else { push }) on rail;
        force fades: (-max(0 s, time - end) * 2 N/s) on rail;
        force never: (if time < late { 0 N } else { push }) on rail;
        output x = rail.displacement;
        differentiate all;
    }";
    let model = hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap();
    let mut times = Vec::new();
    model.switching_times(&mut |t, moved_by| times.push((t, moved_by.to_vec())));
    assert_eq!(times, [(0.3, vec![0]), (0.7, vec![2]), (9.0, vec![3])]);
    for name in ["generalized_alpha", "radau_iia5"] {
        let Ok(scheme) = schemes::by_name(name, &[]) else { panic!("{name}") };
        let cautions = Differentiated::new(&model, &*scheme).step(1e-2).until(1.0).cautions().unwrap();
        let moved: Vec<_> = cautions.iter().filter(|caution| matches!(caution, Caution::Moved { .. })).collect();
        assert_eq!(moved, [&Caution::Moved { parameter: "start".to_owned(), t: 0.3 }], "{name}");
    }
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
