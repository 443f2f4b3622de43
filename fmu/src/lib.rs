//! Models as functional mock-up units, for every program that reads the Functional Mock-up Interface, FMI 3.0 or 2.0.
//!
//! A unit is an archive: a description in XML, the text of the model with settings, and this crate as a shared library.
//! When an importer makes an instance, the library compiles the text to machine code. So no compiler is needed to write a
//! unit, and it has everything that models have: constraints, contacts, flexible members, every scheme.
//!
//! [`write`](fn@write) makes a unit, and [`write_sources`] one that has sources in C99 in the place of the library. [`Instance`] is what the functions of the interface do, in safe Rust; the modules
//! `fmi3` and `fmi2` are these functions, as importers call them.
#![allow(unsafe_code, reason = "importers call functions of C; each block says why it may")]

mod archive;
mod derivatives;
mod description;
mod fmi2;
mod fmi3;
mod handle;
mod instance;
mod machine;
mod settings;
mod snapshot;
mod sources;
mod variables;

pub use archive::{Contents, ExportError, write};
pub use derivatives::Side;
pub use instance::{Fault, Instance};
pub use settings::{Kind, Settings, Stepping, Version};
pub use snapshot::Snapshot;
pub use sources::{C_SCHEMES, write_sources};
pub use variables::{Causality, Variable, Variables};
