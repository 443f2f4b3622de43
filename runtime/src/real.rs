//! The scalar of generated kernels.

use crate::sine_cosine;

/// A scalar that generated kernels can run on: `f64`, `f32`, or lanes of them.
///
/// Only what generated code needs; results follow the scalar's own arithmetic.
///
/// # Examples
/// A kernel that runs on numbers of single and double precision.
///
/// ```
/// use hamel::Real;
///
/// fn height<T: Real>(angle: T) -> T {
///     let (sine, cosine) = angle.sin_cos();
///     T::from_f64(1.0) - cosine * cosine - sine * sine
/// }
/// assert!(height(0.7_f64).abs() < 1e-15 && height(0.7_f32).abs() < 1e-6);
/// ```
pub trait Real:
    Copy
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<Output = Self>
    + core::ops::Div<Output = Self>
    + core::ops::Neg<Output = Self>
{
    /// The nearest value of this scalar.
    fn from_f64(value: f64) -> Self;
    /// `self * factor + addend`, in one operation and with one rounding where the processor has it, else in two:
    /// never by a function call, unlike [`f64::mul_add`].
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
    /// Sine and cosine of each angle; three and more of `f64` in lanes.
    #[inline(always)]
    fn sin_cos_each<const N: usize>(angles: [Self; N]) -> [(Self, Self); N] {
        angles.map(Self::sin_cos)
    }
    /// Tangent.
    fn tan(self) -> Self;
    /// Arc sine.
    fn asin(self) -> Self;
    /// Arc cosine.
    fn acos(self) -> Self;
    /// Arc tangent.
    fn atan(self) -> Self;
    /// Arc tangent of `self / x` in the right quadrant.
    fn atan2(self, x: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// `self` to the power `exponent`.
    fn powf(self, exponent: Self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// −1, 0 or 1 (0 at 0, so that derivatives of |x| are defined).
    fn signum0(self) -> Self;
    /// The smaller one.
    fn min(self, other: Self) -> Self;
    /// The larger one.
    fn max(self, other: Self) -> Self;
    /// `then` where `self < limit`, else `otherwise`.
    fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self;
}

/// Whether the processor that is compiled for multiplies and adds in one operation. All with 64-bit ARM do.
pub const HAS_FUSED_MULTIPLY_ADD: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

/// A function of the standard library, or of the one that replaces it.
#[cfg(feature = "std")]
macro_rules! library {
    ($float:ty, $function:ident) => {
        <$float>::$function
    };
}
#[cfg(not(feature = "std"))]
macro_rules! library {
    ($float:ty, $function:ident) => {
        <$float as num_traits::Float>::$function
    };
}

macro_rules! impl_real {
    ($float:ty $(, $sin_cos_each:path)?) => {
        impl Real for $float {
            $(
                #[inline(always)] fn sin_cos_each<const N: usize>(angles: [Self; N]) -> [(Self, Self); N] {
                    $sin_cos_each(angles)
                }
            )?
            #[inline(always)] fn from_f64(value: f64) -> Self { value as $float }
            #[inline(always)] fn mul_add(self, factor: Self, addend: Self) -> Self {
                if HAS_FUSED_MULTIPLY_ADD { library!($float, mul_add)(self, factor, addend) } else { self * factor + addend }
            }
            #[inline(always)] fn sin(self) -> Self { library!($float, sin)(self) }
            #[inline(always)] fn cos(self) -> Self { library!($float, cos)(self) }
            #[inline(always)] fn sin_cos(self) -> (Self, Self) { library!($float, sin_cos)(self) }
            #[inline(always)] fn tan(self) -> Self { library!($float, tan)(self) }
            #[inline(always)] fn asin(self) -> Self { library!($float, asin)(self) }
            #[inline(always)] fn acos(self) -> Self { library!($float, acos)(self) }
            #[inline(always)] fn atan(self) -> Self { library!($float, atan)(self) }
            #[inline(always)] fn atan2(self, x: Self) -> Self { library!($float, atan2)(self, x) }
            #[inline(always)] fn sqrt(self) -> Self { library!($float, sqrt)(self) }
            #[inline(always)] fn exp(self) -> Self { library!($float, exp)(self) }
            #[inline(always)] fn ln(self) -> Self { library!($float, ln)(self) }
            #[inline(always)] fn tanh(self) -> Self { library!($float, tanh)(self) }
            #[inline(always)] fn powf(self, exponent: Self) -> Self { library!($float, powf)(self, exponent) }
            #[inline(always)] fn abs(self) -> Self { library!($float, abs)(self) }
            #[inline(always)] fn signum0(self) -> Self { if self > 0.0 { 1.0 } else if self < 0.0 { -1.0 } else { 0.0 } }
            #[inline(always)] fn min(self, other: Self) -> Self { library!($float, min)(self, other) }
            #[inline(always)] fn max(self, other: Self) -> Self { library!($float, max)(self, other) }
            #[inline(always)] fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
                if self < limit { then } else { otherwise }
            }
        }
    };
}
impl_real!(f64, sine_cosine::sin_cos);
impl_real!(f32);
