"""Formulas of models as expressions of SymPy."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sympy

    from .model import Model

# What a function is called, how its results are in its formulas, and their shapes.
RESULTS = {
    "mass_matrix": {"M": "vv"},
    "bias_force": {"h": "v"},
    "applied_force": {"f": "v"},
    "constraint": {"g": "c"},
    "constraint_jacobian": {"G": "cv"},
    "energy": {"T": "", "V": ""},
    "power": {"P": ""},
    "outputs": {"y": "o"},
    "residual": {"r": "v", "g": "c"},
    "nonlinear_effects": {"(h - f)": "v"},
    "inverse_dynamics": {"tau": "v"},
    "forward_dynamics": {"a": "v"},
    "inverse_dynamics_derivatives": {"dtau/dq": "vv", "dtau/dv": "vv", "M": "vv"},
    "forward_dynamics_derivatives": {"da/dq": "vv", "da/dv": "vv", "M^-1": "vv"},
}


class Formulas(Mapping):
    """The formulas of a model for SymPy, by the names of its functions, see `Model.sympy`.

    `formulas["mass_matrix"]` is a matrix, `formulas["energy"]` two expressions; temporaries are written out. Symbols are
    those of `symbols`, and real. Models in joint coordinates have them, of one kind of equations; others are made of
    kernels that repeat, see `Model.describe().equations()`.
    """

    def __init__(self, model: "Model"):
        try:
            import sympy
        except ImportError as error:
            raise ImportError("Model.sympy needs sympy: pip install sympy") from error
        self._sympy = sympy
        self._model = model
        description = model.describe()
        self._equations, shapes = description.equations, description.shapes().splitlines()
        self.symbols: dict[str, "sympy.Symbol"] = {}
        """The symbols of coordinates, velocities (`_dot`), accelerations (`_ddot`), parameters, inputs and t, by name; those that have been met."""
        sizes = {"v": model.velocities, "c": model.constraints, "o": model.outputs}
        self._sizes = {letter: len(names) for letter, names in sizes.items()}
        there = {name for name, *_ in model._functions}
        # Of large models a loop makes derivatives of forward dynamics of other functions, without formulas.
        if "forward_dynamics_derivatives" in there and not self._lines("forward_dynamics_derivatives"):
            there.discard("forward_dynamics_derivatives")
        self._names = [name for name in RESULTS if name in there]
        self._known: dict[str, object] = {}
        # Rows and columns of formulas are those of a kernel: those of the model if there is one alone.
        kernels = [line.removeprefix("kernel ").split(": ")[0] for line in shapes if line.startswith("kernel ")]
        if len(kernels) != 1 or ", " in kernels[0]:
            raise NotImplementedError(
                f"{model.name} is made of kernels that repeat ({'; '.join(kernels)}); "
                "`describe().equations()` has the formulas of each"
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, function: str):
        if function not in self._names:
            raise KeyError(f"{self._model.name} has no formulas of `{function}`, expected one of {', '.join(self._names)}")
        if function not in self._known:
            self._known[function] = self._results(function)
        return self._known[function]

    def __getattr__(self, function: str):
        if function.startswith("_"):
            raise AttributeError(function)
        try:
            return self[function]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    def _results(self, function: str):
        sympy = self._sympy
        expected = RESULTS[function]
        shapes = {name: tuple(self._sizes[letter] for letter in axes) for name, axes in expected.items()}
        entries: dict[str, dict[tuple[int, ...], object]] = {name: {} for name in expected}
        locals_: dict[str, object] = {}
        for line in self._lines(function):
            left, right = line.split(" = ", 1)
            value = self._expression(right, locals_)
            name, _, places = left.partition("[")
            if name not in expected:
                locals_[left] = value
            elif places:
                entries[name][tuple(int(place) for place in places.rstrip("]").split(","))] = value
            else:
                entries[name][(0,) * len(shapes[name])] = value
        results = []
        for name, shape in shapes.items():
            if not shape:
                results.append(entries[name].get((), sympy.Integer(0)))
                continue
            matrix = sympy.zeros(*(shape if len(shape) == 2 else (shape[0], 1)))
            for place, value in entries[name].items():
                matrix[place if len(place) == 2 else (place[0], 0)] = value
            results.append(sympy.ImmutableMatrix(matrix))
        return results[0] if len(results) == 1 else tuple(results)

    def _lines(self, function: str) -> list[str]:
        return [line for line in self._equations(function).splitlines() if line and not line.startswith("#")]

    def _expression(self, text: str, locals_: Mapping[str, object]):
        # Names with dots and brackets are names of channels; `if` is no function of Python.
        names: dict[str, str] = {}

        def plain(match: re.Match[str]) -> str:
            name = match.group()
            if re.fullmatch(r"\d.*", name) or (name in FUNCTIONS and text[match.end() : match.end() + 1] == "("):
                return {"if": "if_"}.get(name, name)
            word = f"name{len(names)}"
            names[word] = name
            return word

        text = re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?|[^\W\d][\w]*(\[\d+(,\d+)*\])*(\.[^\W\d]\w*(\[\d+(,\d+)*\])*)*", plain, text)
        return self._value(ast.parse(text.replace("^", "**"), mode="eval").body, names, locals_)

    def _value(self, node: ast.AST, names: Mapping[str, str], locals_: Mapping[str, object]):
        sympy = self._sympy
        value = lambda node: self._value(node, names, locals_)  # noqa: E731
        match node:
            case ast.Constant(value=int(number)):
                return sympy.Integer(number)
            case ast.Constant(value=float(number)):
                # Decimals are exact in the text of a model.
                return sympy.Rational(repr(number))
            case ast.Name(id=word):
                name = names[word]
                return locals_[name] if name in locals_ else self._symbol(name)
            case ast.UnaryOp(op=ast.USub(), operand=a):
                return -value(a)
            case ast.BinOp(left=a, op=op, right=b):
                a, b = value(a), value(b)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
                    case ast.Pow():
                        return a**b
            case ast.Call(func=ast.Name(id="if_"), args=[ast.Compare(left=a, ops=[ast.Lt()], comparators=[b]), c, d]):
                return sympy.Piecewise((value(c), value(a) < value(b)), (value(d), True))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return getattr(sympy, FUNCTIONS[name])(*map(value, arguments))
        raise NotImplementedError(f"no expression of SymPy for {ast.unparse(node)}")

    def _symbol(self, name: str) -> "sympy.Symbol":
        return self.symbols.setdefault(name, self._sympy.Symbol(name, real=True))


# Functions of the formulas, by their names in SymPy.
FUNCTIONS = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "atan2": "atan2",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "sqrt": "sqrt",
    "exp": "exp",
    "ln": "log",
    "log": "log",
    "abs": "Abs",
    "sign": "sign",
    "min": "Min",
    "max": "Max",
    "if": "",
}
