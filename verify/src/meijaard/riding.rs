//! The model of the bicycle, linearised straight ahead.

use hamel::linearize::{About, Linearization};
use hamel::scheme::StepError;
use hamel::{initial_state, linearize};
use hamel_models::Bicycle;
use hamel_models::bicycle::BicycleParameters;
use nalgebra::{Complex, Matrix2};

/// Gravity, m/s².
pub(super) const GRAVITY: f64 = 9.81;

/// The equations of lean and steer at a speed, m/s: `M q̈ + C q̇ + K q = 0`.
pub(super) struct Riding {
    pub mass: Matrix2<f64>,
    pub damping: Matrix2<f64>,
    pub stiffness: Matrix2<f64>,
}

pub(super) fn linearized(speed: f64) -> Result<Linearization, StepError> {
    let model = Bicycle::new(BicycleParameters { speed, ..Default::default() });
    linearize(&model, &initial_state(&model)?, About::Steady).map_err(failed)
}

/// The eigenvalues of lean and steer, by the real and then by the imaginary part: the others, of place, heading, turns of
/// the wheels, and speed, are zero and come first by magnitude.
pub(super) fn eigenvalues(speed: f64) -> Result<Vec<Complex<f64>>, StepError> {
    let mut values = linearized(speed)?.eigenvalues().map_err(failed)?;
    values.drain(..values.len().saturating_sub(4));
    values.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    Ok(values)
}

impl Riding {
    pub(super) fn new(speed: f64) -> Result<Self, StepError> {
        let linear = linearized(speed)?;
        let places = |names: [&str; 2]| -> Result<[usize; 2], StepError> {
            let place = |name: &str| linear.states.iter().position(|state| state.name == name);
            match names.map(place) {
                [Some(lean), Some(steer)] => Ok([lean, steer]),
                _ => Err(missing("lean and steer are not among the independent coordinates")),
            }
        };
        let (angles, rates) = (places(["way.rotation_x", "delta"])?, places(["way.omega_x", "delta.velocity"])?);
        let block = |matrix: &nalgebra::DMatrix<f64>, columns: [usize; 2]| {
            Matrix2::from_fn(|row, column| matrix[(rates[row], columns[column])])
        };
        Ok(Self {
            mass: block(&linear.e, rates),
            damping: -block(&linear.a, rates),
            stiffness: -block(&linear.a, angles),
        })
    }
}

fn failed(error: hamel::LinearizeError) -> StepError {
    missing(&error.to_string())
}

fn missing(reason: &str) -> StepError {
    StepError::Inconsistent { model: "Bicycle".to_owned(), reason: reason.to_owned(), residual: 0.0 }
}
