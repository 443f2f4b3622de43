//! The least squares: residuals and their derivatives, the search, and what it tells.

use std::cell::{Cell, RefCell};

use basin::{Executor, TrustRegionReflective};
use hamel::nalgebra::DMatrix;
use hamel::{Model, Options, Scheme};

use crate::data::{Column, Measurements};
use crate::error::FitError;
use crate::motion::{Met, Part};
use crate::result::{Doubt, Fitted, FittedColumn, Parameter};
use crate::search::Squares;
use crate::shooting;

/// Directions in which the measurements change by less than this part of the largest change are not determined.
const RANK: f64 = 1e-7;
/// A standard error of a million times a parameter's size is none: what depends on it then is rounding.
const LOST: f64 = 1e-6;
/// Parameters are named that move by more than this part of themselves along such a direction, where the one that moves most
/// moves by its own size, or by more than their standard error; less than the second part is rounding.
const NAMED: f64 = 0.1;
const STILL: f64 = 1e-6;
/// Squares that no number holds.
const OVERFLOW: &str = "squares of what is left, or of derivatives, over the noise are too large or too small for numbers: \
                        give measurements and noise in units of their size";
/// Most rounds in which the noise of columns is estimated, and how exact it then is.
const ROUNDS: usize = 10;
const SETTLED: f64 = 1e-3;
/// Noise below this part of a column's spread counts as none.
const EXACT: f64 = 1e-9;
/// Measured numbers with less than this part of their spread left were computed, or rounded to six digits.
const NO_NOISE: f64 = 1e-6;
/// A difference between steps and half steps that matters, in standard deviations of the noise.
const TOO_LONG: f64 = 0.1;
/// What is left of `n` values is no noise where its correlation with the next value is beyond this part of `1 / √n`, its
/// standard deviation for independent ones: once in 30 000.
const ALIKE: f64 = 4.0;
/// What is left of an output may be larger by this factor than the noise that was given for it.
const MORE: f64 = 1.5;
/// Of an output of which more than this part of its spread is left, the model explains little.
const UNEXPLAINED: f64 = 0.5;
/// Parameters with standard errors above this part of them, and with a correlation above this, are hardly told apart.
const COARSE: f64 = 0.3;
const TOGETHER: f64 = 0.99;
/// Most iterations of a search, and most motions unless that is set.
const ITERATIONS: u64 = 200;
const MOTIONS: u64 = 2000;
/// Something that is missed by more than so many standard deviations of all else is no noise: once in 10⁹.
const OUTLYING: f64 = 6.0;
/// At a minimum the slope of the sum of squares along a parameter is below this part of the length of its column of
/// derivatives, in units of the noise: about as many standard errors of the parameter.
const SLOPE: f64 = 1e-6;
/// What rounding may leave of it where the search can go no further.
const ROUNDED: f64 = 1e-2;
/// The search ends where the sum of squares changes by less than this part.
const CHANGE: f64 = 1e-14;
/// A value this near to a bound, in units of its size, is at the bound.
const AT_BOUND: f64 = 1e-6;
/// Values that were refused this near to what was found, in units of their size, may hide the minimum.
const BESIDE: f64 = 1e-3;

/// A parameter to be fitted, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    pub(crate) name: String,
    pub(crate) start: f64,
    lower: f64,
    upper: f64,
}

impl Free {
    /// A parameter that starts here, without bounds.
    pub fn at(name: impl Into<String>, start: f64) -> Self {
        Self { name: name.into(), start, lower: f64::NEG_INFINITY, upper: f64::INFINITY }
    }

    /// The same within bounds, which may be infinite.
    pub fn within(self, lower: f64, upper: f64) -> Self {
        Self { lower, upper, ..self }
    }

    /// What one unit of the search is worth.
    fn scale(&self) -> f64 {
        let range = self.upper - self.lower;
        let sizes = [self.start.abs(), if range.is_finite() { range } else { 0.0 }, 1.0];
        sizes.into_iter().find(|size| *size > 0.0).unwrap_or(1.0)
    }
}

/// The model with some of its parameters set.
pub type Family<'a> = &'a dyn Fn(&[(&str, f64)]) -> Result<Box<dyn Model>, String>;

/// A search for parameters.
pub struct Fit<'a> {
    pub(crate) family: Family<'a>,
    pub(crate) scheme: &'a dyn Scheme,
    pub(crate) measured: &'a Measurements,
    pub(crate) free: Vec<Free>,
    /// Places of the free parameters among those by which the model has derivatives.
    pub(crate) places: Vec<usize>,
    pub(crate) options: Options,
    pub(crate) step: f64,
    /// How many parts of the motion the search begins with.
    intervals: usize,
    /// Most motions of a search.
    pub(crate) most_motions: u64,
    /// Told how many there were.
    watch: &'a dyn Fn(u64),
}

impl<'a> Fit<'a> {
    /// Steps of 1 ms, or shorter ones that end at the times of measurements.
    ///
    /// # Errors
    /// [`FitError::UnknownParameter`], [`FitError::Bounds`], [`FitError::TooFewData`], [`FitError::UnknownNoise`],
    /// [`FitError::Model`].
    pub fn new(
        family: Family<'a>,
        scheme: &'a dyn Scheme,
        measured: &'a Measurements,
        free: Vec<Free>,
    ) -> Result<Self, FitError> {
        if free.is_empty() {
            return Err(FitError::Free("expected at least one parameter to fit".to_owned()));
        }
        let values: Vec<(&str, f64)> = free.iter().map(|free| (free.name.as_str(), free.start)).collect();
        let model = family(&[]).map_err(FitError::Model)?;
        let info = model.describe();
        let names: Vec<&str> = info.differentiated.iter().map(|&place| info.parameters[place].name.as_str()).collect();
        let mut places = Vec::new();
        for (index, one) in free.iter().enumerate() {
            let Some(place) = names.iter().position(|name| *name == one.name) else {
                let known = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let known = if known.is_empty() { "none".to_owned() } else { known };
                return Err(FitError::UnknownParameter { name: one.name.clone(), known });
            };
            if free[..index].iter().any(|other| other.name == one.name) {
                return Err(FitError::Free(format!("parameter `{}` is free twice", one.name)));
            }
            let Free { name, start, lower, upper } = one.clone();
            if lower >= upper {
                let text =
                    format!("parameter `{name}`: expected a lower bound below the upper one, found {lower}..{upper}");
                return Err(FitError::Free(text));
            }
            if !(start.is_finite() && lower <= start && start <= upper) {
                return Err(FitError::Bounds { name, lower, upper, start });
            }
            places.push(place);
        }
        let model = family(&values).map_err(FitError::Model)?;
        model.validate().map_err(|error| FitError::Model(error.to_string()))?;
        let numbers = measured.columns.iter().map(Column::count).sum();
        if numbers <= free.len() {
            return Err(FitError::TooFewData { numbers, parameters: free.len() });
        }
        // What is left of a column that parameters can meet exactly tells nothing of its noise.
        for column in measured.columns.iter().filter(|column| column.deviation.is_none()) {
            let numbers = column.count();
            if (1..=free.len()).contains(&numbers) {
                return Err(FitError::UnknownNoise { name: column.name.clone(), numbers, parameters: free.len() });
            }
        }
        Ok(Self {
            family,
            scheme,
            measured,
            free,
            places,
            options: Options::default(),
            step: 1e-3,
            intervals: 1,
            most_motions: MOTIONS,
            watch: &|_| (),
        })
    }

    /// The longest step, s.
    pub fn step(self, step: f64) -> Self {
        Self { step, ..self }
    }

    /// Options of the scheme.
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Begins the search with the motion in so many intervals, each with a start of its own that the search finds too, until
    /// they fit together (multiple shooting): the parameters that this finds are where the search for the whole motion
    /// starts. For motions that grow apart, whose sum of squares has many minima.
    pub fn intervals(self, count: usize) -> Self {
        Self { intervals: count, ..self }
    }

    /// Most motions, 2000 unless this says otherwise: a search that needs more ends where it is, with a doubt.
    pub fn motions(self, most: u64) -> Self {
        Self { most_motions: most, ..self }
    }

    /// Tells how many motions there were, with each of them.
    pub fn watched_by(self, watch: &'a dyn Fn(u64)) -> Self {
        Self { watch, ..self }
    }

    /// Searches the parameters.
    ///
    /// # Errors
    /// [`FitError::Start`] if the motion at the start fails, [`FitError::NoInfluence`], [`FitError::Search`].
    pub fn run(&self) -> Result<Fitted, FitError> {
        let motions = Cell::new(0);
        let start: Vec<f64> = self.free.iter().map(|free| free.start).collect();
        if self.intervals == 1 {
            return self.run_from(start, &motions);
        }
        let found = self.run_from(shooting::start(self, self.intervals, &motions)?, &motions)?;
        if !found.doubts.iter().any(Doubt::is_of_place) {
            return Ok(found);
        }
        // Where intervals led elsewhere, the whole motion may lead to the right place.
        let other = self.run_from(start, &motions).ok().filter(|other| self.left(other) < self.left(&found));
        Ok(Fitted { motions: motions.get(), ..other.unwrap_or(found) })
    }

    /// The sum of squares of what is left, relative to the spreads of the columns.
    fn left(&self, found: &Fitted) -> f64 {
        let of = |(column, found): (&Column, &FittedColumn)| {
            column.count() as f64 * (found.missed / column.spread()).powi(2)
        };
        self.measured.columns.iter().zip(&found.columns).map(of).sum()
    }

    /// Searches from these parameters.
    fn run_from(&self, start: Vec<f64>, motions: &Cell<u64>) -> Result<Fitted, FitError> {
        let slopes = self.motion(&start, true, motions)?.slopes;
        for (column, free) in self.free.iter().enumerate() {
            if slopes.column(column).iter().all(|slope| *slope == 0.0) {
                return Err(FitError::NoInfluence { name: free.name.clone() });
            }
        }
        let given: Vec<Option<f64>> = self.measured.columns.iter().map(|column| column.deviation).collect();
        let spreads: Vec<f64> = self.measured.columns.iter().map(|column| column.spread()).collect();
        let mut deviations: Vec<f64> =
            given.iter().zip(&spreads).map(|(given, spread)| given.unwrap_or(*spread)).collect();
        let mut at = start;
        let mut doubts = Vec::new();
        let mut is_settled = false;
        for _ in 0..ROUNDS {
            if !deviations.iter().all(|deviation| deviation.is_finite()) {
                return Err(FitError::Search(OVERFLOW.to_owned()));
            }
            let (has_progressed, edge);
            (at, has_progressed, edge) = self.search(&at, &deviations, motions)?;
            doubts.clear();
            doubts.extend(edge.map(|Refused { tried, error, .. }| Doubt::Edge { tried, error }));
            if motions.get() >= self.most_motions {
                doubts.push(Doubt::Motions { most: self.most_motions });
                break;
            }
            if !has_progressed {
                doubts.push(Doubt::NoProgress);
            }
            let missed = self.missed(&self.motion(&at, false, motions)?.values);
            let numbers: usize = missed.iter().map(Vec::len).sum();
            let freedom = 1.0 - self.free.len() as f64 / numbers as f64;
            let mut change = 0.0_f64;
            for (column, deviation) in deviations.iter_mut().enumerate().filter(|(column, _)| given[*column].is_none())
            {
                let missed = &missed[column];
                let mean = missed.iter().map(|missed| missed * missed).sum::<f64>() / missed.len().max(1) as f64;
                let found = (mean / freedom).sqrt().max(EXACT * spreads[column]);
                change = change.max((found / *deviation - 1.0).abs());
                *deviation = found;
            }
            is_settled = change < SETTLED;
            if is_settled {
                break;
            }
        }
        if !is_settled && motions.get() < self.most_motions {
            doubts.push(Doubt::UnsettledNoise);
        }
        self.fitted(&at, &deviations, doubts, motions)
    }

    /// Counts a motion.
    pub(crate) fn count(&self, motions: &Cell<u64>) {
        motions.set(motions.get() + 1);
        (self.watch)(motions.get());
    }

    /// The whole motion, which may fail.
    fn motion(&self, at: &[f64], has_slopes: bool, motions: &Cell<u64>) -> Result<Met, FitError> {
        self.motion_in_steps(at, has_slopes, (self.step, self.measured.times.clone()), motions)
    }

    /// The same with steps of this length, s, that end at these times.
    fn motion_in_steps(
        &self,
        at: &[f64],
        has_slopes: bool,
        (step, instants): (f64, Vec<f64>),
        motions: &Cell<u64>,
    ) -> Result<Met, FitError> {
        self.count(motions);
        self.part(at, Part { start: None, rows: 0..self.measured.times.len(), step, instants, has_slopes })
    }

    /// What the model misses, column by column, where there are measurements.
    fn missed(&self, values: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |column: usize| {
            let measured = self.measured.columns[column].values.iter();
            let pairs = measured.zip(values).filter_map(|(measured, values)| measured.map(|x| values[column] - x));
            pairs.collect()
        };
        (0..self.measured.columns.len()).map(of).collect()
    }

    /// Residuals in units of the noise, from a row of the measurements on, and their derivatives.
    pub(crate) fn weighted(
        &self,
        Met { values, slopes, .. }: &Met,
        first: usize,
        deviations: &[f64],
        scales: &[f64],
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let count = self.measured.columns.len();
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        for (time, values) in values.iter().enumerate() {
            for (column, measured) in self.measured.columns.iter().enumerate() {
                let Some(measured) = measured.values[first + time] else { continue };
                residuals.push((values[column] - measured) / deviations[column]);
                let row = slopes.row(time * count + column);
                rows.push(row.iter().zip(scales).map(|(slope, scale)| slope * scale / deviations[column]).collect());
            }
        }
        (residuals, rows)
    }

    /// Units of the search, and the bounds in these units.
    pub(crate) fn scaled(&self) -> (Vec<f64>, [Vec<f64>; 2]) {
        let scales: Vec<f64> = self.free.iter().map(Free::scale).collect();
        let of = |bound: fn(&Free) -> f64| self.free.iter().zip(&scales).map(move |(free, scale)| bound(free) / scale);
        let bounds = [of(|free| free.lower).collect(), of(|free| free.upper).collect()];
        (scales, bounds)
    }

    /// The minimum from a point, whether it is one, and values beside it that the model refuses.
    fn search(
        &self,
        at: &[f64],
        deviations: &[f64],
        motions: &Cell<u64>,
    ) -> Result<(Vec<f64>, bool, Option<Refused>), FitError> {
        let (scales, [lower, upper]) = self.scaled();
        let refused = RefCell::new(None);
        let evaluate = |x: &[f64], has_slopes: bool| {
            let at: Vec<f64> = x.iter().zip(&scales).map(|(x, scale)| x * scale).collect();
            let count = self.measured.columns.iter().map(Column::count).sum();
            let none = || (vec![f64::NAN; count], vec![vec![f64::NAN; x.len()]; count]);
            if motions.get() >= self.most_motions {
                return none();
            }
            match self.motion(&at, has_slopes, motions) {
                Ok(motion) => self.weighted(&motion, 0, deviations, &scales),
                Err(error) => {
                    refused.replace(Some(Refused { x: x.to_vec(), tried: self.named(&at), error: reason(error) }));
                    none()
                }
            }
        };
        let problem = Squares { evaluate: &evaluate, lower, upper };
        let length = |at: &[f64]| -> Result<(f64, f64), FitError> {
            let motion = self.motion(at, true, motions)?;
            let (residuals, rows) = self.weighted(&motion, 0, deviations, &scales);
            let of = |column: usize| {
                let square: f64 = rows.iter().map(|row| row[column] * row[column]).sum();
                let slope: f64 = rows.iter().zip(&residuals).map(|(row, residual)| row[column] * residual).sum();
                (square.sqrt(), slope.abs() / square.sqrt())
            };
            let all: Vec<(f64, f64)> = (0..self.free.len()).map(of).collect();
            let least = all.iter().map(|(length, _)| *length).fold(f64::INFINITY, f64::min);
            Ok((least, all.iter().map(|(_, slope)| *slope).fold(0.0, f64::max)))
        };
        let (least, slope) = length(at)?;
        if !(least.is_finite() && slope.is_finite()) {
            return Err(FitError::Search(OVERFLOW.to_owned()));
        }
        let solver = TrustRegionReflective::new()
            .with_absolute_scaled_gradient_tolerance(SLOPE * least)
            .with_relative_cost_change_tolerance(CHANGE);
        let start: Vec<f64> = at.iter().zip(&scales).map(|(at, scale)| at / scale).collect();
        let result = Executor::from_start(problem, solver, start).max_iter(ITERATIONS).run();
        let failed = |what: String| match refused.take() {
            Some(Refused { tried, error, .. }) => FitError::Tried { tried, error },
            None => FitError::Search(what),
        };
        let result = result.map_err(|error| failed(error.to_string()))?;
        let found: Vec<f64> = result.param().iter().zip(&scales).map(|(x, scale)| x * scale).collect();
        let is_near = |refused: &Refused| refused.x.iter().zip(result.param()).all(|(a, b)| (a - b).abs() < BESIDE);
        let edge = refused.borrow().clone().filter(is_near);
        let termination = &result.report.termination;
        if termination.is_converged() {
            return Ok((found, true, edge));
        }
        // At a minimum that rounding hides no step is one down.
        let is_minimum = length(&found)?.1 < ROUNDED;
        if termination.is_failure() && !is_minimum && refused.borrow().is_some() {
            return Err(failed(format!("{termination:?}")));
        }
        Ok((found, is_minimum, edge))
    }

    /// Values of the parameters by name.
    fn named(&self, at: &[f64]) -> String {
        let values = self.free.iter().zip(at).map(|(free, value)| format!("{} = {value:.6}", free.name));
        values.collect::<Vec<_>>().join(", ")
    }

    fn fitted(
        &self,
        at: &[f64],
        deviations: &[f64],
        mut doubts: Vec<Doubt>,
        motions: &Cell<u64>,
    ) -> Result<Fitted, FitError> {
        let motion = self.motion(at, true, motions)?;
        let scales: Vec<f64> = self.free.iter().map(Free::scale).collect();
        let (residuals, rows) = self.weighted(&motion, 0, deviations, &scales);
        // Two steps for each, also where intervals between measurements are shorter than the longest step.
        let mut halves = Vec::new();
        let mut before = 0.0;
        for &time in &self.measured.times {
            halves.extend((time > before).then_some(0.5 * (before + time)));
            halves.push(time);
            before = time;
        }
        let finer = self.motion_in_steps(at, false, (0.5 * self.step, halves), motions)?;
        let finer = self.weighted(&finer, 0, deviations, &[]).0;
        let difference = residuals.iter().zip(finer).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
        if difference > TOO_LONG {
            doubts.push(Doubt::LongSteps { difference });
        }
        let count = self.free.len();
        let jacobian = DMatrix::from_fn(rows.len(), count, |row, column| rows[row][column]);
        let svd = jacobian.svd(false, true);
        let (Some(directions), sizes) = (svd.v_t, svd.singular_values) else {
            return Err(FitError::Search("the derivatives could not be decomposed".to_owned()));
        };
        // The inverse of JᵀJ in the directions that are determined; infinite along the others.
        let mut covariance = DMatrix::<f64>::zeros(count, count);
        let (mut is_open, mut free) = (vec![false; count], Vec::new());
        for (direction, &size) in sizes.iter().enumerate() {
            let vector = directions.row(direction).transpose();
            match size > RANK * sizes[0] && size > LOST {
                true => covariance += &vector * vector.transpose() / (size * size),
                false => free.push(vector),
            }
        }
        for vector in free {
            // What moves by more than its standard error where the others move by their own size is not determined.
            let moves = |place: usize| vector[place].abs() / vector.amax();
            let is_moved = |place: &usize| moves(*place) > NAMED.min(covariance[(*place, *place)].sqrt()).max(STILL);
            let mut named: Vec<usize> = (0..count).filter(is_moved).collect();
            named.sort_by(|&a, &b| vector[b].abs().total_cmp(&vector[a].abs()));
            named.iter().for_each(|&place| is_open[place] = true);
            let parameters = named.into_iter().map(|place| self.free[place].name.clone()).collect();
            doubts.push(Doubt::Undetermined { parameters });
        }
        let model = (self.family)(&[]).map_err(FitError::Model)?;
        let info = model.describe();
        let parameters = self.free.iter().enumerate().map(|(place, free)| {
            let unit = info.parameters[info.differentiated[self.places[place]]].unit.clone();
            let near = |bound: f64| (at[place] - bound).abs() <= AT_BOUND * scales[place];
            let error = if is_open[place] { f64::INFINITY } else { covariance[(place, place)].sqrt() * scales[place] };
            Parameter {
                name: free.name.clone(),
                unit,
                start: free.start,
                value: at[place],
                error,
                is_at_bound: near(free.lower) || near(free.upper),
            }
        });
        let correlation = |row: usize, column: usize| {
            let both = (covariance[(row, row)] * covariance[(column, column)]).sqrt();
            if both > 0.0 { covariance[(row, column)] / both } else { f64::from(u8::from(row == column)) }
        };
        let is_coarse = |place: usize| {
            !is_open[place] && covariance[(place, place)].sqrt() * scales[place] > COARSE * at[place].abs()
        };
        let coarse: Vec<usize> = (0..count).filter(|&place| is_coarse(place)).collect();
        let goes_along =
            |&place: &usize| coarse.iter().any(|&other| other != place && correlation(place, other).abs() > TOGETHER);
        let together: Vec<String> =
            coarse.iter().filter(|place| goes_along(place)).map(|&place| self.free[place].name.clone()).collect();
        if !together.is_empty() {
            doubts.push(Doubt::HardlyDetermined { parameters: together });
        }
        let missed = self.missed(&motion.values);
        for (place, column) in self.measured.columns.iter().enumerate() {
            let missed = &missed[place];
            let square: f64 = missed.iter().map(|missed| missed * missed).sum();
            let correlation = missed.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / square;
            let count = missed.len() as f64;
            let left = (square / count).sqrt();
            let by_chance = 1.0 + ALIKE / (2.0 * count).sqrt();
            if column.deviation.is_some_and(|given| left > by_chance.max(MORE) * given) {
                doubts.push(Doubt::MoreThanNoise { output: column.name.clone(), factor: left / deviations[place] });
            } else if left > UNEXPLAINED * column.spread() && count > 0.0 {
                doubts.push(Doubt::Unexplained { output: column.name.clone(), part: left / column.spread() });
            }
            // What is left but for the value that is missed most.
            let most = missed.iter().map(|missed| missed * missed).fold(0.0, f64::max);
            let others = ((square - most) / (count - 1.0)).sqrt();
            if count > 3.0 && most.sqrt() > OUTLYING * others {
                doubts.push(Doubt::Outlier { output: column.name.clone(), deviations: most.sqrt() / others });
            }
            let matters = (square / count).sqrt() > TOO_LONG * deviations[place];
            if matters && correlation > ALIKE / count.sqrt() {
                doubts.push(Doubt::NotNoise { output: column.name.clone(), correlation });
            }
        }
        let is_exact = |(place, column): (usize, &Column)| {
            column.deviation.is_none() && deviations[place] < NO_NOISE * column.spread()
        };
        if self.measured.columns.iter().enumerate().all(is_exact) {
            // What is left are errors of steps and rounding, which other doubts would take for noise.
            doubts.retain(|doubt| matches!(doubt, Doubt::Undetermined { .. }));
            doubts.push(Doubt::NoNoise);
        }
        let said = self.cautions(at)?.into_iter();
        doubts.extend(said.map(|caution| Doubt::Motion { caution: caution.to_string() }));
        let columns = self.measured.columns.iter().enumerate().map(|(place, column)| {
            let square: f64 = missed[place].iter().map(|missed| missed * missed).sum();
            FittedColumn {
                name: column.name.clone(),
                unit: column.unit.clone(),
                deviation: deviations[place],
                missed: (square / missed[place].len().max(1) as f64).sqrt(),
                model: motion.values.iter().map(|values| values[place]).collect(),
            }
        });
        Ok(Fitted {
            parameters: parameters.collect(),
            correlation: (0..count).map(|row| (0..count).map(|column| correlation(row, column)).collect()).collect(),
            columns: columns.collect(),
            doubts,
            motions: motions.get(),
        })
    }
}

/// Parameters that have no motion.
#[derive(Clone)]
struct Refused {
    /// In units of their size.
    x: Vec<f64>,
    /// Their names and values.
    tried: String,
    /// Why.
    error: String,
}

/// Why parameters have no motion; they are not those of the start.
fn reason(error: FitError) -> String {
    match error {
        FitError::Model(error) => error,
        FitError::Start(error) => error.to_string(),
        error => error.to_string(),
    }
}
