//! Slopes of whole motions against extrapolated differences of runs with other parameters, and gradients against
//! sensitivities.

use std::sync::atomic::{AtomicU64, Ordering};

use hamel::configuration::retract;
use hamel::gradient::{Changes, Differentiated, Direction, GradientError, Instant, Slopes};
use hamel::{ConstraintLevel, Model, Options, Scheme, Signal, State, StepError, initial_state, schemes};
use hamel_jit::JitModel;

use crate::common::mechanisms::{PENDULUM, SLIDER_CRANK};
use crate::common::slopes::{Course, differences, missed, model, options};

const TOP: &str = "model Top {
    COORDINATES
    param mass = 15 kg;
    param axial = 0.234375 kg m^2;
    param reach = 1 m;
    param spin = 50 rad/s;
    param g = 9.81 m/s^2;
    gravity [0, 0, -g];
    body top { mass: mass, inertia: diag(0.46875 kg m^2, axial, 0.46875 kg m^2) }
    joint tip: spherical(ground, top at [0 m, -reach, 0 m]);
    initial top.angular_velocity = [0 rad/s, spin, -2 rad/s] in top;
    output height = top.position.z;
    output x = top.position.x;
}";

/// A body that moves freely, pulled aside by a spring and braked.
const CRAFT: &str = "model Craft {
    COORDINATES
    param mass = 3 kg;
    param inertia = diag(0.4, 0.7, 0.9) kg m^2;
    param stiffness = 60 N/m;
    param drag = 0.8 N s/m;
    param spin = 4 rad/s;
    param speed = 1.5 m/s;
    gravity [0, 0, -9.81] m/s^2;
    body hull { mass: mass, inertia: inertia }
    joint sea: free(ground, hull);
    force spring: spring(ground at [0.2, -0.1, 0.9] m, hull at [0.3, 0.2, -0.1] m) { stiffness: stiffness }
    force drag: -drag * (hull.velocity in hull) on hull at [0.1, 0, 0.2] m in hull;
    initial hull.position = [0.1, 0.2, -0.3] m;
    initial hull.velocity = [speed, -0.4 m/s, 0.3 m/s];
    initial hull.angular_velocity = [0.7 rad/s, spin, -2 rad/s] in hull;
    output place = hull.position;
    output height = (hull at [0.5, 0, 0] m).position.z;
}";

/// Every scheme and level that has slopes, on a model, with equal steps or with others; the others must say that they have
/// none.
fn check(name: &str, text: &str, is_even: bool, count: usize) {
    let model = model(text);
    let instants = if is_even { Vec::new() } else { vec![0.011, 0.0157, 0.03] };
    let course = Course { step: 2e-3, until: 0.05, instants };
    let mut known = 0;
    for entry in schemes::entries() {
        let scheme = entry.scheme(&[]).unwrap();
        for level in [ConstraintLevel::Position, ConstraintLevel::Velocity, ConstraintLevel::Acceleration] {
            if model.dims().nc == 0 && level != ConstraintLevel::Position {
                continue;
            }
            let options = Options { constraint_level: Some(level), ..options() };
            // Constraints on positions divide rounding by the square of the step.
            let is_rough = model.dims().nc > 0 && level == ConstraintLevel::Position;
            let part = if is_rough && !entry.name.contains("runge_kutta") { 1e-2 } else { 2e-3 };
            let missed = match missed(&model, &*scheme, &options, (&course, part)) {
                Ok(missed) => missed,
                Err(GradientError::Scheme { .. } | GradientError::Motion(_)) => continue,
                Err(error) => panic!("{name}, {}: {error}", entry.name),
            };
            known += 1;
            let [motion, forces, gradient] = match level {
                _ if model.dims().nc == 0 => [1e-8, 1e-9, 1e-13],
                ConstraintLevel::Position => [1e-6, 1e-3, 1e-7],
                ConstraintLevel::Velocity => [1e-8, 1e-6, 1e-11],
                ConstraintLevel::Acceleration => [1e-8, 1e-7, 1e-12],
            };
            let is_close = missed.motion < motion && missed.forces < forces && missed.gradient < gradient;
            assert!(is_close, "{name}, {}, {level:?}: {missed:?}", entry.name);
        }
    }
    assert_eq!(known, count, "{name}");
}

#[test]
fn pendulum_in_joint_coordinates() {
    check("pendulum", &PENDULUM.replace("COORDINATES", "coordinates joint;"), true, 38);
}

#[test]
fn pendulum_in_absolute_coordinates() {
    check("pendulum", &PENDULUM.replace("COORDINATES", "coordinates absolute;"), false, 92);
}

#[test]
fn slider_crank_in_joint_coordinates() {
    check("crank", &SLIDER_CRANK.replace("COORDINATES", "coordinates joint;"), true, 92);
}

#[test]
fn slider_crank_in_absolute_coordinates() {
    check("crank", &SLIDER_CRANK.replace("COORDINATES", "coordinates absolute;"), true, 92);
}

#[test]
fn heavy_top_with_redundant_euler_parameters() {
    check("top", &TOP.replace("COORDINATES", "coordinates absolute;"), true, 89);
}

#[test]
fn heavy_top_with_velocities_in_body_axes() {
    check("top", &TOP.replace("COORDINATES", "coordinates joint;"), true, 35);
    // Slower, so that the second angle stays below a right angle, where the rates of the others are infinite.
    let slow = TOP.replace("50 rad/s", "20 rad/s");
    check("top in angles", &slow.replace("COORDINATES", "coordinates joint(euler_zyx);"), true, 37);
}

#[test]
fn free_body_with_velocities_in_body_axes() {
    check("craft", &CRAFT.replace("COORDINATES", "coordinates joint;"), false, 35);
    check("craft in angles", &CRAFT.replace("COORDINATES", "coordinates joint(euler_zyx);"), true, 37);
}

/// Two sliders of which a parameter says how the start is shared between them.
const TURNING: &str = "model Turning {
    planar;
    coordinates joint;
    param phi = 0 rad;
    body one { mass: 1 kg, inertia: 1 kg m^2 }
    body other { mass: 1 kg, inertia: 1 kg m^2 }
    joint a: prismatic(ground, one);
    joint b: prismatic(ground, other);
    CONDITION
}";

/// The start turns with the parameter, although its equation has no slope by it at the solution.
#[test]
fn a_start_that_conditions_leave_open_has_no_slope() {
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let found = |condition: &str| {
        let model = model(&TURNING.replace("CONDITION", condition));
        let motion = Differentiated::new(&model, &*scheme).step(2e-3).until(0.05);
        let mut slope = 0.0;
        motion.sensitivities(&[Direction::Parameter(0)], &mut |_, changes| slope = changes.velocity[1]).map(|()| slope)
    };
    for (condition, expected) in [
        ("initial cos(phi) * a.displacement + sin(phi) * b.displacement = 1 m;", "`b.displacement`"),
        ("initial cos(phi) * a.velocity + sin(phi) * b.velocity = 1 m/s;", "the velocity `b.displacement`"),
    ] {
        let error = found(condition);
        assert!(matches!(&error, Err(GradientError::OpenStart { what, .. }) if what == expected), "{error:?}");
    }
    let slope = found("initial a.displacement = 1 m; initial b.velocity = 2 m/s * sin(phi);").unwrap();
    assert!((slope - 2.0).abs() < 1e-14);
}

/// A sled on a blade, which a given thrust pushes.
const SLED: &str = "model Sled {
    planar;
    coordinates absolute;
    param mass = 2 kg;
    param ahead = 0.15 m;
    param lean = 0.1;
    param yaw = 0.6 rad/s;
    input thrust N;
    body sled { mass: mass, inertia: 0.3 kg m^2 }
    constraint blade: (sled at [-ahead, 0 m]).velocity.y * cos(sled.angle + lean)
        - (sled at [-ahead, 0 m]).velocity.x * sin(sled.angle + lean) == 0 as velocity;
    force push: thrust * [cos(sled.angle), sin(sled.angle)] on sled;
    initial sled.velocity.x = 1.2 m/s;
    initial sled.angular_velocity = yaw;
    output x = sled.position.x;
}";

/// A door on two hinges, the one of which says what the other does, with a wing that a drive swings.
const DOOR: &str = "model Door {
    coordinates joint;
    param mass = 12 kg;
    param width = 0.8 m;
    param swing = 0.4 rad;
    param speed = 1.5 rad/s;
    input wind N m;
    gravity [0, 0, -9.81] m/s^2;
    body door { mass: mass, inertia: diag(4, 5, 1) kg m^2 }
    body wing { mass: 1 kg, inertia: diag(0.02, 0.02, 0.01) kg m^2 }
    joint lower: revolute(ground at [0, 0, -1] m axis [0, 0, 1], door at [-width / 2, 0 m, -1 m] axis [0, 0, 1]);
    joint upper: revolute(ground at [0, 0, 1] m axis [0, 0, 1], door at [-width / 2, 0 m, 1 m] axis [0, 0, 1]);
    joint leaf: revolute(door at [width / 2, 0 m, 0 m] axis [0, 0, 1], wing at [-0.1, 0, 0] m axis [0, 0, 1]);
    drive flap: leaf.angle == swing * sin(7 rad/s * time);
    torque gust: wind * [0, 0, 1] on door;
    initial lower.angle = 0.2 rad;
    initial door.angular_velocity.z = speed;
    output x = wing.position.x;
}";

/// A wheel that rolls on its rim, turned by a motor that lags behind its input: the condition on its height has the radius and
/// the rotation.
const WHEEL: &str = "model Wheel {
    coordinates joint;
    param r = 0.3 m;
    param mass = 2 kg;
    param lag = 0.2 s;
    input motor N m;
    gravity [0, 0, -9.81] m/s^2;
    body wheel { mass: mass, inertia: diag(0.05, 0.1, 0.05) kg m^2 }
    joint free: free(ground, wheel);
    state action N m: (motor - action) / lag;
    torque drive_: [0 N m, action, 0.1 N m * sin(wheel.yaw)] on wheel in wheel;
    let axle = wheel.rotation * [0, 1, 0];
    let down = ([0, 0, 1] - axle * axle.z) / norm([0, 0, 1] - axle * axle.z);
    let rim = wheel.velocity - r * cross(wheel.angular_velocity, down);
    constraint touch: wheel.position.z - r * down.z == 0;
    constraint ahead: rim.x == 0 as velocity;
    constraint aside: rim.y == 0 as velocity;
    initial wheel.angular_velocity = [0, 3, 0.5] rad/s;
    initial wheel.roll = 0.1 rad;
    initial wheel.pitch = 0 rad;
    initial wheel.yaw = 0 rad;
    initial wheel.position.x = 0 m;
    initial wheel.position.y = 0 m;
    output x = wheel.position.x;
}";

/// The values of the table by which the input of these models is given.
const TIMES: [f64; 4] = [0.0, 0.013, 0.029, 0.06];
const SAMPLES: [f64; 4] = [3.0, -1.0, 4.0, 2.0];

/// Positions, velocities and outputs at the steps of the motion, which has unequal steps.
fn along(motion: Differentiated, model: &JitModel) -> Vec<f64> {
    let mut found = Vec::new();
    let keep = &mut |state: &State| {
        let mut outputs = vec![0.0; model.describe().outputs.len()];
        model.outputs(state, &mut outputs);
        found.extend(state.v.iter().copied().chain(outputs));
    };
    motion.states(keep).unwrap();
    found
}

fn in_unequal_steps<'m>(model: &'m JitModel, scheme: &'m dyn Scheme) -> Differentiated<'m> {
    let options = Options { constraint_level: Some(ConstraintLevel::Velocity), ..options() };
    Differentiated::new(model, scheme).options(options).step(1e-2).until(0.05).meeting(vec![0.004, 0.031])
}

/// Constraints on velocities and ones that follow from others, drives, tables and unequal steps: slopes at every step are those
/// of differences.
#[test]
fn other_constraints_tables_and_unequal_steps() {
    for text in [SLED, DOOR, WHEEL] {
        let mut model = model(text);
        let input = model.describe().inputs[0].name.clone();
        model.set_input(&input, Signal::sampled(TIMES.into_iter().zip(SAMPLES)).unwrap()).unwrap();
        let info = model.describe();
        let parameters = info.differentiated.len();
        let samples = (0..4).map(|sample| Direction::Sample { input: 0, times: TIMES.to_vec(), sample });
        let directions: Vec<Direction> = (0..parameters).map(Direction::Parameter).chain(samples).collect();
        for name in ["generalized_alpha", "radau_iia3", "esdirk325", "half_explicit", "lms2"] {
            let scheme = schemes::by_name(name, &[]).unwrap();
            let mut slopes: Vec<Vec<f64>> = vec![Vec::new(); directions.len()];
            let found = in_unequal_steps(&model, &*scheme).sensitivities(&directions, &mut |_, changes| {
                for (column, slopes) in slopes.iter_mut().enumerate() {
                    slopes.extend(changes.velocity.column(column).iter().chain(changes.outputs.column(column).iter()));
                }
            });
            found.unwrap_or_else(|error| panic!("{} by {name}: {error}", info.name));
            for (column, (slopes, direction)) in slopes.iter().zip(&directions).enumerate() {
                let of = |change: f64| {
                    let mut other = model.another();
                    let mut samples = SAMPLES;
                    if let Direction::Sample { sample, .. } = direction {
                        samples[*sample] += change;
                    } else {
                        let name = &info.parameters[info.differentiated[column]].name;
                        other.set(&[(name, model.parameter(name).unwrap() + change)]).unwrap();
                    }
                    other.set_input(&input, Signal::sampled(TIMES.into_iter().zip(samples)).unwrap()).unwrap();
                    along(in_unequal_steps(&other, &*scheme), &other)
                };
                let exact = differences(&of, 1e-2);
                assert_eq!(slopes.len(), exact.len());
                let size = exact.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
                let worst = slopes.iter().zip(&exact).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max);
                assert!(worst < 1e-8, "{} by {name}, {direction:?}: {worst:e}", info.name);
            }
        }
    }
}

/// A start that constraints move: by parameters, and by what they leave of changes of it.
#[test]
fn starts_near_to_a_state() {
    let absolute = |text: &str| text.replace("COORDINATES", "coordinates absolute;");
    for text in [SLED, DOOR, &absolute(SLIDER_CRANK), &absolute(TOP)] {
        let mut model = model(text);
        let info = model.describe().clone();
        for input in &info.inputs {
            model.set_input(&input.name, Signal::sampled(TIMES.into_iter().zip(SAMPLES)).unwrap()).unwrap();
        }
        let start = initial_state(&model).unwrap();
        let (parameters, nv) = (info.differentiated.len(), model.dims().nv);
        assert!(parameters > 0 && model.dims().nc > 0, "{}", info.name);
        let directions: Vec<Direction> = (0..parameters)
            .map(Direction::Parameter)
            .chain((0..nv).map(Direction::Position))
            .chain((0..nv).map(Direction::Velocity))
            .collect();
        let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
        let motion = in_unequal_steps(&model, &*scheme).near(start.clone());
        let mut slopes: Vec<Vec<f64>> = vec![Vec::new(); directions.len()];
        let keep = &mut |_: &State, changes: &Changes| {
            for (column, slopes) in slopes.iter_mut().enumerate() {
                slopes.extend(changes.velocity.column(column).iter().chain(changes.outputs.column(column).iter()));
            }
        };
        motion.sensitivities(&directions, keep).unwrap();
        for (slopes, direction) in slopes.iter().zip(&directions) {
            let of = |change: f64| {
                let (mut other, mut from) = (model.another(), start.clone());
                for input in &info.inputs {
                    other.set_input(&input.name, Signal::sampled(TIMES.into_iter().zip(SAMPLES)).unwrap()).unwrap();
                }
                match *direction {
                    Direction::Parameter(place) => {
                        let name = &info.parameters[info.differentiated[place]].name;
                        other.set(&[(name, model.parameter(name).unwrap() + change)]).unwrap();
                    }
                    Direction::Position(place) => {
                        let mut increment = vec![0.0; nv];
                        increment[place] = change;
                        retract(&info.blocks, start.q.as_slice(), &increment, from.q.as_mut_slice());
                    }
                    Direction::Velocity(place) => from.v[place] += change,
                    Direction::Sample { .. } => unreachable!(),
                }
                along(in_unequal_steps(&other, &*scheme).near(from), &other)
            };
            let exact = differences(&of, 1e-3);
            assert_eq!(slopes.len(), exact.len());
            let size = exact.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
            let worst = slopes.iter().zip(&exact).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max);
            assert!(worst < 1e-7, "{}, {direction:?}: {worst:e}", info.name);
        }
        // The same backwards.
        let sum = |instant: &Instant, slopes: &mut Slopes| {
            slopes.velocity.fill(if instant.is_end { 1.0 } else { 0.0 });
            if instant.is_end { instant.state.v.sum() } else { 0.0 }
        };
        let gradient = motion.gradient(&sum).unwrap();
        let backwards = gradient.parameters.iter().chain(&gradient.position).chain(&gradient.velocity);
        let mut ends = vec![0.0; directions.len()];
        motion
            .sensitivities(&directions, &mut |_, changes| {
                ends.iter_mut().zip(changes.velocity.column_iter()).for_each(|(end, column)| *end = column.sum());
            })
            .unwrap();
        for ((backwards, end), direction) in backwards.zip(&ends).zip(&directions) {
            assert!(
                (backwards - end).abs() < 1e-10 * (1.0 + end.abs()),
                "{}, {direction:?}: {backwards} {end}",
                info.name
            );
        }
    }
}

/// A motion that is cancelled ends, forwards and backwards.
#[test]
fn motions_are_cancelled() {
    let model = model(&PENDULUM.replace("COORDINATES", "coordinates joint;"));
    let scheme = schemes::by_name("runge_kutta", &[]).unwrap();
    let asked = AtomicU64::new(0);
    let is_cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= 20;
    let motion = Differentiated::new(&model, &*scheme).step(1e-3).cancelled_by(&is_cancelled);
    let ended = [
        motion.states(&mut |_| {}),
        motion.sensitivities(&[Direction::Parameter(0)], &mut |_, _| {}),
        motion.gradient(&|_: &Instant, _: &mut Slopes| 0.0).map(|_| ()),
    ];
    for (place, ended) in ended.into_iter().enumerate() {
        let Err(GradientError::Motion(StepError::Cancelled { t, .. })) = ended else { panic!("{ended:?}") };
        let expected = if place == 0 { 0.02 } else { 0.0 };
        assert!((t - expected).abs() < 1e-12, "{place}: {t}");
    }
}

#[test]
fn directions_that_a_model_lacks_are_named() {
    let model = model(SLED);
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let motion = Differentiated::new(&model, &*scheme).step(2e-3).until(0.05);
    let (parameters, nv) = (model.describe().differentiated.len(), model.dims().nv);
    let sample = |input, times: &[f64], sample| Direction::Sample { input, times: times.to_vec(), sample };
    let wrong = [
        (Direction::Parameter(parameters), format!("a place below {parameters} among the differentiated parameters")),
        (Direction::Position(nv), format!("a place below {nv} among the velocities")),
        (Direction::Velocity(nv + 1), format!("a place below {nv} among the velocities")),
        (sample(1, &[0.0, 1.0], 0), "a place below 1 among the inputs".to_owned()),
        (sample(0, &[0.0, 1.0], 2), "a place below 2 among the samples".to_owned()),
        (sample(0, &[1.0, 0.0], 0), "ascending times of samples".to_owned()),
    ];
    for (direction, expected) in wrong {
        let error = motion.sensitivities(&[direction], &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.contains(&expected), "{error}: {expected}");
    }
}
