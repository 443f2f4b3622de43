//! Models compile whatever stands around them, in the edition of this workspace.

#![allow(dead_code, non_camel_case_types, non_upper_case_globals, unused_imports, reason = "names are what is tested")]

use hamel::Model;

macro_rules! model {
    ($($tokens:tt)*) => { ::hamel::multibody! { $($tokens)* } };
}

#[path = "surroundings/corpus.rs"]
mod corpus;
