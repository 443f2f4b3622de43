//! Names that are not there: what a person may have meant.

use crate::prelude::*;

/// `; did you mean …?`, or nothing where no name is similar.
pub(crate) fn suggestion(similar: &[String]) -> String {
    let quoted: Vec<String> = similar.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { String::new() } else { format!("; did you mean {}?", quoted.join(" or ")) }
}

/// Names that a person may have meant: those that contain the name, or differ in a third of its letters at most.
pub(crate) fn similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    const SHOWN: usize = 3;
    let most = name.chars().count().div_ceil(3);
    let near = names.filter_map(|other| {
        let changes = changes_between(name, other);
        (changes <= most || (!name.is_empty() && other.contains(name))).then_some((changes, other))
    });
    let mut near: Vec<(usize, &str)> = near.collect();
    near.sort();
    near.into_iter().take(SHOWN).map(|(_, name)| name.to_owned()).collect()
}

/// Letters to insert, remove or replace on the way from one word to the other.
fn changes_between(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], i + 1);
        for (j, &other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
