//! The tests of this crate, as one program: to link one for each file takes longer than to run most of them.

mod bits;
mod c_motion;
mod cache;
mod closed_loops;
mod common;
mod contact_scales;
mod drives;
mod equilibria;
mod failures;
mod followed_impacts;
mod force_values;
mod gradient;
mod gradient_contacts;
mod gradient_dual;
mod gradient_feet;
mod gradient_impacts;
mod gradient_models;
mod lanes;
mod linearize;
mod models;
mod on_request;
mod reactions;
mod recurring_switches;
mod redundant_loops;
mod starts;
mod switches;
