//! Matrices of the equations of a body with velocities ν = (v, ω) in its own axes: `M ν̇ + C(ν) ν = τ`.
//!
//! Only the product C(ν) ν is unique, the bias force h of a compiled model; the matrix C is not. For ships a
//! skew-symmetric C is usual, which follows from M alone and does no work [ship, Eq. eq-coriolis-mass-param].

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Parametrizations of the Coriolis and centripetal matrix C(ν), all with the same product C(ν) ν.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coriolis {
    /// `[0, −S(P); −S(P), −S(L)]` with the momenta (P, L) = M ν: skew, for any symmetric M. [ship, Coriolis matrix]
    Momenta,
    /// `[m S(ω), S(ω) M₁₂; M₂₁ S(ω), −S(J ω)]`: skew and independent of v, but only for a rigid body, M₁₁ = m 1.
    AngularVelocity,
    /// `[S(ω), 0; S(v), S(ω)] M`, the equations as they stand in [simo, Eq. 8]: for any M, and not skew.
    Momentum,
}

impl Coriolis {
    /// All parametrizations.
    pub const ALL: [Coriolis; 3] = [Coriolis::Momenta, Coriolis::AngularVelocity, Coriolis::Momentum];

    /// Whether C + Cᵀ = 0.
    pub fn is_skew(self) -> bool {
        self != Coriolis::Momentum
    }

    /// Whether it is defined for this M.
    pub fn is_defined(self, mass: &Matrix6<f64>) -> bool {
        let [[m11, m12], [m21, m22]] = blocks(mass);
        let size = mass.amax();
        let is_symmetric = (mass - mass.transpose()).amax() <= ROUNDING * size;
        let is_rigid = (m11 - Matrix3::identity() * m11[(0, 0)]).amax() <= ROUNDING * m11.amax()
            && (m21 + m21.transpose()).amax() <= ROUNDING * m21.amax()
            && (m12 + m21).amax() <= ROUNDING * m21.amax()
            && (m22 - m22.transpose()).amax() <= ROUNDING * m22.amax();
        match self {
            Coriolis::Momenta => is_symmetric,
            Coriolis::AngularVelocity => is_rigid,
            Coriolis::Momentum => true,
        }
    }

    /// C(ν); `None` where it is not defined for this M.
    ///
    /// # Examples
    /// Every parametrization gives the same C(ν) ν; the skew-symmetric ones do no work.
    ///
    /// ```
    /// use hamel::marine::{Coriolis, rigid_body_mass_matrix};
    /// use hamel::nalgebra::{Matrix3, Vector3, Vector6};
    ///
    /// let mass = rigid_body_mass_matrix(2.0, &Vector3::new(0.1, 0.0, 0.2), &Matrix3::from_diagonal_element(0.5));
    /// let nu = Vector6::new(1.0, -0.5, 0.2, 0.1, 0.3, -0.4);
    /// let forces = Coriolis::ALL.map(|form| form.matrix(&mass, &nu).expect("a rigid body") * nu);
    /// assert!((forces[0] - forces[1]).amax() < 1e-14 && (forces[0] - forces[2]).amax() < 1e-14);
    /// assert!(nu.dot(&forces[0]).abs() < 1e-14);
    /// ```
    pub fn matrix(self, mass: &Matrix6<f64>, nu: &Vector6<f64>) -> Option<Matrix6<f64>> {
        if !self.is_defined(mass) {
            return None;
        }
        let [[m11, m12], [m21, m22]] = blocks(mass);
        let (v, w) = (nu.fixed_rows::<3>(0).into_owned(), nu.fixed_rows::<3>(3).into_owned());
        let (turning, zero) = (skew(&w), Matrix3::zeros());
        Some(match self {
            Coriolis::Momenta => {
                let (p, l) = (skew(&(m11 * v + m12 * w)), skew(&(m21 * v + m22 * w)));
                assembled([[zero, -p], [-p, -l]])
            }
            Coriolis::AngularVelocity => {
                assembled([[turning * m11, turning * m12], [m21 * turning, -skew(&(m22 * w))]])
            }
            Coriolis::Momentum => assembled([[turning, zero], [skew(&v), turning]]) * mass,
        })
    }
}

/// Relative difference of two entries up to which they count as equal.
const ROUNDING: f64 = 1e-12;

/// M of a rigid body about the origin of its axes: `[m 1, −m S(r); m S(r), J]`, kg, kg m and kg m². [ship, Eq.
/// eq-mass-matrix; simo, Eq. 6 with m in all its blocks]
///
/// # Examples
/// The kinetic energy of a rotation about the origin is ½ J ω².
///
/// ```
/// use hamel::marine::rigid_body_mass_matrix;
/// use hamel::nalgebra::{Matrix3, Vector3, Vector6};
///
/// let mass = rigid_body_mass_matrix(2.0, &Vector3::new(0.1, 0.0, 0.0), &Matrix3::from_diagonal_element(0.5));
/// let turning = Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 3.0);
/// assert!((0.5 * turning.dot(&(mass * turning)) - 0.5 * 0.5 * 9.0).abs() < 1e-14);
/// // The momentum is that of the centre of mass, which moves with 0.3 m/s along y.
/// assert!(((mass * turning)[1] - 2.0 * 0.3).abs() < 1e-14);
/// ```
pub fn rigid_body_mass_matrix(
    mass: f64,
    center_of_mass: &Vector3<f64>,
    inertia_about_origin: &Matrix3<f64>,
) -> Matrix6<f64> {
    let moment = skew(center_of_mass) * mass;
    assembled([[Matrix3::identity() * mass, -moment], [moment, *inertia_about_origin]])
}

/// S(a) with S(a) b = a × b.
///
/// # Examples
/// ```
/// use hamel::marine::skew;
/// use hamel::nalgebra::Vector3;
///
/// assert_eq!(skew(&Vector3::x()) * Vector3::y(), Vector3::z());
/// ```
pub fn skew(a: &Vector3<f64>) -> Matrix3<f64> {
    a.cross_matrix()
}

fn blocks(m: &Matrix6<f64>) -> [[Matrix3<f64>; 2]; 2] {
    [0, 3].map(|i| [0, 3].map(|j| m.fixed_view::<3, 3>(i, j).into_owned()))
}

fn assembled(blocks: [[Matrix3<f64>; 2]; 2]) -> Matrix6<f64> {
    Matrix6::from_fn(|i, j| blocks[i / 3][j / 3][(i % 3, j % 3)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Matrix6<f64> {
        let inertia = Matrix3::new(0.9, 0.05, -0.02, 0.05, 1.1, 0.03, -0.02, 0.03, 1.3);
        rigid_body_mass_matrix(2.0, &Vector3::new(0.1, -0.2, 0.3), &inertia)
    }

    fn water() -> Matrix6<f64> {
        let a = Matrix6::from_fn(|i, j| 0.3 * (i as f64 - 2.0) * (j as f64 - 3.0) + if i == j { 4.0 } else { 0.0 });
        (a + a.transpose()) * 0.5
    }

    const NU: [f64; 6] = [0.8, -0.3, 0.5, 0.4, 0.6, -0.2];

    /// ω × P, ω × L + v × P, by the definition of the momenta.
    fn expected(mass: &Matrix6<f64>, nu: &Vector6<f64>) -> Vector6<f64> {
        let momentum = mass * nu;
        let three = |x: &Vector6<f64>, i: usize| Vector3::new(x[i], x[i + 1], x[i + 2]);
        let (v, w, p, l) = (three(nu, 0), three(nu, 3), three(&momentum, 0), three(&momentum, 3));
        let (force, moment) = (w.cross(&p), w.cross(&l) + v.cross(&p));
        Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z)
    }

    #[test]
    fn all_ways_give_the_same_force_and_skew_ones_do_no_work() {
        let nu = Vector6::from(NU);
        for mass in [body(), body() + water()] {
            for how in Coriolis::ALL {
                let Some(c) = how.matrix(&mass, &nu) else { continue };
                assert!((c * nu - expected(&mass, &nu)).amax() < 1e-14, "{how:?}");
                assert_eq!((c + c.transpose()).amax() < 1e-14, how.is_skew(), "{how:?}");
            }
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let nu = Vector6::from(NU);
        assert_eq!(Coriolis::AngularVelocity.matrix(&(body() + water()), &nu), None);
        let mut lopsided = body();
        lopsided[(0, 1)] = 1.0;
        assert_eq!(Coriolis::Momenta.matrix(&lopsided, &nu), None);
        assert!(Coriolis::Momentum.matrix(&lopsided, &nu).is_some());
        // A rigid body has one mass in all directions, a coupling that is skew and the same both ways, and a symmetric
        // inertia; of each, one entry that is not so.
        assert!(Coriolis::AngularVelocity.is_defined(&body()));
        for (row, column) in [(0, 0), (1, 2), (0, 3), (3, 0), (1, 5), (4, 2), (3, 5)] {
            let mut other = body();
            other[(row, column)] += 0.1;
            assert!(!Coriolis::AngularVelocity.is_defined(&other), "{row}, {column}");
        }
        // A coupling that is symmetric, or skew but not the same both ways.
        for sign in [1.0, -1.0] {
            let mut other = body();
            (other[(0, 4)], other[(4, 0)]) = (0.4, sign * 0.4);
            assert!(!Coriolis::AngularVelocity.is_defined(&other), "{sign}");
        }
    }
}
