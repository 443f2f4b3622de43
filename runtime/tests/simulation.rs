//! Initial states and recorded runs.

use std::sync::LazyLock;

use crate::common::{self, LinearOscillator, Oscillator, Pendulum};
use hamel::newton::Tolerance;
use hamel::schemes::{self, ModifiedEuler, RungeKutta};
use hamel::{Block, Caution, Drift, Energy, Model, ModelInfo, Options, Scheme, State, StepError, Watchers};
use hamel::{Simulation, initial_state};

fn hht() -> Box<dyn Scheme> {
    schemes::by_name("hht", &[]).expect("defaults are in range")
}

#[test]
fn initial_state_obeys_constraints_conditions_and_motion() {
    let state = initial_state(&Pendulum).unwrap();
    // x = 0.6 and the rod of one metre, below, because the reference configuration hangs down.
    assert!((state.q[0] - 0.6).abs() < 1e-14 && (state.q[1] + 0.8).abs() < 1e-14, "{}", state.q);
    // ẋ = 0.4, and x ẋ + y ẏ = 0.
    assert!((state.v[0] - 0.4).abs() < 1e-14 && (state.v[1] - 0.3).abs() < 1e-14, "{}", state.v);
    let (mut r, mut g) = ([1.0; 2], [1.0]);
    Pendulum.residual(&state, &mut r, &mut g);
    assert!(r.iter().chain(&g).all(|x| x.abs() < 1e-13));
    assert!((state.q.dot(&state.a) + state.v.norm_squared()).abs() < 1e-13);
}

/// The pendulum, asked for something else at the start.
struct Asked {
    x: f64,
    velocity: [f64; 2],
    conditions: (usize, usize),
    mass: f64,
    /// A force along x, N, and an energy, J, as functions of time.
    force: fn(f64) -> f64,
    potential: fn(f64) -> f64,
}

const SOUND: Asked =
    Asked { x: 0.6, velocity: [0.4, 0.3], conditions: (1, 2), mass: 1.0, force: |_| 0.0, potential: |_| 0.0 };

impl Model for Asked {
    fn describe(&self) -> &'static ModelInfo {
        Pendulum.describe()
    }
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        Pendulum.mass_matrix(q, out);
        out.iter_mut().for_each(|m| *m *= self.mass);
    }
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        Pendulum.bias_force(q, v, out);
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        Pendulum.applied_force(t, q, v, out);
        out[0] += (self.force)(t);
    }
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        Pendulum.constraint(t, q, out);
    }
    fn constraint_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        Pendulum.constraint_jacobian(t, q, out);
    }
    fn constraint_bias(&self, t: f64, q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        Pendulum.constraint_bias(t, q, v, rate, acceleration);
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy {
        let Energy { kinetic, potential } = Pendulum.energy(t, q, v);
        Energy { kinetic, potential: potential + (self.potential)(t) }
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        Pendulum.damping(state, out);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        Pendulum.stiffness(state, out);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        Pendulum.reference_configuration(q);
    }
    common::assembled_from_parts!();

    fn n_initial_conditions(&self) -> (usize, usize) {
        self.conditions
    }
    fn initial_position(&self, _t: f64, q: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        if self.conditions.0 == 1 {
            residual[0] = q[0] - self.x;
            jacobian.copy_from_slice(&[1.0, 0.0]);
        }
    }
    fn initial_velocity(&self, _t: f64, _q: &[f64], v: &[f64], residual: &mut [f64], jacobian: &mut [f64]) {
        if self.conditions.1 == 2 {
            residual.copy_from_slice(&[v[0] - self.velocity[0], v[1] - self.velocity[1]]);
            jacobian.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        }
    }
}

fn reason(model: &Asked) -> (String, f64) {
    match initial_state(model) {
        Err(StepError::Inconsistent { reason, residual, .. }) => (reason, residual),
        other => panic!("{other:?}"),
    }
}

#[test]
fn more_conditions_than_freedoms_are_fine_when_they_agree() {
    let state = initial_state(&SOUND).unwrap();
    assert!((state.v[1] - 0.3).abs() < 1e-13);
}

#[test]
fn conditions_in_conflict_are_named() {
    let (why, residual) = reason(&Asked { x: 1.4, ..SOUND });
    assert!(why.contains("coordinates") && residual > 0.1, "{why} {residual}");
    let (why, residual) = reason(&Asked { velocity: [0.4, 0.0], ..SOUND });
    assert!(why.contains("velocities") && residual > 0.1, "{why} {residual}");
    // Of a condition and a constraint that are missed alike, the condition is what a user can change.
    assert!(why.contains("most of all an initial condition on velocities"), "{why}");
}

/// The pendulum with its rod counted twice.
struct Redundant;

impl Model for Redundant {
    fn describe(&self) -> &'static ModelInfo {
        const COORDINATES: [&str; 2] = ["x", "y"];
        const CONSTRAINTS: [&str; 2] = ["rod", "same rod"];
        static INFO: LazyLock<ModelInfo> = LazyLock::new(|| {
            common::full_info("Redundant", &COORDINATES, &COORDINATES, &CONSTRAINTS, &[Block::Vector { size: 2 }])
        });
        &INFO
    }
    fn mass_matrix(&self, q: &[f64], out: &mut [f64]) {
        Pendulum.mass_matrix(q, out);
    }
    fn bias_force(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        Pendulum.bias_force(q, v, out);
    }
    fn applied_force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        Pendulum.applied_force(t, q, v, out);
    }
    fn constraint(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out.chunks_exact_mut(1).for_each(|out| Pendulum.constraint(t, q, out));
    }
    fn constraint_jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        common::fill(&self.describe().constraint_jacobian, out, |_, column| q[column]);
    }
    fn constraint_bias(&self, _t: f64, _q: &[f64], v: &[f64], rate: &mut [f64], acceleration: &mut [f64]) {
        rate.fill(0.0);
        acceleration.fill(v[0] * v[0] + v[1] * v[1]);
    }
    fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Energy {
        Pendulum.energy(t, q, v)
    }
    fn damping(&self, state: &State, out: &mut [f64]) {
        Pendulum.damping(state, out);
    }
    fn stiffness(&self, state: &State, out: &mut [f64]) {
        let lambda = state.lambda.sum();
        out.copy_from_slice(&[-lambda, 0.0, 0.0, -lambda]);
    }
    fn reference_configuration(&self, q: &mut [f64]) {
        Pendulum.reference_configuration(q);
    }
    common::assembled_from_parts!();
    common::without_initial_conditions!();
}

/// Every scheme moves the pendulum with two equal rods as the one with one, and both rods carry half of the force.
#[test]
fn redundant_constraints_change_nothing() {
    let initial = initial_state(&Redundant).unwrap();
    assert!((initial.lambda[0] + 0.5 * Pendulum::GRAVITY).abs() < 1e-12, "{}", initial.lambda);
    assert!((initial.lambda[1] + 0.5 * Pendulum::GRAVITY).abs() < 1e-12, "{}", initial.lambda);
    assert_eq!(hamel::redundant_constraints(&Redundant, &initial), [1]);

    let single = Pendulum::initial();
    let mut double = State { lambda: nalgebra::DVector::zeros(2), ..single.clone() };
    hamel::consistent_acceleration(&Redundant, &mut double).unwrap();
    assert!((double.lambda[0] - double.lambda[1]).abs() < 1e-14);
    for scheme in hamel::schemes::all() {
        let Ok(mut expected) = scheme.start(&Pendulum, single.clone()) else { continue };
        let mut found = scheme.start(&Redundant, double.clone()).unwrap();
        for _ in 0..100 {
            expected.step(0.01).unwrap();
            found.step(0.01).unwrap();
        }
        let (expected, found) = (expected.state(), found.state());
        let error = (&expected.q - &found.q).amax().max((&expected.v - &found.v).amax());
        assert!(error < 1e-8, "{}: {error:e}", scheme.name());
        let mut found = found.clone();
        hamel::least_norm_multipliers(&Redundant, &mut found);
        for k in 0..2 {
            let error = (2.0 * found.lambda[k] - expected.lambda[0]).abs();
            assert!(error < 1e-8 * (1.0 + expected.lambda[0].abs()), "{}: {error:e}", scheme.name());
        }
    }
}

#[test]
fn missing_inertia_is_named() {
    let (why, _) = reason(&Asked { mass: 0.0, ..SOUND });
    assert!(why.contains("inertia"), "{why}");
}

#[test]
fn without_conditions_the_start_is_the_reference_at_rest() {
    let state = initial_state(&Asked { conditions: (0, 0), ..SOUND }).unwrap();
    assert_eq!(state.q.as_slice(), [0.0, -1.0]);
    assert_eq!(state.v.as_slice(), [0.0, 0.0]);
    assert!((state.lambda[0] + Pendulum::GRAVITY).abs() < 1e-14);
}

#[test]
fn a_run_ends_on_time_and_records_what_was_asked() {
    // 0.1 divides 1 up to rounding, 0.3 leaves a shorter last step.
    for (dt, every, expected) in [(0.1, 1, 11), (0.1, 4, 4), (0.3, 1, 5)] {
        let run = Simulation::new(&Oscillator, &RungeKutta)
            .step(dt)
            .until(1.0)
            .record_every(every)
            .run(Oscillator::initial());
        run.outcome.unwrap();
        let times: Vec<f64> = run.trajectory.times().collect();
        assert_eq!(times.len(), expected, "{times:?}");
        assert_eq!(*times.last().unwrap(), 1.0);
    }
    // Only the rest of the time is integrated where a start is not at zero.
    let late =
        Simulation::new(&Oscillator, &RungeKutta).step(0.5).until(4.0).run(State { t: 3.0, ..Oscillator::initial() });
    assert_eq!(late.trajectory.times().collect::<Vec<f64>>(), [3.0, 3.5, 4.0]);
    let nothing = Simulation::new(&Oscillator, &RungeKutta).step(0.1).until(0.0).run(Oscillator::initial());
    assert!(nothing.outcome.is_ok() && nothing.trajectory.len() == 1);
}

#[test]
fn columns_have_names_and_csv_loses_nothing() {
    let run = Simulation::new(&Pendulum, &*hht()).step(0.01).until(0.05).run(Pendulum::initial());
    let trajectory = run.trajectory;
    let kinetic: Vec<f64> = trajectory.column("kinetic_energy").unwrap().collect();
    assert!((kinetic[0] - 0.125).abs() < 1e-15);
    assert_eq!(trajectory.column("multiplier(rod)").unwrap().len(), 6);
    assert!(trajectory.column("nonsense").is_err());

    let mut csv = Vec::new();
    trajectory.write_csv(&mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("t [s],x [1],y [1],"));
    for (line, row) in lines.zip(trajectory.rows()) {
        let values: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        assert_eq!(values, row);
    }
}

#[test]
fn a_failing_run_keeps_what_it_computed() {
    let until = 1e200;
    let mut initial = Pendulum::initial();
    initial.t = 0.0;
    // One good step, then one of the rest of the interval, from which there is no way back to the circle.
    let run = Simulation::new(&Pendulum, &*hht()).step(until).until(until).run(initial.clone());
    assert!(run.outcome.is_err());
    assert_eq!(run.trajectory.len(), 1);

    for (dt, until) in [(0.0, 1.0), (f64::NAN, 1.0), (0.1, -1.0), (0.1, f64::INFINITY)] {
        let run = Simulation::new(&Pendulum, &*hht()).step(dt).until(until).run(initial.clone());
        assert!(matches!(run.outcome, Err(StepError::BadParameter { .. })));
        assert_eq!(run.trajectory.len(), 1);
    }
}

/// Every state stands at a multiple of the step, so that what switches at a given time does it on time.
#[test]
fn rounding_of_the_time_does_not_add_up() {
    let start = initial_state(&Oscillator).unwrap();
    let run = Simulation::new(&Oscillator, &RungeKutta).step(0.1).until(100.0).run(start);
    for (step, t) in run.trajectory.times().enumerate() {
        assert_eq!(t, step as f64 * 0.1);
    }
}

/// A state of another model, one that is not finite, and one that is off the constraints, by every scheme.
#[test]
fn states_that_are_none_of_the_model_are_refused() {
    let stretched = || {
        let mut state = Pendulum::initial();
        state.q[0] += 0.5;
        state
    };
    let undefined = || {
        let mut state = Pendulum::initial();
        state.v[1] = f64::NAN;
        state
    };
    // Along the rod.
    let lengthening = || {
        let mut state = Pendulum::initial();
        state.v += 0.5 * &state.q;
        state
    };
    for scheme in hamel::schemes::all() {
        let why = |state: State| match Simulation::new(&Pendulum, &*scheme)
            .step(0.01)
            .until(0.1)
            .run(state.clone())
            .outcome
        {
            Err(StepError::BadState { what, .. }) => {
                assert!(matches!(scheme.start(&Pendulum, state), Err(StepError::BadState { .. })));
                what
            }
            other => panic!("{}: {other:?}", scheme.name()),
        };
        assert_eq!(why(Oscillator::initial()), "the number of coordinates");
        assert_eq!(why(undefined()), "velocity `y`");
        assert_eq!(why(stretched()), "what is left of constraint `rod`");
        assert_eq!(why(lengthening()), "the rate of constraint `rod`");
    }
}

/// A function of the user panics in the middle of a step, or of what is recorded: by every scheme, the run ends there and
/// keeps whole rows.
#[test]
fn panics_of_user_functions_end_the_run_with_what_was_computed() {
    fn late(t: f64) -> f64 {
        if t > 0.5 { panic!("no value after {} s", 0.5) } else { 0.0 }
    }
    let models = [Asked { force: late, ..SOUND }, Asked { potential: late, ..SOUND }];
    for (model, scheme) in
        models.iter().flat_map(|model| hamel::schemes::all().into_iter().map(move |scheme| (model, scheme)))
    {
        let run = Simulation::new(model, &*scheme).step(0.02).until(1.0).run(initial_state(model).unwrap());
        let (t, message) = match run.outcome {
            Err(StepError::Panicked { t, message, .. }) => (t, message),
            // Those for models without constraints.
            Err(StepError::Undefined { .. }) => continue,
            other => panic!("{}: {other:?}", scheme.name()),
        };
        assert_eq!(message, "no value after 0.5 s");
        assert!(t <= 0.5 && t > 0.4, "{}: {t}", scheme.name());
        assert_eq!(run.trajectory.times().next_back(), Some(t), "{}", scheme.name());
        assert!(run.trajectory.rows().all(|row| row.len() == run.trajectory.columns().len()));
    }
    let silent = Asked { force: |t| if t > 0.5 { std::panic::panic_any(7) } else { 0.0 }, ..SOUND };
    let run = Simulation::new(&silent, &RungeKutta).step(0.02).until(1.0).run(initial_state(&silent).unwrap());
    assert!(run.outcome.unwrap_err().to_string().ends_with("panicked: it does not say why"));
}

/// Forces at the end of the range of numbers: nothing is recorded that is not finite, and a step that fails leaves the
/// state where it was.
#[test]
fn huge_forces_end_the_run_or_leave_finite_states() {
    let forces: [fn(f64) -> f64; 5] = [|_| 1e150, |_| 1e200, |_| 1e300, |_| 1e308, |_| -f64::MAX];
    for (force, scheme) in
        forces.into_iter().flat_map(|force| hamel::schemes::all().into_iter().map(move |scheme| (force, scheme)))
    {
        let model = Asked { force, ..SOUND };
        let start = initial_state(&SOUND).unwrap();
        let run = Simulation::new(&model, &*scheme).step(0.01).until(0.1).run(start.clone());
        // This model does not know the power of its forces, so there is no balance of energy.
        let columns = run.trajectory.columns().iter().filter(|column| column.name != "energy_balance");
        for column in columns {
            let mut values = run.trajectory.column(&column.name).unwrap();
            assert!(values.all(f64::is_finite), "{}: {} of {:e} N", scheme.name(), column.name, force(0.0));
        }
        let Ok(mut stepper) = scheme.start(&model, start) else { continue };
        for _ in 0..10 {
            let before = stepper.state().clone();
            if stepper.step(0.01).is_err() {
                // Bit by bit, because states of a stepper without watchers may not be finite.
                let bits = |state: &State| [&state.q, &state.v].map(|x| x.map(f64::to_bits));
                assert_eq!(bits(stepper.state()), bits(&before), "{} with {:e} N", scheme.name(), force(0.0));
                assert_eq!(stepper.state().t, before.t);
                break;
            }
        }
    }
}

/// The pendulum without damping of its constraint: the multipliers of the trapezoidal rule grow until all is lost.
#[test]
fn runs_that_mean_nothing_end_with_what_was_computed() {
    let trapezoidal = hamel::schemes::by_name("trapezoidal", &[]).unwrap();
    let run = Simulation::new(&Pendulum, &*trapezoidal).step(0.05).until(1000.0).run(Pendulum::initial());
    let Err(StepError::EnergyGained { t, gain, in_motion, .. }) = run.outcome else { panic!("{:?}", run.outcome) };
    assert!(gain > in_motion && in_motion > 0.1, "{gain:e} {in_motion:e}");
    let last = run.trajectory.times().next_back().unwrap();
    assert!(last < t && last > t - 0.06, "{last} {t}");
    // What is recorded is within the limits.
    let within = |gain: f64| gain <= in_motion;
    assert!(run.trajectory.column("energy_balance").unwrap().all(within));
    assert!(matches!(run.cautions[..], [Caution::Scheme(_)]), "{:?}", run.cautions);

    // Any other limit is kept too.
    for limit in [0.1, 10.0] {
        let watchers = Watchers { energy: Some(limit), ..Watchers::default() };
        let simulation = Simulation::new(&Pendulum, &*trapezoidal).watchers(watchers).step(0.05).until(1000.0);
        let outcome = simulation.run(Pendulum::initial()).outcome;
        let Err(StepError::EnergyGained { gain, in_motion, .. }) = outcome else { panic!("{outcome:?}") };
        assert!(gain > limit * in_motion, "{limit}: {gain:e} {in_motion:e}");
    }

    // Unwatched it goes on.
    let watchers = Watchers { energy: Some(f64::INFINITY), ..Watchers::default() };
    let options = Options { watchers, ..Options::default() };
    let run =
        Simulation::new(&Pendulum, &*trapezoidal).options(options).step(0.05).until(1.2 * t).run(Pendulum::initial());
    assert!(run.outcome.is_ok(), "{:?}", run.outcome);
    assert!(matches!(run.cautions[..], [Caution::Scheme(_), Caution::EnergyGained { .. }]), "{:?}", run.cautions);
}

/// Moreau's rule as published drifts off the circle; with its drift removed it stays there.
#[test]
fn drift_is_removed_or_ends_the_run() {
    let run = |drift| {
        let options = Options { drift, ..Options::default() };
        Simulation::new(&Pendulum, &hamel::schemes::Moreau)
            .options(options)
            .step(0.02)
            .until(20.0)
            .run(Pendulum::initial())
    };
    let kept = run(Drift::Kept);
    let Err(StepError::ConstraintsLost { constraint, residual, .. }) = kept.outcome else {
        panic!("{:?}", kept.outcome)
    };
    assert_eq!(constraint, "rod");
    assert!(residual > 1e-3 && residual < 2e-3, "{residual:e}");
    let largest = |trajectory: &hamel::Trajectory, name: &str| trajectory.column(name).unwrap().fold(0.0, f64::max);
    assert!(largest(&kept.trajectory, "position_residual") > 1e-4);

    let removed = run(Drift::Removed);
    assert!(removed.outcome.is_ok(), "{:?}", removed.outcome);
    assert!(largest(&removed.trajectory, "position_residual") < 1e-14);
    let rate = largest(&removed.trajectory, "velocity_residual");
    assert!(rate < 1e-13, "{rate:e}");
}

/// A tolerance that rounding does not allow changes nothing but what is counted.
#[test]
fn tolerances_below_rounding_are_met_as_far_as_rounding_allows() {
    let tight = Tolerance { relative: 1e-60, absolute: 1e-300, ..Tolerance::default() };
    let options = Options { tolerance: tight, ..Options::default() };
    for name in ["generalized_alpha", "bathe", "mssth4", "radau_iia5", "lms3", "ss3"] {
        let scheme = hamel::schemes::by_name(name, &[]).unwrap();
        let usual = Simulation::new(&Pendulum, &*scheme).step(0.01).until(2.0).run(Pendulum::initial());
        let tight =
            Simulation::new(&Pendulum, &*scheme).options(options).step(0.01).until(2.0).run(Pendulum::initial());
        let stats = tight.outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(stats.at_rounding > 0 && usual.outcome.unwrap().at_rounding == 0, "{name}: {stats:?}");
        assert_eq!(tight.cautions, [Caution::Rounding { count: stats.at_rounding }]);
        let last = |trajectory: &hamel::Trajectory| trajectory.rows().next_back().unwrap()[1..3].to_vec();
        for (usual, tight) in last(&usual.trajectory).iter().zip(last(&tight.trajectory)) {
            assert!((usual - tight).abs() < 1e-11, "{name}: {usual} {tight}");
        }
    }
}

/// Kinetic energy overflows where the velocity does not: what is recorded is finite, unless nobody asks for that.
#[test]
fn what_is_recorded_is_finite_where_that_is_asked_for() {
    let particle = common::Particle::on(hamel::ContactLaw::default());
    let initial = common::Particle::initial(100.0, [1e200, 0.0, 0.0]);
    let scheme = hamel::schemes::by_name("half_explicit", &[]).unwrap();
    let run = |finite| {
        let watchers = Watchers { constraints: None, finite, energy: None };
        let options = Options { watchers, ..Options::default() };
        Simulation::new(&particle, &*scheme).options(options).step(0.01).until(0.05).run(initial.clone())
    };
    let Err(StepError::NotFiniteValue { quantity, .. }) = run(true).outcome else { panic!("finite energy") };
    assert_eq!(quantity, "`kinetic_energy`");
    let run = run(false);
    assert!(run.outcome.is_ok(), "{:?}", run.outcome);
    assert_eq!(run.trajectory.column("kinetic_energy").unwrap().next_back(), Some(f64::INFINITY));
}

/// Nothing moves, nothing is gained or lost.
#[test]
fn a_rest_is_no_reason_for_cautions() {
    let (q, a) = (common::vector(&[0.0, -1.0]), common::vector(&[0.0, 0.0]));
    let lambda = common::vector(&[-Pendulum::GRAVITY]);
    let start = State { t: 0.0, q, v: a.clone(), a, lambda };
    let run = Simulation::new(&Pendulum, &RungeKutta).step(0.01).until(0.1).run(start);
    assert!(run.outcome.is_ok() && run.cautions.is_empty(), "{:?} {:?}", run.outcome, run.cautions);
}

/// A particle that falls half a metre is as deep in the ground as a step lets it fall.
#[test]
fn penetrations_that_are_no_small_part_of_the_motion_are_cautioned() {
    let particle = common::Particle::on(hamel::ContactLaw { restitution: 0.8, ..hamel::ContactLaw::default() });
    for (dt, is_deep) in [(0.03, true), (1e-4, false)] {
        let scheme = hamel::schemes::by_name("half_explicit", &[]).unwrap();
        let run =
            Simulation::new(&particle, &*scheme).step(dt).until(0.6).run(common::Particle::initial(0.5, [0.0; 3]));
        assert!(run.outcome.is_ok(), "{:?}", run.outcome);
        let depth = run.trajectory.column("penetration").unwrap().next_back().unwrap();
        match run.cautions[..] {
            [Caution::Penetration { depth: found, widest }] if is_deep => {
                assert_eq!(found, depth);
                assert!((widest - 0.5).abs() < 1e-12 && depth > 0.025 && depth < 0.1, "{depth} {widest}");
            }
            [] if !is_deep => assert!(depth > 0.0 && depth < 5e-4, "{depth}"),
            ref other => panic!("{dt}: {other:?}"),
        }
    }
}

/// The pendulum with two equal rods hangs as that with one, at the weight.
#[test]
fn redundant_constraints_hold_an_equilibrium() {
    let start = State { lambda: common::vector(&[-4.0; 2]), q: common::vector(&[0.3, -0.9]), ..Pendulum::initial() };
    let state = hamel::equilibrium(&Redundant, &start).unwrap().state;
    assert!(state.q[0].abs() < 1e-12 && (state.q[1] + 1.0).abs() < 1e-12, "{}", state.q);
    assert!((state.lambda.sum() + Pendulum::GRAVITY).abs() < 1e-12, "{}", state.lambda);
}

/// Critically damped, q = (q₀ + (v₀ + q₀) t) exp(−t), the work of the damper is the energy that is lost: what a scheme has
/// added is the difference of its energy from the exact one.
#[test]
fn work_of_a_damper_is_known_with_coarse_and_uneven_steps() {
    let model = LinearOscillator { omega: 1.0, damping: 1.0, ends_at: f64::INFINITY };
    let (q, v) = (0.7, 0.2);
    let exact = |t: f64| {
        let rest = (q + (v + q) * t) * (-t).exp();
        let speed = (v - (v + q) * t) * (-t).exp();
        0.5 * (rest * rest + speed * speed)
    };
    let scheme = schemes::by_name("esdirk436", &[]).unwrap();
    let mut errors = Vec::new();
    for longest in [0.4, 0.2, 0.1] {
        // Uneven steps, by a run each that continues the last.
        let mut parts = [1.0, 0.63, 0.85, 0.5, 0.72].into_iter().cycle();
        let mut state = model.initial();
        let (mut left, mut worst) = (0.0, 0.0_f64);
        while state.t < 4.0 {
            let dt = longest * parts.next().unwrap();
            let before = state.t;
            let run = Simulation::new(&model, &*scheme).step(dt).until(before + dt).run(state);
            assert!(run.outcome.is_ok() && run.cautions.is_empty(), "{:?} {:?}", run.outcome, run.cautions);
            let row = run.trajectory.rows().next_back().unwrap();
            state = State { t: row[0], ..model.initial() };
            (state.q[0], state.v[0], state.a[0]) = (row[1], row[2], row[3]);
            left += run.trajectory.column("energy_balance").unwrap().next_back().unwrap();
            let energy = 0.5 * (row[1] * row[1] + row[2] * row[2]);
            worst = worst.max((left - (energy - exact(state.t))).abs());
        }
        errors.push(worst);
    }
    // Of fourth order; the trapezoidal rule leaves 1e-2 J at 0.4 s.
    assert!(errors[0] < 1e-3 && errors[2] < errors[0] / 64.0, "{errors:?}");
}

/// A damper with steps far beyond the limit of an explicit scheme: neither a loss nor a gain is known.
#[test]
fn energy_that_steps_do_not_resolve_is_no_loss() {
    let model = LinearOscillator { omega: 1.0, damping: 10.0, ends_at: f64::INFINITY };
    let run = |step: f64| {
        let run = Simulation::new(&model, &ModifiedEuler).step(step).until(10.0 * step).run(model.initial());
        (run.outcome.is_ok(), run.cautions)
    };
    assert_eq!(run(1e-3), (true, Vec::new()));
    for step in [0.11, 0.2, 0.4] {
        let (_, cautions) = run(step);
        assert!(!cautions.iter().any(|caution| matches!(caution, Caution::EnergyLost { .. })), "{step}: {cautions:?}");
    }
}

hamel::multibody! {
    /// A turning arm, a velocity of which is prescribed: `share` says in which proportion to another.
    pub model Arm {
        planar;
        coordinates joint;
        param share = -1;
        body arm { mass: 1 kg, inertia: 1 kg m^2 }
        joint pivot: revolute(ground at [1, 1] m, arm);
        drive crank: pivot.angle == (1 rad) * (time / (1 s))^2;
        constraint knife: (arm at [1, 1] m).velocity.y == share * arm.velocity.x as velocity;
    }
}

/// At rest each of the two follows from the other; in motion they contradict each other.
#[test]
fn a_constraint_on_velocities_that_is_not_kept_ends_the_run() {
    for name in ["runge_kutta", "radau_iia5", "generalized_alpha", "half_explicit"] {
        let scheme = hamel::schemes::by_name(name, &[]).expect("it is one");
        let arm = Arm::default();
        let start = hamel::initial_state(&arm).expect("it can be assembled");
        let run = Simulation::new(&arm, &*scheme).step(1e-3).until(0.1).run(start);
        let Err(StepError::ConstraintsLost { constraint, residual, .. }) = run.outcome else {
            panic!("{name}: {:?}", run.outcome)
        };
        assert_eq!(constraint, "knife", "{name}");
        assert!(residual > 0.1, "{name}: {residual:e}");
    }
}

hamel::multibody! {
    /// A pendulum, let go where it is level, with limits that nothing enforces.
    pub model Swing {
        planar;
        coordinates joint;
        gravity [0, -9.81] m/s^2;
        body bob { mass: 1 kg, inertia: 0.1 kg m^2 }
        joint hinge: revolute(ground, bob at [0, 1] m) { limits: -45 deg..100 deg }
        initial hinge.angle = 90 deg;
    }
}

/// A third of its period is no step for a pendulum, although its energy may be near that of the start in the end.
#[test]
fn energy_that_goes_and_comes_back_is_cautioned() {
    let model = Swing::default();
    for scheme in ["esdirk325", "generalized_alpha", "runge_kutta"] {
        let run = |step: f64| {
            let scheme = schemes::by_name(scheme, &[]).unwrap();
            let watchers = Watchers { energy: Some(f64::INFINITY), ..Watchers::default() };
            let options = Options { watchers, ..Options::default() };
            let start = initial_state(&model).unwrap();
            let run = Simulation::new(&model, &*scheme).options(options).step(step).until(20.0).run(start);
            let is_of_energy = |caution: &&Caution| {
                use Caution::{EnergyGained, EnergyLost, EnergyWavered};
                matches!(caution, EnergyGained { .. } | EnergyLost { .. } | EnergyWavered { .. })
            };
            (run.outcome.is_ok(), run.cautions.iter().find(is_of_energy).cloned())
        };
        assert_eq!(run(0.01), (true, None), "{scheme}");
        for step in [0.6, 0.8, 1.0] {
            assert!(matches!(run(step), (false, _) | (true, Some(_))), "{scheme}, {step}: {:?}", run(step));
        }
    }
}

#[test]
fn joints_past_their_limits_are_named() {
    let model = Swing::default();
    let run = |start: f64| {
        let mut state = initial_state(&model).unwrap();
        state.q[0] = start;
        state.a[0] = -9.81 * start.sin() / 1.1;
        Simulation::new(&model, &RungeKutta).step(1e-3).until(2.0).run(state).cautions
    };
    // Let go at 80° it passes −45° on the other side, after a quarter and before a half of its period of 2.4 s.
    let [Caution::JointLimit { coordinate, t, limit, others: 0, may_be_stopped: false }] =
        &run(80_f64.to_radians())[..]
    else {
        panic!("{:?}", run(80_f64.to_radians()));
    };
    assert_eq!((coordinate.name.as_str(), limit.to_degrees()), ("hinge.angle", -45.0));
    assert!((0.6..1.0).contains(t), "{t}");
    assert_eq!(run(40_f64.to_radians()), []);
    // At the start, too.
    let [Caution::JointLimit { t, limit, .. }] = run(170_f64.to_radians())[..] else { panic!("no caution") };
    assert_eq!((t, limit.to_degrees().round()), (0.0, 100.0));
}

hamel::multibody! {
    /// A disc that a constant torque turns faster and faster.
    model Spun {
        planar;
        coordinates joint;
        body disc { mass: 1 kg, inertia: 0.5 kg m^2 }
        joint axle: revolute(ground, disc) { velocity_limit: 2 rad/s }
        torque motor: -0.5 N m on axle;
    }
}

#[test]
fn joints_that_are_too_fast_are_named() {
    let model = Spun::default();
    let run = |until: f64| {
        Simulation::new(&model, &RungeKutta).step(1e-3).until(until).run(initial_state(&model).unwrap()).cautions
    };
    assert_eq!(run(1.999), []);
    let [Caution::JointSpeed { velocity, t, limit, others: 0 }] = &run(3.0)[..] else { panic!("{:?}", run(3.0)) };
    assert_eq!((velocity.name.as_str(), *limit), ("axle.angle", 2.0));
    assert!((2.0..2.01).contains(t), "{t}");
    assert!(run(3.0)[0].to_string().contains("faster than its limit of 2 rad/s at t = 2.00"), "{}", run(3.0)[0]);
}
