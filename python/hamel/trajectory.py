"""Recorded motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas
    import pyarrow

    from . import _hamel
    from .animation import Animation


@dataclass(frozen=True)
class Occurrence:
    """An event that occurred: its number in the list of events, and the state, with time in s."""

    event: int
    t: float
    q: np.ndarray
    v: np.ndarray


class Trajectory:
    """What a run has recorded: a table with a row for each recorded instant.

    `trajectory["tip_x"]` is a column, `trajectory.columns` are their names, `trajectory.units` their units.
    """

    def __init__(self, run: "_hamel.Run"):
        self._run = run
        names, units = zip(*run.columns)
        self.columns: list[str] = list(names)
        self.units: dict[str, str] = dict(run.columns)
        self._table: np.ndarray = run.table()
        self._table.flags.writeable = False
        self._places = {name: place for place, name in enumerate(names)}
        self._n = run.sizes
        self.cautions: list[str] = run.cautions
        """Warnings about the results, in the order in which they were found."""
        self.events: list[Occurrence] = [Occurrence(*occurrence) for occurrence in run.occurrences()]
        """The events that occurred, in ascending order of time."""
        self.scheme: str = run.scheme
        """Name of the scheme, with its parameters."""
        self.accepted, self.rejected = run.steps

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, name: str) -> np.ndarray:
        place = self._places.get(name)
        if place is None:
            raise KeyError(self._run.unknown_column(name))
        return self._table[:, place]

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __iter__(self):
        return iter(self.columns)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return self.columns

    def _range(self, before: int, count: int) -> np.ndarray:
        return self._table[:, 1 + before : 1 + before + count]

    @property
    def t(self) -> np.ndarray:
        """The recorded instants, (n,), s."""
        return self._table[:, 0]

    @property
    def q(self) -> np.ndarray:
        """Coordinates, (n, nq)."""
        nq, _, _ = self._n
        return self._range(0, nq)

    @property
    def v(self) -> np.ndarray:
        """Velocities, (n, nv)."""
        nq, nv, _ = self._n
        return self._range(nq, nv)

    @property
    def a(self) -> np.ndarray:
        """Accelerations, (n, nv)."""
        nq, nv, _ = self._n
        return self._range(nq + nv, nv)

    @property
    def multipliers(self) -> np.ndarray:
        """Multipliers of the constraints, (n, nc)."""
        nq, nv, nc = self._n
        return self._range(nq + 2 * nv, nc)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._table, dtype=dtype, copy=True if copy is None else copy)

    def to_pandas(self) -> "pandas.DataFrame":
        """A `pandas.DataFrame` with the time as its index; its `attrs["units"]` are the units."""
        import pandas

        frame = pandas.DataFrame(self._table[:, 1:], columns=self.columns[1:], index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = dict(self.units)
        return frame

    def to_arrow(self) -> "pyarrow.Table":
        """A `pyarrow.Table`; each field has its unit as metadata."""
        import pyarrow

        fields = [
            pyarrow.field(name, pyarrow.float64(), nullable=False, metadata={"unit": self.units[name]})
            for name in self.columns
        ]
        columns = [pyarrow.array(np.ascontiguousarray(self[name])) for name in self.columns]
        return pyarrow.Table.from_arrays(columns, schema=pyarrow.schema(fields))

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Writes the table that `hamel run` writes: names with units, digits that read back exactly."""
        self._run.write_csv(path)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Writes the table as Parquet, with the units of the columns."""
        self._run.write_parquet(path)

    def plot(self, *names: str | Sequence[str], axes: Any = None) -> "matplotlib.figure.Figure":
        """Draws columns over time, those of one unit in the same axes; by default outputs, or else coordinates.

        Needs matplotlib. Returns the figure.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("Trajectory.plot needs matplotlib: pip install matplotlib") from error
        given = [one for name in names for one in ([name] if isinstance(name, str) else name)]
        chosen = given or self._run.outputs or self.columns[1 : 1 + self._n[0]]
        by_unit: dict[str, list[str]] = {}
        for name in chosen:
            self[name]
            by_unit.setdefault(self.units[name], []).append(name)
        if axes is None:
            size = (7, 2.2 + 2.2 * len(by_unit))
            _, axes = plt.subplots(len(by_unit), sharex=True, squeeze=False, figsize=size, layout="constrained")
        axes = np.atleast_1d(axes).ravel()
        if len(axes) != len(by_unit):
            raise ValueError(f"`axes`: expected {len(by_unit)}, one for each unit, found {len(axes)}")
        for place, (unit, columns) in zip(axes, by_unit.items()):
            for name in columns:
                place.plot(self.t, self[name], label=name)
            place.set_ylabel("" if unit == "1" else unit)
            place.legend()
            place.grid(True, alpha=0.3)
        axes[-1].set_xlabel("t, s")
        return axes[0].figure

    @overload
    def animate(
        self,
        path: None = None,
        *others: "Trajectory",
        title: str | None = None,
        labels: Sequence[str] | None = None,
        folder: str | PathLike[str] = ".",
    ) -> "Animation": ...

    @overload
    def animate(
        self,
        path: str | PathLike[str],
        *others: "Trajectory",
        title: str | None = None,
        labels: Sequence[str] | None = None,
        folder: str | PathLike[str] = ".",
        at: float | None = None,
        size: tuple[int, int] = (960, 600),
        view: str | None = None,
        dark: bool = False,
        speed: float | None = None,
    ) -> str | PathLike[str]: ...

    def animate(
        self,
        path: str | PathLike[str] | None = None,
        *others: "Trajectory",
        title: str | None = None,
        labels: Sequence[str] | None = None,
        folder: str | PathLike[str] = ".",
        at: float | None = None,
        size: tuple[int, int] = (960, 600),
        view: str | None = None,
        dark: bool = False,
        speed: float | None = None,
    ) -> "Animation | str | PathLike[str]":
        """Makes one HTML page with moving pictures of the run, as `hamel animate` does; it works offline.

        Parameters
        ----------
        path : path, default None
            Where the page is written, wholly or not at all; glTF for other programs if the name ends in `.glb`, a still picture
            if it ends in `.png`, and a film if it ends in `.mp4`, `.webm` or `.gif`. Pictures and films are drawn by Chromium,
            Chrome or Edge, and films are joined by FFmpeg, which have to be on the path.
        *others : Trajectory
            Runs of any models that are shown together with this one.
        title : str
            Title of the page; by default the name of the model.
        labels : sequence of str
            What tells the runs from each other, one for each; by default their models, parameters and schemes, as far as
            these differ, or numbers.
        folder : path
            Where the paths of `mesh("part.stl")` in models start. Files that cannot be read are said by a warning.
        at : float
            Time of a picture, s; by default the start.
        size : pair of int
            Width and height of pictures and films, pixels.
        view : {"iso", "x", "y", "z"}
            Where these are seen from.
        dark : bool
            Whether they are light on dark.
        speed : float
            Seconds of the motion in a second of a film; by default one, unless it would be over in less than 4 seconds or last
            longer than 20.

        Returns
        -------
        The path, or without one an `Animation`: a page that notebooks show, with its text as `html`.

        Raises
        ------
        ValueError
            If a run cannot be drawn: the model has no bodies, or nothing was recorded; and for options that the file does not
            have.
        OSError
            If the file cannot be written, or the programs for pictures and films are missing.

        Notes
        -----
        Arrows of forces are those of the inputs of the run. Of an input that was given as a Python function, the values at
        the recorded instants are kept while the run goes on, with lines between.
        """
        from .animation import animate

        if isinstance(path, Trajectory):
            raise TypeError("`path`: expected a path, or None before other runs: run.animate(None, other)")
        for other in others:
            if not isinstance(other, Trajectory):
                raise TypeError(f"other runs: expected hamel.Trajectory, found {type(other).__name__}")
        return animate([self, *others], path, title, labels, folder, at, size, view, dark, speed)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} s to {self.t[-1]:g} s" if len(self) else "empty"
        return f"<hamel.Trajectory of {self._run.model}, {self.scheme}: {span}, {len(self)} rows, {len(self.columns)} columns>"
