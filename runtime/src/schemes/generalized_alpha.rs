//! Newmark, HHT and generalized-α: one family, told apart by β, γ and the kind of equilibrium.
//!
//! Only the parameters are here; [`super::newmark_step`] does the stepping. Constraints hold on positions.

use nalgebra::DMatrix;

use super::modified_hht::Weighting;
use super::newmark_step::{EquilibriumForm, Parameters, start};
use crate::linear_analysis::{NewmarkFamily, Oscillator};
use crate::model::{Model, State};
use crate::scheme::{Options, Scheme, Stepper};
use crate::step::StepError;

/// Newmark's scheme: second order for γ = ½, else first.
///
/// Without damping, γ = ½, constraints on positions make it weakly unstable: the multipliers do not converge, and
/// after thousands of steps rounding errors in the accelerations take over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newmark {
    /// Weight of the new acceleration in the coordinates, in [0, 1]; constrained models need β > 0.
    pub beta: f64,
    /// Weight of the new acceleration in the velocities, in [½, 1].
    pub gamma: f64,
}

impl Default for Newmark {
    /// The trapezoidal rule, β = ¼ and γ = ½.
    fn default() -> Self {
        Self { beta: 0.25, gamma: 0.5 }
    }
}

impl Scheme for Newmark {
    fn name(&self) -> String {
        format!("Newmark (β = {}, γ = {})", self.beta, self.gamma)
    }

    fn order(&self) -> u32 {
        if self.gamma == 0.5 { 2 } else { 1 }
    }

    fn carries_contacts(&self) -> bool {
        true
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(NewmarkFamily::newmark(self.beta, self.gamma).amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        super::check_range(self, "β", self.beta, 0.0, 1.0)?;
        super::check_range(self, "γ", self.gamma, 0.5, 1.0)?;
        let equilibrium = EquilibriumForm::Weighted { alpha: 0.0 };
        let parameters =
            Parameters { name: self.name(), beta: self.beta, gamma: self.gamma, equilibrium, weighting: None };
        start(parameters, model, initial, options)
    }
}

/// The HHT-α scheme as it is usual in multibody dynamics [sherif, Eqs. 19, 59-63].
///
/// Second order where the mass matrix is constant; first order on Euler parameters for α ≠ 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hht {
    /// Numerical damping, in [−1/3, 0].
    pub alpha: f64,
}

impl Default for Hht {
    fn default() -> Self {
        Self { alpha: -0.1 }
    }
}

impl Scheme for Hht {
    fn name(&self) -> String {
        format!("HHT (α = {})", self.alpha)
    }

    fn order(&self) -> u32 {
        2
    }

    fn carries_contacts(&self) -> bool {
        true
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(NewmarkFamily::hht(self.alpha).amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        start(hht_parameters(self, self.alpha, None)?, model, initial, options)
    }
}

/// Generalized-α with the auxiliary acceleration, which keeps second order when the mass matrix varies.
/// [rezaei, Eqs. 94-96]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneralizedAlpha {
    /// Spectral radius for infinite frequency, in [0, 1]; at 1 the multipliers of constraints do not converge.
    pub rho_infinity: f64,
}

impl Default for GeneralizedAlpha {
    fn default() -> Self {
        Self { rho_infinity: 0.8 }
    }
}

impl Scheme for GeneralizedAlpha {
    fn name(&self) -> String {
        format!("generalized-α (ρ∞ = {})", self.rho_infinity)
    }

    fn order(&self) -> u32 {
        2
    }

    fn carries_contacts(&self) -> bool {
        true
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(NewmarkFamily::generalized_alpha(self.rho_infinity).amplification(oscillator))
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        super::check_range(self, "ρ∞", self.rho_infinity, 0.0, 1.0)?;
        let NewmarkFamily { beta, gamma, alpha_m, alpha_f } = NewmarkFamily::generalized_alpha(self.rho_infinity);
        let equilibrium = EquilibriumForm::Auxiliary { alpha_m, alpha_f };
        let parameters = Parameters { name: self.name(), beta, gamma, equilibrium, weighting: None };
        start(parameters, model, initial, options)
    }
}

/// β and γ of HHT [sherif, Eq. 19] and its equilibrium, for the classical and the modified scheme.
pub(super) fn hht_parameters(
    scheme: &dyn Scheme,
    alpha: f64,
    weighting: Option<Weighting>,
) -> Result<Parameters, StepError> {
    // −1/3 is not a number of base two; the last digit of what a person writes for it must not matter.
    super::check_range(scheme, "α", alpha, -1.0 / 3.0 - 1e-12, 0.0)?;
    let NewmarkFamily { beta, gamma, .. } = NewmarkFamily::hht(alpha);
    Ok(Parameters { name: scheme.name(), beta, gamma, equilibrium: EquilibriumForm::Weighted { alpha }, weighting })
}
