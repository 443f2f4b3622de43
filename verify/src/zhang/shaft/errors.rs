//! Errors of all schemes on the shaft. [zhang, Sect. 5.4, Eq. 26]
//!
//! All take the same Δt/n, as in the paper, so that steps of three and four systems pass over the instants at which the
//! drive's second derivative jumps. The sum of Eq. 26 is over all steps, each of which ends at one of the reference's.

use hamel::model::State;
use hamel::scheme::{Options, Scheme, StepError};
use hamel_models::RotatingShaft;

use super::super::employed::Employed;
use super::super::response::Response;
use super::{END, STEPS, along_z, at_rest, observe, problem, responses};
use crate::convergence::{Convergence, largest};
use crate::motion::{self, Grid};

/// The scheme of the reference, and its Δt/n and step, s. The paper has Δt = 10⁻⁵ s, which takes five times as long and
/// changes errors by less than [`Shaft::error_of_reference`].
const REFERENCE: Employed = Employed { name: "esdirk436", rho: 0.0 };
const REFERENCE_FINE: f64 = 1e-5;
const REFERENCE_STEP: f64 = 5.0 * REFERENCE_FINE;

/// The shaft as its weight bends it, and how it moves from there.
pub(super) struct Shaft {
    pub(super) model: RotatingShaft,
    initial: State,
    /// After each step, the first at the start.
    reference: Response<4>,
}

/// The errors of a scheme over Δt/n; undefined where Newton's method diverges with every first guess.
pub(super) struct Study {
    pub(super) of: Employed,
    pub(super) name: String,
    /// Systems a step.
    stages: f64,
    /// Of u₃, v₃ and a₃.
    pub(super) errors: [Convergence; 3],
}

impl Shaft {
    pub(super) fn new() -> Result<Self, StepError> {
        let model = RotatingShaft::default();
        let initial = at_rest(&model)?;
        let reference =
            problem(&model, initial.clone()).response(REFERENCE, REFERENCE_FINE, |state| observe(&model, state))?;
        Ok(Self { model, initial, reference })
    }

    /// u₃ of the reference.
    pub(super) fn displacement(&self, t: f64) -> f64 {
        self.reference.at(t, 0)
    }

    /// The error of u₃ with a step.
    pub(super) fn error_with(&self, scheme: &dyn Scheme, options: &Options, dt: f64) -> Result<f64, StepError> {
        let displacement = |state: &State| along_z(&self.model, state)[0];
        let grid = Grid::new(dt, END);
        let found = motion::observe_with(&self.model, scheme, options, self.initial.clone(), grid, displacement);
        Ok(self.error(found.complete()?.into_iter(), dt, 0))
    }

    /// The error of a quantity after each step, the first at the start. [zhang, Eq. 26]
    fn error(&self, found: impl Iterator<Item = f64>, dt: f64, quantity: usize) -> f64 {
        let every = (dt / REFERENCE_STEP).round() as usize;
        let exact = self.reference.samples.iter().step_by(every).map(|(_, values)| values[quantity]);
        let (differences, size) = found.zip(exact).skip(1).fold((0.0, 0.0), |(differences, size), (found, exact)| {
            (differences + (found - exact).powi(2), size + exact * exact)
        });
        (differences / size).sqrt()
    }

    /// The errors of all schemes.
    pub(super) fn studies(&self) -> Result<Vec<Study>, StepError> {
        let mut studies: Vec<Study> = Employed::all().map(Study::new).collect::<Result<_, _>>()?;
        for (k, step) in STEPS.into_iter().enumerate() {
            for response in responses(k)? {
                let study = studies.iter_mut().filter(|study| study.of == response.of);
                study.for_each(|study| study.add(self, step, response));
            }
        }
        Ok(studies)
    }

    /// The error of the reference, extrapolated from the two shortest steps of its scheme, over the least of all errors of
    /// the same quantity; of all quantities the largest.
    pub(super) fn error_of_reference(&self, studies: &[Study]) -> f64 {
        let part = |study: &Study, quantity: usize| {
            let points = studies.iter().flat_map(|study| &study.errors[quantity].points);
            let least = points.map(|(_, error)| *error).fold(f64::INFINITY, f64::min);
            let shorter = REFERENCE_STEP / (study.stages * STEPS[STEPS.len() - 1]);
            let last = study.at(STEPS[STEPS.len() - 1], quantity);
            last * shorter.powf(study.errors[quantity].last_order()) / least
        };
        let of_reference = studies.iter().filter(|study| study.of == REFERENCE);
        largest(of_reference.flat_map(|study| [0, 1, 2].map(|quantity| part(study, quantity))))
    }
}

impl Study {
    fn new(of: Employed) -> Result<Self, StepError> {
        let scheme = of.scheme()?;
        let (name, stages) = (scheme.name(), f64::from(scheme.stages()));
        Ok(Self { of, name, stages, errors: [const { Convergence { points: Vec::new() } }; 3] })
    }

    /// The errors with one more step.
    fn add(&mut self, shaft: &Shaft, step: f64, response: &Response<4>) {
        for (quantity, errors) in self.errors.iter_mut().enumerate() {
            let found = response.samples.iter().map(|(_, values)| values[quantity]);
            let error = match response.is_through() {
                true => shaft.error(found, step * self.stages, quantity),
                false => f64::NAN,
            };
            errors.points.push((step, error));
        }
    }

    /// The error with one Δt/n.
    pub(super) fn at(&self, step: f64, quantity: usize) -> f64 {
        let found = self.errors[quantity].points.iter().find(|(known, _)| *known == step);
        found.map_or(f64::NAN, |(_, error)| *error)
    }

    /// The order between the longest steps with which Newton's method converges.
    pub(super) fn first_order(&self, quantity: usize) -> f64 {
        self.errors[quantity].orders().into_iter().find(|order| order.is_finite()).unwrap_or(f64::NAN)
    }
}
