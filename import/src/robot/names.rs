//! Names of links and joints as names of the language.

use std::collections::{HashMap, HashSet};

use hamel_compiler::{limits, resolve};

/// Most characters of a name that is taken as it stands.
const LONGEST: usize = limits::NAME - 32;

/// Gives names that differ among each other.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    /// The number to try next, of names that look alike.
    next: HashMap<String, usize>,
}

impl Names {
    /// The name itself if it can be one, otherwise one that looks like it; `kind` tells apart what has the same name.
    pub(super) fn take(&mut self, name: &str, kind: &str) -> String {
        let plain = if is_free_name(name) { name.to_owned() } else { spelled(name, kind) };
        let like = format!("{plain}_{kind}");
        let mut name = if self.taken.contains(&plain) { like.clone() } else { plain };
        while self.taken.contains(&name) {
            let number = self.next.entry(like.clone()).or_insert(2);
            name = format!("{like}{number}");
            *number += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}

/// Whether a word is a name of the language as it stands, and short enough for what tells it apart from others.
fn is_free_name(word: &str) -> bool {
    word.chars().count() <= LONGEST && resolve::is_free_name(word)
}

/// The name with everything but letters and digits replaced, or its beginning.
fn spelled(name: &str, kind: &str) -> String {
    let letters = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let name: String = name.trim_matches(|letter| letters(letter) == '_').chars().map(letters).take(LONGEST).collect();
    let name = name.trim_end_matches('_');
    if is_free_name(name) { name.to_owned() } else { format!("{kind}_{name}").trim_end_matches('_').to_owned() }
}

/// The name of a type: words begin with capitals.
pub(super) fn type_name(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capitalised = words.map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    let name: String = capitalised.collect::<String>().chars().take(LONGEST).collect();
    if is_free_name(&name) { name } else { format!("Robot{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_told_apart_by_numbers() {
        let mut names = Names::default();
        let long = "wrist".repeat(40);
        let taken = ["joint", "joint", "joint"].map(|kind| names.take(&long, kind));
        assert!(taken.iter().all(|name| (LONGEST..limits::NAME - "_damping".len()).contains(&name.len())), "{taken:?}");
        assert!(taken[0] != taken[1] && taken[1] != taken[2] && long.starts_with(&taken[0]), "{taken:?}");
        assert_eq!(type_name(&long).len(), LONGEST);
        assert_eq!(type_name(&"1".repeat(200)).len(), LONGEST + "Robot".len());
    }

    #[test]
    fn names_are_kept_where_the_language_allows_them() {
        let mut names = Names::default();
        let given = ["elbow", "left-arm/1", "1st", "mass", "type", "axis", "elbow", "elbow", "日本", "-"];
        let taken = given.map(|name| names.take(name, "link"));
        let expected = [
            "elbow",
            "left_arm_1",
            "link_1st",
            "mass",
            "link_type",
            "link_axis",
            "elbow_link",
            "elbow_link2",
            "日本",
            "link",
        ];
        assert_eq!(taken, expected);
        assert_eq!(
            ["ur5e", "my_robot 2", "7dof", "", "é"].map(type_name),
            ["Ur5e", "MyRobot2", "Robot7dof", "Robot", "Robot"]
        );
    }
}
