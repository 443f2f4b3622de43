//! Steps towards a better design: the library's, looked at one by one.

use std::cell::Cell;
use std::rc::Rc;

use basin::{Executor, Slsqp, State, StepOutcome};

use crate::error::OptimizeError;
use crate::landscape::{Judge, Landscape};
use crate::optimality::{Judged, Optimality};
use crate::optimization::Optimization;
use crate::result::Ended;

/// The unit of the objective is its value, but at least this part of that at the start of the search.
const LEAST_UNIT: f64 = 1e-3;
/// A search that has converged in a unit which is so much more than the objective begins anew from there: where the start is
/// unstable its objective tells nothing of the optimum's. So often at most, for objectives that vanish.
const FINER: u32 = 24;
/// A change of the objective, in its unit, or a part of the violation, by which a design must be better for the search to go
/// on.
const BETTER: f64 = 1e-12;
/// A change of the objective, as a part of it, or of the violation, that rounding alone may make.
const ROUNDING: f64 = 1e-13;
/// A gradient that is less than this part of the least so far is progress where the objective changes no more.
const FLATTER: f64 = 0.9;
/// The search begins anew, without what the library has learnt of second derivatives, where the library gives up, or has
/// made many steps in a row that changed nothing or took twice as many evaluations; but it ends if no more than a few steps
/// have changed something.
const FEW: u64 = 3;
/// Units of the objective where it shall not matter, so that the conditions are met first: until they are violated by less
/// than this part.
const NEGLIGIBLE: f64 = 1e6;
/// Where the start says nothing of the objective's unit, because it is zero there with all slopes, an objective of so many
/// units is a unit from there on, so that the library's first second derivatives are of the right size.
const GROWN: f64 = 100.0;
const NEARER: f64 = 0.1;
const MANY: usize = 10;

/// A design that a search has reached.
#[derive(Clone)]
pub(crate) struct Reached {
    pub(crate) x: Vec<f64>,
    pub(crate) judged: Rc<Judged>,
    /// For the objective in its unit.
    pub(crate) multipliers: Vec<f64>,
    pub(crate) optimality: Optimality,
}

/// A search on its way.
pub(crate) struct Search<'s> {
    pub(crate) of: &'s Optimization<'s>,
    pub(crate) judge: &'s Judge<'s>,
    /// The objective's unit, as the library sees it.
    pub(crate) unit: f64,
    /// Whether the start says nothing of it.
    pub(crate) is_unit_unknown: bool,
    pub(crate) at_start: f64,
    /// The objective at the start, or where the search has begun anew in a finer unit.
    pub(crate) coarse: Cell<f64>,
}

impl Search<'_> {
    /// The objective's unit for a design.
    pub(crate) fn unit_at(&self, judged: &Judged) -> f64 {
        let own = judged.objective.abs().max(LEAST_UNIT * self.coarse.get().abs());
        self.of.unit.unwrap_or(if own > 0.0 { own } else { self.unit })
    }

    /// A design with the multipliers that the library has for it.
    fn reached(&self, x: &[f64], solver: &Slsqp, of_library: f64) -> Result<Reached, OptimizeError> {
        let judged = self.judge.of(x).ok_or_else(|| OptimizeError::Search("a rejected step was taken".to_owned()))?;
        let unit = self.unit_at(&judged);
        let both = [solver.equality_multipliers(), solver.inequality_multipliers()];
        let mut multipliers: Vec<f64> =
            both.into_iter().flatten().flatten().map(|one| one * of_library / unit).collect();
        multipliers.resize(judged.rows.len(), 0.0);
        let (bounds, equalities) = ((self.of.lower.as_slice(), self.of.upper.as_slice()), self.of.equalities());
        let optimality = Optimality::new(&judged, x, bounds, &multipliers, equalities, unit);
        Ok(Reached { x: x.to_vec(), judged, multipliers, optimality })
    }

    /// Whether a design is better than another by more than rounding: first the conditions, then the objective.
    fn is_better(&self, one: &Reached, other: &Reached) -> bool {
        let violations = [one, other].map(|reached| reached.optimality.violation);
        let are_met = violations.map(|violation| violation <= self.of.tolerance);
        match are_met {
            [true, true] => other.judged.objective - one.judged.objective > BETTER * self.unit_at(&other.judged),
            [is_met, other_is_met] if is_met != other_is_met => is_met,
            _ => violations[0] < (1.0 - BETTER) * violations[1],
        }
    }

    /// The last design if it is an optimum, or else the best; the number of iterations, and why they ended.
    pub(crate) fn run(&self, start: Vec<f64>) -> Result<(Reached, u64, Ended), OptimizeError> {
        let mut progress = Progress { best: None, iterations: 0, converged: 0 };
        let (mut from, mut unit, mut is_aside) = (start, self.unit, false);
        loop {
            match self.leg(from, unit, is_aside, &mut progress)? {
                // The objective may be in the way of the conditions.
                Leg::Ended(best, Ended::Unmet) if !is_aside => (from, is_aside) = (best.x, true),
                // What was an optimum in a coarser unit, and has no better design in this one, is one.
                Leg::Ended(reached, Ended::NoProgress) if progress.converged > 0 => {
                    return Ok((reached, progress.iterations, Ended::Converged));
                }
                Leg::Ended(reached, ended) => return Ok((reached, progress.iterations, ended)),
                Leg::AnewFrom(x) => (from, is_aside) = (x, false),
                Leg::In(x, other) => (from, unit) = (x, other),
            }
        }
    }

    /// A search of the library from a design on, with a unit of the objective, which may be put aside.
    fn leg(
        &self,
        from: Vec<f64>,
        own_unit: f64,
        is_aside: bool,
        progress: &mut Progress,
    ) -> Result<Leg, OptimizeError> {
        let unit = if is_aside { NEGLIGIBLE * own_unit } else { own_unit };
        let equalities = self.of.equalities();
        let landscape = Landscape {
            judge: self.judge,
            lower: &self.of.lower,
            upper: &self.of.upper,
            conditions: (equalities, self.of.conditions().len() - equalities),
            unit,
        };
        let failed = |error: &dyn std::fmt::Display| OptimizeError::Search(error.to_string());
        // Its own tests say little; the conditions of an optimum are looked at after each iteration.
        let solver = Slsqp::new().with_absolute_accuracy_tolerance(None);
        let stepper = Executor::from_start(landscape, solver, from).into_stepper();
        let mut stepper = stepper.map_err(|error| failed(&error))?;
        let (mut before, mut first, mut least, mut moves, mut rests) = (None, None, f64::INFINITY, 0, 0);
        let mut evaluations = Vec::new();
        loop {
            let reached = self.reached(stepper.state().param(), stepper.solver(), unit)?;
            let x = reached.x.clone();
            if reached.optimality.is_met(self.of.tolerance) {
                let own = reached.judged.objective.abs();
                let is_coarse = self.of.unit.is_none() && own < LEAST_UNIT * self.coarse.get().abs();
                if !is_coarse || own == 0.0 || progress.converged >= FINER {
                    return Ok(Leg::Ended(reached, Ended::Converged));
                }
                progress.converged += 1;
                self.coarse.set(own);
                return Ok(Leg::In(x, self.unit_at(&reached.judged)));
            }
            let gradient = reached.optimality.projected_gradient;
            let is_flatter = gradient < FLATTER * least;
            if is_flatter || before.as_ref().is_some_and(|before| self.has_moved(before, &reached)) {
                (moves, rests) = (moves + 1, 0);
            } else {
                rests += 1;
            }
            least = if is_flatter { gradient } else { least };
            before = Some(reached.clone());
            let violation = reached.optimality.violation;
            let is_nearer = is_aside && violation <= NEARER * *first.get_or_insert(violation);
            let best = match progress.best.take() {
                Some(best) if !self.is_better(&reached, &best) => best,
                _ => reached,
            };
            progress.best = Some(best.clone());
            let grown = before.as_ref().map_or(0.0, |now: &Reached| self.unit_at(&now.judged));
            if self.is_unit_unknown && unit == self.unit && grown > GROWN * unit && grown.is_finite() {
                return Ok(Leg::In(x, grown));
            }
            let count = self.judge.evaluations.get();
            if progress.iterations >= self.of.iterations {
                return Ok(Leg::Ended(best, Ended::Iterations));
            }
            if count >= self.of.evaluations {
                return Ok(Leg::Ended(best, Ended::Evaluations));
            }
            // Where first trials fail again and again the library's second derivatives are worth nothing.
            evaluations.push(count);
            let is_tough = evaluations.iter().rev().nth(MANY).is_some_and(|before| count - before >= 2 * MANY as u64);
            let has_stopped = !is_tough
                && !is_nearer
                && (rests > MANY
                    || match stepper.step().map_err(|error| failed(&error))? {
                        StepOutcome::Continue => {
                            progress.iterations += 1;
                            false
                        }
                        StepOutcome::Stopped(_) => true,
                    });
            if has_stopped && moves < FEW {
                let is_met = best.optimality.violation <= self.of.tolerance;
                return Ok(Leg::Ended(best, if is_met { Ended::NoProgress } else { Ended::Unmet }));
            }
            if is_nearer || is_tough || has_stopped {
                return Ok(Leg::AnewFrom(x));
            }
        }
    }

    /// Whether a step did more than rounding does.
    fn has_moved(&self, before: &Reached, now: &Reached) -> bool {
        let change = (now.judged.objective - before.judged.objective).abs();
        let [was, is] = [before, now].map(|reached| reached.optimality.violation);
        change > ROUNDING * now.judged.objective.abs() || (was - is).abs() > ROUNDING + 1e-3 * was.min(is)
    }
}

/// What a search has come to.
struct Progress {
    best: Option<Reached>,
    iterations: u64,
    /// How often it has converged in a unit that was much more than the objective.
    converged: u32,
}

/// How a part of a search ended.
enum Leg {
    Ended(Reached, Ended),
    /// A new one begins there.
    AnewFrom(Vec<f64>),
    /// The same, with another unit of the objective.
    In(Vec<f64>, f64),
}
