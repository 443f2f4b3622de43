//! Reproduces the tables and figures of the source documents, with verdicts.
//!
//! Reading order: an [`Experiment`](experiment::Experiment) reruns one result of a [`Paper`] and
//! returns a [`Report`](report::Report) of claims, tables and figures; a [`Claim`](claim::Claim) compares one number
//! with what was expected of it. [`reproduce`] runs experiments on all cores and [`output`] writes what they found, into a [`folder`].
//! [`closed_forms`] holds every scheme against motions that are known exactly, [`counts`] holds the compiler against other tools; [`urdf`] translates descriptions of robots. The command line stands in `main.rs`; the experiments of a paper
//! stand in the folder of its key.

pub mod claim;
pub mod experiment;
pub mod report;

pub mod convergence;
pub mod motion;
pub mod number;
pub mod parallel;

pub mod reproduce;

pub mod folder;
pub mod html;
pub mod output;
pub mod plot;
pub mod provenance;

pub mod closed_forms;
mod elliptic;
pub mod linear;
mod oscillator;

pub mod iftomm;
pub mod rezaei;
pub mod scaling;
pub mod schemes;
pub mod sherif;
pub mod ship;
pub mod simo;
mod symbolic;
pub mod zhang;

pub mod counts;

pub mod urdf;

use experiment::Paper;

/// Every paper of which something is reproduced, the comparison of all schemes, and what size costs.
pub static PAPERS: &[Paper] = &[
    simo::PAPER,
    rezaei::PAPER,
    sherif::PAPER,
    zhang::PAPER,
    ship::PAPER,
    iftomm::PAPER,
    schemes::PAPER,
    scaling::PAPER,
];
