//! Forces that come and go again and again, as square waves do: steps end where they change, the first one begins behind.

use hamel::gradient::{Changes, Differentiated, Direction};
use hamel::simulation::Steps;
use hamel::{Caution, Simulation, State, initial_state, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::random::Random;

/// A force of `push` while a function of time is beyond a level, and of half that the other way otherwise.
struct Wave {
    text: String,
    holds: Box<dyn Fn(f64) -> bool>,
}

const PUSH: f64 = 3.0;

impl Wave {
    /// One of five forms, with this many radians a second from this phase on.
    fn new(form: usize, rate: f64, phase: f64, level: f64) -> Self {
        let angle = format!("{rate:e} rad/s * time + {phase:e} rad");
        let at = move |t: f64| rate * t + phase;
        let (text, holds): (String, Box<dyn Fn(f64) -> bool>) = match form {
            0 => (format!("sin({angle}) > {level:e}"), Box::new(move |t| at(t).sin() > level)),
            1 => (format!("{level:e} < 0.2 - 3 * cos({angle})"), Box::new(move |t| level < 0.2 - 3.0 * at(t).cos())),
            2 => (format!("abs(sin({angle})) / 2 < {level:e}"), Box::new(move |t| at(t).sin().abs() / 2.0 < level)),
            3 => (format!("tan({angle}) > {level:e}"), Box::new(move |t| at(t).tan() > level)),
            _ => (format!("-sin({angle}) >= {level:e}"), Box::new(move |t| -at(t).sin() >= level)),
        };
        Self { text, holds }
    }

    fn model(&self) -> JitModel {
        let text = format!(
            "model Shaken {{
                planar;
                coordinates joint;
                param push = {PUSH:e} N;
                body block {{ mass: 2 kg, inertia: 1 kg m^2 }}
                joint rail: prismatic(ground, block);
                force hand: (if {} {{ push }} else {{ -push / 2 }}) on rail;
                differentiate all;
            }}",
            self.text
        );
        hamel_jit::model(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")), Level::AtOnce, None).unwrap()
    }

    /// Where it is at the end, and how fast, from the times at which the force changes, which bisection finds.
    fn end(&self, until: f64) -> [f64; 2] {
        const PIECES: usize = 200_000;
        let (mut x, mut v, mut since) = (0.0, 0.0, 0.0);
        let mut go = |t: f64, holds: bool| {
            let (h, a) = (t - since, if holds { PUSH / 2.0 } else { -PUSH / 4.0 });
            (x, v, since) = (x + h * v + 0.5 * a * h * h, v + a * h, t);
        };
        let time = |piece: usize| until * (piece as f64 + 0.5) / PIECES as f64;
        for piece in 1..PIECES {
            let (mut from, mut to) = (time(piece - 1), time(piece));
            let before = (self.holds)(from);
            if (self.holds)(to) == before {
                continue;
            }
            for _ in 0..60 {
                let half = 0.5 * (from + to);
                if (self.holds)(half) == before { from = half } else { to = half }
            }
            go(to, before);
        }
        go(until, (self.holds)(time(PIECES - 1)));
        [x, v]
    }
}

fn reached(run: &hamel::Run) -> [f64; 2] {
    ["rail.displacement", "velocity(rail.displacement)"]
        .map(|name| run.trajectory.column(name).unwrap().next_back().unwrap())
}

/// Between changes the motion is of second order, which all schemes with estimates of errors compute without any.
#[test]
fn chosen_steps_end_at_each_change() {
    let mut random = Random(5);
    let mut tried = 0;
    for trial in 0..10 {
        let [rate, phase, level] = [7.0 + 4.0 * random.next(), 3.0 * random.next(), 0.4 + 0.3 * random.next()];
        // Pulses of a thousandth of the period too.
        let level = if trial == 5 { 0.999_995 } else { level };
        let wave = Wave::new(trial % 5, rate, phase, level);
        let (model, expected) = (wave.model(), wave.end(5.0));
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            if !scheme.estimates_errors() {
                continue;
            }
            let steps = Steps::with_tolerance(1e-6, 5.0);
            let run = Simulation::new(&model, &*scheme).steps(steps).until(5.0).run(initial_state(&model).unwrap());
            let what = format!("{}, {}", entry.name, wave.text);
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
            let (found, steps) = (reached(&run), run.accepted + run.rejected);
            // A stage of it lies beyond the ends of steps.
            let most = if entry.name == "esdirk436" { 1e-3 } else { 1e-5 };
            let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < most);
            assert!(is_near, "{what}: {found:?}, expected {expected:?}");
            assert!(steps < 4000, "{what}: {steps} steps");
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

/// Changes at the ends of equal steps, and at the start: without errors, as with forces of tables; and so are slopes.
#[test]
fn equal_steps_have_the_forces_of_their_half_waves() {
    let dt = 0.01;
    let mut tried = 0;
    for (form, steps) in [(0, 0.0), (4, 3.0), (3, 2.0), (0, 7.0)] {
        // Half a period is ten steps; it begins so many steps after zero.
        let rate = std::f64::consts::PI / (10.0 * dt);
        let wave = Wave::new(form, rate, steps * dt * rate, 0.0);
        let model = wave.model();
        let [x, v] = wave.end(1.0);
        for entry in schemes::entries() {
            let scheme = entry.scheme(&[]).unwrap();
            let start = initial_state(&model).unwrap();
            let Ok(mut stepper) = scheme.start(&model, start.clone()) else { continue };
            // See `equal_steps_have_the_forces_before_jumps_at_their_ends`.
            let is_beyond = ["ss", "mssth5", "esdirk436"].iter().any(|name| entry.name.starts_with(name));
            if scheme.order() < 2 || is_beyond || !stepper.resume(&start) {
                continue;
            }
            let what = format!("{}, {}", entry.name, wave.text);
            let run = Simulation::new(&model, &*scheme).step(dt).until(1.0).run(start);
            run.outcome.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
            let is_jump = |caution: &Caution| matches!(caution, Caution::Jumped { .. } | Caution::Switched { .. });
            assert!(!run.cautions.iter().any(is_jump), "{what}: {:?}", run.cautions);
            let found = reached(&run);
            assert!((found[0] - x).abs() < 1e-8 && (found[1] - v).abs() < 1e-8, "{what}: {found:?}, {x}, {v}");
            tried += 1;
            let motion = Differentiated::new(&model, &*scheme).step(dt).until(1.0);
            let mut last = None;
            let keep = &mut |_: &State, changes: &Changes| last = Some(changes.clone());
            let Ok(()) = motion.sensitivities(&[Direction::Parameter(0)], keep) else { continue };
            let last = last.unwrap();
            let slopes = [last.position[(0, 0)], last.velocity[(0, 0)]];
            let is_near = |(slope, expected): (&f64, f64)| (slope - expected / PUSH).abs() < 1e-8;
            assert!(slopes.iter().zip([x, v]).all(is_near), "{what}: {slopes:?}, {x}, {v}");
        }
    }
    assert!(tried > 40, "{tried}");
}

/// Steps that pass a change say so, those that pass whole pulses too.
#[test]
fn equal_steps_say_what_they_pass() {
    let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
    let said = |rate: f64| {
        let model = Wave::new(0, rate, 0.1, 0.0).model();
        let run = Simulation::new(&model, &*scheme).step(0.01).until(2.0).run(initial_state(&model).unwrap());
        run.outcome.unwrap();
        let first = |caution: &Caution| match caution {
            Caution::Jumped { t, count, .. } => Some((*t, 1, *count)),
            Caution::Switched { first, count, .. } => Some((*first, 2, *count)),
            _ => None,
        };
        run.cautions.iter().find_map(first)
    };
    let pi = std::f64::consts::PI;
    let (first, kind, count) = said(7.0).expect("steps that pass changes");
    assert!((first - (pi - 0.1) / 7.0).abs() < 1e-12 && (kind, count) == (1, 4), "{first}, {kind}, {count}");
    let (_, kind, count) = said(1e5).expect("steps that pass pulses");
    assert_eq!((kind, count), (2, 200));
}
