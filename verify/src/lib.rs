//! Reproduces the tables and figures of the source documents, with verdicts.
//!
//! The experiments of a [`Paper`] stand in the folder of its key; what they find is a [`hamel_report::Report`].
//! [`closed_forms`] holds every scheme against motions that are known exactly, [`counts`] holds the compiler against other
//! tools.

pub mod animations;
pub mod convergence;
pub mod motion;

pub mod closed_forms;
mod elliptic;
pub mod linear;
mod origins;
mod oscillator;
mod shared;

pub mod iftomm;
pub mod meijaard;
pub mod rezaei;
pub mod scaling;
pub mod schemes;
pub mod sherif;
pub mod ship;
pub mod simo;
mod symbolic;
pub mod zhang;

pub mod counts;

use hamel_report::Paper;

/// Every paper of which something is reproduced, the comparison of all schemes, and what size costs.
pub static PAPERS: &[Paper] = &[
    simo::PAPER,
    rezaei::PAPER,
    sherif::PAPER,
    zhang::PAPER,
    ship::PAPER,
    iftomm::PAPER,
    meijaard::PAPER,
    schemes::PAPER,
    scaling::PAPER,
];

/// The Rust of the book's chapter on papers.
#[cfg(doctest)]
#[doc = include_str!("../../docs/book/reproducing.md")]
struct Book;
