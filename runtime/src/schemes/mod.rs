//! The integration schemes, one family a file, and the list of them by name.

mod generalized_alpha;
mod iteration_matrix;
mod modified_hht;
mod newmark_step;
mod runge_kutta;

pub use generalized_alpha::{GeneralizedAlpha, Hht, Newmark};
pub use modified_hht::{ModifiedHht, Weighting};
pub use runge_kutta::RungeKutta;
pub(crate) use runge_kutta::solve_for_acceleration;

use crate::scheme::{Scheme, StepError};

/// A scheme as it is called by name.
struct Entry {
    name: &'static str,
    /// Names and default values of the parameters.
    parameters: &'static [(&'static str, f64)],
    make: fn(&[f64]) -> Box<dyn Scheme>,
}

const ENTRIES: &[Entry] = &[
    Entry {
        name: "newmark",
        parameters: &[("beta", 0.25), ("gamma", 0.5)],
        make: |p| Box::new(Newmark { beta: p[0], gamma: p[1] }),
    },
    Entry { name: "hht", parameters: &[("alpha", -0.1)], make: |p| Box::new(Hht { alpha: p[0] }) },
    Entry {
        name: "generalized_alpha",
        parameters: &[("rho_infinity", 0.8)],
        make: |p| Box::new(GeneralizedAlpha { rho_infinity: p[0] }),
    },
    Entry {
        name: "modified_hht",
        parameters: &[("alpha", -0.1)],
        make: |p| Box::new(ModifiedHht { alpha: p[0], weighting: Weighting::Printed }),
    },
    Entry {
        name: "modified_hht_body_weighted",
        parameters: &[("alpha", -0.1)],
        make: |p| Box::new(ModifiedHht { alpha: p[0], weighting: Weighting::BodyFrame }),
    },
    Entry { name: "runge_kutta", parameters: &[], make: |_| Box::new(RungeKutta) },
];

/// Every scheme with its default parameters.
pub fn all() -> Vec<Box<dyn Scheme>> {
    ENTRIES.iter().map(|entry| (entry.make)(&default_values(entry))).collect()
}

/// Every scheme's name, and the names and default values of its parameters.
pub fn names() -> impl Iterator<Item = (&'static str, &'static [(&'static str, f64)])> {
    ENTRIES.iter().map(|entry| (entry.name, entry.parameters))
}

/// The scheme of this name; parameters that are not given keep their default.
///
/// # Errors
/// [`StepError::BadParameter`] for an unknown scheme or parameter; ranges are checked when the scheme starts.
pub fn by_name(name: &str, parameters: &[(&str, f64)]) -> Result<Box<dyn Scheme>, StepError> {
    let bad = |reason: String| StepError::BadParameter { scheme: name.to_owned(), reason };
    let Some(entry) = ENTRIES.iter().find(|entry| entry.name == name) else {
        let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        return Err(bad(format!("no such scheme; expected one of {}", known.join(", "))));
    };
    let mut values = default_values(entry);
    for &(parameter, value) in parameters {
        let Some(place) = entry.parameters.iter().position(|&(known, _)| known == parameter) else {
            let known: Vec<&str> = entry.parameters.iter().map(|&(known, _)| known).collect();
            let expected = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(bad(format!("no parameter `{parameter}`; expected {expected}")));
        };
        values[place] = value;
    }
    Ok((entry.make)(&values))
}

fn default_values(entry: &Entry) -> Vec<f64> {
    entry.parameters.iter().map(|&(_, value)| value).collect()
}

/// Refuses step sizes that are not positive and finite.
fn check_step_size(scheme: &str, dt: f64) -> Result<(), StepError> {
    if dt.is_finite() && dt > 0.0 {
        return Ok(());
    }
    let reason = format!("the step size must be positive and finite, but is {dt} s");
    Err(StepError::BadParameter { scheme: scheme.to_owned(), reason })
}
