//! Orders of every registered scheme on one problem, and its error over the work.
//!
//! The rows come from the registry, so a new scheme is measured without a change here. Work counts evaluations or
//! systems of equations, never time. [zhang, Sects. 3-5]

use hamel::scheme::{Scheme, StepError};
use hamel::schemes::FAMILIES;

use super::problem::{Known, Problem};
use super::refinement::{QUANTITIES, Refinement};
use crate::claim::{Claim, Expected};
use crate::parallel;
use crate::report::{Axis, Cell, Column, Curve, Figure, Report, Style, Table};

/// How far a measured order may be from the registered one.
const TOLERANCE: f64 = 0.1;
/// Most curves that a figure can hold; families are drawn together up to this.
const CURVES: usize = 12;

/// A scheme and how it did.
struct Member {
    family: usize,
    scheme: Box<dyn Scheme>,
    /// Orders of q, v and λ.
    expected: Option<[u32; 3]>,
    refinement: Refinement,
}

impl Member {
    /// How far an order is off; less than nothing where it is better than it has to be.
    fn deviation(&self, problem: &Problem, quantity: usize) -> Option<f64> {
        let missing = f64::from(self.expected?[quantity]) - self.refinement.order(problem, quantity);
        Some(if problem.known == Known::EulerParameters { missing } else { missing.abs() })
    }
}

/// Measures every scheme on a problem.
pub(super) fn run(problem: &Problem) -> Result<Report, StepError> {
    let motion = problem.motion()?;
    let entries =
        FAMILIES.iter().enumerate().flat_map(|(family, members)| members.entries.iter().map(move |e| (family, e)));
    let members = parallel::map(&entries.collect::<Vec<_>>(), |&(family, entry)| {
        let scheme = entry.scheme(&[])?;
        let refinement = Refinement::new(problem, &motion, &*scheme, problem.steps);
        let expected = if refinement.is_undefined() { None } else { problem.expected(entry, &*scheme) };
        Ok(Member { family, scheme, expected, refinement })
    });
    let members = members.into_iter().collect::<Result<Vec<_>, StepError>>()?;
    Ok(Report {
        claims: claims(problem, &members),
        tables: vec![table(problem, &members)],
        figures: (0..problem.quantities)
            .filter(|&quantity| quantity != 1)
            .flat_map(|quantity| figures(&members, quantity))
            .collect(),
        notes: vec![
            format!(
                "{} Errors are those at the end of {} s, the largest component relative to the largest of the exact values; an order is that \
                 between the two finest of {} to {} steps whose errors are above rounding.",
                problem.note,
                problem.duration,
                problem.steps[0],
                problem.steps[problem.steps.len() - 1]
            ),
            "Expected orders are those of the registry, as `hamel list` shows them; schemes without one are not \
             meant for such a problem and are measured nevertheless, where they can be."
                .into(),
        ],
    })
}

/// One claim a family and quantity, about the member that is farthest off.
fn claims(problem: &Problem, members: &[Member]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (index, family) in FAMILIES.iter().enumerate() {
        for (quantity, name) in QUANTITIES[..problem.quantities].iter().enumerate() {
            let deviations = members.iter().filter(|member| member.family == index);
            let deviations = deviations.filter_map(|member| Some((member.deviation(problem, quantity)?, member)));
            // Undefined orders come last in the total order, and so are found.
            let Some((worst, member)) = deviations.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            let what = match problem.known {
                Known::Generic => "largest deviation from the order",
                Known::EulerParameters => "largest shortfall from the order",
            };
            let what = format!("{what} of {name}: {}, worst {}", family.name, member.scheme.name());
            claims.push(Claim::new(what, "1", Expected::AtMost(TOLERANCE), worst));
        }
    }
    claims
}

fn table(problem: &Problem, members: &[Member]) -> Table {
    let quantities = &QUANTITIES[..problem.quantities];
    let mut columns = vec![Column::text("scheme"), Column::new("systems a step", "1"), Column::text("expected")];
    columns.extend(quantities.iter().map(|quantity| Column::new(format!("order of {quantity}"), "1")));
    columns.extend(quantities.iter().map(|quantity| Column::new(format!("error of {quantity}, finest"), "1")));
    let rows = members.iter().filter(|member| !member.refinement.is_undefined()).map(|member| {
        let expected = member.expected.map_or("–".to_owned(), |orders| {
            orders[..problem.quantities].iter().map(u32::to_string).collect::<Vec<_>>().join("/")
        });
        let mut row = vec![
            Cell::Text(member.scheme.name()),
            Cell::number(f64::from(member.scheme.stages()), 1),
            Cell::Text(expected),
        ];
        row.extend((0..problem.quantities).map(|quantity| Cell::number(member.refinement.order(problem, quantity), 3)));
        let finest = member.refinement.ends.last();
        row.extend((0..problem.quantities).map(|k| finest.map_or(Cell::Empty, |end| Cell::number(end.errors[k], 3))));
        row
    });
    Table {
        slug: "orders".into(),
        title: format!("Orders on {}, expected: {}", problem.name, quantities.join("/")),
        columns,
        rows: rows.collect(),
    }
}

/// Error over work, families side by side as long as they fit.
fn figures(members: &[Member], quantity: usize) -> Vec<Figure> {
    let curve = |member: &Member| {
        let work = f64::from(member.scheme.stages());
        let point = |end: &super::refinement::End| (work * f64::from(end.steps), end.errors[quantity]);
        Curve::new(member.scheme.name(), Style::LineAndMarkers, member.refinement.ends.iter().map(point).collect())
    };
    let mut groups: Vec<(Vec<&str>, Vec<Curve>)> = Vec::new();
    for (index, family) in FAMILIES.iter().enumerate() {
        let drawn = |member: &&Member| member.family == index && !member.refinement.ends.is_empty();
        let curves: Vec<Curve> = members.iter().filter(drawn).map(curve).collect();
        match groups.last_mut() {
            _ if curves.is_empty() => {}
            Some((names, group)) if group.len() + curves.len() <= CURVES => {
                names.push(family.name);
                group.extend(curves);
            }
            _ => groups.push((vec![family.name], curves)),
        }
    }
    let all = || members.iter().flat_map(|member| member.refinement.ends.iter()).map(|end| end.errors[quantity]);
    let most = all().filter(|error| error.is_finite()).fold(0.0, f64::max);
    let least = all().filter(|&error| error > 0.0).fold(most, f64::min);
    groups
        .into_iter()
        .map(|(names, curves)| Figure {
            slug: format!("work_{}_{}", ["q", "v", "lambda"][quantity], names[0].replace([' ', '-'], "_")),
            title: format!("Error of {} over work: {}", QUANTITIES[quantity], names.join(", ")),
            caption: "Work: steps times evaluations or systems of equations a step; all figures have the same range."
                .into(),
            x: Axis::log("systems or evaluations", "1"),
            y: Axis::log(format!("relative error of {}", QUANTITIES[quantity]), "1").within(0.5 * least, 2.0 * most),
            curves,
            slopes: Vec::new(),
        })
        .collect()
}
