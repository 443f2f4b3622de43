"""Serial chains of hinges as data, for MuJoCo and for `pinocchio.cpp`."""

import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass
class Link:
    """A link, its place in the link before it, and where its hinge, which turns about z, stands first."""

    place: np.ndarray
    rotation: np.ndarray
    mass: float
    center: np.ndarray
    inertia: np.ndarray  # about the centre of mass
    angle: float


@dataclass
class Chain:
    gravity: np.ndarray
    links: list[Link]

    def text(self):
        """As `pinocchio.cpp` reads it."""
        numbers = [*self.gravity]
        for link in self.links:
            numbers += [*link.place, *link.rotation.ravel(), link.mass, *link.center, *link.inertia.ravel(), link.angle, 0]
        return f"{len(self.links)}\n" + " ".join(f"{x:.17g}" for x in numbers) + "\n"

    def mjcf(self, integrator, step):
        """As MuJoCo reads it, with nothing but its hinges: no contacts, no limits, no actuators."""
        def row(values):
            return " ".join(f"{x:.17g}" for x in values)

        before, after = "", ""
        for link in self.links:
            i = link.inertia
            full = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
            axes = row([*link.rotation[:, 0], *link.rotation[:, 1]])
            before += (f'<body pos="{row(link.place)}" xyaxes="{axes}"><joint type="hinge" axis="0 0 1"/>'
                       f'<inertial mass="{link.mass:.17g}" pos="{row(link.center)}" fullinertia="{row(full)}"/>')
            after += "</body>"
        return (f'<mujoco><compiler angle="radian"/><option timestep="{step}" gravity="{row(self.gravity)}" '
                f'integrator="{integrator}"><flag constraint="disable"/></option>'
                f"<worldbody>{before}{after}</worldbody></mujoco>")


def planar_chain(count, length=0.1, mass=0.05):
    """Let go from a horizontal line, as in `benches/chains.rs`."""
    inertia = np.diag([1e-9, mass * length**2 / 12, mass * length**2 / 12])
    links = [Link(np.array([length if k else 0.0, 0, 0]), np.eye(3), mass, np.array([length / 2, 0, 0]), inertia, 0.0)
             for k in range(count)]
    return Chain(np.array([0, -9.81, 0]), links)


def arm(urdf: Path):
    """The links of a description in URDF whose joints turn about z, at angles of 0.1, 0.2, ... rad."""
    robot = xml.parse(urdf).getroot()

    def numbers(element, name):
        return np.array([float(x) for x in element.get(name).split()])

    def roll(origin):
        roll, *others = numbers(origin, "rpy")
        assert others == [0, 0]
        c, s = np.cos(roll), np.sin(roll)
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])

    links = []
    bodies = {link.get("name"): link.find("inertial") for link in robot.iter("link")}
    for joint in robot.iter("joint"):
        assert list(numbers(joint.find("axis"), "xyz")) == [0, 0, 1]
        origin, body = joint.find("origin"), bodies[joint.find("child").get("link")]
        moments = {name: float(value) for name, value in body.find("inertia").items()}
        inertia = np.array([[moments["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
        assert not roll(body.find("origin"))[1, 2]
        links.append(Link(numbers(origin, "xyz"), roll(origin), float(body.find("mass").get("value")),
                          numbers(body.find("origin"), "xyz"), inertia, 0.1 * (len(links) + 1)))
    return Chain(np.array([0, 0, -9.81]), links)
