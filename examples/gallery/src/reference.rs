//! What independent computations have in common: ordinary differential equations, integrals, roots, elliptic integrals,
//! natural frequencies.

use hamel::nalgebra::{DMatrix, SymmetricEigen};

/// The solution of x′ = f(t, x), found by the scheme of Runge and Kutta with steps of one length.
pub struct Course<F, const N: usize> {
    rate: F,
    step: f64,
    time: f64,
    state: [f64; N],
}

impl<F: Fn(f64, &[f64; N]) -> [f64; N], const N: usize> Course<F, N> {
    /// From a state at time zero, by steps of this length, s.
    pub fn new(state: [f64; N], step: f64, rate: F) -> Self {
        Self { rate, step, time: 0.0, state }
    }

    /// The state at a time, s, that is not before the last one.
    pub fn at(&mut self, time: f64) -> [f64; N] {
        while self.time < time {
            let step = self.step.min(time - self.time);
            let rate = |part: f64, slope: Option<&[f64; N]>| {
                let moved: [f64; N] =
                    std::array::from_fn(|i| self.state[i] + slope.map_or(0.0, |slope| part * step * slope[i]));
                (self.rate)(self.time + part * step, &moved)
            };
            let a = rate(0.0, None);
            let b = rate(0.5, Some(&a));
            let c = rate(0.5, Some(&b));
            let d = rate(1.0, Some(&c));
            self.state = std::array::from_fn(|i| self.state[i] + step / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
            self.time = if step < self.step { time } else { self.time + step };
        }
        self.state
    }

    /// The first time, s, at which a quantity is positive, up to a step.
    pub fn until(&mut self, quantity: impl Fn(&[f64; N]) -> f64) -> f64 {
        while quantity(&self.state) <= 0.0 && self.time < 1e3 {
            self.at(self.time + self.step);
        }
        self.time
    }
}

/// The complete elliptic integral K(k), by the arithmetic and geometric mean.
pub fn elliptic(k: f64) -> f64 {
    let (mut a, mut g) = (1.0, (1.0 - k * k).sqrt());
    for _ in 0..40 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

/// The root between two places at which a function has different signs.
pub fn root(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let is_positive = function(high) > 0.0;
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if (function(middle) > 0.0) == is_positive { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// The integral of a function by the midpoint rule with n intervals.
pub fn integral(from: f64, to: f64, n: usize, function: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / n as f64;
    (0..n).map(|i| h * function(from + (i as f64 + 0.5) * h)).sum()
}

/// Natural frequencies, rad/s, in ascending order, of a mass matrix that is diagonal or not and the Hessian of a
/// potential at an equilibrium, by central differences with steps of the size of each coordinate.
pub fn frequencies<const N: usize>(
    mass: [[f64; N]; N],
    sizes: [f64; N],
    potential: impl Fn(&[f64; N]) -> f64,
) -> Vec<f64> {
    let moved = |i: usize, a: f64, j: usize, b: f64| {
        let mut place = [0.0; N];
        place[i] += a * sizes[i];
        place[j] += b * sizes[j];
        potential(&place)
    };
    let stiffness = DMatrix::from_fn(N, N, |i, j| {
        let sum = moved(i, 1.0, j, 1.0) + moved(i, -1.0, j, -1.0) - moved(i, 1.0, j, -1.0) - moved(i, -1.0, j, 1.0);
        sum / (4.0 * sizes[i] * sizes[j])
    });
    let mass = DMatrix::from_fn(N, N, |i, j| mass[i][j]);
    let Some(factor) = mass.cholesky().and_then(|factor| factor.l().try_inverse()) else { return vec![f64::NAN; N] };
    let scaled = &factor * stiffness * factor.transpose();
    let symmetric = 0.5 * (&scaled + scaled.transpose());
    let mut found: Vec<f64> =
        SymmetricEigen::new(symmetric).eigenvalues.iter().map(|value| value.max(0.0).sqrt()).collect();
    found.sort_by(f64::total_cmp);
    found
}

/// The largest value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The smallest value.
pub fn smallest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The mean interval between times.
pub fn period(times: &[f64]) -> f64 {
    match times {
        [first, .., last] => (last - first) / (times.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// Vectors of three components.
pub mod vector {
    /// A vector.
    pub type Vector = [f64; 3];

    /// a + s b.
    pub fn add(a: Vector, s: f64, b: Vector) -> Vector {
        std::array::from_fn(|i| a[i] + s * b[i])
    }

    /// a · b.
    pub fn dot(a: Vector, b: Vector) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// a × b.
    pub fn cross(a: Vector, b: Vector) -> Vector {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_is_known() {
        let mut swing = Course::new([1.0, 0.0], 1e-2, |_, x| [x[1], -x[0]]);
        assert!((swing.at(2.0)[0] - 2.0_f64.cos()).abs() < 1e-9);
        assert!((elliptic(0.5) - 1.685_750_354_812_596).abs() < 1e-14);
        assert!((root(0.0, 3.0, |x| x * x - 2.0) - 2.0_f64.sqrt()).abs() < 1e-14);
        assert!((integral(0.0, 1.0, 1000, |x| x * x) - 1.0 / 3.0).abs() < 1e-6);
        let found = frequencies([[2.0, 0.0], [0.0, 1.0]], [1e-3; 2], |x| 4.0 * x[0] * x[0] + 4.5 * x[1] * x[1]);
        assert!((found[0] - 2.0).abs() < 1e-9 && (found[1] - 3.0).abs() < 1e-9, "{found:?}");
        assert_eq!(period(&[1.0, 1.5, 2.0]), 0.5);
    }
}
