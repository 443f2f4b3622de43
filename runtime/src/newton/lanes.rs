//! Newton's method for instances that are integrated abreast, each with its own test, its own matrices and the digits that
//! it has alone.
//!
//! What one instance does after the other alone, all do side by side here: while any of them goes on, all evaluate a residual
//! and a correction, and those that need one a matrix. An instance that has converged takes corrections of zero. One that
//! fails, or whose elimination would go another way, retires, and its step is computed alone.

use alloc::sync::Arc;

use super::kept::{Corrections, Ended, Keeping, MOST_ENTRIES, Units};
use super::{Equations, NO_PROGRESS, NewtonMatrix, PATTERNS, ROUNDING_MARGIN, Tolerance, WANDERING, allowed, is_last};
use crate::abreast::{ABREAST, Abreast};
use crate::lanes::Lanes;
use crate::linear_solver::LaneSolver;
use crate::norms::Lane;
use crate::prelude::*;
use crate::random::Random;
use crate::real::Real;
use crate::sparsity::SparsityPattern;
use crate::step::StepStats;

type Values = Vec<[f64; ABREAST]>;
type Flags = [bool; ABREAST];

#[derive(Clone)]
pub(super) struct LaneNewton {
    abreast: Arc<Abreast>,
    tolerance: Tolerance,
    solver: LaneSolver<ABREAST>,
    /// The matrices that were factorized last, and those of the iterates.
    matrix: Values,
    fresh: Values,
    residual: Values,
    rounding: Values,
    effect: Values,
    sum: Values,
    /// Nothing if each iteration has a matrix of its own.
    kept: Option<(Units, [Keeping; ABREAST])>,
    phases: [Phase; ABREAST],
}

/// What an instance does next.
#[derive(Clone)]
enum Phase {
    /// Nothing: it has converged, or does not count.
    Over,
    /// Factorizes a matrix that is then kept.
    Renew,
    /// Corrects with the matrix that is kept.
    Correct(Corrections),
    /// Iterates with a matrix of its own, after so many iterations, the last of which was of this size.
    Iterate { count: u32, size: f64 },
}

impl Phase {
    const BEGIN: Phase = Phase::Iterate { count: 0, size: f64::INFINITY };
}

/// The lanes for which something holds.
fn lanes(holds: impl Fn(usize) -> bool) -> Flags {
    core::array::from_fn(holds)
}

fn lane(index: usize) -> Lane {
    Lane { index, of: ABREAST }
}

impl LaneNewton {
    pub(super) fn new(
        abreast: Arc<Abreast>,
        pattern: SparsityPattern,
        tolerance: Tolerance,
        matrix: Option<NewtonMatrix>,
    ) -> Self {
        let solver = LaneSolver::new(pattern);
        let (nnz, n) = (solver.nnz(), solver.size());
        let zeros = |n: usize| vec![[0.0; ABREAST]; n];
        let kept = || (Units::new(ABREAST * n, &tolerance), core::array::from_fn(|_| Keeping::new()));
        Self {
            abreast,
            tolerance,
            solver,
            matrix: zeros(nnz),
            fresh: zeros(nnz),
            residual: zeros(n),
            rounding: zeros(n),
            effect: zeros(n),
            sum: zeros(n),
            kept: (matrix == Some(NewtonMatrix::Kept)).then(kept),
            phases: [const { Phase::Over }; ABREAST],
        }
    }

    /// Iterates from the current iterates of all instances that count to their solutions.
    pub(super) fn solve(&mut self, equations: &mut dyn Equations) {
        if self.solver.nnz() > MOST_ENTRIES {
            return (0..ABREAST).for_each(|i| self.retire(i));
        }
        let unknowns = self.solver.size();
        let (mut stats, mut before) = ([StepStats::default(); ABREAST], [StepStats::default(); ABREAST]);
        self.begin(equations);
        while self.phases.iter().any(|phase| !matches!(phase, Phase::Over)) {
            self.find_matrices(equations, &mut stats);
            let wanted = lanes(|i| !matches!(self.phases[i], Phase::Over));
            self.abreast.ask(wanted);
            equations.residual(self.residual.as_flattened_mut());
            let (defined, sizes, accurate) = self.correct(wanted);
            // Who takes its correction back, and who guesses anew after that.
            let (mut taken, mut undone, mut anew) = ([false; ABREAST], [false; ABREAST], [false; ABREAST]);
            for i in 0..ABREAST {
                match &self.phases[i] {
                    Phase::Correct(_) => taken[i] = defined[i] && !Corrections::is_lost(sizes[i]),
                    Phase::Iterate { .. } if !defined[i] || !accurate[i] => self.retire(i),
                    Phase::Iterate { .. } => taken[i] = true,
                    Phase::Over | Phase::Renew => {}
                }
            }
            keep(&mut self.residual, &taken);
            equations.subtract(self.residual.as_flattened());
            self.add_up();
            (0..ABREAST).for_each(|i| stats[i].newton_iterations += u32::from(taken[i]));
            let ended = self.judge(equations, &taken, sizes, &mut stats);
            for (i, ended) in ended.into_iter().enumerate() {
                let (Some((ended, is_new)), Some((_, keeping))) = (ended, &mut self.kept) else { continue };
                let keeping = &mut keeping[i];
                match ended {
                    Ended::Solved => {
                        keeping.end(true, is_new, &stats[i], unknowns);
                        self.phases[i] = Phase::Over;
                    }
                    _ if is_new => {
                        keeping.forget();
                        keeping.end(false, is_new, &stats[i], unknowns);
                        (undone[i], anew[i]) = (true, true);
                        self.phases[i] = Phase::BEGIN;
                        // Those that follow are counted by themselves, to be compared with.
                        before[i] += core::mem::take(&mut stats[i]);
                    }
                    ended => {
                        undone[i] = ended == Ended::Lost;
                        keeping.renew_for_next_steps();
                        self.phases[i] = Phase::Renew;
                    }
                }
            }
            let iterates = lanes(|i| taken[i] && !anew[i] && matches!(self.phases[i], Phase::Iterate { .. }));
            self.iterate(equations, iterates, &mut stats);
            if undone.contains(&true) {
                self.undo(equations, &undone);
            }
            if anew.contains(&true) {
                equations.guess_anew(&anew);
            }
        }
        before.iter_mut().zip(stats).for_each(|(sum, stats)| *sum += stats);
        self.abreast.add(before.map(counts));
        self.abreast.ask(self.abreast.going());
    }

    fn begin(&mut self, equations: &mut dyn Equations) {
        let going = self.abreast.going();
        let factor = equations.position_factor();
        let (mut any_keeps, mut anew) = (false, [false; ABREAST]);
        for (i, phase) in self.phases.iter_mut().enumerate() {
            let keeping = self.kept.as_mut().map(|(_, keeping)| &mut keeping[i]);
            *phase = match keeping.filter(|_| going[i]).map(|keeping| (keeping.begin(factor), keeping)) {
                _ if !going[i] => Phase::Over,
                None => Phase::BEGIN,
                Some((None, _)) => {
                    anew[i] = true;
                    Phase::BEGIN
                }
                Some((Some(true), _)) => Phase::Renew,
                Some((Some(false), keeping)) => Phase::Correct(Corrections::new(false, keeping)),
            };
            any_keeps |= matches!(phase, Phase::Renew | Phase::Correct(_));
        }
        if let (true, Some((units, _))) = (any_keeps, &mut self.kept) {
            self.sum.fill([0.0; ABREAST]);
            units.begin(equations);
        }
        if anew.contains(&true) {
            equations.guess_anew(&anew);
        }
    }

    /// Factorizes the matrices of iterates where they are needed.
    fn find_matrices(&mut self, equations: &mut dyn Equations, stats: &mut [StepStats; ABREAST]) {
        let wanted = lanes(|i| matches!(self.phases[i], Phase::Renew | Phase::Iterate { .. }));
        if !wanted.contains(&true) {
            return;
        }
        self.abreast.ask(wanted);
        equations.matrix(self.fresh.as_flattened_mut());
        let defined = pulp::Arch::new().dispatch(Merge { matrix: &mut self.matrix, fresh: &self.fresh, wanted });
        let wanted = lanes(|i| wanted[i] && defined[i]);
        let regular = self.solver.factor(&self.matrix, wanted);
        let factor = equations.position_factor();
        let mut is_renewed = false;
        for i in 0..ABREAST {
            if matches!(self.phases[i], Phase::Over | Phase::Correct(_)) {
                continue;
            }
            if !regular[i] {
                self.retire(i);
                continue;
            }
            stats[i].factorizations += 1;
            if let (Phase::Renew, Some((units, keeping))) = (&self.phases[i], &mut self.kept) {
                keeping[i].renewed(Some(factor));
                units.rounding.iter_mut().skip(i).step_by(ABREAST).for_each(|rounding| *rounding = 0.0);
                self.phases[i] = Phase::Correct(Corrections::new(true, &keeping[i]));
                is_renewed = true;
            }
        }
        if let (true, Some((units, _))) = (is_renewed, &mut self.kept) {
            units.find();
        }
    }

    /// Replaces residuals by corrections: for which lanes residuals are numbers, the sizes of corrections with matrices that
    /// are kept, and for which lanes those with others satisfy their equations.
    fn correct(&mut self, wanted: Flags) -> (Flags, [f64; ABREAST], Flags) {
        let is_tested = lanes(|i| wanted[i] && matches!(self.phases[i], Phase::Iterate { .. }));
        let defined = pulp::Arch::new().dispatch(IsFinite(&self.residual));
        let accurate = self.solver.solve(&mut self.residual, is_tested);
        let sizes = match &self.kept {
            Some((units, _)) => pulp::Arch::new().dispatch(Sizes { a: &self.residual, b: units.inverse.as_chunks().0 }),
            None => [0.0; ABREAST],
        };
        (defined, sizes, accurate)
    }

    fn add_up(&mut self) {
        if self.kept.is_some() {
            for (sum, correction) in self.sum.iter_mut().zip(&self.residual) {
                sum.iter_mut().zip(correction).for_each(|(sum, correction)| *sum += correction);
            }
        }
    }

    /// How corrections with kept matrices have ended, and whether these are new; nothing for lanes that go on.
    fn judge(
        &mut self,
        equations: &dyn Equations,
        taken: &Flags,
        mut sizes: [f64; ABREAST],
        stats: &mut [StepStats; ABREAST],
    ) -> [Option<(Ended, bool)>; ABREAST] {
        let (mut ended, mut ratios, mut ask) = ([None; ABREAST], [None; ABREAST], [false; ABREAST]);
        let Some((_, keeping)) = &self.kept else { return ended };
        for (i, phase) in self.phases.iter_mut().enumerate() {
            let Phase::Correct(corrections) = phase else { continue };
            if !taken[i] {
                ended[i] = Some((Ended::Lost, corrections.is_new));
                continue;
            }
            ratios[i] = corrections.pass(sizes[i]);
            match ratios[i] {
                None if corrections.is_enough(sizes[i], &keeping[i]) => {
                    ended[i] = Some((Ended::Solved, corrections.is_new));
                }
                None => {}
                Some(ratio) => ask[i] = corrections.asks_for_rounding(sizes[i], ratio, &keeping[i]),
            }
        }
        if ask.contains(&true) {
            sizes = self.find_rounding(equations, &ask);
        }
        let Self { phases, kept: Some((_, keeping)), residual, tolerance, .. } = self else { return ended };
        for i in 0..ABREAST {
            let (Phase::Correct(corrections), Some(ratio)) = (&mut phases[i], ratios[i]) else { continue };
            if ask[i] {
                corrections.correct_size(sizes[i]);
            }
            let measure = |tolerance: &Tolerance| equations.measure(residual.as_flattened(), tolerance, lane(i));
            let is_new = corrections.is_new;
            let judged = corrections.judge([sizes[i], ratio], &mut keeping[i], tolerance, &mut stats[i], measure);
            ended[i] = judged.map(|ended| (ended, is_new));
        }
        ended
    }

    /// Goes on after iterations with matrices of their own.
    fn iterate(&mut self, equations: &dyn Equations, lanes: Flags, stats: &mut [StepStats; ABREAST]) {
        let (mut sizes, mut ask) = ([0.0; ABREAST], [false; ABREAST]);
        for i in 0..ABREAST {
            let Phase::Iterate { count, size: previous } = &mut self.phases[i] else { continue };
            if !lanes[i] {
                continue;
            }
            *count += 1;
            sizes[i] = equations.measure(self.residual.as_flattened(), &self.tolerance, lane(i));
            let is_slow = sizes[i] > NO_PROGRESS * *previous || *count >= self.tolerance.max_iterations;
            ask[i] = !is_last(sizes[i], *previous) && is_slow;
        }
        let rounding = if ask.contains(&true) { self.rounding(equations, &ask) } else { [0.0; ABREAST] };
        for i in (0..ABREAST).filter(|&i| lanes[i]) {
            let (size, Phase::Iterate { count, size: previous }) = (sizes[i], &mut self.phases[i]) else { continue };
            let is_rounding = ask[i]
                && size > NO_PROGRESS * *previous
                && size <= allowed(&self.tolerance, rounding[i], ROUNDING_MARGIN);
            let is_over = *count >= self.tolerance.max_iterations;
            let wanders = ask[i] && is_over && size <= allowed(&self.tolerance, rounding[i], WANDERING);
            if is_last(size, *previous) || is_rounding || wanders {
                stats[i].at_rounding += u32::from(!is_last(size, *previous));
                self.phases[i] = Phase::Over;
                if let Some((_, keeping)) = &mut self.kept {
                    keeping[i].compare_with(stats[i].newton_iterations);
                }
            } else if is_over {
                self.retire(i);
            } else {
                *previous = size;
            }
        }
    }

    fn retire(&mut self, i: usize) {
        self.abreast.retire(i);
        self.phases[i] = Phase::Over;
    }

    /// Takes all corrections with a kept matrix back.
    fn undo(&mut self, equations: &mut dyn Equations, undone: &Flags) {
        self.residual.copy_from_slice(&self.sum);
        for (correction, sum) in self.residual.iter_mut().zip(&mut self.sum) {
            for i in 0..ABREAST {
                correction[i] = if undone[i] { -correction[i] } else { 0.0 };
                sum[i] = if undone[i] { 0.0 } else { sum[i] };
            }
        }
        equations.subtract(self.residual.as_flattened());
    }

    /// Sizes of the corrections that rounding of the equations makes, for these lanes.
    fn rounding(&mut self, equations: &dyn Equations, of: &Flags) -> [f64; ABREAST] {
        let mut largest = [0.0_f64; ABREAST];
        let tolerance = self.tolerance;
        equations.sizes(self.effect.as_flattened_mut());
        self.effects_of_rounding(|effect| {
            for i in (0..ABREAST).filter(|&i| of[i]) {
                largest[i] = largest[i].max(equations.measure(effect.as_flattened(), &tolerance, lane(i)));
            }
        });
        largest
    }

    /// What rounding of the equations adds to each unknown of these lanes; the sizes of the corrections are then others.
    fn find_rounding(&mut self, equations: &dyn Equations, of: &Flags) -> [f64; ABREAST] {
        let Some((mut units, mut keeping)) = self.kept.take() else { return [0.0; ABREAST] };
        equations.sizes(self.effect.as_flattened_mut());
        units.limit(self.effect.as_flattened_mut());
        let mut set = |value: &dyn Fn(usize, usize, f64) -> f64| {
            for (k, rounding) in units.rounding.as_chunks_mut::<ABREAST>().0.iter_mut().enumerate() {
                for i in 0..ABREAST {
                    rounding[i] = if of[i] { value(k, i, rounding[i]) } else { rounding[i] };
                }
            }
        };
        set(&|_, _, _| 0.0);
        self.effects_of_rounding(|effect| set(&|k, i, rounding| rounding.max(effect[k][i].abs())));
        (0..ABREAST).filter(|&i| of[i]).for_each(|i| keeping[i].found_rounding());
        units.find();
        let sizes = pulp::Arch::new().dispatch(Sizes { a: &self.residual, b: units.inverse.as_chunks().0 });
        self.kept = Some((units, keeping));
        sizes
    }

    /// Corrections by random rounding, for unknowns of the sizes in `effect`, as for one instance.
    fn effects_of_rounding(&mut self, mut then: impl FnMut(&[[f64; ABREAST]])) {
        self.solver.absolute_product(&self.matrix, &self.effect, &mut self.rounding);
        for pattern in 0..PATTERNS {
            let mut random = Random(pattern);
            for (effect, rounding) in self.effect.iter_mut().zip(&self.rounding) {
                let sign = random.next();
                *effect = rounding.map(|rounding| 0.5 * f64::EPSILON * rounding.copysign(sign));
            }
            self.solver.solve(&mut self.effect, [false; ABREAST]);
            then(&self.effect);
        }
    }
}

fn counts(stats: StepStats) -> [u32; 3] {
    [stats.newton_iterations, stats.factorizations, stats.at_rounding]
}

/// Sets to zero the values of all other lanes.
fn keep(values: &mut [[f64; ABREAST]], lanes: &Flags) {
    if *lanes == [true; ABREAST] {
        return;
    }
    let masks = lanes.map(|is_kept| if is_kept { u64::MAX } else { 0 });
    for value in values {
        for i in 0..ABREAST {
            value[i] = f64::from_bits(value[i].to_bits() & masks[i]);
        }
    }
}

/// For which lanes all values are finite.
struct IsFinite<'a>(&'a [[f64; ABREAST]]);

impl pulp::NullaryFnOnce for IsFinite<'_> {
    type Output = Flags;

    #[inline(always)]
    fn call(self) -> Flags {
        let mut finite = [true; ABREAST];
        for value in self.0 {
            for i in 0..ABREAST {
                finite[i] &= value[i].is_finite();
            }
        }
        finite
    }
}

/// Takes over the wanted lanes of a matrix; for which lanes that is finite.
struct Merge<'a> {
    matrix: &'a mut [[f64; ABREAST]],
    fresh: &'a [[f64; ABREAST]],
    wanted: Flags,
}

impl pulp::NullaryFnOnce for Merge<'_> {
    type Output = Flags;

    #[inline(always)]
    fn call(self) -> Flags {
        let Self { matrix, fresh, wanted } = self;
        let mut finite = [true; ABREAST];
        for (value, fresh) in matrix.iter_mut().zip(fresh) {
            for i in 0..ABREAST {
                finite[i] &= fresh[i].is_finite();
                value[i] = if wanted[i] { fresh[i] } else { value[i] };
            }
        }
        finite
    }
}

/// The largest absolute values of products.
struct Sizes<'a> {
    a: &'a [[f64; ABREAST]],
    b: &'a [[f64; ABREAST]],
}

impl pulp::NullaryFnOnce for Sizes<'_> {
    type Output = [f64; ABREAST];

    #[inline(always)]
    fn call(self) -> [f64; ABREAST] {
        let mut sizes = [0.0; ABREAST];
        for (a, b) in self.a.iter().zip(self.b) {
            let product = (Lanes(*a) * Lanes(*b)).abs().0;
            for i in 0..ABREAST {
                sizes[i] = if product[i] > sizes[i] || product[i].is_nan() { product[i] } else { sizes[i] };
            }
        }
        sizes
    }
}
