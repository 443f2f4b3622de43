"""Interfaces to SciPy, SymPy and JAX."""

import math

import numpy as np
import pytest

import hamel
from test_functions import robot, states

rng = np.random.default_rng(2)


def test_scipy_integrates_the_same_motion(cart):
    integrate = pytest.importorskip("scipy.integrate")
    m = hamel.models.double_pendulum
    rhs = m.scipy_rhs()
    ours = m.simulate("radau_iia5", until=2.0, tolerance=1e-11)
    for method, jacobian in [("DOP853", None), ("Radau", rhs.jac)]:
        options = {} if jacobian is None else {"jac": jacobian}
        found = integrate.solve_ivp(rhs, (0, 2), rhs.y0, method=method, rtol=1e-10, atol=1e-10, **options)
        assert found.success
        np.testing.assert_allclose(found.y[:2, -1], ours.q[-1], atol=1e-7)
        np.testing.assert_allclose(found.y[2:, -1], ours.v[-1], atol=1e-7)
    driven = cart.scipy_rhs(inputs=lambda t: [6 * math.sin(3 * t)])
    found = integrate.solve_ivp(driven, (0, 2), [0.0, 0.0], rtol=1e-10, atol=1e-10)
    expected = 3 / (4 - 9) * (math.sin(6) - 1.5 * math.sin(4))
    assert abs(found.y[0, -1] - expected) < 1e-8


@pytest.mark.parametrize("name", ["double_pendulum", "three_mass_oscillator", "flexible_pendulum", "forced_oscillator"])
def test_the_jacobian_for_scipy_is_the_derivative(name):
    m = getattr(hamel.models, name)
    rhs = m.scipy_rhs()
    assert rhs.jac is not None
    y = rhs.y0 + 0.1 * np.random.default_rng(5).normal(size=rhs.y0.shape)
    found = rhs.jac(0.2, y)
    step = 1e-6
    for column in range(len(y)):
        shift = step * np.eye(len(y))[column]
        difference = (rhs(0.2, y + shift) - rhs(0.2, y - shift)) / (2 * step)
        scale = 1 + abs(found).max()
        np.testing.assert_allclose(found[:, column] / scale, difference / scale, atol=1e-7)


def test_models_with_constraints_and_rotations_have_no_jacobian():
    integrate = pytest.importorskip("scipy.integrate")
    top = hamel.models.heavy_top_joint
    rhs = top.scipy_rhs()
    assert rhs.jac is None and hamel.models.heavy_top.scipy_rhs().jac is None
    found = integrate.solve_ivp(rhs, (0, 0.05), rhs.y0, rtol=1e-10, atol=1e-10)
    ours = top.simulate("radau_iia5", until=0.05, tolerance=1e-11)
    np.testing.assert_allclose(found.y[: len(top.coordinates), -1], ours.q[-1], atol=1e-6)


def symbol_names(m):
    """Names of symbols: those of coordinates, of rates, of accelerations, as formulas have them."""
    plain = [name.replace(".", "_") for name in m.coordinates]
    return plain, [f"{name}_dot" for name in plain], [f"{name}_ddot" for name in plain]


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum", "three_mass_oscillator", "scotch_yoke", "stick_slip"])
def test_formulas_of_sympy_have_the_values_of_functions(name):
    pytest.importorskip("sympy")
    m = getattr(hamel.models, name)
    formulas = m.sympy()
    local = np.random.default_rng(7)
    q, v, a = local.normal(size=(3, len(m.velocities)))
    plain, dot, ddot = symbol_names(m)
    known = {**dict(zip(plain, q)), **dict(zip(dot, v)), **dict(zip(ddot, a)), **m.parameters, "t": 0.0}
    known.update({name: 0.0 for name in m.inputs})

    def value(expression):
        return np.array(expression.subs({symbol: known[symbol.name] for symbol in expression.free_symbols}), dtype=float)

    zero = np.zeros(len(m.velocities))
    expected = {
        "mass_matrix": [m.mass_matrix(q)],
        "bias_force": [m.bias_force(q, v)],
        "applied_force": [m.applied_force(q, v)],
        "energy": list(m.energy(q, v)),
        "inverse_dynamics": [m.inverse_dynamics(q, v, a)],
    }
    if m.provides("forward_dynamics"):
        expected["forward_dynamics"] = [m.forward_dynamics(q, v, zero)]
    for tau in (f"{n}_tau" for n in plain):
        known[tau] = 0.0
    tested = 0
    for function, results in expected.items():
        if function not in formulas:
            continue
        expressions = formulas[function]
        names = {symbol.name for e in np.atleast_1d(np.array(expressions, dtype=object)).ravel() for symbol in getattr(e, "free_symbols", ())}
        for name_ in names - known.keys():
            assert "tau" in name_, name_
            known[name_] = 0.0
        for expression, result in zip(expressions if isinstance(expressions, tuple) else (expressions,), results):
            np.testing.assert_allclose(value(expression).reshape(result.shape), result, rtol=1e-11, atol=1e-11)
            tested += 1
    assert tested >= 3
    assert formulas.mass_matrix == formulas["mass_matrix"] and "mass_matrix" in dir(formulas)
    assert formulas.symbols and all(symbol.is_real for symbol in formulas.symbols.values())


def test_formulas_that_are_not_there_are_named():
    pytest.importorskip("sympy")
    formulas = hamel.models.pendulum.sympy()
    with pytest.raises(KeyError, match="Pendulum has no formulas of `constraint`"):
        formulas["constraint"]
    with pytest.raises(AttributeError):
        formulas.constraint
    with pytest.raises(NotImplementedError, match="kernels that repeat"):
        hamel.models.pendulum_absolute.sympy()


def test_formulas_with_cases_are_piecewise():
    sympy = pytest.importorskip("sympy")
    m = hamel.Model.from_text("""
        model Stop {
            planar; coordinates joint;
            body b { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, b);
            force wall: force(b) { value: [if rail.displacement < 0 m { -5 N/m * rail.displacement } else { 0 N }, 0] }
        }
    """)
    force = m.sympy().applied_force
    x = next(iter(force.free_symbols))
    assert force.has(sympy.Piecewise)
    for place in (-2.0, 3.0):
        assert float(force.subs(x, place)[0]) == m.applied_force([place], [0.0])[0]


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    return jax


@pytest.fixture(scope="module", params=["provided", "residual", "double_pendulum"])
def tree(request):
    if request.param == "double_pendulum":
        return hamel.models.double_pendulum
    return robot() if request.param == "provided" else robot(provide=["forward_dynamics"])


def test_jax_calls_the_same_functions(jax, tree):
    q, v, tau = states(tree, 4)
    f = tree.jax
    np.testing.assert_array_equal(f.forward_dynamics(q, v, tau), tree.forward_dynamics(q, v, tau))
    np.testing.assert_array_equal(f.inverse_dynamics(q, v, tau), tree.inverse_dynamics(q, v, tau))
    np.testing.assert_allclose(f.mass_matrix(q), tree.mass_matrix(q), atol=1e-11)
    compiled = jax.jit(jax.vmap(f.forward_dynamics, (0, None, 0)))
    np.testing.assert_array_equal(compiled(q, v[0], tau), tree.forward_dynamics(q, v[0], tau))
    np.testing.assert_array_equal(jax.jit(f.forward_dynamics)(q[0], v[0]), tree.forward_dynamics(q[0], v[0]))


def test_jax_knows_the_derivatives(jax, tree):
    from jax.test_util import check_grads

    q, v, tau = (0.3 * x for x in states(tree))
    f = tree.jax
    for function in (f.forward_dynamics, f.inverse_dynamics):
        check_grads(function, (q, v, tau), order=1, modes=["fwd", "rev"], atol=1e-4, rtol=1e-4)
    check_grads(f.mass_matrix, (q,), order=1, modes=["fwd", "rev"], atol=1e-4, rtol=1e-4)
    of_q, of_v, of_tau = jax.jit(jax.jacobian(f.forward_dynamics, (0, 1, 2)))(q, v, tau)
    for found, expected in zip((of_q, of_v, of_tau), tree._acceleration_derivatives(q, v, tau, 0.0, None)):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * abs(expected).max())
    batch = jax.vmap(jax.grad(lambda q, v, tau: f.forward_dynamics(q, v, tau).sum()))(*states(tree, 3))
    assert batch.shape == (3, len(q))


def test_jax_differentiates_where_axes_broadcast(jax):
    m = hamel.models.double_pendulum
    q, v = rng.normal(size=2), rng.normal(size=(5, 2))
    found = jax.grad(lambda q: m.jax.forward_dynamics(q, v).sum())(q)
    expected = m.forward_dynamics_derivatives(q, v)[0].sum(axis=(0, 1))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_jax_has_time_and_inputs(jax, cart):
    at = cart.jax.at(0.0, [3.0])
    assert float(at.forward_dynamics(np.array([0.5]), np.array([0.0]))[0]) == -0.5


def test_jax_says_what_it_does_not_know(jax):
    with pytest.raises(hamel.ModelError, match="`HeavyTop` has constraints, and therefore no `jax.forward_dynamics`"):
        hamel.models.heavy_top.jax.forward_dynamics(*hamel.models.heavy_top.initial_state())
    top = hamel.models.heavy_top_joint
    q, v = top.initial_state()
    np.testing.assert_array_equal(top.jax.forward_dynamics(q, v), top.forward_dynamics(q, v))
    with pytest.raises(NotImplementedError, match="HeavyTopJoint has rotations"):
        jax.grad(lambda q: top.jax.forward_dynamics(q, v).sum())(q)
    second = jax.hessian(lambda q: hamel.models.pendulum.jax.forward_dynamics(q, np.zeros(1)).sum())
    with pytest.raises(ValueError, match="[Pp]ure callback"):
        second(np.zeros(1))
