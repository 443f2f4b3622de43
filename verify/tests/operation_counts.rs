//! The reference functions of `hamel counts` compute what was published, before and after simplification, and take no
//! more operations than the code of the best other tool.

use hamel_compiler::expr::Stage;
use hamel_compiler::simplify::Limits;
use hamel_verify::counts::{Function, functions, study};

/// Rounding errors, relative to the largest value.
const TOLERANCE: f64 = 1e-10;

/// Those that take a moment without optimisation.
fn small() -> Vec<Function> {
    let families = ["HT_", "FB_", "SC_", "C3_", "K_dp_"];
    let is_small = |function: &Function| families.iter().any(|family| function.name.starts_with(family));
    functions().into_iter().filter(is_small).collect()
}

#[test]
fn values_are_the_published_ones_and_counts_are_lowest() {
    let functions = small();
    assert_eq!(functions.len(), 17);
    for function in functions {
        let count = function.count(&Limits::default()).expect("the compiler accepts its reference models");
        let name = &count.name;
        assert!(count.deviation < TOLERANCE, "{name}: {:e}", count.deviation);
        let simplified = count.simplified.arithmetic();
        assert!(simplified <= count.derived.arithmetic(), "{name}: {simplified} of {}", count.derived);
        assert!(count.ratio().is_some_and(|ratio| ratio <= 1.0), "{name}: {simplified}, {:?}", count.best_peer);
        assert!(count.hoisted.is_none_or(|hoisted| hoisted.arithmetic() <= simplified), "{name}: {:?}", count.hoisted);
    }
}

#[test]
fn small_cases_of_the_study_are_as_light_as_asked() {
    let families = ["EP full", "slider-crank", "arm3 M+h", "FFRF 2D"];
    let cases = study::cases();
    let small = cases.iter().filter(|case| families.iter().any(|family| case.name.starts_with(family)));
    let small: Vec<_> = small.filter(|case| !case.name.contains("by hand")).collect();
    assert_eq!(small.len(), 10);
    for case in small {
        let weights = study::weigh(case, &Limits::default()).expect("the compiler accepts its reference models");
        assert!(weights.is_as_light_as_asked(), "{}: {weights:?}", case.name);
    }
}

#[test]
fn all_functions_have_the_published_values_as_derived() {
    for function in functions() {
        let formulas = function.write(Stage::Position).expect("the compiler accepts its reference models");
        let deviation = function.deviation(&formulas);
        assert!(deviation < TOLERANCE, "{}: {deviation:e}", function.name);
    }
}
