//! Drives whose speed jumps: impulses of their constraints change the velocities of everything that hangs on them.

use hamel::gradient::{Changes, Differentiated, Direction};
use hamel::simulation::Steps;
use hamel::{Caution, Simulation, State, StepError, initial_state, schemes};
use hamel_jit::{JitModel, Level};

use crate::common::random::Random;

/// A carriage that is driven at four speeds in turn, with a bar that hangs on it by a hinge, without gravity.
struct Driven {
    mass: f64,
    inertia: f64,
    arm: f64,
    speeds: [f64; 4],
    angle: f64,
    rate: f64,
}

/// How long each speed lasts, and equal steps, s.
const LASTS: f64 = 0.25;
const STEP: f64 = 5e-3;

impl Driven {
    fn random(seed: u64) -> Self {
        let mut numbers = Random(seed);
        let mut random = || (numbers.next() + 1.0) / 2.0;
        let [mass, inertia, arm] = [0.5 + random(), 0.02 + 0.1 * random(), 0.2 + 0.4 * random()];
        let speeds = std::array::from_fn(|_| 4.0 * random() - 2.0);
        Self { mass, inertia, arm, speeds, angle: 6.0 * random() - 3.0, rate: 4.0 * random() - 2.0 }
    }

    fn model(&self, coordinates: &str, by_velocity: bool) -> JitModel {
        let Self { mass, inertia, arm, speeds: [u0, u1, u2, u3], angle, rate } = self;
        let on_positions =
            "if time < LASTS { u0 * time } else { if time < 2 * LASTS { u0 * LASTS + u1 * (time - LASTS) } else {
                if time < 3 * LASTS { (u0 + u1) * LASTS + u2 * (time - 2 * LASTS) }
                else { (u0 + u1 + u2) * LASTS + u3 * (time - 3 * LASTS) } } }";
        let on_velocities = "if time < LASTS { u0 } else { if time < 2 * LASTS { u1 } else {
                if time < 3 * LASTS { u2 } else { u3 } } }";
        let law = if by_velocity { on_velocities } else { on_positions };
        let law = law.replace("LASTS", &format!("{LASTS} s"));
        let (joined, level) = (coordinates == "joint", if by_velocity { "velocity" } else { "position" });
        let driven =
            if joined && !by_velocity { "rail.displacement".to_owned() } else { format!("carriage.{level}.x") };
        let start = match joined {
            true => format!("initial hinge.angle = {angle:e} rad; initial hinge.angle.velocity = {rate:e} rad/s;"),
            false => format!("initial bar.angle = {angle:e} rad; initial bar.angular_velocity = {rate:e} rad/s;"),
        };
        let text = format!(
            "model Driven {{
                planar;
                coordinates {coordinates};
                param u0 = {u0:e} m/s; param u1 = {u1:e} m/s; param u2 = {u2:e} m/s; param u3 = {u3:e} m/s;
                body carriage {{ mass: 3 kg, inertia: 1 kg m^2 }}
                body bar {{ mass: {mass:e} kg, inertia: {inertia:e} kg m^2, center_of_mass: [{arm:e}, 0] m }}
                joint rail: prismatic(ground, carriage);
                joint hinge: revolute(carriage, bar);
                drive feed: {driven} == {law};
                {start}
                output turned = bar.angle;
                output turning = bar.angular_velocity;
                differentiate all;
            }}"
        );
        hamel_jit::model(text.parse().unwrap(), Level::AtOnce, None).unwrap_or_else(|error| panic!("{text}\n{error}"))
    }

    /// The angle of the bar at the end, and its rate: it turns evenly, and no blow changes its momentum about the hinge.
    fn end(&self, speeds: &[f64; 4]) -> [f64; 2] {
        let Self { mass, inertia, arm, .. } = self;
        let (mut angle, mut rate) = (self.angle, self.rate);
        for (k, speed) in speeds.iter().enumerate() {
            if k > 0 {
                rate += mass * arm * angle.sin() * (speed - speeds[k - 1]) / (inertia + mass * arm * arm);
            }
            angle += rate * LASTS;
        }
        [angle, rate]
    }
}

/// In both coordinates, with constraints on positions and on velocities, by steps of both kinds; slopes by the speeds.
#[test]
fn blows_of_drives_change_velocities_by_their_impulses() {
    let mut tried = [0; 3];
    for seed in 1..4 {
        let driven = Driven::random(seed);
        let expected = driven.end(&driven.speeds);
        for (coordinates, by_velocity) in [("joint", false), ("absolute", false), ("absolute", true)] {
            let model = driven.model(coordinates, by_velocity);
            for entry in schemes::entries() {
                let scheme = entry.scheme(&[]).unwrap();
                let what = format!("{}, {coordinates}, {by_velocity}, {seed}", entry.name);
                let start = initial_state(&model).unwrap();
                let can_go_on = |mut stepper: Box<dyn hamel::Stepper + '_>| stepper.resume(&start);
                if scheme.order() < 2 || !scheme.start(&model, start.clone()).is_ok_and(can_go_on) {
                    continue;
                }
                let chosen = Steps::with_tolerance(1e-8, 1.0);
                let mut most = 0.0;
                let kinds = [Some(Steps::Fixed(STEP)), scheme.estimates_errors().then_some(chosen)];
                for (kind, steps) in kinds.into_iter().enumerate() {
                    let Some(steps) = steps else { continue };
                    let run = Simulation::new(&model, &*scheme).steps(steps).until(1.0).run(start.clone());
                    run.outcome.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
                    let end =
                        ["turned", "turning"].map(|name| run.trajectory.column(name).unwrap().next_back().unwrap());
                    let error =
                        end.iter().zip(expected).map(|(end, expected)| (end - expected).abs()).fold(0.0, f64::max);
                    // Stages of these lie beyond the ends of steps, which is said.
                    let is_beyond = ["mssth5", "esdirk436"].iter().any(|name| entry.name.starts_with(name));
                    most = if is_beyond { 0.1 } else { 1e-8 };
                    assert!(error < most, "{what}: {error:e}");
                    let is_said = |caution: &Caution| {
                        matches!(
                            caution,
                            Caution::Jumped { .. } | Caution::EnergyLost { .. } | Caution::EnergyWavered { .. }
                        )
                    };
                    assert!(!run.cautions.iter().any(is_said), "{what}: {:?}", run.cautions);
                    tried[kind] += 1;
                }
                let motion = Differentiated::new(&model, &*scheme).step(STEP).until(1.0);
                let mut last = None;
                let keep = &mut |_: &State, changes: &Changes| last = Some(changes.clone());
                let directions: Vec<Direction> = (0..4).map(Direction::Parameter).collect();
                let Ok(()) = motion.sensitivities(&directions, keep) else { continue };
                let last = last.unwrap();
                let row = last.position.nrows() - 1;
                for k in 0..4 {
                    let moved = |by: f64| {
                        let mut speeds = driven.speeds;
                        speeds[k] += by;
                        driven.end(&speeds)
                    };
                    let [ahead, behind] = [moved(1e-5), moved(-1e-5)];
                    for (slopes, i) in [(&last.position, 0), (&last.velocity, 1)] {
                        let (found, expected) = (slopes[(row, k)], (ahead[i] - behind[i]) / 2e-5);
                        assert!((found - expected).abs() < most, "{what}, {k}: {found:e}, {expected:e}");
                    }
                }
                tried[2] += 1;
            }
        }
    }
    assert!(tried.iter().all(|&tried| tried > 150), "{tried:?}");
}

/// What is between the ends of equal steps is said.
#[test]
fn blows_within_steps_are_said() {
    let driven = Driven::random(7);
    let model = driven.model("joint", false);
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let run = Simulation::new(&model, &*scheme).step(1e-3 / 0.93).until(1.0).run(initial_state(&model).unwrap());
    let found = run.cautions.iter().find_map(|caution| match caution {
        Caution::Jumped { t, count, .. } => Some((*t, *count)),
        _ => None,
    });
    assert_eq!(found, Some((LASTS, 2)), "{:?}", run.cautions);
}

/// A drive that jumps itself is refused, by equal steps and by chosen ones; no motion follows it.
#[test]
fn drives_that_jump_themselves_are_refused() {
    let text = "model Leaping {
        planar;
        coordinates COORDINATES;
        body a { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint shaft: revolute(ground, a);
        drive turn: a.angle == if time < 0.5 s { 3 rad/s * time } else { 3 rad/s * time + 0.3 rad };
    }";
    for coordinates in ["joint", "absolute"] {
        let model =
            hamel_jit::model(text.replace("COORDINATES", coordinates).parse().unwrap(), Level::AtOnce, None).unwrap();
        for name in ["radau_iia5", "runge_kutta", "generalized_alpha", "dormand_prince"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let chosen = scheme.estimates_errors().then(|| Steps::with_tolerance(1e-6, 1.0));
            for steps in [Some(Steps::Fixed(0.01)), chosen].into_iter().flatten() {
                let run = Simulation::new(&model, &*scheme).steps(steps).until(1.0).run(initial_state(&model).unwrap());
                let Err(StepError::ConstraintJumps { t, constraint, jump, .. }) = &run.outcome else {
                    panic!("{coordinates}, {name}: {:?}", run.outcome)
                };
                assert!(constraint == "turn" && (t - 0.5).abs() < 1e-9 && (jump.abs() - 0.3).abs() < 1e-9, "{name}");
                assert!(run.trajectory.times().next_back().is_some_and(|end| (end - 0.5).abs() < 1e-9));
            }
        }
    }
}
