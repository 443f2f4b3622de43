//! The linear analysis against printed digits, closed forms and limits, over every family.

use std::f64::consts::TAU;

use hamel::linear_analysis::{self as linear, Mode, Oscillator, physical_modes, spectral_radius};
use hamel::tables::{self, NewmarkFamily};
use nalgebra::{Complex, DMatrix};

type Amplification = Box<dyn Fn(Oscillator) -> DMatrix<f64>>;

/// A scheme by the name and parameter of the data file.
fn scheme(name: &str, parameter: f64) -> Amplification {
    let tableau = |tableau: tables::Tableau| -> Amplification { Box::new(move |o| tableau.amplification(o)) };
    let newmark = |family: NewmarkFamily| -> Amplification { Box::new(move |o| family.amplification(o)) };
    match name {
        "lms2" | "lms3" | "lms4" => {
            let scheme = tables::lms(name[3..].parse().unwrap(), parameter).unwrap();
            Box::new(move |o| scheme.amplification(o))
        }
        "ss2" | "ss3" | "ss4" => {
            let scheme = tables::ss(name[2..].parse().unwrap(), parameter).unwrap();
            Box::new(move |o| scheme.amplification(o))
        }
        "msstc3" | "msstc4" | "msstc5" => tableau(tables::msstc(name[5..].parse().unwrap(), parameter).unwrap()),
        "mssth3" | "mssth4" | "mssth5" => tableau(tables::mssth(name[5..].parse().unwrap(), parameter).unwrap()),
        "rho_bathe" => tableau(tables::rho_bathe(parameter).unwrap()),
        "ed_alpha" => tableau(tables::ed_alpha(parameter, 1.0 / 6.0).unwrap()),
        "trapezoidal" => tableau(tables::trapezoidal()),
        "bathe" => tableau(tables::bathe()),
        "esdirk324" => tableau(tables::esdirk324()),
        "esdirk325" => tableau(tables::esdirk325()),
        "esdirk436sa2" => tableau(tables::esdirk436sa2()),
        "newmark" => newmark(NewmarkFamily::newmark(parameter, 0.5)),
        "newmark_damped" => newmark(NewmarkFamily::newmark(parameter, 0.6)),
        "hht" => newmark(NewmarkFamily::hht(parameter)),
        "generalized_alpha" => newmark(NewmarkFamily::generalized_alpha(parameter)),
        "newmark_corrector1" => Box::new(move |o| linear::newmark_corrector(parameter, 0.5, 1, o)),
        "newmark_corrector2" => Box::new(move |o| linear::newmark_corrector(parameter, 0.5, 2, o)),
        "newmark_corrector3" => Box::new(move |o| linear::newmark_corrector(parameter, 0.5, 3, o)),
        "modified_euler" => Box::new(linear::modified_euler),
        "runge_kutta_like" => Box::new(linear::runge_kutta_like),
        "moreau" => Box::new(linear::moreau),
        "half_explicit" => Box::new(linear::half_explicit),
        _ => panic!("unknown scheme {name}"),
    }
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found:e} instead of {expected:e} ± {tolerance:e}");
}

#[test]
fn dissipation_and_dispersion_have_the_digits_of_an_independent_study() {
    let lines = include_str!("data/linear_measures.txt").lines().filter(|line| !line.starts_with('#'));
    let omegas = [0.05, 0.1, 0.2].map(|steps| TAU * steps);
    for line in lines {
        let mut words = line.split_whitespace();
        let (name, parameter) = (words.next().unwrap(), words.next().unwrap());
        let expected: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let modes = physical_modes(scheme(name, parameter.parse().unwrap_or(0.0)), &omegas);
        let found = modes.iter().flat_map(|mode| [mode.amplitude_decay(), mode.period_elongation()]);
        for (found, expected) in found.zip(expected) {
            // Seven digits are printed; below is what rounding leaves of an eigenvalue, more where roots are multiple.
            let what = format!("{name} {parameter}");
            assert_near(found, expected, 6e-7 * expected.abs() + 2e-13, &what);
        }
    }
}

#[test]
fn single_step_schemes_have_the_modes_of_their_multistep_schemes() {
    let omegas: Vec<f64> = (1..40).map(|k| 0.05 * f64::from(k)).collect();
    for r in ["2", "3", "4"] {
        for rho in [0.0, 0.25, 0.6, 0.9] {
            let multistep = physical_modes(scheme(&format!("lms{r}"), rho), &omegas);
            let single = physical_modes(scheme(&format!("ss{r}"), rho), &omegas);
            for (a, b) in multistep.iter().zip(&single) {
                let what = format!("r = {r}, ρ∞ = {rho}, Ω = {}", a.omega);
                assert_near(b.phase, a.phase, 1e-9, &what);
                assert_near(b.log_modulus, a.log_modulus, 1e-9, &what);
            }
        }
    }
}

/// det(ζ − A) of SS is ζ² det(ζ − A) of LMS, whatever ρ∞: no root is left over, and zero belongs to ẏ, which follows
/// from y.
#[test]
fn single_step_schemes_have_the_roots_of_their_multistep_schemes_and_no_others() {
    let at = |matrix: &DMatrix<f64>, zeta: Complex<f64>| {
        let n = matrix.nrows();
        (DMatrix::identity(n, n) * zeta - matrix.map(Complex::from)).determinant()
    };
    for r in ["2", "3", "4"] {
        for rho in [0.0, 0.02, 0.05, 0.1, 0.3, 0.6, 0.95, 1.0] {
            for omega in [0.01, 0.1, 1.0, 10.0, 100.0] {
                let oscillator = Oscillator { omega, damping: 0.1 };
                let multistep = scheme(&format!("lms{r}"), rho)(oscillator);
                let single = scheme(&format!("ss{r}"), rho)(oscillator);
                for angle in 0..8 {
                    let zeta = Complex::from_polar(0.8, 0.3 + TAU / 8.0 * f64::from(angle));
                    let (found, expected) = (at(&single, zeta), zeta * zeta * at(&multistep, zeta));
                    let what = format!("r = {r}, ρ∞ = {rho}, Ω = {omega}");
                    assert_near((found - expected).norm(), 0.0, 1e-10, &what);
                }
            }
        }
    }
}

#[test]
fn a_single_step_sequence_satisfies_the_multistep_recursion() {
    let oscillator = Oscillator { omega: 0.3, damping: 0.05 };
    for r in 2..=4 {
        for rho in [0.0, 0.3, 0.6, 0.95] {
            let (multistep, single) = (tables::lms(r, rho).unwrap(), tables::ss(r, rho).unwrap());
            let step = single.amplification(oscillator);
            // All derivatives begin as that of the state (1, ½); w¹ of SS3 and SS4 has imaginary parts, which are zero.
            let rate = [0.5, -0.09 - 2.0 * 0.05 * 0.3 * 0.5];
            let mut state = nalgebra::DVector::zeros(2 * (r + 1));
            state.rows_mut(0, 2).copy_from_slice(&[1.0, 0.5]);
            for &real in if r == 4 { &[2, 4, 8][..] } else { &[2, 4] } {
                state.rows_mut(real, 2).copy_from_slice(&rate);
            }
            let mut past = vec![state];
            for _ in 0..20 {
                past.push(&step * &past[past.len() - 1]);
            }
            for now in r..past.len() {
                for k in 0..2 {
                    let mut defect = past[now][k] - multistep.beta[0] * past[now][2 + k];
                    for j in 1..=r {
                        let old = &past[now - j];
                        defect -= multistep.alpha[j - 1] * old[k] + multistep.beta[j] * old[2 + k];
                    }
                    assert_near(defect, 0.0, 4e-15, &format!("r = {r}, ρ∞ = {rho}"));
                }
            }
        }
    }
}

#[test]
fn multistep_schemes_are_stable_and_reach_their_limit() {
    for r in 2..=4 {
        for rho in [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95] {
            let scheme = tables::lms(r, rho).unwrap();
            for index in 0..=900 {
                let omega = 10f64.powf(-3.0 + f64::from(index) / 100.0);
                let radius = spectral_radius(&scheme.amplification(Oscillator::undamped(omega)));
                assert!(radius <= 1.0 + 1e-12, "LMS{r}, ρ∞ = {rho}, Ω = {omega}: {radius}");
            }
            // An r-fold root is approached like Ω^{−1/r}.
            let radius = spectral_radius(&scheme.amplification(Oscillator::undamped(1e6)));
            assert_near(radius, rho, 3.0 * 1e6_f64.powf(-1.0 / f64::from(r as u32)), &format!("LMS{r}, ρ∞ = {rho}"));
        }
    }
}

#[test]
fn a_change_of_step_keeps_the_second_order_of_lms2_and_its_limit() {
    for rho in [0.0, 0.4, 0.8, 1.0] {
        let (alpha, beta) = tables::lms2_variable(rho, 1.0).unwrap();
        let equal = tables::lms(2, rho).unwrap();
        for (found, expected) in alpha.iter().chain(&beta).zip(equal.alpha.iter().chain(&equal.beta)) {
            assert_near(*found, *expected, 4e-15, "equal steps");
        }
        for ratio in [0.3, 0.7, 1.5, 3.0] {
            let (alpha, beta) = tables::lms2_variable(rho, ratio).unwrap();
            let at = [1.0, 0.0, -1.0 / ratio];
            for power in 0..=2 {
                let value = |t: f64| t.powi(power);
                let rate = |t: f64| if power == 0 { 0.0 } else { f64::from(power) * t.powi(power - 1) };
                let defect = value(at[0])
                    - alpha[0] * value(at[1])
                    - alpha[1] * value(at[2])
                    - (0..3).map(|j| beta[j] * rate(at[j])).sum::<f64>();
                assert_near(defect, 0.0, 1e-13, &format!("ρ∞ = {rho}, ratio {ratio}, power {power}"));
            }
            // β_0 ζ² + β_1 ζ + β_2 = β_0 (ζ + ρ∞)².
            assert_near(beta[1], 2.0 * rho * beta[0], 1e-14, "sum of roots");
            assert_near(beta[2], rho * rho * beta[0], 1e-14, "product of roots");
        }
    }
}

#[test]
fn predictors_are_exact_for_their_polynomials() {
    for ratio in [0.5, 1.0, 1.7] {
        let two = tables::two_point(ratio);
        // [zhang, Eqs. 13, 14], with the sign of m_0 that consistency asks for.
        let m0 = -6.0 * ratio * ratio * (1.0 + ratio);
        let expected = [m0, -m0, (1.0 + ratio) * (1.0 + 3.0 * ratio), ratio * (2.0 + 3.0 * ratio)];
        for (found, expected) in two.values.iter().chain(&two.derivatives).zip(expected) {
            assert_near(*found, expected, 1e-13, "two-point");
        }
        for before in [0.6, 1.0, 2.0] {
            let three = tables::three_point(ratio, before);
            let at = [0.0, -1.0 / ratio, -1.0 / ratio - 1.0 / (ratio * before)];
            for power in 0..=5 {
                let rate = |t: f64| if power == 0 { 0.0 } else { f64::from(power) * t.powi(power - 1) };
                let found: f64 =
                    (0..3).map(|i| three.values[i] * at[i].powi(power) + three.derivatives[i] * rate(at[i])).sum();
                let size = three.values.iter().fold(1.0_f64, |size, m| m.abs().max(size));
                assert_near(found, rate(1.0), 1e-13 * size, &format!("three-point, power {power}"));
            }
        }
    }
}

#[test]
fn limits_of_stability_are_those_of_closed_forms() {
    let cases: [(&str, f64, Option<f64>); 10] = [
        ("modified_euler", 0.0, Some(2.0)),
        ("moreau", 0.0, Some(2.0)),
        ("half_explicit", 0.0, Some(2.0)),
        ("runge_kutta_like", 0.0, Some((12.0 - 4.0 * 3.0_f64.sqrt()).sqrt())),
        ("newmark", 0.0, Some(2.0)),
        ("newmark", 1.0 / 12.0, Some(6.0_f64.sqrt())),
        ("newmark", 1.0 / 6.0, Some(12.0_f64.sqrt())),
        ("newmark", 0.25, None),
        ("hht", -0.1, None),
        ("generalized_alpha", 0.5, None),
    ];
    for (name, parameter, expected) in cases {
        let found = linear::stability_limit(scheme(name, parameter), 50.0);
        match (found, expected) {
            (Some(found), Some(expected)) => assert_near(found, expected, 1e-6, name),
            (found, expected) => assert_eq!(found, expected, "{name} {parameter}"),
        }
    }
}

#[test]
fn damping_reaches_the_scheme() {
    // ζ = 0.1: at small steps every scheme follows exp(−ζΩ) of the exact motion.
    let oscillator = Oscillator { omega: 0.01, damping: 0.1 };
    for name in ["lms3", "ss4", "msstc4", "mssth5", "ed_alpha", "generalized_alpha", "moreau", "newmark_corrector2"] {
        let radius = spectral_radius(&scheme(name, 0.5)(oscillator));
        // Moreau's rule is of first order only in the damping force.
        assert_near(radius.ln(), -0.1 * 0.01, 1e-5, name);
    }
}

#[test]
fn values_that_are_not_finite_are_reported_as_such() {
    let radius = spectral_radius(&scheme("lms2", 0.5)(Oscillator::undamped(f64::NAN)));
    assert!(radius.is_nan());
    let modes: Vec<Mode> = physical_modes(|_| DMatrix::from_element(2, 2, f64::NAN), &[0.1]);
    assert!(modes[0].amplitude_decay().is_nan());
}
