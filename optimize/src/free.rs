//! What is free: parameters and samples of inputs, within bounds; and designs, which give them values.

use hamel::{ModelInfo, Signal};
use serde::Serialize;

use crate::error::{OptimizeError, positive, quoted};

/// Something that is to be chosen: a parameter, or the samples of an input, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    what: What,
    start: Vec<f64>,
    lower: f64,
    upper: f64,
    scale: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Parameter(String),
    Samples { input: String, times: Vec<f64> },
}

impl Free {
    /// A parameter that starts here, without bounds.
    pub fn parameter(name: impl Into<String>, start: f64) -> Self {
        Self::new(What::Parameter(name.into()), vec![start])
    }

    /// An input as a table, linear between ascending times, s, and constant outside; `start`: its values at these times.
    /// Steps of motions end at the times.
    pub fn samples(input: impl Into<String>, times: Vec<f64>, start: Vec<f64>) -> Self {
        Self::new(What::Samples { input: input.into(), times }, start)
    }

    fn new(what: What, start: Vec<f64>) -> Self {
        Self { what, start, lower: f64::NEG_INFINITY, upper: f64::INFINITY, scale: None }
    }

    /// The same within bounds, which may be infinite; of samples, each.
    pub fn within(self, lower: f64, upper: f64) -> Self {
        Self { lower, upper, ..self }
    }

    /// What counts as one in the search, in the unit of the parameter or input. By default the size of the start, or half
    /// of the range where samples have bounds; where these are zero or infinite, the range, or 1.
    pub fn scale(self, scale: f64) -> Self {
        Self { scale: Some(scale), ..self }
    }

    /// What a person calls it.
    fn label(&self) -> String {
        match &self.what {
            What::Parameter(name) => format!("parameter `{name}`"),
            What::Samples { input, .. } => format!("input `{input}`"),
        }
    }

    fn size(&self) -> f64 {
        let range = Some(self.upper - self.lower).filter(|range| range.is_finite());
        let start = self.start.iter().fold(0.0, |most: f64, start| most.max(start.abs()));
        let sizes = match self.what {
            What::Parameter(_) => [self.scale, Some(start), range],
            What::Samples { .. } => [self.scale, range.map(|range| 0.5 * range), Some(start)],
        };
        sizes.into_iter().flatten().find(|size| *size > 0.0).unwrap_or(1.0)
    }

    fn check(&self) -> Result<(), OptimizeError> {
        if let What::Samples { input, times } = &self.what {
            let wrong = |expected, found| Err(OptimizeError::Samples { input: input.clone(), expected, found });
            let is_ascending = times.windows(2).all(|pair| pair[0] < pair[1]);
            if times.is_empty() || !is_ascending || !times.iter().all(|time| time.is_finite()) {
                return wrong("ascending times, s", format!("{times:?}"));
            }
            if times.len() != self.start.len() {
                return wrong("as many values as times", format!("{} and {}", self.start.len(), times.len()));
            }
        }
        if let Some(scale) = self.scale {
            positive(&format!("scale of {}", self.label()), scale)?;
        }
        let Self { lower, upper, .. } = *self;
        if lower.is_nan() || upper.is_nan() || lower >= upper {
            return Err(OptimizeError::Range { name: self.label(), lower, upper });
        }
        let is_within = |start: &f64| start.is_finite() && lower <= *start && *start <= upper;
        match self.start.iter().find(|start| !is_within(start)) {
            Some(&start) => Err(OptimizeError::Bounds { name: self.label(), lower, upper, start }),
            None => Ok(()),
        }
    }
}

/// Values of everything that is free, in SI units; given to a [`Family`](crate::Family), which makes a model of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Design {
    /// Parameters by their names.
    pub parameters: Vec<(String, f64)>,
    /// Inputs.
    pub inputs: Vec<Samples>,
}

/// An input as a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Samples {
    /// Name of the input.
    pub input: String,
    /// Ascending times, s.
    pub times: Vec<f64>,
    /// Its values at these times.
    pub values: Vec<f64>,
}

impl Design {
    /// The inputs as signals, with their names. A table that is none, see [`Signal::sampled`], is left out.
    pub fn signals(&self) -> impl Iterator<Item = (&str, Signal)> {
        self.inputs.iter().filter_map(|samples| {
            let table = samples.times.iter().copied().zip(samples.values.iter().copied());
            Some((samples.input.as_str(), Signal::sampled(table)?))
        })
    }
}

/// One number of a design.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    /// What a person calls it.
    pub(crate) label: String,
    pub(crate) start: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) scale: f64,
}

/// Everything that is free, checked.
pub(crate) struct Frees(Vec<Free>);

impl Frees {
    pub(crate) fn new(free: Vec<Free>) -> Result<Self, OptimizeError> {
        if free.is_empty() {
            return Err(OptimizeError::Free("expected at least one parameter or input to choose".to_owned()));
        }
        for (index, one) in free.iter().enumerate() {
            if free[..index].iter().any(|other| other.label() == one.label()) {
                return Err(OptimizeError::Free(format!("{} is free twice", one.label())));
            }
            one.check()?;
        }
        Ok(Self(free))
    }

    /// The numbers, one after the other.
    pub(crate) fn numbers(&self) -> Vec<Number> {
        let of = |free: &Free| -> Vec<Number> {
            let number = |(place, &start): (usize, &f64)| {
                let label = match &free.what {
                    What::Parameter(_) => free.label(),
                    What::Samples { times, .. } => format!("{} at {} s", free.label(), times[place]),
                };
                Number { label, start, lower: free.lower, upper: free.upper, scale: free.size() }
            };
            free.start.iter().enumerate().map(number).collect()
        };
        self.0.iter().flat_map(of).collect()
    }

    /// The design with these numbers.
    pub(crate) fn design(&self, numbers: &[f64]) -> Design {
        let mut design = Design::default();
        let mut ahead = numbers;
        for free in &self.0 {
            let (own, rest) = ahead.split_at(free.start.len());
            ahead = rest;
            match &free.what {
                What::Parameter(name) => design.parameters.push((name.clone(), own[0])),
                What::Samples { input, times } => {
                    let (input, times) = (input.clone(), times.clone());
                    design.inputs.push(Samples { input, times, values: own.to_vec() });
                }
            }
        }
        design
    }

    /// Times of samples, in order.
    pub(crate) fn instants(&self) -> Vec<f64> {
        let times = self.0.iter().filter_map(|free| match &free.what {
            What::Samples { times, .. } => Some(times),
            What::Parameter(_) => None,
        });
        let mut instants: Vec<f64> = times.flatten().copied().collect();
        instants.sort_by(f64::total_cmp);
        instants.dedup();
        instants
    }

    /// Where a model has them, one after the other; nowhere, where it does not.
    pub(crate) fn find(&self, info: &ModelInfo) -> Vec<Place<'_>> {
        let of = |free| Self::find_one(free, info);
        self.0.iter().map(of).collect()
    }

    fn find_one<'f>(free: &'f Free, info: &ModelInfo) -> Place<'f> {
        let found = match &free.what {
            What::Parameter(name) => {
                let place = info.differentiated.iter().position(|&place| info.parameters[place].name == *name);
                place.map(Place::Parameter)
            }
            What::Samples { input, times } => {
                let place = info.inputs.iter().position(|channel| channel.name == *input);
                place.map(|input| Place::Samples { input, times })
            }
        };
        found.unwrap_or(Place::Nowhere { numbers: free.start.len() })
    }

    /// The units of the numbers, from the models of all cases.
    pub(crate) fn units(&self, models: &[ModelInfo]) -> Result<Vec<String>, OptimizeError> {
        let mut units = Vec::new();
        for free in &self.0 {
            let unit_in = |info: &ModelInfo| match Self::find_one(free, info) {
                Place::Parameter(place) => Some(info.parameters[info.differentiated[place]].unit.clone()),
                Place::Samples { input, .. } => Some(info.inputs[input].unit.clone()),
                Place::Nowhere { .. } => None,
            };
            let Some(unit) = models.iter().find_map(unit_in) else { return Err(unknown(free, models)) };
            units.extend(free.start.iter().map(|_| unit.clone()));
        }
        Ok(units)
    }
}

/// Something that no model has, with what they have.
fn unknown(free: &Free, models: &[ModelInfo]) -> OptimizeError {
    let all = |names: &dyn Fn(&ModelInfo) -> Vec<String>| {
        let mut known: Vec<String> = Vec::new();
        for name in models.iter().flat_map(names) {
            if !known.contains(&name) {
                known.push(name);
            }
        }
        quoted(known.iter().map(String::as_str))
    };
    match &free.what {
        What::Parameter(name) => {
            let names = |info: &ModelInfo| {
                info.differentiated.iter().map(|&place| info.parameters[place].name.clone()).collect()
            };
            OptimizeError::UnknownParameter { name: name.clone(), known: all(&names) }
        }
        What::Samples { input, .. } => {
            let names = |info: &ModelInfo| info.inputs.iter().map(|channel| channel.name.clone()).collect();
            OptimizeError::UnknownInput { name: input.clone(), known: all(&names) }
        }
    }
}

/// Where a model has something that is free.
pub(crate) enum Place<'f> {
    /// Among the parameters by which it has derivatives.
    Parameter(usize),
    Samples {
        input: usize,
        times: &'f [f64],
    },
    /// It does not depend on it.
    Nowhere {
        numbers: usize,
    },
}
