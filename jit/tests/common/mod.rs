//! What several files of tests share.

pub mod differences;
pub mod differentiable;
pub mod digits;
pub mod ends;
pub mod functions;
pub mod interpreted;
pub mod linearized;
pub mod mechanisms;
pub mod on_request;
pub mod outputs;
#[path = "../../../runtime/src/random.rs"]
pub mod random;
pub mod scenes;
pub mod slopes;
