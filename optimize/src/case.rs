//! A motion that judges designs: its objective and its conditions, with their slopes.

use hamel::gradient::{Differentiated, Gradient, Instant, Objective, Slopes};
use hamel::{Caution, Model, ModelInfo, Options, Scheme};
use serde::Serialize;

use crate::error::{OptimizeError, Rejection, positive, quoted};
use crate::free::{Design, Frees, Place};

/// The model of a design, or why there is none.
pub type Family<'a> = &'a dyn Fn(&Design) -> Result<Box<dyn Model>, String>;

/// A motion that judges designs. Several of them are load cases, or parts of one motion, whose objectives are added; the model
/// of one need not have everything that is free.
pub struct Case<'a> {
    family: Family<'a>,
    scheme: &'a dyn Scheme,
    objective: &'a dyn Objective,
    conditions: Vec<Condition<'a>>,
    options: Options,
    step: f64,
    until: f64,
    checkpoints: Option<usize>,
    weight: f64,
}

impl<'a> Case<'a> {
    /// A motion in steps of 1 ms up to 1 s.
    pub fn new(family: Family<'a>, scheme: &'a dyn Scheme, objective: &'a dyn Objective) -> Self {
        Self {
            family,
            scheme,
            objective,
            conditions: Vec::new(),
            options: Options::default(),
            step: 1e-3,
            until: 1.0,
            checkpoints: None,
            weight: 1.0,
        }
    }

    /// The longest step, s; some are shorter, so that steps end at the times of samples.
    pub fn step(self, step: f64) -> Self {
        Self { step, ..self }
    }

    /// Time of the end, s.
    pub fn until(self, until: f64) -> Self {
        Self { until, ..self }
    }

    /// Options of the scheme.
    pub fn options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Memory of gradients, see [`Differentiated::checkpoints`].
    pub fn checkpoints(self, copies: usize) -> Self {
        Self { checkpoints: Some(copies), ..self }
    }

    /// What the objective of this case counts in the sum over the cases; 1 unless it is set.
    pub fn weight(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// With one more condition.
    pub fn subject_to(mut self, condition: Condition<'a>) -> Self {
        self.conditions.push(condition);
        self
    }

    pub(crate) fn conditions(&self) -> &[Condition<'a>] {
        &self.conditions
    }

    /// Checks the case at the design of the start; what its model says of itself.
    pub(crate) fn check(&self, start: &Design) -> Result<ModelInfo, OptimizeError> {
        positive("weight of a case", self.weight)?;
        let model = self.model(start)?;
        let info = model.describe();
        for condition in &self.conditions {
            if !condition.target.is_finite() {
                let what = format!("target of the condition on {}", condition.label());
                return Err(OptimizeError::Setting { what, expected: "a finite number", found: condition.target });
            }
            positive(&format!("unit of the condition on {}", condition.label()), condition.unit())?;
            let Quantity::EndOutput(name) = &condition.quantity else { continue };
            if !info.outputs.iter().any(|output| output.name == *name) {
                let known = quoted(info.outputs.iter().map(|output| output.name.as_str()));
                return Err(OptimizeError::UnknownOutput { name: name.clone(), known });
            }
        }
        Ok(info.clone())
    }

    /// The model of a design.
    fn model(&self, design: &Design) -> Result<Box<dyn Model>, Rejection> {
        let model = (self.family)(design).map_err(Rejection::Model)?;
        model.validate().map_err(|error| Rejection::Model(error.to_string()))?;
        Ok(model)
    }

    /// The motion of a design.
    fn motion<'m>(&'m self, model: &'m dyn Model, free: &Frees) -> Differentiated<'m> {
        let motion = Differentiated::new(model, self.scheme).options(self.options).step(self.step);
        motion.until(self.until).meeting(free.instants())
    }

    /// What a run of a design cautions.
    pub(crate) fn cautions(&self, free: &Frees, design: &Design) -> Result<Vec<Caution>, Rejection> {
        let model = self.model(design)?;
        Ok(self.motion(&*model, free).cautions()?)
    }

    /// The weighted objective and the quantities of the conditions, each with its slopes by the numbers of the design.
    pub(crate) fn judge(&self, free: &Frees, design: &Design) -> Result<Vec<(f64, Vec<f64>)>, Rejection> {
        let model = self.model(design)?;
        let info = model.describe();
        let places = free.find(info);
        let motion = self.motion(&*model, free);
        let motion = match self.checkpoints {
            Some(copies) => motion.checkpoints(copies),
            None => motion,
        };
        let at_end = |condition: &Condition| {
            let Quantity::EndOutput(name) = &condition.quantity else { return EndOutput(usize::MAX) };
            EndOutput(info.outputs.iter().position(|output| output.name == *name).unwrap_or(usize::MAX))
        };
        let ends: Vec<EndOutput> = self.conditions.iter().map(at_end).collect();
        let mut sought = vec![self.objective];
        for (condition, end) in self.conditions.iter().zip(&ends) {
            sought.push(match &condition.quantity {
                Quantity::Of(_, objective) => *objective,
                Quantity::EndOutput(_) => end,
            });
        }
        let found = motion.gradients(&sought)?.into_iter().enumerate();
        let weighted = |(place, gradient): (usize, Gradient)| {
            let weight = if place == 0 { self.weight } else { 1.0 };
            let slopes = places.iter().flat_map(|place| slopes(&gradient, place));
            (weight * gradient.value, slopes.map(|slope| weight * slope).collect())
        };
        Ok(found.map(weighted).collect())
    }
}

fn slopes(gradient: &Gradient, place: &Place) -> Vec<f64> {
    match place {
        Place::Parameter(place) => vec![gradient.parameters[*place]],
        Place::Samples { input, times } => gradient.of_samples(*input, times),
        Place::Nowhere { numbers } => vec![0.0; *numbers],
    }
}

/// An output at the end of a motion, as an objective.
struct EndOutput(usize);

impl Objective for EndOutput {
    fn add(&self, instant: &Instant<'_>, slopes: &mut Slopes) -> f64 {
        if !instant.is_end {
            return 0.0;
        }
        // Found when the case was checked; a family that makes other models has no such output.
        let Some(&value) = instant.outputs.get(self.0) else { return f64::NAN };
        slopes.outputs[self.0] = 1.0;
        value
    }
}

/// What a motion must meet beside its objective.
pub struct Condition<'a> {
    quantity: Quantity<'a>,
    relation: Relation,
    target: f64,
    unit: Option<f64>,
}

enum Quantity<'a> {
    EndOutput(String),
    Of(String, &'a dyn Objective),
}

/// How a quantity relates to its target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) enum Relation {
    Equal,
    AtMost,
    AtLeast,
}

impl<'a> Condition<'a> {
    /// On an output at the end of the motion: zero, unless [`equals`](Self::equals), [`at_most`](Self::at_most) or
    /// [`at_least`](Self::at_least) say something else.
    pub fn at_end(output: impl Into<String>) -> Self {
        Self { quantity: Quantity::EndOutput(output.into()), relation: Relation::Equal, target: 0.0, unit: None }
    }

    /// On anything that can be an objective, as an integral over the motion; the name is for people.
    pub fn of(name: impl Into<String>, quantity: &'a dyn Objective) -> Self {
        Self { quantity: Quantity::Of(name.into(), quantity), relation: Relation::Equal, target: 0.0, unit: None }
    }

    /// On anything that can be an objective, which is within a range: a value where both ends are equal, and of a range from
    /// or to infinity one side.
    ///
    /// # Errors
    /// [`OptimizeError::Range`] for a range that contains nothing or everything.
    pub fn within(
        name: impl Into<String>,
        quantity: &'a dyn Objective,
        [low, high]: [f64; 2],
    ) -> Result<Vec<Self>, OptimizeError> {
        let name = name.into();
        let condition = || Condition::of(name.clone(), quantity);
        if low == high && low.is_finite() {
            return Ok(vec![condition().equals(low)]);
        }
        let is_range = low < high && (low.is_finite() || high.is_finite());
        if !is_range {
            return Err(OptimizeError::Range { name, lower: low, upper: high });
        }
        let sides =
            [low.is_finite().then(|| condition().at_least(low)), high.is_finite().then(|| condition().at_most(high))];
        Ok(sides.into_iter().flatten().collect())
    }

    /// The quantity is this.
    pub fn equals(self, target: f64) -> Self {
        Self { relation: Relation::Equal, target, ..self }
    }

    /// The quantity is this or less.
    pub fn at_most(self, target: f64) -> Self {
        Self { relation: Relation::AtMost, target, ..self }
    }

    /// The quantity is this or more.
    pub fn at_least(self, target: f64) -> Self {
        Self { relation: Relation::AtLeast, target, ..self }
    }

    /// What counts as one of the quantity: the condition is met to the tolerance of the search in this unit. By default the
    /// size of the target, or 1 where that is zero.
    pub fn in_units_of(self, unit: f64) -> Self {
        Self { unit: Some(unit), ..self }
    }

    pub(crate) fn label(&self) -> String {
        match &self.quantity {
            Quantity::EndOutput(name) => format!("{name} at the end"),
            Quantity::Of(name, _) => name.clone(),
        }
    }

    pub(crate) fn relation(&self) -> Relation {
        self.relation
    }

    pub(crate) fn target(&self) -> f64 {
        self.target
    }

    pub(crate) fn unit(&self) -> f64 {
        self.unit.unwrap_or(if self.target == 0.0 { 1.0 } else { self.target.abs() })
    }

    /// One where more of the quantity is more of what must be zero or at most zero, and minus one where it is less.
    pub(crate) fn sign(&self) -> f64 {
        if self.relation == Relation::AtLeast { -1.0 } else { 1.0 }
    }
}
