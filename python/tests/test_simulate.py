"""Simulations: motions, inputs, starts, events, and how they end."""

import math
import signal
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import hamel


def test_a_cart_on_a_spring_swings_as_a_cosine(cart):
    run = cart.simulate(until=3.0)
    np.testing.assert_allclose(run.q[:, 0], 0.5 * np.cos(2 * run.t), atol=2e-5)
    np.testing.assert_allclose(run["velocity(rail.displacement)"], -np.sin(2 * run.t), atol=4e-5)
    np.testing.assert_array_equal(run.v[:, 0], run["velocity(rail.displacement)"])
    np.testing.assert_array_equal(run.a[:, 0], run["acceleration(rail.displacement)"])
    assert (run.t[0], run.t[-1], run.accepted) == (0.0, 3.0, len(run) - 1)
    assert run.units["rail.displacement"] == "m" and run.units["kinetic_energy"] == "J"
    assert not run.q.flags.writeable, "a column is a view of what was recorded"


def test_schemes_steps_and_tolerances_are_those_asked_for(cart):
    run = cart.simulate("runge_kutta", until=1.0, dt=0.01)
    assert len(run) == 101
    np.testing.assert_allclose(run.q[:, 0], 0.5 * np.cos(2 * run.t), atol=1e-8)
    assert len(cart.simulate("runge_kutta", until=1.0, dt=0.01, record_every=10)) == 11
    tight = cart.simulate("radau_iia5", until=1.0, tolerance=1e-11)
    assert abs(tight.q[-1, 0] - 0.5 * math.cos(2.0)) < 1e-10
    strong, weak = (
        cart.simulate("generalized_alpha", until=1.0, dt=0.05, scheme_parameters={"rho_infinity": rho}).q[-1, 0]
        for rho in (0.0, 1.0)
    )
    assert strong != weak
    assert "runge_kutta" in hamel.schemes()


def test_defaults_are_those_of_the_command(cart):
    """A scheme that estimates its error without contacts, and equal steps with them."""
    assert "ESDIRK" in cart.simulate(until=1.0).scheme
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hamel.CautionWarning)
        ball = hamel.models.bouncing_ball.simulate(until=0.5)
    np.testing.assert_allclose(np.diff(ball.t), 1e-3, rtol=1e-9)


@pytest.mark.parametrize("steps", [{}, {"tolerance": 1e-6}, {"dt": 1e-2}])
def test_recording_changes_no_steps(cart, steps):
    """Every seventh of the same steps, and the last one."""
    all_ = cart.simulate(until=2.0, record_every=1, **steps)
    some = cart.simulate(until=2.0, record_every=7, **steps)
    kept = sorted({*range(0, len(all_), 7), len(all_) - 1})
    np.testing.assert_array_equal(some.t, all_.t[kept])
    np.testing.assert_array_equal(some.q, all_.q[kept])


@pytest.mark.parametrize(
    "drive",
    [
        lambda t: 6 * math.sin(3 * t),
        "6*sin(3*t)",
        np.stack([np.linspace(0, 2, 4001), 6 * np.sin(3 * np.linspace(0, 2, 4001))], axis=1),
    ],
    ids=["function", "text", "samples"],
)
def test_inputs_drive_the_model(cart, drive):
    """m x″ + k x = 6 sin 3t from rest at 0: x = (F/m)/(ω² − 9) (sin 3t − 3/ω sin ωt), ω = 2."""
    run = cart.simulate("dormand_prince", until=2.0, tolerance=1e-10, inputs={"drive": drive}, initial=([0.0], [0.0]))
    expected = 3 / (4 - 9) * (np.sin(3 * run.t) - 1.5 * np.sin(2 * run.t))
    np.testing.assert_allclose(run.q[:, 0], expected, atol=2e-6)


def test_a_constant_input_moves_the_point_of_rest(cart):
    run = cart.simulate(until=1.0, inputs={"drive": 4.0})
    np.testing.assert_allclose(run.q[:, 0], 0.5, atol=1e-9)


def test_parameters_of_a_run_are_its_own(cart):
    run = cart.simulate("dormand_prince", until=1.0, tolerance=1e-9, parameters={"mass": 0.5})
    np.testing.assert_allclose(run.q[:, 0], 0.5 * np.cos(4 * run.t), atol=1e-7)
    assert cart.parameters["mass"] == 2.0


def test_runs_start_where_they_are_told_to(cart):
    pendulum = hamel.models.pendulum
    at = lambda initial: pendulum.initial_state(initial)[0][0]  # noqa: E731
    assert abs(at({"hinge.angle": "30 deg"}) - math.pi / 6) < 1e-15
    assert abs(at({"hinge.angle": "30deg"}) - math.pi / 6) < 1e-15
    assert at({"hinge.angle": 0.25}) == 0.25
    assert pendulum.simulate(until=0.1, initial={"hinge.angle": 0.25}).q[0, 0] == 0.25
    assert cart.initial_state({"rail.displacement": -1})[0] == [-1.0]
    run = cart.simulate(until=0.1, initial=(np.array([0.1]), [0.2]))
    assert (run.q[0, 0], run.v[0, 0], run.a[0, 0]) == (0.1, 0.2, -0.4)
    # The start of other parameters is that of the text with these parameters.
    assert cart.simulate(until=0.1, initial={"rail.displacement": "mass * 1 m/kg"}, parameters={"mass": 3}).q[0, 0] == 3.0


def test_starts_of_models_with_constraints_are_assembled():
    top = hamel.models.heavy_top
    q, v = top.initial_state({"top.angular_velocity": "[0, 100, 0] rad/s in top"})
    np.testing.assert_allclose(top.constraint(q), 0, atol=1e-12)
    np.testing.assert_allclose(top.constraint_jacobian(q) @ v, 0, atol=1e-9)


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({"until": -1.0}, ValueError, "`until`: expected a positive time, s, found -1"),
        ({"until": 1.0, "dt": 0.0}, ValueError, "`dt`: expected a positive time, s, found 0"),
        ({"until": 1.0, "tolerance": math.nan}, ValueError, "`tolerance`: expected"),
        ({"until": 1.0, "scheme": "radau_iia6"}, ValueError, "unknown scheme `radau_iia6`\nhelp: did you mean `radau_iia"),
        ({"until": 1.0, "record_every": 0}, ValueError, "`record_every`: expected at least 1, found 0"),
        ({"until": 1.0, "inputs": {"driv": 1.0}}, ValueError, "unknown input `driv`\nhelp: did you mean `drive`?"),
        ({"until": 1.0, "inputs": {"drive": "2*sin("}}, hamel.ModelError, "input `drive`, 2*sin(: "),
        ({"until": 1.0, "inputs": {"drive": np.zeros(3)}}, ValueError, "input `drive`: expected a number, a function, or"),
        ({"until": 1.0, "inputs": {"drive": [[1, 0], [0, 1]]}}, ValueError, "input `drive`: expected samples (t, value)"),
        ({"until": 1.0, "initial": {"rail.displacment": 1.0}}, hamel.ModelError, "initial `rail.displacment` = 1.0: "),
        ({"until": 1.0, "initial": {"rail.displacement": "1 s"}}, hamel.ModelError, "initial `rail.displacement` = 1 s: "),
        ({"until": 1.0, "initial": ([0.0, 1.0], [0.0])}, ValueError, "initial `q`: expected shape (1,), found (2,)"),
        ({"until": 1.0, "constraints": "speed"}, ValueError, "unknown level `speed`"),
        ({"until": 1.0, "max_residual": -1.0}, ValueError, "`max_residual`: expected a positive number, found -1"),
        ({"until": 1.0, "events": ["rail"]}, ValueError, "an event: there is no coordinate or velocity `rail`"),
        ({"until": 1.0, "events": [3]}, TypeError, "an event: expected a function"),
        ({"until": 1.0, "parameters": {"mas": 1.0}}, hamel.ModelError, "unknown parameter `mas`"),
        ({"until": 1.0, "parameters": {"mass": "9 kg"}}, TypeError, "parameter `mass`: expected a number, in kg, found '9 kg'"),
        ({"until": 1.0, "scheme": "generalized_alpha", "scheme_parameters": {"rho": 1.0}}, hamel.SimulationError, "rho"),
    ],
)
def test_what_cannot_begin_says_why(cart, arguments, kind, message):
    with pytest.raises(kind) as error:
        cart.simulate(**arguments)
    assert message in str(error.value)


def test_events_are_located(cart):
    event = hamel.Event("rail.displacement", direction="falling")
    run = cart.simulate("dormand_prince", until=4.0, tolerance=1e-10, events=[event, lambda t, q, v: v[0]])
    falling = [found.t for found in run.events if found.event == 0]
    np.testing.assert_allclose(falling, [math.pi / 4, 5 * math.pi / 4], atol=1e-7)
    turning = [found for found in run.events if found.event == 1]
    np.testing.assert_allclose([found.t for found in turning], [math.pi / 2, math.pi], atol=1e-7)
    np.testing.assert_allclose(turning[0].q, [-0.5], atol=1e-7)


def test_terminal_events_end_the_run(cart):
    def passes(t, q, v):
        return q[0] - 0.25

    passes.terminal, passes.direction = True, -1
    run = cart.simulate("dormand_prince", until=4.0, tolerance=1e-10, events=[passes])
    assert abs(run.t[-1] - math.pi / 6) < 1e-7


def test_a_failed_run_keeps_what_was_computed(cart):
    falling = hamel.Model.from_text("""
        model Falling {
            planar; coordinates joint;
            body stone { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, stone);
            force pull: force(stone) { value: [-1 N m^2 / rail.displacement^2, 0] }
            initial rail.displacement = 1 m;
        }
    """)
    with pytest.raises(hamel.SimulationError) as error, warnings.catch_warnings():
        warnings.simplefilter("ignore", hamel.CautionWarning)
        falling.simulate(until=5.0)
    failure = error.value
    # The fall into the centre ends at π/(2 √2).
    assert 1.0 < failure.time < 1.1108
    assert failure.time == failure.trajectory.t[-1] and len(failure.trajectory) > 10
    assert "t = 1.1" in str(failure) and isinstance(failure, RuntimeError)


def test_exceptions_of_functions_end_the_run(cart):
    def drive(t):
        if t > 0.5:
            raise ZeroDivisionError("no drive")
        return 0.0

    with pytest.raises(hamel.SimulationError, match="ZeroDivisionError: no drive") as error:
        cart.simulate("runge_kutta", until=1.0, dt=0.01, inputs={"drive": drive})
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    assert abs(error.value.time - 0.5) < 0.011
    with pytest.raises(hamel.SimulationError, match="TypeError"):
        cart.simulate(until=1.0, inputs={"drive": lambda t: "much"})
    with pytest.raises(hamel.SimulationError, match="ZeroDivisionError"):
        cart.simulate(until=1.0, events=[lambda t, q, v: 1 / 0])
    with pytest.raises(hamel.SimulationError, match="ZeroDivisionError") as error:
        cart.initial_state(inputs={"drive": lambda t: 1 / 0})
    assert (error.value.trajectory, error.value.time) == (None, None)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_an_exception_counts_although_the_next_call_succeeds(cart):
    """Also in a call that does not decide over the motion, and in the last one."""
    for fails_at in (1, 37, 38, 39, 40, 41, 42, 400):
        calls = [0]

        def drive(t):
            calls[0] += 1
            if calls[0] == fails_at:
                raise ZeroDivisionError("once")
            return 0.0

        with pytest.raises(hamel.SimulationError, match="once"):
            cart.simulate("runge_kutta", until=1.0, dt=0.01, inputs={"drive": drive})
        assert calls[0] == fails_at

    asked = [0]

    def event(t, q, v):
        asked[0] += 1
        if asked[0] == 30:
            raise ZeroDivisionError("once")
        return 1.0

    with pytest.raises(hamel.SimulationError, match="once"):
        cart.simulate("runge_kutta", until=1.0, dt=0.01, inputs={"drive": 0.0}, events=[event])


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")
@pytest.mark.parametrize("given", [{}, {"inputs": {"drive": lambda t: 0.0}}, {"events": [lambda t, q, v: 1.0]}])
def test_ctrl_c_ends_a_run_and_keeps_it(cart, given):
    timer = threading.Timer(0.4, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(hamel.Interrupted) as error:
        cart.simulate("runge_kutta", until=1e6, dt=1e-3, record_every=1000, **given)
    timer.join()
    assert isinstance(error.value, KeyboardInterrupt)
    assert 0 < error.value.time < 1e6 and len(error.value.trajectory) > 1


def test_cautions_are_warnings(cart):
    with pytest.warns(hamel.CautionWarning, match="were lost to the scheme") as found:
        run = cart.simulate("bathe", until=20.0, dt=0.5)
    assert run.cautions and found[0].filename == __file__


def test_trajectories_are_tables(cart, tmp_path):
    run = cart.simulate(until=1.0)
    with pytest.raises(KeyError, match="there is no column `rail.displacment`; did you mean `rail.displacement`"):
        run["rail.displacment"]
    assert "rail.displacement" in run and run.columns[0] == "t" and len(run.keys()) == len(run.columns)
    np.testing.assert_array_equal(np.asarray(run)[:, 1], run.q[:, 0])
    run.to_csv(tmp_path / "run.csv")
    head, *rows = (tmp_path / "run.csv").read_text().splitlines()
    assert head.count(",") == len(run.columns) - 1
    # Shortest digits that read back exactly.
    np.testing.assert_array_equal([float(row.split(",")[1]) for row in rows], run.q[:, 0])
    with pytest.raises(OSError, match="cannot write"):
        run.to_csv(tmp_path / "missing" / "run.csv")
    assert "Cart" in repr(run)


def test_trajectories_are_frames_of_pandas(cart):
    pytest.importorskip("pandas")
    run = cart.simulate(until=1.0)
    frame = run.to_pandas()
    np.testing.assert_array_equal(frame["rail.displacement"], run.q[:, 0])
    np.testing.assert_array_equal(frame.index, run.t)
    assert frame.attrs["units"]["rail.displacement"] == "m"


def test_trajectories_are_tables_of_arrow_and_parquet(cart, tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow.parquet

    run = cart.simulate(until=1.0)
    table = run.to_arrow()
    np.testing.assert_array_equal(table["rail.displacement"], run.q[:, 0])
    assert table.schema.field("rail.displacement").metadata[b"unit"] == b"m"
    run.to_parquet(tmp_path / "run.parquet")
    read = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    assert read.num_rows == len(run) and read.num_columns == len(run.columns)
    np.testing.assert_array_equal(read.column(1), run.q[:, 0])


def test_trajectories_are_drawn(cart, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    run = cart.simulate(until=1.0)
    figure = run.plot("rail.displacement", "kinetic_energy", "potential_energy")
    assert [len(axes.lines) for axes in figure.axes] == [1, 2]
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), run.q[:, 0])
    figure.savefig(tmp_path / "run.png")
    assert len(run.plot().axes) == 1
    assert len(run.plot(["rail.displacement", "kinetic_energy"]).axes) == 2
    with pytest.raises(KeyError):
        run.plot("nothing")


def test_constraints_are_imposed_where_asked():
    rod = hamel.models.pendulum_absolute
    kept, removed = (
        rod.simulate("trapezoidal", until=1.0, dt=0.01, constraints="velocity", keep_drift=keep)["position_residual"].max()
        for keep in (True, False)
    )
    assert removed < 1e-10 < kept


def test_a_function_may_end_the_program(cart):
    def leave(t):
        if t > 0.5:
            sys.exit(3)
        return 0.0

    with pytest.raises(SystemExit) as error:
        cart.simulate(until=1.0, inputs={"drive": leave})
    assert error.value.code == 3
    with pytest.raises(SystemExit):
        cart.simulate(until=1.0, inputs={"drive": lambda t: sys.exit(3)})


def test_steps_end_where_tables_and_formulas_change():
    block = hamel.Model.from_text(
        """model Block {
            planar;
            coordinates joint;
            param begin = 6.00345 s;
            input push N;
            body block { mass: 2 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, block);
            force driven: push on rail;
            force kick: (if time < begin { 0 N } else { if time < begin + 1 ms { 500 N } else { 0 N } }) on rail;
        }"""
    )
    # A jump of the value, and two samples a microsecond apart.
    table = [(1.0, 0.0), (1.0, 4.0), (2.0, 4.0), (2.000001, 0.0)]
    run = block.simulate("radau_iia5", until=10.0, tolerance=1e-8, inputs={"push": table})
    speed = 2.0 * (1.0 + 0.5e-6) + 0.25
    assert abs(run["velocity(rail.displacement)"][-1] - speed) < 1e-7
    assert len(run.t) < 500
    with pytest.raises(ValueError, match="two of one time"):
        block.simulate(until=1.0, inputs={"push": [(0.0, 1.0), (0.0, 2.0), (0.0, 3.0)]})


def test_numbers_are_initial_values_of_states_with_units():
    model = hamel.Model.from_text("""model Lagging {
        planar; coordinates joint;
        body arm { mass: 1 kg, inertia: 1 kg m^2 }
        joint hinge: revolute(ground, arm);
        state lag N m: -lag / 1 s;
        torque drive: lag on hinge;
        initial lag = 2 N m;
    }""")
    run = model.simulate("dormand_prince", until=1.0, tolerance=1e-10, initial={"lag": 1.5})
    assert run["lag"][0] == 1.5 and abs(run["lag"][-1] - 1.5 * np.exp(-1.0)) < 1e-8
