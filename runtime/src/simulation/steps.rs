//! Lengths of steps, and those that suit a model.

use crate::adaptive::Control;
use crate::model::Model;
use crate::scheme::Scheme;

/// The tolerance of steps that nobody has chosen otherwise, and how many there are at least: a motion that rests lets steps
/// grow until a force that acts for a moment only is passed over, and plots need points.
const TOLERANCE: f64 = 1e-6;
const LEAST_CHOSEN: f64 = 200.0;
/// The longest of equal steps that nobody has chosen otherwise, s, and how many there are at least.
const LENGTH: f64 = 1e-3;
const LEAST_EQUAL: f64 = 100.0;

/// Steps of equal length, or chosen by a tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// Steps of this length, s, see [`Simulation::step`](super::Simulation::step).
    Fixed(f64),
    /// Steps with these tolerances and bounds, see [`Simulation::control`](super::Simulation::control).
    Chosen(Control),
}

impl Steps {
    /// Steps for a motion of this duration, s, of a model by a scheme: chosen by a tolerance of 1e-6 where the scheme
    /// estimates its error and there are no contacts, otherwise equal steps of 1 ms, or a hundredth of a shorter motion.
    ///
    /// Nothing tells in advance that equal steps are short enough; a run with half their length does.
    ///
    /// # Examples
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::simulation::Steps;
    /// use hamel::{Simulation, initial_state, schemes};
    ///
    /// let model = Oscillator::default();
    /// let scheme = schemes::by_name(schemes::suitable(&model), &[])?;
    /// let steps = Steps::suitable(&model, &*scheme, 2.0);
    /// let run = Simulation::new(&model, &*scheme).steps(steps).until(2.0).run(initial_state(&model)?);
    /// run.outcome?;
    /// let reached = run.trajectory.column("rail.displacement")?.next_back();
    /// assert!(reached.is_some_and(|q| (q - 4_f64.cos()).abs() < 1e-4));
    /// # Ok(())
    /// # }
    /// ```
    pub fn suitable(model: &dyn Model, scheme: &dyn Scheme, duration: f64) -> Steps {
        match scheme.estimates_errors() && model.describe().contacts.is_empty() {
            true => Steps::with_tolerance(TOLERANCE, duration),
            false => Steps::equal(duration),
        }
    }

    /// Equal steps of 1 ms, or a hundredth of a motion of a duration, s, below 0.1 s.
    ///
    /// # Examples
    /// ```
    /// use hamel::simulation::Steps;
    ///
    /// assert_eq!(Steps::equal(2.0), Steps::Fixed(1e-3));
    /// assert_eq!(Steps::equal(0.01), Steps::Fixed(1e-4));
    /// ```
    pub fn equal(duration: f64) -> Steps {
        Steps::Fixed(LENGTH.min(duration / LEAST_EQUAL))
    }

    /// Steps chosen by this relative and absolute tolerance for a motion of this duration, s: at least 200 of them, so
    /// that a motion at rest does not let them grow beyond a force that acts for a moment.
    ///
    /// # Examples
    /// ```
    /// use hamel::simulation::Steps;
    ///
    /// let Steps::Chosen(control) = Steps::with_tolerance(1e-8, 10.0) else { unreachable!() };
    /// assert_eq!((control.relative, control.absolute, control.longest_step), (1e-8, 1e-8, 0.05));
    /// ```
    pub fn with_tolerance(tolerance: f64, duration: f64) -> Steps {
        let usual = Control::tolerance(tolerance);
        let longest_step = duration / LEAST_CHOSEN;
        Steps::Chosen(Control { longest_step, first_step: usual.first_step.min(duration), ..usual })
    }

    /// The same steps, none longer than this, s, if they are chosen.
    ///
    /// # Examples
    /// An input from a table changes its slope every 0.01 s.
    ///
    /// ```
    /// use hamel::simulation::Steps;
    ///
    /// let Steps::Chosen(control) = Steps::with_tolerance(1e-8, 10.0).at_most(0.01) else { unreachable!() };
    /// assert_eq!(control.longest_step, 0.01);
    /// ```
    pub fn at_most(self, length: f64) -> Steps {
        match self {
            Steps::Chosen(control) => {
                Steps::Chosen(Control { longest_step: control.longest_step.min(length), ..control })
            }
            fixed @ Steps::Fixed(_) => fixed,
        }
    }

    /// The length of the first step, s.
    pub fn first(self) -> f64 {
        match self {
            Steps::Fixed(length) => length,
            Steps::Chosen(control) => control.first_step,
        }
    }

    /// The relative tolerance by which steps are chosen; `None` for equal ones.
    pub fn tolerance(self) -> Option<f64> {
        match self {
            Steps::Fixed(_) => None,
            Steps::Chosen(control) => Some(control.relative),
        }
    }
}
