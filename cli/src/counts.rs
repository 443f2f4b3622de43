//! `hamel counts`: operation counts of reference functions, compared with the best of other tools.

use hamel_compiler::expr::Operations;
use hamel_compiler::parallel;
use hamel_compiler::simplify::Limits;
use hamel_report::number;
use hamel_verify::counts::{Count, Function, Peer, functions};
use serde::Serialize;

use crate::failure::Failure;
use crate::screen::Screen;

/// Largest deviation from published values, relative to the largest of them, that counts as rounding.
const TOLERANCE: f64 = 1e-10;

const HEADER: [&str; 10] =
    ["function", "derived", "simplified", "neg", "trig", "hoisted", "best other", "tool", "ratio", "max deviation"];

const LEGEND: &str = "
derived, simplified, hoisted: additions, multiplications, divisions and powers; hoisted: left in every evaluation when
parameters are known before. neg, trig: changes of sign, sines and cosines of the simplified function.";

/// Arguments of `hamel counts`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Count only functions whose names begin with NAME, e.g. C6 or K_arm7_rnea.
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
    /// Show the cases with which the passes were designed: weights, targets, and weights of other tools.
    #[arg(long)]
    study: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Print these cases as Rust, one module each without and with fused multiply-add.
    #[arg(long, requires = "study", conflicts_with = "json")]
    pub(crate) code: bool,
}

#[derive(Serialize)]
struct Row {
    function: String,
    derived: Kinds,
    simplified: Kinds,
    hoisted: Option<Kinds>,
    best_other: Option<Peer>,
    ratio: Option<f64>,
    deviation: f64,
}

/// Operations as counted in the table.
#[derive(Serialize)]
struct Kinds {
    arith: u64,
    neg: u64,
    trig: u64,
}

/// Derives, simplifies and counts; fails if values deviate.
pub(crate) fn counts(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    if arguments.study {
        return super::study::weights(arguments, screen);
    }
    let asked = asked(functions(), arguments)?;
    let limits = Limits::default();
    let counts = parallel::map(&asked, |function| function.count(&limits)).into_iter().collect::<syn::Result<Vec<_>>>();
    let counts = counts.map_err(|error| Failure::Usage(error.to_string()))?;
    if arguments.json {
        let rows: Vec<Row> = counts.iter().map(Row::from).collect();
        screen.line(serde_json::to_string_pretty(&rows).map_err(std::io::Error::from)?)?;
    } else {
        let header = HEADER.map(String::from).to_vec();
        screen.table(&std::iter::once(header).chain(counts.iter().map(cells)).collect::<Vec<_>>())?;
        screen.line(LEGEND)?;
    }
    if counts.iter().all(|count| count.deviation <= TOLERANCE) { Ok(()) } else { Err(Failure::Verdict) }
}

/// The functions whose names begin with the given text.
pub(crate) fn asked(functions: Vec<Function>, arguments: &Arguments) -> Result<Vec<Function>, Failure> {
    let prefix = arguments.only.as_deref().unwrap_or_default();
    let (asked, others): (Vec<Function>, Vec<Function>) =
        functions.into_iter().partition(|function| function.name.starts_with(prefix));
    if asked.is_empty() {
        return Err(Failure::unknown("function", prefix, others.iter().map(|function| function.name.as_str())));
    }
    Ok(asked)
}

fn cells(count: &Count) -> Vec<String> {
    let dash = || "–".to_owned();
    let peer = count.best_peer.as_ref();
    vec![
        count.name.clone(),
        count.derived.arithmetic().to_string(),
        count.simplified.arithmetic().to_string(),
        count.simplified.negs.to_string(),
        count.simplified.trig.to_string(),
        count.hoisted.map_or_else(dash, |hoisted| hoisted.arithmetic().to_string()),
        peer.map_or_else(dash, |peer| peer.arith.to_string()),
        peer.map_or_else(dash, |peer| peer.tool.clone()),
        count.ratio().map_or_else(dash, |ratio| format!("{ratio:.2}")),
        number::readable(count.deviation, 1),
    ]
}

impl From<&Count> for Row {
    fn from(count: &Count) -> Self {
        Row {
            function: count.name.clone(),
            derived: count.derived.into(),
            simplified: count.simplified.into(),
            hoisted: count.hoisted.map(Kinds::from),
            best_other: count.best_peer.clone(),
            ratio: count.ratio(),
            deviation: count.deviation,
        }
    }
}

impl From<Operations> for Kinds {
    fn from(operations: Operations) -> Self {
        Kinds { arith: operations.arithmetic(), neg: operations.negs, trig: operations.trig }
    }
}
