//! The lengths of the steps of a motion.

#[cfg(not(feature = "std"))]
use crate::prelude::*;

/// The steps that are ahead.
#[derive(Clone)]
pub(super) struct Course<'a> {
    /// Where the motion is, s.
    t: f64,
    step: f64,
    until: f64,
    instants: &'a [f64],
    /// Shorter ways than this are none, s.
    negligible: f64,
    /// Steps up to the next instant, if one is ahead: how many are left, their length, and that of the last.
    left: (usize, f64, f64),
    /// What is left of a step that was divided, s.
    rest: f64,
}

/// A rest of the motion that is shorter than this part of a step belongs to the step before.
const NEGLIGIBLE: f64 = 1e-6;

impl<'a> Course<'a> {
    pub(super) fn new(t: f64, step: f64, until: f64, instants: &'a [f64]) -> Self {
        // A way that is short beside a step is one all the same.
        let step = if until > t { step.min(until - t) } else { step };
        Self { t, step, until, instants, negligible: NEGLIGIBLE * step, left: (0, 0.0, 0.0), rest: 0.0 }
    }

    /// One step to each of these ascending times that are ahead.
    pub(super) fn through(t: f64, ends: &'a [f64]) -> Self {
        let shortest = ends.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let until = ends.last().copied().unwrap_or(t);
        let negligible = NEGLIGIBLE * shortest.min(until - t).max(0.0);
        Self { negligible, step: f64::INFINITY, ..Self::new(t, f64::INFINITY, until, ends) }
    }

    /// Length of the next step, s; nothing at the end.
    pub(super) fn next(&mut self) -> Option<f64> {
        let is_divided = self.is_divided();
        let rest = core::mem::take(&mut self.rest);
        if is_divided {
            self.t += rest;
            return Some(rest);
        }
        // A rest that is no step belongs to the next one; where lengths are not known yet, they are found from the time.
        let rest = if self.left.0 > 0 { rest } else { 0.0 };
        let dt = self.whole()?;
        self.t += rest;
        Some(rest + dt)
    }

    /// Where the last step ends, s.
    pub(super) fn end(&self) -> f64 {
        self.t
    }

    /// Whether no step is ahead.
    pub(super) fn is_at_end(&self) -> bool {
        self.clone().next().is_none()
    }

    /// Whether the next step is what is left of one that was divided.
    pub(super) fn is_divided(&self) -> bool {
        self.rest > self.negligible
    }

    /// The last step ended so much earlier, s.
    pub(super) fn divide(&mut self, rest: f64) {
        self.t -= rest;
        self.rest = rest;
    }

    /// Length of the next whole step.
    fn whole(&mut self) -> Option<f64> {
        if self.left.0 == 0 {
            self.left = self.leg()?;
        }
        let (count, dt, last) = self.left;
        let dt = if count == 1 { last } else { dt };
        self.left.0 -= 1;
        // As steppers do, so that both have the same digits.
        self.t += dt;
        Some(dt)
    }

    /// The steps up to the next instant, or the next step.
    fn leg(&self) -> Option<(usize, f64, f64)> {
        let Self { t, step, until, negligible, .. } = *self;
        let next = self.instants.partition_point(|instant| *instant <= t + negligible);
        match self.instants.get(next).filter(|instant| **instant < until) {
            Some(instant) => {
                let count = ((instant - t) / step - NEGLIGIBLE).ceil().max(1.0);
                let dt = (instant - t) / count;
                // The last one ends where it should, whatever was rounded.
                Some((count as usize, dt, instant - (t + dt * (count - 1.0))))
            }
            None if until <= t + negligible => None,
            None => {
                let left = until - t;
                let dt = if left < (1.0 + NEGLIGIBLE) * step { left } else { step };
                Some((1, dt, dt))
            }
        }
    }

    /// How many steps are ahead.
    pub(super) fn count(&self) -> usize {
        let mut ahead = self.clone();
        core::iter::from_fn(|| ahead.next()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(mut course: Course) -> Vec<f64> {
        let mut t = course.t;
        std::iter::from_fn(|| course.next().inspect(|dt| t += dt).map(|_| t)).collect()
    }

    #[test]
    fn steps_meet_instants_and_the_end() {
        let course = Course::new(0.5, 0.2, 2.0, &[0.1, 0.9, 1.0, 2.5]);
        let expected = [0.7, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0];
        assert_eq!(course.count(), expected.len());
        let found = ends(course);
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15), "{found:?}");
        // Steps that do not fit are shorter at the end; a rest that is rounding makes none.
        assert_eq!(ends(Course::new(0.0, 0.5, 1.25, &[])), [0.5, 1.0, 1.25]);
        assert_eq!(ends(Course::new(0.0, 0.1, 0.3, &[])).len(), 3);
        assert_eq!(Course::new(1.0, 0.1, 1.0, &[]).count(), 0);
        // A way that is short beside the steps is one.
        assert_eq!(ends(Course::new(0.0, 1e10, 1.0, &[])), [1.0]);
    }

    #[test]
    fn divided_steps_are_made_to_their_ends() {
        let mut course = Course::new(0.0, 0.5, 1.5, &[]);
        assert_eq!(course.next(), Some(0.5));
        course.divide(0.25);
        assert_eq!(course.next(), Some(0.25));
        assert_eq!(course.next(), Some(0.5));
        // What is no step is a part of the next one.
        course.divide(1e-9);
        assert!(course.next().is_some_and(|dt| (dt - 0.5 - 1e-9).abs() < 1e-15));
        assert_eq!(course.next(), None);
        // The same on the way to an instant.
        let mut course = Course::new(0.0, 0.5, 3.0, &[1.0]);
        assert_eq!(course.next(), Some(0.5));
        course.divide(1e-9);
        let steps: Vec<f64> = std::iter::from_fn(|| course.next()).collect();
        assert!(
            steps.len() == 5 && (steps[0] - 0.5 - 1e-9).abs() < 1e-15 && (steps[1] - 0.5).abs() < 1e-15,
            "{steps:?}"
        );
    }

    #[test]
    fn chosen_steps_end_where_they_were_chosen() {
        let times = [0.0, 1e-9, 0.3, 0.3 + 1e-7, 2.0];
        for (start, first) in [(0.0, 1), (0.3, 3)] {
            let found = ends(Course::through(start, &times));
            let are_met = found.iter().zip(&times[first..]).all(|(found, time)| (found - time).abs() < 1e-15);
            assert!(found.len() == times.len() - first && are_met, "{found:?}");
        }
        assert_eq!(ends(Course::through(0.0, &[0.5])), [0.5]);
        assert_eq!(Course::through(2.0, &times).count(), 0);
        assert_eq!(Course::through(2.0, &[]).count(), 0);
    }
}
