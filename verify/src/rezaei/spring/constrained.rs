//! The support as a constraint, on velocities and on accelerations. [rezaei, Figs. 17, 18]
//!
//! What the figures show follows from one inconsistency: the start's acceleration has no contact force (Eq. 25). All of
//! it has a closed form, derived here by hand; with a consistent start it is gone.

use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel::{ConstraintLevel, Scheme, schemes};
use hamel_models::three_mass_oscillator::ThreeMassOscillatorConstrained;
use hamel_report::{Claim, Curve, Expected, Figure, Origin, Proof, Report, Style, at_most, printed};

use super::{GRAVITY, QUANTITIES, Sample, Start, figure, generalized_alpha, motion};
use crate::convergence::largest;

/// Step size from the printed Δt/T = 0.0436, s.
const STEP: f64 = 0.05;
const STEPS: usize = 400;
/// Steps that the figures show.
const SHOWN: usize = 60;
/// Springs that have the printed frequency, N/m.
const STIFFNESS: f64 = 10.0;
const RHO: [f64; 4] = [1.0, 0.8, 0.5, 0.0];

const NEAR_ZERO: Origin = Origin::Rounding("of coordinates near zero");

fn theory(value: f64) -> Expected {
    Expected::Theory { value, tolerance: 2e-14 * value.abs() }
}

/// A motion of the constrained masses.
fn run(scheme: &dyn Scheme, level: ConstraintLevel, start: Start) -> Result<Vec<Sample>, StepError> {
    motion(&ThreeMassOscillatorConstrained::default(), scheme, level, (STEP, STEPS), start)
}

/// What the figures compare.
fn members() -> Result<Vec<(String, Box<dyn Scheme>)>, StepError> {
    let mut members = Vec::new();
    for rho in RHO {
        members.push((format!("generalized-α, ρ∞ = {rho}"), generalized_alpha(rho)?));
    }
    members.push(("Bathe".to_owned(), schemes::by_name("bathe", &[])?));
    members.push(("ED-α, ρ∞ = 0".to_owned(), schemes::by_name("ed_alpha", &[("rho_infinity", 0.0)])?));
    Ok(members)
}

pub(in super::super) fn constrained() -> Result<Report, StepError> {
    let mut claims = frequencies();
    let mut curves = [(); 3].map(|()| [(); 3].map(|()| Vec::new()));
    let mut forces = Vec::new();
    let mut show = |samples: &[Sample], name: &str, style: Style| {
        let shown = || samples.iter().take(SHOWN);
        for (quantity, masses) in curves.iter_mut().enumerate() {
            for (mass, curves) in masses.iter_mut().enumerate() {
                let points = shown().map(|sample| (sample.t, sample.motion[quantity][mass])).collect();
                curves.push(Curve::new(name, style, points));
            }
        }
        forces.push(Curve::new(name, style, shown().map(|sample| (sample.t, sample.force)).collect()));
    };
    show(&(1..=SHOWN).map(|k| exact(STEP * k as f64)).collect::<Vec<_>>(), "exact", Style::Dashed);

    for (rho, (name, scheme)) in RHO.into_iter().zip(members()?) {
        let samples = run(&*scheme, ConstraintLevel::Velocity, Start::Free)?;
        if rho == 1.0 {
            // The force swings by ±γ from step to step; that of the spring adds at most its own second difference.
            let value = 4.0 / (STIFFNESS * STEP * STEP);
            let what =
                format!("second differences of the contact force over those of the exact one, {name}, on velocities");
            let expected = Expected::Theory { value, tolerance: 1.5 };
            claims.push(
                Claim::new(what, "1", expected, relative_roughness(&samples)).in_words("an oscillatory behavior"),
            );
        }
        claims.extend(on_velocities(rho, &name, &samples));
        show(&samples, &format!("{name}, on velocities"), Style::Line);
    }
    for (name, scheme) in members()?.into_iter().skip(RHO.len()) {
        let samples = run(&*scheme, ConstraintLevel::Velocity, Start::Free)?;
        for (k, (what, _, unit)) in QUANTITIES.iter().enumerate() {
            let value = largest(samples.iter().map(|sample| sample.third()[k]));
            let claim = Claim::new(format!("{what} of mass 3, {name}"), unit, at_most(1e-14, NEAR_ZERO), value);
            claims.push(claim.in_words("the unsymmetrical structure helps to improve the contact force"));
        }
    }
    for (name, scheme) in members()? {
        let samples = run(&*scheme, ConstraintLevel::Acceleration, Start::Free)?;
        claims.extend(on_accelerations(&name, &samples));
        if !name.starts_with("generalized-α") || name.ends_with("0.8") {
            show(&samples, &format!("{name}, on accelerations"), Style::LineAndMarkers);
        }
    }
    for rho in RHO {
        for level in [ConstraintLevel::Velocity, ConstraintLevel::Acceleration] {
            let samples = run(&*generalized_alpha(rho)?, level, Start::Consistent)?;
            let residual = largest(samples.iter().flat_map(Sample::third));
            let place = if level == ConstraintLevel::Velocity { "velocities" } else { "accelerations" };
            let what = format!(
                "position, velocity and acceleration of mass 3 from a consistent start, generalized-α, ρ∞ = {rho}, \
                 on {place}"
            );
            claims.push(Claim::new(what, "1", at_most(1e-14, NEAR_ZERO), residual));
        }
    }

    let mut figures: Vec<Figure> = Vec::new();
    for ((label, letter, unit), masses) in QUANTITIES.into_iter().zip(curves) {
        for (number, curves) in (1..).zip(masses) {
            let title = format!("Fig. 17: {label} of mass {number}");
            figures.push(figure(format!("fig17_{letter}{number}"), title, label, unit, curves));
        }
    }
    figures.push(figure("fig18".to_owned(), "Fig. 18: contact force".to_owned(), "force", "N", forces));
    let notes = vec![
        "Starts have no contact force. The effects of Figs. 17 and 18 come from that acceleration γ, not from the \
         structure of the schemes: with a consistent one they vanish."
            .into(),
    ];
    Ok(Report { claims, figures, notes, ..Report::default() })
}

/// The springs have 10 N/m.
fn frequencies() -> Vec<Claim> {
    // The two free masses: 3 k/m is the larger of k/m and 3 k/m.
    let frequency = |stiffness: f64| (3.0 * stiffness).sqrt() / std::f64::consts::TAU;
    vec![
        Claim::new("highest frequency with springs of 10 N/m", "Hz", printed("0.8717"), frequency(STIFFNESS)),
        Claim::new(
            "highest frequency with springs of 1 N/m",
            "Hz",
            Expected::Theory { value: 0.275_664_448, tolerance: 5e-10 },
            frequency(1.0),
        )
        .refutes(
            "k = 1 N/m and 0.8717 Hz",
            Proof::ClosedForm,
            "√(3k/m)/2π is 0.2757 Hz for k = 1 N/m; the printed frequency and Δt/T = 0.0436 belong to k = 10 N/m.",
        ),
    ]
}

/// Mass 3 with the constraint on velocities.
fn on_velocities(rho: f64, name: &str, samples: &[Sample]) -> Vec<Claim> {
    let family = NewmarkFamily::generalized_alpha(rho);
    let expected = expected_accelerations(&family, samples.len());
    let difference = largest(samples.iter().zip(&expected).map(|(sample, a)| sample.third()[2] - a));
    let what = format!("difference of the acceleration of mass 3 to its closed form, {name}");
    let origin = Origin::Rounding("of accelerations of 10 m/s²");
    let mut claims = vec![Claim::new(what, "m/s^2", at_most(1e-14, origin), difference)];
    let velocity = largest(samples.iter().map(|sample| sample.third()[1]));
    let origin = Origin::Rounding("of velocities that cancel");
    claims.push(Claim::new(format!("velocity of mass 3, {name}"), "m/s", at_most(2e-16, origin), velocity));
    let last = samples.last().map_or([f64::NAN; 3], Sample::third);
    claims.push(if rho < 1.0 {
        // The positions sum up h² (½ − β) A₀ + h² β A₁ with A a geometric sequence.
        let spread = (1.0 - rho) / (1.0 + rho);
        let offset = -STEP * STEP * GRAVITY * spread * spread / 4.0;
        let what = format!("constant position error of mass 3, −Δt² γ ((1 − ρ∞)/(1 + ρ∞))²/4, {name}");
        Claim::new(what, "m", theory(offset), last[0]).in_words("a constant position error")
    } else {
        let what = format!("acceleration of mass 3 after 400 steps, {name}");
        Claim::new(what, "m/s^2", theory(GRAVITY), last[2].abs()).in_words("an oscillatory behavior")
    });
    claims
}

/// Mass 3 with the constraint on accelerations: it moves on with the velocity that the start's acceleration gave it.
fn on_accelerations(name: &str, samples: &[Sample]) -> Vec<Claim> {
    let what = |quantity: &str| format!("{quantity}, constraint on accelerations, {name}");
    let acceleration = largest(samples.iter().map(|sample| sample.third()[2]));
    let mut claims = vec![Claim::new(what("acceleration of mass 3"), "m/s^2", at_most(1e-14, NEAR_ZERO), acceleration)];
    let [[middle, ..], [end, velocity, _]] = [STEPS / 2, STEPS].map(|steps| samples[steps - 1].third());
    let (formula, residual) = match name {
        "Bathe" => ("Δt γ/3", STEP * GRAVITY / 3.0),
        name if name.starts_with("ED-α") => ("none", 0.0),
        _ => ("Δt γ/2", 0.5 * STEP * GRAVITY),
    };
    if residual == 0.0 {
        claims.push(Claim::new(what("velocity of mass 3"), "m/s", at_most(1e-14, NEAR_ZERO), velocity.abs()));
    } else {
        let quantity = format!("velocity of mass 3, {formula}");
        let claim = Claim::new(what(&quantity), "m/s", theory(residual), velocity);
        claims.push(claim.in_words("a constant residual velocity"));
        let drift = Expected::Theory { value: residual, tolerance: 1e-14 };
        let slope = (end - middle) / (STEP * (STEPS / 2) as f64);
        let claim = Claim::new(what("slope of the coordinate of mass 3, the same"), "m/s", drift, slope);
        claims.push(claim.in_words("a linear drift-off effect"));
    }
    let claim = Claim::new(
        what("second differences of the contact force over those of the exact one"),
        "1",
        Expected::Theory { value: 1.0, tolerance: 0.05 },
        relative_roughness(samples),
    )
    .because("Schemes change amplitudes by a few percent.");
    claims.push(
        claim.in_words("the calculation of contact forces is straightforward and follows the reference solution"),
    );
    claims
}

/// The largest second difference of the contact force, N.
fn roughness(samples: &[Sample]) -> f64 {
    largest(samples.windows(3).map(|three| three[0].force - 2.0 * three[1].force + three[2].force))
}

/// The same beside that of the motion without errors.
fn relative_roughness(samples: &[Sample]) -> f64 {
    let without = samples.iter().map(|sample| exact(sample.t)).collect::<Vec<_>>();
    roughness(samples) / roughness(&without)
}

/// The motion without errors, from rest without load of the springs: masses 1 and 2 move together, because both have the
/// load γ.
fn exact(t: f64) -> Sample {
    let frequency = STIFFNESS.sqrt();
    let (sine, cosine) = (frequency * t).sin_cos();
    let parts = [(1.0 - cosine) / STIFFNESS, sine / frequency, cosine];
    let motion = parts.map(|part| [GRAVITY * part, GRAVITY * part, 0.0]);
    Sample { t, motion, force: -GRAVITY - STIFFNESS * motion[0][1] }
}

/// a of mass 3: v = 0 makes A a geometric sequence, Aₙ = (−(1 − γ)/γ)ⁿ g, and a follows by Eq. 21.
fn expected_accelerations(family: &NewmarkFamily, steps: usize) -> Vec<f64> {
    let NewmarkFamily { gamma, alpha_m, alpha_f, .. } = *family;
    let ratio = -(1.0 - gamma) / gamma;
    let (mut auxiliary, mut a) = (GRAVITY, GRAVITY);
    let mut accelerations = Vec::new();
    for _ in 0..steps {
        let next = ratio * auxiliary;
        a = ((1.0 - alpha_m) * next + alpha_m * auxiliary - alpha_f * a) / (1.0 - alpha_f);
        auxiliary = next;
        accelerations.push(a);
    }
    accelerations
}
