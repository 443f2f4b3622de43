//! Weights of predictors: the derivative at a new time point, extrapolated from the last ones.
//!
//! The polynomial that takes the last values and derivatives is differentiated at the new point. [zhang, Eqs. 12-17]

/// `ẏ⁰ = Σ_i (m_i y_{k−1−i} / H + n_i ẏ_{k−1−i})`, H the distance from the last time point to the new one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predictor<const N: usize> {
    /// m, weights of values.
    pub values: [f64; N],
    /// n, weights of derivatives.
    pub derivatives: [f64; N],
}

/// The last derivative again. [zhang, Eq. 12]
pub fn constant() -> Predictor<1> {
    Predictor { values: [0.0], derivatives: [1.0] }
}

/// From two time points, exact for cubics; `ratio` is H over the distance of the two. [zhang, Eqs. 13, 14]
///
/// # Examples
/// The cubic y = t³ from t = 0 and t = 1 to t = 3, so that the ratio is 2 and H = 2: ẏ(3) = 27.
///
/// ```
/// let weights = hamel::tables::two_point(2.0);
/// let predicted = weights.values[0] * 1.0 / 2.0 + weights.derivatives[0] * 3.0;
/// assert!((predicted - 27.0).abs() < 1e-12);
/// ```
pub fn two_point(ratio: f64) -> Predictor<2> {
    hermite([0.0, -1.0 / ratio])
}

/// From three time points, exact for degree five; `ratio` is H over the distance of the last two, `ratio_before` that
/// distance over the one before. [zhang, Eqs. 16, 17]
///
/// # Examples
/// y = t⁵ at t = 0, 1 and 2, extrapolated to t = 4, with H = 2 and the ratios 2 and 1: ẏ(4) = 5 · 4⁴.
///
/// ```
/// let weights = hamel::tables::three_point(2.0, 1.0);
/// let values = [32.0, 1.0, 0.0].iter().zip(weights.values).map(|(y, m)| m * y / 2.0).sum::<f64>();
/// let rates = [80.0, 5.0, 0.0].iter().zip(weights.derivatives).map(|(rate, n)| n * rate).sum::<f64>();
/// assert!((values + rates - 1280.0).abs() < 1e-9);
/// ```
pub fn three_point(ratio: f64, ratio_before: f64) -> Predictor<3> {
    hermite([0.0, -1.0 / ratio, -(1.0 + 1.0 / ratio_before) / ratio])
}

/// The derivative at 1 of the Hermite interpolation at these points.
fn hermite<const N: usize>(points: [f64; N]) -> Predictor<N> {
    let mut predictor = Predictor { values: [0.0; N], derivatives: [0.0; N] };
    for i in 0..N {
        let others = || (0..N).filter(move |&j| j != i).map(|j| points[j]);
        // The Lagrange polynomial of this point with its logarithmic derivative, both at 1, and its slope at the point.
        let lagrange: f64 = others().map(|x| (1.0 - x) / (points[i] - x)).product();
        let logarithmic: f64 = others().map(|x| 1.0 / (1.0 - x)).sum();
        let slope: f64 = others().map(|x| 1.0 / (points[i] - x)).sum();
        let distance = 1.0 - points[i];
        let square = lagrange * lagrange;
        predictor.values[i] = square * (2.0 * logarithmic * (1.0 - 2.0 * distance * slope) - 2.0 * slope);
        predictor.derivatives[i] = square * (1.0 + 2.0 * distance * logarithmic);
    }
    predictor
}
