//! Lists of generated code, by rule where they have one: `Repetition { count, first, step }`, see the runtime's `runs`.

use std::ops::Range;

use crate::schedule::pattern::Pattern;
use crate::schedule::runs::{Run, difference, runs};

/// The runs, as an array of the runtime's type.
pub(super) fn text<S>(runs: &[Run<S>], item: impl Fn(usize) -> String, step: impl Fn(&S) -> String) -> String {
    let runs = runs.iter().map(|run| literal(run.count, run.first().map(&item), run.steps.iter().map(&step)));
    format!("[{}]", runs.collect::<Vec<_>>().join(", "))
}

/// One run.
pub(super) fn literal(count: usize, first: impl Iterator<Item = String>, step: impl Iterator<Item = String>) -> String {
    let [first, step] = [first.collect::<Vec<_>>(), step.collect()].map(|items| items.join(", "));
    format!("Repetition {{ count: {count}, first: &[{first}], step: &[{step}] }}")
}

/// The numbers of an array.
pub(super) fn list(numbers: &[usize]) -> String {
    format!("[{}]", numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

/// The numbers of an array; by ranges, with the runtime's function, where these are few.
pub(super) fn indices(numbers: &[usize]) -> String {
    let ranges = ranges(numbers.iter().copied());
    if LEAST_LENGTH * ranges.len() <= numbers.len() {
        format!("{INDICES}(&{})", list_of_ranges(&ranges))
    } else {
        list(numbers)
    }
}

/// The runtime's function that makes indices of ranges.
pub(super) const INDICES: &str = "indices";

/// Ranges that are shorter on the average take more to write than their numbers.
const LEAST_LENGTH: usize = 4;

/// Ranges of numbers that count up by one.
pub(super) fn ranges(numbers: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    ranges
}

/// An array of ranges: `[first, end]`.
pub(super) fn list_of_ranges(ranges: &[Range<usize>]) -> String {
    let bounds = |range: &Range<usize>| list(&[range.start, range.end]);
    format!("[{}]", ranges.iter().map(bounds).collect::<Vec<_>>().join(", "))
}

/// An array of steps, modulo 2³².
pub(super) fn steps(steps: &[i64]) -> String {
    let text = |&step: &i64| (step as u32).to_string();
    match steps {
        [first, _, ..] if steps.iter().all(|step| step == first) => format!("[{}; {}]", text(first), steps.len()),
        _ => format!("[{}]", steps.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

/// A `SparsityPattern`.
pub(super) fn pattern(pattern: &Pattern) -> String {
    let columns: Vec<Vec<Range<usize>>> = pattern.rows_of_columns().map(|rows| ranges(rows.iter().copied())).collect();
    let step = |from: &[Range<usize>], to: &[Range<usize>]| {
        let starts = |ranges: &[Range<usize>]| ranges.iter().map(|range| range.start).collect::<Vec<_>>();
        let is_alike = from.iter().map(Range::len).eq(to.iter().map(Range::len));
        difference(&starts(from), &starts(to)).filter(|_| is_alike)
    };
    let runs = runs(columns.len(), |from, to| step(&columns[from], &columns[to]));
    let slice = |array: String| format!("&{array}");
    let columns = text(&runs, |column| slice(list_of_ranges(&columns[column])), |step| slice(steps(step)));
    format!("pattern({}, &{columns})", pattern.shape().0)
}

/// A few names of many.
pub(super) fn some_of(names: &[&str]) -> String {
    match names {
        [first, second, .., last] if names.len() > MAX_NAMES => {
            format!("{first}, {second}, …, {last} ({} in all)", names.len())
        }
        _ => names.join(", "),
    }
}

/// More names are not listed.
const MAX_NAMES: usize = 12;
