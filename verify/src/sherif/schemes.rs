//! The three schemes that the experiments compare.

use hamel::{Scheme, StepError, schemes};

/// Classical HHT. [sherif, Eqs. 17-20]
pub(super) fn classical(alpha: f64) -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("hht", &[("alpha", alpha)])
}

/// HHT with the modified formula for velocities, as printed. [sherif, Eqs. 20, 33, 34]
pub(super) fn modified(alpha: f64) -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("modified_hht", &[("alpha", alpha)])
}

/// The same with old forces turned with the body; not in the paper.
pub(super) fn body_weighted(alpha: f64) -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("modified_hht_body_weighted", &[("alpha", alpha)])
}
