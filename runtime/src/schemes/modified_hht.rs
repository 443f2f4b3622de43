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

/// `(eᵀ F, L F)`: a generalized force on Euler parameters, in body axes.
pub(super) fn force_in_body(e: &Vector4<f64>, force: &Vector4<f64>) -> Vector4<f64> {
    product(&conjugate(e), force)
}

/// The inverse of [`force_in_body`] for unit e; linear in e, with derivative [`right_multiplication`] of the argument.
pub(super) fn force_from_body(e: &Vector4<f64>, in_body: &Vector4<f64>) -> Vector4<f64> {
    product(e, in_body)
}
