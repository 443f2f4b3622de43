//! Differences of what runs compute, for comparison with slopes.

/// Derivatives of a function by central differences, extrapolated twice.
pub fn differences(of: &dyn Fn(f64) -> Vec<f64>, h: f64) -> Vec<f64> {
    let slope = |h: f64| -> Vec<f64> {
        let (more, less) = (of(h), of(-h));
        more.iter().zip(less).map(|(more, less)| (more - less) / (2.0 * h)).collect()
    };
    let rows = [slope(h), slope(h / 2.0), slope(h / 4.0)];
    (0..rows[0].len())
        .map(|i| {
            let [a, b, c] = [rows[0][i], rows[1][i], rows[2][i]];
            let (ab, bc) = (b + (b - a) / 3.0, c + (c - b) / 3.0);
            bc + (bc - ab) / 15.0
        })
        .collect()
}
