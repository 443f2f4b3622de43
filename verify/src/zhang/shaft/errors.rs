//! Errors of all schemes on the shaft. [zhang, Sect. 5.4, Eq. 26]
//!
//! All take the same Δt/n, as in the paper, so that steps of three and four systems pass over the instants at which the
//! drive's second derivative jumps. The sum of Eq. 26 is over all steps, each of which ends at one of the reference's.

use hamel::model::State;
use hamel::scheme::{Options, Scheme, StepError};
use hamel::schemes;
use hamel_compiler::parallel;
use hamel_models::RotatingShaft;

use super::super::employed::Employed;
use super::{along_z, at_rest};
use crate::convergence::Convergence;
use crate::motion::{self, Grid};

pub(super) const DURATION: f64 = 2.5;
/// Step of the reference, as printed, s.
const REFERENCE_STEP: f64 = 1e-5;
/// Δt/n, s; the paper shows them in figures only. Each is a multiple of the reference's step.
const STEPS: [f64; 4] = [2e-3, 1e-3, 5e-4, 2.5e-4];
/// One more for schemes of higher order, whose orders change there, s.
const SHORTEST: f64 = 1e-4;

/// The shaft as its weight bends it, and how it moves from there.
pub(super) struct Shaft {
    pub(super) model: RotatingShaft,
    initial: State,
    /// u₃, v₃ and a₃ after each step of the reference, the first at the start.
    reference: Vec<[f64; 3]>,
}

/// The errors of a scheme over Δt/n; undefined where Newton's method diverges.
pub(super) struct Study {
    pub(super) of: Employed,
    pub(super) name: String,
    /// Of u₃, v₃ and a₃.
    pub(super) errors: [Convergence; 3],
}

impl Shaft {
    pub(super) fn new() -> Result<Self, StepError> {
        let model = RotatingShaft::default();
        let initial = at_rest(&model)?;
        let mut shaft = Self { model, initial, reference: Vec::new() };
        let scheme = schemes::by_name("esdirk436", &[])?;
        shaft.reference = shaft.observe(&*scheme, &Options::default(), REFERENCE_STEP)?;
        Ok(shaft)
    }

    /// u₃, v₃ and a₃ after each step.
    fn observe(&self, scheme: &dyn Scheme, options: &Options, dt: f64) -> Result<Vec<[f64; 3]>, StepError> {
        // Whole numbers of steps are whole but for rounding.
        let grid = Grid { dt, steps: (DURATION / dt + 1e-6) as usize, every: 1 };
        let observe = |state: &State| along_z(&self.model, state);
        motion::observe_with(&self.model, scheme, options, self.initial.clone(), grid, observe).complete()
    }

    /// u₃ of the reference at an instant that one of its steps ends at.
    pub(super) fn displacement(&self, t: f64) -> f64 {
        self.reference.get((t / REFERENCE_STEP).round() as usize).map_or(f64::NAN, |[displacement, ..]| *displacement)
    }

    /// The errors of u₃, v₃ and a₃ with a step; undefined where Newton's method diverges. [zhang, Eq. 26]
    pub(super) fn errors(&self, scheme: &dyn Scheme, options: &Options, dt: f64) -> Result<[f64; 3], StepError> {
        let found = match self.observe(scheme, options, dt) {
            Err(StepError::NotConverged { .. } | StepError::Singular { .. } | StepError::NotFinite { .. }) => {
                return Ok([f64::NAN; 3]);
            }
            found => found?,
        };
        let every = (dt / REFERENCE_STEP).round() as usize;
        Ok([0, 1, 2].map(|quantity| {
            let sum = |term: &dyn Fn(f64, f64) -> f64| {
                let pairs = found.iter().zip(self.reference.iter().step_by(every)).skip(1);
                pairs.map(|(a, b)| term(a[quantity], b[quantity])).sum::<f64>()
            };
            (sum(&|a, b| (a - b).powi(2)) / sum(&|_, b| b * b)).sqrt()
        }))
    }

    /// The errors of all schemes.
    pub(super) fn studies(&self) -> Result<Vec<Study>, StepError> {
        let cases: Vec<Employed> = Employed::all().collect();
        parallel::map(&cases, |&of| self.study(of)).into_iter().collect()
    }

    fn study(&self, of: Employed) -> Result<Study, StepError> {
        let scheme = of.scheme()?;
        let shortest = Some(SHORTEST).filter(|_| !of.is_of_second_order());
        let error =
            |step: f64| Ok((step, self.errors(&*scheme, &Options::default(), step * f64::from(scheme.stages()))?));
        let found = STEPS.into_iter().chain(shortest).map(error).collect::<Result<Vec<_>, StepError>>()?;
        let convergence =
            |quantity: usize| Convergence::new(found.iter().map(|(step, error)| (*step, error[quantity])).collect());
        Ok(Study { of, name: scheme.name(), errors: [0, 1, 2].map(convergence) })
    }
}

impl Study {
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
