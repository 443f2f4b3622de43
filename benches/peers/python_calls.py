#!/usr/bin/env python3
"""Times of calls from Python, for one state and for batches, beside Pinocchio, CasADi and MuJoCo.

Needs the package `hamel-dynamics` and `pip install pin casadi mujoco`; what is missing is left out and named. All tools
compute the forward dynamics of the 7-joint arm of `verify/data/opcounts`, for the same states, with results compared;
they take turns, and the least time of all rounds counts. With JAX (`pip install jax`), our function inside of `jax.jit` is
timed too, called by the compiled program and by a callback to the host, beside a sum of its arguments. The time of our kernel alone is that of one long batch, in which
calls cost nothing. `--kernel NS` gives it from elsewhere, such as `cargo bench`.
"""

import argparse
import os
import platform
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# One core, unless a tool is asked for threads.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np

import hamel

ROOT = Path(__file__).resolve().parents[2]
ARM = ROOT / "verify" / "data" / "opcounts" / "arm7.urdf"
SEED = 20261125
TOLERANCE = 1e-9


def states(n):
    generator = np.random.default_rng(SEED)
    return [generator.uniform(-1, 1, (n, 7)) for _ in range(3)]


def ours():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hamel.Model.from_urdf(ARM)


def pinocchio():
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(ARM))
    data = model.createData()
    return lambda q, v, tau: pin.aba(model, data, q, v, tau)


def casadi_function():
    """CasADi's expression of the same kernel, which its virtual machine runs."""
    import casadi_kernels

    tree = casadi_kernels.Tree(str(ARM), False)
    return casadi_kernels.functions(tree, "arm7")["aba"]


def mujoco_arm():
    import mujoco

    compiler = '<mujoco><compiler fusestatic="false" boundmass="0" boundinertia="0" balanceinertia="false"/></mujoco>'
    text = ARM.read_text()
    place = text.index(">", text.index("<robot")) + 1
    model = mujoco.MjModel.from_xml_string(text[:place] + compiler + text[place:])
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data = mujoco.MjData(model)

    def call(q, v, tau):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(model, data)
        return data.qacc

    return call


def inside_jit(model):
    """Programs of JAX: what is called, with functions of arrays of JAX."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    host = model.jax.at()
    provided = host._provided
    host._provided = lambda name: provided(name)._replace(place=None)
    sum_of_all = lambda q, v, tau: q + v + tau  # noqa: E731
    functions = {
        "hamel, jax.ffi": model.jax.forward_dynamics,
        "hamel, jax.pure_callback": host.forward_dynamics,
        "q + v + tau": sum_of_all,
    }
    # Fifty calls, each of which needs the result of the last.
    def chain(function):
        return lambda q, v, tau: jax.lax.fori_loop(0, 50, lambda _, x: function(q, v, 1e-3 * x + tau), tau)

    compiled = {name: (jax.jit(function), jax.jit(chain(function))) for name, function in functions.items()}
    return jax, compiled


def times_inside_jit(model, states, one, expected, arguments):
    try:
        jax, compiled = inside_jit(model)
    except ImportError as error:
        print(f"skipped: jax ({error})")
        return
    arrays, single = [list(map(jax.numpy.asarray, given)) for given in (states, one)]
    for name in list(compiled)[:2]:
        deviation = abs(np.asarray(compiled[name][0](*single)) - expected).max() / abs(expected).max()
        assert deviation < TOLERANCE, f"{name} deviates by {deviation:.1e}"

    def ready(function, given):
        return lambda: jax.block_until_ready(function(*given))

    singles = least({name: ready(each, single) for name, (each, _) in compiled.items()}, 500, arguments.rounds)
    chains = least({name: ready(chain, single) for name, (_, chain) in compiled.items()}, 20, arguments.rounds)
    chains = {name: nanoseconds / 50 for name, nanoseconds in chains.items()}
    batches = least({name: ready(each, arrays) for name, (each, _) in compiled.items()}, 1, max(3, arguments.rounds // 5))
    batches = {name: nanoseconds / arguments.batch for name, nanoseconds in batches.items()}
    print("\n| inside `jax.jit` | one state, ns | each of 50 in one program, ns | batch, ns per state |\n|---|---:|---:|---:|")
    for name, nanoseconds in singles.items():
        print(f"| {name} | {nanoseconds:.0f} | {chains[name]:.0f} | {batches[name]:.0f} |")


def least(functions, number, rounds):
    """The least time of a call of each function, ns; they take turns."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(number):
                function()
            best[name] = min(best[name], (time.perf_counter() - start) / number * 1e9)
    return best


def released(package):
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} (not installed)"


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=float, help="time of our kernel alone, ns")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--batch", type=int, default=100_000)
    arguments = parser.parse_args()
    packages = ["numpy", "pin", "casadi", "mujoco", "jax"]
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, hamel {hamel.__version__}")
    print(", ".join(map(released, packages)))

    q, v, tau = states(arguments.batch)
    one = q[0].copy(), v[0].copy(), tau[0].copy()
    model = ours()
    forward = model.forward_dynamics
    expected = forward(*one)
    singles = {"hamel": lambda: forward(*one)}
    batches = {"hamel": lambda: forward(q, v, tau)}

    def add(name, call):
        deviation = abs(np.ravel(call(*one)) - expected).max() / abs(expected).max()
        assert deviation < TOLERANCE, f"{name} deviates by {deviation:.1e}"
        singles[name] = lambda: call(*one)

    for name, make in [("pin", pinocchio), ("mujoco", mujoco_arm)]:
        try:
            call = make()
        except ImportError as error:
            print(f"skipped: {name} ({error})")
            continue
        add(name, call)
        if name == "pin":
            rows = range(min(arguments.batch, 10_000))
            batches["pin, loop"] = lambda: [call(q[i], v[i], tau[i]) for i in rows]
    try:
        function = casadi_function()
    except ImportError as error:
        print(f"skipped: casadi ({error})")
    else:
        add("casadi", lambda q, v, tau: function(q, v, tau).full())
        columns = [np.asfortranarray(x.T) for x in (q, v, tau)]
        threads = os.cpu_count() or 1
        serial, parallel = function.map(arguments.batch), function.map(arguments.batch, "thread", threads)
        batches["casadi, map"] = lambda: serial(*columns)
        batches[f"casadi, map, {threads} threads"] = lambda: parallel(*columns)

    single = least(singles, 2000, arguments.rounds)
    rounds = max(3, arguments.rounds // 5)
    batch = least(batches, 1, rounds)
    for name in batch:
        batch[name] /= min(arguments.batch, 10_000) if name == "pin, loop" else arguments.batch
    # In batches that the caches hold, the kernel alone.
    small = [np.ascontiguousarray(x[:256]) for x in (q, v, tau)]
    kernel = arguments.kernel or least({"kernel": lambda: forward(*small)}, 20, 5 * arguments.rounds)["kernel"] / 256
    print(f"\nkernel of hamel alone: {kernel:.0f} ns")
    print(f"call of hamel above its kernel: {single['hamel'] - kernel:.0f} ns")
    print(f"throughput of hamel's batch of {arguments.batch}, as a fraction of the kernel's: {kernel / batch['hamel']:.2f}")
    for title, times in [("one state", single), (f"batch of {arguments.batch}, per state", batch)]:
        print(f"\n| {title} | ns | times hamel |\n|---|---:|---:|")
        for name, nanoseconds in times.items():
            print(f"| {name} | {nanoseconds:.0f} | {nanoseconds / times['hamel']:.2f} |")
    times_inside_jit(model, (q, v, tau), one, expected, arguments)


if __name__ == "__main__":
    main()
