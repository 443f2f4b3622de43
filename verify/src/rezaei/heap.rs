//! A heap of discs falls into place: hundreds of contacts with friction, whose forces are not unique.
//!
//! The paper has no example of this kind. What can be checked is what holds for any such forces: the discs come to rest,
//! each is then in equilibrium, and energy has only been lost.

use hamel::scheme::StepError;
use hamel::{Model, schemes};
use hamel_models::DiscPile;
use hamel_models::disc_pile::DiscPileParameters;

use crate::claim::{Claim, Expected};
use crate::report::{Axis, Curve, Figure, Report, Style};

const STEP: f64 = 1e-3;
const UNTIL: f64 = 0.4;
const GRAVITY: f64 = 9.81;

pub(super) fn run() -> Result<Report, StepError> {
    let model = DiscPile::default();
    let scheme = schemes::by_name("moreau", &[])?;
    let mut stepper = scheme.start(&model, hamel::initial_state(&model)?)?;
    let energy = |state: &hamel::State| model.energy(state.t, state.q.as_slice(), state.v.as_slice());
    let start = energy(stepper.state());
    let mut kinetic = Vec::new();
    for _ in 0..(UNTIL / STEP).round() as usize {
        stepper.step(STEP)?;
        // Nothing moves in exact arithmetic; a logarithm shows rounding as far as the least number it is given.
        kinetic.push((stepper.state().t, energy(stepper.state()).kinetic.max(f64::MIN_POSITIVE)));
    }
    let end = energy(stepper.state());
    let most = kinetic.iter().map(|&(_, energy)| energy).fold(0.0, f64::max);
    let record = stepper.contacts().ok_or(StepError::Undefined {
        scheme: scheme.name(),
        model: model.describe().name,
        reason: "it reports no contacts",
    })?;

    // Forces on the discs, W λ, against their weight.
    let pattern = &model.describe().contact_jacobian;
    let state = stepper.state();
    let mut values = vec![0.0; pattern.nnz()];
    model.contact_jacobian(state.t, state.q.as_slice(), &mut values);
    let push = |column: usize| -> f64 {
        let slots = pattern.column_starts[column] as usize..pattern.column_starts[column + 1] as usize;
        slots.map(|slot| values[slot] * record.forces[pattern.row_indices[slot] as usize]).sum()
    };
    let weight = DiscPileParameters::default().mass * GRAVITY;
    let unbalanced = (0..pattern.columns / 3)
        .map(|disc| (push(3 * disc).abs()).max((push(3 * disc + 1) - weight).abs()))
        .fold(0.0, f64::max);
    let pushing = (0..record.gaps.len()).filter(|&contact| record.forces[2 * contact] > 1e-9 * weight).count();

    let claims = vec![
        Claim::new("kinetic energy at the end, of the largest", "1", Expected::AtMost(1e-6), end.kinetic / most),
        Claim::new("energy lost", "J", Expected::AtLeast(0.0), start.total() - end.total()),
        Claim::new(
            "largest force on a disc beside its weight, of that, at the end",
            "1",
            Expected::AtMost(1e-2),
            unbalanced / weight,
        ),
        Claim::new(
            "largest violation of the laws, also while all discs collide",
            "m/s",
            Expected::AtMost(1e-2),
            record.violation,
        ),
        Claim::new("contacts that push at the end", "1", Expected::AtLeast(300.0), pushing as f64),
        Claim::new("contacts", "1", Expected::AtLeast(500.0), record.gaps.len() as f64),
    ];
    let figure = Figure {
        slug: "kinetic_energy".into(),
        title: "Kinetic energy of the heap".into(),
        caption: "190 discs, 534 contacts, Moreau's rule, Δt = 10⁻³ s.".into(),
        x: Axis::linear("t", "s"),
        y: Axis::log("kinetic energy", "J"),
        curves: vec![Curve::new("Moreau", Style::Line, kinetic)],
        slopes: Vec::new(),
    };
    Ok(Report { claims, figures: vec![figure], ..Report::default() })
}
