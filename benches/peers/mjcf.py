#!/usr/bin/env python3
"""Whether robots in MJCF move as MuJoCo says: random ones, and the files that are named.

Needs `pip install mujoco`. Mass matrix and bias are compared at random states, relative to their largest entries; forces of
springs, dampers and actuators without control are part of ours. MuJoCo's free joints move with the velocity in the axes of
the ground, ours in those of the body. The inertia of rotors
(`armature`) of joints with several coordinates, which models do not have, is taken out.
`--program` names another build of the example `values` of `hamel-import`, which is otherwise built. `--keep FOLDER` writes the
random ones there; with `--record` also what MuJoCo says, as `import/tests/mujoco` has it (`--random 8`).
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
STATES = 5
TOLERANCE = 1e-11
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
SEED = 20261125


def numbers(values):
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


class Writer:
    """A tree with everything that is read, by chance."""

    def __init__(self, generator, radians, copies=False):
        self.r, self.radians, self.copies = generator, radians, copies
        # Numbers of copies stand behind names, and shall not make others of them.
        self.end = "q" if copies else ""
        self.bodies = self.joints = 0
        self.actuators = []

    def angle(self, size=3.0):
        value = self.r.uniform(-size, size)
        return value if self.radians else np.degrees(value)

    def orientation(self):
        way = self.r.integers(7)
        vector = self.r.normal(size=3)
        return [
            "",
            f'quat="{numbers(self.r.normal(size=4))}"',
            f'euler="{numbers([self.angle() for _ in range(3)])}"',
            f'axisangle="{numbers([*vector, self.angle()])}"',
            f'zaxis="{numbers(vector)}"',
            f'xyaxes="{numbers(self.r.normal(size=6))}"',
            'zaxis="0 0 -2"',
        ][way]

    def pos(self):
        return f'pos="{numbers(self.r.uniform(-0.5, 0.5, 3))}"'

    def inertial(self):
        mass = self.r.uniform(0.5, 3)
        a, b, c = self.r.uniform(0.05, 0.3, 3)
        if self.r.integers(2):
            return f'<inertial {self.pos()} {self.orientation()} mass="{mass}" diaginertia="{b + c} {a + c} {a + b}"/>'
        q, _ = np.linalg.qr(self.r.normal(size=(3, 3)))
        m = q @ np.diag([b + c, a + c, a + b]) @ q.T
        full = [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]
        return f'<inertial {self.pos()} mass="{mass}" fullinertia="{numbers(full)}"/>'

    def geom(self):
        kind = self.r.choice(["sphere", "capsule", "cylinder", "ellipsoid", "box", ""])
        weight = self.r.choice(["", f'mass="{self.r.uniform(0.1, 2)}"', f'density="{self.r.uniform(100, 3000)}"'])
        size = self.r.uniform(0.05, 0.3, 3)
        named = f'type="{kind}"' if kind else ""
        if kind in ("capsule", "cylinder", "ellipsoid", "box") and self.r.integers(2):
            where = f'fromto="{numbers(self.r.uniform(-0.5, 0.5, 6))}"'
            size = size[:1]
        else:
            where = f"{self.pos()} {self.orientation()}"
        shapes = f'<geom {named} size="{numbers(size)}" {where} {weight} class="{self.r.choice(["light", "heavy"])}"/>'
        return f"<frame {self.pos()} {self.orientation()}>{shapes}</frame>" if self.r.integers(4) == 0 else shapes

    def joint(self):
        self.joints += 1
        name, kind = f"j{self.joints}{self.end}", self.r.choice(["hinge", "hinge", "slide", "ball"])
        parts = [f'name="{name}" type="{kind}" {self.pos()}']
        if kind != "ball":
            parts.append(f'axis="{numbers(self.r.normal(size=3))}"')
            if self.r.integers(3) == 0:
                parts.append(f'ref="{self.angle(0.5) if kind == "hinge" else 0.1}"')
            if self.r.integers(3) == 0:
                parts.append(f'stiffness="{self.r.uniform(1, 5)}" springref="{self.angle(0.5) if kind == "hinge" else 0.2}"')
            if self.r.integers(2) == 0:
                parts.append('class="damped"')
            if self.r.integers(3) == 0:
                parts.append(f'armature="{self.r.uniform(0.1, 1)}"')
            if self.r.integers(2) == 0:
                self.actuators.append(self.actuator(name))
        elif self.r.integers(2):
            parts.append(f'damping="{self.r.uniform(0.1, 1)}"')
        return f"<joint {' '.join(parts)}/>"

    def actuator(self, joint):
        name = f'name="a{len(self.actuators)}{self.end}" joint="{joint}" gear="{self.r.uniform(0.5, 3)}"'
        return [
            f"<motor {name}/>",
            f'<position {name} kp="{self.r.uniform(1, 5)}" kv="{self.r.uniform(0.1, 1)}"/>',
            f'<velocity {name} kv="{self.r.uniform(0.1, 1)}"/>',
            f'<general {name} biastype="affine" gainprm="2" biasprm="0.3 -1.5 -0.2"/>',
        ][self.r.integers(4)]

    def body(self, depth, is_free=False):
        self.bodies += 1
        name = f"b{self.bodies}{self.end}"
        if is_free:
            joints = [f'<freejoint name="f{self.bodies}{self.end}"/>']
        else:
            joints = [self.joint() for _ in range(self.r.choice([0, 1, 1, 1, 2, 3]) if depth else 1)]
        # Two balls, or sliders along what balls turn, would leave motions without inertia.
        if '"ball"' in "".join(joints):
            joints = [joint for joint in joints if '"ball"' in joint][:1]
        weight = self.inertial() if self.r.integers(2) else "".join(self.geom() for _ in range(self.r.integers(1, 4)))
        inner = "".join(self.body(depth + 1) for _ in range(self.r.integers(0, 3)) if depth < 3)
        own = f'<body name="{name}" {self.pos()} {self.orientation()}>{"".join(joints)}{weight}{inner}' \
            f'<site name="s_{name}" {self.pos()}/></body>'
        if self.copies and depth < 2 and self.r.integers(2) == 0:
            own = self.replicate(own)
        wrapped = not is_free and self.r.integers(4) == 0
        return f"<frame {self.pos()} {self.orientation()}>{own}</frame>" if wrapped else own

    def replicate(self, own):
        count, separator = self.r.choice([1, 2, 3]), self.r.choice(["", 'sep="_"', 'sep="-x"'])
        offset = self.r.choice(["", f'offset="{numbers(self.r.uniform(-1, 1, 3))}"'])
        euler = self.r.choice(["", f'euler="{numbers([self.angle() for _ in range(3)])}"'])
        own = f'<replicate count="{count}" {separator} {offset} {euler}>{own}</replicate>'
        return self.replicate(own) if self.r.integers(4) == 0 else own

    def model(self):
        bodies = self.body(0, is_free=bool(self.r.integers(2))) + self.body(0)
        sequence = self.r.choice(["xyz", "XYZ", "zyx", "xZy", "ZXZ"])
        gravity = numbers(self.r.normal(size=3) * 5)
        self.actuators = [act for act in self.actuators if f'name="{act.split(chr(34))[3]}"' in bodies]
        return f"""<mujoco model="random">
<compiler angle="{'radian' if self.radians else 'degree'}" eulerseq="{sequence}"/>
<option gravity="{gravity}"/>
<default><geom density="700"/>
<default class="light"><geom density="300"/><default class="heavy"><geom type="box"/></default></default>
<default class="damped"><joint damping="0.3" range="-1 1"/></default></default>
<worldbody>{bodies}</worldbody>
<actuator>{''.join(self.actuators)}</actuator>
</mujoco>"""


def word(model, joint):
    """The name of a joint as models have it, without what tells it from the names of others."""
    body = model.jnt_bodyid[joint]
    of_body = model.body(body).name
    several = f"_joint{joint - model.body_jntadr[body] + 1}" if model.body_jntnum[body] > 1 else ""
    return re.sub(r"[^A-Za-z0-9_]", "_", model.joint(joint).name or of_body + several)


def maps(model, coordinates, velocities):
    """Of each of our channels the place among MuJoCo's."""
    known = {word(model, joint): joint for joint in range(model.njnt)}
    ours = {channel.rsplit(".", 1)[0] for channel in coordinates}
    # A joint without a name, in a body without one.
    (unnamed, others) = (ours - known.keys() - {f"{name}_joint" for name in known}, set(known) - ours)
    others -= {name.removesuffix("_joint") for name in ours}
    if len(unnamed) == len(others) == 1:
        known[unnamed.pop()] = known[others.pop()]
    found = []
    for channels, starts, names in [
        (coordinates, model.jnt_qposadr, {"x": 0, "y": 1, "z": 2, "e0": 3, "e1": 4, "e2": 5, "e3": 6}),
        (velocities, model.jnt_dofadr, {"v_x": 0, "v_y": 1, "v_z": 2, "omega_x": 3, "omega_y": 4, "omega_z": 5}),
    ]:
        places = []
        for channel in channels:
            name, component = channel.rsplit(".", 1)
            joint = known.get(name, known.get(name.removesuffix("_joint"), -1))
            if joint < 0:
                raise ValueError(f"there is no joint `{name}`")
            offset = 3 if model.jnt_type[joint] == BALL else 0
            places.append(starts[joint] + names.get(component, offset) - offset)
        found.append(places)
    return found


def expected(model, data, q, v):
    """Mass matrix and nonlinear effects with free joints that move in the axes of their bodies."""
    turn, carried = np.eye(model.nv), np.zeros(model.nv)
    for joint in range(model.njnt):
        if model.jnt_type[joint] == FREE:
            at, first = model.jnt_qposadr[joint], model.jnt_dofadr[joint]
            rotation = np.zeros(9)
            mujoco.mju_quat2Mat(rotation, q[at + 3:at + 7])
            rotation = rotation.reshape(3, 3)
            turn[first:first + 3, first:first + 3] = rotation
            carried[first:first + 3] = rotation @ np.cross(v[first + 3:first + 6], v[first:first + 3])
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, turn @ v, 0
    mujoco.mj_forward(model, data)
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass) if mujoco.__version__ >= "3.6" else mujoco.mj_fullM(model, mass, data.qM)
    several = np.isin(model.jnt_type[model.dof_jntid], [FREE, BALL])
    mass -= np.diag(np.where(several, model.dof_armature, 0.0))
    effects = data.qfrc_bias - data.qfrc_passive - data.qfrc_actuator + mass @ carried
    return turn.T @ mass @ turn, turn.T @ effects


def deviation(path, program, generator, record=None):
    """Largest relative deviation of M and of the nonlinear effects from MuJoCo's; writes states and values to a file."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    # What is left out with a word about it: ranges of forces, the fluid, weights that are carried, tendons, actuators that
    # act on others than joints or have states.
    on_joints = model.actuator_trntype == mujoco.mjtTrn.mjTRN_JOINT
    is_read = on_joints & (model.actuator_dyntype == mujoco.mjtDyn.mjDYN_NONE)
    model.actuator_gainprm[~is_read] = model.actuator_biasprm[~is_read] = 0
    model.actuator_forcelimited[:] = model.jnt_actfrclimited[:] = 0
    model.opt.density = model.opt.viscosity = 0
    model.body_gravcomp[:] = model.tendon_stiffness[:] = model.tendon_damping[:] = 0
    data = mujoco.MjData(model)
    first = subprocess.run([program, str(path)], input="", capture_output=True, text=True)
    if first.returncode != 0:
        return None, first.stderr.strip()
    coordinates, velocities = [line.split() for line in first.stdout.splitlines()[:2]]
    q_places, v_places = maps(model, coordinates, velocities)
    if sorted(v_places) != list(range(model.nv)):
        return None, "its joints are not MuJoCo's"
    states, wanted = [], []
    for _ in range(STATES):
        q, v = generator.uniform(-1, 1, model.nq), generator.uniform(-2, 2, model.nv)
        for joint in range(model.njnt):
            at = model.jnt_qposadr[joint] + (3 if model.jnt_type[joint] == FREE else 0)
            if model.jnt_type[joint] in (FREE, BALL):
                q[at:at + 4] = generator.normal(size=4)
                q[at:at + 4] /= np.linalg.norm(q[at:at + 4])
        mass, effects = expected(model, data, q, v)
        wanted.append((mass[np.ix_(v_places, v_places)], effects[v_places]))
        # Ours are counted from the reference position.
        shift = np.zeros(model.nq)
        for joint in range(model.njnt):
            if model.jnt_type[joint] not in (FREE, BALL):
                shift[model.jnt_qposadr[joint]] = model.qpos0[model.jnt_qposadr[joint]]
        states.append([*(q - shift)[q_places], *v[v_places]])
    if record is not None:
        rows = [numbers([*state, *mass.ravel(), *effects]) for state, (mass, effects) in list(zip(states, wanted))[:2]]
        record.write_text("\n".join([" ".join(coordinates), " ".join(velocities), *rows]) + "\n")
    lines = "\n".join(" ".join(repr(float(value)) for value in state) for state in states)
    answers = subprocess.run([program, str(path)], input=lines + "\n", capture_output=True, text=True, check=True)
    worst = 0.0
    for line, (mass, effects) in zip(answers.stdout.splitlines()[3:], wanted, strict=True):
        values, n = np.array([float(value) for value in line.split()]), model.nv
        for found, known in [(values[:n * n].reshape(n, n), mass), (values[n * n:], effects)]:
            if not np.isfinite(found).all():
                return np.inf, ""
            worst = max(worst, float(np.abs(found - known).max() / (np.abs(known).max() or 1.0)))
    return worst, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="*", help="descriptions")
    parser.add_argument("--random", type=int, default=40, help="how many random ones")
    parser.add_argument("--copies", action="store_true", help="let random ones have `replicate`s")
    parser.add_argument("--program", type=Path, help="a build of the example `values`")
    parser.add_argument("--keep", type=Path, help="where random ones are written")
    parser.add_argument("--record", action="store_true", help="write the values of random ones beside them, as tests read them")
    arguments = parser.parse_args()
    program = arguments.program
    if program is None:
        build = ["cargo", "build", "--release", "-p", "hamel-import", "--example", "values"]
        subprocess.run(build, check=True, cwd=ROOT)
        target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
        program = target / "release" / "examples" / "values"
    generator = np.random.default_rng(SEED)
    failed, worst, compared = False, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = arguments.keep or Path(folder)
        paths = list(arguments.files)
        for k in range(arguments.random):
            path = folder / f"{'copies' if arguments.copies else 'random'}{k}.xml"
            path.write_text(Writer(generator, bool(k % 2), arguments.copies).model())
            paths.append(path)
        for path in paths:
            record = path.with_suffix(".values") if arguments.record else None
            found, why = deviation(path, program, generator, record)
            if found is None:
                failed = True
                print(f"refused  {path}: {why}", flush=True)
                continue
            compared, worst = compared + 1, max(worst, found)
            if not found <= TOLERANCE:
                failed = True
                print(f"differs  {path}: {found:.1e}", flush=True)
    print(f"{compared} of {len(paths)} compared, largest deviation {worst:.1e}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
