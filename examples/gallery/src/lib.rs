//! The gallery: forty mechanical systems, each a text in the language of Hamel, run and held to what is known of it.
//!
//! The texts are in `models`; [`chapters()`] lists them with the settings of their runs and a check each. A check
//! compares the motion with a closed form, a law, a published number or an independent computation that stands beside
//! it in Rust: see [`reference`](mod@reference) for what these have in common. The binary `gallery` writes the pages,
//! by [`pages`].

mod entry;
mod finding;
mod motion;

pub mod chapters;
pub mod pages;
pub mod reference;

pub use chapters::chapters;
pub use entry::{Chapter, Check, Entry, Moment, Setup};
pub use finding::{Finding, Known};
pub use motion::{Case, Failure, Motion};
