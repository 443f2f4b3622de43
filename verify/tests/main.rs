//! The tests of this crate, as one program: to link one for each file takes longer than to run most of them.

mod architecture;
mod closed_forms;
mod coverage;
mod differential;
mod growth;
mod operation_counts;
mod pinocchio;
mod reproduce;
