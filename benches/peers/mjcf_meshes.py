#!/usr/bin/env python3
"""Writes random meshes in MJCF, and what bodies made of them weigh as MuJoCo has it, for `import/src/mjcf/meshes/tests.rs`.

Needs `pip install mujoco`; run as `benches/peers/mjcf_meshes.py import/tests/meshes`. There are balls with dents, rings, prisms
and boxes, in STL, OBJ and written out, closed and open, thin and small, moved, turned, scaled and mirrored, with every
`inertia` that a mesh can have; and solids that stand for meshes. A line of `NAME.values` has the name of a body, its mass,
its centre of mass, and xx, xy, xz, yy, yz and zz of its inertia about that, in the axes of the body.
"""

import struct
import sys
from pathlib import Path

import mujoco
import numpy as np

SEEDS = 5
BODIES = 16


def numbers(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


def grid(rows, columns, place, is_ring):
    """Quadrilaterals over a grid that is closed along its columns, and along its rows if it is a ring."""
    vertices = [place(i, j) for i in range(rows) for j in range(columns)]
    last = rows if is_ring else rows - 1
    at = lambda i, j: i % rows * columns + j % columns
    faces = [[at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)] for i in range(last) for j in range(columns)]
    if not is_ring:
        faces += [[at(0, j) for j in range(columns)], [at(rows - 1, j) for j in reversed(range(columns))]]
    return np.array(vertices), faces


def ball(r, dents):
    def place(i, j):
        polar, turn = np.pi * (i + 0.5) / 5, 2 * np.pi * j / 7
        radius = 1 + dents * r.uniform(-1, 0)
        return radius * np.array([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)])

    vertices, faces = grid(5, 7, place, False)
    # How polygons are cut that are not flat is a choice of each program.
    return vertices, [part for face in faces for part in ([face] if len(face) == 4 else triangles([face]))]


def ring(r):
    thick = r.uniform(0.1, 0.6)

    def place(i, j):
        turn, around = 2 * np.pi * i / 8, -2 * np.pi * j / 5
        out = 1 + thick * np.cos(around)
        return np.array([out * np.cos(turn), out * np.sin(turn), thick * np.sin(around)])

    return grid(8, 5, place, True)


def prism(r):
    """A prism over an outline with a bay, so deep that its centre is outside."""
    d, h = r.uniform(0.05, 0.6), r.uniform(0.1, 1)
    outline = np.array([[0, 0], [1, 0], [1, 1], [1 - d, 1], [1 - d, d], [d, d], [d, 1], [0, 1]])
    vertices = np.array([[x, y, z] for z in (0, h) for x, y in outline])
    base = [[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]]
    sides = [[k, (k + 1) % 8, (k + 1) % 8 + 8, k + 8] for k in range(8)]
    return vertices, [face[::-1] for face in base] + [[k + 8 for k in face] for face in base] + sides


def box(r):
    vertices = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    return vertices, [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def triangles(faces):
    return [[face[0], b, c] for face in faces for b, c in zip(face[1:], face[2:])]


def write(folder, name, vertices, faces, form):
    """A mesh in one of the formats: the attributes that name it."""
    if form == "stl":
        corners = [vertices[face] for face in triangles(faces)]
        body = b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(triangle), 0) for triangle in corners)
        (folder / f"{name}.stl").write_bytes(bytes(80) + struct.pack("<I", len(corners)) + body)
        return f'file="{name}.stl"'
    if form == "obj":
        # In numbers that are the same whoever reads them in single precision.
        vertices = np.round(vertices * 2**16) / 2**16
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces]
        (folder / f"{name}.obj").write_text("\n".join(lines) + "\n")
        return f'file="{name}.obj"'
    face = f' face="{" ".join(str(k) for k in np.ravel(triangles(faces)))}"' if form == "written" else ""
    return f'vertex="{numbers(np.float32(vertices))}"{face}'


def mesh(r, folder, name):
    vertices, faces = [lambda: ball(r, 0), lambda: ball(r, 0.9), lambda: ring(r), lambda: prism(r), lambda: box(r)][
        r.integers(5)]()
    size = r.choice([1.0, 0.2, 0.02]) * r.uniform(0.5, 1, 3)
    if r.integers(4) == 0:
        size[r.integers(3)] *= 1e-3
    q, _ = np.linalg.qr(r.normal(size=(3, 3)))
    vertices = vertices * size @ (q * np.sign(np.linalg.det(q))) + r.choice([0, 0.1, 2]) * r.normal(size=3)
    inertia = r.choice(["", "convex", "exact", "legacy", "shell"])
    form = r.choice(["stl", "obj", "written", "cloud"])
    if r.integers(5) == 0:
        faces = faces[1:]
    if r.integers(6) == 0 and inertia != "exact":
        faces = [face[::-1] for face in faces]
    parts = [f'name="{name}"', write(folder, name, vertices, faces, form)]
    parts += [f'inertia="{inertia}"'] if inertia else []
    parts += [f'scale="{numbers(r.choice([-1, 1], 3) * r.uniform(0.3, 2, 3))}"'] if r.integers(2) else []
    parts += [f'refpos="{numbers(r.normal(size=3))}"'] if r.integers(3) == 0 else []
    parts += [f'refquat="{numbers(r.normal(size=4))}"'] if r.integers(3) == 0 else []
    return f"<mesh {' '.join(parts)}/>"


def geom(r, name):
    kind = "mesh" if r.integers(4) else r.choice(["sphere", "box", "capsule", "cylinder", "ellipsoid"])
    weight = r.choice(["", f'mass="{r.uniform(0.1, 2)}"', f'density="{r.uniform(100, 3000)}"'])
    place = f'pos="{numbers(r.normal(size=3))}" quat="{numbers(r.normal(size=4))}"' if r.integers(2) else ""
    scale = f'fitscale="{r.uniform(0.5, 1.5)}"' if kind != "mesh" and r.integers(2) else ""
    return f'<geom type="{kind}" mesh="{name}" {weight} {place} {scale}/>'


def compiled(assets, bodies, folder, settings=""):
    text = f"""<mujoco>
<compiler meshdir="." {settings}/>
<asset>
{"".join(assets)}</asset>
<worldbody>
{"".join(bodies)}</worldbody>
</mujoco>
"""
    path = folder / "try.xml"
    path.write_text(text)
    try:
        return text, mujoco.MjModel.from_xml_path(str(path))
    finally:
        path.unlink()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for seed in range(SEEDS):
        r = np.random.default_rng(seed)
        assets, bodies, refused = [], [], 0
        while len(bodies) < BODIES:
            name = f"m{seed}_{len(bodies)}"
            asset = mesh(r, folder, name) + "\n"
            shapes = "".join(geom(r, name) for _ in range(r.choice([1, 1, 2])))
            body = f'<body name="b{len(bodies)}"><freejoint/>{shapes}</body>\n'
            try:
                compiled([asset], [body], folder)
            except ValueError as error:
                refused += 1
                print(str(error).splitlines()[0])
                continue
            assets.append(asset)
            bodies.append(body)
        settings = ["", 'boundmass="5" boundinertia="0.3"', 'balanceinertia="true"'][seed % 3]
        text, model = compiled(assets, bodies, folder, settings)
        (folder / f"random{seed}.xml").write_text(text)
        lines = []
        for k in range(BODIES):
            body = model.body(f"b{k}")
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, body.iquat)
            turn = turn.reshape(3, 3)
            tensor = turn @ np.diag(body.inertia) @ turn.T
            lines.append(f"b{k} {numbers([body.mass[0], *body.ipos, *tensor[np.triu_indices(3)]])}")
        (folder / f"random{seed}.values").write_text("\n".join(lines) + "\n")
        print(f"random{seed}: {refused} meshes refused by MuJoCo")
        for path in folder.glob(f"m{seed}_*"):
            if f'file="{path.name}"' not in text:
                path.unlink()


if __name__ == "__main__":
    main()
