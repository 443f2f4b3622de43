//! Results of experiments and their presentation: claims with verdicts, tables, figures, and the page that holds them.
//!
//! Reading order: an [`Experiment`] reruns one result of a [`Paper`] and returns a [`Report`] of claims, tables and
//! figures; a [`Claim`] compares one number with what was expected of it. [`reproduce`] runs experiments on all cores and
//! [`output`] writes their results into a [`folder`]. This crate contains no experiment.

mod claim;
mod expected;
mod experiment;
mod report;

pub mod compare;
pub mod coverage;
pub mod number;
pub mod reproduce;

pub mod folder;
pub mod graph;
mod html;
pub mod output;
pub mod plot;
pub mod provenance;
pub mod recorded;
pub mod saved;

pub use claim::{Claim, Measured, Proof, Statement, Verdict, Why};
pub use expected::{Expected, Origin, TIMES, WHOLE_ORDERS, at_least, at_most, independent, printed};
pub use experiment::{Cost, Experiment, Paper};
pub use report::{Axis, Cell, Column, Curve, Figure, Report, Slope, Style, Table};
