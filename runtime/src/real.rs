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
                if HAS_FUSED_MULTIPLY_ADD { <$float>::mul_add(self, factor, addend) } else { self * factor + addend }
            }
            #[inline(always)] fn sin(self) -> Self { self.sin() }
            #[inline(always)] fn cos(self) -> Self { self.cos() }
            #[inline(always)] fn sin_cos(self) -> (Self, Self) { self.sin_cos() }
            #[inline(always)] fn tan(self) -> Self { self.tan() }
            #[inline(always)] fn asin(self) -> Self { self.asin() }
            #[inline(always)] fn acos(self) -> Self { self.acos() }
            #[inline(always)] fn atan(self) -> Self { self.atan() }
            #[inline(always)] fn atan2(self, x: Self) -> Self { self.atan2(x) }
            #[inline(always)] fn sqrt(self) -> Self { self.sqrt() }
            #[inline(always)] fn exp(self) -> Self { self.exp() }
            #[inline(always)] fn ln(self) -> Self { self.ln() }
            #[inline(always)] fn tanh(self) -> Self { self.tanh() }
            #[inline(always)] fn powf(self, exponent: Self) -> Self { self.powf(exponent) }
            #[inline(always)] fn abs(self) -> Self { self.abs() }
            #[inline(always)] fn signum0(self) -> Self { if self > 0.0 { 1.0 } else if self < 0.0 { -1.0 } else { 0.0 } }
            #[inline(always)] fn min(self, other: Self) -> Self { self.min(other) }
            #[inline(always)] fn max(self, other: Self) -> Self { self.max(other) }
            #[inline(always)] fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
                if self < limit { then } else { otherwise }
            }
        }
    };
}
impl_real!(f64, sine_cosine::sin_cos);
impl_real!(f32);
