"""Functions on arrays: values, shapes, batches, errors."""

import functools
import inspect
import pickle
import warnings

import numpy as np
import pytest

import hamel
from robots import arm, branches

rng = np.random.default_rng(1)


def robot(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hamel.Model.from_urdf(arm(), **options)


@pytest.fixture(scope="module")
def arm7():
    return robot()


def test_the_functions_of_a_cart_are_those_of_the_closed_form(cart):
    q, v = np.array([0.5]), np.array([1.5])
    assert cart.mass_matrix(q) == [[2.0]]
    assert cart.applied_force(q, v) == [-4.0]
    assert cart.applied_force(q, v, inputs=[3.0]) == [-1.0]
    assert cart.forward_dynamics(q, v, np.array([1.0]), 0.0, np.array([3.0])) == [0.0]
    assert cart.inverse_dynamics(q, v, np.array([2.0])) == [8.0]
    kinetic, potential = cart.energy(q, v)
    assert (kinetic, potential) == (2.25, 1.0)
    assert cart.power(q, v, inputs=[3.0]) == 4.5
    assert (cart.stiffness(q, v), cart.damping(q, v)) == ([[8.0]], [[0.0]])
    assert cart.acceleration(q, v)[0] == [-2.0]
    np.testing.assert_array_equal(cart.output_values(q, v), [0.5, 0.0])


def test_a_double_pendulum_agrees_with_lagrange():
    m = hamel.models.double_pendulum.with_parameters(friction=0.0, stiffness=1e-300)
    p = m.parameters
    m1, m2, l1, l2, g = p["m1"], p["m2"], p["l1"], p["l2"], 9.81
    q, v = rng.normal(size=(2, 20, 2))
    c = np.cos(q[:, 1])
    matrix = np.empty((20, 2, 2))
    matrix[:, 1, 1] = m2 * l2**2 / 3
    matrix[:, 0, 1] = matrix[:, 1, 0] = m2 * l2**2 / 3 + m2 * l1 * l2 / 2 * c
    matrix[:, 0, 0] = m1 * l1**2 / 3 + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * c)
    np.testing.assert_allclose(m.mass_matrix(q), matrix, rtol=1e-14)
    s = m2 * l1 * l2 / 2 * np.sin(q[:, 1])
    bias = np.stack([-s * v[:, 1] * (2 * v[:, 0] + v[:, 1]), s * v[:, 0] ** 2], axis=-1)
    np.testing.assert_allclose(m.bias_force(q, v), bias, rtol=1e-12, atol=1e-13)
    outer = -m2 * g * l2 / 2 * np.cos(q.sum(axis=1))
    force = np.stack([outer - (m1 / 2 + m2) * g * l1 * np.cos(q[:, 0]), outer], axis=-1)
    np.testing.assert_allclose(m.applied_force(q, v), force, rtol=1e-12, atol=1e-12)


def states(model, *batch):
    return [rng.normal(size=(*batch, len(names))) for names in (model.coordinates, *[model.velocities] * 2)]


def test_a_batch_has_the_digits_of_single_states(arm7):
    q, v, tau = states(arm7, 4, 3)
    for function, arguments in [
        (arm7.mass_matrix, (q,)),
        (arm7.bias_force, (q, v)),
        (arm7.forward_dynamics, (q, v, tau)),
        (arm7.inverse_dynamics, (q, v, tau)),
        (arm7.forward_dynamics_derivatives, (q, v, tau)),
        (arm7.inverse_dynamics_derivatives, (q, v, tau)),
        (arm7.nonlinear_effects, (q, v)),
        (arm7.energy, (q, v)),
        (arm7.residual, (q, v, tau)),
        (arm7.stiffness, (q, v, tau)),
        (arm7.acceleration, (q, v)),
        (arm7.coordinate_rates, (q, v)),
    ]:
        batch = function(*arguments)
        for place in np.ndindex(4, 3):
            one = function(*(argument[place] for argument in arguments))
            for a, b in zip(batch if isinstance(batch, tuple) else (batch,), one if isinstance(one, tuple) else (one,)):
                np.testing.assert_array_equal(a[place], b, err_msg=function.__name__)


def test_batches_broadcast_as_in_numpy(arm7):
    q, v, tau = rng.normal(size=(5, 1, 7)), rng.normal(size=(3, 7)), rng.normal(size=7)
    found = arm7.forward_dynamics(q, v, tau)
    assert found.shape == (5, 3, 7)
    for i, j in np.ndindex(5, 3):
        np.testing.assert_array_equal(found[i, j], arm7.forward_dynamics(q[i, 0], v[j], tau))
    expected = arm7.forward_dynamics(*np.broadcast_arrays(q, v, tau))
    np.testing.assert_array_equal(found, expected)


def test_empty_batches_have_empty_results(arm7):
    q = np.empty((0, 7))
    assert arm7.mass_matrix(q).shape == (0, 7, 7)
    assert arm7.forward_dynamics(np.empty((3, 0, 7)), np.zeros(7)).shape == (3, 0, 7)


def test_batches_that_no_memory_holds_are_errors(cart):
    many = np.lib.stride_tricks.as_strided(np.zeros(1), (2**20, 1), (0, 8)).copy()
    with pytest.raises((MemoryError, ValueError)):
        cart.bias_force(many[:, None, None], many[:, None].reshape(1, 2**20, 1))
    # Results without values take no memory, however many there are.
    assert cart.constraint(many[:, None], many[:, 0]).shape == (2**20, 2**20, 0)


def test_time_and_inputs_are_batched(cart, cart_text):
    q = np.zeros((3, 1))
    inputs = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_array_equal(cart.forward_dynamics(q, q, None, None, inputs), [[0.5], [1.0], [2.0]])
    driven = hamel.Model.from_text(cart_text.replace("[drive, 0]", "[drive + 2 N * sin(time * 3 rad/s), 0]"))
    t = np.array([0.0, 1.0, 2.0])
    found = driven.applied_force(np.zeros(1), np.zeros(1), t)
    np.testing.assert_allclose(found, 2 * np.sin(3 * t)[:, None], rtol=1e-15)
    both = driven.applied_force(np.zeros(1), np.zeros(1), t, inputs[:, None, :])
    np.testing.assert_allclose(both, found + inputs[:, None, :], rtol=1e-15)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.tolist(),
        lambda x: np.asfortranarray(x),
        lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda x: x[::-1][::-1],
        lambda x: x.astype(">f8"),
        lambda x: x.astype(np.longdouble),
        lambda x: np.frombuffer(b"x" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(x.shape),
        lambda x: np.lib.stride_tricks.as_strided(x, x.shape, x.strides, writeable=False),
    ],
    ids=["list", "fortran", "strided", "reversed", "byte order", "long double", "misaligned", "read-only"],
)
def test_whatever_holds_the_numbers_they_are_the_same(arm7, change):
    q, v, tau = states(arm7, 6)
    expected = arm7.forward_dynamics(q, v, tau)
    np.testing.assert_array_equal(arm7.forward_dynamics(change(q), v, tau), expected)
    np.testing.assert_array_equal(arm7.forward_dynamics(change(q), change(v), change(tau)), expected)


def test_integers_are_numbers(cart):
    assert cart.applied_force([1], [0]) == [-8.0]
    assert cart.applied_force(np.array([1], dtype=np.int32), np.array([True])) == [-8.0]


def test_arguments_are_not_changed(arm7):
    given = states(arm7, 3)
    kept = [x.copy() for x in given]
    arm7.forward_dynamics(*given)
    for x, y in zip(given, kept):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda m: m.mass_matrix(np.zeros(6)), "`q`: expected shape (..., 7), found (6,)"),
        (lambda m: m.mass_matrix(0.0), "`q`: expected shape (..., 7), found ()"),
        (lambda m: m.bias_force(np.zeros(7), np.zeros((2, 8))), "`v`: expected shape (..., 7), found (2, 8)"),
        (
            lambda m: m.forward_dynamics(np.zeros((3, 7)), np.zeros((4, 7))),
            "`v`: expected a shape that broadcasts with (3, 7), found (4, 7)",
        ),
        (
            lambda m: m.applied_force(np.zeros((3, 7)), np.zeros(7), np.zeros(2)),
            "`t`: expected a shape that broadcasts with (3,), found (2,)",
        ),
        (lambda m: m.applied_force(np.zeros(7), np.zeros(7), 0.0, [1.0]), "`inputs`: expected shape (..., 0), found (1,)"),
    ],
)
def test_wrong_shapes_are_named(arm7, call, message):
    with pytest.raises(ValueError) as error:
        call(arm7)
    assert str(error.value) == message


@pytest.mark.parametrize("value", ["x", [1j] * 7, None, [None] * 7, [[1.0], [2.0, 3.0]], object(), np.ma.array(np.ones(7), mask=[1] + 6 * [0])])
def test_what_are_no_numbers_is_refused(arm7, value):
    with pytest.raises(TypeError, match="`q`: expected an array of real numbers, found"):
        arm7.mass_matrix(value)


def test_models_have_the_functions_that_they_provide():
    top = hamel.models.heavy_top
    q, v = top.initial_state()
    with pytest.raises(hamel.ModelError, match="`HeavyTop` has no `forward_dynamics`"):
        top.forward_dynamics(q, v)
    a, multipliers = top.acceleration(q, v)
    r, _ = top.residual(q, v, a, multipliers)
    # The largest terms are of the order of 10⁴.
    assert abs(r).max() < 1e-7
    rate, second = top.constraint_bias(q, v)
    np.testing.assert_allclose(top.constraint_jacobian(q) @ a + second, 0, atol=1e-7)
    np.testing.assert_allclose(top.constraint(q), 0, atol=1e-12)


@pytest.mark.parametrize("name", hamel.models.names())
def test_every_model_has_consistent_functions(name):
    """r = M a + h − f − Gᵀ λ, at a state that need not be assembled, of every model that comes with the package."""
    text = hamel._hamel.library_model(name)
    m = hamel.Model.from_text(text, level="at_once")
    q, v = m.initial_state()
    local = np.random.default_rng(3)
    v, a = v + 0.1 * local.normal(size=v.shape), local.normal(size=v.shape)
    multipliers = local.normal(size=len(m.constraints))
    inputs = local.normal(size=len(m.inputs))
    r, _ = m.residual(q, v, a, multipliers, 0.3, inputs)
    terms = [
        m.mass_matrix(q) @ a,
        m.bias_force(q, v),
        -m.applied_force(q, v, 0.3, inputs),
        -m.constraint_jacobian(q, 0.3, inputs).T @ multipliers,
    ]
    scale = 1e-30 + max(abs(term).max(initial=0) for term in terms)
    np.testing.assert_allclose(r / scale, sum(terms) / scale, atol=1e-10)
    assert m.output_values(q, v, a, multipliers, 0.3, inputs).shape == (len(m.outputs),)
    assert m.contact_gap(q).shape == (len(m.contacts),)


def test_an_arm_agrees_with_pinocchio(arm7):
    pin = pytest.importorskip("pinocchio")
    if not hasattr(pin, "buildModelFromXML"):
        pytest.skip("another package has the name `pinocchio`")
    other = pin.buildModelFromXML(arm())
    data = other.createData()
    for q, v, tau in zip(*states(arm7, 10)):
        a = pin.aba(other, data, q, v, tau)
        np.testing.assert_allclose(arm7.forward_dynamics(q, v, tau), a, rtol=1e-9, atol=1e-8 * abs(a).max())
        np.testing.assert_allclose(arm7.inverse_dynamics(q, v, tau), pin.rnea(other, data, q, v, tau), rtol=1e-9, atol=1e-10)
        matrix = pin.crba(other, data, q)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        np.testing.assert_allclose(arm7.mass_matrix(q), matrix, atol=1e-12)
        of_q, of_v, inverse = pin.computeABADerivatives(other, data, q, v, tau)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        for found, expected in zip(arm7.forward_dynamics_derivatives(q, v, tau), (of_q, of_v, inverse)):
            np.testing.assert_allclose(found, expected, atol=1e-8 * abs(expected).max())


def test_an_arm_agrees_with_mujoco(arm7):
    mujoco = pytest.importorskip("mujoco")
    compiler = '<mujoco><compiler fusestatic="false" boundmass="0" boundinertia="0" balanceinertia="false"/></mujoco>'
    other = mujoco.MjModel.from_xml_string(arm().replace("<link", compiler + "<link", 1))
    data = mujoco.MjData(other)
    for q, v, tau in zip(*states(arm7, 5)):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
        mujoco.mj_forward(other, data)
        np.testing.assert_allclose(arm7.forward_dynamics(q, v, tau), data.qacc_smooth, atol=1e-7 * abs(data.qacc_smooth).max())


def test_an_arm_without_provided_derivatives_computes_the_same(arm7):
    plain = robot(provide=["forward_dynamics"])
    assert not plain.provides("inverse_dynamics")
    q, v, a = states(arm7, 4)
    np.testing.assert_allclose(plain.inverse_dynamics(q, v, a), arm7.inverse_dynamics(q, v, a), rtol=1e-11, atol=1e-12)
    for found, expected in zip(
        plain._acceleration_derivatives(q, v, a, 0.0, None), arm7.forward_dynamics_derivatives(q, v, a)
    ):
        np.testing.assert_allclose(found, expected, atol=1e-8 * abs(expected).max())


def test_a_floating_robot_has_rates_of_its_quaternion():
    floating = robot(floating=True, provide=["forward_dynamics"])
    assert (len(floating.coordinates), len(floating.velocities)) == (14, 13)
    q, v = floating.initial_state()
    v = rng.normal(size=13)
    rates = floating.coordinate_rates(q, v)
    place = [name.endswith("e0") for name in floating.coordinates].index(True)
    np.testing.assert_allclose(rates[place : place + 4] @ q[place : place + 4], 0, atol=1e-15)
    np.testing.assert_allclose(2 * np.linalg.norm(rates[place : place + 4]), np.linalg.norm(v[3:6]), rtol=1e-14)


FRAME_FUNCTIONS = ["pose", "velocity", "acceleration", "jacobian", "jacobian_bias"]


def with_functions(model, frames):
    """The same model, which provides everything about these frames and of the whole."""
    of_frames = [f"{function}({frame})" for frame in frames for function in FRAME_FUNCTIONS]
    of_frames += [f"jacobian({frame} in {frame})" for frame in frames]
    others = ["inverse_mass_matrix", "coriolis_matrix", "gravity_forces", "regressor", "center_of_mass"]
    others += ["centroidal_momentum_matrix", "centroidal_momentum_bias"]
    text = model.source.rstrip()
    assert text.endswith("}")
    return hamel.Model.from_text(text[:-1] + f"provide {', '.join(others + of_frames)};}}", level="at_once", cache=False)


@pytest.mark.parametrize("floating", [False, True])
def test_coordinates_are_those_of_pinocchio(floating):
    pin = pytest.importorskip("pinocchio")
    if not hasattr(pin, "buildModelFromXML"):
        pytest.skip("another package has the name `pinocchio`")
    text = branches()
    other = pin.buildModelFromXML(text, *([pin.JointModelFreeFlyer()] if floating else []))
    data = other.createData()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = hamel.Model.from_urdf(text, floating=floating, cache=False, level="at_once")
    model = pickle.loads(pickle.dumps(model)).with_parameters({})
    random = np.random.default_rng(8)
    nv = len(model.velocities)
    for _ in range(5):
        own_q, own_v = random.normal(size=len(model.coordinates)), random.normal(size=nv)
        rotation = [i for i, name in enumerate(model.coordinates) if name.rsplit(".", 1)[-1] in ("e0", "e1", "e2", "e3")]
        own_q[rotation] /= np.linalg.norm(own_q[rotation]) if rotation else 1.0
        q, v = model.to_pinocchio(own_q, own_v)
        assert q.shape == (other.nq,) and v.shape == (other.nv,)
        assert np.allclose(pin.normalize(other, q.copy()), q, atol=1e-14)
        # Velocities are linear: what they are made of is what forces are taken apart with.
        _, columns = model.to_pinocchio(np.tile(own_q, (nv, 1)), np.eye(nv))
        matrix = columns @ pin.crba(other, data, q) @ columns.T
        np.testing.assert_allclose(model.mass_matrix(own_q), matrix, rtol=1e-9, atol=1e-10)
        energy = pin.computeKineticEnergy(other, data, q, v)
        assert 0.5 * own_v @ model.mass_matrix(own_q) @ own_v == pytest.approx(energy, rel=1e-10)
        back_q, back_v = model.from_pinocchio(q, v)
        turns = np.isin(np.array(model.coordinates), ["k.angle", "y_wheel.angle", "x.angle"])
        assert np.allclose(back_q[~turns], own_q[~turns], atol=1e-14) and np.allclose(back_v, own_v, atol=1e-13)
        assert np.allclose(np.exp(1j * back_q[turns]), np.exp(1j * own_q[turns]), atol=1e-13)
    batch = np.broadcast_to(own_q, (2, 3, len(own_q)))
    assert model.from_pinocchio(model.to_pinocchio(batch)).shape == batch.shape
    with pytest.raises(ValueError, match=r"q: expected an array"):
        model.to_pinocchio(own_q[:-1])
    with pytest.raises(ValueError, match="does not come from a URDF"):
        hamel.models.pendulum.to_pinocchio([0.1])


@pytest.mark.parametrize("floating", [False, True])
def test_functions_on_request_agree_with_pinocchio(floating):
    pin = pytest.importorskip("pinocchio")
    if not hasattr(pin, "buildModelFromXML"):
        pytest.skip("another package has the name `pinocchio`")
    text = arm(5)
    base = [pin.JointModelFreeFlyer()] if floating else []
    other = pin.buildModelFromXML(text, *base)
    data = other.createData()
    model = with_functions(hamel.Model.from_urdf(text, floating=floating, cache=False), ["l2", "l4"])
    random = np.random.default_rng(4)
    # Velocities in Pinocchio's order: x, y, z, then the rotation, as ours; quaternions end with the scalar.
    place = {name: i for i, name in enumerate(model.coordinates)}
    for _ in range(5):
        q, v, a = (random.normal(size=n) for n in (other.nq, other.nv, other.nv))
        q = pin.normalize(other, q)
        own = q.copy()
        if floating:
            base_names = [name for name in model.coordinates if name.rsplit(".", 1)[-1] in ("e0", "e1", "e2", "e3")]
            assert len(base_names) == 4
            for name, value in zip(sorted(base_names), [q[6], q[3], q[4], q[5]]):
                own[place[name]] = value
        pin.forwardKinematics(other, data, q, v, a)
        pin.updateFramePlacements(other, data)
        for frame in ("l2", "l4"):
            index = other.getFrameId(frame)
            pose = model.frame(frame).pose(own)
            close = functools.partial(np.testing.assert_allclose, rtol=1e-10, atol=1e-10)
            close(pose.position, data.oMf[index].translation)
            close(pose.rotation, data.oMf[index].rotation)
            for axes, name in ((pin.LOCAL_WORLD_ALIGNED, ""), (pin.LOCAL, "_in_own_axes")):
                jacobian = getattr(model.frame(frame), f"jacobian{name}")(own)
                assert np.array_equal(jacobian.linear, getattr(model, f"jacobian_of_{frame}{name}")(own).linear)
                close(np.vstack(jacobian), pin.computeFrameJacobian(other, data, q, index, axes))
            aligned = pin.LOCAL_WORLD_ALIGNED
            close(np.hstack(getattr(model, f"velocity_of_{frame}")(own, v)), pin.getFrameVelocity(other, data, index, aligned))
            close(
                np.hstack(getattr(model, f"acceleration_of_{frame}")(own, v, a)),
                pin.getFrameClassicalAcceleration(other, data, index, aligned),
            )
        center = model.center_of_mass(own)
        close(center.center, pin.centerOfMass(other, data, q))
        close(center.jacobian, pin.jacobianCenterOfMass(other, data, q))
        close(model.centroidal_momentum_matrix(own), pin.computeCentroidalMap(other, data, q))
        pin.computeCentroidalMomentumTimeVariation(other, data, q, v, 0 * a)
        close(model.centroidal_momentum_bias(own, v), data.dhg.vector)
        close(model.coriolis_matrix(own, v), pin.computeCoriolisMatrix(other, data, q, v))
        close(model.gravity_forces(own), pin.computeGeneralizedGravity(other, data, q))
        # Pinocchio's moving bodies are ours.
        close(model.regressor(own, v, a)[:, -10 * len(other.joints) + 10:], pin.computeJointTorqueRegressor(other, data, q, v, a))
        inverse = pin.computeMinverse(other, data, q)
        inverse = np.triu(inverse) + np.triu(inverse, 1).T
        close(model.inverse_mass_matrix(own), inverse, rtol=1e-8)
    with pytest.raises(AttributeError, match="provide"):
        model.pose_of_l1
    with pytest.raises(hamel.ModelError, match="provides nothing of `l1`"):
        model.frame("l1")


@pytest.mark.parametrize("floating", [False, True])
def test_second_derivatives_are_slopes_of_those_of_pinocchio(floating):
    pin = pytest.importorskip("pinocchio")
    if not hasattr(pin, "buildModelFromXML"):
        pytest.skip("another package has the name `pinocchio`")
    other = pin.buildModelFromXML(arm(5), *([pin.JointModelFreeFlyer()] if floating else []))
    data = other.createData()
    wanted = ["inverse_dynamics_second_derivatives", "mass_matrix_factors"]
    model = hamel.Model.from_urdf(arm(5), floating=floating, provide=wanted, level="at_once", cache=False)
    places = [i for i, name in enumerate(model.coordinates) if name.rsplit(".", 1)[-1] in ("e0", "e1", "e2", "e3")]
    assert len(places) == 4 * floating
    random = np.random.default_rng(6)
    step = 2e-3
    for _ in range(3):
        q, v, a, w = (random.normal(size=n) for n in (other.nq, *[other.nv] * 3))
        q = pin.normalize(other, q)
        own = q.copy()
        if floating:
            own[places] = q[[6, 3, 4, 5]]

        def first(q, v, a):
            by_q, by_v, _ = pin.computeRNEADerivatives(other, data, q, v, a)
            return np.stack([w @ by_q, w @ by_v])

        def slopes(moved):
            """Columns of derivatives by steps, extrapolated."""
            central = lambda j, h: (first(*moved(j, h)) - first(*moved(j, -h))) / (2 * h)  # noqa: E731
            columns = [(4 * central(j, step / 2) - central(j, step)) / 3 for j in np.eye(other.nv)]
            return np.stack(columns, axis=-1)

        qq, vq = slopes(lambda j, h: (pin.integrate(other, q, h * j), v, a))
        qv, vv = slopes(lambda j, h: (q, v + h * j, a))
        qa, _ = slopes(lambda j, h: (q, v, a + h * j))
        found = model.inverse_dynamics_second_derivatives(own, v, a, w)
        for block, expected in zip(found, (qq, qv, vv, qa)):
            np.testing.assert_allclose(block, expected, atol=1e-8 * (1 + abs(expected).max()))
        np.testing.assert_allclose(found.tau_by_qv.T, vq, atol=1e-8 * (1 + abs(vq).max()))
        lower, pivots = model.mass_matrix_factors(own)
        np.testing.assert_allclose(lower.T @ np.diag(pivots) @ lower, model.mass_matrix(own), rtol=1e-12, atol=1e-12)


def test_functions_on_request_take_batches_and_say_what_they_are():
    model = hamel.Model.from_text(
        """model Arm { planar; coordinates joint;
            body arm { mass: 1 kg, inertia: 1 kg m^2 } joint hinge: revolute(ground, arm);
            marker tip: arm at [2, 0] m; provide jacobian(tip), velocity(tip); }""",
        cache=False,
    )
    q = np.linspace(0, 1, 6).reshape(2, 3, 1)
    linear, angular = model.jacobian_of_tip(q)
    assert linear.shape == (2, 3, 2, 1) and angular.shape == (2, 3, 1, 1)
    np.testing.assert_allclose(linear[..., 0], 2 * np.concatenate([-np.sin(q), np.cos(q)], axis=-1))
    velocity = model.velocity_of_tip(q, v=[3.0])
    np.testing.assert_allclose(velocity.linear, 3 * linear[..., 0])
    assert list(model.provided) == ["forward_dynamics", "velocity_of_tip", "jacobian_of_tip"]
    assert "jacobian_of_tip" in dir(model) and "(..., 2, 1)" not in model.velocity_of_tip.__doc__
    assert str(inspect.signature(model.velocity_of_tip)) == "(q, v)"
    with pytest.raises(TypeError, match="v"):
        model.velocity_of_tip(q)
    with pytest.raises(ValueError, match="shape"):
        model.velocity_of_tip(q, [1.0, 2.0])


def test_closed_loops_have_forward_dynamics_and_derivatives():
    text = """model ClosedLoop { planar; coordinates joint; gravity [0, -9.81] m/s^2;
        body crank { mass: 1 kg, inertia: 0.02 kg m^2 } body rod { mass: 2 kg, inertia: 0.05 kg m^2 }
        joint main: revolute(ground, crank at [-0.15, 0] m); joint pin: revolute(crank at [0.15, 0] m, rod at [-0.3, 0] m);
        constraint guide: (rod at [0.3, 0] m).position.y == 0 m; initial main.angle = 1 rad; PROVIDE }"""
    model = hamel.Model.from_text(text.replace("PROVIDE", "provide constraint_acceleration_derivatives;"), cache=False)
    q, v = model.initial_state()
    v = v + np.linalg.svd(model.constraint_jacobian(q))[2][1]
    tau = np.array([0.7, -0.2])
    a, multipliers = model.acceleration(q, v, tau=tau)
    # The equations of motion, which other functions of the model evaluate.
    r, _ = model.residual(q, v, a, multipliers)
    np.testing.assert_allclose(r, tau, atol=1e-12)
    np.testing.assert_allclose(model.constraint_jacobian(q) @ a, -model.constraint_bias(q, v)[1], atol=1e-12)
    by_q, by_v, by_tau, *of_multipliers = model.acceleration_derivatives(q, v, tau)
    step = 1e-6 * np.eye(2)
    change = lambda f: (np.array([f(h) for h in step]) - np.array([f(-h) for h in step])).T / 2e-6  # noqa: E731
    np.testing.assert_allclose(by_q, change(lambda h: model.acceleration(q + h, v, tau=tau)[0]), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(by_v, change(lambda h: model.acceleration(q, v + h, tau=tau)[0]), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(by_tau, change(lambda h: model.acceleration(q, v, tau=tau + h)[0]), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(
        of_multipliers[0], change(lambda h: model.acceleration(q + h, v, tau=tau)[1]), rtol=1e-6, atol=1e-6
    )
    assert [array.shape for array in of_multipliers] == [(1, 2)] * 3
    assert np.array_equal(model.acceleration_derivatives(q, v, tau).multipliers_by_q, of_multipliers[0])
    with pytest.raises(hamel.ModelError, match=r"acceleration\(q, v, tau=tau\)"):
        model.forward_dynamics(q, v, tau)
    with pytest.raises(hamel.ModelError, match="provide constraint_acceleration_derivatives"):
        hamel.Model.from_text(text.replace("PROVIDE", ""), cache=False).acceleration_derivatives(q, v)


def test_links_of_robots_have_functions_by_their_names():
    model = hamel.Model.from_urdf(arm(3), provide=["jacobian(l2)", "center_of_mass"], level="at_once", cache=False)
    jacobian = model.frame("l2").jacobian(np.zeros(3))
    assert jacobian.linear.shape == jacobian.angular.shape == (3, 3)
    assert hamel.Model.from_urdf(arm(3), provide="pose(l2)", level="at_once", cache=False).frame("l2").pose
    with pytest.raises(AttributeError, match=r"provide=\[.velocity\(l2\).\]"):
        model.frame("l2").velocity
    with pytest.raises(hamel.ModelError, match="did you mean `l2`"):
        model.frame("ll2")
    with pytest.raises(hamel.ModelError, match="`base` is fixed to the ground"):
        hamel.Model.from_urdf(arm(3), provide=["pose(base)"])
    with pytest.raises(hamel.ModelError, match="unknown link `l7`"):
        hamel.Model.from_urdf(arm(3), provide=["pose(l7)"])
    with pytest.raises(ValueError, match="did you mean `jacobian`"):
        hamel.Model.from_urdf(arm(3), provide=["jacobia(l2)"])


def test_descriptions_with_macros_take_arguments(tmp_path):
    part = tmp_path / "parts" / "urdf" / "part.xacro"
    part.parent.mkdir(parents=True)
    part.write_text(
        """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="part" params="name mass">
        <link name="${name}"><inertial><mass value="${2 * mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
        </inertial></link></xacro:macro></robot>"""
    )
    robot = tmp_path / "robots" / "robot.xacro"
    robot.parent.mkdir()
    robot.write_text(
        """<robot name="slide" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="mass" default="1"/>
        <xacro:include filename="$(find parts)/urdf/part.xacro"/><link name="base"/>
        <xacro:part name="block" mass="$(arg mass)"/>
        <joint name="rail" type="prismatic"><parent link="base"/><child link="block"/><axis xyz="1 0 0"/>
        <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    )
    packages = {"parts": tmp_path / "parts"}
    for arguments, mass in [(None, 2), ({"mass": 3}, 6), ({"mass": 0.25}, 0.5)]:
        model = hamel.Model.from_urdf(robot, packages=packages, arguments=arguments, level="at_once", cache=False)
        assert model.mass_matrix([0.3]) == [[mass]]
    with pytest.raises(hamel.ModelError, match="load"):
        hamel.Model.from_urdf(robot, packages=packages, arguments={"load": 1}, level="at_once", cache=False)
