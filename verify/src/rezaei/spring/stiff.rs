//! The support as a stiff spring. [rezaei, Figs. 15, 16]

use hamel::linear_analysis::Oscillator;
use hamel::scheme::StepError;
use hamel::tables::{self, NewmarkFamily};
use hamel::{ConstraintLevel, Scheme, schemes};
use hamel_models::three_mass_oscillator::{ThreeMassOscillator, ThreeMassOscillatorParameters};
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Report, Style, at_most, independent, printed};
use nalgebra::{DMatrix, DVector, Matrix3, SymmetricEigen, Vector3};

use super::{GRAVITY, QUANTITIES, Sample, Start, figure, generalized_alpha, motion};
use crate::convergence::largest;
use crate::linear::table;

/// Spring of the support, N/m.
const SUPPORT: f64 = 1e7;
/// Step size, s.
const STIFF_STEP: f64 = 1e-3;
/// What Fig. 15 shows: quantity and mass.
const SHOWN: [(usize, usize); 6] = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)];

/// A scheme, and what a step of it makes of an oscillator of the stiff mode's frequency.
struct Member {
    name: &'static str,
    scheme: Box<dyn Scheme>,
    amplification: DMatrix<f64>,
}

fn members(frequency: f64) -> Result<[Member; 4], StepError> {
    let oscillator = Oscillator::undamped(std::f64::consts::TAU * frequency * STIFF_STEP);
    let generalized = |name, rho| {
        let amplification = NewmarkFamily::generalized_alpha(rho).amplification(oscillator);
        Ok::<_, StepError>(Member { name, scheme: generalized_alpha(rho)?, amplification })
    };
    let ed_alpha = table("ED-α", tables::ed_alpha(0.0, 1.0 / 6.0))?;
    Ok([
        generalized("generalized-α, ρ∞ = 0.8", 0.8)?,
        generalized("generalized-α, ρ∞ = 0", 0.0)?,
        Member {
            name: "Bathe",
            scheme: schemes::by_name("bathe", &[])?,
            amplification: tables::bathe().amplification(oscillator),
        },
        Member {
            name: "ED-α, ρ∞ = 0",
            scheme: schemes::by_name("ed_alpha", &[("rho_infinity", 0.0)])?,
            amplification: ed_alpha.amplification(oscillator),
        },
    ])
}

/// The stiff mode: its shape, and its coordinate where it would rest.
struct StiffMode {
    shape: Vector3<f64>,
    still: f64,
}

impl StiffMode {
    fn new(stiffness: f64) -> Self {
        let SymmetricEigen { eigenvalues, eigenvectors } = modes(stiffness);
        let index = eigenvalues.imax();
        let shape = eigenvectors.column(index).into_owned();
        Self { still: GRAVITY * shape.sum() / eigenvalues[index], shape }
    }

    /// How far it is from rest, beside where it began.
    fn distance(&self, sample: &Sample) -> f64 {
        self.shape.dot(&Vector3::from(sample.motion[0])) / self.still - 1.0
    }
}

/// The same by powers of the amplification matrix, whose state is (q, Δt v) or (q, Δt v, Δt² a).
fn powers(amplification: &DMatrix<f64>, frequency: f64, steps: usize) -> Vec<f64> {
    let omega = std::f64::consts::TAU * frequency * STIFF_STEP;
    let start = [-1.0, 0.0, omega * omega];
    let mut state = DVector::from_column_slice(&start[..amplification.nrows()]);
    let next = |_| {
        state = amplification * &state;
        state[0]
    };
    (0..steps).map(next).collect()
}

/// Angular frequencies and modes of unit masses.
fn modes(stiffness: f64) -> SymmetricEigen<f64, nalgebra::U3> {
    let k = stiffness;
    SymmetricEigen::new(Matrix3::new(2.0 * k, -k, 0.0, -k, 2.0 * k, -k, 0.0, -k, k + SUPPORT))
}

fn highest_frequency(eigenvalues: impl Iterator<Item = f64>) -> f64 {
    eigenvalues.fold(0.0, f64::max).sqrt() / std::f64::consts::TAU
}

/// Displacements, velocities and accelerations at t after a start at rest without load of the springs.
fn exact(stiffness: f64, t: f64) -> [Vector3<f64>; 3] {
    let SymmetricEigen { eigenvalues, eigenvectors } = modes(stiffness);
    let load = eigenvectors.transpose() * Vector3::repeat(GRAVITY);
    let parts: [fn(f64, f64) -> f64; 3] =
        [|w, t| (1.0 - (w * t).cos()) / (w * w), |w, t| (w * t).sin() / w, |w, t| (w * t).cos()];
    parts.map(|part| eigenvectors * load.zip_map(&eigenvalues, |load, square| load * part(square.sqrt(), t)))
}

pub(in super::super) fn stiff() -> Result<Report, StepError> {
    let model = ThreeMassOscillator::new(ThreeMassOscillatorParameters::default());
    let stiffness = 1.0;
    let stiff_mode = StiffMode::new(stiffness);
    let steps = (20.0 / STIFF_STEP).round() as usize;
    let frequency = highest_frequency(modes(stiffness).eigenvalues.iter().copied());
    let mut claims = vec![Claim::new("highest frequency", "Hz", printed("503.3"), frequency)];
    // From an independent computation.
    let errors = ["1.5756e-5", "8.2052e-5", "7.463e-6", "1.111e-9"];
    let mut measured_errors = Vec::new();
    let (mut slow, mut fast) = (SHOWN.map(|_| Vec::new()), Vec::new());
    for (Member { name, scheme, amplification }, error) in members(frequency)?.into_iter().zip(errors) {
        let samples = motion(&model, &*scheme, ConstraintLevel::Position, (STIFF_STEP, steps), Start::Free)?;
        let found: Vec<f64> = samples.iter().map(|sample| stiff_mode.distance(sample)).collect();
        let expected = powers(&amplification, frequency, found.len());
        let (range, words) = match name {
            name if name.ends_with("0.8") => (90..100, "able to represent the high frequency vibration"),
            _ => (50..60, "damp out this high frequency mode in a few time steps"),
        };
        let amplitude = |values: &[f64]| largest(values[range.clone()].iter().copied());
        claims.push(
            Claim::new(
                format!("amplitude of the stiff mode after {} to {} steps, {name}", range.start, range.end),
                "1",
                Expected::Theory { value: amplitude(&expected), tolerance: 1e-14 },
                amplitude(&found),
            )
            .in_words(words),
        );
        let last = samples.last().map_or(f64::NAN, |sample| sample.motion[0][0]);
        let measured = (last - exact(stiffness, 20.0)[0][0]).abs();
        measured_errors.push(measured);
        claims.push(Claim::new(format!("error of mass 1 at 20 s, {name}"), "m", independent(error), measured));
        for (curves, (quantity, mass)) in slow.iter_mut().zip(SHOWN) {
            let every_fiftieth = samples.iter().step_by(50);
            let points = every_fiftieth.map(|sample| (sample.t, sample.motion[quantity][mass])).collect();
            curves.push(Curve::new(name, Style::Line, points));
        }
        let third = samples[..60].iter().map(|sample| (1e3 * sample.t, 1e6 * sample.third()[0])).collect();
        fast.push(Curve::new(name, Style::LineAndMarkers, third));
    }
    for (curves, (quantity, mass)) in slow.iter_mut().zip(SHOWN) {
        let times = (0..=400_u32).map(|k| 0.05 * f64::from(k));
        let points = times.map(|t| (t, exact(stiffness, t)[quantity][mass])).collect();
        curves.push(Curve::new("exact", Style::Dashed, points));
    }
    let times = || (0..=600_u32).map(|k| 1e-4 * f64::from(k));
    fast.push(Curve::new(
        "exact",
        Style::Dashed,
        times().map(|t| (1e3 * t, 1e6 * exact(stiffness, t)[0][2])).collect(),
    ));
    let others = measured_errors[..3].iter().copied().fold(f64::INFINITY, f64::min);
    let what = "error of mass 1 at 20 s, ED-α, of the smallest of the others";
    let claim = Claim::new(what, "1", at_most(1.0, Origin::Source), measured_errors[3] / others);
    claims.push(claim.in_words("phase shift due to numerical integration which is minimum for the ED-α method"));
    let mut figures: Vec<Figure> = slow
        .into_iter()
        .zip(SHOWN)
        .map(|(curves, (quantity, mass))| {
            let (label, letter, unit) = QUANTITIES[quantity];
            let number = mass + 1;
            let title = format!("Fig. 15: {label} of mass {number}, stiff support");
            figure(format!("fig15_{letter}{number}"), title, label, unit, curves)
        })
        .collect();
    let title = "Fig. 16: displacement of mass 3, stiff support".to_owned();
    figures.push(Figure {
        x: Axis::linear("time", "ms"),
        ..figure("fig16".to_owned(), title, "displacement", "µm", fast)
    });
    let notes = vec!["Start at rest with springs without load; Δt = 10⁻³ s.".into()];
    Ok(Report { claims, figures, notes, ..Report::default() })
}
