//! `hamel linearize`: eigenvalues, modes, matrices, responses and root loci of a model.

mod results;

use std::path::PathBuf;
use std::str::FromStr;

use hamel::linearize::{About, Linearization, Mode, Monodromy, locus, monodromy};
use hamel::nalgebra::Complex;
use hamel::simulation::Steps;
use hamel::{Model, Signal, Simulation, State, initial_state, schemes};
use hamel_jit::JitModel;
use hamel_report::folder::Folder;
use hamel_report::number::readable;
use hamel_report::provenance;
use hamel_sweep::{SweepError, Values};

use crate::failure::Failure;
use crate::motion::interrupted;
use crate::quantity::{self, Given};
use crate::runnable::{self, Compiled, Settings, unit_of};
use crate::screen::Screen;
use crate::source::Choice;
use results::{Followed, Results};

/// Relative tolerance of motions to a time, and of monodromy matrices.
const TOLERANCE: f64 = 1e-10;
/// Most natural motions that are listed.
const LISTED: usize = 40;
/// Digits of eigenvalues.
const DIGITS: usize = 9;
/// Real parts below this part of the magnitude of the eigenvalue are below the digits that are shown.
const UNSEEN: f64 = 1e-9;
/// A state leaps where a coordinate moves so many times farther than beside that, and by more than the second, m or rad.
const LEAP: f64 = 10.0;
const NOTABLE: f64 = 0.1;
/// Most values of a state, and most outputs, that are listed.
const PLACES: usize = 12;
/// Most components of a natural motion that are named.
const NAMED: usize = 3;

/// Arguments of `hamel linearize`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
    /// About what: `equilibrium` (found from the initial state), `steady` (the steady motion of the initial state),
    /// `initial` (that state, whatever its motion), `time=T` (the state at T seconds), or `periodic=T` (the motion of
    /// the initial state with this period: multipliers in place of eigenvalues).
    #[arg(long, value_name = "WHAT", default_value = "equilibrium")]
    at: At,
    /// Follow eigenvalues over a parameter or a constant input, in SI units or with theirs: --vary speed=0..10:101
    #[arg(long, value_name = "NAME=VALUES", value_parser = varied)]
    vary: Option<Given<Values>>,
    /// Frequencies of the responses, Hz, in a range of logarithms: --frequencies 0.1..100:400; by default around the
    /// natural frequencies.
    #[arg(long, value_name = "LOW..HIGH:COUNT", conflicts_with = "vary")]
    frequencies: Option<Values>,
    #[command(flatten)]
    settings: Settings,
    /// Write matrices, modes, responses or the root locus to this folder, as tables and figures.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace files in the folder that others have written or changed.
    #[arg(long, requires = "out")]
    force: bool,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
}

/// About what.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Equilibrium,
    Steady,
    Initial,
    Time(f64),
    Periodic(f64),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<At, String> {
        let seconds = |text: &str| match text.trim().parse::<f64>() {
            Ok(time) if time > 0.0 && time.is_finite() => Ok(time),
            _ => Err(format!("expected a positive time in s, found `{text}`")),
        };
        match text.split_once('=') {
            None if text == "equilibrium" => Ok(At::Equilibrium),
            None if text == "steady" => Ok(At::Steady),
            None if text == "initial" => Ok(At::Initial),
            Some(("time", time)) => Ok(At::Time(seconds(time)?)),
            Some(("periodic", time)) => Ok(At::Periodic(seconds(time)?)),
            _ => Err("expected equilibrium, steady, initial, time=T or periodic=T".to_owned()),
        }
    }
}

/// `NAME=VALUES`.
fn varied(text: &str) -> Result<Given<Values>, String> {
    quantity::given(text, |values| values.parse().map_err(|error: SweepError| error.to_string()))
}

/// Values over which eigenvalues are followed, at most: they are written once all of them are known.
const MOST_VALUES: usize = 100_000;

/// Linearises a model, once or for many values of a parameter.
pub(crate) fn linearize(arguments: &Arguments, screen: &mut Screen) -> Result<(), Failure> {
    let compiled = Compiled::new(&arguments.choice, &arguments.settings, hamel_jit::with_linearization)?;
    let Compiled { name, model, not_given, .. } = &compiled;
    if !arguments.json {
        for input in
            not_given.iter().filter(|input| arguments.vary.as_ref().is_none_or(|varied| varied.name != **input))
        {
            screen.line(format!("input {input} is 0; see --input"))?;
        }
    }
    if arguments.frequencies.is_some() && arguments.out.is_none() {
        return Err(Failure::Usage(
            "--frequencies: responses are written to files, expected --out DIR, too".to_owned(),
        ));
    }
    let mut results = match (&arguments.vary, arguments.at) {
        (Some(_), At::Periodic(_)) => {
            return Err(Failure::Usage("--vary follows eigenvalues, which `--at periodic` does not have".to_owned()));
        }
        (Some(varied), at) => {
            varied.check_unit("--vary", unit_of(model, &varied.name))?;
            let set = arguments.settings.values();
            let names = set.iter().map(|(name, _)| name.as_str()).chain([varied.name.as_str()]);
            if set.iter().any(|(name, _)| *name == varied.name) {
                return Err(Failure::Usage(format!("`{}` is varied, and given by --set as well", varied.name)));
            }
            runnable::each_parameter_once(model, "--vary and --set", names)?;
            let values = varied.value.grid()?;
            if values.len() > MOST_VALUES {
                return Err(Failure::Usage(format!(
                    "--vary {}: expected at most {MOST_VALUES} values, found {}",
                    varied.name,
                    values.len()
                )));
            }
            Results::Locus(follow(&compiled, (&varied.name, &values), at)?)
        }
        (None, At::Periodic(period)) => Results::Periodic(monodromy(model, &initial_state(model)?, period, TOLERANCE)?),
        (None, at) => {
            let linear = about(model, at)?;
            let modes = linear.modes()?;
            let frequencies = match &arguments.frequencies {
                Some(values) => logarithmic(values)?,
                None => suitable_frequencies(&modes),
            };
            let outputs = outputs_of(model, &linear.state);
            Results::Instant { modes, frequencies, linear: Box::new(linear), outputs }
        }
    };
    if let Some(out) = &arguments.out {
        let files = results.files(name);
        let mut folder = Folder::open(out, &provenance::command(), arguments.force)?;
        folder.check(files.iter().map(String::as_str))?;
        results.stage(&mut folder, name)?;
        folder.commit()?;
        folder.finish()?;
    }
    let ended = match &mut results {
        Results::Locus(followed) => followed.ended.take().map_or(Ok(()), Err),
        _ => Ok(()),
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&results.json()).map_err(std::io::Error::from)?;
        screen.line(text)?;
        return ended;
    }
    show(&results, screen)?;
    if let Results::Locus(Followed { leap: Some(leap), .. }) = &results {
        screen.line(format!("caution: {leap}"))?;
    }
    if let Results::Instant { linear, .. } = &results {
        linear.doubts.iter().try_for_each(|doubt| screen.line(format!("caution: {doubt}")))?;
    }
    if let Some(out) = &arguments.out {
        screen.line(format!("written to {}: {}", out.display(), results.files(name).join(", ")))?;
    }
    ended
}

/// The linearisation of a model.
fn about(model: &JitModel, at: At) -> Result<Linearization, Failure> {
    let start = initial_state(model)?;
    let (state, about) = match at {
        At::Equilibrium => (start, About::Equilibrium),
        At::Steady => (start, About::Steady),
        At::Initial | At::Periodic(_) => (start, About::State),
        At::Time(time) => (state_at(model, start, time)?, About::State),
    };
    Ok(hamel::linearize(model, &state, about)?)
}

/// The state at a time of the motion from another.
fn state_at(model: &JitModel, start: State, time: f64) -> Result<State, Failure> {
    let name = schemes::suitable(model);
    let scheme = schemes::by_name(name, &[])?;
    let steps = match Steps::suitable(model, &*scheme, time) {
        Steps::Chosen(_) => Steps::with_tolerance(TOLERANCE, time),
        fixed @ Steps::Fixed(_) => fixed,
    };
    let mut last = start.clone();
    let run = Simulation::new(model, &*scheme)
        .steps(steps)
        .until(time)
        .on_step(|state| last = state.clone())
        .cancelled_by(interrupted())
        .run(start);
    run.outcome?;
    Ok(last)
}

/// Eigenvalues over a parameter or an input.
fn follow(compiled: &Compiled, (parameter, values): (&str, &[f64]), at: At) -> Result<Followed, Failure> {
    let info = compiled.model.describe();
    let is_input = info.inputs.iter().any(|input| input.name == parameter);
    let channel = info.inputs.iter().chain(&info.parameters).find(|channel| channel.name == parameter);
    let unit = channel.map_or_else(|| "1".to_owned(), |channel| channel.unit.clone());
    let is_ascending = values.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_ascending && !values.windows(2).all(|pair| pair[0] > pair[1]) {
        return Err(Failure::Usage(format!("--vary {parameter}: expected ascending or descending values")));
    }
    let (mut stated, mut outputs) = (Vec::new(), vec![Vec::new(); values.len()]);
    let mut places = vec![Vec::new(); values.len()];
    let mut beside: Option<State> = None;
    let mut at_value = |value: f64| -> Result<Vec<Complex<f64>>, Failure> {
        let mut model = compiled.model.another();
        for (input, signal) in &compiled.inputs {
            // The name is known.
            let _ = model.set_input(input, signal.clone());
        }
        if is_input {
            let _ = model.set_input(parameter, Signal::from(value));
        } else {
            model.set(&[(parameter, value)]).map_err(|error| {
                let known = error.known.iter().chain(&model.describe().inputs).map(|channel| channel.name.as_str());
                Failure::unknown("parameter or input", &error.name, known)
            })?;
        }
        // Where none is found from the start of the model, there may be one beside that for the value before.
        let linear = match (about(&model, at), &beside, at) {
            (Err(failure), Some(beside), At::Equilibrium) => {
                hamel::linearize(&model, beside, About::Equilibrium).map_err(|_| failure)
            }
            (found, ..) => found,
        };
        let linear = linear.map_err(|failure| failure.prefixed(&format!("{parameter} = {value}")))?;
        stated = linear.states.clone();
        beside = Some(linear.state.clone());
        if let Some(place) = values.iter().position(|known| *known == value) {
            outputs[place] = outputs_of(&model, &linear.state);
            places[place] = linear.state.q.as_slice().to_vec();
        }
        Ok(linear.eigenvalues()?)
    };
    // What was found before a value without an equilibrium is not lost: a spectrum without eigenvalues ends the branches.
    let (mut has_begun, mut ended) = (false, None);
    let found = locus(values, |value| match at_value(value) {
        Ok(eigenvalues) => {
            has_begun = true;
            Ok(eigenvalues)
        }
        Err(failure) if has_begun => {
            ended = ended.take().or(Some(failure));
            Ok(Vec::new())
        }
        Err(failure) => Err(failure),
    })?;
    let ended = values.get(found.values.len()).map(|value| {
        let other = || Failure::Solver(format!("{parameter} = {value}: the number of eigenvalues is another"));
        ended.unwrap_or_else(other).followed_by(&format!("help: the eigenvalues before {parameter} = {value} are told"))
    });
    outputs.truncate(found.values.len());
    let (model, parameter) = (info.name.clone(), parameter.to_owned());
    let leap = leap(&places).map(|(place, coordinate)| {
        let [before, after] = [place - 1, place].map(|place| &places[place][coordinate]);
        let (name, ends) = (&info.coordinates[coordinate].name, [values[place - 1], values[place]]);
        format!(
            "between {parameter} = {} and {} `{name}` leaps from {} to {}: eigenvalues may be those of another equilibrium",
            readable(ends[0], 6),
            readable(ends[1], 6),
            readable(*before, 4),
            readable(*after, 4)
        )
    });
    let outputs = (info.outputs.clone(), outputs);
    Ok(Followed { model, parameter, unit, locus: found, states: stated, outputs, leap, ended })
}

/// Where states that follow each other move much farther than beside that: the second one, and what moves.
fn leap(places: &[Vec<f64>]) -> Option<(usize, usize)> {
    let moves = |k: usize| -> Option<(f64, usize)> {
        let [before, after] = [places.get(k.checked_sub(1)?)?, places.get(k)?];
        let moves = before.iter().zip(after).map(|(before, after)| (after - before).abs()).zip(0..);
        moves.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    (1..places.len()).find_map(|k| {
        let (far, coordinate) = moves(k)?;
        let beside = [k - 1, k + 1].into_iter().filter_map(moves).map(|(far, _)| far).fold(0.0, f64::max);
        (far > LEAP * beside && far > NOTABLE && places.len() > 2).then_some((k, coordinate))
    })
}

/// The outputs of a model in a state.
fn outputs_of(model: &JitModel, state: &State) -> Vec<f64> {
    let mut values = vec![0.0; model.describe().outputs.len()];
    model.outputs(state, &mut values);
    values
}

/// Values whose logarithms are distributed evenly.
fn logarithmic(values: &Values) -> Result<Vec<f64>, Failure> {
    let values = match values.clone() {
        Values::Range { ends, count, .. } => Values::Range { ends, is_log: true, count },
        list => list,
    };
    let values = values.grid()?;
    match values.iter().all(|&value| value > 0.0 && value.is_finite()) {
        true => Ok(values),
        false => Err(Failure::Usage("--frequencies: expected positive numbers, Hz".to_owned())),
    }
}

/// From a tenth of the lowest natural frequency to ten times the highest of those that are not far apart, Hz.
fn suitable_frequencies(modes: &[Mode]) -> Vec<f64> {
    let sizes: Vec<f64> = modes.iter().map(Mode::frequency).filter(|size| *size > 0.0).collect();
    let (low, high) = sizes.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &size| (low.min(size), high.max(size)));
    let (low, high) = if sizes.is_empty() { (0.1, 10.0) } else { (0.1 * low.max(1e-4 * high), 10.0 * high) };
    const COUNT: i32 = 400;
    (0..=COUNT).map(|k| low * (high / low).powf(f64::from(k) / f64::from(COUNT))).collect()
}

fn show(results: &Results, screen: &mut Screen) -> Result<(), Failure> {
    match results {
        Results::Instant { linear, modes, outputs, .. } => show_modes(linear, modes, outputs, screen),
        Results::Periodic(found) => show_multipliers(found, screen),
        Results::Locus(followed) => show_locus(followed, screen),
    }
}

fn show_modes(linear: &Linearization, modes: &[Mode], outputs: &[f64], screen: &mut Screen) -> Result<(), Failure> {
    let what = match linear.about {
        About::Equilibrium => "equilibrium",
        About::Steady => "steady motion",
        About::State => "state",
    };
    let (n, displacements) = (linear.states.len(), linear.displacements);
    screen.line(format!(
        "{}, about its {what} at t = {} s: {n} states, {displacements} displacements and {} velocities",
        linear.model,
        linear.state.t,
        n - displacements
    ))?;
    screen.line(format!("  {}", place(linear)))?;
    if !outputs.is_empty() {
        let known = linear.outputs.iter().zip(outputs).map(|(channel, &value)| valued(channel, value, 1.0));
        screen.line(format!("  outputs: {}", first_of(known.collect())))?;
    }
    let zeros = modes.iter().filter(|mode| mode.eigenvalue.norm() == 0.0).count();
    if zeros > 0 {
        screen.line(format!("{}: motions that nothing resists", are_zero(zeros)))?;
    }
    let mut rows = vec![
        ["eigenvalue, 1/s", "frequency, Hz", "damping ratio", "time constant, s", "mostly"].map(str::to_owned).to_vec(),
    ];
    let is_rounding = |mode: &Mode| mode.eigenvalue.re.abs() <= mode.rounding.max(UNSEEN * mode.eigenvalue.norm());
    let is_listed = |mode: &&Mode| mode.eigenvalue.norm() > 0.0 && mode.eigenvalue.im >= 0.0;
    let listed = modes.iter().filter(is_listed).count();
    for mode in modes.iter().filter(is_listed).take(LISTED) {
        let known = known_digits(mode);
        let number = |value: f64| readable(value, known.min(6));
        let mut shown = mode.clone();
        if mode.eigenvalue.im > 0.0 && is_rounding(mode) {
            shown.eigenvalue.re = 0.0;
        }
        let of_oscillation = |value: f64| if shown.eigenvalue.im == 0.0 { "–".to_owned() } else { number(value) };
        rows.push(vec![
            complex(shown.eigenvalue, known),
            of_oscillation(shown.frequency()),
            of_oscillation(shown.damping_ratio()),
            time_constant(shown.time_constant()),
            mostly(linear, mode),
        ]);
    }
    if rows.len() > 1 {
        screen.table(&rows)?;
    }
    if listed > LISTED {
        screen.line(format!("and {} more; --json and --out have all", listed - LISTED))?;
    }
    let growing = modes.iter().filter(|mode| mode.eigenvalue.re > 0.0 && !is_rounding(mode)).count();
    let verdict = match growing {
        0 => "no departure grows at an exponential rate".to_owned(),
        1 => "unstable: one eigenvalue has a positive real part".to_owned(),
        several => format!("unstable: {several} eigenvalues have positive real parts"),
    };
    Ok(screen.line(verdict)?)
}

/// Where the state is: its coordinates, and velocities that are not zero.
fn place(linear: &Linearization) -> String {
    let State { q, v, .. } = &linear.state;
    let largest = q.amax().max(1.0);
    let value = |channel: &hamel::Channel, value: f64| valued(channel, value, largest);
    let coordinates = linear.coordinates.iter().zip(q.iter()).map(|(channel, &q)| value(channel, q));
    let moving = linear.velocities.iter().zip(v.iter()).filter(|(_, v)| v.abs() > 1e-12);
    let velocities = moving.map(|(channel, &v)| format!("velocity of {}", value(channel, v)));
    first_of(coordinates.chain(velocities).collect())
}

/// `hinge.angle = 0.5 rad`; what is rounding beside the size is zero.
fn valued(channel: &hamel::Channel, value: f64, size: f64) -> String {
    let unit = if channel.unit == "1" { String::new() } else { format!(" {}", channel.unit) };
    let value = if value.abs() < 1e-12 * size { 0.0 } else { value };
    format!("{} = {}{unit}", channel.name, readable(value, 6))
}

/// The first of many values.
fn first_of(all: Vec<String>) -> String {
    match all.len().checked_sub(PLACES) {
        Some(more @ 1..) => format!("{}, and {more} more; see --json", all[..PLACES].join(", ")),
        _ => all.join(", "),
    }
}

/// The coordinates that move most, or the velocities and states where none does.
fn mostly(linear: &Linearization, mode: &Mode) -> String {
    let named = |channels: &[hamel::Channel], values: &hamel::nalgebra::DVector<Complex<f64>>| {
        let largest = values.iter().fold(0.0_f64, |most, value| most.max(value.norm()));
        let mut order: Vec<usize> = (0..values.len()).filter(|&i| values[i].norm() > 0.1 * largest).collect();
        order.sort_by(|&i, &j| values[j].norm().total_cmp(&values[i].norm()).then(i.cmp(&j)));
        (largest, order.into_iter().take(NAMED).map(|i| channels[i].name.clone()).collect::<Vec<_>>().join(", "))
    };
    let (of_coordinates, coordinates) = named(&linear.coordinates, &mode.coordinates);
    let (of_velocities, velocities) = named(&linear.velocities, &mode.velocities);
    if of_coordinates > 1e-9 * of_velocities { coordinates } else { velocities }
}

fn show_multipliers(found: &Monodromy, screen: &mut Screen) -> Result<(), Failure> {
    screen.line(format!(
        "{}, over a period of {} s: {} states, {} steps",
        found.model,
        found.period,
        found.states.len(),
        found.steps
    ))?;
    let mut rows = vec![["multiplier", "magnitude", "exponent, 1/s"].map(str::to_owned).to_vec()];
    let pairs = found.multipliers()?.into_iter().zip(found.exponents()?);
    // Of a pair that is conjugate one stands for both.
    for (multiplier, exponent) in pairs.filter(|(multiplier, _)| multiplier.im >= 0.0) {
        rows.push(vec![complex(multiplier, DIGITS), readable(multiplier.norm(), DIGITS), complex(exponent, DIGITS)]);
    }
    Ok(screen.table(&rows)?)
}

fn are_zero(eigenvalues: usize) -> String {
    if eigenvalues == 1 { "1 eigenvalue is zero".to_owned() } else { format!("{eigenvalues} eigenvalues are zero") }
}

/// The time in which a departure falls to, or grows by, a factor of e.
fn time_constant(value: f64) -> String {
    let size = readable(value.abs(), 6);
    if value < 0.0 { format!("{size} (grows)") } else { size }
}

fn show_locus(followed: &Followed, screen: &mut Screen) -> Result<(), Failure> {
    let Followed { model, parameter, unit, locus, .. } = followed;
    let unit = if unit == "1" { String::new() } else { format!(", {unit}") };
    screen.line(format!("{model}: eigenvalues, 1/s, over {parameter}"))?;
    // What is zero throughout says nothing.
    let moving: Vec<usize> = (0..locus.branches.len())
        .filter(|&branch| locus.branches[branch].iter().any(|value| value.norm() > 0.0))
        .collect();
    let zeros = locus.branches.len() - moving.len();
    if zeros > 0 {
        screen.line(format!("{} throughout", are_zero(zeros)))?;
    }
    let mut rows = vec![vec![format!("{parameter}{unit}"), "largest real part".to_owned(), "eigenvalues".to_owned()]];
    for (place, &value) in locus.values.iter().enumerate() {
        let values: Vec<Complex<f64>> = moving.iter().map(|&branch| locus.branches[branch][place]).collect();
        let largest = values.iter().map(|value| value.re).fold(f64::NEG_INFINITY, f64::max);
        let upper = values.iter().filter(|value| value.im >= 0.0);
        let text: Vec<String> = upper.map(|value| complex(*value, DIGITS)).collect();
        rows.push(vec![readable(value, 6), readable(largest, 6), text.join(", ")]);
    }
    Ok(screen.table(&rows)?)
}

/// `−1.5 ± 5.87 i`.
fn complex(value: Complex<f64>, digits: usize) -> String {
    match (value.re, value.im) {
        (re, 0.0) => readable(re, digits),
        (re, im) => format!("{} ± {} i", readable(re, digits), readable(im.abs(), digits)),
    }
}

/// How many digits of an eigenvalue rounding leaves, of those that are shown.
fn known_digits(mode: &Mode) -> usize {
    let part = mode.rounding / mode.eigenvalue.norm();
    if part > 0.0 { ((-part.log10()).floor() as usize).clamp(2, DIGITS) } else { DIGITS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_is_about_is_read() {
        assert_eq!("steady".parse(), Ok(At::Steady));
        assert_eq!("time=2.5".parse(), Ok(At::Time(2.5)));
        assert_eq!("periodic=1e-3".parse(), Ok(At::Periodic(1e-3)));
        for wrong in ["rest", "time", "time=-1", "time=soon", "periodic=inf"] {
            assert!(wrong.parse::<At>().is_err(), "{wrong}");
        }
    }
}
