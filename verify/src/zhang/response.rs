//! What the schemes of [zhang, Sect. 5] make of a model: its motion, the breakdowns on the way, and Newton iterations.
//!
//! All take the same Δt/n, a step over the number of systems that it solves. Rotations refer to the last time point, as
//! in the paper's program, whose tolerance is not printed.

use hamel::model::{Model, State};
use hamel::newton::{NewtonMatrix, Tolerance};
use hamel::scheme::{Options, Predictor, RotationReference, StepError};
use hamel_compiler::parallel;
use hamel_report::number::readable;
use hamel_report::{Cell, Claim, Column, Expected, Measured, Table, at_least};

use super::employed::{Employed, Named};
use crate::motion::{self, Grid};
use crate::origins::SUM_OF_STEPS;

/// First guesses of Newton's method, tried in turn until one leads to the end; the first is the scheme's own.
const GUESSES: [(Option<Predictor>, &str); 4] = [
    (None, "its own"),
    (Some(Predictor::Constant), "constant"),
    (Some(Predictor::TwoPoint), "two points"),
    (Some(Predictor::ThreePoint), "three points"),
];

/// Newton's method has converged where a correction is below a millionth of what it corrects. What it leaves is about the
/// square of that: angles of the four-bar are those with the default tolerance to 10⁻¹² rad. Close to rounding nearly all
/// systems take two iterations, where Fig. 28 tells schemes apart.
pub(super) const TOLERANCE: Tolerance = Tolerance { relative: 1e-6, absolute: 1e-9, max_iterations: 25 };

/// A problem that all schemes are put to.
pub(super) struct Problem<'m> {
    pub(super) model: &'m dyn Model,
    pub(super) initial: State,
    /// The instant up to which it is followed, s.
    pub(super) end: f64,
    /// Time between two samples, s, as nearly as steps allow; zero for one a step.
    pub(super) sampling: f64,
    /// When Newton's method has converged.
    pub(super) tolerance: Tolerance,
}

/// What a scheme makes of a problem.
pub(super) struct Response<const N: usize> {
    pub(super) of: Employed,
    /// Name of the scheme with its parameters.
    pub(super) name: String,
    /// Instants and what was observed there; with the first guess that leads to the end, or with the scheme's own.
    pub(super) samples: Vec<(f64, [f64; N])>,
    /// First guesses with which Newton's method has diverged, and when, s.
    pub(super) breakdowns: Vec<(&'static str, f64)>,
    /// The first guess that has led to the end.
    pub(super) guess: Option<&'static str>,
    /// Newton iterations a system.
    pub(super) iterations: f64,
}

impl Problem<'_> {
    /// The responses of all schemes with steps of n `fine`.
    pub(super) fn responses<const N: usize>(
        &self,
        fine: f64,
        observe: impl Fn(&State) -> [f64; N] + Sync,
    ) -> Result<Vec<Response<N>>, StepError> {
        self.responses_of(|_| true, fine, observe)
    }

    /// The responses of some schemes.
    pub(super) fn responses_of<const N: usize>(
        &self,
        is_meant: impl Fn(Employed) -> bool,
        fine: f64,
        observe: impl Fn(&State) -> [f64; N] + Sync,
    ) -> Result<Vec<Response<N>>, StepError> {
        let cases: Vec<Employed> = Employed::all().filter(|&of| is_meant(of)).collect();
        parallel::map(&cases, |&of| self.response(of, fine, &observe)).into_iter().collect()
    }

    /// The response of one scheme with steps of n `fine`.
    pub(super) fn response<const N: usize>(
        &self,
        of: Employed,
        fine: f64,
        observe: impl Fn(&State) -> [f64; N],
    ) -> Result<Response<N>, StepError> {
        let scheme = of.scheme()?;
        let (start, dt) = (self.initial.t, fine * f64::from(scheme.stages()));
        // Whole numbers of steps are whole but for rounding.
        let steps = ((self.end - start) / dt - 1e-6).ceil() as usize;
        let grid = Grid { dt, steps, every: ((self.sampling / dt).round() as usize).max(1) };
        let observe = |state: &State| (state.t, observe(state));
        let mut response = Response {
            of,
            name: scheme.name(),
            samples: Vec::new(),
            breakdowns: Vec::new(),
            guess: None,
            iterations: f64::NAN,
        };
        for (predictor, guess) in GUESSES {
            let options = Options {
                tolerance: self.tolerance,
                predictor,
                rotation_reference: RotationReference::LastPoint,
                // The paper counts iterations, each of which has a matrix of its own.
                newton_matrix: Some(NewtonMatrix::EveryIteration),
                ..Options::default()
            };
            let motion = motion::observe_with(self.model, &*scheme, &options, self.initial.clone(), grid, observe);
            let is_through = match motion.failure {
                None => true,
                Some(
                    StepError::NotConverged { t, .. } | StepError::Singular { t, .. } | StepError::NotFinite { t, .. },
                ) => {
                    response.breakdowns.push((guess, t));
                    false
                }
                Some(other) => return Err(other),
            };
            if is_through || response.samples.is_empty() {
                let systems = motion.steps as f64 * f64::from(scheme.stages());
                response.iterations = f64::from(motion.cost.newton_iterations) / systems;
                response.samples = motion.samples;
            }
            if is_through {
                response.guess = Some(guess);
                break;
            }
        }
        Ok(response)
    }
}

impl<const N: usize> Response<N> {
    pub(super) fn is_through(&self) -> bool {
        self.guess.is_some()
    }

    /// A quantity at an instant, linear between samples.
    pub(super) fn at(&self, t: f64, quantity: usize) -> f64 {
        let next = self.samples.partition_point(|(instant, _)| *instant < t).clamp(1, self.samples.len() - 1);
        let [(from, a), (to, b)] = [self.samples[next - 1], self.samples[next]];
        a[quantity] + (t - from) / (to - from) * (b[quantity] - a[quantity])
    }

    /// A quantity at an instant, by the cubic polynomial through the four samples around it.
    pub(super) fn smoothly_at(&self, t: f64, quantity: usize) -> f64 {
        let next = self.samples.partition_point(|(instant, _)| *instant < t);
        let first = next.saturating_sub(2).min(self.samples.len().saturating_sub(4));
        let near = &self.samples[first..self.samples.len().min(first + 4)];
        let weight = |k: usize| {
            let others = near.iter().enumerate().filter(move |(other, _)| *other != k);
            others.map(|(_, (other, _))| (t - other) / (near[k].0 - other)).product::<f64>()
        };
        near.iter().enumerate().map(|(k, (_, values))| weight(k) * values[quantity]).sum()
    }

    /// The instants and values of a quantity in an interval of time.
    pub(super) fn between(&self, times: [f64; 2], quantity: usize) -> impl Iterator<Item = (f64, f64)> + Clone {
        let inside = self.samples.iter().filter(move |(t, _)| (times[0]..=times[1]).contains(t));
        inside.map(move |&(t, values)| (t, values[quantity]))
    }

    /// When it ends.
    fn ending(&self) -> Measured {
        if self.is_through() {
            return Measured::Value(self.samples.last().map_or(f64::NAN, |&(t, _)| t));
        }
        let times = self.breakdowns.iter().map(|&(guess, t)| format!("{} s ({guess})", readable(t, 4)));
        Measured::Breakdown(format!("Newton's method diverges at {}", times.collect::<Vec<_>>().join(", ")))
    }

    fn breakdown(&self, step: &str) -> Claim {
        Claim::new(
            format!("end of the motion, {}, {step}, by first guess", self.name),
            "s",
            Expected::Fails,
            self.ending(),
        )
    }
}

/// Who reaches the end: of those that the paper has fail, each; of those that fail here alone, each with the reason why
/// that differs; of all others the earliest end.
pub(super) fn ending_claims<const N: usize>(
    responses: &[Response<N>],
    step: &str,
    end: f64,
    failing: &Named,
    failing_here: &Named,
    because: &str,
) -> Vec<Claim> {
    let mut claims = Vec::new();
    let is_named = |response: &&Response<N>, named| response.of.is_in(named);
    for response in responses.iter().filter(|response| is_named(response, failing)) {
        claims.push(response.breakdown(step).in_words("failed to complete the simulation"));
    }
    for response in responses.iter().filter(|response| is_named(response, failing_here)) {
        claims.push(response.breakdown(step).ours_fails("no breakdown is reported", because));
    }
    let others = responses.iter().filter(|response| !is_named(response, failing) && !is_named(response, failing_here));
    let earliest = others.map(|response| match response.ending() {
        Measured::Value(t) => t,
        _ => 0.0,
    });
    let what = format!("earliest end of the motion with {step}, all other schemes");
    claims.push(
        Claim::new(what, "s", at_least(end - 1e-9, SUM_OF_STEPS), earliest.fold(f64::INFINITY, f64::min))
            .in_words("the other schemes complete the simulation"),
    );
    claims
}

/// Which first guess leads to the end, when Newton's method diverges with others, and what it costs.
pub(super) fn endings<const N: usize>(slug: &str, step: &str, responses: &[Response<N>]) -> Table {
    let mut columns =
        vec![Column::text("scheme"), Column::text("first guess"), Column::new("iterations a system", "1")];
    columns.extend(GUESSES.map(|(_, guess)| Column::new(format!("diverges, {guess}"), "s")));
    let row = |response: &Response<N>| {
        let guess = response.guess.map_or(Cell::Empty, Cell::from);
        let mut cells = vec![Cell::Text(response.name.clone()), guess, Cell::number(response.iterations, 4)];
        cells.extend(GUESSES.map(|(_, guess)| {
            let time = response.breakdowns.iter().find(|(with, _)| *with == guess);
            time.map_or(Cell::Empty, |&(_, t)| Cell::number(t, 4))
        }));
        cells
    };
    Table {
        slug: slug.into(),
        title: format!("Breakdowns and iterations with {step}"),
        columns,
        rows: responses.iter().map(row).collect(),
    }
}
