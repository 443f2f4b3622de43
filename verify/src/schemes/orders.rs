//! Orders of every registered scheme on one problem, and its error over the work.
//!
//! The rows come from the registry, so a new scheme is measured without a change here. Work counts evaluations or
//! systems of equations; time is reported beside it. [zhang, Sects. 3-5]

use hamel::scheme::{Scheme, StepError};
use hamel::schemes::{Entry, FAMILIES};
use hamel_compiler::parallel;
use hamel_report::{Axis, Cell, Claim, Column, Curve, Figure, Report, Style, Table, at_most};

use super::problem::Problem;
use super::refinement::{End, QUANTITIES, Refinement};
use crate::origins::ORDERS;

/// How far a measured order may be from the registered one.
const TOLERANCE: f64 = 0.1;
/// The same for schemes whose errors come to rounding before their order has settled, with claims of their own:
/// MSSTH(5) shows 4.86 of 5, MSSTH(4) 2.90 of 3, Dormand and Prince's pair 5.11 on the oscillator and 4.82 in Euler
/// parameters.
const UNSETTLED: f64 = 0.2;
const UNSETTLED_SCHEMES: [&str; 3] = ["mssth4", "mssth5", "dormand_prince"];
/// Most curves that a figure can hold; families are drawn together up to this.
const CURVES: usize = 12;

/// A scheme and how it did.
struct Member {
    family: usize,
    entry: &'static Entry,
    scheme: Box<dyn Scheme>,
    /// Orders of q, v and λ.
    expected: Option<[u32; 3]>,
    refinement: Refinement,
}

impl Member {
    /// By how much an order falls short of the expected one.
    fn shortfall(&self, problem: &Problem, quantity: usize) -> Option<f64> {
        Some(f64::from(self.expected?[quantity]) - self.refinement.order(problem, quantity))
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
        Ok(Member { family, entry, scheme, expected, refinement })
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
             meant for such a problem and are measured nevertheless, where they can be. Times are those of the most \
             steps, with other computations beside them; they are reported, never judged."
                .into(),
        ],
    })
}

/// Claims of a family and quantity, each about the member that is farthest off: about orders that are known, and about
/// those that are known from below.
fn claims(problem: &Problem, members: &[Member]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (index, family) in FAMILIES.iter().enumerate() {
        for (quantity, name) in QUANTITIES[..problem.quantities].iter().enumerate() {
            let kinds = [(true, "deviation"), (false, "shortfall")];
            for ((is_exact, what), tolerance) in
                kinds.into_iter().flat_map(|kind| [(kind, TOLERANCE), (kind, UNSETTLED)])
            {
                let meant = |member: &&Member| {
                    member.family == index
                        && problem.is_exact(member.entry, &*member.scheme, quantity) == is_exact
                        && UNSETTLED_SCHEMES.contains(&member.entry.name) == (tolerance == UNSETTLED)
                };
                let shortfalls = members
                    .iter()
                    .filter(meant)
                    .filter_map(|member| Some((member.shortfall(problem, quantity)?, member)));
                let off = shortfalls.map(|(missing, member)| (if is_exact { missing.abs() } else { missing }, member));
                // Undefined orders come last in the total order, and so are found.
                let Some((worst, member)) = off.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
                let scheme = member.scheme.name();
                let what = format!("largest {what} from the order of {name}: {}, worst {scheme}", family.name);
                claims.push(Claim::new(what, "1", at_most(tolerance, ORDERS), worst));
            }
        }
    }
    claims
}

fn table(problem: &Problem, members: &[Member]) -> Table {
    let quantities = &QUANTITIES[..problem.quantities];
    let mut columns = vec![Column::text("scheme"), Column::new("systems a step", "1"), Column::text("expected")];
    columns.extend(quantities.iter().map(|quantity| Column::new(format!("order of {quantity}"), "1")));
    columns.extend(quantities.iter().map(|quantity| Column::new(format!("error of {quantity}, finest"), "1")));
    columns.push(Column::new("time, finest", "s"));
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
        let shown = |value: fn(&End, usize) -> f64, k| finest.map_or(Cell::Empty, |end| Cell::number(value(end, k), 3));
        row.extend((0..problem.quantities).map(|k| shown(|end, k| end.errors[k], k)));
        row.push(shown(|end, _| end.seconds, 0));
        row
    });
    Table {
        slug: "orders".into(),
        title: format!("Orders on {}, expected: {}", problem.name, quantities.join("/")),
        columns,
        rows: rows.collect(),
    }
}

/// Error over work: all schemes in one figure, then families side by side as long as they fit.
fn figures(members: &[Member], quantity: usize) -> Vec<Figure> {
    let drawn: Vec<&Member> = members.iter().filter(|member| !member.refinement.ends.is_empty()).collect();
    let curve = |name: String, member: &Member| {
        let work = f64::from(member.scheme.stages());
        let point = |end: &End| (work * f64::from(end.steps), end.errors[quantity]);
        Curve::new(name, Style::LineAndMarkers, member.refinement.ends.iter().map(point).collect())
    };
    let mut groups: Vec<(Vec<&str>, Vec<Curve>)> = Vec::new();
    for (index, family) in FAMILIES.iter().enumerate() {
        let of_family = drawn.iter().filter(|member| member.family == index);
        let curves: Vec<Curve> = of_family.map(|member| curve(member.scheme.name(), member)).collect();
        match groups.last_mut() {
            _ if curves.is_empty() => {}
            Some((names, group)) if group.len() + curves.len() <= CURVES => {
                names.push(family.name);
                group.extend(curves);
            }
            _ => groups.push((vec![family.name], curves)),
        }
    }
    let figure = |slug: &str, what: &str, caption: &str, curves| Figure {
        slug: format!("work_{}_{slug}", ["q", "v", "lambda"][quantity]),
        title: format!("Error of {} over work: {what}", QUANTITIES[quantity]),
        caption: format!("Work: steps times evaluations or systems of equations a step.{caption}"),
        x: Axis::log("systems or evaluations", "1"),
        y: Axis::log(format!("relative error of {}", QUANTITIES[quantity]), "1"),
        curves,
        slopes: Vec::new(),
    };
    let overall = drawn.iter().map(|member| curve(short_name(member, &drawn), member).in_group(member.family));
    let overall =
        figure("all", "all schemes", " A colour is a family; parameters are those of the tables.", overall.collect());
    let by_family = groups.into_iter().map(|(names, curves)| {
        let slug = names[0].replace([' ', '-'], "_");
        figure(&slug, &names.join(", "), "", curves)
    });
    std::iter::once(overall).chain(by_family).collect()
}

/// A scheme's name without its parameters, unless they alone tell it from another.
fn short_name(member: &Member, all: &[&Member]) -> String {
    let without = |member: &Member| member.scheme.name().split(" (").next().unwrap_or_default().to_owned();
    let name = without(member);
    match all.iter().filter(|other| without(other) == name).count() {
        1 => name,
        _ => member.entry.name.replace('_', " "),
    }
}
