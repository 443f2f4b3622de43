//! `scaling`: how cost grows with the number of members, on chains of links, rows of four-bars and beams.
//!
//! Not a document, but what the size of a mechanism does to code and to work. Operations are counted, not timed: those of
//! the emitted kernels, summed over their instances, and those of eliminating the Newton matrix in the order of pivots
//! that the solver chooses. Times of the same models stand in `benches/peers/README.md`.

mod absolute;
mod joint;

use hamel::scheme::StepError;
use hamel_compiler::derive::{self, Equations};
use hamel_compiler::emit::{self, Header};
use hamel_compiler::schedule::{self, Schedule};
use hamel_compiler::{parse, resolve, simplify};
use hamel_report::{Cost, Experiment, Paper};

pub(crate) const PAPER: Paper = Paper {
    key: "scaling",
    reference: "Chains, four-bars and beams of growing length; what size costs, not a document",
    coverage: "",
    experiments: EXPERIMENTS,
};

static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "scaling/absolute/short",
        place: "N = 10 … 80",
        title: "Work and code of short chains in absolute coordinates",
        cost: Cost::Seconds,
        run: || absolute::run(absolute::CHAINS, &[10, 20, 40, 80]),
    },
    Experiment {
        id: "scaling/absolute/long",
        place: "N = 10 … 1600",
        title: "Work and code of long chains in absolute coordinates",
        cost: Cost::Minutes,
        run: || absolute::run(absolute::CHAINS, &[10, 20, 50, 100, 200, 500, 1000, 1600]),
    },
    Experiment {
        id: "scaling/absolute/beam",
        place: "N = 16 … 1600",
        title: "Work and code of geometrically exact beams",
        cost: Cost::Minutes,
        run: || absolute::run(absolute::BEAMS, &[16, 50, 160, 500, 1600]),
    },
    Experiment {
        id: "scaling/joint/forward_dynamics",
        place: "N = 2 … 20",
        title: "Forward dynamics of chains in joint coordinates",
        cost: Cost::Minutes,
        run: joint::run,
    },
];

/// A mechanism of any length, as text with `const n = 10;`.
struct Family {
    name: &'static str,
    text: &'static str,
}

/// A mechanism of one length, simplified, scheduled and emitted.
struct Compiled {
    equations: Equations,
    schedule: Schedule,
    /// Length of the emitted source, in bytes.
    source: usize,
}

impl Family {
    /// # Errors
    /// When the text is no model.
    fn compiled(&self, n: usize) -> Result<Compiled, StepError> {
        let text = self.text.replace("const n = 10;", &format!("const n = {n};"));
        let compile = || -> Result<Compiled, String> {
            let tokens = text.parse::<proc_macro2::TokenStream>().map_err(|error| error.to_string())?;
            let description = parse::parse(tokens).map_err(|error| error.to_string())?;
            let system = resolve::resolve(&description).map_err(|error| error.to_string())?;
            let derived = derive::derive(&system);
            let (equations, _) = simplify::simplify_equations(&derived, &simplify::Limits::default());
            let schedule = schedule::schedule(&derived, &equations);
            let header = Header {
                name: &system.name,
                visibility: &system.visibility,
                runtime: None,
                doc: &system.doc,
                source: &text,
            };
            let code = emit::emit(&header, &equations, &schedule).map_err(|error| error.to_string())?;
            Ok(Compiled { equations, schedule, source: code.to_string().len() })
        };
        compile().map_err(|reason| StepError::Inconsistent { model: self.name.to_owned(), reason, residual: f64::NAN })
    }
}
