//! Texts of models, compiled to machine code.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use hamel::Model;
use hamel_compiler::file::{self, FileError, Source};
use hamel_compiler::parse;
use hamel_compiler::resolve;
use hamel_compiler::spelling::nearest;
use hamel_compiler::{Stages, inspect};
use hamel_import::{Format, Options, Parameters, PinocchioJoint, Visuals};
use hamel_jit::{Cache, JitModel, Level};
use hamel_report::graph;
use proc_macro2::TokenStream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::ModelError;

/// A compiled model with the default values of its parameters.
#[pyclass(frozen, module = "hamel._hamel")]
pub(crate) struct Compiled {
    pub model: JitModel,
    /// The same with the derivatives that a linearisation needs, once somebody has asked for it.
    linearized: OnceLock<Result<JitModel, String>>,
    /// The model with derivatives by parameters, once it was asked for.
    differentiated: OnceLock<Result<JitModel, String>>,
    level: Level,
    cache: Option<Cache>,
    /// Where Pinocchio has the joints of the description that the model comes from.
    pinocchio: Vec<Joint>,
}

/// Name in the model, name in the description, begin and end of its places in q and in v, and what it follows.
type Joint = (String, String, usize, usize, usize, usize, Option<(String, f64, f64)>);

/// The file that messages name for a text that stands in none.
const NO_FILE: &str = "<text>";

#[pymethods]
impl Compiled {
    /// Refuses different names of one parameter.
    fn check_names(&self, names: Vec<String>) -> PyResult<()> {
        match self.model.one_parameter_by_two_names(names.iter().map(String::as_str)) {
            None => Ok(()),
            Some([first, second]) => {
                Err(ModelError::new_err(format!("`{first}` and `{second}` are one parameter; expected one value")))
            }
        }
    }

    /// Compiles a text, as it stands in a file `.model`, or in one of Rust if `file` ends in `.rs`.
    #[staticmethod]
    #[pyo3(signature = (text, level = "optimised", cache = true, file = None, name = None, pinocchio = Vec::new()))]
    fn from_text(
        py: Python<'_>,
        text: &str,
        level: &str,
        cache: bool,
        file: Option<PathBuf>,
        name: Option<&str>,
        pinocchio: Vec<Joint>,
    ) -> PyResult<Compiled> {
        let level = level_of(level)?;
        let cache = if cache { cache_of_user(py) } else { None };
        let file = file.unwrap_or_else(|| NO_FILE.into());
        let compiled = || compile(one(file::models(text, &file), &file, name)?, level, cache.as_ref(), &file);
        let model = py.detach(|| forgetting_places(compiled)).map_err(ModelError::new_err)?;
        Ok(Compiled::new(model, level, cache, pinocchio))
    }

    /// Compiles a model of a file, `.model` or Rust.
    #[staticmethod]
    #[pyo3(signature = (path, level = "optimised", cache = true, name = None))]
    fn from_file(py: Python<'_>, path: PathBuf, level: &str, cache: bool, name: Option<&str>) -> PyResult<Compiled> {
        let text = file::text(&path).map_err(|error| ModelError::new_err(error.to_string()))?;
        Compiled::from_text(py, &text, level, cache, Some(path), name, Vec::new())
    }

    /// Compiles the model of a robot that is described in URDF, MJCF or SDFormat; also what was left out or decided.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "each has a name in Python")]
    #[pyo3(signature = (format, text, file, level, cache, floating, provide, exact_angles, repair_inertia, parameters, stops, packages, arguments))]
    fn from_robot(
        py: Python<'_>,
        format: &str,
        text: &str,
        file: &str,
        level: &str,
        cache: bool,
        floating: bool,
        provide: Vec<String>,
        exact_angles: bool,
        repair_inertia: bool,
        parameters: Vec<String>,
        stops: bool,
        packages: Vec<(String, PathBuf)>,
        arguments: Vec<(String, String)>,
    ) -> PyResult<(Compiled, Vec<String>)> {
        let (provide, provide_of_links) = hamel_import::functions(&provide).map_err(PyValueError::new_err)?;
        let known = Format::ALL.into_iter().find(|known| known.keyword() == format);
        let format = known.ok_or_else(|| unknown("format", format, Format::ALL.map(Format::keyword)))?;
        let options = Options {
            is_floating: floating,
            provide,
            provide_of_links,
            exact_angles,
            repair_inertia,
            parameters: words("group", &parameters, &Parameters::ALL.map(|group| (group.keyword(), group)))?,
            stops,
            // A text has no folder; paths of a file's meshes are whole, so that they are found from anywhere.
            visuals: (!file.starts_with('<')).then(|| Visuals {
                folder: Path::new(file).parent().unwrap_or(Path::new("")).to_owned(),
                packages,
                model_folder: PathBuf::from("/"),
            }),
            arguments,
        };
        let level = level_of(level)?;
        let cache = if cache { cache_of_user(py) } else { None };
        let compiled = || {
            let import = format.import(text, &options).map_err(|errors| errors.of_file(file))?;
            let tokens = import.tokens().map_err(|error| format!("{file}: {error}"))?;
            let source = Source { name: String::new(), tokens };
            let model = compile(source, level, cache.as_ref(), Path::new(file))?;
            let joint = |joint: PinocchioJoint| {
                let PinocchioJoint { name, described, q, v, follows } = joint;
                (name, described, q.start, q.end, v.start, v.end, follows)
            };
            let warnings = import.warnings.iter().map(|warning| format!("{file}:{warning}")).collect();
            Ok((model, warnings, import.pinocchio.into_iter().map(joint).collect()))
        };
        let (model, warnings, pinocchio) =
            py.detach(|| forgetting_places(compiled)).map_err(ModelError::new_err::<String>)?;
        Ok((Compiled::new(model, level, cache, pinocchio), warnings))
    }

    /// `optimised` or `at_once`.
    #[getter]
    fn level(&self) -> &'static str {
        match self.level {
            Level::AtOnce => "at_once",
            Level::Optimised => "optimised",
        }
    }

    /// Where Pinocchio has the joints of the description that the model comes from; empty for other models.
    #[getter]
    fn pinocchio(&self) -> Vec<Joint> {
        self.pinocchio.clone()
    }

    /// The text of the model.
    #[getter]
    fn source(&self) -> &str {
        &self.model.describe().source
    }

    /// What the compiler makes of the model, for each pair of a form and a function or None for all: `text`, `latex`,
    /// `counts`, `shapes`, `rust` or, as SVG, `topology`.
    fn inspect(&self, py: Python<'_>, asked: Vec<(String, Option<String>)>) -> PyResult<Vec<String>> {
        let shown = || {
            let text = self.source().parse().map_err(|error| format!("{error}"))?;
            let stages =
                hamel_compiler::stages_within(text, &self.level.limits()).map_err(|error| error.to_string())?;
            asked.iter().map(|(form, term)| shown(&stages, form, term.as_deref())).collect::<Result<Vec<_>, String>>()
        };
        py.detach(|| forgetting_places(shown)).map_err(PyValueError::new_err)
    }
}

impl Compiled {
    fn new(model: JitModel, level: Level, cache: Option<Cache>, pinocchio: Vec<Joint>) -> Compiled {
        Compiled { model, linearized: OnceLock::new(), differentiated: OnceLock::new(), level, cache, pinocchio }
    }

    /// The model with other initial conditions, compiled to be started from and no more.
    pub fn with_conditions(&self, conditions: &[Condition]) -> Result<JitModel, String> {
        let changed = || {
            let settings = self.settings(conditions)?;
            let text = hamel_jit::with_initial(self.tokens()?, &settings).map_err(|error| error.to_string())?;
            hamel_jit::model(text, Level::AtOnce, self.cache.as_ref()).map_err(|error| format!("initial: {error}"))
        };
        forgetting_places(changed)
    }

    /// The model with `provide linearization;`, and with the defaults of its parameters.
    pub fn linearized(&self) -> Result<JitModel, String> {
        let compile = || {
            let text = hamel_jit::with_linearization(self.tokens()?);
            hamel_jit::model(text, self.level, self.cache.as_ref()).map_err(|error| error.to_string())
        };
        let found = self.linearized.get_or_init(|| forgetting_places(compile));
        found.as_ref().map(JitModel::another).map_err(String::clone)
    }

    /// The model with `differentiate all;`, other initial conditions and the defaults of its parameters.
    pub fn differentiated(&self, conditions: &[Condition]) -> Result<JitModel, String> {
        let compile = || {
            let settings = self.settings(conditions)?;
            let text = hamel_jit::with_initial(self.tokens()?, &settings).map_err(|error| error.to_string())?;
            let text = hamel_jit::with_derivatives(text);
            hamel_jit::model(text, self.level, self.cache.as_ref()).map_err(|error| error.to_string())
        };
        if !conditions.is_empty() {
            return forgetting_places(compile);
        }
        let found = self.differentiated.get_or_init(|| forgetting_places(compile));
        found.as_ref().map(JitModel::another).map_err(String::clone)
    }

    pub fn tokens(&self) -> Result<TokenStream, String> {
        self.source().parse().map_err(|error| format!("{error}"))
    }

    /// Initial conditions with their units.
    pub fn settings(&self, conditions: &[Condition]) -> Result<Vec<(String, String)>, String> {
        let tokens = self.tokens()?;
        let with_unit = |(name, value, is_number): &Condition| {
            let units = &UNITS[if *is_number { 0 } else { UNITS.len() - 1 }..];
            // First-order states, which are velocities of their integrals, have any unit.
            let own = self.model.describe().velocities.iter().find(|channel| *is_number && channel.name == *name);
            let own = own.map(|channel| format!(" {}", channel.unit));
            let units = units.iter().copied().chain(own.as_deref());
            let mut first = None;
            let mut fitting = units.map(|unit| format!("{value}{unit}")).filter(|value| {
                let understood = understood(tokens.clone(), &[(name, value)]);
                first = first.take().or(understood.as_ref().err().cloned());
                understood.is_ok()
            });
            let fitting = fitting.next();
            let wrong = || format!("initial `{name}` = {value}: {}", first.unwrap_or_default());
            fitting.map(|value| (name.clone(), value)).ok_or_else(wrong)
        };
        conditions.iter().map(with_unit).collect()
    }

    pub fn work(&self) -> (Level, Option<&Cache>) {
        (self.level, self.cache.as_ref())
    }
}

fn shown(stages: &Stages, form: &str, term: Option<&str>) -> Result<String, String> {
    let (equations, schedule) = (&stages.simplified, &stages.schedule);
    // A function that the model does not have is an error, not an empty result.
    let found = |name| {
        inspect::find_term(equations, schedule, name).ok_or_else(|| {
            let known = inspect::terms(equations, schedule);
            unknown_name("function", name, known.iter().map(String::as_str))
        })
    };
    let term = term.map(found).transpose()?;
    let (term, name) = term.map_or((None, None), |(term, name)| (Some(term), Some(name)));
    match form {
        "text" => Ok(inspect::text(equations, schedule, term)),
        "latex" => Ok(inspect::latex(equations, schedule, term)),
        "counts" => Ok(inspect::counts(equations, schedule)),
        "shapes" => Ok(inspect::shapes(equations, schedule)),
        "topology" => graph::svg(&inspect::topology(&stages.system)),
        "rust" => {
            let code = stages.code().and_then(|code| inspect::rust(&code, name.as_deref()));
            code.map_err(|error| error.to_string())
        }
        _ => Err(format!("expected text, latex, counts, shapes, rust or topology as the form, found `{form}`")),
    }
}

/// An unknown name, with the nearest known one.
pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> PyErr {
    PyValueError::new_err(unknown_name(kind, name, known))
}

fn unknown_name<'a>(kind: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("expected one of {}", known.join(", ")),
    };
    format!("unknown {kind} `{name}`\nhelp: {help}")
}

/// What words mean, in the order in which they are known.
fn words<T: Copy>(kind: &str, written: &[String], known: &[(&str, T)]) -> PyResult<Vec<T>> {
    if let Some(other) = written.iter().find(|word| known.iter().all(|(known, _)| known != word)) {
        return Err(unknown(kind, other, known.iter().map(|(word, _)| *word)));
    }
    let is_written = |(word, _): &&(&str, T)| written.iter().any(|written| written == word);
    Ok(known.iter().filter(is_written).map(|(_, meaning)| *meaning).collect())
}

fn level_of(level: &str) -> PyResult<Level> {
    match level {
        "optimised" => Ok(Level::Optimised),
        "at_once" => Ok(Level::AtOnce),
        _ => Err(unknown("level", level, ["optimised", "at_once"])),
    }
}

/// Runs what makes and reads tokens. Their places in texts are kept by the thread until it is told that nobody asks for
/// them any more.
pub(crate) fn forgetting_places<T>(function: impl FnOnce() -> T) -> T {
    let result = function();
    proc_macro2::extra::invalidate_current_thread_spans();
    result
}

/// The models that this library has compiled for the user.
fn cache_of_user(py: Python<'_>) -> Option<Cache> {
    static CACHE: OnceLock<Option<Cache>> = OnceLock::new();
    let made = || {
        let library: PathBuf = py.import("hamel._hamel").ok()?.getattr("__file__").ok()?.extract().ok()?;
        Cache::of_user()?.of_library(&library).ok()
    };
    CACHE.get_or_init(made).clone()
}

/// The only model of a file, or the one of this name.
fn one(models: Result<Vec<Source>, FileError>, file: &Path, name: Option<&str>) -> Result<Source, String> {
    let mut models = models.map_err(|error| error.to_string())?;
    let names = |models: &[Source]| models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => match models.iter().position(|model| model.name == name) {
            Some(place) => Ok(models.swap_remove(place)),
            None => Err(format!("{}: there is no model `{name}`, expected one of {}", file.display(), names(&models))),
        },
        None if models.len() > 1 => Err(format!(
            "{}: there are {} models, choose one by its name: {}",
            file.display(),
            models.len(),
            names(&models)
        )),
        None => models.pop().ok_or_else(|| format!("{}: there is no model", file.display())),
    }
}

fn compile(source: Source, level: Level, cache: Option<&Cache>, file: &Path) -> Result<JitModel, String> {
    hamel_jit::model(source.tokens, level, cache).map_err(|error| match error {
        hamel_jit::ModelError::Text(error) => FileError::model(file, error).to_string(),
        hamel_jit::ModelError::Code(error) => error.to_string(),
    })
}

/// An initial condition: name, value, whether that is a number in SI units.
pub(crate) type Condition = (String, String, bool);

/// Units of numbers that are given without: those of which one fits. The last one is that of what is given with one.
const UNITS: [&str; 5] = [" rad", " m", " rad/s", " m/s", ""];

/// Whether the model is understood with these initial conditions.
fn understood(tokens: TokenStream, settings: &[(&String, &String)]) -> Result<(), String> {
    let text = hamel_jit::with_initial(tokens, settings).map_err(|error| error.to_string())?;
    let understood = parse::parse(text).and_then(|description| resolve::resolve(&description).map(drop));
    understood.map_err(|error| error.to_string())
}

/// The names of the models that come with the package.
#[pyfunction]
pub(crate) fn library_names() -> Vec<&'static str> {
    hamel_models::ALL.iter().map(|entry| entry.name).collect()
}

/// The text of a model that comes with the package.
#[pyfunction]
pub(crate) fn library_model(name: &str) -> PyResult<String> {
    let entry = hamel_models::find(name).ok_or_else(|| unknown("model", name, library_names()))?;
    let model = (entry.build)(&[]).map_err(|error| ModelError::new_err(error.to_string()))?;
    Ok(model.describe().source.clone())
}
