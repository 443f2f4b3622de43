//! What a crate with the standard library finds without an import.

pub(crate) use alloc::borrow::ToOwned;
pub(crate) use alloc::boxed::Box;
pub(crate) use alloc::string::{String, ToString};
pub use alloc::vec::Vec;
pub(crate) use alloc::{format, vec};

/// Square roots, sines, and powers of numbers, which processors without an operating system have from a library.
#[cfg(not(feature = "std"))]
pub(crate) use num_traits::Float as _;
