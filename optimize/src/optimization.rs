//! The search.

use std::cell::Cell;

use crate::case::{Case, Condition, Relation};
use crate::error::{OptimizeError, Rejection, positive};
use crate::free::{Free, Frees, Number};
use crate::landscape::Judge;
use crate::optimality::{Judged, Optimality, side};
use crate::result::{ConditionValue, Ended, Optimum, Variable};
use crate::search::{Reached, Search};

/// How far variables are moved, in units of their scale, where nothing depends on them at the start.
const ASIDE: f64 = 1e-3;

/// A search for the design with the least objective.
pub struct Optimization<'a> {
    cases: Vec<Case<'a>>,
    free: Frees,
    numbers: Vec<Number>,
    units: Vec<String>,
    /// Bounds in units of the scales.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) tolerance: f64,
    pub(crate) unit: Option<f64>,
    pub(crate) iterations: u64,
    pub(crate) evaluations: u64,
}

impl<'a> Optimization<'a> {
    /// With a tolerance of 10⁻⁶, and at most 200 iterations and 1000 evaluations.
    ///
    /// # Errors
    /// For names that models do not have, bounds that leave nothing or do not contain the start, and settings without
    /// meaning; [`OptimizeError::Start`] for models that are refused.
    pub fn new(cases: Vec<Case<'a>>, free: Vec<Free>) -> Result<Self, OptimizeError> {
        let free = Frees::new(free)?;
        let numbers = free.numbers();
        let start = free.design(&numbers.iter().map(|number| number.start).collect::<Vec<_>>());
        if cases.is_empty() {
            return Err(OptimizeError::Free("expected at least one case that judges a design".to_owned()));
        }
        let models = cases.iter().map(|case| case.check(&start)).collect::<Result<Vec<_>, _>>()?;
        let units = free.units(&models)?;
        let scaled = |of: fn(&Number) -> f64| numbers.iter().map(|number| of(number) / number.scale).collect();
        let (lower, upper) = (scaled(|number| number.lower), scaled(|number| number.upper));
        Ok(Self {
            cases,
            free,
            units,
            lower,
            upper,
            numbers,
            tolerance: 1e-6,
            unit: None,
            iterations: 200,
            evaluations: 1000,
        })
    }

    /// A search is converged where no slope is larger than this, in units of the objective and of the scales of variables,
    /// and conditions are met to it, in their units.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// What counts as one of the objective. By default the value of the objective itself, but at least a thousandth of that
    /// at the start; where the search has converged in a unit that is more than the value, it begins anew from there, with a
    /// thousandth of that value. Set it where the least objective is zero.
    pub fn unit(self, unit: f64) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// Most iterations.
    pub fn iterations(self, most: u64) -> Self {
        Self { iterations: most, ..self }
    }

    /// Most evaluations, looked at before each iteration, which makes eleven at most.
    pub fn evaluations(self, most: u64) -> Self {
        Self { evaluations: most, ..self }
    }

    /// Searches. A search that ends elsewhere than at an optimum is no error: see [`Optimum::ended`].
    ///
    /// # Errors
    /// [`OptimizeError::Start`] if the design at the start cannot be judged, [`OptimizeError::NoInfluence`],
    /// [`OptimizeError::Setting`], [`OptimizeError::Search`].
    pub fn run(&self) -> Result<Optimum, OptimizeError> {
        positive("tolerance", self.tolerance)?;
        positive("unit of the objective", self.unit.unwrap_or(1.0))?;
        let judge = |x: &[f64]| self.judge(x);
        let judge = Judge::new(&judge);
        let start: Vec<f64> = self.numbers.iter().map(|number| number.start / number.scale).collect();
        let Some(judged) = judge.of(&start) else {
            let rejection = judge.last_rejection.take();
            return Err(rejection.map_or_else(|| OptimizeError::Search("no start".to_owned()), OptimizeError::from));
        };
        self.check_influence(&start, &judged)?;
        let steepest = judged.slopes.iter().fold(0.0, |most: f64, slope| most.max(slope.abs()));
        let sizes = [self.unit, Some(judged.objective.abs() + steepest)];
        let unit = sizes.into_iter().flatten().find(|size| *size > 0.0);
        let search = Search {
            of: self,
            judge: &judge,
            unit: unit.unwrap_or(1.0),
            is_unit_unknown: unit.is_none(),
            at_start: judged.objective,
            coarse: Cell::new(judged.objective),
        };
        let (best, iterations, ended) = search.run(start)?;
        Ok(self.optimum(&search, &best, iterations, ended))
    }

    /// The conditions of all cases, equalities first, each with its place among the conditions as they were given.
    pub(crate) fn conditions(&self) -> Vec<(usize, &Condition<'a>)> {
        let all = self.cases.iter().flat_map(Case::conditions).enumerate();
        let mut all: Vec<(usize, &Condition)> = all.collect();
        all.sort_by_key(|(_, condition)| condition.relation() != Relation::Equal);
        all
    }

    pub(crate) fn equalities(&self) -> usize {
        self.conditions().iter().filter(|(_, condition)| condition.relation() == Relation::Equal).count()
    }

    fn unscaled(&self, x: &[f64]) -> Vec<f64> {
        let value = |(x, number): (&f64, &Number)| (x * number.scale).clamp(number.lower, number.upper);
        x.iter().zip(&self.numbers).map(value).collect()
    }

    /// Judges a design in scaled variables.
    fn judge(&self, x: &[f64]) -> Result<Judged, Rejection> {
        let design = self.free.design(&self.unscaled(x));
        let mut objective = 0.0;
        let mut slopes = vec![0.0; x.len()];
        let mut quantities = Vec::new();
        for case in &self.cases {
            let mut found = case.judge(&self.free, &design)?.into_iter();
            if let Some((value, own)) = found.next() {
                objective += value;
                slopes.iter_mut().zip(own).for_each(|(slope, own)| *slope += own);
            }
            quantities.extend(found);
        }
        let scaled = |slopes: &[f64], factor: f64| -> Vec<f64> {
            slopes.iter().zip(&self.numbers).map(|(slope, number)| factor * slope * number.scale).collect()
        };
        let mut judged = Judged { objective, slopes: scaled(&slopes, 1.0), missed: Vec::new(), rows: Vec::new() };
        self.check_finite("the objective", objective, &judged.slopes)?;
        for (place, condition) in self.conditions() {
            let (value, slopes) = &quantities[place];
            let factor = condition.sign() / condition.unit();
            let row = scaled(slopes, factor);
            self.check_finite(&condition.label(), *value, &row)?;
            judged.missed.push(factor * (value - condition.target()));
            judged.rows.push(row);
        }
        Ok(judged)
    }

    fn check_finite(&self, what: &str, value: f64, slopes: &[f64]) -> Result<(), Rejection> {
        if !value.is_finite() {
            return Err(Rejection::NotFinite { what: what.to_owned(), found: value });
        }
        match slopes.iter().zip(&self.numbers).find(|(slope, _)| !slope.is_finite()) {
            None => Ok(()),
            Some((&found, number)) => {
                Err(Rejection::NotFinite { what: format!("the slope of {what} by {}", number.label), found })
            }
        }
    }

    /// Everything that is free changes something, at the start or beside it.
    fn check_influence(&self, start: &[f64], judged: &Judged) -> Result<(), OptimizeError> {
        let has_none = |judged: &Judged, place: usize| {
            judged.slopes[place] == 0.0 && judged.rows.iter().all(|row| row[place] == 0.0)
        };
        let suspects: Vec<usize> = (0..start.len()).filter(|&place| has_none(judged, place)).collect();
        if suspects.is_empty() {
            return Ok(());
        }
        let moved = |(place, x): (usize, &f64)| {
            // No two variables by the same, and away from the bound.
            let aside = ASIDE * (1.0 + place as f64 / start.len() as f64);
            let is_free = x + aside <= self.upper[place];
            if is_free { x + aside } else { (x - aside).max(self.lower[place]) }
        };
        let beside: Vec<f64> = start.iter().enumerate().map(moved).collect();
        // Where that motion fails nothing is known.
        let Ok(judged) = self.judge(&beside) else { return Ok(()) };
        match suspects.into_iter().find(|&place| has_none(&judged, place)) {
            Some(place) => Err(OptimizeError::NoInfluence { name: self.numbers[place].label.clone() }),
            None => Ok(()),
        }
    }

    fn optimum(&self, search: &Search, best: &Reached, iterations: u64, ended: Ended) -> Optimum {
        let values = self.unscaled(&best.x);
        let variable = |(place, number): (usize, &Number)| Variable {
            name: number.label.clone(),
            unit: self.units[place].clone(),
            start: number.start,
            value: values[place],
            bound: side(best.x[place], self.lower[place], self.upper[place]),
        };
        let condition = |(row, (place, condition)): (usize, (usize, &Condition))| {
            let (factor, missed) = (condition.sign() / condition.unit(), best.judged.missed[row]);
            let value = ConditionValue {
                name: condition.label(),
                value: condition.target() + missed / factor,
                target: condition.target(),
                is_met: missed <= self.tolerance
                    && (condition.relation() != Relation::Equal || -missed <= self.tolerance),
                price: -best.multipliers[row] * factor * search.unit_at(&best.judged),
            };
            (place, value)
        };
        let mut conditions: Vec<_> = self.conditions().into_iter().enumerate().map(condition).collect();
        conditions.sort_by_key(|(place, _)| *place);
        let Optimality { projected_gradient, violation, complementarity } = best.optimality;
        let design = self.free.design(&values);
        let variables: Vec<Variable> = self.numbers.iter().enumerate().map(variable).collect();
        // Its motions have been made before.
        let said = self.cases.iter().filter_map(|case| case.cautions(&self.free, &design).ok());
        let mut cautions: Vec<String> = said.flatten().map(|caution| caution.to_string()).collect();
        let stays = variables.iter().all(|variable| variable.value == variable.start && variable.bound.is_none());
        if ended == Ended::Converged && stays && conditions.is_empty() {
            cautions.push(
                "all slopes are zero at the start, where the search therefore stays: it may be a largest value, or a \
                 saddle; start elsewhere to see"
                    .to_owned(),
            );
        }
        Optimum {
            cautions,
            variables,
            design,
            objective: best.judged.objective,
            objective_at_start: search.at_start,
            conditions: conditions.into_iter().map(|(_, condition)| condition).collect(),
            projected_gradient,
            violation,
            complementarity,
            iterations,
            evaluations: search.judge.evaluations.get(),
            rejections: search.judge.rejections.get(),
            last_rejection: search.judge.last_rejection.borrow().as_ref().map(Rejection::to_string),
            ended,
        }
    }
}
