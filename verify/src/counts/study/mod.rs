//! The cases on which the compiler's passes were designed: weights W, beside recorded ones and targets.
//!
//! W counts additions, multiplications and signs once, divisions 8, roots 12, sines and cosines 40 and pairs of them of
//! one angle 55 times. *Hot* is what is left in every step when parameters are known before; *total* hoists nothing,
//! as the recorded weights of other tools, which were given the same functions. Sources of the recorded numbers are
//! in `data/opcounts/study.md`.

mod algebra;
mod arm;
mod beam;
mod euler_parameters;
mod flexible_body;
mod slider_crank;

use std::sync::LazyLock;

use hamel_compiler::emit::formulas;
use hamel_compiler::expr::{ExprId, Graph, Operations, Stage};
use hamel_compiler::simplify::{Accuracy, Limits, balance_fused, simplify};
use serde::{Deserialize, Serialize};

use super::{Formulas, Function};

const RECORDED: &str = include_str!("../../../data/opcounts/study.csv");

/// Recorded numbers of a case; what was not recorded is missing.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Recorded {
    /// Name of the case.
    pub case: String,
    /// The lowest hot weight of the study that the passes were designed with.
    pub hot: Option<u64>,
    /// The hot weight to reach.
    pub target: Option<u64>,
    /// Total weights of the code of other tools.
    pub casadi: Option<u64>,
    /// See [`Recorded::casadi`].
    pub sympy: Option<u64>,
    /// See [`Recorded::casadi`].
    pub symengine: Option<u64>,
    /// See [`Recorded::casadi`].
    pub wrenfold: Option<u64>,
}

impl Recorded {
    /// The lowest total weight of another tool.
    pub fn best_other(&self) -> Option<u64> {
        [self.casadi, self.sympy, self.symengine, self.wrenfold].into_iter().flatten().min()
    }
}

/// Weights of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Weights {
    /// As derived, equal expressions computed once and parameters hoisted.
    pub derived: u64,
    /// As simplified for known parameters.
    pub hot: u64,
    /// As simplified with parameters as inputs; never more than what was simplified for known parameters takes.
    pub total: u64,
    /// Rounding errors of the hot code before and after.
    #[serde(skip)]
    pub accuracy: Accuracy,
    /// What was recorded for it.
    pub recorded: Recorded,
}

impl Weights {
    /// Whether the target is reached, and neither the derived form nor the code of another tool is lighter.
    pub fn is_as_light_as_asked(&self) -> bool {
        let reaches_target = self.recorded.target.is_none_or(|target| self.hot <= target);
        let is_lightest = self.recorded.best_other().is_none_or(|other| self.total <= other);
        reaches_target && is_lightest && self.hot <= self.derived
    }
}

/// All cases, in the order of the table.
pub fn cases() -> Vec<Function> {
    let families = [
        euler_parameters::functions(),
        slider_crank::functions(),
        arm::functions(),
        beam::functions(),
        flexible_body::functions(),
    ];
    families.into_iter().flatten().collect()
}

/// Derives and simplifies a case, with its parameters known before and as inputs.
///
/// # Errors
/// Those of the compiler.
pub fn weigh(case: &Function, limits: &Limits) -> syn::Result<Weights> {
    let formulas = case.write(Stage::Parameter)?;
    let hot = simplify(&formulas.graph, &formulas.values, limits);
    let inputs = case.write(Stage::Position)?;
    let total = simplify(&inputs.graph, &inputs.values, limits);
    let weight = |graph: &Graph, values: &[ExprId]| Operations::of(graph, values).weight();
    Ok(Weights {
        derived: Operations::hot(&formulas.graph, &formulas.values).weight(),
        hot: Operations::hot(&hot.graph, &hot.roots).weight(),
        total: weight(&total.graph, &total.roots).min(weight(&hot.graph, &hot.roots)),
        accuracy: hot.accuracy,
        recorded: recorded(&case.name).cloned().unwrap_or_default(),
    })
}

/// Rust of a case, simplified for known parameters: a module `name` without and one `name_fused` with fused products
/// and sums.
///
/// # Errors
/// Those of the compiler.
pub fn code(case: &Function, name: &str, limits: &Limits) -> syn::Result<String> {
    let written = case.write(Stage::Parameter)?;
    let hot = simplify(&written.graph, &written.values, limits);
    let (balanced, values) = balance_fused(&hot.graph, &hot.roots);
    let plain = formulas(name, &hot.graph, &hot.roots, false);
    Ok(plain + &formulas(&format!("{name}_fused"), &balanced, &values, true))
}

static ALL_RECORDED: LazyLock<Vec<Recorded>> =
    LazyLock::new(|| csv::Reader::from_reader(RECORDED.as_bytes()).deserialize().filter_map(Result::ok).collect());

fn recorded(case: &str) -> Option<&'static Recorded> {
    ALL_RECORDED.iter().find(|recorded| recorded.case == case)
}

/// Formulas in a graph of their own.
fn written(write: impl FnOnce(&mut Graph) -> Vec<ExprId>) -> Formulas {
    let mut graph = Graph::new();
    let values = write(&mut graph);
    Formulas { graph, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_numbers_belong_to_cases() {
        let cases = cases();
        assert_eq!(ALL_RECORDED.len(), RECORDED.lines().count() - 1);
        for recorded in ALL_RECORDED.iter() {
            assert!(cases.iter().any(|case| case.name == recorded.case), "{}", recorded.case);
        }
    }
}
