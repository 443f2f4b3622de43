//! A heap of discs falls into place: hundreds of contacts with friction, whose forces are not unique.
//!
//! The paper has no example of this kind. What can be checked is what holds for any such forces: the discs come to rest,
//! each that does is in equilibrium, energy has only been lost, and every step obeys the laws to round-off.

use hamel::scheme::StepError;
use hamel::{Model, State, schemes};
use hamel_models::DiscPile;
use hamel_models::disc_pile::DiscPileParameters;
use hamel_report::{Axis, Claim, Curve, Figure, Origin, Report, Style, at_least, at_most};

const STEP: f64 = 1e-3;
/// The discs are at rest then, but for one that may still roll to and fro on another: rounding while they collide decides.
const UNTIL: f64 = 0.25;
const GRAVITY: f64 = 9.81;
/// A velocity that changes less than by this part of the fall in a step does not change.
const UNCHANGED: f64 = 1e-12;
const SCHEMES: [&str; 4] = ["moreau", "half_explicit", "generalized_alpha", "bathe"];

pub(super) fn run() -> Result<Report, StepError> {
    let model = DiscPile::default();
    let mut report = Report::default();
    let mut curves = Vec::new();
    report.claims.push(Claim::new(
        "contacts",
        "1",
        at_least(500.0, Origin::Chosen("An example with hundreds of contacts.")),
        model.describe().contacts.len() as f64,
    ));
    for name in SCHEMES {
        let scheme = schemes::by_name(name, &[])?;
        let kinetic = settle(&model, scheme.as_ref(), &mut report.claims)?;
        curves.push(Curve::new(scheme.name(), Style::Line, kinetic));
    }
    report.figures.push(Figure {
        slug: "kinetic_energy".into(),
        title: "Kinetic energy of the heap".into(),
        caption: "190 discs, 534 contacts, Δt = 10⁻³ s.".into(),
        x: Axis::linear("t", "s"),
        y: Axis::log("kinetic energy", "J"),
        curves,
        slopes: Vec::new(),
    });
    Ok(report)
}

/// Lets the heap fall and claims what must be; returns kinetic energy over time.
fn settle(model: &DiscPile, scheme: &dyn hamel::Scheme, claims: &mut Vec<Claim>) -> Result<Vec<(f64, f64)>, StepError> {
    let name = scheme.name();
    let mut stepper = scheme.start(model, hamel::initial_state(model)?)?;
    let energy = |state: &State| model.energy(state.t, state.q.as_slice(), state.v.as_slice());
    let start = energy(stepper.state());
    let mut kinetic = Vec::new();
    let mut before = stepper.state().v.clone();
    for _ in 0..(UNTIL / STEP).round() as usize {
        before.copy_from(&stepper.state().v);
        stepper.step(STEP)?;
        // Nothing moves in exact arithmetic; a logarithm shows rounding as far as the least number it is given.
        kinetic.push((stepper.state().t, energy(stepper.state()).kinetic.max(f64::MIN_POSITIVE)));
    }
    let end = energy(stepper.state());
    let most = kinetic.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
    let Some(record) = stepper.contacts() else {
        return Err(StepError::Undefined {
            scheme: name,
            model: model.describe().name.clone(),
            reason: "it reports no contacts",
        });
    };

    // Forces on the discs, W λ, against their weight.
    let pattern = &model.describe().contact_jacobian;
    let state = stepper.state();
    let mut values = vec![0.0; pattern.nnz()];
    model.contact_jacobian(state.t, state.q.as_slice(), &mut values);
    let push = |column: usize| -> f64 {
        pattern.column(column).map(|slot| values[slot] * record.forces[pattern.row_indices()[slot] as usize]).sum()
    };
    let weight = DiscPileParameters::default().mass * GRAVITY;
    let discs = pattern.columns / 3;
    let rests = |disc: &usize| {
        let changes = |velocity: usize| (state.v[velocity] - before[velocity]).abs() > UNCHANGED * GRAVITY * STEP;
        !(changes(3 * disc) || changes(3 * disc + 1))
    };
    let resting: Vec<usize> = (0..discs).filter(rests).collect();
    let unbalanced =
        resting.iter().map(|disc| (push(3 * disc).abs()).max((push(3 * disc + 1) - weight).abs())).fold(0.0, f64::max);

    let mut claim = |what: &str, unit, expected, value| {
        claims.push(Claim::new(format!("{name}: {what}"), unit, expected, value));
    };
    claim(
        "kinetic energy at the end, of the largest",
        "1",
        at_most(
            2e-7,
            Origin::Chosen("At rest. Moreau’s rule, whose impacts each step are of the size g Δt, leaves most."),
        ),
        end.kinetic / most,
    );
    claim("energy lost", "J", at_least(0.0, Origin::Theory("contacts take energy")), start.total() - end.total());
    claim(
        "discs that still move",
        "1",
        at_most(10.0, Origin::Chosen("The last one may roll to and fro in a hollow, and move those that it touches.")),
        (discs - resting.len()) as f64,
    );
    claim(
        "force on a disc that rests, beside its weight at the end, of that",
        "1",
        match resting.len() == discs {
            true => at_most(5e-13, Origin::Rounding("of sums of contact forces")),
            false => at_most(1e-8, Origin::Chosen("A disc that moves changes the loads of others within the step.")),
        },
        unbalanced / weight,
    );
    claim(
        "violation of the laws, also while all discs collide",
        "m/s",
        at_most(
            1e-12,
            Origin::Chosen("The least power of ten that all schemes meet; Moreau’s rule is the nearest to it."),
        ),
        record.violation,
    );
    Ok(kinetic)
}
