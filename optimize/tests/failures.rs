//! Designs without a motion, searches that find no optimum, and mistakes.

use crate::common::{self, AtEnd, NUMBERS, OSCILLATOR, family, model, of_numbers};
use hamel::Model;
use hamel::gradient::{Instant, Slopes};
use hamel::schemes::RungeKutta;
use hamel_optimize::{Case, Condition, Design, Ended, Free, Optimization, OptimizeError};

#[test]
fn steps_to_designs_without_a_motion_are_rejected() {
    let model = model(NUMBERS);
    let own = family(&model);
    // The square root is least defined where the search would go at first, and the model is refused there.
    let objective =
        AtEnd(|x: &[f64]| (40.0 * x[0] - 400.0 * x[0].sqrt(), vec![40.0 - 200.0 / x[0].sqrt(), 0.0, 0.0, 0.0]));
    let free = || vec![Free::parameter("a", 90.0).scale(1000.0)];
    let found = Optimization::new(vec![of_numbers(&own, &objective)], free()).unwrap().tolerance(1e-6).run().unwrap();
    assert!(found.is_converged() && (found.parameter("a").unwrap() - 25.0).abs() < 1e-4, "{found:?}");
    assert!(found.rejections > 0, "{found:?}");
    assert_eq!(found.last_rejection.as_deref(), Some("the objective is NaN, expected a finite number"));

    let refused = |design: &Design| match design.parameters[0].1 > 5.0 {
        true => own(design),
        false => Err("too thin".to_owned()),
    };
    let found =
        Optimization::new(vec![of_numbers(&refused, &objective)], free()).unwrap().tolerance(1e-6).run().unwrap();
    assert!(found.is_converged() && (found.parameter("a").unwrap() - 25.0).abs() < 1e-4, "{found:?}");
    assert_eq!(found.last_rejection.as_deref(), Some("the design is refused: too thin"));

    // A spring so stiff that the steps of the scheme are unstable: the first step of the search, by its scale.
    let model = common::model(OSCILLATOR);
    let own = common::family(&model);
    let swing = |instant: &Instant, slopes: &mut Slopes| {
        slopes.outputs[0] = 2.0 * instant.weight * instant.outputs[0];
        instant.weight * instant.outputs[0].powi(2)
    };
    let case = Case::new(&own, &RungeKutta, &swing).step(0.01).until(1.0);
    let free = Free::parameter("stiffness", 50.0).within(1.0, f64::INFINITY).scale(1e9);
    let found = Optimization::new(vec![case], vec![free]).unwrap().evaluations(100).run().unwrap();
    assert!(found.last_rejection.as_ref().is_some_and(|text| text.starts_with("the motion fails: ")), "{found:?}");
    assert!(found.objective <= found.objective_at_start, "{found:?}");
}

fn search_of<'a>(case: Case<'a>, free: Vec<Free>) -> Optimization<'a> {
    Optimization::new(vec![case], free).unwrap()
}

/// A largest value has no slope either.
#[test]
fn a_search_that_stays_where_it_starts_says_so() {
    let model = model(NUMBERS);
    let family = family(&model);
    let hill = AtEnd(|x: &[f64]| (5.0 - x[0] * x[0], vec![-2.0 * x[0], 0.0, 0.0, 0.0]));
    let from = |start: f64| {
        let free = vec![Free::parameter("a", start).within(-5.0, 5.0).scale(1.0)];
        search_of(of_numbers(&family, &hill), free).run().unwrap()
    };
    let stays = from(0.0);
    assert!(stays.is_converged() && stays.cautions.iter().any(|said| said.contains("saddle")), "{stays:?}");
    let leaves = from(0.1);
    assert!(leaves.objective < -19.0 && leaves.cautions.is_empty(), "{leaves:?}");
}

#[test]
fn what_is_no_optimum_is_not_called_one() {
    let model = model(NUMBERS);
    let family = family(&model);
    let line = AtEnd(|x: &[f64]| (x[0], vec![1.0, 0.0, 0.0, 0.0]));
    let parabola = AtEnd(|x: &[f64]| (x[0] * x[0] + 1.0, vec![2.0 * x[0], 0.0, 0.0, 0.0]));
    let free = || vec![Free::parameter("a", 3.0).within(-5.0, 5.0)];

    // Conditions that nothing meets, and a pair of them that contradict each other.
    let out_of_reach = || of_numbers(&family, &parabola).subject_to(Condition::at_end("first").equals(7.0));
    let found = search_of(out_of_reach(), free()).run().unwrap();
    assert!(!found.is_converged() && found.ended == Ended::Unmet, "{found:?}");
    assert!((found.parameter("a").unwrap() - 5.0).abs() < 1e-6 && !found.conditions[0].is_met, "{found:?}");
    let case = of_numbers(&family, &line)
        .subject_to(Condition::at_end("first").at_least(2.0))
        .subject_to(Condition::at_end("first").at_most(1.0));
    let found = search_of(case, free()).run().unwrap();
    assert!(!found.is_converged() && found.violation > 0.1, "{found:?}");

    // Limits; the best design is kept.
    let found = search_of(of_numbers(&family, &parabola), free()).iterations(1).tolerance(1e-12).run().unwrap();
    assert!(found.ended == Ended::Iterations && found.objective < found.objective_at_start, "{found:?}");
    let found = search_of(of_numbers(&family, &parabola), free()).evaluations(1).run().unwrap();
    assert!(found.ended == Ended::Evaluations && found.objective == found.objective_at_start, "{found:?}");

    // Slopes of the wrong sign lead nowhere.
    let wrong = AtEnd(|x: &[f64]| (x[0] * x[0] + 1.0, vec![-2.0 * x[0], 0.0, 0.0, 0.0]));
    let found = search_of(of_numbers(&family, &wrong), free()).run().unwrap();
    assert!(!found.is_converged() && found.objective <= found.objective_at_start, "{found:?}");
    // A kink, where slopes do not vanish.
    let kink = AtEnd(|x: &[f64]| ((x[0] - 1.0).abs() + 1.0, vec![(x[0] - 1.0).signum(), 0.0, 0.0, 0.0]));
    let found = search_of(of_numbers(&family, &kink), free()).run().unwrap();
    assert!(!found.is_converged() && (found.parameter("a").unwrap() - 1.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn mistakes_are_named() {
    let model = model(OSCILLATOR);
    let own = family(&model);
    let nothing = |instant: &Instant, slopes: &mut Slopes| {
        slopes.outputs[0] = f64::from(u8::from(instant.is_end));
        slopes.outputs[0] * instant.outputs[0]
    };
    let case = || Case::new(&own, &RungeKutta, &nothing).step(0.01).until(0.1);
    let fails = |case: Case, free: Vec<Free>| {
        let found = Optimization::new(vec![case], free).and_then(|search| search.run().map(|_| ()));
        found.unwrap_err().to_string()
    };
    let stiffness = || Free::parameter("stiffness", 50.0);
    assert_eq!(fails(case(), Vec::new()), "expected at least one parameter or input to choose");
    assert_eq!(fails(case(), vec![stiffness(), stiffness()]), "parameter `stiffness` is free twice");
    let unknown =
        "at the start the design is refused: unknown parameter `stiffnes`, expected one of mass, stiffness, unused";
    assert_eq!(fails(case(), vec![Free::parameter("stiffnes", 1.0)]), unknown);
    let as_it_is = |_: &Design| Ok(Box::new(model.another()) as Box<dyn Model>);
    let of_family = || Case::new(&as_it_is, &RungeKutta, &nothing).step(0.01).until(0.1);
    assert_eq!(
        fails(of_family(), vec![Free::parameter("stiffnes", 1.0)]),
        "there is no parameter `stiffnes` to choose; the model has `mass`, `stiffness`, `unused`"
    );
    let samples = |input: &str, times: &[f64], values: &[f64]| Free::samples(input, times.to_vec(), values.to_vec());
    assert_eq!(
        fails(of_family(), vec![samples("pull", &[0.0], &[1.0])]),
        "there is no input `pull` to choose samples of; the model has `push`"
    );
    assert_eq!(
        fails(case(), vec![samples("push", &[0.0, 0.0], &[1.0, 1.0])]),
        "samples of `push`: expected ascending times, s, found [0.0, 0.0]"
    );
    assert_eq!(
        fails(case(), vec![samples("push", &[0.0, 0.1], &[1.0])]),
        "samples of `push`: expected as many values as times, found 1 and 2"
    );
    assert_eq!(
        fails(case(), vec![stiffness().within(60.0, 40.0)]),
        "parameter `stiffness`: expected a range whose ends ascend and are not both infinite, found 60..40"
    );
    assert_eq!(
        fails(case(), vec![stiffness().within(60.0, 70.0)]),
        "parameter `stiffness`: expected a start within 60..70, found 50"
    );
    assert!(fails(case(), vec![Free::parameter("stiffness", f64::NAN)]).contains("found NaN"));
    assert_eq!(
        fails(case(), vec![stiffness(), Free::parameter("unused", 1.0)]),
        "parameter `unused` changes neither the objective nor a condition"
    );
    assert_eq!(
        fails(case(), vec![samples("push", &[0.0, 0.1, 0.2], &[0.0; 3])]),
        "input `push` at 0.2 s changes neither the objective nor a condition"
    );
    let condition = |condition: Condition<'static>| fails(case().subject_to(condition), vec![stiffness()]);
    assert_eq!(condition(Condition::at_end("y")), "there is no output `y`; the model has `x`, `speed`, `effort`");
    assert_eq!(
        condition(Condition::at_end("x").in_units_of(0.0)),
        "unit of the condition on x at the end: expected a positive number, found 0"
    );
    assert!(condition(Condition::at_end("x").equals(f64::NAN)).contains("expected a finite number, found NaN"));
    assert_eq!(fails(case().weight(-1.0), vec![stiffness()]), "weight of a case: expected a positive number, found -1");
    let undefined = |_: &Instant, _: &mut Slopes| f64::NAN;
    let undefined = Case::new(&own, &RungeKutta, &undefined).step(0.01).until(0.1);
    assert_eq!(fails(undefined, vec![stiffness()]), "at the start the objective is NaN, expected a finite number");
    assert!(fails(case().step(-1.0), vec![stiffness()]).starts_with("at the start the motion fails: steps of -1.0 s"));
    let refused = fails(case(), vec![Free::parameter("mass", -1.0)]);
    assert!(refused.starts_with("at the start the design is refused: the mass of `block` is -1"), "{refused}");
    let none = Optimization::new(Vec::new(), vec![stiffness()]).map(|_| ()).unwrap_err();
    assert_eq!(none, OptimizeError::Free("expected at least one case that judges a design".to_owned()));
    let search = || Optimization::new(vec![case()], vec![stiffness()]).unwrap();
    assert!(search().tolerance(0.0).run().is_err() && search().unit(f64::NAN).run().is_err());
}
