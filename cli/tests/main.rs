//! The tests of this crate, as one program: to link one for each file takes longer than to run most of them.

mod animate;
mod book;
mod casadi;
mod cli;
mod common;
mod faults;
mod fit;
mod fuzz_inputs;
mod linearize;
mod optimize;
mod sweep;
