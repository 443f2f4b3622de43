//! Angular velocity of the crankshaft over 15 s, energy, iterations and constraints on the way. [sherif, Fig. 8]

use hamel::scheme::StepError;
use hamel_compiler::parallel;
use hamel_models::v8_crank_drive::V8CrankDriveParameters;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Style, TIMES, Table, at_most};

use super::long_run::{DT, DURATION, EVERY, LongRun, Sample, Variant};
use super::reference::Equation;
use crate::convergence::largest;
use crate::motion::Grid;
use crate::origins::STEP_ERROR;

pub(super) fn run() -> Result<Report, StepError> {
    let names = ["classical", "modified as printed", "body-weighted"];
    let runs =
        parallel::map(&[Variant::Classical, Variant::Modified, Variant::BodyWeighted], |variant| variant.long_run());
    let runs = runs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let exact = Equation::new(V8CrankDriveParameters::default());
    let exact = exact.angular_velocities(Grid { every: EVERY, ..Grid::new(DT, DURATION) });
    let exact: Vec<f64> = exact.into_iter().map(|[omega]| omega).collect();
    Ok(Report {
        claims: claims(&runs, &exact),
        tables: vec![table(&names, &runs)],
        figures: vec![velocities(&names, &runs, &exact), errors(&names, &runs, &exact), energies(&names, &runs)],
        notes: vec![
            "h = 10⁻⁴ s and α = −0.3 as printed, 150 000 steps; torque and data are ours, so the shape of the curves can be \
             compared and their values cannot. The exact motion is the solution of the single equation of motion."
                .into(),
            "A step ends when its correction is at rounding level, so that all schemes solve their equations equally well. \
             Constraints hold on positions; the velocities are off by what the scheme leaves."
                .into(),
            "Times are those of this run, on cores that it may have shared.".into(),
        ],
    })
}

fn steps() -> f64 {
    (DURATION / DT).round()
}

/// ω at the end.
fn last(run: &LongRun) -> f64 {
    run.samples.last().map_or(f64::NAN, |sample| sample.omega)
}

fn claims(runs: &[&LongRun], exact: &[f64]) -> Vec<Claim> {
    let end = exact.last().copied().unwrap_or(f64::NAN);
    let [classical, modified, weighted] = [0, 1, 2].map(|k| runs[k]);
    let two_thirds = |run: &LongRun| run.samples[run.samples.len() * 2 / 3].omega;
    let share = |run: &LongRun| {
        largest(run.samples.iter().filter(|s| s.work > 1.0).map(|sample| sample.energy / sample.work - 1.0))
    };
    let mut claims = vec![
        Claim::new(
            "classical scheme: growth of the angular velocity in the last five seconds, of the exact one",
            "1",
            at_most(0.0025, Origin::Recorded),
            (last(classical) - two_thirds(classical)) / (end - exact[exact.len() * 2 / 3]),
        )
        .in_words("does not increase after some time due to the numerical damping"),
        Claim::new(
            "classical scheme: angular velocity at the end, of the exact one",
            "1",
            at_most(0.3, Origin::Recorded),
            last(classical) / end,
        )
        .in_words("not in accordance with the physical laws of motion"),
        Claim::new(
            "modified scheme: error of the angular velocity at the end, of the exact one",
            "1",
            at_most(1e-3, Origin::Recorded),
            (last(modified) / end - 1.0).abs(),
        )
        .in_words("accelerates the crank shaft nearly correct"),
        Claim::new(
            "body-weighted: error of the angular velocity at the end, of the exact one",
            "1",
            at_most(0.005, STEP_ERROR),
            (last(weighted) / end - 1.0).abs(),
        ),
        Claim::new(
            "modified scheme: largest |kinetic energy / work of the torque − 1|",
            "1",
            at_most(0.005, STEP_ERROR),
            share(modified),
        ),
        Claim::new(
            "body-weighted: largest |kinetic energy / work of the torque − 1|",
            "1",
            at_most(0.005, STEP_ERROR),
            share(weighted),
        ),
        Claim::new(
            "largest |g| of all runs",
            "1",
            at_most(5e-15, Origin::Rounding("of positions of the order of a metre")),
            largest(runs.iter().flat_map(|run| run.samples.iter().map(|sample| sample.drift.0))),
        ),
    ];
    for (name, run) in [("modified scheme", modified), ("body-weighted", weighted)] {
        claims.push(Claim::new(
            format!("{name}: Newton iterations a step"),
            "1",
            at_most(3.0, Origin::Chosen("Two iterations are needed; three would show derivatives that are not exact.")),
            run.newton_iterations / steps(),
        ));
        claims.push(Claim::new(format!("{name}: time of 150 000 steps"), "s", Expected::Reported(TIMES), run.seconds));
        claims.push(Claim::new(
            format!("{name}: time of a step"),
            "s",
            Expected::Reported(TIMES),
            run.seconds / steps(),
        ));
        claims.push(Claim::new(
            format!("{name}: time of a Newton iteration"),
            "s",
            Expected::Reported(TIMES),
            run.seconds / run.newton_iterations,
        ));
    }
    claims
}

fn table(names: &[&str; 3], runs: &[&LongRun]) -> Table {
    let row = |(name, run): (&&str, &&LongRun)| {
        let drift = |pick: fn(&Sample) -> f64| largest(run.samples.iter().map(pick));
        let end = run.samples.last();
        vec![
            (*name).into(),
            Cell::number(last(run), 6),
            Cell::number(end.map_or(f64::NAN, |sample| sample.energy), 6),
            Cell::number(end.map_or(f64::NAN, |sample| sample.work), 6),
            Cell::number(drift(|sample| sample.drift.0), 2),
            Cell::number(drift(|sample| sample.drift.1), 2),
            Cell::number(run.newton_iterations / steps(), 4),
            Cell::number(run.most_iterations, 2),
        ]
    };
    Table {
        slug: "runs".into(),
        title: "Three runs of 15 s, h = 10⁻⁴ s, α = −0.3".into(),
        columns: vec![
            Column::text("scheme"),
            Column::new("ω at the end", "rad/s"),
            Column::new("kinetic energy", "J"),
            Column::new("work of the torque", "J"),
            Column::new("largest |g|", "1"),
            Column::new("largest |G v|", "1/s"),
            Column::new("Newton iterations a step", "1"),
            Column::new("the most", "1"),
        ],
        rows: names.iter().zip(runs).map(row).collect(),
    }
}

fn velocities(names: &[&str; 3], runs: &[&LongRun], exact: &[f64]) -> Figure {
    let curve = |(name, run): (&&str, &&LongRun)| {
        Curve::new(*name, Style::Line, run.samples.iter().map(|sample| (sample.t, sample.omega)).collect())
    };
    let mut curves: Vec<Curve> = names.iter().zip(runs).map(curve).collect();
    let times = runs[0].samples.iter().map(|sample| sample.t);
    curves.push(Curve::new("exact", Style::Dashed, times.zip(exact.iter().copied()).collect()));
    Figure {
        slug: "fig8".into(),
        title: "Fig. 8: angular velocity of the crankshaft".into(),
        caption: "About the x axis, h = 10⁻⁴ s, α = −0.3. The two modified schemes and the exact motion coincide."
            .into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("ω_x", "rad/s"),
        curves,
        slopes: Vec::new(),
    }
}

fn errors(names: &[&str; 3], runs: &[&LongRun], exact: &[f64]) -> Figure {
    let curve = |(name, run): (&&str, &&LongRun)| {
        let points = run.samples.iter().zip(exact).skip(1);
        Curve::new(*name, Style::Line, points.map(|(sample, exact)| (sample.t, sample.omega - exact)).collect())
    };
    Figure {
        slug: "errors".into(),
        title: "Error of the angular velocity".into(),
        caption: "Of the modified schemes, against the exact motion.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("ω_x − exact", "rad/s"),
        curves: names.iter().zip(runs).skip(1).map(curve).collect(),
        slopes: Vec::new(),
    }
}

fn energies(names: &[&str; 3], runs: &[&LongRun]) -> Figure {
    let curve = |(name, run): (&&str, &&LongRun)| {
        let points = run.samples.iter().map(|sample| (sample.t, sample.energy - sample.work));
        Curve::new(*name, Style::Line, points.collect())
    };
    Figure {
        slug: "energy".into(),
        title: "Energy that the schemes take out".into(),
        caption: "Kinetic energy less the work of the torque, modified schemes.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear("E − W", "J"),
        curves: names.iter().zip(runs).skip(1).map(curve).collect(),
        slopes: Vec::new(),
    }
}
