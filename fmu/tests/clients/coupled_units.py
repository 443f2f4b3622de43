"""Couples two units by FMPy, a slider-crank and its speed controller, and compares with the model of both.

    coupled_units.py HAMEL       HAMEL is the program

Each unit goes on by itself for a communication step, with what the other gave at its beginning: the error shrinks with
the first power of that step. With values of the end, by going back and repeating the step until they agree, and the mean
of both ends as input, it would be the second power, which the last table shows with one repetition. The script ends with
1 if an order is not that of theory.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.fmi3 import FMU3Slave

MECHANISM = """
    gravity [0, -9.81] m/s^2;
    body crank { mass: 2 kg, inertia: 0.05 kg m^2 }
    body rod { mass: 1 kg, inertia: 0.02 kg m^2 }
    body slider { mass: 1.5 kg, inertia: 0.01 kg m^2 }
    joint pivot: revolute(ground, crank at [-0.1, 0] m);
    joint pin: revolute(crank at [0.1, 0] m, rod at [-0.4, 0] m);
    joint wrist: revolute(rod at [0.4, 0] m, slider);
    joint guide: prismatic(ground, slider);
"""
LAW = "4 N m s * (10 rad/s - {speed}) + 4 N m s * lag"
LAG = "state lag rad/s: (10 rad/s - {speed} - lag) / 0.1 s;"
HEAD = "model {name} {{\n    planar;\n    coordinates joint;\n"

WHOLE = (
    HEAD.format(name="Whole")
    + MECHANISM
    + LAG.format(speed="pivot.velocity")
    + f"torque motor: {LAW.format(speed='pivot.velocity')} on crank;\noutput speed = pivot.velocity;\n}}"
)
DRIVE = (
    HEAD.format(name="Drive")
    + "input torque N m;\n"
    + MECHANISM
    + "torque motor: torque on crank;\noutput speed = pivot.velocity;\n}"
)
CONTROLLER = (
    HEAD.format(name="Controller")
    + "input speed rad/s;\nbody board { mass: 1 kg, inertia: 1 kg m^2 }\njoint held: fixed(ground, board);\n"
    + LAG.format(speed="speed")
    + f"output torque_asked = {LAW.format(speed='speed')};\n}}"
)
UNTIL = 0.5
STEPS = 25, 50, 100, 200


class Unit:
    """An instance for co-simulation."""

    def __init__(self, program, folder, name, text):
        path, unit = folder / f"{name}.model", folder / f"{name}.fmu"
        path.write_text(text)
        options = ["--kind", "cs", "--scheme", "esdirk436", "--adaptive", "1e-11"]
        done = subprocess.run([program, "export", "fmu", path, "--out", unit, *options], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        self.folder = fmpy.extract(str(unit))
        self.description = fmpy.read_model_description(self.folder)
        self.references = {variable.name: variable.valueReference for variable in self.description.modelVariables}

    def start(self, **inputs):
        self.fmu = FMU3Slave(
            guid=self.description.guid,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
            unzipDirectory=self.folder,
        )
        self.fmu.instantiate()
        self.fmu.enterInitializationMode(startTime=0.0)
        for name, value in inputs.items():
            self.set(name, value)
        self.fmu.exitInitializationMode()

    def get(self, name):
        return self.fmu.getFloat64([self.references[name]])[0]

    def set(self, name, value):
        self.fmu.setFloat64([self.references[name]], [value])

    def step(self, t, h):
        self.fmu.doStep(t, h)

    def end(self):
        self.fmu.terminate()
        self.fmu.freeInstance()


def coupled(drive, controller, count, repeats):
    """The angle of the crank at the end."""
    speed = 0.0
    controller.start(speed=speed)
    torque = controller.get("torque_asked")
    drive.start(torque=torque)
    h = UNTIL / count
    for k in range(count):
        states = [unit.fmu.getFMUState() for unit in (drive, controller)] if repeats else []
        ends = speed, torque
        for repeat in range(repeats + 1):
            if repeat:
                for unit, state in zip((drive, controller), states):
                    unit.fmu.setFMUState(state)
            # Held over the step: the value of its beginning, or the mean of both ends once there is one.
            drive.set("torque", (torque + ends[1]) / 2)
            controller.set("speed", (speed + ends[0]) / 2)
            drive.step(k * h, h)
            controller.step(k * h, h)
            ends = [drive.get("speed"), None]
            controller.set("speed", ends[0])
            ends[1] = controller.get("torque_asked")
        speed, torque = ends
        for unit, state in zip((drive, controller), states):
            unit.fmu.freeFMUState(state)
    angle = drive.get("pivot.angle")
    drive.end()
    controller.end()
    return angle


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        whole = Unit(program, folder, "whole", WHOLE)
        whole.start()
        whole.step(0.0, UNTIL)
        exact = whole.get("pivot.angle")
        whole.end()
        drive = Unit(program, folder, "drive", DRIVE)
        controller = Unit(program, folder, "controller", CONTROLLER)
        wrong = False
        for repeats, order in (0, 1), (1, 2):
            errors = [abs(coupled(drive, controller, count, repeats) - exact) for count in STEPS]
            found = [math.log2(a / b) for a, b in zip(errors, errors[1:])]
            print(f"{repeats} repetitions: errors", *(f"{error:.2e}" for error in errors), "rad, orders", *(f"{p:.2f}" for p in found))
            wrong |= not abs(found[-1] - order) < 0.1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
