//! Bathe's scheme as an iteration in displacements: which index its updates name, and what rounding leaves of it.
//! [rezaei, Eqs. 75, 76]

use hamel::nonsmooth::ContactOptions;
use hamel::scheme::StepError;
use hamel::{Model, initial_state, schemes};
use hamel_models::SliderCrank;
use hamel_report::{
    Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Proof, Report, Style, Table, at_least, at_most,
    independent,
};
use nalgebra::{DMatrix, DVector};

use super::displacement_bathe::{Form, Point, Terms, step};
use super::mechanism::{DURATION, Guide, INTERVAL, STEPS, free_acceleration, largest_error, order, relative_error};
use crate::convergence;
use crate::oscillator::{self, acceleration};

/// Printed in Table 4 for Δt = 10⁻⁶ s.
const PRINTED: &str = "1.6e-5";
/// Eq. 92 at Δt = 10⁻⁴ s, as an independent computation in accelerations has it.
const SUM: &str = "8.80e-2";

/// The forced oscillator with C = 0.3 and K = 1 taken out of its force.
fn oscillator_terms(t: f64, point: &Point) -> Terms {
    let (q, v) = (point.q[0], point.v[0]);
    let one = |value| DMatrix::from_element(1, 1, value);
    Terms {
        mass: one(1.0),
        damping: one(0.3),
        stiffness: one(1.0),
        force: DVector::from_element(1, acceleration([q, v], t) + 0.3 * v + q),
        directions: DMatrix::zeros(1, 0),
    }
}

fn oscillator_start() -> Point {
    let [q, v] = oscillator::START;
    let one = |value| DVector::from_element(1, value);
    Point { q: one(q), v: one(v), a: one(acceleration([q, v], 0.0)) }
}

fn oscillator_step(form: Form) -> impl Fn(Point, f64, f64) -> Point {
    move |point, t, h| step(&oscillator_terms, &point, t, h, form)
}

/// The guided slider-crank. Directions of the guide are the rows of its constraints.
fn crank_terms(model: &SliderCrank, t: f64, point: &Point) -> Terms {
    let info = model.describe();
    let n = point.v.len();
    let (q, v) = (point.q.as_slice(), point.v.as_slice());
    let (mut mass, mut rows) = (vec![0.0; info.mass_matrix.nnz()], vec![0.0; info.constraint_jacobian.nnz()]);
    let (mut applied, mut bias) = (DVector::zeros(n), DVector::zeros(n));
    model.mass_matrix(q, &mut mass);
    model.constraint_jacobian(t, q, &mut rows);
    model.applied_force(t, q, v, applied.as_mut_slice());
    model.bias_force(q, v, bias.as_mut_slice());
    Terms {
        mass: info.mass_matrix.to_dense(&mass),
        damping: DMatrix::zeros(n, n),
        stiffness: DMatrix::zeros(n, n),
        force: applied - bias,
        directions: info.constraint_jacobian.to_dense(&rows).transpose(),
    }
}

/// θ₂ at the instants of Table 4, from accelerations without contact forces as printed.
fn rod_angles(h: f64) -> Result<Vec<f64>, StepError> {
    let model = SliderCrank::default();
    let mut initial = initial_state(&model)?;
    free_acceleration(&model, &mut initial)?;
    let rod = model.describe().coordinate("theta2").unwrap_or_default();
    let mut point = Point { q: initial.q.clone(), v: initial.v.clone(), a: initial.a.clone() };
    let every = (INTERVAL / h).round() as usize;
    let steps = (DURATION / h).round() as usize;
    let mut angles = vec![point.q[rod]];
    for k in 1..=steps {
        let system = |t: f64, at: &Point| crank_terms(&model, t, at);
        point = step(&system, &point, (k - 1) as f64 * h, h, Form::Corrected);
        if k % every == 0 {
            angles.push(point.q[rod]);
        }
    }
    Ok(angles)
}

/// θ₂ of the guided slider-crank with both forms of the scheme.
struct Loss {
    step: f64,
    /// Of Eq. 92, in displacements and in accelerations.
    sums: [f64; 2],
    /// The largest, the same.
    errors: [f64; 2],
    /// Between both forms, which differ by rounding alone.
    rounding: f64,
}

fn by_scheme(key: &str, h: f64) -> Result<Vec<f64>, StepError> {
    Ok(Guide::Bilateral.motion(&*schemes::by_name(key, &[])?, h, ContactOptions::default())?.rod())
}

fn loss(exact: &[f64], step: f64) -> Result<Loss, StepError> {
    let both = [rod_angles(step)?, by_scheme("bathe", step)?];
    Ok(Loss {
        step,
        sums: both.each_ref().map(|angles| relative_error(angles, exact, 1)),
        errors: both.each_ref().map(|angles| largest_error(angles, exact)),
        rounding: largest_error(&both[0], &both[1]),
    })
}

pub(super) fn run() -> Result<Report, StepError> {
    let (mut claims, updates) = index_claims()?;
    let exact = by_scheme("runge_kutta", 1e-5)?;
    let [coarse, middle, fine] = STEPS.map(|step| loss(&exact, step));
    let losses = [coarse?, middle?, fine?];
    claims.extend(rounding_claims(&losses));
    let row = |Loss { step, sums, errors, rounding }: &Loss| {
        let cells = [sums[0], sums[1], errors[0], errors[1], *rounding].map(|value| Cell::number(value, 3));
        std::iter::once(Cell::number(*step, 1)).chain(cells).collect()
    };
    let points = losses.iter().map(|loss| (loss.step, loss.rounding)).collect();
    Ok(Report {
        claims,
        tables: vec![
            updates,
            Table {
                slug: "rounding".into(),
                title: "Guided slider-crank of Table 4, Bathe's scheme".into(),
                columns: vec![
                    Column::new("Δt", "s"),
                    Column::new("Eq. 92 in displacements", "1"),
                    Column::new("Eq. 92 in accelerations", "1"),
                    Column::new("max |Δθ₂| in displacements", "rad"),
                    Column::new("max |Δθ₂| in accelerations", "rad"),
                    Column::new("between both", "rad"),
                ],
                rows: losses.iter().map(row).collect(),
            },
        ],
        figures: vec![Figure {
            slug: "rounding".into(),
            title: "What displacements lose to rounding".into(),
            caption: "Largest difference of θ₂ to the same scheme in accelerations.".into(),
            x: Axis::log("step size Δt", "s"),
            y: Axis::log("difference", "rad"),
            curves: vec![Curve::new("Bathe", Style::LineAndMarkers, points)],
            slopes: Vec::new(),
        }],
        notes: vec![format!(
            "Table 4 prints {PRINTED} for Δt = 10⁻⁶ s. In displacements rounding is as large as the error there, so that the \
             sum depends on the order of operations: an implementation in Python found 8.2·10⁻⁵, ours is in the table."
        )],
    })
}

/// What the updates of Eq. 76 do to the forced oscillator, and a table of its errors.
fn index_claims() -> Result<(Vec<Claim>, Table), StepError> {
    let bathe = schemes::by_name("bathe", &[])?;
    let at = |point: &Point| [point.q[0], point.v[0]];
    let study = |form| oscillator::study(oscillator_start, &[1.0], oscillator_step(form), at);
    let [printed, corrected] = [Form::Printed, Form::Corrected].map(study);
    let by_displacements = at(&oscillator::integrate(oscillator_start(), 20, &[1.0], oscillator_step(Form::Corrected)));
    let difference = oscillator::distance(oscillator::end(&*bathe, 20)?, by_displacements);
    let shown = |what: &str, order, study: &convergence::Convergence| {
        let what = format!("order {what}, forced oscillator");
        Claim::new(what, "1", Expected::Order { order, tolerance: 0.1 }, study.last_order())
    };
    let claims = vec![
        Claim::new(
            "difference to the scheme `bathe` after 20 steps, corrected, forced oscillator",
            "1",
            at_most(1e-13, Origin::Rounding("of displacements over the square of the step")),
            difference,
        ),
        shown("with the updates of Eq. 76 as printed", 1.0, &printed),
        shown("with updates at the end of the step", 2.0, &corrected).refutes(
            "updates of M, h and W at i + ½ in the loop of Eq. 76",
            Proof::Algebra,
            "The loop reads M, h and W at i + 1, which then stay those of the middle: Eq. 57 is solved with another force.",
        ),
    ];
    let named = [("Eq. 76 as printed", &printed), ("Eq. 76 corrected", &corrected)];
    let title = "Larger error of q and q̇, forced oscillator";
    Ok((claims, convergence::table("updates", title, ("error", "1"), &named)))
}

/// What rounding leaves of the slider-crank.
fn rounding_claims([coarse, middle, fine]: &[Loss; 3]) -> [Claim; 4] {
    let steps = |a: &Loss, b: &Loss| [a.step, b.step];
    [
        Claim::new(
            "error of Eq. 92 in displacements, slider-crank, Δt = 10⁻⁴ s",
            "1",
            independent(SUM),
            coarse.sums[0],
        ),
        Claim::new(
            "order of the rounding of θ₂ in displacements, from Δt = 10⁻⁴ s to 10⁻⁶ s",
            "1",
            at_most(-1.0, Origin::Theory("velocities are differences of displacements over Δt")),
            order([coarse.rounding, fine.rounding], steps(coarse, fine)),
        ),
        Claim::new(
            "rounding of θ₂ in displacements over the error of the scheme, Δt = 10⁻⁶ s",
            "1",
            at_least(0.2, Origin::Chosen("As large as the error: its value is that of one order of operations.")),
            fine.rounding / fine.errors[1],
        ),
        Claim::new(
            "order of the error in accelerations between the last two steps, where rounding does not show",
            "1",
            Expected::Order { order: 2.0, tolerance: 0.03 },
            order([middle.errors[1], fine.errors[1]], steps(middle, fine)),
        ),
    ]
}
