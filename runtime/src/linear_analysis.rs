//! Linear analysis of schemes on the oscillator `q̈ + 2 ζ ω q̇ + ω² q = 0`: amplification, dissipation, dispersion,
//! stability.
//!
//! All results depend on Ω = ω h and ζ only. States are in units of the step, (q, h v) or (q, h v, h² a), extended by
//! the old values that a scheme stores. The columns of an amplification matrix are the results of a step from unit
//! vectors. [zhang, Sect. 4], [rezaei, Eqs. 96-106]

use nalgebra::{Complex, DMatrix, Matrix2, Vector2};

use crate::prelude::*;
use crate::tables::{Multistep, NewmarkFamily, SingleStep, Tableau};

/// The oscillator in units of the step: `h² q̈ = −Ω² q − 2 ζ Ω (h v)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oscillator {
    /// Ω = ω h, the angle by which the exact motion turns in a step, rad.
    pub omega: f64,
    /// ζ, the damping ratio.
    pub damping: f64,
}

impl Oscillator {
    /// Without damping.
    ///
    /// # Examples
    /// ```
    /// use hamel::linear_analysis::{Oscillator, spectral_radius};
    /// use hamel::tables;
    ///
    /// let matrix = tables::trapezoidal().amplification(Oscillator::undamped(3.0));
    /// assert!((spectral_radius(&matrix) - 1.0).abs() < 1e-14);
    /// ```
    pub fn undamped(omega: f64) -> Self {
        Self { omega, damping: 0.0 }
    }

    /// h² a.
    fn acceleration(&self, q: f64, v: f64) -> f64 {
        -self.omega * (self.omega * q + 2.0 * self.damping * v)
    }

    /// L of `h ẏ = L y`, y = (q, h v).
    fn matrix(&self) -> Matrix2<f64> {
        Matrix2::new(0.0, 1.0, -self.omega * self.omega, -2.0 * self.damping * self.omega)
    }

    /// 1 − β L, the matrix of every implicit equation, inverted; its determinant is positive for β ≥ 0.
    fn implicit(&self, beta: f64) -> Matrix2<f64> {
        let l = self.matrix() * beta;
        let determinant = 1.0 - l.trace() + l.determinant();
        // Its first diagonal entry is one.
        Matrix2::new(1.0 - l.m22, l.m12, l.m21, 1.0) / determinant
    }
}

/// The matrix of a linear map, column by column.
fn linear_map(size: usize, step: impl Fn(&[f64]) -> Vec<f64>) -> DMatrix<f64> {
    let columns = (0..size).flat_map(|column| {
        let mut unit = vec![0.0; size];
        unit[column] = 1.0;
        step(&unit)
    });
    DMatrix::from_iterator(size, size, columns)
}

impl Tableau {
    /// Amplification of (q, h v), `[2 × 2]`.
    ///
    /// # Examples
    /// The trapezoidal rule turns (q, q̇ / ω) by 2 arctan(Ω/2) in a step.
    ///
    /// ```
    /// use hamel::linear_analysis::Oscillator;
    /// use hamel::tables;
    ///
    /// let omega = 0.8;
    /// let matrix = tables::trapezoidal().amplification(Oscillator::undamped(omega));
    /// let angle = 2.0 * f64::atan(omega / 2.0);
    /// assert!((matrix[(0, 0)] - angle.cos()).abs() < 1e-15);
    /// assert!((matrix[(0, 1)] - angle.sin() / omega).abs() < 1e-15);
    /// ```
    pub fn amplification(&self, oscillator: Oscillator) -> DMatrix<f64> {
        let (s, l) = (self.stages(), oscillator.matrix());
        let matrix = DMatrix::from_fn(2 * s, 2 * s, |i, j| {
            let unit = if i == j { 1.0 } else { 0.0 };
            unit - self.matrix[i / 2][j / 2] * l[(i % 2, j % 2)]
        });
        let rhs = DMatrix::from_fn(2 * s, 2, |i, j| if i % 2 == j { 1.0 } else { 0.0 });
        let Some(stages) = matrix.lu().solve(&rhs) else { return DMatrix::from_element(2, 2, f64::NAN) };
        if self.is_stiffly_accurate() {
            // Without the difference of large numbers that the sum below becomes for large Ω.
            return stages.rows(2 * s - 2, 2).into_owned();
        }
        let mut result = DMatrix::identity(2, 2);
        for (k, &b) in self.weights.iter().enumerate() {
            result += l * stages.rows(2 * k, 2) * b;
        }
        result
    }
}

impl Multistep {
    /// Amplification of (y_k, y_{k−1}, …), y = (q, h v), `[2r × 2r]`.
    pub fn amplification(&self, oscillator: Oscillator) -> DMatrix<f64> {
        let (r, l) = (self.steps(), oscillator.matrix());
        let implicit = oscillator.implicit(self.beta[0]);
        let mut result = DMatrix::zeros(2 * r, 2 * r);
        for j in 0..r {
            let block = implicit * (Matrix2::identity() * self.alpha[j] + l * self.beta[j + 1]);
            result.fixed_view_mut::<2, 2>(0, 2 * j).copy_from(&block);
        }
        for i in 2..2 * r {
            result[(i, i - 2)] = 1.0;
        }
        result
    }
}

impl SingleStep {
    /// Amplification of (y, h ẏ, h w¹, h w³), w¹ with real and imaginary parts for r = 3 and 4, `[2(r+1) × 2(r+1)]`:
    /// its eigenvalues are those of LMS with r steps, and zero for ẏ, which follows from y.
    ///
    /// A matrix over the real and imaginary parts of all w would have additional eigenvalues: a motion begins with all
    /// w equal to ẏ, and remains in the subspace where w³ is real and w² is `ẏ + 2 Re((γ_e − γ)/(γ̄ − γ) (w¹ − ẏ))`, γ
    /// that of level 1 and γ_e the even parameters. Components outside this subspace do not affect y, and decay by the
    /// factor `C = 1 − 1/γ` of each level, which is larger than ρ∞ for small ρ∞: at ρ∞ = 0.05 |C| is 0.288, 0.282 and
    /// 0.314 for SS2 to SS4. No motion contains them, so that they are omitted.
    pub fn amplification(&self, oscillator: Oscillator) -> DMatrix<f64> {
        let (r, l) = (self.steps(), oscillator.matrix());
        let implicit = oscillator.implicit(self.b_new);
        linear_map(2 * (r + 1), |state| {
            let pair = |at: usize| [state[at], state[at + 1]];
            // The levels for q and for h v; level 0 is the derivative.
            let levels: [Vec<Complex<f64>>; 2] = [0, 1].map(|k| {
                let rate = Complex::from(pair(2)[k]);
                let first = Complex::new(pair(4)[k], if r > 2 { pair(6)[k] } else { 0.0 });
                let mut levels = vec![rate, first];
                if r > 2 {
                    levels.push(rate + 2.0 * (self.second_of_first() * (first - rate)).re);
                }
                if r > 3 {
                    levels.push(pair(8)[k].into());
                }
                levels
            });
            let known = Vector2::from_fn(|k, _| {
                let auxiliary: Complex<f64> = (1..r).map(|j| self.b[j - 1] * levels[k][j]).sum();
                state[k] + self.b_old * state[2 + k] + auxiliary.re
            });
            let y = implicit * known;
            let rate = l * y;
            let mut result = vec![y[0], y[1], rate[0], rate[1]];
            let mut below = [Complex::from(rate[0]), Complex::from(rate[1])];
            for j in 1..r {
                let new = [0, 1].map(|k| {
                    self.c[j - 1] * levels[k][j] + self.d[j - 1] * below[k] + self.e[j - 1] * levels[k][j - 1]
                });
                match j {
                    1 if r > 2 => result.extend([new[0].re, new[1].re, new[0].im, new[1].im]),
                    // The second level follows from the first.
                    2 => {}
                    _ => result.extend([new[0].re, new[1].re]),
                }
                below = new;
            }
            result
        })
    }

    /// μ in `w² − ẏ = 2 Re(μ (w¹ − ẏ))`, for r = 3 and 4. With d = w¹ − ẏ, level 1 is
    /// `γ d⁺ + (1 − γ) d = (γ_e − γ)(ẏ⁺ − ẏ)`, and its conjugate the same of d̄ with γ̄; level 2 has the parameter γ̄, and
    /// μ d + μ̄ d̄ obeys it.
    fn second_of_first(&self) -> Complex<f64> {
        let r = self.steps();
        let first = self.gamma[2 * r - 3];
        if first.im == 0.0 {
            // ρ∞ = 1: all parameters are ½, and all w remain ẏ.
            return Complex::ZERO;
        }
        (self.gamma[0] - first) / (first.conj() - first)
    }
}

impl NewmarkFamily {
    /// Amplification of (q, h v, h² A), `[3 × 3]`. [rezaei, Eq. 96]
    pub fn amplification(&self, oscillator: Oscillator) -> DMatrix<f64> {
        let Self { beta, gamma, alpha_m, alpha_f } = *self;
        let implicit = 1.0 - alpha_m - (1.0 - alpha_f) * oscillator.acceleration(beta, gamma);
        linear_map(3, |state| {
            let [q, v, a] = [state[0], state[1], state[2]];
            let (q_known, v_known) = (q + v + (0.5 - beta) * a, v + (1.0 - gamma) * a);
            let rhs = (1.0 - alpha_f) * oscillator.acceleration(q_known, v_known)
                + alpha_f * oscillator.acceleration(q, v)
                - alpha_m * a;
            let new = rhs / implicit;
            vec![q_known + beta * new, v_known + gamma * new, new]
        })
    }
}

/// The modified Euler scheme: new velocity first, then coordinates with it; `[2 × 2]`. [simo, Sect. 4.1]
///
/// # Examples
/// ```
/// use hamel::linear_analysis::{modified_euler, stability_limit};
///
/// let limit = stability_limit(modified_euler, 10.0);
/// assert!(limit.is_some_and(|limit| (limit - 2.0).abs() < 1e-3));
/// ```
pub fn modified_euler(oscillator: Oscillator) -> DMatrix<f64> {
    linear_map(2, |state| {
        let v = state[1] + oscillator.acceleration(state[0], state[1]);
        vec![state[0] + v, v]
    })
}

/// The scheme of Runge-Kutta type in its corrected form; `[2 × 2]`. [simo, Sect. 4.2]
///
/// # Examples
/// Without a spring the motion is uniform.
///
/// ```
/// use hamel::linear_analysis::{Oscillator, runge_kutta_like};
/// use hamel::nalgebra::DMatrix;
///
/// let matrix = runge_kutta_like(Oscillator::undamped(0.0));
/// assert_eq!(matrix, DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 0.0, 1.0]));
/// ```
pub fn runge_kutta_like(oscillator: Oscillator) -> DMatrix<f64> {
    linear_map(2, |state| {
        let [q, v] = [state[0], state[1]];
        let first = oscillator.acceleration(q, v);
        let second = oscillator.acceleration(q + v + 0.25 * first, v + first);
        vec![q + v + first / 3.0 + second / 6.0, v + 0.5 * (first + second)]
    })
}

/// Newmark's predictor and corrector with a fixed number of corrections; `[2 × 2]`. [simo, Sect. 4.3]
///
/// # Examples
/// With many corrections it converges to Newmark's implicit scheme, which for β = ¼ and γ = ½ is the trapezoidal rule.
///
/// ```
/// use hamel::linear_analysis::{Oscillator, newmark_corrector};
/// use hamel::tables;
///
/// let oscillator = Oscillator::undamped(0.5);
/// let converged = newmark_corrector(0.25, 0.5, 100, oscillator);
/// assert!((converged - tables::trapezoidal().amplification(oscillator)).amax() < 1e-14);
/// ```
pub fn newmark_corrector(beta: f64, gamma: f64, corrections: u32, oscillator: Oscillator) -> DMatrix<f64> {
    linear_map(2, |state| {
        let [q, v] = [state[0], state[1]];
        let old = oscillator.acceleration(q, v);
        let (mut q_new, mut v_new) = (q + v + old, v + old);
        for _ in 0..corrections {
            let new = oscillator.acceleration(q_new, v_new);
            v_new = v + (1.0 - gamma) * old + gamma * new;
            q_new = q + v + (0.5 - beta) * old + beta * new;
        }
        vec![q_new, v_new]
    })
}

/// Moreau's midpoint rule without contacts; `[2 × 2]`. [rezaei, Sect. 2.3]
///
/// # Examples
/// The midpoint rule is symplectic.
///
/// ```
/// use hamel::linear_analysis::{Oscillator, moreau};
///
/// assert!((moreau(Oscillator::undamped(0.7)).determinant() - 1.0).abs() < 1e-15);
/// ```
pub fn moreau(oscillator: Oscillator) -> DMatrix<f64> {
    linear_map(2, |state| {
        let middle = state[0] + 0.5 * state[1];
        let v = state[1] + oscillator.acceleration(middle, state[1]);
        vec![middle + 0.5 * v, v]
    })
}

/// Half-explicit timestepping of second order without contacts; `[2 × 2]`. [rezaei, Sect. 2.3]
///
/// # Examples
/// For an undamped oscillator it is the velocity Verlet scheme, which is symplectic and stable up to Ω = 2.
///
/// ```
/// use hamel::linear_analysis::{Oscillator, half_explicit, stability_limit};
///
/// assert!((half_explicit(Oscillator::undamped(0.7)).determinant() - 1.0).abs() < 1e-15);
/// let limit = stability_limit(half_explicit, 10.0);
/// assert!(limit.is_some_and(|limit| (limit - 2.0).abs() < 1e-3));
/// ```
pub fn half_explicit(oscillator: Oscillator) -> DMatrix<f64> {
    linear_map(2, |state| {
        let [q, v] = [state[0], state[1]];
        let first = oscillator.acceleration(q, v);
        let predicted = v + first;
        let q_new = q + 0.5 * (v + predicted);
        vec![q_new, v + 0.5 * (first + oscillator.acceleration(q_new, predicted))]
    })
}

/// Largest modulus of an eigenvalue; NaN if the matrix is not finite.
///
/// # Examples
/// ```
/// use hamel::linear_analysis::spectral_radius;
/// use hamel::nalgebra::DMatrix;
///
/// // Eigenvalues ±2i.
/// assert!((spectral_radius(&DMatrix::from_row_slice(2, 2, &[0.0, 4.0, -1.0, 0.0])) - 2.0).abs() < 1e-14);
/// ```
pub fn spectral_radius(amplification: &DMatrix<f64>) -> f64 {
    eigenvalues(amplification).iter().fold(0.0, |radius, value| match value.norm() {
        norm if norm.is_nan() => f64::NAN,
        norm => norm.max(radius),
    })
}

/// All eigenvalues; a single NaN if the matrix is not finite.
fn eigenvalues(matrix: &DMatrix<f64>) -> Vec<Complex<f64>> {
    if matrix.iter().all(|value| value.is_finite()) {
        // The complex form is triangular; the blocks of the real form are NaN for some multiple eigenvalues.
        let (_, triangular) = matrix.map(Complex::from).schur().unpack();
        return triangular.diagonal().iter().copied().collect();
    }
    vec![Complex::new(f64::NAN, f64::NAN)]
}

/// Phase and growth of the physical mode of the undamped oscillator in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Ω, rad.
    pub omega: f64,
    /// Phase angle of the mode in a step, rad, continuous in Ω and not limited to π.
    pub phase: f64,
    /// Logarithm of the factor by which its amplitude changes in a step.
    pub log_modulus: f64,
}

impl Mode {
    /// ξ̄, the amplitude decay ratio: the numerical damping ratio of the scheme. [zhang, Sect. 4]
    pub fn amplitude_decay(&self) -> f64 {
        -self.log_modulus / self.phase.hypot(self.log_modulus)
    }

    /// (T̄ − T)/T, the period elongation ratio. [zhang, Sect. 4]
    pub fn period_elongation(&self) -> f64 {
        self.omega / self.phase.hypot(self.log_modulus) - 1.0
    }
}

/// Largest change of Ω over which a mode is followed.
const FOLLOWED: f64 = 0.02;

/// The physical mode of the undamped oscillator at each Ω, increasing: the one that begins as e^{iΩ}.
///
/// # Examples
/// The trapezoidal rule has a phase of 2 arctan(Ω/2) instead of Ω, and no damping.
///
/// ```
/// use hamel::linear_analysis::physical_modes;
/// use hamel::tables;
///
/// let rule = tables::trapezoidal();
/// let modes = physical_modes(|oscillator| rule.amplification(oscillator), &[0.5, 1.0, 2.0]);
/// for mode in modes {
///     let phase = 2.0 * f64::atan(mode.omega / 2.0);
///     assert!((mode.phase - phase).abs() < 1e-12 && mode.amplitude_decay().abs() < 1e-12);
///     assert!((mode.period_elongation() - (mode.omega / phase - 1.0)).abs() < 1e-12);
/// }
/// ```
pub fn physical_modes(amplification: impl Fn(Oscillator) -> DMatrix<f64>, omegas: &[f64]) -> Vec<Mode> {
    let mut modes = Vec::with_capacity(omegas.len());
    let (mut omega, mut value, mut phase) = (0.0, Complex::new(1.0, 0.0), 0.0);
    // Logarithmic derivative of the eigenvalue with respect to Ω; it is i at the beginning.
    let mut rate = Complex::new(0.0, 1.0);
    for &target in omegas {
        let steps = ((target - omega) / FOLLOWED).ceil().max(1.0) as usize;
        let step = (target - omega) / steps as f64;
        for _ in 0..steps {
            omega += step;
            let expected = value * (rate * step).exp();
            let all = eigenvalues(&amplification(Oscillator::undamped(omega)));
            let nearest = all.into_iter().min_by(|a, b| (a - expected).norm().total_cmp(&(b - expected).norm()));
            let next = nearest.unwrap_or(Complex::new(f64::NAN, f64::NAN));
            let change = (next / value).ln();
            phase += change.im;
            if step > 0.0 {
                rate = change / step;
            }
            value = next;
        }
        modes.push(Mode { omega: target, phase, log_modulus: value.norm().ln() });
    }
    modes
}

/// A spectral radius that exceeds one by less than this counts as one, because of rounding.
const ROUNDING: f64 = 1e-9;

/// The largest Ω up to which no mode of the undamped oscillator grows; `None` if it is above `most`.
///
/// It is located on a grid of width 0.01, then by bisection: narrower intervals of instability are missed.
///
/// # Examples
/// Runge and Kutta's scheme is stable for `|R(iΩ)|² = 1 − Ω⁶/72 + Ω⁸/576 ≤ 1`, up to Ω = √8; the trapezoidal rule always.
///
/// ```
/// use hamel::linear_analysis::stability_limit;
/// use hamel::tables;
///
/// let limit = |table: tables::Tableau| stability_limit(move |oscillator| table.amplification(oscillator), 10.0);
/// assert!(limit(tables::runge_kutta4()).is_some_and(|limit| (limit - 8_f64.sqrt()).abs() < 1e-6));
/// assert_eq!(limit(tables::trapezoidal()), None);
/// ```
pub fn stability_limit(amplification: impl Fn(Oscillator) -> DMatrix<f64>, most: f64) -> Option<f64> {
    let is_stable = |omega: f64| spectral_radius(&amplification(Oscillator::undamped(omega))) <= 1.0 + ROUNDING;
    let grid = 0.01;
    let (mut low, mut high) = (0.0, grid);
    while is_stable(high) {
        if high > most {
            return None;
        }
        (low, high) = (high, high + grid);
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if is_stable(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}
