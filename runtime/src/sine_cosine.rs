//! Sines and cosines of several angles at once, without branches, so that they are computed in lanes.
//!
//! Reduction by π/2 in three parts and the polynomials of fdlibm (Sun Microsystems, 1993: `e_rem_pio2.c`, `k_sin.c`,
//! `k_cos.c`); sums and products are rounded one by one, so that every processor finds the same digits.

#[cfg(not(feature = "std"))]
use crate::prelude::*;

/// Angles that are computed together.
const LANES: usize = 4;
/// Above this magnitude products with the first two parts of π/2 are not exact.
const LARGEST: f64 = 1.6e6;
/// Added to a number, it leaves the nearest integer in the last bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// π/2: two parts of 33 bits, and the rest.
const HALF_PI: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
const SINE: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];
const COSINE: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Sine and cosine of every angle, less than one unit in the last place off.
#[inline(always)]
pub(crate) fn sin_cos<const N: usize>(angles: [f64; N]) -> [(f64, f64); N] {
    let angle = |i: usize| if i < N { angles[i] } else { 0.0 };
    let mut pairs = [(0.0, 0.0); N];
    for (k, pairs) in pairs.chunks_mut(LANES).enumerate() {
        let [a, b, c, d] = core::array::from_fn(|i| angle(LANES * k + i));
        let [sines, cosines] = lanes(a, b, c, d);
        for (pair, found) in pairs.iter_mut().zip(sines.into_iter().zip(cosines)) {
            *pair = found;
        }
    }
    pairs
}

/// The same for any number of angles; sine and cosine of one follow each other.
pub fn sin_cos_each(angles: &[f64], pairs: &mut [f64]) {
    for (angles, pairs) in angles.chunks(LANES).zip(pairs.chunks_mut(2 * LANES)) {
        let angle = |i: usize| angles.get(i).copied().unwrap_or(0.0);
        let [sines, cosines] = lanes(angle(0), angle(1), angle(2), angle(3));
        for (pair, found) in pairs.chunks_exact_mut(2).zip(sines.into_iter().zip(cosines)) {
            (pair[0], pair[1]) = found;
        }
    }
}

/// Sines and cosines of four angles; an array of them would go through memory.
#[inline(never)]
fn lanes(a: f64, b: f64, c: f64, d: f64) -> [[f64; LANES]; 2] {
    let angles = [a, b, c, d];
    let (mut sines, mut cosines, mut any_is_large) = ([0.0; LANES], [0.0; LANES], false);
    for i in 0..LANES {
        (sines[i], cosines[i]) = reduced(angles[i]);
    }
    for i in 0..LANES {
        any_is_large |= is_large(angles[i]);
    }
    if any_is_large { with_large(angles, [sines, cosines]) } else { [sines, cosines] }
}

/// Whether an angle is too large for the reduction.
#[inline(always)]
pub(crate) fn is_large(angle: f64) -> bool {
    angle.abs() >= LARGEST
}

/// Sines and cosines of the angles that are too large by the library; the others stay, which none depends on.
#[cold]
#[inline(never)]
pub(crate) fn with_large<const N: usize>(angles: [f64; N], mut found: [[f64; N]; 2]) -> [[f64; N]; 2] {
    for i in 0..N {
        if is_large(angles[i]) {
            (found[0][i], found[1][i]) = angles[i].sin_cos();
        }
    }
    found
}

/// Sine and cosine of an angle that is not large.
#[inline(always)]
pub(crate) fn reduced(angle: f64) -> (f64, f64) {
    let shifted = angle * core::f64::consts::FRAC_2_PI + ROUNDER;
    let (quarter, turns) = (shifted.to_bits(), shifted - ROUNDER);
    // What is left of the angle, and what its rounding has lost.
    let first = angle - turns * HALF_PI[0];
    let second = turns * HALF_PI[1];
    let left = first - second;
    let rest = turns * HALF_PI[2] - ((first - left) - second);
    let x = left - rest;
    let lost = (left - x) - rest;

    let z = x * x;
    let [s1, s2, s3, s4, s5, s6] = SINE;
    let [c1, c2, c3, c4, c5, c6] = COSINE;
    let cube = z * x;
    let tail = s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)));
    let sine = x - ((z * (0.5 * lost - cube * tail) - lost) - cube * s1);
    let tail = z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))));
    let half = 0.5 * z;
    let one = 1.0 - half;
    let cosine = one + (((1.0 - one) - half) + (z * tail - x * lost));

    let is_odd = quarter & 1 == 1;
    let (a, b) = (if is_odd { cosine } else { sine }, if is_odd { sine } else { cosine });
    let sign = |value: f64, quarter: u64| f64::from_bits(value.to_bits() ^ ((quarter & 2) << 62));
    (sign(a, quarter), sign(b, quarter.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// How many units in the last place lie between two values.
    fn ulps(a: f64, b: f64) -> f64 {
        (a - b).abs() / (f64::EPSILON * b.abs().max(f64::MIN_POSITIVE))
    }

    #[test]
    fn angles_of_all_sizes_have_the_digits_of_the_library() {
        let (mut random, mut worst) = (Random(2015), 0.0_f64);
        for round in 0..200_000 {
            let angles: [f64; 5] = std::array::from_fn(|_| random.next() * 10_f64.powi(round % 14 - 8));
            for ((sine, cosine), angle) in sin_cos(angles).into_iter().zip(angles) {
                worst = worst.max(ulps(sine, angle.sin())).max(ulps(cosine, angle.cos()));
            }
        }
        // Each is less than one unit off.
        assert!(worst <= 2.0, "{worst}");
    }

    #[test]
    fn angles_near_multiples_of_a_quarter_turn_keep_their_digits() {
        for k in -4000..4000 {
            let angle = f64::from(k) * std::f64::consts::FRAC_PI_2;
            let near = [angle, f64::from_bits(angle.to_bits() + 1), angle * (1.0 + 1e-12)];
            for ((sine, cosine), angle) in sin_cos(near).into_iter().zip(near) {
                assert!(ulps(sine, angle.sin()) <= 2.0, "{angle:e}: {sine:e} {:e}", angle.sin());
                assert!(ulps(cosine, angle.cos()) <= 2.0, "{angle:e}: {cosine:e} {:e}", angle.cos());
            }
        }
    }

    #[test]
    fn other_angles_are_those_of_the_library() {
        let angles = [1e300, f64::INFINITY, f64::NAN, -0.0, 0.0, 1e22];
        // Beside others, too.
        let [_, (sine, cosine), ..] = sin_cos([1e22, 0.7, 1.6e6, 3.0]);
        assert_eq!([(sine, cosine)], sin_cos([0.7]));
        for ((sine, cosine), angle) in sin_cos(angles).into_iter().zip(angles) {
            assert_eq!(sine.to_bits() << 1, angle.sin().to_bits() << 1, "{angle}");
            assert_eq!(cosine.to_bits() << 1, angle.cos().to_bits() << 1, "{angle}");
        }
        let [(zero, one), ..] = sin_cos([-0.0, 0.0, 0.5]);
        assert!(zero == 0.0 && zero.is_sign_negative() && one == 1.0);
    }
}
