//! Values that are computed when they are first asked for, also where there is no standard library.

#[cfg(feature = "std")]
pub use std::sync::{LazyLock as Lazy, OnceLock as Once};

#[cfg(not(feature = "std"))]
pub use without_std::{Lazy, Once};

/// Without locks: two that ask at the same time may both compute the value, and both take the one that was there first.
#[cfg(not(feature = "std"))]
mod without_std {
    use core::ops::Deref;

    use once_cell::race::OnceBox;

    use crate::prelude::*;

    /// A value that is set once.
    pub struct Once<T>(OnceBox<T>);

    impl<T> Default for Once<T> {
        fn default() -> Self {
            Self(OnceBox::new())
        }
    }

    impl<T> Once<T> {
        pub fn get(&self) -> Option<&T> {
            self.0.get()
        }

        pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
            self.0.get_or_init(|| Box::new(make()))
        }
    }

    /// A value that a function gives once.
    pub struct Lazy<T> {
        value: OnceBox<T>,
        make: fn() -> T,
    }

    impl<T> Lazy<T> {
        /// Asks nothing yet.
        pub const fn new(make: fn() -> T) -> Self {
            Self { value: OnceBox::new(), make }
        }
    }

    impl<T> Deref for Lazy<T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.value.get_or_init(|| Box::new((self.make)()))
        }
    }
}
