//! Lanes of numbers as the scalar of generated kernels: several members, or several states, in one call.
//!
//! Inverse dynamics of a 7-joint arm takes 102 ns for four states in lanes and 482 ns in four calls, where the compiler knows
//! that the processor has the wide registers (`target-cpu=native`, or code that [`crate::together`] calls).

use core::ops::{Add, Div, Mul, Neg, Sub};

#[cfg(not(feature = "std"))]
use crate::prelude::*;
use crate::real::Real;
use crate::sine_cosine::{is_large, reduced, with_large};

/// N numbers that are computed with together.
///
/// It is a plain array whose operations are inlined, so that a compiler puts it into the registers of whatever function
/// calls them, as wide as they are there. Every lane has the digits of `f64`, whatever N, the processor and other lanes
/// are; sines and cosines are less than one unit in the last place off, and those of models with three and more angles.
///
/// # Examples
/// ```
/// use hamel::Real;
/// use hamel::lanes::Lanes;
///
/// let angles = Lanes([0.0, 0.5, 1.0]);
/// let (sine, cosine) = angles.sin_cos();
/// let one = sine * sine + cosine * cosine;
/// assert!(one.0.iter().all(|one| (one - 1.0).abs() < 1e-15));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Lanes<N> {
    #[inline(always)]
    fn each(self, function: impl Fn(f64) -> f64) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = function(self.0[i]);
        }
        Self(out)
    }

    #[inline(always)]
    fn with(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = function(self.0[i], other.0[i]);
        }
        Self(out)
    }
}

macro_rules! operators {
    ($($name:ident $function:ident $operator:tt),*) => { $(
        impl<const N: usize> $name for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $function(self, other: Self) -> Self {
                self.with(other, #[inline(always)] |a, b| a $operator b)
            }
        }
    )* };
}
operators!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.each(
            #[inline(always)]
            |a| -a,
        )
    }
}

macro_rules! by_lane {
    ($($function:ident($($other:ident)?)),*) => { $(
        #[inline(always)]
        fn $function(self $(, $other: Self)?) -> Self {
            by_lane!(@ self, $function $(, $other)?)
        }
    )* };
    (@ $self:ident, $function:ident) => { $self.each(#[inline(always)] |x| Real::$function(x)) };
    (@ $self:ident, $function:ident, $other:ident) => {
        $self.with($other, #[inline(always)] |x, y| Real::$function(x, y))
    };
}

impl<const N: usize> Real for Lanes<N> {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self([value; N])
    }

    // As `f64` does it for the processor that is compiled for, so that the digits are the same.
    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = Real::mul_add(self.0[i], factor.0[i], addend.0[i]);
        }
        Self(out)
    }

    #[inline(always)]
    fn sin(self) -> Self {
        self.sin_cos().0
    }

    #[inline(always)]
    fn cos(self) -> Self {
        self.sin_cos().1
    }

    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (mut sines, mut cosines, mut any_is_large) = ([0.0; N], [0.0; N], false);
        for i in 0..N {
            (sines[i], cosines[i]) = reduced(self.0[i]);
        }
        for i in 0..N {
            any_is_large |= is_large(self.0[i]);
        }
        if any_is_large {
            [sines, cosines] = with_large(self.0, [sines, cosines]);
        }
        (Self(sines), Self(cosines))
    }

    by_lane!(tan(), asin(), acos(), atan(), atan2(x), sqrt(), exp(), ln(), tanh(), powf(exponent), abs(), signum0());
    by_lane!(min(other), max(other));

    #[inline(always)]
    fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        let mut out = [0.0; N];
        for i in 0..N {
            out[i] = if self.0[i] < limit.0[i] { then.0[i] } else { otherwise.0[i] };
        }
        Self(out)
    }
}

/// Sines and cosines of numbers, in the widest registers of the processor on which the program runs; each has the digits
/// of [`Lanes`].
///
/// # Panics
/// Unless the lists are equally long.
pub fn sines_cosines(angles: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    assert!(angles.len() == sines.len() && angles.len() == cosines.len(), "as many sines and cosines as angles");
    pulp::Arch::new().dispatch(SinesCosines { angles, sines, cosines });
}

struct SinesCosines<'a> {
    angles: &'a [f64],
    sines: &'a mut [f64],
    cosines: &'a mut [f64],
}

impl pulp::NullaryFnOnce for SinesCosines<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        const AT_ONCE: usize = 8;
        let Self { angles, sines, cosines } = self;
        let all = angles.chunks(AT_ONCE).zip(sines.chunks_mut(AT_ONCE)).zip(cosines.chunks_mut(AT_ONCE));
        for ((angles, sines), cosines) in all {
            if let (Ok(angles), Ok(sines), Ok(cosines)) = (
                <&[f64; AT_ONCE]>::try_from(angles),
                <&mut [f64; AT_ONCE]>::try_from(&mut *sines),
                <&mut [f64; AT_ONCE]>::try_from(&mut *cosines),
            ) {
                let (sine, cosine) = Lanes(*angles).sin_cos();
                (*sines, *cosines) = (sine.0, cosine.0);
                continue;
            }
            let angle = |i: usize| angles.get(i).copied().unwrap_or(0.0);
            let (sine, cosine) = Lanes::<AT_ONCE>(core::array::from_fn(angle)).sin_cos();
            sines.copy_from_slice(&sine.0[..sines.len()]);
            cosines.copy_from_slice(&cosine.0[..cosines.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_does_not_depend_on_others() {
        let angles = [0.3, 2e6, f64::NAN, f64::INFINITY, -1e22, -7.0, 1.5e6, 0.0];
        let together = Lanes(angles).sin_cos();
        for (i, angle) in angles.into_iter().enumerate() {
            let alone = Lanes([angle]).sin_cos();
            assert_eq!(together.0.0[i].to_bits(), alone.0.0[0].to_bits(), "{angle}");
            assert_eq!(together.1.0[i].to_bits(), alone.1.0[0].to_bits(), "{angle}");
        }
    }

    #[test]
    fn lanes_have_the_digits_of_numbers() {
        let (x, y) = ([0.3, -1.2, 1.7, -0.01, 5.0], [-0.8, 2.1, 1.4, -3.0, 5.0]);
        let pairs: [(Lanes<5>, fn(f64, f64) -> f64); 8] = [
            (Lanes(x) / Lanes(y) - Lanes(x), |x, y| x / y - x),
            (Lanes(x).mul_add(Lanes(y), Lanes(x)), |x, y| Real::mul_add(x, y, x)),
            (Lanes(x).exp() + -Lanes(y), |x, y| x.exp() + -y),
            (Lanes(x).atan2(Lanes(y)), f64::atan2),
            (Lanes(x).abs().sqrt() * Lanes(y), |x, y| x.abs().sqrt() * y),
            (Lanes(x).min(Lanes(y)).tan(), |x, y| x.min(y).tan()),
            (Lanes(x).select_less(Lanes(y), Lanes(y), Lanes(x)), |x, y| if x < y { y } else { x }),
            (Lanes(x).signum0() * Lanes(y).tanh(), |x, y| x.signum() * y.tanh()),
        ];
        for (k, (found, expected)) in pairs.into_iter().enumerate() {
            for i in 0..5 {
                assert_eq!(found.0[i].to_bits(), expected(x[i], y[i]).to_bits(), "{k}, lane {i}");
            }
        }
    }
}
