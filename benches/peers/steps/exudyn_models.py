"""Mechanisms of `models` and `benches/chains.rs` in Exudyn, with the generalized-alpha scheme."""

import itertools
import sys

sys.exudynFast = True  # the module without range checks

import exudyn as exu  # noqa: E402
import exudyn.itemInterface as items  # noqa: E402
import numpy as np  # noqa: E402
from exudyn.beams import GenerateStraightLineANCFCable  # noqa: E402

SPECTRAL_RADIUS = 0.8
TOLERANCE = 1e-6
GRAVITY = 9.81
POSITION = exu.OutputVariableType.Position
# Of these each motion takes the fastest.
LINEAR_SOLVERS = {"dense": exu.LinearSolverType.EXUdense, "sparse": exu.LinearSolverType.EigenSparse}
NEWTON = {"full Newton": False, "modified Newton": True}


def variants(build, step, until):
    """Functions that run the motion, by the names of their settings; each returns what `build` measures at the end."""
    for (solver, kind), (newton, is_modified) in itertools.product(LINEAR_SOLVERS.items(), NEWTON.items()):
        yield f"{newton}, {solver}", lambda kind=kind, is_modified=is_modified: run(build, step, until, kind, is_modified)


def run(build, step, until, solver, is_modified):
    system = exu.SystemContainer().AddSystem()
    measure = build(system)
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.linearSolverType = solver
    settings.solution.file.write = False
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = round(until / step), until
    integration.verboseMode = 0
    integration.newton.useModifiedNewton = is_modified
    # Its default of 1e-8 is below the rounding of a stiff beam's residuals, and steps would be divided.
    integration.newton.relativeTolerance = integration.newton.absoluteTolerance = TOLERANCE
    integration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    if not system.SolveDynamic(settings):
        raise RuntimeError("Exudyn did not reach the end")
    return measure()


def add_gravity(system, body, direction):
    marker = system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    system.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=[GRAVITY * x for x in direction]))


def rigid(system, body, place):
    return system.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localPosition=list(place)))


def position(system, node):
    return lambda: system.GetNodeOutput(node, POSITION)


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
    return lambda: system.GetNodeOutput(node, exu.OutputVariableType.AngularVelocity)[:1]


# Chain of links on hinges, by positions and angles of all links.

def planar_chain(count, length=0.1, mass=0.05):
    def build(system):
        def marker(body, x):
            return system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0, 0]))

        before, nodes = marker(system.AddObject(items.ObjectGround()), 0), []
        for k in range(count):
            node = system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[(k + 0.5) * length, 0, 0]))
            link = system.AddObject(items.ObjectRigidBody2D(mass=mass, inertia=mass * length**2 / 12, nodeNumber=node))
            add_gravity(system, link, [0, -1, 0])
            system.AddObject(items.RevoluteJoint2D(markerNumbers=[before, marker(link, -length / 2)]))
            before = marker(link, length / 2)
            nodes.append(node)
        return lambda: [system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[2] for node in nodes[:3]]
    return build


# Cantilever of geometrically exact elements.

def planar_beam(count, length=1.6):
    """Elements of three nodes in the plane of the motion; with those in space Exudyn divides steps and takes 10 ms each."""
    def build(system):
        nodes = [system.AddNode(items.NodeRigidBody2D(referenceCoordinates=[k * length / (2 * count), 0, 0]))
                 for k in range(2 * count + 1)]
        for k in range(count):
            element = system.AddObject(items.ObjectBeamGeometricallyExact2D(
                nodeNumbers=nodes[2 * k:2 * k + 3], length=length / count, massPerLength=11.64,
                crossSectionInertia=0.01317, bendingStiffness=354.5e3, axialStiffness=313.4e6, shearStiffness=60.5e6))
            add_gravity(system, element, [0, -1, 0])
        for coordinate in range(3):
            ground = system.AddNode(items.NodePointGround())
            markers = [system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=place))
                       for node, place in [(ground, 0), (nodes[0], coordinate)]]
            system.AddObject(items.CoordinateConstraint(markerNumbers=markers))
        return lambda: position(system, nodes[-1])()[1:2]
    return build


def cable(nodes, length=1.6):
    """As many nodes in space with as many coordinates as ours; its elements know no shear and no rotary inertia."""
    def build(system):
        template = items.ObjectANCFCable(massPerLength=11.64, bendingStiffness=354.5e3, axialStiffness=313.4e6)
        made = GenerateStraightLineANCFCable(
            system, [0, 0, 0], [length, 0, 0], nodes - 1, template, massProportionalLoad=[0, 0, -GRAVITY],
            fixedConstraintsNode0=[1, 1, 1, 0, 1, 1])
        return lambda: position(system, made[0][-1])()[2:]
    return build
