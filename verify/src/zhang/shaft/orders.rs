//! Orders of convergence on the flexible rotating shaft. [zhang, Sect. 5.4, Figs. 25, 26, 27]
//!
//! Errors are those of [zhang, Eq. 26] over all of its 2.5 s, sampled at the longest step. Every step meets the instants
//! at which the drive's second derivative jumps.

use hamel::model::State;
use hamel::scheme::{ConstraintLevel, Drift, Options, RotationReference, Scheme, StepError};
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_models::RotatingShaft;
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Slope, Style, at_least, at_most};

use super::super::employed::Employed;
use super::{along_z, at_rest};
use crate::convergence::{Convergence, largest, table};
use crate::motion::{self, Grid};
use crate::origins::{ORDERS, SIGHT};

const DURATION: f64 = 2.5;
/// Each scheme takes some of these, as its accuracy and its number of stages have it.
const STEPS: [f64; 5] = [1e-2, 5e-3, 2.5e-3, 1.25e-3, 6.25e-4];
const REFERENCE_STEP: f64 = 2.5e-4;
const SAMPLES: usize = 250;
/// Displacement, velocity and acceleration along z at mid-span.
const QUANTITIES: [(&str, &str); 3] = [("u₃", "displacement"), ("v₃", "velocity"), ("a₃", "acceleration")];
/// u₃ at 0.5 s by an independent implementation, elements of two nodes extrapolated, m; certain to 10⁻⁶ m, from which
/// sixteen elements are a little apart.
const INDEPENDENT: f64 = 2.92098e-2;
/// Δt/n at which errors are compared, s.
const COMPARED: f64 = 1e-3;
const TOLERANCE: f64 = 0.1;

/// The errors of a scheme over Δt.
struct Study {
    of: Employed,
    name: String,
    /// Systems a step.
    n: f64,
    /// Of u₃, v₃ and a₃.
    errors: [Convergence; 3],
}

pub(in super::super) fn run() -> Result<Report, StepError> {
    let model = RotatingShaft::default();
    let initial = at_rest(&model)?;
    let reference = schemes::by_name("esdirk436", &[])?;
    let reference = observe(&model, &*reference, &initial, REFERENCE_STEP)?;
    let cases: Vec<Employed> = Employed::all().collect();
    let studies = parallel::map(&cases, |&of| study(&model, &initial, of, &reference));
    let studies = studies.into_iter().collect::<Result<Vec<_>, StepError>>()?;

    let early = reference.get(SAMPLES / 5).map_or(f64::NAN, |sample| sample[0]);
    let expected = Expected::Reference { value: INDEPENDENT, tolerance: 3e-5 };
    let mut claims = vec![Claim::new("displacement u₃ at 0.5 s", "m", expected, early)];
    claims.extend(orders(&studies));
    claims.extend(comparisons(&studies));
    claims.extend(causes(&model, &initial, &reference)?);
    let sets = [("multistep", 0), ("multistage", 1), ("high", 2)];
    let tables = sets.iter().flat_map(|&(set, number)| {
        let studies: Vec<&Study> = studies.iter().filter(|study| set_of(study.of) == number).collect();
        QUANTITIES.iter().enumerate().map(move |(quantity, (symbol, title))| {
            let studies: Vec<_> = studies.iter().map(|study| (study.name.as_str(), &study.errors[quantity])).collect();
            let heading = format!("Relative errors of {symbol} at mid-span");
            table(&format!("{title}_{set}"), &heading, ("RE", "1"), &studies)
        })
    });
    let tables = tables.collect();
    let notes = vec![
        "Δt is that of a whole step. Where Δt/n is well below 10⁻³ s all schemes with stages fall to second order, as the \
         paper too sees orders decrease: constraints on positions leave them two."
            .into(),
        "With constraints on velocities MSSTH(5) keeps at least third order. What rotations refer to changes nothing \
         here, where they are Euler parameters; zhang/mssth/lost_order separates both causes on increments. Why fifth \
         order is not reached with constraints on velocities either is not separated from the stiffness of the shaft."
            .into(),
    ];
    Ok(Report { claims, tables, figures: figures(&studies), notes })
}

fn study(model: &RotatingShaft, initial: &State, of: Employed, reference: &[[f64; 3]]) -> Result<Study, StepError> {
    let scheme = of.scheme()?;
    let steps = &STEPS[[2..5, 1..4, 0..5][set_of(of)].clone()];
    let error = |&h: &f64| Ok((h, errors(&observe(model, &*scheme, initial, h)?, reference)));
    let found = steps.iter().map(error).collect::<Result<Vec<_>, StepError>>()?;
    let convergence =
        |quantity: usize| Convergence::new(found.iter().map(|(h, error)| (*h, error[quantity])).collect());
    Ok(Study { of, name: scheme.name(), n: f64::from(scheme.stages()), errors: [0, 1, 2].map(convergence) })
}

/// What costs MSSTH(5) its order here: the level of constraints, or what rotations refer to.
fn causes(model: &RotatingShaft, initial: &State, reference: &[[f64; 3]]) -> Result<Vec<Claim>, StepError> {
    let scheme = schemes::by_name("mssth5_published", &[("rho_infinity", 0.0)])?;
    let ways = [
        (ConstraintLevel::Position, RotationReference::StepStart),
        (ConstraintLevel::Position, RotationReference::LastPoint),
        (ConstraintLevel::Velocity, RotationReference::StepStart),
    ];
    let studies = parallel::map(&ways, |&(level, rotation_reference)| {
        let (constraint_level, drift) = (Some(level), Drift::Kept);
        let options = Options { constraint_level, drift, rotation_reference, ..Options::default() };
        let error = |&h: &f64| {
            let grid = Grid::new(h, DURATION).sampled(SAMPLES);
            let observe = |state: &State| along_z(model, state);
            let found = motion::observe_with(model, &*scheme, &options, initial.clone(), grid, observe).complete()?;
            Ok((h, errors(&found, reference)[0]))
        };
        STEPS[1..4].iter().map(error).collect::<Result<Vec<_>, StepError>>().map(Convergence::new)
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

/// Which of the steps a scheme takes: multistep and single-step ones the shortest, those of high order all, but for
/// MSSTH(5), with which Newton's method diverges at the longest.
fn set_of(of: Employed) -> usize {
    match of.name {
        "lms2" | "lms3" | "lms4" | "ss2" | "ss3" | "ss4" => 0,
        "mssth4_published" | "esdirk325" | "esdirk436" => 2,
        _ => 1,
    }
}

impl Study {
    /// The error at the Δt/n at which schemes are compared, on the line through the nearest two steps in logarithms.
    fn compared(&self, quantity: usize) -> f64 {
        let (points, h) = (&self.errors[quantity].points, self.n * COMPARED);
        let second = points.iter().position(|(step, _)| *step < h).unwrap_or(points.len() - 1).max(1);
        let [(h1, e1), (h2, e2)] = [points[second - 1], points[second]];
        e1 * (h / h1).powf((e2 / e1).ln() / (h2 / h1).ln())
    }

    fn first_order(&self, quantity: usize) -> f64 {
        self.errors[quantity].orders().first().copied().unwrap_or(f64::NAN)
    }
}

fn orders(studies: &[Study]) -> Vec<Claim> {
    let mut claims = Vec::new();
    let says = "second-order methods, MSSTH(3) and ESDIRK3(2)4L[2]SA show the rate of their order";
    for study in studies.iter().filter(|study| set_of(study.of) < 2 && study.of.name != "mssth5_published") {
        let order = if study.of.is_of_second_order() { 2.0 } else { 3.0 };
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
        found.map_or(f64::NAN, |study| study.compared(quantity))
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
            .map(|study| study.compared(quantity))
            .collect()
    };
    let but = |names: &[(&str, f64)], quantity: usize, filter: &dyn Fn(&Study) -> bool| -> Vec<f64> {
        let is_other = |study: &&Study| !names.contains(&(study.of.name, study.of.rho)) && filter(study);
        studies.iter().filter(is_other).map(|study| study.compared(quantity)).collect()
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
    let by_rho =
        largest(second.flat_map(|study| {
            [0, 1, 2].map(|quantity| study.compared(quantity) / error(study.of.name, 0.0, quantity))
        }));
    let bdf: &[(&str, f64)] = &[("lms2", 0.0), ("ss2", 0.0)];
    let best: &[(&str, f64)] = &[("esdirk325", 0.0), ("esdirk436", 0.0)];
    let worse = largest([0, 1, 2].map(|quantity| largest(but(bdf, quantity, &|_| true)) / least(of(bdf, quantity))));
    let better = largest([0, 1, 2].map(|quantity| largest(of(best, quantity)) / least(but(best, quantity, &|_| true))));
    vec![
        Claim::new(
            format!("largest relative difference of errors between SS and LMS, {at}"),
            "1",
            at_most(1e-5, SIGHT),
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

/// u₃, v₃ and a₃ at all instants.
fn observe(model: &RotatingShaft, scheme: &dyn Scheme, initial: &State, dt: f64) -> Result<Vec<[f64; 3]>, StepError> {
    let grid = Grid::new(dt, DURATION).sampled(SAMPLES);
    motion::observe(model, scheme, initial.clone(), grid, |state| along_z(model, state)).complete()
}

/// [zhang, Eq. 26].
fn errors(found: &[[f64; 3]], reference: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|quantity| {
        let sum = |term: &dyn Fn(f64, f64) -> f64| {
            let pairs = found.iter().zip(reference).skip(1);
            pairs.map(|(a, b)| term(a[quantity], b[quantity])).sum::<f64>()
        };
        (sum(&|a, b| (a - b).powi(2)) / sum(&|_, b| b * b)).sqrt()
    })
}

fn figures(studies: &[Study]) -> Vec<Figure> {
    let figure = |(quantity, (symbol, title)): (usize, &(&str, &str))| Figure {
        slug: format!("orders_of_{title}"),
        title: format!("Errors of {symbol} at mid-span [zhang, Fig. {}]", 25 + quantity),
        caption: "Sixteen elements, from rest to 2.5 s; SS as LMS.".into(),
        x: Axis::log("Δt/n", "s"),
        y: Axis::log(format!("relative error of {symbol}"), "1"),
        curves: studies
            .iter()
            .filter(|study| !["ss2", "ss3", "ss4"].contains(&study.of.name))
            .map(|study| {
                let points = study.errors[quantity].points.iter().map(|(h, error)| (h / study.n, *error));
                Curve::new(&study.name, Style::LineAndMarkers, points.collect())
            })
            .collect(),
        slopes: vec![Slope { slope: 2.0, through: (1e-3, 1e-2), span: (3e-4, 2e-3) }],
    };
    QUANTITIES.iter().enumerate().map(figure).collect()
}
