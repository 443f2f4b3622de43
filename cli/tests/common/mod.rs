//! What several files of tests share.

pub mod commands;
pub mod printed;
pub mod program;
#[path = "../../../model-compiler/src/random.rs"]
pub mod random;
pub mod robots;
pub mod states;
