//! What `hamel linearize` finds, as tables, figures and JSON.

use std::f64::consts::TAU;
use std::io::{self, Write};

use hamel::Channel;
use hamel::linearize::{Linearization, Locus, Mode, Monodromy};
use hamel::nalgebra::{Complex, DMatrix, DVector};
use hamel_compiler::escape::file_name;
use hamel_report::folder::Folder;
use hamel_report::output::{self, OutputError};
use hamel_report::{Axis, Curve, Figure, Style};
use serde_json::{Value, json};

use crate::failure::Failure;

/// Eigenvalues over a parameter.
pub(super) struct Followed {
    pub model: String,
    pub parameter: String,
    pub unit: String,
    pub locus: Locus,
    pub states: Vec<Channel>,
    /// The outputs, and their values for each value of the parameter.
    pub outputs: (Vec<Channel>, Vec<Vec<f64>>),
    /// Where the state leaps.
    pub leap: Option<String>,
    /// Why the branches end before the last value.
    pub ended: Option<Failure>,
}

/// What was found.
pub(super) enum Results {
    Instant { linear: Box<Linearization>, modes: Vec<Mode>, frequencies: Vec<f64>, outputs: Vec<f64> },
    Periodic(Monodromy),
    Locus(Followed),
}

/// A table: its file, its first row, and the others.
struct Table {
    file: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Results {
    /// Names of the files.
    pub(super) fn files(&self, name: &str) -> Vec<String> {
        let tables = self.tables(name).into_iter().map(|table| table.file);
        let figures = self.figures(name).into_iter().map(|figure| format!("{}.svg", file_name(&figure.slug)));
        tables.chain(figures).chain([json_file(name)]).collect()
    }

    pub(super) fn stage(&self, folder: &mut Folder, name: &str) -> Result<(), OutputError> {
        for Table { file, head, rows } in self.tables(name) {
            folder.stage(&file, |out| write(out, &head, &rows))?;
        }
        output::stage_figures(folder, "", &self.figures(name))?;
        output::stage_json(folder, &json_file(name), &self.json())
    }

    /// Everything; numbers that JSON does not have are null.
    pub(super) fn json(&self) -> Value {
        match self {
            Results::Instant { linear, modes, outputs, .. } => {
                let matrix = |matrix: &DMatrix<f64>| -> Value {
                    matrix.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>()).collect()
                };
                json!({
                    "model": linear.model,
                    "about": format!("{:?}", linear.about).to_lowercase(),
                    "axes": format!("{:?}", linear.axes).to_lowercase(),
                    "time": linear.state.t,
                    "q": linear.state.q.as_slice(),
                    "v": linear.state.v.as_slice(),
                    "states": channels(&linear.states),
                    "displacements": linear.displacements,
                    "inputs": channels(&linear.inputs),
                    "outputs": channels(&linear.outputs),
                    "output_values": outputs,
                    "coordinates": channels(&linear.coordinates),
                    "velocities": channels(&linear.velocities),
                    "E": matrix(&linear.e), "A": matrix(&linear.a), "B": matrix(&linear.b),
                    "C": matrix(&linear.c), "D": matrix(&linear.d),
                    "modes": modes.iter().map(mode).collect::<Vec<_>>(),
                })
            }
            Results::Periodic(found) => {
                let pairs = |values: Vec<Complex<f64>>| values.into_iter().map(pair).collect::<Vec<_>>();
                json!({
                    "model": found.model, "period": found.period, "steps": found.steps, "change": found.change,
                    "states": channels(&found.states),
                    "matrix": found.matrix.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>()).collect::<Vec<_>>(),
                    "multipliers": pairs(found.multipliers().unwrap_or_default()),
                    "exponents": pairs(found.exponents().unwrap_or_default()),
                })
            }
            Results::Locus(Followed {
                model,
                parameter,
                unit,
                locus,
                states,
                outputs: (outputs, values_of),
                leap,
                ..
            }) => {
                json!({
                    "caution": leap,
                    "model": model, "parameter": parameter, "unit": unit, "states": channels(states),
                    "values": locus.values, "outputs": channels(outputs), "output_values": values_of,
                    "branches": locus.branches.iter().map(|branch| branch.iter().copied().map(pair).collect::<Vec<_>>()).collect::<Vec<_>>(),
                })
            }
        }
    }

    fn tables(&self, name: &str) -> Vec<Table> {
        let file = |end: &str| format!("{}.csv", file_name(&format!("{name}_{end}")));
        match self {
            Results::Instant { linear, modes, frequencies, .. } => {
                let names =
                    |channels: &[Channel]| channels.iter().map(|channel| channel.name.clone()).collect::<Vec<_>>();
                let matrix = |end: &str, matrix: &DMatrix<f64>, rows: &[String], columns: &[String]| Table {
                    file: file(end),
                    head: [vec![String::new()], columns.to_vec()].concat(),
                    rows: rows
                        .iter()
                        .zip(matrix.row_iter())
                        .map(|(name, row)| {
                            std::iter::once(name.clone()).chain(row.iter().map(|x| number(*x))).collect()
                        })
                        .collect(),
                };
                let (states, inputs, outputs) = (names(&linear.states), names(&linear.inputs), names(&linear.outputs));
                let mut tables =
                    vec![matrix("E", &linear.e, &states, &states), matrix("A", &linear.a, &states, &states)];
                if !inputs.is_empty() {
                    tables.push(matrix("B", &linear.b, &states, &inputs));
                }
                if !outputs.is_empty() {
                    tables.push(matrix("C", &linear.c, &outputs, &states));
                }
                if !inputs.is_empty() && !outputs.is_empty() {
                    tables.push(matrix("D", &linear.d, &outputs, &inputs));
                    tables.push(responses(linear, frequencies, file("response")));
                }
                tables.push(shapes(linear, modes, file("modes")));
                tables
            }
            Results::Periodic(found) => {
                let names: Vec<String> = found.states.iter().map(|channel| channel.name.clone()).collect();
                let rows = names.iter().zip(found.matrix.row_iter());
                vec![Table {
                    file: file("monodromy"),
                    head: [vec![String::new()], names.clone()].concat(),
                    rows: rows
                        .map(|(name, row)| {
                            std::iter::once(name.clone()).chain(row.iter().map(|x| number(*x))).collect()
                        })
                        .collect(),
                }]
            }
            Results::Locus(Followed { parameter, locus, outputs: (outputs, values_of), .. }) => {
                let heads = (1..=locus.branches.len()).flat_map(|k| [format!("re_{k}"), format!("im_{k}")]);
                let row = |(place, value): (usize, &f64)| {
                    let values = locus.branches.iter().flat_map(|branch| [branch[place].re, branch[place].im]);
                    std::iter::once(*value).chain(values).chain(values_of[place].iter().copied()).map(number).collect()
                };
                let names = outputs.iter().map(|channel| channel.name.clone());
                vec![Table {
                    file: file("locus"),
                    head: std::iter::once(parameter.clone()).chain(heads).chain(names).collect(),
                    rows: locus.values.iter().enumerate().map(row).collect(),
                }]
            }
        }
    }

    fn figures(&self, name: &str) -> Vec<Figure> {
        match self {
            Results::Instant { linear, frequencies, .. } if !linear.inputs.is_empty() && !linear.outputs.is_empty() => {
                bode(linear, frequencies, name)
            }
            Results::Instant { .. } | Results::Periodic(_) => Vec::new(),
            Results::Locus(followed) => loci(followed, name),
        }
    }
}

fn json_file(name: &str) -> String {
    format!("{}.json", file_name(&format!("{name}_linear")))
}

fn write(out: &mut dyn Write, head: &[String], rows: &[Vec<String>]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(head).map_err(io::Error::from)?;
    rows.iter().try_for_each(|row| writer.write_record(row)).map_err(io::Error::from)?;
    writer.flush()
}

/// A number with all of its digits.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn pair(value: Complex<f64>) -> [f64; 2] {
    [value.re, value.im]
}

fn channels(channels: &[Channel]) -> Vec<Value> {
    channels.iter().map(|channel| json!({ "name": channel.name, "unit": channel.unit })).collect()
}

fn mode(mode: &Mode) -> Value {
    let all = |values: &DVector<Complex<f64>>| values.iter().copied().map(pair).collect::<Vec<_>>();
    json!({
        "eigenvalue": pair(mode.eigenvalue),
        "rounding": mode.rounding,
        "frequency": mode.frequency(),
        "damping_ratio": mode.damping_ratio(),
        "time_constant": mode.time_constant(),
        "states": all(&mode.states),
        "coordinates": all(&mode.coordinates),
        "velocities": all(&mode.velocities),
    })
}

/// A line for each natural motion, with what it does to coordinates and velocities.
fn shapes(linear: &Linearization, modes: &[Mode], file: String) -> Table {
    let mut head: Vec<String> =
        ["re, 1/s", "im, 1/s", "frequency, Hz", "damping_ratio", "time_constant, s"].map(str::to_owned).to_vec();
    let of = |channels: &[Channel], begin: &str| -> Vec<String> {
        let both = |channel: &Channel| [format!("{begin}{}.re", channel.name), format!("{begin}{}.im", channel.name)];
        channels.iter().flat_map(both).collect()
    };
    head.extend(of(&linear.coordinates, ""));
    head.extend(of(&linear.velocities, "rate of "));
    let row = |mode: &Mode| {
        let first =
            [mode.eigenvalue.re, mode.eigenvalue.im, mode.frequency(), mode.damping_ratio(), mode.time_constant()];
        let shape = mode.coordinates.iter().chain(&mode.velocities).flat_map(|value| [value.re, value.im]);
        first.into_iter().chain(shape).map(number).collect()
    };
    Table { file, head, rows: modes.iter().map(row).collect() }
}

/// Of each output to each input, with their places.
fn pairs(linear: &Linearization) -> impl Iterator<Item = (usize, usize, String)> + '_ {
    let of_input = move |(column, input): (usize, &Channel)| {
        let input = input.name.clone();
        let name = move |(row, output): (usize, &Channel)| (row, column, format!("{} by {input}", output.name));
        linear.outputs.iter().enumerate().map(name).collect::<Vec<_>>()
    };
    linear.inputs.iter().enumerate().flat_map(of_input)
}

fn at(linear: &Linearization, frequencies: &[f64]) -> Vec<DMatrix<Complex<f64>>> {
    linear.response(frequencies.iter().map(|hertz| Complex::new(0.0, TAU * hertz)))
}

fn responses(linear: &Linearization, frequencies: &[f64], file: String) -> Table {
    let heads = pairs(linear).flat_map(|(_, _, name)| [format!("{name}.re"), format!("{name}.im")]);
    let row = |(hertz, response): (&f64, &DMatrix<Complex<f64>>)| {
        let values = pairs(linear).flat_map(|(row, column, _)| pair(response[(row, column)]));
        std::iter::once(*hertz).chain(values).map(number).collect()
    };
    Table {
        file,
        head: std::iter::once("frequency, Hz".to_owned()).chain(heads).collect(),
        rows: frequencies.iter().zip(&at(linear, frequencies)).map(row).collect(),
    }
}

/// Magnitudes and phases of the outputs for each input, over the frequency.
fn bode(linear: &Linearization, frequencies: &[f64], name: &str) -> Vec<Figure> {
    let responses = at(linear, frequencies);
    let x = || Axis::log("frequency", "Hz");
    let mut figures = Vec::new();
    for (column, input) in linear.inputs.iter().enumerate() {
        let curves = |value: &dyn Fn(usize) -> Vec<f64>| -> Vec<Curve> {
            let curve = |(row, output): (usize, &Channel)| {
                let points = frequencies.iter().copied().zip(value(row)).filter(|(_, value)| value.is_finite());
                Curve::new(&output.name, Style::Line, points.collect())
            };
            linear.outputs.iter().enumerate().map(curve).collect()
        };
        let magnitude =
            |row: usize| responses.iter().map(|response| positive(response[(row, column)].norm())).collect();
        let phase = |row: usize| unwrapped(responses.iter().map(|response| response[(row, column)].arg().to_degrees()));
        let figure = |end: &str, label: &str, unit: &str, is_log: bool, curves| Figure {
            slug: format!("{name}_{}_{end}", input.name),
            title: format!("Response to {}", input.name),
            caption: String::new(),
            x: x(),
            y: Axis { is_log, ..Axis::linear(label, unit) },
            curves,
            slopes: Vec::new(),
        };
        figures.push(figure("magnitude", "magnitude, in SI units", "", true, curves(&magnitude)));
        figures.push(figure("phase", "phase", "°", false, curves(&phase)));
    }
    figures
}

/// A logarithmic axis has no zero.
fn positive(value: f64) -> f64 {
    if value > 0.0 { value } else { f64::NAN }
}

/// Angles in degrees without jumps of a turn.
fn unwrapped(angles: impl Iterator<Item = f64>) -> Vec<f64> {
    let (mut turns, mut last) = (0.0, None::<f64>);
    angles
        .map(|angle| {
            if let Some(last) = last {
                turns -= 360.0 * ((angle - last) / 360.0).round();
            }
            last = Some(angle);
            angle + turns
        })
        .collect()
}

/// The root locus, and real and imaginary parts over the parameter.
fn loci(followed: &Followed, name: &str) -> Vec<Figure> {
    let Followed { parameter, unit, locus, .. } = followed;
    let moving: Vec<(usize, &Vec<Complex<f64>>)> =
        locus.branches.iter().enumerate().filter(|(_, branch)| branch.iter().any(|value| value.norm() > 0.0)).collect();
    let curves = |point: &dyn Fn(usize, Complex<f64>) -> (f64, f64), style: Style| -> Vec<Curve> {
        let curve = |(index, branch): &(usize, &Vec<Complex<f64>>)| {
            let points = branch.iter().enumerate().map(|(place, value)| point(place, *value)).collect();
            Curve::new(format!("λ{}", index + 1), style, points)
        };
        moving.iter().map(curve).collect()
    };
    let figure = |end: &str, title: String, x, y, curves| Figure {
        slug: format!("{name}_{end}"),
        title,
        caption: String::new(),
        x,
        y,
        curves,
        slopes: Vec::new(),
    };
    let (re, im) = (|| Axis::linear("Re λ", "1/s"), || Axis::linear("Im λ", "1/s"));
    let over = || Axis::linear(parameter, unit);
    let values = &locus.values;
    vec![
        figure(
            "locus",
            format!("Eigenvalues for {parameter} from {} to {}", values[0], values[values.len() - 1]),
            re(),
            im(),
            curves(&|_, value| (value.re, value.im), Style::LineAndMarkers),
        ),
        figure(
            "real",
            format!("Real parts over {parameter}"),
            over(),
            re(),
            curves(&|place, value| (values[place], value.re), Style::Line),
        ),
        figure(
            "imaginary",
            format!("Imaginary parts over {parameter}"),
            over(),
            im(),
            curves(&|place, value| (values[place], value.im), Style::Line),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::unwrapped;

    #[test]
    fn phases_have_no_jumps() {
        assert_eq!(unwrapped([170.0, -175.0, -160.0, 175.0].into_iter()), [170.0, 185.0, 200.0, 175.0]);
    }
}
