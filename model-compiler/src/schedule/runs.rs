//! Lists by rule: what repeats with equal steps is written once, however often it repeats.

/// Fewer repetitions are easier to read one by one.
const LEAST_COUNT: usize = 10;
/// Most items that repeat together, e.g. the coordinates of the bodies of a cell.
const LONGEST_PERIOD: usize = 64;

/// A part of a list: `period` items, `count` times.
#[derive(Clone, Debug, PartialEq)]
pub struct Run<S> {
    /// The first item.
    pub start: usize,
    /// How many items repeat.
    pub period: usize,
    /// How often.
    pub count: usize,
    /// What leads from each of them to its next repetition; empty if there is none.
    pub steps: Vec<S>,
}

impl<S> Run<S> {
    /// The items that stand for all.
    pub fn first(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.period
    }

    fn len(&self) -> usize {
        self.period * self.count
    }
}

/// Whether there is anything that repeats.
pub fn is_regular<S>(runs: &[Run<S>]) -> bool {
    runs.iter().any(|run| run.count > 1)
}

/// What leads from some numbers to as many others.
pub fn difference(from: &[usize], to: &[usize]) -> Option<Vec<i64>> {
    let step = |(&from, &to): (&usize, &usize)| to as i64 - from as i64;
    (from.len() == to.len()).then(|| from.iter().zip(to).map(step).collect())
}

/// The runs of a list, in order, without gaps; `step` leads from one item to another that is alike.
pub fn runs<S: PartialEq>(len: usize, step: impl Fn(usize, usize) -> Option<S>) -> Vec<Run<S>> {
    let mut runs = Vec::new();
    let (mut start, mut at) = (0, 0);
    let irregular = |start, end| Run { start, period: end - start, count: 1, steps: Vec::new() };
    while at < len {
        match longest(at, len, &step) {
            None => at += 1,
            Some(run) => {
                if start < at {
                    runs.push(irregular(start, at));
                }
                at += run.len();
                start = at;
                runs.push(run);
            }
        }
    }
    if start < len {
        runs.push(irregular(start, len));
    }
    runs
}

/// The run from an item on that leaves least to be written.
fn longest<S: PartialEq>(at: usize, len: usize, step: &impl Fn(usize, usize) -> Option<S>) -> Option<Run<S>> {
    let mut best: Option<Run<S>> = None;
    for period in 1..=LONGEST_PERIOD.min((len - at) / LEAST_COUNT) {
        // What repeats after one item does so after two.
        if best.as_ref().is_some_and(|best| period % best.period == 0) {
            continue;
        }
        let saved = |run: &Run<S>| run.len() - 2 * run.period;
        if let Some(run) = repeated(at, period, len, step)
            && best.as_ref().is_none_or(|best| saved(best) < saved(&run))
        {
            best = Some(run);
        }
    }
    best
}

fn repeated<S: PartialEq>(
    at: usize,
    period: usize,
    len: usize,
    step: &impl Fn(usize, usize) -> Option<S>,
) -> Option<Run<S>> {
    let next = |item| step(item, item + period);
    if next(at)? != next(at + period)? {
        return None;
    }
    let steps: Vec<S> = (at..at + period).map(next).collect::<Option<_>>()?;
    let goes_on = |&item: &usize| next(item).is_some_and(|found| found == steps[(item - at) % period]);
    let followed = (at + period..len - period).take_while(goes_on).count();
    let count = 2 + followed / period;
    (count >= LEAST_COUNT).then_some(Run { start: at, period, count, steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[i64]) -> Vec<(usize, usize, Vec<i64>)> {
        let found = runs(list.len(), |i, j| Some(list[j] - list[i]));
        found.into_iter().map(|run| (run.count, run.period, run.steps)).collect()
    }

    #[test]
    fn ends_of_a_list_may_differ() {
        let middle = (0..20).map(|k| 3 * k);
        let list: Vec<i64> = [100].into_iter().chain(middle).chain([7, 7]).collect();
        assert_eq!(of(&list), [(1, 1, vec![]), (20, 1, vec![3]), (1, 2, vec![])]);
    }

    #[test]
    fn items_may_repeat_together() {
        let list: Vec<i64> = (0..15).flat_map(|k| [5 * k, 100 - k, 8]).collect();
        assert_eq!(of(&list), [(15, 3, vec![5, -1, 0])]);
    }

    #[test]
    fn short_and_irregular_lists_stay() {
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[1, 2, 3, 4, 5]), [(1, 5, vec![])]);
        let squares: Vec<i64> = (0..40).map(|k| k * k).collect();
        assert_eq!(of(&squares), [(1, 40, vec![])]);
    }

    #[test]
    fn lists_are_regular_where_items_repeat() {
        let of = |list: &[i64]| is_regular(&runs(list.len(), |i, j| Some(list[j] - list[i])));
        assert!(of(&(0..20).collect::<Vec<_>>()) && of(&[5; 20]));
        assert!(!of(&[]) && !of(&[3]) && !of(&[1, 7, 2, 4]));
    }

    #[test]
    fn every_item_stands_in_one_run() {
        let list: Vec<i64> = (0..300).map(|k| if k % 97 < 40 { k } else { k * k % 7 }).collect();
        let mut next = 0;
        for run in runs(list.len(), |i, j| Some(list[j] - list[i])) {
            assert_eq!(run.start, next);
            next += run.period * run.count;
            for (item, k) in run.first().zip(0..).filter(|_| run.count > 1) {
                let all = (0..run.count).all(|n| list[item + n * run.period] == list[item] + n as i64 * run.steps[k]);
                assert!(all, "{run:?}");
            }
        }
        assert_eq!(next, list.len());
    }
}
