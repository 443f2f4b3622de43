"""Animations: pages that hold the motions, of one run or several, as files and in notebooks."""

import base64
import html
import json
import math
import re
import shutil
import struct
import warnings

import numpy as np
import pytest

import hamel


def scenes(page):
    """The data of a page, as its script reads them."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(data.group(1))


def numbers(packed):
    values = base64.b64decode(packed)
    return np.array(struct.unpack(f"<{len(values) // 4}f", values))


def forces(page):
    """Times, and the force of the motor on the cart."""
    (scene,) = scenes(page)
    t = numbers(scene["times"])
    arrows = [arrow["name"] for arrow in scene["arrows"]]
    vectors = numbers(scene["vectors"]).reshape(len(t), len(arrows), 6)
    return t, vectors[:, arrows.index("motor"), 3]


def test_a_page_holds_the_motion(cart):
    run = cart.simulate("dormand_prince", until=3.0, tolerance=1e-9)
    page = run.animate().html
    assert page.startswith("<!DOCTYPE html>") and "<title>Cart</title>" in page
    (scene,) = scenes(page)
    assert (scene["label"], [body["name"] for body in scene["bodies"]]) == ("Cart", ["cart"])
    t = numbers(scene["times"])
    poses = numbers(scene["poses"]).reshape(len(t), 3)
    assert len(t) > 300 and (t[0], t[-1]) == (0.0, 3.0)
    np.testing.assert_allclose(poses[:, 0], 0.5 * np.cos(2 * t), atol=2e-6)
    assert re.search(r">\s*x\s*<", page), "there is a plot of the output"


def test_parameters_of_a_run_are_drawn():
    text = """model Wheel {
        planar; coordinates joint;
        param arm = 1 m;
        body wheel { mass: 1 kg, inertia: 1 kg m^2 }
        joint axle: revolute(ground, wheel at [-arm, 0]);
        initial axle.angle.velocity = 2 rad/s;
    }"""
    run = hamel.Model.from_text(text, level="at_once").simulate(until=1.0, parameters={"arm": 3})
    (scene,) = scenes(run.animate().html)
    t = numbers(scene["times"])
    poses = numbers(scene["poses"]).reshape(len(t), 3)
    np.testing.assert_allclose(poses[:, 0], 3 * np.cos(2 * t), atol=1e-4)


def test_pages_are_files_whole_or_not_at_all(cart, tmp_path):
    run = cart.simulate(until=1.0)
    path = tmp_path / "cart.html"
    assert run.animate(path) is path
    assert path.read_bytes() == run.animate(title="Cart").html.encode()
    again = cart.simulate(until=1.0).animate(str(tmp_path / "again.html"))
    assert (tmp_path / "again.html").read_bytes() == path.read_bytes() and again == str(tmp_path / "again.html")
    assert "<title>A &lt;cart&gt;</title>" in run.animate(title="A <cart>").html
    with pytest.raises(OSError, match="cannot write"):
        run.animate(tmp_path / "missing" / "cart.html")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["again.html", "cart.html"]


def test_notebooks_show_pages_in_a_frame(cart):
    animation = cart.simulate(until=1.0).animate()
    assert isinstance(animation, hamel.Animation)
    shown = animation._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^<>]*></iframe>', shown)
    assert html.unescape(frame.group(1)) == animation.html
    assert "MB of HTML" in repr(animation)


@pytest.mark.parametrize(
    "drive",
    [
        lambda t: 6 * math.sin(3 * t),
        "6*sin(3*t)",
        np.stack([np.linspace(0, 2, 4001), 6 * np.sin(3 * np.linspace(0, 2, 4001))], axis=1),
    ],
    ids=["function", "text", "samples"],
)
def test_forces_are_those_of_the_inputs(cart, drive):
    run = cart.simulate("dormand_prince", until=2.0, tolerance=1e-10, inputs={"drive": drive})
    t, force = forces(run.animate().html)
    # Lines between steps of a two-hundredth of the motion: 6 (3 · 0.01)² / 8.
    np.testing.assert_allclose(force, 6 * np.sin(3 * t), atol=7e-4)
    assert t[-1] == 2.0


def test_functions_that_change_after_a_run_do_not_change_its_picture(cart):
    gains = {"now": 2.0}
    runs = []
    for gain in (2.0, 5.0):
        gains["now"] = gain
        runs.append(cart.simulate("runge_kutta", until=1.0, dt=1e-4, inputs={"drive": lambda t: gains["now"] * t}))
    gains["now"] = math.nan
    for run, gain in zip(runs, (2.0, 5.0)):
        t, force = forces(run.animate().html)
        np.testing.assert_allclose(force, gain * t, atol=1e-6)


def test_functions_are_asked_at_the_end_of_a_run_that_an_event_ends(cart):
    event = hamel.Event("rail.displacement", direction="falling", terminal=True)
    run = cart.simulate("dormand_prince", until=9.0, dt=0.07, inputs={"drive": lambda t: t}, events=[event])
    t, force = forces(run.animate().html)
    np.testing.assert_allclose(force, t, atol=1e-6)
    assert abs(t[-1] - run.t[-1]) < 1e-6 < run.t[-1] % 0.07


def test_failed_runs_are_drawn_as_far_as_they_went(cart):
    def drive(t):
        if t > 0.5:
            raise ZeroDivisionError("no drive")
        return 3.0 * t

    with pytest.raises(hamel.SimulationError, match="ZeroDivisionError") as error:
        cart.simulate("runge_kutta", until=1.0, dt=0.01, inputs={"drive": drive})
    t, force = forces(error.value.trajectory.animate().html)
    assert abs(t[-1] - error.value.time) < 1e-6
    np.testing.assert_allclose(force, 3 * t, atol=1e-6)


@pytest.fixture
def lamp():
    """Moves at 1 m/s, whatever its input is: schemes do not ask for it."""
    return hamel.Model.from_text("""model Lamp {
        planar; coordinates joint;
        input light N;
        body cart { mass: 1 kg, inertia: 1 kg m^2 }
        joint rail: prismatic(ground, cart);
        initial rail.displacement.velocity = 1 m/s;
    }""", level="at_once")


def test_exceptions_of_functions_that_only_the_picture_asks_end_the_run(lamp):
    def light(t):
        if 0.55 < t < 1:
            raise LookupError("no light")
        return 0.0

    with pytest.raises(hamel.SimulationError, match="LookupError: no light") as error:
        lamp.simulate("runge_kutta", until=1.0, dt=0.1, inputs={"light": light})
    assert abs(error.value.time - 0.6) < 1e-12
    t = numbers(scenes(error.value.trajectory.animate().html)[0]["times"])
    assert abs(t[-1] - 0.6) < 1e-6


def test_an_input_that_was_no_number_is_not_drawn(lamp):
    for value in (math.inf, math.nan):
        run = lamp.simulate("runge_kutta", until=1.0, dt=0.1, inputs={"light": lambda t: value})
        with pytest.raises(ValueError, match="animation of Lamp: the function of input `light` was not a finite number"):
            run.animate()


def test_several_runs_have_labels(cart):
    runs = [cart.simulate(until=1.0, parameters={"mass": mass}) for mass in (1, 2.5)]
    labels = lambda animation: [scene["label"] for scene in scenes(animation.html)]  # noqa: E731
    assert labels(runs[0].animate(None, runs[1])) == ["mass = 1 kg", "mass = 2.5 kg"]
    pendulum = hamel.models.pendulum.simulate(until=1.0)
    found = labels(runs[0].animate(None, pendulum, runs[1]))
    assert found == ["Cart, mass = 1 kg", "Pendulum", "Cart, mass = 2.5 kg"]
    assert labels(runs[0].animate(None, runs[0])) == ["run 1", "run 2"]
    other = cart.simulate("runge_kutta", until=1.0, dt=1e-2, parameters={"mass": 1})
    assert labels(runs[0].animate(None, other)) == [runs[0].scheme, other.scheme]
    page = runs[0].animate(None, runs[1], labels=["light", "</script>"]).html
    assert [scene["label"] for scene in scenes(page)] == ["light", "</script>"]
    first, second = (numbers(scene["poses"])[::3] for scene in scenes(page))
    t = numbers(scenes(page)[1]["times"])
    np.testing.assert_allclose(second, 0.5 * np.cos(math.sqrt(8 / 2.5) * t), atol=1e-4)
    assert len(first) != len(second) or not np.allclose(first, second)


def test_what_cannot_be_drawn_says_why(cart):
    run = cart.simulate(until=1.0)
    with pytest.raises(TypeError, match=r"run.animate\(None, other\)"):
        run.animate(run)
    with pytest.raises(TypeError, match="other runs: expected hamel.Trajectory, found int"):
        run.animate(None, 3)
    with pytest.raises(TypeError):
        run.animate(3)
    with pytest.raises(ValueError, match="`labels`: expected 2, one for each run, found 1"):
        run.animate(None, run, labels=["one"])
    with pytest.raises(ValueError, match="`labels`: expected 1, one for each run, found a text"):
        run.animate(labels="A")
    with pytest.raises(TypeError):
        run.animate(title=3)


def test_robots_of_files_include_others_and_look_like_their_links(tmp_path):
    arm = """<mujoco><body name="upper"><joint name="hinge" axis="0 1 0"/><inertial pos="0 0 0.5" mass="2" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="part"/></body></mujoco>"""
    (tmp_path / "arm.xml").write_text(arm)
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    robot = """<mujoco model="arm"><asset><mesh name="part" file="part.obj"/></asset>
        <worldbody><include file="arm.xml"/></worldbody></mujoco>"""
    (tmp_path / "robot.xml").write_text(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = hamel.Model.from_mjcf(tmp_path / "robot.xml", level="at_once", cache=False)
        page = model.simulate(until=0.1, dt=1e-2).animate().html
    meshes = re.search(r'<script type="application/json" id="meshes">(.*?)</script>', page, re.DOTALL)
    (mesh,) = json.loads(meshes.group(1))
    assert mesh["file"].endswith("part.obj")
    # A text has no folder.
    with pytest.raises(hamel.ModelError, match="`include` is not expanded"):
        hamel.Model.from_mjcf(robot, level="at_once", cache=False)


def test_pictures_and_films(cart, tmp_path):
    run = cart.simulate(until=1.0)
    with pytest.raises(ValueError, match="`at`, `size`, `view`, `dark` and `speed` are of pictures and films"):
        run.animate(tmp_path / "page.html", at=0.5)
    try:
        run.animate(tmp_path / "start.png", size=(160, 100))
    except OSError as error:
        pytest.skip(str(error))
    run.animate(tmp_path / "later.png", size=(160, 100), at=0.5, dark=True)
    start, later = (tmp_path / f"{name}.png" for name in ("start", "later"))
    assert start.read_bytes()[:4] == later.read_bytes()[:4] == b"\x89PNG" and start.read_bytes() != later.read_bytes()
    with pytest.raises(ValueError, match="view: expected iso, x, y or z, found w"):
        run.animate(tmp_path / "a.png", view="w")
    if shutil.which("ffmpeg"):
        run.animate(tmp_path / "film.gif", size=(64, 40), speed=10.0)
        assert (tmp_path / "film.gif").read_bytes().startswith(b"GIF89a")
