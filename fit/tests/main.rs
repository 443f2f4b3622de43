//! The tests of this crate, as one program: to link one for each file takes longer than to run most of them.

mod common;
mod fit;
mod intervals;
