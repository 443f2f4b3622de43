"""Numbers that are given as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def numbers(what: str, given: ArrayLike) -> np.ndarray:
    """An array of numbers, none of them masked."""
    if np.ma.is_masked(given):
        raise ValueError(f"{what}: some values are masked, expected all of them")
    return np.asarray(given, dtype=float)
