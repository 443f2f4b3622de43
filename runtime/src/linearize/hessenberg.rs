//! Systems `(H − s) x = b` with H zero below the first diagonal under the main one: elimination in steps as many as the
//! entries, for eigenvectors and frequency responses.

use nalgebra::{Complex, DMatrix, DVector};

use crate::prelude::*;

/// The factors of H − s.
pub(crate) struct Shifted {
    upper: DMatrix<Complex<f64>>,
    /// For each column the factor of its row in the next one, and whether both rows were exchanged before.
    steps: Vec<(Complex<f64>, bool)>,
}

impl Shifted {
    /// Pivots that vanish, as they do at an eigenvalue, are replaced by the rounding of the matrix.
    pub(crate) fn new(hessenberg: &DMatrix<f64>, shift: Complex<f64>) -> Self {
        let n = hessenberg.nrows();
        let mut upper = hessenberg.map(|entry| Complex::new(entry, 0.0));
        (0..n).for_each(|i| upper[(i, i)] -= shift);
        let largest = hessenberg.amax().max(shift.norm());
        let least = f64::EPSILON * if largest > 0.0 { largest } else { 1.0 };
        let mut steps = Vec::with_capacity(n);
        for k in 0..n {
            let is_exchanged = k + 1 < n && upper[(k + 1, k)].norm() > upper[(k, k)].norm();
            if is_exchanged {
                upper.swap_rows(k, k + 1);
            }
            if upper[(k, k)].norm() < least {
                upper[(k, k)] = Complex::new(least, 0.0);
            }
            let mut factor = Complex::new(0.0, 0.0);
            if k + 1 < n {
                factor = upper[(k + 1, k)] / upper[(k, k)];
                for j in k..n {
                    let above = upper[(k, j)];
                    upper[(k + 1, j)] -= factor * above;
                }
                upper[(k + 1, k)] = Complex::new(0.0, 0.0);
            }
            steps.push((factor, is_exchanged));
        }
        Self { upper, steps }
    }

    /// `(H − s)⁻¹ b`.
    pub(crate) fn solve(&self, rhs: &DVector<Complex<f64>>) -> DVector<Complex<f64>> {
        let n = rhs.len();
        let mut x = rhs.clone();
        for (k, &(factor, is_exchanged)) in self.steps.iter().enumerate().take(n.saturating_sub(1)) {
            if is_exchanged {
                x.swap_rows(k, k + 1);
            }
            let above = x[k];
            x[k + 1] -= factor * above;
        }
        for i in (0..n).rev() {
            let known: Complex<f64> = (i + 1..n).map(|j| self.upper[(i, j)] * x[j]).sum();
            x[i] = (x[i] - known) / self.upper[(i, i)];
        }
        x
    }

    /// `(H − s)⁻ᴴ b`.
    pub(crate) fn solve_adjoint(&self, rhs: &DVector<Complex<f64>>) -> DVector<Complex<f64>> {
        let n = rhs.len();
        let mut x = rhs.clone();
        for i in 0..n {
            let known: Complex<f64> = (0..i).map(|j| self.upper[(j, i)].conj() * x[j]).sum();
            x[i] = (x[i] - known) / self.upper[(i, i)].conj();
        }
        for (k, &(factor, is_exchanged)) in self.steps.iter().enumerate().take(n.saturating_sub(1)).rev() {
            let below = x[k + 1];
            x[k] -= factor.conj() * below;
            if is_exchanged {
                x.swap_rows(k, k + 1);
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn solutions_solve_and_adjoint_ones_too() {
        let mut random = Random(3);
        for n in 1..12 {
            let matrix = DMatrix::from_fn(n, n, |i, j| if i > j + 1 { 0.0 } else { random.next() });
            let shift = Complex::new(random.next(), random.next());
            let whole = matrix.map(|entry| Complex::new(entry, 0.0)) - DMatrix::identity(n, n) * shift;
            let rhs = DVector::from_fn(n, |_, _| Complex::new(random.next(), random.next()));
            let shifted = Shifted::new(&matrix, shift);
            assert!((&whole * shifted.solve(&rhs) - &rhs).norm() < 1e-11, "{n}");
            assert!((whole.adjoint() * shifted.solve_adjoint(&rhs) - &rhs).norm() < 1e-11, "{n}");
        }
    }
}
