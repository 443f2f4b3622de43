//! Every scheme that the registry marks as fit converges, as it claims, to motions that are known exactly.

use std::sync::LazyLock;

use hamel_verify::closed_forms::random::{self, End};
use hamel_verify::closed_forms::{Measurement, cells, measure, problems};

/// What all schemes do on all problems; computed once.
static MEASUREMENTS: LazyLock<Vec<Measurement>> = LazyLock::new(|| measure("", None));

#[test]
fn every_fit_scheme_converges_to_every_closed_form() {
    let wrong: Vec<String> = MEASUREMENTS.iter().filter_map(|measurement| measurement.verdict().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for problem in problems() {
        let fit = MEASUREMENTS.iter().filter(|measurement| std::ptr::eq(measurement.problem, problem)).count();
        assert!(fit >= 10, "{}: {fit} schemes", problem.name);
    }
}

/// Errors below this are rounding, which differs between processors.
const ROUNDING: f64 = 1e-10;

#[test]
fn the_page_shows_what_schemes_do() {
    let page = include_str!("../../docs/closed_forms.md");
    let advice = "`hamel closed-forms --markdown > docs/closed_forms.md` writes it anew";
    let rows = |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|c| c.trim().to_owned()).collect() };
    let shown: Vec<(String, Vec<String>)> = page
        .split("\n## ")
        .skip(1)
        .flat_map(|section| {
            let name = section.lines().next().unwrap_or_default().to_owned();
            let table = section.lines().filter(|line| line.starts_with('|')).skip(2);
            table.map(move |line| (name.clone(), rows(line)))
        })
        .collect();
    assert_eq!(shown.len(), MEASUREMENTS.len(), "{advice}");
    for ((problem, shown), measurement) in shown.iter().zip(&*MEASUREMENTS) {
        let found = cells(measurement);
        assert_eq!((problem.as_str(), &shown[0]), (measurement.problem.name, &found[0]), "{advice}");
        for (shown, found) in shown[1..4].iter().zip(&found[1..4]) {
            let [shown, found] = [shown, found].map(|cell| cell.parse::<f64>().unwrap_or(f64::NAN));
            let is_same = (shown - found).abs() <= 0.1 * shown || shown.max(found) < ROUNDING;
            assert!(is_same, "{problem}, {}: {shown:e} is now {found:e}; {advice}", measurement.scheme);
        }
    }
}

/// The shortest step's error of a scheme on a problem.
fn finest(problem: &str) -> Vec<(&'static str, f64)> {
    let of = MEASUREMENTS.iter().filter(|measurement| measurement.problem.name == problem);
    let found: Vec<(&str, f64)> =
        of.map(|measurement| (measurement.scheme, measurement.errors.as_ref().map_or(f64::NAN, |e| e[2]))).collect();
    assert!(found.len() >= 15, "{problem}: {found:?}");
    found
}

/// Starts on the floor with 2 m/s downward were integrated without an impact: up to 242 J came from nowhere.
#[test]
fn a_ball_that_approaches_the_floor_at_the_start_bounces() {
    for problem in ["ball/approaching", "ball/approaching_below", "ball/approaching_above"] {
        for (scheme, error) in finest(problem) {
            assert!(error < 3e-3, "{problem}, {scheme}: {error:e}");
        }
    }
}

/// A floor that starts upward gave the ball on it energy.
#[test]
fn a_floor_that_starts_upward_throws_the_ball_by_the_restitution() {
    for (scheme, error) in finest("ball/floor_starts") {
        assert!(error < 3e-3, "{scheme}: {error:e}");
    }
}

/// `mssth5` let the lower ball chatter on the floor, so that the upper one met it in the air, at any step.
#[test]
fn a_ball_dropped_on_a_resting_one_comes_back_to_its_height() {
    for (scheme, error) in finest("stack/elastic_on_resting") {
        assert!(error < 5e-3, "{scheme}: {error:e}");
    }
}

/// A sample of what `--example random_contacts` runs in large numbers.
#[test]
fn random_starts_end_well_or_with_a_typed_error() {
    let ends: Vec<End> =
        (0..300).map(|seed| random::run(seed).unwrap_or_else(|sentence| panic!("{sentence}"))).collect();
    let count = |end: End| ends.iter().filter(|&&found| found == end).count();
    assert!(count(End::Ok) > 100 && count(End::Penetration) > 20, "{ends:?}");
}
