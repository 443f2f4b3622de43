//! A motion, run as often as asked for; `peers/steps.py` times it beside other tools.
//!
//! `motion model=heavy_top scheme=generalized_alpha until=1 step=1e-4 print=position_x,position_y`; with `tolerance=1e-6`
//! instead of `step`, step size control chooses the steps; `from=1` starts at this time instead of 0.
//! `model.NAME=VALUE` sets a parameter of the model, `scheme.NAME=VALUE` one of the scheme; `newton=1e-6` ends Newton's
//! iterations at this relative tolerance instead of at rounding.
//!
//! `instances=64` runs so many double pendulums in lanes, of which later ones start with a little more speed, and prints the
//! tip of the first.
//!
//! Every line of standard input runs the motion once and is answered by a line: seconds a step, steps, rejected steps,
//! Newton iterations, factorizations, and the printed columns at the end.

mod arm;
mod lanes;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use hamel::{Model, Options, Scheme, Simulation, State, consistent_acceleration, initial_state, schemes};
use hamel_benches::chains;

fn main() -> Result<(), Box<dyn Error>> {
    let mut settings = BTreeMap::new();
    for argument in std::env::args().skip(1) {
        let (name, value) =
            argument.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found `{argument}`"))?;
        settings.insert(name.to_owned(), value.to_owned());
    }
    if let Some(instances) = settings.remove("instances") {
        return lanes::run(instances.parse()?, &settings);
    }
    let parameters = [parameters(&settings, "model.")?, parameters(&settings, "scheme.")?];
    let mut take = |name: &str| settings.remove(name).ok_or_else(|| format!("`{name}=…` is missing"));
    let model = model(&take("model")?, &parameters[0])?;
    let of_scheme: Vec<(&str, f64)> = parameters[1].iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let scheme = schemes::by_name(&take("scheme")?, &of_scheme)?;
    let until: f64 = take("until")?.parse()?;
    let from: f64 = take("from").map_or(Ok(0.0), |from| from.parse())?;
    let mut options = Options::default();
    if let Ok(tolerance) = take("newton") {
        options.tolerance.relative = tolerance.parse()?;
    }
    let print: Vec<String> = take("print")?.split(',').map(str::to_owned).collect();
    let steps = match take("tolerance") {
        Ok(tolerance) => Steps::Chosen(tolerance.parse()?),
        Err(_) => Steps::Fixed(take("step")?.parse()?),
    };
    let rest = settings.keys().find(|name| !name.starts_with("model.") && !name.starts_with("scheme."));
    if let Some(name) = rest {
        return Err(format!("there is no setting `{name}`").into());
    }
    let mut start = initial_state(&*model)?;
    start.t = from;
    consistent_acceleration(&*model, &mut start)?;
    for line in std::io::stdin().lock().lines() {
        line?;
        println!("{}", run(&*model, &*scheme, &options, &start, steps, until, &print)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Steps {
    Fixed(f64),
    Chosen(f64),
}

/// Settings whose names begin with `prefix`, without it.
fn parameters(settings: &BTreeMap<String, String>, prefix: &str) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
    let named = settings.iter().filter_map(|(name, value)| Some((name.strip_prefix(prefix)?, value)));
    named.map(|(name, value)| Ok((name.to_owned(), value.parse()?))).collect()
}

fn model(name: &str, parameters: &[(String, f64)]) -> Result<Box<dyn Model>, Box<dyn Error>> {
    if let Some(entry) = hamel_models::find(name) {
        return Ok((entry.build)(parameters)?);
    }
    if !parameters.is_empty() {
        return Err(format!("`{name}` is no model of `hamel-models`, whose parameters alone can be set").into());
    }
    if name == "arm" {
        return Ok(Box::new(arm::Arm7::default()));
    }
    chains::find(name).ok_or_else(|| format!("there is no model `{name}`").into())
}

fn run(
    model: &dyn Model,
    scheme: &dyn Scheme,
    options: &Options,
    start: &State,
    steps: Steps,
    until: f64,
    print: &[String],
) -> Result<String, Box<dyn Error>> {
    let simulation = Simulation::new(model, scheme).options(options.clone()).until(until).record_every(usize::MAX);
    let simulation = match steps {
        Steps::Fixed(step) => simulation.step(step),
        Steps::Chosen(tolerance) => simulation.tolerance(tolerance),
    };
    let begin = Instant::now();
    let run = simulation.run(start.clone());
    let seconds = begin.elapsed().as_secs_f64();
    let stats = run.outcome?;
    let mut line = format!(
        "{:e} {} {} {} {}",
        seconds / run.accepted as f64,
        run.accepted,
        run.rejected,
        stats.newton_iterations,
        stats.factorizations
    );
    for name in print {
        let last = run.trajectory.column(name)?.next_back().ok_or("nothing was recorded")?;
        line += &format!(" {last:e}");
    }
    Ok(line)
}
