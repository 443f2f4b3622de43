"""Slopes of motions, and parameters that were fitted to measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import numbers


@dataclass(frozen=True)
class Sensitivities:
    """Outputs of a motion and their derivatives, see `Model.sensitivities`."""

    t: np.ndarray
    """Times, s, (n,)."""
    outputs: np.ndarray
    """(n, outputs)."""
    slopes: np.ndarray
    """Derivatives with respect to parameters, (n, outputs, names)."""
    names: tuple[str, ...] = field(kw_only=True)
    """The parameters."""
    cautions: tuple[str, ...] = field(default=(), kw_only=True)
    """What `simulate` would caution of this motion; nothing of one through chosen times."""


@dataclass(frozen=True)
class Gradient:
    """A number that judges a motion and its derivatives, see `Model.gradient`."""

    value: float
    parameters: dict[str, float]
    """By parameters; by way of the initial conditions too, unless a state was given."""
    position: np.ndarray
    """By coordinates of the start, along the velocities, (nv,)."""
    velocity: np.ndarray
    """By velocities of the start, (nv,)."""
    inputs: dict[str, np.ndarray]
    """By values of inputs: times at which the motion reads them, and derivatives, (m, 2)."""
    cautions: tuple[str, ...] = ()
    """What `simulate` would caution of this motion; nothing of one through chosen times."""

    def by_samples(self, name: str, times: ArrayLike) -> np.ndarray:
        """Derivatives with respect to the samples of an input that is a table, linear between these times and constant
        outside."""
        times = np.asarray(times, dtype=float)
        slopes = np.zeros(len(times))
        for t, slope in self.inputs[name]:
            after = int(np.searchsorted(times, t, side="right"))
            if after in (0, len(times)):
                slopes[min(after, len(times) - 1)] += slope
                continue
            part = (t - times[after - 1]) / (times[after] - times[after - 1])
            slopes[after - 1] += (1 - part) * slope
            slopes[after] += part * slope
        return slopes


@dataclass(frozen=True)
class Fit:
    """Parameters that were fitted, see `Model.fit`."""

    values: dict[str, float]
    """In SI units."""
    errors: dict[str, float]
    """Standard errors; infinite where the measurements do not tell a parameter."""
    correlation: np.ndarray
    """Of the errors, in the order of the parameters."""
    at_bound: tuple[str, ...]
    """Parameters at one of their bounds, whose standard errors mean little."""
    model: dict[str, np.ndarray]
    """Outputs at the times of the measurements."""
    missed: dict[str, float]
    """Root of the mean square of what the model misses, for each output."""
    noise: dict[str, float]
    """Standard deviations of the outputs: those that were given, or estimates."""
    doubts: tuple[str, ...]
    """What the measurements leave in doubt."""
    motions: int
    """How often the motion was computed."""

    @staticmethod
    def of(found: dict[str, Any], doubts: tuple[str, ...]) -> Fit:
        """What Rust found."""
        parameters, columns = found["parameters"], found["columns"]
        return Fit(
            values={one["name"]: one["value"] for one in parameters},
            errors={one["name"]: np.inf if one["error"] is None else one["error"] for one in parameters},
            correlation=np.array(found["correlation"]),
            at_bound=tuple(one["name"] for one in parameters if one["is_at_bound"]),
            model={one["name"]: np.array(one["model"]) for one in columns},
            missed={one["name"]: one["missed"] for one in columns},
            noise={one["name"]: one["deviation"] for one in columns},
            doubts=doubts,
            motions=found["motions"],
        )


@dataclass(frozen=True)
class Optimum:
    """The best design that a search saw, see `Model.minimize`."""

    parameters: dict[str, float]
    """Those that were free, in SI units."""
    inputs: dict[str, np.ndarray]
    """Those that were sampled, as `simulate` takes them: times and values, (m, 2)."""
    objective: float
    """Its value, without the sign of the objective."""
    objective_at_start: float
    conditions: dict[str, float]
    """Values of what the motion must meet."""
    prices: dict[str, float]
    """How the least objective changes with the target of a condition that is in the way."""
    at_bound: tuple[str, ...]
    """Numbers of the design at one of their bounds."""
    converged: bool
    """Whether conditions are met and no slope leads further down, to the tolerance."""
    ended: str
    """Why the search ended."""
    iterations: int
    motions: int
    """How often the motion was computed, each with its gradients."""
    rejections: int
    """How many of these failed, which made steps of the search shorter."""
    cautions: tuple[str, ...]
    """What `simulate` would caution of the motion that was found."""

    @staticmethod
    def of(found: dict[str, Any], converged: bool, ended: str, is_largest: bool) -> Optimum:
        """What Rust found."""
        sign = -1.0 if is_largest else 1.0
        design, conditions = found["design"], found["conditions"]
        prices: dict[str, float] = {}
        for one in conditions:
            prices[one["name"]] = prices.get(one["name"], 0.0) + sign * one["price"]
        return Optimum(
            parameters={name: value for name, value in design["parameters"]},
            inputs={one["input"]: np.column_stack([one["times"], one["values"]]) for one in design["inputs"]},
            objective=sign * found["objective"],
            objective_at_start=sign * found["objective_at_start"],
            conditions={one["name"]: one["value"] for one in conditions},
            prices=prices,
            at_bound=tuple(one["name"] for one in found["variables"] if one["bound"]),
            converged=converged,
            ended=ended,
            iterations=found["iterations"],
            motions=found["evaluations"],
            rejections=found["rejections"],
            cautions=tuple(found["cautions"]),
        )


def bounds_of(
    free: Sequence[str] | Mapping[str, tuple[float | None, float | None]],
) -> list[tuple[str, float, float]]:
    """Names with bounds, where None is none."""
    if isinstance(free, str):
        free = [free]
    if not isinstance(free, Mapping):
        return [(name, -np.inf, np.inf) for name in free]
    bounds = []
    for name, pair in free.items():
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise ValueError(f"`{name}`: expected a pair of bounds, of which one may be None, found {pair!r}")
        bounds.append((name, _bound(pair[0], -np.inf), _bound(pair[1], np.inf)))
    return bounds


def _bound(value: float | None, none: float) -> float:
    return none if value is None else float(value)


#: More samples of an input are a mistake, and each is a variable of the search.
_MOST_SAMPLES = 10_000


def samples_of(
    name: str, given: int | ArrayLike | tuple[int | ArrayLike, float | None, float | None], until: float
) -> tuple[list[float], float, float]:
    """Times and bounds of the samples of an input."""
    expected = f"`{name}`: expected a number of samples or their times, alone or as (samples, low, high)"
    what, low, high = given if isinstance(given, tuple) and len(given) == 3 else (given, None, None)
    if isinstance(given, tuple) and len(given) != 3:
        raise ValueError(f"{expected}, found {given!r}")
    if isinstance(what, (int, np.integer)) and not isinstance(what, bool):
        if not 2 <= what <= _MOST_SAMPLES:
            raise ValueError(f"`{name}`: expected 2 to {_MOST_SAMPLES} samples, found {what}")
        times = np.linspace(0.0, until, int(what))
    else:
        times = numbers(f"`{name}`", what)
        if times.ndim != 1 or not 1 <= len(times) <= _MOST_SAMPLES:
            raise ValueError(f"{expected}, found {what!r}")
    return times.tolist(), _bound(low, -np.inf), _bound(high, np.inf)


def table_of(columns: Mapping[str, ArrayLike]) -> str:
    """Columns by name as comma-separated values."""
    names = list(columns)
    # What is masked was not measured.
    arrays = [np.ma.filled(np.ma.asarray(columns[name], dtype=float), np.nan).ravel() for name in names]
    lengths = {len(array) for array in arrays}
    if len(lengths) > 1:
        raise ValueError(f"columns of measurements: expected equal lengths, found {sorted(lengths)}")
    head = ",".join('"' + str(name).replace('"', '""') + '"' for name in names)
    rows = (",".join("" if np.isnan(value) else repr(float(value)) for value in row) for row in zip(*arrays))
    return "\n".join([head, *rows]) + "\n"
