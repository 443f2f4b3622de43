//! The variables of a unit, in the order of their value references.
//!
//! What a run of the model records are its variables, beside parameters and inputs. States are coordinates and
//! velocities; the derivative of a state x has the name `der(x)`.

use std::collections::HashSet;

use hamel::{Model, ModelInfo, Trajectory};

use crate::instance::Fault;
use crate::settings::Kind;

/// What a variable is to the importer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// Time.
    Independent,
    /// Set before and between steps.
    Parameter,
    /// Set by other units.
    Input,
    /// Read by other units.
    Output,
    /// Everything else that can be read.
    Local,
}

/// Where the value of a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Time,
    Parameter(usize),
    Input(usize),
    /// Of the vector of states: coordinates, then velocities.
    State(usize),
    /// Of the vector of their derivatives.
    Derivative(usize),
    /// Of the row that a run records.
    Column(usize),
    /// Of the list of event indicators.
    Indicator(usize),
}

/// A variable; all are real numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its SI unit; empty if there is none.
    pub unit: String,
    /// What it is to the importer.
    pub causality: Causality,
    /// Limits, where the model has any.
    pub range: Option<[f64; 2]>,
    pub(crate) place: Place,
}

/// The variables of a unit: the value reference of each is its index.
#[derive(Clone, Debug, PartialEq)]
pub struct Variables {
    /// All of them; time is the first one.
    pub all: Vec<Variable>,
    /// The index of the first state; the others follow, and then their derivatives.
    pub(crate) first_state: usize,
    /// Number of states.
    pub(crate) states: usize,
    /// The column of the first output in the row that a run records.
    pub(crate) first_output: usize,
    /// The first event indicator, up to the end.
    pub(crate) first_indicator: usize,
}

impl Variables {
    /// Those of a model, for these uses.
    pub(crate) fn of(model: &dyn Model, kinds: &[Kind]) -> Variables {
        let (info, dims) = (model.describe(), model.dims());
        let mut list = List::new(info.outputs.iter().map(|output| output.name.clone()));
        list.add("time", "hamel", "s", Causality::Independent, Place::Time);
        for (i, channel) in info.parameters.iter().enumerate() {
            list.add(&channel.name, "parameters", &channel.unit, Causality::Parameter, Place::Parameter(i));
        }
        for (i, channel) in info.inputs.iter().enumerate() {
            list.add(&channel.name, "inputs", &channel.unit, Causality::Input, Place::Input(i));
        }
        // Importers record outputs: where the text names none, all that moves is one.
        let of_states = if info.outputs.is_empty() { Causality::Output } else { Causality::Local };
        let coordinates: HashSet<&str> = info.coordinates.iter().map(|channel| channel.name.as_str()).collect();
        let velocity_name = |name: &str| match coordinates.contains(name) {
            true => format!("{name}_velocity"),
            false => name.to_owned(),
        };
        let positions = info.coordinates.iter().map(|channel| (channel.name.clone(), channel.unit.clone()));
        let velocities = info.velocities.iter().map(|channel| (velocity_name(&channel.name), channel.unit.clone()));
        let states: Vec<(String, String)> = positions.chain(velocities).collect();
        let first_state = list.all.len();
        for (i, (name, unit)) in states.iter().enumerate() {
            list.add(name, "states", unit, of_states, Place::State(i));
        }
        for (i, (_, unit)) in states.iter().enumerate() {
            let name = format!("der({})", list.all[first_state + i].name);
            list.add(&name, "derivatives", &rate(unit), Causality::Local, Place::Derivative(i));
        }
        let table = Trajectory::new(model);
        let columns = table.columns();
        // Behind them are both energies.
        let first_output = columns.len() - 2 - info.outputs.len();
        let outputs = first_output..columns.len() - 2;
        for (column, named) in columns.iter().enumerate().skip(1 + dims.nq + 2 * dims.nv) {
            let place = Place::Column(column);
            if outputs.contains(&column) {
                list.push(named.name.clone(), &named.unit, Causality::Output, place);
                continue;
            }
            // `multiplier(pin[1][0])` is `multiplier.pin[1,0]`.
            let name = named.name.replace('(', ".").replace(')', "").replace("][", ",");
            list.add(&name, "recorded", &named.unit, Causality::Local, place);
        }
        let first_indicator = list.all.len();
        if kinds.contains(&Kind::ModelExchange) {
            let named = info.contacts.iter().flat_map(|contact| {
                let second = (contact.tangents > 0).then(|| format!("indicator.{}.friction", contact.name));
                [format!("indicator.{}", contact.name)].into_iter().chain(second)
            });
            for (i, name) in named.enumerate() {
                list.add(&name, "events", "1", Causality::Local, Place::Indicator(i));
            }
        }
        let mut variables =
            Variables { all: list.all, first_state, states: states.len(), first_output, first_indicator };
        variables.limit(info);
        variables
    }

    /// Those of a unit of sources: all but what only a run records.
    pub(crate) fn of_sources(model: &dyn Model) -> Variables {
        let mut variables = Variables::of(model, &[]);
        let first = 1 + model.dims().nq + 2 * model.dims().nv;
        let multipliers = first..first + model.dims().nc;
        variables.all.retain(|variable| match variable.place {
            Place::Column(column) => variable.is_output() || multipliers.contains(&column),
            _ => true,
        });
        variables.first_indicator = variables.all.len();
        variables
    }

    /// Limits of joints.
    fn limit(&mut self, info: &ModelInfo) {
        for limits in &info.limits {
            self.all[self.first_state + limits.coordinate].range = limits.range;
            let speed = limits.speed.map(|speed| [-speed, speed]);
            self.all[self.first_state + info.coordinates.len() + limits.velocity].range = speed;
        }
    }

    /// Value references of the states, and of their derivatives.
    pub(crate) fn states(&self) -> impl Iterator<Item = usize> + Clone {
        self.first_state..self.first_state + self.states
    }

    pub(crate) fn derivatives(&self) -> impl Iterator<Item = usize> + Clone {
        self.first_state + self.states..self.first_state + 2 * self.states
    }

    pub(crate) fn indicators(&self) -> impl ExactSizeIterator<Item = usize> + Clone {
        self.first_indicator..self.all.len()
    }

    /// The variable with this value reference.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn known(&self, reference: u32) -> Result<&Variable, Fault> {
        let found = usize::try_from(reference).ok().and_then(|index| self.all.get(index));
        found.ok_or_else(|| {
            Fault::new(format!("there is no value reference {reference}, expected one below {}", self.all.len()))
        })
    }
}

impl Variable {
    /// Whether other units read it, as the text says.
    pub(crate) fn is_output(&self) -> bool {
        self.causality == Causality::Output
    }
}

/// The unit of a rate.
fn rate(unit: &str) -> String {
    match unit {
        unit if unit.ends_with("/s") => format!("{unit}^2"),
        unit => format!("{unit}/s"),
    }
}

/// Variables with names that are unique.
struct List {
    names: HashSet<String>,
    all: Vec<Variable>,
}

impl List {
    /// None yet; these names are not given to others.
    fn new(reserved: impl Iterator<Item = String>) -> List {
        List { names: reserved.collect(), all: Vec::new() }
    }

    /// A variable of this name, with its group before that if it was given already.
    fn add(&mut self, name: &str, group: &str, unit: &str, causality: Causality, place: Place) {
        let mut unique = name.to_owned();
        while !self.names.insert(unique.clone()) {
            unique = format!("{group}.{unique}");
        }
        self.push(unique, unit, causality, place);
    }

    fn push(&mut self, name: String, unit: &str, causality: Causality, place: Place) {
        let unit = if unit == "1" { String::new() } else { unit.to_owned() };
        self.all.push(Variable { name, unit, causality, range: None, place });
    }
}
