"""Times our sparse solver beside KLU on the Newton matrices of models, on the same matrices in the same run.

Needs SuiteSparse (Debian: libsuitesparse-dev) and a C compiler. Prints a table for README.md.
"""

import pathlib
import subprocess
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 100
TURNS = 5


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPOSITORY).stdout


def least(command):
    """The least of every number over several turns, the entries last."""
    return [min(column) for column in zip(*command)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        klu = f"{folder}/klu"
        source = REPOSITORY / "benches/peers/klu.c"
        output("gcc", "-O3", "-march=native", "-I/usr/include/suitesparse", str(source), "-o", klu, "-lklu", "-lm")
        build = ("cargo", "build", "--release", "-p", "hamel-benches", "--example", "newton_matrices",
                 "--features", "scaling", "--message-format", "json-render-diagnostics")
        messages = output(*build).splitlines()
        ours = [line for line in messages if '"executable":"' in line][-1].split('"executable":"')[1].split('"')[0]
        print("| model | unknowns | entries L + U, ours / KLU | analyse | factor | refactor | solve | ratio refactor | ratio both |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for line in output(ours, "write", folder).splitlines():
            name, size = line.split()
            file = f"{folder}/{name}.txt"
            mine, theirs = [], []
            for _ in range(TURNS):
                mine.append([float(x) for x in output(ours, "time", file, str(ROUNDS)).split()])
                theirs.append([float(x) for x in output(klu, file, str(ROUNDS)).split()])
            a, b = least(mine), least(theirs)
            pair = lambda i, j: f"{a[i]:.1f} / {b[j]:.1f}"
            print(f"| {name} | {size} | {a[6]:.0f} / {b[6]:.0f} | {pair(0, 0)} | {pair(1, 1)} | {pair(3, 3)} | {pair(5, 5)} "
                  f"| {a[3] / b[3]:.2f} | {(a[3] + a[5]) / (b[3] + b[5]):.2f} |", flush=True)


main()
