//! The flexible mechanisms of [zhang, Sec. 5] beside an independent implementation: elements of two nodes, extrapolated to
//! vanishing elements and steps. Its values are certain to the digits that the tolerances leave.

use hamel::{Model, Scheme, State, consistent_acceleration, equilibrium, initial_state};
use hamel_models::{FlexibleFourBar, RotatingShaft};

// Twice as many elements as the model of the library.
hamel_models::thin_beam!(FineThinBeam, 10, 2);

/// The state at rest from which a mechanism starts.
fn at_rest(model: &dyn Model) -> State {
    let mut state = equilibrium(model, &initial_state(model).unwrap()).unwrap().state;
    consistent_acceleration(model, &mut state).unwrap();
    state
}

/// The first three outputs at the ends of runs of equal steps, each given by its end and the number of steps.
fn follow(model: &dyn Model, runs: &[(f64, u32)]) -> Vec<[f64; 3]> {
    let scheme = hamel::schemes::by_name("generalized_alpha", &[("rho_infinity", 0.6)]).unwrap();
    let mut stepper = Scheme::start(&*scheme, model, at_rest(model)).unwrap();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    let run = |&(end, steps): &(f64, u32)| {
        let h = (end - stepper.state().t) / f64::from(steps);
        for _ in 0..steps {
            stepper.step(h).unwrap();
        }
        model.outputs(stepper.state(), &mut outputs);
        [outputs[0], outputs[1], outputs[2]]
    };
    runs.iter().map(run).collect()
}

fn assert_near(found: [f64; 3], expected: [f64; 3], tolerance: f64) {
    let error = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < tolerance, "{found:?} for {expected:?}: {error:.1e}");
}

/// Under its weight the shaft sags by 3.309853 mm in the theory of small deflections, and a little less in truth.
#[test]
fn the_shaft_sags_as_in_the_textbook() {
    let model = RotatingShaft::default();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(&at_rest(&model), &mut outputs);
    assert!((outputs[2] + 3.309_849e-3).abs() < 2e-9, "{outputs:?}");
}

#[test]
fn the_shaft_whirls() {
    let found = follow(&RotatingShaft::default(), &[(0.25, 500), (0.5, 500)]);
    assert_near(found[0], [-1.50392e-5, -7.84965e-3, -3.74519e-3], 1e-6);
    assert_near(found[1], [-1.32008e-3, 7.59292e-2, 2.92098e-2], 5e-5);
}

/// The crank lifts the end of the beam, which leaves its plane at 0.13 s.
#[test]
fn the_thin_beam_buckles() {
    let found = follow(&FineThinBeam::default(), &[(0.05, 100), (0.1, 100), (0.12, 40), (0.14, 40)]);
    assert_near(found[0], [-4.3786e-6, -2.0079e-6, 1.8684e-3], 3e-7);
    assert_near(found[1], [-6.0076e-5, -5.8246e-5, 6.9429e-3], 5e-7);
    assert_near(found[2], [-1.0973e-4, -3.2984e-4, 9.3968e-3], 1e-6);
    assert_near(found[3], [-2.2812e-4, -7.3229e-3, 1.1384e-2], 5e-5);
}

/// After two turns the coupler's end at the tilted joint is where it should be, 1, 2 and 3 s into the third.
#[test]
fn the_four_bar_turns() {
    let two_turns = 4.0 * std::f64::consts::PI / 0.6 + 1.0;
    let model = FlexibleFourBar::default();
    let found = follow(&model, &[1.0, 2.0, 3.0].map(|t| (two_turns + t, if t == 1.0 { 2000 } else { 100 })));
    assert_near(found[0], [0.0677372634, -0.020978222, -0.00204387967], 1e-7);
    assert_near(found[1], [0.111811237, -0.076699899, -0.00383494824], 5e-6);
    assert_near(found[2], [0.0945269772, -0.0462556302, -0.00405356738], 5e-6);
}
