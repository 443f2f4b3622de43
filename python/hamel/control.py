"""Controllers: laws that set inputs at a rate of their own, and gains from linearised models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .arrays import numbers

if TYPE_CHECKING:
    from .linearization import Linearization


@dataclass(frozen=True)
class Controller:
    """A law that is called at the start of a motion and then every period, and whose values are held in between.

    Parameters
    ----------
    law : callable (t, q, v) -> float or sequence of float
        Values of the inputs, in their units and order; one number for one input.
    inputs : str or sequence of str
        The inputs that it sets.
    period : float
        From one call to the next, s; steps of equal length must divide it.
    """

    law: Callable[[float, np.ndarray, np.ndarray], float | ArrayLike]
    inputs: str | tuple[str, ...] | list[str]
    period: float

    @staticmethod
    def checked(given: object) -> "Controller":
        """A controller, or an error that says what was found."""
        if not isinstance(given, Controller):
            raise TypeError(f"a controller: expected a hamel.Controller(law, inputs, period), found {given!r}")
        return given

    def plain(self) -> tuple[Callable[[float, np.ndarray, np.ndarray], list[float]], list[str], float]:
        """As Rust takes it."""
        names = [self.inputs] if isinstance(self.inputs, str) else list(self.inputs)

        def values(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
            found = np.atleast_1d(np.asarray(self.law(t, q, v), dtype=float)).ravel()
            if len(found) != len(names):
                expected = f"{len(names)} value{'s' if len(names) > 1 else ''}, of {', '.join(names)}"
                raise ValueError(f"the law of a controller: expected {expected}, found {len(found)}")
            return found.tolist()

        return values, names, float(self.period)


@dataclass(frozen=True)
class Regulator:
    """State feedback `u = u₀ − K (x − x₀)` about the state of a linearisation, see `Linearization.lqr`."""

    gain: np.ndarray
    """K, (inputs, states)."""
    cost: np.ndarray
    """P: `(x − x₀)ᵀ P (x − x₀)` is the least cost from x, (states, states)."""
    eigenvalues: np.ndarray
    """Of the closed loop, 1/s, by magnitude, (states,)."""
    linear: "Linearization"
    """What it was found for."""

    def controller(self, period: float, offset: ArrayLike | None = None) -> Controller:
        """The feedback as a controller of `Model.simulate`.

        Parameters
        ----------
        period : float
            From one call to the next, s: short beside the motions of the closed loop, which is that of continuous feedback.
        offset : array (inputs,)
            u₀; by default the inputs with which the model was linearised.

        Raises
        ------
        ValueError
            If a state is no coordinate or velocity of the model, as small rotations and displacements along the axes of a
            body are not: write a law of your own then, with `gain`.
        """
        linear = self.linear
        places = []
        for place, state in enumerate(linear.states):
            is_rate = place >= linear.displacements
            known = linear.velocities if is_rate else linear.coordinates
            # A velocity that is the rate of a coordinate has the coordinate's name in the model.
            name = state.removesuffix(".velocity") if is_rate else state
            if name not in known:
                raise ValueError(f"`{state}` is no coordinate or velocity of the model; write a law with `gain`")
            places.append((int(is_rate), known.index(name)))
        rest = np.asarray(linear.u if offset is None else offset, dtype=float)
        if rest.shape != (len(linear.inputs),):
            raise ValueError(f"`offset`: expected shape ({len(linear.inputs)},), found {rest.shape}")
        zero = np.array([(linear.q, linear.v)[kind][place] for kind, place in places])

        def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            return rest - self.gain @ (np.array([(q, v)[kind][place] for kind, place in places]) - zero)

        return Controller(law, list(linear.inputs), period)


@dataclass(frozen=True)
class Estimator:
    """The Kalman filter `dx̂/dt = A x̂ + B u + L (y − C x̂ − D u)`, see `Linearization.kalman`."""

    gain: np.ndarray
    """L, (states, outputs)."""
    covariance: np.ndarray
    """Of the error of the estimate, (states, states)."""
    eigenvalues: np.ndarray
    """Of the error, 1/s, by magnitude, (states,)."""


def weights_of(given: ArrayLike | Mapping[str, float], names: tuple[str, ...], what: str) -> np.ndarray:
    """A weight, (n, n): by name, a diagonal, or all of it."""
    n = len(names)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise ValueError(f"{what}: unknown `{unknown[0]}`, expected some of {', '.join(names)}")
        given = [float(given.get(name, 0.0)) for name in names]
    found = numbers(what, given)
    if found.shape not in ((), (n,), (n, n)):
        raise ValueError(f"{what}: expected shape ({n}, {n}) or ({n},), found {found.shape}")
    if found.ndim < 2:
        found = np.diag(np.broadcast_to(found, (n,)))
    if not np.all(np.isfinite(found)) or not np.allclose(found, found.T, rtol=1e-12, atol=0):
        raise ValueError(f"{what}: expected finite values, and a symmetric matrix")
    return found


def riccati(a: np.ndarray, b: np.ndarray, q: np.ndarray, r: np.ndarray, what: tuple[str, str]) -> tuple:
    """The stabilising solution of `aᵀ p + p a − p b r⁻¹ bᵀ p + q = 0`, the gain `r⁻¹ bᵀ p`, the closed loop's eigenvalues."""
    from scipy.linalg import solve, solve_continuous_are

    if np.linalg.eigvalsh(q).min(initial=0.0) < -1e-12 * np.abs(q).max(initial=0.0):
        raise ValueError(f"{what[0]}: expected no negative eigenvalues")
    try:
        np.linalg.cholesky(r)
    except np.linalg.LinAlgError:
        raise ValueError(f"{what[1]}: expected positive eigenvalues; each of them needs a positive weight") from None
    _reach(a, b, "inputs do not reach it" if what[1].endswith("inputs") else "outputs do not see it")
    _reach(a.T, q, f"the {what[0]} leave it out")
    try:
        p = solve_continuous_are(a, b, q, r)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise ValueError(f"there is no gain that stabilises: {error}") from error
    gain = solve(r, b.T @ p, assume_a="pos")
    eigenvalues = np.linalg.eigvals(a - b @ gain)
    if not np.all(eigenvalues.real < 0):
        raise ValueError("there is no gain that stabilises")
    return p, gain, eigenvalues[np.lexsort((-eigenvalues.imag, np.abs(eigenvalues).round(12)))]


def _reach(a: np.ndarray, b: np.ndarray, why: str) -> None:
    """Every motion of `dx/dt = a x` that does not decay must be reached through b (test of Popov, Belevitch and Hautus)."""
    from scipy.linalg import matrix_balance

    # Stiffness over mass is the square of a frequency: in units of their own, states have entries of the size of frequencies.
    balanced, (scales, _) = matrix_balance(a, permute=False, separate=True)
    columns = b / scales[:, None]
    size = max(float(np.linalg.norm(balanced, 2)), 1e-300)
    for value in np.linalg.eigvals(balanced):
        if value.real < -1e-7 * abs(value) - 1e-12 * size:
            continue
        # Stiff and soft motions count alike: scales of rows and columns do not change the rank.
        rows = np.hstack([balanced - value * np.eye(len(a)), columns])
        for _ in range(4):
            for axis in (1, 0):
                largest = np.abs(rows).max(axis=axis, keepdims=True)
                rows = rows / np.where(largest > 0, largest, 1.0)
        # Eigenvalues that are equal are known to half of the digits.
        if np.linalg.svd(rows, compute_uv=False)[-1] < 1e-7:
            raise ValueError(f"there is no gain that stabilises: with the eigenvalue {value:.3g} 1/s nothing decays, and {why}")
