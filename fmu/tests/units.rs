//! Units of all models: their descriptions, and the motions that importers get of them.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hamel::simulation::Steps;
use hamel::{Model, Simulation, initial_state, schemes};
use hamel_fmu::{Causality, Contents, Instance, Kind, Settings, Side, Stepping, Version};
use hamel_jit::{Cache, JitModel, Level};
use tempfile::TempDir;

/// A unit of a text, unpacked as importers do.
struct Unit {
    folder: TempDir,
    settings: Settings,
    model: JitModel,
}

/// Several tests look at all models, which need not be compiled for each of them and their instances.
fn cache() -> Cache {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("units");
    fs::create_dir_all(&folder).unwrap();
    Cache::in_folder(folder)
}

fn compiled(text: &str, level: Level) -> JitModel {
    // Tests that run side by side come to the same models at the same time.
    static AT_WORK: Mutex<BTreeMap<String, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let of_text = Arc::clone(AT_WORK.lock().unwrap().entry(text.to_owned()).or_default());
    let _one_by_one = of_text.lock();
    hamel_jit::model(text.parse().unwrap(), level, Some(&cache())).unwrap()
}

impl Unit {
    fn new(text: &str, stepping: Option<Stepping>, version: Version) -> Unit {
        Unit::of(compiled(text, Level::Optimised), stepping, version)
    }

    /// With the parameters that the model has.
    fn of(model: JitModel, stepping: Option<Stepping>, version: Version) -> Unit {
        let scheme = schemes::suitable(&model).to_owned();
        Unit::by(model, &scheme, stepping, version)
    }

    fn by(model: JitModel, scheme: &str, stepping: Option<Stepping>, version: Version) -> Unit {
        let scheme = scheme.to_owned();
        let usual = match Steps::suitable(&model, &*schemes::by_name(&scheme, &[]).unwrap(), 1.0) {
            Steps::Fixed(dt) => Stepping::Fixed(dt),
            Steps::Chosen(control) => Stepping::Tolerance(control.relative),
        };
        let contents = Contents {
            text: model.describe().source.clone(),
            version,
            kinds: Vec::new(),
            scheme,
            scheme_parameters: Vec::new(),
            stepping: stepping.unwrap_or(usual),
            until: 1.0,
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("unit.fmu");
        // Any file serves as library of a unit that is used from here.
        let library = folder.path().join("library");
        fs::write(&library, "a library").unwrap();
        let settings = hamel_fmu::write(&model, &contents, &library, &file).unwrap();
        zip::ZipArchive::new(File::open(&file).unwrap()).unwrap().extract(folder.path()).unwrap();
        // What it compiles is kept for a library with this content, which is always the same here.
        fs::remove_dir_all(folder.path().join("binaries")).unwrap();
        Unit { folder, settings, model }
    }

    fn resources(&self) -> PathBuf {
        self.folder.path().join("resources")
    }

    fn description(&self) -> String {
        fs::read_to_string(self.folder.path().join("modelDescription.xml")).unwrap()
    }

    fn instance(&self, kind: Kind) -> Instance {
        Instance::from_cache(&self.resources(), &self.settings.token, kind, Some(&cache())).unwrap()
    }

    /// An instance that is initialized.
    fn started(&self, kind: Kind) -> Instance {
        self.started_with(kind, None)
    }

    /// The same for an importer of this accuracy.
    fn started_with(&self, kind: Kind, tolerance: Option<f64>) -> Instance {
        let mut instance = self.instance(kind);
        instance.set_up(0.0, None, tolerance).unwrap();
        instance.begin_initialization().unwrap();
        instance.exit_initialization().unwrap();
        instance
    }
}

fn reference(instance: &Instance, name: &str) -> u32 {
    let place = instance.variables().all.iter().position(|variable| variable.name == name);
    place.unwrap_or_else(|| panic!("no variable {name}")) as u32
}

fn value(instance: &mut Instance, name: &str) -> f64 {
    let mut value = [f64::NAN];
    let reference = reference(instance, name);
    instance.get(&[reference], &mut value).unwrap();
    value[0]
}

fn sources() -> impl Iterator<Item = (&'static str, String)> {
    sources_of(|_| true)
}

/// Those of models that fit, which are not compiled once more to find out.
fn sources_of(fits: impl Fn(&dyn Model) -> bool) -> impl Iterator<Item = (&'static str, String)> {
    hamel_models::ALL.iter().filter_map(move |entry| {
        let model = (entry.build)(&[]).unwrap();
        fits(&*model).then(|| (entry.name, model.describe().source.clone()))
    })
}

/// A mass on a spring, driven by an input.
const OSCILLATOR: &str = "model Oscillator {
    planar;
    coordinates joint;
    param mass = 1 kg;
    param stiffness = 4 N/m;
    input push N;
    body block { mass: mass, inertia: 1 kg m^2 }
    joint rail: prismatic(ground, block);
    force spring: spring(ground, block) { stiffness: stiffness }
    force driven: [push, 0] on block;
    output place = rail.displacement;
    initial rail.displacement = 1 m;
}";

/// A rod on a hinge that is a constraint.
const ROD: &str = "model Rod {
    planar;
    gravity [0, -9.81] m/s^2;
    param length = 1 m;
    body rod { mass: 1 kg, inertia: 0.1 kg m^2 }
    joint hinge: revolute(ground, rod at [-length, 0]);
    initial rod.angular_velocity = 2 rad/s;
}";

#[test]
fn descriptions_of_all_models_are_consistent() {
    for (name, text) in sources() {
        let model = compiled(&text, Level::AtOnce);
        for version in [Version::Two, Version::Three] {
            let unit = Unit::of(model.another(), None, version);
            let (xml, info) = (unit.description(), unit.model.describe());
            let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{name}: {error}"));
            let all = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).collect::<Vec<_>>();
            let is_two = version == Version::Two;
            let variables = all(if is_two { "ScalarVariable" } else { "Float64" });
            let names: HashSet<&str> = variables.iter().map(|variable| variable.attribute("name").unwrap()).collect();
            assert_eq!(names.len(), variables.len(), "{name}: names are unique");
            for (index, variable) in variables.iter().enumerate() {
                assert_eq!(variable.attribute("valueReference"), Some(index.to_string().as_str()), "{name}");
            }
            let states = info.coordinates.len() + info.velocities.len();
            let derivatives = match is_two {
                true => {
                    all("Derivatives").iter().flat_map(|list| list.children()).filter(|node| node.is_element()).count()
                }
                false => all("ContinuousStateDerivative").len(),
            };
            assert_eq!(derivatives, states, "{name}");
            // Each unit has a definition.
            let units: HashSet<&str> = all("Unit").iter().filter_map(|unit| unit.attribute("name")).collect();
            for node in document.descendants().filter(|node| node.has_tag_name("Float64") || node.has_tag_name("Real"))
            {
                assert!(node.attribute("unit").is_none_or(|unit| units.contains(unit)), "{name}");
            }
            assert_eq!((all("ModelExchange").len(), all("CoSimulation").len()), (1, 1), "{name}");
            let indicators = hamel::nonsmooth::Phases::n_indicators(&unit.model);
            match is_two {
                true => {
                    let said = document.root_element().attribute("numberOfEventIndicators");
                    assert_eq!(said, Some(indicators.to_string().as_str()), "{name}");
                }
                false => assert_eq!(all("EventIndicator").len(), indicators, "{name}"),
            }
        }
    }
}

#[test]
fn dependencies_are_those_of_the_equations() {
    // What a derivative does not depend on does not change it.
    let fits = |model: &dyn Model| model.describe().contacts.is_empty() && model.dims().nq <= 30;
    for (name, text) in sources_of(fits).filter(|(name, _)| !name.contains("beam") && !name.contains("flexible")) {
        let model = compiled(&text, Level::AtOnce);
        let unit = Unit::of(model, None, Version::Three);
        let (xml, info) = (unit.description(), unit.model.describe());
        let document = roxmltree::Document::parse(&xml).unwrap();
        let mut instance = unit.started(Kind::ModelExchange);
        instance.enter_continuous_time_mode().unwrap();
        let n = info.coordinates.len() + info.velocities.len();
        let mut states = vec![0.0; n];
        instance.continuous_states(&mut states).unwrap();
        // Not at rest, where much vanishes.
        states.iter_mut().enumerate().for_each(|(i, state)| *state += 1e-3 * (1.0 + i as f64).sin());
        let mut at = |states: &[f64]| {
            let mut derivatives = vec![0.0; n];
            instance.set_continuous_states(states).unwrap();
            instance.derivatives(&mut derivatives).unwrap();
            derivatives
        };
        let base = at(&states);
        let first = instance.variables().all.iter().position(|variable| variable.name.starts_with("der(")).unwrap() - n;
        let listed = |i: usize| -> Vec<usize> {
            let mut nodes = document.descendants().filter(|node| node.has_tag_name("ContinuousStateDerivative"));
            let node = nodes.nth(i).unwrap();
            assert_eq!(node.attribute("valueReference"), Some((first + n + i).to_string().as_str()));
            node.attribute("dependencies").unwrap().split_whitespace().map(|known| known.parse().unwrap()).collect()
        };
        let mut at = |states: &[f64]| {
            let mut derivatives = vec![0.0; n];
            instance.set_continuous_states(states).unwrap();
            instance.derivatives(&mut derivatives).unwrap();
            derivatives
        };
        for j in 0..n {
            let mut changed = states.clone();
            changed[j] += 1e-4;
            for (i, (new, old)) in at(&changed).iter().zip(&base).enumerate() {
                let rounding = 1e-9 * (1.0 + base.iter().fold(0.0_f64, |size, x| size.max(x.abs())));
                assert!(
                    (new - old).abs() <= rounding || listed(i).contains(&(first + j)),
                    "{name}: derivative {i} changes by {} with state {j}, of which it does not depend",
                    new - old
                );
            }
        }
    }
}

#[test]
fn units_move_as_runs_do() {
    // Large ones take long.
    for (name, text) in sources_of(|model| model.dims().nv <= 12) {
        let unit = Unit::new(&text, None, Version::Three);
        let scheme = schemes::by_name(&unit.settings.scheme, &[]).unwrap();
        let start = initial_state(&unit.model).unwrap();
        let simulation = Simulation::new(&unit.model, &*scheme).until(0.05);
        let run = match unit.settings.stepping {
            Stepping::Fixed(dt) => simulation.step(dt),
            Stepping::Tolerance(tolerance) => simulation.tolerance(tolerance),
        };
        let run = run.run(start);
        run.outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut instance = unit.started(Kind::CoSimulation);
        instance.do_step(0.0, 0.05).unwrap_or_else(|error| panic!("{name}: {error}"));
        // One interval is computed as a run is: the same digits.
        for output in &unit.model.describe().outputs {
            let expected = run.trajectory.column(&output.name).unwrap().next_back().unwrap();
            assert_eq!(value(&mut instance, &output.name).to_bits(), expected.to_bits(), "{name}: {}", output.name);
        }
    }
}

#[test]
fn inputs_are_held_between_communication_points() {
    for stepping in [Stepping::Fixed(1e-3), Stepping::Tolerance(1e-9)] {
        let unit = Unit::new(OSCILLATOR, Some(stepping), Version::Three);
        let mut instance = unit.started(Kind::CoSimulation);
        let push = reference(&instance, "push");
        // 1 → a quarter period with the centre at 1 m: at rest there, then free.
        for k in 0..10 {
            instance.set(&[push], &[if k < 5 { 4.0 } else { 0.0 }]).unwrap();
            instance.do_step(0.1 * f64::from(k), 0.1).unwrap();
        }
        assert!((value(&mut instance, "place") - 1.0_f64.cos()).abs() < 3e-6, "{}", value(&mut instance, "place"));
        assert_eq!(value(&mut instance, "time"), 1.0);
        // What follows from a new input at once.
        instance.set(&[push], &[10.0]).unwrap();
        let expected = 10.0 - 4.0 * value(&mut instance, "place");
        assert!((value(&mut instance, "der(rail.displacement_velocity)") - expected).abs() < 1e-12);
    }
}

/// Classical Runge-Kutta steps of an importer, with events where the unit asks for one; how many there were.
fn integrated(instance: &mut Instance, until: f64, dt: f64) -> usize {
    let n = instance.variables().all.iter().filter(|variable| variable.name.starts_with("der(")).count();
    let (mut x, mut events) = (vec![0.0; n], 0);
    while instance.update_discrete_states().unwrap() {}
    instance.enter_continuous_time_mode().unwrap();
    instance.continuous_states(&mut x).unwrap();
    let steps = (until / dt).round() as usize;
    for step in 0..steps {
        let t = step as f64 * dt;
        let mut slope = |x: &[f64], t: f64| {
            let mut slope = vec![0.0; n];
            instance.set_time(t).unwrap();
            instance.set_continuous_states(x).unwrap();
            instance.derivatives(&mut slope).unwrap();
            slope
        };
        let moved = |by: f64, slope: &[f64]| -> Vec<f64> { x.iter().zip(slope).map(|(x, k)| x + by * k).collect() };
        let k1 = slope(&x, t);
        let k2 = slope(&moved(0.5 * dt, &k1), t + 0.5 * dt);
        let k3 = slope(&moved(0.5 * dt, &k2), t + 0.5 * dt);
        let k4 = slope(&moved(dt, &k3), t + dt);
        for i in 0..n {
            x[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        instance.set_time((step + 1) as f64 * dt).unwrap();
        instance.set_continuous_states(&x).unwrap();
        if instance.completed_integrator_step().unwrap() {
            events += 1;
            instance.enter_event_mode().unwrap();
            assert!(instance.update_discrete_states().unwrap(), "an event moves the state");
            instance.enter_continuous_time_mode().unwrap();
            instance.continuous_states(&mut x).unwrap();
        }
    }
    events
}

#[test]
fn importers_that_integrate_find_the_same_motion() {
    let unit = Unit::new(OSCILLATOR, None, Version::Two);
    let mut instance = unit.started(Kind::ModelExchange);
    assert_eq!(integrated(&mut instance, 1.0, 1e-3), 0);
    assert!((value(&mut instance, "place") - 2.0_f64.cos()).abs() < 1e-12);

    // A constraint, which explicit steps leave, and events restore.
    let unit = Unit::new(ROD, Some(Stepping::Tolerance(1e-10)), Version::Three);
    let mut exact = unit.started(Kind::CoSimulation);
    exact.do_step(0.0, 10.0).unwrap();
    let mut instance = unit.started_with(Kind::ModelExchange, Some(1e-10));
    let events = integrated(&mut instance, 10.0, 1e-2);
    assert!(events > 10, "{events} events");
    let [x, y] = ["rod.x", "rod.y"].map(|name| value(&mut instance, name));
    assert!((x.hypot(y) - 1.0).abs() < 1e-9);
    assert!((x - value(&mut exact, "rod.x")).abs() < 1e-4, "{x} and {}", value(&mut exact, "rod.x"));
}

#[test]
fn an_instance_goes_back_to_a_state_and_on_with_the_same_digits() {
    for text in [OSCILLATOR, ROD] {
        for stepping in [Stepping::Fixed(1e-3), Stepping::Tolerance(1e-7)] {
            let unit = Unit::new(text, Some(stepping), Version::Three);
            let mut instance = unit.started(Kind::CoSimulation);
            instance.do_step(0.0, 0.3).unwrap();
            let kept = instance.snapshot().unwrap();
            let all: Vec<u32> = (0..instance.variables().all.len() as u32).collect();
            let values = |instance: &mut Instance| {
                let mut values = vec![0.0; all.len()];
                instance.get(&all, &mut values).unwrap();
                values
            };
            let step = |instance: &mut Instance| {
                instance.do_step(0.3, 0.2).unwrap();
                // NaN is a value here, too.
                values(instance).iter().map(|value| value.to_bits()).collect::<Vec<u64>>()
            };
            let on = step(&mut instance);
            instance.restore(&kept).unwrap();
            assert_eq!(step(&mut instance), on);
            // In another instance, through bytes.
            let mut bytes = vec![0; kept.len()];
            kept.write(&mut bytes).unwrap();
            let mut other = unit.instance(Kind::CoSimulation);
            let read = other.read_snapshot(&bytes).unwrap();
            assert_eq!(format!("{read:?}"), format!("{kept:?}"));
            other.restore(&read).unwrap();
            assert_eq!(step(&mut other), on);
            bytes[3] ^= 1;
            assert!(other.read_snapshot(&bytes).is_err() && other.read_snapshot(&bytes[1..]).is_err());
        }
    }
}

#[test]
fn parameters_are_set_before_the_start_and_between_steps() {
    let mut model = compiled(OSCILLATOR, Level::Optimised);
    model.set(&[("stiffness", 16.0)]).unwrap();
    let unit = Unit::of(model, Some(Stepping::Tolerance(1e-10)), Version::Three);
    assert!(unit.description().contains("name=\"stiffness\" valueReference=\"2\" causality=\"parameter\" variability=\"tunable\" initial=\"exact\" unit=\"N/m\" start=\"16\""));
    let mut instance = unit.started(Kind::CoSimulation);
    instance.do_step(0.0, 0.5).unwrap();
    assert!((value(&mut instance, "place") - 2.0_f64.cos()).abs() < 1e-8);
    // ω from 4 to 1 rad/s, where the motion is.
    let stiffness = reference(&instance, "stiffness");
    let [x, v] = ["rail.displacement", "rail.displacement_velocity"].map(|name| value(&mut instance, name));
    instance.set(&[stiffness], &[1.0]).unwrap();
    assert!((value(&mut instance, "der(rail.displacement_velocity)") + x).abs() < 1e-12);
    instance.do_step(0.5, 0.5).unwrap();
    assert!((value(&mut instance, "place") - (x * 0.5_f64.cos() + v * 0.5_f64.sin())).abs() < 1e-8);
    // What no spring or body has.
    let mass = reference(&instance, "mass");
    instance.set(&[mass], &[-1.0]).unwrap();
    let error = instance.do_step(1.0, 0.5).unwrap_err().to_string();
    assert!(error.contains("mass"), "{error}");
    instance.set(&[mass], &[1.0]).unwrap();
    instance.do_step(1.0, 0.5).unwrap();
    // A new start.
    instance.reset();
    instance.set(&[stiffness], &[4.0]).unwrap();
    let place = reference(&instance, "rail.displacement");
    instance.set(&[place], &[0.5]).unwrap();
    instance.set_up(0.0, None, None).unwrap();
    instance.begin_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance.do_step(0.0, 1.0).unwrap();
    assert!((value(&mut instance, "place") - 0.5 * 2.0_f64.cos()).abs() < 1e-8);
}

#[test]
fn a_start_that_is_set_is_moved_onto_the_constraints() {
    let unit = Unit::new(ROD, None, Version::Three);
    let mut instance = unit.instance(Kind::CoSimulation);
    let [x, length] = ["rod.x", "length"].map(|name| reference(&instance, name));
    instance.set(&[length, x], &[2.0, 1.9]).unwrap();
    assert!((value(&mut instance, "rod.x").hypot(value(&mut instance, "rod.y")) - 2.0).abs() < 1e-12);
    // What is set stays, and the rest follows.
    assert!((value(&mut instance, "rod.x") - 1.9).abs() < 1e-12);
    assert!((value(&mut instance, "rod.angle").cos() - value(&mut instance, "rod.x") / 2.0).abs() < 1e-12);
    // Far from the start of the model, with a velocity.
    let mut instance = unit.instance(Kind::CoSimulation);
    let [angle, rate] = ["rod.angle", "rod.angle_velocity"].map(|name| reference(&instance, name));
    instance.set(&[angle, rate], &[2.5, 3.0]).unwrap();
    let [x, y] = ["rod.x_velocity", "rod.y_velocity"].map(|name| value(&mut instance, name));
    assert!((value(&mut instance, "rod.x") - 2.5_f64.cos()).abs() < 1e-12);
    assert!((x + 3.0 * 2.5_f64.sin()).abs() < 1e-12 && (y - 3.0 * 2.5_f64.cos()).abs() < 1e-12);
    // All coordinates, with few digits; and what no rod can do.
    let mut instance = unit.instance(Kind::CoSimulation);
    let all = ["rod.x", "rod.y", "rod.angle"].map(|name| reference(&instance, name));
    instance.set(&all, &[0.54, 0.84, 1.0]).unwrap();
    assert!((value(&mut instance, "rod.x").hypot(value(&mut instance, "rod.y")) - 1.0).abs() < 1e-12);
    instance.set(&all, &[3.0, 0.84, 1.0]).unwrap();
    let error = instance.get(&all, &mut [0.0; 3]).unwrap_err().to_string();
    assert!(error.contains("in conflict"), "{error}");
}

/// Moves by what is exact for constant accelerations, for one step or up to the event in it.
fn to_event(instance: &mut Instance, states: &mut [f64; 2], h: f64) -> bool {
    let (t, start) = (instance.time(), *states);
    let mut acceleration = [0.0; 2];
    instance.derivatives(&mut acceleration).unwrap();
    let is_beyond = |h: f64, states: &mut [f64; 2], instance: &mut Instance| {
        let v = start[1] + h * acceleration[1];
        *states = [start[0] + 0.5 * h * (start[1] + v), v];
        instance.set_time(t + h).unwrap();
        instance.set_continuous_states(states).unwrap();
        let mut indicators = [0.0];
        instance.event_indicators(&mut indicators).unwrap();
        indicators[0] < 0.0
    };
    if !is_beyond(h, states, instance) {
        return false;
    }
    let (mut low, mut high) = (0.0, h);
    while high - low > 1e-14 {
        let middle = 0.5 * (low + high);
        *(if is_beyond(middle, states, instance) { &mut high } else { &mut low }) = middle;
    }
    assert!(is_beyond(high, states, instance));
    true
}

#[test]
fn contacts_have_events() {
    let (_, text) = sources().find(|(name, _)| *name == "bouncing_ball").unwrap();
    let unit = Unit::new(&text, None, Version::Three);
    let mut instance = unit.started(Kind::ModelExchange);
    assert!(!instance.update_discrete_states().unwrap());
    instance.enter_continuous_time_mode().unwrap();
    let mut states = [0.0; 2];
    instance.continuous_states(&mut states).unwrap();
    let (mut speed, mut bounces) = ((2.0 * 9.81_f64).sqrt(), 0);
    while instance.time() < 2.0 {
        if !to_event(&mut instance, &mut states, 0.02) {
            continue;
        }
        instance.enter_event_mode().unwrap();
        assert!(instance.update_discrete_states().unwrap());
        instance.continuous_states(&mut states).unwrap();
        instance.enter_continuous_time_mode().unwrap();
        (speed, bounces) = (0.5 * speed, bounces + 1);
        assert_eq!(value(&mut instance, "impacts"), f64::from(bounces));
        assert!((states[1] - speed).abs() < 1e-6 || speed < 1e-3, "bounce {bounces}: {} m/s", states[1]);
    }
    // At rest on the floor, which carries it.
    assert!(bounces < 20 && states[1].abs() < 1e-12);
    assert!((value(&mut instance, "normal_force.floor") - 9.81).abs() < 1e-9);
    // One that has gone past an event is told after its step, and what jumps is refused.
    instance.set_continuous_states(&[states[0] - 1e-4, -1e-5]).unwrap();
    assert!(instance.completed_integrator_step().unwrap());
    instance.enter_event_mode().unwrap();
    instance.update_discrete_states().unwrap();
    instance.continuous_states(&mut states).unwrap();
    assert!(states[1].abs() < 1e-12 && (states[0] - 0.1).abs() < 1e-12, "{states:?}");
    let radius = reference(&instance, "radius");
    instance.set(&[radius], &[0.5]).unwrap();
    let error = instance.update_discrete_states().unwrap_err().to_string();
    assert!(error.contains("`floor`"), "{error}");
    instance.set(&[radius], &[0.1]).unwrap();
    instance.update_discrete_states().unwrap();
    instance.enter_continuous_time_mode().unwrap();
    let wrong = instance.event_indicators(&mut [0.0; 2]).unwrap_err();
    assert_eq!(wrong.to_string(), "2 event indicators, expected 1");
    // What it is after other calls is no longer what it was.
    assert!(instance.snapshot().is_err());
}

#[test]
fn the_same_contents_give_the_same_bytes() {
    let bytes = || fs::read(Unit::new(ROD, None, Version::Two).folder.path().join("unit.fmu")).unwrap();
    assert!(bytes() == bytes());
}

#[test]
fn wrong_calls_are_refused_and_change_nothing() {
    let unit = Unit::new(OSCILLATOR, None, Version::Three);
    let mut instance = unit.instance(Kind::CoSimulation);
    let said = |result: Result<(), hamel_fmu::Fault>| result.unwrap_err().to_string();
    assert_eq!(said(instance.do_step(0.0, 0.1)), "a step is not allowed before its initialization");
    assert_eq!(said(instance.set_up(f64::NAN, None, None)), "the start time is NaN, expected a finite number");
    instance.set_up(0.0, None, None).unwrap();
    instance.begin_initialization().unwrap();
    instance.exit_initialization().unwrap();
    assert_eq!(said(instance.do_step(0.5, 0.1)), "the communication point is 0.5 s, but 0 s is reached");
    assert_eq!(said(instance.do_step(0.0, -0.1)), "the communication step is -0.1 s, expected a positive number");
    let place = reference(&instance, "rail.displacement");
    assert_eq!(said(instance.set(&[place], &[0.5])), "`rail.displacement` cannot be set in step mode");
    let push = reference(&instance, "push");
    let wrong = "the value of `push` is inf, expected a finite number";
    assert_eq!(said(instance.set(&[push, push], &[1.0, f64::INFINITY])), wrong);
    assert_eq!(value(&mut instance, "push"), 0.0);
    assert!(said(instance.get(&[1000], &mut [0.0])).starts_with("there is no value reference 1000"));
    instance.do_step(0.0, 0.1).unwrap();
    instance.terminate().unwrap();
    assert_eq!(said(instance.do_step(0.1, 0.1)), "a step is not allowed terminated");
    let wrong = Instance::new(&unit.resources(), "{other}", Kind::CoSimulation).err().unwrap().to_string();
    assert!(wrong.starts_with("the token is `{other}`"), "{wrong}");
    let missing = Instance::new(Path::new("/nowhere"), "", Kind::CoSimulation).err().unwrap().to_string();
    assert!(missing.starts_with("cannot read `/nowhere/"), "{missing}");
}

#[test]
fn what_a_text_names_is_what_importers_record() {
    let of = |text: &str| {
        let unit = Unit::new(text, None, Version::Three);
        let instance = unit.instance(Kind::CoSimulation);
        let outputs = instance.variables().all.iter().filter(|variable| variable.causality == Causality::Output);
        outputs.map(|variable| variable.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(OSCILLATOR), ["place"]);
    assert_eq!(of(ROD)[..3], ["rod.x", "rod.y", "rod.angle"]);
}

#[test]
fn derivatives_are_the_slopes_of_what_importers_evaluate() {
    let mut count = 0;
    for (name, text) in sources_of(|model| model.describe().contacts.is_empty() && model.dims().nv <= 12) {
        let text = hamel_jit::with_linearization(text.parse().unwrap()).to_string();
        let model = compiled(&text, Level::AtOnce);
        let unit = Unit::of(model, None, Version::Three);
        assert!(unit.description().contains("providesAdjointDerivatives=\"true\""), "{name}");
        let mut instance = unit.started(Kind::ModelExchange);
        instance.enter_continuous_time_mode().unwrap();
        instance.set_time(0.1).unwrap();
        let all = instance.variables().all.clone();
        let of = |is: &dyn Fn(&hamel_fmu::Variable) -> bool| -> Vec<u32> {
            (0..all.len() as u32).filter(|&i| is(&all[i as usize])).collect()
        };
        let n = all.iter().filter(|variable| variable.name.starts_with("der(")).count();
        let slopes = of(&|variable| variable.name.starts_with("der("));
        let states: Vec<u32> = slopes.iter().map(|slope| slope - n as u32).collect();
        let inputs = of(&|variable| variable.causality == Causality::Input);
        let outputs = of(&|variable| variable.causality == Causality::Output && !states_contains(&all, variable, n));
        let (unknowns, knowns) = ([slopes, outputs].concat(), [states, inputs.clone()].concat());

        let mut at = vec![0.0; n];
        instance.continuous_states(&mut at).unwrap();
        at.iter_mut().enumerate().for_each(|(i, x)| *x += 0.02 * (1.0 + 3.0 * i as f64).sin());
        let forces: Vec<f64> = (0..inputs.len()).map(|i| 0.3 - 0.7 * i as f64).collect();
        let point = [at, forces].concat();
        let mut values = |point: &[f64]| {
            instance.set_continuous_states(&point[..n]).unwrap();
            instance.set(&inputs, &point[n..]).unwrap();
            let mut values = vec![0.0; unknowns.len()];
            instance.get(&unknowns, &mut values).unwrap();
            values
        };
        // Along one direction without pattern: differences of sixth order.
        let direction: Vec<f64> = (0..knowns.len()).map(|i| (2.0 + 5.0 * i as f64).cos()).collect();
        let mut moved = |by: f64| values(&point.iter().zip(&direction).map(|(x, d)| x + by * d).collect::<Vec<f64>>());
        let h = 1e-3;
        let ends = [1.0, 2.0, 3.0].map(|k| (moved(k * h), moved(-k * h)));
        let size = values(&point).iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        let expected: Vec<f64> = (0..unknowns.len())
            .map(|i| {
                let [one, two, three] = [0, 1, 2].map(|k| ends[k].0[i] - ends[k].1[i]);
                (45.0 * one - 9.0 * two + three) / (60.0 * h)
            })
            .collect();
        let mut found = vec![0.0; unknowns.len()];
        instance.partial_derivatives(&unknowns, &knowns, Side::Directional, &direction, &mut found).unwrap();
        let largest = expected.iter().fold(size, |largest, x| largest.max(x.abs()));
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let name_of = &all[unknowns[i] as usize].name;
            assert!((found - expected).abs() < 1e-8 * largest, "{name}: {name_of} {found}, expected {expected}");
        }
        // wᵀ (J s) = (Jᵀ w)ᵀ s.
        let weights: Vec<f64> = (0..unknowns.len()).map(|i| (1.0 + 7.0 * i as f64).sin()).collect();
        let mut adjoint = vec![0.0; knowns.len()];
        instance.partial_derivatives(&unknowns, &knowns, Side::Adjoint, &weights, &mut adjoint).unwrap();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (one, other) = (dot(&weights, &found), dot(&adjoint, &direction));
        assert!((one - other).abs() < 1e-12 * largest * knowns.len() as f64, "{name}: {one} and {other}");
        count += 1;
    }
    assert!(count > 20, "{count} models");
}

/// Whether a variable is a state, which is an output of models without outputs.
fn states_contains(all: &[hamel_fmu::Variable], variable: &hamel_fmu::Variable, n: usize) -> bool {
    let first = all.iter().position(|variable| variable.name.starts_with("der(")).unwrap() - n;
    all[first..first + n].contains(variable)
}

#[test]
fn rotations_with_few_digits_are_moved() {
    let free = "model Top { coordinates absolute(euler_parameters); gravity [0, 0, -9.81] m/s^2; \
                body top { mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 } }";
    let held = "model Top { coordinates absolute(euler_parameters); gravity [0, 0, -9.81] m/s^2; \
                body top { mass: 1 kg, inertia: diag(1, 2, 3) kg m^2 } \
                joint tip: spherical(ground, top at [0, 0, -1] m); }";
    for text in [free, held] {
        let unit = Unit::new(text, None, Version::Three);
        let mut instance = unit.instance(Kind::CoSimulation);
        let rotation = ["top.e0", "top.e1", "top.e2", "top.e3"].map(|name| reference(&instance, name));
        // Half a radian about x, with five digits, and about a slanted axis.
        for values in [[0.96891, 0.24740, 0.0, 0.0], [0.83045, 0.33218, 0.16609, 0.41523]] {
            instance.set(&rotation, &values).unwrap();
            let mut found = [0.0; 4];
            instance.get(&rotation, &mut found).unwrap();
            let norm = found.iter().map(|e| e * e).sum::<f64>();
            assert!((norm - 1.0).abs() < 1e-14, "{norm}");
            assert!(found.iter().zip(values).all(|(found, value)| (found - value).abs() < 1e-5), "{found:?}");
            let mut instance = unit.instance(Kind::CoSimulation);
            instance.set_up(0.0, None, None).unwrap();
            instance.set(&rotation, &values).unwrap();
            instance.begin_initialization().unwrap();
            instance.exit_initialization().unwrap();
            instance.do_step(0.0, 0.01).unwrap();
        }
    }
}

#[test]
fn steps_divide_intervals_equally() {
    // A scheme that divides errors of constraints by the length of a step fails with a last one that is a hundredth of it.
    let mut motion = |interval: f64| {
        let unit =
            Unit::by(compiled(ROD, Level::Optimised), "generalized_alpha", Some(Stepping::Fixed(1e-3)), Version::Three);
        let mut instance = unit.started(Kind::CoSimulation);
        let intervals = (0.5 / interval).round() as u32;
        for k in 0..intervals {
            instance.do_step(f64::from(k) * interval, interval).unwrap();
        }
        value(&mut instance, "rod.angle")
    };
    let exact = motion(1e-4);
    let [fits, does_not] = [1e-3, 0.5 / 495.0].map(&mut motion).map(|angle| (angle - exact).abs());
    assert!(does_not < fits && fits < 1e-5, "{fits:e} {does_not:e}");
}

/// Importers do not integrate past a time at which formulas change.
#[test]
fn times_at_which_formulas_change_are_events() {
    let text = OSCILLATOR.replace(
        "input push N;",
        "input push N; param begin = 1.5 s; param width = 1 ms;
        force kick: (if time < begin { 0 N } else { if time < begin + width { 3 N } else { 0 N } }) on rail;",
    );
    let mut instance = Unit::new(&text, None, Version::Three).started(Kind::ModelExchange);
    for (t, expected) in [(0.0, Some(1.5)), (1.5, Some(1.501)), (1.501, None)] {
        instance.set_time(t).unwrap();
        instance.update_discrete_states().unwrap();
        assert_eq!(instance.next_event(), expected, "after {t} s");
    }
}
