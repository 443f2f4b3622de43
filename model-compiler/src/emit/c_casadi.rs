//! Schedule → C99 with CasADi's interface of external functions, and a Python module that compiles and loads them.
//!
//! Beside the functions of the [model](super::c) a second file has those that problems of optimal control are written
//! with, each with its Jacobian: `f`, `jac_f`, and what CasADi asks of both. Parameters are numbers in the file, nothing is
//! written but results and the caller's room, so that any number of threads may call. Quaternions are divided by their
//! norm before anything else, which makes derivatives by all four of their components what differences give.
//! How CasADi calls them is [another file](super::c_casadi_interface).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::c::{Files, Model};
use super::c_turns::{Space, Turn, attitude, prefix};
use crate::derive::{Equations, FunctionRole, Role};
use crate::rotations::RotationKind;
use crate::schedule::Schedule;
use crate::schedule::groups::Group;

/// The files of a model for CasADi.
#[derive(Clone, Debug)]
pub struct CCasadi {
    /// The functions of the model.
    pub model: Files,
    /// What CasADi calls, `model_casadi.c`.
    pub functions: String,
    /// The module that compiles both and loads them, `model_casadi.py`.
    pub module: String,
    /// Names of the functions; symbols begin with that of the model and `_casadi_`.
    pub names: Vec<&'static str>,
    /// Whether inverse dynamics has second derivatives.
    pub has_hessians: bool,
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
            has_hessians: has_hessians(&functions),
        }
    })
}

/// Columns that a derivative stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// One for each value of the argument.
    Own,
    /// Directions of the velocities, of which the argument's are made.
    Directions,
}

/// An entry of a derivative: row, column, and its place among the results of the calls before.
pub(super) type Entry = [usize; 3];

/// The derivative by an argument.
pub(super) struct Derivative {
    pub(super) by: Group,
    pub(super) entries: Vec<Entry>,
    pub(super) is_negative: bool,
    pub(super) columns: Columns,
}

/// A function with its Jacobian.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    pub(super) arguments: Vec<Group>,
    pub(super) result: (&'static str, usize),
    /// Statements that fill `out`.
    pub(super) value: String,
    /// Statements that fill `d`, the results that derivatives are made of, and their number.
    pub(super) slopes: (String, usize),
    /// Those of the other arguments are zero, and of time unknown.
    pub(super) derivatives: Vec<Derivative>,
    /// The same of the adjoint derivative, if second derivatives are known.
    pub(super) second: Option<Second>,
}

/// The derivatives of wᵀ f by the arguments, and of these by the arguments and by w.
pub(super) struct Second {
    /// Statements that fill `d`, and their number.
    pub(super) slopes: (String, usize),
    /// One for each argument and argument, and for each argument and w.
    pub(super) derivatives: Vec<Vec<Option<Vec<Entry>>>>,
}

/// Statements that call functions of the model for the sake of derivatives.
#[derive(Default)]
struct Calls {
    text: String,
    len: usize,
}

pub(super) struct Writer<'w, 'm> {
    pub(super) model: &'w Model<'m>,
    pub(super) space: Space,
}

impl Writer<'_, '_> {
    pub(super) fn len(&self, group: Group) -> usize {
        let layout = &self.model.equations.layout;
        match group {
            Group::Constants | Group::Time => 1,
            Group::Inputs => layout.inputs.len(),
            Group::Positions => layout.coordinates.len(),
            Group::Velocities | Group::Accelerations | Group::Forces | Group::Weights => layout.velocities.len(),
            Group::Multipliers => layout.constraints.len(),
        }
    }

    pub(super) fn has_quaternions(&self) -> bool {
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
    pub(super) fn room(&self) -> usize {
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
            text.push_str(&by_columns(&format!("{kind_prefix}_rate(at_q + {at}"), n, first));
            if let Some((q, v)) = place {
                let directions = block(3, n, (0, 0), &mut Vec::new());
                let _ = writeln!(text, "{kind_prefix}_directions(at_q + {at}, {inverse}, d + {directions});");
                let first = block(3, n, (*q, *at), &mut by_q);
                let _ = writeln!(
                    text,
                    "{kind_prefix}_place_rate_by_attitude(at_q + {at}, v + {v}, d + {directions}, {n}, d + {first});"
                );
                let first = block(3, 3, (*q, *v), &mut by_v);
                text.push_str(&by_columns(&format!("{kind_prefix}_place_rate(at_q + {at}"), 3, first));
            }
        }
        Function {
            name: "coordinate_rates",
            doc: "Rates of the coordinates, N(q) v.",
            arguments: self.arguments(&[Group::Positions, Group::Velocities], &[]),
            result: ("q_dot", self.len(Group::Positions)),
            value: "rates(at_q, v, out);\n".to_owned(),
            slopes: (text, len),
            derivatives: vec![own(Group::Positions, by_q), own(Group::Velocities, by_v)],
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
        if arguments.contains(&Group::Inputs) {
            // M a + h - f(u) = tau, so that inputs change the accelerations by the inverse of M times what they change r.
            let [of_residual] = self.slopes(&mut calls, InputDerivatives, [Role::ForceByInput]);
            let mut sums: BTreeMap<[usize; 2], Vec<String>> = BTreeMap::new();
            for [row, k, left] in &by_tau {
                for [_, column, right] in of_residual.iter().filter(|entry| entry[0] == *k) {
                    sums.entry([*row, *column]).or_default().push(format!("d[{left}] * d[{right}]"));
                }
            }
            let mut entries = Vec::new();
            for ([row, column], terms) in sums {
                let _ = writeln!(calls.text, "d[{}] = {};", calls.len, terms.join(" + "));
                entries.push([row, column, calls.len]);
                calls.len += 1;
            }
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
        let (vq, aq) = (transposed(&qv), transposed(&qa));
        let derivatives = vec![
            vec![Some(qq), Some(qv), Some(qa), Some(transposed(by_q))],
            vec![Some(vq), Some(vv), None, Some(transposed(by_v))],
            vec![Some(aq), None, None, Some(transposed(by_a))],
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
        text + &summed(&entries, &format!("out[rows[i]] += room[places[i]] * {factor}[columns[i]]"))
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
        let roles = [
            Role::OutputByPosition,
            Role::OutputByVelocity,
            Role::OutputByAcceleration,
            Role::OutputByMultiplier,
            Role::OutputByInput,
        ];
        let [by_q, by_v, by_a, by_lambda, by_u] = self.slopes(&mut calls, OutputDerivatives, roles);
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
                own(Group::Multipliers, by_lambda),
                own(Group::Inputs, by_u),
            ],
            second: None,
        }
    }
}

/// Whether a function has second derivatives.
pub(super) fn has_hessians(functions: &[Function]) -> bool {
    functions.iter().any(|function| function.second.is_some())
}

/// A statement for each entry i of a derivative, with its row, column and place in tables.
pub(super) fn summed(entries: &[Entry], statement: &str) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let list = |part: usize| entries.iter().map(|entry| entry[part].to_string()).collect::<Vec<_>>().join(", ");
    let tables = [("rows", 0), ("columns", 1), ("places", 2)]
        .map(|(name, part)| format!("static const int {name}[] = {{ {} }};\n", list(part)));
    format!("{}for (int i = 0; i < {}; ++i) {statement};\n", tables.concat(), entries.len())
}

/// A linear function of three velocities as a matrix of so many rows, from this place in `d` on.
fn by_columns(call: &str, rows: usize, first: usize) -> String {
    format!(
        "for (int i = 0; i < 3; ++i) {{\ndouble one[3] = {{ 0.0, 0.0, 0.0 }}, rate[4];\none[i] = 1.0;\n{call}, one, rate);\nfor (int row = 0; row < {rows}; ++row) d[{first} + 3 * row + i] = rate[row];\n}}\n"
    )
}

fn own(by: Group, entries: Vec<Entry>) -> Derivative {
    Derivative { by, entries, is_negative: false, columns: Columns::Own }
}

fn of_directions(entries: Vec<Entry>) -> Derivative {
    Derivative { columns: Columns::Directions, ..own(Group::Positions, entries) }
}

pub(super) fn inverse_norm(kind: RotationKind, index: usize) -> String {
    match kind {
        RotationKind::EulerParameters => format!("inverse_norms[{index}]"),
        RotationKind::EulerZyx => "1.0".to_owned(),
    }
}
