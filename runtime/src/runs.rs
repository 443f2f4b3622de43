//! Compressed lists: items that repeat with constant increments are written only once in generated code.

use crate::model::{Block, Channel, ContactInfo, FunctionInfo, JointLimits};
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// `first`, `count` times; from one time to the next its numbers advance by `step`, which may be empty if nothing does.
///
/// Whole numbers count modulo 2³², so that they can go down.
#[derive(Debug)]
pub struct Repetition<'a, T, S = T> {
    /// Number of repetitions.
    pub count: u32,
    /// The items.
    pub first: &'a [T],
    /// Item by item the steps of its numbers.
    pub step: &'a [S],
}

/// An item with numbers that can advance.
pub trait Advance<S> {
    /// The item with its numbers advanced.
    type Advanced;

    /// The item with its numbers advanced by `times` steps.
    fn advanced(&self, step: &S, times: u32) -> Self::Advanced;

    /// The item with its own numbers.
    fn unmoved(&self) -> Self::Advanced;
}

/// Results of a function for all items of runs, in order.
pub fn expanded<T: Advance<S>, S, U>(runs: &[Repetition<T, S>], make: impl FnMut(T::Advanced) -> U) -> Vec<U> {
    items(runs).map(make).collect()
}

/// The items of runs, in order.
fn items<'a, T: Advance<S>, S>(runs: &'a [Repetition<'a, T, S>]) -> impl Iterator<Item = T::Advanced> + 'a {
    places(runs).map(|RepeatedItem { first, step, times }| match step {
        Some(step) => first.advanced(step, times),
        None => first.unmoved(),
    })
}

/// All channels of runs, each of its name and unit.
pub fn channels(runs: &[Repetition<(&'static str, &'static str), &[u32]>]) -> Vec<Channel> {
    items(runs).collect()
}

/// All contacts of runs, each of its name, the unit of its gap, and its number of tangents.
pub fn contacts(runs: &[Repetition<(&'static str, &'static str, usize), &[u32]>]) -> Vec<ContactInfo> {
    items(runs).collect()
}

/// All blocks of runs.
pub fn blocks(runs: &[Repetition<Block, ()>]) -> Vec<Block> {
    items(runs).collect()
}

/// A text.
pub fn text(text: &str) -> String {
    text.to_owned()
}

/// Texts, in order.
pub fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(text).collect()
}

/// Numbers, in order.
pub fn numbers(numbers: &[usize]) -> Vec<usize> {
    numbers.to_vec()
}

/// Pairs of texts, in order.
pub fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(first, second)| (text(first), text(second))).collect()
}

/// Limits, each of the places of a coordinate and its velocity, range, speed and effort.
pub fn limits(limits: &[(usize, usize, Option<[f64; 2]>, Option<f64>, Option<f64>)]) -> Vec<JointLimits> {
    let limits = limits.iter().map(|&(coordinate, velocity, range, speed, effort)| JointLimits {
        coordinate,
        velocity,
        range,
        speed,
        effort,
    });
    limits.collect()
}

/// Functions with their operations: as derived, shared, simplified.
pub fn functions(counts: &[(&'static str, [u64; 3])]) -> Vec<FunctionInfo> {
    let infos = counts.iter().map(|&(name, counts)| {
        let [derived, shared, simplified] = counts;
        FunctionInfo { name: name.to_owned(), derived, shared, simplified }
    });
    infos.collect::<Vec<_>>()
}

/// The first number of a range and the one after its last. For rustc, `Range` would be several times the work.
type Bounds = [u32; 2];

/// The numbers of these ranges, in order.
///
/// # Panics
/// When there are more or fewer of them; in the tables of generated code, that is an error of compilation.
pub const fn indices<const N: usize>(ranges: &[Bounds]) -> [u32; N] {
    let mut numbers = [0; N];
    let (mut len, mut next) = (0, 0);
    while next < ranges.len() {
        let [mut number, end] = ranges[next];
        while number < end {
            numbers[len] = number;
            (len, number) = (len + 1, number + 1);
        }
        next += 1;
    }
    assert!(len == N, "fewer indices than places");
    numbers
}

/// The pattern with these rows, column by column.
pub fn pattern(rows: usize, columns: &[Repetition<&[Bounds], &[u32]>]) -> SparsityPattern {
    let (mut column_starts, mut row_indices) = (vec![0], Vec::new());
    for column in items(columns) {
        row_indices.extend(column);
        column_starts.push(row_indices.len() as u32);
    }
    SparsityPattern::new(rows, column_starts, row_indices)
}

/// The pattern of `[ M D K, −Gᵀ ; G, 0 ]`: constraints have no diagonal entries. The compiler numbers places in the same one,
/// in its `emit/pattern.rs`.
pub fn iteration_matrix(upper_left: [&SparsityPattern; 3], jacobian: &SparsityPattern) -> SparsityPattern {
    let (nc, nv) = (jacobian.rows, jacobian.columns);
    let upper_left = upper_left.into_iter().flat_map(SparsityPattern::entries);
    let lower_left = jacobian.entries().map(|(row, column)| (nv + row, column));
    let upper_right = jacobian.entries().map(|(row, column)| (column, nv + row));
    SparsityPattern::from_entries(nv + nc, nv + nc, upper_left.chain(lower_left).chain(upper_right))
}

/// An item of a run that has not been expanded.
#[derive(Debug)]
pub struct RepeatedItem<'a, T, S = T> {
    first: &'a T,
    step: Option<&'a S>,
    times: u32,
}

/// The items of runs, in order.
#[inline(always)]
pub fn places<'a, T, S>(runs: &'a [Repetition<'a, T, S>]) -> impl Iterator<Item = RepeatedItem<'a, T, S>> + 'a {
    runs.iter().flat_map(|run| {
        (0..run.count).flat_map(move |times| {
            let place = move |(i, first)| RepeatedItem { first, step: run.step.get(i), times };
            run.first.iter().enumerate().map(place)
        })
    })
}

impl<T> RepeatedItem<'_, T> {
    /// The indices of this table.
    #[inline(always)]
    pub fn at<const N: usize>(&self, table: impl Fn(&T) -> &[u32; N]) -> [u32; N] {
        let mut indices = *table(self.first);
        if let Some(step) = self.step {
            for (index, &step) in indices.iter_mut().zip(table(step)) {
                *index = index.wrapping_add(self.times.wrapping_mul(step));
            }
        }
        indices
    }
}

impl Advance<f64> for f64 {
    type Advanced = f64;

    fn advanced(&self, step: &f64, times: u32) -> f64 {
        self + f64::from(times) * step
    }

    fn unmoved(&self) -> f64 {
        *self
    }
}

impl<const N: usize> Advance<[f64; N]> for [f64; N] {
    type Advanced = [f64; N];

    fn advanced(&self, step: &[f64; N], times: u32) -> [f64; N] {
        core::array::from_fn(|i| self[i].advanced(&step[i], times))
    }

    fn unmoved(&self) -> [f64; N] {
        *self
    }
}

impl Advance<&[u32]> for &[Bounds] {
    type Advanced = Vec<u32>;

    fn advanced(&self, step: &&[u32], times: u32) -> Vec<u32> {
        let moved = |(&[first, end], step): (&Bounds, &u32)| {
            let by = times.wrapping_mul(*step);
            first.wrapping_add(by)..end.wrapping_add(by)
        };
        self.iter().zip(*step).flat_map(moved).collect()
    }

    fn unmoved(&self) -> Vec<u32> {
        self.iter().flat_map(|&[first, end]| first..end).collect()
    }
}

impl Advance<&[u32]> for (&'static str, &'static str) {
    type Advanced = Channel;

    fn advanced(&self, step: &&[u32], times: u32) -> Channel {
        Channel { name: renumbered(self.0, step, times), ..self.unmoved() }
    }

    fn unmoved(&self) -> Channel {
        let (name, unit) = *self;
        Channel::new(name, unit)
    }
}

impl Advance<&[u32]> for (&'static str, &'static str, usize) {
    type Advanced = ContactInfo;

    fn advanced(&self, step: &&[u32], times: u32) -> ContactInfo {
        ContactInfo { name: renumbered(self.0, step, times), ..self.unmoved() }
    }

    fn unmoved(&self) -> ContactInfo {
        let (name, unit, tangents) = *self;
        ContactInfo::new(name, unit, tangents)
    }
}

impl Advance<()> for Block {
    type Advanced = Block;

    fn advanced(&self, (): &(), _: u32) -> Block {
        *self
    }

    fn unmoved(&self) -> Block {
        *self
    }
}

/// The name with the numbers in its brackets advanced: `disc[0,4].x` becomes `disc[2,3].x`.
fn renumbered(name: &str, steps: &[u32], times: u32) -> String {
    let mut steps = steps.iter();
    let mut advanced = |number: &str| {
        let number: u32 = number.parse().ok()?;
        Some(number.wrapping_add(times.wrapping_mul(steps.next().copied().unwrap_or(0))).to_string())
    };
    let mut pieces = name.split('[');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let numbers = piece.split_once(']').and_then(|(numbers, rest)| {
            Some((numbers.split(',').map(&mut advanced).collect::<Option<Vec<String>>>()?.join(","), rest))
        });
        match numbers {
            Some((numbers, rest)) => text.push_str(&format!("[{numbers}]{rest}")),
            None => text.push_str(&format!("[{piece}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_advance_by_their_steps() {
        let runs = [
            Repetition { count: 1, first: &[5.0], step: &[] },
            Repetition { count: 3, first: &[1.0, 10.0], step: &[0.5, -1.0] },
        ];
        assert_eq!(items(&runs).collect::<Vec<f64>>(), [5.0, 1.0, 10.0, 1.5, 9.0, 2.0, 8.0]);
    }

    #[test]
    fn rows_of_numbers_advance_number_by_number() {
        let runs = [
            Repetition { count: 2, first: &[[1.0, 10.0]], step: &[[0.5, -1.0]] },
            Repetition { count: 1, first: &[[7.0, 8.0]], step: &[] },
        ];
        assert_eq!(expanded(&runs, |row| row), [[1.0, 10.0], [1.5, 9.0], [7.0, 8.0]]);
    }

    #[test]
    fn names_advance_in_their_brackets() {
        let channels = channels(&[Repetition {
            count: 2,
            first: &[("leg[3].foot[0,1].e0", "1"), ("x", "m")],
            step: &[&[u32::MAX, 2, 0], &[]],
        }]);
        let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
        assert_eq!(names, ["leg[3].foot[0,1].e0", "x", "leg[2].foot[2,1].e0", "x"]);
    }

    #[test]
    fn a_band_is_one_column_repeated() {
        let columns: [Repetition<&[Bounds], &[u32]>; 3] = [
            Repetition { count: 1, first: &[&[[0, 2]]], step: &[] },
            Repetition { count: 2, first: &[&[[0, 1], [1, 3]]], step: &[&[1, 1]] },
            Repetition { count: 1, first: &[&[[2, 4]]], step: &[] },
        ];
        let pattern = pattern(4, &columns);
        assert_eq!(pattern.column_starts(), [0, 2, 5, 8, 10]);
        assert_eq!(pattern.row_indices(), [0, 1, 0, 1, 2, 1, 2, 3, 2, 3]);
    }

    #[test]
    fn the_iteration_matrix_borders_its_blocks_with_constraints() {
        let diagonal = pattern(2, &[Repetition { count: 2, first: &[&[[0, 1]]], step: &[&[1]] }]);
        let coupling = pattern(2, &[Repetition { count: 1, first: &[&[], &[[0, 2]]], step: &[] }]);
        let jacobian = pattern(2, &[Repetition { count: 1, first: &[&[[0, 1]], &[[1, 2]]], step: &[] }]);
        let whole = iteration_matrix([&diagonal, &diagonal, &coupling], &jacobian);
        assert_eq!((whole.rows, whole.columns), (4, 4));
        assert_eq!(whole.entries().collect::<Vec<_>>(), [(0, 0), (2, 0), (0, 1), (1, 1), (3, 1), (0, 2), (1, 3)]);
    }

    #[test]
    fn ranges_are_indices() {
        const INDICES: [u32; 4] = indices(&[[3, 5], [9, 10], [0, 1]]);
        assert_eq!(INDICES, [3, 4, 9, 0]);
    }

    #[test]
    #[should_panic(expected = "fewer indices than places")]
    fn places_without_index_are_an_error() {
        let _: [u32; 3] = indices(&[[0, 2], [5, 5]]);
    }

    #[test]
    fn places_give_indices_table_by_table() {
        struct Member {
            q: [u32; 2],
            lambda: [u32; 1],
        }
        let runs = [Repetition {
            count: 3,
            first: &[Member { q: [0, 7], lambda: [20] }],
            step: &[Member { q: [2, 0], lambda: [u32::MAX] }],
        }];
        let found: Vec<([u32; 2], [u32; 1])> =
            places(&runs).map(|place| (place.at(|member| &member.q), place.at(|member| &member.lambda))).collect();
        assert_eq!(found, [([0, 7], [20]), ([2, 7], [19]), ([4, 7], [18])]);
    }
}
