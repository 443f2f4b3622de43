//! Bodies in water that move: what the chapter says of ideal fluids, by compiled models. [simo, Sects. 1, 3, 4]

use hamel::configuration::velocity_map_apply;
use hamel::marine::{Coriolis, rigid_body_mass_matrix};
use hamel::model::{Model, State};
use hamel::scheme::StepError;
use hamel::{consistent_acceleration, initial_state, schemes};
use hamel_models::ellipsoid::EllipsoidParameters;
use hamel_models::otter::OtterParameters;
use hamel_models::{Ellipsoid, MooredShip, Otter};
use hamel_report::{Axis, Claim, Curve, Expected, Figure, Origin, Proof, Report, Style, at_most};
use nalgebra::{Matrix3, Matrix6, Rotation3, Vector3, Vector6};

use crate::convergence::{Convergence, largest, table};
use crate::motion::{self, Grid};
use crate::origins::STEP_ERROR;

/// Positions, and velocities and angular velocities in body axes, of the free ellipsoid with axes of 3, 2 and 1 m, by an
/// independent program with 34 digits and a tolerance of 10⁻²⁷.
const SWIMMING: [(f64, [f64; 3], [f64; 3], [f64; 3]); 5] = [
    (
        5.0,
        [4.958125764623205, 6.602820979648699e-1, -4.7759982897723763e-1],
        [9.212681129742159e-1, -3.510168821021996e-1, 5.296448492220571e-2],
        [4.15599075857163e-2, 5.207270791029098e-2, 1.334570678301408e-1],
    ),
    (
        10.0,
        [8.930143349922558, 1.442696544010728, -1.519652539690413],
        [1.694600174711097e-2, -1.661649821146292e-1, 4.984514537277707e-1],
        [4.872004055536386e-1, 2.834861792405736e-1, 7.078961133946914e-2],
    ),
    (
        20.0,
        [1.690453323403419e1, 1.470370754330116, -2.599226192697951],
        [-2.483421650958278e-1, -3.10429298595958e-1, -4.582948527189064e-1],
        [1.83290930543625e-1, 3.370128094057255e-1, -1.964528096358803e-1],
    ),
    (
        30.0,
        [2.528990590112432e1, 2.064757906186778, -2.264460796722368],
        [2.442578569966964e-1, 8.063376782303989e-1, 1.601071695802487e-1],
        [-2.103695319198675e-1, 8.984847438144326e-2, -2.206853568852668e-1],
    ),
    (
        40.0,
        [3.234971749210192e1, 3.014277770584892, -3.715077694989457],
        [5.792147671597221e-2, 2.980461193093752e-1, -4.766978010171839e-1],
        [-6.180289443704605e-1, 1.200426711891921e-1, 2.725254544542127e-2],
    ),
];

/// Force and moment of steady streams, and Kirchhoff's motion of a free ellipsoid.
pub(super) fn ideal_fluid() -> Result<Report, StepError> {
    let mut report = Report::default();
    steady_streams(&mut report)?;
    free_ellipsoid(&mut report)?;
    Ok(report)
}

/// A spheroid of 3 and 1 m at 2 m/s, at all angles to its course.
fn steady_streams(report: &mut Report) -> Result<(), StepError> {
    const SPEED: f64 = 2.0;
    let alpha = [0.21741893010517288, 0.8912905349474136, 0.8912905349474136];
    let model = Ellipsoid::new(EllipsoidParameters { axes: [3.0, 1.0, 1.0], alpha, ..Default::default() });
    let state = initial_state(&model)?;
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 3.0 * 1000.0;
    let [along, across] = [alpha[0], alpha[2]].map(|alpha| mass * alpha / (2.0 - alpha));
    let closed_form = |angle: f64| (across - along) * SPEED.powi(2) * angle.sin() * angle.cos();
    let measured: Vec<(f64, [f64; 6])> = (0..=18)
        .map(|k| {
            let angle = (5.0 * f64::from(k)).to_radians();
            let v = [SPEED * angle.cos(), 0.0, SPEED * angle.sin(), 0.0, 0.0, 0.0];
            let mut bias = [0.0; 6];
            model.bias_force(state.q.as_slice(), &v, &mut bias);
            (angle, bias.map(|h| -h))
        })
        .collect();
    let greatest = closed_form(std::f64::consts::FRAC_PI_4);
    let force = largest(measured.iter().flat_map(|(_, f)| [f[0], f[1], f[2]]));
    let off = largest(measured.iter().flat_map(|(angle, f)| [f[3], f[4] - closed_form(*angle), f[5]]));
    report.claims.extend([
        Claim::new(
            "largest force at constant velocity",
            "N",
            at_most(0.0, Origin::Theory("every term of the force has a factor of ω")),
            force,
        )
        .in_words("d'Alembert: no force on a body that moves with constant velocity without rotating"),
        Claim::new(
            "moment against (A₃₃ − A₁₁) U² sin α cos α, of the largest",
            "1",
            at_most(2e-15, Origin::Rounding("of a product of velocities")),
            off / greatest,
        )
        .in_words("a moment will exist"),
    ]);
    let degrees = |angle: f64| angle.to_degrees();
    report.figures.push(Figure {
        slug: "munk_moment".into(),
        title: "Moment of a steady stream on a spheroid".into(),
        caption: "Axes of 3 and 1 m, 2 m/s; the force is zero at all angles.".into(),
        x: Axis::linear("α", "°"),
        y: Axis::linear("moment", "N m"),
        curves: vec![
            Curve::new(
                "closed form",
                Style::Line,
                (0..=90).map(|k| (f64::from(k), closed_form(f64::from(k).to_radians()))).collect(),
            ),
            Curve::new("model", Style::Markers, measured.iter().map(|(angle, f)| (degrees(*angle), f[4])).collect()),
        ],
        slopes: Vec::new(),
    });
    Ok(())
}

fn free_ellipsoid(report: &mut Report) -> Result<(), StepError> {
    const STEP: f64 = 2.5e-3;
    let model = Ellipsoid::default();
    let start = initial_state(&model)?;
    let grid = Grid::new(STEP, 40.0).sampled(400);
    let observed = motion::observe(&model, &schemes::RungeKutta, start, grid, |state| {
        let [momentum, about] =
            ["momentum", "angular_momentum"].map(|name| Vector3::from(motion::output::<3>(&model, name, state)));
        let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
        let [v, w] = ["velocity", "omega"].map(|name| motion::output::<3>(&model, name, state));
        (state.t, [state.q[0], state.q[1], state.q[2]], v, w, momentum, about, energy)
    })
    .complete()?;
    let off = largest(SWIMMING.iter().flat_map(|(t, position, v, w)| {
        let sample = &observed[(t / grid.interval()).round() as usize];
        let difference = |a: &[f64; 3], b: &[f64; 3]| largest((0..3).map(|i| a[i] - b[i]));
        [difference(&sample.1, position), difference(&sample.2, v), difference(&sample.3, w)]
    }));
    let first = &observed[0];
    let drift = |of: &dyn Fn(usize) -> f64| largest((0..observed.len()).map(of));
    let linear = drift(&|k| (observed[k].4 - first.4).norm() / first.4.norm());
    let angular = drift(&|k| (observed[k].5 - first.5).norm() / first.5.norm());
    let energy = drift(&|k| observed[k].6 / first.6 - 1.0);
    report.claims.extend([
        Claim::new("free ellipsoid for 40 s, against 34 digits", "1", at_most(1e-8, STEP_ERROR), off),
        Claim::new(
            "momentum of body and water in ground axes, relative drift",
            "1",
            at_most(1e-12, STEP_ERROR),
            linear,
        ),
        Claim::new("their angular momentum, relative drift", "1", at_most(1e-10, STEP_ERROR), angular),
        Claim::new("their energy, relative drift", "1", at_most(4e-13, STEP_ERROR), energy),
    ]);
    let curve = |name, i: usize| Curve::new(name, Style::Line, observed.iter().map(|s| (s.0, s.3[i])).collect());
    let reference = |i: usize| SWIMMING.iter().map(|&(t, _, _, w)| (t, w[i])).collect::<Vec<_>>();
    let all = (0..3).flat_map(reference).collect();
    report.figures.push(Figure {
        slug: "kirchhoff".into(),
        title: "A free ellipsoid in an ideal fluid".into(),
        caption: "Axes of 3, 2 and 1 m, neutrally buoyant; angular velocity in body axes.".into(),
        x: Axis::linear("t", "s"),
        y: Axis::linear("ω", "rad/s"),
        curves: vec![curve("ω₁", 0), curve("ω₂", 1), curve("ω₃", 2), Curve::new("34 digits", Style::Markers, all)],
        slopes: Vec::new(),
    });
    Ok(())
}

/// The recipe of Sect. 3, the 12 states of [ship] and the compiled model at the same states.
pub(super) fn forms() -> Result<Report, StepError> {
    const STATES: usize = 100;
    let model = Otter::default();
    let parameters = OtterParameters::default();
    let mut state = initial_state(&model)?;
    let (mut kinematics, mut to_ship, mut to_simo) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut rates = Vector6::zeros();
    // A sequence that fills the cube [−1, 1]¹².
    let number = |k: usize, i: usize| 2.0 * ((k + 1) as f64 * (2.0 + i as f64).sqrt()).fract() - 1.0;
    for k in 0..STATES {
        let position = Vector3::from_fn(|i, _| number(k, i));
        let angles = Vector3::from_fn(|i, _| number(k, 3 + i));
        let nu = Vector6::from_fn(|i, _| 2.0 * number(k, 6 + i));
        state.q.rows_mut(0, 3).copy_from(&position);
        state.q.rows_mut(3, 3).copy_from(&angles);
        state.v.copy_from(&nu);
        consistent_acceleration(&model, &mut state)?;
        let compiled = Vector6::from_fn(|i, _| state.a[i]);
        velocity_map_apply(&model.describe().blocks, state.q.as_slice(), nu.as_slice(), rates.as_mut_slice());
        let printed = rates_of_position_and_angles(&angles, &nu);
        kinematics = kinematics.max((rates - printed).amax() / printed.amax());
        let vessel = Vessel::new(&parameters);
        let ship = vessel.by_matrices(&position, &angles, &nu)?;
        let simo = vessel.by_recipe(&position, &angles, &nu)?;
        let size = compiled.amax();
        to_ship = to_ship.max((ship - compiled).amax() / size);
        to_simo = to_simo.max((simo - compiled).amax() / size);
    }
    let claim =
        |what: &str, value| Claim::new(what, "1", at_most(5e-15, Origin::Rounding("of sums of ten terms")), value);
    Ok(Report {
        claims: vec![
            claim("rates of position and angles of the 12 states against the model, relative", kinematics),
            claim("M ν̇ + C(ν) ν = τ of [ship] against the model, relative", to_ship),
            claim("the recipe of [simo, Sect. 3] against the model, relative", to_simo),
        ],
        notes: vec![format!(
            "The Otter with damping and restoring forces with position and angles as coordinates and velocities in the axes of the hull, at {STATES} states; rates of ν."
        )],
        ..Report::default()
    })
}

/// The hull of the Otter by matrices that are written out here.
struct Vessel<'p> {
    parameters: &'p OtterParameters,
    body: Matrix6<f64>,
    water: Matrix6<f64>,
}

impl<'p> Vessel<'p> {
    fn new(parameters: &'p OtterParameters) -> Self {
        let centre = Vector3::from(parameters.center_of_mass);
        let about_centre = Matrix3::from_fn(|i, j| parameters.inertia[i][j]);
        let of_centre = centre.cross_matrix();
        let about_origin = about_centre - parameters.mass * of_centre * of_centre;
        let diagonal = [parameters.added_mass, parameters.added_inertia].concat();
        Self {
            parameters,
            body: rigid_body_mass_matrix(parameters.mass, &centre, &about_origin),
            water: Matrix6::from_diagonal(&Vector6::from_column_slice(&diagonal)),
        }
    }

    /// Damping and restoring.
    fn forces(&self, position: &Vector3<f64>, angles: &Vector3<f64>, nu: &Vector6<f64>) -> Vector6<f64> {
        let p = self.parameters;
        let damping = [p.linear_damping, p.angular_damping].concat();
        let restoring =
            [0.0, 0.0, p.heave_stiffness * position.z, p.roll_stiffness * angles.x, p.pitch_stiffness * angles.y, 0.0];
        Vector6::from_fn(|i, _| -damping[i] * nu[i] - restoring[i])
    }

    /// ν̇ of the state-space form. [ship, kinematics and dynamics together]
    fn by_matrices(
        &self,
        position: &Vector3<f64>,
        angles: &Vector3<f64>,
        nu: &Vector6<f64>,
    ) -> Result<Vector6<f64>, StepError> {
        let mass = self.body + self.water;
        let coriolis = Coriolis::Momenta.matrix(&mass, nu).ok_or_else(no_inertia)?;
        mass.lu().solve(&(self.forces(position, angles, nu) - coriolis * nu)).ok_or_else(no_inertia)
    }

    /// ẍ by the six steps, then the rates of ν that belong to it. [simo, Sect. 3]
    fn by_recipe(
        &self,
        position: &Vector3<f64>,
        angles: &Vector3<f64>,
        nu: &Vector6<f64>,
    ) -> Result<Vector6<f64>, StepError> {
        let lambda = Rotation3::from_euler_angles(angles.x, angles.y, angles.z);
        let to_rates = rates_of_angles(angles);
        let inverse = to_rates.try_inverse().ok_or_else(no_inertia)?;
        let (v, w) = (nu.fixed_rows::<3>(0).into_owned(), nu.fixed_rows::<3>(3).into_owned());
        let (x_rate, angle_rates) = (lambda * v, to_rates * w);
        // Steps 1 and 2.
        let (v, w) = (lambda.inverse() * x_rate, inverse * angle_rates);
        // Steps 3 and 4; B and A of the chapter.
        let nu = Vector6::from_column_slice(&[v.as_slice(), w.as_slice()].concat());
        let momentum = (self.body + self.water) * nu;
        let (p, l) = (momentum.fixed_rows::<3>(0).into_owned(), momentum.fixed_rows::<3>(3).into_owned());
        let gyroscopic = [w.cross(&p), w.cross(&l) + v.cross(&p)];
        let gyroscopic = Vector6::from_column_slice(&[gyroscopic[0].as_slice(), gyroscopic[1].as_slice()].concat());
        let rates = (self.body + self.water)
            .lu()
            .solve(&(self.forces(position, angles, &nu) - gyroscopic))
            .ok_or_else(no_inertia)?;
        let v_dot = rates.fixed_rows::<3>(0).into_owned() + w.cross(&v);
        let w_dot = rates.fixed_rows::<3>(3).into_owned();
        // Steps 5 and 6.
        let acceleration = lambda * v_dot;
        let jacobian = rates_by_angles(angles, &w);
        let angle_accelerations = jacobian * angle_rates + to_rates * w_dot;
        // Back to rates of ν.
        let v_rate = lambda.inverse() * acceleration - w.cross(&v);
        let w_rate = inverse * (angle_accelerations - jacobian * angle_rates);
        Ok(Vector6::from_column_slice(&[v_rate.as_slice(), w_rate.as_slice()].concat()))
    }
}

fn no_inertia() -> StepError {
    StepError::Inconsistent { model: "Otter".to_owned(), reason: "its mass matrix is singular".into(), residual: 0.0 }
}

/// R v and M(γ) ω.
fn rates_of_position_and_angles(angles: &Vector3<f64>, nu: &Vector6<f64>) -> Vector6<f64> {
    let moving = Rotation3::from_euler_angles(angles.x, angles.y, angles.z) * nu.fixed_rows::<3>(0);
    let turning = rates_of_angles(angles) * nu.fixed_rows::<3>(3);
    Vector6::from_column_slice(&[moving.as_slice(), turning.as_slice()].concat())
}

/// M(γ).
fn rates_of_angles(angles: &Vector3<f64>) -> Matrix3<f64> {
    let ((s1, c1), (s2, c2)) = (angles.x.sin_cos(), angles.y.sin_cos());
    let (tangent, secant) = (s2 / c2, c2.recip());
    Matrix3::new(1.0, s1 * tangent, c1 * tangent, 0.0, c1, -s1, 0.0, s1 * secant, c1 * secant)
}

/// ∂f/∂γ.
fn rates_by_angles(angles: &Vector3<f64>, w: &Vector3<f64>) -> Matrix3<f64> {
    let ((s1, c1), (s2, c2)) = (angles.x.sin_cos(), angles.y.sin_cos());
    let (tangent, secant) = (s2 / c2, c2.recip());
    let (across, along) = (w.y * c1 - w.z * s1, w.y * s1 + w.z * c1);
    Matrix3::new(
        across * tangent,
        along * secant * secant,
        0.0,
        -along,
        0.0,
        0.0,
        across * secant,
        along * tangent * secant,
        0.0,
    )
}

/// Orders of the three integrators on a moored ship with added mass, whose coordinates are x = (x, y, z, φ, θ, ψ).
pub(super) fn orders() -> Result<Report, StepError> {
    const DURATION: f64 = 16.0;
    const SAMPLES: usize = 40;
    const STEPS: [f64; 4] = [0.1, 0.05, 0.025, 0.0125];
    let model = MooredShip::default();
    let start = initial_state(&model)?;
    let run = |name: &str, dt: f64| -> Result<Vec<Vec<f64>>, StepError> {
        let scheme = schemes::by_name(name, &[])?;
        let grid = Grid::new(dt, DURATION).sampled(SAMPLES);
        motion::observe(&model, scheme.as_ref(), start.clone(), grid, |state: &State| state.q.as_slice().to_vec())
            .complete()
    };
    let reference = run("runge_kutta", 2.5e-3)?;
    let sizes: Vec<f64> = (0..6).map(|i| largest(reference.iter().map(|q| q[i]))).collect();
    let study = |name: &str| -> Result<Convergence, StepError> {
        let errors = STEPS.map(|dt| {
            let found = run(name, dt)?;
            let pairs = found.iter().zip(&reference);
            Ok((dt, largest(pairs.flat_map(|(a, b)| (0..6).map(|i| (a[i] - b[i]) / sizes[i]).collect::<Vec<_>>()))))
        });
        Ok(Convergence::new(errors.into_iter().collect::<Result<Vec<_>, StepError>>()?))
    };
    let cases = [
        ("modified_euler", "modified Euler", 1.0),
        ("runge_kutta_like", "like Runge and Kutta's, corrected", 2.0),
        ("newmark_predictor_corrector", "predictor and corrector, corrected", 2.0),
    ];
    let studies = cases.map(|(name, _, _)| study(name));
    let studies = studies.into_iter().collect::<Result<Vec<_>, StepError>>()?;
    let printed = study("runge_kutta_like_printed")?;
    let mut claims: Vec<Claim> = cases
        .iter()
        .zip(&studies)
        .map(|((_, title, order), study)| {
            let expected = Expected::Order { order: *order, tolerance: 0.1 };
            Claim::new(format!("order, {title}"), "1", expected, study.last_order())
        })
        .collect();
    claims.push(
        Claim::new(
            "order, like Runge and Kutta's, as printed",
            "1",
            Expected::Order { order: 0.0, tolerance: 0.1 },
            printed.last_order(),
        )
        .refutes(
            "Δx₂ = T (x + 5/12 Δx₁) + ⅓ T² f'",
            Proof::Algebra,
            "Lengths are added to velocities; dots are missing.",
        ),
    );
    let mut named: Vec<(&str, &Convergence)> =
        cases.iter().zip(&studies).map(|((_, title, _), study)| (*title, study)).collect();
    named.push(("as printed", &printed));
    let curves = named.iter().map(|(name, study)| Curve::new(*name, Style::LineAndMarkers, study.points.clone()));
    let figure = Figure {
        slug: "orders".into(),
        title: "Errors of the three integrators".into(),
        caption: "A moored ship of 200 m in waves, from rest to 16 s; largest relative error of x.".into(),
        x: Axis::log("T", "s"),
        y: Axis::log("error", "1"),
        curves: curves.collect(),
        slopes: Vec::new(),
    };
    Ok(Report {
        tables: vec![table("errors", "Largest relative errors of x", ("error", "1"), &named)],
        figures: vec![figure],
        claims,
        notes: vec!["The scheme as printed adds lengths to velocities, so that its error depends on the units.".into()],
    })
}
