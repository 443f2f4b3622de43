"""What the compiler makes of a model, for people and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Model

LONGEST = 20_000
"""Equations of more characters are not typeset: notebooks would wait for minutes."""

MOST_COORDINATES = 200
"""The topology of larger models is not drawn."""
MOST_CHANNELS = 60
"""So many rows tables have."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table."""
    cells = lambda tag, row: "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row)  # noqa: E731
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


class Description:
    """Equations, topology and operation counts of a model, see `Model.describe`."""

    def __init__(self, model: "Model"):
        self._model = model
        self._shown: dict[tuple[str, str | None], str] = {}

    def _inspect(self, *asked: tuple[str, str | None]) -> list[str]:
        """What is asked for, made at once: the model is compiled for it anew."""
        new = [key for key in asked if key not in self._shown]
        if new:
            self._shown.update(zip(new, self._model._compiled.inspect(new)))
        return [self._shown[key] for key in asked]

    def equations(self, function: str | None = None) -> str:
        """Formulas in plain text, of one function, such as "mass_matrix", or of all."""
        return self._inspect(("text", function))[0]

    def latex(self, function: str | None = None) -> str:
        """Formulas in LaTeX, an `align*` environment for each function."""
        return self._inspect(("latex", function))[0]

    def topology(self) -> str:
        """Bodies and joints as a graph, SVG."""
        picture = self._inspect(("topology", None))[0]
        # Without the head of a file, which HTML does not have.
        return picture[picture.index("<svg") :]

    def counts(self) -> str:
        """Operations of every function: as derived and written out, shared, simplified, once per model."""
        return self._inspect(("counts", None))[0]

    def shapes(self) -> str:
        """Sizes, and patterns of the matrices."""
        return self._inspect(("shapes", None))[0]

    def rust(self, function: str | None = None) -> str:
        """The code that the compiler generates for Rust."""
        return self._inspect(("rust", function))[0]

    def _channels(self) -> list[tuple[str, str, str]]:
        model = self._model
        lists = ("coordinates", "velocities", "constraints", "contacts", "inputs", "outputs")
        channels = [(what, getattr(model, what)) for what in lists]
        return [(what, name, unit) for what, names in channels for name, unit in zip(names, names.units)]

    def __repr__(self) -> str:
        model = self._model
        doc = [model.doc, ""] if model.doc else []
        channels = [f"{what:<12} {name} {'' if unit == '1' else unit}".rstrip() for what, name, unit in self._channels()]
        return "\n".join([model.name, *doc, *channels, "", repr(model.parameters), "", self.counts()])

    def _repr_latex_(self) -> str:
        latex = self.latex()
        return latex if len(latex) <= LONGEST else ""

    def _repr_html_(self) -> str:
        model = self._model
        chosen = [name for name in ("mass_matrix", "bias_force", "applied_force", "constraint") if self._has(name)]
        is_small = len(model.coordinates) <= MOST_COORDINATES
        self._inspect(*(("latex", name) for name in chosen), *([("topology", None)] if is_small else []))
        equations = [self.latex(name) for name in chosen]
        shown = sum(map(len, equations)) <= LONGEST
        channels = self._channels()
        left_out = len(channels) - MOST_CHANNELS
        parts = [
            f"<h3>{escape(model.name)}</h3>",
            f"<p>{escape(model.doc)}</p>" if model.doc else "",
            self.topology() if is_small else "",
            table(("", "name", "unit"), channels[:MOST_CHANNELS]),
            f"<p>and {left_out} more</p>" if left_out > 0 else "",
            model.parameters._repr_html_() if model.parameters else "",
            table(("function", "operations as derived", "shared", "simplified"), model._functions),
            *(f"<details><summary>{name}</summary>\n{text}\n</details>" for name, text in zip(chosen, equations) if shown),
            "" if shown else "<p>The equations are long: <code>describe().latex(name)</code> gives them.</p>",
        ]
        return "\n".join(part for part in parts if part)

    def _has(self, function: str) -> bool:
        return any(name == function for name, *_ in self._model._functions)
