//! Newton's method with a matrix that was factorized earlier: how long it serves, and when nothing but rounding is left.

use super::{Equations, NO_PROGRESS, Newton, ROUNDING_MARGIN, Tolerance, WANDERING};
use crate::norms::{is_finite, largest_product};
use crate::step::StepStats;

/// With a kept matrix, the sum of all corrections to come is below this fraction of the unknowns' sizes, see
/// [`scales_of`](super::scales_of): it
/// adds less to coordinates and velocities than their rounding does.
const LEFT: f64 = 1e-16;
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
/// For so many steps at most keeping a matrix is not tried again after it was in vain, twice as many each time.
const LONGEST_PAUSE: u32 = 1 << 10;

/// What is known of a matrix that was factorized earlier.
pub(super) struct Kept {
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
    /// Sizes to which corrections are relative, and what rounding of the equations adds to each unknown, if that was asked.
    sizes: Vec<f64>,
    is_bound: bool,
    rounding: Vec<f64>,
    knows_rounding: bool,
    /// Steps since then.
    rounding_age: u32,
    /// Reciprocals of corrections that are too small to count, and the sum of all corrections.
    inverse_units: Vec<f64>,
    sum: Vec<f64>,
}

/// Whether what is left after a correction of this size is too small to count, at this ratio of those to come.
fn is_too_small(size: f64, ratio: f64) -> bool {
    ratio < 1.0 && size * ratio <= SYSTEMATIC * (1.0 - ratio)
}

/// How corrections with one matrix ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Nothing but rounding is left.
    Solved,
    /// They shrink, but not fast enough.
    Slow,
    /// They grow, or are no numbers.
    Lost,
}

impl Kept {
    /// Nothing is kept yet, of matrices of this size.
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            of: None,
            ratio: LEAST_RATIO,
            renewals: 0,
            next_renewals: 1,
            usual: 2,
            saved: 0.0,
            pause: 0,
            next_pause: 1,
            sizes: zeros(),
            is_bound: false,
            rounding: zeros(),
            knows_rounding: false,
            rounding_age: 0,
            inverse_units: zeros(),
            sum: zeros(),
        }
    }

    /// The matrix does not serve any more.
    pub(super) fn forget(&mut self) {
        self.of = None;
    }

    /// With a matrix for each of them, the last step took so many iterations.
    pub(super) fn compare_with(&mut self, iterations: u32) {
        self.usual = iterations;
    }

    /// Begins a step.
    fn begin(&mut self, equations: &dyn Equations) {
        self.sum.fill(0.0);
        self.rounding_age += 1;
        self.knows_rounding &= self.rounding_age < ROUNDING_SERVES;
        equations.scales(&mut self.sizes);
        self.is_bound = equations.is_bound();
        self.find_units();
    }

    fn find_units(&mut self) {
        let left = if self.is_bound { LEFT } else { LEFT / SYSTEMATIC };
        for ((unit, size), rounding) in self.inverse_units.iter_mut().zip(&self.sizes).zip(&self.rounding) {
            // No correction of an unknown without size is small, except zero.
            *unit = (1.0 / (left * size).max(RESOLVED * rounding)).min(f64::MAX);
        }
    }

    /// Size of a correction in units of what does not count.
    fn size(&self, correction: &[f64]) -> f64 {
        largest_product(correction, &self.inverse_units)
    }

    /// As the matrix did not serve.
    fn renew_for_next_steps(&mut self) {
        self.of = None;
        self.renewals = self.next_renewals;
        self.next_renewals = (2 * self.next_renewals).min(LONGEST_PAUSE);
    }

    /// Takes all corrections back.
    fn undo(&mut self, equations: &mut dyn Equations) {
        self.of = None;
        self.sum.iter_mut().for_each(|sum| *sum = -*sum);
        equations.subtract(&self.sum);
        self.sum.fill(0.0);
    }
}

impl Newton {
    /// Iterates with the matrix that was factorized last while it serves, and with another one when it does not; whether
    /// that was enough. If not, the iterate is what it was before, but for rounding.
    pub(super) fn solve_keeping(
        &mut self,
        kept: &mut Kept,
        equations: &mut dyn Equations,
        stats: &mut StepStats,
    ) -> bool {
        // Coordinates that do not depend on accelerations do not measure them.
        if kept.pause > 0 || equations.position_factor() == 0.0 {
            (kept.pause, kept.of) = (kept.pause.saturating_sub(1), None);
            return false;
        }
        if kept.renewals > 0 {
            (kept.renewals, kept.of) = (kept.renewals - 1, None);
        }
        kept.begin(equations);
        let factor = equations.position_factor();
        let serves = |of: f64| (factor - of).abs() <= OTHER_STEP * of;
        let mut is_new = !kept.of.is_some_and(serves);
        let is_solved = (!is_new || self.renew(kept, equations, stats))
            && loop {
                match self.correct(kept, equations, stats, is_new) {
                    Ended::Solved => break true,
                    _ if is_new => break false,
                    Ended::Slow => {}
                    Ended::Lost => kept.undo(equations),
                }
                kept.renew_for_next_steps();
                is_new = true;
                if !self.renew(kept, equations, stats) {
                    break false;
                }
            };
        if !is_solved {
            kept.undo(equations);
        }
        if is_solved && !is_new && kept.of.is_some() {
            kept.next_renewals = 1;
        }
        // In vain is also what costs more than a matrix for every iteration, unless the steps before have saved it, or
        // those that follow may.
        let correction = if self.solver.size() < FEW_UNKNOWNS { 0.5 } else { 0.35 };
        let cost =
            correction * f64::from(stats.newton_iterations) + (1.0 - correction) * f64::from(stats.factorizations);
        let usual = f64::from(kept.usual);
        kept.saved = (kept.saved + usual - cost).min(usual);
        if !is_solved || kept.saved < -usual {
            kept.saved = 0.0;
            kept.pause = kept.next_pause;
            kept.next_pause = (2 * kept.next_pause).min(LONGEST_PAUSE);
        } else if cost <= usual {
            kept.next_pause = 1;
        }
        is_solved
    }

    /// Factorizes the matrix of the current iterate; whether it is regular.
    fn renew(&mut self, kept: &mut Kept, equations: &mut dyn Equations, stats: &mut StepStats) -> bool {
        equations.matrix(&mut self.matrix);
        let is_regular = is_finite(&self.matrix) && self.solver.factor(&self.matrix).is_ok();
        stats.factorizations += u32::from(is_regular);
        kept.of = is_regular.then(|| equations.position_factor());
        kept.ratio = LEAST_RATIO;
        kept.rounding.fill(0.0);
        kept.knows_rounding = false;
        kept.find_units();
        is_regular
    }

    /// Corrects until nothing is left or the matrix does not serve.
    fn correct(
        &mut self,
        kept: &mut Kept,
        equations: &mut dyn Equations,
        stats: &mut StepStats,
        is_new: bool,
    ) -> Ended {
        let mut fastest: f64 = 1.0;
        let mut slowest = if is_new { LEAST_NEW_RATIO } else { kept.ratio };
        let mut previous: Option<f64> = None;
        for count in 1.. {
            equations.residual(&mut self.residual);
            if !is_finite(&self.residual) {
                return Ended::Lost;
            }
            self.solver.solve_untested(&mut self.residual);
            let mut size = kept.size(&self.residual);
            // As large as the coordinates themselves, or not a number: taking it back would not lead to where it was.
            if size.is_nan() || size > SYSTEMATIC / LEFT {
                return Ended::Lost;
            }
            equations.subtract(&self.residual);
            kept.sum.iter_mut().zip(&self.residual).for_each(|(sum, correction)| *sum += correction);
            stats.newton_iterations += 1;
            let Some(last) = previous.replace(size) else {
                // The ratio of the last step says enough of a correction that is nothing but rounding.
                if size <= SYSTEMATIC && (is_new || kept.ratio <= NO_PROGRESS) {
                    return Ended::Solved;
                }
                continue;
            };
            let ratio = size / last;
            if !kept.knows_rounding && !is_too_small(size, slowest.max(ratio)) {
                self.find_rounding(kept, equations);
                size = kept.size(&self.residual);
                previous = Some(size);
            }
            let is_within = |margin: f64| kept.knows_rounding && size * RESOLVED <= margin;
            let is_rounding = ratio > NO_PROGRESS
                && (is_within(ROUNDING_MARGIN)
                    || (is_new || fastest <= FAST || is_within(WANDERING))
                        && equations.measure(&self.residual, &KEPT_TOLERANCE) <= 1.0);
            // Corrections within rounding do not tell how fast those before them shrank.
            if !is_rounding && size * RESOLVED > 1.0 {
                kept.ratio = kept.ratio.max(ratio);
                slowest = slowest.max(ratio);
            }
            fastest = fastest.min(ratio);
            let is_solved = is_too_small(size, slowest);
            if is_solved || is_rounding {
                // A tolerance below rounding cannot be met.
                let is_below = self.tolerance.relative < KEPT_TOLERANCE.relative
                    && equations.measure(&self.residual, &self.tolerance) > 1.0;
                stats.at_rounding += u32::from(is_below);
                if count > MOST_CORRECTIONS {
                    kept.renew_for_next_steps();
                }
                return Ended::Solved;
            }
            if ratio >= NO_PROGRESS || count > 2 * MOST_CORRECTIONS {
                return if ratio >= 1.0 { Ended::Lost } else { Ended::Slow };
            }
            let foreseen = || -size.ln() / ratio.ln();
            if !is_new && count > 2 && foreseen() > f64::from(MOST_CORRECTIONS) {
                return Ended::Slow;
            }
        }
        Ended::Slow
    }

    /// What rounding of the equations adds to each unknown, with the matrix factorized last.
    fn find_rounding(&mut self, kept: &mut Kept, equations: &dyn Equations) {
        equations.sizes(&mut self.effect);
        // Of coordinates that no constraint holds only a part counts, as in the sizes of corrections.
        self.effect.iter_mut().zip(&kept.sizes).for_each(|(size, most)| *size = size.min(*most));
        kept.rounding.fill(0.0);
        self.effects_of_rounding(|effect| {
            kept.rounding.iter_mut().zip(effect).for_each(|(rounding, effect)| *rounding = rounding.max(effect.abs()));
        });
        (kept.knows_rounding, kept.rounding_age) = (true, 0);
        kept.find_units();
    }
}
