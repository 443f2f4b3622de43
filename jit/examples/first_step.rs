//! How long it takes from the text of a model to its first step, stage by stage, and again with what was compiled kept.
//!
//! `first_step [FILE…]`; without files, for a list of models from a pendulum to a beam of 1600 elements.

use std::time::Instant;

use hamel::{Options, initial_state, schemes};
use hamel_compiler::resolve::Provided;
use hamel_compiler::simplify::Limits;
use hamel_import::urdf;
use hamel_jit::{Cache, JitModel, Level};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let texts = if files.is_empty() {
        examples()
    } else {
        let read = |path: String| std::fs::read_to_string(&path).map(|text| (path, text));
        files.into_iter().map(read).collect::<Result<_, _>>()?
    };
    for (name, text) in texts {
        for (limits, level) in [(Limits::at_once(), Level::AtOnce), (Limits::default(), Level::Optimised)] {
            measure(&name, &text, &limits, level)?;
        }
    }
    Ok(())
}

fn examples() -> Vec<(String, String)> {
    let own = ["pendulum", "slider_crank", "v8_crank_drive"].into_iter().filter_map(|name| {
        let model = (hamel_models::find(name)?.build)(&[]).ok()?;
        Some((name.to_owned(), model.describe().source.to_owned()))
    });
    let options = urdf::Options { provide: Provided::DYNAMICS.to_vec(), ..urdf::Options::default() };
    let arm = urdf::import(include_str!("../../verify/data/opcounts/arm7.urdf"), &options);
    let arm = arm.expect("the description is held by the tests").model;
    let chain = include_str!("../../model-compiler/tests/pass/chain.model").replace("const n = 5;", "const n = 100;");
    let given = [
        ("arm7, all functions", arm),
        ("chain of 100, absolute", chain),
        ("chain of 100, joint", PLANAR_CHAIN.to_owned()),
        ("beam of 1600 elements", BEAM.to_owned()),
    ];
    own.chain(given.map(|(name, text)| (name.to_owned(), text))).collect()
}

/// Links on hinges in joint coordinates.
const PLANAR_CHAIN: &str = "model PlanarChain {
    planar;
    coordinates joint;
    const n = 100;
    param length = 0.1 m;
    param mass = 0.05 kg;
    gravity [0, -9.81] m/s^2;
    for k in 0..n { body link[k] { mass: mass, inertia: mass * length^2 / 12 } }
    joint anchor: revolute(ground, link[0] at [-length / 2, 0]);
    for k in 1..n {
        joint pin[k]: revolute(link[k - 1] at [length / 2, 0], link[k] at [-length / 2, 0]);
    }
}";

/// A cantilever that is let go.
const BEAM: &str = "model Beam {
    gravity [0, 0, -9.81] m/s^2;
    flexible rod: beam_three_node {
        length: 2 m, elements: 1600, axial: 2e6 N, shear: [1, 0.8] MN, torsion: 80 N m^2, bending: [120, 150] N m^2,
        mass_per_length: 3 kg/m, inertia_per_length: [2e-4, 1e-4, 1e-4] kg m
    }
    joint clamp: fixed(ground, rod.root);
}";

fn measure(name: &str, text: &str, limits: &Limits, level: Level) -> Result<(), Box<dyn std::error::Error>> {
    let mut times = vec![("", Instant::now())];
    let mut lap = |name| times.push((name, Instant::now()));
    let tokens: proc_macro2::TokenStream = text.parse()?;
    lap("lex");
    let (description, system) = hamel_compiler::understand(tokens.clone())?;
    lap("understand");
    let equations = hamel_compiler::derive::derive(&system);
    lap("derive");
    let (simplified, log) = hamel_compiler::simplify::simplify_equations(&equations, limits);
    lap("simplify");
    let schedule = hamel_compiler::schedule::schedule(&equations, &simplified);
    lap("schedule");
    hamel_compiler::check::check(&system, &simplified, &schedule)?;
    lap("check");
    let source = tokens.to_string();
    let stages = hamel_compiler::Stages { description, system, equations, simplified, log, schedule, source };
    let model = hamel_jit::compile(&stages, level)?;
    lap("compile");
    first_step(&model, &mut lap)?;
    let folder = tempfile::tempdir()?;
    let cache = Cache::in_folder(folder.path());
    hamel_jit::model(text.parse()?, level, Some(&cache))?;
    let mut again = vec![("", Instant::now())];
    let mut lap = |name| again.push((name, Instant::now()));
    let model = hamel_jit::model(text.parse()?, level, Some(&cache))?;
    lap("read");
    first_step(&model, &mut lap)?;
    println!("{name}, {level:?}: {}; again, from the cache: {}", laps(&times), laps(&again));
    Ok(())
}

fn first_step(model: &JitModel, lap: &mut impl FnMut(&'static str)) -> Result<(), Box<dyn std::error::Error>> {
    let state = initial_state(model)?;
    lap("assemble");
    let scheme = schemes::by_name("generalized_alpha", &[])?;
    let mut stepper = scheme.start_with(model, state, &Options::default())?;
    stepper.step(1e-4)?;
    lap("step");
    Ok(())
}

/// The time of all stages, and of each, in ms.
fn laps(times: &[(&str, Instant)]) -> String {
    let between = |from: Instant, to: Instant| 1e3 * (to - from).as_secs_f64();
    let each = times.windows(2).map(|pair| format!("{} {:.1}", pair[1].0, between(pair[0].1, pair[1].1)));
    let each = each.collect::<Vec<_>>().join(", ");
    let total = times.first().zip(times.last()).map_or(0.0, |(first, last)| between(first.1, last.1));
    format!("{total:.0} ms: {each}")
}
