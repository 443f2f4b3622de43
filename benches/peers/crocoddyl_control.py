"""Optimal control with Crocoddyl, whose dynamics are functions of the package `hamel` on NumPy arrays, beside the same
problem with functions of Pinocchio's package.

    crocoddyl_control.py ROBOT.urdf

Needs `crocoddyl`, `pin` and our package. A robot of hinges moves from rest to rest at a goal within a second, with the least
weighted sum of squares of forces, velocities and distances from the goal: 50 nodes of 20 ms, differential dynamic
programming (`SolverFDDP`). Costs and trajectories have to agree; otherwise the script ends with 1. Times are those of the
whole solution; both go through Python in each node.

Crocoddyl's own forward dynamics are not compared: with Crocoddyl 3.2.1 and Pinocchio 4.1.0 they lack gravity, as a robot at
rest shows, whose accelerations `pinocchio.aba` and ours agree on.
"""

import sys
import time

import crocoddyl
import numpy as np
import pinocchio

import hamel

NODES, STEP = 50, 0.02


class Action(crocoddyl.DifferentialActionModelAbstract):
    """Forward dynamics and their derivatives by two functions; costs by Crocoddyl."""

    def __init__(self, state, costs, accelerations, derivatives):
        crocoddyl.DifferentialActionModelAbstract.__init__(self, state, state.nv, costs.nr)
        self.costs, self.accelerations, self.derivatives = costs, accelerations, derivatives

    def calc(self, data, x, u=None):
        u = np.zeros(self.nu) if u is None else u
        data.xout = self.accelerations(x[: self.state.nq], x[self.state.nq :], u)
        self.costs.calc(data.costs, x, u)
        data.cost = data.costs.cost

    def calcDiff(self, data, x, u=None):
        u = np.zeros(self.nu) if u is None else u
        by_q, by_v, by_u = self.derivatives(x[: self.state.nq], x[self.state.nq :], u)
        data.Fx, data.Fu = np.hstack([by_q, by_v]), by_u
        self.costs.calcDiff(data.costs, x, u)

    def createData(self):
        return Data(self)


class Data(crocoddyl.DifferentialActionDataAbstract):
    def __init__(self, model):
        crocoddyl.DifferentialActionDataAbstract.__init__(self, model)
        self.shared = crocoddyl.DataCollectorMultibody(pinocchio.Data(model.state.pinocchio))
        self.costs = model.costs.createData(self.shared)
        self.costs.shareMemory(self)


def solved(action, terminal, x0):
    nodes = [crocoddyl.IntegratedActionModelEuler(action, STEP)] * NODES
    end = crocoddyl.IntegratedActionModelEuler(terminal, 0.0)
    solver = crocoddyl.SolverFDDP(crocoddyl.ShootingProblem(x0, nodes, end))
    begin = time.perf_counter()
    is_done = solver.solve([], [], 200)
    return is_done, solver, time.perf_counter() - begin


def main(urdf):
    robot = pinocchio.buildModelFromUrdf(urdf)
    model = hamel.Model.from_urdf(urdf, exact_angles=True, provide=["forward_dynamics", "forward_dynamics_derivatives"])
    names = [name for name in robot.names[1:]]
    ours = [name.rsplit(".", 1)[0] for name in model.coordinates]
    if ours != names:
        sys.exit(f"the order of joints differs: {ours} and {names}")
    state = crocoddyl.StateMultibody(robot)
    goal = np.concatenate([np.linspace(0.5, 1.0, robot.nq), np.zeros(robot.nv)])

    def costs(weight):
        sum_of = crocoddyl.CostModelSum(state, robot.nv)
        residual = crocoddyl.ResidualModelState(state, goal, robot.nv)
        sum_of.addCost("goal", crocoddyl.CostModelResidual(state, residual), weight)
        effort = crocoddyl.ResidualModelControl(state, robot.nv)
        sum_of.addCost("effort", crocoddyl.CostModelResidual(state, effort), 1e-4)
        return sum_of

    running, terminal = costs(1e-1), costs(1e3)
    x0 = np.zeros(robot.nq + robot.nv)
    data = robot.createData()
    sides = {
        "pinocchio": (
            lambda q, v, tau: pinocchio.aba(robot, data, q, v, tau),
            lambda q, v, tau: pinocchio.computeABADerivatives(robot, data, q, v, tau),
        ),
        "hamel": (model.forward_dynamics, model.forward_dynamics_derivatives),
    }
    found = {
        name: solved(Action(state, running, *functions), Action(state, terminal, *functions), x0)
        for name, functions in sides.items()
    }
    for name, (is_done, solver, seconds) in found.items():
        print(f"{name:<10} {'solved' if is_done else 'NOT SOLVED'} in {solver.iter} iterations, cost {solver.cost:.10g}, {seconds:.3f} s")
    one, other = (found[name][1] for name in ("pinocchio", "hamel"))
    apart = max(np.abs(a - b).max() for a, b in zip(one.xs, other.xs))
    print(f"crocoddyl {crocoddyl.__version__}, pinocchio {pinocchio.__version__}: costs {abs(one.cost / other.cost - 1):.1e} apart, states {apart:.1e}")
    return not (all(done for done, _, _ in found.values()) and abs(one.cost / other.cost - 1) < 1e-6 and apart < 1e-4)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
