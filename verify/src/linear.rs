//! Dissipation, dispersion and spectral radius of schemes on the undamped oscillator, as curves and as numbers.
//!
//! The numbers come from [`hamel::linear_analysis`]; here they are sampled, at equal cost where schemes have stages.

use std::f64::consts::TAU;

use hamel::linear_analysis::{self, Mode, Oscillator};
use hamel::scheme::StepError;
use hamel::tables::{TableError, Tableau};
use hamel_report::{Curve, Style};

/// The amplification matrix of a scheme over the oscillator.
type Amplification = Box<dyn Fn(Oscillator) -> nalgebra::DMatrix<f64>>;

/// A scheme in a comparison.
pub struct Method {
    /// As the paper names it.
    pub name: String,
    /// Implicit equations a step, by which the abscissa is divided.
    pub stages: usize,
    amplification: Amplification,
}

impl Method {
    /// A scheme with one implicit equation a step.
    pub fn new(
        name: impl Into<String>,
        amplification: impl Fn(Oscillator) -> nalgebra::DMatrix<f64> + 'static,
    ) -> Self {
        Self { name: name.into(), stages: 1, amplification: Box::new(amplification) }
    }

    /// A Runge-Kutta scheme; its explicit first stage is not counted.
    pub fn runge_kutta(name: impl Into<String>, tableau: Tableau) -> Self {
        let stages = tableau.stages() - usize::from(tableau.has_explicit_first_stage());
        Self { stages, ..Self::new(name, move |oscillator| tableau.amplification(oscillator)) }
    }

    /// The same scheme, its steps counted as one equation each.
    pub fn per_step(self) -> Self {
        Self { stages: 1, ..self }
    }

    /// Spectral radius at Ω.
    pub fn radius(&self, omega: f64) -> f64 {
        linear_analysis::spectral_radius(&(self.amplification)(Oscillator::undamped(omega)))
    }

    /// The physical mode where h/(nT) has these increasing values, n stages.
    pub fn modes(&self, steps: &[f64]) -> Vec<Mode> {
        let omegas: Vec<f64> = steps.iter().map(|step| TAU * step * self.stages as f64).collect();
        linear_analysis::physical_modes(&self.amplification, &omegas)
    }

    /// The physical mode at h/(nT).
    pub fn mode(&self, step: f64) -> Mode {
        self.modes(&[step])[0]
    }

    /// Largest spectral radius over Ω from 10⁻³ to 10⁶.
    pub fn largest_radius(&self) -> f64 {
        (0..=900).map(|k| self.radius(10f64.powf(-3.0 + f64::from(k) / 100.0))).fold(0.0, f64::max)
    }

    /// Where the undamped oscillator begins to grow, if below `most`.
    pub fn stability_limit(&self, most: f64) -> Option<f64> {
        linear_analysis::stability_limit(&self.amplification, most)
    }

    /// A quantity of the physical mode over h/(nT) up to `most`.
    pub fn mode_curve(&self, style: Style, most: f64, quantity: impl Fn(&Mode) -> f64) -> Curve {
        let steps: Vec<f64> = (1..=150).map(|k| most * f64::from(k) / 150.0).collect();
        let values = self.modes(&steps);
        Curve::new(&*self.name, style, steps.iter().zip(&values).map(|(&x, mode)| (x, quantity(mode))).collect())
    }

    /// Spectral radius over h/(nT), which runs logarithmically.
    pub fn radius_curve(&self, style: Style, from: f64, to: f64) -> Curve {
        let points = (0..=300).map(|k| {
            let step = from * (to / from).powf(f64::from(k) / 300.0);
            (step, self.radius(TAU * step * self.stages as f64))
        });
        Curve::new(&*self.name, style, points.collect())
    }
}

/// Coefficients that an experiment asks for, with the error of a run if there are none.
pub fn table<T>(scheme: &str, table: Result<T, TableError>) -> Result<T, StepError> {
    table.map_err(|error| StepError::BadParameter { scheme: scheme.to_owned(), reason: error.to_string() })
}

/// Largest of some values; undefined if one is.
pub fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, |most, value| if value > most || value.is_nan() { value } else { most })
}
