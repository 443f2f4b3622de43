"""The models that come with the package, by name: `hamel.models.heavy_top`.

`names()` lists them. Each is compiled when it is asked for first.
"""

from __future__ import annotations

from functools import lru_cache

from . import _hamel
from .model import Model


def names() -> list[str]:
    """The names of the models, sorted."""
    return sorted(_hamel.library_names())


@lru_cache(maxsize=None)
def _model(name: str) -> Model:
    return Model.from_text(_hamel.library_model(name))


def __getattr__(name: str) -> Model:
    if name in _hamel.library_names():
        return _model(name)
    raise AttributeError(f"there is no model `{name}`; see `hamel.models.names()`")


def __dir__() -> list[str]:
    return ["names", *names()]
