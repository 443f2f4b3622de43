//! Outputs as objectives and conditions, by name.

use hamel::ModelInfo;
use hamel::gradient::{Instant, Objective, Slopes};

use crate::error::{OptimizeError, quoted};

/// A number that an output makes of a motion: its value at the end, its integral over time, or that of its square.
///
/// # Examples
/// ```
/// use hamel::Model;
/// use hamel_jit::Level;
/// use hamel_optimize::Quantity;
///
/// let text = "model Slide {
///     planar;
///     coordinates joint;
///     body block { mass: 1 kg, inertia: 1 kg m^2 }
///     joint rail: prismatic(ground, block);
///     output x = rail.displacement;
/// }";
/// let model = hamel_jit::model(text.parse()?, Level::AtOnce, None)?;
/// let quantity = Quantity::read("x.integral", model.describe())?;
/// assert_eq!(quantity.name(), "x.integral");
/// assert!(Quantity::read("x.largest", model.describe()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    name: String,
    output: usize,
    kind: Kind,
    factor: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Final,
    Integral,
    Squared,
}

impl Quantity {
    /// `OUTPUT.final`, `OUTPUT.integral` or `OUTPUT.squared`, the integral of its square.
    ///
    /// # Errors
    /// [`OptimizeError::Quantity`] for other words, [`OptimizeError::UnknownOutput`] for names that the model does not have.
    pub fn read(text: &str, info: &ModelInfo) -> Result<Self, OptimizeError> {
        let split = text.rsplit_once('.').and_then(|(output, kind)| {
            let kind = match kind {
                "final" => Kind::Final,
                "integral" => Kind::Integral,
                "squared" => Kind::Squared,
                _ => return None,
            };
            Some((output, kind))
        });
        let Some((name, kind)) = split else { return Err(OptimizeError::Quantity { found: text.to_owned() }) };
        let Some(output) = info.outputs.iter().position(|output| output.name == name) else {
            let known = quoted(info.outputs.iter().map(|output| output.name.as_str()));
            return Err(OptimizeError::UnknownOutput { name: name.to_owned(), known });
        };
        Ok(Self { name: text.to_owned(), output, kind, factor: 1.0 })
    }

    /// The same times a factor.
    pub fn times(self, factor: f64) -> Self {
        Self { factor: self.factor * factor, ..self }
    }

    /// As it was read.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Objective for Quantity {
    fn add(&self, instant: &Instant<'_>, slopes: &mut Slopes) -> f64 {
        // A model that is not the one it was read for has no such output.
        let Some(&y) = instant.outputs.get(self.output) else { return f64::NAN };
        let (value, slope) = match self.kind {
            Kind::Final if instant.is_end => (y, 1.0),
            Kind::Final => (0.0, 0.0),
            Kind::Integral => (instant.weight * y, instant.weight),
            Kind::Squared => (instant.weight * y * y, 2.0 * instant.weight * y),
        };
        slopes.outputs[self.output] = self.factor * slope;
        self.factor * value
    }
}
