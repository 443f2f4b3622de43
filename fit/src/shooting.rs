//! Multiple shooting: a motion in intervals, each with a start of its own.
//!
//! Over a short interval a motion depends on its start and on parameters nearly linearly, also where the whole motion grows
//! apart. So the starts are unknowns beside the parameters, and what separates the end of an interval from the start of the
//! next is a residual beside what the model misses of the measurements. Its weight grows from search to search until the
//! parts are one motion but for next to nothing; the parameters are then those from which the whole motion is fitted.
//!
//! An interval starts at the state that is nearest to the unknown one and that constraints allow.

use std::cell::Cell;
use std::ops::Range;

use basin::{BoundedLevenbergMarquardt, Executor};
use hamel::configuration::{difference, retract, retract_tangent};
use hamel::nalgebra::DMatrix;
use hamel::{Block, State};

use crate::error::FitError;
use crate::motion::{Met, Part};
use crate::problem::Fit;
use crate::search::{Evaluate, Squares};

/// Weights of what separates intervals, one search after the other: that of a difference as large as what the velocities
/// cover in an interval, beside a measurement that is missed by the spread of its column.
const WEIGHTS: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
/// The same weight of the change of a start where one interval after the other is fitted.
const PRIOR: f64 = 0.1;
/// Most iterations of each search, and the relative change of the sum of squares with which it ends.
const ITERATIONS: u64 = 50;
const CHANGE: f64 = 1e-6;

/// The parameters that fit the motion in so many intervals.
pub(crate) fn start(fit: &Fit<'_>, count: usize, motions: &Cell<u64>) -> Result<Vec<f64>, FitError> {
    let mut shooting = Shooting::new(fit, count, motions)?;
    let mut at: Vec<f64> = fit.free.iter().map(|free| free.start).collect();
    shooting.place_starts(&at)?;
    for weight in WEIGHTS {
        at = shooting.fitted(&at, weight)?;
    }
    Ok(at)
}

struct Shooting<'f, 'a> {
    fit: &'f Fit<'a>,
    motions: &'f Cell<u64>,
    blocks: Vec<Block>,
    /// Times of measurements that each interval meets.
    rows: Vec<Range<usize>>,
    /// Spreads of the columns.
    spreads: Vec<f64>,
    /// Where the intervals start, but the first, which starts where the model does.
    starts: Vec<State>,
    /// What changes of positions, and of velocities, are measured by.
    sizes: [Vec<f64>; 2],
}

impl<'f, 'a> Shooting<'f, 'a> {
    fn new(fit: &'f Fit<'a>, count: usize, motions: &'f Cell<u64>) -> Result<Self, FitError> {
        let model = (fit.family)(&[]).map_err(FitError::Model)?;
        let (info, nv) = (model.describe(), model.dims().nv);
        if !info.contacts.is_empty() {
            return Err(FitError::IntervalsOf { model: info.name.clone() });
        }
        let times = &fit.measured.times;
        let first = times.partition_point(|&time| time <= 0.0);
        let ahead = times.len() - first;
        if !(1..=ahead).contains(&count) {
            return Err(FitError::Intervals { count, most: ahead });
        }
        let end = |k: usize| if k == 0 { 0 } else { first + k * ahead / count };
        Ok(Self {
            fit,
            motions,
            blocks: info.blocks.clone(),
            rows: (0..count).map(|k| end(k)..end(k + 1)).collect(),
            spreads: fit.measured.columns.iter().map(|column| column.spread()).collect(),
            starts: Vec::new(),
            sizes: [(); 2].map(|()| vec![1.0; nv]),
        })
    }

    fn nv(&self) -> usize {
        self.sizes[1].len()
    }

    /// An interval that starts at a state, or where the model does.
    fn interval(&self, at: &[f64], k: usize, start: Option<&State>, has_slopes: bool) -> Result<Met, FitError> {
        let rows = self.rows[k].clone();
        let instants = self.fit.measured.times[rows.clone()].to_vec();
        self.fit.part(at, Part { start, rows, step: self.fit.step, instants, has_slopes })
    }

    /// A start that is changed, in units of the sizes.
    fn moved(&self, start: &State, by: &[f64]) -> State {
        let nv = self.nv();
        let [shift, change] = self.changes(by);
        let mut state = start.clone();
        retract(&self.blocks, start.q.as_slice(), &shift, state.q.as_mut_slice());
        (0..nv).for_each(|k| state.v[k] += change[k]);
        state
    }

    /// Changes of positions and velocities, from units of the sizes.
    fn changes(&self, by: &[f64]) -> [Vec<f64>; 2] {
        let (shift, change) = by.split_at(self.nv());
        let of = |by: &[f64], sizes: &[f64]| by.iter().zip(sizes).map(|(by, size)| by * size).collect();
        [of(shift, &self.sizes[0]), of(change, &self.sizes[1])]
    }

    /// Derivatives by the start become those by its change from what it was.
    fn by_change(&self, slopes: &mut DMatrix<f64>, by: &[f64]) {
        let (first, nv) = (self.fit.free.len(), self.nv());
        let tangent = retract_tangent(&self.blocks, &self.changes(by)[0]);
        let turned = slopes.columns(first, nv) * tangent;
        slopes.columns_mut(first, nv).copy_from(&turned);
    }

    /// Finds starts of the intervals one after the other: where the one before ends, but nearer to the measurements.
    fn place_starts(&mut self, at: &[f64]) -> Result<(), FitError> {
        self.fit.count(self.motions);
        let times = &self.fit.measured.times;
        let duration = times.last().copied().unwrap_or_default() / self.rows.len() as f64;
        let mut fastest = vec![0.0_f64; self.nv()];
        // With slopes, so that what the model lacks is said before the search.
        let mut met = self.interval(at, 0, None, true)?;
        for k in 1..self.rows.len() {
            fastest.iter_mut().zip(&met.fastest).for_each(|(fastest, own)| *fastest = fastest.max(*own));
            self.sizes[1] = fastest.iter().map(|&fastest| if fastest > 0.0 { fastest } else { 1.0 }).collect();
            self.sizes[0] = self.sizes[1].iter().map(|size| size * duration).collect();
            let start = self.corrected(at, k, &met.end)?;
            met = self.interval(at, k, Some(&start), false)?;
            self.starts.push(start);
        }
        Ok(())
    }

    /// A start nearer to the measurements of its interval.
    fn corrected(&self, at: &[f64], k: usize, start: &State) -> Result<State, FitError> {
        let (rows, first, unknowns) = (&self.rows[k], self.fit.free.len(), 2 * self.nv());
        let scales = [vec![0.0; first], self.sizes.concat()].concat();
        let evaluate = |x: &[f64], has_slopes: bool| {
            let weight = PRIOR * (rows.len() as f64).sqrt();
            let (mut residuals, mut slopes) = match self.interval(at, k, Some(&self.moved(start, x)), has_slopes) {
                Ok(mut met) => {
                    if has_slopes {
                        self.by_change(&mut met.slopes, x);
                    }
                    self.fit.weighted(&met, rows.start, &self.spreads, &scales)
                }
                Err(_) => {
                    let count = self.numbers(k);
                    (vec![f64::NAN; count], vec![vec![f64::NAN; first + unknowns]; count])
                }
            };
            slopes.iter_mut().for_each(|row| _ = row.drain(..first.min(row.len())));
            residuals.extend(x.iter().map(|x| weight * x));
            slopes.extend((0..unknowns).map(|k| (0..unknowns).map(|l| if k == l { weight } else { 0.0 }).collect()));
            (residuals, slopes)
        };
        let none = [f64::NEG_INFINITY, f64::INFINITY].map(|bound| vec![bound; unknowns]);
        Ok(self.moved(start, &least(&evaluate, vec![0.0; unknowns], none)?))
    }

    /// How many numbers were measured in an interval.
    fn numbers(&self, k: usize) -> usize {
        self.fit
            .measured
            .columns
            .iter()
            .map(|column| column.values[self.rows[k].clone()].iter().flatten().count())
            .sum()
    }

    /// The parameters, and starts, that fit all intervals and what separates them with this weight.
    fn fitted(&mut self, at: &[f64], weight: f64) -> Result<Vec<f64>, FitError> {
        let (scales, bounds) = self.fit.scaled();
        let (free, own) = (scales.len(), 2 * self.nv());
        let unknowns = free + own * self.starts.len();
        let count = (0..self.rows.len()).map(|k| self.numbers(k)).sum::<usize>() + own * self.starts.len();
        let evaluate = |x: &[f64], has_slopes: bool| {
            let is_allowed = self.motions.get() < self.fit.most_motions;
            let found = is_allowed.then(|| self.all(x, &scales, weight, has_slopes).ok()).flatten();
            found.unwrap_or_else(|| (vec![f64::NAN; count], vec![vec![f64::NAN; unknowns]; count]))
        };
        let mut start: Vec<f64> = at.iter().zip(&scales).map(|(at, scale)| at / scale).collect();
        start.resize(unknowns, 0.0);
        let [mut lower, mut upper] = bounds;
        lower.resize(unknowns, f64::NEG_INFINITY);
        upper.resize(unknowns, f64::INFINITY);
        let found = least(&evaluate, start, [lower, upper])?;
        let (parameters, moves) = found.split_at(free);
        let moved = self.starts.iter().zip(moves.chunks(own)).map(|(start, by)| self.moved(start, by));
        self.starts = moved.collect();
        Ok(parameters.iter().zip(&scales).map(|(x, scale)| x * scale).collect())
    }

    /// What the model misses in all intervals, and what separates these, with derivatives row by row.
    fn all(
        &self,
        x: &[f64],
        scales: &[f64],
        weight: f64,
        has_slopes: bool,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), FitError> {
        self.fit.count(self.motions);
        let (free, nv) = (scales.len(), self.nv());
        let own = 2 * nv;
        let sizes = self.sizes.concat();
        let of_start = |k: usize| free + own * (k - 1);
        let at: Vec<f64> = x.iter().zip(scales).map(|(x, scale)| x * scale).collect();
        let by = |k: usize| &x[of_start(k)..of_start(k) + own];
        let (mut residuals, mut rows) = (Vec::new(), Vec::new());
        for (k, of_rows) in self.rows.iter().enumerate() {
            let start = (k > 0).then(|| self.moved(&self.starts[k - 1], by(k)));
            let mut met = self.interval(&at, k, start.as_ref(), has_slopes)?;
            let mut units = scales.to_vec();
            if k > 0 {
                units.extend_from_slice(&sizes);
                if has_slopes {
                    self.by_change(&mut met.slopes, by(k));
                    self.by_change(&mut met.end_slopes, by(k));
                }
            }
            // Derivatives of an interval are by the parameters, and by its own start.
            let wide = |row: &[f64]| {
                let mut wide = vec![0.0; x.len()];
                let (parameters, start) = row.split_at(free);
                wide[..free].copy_from_slice(parameters);
                if k > 0 {
                    wide[of_start(k)..of_start(k) + own].copy_from_slice(start);
                }
                wide
            };
            let (missed, slopes) = self.fit.weighted(&met, of_rows.start, &self.spreads, &units);
            residuals.extend(missed);
            if has_slopes {
                rows.extend(slopes.iter().map(|row| wide(row)));
            }
            let Some(next) = self.starts.get(k) else { continue };
            // From where the next interval started before its start was changed.
            let weight = weight * (of_rows.len() as f64).sqrt();
            let mut gap = vec![0.0; nv];
            difference(&self.blocks, next.q.as_slice(), met.end.q.as_slice(), &mut gap);
            let tangent = retract_tangent(&self.blocks, &gap);
            gap.extend(met.end.v.iter().zip(next.v.iter()).map(|(end, start)| end - start));
            let separation = gap.iter().zip(&sizes).zip(by(k + 1)).map(|((gap, size), by)| weight * (gap / size - by));
            residuals.extend(separation);
            if !has_slopes {
                continue;
            }
            let (columns, positions) = (met.end_slopes.ncols(), met.end_slopes.rows(0, nv).into_owned());
            let positions = tangent.lu().solve(&positions).unwrap_or(positions);
            met.end_slopes.rows_mut(0, nv).copy_from(&positions);
            for row in 0..own {
                let slopes: Vec<f64> = (0..columns)
                    .map(|column| weight * met.end_slopes[(row, column)] * units[column] / sizes[row])
                    .collect();
                let mut wide = wide(&slopes);
                wide[of_start(k + 1) + row] -= weight;
                rows.push(wide);
            }
        }
        Ok((residuals, rows))
    }
}

/// Where a sum of squares is least, or how far a search comes.
fn least(evaluate: Evaluate<'_>, start: Vec<f64>, [lower, upper]: [Vec<f64>; 2]) -> Result<Vec<f64>, FitError> {
    let solver = BoundedLevenbergMarquardt::new().with_relative_cost_change_tolerance(CHANGE);
    let result = Executor::from_start(Squares { evaluate, lower, upper }, solver, start).max_iter(ITERATIONS).run();
    result.map(|result| result.param().clone()).map_err(|error| FitError::Search(error.to_string()))
}
