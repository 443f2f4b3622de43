//! Motions that are known exactly, as laws over the registry: what a scheme is marked as fit for it must converge to.
//!
//! A [`Problem`] is a model with a start, an instant, and the exact values of the model's outputs there. Every scheme
//! that is fit runs it at three steps; [`Measurement::verdict`] says whether the errors shrink as the scheme claims.
//! To add one: a `multibody!` with outputs and an entry in `contacts` or `smooth`; nothing else.
//! `docs/closed_forms.md` is what `hamel closed-forms --markdown` prints, and a test holds it to what schemes do.

mod contacts;
pub mod random;
mod smooth;

use hamel::schemes::{self, Entry, Stability};
use hamel::{Block, ConstraintLevel, Model, Options, Scheme, Simulation, State, StepError};
use hamel_compiler::parallel;

use crate::convergence::{fitted_slope, largest};

/// A motion that is known exactly.
pub struct Problem {
    /// Name, a folder and what happens, e.g. `ball/approaching`.
    pub name: &'static str,
    /// What moves, and how, in a sentence or two.
    pub what: &'static str,
    /// Where the solution comes from: a derivation in a few words, or a reference.
    pub source: &'static str,
    /// Steps, the longest first.
    pub steps: [f64; 3],
    /// The instant at which outputs are compared, s.
    pub until: f64,
    /// Where constraints are imposed; `None` leaves it to the scheme.
    pub level: Option<ConstraintLevel>,
    /// The model, with its parameters.
    pub model: fn() -> Box<dyn Model>,
    /// Its start: [`hamel::initial_state`] unless the start itself is the matter.
    pub start: fn(&dyn Model) -> Result<State, StepError>,
    /// The exact values of the model's outputs at an instant, component after component. Their errors are compared as
    /// they are: outputs are chosen to be of size one.
    pub exact: fn(f64) -> Vec<f64>,
    /// What convergence means here.
    pub law: Law,
}

/// What convergence means.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// Of first order whatever the scheme: an impact or the end of sliding comes up to a step late. Where in its step it
    /// happens is chance, so errors fall in jumps, but stay below this number times the step, which is of the size of
    /// what changes at such an instant.
    Late(f64),
    /// Of the scheme's order, but for what rounding leaves: errors below this are rounding.
    Smooth(f64),
}

/// Observed orders of smooth problems may stay below that of the scheme by this much, as far as the longer steps are from
/// their limit.
const SHORT: f64 = 0.3;

/// Every problem, those with contacts first.
pub fn problems() -> impl Iterator<Item = &'static Problem> {
    contacts::PROBLEMS.iter().chain(smooth::PROBLEMS)
}

/// What a scheme did on a problem.
pub struct Measurement {
    /// The problem.
    pub problem: &'static Problem,
    /// The scheme's name in the registry.
    pub scheme: &'static str,
    /// The order that it must show.
    pub order: u32,
    /// Largest error of an output for each step, or why a run failed.
    pub errors: Result<[f64; 3], StepError>,
}

impl Problem {
    /// The order that a scheme must show here; `None` where the registry does not mark it as fit.
    pub fn order(&self, entry: &Entry, scheme: &dyn Scheme, model: &dyn Model) -> Option<u32> {
        let info = model.describe();
        if entry.stability == Stability::Never || (!info.contacts.is_empty() && !scheme.carries_contacts()) {
            return None;
        }
        if info.constraints.is_empty() {
            return Some(scheme.order());
        }
        if info.blocks.contains(&Block::EulerParameters) && ["hht", "modified_hht"].contains(&entry.name) {
            // They average the forces of two instants, which belong to frames that have turned. [sherif, Fig. 2]
            return Some(1);
        }
        let [q, v, _] = match self.level.unwrap_or(scheme.preferred_level()) {
            ConstraintLevel::Position => entry.index_3?,
            ConstraintLevel::Velocity => entry.index_2?,
            ConstraintLevel::Acceleration => {
                let options = Options { constraint_level: self.level, ..Options::default() };
                scheme.start_with(model, (self.start)(model).ok()?, &options).ok()?;
                [scheme.order(); 3]
            }
        };
        Some(q.min(v))
    }

    /// The error at the end of a run with this step.
    ///
    /// # Errors
    /// Those of the run.
    pub fn error(&self, scheme: &dyn Scheme, dt: f64) -> Result<f64, StepError> {
        let model = (self.model)();
        let options = Options { constraint_level: self.level, ..Options::default() };
        let run = Simulation::new(&*model, scheme)
            .options(options)
            .step(dt)
            .until(self.until)
            .record_every(usize::MAX)
            .run((self.start)(&*model)?);
        run.outcome?;
        let found = model.describe().outputs.iter().map(|output| {
            let last = run.trajectory.column(&output.name).ok().and_then(|mut column| column.next_back());
            last.unwrap_or(f64::NAN)
        });
        let exact = (self.exact)(self.until);
        assert_eq!(exact.len(), model.describe().outputs.len(), "{}: a value for each output", self.name);
        Ok(largest(found.zip(exact).map(|(found, exact)| found - exact)))
    }

    /// Runs a scheme at all steps; `None` where the registry does not mark it as fit.
    pub fn measure(&'static self, entry: &'static Entry) -> Option<Measurement> {
        let scheme = entry.scheme(&[]).ok()?;
        let order = self.order(entry, &*scheme, &*(self.model)())?;
        let errors = || -> Result<[f64; 3], StepError> {
            let [long, middle, short] = self.steps;
            Ok([self.error(&*scheme, long)?, self.error(&*scheme, middle)?, self.error(&*scheme, short)?])
        };
        Some(Measurement { problem: self, scheme: entry.name, order, errors: errors() })
    }
}

impl Measurement {
    /// The slope of the errors over the steps; `None` where they are rounding, or a run failed.
    pub fn observed(&self) -> Option<f64> {
        let errors = self.errors.as_ref().ok()?;
        let rounding = match self.problem.law {
            Law::Late(_) => 1e-12,
            Law::Smooth(rounding) => rounding,
        };
        let pairs = self.problem.steps.into_iter().zip(*errors).filter(|&(_, error)| error > rounding);
        (pairs.clone().count() > 1).then(|| fitted_slope(pairs.map(|(step, error)| (step.ln(), error.ln()))))
    }

    /// Whether the errors are what the scheme claims, or what is wrong with them.
    ///
    /// # Errors
    /// A sentence.
    pub fn verdict(&self) -> Result<(), String> {
        let Self { problem, scheme, order, .. } = self;
        let errors = match &self.errors {
            Ok(errors) => errors,
            Err(error) => return Err(format!("{}, {scheme}: {error}", problem.name)),
        };
        let is_right = match problem.law {
            Law::Late(most) => problem.steps.iter().zip(errors).all(|(step, error)| *error <= most * step),
            Law::Smooth(rounding) => {
                let slope = (errors[1] / errors[2]).ln() / (problem.steps[1] / problem.steps[2]).ln();
                errors[2] <= rounding || slope >= f64::from(*order) - SHORT
            }
        };
        let expected = match problem.law {
            Law::Late(most) => format!("at most {most} times the step"),
            Law::Smooth(_) => format!("order {order}"),
        };
        let steps = problem.steps;
        let errors = errors.map(|error| format!("{error:.1e}"));
        let wrong =
            || format!("{}, {scheme}: errors {errors:?} for steps {steps:?}, expected {expected}", problem.name);
        if is_right { Ok(()) } else { Err(wrong()) }
    }
}

/// Every fit scheme on every problem, of those whose names begin so; problem by problem, in the order of the registry.
pub fn measure(problem: &str, scheme: Option<&str>) -> Vec<Measurement> {
    let pairs: Vec<(&'static Problem, &'static Entry)> = problems()
        .filter(|p| p.name.starts_with(problem))
        .flat_map(|problem| schemes::entries().map(move |entry| (problem, entry)))
        .filter(|(_, entry)| scheme.is_none_or(|name| entry.name == name))
        .collect();
    parallel::map(&pairs, |(problem, entry)| problem.measure(entry)).into_iter().flatten().collect()
}

/// The measurements as a page of Markdown, a table for each problem.
pub fn markdown(measurements: &[Measurement]) -> String {
    let mut page = String::from(
        "# Closed forms\n\n\
         Errors of every scheme that the registry marks as fit, on motions that are known exactly.\n\
         `hamel closed-forms --markdown` prints this page; `verify/tests/closed_forms.rs` compares it with the schemes.\n\
         The error is the largest one of the model's outputs at the end, in SI units.\n\
         With contacts all schemes are of first order, because impacts and the end of sliding are up to a step late.\n\
         The position of such an instant within its step is arbitrary,\n\
         so that errors decrease in jumps and observed orders scatter.\n\
         No order is given where errors are rounding errors.\n",
    );
    for group in measurements.chunk_by(|a, b| std::ptr::eq(a.problem, b.problem)) {
        let Problem { name, what, source, steps, until, law, .. } = group[0].problem;
        let law = match law {
            Law::Late(most) => format!("at most {most} h"),
            Law::Smooth(_) => "the order of the scheme".to_owned(),
        };
        let [long, middle, short] = steps;
        page.push_str(&format!(
            "\n## {name}\n\n{what}\n{source}\nAt {until} s; expected: {law}.\n\n\
             | scheme | h = {long} s | {middle} s | {short} s | order |\n|---|---|---|---|---|\n"
        ));
        for measurement in group {
            page.push_str(&format!("| {} |\n", cells(measurement).join(" | ")));
        }
    }
    page
}

/// Scheme, errors and observed order.
pub fn cells(measurement: &Measurement) -> Vec<String> {
    let mut cells = vec![measurement.scheme.to_owned()];
    match &measurement.errors {
        Ok(errors) => cells.extend(errors.map(|error| format!("{error:.1e}"))),
        Err(error) => cells.extend([error.to_string(), String::new(), String::new()]),
    }
    cells.push(measurement.observed().map_or_else(|| "–".to_owned(), |order| format!("{order:.1}")));
    cells
}
