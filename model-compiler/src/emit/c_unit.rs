//! What others who integrate a model need beside its steps: rates of coordinates, outputs, states that are moved onto the
//! constraints, and starts that keep what is given. Units for model exchange are made of it.

use super::c_kernel::finished;
use super::c_motion::{At, STATE, Writer, unused};
use crate::derive::{FunctionRole, Role};

impl Writer<'_, '_> {
    pub(super) fn open_declarations(&self) -> Vec<(String, String)> {
        let name = self.name();
        [
            (format!("void {name}_rates(const {name}_motion *m, double *rate)"), "Rates of the coordinates."),
            (
                format!("void {name}_read({name}_motion *m, double *outputs)"),
                "Outputs, also those that read accelerations and multipliers, which {name}_accelerate finds.",
            ),
            (
                format!("double {name}_drift({name}_motion *m)"),
                "How far the state is off the constraints, relative to the largest coordinate and velocity, or to one.",
            ),
            (
                format!("int {name}_project({name}_motion *m)"),
                "Moves coordinates and velocities onto the constraints by the shortest way in the metric of M. 0; or 1 or 2\n   as a step, with a state that has no meaning.",
            ),
            (
                format!("int {name}_assemble({name}_motion *m, const double *places, const double *speeds)"),
                "The same for a start that may be far off: with weights of the directions, positive, instead of M; what has a\n   large weight stays.",
            ),
        ]
        .map(|(declaration, doc)| (declaration, doc.replace("{name}", name)))
        .into()
    }

    pub(super) fn open(&self) -> String {
        let name = self.name();
        let [_, _, nc] = self.sizes();
        let declarations = self.open_declarations();
        let declaration = |place: usize| declarations[place].0.as_str();
        let outputs = self.model.equations.layout.outputs.len();
        let mut read = format!("{}\n{{\n", declaration(1));
        if outputs > 0 {
            read += &format!("for (int i = 0; i < {outputs}; ++i) outputs[i] = 0.0;\n");
            read += &self.call(FunctionRole::Outputs, &STATE, &[(Role::Outputs, "outputs")]).unwrap_or_default();
        }
        read += &(unused(&read, &["m", "outputs"]) + "}\n");
        let mut text = finished(&format!("{}\n{{\nrates(m->q, m->v, rate);\n}}\n", declaration(0))) + &finished(&read);
        if nc == 0 {
            for (place, body) in [(2, NO_DRIFT), (3, NO_PROJECTION), (4, NO_ASSEMBLY)] {
                text += &finished(&format!("{}\n{{\n{body}}}\n", declaration(place)));
            }
            return text;
        }
        let mut weigh = format!(
            "/* Factorizes the matrix with weights in the place of M. */\nstatic int weigh({name}_motion *m, double t, const double *q, const double *weights)\n{{\n"
        );
        weigh += "for (int i = 0; i < N * N; ++i) m->matrix[i] = 0.0;\n";
        weigh += "for (int i = 0; i < NV; ++i) m->matrix[i * N + i] = weights[i];\n";
        weigh += &self.gradients(&At { t: "t", q: "q", v: "v" });
        weigh += &(unused(&weigh, &["t", "q"]) + "return eliminate(m);\n}\n");
        text += &finished(&weigh);
        for (place, body) in [(2, DRIFT), (3, PROJECT), (4, ASSEMBLE)] {
            text += &finished(&format!("{}\n{{\n{}}}\n", declaration(place), body.replace("@name@", name)));
        }
        text
    }
}

const NO_DRIFT: &str = "\
double most = 0.0;
for (int i = 0; i < NQ; ++i) m->room[i] = m->q[i];
normalize(m->room);
for (int i = 0; i < NQ; ++i) most = fmax(most, fabs(m->room[i] - m->q[i]));
return most;
";

const NO_PROJECTION: &str = "\
normalize(m->q);
return 0;
";

const NO_ASSEMBLY: &str = "\
(void)places;
(void)speeds;
normalize(m->q);
return 0;
";

/// The Jacobian is that of the state.
const DRIFT: &str = "\
double most = 0.0, place = 1.0, fast = 0.0, speed = 1.0;
for (int i = 0; i < NQ; ++i) m->room[i] = m->q[i];
normalize(m->room);
for (int i = 0; i < NQ; ++i) {
most = fmax(most, fabs(m->room[i] - m->q[i]));
place = fmax(place, fabs(m->q[i]));
}
for (int i = 0; i < NV; ++i) speed = fmax(speed, fabs(m->v[i]));
if (factor(m, m->t, m->q, m->t, m->q)) return HUGE_VAL;
position_rows(m, m->t, m->q);
for (int i = 0; i < NC; ++i) most = fmax(most, fabs(m->rhs[NV + i]));
velocity_rows(m, m->t, m->q, m->v);
for (int i = 0; i < NC; ++i) fast = fmax(fast, fabs(m->rhs[NV + i]));
return fmax(most / place, fast / speed);
";

const PROJECT: &str = "\
normalize(m->q);
if (factor(m, m->t, m->q, m->t, m->q)) return 1;
if (project_coordinates(m, m->t, m->q)) return 2;
if (factor(m, m->t, m->q, m->t, m->q)) return 1;
project_velocities(m, m->t, m->q, m->v);
return 0;
";

/// Newton's method with a new matrix in each round, because the start may be far off.
const ASSEMBLE: &str = "\
double size = HUGE_VAL;
int round = 0;
normalize(m->q);
for (; round < 50; ++round) {
double most = 0.0, scale = 1.0;
if (weigh(m, m->t, m->q, places)) return 1;
position_rows(m, m->t, m->q);
substitute(m);
for (int i = 0; i < NV; ++i) most = fmax(most, fabs(m->rhs[i]));
retract(m->q, m->rhs, m->room);
for (int i = 0; i < NQ; ++i) {
m->q[i] = m->room[i];
scale = fmax(scale, fabs(m->q[i]));
}
const double previous = size;
size = most / scale;
if (!isfinite(size)) return 2;
if (size <= 4.0 * SMALLEST || (size >= previous && size <= FAILED)) break;
}
if (round == 50 && size > FAILED) return 2;
if (weigh(m, m->t, m->q, speeds)) return 1;
project_velocities(m, m->t, m->q, m->v);
return 0;
";
