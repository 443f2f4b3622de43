#![doc = include_str!("../README.md")]

mod data;
mod error;
mod problem;
mod result;

pub use data::{Column, Measurements};
pub use error::FitError;
pub use problem::{Fit, Free};
pub use result::{Doubt, Fitted, FittedColumn, Parameter};
