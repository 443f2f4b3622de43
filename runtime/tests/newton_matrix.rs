//! Matrices that are kept in Newton's method change the effort of a motion and nothing else.

use crate::common::{Chain, Craft, FreeBody, HeavyTop, Oscillator, Pendulum, Train};
use hamel::newton::{NewtonMatrix, Tolerance};
use hamel::{Model, Options, State, StepStats, schemes};

/// The end of a motion, with what its steps took.
fn end(model: &dyn Model, initial: &State, scheme: &str, h: &[f64], options: &Options) -> (State, StepStats) {
    let scheme = schemes::by_name(scheme, &[]).expect("it exists");
    let mut stepper = scheme.start_with(model, initial.clone(), options).expect("it starts");
    let mut stats = StepStats::default();
    for &h in h {
        stats += stepper.step(h).unwrap_or_else(|error| panic!("{error}"));
    }
    (stepper.state().clone(), stats)
}

/// Steps of several sizes: a few equal ones, then others.
const STEPS: [f64; 12] = [2e-3, 2e-3, 2e-3, 2e-3, 2e-3, 1.7e-3, 1.7e-3, 5e-4, 5e-4, 5e-4, 3e-3, 2e-3];

/// Rounding by other operations has effects of the same size; a single pair of runs may show little of it by chance.
const ROUNDING: f64 = 30.0;

/// The state with coordinates and velocities moved by half a unit in the last place, on average.
fn moved(state: &State) -> State {
    let mut moved = state.clone();
    let State { q, v, .. } = &mut moved;
    let signs = [1.0, -1.0, 0.0];
    for (place, value) in q.iter_mut().chain(v).enumerate() {
        *value *= 1.0 + f64::EPSILON * signs[place % 3];
    }
    moved
}

fn of_q(state: &State) -> &[f64] {
    state.q.as_slice()
}

fn of_v(state: &State) -> &[f64] {
    state.v.as_slice()
}

fn of_a(state: &State) -> &[f64] {
    state.a.as_slice()
}

fn of_lambda(state: &State) -> &[f64] {
    state.lambda.as_slice()
}

/// The largest difference, relative to the largest value or one.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().fold(1.0_f64, |size, a| size.max(a.abs()));
    a.iter().zip(b).fold(0.0_f64, |error, (a, b)| error.max((a - b).abs())) / size
}

#[test]
fn motions_are_the_same() {
    let body = FreeBody::TUMBLING;
    let cases: [(&dyn Model, State); 6] = [
        (&Oscillator, Oscillator::initial()),
        (&Pendulum, Pendulum::initial()),
        (&body, body.initial(FreeBody::SPIN)),
        (&HeavyTop, HeavyTop::initial()),
        (&Craft::PULLED, Craft::PULLED.initial([2.0, -3.0, 1.0], [0.5, 1.5, -2.0])),
        (&Chain, Chain::initial()),
    ];
    let (mut fewer, mut n_compared, mut iterations) = (0, 0, [0; 3]);
    let tolerances = [(1e-12, 1e-11), (1e-8, 1e-9), (1e-6, 1e-8)];
    for scheme in schemes::all() {
        let Some(key) = scheme.key() else { continue };
        for (model, initial) in &cases {
            // Levels of constraints and tolerances of Newton's method change what is solved and when iterations end.
            for ((relative, least), iterations) in tolerances.into_iter().zip(&mut iterations) {
                let options = |newton_matrix| Options {
                    newton_matrix: Some(newton_matrix),
                    tolerance: Tolerance { relative, ..Tolerance::default() },
                    ..Options::default()
                };
                let started = scheme.start_with(*model, initial.clone(), &options(NewtonMatrix::Kept));
                if started.is_err() {
                    continue;
                }
                let [(expected, all), (found, kept)] = [NewtonMatrix::EveryIteration, NewtonMatrix::Kept]
                    .map(|matrix| end(*model, initial, key, &STEPS, &options(matrix)));
                // What rounding alone does to accelerations and multipliers grows with the inverse square of the step.
                let moved = moved(initial);
                let exact = Options { newton_matrix: Some(NewtonMatrix::EveryIteration), ..Options::default() };
                let [rounded, exact] = [&moved, initial].map(|start| end(*model, start, key, &STEPS, &exact).0);
                for (name, of) in [("q", of_q as fn(&State) -> &[f64]), ("v", of_v), ("a", of_a), ("lambda", of_lambda)]
                {
                    let error = difference(of(&exact), of(&found));
                    // Steps for which no matrix is kept have the error of the tolerance.
                    let [of_rounding, of_tolerance] =
                        [&rounded, &expected].map(|other| difference(of(&exact), of(other)));
                    let least = if ["a", "lambda"].contains(&name) { 1e3 * least } else { least };
                    let allowed = f64::max(least, ROUNDING * of_rounding).max(2.0 * of_tolerance);
                    let what = format!("{key} on {} at {relative}", model.describe().name);
                    assert!(error <= allowed, "{what}: {name} differ by {error:.1e}, {allowed:.1e} is allowed");
                }
                fewer += u32::from(kept.factorizations < all.factorizations);
                *iterations += kept.newton_iterations;
                n_compared += 1;
            }
        }
    }
    assert!(iterations[1] < iterations[0] && iterations[2] < iterations[1], "{iterations:?} with wider tolerances");
    assert!(fewer > 150 && n_compared > 450, "{fewer} of {n_compared} with fewer factorizations");
}

/// Where forces hardly change within a step, inertia alone serves in place of large full matrices; where they do, matrices are
/// factorized as ever.
#[test]
fn inertia_serves_without_matrices() {
    // One of each family, and one with the forces of the beginning of a step.
    for key in ["generalized_alpha", "hht", "lms2", "ss2", "esdirk324", "mssth3_published", "radau_iia3"] {
        for stiffness in [1.0, 1e3, 1e5] {
            let train = Train { stiffness };
            let options = |newton_matrix| Options { newton_matrix: Some(newton_matrix), ..Options::default() };
            let run = |start: &State, matrix| end(&train, start, key, &STEPS, &options(matrix));
            let initial = train.initial();
            let (expected, _) = run(&initial, NewtonMatrix::EveryIteration);
            let (rounded, _) = run(&moved(&initial), NewtonMatrix::EveryIteration);
            let (found, stats) = run(&initial, NewtonMatrix::Kept);
            let what = format!("{key} with a stiffness of {stiffness}");
            for (name, of) in [("q", of_q as fn(&State) -> &[f64]), ("v", of_v), ("a", of_a)] {
                let [error, of_rounding] = [&found, &rounded].map(|other| difference(of(&expected), of(other)));
                let allowed = f64::max(1e-14, ROUNDING * of_rounding);
                assert!(error <= allowed, "{what}: {name} differ by {error:.1e}, {allowed:.1e} is allowed");
            }
            let is_free = stiffness == 1.0 && key != "hht";
            assert_eq!(stats.factorizations == 0, is_free, "{what}: {} factorizations", stats.factorizations);
        }
    }
}
