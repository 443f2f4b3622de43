"""Sweeps: cases, results, resuming, interruption."""

import signal
import sys
import threading
import time

import numpy as np
import pytest

import hamel


def test_a_grid_has_the_motions_of_single_runs(cart):
    table = hamel.sweep(
        cart,
        {"mass": [0.5, 2.0, 8.0], "stiffness": "2..8:3"},
        outputs=["rail.displacement.final", "energy.max", "rail.displacement.time_of_min"],
        until=2.0,
        scheme="dormand_prince",
        tolerance=1e-9,
        inputs={"drive": "sin(t)"},
    )
    assert len(table) == 9 and table.variables == ["mass", "stiffness"]
    assert table.units["mass"] == "kg" and table.units["energy.max"] == "J"
    for case in range(9):
        parameters = {"mass": table["mass"][case], "stiffness": table["stiffness"][case]}
        run = cart.simulate(
            "dormand_prince", until=2.0, tolerance=1e-9, parameters=parameters, inputs={"drive": "sin(t)"}
        )
        assert table["rail.displacement.final"][case] == run.q[-1, 0]
        assert table["energy.max"][case] == (run["kinetic_energy"] + run["potential_energy"]).max()
        assert table["rail.displacement.time_of_min"][case] == run.t[run.q[:, 0].argmin()]
    grid = table.grid("rail.displacement.final")
    assert grid.shape == (3, 3)
    np.testing.assert_array_equal(table.grid("mass")[:, 0], [0.5, 2.0, 8.0])
    np.testing.assert_array_equal(table.grid("stiffness")[0], [2.0, 5.0, 8.0])
    assert "9 cases" in repr(table)


def test_parameters_of_the_model_hold_where_they_do_not_vary(cart):
    heavy = cart.with_parameters(mass=8.0, stiffness=2.0)
    table = hamel.sweep(heavy, {"stiffness": [8.0]}, outputs=["rail.displacement"], until=1.0, tolerance=1e-9, scheme="dormand_prince")
    # ω = 1 rad/s
    assert abs(table["rail.displacement.final"][0] - 0.5 * np.cos(1.0)) < 1e-7


def test_coordinates_inputs_and_starts_vary(cart):
    options = {"outputs": ["rail.displacement.first", "rail.displacement.final"], "until": 1.0, "tolerance": 1e-9, "scheme": "dormand_prince"}
    table = hamel.sweep(cart, {"rail.displacement": [-1.0, 1.0], "drive": [0.0, 8.0]}, **options)
    np.testing.assert_array_equal(table["rail.displacement.first"], [-1, -1, 1, 1])
    rest = table["drive"] / 8
    expected = rest + (table["rail.displacement"] - rest) * np.cos(2.0)
    np.testing.assert_allclose(table["rail.displacement.final"], expected, atol=1e-7)
    fixed = hamel.sweep(cart, {"mass": [2.0]}, initial={"rail.displacement": 0.25}, **options)
    assert fixed["rail.displacement.first"] == [0.25]


def test_samples_and_cases(cart):
    options = {"outputs": ["energy"], "until": 0.1}
    table = hamel.sweep(cart, {"mass": "1..3"}, sample="lhs:10", **options)
    assert sorted((5 * (table["mass"] - 1)).astype(int)) == list(range(10))
    other = hamel.sweep(cart, {"mass": "1..3"}, sample="lhs:10", seed=1, **options)
    assert (other["mass"] != table["mass"]).any()
    listed = hamel.sweep(cart, cases={"mass": [1.0, 2.0], "stiffness": [3.0, 4.0]}, **options)
    np.testing.assert_array_equal(listed["stiffness"], [3.0, 4.0])
    units = hamel.sweep(cart, {"mass": "1kg..3kg:2", "stiffness": "2 N/m, 4N/m"}, **options)
    np.testing.assert_array_equal(units["mass"], [1.0, 1.0, 3.0, 3.0])
    np.testing.assert_array_equal(units["stiffness"], [2.0, 4.0, 2.0, 4.0])
    with pytest.raises(ValueError, match="`mass` is in m, expected kg"):
        hamel.sweep(cart, {"mass": "1m..3m:2"}, **options)
    with pytest.raises(ValueError, match="`mass`: some values are masked"):
        hamel.sweep(cart, {"mass": np.ma.array([1.0, 2.0], mask=[0, 1])}, **options)
    with pytest.raises(ValueError, match="the cases are no grid"):
        listed.grid("energy.final")


def test_digits_do_not_depend_on_threads(cart):
    run = lambda threads: hamel.sweep(cart, {"mass": "1..3:50"}, outputs=["energy.range"], until=1.0, threads=threads)["energy.range"]  # noqa: E731
    np.testing.assert_array_equal(run(1), run(4))


def test_failed_cases_are_results():
    falling = hamel.Model.from_text("""
        model Falling {
            planar; coordinates joint;
            param start = 1 m;
            body stone { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, stone);
            force pull: force(stone) { value: [-1 N m^2 / rail.displacement^2, 0] }
            initial rail.displacement = start;
        }
    """)
    table = hamel.sweep(falling, {"start": [1.0, 10.0]}, outputs=["rail.displacement"], until=2.0)
    assert list(table.failures) == [0] and "t = 1.1" in table.failures[0]
    assert np.isnan(table["rail.displacement.final"][0]) and table["rail.displacement.final"][1] > 9
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert pandas.isna(frame["failure"][1]) and frame["failure"][0] == table.failures[0]


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({}, ValueError, "expected `vary` or `cases`"),
        ({"vary": {"mas": [1.0]}}, hamel.ModelError, "unknown variable `mas`"),
        ({"vary": {"mass": []}}, ValueError, "`mass`: expected values, found none"),
        ({"vary": {"mass": [np.nan]}}, ValueError, "`mass`: expected finite numbers, found NaN"),
        ({"vary": {"mass": "1..3"}}, ValueError, "how many values has `1..3`?"),
        ({"vary": {"mass": "1..3"}, "sample": "many:3"}, ValueError, "expected random:COUNT"),
        ({"cases": {"mass": [1.0], "stiffness": [1.0, 2.0]}}, ValueError, "`cases`: expected arrays of one length"),
        ({"vary": {"mass": [1.0]}, "outputs": ["rail.displacment.max"]}, ValueError, "did you mean `rail.displacement`"),
        ({"vary": {"mass": [1.0]}, "outputs": []}, ValueError, "at least one output"),
        ({"vary": {}}, ValueError, "expected `vary` or `cases`"),
        ({"vary": {"mass": "1..3"}, "sample": "random:3", "seed": -1}, ValueError, "`seed`: expected a whole number"),
        ({"vary": {"mass": [[1.0, 2.0], [3.0, 4.0]]}}, ValueError, "`mass`: expected numbers in one row, found shape (2, 2)"),
        ({"vary": {"mass": [1.0]}, "threads": 0}, ValueError, "`threads`: expected at least one, found 0"),
        ({"vary": {"mass": [1.0]}, "max_steps": -3}, ValueError, "`max_steps`: expected at least one, found -3"),
        ({"vary": {"mass": [1.0]}, "until": -1.0}, ValueError, "`until`: expected a positive time"),
        ({"vary": {"mass": [1.0]}, "scheme": "none"}, ValueError, "unknown scheme `none`"),
        ({"vary": {"mass": [1.0]}, "inputs": {"drive": lambda t: t}}, ValueError, "input `drive`: expected a number, a text"),
        ({"vary": {"mass": [1.0]}, "initial": ([0.0], [0.0])}, TypeError, "`initial`: expected a mapping"),
    ],
)
def test_what_cannot_begin_says_why(cart, arguments, kind, message):
    with pytest.raises(kind) as error:
        hamel.sweep(cart, **{"outputs": ["energy"], "until": 1.0, **arguments})
    assert message in str(error.value)


def test_cases_that_need_too_many_steps_fail(cart):
    table = hamel.sweep(cart, {"stiffness": [8.0, 8e8]}, outputs="energy", until=1.0, tolerance=1e-8, max_steps=3000)
    assert list(table.failures) == [1] and "3000 steps have come to" in table.failures[1]


def test_columns_of_frames_keep_variables_of_the_same_name():
    pandas = pytest.importorskip("pandas")
    odd = hamel.Model.from_text("""
        model Odd {
            planar; coordinates joint;
            param failure = 1 kg;
            body stone { mass: failure, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, stone);
        }
    """)
    frame = hamel.sweep(odd, {"failure": [1.0, -1.0]}, outputs=["energy"], until=0.1).to_pandas()
    assert frame["failure"].tolist() == [1.0, -1.0]
    assert pandas.isna(frame["failure of case"][0]) and "mass" in frame["failure of case"][1]


def test_tables_are_written_and_read_again(cart, tmp_path):
    out = tmp_path / "sweep.parquet"
    options = {"outputs": ["energy.max"], "until": 0.5, "out": out}
    table = hamel.sweep(cart, {"mass": [1.0, 2.0]}, **options)
    written = out.stat().st_mtime_ns
    again = hamel.sweep(cart, {"mass": [1.0, 2.0]}, **options)
    np.testing.assert_array_equal(table["energy.max"], again["energy.max"])
    assert out.stat().st_mtime_ns == written, "it was read"
    with pytest.raises(FileExistsError, match="holds something else"):
        hamel.sweep(cart, {"mass": [1.0, 3.0]}, **options)
    assert len(hamel.sweep(cart, {"mass": [1.0, 3.0, 4.0]}, overwrite=True, **options)) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.parquet"]
    table.write(tmp_path / "copy.csv")
    assert (tmp_path / "copy.csv").read_text().startswith("case,mass [kg],energy.max [J]")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes")
def test_an_interrupted_sweep_goes_on(cart, tmp_path):
    out = tmp_path / "sweep.csv"
    options = {"outputs": ["rail.displacement"], "until": 50.0, "scheme": "runge_kutta", "dt": 1e-3, "threads": 2, "out": out}
    journal = tmp_path / "sweep.csv.journal"

    def interrupt():
        # Once a case is kept, however long that takes.
        while not journal.exists() or journal.read_text().count("\n") < 2:
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    timer = threading.Thread(target=interrupt)
    timer.start()
    with pytest.raises(hamel.Interrupted, match="cases have ended\nhelp: the same call goes on from there"):
        hamel.sweep(cart, {"mass": "1..3:10000"}, **options)
    timer.join()
    kept = len(journal.read_text().splitlines()) - 1
    assert 0 < kept < 10000 and not out.exists()
    # Another sweep does not go on from there.
    with pytest.raises(ValueError, match="another sweep|belongs|other"):
        hamel.sweep(cart, {"mass": "1..3:10"}, **options)
    first = []

    def progress(ended, of):
        first.append(ended)
        raise StopIteration

    with pytest.raises(StopIteration):
        hamel.sweep(cart, {"mass": "1..3:10000"}, progress=progress, **options)
    assert first[0] >= kept


def test_progress_is_told(cart):
    told = []
    hamel.sweep(cart, {"mass": "1..3:20"}, outputs=["energy"], until=1.0, progress=lambda *now: told.append(now))
    assert told[-1] == (20, 20)


def test_tables_are_drawn(cart):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    one = hamel.sweep(cart, {"mass": [2.0, 1.0]}, outputs=["energy.max"], until=0.1)
    np.testing.assert_array_equal(one.plot().axes[0].lines[0].get_xdata(), [1.0, 2.0])
    two = hamel.sweep(cart, {"mass": [1.0, 2.0], "stiffness": [1.0, 2.0, 3.0]}, outputs=["energy.max"], until=0.1)
    assert len(two.plot("energy.max").axes) == 2
    samples = hamel.sweep(cart, {"mass": "1..2", "stiffness": "1..2"}, sample="random:20", outputs=["energy.max"], until=0.1)
    assert samples.plot().axes[0].patches
