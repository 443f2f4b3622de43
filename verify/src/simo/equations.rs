//! The equations of a body in water, and where their printed form cannot be meant. [simo, Sects. 1-3]
//!
//! Blocks are those of the chapter: B of the body, A of the added mass, both about the origin, vectors in body axes.

use hamel::scheme::StepError;
use hamel_compiler::expr::{ExprId, Graph};
use hamel_compiler::spatial::{
    Matrix3, Vector3, add, apply, apply_transposed, cross, dot, identity, multiply, neg, sub, transpose, zero,
};
use hamel_report::Report;

use crate::ship::coriolis;
use crate::symbolic::{
    Proofs, added, angular_velocity, angular_velocity_map, combine, matrix_rate, rates, scaled, skew, sum, zyx,
};

/// Blocks 11, 12; 21, 22.
type Blocks = [[Matrix3; 2]; 2];

/// A body and how it moves, in symbols.
struct Body {
    v: Vector3,
    w: Vector3,
    /// Rates of their components in body axes, v′ and ω′.
    v_rate: Vector3,
    w_rate: Vector3,
    m: ExprId,
    centre: Vector3,
    inertia: Matrix3,
    body: Blocks,
    added: Blocks,
    current: Vector3,
}

impl Body {
    fn new(proofs: &mut Proofs) -> Self {
        let (v, w) = (proofs.symbols(["u", "v", "w"]), proofs.symbols(["p", "q", "r"]));
        let (v_rate, w_rate) =
            (proofs.symbols(["u_rate", "v_rate", "w_rate"]), proofs.symbols(["p_rate", "q_rate", "r_rate"]));
        let (m, centre) = (proofs.symbol("m"), proofs.symbols(["x_c", "y_c", "z_c"]));
        let inertia = proofs.symmetric(["I11", "I22", "I33", "I12", "I13", "I23"]);
        let a11 = proofs.symmetric(["A11", "A22", "A33", "A12", "A13", "A23"]);
        let a22 = proofs.symmetric(["A44", "A55", "A66", "A45", "A46", "A56"]);
        let a12 = [["A14", "A15", "A16"], ["A24", "A25", "A26"], ["A34", "A35", "A36"]].map(|row| proofs.symbols(row));
        let current = proofs.symbols(["U1", "U2", "U3"]);
        let graph = &mut proofs.graph;
        let (unit, of_centre) = (identity(graph), skew(graph, centre));
        let (b11, b21) = (scaled(graph, m, &unit), scaled(graph, m, &of_centre));
        let body = [[b11, transpose(&b21)], [b21, inertia]];
        Self { v, w, v_rate, w_rate, m, centre, inertia, body, added: [[a11, a12], [transpose(&a12), a22]], current }
    }

    /// Momenta P and L.
    fn momenta(graph: &mut Graph, [[a, b], [c, d]]: &Blocks, v: Vector3, w: Vector3) -> [Vector3; 2] {
        [combine(graph, (a, v), (b, w)), combine(graph, (c, v), (d, w))]
    }

    /// `V₁₁ v′ + V₁₂ ω′ + ω̃ × P̃` and `V₂₁ v′ + V₂₂ ω′ + ω̃ × L̃ + ṽ × P̃`. [simo, Eqs. 8, 13]
    fn forces(
        graph: &mut Graph,
        blocks: &Blocks,
        (v_rate, w_rate): (Vector3, Vector3),
        (v, w): (Vector3, Vector3),
        [linear, angular]: [Vector3; 2],
    ) -> [Vector3; 2] {
        let [push, turn] = Self::momenta(graph, blocks, v_rate, w_rate);
        let (around, about, along) = (cross(graph, w, linear), cross(graph, w, angular), cross(graph, v, linear));
        [add(graph, push, around), sum(graph, &[turn, about, along])]
    }

    /// Rates of v and ω in body axes.
    fn moving(&self) -> Vec<(ExprId, ExprId)> {
        let pairs = self.v.into_iter().zip(self.v_rate).chain(self.w.into_iter().zip(self.w_rate));
        pairs.collect()
    }
}

/// Sect. 1: momenta, equations of motion, added mass.
pub(super) fn kinetics() -> Result<Report, StepError> {
    let mut proofs = Proofs::default();
    let body = Body::new(&mut proofs);
    let Body { v, w, v_rate, w_rate, m, centre, .. } = body;
    let moving = body.moving();

    // Momenta about the origin.
    let graph = &mut proofs.graph;
    let around = cross(graph, w, centre);
    let velocity = add(graph, v, around);
    let linear = velocity.map(|v| graph.mul(m, v));
    let (spin, lever) = (apply(graph, &body.inertia, w), cross(graph, centre, v));
    let lever = lever.map(|x| graph.mul(m, x));
    let angular = add(graph, spin, lever);
    let [p, l] = Body::momenta(graph, &body.body, v, w);
    let unscaled = skew(graph, centre);
    let printed = combine(graph, (&unscaled, v), (&body.inertia, w));
    proofs.equal("momenta of the body", "P_B = B₁₁ v + B₁₂ ω", &linear, &p);
    proofs.equal("momenta of the body", "L_B = m R v + B₂₂ ω", &angular, &l);
    proofs.differs(
        ("block B₂₁", "L_B with B₂₁ = R"),
        ("B₂₁ = R", "B₂₁ v must be m r_c × v, and B symmetric: B₂₁ = m R."),
        &angular,
        &printed,
    );

    // Newton and Euler in ground axes give Eqs. 3 and 8: the origin moves, hence v × P.
    let angles = proofs.symbols(["phi", "theta", "psi"]);
    let changes = proofs.symbols(["phi_dot", "theta_dot", "psi_dot"]);
    let position = proofs.symbols(["x", "y", "z"]);
    let graph = &mut proofs.graph;
    let rotation = zyx(graph, angles);
    let omega = angular_velocity(graph, angles, changes);
    let in_ground = apply(graph, &rotation, v);
    let mut all = moving.clone();
    all.extend(angles.into_iter().zip(changes).chain(position.into_iter().zip(in_ground)));
    let [linear_ground, angular_ground] = [p, l].map(|x| apply(graph, &rotation, x));
    let arm = cross(graph, position, linear_ground);
    let about_ground = add(graph, angular_ground, arm);
    let [force, torque] = [linear_ground, about_ground].map(|x| rates(graph, x, &all));
    let arm = cross(graph, position, force);
    let torque = sub(graph, torque, arm);
    let left = [force, torque].map(|x| apply_transposed(graph, &rotation, x)).concat();
    let momenta = [p, l];
    let [linear_rate, angular_rate] = momenta.map(|x| rates(graph, x, &moving));
    let (of_force, of_torque, along) = (cross(graph, omega, p), cross(graph, omega, l), cross(graph, v, p));
    let right = [add(graph, linear_rate, of_force), sum(graph, &[angular_rate, of_torque, along])].concat();
    proofs.equal("equations in body axes", "P′ + ω × P = F, L′ + ω × L + v × P = M", &left, &right);

    let graph = &mut proofs.graph;
    let blocks = Body::forces(graph, &body.body, (v_rate, w_rate), (v, w), momenta);
    let around = [cross(graph, w, p), cross(graph, w, l)];
    let along = cross(graph, v, p);
    let expected = [add(graph, linear_rate, around[0]), sum(graph, &[angular_rate, around[1], along])].concat();
    let without_rate = combine(graph, (&body.body[1][0], v_rate), (&body.body[1][1], w));
    let without_rate = sum(graph, &[without_rate, around[1], along]);
    proofs.equal("equations by blocks", "B v′ + ω × P_B …, with ω′ in the second row", &blocks.concat(), &expected);
    proofs.differs(
        ("equations by blocks", "second row as printed"),
        ("B₂₁ v′ + B₂₂ ω + …", "An acceleration must stand there, as in the equation with V: B₂₂ ω′."),
        &expected[3..],
        &without_rate,
    );

    // d'Alembert and Munk: constant v, no rotation, no current.
    let graph = &mut proofs.graph;
    let none = zero(graph);
    let [a11, a12] = &body.added[0];
    let momentum = combine(graph, (a11, v), (a12, none));
    let other = apply(graph, &body.added[1][0], v);
    let steady = Body::forces(graph, &body.added, (none, none), (v, none), [momentum, other]);
    let couple = cross(graph, v, momentum);
    proofs.equal("paradox of d'Alembert", "no force at constant velocity", &steady[0], &none);
    proofs.equal("paradox of d'Alembert", "M_A = −v × P_A", &steady[1], &couple);

    // The equation of motion with V is that of the ship's form with A + B.
    let graph = &mut proofs.graph;
    let fluid = Body::momenta(graph, &body.added, v, w);
    let of_fluid = Body::forces(graph, &body.added, (v_rate, w_rate), (v, w), fluid);
    let total: Blocks =
        std::array::from_fn(|i| std::array::from_fn(|j| added(graph, &body.body[i][j], &body.added[i][j])));
    let left: Vec<ExprId> = blocks.concat().iter().zip(of_fluid.concat()).map(|(&a, b)| graph.add(a, b)).collect();
    let inertial = Body::momenta(graph, &total, v_rate, w_rate).concat();
    let velocity = [v, w].concat();
    let matrix = coriolis(graph, &total, v, w);
    let right: Vec<ExprId> = matrix
        .iter()
        .zip(inertial)
        .map(|(row, inertial)| {
            let product = graph.dot(row, &velocity);
            graph.add(inertial, product)
        })
        .collect();
    proofs.equal("equation of motion with V", "the form of [ship] with M = A + B, no current", &left, &right);

    // Accelerations in a frame that does not turn.
    let graph = &mut proofs.graph;
    let in_ground = apply(graph, &rotation, v);
    let accelerated = rates(graph, in_ground, &all);
    let accelerated = apply_transposed(graph, &rotation, accelerated);
    let turning = cross(graph, omega, v);
    let accelerated = sub(graph, accelerated, turning);
    proofs.equal("rates in a fixed frame", "v′ = v̇ − ω × v", &v_rate, &accelerated);
    Ok(proofs.report(&[]))
}

/// Eqs. 13-18: the conventions for the velocities in added-mass forces, by the work they do.
pub(super) fn conventions() -> Result<Report, StepError> {
    let mut proofs = Proofs::default();
    let body = Body::new(&mut proofs);
    let Body { v, w, v_rate, w_rate, current, .. } = body;
    let graph = &mut proofs.graph;
    let (none, o) = (zero(graph), graph.zero());
    let relative = sub(graph, v, current);
    let yaw = [o, o, w[2]];
    let against = neg(graph, current);

    // Work of what depends on velocities alone, in the frame that goes with the current.
    let mut work = |v_used: Vector3, w_used: Vector3| {
        let momenta = Body::momenta(graph, &body.added, v_used, w_used);
        let [force, torque] = Body::forces(graph, &body.added, (none, none), (v_used, w_used), momenta);
        let (first, second) = (dot(graph, relative, force), dot(graph, w, torque));
        graph.add(first, second)
    };
    let (of_relative, of_yaw, of_blocked) = (work(relative, w), work(relative, yaw), work(against, none));

    // The rate of the energy of the water, ½ (ṽ P̃ + ω L̃), with a current that is constant in ground axes.
    let [linear, angular] = Body::momenta(graph, &body.added, relative, w);
    let (first, second) = (dot(graph, relative, linear), dot(graph, w, angular));
    let (both, half) = (graph.add(first, second), graph.ratio(1, 2));
    let energy = graph.mul(half, both);
    let turned = cross(graph, current, w);
    let mut moving = body.moving();
    moving.extend(current.into_iter().zip(turned));
    let [rate] = rates(graph, [energy], &moving);
    let power = |graph: &mut Graph, v_rate: Vector3| {
        let forces = Body::forces(graph, &body.added, (v_rate, w_rate), (relative, w), [linear, angular]);
        let (first, second) = (dot(graph, relative, forces[0]), dot(graph, w, forces[1]));
        graph.add(first, second)
    };
    let turning = cross(graph, w, current);
    let relative_rate = add(graph, v_rate, turning);
    let (as_printed, corrected) = (power(graph, v_rate), power(graph, relative_rate));

    // A body that drifts with the current and turns about its origin does not move the water but by its rotation.
    let drifting = cross(graph, current, w);
    let spinning = Body::momenta(graph, &body.added, none, w);
    let in_still_water = Body::forces(graph, &body.added, (none, w_rate), (none, w), spinning).concat();
    let as_printed_drift = Body::forces(graph, &body.added, (drifting, w_rate), (none, w), spinning).concat();

    proofs.equal("ṽ = v − U, ω̃ = ω", "no work of the velocity-dependent forces, unbounded fluid", &[of_relative], &[o]);
    // The chapter calls both substitutions pragmatic and promises nothing of their energy.
    proofs.unequal("ω̃ = (0, 0, ω₃)", "no work of the velocity-dependent forces, yaw only", &[of_yaw], &[o]);
    proofs.unequal("ṽ = −U, ω̃ = 0", "no work of the velocity-dependent forces, blocked", &[of_blocked], &[o]);
    proofs.equal("steady current, corrected", "power = rate of ½ (ṽ · P̃ + ω · L̃)", &[corrected], &[rate]);
    proofs.differs(
        ("added-mass forces with a current", "power = rate of ½ (ṽ · P̃ + ω · L̃), as printed"),
        (
            "A₁₁ v′, A₂₁ v′",
            "A steady current turns in body axes: (v − U)′ = v′ + ω × U, and A₁₁ (ω × U), A₂₁ (ω × U) are missing.",
        ),
        &[as_printed],
        &[rate],
    );
    proofs.differs(
        ("added-mass forces with a current", "forces on a body that drifts with the current and turns, as printed"),
        ("A₁₁ v′, A₂₁ v′", "They would depend on the velocity of the observer."),
        &as_printed_drift,
        &in_still_water,
    );
    Ok(proofs.report(&[
        "ṽ = v_LF − U with ω̃ = (0, 0, ω₃,LF) has the form of the yaw convention with other velocities.",
        "The printed equations are right for U = 0, and for bodies that do not turn.",
        "With yaw alone in ω̃ forces that depend on velocities do work, so that energy is not conserved. In blocked flow a \
         constant moment U × A₁₁ U is left, which does work on a body that turns. The chapter calls both pragmatic and \
         promises no balance of energy.",
    ]))
}

/// Sects. 2, 3: axes, angles and the form x″ = f(x, x′, ξ).
pub(super) fn kinematics() -> Result<Report, StepError> {
    let mut proofs = Proofs::default();
    let angles = proofs.symbols(["phi", "theta", "psi"]);
    let w = proofs.symbols(["p", "q", "r"]);
    let w_rate = proofs.symbols(["p_rate", "q_rate", "r_rate"]);
    let graph = &mut proofs.graph;
    let lambda = zyx(graph, angles);
    let unit = identity(graph);
    let square = multiply(graph, &transpose(&lambda), &lambda);

    // Three turns one after the other.
    let [phi, theta, psi] = angles;
    let (o, i) = (graph.zero(), graph.one());
    let [(s1, c1), (s2, c2), (s3, c3)] = [phi, theta, psi].map(|angle| (graph.sin(angle), graph.cos(angle)));
    let [m1, m2, m3] = [s1, s2, s3].map(|s| graph.neg(s));
    let about_z = [[c3, m3, o], [s3, c3, o], [o, o, i]];
    let about_y = [[c2, o, s2], [o, i, o], [m2, o, c2]];
    let about_x = [[i, o, o], [o, c1, m1], [o, s1, c1]];
    let turned = multiply(graph, &about_z, &about_y);
    let turned = multiply(graph, &turned, &about_x);

    // γ̇ = M ω.
    let (tangent, secant) = (graph.div(s2, c2), graph.div(i, c2));
    let products = [(s1, tangent), (c1, tangent), (s1, secant), (c1, secant)].map(|(a, b)| graph.mul(a, b));
    let to_rates = [[i, products[0], products[1]], [o, c1, m1], [o, products[2], products[3]]];
    let map = angular_velocity_map(graph, angles);
    let inverse = multiply(graph, &to_rates, &map);
    let change = apply(graph, &to_rates, w);
    let moving: Vec<_> = angles.into_iter().zip(change).collect();
    let lambda_rate = matrix_rate(graph, &lambda, &moving);
    let of_w = skew(graph, w);
    let expected_rate = multiply(graph, &lambda, &of_w);

    // ∂f/∂γ as printed, and by differentiation.
    let jacobian = graph.jacobian(&change, &angles).concat();
    let [_, q, r] = w;
    let [qc, rs, qs, rc] = [(q, c1), (r, s1), (q, s1), (r, c1)].map(|(a, b)| graph.mul(a, b));
    let (across, along) = (graph.sub(qc, rs), graph.add(qs, rc));
    let minus_along = graph.neg(along);
    let both = graph.mul(tangent, secant);
    let squared = graph.mul(secant, secant);
    let entries = [(across, tangent), (along, squared), (across, secant), (along, both)].map(|(a, b)| graph.mul(a, b));
    let printed = [entries[0], entries[1], o, minus_along, o, o, entries[2], entries[3], o];

    // γ̈, differentiated with ω′, against the printed sum.
    let mut all = moving.clone();
    all.extend(w.into_iter().zip(w_rate));
    let second = rates(graph, change, &all);
    let rows: Matrix3 = std::array::from_fn(|row| std::array::from_fn(|column| printed[3 * row + column]));
    let sum = combine(graph, (&rows, change), (&to_rates, w_rate));

    proofs.equal("matrix Λ", "Λᵀ Λ = 1", square.as_flattened(), unit.as_flattened());
    proofs.equal("matrix Λ", "turns by ψ, θ, φ one after the other", lambda.as_flattened(), turned.as_flattened());
    proofs.equal("matrix M(γ)", "M(γ) inverts ω = E(γ) γ̇", inverse.as_flattened(), unit.as_flattened());
    proofs.equal("rates of the angles", "Λ̇ = Λ S(ω)", lambda_rate.as_flattened(), expected_rate.as_flattened());
    proofs.equal("matrix ∂f/∂γ", "∂(M ω)/∂γ as printed", &jacobian, &printed);
    proofs.equal("second derivatives of the angles", "γ̈ = ∂f/∂γ M ω + M ω̇", &second, &sum);
    for (name, formula) in ["φ̈", "θ̈", "ψ̈"].into_iter().zip(second) {
        proofs.show(name, formula);
    }
    Ok(proofs.report(&[
        "ẋ and ẍ are printed with five components each: ż and z̈ are missing.",
        "At θ = ±90° M(γ) has no value: integrate such motions with Euler parameters.",
    ]))
}
