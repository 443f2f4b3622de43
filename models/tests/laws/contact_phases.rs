//! Motions with contacts from event to event, integrated here, beside closed forms and beside schemes without events.

use hamel::configuration::{normalize_rotations, velocity_map_apply};
use hamel::nonsmooth::Phases;
use hamel::schemes::Moreau;
use hamel::{Model, Scheme, State, StepError, initial_state};
use hamel_models::rocking_block::RockingBlockParameters;
use hamel_models::rolling_ball::{RollingBallJointParameters, RollingBallParameters};
use hamel_models::{
    ALL, BouncingBall, RockingBlock, RollingBall, RollingBallJoint, SliderCrankClearance, SliderCrankClearanceAbsolute,
    StickSlip,
};

const GRAVITY: f64 = 9.81;

/// The classical scheme of Runge and Kutta from event to event, which are found by bisection.
struct Motion<'m> {
    model: &'m dyn Model,
    phases: Phases<'m>,
    state: State,
    /// The end of the last phase.
    ended: State,
    events: usize,
}

impl<'m> Motion<'m> {
    fn new(model: &'m dyn Model) -> Self {
        Self::from(model, initial_state(model).unwrap())
    }

    fn from(model: &'m dyn Model, mut state: State) -> Self {
        let mut phases = Phases::new(model, &state).unwrap();
        phases.begin(&mut state).unwrap();
        Self { model, phases, ended: state.clone(), state, events: 0 }
    }

    fn from_tolerance(model: &'m dyn Model, tolerance: f64) -> Self {
        let mut motion = Self::new(model);
        motion.phases = Phases::new(model, &motion.state).unwrap().tolerance(tolerance);
        motion.phases.begin(&mut motion.state).unwrap();
        motion
    }

    /// The slope at a state, in q and v.
    fn slope(&mut self, state: &mut State) -> (Vec<f64>, Vec<f64>) {
        self.phases.accelerate(state).unwrap();
        let mut rates = vec![0.0; state.q.len()];
        velocity_map_apply(&self.model.describe().blocks, state.q.as_slice(), state.v.as_slice(), &mut rates);
        (rates, state.a.as_slice().to_vec())
    }

    fn step(&mut self, h: f64) -> State {
        let start = self.state.clone();
        let moved = |by: f64, (rates, a): &(Vec<f64>, Vec<f64>)| {
            let mut state = start.clone();
            state.t += by;
            state.q.iter_mut().zip(rates).for_each(|(q, rate)| *q += by * rate);
            state.v.iter_mut().zip(a).for_each(|(v, a)| *v += by * a);
            state
        };
        let first = self.slope(&mut start.clone());
        let second = self.slope(&mut moved(0.5 * h, &first));
        let third = self.slope(&mut moved(0.5 * h, &second));
        let fourth = self.slope(&mut moved(h, &third));
        let mean = |pick: &dyn Fn(&(Vec<f64>, Vec<f64>)) -> Vec<f64>| -> Vec<f64> {
            let [a, b, c, d] = [&first, &second, &third, &fourth].map(pick);
            (0..a.len()).map(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0).collect()
        };
        moved(h, &(mean(&|slope| slope.0.clone()), mean(&|slope| slope.1.clone())))
    }

    fn normalize(&mut self) {
        normalize_rotations(&self.model.describe().blocks, self.state.q.as_mut_slice());
    }

    fn indicators(&mut self, state: &State) -> Vec<f64> {
        let mut state = state.clone();
        self.phases.accelerate(&mut state).unwrap();
        let mut indicators = vec![0.0; Phases::n_indicators(self.model)];
        self.phases.indicators(&state, &mut indicators);
        indicators
    }

    /// Goes on by a step, or up to the event in it; whether there was one.
    fn advance(&mut self, h: f64) -> bool {
        let end = self.step(h);
        let has_ended = |indicators: &[f64]| indicators.iter().any(|&indicator| indicator < 0.0);
        if !has_ended(&self.indicators(&end)) {
            self.state = end;
            self.normalize();
            return false;
        }
        let (mut low, mut high) = (0.0, h);
        while high - low > 1e-14 + 1e-13 * h {
            let middle = 0.5 * (low + high);
            let state = self.step(middle);
            *(if has_ended(&self.indicators(&state)) { &mut high } else { &mut low }) = middle;
        }
        self.state = self.step(high);
        self.normalize();
        self.ended = self.state.clone();
        self.phases.begin(&mut self.state).unwrap();
        self.events += 1;
        assert!(self.events < 10_000, "{}: events without end at t = {}", self.model.describe().name, self.state.t);
        true
    }

    /// Goes on up to a time, with this step between events.
    fn until(&mut self, end: f64, h: f64, mut see: impl FnMut(&Self, bool)) {
        while self.state.t < end - 1e-12 {
            let is_event = self.advance(h.min(end - self.state.t));
            see(self, is_event);
        }
    }
}

/// Bounces are where gravity and restitution say, and come to an end.
#[test]
fn a_ball_bounces_at_the_instants_of_the_closed_form() {
    let model = BouncingBall::default();
    let mut motion = Motion::new(&model);
    let mut instants = Vec::new();
    motion.until(2.0, 0.01, |motion, is_event| {
        if is_event {
            instants.push((motion.state.t, motion.state.v[0], motion.phases.record().impacts));
        }
    });
    let (speed, mut expected) = ((2.0 * GRAVITY).sqrt(), (2.0 / GRAVITY).sqrt());
    for (n, &(t, v, impacts)) in instants.iter().enumerate().take(10) {
        let after = speed * 0.5_f64.powi(n as i32 + 1);
        assert_eq!(impacts, n as u64 + 1);
        // An event is where the gap is −10⁻¹⁰ m, so that slow balls are faster by g·10⁻¹⁰/v.
        assert!((t - expected).abs() < 1e-6 && (v - after).abs() < 1e-6, "bounce {n}: {t} s, {v} m/s");
        expected += 2.0 * after / GRAVITY;
    }
    assert!(instants.len() < 20, "{} events", instants.len());
    assert!(motion.state.v[0].abs() < 1e-12 && (motion.state.q[0] - 0.1).abs() < 1e-9);
    motion.phases.accelerate(&mut motion.state).unwrap();
    assert!((motion.phases.record().forces[0] - GRAVITY).abs() < 1e-10);
}

/// It slips by x0 (1 − cos ωt), sticks from where it has the speed of the belt, and slips again at x0.
#[test]
fn a_block_on_a_belt_sticks_and_slips() {
    let model = StickSlip::default();
    let (omega, offset, speed) = (10.0, 0.3 * GRAVITY / 100.0, 0.1);
    let sticks = (speed / (offset * omega)).asin() / omega;
    let slips = sticks + (offset - offset * (1.0 - (omega * sticks).cos())) / speed;
    let mut motion = Motion::new(&model);
    let mut instants = Vec::new();
    motion.until(0.55, 1e-3, |Motion { state, .. }, is_event| {
        if is_event {
            instants.push(state.t);
        }
        let expected = if state.t < sticks {
            offset * (1.0 - (omega * state.t).cos())
        } else if state.t < slips {
            offset * (1.0 - (omega * sticks).cos()) + speed * (state.t - sticks)
        } else {
            offset + speed / omega * (omega * (state.t - slips)).sin()
        };
        assert!((state.q[0] - expected).abs() < 1e-8, "x({}) is {}, expected {expected}", state.t, state.q[0]);
    });
    assert!((instants[0] - sticks).abs() < 1e-6 && (instants[1] - slips).abs() < 1e-6, "{instants:?}");
}

/// A box keeps 1 − 3/2 sin² α of its angular velocity from corner to corner, and its energy in between.
#[test]
fn a_box_rocks_from_corner_to_corner() {
    let model = RockingBlock::new(RockingBlockParameters { tilt: 0.05, ..Default::default() });
    let kept = 1.0 - 1.5 * (0.1_f64 / 0.4).atan().sin().powi(2);
    let mut motion = Motion::new(&model);
    let energy = |state: &State| model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
    let (mut kinetic, mut ratios) = (energy(&motion.state), Vec::new());
    motion.until(0.8, 1e-3, |Motion { state, ended, .. }, is_event| {
        assert!((energy(if is_event { ended } else { state }) - kinetic).abs() < 1e-9, "at {} s", state.t);
        if is_event && state.v != ended.v {
            ratios.push(state.v[2] / ended.v[2]);
        }
        kinetic = energy(state);
    });
    assert!(ratios.len() >= 2, "{ratios:?}");
    // With an integrator of little accuracy it comes to rest, too.
    let mut motion = Motion::from_tolerance(&model, 1e-5);
    motion.until(6.0, 1e-2, |_, _| {});
    assert!(motion.state.v.amax() < 1e-12 && motion.state.q[2].abs() < 1e-9, "{:?}", motion.state);
    assert!(ratios.iter().all(|ratio| (ratio - kept).abs() < 1e-7), "{ratios:?}, expected {kept}");
}

/// Friction slows a ball and turns it until it rolls, after 2 v/(7 μ g) with 5/7 of its speed.
#[test]
fn a_ball_slides_until_it_rolls() {
    let absolute = RollingBall::new(RollingBallParameters::default());
    let joint = RollingBallJoint::new(RollingBallJointParameters::default());
    let models: [&dyn Model; 2] = [&absolute, &joint];
    for model in models {
        let mut motion = Motion::new(model);
        let rolls = 2.0 * 2.0 / (7.0 * 0.2 * GRAVITY);
        let mut instants = Vec::new();
        motion.until(0.6, 1e-3, |motion, is_event| {
            if is_event {
                instants.push(motion.state.t);
            }
        });
        let mut outputs = vec![0.0; model.describe().outputs.len()];
        model.outputs(&motion.state, &mut outputs);
        let speed = outputs[3].hypot(outputs[4]);
        assert!((instants[0] - rolls).abs() < 1e-7, "{instants:?}, expected {rolls}");
        assert!((speed - 10.0 / 7.0).abs() < 1e-8, "{speed}");
    }
}

/// What schemes without events approach as their steps shrink is the motion from event to event, with its impacts.
#[test]
fn schemes_without_events_approach_the_motion_between_events() {
    let joint = SliderCrankClearance::default();
    let absolute = SliderCrankClearanceAbsolute::default();
    let models: [&dyn Model; 2] = [&joint, &absolute];
    for model in models {
        let end = 0.004;
        let mut motion = Motion::new(model);
        motion.until(end, 2e-5, |_, _| {});
        assert!(motion.phases.record().impacts > 0);
        let distance = |steps: u32| {
            let mut stepper = Moreau.start(model, initial_state(model).unwrap()).unwrap();
            for _ in 0..steps {
                stepper.step(end / f64::from(steps)).unwrap();
            }
            (&stepper.state().q - &motion.state.q).amax()
        };
        let distances = [4_000, 16_000, 64_000].map(distance);
        assert!(distances[2] < 0.2 * distances[0] && distances[2] < 1e-4, "{distances:?}");
    }
}

hamel_macros::multibody! {
    /// A rod on a hinge whose tip falls on the floor.
    model TipStop {
        planar;
        coordinates joint;
        param restitution = 0;
        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: 1 kg m^2 / 12 }
        joint hinge: revolute(ground, rod at [-0.5, 0] m);
        contact floor: point_on_line(rod at [0.5, 0] m, ground at [0, -0.6] m) { restitution: restitution }
    }
}

hamel_macros::multibody! {
    /// A block that slides on the floor.
    model Slide {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body block { mass: 1 kg, inertia: 0.01 kg m^2 }
        joint motion: free(ground, block);
        contact floor: point_on_line(block, ground) { friction: 0.4 }
        initial motion.x.velocity = 1 m/s;
    }
}

hamel_macros::multibody! {
    /// A rod whose tip is pushed into the floor by its friction.
    model Rod {
        planar;
        coordinates joint;
        param friction = 2;
        param speed = -1 m/s;
        gravity [0, -9.81] m/s^2;
        body rod { mass: 1 kg, inertia: 1 kg m^2 / 12 }
        joint motion: free(ground, rod at [-0.5, 0] m);
        contact tip: point_on_line(rod at [-0.5, 0] m, ground) { friction: friction }
        initial motion.angle = 45 deg;
        initial motion.x.velocity = speed;
    }
}

/// By Euler's steps, after which the importer looks whether it has gone past an event, by as much as a step is long.
fn by_steps(model: &dyn Model, end: f64, h: f64) -> (State, u64) {
    let mut state = initial_state(model).unwrap();
    let mut phases = Phases::new(model, &state).unwrap().tolerance(1e-6);
    phases.begin(&mut state).unwrap();
    let mut indicators = vec![0.0; Phases::n_indicators(model)];
    for _ in 0..(end / h).round() as u32 {
        phases.accelerate(&mut state).unwrap();
        state.t += h;
        let State { q, v, a, .. } = &mut state;
        q.iter_mut().zip(v.iter()).for_each(|(q, v)| *q += h * v);
        v.iter_mut().zip(a.iter()).for_each(|(v, a)| *v += h * a);
        phases.accelerate(&mut state).unwrap();
        phases.indicators(&state, &mut indicators);
        if indicators.iter().any(|&indicator| indicator < 0.0) {
            phases.begin(&mut state).unwrap();
        }
    }
    (state, phases.record().impacts)
}

#[test]
fn events_that_are_found_late_cost_accuracy_alone() {
    for (restitution, h) in [(0.0, 1e-2), (0.0, 1e-3), (0.5, 1e-3), (0.7, 1e-4)] {
        let model = TipStop::new(TipStopParameters { restitution });
        let (state, impacts) = by_steps(&model, 6.0, h);
        // Euler's steps give a bounce that is as short as they are what it loses in the impact.
        let (way, speed) = if restitution > 0.0 { (0.1 * h, 20.0 * h) } else { (1e-6, 1e-6) };
        assert!((state.q[0] + 0.6_f64.asin()).abs() < way, "{restitution} {h}: {}", state.q[0]);
        assert!(state.v[0].abs() < speed && impacts > 0, "{restitution} {h}: {} rad/s, {impacts}", state.v[0]);
    }
    for h in [1e-2, 1e-3] {
        let (state, _) = by_steps(&Slide::default(), 1.0, h);
        let exact = 0.5 / (0.4 * GRAVITY);
        assert!((state.q[0] - exact).abs() < h && state.v.amax() < 1e-12, "{h}: {} {}", state.q[0], state.v[0]);
    }
    // A box that rocks from one corner to the other.
    let model = RockingBlock::new(RockingBlockParameters { tilt: 0.05, ..Default::default() });
    let (state, _) = by_steps(&model, 6.0, 1e-4);
    assert!(state.q[2].abs() < 1e-4 && state.v.amax() < 1e-2, "{state:?}");
}

#[test]
fn contacts_that_would_have_to_pull_are_refused() {
    let begun = |parameters: RodParameters| {
        let model = Rod::new(parameters);
        let mut state = initial_state(&model).unwrap();
        Phases::new(&model, &state).unwrap().begin(&mut state)
    };
    // At 45° the tip moves by 1 + 1.5 (1 − μ) along the normal for a normal force of one and its friction, so that it
    // would have to pull by 2 m g.
    let error = begun(RodParameters::default()).unwrap_err();
    assert!(matches!(&error, StepError::Painleve { contact, .. } if contact == "tip"), "{error}");
    begun(RodParameters { friction: 0.5, ..Default::default() }).unwrap();
    begun(RodParameters { speed: 1.0, ..Default::default() }).unwrap();
    // What jumps is not integrated.
    let model = BouncingBall::default();
    let mut motion = Motion::new(&model);
    motion.state.q[0] = 0.0;
    let error = motion.phases.begin(&mut motion.state).unwrap_err();
    assert!(matches!(error, StepError::Penetration { .. }), "{error}");
}

/// Every model with contacts has phases, whose accelerations obey the laws of contact.
#[test]
fn all_models_with_contacts_begin_phases() {
    for entry in ALL {
        let model = (entry.build)(&[]).unwrap();
        let info = model.describe();
        if info.contacts.is_empty() || info.velocities.len() > 200 {
            continue;
        }
        let mut motion = Motion::new(&*model);
        let indicators = motion.indicators(&motion.state.clone());
        assert!(indicators.iter().all(|&indicator| indicator > -1e-9), "{}: {indicators:?}", info.name);
    }
}
