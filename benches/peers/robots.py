#!/usr/bin/env python3
"""Which robots of the package `example-robot-data` are imported, and whether they move as Pinocchio says.

Needs `pip install pin` and the unpacked wheel: `pip download example-robot-data==6.0.0 --no-deps`, which is a zip. Every
description is imported with a fixed and with a floating base; mass matrix and nonlinear effects are compared at random
states, relative to their largest entries. Dampings, which only models have, and `mimic`, which makes a joint one of
Pinocchio's own, are taken out of the descriptions.
`--program` names another build of the example `values` of `hamel-import`, which is otherwise built.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pinocchio as pin

ROOT = Path(__file__).resolve().parents[2]
STATES = 5
TOLERANCE = 1e-11
SEED = 20261125
QUATERNION = {"e1": 3, "e2": 4, "e3": 5, "e0": 6}
TWIST = ["v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z"]


def undamped(text):
    """A description without damping, friction and joints that follow others."""
    return re.sub(r"<(dynamics|mimic)\b[^>]*?(/>|>\s*</\1>)", "", text)


def places(joints, channels, of_coordinates):
    """Of each of our channels the place among Pinocchio's; a continuous joint has a cosine and a sine there."""
    found = []
    for channel in channels:
        joint, component = channel.rsplit(".", 1)
        described, q, v = joints[joint]
        if described:
            found.append(q if of_coordinates else v)
        else:
            base = {**QUATERNION, "x": 0, "y": 1, "z": 2} if of_coordinates else {n: i for i, n in enumerate(TWIST)}
            found.append(base[component])
    return found


def deviation(text, is_floating, program, generator):
    """Largest relative deviation of M and of the nonlinear effects from Pinocchio's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(undamped(text))
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if is_floating \
            else pin.buildModelFromUrdf(str(path))
        command = [program, str(path)] + (["--floating"] if is_floating else [])
        first = subprocess.run(command, input="", capture_output=True, text=True)
        if first.returncode != 0:
            return None, first.stderr.strip().splitlines()[0] if first.stderr.strip() else "ended without a word"
        coordinates, velocities = [line.split() for line in first.stdout.splitlines()[:2]]
        fields = first.stdout.splitlines()[2].split("\t")
        joints = {name: (described, int(q), int(v)) for name, described, q, v in zip(*[iter(fields)] * 4)}
        known = {name: (model.joints[i].idx_q, model.joints[i].idx_v) for i, name in enumerate(model.names) if i > 0}
        known = {"" if name == "root_joint" else name: place for name, place in known.items()}
        if known != {described: place for described, *place in map(list, joints.values()) for place in [tuple(place)]}:
            return None, "its joints are not where Pinocchio has them"
        q_places = places(joints, coordinates, True)
        v_places = places(joints, velocities, False)
        if sorted(v_places) != list(range(model.nv)):
            return None, "its joints are not Pinocchio's"
        data = model.createData()
        states, expected = [], []
        for _ in range(STATES):
            angles = generator.uniform(-3, 3, model.nv)
            q = pin.neutral(model)
            if is_floating:
                q[:7] = np.concatenate([generator.uniform(-3, 3, 3), generator.normal(size=4)])
                q[3:7] /= np.linalg.norm(q[3:7])
            ours = []
            for channel, place in zip(coordinates, q_places):
                described = joints[channel.rsplit(".", 1)[0]][0]
                if not described:
                    ours.append(q[place])
                    continue
                joint = model.getJointId(described)
                angle = angles[model.joints[joint].idx_v]
                q[place] = angle
                if model.joints[joint].nq == 2:
                    q[place:place + 2] = np.cos(angle), np.sin(angle)
                ours.append(angle)
            v = generator.uniform(-3, 3, model.nv)
            mass = pin.crba(model, data, q)
            mass = np.triu(mass) + np.triu(mass, 1).T
            effects = pin.nonLinearEffects(model, data, q, v)
            expected.append((mass[np.ix_(v_places, v_places)], effects[v_places]))
            states.append(ours + list(v[v_places]))
        lines = "\n".join(" ".join(repr(float(value)) for value in state) for state in states)
        answers = subprocess.run(command, input=lines + "\n", capture_output=True, text=True, check=True)
        worst = 0.0
        for line, (mass, effects) in zip(answers.stdout.splitlines()[3:], expected, strict=True):
            values = np.array([float(value) for value in line.split()])
            n = model.nv
            for found, wanted in [(values[:n * n].reshape(n, n), mass), (values[n * n:], effects)]:
                # Nothing at all is compared with nothing.
                worst = max(worst, float(np.abs(found - wanted).max() / (np.abs(wanted).max() or 1.0)))
                if not np.isfinite(found).all():
                    return np.inf, ""
        return worst, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path, help="the unpacked wheel")
    parser.add_argument("--program", type=Path, help="a build of the example `values`")
    parser.add_argument("--only", default="", help="files whose name contains this")
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.package.rglob("*.urdf") if arguments.only in path.name)
    if not files:
        sys.exit(f"no description below {arguments.package}")
    program = arguments.program
    if program is None:
        build = ["cargo", "build", "--release", "-p", "hamel-import", "--example", "values"]
        subprocess.run(build, check=True, cwd=ROOT)
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        program = target / "release" / "examples" / "values"
    generator = np.random.default_rng(SEED)
    failed = False
    for is_floating in [False, True]:
        imported, worst = 0, 0.0
        for path in files:
            text = path.read_text()
            try:
                found, why = deviation(text, is_floating, program, generator)
            except ValueError as error:
                found, why = None, f"Pinocchio: {str(error).splitlines()[0]}"
            name = path.relative_to(arguments.package)
            if found is None:
                print(f"refused  {name}: {why}", flush=True)
                continue
            imported += 1
            worst = max(worst, found)
            if not found <= TOLERANCE:
                failed = True
                print(f"differs  {name}: {found:.1e}", flush=True)
        base = "floating" if is_floating else "fixed"
        print(f"{base}: {imported} of {len(files)} imported, largest deviation {worst:.1e}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
