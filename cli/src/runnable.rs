//! Models that can be integrated: those of this program, and those of files, which are compiled in memory.

use std::path::Path;

use hamel::trajectory::{is_same_unit, name_and_unit};
use hamel::{Model, ModelInfo, Signal};
use hamel_compiler::file::{self, FileError, Source};
use hamel_jit::{Cache, JitModel, Level, ModelError};
use hamel_report::number::readable;
use hamel_sweep::Fixed;
use proc_macro2::TokenStream;

use crate::failure::Failure;
use crate::own;
use crate::quantity::{self, Given};
use crate::source::Choice;

/// What is set for a run.
#[derive(Clone, clap::Args)]
pub(crate) struct Settings {
    /// Set a parameter of the model, component by component, with a unit or in SI units: --set length=35cm --set inertia_xx=0.1
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = quantity::number)]
    pub parameters: Vec<Given<f64>>,
    /// Start from another value, with its unit as in a model: --initial hinge.angle=30deg
    #[arg(long, value_name = "NAME=VALUE", value_parser = named)]
    initial: Vec<(String, String)>,
    /// Give an input as a function of t, in SI units, or as a table FILE.csv of times and values, linear in between; two values of one time are a jump: --input drive='2*sin(3*t)'
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
    /// How much work is put into a model.
    pub(crate) fn level(&self) -> Level {
        if self.optimised { Level::Optimised } else { Level::AtOnce }
    }

    /// Whether nothing of the model is set.
    pub(crate) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.initial.is_empty() && self.input.is_empty()
    }

    /// Parameters as they are set, in SI units.
    pub(crate) fn values(&self) -> Vec<(String, f64)> {
        self.parameters.iter().map(|given| (given.name.clone(), given.value)).collect()
    }

    /// Refuses units other than those that the parameters have.
    pub(crate) fn check_units<'m>(&self, unit: impl Fn(&str) -> Option<&'m str>) -> Result<(), Failure> {
        self.parameters.iter().try_for_each(|given| given.check_unit("--set", unit(&given.name)))
    }

    /// Inputs as they are given.
    pub(crate) fn inputs(&self) -> &[(String, String)] {
        &self.input
    }

    /// Models that were compiled before.
    pub(crate) fn cache(&self) -> Option<Cache> {
        if self.no_cache { None } else { Cache::of_user() }
    }

    fn compile(&self, text: TokenStream) -> Result<JitModel, ModelError> {
        hamel_jit::model(text, self.level(), self.cache().as_ref())
    }

    /// The model that was chosen, with a change of its text, its initial conditions and parameters.
    pub(crate) fn compiled(
        &self,
        choice: &Choice,
        changed: impl Fn(TokenStream) -> TokenStream,
    ) -> Result<(Source, JitModel), Failure> {
        self.check()?;
        let mut source = choice.source()?;
        source.tokens = changed(source.tokens);
        let path = choice.path();
        let compile = |text| self.compile(text).map_err(|error| failed(path, error));
        let mut model = match self.initial.as_slice() {
            [] => compile(source.tokens.clone())?,
            initial => {
                let changed = initially(source.tokens.clone(), initial)?;
                match self.compile(changed.clone()) {
                    Ok(model) => {
                        source.tokens = changed;
                        model
                    }
                    // What is wrong without the setting is the model's own mistake.
                    Err(error) => {
                        compile(source.tokens)?;
                        return Err(Failure::Usage(format!("--initial: {error}")));
                    }
                }
            }
        };
        each_parameter_once(&model, "--set", self.parameters.iter().map(|given| given.name.as_str()))?;
        model.set(&self.values()).map_err(|error| {
            Failure::unknown("parameter", &error.name, error.known.iter().map(|channel| channel.name.as_str()))
        })?;
        self.check_units(|name| unit_of(&model, name))?;
        Ok((source, model))
    }

    /// Refuses inputs where others give them.
    pub(crate) fn refuse_inputs(&self, because: &str) -> Result<(), Failure> {
        match self.input.first() {
            Some((name, _)) => Err(Failure::Usage(format!("--input {name}: {because}"))),
            None => Ok(()),
        }
    }

    /// No name may be given twice.
    fn check(&self) -> Result<(), Failure> {
        let parameters = self.values();
        let repeated = [
            ("--set", repeated(&parameters)),
            ("--initial", repeated(&self.initial)),
            ("--input", repeated(&self.input)),
        ];
        match repeated.into_iter().find_map(|(option, name)| Some((option, name?))) {
            Some((option, name)) => {
                Err(Failure::Usage(format!("{option}: `{name}` is given twice, expected one value")))
            }
            None => Ok(()),
        }
    }

    /// The settings as they are the same for all cases of a sweep, the tables among them, and what tells the inputs from
    /// others.
    pub(crate) fn fixed(&self) -> Result<(Fixed, Vec<Table>, String), Failure> {
        self.check()?;
        let (mut inputs, mut tables, mut description) = (Vec::new(), Vec::new(), String::new());
        for (name, value) in &self.input {
            let (signal, table) = signal(name, value)?;
            if table.is_some() {
                let hash = hamel_report::folder::hash_of(Path::new(value)).unwrap_or_default();
                description.push_str(&format!("{name}=table {hash};"));
            } else {
                description.push_str(&format!("{name}={value};"));
            }
            tables.extend(table);
            inputs.push((name.clone(), signal));
        }
        let fixed = Fixed { parameters: self.values(), initial: self.initial.clone(), inputs };
        Ok((fixed, tables, description))
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
    /// Inputs that are given.
    pub signals: Vec<(String, Signal)>,
}

/// A model that was compiled from its text, with its settings.
pub(crate) struct Compiled {
    /// Its name in files.
    pub name: String,
    pub model: JitModel,
    /// The inputs that are given.
    pub inputs: Vec<(String, Signal)>,
    pub tables: Vec<Table>,
    pub not_given: Vec<String>,
}

/// A table by which an input is given.
pub(crate) struct Table {
    pub input: String,
    /// Its first and last time, s.
    pub times: [f64; 2],
    /// The shortest interval between two of its times, s.
    pub interval: f64,
    /// The unit that its header gives its values.
    unit: Option<String>,
}

impl Table {
    /// Refuses a unit other than that of the input.
    pub(crate) fn check_unit(&self, info: &ModelInfo) -> Result<(), Failure> {
        let expected = info.inputs.iter().find(|channel| channel.name == self.input).map(|channel| &channel.unit);
        match (&self.unit, expected) {
            (Some(found), Some(expected)) if !is_same_unit(found, expected) => Err(Failure::Usage(format!(
                "the table of input {}: values are in {found}, expected {expected}; numbers are in SI units",
                self.input
            ))),
            _ => Ok(()),
        }
    }

    /// What becomes of the input where the table does not reach to the end, s, or from the start.
    pub(crate) fn said(&self, until: f64) -> Option<String> {
        let Self { input, times: [first, last], .. } = self;
        let is_short = *first > 0.0 || *last < until;
        is_short.then(|| format!("input {input} is constant before {first} s and after {last} s, where its table ends"))
    }

    /// What equal steps, s, make of a table with shorter intervals.
    pub(crate) fn passed_over(&self, step: f64) -> Option<String> {
        let Self { input, interval, .. } = self;
        let is_passed_over = *interval < step * (1.0 - 1e-9);
        is_passed_over.then(|| {
            format!(
                "input {input} has values {} s apart in its table, which steps of {step} s pass over; see --dt",
                readable(*interval, 3)
            )
        })
    }
}

/// The unit of a parameter or an input, by the names that [`JitModel::set`] takes.
pub(crate) fn unit_of<'m>(model: &'m JitModel, name: &str) -> Option<&'m str> {
    let info = model.describe();
    let parameter = model.place_of_parameter(name).map(|place| &info.parameters[place]);
    parameter.or_else(|| info.inputs.iter().find(|input| input.name == name)).map(|channel| channel.unit.as_str())
}

/// `NAME` or `NAME=LOW..HIGH` of a parameter, whose bounds may have a unit.
pub(crate) fn free(text: &str) -> Result<Given<[f64; 2]>, String> {
    let wrong = |_| format!("expected NAME or NAME=LOW..HIGH, found `{text}`");
    let within = |bounds: &str| range(&format!("={bounds}")).map(|(_, bounds)| bounds).map_err(wrong);
    match text.contains('=') {
        true => quantity::given(text, within),
        false => range(text).map(|(name, bounds)| Given::plain(&name, bounds)),
    }
}

/// `NAME` or `NAME=LOW..HIGH`; one of the bounds may be missing.
pub(crate) fn range(text: &str) -> Result<(String, [f64; 2]), String> {
    let Some((name, range)) = text.split_once('=') else {
        return Ok((text.trim().to_owned(), [f64::NEG_INFINITY, f64::INFINITY]));
    };
    let wrong = || format!("expected NAME or NAME=LOW..HIGH, found `{text}`");
    let (low, high) = range.split_once("..").ok_or_else(wrong)?;
    let bound = |text: &str, none: f64| match text.trim() {
        "" => Ok(none),
        number => number.parse::<f64>().map_err(|_| wrong()),
    };
    Ok((name.trim().to_owned(), [bound(low, f64::NEG_INFINITY)?, bound(high, f64::INFINITY)?]))
}

/// The first name that is given twice.
pub(crate) fn repeated<T>(given: &[(String, T)]) -> Option<&str> {
    let is_known = |(place, (name, _)): (usize, &(String, T))| given[..place].iter().any(|(known, _)| known == name);
    given.iter().enumerate().find(|&item| is_known(item)).map(|(_, (name, _))| name.as_str())
}

/// Refuses two names of one parameter: only one of the values would count.
pub(crate) fn each_parameter_once<'n>(
    model: &JitModel,
    option: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<(), Failure> {
    let Some([first, second]) = model.one_parameter_by_two_names(names) else { return Ok(()) };
    Err(Failure::Usage(format!("{option}: `{first}` and `{second}` are one parameter, expected one of the names")))
}

impl Runnable {
    /// The model that was chosen.
    pub(crate) fn new(choice: &Choice, settings: &Settings) -> Result<Runnable, Failure> {
        settings.check()?;
        // What is compiled into this program needs no other compiler, unless its text is changed.
        if let Some(name) = choice.own().filter(|_| settings.initial.is_empty() && settings.input.is_empty()) {
            let model = own::build(name, &settings.values())?;
            let parameters = &model.describe().parameters;
            let unit = |name: &str| {
                parameters.iter().find(|channel| channel.name == name).map(|channel| channel.unit.as_str())
            };
            settings.check_units(unit)?;
            return Ok(Runnable {
                name: name.to_owned(),
                model,
                tables: Vec::new(),
                not_given: Vec::new(),
                signals: Vec::new(),
            });
        }
        let Compiled { name, model, inputs: signals, tables, not_given } =
            Compiled::new(choice, settings, |text| text)?;
        Ok(Runnable { name, model: Box::new(model), tables, not_given, signals })
    }
}

impl Compiled {
    /// The model that was chosen, with a change of its text.
    pub(crate) fn new(
        choice: &Choice,
        settings: &Settings,
        changed: impl Fn(TokenStream) -> TokenStream,
    ) -> Result<Compiled, Failure> {
        let (source, mut model) = settings.compiled(choice, changed)?;
        let (mut tables, mut given) = (Vec::new(), Vec::new());
        for (name, value) in &settings.input {
            let (signal, table) = signal(name, value)?;
            if let Some(table) = table {
                table.check_unit(model.describe())?;
                tables.push(table);
            }
            given.push((name.clone(), signal.clone()));
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
        Ok(Compiled { name, model, inputs: given, tables, not_given })
    }
}

pub(crate) fn failed(path: &Path, error: ModelError) -> Failure {
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

fn initially(tokens: TokenStream, settings: &[(String, String)]) -> Result<TokenStream, Failure> {
    hamel_jit::with_initial(tokens, settings).map_err(|error| Failure::Usage(format!("--initial {error}")))
}

/// A table, or a function of t.
pub(crate) fn signal(input: &str, text: &str) -> Result<(Signal, Option<Table>), Failure> {
    match Path::new(text).extension().and_then(|ending| ending.to_str()) {
        Some("csv") => table(input, Path::new(text)).map(|(signal, table)| (signal, Some(table))),
        _ => Ok((function(input, text)?, None)),
    }
}

/// Times and values, one pair a line; a first line has names, which may be anything, and units in brackets.
fn table(input: &str, path: &Path) -> Result<(Signal, Table), Failure> {
    let text = file::text(path)?;
    let wrong = |what: &str| Failure::Usage(format!("{}: {what}", path.display()));
    let mut samples: Vec<(f64, f64)> = Vec::new();
    let mut unit = None;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
    for (line, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong(&error.to_string()))?;
        let number = |column: usize| record.get(column).and_then(|cell| cell.parse::<f64>().ok());
        match (number(0), number(1), record.len()) {
            (Some(t), Some(value), 2) if !(t.is_finite() && value.is_finite()) => {
                return Err(wrong(&format!("line {}: expected finite numbers", line + 1)));
            }
            (Some(t), Some(_), 2)
                if samples.last().is_some_and(|&(last, _)| t < last)
                    || samples.len() > 1 && samples[samples.len() - 2].0 == t =>
            {
                return Err(wrong(&format!(
                    "line {}: expected a later time than in the line before, or the same once, where the value jumps",
                    line + 1
                )));
            }
            (Some(t), Some(value), 2) => samples.push((t, value)),
            (None, None, 2) if line == 0 => {
                let unit_of = |column: usize| name_and_unit(&record[column]).1;
                if let Some(found) = unit_of(0).filter(|&found| found != "s") {
                    return Err(wrong(&format!("times are in {found}, expected s")));
                }
                unit = unit_of(1).map(str::to_owned);
            }
            _ => {
                return Err(wrong(&format!(
                    "line {}: expected a time, s, and a value, with a comma between",
                    line + 1
                )));
            }
        }
    }
    let intervals = samples.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|&interval| interval > 0.0);
    let interval = intervals.fold(f64::INFINITY, f64::min);
    let times = [samples.first(), samples.last()].map(|sample| sample.map_or(f64::NAN, |&(t, _)| t));
    let signal = Signal::sampled(samples).ok_or_else(|| wrong("expected lines of a time, s, and a value"))?;
    Ok((signal, Table { input: input.to_owned(), times, interval, unit }))
}

/// An expression of the language in which t is the time in seconds.
fn function(input: &str, text: &str) -> Result<Signal, Failure> {
    hamel_jit::function_of_time(text).map_err(|error| Failure::Usage(format!("--input {input}={text}: {error}")))
}
