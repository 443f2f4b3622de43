//! The tests of this crate, as one program: to link one for each file takes longer than to run most of them.

mod adaptive;
mod allocation;
mod common;
mod constraint_levels;
mod controllers;
#[cfg(feature = "macros")]
mod ensemble;
mod equilibria;
#[cfg(feature = "macros")]
mod examples;
#[cfg(all(feature = "macros", feature = "simd"))]
mod lanes;
mod linear_laws;
mod modal;
#[cfg(feature = "macros")]
mod names;
mod newton_matrix;
mod nonsmooth;
mod own_schemes;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "macros")]
mod passed_contacts;
mod poses;
mod printed_formulas;
#[cfg(all(feature = "macros", feature = "simd"))]
#[path = "../src/random.rs"]
mod random;
mod scheme_laws;
mod schemes_page;
#[cfg(feature = "serde")]
mod serialised;
#[cfg(feature = "macros")]
mod simulation;
mod table_laws;
