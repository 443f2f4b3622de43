"""Mechanisms of `models` and `benches/chains.rs` in Exudyn, with the generalized-alpha scheme."""

import itertools
import sys

sys.exudynFast = True  # the module without range checks

import casadi as cs  # noqa: E402
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.beams import GenerateStraightLineANCFCable  # noqa: E402

import andrews  # noqa: E402

SPECTRAL_RADIUS = 0.8
# Of Newton's method. Its default of 1e-8 is below the rounding of a stiff beam's residuals, and steps would be divided.
TOLERANCE = 1e-6
GRAVITY = 9.81
POSITION = exu.OutputVariableType.Position
# Of both together coordinates are the sum.
CURRENT = [exu.ConfigurationType.Current, exu.ConfigurationType.Reference]
# Of these each motion takes the fastest.
LINEAR_SOLVERS = {"dense": exu.LinearSolverType.EXUdense, "sparse": exu.LinearSolverType.EigenSparse}
NEWTON = {"full Newton": False, "modified Newton": True}


class Motion:
    """A motion as a function without arguments, which gives what `build` measures at the end."""

    def __init__(self, build, step, until, solver, is_modified, tolerance, divides):
        self.system, self.steps = exu.SystemContainer().AddSystem(), round(until / step)
        self.measure = build(self.system)
        self.system.Assemble()
        self.settings = exu.SimulationSettings()
        self.settings.linearSolverType = solver
        self.settings.solution.file.write = False
        integration = self.settings.timeIntegration
        integration.numberOfSteps, integration.endTime = self.steps, until
        integration.verboseMode = 0
        # Whether a step that fails is divided, or the motion ends.
        integration.adaptiveStep = divides
        integration.newton.useModifiedNewton = is_modified
        integration.newton.relativeTolerance = integration.newton.absoluteTolerance = tolerance
        integration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS

    def __call__(self):
        # Begins at the initial state, whatever was run before.
        if not self.system.SolveDynamic(self.settings):
            raise RuntimeError("Exudyn did not reach the end")
        return self.measure()

    def counts(self):
        """Steps, Newton iterations and factorizations of the last run."""
        iteration = self.system.sys["dynamicSolver"].it
        return self.steps, iteration.newtonStepsCount, iteration.newtonJacobiCount


def variants(build, step, until, tolerance=TOLERANCE, divides=True):
    """Motions by the names of their settings."""
    for (solver, kind), (newton, is_modified) in itertools.product(LINEAR_SOLVERS.items(), NEWTON.items()):
        yield f"{newton}, {solver}", Motion(build, step, until, kind, is_modified, tolerance, divides)


def add_gravity(system, body, direction):
    marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[GRAVITY * x for x in direction]))


def rigid(system, body, place):
    return system.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=list(place)))


def rotation(turn):
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s], [s, c]])


def position(system, node):
    return lambda: system.GetNodeOutput(node, POSITION)


def planar_body(system, mass, inertia, place, rates=(0, 0, 0)):
    """A body in the plane by its centre and its angle: its node and itself."""
    node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=list(place), initialVelocities=list(rates)))
    return node, system.AddObject(items.ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))


def planar_marker(system, body, place):
    """A point of a body, by its distance from the centre in axes of the body."""
    return system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[*place, 0]))


def hinge(system, *markers):
    system.AddObject(items.RevoluteJoint2D(markerNumbers=list(markers)))


def hold(system, node, coordinate):
    """Keeps a coordinate of a node where it is."""
    ground = system.AddNode(items.NodePointGround())
    markers = [system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=number, coordinate=place))
               for number, place in [(ground, 0), (node, coordinate)]]
    system.AddObject(items.CoordinateConstraint(markerNumbers=markers))


def angle(system, node):
    """The angle of a body in the plane."""
    return sum(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates, configuration)[2] for configuration in CURRENT)


# Andrews' squeezing mechanism.

def andrews_squeezer(system):
    """All bodies by places and angles; all joints are constraints."""
    angles, origins = ([np.array(cs.DM(value)).ravel() for value in values]
                       for values in andrews.frames(cs.DM(andrews.START)))
    angles = [float(value[0]) for value in angles]
    nodes, bodies = zip(*(
        planar_body(system, mass, inertia, [*(origin + rotation(turn) @ center), turn])
        for turn, origin, center, mass, inertia
        in zip(angles, origins, andrews.CENTERS, andrews.MASS, andrews.INERTIA)))
    ground = system.AddObject(items.ObjectGround())

    def at(k, place):
        return planar_marker(system, bodies[k], np.array(place) - andrews.CENTERS[k])

    def fixed(place):
        return planar_marker(system, ground, place)
    a, b, k1, k2, k3, k4, k5, k6, k7 = andrews.A, andrews.B, *range(7)
    for first, second in [
        (fixed((0, 0)), at(k1, (0, 0))), (fixed(b), at(k3, (0, 0))), (fixed(a), at(k5, (0, 0))), (fixed(a), at(k7, (0, 0))),
        (at(k1, (andrews.OF, 0)), at(k2, (0, 0))), (at(k5, (andrews.AG, 0)), at(k4, (0, 0))),
        (at(k7, (0, -andrews.AH)), at(k6, (0, 0))),
        *((at(k2, (-andrews.FE, 0)), other)
          for other in [at(k3, (0, -andrews.BE)), at(k4, (0, -andrews.GE)), at(k6, (andrews.HE, 0))]),
    ]:
        hinge(system, first, second)
    system.AddObject(items.ObjectConnectorSpringDamper(
        markerNumbers=[fixed(andrews.C), at(k3, andrews.D)], stiffness=andrews.STIFFNESS,
        referenceLength=andrews.FREE_LENGTH))
    motor = system.AddMarker(items.MarkerBodyRigid(bodyNumber=bodies[k1]))
    system.AddLoad(items.LoadTorqueVector(markerNumber=motor, loadVector=[0, 0, andrews.TORQUE]))

    def measure():
        of = [angle(system, node) for node in nodes]
        return np.array([of[k1], of[k2] - of[k1], of[k3], of[k4] - of[k5], of[k5], of[k6] - of[k7], of[k7]])
    return measure


# Slider-crank.

CRANK_LENGTH, ROD_LENGTH = 0.153, 0.306
CRANK_MASSES, CRANK_INERTIAS = [0.038, 0.038, 0.076], [7.4e-5, 5.9e-4, 2.7e-6]
# Of the three angles at first, at which crank and rod lie in line with the guide.
CRANK_RATES = np.array([150.0, -150.0 * CRANK_LENGTH / ROD_LENGTH, 0.0])


def slider_crank(system):
    """All bodies by places and angles; two coordinates of the slider are held."""
    half = np.array([CRANK_LENGTH, ROD_LENGTH]) / 2
    places = [half[0], CRANK_LENGTH + half[1], CRANK_LENGTH + ROD_LENGTH]
    speeds = [half[0] * CRANK_RATES[0], half[1] * -CRANK_RATES[1], 0.0]
    nodes, bodies = zip(*(
        planar_body(system, mass, inertia, [place, 0, 0], [0, speed, rate]) for mass, inertia, place, speed, rate
        in zip(CRANK_MASSES, CRANK_INERTIAS, places, speeds, CRANK_RATES)))
    before = planar_marker(system, system.AddObject(items.ObjectGround()), [0, 0])
    for body, reach in zip(bodies, [*half, 0.0]):
        add_gravity(system, body, [0, -1, 0])
        hinge(system, before, planar_marker(system, body, [-reach, 0]))
        before = planar_marker(system, body, [reach, 0])
    for coordinate in [1, 2]:
        hold(system, nodes[2], coordinate)
    return lambda: np.array([angle(system, node) for node in nodes[:2]])


# Two four-bars on common cranks, of unit lengths and masses: centre and angle, and their rates, of cranks and couplers.

FOUR_BARS = [*(((k, 0.5, np.pi / 2), (0.5, 0, -1)) for k in range(3)), *(((k + 0.5, 1, 0), (1, 0, 0)) for k in range(2))]


def four_bars(system):
    nodes, bodies = zip(*(planar_body(system, 1, 1 / 12, place, rates) for place, rates in FOUR_BARS))
    ground = system.AddObject(items.ObjectGround())
    cranks, couplers = bodies[:3], bodies[3:]
    for body in bodies:
        add_gravity(system, body, [0, -1, 0])
    for k, crank in enumerate(cranks):
        hinge(system, planar_marker(system, ground, [k, 0]), planar_marker(system, crank, [-0.5, 0]))
    for k, coupler in enumerate(couplers):
        for crank, side in [(cranks[k], -0.5), (cranks[k + 1], 0.5)]:
            hinge(system, planar_marker(system, crank, [0.5, 0]), planar_marker(system, coupler, [side, 0]))
    return lambda: system.GetObjectOutputBody(cranks[0], POSITION, localPosition=[0.5, 0, 0])[:2]


# Heavy top.

TOP_MASS, TOP_INERTIA = 15.0, np.array([0.234375, 0.46875, 0.234375])
TOP_RATE = np.array([0.0, 150.0, -4.61538])
TOP_CENTER = np.array([0.0, 1.0, 0.0])


def top_node(system, is_lie, place, velocity):
    if is_lie:
        return system.AddNode(items.NodeRigidBodyRotVecLG(
            referenceCoordinates=[*place, 0, 0, 0], initialVelocities=[*velocity, *TOP_RATE]))
    # The rates of Euler parameters at a rotation of zero are half the angular velocity.
    return system.AddNode(items.NodeRigidBodyEP(
        referenceCoordinates=[*place, 1, 0, 0, 0], initialVelocities=[*velocity, 0, *(TOP_RATE / 2)]))


def top(is_lie):
    def build(system):
        node = top_node(system, is_lie, TOP_CENTER, np.cross(TOP_RATE, TOP_CENTER))
        body = system.AddObject(items.ObjectRigidBody(mass=TOP_MASS, inertia=[*TOP_INERTIA, 0, 0, 0], nodeNumber=node))
        ground = system.AddObject(items.ObjectGround())
        markers = [rigid(system, ground, [0, 0, 0]), rigid(system, body, -TOP_CENTER)]
        system.AddObject(items.SphericalJoint(markerNumbers=markers))
        add_gravity(system, body, [0, 0, -1])
        return position(system, node)
    return build


def top_without_translation(system):
    """The rotation about the tip as that of a free body on which weight acts as a couple."""
    node = top_node(system, True, [0, 0, 0], [0, 0, 0])
    about_tip = TOP_INERTIA + TOP_MASS * np.array([1, 0, 1])
    body = system.AddObject(items.ObjectRigidBody(mass=TOP_MASS, inertia=[*about_tip, 0, 0, 0], nodeNumber=node))
    center = rigid(system, body, TOP_CENTER)
    for marker, sign in [(center, -1), (rigid(system, body, [0, 0, 0]), 1)]:
        weight = [0, 0, sign * TOP_MASS * GRAVITY]
        system.AddLoad(items.LoadForceVector(markerNumber=marker, loadVector=weight))
    return lambda: system.GetObjectOutputBody(body, POSITION, localPosition=list(TOP_CENTER))


# V8 crank drive.

THROW, ROD, ROD_CENTER, BANKS, OFFSETS = 0.04, 0.15, 0.045, np.radians([135, 45]), [-0.011, 0.011]
THROWS = list(zip(np.radians([0, 90, 270, 180]), [-0.15, -0.05, 0.05, 0.15]))
TORQUE = 10.0


# Directions of bore and throw.
V8_CYLINDERS = [(bank, throw) for bank in BANKS for throw, _ in THROWS]


def rotation_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def v8(system):
    """At rest, driven by a constant torque."""
    def body(mass, inertia, place, angle):
        parameters = [np.cos(angle / 2), np.sin(angle / 2), 0, 0]
        node = system.AddNode(items.NodeRigidBodyEP(referenceCoordinates=[*place, *parameters]))
        return node, system.AddObject(items.ObjectRigidBody(mass=mass, inertia=[*inertia, 0, 0, 0], nodeNumber=node))

    def joint(markers, axes, rotations=(np.eye(3), np.eye(3))):
        system.AddObject(items.GenericJoint(markerNumbers=markers, constrainedAxes=axes, rotationMarker0=rotations[0],
                                            rotationMarker1=rotations[1]))

    ground = system.AddObject(items.ObjectGround())
    node, crankshaft = body(22.0, [0.2, 0.45, 0.45], [0, 0, 0], 0)
    joint([rigid(system, ground, [0, 0, 0]), rigid(system, crankshaft, [0, 0, 0])], [1, 1, 1, 0, 1, 1])
    drive = rigid(system, crankshaft, [0, 0, 0])
    system.AddLoad(items.LoadTorqueVector(markerNumber=drive, loadVector=[TORQUE, 0, 0]))
    # The z axes of markers stand along x of the bodies, so that pins turn and slide in it.
    along_x = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    for (bank, offset), (throw, x) in itertools.product(zip(BANKS, OFFSETS), THROWS):
        pin = np.array([x, THROW * np.cos(throw), THROW * np.sin(throw)])
        along, across = np.array([0, np.cos(bank), np.sin(bank)]), np.array([0, -np.sin(bank), np.cos(bank)])
        height = pin @ along + np.sqrt(ROD**2 - (pin @ across) ** 2)
        top_end = np.array([x + offset, 0, 0]) + height * along
        # Rods meet the pins of the crankshaft where their planes stand.
        foot = np.array([x + offset, pin[1], pin[2]])
        direction = (top_end - foot) / ROD
        angle = np.arctan2(-direction[1], direction[2])
        _, rod = body(0.55, [1.8e-3, 1.8e-3, 2e-4], foot + ROD_CENTER * direction, angle)
        _, piston = body(0.45, [4e-4, 4e-4, 3.6e-4], top_end, bank - np.pi / 2)
        joint([rigid(system, crankshaft, pin), rigid(system, rod, [0, 0, -ROD_CENTER])], [1, 1, 0, 1, 1, 0],
              (along_x, along_x))
        joint([rigid(system, rod, [0, 0, ROD - ROD_CENTER]), rigid(system, piston, [0, 0, 0])], [1, 1, 1, 0, 0, 1])
        bore = rotation_x(bank - np.pi / 2)
        joint([rigid(system, ground, [x + offset, 0, 0]), rigid(system, piston, [0, 0, 0])], [1, 1, 0, 1, 1, 0],
              (bore, np.eye(3)))
    # A turn of the crankshaft about x in Euler parameters.
    return lambda: sum(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates, configuration)[3:5]
                       for configuration in CURRENT)


# Chain of links on hinges, by positions and angles of all links.

def planar_chain(count, length=0.1, mass=0.05):
    def build(system):
        before, nodes = planar_marker(system, system.AddObject(items.ObjectGround()), [0, 0]), []
        for k in range(count):
            node, link = planar_body(system, mass, mass * length**2 / 12, [(k + 0.5) * length, 0, 0])
            add_gravity(system, link, [0, -1, 0])
            hinge(system, before, planar_marker(system, link, [-length / 2, 0]))
            before = planar_marker(system, link, [length / 2, 0])
            nodes.append(node)
        return lambda: [angle(system, node) for node in nodes[:3]]
    return build


# Cantilever of geometrically exact elements.

BEAM_LENGTH, BEAM_MASS, BEAM_INERTIA = 1.6, 11.64, 0.01317
BEAM_BENDING, BEAM_AXIAL, BEAM_SHEAR = 354.5e3, 313.4e6, 60.5e6


def planar_beam(count, length=BEAM_LENGTH):
    """Elements of three nodes in the plane of the motion; with those in space Exudyn divides steps and takes 10 ms each."""
    def build(system):
        nodes = [system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[k * length / (2 * count), 0, 0]))
                 for k in range(2 * count + 1)]
        for k in range(count):
            element = system.AddObject(items.ObjectBeamGeometricallyExact2D(
                nodeNumbers=nodes[2 * k:2 * k + 3], length=length / count, massPerLength=BEAM_MASS,
                crossSectionInertia=BEAM_INERTIA, bendingStiffness=BEAM_BENDING, axialStiffness=BEAM_AXIAL,
                shearStiffness=BEAM_SHEAR))
            add_gravity(system, element, [0, -1, 0])
        for coordinate in range(3):
            hold(system, nodes[0], coordinate)
        return lambda: position(system, nodes[-1])()[1:2]
    return build


def cable(nodes, length=BEAM_LENGTH):
    """As many nodes in space with as many coordinates as ours; its elements know no shear and no rotary inertia."""
    def build(system):
        template = items.ObjectANCFCable(massPerLength=BEAM_MASS, bendingStiffness=BEAM_BENDING,
                                     axialStiffness=BEAM_AXIAL)
        made = GenerateStraightLineANCFCable(
            system, [0, 0, 0], [length, 0, 0], nodes - 1, template, massProportionalLoad=[0, 0, -GRAVITY],
            fixedConstraintsNode0=[1, 1, 1, 0, 1, 1])
        return lambda: position(system, made[0][-1])()[2:]
    return build
