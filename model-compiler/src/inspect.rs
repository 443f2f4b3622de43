//! A model for people: formulas in text and LaTeX, generated Rust, shapes and sparsity, operation counts.
//!
//! Formulas are those of the schedule, entry by entry, with the temporaries that the generated code has; sines and
//! cosines stand where they are used. Rows and columns are those of the kernel. Pure text: the command line decides
//! where it goes.

use std::fmt::Write;

use proc_macro2::TokenStream;

use crate::derive::{Equations, FunctionRole, Kernel};
use crate::emit::{Pattern, Patterns};
use crate::expr::{ExprId, Graph, Node, Stage, SymbolId, Unary, print};
use crate::schedule::vocabulary::{FUNCTIONS, function_doc, function_name, role_symbol};
use crate::schedule::{
    Argument, Expression, Routine, Schedule, ScheduledFunction, ScheduledKernel, ScheduledOutput, Statement, count,
};

/// Widest matrix whose pattern is drawn.
const MAX_DRAWN: usize = 64;

/// The function with this name; `iteration_matrix` is another name for the linearization it is made of.
pub fn find_term(name: &str) -> Option<FunctionRole> {
    let alias = if name == "iteration_matrix" { "linearization" } else { name };
    FUNCTIONS.into_iter().find(|&role| function_name(role) == alias)
}

/// The names that [`find_term`] knows.
pub fn terms() -> Vec<&'static str> {
    FUNCTIONS.into_iter().map(function_name).chain(["iteration_matrix"]).collect()
}

/// Formulas in plain text, of one function or of all.
pub fn text(equations: &Equations, schedule: &Schedule, term: Option<FunctionRole>) -> String {
    formulas(equations, schedule, term, &Text)
}

/// Formulas in LaTeX, of one function or of all; every function is an `align*` environment.
pub fn latex(equations: &Equations, schedule: &Schedule, term: Option<FunctionRole>) -> String {
    formulas(equations, schedule, term, &Latex)
}

/// Generated Rust: all of it, or the kernel functions of one function of the model.
///
/// # Errors
/// Never for tokens that `emit` makes: an error says that they are not Rust.
pub fn rust(tokens: &TokenStream, term: Option<FunctionRole>) -> syn::Result<String> {
    let file: syn::File = syn::parse2(tokens.clone())?;
    let Some(role) = term else {
        return Ok(prettyplease::unparse(&file));
    };
    let mut text = String::new();
    for kernel in modules(&file.items).flat_map(|kernels| modules(kernels)) {
        let is_asked = |item: &&syn::Item| matches!(item, syn::Item::Fn(f) if f.sig.ident == function_name(role));
        let items: Vec<syn::Item> = kernel.iter().filter(is_asked).cloned().collect();
        if !items.is_empty() {
            let function = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items };
            text.push_str(&prettyplease::unparse(&function));
            text.push('\n');
        }
    }
    Ok(text)
}

/// Sizes of the model and the patterns of its matrices.
pub fn shapes(equations: &Equations, schedule: &Schedule) -> String {
    let layout = &equations.layout;
    let (nq, nv, nc) = (layout.coordinates.len(), layout.velocities.len(), layout.constraints.len());
    let mut text = format!("q [{nq}]   v [{nv}]   g [{nc}]\n");
    for (index, kernel) in equations.kernels.iter().enumerate() {
        let names: Vec<&str> = instances(equations, index).collect();
        let _ = writeln!(text, "kernel {} ({})", kernel.name, names.join(", "));
    }
    let patterns = Patterns::of(equations, schedule);
    let matrices = [
        ("M", &patterns.mass_matrix),
        ("D = ∂r/∂v", &patterns.damping),
        ("K = (∂r/∂q) N", &patterns.stiffness),
        ("G", &patterns.constraint_jacobian),
        ("[M D K, -Gᵀ; G, 0]", &patterns.iteration_matrix),
    ];
    for (name, pattern) in matrices {
        let (rows, columns) = pattern.shape();
        let _ = writeln!(text, "\n{name} [{rows} × {columns}], {} entries", pattern.entries().count());
        text.push_str(&drawing(pattern));
    }
    text
}

/// Operations of every function of the model: as derived and written out, shared, simplified, hoisted.
pub fn counts(equations: &Equations, schedule: &Schedule) -> String {
    let mut text =
        format!("{:<22}{:>12}{:>10}{:>12}{:>10}\n", "function", "derived", "shared", "simplified", "hoisted");
    for counts in count::functions(equations, schedule) {
        let name = function_name(counts.role);
        let derived = if counts.derived == u64::MAX { "> 10^19".to_owned() } else { counts.derived.to_string() };
        let _ = writeln!(
            text,
            "{name:<22}{derived:>12}{:>10}{:>12}{:>10}",
            counts.shared, counts.simplified, counts.hoisted
        );
    }
    text
}

/// What text and LaTeX write differently.
trait Style {
    fn formula(&self, graph: &Graph, id: ExprId) -> String;
    fn heading(&self, kernel: &Kernel, instances: &str, doc: &str) -> String;
    fn line(&self, left: &str, right: &str) -> String;
    fn result(&self, output: &ScheduledOutput, entry: usize) -> String;
    fn end(&self) -> &'static str;
}

fn formulas(equations: &Equations, schedule: &Schedule, term: Option<FunctionRole>, style: &dyn Style) -> String {
    let mut text = String::new();
    for (index, (kernel, scheduled)) in equations.kernels.iter().zip(&schedule.kernels).enumerate() {
        let names = instances(equations, index).collect::<Vec<_>>().join(", ");
        let functions = scheduled.functions.iter().filter(|function| term.is_none_or(|term| function.role == term));
        let functions: Vec<&ScheduledFunction> = functions.collect();
        if functions.is_empty() {
            continue;
        }
        let printer = Printer { kernel, scheduled, style };
        let constants = printer.constants(&functions);
        if !constants.is_empty() {
            text.push_str(&style.heading(kernel, &names, "Constants, computed once per model."));
            text.push_str(&constants);
            text.push_str(style.end());
        }
        for function in functions {
            text.push_str(&style.heading(kernel, &names, function_doc(function.role)));
            text.push_str(&printer.function(function));
            text.push_str(style.end());
        }
    }
    text
}

struct Printer<'a> {
    kernel: &'a Kernel,
    scheduled: &'a ScheduledKernel,
    style: &'a dyn Style,
}

impl Printer<'_> {
    /// Constants that are more than a parameter and that these functions read.
    fn constants(&self, functions: &[&ScheduledFunction]) -> String {
        let routine = &self.scheduled.setup;
        let mut lines = Lines::new(routine);
        let mut text = String::new();
        for statement in &routine.statements {
            let id = lines.formula(statement.value(), self);
            match statement {
                Statement::Store { position, value, .. } => {
                    let constant = Argument::Constant(*position);
                    let is_read = functions.iter().any(|function| function.routine.arguments().contains(&constant));
                    if is_read && !matches!(value, Expression::Argument(_)) {
                        let name = lines.graph.symbol(&self.name(constant), Stage::Parameter);
                        text.push_str(&self.line(&lines, name, id));
                    }
                }
                statement => text.push_str(&self.temporary(&mut lines, statement, id)),
            }
        }
        text
    }

    fn function(&self, function: &ScheduledFunction) -> String {
        let mut lines = Lines::new(&function.routine);
        let mut text = String::new();
        for statement in &function.routine.statements {
            let id = lines.formula(statement.value(), self);
            match *statement {
                Statement::Store { output, position, .. } => {
                    let result = self.style.result(&function.outputs[output], position);
                    text.push_str(&self.style.line(&result, &self.style.formula(&lines.graph, id)));
                }
                _ => text.push_str(&self.temporary(&mut lines, statement, id)),
            }
        }
        text
    }

    /// The line of a temporary; sines and cosines get none, they are written where they are used.
    fn temporary(&self, lines: &mut Lines, statement: &Statement, value: ExprId) -> String {
        match *statement {
            Statement::Let { local, .. } => {
                let name = lines.graph.symbol(&lines.routine.locals[local], Stage::Position);
                lines.locals[local] = Some(name);
                self.line(lines, name, value)
            }
            Statement::SinCos { sine, cosine, .. } => {
                lines.locals[sine] = Some(lines.graph.intern(Node::Unary(Unary::Sin, value)));
                lines.locals[cosine] = Some(lines.graph.intern(Node::Unary(Unary::Cos, value)));
                String::new()
            }
            Statement::Store { .. } => String::new(),
        }
    }

    fn line(&self, lines: &Lines, name: ExprId, value: ExprId) -> String {
        self.style.line(&self.style.formula(&lines.graph, name), &self.style.formula(&lines.graph, value))
    }

    /// The name of an argument as the model has it.
    fn name(&self, argument: Argument) -> String {
        let inputs = &self.kernel.inputs;
        let of = |symbols: &[SymbolId], i: usize| self.kernel.graph.symbols()[symbols[i].index()].name.clone();
        match argument {
            Argument::Parameter(i) => of(&inputs.parameters, i),
            Argument::Constant(i) => self.parameter_behind(i).unwrap_or(self.scheduled.names.constants[i].clone()),
            Argument::Time => "t".to_owned(),
            Argument::Input(i) => of(&inputs.inputs, i),
            Argument::Position(i) => of(&inputs.q, i),
            Argument::Velocity(i) => of(&inputs.v, i),
            Argument::Acceleration(i) => of(&inputs.a, i),
            Argument::Multiplier(i) => of(&inputs.lambda, i),
        }
    }

    fn parameter_behind(&self, constant: usize) -> Option<String> {
        self.scheduled.setup.statements.iter().find_map(|statement| match statement {
            Statement::Store { position, value: Expression::Argument(argument), .. } if *position == constant => {
                Some(self.name(*argument))
            }
            _ => None,
        })
    }
}

/// The formulas of a routine as a graph of their own, for the printer of graphs.
struct Lines<'a> {
    routine: &'a Routine,
    graph: Graph,
    locals: Vec<Option<ExprId>>,
}

impl<'a> Lines<'a> {
    fn new(routine: &'a Routine) -> Self {
        Self { routine, graph: Graph::new(), locals: vec![None; routine.locals.len()] }
    }

    /// The formula as it stands: no identity is applied.
    fn formula(&mut self, expression: &Expression, printer: &Printer) -> ExprId {
        let node = match expression {
            Expression::Number(number) => Node::Number(*number),
            Expression::Argument(argument) => return self.graph.symbol(&printer.name(*argument), Stage::Position),
            Expression::Local(local) => match self.locals[*local] {
                Some(id) => return id,
                None => return self.graph.symbol(&self.routine.locals[*local], Stage::Position),
            },
            Expression::Unary(op, a) => Node::Unary(*op, self.formula(a, printer)),
            Expression::Binary(op, a, b) => Node::Binary(*op, self.formula(a, printer), self.formula(b, printer)),
            Expression::Select(parts) => {
                let [lhs, rhs, then, otherwise] = parts.each_ref().map(|part| self.formula(part, printer));
                Node::Select { lhs, rhs, then, otherwise }
            }
        };
        self.graph.intern(node)
    }
}

struct Text;

impl Style for Text {
    fn formula(&self, graph: &Graph, id: ExprId) -> String {
        print::text(graph, id)
    }

    fn heading(&self, kernel: &Kernel, instances: &str, doc: &str) -> String {
        format!("# {} ({instances}): {doc}\n", kernel.name)
    }

    fn line(&self, left: &str, right: &str) -> String {
        format!("{left} = {right}\n")
    }

    fn result(&self, output: &ScheduledOutput, entry: usize) -> String {
        let (row, column) = output.entries[entry];
        let symbol = role_symbol(output.role).0;
        match output.shape {
            (1, 1) => symbol.to_owned(),
            (_, 1) => format!("{symbol}[{row}]"),
            _ => format!("{symbol}[{row},{column}]"),
        }
    }

    fn end(&self) -> &'static str {
        "\n"
    }
}

struct Latex;

impl Style for Latex {
    fn formula(&self, graph: &Graph, id: ExprId) -> String {
        print::latex(graph, id)
    }

    fn heading(&self, kernel: &Kernel, instances: &str, doc: &str) -> String {
        format!("% {} ({instances}): {doc}\n\\begin{{align*}}\n", kernel.name)
    }

    fn line(&self, left: &str, right: &str) -> String {
        format!("{left} &= {right}\\\\\n")
    }

    fn result(&self, output: &ScheduledOutput, entry: usize) -> String {
        let (row, column) = output.entries[entry];
        let symbol = role_symbol(output.role).1;
        match output.shape {
            (1, 1) => symbol.to_owned(),
            (_, 1) => format!("{symbol}_{{{row}}}"),
            _ => format!("{symbol}_{{{row},{column}}}"),
        }
    }

    fn end(&self) -> &'static str {
        "\\end{align*}\n\n"
    }
}

fn instances(equations: &Equations, kernel: usize) -> impl Iterator<Item = &str> {
    let members = equations.instances.iter().filter(move |instance| instance.kernel == kernel);
    members.map(|instance| instance.name.as_str())
}

/// The items of every module among these.
fn modules(items: &[syn::Item]) -> impl Iterator<Item = &[syn::Item]> {
    items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) => module.content.as_ref().map(|(_, items)| items.as_slice()),
        _ => None,
    })
}

fn drawing(pattern: &Pattern) -> String {
    let (rows, columns) = pattern.shape();
    if columns > MAX_DRAWN || pattern.entries().next().is_none() {
        return String::new();
    }
    let mut grid = vec![vec!['·'; columns]; rows];
    pattern.entries().for_each(|(row, column)| grid[row][column] = '■');
    grid.iter().fold(String::new(), |mut text, row| {
        let cells: Vec<String> = row.iter().map(char::to_string).collect();
        let _ = writeln!(text, "  {}", cells.join(" "));
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::fixture::{dumbbell, pendulum};
    use crate::schedule::schedule;

    #[test]
    fn formulas_have_the_names_of_the_model() {
        let equations = pendulum();
        let schedule = schedule(&equations, &equations);
        insta::assert_snapshot!(text(&equations, &schedule, find_term("outputs")), @"");
        insta::assert_snapshot!(latex(&equations, &schedule, find_term("residual")), @"");
    }

    #[test]
    fn patterns_are_drawn() {
        let equations = dumbbell();
        let schedule = schedule(&equations, &equations);
        insta::assert_snapshot!(shapes(&equations, &schedule), @"");
        insta::assert_snapshot!(counts(&equations, &schedule), @"");
    }

    #[test]
    fn every_term_is_found_by_its_name() {
        for name in terms() {
            assert!(find_term(name).is_some(), "{name}");
        }
        assert_eq!(find_term("iteration_matrix"), Some(FunctionRole::Linearization));
        assert_eq!(find_term("mass"), None);
    }
}
