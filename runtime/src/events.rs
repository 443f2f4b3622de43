//! Interpolated states within a step, and location of events.
//!
//! Between the ends of a step the motion is interpolated by Hermite polynomials: cubics through values and rates, or, in
//! schemes of more than third order, fifth-degree polynomials through coordinates and their first two rates.

use nalgebra::DVector;

use crate::chart;
use crate::model::{Block, State};
use crate::prelude::*;
use crate::real::Real;
use crate::sign_changes::sign_changes;

/// A change of sign of a function of the state; several within a step are found. A function that is not a number at the
/// end of a step ends the run with an error.
///
/// Where forces jump, as by an input that a controller sets, so may the function: a change of its sign from before to after
/// is one too.
///
/// With contacts velocities jump at the end of a step, and a gap need not change its sign: let such an event begin a
/// little above zero. Before an impact the motion within its step is known to first order only.
///
/// # Examples
/// ```
/// use hamel::{Direction, Event, State};
///
/// // The first coordinate; `model.describe().coordinate("rail.displacement")?` is the index of one by its name.
/// let height = |state: &State| state.q[0];
/// let impact = Event { function: &height, direction: Direction::Falling, is_terminal: true };
/// ```
#[derive(Clone, Copy)]
pub struct Event<'e> {
    /// The function whose zeros are located. Indices of coordinates and velocities by name are given by
    /// [`ModelInfo::coordinate`](crate::ModelInfo::coordinate) and [`ModelInfo::velocity`](crate::ModelInfo::velocity).
    pub function: &'e dyn Fn(&State) -> f64,
    /// The direction of the change of sign.
    pub direction: Direction,
    /// Whether the simulation ends at the first occurrence.
    pub is_terminal: bool,
}

/// Direction in which a function passes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// In either direction.
    Both,
}

impl Direction {
    pub(crate) fn counts(self, before: f64, after: f64) -> bool {
        match self {
            Direction::Rising => before < 0.0 && after >= 0.0,
            Direction::Falling => before > 0.0 && after <= 0.0,
            Direction::Both => Direction::Rising.counts(before, after) || Direction::Falling.counts(before, after),
        }
    }
}

/// An event that occurred.
///
/// # Examples
/// A mass that swings as cos 2t is at zero after π/4, 3π/4, … seconds; in between it moves the other way.
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
/// use hamel::{Direction, Event, Simulation, State, initial_state, schemes};
///
/// let model = Oscillator::default();
/// let scheme = schemes::by_name("esdirk436", &[])?;
/// let displacement = |state: &State| state.q[0];
/// let run = Simulation::new(&model, &*scheme)
///     .tolerance(1e-9)
///     .until(4.0)
///     .event(Event { function: &displacement, direction: Direction::Both, is_terminal: false })
///     .run(initial_state(&model)?);
/// run.outcome?;
/// let quarter = std::f64::consts::FRAC_PI_4;
/// for (occurrence, expected) in run.occurrences.iter().zip([1.0, 3.0, 5.0]) {
///     assert!((occurrence.state.t - expected * quarter).abs() < 1e-6);
/// }
/// assert_eq!(run.occurrences.len(), 3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Occurrence {
    /// Index of the event, in the order in which events were added.
    pub event: usize,
    /// The state at the event. For a terminal event the last step is repeated so that it ends there, if the scheme
    /// supports this; otherwise the state is interpolated.
    pub state: State,
}

/// The motion between the ends of a step.
#[derive(Clone, Copy)]
pub(crate) struct Interval<'s> {
    pub(crate) blocks: &'s [Block],
    pub(crate) old: &'s State,
    pub(crate) new: &'s State,
    /// Order of the scheme.
    pub(crate) order: u32,
    /// Whether velocities jump at its end, by an impact.
    pub(crate) has_impact: bool,
}

/// Up to this order cubics are more accurate than the scheme.
const CUBIC: u32 = 3;

impl Interval<'_> {
    /// The state at a time within the step: coordinates and velocities by Hermite polynomials through what is known at its
    /// ends, accelerations and multipliers by lines. Before an impact at the end, coordinates by lines with the mean
    /// velocities, and the rest as at the beginning.
    pub(crate) fn interpolate(self, t: f64) -> State {
        let Self { blocks, old, new, order, has_impact } = self;
        let (h, nv) = (new.t - old.t, old.v.len());
        if h == 0.0 {
            return new.clone();
        }
        if order <= CUBIC && !has_impact {
            return Cubic::new(old).at(blocks, [old, new], t).clone();
        }
        let s = (t - old.t) / h;
        let mut state = old.clone();
        state.t = t;
        // Values, and below rates, at both ends, in coordinates relative to the old configuration.
        let mut x = DVector::zeros(nv);
        chart::locate(blocks, old.q.as_slice(), new.q.as_slice(), x.as_mut_slice());
        if has_impact {
            // The velocities of the end belong to the time after it.
            chart::place(blocks, old.q.as_slice(), (s * &x).as_slice(), state.q.as_mut_slice());
            state.v = x / h;
            return state;
        }
        let [zero, mut old_rate, mut new_rate] = [(); 3].map(|()| DVector::zeros(nv));
        chart::rate(blocks, old.q.as_slice(), zero.as_slice(), old.v.as_slice(), old_rate.as_mut_slice());
        chart::rate(blocks, new.q.as_slice(), x.as_slice(), new.v.as_slice(), new_rate.as_mut_slice());
        let second = |state: &State, x: &DVector<f64>| {
            let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
            let mut rate = DVector::zeros(nv);
            chart::second_rate(blocks, q, x.as_slice(), v, a, rate.as_mut_slice());
            rate
        };
        let (of_old, of_new) = ([&zero, &old_rate, &second(old, &zero)], [&x, &new_rate, &second(new, &x)]);
        let (between, rate) = quintic(s, h, of_old, of_new);
        chart::place(blocks, old.q.as_slice(), between.as_slice(), state.q.as_mut_slice());
        let (q, between) = (state.q.as_slice(), between.as_slice());
        chart::velocity(blocks, q, between, rate.as_slice(), state.v.as_mut_slice());
        state.a.axpy(s, &new.a, 1.0 - s);
        state.lambda.axpy(s, &new.lambda, 1.0 - s);
        state
    }

    /// The times within the step at which a function changes its sign in this direction, s, in ascending order.
    ///
    /// The function is sampled along the interpolated motion at six points at least, and at further points until the
    /// samples predict it; two changes of sign between adjacent samples are missed. Times are less accurate for
    /// functions of accelerations and multipliers, which are interpolated linearly.
    pub(crate) fn locate(self, function: &dyn Fn(&State) -> f64, direction: Direction) -> Vec<f64> {
        let Self { old, new, .. } = self;
        let time = |part: f64| if part < 1.0 { old.t + part * (new.t - old.t) } else { new.t };
        let along = |part: f64| match part {
            0.0 => function(old),
            1.0 => function(new),
            _ => function(&self.interpolate(time(part))),
        };
        sign_changes(&along, &|before, after| direction.counts(before, after)).into_iter().map(time).collect()
    }

    /// All events of the step, with their times, s, in order.
    pub(crate) fn met(self, events: &[Event]) -> Vec<(usize, f64)> {
        let times = |(index, event): (usize, &Event)| {
            self.locate(event.function, event.direction).into_iter().map(move |t| (index, t))
        };
        let mut met: Vec<(usize, f64)> = events.iter().enumerate().flat_map(times).collect();
        met.sort_by(|a, b| a.1.total_cmp(&b.1));
        met
    }
}

/// States between the ends of a step by cubics, computed without allocation.
pub(crate) struct Cubic {
    state: State,
    /// Coordinates relative to the old configuration, and their rates, at both ends.
    x: [DVector<f64>; 2],
    rates: [DVector<f64>; 2],
    between: DVector<f64>,
}

impl Cubic {
    /// For states of this size.
    pub(crate) fn new(state: &State) -> Self {
        let zeros = || DVector::zeros(state.v.len());
        Self { state: state.clone(), x: [zeros(), zeros()], rates: [zeros(), zeros()], between: zeros() }
    }

    /// The state at a time between those of these two, which differ.
    pub(crate) fn at(&mut self, blocks: &[Block], [old, new]: [&State; 2], t: f64) -> &State {
        let Self { state, x, rates, between } = self;
        let h = new.t - old.t;
        let s = (t - old.t) / h;
        chart::locate(blocks, old.q.as_slice(), new.q.as_slice(), x[1].as_mut_slice());
        for ((end, x), rate) in [old, new].into_iter().zip(&*x).zip(&mut *rates) {
            chart::rate(blocks, end.q.as_slice(), x.as_slice(), end.v.as_slice(), rate.as_mut_slice());
        }
        hermite(s, h, x.each_ref(), rates.each_ref(), between);
        chart::place(blocks, old.q.as_slice(), between.as_slice(), state.q.as_mut_slice());
        hermite(s, h, [&old.v, &new.v], [&old.a, &new.a], &mut state.v);
        for (value, [old, new]) in [(&mut state.a, [&old.a, &new.a]), (&mut state.lambda, [&old.lambda, &new.lambda])] {
            value.copy_from(old);
            value.axpy(s, new, 1.0 - s);
        }
        state.t = t;
        state
    }
}

/// The cubic with these values and rates at the ends of a step h, at its part s.
fn hermite(s: f64, h: f64, values: [&DVector<f64>; 2], rates: [&DVector<f64>; 2], out: &mut DVector<f64>) {
    let [old, new, old_rate, new_rate] = hermite_weights(s, h);
    out.copy_from(values[0]);
    *out *= old;
    out.axpy(new, values[1], 1.0);
    out.axpy(old_rate, rates[0], 1.0);
    out.axpy(new_rate, rates[1], 1.0);
}

/// Of the values and the rates at both ends.
#[inline(always)]
pub(crate) fn hermite_weights<T: Real>(s: T, h: T) -> [T; 4] {
    let [one, two, three] = [1.0, 2.0, 3.0].map(T::from_f64);
    let r = one - s;
    [r * r * (one + two * s), s * s * (three - two * s), h * s * r * r, -h * s * s * r]
}

/// The polynomial of fifth degree with these values, rates and second rates at the ends of a step h, at its part s, and its
/// rate there.
fn quintic(s: f64, h: f64, old: [&DVector<f64>; 3], new: [&DVector<f64>; 3]) -> (DVector<f64>, DVector<f64>) {
    let weighted = |weights: [f64; 6]| {
        let mut sum = DVector::zeros(old[0].len());
        for (term, weight) in old.into_iter().chain(new).zip(weights) {
            sum.axpy(weight, term, 1.0);
        }
        sum
    };
    let (s2, r2) = (s * s, (1.0 - s) * (1.0 - s));
    let s3 = s2 * s;
    let value = [
        1.0 + s3 * (-10.0 + s * (15.0 - 6.0 * s)),
        h * (s + s3 * (-6.0 + s * (8.0 - 3.0 * s))),
        h * h * 0.5 * s2 * r2 * (1.0 - s),
        s3 * (10.0 + s * (-15.0 + 6.0 * s)),
        h * s3 * (-4.0 + s * (7.0 - 3.0 * s)),
        h * h * 0.5 * s3 * r2,
    ];
    let rate = [
        -30.0 * s2 * r2 / h,
        1.0 + s2 * (-18.0 + s * (32.0 - 15.0 * s)),
        h * s * (1.0 + s * (-4.5 + s * (6.0 - 2.5 * s))),
        30.0 * s2 * r2 / h,
        s2 * (-12.0 + s * (28.0 - 15.0 * s)),
        h * s2 * (1.5 + s * (-4.0 + 2.5 * s)),
    ];
    (weighted(value), weighted(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reaching zero counts as a change of sign, starting from zero does not.
    #[test]
    fn signs_change_where_zero_is_reached() {
        let cases = [
            ((-1.0, 1.0), [true, false, true]),
            ((-1.0, 0.0), [true, false, true]),
            ((1.0, -1.0), [false, true, true]),
            ((1.0, 0.0), [false, true, true]),
            ((0.0, 1.0), [false; 3]),
            ((0.0, -1.0), [false; 3]),
            ((0.0, 0.0), [false; 3]),
            ((-1.0, -2.0), [false; 3]),
            ((2.0, 1.0), [false; 3]),
            // The product of these values underflows to zero.
            ((-1e-200, 1e-200), [true, false, true]),
        ];
        for ((before, after), expected) in cases {
            let found = [Direction::Rising, Direction::Falling, Direction::Both]
                .map(|direction| direction.counts(before, after));
            assert_eq!(found, expected, "{before} to {after}");
        }
    }
}
