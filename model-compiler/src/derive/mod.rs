//! System → Equations: what is to be computed, with shapes.

mod equations;

pub use equations::*;
