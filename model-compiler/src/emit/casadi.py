"""Functions of the model `@model@` for CasADi, with exact derivatives.

    import @model@_casadi as model
    functions = model.functions()
    a = functions["forward_dynamics"](q, v, tau)

A C compiler makes a library of the files beside this one where there is none of the same contents yet.
"""

import hashlib
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

#: The functions.
NAMES = [
@functions@]

_ENDINGS = {"darwin": "dylib", "win32": "dll"}


def compile(compiler=None, flags=("-O2",), folder=None):
    """Makes the library if there is none of the same sources, and returns its path.

    compiler: the command of a C compiler; by default that of the variable CC of the environment, otherwise `cc`.
    folder: where the library is; by default beside this file.
    """
    beside = pathlib.Path(__file__).resolve().parent
    folder = beside if folder is None else pathlib.Path(folder).resolve()
    sources = [beside / "@model@.c", beside / "@model@_casadi.c"]
    command = [*shlex.split(compiler or os.environ.get("CC", "cc")), *flags]
    # A process that has loaded a library of a path gets the same one again: other contents have another name.
    known = hashlib.sha256(repr(command).encode())
    for path in [*sources, beside / "@model@.h"]:
        known.update(path.read_bytes())
    library = folder / f"lib@model@_casadi_{known.hexdigest()[:16]}.{_ENDINGS.get(sys.platform, 'so')}"
    if library.exists():
        return library
    # Another process may load the library while this one makes it.
    try:
        work = tempfile.TemporaryDirectory(dir=folder)
    except OSError as error:
        raise RuntimeError(f"nothing can be written to {folder}: {error}; name another folder: folder=...") from None
    with work:
        made = pathlib.Path(work.name) / library.name
        arguments = [*command, "-std=c99", "-fPIC", "-shared", *map(str, sources), "-o", str(made), "-lm"]
        try:
            run = subprocess.run(arguments, capture_output=True, text=True)
        except FileNotFoundError:
            raise RuntimeError(f"there is no C compiler `{command[0]}`; name one: compiler=...") from None
        if run.returncode:
            raise RuntimeError(f"`{shlex.join(arguments)}` failed:\n{run.stderr}")
        os.replace(made, library)
    return library


def functions(compiler=None, flags=("-O2",), folder=None):
    """The functions by name, each a `casadi.Function`. Arguments are those of `compile`."""
    library = str(compile(compiler, flags, folder))
    return {name: casadi.external(f"@model@_casadi_{name}", library) for name in NAMES}
