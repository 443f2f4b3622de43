//! Schedule → C99 that moves: accelerations, and steps of a scheme, for programs without an operating system.
//!
//! Beside the functions of the [model](super::c) a second file has an instance as one structure, without pointers, and
//! functions on it. Nothing is allocated, no loop is unbounded, no function calls itself, and of the library only `math.h`
//! is used. Constraints are solved for together with the accelerations, by elimination with partial pivoting.

use std::fmt::Write;

use super::c::{Files, Model};
use super::c_kernel::finished;
use super::c_precision::in_single_precision;
use super::c_turns::{Space, Turn, called, prefix, rates};
use crate::derive::{Equations, FunctionRole, Role};
use crate::escape::comment;
use crate::rotations::RotationKind;
use crate::schedule::Schedule;
use crate::schedule::groups::Group;

/// A scheme with fixed steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CStepper {
    /// The classical scheme of fourth order; its end is moved onto the constraints.
    RungeKutta,
    /// Half-explicit steps of second order, with constraints on velocities; coordinates are moved onto the constraints.
    HalfExplicit,
    /// The implicit generalized-α scheme of second order, with constraints on positions.
    GeneralizedAlpha {
        /// Spectral radius at infinite frequency, from 0 to 1.
        rho_infinity: f64,
    },
}

/// Numbers of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CPrecision {
    /// `double`.
    Double,
    /// `float`.
    Single,
}

/// What a program begins with, and what it leaves out.
#[derive(Clone, Debug)]
pub struct CMotion<'a> {
    /// The scheme.
    pub stepper: CStepper,
    /// The type of its numbers.
    pub precision: CPrecision,
    /// Coordinates and velocities of the start.
    pub start: [&'a [f64]; 2],
    /// Parameters of the start, component by component.
    pub parameters: &'a [f64],
    /// Constraints that follow from others.
    pub left_out: &'a [usize],
    /// Whether there are also the functions that others integrate with: rates of coordinates, outputs, and states moved onto
    /// the constraints.
    pub is_open: bool,
}

/// The files of a model that moves: those of the model, then those of its motion. Contacts are not for them.
pub fn c_motion(name: &str, equations: &Equations, schedule: &Schedule, motion: &CMotion) -> [Files; 2] {
    super::c::with_model(name, equations, schedule, |model| {
        let model_files = Files { header: model.header(), source: model.source() };
        let mut writer = Writer { model, motion };
        let motion_files = Files { header: writer.header(&model_files), source: writer.source() };
        match motion.precision {
            CPrecision::Double => [model_files, motion_files],
            CPrecision::Single => [model_files, motion_files].map(|files| Files {
                header: in_single_precision(&files.header),
                source: in_single_precision(&files.source),
            }),
        }
    })
}

pub(super) struct Writer<'w, 'm> {
    pub(super) model: &'w Model<'m>,
    pub(super) motion: &'w CMotion<'w>,
}

/// Where a function finds what it reads.
pub(super) struct At<'a> {
    pub(super) t: &'a str,
    pub(super) q: &'a str,
    pub(super) v: &'a str,
}

pub(super) const STATE: At<'static> = At { t: "m->t", q: "m->q", v: "m->v" };
pub(super) const GIVEN: At<'static> = At { t: "t", q: "q", v: "v" };

impl Writer<'_, '_> {
    pub(super) fn name(&self) -> &str {
        &self.model.name
    }

    pub(super) fn sizes(&self) -> [usize; 3] {
        let layout = &self.model.equations.layout;
        [layout.coordinates.len(), layout.velocities.len(), layout.constraints.len()]
    }

    /// A call of a function of the model, with places for its results; nothing if the model has no such function. Results
    /// without a place do not occur.
    pub(super) fn call<'t>(&self, role: FunctionRole, at: &'t At<'t>, places: &'t [(Role, &'t str)]) -> Option<String> {
        let given = |group| match group {
            Group::Constants => "m->constants",
            Group::Inputs => "m->inputs",
            Group::Time => at.t,
            Group::Positions => at.q,
            Group::Velocities => at.v,
            Group::Forces => "m->room",
            Group::Accelerations => "m->a",
            Group::Multipliers if self.sizes()[2] > 0 => "m->lambda",
            Group::Multipliers | Group::Weights => "0",
        };
        let place = |role: Role| places.iter().find(|(known, _)| *known == role).map_or("0", |(_, place)| *place);
        self.model.called(role, given, place)
    }

    /// Whether a function of the model has this result.
    fn gives(&self, function: FunctionRole, role: Role) -> bool {
        self.model.results(function).iter().any(|result| result.role == role)
    }

    /// Whether the model has its accelerations without elimination.
    pub(super) fn is_explicit(&self) -> bool {
        self.model.roles().contains(&FunctionRole::ForwardDynamics) && self.sizes()[2] == 0
    }

    pub(super) fn is_implicit(&self) -> bool {
        matches!(self.motion.stepper, CStepper::GeneralizedAlpha { .. })
    }

    /// Whether steps eliminate.
    pub(super) fn needs_matrix(&self) -> bool {
        !self.is_explicit() || self.is_implicit()
    }

    fn header(&self, model_files: &Files) -> String {
        let name = self.name();
        let layout = &self.model.equations.layout;
        let [nq, nv, nc] = self.sizes();
        let guard = format!("{}_MOTION_H", name.to_uppercase());
        let array = |of: &str, name: &str, n: usize, doc: &str| format!("    {of} {name}[{}]; /* {doc} */\n", n.max(1));
        let mut fields =
            "    double t; /* Time, s. */\n    double t_rest; /* What rounding has left of it. */\n".to_owned();
        fields += &array("double", "q", nq, "Coordinates.");
        fields += &array("double", "v", nv, "Velocities.");
        fields += &array("double", "a", nv, "Accelerations.");
        if nc > 0 {
            fields += &array("double", "lambda", nc, "Multipliers.");
        }
        fields += &array("double", "inputs", layout.inputs.len(), "Inputs, set between steps.");
        fields += &array("double", "constants", self.model.n_constants(), "What depends on parameters alone.");
        for (n, name, doc) in self.room() {
            fields += &array("double", name, n, doc);
        }
        if self.needs_matrix() {
            fields += &array("int", "pivots", nv + nc, "Room: rows of the pivots.");
        }
        let scheme = match self.motion.stepper {
            CStepper::RungeKutta => "the classical Runge-Kutta scheme of fourth order",
            CStepper::HalfExplicit => "half-explicit time stepping of second order",
            CStepper::GeneralizedAlpha { .. } => "the implicit generalized-alpha scheme of second order",
        };
        let contents = format!(
            "#include \"{name}.h\"\n\n/* An instance of the model. */\ntypedef struct {{\n{fields}}} {name}_motion;\n\n{}",
            self.declarations()
                .into_iter()
                .map(|(declaration, doc)| format!("/* {doc} */\n{declaration};\n\n"))
                .collect::<String>()
        );
        format!(
            "/* Steps of {scheme}.\n{} */\n#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{contents}#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n",
            self.costs(model_files).iter().map(|line| format!(" * {}\n", comment(line))).collect::<String>()
        )
    }

    /// Arrays of an instance that functions work in.
    pub(super) fn room(&self) -> Vec<(usize, &'static str, &'static str)> {
        let [nq, nv, nc] = self.sizes();
        let n = nv + nc;
        let mut room = vec![(nq.max(n), "room", "Room for forces and results.")];
        if self.needs_matrix() {
            room.push((n * n, "matrix", "Room: [M, -transpose(G); G, 0] row by row, then its factors."));
            room.push((n, "rhs", "Room: right-hand side, then solution."));
            room.push((self.model.patterns.mass_matrix.nnz(), "mass", "Room: values of M."));
        }
        if nc > 0 {
            room.push((self.model.patterns.constraint_jacobian.nnz(), "jacobian", "Room: values of G."));
            room.push((nc, "rate", "Room: rates of constraints."));
        }
        match self.motion.stepper {
            CStepper::RungeKutta => {
                room.push((nq, "stage_q", "Room: a stage."));
                room.push((nv, "stage_v", "Room: a stage."));
                room.push((nq, "rate_q", "Room: rates of coordinates."));
                room.push((nq, "next_q", "Room: the end of a step."));
                room.push((nv, "next_v", "Room: the end of a step."));
            }
            CStepper::HalfExplicit => {
                room.push((nq, "stage_q", "Room: a stage."));
                room.push((nv, "stage_v", "Room: a stage."));
                room.push((nv, "stage_a", "Room: accelerations at the beginning."));
                room.push((nv, "increment", "Room: a change of coordinates."));
            }
            CStepper::GeneralizedAlpha { .. } => room.extend(self.room_of_alpha()),
        }
        room
    }

    pub(super) fn declarations(&self) -> Vec<(String, String)> {
        let name = self.name();
        let mut declarations = vec![
            (
                format!("void {name}_start(const double *parameters, {name}_motion *m)"),
                "Begins. Coordinates and velocities are those of the parameters that the program was made with, also where\n   others are given; 0 instead of parameters stands for these.".to_owned(),
            ),
            (
                format!("int {name}_accelerate({name}_motion *m)"),
                "Accelerations and multipliers of the state. 0, or 1 where they are not determined.".to_owned(),
            ),
            (
                format!("int {name}_step({name}_motion *m, double h)"),
                "A step of h s. 0; or 1 where accelerations are not determined, 2 where the end is too far off the constraints, or\n   is not found: time, coordinates and velocities are then those before the step.".to_owned(),
            ),
        ];
        if self.motion.is_open {
            declarations.extend(self.open_declarations());
        }
        declarations
    }

    fn source(&mut self) -> String {
        let name = self.name().to_owned();
        let [nq, nv, nc] = self.sizes();
        let (smallest, failed) = match self.motion.precision {
            CPrecision::Double => (f64::EPSILON, 1e-10),
            CPrecision::Single => (f64::from(f32::EPSILON), 1e-4),
        };
        let sizes = if self.needs_matrix() { ", N = NV + NC" } else { "" };
        let sizes = format!(
            "enum {{ NQ = {nq}, NV = {nv}{}{sizes} }};",
            if nc > 0 || self.needs_matrix() { format!(", NC = {nc}") } else { String::new() }
        );
        let head = format!(
            "#include \"{name}_motion.h\"\n\n#include <math.h>\n\n{sizes}\n\n/* The distance from 1 to the next number; corrections that no longer shrink are rounding below this. */\n#define SMALLEST {smallest:e}\n#define FAILED {failed:e}\n\n"
        );
        let mut text = String::new();
        text.push_str(&self.moved());
        text.push_str(&self.start());
        text.push_str(&TIME.replace("@name@", &name));
        if self.needs_matrix() {
            text.push_str(&ELIMINATION.replace("@name@", &name));
        }
        if !self.is_explicit() {
            text.push_str(&self.assembly());
        }
        if nc > 0 {
            text.push_str(&self.rows());
        }
        text.push_str(&self.accelerate());
        text.push_str(&match self.motion.stepper {
            CStepper::RungeKutta => self.runge_kutta(),
            CStepper::HalfExplicit => self.half_explicit(),
            CStepper::GeneralizedAlpha { rho_infinity } => finished(&self.generalized_alpha(rho_infinity)),
        });
        if self.motion.is_open {
            text.push_str(&self.open());
        }
        head + &called(&text) + &text
    }

    /// Functions of the configuration space: rates of coordinates, increments, unit norms.
    fn moved(&self) -> String {
        let Space { turns, vectors } = Space::of(&self.model.equations.layout.blocks);
        let mut retract = "static void retract(const double *q, const double *by, double *out)\n{\n".to_owned();
        let mut normalize = String::new();
        for Turn { kind, place, attitude, omega } in &turns {
            let kind_prefix = prefix(*kind);
            if let Some((q, v)) = place {
                let _ = writeln!(retract, "{kind_prefix}_shift(q + {q}, by + {v}, out + {q});");
            }
            let _ = writeln!(retract, "{kind_prefix}_turn(q + {attitude}, by + {omega}, out + {attitude});");
            if *kind == RotationKind::EulerParameters {
                let _ = writeln!(normalize, "unit(q + {attitude});");
            }
        }
        for (q, v, n) in &vectors {
            let _ = writeln!(retract, "for (int i = 0; i < {n}; ++i) out[{q} + i] = q[{q} + i] + by[{v} + i];");
        }
        let normalize = match normalize.is_empty() {
            true => "(void)q;\n".to_owned(),
            false => normalize,
        };
        let needs_rates = self.motion.is_open || self.motion.stepper == CStepper::RungeKutta;
        let needs_retract = self.motion.stepper != CStepper::RungeKutta || self.sizes()[2] > 0;
        let mut text = String::new();
        if needs_rates {
            text += &rates(&self.model.equations.layout.blocks);
            text += &format!(
                "/* Rotations have unit norm. */\n{}",
                finished(&format!("static void normalize(double *q)\n{{\n{normalize}}}\n"))
            );
        }
        if needs_retract {
            text += &format!(
                "/* q moved by an increment along the directions of the velocities. */\n{}",
                finished(&(retract + "}\n"))
            );
        }
        text
    }

    fn start(&self) -> String {
        let name = self.name();
        let [nq, nv, nc] = self.sizes();
        let number = |value: &f64| match self.motion.precision {
            CPrecision::Double => format!("{value:?}"),
            // What is nearly zero is zero there.
            CPrecision::Single if value.abs() < f64::from(f32::MIN_POSITIVE) => "0.0".to_owned(),
            CPrecision::Single => format!("{:?}", *value as f32),
        };
        let numbers = |values: &[f64]| values.iter().map(number).collect::<Vec<_>>().join(", ");
        let [q, v] = self.motion.start.map(numbers);
        let n_parameters = self.model.equations.parameter_graph.symbols().len().max(1);
        let inputs = self.model.equations.layout.inputs.len().max(1);
        let mut body = format!(
            "{}\n{{\nstatic const double q[{}] = {{ {q} }};\nstatic const double v[{}] = {{ {v} }};\n",
            self.declarations()[0].0,
            nq.max(1),
            nv.max(1),
        );
        let _ = write!(
            body,
            "static const double given[{n_parameters}] = {{ {} }};\n{name}_constants(parameters ? parameters : given, m->constants);\n",
            if self.motion.parameters.is_empty() { "0.0".to_owned() } else { numbers(self.motion.parameters) },
        );
        body += "m->t = m->t_rest = 0.0;\nfor (int i = 0; i < NQ; ++i) m->q[i] = q[i];\n";
        body += "for (int i = 0; i < NV; ++i) {\nm->v[i] = v[i];\nm->a[i] = 0.0;\n}\n";
        if nc > 0 {
            body += "for (int i = 0; i < NC; ++i) m->lambda[i] = 0.0;\n";
        }
        if self.is_implicit() {
            body += "m->last_step[0] = 0.0;\n";
        }
        let _ = write!(body, "for (int i = 0; i < {inputs}; ++i) m->inputs[i] = 0.0;\n}}\n");
        finished(&body)
    }

    /// Constraints that are not left out are columns and rows of the matrix; the others have a multiplier of zero.
    fn assembly(&self) -> String {
        let name = self.name();
        let mut text = format!(
            "/* Factorizes the matrix with M and G of q, and the lower rows of another place; 0, or 1 if it is singular. */\nstatic int factor({name}_motion *m, double t, const double *q, double rows_t, const double *rows_q)\n{{\n"
        );
        text += "for (int i = 0; i < N * N; ++i) m->matrix[i] = 0.0;\n";
        text += &self.call(FunctionRole::MassMatrix, &GIVEN, &[(Role::MassMatrix, "m->mass")]).unwrap_or_default();
        let _ = write!(
            text,
            "for (int column = 0; column < NV; ++column) {{\nfor (int i = {name}_mass_matrix_column_starts[column]; i < {name}_mass_matrix_column_starts[column + 1]; ++i) {{\nm->matrix[{name}_mass_matrix_row_indices[i] * N + column] = m->mass[i];\n}}\n}}\n"
        );
        text += &self.gradients(&At { t: "rows_t", q: "rows_q", v: "v" });
        text += &unused(&text, &["t", "q", "rows_t", "rows_q"]);
        text += "return eliminate(m);\n}\n";
        let mut forces = format!(
            "/* The upper part of the right-hand side becomes f - h. */\nstatic void forces({name}_motion *m, double t, const double *q, const double *v)\n{{\n"
        );
        forces += "for (int i = 0; i < NV; ++i) m->rhs[i] = 0.0;\n";
        forces += &self.call(FunctionRole::AppliedForce, &GIVEN, &[(Role::AppliedForce, "m->rhs")]).unwrap_or_default();
        if let Some(call) = self.call(FunctionRole::BiasForce, &GIVEN, &[(Role::BiasForce, "m->room")]) {
            forces += &(call + "for (int i = 0; i < NV; ++i) m->rhs[i] -= m->room[i];\n");
        }
        forces += &unused(&forces, &["t", "q", "v"]);
        finished(&text) + &finished(&(forces + "}\n"))
    }

    /// Statements that put G into the columns of the matrix, and that of other places into its rows.
    pub(super) fn gradients(&self, rows: &At) -> String {
        let name = self.name();
        let mut text = String::new();
        if self.sizes()[2] > 0 {
            let places = [(Role::ConstraintJacobian, "m->jacobian")];
            let scatter = |target: &str| {
                format!(
                    "for (int column = 0; column < NV; ++column) {{\nfor (int i = {name}_constraint_jacobian_column_starts[column]; i < {name}_constraint_jacobian_column_starts[column + 1]; ++i) {{\nconst int row = NV + {name}_constraint_jacobian_row_indices[i];\n{target}\n}}\n}}\n"
                )
            };
            text += &self.call(FunctionRole::ConstraintJacobian, &GIVEN, &places).unwrap_or_default();
            text += &scatter("m->matrix[column * N + row] = -m->jacobian[i];");
            text += &self.call(FunctionRole::ConstraintJacobian, rows, &places).unwrap_or_default();
            text += &scatter("m->matrix[row * N + column] = m->jacobian[i];");
            for row in self.motion.left_out {
                let _ = write!(
                    text,
                    "for (int i = 0; i < N; ++i) m->matrix[(NV + {row}) * N + i] = m->matrix[i * N + NV + {row}] = 0.0;\nm->matrix[(NV + {row}) * N + NV + {row}] = 1.0;\n"
                );
            }
        }
        text
    }

    /// Right-hand sides of constraints.
    fn rows(&self) -> String {
        let name = self.name();
        let left_out: String = self.motion.left_out.iter().map(|row| format!("m->rhs[NV + {row}] = 0.0;\n")).collect();
        let bias = FunctionRole::ConstraintBias;
        let (rate, acceleration) = (Role::ConstraintRate, Role::ConstraintAcceleration);
        let signature = format!("({name}_motion *m, double t, const double *q, const double *v)\n{{\n");
        let mut text = String::new();
        // −γ of g̈ = G a + γ.
        let mut body = format!("static void acceleration_rows{signature}");
        body += "for (int i = 0; i < NC; ++i) m->rhs[NV + i] = m->rate[i] = 0.0;\n";
        if self.gives(bias, acceleration) {
            body += &self.call(bias, &GIVEN, &[(rate, "m->rate"), (acceleration, "m->rhs + NV")]).unwrap_or_default();
            body += "for (int i = 0; i < NC; ++i) m->rhs[NV + i] = -m->rhs[NV + i];\n";
        }
        body += &(left_out.clone() + &unused(&body, &["t", "q", "v"]));
        text += &("/* The lower part becomes what G a has to be, so that accelerations obey the constraints. */\n"
            .to_owned()
            + &finished(&(body + "}\n")));
        if self.is_implicit() && !self.motion.is_open {
            return text;
        }
        // −(G v + rate), with the G of the last matrix.
        let mut body = format!("static void velocity_rows{signature}");
        body += "for (int i = 0; i < NC; ++i) m->rhs[NV + i] = m->rate[i] = 0.0;\n";
        if self.gives(bias, rate) {
            body += &self.call(bias, &GIVEN, &[(rate, "m->rate"), (acceleration, "m->rhs + NV")]).unwrap_or_default();
        }
        let _ = write!(
            body,
            "for (int column = 0; column < NV; ++column) {{\nfor (int i = {name}_constraint_jacobian_column_starts[column]; i < {name}_constraint_jacobian_column_starts[column + 1]; ++i) {{\nm->rate[{name}_constraint_jacobian_row_indices[i]] += m->jacobian[i] * v[column];\n}}\n}}\nfor (int i = 0; i < NC; ++i) m->rhs[NV + i] = -m->rate[i];\n"
        );
        body += &(left_out.clone() + &unused(&body, &["t", "q"]));
        text += &("/* The lower part becomes what is left of the constraints on velocities, with the G of the last matrix. */\n".to_owned() + &finished(&(body + "}\n")));
        // −g.
        let mut body = format!("static void position_rows({name}_motion *m, double t, const double *q)\n{{\n");
        body += "for (int i = 0; i < NC; ++i) m->rate[i] = 0.0;\n";
        body += &self.call(FunctionRole::Constraint, &GIVEN, &[(Role::Constraint, "m->rate")]).unwrap_or_default();
        body += "for (int i = 0; i < NV; ++i) m->rhs[i] = 0.0;\nfor (int i = 0; i < NC; ++i) m->rhs[NV + i] = -m->rate[i];\n";
        body += &(left_out + &unused(&body, &["t", "q"]));
        text += &("/* The lower part becomes what is left of the constraints on coordinates, the upper part zero. */\n"
            .to_owned() + &finished(&(body + "}\n")));
        text + &PROJECTION.replace("@name@", name)
    }

    fn accelerate(&self) -> String {
        let name = self.name();
        let [.., nc] = self.sizes();
        let mut text = format!(
            "/* Accelerations into a, and multipliers. */\nstatic int find({name}_motion *m, double t, const double *q, const double *v, double *a)\n{{\n"
        );
        if self.is_explicit() {
            text += "for (int i = 0; i < NV; ++i) m->room[i] = 0.0;\n";
            text += &self.call(FunctionRole::ForwardDynamics, &GIVEN, &[(Role::Acceleration, "a")]).unwrap_or_default();
            text += &unused(&text, &["t", "q", "v"]);
            text += "for (int i = 0; i < NV; ++i) {\nif (!isfinite(a[i])) return 1;\n}\n";
        } else {
            text += "if (factor(m, t, q, t, q)) return 1;\nforces(m, t, q, v);\n";
            if nc > 0 {
                text += "acceleration_rows(m, t, q, v);\n";
            }
            text += "substitute(m);\nfor (int i = 0; i < NV; ++i) {\na[i] = m->rhs[i];\nif (!isfinite(a[i])) return 1;\n}\n";
            if nc > 0 {
                text += "for (int i = 0; i < NC; ++i) m->lambda[i] = m->rhs[NV + i];\n";
            }
        }
        text += "return 0;\n}\n";
        let At { t, q, v } = STATE;
        let body = format!("{}\n{{\nreturn find(m, {t}, {q}, {v}, m->a);\n}}\n", self.declarations()[1].0);
        finished(&text) + &finished(&body)
    }
}

/// Rounds of a projection.
pub(super) const ROUNDS: u64 = 10;
/// Rounds of Newton's method in an implicit step.
pub(super) const NEWTON_ROUNDS: u64 = 20;

/// Statements for arguments that a body does not read.
pub(super) fn unused(body: &str, arguments: &[&str]) -> String {
    // Behind the signature.
    let body = body.split_once("{\n").map_or(body, |(_, body)| body);
    let is_read = |name: &str| {
        body.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '>' || c == '-')).any(|word| word == name)
    };
    arguments.iter().filter(|name| !is_read(name)).map(|name| format!("(void){name};\n")).collect()
}

/// Many short steps reach the time that they add up to.
const TIME: &str = "\
/* The time after a step of h s. */
static double later(const @name@_motion *m, double h)
{
    return m->t + (h + m->t_rest);
}

/* Moves the time on, and keeps what rounding leaves. */
static void pass(@name@_motion *m, double h)
{
    const double by = h + m->t_rest;
    const double t = m->t + by;
    m->t_rest = by - (t - m->t);
    m->t = t;
}

";

/// Elimination by rows with partial pivoting, relative to the largest entries of the rows.
const ELIMINATION: &str = "\
/* Factorizes the matrix in its place; 0, or 1 if it is singular to working precision. */
static int eliminate(@name@_motion *m)
{
    for (int i = 0; i < N; ++i) {
        double largest = 0.0;
        for (int j = 0; j < N; ++j) largest = fmax(largest, fabs(m->matrix[i * N + j]));
        if (!(largest > 0.0) || !isfinite(largest)) return 1;
        m->rhs[i] = 1.0 / largest;
    }
    for (int k = 0; k < N; ++k) {
        int pivot = k;
        double most = 0.0;
        for (int i = k; i < N; ++i) {
            const double size = fabs(m->matrix[i * N + k]) * m->rhs[i];
            if (size > most) {
                most = size;
                pivot = i;
            }
        }
        if (!(most > 8.0 * N * SMALLEST)) return 1;
        m->pivots[k] = pivot;
        if (pivot != k) {
            for (int j = 0; j < N; ++j) {
                const double entry = m->matrix[k * N + j];
                m->matrix[k * N + j] = m->matrix[pivot * N + j];
                m->matrix[pivot * N + j] = entry;
            }
            m->rhs[pivot] = m->rhs[k];
        }
        const double inverse = 1.0 / m->matrix[k * N + k];
        for (int i = k + 1; i < N; ++i) {
            const double factor = m->matrix[i * N + k] * inverse;
            m->matrix[i * N + k] = factor;
            if (factor != 0.0) {
                for (int j = k + 1; j < N; ++j) m->matrix[i * N + j] -= factor * m->matrix[k * N + j];
            }
        }
    }
    return 0;
}

/* Replaces the right-hand side by the solution for the last matrix. */
static void substitute(@name@_motion *m)
{
    for (int k = 0; k < N; ++k) {
        const int pivot = m->pivots[k];
        const double entry = m->rhs[pivot];
        m->rhs[pivot] = m->rhs[k];
        m->rhs[k] = entry;
    }
    for (int k = 0; k < N; ++k) {
        for (int i = k + 1; i < N; ++i) m->rhs[i] -= m->matrix[i * N + k] * m->rhs[k];
    }
    for (int k = N - 1; k >= 0; --k) {
        for (int j = k + 1; j < N; ++j) m->rhs[k] -= m->matrix[k * N + j] * m->rhs[j];
        m->rhs[k] /= m->matrix[k * N + k];
    }
}

";

/// Newton's method for coordinates with one matrix, and one round for velocities.
const PROJECTION: &str = "\
/* Moves q onto the constraints by the shortest way in the metric of M, with the last matrix; 0, or 2 if it is too far. */
static int project_coordinates(@name@_motion *m, double t, double *q)
{
    double size = HUGE_VAL;
    for (int round = 0; round < 10; ++round) {
        double most = 0.0, scale = 1.0;
        position_rows(m, t, q);
        substitute(m);
        for (int i = 0; i < NV; ++i) most = fmax(most, fabs(m->rhs[i]));
        retract(q, m->rhs, m->room);
        for (int i = 0; i < NQ; ++i) {
            q[i] = m->room[i];
            scale = fmax(scale, fabs(q[i]));
        }
        const double previous = size;
        size = most / scale;
        if (size <= 4.0 * SMALLEST || (size >= previous && size <= FAILED)) return 0;
    }
    return size <= FAILED ? 0 : 2;
}

/* Moves v onto the rates of the constraints, with the last matrix. */
static void project_velocities(@name@_motion *m, double t, const double *q, double *v)
{
    velocity_rows(m, t, q, v);
    for (int i = 0; i < NV; ++i) m->rhs[i] = 0.0;
    substitute(m);
    for (int i = 0; i < NV; ++i) v[i] += m->rhs[i];
}

";
