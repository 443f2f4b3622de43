//! Fluid memory: a retardation function from damping coefficients, and its approximation by damped oscillations.
//!
//! With added mass at infinite frequency the radiation force is −∫ K(t − s) u(s) ds, K(t) = 2/π ∫ B(ω) cos ωt dω, of which
//! [simo, Sect. 1] says that it enters by convolution. Where K is a sum of [`Oscillation`]s, the integral is a sum of states.

use core::f64::consts::{FRAC_2_PI, PI};

use crate::prelude::*;

use nalgebra::{DMatrix, DVector};
use thiserror::Error;

/// `e^(−decay t) (cosine cos ωt + sine sin ωt)` with ω = `frequency`.
///
/// Its convolution with u is the state x of
/// `state x …: cosine * u - decay * x + frequency * y;` and `state y …: sine * u - frequency * x - decay * y;`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillation {
    /// Decay rate, 1/s, positive.
    pub decay: f64,
    /// Angular frequency, rad/s, not negative.
    pub frequency: f64,
    /// Amplitude of the cosine, in the unit of K.
    pub cosine: f64,
    /// Amplitude of the sine, in the unit of K.
    pub sine: f64,
}

impl Oscillation {
    /// Its value at a time, s.
    ///
    /// # Examples
    /// ```
    /// let oscillation = hamel::marine::Oscillation { decay: 0.5, frequency: 2.0, cosine: 3.0, sine: 1.0 };
    /// let quarter = std::f64::consts::FRAC_PI_4;
    /// assert_eq!(oscillation.value(0.0), 3.0);
    /// assert!((oscillation.value(quarter) - (-0.5 * quarter).exp()).abs() < 1e-14);
    /// ```
    pub fn value(&self, t: f64) -> f64 {
        let (sin, cos) = (self.frequency * t).sin_cos();
        (-self.decay * t).exp() * (self.cosine * cos + self.sine * sin)
    }
}

/// Why samples cannot be fitted by a sum of damped oscillations.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MemoryError {
    /// Fewer than two samples for every exponential, or a step that is not positive.
    #[error("{samples} samples at steps of {dt} s do not determine {order} exponentials")]
    TooFew {
        /// Number of samples.
        samples: usize,
        /// Their distance, s.
        dt: f64,
        /// Number of exponentials.
        order: usize,
    },
    /// A sample is not a number.
    #[error("sample {place}, counted from 0, is {value}")]
    NotFinite {
        /// Where it is.
        place: usize,
        /// The sample.
        value: f64,
    },
    /// An exponential grows, or changes its sign with every sample.
    #[error(
        "an exponential has the factor {re} + {im} i from sample to sample, which does not decay; take another order"
    )]
    NotDecaying {
        /// Real part of the factor.
        re: f64,
        /// Imaginary part of the factor.
        im: f64,
    },
}

/// K(t) = 2/π ∫ B(ω) cos ωt dω for damping coefficients B, as pairs of frequency (rad/s, ascending) and B, interpolated
/// linearly and zero beyond the last frequency; the integral is exact.
///
/// # Examples
/// A constant B up to Ω has K = 2 B sin(Ωt) / (π t).
///
/// ```
/// use hamel::marine::retardation;
///
/// let expected = 2.0 * 5.0 * f64::sin(3.0 * 0.4) / (std::f64::consts::PI * 0.4);
/// assert!((retardation(&[(0.0, 5.0), (3.0, 5.0)], 0.4) - expected).abs() < 1e-13);
/// ```
pub fn retardation(damping: &[(f64, f64)], t: f64) -> f64 {
    // sin x / x, in which no difference of cosines cancels.
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { x.sin() / x };
    let segment = |pair: &[(f64, f64)]| {
        let [(w0, b0), (w1, b1)] = [pair[0], pair[1]];
        let (sum, difference) = (w1 + w0, w1 - w0);
        let turned = (b1 - b0) * sum / 2.0 * sinc(sum * t / 2.0) * sinc(difference * t / 2.0);
        b1 * w1 * sinc(w1 * t) - b0 * w0 * sinc(w0 * t) - turned
    };
    FRAC_2_PI * damping.windows(2).map(segment).sum::<f64>()
}

/// Fits samples of K at 0, `dt`, 2 `dt`, … by `order` exponentials with Prony's method: a real exponential counts as
/// one, an oscillation as two. The fit is exact if K is such a sum, otherwise by least squares.
///
/// # Errors
/// [`MemoryError::TooFew`] for fewer than 2 · `order` samples, [`MemoryError::NotDecaying`] where no sum that decays fits.
///
/// # Examples
/// Samples of one oscillation, which consists of two exponentials, give it back.
///
/// ```
/// use hamel::marine::{Oscillation, fit};
///
/// let known = Oscillation { decay: 0.5, frequency: 1.2, cosine: 3.0, sine: -2.0 };
/// let samples: Vec<f64> = (0..40).map(|i| known.value(0.1 * f64::from(i))).collect();
/// let found = fit(&samples, 0.1, 2)?;
/// assert_eq!(found.len(), 1);
/// assert!((found[0].decay - 0.5).abs() < 1e-8 && (found[0].frequency - 1.2).abs() < 1e-8);
/// # Ok::<(), hamel::marine::MemoryError>(())
/// ```
pub fn fit(samples: &[f64], dt: f64, order: usize) -> Result<Vec<Oscillation>, MemoryError> {
    let too_few = MemoryError::TooFew { samples: samples.len(), dt, order };
    if order == 0 || samples.len() < 2 * order || !dt.is_finite() || dt <= 0.0 {
        return Err(too_few);
    }
    if let Some((place, &value)) = samples.iter().enumerate().find(|(_, sample)| !sample.is_finite()) {
        return Err(MemoryError::NotFinite { place, value });
    }
    // As between motions that symmetry keeps apart.
    if samples.iter().all(|sample| *sample == 0.0) {
        return Ok(Vec::new());
    }
    // Every sample is the same combination of those before it; its characteristic roots are the factors.
    let rows = samples.len() - order;
    let before = DMatrix::from_fn(rows, order, |i, j| samples[i + j]);
    let next = DVector::from_fn(rows, |i, _| samples[i + order]);
    let combination = least_squares(before, &next).ok_or(too_few)?;
    let companion = DMatrix::from_fn(order, order, |i, j| match i {
        i if i + 1 == order => combination[j],
        i if i + 1 == j => 1.0,
        _ => 0.0,
    });
    let mut oscillations = Vec::new();
    for factor in companion.complex_eigenvalues().iter().filter(|factor| factor.im >= 0.0) {
        let (rate, frequency) = (factor.norm().ln() / dt, factor.arg() / dt);
        if rate.is_nan() || rate >= 0.0 || frequency >= PI / dt {
            return Err(MemoryError::NotDecaying { re: factor.re, im: factor.im });
        }
        oscillations.push(Oscillation { decay: -rate, frequency, cosine: 0.0, sine: 0.0 });
    }
    let columns: Vec<Oscillation> = oscillations
        .iter()
        .flat_map(|&shape| [Oscillation { cosine: 1.0, ..shape }, Oscillation { sine: 1.0, ..shape }])
        .filter(|column| column.frequency > 0.0 || column.cosine > 0.0)
        .collect();
    let values = DMatrix::from_fn(samples.len(), columns.len(), |i, j| columns[j].value(i as f64 * dt));
    let shares = least_squares(values, &DVector::from_column_slice(samples)).ok_or(too_few)?;
    let mut shares = shares.iter();
    for oscillation in &mut oscillations {
        oscillation.cosine = shares.next().copied().unwrap_or_default();
        if oscillation.frequency > 0.0 {
            oscillation.sine = shares.next().copied().unwrap_or_default();
        }
    }
    Ok(oscillations)
}

/// The x of least norm that minimizes |A x − b|.
fn least_squares(a: DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    let svd = a.svd(true, true);
    let negligible = svd.singular_values.amax() * f64::EPSILON;
    svd.solve(b, negligible).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle B = 1 − ω/Ω has K = 2 (1 − cos Ωt)/(π Ω t²).
    #[test]
    fn retardation_of_a_triangle_is_exact() {
        let top: f64 = 3.0;
        let damping = [(0.0, 1.0), (0.7, 1.0 - 0.7 / top), (2.0, 1.0 - 2.0 / top), (top, 0.0)];
        for t in [0.0, 1e-5, 3.2e-5, 0.1, 1.0, 7.3] {
            let half = top * t / 2.0;
            let ratio = if half == 0.0 { 1.0 } else { half.sin() / half };
            let expected = top * ratio * ratio / PI;
            let error = (retardation(&damping, t) - expected).abs();
            assert!(error < 1e-14, "at {t} s: {error:e}");
        }
    }

    #[test]
    fn sums_of_oscillations_are_found_again() {
        let known = [
            Oscillation { decay: 0.5, frequency: 1.2, cosine: 3.0, sine: -2.0 },
            Oscillation { decay: 0.2, frequency: 0.4, cosine: -1.0, sine: 0.5 },
            Oscillation { decay: 0.9, frequency: 0.0, cosine: 4.0, sine: 0.0 },
        ];
        let samples: Vec<f64> =
            (0..80).map(|i| known.iter().map(|part| part.value(0.25 * f64::from(i))).sum()).collect();
        let found = fit(&samples, 0.25, 5).unwrap();
        assert_eq!(found.len(), known.len());
        for part in known {
            let near = found.iter().find(|found| (found.frequency - part.frequency).abs() < 1e-6).unwrap();
            let differences = [near.decay - part.decay, near.cosine - part.cosine, near.sine - part.sine];
            assert!(differences.iter().all(|difference| difference.abs() < 1e-6), "{near:?}, expected {part:?}");
        }
    }

    #[test]
    fn growing_and_scarce_samples_are_refused() {
        let growing: Vec<f64> = (0..20).map(|i| (0.1 * f64::from(i)).exp()).collect();
        assert!(matches!(fit(&growing, 0.1, 1), Err(MemoryError::NotDecaying { .. })));
        let alternating: Vec<f64> = (0..20).map(|i| (-0.5_f64).powi(i)).collect();
        assert!(matches!(fit(&alternating, 0.1, 1), Err(MemoryError::NotDecaying { .. })));
        assert!(matches!(fit(&growing[..3], 0.1, 2), Err(MemoryError::TooFew { samples: 3, .. })));
    }
}
