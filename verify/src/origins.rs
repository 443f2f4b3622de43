//! Where bounds come from that many experiments share.

use hamel_report::{Origin, WHOLE_ORDERS};

/// Bounds of orders of convergence.
pub(crate) const ORDERS: Origin = Origin::Chosen(WHOLE_ORDERS);
/// The source says that there is a difference.
pub(crate) const SOME: Origin =
    Origin::Chosen("The source gives words and no number: far beyond what rounding and steps leave.");
/// What shrinks with the step.
pub(crate) const STEP_ERROR: Origin =
    Origin::Chosen("A few times the error of the steps, which shrinks with their order.");
/// Two programs of the same formulas.
pub(crate) const TWENTY_STEPS: Origin = Origin::Rounding("of twenty steps with numbers of the order of one");
/// Characteristics of schemes.
pub(crate) const RADIUS: Origin = Origin::Rounding("of eigenvalues of the order of one");
/// Residuals of the laws of contact.
pub(crate) const LAWS: Origin = Origin::Rounding("of velocities at the contacts");
/// Ends of motions.
pub(crate) const SUM_OF_STEPS: Origin = Origin::Rounding("of the sum of all steps");
/// Two formulas differ if one component does.
pub(crate) const DIFFERENT: Origin = Origin::Theory("one component that differs refutes an identity");
