"""Multibody dynamics: models in the language of Hamel, compiled at run time, on NumPy arrays.

>>> import hamel
>>> m = hamel.models.pendulum
>>> m.simulate(until=2).to_pandas()                                            # doctest: +SKIP

A `Model` comes from a file, a text or a robot in URDF; its functions take arrays of states, and `Model.simulate` gives
a `Trajectory`. Angles are in rad, everything else in SI units.
"""

from . import models
from ._hamel import CautionWarning, Interrupted, LinearizationError, ModelError, SimulationError, __version__
from .animation import Animation
from .control import Controller, Estimator, Regulator
from .events import Event
from .gradients import Fit, Gradient, Optimum, Sensitivities
from .linearization import Linearization, Modes
from .model import Model, Monodromy, Parameters
from .sweeps import SweepTable, sweep
from .trajectory import Occurrence, Trajectory


def schemes() -> list[str]:
    """The names of all integration schemes, for `Model.simulate`."""
    from ._hamel import scheme_names

    return scheme_names()


__all__ = [
    "Animation",
    "CautionWarning",
    "Controller",
    "Estimator",
    "Event",
    "Fit",
    "Gradient",
    "Interrupted",
    "Linearization",
    "LinearizationError",
    "Model",
    "ModelError",
    "Modes",
    "Monodromy",
    "Occurrence",
    "Optimum",
    "Parameters",
    "Regulator",
    "Sensitivities",
    "SimulationError",
    "SweepTable",
    "Trajectory",
    "__version__",
    "models",
    "schemes",
    "sweep",
]
