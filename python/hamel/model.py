"""Models: compiled, described, evaluated and integrated."""

from __future__ import annotations

import inspect
import json
import warnings
from difflib import get_close_matches
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _hamel
from ._hamel import CautionWarning, Interrupted, SimulationError
from .arrays import numbers
from .control import Controller
from .events import Event
from .gradients import Fit, Gradient, Optimum, Sensitivities, bounds_of as _bounds, samples_of as _samples, table_of as _table
from .linearization import Linearization
from .pinocchio import from_pinocchio as _from_pinocchio, to_pinocchio as _to_pinocchio
from .trajectory import Trajectory

if TYPE_CHECKING:
    from .display import Description
    from .formulas import Formulas
    from .jax_functions import JaxFunctions

Level = Literal["optimised", "at_once"]
PROVIDED = (
    "nonlinear_effects",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)


class Channels(tuple):
    """Names of scalars, with their units: `units` has one for each, "1" for angles and pure numbers."""

    units: tuple[str, ...]

    def __new__(cls, channels: Sequence[tuple[str, str]]) -> "Channels":
        self = super().__new__(cls, (name for name, _ in channels))
        self.units = tuple(unit for _, unit in channels)
        return self

    def __getnewargs__(self):
        return (list(zip(self, self.units)),)


_SLOTS = ("q", "v", "a", "tau", "w", "t", "inputs")


_OF_FRAMES = (
    "pose", "velocity", "acceleration", "jacobian", "jacobian_bias", "velocity_derivatives", "acceleration_derivatives",
)  # fmt: skip


def _how_to_provide(function: str) -> str:
    name, _, frame = function.partition("_of_")
    if name not in _OF_FRAMES:
        name, frame = function, ""
    own = frame.endswith("_in_own_axes")
    frame = frame.removesuffix("_in_own_axes")
    word = f"{name}({frame} in {frame})" if own else f"{name}({frame})" if frame else function
    return f"write `provide {word};` in its text, or `provide=[\"{word}\"]` for the description of a robot"


class Frame:
    """What a model provides of a body or marker, see `Model.frame`: functions as attributes."""

    def __init__(self, model: str, name: str, functions: "dict[str, ProvidedFunction]"):
        self._model, self._name = model, name
        self.__dict__.update(functions)

    def __getattr__(self, name: str) -> Any:
        function = name.removesuffix("_in_own_axes")
        asked = f"{function}({self._name}{f' in {self._name}' if function != name else ''})"
        raise AttributeError(
            f"`{self._model}` does not provide `{name}` of `{self._name}`\nhelp: {_how_to_provide(asked)}"
        )


class AccelerationDerivatives(NamedTuple):
    """Derivatives of accelerations and multipliers, see `Model.acceleration_derivatives`."""

    a_by_q: np.ndarray
    a_by_v: np.ndarray
    a_by_tau: np.ndarray
    multipliers_by_q: np.ndarray
    multipliers_by_v: np.ndarray
    multipliers_by_tau: np.ndarray


class Monodromy(NamedTuple):
    """What small departures from a periodic motion become in a period, see `Model.monodromy`."""

    matrix: np.ndarray
    """(n, n): departures after a period by those before."""
    multipliers: np.ndarray
    """Its eigenvalues; departures grow where one is larger than 1."""
    states: Channels
    """Names of the departures."""


class ProvidedFunction:
    """A function that a model provides, see `Model.provided`.

    It is called with arrays of states as the other functions are, for instance as `f(q, v)`; `given` are the names of its
    arguments, before `inputs`, which those of time take last. It gives an array, or a named tuple of several.
    """

    def __init__(
        self,
        model: "Model",
        place: int,
        name: str,
        frame: str | None,
        doc: str,
        given: Sequence[str],
        results: Sequence[Any],
    ):
        self._model, self._place = model, place
        self.frame = frame
        """The body or marker that it is about, or None."""
        self.__name__ = name
        self.__doc__ = f"{doc}\n\nArguments: {', '.join(given)}. Results: " + ", ".join(
            f"{result} (..., {', '.join(map(str, shape))})" for result, shape in results
        )
        # Time comes last, as in the other functions, and is zero by default.
        self.given: tuple[str, ...] = tuple(sorted(given, key=lambda one: one == "t"))
        self.results: tuple[str, ...] = tuple(result for result, _ in results)
        self._tuple = namedtuple("Results", self.results) if len(results) > 1 else None
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(one, kind) for one in self.given if one != "t"]
        self._least = len(parameters)
        if "t" in given:
            parameters += [inspect.Parameter(one, kind, default=None) for one in ("t", "inputs")]
        self.__signature__ = inspect.Signature(parameters)
        self._slots = [_SLOTS.index(parameter.name) for parameter in parameters]

    def __call__(self, *arguments: ArrayLike, **named: ArrayLike) -> Any:
        if named or not self._least <= len(arguments) <= len(self._slots):
            bound = self.__signature__.bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        values: list[Any] = [None] * len(_SLOTS)
        for slot, value in zip(self._slots, arguments):
            values[slot] = value
        results = self._model._evaluate_provided(self._place, *values)
        return self._tuple(*results) if self._tuple else results[0]

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.__signature__} of hamel.Model {self._model.name}>"


class Parameters(Mapping):
    """Values of a model's parameters, by the names of their components, in SI units and rad.

    It cannot be changed: `Model.with_parameters` makes another model.
    """

    def __init__(self, values: Mapping[str, float], units: Mapping[str, str], defaults: Mapping[str, float]):
        self._values = dict(values)
        self.units: dict[str, str] = dict(units)
        """The SI unit of each; "1" for angles and pure numbers."""
        self.defaults: dict[str, float] = dict(defaults)
        """The values in the text of the model."""

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        lines = (f"  {name} = {self[name]!r} {unit if unit != '1' else ''}".rstrip() for name, unit in self.units.items())
        return "\n".join(["Parameters:", *lines]) if self else "Parameters: none"

    def _repr_html_(self) -> str:
        from .display import table

        rows = [(name, f"{self[name]:.9g}", self.units[name], f"{self.defaults[name]:.9g}") for name in self]
        return table(("parameter", "value", "unit", "default"), rows)


class Limits(NamedTuple):
    """Limits of the joints, infinite where there are none; see `Model.limits`."""

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


class Model(_hamel.Model):
    """A mechanical system, compiled to machine code, with values of its parameters.

    Make one by `from_file`, `from_text`, `from_urdf`, `from_mjcf`, `from_sdf`, or take one of `hamel.models`. Its functions take NumPy arrays of
    doubles whose last axis belongs to one state; all axes before are a batch, and broadcast. Models do not change and
    may be used by several threads at once.
    """

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        *,
        model: str | None = None,
        level: Level = "optimised",
        cache: bool = True,
        **urdf: Any,
    ) -> "Model":
        """Compiles a model of a file.

        Parameters
        ----------
        path : path
            A file `.model` with the text of a model, a file `.rs` with `multibody!` calls, or the description of a
            robot, `.urdf`, MuJoCo's `.xml` or SDFormat's `.sdf`.
        model : str
            Which model of a file that has several.
        level : "optimised" or "at_once"
            How much is done before it runs: simplified as generated code is, or as little as possible.
        cache : bool
            Whether machine code is kept for the next process, in the user's folder for caches.
        **urdf
            Of a robot: the arguments of `from_urdf`, `from_mjcf` or `from_sdf`.

        Raises
        ------
        ModelError
            If the file cannot be read or has no such model; the message has the place of each mistake.
        """
        path = fspath(path)
        if path.endswith(".urdf"):
            return cls.from_urdf(path, level=level, cache=cache, **urdf)
        if path.endswith((".xml", ".mjcf")):
            return cls.from_mjcf(path, level=level, cache=cache, **urdf)
        if path.endswith((".sdf", ".world")):
            return cls.from_sdf(path, level=level, cache=cache, **urdf)
        if urdf:
            endings = "`.urdf`, `.xml` and `.sdf`"
            raise TypeError(f"{', '.join(urdf)}: only descriptions of robots, {endings}, take these arguments")
        return cls(_hamel.Compiled.from_file(path, level, cache, model))

    @classmethod
    def from_text(
        cls, text: str, *, model: str | None = None, level: Level = "optimised", cache: bool = True
    ) -> "Model":
        """Compiles the text of a model, `model Name { … }`. The arguments are those of `from_file`."""
        return cls(_hamel.Compiled.from_text(text, level, cache, None, model))

    @classmethod
    def from_urdf(
        cls,
        robot: str | PathLike[str],
        *,
        floating: bool = False,
        provide: Sequence[str] = PROVIDED,
        exact_angles: bool = False,
        repair_inertia: bool = False,
        parameters: Sequence[str] = (),
        stops: bool = False,
        packages: Mapping[str, str | PathLike[str]] | None = None,
        arguments: Mapping[str, object] | None = None,
        level: Level = "optimised",
        cache: bool = True,
    ) -> "Model":
        """Compiles a robot that is described in URDF.

        Parameters
        ----------
        robot : path or str
            The file, or its text.
        floating : bool
            Whether the root link moves freely; otherwise it is the ground.
        provide : names
            The functions that the model is to provide; fewer compile faster. Those of links are written
            `"jacobian(tool0)"` or `"jacobian(tool0 in tool0)"`, and called by `model.frame("tool0").jacobian(q)`.
        exact_angles : bool
            Whether angles such as 1.5708 mean what they say, and not the right angle.
        repair_inertia : bool
            Whether inertias that no rigid body has are replaced by the nearest that one has; each is said by a warning.
        parameters : names
            Numbers that become parameters, with what is described as their default: "mass" (of each body, with what is
            fixed to it: `arm_mass`), "inertia" (with masses and centres of mass), "kinematics" (where joints stand) or
            "all" (with dampings). Zeros and right angles remain what they are.
        stops : bool
            Whether contacts keep joints within their limits.
        packages : mapping
            Where the files of packages are, for meshes such as `package://name/arm.stl` that are not above the description,
            and for included files.
        arguments : mapping
            Values of the arguments of a description with macros (xacro).

        What is left out of the description, such as shapes, is said by a warning.
        """
        words = (floating, provide, exact_angles, repair_inertia, parameters, stops, packages, arguments)
        return cls._from_robot("urdf", robot, level, cache, *words)

    @classmethod
    def from_mjcf(
        cls,
        robot: str | PathLike[str],
        *,
        provide: Sequence[str] = (),
        repair_inertia: bool = False,
        parameters: Sequence[str] = (),
        stops: bool = False,
        packages: Mapping[str, str | PathLike[str]] | None = None,
        level: Level = "optimised",
        cache: bool = True,
    ) -> "Model":
        """Compiles a robot that is described in MuJoCo's MJCF; actuators become inputs.

        A free joint moves with its velocities in the axes of the body, where MuJoCo has the linear one in those of the
        ground; coordinates are counted from the reference position. The arguments are those of `from_urdf`; functions
        can be provided by models that close no loops, and then those of the description are left out.
        """
        words = (False, provide, False, repair_inertia, parameters, stops, packages, None)
        return cls._from_robot("mjcf", robot, level, cache, *words)

    @classmethod
    def from_sdf(
        cls,
        robot: str | PathLike[str],
        *,
        floating: bool = False,
        provide: Sequence[str] = PROVIDED,
        exact_angles: bool = False,
        repair_inertia: bool = False,
        parameters: Sequence[str] = (),
        stops: bool = False,
        packages: Mapping[str, str | PathLike[str]] | None = None,
        level: Level = "optimised",
        cache: bool = True,
    ) -> "Model":
        """Compiles the robots that are described in SDFormat, with all models of a world on one ground.

        What no joint connects with the world moves freely if it is `floating`, and otherwise stands on the ground, which is
        said by a warning. The arguments are those of `from_urdf`.
        """
        words = (floating, provide, exact_angles, repair_inertia, parameters, stops, packages, None)
        return cls._from_robot("sdf", robot, level, cache, *words)

    @classmethod
    def _from_robot(
        cls,
        format: str,
        robot: str | PathLike[str],
        level: Level,
        cache: bool,
        floating: bool,
        provide: Sequence[str],
        exact_angles: bool,
        repair_inertia: bool,
        parameters: Sequence[str],
        stops: bool,
        packages: Mapping[str, str | PathLike[str]] | None,
        arguments: Mapping[str, object] | None,
    ) -> "Model":
        provide, parameters = ([one] if isinstance(one, str) else list(one) for one in (provide, parameters))
        text = fspath(robot)
        name = f"<{format}>"
        if not text.lstrip().startswith("<"):
            name = text
            try:
                with open(text, encoding="utf-8") as file:
                    text = file.read()
            except (OSError, UnicodeDecodeError) as error:
                raise _hamel.ModelError(f"cannot read `{name}`: {error}") from error
        # As xacro writes them.
        written = [(key, str(value)) for key, value in (arguments or {}).items()]
        compiled, said = _hamel.Compiled.from_robot(
            format, text, name, level, cache, floating, provide, exact_angles, repair_inertia, parameters, stops,
            list((packages or {}).items()), written,
        )
        for warning in said:
            warnings.warn(warning, stacklevel=3)
        return cls(compiled)

    # What it is.

    @cached_property
    def parameters(self) -> Parameters:
        """Values of the parameters, with units and defaults."""
        units = {name: unit for name, unit, _ in self._parameters}
        values = {name: value for name, _, value in self._parameters}
        return Parameters(values, units, {name: value for name, _, value in _hamel.Model(self._compiled)._parameters})

    def with_parameters(self, values: Mapping[str, float] | None = None, /, **named: float) -> "Model":
        """The same model with other values of some parameters, in SI units and rad; the machine code is shared.

        Components of vectors and matrices have names of their own, `tip_x`, `inertia_xx`, or paths, `tip[0]`.

        Raises
        ------
        ModelError
            For a name that no parameter has, and a value that no mechanical system can have.
        """
        changed = {**dict({} if values is None else values), **named}
        return self._with_compiled(self._compiled, changed)

    def _with_compiled(self, compiled: "_hamel.Compiled", changed: Mapping[str, float]) -> "Model":
        compiled.check_names(list(changed))
        both = [(name, value) for name, _, value in self._parameters]
        for name, value in changed.items():
            try:
                both.append((name, float(value)))
            except (TypeError, ValueError):
                unit = {known: unit for known, unit, _ in self._parameters}.get(name, "1")
                expected = "a number" if unit == "1" else f"a number, in {unit}"
                raise TypeError(f"parameter `{name}`: expected {expected}, found {value!r}") from None
        return type(self)(compiled, both)

    @cached_property
    def coordinates(self) -> Channels:
        """Names of the coordinates q; `coordinates.units` are their units."""
        return Channels(self._channels("coordinates"))

    @cached_property
    def velocities(self) -> Channels:
        """Names of the velocities v, with `units`; a velocity that is the rate of a coordinate has its name."""
        return Channels(self._channels("velocities"))

    @cached_property
    def limits(self) -> Limits:
        """Limits of the joints, as the model gives them: data for controllers, which the motion does not heed.

        Arrays `lower` and `upper` of the coordinates q, and of the velocities v `velocity` and `effort`, the greatest
        magnitudes of velocity and of force or torque; infinite where there is no limit.
        """
        n_q, n_v = len(self.coordinates), len(self.velocities)
        limits = Limits(np.full(n_q, -np.inf), np.full(n_q, np.inf), np.full(n_v, np.inf), np.full(n_v, np.inf))
        for coordinate, velocity, both, speed, effort in self._limits:
            if both is not None:
                limits.lower[coordinate], limits.upper[coordinate] = both
            if speed is not None:
                limits.velocity[velocity] = speed
            if effort is not None:
                limits.effort[velocity] = effort
        return limits

    @cached_property
    def constraints(self) -> Channels:
        """Names of the constraints g, with `units`; those on velocities come last."""
        return Channels(self._channels("constraints"))

    @cached_property
    def inputs(self) -> Channels:
        """Names of the inputs, with `units`."""
        return Channels(self._channels("inputs"))

    @cached_property
    def outputs(self) -> Channels:
        """Names of the outputs, component by component, with `units`."""
        return Channels(self._channels("outputs"))

    @cached_property
    def contacts(self) -> Channels:
        """Names of the contacts, with the units of their gaps."""
        return Channels(self._channels("contacts"))

    @property
    def source(self) -> str:
        """The text of the model."""
        return self._compiled.source

    def describe(self) -> "Description":
        """What the compiler makes of the model: equations, topology, operation counts; shown richly in notebooks."""
        from .display import Description

        return Description(self)

    def sympy(self) -> "Formulas":
        """The formulas of the model for SymPy, by the names of its functions."""
        from .formulas import Formulas

        return Formulas(self)

    @cached_property
    def jax(self) -> "JaxFunctions":
        """Functions for JAX, with derivatives: they can be compiled, batched and differentiated once."""
        from .jax_functions import JaxFunctions

        return JaxFunctions(self)

    def acceleration_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> AccelerationDerivatives:
        """Derivatives of `acceleration`, of models without constraints or that `provide constraint_acceleration_derivatives`.

        Multipliers of redundant constraints count as zero.

        Parameters
        ----------
        q : array (..., nq)
            Coordinates.
        v : array (..., nv)
            Velocities.
        tau : array (..., nv), default 0
            Forces on the directions of the velocities, N or N m, beside those of the model.
        t : float or array (...), default 0
            Time, s.
        inputs : array (..., number of inputs), default 0
            Inputs.

        Returns
        -------
        AccelerationDerivatives
            `a_by_q`, `a_by_v`, `a_by_tau` (..., nv, nv) and `multipliers_by_q` and so on (..., nc, nv): along the directions
            of the velocities, by the velocities, by the forces.

        Raises
        ------
        ModelError
            If the model does not provide them.
        SimulationError
            If a state has no accelerations.
        """
        return AccelerationDerivatives(*self._derivatives_of_acceleration(q, v, tau, t, inputs))

    @cached_property
    def provided(self) -> "dict[str, ProvidedFunction]":
        """The functions that the text asks for by `provide`, by name; each is an attribute of the model as well.

        For example `model.jacobian_of_tool(q)` of a text with `provide jacobian(tool);`.
        """
        return {known[0]: ProvidedFunction(self, place, *known) for place, known in enumerate(self._provided)}

    def frame(self, name: str) -> "Frame":
        """What the model provides of a body or marker, by the names of the functions.

        With `provide pose(tool), jacobian(tool), jacobian(tool in tool);` in the text, `model.frame("tool")` has `pose`,
        `jacobian` and `jacobian_in_own_axes`.

        Raises
        ------
        ModelError
            If the model provides nothing of it.
        """
        functions = {}
        for function in self.provided.values():
            if function.frame == name:
                kind, _, rest = function.__name__.partition("_of_")
                functions[kind + ("_in_own_axes" if rest.endswith("_in_own_axes") else "")] = function
        if not functions:
            known = sorted({function.frame for function in self.provided.values() if function.frame})
            near = get_close_matches(name, known, 1)
            help = f"did you mean `{near[0]}`?" if near else _how_to_provide(f"jacobian({name})")
            raise _hamel.ModelError(f"`{self.name}` provides nothing of `{name}`\nhelp: {help}")
        return Frame(self.name, name, functions)

    def __getattr__(self, name: str) -> Any:
        # Only what the class does not have is looked for here.
        if not name.startswith("_") and name in self.provided:
            return self.provided[name]
        near = get_close_matches(name, self.provided, 1)
        help = f"did you mean `{near[0]}`?" if near else _how_to_provide(name)
        raise AttributeError(f"`Model` has no attribute `{name}`, and `{self.name}` does not provide it\nhelp: {help}")

    def __dir__(self):
        return sorted({*super().__dir__(), *self.provided})

    def __repr__(self) -> str:
        sizes = f"{len(self.coordinates)} coordinates, {len(self.velocities)} velocities"
        more = [("constraints", self.constraints), ("contacts", self.contacts), ("inputs", self.inputs)]
        return f"<hamel.Model {self.name}: " + ", ".join([sizes, *(f"{len(a)} {what}" for what, a in more if a)]) + ">"

    def _repr_html_(self) -> str:
        return self.describe()._repr_html_()

    def __reduce__(self):
        own = (self.source, self._compiled.level, dict(self.parameters), self._compiled.pinocchio)
        return (_restored, (type(self), *own))

    def to_pinocchio(
        self, q: ArrayLike, v: ArrayLike | None = None
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Coordinates, and velocities, in the order and form that Pinocchio has of the same URDF.

        Pinocchio takes joints down to the tips, children by their names; it has the cosine and sine of an angle without
        limits, quaternions that end with the scalar, and coordinates of their own for joints that follow others.

        Parameters
        ----------
        q, v : array (…, nq), (…, nv)
            Coordinates and velocities of this model.

        Returns
        -------
        array (…, model.nq), or a pair with (…, model.nv)
            Those of `pinocchio.buildModelFromUrdf`, with `JointModelFreeFlyer` for a floating root.

        Raises
        ------
        ValueError
            If the model does not come from a URDF, or has planar joints with another axis than z, which Pinocchio ignores.
        """
        return _to_pinocchio(self, q, v)

    def from_pinocchio(
        self, q: ArrayLike, v: ArrayLike | None = None
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The reverse of `to_pinocchio`: coordinates and velocities of this model.

        Angles without limits lie within −π and π; what Pinocchio has of joints that follow others is not used.
        """
        return _from_pinocchio(self, q, v)

    # How it moves.

    def initial_state(
        self, initial: Mapping[str, float | str] | None = None, inputs: Mapping[str, Any] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and velocities at the start, (nq,) and (nv,), consistent with constraints.

        `initial` and `inputs` are those of `simulate`.
        """
        return self._initial_state(_inputs(inputs), self._start(initial))

    def linearize(
        self,
        about: Literal["equilibrium", "steady", "state"] = "equilibrium",
        *,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | tuple[np.ndarray, np.ndarray] | None = None,
        time: float = 0.0,
    ) -> Linearization:
        """Linearises the model: matrices, eigenvalues and natural motions of small departures, with exact derivatives.

        Parameters
        ----------
        about : str
            ``"equilibrium"``, the one that Newton's method finds from the initial state; ``"steady"``, the steady motion of
            the initial state, whose coordinates may grow; or ``"state"``, that state with the accelerations it has.
        parameters, inputs, initial
            As in `simulate`; `initial` may be q and v of a moment of a trajectory.
        time : float
            Time of the state, s: of inputs, and of forces and constraints that change with time.

        Returns
        -------
        Linearization

        Raises
        ------
        LinearizationError
            If there is no equilibrium, no steady motion, or a contact is closed.

        Warns
        -----
        CautionWarning
            If forces, inputs or constraints change with time.
        """
        model = self.with_parameters(parameters) if parameters else self
        found = _hamel.Linearized.of(model, about, _inputs(inputs), self._start(initial), float(time))
        _warn([doubt for doubt, is_expected in found.doubts if not is_expected])
        return Linearization(found)

    def sensitivities(
        self,
        names: Sequence[str],
        *,
        until: float | None = None,
        dt: float = 1e-3,
        times: ArrayLike | None = None,
        scheme: str | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Sensitivities:
        """Outputs of a motion, and their exact derivatives with respect to parameters.

        What is differentiated are the numbers that the scheme computes with its steps, whose lengths do not depend on
        parameters. With contacts, steps are divided where these close, at instants that change with parameters; an impact has
        two rows of one time, before it and after it.

        Parameters
        ----------
        names : sequence of str
            Parameters, component by component.
        until, dt : float
            End of the motion and length of its steps, s.
        times : array_like
            In place of both: ascending times to each of which a single step leads, such as `t` of a trajectory whose steps
            were chosen by a tolerance.
        scheme : str
            By default ``"runge_kutta"``, ``"esdirk436"`` for rotations with angular velocities (``"radau_iia5"`` if formulas
            give way to others), or ``"bathe"`` with
            contacts.
        parameters, inputs, initial
            As in `simulate`. Initial conditions may contain parameters; a state as `initial` depends on none.

        Returns
        -------
        Sensitivities
            With `t` (n,), `outputs` (n, outputs) and `slopes` (n, outputs, names).
        """
        model = self.with_parameters(parameters) if parameters else self
        t, outputs, slopes, cautions = _hamel.sensitivities(
            model, list(names), scheme, *_steps(until, dt, times), _inputs(inputs), self._start(initial)
        )
        _warn(cautions)
        return Sensitivities(t, outputs, slopes, names=tuple(names), cautions=tuple(cautions))

    def gradient(
        self,
        objective: Callable[[np.ndarray, np.ndarray], tuple[float, ArrayLike] | tuple[float, ArrayLike, ArrayLike]],
        *,
        until: float | None = None,
        dt: float = 1e-3,
        times: ArrayLike | None = None,
        scheme: str | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | tuple[np.ndarray, np.ndarray] | None = None,
        checkpoints: int | None = None,
    ) -> Gradient:
        """The exact gradient of a number that judges a motion, by the adjoint of its steps.

        Its cost does not depend on the number of parameters.

        Parameters
        ----------
        objective : callable
            ``objective(t, y)`` is given the times (n,) and the outputs (n, outputs) of all steps, the start among them, and
            returns the number and its derivatives with respect to `y`, (n, outputs). An impact has two rows of one time, before
            it and after it. A motion with impacts needs a third result, (n,): what is integrated over time at each row, zeros
            where nothing is, because an impact that comes later prolongs what was before.
        until, dt, times, scheme, parameters, inputs, initial
            As in `sensitivities`.
        checkpoints : int
            Bounds the memory of long motions: so many copies from which steps are made again, in place of what every step
            does; a hundred are enough for a million steps. The result has the same digits.

        Returns
        -------
        Gradient
            With `value`, `parameters` (by name), `position` and `velocity` (of the start, along the velocities, (nv,)),
            and `inputs`: by name, pairs of the times at which the motion reads an input and the derivative by its value
            then, (m, 2).

        Examples
        --------
        >>> import hamel, numpy as np
        >>> pendulum = hamel.Model.from_text('''model Pendulum {
        ...     planar;
        ...     coordinates joint;
        ...     param length = 1 m;
        ...     gravity [0, -9.81] m/s^2;
        ...     body bob { mass: 1 kg, inertia: 0.01 kg m^2 }
        ...     joint hinge: revolute(ground, bob at [0 m, length]);
        ...     initial hinge.angle = 0.3 rad;
        ...     output angle = hinge.angle;
        ... }''')
        >>> def last(t, y):
        ...     slopes = np.zeros_like(y)
        ...     slopes[-1, 0] = 1.0
        ...     return y[-1, 0], slopes
        >>> gradient = pendulum.gradient(last, until=1.0)
        >>> sorted(gradient.parameters)
        ['length']
        """

        if checkpoints is not None and checkpoints < 1:
            raise ValueError(f"`checkpoints`: expected at least 1, found {checkpoints}")

        def judged(t: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray, np.ndarray | None]:
            found = objective(t, y)
            if not isinstance(found, (tuple, list)) or len(found) not in (2, 3):
                raise TypeError(
                    "`objective`: expected it to return (value, slopes), or (value, slopes, integrand), "
                    f"found {type(found).__name__}"
                )
            value = float(found[0])
            slopes, *integrand = [np.ascontiguousarray(array, dtype=float) for array in found[1:]]
            if not np.isfinite(value) or not all(np.isfinite(array).all() for array in [slopes, *integrand]):
                raise ValueError("`objective`: its value or one of its derivatives is not finite")
            return value, slopes, integrand[0] if integrand else None

        model = self.with_parameters(parameters) if parameters else self
        value, by_parameter, (position, velocity), by_input, cautions = _hamel.gradient(
            model, judged, scheme, *_steps(until, dt, times), _inputs(inputs), self._start(initial), checkpoints
        )
        _warn(cautions)
        return Gradient(value, dict(by_parameter), position, velocity, dict(by_input), tuple(cautions))

    def fit(
        self,
        data: str | PathLike | Mapping[str, ArrayLike],
        free: Sequence[str] | Mapping[str, tuple[float | None, float | None]],
        *,
        dt: float = 1e-3,
        until: float | None = None,
        noise: Mapping[str, float] | None = None,
        intervals: int = 1,
        motions: int = 2000,
        scheme: str | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | None = None,
    ) -> Fit:
        """Fits parameters to measurements of outputs, by least squares with exact derivatives.

        Parameters
        ----------
        data : str, PathLike or mapping
            A CSV file, or columns by name such as a pandas DataFrame: ``t``, s, which ascends, and outputs. Gaps are empty
            cells, NaN or None.
        free : sequence of str or mapping
            The parameters, with bounds if it is a mapping: ``{"mass": (0, None)}``. The search begins at their values.
        dt : float
            Longest step, s; steps end at the times of the measurements.
        until : float
            Takes measurements up to this time alone, s.
        noise : mapping
            Standard deviations of outputs; those that are not given are estimated.
        intervals : int
            Begins the search in so many intervals of the motion, each with a start of its own: for motions that grow apart,
            where the search for the whole motion ends in the wrong place.
        motions : int
            Most motions; the search ends there, with a doubt.
        scheme, parameters, inputs, initial
            As in `sensitivities`; `initial` are initial conditions by name.

        Returns
        -------
        Fit
            With `values`, `errors` (standard errors) and `correlation`; `model` are the outputs at the times of the
            measurements, `doubts` what the measurements do not tell.
        """
        if intervals < 1:
            raise ValueError(f"`intervals`: expected at least 1, found {intervals}")
        if motions < 1:
            raise ValueError(f"`motions`: expected at least 1, found {motions}")
        bounds = _bounds(free)
        model = self.with_parameters(parameters) if parameters else self
        if isinstance(data, (str, PathLike)):
            with open(data, encoding="utf-8") as file:
                table = file.read()
        else:
            table = _table(data)
        deviations = [(name, float(value)) for name, value in (noise or {}).items()]
        start = self._start(initial)
        limits, given = (intervals, motions), _inputs(inputs)
        until = None if until is None else float(until)
        found, doubts = _hamel.fit(model, table, bounds, deviations, scheme, float(dt), until, limits, given, start)
        return Fit.of(json.loads(found), tuple(doubts))

    def minimize(
        self,
        objective: str,
        *,
        until: float,
        free: Sequence[str] | Mapping[str, tuple[float | None, float | None]] = (),
        samples: Mapping[str, int | ArrayLike | tuple[int | ArrayLike, float | None, float | None]] | None = None,
        subject_to: Mapping[str, float | tuple[float | None, float | None]] | None = None,
        dt: float = 1e-3,
        tolerance: float = 1e-6,
        iterations: int = 200,
        scheme: str | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | None = None,
    ) -> Optimum:
        """Parameters and sampled inputs that make a number of the motion least, by exact gradients.

        Parameters
        ----------
        objective : str
            ``"NAME.final"``, an output at the end, ``"NAME.integral"``, its integral over time, or ``"NAME.squared"``, that
            of its square; with a minus sign before it, what is to be largest.
        until, dt : float
            End of the motion, and longest step, s.
        free : sequence of str or mapping
            Parameters to choose, with bounds if it is a mapping: ``{"mass": (0.5, None)}``. The search begins at their
            values.
        samples : mapping
            Inputs to choose, linear between samples: their number or times, alone or with bounds of the values:
            ``{"force": 21}``, ``{"force": ([0, 0.5, 2], -10, 10)}``. The search begins at the input that `inputs` gives, or at
            zero; outside of the bounds at the nearest.
        subject_to : mapping
            What the motion must meet, written as objectives are: a value, or a range.
        tolerance : float
            No slope is larger at an optimum, relative to the objective, and conditions are met to it.
        iterations : int
            Most iterations.
        scheme, parameters, inputs, initial
            As in `fit`.

        Returns
        -------
        Optimum
            The best design that was seen; `converged` says whether it is an optimum.

        Examples
        --------
        >>> import hamel
        >>> slide = hamel.Model.from_text('''model Slide {
        ...     planar;
        ...     coordinates joint;
        ...     input force N;
        ...     body block { mass: 1 kg, inertia: 1 kg m^2 }
        ...     joint rail: prismatic(ground, block);
        ...     force push: [force, 0 N] on block;
        ...     initial rail.displacement = 0 m;
        ...     output x = rail.displacement;
        ...     output speed = rail.displacement.velocity;
        ...     output effort = force;
        ... }''')
        >>> found = slide.minimize("effort.squared", until=1.0, samples={"force": 3},
        ...                        subject_to={"x.final": 1.0, "speed.final": 0.0})
        >>> found.converged
        True
        >>> [round(float(value), 3) + 0.0 for value in found.inputs["force"][:, 1]]
        [6.0, 0.0, -6.0]
        """
        of_inputs = []
        for name, sampled in (samples or {}).items():
            of_inputs.append((name, *_samples(name, sampled, float(until))))
        conditions = {
            name: target if isinstance(target, tuple) else (target, target)
            for name, target in (subject_to or {}).items()
        }
        for what, value in (("until", until), ("dt", dt), ("tolerance", tolerance), ("iterations", iterations)):
            if not (np.isfinite(value) and value > 0):
                raise ValueError(f"`{what}`: expected a positive number, found {value}")
        model = self.with_parameters(parameters) if parameters else self
        limits = float(tolerance), int(iterations)
        found, converged, ended = _hamel.minimize(
            model, objective, _bounds(free), of_inputs, _bounds(conditions), limits, scheme, float(until), float(dt),
            _inputs(inputs), self._start(initial),
        )  # fmt: skip
        optimum = Optimum.of(json.loads(found), converged, ended, objective.startswith("-"))
        _warn(optimum.cautions)
        return optimum

    def monodromy(
        self,
        period: float,
        *,
        tolerance: float = 1e-9,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Monodromy:
        """What small departures from the periodic motion of the initial state become in a period.

        Parameters
        ----------
        period : float
            The period, s, after which velocities return.
        tolerance : float
            Relative error of the matrix.
        parameters, inputs, initial
            As in `simulate`.

        Returns
        -------
        Monodromy

        Raises
        ------
        LinearizationError
            If the motion does not return.
        """
        model = self.with_parameters(parameters) if parameters else self
        matrix, states = _hamel.monodromy_matrix(model, period, tolerance, _inputs(inputs), self._start(initial))
        return Monodromy(matrix, np.linalg.eigvals(matrix), Channels(states))

    @staticmethod
    def _start(initial: Any) -> tuple | list | None:
        """How a run begins: a state, or initial conditions with whether they are numbers without a unit."""
        if initial is None:
            return None
        if not isinstance(initial, Mapping):
            q, v = initial
            state = [float(x) for x in np.ravel(q)], [float(x) for x in np.ravel(v)]
            if not np.isfinite([*state[0], *state[1]]).all():
                raise ValueError("`initial`: expected finite coordinates and velocities")
            return state
        for name, value in initial.items():
            if not isinstance(value, str) and not np.isfinite(value).all():
                raise ValueError(f"`initial`: expected finite numbers for `{name}`, found {value}")
        return [
            (name, value, False) if isinstance(value, str) else (name, _written(numbers(f"`{name}`", value)), True)
            for name, value in initial.items()
        ]

    def simulate(
        self,
        scheme: str | None = None,
        *,
        until: float,
        dt: float | None = None,
        tolerance: float | None = None,
        scheme_parameters: Mapping[str, float] | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float | str | Callable[[float], float] | np.ndarray] | None = None,
        initial: Mapping[str, float | str] | tuple[np.ndarray, np.ndarray] | None = None,
        events: Sequence[Event | Callable | str] = (),
        controllers: Sequence[Controller] = (),
        record_every: int | None = None,
        constraints: Literal["position", "velocity", "acceleration"] | None = None,
        keep_drift: bool = False,
        max_residual: float | None = None,
        max_energy_gain: float | None = None,
        newton_tolerance: float | None = None,
        last_point_rotations: bool = False,
        follow_impacts: bool = False,
    ) -> Trajectory:
        """Integrates the motion from the initial conditions of the model.

        Without a scheme and steps, those of `hamel run` are taken: a scheme that suits the model, and steps that are
        chosen by a tolerance where the scheme can do that. Ctrl-C ends the run.

        Parameters
        ----------
        scheme : str
            Name of a scheme, one of `hamel.schemes()`; `scheme_parameters` are its own, such as `rho_infinity`.
        until : float
            End of the motion, s.
        dt : float
            Step size, or with a tolerance the first one, s. Chosen steps are a two-hundredth of the motion at most: a force
            that acts for a shorter time may be passed over, unless it is given by samples, or steps are equal.
        tolerance : float
            Relative and absolute tolerance by which steps are chosen.
        parameters : mapping
            As in `with_parameters`.
        inputs : mapping
            By name a number, a function of time (called in this process), the text of one such as ``"2*sin(3*t)"``, or
            samples, (n, 2), of times and values with lines between; in the units of the inputs. Others are zero.
        initial : mapping or (q, v)
            Initial conditions that replace those of the model: ``{"hinge.angle": "30 deg"}``, numbers in SI units and
            rad; or coordinates and velocities, which must obey the constraints.
        events : sequence
            `Event`, functions of t, q and v, or names of coordinates; a single one need not be in a list.
        controllers : sequence of Controller
            Laws that set inputs at a rate of their own; these are not among `inputs`.
        record_every : int
            Records every n-th step; by default such that there are about a thousand records, or every step where steps are
            chosen.
        constraints, keep_drift, max_residual, max_energy_gain, newton_tolerance, last_point_rotations, follow_impacts
            As the options of `hamel run`.

        Returns
        -------
        Trajectory

        Raises
        ------
        SimulationError
            If a step fails; `trajectory` has what was computed before, `time` when that was.
        Interrupted
            After Ctrl-C, with the same attributes; it is a `KeyboardInterrupt`.

        Warns
        -----
        CautionWarning
            If the results are to be taken with caution.
        """
        model = self.with_parameters(parameters) if parameters else self
        settings = {
            "constraints": constraints,
            "keep_drift": keep_drift,
            "max_residual": max_residual,
            "max_energy_gain": max_energy_gain,
            "newton_tolerance": newton_tolerance,
            "last_point_rotations": last_point_rotations,
            "follow_impacts": follow_impacts,
        }
        run = model._simulate(
            scheme,
            [(name, float(value)) for name, value in (scheme_parameters or {}).items()],
            (float(until), dt, tolerance),
            _inputs(inputs),
            self._start(initial),
            [model._event(event) for event in _sequence(events, (str, Event, Callable))],
            [Controller.checked(controller).plain() for controller in _sequence(controllers, Controller)],
            record_every,
            settings,
        )
        trajectory = Trajectory(run)
        _warn([f"{trajectory.scheme}: {caution}" for caution in trajectory.cautions])
        if run.failure is None:
            return trajectory
        exception = run.exception
        if exception is not None and not isinstance(exception, (Exception, KeyboardInterrupt)):
            # `SystemExit` and the like mean the program, not the run.
            raise exception
        kind = Interrupted if isinstance(exception, KeyboardInterrupt) else SimulationError
        error = kind(run.failure if not exception else f"{run.failure}: {type(exception).__name__}: {exception}")
        error.trajectory = trajectory
        error.time = float(trajectory.t[-1]) if len(trajectory) else None
        raise error from exception

    def _must_be_free(self, function: str) -> None:
        if self.constraints or self.contacts:
            kind = "constraints" if self.constraints else "contacts"
            raise _hamel.ModelError(f"`{self.name}` has {kind}, and therefore no `{function}`")

    def _acceleration_derivatives(self, q, v, tau, t, inputs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """∂a/∂q N, ∂a/∂v and M⁻¹ of a model without constraints."""
        if self.provides("forward_dynamics_derivatives"):
            return self.forward_dynamics_derivatives(q, v, tau, t, inputs)
        a, _ = self.acceleration(q, v, t, inputs)
        mass = self.mass_matrix(q)
        if tau is not None:
            a = a + np.linalg.solve(mass, np.asarray(tau, dtype=float)[..., None])[..., 0]
        inverse = np.linalg.inv(mass)
        of_q, of_v = self.stiffness(q, v, a, None, t, inputs), self.damping(q, v, a, None, t, inputs)
        return -inverse @ of_q, -inverse @ of_v, inverse

    def _event(self, given: Event | Callable | str) -> tuple[Callable, str, bool]:
        event = Event.of(given)
        function = event.function
        if isinstance(function, str):
            name, value = function, event.value
            if name in self.coordinates:
                place = self.coordinates.index(name)
                function = lambda t, q, v: q[place] - value  # noqa: E731
            elif name in self.velocities:
                place = self.velocities.index(name)
                function = lambda t, q, v: v[place] - value  # noqa: E731
            else:
                known = ", ".join([*self.coordinates, *self.velocities])
                raise ValueError(f"an event: there is no coordinate or velocity `{name}`, expected one of {known}")
        return function, event.direction, event.terminal

    def scipy_rhs(self, inputs: Callable[[float], np.ndarray] | None = None) -> "RightHandSide":
        """The right side of ẏ = f(t, y) for `scipy.integrate.solve_ivp`, y = [q, v].

        Parameters
        ----------
        inputs : callable
            The inputs as a function of time, (number of inputs,); zero by default.

        Returns
        -------
        RightHandSide
            A function of t and y; its `jac` is the Jacobian where there is one, otherwise None, its `y0` the start.

        Raises
        ------
        ValueError
            For models with contacts, whose velocities jump: `simulate` integrates them.
        """
        if self.contacts:
            raise ValueError(
                f"`{self.name}` has contacts, which are no part of ẏ = f(t, y): velocities jump at impacts; use `simulate`"
            )
        return RightHandSide(self, inputs)


class RightHandSide:
    """ẏ = f(t, y) with y = [q, v], see `Model.scipy_rhs`."""

    def __init__(self, model: Model, inputs: Callable[[float], np.ndarray] | None):
        self._model = model
        self._inputs = inputs
        self._nq = len(model.coordinates)
        self._explicit = model.provides("forward_dynamics")
        is_plain = all(kind == "vector" for kind, _, _ in model._blocks) and not model.constraints
        self.jac: Callable[[float, np.ndarray], np.ndarray] | None = self._jacobian if is_plain else None
        """∂f/∂y, (nq + nv, nq + nv): of models without constraints whose velocities are the rates of coordinates."""

    @property
    def y0(self) -> np.ndarray:
        """The initial state, (nq + nv,)."""
        return np.concatenate(self._model.initial_state())

    def _given(self, t: float, y: np.ndarray) -> tuple:
        y = np.asarray(y, dtype=float)
        inputs = None if self._inputs is None else np.atleast_1d(np.asarray(self._inputs(t), dtype=float))
        return y[: self._nq], y[self._nq :], float(t), inputs

    def _accelerations(self, q, v, t, inputs) -> np.ndarray:
        if self._explicit:
            return self._model.forward_dynamics(q, v, None, t, inputs)
        return self._model.acceleration(q, v, t, inputs)[0]

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        q, v, t, inputs = self._given(t, y)
        return np.concatenate([self._model.coordinate_rates(q, v), self._accelerations(q, v, t, inputs)])

    def _jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        q, v, t, inputs = self._given(t, y)
        n = self._nq
        jacobian = np.zeros((2 * n, 2 * n))
        jacobian[:n, n:] = np.eye(n)
        jacobian[n:, :n], jacobian[n:, n:], _ = self._model._acceleration_derivatives(q, v, None, t, inputs)
        return jacobian


def _warn(cautions: Sequence[str]) -> None:
    for caution in cautions:
        warnings.warn(caution, CautionWarning, stacklevel=3)


def _written(values: np.ndarray) -> str:
    """Numbers as the language writes them, with all of their digits."""
    if values.ndim == 0:
        return repr(float(values))
    return "[" + ", ".join(map(_written, values)) + "]"


def _sequence(given: Any, kind: Any) -> Sequence[Any]:
    """Also of one that is not in a list."""
    return [given] if isinstance(given, kind) else given


def _steps(until: float | None, dt: float, times: ArrayLike | None) -> tuple[float, float, list[float] | None]:
    """The end of a motion and the length of its steps, or the times that its steps lead to."""
    if until is not None and times is None:
        return float(until), float(dt), None
    if times is not None and until is None:
        return 0.0, float(dt), numbers("`times`", times).tolist()
    raise ValueError("expected either `until` or `times`")


def _inputs(given: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    return [(name, _input(name, value)) for name, value in (given or {}).items()]


def _input(name: str, value: Any) -> Any:
    if isinstance(value, str) or callable(value):
        return value
    value = numbers(f"input `{name}`", value)
    if value.ndim == 0:
        return float(value)
    if value.ndim != 2 or value.shape[1] != 2:
        raise ValueError(f"input `{name}`: expected a number, a function, or samples (n, 2), found shape {value.shape}")
    return [(float(t), float(x)) for t, x in value]


def _restored(cls: type[Model], source: str, level: Level, parameters: Mapping[str, float], joints: list) -> Model:
    compiled = _hamel.Compiled.from_text(source, level, True, None, None, joints)
    return cls(compiled).with_parameters(parameters)
