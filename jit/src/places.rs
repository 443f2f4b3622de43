//! Where the instances of a kernel read and write: lists of places, by rule where instances follow each other with equal
//! steps, so that a thousand of them take no more room than one.

use hamel_compiler::schedule::runs;
use serde::{Deserialize, Serialize};

/// The instances of a kernel in parts: so many items, repeated so often.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Instances(Vec<Part>);

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    period: u32,
    count: u32,
}

/// An instance: an item of a part, and how often it was repeated before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instance {
    item: usize,
    times: u32,
}

impl Instances {
    /// So many instances, which follow each other by these rules; by none if there are no rules.
    pub fn of(n: usize, rules: &[runs::Run<Vec<i64>>]) -> Instances {
        let part = |period: usize, count: usize| Part { period: period as u32, count: count as u32 };
        match rules.is_empty() {
            true => Instances(vec![part(n, 1)]),
            false => Instances(rules.iter().map(|run| part(run.period, run.count)).collect()),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Instance> + '_ {
        let mut next = 0;
        self.0.iter().flat_map(move |&Part { period, count }| {
            let first = next;
            next += period as usize;
            (0..count).flat_map(move |times| (0..period as usize).map(move |k| Instance { item: first + k, times }))
        })
    }

    /// For each item its first and its last instance.
    pub fn ends(&self) -> impl Iterator<Item = [Instance; 2]> + '_ {
        let items = self.0.iter().flat_map(|part| std::iter::repeat_n(part.count - 1, part.period as usize));
        items.enumerate().map(|(item, last)| [0, last].map(|times| Instance { item, times }))
    }
}

/// Lists of equal length, one for each instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Places {
    /// Length of a list; zero if values are found in order.
    pub each: usize,
    /// For each item its list, and what leads to its next repetition, modulo 2³².
    first: Vec<u32>,
    step: Vec<u32>,
}

impl Places {
    /// The places in these lists, one for each of the instances.
    pub fn of(instances: &Instances, lists: Option<&[Vec<usize>]>) -> Places {
        let Some(lists) = lists else { return Places::default() };
        let mut places = Places { each: lists.first().map_or(0, Vec::len), ..Places::default() };
        let mut start = 0;
        for part in &instances.0 {
            let period = part.period as usize;
            for k in start..start + period {
                let next = if part.count > 1 { &lists[k + period] } else { &lists[k] };
                places.first.extend(lists[k].iter().map(|&place| place as u32));
                places.step.extend(lists[k].iter().zip(next).map(|(&from, &to)| (to as u32).wrapping_sub(from as u32)));
            }
            start += period * part.count as usize;
        }
        places
    }

    /// The list of an instance.
    #[inline]
    pub fn at(&self, instance: Instance) -> impl ExactSizeIterator<Item = u32> + Clone + '_ {
        let Instance { item, times } = instance;
        let items = item * self.each..(item + 1) * self.each;
        let moved = move |(&first, &step): (&u32, &u32)| first.wrapping_add(times.wrapping_mul(step));
        self.first[items.clone()].iter().zip(&self.step[items]).map(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists with a rule, and some without before and after.
    #[test]
    fn lists_are_what_they_were() {
        let mut lists: Vec<Vec<usize>> = vec![vec![7, 1, 2], vec![0, 0, 5]];
        lists.extend((0..40).flat_map(|k| [vec![3 * k, 500 - k, 9], vec![k, k + 1, 2 * k]]));
        lists.push(vec![1, 1, 1]);
        let rules = runs::runs(lists.len(), |from, to| runs::difference(&lists[from], &lists[to]));
        assert!(runs::is_regular(&rules));
        let instances = Instances::of(lists.len(), &rules);
        let places = Places::of(&instances, Some(&lists));
        assert!(places.first.len() < 40, "{places:?}");
        let found: Vec<Vec<usize>> =
            instances.iter().map(|instance| places.at(instance).map(|place| place as usize).collect()).collect();
        assert_eq!(found, lists);
        let most =
            |at: &dyn Fn(&Instance) -> bool| instances.iter().filter(at).flat_map(|instance| places.at(instance)).max();
        let ends: Vec<Instance> = instances.ends().flatten().collect();
        assert_eq!(most(&|instance| ends.contains(instance)), most(&|_| true));
    }

    #[test]
    fn instances_without_rules_are_listed() {
        let lists: Vec<Vec<usize>> = (0..5).map(|k| vec![k * k]).collect();
        let instances = Instances::of(5, &[]);
        let places = Places::of(&instances, Some(&lists));
        assert!(instances.iter().map(|instance| places.at(instance).collect::<Vec<u32>>()).eq([
            [0],
            [1],
            [4],
            [9],
            [16]
        ]));
        let unlisted = Places::of(&instances, None);
        assert!(unlisted.each == 0 && instances.iter().all(|instance| unlisted.at(instance).len() == 0));
    }
}
