"""Functions that `hamel export casadi` writes, in an integrator of acados: states and sensitivities of Runge and Kutta.

    acados_integrator.py HAMEL ACADOS

HAMEL is the program, ACADOS a folder with the sources of acados and, below `external`, of blasfeo and hpipm. Needs CasADi
and a compiler of C. The end of a motion and its derivatives by start and torques are compared with the same scheme here,
in NumPy, whose derivatives are differences of sixth order.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import casadi
import numpy as np

STEPS, STEP = 50, 0.01
MODEL = """model Arm {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;
    body upper { mass: 3 kg, inertia: diag(0.08, 0.08, 0.01) kg m^2, center_of_mass: [0.02, 0, -0.2] m }
    body fore { mass: 2 kg, inertia: diag(0.05, 0.05, 0.008) kg m^2, center_of_mass: [0, 0.01, -0.15] m }
    body hand { mass: 1 kg, inertia: diag(0.02, 0.02, 0.004) kg m^2, center_of_mass: [0.01, 0, -0.1] m }
    joint shoulder: revolute(ground axis [0, 1, 0], upper axis [0, 1, 0]);
    joint elbow: revolute(upper at [0, 0, -0.4] m axis [1, 0, 0], fore axis [1, 0, 0]);
    joint wrist: revolute(fore at [0, 0, -0.3] m axis [0, 1, 0], hand axis [0, 1, 0]);
}"""
X = np.array([0.3, -0.8, 0.5, 0.2, -0.4, 0.7])
U = np.array([2.0, -1.0, 0.3])

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "acados/utils/external_function_generic.h"
#include "acados_c/external_function_interface.h"
#include "acados_c/sim_interface.h"
#include "dynamics.h"

#define FUNCTION(name) \\
    external_function_casadi name##_of; \\
    name##_of.casadi_fun = &name; \\
    name##_of.casadi_work = &name##_work; \\
    name##_of.casadi_sparsity_in = &name##_sparsity_in; \\
    name##_of.casadi_sparsity_out = &name##_sparsity_out; \\
    name##_of.casadi_n_in = &name##_n_in; \\
    name##_of.casadi_n_out = &name##_n_out; \\
    external_function_casadi_create(&name##_of, &external);

int main(void)
{
    int nx = NX, nu = NU, nz = 0;
    double start[NX] = { START }, input[NU] = { INPUT }, step = STEP;
    external_function_opts external;
    external_function_opts_set_to_default(&external);
    external.external_workspace = false;
    FUNCTION(expl_ode_fun)
    FUNCTION(expl_vde_forw)
    sim_solver_plan_t plan = { .sim_solver = ERK };
    sim_config *config = sim_config_create(plan);
    void *dims = sim_dims_create(config);
    sim_dims_set(config, dims, "nx", &nx);
    sim_dims_set(config, dims, "nu", &nu);
    sim_dims_set(config, dims, "nz", &nz);
    sim_opts *opts = sim_opts_create(config, dims);
    opts->ns = 4;
    opts->num_steps = STEPS;
    opts->sens_forw = true;
    opts->sens_adj = false;
    sim_in *in = sim_in_create(config, dims);
    sim_out *out = sim_out_create(config, dims);
    in->T = STEPS * step;
    config->model_set(in->model, "expl_ode_fun", &expl_ode_fun_of);
    config->model_set(in->model, "expl_vde_for", &expl_vde_forw_of);
    for (int i = 0; i < NX * (NX + NU); ++i) in->S_forw[i] = 0.0;
    for (int i = 0; i < NX; ++i) in->S_forw[i * (NX + 1)] = 1.0;
    for (int i = 0; i < NX; ++i) in->x[i] = start[i];
    for (int i = 0; i < NU; ++i) in->u[i] = input[i];
    sim_solver *solver = sim_solver_create(config, dims, opts, in);
    if (sim_precompute(solver, in, out) || sim_solve(solver, in, out)) return 1;
    for (int i = 0; i < NX; ++i) printf("%.17g\\n", out->xn[i]);
    for (int i = 0; i < NX * (NX + NU); ++i) printf("%.17g\\n", out->S_forw[i]);
    return 0;
}
"""


def functions(folder):
    """The dynamics and their sensitivities as acados wants them, in C."""
    sys.path.insert(0, str(folder / "arm"))
    import arm_casadi

    known = arm_casadi.functions(folder=str(folder))
    n, m = len(arm_casadi.COORDINATES), len(arm_casadi.VELOCITIES)
    x, u = casadi.MX.sym("x", n + m), casadi.MX.sym("u", m)
    q, v = x[:n], x[n:]
    rates = casadi.vertcat(known["coordinate_rates"](q, v), known["forward_dynamics"](q, v, u))
    by_x, by_u = casadi.MX.sym("Sx", n + m, n + m), casadi.MX.sym("Su", n + m, m)
    jacobian = casadi.jacobian(rates, x)
    moved = [jacobian @ by_x, jacobian @ by_u + casadi.jacobian(rates, u)]
    ode = casadi.Function("expl_ode_fun", [x, u], [rates])
    code = casadi.CodeGenerator("dynamics.c", {"with_header": True})
    code.add(ode)
    code.add(casadi.Function("expl_vde_forw", [x, by_x, by_u, u], [rates, *moved]))
    code.generate(f"{folder}/")
    return ode, n + m, m


def end(ode, x, u):
    for _ in range(STEPS):
        a = np.array(ode(x, u)).ravel()
        b = np.array(ode(x + 0.5 * STEP * a, u)).ravel()
        c = np.array(ode(x + 0.5 * STEP * b, u)).ravel()
        d = np.array(ode(x + STEP * c, u)).ravel()
        x = x + STEP / 6 * (a + 2 * b + 2 * c + d)
    return x


def slopes(ode, h=1e-2):
    """By the start, then by the torques."""
    columns = []
    for place in range(len(X) + len(U)):
        def at(by):
            moved = np.concatenate([X, U])
            moved[place] += by
            return end(ode, moved[: len(X)], moved[len(X) :])

        central = [(at(k * h) - at(-k * h)) / (2 * k * h) for k in (1, 2, 3)]
        columns.append(1.5 * central[0] - 0.6 * central[1] + 0.1 * central[2])
    return np.array(columns).T


def main(hamel, acados):
    acados = Path(acados).resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "arm.model").write_text(MODEL)
        subprocess.run([hamel, "export", "casadi", folder / "arm.model", "--out", folder / "arm"], check=True)
        ode, nx, nu = functions(folder)
        text = PROGRAM
        for word, value in {"START": X, "INPUT": U}.items():
            text = text.replace(f"{{ {word} }}", "{ " + ", ".join(map(repr, map(float, value))) + " }")
        (folder / "main.c").write_text(text)
        blasfeo = acados / "external" / "blasfeo"
        subprocess.run(["make", "-C", blasfeo, "static_library", "TARGET=GENERIC"], check=True, stdout=subprocess.DEVNULL)
        sources = [*acados.glob("acados/sim/*.c"), *(acados / "acados" / "utils" / f"{name}.c" for name in
                   ("external_function_generic", "math", "mem", "timing"))]
        sources += [acados / "interfaces" / "acados_c" / f"{name}_interface.c" for name in ("external_function", "sim")]
        paths = [acados, acados / "interfaces", blasfeo / "include", acados / "external" / "hpipm" / "include", acados / "external"]
        ours = [folder / "dynamics.c", folder / "arm" / "arm.c", folder / "arm" / "arm_casadi.c", folder / "main.c"]
        # acados takes numbers of this kind, where CasADi has long ones.
        sizes = ["-Dcasadi_int=int", f"-DNX={nx}", f"-DNU={nu}", f"-DSTEPS={STEPS}", f"-DSTEP={STEP}"]
        includes = [f"-I{path}" for path in [folder, folder / "arm", *paths]]
        command = ["cc", "-O1", "-w", *sizes, *includes, *ours, *sources, blasfeo / "lib" / "libblasfeo.a", "-lm"]
        subprocess.run([*command, "-o", folder / "main"], check=True)
        printed = subprocess.run([folder / "main"], check=True, capture_output=True, text=True).stdout.split()
    found = np.array(printed, dtype=float)
    state, sensitivities = found[:nx], found[nx:].reshape(nx + nu, nx).T
    expected, differences = end(ode, X, U), slopes(ode)
    of_state = np.max(np.abs(state - expected))
    of_slopes = np.max(np.abs(sensitivities - differences)) / np.max(np.abs(differences))
    print(f"acados: end of {STEPS} steps to {of_state:.1e}, sensitivities to {of_slopes:.1e}")
    return not (of_state < 1e-12 and of_slopes < 1e-8)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
