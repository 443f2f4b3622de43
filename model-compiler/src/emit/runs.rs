//! Lists of generated code, by rule where they have one: `Run { count, first, step }`, see the runtime's `runs`.

use crate::schedule::runs::Run;

/// The runs, as an array of the runtime's type.
pub(super) fn text<S>(runs: &[Run<S>], item: impl Fn(usize) -> String, step: impl Fn(&S) -> String) -> String {
    let runs = runs.iter().map(|run| literal(run.count, run.first().map(&item), run.steps.iter().map(&step)));
    format!("[{}]", runs.collect::<Vec<_>>().join(", "))
}

/// One run.
pub(super) fn literal(count: usize, first: impl Iterator<Item = String>, step: impl Iterator<Item = String>) -> String {
    let [first, step] = [first.collect::<Vec<_>>(), step.collect()].map(|items| items.join(", "));
    format!("Run {{ count: {count}, first: &[{first}], step: &[{step}] }}")
}

/// The numbers of an array.
pub(super) fn list(numbers: &[usize]) -> String {
    format!("[{}]", numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

/// An array of steps, modulo 2³².
pub(super) fn steps(steps: &[i64]) -> String {
    let text = |&step: &i64| (step as u32).to_string();
    match steps {
        [first, _, ..] if steps.iter().all(|step| step == first) => format!("[{}; {}]", text(first), steps.len()),
        _ => format!("[{}]", steps.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

/// What leads from some numbers to as many others.
pub(super) fn difference(from: &[usize], to: &[usize]) -> Option<Vec<i64>> {
    let step = |(&from, &to): (&usize, &usize)| to as i64 - from as i64;
    (from.len() == to.len()).then(|| from.iter().zip(to).map(step).collect())
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
