"""Functions of models for JAX: compiled, batched, differentiated by the model's own derivatives.

Kernels are called back on the host, `jax.pure_callback`, with whole batches at once; a call of the foreign function
interface would save its few microseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import jax

    from .model import Model


class JaxFunctions:
    """Functions of a model for JAX, see `Model.jax`.

    All can be compiled (`jax.jit`) and batched (`jax.vmap`, or leading axes). Derivatives of first order, in forward and
    in reverse mode, are those of the model's kernels; derivatives of these there are none. Values are doubles if
    ``jax.config.update("jax_enable_x64", True)`` was called, and otherwise rounded to single precision. Time is 0 and
    inputs are zero unless `at` says otherwise.
    """

    def __init__(self, model: "Model", t: float = 0.0, inputs: Any = None):
        try:
            import jax
            import jax.numpy as jnp
        except ImportError as error:
            raise ImportError("Model.jax needs JAX: pip install jax") from error
        self._jax, self._np = jax, jnp
        self._model = model
        self._time = float(t)
        self._inputs = None if inputs is None else np.asarray(inputs, dtype=float)
        self._nq, self._nv = len(model.coordinates), len(model.velocities)
        self._is_plain = all(kind == "vector" for kind, _, _ in model._blocks)

    def at(self, t: float = 0.0, inputs: Any = None) -> "JaxFunctions":
        """The same functions at another time, s, and with inputs, (number of inputs,)."""
        return JaxFunctions(self._model, t, inputs)

    def _called(self, function: Callable, own: list[tuple[int, ...]], *arguments: "jax.Array") -> list["jax.Array"]:
        """Calls back with arrays whose last axes belong to one state; results have these axes after the batch's."""
        jax, jnp = self._jax, self._np
        kind = jnp.result_type(float)
        arguments = tuple(jnp.asarray(argument, kind) for argument in arguments)
        batch = jnp.broadcast_shapes(*(argument.shape[:-1] for argument in arguments))
        shapes = [jax.ShapeDtypeStruct(batch + shape, kind) for shape in own]

        def host(*arrays: Any) -> list[np.ndarray]:
            given = [np.asarray(array, dtype=float) for array in arrays]
            whole = np.broadcast_shapes(*(array.shape[:-1] for array in given))
            results = zip(function(*given), own)
            return [np.broadcast_to(result, whole + shape).astype(kind) for result, shape in results]

        return jax.pure_callback(host, shapes, *arguments, vmap_method="broadcast_all")

    def _differentiable(self, value: Callable, derivatives: Callable, lengths: tuple[int, ...]) -> Callable:
        """A function [nv] of vectors whose derivatives are matrices, [nv, nv] each."""
        jax, jnp = self._jax, self._np
        nv = self._nv

        @jax.custom_jvp
        def function(*arguments):
            return self._called(lambda *given: [value(*given)], [(nv,)], *arguments)[0]

        @function.defjvp
        def rule(arguments, tangents):
            if not self._is_plain:
                raise NotImplementedError(
                    f"{self._model.name} has rotations whose velocities are no rates of coordinates: "
                    "the derivative with respect to their coordinates is not defined off the rotations"
                )
            matrices = self._called(derivatives, [(nv, length) for length in lengths], *arguments)
            parts = (jnp.einsum("...ij,...j->...i", m, dx) for m, dx in zip(matrices, tangents))
            return function(*arguments), sum(parts)

        return function

    @cached_property
    def _forward(self) -> Callable:
        model, t, inputs = self._model, self._time, self._inputs
        model._must_be_free("jax.forward_dynamics")

        def value(q, v, tau):
            if model.provides("forward_dynamics"):
                return model.forward_dynamics(q, v, tau, t, inputs)
            a, _ = model.acceleration(q, v, t, inputs)
            return a + np.linalg.solve(model.mass_matrix(q), tau[..., None])[..., 0]

        derivatives = lambda q, v, tau: model._acceleration_derivatives(q, v, tau, t, inputs)  # noqa: E731
        return self._differentiable(value, derivatives, (self._nq, self._nv, self._nv))

    @cached_property
    def _inverse(self) -> Callable:
        model, t, inputs = self._model, self._time, self._inputs

        def derivatives(q, v, a):
            if model.provides("inverse_dynamics_derivatives"):
                return model.inverse_dynamics_derivatives(q, v, a, t, inputs)
            of_q, of_v = model.stiffness(q, v, a, None, t, inputs), model.damping(q, v, a, None, t, inputs)
            return of_q, of_v, model.mass_matrix(q)

        value = lambda q, v, a: model.inverse_dynamics(q, v, a, t, inputs)  # noqa: E731
        return self._differentiable(value, derivatives, (self._nq, self._nv, self._nv))

    def forward_dynamics(self, q: "jax.Array", v: "jax.Array", tau: "jax.Array | None" = None) -> "jax.Array":
        """Accelerations, (..., nv), of coordinates (..., nq), velocities (..., nv) and forces (..., nv), N or N m.

        Of models without constraints; see `Model.forward_dynamics`.
        """
        return self._forward(q, v, self._np.zeros(self._nv) if tau is None else tau)

    def inverse_dynamics(self, q: "jax.Array", v: "jax.Array", a: "jax.Array") -> "jax.Array":
        """Forces, (..., nv), N or N m, for accelerations (..., nv); see `Model.inverse_dynamics`."""
        return self._inverse(q, v, a)

    def mass_matrix(self, q: "jax.Array") -> "jax.Array":
        """Mass matrix, (..., nv, nv), of coordinates (..., nq).

        Built of inverse dynamics, so that it can be differentiated: its columns are the forces of unit accelerations.
        """
        jnp = self._np
        q = jnp.asarray(q)
        rest = jnp.zeros(self._nv)
        column = lambda a: self.inverse_dynamics(q, rest, a) - self.inverse_dynamics(q, rest, rest)  # noqa: E731
        return jnp.stack([column(unit) for unit in jnp.eye(self._nv)], axis=-1)
