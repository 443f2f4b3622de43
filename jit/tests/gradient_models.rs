//! Slopes of motions of larger models, a running cost and an end value in one, by parameters, velocities of the start and
//! samples of inputs: sensitivities against extrapolated differences of runs, gradients against sensitivities.

use hamel::gradient::{Differentiated, Direction, Instant, Slopes};
use hamel::nalgebra::{DMatrix, DVector};
use hamel::{ConstraintLevel, Model, Options, Scheme, Signal, State, initial_state, schemes};
use hamel_import::{Format, Parameters};
use hamel_jit::{JitModel, Level};

use crate::common::differences::differences;

/// A cantilever of geometrically exact elements with a load at its tip.
const BEAM: &str = "model Beam {
    param length = 0.8 m;
    param axial = 2e5 N;
    param shear = [8e4, 7e4] N;
    param torsion = 30 N m^2;
    param bending = [40, 25] N m^2;
    param mass_per_length = 1.2 kg/m;
    param inertia_per_length = [3e-3, 2e-3, 1e-3] kg m;
    param damping = 1e-3 s;
    input push N;
    gravity [0, 0, -9.81] m/s^2;
    flexible beam: beam_three_node {
        length: length, elements: 2, axial: axial, shear: shear, torsion: torsion, bending: bending,
        mass_per_length: mass_per_length, inertia_per_length: inertia_per_length, damping: damping,
    }
    joint clamp: fixed(ground, beam.root);
    force push: [0.3 * push, push, -push] on beam.tip;
    output tip = beam.tip.position;
    output speed = beam.tip.velocity.y;
}";

fn compiled(text: &str) -> JitModel {
    let tokens = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    hamel_jit::model(tokens, Level::AtOnce, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The text of a model of the package of models, with more items.
fn text_of(name: &str, items: &str) -> String {
    let model = (hamel_models::find(name).unwrap().build)(&[]).unwrap();
    with_items(&model.describe().source, items)
}

fn with_items(text: &str, items: &str) -> String {
    let end = text.rfind('}').unwrap();
    format!("{}{items}}}", &text[..end])
}

/// A motion, and what is judged of it.
struct Case<'a> {
    model: &'a JitModel,
    scheme: Box<dyn Scheme>,
    options: Options,
    step: f64,
    steps: usize,
    /// Relative to the largest slope of a kind: sensitivities against differences, and gradients against sensitivities.
    tolerances: [f64; 2],
}

/// Times of the samples of every input, in steps; their values.
const TIMES: [f64; 4] = [0.0, 2.5, 7.0, 30.0];
const VALUES: [f64; 4] = [0.4, 1.0, -0.7, 0.5];

/// What a slope is with respect to.
enum What {
    /// A parameter by its name, in parts of this size.
    Parameter(String, f64),
    /// The velocities of the start along this direction.
    Velocity(DVector<f64>),
    Sample(usize, usize),
}

impl Case<'_> {
    fn new<'a>(model: &'a JitModel, scheme: &str, level: ConstraintLevel, step: f64, tolerances: [f64; 2]) -> Case<'a> {
        let mut options = Options { constraint_level: Some(level), ..Options::default() };
        (options.tolerance.relative, options.tolerance.absolute) = (1e-15, 1e-18);
        Case { model, scheme: schemes::by_name(scheme, &[]).unwrap(), options, step, steps: 20, tolerances }
    }

    fn times(&self) -> Vec<f64> {
        TIMES.iter().map(|time| time * self.step).collect()
    }

    fn until(&self) -> f64 {
        self.step * self.steps as f64
    }

    /// Another model whose inputs are tables, one sample of which is changed.
    fn with_inputs(&self, changed: Option<(usize, usize, f64)>) -> JitModel {
        let mut model = self.model.another();
        for (place, input) in self.model.describe().inputs.iter().enumerate() {
            let value = |sample: usize| match changed {
                Some((input, at, by)) if (input, at) == (place, sample) => VALUES[sample] + by,
                _ => VALUES[sample],
            };
            let samples = self.times().into_iter().enumerate().map(|(sample, time)| (time, value(sample)));
            let signal = Signal::sampled(samples.collect::<Vec<_>>()).unwrap();
            model.set_input(&input.name, signal).unwrap();
        }
        model
    }

    /// What an instant adds, and the slopes of that by outputs.
    fn judge(weight: f64, is_end: bool, outputs: &[f64], slopes: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for (i, (y, slope)) in outputs.iter().zip(slopes).enumerate() {
            let factor = 0.4 + (0.9 * i as f64).sin();
            value += weight * factor * y * y + if is_end { 0.1 * factor * y } else { 0.0 };
            *slope = 2.0 * weight * factor * y + if is_end { 0.1 * factor } else { 0.0 };
        }
        value
    }

    /// The cost of a run that knows nothing of slopes.
    fn run(&self, model: &JitModel, start: Option<State>) -> f64 {
        let mut state = start.unwrap_or_else(|| initial_state(model).unwrap());
        hamel::consistent_acceleration(model, &mut state).unwrap();
        let mut stepper = self.scheme.start_with(model, state, &self.options).unwrap();
        let mut outputs = vec![0.0; model.describe().outputs.len()];
        let (mut value, mut unused) = (0.0, outputs.clone());
        for step in 0..=self.steps {
            if step > 0 {
                stepper.step(self.step).unwrap();
            }
            model.outputs(stepper.state(), &mut outputs);
            let is_end = step == self.steps;
            let weight = if step == 0 || is_end { 0.5 * self.step } else { self.step };
            value += Self::judge(weight, is_end, &outputs, &mut unused);
        }
        value
    }

    fn difference(&self, what: &What, start: &State) -> f64 {
        let of = |change: f64| {
            let value = match what {
                What::Parameter(name, size) => {
                    let mut model = self.with_inputs(None);
                    let value = model.parameter(name).unwrap();
                    model.set(&[(name, value + change * size)]).unwrap();
                    self.run(&model, None)
                }
                What::Velocity(direction) => {
                    let mut start = start.clone();
                    start.v.axpy(change, direction, 1.0);
                    self.run(&self.with_inputs(None), Some(start))
                }
                What::Sample(input, sample) => self.run(&self.with_inputs(Some((*input, *sample, change))), None),
            };
            vec![value]
        };
        differences(&of, 5e-3)[0]
    }

    /// Slopes in the direction of each, by sensitivities.
    fn forward(&self, motion: &Differentiated, model: &JitModel, all: &[&What]) -> Vec<f64> {
        let info = model.describe();
        let mut directions = Vec::new();
        // Each is a sum of directions with these factors.
        let mut sums: Vec<Vec<(usize, f64)>> = Vec::new();
        for what in all {
            let first = directions.len();
            match what {
                What::Parameter(name, size) => {
                    let place = info.differentiated.iter().position(|&place| info.parameters[place].name == *name);
                    directions.push(Direction::Parameter(place.unwrap()));
                    sums.push(vec![(first, *size)]);
                }
                What::Velocity(direction) => {
                    directions.extend((0..direction.len()).map(Direction::Velocity));
                    sums.push(direction.iter().enumerate().map(|(k, factor)| (first + k, *factor)).collect());
                }
                What::Sample(input, sample) => {
                    directions.push(Direction::Sample { input: *input, times: self.times(), sample: *sample });
                    sums.push(vec![(first, 1.0)]);
                }
            }
        }
        let mut slopes = DVector::zeros(directions.len());
        let (mut step, mut own) = (0, vec![0.0; info.outputs.len()]);
        let mut outputs = own.clone();
        let visited = motion.sensitivities(&directions, &mut |state, changes| {
            model.outputs(state, &mut outputs);
            let is_end = step == self.steps;
            let weight = if step == 0 || is_end { 0.5 * self.step } else { self.step };
            Self::judge(weight, is_end, &outputs, &mut own);
            slopes += changes.outputs.tr_mul(&DVector::from_column_slice(&own));
            step += 1;
        });
        visited.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(step, self.steps + 1);
        sums.iter().map(|sum| sum.iter().map(|&(place, factor)| factor * slopes[place]).sum()).collect()
    }

    /// Compares all slopes of one kind.
    fn compare(&self, kind: &str, all: &[What], forward: &[f64], backward: &[f64], start: &State) {
        let size = forward.iter().fold(0.0_f64, |size, slope| size.max(slope.abs()));
        let name = format!("{}, {}, {kind}", self.model.describe().name, self.scheme.label());
        assert!(size > 1e-9, "{name}: nothing depends on them");
        for ((what, forward), backward) in all.iter().zip(forward).zip(backward) {
            let exact = self.difference(what, start);
            let which = match what {
                What::Parameter(name, _) => name.clone(),
                What::Velocity(_) => String::new(),
                What::Sample(input, sample) => format!("{input}, {sample}"),
            };
            let missed = [(forward - exact).abs() / size, (backward - forward).abs() / size];
            assert!(
                missed[0] < self.tolerances[0] && missed[1] < self.tolerances[1],
                "{name} {which}: {missed:?}, {forward:e}, {exact:e} of {size:e}"
            );
        }
    }

    fn check(&self) {
        let model = self.with_inputs(None);
        let info = model.describe();
        let start = initial_state(&model).unwrap_or_else(|error| panic!("{error}"));
        let motion =
            Differentiated::new(&model, &*self.scheme).step(self.step).until(self.until()).options(self.options);
        let objective = |instant: &Instant, slopes: &mut Slopes| {
            Self::judge(instant.weight, instant.is_end, instant.outputs, slopes.outputs.as_mut_slice())
        };
        let gradient = motion.gradient(&objective).unwrap_or_else(|error| panic!("{error}"));
        let repeated = motion.clone().checkpoints(3).gradient(&objective).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(repeated, gradient, "{}, {} with three copies", info.name, self.scheme.label());
        let value = self.run(&model, None);
        assert!((gradient.value - value).abs() <= 1e-12 * value.abs(), "{}: {} of {value}", info.name, gradient.value);

        let parameters: Vec<What> = info
            .differentiated
            .iter()
            .map(|&place| {
                let value = model.parameters()[place];
                What::Parameter(info.parameters[place].name.clone(), if value == 0.0 { 0.1 } else { value.abs() })
            })
            .collect();
        let samples: Vec<What> = (0..info.inputs.len())
            .flat_map(|input| (0..TIMES.len()).map(move |sample| What::Sample(input, sample)))
            .collect();
        let forward = self.forward(&motion, &model, &parameters.iter().chain(&samples).collect::<Vec<_>>());
        let (of_parameters, of_samples) = forward.split_at(parameters.len());
        let backward: Vec<f64> = gradient
            .parameters
            .iter()
            .zip(&parameters)
            .map(|(slope, what)| if let What::Parameter(_, size) = what { slope * size } else { f64::NAN })
            .collect();
        self.compare("parameters", &parameters, of_parameters, &backward, &start);
        let backward: Vec<f64> =
            (0..info.inputs.len()).flat_map(|input| gradient.of_samples(input, &self.times())).collect();
        if !samples.is_empty() {
            self.compare("samples", &samples, of_samples, &backward, &start);
        }

        let motion = motion.from(start.clone());
        let velocities = [What::Velocity(tangent(&model, &start))];
        let forward = self.forward(&motion, &model, &velocities.iter().collect::<Vec<_>>());
        let slopes = motion.gradient(&objective).unwrap_or_else(|error| panic!("{error}")).velocity;
        let along = |what: &What| match what {
            What::Velocity(direction) => direction.dot(&DVector::from_column_slice(&slopes)),
            _ => f64::NAN,
        };
        let backward: Vec<f64> = velocities.iter().map(along).collect();
        self.compare("velocities", &velocities, &forward, &backward, &start);
    }
}

/// A direction of the velocities that the constraints allow.
fn tangent(model: &JitModel, state: &State) -> DVector<f64> {
    let (pattern, dims) = (&model.describe().constraint_jacobian, model.dims());
    let mut values = vec![0.0; pattern.nnz()];
    model.constraint_jacobian(state.t, state.q.as_slice(), &mut values);
    let mut rows = DMatrix::zeros(dims.nc, dims.nv);
    pattern.entries().zip(&values).for_each(|(place, value)| rows[place] = *value);
    let any = DVector::from_fn(dims.nv, |i, _| (1.3 * i as f64 + 0.5).sin());
    let allowed = match dims.nc {
        0 => any,
        _ => {
            let held = rows.clone().svd(true, true).solve(&(&rows * &any), 1e-10).unwrap();
            any - held
        }
    };
    0.1 / allowed.amax() * allowed
}

#[test]
fn geometrically_exact_beam() {
    let model = compiled(&with_items(BEAM, "differentiate all;"));
    Case::new(&model, "generalized_alpha", ConstraintLevel::Position, 1e-3, [1e-9, 1e-11]).check();
    Case::new(&model, "esdirk436", ConstraintLevel::Velocity, 1e-3, [1e-9, 1e-11]).check();
}

/// A beam whose frame turns and moves: places of its inner nodes are parts of its length.
#[test]
fn beams_in_floating_frames() {
    for (frame, elements) in [("tangent", 2), ("tangent", 3), ("tangent", 5), ("pinned", 3), ("pinned", 4)] {
        let text = format!(
            "model Arm {{
                planar;
                coordinates joint;
                gravity [0, -9.81] m/s^2;
                param length = 0.9 m;
                param modulus = 2 GPa;
                param mass = 0.28 kg;
                param width = 3 cm;
                param stiffness = 3 N m/rad;
                input push N;
                body cart {{ mass: 2 kg, inertia: 1 kg m^2 }}
                joint rail: prismatic(ground, cart);
                flexible arm: beam_floating_frame {{
                    length: length, elements: {elements}, E: modulus, mass: mass, section: rectangle(2 cm, width),
                    frame: {frame},
                }}
                joint hinge: revolute(cart, arm.root);
                force spring: torsion_spring(hinge) {{ stiffness: stiffness }}
                force push: [push, -2 * push] on arm.tip;
                output tip = arm.tip.position;
                output place = rail.displacement;
                initial hinge.angle.velocity = 3 rad/s;
                differentiate all;
            }}"
        );
        let model = compiled(&text);
        Case::new(&model, "esdirk436", ConstraintLevel::Position, 1e-3, [1e-8, 1e-11]).check();
    }
}

#[test]
fn crank_drive_of_a_v8() {
    let items =
        "differentiate throw, rod_length, rod_mass, piston_mass, final_torque; output rod = rod[1, 2].position.y;";
    let model = compiled(&text_of("v8_crank_drive", items));
    Case::new(&model, "generalized_alpha", ConstraintLevel::Position, 2e-3, [1e-6, 1e-9]).check();
    let explicit = Case::new(&model, "runge_kutta", ConstraintLevel::Velocity, 2e-3, [1e-9, 1e-12]);
    Case { steps: 6, ..explicit }.check();
}

#[test]
fn vessels_with_states_and_with_inputs() {
    let model = compiled(&text_of("floating_body", "differentiate all;"));
    Case::new(&model, "generalized_alpha", ConstraintLevel::Position, 0.1, [1e-9, 1e-12]).check();
    Case::new(&model, "runge_kutta", ConstraintLevel::Position, 0.1, [1e-9, 1e-12]).check();
    // Whose inertia has to remain symmetric.
    let items = "differentiate mass, center_of_mass, added_mass, linear_damping, angular_damping, heave_stiffness;
        output place = hull.position;";
    let model = compiled(&text_of("otter", items));
    Case::new(&model, "esdirk436", ConstraintLevel::Velocity, 0.05, [1e-8, 1e-12]).check();
}

/// The description of a robot with seven joints by its maker, with motors.
#[test]
fn arm_with_seven_joints() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/robots/panda.urdf");
    let description = std::fs::read_to_string(path).unwrap();
    let options = hamel_import::Options { parameters: vec![Parameters::Mass], ..hamel_import::Options::default() };
    let import = Format::Urdf.import(&description, &options).unwrap_or_else(|error| panic!("{error}"));
    let mut items = "differentiate all;".to_owned();
    for k in 1..=7 {
        items += &format!("input motor{k} N m; torque drive{k}: (20 * motor{k}) on panda_joint{k};");
        items += &format!("output angle{k} = panda_joint{k}.angle;");
    }
    items += "initial panda_joint2.angle = 0.5 rad; initial panda_joint4.angle = -1.8 rad;";
    items += "initial panda_joint3.angle.velocity = 0.7 rad/s;";
    let model = compiled(&with_items(&import.model, &items));
    Case::new(&model, "runge_kutta", ConstraintLevel::Position, 0.01, [1e-9, 1e-12]).check();
    Case::new(&model, "generalized_alpha", ConstraintLevel::Position, 0.01, [1e-9, 1e-12]).check();
}
