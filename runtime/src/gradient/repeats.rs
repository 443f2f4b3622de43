//! The steps of a motion from the last to the first, with the memory of a few: copies of what is on its way stand at some
//! instants, and the steps behind them are made again. [griewank]

use super::GradientError;
use super::way::{Done, Made, Way};
use crate::model::State;
use crate::prelude::*;

/// Visits every step, from the last to the first; `copies`: how many are kept at most, where it is nothing what every step
/// did.
pub(super) fn for_each_from_the_end(
    way: Way<'_>,
    copies: Option<usize>,
    visit: &mut dyn FnMut(Made<'_>) -> Result<(), GradientError>,
) -> Result<(), GradientError> {
    match copies {
        Some(copies) => repeated(way, copies.max(1), visit),
        None => kept(way, visit),
    }
}

fn kept(mut way: Way<'_>, visit: &mut dyn FnMut(Made<'_>) -> Result<(), GradientError>) -> Result<(), GradientError> {
    let mut steps: Vec<(Done, (State, Option<State>), usize, f64)> = Vec::new();
    while let Some(dt) = way.advance()? {
        let mut done = Done::default();
        way.write(&mut done)?;
        steps.push((done, (way.state().clone(), way.before_impact().cloned()), way.instants, dt));
    }
    while let Some((done, (state, before), number, dt)) = steps.pop() {
        visit(Made { done: &done, state: &state, before: before.as_ref(), number, dt })?;
    }
    Ok(())
}

fn repeated(
    way: Way<'_>,
    copies: usize,
    visit: &mut dyn FnMut(Made<'_>) -> Result<(), GradientError>,
) -> Result<(), GradientError> {
    let mut done = Done::default();
    check_first(way.fork()?, &mut done)?;
    let mut end = way.count()?;
    // With the number of steps before each copy.
    let mut kept = vec![(0, way)];
    while let Some((at, mut way)) = kept.pop() {
        let ahead = end - at;
        if ahead > 1 {
            kept.push((at, way.fork()?));
            let free = copies - kept.len();
            if free > 0 {
                let far = split(ahead, free + 1);
                for _ in 0..far {
                    way.advance()?;
                }
                kept.push((at + far, way));
                continue;
            }
        }
        for _ in 1..ahead {
            way.advance()?;
        }
        let Some(dt) = way.advance()? else { break };
        way.write(&mut done)?;
        visit(Made { done: &done, state: way.state(), before: way.before_impact(), number: way.instants, dt })?;
        end -= 1;
    }
    Ok(())
}

/// A scheme that has no slopes says so before the whole motion is made.
fn check_first(mut way: Way<'_>, done: &mut Done) -> Result<(), GradientError> {
    match way.advance()? {
        Some(_) => way.write(done),
        None => Ok(()),
    }
}

/// Where the next copy stands, so many steps behind one, for the fewest steps that are made again: of `steps` ≥ 2 that are
/// ahead with `copies` ≥ 2, the first of which stands at their beginning. [griewank]
///
/// With s copies and r repetitions of each step at most β(s, r) = (s + r)! / (s! r!) steps are passed.
fn split(steps: usize, copies: usize) -> usize {
    let (steps, copies) = (steps as u128, copies as u128);
    // β(s, r − 1) and β(s, r) for the least r that suffices.
    let (mut before, mut enough, mut repetitions) = (1, copies + 1, 1);
    while enough < steps {
        repetitions += 1;
        (before, enough) = (enough, enough * (copies + repetitions) / repetitions);
    }
    // β(s − 1, r − 1) steps behind the new copy cost no more repetitions.
    let behind = before * copies / (copies + repetitions - 1);
    before.min(steps.saturating_sub(behind)).max(1) as usize
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::Differentiated;
    use super::super::course::Course;
    use super::*;
    use crate::model::Dims;
    use crate::scheme::Stepper;
    use crate::schemes::RungeKutta;
    use crate::schemes::common::Press;
    use crate::step::{StepError, StepStats};
    use crate::tangent::StepMap;

    /// Steps that are made again to pass so many, by the splits.
    fn made(steps: usize, copies: usize) -> usize {
        match (steps, copies) {
            (0 | 1, _) => 0,
            (_, 1) => steps * (steps - 1) / 2,
            _ => {
                let far = split(steps, copies);
                assert!((1..steps).contains(&far), "{far} of {steps} with {copies}");
                far + made(steps - far, copies - 1) + made(far, copies)
            }
        }
    }

    #[test]
    fn no_other_places_of_copies_need_fewer_steps() {
        const STEPS: usize = 80;
        let mut least = vec![vec![0; STEPS + 1]; 7];
        for copies in 1..least.len() {
            for steps in 2..=STEPS {
                least[copies][steps] = match copies {
                    1 => steps * (steps - 1) / 2,
                    _ => {
                        let by = |far: usize| far + least[copies - 1][steps - far] + least[copies][far];
                        (1..steps).map(by).min().unwrap_or(0)
                    }
                };
                assert_eq!(made(steps, copies), least[copies][steps], "{steps} steps with {copies} copies");
            }
        }
    }

    /// What steppers have in common.
    #[derive(Default)]
    struct Counts {
        alive: Cell<usize>,
        most: Cell<usize>,
        steps: Cell<usize>,
    }

    /// Counts its copies and their steps; the time is the number of steps that led to the state.
    struct Counted<'c> {
        state: State,
        counts: &'c Counts,
    }

    impl<'c> Counted<'c> {
        fn new(state: State, counts: &'c Counts) -> Self {
            counts.alive.set(counts.alive.get() + 1);
            counts.most.set(counts.most.get().max(counts.alive.get()));
            Self { state, counts }
        }
    }

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.counts.alive.set(self.counts.alive.get() - 1);
        }
    }

    impl Stepper for Counted<'_> {
        fn state(&self) -> &State {
            &self.state
        }

        fn step(&mut self, dt: f64) -> Result<StepStats, StepError> {
            self.state.t += dt;
            self.counts.steps.set(self.counts.steps.get() + 1);
            Ok(StepStats::default())
        }

        fn fork<'s>(&self) -> Option<Box<dyn Stepper + 's>>
        where
            Self: 's,
        {
            Some(Box::new(Self::new(self.state.clone(), self.counts)))
        }

        fn linear_step(&mut self, map: &mut StepMap) -> Result<(), &'static str> {
            map.begin(0);
            Ok(())
        }
    }

    #[test]
    fn steps_are_passed_backwards_with_so_many_copies() {
        for (steps, copies) in [(0, 3), (1, 1), (7, 1), (40, 2), (200, 5), (30, 100)] {
            let counts = Counts::default();
            let state = State::zeros(Dims { nq: 0, nv: 0, nc: 0 });
            let of = Differentiated::new(&Press { wall: 1.0 }, &RungeKutta);
            let course = Course::new(0.0, 1.0, steps as f64, &[]);
            let way = Way::new(&of, Box::new(Counted::new(state, &counts)), course, false);
            let mut passed = Vec::new();
            let visited = for_each_from_the_end(way, Some(copies), &mut |made| {
                assert_eq!((made.state.t, made.dt), (made.number as f64, 1.0));
                passed.push(made.number);
                Ok(())
            });
            visited.unwrap();
            assert!(passed.into_iter().eq((1..=steps).rev()), "{steps} steps");
            assert_eq!(counts.alive.get(), 0);
            // Beside the copies that are kept one is on its way.
            assert!(counts.most.get() <= copies + 1, "{} copies of {copies}", counts.most.get());
            let again = counts.steps.get() - steps.min(1) - steps;
            assert_eq!(again, made(steps, copies), "{steps} steps with {copies} copies");
        }
    }

    #[test]
    fn long_motions_and_many_copies_have_places() {
        assert_eq!(split(usize::MAX, usize::MAX), 1);
        assert_eq!(split(2, 1000), 1);
        // (3 + 180)! / (3! 180!) = 1004731 > 10⁶: at most 180 repetitions.
        assert!(made(1_000_000, 3) < 180 * 1_000_000);
        assert!(made(1_000_000, 100) < 4 * 1_000_000);
    }
}
