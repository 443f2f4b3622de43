//! Summary of a recorded motion: a short table.

use hamel::{Model, Trajectory};
use hamel_report::number::readable;
use hamel_report::recorded::{RESIDUAL, energy, output_columns};

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
    let outputs = model.describe().outputs.iter().zip(&last[output_columns(model.describe(), trajectory)..]);
    rows.extend(outputs.map(|(channel, &value)| vec![channel.name.to_owned(), number(value, &channel.unit)]));
    rows.push(vec!["energy at the start".into(), number(energy(first), "J")]);
    rows.push(vec!["energy at the end".into(), number(energy(last), "J")]);
    if let Ok(residuals) = trajectory.column(RESIDUAL) {
        rows.push(vec!["largest constraint residual".into(), readable(residuals.fold(0.0, f64::max), 2)]);
    }
    rows
}
