#!/usr/bin/env python3
"""Robots of the package `example-robot-data` with what Pinocchio says of them, as `import/tests/robots.rs` reads them.

Needs `pip install pin` and the unpacked wheel: `pip download example-robot-data==6.0.0 --no-deps`, which is a zip. Writes
`import/tests/robots`: of every description links with their inertias and joints with their frames, axes and limits, without
shapes, dampings and `mimic`; beside it, for a fixed and for a floating base, a file of little-endian doubles, state after
state: q, v, the upper triangle of the mass matrix row by row, and the nonlinear effects, as Pinocchio orders them. Licences
are those of the package and of the folders of robots that have their own.
"""

import argparse
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin

FOLDER = Path(__file__).resolve().parents[2] / "import" / "tests" / "robots"
STATES = 2
SEED = 27
# Below `robots` of the package.
ROBOTS = [
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "so_arm_description/urdf/so100.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "kinova_description/robots/kinova.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "hector_description/robots/quadrotor_base.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "solo_description/robots/solo12.urdf",
    "go2_description/urdf/go2.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "baxter_description/urdf/baxter.urdf",
    "human_description/robots/human.urdf",
]
KEPT = {
    "robot": {"link", "joint"},
    "link": {"inertial"},
    "inertial": {"origin", "mass", "inertia"},
    "joint": {"origin", "axis", "parent", "child", "limit"},
}


def reduced(path):
    """The description with what matters."""
    root = ET.parse(path).getroot()
    ahead = [root]
    while ahead:
        element = ahead.pop()
        for child in list(element):
            if child.tag in KEPT.get(element.tag, set()):
                ahead.append(child)
            else:
                element.remove(child)
        element.text = element.tail = None
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode") + "\n"


def values(text, is_floating, generator):
    """States and what Pinocchio says there; nothing where nothing moves."""
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()) if is_floating else pin.buildModelFromXML(text)
    if model.nv == 0:
        return np.array([])
    data, rows = model.createData(), []
    for _ in range(STATES):
        q, v = pin.neutral(model), generator.uniform(-3, 3, model.nv)
        for joint in model.joints[1:]:
            angle = generator.uniform(-3, 3)
            if joint.nq == 1:
                q[joint.idx_q] = angle
            elif joint.nq == 2:
                q[joint.idx_q:joint.idx_q + 2] = np.cos(angle), np.sin(angle)
            else:
                q[:3] = generator.uniform(-3, 3, 3)
                q[3:7] = generator.normal(size=4)
                q[3:7] /= np.linalg.norm(q[3:7])
        mass = pin.crba(model, data, q)
        rows += [q, v, mass[np.triu_indices(model.nv)], pin.nonLinearEffects(model, data, q, v)]
    return np.concatenate(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path, help="the unpacked wheel")
    package = parser.parse_args().package
    generator = np.random.default_rng(SEED)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    robots = package / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    shutil.copy(next(package.glob("*.dist-info/licenses/LICENSE")), FOLDER / "LICENSE")
    names = []
    for path in ROBOTS:
        name, text = Path(path).stem, reduced(robots / path)
        (FOLDER / f"{name}.urdf").write_text(text)
        for base, is_floating in [("fixed", False), ("floating", True)]:
            row = values(text, is_floating, generator)
            if row.size:
                row.astype("<f8").tofile(FOLDER / f"{name}.{base}.f64")
        licence = robots / path.split("/")[0] / "LICENSE"
        if licence.exists():
            shutil.copy(licence, FOLDER / f"{name}.LICENSE")
        names.append(f"| `{name}` | `robots/{path}` | {'`' + name + '.LICENSE`' if licence.exists() else '`LICENSE`'} |")
    (FOLDER / "README.md").write_text(f"""# Robots

Descriptions of the package `example-robot-data` 6.0.0, reduced to links with their inertias and joints with their frames, axes and limits; shapes, dampings and `mimic` are left out.
Beside them are values that Pinocchio {pin.__version__} computes, for a fixed and for a floating base.
`benches/peers/robot_values.py` writes this folder and says what the files contain; `import/tests/robots.rs` reads them.

| robot | description in the package | licence |
|---|---|---|
""" + "\n".join(names) + "\n")


if __name__ == "__main__":
    main()
