//! Titles of columns, `name [unit]`, in tables that people write.

use crate::prelude::*;

/// The name and the unit in a title `name [unit]`. Without brackets it is a name alone, as it is where the brackets follow
/// at once and have the number of a component.
///
/// # Examples
/// ```
/// use hamel::trajectory::name_and_unit;
///
/// assert_eq!(name_and_unit("hinge.angle [rad]"), ("hinge.angle", Some("rad")));
/// assert_eq!(name_and_unit("mass[kg]"), ("mass", Some("kg")));
/// assert_eq!(name_and_unit("damping ratio"), ("damping ratio", None));
/// assert_eq!(name_and_unit("offset[1]"), ("offset[1]", None));
/// assert_eq!(name_and_unit("offset[1] [m]"), ("offset[1]", Some("m")));
/// ```
pub fn name_and_unit(title: &str) -> (&str, Option<&str>) {
    let parts = title.trim().strip_suffix(']').and_then(|title| title.rsplit_once('['));
    match parts.filter(|(name, unit)| name.ends_with(char::is_whitespace) || unit.parse::<u32>().is_err()) {
        Some((name, unit)) => (name.trim_end(), Some(unit.trim())),
        None => (title.trim(), None),
    }
}

/// Whether these are symbols of one unit; angles are numbers.
///
/// # Examples
/// ```
/// use hamel::trajectory::is_same_unit;
///
/// assert!(is_same_unit("rad/s", "1/s") && is_same_unit("N m/rad", "N m") && !is_same_unit("g", "kg"));
/// ```
pub fn is_same_unit(one: &str, other: &str) -> bool {
    let plain = |unit: &str| {
        let unit = unit.replace("/rad", "");
        unit.strip_prefix("rad").map_or_else(|| unit.clone(), |rest| format!("1{rest}"))
    };
    plain(one) == plain(other)
}
