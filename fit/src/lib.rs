#![doc = include_str!("../README.md")]

mod data;
mod error;
mod motion;
mod problem;
mod result;
mod search;
mod shooting;

pub use data::{Column, Measurements};
pub use error::FitError;
pub use problem::{Fit, Free};
pub use result::{Doubt, Fitted, FittedColumn, Parameter};
