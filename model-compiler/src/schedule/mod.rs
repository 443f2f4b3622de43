//! Equations → Schedule: ordered, named statements, and what is computed once per model.
//!
//! Everything that depends on parameters alone and is read by a later stage is hoisted into the setup of its kernel.
//! [`interpret`] runs a schedule as it stands, over any scalar, so that what is checked is what is emitted.
//!
//! A function is one routine however long it is; [`split`] cuts long ones for the generated code.

pub mod count;
pub mod groups;
pub mod interpret;
pub mod members;
pub mod methods;
pub mod name;
pub mod pattern;
pub mod placement;
pub mod requirements;
pub mod runs;
pub mod split;
pub mod totals;
pub mod vocabulary;

mod fuse;
mod hoist;
mod order;
mod routine;
mod series;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

pub use count::Counts;
pub use name::ArgumentNames;
pub(crate) use name::{Names, identifier};
pub use routine::{Argument, Expression, LEAST_ANGLES, Routine, Statement};
pub use series::{Rows, Series};

use crate::derive::{
    Entry, Equations, Function, FunctionRole, Inputs, Instance, Kernel, Output, ParameterChannel, Role,
};
use crate::expr::{ExprId, Graph, Node, SymbolId, print, tree_size};
use crate::parallel;
use crate::space::Shape;

/// What generated code does, statement by statement.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// One for every kernel of the equations.
    pub kernels: Vec<ScheduledKernel>,
    /// For every public parameter its default, component by component, from the components of earlier parameters.
    pub defaults: Vec<Routine>,
    /// Parameters of the instances of all kernels, from the components of the parameters; instances with equal ones
    /// share a row.
    pub members: Routine,
    /// For every kernel its rows among them; empty where it has no constants.
    pub rows_of_kernel: Vec<Series>,
    /// For every instance its row among those of its kernel.
    pub row_of_instance: Vec<usize>,
    /// Configuration to start assembly from, from the components of the parameters, one row a coordinate.
    pub reference_configuration: Routine,
    /// The coordinates among its outputs.
    pub reference_coordinates: Series,
    /// Mass and inertia, one output a body, from the components of the parameters.
    pub bodies: Routine,
    /// Values in the order of [`LAW_FIELDS`](crate::contacts::LAW_FIELDS), one output for every distinct law, from the
    /// components of the parameters.
    pub contact_laws: Routine,
    /// For every contact its law among them.
    pub law_of_contact: Vec<usize>,
    /// Times at which formulas give way to others, each with the time after which it recurs, two an output, from the
    /// components of the parameters.
    pub switches: Routine,
    /// For each of these the parameters that move it, by their places among those with respect to which there are derivatives.
    pub moved_by: Vec<Vec<usize>>,
    /// Names of the components of the parameters, fit for code.
    pub parameters: ArgumentNames,
    /// Names of the parameters as a whole, fit for code.
    pub fields: Vec<String>,
}

/// The routines of a kernel.
#[derive(Clone, Debug)]
pub struct ScheduledKernel {
    /// Names of everything that its routines are given.
    pub names: ArgumentNames,
    /// Formulas of the constants, in the kernel's own symbols.
    pub constants: Vec<String>,
    /// Parameters → constants.
    pub setup: Routine,
    /// What it computes.
    pub functions: Vec<ScheduledFunction>,
}

/// A function of a kernel.
#[derive(Clone, Debug)]
pub struct ScheduledFunction {
    /// Which function of the model it contributes to.
    pub role: FunctionRole,
    /// Its name in generated code.
    pub name: String,
    /// Name of the frame that it is about, if it is about one.
    pub frame: Option<String>,
    /// Its outputs, in the order of the routine's.
    pub outputs: Vec<ScheduledOutput>,
    /// How they are computed.
    pub routine: Routine,
    /// Operations before and after.
    pub counts: Counts,
}

impl ScheduledFunction {
    /// The outputs that have entries, with their places among all.
    pub fn results(&self) -> impl Iterator<Item = (usize, &ScheduledOutput)> {
        self.outputs.iter().enumerate().filter(|(_, output)| !output.entries.is_empty())
    }

    /// Whether it has no formulas because the model composes it of other functions: slopes of accelerations are made of
    /// those of forces, at the accelerations that the forces cause, by a loop with the factors of M.
    pub fn is_composed(&self) -> bool {
        let has_entries = |output: &ScheduledOutput| output.shape.0 > 0 && output.shape.1 > 0;
        self.role == FunctionRole::ForwardDynamicsDerivatives
            && self.results().next().is_none()
            && self.outputs.iter().any(has_entries)
    }
}

/// An output of a function.
#[derive(Clone, Debug)]
pub struct ScheduledOutput {
    /// What it is.
    pub role: Role,
    /// Rows and columns.
    pub shape: (usize, usize),
    /// Row and column of every entry that is stored, local to the kernel.
    pub entries: Vec<(usize, usize)>,
    /// Whether it is stored with its zeros: the results of functions on request go straight into the caller's arrays.
    pub is_dense: bool,
}

impl ScheduledOutput {
    /// Whether it has no structural zeros.
    pub fn is_complete(&self) -> bool {
        self.entries.len() == self.shape.0 * self.shape.1
    }

    /// Whether its entries are written by row and column, and need no names of their own.
    pub fn is_indexed(&self) -> bool {
        self.is_dense || self.shape.1 == 1 && self.is_complete()
    }

    /// Name of an entry in code: `m_0_3` in a matrix, `h_2` in a vector.
    pub(crate) fn entry_name(&self, entry: usize) -> String {
        let (row, column) = self.entries[entry];
        let letter = vocabulary::role_letter(self.role);
        if self.shape.1 == 1 { format!("{letter}_{row}") } else { format!("{letter}_{row}_{column}") }
    }
}

/// Orders the simplified equations; `derived` are the same before simplification, for the operation counts.
pub fn schedule(derived: &Equations, simplified: &Equations) -> Schedule {
    let (parameters, fields, taken) = parameter_names(simplified);
    let given = component_arguments(&simplified.parameter_graph);
    // Steps of rows are new expressions.
    let mut graph = simplified.parameter_graph.clone();
    let kernels: Vec<ScheduledKernel> = derived
        .kernels
        .iter()
        .zip(&simplified.kernels)
        .map(|(before, after)| scheduled(before, after, simplified.is_fused))
        .collect();
    let mut rows: Vec<DistinctRows> = vec![DistinctRows::default(); kernels.len()];
    let row = |instance: &Instance| match kernels[instance.kernel].constants.as_slice() {
        [] => 0,
        _ => rows[instance.kernel].place(&instance.parameters),
    };
    let row_of_instance = simplified.instances.iter().map(row).collect();
    let (mut members, mut coordinates) = (Vec::new(), Vec::new());
    let rows_of_kernel = rows.iter().map(|rows| Series::of(&mut graph, &rows.rows, &mut members)).collect();
    let reference: Vec<Vec<ExprId>> = simplified.reference_configuration.iter().map(|&value| vec![value]).collect();
    let reference_coordinates = Series::of(&mut graph, &reference, &mut coordinates);
    let bodies: Vec<Vec<ExprId>> = simplified
        .bodies
        .iter()
        .map(|body| std::iter::once(body.mass).chain(body.inertia.iter().copied()).collect())
        .chain(simplified.dimensions.iter().map(|dimension| vec![dimension.value]))
        .chain(simplified.symmetries.iter().map(|symmetry| symmetry.pairs.clone()))
        .chain(simplified.total_masses.iter().map(|total| total.components.clone()))
        .collect();
    let mut laws = DistinctRows::default();
    let law_of_contact = simplified.contact_laws.iter().map(|law| laws.place(&law.values())).collect();
    let switches: Vec<Vec<ExprId>> = simplified.switches.iter().map(|switch| switch.to_vec()).collect();
    let moved_by = simplified.switches.iter().map(|switch| {
        let read = graph.reachable(switch);
        let moves = |&symbol: &SymbolId| read.iter().any(|&id| graph.node(id) == Node::Symbol(symbol));
        let differentiated = simplified.layout.differentiated.iter();
        differentiated.enumerate().filter(|(_, symbol)| moves(symbol)).map(|(place, _)| place).collect()
    });
    let moved_by = moved_by.collect();
    let global = |outputs: &[Vec<ExprId>]| order::routine(&graph, outputs, &given, &parameters, taken.clone(), false);
    Schedule {
        kernels,
        defaults: defaults_by_parameter(simplified)
            .iter()
            .map(|default| global(std::slice::from_ref(default)))
            .collect(),
        members: global(&members),
        rows_of_kernel,
        row_of_instance,
        reference_configuration: global(&coordinates),
        reference_coordinates,
        bodies: global(&bodies),
        contact_laws: global(&laws.rows),
        law_of_contact,
        switches: global(&switches),
        moved_by,
        parameters,
        fields,
    }
}

/// Rows, each once, in the order of their first occurrence.
#[derive(Clone, Default)]
struct DistinctRows {
    rows: Vec<Vec<ExprId>>,
    places: FxHashMap<Vec<ExprId>, usize>,
}

impl DistinctRows {
    /// The place of a row, which is added if it is new.
    fn place(&mut self, row: &[ExprId]) -> usize {
        *self.places.entry(row.to_vec()).or_insert_with(|| {
            self.rows.push(row.to_vec());
            self.rows.len() - 1
        })
    }
}

/// Names of the components of the parameters, of the parameters, and all of them.
fn parameter_names(equations: &Equations) -> (ArgumentNames, Vec<String>, Names) {
    let symbols = equations.parameter_graph.symbols();
    let mut names = Names::default();
    let components: Vec<String> = symbols.iter().map(|symbol| names.unique(&name::identifier(&symbol.name))).collect();
    let mut rest = components.as_slice();
    let mut field = |parameter: &ParameterChannel| {
        let (own, others) = rest.split_at(parameter.shape.size());
        rest = others;
        match own {
            [own] if parameter.shape == Shape::Scalar => own.clone(),
            _ => names.unique(&name::identifier(&parameter.name)),
        }
    };
    let fields = equations.layout.parameters.iter().map(&mut field).collect();
    (ArgumentNames { parameters: components, ..ArgumentNames::default() }, fields, names.shared())
}

fn component_arguments(graph: &Graph) -> FxHashMap<ExprId, Expression> {
    let symbol = |i: usize| (graph.symbol_expr(SymbolId(i as u32)), Expression::Argument(Argument::Parameter(i)));
    (0..graph.symbols().len()).map(symbol).collect()
}

fn defaults_by_parameter(equations: &Equations) -> Vec<Vec<ExprId>> {
    let mut remaining = equations.defaults.iter().copied();
    let sizes = equations.layout.parameters.iter().map(|parameter| parameter.shape.size());
    sizes.map(|size| remaining.by_ref().take(size).collect()).collect()
}

/// Orders one kernel.
pub(crate) fn scheduled(derived: &Kernel, kernel: &Kernel, is_fused: bool) -> ScheduledKernel {
    let graph = &kernel.graph;
    let of = |function: &Function| {
        function.outputs.iter().map(|output| scheduled_output(graph, function.role, output)).collect()
    };
    let outputs: Vec<Vec<ScheduledOutput>> = kernel.functions.iter().map(of).collect();
    let entries = outputs.iter().flatten().flat_map(|output| (0..output.entries.len()).map(|i| output.entry_name(i)));
    let (mut names, taken) = ArgumentNames::of_kernel(graph, &kernel.inputs, Names::of(entries));
    let taken = taken.shared();
    let parameters = parameter_arguments(graph, &kernel.inputs);
    let hoisted = hoist::hoisted(kernel);

    let mut setup = order::routine(graph, std::slice::from_ref(&hoisted), &parameters, &names, taken.clone(), false);
    let taken = hoist::name_constants(kernel, &hoisted, &mut setup, &mut names, taken).shared();

    let mut given = state_arguments(graph, &kernel.inputs);
    given.extend(hoisted.iter().enumerate().map(|(i, &id)| (id, Expression::Argument(Argument::Constant(i)))));
    let routines = parallel::map(&kernel.functions, |function| {
        let routine = order::routine(graph, &values(graph, function), &given, &names, taken.clone(), is_fused);
        (routine, Counts::of(derived, kernel, function.role))
    });
    let functions = kernel.functions.iter().zip(outputs).zip(routines);
    // Frames with different names may have the same in code.
    let mut function_names = Names::default();
    let mut name =
        |function: &Function| function_names.unique(&vocabulary::full_name(function.role, function.frame.as_deref()));
    let functions = functions
        .map(|((function, outputs), (routine, counts))| ScheduledFunction {
            role: function.role,
            name: name(function),
            frame: function.frame.clone(),
            outputs,
            routine,
            counts,
        })
        .collect();
    ScheduledKernel { names, constants: hoisted.iter().map(|&id| formula(graph, id)).collect(), setup, functions }
}

/// The formula as a doc line; long ones stand in the setup.
fn formula(graph: &Graph, id: ExprId) -> String {
    const READABLE: u64 = 16;
    if tree_size(graph, &[id]) <= READABLE { print::text(graph, id) } else { "a function of the parameters".to_owned() }
}

fn values(graph: &Graph, function: &Function) -> Vec<Vec<ExprId>> {
    let of = |output: &Output| stored(graph, output).map(|entry| entry.value).collect();
    function.outputs.iter().map(of).collect()
}

/// The entries that are not zero; simplification may have found new zeros.
fn stored<'a>(graph: &'a Graph, output: &'a Output) -> impl Iterator<Item = &'a Entry> {
    output.entries.iter().filter(|entry| !graph.is_zero(entry.value))
}

fn scheduled_output(graph: &Graph, function: FunctionRole, output: &Output) -> ScheduledOutput {
    let entries = stored(graph, output).map(|entry| (entry.row, entry.column)).collect();
    ScheduledOutput { role: output.role, shape: output.shape, entries, is_dense: function.is_on_request() }
}

fn parameter_arguments(graph: &Graph, inputs: &Inputs) -> FxHashMap<ExprId, Expression> {
    arguments(graph, &inputs.parameters, Argument::Parameter).collect()
}

fn state_arguments(graph: &Graph, inputs: &Inputs) -> FxHashMap<ExprId, Expression> {
    arguments(graph, inputs.time.as_slice(), |_| Argument::Time)
        .chain(arguments(graph, &inputs.inputs, Argument::Input))
        .chain(arguments(graph, &inputs.q, Argument::Position))
        .chain(arguments(graph, &inputs.v, Argument::Velocity))
        .chain(arguments(graph, &inputs.a, Argument::Acceleration))
        .chain(arguments(graph, &inputs.lambda, Argument::Multiplier))
        .chain(arguments(graph, &inputs.tau, Argument::Force))
        .chain(arguments(graph, &inputs.w, Argument::Weight))
        .collect()
}

fn arguments(
    graph: &Graph,
    symbols: &[SymbolId],
    argument: fn(usize) -> Argument,
) -> impl Iterator<Item = (ExprId, Expression)> {
    symbols.iter().enumerate().map(move |(i, &symbol)| (graph.symbol_expr(symbol), Expression::Argument(argument(i))))
}
