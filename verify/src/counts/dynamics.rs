//! The functions of a model that is written in the language of `multibody!`, in joint coordinates, as the compiler
//! derives them.
//!
//! They are copied from its kernel, with any expressions in the place of its symbols. Joints are counted in the order in
//! which they are written.

use hamel_compiler::derive::{Counting, Entry, FunctionRole, Instance, Kernel, Role, derive_counting};
use hamel_compiler::expr::{ExprId, Graph, Stage, SymbolId};
use hamel_compiler::joints::channels;
use hamel_compiler::parse::{Description, Item, Request, parse};
use hamel_compiler::resolve::{Formulation, Provided, System, resolve};
use proc_macro2::{Ident, Span, TokenStream};

use super::{Formulas, symbols};

/// The dynamics of a model.
pub(super) struct Dynamics {
    kernel: Kernel,
    instance: Instance,
    /// Its symbols are the model's parameters.
    parameter_graph: Graph,
    places: Places,
}

/// Places of the kernel's coordinates and velocities when joints are counted in the order in which they are written: the
/// kernel has them in the order of their distance from the ground.
struct Places {
    q: Vec<usize>,
    v: Vec<usize>,
}

/// What stands for the symbols of a model, each in the order in which the joints are written.
pub(super) struct State {
    pub(super) q: Vec<ExprId>,
    pub(super) v: Vec<ExprId>,
    pub(super) a: Vec<ExprId>,
    /// Forces on the velocities' directions.
    pub(super) tau: Vec<ExprId>,
    pub(super) parameters: Vec<ExprId>,
}

impl Dynamics {
    /// Derives the equations of the model described by `text`, in the form that is best where parameters are known at
    /// this stage.
    ///
    /// # Errors
    /// Those of the compiler; a model in absolute coordinates.
    pub(super) fn of(text: &str, parameters: Stage) -> syn::Result<Self> {
        let mut description = parse(text.parse::<TokenStream>()?)?;
        let word = |function: Provided| Ident::new(function.keyword(), Span::call_site());
        let request = |function| Request { function: word(function), frame: None, axes: None };
        description.items.push(Item::Provide(Provided::DYNAMICS.map(request).to_vec()));
        let system = resolve(&description)?;
        let counting = if parameters == Stage::Parameter { Counting::EveryEvaluation } else { Counting::All };
        let mut equations = derive_counting(&system, counting);
        match (equations.kernels.pop(), equations.instances.pop()) {
            (Some(kernel), Some(instance)) if system.formulation == Formulation::Joint => {
                let places = Places::new(&description, &system);
                Ok(Self { kernel, instance, parameter_graph: equations.parameter_graph, places })
            }
            _ => Err(syn::Error::new(Span::call_site(), "the model is not in joint coordinates")),
        }
    }

    /// Number of coordinates and of velocities.
    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.places.q.len(), self.places.v.len())
    }

    /// A matrix whose rows and columns count velocities.
    pub(super) fn matrix(&self, graph: &mut Graph, which: (FunctionRole, Role), state: &State) -> Vec<Vec<ExprId>> {
        let n = self.places.v.len();
        let mut matrix = vec![vec![graph.zero(); n]; n];
        for (row, column, value) in self.output(graph, which, state) {
            matrix[self.places.v[row]][self.places.v[column]] = value;
        }
        matrix
    }

    /// A vector that counts velocities.
    pub(super) fn vector(&self, graph: &mut Graph, which: (FunctionRole, Role), state: &State) -> Vec<ExprId> {
        let mut vector = vec![graph.zero(); self.places.v.len()];
        for (row, _, value) in self.output(graph, which, state) {
            vector[self.places.v[row]] = value;
        }
        vector
    }

    /// Rows, columns and values of the entries of an output.
    fn output(
        &self,
        graph: &mut Graph,
        (function, role): (FunctionRole, Role),
        state: &State,
    ) -> Vec<(usize, usize, ExprId)> {
        let functions = self.kernel.functions.iter().filter(|candidate| candidate.role == function);
        let outputs = functions.flat_map(|function| &function.outputs).filter(|output| output.role == role);
        let entries: Vec<&Entry> = outputs.flat_map(|output| &output.entries).collect();
        let values: Vec<ExprId> = entries.iter().map(|entry| entry.value).collect();
        let images = self.images(graph, state);
        let values = graph.import(&self.kernel.graph, &values, &|_, symbol| images[symbol.index()]);
        entries.into_iter().zip(values).map(|(entry, value)| (entry.row, entry.column, value)).collect()
    }

    /// What stands for each symbol of the kernel; time and inputs do not occur in the models that are counted.
    fn images(&self, graph: &mut Graph, state: &State) -> Vec<ExprId> {
        let mut images = vec![graph.zero(); self.kernel.graph.symbols().len()];
        let parameter = |_: &mut Graph, symbol: SymbolId| state.parameters[symbol.index()];
        let parameters = graph.import(&self.parameter_graph, &self.instance.parameters, &parameter);
        let inputs = &self.kernel.inputs;
        for (symbol, value) in inputs.parameters.iter().zip(parameters) {
            images[symbol.index()] = value;
        }
        let Places { q, v } = &self.places;
        let runs = [
            (&inputs.q, q, &state.q),
            (&inputs.v, v, &state.v),
            (&inputs.a, v, &state.a),
            (&inputs.tau, v, &state.tau),
        ];
        for (symbols, places, values) in runs {
            // What a function does not read may be left out of the state.
            for (symbol, &place) in symbols.iter().zip(places).filter(|_| !values.is_empty()) {
                images[symbol.index()] = values[place];
            }
        }
        images
    }
}

impl Places {
    fn new(description: &Description, system: &System) -> Self {
        let written = |item: &Item| if let Item::Joint(joint) = item { Some(joint.name.clone()) } else { None };
        let written: Vec<_> = description.items.iter().filter_map(written).collect();
        let tree = system.joints.iter().filter(|joint| joint.is_tree);
        let runs = tree.map(|joint| {
            let (q, v) = channels(joint.kind, system.space, system.rotation);
            (written.iter().position(|name| *name == joint.name), [q.len(), v.len()])
        });
        let runs: Vec<_> = runs.collect();
        let places = |which: usize| {
            let run = |&(rank, sizes): &(_, [usize; 2])| {
                let before = runs.iter().filter(|&&(other, _)| other < rank);
                let first: usize = before.map(|(_, sizes)| sizes[which]).sum();
                first..first + sizes[which]
            };
            runs.iter().flat_map(run).collect()
        };
        Self { q: places(0), v: places(1) }
    }
}

/// A function of (q, v, a, parameters) of a model, whose parameters are known at this stage.
pub(super) fn write(
    model: &str,
    parameters: Stage,
    values: impl Fn(&Dynamics, &mut Graph, &State) -> Vec<ExprId>,
) -> syn::Result<Formulas> {
    let dynamics = Dynamics::of(model, parameters)?;
    let mut graph = Graph::new();
    let (n_q, n_v) = dynamics.sizes();
    let [q, v, a] = [("q", n_q), ("v", n_v), ("a", n_v)].map(|(name, n)| symbols(&mut graph, name, n, Stage::Position));
    let names = dynamics.parameter_graph.symbols().iter().map(|symbol| &symbol.name);
    let parameters = names.map(|name| graph.symbol(name, parameters)).collect();
    let values = values(&dynamics, &mut graph, &State { q, v, a, tau: Vec::new(), parameters });
    Ok(Formulas { graph, values })
}

/// M.
pub(super) fn mass_matrix(dynamics: &Dynamics, graph: &mut Graph, state: &State) -> Vec<ExprId> {
    dynamics.matrix(graph, (FunctionRole::MassMatrix, Role::MassMatrix), state).concat()
}

/// h − f.
pub(super) fn bias_force(dynamics: &Dynamics, graph: &mut Graph, state: &State) -> Vec<ExprId> {
    dynamics.vector(graph, (FunctionRole::NonlinearEffects, Role::NonlinearEffects), state)
}

/// ∂(M a + h)/∂q and ∂(M a + h)/∂v.
pub(super) fn derivatives(dynamics: &Dynamics, graph: &mut Graph, state: &State) -> Vec<ExprId> {
    let derivative = |role| (FunctionRole::InverseDynamicsDerivatives, role);
    let parts = [Role::ForceByPosition, Role::ForceByVelocity];
    parts.map(|role| dynamics.matrix(graph, derivative(role), state).concat()).concat()
}
