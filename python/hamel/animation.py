"""Runs as one HTML page with moving pictures."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from html import escape
from os import PathLike, fspath
from os.path import splitext
from typing import TYPE_CHECKING

from . import _hamel

if TYPE_CHECKING:
    from .trajectory import Trajectory

MOST_PARAMETERS = 3
"""Labels name so many parameters at most."""
FILMED = (".png", ".mp4", ".webm", ".gif")
"""Endings of names of pictures and films."""
SIZE = (960, 600)
"""Their size by default, pixels."""


class Animation:
    """A page that shows runs, see `Trajectory.animate`; notebooks show it in a frame."""

    html: str
    """The whole page; it needs no network."""

    def __init__(self, html: str):
        self.html = html

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 640px; border: 0"
        return f'<iframe srcdoc="{escape(self.html)}" title="animation" style="{style}" allowfullscreen></iframe>'

    def __repr__(self) -> str:
        return f"<hamel.Animation, {len(self.html) / 1e6:.1f} MB of HTML>"


def animate(
    runs: Sequence["Trajectory"],
    path: str | PathLike[str] | None,
    title: str | None,
    labels: Sequence[str] | None,
    folder: str | PathLike[str],
    at: float | None,
    size: tuple[int, int],
    view: str | None,
    dark: bool,
    speed: float | None,
) -> Animation | str | PathLike[str]:
    """What `Trajectory.animate` does."""
    if labels is None:
        labels = _labels(runs)
    elif isinstance(labels, str) or len(labels) != len(runs):
        found = "a text" if isinstance(labels, str) else f"{len(labels)}"
        raise ValueError(f"`labels`: expected {len(runs)}, one for each run, found {found}")
    model = runs[0]._run.model
    ending = "" if path is None else splitext(fspath(path))[1].lower()
    is_gltf, is_filmed = ending == ".glb", ending in FILMED
    if not is_filmed and (at, size, view, dark, speed) != (None, SIZE, None, False, None):
        raise ValueError(f"`at`, `size`, `view`, `dark` and `speed` are of pictures and films: names end in {', '.join(FILMED)}")
    shown = [(str(label), run._run) for label, run in zip(labels, runs)]
    made, unread = _hamel.animation(model if title is None else title, shown, fspath(folder), is_gltf)
    for line in unread:
        warnings.warn(line, stacklevel=3)
    if path is None:
        return Animation(made.decode())
    if is_filmed:
        made = _hamel.picture(made.decode(), path, at=at, size=size, view=view, dark=dark, speed=speed)
    _hamel.write_animation(path, made)
    return path


def _labels(runs: Sequence["Trajectory"]) -> list[str]:
    """What tells runs from each other: models, then parameters, then schemes; numbers where that is not enough."""
    models = [run._run.model for run in runs]
    if len(runs) == 1:
        return models
    labels = []
    for run in runs:
        alike = [other for other in runs if other._run.model == run._run.model]
        parts = [run._run.model] if len(set(models)) > 1 else []
        own = run._run.parameters
        known = [{name: value for name, _, value in other._run.parameters} for other in alike]
        different = [one for one in own if any(values.get(one[0]) != one[2] for values in known)]
        for name, unit, value in different[:MOST_PARAMETERS]:
            parts.append(f"{name} = {value:.15g}" + ("" if unit == "1" else f" {unit}"))
        if any(other.scheme != run.scheme for other in alike):
            parts.append(run.scheme)
        labels.append(", ".join(parts))
    times = Counter(labels)
    return [
        label if label and times[label] == 1 else ", ".join(filter(None, [label, f"run {place}"]))
        for place, label in enumerate(labels, 1)
    ]
