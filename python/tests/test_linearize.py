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


SLIDE = """
model Slide {
    planar;
    coordinates joint;
    param mass = 2 kg;
    input push N;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force hand: [push, 0] on block;
    output place = rail.displacement;
}
"""

TOWER = """
model Tower {
    planar;
    coordinates joint;
    gravity [0, -9.81] m/s^2;
    input push N;
    body cart { mass: 2 kg, inertia: 1 kg m^2 }
    body rod { mass: 0.5 kg, inertia: 0.02 kg m^2 }
    joint rail: prismatic(ground, cart);
    joint hinge: revolute(cart, rod at [0, -0.4] m);
    force hand: [push, 0] on cart;
    output place = rail.displacement;
    output lean = hinge.angle;
    output effort = push;
}
"""


def test_the_regulator_of_a_mass_is_that_of_the_closed_form():
    pytest.importorskip("scipy")
    linear = hamel.Model.from_text(SLIDE).linearize()
    found = linear.lqr({"rail.displacement": 3.0}, 0.5)
    first = np.sqrt(3.0 / 0.5)
    assert np.allclose(found.gain, [[first, np.sqrt(2 * 2.0 * first)]], rtol=1e-10)
    roots = np.roots([2.0, *found.gain[0][::-1]])
    assert np.allclose(sorted(found.eigenvalues, key=np.imag), sorted(roots, key=np.imag), rtol=1e-8)
    # The filter is dual to it: noise of the force, measurements of the place.
    filtered = linear.kalman({"push": 3.0}, 0.5)
    rate = np.sqrt(3.0 / 0.5) / 2.0
    assert np.allclose(filtered.gain, [[np.sqrt(2 * rate)], [rate]], rtol=1e-10)


@pytest.mark.parametrize("stiffness, damping", [("1e4", "0.02"), ("1e7", "2"), ("1e9", "20")])
def test_stiff_motions_beside_soft_ones_do_not_count_as_out_of_reach(stiffness, damping):
    pytest.importorskip("scipy")
    text = f"""model Two {{
        planar;
        coordinates joint;
        input u N;
        body soft {{ mass: 1 kg, inertia: 1 kg m^2 }}
        body stiff {{ mass: 1 g, inertia: 1 kg m^2 }}
        joint x: prismatic(ground, soft);
        joint y: prismatic(ground, stiff);
        force pushed: u - 10 N/m * x.displacement on x;
        force held: -{stiffness} N/m * y.displacement - {damping} N s/m * y.velocity on y;
        output place = x.displacement;
    }}"""
    linear = hamel.Model.from_text(text).linearize()
    # u = −K x of 1 kg on 10 N/m, with unit weights.
    first = np.sqrt(101.0) - 10.0
    assert np.allclose(linear.lqr(1.0, 1.0).gain, [[first, 0, np.sqrt(1 + 2 * first), 0]], rtol=1e-6, atol=1e-6)
    # Nothing moves the stiff one, which does not decay without its damper.
    alone = hamel.Model.from_text(text.replace(f"{damping} N s/m", "0 N s/m")).linearize()
    with pytest.raises(ValueError, match="nothing decays, and inputs do not reach it"):
        alone.lqr(1.0, 1.0)


def test_a_regulator_holds_what_falls():
    pytest.importorskip("scipy")
    tower = hamel.Model.from_text(TOWER)
    linear = tower.linearize()
    assert linear.eigenvalues.real.max() > 1
    regulator = linear.lqr([10, 100, 1, 1], {"push": 0.1})
    assert regulator.eigenvalues.real.max() < -0.5
    start = {"hinge.angle": 1e-3, "rail.displacement": 2e-3}
    run = tower.simulate(
        "runge_kutta", until=2.0, dt=1e-3, initial=start, controllers=[regulator.controller(period=1e-3)], record_every=1
    )
    # The linear closed loop, with inputs that are held over a period.
    scipy_linalg = pytest.importorskip("scipy.linalg")
    a, b, *_ = linear.state_space()
    n = len(a)
    exact = scipy_linalg.expm(1e-3 * np.block([[a, b], [np.zeros((1, n + 1))]]))
    step = exact[:n, :n] - exact[:n, n:] @ regulator.gain
    x = np.array([{**start}.get(name, 0.0) for name in linear.states])
    for k in range(2001):
        if k % 500 == 0:
            assert abs(run["rail.displacement"][k] - x[linear.states.index("rail.displacement")]) < 1e-7, k
            assert abs(run["hinge.angle"][k] - x[linear.states.index("hinge.angle")]) < 1e-7, k
        x = step @ x
    assert abs(run["effort"]).max() > 0


def test_mistakes_of_controllers_and_weights_are_told():
    pytest.importorskip("scipy")
    tower = hamel.Model.from_text(TOWER)
    linear = tower.linearize()
    with pytest.raises(ValueError, match="unknown `lean`"):
        linear.lqr({"lean": 1.0}, 1.0)
    with pytest.raises(ValueError, match="positive eigenvalues"):
        linear.lqr(1.0, 0.0)
    with pytest.raises(ValueError, match="no negative eigenvalues"):
        linear.lqr(-1.0, 1.0)
    with pytest.raises(ValueError, match=r"expected shape \(4, 4\)"):
        linear.lqr(np.eye(3), 1.0)
    with pytest.raises(ValueError, match="no gain that stabilises"):
        linear.lqr(0.0, 1.0)
    # What is not weighed, not reached or not seen.
    slide = hamel.Model.from_text(SLIDE).linearize()
    for wrong in (
        lambda: slide.lqr({"rail.displacement.velocity": 1.0}, 1.0),
        lambda: slide.kalman(0.0, 1.0),
        lambda: linear.lqr({"hinge.angle": 1.0}, 1.0),
    ):
        with pytest.raises(ValueError, match="nothing decays"):
            wrong()
    with pytest.raises(ValueError, match="finite"):
        linear.lqr({"hinge.angle": np.nan}, 1.0)
    with pytest.raises(ValueError, match="shape"):
        linear.lqr([1, 2, 3], 1.0)
    assert np.array_equal(linear.kalman(1.0, {"place": 1e-4}).gain[:, 1:], np.zeros((4, 2)))
    with pytest.raises(TypeError, match="hamel.Controller"):
        tower.simulate(until=0.1, dt=0.01, controllers=[lambda t, q, v: 0.0])
    with pytest.raises(ValueError, match="offset"):
        linear.lqr(1.0, 1.0).controller(0.01, offset=[1.0, 2.0])
    hold = lambda t, q, v: 0.0
    for controllers, message in [
        ([hamel.Controller(hold, "pull", 0.01)], "unknown input `pull`"),
        ([hamel.Controller(hold, "push", 0.01), hamel.Controller(hold, "push", 0.02)], "given twice"),
        ([hamel.Controller(hold, [], 0.01)], "at least one input"),
    ]:
        with pytest.raises(ValueError, match=message):
            tower.simulate(until=0.1, dt=0.01, controllers=controllers)
    for controller, message in [
        (hamel.Controller(hold, "push", 0.0), "positive period"),
        (hamel.Controller(hold, "push", 0.015), "no multiple"),
        (hamel.Controller(lambda t, q, v: [1.0, 2.0], "push", 0.01), "expected 1 value"),
        (hamel.Controller(lambda t, q, v: 1 / 0, "push", 0.01), "division by zero"),
        (hamel.Controller(lambda t, q, v: np.nan, "push", 0.01), "finite"),
    ]:
        with pytest.raises(hamel.SimulationError, match=message):
            tower.simulate(until=0.1, dt=0.01, controllers=[controller])
    with pytest.raises(ValueError, match="given twice"):
        tower.simulate(until=0.1, dt=0.01, inputs={"push": 1.0}, controllers=[hamel.Controller(hold, "push", 0.01)])


def test_equations_that_change_with_time_are_cautioned():
    text = """model Shaken {
        planar;
        coordinates joint;
        input push N;
        body block { mass: 2 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, block);
        force spring: -(10 N/m) * (1 + 0.5 * time / 1 s) * rail.displacement + push on rail;
    }"""
    m = hamel.Model.from_text(text, level="at_once", cache=False)
    with pytest.warns(hamel.CautionWarning, match="change with time"):
        first = m.linearize()
    assert first.A[1, 0] == -10 and len(first.cautions) == 1
    with pytest.warns(hamel.CautionWarning, match="change with time"):
        later = m.linearize("state", initial=([0.1], [0.0]), inputs={"push": lambda t: 3 * t}, time=0.7)
    assert later.time == 0.7 and later.u[0] == pytest.approx(2.1) and later.A[1, 0] == pytest.approx(-13.5)
    # That the motion does not stay is what was asked for.
    assert len(later.cautions) == 2
