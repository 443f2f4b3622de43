"""Sizes and times of functional mock-up units: export, instances, steps, beside runs of the command line.

    unit_times.py HAMEL [MODEL…]       HAMEL is the program, beside the library of units

Needs FMPy, CMake and a compiler of C. Units of both kinds take a thousand steps by themselves, one a call: those with the
library by the generalized-α scheme, those of sources by the classical Runge-Kutta scheme; the run is the first of these.
Times are the least of five in turns, in ms; "first" is an instance whose model is compiled, "next" one whose model was kept.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fmpy
from fmpy.build import build_platform_binary
from fmpy.fmi3 import FMU3Slave

STEPS, RUNS = 1000, 5
MODELS = "pendulum", "heavy_top", "slider_crank", "v8_crank_drive"
DT = {"v8_crank_drive": 1e-4}


def timed(work):
    begin = time.perf_counter()
    result = work()
    return 1e3 * (time.perf_counter() - begin), result


def command(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)


class Unit:
    def __init__(self, folder):
        self.folder, self.description = folder, fmpy.read_model_description(folder)

    def instance(self):
        fmu = FMU3Slave(
            guid=self.description.guid,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            unzipDirectory=self.folder,
        )
        fmu.instantiate()
        fmu.enterInitializationMode(startTime=0.0)
        fmu.exitInitializationMode()
        return fmu

    def moved(self, dt):
        made, fmu = timed(self.instance)
        taken, _ = timed(lambda: [fmu.doStep(k * dt, dt) for k in range(STEPS)])
        fmu.terminate()
        fmu.freeInstance()
        return made, taken


def main(program, *models):
    print(f"{'model':<16}{'kind':<10}{'kB':>7}{'export':>8}{'first':>8}{'next':>8}{'1000 steps':>12}{'run':>8}")
    with tempfile.TemporaryDirectory() as folder:
        # Nothing is kept from earlier.
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        for model in models or MODELS:
            dt = DT.get(model, 1e-3)
            rows = {}
            for kind, options in ("library", ["--scheme", "generalized_alpha"]), ("sources", ["--sources"]):
                file = Path(folder) / f"{model}_{kind}.fmu"
                words = ["export", "fmu", model, "--kind", "cs", "--dt", dt, "--out", file, *options]
                exported, _ = timed(lambda: command(program, *words))
                size = file.stat().st_size
                unit = fmpy.extract(str(file))
                if kind == "sources":
                    build_platform_binary(unit)
                unit = Unit(unit)
                first, _ = timed(unit.instance)
                rows[kind] = [size, exported, first, unit, []]
            runs = []
            for _ in range(RUNS):
                for row in rows.values():
                    row[4].append(row[3].moved(dt))
                out = Path(folder) / "run"
                words = ["run", model, "--until", STEPS * dt, "--dt", dt, "--scheme", "generalized_alpha", "--out", out]
                runs.append(timed(lambda: command(program, *words))[0])
            for kind, (size, exported, first, _, times) in rows.items():
                made, taken = (min(column) for column in zip(*times))
                run = f"{min(runs):8.1f}" if kind == "library" else ""
                print(f"{model:<16}{kind:<10}{size / 1e3:7.0f}{exported:8.1f}{first:8.1f}{made:8.1f}{taken:12.1f}{run}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
