//! The equations of motion of a rigid body in body axes: vectors, six scalar equations, matrices.

use hamel::scheme::StepError;
use hamel_compiler::expr::{ExprId, Graph};
use hamel_compiler::spatial::{Matrix3, Vector3, add, apply, cross, identity, multiply, transpose, zero};
use hamel_report::Report;

use crate::symbolic::{Proofs, added, angular_velocity, combine, matrix_rate, rates, scaled, skew, sum, zyx};

pub(super) fn run() -> Result<Report, StepError> {
    let mut proofs = Proofs::default();
    let angles = proofs.symbols(["phi", "theta", "psi"]);
    let changes = proofs.symbols(["phi_dot", "theta_dot", "psi_dot"]);
    let v = proofs.symbols(["u", "v", "w"]);
    let v_dot = proofs.symbols(["u_dot", "v_dot", "w_dot"]);
    let w = proofs.symbols(["p", "q", "r"]);
    let w_dot = proofs.symbols(["p_dot", "q_dot", "r_dot"]);
    let r = proofs.symbols(["x_g", "y_g", "z_g"]);
    let m = proofs.symbol("m");
    let about_g = proofs.symmetric(["Ix_g", "Iy_g", "Iz_g", "Ixy_g", "Ixz_g", "Iyz_g"]);
    let about_o = proofs.symmetric(["Ix", "Iy", "Iz", "Ixy", "Ixz", "Iyz"]);
    let graph = &mut proofs.graph;

    // a in body axes, from the velocity R v in ground axes. Rates of the angles are those of ω.
    let rotation = zyx(graph, angles);
    let omega = angular_velocity(graph, angles, changes);
    let mut moving: Vec<_> = angles.into_iter().zip(changes).collect();
    moving.extend(v.into_iter().zip(v_dot));
    let in_ground = apply(graph, &rotation, v);
    let acceleration = rates(graph, in_ground, &moving);
    let back = apply(graph, &transpose(&rotation), acceleration);
    let turning = cross(graph, omega, v);
    let expected = add(graph, v_dot, turning);
    proofs.equal("acceleration in body axes", "a = v̇ + ω × v", &back, &expected);

    let graph = &mut proofs.graph;
    let [ground_a, ground_b] = [w_dot, r].map(|x| apply(graph, &rotation, x));
    let crossed = cross(graph, ground_a, ground_b);
    let crossed = apply(graph, &transpose(&rotation), crossed);
    let here = cross(graph, w_dot, r);
    proofs.equal("before Newton's equations", "Rᵀ (α₀ × (r_0G − r_0O)) = α × r_G", &crossed, &here);

    // The moment about G and about O: H' = I_G α + ω × I_G ω = M − r_G × F.
    let graph = &mut proofs.graph;
    let a = sum_with_turning(graph, v, v_dot, w);
    let (around, square) = (cross(graph, w_dot, r), twice(graph, w, r));
    let of_centre = sum(graph, &[a, around, square]);
    let force = of_centre.map(|a| graph.mul(m, a));
    let (spin_up, momentum) = (apply(graph, &about_g, w_dot), apply(graph, &about_g, w));
    let gyroscopic = cross(graph, w, momentum);
    let arm = cross(graph, r, force);
    let about_centre = sum(graph, &[spin_up, gyroscopic, arm]);

    let tensor = parallel_axes(graph, m, r, &about_g);
    let (spin_up, momentum) = (apply(graph, &tensor, w_dot), apply(graph, &tensor, w));
    let gyroscopic = cross(graph, w, momentum);
    let lever = cross(graph, r, a);
    let lever = lever.map(|x| graph.mul(m, x));
    let about_origin = sum(graph, &[spin_up, gyroscopic, lever]);
    proofs.equal("parallel axes theorem", "moments about G and about O", &about_centre, &about_origin);

    let graph = &mut proofs.graph;
    let first = cross(graph, w_dot, r);
    let first = cross(graph, r, first);
    let of_r = skew(graph, r);
    let second = apply(graph, &of_r, w_dot);
    let second = apply(graph, &of_r, second);
    let second = second.map(|x| graph.neg(x));
    proofs.equal("simplification of the first terms", "r_G × (α × r_G) = −S(r_G)² α", &first, &second);

    let graph = &mut proofs.graph;
    let left = twice(graph, w, r);
    let left = cross(graph, r, left);
    let inner = apply(graph, &of_r, w);
    let inner = apply(graph, &of_r, inner);
    let right = cross(graph, w, inner);
    let right = right.map(|x| graph.neg(x));
    proofs.equal("Jacobi's identity", "r_G × (ω × (ω × r_G)) = −ω × S(r_G)² ω", &left, &right);

    // With I_O from here on.
    let graph = &mut proofs.graph;
    let (spin_up, momentum) = (apply(graph, &about_o, w_dot), apply(graph, &about_o, w));
    let gyroscopic = cross(graph, w, momentum);
    let moment = sum(graph, &[spin_up, gyroscopic, lever]);
    let equations = [force, moment].concat();
    let expanded = expanded(graph, m, r, &about_o, (v, w), (v_dot, w_dot));
    proofs.equal("six expanded equations", "X, Y, Z, K, M, N", &equations, &expanded);

    // M_RB and the parameterisation of C_RB by its blocks.
    let graph = &mut proofs.graph;
    let blocks = mass_matrix(graph, m, r, &about_o);
    let [[m11, m12], [m21, m22]] = &blocks;
    let inertial = [combine(graph, (m11, v_dot), (m12, w_dot)), combine(graph, (m21, v_dot), (m22, w_dot))].concat();
    let coriolis = coriolis(graph, &blocks, v, w);
    let velocity: Vec<ExprId> = [v, w].concat();
    let product: Vec<ExprId> = coriolis.iter().map(|row| graph.dot(row, &velocity)).collect();
    let matrix_form: Vec<ExprId> = inertial.iter().zip(&product).map(|(&a, &b)| graph.add(a, b)).collect();
    let transposed: Vec<ExprId> = (0..36).map(|k| graph.neg(coriolis[k % 6][k / 6])).collect();
    let entries: Vec<ExprId> = coriolis.concat();
    let opposite = transpose(m12);
    proofs.equal("matrix form", "M_RB ν̇ + C_RB(ν) ν", &equations, &matrix_form);
    proofs.equal("C_RB", "C_RBᵀ = −C_RB", &entries, &transposed);
    proofs.equal("M_RB", "M₁₂ᵀ = M₂₁", opposite.as_flattened(), m21.as_flattened());

    // Power: the rate of ½ νᵀ M ν is νᵀ τ, which is where skew symmetry shows.
    let graph = &mut proofs.graph;
    let momenta = [combine(graph, (m11, v), (m12, w)), combine(graph, (m21, v), (m22, w))].concat();
    let twice_energy = graph.dot(&velocity, &momenta);
    let moving: Vec<_> = velocity.iter().copied().zip([v_dot, w_dot].concat()).collect();
    let half = graph.ratio(1, 2);
    let energy = graph.mul(half, twice_energy);
    let [rate] = rates(graph, [energy], &moving);
    let power = graph.dot(&velocity, &equations);
    proofs.equal("matrix form", "d/dt ½ νᵀ M_RB ν = νᵀ τ_RB", &[rate], &[power]);

    // Kinematics of the state: position by R, angles by the inverse of the map to ω.
    let graph = &mut proofs.graph;
    let change = matrix_rate(graph, &rotation, &angles.into_iter().zip(changes).collect::<Vec<_>>());
    let of_omega = skew(graph, omega);
    let turned = multiply(graph, &rotation, &of_omega);
    proofs.equal("12 states", "Ṙ = R S(ω)", change.as_flattened(), turned.as_flattened());

    Ok(proofs.report(&[
        "I_xy and its like are entries of the inertia tensor, as in the equation that the chapter prints for it.",
        "Displayed equations are lost in the text at hand but for a few; their content follows from the sentences around them.",
    ]))
}

/// v̇ + ω × v.
fn sum_with_turning(graph: &mut Graph, v: Vector3, v_dot: Vector3, w: Vector3) -> Vector3 {
    let turning = cross(graph, w, v);
    add(graph, v_dot, turning)
}

/// ω × (ω × r).
fn twice(graph: &mut Graph, w: Vector3, r: Vector3) -> Vector3 {
    let once = cross(graph, w, r);
    cross(graph, w, once)
}

/// I_O = I_G − m S(r_G) S(r_G).
fn parallel_axes(graph: &mut Graph, m: ExprId, r: Vector3, about_g: &Matrix3) -> Matrix3 {
    let of_r = skew(graph, r);
    let square = multiply(graph, &of_r, &of_r);
    let minus_m = graph.neg(m);
    let shift = scaled(graph, minus_m, &square);
    added(graph, about_g, &shift)
}

/// M_RB in blocks.
fn mass_matrix(graph: &mut Graph, m: ExprId, r: Vector3, about_o: &Matrix3) -> [[Matrix3; 2]; 2] {
    let (unit, of_r, minus_m) = (identity(graph), skew(graph, r), graph.neg(m));
    [[scaled(graph, m, &unit), scaled(graph, minus_m, &of_r)], [scaled(graph, m, &of_r), *about_o]]
}

/// C(ν) by the blocks of a mass matrix: `[0, −S(a); −S(a), −S(b)]` with the momenta a and b.
pub(crate) fn coriolis(
    graph: &mut Graph,
    [[m11, m12], [m21, m22]]: &[[Matrix3; 2]; 2],
    v: Vector3,
    w: Vector3,
) -> Vec<Vec<ExprId>> {
    let (linear, angular) = (combine(graph, (m11, v), (m12, w)), combine(graph, (m21, v), (m22, w)));
    let [a, b] = [linear, angular].map(|momentum| {
        let matrix = skew(graph, momentum);
        matrix.map(|row| row.map(|entry| graph.neg(entry)))
    });
    let none = zero(graph);
    let row = |left: Vector3, right: Vector3| [left, right].concat();
    (0..3).map(|i| row(none, a[i])).chain((0..3).map(|i| row(a[i], b[i]))).collect()
}

/// The six equations component by component.
fn expanded(
    graph: &mut Graph,
    m: ExprId,
    [xg, yg, zg]: Vector3,
    inertia: &Matrix3,
    ([u, v, w], [p, q, r]): (Vector3, Vector3),
    ([u_dot, v_dot, w_dot], [p_dot, q_dot, r_dot]): (Vector3, Vector3),
) -> Vec<ExprId> {
    let [[ix, ixy, ixz], [_, iy, iyz], [_, _, iz]] = *inertia;
    let mut terms = |terms: &[(i64, &[ExprId])]| {
        let products: Vec<ExprId> = terms
            .iter()
            .map(|&(sign, factors)| {
                let (sign, product) = (graph.integer(sign), graph.product(factors));
                graph.mul(sign, product)
            })
            .collect();
        graph.sum(&products)
    };
    // Accelerations of the origin.
    let ax = terms(&[(1, &[u_dot]), (-1, &[v, r]), (1, &[w, q])]);
    let ay = terms(&[(1, &[v_dot]), (-1, &[w, p]), (1, &[u, r])]);
    let az = terms(&[(1, &[w_dot]), (-1, &[u, q]), (1, &[v, p])]);
    vec![
        terms(&[
            (1, &[m, ax]),
            (-1, &[m, xg, q, q]),
            (-1, &[m, xg, r, r]),
            (1, &[m, yg, p, q]),
            (-1, &[m, yg, r_dot]),
            (1, &[m, zg, p, r]),
            (1, &[m, zg, q_dot]),
        ]),
        terms(&[
            (1, &[m, ay]),
            (-1, &[m, yg, r, r]),
            (-1, &[m, yg, p, p]),
            (1, &[m, zg, q, r]),
            (-1, &[m, zg, p_dot]),
            (1, &[m, xg, q, p]),
            (1, &[m, xg, r_dot]),
        ]),
        terms(&[
            (1, &[m, az]),
            (-1, &[m, zg, p, p]),
            (-1, &[m, zg, q, q]),
            (1, &[m, xg, r, p]),
            (-1, &[m, xg, q_dot]),
            (1, &[m, yg, r, q]),
            (1, &[m, yg, p_dot]),
        ]),
        terms(&[
            (1, &[ix, p_dot]),
            (1, &[iz, q, r]),
            (-1, &[iy, q, r]),
            (1, &[ixy, q_dot]),
            (-1, &[ixy, r, p]),
            (1, &[ixz, r_dot]),
            (1, &[ixz, p, q]),
            (1, &[iyz, q, q]),
            (-1, &[iyz, r, r]),
            (1, &[m, yg, az]),
            (-1, &[m, zg, ay]),
        ]),
        terms(&[
            (1, &[iy, q_dot]),
            (1, &[ix, r, p]),
            (-1, &[iz, r, p]),
            (1, &[ixy, p_dot]),
            (1, &[ixy, q, r]),
            (1, &[iyz, r_dot]),
            (-1, &[iyz, p, q]),
            (1, &[ixz, r, r]),
            (-1, &[ixz, p, p]),
            (1, &[m, zg, ax]),
            (-1, &[m, xg, az]),
        ]),
        terms(&[
            (1, &[iz, r_dot]),
            (1, &[iy, p, q]),
            (-1, &[ix, p, q]),
            (1, &[iyz, q_dot]),
            (1, &[iyz, r, p]),
            (1, &[ixz, p_dot]),
            (-1, &[ixz, q, r]),
            (1, &[ixy, p, p]),
            (-1, &[ixy, q, q]),
            (1, &[m, xg, ay]),
            (-1, &[m, yg, ax]),
        ]),
    ]
}
