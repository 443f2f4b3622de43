//! Steps of the generalized-α scheme in C99, with constraints on positions: Newton's method with a new matrix in each
//! round. [rezaei, Eqs. 94-96]

use std::fmt::Write;

use super::c_motion::{At, NEWTON_ROUNDS, Writer};
use crate::derive::{FunctionRole, Role};

/// The iterate.
const NEXT: At<'static> = At { t: "t", q: "m->next_q", v: "m->next_v" };

impl Writer<'_, '_> {
    /// Arrays of an instance that a step works in.
    pub(super) fn room_of_alpha(&self) -> Vec<(usize, &'static str, &'static str)> {
        let [nq, nv, nc] = self.sizes();
        let patterns = self.model.patterns;
        let mut room = vec![
            (nv, "auxiliary", "Accelerations that the scheme carries along, of another instant."),
            (1, "last_step", "Length of the last step, s; 0 before the first, and where the scheme is to begin anew."),
            (self.model.equations.layout.inputs.len(), "last_inputs", "Inputs of the last step."),
            (nv, "known_x", "Room: what the beginning adds to displacements."),
            (nv, "known_v", "Room: the same for velocities."),
            (nv, "known_a", "Room: the same for accelerations."),
            (nv, "trial", "Room: the carried accelerations of the end."),
            (nv, "increment", "Room: displacements."),
            (nv, "old_a", "Room: accelerations of the beginning."),
            (nq, "next_q", "Room: the end of a step."),
            (nv, "next_v", "Room: the end of a step."),
            (patterns.damping.nnz(), "damping", "Room: values of a matrix."),
            (patterns.stiffness.nnz(), "stiffness", "Room: values of a matrix."),
        ];
        if nc > 0 {
            room.push((nc, "old_lambda", "Room: multipliers of the beginning."));
        }
        room
    }

    /// The step, for a spectral radius at infinite frequency.
    pub(super) fn generalized_alpha(&self, rho_infinity: f64) -> String {
        let name = self.name();
        let [_, _, nc] = self.sizes();
        let on_positions = nc - self.model.equations.layout.velocity_constraints;
        let (alpha_m, alpha_f) =
            ((2.0 * rho_infinity - 1.0) / (rho_infinity + 1.0), rho_infinity / (rho_infinity + 1.0));
        let shift = alpha_f - alpha_m;
        let (beta, gamma) = (0.25 * (1.0 + shift) * (1.0 + shift), 0.5 + shift);
        // What the equilibrium sees, divided by 1 − α_f.
        let share = 1.0 / (1.0 - alpha_f);
        let factors = [(1.0 - alpha_m) * share, alpha_m * share, -alpha_f * share];
        let patterns = self.model.patterns;
        let scatter = |matrix: &str, values: &str, factor: &str, nnz: usize| match nnz {
            0 => String::new(),
            _ => format!(
                "for (int column = 0; column < NV; ++column) {{\nfor (int i = {name}_{matrix}_column_starts[column]; i < {name}_{matrix}_column_starts[column + 1]; ++i) {{\nm->matrix[{name}_{matrix}_row_indices[i] * N + column] += {factor} * m->{values}[i];\n}}\n}}\n"
            ),
        };
        let mut matrix = "for (int i = 0; i < N * N; ++i) m->matrix[i] = 0.0;\n".to_owned();
        let places = [
            (Role::MassMatrix, "m->mass"),
            (Role::ConstraintJacobian, "m->jacobian"),
            (Role::Damping, "m->damping"),
            (Role::Stiffness, "m->stiffness"),
        ];
        matrix += &self.call(FunctionRole::Linearization, &NEXT, &places).unwrap_or_default();
        matrix += &scatter("mass_matrix", "mass", "NEW_A", patterns.mass_matrix.nnz());
        matrix += &scatter("damping", "damping", "GAMMA * h", patterns.damping.nnz());
        matrix += &scatter("stiffness", "stiffness", "BETA * h * h", patterns.stiffness.nnz());
        let mut rows = String::new();
        if nc > 0 {
            let _ = write!(
                matrix,
                "for (int column = 0; column < NV; ++column) {{\nfor (int i = {name}_constraint_jacobian_column_starts[column]; i < {name}_constraint_jacobian_column_starts[column + 1]; ++i) {{\nconst int row = NV + {name}_constraint_jacobian_row_indices[i];\nm->matrix[column * N + row] = -m->jacobian[i];\nm->matrix[row * N + column] = m->jacobian[i];\n}}\n}}\n"
            );
            let _ = writeln!(
                rows,
                "for (int i = 0; i < NC; ++i) m->rhs[NV + i] /= i < {on_positions} ? BETA * h * h : GAMMA * h;"
            );
            for row in self.motion.left_out {
                let _ = write!(
                    matrix,
                    "for (int i = 0; i < N; ++i) m->matrix[(NV + {row}) * N + i] = m->matrix[i * N + NV + {row}] = 0.0;\nm->matrix[(NV + {row}) * N + NV + {row}] = 1.0;\n"
                );
                let _ = writeln!(rows, "m->rhs[NV + {row}] = 0.0;");
            }
        }
        let places = [(Role::Residual, "m->rhs"), (Role::Constraint, "m->rhs + NV")];
        let residual = self.call(FunctionRole::Residual, &NEXT, &places).unwrap_or_default();
        let constants =
            [("BETA", beta), ("GAMMA", gamma), ("NEW_A", factors[0]), ("OLD_A", factors[2]), ("CARRIED", factors[1])]
                .map(|(name, value)| format!("const double {name} = {value:?};\n"))
                .concat();
        let n = self.model.equations.layout.inputs.len();
        let (mut jumps, mut kept) = (String::new(), String::new());
        if n > 0 {
            jumps = format!(
                "for (int i = 0; i < {n}; ++i) {{\nif (m->inputs[i] != m->last_inputs[i]) m->last_step[0] = 0.0;\n}}\n"
            );
            kept = format!("for (int i = 0; i < {n}; ++i) m->last_inputs[i] = m->inputs[i];\n");
        }
        STEP.replace("@declaration@", &self.declarations()[2].0)
            .replace("@constants@\n", &constants)
            .replace("@rounds@", &NEWTON_ROUNDS.to_string())
            .replace("@matrix@\n", &matrix)
            .replace("@residual@\n", &format!("{residual}{rows}"))
            .replace("@inputs@\n", &jumps)
            .replace("@kept@\n", &kept)
            .replace(
                "@keep@\n",
                if nc > 0 { "for (int i = 0; i < NC; ++i) m->old_lambda[i] = m->lambda[i];\n" } else { "" },
            )
            .replace(
                "@update@\n",
                if nc > 0 { "for (int i = 0; i < NC; ++i) m->lambda[i] -= m->rhs[NV + i];\n" } else { "" },
            )
            .replace(
                "@restore@\n",
                if nc > 0 { "for (int i = 0; i < NC; ++i) m->lambda[i] = m->old_lambda[i];\n" } else { "" },
            )
    }
}

const STEP: &str = "\
@declaration@
{
@constants@
const double t = later(m, h);
double size = HUGE_VAL, ratio = 1.0;
int failure = 2;
(void)t;
if (!(h > 0.0) || !isfinite(h)) return 1;
/* What is carried serves neither steps of another size, nor after inputs have jumped. */
if (h < 0.5 * m->last_step[0] || h > 2.0 * m->last_step[0]) m->last_step[0] = 0.0;
@inputs@
if (m->last_step[0] == 0.0) {
/* Carried accelerations begin as those of the start. */
if (find(m, m->t, m->q, m->v, m->trial)) return 1;
for (int i = 0; i < NV; ++i) m->auxiliary[i] = m->a[i] = m->trial[i];
} else if (fabs(h - m->last_step[0]) > 1e-6 * m->last_step[0]) {
/* They belong to an instant that is off by a part of the step. */
ratio = h / m->last_step[0];
}
for (int i = 0; i < NV; ++i) {
const double carried = ratio * m->auxiliary[i] + (1.0 - ratio) * m->a[i];
m->known_x[i] = h * m->v[i] + h * h * (0.5 - BETA) * carried;
m->known_v[i] = m->v[i] + h * (1.0 - GAMMA) * carried;
m->known_a[i] = OLD_A * m->a[i] + CARRIED * carried;
m->trial[i] = carried;
m->old_a[i] = m->a[i];
}
@keep@
for (int round = 0; round <= @rounds@; ++round) {
double far = 0.0, place = 1.0;
const double previous = size;
for (int i = 0; i < NV; ++i) {
m->increment[i] = m->known_x[i] + BETA * h * h * m->trial[i];
m->next_v[i] = m->known_v[i] + GAMMA * h * m->trial[i];
m->a[i] = m->known_a[i] + NEW_A * m->trial[i];
}
retract(m->q, m->increment, m->next_q);
if (failure == 0 || round == @rounds@) break;
@matrix@
if (eliminate(m)) {
failure = 1;
break;
}
for (int i = 0; i < N; ++i) m->rhs[i] = 0.0;
@residual@
substitute(m);
for (int i = 0; i < NQ; ++i) place = fmax(place, fabs(m->next_q[i]));
for (int i = 0; i < NV; ++i) {
m->trial[i] -= m->rhs[i];
/* Not `fmax`, which leaves out what is no number. */
if (!(BETA * h * h * fabs(m->rhs[i]) <= far)) far = BETA * h * h * fabs(m->rhs[i]);
}
@update@
/* Displacements: rounding of constraints is velocity by division by h, which no round removes. */
size = far / place;
if (!isfinite(size)) {
failure = 1;
break;
}
if (size <= 1e3 * SMALLEST || (size >= previous && size <= FAILED)) failure = 0;
}
for (int i = 0; i < NV; ++i) {
if (!isfinite(m->next_v[i])) failure = 1;
}
if (failure) {
for (int i = 0; i < NV; ++i) m->a[i] = m->old_a[i];
@restore@
return failure;
}
for (int i = 0; i < NQ; ++i) m->q[i] = m->next_q[i];
for (int i = 0; i < NV; ++i) {
m->v[i] = m->next_v[i];
m->auxiliary[i] = m->trial[i];
}
@kept@
m->last_step[0] = h;
pass(m, h);
return 0;
}
";
