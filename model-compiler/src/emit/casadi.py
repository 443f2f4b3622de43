"""Functions of the model `@model@` for CasADi, with exact derivatives.

    import @model@_casadi as model
    functions = model.functions()
    a = functions["forward_dynamics"](q, v, tau)

A C compiler makes a library of the files beside this one where there is none yet, or an older one.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import casadi

#: Names of the values of the arguments q, v and u, and of the result y.
COORDINATES = @coordinates@
VELOCITIES = @velocities@
INPUTS = @inputs@
OUTPUTS = @outputs@

#: The start of the model.
Q_START = @q@
V_START = @v@

#: Whether inverse dynamics has exact second derivatives.
HAS_HESSIANS = @hessians@

# Arguments with respect to which derivatives are known.
_DIFFERENTIABLE = {
@functions@}

_ENDINGS = {"darwin": "dylib", "win32": "dll"}


def compile(compiler=None, flags=("-O2",)):
    """Makes the library if it is not there or older than its sources, and returns its path.

    compiler: the command of a C compiler; by default that of the variable CC of the environment, otherwise `cc`.
    """
    folder = pathlib.Path(__file__).resolve().parent
    sources = [folder / "@model@.c", folder / "@model@_casadi.c"]
    library = folder / f"lib@model@_casadi.{_ENDINGS.get(sys.platform, 'so')}"
    newest = max(source.stat().st_mtime for source in [*sources, folder / "@model@.h"])
    if library.exists() and library.stat().st_mtime >= newest:
        return library
    command = shlex.split(compiler or os.environ.get("CC", "cc"))
    # Another process may load the library while this one makes it.
    with tempfile.TemporaryDirectory(dir=folder) as work:
        made = pathlib.Path(work) / library.name
        arguments = [*command, *flags, "-std=c99", "-fPIC", "-shared", *map(str, sources), "-o", str(made), "-lm"]
        try:
            run = subprocess.run(arguments, capture_output=True, text=True)
        except FileNotFoundError:
            raise RuntimeError(f"there is no C compiler `{command[0]}`; name one: compile(compiler=...)") from None
        if run.returncode:
            raise RuntimeError(f"`{shlex.join(arguments)}` failed:\n{run.stderr}")
        os.replace(made, library)
    return library


def functions(compiler=None, flags=("-O2",)):
    """The functions by name, each a `casadi.Function`."""
    library = str(compile(compiler, flags))
    return {
        name: casadi.external(name, library, {"is_diff_in": differentiable})
        for name, differentiable in _DIFFERENTIABLE.items()
    }
