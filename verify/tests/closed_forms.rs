//! Every scheme that the registry marks as fit converges, as it claims, to motions that are known exactly.

use std::sync::LazyLock;

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
