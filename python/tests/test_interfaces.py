"""Interfaces to SciPy, SymPy and JAX."""

import math

import numpy as np
import pytest

import hamel
from robots import arm
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


def test_models_with_contacts_have_no_right_side():
    with pytest.raises(ValueError, match="has contacts"):
        hamel.models.bouncing_ball.scipy_rhs()


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
    q, v = np.array([0.5]), np.array([0.0])
    assert float(at.forward_dynamics(q, v)[0]) == -0.5
    assert float(at.forward_dynamics(q, v, inputs=[1.0])[0]) == -1.5
    inputs = np.arange(3.0)[:, None]
    found = jax.vmap(lambda inputs: cart.jax.forward_dynamics(q, v, inputs=inputs))(inputs)
    np.testing.assert_array_equal(found, (inputs - 4) / 2)
    np.testing.assert_array_equal(cart.jax.forward_dynamics(q, v, None, np.zeros(3), inputs), found)
    with pytest.raises(NotImplementedError, match="Cart has no derivatives by `inputs`\nhelp: `jax.lax.stop_gradient"):
        jax.grad(lambda inputs: cart.jax.forward_dynamics(q, v, inputs=inputs)[0])(np.ones(1))
    with pytest.raises(NotImplementedError, match="Cart has no derivatives by `t`"):
        jax.grad(lambda t: cart.jax.inverse_dynamics(q, v, v, t)[0])(1.0)
    # What is not differentiated may be given with what is.
    of_q = jax.grad(lambda q, u: cart.jax.forward_dynamics(q, v, inputs=u)[0])(q, np.ones(1))
    assert float(of_q[0]) == -4


def second(model):
    """The same model with derivatives of second order."""
    functions = ["inverse_dynamics", "inverse_dynamics_derivatives", "inverse_dynamics_second_derivatives"]
    missing = ", ".join(name for name in functions if not model.provides(name))
    text = model.source.rstrip()
    return hamel.Model.from_text(f"{text[:-1]} provide {missing}; }}", level="at_once", cache=False)


def test_jax_knows_second_derivatives(jax):
    from jax.test_util import check_grads

    chain = second(hamel.Model.from_urdf(arm(4), provide=["forward_dynamics_derivatives"], level="at_once", cache=False))
    pendulum = second(hamel.models.double_pendulum)
    for model in (chain, pendulum, hamel.Model.from_text(FOLLOWERS, cache=False)):
        q, v, tau = (0.3 * x for x in states(model))
        f = model.jax
        check_grads(f.forward_dynamics, (q, v, tau), order=2, modes=["rev"], atol=1e-4, rtol=1e-4)
        if model is pendulum:
            check_grads(f.forward_dynamics, (q, v, tau), order=2, modes=["fwd"], atol=1e-4, rtol=1e-4)
            check_grads(f.inverse_dynamics, (q, v, tau), order=2, modes=["fwd", "rev"], atol=1e-4, rtol=1e-4)
            check_grads(f.mass_matrix, (q,), order=2, modes=["fwd", "rev"], atol=1e-4, rtol=1e-4)
        # Of inverse dynamics those of the kernel, wherever axes are.
        n = len(v)
        of = lambda q, v, a: jax.jacfwd(jax.jacrev(f.inverse_dynamics, (0, 1, 2)), (0, 1, 2))(q, v, a)  # noqa: E731
        found = jax.jit(jax.vmap(of, (0, None, 0)))(np.stack([q, -q]), v, np.stack([tau, tau]))
        blocks = model.inverse_dynamics_second_derivatives(np.stack([q, -q])[:, None], v, tau, np.eye(n))
        assert blocks.tau_by_qq.shape == (2, n, n, n)
        for (i, j), block in zip([(0, 0), (0, 1), (1, 1), (0, 2)], blocks):
            np.testing.assert_allclose(found[i][j], block, rtol=1e-9, atol=1e-9 * (1 + abs(block).max()))
            np.testing.assert_allclose(np.swapaxes(found[j][i], -1, -2), block, rtol=1e-9, atol=1e-9 * (1 + abs(block).max()))
        assert not np.any(found[1][2]) and not np.any(found[2][2])
        with pytest.raises(NotImplementedError, match="has no derivatives of third order"):
            jax.jacfwd(of)(q, v, tau)


FOLLOWERS = """
model Gripper {
    coordinates joint;
    gravity [0, 0, -9.81] m/s^2;
    body arm { mass: 2 kg, center_of_mass: [0.1, 0, 0] m, inertia: diag(0.1, 0.2, 0.25) kg m^2 }
    body left { mass: 0.5 kg, center_of_mass: [0, 0.1, 0.02] m, inertia: diag(0.01, 0.02, 0.015) kg m^2 }
    body right { mass: 0.4 kg, center_of_mass: [0, 0.2, 0] m, inertia: diag(0.01, 0.02, 0.015) kg m^2 }
    joint base: revolute(ground, arm) { axis: [0, 1, 0] }
    joint opens: revolute(arm at [0.3, 0.1, 0] m, left) { axis: [1, 0, 0] }
    joint closes: revolute(arm at [0.3, -0.1, 0] m, right) { axis: [1, 0, 0], follows: opens, ratio: -1.5 }
    torque drag: -0.3 N m s^2/rad^2 * base.velocity * abs(base.velocity) on base;
    provide inverse_dynamics, inverse_dynamics_derivatives, inverse_dynamics_second_derivatives;
}
"""


def test_jax_says_that_second_derivatives_are_missing(jax):
    f = hamel.models.double_pendulum.jax
    with pytest.raises(NotImplementedError, match="DoublePendulum has no derivatives of second order\nhelp: write `provide"):
        jax.hessian(lambda q: f.forward_dynamics(q, np.zeros(2)).sum())(np.ones(2))


def test_compiled_programs_call_the_kernels(jax, tree):
    text = jax.jit(tree.jax.forward_dynamics).lower(*states(tree)).as_text()
    assert "hamel_evaluate" in text and "callback" not in text


def test_axes_of_one_argument_and_of_vmap_do_not_mix(jax):
    m = hamel.models.double_pendulum
    q, v, tau = rng.normal(size=(3, 2)), rng.normal(size=(3, 3, 2)), rng.normal(size=2)
    for functions in (m.jax, at_the_host(m)):
        found = jax.vmap(functions.forward_dynamics, (0, 0, None))(q, v, tau)
        np.testing.assert_array_equal(found, m.forward_dynamics(q[:, None], v, tau))
        found = jax.vmap(jax.vmap(functions.forward_dynamics, (None, 0, None)), (0, None, None))(q, v, tau)
        np.testing.assert_array_equal(found, m.forward_dynamics(q[:, None, None], v, tau))
        assert functions.forward_dynamics(np.zeros((0, 2)), np.zeros(2)).shape == (0, 2)


def at_the_host(model):
    """The functions as they are where XLA cannot call kernels."""
    from hamel import jax_functions

    class AtTheHost(jax_functions.JaxFunctions):
        def _provided(self, name):
            return super()._provided(name)._replace(place=None)

    return AtTheHost(model)


def test_calls_back_to_the_host_give_the_same(jax):
    m = hamel.models.double_pendulum
    q, v, tau = states(m, 5)
    host = at_the_host(m)
    assert "callback" in jax.jit(host.forward_dynamics).lower(q, v, tau).as_text()
    np.testing.assert_array_equal(host.forward_dynamics(q, v, tau), m.jax.forward_dynamics(q, v, tau))
    np.testing.assert_array_equal(host.inverse_dynamics(q, v, tau), m.jax.inverse_dynamics(q, v, tau))


def test_single_precision_is_that_of_the_kernels_rounded(jax):
    m = hamel.models.double_pendulum
    q, v, tau = (x.astype(np.float32) for x in states(m, 4))
    with jax.enable_x64(False):
        found = jax.jit(m.jax.forward_dynamics)(q, v, tau)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, m.forward_dynamics(q, v, tau).astype(np.float32))
        gradient = jax.grad(lambda q: m.jax.forward_dynamics(q, v, tau).sum())(q)
        expected = m.forward_dynamics_derivatives(q, v, tau)[0].sum(axis=-2)
        np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)


def call(jax, shapes, *arguments, **attributes):
    """A call of the kernels as nobody makes it."""
    hamel.models.double_pendulum.jax.forward_dynamics(np.zeros(2), np.zeros(2))
    made = jax.ffi.ffi_call("hamel_evaluate", [jax.ShapeDtypeStruct(*shape) for shape in shapes])
    return jax.block_until_ready(made(*arguments, **{name: np.int64(value) for name, value in attributes.items()}))


def test_calls_that_do_not_fit_are_errors_of_xla(jax):
    m = hamel.models.double_pendulum
    place = list(m.provided).index("forward_dynamics")
    known = {"model": m._number_for_xla, "function": place}
    order = m._provided[place][3]
    values = {"t": np.zeros(()), "q": np.ones(2), "v": np.ones(2), "tau": np.ones(2)}
    whole = [values[name] for name in order] + [np.zeros(len(m.inputs))]
    shapes = [((2,), float)]
    np.testing.assert_array_equal(call(jax, shapes, *whole, **known)[0], m.forward_dynamics(np.ones(2), np.ones(2), np.ones(2)))

    def says(text, shapes=shapes, arguments=whole, **changed):
        attributes = {name: value for name, value in {**known, **changed}.items() if value is not None}
        with pytest.raises(Exception, match=text):
            call(jax, shapes, *arguments, **attributes)

    says("no model of this process has the number 1000000", model=1_000_000)
    says("no model of this process has the number -1", model=-1)
    says("the attribute `model` is missing", model=None)
    says("`DoublePendulum` has no such function", function=99)
    says("expected 5 arguments, found 4", arguments=whole[:-1])
    says("expected 1 results, found 2", shapes=[*shapes, *shapes])
    says("the first result has another shape", shapes=[((3,), float)])
    says("expected arrays of real numbers", arguments=[whole[0], *(np.ones(2, dtype=int) for _ in whole[1:-1]), whole[-1]])
    longer = [np.ones(4) if name == "q" else one for name, one in zip([*order, "inputs"], whole)]
    says(r"`q`: expected shape \[2\], found \[4\]", arguments=longer)


def test_jax_says_which_arguments_are_wrong(jax, cart):
    f, v = hamel.models.double_pendulum.jax.forward_dynamics, np.zeros(2)
    for q, error, text in [
        (np.zeros(3), ValueError, r"`q`: expected shape \(\.\.\., 2\), found \(3,\)"),
        (1.0, ValueError, r"`q`: expected shape \(\.\.\., 2\), found \(\)"),
        (np.zeros(2, dtype=complex), TypeError, "`q`: expected an array of real numbers, found one of complex128"),
    ]:
        with pytest.raises(error, match=text):
            jax.jit(f)(q, v)
    with pytest.raises(ValueError, match="`inputs`: expected shape"):
        cart.jax.forward_dynamics(np.zeros(1), np.zeros(1), inputs=np.zeros(2))


def test_models_stay_as_long_as_programs_call_them(jax):
    import gc

    m = second(hamel.models.double_pendulum)
    q, v, tau = states(m)
    expected = m.forward_dynamics(q, v, tau)
    compiled = jax.jit(m.jax.forward_dynamics).lower(q, v, tau).compile()
    del m
    gc.collect()
    np.testing.assert_array_equal(compiled(q, v, tau), expected)


def test_threads_call_kernels_of_several_models(jax):
    from concurrent.futures import ThreadPoolExecutor

    models = [hamel.models.double_pendulum.with_parameters(m1=1 + 0.1 * i) for i in range(4)]
    q, v, tau = states(models[0], 200)
    compiled = [jax.jit(m.jax.forward_dynamics) for m in models]
    expected = [m.forward_dynamics(q, v, tau) for m in models]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: np.asarray(compiled[i % 4](q, v, tau)), range(200)))
    for i, values in enumerate(found):
        np.testing.assert_array_equal(values, expected[i % 4])


def test_jax_says_what_it_does_not_know(jax):
    with pytest.raises(hamel.ModelError, match="`HeavyTop` has constraints, and therefore no `jax.forward_dynamics`"):
        hamel.models.heavy_top.jax.forward_dynamics(*hamel.models.heavy_top.initial_state())
    top = hamel.models.heavy_top_joint
    q, v = top.initial_state()
    np.testing.assert_array_equal(top.jax.forward_dynamics(q, v), top.forward_dynamics(q, v))
    with pytest.raises(NotImplementedError, match="HeavyTopJoint has rotations"):
        jax.grad(lambda q: top.jax.forward_dynamics(q, v).sum())(q)
    hessian = jax.hessian(lambda q: hamel.models.pendulum.jax.forward_dynamics(q, np.zeros(1)).sum())
    with pytest.raises(NotImplementedError, match="Pendulum has no derivatives of second order"):
        hessian(np.zeros(1))
