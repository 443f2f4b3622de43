//! What several files of tests share.

pub mod c_program;
pub mod compilers;
pub mod mutation;
#[path = "../../src/random.rs"]
pub mod random;
pub mod renaming;
pub mod uses;
