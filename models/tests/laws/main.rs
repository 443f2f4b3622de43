//! What every model must obey, and what some are known to be.

mod andrews;
mod beams;
mod bicycle;
mod common;
mod contact_laws;
mod contact_motions;
mod contact_phases;
mod contact_trouble;
mod corners;
mod equilibria;
mod flexible;
mod flexible_mechanisms;
mod hand_derivations;
mod heap;
mod known_solutions;
mod marine;
mod model_laws;
mod provided;
#[path = "../../../model-compiler/src/random.rs"]
mod random;
mod rezaei_rod;
mod schemes;
mod setup_laws;
mod v8_crank_drive;
