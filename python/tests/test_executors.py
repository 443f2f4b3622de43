"""Sweeps on other processes and machines: the digits of one core, whatever is lost on the way."""

import concurrent.futures
import multiprocessing
import os
import sys

import numpy as np
import pytest

import hamel

OPTIONS = {"outputs": ["rail.displacement.final", "energy.max"], "until": 2.0, "scheme": "runge_kutta", "dt": 1e-2}


def digits(table):
    return [table[name].tobytes() for name in table.columns]


def pool():
    # A forked process would have the locks of this one's threads.
    return concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def lost(described, cases):
    """A worker that ends, as one that is killed does."""
    os._exit(1)


def test_processes_have_the_digits_of_threads(cart, tmp_path):
    heavy = cart.with_parameters(mass=3.0)
    vary = {"stiffness": "1..9:10", "drive": [-1.0, 0.0, 2.0]}
    alone = hamel.sweep(heavy, vary, **OPTIONS)
    told = []
    with pool() as executor:
        there = hamel.sweep(
            heavy, vary, executor=executor, chunk=7, progress=lambda *now: told.append(now), out=tmp_path / "s.parquet", **OPTIONS
        )
        assert digits(there) == digits(alone)
        assert told[-1] == (30, 30) and [now for now, _ in told] == sorted({now for now, _ in told})
        assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]
        # A text of an input, and initial conditions, reach the workers.
        options = {**OPTIONS, "inputs": {"drive": "sin(t)"}, "initial": {"rail.displacement": "0.2 m"}}
        alone = hamel.sweep(heavy, {"stiffness": "1..9:10"}, **options)
        assert digits(hamel.sweep(heavy, {"stiffness": "1..9:10"}, executor=executor, **options)) == digits(alone)


def test_failed_cases_of_workers_are_results(cart):
    with pool() as executor:
        table = hamel.sweep(cart, {"mass": [1.0, -1.0, 2.0]}, executor=executor, **OPTIONS)
    assert list(table.failures) == [1] and "mass" in table.failures[1]
    assert np.isnan(table["energy.max"]).tolist() == [False, True, False]


def test_a_sweep_goes_on_with_other_workers(cart, tmp_path):
    """What has ended is kept when the workers are gone."""
    out = tmp_path / "s.parquet"
    vary = {"stiffness": "1..9:40"}

    class Ending:
        _max_workers = 1

        def __init__(self, executor):
            self.executor, self.left = executor, 3

        def submit(self, *call):
            self.left -= 1
            if self.left < 0:
                return self.executor.submit(lost, *call[1:])
            return self.executor.submit(*call)

    with pool() as executor, pytest.raises(RuntimeError, match="call again with a new pool"):
        hamel.sweep(cart, vary, executor=Ending(executor), chunk=5, out=out, **OPTIONS)
    kept = len((tmp_path / "s.parquet.journal").read_text().splitlines()) - 1
    assert 0 < kept < 40 and kept % 5 == 0 and not out.exists()
    told = []
    with pool() as executor:
        there = hamel.sweep(
            cart, vary, executor=executor, chunk=5, out=out, progress=lambda now, _: told.append(now), **OPTIONS
        )
    assert told[0] == kept + 5 and told[-1] == 40
    assert digits(there) == digits(hamel.sweep(cart, vary, **OPTIONS))


def test_what_is_no_executor_is_refused(cart):
    for executor, kind in [("dask", ValueError), (3, TypeError)]:
        with pytest.raises(kind, match="`executor`: expected 'ray' or an object with `submit`"):
            hamel.sweep(cart, {"mass": [1.0]}, executor=executor, **OPTIONS)
    with pool() as executor, pytest.raises(ValueError, match="`chunk`"):
        hamel.sweep(cart, {"mass": [1.0]}, executor=executor, chunk=0, **OPTIONS)


def test_dask(cart):
    distributed = pytest.importorskip("distributed")
    vary = {"stiffness": "1..9:50"}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            there = hamel.sweep(cart, vary, executor=client, **OPTIONS)
    assert digits(there) == digits(hamel.sweep(cart, vary, **OPTIONS))


@pytest.mark.skipif(sys.platform != "linux", reason="a cluster on one machine")
def test_ray_with_a_node_that_is_lost(cart, tmp_path):
    """10 000 cases on several nodes, one of which is killed on the way."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    # Workers find the package where this process has it.
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    vary = {"stiffness": "1..9:100", "mass": "0.5..2:100"}
    alone = hamel.sweep(cart, vary, **OPTIONS)
    small = {"num_cpus": 1, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**small, "num_cpus": 0})
    try:
        nodes = [cluster.add_node(**small) for _ in range(3)]
        ray.init(address=cluster.address, log_to_driver=False)
        cluster.wait_for_nodes()
        left = iter([nodes[0]])
        counts = []

        def progress(now, of):
            counts.append(now)
            if now > 2000:
                for node in left:
                    cluster.remove_node(node, allow_graceful=False)

        there = hamel.sweep(
            cart, vary, executor="ray", chunk=100, progress=progress, out=tmp_path / "s.parquet", **OPTIONS
        )
        assert next(left, None) is None, "a node was lost"
        assert digits(there) == digits(alone)
        # Each case was kept once: parts of a hundred, without one that came twice.
        assert counts == list(range(100, 10001, 100))
    finally:
        ray.shutdown()
        cluster.shutdown()
