"""Robots in URDF, written here so that the tests need no files."""


def arm(joints: int = 7) -> str:
    """A serial arm whose axes alternate, with centres of mass and inertias that are not aligned."""
    axes = ["0 0 1", "0 1 0", "1 0 0"]
    inertial = '<inertial><mass value="5"/><inertia ixx="0.2" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="0.25"/></inertial>'
    parts = [f'<robot name="arm"><link name="base">{inertial}</link>']
    for i in range(joints):
        parts.append(
            f'<link name="l{i}"><inertial><origin xyz="0.0{i + 1} 0.02 {0.1 + 0.01 * i}" rpy="0 0 0"/>'
            f'<mass value="{4 - 0.4 * i}"/><inertia ixx="{0.05 - 0.005 * i}" ixy="0.001" ixz="0.0005" '
            f'iyy="{0.06 - 0.005 * i}" iyz="0.0007" izz="{0.03 - 0.002 * i}"/></inertial></link>'
        )
        parent = "base" if i == 0 else f"l{i - 1}"
        parts.append(
            f'<joint name="j{i}" type="revolute"><parent link="{parent}"/><child link="l{i}"/>'
            f'<origin xyz="0.01 0 0.2" rpy="0.1 0.2 {0.1 * i}"/><axis xyz="{axes[i % 3]}"/>'
            '<limit lower="-9" upper="9" effort="100" velocity="10"/></joint>'
        )
    return "".join([*parts, "</robot>"])


def branches() -> str:
    """A tree whose joints are of all kinds, named against the order in which they stand, one following another."""

    def link(name: str, mass: float) -> str:
        return (
            f'<link name="{name}"><inertial><origin xyz="0.1 0.02 {0.05 * mass}" rpy="0 0 0"/><mass value="{mass}"/>'
            f'<inertia ixx="{0.05 * mass}" ixy="0.001" ixz="0.0005" iyy="{0.06 * mass}" iyz="0.0007" izz="{0.03 * mass}"/>'
            "</inertial></link>"
        )

    def joint(name: str, kind: str, parent: str, child: str, axis: str, more: str = "") -> str:
        limit = "" if kind in ("continuous", "planar") else '<limit lower="-9" upper="9" effort="100" velocity="10"/>'
        return (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>{limit}{more}</joint>'
        )

    return "".join(
        [
            '<robot name="branches">',
            *(link(name, mass) for name, mass in zip("abcdefg", (3, 2, 1.5, 1, 0.8, 0.6, 0.5))),
            joint("z", "revolute", "a", "b", "0 1 0"),
            joint("y wheel", "continuous", "a", "c", "1 0 0"),
            joint("m", "prismatic", "b", "d", "0 0 1"),
            joint("k", "continuous", "b", "e", "0 1 0"),
            joint("c", "revolute", "d", "f", "1 0 0", '<mimic joint="z" multiplier="-2" offset="0.1"/>'),
            joint("x", "planar", "c", "g", "0 0 1"),
            "</robot>",
        ]
    )
