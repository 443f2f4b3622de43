"""Mechanisms as CasADi expressions, integrated by IDA (SUNDIALS).

Accelerations and multipliers are algebraic unknowns of index 1: M a + h = f + G^T lambda, and the constraints
differentiated twice.
"""

import casadi as cs


def turned(angle, point):
    c, s = cs.cos(angle), cs.sin(angle)
    return cs.vertcat(c * point[0] - s * point[1], s * point[0] + c * point[1])


def kinetic_energy(q, v, bodies):
    """Of bodies in the plane: angle, centre, mass, inertia."""
    energy = 0
    for angle, center, mass, inertia in bodies:
        energy += mass * cs.sumsqr(cs.jtimes(center, q, v)) / 2 + inertia * cs.jtimes(angle, q, v) ** 2 / 2
    return energy


def index_one(q, v, kinetic, potential, force, constraints):
    """Differential and algebraic right sides of x = (q, v), z = (a, lambda)."""
    a, multipliers = cs.SX.sym("a", q.numel()), cs.SX.sym("lambda", constraints.numel())
    momentum = cs.gradient(kinetic, v)
    mass_matrix, jacobian = cs.jacobian(momentum, v), cs.jacobian(constraints, q)
    forces = cs.gradient(kinetic - potential, q) + force
    balance = mass_matrix @ a + cs.jtimes(momentum, q, v) - forces - jacobian.T @ multipliers
    rates = cs.jtimes(cs.jtimes(constraints, q, v), q, v)
    return {"x": cs.vertcat(q, v), "z": cs.vertcat(a, multipliers), "ode": cs.vertcat(v, a),
            "alg": cs.vertcat(balance, jacobian @ a + rates)}


class Motion:
    """A motion as a function without arguments, which gives what is measured of x at the end.

    CasADi interprets what is not compiled.
    """

    def __init__(self, dae, start, until, measured, tolerance, is_compiled):
        options = {"abstol": tolerance, "reltol": tolerance, "max_num_steps": 10**6, "jit": is_compiled,
                   "compiler": "shell", "jit_options": {"compiler": "gcc", "flags": ["-O3", "-march=native"]}}
        self.start, self.z = cs.vertcat(*start), cs.DM.zeros(0)
        if "z" in dae:
            # Consistent accelerations and multipliers of the start are a linear system.
            residual = cs.Function("residual", [dae["x"], dae["z"]], [dae["alg"], cs.jacobian(dae["alg"], dae["z"])])
            value, matrix = residual(self.start, cs.DM.zeros(dae["z"].numel()))
            self.z = -cs.solve(matrix, value)
        functions = {name: cs.cse(value) for name, value in dae.items()}
        self.function = cs.integrator("motion", "idas", functions, 0, until, options)
        self.measured = cs.Function("measured", [dae["x"]], [measured])

    def __call__(self):
        return self.measured(self.function(x0=self.start, z0=self.z)["xf"]).full().ravel()

    def counts(self):
        """Steps, Newton iterations and factorizations of the last run."""
        stats = self.function.stats()
        return stats["nsteps"], stats["nniters"], stats["nlinsetups"]
