#!/usr/bin/env python3
"""Whether robots in SDFormat move as Drake says: random ones, and the files that are named.

Needs `pip install drake`. Mass matrix and nonlinear effects, with dampers and springs, are compared at random states,
relative to their largest entries. What no joint connects with the world moves freely. Drake's free bodies move with
velocities in the axes of the ground, ours in those of the body; its ball joints have roll, pitch and yaw. Joints that
follow others are joints of their own in Drake, and are eliminated here.
`--program` names another build of the example `values` of `hamel-import`, which is otherwise built. `--keep FOLDER` writes the
random ones there; with `--record` also what Drake says, as `import/tests/drake` has it (`--random 8`).
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

ROOT = Path(__file__).resolve().parents[2]
STATES = 5
TOLERANCE = 1e-11
SEED = 20261125


def numbers(values):
    return " ".join(repr(float(value)) for value in np.atleast_1d(values))


class Writer:
    """A model with everything that is read, by chance."""

    def __init__(self, generator, minor):
        self.r, self.minor = generator, minor

    def pose(self, relative=(), way=None):
        at, angles = self.r.uniform(-0.5, 0.5, 3), self.r.uniform(-3, 3, 3)
        base = ""
        if relative and self.minor >= 7 and self.r.integers(2):
            base = f' relative_to="{self.r.choice(relative)}"'
        way = self.r.integers(5) if way is None else way
        if way == 0:
            return ""
        if way == 1:
            return f"<pose{base}>{numbers(at)} 0 1.5707963267948966 0</pose>"
        if way == 2 and self.minor >= 9:
            return f'<pose{base} degrees="true">{numbers(at)} {numbers(np.degrees(angles))}</pose>'
        if way == 3 and self.minor >= 9:
            turn = self.r.normal(size=4)
            turn /= np.linalg.norm(turn)
            return f'<pose{base} rotation_format="quat_xyzw">{numbers(at)} {numbers(turn)}</pose>'
        return f"<pose{base}>{numbers(at)} {numbers(angles)}</pose>"

    def inertial(self):
        way = self.r.integers(6)
        if way == 0:
            return ""
        if way == 1 and self.minor >= 11:
            shapes = [f"<box><size>{numbers(self.r.uniform(0.1, 0.4, 3))}</size></box>",
                      f"<sphere><radius>{self.r.uniform(0.1, 0.3)}</radius></sphere>",
                      f"<cylinder><radius>{self.r.uniform(0.1, 0.3)}</radius><length>0.4</length></cylinder>",
                      f"<capsule><radius>{self.r.uniform(0.1, 0.3)}</radius><length>0.4</length></capsule>",
                      f"<ellipsoid><radii>{numbers(self.r.uniform(0.1, 0.4, 3))}</radii></ellipsoid>"]
            parts = "".join(
                f'<collision name="c{k}">{self.pose(way=4)}{self.r.choice(["", "<density>300</density>"])}'
                f"<geometry>{self.r.choice(shapes)}</geometry></collision>" for k in range(self.r.integers(1, 3)))
            density = self.r.choice(["", "<density>500</density>"])
            return f'<inertial auto="true">{density}</inertial>{parts}'
        a, b, c = self.r.uniform(0.05, 0.3, 3)
        q, _ = np.linalg.qr(self.r.normal(size=(3, 3)))
        m = q @ np.diag([b + c, a + c, a + b]) @ q.T
        entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        inertia = "".join(f"<{name}>{float(m[entry])!r}</{name}>" for name, entry in entries.items())
        mass = self.r.uniform(0.5, 3)
        return f"<inertial>{self.pose()}<mass>{mass}</mass><inertia>{inertia}</inertia></inertial>"

    def axis(self, name, frames, kind, vector=None):
        vector = self.r.normal(size=3) if vector is None else vector
        expressed, old = "", ""
        if self.r.integers(3) == 0 and not name.endswith("2") and kind != "universal":
            if self.minor >= 7:
                expressed = f' expressed_in="{self.r.choice(["__model__", *frames])}"'
            else:
                old = "<use_parent_model_frame>1</use_parent_model_frame>"
        limit = self.r.choice(["", "<limit><lower>-1</lower><upper>2</upper></limit>",
                               "<limit><lower>-1e16</lower><upper>1e16</upper><effort>7</effort></limit>"])
        dynamics = ""
        if self.r.integers(2):
            dynamics = f"<damping>{self.r.uniform(0.1, 1)}</damping>"
            if kind in ("revolute", "prismatic") and self.r.integers(2):
                dynamics += f"<spring_stiffness>{self.r.uniform(1, 5)}</spring_stiffness><spring_reference>0.3</spring_reference>"
            dynamics = f"<dynamics>{dynamics}</dynamics>"
        return f"<{name}><xyz{expressed}>{numbers(vector)}</xyz>{old}{limit}{dynamics}@</{name}>"

    def joint(self, name, parent, child, frames, leaders, is_reversed=False):
        kinds = ["revolute", "revolute", "prismatic", "continuous", "fixed"]
        # Drake turns no other joints round.
        if not is_reversed:
            kinds += ["ball", "universal"] + (["screw"] if self.minor >= 10 else [])
        kind = self.r.choice(kinds)
        axes, more = "", ""
        if kind == "universal":
            # Drake takes axes at right angles; the second damping it takes from the first.
            q, _ = np.linalg.qr(self.r.normal(size=(3, 3)))
            axes = f"<axis><xyz>{numbers(q[0])}</xyz></axis><axis2><xyz>{numbers(q[1])}</xyz></axis2>"
        elif kind not in ("ball", "fixed"):
            axes = self.axis("axis", frames, kind)
            mimic = ""
            if leaders and self.minor >= 11 and kind in ("revolute", "prismatic") and self.r.integers(3) == 0:
                mimic = f'<mimic joint="{self.r.choice(leaders)}" axis="axis"><multiplier>{self.r.uniform(-2, 2)}</multiplier>' \
                    "<offset>0.2</offset><reference>0.1</reference></mimic>"
            elif kind in ("revolute", "prismatic"):
                leaders.append(name)
            axes = axes.replace("@", mimic)
        if axes and kind != "universal" and self.r.integers(4) == 0:
            more = f"<drake:rotor_inertia>{self.r.uniform(0.01, 0.1)}</drake:rotor_inertia><drake:gear_ratio>4</drake:gear_ratio>"
        if kind == "screw":
            more += f"<screw_thread_pitch>{self.r.uniform(-0.5, 0.5)}</screw_thread_pitch>"
        return f'<joint name="{name}" type="{kind}">{self.pose(frames)}<parent>{parent}</parent><child>{child}</child>{axes}{more}</joint>'

    def model(self, name, depth=0, around=()):
        parts, links, frames, leaders, joints = [], [], [], [], 0
        grounded = depth == 0 and self.r.integers(3) > 0
        for k in range(self.r.integers(2, 5)):
            links.append(f"l{k}")
            parts.append(f'<link name="l{k}">{self.pose(frames)}{self.inertial()}</link>')
            place = frames + [f"l{k}"]
            if self.minor >= 7 and self.r.integers(2):
                attached = self.r.choice(links)
                parts.append(f'<frame name="f{k}" attached_to="{attached}">{self.pose(place)}</frame>')
                place.append(f"f{k}")
            if k == 0:
                if grounded:
                    parts.append(self.joint("j0", "world", "l0", place, leaders))
            else:
                # A frame as a parent means the link that it is attached to, which must not be the child.
                parent = self.r.choice(links[:-1])
                if self.minor >= 8 and frames and self.r.integers(2):
                    parent = self.r.choice(frames)
                # Parent and child may be named the other way round; Drake then has a base of its own choice, if it is free.
                is_reversed = grounded and parent.startswith("l") and self.r.integers(4) == 0
                ends = (f"l{k}", parent) if is_reversed else (parent, f"l{k}")
                parts.append(self.joint(f"j{k}", *ends, frames or place, leaders, is_reversed))
            frames = place
        if self.minor >= 8 and depth < 2 and self.r.integers(2):
            placed = self.r.choice(["", ' placement_frame="l1"'])
            inner = self.model(f"m{depth}", depth + 1, frames)
            parts.append(inner.replace(f'<model name="m{depth}">', f'<model name="m{depth}"{placed}>', 1))
            parts.append(self.joint(f"k{depth}", self.r.choice(links), f"m{depth}::l0", frames, leaders))
        return f'<model name="{name}">{self.pose(around)}{"".join(parts)}</model>'

    def file(self):
        inner = self.model("robot")
        if self.r.integers(2):
            fixed = f'<model name="table"><static>true</static><link name="top"/></model>' if self.r.integers(2) else ""
            inner = f'<world name="w"><gravity>{numbers(self.r.normal(size=3) * 5)}</gravity>{inner}{fixed}</world>'
        text = f'<sdf version="1.{self.minor}" xmlns:drake="http://drake.mit.edu">{inner}</sdf>'
        return text.replace("@", "")


def followers(path, has_several):
    """Joints that follow others, with what their coordinates are: multiplier, leader and offset."""
    found = {}

    def walk(element, prefix):
        for child in element:
            if child.tag == "model":
                is_only = element.tag in ("sdf", "world") and not has_several
                walk(child, "" if is_only else f"{prefix}{child.get('name')}::")
            mimic = child.find("axis/mimic") if child.tag == "joint" else None
            if mimic is not None:
                value = {name: float(mimic.findtext(name, default)) for name, default in
                         [("multiplier", "1"), ("offset", "0"), ("reference", "0")]}
                offset = value["offset"] - value["multiplier"] * value["reference"]
                found[prefix + child.get("name")] = (value["multiplier"], prefix + mimic.get("joint"), offset)

    root = xml.parse(path).getroot()
    for top in [root, *root.findall("world")]:
        walk(top, "")
    return found


def spelled(name):
    return name.replace("::", "__").replace("-", "_").replace(" ", "_")


class Peer:
    """The same robot in Drake."""

    def __init__(self, path):
        self.plant = plant = MultibodyPlant(0.0)
        Parser(plant).AddModels(str(path))
        world = xml.parse(path).getroot().find("world")
        # Drake takes no gravity from worlds.
        gravity = [0, 0, -9.81] if world is None else np.fromstring(world.findtext("gravity", "0 0 -9.8"), sep=" ")
        plant.mutable_gravity_field().set_gravity_vector(gravity)
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        # The name of the only model on the ground is left out.
        several = len({plant.GetModelInstanceName(k).split("::")[0] for k in self.instances()}) > 1
        self.names = {}
        free = [joint for joint in self.joints() if "floating" in joint.type_name()]
        for joint in self.joints():
            parts = plant.GetModelInstanceName(joint.model_instance()).split("::")
            parts = parts if several else parts[1:]
            name = "::".join([*parts, joint.name()])
            self.names[("base" if len(free) == 1 else f"{name}_base") if joint in free else name] = joint
        self.followers = followers(path, several)

    def instances(self):
        from pydrake.multibody.tree import ModelInstanceIndex
        return [ModelInstanceIndex(k) for k in range(2, self.plant.num_model_instances())]

    def joints(self):
        return [self.plant.get_joint(index) for index in self.plant.GetJointIndices()]

    def coordinate(self, values, name):
        """The coordinate of a joint that has one."""
        if name in self.followers:
            multiplier, leader, offset = self.followers[name]
            return multiplier * self.coordinate(values, leader) + offset
        joint = spelled(name)
        return values.get(f"{joint}.angle", values.get(f"{joint}.displacement"))

    def row(self, places, name):
        """The rate of a coordinate, as multiples of our velocities."""
        if name in self.followers:
            multiplier, leader, _ = self.followers[name]
            return multiplier * self.row(places, leader)
        joint, row = spelled(name), np.zeros(len(places))
        row[places.get(f"{joint}.angle", places.get(f"{joint}.displacement"))] = 1
        return row

    def values(self, coordinates, velocities, q, v):
        """Mass matrix and nonlinear effects in our velocities."""
        plant, n = self.plant, len(velocities)
        values, places = dict(zip(coordinates, q)), {name: k for k, name in enumerate(velocities)}
        turn, carried = np.zeros((plant.num_velocities(), n)), np.zeros(plant.num_velocities())
        theirs = np.zeros(plant.num_positions())
        for name, joint in self.names.items():
            if joint.num_velocities() == 0:
                continue
            # Drake counts a joint to the model of its child, which may stand in the one that describes it.
            parts = name.split("::")
            while name not in self.followers and len(parts) > 1 and not any(
                known.startswith((spelled(name) + ".", spelled(name) + "_axis.")) for known in coordinates
            ):
                del parts[-2]
                name = "::".join(parts)
            at, first, own = joint.position_start(), joint.velocity_start(), spelled(name)
            kind = joint.type_name()
            if "floating" in kind or kind == "ball_rpy":
                quaternion = [values[f"{own}.e{k}"] for k in range(4)]
                rotation = RotationMatrix(Quaternion(quaternion)).matrix()
                omega = [places[f"{own}.omega_{axis}"] for axis in "xyz"]
            if "floating" in kind:
                theirs[at:at + 4], theirs[at + 4:at + 7] = quaternion, [values[f"{own}.{axis}"] for axis in "xyz"]
                linear = [places[f"{own}.v_{axis}"] for axis in "xyz"]
                turn[first:first + 3, omega] = rotation
                turn[first + 3:first + 6, linear] = rotation
                carried[first + 3:first + 6] = rotation @ np.cross(v[omega], v[linear])
            elif kind == "ball_rpy":
                # Ours turns the axes of the child's link, which its frame is turned in.
                frame = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
                own_turn = frame.T @ rotation @ frame
                theirs[at:at + 3] = RollPitchYaw(RotationMatrix(own_turn)).vector()
                turn[first:first + 3, omega] = own_turn @ frame.T
            elif kind == "universal":
                for k, axis in enumerate(["axis", "axis2"]):
                    theirs[at + k] = values[f"{own}_{axis}.angle"]
                    turn[first + k, places[f"{own}_{axis}.angle"]] = 1
            else:
                theirs[at] = self.coordinate(values, name)
                turn[first] = self.row(places, name)
        plant.SetPositions(self.context, theirs)
        plant.SetVelocities(self.context, turn @ v)
        mass = plant.CalcMassMatrix(self.context)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(self.context, forces)
        effects = plant.CalcInverseDynamics(self.context, carried, forces)
        return turn.T @ mass @ turn, turn.T @ effects


def deviation(path, program, generator, record=None):
    """Largest relative deviation of M and of the nonlinear effects from Drake's; writes states and values to a file."""
    first = subprocess.run([program, str(path), "--floating"], input="", capture_output=True, text=True)
    if first.returncode != 0:
        return None, first.stderr.strip()
    peer = Peer(path)
    coordinates, velocities = [line.split() for line in first.stdout.splitlines()[:2]]
    states, wanted = [], []
    for _ in range(STATES):
        q, v = generator.uniform(-1, 1, len(coordinates)), generator.uniform(-2, 2, len(velocities))
        for place in [k for k, name in enumerate(coordinates) if name.endswith(".e0")]:
            q[place:place + 4] = generator.normal(size=4)
            q[place:place + 4] /= np.linalg.norm(q[place:place + 4])
        wanted.append(peer.values(coordinates, velocities, q, v))
        states.append([*q, *v])
    if record is not None:
        rows = [numbers([*state, *mass.ravel(), *effects]) for state, (mass, effects) in list(zip(states, wanted))[:2]]
        record.write_text("\n".join([" ".join(coordinates), " ".join(velocities), *rows]) + "\n")
    lines = "\n".join(" ".join(repr(float(value)) for value in state) for state in states)
    answers = subprocess.run(
        [program, str(path), "--floating"], input=lines + "\n", capture_output=True, text=True, check=True)
    worst = 0.0
    for line, (mass, effects) in zip(answers.stdout.splitlines()[3:], wanted, strict=True):
        values, n = np.array([float(value) for value in line.split()]), len(velocities)
        for found, known in [(values[:n * n].reshape(n, n), mass), (values[n * n:], effects)]:
            if not np.isfinite(found).all():
                return np.inf, ""
            # Nothing but rounding is compared with what it is the rounding of.
            size = max(np.abs(known).max(), 1e-3 * np.abs(mass).max())
            worst = max(worst, float(np.abs(found - known).max() / size))
    return worst, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="*", help="descriptions")
    parser.add_argument("--random", type=int, default=40, help="how many random ones")
    parser.add_argument("--program", type=Path, help="a build of the example `values`")
    parser.add_argument("--keep", type=Path, help="where random ones are written")
    parser.add_argument("--record", action="store_true", help="write the values of random ones beside them, as tests read them")
    arguments = parser.parse_args()
    logging.getLogger("drake").setLevel(logging.ERROR)
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
            path = folder / f"random{k}.sdf"
            path.write_text(Writer(generator, 5 + k % 7).file())
            paths.append(path)
        for path in paths:
            record = path.with_suffix(".values") if arguments.record else None
            try:
                found, why = deviation(path, program, generator, record)
            except RuntimeError as error:
                found, why = None, f"Drake: {error}"
            if found is None:
                failed = failed or not why.startswith("Drake")
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
