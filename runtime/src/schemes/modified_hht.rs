//! What the HHT scheme modified for Euler parameters [sherif, Eqs. 33, 34, 61-70] computes for these, as printed and of
//! second order; [`super::newmark_step`] does the rest.
//!
//! The velocity of Euler parameters is composed in body axes and obeys `eᵀ ė = 0` exactly, so that a spinning body
//! is not braked. All other coordinates follow classical HHT; rotation blocks need no modification, because their
//! velocities are in body axes already.
//!
//! As printed, the scheme is of first order for α ≠ 0 although the source calls it second (slope +1 in its Figs. 2
//! and 9): old forces belong to the old orientation. Turning them with the body restores second order.

use nalgebra::{Matrix4, Vector3, Vector4};

use crate::rotation::{conjugate, matrix_l, product, right_multiplication};

/// How forces of the old instant enter the equilibrium of the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weighting {
    /// Component by component, as printed in [sherif, Eq. 20]; first order for α ≠ 0.
    Printed,
    /// Turned with the body, `(L₁ᵀ L₀ + e₁ e₀ᵀ) F₀`; second order.
    BodyFrame,
}

/// `w = L₀ (ė₀ + h (1 − γ) ë₀)`, the known part of half the new angular velocity, `weight = h (1 − γ)`.
/// [sherif, Eq. 75]
pub(super) fn angular_part(
    e: &Vector4<f64>,
    rate: &Vector4<f64>,
    acceleration: &Vector4<f64>,
    weight: f64,
) -> Vector3<f64> {
    matrix_l(e) * (rate + weight * acceleration)
}

/// `ė₁ = L₁ᵀ w + h γ (I − e₁ e₁ᵀ) ë₁`. [sherif, Eq. 34]
pub(super) fn velocity(e: &Vector4<f64>, w: &Vector3<f64>, acceleration: &Vector4<f64>, h_gamma: f64) -> Vector4<f64> {
    matrix_l(e).transpose() * w + h_gamma * (acceleration - e * e.dot(acceleration))
}

/// ∂ė₁/∂ë₁, with `∂e₁/∂ë₁ = h² β I`. [sherif, Eq. 69]
pub(super) fn velocity_derivative(
    e: &Vector4<f64>,
    w: &Vector3<f64>,
    acceleration: &Vector4<f64>,
    h2_beta: f64,
    h_gamma: f64,
) -> Matrix4<f64> {
    let w_hat = right_multiplication(&Vector4::new(0.0, w[0], w[1], w[2]));
    let identity = Matrix4::identity();
    let curvature = e * acceleration.transpose() + identity * e.dot(acceleration);
    w_hat * h2_beta + (identity - e * e.transpose()) * h_gamma - curvature * (h2_beta * h_gamma)
}

/// How [`velocity`] answers to e₁, to e₀ and to `ė₀ + h (1 − γ) ë₀`, this given as `sum`; to the latter two by way of w.
pub(super) fn velocity_slopes(
    [start, end]: [&Vector4<f64>; 2],
    w: &Vector3<f64>,
    sum: &Vector4<f64>,
    acceleration: &Vector4<f64>,
    h_gamma: f64,
) -> [Matrix4<f64>; 3] {
    let w_hat = right_multiplication(&Vector4::new(0.0, w[0], w[1], w[2]));
    let curvature = end * acceleration.transpose() + Matrix4::identity() * end.dot(acceleration);
    let from_body = matrix_l(end).transpose();
    // L(e) y is the vector part of ē ∘ y.
    let by_start = right_multiplication(sum) * conjugation();
    [w_hat - curvature * h_gamma, from_body * by_start.fixed_rows::<3>(1), from_body * matrix_l(start)]
}

/// How `force_from_body(e₁, force_in_body(e₀, F))` answers to e₁, to e₀ and to F.
pub(super) fn carried_force_slopes([start, end]: [&Vector4<f64>; 2], in_body: &Vector4<f64>) -> [Matrix4<f64>; 3] {
    let force = force_from_body(start, in_body);
    let from_body = left_multiplication(end);
    [
        right_multiplication(in_body),
        from_body * right_multiplication(&force) * conjugation(),
        from_body * left_multiplication(&conjugate(start)),
    ]
}

/// The matrix of [`conjugate`].
fn conjugation() -> Matrix4<f64> {
    Matrix4::from_diagonal(&Vector4::new(1.0, -1.0, -1.0, -1.0))
}

/// The matrix of `q ↦ p ∘ q`: the conjugate of `q̄ ∘ p̄`.
fn left_multiplication(p: &Vector4<f64>) -> Matrix4<f64> {
    conjugation() * right_multiplication(&conjugate(p)) * conjugation()
}

/// `(eᵀ F, L F)`: a generalized force on Euler parameters, in body axes.
pub(super) fn force_in_body(e: &Vector4<f64>, force: &Vector4<f64>) -> Vector4<f64> {
    product(&conjugate(e), force)
}

/// The inverse of [`force_in_body`] for unit e; linear in e, with derivative [`right_multiplication`] of the argument.
pub(super) fn force_from_body(e: &Vector4<f64>, in_body: &Vector4<f64>) -> Vector4<f64> {
    product(e, in_body)
}
