//! Explicit steps in C99: the scheme of Runge and Kutta, and half-explicit time stepping.

use super::c_kernel::finished;
use super::c_motion::Writer;

impl Writer<'_, '_> {
    pub(super) fn runge_kutta(&self) -> String {
        let [.., nc] = self.sizes();
        let projection = match nc {
            0 => "",
            _ => {
                "if (factor(m, t, m->next_q, t, m->next_q)) return 1;\nif (project_coordinates(m, t, m->next_q)) return 2;\nif (factor(m, t, m->next_q, t, m->next_q)) return 1;\nproject_velocities(m, t, m->next_q, m->next_v);\n"
            }
        };
        let body =
            RUNGE_KUTTA.replace("@declaration@", &self.declarations()[2].0).replace("@projection@\n", projection);
        finished(&body)
    }

    pub(super) fn half_explicit(&self) -> String {
        let [.., nc] = self.sizes();
        let text = match (nc, self.is_explicit()) {
            (0, _) => HEUN,
            _ => HALF_EXPLICIT,
        };
        finished(&text.replace("@declaration@", &self.declarations()[2].0))
    }
}

const RUNGE_KUTTA: &str = "\
@declaration@
{
static const double nodes[4] = { 0.0, 0.5, 0.5, 1.0 };
static const double weights[4] = { 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0 };
const double t = later(m, h);
for (int i = 0; i < NQ; ++i) m->next_q[i] = m->stage_q[i] = m->q[i];
for (int i = 0; i < NV; ++i) m->next_v[i] = m->stage_v[i] = m->v[i];
for (int stage = 0; stage < 4; ++stage) {
rates(m->stage_q, m->stage_v, m->rate_q);
if (find(m, m->t + nodes[stage] * h, m->stage_q, m->stage_v, m->a)) return 1;
for (int i = 0; i < NQ; ++i) m->next_q[i] += h * weights[stage] * m->rate_q[i];
for (int i = 0; i < NV; ++i) m->next_v[i] += h * weights[stage] * m->a[i];
if (stage < 3) {
const double part = h * nodes[stage + 1];
for (int i = 0; i < NQ; ++i) m->stage_q[i] = m->q[i] + part * m->rate_q[i];
for (int i = 0; i < NV; ++i) m->stage_v[i] = m->v[i] + part * m->a[i];
}
}
normalize(m->next_q);
@projection@
if (find(m, t, m->next_q, m->next_v, m->a)) return 1;
for (int i = 0; i < NQ; ++i) m->q[i] = m->next_q[i];
for (int i = 0; i < NV; ++i) m->v[i] = m->next_v[i];
pass(m, h);
return 0;
}
";

const HEUN: &str = "\
@declaration@
{
const double t = later(m, h);
if (find(m, m->t, m->q, m->v, m->stage_a)) return 1;
for (int i = 0; i < NV; ++i) {
m->stage_v[i] = m->v[i] + h * m->stage_a[i];
m->increment[i] = h * m->v[i] + 0.5 * h * h * m->stage_a[i];
}
retract(m->q, m->increment, m->stage_q);
if (find(m, t, m->stage_q, m->stage_v, m->a)) return 1;
for (int i = 0; i < NQ; ++i) m->q[i] = m->stage_q[i];
for (int i = 0; i < NV; ++i) m->v[i] += 0.5 * h * (m->stage_a[i] + m->a[i]);
pass(m, h);
return 0;
}
";

const HALF_EXPLICIT: &str = "\
@declaration@
{
const double t = later(m, h);
/* Accelerations with which v obeys the constraints at the place to which it leads. */
for (int i = 0; i < NV; ++i) m->increment[i] = h * m->v[i];
retract(m->q, m->increment, m->stage_q);
if (factor(m, m->t, m->q, t, m->stage_q)) return 1;
forces(m, m->t, m->q, m->v);
velocity_rows(m, t, m->stage_q, m->v);
for (int i = 0; i < NC; ++i) m->rhs[NV + i] /= h;
substitute(m);
for (int i = 0; i < NV; ++i) {
m->stage_a[i] = m->rhs[i];
m->stage_v[i] = m->v[i] + h * m->stage_a[i];
m->increment[i] = h * m->v[i] + 0.5 * h * h * m->stage_a[i];
}
/* The end, with the mean velocity; then accelerations with which its velocity obeys the constraints there. */
retract(m->q, m->increment, m->stage_q);
if (factor(m, t, m->stage_q, t, m->stage_q)) return 1;
forces(m, t, m->stage_q, m->stage_v);
for (int i = 0; i < NV; ++i) m->stage_v[i] = m->v[i] + 0.5 * h * m->stage_a[i];
velocity_rows(m, t, m->stage_q, m->stage_v);
for (int i = 0; i < NC; ++i) m->rhs[NV + i] *= 2.0 / h;
substitute(m);
for (int i = 0; i < NV; ++i) {
m->stage_a[i] = m->rhs[i];
if (!isfinite(m->stage_a[i])) return 1;
m->stage_v[i] += 0.5 * h * m->stage_a[i];
}
for (int i = 0; i < NC; ++i) m->lambda[i] = m->rhs[NV + i];
/* Coordinates drift by what the step leaves. */
if (project_coordinates(m, t, m->stage_q)) return 2;
if (factor(m, t, m->stage_q, t, m->stage_q)) return 1;
project_velocities(m, t, m->stage_q, m->stage_v);
for (int i = 0; i < NQ; ++i) m->q[i] = m->stage_q[i];
for (int i = 0; i < NV; ++i) {
m->v[i] = m->stage_v[i];
m->a[i] = m->stage_a[i];
}
pass(m, h);
return 0;
}
";
