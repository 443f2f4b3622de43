"""Threads, leaks."""

import gc
import sys
import threading

import numpy as np
import pytest

import hamel


def test_threads_that_hammer_one_model_get_right_answers(cart):
    """Each thread has inputs of its own; batches run without the interpreter's lock."""
    n = 5000
    expected = {}
    given = {}
    for thread in range(8):
        local = np.random.default_rng(thread)
        q, v, inputs = local.normal(size=(3, n, 1))
        given[thread] = (q, v, None, None, inputs)
        expected[thread] = (inputs - 8 * q) / 2
    wrong = []

    def hammer(thread):
        q, v, _, _, inputs = given[thread]
        for _ in range(50):
            found = cart.forward_dynamics(*given[thread])
            if not np.allclose(found, expected[thread], rtol=1e-14, atol=1e-14):
                wrong.append(thread)
            for i in range(20):
                one = cart.forward_dynamics(q[i], v[i], None, None, inputs[i])
                if abs(one[0] - expected[thread][i, 0]) > 1e-14:
                    wrong.append((thread, i))

    threads = [threading.Thread(target=hammer, args=(thread,)) for thread in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_threads_simulate_one_model_at_once(cart):
    results = {}

    def run(force):
        results[force] = cart.simulate("runge_kutta", until=2.0, dt=0.01, inputs={"drive": lambda t: force}).q[-1, 0]

    threads = [threading.Thread(target=run, args=(float(force),)) for force in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for force, reached in results.items():
        rest = force / 8
        assert abs(reached - (rest + (0.5 - rest) * np.cos(4.0))) < 1e-7


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@needs_proc
def test_a_million_calls_keep_no_memory(cart):
    q, v, tau = np.zeros(1), np.zeros(1), np.zeros(1)
    batch = np.zeros((50, 1))

    def calls(times):
        for _ in range(times):
            cart.forward_dynamics(q, v, tau)
            cart.mass_matrix(q)
            cart.applied_force(q, v, 0.0, tau)
            cart.energy([0.0], v)
            cart.residual(batch, batch)
            try:
                cart.mass_matrix(batch[0][:0])
            except ValueError:
                pass

    calls(10_000)
    gc.collect()
    before = resident()
    calls(170_000)
    gc.collect()
    # A leak of one object a call would be tens of megabytes.
    assert resident() - before < 4 << 20


@needs_proc
def test_models_and_runs_are_freed(cart, cart_text):
    def round_(i):
        model = hamel.Model.from_text(cart_text.replace("2 kg", f"{i + 1} kg"), level="at_once", cache=False)
        model.simulate("runge_kutta", until=0.1, dt=0.01, inputs={"drive": lambda t: 0.0})
        model.initial_state({"rail.displacement": 0.1})

    for i in range(30):
        round_(i)
    gc.collect()
    before = resident()
    for i in range(300):
        round_(i)
    gc.collect()
    assert resident() - before < 16 << 20
