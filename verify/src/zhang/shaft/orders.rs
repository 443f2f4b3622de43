//! Orders of convergence on the flexible rotating shaft. [zhang, Sect. 5.4, Figs. 25, 26, 27]

use hamel::scheme::{ConstraintLevel, Drift, Options, RotationReference, StepError};
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Slope, Style, Table, at_least, at_most};

use super::errors::{Shaft, Study};
use crate::convergence::{Convergence, largest, table};
use crate::origins::ORDERS;

/// Displacement, velocity and acceleration along z at mid-span.
const QUANTITIES: [(&str, &str); 3] = [("u₃", "displacement"), ("v₃", "velocity"), ("a₃", "acceleration")];
/// u₃ at 0.5 s by an independent implementation, elements of two nodes extrapolated, m; certain to 10⁻⁶ m, from which
/// sixteen elements are a little apart.
const INDEPENDENT: f64 = 2.92098e-2;
/// Δt/n at which errors are compared, s.
const COMPARED: f64 = 1e-3;
const TOLERANCE: f64 = 0.1;
/// Panels of a figure: letter, what it holds, whether it is that of schemes of second order.
const PANELS: [(&str, &str, bool); 2] = [("a", "second order", true), ("b", "higher order", false)];

pub(in super::super) fn run() -> Result<Report, StepError> {
    let shaft = Shaft::new()?;
    let studies = shaft.studies()?;
    let expected = Expected::Reference { value: INDEPENDENT, tolerance: 3e-5 };
    let mut claims = vec![Claim::new("displacement u₃ at 0.5 s", "m", expected, shaft.displacement(0.5))];
    claims.extend(orders(&studies));
    claims.extend(comparisons(&studies));
    claims.push(Claim::new(
        "error of the reference, extrapolated, over the least error of all schemes, largest of u₃, v₃ and a₃",
        "1",
        at_most(0.05, Origin::Chosen("So that it changes what is shown by a twentieth at most.")),
        shaft.error_of_reference(&studies),
    ));
    claims.extend(causes(&shaft)?);
    let notes = vec![
        "Steps are not printed: these are 2·10⁻³ s, half, a quarter and an eighth of it, for schemes of higher order \
         10⁻⁴ s besides. Missing points: Newton's method diverges with every first guess."
            .into(),
        "Below Δt/n = 10⁻³ s the orders of ESDIRK3(2)5L[2]SA, MSSTH(4, 5) and ESDIRK4(3)6L[2]SA2 fall, as in the paper, \
         the last two to second: constraints on positions leave schemes with stages no more. Errors of MSSTH(3) and \
         ESDIRK3(2)4L[2]SA are still too large to show it."
            .into(),
    ];
    Ok(Report { claims, tables: tables(&studies), figures: figures(&studies), notes })
}

fn orders(studies: &[Study]) -> Vec<Claim> {
    let mut claims = Vec::new();
    let says = "second-order methods, MSSTH(3) and ESDIRK3(2)4L[2]SA show the rate of their order";
    let is_third = |study: &Study| ["mssth3_published", "esdirk324"].contains(&study.of.name);
    for study in studies.iter().filter(|study| study.of.is_of_second_order() || is_third(study)) {
        let order = if is_third(study) { 3.0 } else { 2.0 };
        let expected = || Expected::Order { order, tolerance: TOLERANCE };
        for (quantity, (_, title)) in QUANTITIES.iter().enumerate() {
            let what = format!("order of the {title}, {}", study.name);
            claims.push(Claim::new(what, "1", expected(), study.errors[quantity].last_order()).in_words(says));
        }
    }
    let named = |name: &'static str| studies.iter().filter(move |study| study.of.name == name);
    for study in named("esdirk325") {
        let what = format!("order of the displacement near Δt/n = 10⁻³ s, {}", study.name);
        let found = study.first_order(0);
        claims.push(
            Claim::new(what, "1", at_least(3.0, Origin::Source), found).in_words("a rate exceeding the third order"),
        );
    }
    for study in named("mssth4_published").chain(named("esdirk436")) {
        let near = format!("order of the displacement near Δt/n = 10⁻³ s, {}", study.name);
        claims.push(
            Claim::new(near, "1", Expected::Order { order: 4.0, tolerance: 0.5 }, study.first_order(0))
                .in_words("about fourth order when Δt/n is close to 0.001 s"),
        );
        for (quantity, (_, title)) in QUANTITIES.iter().enumerate() {
            let change = study.errors[quantity].last_order() - study.first_order(quantity);
            claims.push(
                Claim::new(
                    format!(
                        "change of the order of the {title} from the longest to the shortest steps, {}",
                        study.name
                    ),
                    "1",
                    at_most(-TOLERANCE, ORDERS),
                    change,
                )
                .in_words("orders decrease when Δt/n becomes smaller"),
            );
        }
    }
    for study in named("mssth5_published") {
        let found = study.errors[0].orders().into_iter().fold(f64::NEG_INFINITY, f64::max);
        let what = format!("largest order of the displacement between two steps, {}", study.name);
        claims.push(
            Claim::new(what, "1", at_most(5.0 - TOLERANCE, ORDERS), found)
                .in_words("MSSTH(5) was never able to reach the fifth-order convergence rate"),
        );
    }
    claims
}

/// Who is more accurate than whom at the same Δt/n.
fn comparisons(studies: &[Study]) -> Vec<Claim> {
    let error = |name: &str, rho: f64, quantity: usize| {
        let found = studies.iter().find(|study| study.of.name == name && study.of.rho == rho);
        found.map_or(f64::NAN, |study| study.at(COMPARED, quantity))
    };
    let all = |ratio: &dyn Fn(f64, usize) -> Vec<f64>| {
        largest([0.0, 0.6].into_iter().flat_map(|rho| (0..3).flat_map(move |quantity| ratio(rho, quantity))))
    };
    let chain = |names: &'static [&'static str]| {
        all(&|rho, quantity| {
            names.windows(2).map(|pair| error(pair[1], rho, quantity) / error(pair[0], rho, quantity)).collect()
        })
    };
    let of = |names: &[(&str, f64)], quantity| -> Vec<f64> {
        studies
            .iter()
            .filter(|study| names.contains(&(study.of.name, study.of.rho)))
            .map(|study| study.at(COMPARED, quantity))
            .collect()
    };
    let but = |names: &[(&str, f64)], quantity: usize, filter: &dyn Fn(&Study) -> bool| -> Vec<f64> {
        let is_other = |study: &&Study| !names.contains(&(study.of.name, study.of.rho)) && filter(study);
        studies.iter().filter(is_other).map(|study| study.at(COMPARED, quantity)).collect()
    };
    let least = |values: Vec<f64>| values.into_iter().fold(f64::INFINITY, f64::min);
    let at = "at Δt/n = 10⁻³ s, u₃, v₃, a₃";
    let at_most_one =
        |what: &str, found: f64| Claim::new(format!("{what}, {at}"), "1", at_most(1.0, Origin::Source), found);
    let pairs = all(&|rho, quantity| {
        let pairs = [("lms2", "ss2"), ("lms3", "ss3"), ("lms4", "ss4")];
        pairs.iter().map(|(lms, ss)| error(ss, rho, quantity) / error(lms, rho, quantity) - 1.0).collect()
    });
    let second = studies.iter().filter(|study| study.of.is_of_second_order() && study.of.rho == 0.6);
    let by_rho = largest(second.flat_map(|study| {
        [0, 1, 2].map(|quantity| study.at(COMPARED, quantity) / error(study.of.name, 0.0, quantity))
    }));
    let bdf: &[(&str, f64)] = &[("lms2", 0.0), ("ss2", 0.0)];
    let best: &[(&str, f64)] = &[("esdirk325", 0.0), ("esdirk436", 0.0)];
    let worse = largest([0, 1, 2].map(|quantity| largest(but(bdf, quantity, &|_| true)) / least(of(bdf, quantity))));
    let better = largest([0, 1, 2].map(|quantity| largest(of(best, quantity)) / least(but(best, quantity, &|_| true))));
    vec![
        Claim::new(
            format!("largest relative difference of errors between SS and LMS, {at}"),
            "1",
            at_most(1e-6, Origin::Rounding("of iterations that end at their tolerance: the schemes are equivalent")),
            pairs,
        )
        .in_words("multi-step and equivalent single-step schemes have very similar relative errors"),
        at_most_one(
            "error with one more step, LMS3 after LMS2 and LMS4 after LMS3, largest ratio",
            chain(&["lms2", "lms3", "lms4"]),
        )
        .in_words("accuracy improves with increasing number of steps"),
        at_most_one(
            "error with one more stage, Bathe and MSSTC(3, 4, 5), largest ratio",
            chain(&["rho_bathe", "msstc3", "msstc4", "msstc5"]),
        )
        .in_words("accuracy improves with increasing number of stages"),
        at_most_one("error with ρ∞ = 0.6 over that with ρ∞ = 0, largest ratio", by_rho)
            .in_words("accuracy improves with a large ρ∞"),
        at_most_one("largest error of the other schemes over that of LMS2 and SS2 (ρ∞ = 0)", worse)
            .in_words("LMS2 and SS2 with ρ∞ = 0 show larger errors than the other schemes"),
        at_most_one(
            "largest error of ESDIRK3(2)5L[2]SA and ESDIRK4(3)6L[2]SA2 over the least of the other schemes",
            better,
        )
        .in_words("ESDIRK3(3)5L[2]SA and ESDIRK4(3)6L[2]SA2 are more accurate than other methods"),
    ]
}

/// What costs MSSTH(5) its order here: the level of constraints, or what rotations refer to.
fn causes(shaft: &Shaft) -> Result<Vec<Claim>, StepError> {
    let scheme = schemes::by_name("mssth5_published", &[("rho_infinity", 0.0)])?;
    let ways = [
        (ConstraintLevel::Position, RotationReference::StepStart),
        (ConstraintLevel::Position, RotationReference::LastPoint),
        (ConstraintLevel::Velocity, RotationReference::StepStart),
    ];
    let studies = parallel::map(&ways, |&(level, rotation_reference)| {
        let (constraint_level, drift) = (Some(level), Drift::Kept);
        let options = Options { constraint_level, drift, rotation_reference, ..Options::default() };
        let error = |h: f64| Ok((h, shaft.error_with(&*scheme, &options, h)?));
        [5e-3, 2.5e-3, 1.25e-3].into_iter().map(error).collect::<Result<Vec<_>, StepError>>().map(Convergence::new)
    });
    let studies = studies.into_iter().collect::<Result<Vec<_>, StepError>>()?;
    let [positions, by_last_point, velocities] = [0, 1, 2].map(|k| &studies[k]);
    let pairs = positions.points.iter().zip(&by_last_point.points);
    let second = Expected::Order { order: 2.0, tolerance: TOLERANCE };
    Ok(vec![
        Claim::new("order of u₃, MSSTH(5), constraints on positions", "1", second, positions.last_order())
            .in_words("MSSTH(5) was never able to reach the fifth-order convergence rate"),
        Claim::new(
            "the same with constraints on velocities",
            "1",
            at_least(3.0, Origin::Chosen("An order more than with constraints on positions.")),
            velocities.last_order(),
        ),
        Claim::new(
            "constraints on positions: largest change of the error by the reference of rotations, relative",
            "1",
            at_most(2e-9, Origin::Rounding("of iterations that end at their tolerance")),
            largest(pairs.map(|((_, a), (_, b))| b / a - 1.0)),
        ),
    ])
}

fn tables(studies: &[Study]) -> Vec<Table> {
    let table = |quantity: usize, (letter, ..): (&str, &str, bool), studies: &[&Study]| {
        let (symbol, title) = QUANTITIES[quantity];
        let studies: Vec<_> = studies.iter().map(|study| (study.name.as_str(), &study.errors[quantity])).collect();
        let heading = format!("Relative errors of {symbol} at mid-span");
        let mut table = table(&format!("{title}_{letter}"), &heading, ("RE", "1"), &studies);
        table.columns[0].name = "Δt/n".into();
        table
    };
    let panels = PANELS.iter().flat_map(|panel| {
        let studies: Vec<&Study> = of_panel(studies, *panel).collect();
        (0..QUANTITIES.len()).map(move |quantity| table(quantity, *panel, &studies)).collect::<Vec<_>>()
    });
    panels.collect()
}

fn of_panel<'s>(studies: &'s [Study], (.., second): (&str, &str, bool)) -> impl Iterator<Item = &'s Study> {
    studies.iter().filter(move |study| study.of.is_of_second_order() == second)
}

fn figures(studies: &[Study]) -> Vec<Figure> {
    let curve = |study: &Study, quantity: usize| {
        let points = study.errors[quantity].points.iter().filter(|(_, error)| error.is_finite());
        Curve::new(&study.name, Style::LineAndMarkers, points.copied().collect())
    };
    let figure = |quantity: usize, panel: (&'static str, &'static str, bool)| {
        let ((symbol, title), (letter, holds, second)) = (QUANTITIES[quantity], panel);
        // Below the curves, and above those of higher order.
        let (error, span) = if second { (4e-3, (5e-4, 2e-3)) } else { (1e-2, (3e-4, 1e-3)) };
        Figure {
            slug: format!("fig{}{letter}", 25 + quantity),
            title: format!("Fig. {} ({letter}): errors of the {title} at mid-span, {holds}", 25 + quantity),
            caption: "Sixteen elements, from rest to 2.5 s; reference ESDIRK4(3)6L[2]SA2 with Δt = 5·10⁻⁵ s.".into(),
            x: Axis::log("Δt/n", "s"),
            y: Axis::log(format!("relative error of {symbol}"), "1"),
            curves: of_panel(studies, panel).map(|study| curve(study, quantity)).collect(),
            slopes: vec![Slope { slope: 2.0, through: (1e-3, error), span }],
        }
    };
    (0..QUANTITIES.len()).flat_map(|quantity| PANELS.map(|panel| figure(quantity, panel))).collect()
}
