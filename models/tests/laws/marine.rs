//! Bodies in water: Kirchhoff's motions, what an ideal fluid conserves, d'Alembert's paradox and the Munk moment.

use hamel::marine::{self, Coriolis};
use hamel::schemes::RungeKutta;
use hamel::{Model, Scheme, Signal, State, StepError, initial_state};
use hamel_macros::multibody;
use hamel_models::ellipsoid::EllipsoidParameters;
use hamel_models::otter::OtterParameters;
use hamel_models::{Ellipsoid, EllipsoidAbsolute, MooredShip, Otter};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

fn outputs(model: &dyn Model, state: &State) -> Vec<f64> {
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(state, &mut outputs);
    outputs
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Positions, velocities and angular velocities in body axes of the ellipsoid with axes of 3, 2 and 1 m, integrated with
/// 34 digits to a tolerance of 1e-27 by an independent program.
const MOTION: [(f64, [f64; 3], [f64; 6]); 3] = [
    (
        5.0,
        [4.958125764623205, 0.6602820979648699, -0.47759982897723763],
        [
            0.921268112974216,
            -0.3510168821021996,
            0.05296448492220571,
            0.0415599075857163,
            0.052072707910290984,
            0.1334570678301408,
        ],
    ),
    (
        20.0,
        [16.90453324034191, 1.4703707543301157, -2.5992261926979507],
        [
            -0.24834216509582793,
            -0.310429298595958,
            -0.4582948527189064,
            0.18329093054362502,
            0.3370128094057255,
            -0.19645280963588027,
        ],
    ),
    (
        40.0,
        [32.34971749210192, 3.014277770584892, -3.715077694989457],
        [
            0.05792147671597221,
            0.2980461193093752,
            -0.4766978010171839,
            -0.6180289443704605,
            0.12004267118919214,
            0.027252545445421265,
        ],
    ),
];

#[test]
fn an_ellipsoid_swims_as_kirchhoff_says() {
    let models: [&dyn Model; 2] = [&Ellipsoid::default(), &EllipsoidAbsolute::default()];
    for model in models {
        let dt = 0.01;
        let mut stepper = RungeKutta.start(model, initial_state(model).unwrap()).unwrap();
        for (t, position, velocities) in MOTION {
            while stepper.state().t < t - dt / 2.0 {
                stepper.step(dt).unwrap();
            }
            let state = stepper.state();
            let error = difference(&state.q.as_slice()[..3], &position)
                .max(difference(&outputs(model, state)[..6], &velocities));
            assert!(error < 1e-7, "{} at t = {t} s: {error:e}", model.describe().name);
        }
    }
}

/// Impulse and moment of impulse in ground axes, and energy; all of the body and its water.
#[test]
fn an_ideal_fluid_conserves_energy_and_momentum() {
    for current in [[0.0; 3], [0.4, -0.3, 0.2]] {
        let model = Ellipsoid::new(EllipsoidParameters { current, ..Default::default() });
        let mut stepper = RungeKutta.start(&model, initial_state(&model).unwrap()).unwrap();
        let measure = |state: &State| {
            let energy = model.energy(state.t, state.q.as_slice(), state.v.as_slice()).total();
            let found = outputs(&model, state);
            let (momentum, about_ground) = (found[6..9].to_vec(), found[9..12].to_vec());
            // No moment acts for who drifts with the current U: he sees (x − U t) × (P − m U) instead of x × P.
            let mass = 4.0 / 3.0 * std::f64::consts::PI * 6000.0;
            let drift: [f64; 3] = std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let seen: Vec<f64> = (0..3).map(|i| state.t * momentum[i] - mass * state.q[i]).collect();
                current[j] * seen[k] - current[k] * seen[j]
            });
            let about_drifting = about_ground.iter().zip(drift).map(|(a, b)| a - b);
            [momentum.clone(), about_drifting.collect(), vec![energy]].concat()
        };
        let start = measure(stepper.state());
        for _ in 0..4000 {
            stepper.step(0.0025).unwrap();
        }
        let size = start.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        let error = difference(&measure(stepper.state()), &start) / size;
        assert!(error < 1e-10, "in a current {current:?}: {error:e}");
    }
}

/// A uniform current is another frame of reference: the body moves as in water at rest and is carried along.
#[test]
fn a_current_carries_the_motion_along() {
    let current = [0.4, -0.3, 0.2];
    let (still, carried) =
        (Ellipsoid::default(), Ellipsoid::new(EllipsoidParameters { current, ..Default::default() }));
    let start = initial_state(&still).unwrap();
    // At the start the axes of the body are those of the ground.
    let mut moved = start.clone();
    (0..3).for_each(|i| moved.v[i] += current[i]);
    let run = |model: &dyn Model, mut start: State| {
        hamel::consistent_acceleration(model, &mut start).unwrap();
        let mut stepper = RungeKutta.start(model, start).unwrap();
        for _ in 0..1000 {
            stepper.step(0.005).unwrap();
        }
        stepper.state().clone()
    };
    let (a, b) = (run(&still, start), run(&carried, moved));
    let expected: Vec<f64> = (0..7).map(|i| a.q[i] + if i < 3 { current[i] * a.t } else { 0.0 }).collect();
    assert!(difference(b.q.as_slice(), &expected) < 1e-9, "{b:?}\n{expected:?}");
}

/// A spheroid of 3 and 1 m at 2 m/s and 10°: no force, and the moment (A₃₃ − A₁₁) U² sin α cos α; whether the body moves
/// or is held in a stream.
#[test]
fn steady_streams_turn_bodies_and_do_not_push_them() {
    let parameters = EllipsoidParameters {
        axes: [3.0, 1.0, 1.0],
        alpha: [0.21741893010517288, 0.8912905349474136, 0.8912905349474136],
        ..Default::default()
    };
    let (speed, angle) = (2.0, 10_f64.to_radians());
    let stream = [speed * angle.cos(), 0.0, speed * angle.sin()];
    let munk = 5_861.808_838_399_942;
    let expected = [0.0, 0.0, 0.0, 0.0, munk, 0.0];

    let moving = Ellipsoid::new(parameters.clone());
    let mut state = initial_state(&moving).unwrap();
    state.v.fill(0.0);
    state.v.rows_mut(0, 3).copy_from_slice(&stream);
    let mut h = vec![0.0; 6];
    moving.bias_force(state.q.as_slice(), state.v.as_slice(), &mut h);
    let on_body: Vec<f64> = h.iter().map(|h| -h).collect();
    assert!(difference(&on_body, &expected) < 1e-11 * munk, "{on_body:?}");

    let held = Ellipsoid::new(EllipsoidParameters { current: stream.map(|u| -u), ..parameters });
    state.v.fill(0.0);
    let mut f = vec![0.0; 6];
    held.applied_force(0.0, state.q.as_slice(), state.v.as_slice(), &mut f);
    assert!(difference(&f, &expected) < 1e-11 * munk, "{f:?}");
}

multibody! {
    /// The spheroid of 3 and 1 m in the plane through its long axis.
    model Broadside {
        planar;
        coordinates joint;
        body hull {
            mass: 12566.370614359173 kg, inertia: 25132.741228718346 kg m^2,
            added_mass: {
                force: [[1532.70271990505, 0], [0, 10102.093957219362]] kg, moment: 11703.7703225993583 kg m^2,
            },
        }
        joint swim: free(ground, hull);
        initial swim.angle = 0.1 rad;
        initial swim.x.velocity =
            1 m/s * cos(0.1 rad)^2 + 14099.073334264223 / 22668.464571578535 * sin(0.1 rad)^2 * 1 m/s;
        initial swim.y.velocity = (1 - 14099.073334264223 / 22668.464571578535) * sin(0.1 rad) * cos(0.1 rad) * 1 m/s;
    }
}

/// A body that swims along its long axis turns broadside: θ̈ = (κ/2) sin 2θ with κ = P² (B − A)/(A B J) [Lamb, Art. 127];
/// P along x, θ and its rate from elliptic integrals.
#[test]
fn long_bodies_turn_broadside() {
    let model = Broadside::default();
    let mut stepper = RungeKutta.start(&model, initial_state(&model).unwrap()).unwrap();
    let known = [
        (2.0, 0.130_126_738_923_477_5, 0.03153019849444955),
        (5.0, 0.33787244663869266, 0.12023481417721699),
        (10.0, 1.6765981161799252, 0.376343928994982),
    ];
    for (t, angle, rate) in known {
        while stepper.state().t < t - 1e-3 {
            stepper.step(0.0025).unwrap();
        }
        let state = stepper.state();
        let error = (state.q[2] - angle).abs().max((state.v[2] - rate).abs());
        assert!(error < 1e-9, "at t = {t} s: {state:?}");
    }
}

multibody! {
    /// A buoy in heave that radiates waves: m z̈ + c z + μ = 0, μ̇ = k ż − a μ.
    model Buoy {
        coordinates joint;
        body buoy { mass: 2 kg, inertia: diag(1, 1, 1) kg m^2 }
        joint heave: prismatic(ground, buoy) { coordinate: z }
        state radiation N: 6 N/m * buoy.velocity.z - 1.5 rad/s * radiation;
        force waves: [0 N, 0 N, -20 N/m * buoy.position.z - radiation] on buoy;
        initial z = 0.3 m;
        initial radiation = 0.7 N;
        output energy = model.kinetic_energy;
    }
}

/// The decay test of a buoy with memory against the three exponentials of its third-order equation
/// (λ² + 10)(λ + 3/2) + 3 λ = 0.
#[test]
fn water_that_remembers_damps_as_its_equation_says() {
    use nalgebra::{Complex, DMatrix, DVector};
    let cubic = |x: f64| (x * x + 10.0) * (x + 1.5) + 3.0 * x;
    let (mut low, mut high) = (-1.5, 0.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if cubic(middle) < 0.0 { low = middle } else { high = middle }
    }
    // The real root r leaves λ² + (3/2 + r) λ + 13 + r (3/2 + r) = 0.
    let half = (1.5 + low) / 2.0;
    let pair = Complex::new(-half, (13.0 + low * 2.0 * half - half * half).sqrt());
    let roots = [Complex::new(low, 0.0), pair, pair.conj()];
    // z, ż and z̈ = −(20 z + μ)/2 at the start.
    let start = DVector::from_vec([0.3, 0.0, -(20.0 * 0.3 + 0.7) / 2.0].map(|x| Complex::new(x, 0.0)).to_vec());
    let shares = DMatrix::from_fn(3, 3, |i, j| roots[j].powu(i as u32)).lu().solve(&start).unwrap();
    let exact = |t: f64| -> f64 { roots.iter().zip(&shares).map(|(root, share)| (share * (root * t).exp()).re).sum() };

    let model = Buoy::default();
    let implicit = hamel::schemes::by_name("generalized_alpha", &[]).unwrap();
    let schemes: [(&dyn Scheme, f64); 2] = [(&RungeKutta, 1e-9), (&*implicit, 2e-5)];
    for (scheme, tolerance) in schemes {
        let mut stepper = scheme.start(&model, initial_state(&model).unwrap()).unwrap();
        for step in 1..=5000 {
            stepper.step(2e-3).unwrap();
            let error = (stepper.state().q[0] - exact(step as f64 * 2e-3)).abs();
            assert!(error < tolerance, "{}: {error:e} after {step} steps", scheme.name());
        }
        let (v, energy) = (stepper.state().v[0], outputs(&model, stepper.state())[0]);
        assert!((energy - v * v).abs() < 1e-15, "{energy}, {v}");
    }
}

/// States (u, v, w, p, q, r, x, y, z, φ, θ, ψ) after 10 s, from an independent implementation with matrices M and C(ν)
/// integrated to 1e-12.
#[test]
fn otter_moves_as_the_matrices_of_ships_say() {
    let free = OtterParameters {
        linear_damping: [0.0; 3],
        angular_damping: [0.0; 3],
        heave_stiffness: 0.0,
        roll_stiffness: 0.0,
        pitch_stiffness: 0.0,
        ..Default::default()
    };
    let drifting = Otter::new(free);
    let mut start = initial_state(&drifting).unwrap();
    start.q.rows_mut(3, 3).copy_from_slice(&[0.05, -0.04, 0.3]);
    hamel::consistent_acceleration(&drifting, &mut start).unwrap();
    let after_drifting = [
        -1.521065107227,
        0.3149454040146,
        0.1344418790046,
        0.3312743909917,
        -0.0237396486214,
        -0.2471218365482,
        8.79159402162,
        7.300019022475,
        -0.3681581899777,
        0.7959989836727,
        -0.3978741490354,
        -14.84600918486,
    ];

    let mut driven = Otter::default();
    driven.inputs.surge = Signal::from(|t: f64| 120.0 + 30.0 * (0.8 * t).sin());
    driven.inputs.sway = Signal::from(|t: f64| 20.0 * (0.5 * t).sin());
    driven.inputs.heave = Signal::from(|t: f64| -150.0 * (1.1 * t).sin());
    driven.inputs.roll = Signal::from(|t: f64| 25.0 * (0.9 * t + 0.3).sin());
    driven.inputs.pitch = Signal::from(|t: f64| -40.0 * (0.7 * t).cos());
    driven.inputs.yaw = Signal::from(|t: f64| 15.0 * (0.4 * t).sin());
    let mut at_rest = initial_state(&driven).unwrap();
    at_rest.v.fill(0.0);
    hamel::consistent_acceleration(&driven, &mut at_rest).unwrap();
    let after_driving = [
        0.8850418212818,
        -0.8447290813526,
        -0.01412254981955,
        -0.0001667204147652,
        0.007582471939144,
        0.8933980485668,
        11.16526705083,
        5.60707395707,
        0.0207401632042,
        -0.002576715396242,
        -0.01417780569191,
        2.444743819349,
    ];

    for (model, start, expected) in [(&drifting, start, after_drifting), (&driven, at_rest, after_driving)] {
        let mut stepper = RungeKutta.start(model, start).unwrap();
        for _ in 0..8000 {
            stepper.step(0.00125).unwrap();
        }
        let state = stepper.state();
        let found = [state.v.as_slice(), state.q.as_slice()].concat();
        assert!(difference(&found, &expected) < 1e-9, "{found:?}\n{expected:?}");
    }
}

/// Position and angles of the moored ship, which starts at rest, at 25, 50 and 100 s; from the same program.
#[test]
fn moored_ship_moves_as_the_matrices_of_ships_say() {
    let known = [
        (25.0, [2.70541556245, 9.22118923106, -1.83307995582, -0.173475063278, 0.0676584675082, 0.168738349936]),
        (50.0, [16.8844185807, 41.2960997784, -2.16990213589, -0.112857725652, 0.0444097442754, 0.630438936894]),
        (100.0, [-7.41025970598, 33.2161060329, -1.04974616477, -0.0575381863097, 0.0808803291343, 0.511032206985]),
    ];
    let model = MooredShip::default();
    let mut stepper = RungeKutta.start(&model, initial_state(&model).unwrap()).unwrap();
    for (t, expected) in known {
        while stepper.state().t < t - 1e-3 {
            stepper.step(0.0125).unwrap();
        }
        let state = stepper.state();
        let error = difference(&state.q.as_slice()[..6], &expected);
        assert!(error < 1e-7, "at t = {t} s: {error:e}");
        assert!(difference(&outputs(&model, state), &expected[3..]) < 1e-7);
    }
}

/// C(ν) ν of every parameterisation is the bias force of the compiled model.
#[test]
fn matrices_of_ships_are_those_of_the_model() {
    let parameters = OtterParameters::default();
    let model = Otter::new(parameters.clone());
    let center = Vector3::from(parameters.center_of_mass);
    let s = marine::skew(&center);
    let about_center = Matrix3::from(parameters.inertia).transpose();
    let own = marine::rigid_body_mass_matrix(parameters.mass, &center, &(about_center - s * s * parameters.mass));
    let mut water = Matrix6::zeros();
    water.set_diagonal(&Vector6::from_iterator(parameters.added_mass.into_iter().chain(parameters.added_inertia)));
    let nu = Vector6::new(1.5, 0.3, -0.1, 0.2, -0.15, 0.25);
    let state = initial_state(&model).unwrap();
    let mut h = vec![0.0; 6];
    model.bias_force(state.q.as_slice(), nu.as_slice(), &mut h);
    let by_momenta = Coriolis::Momenta.matrix(&(own + water), &nu).unwrap() * nu;
    assert!(difference(by_momenta.as_slice(), &h) < 1e-12, "{by_momenta} {h:?}");
    for how in Coriolis::ALL {
        let of_water = Coriolis::Momentum.matrix(&water, &nu).unwrap() * nu;
        let all = how.matrix(&own, &nu).unwrap() * nu + of_water;
        assert!(difference(all.as_slice(), &h) < 1e-12, "{how:?}");
    }
    let pattern = &model.describe().mass_matrix;
    let mut values = vec![0.0; pattern.nnz()];
    model.mass_matrix(state.q.as_slice(), &mut values);
    let m = pattern.to_dense(&values);
    assert!(difference(m.as_slice(), (own + water).as_slice()) < 1e-12, "{m}");
}

macro_rules! crane_vessel {
    ($name:ident, $rotation:ident) => {
        multibody! {
            model $name {
                coordinates joint($rotation);
                gravity [0, 0, -9.81] m/s^2;
                body hull {
                    mass: 80 kg, inertia: [[11, 0, 0.7], [0, 15, 0], [0.7, 0, 14]] kg m^2, center_of_mass: [0.14, 0, -0.1] m,
                    added_mass: {
                        force: diag(5, 82, 55) kg, moment: diag(2, 12, 24) kg m^2, current: [0.3, -0.2, 0.1] m/s,
                    },
                }
                body load { mass: 10 kg, inertia: diag(1, 1, 0.5) kg m^2 }
                joint sea: free(ground, hull);
                joint hook: spherical(hull at [1, 0, 1] m, load at [0, 0, 0.8] m);
                force drag: -diag(80, 90, 300) N s/m * (hull.velocity in hull) on hull in hull;
                force buoyancy: [0 N, 0 N, 883 N - 7600 N/m * hull.position.z] on hull;
                torque righting: [-1500 N m * hull.roll, -2100 N m * hull.pitch, 0 N m] on hull in hull;
                initial hull.velocity = [1.5, 0.3, -0.1] m/s in hull;
                initial hull.angular_velocity = [0.2, -0.15, 0.9] rad/s in hull;
                initial load.angular_velocity = [0.8, -0.6, 1.2] rad/s in load;
                output hull_position = hull.position;
                output hull_axes = hull.rotation;
                output load_position = load.position;
                output load_axes = load.rotation;
            }
        }
    };
}
crane_vessel!(VesselInAngles, euler_zyx);
crane_vessel!(VesselInParameters, euler_parameters);

/// Angles and Euler parameters describe the same motion, with the same velocities: whichever scheme carries them.
#[test]
fn angles_move_as_euler_parameters_do() {
    let (angles, parameters) = (VesselInAngles::default(), VesselInParameters::default());
    assert_eq!((angles.dims().nq, angles.dims().nv), (9, 9));
    let run = |model: &dyn Model, scheme: &dyn Scheme| -> Result<State, StepError> {
        let mut stepper = scheme.start(model, initial_state(model)?)?;
        for _ in 0..400 {
            stepper.step(5e-3)?;
        }
        Ok(stepper.state().clone())
    };
    let mut carried = 0;
    for scheme in hamel::schemes::all() {
        let name = scheme.name();
        let (a, b) = match (run(&angles, &*scheme), run(&parameters, &*scheme)) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(StepError::Undefined { .. }), Err(StepError::Undefined { .. })) => continue,
            (a, b) => panic!("{name}: {a:?}, {b:?}"),
        };
        let off = difference(a.v.as_slice(), b.v.as_slice())
            .max(difference(&outputs(&angles, &a), &outputs(&parameters, &b)));
        assert!(off < 1e-8, "{name}: {off:e}");
        carried += 1;
    }
    assert!(carried > 30, "{carried}");
}

multibody! {
    /// A body that pitches over, in angles.
    model TumblingAngles {
        coordinates absolute(euler_zyx);
        body block { mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 }
        initial block.angular_velocity = [0, 1, 0] rad/s;
        output pitch = block.pitch;
    }
}

multibody! {
    /// The same in angles with velocities in its own axes.
    model TumblingStates {
        coordinates joint(euler_zyx);
        body block { mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 }
        joint flight: free(ground, block);
        initial block.angular_velocity = [0, 1, 0] rad/s;
    }
}

multibody! {
    /// The same in Euler parameters.
    model TumblingPose {
        coordinates joint;
        body block { mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 }
        joint flight: free(ground, block);
        initial block.angular_velocity = [0, 1, 0] rad/s;
        output down = block.rotation[2];
    }
}

/// Pitching at 1 rad/s, angles end at t = π/2 with an error that says where; Euler parameters pass.
#[test]
fn angles_say_where_they_are_singular() {
    let (by_rates, by_nu) = (TumblingAngles::default(), TumblingStates::default());
    let implicit = hamel::schemes::by_name("generalized_alpha", &[]).unwrap();
    let cases: [(&dyn Model, &dyn Scheme, &str); 4] = [
        (&by_rates, &RungeKutta, "block.theta"),
        (&by_nu, &RungeKutta, "flight.theta"),
        (&by_rates, &*implicit, "block.theta"),
        (&by_nu, &*implicit, "flight.theta"),
    ];
    for (model, scheme, theta) in cases {
        let run = hamel::Simulation::new(model, scheme).step(0.01).until(3.0).run(initial_state(model).unwrap());
        match run.outcome {
            Err(StepError::SingularAngle { t, coordinate, angle }) => {
                assert_eq!(coordinate, theta);
                assert!((t - 1.57).abs() < 1e-9 && (angle - 1.57).abs() < 1e-6, "{t} s, {angle} rad");
            }
            other => panic!("{} on {theta}: expected a singular angle, not {other:?}", scheme.name()),
        }
        let last = run.trajectory.times().last().unwrap();
        assert!((last - 1.57).abs() < 1e-9, "{last} s");
    }

    let free = TumblingPose::default();
    let run = hamel::Simulation::new(&free, &RungeKutta).step(0.01).until(3.0).run(initial_state(&free).unwrap());
    run.outcome.unwrap();
    let down = run.trajectory.column("down_x").unwrap().last().unwrap();
    assert!((down + 3.0_f64.sin()).abs() < 1e-9, "{down}");
}

/// Close to the singularity explicit schemes run into nonsense; what is recorded ends before it.
#[test]
fn nothing_is_recorded_beyond_singular_angles() {
    let (by_rates, by_nu) = (TumblingAngles::default(), TumblingStates::default());
    for scheme in ["modified_euler", "runge_kutta_like", "newmark_predictor_corrector", "runge_kutta"] {
        let scheme = hamel::schemes::by_name(scheme, &[]).unwrap();
        for (model, roll) in [(&by_rates as &dyn Model, 1e-9), (&by_rates, 1e-5), (&by_rates, 1e-3), (&by_nu, 1e-5)] {
            let mut start = initial_state(model).unwrap();
            start.q[3] = roll;
            hamel::consistent_acceleration(model, &mut start).unwrap();
            let run = hamel::Simulation::new(model, &*scheme).step(0.01).until(3.0).run(start);
            let what = format!("{} from a roll of {roll} rad", scheme.name());
            match run.outcome {
                Err(StepError::SingularAngle { angle, .. }) => {
                    assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 0.06, "{what}: {angle}")
                }
                other => panic!("{what}: {other:?}"),
            }
            let energies: Vec<f64> = run.trajectory.column("kinetic_energy").unwrap().collect();
            let off = energies.iter().fold(0.0, |off: f64, energy| off.max((energy / energies[0] - 1.0).abs()));
            assert!(off < 0.1, "{what}: energies off by {off} of the first");
        }
    }
}

/// An input that is no number is named, with the time.
#[test]
fn inputs_that_are_no_numbers_are_named() {
    let mut model = Otter::default();
    let start = initial_state(&model).unwrap();
    model.inputs.sway = Signal::from(|t: f64| if t < 0.5 { 10.0 } else { f64::NAN });
    let implicit = hamel::schemes::by_name("generalized_alpha", &[]).unwrap();
    let schemes: [&dyn Scheme; 2] = [&RungeKutta, &*implicit];
    for scheme in schemes {
        let run = hamel::Simulation::new(&model, scheme).step(0.1).until(1.0).run(start.clone());
        match run.outcome {
            Err(StepError::BadInput { t, input, value }) => {
                assert!(input == "sway" && value.is_nan() && (t - 0.5).abs() < 0.06)
            }
            other => panic!("{}: {other:?}", scheme.name()),
        }
    }
    model.inputs.sway = Signal::from(f64::INFINITY);
    let error = initial_state(&model).unwrap_err();
    assert_eq!(error.to_string(), "input `sway` is inf at t = 0 s, expected a finite number");
}

/// A total mass that is indefinite in one direction is named, in the plane as in space.
#[test]
fn added_masses_that_take_more_than_the_mass_are_refused() {
    let mut added_mass = OtterParameters::default().added_mass;
    added_mass[1] = -1.6e6;
    let error = OtterParameters { added_mass, ..Default::default() }.validate().unwrap_err().to_string();
    let expected = "the mass of `hull` with its added mass along y is -1599920, expected a positive value, kg";
    assert_eq!(error, expected);
    multibody! {
        model Raft {
            planar;
            param heave = 1 kg;
            body raft {
                mass: 2 kg, inertia: 3 kg m^2, center_of_mass: [0.5, 0] m,
                added_mass: { force: [[1, 0], [0, 1]] * heave, coupling: [0, 1] kg m, moment: 1 kg m^2 },
            }
        }
    }
    assert_eq!(RaftParameters::default().validate(), Ok(()));
    let error = RaftParameters { heave: -2.0 }.validate().unwrap_err().to_string();
    assert!(error.starts_with("the mass of `raft` with its added mass along x is 0"), "{error}");
    // Along y 0.8 kg are left, which is too little for the coupling: 4.5 − (1 + 1)² / 0.8.
    let error = RaftParameters { heave: -1.2 }.validate().unwrap_err().to_string();
    assert!(error.starts_with("the inertia of `raft` with its added mass about z is -0.5"), "{error}");
}

/// Values at run time obey what the compiler asks of defaults.
#[test]
fn skewed_added_masses_are_refused() {
    multibody! {
        model Skewed {
            param a = [[2, 0.5, 0], [0.5, 3, 0], [0, 0, 4]] kg;
            body hull {
                mass: 1 kg, inertia: diag(1, 1, 1) kg m^2,
                added_mass: { force: a, moment: diag(1, 1, 1) kg m^2 },
            }
        }
    }
    assert_eq!(SkewedParameters::default().validate(), Ok(()));
    let a = [[2.0, 0.5, 0.0], [0.25, 3.0, 0.0], [0.0, 0.0, 4.0]];
    let error = SkewedParameters { a }.validate().unwrap_err().to_string();
    assert!(error.contains("`force` of the added mass of `hull` beside its diagonal is 0.25"), "{error}");
}
