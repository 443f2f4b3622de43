//! Directions of change, and what slopes are collected in.

use super::error::GradientError;
use crate::model::Model;
use crate::prelude::*;
use crate::tangent::{Bundle, Outside};

/// Something that a motion depends on.
#[derive(Clone, Debug, PartialEq)]
pub enum Direction {
    /// A parameter, by its place in [`ModelInfo::differentiated`](crate::model::ModelInfo::differentiated).
    Parameter(usize),
    /// A coordinate of the start, along this velocity.
    Position(usize),
    /// A velocity of the start.
    Velocity(usize),
    /// A sample of an input that is a table, linear between its samples and constant outside.
    Sample {
        /// Index of the input.
        input: usize,
        /// Ascending times of the samples, s.
        times: Vec<f64>,
        /// Which of them.
        sample: usize,
    },
}

impl Direction {
    /// Whether a model has this direction.
    pub(super) fn check(&self, model: &dyn Model) -> Result<(), GradientError> {
        let (info, nv) = (model.describe(), model.dims().nv);
        let below = |what: &str, place: usize, count: usize| match place < count {
            true => Ok(()),
            false => Err((format!("a place below {count} among the {what}"), place.to_string())),
        };
        let found = match self {
            Direction::Parameter(place) => below("differentiated parameters", *place, info.differentiated.len()),
            Direction::Position(place) | Direction::Velocity(place) => below("velocities", *place, nv),
            Direction::Sample { input, times, sample } => {
                let is_ascending = times.windows(2).all(|pair| pair[0] < pair[1]);
                below("inputs", *input, info.inputs.len()).and(below("samples", *sample, times.len())).and(
                    match is_ascending {
                        true => Ok(()),
                        false => Err(("ascending times of samples".to_owned(), format!("{times:?}"))),
                    },
                )
            }
        };
        found.map_err(|(expected, found)| GradientError::Direction { model: info.name.clone(), expected, found })
    }

    pub(super) fn is_input(&self) -> bool {
        matches!(self, Direction::Sample { .. })
    }
}

/// The samples that make the value of a table at a time, with their weights.
pub(super) fn weights(times: &[f64], t: f64) -> impl Iterator<Item = (usize, f64)> + use<> {
    let after = times.partition_point(|&time| time <= t);
    let both = match (after.checked_sub(1), times.get(after)) {
        (None, None) => [None; 2],
        (None, Some(_)) => [Some((0, 1.0)), None],
        (Some(before), None) => [Some((before, 1.0)), None],
        (Some(before), Some(&next)) => {
            let part = (t - times[before]) / (next - times[before]);
            [Some((before, 1.0 - part)), Some((after, part))]
        }
    };
    both.into_iter().flatten()
}

/// Changes of parameters and inputs, one vector for each direction.
pub(super) struct Forwards {
    parameters: Bundle,
    /// Places of those that change, each with its direction.
    changing: Vec<(usize, usize)>,
    inputs: Bundle,
    directions: Vec<Direction>,
}

impl Forwards {
    pub(super) fn new(model: &dyn Model, directions: &[Direction]) -> Self {
        let info = model.describe();
        let changing = |(which, direction): (usize, &Direction)| match direction {
            Direction::Parameter(place) => Some((*place, which)),
            _ => None,
        };
        let changing: Vec<(usize, usize)> = directions.iter().enumerate().filter_map(changing).collect();
        let mut parameters = Bundle::zeros(info.differentiated.len(), directions.len());
        changing.iter().for_each(|&(place, which)| parameters.entries_mut(place, 1)[which] = 1.0);
        let inputs = Bundle::zeros(info.inputs.len(), directions.len());
        Self { parameters, changing, inputs, directions: directions.to_vec() }
    }
}

impl Outside for Forwards {
    fn parameters(&mut self) -> &mut Bundle {
        &mut self.parameters
    }

    // One of the parameters changes in each direction.
    fn add_by_parameters(&self, (values, columns): (&[f64], usize), factor: f64, out: &mut [f64]) {
        for (values, out) in values.chunks_exact(columns).zip(out.chunks_exact_mut(self.directions.len().max(1))) {
            self.changing.iter().for_each(|&(place, which)| out[which] += factor * values[place]);
        }
    }

    fn inputs(&mut self, t: f64) -> &Bundle {
        self.inputs.values_mut().fill(0.0);
        for (which, direction) in self.directions.iter().enumerate() {
            let Direction::Sample { input, times, sample } = direction else { continue };
            for (_, weight) in weights(times, t).filter(|(place, _)| place == sample) {
                self.inputs.entries_mut(*input, 1)[which] += weight;
            }
        }
        &self.inputs
    }

    fn add_inputs(&mut self, _t: f64, _slopes: &Bundle) {}
}

/// Slopes by parameters and inputs, one vector for each objective.
pub(super) struct Backwards {
    parameters: Bundle,
    /// Objective by objective: by inputs, each by its times; from the end to the start.
    inputs: Vec<Vec<Vec<(f64, f64)>>>,
    /// Inputs do not change.
    still: Bundle,
}

impl Backwards {
    pub(super) fn new(model: &dyn Model, objectives: usize) -> Self {
        let info = model.describe();
        let count = info.inputs.len();
        Self {
            parameters: Bundle::zeros(info.differentiated.len(), objectives),
            inputs: vec![vec![Vec::new(); count]; objectives],
            still: Bundle::zeros(count, objectives),
        }
    }

    /// Adds slopes of one objective by the inputs at a time.
    pub(super) fn add_inputs_of(&mut self, objective: usize, t: f64, slopes: impl Iterator<Item = f64>) {
        for (of, slope) in self.inputs[objective].iter_mut().zip(slopes) {
            of.push((t, slope));
        }
    }

    /// Objective by objective.
    pub(super) fn into_inputs(self) -> impl Iterator<Item = Vec<Vec<(f64, f64)>>> {
        let ascending = |mut slopes: Vec<(f64, f64)>| {
            slopes.sort_by(|a, b| a.0.total_cmp(&b.0));
            slopes.dedup_by(|next, first| {
                let is_same = next.0 == first.0;
                first.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
            slopes
        };
        self.inputs.into_iter().map(move |inputs| inputs.into_iter().map(ascending).collect())
    }
}

impl Outside for Backwards {
    fn parameters(&mut self) -> &mut Bundle {
        &mut self.parameters
    }

    fn add_by_parameters(&self, _: (&[f64], usize), _: f64, _: &mut [f64]) {}

    fn inputs(&mut self, _t: f64) -> &Bundle {
        &self.still
    }

    fn add_inputs(&mut self, t: f64, slopes: &Bundle) {
        for objective in 0..slopes.width() {
            self.add_inputs_of(objective, t, slopes.vector(objective));
        }
    }
}
