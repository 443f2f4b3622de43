//! A model for people: formulas in text and LaTeX, generated Rust, shapes and sparsity, operation counts.
//!
//! Formulas are those of the schedule, entry by entry, with the temporaries that the generated code has; sines and
//! cosines stand where they are used. Rows and columns are those of the kernel. Pure text: the command line decides
//! where it goes.

mod graphs;
mod names;

use std::fmt::Write;

pub use graphs::{expressions, topology};

use proc_macro2::TokenStream;

use crate::derive::{Equations, FunctionRole, Kernel};
use crate::escape;
use crate::expr::{Binary, ExprId, Graph, Node, Operations, Stage, SymbolId, Unary, print, tree_size};
use crate::schedule::pattern::{Pattern, Patterns};
use crate::schedule::vocabulary::{full_name, function_doc, role_symbol};
use crate::schedule::{
    Argument, Expression, Routine, Schedule, ScheduledFunction, ScheduledKernel, ScheduledOutput, Statement, count,
    totals,
};
use crate::simplify::FunctionLog;
use names::{entry_name, title};

/// Widest matrix whose pattern is drawn.
const MAX_DRAWN: usize = 64;

/// The function of the model with this name, and the name itself; `iteration_matrix` is another name for the linearization it is made of.
pub fn find_term(equations: &Equations, schedule: &Schedule, name: &str) -> Option<(FunctionRole, String)> {
    let alias = if name == "iteration_matrix" { "linearization" } else { name };
    totals::functions(equations, schedule)
        .into_iter()
        .find(|known| known.name == alias)
        .map(|known| (known.role, known.name))
}

/// The names that [`find_term`] knows.
pub fn terms(equations: &Equations, schedule: &Schedule) -> Vec<String> {
    let names = totals::functions(equations, schedule).into_iter().map(|known| known.name);
    names.chain(["iteration_matrix".to_owned()]).collect()
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
pub fn rust(tokens: &TokenStream, term: Option<&str>) -> syn::Result<String> {
    let file: syn::File = syn::parse2(tokens.clone())?;
    let Some(term) = term else {
        return Ok(prettyplease::unparse(&file));
    };
    let mut text = String::new();
    for kernel in modules(&file.items).flat_map(modules).flat_map(modules) {
        let is_named = |name: &str| {
            let rest = name.strip_prefix(term);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("_part_"))
        };
        let is_asked = |item: &&syn::Item| match item {
            syn::Item::Fn(function) => is_named(&function.sig.ident.to_string()),
            syn::Item::Mod(part) => is_named(&part.ident.to_string()),
            _ => false,
        };
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
    let mut text =
        format!("q [{nq}]   v [{nv}]   g [{nc}]   differential equations: {nv}   constraint equations: {nc}\n");
    for (index, kernel) in equations.kernels.iter().enumerate() {
        let _ = writeln!(text, "kernel {}: {}", title(equations, index), kernel.doc);
    }
    let patterns = Patterns::of(equations, schedule);
    let matrices = [
        ("M", &patterns.mass_matrix),
        ("D = ∂r/∂v", &patterns.damping),
        ("K = (∂r/∂q) N", &patterns.stiffness),
        ("G", &patterns.constraint_jacobian),
        ("Wᵀ", &patterns.contact_jacobian),
        ("[M D K, -Gᵀ; G, 0]", &patterns.iteration_matrix),
    ];
    let is_shown = |(name, _): &(&str, &Pattern)| *name != "Wᵀ" || !layout.contacts.is_empty();
    for (name, pattern) in matrices.into_iter().filter(is_shown) {
        let (rows, columns) = pattern.shape();
        let _ = writeln!(text, "\n{name} [{rows} × {columns}], {} entries", pattern.nnz());
        text.push_str(&drawing(pattern));
    }
    text
}

/// Operations of every function of the model: as derived and written out, shared, simplified, hoisted.
pub fn counts(equations: &Equations, schedule: &Schedule) -> String {
    let mut text =
        format!("{:<29}{:>21}{:>10}{:>12}{:>10}\n", "function", "derived", "shared", "simplified", "hoisted");
    for counts in totals::functions(equations, schedule) {
        let name = &counts.name;
        let derived = if counts.derived == u64::MAX { "> 10^19".to_owned() } else { counts.derived.to_string() };
        let _ = writeln!(
            text,
            "{name:<29}{derived:>21}{:>10}{:>12}{:>10}",
            counts.shared, counts.simplified, counts.hoisted
        );
    }
    text
}

/// Operations of every result of one function, each as if it were computed alone: as derived and written out, shared,
/// simplified, hoisted. `derived` are the equations before simplification.
pub fn entry_counts(derived: &Equations, simplified: &Equations, term: FunctionRole) -> String {
    let mut text = format!("{:<30}{:>12}{:>10}{:>12}{:>10}\n", "result", "derived", "shared", "simplified", "hoisted");
    for (index, (before, after)) in derived.kernels.iter().zip(&simplified.kernels).enumerate() {
        let results = entries(after, term);
        for (name, value) in entries(before, term) {
            let (tree, shared) = (tree_size(&before.graph, &[value]), Operations::of(&before.graph, &[value]));
            // A result that simplification has found to be zero costs nothing.
            let cheap = results.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            let hot = cheap.map_or(0, |value| count::total(&Operations::hot(&after.graph, &[value])));
            let all = cheap.map_or(0, |value| count::total(&Operations::of(&after.graph, &[value])));
            let (name, shared) = (format!("{}: {name}", title(simplified, index)), count::total(&shared));
            let _ = writeln!(text, "{name:<30}{tree:>12}{shared:>10}{hot:>12}{:>10}", all - hot);
        }
    }
    text
}

/// Names and values of all results of a function.
fn entries(kernel: &Kernel, term: FunctionRole) -> Vec<(String, ExprId)> {
    let functions = kernel.functions.iter().filter(|function| function.role == term);
    let entries = functions.flat_map(|function| &function.outputs).flat_map(|output| {
        output.entries.iter().map(|entry| (entry_name(output.role, output.shape, entry.row, entry.column), entry.value))
    });
    entries.collect()
}

/// Rounding errors of every function, as derived and simplified, against numbers of about 31 digits at random points;
/// in units of 2⁻⁵³ relative to the result.
pub fn accuracy(log: &[FunctionLog]) -> String {
    let mut text = format!(
        "{:<40}{:>12}{:>8}{:>14}{:>8}\n",
        "rounding errors, 2^-53", "derived: max", "mean", "emitted: max", "mean"
    );
    for FunctionLog { kernel, role, frame, result } in log {
        let name = format!("{kernel}: {}", full_name(*role, frame.as_deref()));
        let (before, after) = (result.accuracy.input, result.accuracy.output);
        let _ = writeln!(
            text,
            "{name:<40}{:>12.1}{:>8.2}{:>14.1}{:>8.2}",
            before.worst, before.mean, after.worst, after.mean
        );
    }
    text
}

/// What text and LaTeX write differently.
trait Style {
    fn formula(&self, graph: &Graph, id: ExprId) -> String;
    fn section(&self, title: &str, lines: &[(String, String)]) -> String;
    fn result(&self, output: &ScheduledOutput, entry: usize) -> String;
}

fn formulas(equations: &Equations, schedule: &Schedule, term: Option<FunctionRole>, style: &dyn Style) -> String {
    let mut text = String::new();
    for (index, (kernel, scheduled)) in equations.kernels.iter().zip(&schedule.kernels).enumerate() {
        let title = title(equations, index);
        let functions = scheduled.functions.iter().filter(|function| term.is_none_or(|term| function.role == term));
        let functions: Vec<&ScheduledFunction> = functions.collect();
        if functions.is_empty() {
            continue;
        }
        let printer = Printer { kernel, scheduled, style };
        let constants = ("Constants, computed once per model.", printer.constants(&functions));
        let functions = functions.iter().map(|function| (function_doc(function.role), printer.function(function)));
        for (doc, lines) in [constants].into_iter().chain(functions).filter(|(_, lines)| !lines.is_empty()) {
            text.push_str(&style.section(&format!("{title}: {doc}"), &lines));
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
    fn constants(&self, functions: &[&ScheduledFunction]) -> Vec<(String, String)> {
        let read: Vec<Argument> = functions.iter().flat_map(|function| function.routine.arguments()).collect();
        let is_wanted =
            |_, position| read.contains(&Argument::Constant(position)) && self.parameter_behind(position).is_none();
        let routine = self.scheduled.setup.restricted(&is_wanted);
        self.lines(&routine, &|_, position| {
            let mut graph = Graph::new();
            let name = graph.symbol(&self.scheduled.names.constants[position], Stage::Parameter);
            self.style.formula(&graph, name)
        })
    }

    fn function(&self, function: &ScheduledFunction) -> Vec<(String, String)> {
        self.lines(&function.routine, &|output, position| self.style.result(&function.outputs[output], position))
    }

    /// Both sides of the statements of a routine; `result` is the left side of a result.
    fn lines(&self, routine: &Routine, result: &dyn Fn(usize, usize) -> String) -> Vec<(String, String)> {
        let mut lines = Lines { graph: Graph::new(), locals: vec![None; routine.locals.len()] };
        let mut sides = Vec::new();
        for statement in &routine.statements {
            let value = lines.formula(statement.value(), self);
            match *statement {
                Statement::Let { local, .. } => {
                    let name = lines.graph.symbol(&routine.locals[local], Stage::Position);
                    lines.locals[local] = Some(name);
                    sides.push([name, value].map(|side| self.style.formula(&lines.graph, side)).into());
                }
                // Sines and cosines get no line: they are written where they are used.
                Statement::SinCos { sine, cosine, .. } => {
                    lines.locals[sine] = Some(lines.graph.intern(Node::Unary(Unary::Sin, value)));
                    lines.locals[cosine] = Some(lines.graph.intern(Node::Unary(Unary::Cos, value)));
                }
                Statement::Store { output, position, .. } => {
                    let (result, value) = (result(output, position), self.style.formula(&lines.graph, value));
                    // A temporary of the setup that is a constant has its line already.
                    if result != value {
                        sides.push((result, value));
                    }
                }
            }
        }
        sides
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
            Argument::Force(i) => of(&inputs.tau, i),
            Argument::Weight(i) => of(&inputs.w, i),
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
struct Lines {
    graph: Graph,
    locals: Vec<Option<ExprId>>,
}

impl Lines {
    /// The formula as it stands: no identity is applied.
    fn formula(&mut self, expression: &Expression, printer: &Printer) -> ExprId {
        let node = match expression {
            Expression::Number(number) => Node::Number(*number),
            Expression::Argument(argument) => return self.graph.symbol(&printer.name(*argument), Stage::Position),
            Expression::Local(local) => {
                return self.locals[*local].expect("a temporary is written before it is read");
            }
            Expression::Unary(op, a) => Node::Unary(*op, self.formula(a, printer)),
            Expression::Binary(op, a, b) => Node::Binary(*op, self.formula(a, printer), self.formula(b, printer)),
            Expression::MulAdd(parts) => {
                let [a, b, c] = parts.each_ref().map(|part| self.formula(part, printer));
                let product = self.graph.intern(Node::Binary(Binary::Mul, a, b));
                Node::Binary(Binary::Add, product, c)
            }
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

    fn section(&self, title: &str, lines: &[(String, String)]) -> String {
        let lines: String = lines.iter().map(|(left, right)| format!("{left} = {right}\n")).collect();
        format!("# {title}\n{lines}\n")
    }

    fn result(&self, output: &ScheduledOutput, entry: usize) -> String {
        let (row, column) = output.entries[entry];
        entry_name(output.role, output.shape, row, column)
    }
}

struct Latex;

impl Style for Latex {
    fn formula(&self, graph: &Graph, id: ExprId) -> String {
        print::latex(graph, id)
    }

    fn section(&self, title: &str, lines: &[(String, String)]) -> String {
        let lines: Vec<String> = lines.iter().map(|(left, right)| format!("{left} &= {right}")).collect();
        format!("% {}\n\\begin{{align*}}\n{}\n\\end{{align*}}\n\n", escape::line(title), lines.join("\\\\\n"))
    }

    fn result(&self, output: &ScheduledOutput, entry: usize) -> String {
        let (row, column) = output.entries[entry];
        let symbol = role_symbol(output.role).1;
        let place = match output.shape {
            (1, 1) => return symbol.to_owned(),
            (_, 1) => row.to_string(),
            _ => format!("{row},{column}"),
        };
        // A letter has one subscript.
        match symbol.strip_suffix('}').filter(|open| open.contains("_{")) {
            Some(open) => format!("{open},{place}}}"),
            None => format!("{symbol}_{{{place}}}"),
        }
    }
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
        insta::assert_snapshot!(text(&equations, &schedule, Some(FunctionRole::Energy)), @"
        # pendulum: Constants, computed once per model.
        mass_length_squared = mass*length^2
        mass_length_gravity = length*mass*gravity
        half_mass_length_squared = 0.5*mass_length_squared

        # pendulum: Kinetic and potential energy, J.
        T = hinge.angle_dot^2*half_mass_length_squared
        V = -mass_length_gravity*cos(hinge.angle)
        ");
        insta::assert_snapshot!(latex(&equations, &schedule, Some(FunctionRole::Residual)), @r"
        % pendulum: Constants, computed once per model.
        \begin{align*}
        \mathrm{mass\_length\_squared} &= \mathrm{mass} \, \mathrm{length}^{2}\\
        \mathrm{mass\_length\_gravity} &= \mathrm{length} \, \mathrm{mass} \, \mathrm{gravity}
        \end{align*}

        % pendulum: Residual r = M a + h − f − Gᵀ λ of the equations of motion, and constraint g.
        \begin{align*}
        x_{1} &= \mathrm{mass\_length\_gravity} \, \sin\left(\mathrm{angle}_{\mathrm{hinge}}\right)\\
        r &= x_{1} + \ddot{\mathrm{angle}}_{\mathrm{hinge}} \, \mathrm{mass\_length\_squared} - \left(\mathrm{drive} - c \, \dot{\mathrm{angle}}_{\mathrm{hinge}}\right)
        \end{align*}
        ");
    }

    #[test]
    fn patterns_are_drawn() {
        let equations = dumbbell();
        let schedule = schedule(&equations, &equations);
        insta::assert_snapshot!(shapes(&equations, &schedule), @"
        q [4]   v [4]   g [1]   differential equations: 4   constraint equations: 1
        kernel point mass (a, b): A mass under gravity.
        kernel rod: A constant distance.

        M [4 × 4], 4 entries
          ■ · · ·
          · ■ · ·
          · · ■ ·
          · · · ■

        D = ∂r/∂v [4 × 4], 0 entries

        K = (∂r/∂q) N [4 × 4], 8 entries
          ■ · ■ ·
          · ■ · ■
          ■ · ■ ·
          · ■ · ■

        G [1 × 4], 4 entries
          ■ ■ ■ ■

        [M D K, -Gᵀ; G, 0] [5 × 5], 16 entries
          ■ · ■ · ■
          · ■ · ■ ■
          ■ · ■ · ■
          · ■ · ■ ■
          ■ ■ ■ ■ ·
        ");
    }

    #[test]
    fn operations_are_counted() {
        let equations = dumbbell();
        let schedule = schedule(&equations, &equations);
        insta::assert_snapshot!(counts(&equations, &schedule), @"
        function                                   derived    shared  simplified   hoisted
        mass_matrix                                      0         0           0         0
        applied_force                                    4         4           0         4
        constraint                                      10         8           7         1
        constraint_jacobian                              4         4           4         0
        constraint_bias                                 11        11          11         0
        energy                                          14        14          10         4
        residual                                        30        26          23         3
        linearization                                    8         5           5         0
        ");
    }

    #[test]
    fn every_term_is_found_by_its_name() {
        let equations = pendulum();
        let schedule = schedule(&equations, &equations);
        for name in terms(&equations, &schedule) {
            assert!(find_term(&equations, &schedule, &name).is_some(), "{name}");
        }
        let linearization = Some((FunctionRole::Linearization, "linearization".to_owned()));
        assert_eq!(find_term(&equations, &schedule, "iteration_matrix"), linearization);
        assert_eq!(find_term(&equations, &schedule, "mass"), None);
    }
}
