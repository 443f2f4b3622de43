//! How names are spelled: with indices, and nearly right.
//!
//! A name with indices, `link[k + 1]`, is one identifier with middle dots, which [`spelled`] writes as the user did.

use proc_macro2::Ident;

use crate::limits;

/// Between a name and its indices.
const DOT: char = '·';

/// A name with indices as one identifier.
pub(crate) fn indexed(name: &Ident, indices: &[usize]) -> Ident {
    let dots: String = indices.iter().map(|index| format!("{DOT}{index}")).collect();
    Ident::new(&format!("{name}{dots}"), name.span())
}

/// A name without its indices.
pub(crate) fn stem(name: &str) -> &str {
    name.split_once(DOT).map_or(name, |(stem, _)| stem)
}

/// Text in which names with indices are as the user writes them: `link[2].x`, `conrod[0,1]`.
pub fn spelled(text: &str) -> String {
    let mut result = String::new();
    let mut characters = text.chars().peekable();
    let mut is_open = false;
    while let Some(character) = characters.next() {
        let begins_index = character == DOT && characters.peek().is_some_and(char::is_ascii_digit);
        if begins_index {
            result.push(if is_open { ',' } else { '[' });
            is_open = true;
            continue;
        }
        if is_open && !character.is_ascii_digit() {
            result.push(']');
            is_open = false;
        }
        result.push(character);
    }
    if is_open {
        result.push(']');
    }
    result
}

/// The candidate that is nearest to a misspelled word, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = (1 + length / 4).min(length.saturating_sub(1));
    let is_as_long = |candidate: &&str| candidate.chars().count().abs_diff(length) <= limit;
    let candidates = candidates.into_iter().take(limits::CANDIDATES).filter(is_as_long);
    let distances = candidates.map(|candidate| (distance(word, candidate), candidate));
    distances
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, nearest)| nearest)
}

/// Number of characters to insert, delete, replace or exchange with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn indices_are_spelled_as_they_are_written() {
        for (name, expected) in
            [("a", "a"), ("a·1", "a[1]"), ("a·1·20.x", "a[1,20].x"), ("a·1_x of b·2", "a[1]_x of b[2]")]
        {
            assert_eq!(spelled(name), expected);
        }
    }
}
