//! The model of a sweep, compiled once, whose parameters, inputs and initial conditions vary.

use hamel::{Model, ModelInfo, Signal};
use hamel_jit::{Cache, JitModel, Level, ModelError};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use crate::error::SweepError;
use crate::table::Column;

/// What has the same value in all cases.
#[derive(Clone, Debug, Default)]
pub struct Fixed {
    /// Parameters of the model, in SI units.
    pub parameters: Vec<(String, f64)>,
    /// Initial conditions with their units, as in a model.
    pub initial: Vec<(String, String)>,
    /// Inputs.
    pub inputs: Vec<(String, Signal)>,
}

/// A model that is compiled once, and what varies of it.
pub struct Subject {
    model: JitModel,
    source: String,
    level: Level,
    inputs: Vec<(String, Signal)>,
    places: Vec<Place>,
    columns: Vec<Column>,
}

/// What a variable sets.
#[derive(Clone)]
enum Place {
    Parameter(String),
    Input(String),
}

impl Subject {
    /// Compiles a model whose variables have these names: of parameters, inputs, coordinates and velocities, which vary
    /// at the start.
    ///
    /// # Errors
    /// For a text that is no model, and unknown names.
    ///
    /// # Examples
    /// ```
    /// use hamel_sweep::{Fixed, Subject};
    /// use hamel_jit::Level;
    ///
    /// let text = "model Pendulum {
    ///     planar;
    ///     coordinates joint;
    ///     gravity [0, -9.81] m/s^2;
    ///     param mass = 1 kg;
    ///     body rod { mass: mass, inertia: 0.1 kg m^2 }
    ///     joint hinge: revolute(ground, rod at [0, 0.5] m);
    /// }";
    /// let names = ["mass".to_owned(), "hinge.angle".to_owned()];
    /// let subject = Subject::new(text.parse()?, Level::AtOnce, None, Fixed::default(), &names)?;
    /// let mut instance = subject.instance();
    /// instance.set(&[2.0, 0.5])?;
    /// assert_eq!(hamel::initial_state(instance.model())?.q[0], 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        text: TokenStream,
        level: Level,
        cache: Option<&Cache>,
        fixed: Fixed,
        names: &[String],
    ) -> Result<Subject, SubjectError> {
        let text = match fixed.initial.as_slice() {
            [] => text,
            initial => hamel_jit::with_initial(text, initial).map_err(|error| wrong(format!("initial {error}")))?,
        };
        let mut model = hamel_jit::model_in_lanes(text.clone(), level, cache)?;
        let mut source = text.to_string();
        // Initial values vary as parameters of a model with further ones.
        let initial = started(model.describe(), names);
        if !initial.is_empty() {
            let text = with_parameters(text, &initial)?;
            source = text.to_string();
            model = hamel_jit::model_in_lanes(text, level, cache).map_err(|error| {
                let names: Vec<&str> = initial.iter().map(|start| start.coordinate).collect();
                let mut error = error.to_string();
                for start in &initial {
                    error = error.replace(&start.parameter, "…");
                }
                wrong(format!(
                    "`{}` cannot be varied at the start: {error}\nhelp: vary a parameter of the model that stands in its initial conditions",
                    names.join("`, `")
                ))
            })?;
        }
        let unknown = |kind: &str, name: &str, lists: &[&[hamel::Channel]]| {
            let mut known: Vec<&str> = Vec::new();
            for channel in lists.iter().copied().flatten().filter(|channel| !channel.name.starts_with(START)) {
                if !known.contains(&channel.name.as_str()) {
                    known.push(&channel.name);
                }
            }
            let more = if known.len() > 40 { ", …" } else { "" };
            known.truncate(40);
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            wrong(format!("unknown {kind} `{name}`\nhelp: known are {known}{more}"))
        };
        let given = fixed.parameters.iter().map(|(name, _)| name).chain(names).map(String::as_str);
        if let Some([first, second]) = model.one_parameter_by_two_names(given) {
            return Err(wrong(format!("`{first}` and `{second}` are one parameter; expected one of both")));
        }
        model
            .set(&fixed.parameters)
            .map_err(|error| unknown("parameter", &error.name, &[&model.describe().parameters]))?;
        let is_input = |name: &str, info: &ModelInfo| info.inputs.iter().any(|channel| channel.name == *name);
        for (name, _) in &fixed.inputs {
            if !is_input(name, model.describe()) {
                return Err(unknown("input", name, &[&model.describe().inputs]));
            }
        }
        let info = model.describe();
        let (mut places, mut columns) = (Vec::new(), Vec::new());
        for name in names {
            let start = initial.iter().find(|start| start.coordinate == name);
            let parameter = start.map_or(name.as_str(), |start| start.parameter.as_str());
            let is_fixed = fixed.parameters.iter().any(|(fixed, _)| fixed == name)
                || fixed.inputs.iter().any(|(fixed, _)| fixed == name)
                || fixed.initial.iter().any(|(fixed, _)| fixed == name);
            if is_fixed {
                return Err(wrong(format!("`{name}` has a fixed value and varies; expected one of both")));
            }
            let unit = |channels: &[hamel::Channel]| {
                channels.iter().find(|channel| channel.name == parameter).map(|channel| channel.unit.clone())
            };
            let of_parameter = model.place_of_parameter(parameter).map(|place| info.parameters[place].unit.clone());
            let (place, unit) = match (of_parameter, unit(&info.inputs)) {
                (Some(unit), _) => (Place::Parameter(parameter.to_owned()), unit),
                (None, Some(unit)) => (Place::Input(parameter.to_owned()), unit),
                (None, None) => {
                    let lists: [&[hamel::Channel]; 3] = [&info.parameters, &info.inputs, &info.coordinates];
                    return Err(unknown("variable", name, &lists));
                }
            };
            places.push(place);
            // A parameter that is an angle has no unit of its own.
            let unit = start.map_or(unit, |start| start.unit.clone());
            columns.push(Column { name: name.clone(), unit });
        }
        Ok(Subject { source, level, inputs: fixed.inputs, places, columns, model })
    }

    /// The model, with its fixed values.
    pub fn model(&self) -> &JitModel {
        &self.model
    }

    /// Names of inputs that neither vary nor have a fixed signal, and therefore are zero.
    pub fn inputs_without_signal(&self) -> impl Iterator<Item = &str> {
        let is_given = |name: &str| {
            self.inputs.iter().any(|(given, _)| given == name)
                || self.places.iter().any(|place| matches!(place, Place::Input(given) if given == name))
        };
        self.model.describe().inputs.iter().map(|channel| channel.name.as_str()).filter(move |name| !is_given(name))
    }

    /// How it was compiled.
    pub(crate) fn level(&self) -> String {
        format!("{:?}", self.level)
    }

    /// The text that was compiled.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// Names and units of the variables.
    pub(crate) fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// A model of its own, for one thread.
    pub fn instance(&self) -> Instance<'_> {
        let mut model = self.model.another();
        for (name, signal) in &self.inputs {
            // It was found when the subject was made.
            let _ = model.set_input(name, signal.clone());
        }
        Instance { subject: self, model, inputs: self.inputs.clone() }
    }
}

/// A model of one thread.
pub struct Instance<'s> {
    subject: &'s Subject,
    model: JitModel,
    inputs: Vec<(String, Signal)>,
}

impl Instance<'_> {
    /// Gives the variables their values, in the order of their names.
    ///
    /// # Errors
    /// For another number of values.
    pub fn set(&mut self, values: &[f64]) -> Result<(), SweepError> {
        let places = &self.subject.places;
        if values.len() != places.len() {
            return Err(SweepError::new(format!("expected {} values, found {}", places.len(), values.len())));
        }
        let mut parameters = Vec::new();
        for (place, &value) in places.iter().zip(values) {
            match place {
                Place::Parameter(name) => parameters.push((name, value)),
                Place::Input(name) => {
                    let _ = self.model.set_input(name, Signal::from(value));
                    self.inputs.retain(|(known, _)| known != name);
                    self.inputs.push((name.clone(), Signal::from(value)));
                }
            }
        }
        self.model.set(&parameters).map_err(|error| SweepError::new(error.to_string()))
    }

    /// The inputs that are not zero, with their names.
    pub fn inputs(&self) -> &[(String, Signal)] {
        &self.inputs
    }

    /// The model with these values.
    pub fn model(&self) -> &JitModel {
        &self.model
    }
}

/// Why a model cannot be the subject of a sweep.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// Its text cannot be compiled.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// What varies of it, or is fixed, is not known.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

fn wrong(message: String) -> SubjectError {
    SubjectError::Sweep(SweepError::new(message))
}

/// How names of parameters begin that are initial values.
const START: &str = "initial_value_";

/// A coordinate or velocity that varies at the start.
struct Start<'n> {
    coordinate: &'n str,
    /// The parameter that is its value.
    parameter: String,
    unit: String,
}

/// Those names that are coordinates or velocities, and neither parameters nor inputs.
fn started<'n>(info: &ModelInfo, names: &'n [String]) -> Vec<Start<'n>> {
    let unit = |channels: &[hamel::Channel], name: &str| {
        channels.iter().find(|channel| channel.name == name).map(|channel| channel.unit.clone())
    };
    let is_other = |name: &str| unit(&info.parameters, name).or_else(|| unit(&info.inputs, name)).is_some();
    let free = names.iter().enumerate().filter(|(_, name)| !is_other(name));
    let start = |(place, name): (usize, &'n String)| {
        let unit = unit(&info.coordinates, name).or_else(|| unit(&info.velocities, name))?;
        Some(Start { coordinate: name, parameter: format!("{START}{place}"), unit })
    };
    free.filter_map(start).collect()
}

/// The text with parameters as initial values.
fn with_parameters(text: TokenStream, initial: &[Start]) -> Result<TokenStream, SubjectError> {
    let values: Vec<(&str, &str)> = initial.iter().map(|start| (start.coordinate, start.parameter.as_str())).collect();
    let text = hamel_jit::with_initial(text, &values).map_err(|error| wrong(format!("initial {error}")))?;
    let mut declared = TokenStream::new();
    for Start { coordinate, parameter, unit } in initial {
        let name = Ident::new(parameter, Span::call_site());
        let unit: TokenStream = unit
            .parse()
            .map_err(|_| wrong(format!("`{coordinate}` has the unit {unit}, which no parameter can have")))?;
        declared.extend(quote::quote!(param #name = 0 #unit;));
    }
    let extend = |token: TokenTree| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let mut items = group.stream();
            items.extend(declared.clone());
            TokenTree::Group(Group::new(Delimiter::Brace, items))
        }
        token => token,
    };
    Ok(text.into_iter().map(extend).collect())
}
