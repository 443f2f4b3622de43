#!/usr/bin/env python3
"""Every function on request of all robots of the package `example-robot-data`, against Pinocchio.

Needs `pip install pin`, the Python package of this repository, and the unpacked wheel: `pip download
example-robot-data==6.0.0 --no-deps`, which is a zip. Each description is imported with a fixed and with a floating base,
without dampings and `mimic`, which Pinocchio's joints do not have. At random states are compared: M, nonlinear effects,
inverse and forward dynamics with their derivatives, M^-1, Coriolis matrix, weights, centre of mass, centroidal
momentum, and pose, velocity, acceleration, Jacobians and J̇ v of the frame that is farthest from the base. Deviations are
relative to the largest entry of what Pinocchio gives; those of what M is divided by also to the condition of M.
"""

import argparse
import re
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin

import hamel
from robots import QUATERNION, TWIST, undamped

STATES = 20
TOLERANCE = 1e-11
SEED = 20261125
PROVIDED = [*hamel.model.PROVIDED, "inverse_mass_matrix", "coriolis_matrix", "gravity_forces",
            "center_of_mass", "centroidal_momentum_matrix", "centroidal_momentum_bias"]
OF_FRAMES = ["pose({0})", "velocity({0})", "acceleration({0})", "jacobian({0})", "jacobian({0} in {0})",
             "jacobian_bias({0})"]


def spelled(name):
    return re.sub(r"[^A-Za-z0-9]", "_", name).strip("_")


def places(model, joints, channels, of_coordinates):
    """Of each of our channels the place among Pinocchio's; a continuous joint has a cosine and a sine there."""
    found = []
    for channel in channels:
        joint, component = channel.rsplit(".", 1)
        if joint in joints:
            known = model.joints[joints[joint]]
            found.append(known.idx_q if of_coordinates else known.idx_v)
        else:
            base = {**QUATERNION, "x": 0, "y": 1, "z": 2} if of_coordinates else {n: i for i, n in enumerate(TWIST)}
            found.append(base[component])
    return found


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def deviations(text, is_floating, generator):
    """The largest relative deviation of each function."""
    base = [pin.JointModelFreeFlyer()] if is_floating else []
    other = pin.buildModelFromXML(text, *base)
    data = other.createData()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = hamel.Model.from_urdf(text, floating=is_floating, provide=[], exact_angles=True, level="at_once",
                                            cache=False)
    # The body that is moved by most joints.
    joint = max(range(1, other.njoints), key=lambda index: len(list(other.supports[index])))
    frame = next(f.name for f in other.frames if f.parentJoint == joint and f.type == pin.FrameType.BODY)
    name = spelled(frame)
    source = plain.source.rstrip()
    functions = ", ".join([*PROVIDED, *(function.format(name) for function in OF_FRAMES)])
    begun = time.perf_counter()
    ours = hamel.Model.from_text(f"{source[:-1]} provide {functions}; }}", level="at_once", cache=False)
    compiled = time.perf_counter() - begun

    names = [known for known in other.names if known not in ("universe", "root_joint")]
    joints = {}
    for channel in ours.velocities:
        own = channel.rsplit(".", 1)[0]
        matching = [n for n in names if own in (spelled(n), n, spelled(n) + "_joint", n + "_joint", "joint_" + spelled(n))]
        if len(matching) == 1:
            joints[own] = other.getJointId(matching[0])
    of_q, of_v = places(other, joints, ours.coordinates, True), places(other, joints, ours.velocities, False)
    if sorted(of_v) != list(range(other.nv)):
        raise ValueError("its joints are not Pinocchio's")
    worst = {}

    def compare(function, found, expected, scale=1.0, floor=0.0):
        found, expected = np.asarray(found), np.asarray(expected)
        # Where everything cancels, what is left is rounding of what the inertias make.
        size = max(np.abs(expected).max(), floor) or 1.0
        error = float(np.abs(found - expected).max()) / (scale * size)
        worst[function] = max(worst.get(function, 0.0), error if np.isfinite(error) else np.inf)

    index = other.getFrameId(frame)
    square = np.ix_(of_v, of_v)
    for _ in range(STATES):
        angles = generator.uniform(-3, 3, other.nv)
        q = pin.neutral(other)
        if is_floating:
            q[:7] = np.concatenate([generator.uniform(-3, 3, 3), generator.normal(size=4)])
            q[3:7] /= np.linalg.norm(q[3:7])
        own = []
        for channel, place in zip(ours.coordinates, of_q):
            known = joints.get(channel.rsplit(".", 1)[0])
            if known is None:
                own.append(q[place])
                continue
            angle = angles[other.joints[known].idx_v]
            q[place] = angle
            if other.joints[known].nq == 2:
                q[place:place + 2] = np.cos(angle), np.sin(angle)
            own.append(angle)
        own = np.array(own)
        v, a = generator.uniform(-3, 3, other.nv), generator.uniform(-3, 3, other.nv)
        own_v, own_a = v[of_v], a[of_v]

        mass = symmetric(pin.crba(other, data, q))
        condition = np.linalg.cond(mass)
        compare("M", ours.mass_matrix(own), mass[square])
        compare("nonlinear_effects", ours.nonlinear_effects(own, own_v), pin.nonLinearEffects(other, data, q, v)[of_v])
        tau = pin.rnea(other, data, q, v, a)
        compare("inverse_dynamics", ours.inverse_dynamics(own, own_v, own_a), tau[of_v])
        # Of a force that such accelerations need; what is solved with M has the error of its condition.
        compare("forward_dynamics", ours.forward_dynamics(own, own_v, tau[of_v]), a[of_v], condition)
        by_q, by_v, _ = pin.computeRNEADerivatives(other, data, q, v, a)
        found = ours.inverse_dynamics_derivatives(own, own_v, own_a)
        compare("inverse_dynamics by q", found[0], by_q[square])
        compare("inverse_dynamics by v", found[1], by_v[square], floor=1e-3 * np.abs(mass).max())
        by_q, by_v, by_tau = pin.computeABADerivatives(other, data, q, v, tau)
        found = ours.forward_dynamics_derivatives(own, own_v, tau[of_v])
        compare("forward_dynamics by q", found[0], by_q[square], condition)
        compare("forward_dynamics by v", found[1], by_v[square], condition, 1e-3)
        compare("inverse_mass_matrix", ours.inverse_mass_matrix(own), symmetric(by_tau)[square], condition)
        coriolis = pin.computeCoriolisMatrix(other, data, q, v)[square]
        compare("coriolis_matrix", ours.coriolis_matrix(own, own_v), coriolis, floor=1e-3 * np.abs(mass).max())
        compare("gravity_forces", ours.gravity_forces(own), pin.computeGeneralizedGravity(other, data, q)[of_v])
        center = ours.center_of_mass(own)
        compare("center_of_mass", center.center, pin.centerOfMass(other, data, q))
        compare("its Jacobian", center.jacobian, pin.jacobianCenterOfMass(other, data, q)[:, of_v])
        compare("centroidal_momentum_matrix", ours.centroidal_momentum_matrix(own),
                pin.computeCentroidalMap(other, data, q)[:, of_v])
        pin.computeCentroidalMomentumTimeVariation(other, data, q, v, 0 * a)
        compare("centroidal_momentum_bias", ours.centroidal_momentum_bias(own, own_v), data.dhg.vector)
        pin.forwardKinematics(other, data, q, v, a)
        pin.updateFramePlacements(other, data)
        on = ours.frame(name)
        pose = on.pose(own)
        compare("position", pose.position, data.oMf[index].translation)
        compare("rotation", pose.rotation, data.oMf[index].rotation)
        aligned = pin.LOCAL_WORLD_ALIGNED
        compare("velocity", np.hstack(on.velocity(own, own_v)), pin.getFrameVelocity(other, data, index, aligned))
        classical = pin.getFrameClassicalAcceleration(other, data, index, aligned)
        compare("acceleration", np.hstack(on.acceleration(own, own_v, own_a)), classical)
        compare("jacobian", np.vstack(on.jacobian(own)),
                pin.computeFrameJacobian(other, data, q, index, aligned)[:, of_v])
        own_axes = on.jacobian_in_own_axes(own)
        compare("jacobian in its axes", np.vstack(own_axes),
                pin.computeFrameJacobian(other, data, q, index, pin.LOCAL)[:, of_v])
        pin.forwardKinematics(other, data, q, v, 0 * a)
        pin.updateFramePlacements(other, data)
        compare("jacobian_bias", np.hstack(on.jacobian_bias(own, own_v)),
                pin.getFrameClassicalAcceleration(other, data, index, aligned))
    return worst, compiled


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path, help="the unpacked wheel")
    parser.add_argument("--only", default="", help="files whose name contains this")
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.package.rglob("*.urdf") if arguments.only in path.name)
    if not files:
        sys.exit(f"no description below {arguments.package}")
    generator = np.random.default_rng(SEED)
    failed = False
    for is_floating in [False, True]:
        of_all, n = {}, 0
        for path in files:
            try:
                worst, compiled = deviations(undamped(path.read_text()), is_floating, generator)
            except (ValueError, hamel.ModelError) as error:
                print(f"skipped   {path.name}: {str(error).splitlines()[0]}")
                continue
            n += 1
            what = max(worst, key=worst.get)
            is_same = worst[what] < TOLERANCE
            failed |= not is_same
            print(f"{'agrees' if is_same else 'DEVIATES':9} {path.name}: {worst[what]:.1e} ({what}), {compiled:.1f} s", flush=True)
            for function, error in worst.items():
                of_all[function] = max(of_all.get(function, 0.0), error)
        print(f"{'floating' if is_floating else 'fixed'}: {n} robots; largest deviations:")
        for function, error in of_all.items():
            print(f"  {function:28} {error:.1e}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
