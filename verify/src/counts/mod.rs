//! Operation counts of reference functions: what the compiler makes of them, beside the code of other tools.
//!
//! A [`Function`] is a map x → y of flat vectors. Its [`Formulas`] are derived afresh, counted as they are and as
//! simplified, and compared with published values of y at one x. Inputs come in the order of the published x;
//! parameters are inputs like all others, except where they are counted as hoisted out of the simulation. Other tools
//! were given the same functions, see `data/opcounts/peers.csv`; their run times are not here. The functions that the
//! compiler's passes were designed with are in [`study`].

mod beam;
mod chain;
mod count;
mod dynamics;
mod heavy_top;
mod published;
mod slider_crank;
mod tree;

pub mod study;

pub use count::Count;
pub use published::Peer;

use hamel_compiler::expr::{ExprId, Graph, Stage};
use hamel_compiler::simplify::Limits;

/// A function as expressions: the symbols of the graph are x in its order.
#[derive(Clone, Debug)]
pub struct Formulas {
    /// The expressions.
    pub graph: Graph,
    /// y; matrices in row-major order.
    pub values: Vec<ExprId>,
}

type Write = Box<dyn Fn(Stage) -> syn::Result<Formulas> + Send + Sync>;

/// A reference function.
pub struct Function {
    /// Its name in the published table, e.g. `HT_KD`.
    pub name: String,
    has_parameters: bool,
    write: Write,
}

impl Function {
    /// A function of a mechanism whose parameters are inputs of the stage that `write` is given.
    fn new(name: impl Into<String>, write: impl Fn(Stage) -> syn::Result<Formulas> + Send + Sync + 'static) -> Self {
        Self { name: name.into(), has_parameters: true, write: Box::new(write) }
    }

    /// A function of a mechanism whose parameters are numbers.
    fn of_numbers(name: impl Into<String>, write: impl Fn() -> syn::Result<Formulas> + Send + Sync + 'static) -> Self {
        Self { name: name.into(), has_parameters: false, write: Box::new(move |_| write()) }
    }

    /// Derives the function, with its parameters known at this stage.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn write(&self, parameters: Stage) -> syn::Result<Formulas> {
        (self.write)(parameters)
    }

    /// Largest deviation of the formulas' values from the published ones, relative to the largest of those; infinite if
    /// there are none, or of other number.
    pub fn deviation(&self, formulas: &Formulas) -> f64 {
        count::deviation(&self.name, formulas)
    }

    /// Derives, simplifies, counts and evaluates the function.
    ///
    /// # Errors
    /// Those of the compiler.
    pub fn count(&self, limits: &Limits) -> syn::Result<Count> {
        count::count(self, limits)
    }
}

/// All reference functions, in the order of the published table.
pub fn functions() -> Vec<Function> {
    [heavy_top::functions(), beam::functions(), slider_crank::functions(), chain::functions(), tree::functions()]
        .into_iter()
        .flatten()
        .collect()
}

/// `name_0`, `name_1`, …
fn symbols(graph: &mut Graph, name: &str, n: usize, stage: Stage) -> Vec<ExprId> {
    (0..n).map(|i| graph.symbol(&format!("{name}_{i}"), stage)).collect()
}
