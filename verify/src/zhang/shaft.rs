//! Orders of convergence on the flexible rotating shaft. [zhang, Sect. 5.4, Figs. 25, 26, 27]
//!
//! The shaft starts from static equilibrium at t = 0, since the paper does not say how its weight comes to act in the
//! second before. Errors are those of [zhang, Eq. 26], sampled at the coarsest steps, up to 0.5 s, where the drive's
//! second derivative jumps.

use hamel::model::{Model, State};
use hamel::scheme::{Scheme, StepError};
use hamel::{consistent_acceleration, equilibrium, initial_state, schemes};
use hamel_models::RotatingShaft;

use crate::claim::{Claim, Expected};
use crate::convergence::{Convergence, table};
use crate::motion::{self, Grid};
use crate::parallel;
use crate::report::{Axis, Curve, Figure, Report, Slope, Style};

const DURATION: f64 = 0.5;
/// Samples, as many as coarse steps.
const SAMPLES: usize = 125;
const STEPS: [f64; 3] = [4e-3, 2e-3, 1e-3];
const REFERENCE_STEP: f64 = 1.25e-4;
/// Displacement, velocity and acceleration along z at mid-span.
const QUANTITIES: [(&str, &str); 3] = [("u₃", "displacement"), ("v₃", "velocity"), ("a₃", "acceleration")];
/// u₃ at the end by an independent implementation, elements of two nodes extrapolated, m; certain to 10⁻⁶ m, from which
/// sixteen elements are a little apart.
const INDEPENDENT: f64 = 2.92098e-2;

/// Schemes of second order, with both values of ρ∞ that the paper uses; those of higher order have 0.
const SECOND_ORDER: [&str; 7] = ["lms2", "lms3", "lms4", "rho_bathe", "msstc3", "msstc4", "msstc5"];
const THIRD_ORDER: [&str; 2] = ["mssth3", "esdirk324"];
const OTHERS: [&str; 4] = ["mssth4", "mssth5", "esdirk325", "esdirk436"];

pub(super) fn run() -> Result<Report, StepError> {
    let model = RotatingShaft::default();
    let initial = at_rest(&model)?;
    let reference = schemes::by_name("esdirk436", &[])?;
    let reference = observe(&model, &*reference, &initial, REFERENCE_STEP)?;
    let second = SECOND_ORDER.into_iter().flat_map(|name| [(name, 0.0, Some(2.0)), (name, 0.6, Some(2.0))]);
    let third = THIRD_ORDER.map(|name| (name, 0.0, Some(3.0)));
    let cases: Vec<(&str, f64, Option<f64>)> =
        second.chain(third).chain(OTHERS.map(|name| (name, 0.0, None))).collect();
    let runs = parallel::map(&cases, |&(name, rho, _)| {
        let is_tunable = schemes::entries().any(|entry| entry.name == name && !entry.parameters.is_empty());
        let parameters = [("rho_infinity", rho)];
        let scheme = schemes::by_name(name, &parameters[..usize::from(is_tunable)])?;
        let errors = STEPS.map(|h| Ok((h, errors(&observe(&model, &*scheme, &initial, h)?, &reference))));
        let errors = errors.into_iter().collect::<Result<Vec<_>, StepError>>()?;
        let study = |quantity: usize| Convergence::new(errors.iter().map(|(h, error)| (*h, error[quantity])).collect());
        Ok((scheme.name(), [0, 1, 2].map(study)))
    });
    let runs = runs.into_iter().collect::<Result<Vec<_>, StepError>>()?;

    let end = reference.last().map_or(f64::NAN, |sample| sample[0]);
    let expected = Expected::Reference { value: INDEPENDENT, tolerance: 3e-5 };
    let mut claims = vec![Claim::new("displacement u₃ at 0.5 s", "m", expected, end)];
    for ((name, studies), (_, _, order)) in runs.iter().zip(&cases) {
        let (what, found) = (format!("order of the displacement, {name}"), studies[0].last_order());
        claims.push(match *order {
            Some(order) => Claim::new(what, "1", Expected::Order { order, tolerance: 0.1 }, found)
                .in_words("second-order methods, MSSTH(3) and ESDIRK3(2)4L[2]SA show the rate of their order"),
            None => Claim::new(what, "1", Expected::AtLeast(1.9), found),
        });
    }
    let tables = QUANTITIES.iter().enumerate().map(|(quantity, (symbol, title))| {
        let studies: Vec<(&str, &Convergence)> =
            runs.iter().map(|(name, studies)| (name.as_str(), &studies[quantity])).collect();
        table(title, &format!("Relative errors of {symbol} at mid-span"), ("RE", "1"), &studies)
    });
    let tables = tables.collect();
    let notes = vec![
        "Δt is that of a whole step. With more stages than three, Δt/n is below 3·10⁻⁴ s at the finest step, where the \
         paper too sees orders decrease: constraints on positions leave them two."
            .into(),
    ];
    Ok(Report { claims, tables, figures: figures(&runs), notes })
}

/// The shaft as its weight bends it.
fn at_rest(model: &RotatingShaft) -> Result<State, StepError> {
    let inconsistent = |error: hamel::EquilibriumError| StepError::Inconsistent {
        model: model.describe().name,
        reason: error.to_string(),
        residual: 0.0,
    };
    let mut state = equilibrium(model, &initial_state(model)?).map_err(inconsistent)?.state;
    consistent_acceleration(model, &mut state)?;
    Ok(state)
}

/// u₃, v₃ and a₃ at all instants.
fn observe(model: &RotatingShaft, scheme: &dyn Scheme, initial: &State, dt: f64) -> Result<Vec<[f64; 3]>, StepError> {
    let grid = Grid::new(dt, DURATION).sampled(SAMPLES);
    let along_z = |state: &State| {
        ["displacement", "velocity", "acceleration"].map(|name| {
            let [_, _, z] = motion::output::<3>(model, name, state);
            z
        })
    };
    motion::observe(model, scheme, initial.clone(), grid, along_z).complete()
}

/// [zhang, Eq. 26].
fn errors(found: &[[f64; 3]], reference: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|quantity| {
        let sum = |term: &dyn Fn(f64, f64) -> f64| {
            found.iter().zip(reference).skip(1).map(|(a, b)| term(a[quantity], b[quantity])).sum::<f64>()
        };
        (sum(&|a, b| (a - b).powi(2)) / sum(&|_, b| b * b)).sqrt()
    })
}

fn figures(runs: &[(String, [Convergence; 3])]) -> Vec<Figure> {
    let figure = |(quantity, (symbol, title)): (usize, &(&str, &str))| Figure {
        slug: format!("orders_of_{title}"),
        title: format!("Errors of {symbol} at mid-span [zhang, Fig. {}]", 25 + quantity),
        caption: "Sixteen elements, from rest to 0.5 s.".into(),
        x: Axis::log("Δt", "s"),
        y: Axis::log(format!("relative error of {symbol}"), "1"),
        curves: runs
            .iter()
            .map(|(name, studies)| Curve::new(name, Style::LineAndMarkers, studies[quantity].points.clone()))
            .collect(),
        slopes: vec![Slope { slope: 2.0, through: (2e-3, 1e-2), span: (1e-3, 4e-3) }],
    };
    QUANTITIES.iter().enumerate().map(figure).collect()
}
