"""What the steps of a motion of ours consist of: instructions by `valgrind`, and the parts of the time by `perf`."""

import re
import subprocess
import tempfile
from pathlib import Path

# Parts, and the functions that belong to each; the first that matches counts.
PARTS = {
    "model": r"::kernels::|as hamel::model::Model>|forward_dynamics|sine_cosine|__(sin|cos|sincos|atan|atan2|exp|log|pow)",
    "solution": r"linear_solver|hamel::acceleration|as hamel::scheme::linear",
    "rotations": r"hamel::configuration|hamel::rotation|hamel::chart|Attitude",
    "Newton": r"hamel::newton|hamel::norms|as hamel::newton::Equations",
    "scheme": r"hamel::schemes|hamel::scheme|hamel::nonsmooth|hamel::adaptive|hamel::projection|hamel::tables",
    "checks and records": r"hamel::(watchers|recorder|events|residuals|simulation|step|undefined|known|joint_limits|skipped)"
                          r"|hamel::model::State|hamel::trajectory|hamel::once|memmove|memset|memcpy",
}
OTHER = "start and others"
# What a step cannot do without.
NEEDED = ["model", "solution"]


def instructions(command, motions):
    """Instructions of a process that runs a motion so many times."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    found = subprocess.run(valgrind, input="\n" * motions, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", found.stderr)[1])


def shares(command, motions):
    """The share of each part in the time of a process that runs a motion so many times."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        record = ["perf", "record", "--quiet", "-F", "10000", "-e", "cpu-clock:u", "-o", str(data), *command]
        subprocess.run(record, input="\n" * motions, capture_output=True, text=True, check=True)
        report = ["perf", "report", "--stdio", "--no-children", "-g", "none", "-F", "overhead,dso,symbol", "-i", str(data)]
        lines = subprocess.run(report, capture_output=True, text=True, check=True).stdout.splitlines()
    found = dict.fromkeys([*PARTS, OTHER], 0.0)
    for line in lines:
        match = re.match(r"\s*([\d.]+)%\s+(\S+)\s+\[.\]\s+(.*)", line)
        # The loader's work is that of beginning a process.
        if match and not match[2].startswith("ld-"):
            name = next((name for name, of in PARTS.items() if re.search(of, match[3])), OTHER)
            found[name] += float(match[1])
    total = sum(found.values())
    return {name: share / total for name, share in found.items()}


def composition(steps, number):
    """Instructions of one of so many steps, and the shares of its parts."""
    command = steps.process.args
    # A second of motions, as near as it gets.
    seconds, count = steps.answer[:2]
    motions = max(4, int(1.0 / (seconds * count)))
    few, many = (instructions(command, count) for count in (1, 3))
    return (many - few) / 2 / number, shares(command, motions)
