"""What scripts share that run whole motions by the example `motion` and by other tools, in turns on one core."""

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[3]

Motion = Callable[[], np.ndarray]


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def build_steps():
    """The example `motion`, an ordinary release build."""
    run("cargo", "build", "--release", "--quiet", "-p", "hamel-benches", "--features", "scaling", "--example", "motion",
        cwd=ROOT)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "examples" / "motion"


class Program:
    """A process that runs a motion for every line it reads and answers with numbers, some of which are a state."""

    def __init__(self, *command, skip=0, keep=None):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([str(word) for word in command], stdin=pipe, stdout=pipe, text=True)
        self.state = slice(skip, None if keep is None else skip + keep)
        self.answer = None

    def __call__(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args} ended")
        self.answer = np.array([float(word) for word in line.split()])
        return self.answer[self.state]

    def seconds(self):
        """Processor time of the process: its clock as Linux numbers it."""
        return time.clock_gettime((~self.process.pid << 3) | 2)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Steps(Program):
    """A motion of ours."""

    def __init__(self, program, **settings):
        super().__init__(program, *(f"{name}={value}" for name, value in settings.items()), skip=5)

    def counts(self):
        """Steps, Newton iterations and factorizations of the last run."""
        _, accepted, _, iterations, factorizations = self.answer[:5].astype(int)
        return accepted, iterations, factorizations


def timed(motion):
    """Processor time of a motion, s, and the state at its end."""
    clock = motion.seconds if isinstance(motion, Program) else time.process_time
    begin = clock()
    end = motion()
    return clock() - begin, np.asarray(end)


def fastest(variants):
    """Name and motion of the variant that takes least time; those that fail are left out."""
    times = {}
    for name, motion in variants.items():
        try:
            times[name] = timed(motion)[0]
        except RuntimeError as error:
            print(f"  {name}: {error}", file=sys.stderr)
    if not times:
        raise RuntimeError("no variant reached the end")
    name = min(times, key=times.get)
    return name, variants[name]


def machine(*packages):
    """Processor, compilers and versions of Python packages, in one line."""
    text = Path("/proc/cpuinfo").read_text()
    processor = next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
    compilers = [subprocess.run([name, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
                 for name in ["rustc", "gcc"]]
    versions = [f"{name} {version(name)}" for name in packages]
    return ", ".join([processor, *compilers, f"Python {platform.python_version()}", *versions])


def stay_on_one_core():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
