"""Models: where they come from, what they say of themselves, errors in their texts."""

import pickle
import warnings

import numpy as np
import pytest

import hamel
from robots import arm


def test_parameters_have_values_units_and_defaults(cart):
    assert dict(cart.parameters) == {"mass": 2.0, "stiffness": 8.0}
    assert cart.parameters.units == {"mass": "kg", "stiffness": "N/m"}
    heavy = cart.with_parameters(mass=4)
    assert (heavy.parameters["mass"], heavy.parameters.defaults["mass"], cart.parameters["mass"]) == (4.0, 2.0, 2.0)
    both = heavy.with_parameters({"stiffness": 1.0})
    assert dict(both.parameters) == {"mass": 4.0, "stiffness": 1.0}
    assert both.mass_matrix([0.0]) == [[4.0]] and cart.mass_matrix([0.0]) == [[2.0]]
    assert both._compiled is cart._compiled, "the machine code is shared"


def test_components_of_parameters_have_paths():
    top = hamel.models.heavy_top
    assert top.with_parameters({"tip[1]": -2.0}).parameters["tip_y"] == -2.0
    with pytest.raises(hamel.ModelError, match="`tip_y` and `tip\\[1\\]` are one parameter"):
        top.with_parameters({"tip_y": 1.0, "tip[1]": -2.0})
    with pytest.raises(hamel.ModelError, match="are one parameter"):
        hamel.sweep(top, {"tip_y": [1.0], "tip[1]": [2.0]}, outputs=["energy"], until=0.1)
    table = hamel.sweep(top.with_parameters(tip_y=-1.0), {"tip[1]": [2.0]}, outputs=["energy"], until=0.1)
    assert len(table) == 1 and not table.failures


def test_impossible_parameters_are_refused(cart):
    with pytest.raises(hamel.ModelError, match="unknown parameter `mas`, expected one of mass, stiffness"):
        cart.with_parameters(mas=1.0)
    with pytest.raises(hamel.ModelError, match="the mass of `cart` is -1, expected a positive mass"):
        cart.with_parameters(mass=-1.0)
    with pytest.raises(hamel.ModelError, match="NaN"):
        cart.with_parameters(stiffness=float("nan"))


def test_channels_have_names_and_units(cart):
    assert (cart.coordinates, cart.coordinates.units) == (("rail.displacement",), ("m",))
    assert (cart.velocities, cart.velocities.units) == (("rail.displacement",), ("m/s",))
    assert (cart.inputs, cart.inputs.units) == (("drive",), ("N",))
    assert cart.outputs == ("x_x", "x_y") or len(cart.outputs) == 2
    assert (cart.name, cart.doc) == ("Cart", "A cart on a rail with a spring, and a motor.")
    assert repr(cart) == "<hamel.Model Cart: 1 coordinates, 1 velocities, 1 inputs>"


def test_models_come_from_files(tmp_path, cart_text):
    file = tmp_path / "cart.model"
    file.write_text(cart_text)
    assert hamel.Model.from_file(file).name == "Cart"
    two = tmp_path / "two.model"
    two.write_text(cart_text + cart_text.replace("model Cart", "model Other"))
    with pytest.raises(hamel.ModelError, match="there are 2 models, choose one by its name: Cart, Other"):
        hamel.Model.from_file(two)
    assert hamel.Model.from_file(two, model="Other").name == "Other"
    with pytest.raises(hamel.ModelError, match="there is no model `Third`, expected one of Cart, Other"):
        hamel.Model.from_file(two, model="Third")
    rust = tmp_path / "lib.rs"
    rust.write_text("fn main() {}\nhamel::multibody! {" + cart_text + "}\n")
    assert hamel.Model.from_file(rust, level="at_once").name == "Cart"
    robot = tmp_path / "arm.urdf"
    robot.write_text(arm(2).replace('<link name="l0">', '<link name="l0"><visual/>'))
    with pytest.warns(UserWarning, match="arm.urdf:.*`visual` is ignored"):
        model = hamel.Model.from_file(robot, floating=True)
    assert len(model.velocities) == 8
    with pytest.raises(TypeError, match="floating: only descriptions of robots"):
        hamel.Model.from_file(file, floating=True)


@pytest.mark.parametrize(
    "text, message",
    [
        ("model A {\n    planar;\n    body b { mass: 1 kg }\n}", "<text>:3:10: error[H0206]: missing field `inertia` of body `b`"),
        ("model A {\n    body b { mass: 1 kg", "<text>:2:12: error[H0102]: `{` is never closed\nhelp: add `}`"),
        ("", "no `model Name { … }` in `<text>`"),
        ("model A { param x = 1 m + 1 s; }", "<text>:1:"),
    ],
)
def test_mistakes_have_their_place(text, message):
    with pytest.raises(hamel.ModelError) as error:
        hamel.Model.from_text(text)
    assert str(error.value).startswith(message)
    assert isinstance(error.value, ValueError)


def test_mistakes_in_files_have_the_name_of_the_file(tmp_path):
    file = tmp_path / "wrong.model"
    file.write_text("model A {\n    body b { mass: 1 kg, inertia: mas }\n}")
    with pytest.raises(hamel.ModelError) as error:
        hamel.Model.from_file(file)
    assert str(error.value).startswith(f"{file}:2:35: error[H0201]: unknown name `mas`")
    with pytest.raises(hamel.ModelError, match="cannot read `.*missing.model`"):
        hamel.Model.from_file(tmp_path / "missing.model")
    with pytest.raises(hamel.ModelError, match="cannot read `.*missing.urdf`"):
        hamel.Model.from_urdf(tmp_path / "missing.urdf")
    with pytest.raises(hamel.ModelError, match="<urdf>:"):
        hamel.Model.from_urdf("<robot/>")
    wrong = arm(2).replace('ixx="0.05"', 'ixx="x"').replace('<mass value="3.6"/>', '<mass value="y"/>')
    with pytest.raises(hamel.ModelError) as error:
        hamel.Model.from_urdf(wrong)
    first, second = str(error.value).splitlines()
    assert first.startswith("<urdf>:1:") and first.endswith("link `l0`: expected a number in `ixx`, found `x`")
    assert second.endswith("link `l1`: expected a number in `value`, found `y`")


@pytest.mark.filterwarnings("ignore:<urdf>")
def test_impossible_inertias_are_repaired_on_request():
    impossible = arm(2).replace('ixx="0.05"', 'ixx="0.5"')
    with pytest.raises(hamel.ModelError, match="`l0`.*violate the triangle inequality"):
        hamel.Model.from_urdf(impossible)
    with pytest.warns(UserWarning, match="the inertia of `l0` is repaired"):
        hamel.Model.from_urdf(impossible, repair_inertia=True)


@pytest.mark.filterwarnings("ignore:<urdf>")
def test_limits_are_arrays():
    robot = arm(2).replace('lower="-9" upper="9"', '', 1).replace('effort="100"', '', 1)
    limits = hamel.Model.from_urdf(robot, floating=True, provide=[]).limits
    inf = np.inf
    np.testing.assert_array_equal(limits.lower, [-inf] * 8 + [-9])
    np.testing.assert_array_equal(limits.upper, [inf] * 8 + [9])
    np.testing.assert_array_equal(limits.velocity, [inf] * 6 + [10, 10])
    np.testing.assert_array_equal(limits.effort, [inf] * 7 + [100])


def test_robots_in_mjcf(tmp_path):
    text = """<mujoco><worldbody><body name="rod" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05" mass="2"/></body></worldbody>
    <actuator><motor name="drive" joint="hinge" gear="3"/></actuator></mujoco>"""
    model = hamel.Model.from_mjcf(text, provide=["inverse_dynamics"])
    assert (model.coordinates, model.inputs) == (("hinge.angle",), ("drive",))
    np.testing.assert_allclose(model.limits.upper, [np.pi / 2])
    np.testing.assert_allclose(model.inverse_dynamics([0.5], [0.0], [0.0]), [2 * 9.81 * 0.5 * np.sin(0.5)], rtol=1e-14)
    file = tmp_path / "rod.xml"
    file.write_text(text.replace("fromto", "from"))
    with pytest.raises(hamel.ModelError, match="rod.xml:2:52: body `rod`: expected 2 to 3 numbers in `size`, found `0.05`"):
        hamel.Model.from_file(file)


def test_robots_in_sdformat(tmp_path):
    text = """<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0</pose><link name="rod"><inertial><pose>0 0 -0.5 0 0 0</pose>
    <mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.01</izz></inertia></inertial></link>
    @</model></sdf>"""
    joint = """<joint name="hinge" type="revolute"><parent>world</parent><child>rod</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"""
    model = hamel.Model.from_sdf(text.replace("@", joint), provide=["inverse_dynamics"])
    assert model.coordinates == ("hinge.angle",)
    np.testing.assert_allclose(model.limits.upper, [1])
    np.testing.assert_allclose(model.inverse_dynamics([0.5], [0.0], [0.0]), [2 * 9.81 * 0.5 * np.sin(0.5)], rtol=1e-14)
    free = hamel.Model.from_sdf(text.replace("@", ""), floating=True, provide=[])
    assert free.initial_state()[0][2] == 1
    file = tmp_path / "rod.sdf"
    file.write_text(text.replace("@", "<include/>"))
    with pytest.raises(hamel.ModelError, match="rod.sdf:3:5: `include` is not expanded"):
        hamel.Model.from_file(file)


@pytest.mark.filterwarnings("ignore:<urdf>")
def test_numbers_of_robots_become_parameters():
    plain, varied = (hamel.Model.from_urdf(arm(3), parameters=parameters) for parameters in ([], ["all"]))
    assert varied.parameters["l0_mass"] == 4.0 and not plain.parameters
    q, v, a = np.random.default_rng(1).uniform(-3, 3, (3, 3))
    expected = plain.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(varied.inverse_dynamics(q, v, a), expected, rtol=1e-12)
    heavier = hamel.Model.from_urdf(arm(3).replace('<mass value="4.0"/>', '<mass value="4.5"/>'))
    found = varied.with_parameters(l0_mass=4.5).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(found, heavier.inverse_dynamics(q, v, a), rtol=1e-12)
    with pytest.raises(ValueError, match="unknown group `masses`"):
        hamel.Model.from_urdf(arm(2), parameters=["masses"])


def test_levels_and_functions_that_are_not_there_are_named(cart_text):
    with pytest.raises(ValueError, match="unknown level `fast`"):
        hamel.Model.from_text(cart_text, level="fast")
    with pytest.raises(ValueError, match="unknown function `inverse`"):
        hamel.Model.from_urdf(arm(2), provide=["inverse"])


def test_both_levels_compute_the_same(cart_text):
    fast, plain = (hamel.Model.from_text(cart_text, level=level) for level in ("optimised", "at_once"))
    q, v = np.array([0.3]), np.array([0.1])
    np.testing.assert_allclose(fast.forward_dynamics(q, v), plain.acceleration(q, v)[0], rtol=1e-14)


def test_the_cache_gives_the_same_model(tmp_path, monkeypatch, cart_text):
    """In a process of its own, because the folder is asked for once."""
    import subprocess
    import sys
    from pathlib import Path

    program = (
        "import sys, time, hamel\n"
        f"text = {cart_text.replace('2 kg', '2.25 kg')!r}\n"
        "m = hamel.Model.from_text(text)\n"
        "print(float(m.mass_matrix([0.0])[0, 0]))\n"
    )
    environment = {**__import__("os").environ, "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    environment["PYTHONPATH"] = str(Path(hamel.__file__).parent.parent)
    run = lambda: subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)  # noqa: E731
    first = run()
    assert first.stdout == "2.25\n", first.stderr
    entries = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(entries) == 1
    content = entries[0].read_bytes()
    written = entries[0].stat().st_mtime_ns
    assert run().stdout == "2.25\n"
    assert entries[0].stat().st_mtime_ns == written, "it was read, not compiled and written again"
    # Damage is seen, and the model compiled again.
    entries[0].write_bytes(content[:-100] + bytes(100))
    assert run().stdout == "2.25\n"
    assert entries[0].read_bytes() == content


def test_models_are_pickled_as_text(cart):
    copy = pickle.loads(pickle.dumps(cart.with_parameters(mass=3.0)))
    assert copy.parameters["mass"] == 3.0 and copy.parameters.defaults["mass"] == 2.0
    np.testing.assert_array_equal(copy.forward_dynamics([1.0], [0.0]), [-8.0 / 3.0])


def test_models_by_name():
    names = hamel.models.names()
    assert "heavy_top" in names and len(names) > 50 and names == sorted(names)
    assert hamel.models.heavy_top is hamel.models.heavy_top
    assert set(names) <= set(dir(hamel.models))
    with pytest.raises(AttributeError, match="there is no model `no_such_model`"):
        hamel.models.no_such_model


def test_descriptions_show_equations_topology_and_counts(cart):
    description = cart.describe()
    html = description._repr_html_()
    assert "<svg" in html and "<?xml" not in html
    assert all(text in html for text in ("rail.displacement", "stiffness", r"\begin{align*}", "mass_matrix"))
    assert "M_{" in description.latex("mass_matrix") or "M &=" in description.latex("mass_matrix")
    assert "M = mass" in description.equations("mass_matrix")
    assert "fn mass_matrix" in description.rust("mass_matrix")
    assert "forward_dynamics" in description.counts() and "q [1]" in description.shapes()
    assert "Cart" in repr(description)
    assert "<table>" in cart.parameters._repr_html_() and "mass = 2.0 kg" in repr(cart.parameters)
    with pytest.raises(ValueError, match="unknown function `mass`"):
        description.equations("mass")
    with pytest.raises(ValueError, match="unknown function `constraint`"):
        description.equations("constraint")


def test_warnings_of_robots_are_python_warnings():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        hamel.Model.from_urdf(arm(2))
    assert [str(warning.message).split(":")[0] for warning in found] == ["<urdf>"] * len(found) and found
