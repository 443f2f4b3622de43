//! Joint coordinates: `forward_dynamics` by the factors of M or by articulated bodies, whichever is shorter.

use hamel::scheme::StepError;
use hamel_compiler::derive::FunctionRole;
use hamel_compiler::parallel;
use hamel_compiler::schedule::totals;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Figure, Origin, Report, Slope, Style, Table, at_most};

use super::Family;
use crate::convergence::Convergence;

/// Families, and their lengths.
const FAMILIES: [(Family, &[usize]); 2] = [
    (
        Family { name: "chain on hinges", text: include_str!("../../data/scaling/joint_planar_chain.model") },
        &[2, 4, 6, 8, 12, 16, 20],
    ),
    (
        Family { name: "chain on ball joints", text: include_str!("../../data/scaling/joint_chain.model") },
        &[1, 2, 3, 4, 6, 8, 10],
    ),
];

pub(super) fn run() -> Result<Report, StepError> {
    let lengths = |family: usize| FAMILIES[family].1.iter().rev().map(move |&n| (family, n));
    let jobs: Vec<(usize, usize)> = (0..FAMILIES.len()).flat_map(lengths).collect();
    let counts = parallel::map(&jobs, |&(family, n)| operations(&FAMILIES[family].0, n));
    let counts = counts.into_iter().collect::<Result<Vec<f64>, _>>()?;
    let of = |family: usize| jobs.iter().zip(&counts).filter(move |(job, _)| job.0 == family);
    let growth: Vec<Convergence> = (0..FAMILIES.len())
        .map(|family| Convergence::new(of(family).map(|(job, &count)| (job.1 as f64, count)).collect()))
        .collect();
    Ok(Report {
        claims: claims(&growth),
        tables: vec![table(&growth)],
        figures: vec![figure(&growth)],
        notes: vec![
            "Both ways are derived and the one with fewer operations is kept: solving with the factors of M grows with a \
             power of N between two and three along a chain, articulated bodies with N."
                .into(),
        ],
    })
}

fn operations(family: &Family, n: usize) -> Result<f64, StepError> {
    let compiled = family.compiled(n)?;
    let functions = totals::functions(&compiled.equations, &compiled.schedule);
    let found = functions.iter().find(|counts| counts.role == FunctionRole::ForwardDynamics);
    Ok(found.map_or(f64::NAN, |counts| counts.simplified as f64))
}

fn claims(growth: &[Convergence]) -> Vec<Claim> {
    let claim = |((family, _), growth): (&(Family, &[usize]), &Convergence)| {
        // The longest come first.
        let added = |k: usize| {
            let ((n, longer), (m, shorter)) = (growth.points[k], growth.points[k + 1]);
            (longer - shorter) / (n - m)
        };
        Claim::new(
            format!(
                "{}: operations of forward dynamics that a further link adds, the last over those before",
                family.name
            ),
            "1",
            at_most(1.05, Origin::Chosen("One where they grow with N; 1.29 where they grow with its square.")),
            added(0) / added(1),
        )
    };
    FAMILIES.iter().zip(growth).map(claim).collect()
}

fn table(growth: &[Convergence]) -> Table {
    let rows = FAMILIES.iter().zip(growth).flat_map(|((family, _), growth)| {
        growth.points.iter().rev().map(|&(n, count)| {
            vec![family.name.into(), Cell::number(n, 3), Cell::number(count, 6), Cell::number(count / n, 4)]
        })
    });
    Table {
        slug: "forward_dynamics".into(),
        title: "Operations of forward dynamics".into(),
        columns: vec![
            Column::text("mechanism"),
            Column::new("N", "1"),
            Column::new("operations", "1"),
            Column::new("operations a link", "1"),
        ],
        rows: rows.collect(),
    }
}

fn figure(growth: &[Convergence]) -> Figure {
    let curve = |((family, _), growth): (&(Family, &[usize]), &Convergence)| {
        Curve::new(family.name, Style::LineAndMarkers, growth.points.clone())
    };
    let (n, count) = growth[0].points[0];
    Figure {
        slug: "forward_dynamics".into(),
        title: "Forward dynamics over the number of links".into(),
        caption: "Operations of the emitted function. Dotted: slope 1.".into(),
        x: Axis::log("N", "1"),
        y: Axis::log("operations", "1"),
        curves: FAMILIES.iter().zip(growth).map(curve).collect(),
        slopes: vec![Slope { slope: 1.0, through: (n, 1.5 * count), span: (0.2 * n, n) }],
    }
}
