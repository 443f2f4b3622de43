"""Andrews' squeezing mechanism (`models/src/andrews_squeezer.rs`) as CasADi expressions, integrated by IDA.

Accelerations and multipliers are algebraic unknowns of index 1: M a + h = f + G^T lambda, and the constraints
differentiated twice.
"""

import casadi as cs

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


def turned(angle, point):
    c, s = cs.cos(angle), cs.sin(angle)
    return cs.vertcat(c * point[0] - s * point[1], s * point[0] + c * point[1])


def equations():
    """Differential and algebraic right sides of x = (q, v), z = (a, lambda)."""
    q, v, a, multipliers = cs.SX.sym("q", 7), cs.SX.sym("v", 7), cs.SX.sym("a", 7), cs.SX.sym("lambda", 6)
    beta, theta, gamma, phi, delta, omega, epsilon = cs.vertsplit(q)
    angles = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]
    f, g, h = turned(beta, (OF, 0)), A + turned(delta, (AG, 0)), A + turned(epsilon, (0, -AH))
    origins = [(0, 0), f, cs.DM(B), g, cs.DM(A), h, cs.DM(A)]
    e = f + turned(angles[1], (-FE, 0))
    others = [B + turned(gamma, (0, -BE)), g + turned(angles[3], (0, -GE)), h + turned(angles[5], (HE, 0))]
    constraints = cs.vertcat(*[e - other for other in others])
    kinetic = 0
    for angle, origin, center, mass, inertia in zip(angles, origins, CENTERS, MASS, INERTIA):
        velocity = cs.jtimes(origin + turned(angle, center), q, v)
        kinetic += mass * cs.sumsqr(velocity) / 2 + inertia * cs.jtimes(angle, q, v) ** 2 / 2
    spring = cs.norm_2(B + turned(gamma, D) - cs.DM(C)) - FREE_LENGTH
    momentum = cs.gradient(kinetic, v)
    mass_matrix, jacobian = cs.jacobian(momentum, v), cs.jacobian(constraints, q)
    force = cs.gradient(kinetic - STIFFNESS * spring ** 2 / 2, q) + cs.vertcat(TORQUE, cs.SX.zeros(6))
    balance = mass_matrix @ a + cs.jtimes(momentum, q, v) - force - jacobian.T @ multipliers
    rates = cs.jtimes(cs.jtimes(constraints, q, v), q, v)
    return {"x": cs.vertcat(q, v), "z": cs.vertcat(a, multipliers), "ode": cs.vertcat(v, a),
            "alg": cs.vertcat(balance, jacobian @ a + rates)}


def integrator(tolerance, is_compiled):
    """The motion as a function without arguments, which gives the angles at the end; CasADi interprets what is not compiled."""
    options = {"abstol": tolerance, "reltol": tolerance, "max_num_steps": 10**6, "jit": is_compiled, "compiler": "shell",
               "jit_options": {"compiler": "gcc", "flags": ["-O3", "-march=native"]}}
    dae = equations()
    # Consistent accelerations and multipliers of the start are a linear system.
    residual = cs.Function("residual", [dae["x"], dae["z"]], [dae["alg"], cs.jacobian(dae["alg"], dae["z"])])
    start = cs.vertcat(START, [0] * 7)
    value, matrix = residual(start, cs.DM.zeros(13))
    z = -cs.solve(matrix, value)
    function = cs.integrator("andrews", "idas", {name: cs.cse(value) for name, value in dae.items()}, 0, UNTIL, options)
    return lambda: function(x0=start, z0=z)["xf"].full().ravel()[:7]
