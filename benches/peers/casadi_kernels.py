"""The dynamics of a tree as CasADi expressions, and the C code that CasADi makes of them.

Plain recursions over links in their own axes: Newton-Euler, composite bodies and articulated bodies, with derivatives
by CasADi's differentiation. Numbers that only rounding keeps from zero are cleaned, common subexpressions are shared.
"""

import casadi as cs
import numpy as np
import pinocchio as pin

GRAVITY = 9.81


def skew(a):
    return cs.vertcat(
        cs.horzcat(0, -a[2], a[1]),
        cs.horzcat(a[2], 0, -a[0]),
        cs.horzcat(-a[1], a[0], 0),
    )


def clean(values):
    values = np.array(values, dtype=float)
    rounded = np.round(values)
    return cs.sparsify(cs.SX(cs.DM(np.where(np.abs(values - rounded) < 1e-12, rounded, values))))


def turn(axis, angle):
    s, c = cs.sin(angle), cs.cos(angle)
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    r = cs.SX(3, 3)
    r[i, i], r[j, j], r[k, k] = 1, c, c
    r[j, k], r[k, j] = -s, s
    return r


class Tree:
    """A tree of hinges about coordinate axes, on the ground or on a free base."""

    def __init__(self, urdf, is_floating):
        model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer()) if is_floating else pin.buildModelFromUrdf(urdf)
        self.is_floating, self.model = is_floating, model
        self.joints = list(range(2 if is_floating else 1, model.njoints))
        self.names = [model.names[i] for i in self.joints]
        self.nq, self.nv = model.nq, model.nv

    def links(self):
        return range(1, self.model.njoints)

    def inertia(self, i):
        """Mass, first moment and inertia about the origin of the link's frame."""
        body = self.model.inertias[i]
        m, c = body.mass, np.array(body.lever)
        cross = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
        return m, clean(m * c), clean(np.array(body.inertia) - m * cross @ cross)

    def frames(self, q):
        """Rotation and position of every link in its parent, and its axis."""
        frames = {}
        for i in self.joints:
            joint = self.model.joints[i]
            axis = "XYZ".index(joint.shortname()[-1])
            place = self.model.jointPlacements[i]
            rotation = clean(place.rotation) @ turn(axis, q[joint.idx_q])
            unit = cs.SX(3, 1)
            unit[axis] = 1
            frames[i] = (self.model.parents[i], cs.sparsify(rotation), clean(place.translation), unit, joint.idx_v)
        return frames

    def up(self, q):
        """Acceleration that stands for gravity, in the axes of the base; `q` may also be that vector."""
        if not self.is_floating:
            return cs.vertcat(0, 0, GRAVITY)
        x, y, z, w = cs.vertsplit(q[3:7])
        return GRAVITY * cs.vertcat(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))

    def rnea(self, q, v, a, up):
        frames = self.frames(q)
        w, al, acc, f, n = {}, {}, {}, {}, {}
        if self.is_floating:
            w[1], al[1] = v[3:6], a[3:6]
            acc[1] = a[0:3] + cs.cross(v[3:6], v[0:3]) + up
        else:
            w[0], al[0], acc[0] = cs.SX(3, 1), cs.SX(3, 1), up
        for i in self.joints:
            p, r, x, s, k = frames[i]
            w[i] = r.T @ w[p] + s * v[k]
            al[i] = r.T @ al[p] + s * a[k] + cs.cross(w[i], s * v[k])
            acc[i] = r.T @ (acc[p] + cs.cross(al[p], x) + cs.cross(w[p], cs.cross(w[p], x)))
        for i in self.links():
            m, h, inertia = self.inertia(i)
            f[i] = m * acc[i] + cs.cross(al[i], h) + cs.cross(w[i], cs.cross(w[i], h))
            n[i] = inertia @ al[i] + cs.cross(w[i], inertia @ w[i]) + cs.cross(h, acc[i])
        tau = cs.SX(self.nv, 1)
        for i in reversed(self.joints):
            p, r, x, s, k = frames[i]
            tau[k] = cs.dot(s, n[i])
            if p in f:
                force = r @ f[i]
                f[p] = f[p] + force
                n[p] = n[p] + r @ n[i] + cs.cross(x, force)
        if self.is_floating:
            tau[0:3], tau[3:6] = f[1], n[1]
        return tau

    def crba(self, q):
        frames = self.frames(q)
        bodies = {i: self.inertia(i) for i in self.links()}
        mass = cs.SX(self.nv, self.nv)
        for i in reversed(self.joints):
            p, r, x, s, k = frames[i]
            m, h, inertia = bodies[i]
            force, torque, j = cs.cross(s, h), inertia @ s, i
            mass[k, k] = cs.dot(s, torque)
            while j in frames:
                parent, rotation, offset, _, _ = frames[j]
                force, torque = rotation @ force, rotation @ torque
                torque, j = torque + cs.cross(offset, force), parent
                if j in frames:
                    _, _, _, axis, column = frames[j]
                    mass[column, k] = mass[k, column] = cs.dot(axis, torque)
            if self.is_floating:
                mass[0:3, k], mass[3:6, k] = force, torque
                mass[k, 0:3], mass[k, 3:6] = force.T, torque.T
            if p in bodies:
                m0, h0, i0 = bodies[p]
                moved = r @ h
                both = skew(x) @ skew(moved)
                shifted = r @ inertia @ r.T - both - both.T - m * skew(x) @ skew(x)
                bodies[p] = (m0 + m, h0 + moved + m * x, i0 + shifted)
        if self.is_floating:
            m, h, inertia = bodies[1]
            mass[0:3, 0:3] = m * cs.SX.eye(3)
            mass[3:6, 0:3], mass[0:3, 3:6], mass[3:6, 3:6] = skew(h), -skew(h), inertia
        return mass

    def aba(self, q, v, tau, up):
        """Angular rows first."""
        frames = self.frames(q)
        w, bias, c = {}, {}, {}
        inertias = {}
        if self.is_floating:
            w[1] = v[3:6]
        else:
            w[0] = cs.SX(3, 1)
        for i in self.joints:
            p, r, x, s, k = frames[i]
            w[i] = r.T @ w[p] + s * v[k]
            c[i] = (cs.cross(w[i], s * v[k]), r.T @ cs.cross(w[p], cs.cross(w[p], x)))
        for i in self.links():
            m, h, inertia = self.inertia(i)
            inertias[i] = (inertia, skew(h), m * cs.SX.eye(3))
            bias[i] = (cs.cross(w[i], inertia @ w[i]), cs.cross(w[i], cs.cross(w[i], h)))
        u, d, t = {}, {}, {}
        for i in reversed(self.joints):
            p, r, x, s, k = frames[i]
            inertia, h, m = inertias[i]
            n, f = bias[i]
            u[i] = (inertia @ s, h.T @ s)
            d[i] = 1 / cs.dot(s, u[i][0])
            t[i] = tau[k] - cs.dot(s, n)
            if p in inertias:
                ua, ul = u[i]
                inertia, h, m = inertia - ua @ ua.T * d[i], h - ua @ ul.T * d[i], m - ul @ ul.T * d[i]
                ca, cl = c[i]
                push = t[i] * d[i]
                n, f = n + inertia @ ca + h @ cl + ua * push, f + h.T @ ca + m @ cl + ul * push
                inertia, h, m = r @ inertia @ r.T, r @ h @ r.T, r @ m @ r.T
                n, f = r @ n, r @ f
                i0, h0, m0 = inertias[p]
                cross = skew(x)
                shifted = h + cross @ m
                inertias[p] = (
                    cs.sparsify(i0 + inertia + cross @ h.T + (cross @ h.T).T + cross @ m @ cross.T),
                    h0 + shifted,
                    m0 + m,
                )
                bias[p] = (bias[p][0] + n + cs.cross(x, f), bias[p][1] + f)
        result = cs.SX(self.nv, 1)
        al, acc = {}, {}
        if self.is_floating:
            inertia, h, m = inertias[1]
            n, f = bias[1]
            whole = cs.vertcat(cs.horzcat(m, h.T), cs.horzcat(h, inertia))
            right = cs.vertcat(tau[0:3] - f, tau[3:6] - n)
            solved = solve_symmetric(whole, right)
            acc[1], al[1] = solved[0:3], solved[3:6]
            result[3:6] = al[1]
            result[0:3] = acc[1] - cs.cross(v[3:6], v[0:3]) - up
        else:
            al[0], acc[0] = cs.SX(3, 1), up
        for i in self.joints:
            p, r, x, s, k = frames[i]
            ca, cl = c[i]
            alpha = r.T @ al[p] + ca
            linear = r.T @ (acc[p] + cs.cross(al[p], x)) + cl
            result[k] = d[i] * (t[i] - cs.dot(u[i][0], alpha) - cs.dot(u[i][1], linear))
            al[i], acc[i] = alpha + s * result[k], linear
        return result

    def kernels(self):
        """Name, arguments and outputs of every kernel; matrices row by row."""
        q, v, x = cs.SX.sym("q", self.nq), cs.SX.sym("v", self.nv), cs.SX.sym("x", self.nv)
        up = self.up(q)
        zero = cs.SX(self.nv, 1)

        def derivatives(function, others):
            # A free base is turned in its own axes from where it is; where it is does not matter.
            moved = cs.SX.sym("d", 3)
            value = function(up + cs.cross(up, moved) if self.is_floating else up)
            if not self.is_floating:
                blocks = [cs.jacobian(value, q)]
            else:
                turned = cs.substitute(cs.jacobian(value, moved), moved, cs.SX.zeros(3))
                value = cs.substitute(value, moved, cs.SX.zeros(3))
                blocks = [cs.horzcat(cs.SX(self.nv, 3), turned, cs.jacobian(value, q[7:]))]
            return blocks + [cs.jacobian(value, other) for other in others]

        mass = self.crba(q)
        drnea = derivatives(lambda up: self.rnea(q, v, x, up), [v])
        daba = derivatives(lambda up: self.aba(q, v, x, up), [v, x])
        # Not what CasADi finds by itself: the same by the derivatives of inverse dynamics has fewer operations.
        acceleration = cs.SX.sym("a", self.nv)
        parts = derivatives(lambda up: self.rnea(q, v, acceleration, up), [v])
        solved = self.aba(q, v, x, up)
        parts = cs.substitute(parts, [acceleration], [solved])
        inverse = cs.jacobian(solved, x)
        structured = [-inverse @ part for part in parts] + [inverse]
        return {
            "crba": ([q], [mass]),
            "nle": ([q, v], [self.rnea(q, v, zero, up)]),
            "rnea": ([q, v, x], [self.rnea(q, v, x, up)]),
            "aba": ([q, v, x], [self.aba(q, v, x, up)]),
            "drnea": ([q, v, x], drnea + [mass]),
            "daba": ([q, v, x], daba),
            "daba_structured": ([q, v, x], structured),
        }


def solve_symmetric(matrix, right):
    """LDLᵀ without pivots, unrolled."""
    n = matrix.shape[0]
    lower, pivots = cs.SX.eye(n), []
    for j in range(n):
        pivot = matrix[j, j] - sum((lower[j, k] ** 2 * pivots[k] for k in range(j)), cs.SX(0))
        pivots.append(pivot)
        for i in range(j + 1, n):
            rest = sum((lower[i, k] * lower[j, k] * pivots[k] for k in range(j)), cs.SX(0))
            lower[i, j] = (matrix[i, j] - rest) / pivot
    x = [right[i] for i in range(n)]
    for i in range(n):
        x[i] = x[i] - sum((lower[i, k] * x[k] for k in range(i)), cs.SX(0))
    x = [value / pivot for value, pivot in zip(x, pivots)]
    for i in reversed(range(n)):
        x[i] = x[i] - sum((lower[k, i] * x[k] for k in range(i + 1, n)), cs.SX(0))
    return cs.vertcat(*x)


def functions(tree, prefix):
    made = {}
    for name, (arguments, outputs) in tree.kernels().items():
        outputs = [cs.sparsify(output) for output in outputs]
        made[name] = cs.Function(f"{prefix}_{name}", arguments, outputs, {"cse": True})
    return made


def operations(function):
    """Arithmetic operations, sines and cosines of a function."""
    trig, arithmetic = 0, 0
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        if operation in (cs.OP_SIN, cs.OP_COS):
            trig += 1
        elif operation not in (cs.OP_INPUT, cs.OP_OUTPUT, cs.OP_CONST, cs.OP_NEG):
            arithmetic += 1
    return arithmetic, trig
