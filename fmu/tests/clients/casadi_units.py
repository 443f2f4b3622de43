"""Exports models as units, has CasADi's DaeBuilder import them, and compares its Jacobians with differences.

    casadi_units.py HAMEL [MODEL…]      HAMEL is the program

The Jacobian of the derivatives of the states has the pattern of the description; it is compared with differences of fourth
order to 1e-8 of its largest entry, the adjoint derivative with its transpose to 1e-13. A deviation ends the script with 1.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import casadi
import numpy as np

MODELS = "pendulum", "slider_crank", "slider_crank_absolute", "heavy_top", "heavy_top_joint", "otter", "moored_ship"
STEP = 1e-4


def deviations(program, model, folder):
    """Of the Jacobian and of the adjoint derivative, relative; and the Jacobian's entries."""
    unit = Path(folder) / f"{model}.fmu"
    subprocess.run([program, "export", "fmu", model, "--optimised", "--out", unit], check=True, capture_output=True)
    dae = casadi.DaeBuilder(model, str(unit))
    f = dae.create("f", ["x", "u"], ["ode"])
    x = np.array([float(np.ravel(dae.start(name))[0]) for name in dae.x()])
    x, u = x + 0.01 * np.sin(1 + np.arange(len(x))), np.zeros(dae.nu())
    jacobian = f.factory("jacobian", ["x", "u"], ["jac:ode:x"])
    found = np.array(jacobian(x, u))

    def at(change):
        return np.array(f(x + change, u)).ravel()

    steps = STEP * np.eye(len(x))
    columns = [(8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s))) / (12 * STEP) for s in steps]
    expected = np.array(columns).T
    weights = np.cos(np.arange(len(x)))
    adjoint = np.array(f.factory("adjoint", ["x", "u", "adj:ode"], ["adj:x"])(x, u, weights)).ravel()
    size = abs(expected).max()
    transposed = abs(adjoint - found.T @ weights).max() / (size * len(x))
    return abs(found - expected).max() / size, transposed, jacobian.nnz_out(0), len(x) ** 2


def main(program, *models):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models or MODELS:
            jacobian, adjoint, entries, full = deviations(program, model, folder)
            wrong += not (jacobian < 1e-8 and adjoint < 1e-13)
            print(f"{model}: Jacobian off by {jacobian:.0e}, {entries} of {full} entries; adjoint off by {adjoint:.0e}")
    print(f"CasADi {casadi.CasadiMeta.version()}, {wrong} models with deviations")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
