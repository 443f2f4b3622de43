//! Euler parameters and rotation increments, e0 first, angular velocities in body axes.
//!
//! The matrix L follows [sherif, Eq. 4]; a product of unit quaternions composes rotations as their matrices do,
//! `A(p ∘ q) = A(p) A(q)`, so that an increment in body axes stands on the right: `e₁ = e₀ ∘ exp(δ/2)`.
//! Which coordinates of a model are rotations is described in [`crate::configuration`].

use core::f64::consts::{PI, TAU};

#[cfg(not(feature = "std"))]
use crate::prelude::*;

use nalgebra::{Matrix3, Matrix3x4, Matrix4, Vector3, Vector4};

/// L(e) with `ω = 2 L ė` in body axes, `L Lᵀ = I` for unit e. [sherif, Eq. 4]
///
/// # Examples
/// ```
/// use hamel::nalgebra::{Matrix3, Vector4};
/// use hamel::rotation::{matrix_l, normalize};
///
/// let l = matrix_l(&normalize(&Vector4::new(1.0, 2.0, -1.0, 0.5)));
/// assert!((l * l.transpose() - Matrix3::identity()).amax() < 1e-15);
/// ```
#[rustfmt::skip]
pub fn matrix_l(e: &Vector4<f64>) -> Matrix3x4<f64> {
    Matrix3x4::new(
        -e[1],  e[0],  e[3], -e[2],
        -e[2], -e[3],  e[0],  e[1],
        -e[3],  e[2], -e[1],  e[0],
    )
}

/// Rotation matrix A(e): components in body axes to components in space, for unit e. [sherif, Eq. 2]
///
/// # Examples
/// Half a turn about z.
///
/// ```
/// use hamel::nalgebra::{Vector3, Vector4};
/// use hamel::rotation::rotation_matrix;
///
/// let a = rotation_matrix(&Vector4::new(0.0, 0.0, 0.0, 1.0));
/// assert_eq!(a * Vector3::new(1.0, 2.0, 3.0), Vector3::new(-1.0, -2.0, 3.0));
/// ```
#[rustfmt::skip]
pub fn rotation_matrix(e: &Vector4<f64>) -> Matrix3<f64> {
    let (e0, e1, e2, e3) = (e[0], e[1], e[2], e[3]);
    Matrix3::new(
        e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3, 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2),
        2.0 * (e1 * e2 + e0 * e3), e0 * e0 + e2 * e2 - e3 * e3 - e1 * e1, 2.0 * (e2 * e3 - e0 * e1),
        2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), e0 * e0 + e3 * e3 - e1 * e1 - e2 * e2,
    )
}

/// The matrix of `e ↦ e ∘ p`; for `p = (0, w)` it is the ŵ of [sherif, Eq. 70], the derivative of `L(e)ᵀ w` by e.
#[rustfmt::skip]
pub fn right_multiplication(p: &Vector4<f64>) -> Matrix4<f64> {
    Matrix4::new(
        p[0], -p[1], -p[2], -p[3],
        p[1],  p[0],  p[3], -p[2],
        p[2], -p[3],  p[0],  p[1],
        p[3],  p[2], -p[1],  p[0],
    )
}

/// Quaternion product `p ∘ q`.
///
/// # Examples
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::{exp_half, product, rotation_matrix};
///
/// let (p, q) = (exp_half(&Vector3::new(0.4, 1.0, -0.2)), exp_half(&Vector3::new(-0.3, 0.1, 0.7)));
/// let composed = rotation_matrix(&p) * rotation_matrix(&q);
/// assert!((rotation_matrix(&product(&p, &q)) - composed).amax() < 1e-15);
/// ```
pub fn product(p: &Vector4<f64>, q: &Vector4<f64>) -> Vector4<f64> {
    right_multiplication(q) * p
}

/// Conjugate, the inverse of a unit quaternion.
///
/// # Examples
/// ```
/// use hamel::nalgebra::{Vector3, Vector4};
/// use hamel::rotation::{conjugate, exp_half, product};
///
/// let e = exp_half(&Vector3::new(0.4, 1.0, -0.2));
/// assert!((product(&conjugate(&e), &e) - Vector4::x()).amax() < 1e-15);
/// ```
pub fn conjugate(e: &Vector4<f64>) -> Vector4<f64> {
    Vector4::new(e[0], -e[1], -e[2], -e[3])
}

/// e divided by its norm; the identity rotation when the norm is zero.
///
/// # Examples
/// ```
/// use hamel::nalgebra::Vector4;
/// use hamel::rotation::normalize;
///
/// assert_eq!(normalize(&Vector4::new(0.0, 3.0, 0.0, 4.0)), Vector4::new(0.0, 0.6, 0.0, 0.8));
/// ```
pub fn normalize(e: &Vector4<f64>) -> Vector4<f64> {
    let norm = e.norm();
    if norm > 0.0 { e / norm } else { Vector4::new(1.0, 0.0, 0.0, 0.0) }
}

/// Cross-product matrix: `skew(a) b = a × b`.
///
/// # Examples
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::skew;
///
/// assert_eq!(skew(&Vector3::x()) * Vector3::y(), Vector3::z());
/// ```
pub fn skew(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)
}

/// The unit quaternion of R = Rz(ψ) Ry(θ) Rx(φ), from (φ, θ, ψ), rad.
///
/// # Examples
/// A yaw of 90° turns the x axis of a body to the y axis of space.
///
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::{from_euler_angles, rotation_matrix};
///
/// let e = from_euler_angles(&Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
/// assert!((rotation_matrix(&e) * Vector3::x() - Vector3::y()).amax() < 1e-15);
/// ```
#[rustfmt::skip]
pub fn from_euler_angles(angles: &Vector3<f64>) -> Vector4<f64> {
    let [(s1, c1), (s2, c2), (s3, c3)] = [0.5 * angles[0], 0.5 * angles[1], 0.5 * angles[2]].map(f64::sin_cos);
    Vector4::new(
        c3 * c2 * c1 + s3 * s2 * s1,
        c3 * c2 * s1 - s3 * s2 * c1,
        c3 * s2 * c1 + s3 * c2 * s1,
        s3 * c2 * c1 - c3 * s2 * s1,
    )
}

/// The angles (φ, θ, ψ) of the rotation of a unit quaternion, rad: of all equivalent angles those closest to `near`.
///
/// A rotation has the angles (φ, θ, ψ), (φ + π, π − θ, ψ + π), and both plus multiples of 2π. With the previous angles
/// as `near`, angles along a motion are continuous except at θ = ±90°.
///
/// # Examples
/// A yaw beyond half a turn is continued, not reduced to the interval from −π to π.
///
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::{euler_angles, from_euler_angles};
///
/// let angles = Vector3::new(0.1, -0.2, 3.5);
/// let found = euler_angles(&from_euler_angles(&angles), &Vector3::new(0.0, 0.0, 3.4));
/// assert!((found - angles).amax() < 1e-14);
/// ```
pub fn euler_angles(e: &Vector4<f64>, near: &Vector3<f64>) -> Vector3<f64> {
    let a = rotation_matrix(e);
    let principal = Vector3::new(
        a[(2, 1)].atan2(a[(2, 2)]),
        (-a[(2, 0)]).atan2(a[(0, 0)].hypot(a[(1, 0)])),
        a[(1, 0)].atan2(a[(0, 0)]),
    );
    let other = Vector3::new(principal[0] + PI, PI - principal[1], principal[2] + PI);
    let [principal, other] = [principal, other]
        .map(|angles| angles.zip_map(near, |angle, near| angle + TAU * ((near - angle) / TAU).round()));
    if (other - near).norm() < (principal - near).norm() { other } else { principal }
}

/// `M` of `(φ̇, θ̇, ψ̇) = M ω` with ω in body axes; infinite at θ = ±90°. [simo, Eqs. 32, 33]
///
/// # Examples
/// Without roll and pitch the rates are the angular velocities.
///
/// ```
/// use hamel::nalgebra::{Matrix3, Vector3};
/// use hamel::rotation::euler_angle_rates;
///
/// assert_eq!(euler_angle_rates(&Vector3::new(0.0, 0.0, 0.8)), Matrix3::identity());
/// ```
#[rustfmt::skip]
pub fn euler_angle_rates(angles: &Vector3<f64>) -> Matrix3<f64> {
    let ((s1, c1), (s2, c2)) = (angles[0].sin_cos(), angles[1].sin_cos());
    Matrix3::new(
        1.0, s1 * s2 / c2, c1 * s2 / c2,
        0.0,           c1,          -s1,
        0.0,      s1 / c2,      c1 / c2,
    )
}

/// The derivative of [`euler_angle_rates`] times ω by the angles.
#[rustfmt::skip]
pub(crate) fn euler_angle_rates_derivative(angles: &Vector3<f64>, omega: &Vector3<f64>) -> Matrix3<f64> {
    let ((s1, c1), (s2, c2)) = (angles[0].sin_cos(), angles[1].sin_cos());
    // c₂ ψ̇, and θ̇, which is its derivative by φ.
    let (across, along) = (s1 * omega[1] + c1 * omega[2], c1 * omega[1] - s1 * omega[2]);
    Matrix3::new(
        along * s2 / c2, across / (c2 * c2),      0.0,
        -across,         0.0,                     0.0,
        along / c2,      across * s2 / (c2 * c2), 0.0,
    )
}

/// exp(δ/2): the unit quaternion of the rotation vector δ, rad.
///
/// # Examples
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::{exp_half, rotation_matrix};
///
/// let turned = rotation_matrix(&exp_half(&Vector3::new(0.0, 0.0, 1.2))) * Vector3::x();
/// assert!((turned - Vector3::new(1.2_f64.cos(), 1.2_f64.sin(), 0.0)).amax() < 1e-15);
/// ```
pub fn exp_half(delta: &Vector3<f64>) -> Vector4<f64> {
    let half = 0.5 * delta.norm();
    let factor = 0.5 * sinc(half);
    Vector4::new(half.cos(), factor * delta[0], factor * delta[1], factor * delta[2])
}

/// The rotation vector of at most half a turn, rad, of a unit quaternion: the inverse of [`exp_half`].
///
/// # Examples
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::{exp_half, rotation_vector};
///
/// let delta = Vector3::new(0.6, -0.3, 1.1);
/// assert!((rotation_vector(&exp_half(&delta)) - delta).amax() < 1e-15);
/// ```
pub fn rotation_vector(e: &Vector4<f64>) -> Vector3<f64> {
    let axis = Vector3::new(e[1], e[2], e[3]);
    let sine = axis.norm();
    if sine == 0.0 {
        return axis;
    }
    // The opposite quaternion is the same rotation.
    let angle = 2.0 * sine.atan2(e[0].abs()) * if e[0] < 0.0 { -1.0 } else { 1.0 };
    axis * (angle / sine)
}

/// Tangent operator of the exponential in body axes: `exp(δ + dδ) = exp(δ) ∘ exp(T(δ) dδ)` to first order.
///
/// # Examples
/// T(δ) δ = δ: changes along a rotation vector add to it.
///
/// ```
/// use hamel::nalgebra::Vector3;
/// use hamel::rotation::tangent_operator;
///
/// let delta = Vector3::new(0.6, -0.3, 1.1);
/// assert!((tangent_operator(&delta) * delta - delta).amax() < 1e-15);
/// ```
pub fn tangent_operator(delta: &Vector3<f64>) -> Matrix3<f64> {
    let squared = delta.norm_squared();
    let theta = squared.sqrt();
    let half_sinc = sinc(0.5 * theta);
    let first = 0.5 * half_sinc * half_sinc; // (1 − cos θ)/θ² without cancellation.
    let second = if squared < 0.25 {
        // (θ − sin θ)/θ³ cancels for small angles; the next term of its series is below round-off here.
        let coefficients = [1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0, 1.0 / 39_916_800.0];
        coefficients.iter().rev().fold(-1.0 / 6_227_020_800.0, |sum, c| sum * squared + c)
    } else {
        (theta - theta.sin()) / (squared * theta)
    };
    let cross = skew(delta);
    Matrix3::identity() - first * cross + second * cross * cross
}

fn sinc(x: f64) -> f64 {
    // The quotient is accurate down to the smallest normal numbers; only zero needs its limit.
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

#[cfg(test)]
mod tests {
    use super::*;

    const E: [f64; 4] = [0.5, -0.1, 0.7, 0.5];

    fn unit() -> Vector4<f64> {
        normalize(&Vector4::from(E))
    }

    #[test]
    fn l_has_the_properties_that_the_schemes_use() {
        // [sherif, Eq. 7]
        let e = unit();
        let l = matrix_l(&e);
        assert!((l * e).norm() < 1e-15);
        assert!((l * l.transpose() - Matrix3::identity()).norm() < 1e-15);
        assert!((l.transpose() * l - Matrix4::identity() + e * e.transpose()).norm() < 1e-15);
        let w = Vector3::new(0.3, -2.0, 1.1);
        assert!((l.transpose() * w - product(&e, &Vector4::new(0.0, w[0], w[1], w[2]))).norm() < 1e-15);
    }

    #[test]
    fn products_compose_rotations() {
        let (p, q) = (unit(), exp_half(&Vector3::new(0.4, 1.0, -0.2)));
        let composed = rotation_matrix(&product(&p, &q));
        assert!((composed - rotation_matrix(&p) * rotation_matrix(&q)).norm() < 1e-14);
        assert!((product(&conjugate(&p), &p) - Vector4::new(1.0, 0.0, 0.0, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn angles_are_those_of_the_three_rotations() {
        let angles = Vector3::new(0.4, -0.7, 2.1);
        let by_turns = [(Vector3::z(), 2), (Vector3::y(), 1), (Vector3::x(), 0)].into_iter();
        let expected =
            by_turns.fold(Matrix3::identity(), |r, (axis, i)| r * rotation_matrix(&exp_half(&(angles[i] * axis))));
        assert!((rotation_matrix(&from_euler_angles(&angles)) - expected).norm() < 1e-15);
    }

    #[test]
    fn the_closest_angles_are_found() {
        let turned = [[0.0; 3], [1.0, 0.0, -3.0], [0.5, 0.0, 0.5], [-2.5, 1.0, 0.5]];
        for by in turned.map(|turns| TAU * Vector3::from(turns)) {
            let mut angles = Vector3::new(0.4, -0.7, 2.1) + by;
            if by[0] % TAU != 0.0 {
                angles[1] = PI + by[1] + 0.7;
            }
            let near = angles + Vector3::new(0.1, -0.2, 0.1);
            assert!((euler_angles(&from_euler_angles(&angles), &near) - angles).norm() < 1e-13, "{angles}");
        }
    }

    #[test]
    fn angles_move_at_their_rates() {
        let (angles, omega, h) = (Vector3::new(0.4, -0.7, 2.1), Vector3::new(0.3, -1.0, 0.8), 1e-5);
        let after = |h: f64| euler_angles(&product(&from_euler_angles(&angles), &exp_half(&(h * omega))), &angles);
        let rates = (after(h) - after(-h)) / (2.0 * h);
        assert!((rates - euler_angle_rates(&angles) * omega).norm() < 1e-9);
    }

    #[test]
    fn rates_of_angles_change_with_the_angles() {
        let (angles, omega, h) = (Vector3::new(0.4, -0.7, 2.1), Vector3::new(0.3, -1.0, 0.8), 1e-5);
        let found = euler_angle_rates_derivative(&angles, &omega);
        for axis in 0..3 {
            let mut by = Vector3::zeros();
            by[axis] = h;
            let difference =
                (euler_angle_rates(&(angles + by)) - euler_angle_rates(&(angles - by))) * omega / (2.0 * h);
            assert!((difference - found.column(axis)).norm() < 1e-9);
        }
    }

    #[test]
    fn exponential_turns_about_its_vector() {
        let delta = Vector3::new(0.0, 0.0, 1.2);
        let turned = rotation_matrix(&exp_half(&delta)) * Vector3::x();
        assert!((turned - Vector3::new(1.2_f64.cos(), 1.2_f64.sin(), 0.0)).norm() < 1e-15);
        assert_eq!(exp_half(&Vector3::zeros()), Vector4::new(1.0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn tangent_operator_is_the_derivative_of_the_exponential() {
        let direction = Vector3::new(0.6, -0.64, 0.48);
        for theta in [0.0, 1e-9, 1e-3, 0.499, 0.501, 2.0, 3.1] {
            let delta = direction * theta;
            let tangent = tangent_operator(&delta);
            for axis in 0..3 {
                let mut step = Vector3::zeros();
                step[axis] = 1e-5;
                let (plus, minus) = (exp_half(&(delta + step)), exp_half(&(delta - step)));
                let relative = product(&conjugate(&minus), &plus);
                let turned = Vector3::new(relative[1], relative[2], relative[3]) * 2.0 / 2e-5;
                assert!((turned - tangent.column(axis)).norm() < 1e-9, "θ = {theta}");
            }
        }
    }

    #[test]
    fn tangent_operator_does_not_jump_where_its_series_ends() {
        let direction = Vector3::new(0.6, -0.64, 0.48);
        let (below, above) = (direction * (0.5 - 1e-12), direction * (0.5 + 1e-12));
        assert!((tangent_operator(&below) - tangent_operator(&above)).norm() < 1e-11);
    }
}
