//! Figures of a sweep: a curve where one variable varies, a map for a grid of two, otherwise outputs over each variable;
//! and the distribution of samples.

use hamel_report::plot::{self, HeatMap};
use hamel_report::{Axis, Curve, Figure, Style};
use hamel_sweep::{Column, Table};

/// Most variables over which an output is drawn.
const MOST_VARIABLES: usize = 6;
/// Most intervals of a histogram.
const MOST_INTERVALS: f64 = 60.0;

/// Parts of the cases below the curves of a fan, in per cent.
const QUANTILES: [f64; 5] = [5.0, 25.0, 50.0, 75.0, 95.0];

/// The quantity and the time of an output `QUANTITY.at(TIME)`.
pub(super) fn instant(name: &str) -> Option<(&str, f64)> {
    let (quantity, time) = name.strip_suffix(')')?.rsplit_once(".at(")?;
    Some((quantity, time.parse().ok()?))
}

/// Names of files without ending, and pictures.
pub(super) fn figures(table: &Table) -> Vec<(String, String)> {
    let mut pictures = fans(table);
    for (place, output) in table.outputs.iter().enumerate().filter(|(_, output)| instant(&output.name).is_none()) {
        let finite = table.rows.iter().filter(|row| row.outcome.is_finite());
        let points: Vec<(&[f64], f64)> = finite.map(|row| (&row.variables[..], row.outcome.outputs[place])).collect();
        if points.is_empty() {
            continue;
        }
        let mut axes: Vec<Vec<f64>> = Vec::new();
        for variable in 0..table.variables.len() {
            let mut values: Vec<f64> = table.rows.iter().map(|row| row.variables[variable]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            axes.push(values);
        }
        let varying: Vec<usize> = (0..axes.len()).filter(|&variable| axes[variable].len() > 1).collect();
        let is_grid = axes.iter().map(Vec::len).product::<usize>() == table.rows.len();
        match varying.as_slice() {
            &[x, y] if is_grid && axes[x].len() > 2 && axes[y].len() > 2 => {
                let map = HeatMap {
                    x: axis(&table.variables[x], &axes[x]),
                    y: axis(&table.variables[y], &axes[y]),
                    columns: axes[x].clone(),
                    rows: axes[y].clone(),
                    value: Axis::linear(&output.name, &output.unit),
                    points: points.iter().map(|(variables, value)| (variables[x], variables[y], *value)).collect(),
                };
                pictures.push((output.name.clone(), plot::heat_map(&map)));
            }
            varying => {
                for &x in varying.iter().take(MOST_VARIABLES) {
                    let column = &table.variables[x];
                    let style = if varying.len() == 1 && is_grid { Style::LineAndMarkers } else { Style::Markers };
                    let mut curve: Vec<(f64, f64)> =
                        points.iter().map(|(variables, value)| (variables[x], *value)).collect();
                    curve.sort_by(|a, b| a.0.total_cmp(&b.0));
                    let name = if varying.len() == 1 {
                        output.name.clone()
                    } else {
                        format!("{}_{}", output.name, column.name)
                    };
                    let curves = vec![Curve::new(&output.name, style, curve)];
                    let y = Axis::linear(&output.name, &output.unit);
                    pictures.push((name.clone(), plot::svg(&figure(name, axis(column, &axes[x]), y, curves))));
                }
                if !is_grid {
                    let values: Vec<f64> = points.iter().map(|&(_, value)| value).collect();
                    pictures.push((format!("{}_histogram", output.name), histogram(output, values)));
                }
            }
        }
    }
    pictures
}

/// How quantities are distributed at each of several times.
fn fans(table: &Table) -> Vec<(String, String)> {
    let mut fans: Vec<(&str, &Column, Vec<(f64, Vec<f64>)>)> = Vec::new();
    for (place, output) in table.outputs.iter().enumerate() {
        let Some((quantity, time)) = instant(&output.name) else { continue };
        let finite = table.rows.iter().filter(|row| row.outcome.is_finite());
        let mut values: Vec<f64> = finite.map(|row| row.outcome.outputs[place]).collect();
        values.sort_by(f64::total_cmp);
        match fans.iter_mut().find(|(known, ..)| *known == quantity) {
            Some((.., times)) => times.push((time, values)),
            None => fans.push((quantity, output, vec![(time, values)])),
        }
    }
    let drawn = |(quantity, output, times): (&str, &Column, Vec<(f64, Vec<f64>)>)| {
        let curve = |part: f64| {
            let name = if part == 50.0 { "median".to_owned() } else { format!("{part} %") };
            let style = if part == 50.0 { Style::Line } else { Style::Dashed };
            let points = times.iter().filter(|(_, values)| !values.is_empty());
            Curve::new(name, style, points.map(|(time, values)| (*time, quantile(values, part / 100.0))).collect())
        };
        let name = format!("{quantity}_fan");
        let curves = QUANTILES.into_iter().rev().map(curve).collect();
        let (x, y) = (Axis::linear("time", "s"), Axis::linear(quantity, &output.unit));
        (name.clone(), plot::svg(&figure(name, x, y, curves)))
    };
    fans.into_iter().filter(|(.., times)| times.len() > 2).map(drawn).collect()
}

/// The value below which this part of ascending values lies, on the line between two of them.
fn quantile(values: &[f64], part: f64) -> f64 {
    let place = part * (values.len() - 1) as f64;
    let below = values[place as usize];
    let above = values[(place as usize + 1).min(values.len() - 1)];
    below + place.fract() * (above - below)
}

/// Values that are distributed by their logarithms have a logarithmic axis.
fn axis(column: &Column, values: &[f64]) -> Axis {
    let is_log = match values {
        [first, .., last] if *first > 0.0 => {
            let middle = values[values.len() / 2];
            last / first > 30.0
                && (middle / (first * last).sqrt()).ln().abs() < (middle / (0.5 * (first + last))).ln().abs()
        }
        _ => false,
    };
    if is_log { Axis::log(&column.name, &column.unit) } else { Axis::linear(&column.name, &column.unit) }
}

/// How many cases have a value in each of equal intervals, whose number follows Rice's rule.
fn histogram(output: &Column, mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    let (first, last) = (values[0], values[values.len() - 1]);
    let intervals = (2.0 * (values.len() as f64).cbrt()).ceil().min(MOST_INTERVALS) as usize;
    let width = if last > first { (last - first) / intervals as f64 } else { 1.0 };
    let mut counts = vec![0_u32; intervals];
    for value in &values {
        counts[(((value - first) / width) as usize).min(intervals - 1)] += 1;
    }
    let mut outline = vec![(first, 0.0)];
    for (interval, &count) in counts.iter().enumerate() {
        let from = first + interval as f64 * width;
        outline.extend([(from, f64::from(count)), (from + width, f64::from(count))]);
    }
    outline.push((first + intervals as f64 * width, 0.0));
    let curves = vec![Curve::new("cases", Style::Line, outline)];
    let name = format!("{}_histogram", output.name);
    plot::svg(&figure(name, Axis::linear(&output.name, &output.unit), Axis::linear("cases", "1"), curves))
}

fn figure(slug: String, x: Axis, y: Axis, curves: Vec<Curve>) -> Figure {
    Figure { title: slug.clone(), slug, caption: String::new(), x, y, curves, slopes: Vec::new() }
}

#[cfg(test)]
mod tests {
    use hamel_sweep::{Outcome, Row};

    use super::*;

    #[test]
    fn quantiles_stand_between_values() {
        let values = [1.0, 2.0, 4.0];
        let found = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| quantile(&values, part));
        assert_eq!(found, [1.0, 1.5, 2.0, 3.0, 4.0]);
        assert_eq!(quantile(&[3.0], 0.95), 3.0);
    }

    #[test]
    fn each_quantity_with_several_times_is_a_fan() {
        let named = |name: &str| Column { name: name.to_owned(), unit: "m".to_owned() };
        let outputs = ["x.at(0)", "x.at(0.5)", "x.at(1)", "y.max", "y.at(1)"].map(named).to_vec();
        let row = |case: u64| Row {
            case,
            variables: vec![case as f64],
            outcome: Outcome { outputs: vec![1.0, case as f64, 3.0, 4.0, 5.0], failure: None, cautions: Vec::new() },
        };
        let table = Table {
            description: String::new(),
            variables: vec![named("mass")],
            outputs,
            rows: (0..9).map(row).collect(),
        };
        let names: Vec<String> = figures(&table).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["x_fan", "y.max"]);
        assert_eq!(instant("velocity(h.angle).at(1e-3)"), Some(("velocity(h.angle)", 1e-3)));
        assert_eq!(instant("x.max"), None);
    }
}
