//! Derives a function, simplifies it, counts its operations and holds its values against the published ones.

use hamel_compiler::expr::{Operations, Stage, evaluate};
use hamel_compiler::simplify::{Limits, simplify};

use super::published::{Peer, best_peer, sample};
use super::{Formulas, Function};

/// Operation counts of one function.
#[derive(Clone, Debug)]
pub struct Count {
    /// Name of the function.
    pub name: String,
    /// As derived, equal expressions computed once.
    pub derived: Operations,
    /// As simplified.
    pub simplified: Operations,
    /// What is left in every evaluation when parameters are known before, simplified for that; `None` where there are
    /// none.
    pub hoisted: Option<Operations>,
    /// The other tool that needs fewest operations.
    pub best_peer: Option<Peer>,
    /// Largest deviation from the published values, relative to the largest of them.
    pub deviation: f64,
}

impl Count {
    /// Arithmetic operations, relative to those of the best other tool.
    pub fn ratio(&self) -> Option<f64> {
        self.best_peer.as_ref().map(|peer| self.simplified.arithmetic() as f64 / peer.arith as f64)
    }
}

pub(super) fn count(function: &Function, limits: &Limits) -> syn::Result<Count> {
    // Parameters that count as coordinates are not hoisted.
    let formulas = function.write(Stage::Position)?;
    let simplified = simplified(&formulas, limits);
    let (mut deviation, mut hoisted) = (function.deviation(&simplified), None);
    if function.has_parameters {
        let hot = self::simplified(&function.write(Stage::Parameter)?, limits);
        deviation = deviation.max(function.deviation(&hot));
        hoisted = Some(Operations::hot(&hot.graph, &hot.values));
    }
    Ok(Count {
        name: function.name.clone(),
        derived: Operations::of(&formulas.graph, &formulas.values),
        simplified: Operations::of(&simplified.graph, &simplified.values),
        hoisted,
        best_peer: best_peer(&function.name).cloned(),
        deviation,
    })
}

fn simplified(formulas: &Formulas, limits: &Limits) -> Formulas {
    let simplified = simplify(&formulas.graph, &formulas.values, limits);
    Formulas { graph: simplified.graph, values: simplified.roots }
}

pub(super) fn deviation(function: &str, Formulas { graph, values }: &Formulas) -> f64 {
    let sizes = (graph.symbols().len(), values.len());
    let Some(sample) = sample(function).filter(|sample| (sample.x.len(), sample.y.len()) == sizes) else {
        return f64::INFINITY;
    };
    let scale = sample.y.iter().fold(0.0_f64, |scale, y| scale.max(y.abs()));
    let values = evaluate(graph, values, &sample.x);
    // A value that is not a number is infinitely far from any.
    let errors = values.iter().zip(&sample.y).map(|(value, y)| (value - y).abs() / scale);
    errors.fold(0.0, |worst, error| if error.is_nan() { f64::INFINITY } else { worst.max(error) })
}
