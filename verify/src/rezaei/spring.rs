//! Three masses between springs, the last one held by a stiff spring or by a constraint. [rezaei, Sect. 2.8]
//!
//! What the figures of the constrained system show follows from one inconsistency: the start's acceleration has no
//! contact force (Eq. 25). All of it has a closed form, derived here by hand; with a consistent start it is gone.

use hamel::scheme::StepError;
use hamel::tables::NewmarkFamily;
use hamel::{ConstraintLevel, Drift, Model, Options, Scheme, schemes};
use hamel_macros::multibody;
use hamel_models::three_mass_oscillator::{
    ThreeMassOscillator, ThreeMassOscillatorConstrained, ThreeMassOscillatorParameters,
};
use hamel_report::{
    Axis, Claim, Curve, Expected, Figure, Origin, Proof, Report, Style, at_least, at_most, independent, printed,
};
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::mechanism::free_acceleration;
use crate::convergence::largest;
use crate::origins::SIGHT;

multibody! {
    /// Mass 3 on its own, with no force on it.
    model HeldMass {
        planar;
        coordinates joint;
        body block { mass: 1 kg, inertia: 1 kg m^2 }
        joint slide: prismatic(ground, block) { coordinate: q }
        initial q = 0;
    }
}

/// γ of the paper, m/s².
const GRAVITY: f64 = 9.81;
/// Spring of the support, N/m.
const SUPPORT: f64 = 1e7;
/// Step sizes of Figs. 15, 16 and of Figs. 17, 18, s: the latter from the printed Δt/T = 0.0436.
const STIFF_STEP: f64 = 1e-3;
const CONSTRAINED_STEP: f64 = 0.05;
const RHO: [f64; 4] = [1.0, 0.8, 0.5, 0.0];

/// Mass 3 after each step: coordinate, velocity, acceleration; then the coordinate of mass 1, and the multiplier.
struct Sample {
    third: [f64; 3],
    first: f64,
    force: f64,
}

fn motion(
    model: &dyn Model,
    scheme: &dyn Scheme,
    dt: f64,
    steps: usize,
    is_free: bool,
) -> Result<Vec<Sample>, StepError> {
    let mut initial = hamel::initial_state(model)?;
    if is_free {
        free_acceleration(model, &mut initial)?;
    }
    let (constraint_level, drift) = (Some(ConstraintLevel::Velocity), Drift::Kept);
    let options = Options { constraint_level, drift, ..Options::default() };
    let mut stepper = scheme.start_with(model, initial, &options)?;
    let mut samples = Vec::new();
    for _ in 0..steps {
        stepper.step(dt)?;
        let state = stepper.state();
        let force = state.lambda.get(0).copied().unwrap_or(0.0);
        samples.push(Sample { third: [state.q[2], state.v[2], state.a[2]], first: state.q[0], force });
    }
    Ok(samples)
}

fn generalized_alpha(rho: f64) -> Result<Box<dyn Scheme>, StepError> {
    schemes::by_name("generalized_alpha", &[("rho_infinity", rho)])
}

fn members() -> Result<[(&'static str, Box<dyn Scheme>); 4], StepError> {
    Ok([
        ("generalized-α, ρ∞ = 0.8", generalized_alpha(0.8)?),
        ("generalized-α, ρ∞ = 0", generalized_alpha(0.0)?),
        ("Bathe", schemes::by_name("bathe", &[])?),
        ("ED-α, ρ∞ = 0", schemes::by_name("ed_alpha", &[("rho_infinity", 0.0)])?),
    ])
}

/// Angular frequencies and modes of unit masses.
fn modes(stiffness: f64) -> SymmetricEigen<f64, nalgebra::U3> {
    let k = stiffness;
    SymmetricEigen::new(Matrix3::new(2.0 * k, -k, 0.0, -k, 2.0 * k, -k, 0.0, -k, k + SUPPORT))
}

fn highest_frequency(eigenvalues: impl Iterator<Item = f64>) -> f64 {
    eigenvalues.fold(0.0, f64::max).sqrt() / std::f64::consts::TAU
}

/// Displacements at t after a start at rest without load of the springs.
fn exact(stiffness: f64, t: f64) -> Vector3<f64> {
    let SymmetricEigen { eigenvalues, eigenvectors } = modes(stiffness);
    let load = eigenvectors.transpose() * Vector3::repeat(GRAVITY);
    eigenvectors * load.zip_map(&eigenvalues, |load, square| load * (1.0 - (square.sqrt() * t).cos()) / square)
}

pub(super) fn stiff() -> Result<Report, StepError> {
    let model = ThreeMassOscillator::new(ThreeMassOscillatorParameters::default());
    let stiffness = 1.0;
    let still = GRAVITY / SUPPORT;
    let steps = (20.0 / STIFF_STEP).round() as usize;
    let frequency = highest_frequency(modes(stiffness).eigenvalues.iter().copied());
    let mut claims = vec![Claim::new("highest frequency", "Hz", printed("503.3"), frequency)];
    // From an independent computation.
    let errors = ["1.5756e-5", "8.2052e-5", "7.463e-6", "1.111e-9"];
    let (mut slow, mut fast) = (Vec::new(), Vec::new());
    for ((name, scheme), error) in members()?.into_iter().zip(errors) {
        let samples = motion(&model, &*scheme, STIFF_STEP, steps, true)?;
        let amplitude = |range: std::ops::Range<usize>| {
            largest(samples[range].iter().map(|sample| sample.third[0] - still)) / still
        };
        claims.push(if name.ends_with("0.8") {
            Claim::new(
                format!("amplitude of mass 3 after 90 to 100 steps, {name}"),
                "1",
                at_least(0.2, SIGHT),
                amplitude(90..100),
            )
            .in_words("able to represent the high frequency vibration")
        } else {
            Claim::new(
                format!("amplitude of mass 3 after 50 to 60 steps, {name}"),
                "1",
                at_most(0.015, SIGHT),
                amplitude(50..60),
            )
            .in_words("damp out this high frequency mode in a few time steps")
        });
        let last = samples.last().map_or(f64::NAN, |sample| sample.first);
        let measured = (last - exact(stiffness, 20.0)[0]).abs();
        claims.push(Claim::new(format!("error of mass 1 at 20 s, {name}"), "m", independent(error), measured));
        let at = |k: usize| STIFF_STEP * (k + 1) as f64;
        let first = samples.iter().enumerate().step_by(50).map(|(k, sample)| (at(k), sample.first)).collect();
        slow.push(Curve::new(name, Style::Line, first));
        let third = samples[..60].iter().enumerate().map(|(k, sample)| (1e3 * at(k), 1e6 * sample.third[0])).collect();
        fast.push(Curve::new(name, Style::LineAndMarkers, third));
    }
    let times = || (0..=600_u32).map(|k| 1e-4 * f64::from(k));
    fast.push(Curve::new("exact", Style::Dashed, times().map(|t| (1e3 * t, 1e6 * exact(stiffness, t)[2])).collect()));
    let figure = |slug: &str, title: &str, x: Axis, y: Axis, curves| Figure {
        slug: slug.into(),
        title: title.into(),
        caption: String::new(),
        x,
        y,
        curves,
        slopes: Vec::new(),
    };
    let figures = vec![
        figure(
            "fig15",
            "Fig. 15: mass 1, stiff support",
            Axis::linear("time", "s"),
            Axis::linear("displacement", "m"),
            slow,
        ),
        figure(
            "fig16",
            "Fig. 16: mass 3, stiff support",
            Axis::linear("time", "ms"),
            Axis::linear("displacement", "µm"),
            fast,
        ),
    ];
    let notes = vec!["Start at rest with springs without load; Δt = 10⁻³ s.".into()];
    Ok(Report { claims, figures, notes, ..Report::default() })
}

pub(super) fn constrained() -> Result<Report, StepError> {
    let model = ThreeMassOscillatorConstrained::default();
    let h = CONSTRAINED_STEP;
    // The two free masses: 3 k/m is the larger of k/m and 3 k/m.
    let frequency = |stiffness: f64| (3.0 * stiffness).sqrt() / std::f64::consts::TAU;
    let mut claims = vec![
        Claim::new("highest frequency with springs of 10 N/m", "Hz", printed("0.8717"), frequency(10.0)),
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
    ];
    let theory = |value: f64| Expected::Theory { value, tolerance: 2e-14 * value.abs() };
    let (mut positions, mut accelerations, mut forces) = (Vec::new(), Vec::new(), Vec::new());
    for rho in RHO {
        let name = format!("generalized-α, ρ∞ = {rho}");
        let family = NewmarkFamily::generalized_alpha(rho);
        let samples = motion(&model, &*generalized_alpha(rho)?, h, 400, true)?;

        let expected = expected_accelerations(&family, samples.len());
        let difference = largest(samples.iter().zip(&expected).map(|(sample, a)| sample.third[2] - a));
        let what = format!("difference of the acceleration of mass 3 to its closed form, {name}");
        claims.push(Claim::new(
            what,
            "m/s^2",
            at_most(1e-14, Origin::Rounding("of accelerations of 10 m/s²")),
            difference,
        ));
        let velocity = largest(samples.iter().map(|sample| sample.third[1]));
        claims.push(Claim::new(
            format!("velocity of mass 3, {name}"),
            "m/s",
            at_most(2e-16, Origin::Rounding("of velocities that cancel")),
            velocity,
        ));
        // The positions sum up h² (½ − β) A₀ + h² β A₁ with A a geometric sequence.
        let spread = (1.0 - rho) / (1.0 + rho);
        let offset = -h * h * GRAVITY * spread * spread / 4.0;
        let last = samples.last().map_or(f64::NAN, |sample| sample.third[0]);
        let what = format!("constant position error of mass 3, −Δt² γ ((1 − ρ∞)/(1 + ρ∞))²/4, {name}");
        if rho < 1.0 {
            claims.push(Claim::new(what, "m", theory(offset), last).in_words("a constant position error"));
            let drift = acceleration_level_velocity(&*generalized_alpha(rho)?, h)?;
            let what = format!("velocity of mass 3 with the constraint on accelerations, Δt γ/2, {name}");
            let claim = Claim::new(what, "m/s", theory(0.5 * h * GRAVITY), drift);
            claims.push(claim.in_words("a constant residual velocity"));
        } else {
            let swing = samples.last().map_or(f64::NAN, |sample| sample.third[2].abs());
            let what = format!("acceleration of mass 3 after 400 steps, {name}");
            claims.push(Claim::new(what, "m/s^2", theory(GRAVITY), swing).in_words("an oscillatory behavior"));
        }
        let at = |k: usize| h * (k + 1) as f64;
        let shown = || samples[..60].iter().enumerate();
        positions.push(Curve::new(&*name, Style::Line, shown().map(|(k, s)| (at(k), s.third[0])).collect()));
        accelerations.push(Curve::new(&*name, Style::Line, shown().map(|(k, s)| (at(k), s.third[2])).collect()));
        forces.push(Curve::new(name, Style::Line, shown().map(|(k, s)| (at(k), s.force)).collect()));
    }
    for (name, key) in [("Bathe", "bathe"), ("ED-α, ρ∞ = 0", "ed_alpha")] {
        let scheme = schemes::by_name(key, if key == "ed_alpha" { &[("rho_infinity", 0.0)] } else { &[] })?;
        let samples = motion(&model, &*scheme, h, 400, true)?;
        for (k, (what, unit)) in [("position", "m"), ("velocity", "m/s"), ("acceleration", "m/s^2")].iter().enumerate()
        {
            let value = largest(samples.iter().map(|sample| sample.third[k]));
            claims.push(
                Claim::new(
                    format!("{what} of mass 3, {name}"),
                    unit,
                    at_most(1e-14, Origin::Rounding("of coordinates near zero")),
                    value,
                )
                .in_words("the unsymmetrical structure helps to improve the contact force"),
            );
        }
    }
    let what = "velocity of mass 3 with the constraint on accelerations, Δt γ/3, Bathe";
    let residual = acceleration_level_velocity(&*schemes::by_name("bathe", &[])?, h)?;
    claims.push(Claim::new(what, "m/s", theory(h * GRAVITY / 3.0), residual).in_words("a constant residual velocity"));
    for rho in RHO {
        let samples = motion(&model, &*generalized_alpha(rho)?, h, 400, false)?;
        let residual = largest(samples.iter().flat_map(|sample| sample.third));
        claims.push(Claim::new(
            format!("position, velocity and acceleration of mass 3 from a consistent start, generalized-α, ρ∞ = {rho}"),
            "1",
            at_most(1e-14, Origin::Rounding("of coordinates near zero")),
            residual,
        ));
    }
    let figure = |slug: &str, title: &str, label: &str, unit: &'static str, curves| Figure {
        slug: slug.into(),
        title: title.into(),
        caption: "Constraint on velocities, start without contact force.".into(),
        x: Axis::linear("time", "s"),
        y: Axis::linear(label, unit),
        curves,
        slopes: Vec::new(),
    };
    let figures = vec![
        figure("fig17_position", "Fig. 17: position of mass 3", "displacement", "m", positions),
        figure("fig17_acceleration", "Fig. 17: acceleration of mass 3", "acceleration", "m/s^2", accelerations),
        figure("fig18", "Fig. 18: contact force", "force", "N", forces),
    ];
    let notes = vec![
        "The effects of Figs. 17 and 18 come from the start's acceleration γ, which lacks the contact force, not from the \
         structure of the schemes: with a consistent one they vanish."
            .into(),
    ];
    Ok(Report { claims, figures, notes, ..Report::default() })
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

/// v of mass 3 after many steps with the constraint on its acceleration: the force of the constraint cancels all others,
/// so that the mass is free but for the start's acceleration, which lacks that force.
fn acceleration_level_velocity(scheme: &dyn Scheme, h: f64) -> Result<f64, StepError> {
    let model = HeldMass::default();
    let mut initial = hamel::initial_state(&model)?;
    initial.a[0] = GRAVITY;
    let mut stepper = scheme.start_with(&model, initial, &Options::default())?;
    for _ in 0..400 {
        stepper.step(h)?;
    }
    Ok(stepper.state().v[0])
}
