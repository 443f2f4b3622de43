//! Models that can be integrated: those of this program, and those of files, which are compiled in memory.

use std::path::Path;
use std::sync::Mutex;

use hamel::{Model, Signal, State};
use hamel_compiler::file::{self, FileError};
use hamel_jit::{Cache, JitModel, Level, ModelError};
use hamel_models::ModelEntry;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::failure::Failure;
use crate::source::Choice;

/// What is set for a run.
#[derive(Clone, clap::Args)]
pub(crate) struct Settings {
    /// Set a parameter of the model, component by component, in SI units, angles in rad: --set mass=2 --set inertia_xx=0.1
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub parameters: Vec<(String, f64)>,
    /// Start from another value, with its unit as in a model: --initial hinge.angle=30deg
    #[arg(long, value_name = "NAME=VALUE", value_parser = named)]
    initial: Vec<(String, String)>,
    /// Give an input as a function of t, in SI units, or as a table FILE.csv of times and values: --input drive='2*sin(3*t)'
    #[arg(long, value_name = "NAME=FUNCTION|FILE.csv", value_parser = named)]
    input: Vec<(String, String)>,
    /// Simplify and compile the text of a model as much as generated code: it starts later and runs faster
    #[arg(long)]
    optimised: bool,
    /// Compile the text of a model again, and do not keep what it becomes
    #[arg(long)]
    no_cache: bool,
}

impl Settings {
    fn compile(&self, text: TokenStream) -> Result<JitModel, ModelError> {
        let level = if self.optimised { Level::Optimised } else { Level::AtOnce };
        let cache = if self.no_cache { None } else { Cache::of_user() };
        hamel_jit::model(text, level, cache.as_ref())
    }
}

/// A model with its settings, and its name in files.
pub(crate) struct Runnable {
    pub name: String,
    pub model: Box<dyn Model>,
    /// Tables by which inputs are given.
    pub tables: Vec<Table>,
    /// Names of inputs that are not given.
    pub not_given: Vec<String>,
}

/// A table by which an input is given.
pub(crate) struct Table {
    pub input: String,
    /// Its first and last time, s.
    pub times: [f64; 2],
    /// The shortest interval between two of its times, s.
    pub interval: f64,
}

/// The first name that is given twice.
fn repeated<T>(given: &[(String, T)]) -> Option<&str> {
    let is_known = |(place, (name, _)): (usize, &(String, T))| given[..place].iter().any(|(known, _)| known == name);
    given.iter().enumerate().find(|&item| is_known(item)).map(|(_, (name, _))| name.as_str())
}

impl Runnable {
    /// The model that was chosen.
    pub(crate) fn new(choice: &Choice, settings: &Settings) -> Result<Runnable, Failure> {
        let repeated = [
            ("--set", repeated(&settings.parameters)),
            ("--initial", repeated(&settings.initial)),
            ("--input", repeated(&settings.input)),
        ];
        if let Some((option, name)) = repeated.into_iter().find_map(|(option, name)| Some((option, name?))) {
            return Err(Failure::Usage(format!("{option}: `{name}` is given twice, expected one value")));
        }
        // What is compiled into this program needs no other compiler, unless its text is changed.
        if let Some(name) = choice.own().filter(|_| settings.initial.is_empty() && settings.input.is_empty()) {
            let model = built(name, &settings.parameters)?;
            return Ok(Runnable { name: name.to_owned(), model, tables: Vec::new(), not_given: Vec::new() });
        }
        let source = choice.source()?;
        let path = choice.path();
        let compile = |text| settings.compile(text).map_err(|error| failed(path, error));
        let mut model = match settings.initial.as_slice() {
            [] => compile(source.tokens)?,
            initial => match settings.compile(with_initial(source.tokens.clone(), initial)?) {
                Ok(model) => model,
                // What is wrong without the setting is the model's own mistake.
                Err(error) => {
                    compile(source.tokens)?;
                    return Err(Failure::Usage(format!("--initial: {error}")));
                }
            },
        };
        model.set(&settings.parameters).map_err(|error| {
            Failure::unknown("parameter", &error.name, error.known.iter().map(|channel| channel.name.as_str()))
        })?;
        let mut tables = Vec::new();
        for (name, value) in &settings.input {
            let (signal, table) = signal(name, value)?;
            tables.extend(table);
            if model.set_input(name, signal).is_err() {
                return Err(match model.describe().inputs.as_slice() {
                    [] => Failure::Usage(format!("--input {name}: `{}` has no inputs", model.describe().name)),
                    known => Failure::unknown("input", name, known.iter().map(|channel| channel.name.as_str())),
                });
            }
        }
        let name = choice.own().map_or_else(|| source.name.clone(), str::to_owned);
        let inputs = model.describe().inputs.iter().map(|channel| &channel.name);
        let is_given = |input: &&String| settings.input.iter().any(|(name, _)| name == *input);
        let not_given = inputs.filter(|input| !is_given(input)).cloned().collect();
        Ok(Runnable { name, model: Box::new(model), tables, not_given })
    }
}

fn built(name: &str, parameters: &[(String, f64)]) -> Result<Box<dyn Model>, Failure> {
    let names = hamel_models::ALL.iter().map(|entry| entry.name);
    let ModelEntry { build, .. } = hamel_models::find(name).ok_or_else(|| Failure::unknown("model", name, names))?;
    build(parameters).map_err(|error| {
        Failure::unknown("parameter", &error.name, error.known.iter().map(|channel| channel.name.as_str()))
    })
}

fn failed(path: &Path, error: ModelError) -> Failure {
    match error {
        ModelError::Text(error) => FileError::model(path, error).into(),
        ModelError::Code(error) => Failure::Usage(error.to_string()),
    }
}

/// `NAME=VALUE`.
pub(crate) fn named(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| "expected NAME=VALUE".to_owned())?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// `NAME=NUMBER`.
pub(crate) fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = named(text)?;
    let value = value
        .parse()
        .map_err(|_| format!("expected a number after `{name}=`, in SI units and without a unit, found `{value}`"))?;
    Ok((name, value))
}

/// The description with other initial conditions: those with the same left side are replaced.
fn with_initial(tokens: TokenStream, settings: &[(String, String)]) -> Result<TokenStream, Failure> {
    let mut given = Vec::new();
    for (name, value) in settings {
        let tokens = |text: &str| -> Result<TokenStream, Failure> {
            let tokens = text.parse::<TokenStream>().ok().filter(|tokens| !tokens.is_empty() && !has_end(tokens));
            tokens
                .ok_or_else(|| Failure::Usage(format!("--initial {name}: expected NAME=VALUE, found `{name}={value}`")))
        };
        given.push((tokens(name)?, tokens(&spaced(value))?));
    }
    let replaced = |group: &Group| {
        let mut kept = TokenStream::new();
        for item in items(group.stream()) {
            let left = initial_of(&item);
            let is_replaced = |(name, _): &(TokenStream, TokenStream)| left.as_ref() == Some(&name.to_string());
            if !given.iter().any(is_replaced) {
                kept.extend(item);
            }
        }
        for (name, value) in &given {
            kept.extend(quote::quote!(initial #name = #value;));
        }
        TokenTree::Group(Group::new(Delimiter::Brace, kept))
    };
    let replace = |token: TokenTree| match &token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => replaced(group),
        _ => token,
    };
    Ok(tokens.into_iter().map(replace).collect())
}

fn has_end(tokens: &TokenStream) -> bool {
    tokens
        .clone()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Punct(punct) if [';', '='].contains(&punct.as_char())))
}

/// The items of a model: each ends with a semicolon or with braces.
fn items(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut items = vec![Vec::new()];
    for token in tokens {
        let is_end = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        items.last_mut().unwrap_or_else(|| unreachable!("there is an item")).push(token);
        if is_end {
            items.push(Vec::new());
        }
    }
    items
}

/// The left side of an initial condition.
fn initial_of(item: &[TokenTree]) -> Option<String> {
    let [TokenTree::Ident(word), rest @ ..] = item else { return None };
    let is_equals = |token: &&TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '=');
    let left = rest.iter().take_while(|token| !is_equals(token)).cloned();
    (word == "initial").then(|| left.collect::<TokenStream>().to_string())
}

/// `30deg` as `30 deg`.
fn spaced(value: &str) -> String {
    let is_exponent = |at: usize| {
        let rest = value[at..].strip_prefix(['e', 'E']).unwrap_or_default();
        let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let starts_number = value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let letter = value.char_indices().find(|&(at, c)| c.is_alphabetic() && !is_exponent(at));
    match letter {
        Some((at, _)) if starts_number && at > 0 && value[..at].trim().parse::<f64>().is_ok() => {
            format!("{} {}", value[..at].trim(), &value[at..])
        }
        _ => value.to_owned(),
    }
}

/// A table, or a function of t.
fn signal(input: &str, text: &str) -> Result<(Signal, Option<Table>), Failure> {
    match Path::new(text).extension().and_then(|ending| ending.to_str()) {
        Some("csv") => table(input, Path::new(text)).map(|(signal, table)| (signal, Some(table))),
        _ => Ok((function(input, text)?, None)),
    }
}

/// Times and values, one pair a line; a first line of names is passed over.
fn table(input: &str, path: &Path) -> Result<(Signal, Table), Failure> {
    let text = file::text(path)?;
    let wrong = |what: &str| Failure::Usage(format!("{}: {what}", path.display()));
    let mut samples = Vec::new();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    for (line, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(&error.to_string()))?;
        let number = |column: usize| record.get(column).and_then(|cell| cell.parse::<f64>().ok());
        match (number(0), number(1), record.len()) {
            (Some(t), Some(value), 2) if !(t.is_finite() && value.is_finite()) => {
                return Err(wrong(&format!("line {}: expected finite numbers", line + 1)));
            }
            (Some(t), Some(_), 2) if samples.last().is_some_and(|&(last, _)| t <= last) => {
                return Err(wrong(&format!("line {}: expected a later time than in the line before", line + 1)));
            }
            (Some(t), Some(value), 2) => samples.push((t, value)),
            (None, None, 2) if line == 0 => {}
            _ => {
                return Err(wrong(&format!(
                    "line {}: expected a time, s, and a value, with a comma between",
                    line + 1
                )));
            }
        }
    }
    let intervals = samples.windows(2).map(|pair| pair[1].0 - pair[0].0);
    let interval = intervals.fold(f64::INFINITY, f64::min);
    let times = [samples.first(), samples.last()].map(|sample| sample.map_or(f64::NAN, |&(t, _)| t));
    let signal = Signal::sampled(samples).ok_or_else(|| wrong("expected lines of a time, s, and a value"))?;
    Ok((signal, Table { input: input.to_owned(), times, interval }))
}

/// An expression of the language in which t is the time in seconds.
fn function(input: &str, text: &str) -> Result<Signal, Failure> {
    let wrong = |what: String| Failure::Usage(format!("--input {input}={text}: {what}"));
    let expression: TokenStream = text.parse().map_err(|error| wrong(format!("{error}")))?;
    if expression.is_empty() || has_end(&expression) {
        return Err(wrong("expected a function of t, e.g. 2*sin(3*t), or a FILE.csv".to_owned()));
    }
    let model = quote::quote! {
        model Function {
            planar;
            coordinates joint;
            input t 1;
            body carrier { mass: 1 kg, inertia: 1 kg m^2 }
            joint rail: prismatic(ground, carrier);
            output value = #expression;
        }
    };
    let mut model = hamel_jit::model(model, Level::Optimised, None).map_err(|error| wrong(error.to_string()))?;
    if model.describe().outputs.len() != 1 {
        return Err(wrong("expected one number".to_owned()));
    }
    if let [value] = model.describe().outputs.as_slice()
        && value.unit != "1"
    {
        let unit = &value.unit;
        return Err(wrong(format!("expected a pure number, in the SI unit of the input, found one in {unit}")));
    }
    let _ = model.set_input("t", Signal::from(|t: f64| t));
    let state = Mutex::new(State::zeros(model.dims()));
    Ok(Signal::from(move |t: f64| {
        let mut value = [0.0];
        // A panic while it was locked has left a state that is as good as any.
        let mut state = state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        state.t = t;
        model.outputs(&state, &mut value);
        value[0]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_need_a_name_and_a_number() {
        assert_eq!(assignment("mass=2.5"), Ok(("mass".into(), 2.5)));
        assert_eq!(assignment("tip[1] = -1e-3"), Ok(("tip[1]".into(), -1e-3)));
        assert!(assignment("mass").unwrap_err().contains("NAME=VALUE"));
        assert!(assignment("mass=heavy").unwrap_err().contains("`heavy`"));
    }

    #[test]
    fn numbers_are_parted_from_their_units() {
        assert_eq!(spaced("30deg"), "30 deg");
        assert_eq!(spaced("-1e-3m/s"), "-1e-3 m/s");
        assert_eq!(spaced("2.5e2 rad"), "2.5e2 rad");
        assert_eq!(spaced("pi/2 rad"), "pi/2 rad");
        assert_eq!(spaced("0.5"), "0.5");
    }

    #[test]
    fn initial_conditions_replace_those_with_the_same_left_side() {
        let model = "model A { body b { mass: 1 kg } initial h.angle = 1 rad; initial h.rate = 2 rad/s; }";
        let settings = [("h.angle".to_owned(), "30deg".to_owned())];
        let changed = with_initial(model.parse().unwrap(), &settings).unwrap().to_string();
        let expected = "model A { body b { mass: 1 kg } initial h.rate = 2 rad/s; initial h.angle = 30 deg; }";
        assert_eq!(changed, expected.parse::<TokenStream>().unwrap().to_string());
        assert!(with_initial(model.parse().unwrap(), &[("h".to_owned(), "1; param x = 1".to_owned())]).is_err());
    }

    #[test]
    fn functions_of_time_are_expressions_of_the_language() {
        let at = |text: &str, t: f64| function("push", text).unwrap().value(t);
        assert_eq!(at("2*sin(3*t)", 0.5), 2.0 * 1.5_f64.sin());
        assert_eq!(at("if t < 1 { t^2 } else { 1 }", 0.5), 0.25);
        assert_eq!(at("7", 3.0), 7.0);
        assert!(
            function("push", "5 m").is_err() && function("push", "t*1 s").is_err(),
            "values are in the SI unit of the input"
        );
        assert!(function("push", "2*sin(").is_err() && function("push", "x").is_err() && function("push", "").is_err());
    }
}
