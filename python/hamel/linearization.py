"""Models linearised about an equilibrium, a steady motion or a state: `E dx/dt = A x + B u`, `y = C x + D u`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .control import Estimator, Regulator, riccati, weights_of

if TYPE_CHECKING:
    from . import _hamel
    from .model import Channels


@dataclass(frozen=True)
class Modes:
    """Shapes of natural motions as columns, one for each eigenvalue: complex amplitudes."""

    states: np.ndarray
    """In the states x, (n, n); each of length one, its largest component real and positive."""
    coordinates: np.ndarray
    """The same motions in the coordinates of the model, (nq, n)."""
    velocities: np.ndarray
    """The same motions in the velocities of the model, (nv, n)."""


class Linearization:
    """What `Model.linearize` finds: matrices with the names of their rows and columns, eigenvalues and modes.

    x are independent displacements, then independent velocities and first-order states; u are the inputs and y the
    outputs of the model. E is the identity for displacements and the mass matrix for velocities.

    For SciPy, ``scipy.signal.StateSpace(*linear.state_space())``.
    """

    E: np.ndarray
    """(n, n), symmetric and positive definite."""
    A: np.ndarray
    """(n, n)."""
    B: np.ndarray
    """(n, inputs)."""
    C: np.ndarray
    """(outputs, n)."""
    D: np.ndarray
    """(outputs, inputs)."""
    eigenvalues: np.ndarray
    """Of E⁻¹ A, 1/s, by magnitude, (n,); of a conjugate pair that with the positive imaginary part first."""
    rounding: np.ndarray
    """By how much rounding of the matrices changes each eigenvalue at most, 1/s, (n,); what cannot be told from zero is zero."""
    modes: Modes
    """Shapes of the natural motions, in the order of the eigenvalues."""
    states: "Channels"
    """Names of x, with `units`."""
    inputs: "Channels"
    """Names of u."""
    outputs: "Channels"
    """Names of y."""
    coordinates: "Channels"
    """Names of the coordinates of the model, rows of `modes.coordinates`."""
    velocities: "Channels"
    """Names of the velocities of the model, rows of `modes.velocities`."""
    displacements: int
    """How many of x are displacements."""
    cautions: list[str]
    """Why eigenvalues may not tell whether departures grow: forces that change with time, a motion that does not stay."""
    time: float
    """Time of the state about which, s."""
    q: np.ndarray
    """Coordinates of that state, (nq,)."""
    v: np.ndarray
    """Velocities of that state, (nv,)."""
    u: np.ndarray
    """Inputs at that state, (inputs,)."""

    def __init__(self, found: "_hamel.Linearized"):
        from .model import Channels

        self._found = found
        self.states, self.inputs, self.outputs, self.coordinates, self.velocities = map(Channels, found.names)
        self.displacements = found.displacements
        self.cautions = [caution for caution, _ in found.doubts]
        self.time, self.q, self.v = found.state()
        self.u = found.given()
        self.E, self.A, self.B, self.C, self.D, self._state_matrix, self._input_matrix = found.matrices()
        eigenvalues, *shapes = map(_complex, found.modes())
        self.eigenvalues = eigenvalues
        self.rounding = found.rounding()
        self.modes = Modes(*shapes)

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies |λ| / 2π without damping, Hz, (n,)."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios −Re λ / |λ|, (n,); 1 and more decays without oscillation, below 0 grows; 0 where λ = 0."""
        size = np.abs(self.eigenvalues)
        return np.divide(-self.eigenvalues.real, size, out=np.zeros(len(size)), where=size > 0)

    @property
    def time_constants(self) -> np.ndarray:
        """−1 / Re λ, s, (n,): in this time a motion decays by the factor e; negative where it grows."""
        with np.errstate(divide="ignore"):
            return np.where(self.eigenvalues.real == 0, np.inf, -1 / self.eigenvalues.real)

    def state_space(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """E⁻¹ A, E⁻¹ B, C and D: the matrices of ``dx/dt = A x + B u``, as SciPy and other packages take them."""
        return self._state_matrix, self._input_matrix, self.C, self.D

    def response(self, frequencies: ArrayLike) -> np.ndarray:
        """The response `C (s E − A)⁻¹ B + D` of the outputs to the inputs.

        Parameters
        ----------
        frequencies : array (k,)
            Real ones in Hz, for which s = 2π i f, or complex values of s in 1/s.

        Returns
        -------
        array (k, outputs, inputs)
            Complex, in SI units.
        """
        given = np.atleast_1d(np.asarray(frequencies))
        s = given if np.iscomplexobj(given) else 2j * np.pi * given.astype(float)
        return _complex(self._found.response([(value.real, value.imag) for value in s]))

    def lqr(self, states: ArrayLike | Mapping[str, float], inputs: ArrayLike | Mapping[str, float]) -> Regulator:
        """The linear quadratic regulator: the feedback with the least `∫ (xᵀ Q x + uᵀ R u) dt`. Needs SciPy.

        Parameters
        ----------
        states, inputs : array or mapping
            Q and R: matrices, diagonals, one number for all, or weights by name; states that are not named weigh nothing.

        Returns
        -------
        Regulator
            With `gain`, and `controller(period)` for `Model.simulate`.
        """
        q, r = weights_of(states, self.states, "weights of states"), weights_of(inputs, self.inputs, "weights of inputs")
        p, gain, eigenvalues = riccati(
            self._state_matrix, self._input_matrix, q, r, ("weights of states", "weights of inputs")
        )
        return Regulator(gain, p, eigenvalues, self)

    def kalman(
        self,
        inputs: ArrayLike | Mapping[str, float],
        outputs: ArrayLike | Mapping[str, float],
        states: ArrayLike | Mapping[str, float] = 0.0,
    ) -> Estimator:
        """The stationary Kalman filter of the states. Needs SciPy.

        Parameters
        ----------
        inputs, outputs, states : array or mapping
            Intensities of white noise, the unit squared times s: of the inputs (disturbances), of the outputs (measurements)
            and of the rates of the states; matrices, diagonals, one number for all, or by name. Outputs by name are those
            that are measured.

        Returns
        -------
        Estimator
            With `gain` and `covariance`.
        """
        b = self._input_matrix
        noise = b @ weights_of(inputs, self.inputs, "noise of inputs") @ b.T
        noise = noise + weights_of(states, self.states, "noise of states")
        measured = weights_of(outputs, self.outputs, "noise of outputs")
        chosen = [i for i, name in enumerate(self.outputs) if not isinstance(outputs, Mapping) or name in outputs]
        p, gain, eigenvalues = riccati(
            self._state_matrix.T,
            self.C[chosen].T,
            0.5 * (noise + noise.T),
            measured[np.ix_(chosen, chosen)],
            ("noises", "noise of outputs"),
        )
        whole = np.zeros((len(self.states), len(self.outputs)))
        whole[:, chosen] = gain.T
        return Estimator(whole, p, eigenvalues)

    def __repr__(self) -> str:
        return (
            f"<hamel.Linearization: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"
        )


def _complex(pairs: np.ndarray) -> np.ndarray:
    """Pairs in the last axis as complex numbers."""
    return np.ascontiguousarray(pairs).view(np.complex128)[..., 0]
