//! Schedule → C99 with CasADi's interface of external functions, and a Python module that compiles and loads them.
//!
//! Beside the functions of the [model](super::c) a second file has those that problems of optimal control are written
//! with, each with its Jacobian: `f`, `jac_f`, and what CasADi asks of both. Parameters are numbers in the file, nothing is
//! written but results and the caller's room, so that any number of threads may call. Quaternions are divided by their
//! norm before anything else, which makes derivatives by all four of their components what differences give.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::c::{Files, Model};
use super::c_kernel::finished;
use super::c_turns::{Space, Turn, attitude, called, prefix, rates};
use crate::derive::{Channel, Equations, FunctionRole, Role};
use crate::escape::comment;
use crate::rotations::RotationKind;
use crate::schedule::Schedule;
use crate::schedule::groups::Group;
use crate::schedule::interpret::Interpreter;

/// The files of a model for CasADi.
#[derive(Clone, Debug)]
pub struct CCasadi {
    /// The functions of the model.
    pub model: Files,
    /// What CasADi calls, `model_casadi.c`.
    pub functions: String,
    /// The module that compiles both and loads them, `model_casadi.py`.
    pub module: String,
    /// Names of the functions.
    pub names: Vec<&'static str>,
}

/// What the files of a model for CasADi contain as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// Parameters, component by component.
    pub parameters: &'a [f64],
    /// Coordinates and velocities of the start.
    pub start: [&'a [f64]; 2],
}

/// The files of a model for CasADi.
pub fn c_casadi(name: &str, equations: &Equations, schedule: &Schedule, numbers: Numbers) -> CCasadi {
    super::c::with_model(name, equations, schedule, |model| {
        let writer = Writer { model, space: Space::of(&model.equations.layout.blocks) };
        let functions = writer.functions();
        CCasadi {
            model: Files { header: model.header(), source: model.source() },
            functions: writer.source(&functions, numbers),
            module: writer.module(&functions, numbers),
            names: functions.iter().map(|function| function.name).collect(),
        }
    })
}

/// Columns that a derivative stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// One for each value of the argument.
    Own,
    /// Directions of the velocities, of which the argument's are made.
    Directions,
}

/// An entry of a derivative: row, column, and its place among the results of the calls before.
type Entry = [usize; 3];

/// The derivative by an argument.
struct Derivative {
    by: Group,
    entries: Vec<Entry>,
    is_negative: bool,
    columns: Columns,
}

/// A function with its Jacobian.
struct Function {
    name: &'static str,
    doc: &'static str,
    arguments: Vec<Group>,
    result: (&'static str, usize),
    /// Statements that fill `out`.
    value: String,
    /// Statements that fill `d`, the results that derivatives are made of, and their number.
    slopes: (String, usize),
    /// Those of the other arguments are zero, and of time unknown.
    derivatives: Vec<Derivative>,
    /// The same of the adjoint derivative, if second derivatives are known.
    second: Option<Second>,
}

/// The derivatives of wᵀ f by the arguments, and of these by the arguments and by w.
struct Second {
    /// Statements that fill `d`, and their number.
    slopes: (String, usize),
    /// One for each argument and argument, and for each argument and w.
    derivatives: Vec<Vec<Option<(Vec<Entry>, bool)>>>,
}

/// Statements that call functions of the model for the sake of derivatives.
#[derive(Default)]
struct Calls {
    text: String,
    len: usize,
}

struct Writer<'w, 'm> {
    model: &'w Model<'m>,
    space: Space,
}

impl Writer<'_, '_> {
    fn len(&self, group: Group) -> usize {
        let layout = &self.model.equations.layout;
        match group {
            Group::Constants | Group::Time => 1,
            Group::Inputs => layout.inputs.len(),
            Group::Positions => layout.coordinates.len(),
            Group::Velocities | Group::Accelerations | Group::Forces | Group::Weights => layout.velocities.len(),
            Group::Multipliers => layout.constraints.len(),
        }
    }

    fn has_quaternions(&self) -> bool {
        self.space.turns.iter().any(|turn| turn.kind == RotationKind::EulerParameters)
    }

    /// Constraints on coordinates.
    fn n_holonomic(&self) -> usize {
        let layout = &self.model.equations.layout;
        layout.constraints.len() - layout.velocity_constraints
    }

    /// A call with its results at places, nothing where there are none.
    fn call(&self, role: FunctionRole, places: &[(Role, &str)]) -> Option<String> {
        let given = |group| match group {
            Group::Positions => "at_q",
            Group::Weights => "adj_tau",
            Group::Inputs => "u",
            group => group.name(),
        };
        let place = |role: Role| places.iter().find(|(known, _)| *known == role).map_or("room", |(_, place)| *place);
        self.model.called(role, given, place)
    }

    /// Fills `out` with a result of a function, with zeros where the model has no such function.
    fn valued(&self, role: FunctionRole, result: Role, len: usize) -> String {
        let is_given = self.model.results(role).iter().any(|known| known.role == result);
        match self.call(role, &[(result, "out")]).filter(|_| is_given) {
            Some(call) => call,
            None => format!("for (int i = 0; i < {len}; ++i) out[i] = 0.0;\n"),
        }
    }

    /// Room that results of functions need which nobody asks for.
    fn room(&self) -> usize {
        let roles = self.model.roles();
        let lens = roles.into_iter().flat_map(|role| self.model.results(role)).map(|result| result.len);
        lens.max().unwrap_or(0)
    }

    /// Calls a function for its derivatives; the entries of each result follow.
    fn slopes<const N: usize>(&self, calls: &mut Calls, role: FunctionRole, results: [Role; N]) -> [Vec<Entry>; N] {
        let known = self.model.results(role);
        let mut places = Vec::new();
        let entries = results.map(|wanted| {
            let Some(result) = known.iter().find(|result| result.role == wanted) else { return Vec::new() };
            let first = calls.len;
            calls.len += result.len;
            places.push((wanted, format!("d + {first}")));
            let entries = self.model.entries(role, wanted);
            entries.into_iter().map(|[row, column, place]| [row, column, first + place]).collect()
        });
        let places: Vec<(Role, &str)> = places.iter().map(|(role, place)| (*role, place.as_str())).collect();
        calls.text.push_str(&self.call(role, &places).unwrap_or_default());
        entries
    }

    /// The arguments of functions that are evaluated in this way.
    fn arguments(&self, nominal: &[Group], roles: &[FunctionRole]) -> Vec<Group> {
        let read: Vec<Group> = roles.iter().flat_map(|&role| self.model.read(role)).collect();
        let further = [Group::Inputs, Group::Time].into_iter().filter(|group| read.contains(group));
        nominal.iter().copied().chain(further).filter(|&group| self.len(group) > 0).collect()
    }

    fn functions(&self) -> Vec<Function> {
        let roles = self.model.roles();
        let mut functions = vec![self.of_rates()];
        if roles.contains(&FunctionRole::ForwardDynamicsDerivatives) {
            functions.push(self.forward_dynamics());
        }
        if roles.contains(&FunctionRole::InverseDynamicsDerivatives) {
            functions.push(self.inverse_dynamics());
        }
        functions.push(self.residual());
        if self.n_holonomic() > 0 {
            functions.push(self.constraint());
        }
        if self.len(Group::Multipliers) > 0 {
            functions.push(self.constraint_rate());
            functions.push(self.constraint_acceleration());
        }
        if !self.model.equations.layout.outputs.is_empty() {
            functions.push(self.outputs());
        }
        functions
    }

    fn of_rates(&self) -> Function {
        let (nq, nv) = (self.len(Group::Positions), self.len(Group::Velocities));
        let (mut by_q, mut by_v) = (Vec::new(), Vec::new());
        let mut text = "d[0] = 1.0;\n".to_owned();
        let mut len = 1;
        // A block of so many rows and columns behind the others, and its entries at this row and column.
        let mut block = |rows: usize, columns: usize, at: (usize, usize), entries: &mut Vec<Entry>| {
            let first = len;
            len += rows * columns;
            entries.extend((0..rows * columns).map(|i| [at.0 + i / columns, at.1 + i % columns, first + i]));
            first
        };
        for (q, v, n) in &self.space.vectors {
            by_v.extend((0..*n).map(|i| [q + i, v + i, 0]));
        }
        for (index, Turn { kind, place, attitude: at, omega }) in self.space.turns.iter().enumerate() {
            let (n, kind_prefix, inverse) = (attitude(*kind), prefix(*kind), inverse_norm(*kind, index));
            let first = block(n, n, (*at, *at), &mut by_q);
            let _ = writeln!(text, "{kind_prefix}_rate_by_attitude(at_q + {at}, v + {omega}, {inverse}, d + {first});");
            let first = block(n, 3, (*at, *omega), &mut by_v);
            let _ = write!(
                text,
                "for (int i = 0; i < 3; ++i) {{\ndouble one[3] = {{ 0.0, 0.0, 0.0 }}, rate[4];\none[i] = 1.0;\n{kind_prefix}_rate(at_q + {at}, one, rate);\nfor (int row = 0; row < {n}; ++row) d[{first} + 3 * row + i] = rate[row];\n}}\n"
            );
            if let Some((q, v)) = place {
                let directions = block(3, n, (0, 0), &mut Vec::new());
                let _ = writeln!(text, "{kind_prefix}_directions(at_q + {at}, {inverse}, d + {directions});");
                let first = block(3, n, (*q, *at), &mut by_q);
                let _ = writeln!(
                    text,
                    "{kind_prefix}_place_rate_by_attitude(at_q + {at}, v + {v}, d + {directions}, {n}, d + {first});"
                );
                let first = block(3, 3, (*q, *v), &mut by_v);
                let _ = write!(
                    text,
                    "for (int i = 0; i < 3; ++i) {{\ndouble one[3] = {{ 0.0, 0.0, 0.0 }}, rate[3];\none[i] = 1.0;\n{kind_prefix}_place_rate(at_q + {at}, one, rate);\nfor (int row = 0; row < 3; ++row) d[{first} + 3 * row + i] = rate[row];\n}}\n"
                );
            }
        }
        Function {
            name: "coordinate_rates",
            doc: "Rates of the coordinates, N(q) v.",
            arguments: [(Group::Positions, nq), (Group::Velocities, nv)]
                .into_iter()
                .filter(|(_, n)| *n > 0)
                .map(|(group, _)| group)
                .collect(),
            result: ("q_dot", nq),
            value: "rates(at_q, v, out);\n".to_owned(),
            slopes: (text, len),
            derivatives: vec![
                Derivative { by: Group::Positions, entries: by_q, is_negative: false, columns: Columns::Own },
                Derivative { by: Group::Velocities, entries: by_v, is_negative: false, columns: Columns::Own },
            ],
            second: None,
        }
    }

    fn forward_dynamics(&self) -> Function {
        use FunctionRole::{ForwardDynamics, ForwardDynamicsDerivatives, InputDerivatives};
        let arguments =
            self.arguments(&[Group::Positions, Group::Velocities, Group::Forces], &[ForwardDynamics, InputDerivatives]);
        let mut calls = Calls::default();
        let roles = [Role::AccelerationByPosition, Role::AccelerationByVelocity, Role::InverseMassMatrix];
        let [by_q, by_v, by_tau] = self.slopes(&mut calls, ForwardDynamicsDerivatives, roles);
        let mut derivatives =
            vec![of_directions(by_q), own(Group::Velocities, by_v), own(Group::Forces, by_tau.clone())];
        let nu = self.len(Group::Inputs);
        if nu > 0 && arguments.contains(&Group::Inputs) {
            // M a + h - f(u) = tau, so that inputs change the accelerations by the inverse of M times what they change r.
            let [of_residual] = self.slopes(&mut calls, InputDerivatives, [Role::ForceByInput]);
            let n = self.len(Group::Velocities);
            let (mut entries, mut terms) = (Vec::new(), Vec::new());
            for row in 0..n {
                for column in 0..nu {
                    let of = |k: usize| {
                        let left = by_tau.iter().find(|entry| entry[..2] == [row, k])?[2];
                        let right = of_residual.iter().find(|entry| entry[..2] == [k, column])?[2];
                        Some(format!("d[{left}] * d[{right}]"))
                    };
                    let sum: Vec<String> = (0..n).filter_map(of).collect();
                    if !sum.is_empty() {
                        entries.push([row, column, calls.len + terms.len()]);
                        terms.push(sum.join(" + "));
                    }
                }
            }
            for (i, term) in terms.iter().enumerate() {
                let _ = writeln!(calls.text, "d[{}] = {term};", calls.len + i);
            }
            calls.len += terms.len();
            derivatives.push(Derivative { is_negative: true, ..own(Group::Inputs, entries) });
        }
        Function {
            name: "forward_dynamics",
            doc: "Accelerations a = M^-1 (tau - h + f) of forces tau along the velocities.",
            arguments,
            result: ("a", self.len(Group::Velocities)),
            value: self.valued(ForwardDynamics, Role::Acceleration, self.len(Group::Velocities)),
            slopes: (calls.text, calls.len),
            derivatives,
            second: None,
        }
    }

    fn inverse_dynamics(&self) -> Function {
        use FunctionRole::{InputDerivatives, InverseDynamics, InverseDynamicsDerivatives};
        let state = [Group::Positions, Group::Velocities, Group::Accelerations];
        let arguments = self.arguments(&state, &[InverseDynamicsDerivatives, InverseDynamics, InputDerivatives]);
        let mut calls = Calls::default();
        let roles = [Role::ForceByPosition, Role::ForceByVelocity, Role::MassMatrix];
        let [by_q, by_v, by_a] = self.slopes(&mut calls, InverseDynamicsDerivatives, roles);
        let second = self.second_derivatives(&arguments, [&by_q, &by_v, &by_a], &calls);
        let mut derivatives = vec![of_directions(by_q), own(Group::Velocities, by_v), own(Group::Accelerations, by_a)];
        if arguments.contains(&Group::Inputs) {
            let [by_u] = self.slopes(&mut calls, InputDerivatives, [Role::ForceByInput]);
            derivatives.push(own(Group::Inputs, by_u));
        }
        let nv = self.len(Group::Velocities);
        let value = match self.model.roles().contains(&InverseDynamics) {
            true => self.valued(InverseDynamics, Role::Force, nv),
            // The residual without constraints is the same.
            false => self.valued(FunctionRole::Residual, Role::Residual, nv),
        };
        Function {
            name: "inverse_dynamics",
            doc: "Forces tau = M a + h - f along the velocities.",
            arguments,
            result: ("tau", nv),
            value,
            slopes: (calls.text, calls.len),
            derivatives,
            second,
        }
    }

    /// Second derivatives of the forces, for models whose coordinates are integrals of the velocities and which read
    /// nothing but q, v and a.
    fn second_derivatives(&self, arguments: &[Group], first: [&Vec<Entry>; 3], calls: &Calls) -> Option<Second> {
        use FunctionRole::InverseDynamicsSecondDerivatives;
        let is_plain = self.space.turns.is_empty() && arguments.len() == 3;
        if !is_plain || !self.model.roles().contains(&InverseDynamicsSecondDerivatives) {
            return None;
        }
        let mut calls = Calls { text: calls.text.clone(), len: calls.len };
        let roles = [
            Role::ForceByPositions,
            Role::ForceByPositionAndVelocity,
            Role::ForceByVelocities,
            Role::ForceByPositionAndAcceleration,
        ];
        let [qq, qv, vv, qa] = self.slopes(&mut calls, InverseDynamicsSecondDerivatives, roles);
        let [by_q, by_v, by_a] = first;
        let transposed =
            |entries: &[Entry]| entries.iter().map(|[row, column, place]| [*column, *row, *place]).collect();
        let some = |entries: Vec<Entry>| Some((entries, false));
        let (vq, aq) = (transposed(&qv), transposed(&qa));
        let derivatives = vec![
            vec![some(qq), some(qv), some(qa), some(transposed(by_q))],
            vec![some(vq), some(vv), None, some(transposed(by_v))],
            vec![some(aq), None, None, some(transposed(by_a))],
        ];
        Some(Second { slopes: (calls.text, calls.len), derivatives })
    }

    fn residual(&self) -> Function {
        use FunctionRole::{InputDerivatives, Linearization, Residual};
        let state = [Group::Positions, Group::Velocities, Group::Accelerations, Group::Multipliers];
        let arguments = self.arguments(&state, &[Residual, Linearization, InputDerivatives]);
        let mut calls = Calls::default();
        let roles = [Role::Stiffness, Role::Damping, Role::MassMatrix, Role::ConstraintJacobian];
        let [by_q, by_v, by_a, jacobian] = self.slopes(&mut calls, Linearization, roles);
        let by_lambda = jacobian.into_iter().map(|[row, column, place]| [column, row, place]).collect();
        let mut derivatives = vec![
            of_directions(by_q),
            own(Group::Velocities, by_v),
            own(Group::Accelerations, by_a),
            Derivative { is_negative: true, ..own(Group::Multipliers, by_lambda) },
        ];
        if arguments.contains(&Group::Inputs) {
            let [by_u] = self.slopes(&mut calls, InputDerivatives, [Role::ForceByInput]);
            derivatives.push(own(Group::Inputs, by_u));
        }
        Function {
            name: "residual",
            doc: "Residual r = M a + h - f - transpose(G) lambda of the equations of motion.",
            arguments,
            result: ("r", self.len(Group::Velocities)),
            value: self.valued(Residual, Role::Residual, self.len(Group::Velocities)),
            slopes: (calls.text, calls.len),
            derivatives,
            second: None,
        }
    }

    fn constraint(&self) -> Function {
        use FunctionRole::{Constraint, ConstraintJacobian};
        let mut calls = Calls::default();
        let [mut by_q] = self.slopes(&mut calls, ConstraintJacobian, [Role::ConstraintJacobian]);
        let n = self.n_holonomic();
        by_q.retain(|[row, ..]| *row < n);
        let all = self.len(Group::Multipliers);
        let value = match all == n {
            true => self.valued(Constraint, Role::Constraint, n),
            false => {
                let valued = self.valued(Constraint, Role::Constraint, all).replace("out", "room");
                valued + &format!("for (int i = 0; i < {n}; ++i) out[i] = room[i];\n")
            }
        };
        Function {
            name: "constraint",
            doc: "Constraints g on the coordinates, without those on velocities.",
            arguments: self.arguments(&[Group::Positions], &[Constraint, ConstraintJacobian]),
            result: ("g", n),
            value,
            slopes: (calls.text, calls.len),
            derivatives: vec![of_directions(by_q)],
            second: None,
        }
    }

    /// G times velocities or accelerations, and what is known of the sum before.
    fn along_jacobian(&self, known: Role, factor: &str) -> String {
        let n = self.len(Group::Multipliers);
        let mut text = self.valued(FunctionRole::ConstraintBias, known, n);
        let entries = self.model.entries(FunctionRole::ConstraintJacobian, Role::ConstraintJacobian);
        if let Some(call) = self.call(FunctionRole::ConstraintJacobian, &[(Role::ConstraintJacobian, "room")]) {
            text.push_str(&call);
        }
        let column = |values: Vec<usize>| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let [rows, columns, places] =
            [0, 1, 2].map(|part| column(entries.iter().map(|entry| entry[part]).collect::<Vec<_>>()));
        if !entries.is_empty() {
            let _ = write!(
                text,
                "static const int rows[] = {{ {rows} }};\nstatic const int columns[] = {{ {columns} }};\nstatic const int places[] = {{ {places} }};\nfor (int i = 0; i < {}; ++i) out[rows[i]] += room[places[i]] * {factor}[columns[i]];\n",
                entries.len()
            );
        }
        text
    }

    fn constraint_rate(&self) -> Function {
        use FunctionRole::{ConstraintBias, ConstraintDerivatives, ConstraintJacobian};
        let mut calls = Calls::default();
        let [by_q] = self.slopes(&mut calls, ConstraintDerivatives, [Role::ConstraintRateByPosition]);
        let [by_v] = self.slopes(&mut calls, ConstraintJacobian, [Role::ConstraintJacobian]);
        Function {
            name: "constraint_rate",
            doc: "Rates of the constraints, and the constraints on velocities.",
            arguments: self.arguments(
                &[Group::Positions, Group::Velocities],
                &[ConstraintBias, ConstraintDerivatives, ConstraintJacobian],
            ),
            result: ("g_dot", self.len(Group::Multipliers)),
            value: self.along_jacobian(Role::ConstraintRate, "v"),
            slopes: (calls.text, calls.len),
            derivatives: vec![of_directions(by_q), own(Group::Velocities, by_v)],
            second: None,
        }
    }

    fn constraint_acceleration(&self) -> Function {
        use FunctionRole::{ConstraintBias, ConstraintDerivatives, ConstraintJacobian};
        let mut calls = Calls::default();
        let roles = [Role::ConstraintAccelerationByPosition, Role::ConstraintAccelerationByVelocity];
        let [by_q, by_v] = self.slopes(&mut calls, ConstraintDerivatives, roles);
        let [by_a] = self.slopes(&mut calls, ConstraintJacobian, [Role::ConstraintJacobian]);
        Function {
            name: "constraint_acceleration",
            doc: "Accelerations of the constraints, and rates of those on velocities.",
            arguments: self.arguments(
                &[Group::Positions, Group::Velocities, Group::Accelerations],
                &[ConstraintBias, ConstraintDerivatives, ConstraintJacobian],
            ),
            result: ("g_ddot", self.len(Group::Multipliers)),
            value: self.along_jacobian(Role::ConstraintAcceleration, "a"),
            slopes: (calls.text, calls.len),
            derivatives: vec![of_directions(by_q), own(Group::Velocities, by_v), own(Group::Accelerations, by_a)],
            second: None,
        }
    }

    fn outputs(&self) -> Function {
        use FunctionRole::{OutputDerivatives, Outputs};
        let mut calls = Calls::default();
        let roles = [Role::OutputByPosition, Role::OutputByVelocity, Role::OutputByAcceleration, Role::OutputByInput];
        let [by_q, by_v, by_a, by_u] = self.slopes(&mut calls, OutputDerivatives, roles);
        let reads = |group| [Outputs, OutputDerivatives].iter().any(|&role| self.model.read(role).contains(&group));
        let further = [Group::Accelerations, Group::Multipliers].into_iter().filter(|&group| reads(group));
        let state: Vec<Group> = [Group::Positions, Group::Velocities].into_iter().chain(further).collect();
        let n = self.model.equations.layout.outputs.len();
        Function {
            name: "outputs",
            doc: "Outputs of the model.",
            arguments: self.arguments(&state, &[Outputs, OutputDerivatives]),
            result: ("y", n),
            value: self.valued(Outputs, Role::Outputs, n),
            slopes: (calls.text, calls.len),
            derivatives: vec![
                of_directions(by_q),
                own(Group::Velocities, by_v),
                own(Group::Accelerations, by_a),
                own(Group::Inputs, by_u),
            ],
            second: None,
        }
    }

    fn source(&self, functions: &[Function], numbers: Numbers) -> String {
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

    /// A function, its Jacobian, and its adjoint derivative with its Jacobian if second derivatives are known.
    fn function(&self, function: &Function) -> String {
        let Function { name, doc, arguments, result: (result, len), .. } = function;
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
        let Function { name, arguments, result: (result, len), slopes: (slopes, n), .. } = function;
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
            if !entries.is_empty() {
                let list =
                    |part: usize| entries.iter().map(|entry| entry[part].to_string()).collect::<Vec<_>>().join(", ");
                let _ = writeln!(
                    body,
                    "static const int rows[] = {{ {} }};\nstatic const int columns[] = {{ {} }};\nstatic const int places[] = {{ {} }};\nfor (int i = 0; i < {}; ++i) res[{place}][columns[i]] += d[places[i]] * adj_tau[rows[i]];",
                    list(0),
                    list(1),
                    list(2),
                    entries.len()
                );
            }
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
                    Some((entries, is_negative)) => {
                        let (sparsity, order) = compressed(rows, columns, entries);
                        body.push_str(&taken(place, &order, *is_negative));
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
    fn module(&self, functions: &[Function], numbers: Numbers) -> String {
        let layout = &self.model.equations.layout;
        let names = |channels: &[Channel]| {
            let quoted: Vec<String> = channels.iter().map(|channel| format!("{:?}", channel.name)).collect();
            format!("[{}]", quoted.join(", "))
        };
        let [q, v] = numbers.start.map(|values| format!("[{}]", numbers_of(values)));
        let list: Vec<String> = functions
            .iter()
            .map(|function| {
                let differentiable =
                    function.arguments.iter().map(|&group| if group == Group::Time { "False" } else { "True" });
                format!("    \"{}\": [{}],\n", function.name, differentiable.collect::<Vec<_>>().join(", "))
            })
            .collect();
        MODULE
            .replace("@model@", &self.model.name)
            .replace("@coordinates@", &names(&layout.coordinates))
            .replace("@velocities@", &names(&layout.velocities))
            .replace("@inputs@", &names(&layout.inputs))
            .replace("@outputs@", &names(&layout.outputs))
            .replace("@q@", &q)
            .replace("@v@", &v)
            .replace(
                "@hessians@",
                if functions.iter().any(|function| function.second.is_some()) { "True" } else { "False" },
            )
            .replace("@functions@", &list.concat())
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

fn own(by: Group, entries: Vec<Entry>) -> Derivative {
    Derivative { by, entries, is_negative: false, columns: Columns::Own }
}

fn of_directions(entries: Vec<Entry>) -> Derivative {
    Derivative { columns: Columns::Directions, ..own(Group::Positions, entries) }
}

fn inverse_norm(kind: RotationKind, index: usize) -> String {
    match kind {
        RotationKind::EulerParameters => format!("inverse_norms[{index}]"),
        RotationKind::EulerZyx => "1.0".to_owned(),
    }
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

const MODULE: &str = "\
\"\"\"Functions of the model `@model@` for CasADi, with exact derivatives.

    import @model@_casadi as model
    functions = model.functions()
    a = functions[\"forward_dynamics\"](q, v, tau)

A C compiler makes a library of the files beside this one where there is none yet, or an older one.
\"\"\"

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import casadi

#: Names of the values of the arguments q, v and u, and of the result y.
COORDINATES = @coordinates@
VELOCITIES = @velocities@
INPUTS = @inputs@
OUTPUTS = @outputs@

#: The start of the model.
Q_START = @q@
V_START = @v@

#: Whether inverse dynamics has exact second derivatives.
HAS_HESSIANS = @hessians@

# Arguments with respect to which derivatives are known.
_DIFFERENTIABLE = {
@functions@}

_ENDINGS = {\"darwin\": \"dylib\", \"win32\": \"dll\"}


def compile(compiler=None, flags=(\"-O2\",)):
    \"\"\"Makes the library if it is not there or older than its sources, and returns its path.

    compiler: the command of a C compiler; by default that of the variable CC of the environment, otherwise `cc`.
    \"\"\"
    folder = pathlib.Path(__file__).resolve().parent
    sources = [folder / \"@model@.c\", folder / \"@model@_casadi.c\"]
    library = folder / f\"lib@model@_casadi.{_ENDINGS.get(sys.platform, 'so')}\"
    newest = max(source.stat().st_mtime for source in [*sources, folder / \"@model@.h\"])
    if library.exists() and library.stat().st_mtime >= newest:
        return library
    command = shlex.split(compiler or os.environ.get(\"CC\", \"cc\"))
    # Another process may load the library while this one makes it.
    with tempfile.TemporaryDirectory(dir=folder) as work:
        made = pathlib.Path(work) / library.name
        arguments = [*command, *flags, \"-std=c99\", \"-fPIC\", \"-shared\", *map(str, sources), \"-o\", str(made), \"-lm\"]
        try:
            run = subprocess.run(arguments, capture_output=True, text=True)
        except FileNotFoundError:
            raise RuntimeError(f\"there is no C compiler `{command[0]}`; name one: compile(compiler=...)\") from None
        if run.returncode:
            raise RuntimeError(f\"`{shlex.join(arguments)}` failed:\\n{run.stderr}\")
        os.replace(made, library)
    return library


def functions(compiler=None, flags=(\"-O2\",)):
    \"\"\"The functions by name, each a `casadi.Function`.\"\"\"
    library = str(compile(compiler, flags))
    return {
        name: casadi.external(name, library, {\"is_diff_in\": differentiable})
        for name, differentiable in _DIFFERENTIABLE.items()
    }
";
