//! Exceptions of the package. Their texts are those of the errors in Rust.

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyUserWarning, PyValueError};

create_exception!(
    hamel,
    ModelError,
    PyValueError,
    "A text is no model, or a model cannot have these parameters.\n\n\
     The message has the place of each mistake, `file:line:column`."
);
create_exception!(
    hamel,
    SimulationError,
    PyRuntimeError,
    "A run ended before its time.\n\n\
     `trajectory` has what was computed before, or None if nothing was; `time` is the last instant of it, s."
);
create_exception!(
    hamel,
    Interrupted,
    PyKeyboardInterrupt,
    "A run was interrupted from the keyboard; `trajectory` has what was computed, `time` its last instant, s."
);
create_exception!(
    hamel,
    LinearizationError,
    PyRuntimeError,
    "A model has no linearisation about what was asked for; the message says why, and what to do."
);
create_exception!(hamel, CautionWarning, PyUserWarning, "A warning about the results of a run that did not fail.");
