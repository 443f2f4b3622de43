//! Models compile whatever stands around them, in an earlier edition and where `hamel` is called something else.

#![cfg(test)]
#![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_imports, reason = "names are what is tested")]

use dynamics::Model;

macro_rules! model {
    ($($tokens:tt)*) => { ::hamel_macros::multibody! { crate = dynamics; $($tokens)* } };
}

#[path = "../../runtime/tests/surroundings/corpus.rs"]
mod corpus;

/// The runtime where a library has it for its users.
mod library {
    pub mod reexported {
        pub use dynamics as hamel;
    }

    macro_rules! library_model {
        ($($tokens:tt)*) => { ::hamel_macros::multibody! { crate = $crate::library::reexported::hamel; $($tokens)* } };
    }

    library_model! {
        pub model Disc {
            planar;
            body disc { mass: 1 kg, inertia: 1 kg m^2 }
            joint motion: free(ground, disc);
        }
    }
}

#[test]
fn the_runtime_may_be_reexported() {
    assert_eq!(library::Disc::default().dims().nv, 3);
}
