//! Instances in lanes compute what they compute one by one, bit by bit.

use std::path::Path;
use std::sync::LazyLock;

use crate::common::random::Random;
use hamel::abreast::{LaneFunction, LanePoint};
use hamel::lanes::Lanes;
use hamel::schemes::RungeKutta;
use hamel::simulation::{Simulation, Steps, runs_abreast, together};
use hamel::together::{At, InLanes, NotInLanes, Observed};
use hamel::{ConstraintLevel, Direction, Event, Model, Options, Run, Signal, State, initial_state, schemes};
use hamel_jit::{JitModel, Level};

const LANES: usize = 8;

/// Every operation that the language has, with branches on both sides of which lanes are.
const ALL_OPERATIONS: &str = "model All {
    planar;
    coordinates joint;
    param k = 1.3;
    param m = 2 kg;
    input push N;
    body a { mass: m, inertia: 1 kg m^2 }
    body b { mass: 1 kg, inertia: 1 kg m^2 }
    joint x: prismatic(ground, a);
    joint y: revolute(a, b at [0.3, 0.1] m);
    let s = x.displacement / 1 m;
    let w = y.velocity / 1 rad/s;
    force one: [1 N * (abs(s) * s + min(s, w) - max(s, k) + sign(w) * sqrt(1 + s^2)), push] on a;
    force two: [1 N * if s < w { exp(-s) } else { tanh(k * w) }, 1 N * (ln(1 + s^2) + (1 + s^2)^k)] on b;
    torque three: 1 N m * (atan2(s, 1 + w^2) + asin(tanh(s)) + acos(tanh(w)) + atan(s) + tan(0.1 * s)) on b;
    torque four: 1 N m * (sin(s) + cos(2 * w) - sin(time / 1 s)) on b from a;
    output place = b.position;
}";

/// A model in lanes, at both levels.
struct Subject {
    name: String,
    compiled: [JitModel; 2],
}

impl Subject {
    fn new((name, text): &(String, String)) -> Subject {
        let stages = hamel_compiler::stages(text.parse().expect("it lexes"));
        let stages = stages.unwrap_or_else(|error| panic!("{name}: {error}"));
        let at = |level| hamel_jit::compile_in_lanes(&stages, level).unwrap_or_else(|error| panic!("{name}: {error}"));
        Subject { name: name.clone(), compiled: [Level::AtOnce, Level::Optimised].map(at) }
    }
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| hamel_compiler::parallel::map(&texts(), Subject::new));

/// Texts of models, with their names.
fn texts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model-compiler/tests/pass");
    let files = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it is read").path());
    let mut texts: Vec<(String, String)> =
        files.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("it is text"))).collect();
    // Others have constraints, of which the folder has enough.
    texts.extend(hamel_models::ALL.iter().filter_map(|entry| {
        let model = (entry.build)(&[]).expect("without parameters");
        let source = model.describe().source.clone();
        source.contains("coordinates joint").then(|| (entry.name.to_owned(), source))
    }));
    texts.push(("all operations".to_owned(), ALL_OPERATIONS.to_owned()));
    texts.sort();
    texts
}

/// Instances whose parameters and inputs differ.
fn instances(model: &JitModel, random: &mut Random) -> Vec<JitModel> {
    let info = model.describe();
    let instance = |_| {
        let mut instance = model.another();
        let near = |value: f64, random: &mut Random| value * (1.0 + 0.1 * random.next()) + 1e-3 * random.next();
        let parameters: Vec<(&str, f64)> = info
            .parameters
            .iter()
            .zip(model.parameters())
            .map(|(channel, &value)| (channel.name.as_str(), near(value, random)))
            .collect();
        instance.set(&parameters).expect("they are its own");
        for channel in &info.inputs {
            let (size, rate) = (random.next(), 3.0 * random.next());
            let signal = Signal::from(move |t: f64| size + rate * t);
            assert!(instance.set_input(&channel.name, signal).is_ok());
        }
        instance
    };
    (0..LANES).map(instance).collect()
}

/// A state of every size, with values that are not finite in some.
fn state(model: &JitModel, random: &mut Random, round: usize) -> State {
    let mut state = State::zeros(model.dims());
    state.t = random.next().abs();
    for (place, value) in state.q.iter_mut().chain(&mut state.v).chain(&mut state.a).enumerate() {
        *value = match (round, random.next()) {
            (20.., chosen) if chosen > 0.8 => [f64::NAN, f64::INFINITY, -0.0, 3e6, 1e-310][place % 5],
            _ => 3.0 * random.next(),
        };
    }
    state
}

fn assert_same(found: f64, expected: f64, what: &str) {
    assert!(
        found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
        "{what}: {found}, {expected}"
    );
}

#[test]
fn functions_in_lanes_have_the_bits_of_single_calls() {
    let check = |Subject { name, compiled }: &Subject| {
        let mut random = Random(7);
        let mut compared = [0; 2];
        for model in compiled {
            let instances = instances(model, &mut random);
            let models: Vec<&JitModel> = instances.iter().collect();
            for round in [0, 1, 20, 21] {
                let states: Vec<State> = models.iter().map(|model| state(model, &mut random, round)).collect();
                let models: Vec<&dyn Model> = instances.iter().map(|instance| instance as &dyn Model).collect();
                compared[0] += compare_abreast(name, &models, &states);
            }
            let Ok(group) = JitModel::group(&models) else { continue };
            compared[1] += 1;
            for round in 0..40 {
                let states: Vec<State> = models.iter().map(|model| state(model, &mut random, round)).collect();
                compare(name, &group, &models, &states);
            }
        }
        compared
    };
    let compared = hamel_compiler::parallel::map(&SUBJECTS, check);
    let [abreast, in_lanes] = [0, 1].map(|kind| compared.iter().map(|counts| counts[kind]).sum::<usize>());
    assert!(abreast >= 1500 && in_lanes >= 16, "only {abreast} functions and {in_lanes} models are in lanes");
}

fn compare(name: &str, group: &<JitModel as InLanes<LANES>>::Group, models: &[&JitModel], states: &[State]) {
    let of = |get: &dyn Fn(usize) -> f64| Lanes::<LANES>(std::array::from_fn(get));
    let (info, dims) = (models[0].describe(), models[0].dims());
    let list = |n: usize, get: &dyn Fn(usize, usize) -> f64| -> Vec<Lanes<LANES>> {
        (0..n).map(|k| of(&|lane| get(lane, k))).collect()
    };
    let mut of_inputs = vec![vec![0.0; info.inputs.len()]; LANES];
    for lane in 0..LANES {
        models[lane].input_values(states[lane].t, &mut of_inputs[lane]);
    }
    let t = of(&|lane| states[lane].t);
    let inputs = list(info.inputs.len(), &|lane, k| of_inputs[lane][k]);
    let q = list(dims.nq, &|lane, k| states[lane].q[k]);
    let v = list(dims.nv, &|lane, k| states[lane].v[k]);
    let a = list(dims.nv, &|lane, k| states[lane].a[k]);
    let mut found = vec![Lanes([f64::NAN; LANES]); dims.nv];
    JitModel::accelerate(group, t, &inputs, &q, &v, &mut found);
    let mut observed = Observed { outputs: list(info.outputs.len(), &|_, _| f64::NAN), ..Observed::default() };
    let at = At { t: &t, inputs: &inputs, q: &q, v: &v };
    JitModel::observe(group, at, &a, &mut observed);
    let power = JitModel::power_in_lanes(group, at);
    assert_eq!(power.is_none(), info.is_conservative);
    for (lane, (model, state)) in models.iter().zip(states).enumerate() {
        let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
        let mut expected = vec![0.0; dims.nv];
        assert!(model.acceleration(t, q, v, &mut expected));
        let what = |what: &str| format!("{what} of {name}, lane {lane}");
        for (found, expected) in found.iter().zip(expected) {
            assert_same(found.0[lane], expected, &what("acceleration"));
        }
        let energy = model.energy(t, q, v);
        let [kinetic, potential] = observed.energy.expect("energies are in lanes");
        assert_same(kinetic.0[lane], energy.kinetic, &what("kinetic energy"));
        assert_same(potential.0[lane], energy.potential, &what("potential energy"));
        if let (Some(power), Some(expected)) = (power, model.power(t, q, v)) {
            assert_same(power.0[lane], expected, &what("power"));
        }
        let mut outputs = vec![0.0; info.outputs.len()];
        model.outputs(state, &mut outputs);
        if observed.has_outputs {
            for (found, expected) in observed.outputs.iter().zip(outputs) {
                assert_same(found.0[lane], expected, &what("output"));
            }
        }
    }
}

/// What steppers of several instances ask for, of models with constraints too; how many functions there are.
fn compare_abreast(name: &str, models: &[&dyn Model], states: &[State]) -> usize {
    let Some(mut functions) = models[0].functions_abreast(models) else { return 0 };
    let (info, dims) = (models[0].describe(), models[0].dims());
    let of = |get: &dyn Fn(&State) -> &[f64]| -> Vec<Lanes<LANES>> {
        (0..get(&states[0]).len()).map(|k| Lanes(std::array::from_fn(|lane| get(&states[lane])[k]))).collect()
    };
    let lists = [
        of(&|state| state.q.as_slice()),
        of(&|state| state.v.as_slice()),
        of(&|state| state.a.as_slice()),
        of(&|state| state.lambda.as_slice()),
    ];
    let numbers = |list: &[Lanes<LANES>]| -> Vec<f64> { list.iter().flat_map(|lanes| lanes.0).collect() };
    let [q, v, a, lambda] = lists.each_ref().map(|list| numbers(list));
    let at = LanePoint { t: states[0].t, q: &q, v: &v, a: &a, lambda: &lambda, wanted: [true; LANES] };
    let (nnz, factors) = (|pattern: &hamel::SparsityPattern| pattern.nnz(), [0.7, -0.2, 1.3]);
    let all = [
        (LaneFunction::Residual, vec![dims.nv, dims.nc]),
        (LaneFunction::IterationMatrix(factors), vec![nnz(&info.iteration_matrix)]),
        (LaneFunction::Damping, vec![nnz(&info.damping)]),
        (LaneFunction::Stiffness, vec![nnz(&info.stiffness)]),
        (LaneFunction::Acceleration, vec![dims.nv]),
        (LaneFunction::Constraint, vec![dims.nc]),
        (LaneFunction::ConstraintJacobian, vec![nnz(&info.constraint_jacobian)]),
        (LaneFunction::ConstraintBias, vec![dims.nc, dims.nc]),
        (LaneFunction::Energy, vec![1, 1]),
        (LaneFunction::Power, vec![1]),
        (LaneFunction::Outputs, vec![info.outputs.len()]),
    ];
    let mut compared = 0;
    for (function, lengths) in all {
        let mut found: Vec<Vec<f64>> = lengths.iter().map(|n| vec![f64::NAN; LANES * n]).collect();
        let mut results: Vec<&mut [f64]> = found.iter_mut().map(Vec::as_mut_slice).collect();
        if !functions.evaluate(function, &at, &mut results) {
            continue;
        }
        compared += 1;
        for (lane, (model, state)) in models.iter().zip(states).enumerate() {
            let state = State { t: states[0].t, ..state.clone() };
            let (t, q, v) = (state.t, state.q.as_slice(), state.v.as_slice());
            let mut expected: Vec<Vec<f64>> = lengths.iter().map(|&n| vec![0.0; n]).collect();
            let (first, rest) = expected.split_at_mut(1);
            let first = &mut first[0];
            match function {
                LaneFunction::Residual => model.residual(&state, first, &mut rest[0]),
                LaneFunction::IterationMatrix([ca, cv, cq]) => model.iteration_matrix(&state, ca, cv, cq, first),
                LaneFunction::Damping => model.damping(&state, first),
                LaneFunction::Stiffness => model.stiffness(&state, first),
                LaneFunction::Acceleration => assert!(model.acceleration(t, q, v, first)),
                LaneFunction::Constraint => model.constraint(t, q, first),
                LaneFunction::ConstraintJacobian => model.constraint_jacobian(t, q, first),
                LaneFunction::ConstraintBias => model.constraint_bias(t, q, v, first, &mut rest[0]),
                LaneFunction::Energy => {
                    let energy = model.energy(t, q, v);
                    (first[0], rest[0][0]) = (energy.kinetic, energy.potential);
                }
                LaneFunction::Power => first[0] = model.power(t, q, v).unwrap_or(found[0][lane]),
                LaneFunction::Outputs => model.outputs(&state, first),
            }
            for (found, expected) in found.iter().zip(expected) {
                for (found, expected) in found.iter().skip(lane).step_by(LANES).zip(expected) {
                    assert_same(*found, expected, &format!("{function:?} of {name}, lane {lane}"));
                }
            }
        }
    }
    compared
}

/// Schemes for a model that they suit, a fourth of them, with constraints where the scheme prefers them and elsewhere: some
/// runs fail at the start or on the way, and one meets an event. How many come to their end.
fn compare_schemes(name: &str, model: &JitModel) -> usize {
    let mut random = Random(17);
    let mut compared = 0;
    for (number, scheme) in schemes::all().into_iter().enumerate().skip(name.len() % 4).step_by(4) {
        let (count, step, record_every) = [(8, 1e-2, 1), (5, 3e-3, 4), (7, 0.1, 2)][number % 3];
        let until = [6.0, 7.3][number % 2] * step;
        if !runs_abreast(model, &*scheme, Steps::Fixed(step), until) {
            continue;
        }
        let mut instances = instances(model, &mut random);
        instances.truncate(count);
        let starts: Vec<State> = instances.iter().map(|instance| start(instance, &mut random)).collect();
        let level = [None, Some(ConstraintLevel::Velocity), Some(ConstraintLevel::Acceleration)][number % 3];
        let options = Options { constraint_level: level, ..Options::default() };
        let passes = |state: &State| state.t - 3.5 * step;
        let event = Event { function: &passes, direction: Direction::Rising, is_terminal: true };
        let simulation = |lane: usize| {
            let simulation = Simulation::new(&instances[lane], &*scheme).options(options).step(step).until(until);
            let simulation = simulation.record_every(record_every);
            if lane == 2 { simulation.event(event) } else { simulation }
        };
        let runs = (0..count).map(|lane| (&instances[lane], simulation(lane), starts[lane].clone()));
        let found = together::<_, LANES>(runs.collect());
        for (lane, start) in starts.iter().enumerate() {
            let expected = simulation(lane).run(start.clone());
            let what = format!("{name}, {}, {level:?}, lane {lane} of {count}, step {step}", scheme.label());
            assert_same_runs(&found[lane], &expected, &what);
            compared += usize::from(expected.outcome.is_ok());
        }
    }
    compared
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn assert_same_runs(found: &Run, expected: &Run, what: &str) {
    let said = |run: &Run| format!("{:?} {:?} {:?}", run.outcome, run.cautions, run.occurrences);
    assert_eq!(said(found), said(expected), "{what}");
    assert_eq!([found.accepted, found.rejected], [expected.accepted, expected.rejected], "{what}");
    assert_eq!(found.trajectory.len(), expected.trajectory.len(), "{what}");
    for (found, expected) in found.trajectory.rows().zip(expected.trajectory.rows()) {
        assert_eq!(bits(found), bits(expected), "{what}");
    }
}

/// Trajectories, cautions, errors and counts, for any number of instances; some fail at the start, some on the way.
#[test]
fn runs_in_lanes_have_the_bits_of_single_runs() {
    let check = |Subject { name, compiled: [model, _] }: &Subject| {
        let mut random = Random(11);
        for (count, step, record_every) in [(8, 1e-2, 1), (3, 3e-3, 4), (8, 0.3, 2), (1, 1e-2, 1)] {
            let mut instances = instances(model, &mut random);
            instances.truncate(count);
            // Others run one by one, here a little.
            let until = if JitModel::group(&[model]).is_ok() { 0.25 } else { 2.0 * step };
            let starts: Vec<State> = instances.iter().map(|instance| start(instance, &mut random)).collect();
            let simulation =
                |model| Simulation::new(model, &RungeKutta).step(step).until(until).record_every(record_every);
            let runs = instances.iter().zip(&starts).map(|(model, start)| (model, simulation(model), start.clone()));
            let found = together::<_, LANES>(runs.collect());
            for (lane, (model, start)) in instances.iter().zip(starts).enumerate() {
                let expected = simulation(model).run(start);
                assert_same_runs(&found[lane], &expected, &format!("{name}, lane {lane} of {count}, step {step}"));
            }
        }
        compare_schemes(name, model)
    };
    let compared: usize = hamel_compiler::parallel::map(&SUBJECTS, check).into_iter().sum();
    assert!(compared >= 900, "only {compared} runs by other schemes have come to their end");
}

/// A consistent state where there is one, mostly; else zeros or what is not finite.
fn start(model: &JitModel, random: &mut Random) -> State {
    let mut state = initial_state(model).unwrap_or_else(|_| State::zeros(model.dims()));
    if model.describe().constraints.is_empty() {
        state.v.iter_mut().for_each(|v| *v += random.next());
        match random.next() {
            chosen if chosen > 0.9 => state.v[0] = f64::NAN,
            chosen if chosen > 0.8 => state.v.iter_mut().for_each(|v| *v *= 1e160),
            _ => {}
        }
    }
    state
}

#[test]
fn instances_that_do_not_fit_say_why() {
    let compiled = |text: &str| {
        let [model, _] = Subject::new(&(text.to_owned(), text.to_owned())).compiled;
        model
    };
    let reason = |text: &str| JitModel::group(&[&compiled(text)]).err();
    let crank = "model A { planar; body a { mass: 1 kg, inertia: 1 kg m^2 } joint j: revolute(ground, a); }";
    assert_eq!(reason(crank), Some(NotInLanes::Constraints));
    let top = "model A { coordinates joint; body a { mass: 1 kg, inertia: diag(1, 1, 2) kg m^2 } joint j: spherical(ground, a); }";
    assert_eq!(reason(top), Some(NotInLanes::Rotations));
    let rail = "model A { planar; coordinates joint; body a { mass: 1 kg, inertia: 1 kg m^2 } joint j: prismatic(ground, a); }";
    assert_eq!(reason(rail), None);
    let [one, other] = [rail, rail].map(compiled);
    assert_eq!(JitModel::group(&[&one, &other]).err(), Some(NotInLanes::Different));
    let stages = hamel_compiler::stages(rail.parse().expect("it lexes")).expect("it is a model");
    let without = hamel_jit::compile(&stages, Level::AtOnce).expect("it compiles");
    assert_eq!(JitModel::group(&[&without]).err(), Some(NotInLanes::NotCompiled));
    let stop = rail.replace("prismatic(ground, a);", "prismatic(ground, a); contact c { gap: j.displacement }");
    assert_eq!(reason(&stop), Some(NotInLanes::Contacts));
}
