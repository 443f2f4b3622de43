//! Angular velocity of the crankshaft over 15 s, energy, iterations and constraints on the way. [sherif, Fig. 8]

use hamel::scheme::{Scheme, StepError};
use hamel_compiler::parallel;
use hamel_models::v8_crank_drive::V8CrankDriveParameters;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Style, TIMES, Table, at_most};

use super::reference::Equation;
use super::{Drive, Run};
use crate::convergence::largest;
use crate::motion::Grid;
use crate::origins::{SIGHT, STEP_ERROR};
use crate::sherif::schemes::{body_weighted, classical, modified};

/// As printed: step size, s, and damping parameter.
const DT: f64 = 1e-4;
const ALPHA: f64 = -0.3;
const DURATION: f64 = 15.0;
/// Steps between two points of the figures.
const EVERY: usize = 500;

/// What is kept of a state.
struct Sample {
    t: f64,
    omega: f64,
    energy: f64,
    /// Of the torque since the start, J.
    work: f64,
    drift: (f64, f64),
}

pub(super) fn run() -> Result<Report, StepError> {
    let schemes: [(&str, Box<dyn Scheme>); 3] = [
        ("classical", classical(ALPHA)?),
        ("modified as printed", modified(ALPHA)?),
        ("body-weighted", body_weighted(ALPHA)?),
    ];
    let drive = Drive::new(V8CrankDriveParameters::default())?;
    let runs = parallel::map(&schemes, |(_, scheme)| observe(&drive, &**scheme));
    let runs = runs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let exact = Equation::new(V8CrankDriveParameters::default());
    let exact = exact.angular_velocities(Grid { every: EVERY, ..Grid::new(DT, DURATION) });
    let exact: Vec<f64> = exact.into_iter().map(|[omega]| omega).collect();
    let names = schemes.each_ref().map(|(name, _)| *name);
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

fn observe(drive: &Drive, scheme: &dyn Scheme) -> Result<Run<Sample>, StepError> {
    let (mut work, mut last) = (0.0, None);
    let mut step = 0;
    let mut run = drive.run(scheme, Grid::new(DT, DURATION), |state| {
        let (omega, torque) = (drive.angular_velocity(state), drive.torque(state));
        let power = torque * omega;
        work += 0.5 * DT * (power + last.unwrap_or(power)) * f64::from(u8::from(last.is_some()));
        last = Some(power);
        let is_kept = step % EVERY == 0;
        step += 1;
        let kept =
            || Sample { t: state.t, omega, energy: drive.kinetic_energy(state), work, drift: drive.drift(state) };
        is_kept.then(kept)
    })?;
    let samples = std::mem::take(&mut run.samples).into_iter().flatten().collect();
    Ok(Run { samples, cost: run.cost, most_iterations: run.most_iterations, seconds: run.seconds })
}

fn steps() -> f64 {
    (DURATION / DT).round()
}

/// ω at the end.
fn last(run: &Run<Sample>) -> f64 {
    run.samples.last().map_or(f64::NAN, |sample| sample.omega)
}

fn claims(runs: &[Run<Sample>], exact: &[f64]) -> Vec<Claim> {
    let end = exact.last().copied().unwrap_or(f64::NAN);
    let [classical, modified, weighted] = [0, 1, 2].map(|k| &runs[k]);
    let two_thirds = |run: &Run<Sample>| run.samples[run.samples.len() * 2 / 3].omega;
    let share = |run: &Run<Sample>| {
        largest(run.samples.iter().filter(|s| s.work > 1.0).map(|sample| sample.energy / sample.work - 1.0))
    };
    let mut claims = vec![
        Claim::new(
            "classical scheme: growth of the angular velocity in the last five seconds, of the exact one",
            "1",
            at_most(0.01, SIGHT),
            (last(classical) - two_thirds(classical)) / (end - exact[exact.len() * 2 / 3]),
        )
        .in_words("does not increase after some time due to the numerical damping"),
        Claim::new(
            "classical scheme: angular velocity at the end, of the exact one",
            "1",
            at_most(0.5, SIGHT),
            last(classical) / end,
        )
        .in_words("not in accordance with the physical laws of motion"),
        Claim::new(
            "modified scheme: error of the angular velocity at the end, of the exact one",
            "1",
            at_most(0.005, SIGHT),
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
            f64::from(run.cost.newton_iterations) / steps(),
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
            run.seconds / f64::from(run.cost.newton_iterations),
        ));
    }
    claims
}

fn table(names: &[&str; 3], runs: &[Run<Sample>]) -> Table {
    let row = |(name, run): (&&str, &Run<Sample>)| {
        let drift = |pick: fn(&Sample) -> f64| largest(run.samples.iter().map(pick));
        let end = run.samples.last();
        vec![
            (*name).into(),
            Cell::number(last(run), 6),
            Cell::number(end.map_or(f64::NAN, |sample| sample.energy), 6),
            Cell::number(end.map_or(f64::NAN, |sample| sample.work), 6),
            Cell::number(drift(|sample| sample.drift.0), 2),
            Cell::number(drift(|sample| sample.drift.1), 2),
            Cell::number(f64::from(run.cost.newton_iterations) / steps(), 4),
            Cell::number(f64::from(run.most_iterations), 2),
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

fn velocities(names: &[&str; 3], runs: &[Run<Sample>], exact: &[f64]) -> Figure {
    let curve = |(name, run): (&&str, &Run<Sample>)| {
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

fn errors(names: &[&str; 3], runs: &[Run<Sample>], exact: &[f64]) -> Figure {
    let curve = |(name, run): (&&str, &Run<Sample>)| {
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

fn energies(names: &[&str; 3], runs: &[Run<Sample>]) -> Figure {
    let curve = |(name, run): (&&str, &Run<Sample>)| {
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
