"""Andrews' squeezing mechanism (`models/src/andrews_squeezer.rs`) as CasADi expressions, integrated by IDA."""

import casadi as cs

import ida
from ida import turned

A, B, C, D = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072), (0.02, -0.018)
OF, FE, BE, GE, AG, HE, AH = 0.007, 0.028, 0.035, 0.02, 0.04, 0.02, 0.04
CENTERS = [(0.00092, 0), (-0.0115, 0), (0.01043, -0.01874), (0, -0.00579), (0.02308, 0.00916), (0.00579, 0),
           (-0.00449, -0.01228)]
MASS = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498]
INERTIA = [2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
STIFFNESS, FREE_LENGTH, TORQUE = 4530.0, 0.07785, 0.033
# beta, Theta, gamma, Phi, delta, Omega, epsilon
START = [-0.06171389001427645, 0, 0.4552798191630704, 0.2226683901658859, 0.4873649795438426, -0.2226683901658859,
         1.230547444549821]
UNTIL = 0.03
# At the end, of the test set for initial value problem solvers.
REFERENCE = [0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1, -0.5347301163226948e0,
             0.5244099658805304e0, 0.5347301163226948e0, 0.1048080741042263e1]


def frames(q):
    """Angles and origins of the bodies K1 to K7."""
    beta, theta, gamma, phi, delta, omega, epsilon = cs.vertsplit(q)
    angles = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]
    f, g, h = turned(beta, (OF, 0)), A + turned(delta, (AG, 0)), A + turned(epsilon, (0, -AH))
    return angles, [cs.DM([0, 0]), f, cs.DM(B), g, cs.DM(A), h, cs.DM(A)]


def equations():
    """Differential and algebraic right sides of x = (q, v), z = (a, lambda)."""
    q, v = cs.SX.sym("q", 7), cs.SX.sym("v", 7)
    angles, origins = frames(q)
    at = [lambda point, angle=angle, origin=origin: origin + turned(angle, point)
          for angle, origin in zip(angles, origins)]
    e = at[1]((-FE, 0))
    constraints = cs.vertcat(*[e - other for other in [at[2]((0, -BE)), at[3]((0, -GE)), at[5]((HE, 0))]])
    centers = [place(center) for place, center in zip(at, CENTERS)]
    kinetic = ida.kinetic_energy(q, v, zip(angles, centers, MASS, INERTIA))
    spring = cs.norm_2(at[2](D) - cs.DM(C)) - FREE_LENGTH
    force = cs.vertcat(TORQUE, cs.SX.zeros(6))
    return ida.index_one(q, v, kinetic, STIFFNESS * spring**2 / 2, force, constraints)


def integrator(tolerance, is_compiled):
    """The motion as a function without arguments, which gives the angles at the end."""
    dae = equations()
    return ida.Motion(dae, [*START, *[0] * 7], UNTIL, dae["x"][:7], tolerance, is_compiled)
