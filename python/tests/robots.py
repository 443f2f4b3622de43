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
