"""Linearised models: closed forms, SciPy, differences of simulated motions."""

import numpy as np
import pytest

import hamel

SUSPENSION = """
model Suspension {
    planar;
    coordinates joint;
    gravity [9.81, 0] m/s^2;
    param damping = 4 N s/m;
    input push N;
    body block { mass: 2 kg, inertia: 1 kg m^2 }
    joint guide: prismatic(ground, block);
    force spring: spring(ground, block) { stiffness: 50 N/m }
    force damper: -damping * guide.velocity on guide;
    force hand: [push, 0] on block;
    initial guide.displacement = 0.1 m;
    output way = guide.displacement;
    output speed = block.velocity.x;
}
"""


@pytest.fixture(scope="module")
def suspension():
    return hamel.Model.from_text(SUSPENSION)


def test_a_suspension_has_its_matrices_and_natural_motion(suspension):
    linear = suspension.linearize()
    assert np.allclose(linear.E, np.diag([1, 2]), atol=1e-13)
    assert np.allclose(linear.A, [[0, 1], [-50, -4]], atol=1e-12)
    assert np.allclose(linear.B, [[0], [1]], atol=1e-13)
    assert np.allclose(linear.C, np.eye(2), atol=1e-13) and np.allclose(linear.D, 0)
    assert linear.states == ("guide.displacement", "guide.displacement.velocity") and linear.states.units == ("m", "m/s")
    assert (linear.inputs, linear.outputs, linear.displacements) == (("push",), ("way", "speed"), 1)
    assert np.allclose(linear.frequencies, 5 / (2 * np.pi)) and np.allclose(linear.damping, 0.2)
    assert np.allclose(linear.time_constants, 1) and np.allclose(linear.q, [2 * 9.81 / 50])
    # A velocity is λ times its displacement.
    assert np.allclose(linear.modes.velocities, linear.eigenvalues * linear.modes.coordinates, atol=1e-12)
    assert "2 states" in repr(linear)


def test_parameters_inputs_and_starts_count(suspension):
    linear = suspension.linearize(parameters={"damping": 0}, inputs={"push": 50.0}, initial={"guide.displacement": "1 m"})
    assert np.allclose(linear.q, [(2 * 9.81 + 50) / 50])
    assert np.allclose(linear.eigenvalues, [5j, -5j], atol=1e-12)
    assert np.all(np.isinf(linear.time_constants))
    moving = suspension.linearize("state", initial=([0.3], [2.0]))
    assert (moving.q[0], moving.v[0]) == (0.3, 2.0)


def test_scipy_has_the_same_eigenvalues_and_responses():
    signal = pytest.importorskip("scipy.signal")
    bicycle = hamel.models.bicycle
    linear = bicycle.linearize("steady", parameters={"speed": 5})
    a, b, c, d = linear.state_space()
    assert np.allclose(np.linalg.solve(linear.E, linear.A), a, atol=1e-10 * np.abs(a).max())
    # Numbers that vanish throughout have lost half of their digits there.
    found = np.linalg.eigvals(a)
    for value in linear.eigenvalues[np.abs(linear.eigenvalues) > 0.1]:
        assert np.min(np.abs(found - value)) < 1e-9
    published = [-14.07838969279822, -0.77534188219585 + 4.46486771378823j, -0.32286642900409]
    for value in published:
        assert np.min(np.abs(linear.eigenvalues - value)) < 1e-12
    system = signal.StateSpace(a, b[:, 1:], c[1:2], d[1:2, 1:])
    hertz = np.array([0.3, 1.0, 4.0])
    _, expected = signal.freqresp(system, 2 * np.pi * hertz)
    assert np.allclose(linear.response(hertz)[:, 1, 1], expected, rtol=1e-9)
    assert np.allclose(linear.response(2j * np.pi * hertz)[:, 1, 1], expected, rtol=1e-9)


def test_a_simulated_departure_follows_the_matrix(suspension):
    linalg = pytest.importorskip("scipy.linalg")
    linear = suspension.linearize()
    a, *_ = linear.state_space()
    start = linear.q + 1e-3
    end = suspension.simulate(until=0.7, tolerance=1e-11, initial=(start, linear.v))
    expected = linalg.expm(0.7 * a) @ [1e-3, 0]
    assert abs(end.q[-1, 0] - linear.q[0] - expected[0]) < 1e-10
    assert abs(end.v[-1, 0] - expected[1]) < 1e-9


def test_a_swing_has_multipliers_of_one():
    pendulum = hamel.Model.from_text(
        """model Swing { planar; coordinates joint; gravity [0, -9.81] m/s^2;
        body bob { mass: 1 kg, inertia: 0 kg m^2 } joint hinge: revolute(ground, bob at [0, 1] m);
        initial hinge.angle = 90 deg; initial hinge.velocity = 0; }"""
    )
    special = pytest.importorskip("scipy.special")
    period = 4 * special.ellipk(0.5) / np.sqrt(9.81)
    found = pendulum.monodromy(period)
    assert abs(np.trace(found.matrix) - 2) < 1e-7 and abs(np.linalg.det(found.matrix) - 1) < 1e-7
    assert np.allclose(found.multipliers, 1, atol=1e-3) and found.states[0] == "hinge.angle"
    with pytest.raises(hamel.LinearizationError, match="does not return"):
        pendulum.monodromy(0.8 * period)


def test_what_has_no_linearisation_says_why(suspension):
    with pytest.raises(ValueError, match="unknown motion `rest`"):
        suspension.linearize("rest")
    with pytest.raises(hamel.LinearizationError, match="no steady motion, because `guide.displacement` changes"):
        suspension.linearize("steady")
    falling = hamel.Model.from_text(
        "model Stone { planar; coordinates joint; gravity [0, -9.81] m/s^2;"
        "body stone { mass: 1 kg, inertia: 1 kg m^2 } joint way: free(ground, stone); }"
    )
    with pytest.raises(hamel.LinearizationError, match="nothing resists motion of `way.y`"):
        falling.linearize()
