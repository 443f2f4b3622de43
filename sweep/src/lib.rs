#![doc = include_str!("../README.md")]

mod cases;
mod error;
mod journal;
mod outputs;
mod sobol;
mod subject;
mod sweep;
mod table;
mod values;

pub use cases::{Cases, Sampling};
pub use error::SweepError;
pub use journal::Journal;
pub use outputs::Output;
pub use subject::{Fixed, Instance, Subject, SubjectError};
pub use sweep::{Motion, Shard, Sweep, max_steps, merged};
pub use table::{Column, Outcome, Row, Table};
pub use values::Values;
