//! Newmark's family: β and γ of Newmark's formulas, and the weights of the old instant in the equilibrium.

/// `q₁ = q₀ + h v₀ + h² ((½ − β) A₀ + β A₁)`, `v₁ = v₀ + h ((1 − γ) A₀ + γ A₁)`, with
/// `(1 − α_m) A₁ + α_m A₀ = (1 − α_f) a₁ + α_f a₀`. [rezaei, Eqs. 94-96]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewmarkFamily {
    /// Weight of the new acceleration in the coordinates.
    pub beta: f64,
    /// Weight of the new acceleration in the velocities.
    pub gamma: f64,
    /// Weight of the old auxiliary acceleration.
    pub alpha_m: f64,
    /// Weight of the old acceleration, or of the old forces.
    pub alpha_f: f64,
}

impl NewmarkFamily {
    /// Newmark's scheme.
    pub fn newmark(beta: f64, gamma: f64) -> Self {
        Self { beta, gamma, alpha_m: 0.0, alpha_f: 0.0 }
    }

    /// HHT with α in [−1/3, 0]. [sherif, Eq. 19]
    ///
    /// # Examples
    /// α = 0 is the trapezoidal rule.
    ///
    /// ```
    /// use hamel::tables::NewmarkFamily;
    ///
    /// assert_eq!(NewmarkFamily::hht(0.0), NewmarkFamily::newmark(0.25, 0.5));
    /// ```
    pub fn hht(alpha: f64) -> Self {
        Self::second_order(0.0, -alpha)
    }

    /// Generalized-α of least dissipation at low frequencies. [rezaei, Eq. 104]
    ///
    /// # Examples
    /// For ρ∞ = 1 there is no damping, with β = ¼ and γ = ½ of the trapezoidal rule.
    ///
    /// ```
    /// use hamel::tables::NewmarkFamily;
    ///
    /// let table = NewmarkFamily::generalized_alpha(1.0);
    /// assert_eq!((table.beta, table.gamma, table.order()), (0.25, 0.5, 2));
    /// ```
    pub fn generalized_alpha(rho_infinity: f64) -> Self {
        Self::second_order((2.0 * rho_infinity - 1.0) / (rho_infinity + 1.0), rho_infinity / (rho_infinity + 1.0))
    }

    /// β and γ of second order with the most dissipation at high frequencies. [rezaei, Eqs. 98, 102]
    pub fn second_order(alpha_m: f64, alpha_f: f64) -> Self {
        let shift = alpha_f - alpha_m;
        Self { beta: 0.25 * (1.0 + shift) * (1.0 + shift), gamma: 0.5 + shift, alpha_m, alpha_f }
    }

    /// Two if γ = ½ + α_f − α_m, else one. [rezaei, Eq. 98]
    pub fn order(&self) -> u32 {
        if self.gamma == 0.5 + (self.alpha_f - self.alpha_m) { 2 } else { 1 }
    }
}
