//! Instances in lanes are what they are one by one.

#[path = "../src/random.rs"]
mod random;

use hamel::schemes::RungeKutta;
use hamel::together::Together;
use hamel::{Model, Scheme, Signal, State, StepError, initial_state};
use random::Random;

hamel::multibody! {
    /// A driven mass with a spring that stiffens: arithmetic alone.
    model Oscillator {
        planar;
        coordinates joint;
        param mass = 1 kg;
        param stiffness = 4 N/m;
        input push N;
        body block { mass: mass, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force spring: spring(ground, block) { stiffness: stiffness }
        force drive: [push, 0 N] on block;
    }
}

hamel::multibody! {
    model Pendulum {
        planar;
        coordinates joint;
        param length = 1 m;
        gravity [0, -9.81] m/s^2;
        body upper { mass: 1 kg, inertia: 0.1 kg m^2 }
        body lower { mass: 0.6 kg, inertia: 0.05 kg m^2 }
        joint shoulder: revolute(ground, upper at [-length / 2, 0 m]);
        joint elbow: revolute(upper at [length / 2, 0 m], lower at [-0.35, 0] m);
    }
}

hamel::multibody! {
    /// Three joints in space, one of which slides.
    model Crane {
        coordinates joint;
        param reach = 1 m;
        param load = 2 kg;
        gravity [0, 0, -9.81] m/s^2;
        body tower { mass: 5 kg, inertia: diag(1, 1, 0.3) kg m^2 }
        body boom { mass: 1 kg, inertia: diag(0.1, 0.2, 0.2) kg m^2, center_of_mass: [reach / 2, 0 m, 0.1 m] }
        body hook { mass: load, inertia: diag(0.02, 0.01, 0.03) kg m^2 }
        joint slewing: revolute(ground, tower);
        joint luffing: revolute(tower at [0, 0, 1] m axis [0, 1, 0], boom axis [0, 1, 0]);
        joint rope: prismatic(boom at [reach, 0 m, 0 m], hook);
        force brake: spring(boom, hook) { stiffness: 40 N/m }
    }
}

hamel::multibody! {
    model Top {
        coordinates joint;
        body top { mass: 1 kg, inertia: diag(1, 1, 2) kg m^2 }
        joint tip: spherical(ground, top);
    }
}

const STEP: f64 = 1e-2;

fn alone(model: &impl Model, start: &State, steps: u64) -> Result<State, StepError> {
    let mut stepper = RungeKutta.start(model, start.clone())?;
    for _ in 0..steps {
        stepper.step(STEP)?;
    }
    Ok(stepper.state().clone())
}

fn starts<M: Model>(models: &[M]) -> Vec<State> {
    let start = |(i, model): (usize, &M)| {
        let mut state = initial_state(model).expect("a chain starts anywhere");
        state.q[0] = 0.1 + 0.37 * i as f64;
        state.v[0] = 1.0 - 0.2 * i as f64;
        state
    };
    models.iter().enumerate().map(start).collect()
}

fn oscillators(n: usize) -> Vec<Oscillator> {
    (0..n)
        .map(|i| {
            let mut model = Oscillator::new(OscillatorParameters { mass: 1.0 + 0.3 * i as f64, stiffness: 4.0 });
            model.inputs.push = Signal::from(move |t: f64| t * t - 0.1 * i as f64);
            model
        })
        .collect()
}

fn pendulums(n: usize) -> Vec<Pendulum> {
    (0..n).map(|i| Pendulum::new(PendulumParameters { length: 0.5 + 0.07 * i as f64 })).collect()
}

#[test]
fn arithmetic_has_the_digits_of_single_runs() {
    let models = oscillators(11);
    let starts = starts(&models);
    let mut runs = Together::<_, 4>::new(&models, starts.clone()).expect("it has a closed form");
    runs.advance(300, STEP).expect("a step");
    for (i, (model, start)) in models.iter().zip(&starts).enumerate() {
        assert_eq!(runs.state(i), alone(model, start, 300), "instance {i}");
    }
}

#[test]
fn sines_differ_in_last_digits() {
    let models = pendulums(9);
    let starts = starts(&models);
    let mut runs = Together::<_, 8>::new(&models, starts.clone()).expect("it has a closed form");
    runs.advance(100, STEP).expect("a step");
    for (i, (model, start)) in models.iter().zip(&starts).enumerate() {
        let [found, expected] = [runs.state(i), alone(model, start, 100)].map(|state| state.expect("it does not fail"));
        assert!((found.q - expected.q).amax() < 1e-12, "instance {i}");
    }
}

/// Whatever the parameters and the state are, and however many instances.
#[test]
fn random_instances_move_as_they_do_alone() {
    let mut random = Random(5);
    for instances in 1..20 {
        let mut decades = || 10_f64.powf(random.next());
        let models: Vec<Crane> =
            (0..instances).map(|_| Crane::new(CraneParameters { reach: decades(), load: decades() })).collect();
        let mut start = |model: &Crane| {
            let mut state = initial_state(model).expect("a chain starts anywhere");
            state.q.iter_mut().chain(state.v.iter_mut()).for_each(|x| *x = 1.5 * random.next());
            state
        };
        let starts: Vec<State> = models.iter().map(&mut start).collect();
        let mut runs = Together::<_, 8>::new(&models, starts.clone()).expect("it has a closed form");
        runs.advance(20, STEP).expect("a step");
        for (i, (model, start)) in models.iter().zip(&starts).enumerate() {
            match (runs.state(i), alone(model, start, 20)) {
                (Ok(found), Ok(expected)) => {
                    let size = 1.0 + expected.q.amax() + expected.v.amax();
                    let error = (found.q - expected.q).amax().max((found.v - expected.v).amax());
                    assert!(error < 1e-11 * size, "instance {i} of {instances}: {error:e} of {size}");
                    assert_eq!(found.t, expected.t);
                }
                (found, expected) => assert_eq!(found.is_err(), expected.is_err(), "instance {i} of {instances}"),
            }
        }
    }
}

#[test]
fn the_width_does_not_matter() {
    fn ends<const N: usize>(models: &[Pendulum], starts: &[State]) -> Vec<State> {
        let mut runs = Together::<_, N>::new(models, starts.to_vec()).expect("it has a closed form");
        runs.advance(200, STEP).expect("a step");
        (0..models.len()).map(|i| runs.state(i).expect("it does not fail")).collect()
    }
    let models = pendulums(11);
    let starts = starts(&models);
    let one = ends::<1>(&models, &starts);
    assert_eq!(one, ends::<4>(&models, &starts));
    assert_eq!(one, ends::<8>(&models, &starts));
    assert_eq!(one, ends::<16>(&models, &starts));
}

#[test]
fn a_failure_is_that_of_one_instance() {
    let mut models = oscillators(7);
    models[2].inputs.push = Signal::from(|t: f64| if t > 0.5 { f64::NAN } else { 0.0 });
    let mut starts = starts(&models);
    starts[5].q[0] = f64::NAN;
    let mut runs = Together::<_, 4>::new(&models, starts.clone()).expect("it has a closed form");
    runs.advance(100, STEP).expect("a step");
    for (i, (model, start)) in models.iter().zip(&starts).enumerate() {
        match i {
            2 => assert!(matches!(runs.state(i), Err(StepError::NotFinite { .. }))),
            5 => assert!(matches!(runs.state(i), Err(StepError::BadState { .. }))),
            _ => assert_eq!(runs.state(i), alone(model, start, 100), "instance {i}"),
        }
    }
    let (state, error) = runs.failure(2).expect("it has failed");
    assert!((0.48..=0.51).contains(&state.t) && state.q[0].is_finite(), "{state:?}");
    assert!(matches!(error, StepError::NotFinite { t, .. } if *t == state.t));
}

#[test]
fn rotations_are_refused() {
    let models = [Top::default()];
    let starts = starts(&models);
    assert!(matches!(Together::<_, 4>::new(&models, starts), Err(StepError::Undefined { .. })));
    assert!(Together::<Top, 4>::new(&[], Vec::new()).is_ok());
}

#[test]
fn steps_and_states_are_checked() {
    let models = oscillators(2);
    assert!(matches!(Together::<_, 4>::new(&models, Vec::new()), Err(StepError::BadParameter { .. })));
    let mut runs = Together::<_, 4>::new(&models, starts(&models)).expect("it has a closed form");
    assert!(matches!(runs.advance(1, 0.0), Err(StepError::BadParameter { .. })));
}
