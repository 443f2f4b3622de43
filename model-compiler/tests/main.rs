//! The tests of this crate, as one program: to link one for each file takes longer than to run most of them.

mod accepted;
mod added_mass;
mod c;
mod common;
mod contacts;
mod corners;
mod diagnostics;
mod dynamics;
#[cfg(feature = "file")]
mod explanations;
mod expressions;
mod forces;
mod fused;
mod inertia_and_rank;
mod joints;
mod limits;
mod methods;
mod order;
mod outputs;
mod picture;
mod pipeline;
mod places;
mod power;
mod reference;
mod scaling;
mod section_forces;
mod shapes;
