"""Sweeps on other processes and machines: parts of the cases, computed by workers, kept here as they end."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from . import _hamel

# How often a part is computed whose worker is lost.
_ATTEMPTS = 5
# Parts under way for each worker: one that runs and one that waits. Neither side holds more than that.
_UNDER_WAY = 2
# Parts for each worker, so that the last ones end together; none so large that much is lost with a worker.
_PARTS = 16
_LARGEST = 100


@lru_cache(maxsize=4)
def _of_worker(described: bytes) -> "_hamel.Sweep":
    """The sweep of a worker, which compiles its model once."""
    return _hamel.Sweep(*pickle.loads(described))


def compute(described: bytes, cases: list[int]) -> tuple:
    """Computes cases in a worker."""
    return _of_worker(described).compute(cases)


class _Workers(Protocol):
    lost: tuple[type[BaseException], ...]

    def count(self) -> int: ...
    def submit(self, cases: list[int]) -> Any: ...
    def ended(self, futures: list[Any]) -> list[Any]: ...
    def result(self, future: Any) -> tuple: ...
    def cancel(self, future: Any) -> None: ...


def engine_of(
    executor: Any, described: tuple, chunk: int | None, count: int, progress: Callable[[int, int], object] | None
) -> Callable[[list[int], "_hamel.Ended"], None]:
    """A function that runs the cases that are left, and has them kept."""
    if chunk is not None and chunk < 1:
        raise ValueError(f"`chunk`: expected at least one case, found {chunk}")
    pickled = pickle.dumps(described)
    if isinstance(executor, str):
        if executor != "ray":
            raise ValueError(f"`executor`: expected 'ray' or an object with `submit`, found '{executor}'")
        workers: _Workers = _Ray(pickled)
    elif hasattr(executor, "submit"):
        workers = _Futures(executor, pickled)
    else:
        raise TypeError(f"`executor`: expected 'ray' or an object with `submit`, found {executor!r}")

    def run(left: list[int], ended: "_hamel.Ended") -> None:
        size = chunk or max(1, min(_LARGEST, len(left) // (_PARTS * workers.count())))
        parts = [(left[first : first + size], 1) for first in range(0, len(left), size)]
        parts.reverse()
        under_way: dict[Any, tuple[list[int], int]] = {}
        try:
            while parts or under_way:
                while parts and len(under_way) < _UNDER_WAY * workers.count():
                    cases, attempt = parts.pop()
                    under_way[workers.submit(cases)] = (cases, attempt)
                for future in workers.ended(list(under_way)):
                    cases, attempt = under_way.pop(future)
                    try:
                        results = workers.result(future)
                    except workers.lost as error:
                        if attempt == _ATTEMPTS:
                            message = f"workers were lost {_ATTEMPTS} times with cases {cases[0]} to {cases[-1]}: {error}"
                            raise RuntimeError(message) from error
                        parts.append((cases, attempt + 1))
                        continue
                    cases, outputs, failures, cautions = results
                    # What came through a network need not be aligned.
                    now = ended.add(cases, np.array(outputs, dtype=float), failures, cautions)
                    if progress is not None:
                        progress(now, count)
        except BrokenExecutor as error:
            message = "a worker was lost, and its pool takes no more work: call again with a new pool; what `out` names goes on"
            raise RuntimeError(message) from error
        finally:
            for future in under_way:
                workers.cancel(future)

    return run


class _Futures:
    """Workers behind a `submit` that returns futures."""

    def __init__(self, executor: Any, described: bytes):
        self._executor = executor
        self._described = described
        self.lost: tuple[type[BaseException], ...] = ()
        try:
            from distributed.scheduler import KilledWorker

            self.lost = (KilledWorker,)
        except ImportError:
            pass

    def count(self) -> int:
        if hasattr(self._executor, "nthreads"):  # of Dask
            return max(1, sum(self._executor.nthreads().values()))
        return max(1, getattr(self._executor, "_max_workers", None) or os.cpu_count() or 1)

    def submit(self, cases: list[int]) -> Any:
        return self._executor.submit(compute, self._described, cases)

    def ended(self, futures: list[Any]) -> list[Any]:
        while True:
            ended = [future for future in futures if future.done()]
            if ended:
                return ended
            time.sleep(0.002)

    def result(self, future: Any) -> tuple:
        return future.result()

    def cancel(self, future: Any) -> None:
        future.cancel()


class _Ray:
    """Workers of a Ray cluster."""

    def __init__(self, described: bytes):
        import ray

        self._ray = ray
        if not ray.is_initialized():
            ray.init()
        self._described = ray.put(described)
        # Results that a lost machine had are computed again, too.
        self._compute = ray.remote(num_cpus=1, max_retries=_ATTEMPTS)(compute)
        self.lost: tuple[type[BaseException], ...] = (ray.exceptions.RayError,)

    def count(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, cases: list[int]) -> Any:
        return self._compute.remote(self._described, cases)

    def ended(self, futures: list[Any]) -> list[Any]:
        ended, _ = self._ray.wait(futures, num_returns=1)
        return ended

    def result(self, future: Any) -> tuple:
        try:
            return self._ray.get(future)
        except self._ray.exceptions.RayTaskError as error:
            # The computation failed, and not its worker: it would fail again.
            raise RuntimeError(str(error)) from error.cause

    def cancel(self, future: Any) -> None:
        self._ray.cancel(future, force=True)
