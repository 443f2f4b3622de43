"""Exports models for CasADi, and compares their derivatives with differences and with each other.

    casadi_functions.py HAMEL [MODEL…]      HAMEL is the program, MODEL a name or a file

At random states, with quaternions whose norm is not one: blocks of Jacobians against differences of sixth order (1e-8 of
the largest entry), reverse against forward derivatives (1e-13), accelerations against the residual (1e-11), exact Hessians
against differences of gradients (1e-8). A deviation ends the script with 1.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import casadi
import numpy as np

MODELS = (
    "pendulum slider_crank slider_crank_absolute heavy_top heavy_top_joint otter moored_ship sleigh driven_pendulum "
    "floating_body rotating_shaft double_pendulum andrews_squeezer bicycle flexible_pendulum free_body"
).split()
STEP = 3e-3
WEIGHTS = {1: 45 / 60, 2: -9 / 60, 3: 1 / 60}


def differences(f, x):
    """Of sixth order, column by column."""
    columns = []
    for change in STEP * np.eye(len(x)):
        columns.append(sum(w * (f(x + k * change) - f(x - k * change)) for k, w in WEIGHTS.items()) / STEP)
    return np.array(columns).T.reshape(-1, len(x))


def module_of(program, model, folder):
    run = subprocess.run([program, "export", "casadi", model, "--out", folder], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    [path] = Path(folder).glob("*_casadi.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def relative(found, expected, value=0.0):
    """Differences of a value have its rounding, divided by the step: a hundred-millionth of this part of it."""
    size = max(1e-3, abs(expected).max(initial=0), 1e-5 * np.max(np.abs(value), initial=0))
    return abs(found - expected).max(initial=0) / size


def deviations(module, random):
    """The largest deviation of each kind, and the function that has it."""
    functions = module.functions()
    worst = dict.fromkeys(("jacobian", "reverse", "dynamics", "hessian"), (0.0, ""))

    def note(kind, deviation, name):
        # What is not a number is the worst.
        if not deviation <= worst[kind][0]:
            worst[kind] = deviation, name

    n = {"q": len(module.COORDINATES), "v": len(module.VELOCITIES), "u": len(module.INPUTS), "t": 1}
    state = {
        "q": np.array(module.Q_START) + 0.1 * random.normal(size=n["q"]),
        "v": np.array(module.V_START) * 0.1 + random.normal(size=n["v"]),
        "u": random.normal(size=n["u"]),
        "a": random.normal(size=n["v"]),
        "tau": random.normal(size=n["v"]),
        "t": np.array([0.3]),
    }
    for name, f in functions.items():
        names = [f.name_in(i) for i in range(f.n_in())]
        state.setdefault("lambda", random.normal(size=f.size1_in("lambda")) if "lambda" in names else None)
        if state["lambda"] is None:
            del state["lambda"]
        known = [i for i, name_in in enumerate(names) if name_in != "t"]
        values = [state[name_in] for name_in in names]
        symbols = [casadi.MX.sym(name_in, len(value)) for name_in, value in zip(names, values)]
        jacobian = casadi.Function("j", symbols, [casadi.jacobian(f(*symbols), symbols[i]) for i in known])
        blocks = [np.array(block) for block in casadi_list(jacobian(*values), len(known))]
        for i, block in zip(known, blocks):
            at = lambda x: np.array(f(*values[:i], x, *values[i + 1 :])).ravel()
            note("jacobian", relative(block, differences(at, values[i]), at(values[i])), f"{name} by {names[i]}")
        weights = random.normal(size=f.size1_out(0))
        seeds = casadi.MX.sym("w", len(weights))
        products = [casadi.jtimes(f(*symbols), symbols[i], seeds, True) for i in known]
        reverse = casadi.Function("r", [*symbols, seeds], products)
        for i, block, product in zip(known, blocks, casadi_list(reverse(*values, weights), len(known))):
            expected = block.T @ weights
            note("reverse", relative(np.array(product).ravel(), expected), f"{name} by {names[i]}")
        if name == "inverse_dynamics" and module.HAS_HESSIANS:
            x = casadi.MX.sym("x", sum(map(len, values)))
            parts = casadi.vertsplit(x, np.cumsum([0, *map(len, values)]).tolist())
            hessian = casadi.Function("h", [x, seeds], [casadi.hessian(casadi.dot(seeds, f(*parts)), x)[0]])
            gradient = casadi.Function("g", [x, seeds], [casadi.gradient(casadi.dot(seeds, f(*parts)), x)])
            at = lambda x: np.array(gradient(x, weights)).ravel()
            start = np.concatenate(values)
            exact = np.array(hessian(start, weights))
            note("hessian", relative(exact, differences(at, start), at(start)), name)
    if "forward_dynamics" in functions:
        given = {key: value for key, value in state.items() if key in ("q", "v", "u", "tau", "t")}
        called = lambda f, **values: np.array(
            f(**{k: v for k, v in values.items() if k in [f.name_in(i) for i in range(f.n_in())]})[f.name_out(0)]
        ).ravel()
        a = called(functions["forward_dynamics"], **given)
        for name in "inverse_dynamics", "residual":
            back = called(functions[name], **{**given, "a": a})
            note("dynamics", relative(back, state["tau"]) / max(1, abs(a).max()), name)
    return worst


def casadi_list(result, n):
    return [result] if n == 1 else list(result)


LIMITS = {"jacobian": 1e-8, "reverse": 1e-13, "dynamics": 1e-11, "hessian": 1e-8}


def main(program, *models):
    wrong = 0
    random = np.random.default_rng(20)
    for model in models or MODELS:
        with tempfile.TemporaryDirectory() as folder:
            found = deviations(module_of(program, model, folder), random)
        is_wrong = any(not found[kind][0] < limit for kind, limit in LIMITS.items())
        wrong += is_wrong
        figures = ", ".join(f"{kind} {size:.0e} ({name})" for kind, (size, name) in found.items() if name)
        print(f"{model}: {figures}{'   WRONG' if is_wrong else ''}", flush=True)
    print(f"CasADi {casadi.CasadiMeta.version()}, {wrong} models with deviations")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
