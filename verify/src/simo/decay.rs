//! Decay tests of bodies in water: what is measured on a release, against roots of the linear equations and against the
//! closed form of quadratic drag. [simo, Sect. 3, for the form of the equations]

use hamel::model::{Model, State};
use hamel::scheme::StepError;
use hamel::{consistent_acceleration, initial_state, schemes};
use hamel_models::floating_body::{FloatingBodyParameters, MooredShipParameters};
use hamel_models::{FloatingBody, MooredShip};
use hamel_report::{Axis, Cell, Claim, Column, Curve, Expected, Figure, Origin, Report, Style, Table, at_most};
use nalgebra::{Complex, DMatrix, DVector, Matrix3, Vector3};

use crate::convergence::largest;
use crate::motion::{self, Grid};
use crate::origins::STEP_ERROR;

/// Steps in a period, and periods in a motion.
const STEPS: f64 = 500.0;
const PERIODS: f64 = 4.0;

/// Decay of a moored ship, of heave with memory, and of the speed under quadratic drag.
pub(super) fn run() -> Result<Report, StepError> {
    let mut report = Report::default();
    let mut rows = Vec::new();
    let mut curves = Vec::new();
    let ship = moored_ship()?;
    let floating = floating_body();
    let cases = [
        ("surge of the moored ship", &ship.0 as &dyn Model, &ship.1, 0),
        ("heave of the moored ship", &ship.0, &ship.1, 2),
        ("roll of the moored ship", &ship.0, &ship.1, 3),
        ("heave with memory", &floating, &heave_with_memory(), 0),
    ];
    for (name, model, linear, coordinate) in cases {
        let root = linear.mode(coordinate)?;
        let decay = release(model, linear, &root, coordinate)?;
        let (period, decrement) =
            (std::f64::consts::TAU / root.value.im, -std::f64::consts::TAU * root.value.re / root.value.im);
        let claim = |what: &str, unit, value: f64, measured| {
            Claim::new(format!("{name}: {what}"), unit, Expected::Theory { value, tolerance: 1e-8 * value }, measured)
        };
        report.claims.push(claim("period", "s", period, decay.period));
        report.claims.push(claim("logarithmic decrement", "1", decrement, decay.decrement));
        rows.push(vec![
            name.into(),
            Cell::number(period, 7),
            Cell::number(decay.period, 7),
            Cell::number(decrement, 6),
            Cell::number(decay.decrement, 6),
        ]);
        curves.push(Curve::new(name, Style::Line, decay.samples.iter().map(|(t, q)| (t / period, *q)).collect()));
    }
    report.tables.push(Table {
        slug: "decrements".into(),
        title: "Periods and logarithmic decrements".into(),
        columns: vec![
            Column::text("motion"),
            Column::new("period, root", "s"),
            Column::new("measured", "s"),
            Column::new("decrement, root", "1"),
            Column::new("measured", "1"),
        ],
        rows,
    });
    report.figures.push(Figure {
        slug: "decay".into(),
        title: "Decay tests".into(),
        caption: "Each in its mode, over its period.".into(),
        x: Axis::linear("t/T", "1"),
        y: Axis::linear("displacement by the first", "1"),
        curves,
        slopes: Vec::new(),
    });
    released_from_rest(&mut report)?;
    coasting(&mut report)?;
    report.notes.push("Amplitudes of 10⁻⁶ m or rad for the ship, whose equations are not linear; heave with memory is linear at any amplitude.".into());
    Ok(report)
}

/// ẋ = S x, with the coordinates first, then their rates, then what the water remembers.
struct Linear {
    matrix: DMatrix<f64>,
    /// Mass of each coordinate, which says to whom a mode belongs.
    masses: Vec<f64>,
    /// Places in q and v of the coordinates, and in v of what remembers.
    coordinates: Vec<usize>,
    memory: Vec<usize>,
    amplitude: f64,
}

/// A root of the characteristic polynomial, and how the state moves with it.
struct Root {
    value: Complex<f64>,
    mode: DVector<Complex<f64>>,
}

impl Linear {
    /// The oscillation that has most of its kinetic energy in a coordinate; of several the least damped.
    fn mode(&self, coordinate: usize) -> Result<Root, StepError> {
        let complex = self.matrix.map(|entry| Complex::new(entry, 0.0));
        let n = self.matrix.nrows();
        let share = |mode: &DVector<Complex<f64>>| {
            let parts: Vec<f64> = self.masses.iter().zip(mode.iter()).map(|(m, x)| m * x.norm_sqr()).collect();
            parts[coordinate] / parts.iter().sum::<f64>()
        };
        let all = self.matrix.complex_eigenvalues();
        let roots = all.iter().copied().filter(|root| root.im > 1e-9).filter_map(|value| {
            let singular = &complex - DMatrix::identity(n, n) * value;
            let mode = singular.svd(false, true).v_t?.row(n - 1).adjoint();
            // Seen from this coordinate, which starts at its amplitude.
            let mode = &mode * (Complex::new(self.amplitude, 0.0) / mode[coordinate]);
            Some(Root { value, mode })
        });
        let order =
            |a: &Root, b: &Root| share(&a.mode).total_cmp(&share(&b.mode)).then(a.value.re.total_cmp(&b.value.re));
        roots.max_by(order).ok_or(StepError::Inconsistent {
            model: "decay test".to_owned(),
            reason: "no root oscillates".into(),
            residual: 0.0,
        })
    }

    /// A state of the model from that of the linear equations.
    fn place(&self, x: &[f64], state: &mut State) {
        let n = self.coordinates.len();
        for (i, &place) in self.coordinates.iter().enumerate() {
            (state.q[place], state.v[place]) = (x[i], x[n + i]);
        }
        for (i, &place) in self.memory.iter().enumerate() {
            state.v[place] = x[2 * n + i];
        }
    }
}

/// A start from rest, but for what is placed.
fn at_rest(model: &dyn Model) -> Result<State, StepError> {
    let mut state = initial_state(model)?;
    state.q.fill(0.0);
    state.v.fill(0.0);
    Ok(state)
}

/// What a decay test gives.
struct Decay {
    period: f64,
    decrement: f64,
    /// Time and displacement by the first.
    samples: Vec<(f64, f64)>,
}

/// Releases a model in a mode and measures the times and heights of its maxima.
fn release(model: &dyn Model, linear: &Linear, root: &Root, coordinate: usize) -> Result<Decay, StepError> {
    let mut state = at_rest(model)?;
    linear.place(root.mode.map(|x| x.re).as_slice(), &mut state);
    consistent_acceleration(model, &mut state)?;
    let period = std::f64::consts::TAU / root.value.im;
    let place = linear.coordinates[coordinate];
    let grid = Grid::new(period / STEPS, PERIODS * period);
    let samples =
        motion::observe(model, &schemes::RungeKutta, state, grid, |state| (state.t, state.q[place], state.v[place]))
            .complete()?;
    let maxima: Vec<(f64, f64)> = samples
        .windows(2)
        .filter(|pair| pair[0].2 > 0.0 && pair[1].2 <= 0.0)
        .map(|pair| {
            // Between two samples the velocity is a line, and the displacement its integral.
            let ((t0, q0, v0), (t1, _, v1)) = (pair[0], pair[1]);
            let part = v0 / (v0 - v1);
            (t0 + part * (t1 - t0), q0 + 0.5 * v0 * part * (t1 - t0))
        })
        .collect();
    let (first, last) = (maxima.first().copied(), maxima.last().copied());
    let ((t0, q0), (t1, q1)) = first.zip(last).unwrap_or(((f64::NAN, f64::NAN), (f64::NAN, f64::NAN)));
    let count = maxima.len() as f64 - 1.0;
    Ok(Decay {
        period: (t1 - t0) / count,
        decrement: (q0 / q1).ln() / count,
        samples: samples.iter().map(|(t, q, _)| (*t, q / samples[0].1)).collect(),
    })
}

/// The moored ship without waves, and its linear equations with the matrices of its data.
fn moored_ship() -> Result<(MooredShip, Linear), StepError> {
    let model = MooredShip::new(MooredShipParameters { forces: [0.0; 3], moments: [0.0; 3] });
    let mass = 100_410_025.0_f64;
    let center = Vector3::new(0.788631, 0.0, -1.0);
    let inertia = Matrix3::from_diagonal(&Vector3::new(26_677_939_542.25, 292_795_632_900.0, 292_795_632_900.0));
    let coupling = Matrix3::new(0.0, 335_434_735.0, 0.0, 23_377_385.125, 0.0, 34_801_983.875, 0.0, -35_148_418.5, 0.0);
    let linear_part = Matrix3::from_diagonal_element(mass)
        + Matrix3::new(3_044_906.0, 0.0, 2_313_250.237_5, 0.0, 21_239_681.0, 0.0, 2_313_250.237_5, 0.0, 172_828_222.5);
    let angular_part = inertia
        + Matrix3::new(
            9_516_484_375.0,
            0.0,
            223_405_873.75,
            0.0,
            391_536_777_500.0,
            0.0,
            223_405_873.75,
            0.0,
            54_616_879_000.0,
        );
    let mixed: Matrix3<f64> = coupling - center.cross_matrix() * mass;
    let mut m = DMatrix::zeros(6, 6);
    m.view_mut((0, 0), (3, 3)).copy_from(&linear_part);
    m.view_mut((0, 3), (3, 3)).copy_from(&mixed);
    m.view_mut((3, 0), (3, 3)).copy_from(&mixed.transpose());
    m.view_mut((3, 3), (3, 3)).copy_from(&angular_part);
    let damping = DMatrix::from_diagonal(&DVector::from_column_slice(&[2e5, 6e5, 6e7, 6e8, 45e9, 5e9]));
    let stiffness = [4e5, 4e5, 83_626_497.675, 7_834_749_142.5, 247_660_807_500.0, 2e9];
    let mut stiffness = DMatrix::from_diagonal(&DVector::from_column_slice(&stiffness));
    (stiffness[(2, 4)], stiffness[(4, 2)]) = (78_054_883.65, 78_054_883.65);
    let singular =
        || StepError::Inconsistent { model: "MooredShip".to_owned(), reason: "M is singular".into(), residual: 0.0 };
    let inverse = m.clone().try_inverse().ok_or_else(singular)?;
    let mut matrix = DMatrix::zeros(12, 12);
    matrix.view_mut((0, 6), (6, 6)).fill_with_identity();
    matrix.view_mut((6, 0), (6, 6)).copy_from(&(-&inverse * stiffness));
    matrix.view_mut((6, 6), (6, 6)).copy_from(&(-&inverse * damping));
    let masses = m.diagonal().as_slice().to_vec();
    Ok((model, Linear { matrix, masses, coordinates: (0..6).collect(), memory: Vec::new(), amplitude: 1e-6 }))
}

/// The barge in still water, its centre of mass where the added mass leaves heave and surge to themselves.
fn floating_body() -> FloatingBody {
    FloatingBody::new(FloatingBodyParameters {
        center_of_mass: [-0.3, 0.0, 0.15],
        current: [0.0; 3],
        ..Default::default()
    })
}

/// `(m + A₃₃) z̈ + ∫ K(t − τ) ż(τ) dτ + c z = 0` with K = k e^(−a t) cos(b t), as four equations of first order.
fn heave_with_memory() -> Linear {
    let p = FloatingBodyParameters::default();
    let mass = p.mass + 2.4e6;
    #[rustfmt::skip]
    let matrix = DMatrix::from_row_slice(4, 4, &[
        0.0,                    1.0,       0.0,         0.0,
        -p.waterplane / mass,   0.0,       -1.0 / mass, 0.0,
        0.0,                    p.memory,  -p.decay,    -p.swing,
        0.0,                    0.0,       p.swing,     -p.decay,
    ]);
    let model = FloatingBody::default();
    let info = model.describe();
    let memory = ["radiation", "echo"]
        .iter()
        .filter_map(|name| info.velocities.iter().position(|velocity| velocity.name == *name));
    Linear { matrix, masses: vec![mass], coordinates: vec![2], memory: memory.collect(), amplitude: 0.5 }
}

/// Heave from rest, when the water has nothing to remember yet, against the exponential of its matrix.
fn released_from_rest(report: &mut Report) -> Result<(), StepError> {
    let (model, linear) = (floating_body(), heave_with_memory());
    let start = DVector::from_vec(vec![linear.amplitude, 0.0, 0.0, 0.0]);
    let mut state = at_rest(&model)?;
    linear.place(start.as_slice(), &mut state);
    consistent_acceleration(&model, &mut state)?;
    let grid = Grid::new(5e-3, 20.0).sampled(200);
    let samples =
        motion::observe(&model, &schemes::RungeKutta, state, grid, |state| (state.t, state.q[2])).complete()?;
    let exact: Vec<f64> = samples.iter().map(|(t, _)| ((&linear.matrix * *t).exp() * &start)[0]).collect();
    let off = largest(samples.iter().zip(&exact).map(|((_, z), exact)| z - exact));
    report.claims.push(Claim::new(
        "heave with memory released from rest, against the matrix exponential, of the amplitude",
        "1",
        at_most(1e-8, STEP_ERROR),
        off / linear.amplitude,
    ));
    Ok(())
}

/// Surge under quadratic drag: u = u₀/(1 + κ t), x = u₀ ln(1 + κ t)/κ with κ = c u₀/(m + A₁₁); what the drag takes is what
/// the kinetic energy loses.
fn coasting(report: &mut Report) -> Result<(), StepError> {
    const DRAG: f64 = 6e3;
    let (model, speed) = (floating_body(), 2.0);
    let mass = FloatingBodyParameters::default().mass + 2e5;
    let mut state = at_rest(&model)?;
    state.v[0] = speed;
    consistent_acceleration(&model, &mut state)?;
    let rate = DRAG * speed / mass;
    let grid = Grid::new(0.1, 600.0).sampled(100);
    let samples = motion::observe(&model, &schemes::RungeKutta, state, grid, |state| {
        (state.t, state.q[0], state.v[0], model.energy(state.t, state.q.as_slice(), state.v.as_slice()).kinetic)
    })
    .complete()?;
    let (x, u) = (|t: f64| speed * (1.0 + rate * t).ln() / rate, |t: f64| speed / (1.0 + rate * t));
    let off = largest(
        samples
            .iter()
            .flat_map(|(t, place, velocity, _)| [place / x(600.0) - x(*t) / x(600.0), (velocity - u(*t)) / speed]),
    );
    let energy = |t: f64| 0.5 * mass * u(t).powi(2);
    let lost = largest(samples.iter().map(|(t, _, _, kinetic)| (kinetic - energy(*t)) / energy(0.0)));
    report.claims.extend([
        Claim::new(
            "surge under quadratic drag, against the closed form, relative",
            "1",
            at_most(5e-13, Origin::Rounding("of 1200 steps")),
            off,
        ),
        Claim::new("its kinetic energy, relative", "1", at_most(1e-13, Origin::Rounding("of 1200 steps")), lost),
    ]);
    let closed_form = (0..=120).map(|k| 5.0 * f64::from(k)).map(|t| (t, u(t))).collect();
    let found = samples.iter().step_by(10).map(|(t, _, velocity, _)| (*t, *velocity)).collect();
    report.figures.push(Figure {
        slug: "coasting".into(),
        title: "Surge under quadratic drag".into(),
        caption: "The barge from 2 m/s in still water.".into(),
        x: Axis::linear("t", "s"),
        y: Axis::linear("u", "m/s"),
        curves: vec![Curve::new("closed form", Style::Line, closed_form), Curve::new("model", Style::Markers, found)],
        slopes: Vec::new(),
    });
    Ok(())
}
