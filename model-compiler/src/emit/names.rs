//! Places of coordinates and velocities as constants, so that a name that does not exist is an error of compilation.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::docs;
use super::parameters::INTERFACE;
use crate::derive::{Channel, Layout};

/// The lists that have names, with the ending of their type.
pub(super) fn lists(layout: &Layout) -> impl Iterator<Item = (&'static str, &[Channel])> {
    [("Coordinates", layout.coordinates.as_slice()), ("Velocities", layout.velocities.as_slice())]
        .into_iter()
        .filter(|(_, channels)| !constants(channels).is_empty())
}

/// A type for each list, with a constant for each of its names.
pub(super) fn names(model: &str, layout: &Layout) -> String {
    let mut text = String::new();
    for (ending, channels) in lists(layout) {
        let what = ending.to_lowercase();
        let method = if ending == "Coordinates" { "coordinate" } else { "velocity" };
        let doc = format!(
            "Places of the {what} of [`{model}`]; those of members of arrays are found by `describe().{method}(\"…\")`."
        );
        text.push_str(&docs::comment(&[doc]));
        let _ = writeln!(text, "{INTERFACE}pub enum {model}{ending} {{}}\n{INTERFACE}impl {model}{ending} {{");
        for (constant, place) in constants(channels) {
            let Channel { name, unit } = &channels[place];
            text.push_str(&docs::comment(&[format!("`{name}`, in {unit}.")]));
            let _ = writeln!(text, "pub const {constant}: usize = {place};");
        }
        text.push_str("}\n");
    }
    text
}

/// The names that are identifiers once they are written as such, with their places. Members of arrays have none, so that
/// code does not grow with their number, nor have names that would be the same.
fn constants(channels: &[Channel]) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::<String, Vec<usize>>::new();
    for (place, channel) in channels.iter().enumerate().filter(|(_, channel)| !channel.name.contains('[')) {
        places.entry(constant(&channel.name)).or_default().push(place);
    }
    let unique = |(constant, places): (String, Vec<usize>)| match *places {
        [place] => Some((constant, place)),
        _ => None,
    };
    places.into_iter().filter_map(unique).collect()
}

/// `left_knee.angle` as `LEFT_KNEE_ANGLE`.
fn constant(name: &str) -> String {
    name.chars().flat_map(char::to_uppercase).map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// Limits of all coordinates and velocities as arrays, if there are any.
pub(super) fn limits(layout: &Layout) -> String {
    if layout.limits.is_empty() {
        return String::new();
    }
    let (q, v) = (layout.coordinates.len(), layout.velocities.len());
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; q], vec![f64::INFINITY; q]);
    let (mut speed, mut effort) = (vec![f64::INFINITY; v], vec![f64::INFINITY; v]);
    for &(coordinate, velocity, limits) in &layout.limits {
        if let Some([least, most]) = limits.range {
            (lower[coordinate], upper[coordinate]) = (least, most);
        }
        speed[velocity] = limits.speed.unwrap_or(f64::INFINITY);
        effort[velocity] = limits.effort.unwrap_or(f64::INFINITY);
    }
    let lists = [
        ("LOWER_LIMITS", "Lower limits of the coordinates", lower),
        ("UPPER_LIMITS", "Upper limits of the coordinates", upper),
        ("VELOCITY_LIMITS", "Greatest magnitudes of the velocities", speed),
        ("EFFORT_LIMITS", "Greatest magnitudes of forces and torques along the velocities", effort),
    ];
    lists.into_iter().fold(String::new(), |mut text, (name, doc, values)| {
        let values: Vec<String> = values.into_iter().map(number).collect();
        let doc = docs::comment(&[format!("{doc}, infinite where there is none; the motion does not heed them.")]);
        let _ = writeln!(text, "{doc}pub const {name}: [f64; {}] = [{}];", values.len(), values.join(", "));
        text
    })
}

fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "f64::INFINITY".to_owned(),
        f64::NEG_INFINITY => "f64::NEG_INFINITY".to_owned(),
        _ => format!("{value:?}"),
    }
}
