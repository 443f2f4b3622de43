//! Errors over time and over factorizations, beside IDA and Exudyn, as `benches/peers/work_precision.py` recorded them.
//!
//! Times belong to the machine on which they were recorded and are drawn, never judged. Our own errors do not: the
//! coarsest of each curve is computed again and held to what was recorded.

use hamel::scheme::{Scheme, StepError};
use hamel::{Model, Simulation, State, consistent_acceleration, initial_state, schemes};
use hamel_compiler::parallel;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Style, Table, at_most};
use serde::Deserialize;

use super::recorded::lines;

const REFERENCES: &str = include_str!("../../data/work_precision/references.csv");
/// Name of this project among the programs.
const OURS: &str = "Hamel";
const EXUDYN: &str = "Exudyn";
/// Errors of which the table shows what they cost.
const LEVELS: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// The reference of a curve's points is known to this part of the least error that is drawn.
const OF_LEAST_ERROR: f64 = 0.25;
/// How far an error may be from the recorded one, as a part of it.
const REPEATED: f64 = 1e-4;
const WHY_REPEATED: &str = "Iterations end by rounding and by tolerances of their own, which may change while the scheme \
    does not; its steps leave the errors that were recorded.";

/// A motion that was recorded.
pub(super) struct Case {
    /// Of the data.
    name: &'static str,
    /// In sentences, e.g. `the heavy top`.
    title: &'static str,
    model: fn() -> Box<dyn Model>,
    /// Start and end, s.
    from: f64,
    until: f64,
    runs: &'static str,
    /// Which formulations the programs have, and what is missing, in whole sentences.
    note: &'static str,
}

macro_rules! runs {
    ($name:literal) => {
        include_str!(concat!("../../data/work_precision/", $name, ".csv"))
    };
}

/// In the order of the effort that they need.
pub(super) static CASES: [Case; 6] = [
    Case {
        name: "andrews",
        title: "Andrews' squeezing mechanism",
        model: || Box::new(hamel_models::AndrewsSqueezer::default()),
        from: 0.0,
        until: 0.03,
        runs: runs!("andrews"),
        note: "Ours and IDA have the seven angles, IDA with accelerations and multipliers as unknowns of index 1; Exudyn \
            has places and angles of all bodies.",
    },
    Case {
        name: "heavy_top",
        title: "Heavy top",
        model: || Box::new(hamel_models::HeavyTopJoint::default()),
        from: 0.0,
        until: 1.0,
        runs: runs!("heavy_top"),
        note: "All turn the top about its tip, without constraints; Exudyn's second curve has a spherical joint.",
    },
    Case {
        name: "slider_crank",
        title: "Slider-crank",
        model: || Box::new(hamel_models::SliderCrank::default()),
        from: 0.0,
        until: 0.1,
        runs: runs!("slider_crank"),
        note: "Ours and IDA have three angles and two constraints, IDA of index 1; Exudyn has places and angles of all \
            bodies. Nothing drives the crank.",
    },
    Case {
        name: "four_bars",
        title: "A02, two four-bars",
        model: || Box::new(hamel_models::FourBars::default()),
        from: 0.0,
        until: 10.0,
        runs: runs!("four_bars"),
        note: "Places and angles of all bodies. IDA is missing: with constraints of index 1 it stops at 0.714 s, where all \
            rods are in line and constraints lose rank, with all tolerances that were tried; Exudyn divides steps there.",
    },
    Case {
        name: "v8",
        title: "V8 crank drive",
        model: || Box::new(hamel_models::V8CrankDrive::default()),
        from: 1.0,
        until: 1.5,
        runs: runs!("v8"),
        note: "From rest by the torque after its rise, which Exudyn would otherwise ask Python for. Ours and Exudyn have \
            Euler parameters of 17 bodies in space and the same joints; IDA has the same motion in the plane, with 17 \
            coordinates and 16 constraints of index 1, so that its times belong to a smaller problem.",
    },
    Case {
        name: "beam",
        title: "Cantilever of 33 nodes under its weight",
        model: || Box::new(Cantilever::default()),
        from: 0.0,
        until: 0.1,
        runs: runs!("beam"),
        note: "The deflection of the tip. Ours is in space, with 198 coordinates; IDA has the same finite volumes in the \
            plane, with 96; Exudyn has finite elements in the plane, with 99 coordinates, and its errors are relative to a \
            reference of its own.",
    },
];

hamel_models::sagging_cantilever!(Cantilever, 16);

/// A line of the data: a motion with one setting.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Recorded {
    program: String,
    version: String,
    scheme: String,
    kind: Kind,
    /// Step, s, or tolerance.
    setting: f64,
    /// Of the state at the end, relative to the largest component.
    error: f64,
    /// Processor time of the motion.
    seconds: f64,
    factorizations: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Step,
    Tolerance,
}

/// A component of the state at the end, by two methods.
#[derive(Clone, Debug, Deserialize)]
struct Reference {
    model: String,
    /// Name of a column.
    quantity: String,
    value: f64,
    method: String,
    second_value: f64,
    second_method: String,
}

/// Lines of one program, scheme and kind of setting, the coarsest first.
struct Series<'a> {
    name: String,
    /// Number of its colour.
    group: usize,
    points: &'a [Recorded],
}

pub(super) fn run(case: &Case) -> Result<Report, StepError> {
    let recorded: Vec<Recorded> = lines("recorded motions", case.runs)?;
    let references = references(case.name)?;
    // Of elements that are not ours.
    let own = references_of_exudyn(case)?;
    let series = series(&recorded)?;
    let is_own = |line: &&Recorded| line.program == EXUDYN && !own.is_empty();
    let mut claims = vec![reference_claim(&references, recorded.iter().filter(|line| !is_own(line)))];
    if !own.is_empty() {
        claims.push(reference_claim(&own, recorded.iter().filter(is_own)));
    }
    let ours: Vec<&Series<'_>> = series.iter().filter(|series| series.points[0].program == OURS).collect();
    let again = parallel::map(&ours, |series| repeated(case, &references, series));
    claims.extend(again.into_iter().collect::<Result<Vec<_>, _>>()?);
    let values: Vec<f64> = own.iter().map(|line| line.value).collect();
    let apart = (!own.is_empty()).then(|| {
        format!("Exudyn's reference differs from ours by {:.1e}, as its elements do.", error(&values, &references))
    });
    let origin = case.runs.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']);
    Ok(Report {
        claims,
        tables: vec![table(case, &series)],
        figures: figures(case, origin, &series),
        notes: [case.note.to_owned()].into_iter().chain(apart).chain([
            format!(
                "Recorded by `benches/peers/work_precision.py`, {origin}; {}. Times are processor times of a whole motion \
                 on one core, the least of several rounds; of Exudyn's Newton methods and linear solvers the fastest \
                 counts. Times and counts are shown as recorded and not judged.",
                versions(&recorded)
            ),
            "Errors are those of the state at the end, the largest component of the difference to the reference relative \
             to the largest of the reference. Motions that fail, are off by more than a tenth, or as accurate as the \
              reference are left out. A fixed step is half of the last, a tolerance a tenth."
                .into(),
        ]).collect(),
    })
}

/// Programs and versions.
fn versions(recorded: &[Recorded]) -> String {
    let of_programs = recorded.chunk_by(|a, b| a.program == b.program).filter_map(|lines| lines.first());
    of_programs.map(|line| format!("{} {}", line.program, line.version)).collect::<Vec<_>>().join(", ")
}

fn series(recorded: &[Recorded]) -> Result<Vec<Series<'_>>, StepError> {
    let are_joined = |a: &Recorded, b: &Recorded| (&a.program, &a.scheme, a.kind) == (&b.program, &b.scheme, b.kind);
    let chunks = recorded.chunk_by(are_joined);
    let named = chunks.map(|points| {
        let Recorded { program, scheme, kind, .. } = &points[0];
        let (name, group) = match (program.as_str(), kind) {
            (OURS, Kind::Step) => (format!("{}, fixed steps", schemes::by_name(scheme, &[])?.name()), 0),
            (OURS, Kind::Tolerance) => (format!("{}, chosen steps", schemes::by_name(scheme, &[])?.name()), 1),
            (_, Kind::Tolerance) => (format!("{program}, {scheme}"), 2),
            (_, Kind::Step) => (format!("{program}, {scheme}"), 3),
        };
        Ok(Series { name, group, points })
    });
    named.collect()
}

/// The lines of a reference.
fn references(name: &str) -> Result<Vec<Reference>, StepError> {
    let all: Vec<Reference> = lines("references of recorded motions", REFERENCES)?;
    Ok(all.into_iter().filter(|line| line.model == name).collect())
}

/// Where Exudyn's elements are not ours, it has a reference of its own.
fn references_of_exudyn(case: &Case) -> Result<Vec<Reference>, StepError> {
    references(&format!("{}, {EXUDYN}", case.name))
}

/// The two references agree to better than what is drawn.
fn reference_claim<'a>(references: &[Reference], recorded: impl Iterator<Item = &'a Recorded>) -> Claim {
    let values: Vec<f64> = references.iter().map(|line| line.second_value).collect();
    let least = recorded.map(|line| line.error).fold(f64::INFINITY, f64::min);
    let methods = references.first().map(|line| format!("{} and {}", line.method, line.second_method));
    Claim::new(
        format!("relative difference of the references, {}", methods.unwrap_or_default()),
        "1",
        at_most(OF_LEAST_ERROR * least, Origin::Chosen("A quarter of the least error that is drawn.")),
        error(&values, references),
    )
}

/// Of values at the end, relative to the largest component; undefined if there are none.
fn error(values: &[f64], references: &[Reference]) -> f64 {
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NAN, f64::max);
    largest(&mut values.iter().zip(references).map(|(value, line)| (value - line.value).abs()))
        / largest(&mut references.iter().map(|line| line.value.abs()))
}

/// Computes the coarsest motion of a series again.
fn repeated(case: &Case, references: &[Reference], series: &Series<'_>) -> Result<Claim, StepError> {
    let coarsest = &series.points[0];
    let model = (case.model)();
    let scheme = schemes::by_name(&coarsest.scheme, &[])?;
    let values = end(case, &*model, &*scheme, coarsest, references)?;
    let setting = match coarsest.kind {
        Kind::Step => format!("h = {:.3e} s", coarsest.setting),
        Kind::Tolerance => format!("tolerance {:.0e}", coarsest.setting),
    };
    let expected = Expected::Recorded { value: coarsest.error, tolerance: REPEATED * coarsest.error };
    Ok(Claim::new(format!("{}, {setting}: error at the end", series.name), "1", expected, error(&values, references))
        .because(WHY_REPEATED))
}

fn end(
    case: &Case,
    model: &dyn Model,
    scheme: &dyn Scheme,
    recorded: &Recorded,
    references: &[Reference],
) -> Result<Vec<f64>, StepError> {
    let mut start: State = initial_state(model)?;
    start.t = case.from;
    consistent_acceleration(model, &mut start)?;
    let simulation = Simulation::new(model, scheme).until(case.until).record_every(usize::MAX);
    let run = match recorded.kind {
        Kind::Step => simulation.step(recorded.setting),
        Kind::Tolerance => simulation.tolerance(recorded.setting),
    }
    .run(start);
    run.outcome?;
    // A model without such a column yields undefined numbers, which no claim accepts.
    let last = |line: &Reference| run.trajectory.column(&line.quantity).ok().and_then(|mut column| column.next_back());
    Ok(references.iter().map(|line| last(line).unwrap_or(f64::NAN)).collect())
}

fn figures(case: &Case, origin: &str, series: &[Series<'_>]) -> Vec<Figure> {
    let figure = |slug: &str, x: Axis, work: fn(&Recorded) -> f64| {
        let curve = |series: &Series<'_>| {
            // Motions without any work of this kind have no place on a logarithmic axis.
            let points = series.points.iter().map(|point| (work(point), point.error)).filter(|&(work, _)| work > 0.0);
            Curve::new(series.name.clone(), Style::LineAndMarkers, points.collect()).in_group(series.group)
        };
        Figure {
            slug: slug.to_owned(),
            title: format!("{}: error over {}", case.title, x.label),
            caption: format!(
                "As recorded: {origin}. Colours tell fixed steps of ours, steps of ours chosen by a tolerance, and other \
                 programs apart; motions without factorizations are missing where these are counted."
            ),
            x,
            y: Axis::log("relative error at the end", "1"),
            curves: series.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect(),
            slopes: Vec::new(),
        }
    };
    vec![
        figure("time", Axis::log("recorded time", "s"), |point| point.seconds),
        figure("factorizations", Axis::log("factorizations", "1"), |point| point.factorizations as f64),
    ]
}

/// What errors cost, between the points of a curve.
fn table(case: &Case, series: &[Series<'_>]) -> Table {
    let mut columns = vec![Column::text("program and scheme"), Column::new("least error", "1")];
    for level in LEVELS {
        columns.push(Column::new(format!("time to {level:.0e}"), "s"));
        columns.push(Column::new(format!("factorizations to {level:.0e}"), "1"));
    }
    let rows = series.iter().map(|series| {
        let least = series.points.iter().map(|point| point.error).fold(f64::INFINITY, f64::min);
        let mut row = vec![Cell::Text(series.name.clone()), Cell::number(least, 2)];
        let works: [fn(&Recorded) -> f64; 2] = [|point| point.seconds, |point| point.factorizations as f64];
        for level in LEVELS {
            let costs = works.map(|work| cost(series.points, level, work));
            row.extend(costs.map(|cost| cost.map_or(Cell::Empty, |cost| Cell::number(cost, 3))));
        }
        row
    });
    Table {
        slug: "costs".into(),
        title: format!("{}: what an error costs, as recorded", case.title),
        columns,
        rows: rows.collect(),
    }
}

/// Work at which a curve first passes an error, by a straight line in logarithms.
fn cost(points: &[Recorded], level: f64, work: fn(&Recorded) -> f64) -> Option<f64> {
    let pair = points.windows(2).find(|pair| pair[0].error >= level && level >= pair[1].error)?;
    let part = (pair[0].error / level).ln() / (pair[0].error / pair[1].error).ln();
    let (before, behind) = (work(&pair[0]), work(&pair[1]));
    // Without any work there are no logarithms.
    Some(if before == behind { before } else { before * (behind / before).powf(part) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(error: f64, seconds: f64) -> Recorded {
        Recorded {
            program: OURS.to_owned(),
            version: String::new(),
            scheme: "runge_kutta".to_owned(),
            kind: Kind::Step,
            setting: 1.0,
            error,
            seconds,
            factorizations: 0,
        }
    }

    #[test]
    fn costs_lie_on_straight_lines_in_logarithms() {
        let points = [point(1e-2, 1.0), point(1e-4, 4.0), point(1e-6, 64.0)];
        let seconds = |level| cost(&points, level, |point| point.seconds);
        assert!((seconds(1e-3).unwrap() - 2.0).abs() < 1e-12);
        assert!((seconds(1e-5).unwrap() - 16.0).abs() < 1e-12);
        assert_eq!(seconds(1e-7), None);
        assert_eq!(seconds(1e-1), None);
    }
}
