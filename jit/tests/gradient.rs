//! Slopes of whole motions against extrapolated differences of runs with other parameters, and gradients against
//! sensitivities.

use hamel::gradient::{Differentiated, Direction, GradientError, Instant, Slopes};
use hamel::{ConstraintLevel, Model, Options, Scheme, Signal, State, initial_state, schemes};
use hamel_jit::{JitModel, Level};

#[path = "common/differences.rs"]
mod differences;

use differences::differences;

fn model(text: &str) -> JitModel {
    let tokens = hamel_jit::with_derivatives(text.parse().unwrap());
    hamel_jit::model(tokens, Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const PENDULUM: &str = "model Pendulum {
    planar;
    COORDINATES
    param mass = 1.3 kg;
    param reach = 0.7 m;
    param g = 9.81 m/s^2;
    param start = 0.8 rad;
    param speed = 1.1 rad/s;
    param drag = 0.2 N m s;
    gravity [0, -g];
    body rod { mass: mass, inertia: mass * reach^2 / 12 }
    joint hinge: revolute(ground, rod at [0 m, reach]);
    torque brake: -drag * rod.angular_velocity on rod;
    initial rod.angle = start;
    initial rod.angular_velocity = speed;
    output height = rod.position.y;
    output rate = rod.angular_velocity;
}";

const SLIDER_CRANK: &str = "model SliderCrank {
    planar;
    COORDINATES
    param radius = 0.2 m;
    param length = 0.6 m;
    param mass = 0.8 kg;
    param stiffness = 40 N/m;
    param start = 0.6 rad;
    param speed = 5 rad/s;
    param torque = 0.7 N m;
    gravity [0, -9.81] m/s^2;
    body crank { mass: 1 kg, inertia: 0.01 kg m^2 }
    body rod { mass: mass, inertia: mass * length^2 / 12 }
    body block { mass: 0.5 kg, inertia: 0.001 kg m^2 }
    joint shaft: revolute(ground, crank at [-radius / 2, 0 m]);
    joint pin: revolute(crank at [radius / 2, 0 m], rod at [-length / 2, 0 m]);
    joint wrist: revolute(rod at [length / 2, 0 m], block);
    joint guide: prismatic(ground, block) { cut }
    force spring: spring(ground at [1, 0] m, block) { stiffness: stiffness }
    torque motor: torque on crank;
    initial crank.angle = start;
    initial crank.angular_velocity = speed;
    output stroke = block.position.x;
    output swing = rod.angular_velocity;
}";

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

const STEP: f64 = 2e-3;
const UNTIL: f64 = 0.05;
/// Where steps end, so that they have different lengths.
const INSTANTS: [f64; 3] = [0.011, 0.0157, 0.03];

/// Lengths of the steps: equal ones, or those that meet the instants.
fn lengths(is_even: bool) -> Vec<f64> {
    let mut lengths = Vec::new();
    let mut t = 0.0;
    for end in INSTANTS.into_iter().filter(|_| !is_even).chain([UNTIL]) {
        let count = ((end - t) / STEP - 1e-6).ceil();
        lengths.extend((0..count as usize).map(|_| (end - t) / count));
        t = end;
    }
    lengths
}

fn options() -> Options {
    let mut options = Options::default();
    (options.tolerance.relative, options.tolerance.absolute) = (1e-15, 1e-18);
    options
}

/// Coordinates, velocities, accelerations, multipliers and outputs at the end of a run of equal steps.
fn end(model: &JitModel, scheme: &dyn Scheme, lengths: &[f64], options: &Options) -> Vec<f64> {
    let mut start = initial_state(model).unwrap_or_else(|error| panic!("{error}"));
    hamel::consistent_acceleration(model, &mut start).unwrap();
    let mut stepper = scheme.start_with(model, start, options).unwrap();
    for &dt in lengths {
        stepper.step(dt).unwrap();
    }
    let state = stepper.state();
    let mut outputs = vec![0.0; model.describe().outputs.len()];
    model.outputs(state, &mut outputs);
    [state.v.as_slice(), state.a.as_slice(), state.lambda.as_slice(), &outputs].concat()
}

/// What sensitivities and gradients miss, relative to the largest of each kind.
#[derive(Debug)]
struct Missed {
    /// Velocities and outputs against differences.
    motion: f64,
    /// Accelerations and multipliers against differences.
    forces: f64,
    /// The gradient against sensitivities, and against that of several objectives at once.
    gradient: f64,
}

fn missed(
    model: &JitModel,
    scheme: &dyn Scheme,
    options: &Options,
    (part, is_even): (f64, bool),
) -> Result<Missed, GradientError> {
    let info = model.describe();
    let mut motion = Differentiated::new(model, scheme).step(STEP).until(UNTIL).options(*options);
    if !is_even {
        motion = motion.meeting(INSTANTS.to_vec());
    }
    let lengths = lengths(is_even);
    let directions: Vec<Direction> = (0..info.differentiated.len()).map(Direction::Parameter).collect();
    let mut last = None;
    motion.sensitivities(&directions, &mut |_, changes| last = Some(changes.clone()))?;
    let changes = last.unwrap();
    let nv = info.velocities.len();
    let mut worst = [0.0_f64; 2];
    for (column, &place) in info.differentiated.iter().enumerate() {
        let name = &info.parameters[place].name;
        let value = model.parameters()[place];
        let of = |change: f64| {
            let mut other = model.another();
            other.set(&[(name, value + change)]).unwrap();
            end(&other, scheme, &lengths, options)
        };
        let exact = differences(&of, part * value.abs().max(0.1));
        let found: Vec<f64> = [&changes.velocity, &changes.acceleration, &changes.multipliers, &changes.outputs]
            .iter()
            .flat_map(|matrix| matrix.column(column).iter().copied().collect::<Vec<_>>())
            .collect();
        let ends = [0, nv, 2 * nv, 2 * nv + info.constraints.len(), found.len()];
        for (kind, ends) in [0, 1, 1, 0].into_iter().zip(ends.windows(2)) {
            let part = ends[0]..ends[1];
            let size = exact[part.clone()].iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
            part.for_each(|i| worst[kind] = worst[kind].max((found[i] - exact[i]).abs() / size));
        }
    }
    // The gradient of a sum over the motion that contains every quantity.
    let weight = |i: usize| 0.3 + (i as f64 * 0.7).sin();
    let objective = |instant: &Instant, slopes: &mut Slopes| {
        let factor = if instant.is_end { 1.0 } else { 10.0 * instant.weight };
        let mut value = 0.0;
        let parts = [
            (&instant.state.v, &mut slopes.velocity),
            (&instant.state.a, &mut slopes.acceleration),
            (&instant.state.lambda, &mut slopes.multipliers),
        ];
        for (values, slopes) in parts {
            for (i, (x, slope)) in values.iter().zip(slopes.iter_mut()).enumerate() {
                value += factor * weight(i) * x;
                *slope = factor * weight(i);
            }
        }
        for (i, y) in instant.outputs.iter().enumerate() {
            value += factor * y * y;
            slopes.outputs[i] = 2.0 * factor * y;
        }
        value
    };
    let gradient = motion.gradient(&objective)?;
    let repeated = motion.clone().checkpoints(3).gradient(&objective)?;
    assert_eq!(repeated, gradient, "{} with three copies", scheme.label());
    // Beside another objective of the same motion.
    let end_speed = |instant: &Instant, slopes: &mut Slopes| {
        slopes.velocity[0] = if instant.is_end { 1.0 } else { 0.0 };
        slopes.velocity[0] * instant.state.v[0]
    };
    let both = motion.gradients(&[&end_speed, &objective])?;
    let alone = [motion.gradient(&end_speed)?, gradient.clone()];
    let mut between = 0.0_f64;
    for (one, alone) in both.iter().zip(&alone) {
        assert_eq!((one.value, &one.end), (alone.value, &alone.end));
        let pairs = one.parameters.iter().chain(&one.velocity).zip(alone.parameters.iter().chain(&alone.velocity));
        let size = alone.parameters.iter().fold(1e-3_f64, |size, x| size.max(x.abs()));
        between = pairs.map(|(a, b)| (a - b).abs() / size).fold(between, f64::max);
    }
    let mut forward = vec![0.0; directions.len()];
    let mut step = 0;
    motion.sensitivities(&directions, &mut |state, changes| {
        let length = |step: Option<usize>| step.and_then(|step| lengths.get(step)).copied().unwrap_or(0.0);
        let is_end = step == lengths.len();
        let factor = if is_end { 1.0 } else { 5.0 * (length(step.checked_sub(1)) + length(Some(step))) };
        let mut outputs = vec![0.0; info.outputs.len()];
        model.outputs(state, &mut outputs);
        for (k, sum) in forward.iter_mut().enumerate() {
            for part in [&changes.velocity, &changes.acceleration, &changes.multipliers] {
                *sum += part.column(k).iter().enumerate().map(|(i, x)| factor * weight(i) * x).sum::<f64>();
            }
            *sum +=
                outputs.iter().zip(changes.outputs.column(k).iter()).map(|(y, dy)| factor * 2.0 * y * dy).sum::<f64>();
        }
        step += 1;
    })?;
    let size = forward.iter().fold(1e-12_f64, |size, x| size.max(x.abs()));
    let between = gradient.parameters.iter().zip(&forward).map(|(a, b)| (a - b).abs() / size).fold(between, f64::max);
    Ok(Missed { motion: worst[0], forces: worst[1], gradient: between })
}

/// Every scheme and level that has slopes, on a model, with equal steps or with others; the others must say that they have
/// none.
fn check(name: &str, text: &str, is_even: bool, count: usize) {
    let model = model(text);
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
            let missed = match missed(&model, &*scheme, &options, (part, is_even)) {
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
        let motion = Differentiated::new(&model, &*scheme).step(STEP).until(UNTIL);
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
    Differentiated::new(model, scheme).options(options).step(1e-2).until(UNTIL).meeting(vec![0.004, 0.031])
}

/// Constraints on velocities and ones that follow from others, drives, tables and unequal steps: slopes at every step are those
/// of differences.
#[test]
fn other_constraints_tables_and_unequal_steps() {
    for text in [SLED, DOOR] {
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

#[test]
fn directions_that_a_model_lacks_are_named() {
    let model = model(SLED);
    let scheme = schemes::by_name("generalized_alpha", &[]).unwrap();
    let motion = Differentiated::new(&model, &*scheme).step(STEP).until(UNTIL);
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
