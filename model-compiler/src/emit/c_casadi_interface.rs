//! The interface of external functions of CasADi in C: values, Jacobians and adjoint derivatives, patterns, and room.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::c::Model;
use super::c_casadi::{
    Columns, Derivative, Entry, Function, Numbers, Second, Writer, has_hessians, inverse_norm, summed,
};
use super::c_kernel::finished;
use super::c_turns::{Turn, attitude, called, prefix, rates};
use crate::derive::Channel;
use crate::escape::comment;
use crate::rotations::RotationKind;
use crate::schedule::groups::Group;
use crate::schedule::interpret::Interpreter;

impl Writer<'_, '_> {
    pub(super) fn source(&self, functions: &[Function], numbers: Numbers) -> String {
        let name = &self.model.name;
        let Model { equations, schedule, .. } = self.model;
        let constants = Interpreter::new(equations, schedule, numbers.parameters.to_vec()).constants();
        let zeros = Group::STATE.into_iter().chain([Group::Forces]).map(|group| self.len(group)).max().unwrap_or(1);
        let mut body = rates(&equations.layout.blocks);
        for function in functions {
            body.push_str(&self.function(function));
        }
        let parameters: Vec<String> = equations
            .parameter_graph
            .symbols()
            .iter()
            .zip(numbers.parameters)
            .map(|(symbol, value)| format!("{} = {value}", symbol.name))
            .collect();
        let parameters = if parameters.is_empty() { "none".to_owned() } else { parameters.join(", ") };
        format!(
            "{}#include \"{name}.h\"\n\n#include <math.h>\n\n{DECLARATIONS}static const double constants[{}] = {{ {} }};\nstatic const double zeros[{}] = {{ 0.0 }};\n\n{}{body}",
            format_args!(
                "/* Functions of CasADi for {}.\n * {}\n */\n",
                comment(name),
                comment(&format!("Parameters, which are contained as numbers: {parameters}."))
            ),
            constants.len().max(1),
            if constants.is_empty() { "0.0".to_owned() } else { numbers_of(&constants) },
            zeros.max(1),
            called(&body),
        )
    }

    /// The name of a function among the symbols of a program, which may contain several models.
    fn symbol(&self, function: &Function) -> String {
        format!("{}_casadi_{}", self.model.name, function.name)
    }

    /// A function, its Jacobian, and its adjoint derivative with its Jacobian if second derivatives are known.
    fn function(&self, function: &Function) -> String {
        let Function { doc, arguments, result: (result, len), .. } = function;
        let name = &self.symbol(function);
        let inputs: Vec<(String, Sparsity)> = arguments
            .iter()
            .map(|&group| (argument_name(group).to_owned(), Sparsity::Dense(self.len(group), 1)))
            .collect();
        let mut text = format!("/* {} */\n", comment(doc));
        let outputs = [((*result).to_owned(), Sparsity::Dense(*len, 1))];
        let value = format!("double *out = res[0];\nif (!out) return 0;\n{}", function.value);
        text.push_str(&self.external(name, &inputs, &outputs, arguments, &value, 0));

        let with_result: Vec<(String, Sparsity)> =
            inputs.iter().cloned().chain([(format!("out_{result}"), Sparsity::Empty(*len, 1))]).collect();
        let (mut blocks, mut fills) = (Vec::new(), String::new());
        for (place, &group) in arguments.iter().enumerate() {
            let (sparsity, fill) = self.block(function, group, place, *len);
            blocks.push((format!("jac_{result}_{}", argument_name(group)), sparsity));
            fills.push_str(&fill);
        }
        let (slopes, n) = &function.slopes;
        let jacobian = format!("{slopes}{fills}");
        text.push_str(&self.external(&format!("jac_{name}"), &with_result, &blocks, arguments, &jacobian, *n));
        if let Some(second) = &function.second {
            text.push_str(&self.adjoint(function, &with_result, second));
        }
        text
    }

    /// The derivative of wᵀ f by the arguments, and of these by the arguments and w.
    fn adjoint(&self, function: &Function, with_result: &[(String, Sparsity)], second: &Second) -> String {
        let Function { arguments, result: (result, len), slopes: (slopes, n), .. } = function;
        let name = self.symbol(function);
        let seed = (format!("adj_{result}"), Sparsity::Dense(*len, 1));
        let inputs: Vec<(String, Sparsity)> = with_result.iter().cloned().chain([seed]).collect();
        let outputs: Vec<(String, Sparsity)> = arguments
            .iter()
            .map(|&group| (format!("adj_{}", argument_name(group)), Sparsity::Dense(self.len(group), 1)))
            .collect();
        let read_seed = format!("const double *adj_tau = arg[{}] ? arg[{0}] : zeros;\n", inputs.len() - 1);
        let mut body = format!("{read_seed}{slopes}");
        for (place, &group) in arguments.iter().enumerate() {
            let of = function.derivatives.iter().find(|derivative| derivative.by == group);
            let entries = of.map_or(&[][..], |derivative| &derivative.entries);
            let _ = writeln!(
                body,
                "if (res[{place}]) {{\nfor (int i = 0; i < {}; ++i) res[{place}][i] = 0.0;",
                self.len(group)
            );
            body.push_str(&summed(entries, &format!("res[{place}][columns[i]] += d[places[i]] * adj_tau[rows[i]]")));
            body.push_str("}\n");
        }
        let mut text = self.external(&format!("adj1_{name}"), &inputs, &outputs, arguments, &body, *n);

        let of_outputs = outputs.iter().map(|(name, sparsity)| (format!("out_{name}"), sparsity.emptied()));
        let all: Vec<(String, Sparsity)> = inputs.iter().cloned().chain(of_outputs).collect();
        let (slopes, n) = &second.slopes;
        let mut body = format!("{read_seed}{slopes}");
        let mut blocks = Vec::new();
        for (row, output) in second.derivatives.iter().enumerate() {
            let rows = self.len(arguments[row]);
            for (column, (name, sparsity)) in inputs.iter().enumerate() {
                // The value of the function comes between its arguments and w.
                let known = match column {
                    column if column < arguments.len() => &output[column],
                    column if column == arguments.len() => &None,
                    _ => &output[arguments.len()],
                };
                let columns = sparsity.shape().0;
                let place = blocks.len();
                let block = format!("jac_{}_{name}", outputs[row].0);
                match known {
                    None => blocks.push((block, Sparsity::Empty(rows, columns))),
                    Some(entries) => {
                        let (sparsity, order) = compressed(rows, columns, entries);
                        body.push_str(&taken(place, &order, false));
                        blocks.push((block, sparsity));
                    }
                }
            }
        }
        text.push_str(&self.external(&format!("jac_adj1_{name}"), &all, &blocks, arguments, &body, *n));
        text
    }

    /// A block of the Jacobian: its pattern, and statements that fill it.
    fn block(&self, function: &Function, by: Group, place: usize, rows: usize) -> (Sparsity, String) {
        let columns = self.len(by);
        let known = function.derivatives.iter().find(|derivative| derivative.by == by);
        let Some(Derivative { entries, is_negative, columns: kind, .. }) = known else {
            // What a model does not say is no number.
            let fill =
                format!("if (res[{place}]) for (int i = 0; i < {}; ++i) res[{place}][i] = NAN;\n", rows * columns);
            return (Sparsity::Dense(rows, columns), fill);
        };
        if *kind == Columns::Own || self.space.turns.is_empty() {
            let moved: Vec<Entry> = match kind {
                Columns::Own => entries.clone(),
                Columns::Directions => {
                    entries.iter().map(|&[row, column, at]| [row, self.coordinate(column), at]).collect()
                }
            };
            let (sparsity, order) = compressed(rows, columns, &moved);
            return (sparsity, taken(place, &order, *is_negative));
        }
        // Sums over the directions that a coordinate changes.
        let mut terms: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for &[row, direction, at] in entries {
            for (column, factor) in self.changes(direction) {
                let term = if factor.is_empty() { format!("d[{at}]") } else { format!("d[{at}] * {factor}") };
                terms.entry((column, row)).or_default().push(term);
            }
        }
        let cells: Vec<Entry> = terms.keys().enumerate().map(|(i, &(column, row))| [row, column, i]).collect();
        let (sparsity, _) = compressed(rows, columns, &cells);
        let sign = if *is_negative { "-" } else { "" };
        let values: String = terms
            .values()
            .enumerate()
            .map(|(i, sum)| format!("res[{place}][{i}] = {sign}({});\n", sum.join(" + ")))
            .collect();
        (sparsity, format!("if (res[{place}]) {{\n{values}}}\n"))
    }

    /// The coordinate whose rate is this velocity, of a model without rotations in body axes.
    fn coordinate(&self, velocity: usize) -> usize {
        let of = self.space.vectors.iter().find(|(_, v, n)| (*v..v + n).contains(&velocity));
        of.map_or(velocity, |(q, v, _)| q + velocity - v)
    }

    /// Coordinates that change along a direction, with the factor from their change to that along the direction, nothing
    /// where it is one.
    fn changes(&self, direction: usize) -> Vec<(usize, String)> {
        for (index, Turn { kind, place, attitude: at, omega }) in self.space.turns.iter().enumerate() {
            let n = attitude(*kind);
            let along = |first: usize, row: usize, n: usize, list: &str| {
                (0..n).map(|i| (first + i, format!("{list}_{index}[{}]", n * row + i))).collect()
            };
            if (*omega..omega + 3).contains(&direction) {
                return along(*at, direction - omega, n, "turn");
            }
            if let Some((q, v)) = place.filter(|(_, v)| (*v..v + 3).contains(&direction)) {
                return along(q, direction - v, 3, "place");
            }
        }
        vec![(self.coordinate(direction), String::new())]
    }

    /// A function with CasADi's interface, and what CasADi asks of it.
    fn external(
        &self,
        name: &str,
        inputs: &[(String, Sparsity)],
        outputs: &[(String, Sparsity)],
        arguments: &[Group],
        body: &str,
        slopes: usize,
    ) -> String {
        let mut tables = String::new();
        let mut cases = |kind: &str, list: &[(String, Sparsity)]| {
            let mut sparsities = Vec::new();
            for (i, (_, sparsity)) in list.iter().enumerate() {
                let table = format!("{name}_{kind}_{i}");
                let _ = writeln!(tables, "static const casadi_int {table}[] = {{ {} }};", sparsity.text());
                sparsities.push(table);
            }
            let names: Vec<String> = list.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            (sparsities.join(", "), names.join(", "))
        };
        let (sparsities_in, names_in) = cases("in", inputs);
        let (sparsities_out, names_out) = cases("out", outputs);
        let (n_in, n_out) = (inputs.len(), outputs.len());
        let nq = self.len(Group::Positions);
        let mut reads = String::new();
        let mut room = 0;
        let mut in_room = |n: usize| {
            room += n;
            room - n
        };
        for (i, &group) in arguments.iter().enumerate() {
            let argument = argument_name(group);
            let _ = match group {
                Group::Time => writeln!(reads, "const double t = arg[{i}] ? arg[{i}][0] : 0.0;"),
                _ => writeln!(reads, "const double *{argument} = arg[{i}] ? arg[{i}] : zeros;"),
            };
        }
        let given = [
            Group::Positions,
            Group::Velocities,
            Group::Accelerations,
            Group::Multipliers,
            Group::Forces,
            Group::Inputs,
        ];
        for group in given.into_iter().filter(|group| !arguments.contains(group)) {
            let _ = writeln!(reads, "const double *{} = zeros;", argument_name(group));
        }
        let places =
            [("d", slopes), ("room", self.room())].map(|(place, n)| format!("double *{place} = w + {};\n", in_room(n)));
        reads.push_str(&places.concat());
        if self.has_quaternions() {
            let _ = write!(
                reads,
                "double *at_q = w + {};\ndouble inverse_norms[{}];\nfor (int i = 0; i < {nq}; ++i) at_q[i] = q[i];\n",
                in_room(nq),
                self.space.turns.len()
            );
            for (index, turn) in self.space.turns.iter().enumerate() {
                if turn.kind == RotationKind::EulerParameters {
                    let at = turn.attitude;
                    let _ = write!(
                        reads,
                        "inverse_norms[{index}] = 1.0 / sqrt(q[{at}] * q[{at}] + q[{}] * q[{0}] + q[{}] * q[{1}] + q[{}] * q[{2}]);\nunit(at_q + {at});\n",
                        at + 1,
                        at + 2,
                        at + 3
                    );
                }
            }
        } else {
            reads.push_str("const double *at_q = q;\n");
        }
        for (index, Turn { kind, place, attitude: at, .. }) in self.space.turns.iter().enumerate() {
            let kind_prefix = prefix(*kind);
            if body.contains(&format!("turn_{index}[")) {
                let _ = write!(
                    reads,
                    "double *turn_{index} = w + {};\n{kind_prefix}_directions(at_q + {at}, {}, turn_{index});\n",
                    in_room(3 * attitude(*kind)),
                    inverse_norm(*kind, index)
                );
            }
            if place.is_some() && body.contains(&format!("place_{index}[")) {
                let _ = write!(
                    reads,
                    "double *place_{index} = w + {};\n{kind_prefix}_place_directions(at_q + {at}, place_{index});\n",
                    in_room(9)
                );
            }
        }
        let unread: String = ["q", "v", "a", "lambda", "tau", "u", "t", "d", "room", "at_q", "inverse_norms"]
            .iter()
            .filter(|name| reads.contains(&format!("{name} =")) || reads.contains(&format!("{name}[")))
            .map(|name| format!("(void){name};\n"))
            .collect();
        let function = finished(&format!(
            "API int {name}(const double **arg, double **res, casadi_int *iw, double *w, int mem)\n{{\n(void)arg;\n(void)iw;\n(void)w;\n(void)mem;\n{reads}{unread}{body}return 0;\n}}\n"
        ));
        let asked = [
            format!("API casadi_int {name}_n_in(void) {{ return {n_in}; }}\n"),
            format!("API casadi_int {name}_n_out(void) {{ return {n_out}; }}\n"),
            listed(name, "const char *", "name_in", &names_in, n_in),
            listed(name, "const char *", "name_out", &names_out, n_out),
            listed(name, "const casadi_int *", "sparsity_in", &sparsities_in, n_in),
            listed(name, "const casadi_int *", "sparsity_out", &sparsities_out, n_out),
            finished(&format!(
                "API int {name}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)\n{{\n*sz_arg = {n_in};\n*sz_res = {n_out};\n*sz_iw = 0;\n*sz_w = {room};\nreturn 0;\n}}\n"
            )),
        ];
        format!("{tables}\n{function}{}", asked.concat())
    }

    /// The module in Python.
    pub(super) fn module(&self, functions: &[Function], numbers: Numbers) -> String {
        let layout = &self.model.equations.layout;
        let names = |channels: &[Channel]| {
            let quoted: Vec<String> = channels.iter().map(|channel| format!("{:?}", channel.name)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let [q, v] = numbers.start.map(|values| format!("[{}]", numbers_of(values)));
        let list: String = functions.iter().map(|function| format!("    \"{}\",\n", function.name)).collect();
        MODULE
            .replace("@model@", &self.model.name)
            .replace("@coordinates@", &names(&layout.coordinates))
            .replace("@velocities@", &names(&layout.velocities))
            .replace("@inputs@", &names(&layout.inputs))
            .replace("@outputs@", &names(&layout.outputs))
            .replace("@q@", &q)
            .replace("@v@", &v)
            .replace("@hessians@", if has_hessians(functions) { "True" } else { "False" })
            .replace("@functions@", &list)
    }
}

/// Where a matrix has entries.
#[derive(Clone)]
enum Sparsity {
    Dense(usize, usize),
    Empty(usize, usize),
    Compressed { shape: (usize, usize), starts: Vec<usize>, rows: Vec<usize> },
}

impl Sparsity {
    fn shape(&self) -> (usize, usize) {
        match *self {
            Sparsity::Dense(rows, columns) | Sparsity::Empty(rows, columns) => (rows, columns),
            Sparsity::Compressed { shape, .. } => shape,
        }
    }

    fn emptied(&self) -> Sparsity {
        let (rows, columns) = self.shape();
        Sparsity::Empty(rows, columns)
    }

    /// As CasADi reads it.
    fn text(&self) -> String {
        let (rows, columns) = self.shape();
        let mut numbers = vec![rows, columns];
        match self {
            Sparsity::Dense(..) => numbers.push(1),
            Sparsity::Empty(..) => numbers.extend(std::iter::repeat_n(0, columns + 1)),
            Sparsity::Compressed { starts, rows, .. } => numbers.extend(starts.iter().chain(rows)),
        }
        numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// The pattern of entries, and their places by columns.
fn compressed(rows: usize, columns: usize, entries: &[Entry]) -> (Sparsity, Vec<usize>) {
    let mut sorted: Vec<(usize, usize, usize)> =
        entries.iter().map(|&[row, column, place]| (column, row, place)).collect();
    sorted.sort_unstable();
    let starts = (0..=columns).map(|column| sorted.partition_point(|&(known, ..)| known < column)).collect();
    let sparsity =
        Sparsity::Compressed { shape: (rows, columns), starts, rows: sorted.iter().map(|&(_, row, _)| row).collect() };
    (sparsity, sorted.into_iter().map(|(.., place)| place).collect())
}

/// Fills a result with these of what was computed.
fn taken(result: usize, places: &[usize], is_negative: bool) -> String {
    if places.is_empty() {
        return String::new();
    }
    let list: Vec<String> = places.iter().map(usize::to_string).collect();
    format!(
        "if (res[{result}]) {{\nstatic const int places[] = {{ {} }};\nfor (int i = 0; i < {}; ++i) res[{result}][i] = {}d[places[i]];\n}}\n",
        list.join(", "),
        places.len(),
        if is_negative { "-" } else { "" }
    )
}

/// A function that gives one of a list.
fn listed(name: &str, kind: &str, what: &str, list: &str, n: usize) -> String {
    let body = match n {
        0 => "(void)i;\nreturn 0;\n".to_owned(),
        _ => format!("static {kind}const list[] = {{ {list} }};\nreturn i >= 0 && i < {n} ? list[i] : 0;\n"),
    };
    finished(&format!("API {kind}{name}_{what}(casadi_int i)\n{{\n{body}}}\n"))
}

/// How functions of CasADi name an argument.
fn argument_name(group: Group) -> &'static str {
    match group {
        Group::Inputs => "u",
        group => group.name(),
    }
}

fn numbers_of(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ")
}

const DECLARATIONS: &str = "\
#ifndef casadi_int
#define casadi_int long long int
#endif

#if defined(_WIN32)
#define API __declspec(dllexport)
#elif defined(__GNUC__)
#define API __attribute__((visibility(\"default\")))
#else
#define API
#endif

";

/// The module that compiles and loads them.
const MODULE: &str = include_str!("casadi.py");
