"""Problems of optimal control with functions of `hamel export casadi`, beside the same problems with CasADi's own graph.

    casadi_control.py HAMEL ROBOT.urdf [RUNS]

Needs `casadi` (with IPOPT) and `pin`. A robot of hinges moves from rest at zero to rest at a goal within a second:

- by inverse dynamics: states and accelerations at 26 instants, trapezoidal rule, forces within bounds, the least sum of
  their squares; exact Hessians;
- by forward dynamics: 25 steps of the classical Runge-Kutta scheme with constant forces; Hessians by IPOPT's memory of
  gradients, since neither side provides second derivatives of it cheaply.

Both sides solve the same problem, which is seen by equal objectives; times are those of the whole solution and of
the evaluation of functions, the least of RUNS alternating runs.
"""

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import casadi as cs
import numpy as np

from casadi_kernels import Tree

N, DURATION, BOUND = 25, 1.0, 80.0


def of_hamel(program, urdf, folder):
    model = Path(folder) / "robot.model"
    provide = "inverse_dynamics_second_derivatives"
    run = [program, "import", urdf, "--exact-angles", "--provide", provide, "--out", model]
    subprocess.run(run, check=True, capture_output=True)
    subprocess.run([program, "export", "casadi", model, "--out", folder], check=True, capture_output=True)
    [path] = Path(folder).glob("*_casadi.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = module.functions()
    return functions["forward_dynamics"], functions["inverse_dynamics"], module.COORDINATES


def of_casadi(urdf):
    tree = Tree(urdf, False)
    q, v, a, tau = (cs.SX.sym(name, tree.nv) for name in ("q", "v", "a", "tau"))
    up = tree.up(q)
    rnea = cs.Function("inverse_dynamics", [q, v, a], [tree.rnea(q, v, a, up)], {"cse": True})
    aba = cs.Function("forward_dynamics", [q, v, tau], [tree.aba(q, v, tau, up)], {"cse": True})
    return aba, rnea, tree.names


def by_inverse_dynamics(rnea, goal):
    nv, dt = len(goal), DURATION / N
    problem = cs.Opti()
    q, v, a = (problem.variable(nv, N + 1) for _ in range(3))
    taus = rnea.map(N + 1)(q, v, a)
    problem.subject_to(cs.vec(q[:, 1:] - q[:, :-1] - dt / 2 * (v[:, 1:] + v[:, :-1])) == 0)
    problem.subject_to(cs.vec(v[:, 1:] - v[:, :-1] - dt / 2 * (a[:, 1:] + a[:, :-1])) == 0)
    problem.subject_to(problem.bounded(-BOUND, cs.vec(taus), BOUND))
    for values, first, last in ((q, 0, goal), (v, 0, 0)):
        problem.subject_to(values[:, 0] == first)
        problem.subject_to(values[:, -1] == last)
    problem.minimize(1e-3 * cs.sumsqr(taus))
    problem.set_initial(q, np.outer(goal, np.linspace(0, 1, N + 1)))
    return problem, {}


def by_forward_dynamics(aba, goal):
    nv, dt = len(goal), DURATION / N
    x, u = cs.MX.sym("x", 2 * nv), cs.MX.sym("u", nv)
    rate = cs.Function("rate", [x, u], [cs.vertcat(x[nv:], aba(x[:nv], x[nv:], u))])
    k1 = rate(x, u)
    k2 = rate(x + dt / 2 * k1, u)
    k3 = rate(x + dt / 2 * k2, u)
    k4 = rate(x + dt * k3, u)
    step = cs.Function("step", [x, u], [x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    problem = cs.Opti()
    states, forces = problem.variable(2 * nv, N + 1), problem.variable(nv, N)
    problem.subject_to(cs.vec(states[:, 1:] - step.map(N)(states[:, :-1], forces)) == 0)
    problem.subject_to(states[:, 0] == 0)
    problem.subject_to(states[:, -1] == cs.vertcat(goal, np.zeros(nv)))
    problem.subject_to(problem.bounded(-BOUND, cs.vec(forces), BOUND))
    problem.minimize(1e-3 * cs.sumsqr(forces))
    return problem, {"hessian_approximation": "limited-memory"}


def solved(make, function, goal):
    problem, options = make(function, goal)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-6, "max_iter": 500, **options})
    begin = time.perf_counter()
    problem.solve()
    total = time.perf_counter() - begin
    stats = problem.stats()
    functions = sum(value for key, value in stats.items() if key.startswith("t_wall_nlp_"))
    return problem.value(problem.f), stats["iter_count"], total, functions


def main(program, urdf, runs="3"):
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = of_hamel(program, urdf, folder), of_casadi(urdf)
        order = [next(i for i, name in enumerate(ours[2]) if name.split(".")[0] == joint) for joint in theirs[2]]
        print(f"CasADi {cs.CasadiMeta.version()}, {len(order)} joints, order of coordinates {order}")
        assert order == list(range(len(order))), "the robot's joints come in another order"
        goal = np.array([0.5, -0.4, 0.3, -1.2, 0.2, 0.8, -0.3])[: len(order)]
        for name, make, place in (
            ("by inverse dynamics, exact Hessians", by_inverse_dynamics, 1),
            ("by forward dynamics, Runge-Kutta", by_forward_dynamics, 0),
        ):
            best = {}
            for _ in range(int(runs)):
                for side, functions in (("Hamel", ours), ("CasADi", theirs)):
                    found = solved(make, functions[place], goal)
                    if side not in best or found[2] < best[side][2]:
                        best[side] = found
            print(name)
            for side, (objective, iterations, total, functions) in best.items():
                print(f"  {side:7} objective {objective:.8g}, {iterations} iterations, {total:.3f} s, functions {functions:.3f} s")
            print(f"  ratios: whole {best['Hamel'][2] / best['CasADi'][2]:.2f}, functions {best['Hamel'][3] / best['CasADi'][3]:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
