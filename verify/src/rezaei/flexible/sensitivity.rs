//! Motions of Table 2 with moduli of elasticity that differ by what no one measures.
//!
//! Small impacts are chaotic: which of them there are depends on the last digits. How far apart such motions of one
//! scheme are is what motions of two schemes may differ by.

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_report::Origin;

use super::trace::{Sample, Trace};
use super::{STEP, bathe, driven};
use crate::shared::Shared;

/// Relative changes of the modulus of elasticity, which decide how many small impacts there are.
const CHANGES: [f64; 5] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3];
/// Length of the motions, s.
pub(super) const UNTIL: f64 = 0.2;
/// Between motions of two schemes.
pub(super) const BOTH: Origin = Origin::Chosen(
    "Twice what moduli that differ by up to 10⁻³ change in one motion: small impacts move both motions.",
);

/// With Bathe's scheme and the paper's step, which two figures share.
static TRACES: Shared<Vec<Trace>> = Shared::new();

/// Every twentieth step is a sample.
pub(super) fn traces() -> Result<&'static [Trace], StepError> {
    let trace = |change: &f64| {
        let model = driven(|parameters| parameters.elasticity *= 1.0 + change);
        Trace::new("Bathe", &model, bathe()?.as_ref(), [STEP, UNTIL], 20)
    };
    TRACES.get(|| parallel::map(&CHANGES, trace).into_iter().collect()).map(Vec::as_slice)
}

/// The largest difference of a quantity to the motion with the modulus that is not changed.
pub(super) fn spread(unchanged: &Trace, of: impl Fn(&Sample) -> f64) -> Result<f64, StepError> {
    Ok(traces()?.iter().map(|trace| trace.difference(unchanged, UNTIL, &of)).fold(0.0, f64::max))
}
