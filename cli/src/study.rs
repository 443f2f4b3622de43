//! `hamel counts --study`: weights of the cases with which the passes were designed.

use hamel_compiler::parallel;
use hamel_compiler::simplify::Limits;
use hamel_verify::counts::study::{Recorded, Weights, cases, code, weigh};
use serde::Serialize;

use crate::counts::{Arguments, asked};
use crate::failure::Failure;
use crate::screen::Screen;

const HEADER: [&str; 13] = [
    "case",
    "derived",
    "hot",
    "study",
    "target",
    "mean ulp",
    "max ulp",
    "total",
    "CasADi",
    "SymPy",
    "SymEngine",
    "wrenfold",
    "ratio",
];

const LEGEND: &str = "
Weights: 1 for add, mul, neg; 8 div; 12 sqrt; 40 sin or cos, 55 for both of one angle. derived, hot: left in every step
when parameters are known; study, target: recorded hot weights; mean ulp, max ulp: rounding errors after
simplification, those of the derived form in parentheses. total: nothing hoisted, as the weights of other tools.";

#[derive(Serialize)]
struct Row<'a> {
    case: &'a str,
    #[serde(flatten)]
    weights: &'a Weights,
}

/// Derives, simplifies and weighs; fails if a target is missed or the code of another tool has less weight.
pub(crate) fn weights(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let asked = asked(cases(), arguments)?;
    let limits = Limits::default();
    if arguments.code {
        let modules = parallel::map(&asked, |case| code(case, &module(&case.name), &limits));
        let modules = modules.into_iter().collect::<syn::Result<Vec<_>>>();
        return Ok(screen.line(modules.map_err(|error| Failure::Usage(error.to_string()))?.concat())?);
    }
    let weights = parallel::map(&asked, |case| weigh(case, &limits)).into_iter().collect::<syn::Result<Vec<_>>>();
    let weights = weights.map_err(|error| Failure::Usage(error.to_string()))?;
    if arguments.json {
        let rows: Vec<Row> =
            asked.iter().zip(&weights).map(|(case, weights)| Row { case: &case.name, weights }).collect();
        screen.line(serde_json::to_string_pretty(&rows).map_err(std::io::Error::from)?)?;
    } else {
        let header = HEADER.map(String::from).to_vec();
        let rows = asked.iter().zip(&weights).map(|(case, weights)| cells(&case.name, weights));
        screen.table(&std::iter::once(header).chain(rows).collect::<Vec<_>>())?;
        screen.line(LEGEND)?;
    }
    if weights.iter().all(Weights::is_as_light_as_asked) { Ok(()) } else { Err(Failure::Verdict) }
}

/// The name of a case as the name of a module: `EP full +Jac` is `ep_full_jac`.
fn module(case: &str) -> String {
    let words = case.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

fn cells(case: &str, weights: &Weights) -> Vec<String> {
    let known = |weight: Option<u64>| weight.map_or_else(|| "–".to_owned(), |weight| weight.to_string());
    let Weights { derived, hot, total, accuracy, recorded } = weights;
    let Recorded { hot: study, target, casadi, sympy, symengine, wrenfold, .. } = *recorded;
    let errors = |output: f64, input: f64| format!("{output:.2} ({input:.2})");
    let ratio =
        recorded.best_other().map_or_else(|| "–".to_owned(), |other| format!("{:.2}", *total as f64 / other as f64));
    vec![
        case.to_owned(),
        derived.to_string(),
        hot.to_string(),
        known(study),
        known(target),
        errors(accuracy.output.mean, accuracy.input.mean),
        errors(accuracy.output.worst, accuracy.input.worst),
        total.to_string(),
        known(casadi),
        known(sympy),
        known(symengine),
        known(wrenfold),
        ratio,
    ]
}
