//! Absolute coordinates: a kernel for every kind of member, and a Newton matrix whose factors fill along the chain only.

use hamel::SparsityPattern;
use hamel::linear_solver::{LinearSolver, Work};
use hamel::scheme::StepError;
use hamel_compiler::derive::{FunctionRole, Role};
use hamel_compiler::parallel;
use hamel_compiler::schedule::interpret::{Interpreter, Point, defaults};
use hamel_compiler::schedule::{count, totals};
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Slope, Style, Table, at_most};

use super::{Compiled, Family};
use crate::convergence::Convergence;

pub(super) const CHAINS: &[Family] = &[
    Family { name: "chain in space", text: include_str!("../../data/scaling/chain.model") },
    Family { name: "chain in the plane", text: include_str!("../../data/scaling/planar_chain.model") },
    Family { name: "four-bars", text: include_str!("../../data/scaling/four_bars.model") },
];
pub(super) const BEAMS: &[Family] =
    &[Family { name: "beam in space", text: include_str!("../../data/scaling/beam.model") }];
/// Step size whose Newton matrix is eliminated, s; the parameters are those of Newmark's average acceleration.
const DT: f64 = 1e-4;
/// Fewer members are listed one by one: what repeats fewer than ten times between the ends has no rule.
const REGULAR_FROM: usize = 16;

/// What one Newton iteration of a mechanism costs.
struct Cost {
    n: usize,
    /// Unknowns of the Newton matrix and its entries.
    size: (usize, usize),
    /// Operations of the emitted residual and derivatives.
    kernels: u64,
    elimination: Work,
    /// Operations of one instance of every kernel.
    code: u64,
    /// Bytes of the emitted source.
    source: usize,
}

impl Cost {
    /// Operations: a multiplication of the elimination goes with an addition.
    fn total(&self) -> f64 {
        (self.kernels + 2 * (self.elimination.factor + self.elimination.solve)) as f64
    }
}

pub(super) fn run(families: &[Family], lengths: &[usize]) -> Result<Report, StepError> {
    // The longest first, so that short ones fill the cores.
    let jobs: Vec<(usize, usize)> =
        lengths.iter().rev().flat_map(|&n| (0..families.len()).map(move |family| (family, n))).collect();
    let costs = parallel::map(&jobs, |&(family, n)| cost(&families[family], n));
    let costs = costs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut by_family: Vec<Vec<&Cost>> = vec![Vec::new(); families.len()];
    for (&(family, _), cost) in jobs.iter().zip(&costs).rev() {
        by_family[family].push(cost);
    }
    let growth: Vec<Convergence> = by_family
        .iter()
        .map(|costs| Convergence::new(costs.iter().map(|cost| (cost.n as f64, cost.total())).collect()))
        .collect();
    Ok(Report {
        claims: claims(families, &by_family, &growth),
        tables: families.iter().zip(&by_family).map(|(family, costs)| table(family, costs)).collect(),
        figures: vec![figure(families, &growth)],
        notes: vec![
            "Counted per Newton iteration: operations of the emitted residual and of its derivatives, and twice the \
             multiplications of a factorization with kept pivots and of a solution. The number of iterations a step does \
             not depend on N."
                .into(),
            "The code is that of one instance of every kernel; places, names and constants of the members are written by \
             rule, so that only digits are more for more members."
                .into(),
        ],
    })
}

fn cost(family: &Family, n: usize) -> Result<Cost, StepError> {
    let compiled = family.compiled(n)?;
    let (pattern, values) = newton_matrix(&compiled);
    let size = (pattern.columns, pattern.nnz());
    let mut solver = LinearSolver::new(pattern);
    solver.factor(&values).map_err(|error| StepError::Inconsistent {
        model: family.name.to_owned(),
        reason: error.to_string(),
        residual: f64::NAN,
    })?;
    let Compiled { equations, schedule, source } = &compiled;
    let is_iterated = |role| [FunctionRole::Residual, FunctionRole::Linearization].contains(&role);
    let functions = totals::functions(equations, schedule);
    let kernels = functions.iter().filter(|counts| is_iterated(counts.role)).map(|counts| counts.simplified).sum();
    let of_kernels = schedule.kernels.iter().flat_map(|kernel| &kernel.functions);
    let code = of_kernels.map(|function| count::total(&function.counts.simplified)).sum();
    Ok(Cost { n, size, kernels, elimination: solver.work(), code, source: *source })
}

/// The pattern and values of `[ M + h/2 D + h²/4 K, −Gᵀ ; G, 0 ]` at a configuration without symmetry.
fn newton_matrix(compiled: &Compiled) -> (SparsityPattern, Vec<f64>) {
    let Compiled { equations, schedule, .. } = compiled;
    let layout = &equations.layout;
    let (nv, nc) = (layout.velocities.len(), layout.constraints.len());
    let model = Interpreter::<f64>::new(equations, schedule, defaults(schedule));
    let displaced = |(i, q): (usize, f64)| q + 0.1 * (1.0 + i as f64).sin();
    let q: Vec<f64> = model.reference_configuration().into_iter().enumerate().map(displaced).collect();
    let wave = |n: usize| (0..n).map(|i| (2.0 + i as f64).sin()).collect::<Vec<f64>>();
    let point = Point {
        t: 0.0,
        inputs: vec![0.0; layout.inputs.len()],
        q,
        v: wave(nv),
        a: wave(nv),
        lambda: wave(nc),
        tau: Vec::new(),
    };
    let mut entries: Vec<((usize, usize), f64)> = Vec::new();
    model.for_each_output(FunctionRole::Linearization, &point, |output, values| {
        let role = output.role;
        for ((row, column), value) in values {
            match role {
                Role::ConstraintJacobian => {
                    entries.push(((nv + row, column), value));
                    entries.push(((column, nv + row), -value));
                }
                Role::Damping => entries.push(((row, column), 0.5 * DT * value)),
                Role::Stiffness => entries.push(((row, column), 0.25 * DT * DT * value)),
                _ => entries.push(((row, column), value)),
            }
        }
    });
    let pattern = SparsityPattern::from_entries(nv + nc, nv + nc, entries.iter().map(|&(place, _)| place));
    let mut values = vec![0.0; pattern.nnz()];
    for ((row, column), value) in entries {
        if let Some(slot) = pattern.slot(row, column) {
            values[slot] += value;
        }
    }
    (pattern, values)
}

fn claims(families: &[Family], costs: &[Vec<&Cost>], growth: &[Convergence]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for ((family, costs), growth) in families.iter().zip(costs).zip(growth) {
        claims.push(Claim::new(
            format!("{}: exponent of N in the operations of a Newton iteration", family.name),
            "1",
            at_most(1.1, Origin::Chosen("In proportion to N, with a part that does not depend on it.")),
            growth.fitted_order(),
        ));
        let sizes: Vec<u64> = costs.iter().map(|cost| cost.code).collect();
        let spread = sizes.iter().max().zip(sizes.iter().min()).map_or(f64::NAN, |(most, least)| (most - least) as f64);
        claims.push(Claim::new(
            format!("{}: difference of the code's operations between lengths", family.name),
            "1",
            Expected::Theory { value: 0.0, tolerance: 0.0 },
            spread,
        ));
        let bytes = || costs.iter().filter(|cost| cost.n >= REGULAR_FROM).map(|cost| cost.source as f64);
        let (least, most) = (bytes().fold(f64::INFINITY, f64::min), bytes().fold(0.0, f64::max));
        claims.push(Claim::new(
            format!("{}: growth of the emitted source to the longest, from N ≥ {REGULAR_FROM}", family.name),
            "1",
            at_most(0.02, Origin::Chosen("Indices have more digits.")),
            most / least - 1.0,
        ));
    }
    claims
}

fn table(family: &Family, costs: &[&Cost]) -> Table {
    let whole = |value: u64| Cell::number(value as f64, 7);
    let row = |cost: &&Cost| {
        vec![
            whole(cost.n as u64),
            whole(cost.size.0 as u64),
            whole(cost.size.1 as u64),
            whole(cost.elimination.entries),
            whole(cost.code),
            whole(cost.source as u64),
            whole(cost.kernels),
            whole(cost.elimination.factor),
            whole(cost.elimination.solve),
            Cell::number(cost.total() / cost.n as f64, 4),
        ]
    };
    let columns = [
        "N",
        "unknowns",
        "entries",
        "entries of L and U",
        "operations of the code",
        "bytes of the source",
        "operations of all kernels",
        "multiplications, factorization",
        "multiplications, solution",
        "operations an iteration and member",
    ];
    Table {
        slug: family.name.replace(' ', "_"),
        title: family.name.to_owned(),
        columns: columns.into_iter().map(|name| Column::new(name, "1")).collect(),
        rows: costs.iter().map(row).collect(),
    }
}

fn figure(families: &[Family], growth: &[Convergence]) -> Figure {
    let curve = |(family, growth): (&Family, &Convergence)| {
        Curve::new(family.name, Style::LineAndMarkers, growth.points.clone())
    };
    let (n, cost) = {
        let points = &growth[growth.len() / 2].points;
        points[points.len() / 2]
    };
    Figure {
        slug: "work".into(),
        title: "Work of a Newton iteration over the number of members".into(),
        caption: "Operations of kernels and elimination. Dotted: slope 1.".into(),
        x: Axis::log("N", "1"),
        y: Axis::log("operations", "1"),
        curves: families.iter().zip(growth).map(curve).collect(),
        slopes: vec![Slope { slope: 1.0, through: (n, 2.0 * cost), span: (0.5 * n, 2.0 * n) }],
    }
}
