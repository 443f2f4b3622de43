#![doc = include_str!("../README.md")]

mod case;
mod error;
mod free;
mod landscape;
mod optimality;
mod optimization;
mod quantity;
mod result;
mod search;

pub use case::{Case, Condition, Family};
pub use error::{OptimizeError, Rejection};
pub use free::{Design, Free, Samples};
pub use optimization::Optimization;
pub use quantity::Quantity;
pub use result::{ConditionValue, Ended, Optimum, Side, Variable};
