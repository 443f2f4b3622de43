//! Motions, and parts of them, at the times of measurements.

use std::ops::Range;

use hamel::gradient::{Changes, Differentiated, Direction, GradientError};
use hamel::nalgebra::DMatrix;
use hamel::{Caution, Model, State};

use crate::data::Source;
use crate::error::FitError;
use crate::problem::Fit;

/// A part of a motion.
pub(crate) struct Part<'s> {
    /// Where it starts, unless where the model does.
    pub(crate) start: Option<&'s State>,
    /// The times of the measurements that it meets; it ends at the last of them.
    pub(crate) rows: Range<usize>,
    /// The longest step, s.
    pub(crate) step: f64,
    /// Times at which steps end, s.
    pub(crate) instants: Vec<f64>,
    pub(crate) has_slopes: bool,
}

/// What a part of a motion did.
pub(crate) struct Met {
    /// What was measured, time by time.
    pub(crate) values: Vec<Vec<f64>>,
    /// Its derivatives by the free parameters and, where the start was given, by coordinates along the velocities and by
    /// velocities of the start; row by row.
    pub(crate) slopes: DMatrix<f64>,
    /// The state at the end.
    pub(crate) end: State,
    /// Derivatives of its coordinates, along the velocities, and of its velocities, by the same.
    pub(crate) end_slopes: DMatrix<f64>,
    /// The largest size of each velocity.
    pub(crate) fastest: Vec<f64>,
}

impl Fit<'_> {
    /// What a run of the motion with these parameters cautions.
    pub(crate) fn cautions(&self, at: &[f64]) -> Result<Vec<Caution>, FitError> {
        let model = self.model(at)?;
        let times = &self.measured.times;
        self.along(&*model, times, (self.step, times.clone())).cautions().map_err(FitError::Start)
    }

    /// The motion of a model to the last of these times, in steps of this length, s, that end at some instants.
    fn along<'m>(
        &'m self,
        model: &'m dyn Model,
        times: &[f64],
        (step, instants): (f64, Vec<f64>),
    ) -> Differentiated<'m> {
        let motion = Differentiated::new(model, self.scheme).options(self.options).step(step);
        motion.until(times.last().copied().unwrap_or_default()).meeting(instants)
    }

    /// The model with these parameters.
    fn model(&self, at: &[f64]) -> Result<Box<dyn Model>, FitError> {
        let names = self.free.iter().map(|free| free.name.as_str());
        let values: Vec<(&str, f64)> = names.zip(at.iter().copied()).collect();
        (self.family)(&values).map_err(FitError::Model)
    }

    /// A part of the motion with these parameters.
    pub(crate) fn part(&self, at: &[f64], part: Part<'_>) -> Result<Met, FitError> {
        let Part { start, rows, step, instants, has_slopes } = part;
        let model = self.model(at)?;
        let times = &self.measured.times[rows];
        let chosen: Vec<Source> = self.measured.columns.iter().map(|column| column.source).collect();
        let nv = model.dims().nv;
        let mut directions = Vec::new();
        if has_slopes {
            directions.extend(self.places.iter().map(|&place| Direction::Parameter(place)));
            if start.is_some() {
                directions.extend((0..nv).map(Direction::Position));
                directions.extend((0..nv).map(Direction::Velocity));
            }
        }
        let mut found = Vec::new();
        let mut slopes = DMatrix::zeros(times.len() * chosen.len(), directions.len());
        let mut end_slopes = DMatrix::zeros(2 * nv, directions.len());
        let mut fastest = vec![0.0_f64; nv];
        let mut end = None;
        let mut outputs = vec![0.0; model.describe().outputs.len()];
        let mut keep = |state: &State, changes: Option<&Changes>| {
            fastest.iter_mut().zip(state.v.iter()).for_each(|(fastest, v)| *fastest = fastest.max(v.abs()));
            let next = found.len();
            if !times.get(next).is_some_and(|&time| (state.t - time).abs() <= 1e-6 * step) {
                return;
            }
            model.outputs(state, &mut outputs);
            for (place, source) in chosen.iter().enumerate() {
                let Some(changes) = changes else { continue };
                slopes.row_mut(next * chosen.len() + place).copy_from(&source.slopes(changes));
            }
            found.push(chosen.iter().map(|source| source.value(state, &outputs)).collect::<Vec<f64>>());
            if found.len() == times.len() {
                end = Some(state.clone());
                if let Some(Changes { position, velocity, .. }) = changes {
                    end_slopes.rows_mut(0, nv).copy_from(position);
                    end_slopes.rows_mut(nv, nv).copy_from(velocity);
                }
            }
        };
        let mut motion = self.along(&*model, times, (step, instants));
        if let Some(start) = start {
            motion = motion.near(start.clone());
        }
        let ended = match has_slopes {
            true => motion.sensitivities(&directions, &mut |state, changes| keep(state, Some(changes))),
            false => motion.states(&mut |state| keep(state, None)),
        };
        ended.map_err(FitError::Start)?;
        match end {
            Some(end) => Ok(Met { values: found, slopes, end, end_slopes, fastest }),
            None => {
                let until = times.last().copied().unwrap_or_default();
                Err(FitError::Start(GradientError::BadSteps { step, until }))
            }
        }
    }
}
