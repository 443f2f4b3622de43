"""Times of sweeps: two threads and two programs beside one, what a case costs beside its steps, and a Ray cluster.

    python benches/peers/sweeps.py [--ray]

needs the package `hamel`, and Ray where it is asked for. Each row is the least of three runs in turns.
"""

import multiprocessing
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import hamel

PENDULUM = """
model Pendulum {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    param mass = 1 kg;
    body rod { mass: mass, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, rod at [0, 0.5] m);
    initial hinge.angle = 1 rad;
}
"""


def timed(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def least(*runs):
    """The least time of each of several runs in turns, and the spread of the first."""
    times = [[timed(run) for run in runs] for _ in range(3)]
    return [min(column) for column in zip(*times)]


SWEEPS = [
    ("v8_crank_drive", "piston_mass", {"until": 2e-2, "scheme": "generalized_alpha", "dt": 1e-4}, 48),
    ("slider_crank_clearance", "m1", {"until": 2e-2, "scheme": "moreau", "dt": 1e-5}, 400),
    ("heavy_top", "mass", {"until": 0.2, "scheme": "generalized_alpha", "dt": 1e-4}, 400),
]


def swept(place, n):
    """A sweep with this number of threads."""
    name, parameter, options, count = SWEEPS[place]
    model = getattr(hamel.models, name)
    value = model.parameters[parameter]
    values = [value * (1 + 1e-3 * case / count) for case in range(count)]
    return hamel.sweep(model, {parameter: values}, outputs=["energy.final"], threads=n, **options)


def alone_or_beside(place, ready, begin, ended):
    """A program of its own: the sweep with one thread whenever the others begin, too."""
    swept(place, 1)
    for _ in range(3):
        ready.release()
        begin.acquire()
        swept(place, 1)
        ended.release()


def programs(place, count):
    """The least time of this number of programs that share nothing, each with the whole sweep."""
    context = multiprocessing.get_context("spawn")
    ready, begin, ended = (context.Semaphore(0) for _ in range(3))
    running = [context.Process(target=alone_or_beside, args=(place, ready, begin, ended)) for _ in range(count)]
    for program in running:
        program.start()
    times = []
    for _ in range(3):
        for _ in running:
            ready.acquire()
        start = time.perf_counter()
        for _ in running:
            begin.release()
        for _ in running:
            ended.acquire()
        times.append(time.perf_counter() - start)
    for program in running:
        program.join()
    return min(times)


def threads():
    print("two threads beside one, and two programs, which share nothing but the machine")
    for place, (name, _, options, count) in enumerate(SWEEPS):
        swept(place, 2)
        one, two = least(lambda: swept(place, 1), lambda: swept(place, 2))
        beside = programs(place, 1) / programs(place, 2)
        print(
            f"  {name} ({options['scheme']}): {count / one:.1f} cases a second with one, {count / two:.1f} with two, "
            f"ratio {one / two / 2:.3f} of two cores; each of two programs has {beside:.3f} of one alone"
        )


def overhead(ray_too):
    print("what a case costs beside its steps (a pendulum, one step)")
    model = hamel.Model.from_text(PENDULUM)
    options = {"outputs": ["hinge.angle.final"], "until": 1e-3, "scheme": "runge_kutta", "dt": 1e-3, "threads": 1}
    vary = {"mass": "1..2:100000"}
    hamel.sweep(model, {"mass": [1.0]}, **options)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "s.parquet"

        def kept():
            hamel.sweep(model, vary, out=out, overwrite=True, **options)

        here, file = least(lambda: hamel.sweep(model, vary, **options), kept)
        print(f"  in one thread {here * 10:.1f} µs a case, with a file {file * 10:.1f} µs; the table has {out.stat().st_size / 1e5:.0f} bytes a case")
    if not ray_too:
        return
    import ray
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    small = {"num_cpus": 1, "object_store_memory": 100 << 20}
    long = {**options, "until": 2.0}
    del options["threads"], long["threads"]
    alone = timed(lambda: hamel.sweep(model, {"mass": "1..2:4000"}, threads=1, **long))
    for nodes in (1, 2):
        cluster = Cluster(initialize_head=True, head_node_args={**small, "num_cpus": 0})
        try:
            for _ in range(nodes):
                cluster.add_node(**small)
            ray.init(address=cluster.address, log_to_driver=False)
            cluster.wait_for_nodes()
            hamel.sweep(model, {"mass": "1..2:100"}, executor="ray", **options)
            empty = timed(lambda: hamel.sweep(model, {"mass": "1..2:20000"}, executor="ray", **options))
            full = timed(lambda: hamel.sweep(model, {"mass": "1..2:4000"}, executor="ray", **long))
            print(
                f"  Ray, {nodes} nodes: {empty / 20000 * 1e6:.0f} µs a case; cases of 2000 steps "
                f"{alone / full / nodes:.2f} of one thread's throughput for each node"
            )
        finally:
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, hamel {hamel.__version__}")
    threads()
    overhead("--ray" in sys.argv)
