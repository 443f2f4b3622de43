#!/usr/bin/env python3
"""Values of the dynamics of the trees in `verify/data/opcounts`, computed by Pinocchio.

Needs `pip install pin`. Writes `verify/data/pinocchio/index.json`, which says what is where, and one file of
little-endian doubles per tree, state after state. A free base moves with the linear and the angular velocity of its
frame in its own axes, and derivatives by q are derivatives along these velocities; its quaternion is (x, y, z, w).
`verify/tests/pinocchio.rs` compares the compiler's functions with these values.
"""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin

DATA = Path(__file__).resolve().parents[2] / "verify" / "data"
TREES = {"double_pendulum": False, "arm6": False, "arm7": False, "quadruped": True}
STATES = 100
SEED = 20260101

# In this order; of symmetric matrices the upper triangle, row by row, of others all rows.
QUANTITIES = [
    "q", "v", "a", "tau",
    "mass_matrix", "nonlinear_effects", "inverse_dynamics", "forward_dynamics",
    "inverse_dynamics_dq", "inverse_dynamics_dv",
    "forward_dynamics_dq", "forward_dynamics_dv", "forward_dynamics_dtau",
]


def upper(matrix):
    return matrix[np.triu_indices(len(matrix))]


def symmetric(matrix):
    return np.triu(matrix) + np.triu(matrix, 1).T


def forward_derivatives(model, data, q, v, acceleration, mass):
    """-M^-1 times the derivatives of inverse dynamics at the acceleration.

    Pinocchio's own derivatives of forward dynamics have errors of up to 3e-12 for the quadruped, relative to their
    largest entry; its derivatives of inverse dynamics are exact to the last digits, and so is this solution, which is
    scaled and refined once. The tests need 1e-12.
    """
    pin.computeRNEADerivatives(model, data, q, v, acceleration)
    right = -np.hstack([data.dtau_dq, data.dtau_dv])
    scale = 1 / np.sqrt(np.diag(mass))
    scaled = mass * np.outer(scale, scale)
    factor = np.linalg.cholesky(scaled)

    def solve(right):
        return scale[:, None] * np.linalg.solve(factor.T, np.linalg.solve(factor, scale[:, None] * right))

    solution = solve(right)
    residual = right.astype(np.longdouble) - mass.astype(np.longdouble) @ solution.astype(np.longdouble)
    solution = solution + solve(residual.astype(float))
    return np.hsplit(solution, 2)


def values(model, data, q, v, a, tau):
    mass = pin.crba(model, data, q).copy()
    bias = pin.nonLinearEffects(model, data, q, v).copy()
    force = pin.rnea(model, data, q, v, a).copy()
    acceleration = pin.aba(model, data, q, v, tau).copy()
    pin.computeRNEADerivatives(model, data, q, v, a)
    force_dq, force_dv = data.dtau_dq.copy(), data.dtau_dv.copy()
    pin.computeABADerivatives(model, data, q, v, tau)
    inverse, own_dq, own_dv = data.Minv.copy(), data.ddq_dq.copy(), data.ddq_dv.copy()
    acceleration_dq, acceleration_dv = forward_derivatives(model, data, q, v, acceleration, symmetric(mass))
    for refined, own in [(acceleration_dq, own_dq), (acceleration_dv, own_dv)]:
        assert np.abs(refined - own).max() < 1e-10 * np.abs(own).max()
    matrices = [force_dq, force_dv, acceleration_dq, acceleration_dv]
    return np.concatenate([
        q, v, a, tau, upper(mass), bias, force, acceleration,
        *(matrix.ravel() for matrix in matrices), upper(inverse),
    ])


def main():
    generator = np.random.default_rng(SEED)
    folder = DATA / "pinocchio"
    folder.mkdir(exist_ok=True)
    index = {"pinocchio": pin.__version__, "seed": SEED, "states": STATES, "quantities": QUANTITIES, "trees": []}
    for name, is_floating in TREES.items():
        urdf = str(DATA / "opcounts" / f"{name}.urdf")
        model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer()) if is_floating else pin.buildModelFromUrdf(urdf)
        data = model.createData()
        rows = []
        for _ in range(STATES):
            q = generator.uniform(-3, 3, model.nq)
            if is_floating:
                q[3:7] = generator.normal(size=4)
                q[3:7] /= np.linalg.norm(q[3:7])
            v, a, tau = (generator.uniform(-3, 3, model.nv) for _ in range(3))
            rows.append(values(model, data, q, v, a, tau))
        np.array(rows, dtype="<f8").tofile(folder / f"{name}.f64")
        joints = [name for name in model.names[1:] if name != "root_joint"]
        index["trees"].append({"name": name, "is_floating": is_floating, "joints": joints})
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
