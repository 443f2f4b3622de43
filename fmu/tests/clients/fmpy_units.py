"""Exports all models as units and has FMPy validate and simulate them; compares with runs of the command line.

Units of sources are compiled by FMPy, where CMake and a compiler of C are on the path.

    fmpy_units.py HAMEL [MODEL…]       HAMEL is the program; all models by default

Both versions of the interface, model exchange with CVode where the model permits it, co-simulation always. A deviation
above the tolerances below, a finding of the validation and a failure end the script with 1.
"""

import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.build import build_platform_binary
from fmpy.validation import validate_fmu

UNTIL = 0.2
# Where impacts follow each other, small differences grow: ten of them.
UNTIL_OF = {"slider_crank_clearance": 0.05, "slider_crank_clearance_absolute": 0.05}
# Relative to one plus the output's size: what is left of the tolerances of CVode, 1e-9, and of the unit's own steps.
EXCHANGED, SIMULATED = 1e-4, 1e-3
# Units of sources take these steps, and a run by the same scheme differs by rounding.
STEP, ROUNDING = 1e-4, 1e-8
# Waves in beams are too stiff for CVode without a Jacobian, whose steps would take minutes; heaps have events without end.
STIFF = ("beam", "flexible", "shaft", "chain", "three_mass_oscillator", "pile")
# Schemes without events approach impacts by their steps.
SHORT, BETWEEN_EVENTS = 1e-6, 1e-3


def table(path):
    """Names of columns, without units, with their last values."""
    rows = list(csv.reader(path.open()))
    return {name.split(" [")[0]: float(value) for name, value in zip(rows[0], rows[-1])}


def hamel(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"hamel {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def is_compiled():
    """Whether units of sources can be compiled."""
    return shutil.which("cmake") and (shutil.which("cc") or shutil.which("cl"))


def exported(program, model, folder, until):
    """Names of units, with their files or folders."""
    for version in "3", "2":
        unit = folder / f"{model}{version}.fmu"
        hamel(program, "export", "fmu", model, "--fmi", version, "--until", until, "--optimised", "--out", unit)
        yield f"FMI {version}", unit
        # Waves in beams are too fast for the explicit steps of sources.
        if not is_compiled() or any(word in model for word in STIFF):
            continue
        unit = folder / f"{model}{version}_sources.fmu"
        options = ["--until", until, "--sources", "--dt", STEP, "--out", unit]
        try:
            hamel(program, "export", "fmu", model, "--fmi", version, *options)
        except RuntimeError as error:
            if "has contacts" in str(error):
                continue
            raise
        unpacked = fmpy.extract(str(unit))
        build_platform_binary(unpacked)
        yield f"FMI {version}, sources", Path(unpacked)


def compare(program, model, folder):
    """The findings of one model, and a line about it."""
    run, until = folder / model, UNTIL_OF.get(model, UNTIL)
    hamel(program, "run", model, "--until", until, "--optimised", "--out", run)
    expected, exact = table(run / f"{model}.csv"), None
    findings, said = [], []
    for version, unit in exported(program, model, folder, until):
        findings += [f"{version}: {finding}" for finding in validate_fmu(str(unit))]
        description = fmpy.read_model_description(str(unit))
        outputs = [v.name for v in description.modelVariables if v.causality == "output"]
        kinds = [("CoSimulation", expected, SIMULATED)]
        if "sources" in version:
            run = folder / f"{model}_steps"
            if not run.exists():
                steps = ["--scheme", "runge_kutta", "--dt", STEP]
                hamel(program, "run", model, "--until", until, *steps, "--out", run)
            kinds = [("CoSimulation", table(run / f"{model}.csv"), ROUNDING)]
        if description.modelExchange and not any(word in model for word in STIFF):
            has_events = description.numberOfEventIndicators > 0
            if exact is None:
                run = folder / f"{model}_exact"
                steps = ["--scheme", "moreau", "--dt", SHORT] if has_events else ["--adaptive", "1e-9"]
                hamel(program, "run", model, "--until", until, "--optimised", *steps, "--out", run)
                exact = table(run / f"{model}.csv")
            kinds.append(("ModelExchange", exact, BETWEEN_EVENTS if has_events else EXCHANGED))
        for kind, values, tolerance in kinds:
            result = fmpy.simulate_fmu(
                str(unit),
                fmi_type=kind,
                stop_time=until,
                # CVode takes a limited number of steps between two of them.
                output_interval=until / (4 if kind == "CoSimulation" else 400),
                relative_tolerance=1e-9,
            )
            found = {name: abs(result[name][-1] - values[name]) / (1 + abs(values[name])) for name in outputs}
            worst = max(found, key=found.get, default=None)
            said.append(f"{kind} {found[worst] if worst else 0:.0e}")
            # NaN is a deviation.
            findings += [f"{version}, {kind}: {name} off by {d:.1e}" for name, d in found.items() if not d <= tolerance]
    return findings, ", ".join(said)


def main(program, *models):
    listed = hamel(program, "list", "models").splitlines()
    models = models or [line.split()[0] for line in listed if line.startswith("  ")]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            try:
                findings, said = compare(program, model, Path(folder))
            except Exception as error:
                findings, said = [str(error)], "failed"
            wrong += bool(findings)
            print(f"{model}: {said}", *findings[:5], sep="\n  ", flush=True)
    print(f"{len(models)} models with FMPy {fmpy.__version__}, {wrong} with findings")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
