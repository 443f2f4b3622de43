#!/usr/bin/env python3
"""Times of steps and motions beside other tools, each pair in turns in one run on one core.

Needs Linux, cargo, gcc, g++ and `pip install exudyn mujoco casadi pin cmeel-eigen`. Ours is the example `motion` of the
benchmarks, an ordinary release build, as are the wheels of the others; what is compiled here from C and C++ may use all
instructions of the processor. Times are processor times, so that other processes matter less, and the least of several
rounds counts. The states at the end are compared; where they differ by more than the schemes explain, the row says so and
the script fails.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path
from typing import Callable

import numpy as np

HERE = Path(__file__).resolve().parent / "steps"
sys.path.insert(0, str(HERE))

import andrews  # noqa: E402
import exudyn_models as exudyn  # noqa: E402
import mujoco  # noqa: E402
import trees  # noqa: E402
from composition import NEEDED, OTHER, PARTS, composition  # noqa: E402
from measure import ROOT, Motion, Program, Steps, build_steps, fastest, machine, run, stay_on_one_core, timed  # noqa: E402


@dataclass
class Row:
    """A motion by one of our schemes and by another tool."""

    name: str
    # Settings of the example `motion`.
    ours: dict[str, str | float]
    peer: str
    # Motions by names of settings, of which the fastest counts; they may depend on our state at the end.
    theirs: Callable[[np.ndarray], dict[str, Motion]]
    # Of the states at the end, relative to the largest component: what schemes and elements explain.
    difference: float
    # By which our time and theirs are divided: steps, or steps and instances.
    parts: tuple[float, float] = (1, 1)
    goal: float | None = None


class Tools:
    """What is compiled here, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.steps = build_steps()
        native = ["-march=native", "-DNDEBUG"]
        pendulum = HERE / "double_pendulum.c"
        self.build("pendulum", "gcc", "-O3", *native, pendulum, "-lm")
        self.build("pendulum_lanes", "gcc", "-Ofast", "-fopenmp-simd", "-mprefer-vector-width=512", "-DLANES=8", *native,
                   pendulum, "-lm")
        headers = Path(next(file for file in files("libpinocchio") if file.name == "multibody.hpp").locate()).parents[1]
        # Pinocchio's variants of joints are longer than Boost's lists are by default.
        lists = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS"]
        self.build("pinocchio", "g++", "-std=c++17", "-O3", "-w", *native, *lists, f"-I{headers}", f"-I{headers}/eigen3",
                   HERE / "pinocchio.cpp")

    def build(self, name, *command):
        """What is there already is kept: Pinocchio takes a minute and more."""
        if not (self.folder / name).exists():
            run(*command, "-o", self.folder / name)

    def ours(self, **settings):
        return Steps(self.steps, **settings)

    def pendulum(self, name, step, count, instances):
        return lambda _: {name: Program(self.folder / name, step, count, instances, keep=2)}

    def pinocchio(self, chain, step, count):
        file = self.folder / f"chain_of_{len(chain.links)}.txt"
        file.write_text(chain.text())
        return lambda _: {"C++": Program(self.folder / "pinocchio", file, step, count)}


def in_mujoco(chain, integrator, step, count):
    model = mujoco.MjModel.from_xml_string(chain.mjcf(integrator, step))
    data = mujoco.MjData(model)

    def motion():
        mujoco.mj_resetData(model, data)
        data.qpos[:] = [link.angle for link in chain.links]
        mujoco.mj_step(model, data, count)
        return data.qpos.copy()
    return lambda _: {integrator: motion}


def in_exudyn(build, step, until):
    return lambda _: dict(exudyn.variants(build, step, until))


def by_ida(is_compiled):
    """IDA with the loosest tolerance by which its state at the end is at least as accurate as ours."""
    def variants(end):
        ours = np.abs(end - andrews.REFERENCE).max()
        for digits in range(4, 13):
            motion = andrews.integrator(10.0**-digits, is_compiled)
            theirs = np.abs(motion() - andrews.REFERENCE).max()
            if theirs <= ours:
                return {f"tolerance 1e-{digits}, errors {ours:.0e} and {theirs:.0e}": motion}
        raise RuntimeError(f"IDA does not reach an error of {ours}")
    return variants


def rows(tools):
    alpha = {"scheme": "generalized_alpha", "scheme.rho_infinity": exudyn.SPECTRAL_RADIUS, "step": 1e-4}
    place = {"print": "position_x,position_y,position_z"}
    # The same with iterations that end where Exudyn's do.
    loose = {**alpha, "newton": exudyn.TOLERANCE}
    ends = ", iterations to 1e-6"
    steps = (10_000, 10_000)
    yield Row("heavy top, Euler parameters, generalized-α", {"model": "heavy_top", "until": 1, **alpha, **place},
              "Exudyn", in_exudyn(exudyn.top(False), 1e-4, 1), 1e-4, steps, 0.11)
    yield Row(f"heavy top, Euler parameters, generalized-α{ends}", {"model": "heavy_top", "until": 1, **loose, **place},
              "Exudyn", in_exudyn(exudyn.top(False), 1e-4, 1), 1e-4, steps, 0.11)
    for peer, build, goal in [("Exudyn, Lie group", exudyn.top(True), 0.06),
                              ("Exudyn, without translation", exudyn.top_without_translation, 0.14)]:
        yield Row("heavy top, joint coordinates, generalized-α", {"model": "heavy_top_joint", "until": 1, **alpha, **place},
                  peer, in_exudyn(build, 1e-4, 1), 2e-3, steps, goal)
        yield Row(f"heavy top, joint coordinates, generalized-α{ends}", {"model": "heavy_top_joint", "until": 1, **loose, **place},
                  peer, in_exudyn(build, 1e-4, 1), 2e-3, steps, goal)
    # From the time on at which its torque is constant.
    for name, scheme in [("V8, generalized-α", alpha), (f"V8, generalized-α{ends}", loose)]:
        yield Row(name, {"model": "v8_crank_drive", "from": 1, "until": 1.1, "print": "crankshaft.e0,crankshaft.e1", **scheme},
                  "Exudyn", in_exudyn(exudyn.v8, 1e-4, 0.1), 1e-5, (1000, 1000), 0.11)

    angles = {"model": "andrews_squeezer", "until": andrews.UNTIL, "print": "beta,theta,gamma,phi,delta,omega,epsilon"}
    for name, scheme, difference, goal in [
        ("Andrews, generalized-α at 1e-5", {"scheme": "generalized_alpha", "step": 1e-5}, 2e-5, 0.18),
        ("Andrews, Radau IIA 3 at 1e-5", {"scheme": "radau_iia3", "step": 1e-5}, 1e-6, 0.18),
        ("Andrews, Dormand-Prince at a tolerance of 1e-6", {"scheme": "dormand_prince", "tolerance": 1e-6}, 1e-6, 0.4),
        ("Andrews, Radau IIA 5 at a tolerance of 1e-6", {"scheme": "radau_iia5", "tolerance": 1e-6}, 5e-6, 0.4),
        ("Andrews, ESDIRK325 at a tolerance of 1e-6", {"scheme": "esdirk325", "tolerance": 1e-6}, 2e-6, 0.4),
    ]:
        for peer, is_compiled in [("IDA, CasADi's C", True), ("IDA, CasADi's interpreter", False)]:
            yield Row(name, {**angles, **scheme}, peer, by_ida(is_compiled), difference, goal=goal)

    chain, names = trees.planar_chain(100), ["anchor.angle", *(f"pin[{k}].angle" for k in range(1, 100))]
    ours = {"model": "joint_planar_chain_100", "scheme": "runge_kutta", "step": 1e-4, "until": 0.1, "print": ",".join(names)}
    for peer, theirs, goal in [("MuJoCo", in_mujoco(chain, "RK4", 1e-4, 1000), 0.1),
                               ("Pinocchio", tools.pinocchio(chain, 1e-4, 1000), 0.15)]:
        yield Row("chain of 100 hinges, joint coordinates, Runge-Kutta", ours, peer, theirs, 1e-8, (1000, 1000), goal)

    arm = trees.arm(ROOT / "verify" / "data" / "opcounts" / "arm7.urdf")
    ours = {"model": "arm", "step": 1e-3, "until": 1, "print": ",".join(f"j{k}.angle" for k in range(7))}
    for peer, theirs in [("MuJoCo", in_mujoco(arm, "RK4", 1e-3, 1000)), ("Pinocchio", tools.pinocchio(arm, 1e-3, 1000))]:
        yield Row("arm of 7 joints, Runge-Kutta", {**ours, "scheme": "runge_kutta"}, peer, theirs, 1e-6, (1000, 1000), 0.1)
    # The difference is the error of a scheme of first order: a tenth of the step leaves a tenth of it.
    for name, scheme, goal in [("generalized-α", "generalized_alpha", 0.4), ("ESDIRK324", "esdirk324", 1)]:
        yield Row(f"arm of 7 joints, {name}", {**ours, "scheme": scheme}, "MuJoCo, first order",
                  in_mujoco(arm, "implicitfast", 1e-3, 1000), 0.2, (1000, 1000), goal)

    ours = {"model": "double_pendulum", "scheme": "runge_kutta", "step": 1e-4, "until": 2, "print": "tip_x,tip_y"}
    for peer, name, goal in [("C", "pendulum", 0.13), ("C with SIMD", "pendulum_lanes", None)]:
        yield Row("double pendulum, Runge-Kutta, an instance", ours, peer, tools.pendulum(name, 1e-4, 20_000, 64), 1e-9,
                  (20_000, 20_000 * 64), goal)

    ours = {"instances": 64, "step": 1e-4, "until": 2}
    for peer, name, goal in [("C", "pendulum", 0.13), ("C with SIMD", "pendulum_lanes", None)]:
        yield Row("double pendulum, Runge-Kutta in lanes, an instance", ours, peer, tools.pendulum(name, 1e-4, 20_000, 64),
                  1e-9, (20_000 * 64, 20_000 * 64), goal)

    # To the largest deflection, where a frequency that is half a per cent higher for want of shear matters least.
    ours = {"model": "beam_16", "until": 0.1185, "print": "tip_z"}
    links = {"model": "planar_chain_100", "until": 0.1, "print": "link[0].angle,link[1].angle,link[2].angle"}
    for end, scheme in [("", alpha), (ends, loose)]:
        for peer, build, difference in [("Exudyn, cable without shear", exudyn.cable(33), 3e-2),
                                        ("Exudyn, in the plane", exudyn.planar_beam(16), 2e-3)]:
            yield Row(f"beam of 33 nodes, generalized-α{end}", {**ours, **scheme}, peer, in_exudyn(build, 1e-4, 0.1185),
                      difference, (1185, 1185), 0.2)
        yield Row(f"chain of 100 hinges, redundant coordinates, generalized-α{end}", {**links, **scheme},
                  "Exudyn", in_exudyn(exudyn.planar_chain(100), 1e-4, 0.1), 1e-6, (1000, 1000), 0.1)


def measure(row, tools, rounds):
    """A line of the table, whether the states at the end agree, our motion, and the ratio of times."""
    ours = tools.ours(**row.ours)
    name, theirs = fastest(row.theirs(ours()))
    times = [[], []]
    for _ in range(rounds):
        for motion, found in zip([ours, theirs], times):
            seconds, end = timed(motion)
            found.append((seconds, end))
    (a, end), (b, other) = ((min(t for t, _ in found) * 1e6 / parts, found[-1][1])
                            for found, parts in zip(times, row.parts))
    difference = np.abs(end - other).max() / np.abs(end).max()
    agrees = difference <= row.difference
    goal = "" if row.goal is None else f"{row.goal}{'' if a / b <= row.goal else ', missed'}"
    remark = f"{difference:.0e}" + ("" if agrees else f", **but {row.difference:.0e} is explained**")
    cells = [row.name, f"{a:.3g}", f"{row.peer}: {name}", f"{b:.3g}", f"{a / b:.3f}", goal, remark]
    return "| " + " | ".join(cells) + " |", agrees, ours, a / b


def compose(measured):
    """Prints of what our steps consist, and what ratio would be left without everything but what steps need."""
    names = [*PARTS, OTHER]
    print(f"\n| motion | instructions | {' | '.join(names)} | ratio | by {' and '.join(NEEDED)} alone |")
    print("|---|" + "---:|" * (len(names) + 3))
    known = {}
    for row, ours, ratio in measured:
        key = tuple(ours.process.args)
        instructions, shares = known[key] = known.get(key) or composition(ours, row.parts[0])
        cells = [f"{shares[name]:.2f}" for name in names]
        needed = ratio * sum(shares[name] for name in NEEDED)
        print(f"| {row.name}; {row.peer} | {instructions:.0f} | {' | '.join(cells)} | {ratio:.3f} | {needed:.3f} |", flush=True)


SICONOS = "slider-crank with clearance, Moreau at 1e-5"


def beside_siconos(tools, rounds):
    """The row whose other side cannot be installed by name: 19 µs were recorded elsewhere, and no state at the end."""
    ours = tools.ours(model="slider_crank_clearance", scheme="moreau", step=1e-5, until=0.1, print="slider_x,slider_y")
    step = min(timed(ours)[0] for _ in range(rounds)) * 1e6 / 10_000
    ratio = step / 19
    return (f"| {SICONOS} | {step:.3g} | Siconos, recorded elsewhere | 19 | {ratio:.3f} | "
            f"0.02{'' if ratio <= 0.02 else ', missed'} | not compared |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="of which the least time counts")
    parser.add_argument("--only", default="", help="rows whose names contain this")
    parser.add_argument("--composition", action="store_true", help="of what our steps consist, too, which needs `perf` and `valgrind`")
    parser.add_argument("--keep", metavar="FOLDER", help="compile here and keep what was compiled")
    arguments = parser.parse_args()
    folder = Path(arguments.keep or tempfile.mkdtemp(prefix="steps-")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tools = Tools(folder)
    stay_on_one_core()
    print(machine("exudyn", "mujoco", "casadi", "libpinocchio", "cmeel-eigen") + "\n")
    print("| motion | ours, µs | other tool | its time, µs | ratio | goal | states at the end differ by |")
    print("|---|---:|---|---:|---:|---:|---:|", flush=True)
    all_agree, measured = True, []
    for row in rows(tools):
        if arguments.only in row.name:
            line, agrees, ours, ratio = measure(row, tools, arguments.rounds)
            all_agree &= agrees
            measured.append((row, ours, ratio))
            print(line, flush=True)
    if arguments.only in SICONOS:
        print(beside_siconos(tools, arguments.rounds))
    if arguments.composition:
        compose(measured)
    if not all_agree:
        sys.exit("states at the end differ by more than the schemes explain")


if __name__ == "__main__":
    main()
