"""Slopes of motions against closed forms and differences; fits against SciPy."""

import signal
import warnings

import numpy as np
import pytest

import hamel

OSCILLATOR = """
model Oscillator {
    planar;
    coordinates joint;
    param mass = 2 kg;
    param stiffness = 50 N/m;
    param damping = 0.6 N s/m;
    param start = 0.3 m;
    input push N;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force spring: spring_damper(ground, block) { stiffness: stiffness, damping: damping }
    force hand: [push, 0] on block;
    initial rail.displacement = start;
    output x = rail.displacement;
    output speed = rail.displacement.velocity;
}
"""
EXACT = {"mass": 2.0, "stiffness": 50.0, "damping": 0.6, "start": 0.3}


@pytest.fixture(scope="module")
def oscillator():
    return hamel.Model.from_text(OSCILLATOR)


def way(t, mass, stiffness, damping, start):
    """The motion from rest in closed form."""
    decay = damping / (2 * mass)
    turn = np.sqrt(stiffness / mass - decay**2)
    return start * np.exp(-decay * t) * (np.cos(turn * t) + decay / turn * np.sin(turn * t))


def slope(name, t, size=1e-4):
    changed = lambda part: way(t, **{**EXACT, name: EXACT[name] * (1 + part)})
    coarse, fine = [(changed(h) - changed(-h)) / (2 * h * EXACT[name]) for h in (size, size / 2)]
    return fine + (fine - coarse) / 3


def test_sensitivities_are_those_of_the_closed_form(oscillator):
    names = ["damping", "stiffness", "mass", "start"]
    found = oscillator.sensitivities(names, until=1.0, dt=2e-3)
    assert found.names == tuple(names) and found.slopes.shape == (501, 2, 4)
    assert np.allclose(found.outputs[:, 0], way(found.t, **EXACT), atol=1e-10)
    for k, name in enumerate(names):
        exact = slope(name, found.t)
        assert np.allclose(found.slopes[:, 0, k], exact, atol=1e-8 * np.abs(exact).max()), name


def test_steps_of_a_run_with_a_tolerance_have_slopes(oscillator):
    run = oscillator.simulate("dormand_prince", until=2.0, tolerance=1e-9)
    found = oscillator.sensitivities(["stiffness"], times=run.t, scheme="dormand_prince")
    np.testing.assert_allclose(found.t, run.t, atol=1e-12)
    equal = oscillator.sensitivities(["stiffness"], until=2.0, dt=1e-3)
    np.testing.assert_allclose(found.slopes[-1], equal.slopes[-1], atol=1e-6)
    for steps in ({}, {"until": 1.0, "times": [0.0, 1.0]}, {"times": []}, {"times": [0.0, 1.0, 0.5]}):
        with pytest.raises(ValueError):
            oscillator.sensitivities(["stiffness"], **steps)


def test_a_gradient_is_the_product_of_slopes(oscillator):
    found = oscillator.sensitivities(list(EXACT), until=0.7)
    weights = np.sin(np.arange(found.outputs.size)).reshape(found.outputs.shape)

    def squares(t, y):
        assert np.array_equal(t, found.t) and np.array_equal(y, found.outputs)
        return 0.5 * np.sum(weights * y**2), weights * y

    gradient = oscillator.gradient(squares, until=0.7)
    assert gradient.value == pytest.approx(0.5 * np.sum(weights * found.outputs**2), rel=1e-13)
    for k, name in enumerate(found.names):
        product = np.sum(weights * found.outputs * found.slopes[:, :, k])
        assert gradient.parameters[name] == pytest.approx(product, rel=1e-11), name
    repeated = oscillator.gradient(squares, until=0.7, checkpoints=5)
    assert repeated.parameters == gradient.parameters
    assert np.array_equal(repeated.position, gradient.position)
    with pytest.raises(ValueError, match="`checkpoints`: expected at least 1, found 0"):
        oscillator.gradient(squares, until=0.7, checkpoints=0)


def test_a_gradient_by_samples_of_an_input(oscillator):
    times = np.linspace(0.0, 0.5, 6)
    values = np.array([0.0, 2.0, -1.0, 3.0, 1.0, 0.0])

    def last(t, y):
        slopes = np.zeros_like(y)
        slopes[-1, 0] = 1.0
        return y[-1, 0], slopes

    def end(values):
        table = np.column_stack([times, values])
        return oscillator.gradient(last, until=0.5, inputs={"push": table}).value

    gradient = oscillator.gradient(last, until=0.5, inputs={"push": np.column_stack([times, values])})
    found = gradient.by_samples("push", times)
    # The motion is linear in the input.
    exact = [end(values + np.eye(6)[k]) - end(values) for k in range(6)]
    assert np.allclose(found, exact, rtol=1e-9, atol=1e-14)
    state = ([0.2], [1.0])
    gradient = oscillator.gradient(last, until=0.5, initial=state)
    moved = [oscillator.gradient(last, until=0.5, initial=s).value for s in (([1.2], [1.0]), ([0.2], [2.0]))]
    assert np.allclose([gradient.position[0], gradient.velocity[0]], np.array(moved) - gradient.value, rtol=1e-9)
    assert gradient.parameters["start"] == 0.0


BALL = """
model Ball {
    planar;
    coordinates joint;
    param restitution = 0.7;
    param height = 0.3 m;
    gravity [0, -9.81] m/s^2;
    body ball { mass: 1 kg, inertia: 0.01 kg m^2 }
    joint rail: prismatic(ground rotated 90 deg, ball rotated 90 deg);
    contact floor { gap: ball.position.y, restitution: restitution }
    initial ball.position.y = height;
    initial ball.velocity.y = 0;
    output y = ball.position.y;
    output v = ball.velocity.y;
}
"""


def bounced(restitution, height, until=0.55):
    """Height at a time after one rebound, and the integral of v³ up to there."""
    g = 9.81
    fall = np.sqrt(2 * height / g)
    before, after = -g * fall, restitution * g * fall
    end = after - g * (until - fall)
    return after * (until - fall) - g * (until - fall) ** 2 / 2, (0 - before**4 + after**4 - end**4) / (4 * g)


@pytest.mark.parametrize("found", [None, 1.0, (1.0,), (1.0, 2.0, 3.0, 4.0)])
def test_an_objective_without_slopes_is_refused(oscillator, found):
    with pytest.raises(TypeError, match="value, slopes"):
        oscillator.gradient(lambda t, y: found, until=0.1)


def test_an_objective_that_is_not_finite_is_refused(oscillator):
    for value, slope in [(np.nan, 0.0), (0.0, np.inf)]:
        with pytest.raises(ValueError, match="not finite"):
            oscillator.gradient(lambda t, y: (value, np.full_like(y, slope)), until=0.1)


def test_slopes_follow_the_instants_of_impacts():
    model = hamel.Model.from_text(BALL)
    slope = lambda of, value: (of(value + 1e-5) - of(value - 1e-5)) / 2e-5
    exact = np.array(
        [slope(lambda e: np.array(bounced(e, 0.3)), 0.7), slope(lambda h: np.array(bounced(0.7, h)), 0.3)]
    )
    found = model.sensitivities(["restitution", "height"], until=0.55, dt=1e-3)
    assert np.allclose(found.outputs[-1, 0], bounced(0.7, 0.3)[0], atol=1e-9)
    assert np.allclose(found.slopes[-1, 0], exact[:, 0], atol=1e-6)
    # A run that follows impacts is the same motion.
    run = model.simulate("generalized_alpha", until=0.55, dt=1e-3, follow_impacts=True)
    assert np.isclose(run["y"][-1], found.outputs[-1, 0], atol=1e-9)
    # Before the impact and after it.
    [place] = np.flatnonzero(np.diff(found.t) == 0)
    assert np.isclose(found.outputs[place + 1, 1], -0.7 * found.outputs[place, 1])

    def integral(t, y):
        weights = np.zeros(len(t))
        weights[1:] += np.diff(t) / 2
        weights[:-1] += np.diff(t) / 2
        slopes = np.zeros_like(y)
        slopes[:, 1] = 3 * weights * y[:, 1] ** 2
        return weights @ y[:, 1] ** 3, slopes, y[:, 1] ** 3

    gradient = model.gradient(integral, until=0.55, dt=1e-3)
    assert np.isclose(gradient.value, bounced(0.7, 0.3)[1], atol=1e-4)
    assert np.isclose(gradient.parameters["restitution"], exact[0, 1], atol=1e-3)
    assert np.isclose(gradient.parameters["height"], exact[1, 1], atol=1e-3)
    with pytest.raises(ValueError, match="integrand"):
        model.gradient(lambda t, y: integral(t, y)[:2], until=0.55)
    with pytest.raises(ValueError, match=r"integrand of the objective: expected shape \[\d+\], found \[2\]"):
        model.gradient(lambda t, y: (*integral(t, y)[:2], [0.0, 0.0]), until=0.55)


def test_a_fit_finds_what_scipy_finds(oscillator):
    optimize = pytest.importorskip("scipy.optimize")
    t = np.arange(1, 61) * 0.03
    noise = 0.01 * np.sin(37.0 * np.arange(60) ** 2)
    x = way(t, **EXACT) + noise
    x[::7] = np.nan
    known = ~np.isnan(x)
    start = {"stiffness": 42.0, "damping": 1.5, "start": 0.2}
    found = oscillator.fit({"t": t, "x": x}, list(start), parameters=start, dt=2e-3)

    def residual(p):
        return (way(t, 2.0, *p) - x)[known]

    other = optimize.least_squares(residual, list(start.values()), xtol=1e-14, ftol=1e-14, gtol=1e-14, x_scale="jac")
    covariance = np.linalg.inv(other.jac.T @ other.jac) * np.sum(other.fun**2) / (known.sum() - 3)
    errors = np.sqrt(np.diag(covariance))
    for k, name in enumerate(start):
        assert found.values[name] == pytest.approx(other.x[k], abs=1e-4 * errors[k]), name
        assert found.errors[name] == pytest.approx(errors[k], rel=1e-3), name
    assert np.allclose(found.correlation, covariance / np.outer(errors, errors), atol=1e-3)
    assert found.doubts == () and found.at_bound == ()
    assert np.allclose(found.model["x"], way(t, 2.0, *other.x), atol=1e-6)


def test_bounds_doubts_and_mistakes(oscillator):
    t = np.arange(1, 41) * 0.03
    data = {"t": t, "x": way(t, **EXACT) + 1e-3 * np.sin(11.0 * np.arange(40))}
    found = oscillator.fit(data, {"stiffness": (None, 45.0)}, parameters={"stiffness": 40.0})
    assert found.at_bound == ("stiffness",) and found.values["stiffness"] == pytest.approx(45.0, abs=1e-3)
    found = oscillator.fit(data, ["mass", "stiffness", "damping"])
    assert any("mass" in doubt and "stiffness" in doubt for doubt in found.doubts)
    assert found.errors["mass"] == np.inf
    far = {"stiffness": 900.0}
    assert any("not noise" in doubt for doubt in oscillator.fit(data, ["stiffness"], parameters=far).doubts)
    found = oscillator.fit(data, ["stiffness"], parameters=far, intervals=8)
    assert found.values["stiffness"] == pytest.approx(EXACT["stiffness"], abs=3 * found.errors["stiffness"])
    # Without what was not measured well.
    late = {"t": t, "x": np.where(t > 0.9, 1.0, data["x"])}
    found = oscillator.fit(late, ["stiffness"], until=0.9)
    assert found.values["stiffness"] == pytest.approx(EXACT["stiffness"], abs=3 * found.errors["stiffness"])
    hidden = {"t": t, "x": np.ma.array(late["x"], mask=t > 0.9)}
    masked = oscillator.fit(hidden, ["stiffness"], until=0.9)
    assert masked.values["stiffness"] == found.values["stiffness"]
    with pytest.raises(ValueError, match="expected 1 to 40 intervals"):
        oscillator.fit(data, ["mass"], intervals=41)
    with pytest.raises(ValueError, match="no output, coordinate or velocity `y`"):
        oscillator.fit({"t": t, "y": t}, ["mass"])
    with pytest.raises(ValueError, match="equal lengths"):
        oscillator.fit({"t": t, "x": t[1:]}, ["mass"])
    with pytest.raises(ValueError, match="no parameter `masss`"):
        oscillator.fit(data, ["masss"])
    with pytest.raises(ValueError, match="unknown parameter"):
        oscillator.sensitivities(["masss"], until=1.0)
    with pytest.raises(ValueError, match="expected shape"):
        oscillator.gradient(lambda t, y: (0.0, y[1:]), until=0.1)
    with pytest.raises(ZeroDivisionError):
        oscillator.gradient(lambda t, y: 1 / 0, until=0.1)


SLIDE = """
model Slide {
    planar;
    coordinates joint;
    param mass = 1 kg;
    input force N;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force push: [force, 0 N] on block;
    initial rail.displacement = 0 m;
    output x = rail.displacement;
    output speed = rail.displacement.velocity;
    output effort = force;
}
"""


def test_the_least_effort_from_rest_to_rest_is_linear_in_time():
    slide = hamel.Model.from_text(SLIDE)
    found = slide.minimize(
        "effort.squared",
        until=1.0,
        samples={"force": (np.linspace(0, 1, 5), -10, None)},
        subject_to={"x.final": 1.0, "speed.final": (None, 0.0)},
    )
    assert found.converged and found.ended == "converged" and not found.at_bound
    assert np.allclose(found.inputs["force"][:, 1], [6, 3, 0, -3, -6], atol=1e-4)
    # The integral of (6 - 12 t)^2, and how it changes with the way: 12 x^2.
    assert abs(found.objective - 12) < 1e-4
    assert abs(found.prices["x.final"] - 24) < 1e-3
    run = slide.simulate(until=1.0, inputs=found.inputs)
    assert abs(run["x"][-1] - 1) < 1e-6


def test_the_largest_value_is_found_within_bounds():
    oscillator = hamel.Model.from_text(OSCILLATOR)
    found = oscillator.minimize("-x.final", until=0.2, free={"damping": (0.0, 2.0)})
    assert found.converged and found.at_bound == ("parameter `damping`",)
    exact = way(0.2, **{**EXACT, "damping": found.parameters["damping"]})
    assert abs(found.objective - exact) < 1e-9
    others = [way(0.2, **{**EXACT, "damping": damping}) for damping in np.linspace(0.0, 2.0, 21)]
    assert found.objective >= max(others) - 1e-9


def test_mistakes_of_designs_are_told():
    slide = hamel.Model.from_text(SLIDE)
    with pytest.raises(ValueError, match="OUTPUT.final"):
        slide.minimize("x", until=1.0, free=["mass"])
    with pytest.raises(ValueError, match="no output `y`"):
        slide.minimize("y.final", until=1.0, free=["mass"])
    with pytest.raises(ValueError, match="parameter `mas`"):
        slide.minimize("x.final", until=1.0, free=["mas"])
    with pytest.raises(ValueError, match="input `pull`"):
        slide.minimize("x.final", until=1.0, samples={"pull": 3})
    with pytest.raises(ValueError, match="ascending"):
        slide.minimize("x.final", until=1.0, samples={"force": ([0.0, 0.0], -1, 1)})
    with pytest.raises(ValueError, match="changes neither"):
        slide.minimize("x.final", until=1.0, free=["mass"])
    for subject_to in ({"x.final": np.nan}, {"x.final": (None, None)}, {"x.final": (2, 1)}):
        with pytest.raises(ValueError, match="a range whose ends ascend"):
            slide.minimize("effort.squared", until=1.0, samples={"force": 3}, subject_to=subject_to)
    for samples in ({"force": (0, 1)}, {"force": 2.5}, {"force": 10**9}, {"force": []}):
        with pytest.raises(ValueError, match="samples"):
            slide.minimize("effort.squared", until=1.0, samples=samples)
    for free in ({"mass": None}, {"mass": (1, 2, 3)}):
        with pytest.raises(ValueError, match="pair of bounds"):
            slide.minimize("x.final", until=1.0, free=free)
    for wrong in ({"until": -1.0}, {"until": 1.0, "dt": np.nan}, {"until": 1.0, "iterations": -1}):
        with pytest.raises(ValueError, match="positive number"):
            slide.minimize("x.final", free=["mass"], **wrong)


def test_a_search_begins_at_the_input_that_is_given():
    slide = hamel.Model.from_text(SLIDE)
    # The least effort with an integral of the square of the force of one: at zero all slopes vanish.
    found = slide.minimize(
        "-x.final", until=1.0, dt=1e-2, samples={"force": 5}, inputs={"force": 1.0}, subject_to={"effort.squared": 1.0}
    )
    assert found.converged and abs(found.conditions["effort.squared"] - 1) < 1e-5
    # x is the integral of (1 - t) f, which is largest for f along 1 - t: the root of 1/3.
    assert abs(found.objective - np.sqrt(1 / 3)) < 1e-3


def test_cautions_are_those_of_runs(oscillator):
    """Steps that are too long are cautioned whether a motion is simulated, differentiated or optimised."""
    given = {"until": 20.0, "dt": 0.2, "scheme": "bathe", "parameters": {"damping": 0.0}}

    def last(t, y):
        slopes = np.zeros_like(y)
        slopes[-1, 0] = 1.0
        return y[-1, 0], slopes

    with pytest.warns(hamel.CautionWarning, match="numerical damping") as said:
        oscillator.simulate(**given)
    text = str(said[0].message)
    with pytest.warns(hamel.CautionWarning) as said:
        sensitivities = oscillator.sensitivities(["mass"], **given)
    assert str(said[0].message) == text and sensitivities.cautions == (text,)
    with pytest.warns(hamel.CautionWarning) as said:
        gradient = oscillator.gradient(last, **given)
    assert str(said[0].message) == text and gradient.cautions == (text,)
    with pytest.warns(hamel.CautionWarning):
        optimum = oscillator.minimize("x.squared", free={"stiffness": (45.0, 55.0)}, **given)
    assert any("numerical damping" in caution for caution in optimum.cautions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        short = oscillator.sensitivities(["mass"], until=2.0, dt=1e-3)
    assert short.cautions == ()


def test_long_slopes_are_interrupted(oscillator):
    """A signal ends slopes on their way."""
    def interrupt(signum, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            oscillator.sensitivities(["mass"], until=1e5, dt=1e-3)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
