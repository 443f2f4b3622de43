//! Words of the language.

use proc_macro2::Ident;

/// Words that begin an item of a model.
pub(super) const ITEMS: [&str; 23] = [
    "body",
    "const",
    "constraint",
    "contact",
    "coordinates",
    "differentiate",
    "drive",
    "flexible",
    "for",
    "force",
    "fused_multiply_add",
    "gravity",
    "initial",
    "input",
    "joint",
    "let",
    "marker",
    "output",
    "param",
    "planar",
    "provide",
    "state",
    "torque",
];

/// Words that continue an expression or an end of a joint, and therefore are never units.
pub(crate) const CONNECTIVES: [&str; 10] = ["about", "as", "at", "axis", "else", "from", "if", "in", "on", "rotated"];

/// Whether this word begins an item.
pub(super) fn begins_item(word: &Ident) -> bool {
    ITEMS.iter().any(|item| word == item)
}

/// Whether this word continues an expression.
pub(super) fn is_connective(word: &Ident) -> bool {
    CONNECTIVES.iter().any(|connective| word == connective)
}

/// Whether Rust reserves this word, so that generated code cannot use it as a name.
pub(crate) fn is_rust_keyword(word: &Ident) -> bool {
    // From the edition of 2024 on.
    word == "gen" || syn::parse_str::<Ident>(&word.to_string()).is_err()
}
