"""Other mechanisms of `models` for IDA, each with what is measured of it at the end; `andrews.py` has one of its own.

Bodies that move in planes are written in the plane.
"""

import casadi as cs
import numpy as np

import exudyn_models as data
import ida
from ida import turned

GRAVITY = data.GRAVITY


def top():
    """The heavy top by the rotation about its tip: Euler parameters and the angular velocity in body axes."""
    p, w = cs.SX.sym("p", 4), cs.SX.sym("w", 3)
    x, y, z = cs.vertsplit(p[1:])
    # The second column of the rotation matrix: the axis on which the centre stands.
    center = cs.vertcat(2 * (x * y - p[0] * z), p[0]**2 - x**2 + y**2 - z**2, 2 * (y * z + p[0] * x)) / cs.sumsqr(p)
    vertical = cs.vertcat(2 * (x * z - p[0] * y), 2 * (y * z + p[0] * x), p[0]**2 - x**2 - y**2 + z**2) / cs.sumsqr(p)
    rate = cs.vertcat(-cs.dot(p[1:], w), p[0] * w + cs.cross(p[1:], w)) / 2
    inertia = cs.DM(data.TOP_INERTIA + data.TOP_MASS * np.array([1, 0, 1]))
    torque = cs.cross(cs.DM(data.TOP_CENTER), -data.TOP_MASS * GRAVITY * vertical)
    equations = {"x": cs.vertcat(p, w), "ode": cs.vertcat(rate, (torque - cs.cross(w, inertia * w)) / inertia)}
    return equations, [1, 0, 0, 0, *data.TOP_RATE], center


def slider_crank():
    """Three angles against the ground, as ours."""
    q, v = cs.SX.sym("q", 3), cs.SX.sym("v", 3)
    crank, rod = data.CRANK_LENGTH, data.ROD_LENGTH
    pin = turned(q[0], (crank, 0))
    slider = pin + turned(q[1], (rod, 0))
    centers = [pin / 2, (pin + slider) / 2, slider]
    kinetic = ida.kinetic_energy(q, v, zip(cs.vertsplit(q), centers, data.CRANK_MASSES, data.CRANK_INERTIAS))
    potential = GRAVITY * sum(mass * center[1] for mass, center in zip(data.CRANK_MASSES, centers))
    equations = ida.index_one(q, v, kinetic, potential, cs.SX.zeros(3), cs.vertcat(slider[1], q[2]))
    return equations, [0, 0, 0, *data.CRANK_RATES], q[:2]


def four_bars():
    """Two four-bars by places and angles of all bodies, as ours."""
    q, v = cs.SX.sym("q", 15), cs.SX.sym("v", 15)
    bodies = [q[3 * k:3 * k + 3] for k in range(5)]
    cranks, couplers = bodies[:3], bodies[3:]

    def end(body, x):
        return body[:2] + turned(body[2], (x, 0))
    feet = [end(crank, -0.5) - cs.DM([k, 0]) for k, crank in enumerate(cranks)]
    pins = [end(crank, 0.5) - end(coupler, side)
            for k, coupler in enumerate(couplers) for crank, side in [(cranks[k], -0.5), (cranks[k + 1], 0.5)]]
    kinetic = sum(cs.sumsqr(body) / 2 for body in [cs.vertcat(v[3 * k], v[3 * k + 1]) for k in range(5)])
    kinetic += sum(v[3 * k + 2]**2 / 24 for k in range(5))
    potential = GRAVITY * sum(body[1] for body in bodies)
    equations = ida.index_one(q, v, kinetic, potential, cs.SX.zeros(15), cs.vertcat(*feet, *pins))
    start = [*np.ravel([place for place, _ in data.FOUR_BARS]), *np.ravel([rates for _, rates in data.FOUR_BARS])]
    return equations, start, end(cranks[0], 0.5)


def v8():
    """Angles of the crankshaft and the rods, and heights of the pistons, whose axes meet that of the crankshaft."""
    q, v = cs.SX.sym("q", 17), cs.SX.sym("v", 17)
    kinetic, constraints, start = 0.2 * v[0]**2 / 2, [], [0.0]
    for k, (bank, throw) in enumerate(data.V8_CYLINDERS):
        rod, height = q[1 + 2 * k], q[2 + 2 * k]
        pin = turned(q[0] + throw, (data.THROW, 0))
        top = height * cs.DM([np.cos(bank), np.sin(bank)])
        constraints.append(pin + turned(rod, (data.ROD, 0)) - top)
        bodies = [(rod, pin + turned(rod, (data.ROD_CENTER, 0)), 0.55, 1.8e-3), (cs.SX(0), top, 0.45, 0)]
        kinetic += ida.kinetic_energy(q, v, bodies)
        across, along = data.THROW * np.sin(throw - bank), data.THROW * np.cos(throw - bank)
        lean = np.arcsin(across / data.ROD)
        start += [bank - lean, along + data.ROD * np.cos(lean)]
    force = cs.vertcat(data.TORQUE, cs.SX.zeros(16))
    equations = ida.index_one(q, v, kinetic, 0, force, cs.vertcat(*constraints))
    # A turn about x in Euler parameters.
    return equations, [*start, *[0] * 17], cs.vertcat(cs.cos(q[0] / 2), cs.sin(q[0] / 2))


def beam(count):
    """Our finite volumes (`model-compiler/src/derive/beam.rs`) in the plane: nodes are rigid bodies, the first is held."""
    free = 3 * 2 * count
    q, v = cs.SX.sym("q", free), cs.SX.sym("v", free)
    length, inner = data.BEAM_LENGTH / count, 1 / np.sqrt(3)
    nodes = [(cs.DM([0, 0]), cs.DM(0)), *((q[k:k + 2], q[k + 2]) for k in range(0, free, 3))]
    forces = [[cs.DM([0, 0]), cs.DM(0)] for _ in nodes]

    def act(node, force, moment):
        forces[node] = [forces[node][0] + force, forces[node][1] + moment]
    for middle in range(1, 2 * count, 2):
        origin, turn = nodes[middle]
        ends = [(turned(-turn, nodes[node][0] - origin), nodes[node][1] - turn) for node in [middle - 1, middle + 1]]
        for sign, (before, behind) in [(-1, (middle - 1, middle)), (1, (middle, middle + 1))]:
            xi = sign * inner
            shapes, rates = (xi * (xi - 1) / 2, xi * (xi + 1) / 2), ((2 * xi - 1) / length, (2 * xi + 1) / length)
            (place, angle), (slope, curvature) = (
                [sum(factor * end[part] for factor, end in zip(factors, ends)) for part in range(2)]
                for factors in [shapes, rates])
            strain = turned(-angle, slope) - cs.DM([1, 0])
            force = turned(turn + angle, cs.DM([data.BEAM_AXIAL, data.BEAM_SHEAR]) * strain)
            section = origin + turned(turn, place)
            for node, side in [(before, 1), (behind, -1)]:
                arm = section - nodes[node][0]
                act(node, side * force, side * (data.BEAM_BENDING * curvature + arm[0] * force[1] - arm[1] * force[0]))
    bodies = []
    for node, (place, turn) in list(enumerate(nodes))[1:]:
        is_tip = node == 2 * count
        share = length * (inner if node % 2 else (1 - inner) / (2 if is_tip else 1))
        center = place + turned(turn, (-share / 2 if is_tip else 0, 0))
        mass = data.BEAM_MASS * share
        bodies.append((turn, center, mass, data.BEAM_INERTIA * share + mass * share**2 / 12))
    potential = GRAVITY * sum(mass * center[1] for _, center, mass, _ in bodies)
    force = cs.vertcat(*[part for node in forces[1:] for part in node])
    equations = ida.index_one(q, v, ida.kinetic_energy(q, v, bodies), potential, force, cs.SX(0, 1))
    places = [[k * length / 2, 0, 0] for k in range(1, 2 * count + 1)]
    return equations, [*np.ravel(places), *[0] * free], q[-2]
