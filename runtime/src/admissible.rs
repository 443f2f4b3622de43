//! Checks that parameters are physically possible: the same as those of the compiler for the default values, at run
//! time.
//!
//! Nothing is generic over lengths: it would be compiled in every crate with a model, eigenvalues included.

use nalgebra::{Matrix3, SymmetricEigen};

use crate::model::{Channel, ContactInfo, ContactLaw, Model, ParameterError};
use crate::prelude::*;
use crate::step::StepError;

/// Relative error that is taken for rounding.
const ROUNDING: f64 = 1e-9;

/// Refuses parameters that are infinite or not numbers.
///
/// # Errors
/// The first of them.
pub fn check_finite(channels: &[Channel], values: &[f64]) -> Result<(), ParameterError> {
    match channels.iter().zip(values).find(|(_, value)| !value.is_finite()) {
        Some((channel, &value)) => Err(error(format!("parameter `{}`", channel.name), value, "a finite number")),
        None => Ok(()),
    }
}

/// Refuses masses and inertias that no rigid body has: three by three row by row about the centre of mass, or one number in
/// the plane. A point mass has no inertia and a rod none about its axis; whether the motions that joints leave have inertia
/// is known only where they are.
///
/// # Errors
/// The first requirement that is not met.
pub fn check_body(body: &str, mass: f64, inertia: &[f64]) -> Result<(), ParameterError> {
    if !(mass.is_finite() && mass > 0.0) {
        return Err(error(format!("the mass of `{body}`"), mass, "a positive mass, kg"));
    }
    if let &[value] = inertia {
        let expected = "an inertia that is not negative, kg m^2";
        return if value.is_finite() && value >= 0.0 {
            Ok(())
        } else {
            Err(error(format!("the inertia of `{body}`"), value, expected))
        };
    }
    let Ok(rows) = <[f64; 9]>::try_from(inertia) else { return Ok(()) };
    if let Some(&value) = rows.iter().find(|value| !value.is_finite()) {
        return Err(error(format!("a component of the inertia of `{body}`"), value, "a finite number"));
    }
    let matrix = Matrix3::from_row_slice(&rows);
    let size = matrix.amax();
    let skew = (matrix - matrix.transpose()).amax();
    if skew > ROUNDING * size {
        let what = format!("the difference of two components of the inertia of `{body}` beside its diagonal");
        return Err(error(what, skew, "0, because an inertia is symmetric"));
    }
    let mut moments: [f64; 3] = SymmetricEigen::new(matrix).eigenvalues.into();
    moments.sort_by(f64::total_cmp);
    let [small, middle, large] = moments;
    if small < -ROUNDING * size {
        let expected = "an inertia that is not negative, kg m^2";
        return Err(error(format!("the least principal moment of `{body}`"), small, expected));
    }
    if large - (small + middle) > ROUNDING * size {
        let expected = format!("at most {}, the sum of the other two (triangle inequality)", small + middle);
        return Err(error(format!("the largest principal moment of `{body}`"), large, &expected));
    }
    Ok(())
}

/// Refuses restitutions outside 0 to 1 and negative friction.
///
/// # Errors
/// The first contact whose law is not one.
pub fn check_contacts(contacts: &[ContactInfo], laws: &[ContactLaw]) -> Result<(), ParameterError> {
    for (contact, law) in contacts.iter().zip(laws) {
        let (restitution, friction) = ("a number from 0 to 1", "a number that is not negative");
        let values = [
            ("restitution", law.restitution, 1.0, restitution),
            ("tangential restitution", law.tangential_restitution, 1.0, restitution),
            ("friction", law.friction, f64::MAX, friction),
        ];
        let is_outside = |(_, value, largest, _): &(&str, f64, f64, &str)| !(0.0..=*largest).contains(value);
        if let Some((what, value, _, expected)) = values.into_iter().find(is_outside) {
            return Err(error(format!("the {what} of `{}`", contact.name), value, expected));
        }
    }
    Ok(())
}

/// Refuses a value that is not positive; `what` it is, and what is `expected`, e.g. "a positive length, m".
///
/// # Errors
/// The requirement, if it is not met.
pub fn check_positive(what: &str, value: f64, expected: &str) -> Result<(), ParameterError> {
    let is_positive = value.is_finite() && value > 0.0;
    if is_positive { Ok(()) } else { Err(error(what.to_owned(), value, expected)) }
}

/// Refuses inputs that are infinite or not numbers at time t.
///
/// # Errors
/// The first of them.
pub(crate) fn check_inputs(model: &dyn Model, t: f64) -> Result<(), StepError> {
    let channels = &model.describe().inputs;
    let mut values = vec![0.0; channels.len()];
    model.input_values(t, &mut values);
    match channels.iter().zip(values).find(|(_, value)| !value.is_finite()) {
        Some((channel, value)) => Err(StepError::BadInput { t, input: channel.name.clone(), value }),
        None => Ok(()),
    }
}

/// Refuses a matrix whose components above the diagonal are not those below; `pairs` has them side by side.
///
/// # Errors
/// The first difference that is not rounding.
pub fn check_symmetric(what: &str, pairs: &[f64]) -> Result<(), ParameterError> {
    let size = pairs.iter().fold(0.0_f64, |size, entry| size.max(entry.abs()));
    for pair in pairs.chunks_exact(2) {
        let difference = (pair[0] - pair[1]).abs();
        if difference > ROUNDING * size {
            let what = format!("the difference of two components of {what} beside its diagonal");
            return Err(error(what, difference, "0, because it is symmetric"));
        }
    }
    Ok(())
}

/// Refuses a mass matrix of a body with its added mass that is not positive definite; row by row 6 × 6, or 3 × 3 in the
/// plane.
///
/// # Errors
/// The first direction in which no mass is left where those before it move freely.
pub fn check_total_mass(body: &str, m: &[f64]) -> Result<(), ParameterError> {
    let (mut m, n) = (m.to_vec(), m.len().isqrt());
    for k in 0..n {
        let (pivot, is_turn) = (m[k * n + k], k >= n.div_ceil(2));
        // In the plane: along x, along y, about z.
        let axis = ["x", "y", "z"][if n == 3 { k } else { k % 3 }];
        let (what, expected) = if is_turn { ("inertia", "kg m^2") } else { ("mass", "kg") };
        let preposition = if is_turn { "about" } else { "along" };
        if !(pivot.is_finite() && pivot > 0.0) {
            let what = format!("the {what} of `{body}` with its added mass {preposition} {axis}");
            return Err(error(what, pivot, &format!("a positive value, {expected}")));
        }
        for i in k + 1..n {
            let factor = m[i * n + k] / pivot;
            for j in k + 1..n {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
    Ok(())
}

fn error(what: String, value: f64, expected: &str) -> ParameterError {
    ParameterError { what, value, expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagonal(a: f64, b: f64, c: f64) -> [f64; 9] {
        [a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c]
    }

    #[test]
    fn rigid_bodies_are_accepted() {
        assert_eq!(check_body("rod", 2.0, &[0.1]), Ok(()));
        // A thin plate stands on the border of the triangle inequality.
        assert_eq!(check_body("plate", 2.0, &diagonal(1.0, 2.0, 3.0)), Ok(()));
        // The same plate, turned by the rotation with columns (2 −2 1, 1 2 2, −2 −1 2)/3: R J Rᵀ by hand.
        let turned = [18.0, 6.0, -6.0, 6.0, 15.0, 0.0, -6.0, 0.0, 21.0].map(|entry| entry / 9.0);
        assert_eq!(check_body("plate", 2.0, &turned), Ok(()));
        // A point mass, and a thin rod along (1, 2, 2)/3.
        assert_eq!(check_body("point", 2.0, &[0.0]), Ok(()));
        assert_eq!(check_body("point", 2.0, &[0.0; 9]), Ok(()));
        let rod = [8.0, -2.0, -2.0, -2.0, 5.0, -4.0, -2.0, -4.0, 5.0].map(|entry| entry / 9.0);
        assert_eq!(check_body("rod", 2.0, &rod), Ok(()));
    }

    #[test]
    fn skewed_matrices_are_refused() {
        assert_eq!(check_symmetric("`a`", &[1.0, 1.0 + 1e-13, -2.0, -2.0]), Ok(()));
        let message = check_symmetric("`a`", &[1.0, 1.0, -2.0, 3.0]).unwrap_err().to_string();
        let expected =
            "the difference of two components of `a` beside its diagonal is 5, expected 0, because it is symmetric";
        assert_eq!(message, expected);
    }

    #[test]
    fn water_that_takes_more_than_the_mass_is_refused() {
        let mut m = [0.0; 36];
        (0..6).for_each(|k| m[7 * k] = 2.0);
        assert_eq!(check_total_mass("hull", &m), Ok(()));
        let message = |m: [f64; 36]| check_total_mass("hull", &m).unwrap_err().to_string();
        let mut sway = m;
        sway[7] = -1.5;
        let expected = "the mass of `hull` with its added mass along y is -1.5, expected a positive value, kg";
        assert_eq!(message(sway), expected);
        // Coupled too strongly: 2 − 3²/2.
        let mut coupled = m;
        (coupled[11], coupled[31]) = (3.0, 3.0);
        let expected = "the inertia of `hull` with its added mass about z is -2.5, expected a positive value, kg m^2";
        assert_eq!(message(coupled), expected);
        let planar = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
        assert!(
            check_total_mass("hull", &planar)
                .unwrap_err()
                .to_string()
                .contains("inertia of `hull` with its added mass about z")
        );
    }

    #[test]
    fn what_no_body_has_is_refused() {
        let message = |mass, inertia: [f64; 9]| check_body("top", mass, &inertia).unwrap_err().to_string();
        let sound = diagonal(1.0, 1.0, 1.0);
        assert_eq!(message(-1.0, sound), "the mass of `top` is -1, expected a positive mass, kg");
        assert_eq!(message(0.0, sound), "the mass of `top` is 0, expected a positive mass, kg");
        assert!(message(f64::INFINITY, sound).contains("is inf"));
        assert!(message(1.0, diagonal(1.0, -2.0, 1.0)).starts_with("the least principal moment of `top` is -2, "));
        assert!(message(1.0, diagonal(1.0, 1.0, 2.5)).contains("is 2.5, expected at most 2, "));
        assert!(message(1.0, diagonal(1.0, f64::NAN, 1.0)).contains("NaN"));
        let mut skew = sound;
        skew[1] = 0.1;
        assert!(message(1.0, skew).contains("symmetric"));
        let negative = check_body("rod", 1.0, &[-0.1]).unwrap_err().to_string();
        assert_eq!(negative, "the inertia of `rod` is -0.1, expected an inertia that is not negative, kg m^2");
    }

    #[test]
    fn laws_that_no_contact_has_are_refused() {
        let contacts = ["left", "right"].map(|name| ContactInfo::new(name, "m", 1));
        let sound = ContactLaw { restitution: 1.0, tangential_restitution: 0.0, friction: 2.5 };
        assert_eq!(check_contacts(&contacts, &[sound; 2]), Ok(()));
        let message = |law| check_contacts(&contacts, &[sound, law]).unwrap_err().to_string();
        let bouncy = ContactLaw { restitution: 1.1, ..sound };
        assert_eq!(message(bouncy), "the restitution of `right` is 1.1, expected a number from 0 to 1");
        let sticky = ContactLaw { friction: -0.1, ..sound };
        assert_eq!(message(sticky), "the friction of `right` is -0.1, expected a number that is not negative");
        assert!(message(ContactLaw { tangential_restitution: f64::NAN, ..sound }).contains("tangential"));
        assert!(message(ContactLaw { friction: f64::INFINITY, ..sound }).contains("inf"));
    }

    #[test]
    fn dimensions_are_positive() {
        assert_eq!(check_positive("the length of `rod`", 0.1, "a positive length, m"), Ok(()));
        let error = check_positive("the length of `rod`", -0.1, "a positive length, m").unwrap_err();
        assert_eq!(error.to_string(), "the length of `rod` is -0.1, expected a positive length, m");
    }

    #[test]
    fn parameters_are_finite() {
        let channels = [Channel::new("mass", "kg"), Channel::new("tip_x", "m")];
        assert_eq!(check_finite(&channels, &[1.0, -2.0]), Ok(()));
        let error = check_finite(&channels, &[1.0, f64::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "parameter `tip_x` is NaN, expected a finite number");
    }
}
