//! Times in ascending order, some of which recur.

use super::ROUNDING;
use crate::model::Model;
use crate::prelude::*;

/// Times at which a model changes, s.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// Ascending.
    single: Vec<f64>,
    recurring: Vec<Recurring>,
}

/// A time, and after what time it recurs, s; it has done so for ever.
#[derive(Clone, Copy, Debug)]
struct Recurring {
    one: f64,
    period: f64,
}

impl Times {
    /// Those at which formulas change.
    pub(super) fn of_formulas(model: &dyn Model) -> Self {
        let mut times = Self::default();
        model.switching_times(&mut |time, _| times.push(time));
        times.ordered()
    }

    /// Those at which forces may jump: those of formulas, and of jumps of inputs.
    pub(crate) fn of_jumps(model: &dyn Model) -> Self {
        let mut times = Self::of_formulas(model);
        model.input_times(&mut |time, jumps| {
            if jumps {
                times.push(time);
            }
        });
        times.ordered()
    }

    /// All those at which steps that are chosen end.
    pub(crate) fn of_ends(model: &dyn Model) -> Self {
        let mut times = Self::of_formulas(model);
        model.input_times(&mut |time, _| times.push(time));
        times.ordered()
    }

    /// Jumps of inputs, and all their corners.
    pub(super) fn of_tables(model: &dyn Model) -> [Self; 2] {
        let [mut jumping, mut all] = [Self::default(), Self::default()];
        model.input_times(&mut |time, jumps| {
            if jumps {
                jumping.push(time);
            }
            all.push(time);
        });
        [jumping, all].map(Self::ordered)
    }

    /// One time that may recur, as [`Model::switching_times`] has it.
    pub(super) fn of(time: [f64; 2]) -> Self {
        let mut times = Self::default();
        times.push(time);
        times.ordered()
    }

    fn push(&mut self, [one, period]: [f64; 2]) {
        match period {
            0.0 => self.single.push(one),
            _ if one.is_finite() && period.is_finite() => self.recurring.push(Recurring { one, period }),
            _ => {}
        }
    }

    fn ordered(mut self) -> Self {
        self.single.retain(|t| t.is_finite());
        self.single.sort_by(f64::total_cmp);
        self.single.dedup();
        self
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.single.is_empty() && self.recurring.is_empty()
    }

    /// The first one after a time, s.
    pub(crate) fn after(&self, t: f64) -> Option<f64> {
        let single = self.single.get(self.single.partition_point(|&time| time <= t)).copied();
        let recurring = self.recurring.iter().map(|recurring| recurring.after(t));
        single.into_iter().chain(recurring).reduce(f64::min)
    }

    /// Whether one of them is at this time, s, up to rounding.
    pub(crate) fn is_at(&self, t: f64) -> bool {
        self.after(t - aside(t)).is_some_and(|time| time <= t + aside(t))
    }

    /// All of them after a time, s, ascending.
    pub(super) fn all_after(&self, t: f64) -> impl Iterator<Item = f64> {
        core::iter::successors(self.after(t), |&time| self.after(time))
    }

    /// Where a step of this length, s, ends that would end at one of them: before it, so that it has the forces that act in it;
    /// and that one.
    pub(crate) fn at_end(&self, end: f64, dt: f64) -> Option<[f64; 2]> {
        let time = self.after(end - ROUNDING * dt)?;
        (time <= end + ROUNDING * dt).then(|| [time - aside(time), time])
    }
}

impl Recurring {
    fn after(self, t: f64) -> f64 {
        let Self { one, period } = self;
        let count = ((t - one) / period).floor() + 1.0;
        // The quotient is rounded.
        let [before, next] = [count - 1.0, count].map(|count| one + count * period);
        if before > t {
            before
        } else if next > t {
            next
        } else {
            // Periods that are rounding errors beside the time end no step.
            (one + (count + 1.0) * period).max(t + aside(t))
        }
    }
}

/// How long before a jump a step ends, and how long after it the next one begins, s: formulas that are compared with rounding
/// errors are those before it on one side, and those after it on the other.
pub(crate) fn aside(t: f64) -> f64 {
    1e-13 * (1.0 + t.abs())
}

/// The first time after another one, s, at which formulas of a model change, see [`Model::switching_times`].
///
/// # Examples
/// A force that comes and goes.
///
/// ```
/// hamel::multibody! {
///     model Pushed {
///         planar;
///         coordinates joint;
///         body block { mass: 1 kg, inertia: 1 kg m^2 }
///         joint rail: prismatic(ground, block);
///         force push: [if sin(2 rad/s * time) > 0 { 3 N } else { 0 N }, 0 N] on block;
///     }
/// }
/// # fn main() {
/// let next = hamel::next_switching_time(&Pushed::default(), 3.0).expect("it recurs for ever");
/// assert!((next - std::f64::consts::PI).abs() < 1e-12);
/// # }
/// ```
pub fn next_switching_time(model: &dyn Model, after: f64) -> Option<f64> {
    Times::of_formulas(model).after(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_recur_in_order() {
        let mut times = Times::default();
        for time in [[3.0, 0.0], [0.25, 0.5], [-7.0, 1.5], [f64::NAN, 0.0], [1.0, f64::NAN], [0.0, f64::INFINITY]] {
            times.push(time);
        }
        let times = times.ordered();
        let found: Vec<f64> = times.all_after(0.5).take_while(|&t| t < 3.5).collect();
        assert_eq!(found, [0.75, 1.25, 1.75, 2.0, 2.25, 2.75, 3.0, 3.25]);
        assert_eq!(Times::of([3.0, 0.0]).after(3.0), None);
        // Whatever rounding does, the next time is a later one.
        for (one, period) in [(0.1, 0.1), (0.3, 1e-3), (-1e3, 0.7), (0.0, 1e-17), (1e3, 1e-6)] {
            let times = Times::of([one, period]);
            let mut t = 0.0;
            for _ in 0..1000 {
                let next = times.after(t).unwrap();
                assert!(next > t && next < t + 1.001 * period.max(aside(t)), "{one}, {period}: {t}, {next}");
                t = next;
            }
        }
    }
}
