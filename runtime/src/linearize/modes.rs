//! Natural motions of a linearised model: eigenvalues with their vectors, as motions of the model's coordinates.

use nalgebra::{Complex, DVector};

use crate::prelude::*;

use super::eigen::{Eigen, decompose};
use super::{Linearization, LinearizeError};

/// A natural motion `Re(e^{λt} shape)`.
#[derive(Clone, Debug)]
pub struct Mode {
    /// λ, 1/s.
    pub eigenvalue: Complex<f64>,
    /// What rounding of the entries of the matrix changes λ by, 1/s, at most: slow motions beside stiff ones have fewer digits.
    pub rounding: f64,
    /// The shape in x, `[n]`, of length one; its largest component is real and positive.
    pub states: DVector<Complex<f64>>,
    /// The same motion in the coordinates q, `[nq]`.
    pub coordinates: DVector<Complex<f64>>,
    /// The same motion in the velocities v, `[nv]`.
    pub velocities: DVector<Complex<f64>>,
    /// How much of the motion a departure causes: `yᴴ x` is the factor of the shape that a departure x leaves, `[n]`.
    pub left: DVector<Complex<f64>>,
}

impl Mode {
    /// |λ| / 2π, Hz: the natural frequency without damping.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.norm() / core::f64::consts::TAU
    }

    /// −Re λ / |λ|: 1 and more decays without oscillation, less than 0 grows; 0 where λ = 0.
    pub fn damping_ratio(&self) -> f64 {
        match self.eigenvalue.norm() {
            0.0 => 0.0,
            size => -self.eigenvalue.re / size,
        }
    }

    /// −1 / Re λ, s: the time in which the motion decays by the factor e, negative where it grows, infinite where it does
    /// neither.
    pub fn time_constant(&self) -> f64 {
        if self.eigenvalue.re == 0.0 { f64::INFINITY } else { -1.0 / self.eigenvalue.re }
    }
}

impl Linearization {
    /// All natural motions, by the magnitude of their eigenvalues; of a conjugate pair both, that with the positive
    /// imaginary part first.
    ///
    /// Eigenvalues of motions on which nothing depends are exactly zero. Where eigenvalues meet, their digits are half as
    /// many, as in any computation, and their shapes may be parallel.
    ///
    /// # Errors
    /// [`LinearizeError::NoEigenvalues`].
    pub fn modes(&self) -> Result<Vec<Mode>, LinearizeError> {
        let is_finite = |found: &Eigen| found.value.re.is_finite() && found.value.im.is_finite();
        let found = decompose(&self.state_matrix, self.displacements)
            .filter(|found| found.iter().all(is_finite))
            .ok_or_else(|| LinearizeError::NoEigenvalues { model: self.model.clone(), size: self.states.len() })?;
        let mapped = |matrix: &nalgebra::DMatrix<f64>, shape: &DVector<Complex<f64>>| {
            DVector::from_fn(matrix.nrows(), |row, _| matrix.row(row).iter().zip(shape).map(|(m, x)| x * *m).sum())
        };
        let mode = |Eigen { value, rounding, right, left }: Eigen| Mode {
            eigenvalue: value,
            rounding,
            coordinates: mapped(&self.coordinates_by_states, &right),
            velocities: mapped(&self.velocities_by_states, &right),
            left: match left.dotc(&right) {
                along if along.norm() > 0.0 => left.unscale(1.0) / along.conj(),
                _ => left,
            },
            states: right,
        };
        Ok(found.into_iter().map(mode).collect())
    }

    /// All eigenvalues of E⁻¹ A, 1/s, in the order of [`modes`](Self::modes).
    ///
    /// # Errors
    /// As [`modes`](Self::modes).
    pub fn eigenvalues(&self) -> Result<Vec<Complex<f64>>, LinearizeError> {
        Ok(self.modes()?.into_iter().map(|mode| mode.eigenvalue).collect())
    }
}
