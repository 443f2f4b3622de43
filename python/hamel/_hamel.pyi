"""The part of the package that is written in Rust."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
_Input: TypeAlias = float | str | Sequence[tuple[float, float]] | Callable[[float], float]
_Start: TypeAlias = Sequence[tuple[str, str, bool]] | tuple[Sequence[float], Sequence[float]]

__version__: str

class ModelError(ValueError): ...

class SimulationError(RuntimeError):
    trajectory: Any
    time: float | None

class Interrupted(KeyboardInterrupt):
    trajectory: Any
    time: float | None

class LinearizationError(RuntimeError): ...
class CautionWarning(UserWarning): ...

def library_names() -> list[str]: ...
def library_model(name: str) -> str: ...
def scheme_names() -> list[str]: ...
def _address_for_xla() -> int: ...
def animation(
    title: str, runs: Sequence[tuple[str, Run]], folder: str | PathLike[str], is_gltf: bool
) -> tuple[bytes, list[str]]: ...
def write_animation(path: str | PathLike[str], bytes: bytes) -> None: ...
def picture(
    page: str,
    path: str | PathLike[str],
    *,
    at: float | None,
    size: tuple[int, int],
    view: str | None,
    dark: bool,
    speed: float | None,
) -> bytes: ...
def monodromy_matrix(
    model: Model,
    period: float,
    tolerance: float,
    inputs: Sequence[tuple[str, _Input]],
    start: _Start | None,
) -> tuple[Array, list[tuple[str, str]]]: ...

def sensitivities(
    model: Model,
    names: Sequence[str],
    scheme: str | None,
    until: float,
    dt: float,
    times: Sequence[float] | None,
    inputs: Sequence[tuple[str, _Input]],
    start: _Start | None,
) -> tuple[Array, Array, Array, list[str]]: ...
def gradient(
    model: Model,
    objective: Callable[[Array, Array], tuple[float, Array, Array | None]],
    scheme: str | None,
    until: float,
    dt: float,
    times: Sequence[float] | None,
    inputs: Sequence[tuple[str, _Input]],
    start: _Start | None,
    checkpoints: int | None,
) -> tuple[float, list[tuple[str, float]], list[Array], list[tuple[str, Array]], list[str]]: ...
def fit(
    model: Model,
    table: str,
    free: Sequence[tuple[str, float, float]],
    noise: Sequence[tuple[str, float]],
    scheme: str | None,
    dt: float,
    until: float | None,
    limits: tuple[int, int],
    inputs: Sequence[tuple[str, _Input]],
    start: _Start | None,
) -> tuple[str, list[str]]: ...

def minimize(
    model: Model,
    objective: str,
    free: Sequence[tuple[str, float, float]],
    samples: Sequence[tuple[str, Sequence[float], float, float]],
    subject_to: Sequence[tuple[str, float, float]],
    limits: tuple[float, int],
    scheme: str | None,
    until: float,
    dt: float,
    inputs: Sequence[tuple[str, _Input]],
    start: _Start | None,
) -> tuple[str, bool, str]: ...

# Name in the model and in the description, places in q and v, and what it follows.
_Joint = tuple[str, str, int, int, int, int, tuple[str, float, float] | None]

class Compiled:
    def check_names(self, names: Sequence[str]) -> None: ...
    @staticmethod
    def from_text(
        text: str,
        level: str = "optimised",
        cache: bool = True,
        file: str | PathLike[str] | None = None,
        name: str | None = None,
        pinocchio: list[_Joint] = ...,
    ) -> Compiled: ...
    @staticmethod
    def from_file(
        path: str | PathLike[str], level: str = "optimised", cache: bool = True, name: str | None = None
    ) -> Compiled: ...
    @staticmethod
    def from_robot(
        format: str,
        text: str,
        file: str,
        level: str,
        cache: bool,
        floating: bool,
        provide: list[str],
        exact_angles: bool,
        repair_inertia: bool,
        parameters: list[str],
        stops: bool,
        packages: list[tuple[str, str | PathLike[str]]],
        arguments: list[tuple[str, str]],
    ) -> tuple[Compiled, list[str]]: ...
    @property
    def level(self) -> str: ...
    @property
    def pinocchio(self) -> list[_Joint]: ...
    @property
    def source(self) -> str: ...
    def inspect(self, asked: Sequence[tuple[str, str | None]]) -> list[str]: ...

class Run:
    @property
    def model(self) -> str: ...
    @property
    def scheme(self) -> str: ...
    @property
    def sizes(self) -> tuple[int, int, int]: ...
    @property
    def outputs(self) -> list[str]: ...
    @property
    def parameters(self) -> list[tuple[str, str, float]]: ...
    @property
    def columns(self) -> list[tuple[str, str]]: ...
    @property
    def cautions(self) -> list[str]: ...
    @property
    def steps(self) -> tuple[int, int]: ...
    @property
    def failure(self) -> str | None: ...
    @property
    def exception(self) -> BaseException | None: ...
    def table(self) -> Array: ...
    def occurrences(self) -> list[tuple[int, float, Array, Array]]: ...
    def unknown_column(self, name: str) -> str: ...
    def write_csv(self, path: str | PathLike[str]) -> None: ...
    def write_parquet(self, path: str | PathLike[str]) -> None: ...

_Names: TypeAlias = list[tuple[str, str]]

class Linearized:
    @staticmethod
    def of(
        model: Model, about: str, inputs: Sequence[tuple[str, _Input]], start: _Start | None, time: float
    ) -> Linearized: ...
    @property
    def doubts(self) -> list[tuple[str, bool]]: ...
    @property
    def names(self) -> tuple[_Names, _Names, _Names, _Names, _Names]: ...
    @property
    def displacements(self) -> int: ...
    def state(self) -> tuple[float, Array, Array]: ...
    def given(self) -> Array: ...
    def matrices(self) -> list[Array]: ...
    def modes(self) -> list[Array]: ...
    def rounding(self) -> Array: ...
    def response(self, frequencies: Sequence[tuple[float, float]]) -> Array: ...

class SweepTable:
    @property
    def columns(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]: ...
    @property
    def axes(self) -> list[int] | None: ...
    @property
    def cases(self) -> list[int]: ...
    @property
    def failures(self) -> list[tuple[int, str]]: ...
    @property
    def cautions(self) -> list[tuple[int, list[str]]]: ...
    def values(self) -> Array: ...
    def write(self, path: str | PathLike[str]) -> None: ...

_Results: TypeAlias = tuple[list[int], Array, list[str | None], list[list[str]]]

class Ended:
    def add(
        self, cases: Sequence[int], outputs: Array, failures: Sequence[str | None], cautions: Sequence[Sequence[str]]
    ) -> int: ...

class Sweep:
    def __init__(
        self,
        model: Model,
        varied: tuple[Any, ...],
        outputs: Sequence[str],
        scheme: str | None,
        scheme_parameters: Sequence[tuple[str, float]],
        times: tuple[float, float | None, float | None],
        inputs: Sequence[tuple[str, _Input]],
        initial: Sequence[tuple[str, str, bool]],
        settings: dict[str, Any],
        max_steps: int | None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def compute(self, cases: Sequence[int]) -> _Results: ...
    def run(
        self,
        out: str | PathLike[str] | None,
        overwrite: bool,
        threads: int | None,
        progress: Callable[[int, int], object] | None,
        engine: Callable[[list[int], Ended], object] | None,
    ) -> SweepTable: ...

class Model:
    def __new__(cls, compiled: Compiled, parameters: Sequence[tuple[str, float]] = ()) -> Model: ...
    @property
    def _compiled(self) -> Compiled: ...
    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def _parameters(self) -> list[tuple[str, str, float]]: ...
    @property
    def _functions(self) -> list[tuple[str, int, int, int]]: ...
    @property
    def _blocks(self) -> list[tuple[str, int, int]]: ...
    @property
    def _limits(self) -> list[tuple[int, int, list[float] | None, float | None, float | None]]: ...
    def _channels(self, what: str) -> list[tuple[str, str]]: ...
    @property
    def _provided(self) -> list[tuple[str, str | None, str, list[str], list[tuple[str, list[int]]]]]: ...
    def _evaluate_provided(
        self,
        place: int,
        q: ArrayLike,
        v: ArrayLike | None,
        a: ArrayLike | None,
        tau: ArrayLike | None,
        w: ArrayLike | None,
        t: ArrayLike | None,
        inputs: ArrayLike | None,
    ) -> list[NDArray[np.float64]]: ...
    @property
    def _number_for_xla(self) -> int: ...
    def provides(self, function: str) -> bool: ...
    def _initial_state(self, inputs: Sequence[tuple[str, _Input]], start: _Start | None) -> tuple[Array, Array]: ...
    def _simulate(
        self,
        scheme: str | None,
        scheme_parameters: Sequence[tuple[str, float]],
        times: tuple[float, float | None, float | None],
        inputs: Sequence[tuple[str, _Input]],
        start: _Start | None,
        events: Sequence[tuple[Callable[[float, Array, Array], float], str, bool]],
        controllers: Sequence[tuple[Callable[[float, Array, Array], list[float]], list[str], float]],
        record_every: int | None,
        settings: dict[str, Any],
    ) -> Run: ...
    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def mass_matrix(self, q: ArrayLike) -> Array: ...
    def bias_force(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def applied_force(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> Array: ...
    def constraint(self, q: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None) -> Array: ...
    def constraint_jacobian(
        self, q: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> Array: ...
    def constraint_bias(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> tuple[Array, Array]: ...
    def contact_gap(self, q: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None) -> Array: ...
    def contact_jacobian(self, q: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None) -> Array: ...
    def energy(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> tuple[Array, Array]: ...
    def power(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> Array | None: ...
    def output_values(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        multipliers: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> Array: ...
    def residual(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        multipliers: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> tuple[Array, Array]: ...
    def damping(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        multipliers: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> Array: ...
    def stiffness(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike | None = None,
        multipliers: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> Array: ...
    def acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
        tau: ArrayLike | None = None,
    ) -> tuple[Array, Array]: ...
    def _derivatives_of_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> list[Array]: ...
    def nonlinear_effects(
        self, q: ArrayLike, v: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> Array: ...
    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> Array: ...
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> Array: ...
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: ArrayLike | None = None, inputs: ArrayLike | None = None
    ) -> tuple[Array, Array, Array]: ...
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike | None = None,
        inputs: ArrayLike | None = None,
    ) -> tuple[Array, Array, Array]: ...
