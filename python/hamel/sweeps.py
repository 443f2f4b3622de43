"""Sweeps: one model, many motions, a few numbers of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from . import _hamel
from .arrays import numbers
from .model import Model, _inputs

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas


class SweepTable:
    """The results of a sweep: a row for each case, with the values of its variables and its outputs.

    `table["mass"]` and `table["tip_y.max"]` are columns, `table.columns` their names, `table.units` their units; outputs
    of failed cases are NaN.
    """

    def __init__(self, table: "_hamel.SweepTable"):
        self._table = table
        variables, outputs = table.columns
        self.variables: list[str] = [name for name, _ in variables]
        self.outputs: list[str] = [name for name, _ in outputs]
        self.columns: list[str] = self.variables + self.outputs
        self.units: dict[str, str] = dict(variables + outputs)
        self.cases: np.ndarray = np.array(table.cases, dtype=np.int64)
        """Numbers of the cases, (n,)."""
        self.failures: dict[int, str] = dict(table.failures)
        """Why cases have failed, by their numbers."""
        self.cautions: dict[int, list[str]] = dict(table.cautions)
        """Warnings about the results, by the numbers of the cases."""
        self._values = table.values()

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.units:
            raise KeyError(f"there is no column `{name}`, expected one of {', '.join(self.columns)}")
        return self._values[:, self.columns.index(name)]

    def grid(self, name: str) -> np.ndarray:
        """A column of a grid, with an axis for each variable."""
        if self._table.axes is None:
            raise ValueError("the cases are no grid")
        return self[name].reshape(self._table.axes)

    def to_pandas(self) -> "pandas.DataFrame":
        """A `pandas.DataFrame` with the number of the case as its index, and with columns `failure` and `cautions`.

        `attrs["units"]` are the units.
        """
        import pandas

        frame = pandas.DataFrame(self._values, columns=self.columns, index=pandas.Index(self.cases, name="case"))
        for name, texts in ("failure", self.failures), ("cautions", self._joined_cautions()):
            # A variable may have this name.
            title = name if name not in frame else f"{name} of case"
            frame[title] = [texts.get(int(case)) for case in self.cases]
        frame.attrs["units"] = dict(self.units)
        return frame

    def _joined_cautions(self) -> dict[int, str]:
        return {case: "\n".join(texts) for case, texts in self.cautions.items()}

    def write(self, path: str | PathLike[str]) -> None:
        """Writes the table: as Parquet where the name ends in `.parquet`, otherwise as comma-separated values."""
        self._table.write(path)

    def plot(self, output: str | None = None, axes: Any = None) -> "matplotlib.figure.Figure":
        """Draws an output, by default the first one: over one variable, as a map of a grid of two, or as a histogram."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("SweepTable.plot needs matplotlib: pip install matplotlib") from error
        name = output or self.outputs[0]
        label = lambda name: name if self.units[name] == "1" else f"{name}, {self.units[name]}"  # noqa: E731
        values = self[name]
        if axes is None:
            _, axes = plt.subplots(layout="constrained")
        if len(self.variables) == 1:
            order = np.argsort(self[self.variables[0]], kind="stable")
            axes.plot(self[self.variables[0]][order], values[order], ".-" if len(self) < 100 else "-")
            axes.set(xlabel=label(self.variables[0]), ylabel=label(name))
        elif len(self.variables) == 2 and self._table.axes is not None:
            x, y = (self.grid(variable) for variable in self.variables)
            picture = axes.pcolormesh(x, y, self.grid(name), shading="nearest")
            axes.figure.colorbar(picture, ax=axes, label=label(name))
            axes.set(xlabel=label(self.variables[0]), ylabel=label(self.variables[1]))
        else:
            axes.hist(values[np.isfinite(values)], bins="auto")
            axes.set(xlabel=label(name), ylabel="cases")
        return axes.figure

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<hamel.SweepTable: {len(self)} cases{failed}, {', '.join(self.columns)}>"


def sweep(
    model: Model,
    vary: Mapping[str, str | ArrayLike] | None = None,
    *,
    outputs: str | Sequence[str],
    until: float,
    sample: str | None = None,
    seed: int = 0,
    cases: Mapping[str, ArrayLike] | None = None,
    scheme: str | None = None,
    dt: float | None = None,
    tolerance: float | None = None,
    scheme_parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float | str | np.ndarray] | None = None,
    initial: Mapping[str, float | str] | None = None,
    max_steps: int | None = None,
    out: str | PathLike[str] | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    executor: Any = None,
    chunk: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    constraints: Literal["position", "velocity", "acceleration"] | None = None,
    keep_drift: bool = False,
    max_residual: float | None = None,
    max_energy_gain: float | None = None,
    newton_tolerance: float | None = None,
    last_point_rotations: bool = False,
    follow_impacts: bool = False,
) -> SweepTable:
    """Runs a model many times, on all cores, and keeps a few numbers of each motion; as `hamel sweep` does.

    Digits do not depend on the number of threads. Cases that fail are results, see `SweepTable.failures`.

    Parameters
    ----------
    model : Model
        With the values of the parameters that do not vary.
    vary : mapping
        By the name of a parameter, an input or a coordinate (then at the start), its values, in SI units and rad: an
        array, or a text such as ``"1..3:100"`` or ``"log:0.1..10:50"``. Several make a grid, the last one changes first.
        The range of a sample is a text too, ``"1..3"``; an array are the values from which a sample chooses.
    outputs : names
        A quantity and a reduction, such as ``"tip_y.max"``, ``"hinge.angle.rms"`` or ``"energy.final"``.
    until : float
        End of each motion, s.
    sample : str
        ``"random:1000"``, ``"lhs:1000"`` or ``"sobol:1024"``: samples of the ranges, ``"1..3"``, instead of a grid;
        `seed` chooses others.
    cases : mapping
        Instead of `vary`, arrays of one length with the values in each case.
    inputs, initial
        As in `Model.simulate`, but no functions of Python, which would run on one core.
    max_steps : int
        Most steps of a case, rejected ones included; one that needs more fails. By default a million, if they are chosen
        by a tolerance.
    out : path
        The table is written there when all cases have ended, as Parquet if its name ends in `.parquet`. Cases are kept
        beside it as they end: after an interruption, the same call goes on from there. A table of this sweep that is
        there already, as Parquet, is read. `overwrite` allows to replace another file.
    threads : int
        By default as many as there are cores.
    executor
        ``"ray"`` for the machines of a Ray cluster, or an object whose `submit` returns futures: a Dask client, a
        `concurrent.futures.ProcessPoolExecutor`. Its workers need this package; they compute `chunk` cases at a time.
        Cases of workers that are lost are computed again, and each is kept once; a pool of `concurrent.futures` that has
        lost one takes no more work, and the call ends: what `out` names goes on with a new pool.
    progress : callable (ended, count)
        Is told how many cases have ended, a few times a second.
    scheme, dt, tolerance, scheme_parameters, constraints, keep_drift, max_residual, max_energy_gain, newton_tolerance, last_point_rotations, follow_impacts
        As in `Model.simulate`.

    Raises
    ------
    ValueError, ModelError
        For names, values and outputs that the model does not have.
    Interrupted
        After Ctrl-C.
    """
    if bool(vary) == (cases is not None):
        raise ValueError("expected `vary` or `cases`")
    if threads is not None and threads < 1:
        raise ValueError(f"`threads`: expected at least one, found {threads}")
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"`max_steps`: expected at least one, found {max_steps}")
    varied: tuple
    if cases is not None:
        columns = {name: numbers(f"`{name}`", values) for name, values in cases.items()}
        shapes = {name: values.shape for name, values in columns.items()}
        if len(set(shapes.values())) != 1 or any(len(shape) != 1 for shape in shapes.values()):
            raise ValueError(f"`cases`: expected arrays of one length, found {shapes}")
        if sample is not None:
            raise ValueError("`sample`: expected `vary`, because `cases` are all cases")
        varied = (list(columns), np.stack(list(columns.values()), axis=1).ravel().tolist())
    else:
        if not 0 <= seed < 2**64:
            raise ValueError(f"`seed`: expected a whole number from 0 to 2^64 − 1, found {seed}")
        varied = ([(name, _values(name, given)) for name, given in (vary or {}).items()], sample, seed)
    settings = {
        "constraints": constraints,
        "keep_drift": keep_drift,
        "max_residual": max_residual,
        "max_energy_gain": max_energy_gain,
        "newton_tolerance": newton_tolerance,
        "last_point_rotations": last_point_rotations,
        "follow_impacts": follow_impacts,
    }
    start = model._start(initial or {})
    if isinstance(start, tuple):
        raise TypeError("`initial`: expected a mapping of names, because each case starts by its own parameters")
    described = (
        model,
        varied,
        [outputs] if isinstance(outputs, str) else list(outputs),
        scheme,
        [(name, float(value)) for name, value in (scheme_parameters or {}).items()],
        (float(until), dt, tolerance),
        _inputs(inputs),
        start or [],
        settings,
        max_steps,
    )
    made = _hamel.Sweep(*described)
    engine = None
    if executor is not None:
        from .executors import engine_of

        engine = engine_of(executor, described, chunk, len(made), progress)
    return SweepTable(made.run(None if out is None else fspath(out), overwrite, threads, progress, engine))


def _values(name: str, given: str | ArrayLike) -> str | list[float]:
    if isinstance(given, str):
        return given
    values = numbers(f"`{name}`", given)
    if values.ndim > 1:
        raise ValueError(f"`{name}`: expected numbers in one row, found shape {values.shape}")
    return np.atleast_1d(values).tolist()
