//! How compiled functions are called, and the functions that they call.

use hamel_compiler::schedule::groups::Group;

/// What a compiled function reads, as it is laid out in memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Given {
    /// Factors before results are added.
    pub factors: [f64; FACTORS],
    /// By [`Group`]: constants are parameters in functions of these, and the values of a group of one are in a list too.
    pub values: [*const f64; GROUPS],
    pub places: [*const u32; GROUPS],
    pub functions: *const Functions,
}

/// Groups of arguments.
pub(crate) const GROUPS: usize = Group::ALL.len();

/// Factors that a function of the model is given at most.
pub(crate) const FACTORS: usize = 3;

/// Instances in lanes, see [`JitLanes`](crate::JitLanes).
pub const LANES: usize = 8;

/// Lists of results that a function of a kernel has at most: the derivatives of outputs.
pub(crate) const MOST_LISTS: usize = 5;

/// A compiled function: what it reads, and where each of its outputs begins.
pub(crate) type Compiled = unsafe extern "C" fn(*const Given, *const *mut f64);

/// Functions that processors do not have, as generated Rust calls them.
#[repr(C)]
pub(crate) struct Functions {
    pub unary: [extern "C" fn(f64) -> f64; UNARY],
    pub binary: [extern "C" fn(f64, f64) -> f64; BINARY],
    /// Sine and cosine of an angle.
    pub sin_cos: unsafe extern "C" fn(f64, *mut f64),
    /// Sines and cosines of so many angles, pair by pair.
    pub sin_cos_each: unsafe extern "C" fn(*const f64, *mut f64, usize),
    /// Sines of so many angles, and then their cosines: with the digits of `sin_cos_each`, and with those of `sin_cos`.
    pub sines_cosines: unsafe extern "C" fn(*const f64, *mut f64, usize),
    pub sines_cosines_of_library: unsafe extern "C" fn(*const f64, *mut f64, usize),
}

pub(crate) const UNARY: usize = 10;
pub(crate) const BINARY: usize = 4;

/// In the order of [`unary`] and [`binary`] in `translate`.
pub(crate) static FUNCTIONS: Functions = Functions {
    unary: [sin, cos, tan, asin, acos, atan, exp, ln, tanh, sign],
    binary: [atan2, power, min, max],
    sin_cos,
    sin_cos_each,
    sines_cosines,
    sines_cosines_of_library,
};

macro_rules! unary {
    ($($name:ident: $function:expr;)*) => {
        $(extern "C" fn $name(x: f64) -> f64 {
            $function(x)
        })*
    };
}

unary! {
    sin: f64::sin;
    cos: f64::cos;
    tan: f64::tan;
    asin: f64::asin;
    acos: f64::acos;
    atan: f64::atan;
    exp: f64::exp;
    ln: f64::ln;
    tanh: f64::tanh;
    sign: hamel::Real::signum0;
}

macro_rules! binary {
    ($($name:ident: $function:expr;)*) => {
        $(extern "C" fn $name(x: f64, y: f64) -> f64 {
            $function(x, y)
        })*
    };
}

binary! {
    atan2: f64::atan2;
    power: f64::powf;
    min: f64::min;
    max: f64::max;
}

/// # Safety
/// `pair` points to room for two values, which are initialised.
unsafe extern "C" fn sin_cos(angle: f64, pair: *mut f64) {
    let (sine, cosine) = angle.sin_cos();
    // SAFETY: by the contract of this function; compiled code passes a slot of its stack frame.
    unsafe { pair.cast::<[f64; 2]>().write([sine, cosine]) };
}

/// # Safety
/// `angles` points to `n` values, and `pairs` to room for twice as many, which are initialised.
unsafe extern "C" fn sin_cos_each(angles: *const f64, pairs: *mut f64, n: usize) {
    // SAFETY: by the contract of this function; compiled code passes two different slots of its stack frame.
    let (angles, pairs) =
        unsafe { (std::slice::from_raw_parts(angles, n), std::slice::from_raw_parts_mut(pairs, 2 * n)) };
    hamel::generated::sin_cos_each(angles, pairs);
}

/// # Safety
/// `angles` points to `n` values, and `found` to room for twice as many, which are initialised.
unsafe extern "C" fn sines_cosines(angles: *const f64, found: *mut f64, n: usize) {
    // SAFETY: as for `sin_cos_each`.
    let (angles, found) =
        unsafe { (std::slice::from_raw_parts(angles, n), std::slice::from_raw_parts_mut(found, 2 * n)) };
    let (sines, cosines) = found.split_at_mut(n);
    hamel::generated::sines_cosines(angles, sines, cosines);
}

/// # Safety
/// As for `sines_cosines`.
unsafe extern "C" fn sines_cosines_of_library(angles: *const f64, found: *mut f64, n: usize) {
    // SAFETY: as for `sin_cos_each`.
    let (angles, found) =
        unsafe { (std::slice::from_raw_parts(angles, n), std::slice::from_raw_parts_mut(found, 2 * n)) };
    let (sines, cosines) = found.split_at_mut(n);
    for ((angle, sine), cosine) in angles.iter().zip(sines).zip(cosines) {
        (*sine, *cosine) = angle.sin_cos();
    }
}
