#!/usr/bin/env python3
"""Errors of motions over time and factorizations, by our schemes, by IDA and by Exudyn, for work-precision diagrams.

Needs Linux, cargo, gcc and `pip install exudyn casadi`. Steps or tolerances are swept; every setting runs on one core, its
least processor time of several rounds counts, and its error is that of the state at the end, relative to the largest
component of a reference. Writes `verify/data/work_precision/MODEL.csv` and the model's lines of `references.csv` there,
which `hamel reproduce schemes/work_precision` draws.

References are two runs of ours, by unlike schemes; for elements that are not ours, two of Exudyn. Errors that are not well
above their difference are left out, as are motions that fail or are off by more than a tenth.
"""

import argparse
import csv
import datetime
import functools
import itertools
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Callable, Iterator

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / "steps"))

import andrews  # noqa: E402
import exudyn_models as exudyn  # noqa: E402
import ida  # noqa: E402
import ida_models  # noqa: E402
from measure import ROOT, Motion, Steps, build_steps, fastest, machine, stay_on_one_core, timed  # noqa: E402

DATA = ROOT / "verify" / "data" / "work_precision"
COLUMNS = ["program", "version", "scheme", "variant", "kind", "setting", "error", "seconds", "steps", "newton_iterations",
           "factorizations"]
REFERENCE_COLUMNS = ["model", "quantity", "value", "method", "second_value", "second_method"]
# Motions that take longer, s, run once.
LONG = 1.0
# The largest error that is kept, and the least as a multiple of the references' difference.
LARGEST_ERROR, ABOVE_REFERENCE = 0.1, 4
# With their default parameters; that of generalized-α is Exudyn's here, too.
FIXED = ["generalized_alpha", "rho_bathe", "radau_iia5", "runge_kutta"]
CHOSEN = ["generalized_alpha", "esdirk325", "radau_iia5", "dormand_prince"]
TOLERANCES = [10.0**-digits for digits in range(2, 12)]


@dataclass
class Problem:
    """A motion that all programs can do, or most."""

    # Of the example `motion`, without the scheme.
    ours: dict[str, str | float]
    # Numbers of steps that are swept.
    steps: list[int]
    # Schemes and settings of the two references.
    references: list[dict[str, str | float]]
    # By their names, what Exudyn builds.
    exudyn: dict[str, Callable]
    # A motion by IDA with a tolerance, if it has any.
    ida: Callable[[float], Motion] | None
    tolerances: list[float] = field(default_factory=lambda: TOLERANCES)
    # Two steps of Exudyn, whose elements are not ours, so that it has a reference of its own.
    own_reference: list[float] = field(default_factory=list)
    # Of Exudyn's Newton method: as tight as its errors need, and above its rounding.
    newton: float = 1e-10
    # Whether Exudyn divides steps that fail.
    divides: bool = False

    def variants(self, build, step):
        return dict(exudyn.variants(build, step, self.duration(), self.newton, self.divides))

    def duration(self):
        return self.ours["until"] - self.ours.get("from", 0)


def by_ida(mechanism, until):
    def motion(tolerance):
        equations, start, measured = mechanism()
        return ida.Motion(equations, start, until, measured, tolerance, is_compiled=True)
    return motion


def doubled(first, count):
    return [first * 2**k for k in range(count)]


def radau(step):
    return {"scheme": "radau_iia5", "step": step}


def pair(step):
    return {"scheme": "dormand_prince", "step": step}


PROBLEMS = {
    "andrews": Problem(
        {"model": "andrews_squeezer", "until": andrews.UNTIL, "print": "beta,theta,gamma,phi,delta,omega,epsilon"},
        doubled(300, 8), [radau(1e-6), pair(1e-6)], {"generalized-α": exudyn.andrews_squeezer},
        lambda tolerance: andrews.integrator(tolerance, True)),
    "heavy_top": Problem(
        {"model": "heavy_top_joint", "until": 1, "print": "position_x,position_y,position_z"},
        doubled(500, 8), [radau(2.5e-5), pair(2.5e-5)],
        {"generalized-α": exudyn.top_without_translation, "generalized-α, Lie group and joint": exudyn.top(True)},
        by_ida(ida_models.top, 1)),
    "slider_crank": Problem(
        {"model": "slider_crank", "until": 0.1, "print": "theta1,theta2"},
        doubled(100, 9), [radau(2.5e-6), pair(2.5e-6)], {"generalized-α": exudyn.slider_crank},
        by_ida(ida_models.slider_crank, 0.1)),
    # IDA does not pass the first of the positions in which constraints lose rank, at 0.714 s, with any tolerance that
    # was tried; Exudyn divides steps there.
    "four_bars": Problem(
        {"model": "four_bars", "until": 10, "print": "tip_x,tip_y"},
        doubled(500, 7), [radau(4e-4), pair(5e-4)], {"generalized-α": exudyn.four_bars}, None, divides=True),
    # From the time on at which its torque is constant, because Exudyn would call Python for one that is not.
    "v8": Problem(
        {"model": "v8_crank_drive", "from": 1, "until": 1.5, "print": "crankshaft.e0,crankshaft.e1"},
        doubled(125, 6), [radau(1e-4), pair(1e-4)], {"generalized-α": exudyn.v8}, by_ida(ida_models.v8, 0.5)),
    "beam": Problem(
        {"model": "beam_16", "until": 0.1, "print": "tip_z"},
        doubled(100, 7), [pair(2e-6), {"scheme": "runge_kutta", "step": 1e-6}],
        {"generalized-α, in the plane": exudyn.planar_beam(16)}, by_ida(lambda: ida_models.beam(16), 0.1),
        tolerances=TOLERANCES[1:5], own_reference=[1.25e-6, 2.5e-6], newton=1e-6),
}


@dataclass
class Run:
    """A motion with one setting."""

    program: str
    scheme: str
    variant: str
    kind: str
    setting: float
    motion: Motion


def runs(problem, program) -> Iterator[Run]:
    steps = [problem.duration() / count for count in problem.steps]
    for kind, schemes, settings in [("step", FIXED, steps), ("tolerance", CHOSEN, problem.tolerances)]:
        for scheme, setting in itertools.product(schemes, settings):
            yield Run("Hamel", scheme, "", kind, setting,
                      Steps(program, **problem.ours, scheme=scheme, **{kind: setting}))
    for tolerance in problem.tolerances if problem.ida else []:
        yield Run("IDA", "BDF", "CasADi's C", "tolerance", tolerance, problem.ida(tolerance))
    for name, build in problem.exudyn.items():
        for step in steps:
            try:
                variant, motion = fastest(problem.variants(build, step))
            except RuntimeError as error:
                print(f"Exudyn, {name}, {step}: {error}", file=sys.stderr)
                continue
            yield Run("Exudyn", name, variant, "step", step, motion)


def line(run, rounds, reference):
    """A line of the table, unless the motion fails or its error says nothing."""
    name = f"{run.program}, {run.scheme}, {run.kind} {run.setting:g}"
    seconds = []
    try:
        while len(seconds) < (rounds if sum(seconds) < LONG else 1):
            spent, end = timed(run.motion)
            seconds.append(spent)
    except RuntimeError as error:
        print(f"{name}: {str(error).splitlines()[-1]}", file=sys.stderr)
        return None
    error = distance(end, reference.value)
    if not ABOVE_REFERENCE * reference.difference < error <= LARGEST_ERROR:
        print(f"{name}: an error of {error:.1e} is left out", file=sys.stderr)
        return None
    numbers = [f"{run.setting!r}", f"{error:.6e}", f"{min(seconds):.3e}", *run.motion.counts()]
    return [run.program, versions()[run.program], run.scheme, run.variant, run.kind, *numbers]


def distance(end, reference):
    """Largest component of the difference, relative to that of the reference."""
    return np.abs(end - reference).max() / np.abs(reference).max()


@functools.cache
def versions():
    ours = subprocess.run(["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {"Hamel": ours.stdout.strip(), "IDA": f"CasADi {version('casadi')}", "Exudyn": version("exudyn")}


@dataclass
class Reference:
    """Ends of a motion by two methods, of which the first counts."""

    methods: list[str]
    ends: list[np.ndarray]

    def __post_init__(self):
        self.value, self.difference = self.ends[0], distance(self.ends[1], self.ends[0])

    def lines(self, name, quantities):
        for quantity, *values in zip(quantities, *self.ends):
            yield [name, quantity, *(cell for value, method in zip(values, self.methods)
                                     for cell in [repr(float(value)), method])]


def our_reference(problem, program):
    motions = [Steps(program, **problem.ours, **settings) for settings in problem.references]
    return Reference([f"{settings['scheme']} at {settings['step']:g} s" for settings in problem.references],
                     [motion() for motion in motions])


def reference_of_exudyn(problem):
    [build] = problem.exudyn.values()
    motions = [problem.variants(build, step)["modified Newton, sparse"] for step in problem.own_reference]
    return Reference([f"Exudyn at {step:g} s" for step in problem.own_reference],
                     [np.asarray(motion()) for motion in motions])


def write_references(problem, references):
    """Replaces the lines of these references, by their names."""
    path, lines = DATA / "references.csv", []
    if path.exists():
        with path.open(newline="") as file:
            lines = [row for row in csv.reader(file) if row and row[0] not in (*references, "model")]
    for owner, reference in references.items():
        lines += reference.lines(owner, problem.ours["print"].split(","))
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([REFERENCE_COLUMNS, *lines])


def record(name, problem, program, rounds):
    ours = our_reference(problem, program)
    theirs = reference_of_exudyn(problem) if problem.own_reference else ours
    write_references(problem, {name: ours} | ({f"{name}, Exudyn": theirs} if theirs is not ours else {}))
    for reference in [ours, theirs]:
        print(f"{name}: {reference.methods} agree to {reference.difference:.1e}", file=sys.stderr)
    with (DATA / f"{name}.csv").open("w", newline="") as file:
        file.write(f"# {datetime.date.today().isoformat()}: {machine()}\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for run in runs(problem, program):
            row = line(run, rounds, theirs if run.program == "Exudyn" else ours)
            if isinstance(run.motion, Steps):
                run.motion.end()
            if row:
                table.writerow(row)
                file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", choices=[[], *PROBLEMS], help="all without any")
    parser.add_argument("--rounds", type=int, default=3, help="of which the least time counts")
    arguments = parser.parse_args()
    program = build_steps()
    stay_on_one_core()
    DATA.mkdir(parents=True, exist_ok=True)
    for name in arguments.models or PROBLEMS:
        record(name, PROBLEMS[name], program, arguments.rounds)


if __name__ == "__main__":
    main()
