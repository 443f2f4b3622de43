//! Figures of recorded motions: their outputs, energy and constraints over time, of one motion or of several.

use hamel::{Channel, ModelInfo, Trajectory};

use crate::{Axis, Curve, Figure, Style};

/// The column with the residual of constraints on positions, relative to the model's length.
pub const RESIDUAL: &str = "position_residual";

/// The quantity that a channel is a component of: `omega` for `omega_x` and `omega[1]`, `axes` for `axes_xz`.
pub fn quantity(channel: &str) -> &str {
    let name = channel.split('[').next().unwrap_or(channel);
    let is_place = |place: &str| (1..=2).contains(&place.len()) && place.chars().all(|axis| "xyz".contains(axis));
    name.rsplit_once('_').filter(|(_, place)| is_place(place)).map_or(name, |(quantity, _)| quantity)
}

/// The names of the figures of a model's motions.
pub fn slugs(info: &ModelInfo) -> Vec<String> {
    let outputs = quantities(info).map(|channels| format!("output_{}", quantity(&channels[0].name)));
    let constraints = (!info.constraints.is_empty()).then(|| "constraints".to_owned());
    outputs.chain(["energy".to_owned()]).chain(constraints).collect()
}

/// One figure for each output, one for the energy, one for the constraints.
pub fn figures(info: &ModelInfo, trajectory: &Trajectory) -> Vec<Figure> {
    let (mut figures, mut slugs) = (Vec::new(), slugs(info).into_iter());
    let mut figure = |label: &str, unit: &str, curves| figure(slugs.next().unwrap_or_default(), label, unit, curves);
    let mut column = output_columns(info, trajectory);
    for channels in quantities(info) {
        let component = |(k, channel): (usize, &Channel)| curve(&channel.name, trajectory, |row| row[column + k]);
        let curves = channels.iter().enumerate().map(component).collect();
        let name = quantity(&channels[0].name);
        figures.push(figure(name, &channels[0].unit, curves));
        column += channels.len();
    }
    let curves = vec![
        curve("kinetic", trajectory, |row| row[row.len() - 2]),
        curve("potential", trajectory, |row| row[row.len() - 1]),
        curve("total", trajectory, energy),
    ];
    figures.push(figure("energy", "J", curves));
    if let Some(place) = trajectory.columns().iter().position(|column| column.name == RESIDUAL) {
        // A logarithmic axis has no zero, and round-off often vanishes exactly.
        let residual = curve("g", trajectory, |row| row[place].max(1e-18));
        let mut residual = figure("largest constraint residual", "1", vec![residual]);
        residual.y.is_log = true;
        figures.push(residual);
    }
    figures
}

/// The figures of several motions: what each of them draws, in the same figure, with the name of the motion. Those of a
/// single motion stay as they are.
pub fn overlaid(mut motions: Vec<(String, Vec<Figure>)>) -> Vec<Figure> {
    if motions.len() == 1 {
        return motions.swap_remove(0).1;
    }
    let mut all: Vec<Figure> = Vec::new();
    for (motion, figures) in motions {
        for mut figure in figures {
            let is_alone = figure.curves.len() == 1;
            for curve in &mut figure.curves {
                curve.name = if is_alone { motion.clone() } else { format!("{}, {motion}", curve.name) };
            }
            match all.iter_mut().find(|known| known.slug == figure.slug && known.y == figure.y) {
                Some(known) => known.curves.extend(figure.curves),
                None => all.push(figure),
            }
        }
    }
    all
}

/// The first column of the outputs, which precede the two energies at the end of a row.
pub fn output_columns(info: &ModelInfo, trajectory: &Trajectory) -> usize {
    trajectory.columns().len() - 2 - info.outputs.len()
}

/// Kinetic and potential energy of a row, J.
pub fn energy(row: &[f64]) -> f64 {
    row[row.len() - 2] + row[row.len() - 1]
}

/// Outputs, those together that are components of one quantity.
fn quantities(info: &ModelInfo) -> impl Iterator<Item = &[Channel]> {
    info.outputs.chunk_by(|a, b| quantity(&a.name) == quantity(&b.name))
}

fn curve(name: &str, trajectory: &Trajectory, value: impl Fn(&[f64]) -> f64) -> Curve {
    Curve::new(name, Style::Line, trajectory.rows().map(|row| (row[0], value(row))).collect())
}

fn figure(slug: String, label: &str, unit: &str, curves: Vec<Curve>) -> Figure {
    Figure {
        slug,
        title: label.to_owned(),
        caption: String::new(),
        x: Axis::linear("time", "s"),
        y: Axis::linear(label, unit),
        curves,
        slopes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_known_by_their_quantity() {
        for (channel, name) in [
            ("omega_x", "omega"),
            ("omega[2]", "omega"),
            ("slider", "slider"),
            ("tip_y", "tip"),
            ("axes_xz", "axes"),
            ("k_max", "k_max"),
        ] {
            assert_eq!(quantity(channel), name);
        }
    }
}
