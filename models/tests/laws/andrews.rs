//! Andrews' squeezing mechanism in both formulations against its published reference solution. [testset, Andrews' squeezing mechanism]

use hamel::adaptive::{AdaptiveStepper, Control};
use hamel::schemes::by_name;
use hamel::{ConstraintLevel, Model, Options, StepStats, initial_state};
use hamel_models::{AndrewsSqueezer, AndrewsSqueezerAbsolute};

/// Angles at t = 0.03 s in rad, by PSIDE; solutions with finer steps part from them by 3e-10 of γ, and less of the others.
const PUBLISHED: [(&str, f64); 7] = [
    ("beta", 15.81077119629904),
    ("theta", -15.75637105984298),
    ("gamma", 0.04082224013073101),
    ("phi", -0.5347301163226948),
    ("delta", 0.5244099658805303),
    ("omega", 0.5347301163226948),
    ("epsilon", 1.048080741042263),
];

/// The seven angles at t = 0.03 s.
fn angles(model: &dyn Model, scheme: &str, steps: u32) -> Vec<f64> {
    let scheme = by_name(scheme, &[]).expect("a scheme of the registry");
    let start = initial_state(model).expect("the published angles close the loops");
    let mut stepper = scheme.start(model, start).expect("the scheme is defined for the model");
    for _ in 0..steps {
        stepper.step(0.03 / f64::from(steps)).expect("a step");
    }
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(stepper.state(), &mut outputs);
    outputs
}

fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), PUBLISHED.len());
    for ((name, _), (found, expected)) in PUBLISHED.iter().zip(found.iter().zip(expected)) {
        let error = (found - expected).abs() / expected.abs();
        assert!(error < tolerance, "{what}: {name} = {found} for {expected}, relative error {error:.1e}");
    }
}

/// All angles to nine digits after two and a half turns of the crank, by an implicit and by an explicit scheme.
#[test]
fn andrews_squeezer_reaches_the_published_angles() {
    let (joint, absolute) = (AndrewsSqueezer::default(), AndrewsSqueezerAbsolute::default());
    let published = PUBLISHED.map(|(_, angle)| angle);
    for scheme in ["radau_iia5", "runge_kutta"] {
        let [by_joints, by_bodies] = [&joint as &dyn Model, &absolute].map(|model| angles(model, scheme, 2000));
        assert_close(&format!("{scheme}, joint coordinates"), &by_joints, &published, 1e-9);
        assert_close(&format!("{scheme}, absolute coordinates"), &by_bodies, &published, 1e-9);
        assert_close(&format!("{scheme}, absolute and joint coordinates"), &by_bodies, &by_joints, 1e-10);
    }
}

/// The largest relative error of the angles at the end, with steps that a tolerance chooses, their number and effort.
fn by_tolerance(
    model: &dyn Model,
    scheme: &str,
    tolerance: f64,
    constraint_level: Option<ConstraintLevel>,
) -> (f64, u64, StepStats) {
    let scheme = by_name(scheme, &[]).expect("a scheme of the registry");
    let start = initial_state(model).expect("the published angles close the loops");
    let control = Control { first_step: 1e-5, ..Control::tolerance(tolerance) };
    let options = Options { constraint_level, ..Options::default() };
    let mut stepper = AdaptiveStepper::new(model, &*scheme, &options, start, control).expect("an estimate");
    let mut stats = StepStats::default();
    while stepper.state().t < 0.03 {
        stats += stepper.step(0.03).expect("a step");
    }
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(stepper.state(), &mut outputs);
    let errors =
        PUBLISHED.iter().zip(outputs).map(|((_, expected), found)| (found - expected).abs() / (1.0 + expected.abs()));
    (errors.fold(0.0, f64::max), stepper.counts()[0], stats)
}

/// Errors at the end are a few tolerances, and the number of steps grows with the power that the estimate promises.
#[test]
fn andrews_squeezer_keeps_the_tolerance() {
    let (joint, absolute) = (AndrewsSqueezer::default(), AndrewsSqueezerAbsolute::default());
    let cases: [(&str, f64, f64); 6] = [
        ("radau_iia5", 4.0, 1.0),
        ("esdirk324", 3.0, 20.0),
        ("esdirk325", 3.0, 20.0),
        ("esdirk436", 3.0, 20.0),
        ("generalized_alpha", 3.0, 20.0),
        ("dormand_prince", 5.0, 1.0),
    ];
    for (scheme, power, factor) in cases {
        for model in [&joint as &dyn Model, &absolute] {
            let what = format!("{scheme} on {}", model.describe().name);
            let runs =
                [1e-4, 1e-5, 1e-6, 1e-7].map(|tolerance| (tolerance, by_tolerance(model, scheme, tolerance, None)));
            for (tolerance, (error, steps, stats)) in &runs {
                assert!(error < &(factor * tolerance), "{what}, {tolerance:e}: {error:e} in {steps} steps, {stats:?}");
            }
            // The coarsest tolerance leaves steps that are bounded by rejections.
            let [_, (_, (_, few, _)), _, (_, (_, many, _))] = runs;
            let found = 2.0 / (many as f64 / few as f64).log10();
            assert!(
                (found - power).abs() < 0.15 * power,
                "{what}: {few} and {many} steps, power {found} instead of {power}"
            );
        }
    }
}

/// Runs with constraints on positions ended where what velocities missed them by was larger than the tolerance. Errors add up
/// there, as these schemes are of second order.
#[test]
fn andrews_squeezer_runs_to_the_end_with_constraints_on_positions() {
    let model = AndrewsSqueezer::default();
    for scheme in ["esdirk324", "esdirk325", "esdirk436", "radau_iia5", "generalized_alpha"] {
        for tolerance in [1e-4, 1e-5, 1e-6] {
            let (error, steps, _) = by_tolerance(&model, scheme, tolerance, Some(ConstraintLevel::Position));
            let allowed = if scheme == "radau_iia5" { 1.0 } else { 2.0 * steps as f64 };
            assert!(error < allowed * tolerance, "{scheme}, {tolerance:e}: {error:e} in {steps} steps");
        }
    }
}

/// At rest the motor moves K1 and K2 alone, and of the three pins in E only the one of K2 and K3 is loaded.
#[test]
fn andrews_squeezer_starts_with_the_published_accelerations() {
    let model = AndrewsSqueezer::default();
    let info = model.describe();
    let start = initial_state(&model).expect("the published angles close the loops");
    assert!(start.v.amax() < 1e-12, "{}", start.v);
    for (channel, found) in info.velocities.iter().zip(&start.a) {
        let expected = match channel.name.as_str() {
            "beta" => 14222.44391995411,
            "theta" => -10666.83293996354,
            _ => 0.0,
        };
        assert!((found - expected).abs() < 1e-8, "acceleration of {}: {found} for {expected}", channel.name);
    }
    for (channel, found) in info.constraints.iter().zip(&start.lambda) {
        let expected = match channel.name.as_str() {
            "e3[0]" => 98.56687039624109,
            "e3[1]" => -6.122688344255663,
            _ => 0.0,
        };
        assert!((found - expected).abs() < 1e-10, "force of {}: {found} for {expected}", channel.name);
    }
}
