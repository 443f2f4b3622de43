//! Instances in lanes are what they are one by one.

use crate::random::Random;
use hamel::newton::Tolerance;
use hamel::schemes::{self, RungeKutta};
use hamel::simulation::{Steps, abreast, runs_abreast};
use hamel::together::Together;
use hamel::{
    ConstraintLevel, Direction, Event, Model, Options, Run, Scheme, Signal, Simulation, State, StepError, initial_state,
};

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

hamel::multibody! {
    /// A crank that a motor turns, a rod and a slider, each by its centre and its angle.
    model SliderCrank {
        planar;
        coordinates absolute;
        param rod_length = 0.4 m;
        param mass = 0.5 kg;
        gravity [0, -9.81] m/s^2;
        input motor N m;
        body crank { mass: 1 kg, inertia: 0.02 kg m^2 }
        body rod { mass: mass, inertia: 0.01 kg m^2 }
        body slider { mass: 0.8 kg, inertia: 0.01 kg m^2 }
        joint o: revolute(ground, crank at [-0.1, 0] m);
        joint p: revolute(crank at [0.1, 0] m, rod at [-rod_length / 2, 0 m]);
        joint q: revolute(rod at [rod_length / 2, 0 m], slider);
        joint guide: prismatic(ground, slider);
        torque drive: motor on crank;
        initial crank.angle = 0.3 rad;
        initial crank.angular_velocity = 5 rad/s;
        output place = slider.position.x;
    }
}

hamel::multibody! {
    /// A chain in space whose bodies have Euler parameters, with friction.
    model Chain {
        coordinates absolute(euler_parameters);
        param load = 1 kg;
        gravity [0, 0, -9.81] m/s^2;
        body upper { mass: 2 kg, inertia: diag(0.1, 0.1, 0.01) kg m^2 }
        body lower { mass: load, inertia: diag(0.05, 0.06, 0.01) kg m^2 }
        joint top: revolute(ground, upper at [0, 0, 0.4] m) { axis: [0, 1, 0] }
        joint elbow: spherical(upper at [0, 0, -0.4] m, lower at [0, 0, 0.3] m);
        torque rub: -0.05 N m s/rad * lower.angular_velocity on lower;
        initial upper.angular_velocity = [0, 1, 0] rad/s;
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

fn same(found: &Run, expected: &Run, what: &str) {
    let said = |run: &Run| format!("{:?} {:?} {:?} {}", run.outcome, run.cautions, run.occurrences, run.accepted);
    assert_eq!(said(found), said(expected), "{what}");
    let bits = |run: &Run| -> Vec<u64> { run.trajectory.rows().flatten().map(|value| value.to_bits()).collect() };
    assert_eq!(bits(found), bits(expected), "{what}");
}

/// Runs of instances by all schemes that take them abreast, as they are alone; how many there were.
fn compare<M: Model>(models: &[M], starts: &[State], options: Options, step: f64, until: f64) -> usize {
    let mut schemes_abreast = 0;
    for scheme in schemes::all() {
        if !runs_abreast(&models[0], &*scheme, Steps::Fixed(step), until) {
            continue;
        }
        schemes_abreast += 1;
        let simulation = |model| Simulation::new(model, &*scheme).options(options).step(step).until(until);
        let runs = models.iter().zip(starts).map(|(model, start)| (simulation(model), start.clone()));
        let found = abreast(runs.collect());
        assert_eq!(found.len(), models.len());
        for (i, (model, start)) in models.iter().zip(starts).enumerate() {
            let expected = simulation(model).run(start.clone());
            same(&found[i], &expected, &format!("instance {i} of {} by {}", models.len(), scheme.label()));
        }
    }
    schemes_abreast
}

/// With sines too: functions of models are those of single runs.
#[test]
fn instances_abreast_have_the_bits_of_single_runs() {
    let models = pendulums(11);
    assert!(compare(&models, &starts(&models), Options::default(), 2e-2, 0.4) >= 25);
    let models = oscillators(5);
    assert!(compare(&models, &starts(&models), Options::default(), 0.1, 1.05) >= 25);
}

/// Constraints on positions, velocities and accelerations, with what is projected after steps.
#[test]
fn constrained_instances_abreast_have_the_bits_of_single_runs() {
    let crank = |i: usize| {
        let parameters = SliderCrankParameters { rod_length: 0.35 + 0.01 * i as f64, mass: 0.5 + 0.1 * i as f64 };
        let mut model = SliderCrank::new(parameters);
        model.inputs.motor = Signal::from(move |t: f64| 0.1 * i as f64 * t.cos());
        model
    };
    let cranks: Vec<SliderCrank> = (0..7).map(crank).collect();
    let chains: Vec<Chain> = (0..8).map(|i| Chain::new(ChainParameters { load: 0.5 + 0.2 * i as f64 })).collect();
    let of_cranks: Vec<State> = cranks.iter().map(|model| initial_state(model).expect("it is assembled")).collect();
    let of_chains: Vec<State> = chains.iter().map(|model| initial_state(model).expect("it is assembled")).collect();
    for level in [None, Some(ConstraintLevel::Velocity), Some(ConstraintLevel::Acceleration)] {
        let options = Options { constraint_level: level, ..Options::default() };
        assert!(compare(&cranks, &of_cranks, options, 5e-3, 0.1) >= 20);
        assert!(compare(&chains, &of_chains, options, 5e-3, 0.05) >= 20);
    }
}

/// One does not converge, one has a mass that is no number, one an input that ceases to be one, and one ends at an event: each
/// says what it says alone, and the others go on.
#[test]
fn failures_and_events_are_those_of_one_instance() {
    let crank = |i: usize| {
        let mass = if i == 2 { f64::NAN } else { 0.5 };
        let mut model = SliderCrank::new(SliderCrankParameters { mass, rod_length: 0.4 + 0.01 * i as f64 });
        // A torque that jumps when the crank is fast, and one that ends.
        model.inputs.motor = match i {
            1 => Signal::from(|t: f64| if t > 0.051 { f64::NAN } else { 0.2 }),
            _ => Signal::from(move |t: f64| 0.1 * i as f64 * t),
        };
        model
    };
    let models: Vec<SliderCrank> = (0..8).map(crank).collect();
    let start = |(i, model): (usize, &SliderCrank)| {
        let usable = SliderCrank::new(SliderCrankParameters { rod_length: 0.4 + 0.01 * i as f64, mass: 0.5 });
        let mut state = initial_state(model).or_else(|_| initial_state(&usable)).expect("it is assembled");
        if i == 4 {
            // So fast that a step is a turn.
            state.v *= 40.0;
        }
        state
    };
    let starts: Vec<State> = models.iter().enumerate().map(start).collect();
    let tolerance = Tolerance { max_iterations: 5, ..Tolerance::default() };
    let passes = |state: &State| state.t - 0.083;
    let mut outcomes = Vec::new();
    for name in ["generalized_alpha", "hht", "esdirk324", "lms2", "ss3", "radau_iia3"] {
        let scheme = schemes::by_name(name, &[]).expect("it is known");
        let simulation = |i: usize| {
            let options = Options { tolerance, ..Options::default() };
            let simulation = Simulation::new(&models[i], &*scheme).options(options).step(5e-3).until(0.15);
            let event = Event { function: &passes, direction: Direction::Rising, is_terminal: true };
            if i == 6 { simulation.event(event) } else { simulation }
        };
        let found = abreast((0..8).map(|i| (simulation(i), starts[i].clone())).collect());
        for (i, found) in found.iter().enumerate() {
            let expected = simulation(i).run(starts[i].clone());
            same(found, &expected, &format!("instance {i} by {name}"));
            outcomes.push((i, expected.outcome.is_ok(), expected.accepted));
        }
    }
    let has_ended = |i: usize| outcomes.iter().filter(|(instance, is_ok, _)| *instance == i && *is_ok).count();
    assert_eq!([1, 2].map(has_ended), [0, 0], "{outcomes:?}");
    assert_eq!([0, 3, 5, 6, 7].map(has_ended), [6; 5], "{outcomes:?}");
    assert!(has_ended(4) < 6, "{outcomes:?}");
    assert!(outcomes.iter().any(|(i, is_ok, steps)| *i == 4 && !is_ok && *steps < 30));
}

/// The digits of a run do not depend on who is beside it.
#[test]
fn company_does_not_matter() {
    let models = pendulums(8);
    let starts = starts(&models);
    let scheme = schemes::by_name("generalized_alpha", &[]).expect("it is known");
    let runs = |of: &[usize]| {
        let one = |&i: &usize| (Simulation::new(&models[i], &*scheme).step(STEP).until(0.5), starts[i].clone());
        abreast(of.iter().map(one).collect())
    };
    let all = runs(&[0, 1, 2, 3, 4, 5, 6, 7]);
    for (place, run) in runs(&[5, 0, 3, 7]).iter().enumerate() {
        same(run, &all[[5, 0, 3, 7][place]], "four of eight");
    }
}

/// Runs that look alike and are not go one by one: of another scheme with the same label, and of a model with other functions.
#[test]
fn runs_that_differ_are_what_they_are_alone() {
    let models = pendulums(8);
    let starts = starts(&models);
    let own =
        [schemes::by_name("generalized_alpha", &[]), schemes::by_name("generalized_alpha", &[("rho_infinity", 0.5)])];
    let [one, other] = own.map(|scheme| scheme.expect("it is known"));
    struct Alias<'s>(&'s dyn Scheme);
    impl Scheme for Alias<'_> {
        fn name(&self) -> String {
            "mine".to_owned()
        }
        fn amplification(
            &self,
            oscillator: hamel::linear_analysis::Oscillator,
        ) -> Option<hamel::nalgebra::DMatrix<f64>> {
            self.0.amplification(oscillator)
        }
        fn order(&self) -> u32 {
            self.0.order()
        }
        fn abreast(&self) -> hamel::scheme::SideBySide {
            self.0.abreast()
        }
        fn stepper<'m>(
            &self,
            model: &'m dyn Model,
            initial: State,
            options: &Options,
        ) -> Result<Box<dyn hamel::Stepper + 'm>, StepError> {
            self.0.stepper(model, initial, options)
        }
    }
    let schemes: Vec<Alias> = (0..8).map(|i| Alias(if i % 2 == 0 { &*one } else { &*other })).collect();
    let simulation = |i: usize| (Simulation::new(&models[i], &schemes[i]).step(STEP).until(0.5), starts[i].clone());
    for (i, run) in abreast((0..8).map(simulation).collect()).iter().enumerate() {
        let (simulation, start) = simulation(i);
        same(run, &simulation.run(start), &format!("instance {i}"));
    }
}
