"""The package itself: stubs, documentation, the notebook."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import hamel
from hamel import _hamel

PACKAGE = Path(hamel.__file__).parent


def test_stubs_have_what_the_extension_has():
    stub = ast.parse((Path(__file__).parent.parent / "hamel" / "_hamel.pyi").read_text())
    stubs = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    there = {name for name in dir(_hamel) if not name.startswith("__")}
    assert there == stubs.keys()
    for name, node in stubs.items():
        if not isinstance(node, ast.ClassDef) or issubclass(getattr(_hamel, name), BaseException):
            continue
        functions = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        members = {member for member in vars(getattr(_hamel, name)) if not member.startswith("__")}
        assert members == {function for function in functions if not function.startswith("__")}, name
        for member, function in functions.items():
            real = getattr(getattr(_hamel, name), member)
            if not callable(real) or member.startswith("__"):
                continue
            parameters = [p for p in inspect.signature(real).parameters.values() if p.name != "self"]
            arguments = [argument.arg for argument in function.args.args if argument.arg != "self"]
            assert [p.name for p in parameters] == arguments, (name, member)
            defaults = [p.default for p in parameters if p.default is not p.empty]
            assert defaults == [ast.literal_eval(default) for default in function.args.defaults], (name, member)


def test_every_function_says_what_it_takes_and_gives():
    for name, member in vars(_hamel.Model).items():
        if callable(member) and not name.startswith("_") and name != "provides":
            for part in ("Parameters\n", "Returns\n", "array (..."):
                assert part in member.__doc__, (name, part)
    for name in hamel.__all__:
        assert name == "__version__" or getattr(hamel, name).__doc__, name
    for name, member in vars(hamel.Model).items():
        if not name.startswith("_"):
            assert inspect.getdoc(member), name


def test_types_are_consistent():
    api = pytest.importorskip("mypy.api")
    folder = Path(__file__).parent.parent / "hamel"
    out, error, code = api.run(["--ignore-missing-imports", "--follow-imports=silent", "--python-version=3.12", str(folder)])
    assert code == 0, out + error


def test_types_of_users_are_checked(tmp_path):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "user.py"
    program.write_text(
        "import hamel\n"
        "m = hamel.Model.from_text('')\n"
        "reveal_type(m.mass_matrix([0.0]))\n"
        "reveal_type(m.simulate(until=1.0).q)\n"
        "m.simulate(untill=1.0)\n"
    )
    folder = Path(__file__).parent.parent
    out, _, _ = api.run(
        ["--ignore-missing-imports", "--python-version=3.12", "--no-incremental", f"--config-file={_config(tmp_path, folder)}", str(program)]
    )
    assert out.count("Revealed type is \"numpy.ndarray") == 2, out
    assert 'Unexpected keyword argument "untill"' in out


def _config(tmp_path: Path, folder: Path) -> Path:
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nmypy_path = {folder}\n")
    return config


def test_the_package_is_imported_without_other_packages():
    program = "import sys, hamel; print([m for m in ('jax', 'pandas', 'scipy', 'sympy', 'matplotlib', 'pyarrow') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert run.stdout == "[]\n", run.stderr


def test_the_notebook_runs_from_top_to_bottom():
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    for name in ("matplotlib", "scipy", "pandas", "jax", "sympy"):
        pytest.importorskip(name)
    import os

    os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    path = Path(__file__).parent.parent / "examples" / "first_steps.ipynb"
    notebook = nbformat.read(path, as_version=4)
    client.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(path.parent))
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs if "data" in output for kind in output["data"]}
    assert {"image/png", "text/html", "text/plain"} <= kinds
    assert not [output for output in outputs if output.get("name") == "stderr"], "no warnings"
