//! The three schemes that the experiments compare.

use hamel::Scheme;
use hamel::schemes::{Hht, ModifiedHht, Weighting};

/// Classical HHT. [sherif, Eqs. 17-20]
pub(super) fn classical(alpha: f64) -> Box<dyn Scheme> {
    Box::new(Hht { alpha })
}

/// HHT with the modified formula for velocities, as printed. [sherif, Eqs. 20, 33, 34]
pub(super) fn modified(alpha: f64) -> Box<dyn Scheme> {
    Box::new(ModifiedHht { alpha, weighting: Weighting::Printed })
}

/// The same with old forces turned with the body; not in the paper.
pub(super) fn body_weighted(alpha: f64) -> Box<dyn Scheme> {
    Box::new(ModifiedHht { alpha, weighting: Weighting::BodyFrame })
}
