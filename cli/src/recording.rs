//! Summary of a recorded motion: a short table, and plots of outputs, energy and constraints.

use hamel::{Channel, Model, Trajectory};
use hamel_report::number::readable;
use hamel_report::{Axis, Curve, Figure, Style};
use hamel_verify::motion::quantity;

/// Time, outputs and energy at the end, with units, and the largest residual of the constraints.
pub(crate) fn summary(model: &dyn Model, trajectory: &Trajectory) -> Vec<Vec<String>> {
    let (Some(first), Some(last)) = (trajectory.rows().next(), trajectory.rows().next_back()) else {
        return Vec::new();
    };
    let number = |value: f64, unit: &str| match unit {
        "1" => readable(value, 9),
        unit => format!("{} {unit}", readable(value, 9)),
    };
    let mut rows = vec![vec!["time".into(), number(last[0], "s")]];
    let outputs = model.describe().outputs.iter().zip(&last[output_columns(model, trajectory)..]);
    rows.extend(outputs.map(|(channel, &value)| vec![channel.name.to_owned(), number(value, &channel.unit)]));
    rows.push(vec!["energy at the start".into(), number(energy(first), "J")]);
    rows.push(vec!["energy at the end".into(), number(energy(last), "J")]);
    if let Ok(residuals) = trajectory.column(RESIDUAL) {
        rows.push(vec!["largest constraint residual".into(), readable(residuals.fold(0.0, f64::max), 2)]);
    }
    rows
}

/// The column with the residual of constraints on positions, relative to the model's length.
const RESIDUAL: &str = "position_residual";

/// The names of the figures.
pub(crate) fn slugs(model: &dyn Model) -> Vec<String> {
    let outputs = model.describe().outputs.chunk_by(|a, b| quantity(&a.name) == quantity(&b.name));
    let outputs = outputs.map(|channels| format!("output_{}", quantity(&channels[0].name)));
    let constraints = (model.dims().nc > 0).then(|| "constraints".to_owned());
    outputs.chain(["energy".to_owned()]).chain(constraints).collect()
}

/// One figure for each output, one for the energy, one for the constraints.
pub(crate) fn figures(model: &dyn Model, trajectory: &Trajectory) -> Vec<Figure> {
    let (mut figures, mut slugs) = (Vec::new(), slugs(model).into_iter());
    let mut figure = |label: &str, unit: &str, curves| figure(slugs.next().unwrap_or_default(), label, unit, curves);
    let mut column = output_columns(model, trajectory);
    for channels in model.describe().outputs.chunk_by(|a, b| quantity(&a.name) == quantity(&b.name)) {
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

/// The figures of several motions: what each of them draws, in the same figure, with the name of the motion.
pub(crate) fn overlaid(motions: Vec<(String, Vec<Figure>)>) -> Vec<Figure> {
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
fn output_columns(model: &dyn Model, trajectory: &Trajectory) -> usize {
    trajectory.columns().len() - 2 - model.describe().outputs.len()
}

fn energy(row: &[f64]) -> f64 {
    row[row.len() - 2] + row[row.len() - 1]
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
