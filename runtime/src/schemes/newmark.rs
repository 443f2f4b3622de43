//! Newmark's family as schemes: coefficients, and what the equilibrium averages between the ends of a step.
//!
//! The coefficients stand in [`crate::tables`], [`super::newmark_step`] does the stepping. Constraints hold on positions;
//! without damping, as with γ = ½ of Newmark's own scheme, these make the multipliers diverge after thousands of steps.

use nalgebra::DMatrix;

use super::modified_hht::Weighting;
use super::newmark_step;
use crate::linear_analysis::Oscillator;
use crate::model::{Model, State};
use crate::prelude::*;
use crate::scheme::{ConstraintLevel, Options, Scheme, SideBySide, Stepper};
use crate::step::StepError;
use crate::tables::NewmarkFamily;

/// A member of the family.
#[derive(Clone, Debug)]
pub(super) struct Newmark {
    pub(super) name: String,
    pub(super) key: Option<&'static str>,
    pub(super) coefficients: NewmarkFamily,
    pub(super) average: Average,
}

/// What the equilibrium of a step averages, with Newmark's acceleration A and `F = h − f − Gᵀ λ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Average {
    /// `r₁ = 0` for the acceleration a of the state, `(1 − α_m) A₁ + α_m A₀ = (1 − α_f) a₁ + α_f a₀`: of second order also
    /// where the mass matrix varies.
    Accelerations,
    /// `M ((1 − α_m) A₁ + α_m A₀) + (1 − α_f) F₁ + α_f F₀ = 0`; the acceleration of the state is A. Of first order on Euler
    /// parameters. [sherif, Eq. 61]
    Forces,
    /// The same with the modified formula for the velocity of Euler parameters. Unstable with constraints on positions and
    /// weak damping: the heavy top needs α_f ≥ 0.1. [sherif, Eqs. 33, 34]
    ForcesModified(Weighting),
}

impl Newmark {
    /// How old forces on Euler parameters are averaged, where their velocity follows the modified formula.
    pub(super) fn weighting(&self) -> Option<Weighting> {
        match self.average {
            Average::ForcesModified(weighting) => Some(weighting),
            Average::Accelerations | Average::Forces => None,
        }
    }

    /// Whether a change of the step asks for accelerations that states do not carry.
    pub(super) fn asks_for_accelerations(&self) -> bool {
        let NewmarkFamily { alpha_m, alpha_f, .. } = self.coefficients;
        self.average != Average::Accelerations && alpha_m != alpha_f
    }

    /// Whether states carry the accelerations of the equations of motion, not A of another instant.
    pub(super) fn knows_accelerations(&self) -> bool {
        let NewmarkFamily { alpha_m, alpha_f, .. } = self.coefficients;
        self.average == Average::Accelerations || (self.weighting().is_none() && alpha_m == alpha_f)
    }
}

impl Scheme for Newmark {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn key(&self) -> Option<&'static str> {
        self.key
    }

    fn order(&self) -> u32 {
        self.coefficients.order()
    }

    fn estimates_errors(&self) -> bool {
        self.knows_accelerations()
    }

    fn level_of_chosen_steps(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }

    fn carries_contacts(&self) -> bool {
        self.weighting().is_none() && self.coefficients.beta > 0.0
    }

    fn abreast(&self) -> SideBySide {
        match self.weighting() {
            Some(_) => SideBySide::Never,
            None if self.asks_for_accelerations() => SideBySide::WithEqualSteps,
            None => SideBySide::Always,
        }
    }

    fn amplification(&self, oscillator: Oscillator) -> Option<DMatrix<f64>> {
        Some(self.coefficients.amplification(oscillator))
    }

    fn reads_forces(&self) -> bool {
        self.old_force_factor() != 0.0
    }

    fn stepper<'m>(
        &self,
        model: &'m dyn Model,
        initial: State,
        options: &Options,
    ) -> Result<Box<dyn Stepper + 'm>, StepError> {
        newmark_step::start(self.clone(), model, initial, options)
    }
}
