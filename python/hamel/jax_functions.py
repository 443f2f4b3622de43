"""Functions of models for JAX: compiled, batched, differentiated by the model's own derivatives.

On the CPU, programs that JAX has compiled call the kernels themselves, through XLA's foreign function interface. Elsewhere,
with a JAX that has no `jax.ffi`, and where a function is put together of several kernels, the host is called back
(`jax.pure_callback`), with whole batches at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _hamel

if TYPE_CHECKING:
    import jax

    from .model import Model


@cache
def _target() -> str | None:
    """Name by which XLA knows the kernels, None if it cannot call them."""
    name = "hamel_evaluate"
    try:
        from jax import ffi
    except ImportError:
        return None
    try:
        ffi.register_ffi_target(name, ffi.pycapsule(_hamel._address_for_xla()), platform="cpu")
    except Exception as error:  # noqa: BLE001 (what XLA raises for a version that it does not know)
        text = f"XLA cannot call the kernels, which are called back on the host instead, in more time: {error}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)
        return None
    return name


class _Evaluation(NamedTuple):
    """A function of arrays whose last axes belong to one state."""

    given: tuple[str, ...]
    """Names of the arguments; the last axis of each belongs to one state, but for that of the time."""
    results: list[tuple[int, ...]]
    """Shapes of the results of one state."""
    host: Callable[..., Sequence[np.ndarray]]
    """The function of NumPy arrays."""
    place: int | None = None
    """Its place among the functions that the model provides, None if it is put together of several."""


class JaxFunctions:
    """Functions of a model for JAX, see `Model.jax`.

    All can be compiled (`jax.jit`) and batched (`jax.vmap`, or leading axes). Derivatives in forward and in reverse mode
    are those of the model's kernels: of first order, and of second order if the model provides
    `inverse_dynamics_second_derivatives`; by `t` and `inputs` there are none. Values are doubles if
    ``jax.config.update("jax_enable_x64", True)`` was called, and otherwise rounded to single precision. Time is 0 and
    inputs are zero unless they are given, or `at` says otherwise.

    Compiled programs know a model by its number, so that models whose functions were called are kept until the process
    ends.
    """

    def __init__(self, model: "Model", t: float = 0.0, inputs: Any = None):
        try:
            import jax
            import jax.numpy as jnp
        except ImportError as error:
            raise ImportError("Model.jax needs JAX: pip install jax") from error
        self._jax, self._np = jax, jnp
        self._model = model
        self._time = t
        self._inputs = np.zeros(len(model.inputs)) if inputs is None else inputs
        self._nq, self._nv = len(model.coordinates), len(model.velocities)
        self._is_plain = all(kind == "vector" for kind, _, _ in model._blocks)

    def at(self, t: float = 0.0, inputs: Any = None) -> "JaxFunctions":
        """The same functions with another time, s, and with inputs, (number of inputs,), where these are not given."""
        return JaxFunctions(self._model, t, inputs)

    def _provided(self, name: str) -> _Evaluation:
        """A function that the model provides."""
        model = self._model
        names = [known[0] for known in model._provided]
        place = names.index(name)
        _, _, _, names, results = model._provided[place]
        given = (*names, "inputs") if "t" in names else tuple(names)

        def host(*arrays: np.ndarray) -> Sequence[np.ndarray]:
            values: dict[str, Any] = dict(zip(given, arrays))
            v, a, tau, w, t, inputs = map(values.get, ("v", "a", "tau", "w", "t", "inputs"))
            return model._evaluate_provided(place, values["q"], v, a, tau, w, t, inputs)

        return _Evaluation(given, [tuple(shape) for _, shape in results], host, place)

    def _called(self, function: _Evaluation, **arguments: "jax.Array") -> list["jax.Array"]:
        """The results of a function, of the batch that all axes but the last ones of its arguments are together."""
        jax, jnp = self._jax, self._np
        kind = jnp.result_type(float)
        arrays = [jnp.asarray(arguments[name], kind) for name in function.given]
        own = [0 if name == "t" else 1 for name in function.given]
        batch = jnp.broadcast_shapes(*(array.shape[: array.ndim - n] for array, n in zip(arrays, own)))
        # All have the axes of the batch, of length one if need be, so that those of `vmap` come before all of them.
        arrays = [array.reshape((1,) * (len(batch) + n - array.ndim) + array.shape) for array, n in zip(arrays, own)]
        shapes = [jax.ShapeDtypeStruct(batch + shape, kind) for shape in function.results]

        def host(*arrays: Any) -> list[np.ndarray]:
            given = [np.asarray(array, dtype=float) for array in arrays]
            whole = np.broadcast_shapes(*(array.shape[: array.ndim - n] for array, n in zip(given, own)))
            results = zip(function.host(*given), function.results)
            return [np.broadcast_to(result, whole + shape).astype(kind) for result, shape in results]

        def by_callback(*arrays: Any) -> Any:
            return jax.pure_callback(host, shapes, *arrays, vmap_method="expand_dims")

        place = function.place
        target = None if place is None else _target()
        if place is None or target is None:
            return by_callback(*arrays)

        def by_kernel(*arrays: Any) -> Any:
            call = jax.ffi.ffi_call(target, shapes, vmap_method="expand_dims")
            return call(*arrays, model=np.int64(self._model._number_for_xla), function=np.int64(place))

        return jax.lax.platform_dependent(*arrays, cpu=by_kernel, default=by_callback)

    def _differentiable(self, value: Callable, change: Callable) -> Callable:
        """A function of q, v, a vector, t and inputs, compiled.

        `change` gives its tangent by the arguments and the tangents of the first three, where None stands for zero.
        """
        jax = self._jax
        function = jax.custom_jvp(value)

        def rule(arguments, tangents):
            name = self._model.name
            zero = jax.custom_derivatives.SymbolicZero
            dq, dv, dx, dt, dinputs = (None if isinstance(one, zero) else one for one in tangents)
            if dt is not None or dinputs is not None:
                what = "t" if dt is not None else "inputs"
                raise NotImplementedError(
                    f"{name} has no derivatives by `{what}`\nhelp: `jax.lax.stop_gradient({what})` makes it a constant; "
                    "forces that are differentiated can be given as `tau`"
                )
            if dq is not None and not self._is_plain:
                raise NotImplementedError(
                    f"{name} has rotations whose velocities are no rates of coordinates: "
                    "the derivative with respect to their coordinates is not defined off the rotations"
                )
            return function(*arguments), change(arguments, (dq, dv, dx))

        function.defjvp(rule, symbolic_zeros=True)
        return jax.jit(function)

    def _function(
        self, value: _Evaluation, derivatives: _Evaluation, third: str, second: Callable
    ) -> tuple[Callable, Callable]:
        """The derivatives of a function [nv], whose own tangents `second` gives, and the function."""
        names = ("q", "v", third, "t", "inputs")

        def evaluated(function: _Evaluation) -> Callable:
            return lambda *arguments: self._called(function, **dict(zip(names, arguments)))

        matrices = self._differentiable(lambda *all: tuple(evaluated(derivatives)(*all)), second)

        def change(arguments, tangents):
            return self._changed(arguments, *zip(matrices(*arguments), tangents))

        return matrices, self._differentiable(lambda *all: evaluated(value)(*all)[0], change)

    def _changed(self, arguments: tuple, *terms: tuple["jax.Array", "jax.Array | None"]) -> "jax.Array":
        """The sum of derivatives, whose last axis is that of a change (..., nv), times these; None stands for zero."""
        jnp = self._np
        q, v, x, t, inputs = arguments
        batch = jnp.broadcast_shapes(q.shape[:-1], v.shape[:-1], x.shape[:-1], t.shape, inputs.shape[:-1])
        own = terms[0][0].shape[len(batch) : -1]
        result = jnp.zeros(batch + own, jnp.result_type(float))
        for derivative, dx in terms:
            if dx is not None:
                dx = dx.reshape(dx.shape[:-1] + (1,) * len(own) + dx.shape[-1:])
                result += jnp.einsum("...j,...j->...", derivative, dx)
        return result

    def _second(self, arguments: tuple, tangents: tuple) -> tuple["jax.Array", "jax.Array", "jax.Array"]:
        """Changes of the derivatives of inverse dynamics by q, v and a.

        A row of each is the derivative of one force: of all forces with a weight of one for it.
        """
        model, jnp = self._model, self._np
        name = "inverse_dynamics_second_derivatives"
        if not model.provides(name):
            raise NotImplementedError(
                f"{model.name} has no derivatives of second order\nhelp: write `provide {name};` in its text, or "
                f"`provide=[…, \"{name}\"]` for the description of a robot"
            )
        q, v, a, t, inputs = arguments
        by_force = lambda x: jnp.asarray(x)[..., None, :]  # noqa: E731
        blocks = self._third_order_is_not_there(
            by_force(q), by_force(v), by_force(a), jnp.eye(self._nv), jnp.asarray(t)[..., None], by_force(inputs)
        )
        (qq, qv, vv, qa), (dq, dv, da) = blocks, tangents
        vq, aq = (jnp.swapaxes(block, -1, -2) for block in (qv, qa))
        return (
            self._changed(arguments, (qq, dq), (qv, dv), (qa, da)),
            self._changed(arguments, (vq, dq), (vv, dv)),
            self._changed(arguments, (aq, dq)),
        )

    @cached_property
    def _third_order_is_not_there(self) -> Callable:
        """The second derivatives of inverse dynamics by q, v, a, weights, t and inputs."""
        function = self._provided("inverse_dynamics_second_derivatives")
        names = ("q", "v", "a", "w", "t", "inputs")
        blocks = self._jax.custom_jvp(lambda *all: tuple(self._called(function, **dict(zip(names, all)))))

        @blocks.defjvp
        def rule(arguments, tangents):
            raise NotImplementedError(f"{self._model.name} has no derivatives of third order")

        return blocks

    @cached_property
    def _forward(self) -> Callable:
        model = self._model
        model._must_be_free("jax.forward_dynamics")
        jnp, given, shape = self._np, ("q", "v", "tau", "t", "inputs"), (self._nv, self._nv)

        def host(q, v, tau, t, inputs):
            a, _ = model.acceleration(q, v, t, inputs, tau)
            return (a,)

        if model.provides("forward_dynamics"):
            value = self._provided("forward_dynamics")
        else:
            value = _Evaluation(given, [(self._nv,)], host)
        if model.provides("forward_dynamics_derivatives"):
            derivatives = self._provided("forward_dynamics_derivatives")
        else:
            derivatives = _Evaluation(given, [shape] * 3, model._acceleration_derivatives)

        def second(arguments, tangents):
            # a solves τ = inverse dynamics at a, and its derivatives are −M⁻¹ times those of inverse dynamics there.
            q, v, _, t, inputs = arguments
            a, (of_q, of_v, inverse) = function(*arguments), matrices(*arguments)
            da = self._changed(arguments, *zip((of_q, of_v, inverse), tangents))
            by_q, by_v, by_a = self._second((q, v, a, t, inputs), (*tangents[:2], da))
            times = lambda x, y: jnp.einsum("...ij,...jk->...ik", x, y)  # noqa: E731
            minus = -inverse
            return (
                times(minus, times(by_a, of_q) + by_q),
                times(minus, times(by_a, of_v) + by_v),
                times(minus, times(by_a, inverse)),
            )

        matrices, function = self._function(value, derivatives, "tau", second)
        return function

    @cached_property
    def _inverse(self) -> Callable:
        model, given, shape = self._model, ("q", "v", "a", "t", "inputs"), (self._nv, self._nv)

        def of_residual(q, v, a, t, inputs):
            of_q, of_v = model.stiffness(q, v, a, None, t, inputs), model.damping(q, v, a, None, t, inputs)
            return of_q, of_v, model.mass_matrix(q)

        if model.provides("inverse_dynamics"):
            value = self._provided("inverse_dynamics")
        else:
            value = _Evaluation(given, [(self._nv,)], lambda *all: (model.inverse_dynamics(*all),))
        if model.provides("inverse_dynamics_derivatives"):
            derivatives = self._provided("inverse_dynamics_derivatives")
        else:
            derivatives = _Evaluation(given, [shape] * 3, of_residual)
        _, function = self._function(value, derivatives, "a", self._second)
        return function

    def _arguments(self, t: Any, inputs: Any, **vectors: Any) -> tuple["jax.Array", ...]:
        """Arrays of a state, checked as those of NumPy are; time and inputs are those of `at` if they are not given."""
        jnp = self._np
        vectors["t"] = self._time if t is None else t
        vectors["inputs"] = self._inputs if inputs is None else inputs
        lengths = {"q": self._nq, "t": None, "inputs": len(self._model.inputs)}
        arrays = []
        for name, value in vectors.items():
            array, length = jnp.asarray(value), lengths.get(name, self._nv)
            if jnp.iscomplexobj(array):
                raise TypeError(f"`{name}`: expected an array of real numbers, found one of {array.dtype}")
            if length is not None and array.shape[-1:] != (length,):
                raise ValueError(f"`{name}`: expected shape (..., {length}), found {array.shape}")
            arrays.append(array.astype(jnp.result_type(float)))
        return tuple(arrays)

    def forward_dynamics(
        self,
        q: "jax.Array",
        v: "jax.Array",
        tau: "jax.Array | None" = None,
        t: "jax.Array | float | None" = None,
        inputs: "jax.Array | None" = None,
    ) -> "jax.Array":
        """Accelerations, (..., nv), of coordinates (..., nq), velocities (..., nv) and forces (..., nv), N or N m.

        `t` is the time, (...), in s, `inputs` are (..., number of inputs); both are constants to derivatives. Of models
        without constraints; see `Model.forward_dynamics`.
        """
        tau = self._np.zeros(self._nv) if tau is None else tau
        return self._forward(*self._arguments(t, inputs, q=q, v=v, tau=tau))

    def inverse_dynamics(
        self,
        q: "jax.Array",
        v: "jax.Array",
        a: "jax.Array",
        t: "jax.Array | float | None" = None,
        inputs: "jax.Array | None" = None,
    ) -> "jax.Array":
        """Forces, (..., nv), N or N m, for accelerations (..., nv); see `Model.inverse_dynamics`.

        `t` is the time, (...), in s, `inputs` are (..., number of inputs); both are constants to derivatives.
        """
        return self._inverse(*self._arguments(t, inputs, q=q, v=v, a=a))

    def mass_matrix(self, q: "jax.Array") -> "jax.Array":
        """Mass matrix, (..., nv, nv), of coordinates (..., nq).

        Built of inverse dynamics, so that it can be differentiated: its columns are the forces of unit accelerations.
        """
        jnp = self._np
        rest = jnp.zeros(self._nv)
        q = self._arguments(None, None, q=q)[0][..., None, :]
        columns = self.inverse_dynamics(q, rest, jnp.eye(self._nv)) - self.inverse_dynamics(q, rest, rest)
        return jnp.swapaxes(columns, -1, -2)
