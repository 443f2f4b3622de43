"""Coordinates and velocities as Pinocchio has them of the same description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .arrays import numbers

if TYPE_CHECKING:
    from .model import Model

_FREE_Q = ("x", "y", "z", "e1", "e2", "e3", "e0")
_FREE_V = ("v_x", "v_y", "v_z", "omega_x", "omega_y", "omega_z")


def to_pinocchio(model: Model, q: ArrayLike, v: ArrayLike | None) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    joints = _joints(model)
    q = _sized(q, len(model.coordinates), "q")
    q_there = np.zeros((*q.shape[:-1], joints[-1][3]))
    for _, own_q, _, (begin, end), _, ratio, offset in _paired(model):
        if end - begin in (1, 7):
            q_there[..., begin:end] = ratio * q[..., own_q] + offset
        else:
            angle = ratio * q[..., own_q[-1]] + offset
            q_there[..., begin : end - 2] = q[..., own_q[:-1]]
            q_there[..., end - 2], q_there[..., end - 1] = np.cos(angle), np.sin(angle)
    if v is None:
        return q_there
    v = _sized(v, len(model.velocities), "v")
    v_there = np.zeros((*v.shape[:-1], joints[-1][5]))
    for _, own_q, own_v, q_places, (begin, end), ratio, _ in _paired(model):
        v_there[..., begin:end] = ratio * v[..., own_v]
        if q_places[1] - q_places[0] == 4:
            v_there[..., begin : begin + 2] = _turned(v[..., own_v[:2]], -q[..., own_q[-1]])
    return q_there, v_there


def from_pinocchio(model: Model, q: ArrayLike, v: ArrayLike | None) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    joints = _joints(model)
    q = _sized(q, joints[-1][3], "q")
    q_here = np.zeros((*q.shape[:-1], len(model.coordinates)))
    v_here = np.zeros((*np.shape(q if v is None else v)[:-1], len(model.velocities)))
    if v is not None:
        v = _sized(v, joints[-1][5], "v")
    for follows, own_q, own_v, (begin, end), (first, last), _, _ in _paired(model):
        if follows:
            continue
        if end - begin in (1, 7):
            q_here[..., own_q] = q[..., begin:end]
        else:
            q_here[..., own_q[:-1]] = q[..., begin : end - 2]
            q_here[..., own_q[-1]] = np.arctan2(q[..., end - 1], q[..., end - 2])
        if v is not None:
            v_here[..., own_v] = v[..., first:last]
            if end - begin == 4:
                v_here[..., own_v[:2]] = _turned(v[..., first : first + 2], q_here[..., own_q[-1]])
    return q_here if v is None else (q_here, v_here)


def _joints(model: Model) -> list:
    if not (joints := model._compiled.pinocchio):
        raise ValueError(
            f"`{model.name}` does not come from a URDF, nothing in it moves, or it has a planar joint whose axis is not z, "
            "which Pinocchio ignores"
        )
    return joints


def _paired(model: Model) -> Iterator[tuple]:
    """Of each joint of Pinocchio whether it follows another, its places here in q and v, there, and what it follows by."""
    coordinates = {name: place for place, name in enumerate(model.coordinates)}
    velocities = {name: place for place, name in enumerate(model.velocities)}

    def places(of: dict[str, int], joint: str, components: tuple[str, ...]) -> list[int]:
        if components:
            return [of[f"{joint}.{component}"] for component in components]
        return [place for name, place in of.items() if name.rpartition(".")[0] == joint]

    for name, _, q_begin, q_end, v_begin, v_end, follows in model._compiled.pinocchio:
        leader, ratio, offset = follows or (name, 1.0, 0.0)
        components = {7: (_FREE_Q, _FREE_V), 4: (("x", "y", "angle"),) * 2}.get(q_end - q_begin, ((), ()))
        own_q, own_v = places(coordinates, leader, components[0]), places(velocities, leader, components[1])
        yield follows is not None, own_q, own_v, (q_begin, q_end), (v_begin, v_end), ratio, offset


def _sized(values: ArrayLike, size: int, name: str) -> np.ndarray:
    values = numbers(name, values)
    if values.ndim == 0 or values.shape[-1] != size:
        raise ValueError(f"{name}: expected an array (…, {size}), found {values.shape}")
    return values


def _turned(vector: np.ndarray, angle: np.ndarray) -> np.ndarray:
    x, y, cosine, sine = vector[..., 0], vector[..., 1], np.cos(angle), np.sin(angle)
    return np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1)
