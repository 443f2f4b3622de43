//! The compiler behind `multibody!`: tokens in, tokens out.
//!
//! One intermediate representation per question: what was written ([`parse`]), what it means ([`resolve`]), what the
//! equations are ([`derive`]), what is cheapest ([`simplify`]), in which order ([`schedule`]), in which tokens
//! ([`emit`]). It knows neither `proc_macro` nor files, so macro, command line and tests call the same functions.

pub mod diagnostics;
pub mod units;

pub mod parse;
pub mod resolve;
pub mod derive;
pub mod simplify;
pub mod schedule;
pub mod emit;

pub mod expr;
pub mod spatial;

pub mod forces;
pub mod joints;
pub mod rotations;
