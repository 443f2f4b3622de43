//! Jacobi's elliptic functions of a real argument, by the arithmetic-geometric mean.
//! [Abramowitz and Stegun, Sects. 16.4, 17.6]

/// sn, cn and dn of u with the parameter m = k², 0 ≤ m < 1.
pub(crate) fn jacobi(u: f64, m: f64) -> [f64; 3] {
    let scale = means(m);
    let (first, others) = scale.split_first().unwrap_or((&[1.0, 0.0], &[]));
    let last = others.last().unwrap_or(first)[0];
    // Landen's transformation, back from the last mean to the first.
    let mut amplitude = f64::from(1_u32 << others.len()) * last * u;
    for &[a, c] in others.iter().rev() {
        amplitude = 0.5 * (amplitude + (c / a * amplitude.sin()).asin());
    }
    let (sn, cn) = amplitude.sin_cos();
    [sn, cn, (1.0 - m * sn * sn).sqrt()]
}

/// K(m), a quarter of the period of sn.
pub(crate) fn quarter_period(m: f64) -> f64 {
    let scale = means(m);
    std::f64::consts::FRAC_PI_2 / scale[scale.len() - 1][0]
}

/// Arithmetic means a and half differences c, until these are rounding.
fn means(m: f64) -> Vec<[f64; 2]> {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    let mut means = vec![[a, m.sqrt()]];
    while a - b > 2.0 * f64::EPSILON * a {
        let difference = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        means.push([a, difference]);
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the differential equations: sn′ = cn dn, by differences, and the values at the quarter period.
    #[test]
    fn functions_obey_their_equations() {
        for m in [0.0, 0.1, 0.5, 0.9, 0.999_4] {
            for k in -20..=20 {
                let u = 0.3 * f64::from(k);
                let [sn, cn, dn] = jacobi(u, m);
                let (ahead, behind) = (jacobi(u + 1e-5, m), jacobi(u - 1e-5, m));
                assert!((sn * sn + cn * cn - 1.0).abs() < 1e-14);
                assert!(((ahead[0] - behind[0]) / 2e-5 - cn * dn).abs() < 1e-9, "sn, m = {m}, u = {u}");
                assert!(((ahead[1] - behind[1]) / 2e-5 + sn * dn).abs() < 1e-9, "cn, m = {m}, u = {u}");
            }
            let [sn, cn, _] = jacobi(quarter_period(m), m);
            assert!((sn - 1.0).abs() < 1e-13 && cn.abs() < 1e-13, "m = {m}");
        }
        assert!((quarter_period(0.5) - 1.854_074_677_301_371_9).abs() < 1e-15);
    }
}
