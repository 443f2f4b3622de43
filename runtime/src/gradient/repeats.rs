//! The steps of a motion from the last to the first, with the memory of a few: copies of what is on its way stand at some
//! instants, and the steps behind them are made again. [griewank]

use super::{GradientError, Made, Way};
use crate::model::State;
use crate::tangent::{Operations, StepMap};

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
    let mut steps: Vec<(Operations, State, f64)> = Vec::new();
    let mut map = StepMap::default();
    while let Some(dt) = way.advance()? {
        way.write_map(&mut map)?;
        steps.push((std::mem::take(&mut map.operations), way.state().clone(), dt));
    }
    while let Some((operations, state, dt)) = steps.pop() {
        visit(Made { operations: &operations, state: &state, number: steps.len() + 1, dt })?;
    }
    Ok(())
}

fn repeated(
    way: Way<'_>,
    copies: usize,
    visit: &mut dyn FnMut(Made<'_>) -> Result<(), GradientError>,
) -> Result<(), GradientError> {
    let mut map = StepMap::default();
    let mut end = way.course.count();
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
        way.write_map(&mut map)?;
        visit(Made { operations: &map.operations, state: way.state(), number: end, dt })?;
        end -= 1;
    }
    Ok(())
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
    use super::*;

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

    #[test]
    fn long_motions_and_many_copies_have_places() {
        assert_eq!(split(usize::MAX, usize::MAX), 1);
        assert_eq!(split(2, 1000), 1);
        // (3 + 180)! / (3! 180!) = 1004731 > 10⁶: at most 180 repetitions.
        assert!(made(1_000_000, 3) < 180 * 1_000_000);
        assert!(made(1_000_000, 100) < 4 * 1_000_000);
    }
}
