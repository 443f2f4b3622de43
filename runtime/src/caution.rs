//! Warnings about the results of a simulation that did not fail.

use core::fmt;

use crate::model::Channel;
use crate::prelude::*;

/// A warning about the results of a simulation.
///
/// # Examples
/// A spring without damping, 2 J, and a dissipative scheme with steps of ω h = 1: the scheme dissipates a large part.
///
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
/// use hamel::{Caution, Simulation, initial_state, schemes};
///
/// let model = Oscillator::default();
/// let scheme = schemes::by_name("bathe", &[])?;
/// let run = Simulation::new(&model, &*scheme).step(0.5).until(20.0).run(initial_state(&model)?);
/// run.outcome?;
/// assert!(matches!(run.cautions[..], [Caution::EnergyLost { loss, .. }] if loss > 0.0 && loss < 2.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// A known weakness of the scheme on this model, see [`crate::schemes::caution`].
    Scheme(&'static str),
    /// Constraints that are redundant at the start; multipliers are those of least norm.
    Redundant(Vec<String>),
    /// Contacts with friction that joints or constraints hold closed as well: the load of each is not determined, nor is
    /// its friction.
    Held(Vec<String>),
    /// A contact that is open at the start, by so little that it is taken for closed.
    Taken {
        /// Name of the contact.
        contact: String,
        /// Its gap, in its unit.
        gap: f64,
        /// The largest gap that counts as closed at the start.
        closed: f64,
    },
    /// Coordinates that hardly moved farther than the absolute tolerance by which steps were chosen.
    Small {
        /// The largest change of one, m or rad.
        change: f64,
        /// The tolerance, in the same units.
        tolerance: f64,
    },
    /// A coordinate or first-order state that hardly changed more than the absolute tolerance by which steps were chosen, beside
    /// others that changed more.
    SmallBeside {
        /// The first one.
        channel: Channel,
        /// Its largest change, in its unit.
        change: f64,
        /// The tolerance, in the same unit.
        tolerance: f64,
        /// How many others changed as little.
        others: usize,
    },
    /// Solutions that were accepted although they miss the tolerance, because of rounding.
    Rounding {
        /// Number of solutions.
        count: u32,
    },
    /// Energy that the scheme has dissipated: numerical damping, or too large a step.
    EnergyLost {
        /// Energy that is missing at the end, J.
        loss: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
    },
    /// The work of forces is not known well enough to tell whether the scheme has dissipated or added energy: their power
    /// changes too much within steps.
    EnergyUnresolved {
        /// Energy at the end that work does not explain, J; missing if negative.
        unexplained: f64,
        /// Difference of the work by Simpson's and by the trapezoidal rule, J.
        uncertainty: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
    },
    /// The energy went away from what work explains, and came back: too large a step, even where the end shows no loss.
    EnergyWavered {
        /// When it was farthest away, s.
        t: f64,
        /// By how much, J; missing if negative.
        departure: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
    },
    /// Contacts penetrated deeply before the impact at the end of a step: the step is too long.
    Penetration {
        /// The largest penetration, in the unit of the gaps.
        depth: f64,
        /// The largest gap that was recorded.
        widest: f64,
    },
    /// Impacts whose restitution was halved until they added no energy, which Newton's law of impact would have had them do:
    /// with friction it is no law of nature where directions of contact are not those of principal inertia.
    Weakened {
        /// Number of such impacts.
        count: u64,
        /// Number of all instants with impacts.
        impacts: u64,
    },
    /// Bodies have passed each other, or an obstacle, within a step: the step is too long for the contact to be seen.
    Passed {
        /// Name of the contact.
        contact: String,
        /// The end of the step in which it was passed first, s.
        t: f64,
        /// The speed with which it was closing, in the unit of the gap per second.
        speed: f64,
        /// How often contacts were passed.
        count: u64,
    },
    /// An obstacle of a closed contact has changed its velocity at once: a blow, which schemes that carry forces of contacts
    /// within steps may pass on wrongly.
    Blow {
        /// Name of the contact.
        contact: String,
        /// When first, s.
        t: f64,
        /// By how much its velocity changed, in the unit of the gap per second.
        jump: f64,
        /// How often this happened.
        count: u64,
    },
    /// Formulas have changed twice within a step, as those of a pulse do that is shorter than the step.
    Switched {
        /// The first two times in one step, s.
        first: f64,
        /// The second of them, s.
        second: f64,
        /// Length of the step, s.
        length: f64,
        /// In how many steps this happened.
        count: u64,
    },
    /// Forces jump within steps of equal length, which then lose their order.
    Jumped {
        /// The first time, s.
        t: f64,
        /// Length of the step, s.
        length: f64,
        /// In how many steps this happened.
        count: u64,
    },
    /// Forces jump where the state crosses a border, as those of `if x < x1` and `sign(v)`, within steps of equal length,
    /// which then lose their order.
    JumpedAtBorder {
        /// The first such instant, s.
        t: f64,
        /// Length of the step, s.
        length: f64,
        /// In how many steps this happened.
        count: u64,
    },
    /// Slopes by a parameter leave out that it moves a time at which the equations of motion jump.
    Moved {
        /// Name of the parameter.
        parameter: String,
        /// The first such time, s.
        t: f64,
    },
    /// Slopes leave out that the state moves the instant at which the equations of motion jump, as those of `if x < x1`,
    /// because the motion stays on the border, touches it, or crosses others with it.
    Crossed {
        /// The first such instant, s.
        t: f64,
    },
    /// Joints have gone past limits: limits are data, a stop is a contact, which yields by the way of a step.
    JointLimit {
        /// The coordinate that was the first.
        coordinate: Channel,
        /// When, s.
        t: f64,
        /// The limit, in the unit of the coordinate.
        limit: f64,
        /// How many other coordinates went past theirs.
        others: usize,
        /// Whether the model has contacts, of which one may be the stop.
        may_be_stopped: bool,
    },
    /// Joints were faster than their limits allow, which are data: nothing slows a joint.
    JointSpeed {
        /// The velocity that was the first.
        velocity: Channel,
        /// When, s.
        t: f64,
        /// The limit of its magnitude, in the unit of the velocity.
        limit: f64,
        /// How many other velocities exceeded theirs.
        others: usize,
    },
    /// Accelerations and multipliers of the start are not those of the equations of motion, as after coordinates were
    /// changed: this scheme, which begins with them, loses its order. See
    /// [`consistent_acceleration`](crate::consistent_acceleration).
    Accelerations {
        /// What they leave of the equations of motion, relative to the largest term.
        relative: f64,
    },
    /// Laws of contact hold approximately only: many contacts closed at once, and no method found a better solution.
    Violation {
        /// The largest violation, as a relative velocity, m/s.
        violation: f64,
        /// The largest violation relative to the velocities without contact impulses.
        relative: f64,
    },
    /// Energy that the scheme has added: too large a step.
    EnergyGained {
        /// Energy in excess at the end, J.
        gain: f64,
        /// Energy that has been in motion, J.
        in_motion: f64,
    },
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Caution::Scheme(text) => f.write_str(text),
            Caution::Redundant(constraints) => {
                let names: Vec<String> = constraints.iter().map(|name| format!("`{name}`")).collect();
                let (noun, verb) = if names.len() == 1 { ("constraint", "follows") } else { ("constraints", "follow") };
                let names = names.join(", ");
                write!(
                    f,
                    "{noun} {names} {verb} from the others: multipliers, and loads of joints, are not unique, those of least \
                     norm are recorded"
                )
            }
            Caution::Taken { contact, gap, closed } => write!(
                f,
                "contact `{contact}` is taken for closed although its gap at the start is {gap:.1e}: gaps up to {closed:.1e} count \
                 as rounding there; begin farther away, or write the model in larger units"
            ),
            Caution::Held(contacts) => {
                let names: Vec<String> = contacts.iter().map(|name| format!("`{name}`")).collect();
                let (noun, its) = if names.len() == 1 { ("contact", "its") } else { ("contacts", "their") };
                write!(
                    f,
                    "joints or constraints hold {noun} {} closed as well: {its} load is not determined, and {its} friction \
                     is that of no load or of a part of it; leave out one of the two",
                    names.join(", ")
                )
            }
            Caution::Small { change, tolerance } => write!(
                f,
                "coordinates changed by {change:.1e} at most, and steps were chosen by an absolute tolerance of {tolerance:.0e}: \
                 take a smaller one, or equal steps"
            ),
            Caution::SmallBeside { channel: Channel { name, unit }, change, tolerance, others } => {
                let others = more(*others, ["did"; 2]);
                write!(
                    f,
                    "`{name}` changed by {change:.1e} {unit} at most{others}, and steps were chosen by an absolute tolerance of \
                     {tolerance:.0e}: to know more than that it is small, take a smaller one, or equal steps"
                )
            }
            Caution::Rounding { count } => {
                let solutions = if *count == 1 { "solution was" } else { "solutions were" };
                write!(f, "{count} {solutions} accepted where rounding allows no better than the tolerance asks for")
            }
            Caution::EnergyLost { loss, in_motion } => write!(
                f,
                "{loss:.3e} J of {in_motion:.3e} J in motion were lost to the scheme: numerical damping, or too large a step"
            ),
            Caution::EnergyUnresolved { unexplained, uncertainty, in_motion } => write!(
                f,
                "the work of forces is known to {uncertainty:.3e} J only, and does not explain {unexplained:.3e} J of \
                 {in_motion:.3e} J in motion: forces change too much within a step; take a smaller step"
            ),
            Caution::EnergyWavered { t, departure, in_motion } => {
                let (size, verb) = (departure.abs(), if *departure < 0.0 { "were missing" } else { "were in excess" });
                write!(f, "{size:.3e} J of {in_motion:.3e} J in motion {verb} at t = {t:.6e} s: too large a step")
            }
            Caution::Penetration { depth, widest } => write!(
                f,
                "a contact was closed by {depth:.3e} before it was seen, gaps are {widest:.3e} at most: too large a step"
            ),
            Caution::Weakened { count, impacts } => write!(
                f,
                "Newton's law of impact would have added energy in {count} impacts ({impacts} instants with impacts in all), \
                 whose restitution was halved until it did not: with friction that law bounds no energy"
            ),
            Caution::Passed { contact, t, speed, count } => {
                let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
                write!(
                    f,
                    "contact `{contact}` was passed within a step at t = {t:.6e} s, closing at {speed:.3e} a second ({times} in all): \
                     too large a step, by which the motion after it is wrong"
                )
            }
            Caution::Blow { contact, t, jump, count } => {
                let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
                write!(
                    f,
                    "what closes contact `{contact}` changes its velocity by {jump:.3e} a second at once, at t = {t:.6e} s \
                     ({times} in all): a blow, which this scheme may pass on wrongly whatever the step; let it change \
                     within a time, or take `moreau`"
                )
            }
            Caution::Switched { first, second, length, count } => {
                let times = if *count == 1 { "once".to_owned() } else { format!("in {count} steps") };
                write!(
                    f,
                    "formulas or tables change at t = {first:.6e} s and at {second:.6e} s, within a step of {length:.3e} s ({times}): what \
                     happens between is not seen as it is; take shorter steps, or let them be chosen"
                )
            }
            Caution::Jumped { t, length, count } => {
                let times = if *count == 1 { "once".to_owned() } else { format!("in {count} steps") };
                write!(
                    f,
                    "forces jump at t = {t:.6e} s, within a step of {length:.3e} s ({times}): errors fall with the first power \
                     of the step only; let steps end there, or let them be chosen"
                )
            }
            Caution::JumpedAtBorder { t, length, count } => {
                let times = if *count == 1 { "once".to_owned() } else { format!("in {count} steps") };
                write!(
                    f,
                    "forces jump where the state crosses a border, as by `if x < x1` or `sign(v)`, first at t = {t:.4e} s, within a \
                     step of {length:.3e} s ({times}): errors fall with the first power of the step only; let steps be chosen, \
                     or let the formula go over within a distance"
                )
            }
            Caution::Moved { parameter, t } => write!(
                f,
                "parameter `{parameter}` moves a time at which the equations of motion jump, first t = {t:.6e} s, together with \
                 others, with contacts or with a speed: slopes by it leave this out; let the formula go over within a time"
            ),
            Caution::Crossed { t } => write!(
                f,
                "the equations of motion jump where the state crosses a border, first at t = {t:.4e} s, as by `if x < x1` or \
                 `sign(v)`, and the motion stays on the border, or it is not followed: slopes leave out that this instant \
                 moves; let the formula go over within a distance"
            ),
            Caution::JointLimit { coordinate: Channel { name, unit }, t, limit, others, may_be_stopped } => {
                let (limit, others) = (four_digits(*limit), more(*others, ["did"; 2]));
                let why = match may_be_stopped {
                    false => "limits are data, only a contact stops a joint (of an imported robot: `--stops`)",
                    true => {
                        "limits are data; where a contact is the stop, it yields by the way of a step: take shorter \
                         steps, or follow impacts (`--follow-impacts`)"
                    }
                };
                write!(f, "`{name}` went past its limit of {limit} {unit} at t = {t:.4} s{others}: {why}")
            }
            Caution::JointSpeed { velocity: Channel { name, unit }, t, limit, others } => {
                let (limit, others) = (four_digits(*limit), more(*others, ["was", "were"]));
                write!(
                    f,
                    "`{name}` was faster than its limit of {limit} {unit} at t = {t:.4} s{others}: limits are data, and \
                     nothing slows a joint"
                )
            }
            Caution::Accelerations { relative } => write!(
                f,
                "accelerations of the start leave {:.0} % of the equations of motion, and this scheme, which begins with them, \
                 loses its order; call `consistent_acceleration` after a state was changed",
                100.0 * relative
            ),
            Caution::Violation { violation, relative } => write!(
                f,
                "contacts miss their laws by up to {violation:.1e} m/s, {:.1} % of the velocities with which they close: \
                 many close at once, and no better solution was found",
                100.0 * relative
            ),
            Caution::EnergyGained { gain, in_motion } => {
                write!(f, "the scheme added {gain:.3e} J to {in_motion:.3e} J in motion: too large a step")
            }
        }
    }
}

/// As people write limits.
fn four_digits(limit: f64) -> f64 {
    (1e4 * limit).round() / 1e4
}

/// How many others there are, if there are.
fn more(others: usize, [of_one, of_several]: [&str; 2]) -> String {
    match others {
        0 => String::new(),
        1 => format!(", and 1 more {of_one}"),
        others => format!(", and {others} more {of_several}"),
    }
}
