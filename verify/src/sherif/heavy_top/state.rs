//! The state after one second, from two formulations, against independent values of more digits.
//!
//! Joint coordinates with a Runge-Kutta scheme have neither constraints nor iterations; absolute coordinates with the
//! body-weighted HHT scheme have both. Their agreement checks models and schemes against each other.

use hamel::model::State;
use hamel::scheme::StepError;
use hamel::schemes::RungeKutta;
use hamel_compiler::parallel;
use hamel_report::number::readable;
use hamel_report::{Cell, Claim, Column, Expected, Report, Table};

use super::{Top, reference};
use crate::convergence::{self, largest};
use crate::motion::Grid;
use crate::sherif::schemes::body_weighted;

const DURATION: f64 = 1.0;
/// Step size of the Runge-Kutta scheme, s.
const FINE: f64 = 2e-5;
/// Step sizes of the extrapolation, each half the one before, s.
const HALVED: [f64; 3] = [4e-5, 2e-5, 1e-5];
const ALPHA: f64 = -0.1;
/// A few times what the steps leave in positions, velocities and angular velocities.
const JOINT: [f64; 3] = [1e-10, 1e-9, 2e-9];
const ABSOLUTE: [f64; 3] = [5e-12, 5e-11, 1e-8];

/// Position, velocity and angular velocity, component by component.
type Values = [f64; 9];

const COMPONENTS: [(&str, &str); 9] = [
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("v_x", "m/s"),
    ("v_y", "m/s"),
    ("v_z", "m/s"),
    ("ω_x", "rad/s"),
    ("ω_y", "rad/s"),
    ("ω_z", "rad/s"),
];

pub(super) fn run() -> Result<Report, StepError> {
    let joint = runge_kutta()?;
    let absolute = extrapolated()?;
    let expected = reference::at(DURATION)
        .map_or([f64::NAN; 9], |sample| concatenate(sample.position, sample.velocity, sample.angular_velocity));
    let mut claims = Vec::new();
    for (name, ours, tolerances) in [
        ("joint coordinates, Runge-Kutta", &joint, JOINT),
        ("absolute coordinates, body-weighted HHT", &absolute, ABSOLUTE),
    ] {
        let quantities = [("position", "m", 0..3), ("velocity", "m/s", 3..6), ("angular velocity", "rad/s", 6..9)];
        for ((quantity, unit, range), tolerance) in quantities.into_iter().zip(tolerances) {
            claims.push(Claim::new(
                format!("{quantity} at t = 1 s, largest deviation; {name}"),
                unit,
                Expected::Reference { value: 0.0, tolerance },
                largest(range.map(|k| ours[k] - expected[k])),
            ));
        }
    }
    Ok(Report {
        claims,
        tables: vec![table(&expected, &joint, &absolute)],
        notes: vec![format!(
            "The independent values come from an extrapolation method in quadruple precision. Joint coordinates: Runge-Kutta, \
             h = {} s. Absolute coordinates: body-weighted HHT, α = {}, extrapolated from h = 4, 2 and 1·10⁻⁵ s.",
            readable(FINE, 1),
            readable(ALPHA, 1),
        )],
        ..Report::default()
    })
}

fn table(expected: &Values, joint: &Values, absolute: &Values) -> Table {
    let rows = COMPONENTS.iter().enumerate().map(|(k, (name, unit))| {
        vec![
            Cell::from(format!("{name} ({unit})")),
            Cell::number(expected[k], 12),
            Cell::number(joint[k], 12),
            Cell::number(absolute[k], 12),
        ]
    });
    let columns = ["component", "independent", "joint coordinates", "absolute coordinates"];
    Table {
        slug: "state".into(),
        title: "State of the heavy top at t = 1 s".into(),
        columns: columns.map(Column::text).to_vec(),
        rows: rows.collect(),
    }
}

fn runge_kutta() -> Result<Values, StepError> {
    let top = Top::joint()?;
    end(&top, &RungeKutta, FINE)
}

/// The limit for vanishing steps: errors are a h² + b h³ + …, so two rounds of extrapolation.
fn extrapolated() -> Result<Values, StepError> {
    let runs = parallel::map(&HALVED, |&dt| end(&Top::absolute()?, &*body_weighted(ALPHA)?, dt));
    let mut values = runs.into_iter().collect::<Result<Vec<_>, _>>()?;
    for order in 2..=HALVED.len() as i32 {
        values = values.windows(2).map(|pair| extrapolate(&pair[0], &pair[1], order)).collect();
    }
    Ok(values[0])
}

fn extrapolate(coarse: &Values, fine: &Values, order: i32) -> Values {
    std::array::from_fn(|k| convergence::richardson(coarse[k], fine[k], order))
}

fn end(top: &Top, scheme: &dyn hamel::Scheme, dt: f64) -> Result<Values, StepError> {
    let grid = Grid::new(dt, DURATION).sampled(1);
    let values = |state: &State| concatenate(top.position(state), top.velocity(state), top.angular_velocity(state));
    let samples = top.observe(scheme, grid, values).complete()?;
    Ok(samples.last().copied().unwrap_or([f64::NAN; 9]))
}

fn concatenate(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> Values {
    std::array::from_fn(|k| [a, b, c][k / 3][k % 3])
}
