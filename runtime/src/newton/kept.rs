//! Newton's method with a matrix that was factorized earlier, or with inertia alone: how long these serve, and when nothing but
//! rounding is left.

use super::{Equations, NO_PROGRESS, Newton, ROUNDING_MARGIN, Tolerance, WANDERING};
use crate::linear_solver::is_full;
use crate::norms::{Lane, is_finite, largest_product};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;
use crate::step::StepStats;

/// With a kept matrix, the sum of all corrections to come is below this fraction of the unknowns' sizes, see
/// [`scales_of`](super::scales_of): it
/// adds less to coordinates and velocities than their rounding does.
const LEFT: f64 = 1e-16;
/// Wider tolerances than this end corrections as this one does: schemes carry what is left from step to step, where it adds
/// up to some fifty times as much in the multipliers of positions.
const WIDEST: f64 = 1e-6;
/// A correction is also too small to count at this part of what rounding of the equations adds to the unknowns.
const RESOLVED: f64 = 0.2;
/// The sum of all corrections to come is below this part of one that is too small to count: unlike rounding it is alike
/// from step to step, and its effect on coordinates grows with the square of the number of steps.
const SYSTEMATIC: f64 = 0.03;
/// For so many steps what rounding adds is not estimated again while a matrix serves.
const ROUNDING_SERVES: u32 = 64;
/// Corrections with a kept matrix that shrank by [`FAST`] before and no longer do so are rounding, if they are within this
/// tolerance.
const KEPT_TOLERANCE: Tolerance = Tolerance { relative: 1e-12, absolute: 1e-16, max_iterations: 0 };
const FAST: f64 = 0.05;
/// The first correction consists of what a matrix knows best, so that the second is smaller than those after it would tell.
const LEAST_RATIO: f64 = 0.01;
/// With the matrix of the iterate, all of them shrink alike.
const LEAST_NEW_RATIO: f64 = 1e-5;
/// A matrix is evaluated anew when more corrections than this are foreseen, and for the next step when a step has taken
/// more: with it a step takes two or three, and a factorization costs as much as about three of them.
const MOST_CORRECTIONS: u32 = 4;
/// A matrix does not serve for steps whose factor of accelerations in coordinates differs by more than this fraction.
const OTHER_STEP: f64 = 1e-6;
/// A correction costs half as much as an iteration with a matrix of its own if there are fewer unknowns, and about a third
/// otherwise, by measurements of models from 3 to 288 unknowns.
const FEW_UNKNOWNS: usize = 8;
/// Entries of a matrix up to which those of several instances, and their factors, are in the caches; larger ones take longer
/// together than one by one. A full matrix with more entries takes longer, too, than accelerations of the model itself, which
/// serve in its place while corrections shrink fast enough.
pub(super) const MOST_ENTRIES: usize = 6000;
/// For so many steps at most keeping a matrix is not tried again after it was in vain, twice as many each time.
const LONGEST_PAUSE: u32 = 1 << 10;

/// What is known of a matrix that was factorized earlier.
#[derive(Clone)]
pub(super) struct Keeping {
    /// [`Equations::position_factor`] of the matrix; nothing if it does not serve any more.
    of: Option<f64>,
    /// The largest ratio of two successive corrections with it, at least [`LEAST_RATIO`].
    ratio: f64,
    /// Steps that begin with a new matrix, because an old one did not serve, and how many it will be the next time.
    renewals: u32,
    next_renewals: u32,
    /// Iterations of the last step with a matrix for each of them, and how many were saved lately, at most as many.
    usual: u32,
    saved: f64,
    /// Steps for which nothing is kept, and how many it will be the next time.
    pause: u32,
    next_pause: u32,
    /// Whether it is known what rounding of the equations adds to each unknown, and the steps since that was asked.
    knows_rounding: bool,
    rounding_age: u32,
}

/// The matrix that is kept, and sizes of the unknowns.
#[derive(Clone)]
pub(super) struct Kept {
    keeping: Keeping,
    /// The same of inertia alone, which is tried where matrices are large and full.
    inertia: Keeping,
    tries_inertia: bool,
    units: Units,
    /// The sum of all corrections.
    sum: Vec<f64>,
}

/// Where corrections come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The matrix that is kept, or a new one.
    Matrix { is_new: bool },
    /// See [`Equations::inertial_correction`].
    Inertia,
}

/// Which corrections are too small to count.
#[derive(Clone)]
pub(super) struct Units {
    /// Sizes to which corrections are relative, and what rounding of the equations adds to each unknown, if that was asked.
    pub(super) sizes: Vec<f64>,
    pub(super) rounding: Vec<f64>,
    is_bound: bool,
    /// See [`scales_of`](super::scales_of).
    loose: f64,
    /// Reciprocals of corrections that are too small to count.
    pub(super) inverse: Vec<f64>,
}

/// Whether what is left after a correction of this size is too small to count, at this ratio of those to come.
fn is_too_small(size: f64, ratio: f64) -> bool {
    ratio < 1.0 && size * ratio <= SYSTEMATIC * (1.0 - ratio)
}

/// How corrections with one matrix ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// Nothing but rounding is left.
    Solved,
    /// They shrink, but not fast enough.
    Slow,
    /// They grow, or are no numbers.
    Lost,
}

/// Corrections with one matrix.
#[derive(Clone)]
pub(super) struct Corrections {
    /// Whether the matrix is that of this step.
    pub(super) is_new: bool,
    count: u32,
    previous: Option<f64>,
    /// The least and the largest ratio of two successive ones.
    fastest: f64,
    slowest: f64,
}

impl Corrections {
    pub(super) fn new(is_new: bool, keeping: &Keeping) -> Self {
        let slowest = if is_new { LEAST_NEW_RATIO } else { keeping.ratio };
        Self { is_new, count: 0, previous: None, fastest: 1.0, slowest }
    }

    /// Whether a correction is as large as the coordinates themselves, or not a number: taking it back would not lead to where
    /// it was.
    pub(super) fn is_lost(size: f64) -> bool {
        size.is_nan() || size > SYSTEMATIC / LEFT
    }

    /// Takes a correction of this size into account; its ratio to the one before.
    pub(super) fn pass(&mut self, size: f64) -> Option<f64> {
        self.count += 1;
        self.previous.replace(size).map(|last| size / last)
    }

    /// Whether nothing is left after the first one.
    pub(super) fn is_enough(&self, size: f64, keeping: &Keeping) -> bool {
        // The ratio of the last step says enough of a correction that is nothing but rounding.
        size <= SYSTEMATIC && (self.is_new || keeping.ratio <= NO_PROGRESS)
    }

    /// Whether it has to be known what rounding adds.
    pub(super) fn asks_for_rounding(&self, size: f64, ratio: f64, keeping: &Keeping) -> bool {
        !keeping.knows_rounding && !is_too_small(size, self.slowest.max(ratio))
    }

    /// The same correction has this size, now that rounding is known.
    pub(super) fn correct_size(&mut self, size: f64) {
        self.previous = Some(size);
    }

    /// Whether a correction of this size, and this ratio to the one before, ends them. `measure` is
    /// [`Equations::measure`] of it.
    pub(super) fn judge(
        &mut self,
        [size, ratio]: [f64; 2],
        keeping: &mut Keeping,
        tolerance: &Tolerance,
        stats: &mut StepStats,
        measure: impl Fn(&Tolerance) -> f64,
    ) -> Option<Ended> {
        let Self { is_new, count, .. } = *self;
        let is_within = |margin: f64| keeping.knows_rounding && size * RESOLVED <= margin;
        let is_rounding = ratio > NO_PROGRESS
            && (is_within(ROUNDING_MARGIN)
                || (is_new || self.fastest <= FAST || is_within(WANDERING)) && measure(&KEPT_TOLERANCE) <= 1.0);
        // Corrections within rounding do not tell how fast those before them shrank.
        if !is_rounding && size * RESOLVED > 1.0 {
            keeping.ratio = keeping.ratio.max(ratio);
            self.slowest = self.slowest.max(ratio);
        }
        self.fastest = self.fastest.min(ratio);
        if is_too_small(size, self.slowest) || is_rounding {
            // A tolerance below rounding cannot be met.
            let is_below = tolerance.relative < KEPT_TOLERANCE.relative && measure(tolerance) > 1.0;
            stats.at_rounding += u32::from(is_below);
            if count > MOST_CORRECTIONS {
                keeping.renew_for_next_steps();
            }
            return Some(Ended::Solved);
        }
        if ratio >= NO_PROGRESS || count > 2 * MOST_CORRECTIONS {
            return Some(if ratio >= 1.0 { Ended::Lost } else { Ended::Slow });
        }
        let foreseen = || -size.ln() / ratio.ln();
        let is_slow = !is_new && count > 2 && foreseen() > f64::from(MOST_CORRECTIONS);
        is_slow.then_some(Ended::Slow)
    }
}

impl Keeping {
    /// Nothing is kept yet.
    pub(super) fn new() -> Self {
        Self {
            of: None,
            ratio: LEAST_RATIO,
            renewals: 0,
            next_renewals: 1,
            usual: 2,
            saved: 0.0,
            pause: 0,
            next_pause: 1,
            knows_rounding: false,
            rounding_age: 0,
        }
    }

    /// Begins a step with this factor of accelerations in coordinates; whether a new matrix is needed, or `None` if nothing
    /// is kept for this step.
    pub(super) fn begin(&mut self, factor: f64) -> Option<bool> {
        // Coordinates that do not depend on accelerations do not measure them.
        if self.pause > 0 || factor == 0.0 {
            (self.pause, self.of) = (self.pause.saturating_sub(1), None);
            return None;
        }
        if self.renewals > 0 {
            (self.renewals, self.of) = (self.renewals - 1, None);
        }
        self.rounding_age += 1;
        self.knows_rounding &= self.rounding_age < ROUNDING_SERVES;
        let serves = |of: f64| (factor - of).abs() <= OTHER_STEP * of;
        Some(!self.of.is_some_and(serves))
    }

    /// Begins a step with inertia alone, whose factors nobody renews; whether it is tried.
    fn begin_without_matrix(&mut self, factor: f64) -> bool {
        if self.rounding_age >= ROUNDING_SERVES || self.pause > 0 {
            (self.ratio, self.rounding_age) = (LEAST_RATIO, 0);
        }
        self.begin(factor).is_some()
    }

    /// A matrix with this factor was factorized, unless it is singular.
    pub(super) fn renewed(&mut self, of: Option<f64>) {
        self.of = of;
        self.ratio = LEAST_RATIO;
        self.knows_rounding = false;
    }

    /// What rounding adds is known.
    pub(super) fn found_rounding(&mut self) {
        (self.knows_rounding, self.rounding_age) = (true, 0);
    }

    /// The matrix does not serve any more.
    pub(super) fn forget(&mut self) {
        self.of = None;
    }

    /// As the matrix did not serve.
    pub(super) fn renew_for_next_steps(&mut self) {
        self.of = None;
        self.renewals = self.next_renewals;
        self.next_renewals = (2 * self.next_renewals).min(LONGEST_PAUSE);
    }

    /// With a matrix for each of them, the last step took so many iterations.
    pub(super) fn compare_with(&mut self, iterations: u32) {
        self.usual = iterations;
    }

    /// Ends a step of so many unknowns, which was solved or not, with a matrix that was new or not.
    pub(super) fn end(&mut self, is_solved: bool, is_new: bool, stats: &StepStats, unknowns: usize) {
        if is_solved && !is_new && self.of.is_some() {
            self.next_renewals = 1;
        }
        // In vain is also what costs more than a matrix for every iteration, unless the steps before have saved it, or
        // those that follow may.
        let correction = if unknowns < FEW_UNKNOWNS { 0.5 } else { 0.35 };
        let cost =
            correction * f64::from(stats.newton_iterations) + (1.0 - correction) * f64::from(stats.factorizations);
        let usual = f64::from(self.usual);
        self.saved = (self.saved + usual - cost).min(usual);
        if !is_solved || self.saved < -usual {
            self.saved = 0.0;
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(LONGEST_PAUSE);
        } else if cost <= usual {
            self.next_pause = 1;
        }
    }
}

impl Units {
    pub(super) fn new(n: usize, tolerance: &Tolerance) -> Self {
        let zeros = || vec![0.0; n];
        // A tolerance that is not wider than usual asks for everything but rounding.
        let is_wide = tolerance.relative > Tolerance::default().relative;
        let loose = if is_wide { tolerance.relative.min(WIDEST) / LEFT } else { 0.0 };
        Self { sizes: zeros(), rounding: zeros(), is_bound: false, loose, inverse: zeros() }
    }

    /// Begins a step.
    pub(super) fn begin(&mut self, equations: &dyn Equations) {
        equations.scales(self.loose, &mut self.sizes);
        self.is_bound = equations.is_bound();
        self.find();
    }

    pub(super) fn find(&mut self) {
        let left = if self.is_bound { LEFT } else { LEFT / SYSTEMATIC };
        for ((unit, size), rounding) in self.inverse.iter_mut().zip(&self.sizes).zip(&self.rounding) {
            // No correction of an unknown without size is small, except zero.
            *unit = (1.0 / (left * size).max(RESOLVED * rounding)).min(f64::MAX);
        }
    }

    /// Of coordinates that no constraint holds only a part counts, as in the sizes of corrections.
    pub(super) fn limit(&self, effect: &mut [f64]) {
        effect.iter_mut().zip(&self.sizes).for_each(|(size, most)| *size = size.min(*most));
    }
}

impl Kept {
    /// Nothing is kept yet, of matrices of this size.
    pub(super) fn new(pattern: &SparsityPattern, tolerance: &Tolerance) -> Self {
        let n = pattern.columns;
        Self {
            keeping: Keeping::new(),
            inertia: Keeping::new(),
            tries_inertia: pattern.nnz() > MOST_ENTRIES && is_full(pattern),
            units: Units::new(n, tolerance),
            sum: vec![0.0; n],
        }
    }

    fn keeping(&mut self, source: Source) -> &mut Keeping {
        match source {
            Source::Matrix { .. } => &mut self.keeping,
            Source::Inertia => &mut self.inertia,
        }
    }

    /// The matrix does not serve any more.
    pub(super) fn forget(&mut self) {
        self.keeping.forget();
    }

    /// See [`Keeping::compare_with`].
    pub(super) fn compare_with(&mut self, iterations: u32) {
        self.keeping.compare_with(iterations);
    }

    /// Size of a correction in units of what does not count.
    fn size(&self, correction: &[f64]) -> f64 {
        largest_product(correction, &self.units.inverse)
    }

    /// Takes all corrections back.
    fn undo(&mut self, equations: &mut dyn Equations) {
        self.sum.iter_mut().for_each(|sum| *sum = -*sum);
        equations.subtract(&self.sum);
        self.sum.fill(0.0);
    }
}

impl Newton {
    /// Iterates with inertia alone, or with the matrix that was factorized last, while these serve, and with another one when
    /// they do not; whether that was enough. If not, the iterate is what it was before, but for rounding.
    pub(super) fn solve_keeping(
        &mut self,
        kept: &mut Kept,
        equations: &mut dyn Equations,
        stats: &mut StepStats,
    ) -> bool {
        kept.sum.fill(0.0);
        if self.solve_with_inertia(kept, equations, stats) {
            return true;
        }
        let Some(mut is_new) = kept.keeping.begin(equations.position_factor()) else {
            if kept.tries_inertia {
                kept.undo(equations);
            }
            return false;
        };
        kept.units.begin(equations);
        let is_solved = (!is_new || self.renew(kept, equations, stats))
            && loop {
                match self.correct(kept, equations, stats, Source::Matrix { is_new }) {
                    Ended::Solved => break true,
                    _ if is_new => break false,
                    Ended::Slow => {}
                    Ended::Lost => kept.undo(equations),
                }
                kept.keeping.renew_for_next_steps();
                is_new = true;
                if !self.renew(kept, equations, stats) {
                    break false;
                }
            };
        if !is_solved {
            kept.forget();
            kept.undo(equations);
        }
        kept.keeping.end(is_solved, is_new, stats, self.solver.size());
        is_solved
    }

    /// Iterates with inertia alone, if that serves; whether it was enough. If not, what it reached is a better guess than the
    /// one before, or that guess again.
    fn solve_with_inertia(&mut self, kept: &mut Kept, equations: &mut dyn Equations, stats: &mut StepStats) -> bool {
        if !kept.tries_inertia || !kept.inertia.begin_without_matrix(equations.position_factor()) {
            return false;
        }
        // What rounding adds is known with a matrix only.
        kept.keeping.knows_rounding = false;
        kept.units.rounding.fill(0.0);
        kept.units.begin(equations);
        let ended = self.correct(kept, equations, stats, Source::Inertia);
        if ended == Ended::Lost && kept.tries_inertia {
            kept.undo(equations);
        }
        kept.inertia.end(ended == Ended::Solved, false, stats, self.solver.size());
        ended == Ended::Solved
    }

    /// Factorizes the matrix of the current iterate; whether it is regular.
    fn renew(&mut self, kept: &mut Kept, equations: &mut dyn Equations, stats: &mut StepStats) -> bool {
        equations.matrix(&mut self.matrix);
        let is_regular = is_finite(&self.matrix) && self.solver.factor(&self.matrix).is_ok();
        stats.factorizations += u32::from(is_regular);
        kept.keeping.renewed(is_regular.then(|| equations.position_factor()));
        kept.units.rounding.fill(0.0);
        kept.units.find();
        is_regular
    }

    /// Corrects until nothing is left or the source of corrections does not serve.
    fn correct(
        &mut self,
        kept: &mut Kept,
        equations: &mut dyn Equations,
        stats: &mut StepStats,
        source: Source,
    ) -> Ended {
        let has_matrix = source != Source::Inertia;
        let mut corrections = Corrections::new(source == Source::Matrix { is_new: true }, kept.keeping(source));
        loop {
            if has_matrix {
                equations.residual(&mut self.residual);
                if !is_finite(&self.residual) {
                    return Ended::Lost;
                }
                self.solver.solve_untested(&mut self.residual);
            } else if !equations.inertial_correction(&mut self.residual) {
                kept.tries_inertia = false;
                return Ended::Lost;
            }
            let mut size = kept.size(&self.residual);
            if Corrections::is_lost(size) {
                return Ended::Lost;
            }
            equations.subtract(&self.residual);
            kept.sum.iter_mut().zip(&self.residual).for_each(|(sum, correction)| *sum += correction);
            stats.newton_iterations += 1;
            let Some(ratio) = corrections.pass(size) else {
                if corrections.is_enough(size, kept.keeping(source)) {
                    return Ended::Solved;
                }
                continue;
            };
            if has_matrix && corrections.asks_for_rounding(size, ratio, &kept.keeping) {
                self.find_rounding(kept, equations);
                size = kept.size(&self.residual);
                corrections.correct_size(size);
            }
            let measure = |tolerance: &Tolerance| equations.measure(&self.residual, tolerance, Lane::ONLY);
            let ended = corrections.judge([size, ratio], kept.keeping(source), &self.tolerance, stats, measure);
            if let Some(ended) = ended {
                return ended;
            }
        }
    }

    /// What rounding of the equations adds to each unknown, with the matrix factorized last.
    fn find_rounding(&mut self, kept: &mut Kept, equations: &dyn Equations) {
        equations.sizes(&mut self.effect);
        kept.units.rounding.fill(0.0);
        kept.units.limit(&mut self.effect);
        self.effects_of_rounding(|effect| {
            let all = kept.units.rounding.iter_mut().zip(effect);
            all.for_each(|(rounding, effect)| *rounding = rounding.max(effect.abs()));
        });
        kept.keeping.found_rounding();
        kept.units.find();
    }
}
