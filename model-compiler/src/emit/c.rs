//! Schedule → C99: a source file and its header, for users of other languages.
//!
//! A kernel is a static function; a function of the model gathers what the instances of its kernels read, calls them, and
//! adds up what they give. Vectors are dense; the model's matrices are values by columns, whose places are constant
//! tables; matrices of functions on request are dense, row by row. What depends on parameters alone is computed once, into an array that the caller keeps.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::c_kernel::{filled, finished, function, given, is_empty, setup};
use super::docs;
use super::formula::{Language, Notation, c_identifier};
use super::function::stored;
use super::runs::some_of;
use crate::contacts::LAW_FIELDS;
use crate::derive::{Channel, Equations, FunctionRole, Role};
use crate::escape::comment;
use crate::expr::Symbol;
use crate::schedule::groups::{Group, groups};
use crate::schedule::members::{Members, members};
use crate::schedule::name::snake_case;
use crate::schedule::pattern::{Pattern, Patterns, placed};
use crate::schedule::placement::axes;
use crate::schedule::vocabulary::{function_name, role_name};
use crate::schedule::{Argument, Schedule, ScheduledFunction, ScheduledOutput};

/// A model in C.
#[derive(Clone, Debug)]
pub struct Files {
    /// The header, `model.h`.
    pub header: String,
    /// The source, `model.c`, which includes it.
    pub source: String,
}

/// The model of this name in C.
pub fn c(name: &str, equations: &Equations, schedule: &Schedule) -> Files {
    with_model(name, equations, schedule, |model| Files { header: model.header(), source: model.source() })
}

/// The name of a model in C, and of its files without their endings.
pub fn c_name(name: &str) -> String {
    c_identifier(&snake_case(name))
}

/// What is made of a model in C.
pub(super) fn with_model<T>(
    name: &str,
    equations: &Equations,
    schedule: &Schedule,
    make: impl FnOnce(&Model) -> T,
) -> T {
    let patterns = Patterns::of(equations, schedule);
    let mut members = members(equations, schedule, &patterns);
    members.iter_mut().for_each(|members| members.module = c_identifier(&members.module));
    make(&Model { name: c_name(name), equations, schedule, patterns: &patterns, members })
}

pub(super) struct Model<'a> {
    pub(super) name: String,
    pub(super) equations: &'a Equations,
    pub(super) schedule: &'a Schedule,
    pub(super) patterns: &'a Patterns,
    members: Vec<Members<'a>>,
}

/// A result of a function of the model.
pub(super) struct Filled<'p> {
    pub(super) role: Role,
    pub(super) len: usize,
    /// Rows and columns.
    shape: (usize, usize),
    /// The places of a matrix's values.
    pattern: Option<&'p Pattern>,
}

impl Filled<'_> {
    /// How long it is, and in which order.
    fn doc(&self) -> String {
        let name = role_name(self.role);
        match (self.pattern, self.shape) {
            (Some(_), (rows, columns)) => {
                format!("{name} [{}], the places above of a [{rows} x {columns}] matrix", self.len)
            }
            (None, (rows, columns)) if rows > 1 && columns > 1 => format!("{name} [{rows} x {columns}], row by row"),
            _ => format!("{name} [{}]", self.len),
        }
    }
}

impl<'a> Model<'a> {
    pub(super) fn header(&self) -> String {
        let layout = &self.equations.layout;
        let guard = format!("{}_H", self.name.to_uppercase());
        let mut text = format!("#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n");
        let units = layout.parameters.iter().flat_map(|parameter| {
            let n = parameter.shape.size();
            std::iter::repeat_n(&parameter.unit, n)
        });
        let symbols = self.equations.parameter_graph.symbols().iter();
        let channel = |(symbol, unit): (&Symbol, &String)| Channel { name: symbol.name.clone(), unit: unit.clone() };
        let parameters: Vec<Channel> = symbols.zip(units).map(channel).collect();
        let contacts: Vec<Channel> = layout
            .contacts
            .iter()
            .map(|contact| Channel { name: contact.name.clone(), unit: contact.unit.clone() })
            .collect();
        let lists: [(&str, &str, &[Channel]); 7] = [
            ("n_parameters", "Parameters", &parameters),
            ("n_inputs", "Inputs", &layout.inputs),
            ("n_q", "Coordinates q", &layout.coordinates),
            ("n_v", "Velocities v; accelerations a have the same order", &layout.velocities),
            ("n_constraints", "Constraints g; multipliers lambda have the same order", &layout.constraints),
            ("n_contacts", "Contacts", &contacts),
            ("n_outputs", "Outputs", &layout.outputs),
        ];
        text.push_str("enum {\n");
        for (size, title, channels) in lists {
            let channel = |(i, channel): (usize, &Channel)| format!("{i}: {}, {}", channel.name, channel.unit);
            let list: Vec<String> = channels.iter().enumerate().map(channel).collect();
            let list = if list.is_empty() { "none".to_owned() } else { list.join("; ") };
            let _ = writeln!(
                text,
                "    /* {}. */\n    {}_{size} = {},",
                comment(&format!("{title}: {list}")),
                self.name,
                channels.len()
            );
        }
        let _ = writeln!(
            text,
            "    /* What depends on parameters alone. */\n    {}_n_constants = {}\n}};\n",
            self.name,
            self.n_constants()
        );
        if !self.schedule.law_of_contact.is_empty() {
            let fields = LAW_FIELDS.map(|field| format!("    double {field};\n")).concat();
            let _ = writeln!(
                text,
                "/* Newton's law of impact and Coulomb's law of friction of a contact. */\ntypedef struct {{\n{fields}}} {};\n",
                self.contact_law()
            );
        }
        for (declaration, doc) in self.setup_declarations() {
            let _ = writeln!(text, "/* {doc} */\n{declaration};\n");
        }
        for role in self.roles() {
            let results = self.results(role);
            if results.is_empty() {
                continue;
            }
            for result in &results {
                if let Some(pattern) = result.pattern {
                    text.push_str(&self.tables(role, result.role, pattern, true));
                }
            }
            // C++ does not know `restrict`, and a declaration means the same without it.
            let declaration = self.declaration(role, &results).replace("*restrict ", "*");
            let _ = writeln!(text, "/*\n{} */\n{declaration};\n", self.doc(role));
        }
        let _ = writeln!(text, "#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */");
        text
    }

    pub(super) fn source(&self) -> String {
        let mut body = String::new();
        for members in &self.members {
            let kernel = members.scheduled;
            if !kernel.constants.is_empty() {
                body.push_str(&setup(members));
            }
            for scheduled in kernel.functions.iter().filter(|function| !is_empty(function)) {
                body.push_str(&function(&members.module, scheduled, &kernel.names));
            }
        }
        body.push_str(&self.parameters());
        body.push_str(&self.constants());
        body.push_str(&self.contact_laws());
        for role in self.roles() {
            let results = self.results(role);
            if !results.is_empty() {
                body.push_str(&self.function(role, &results));
            }
        }
        format!("#include \"{}.h\"\n\n#include <math.h>\n\n{}{body}", self.name, helpers(&body))
    }

    pub(super) fn n_constants(&self) -> usize {
        self.members.iter().map(|members| members.scheduled.constants.len() * members.rows.len()).sum()
    }

    fn setup_declarations(&self) -> Vec<(String, &'static str)> {
        let mut declarations = vec![
            (format!("void {}_parameters(double *parameters)", self.name), "The default parameters, in SI units."),
            (
                format!("void {}_constants(const double *parameters, double *constants)", self.name),
                "Computes the constants that every function reads.",
            ),
        ];
        if !self.schedule.law_of_contact.is_empty() {
            declarations.push((
                format!("void {}_contact_laws(const double *parameters, {} *laws)", self.name, self.contact_law()),
                "The laws, contact by contact.",
            ));
        }
        declarations
    }

    /// The defaults, each from the earlier ones.
    fn parameters(&self) -> String {
        let mut text = format!("{}\n{{\n", self.setup_declarations()[0].0);
        let argument = |argument| match argument {
            Argument::Parameter(i) => format!("parameters[{i}]"),
            _ => String::new(),
        };
        let mut next = 0;
        for routine in &self.schedule.defaults {
            let notation = Notation { argument: Box::new(argument), routine, language: Language::C };
            let statements = notation.statements(&|_, position| format!("parameters[{}]", next + position));
            // Temporaries of one parameter are not those of the next.
            let _ = write!(text, "{{\n{statements}}}\n");
            next += routine.outputs.iter().sum::<usize>();
        }
        if next == 0 {
            text.push_str("(void)parameters;\n");
        }
        finished(&(text + "}\n"))
    }

    fn constants(&self) -> String {
        let routine = &self.schedule.members;
        let argument = |argument| match argument {
            Argument::Parameter(i) => format!("parameters[{i}]"),
            _ => String::new(),
        };
        let notation = Notation { argument: Box::new(argument), routine, language: Language::C };
        let mut text = format!("{}\n{{\n", self.setup_declarations()[1].0);
        let is_read =
            |wanted: &str, text: &str| if text.contains(wanted) { String::new() } else { format!("(void){wanted};\n") };
        let mut body = notation.temporaries();
        let results = notation.results();
        let mut offset = 0;
        for members in &self.members {
            let n = members.scheduled.constants.len();
            for rows in &members.rows.0 {
                for (i, first) in rows.first.clone().enumerate() {
                    let advanced = |(j, value): (usize, &String)| match rows.step.clone().nth(i) {
                        Some(step) => format!("{value} + k * ({})", results[step][j]),
                        None => value.clone(),
                    };
                    let mut values: Vec<String> = results[first].iter().enumerate().map(advanced).collect();
                    // Constants of numbers alone, of which C has no empty array.
                    if values.is_empty() {
                        values.push("0.0".to_owned());
                    }
                    let head = if rows.count == 1 {
                        "{".to_owned()
                    } else {
                        format!("for (int k = 0; k < {}; ++k) {{", rows.count)
                    };
                    let place =
                        if rows.count == 1 { String::new() } else { format!(" + {} * k", rows.first.len() * n) };
                    let _ = writeln!(
                        body,
                        "{head}\nconst double of_member[] = {{ {} }};\nkernel_{}_constants(of_member, constants + {}{place});\n}}",
                        values.join(", "),
                        members.module,
                        offset + i * n,
                    );
                }
                offset += rows.count * rows.first.len() * n;
            }
        }
        text.push_str(&body);
        text.push_str(&is_read("parameters", &body));
        text.push_str(&is_read("constants", &body));
        finished(&(text + "}\n"))
    }

    /// The type of a law.
    fn contact_law(&self) -> String {
        format!("{}_contact_law", self.name)
    }

    fn contact_laws(&self) -> String {
        let routine = &self.schedule.contact_laws;
        let places: Vec<String> = self.schedule.law_of_contact.iter().map(usize::to_string).collect();
        if places.is_empty() {
            return String::new();
        }
        let argument = |argument| match argument {
            Argument::Parameter(i) => format!("parameters[{i}]"),
            _ => String::new(),
        };
        let notation = Notation { argument: Box::new(argument), routine, language: Language::C };
        let mut text = format!("{}\n{{\n{}", self.setup_declarations()[2].0, notation.temporaries());
        let law = |values: &Vec<String>| {
            let fields = LAW_FIELDS.iter().zip(values).map(|(field, value)| format!(".{field} = {value}"));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        };
        let laws: Vec<String> = notation.results().iter().map(law).collect();
        let _ = writeln!(text, "const {} distinct[] = {{ {} }};", self.contact_law(), laws.join(", "));
        let _ = writeln!(text, "static const int law_of_contact[] = {{ {} }};", places.join(", "));
        if !text.contains("parameters[") {
            text.push_str("(void)parameters;\n");
        }
        let _ = writeln!(text, "for (int i = 0; i < {}; ++i)\nlaws[i] = distinct[law_of_contact[i]];", places.len());
        finished(&(text + "}\n"))
    }

    /// What a function of the model computes; nothing if no kernel contributes.
    pub(super) fn results(&self, function: FunctionRole) -> Vec<Filled<'a>> {
        let mut results: Vec<(Role, (usize, usize))> = Vec::new();
        for (_, scheduled) in self.contributions(function) {
            for output in scheduled.outputs.iter().filter(|output| output.is_dense || !output.entries.is_empty()) {
                if !results.iter().any(|(role, _)| *role == output.role) {
                    results.push((output.role, output.shape));
                }
            }
        }
        if !function.is_on_request() {
            // As the methods in Rust have them.
            let last = (function == FunctionRole::Residual).then_some(Role::Constraint);
            results.sort_by_key(|&(role, _)| (Some(role) == last, role));
        }
        let result = |(role, shape)| {
            let pattern = self.pattern(function, role);
            let (rows, columns) = axes(function, role, shape);
            let layout = &self.equations.layout;
            let shape = (rows.size(layout), columns.size(layout));
            let len = pattern.map_or(shape.0 * shape.1, Pattern::nnz);
            Filled { role, len, shape, pattern }
        };
        results.into_iter().map(result).collect()
    }

    /// The places of a matrix that is not dense.
    fn pattern(&self, function: FunctionRole, role: Role) -> Option<&'a Pattern> {
        match (function, role) {
            (FunctionRole::MassMatrix | FunctionRole::Linearization, Role::MassMatrix) => {
                Some(&self.patterns.mass_matrix)
            }
            (_, Role::Damping) => Some(&self.patterns.damping),
            (_, Role::Stiffness) => Some(&self.patterns.stiffness),
            (_, Role::ConstraintJacobian) => Some(&self.patterns.constraint_jacobian),
            (_, Role::ContactJacobian) => Some(&self.patterns.contact_jacobian),
            _ => None,
        }
    }

    /// What the kernels compute, in order.
    pub(super) fn roles(&self) -> BTreeSet<FunctionRole> {
        let functions = self.members.iter().flat_map(|members| &members.scheduled.functions);
        functions.map(|function| function.role).collect()
    }

    /// The name of a function of the model, without that of the model.
    pub(super) fn function_name(&self, role: FunctionRole) -> String {
        let mut functions = self.members.iter().flat_map(|members| &members.scheduled.functions);
        let known = functions.find(|function| function.role == role);
        c_identifier(known.map_or(function_name(role), |function| &function.name))
    }

    /// The kernels that have this function.
    pub(super) fn contributions(&self, role: FunctionRole) -> Vec<(&Members<'a>, &'a ScheduledFunction)> {
        let mut contributions = Vec::new();
        for members in &self.members {
            for function in &members.scheduled.functions {
                if function.role == role && (role.is_on_request() || !is_empty(function)) {
                    contributions.push((members, function));
                }
            }
        }
        contributions
    }

    /// Whether the model composes this function of others.
    fn is_composed(&self, role: FunctionRole) -> bool {
        self.contributions(role).iter().any(|(_, function)| function.is_composed())
    }

    /// Slopes of accelerations, of those of forces at the accelerations that the forces cause.
    fn composed(&self, results: &[Filled]) -> String {
        let n = self.equations.layout.velocities.len();
        let names: Vec<&str> = results.iter().map(|result| role_name(result.role)).collect();
        let call = |role, results: &[&str]| {
            let given = self.read(role).into_iter().map(|group| group.name()).chain(results.iter().copied());
            format!("{}_{}({});\n", self.name, self.function_name(role), given.collect::<Vec<_>>().join(", "))
        };
        let [accelerations, slopes] = FunctionRole::OF_SLOPES_OF_ACCELERATIONS;
        format!(
            "double a[{n}];\n{}{}solve_for_accelerations({n}, {});\n",
            call(accelerations, &["a"]),
            call(slopes, &names),
            names.join(", ")
        )
    }

    fn doc(&self, role: FunctionRole) -> String {
        let contributions = self.contributions(role);
        let mut lines = docs::of_model(role, self.equations, self.schedule);
        let results: Vec<String> = self.results(role).iter().map(Filled::doc).collect();
        lines.insert(1, format!("Results: {}.", results.join("; ")));
        for (members, _) in contributions.iter().filter(|_| self.members.len() > 1) {
            let names: Vec<&str> = members.instances.iter().map(|instance| instance.name.as_str()).collect();
            lines.push(format!("Adds up over: {}.", some_of(&names)));
        }
        lines.iter().filter(|line| !line.is_empty()).map(|line| format!(" * {}\n", comment(line))).collect()
    }

    /// What a function of the model reads, in the order of its signature.
    pub(super) fn read(&self, role: FunctionRole) -> Vec<Group> {
        let contributions = self.contributions(role);
        let mut read: Vec<Group> =
            contributions.iter().flat_map(|(_, function)| groups(&function.routine)).map(|(group, _)| group).collect();
        if contributions.iter().any(|(_, function)| function.is_composed()) {
            let parts = FunctionRole::OF_SLOPES_OF_ACCELERATIONS.into_iter().flat_map(|part| self.read(part));
            read.extend(parts.filter(|group| *group != Group::Accelerations));
        }
        read.sort();
        read.dedup();
        read
    }

    /// A call of a function of the model, with what it reads and with places for its results; nothing if the model has no
    /// such function.
    pub(super) fn called<'t>(
        &self,
        role: FunctionRole,
        given: impl Fn(Group) -> &'t str,
        place: impl Fn(Role) -> &'t str,
    ) -> Option<String> {
        let results = self.results(role);
        if results.is_empty() {
            return None;
        }
        let given = self.read(role).into_iter().map(given);
        let arguments: Vec<&str> = given.chain(results.iter().map(|result| place(result.role))).collect();
        Some(format!("{}_{}({});\n", self.name, self.function_name(role), arguments.join(", ")))
    }

    fn declaration(&self, role: FunctionRole, results: &[Filled]) -> String {
        let read = self.read(role);
        let parameters = read.into_iter().map(given).chain(results.iter().map(|result| filled(result.role)));
        format!("void {}_{}({})", self.name, self.function_name(role), parameters.collect::<Vec<_>>().join(", "))
    }

    /// Where the values of a matrix stand; one set of tables for every function that fills it.
    fn tables(&self, function: FunctionRole, role: Role, pattern: &Pattern, is_declared: bool) -> String {
        let is_first = self
            .roles()
            .into_iter()
            .find(|&known| self.results(known).iter().any(|result| result.role == role && result.pattern.is_some()));
        if is_first != Some(function) {
            return String::new();
        }
        let name = format!("{}_{}", self.name, role_name(role));
        let (rows, columns) = pattern.shape();
        let starts: Vec<String> = pattern.starts().iter().map(usize::to_string).collect();
        let indices: Vec<String> = pattern.entries().map(|(row, _)| row.to_string()).collect();
        let tables = [("column_starts", starts), ("row_indices", indices)];
        let mut text = String::new();
        if is_declared {
            let _ = writeln!(text, "/* Places of {} in a [{rows} x {columns}] matrix, by columns. */", role_name(role));
        }
        for (kind, values) in tables {
            let _ = if is_declared {
                writeln!(text, "extern const int {name}_{kind}[{}];", values.len())
            } else {
                writeln!(text, "const int {name}_{kind}[{}] = {{ {} }};", values.len(), values.join(", "))
            };
        }
        text + "\n"
    }

    /// A function of the model: clears its results, calls the kernels of every instance, and adds up.
    fn function(&self, role: FunctionRole, results: &[Filled]) -> String {
        let mut text = String::new();
        for result in results {
            if let Some(pattern) = result.pattern {
                text.push_str(&self.tables(role, result.role, pattern, false));
            }
        }
        let _ = writeln!(text, "{}\n{{", self.declaration(role, results));
        for result in results {
            let name = role_name(result.role);
            let _ = writeln!(text, "for (int i = 0; i < {}; ++i) {name}[i] = 0.0;", result.len);
        }
        let mut offset = 0;
        for members in &self.members {
            for scheduled in members.scheduled.functions.iter().filter(|f| f.role == role && !is_empty(f)) {
                text.push_str(&self.call(members, scheduled, offset));
            }
            offset += members.scheduled.constants.len() * members.rows.len();
        }
        if self.is_composed(role) {
            text.push_str(&self.composed(results));
        }
        finished(&(text + "}\n"))
    }

    fn call(&self, members: &Members, function: &ScheduledFunction, offset: usize) -> String {
        let n = members.instances.len();
        let (mut tables, mut before, mut after) = (String::new(), String::new(), String::new());
        let mut arguments = Vec::new();
        let mut table = |name: &str, rows: Vec<Vec<usize>>| {
            let row = |row: &Vec<usize>| {
                let values: Vec<String> = row.iter().map(usize::to_string).collect();
                format!("{{ {} }}", values.join(", "))
            };
            let len = rows.first().map_or(0, Vec::len);
            let rows: Vec<String> = rows.iter().map(row).collect();
            let _ = writeln!(tables, "static const int at_{name}[{n}][{len}] = {{ {} }};", rows.join(", "));
            len
        };
        for (group, _) in groups(&function.routine) {
            let name = group.name();
            let of = |instance: &crate::derive::Instance| match group {
                Group::Inputs => instance.inputs.clone(),
                Group::Positions => instance.q.clone(),
                Group::Multipliers => instance.lambda.clone(),
                _ => instance.v.clone(),
            };
            match group {
                Group::Constants => {
                    let row = match members.rows.len() {
                        1 => "0".to_owned(),
                        rows if rows == n => "k".to_owned(),
                        _ => {
                            table(
                                "constants",
                                members.indices.iter().map(|&i| vec![self.schedule.row_of_instance[i]]).collect(),
                            );
                            "at_constants[k][0]".to_owned()
                        }
                    };
                    arguments.push(format!("constants + {offset} + {} * {row}", members.scheduled.constants.len()));
                }
                Group::Time => arguments.push("t".to_owned()),
                _ => {
                    let len = table(name, members.instances.iter().map(|instance| of(instance)).collect());
                    let _ = writeln!(
                        before,
                        "double {name}_k[{len}];\nfor (int i = 0; i < {len}; ++i) {name}_k[i] = {name}[at_{name}[k][i]];"
                    );
                    arguments.push(format!("{name}_k"));
                }
            }
        }
        for (output, _) in stored(function, &function.routine) {
            let name = role_name(output.role);
            if output.is_dense {
                arguments.push(name.to_owned());
                continue;
            }
            let places =
                members.instances.iter().map(|instance| self.places(instance, function.role, output)).collect();
            let len = table(name, places);
            let _ = writeln!(before, "double {name}_k[{len}];");
            let _ = writeln!(after, "for (int i = 0; i < {len}; ++i) {name}[at_{name}[k][i]] += {name}_k[i];");
            arguments.push(format!("{name}_k"));
        }
        let call = format!("kernel_{}_{}({});", members.module, c_identifier(&function.name), arguments.join(", "));
        format!("{{\n{tables}for (int k = 0; k < {n}; ++k) {{\n{before}{call}\n{after}}}\n}}\n")
    }

    /// Where the entries of an output stand in the result.
    fn places(
        &self,
        instance: &crate::derive::Instance,
        function: FunctionRole,
        output: &ScheduledOutput,
    ) -> Vec<usize> {
        let pattern = self.pattern(function, output.role);
        let columns = axes(function, output.role, output.shape).1.size(&self.equations.layout);
        let place = |(row, column)| pattern.map_or(row * columns + column, |pattern| pattern.position(row, column));
        placed(instance, function, output).into_iter().map(place).collect()
    }

    /// Row, column and place in the result of every entry that is not zero for all arguments.
    pub(super) fn entries(&self, function: FunctionRole, role: Role) -> Vec<[usize; 3]> {
        if self.is_composed(function) {
            let n_velocities = self.equations.layout.velocities.len();
            let places = 0..n_velocities * n_velocities;
            return places.map(|place| [place / n_velocities, place % n_velocities, place]).collect();
        }
        let mut entries = BTreeSet::new();
        for members in &self.members {
            let functions = members.scheduled.functions.iter().filter(|known| known.role == function);
            for (scheduled, output) in functions.flat_map(|f| f.outputs.iter().map(move |output| (f, output))) {
                if output.role != role {
                    continue;
                }
                for instance in &members.instances {
                    let places = self.places(instance, function, output);
                    let entry = |((row, column), place)| [row, column, place];
                    entries.extend(placed(instance, scheduled.role, output).into_iter().zip(places).map(entry));
                }
            }
        }
        entries.into_iter().collect()
    }
}

/// Functions that the text calls and C does not have.
fn helpers(body: &str) -> String {
    let mut text = String::new();
    if body.contains("mul_add(") {
        text.push_str(concat!(
            "/* a * b + c in one operation where it is faster. */\n",
            "static double mul_add(double a, double b, double c)\n{\n",
            "#ifdef FP_FAST_FMA\n    return fma(a, b, c);\n#else\n    return a * b + c;\n#endif\n}\n\n"
        ));
    }
    if body.contains("solve_for_accelerations(") {
        text.push_str(include_str!("solve_for_accelerations.c"));
        text.push('\n');
    }
    if body.contains("sign(") {
        text.push_str("/* -1, 0 or 1. */\nstatic double sign(double x)\n{\n    return (x > 0.0) - (x < 0.0);\n}\n\n");
    }
    text
}
