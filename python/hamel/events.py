"""Events of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

Direction = Literal["rising", "falling", "both"]


@dataclass(frozen=True)
class Event:
    """A change of sign of a function of the state, located within every step.

    Parameters
    ----------
    function : callable (t, q, v) -> float
        The function whose zeros are located. A name of a coordinate or velocity stands for its value minus `value`.
    direction : "rising", "falling" or "both"
        The direction of the change of sign.
    terminal : bool
        Whether the run ends at the first occurrence.
    value : float
        What is subtracted from a coordinate or velocity that is given by its name.
    """

    function: Callable[[float, np.ndarray, np.ndarray], float] | str
    direction: Direction = "both"
    terminal: bool = False
    value: float = 0.0

    @classmethod
    def of(cls, given: "Event | Callable | str") -> "Event":
        """An event, or a function with SciPy's attributes `terminal` and `direction`."""
        if isinstance(given, Event):
            return given
        if isinstance(given, str):
            return cls(given)
        if not callable(given):
            raise TypeError(f"an event: expected a function of t, q and v or a hamel.Event, found {given!r}")
        names: tuple[Direction, ...] = ("both", "rising", "falling")
        found = getattr(given, "direction", 0)
        direction = next((name for name in names if name == found), None) or names[int(np.sign(found))]
        return cls(given, direction=direction, terminal=bool(getattr(given, "terminal", False)))
