//! What the chapter derives with SymPy: Ṙ Rᵀ, and the angular velocity in ground axes.

use hamel::scheme::StepError;
use hamel_compiler::spatial::{add, apply, cross, identity, multiply, transpose};
use hamel_report::Report;

use crate::symbolic::{Proofs, angular_velocity, matrix_rate, rates, skew, sum, zyx};

pub(super) fn run() -> Result<Report, StepError> {
    let mut proofs = Proofs::default();
    let angles = proofs.symbols(["phi", "theta", "psi"]);
    let changes = proofs.symbols(["phi_dot", "theta_dot", "psi_dot"]);
    let second = proofs.symbols(["phi_ddot", "theta_ddot", "psi_ddot"]);
    let position = proofs.symbols(["x_g", "y_g", "z_g"]);
    let origin = proofs.symbols(["x_o", "y_o", "z_o"]);
    let velocity = proofs.symbols(["vx_o", "vy_o", "vz_o"]);
    let acceleration = proofs.symbols(["ax_o", "ay_o", "az_o"]);
    let mut moving: Vec<_> = angles.into_iter().zip(changes).collect();

    let graph = &mut proofs.graph;
    let rotation = zyx(graph, angles);
    let (change, transposed, unit) = (matrix_rate(graph, &rotation, &moving), transpose(&rotation), identity(graph));
    let square = multiply(graph, &rotation, &transposed);
    let product = multiply(graph, &change, &transposed);
    let in_body = angular_velocity(graph, angles, changes);
    let in_ground = apply(graph, &rotation, in_body);
    let (of_body, of_ground) = (skew(graph, in_body), skew(graph, in_ground));
    let product_in_body = multiply(graph, &transposed, &change);

    // ω₀ written out: the rates about the axes of the ground, of the ground turned by ψ, and of the body.
    let [phi_dot, theta_dot, psi_dot] = changes;
    let [_, theta, psi] = angles;
    let [(s2, c2), (s3, c3)] = [theta, psi].map(|angle| (graph.sin(angle), graph.cos(angle)));
    let across = graph.mul(phi_dot, c2);
    let [a, b, c, d] = [(across, c3), (theta_dot, s3), (across, s3), (theta_dot, c3)].map(|(x, y)| graph.mul(x, y));
    let down = graph.mul(phi_dot, s2);
    let expanded = [graph.sub(a, b), graph.add(c, d), graph.sub(psi_dot, down)];

    // r_G is fixed in the body: r_0G = r_0O + R r_G.
    let arm = apply(graph, &rotation, position);
    let centre = add(graph, origin, arm);
    moving.extend(origin.into_iter().zip(velocity));
    let speed = rates(graph, centre, &moving);
    let turning = cross(graph, in_ground, arm);
    let rigid = add(graph, velocity, turning);

    moving.extend(changes.into_iter().zip(second).chain(velocity.into_iter().zip(acceleration)));
    let pulled = rates(graph, speed, &moving);
    let spin_up = rates(graph, in_ground, &moving);
    let (around, inward) = (cross(graph, spin_up, arm), cross(graph, in_ground, turning));
    let rigid_acceleration = sum(graph, &[acceleration, around, inward]);

    proofs.equal("rotation matrix", "R Rᵀ = 1", square.as_flattened(), unit.as_flattened());
    proofs.equal("first code cell", "Ṙ Rᵀ = S(ω₀)", product.as_flattened(), of_ground.as_flattened());
    proofs.equal("ω from Euler rates", "Rᵀ Ṙ = S(ω)", product_in_body.as_flattened(), of_body.as_flattened());
    proofs.equal("second code cell", "ω₀ = R ω, expanded", &in_ground, &expanded);
    proofs.equal("velocity of G", "v_0G = v_0O + ω₀ × (r_0G − r_0O)", &speed, &rigid);
    proofs.equal(
        "acceleration of G",
        "a_0G = a_0O + α₀ × (r_0G − r_0O) + ω₀ × (ω₀ × (r_0G − r_0O))",
        &pulled,
        &rigid_acceleration,
    );
    for (name, formula) in ["ω₀, x", "ω₀, y", "ω₀, z"].into_iter().zip(in_ground) {
        proofs.show(name, formula);
    }
    for (name, row, column) in [("Ṙ Rᵀ, 32", 2, 1), ("Ṙ Rᵀ, 13", 0, 2), ("Ṙ Rᵀ, 21", 1, 0)] {
        proofs.show(name, product[row][column]);
    }
    Ok(proofs.report(&["The chapter simplifies both products with SymPy; its results are lost in the text at hand."]))
}
