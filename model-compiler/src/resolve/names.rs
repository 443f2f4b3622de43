//! What names stand for.
//!
//! Everything that expressions may use shares one list of names. Forces, constraints and outputs are not used by
//! expressions; their names only have to differ among themselves.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use proc_macro2::{Ident, Span};

use super::{BodyId, InputId, JointId, ParameterId, StateId, functions};
use crate::diagnostics::{self, Errors};
use crate::parse;
use crate::reserved;
use crate::spelling;

/// Names with a fixed meaning.
pub(super) const PREDEFINED: [&str; 4] = ["ground", "model", "pi", "time"];

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Body(BodyId),
    /// Index of a flexible member.
    Member(usize),
    /// Index of a geometrically exact beam.
    Beam(usize),
    /// Index of a marker.
    Marker(usize),
    Joint(JointId),
    /// The coordinate of a joint that has exactly one.
    Coordinate(JointId),
    Input(InputId),
    State(StateId),
    Parameter(ParameterId),
    /// Index of a definition.
    Definition(usize),
    /// Declared further down.
    Pending,
    /// What is just being declared.
    Itself,
    /// Its declaration is in error, which has been reported.
    Broken,
}

/// Names and what they stand for.
#[derive(Debug, Default)]
pub(super) struct Names {
    declared: IndexMap<String, (Span, Meaning)>,
    /// Words of items that could not be read, which may declare them.
    unread: BTreeSet<String>,
}

impl Names {
    /// No names, beside items that could not be read.
    pub(super) fn beside(unread: &BTreeSet<String>) -> Names {
        Names { declared: IndexMap::new(), unread: unread.clone() }
    }

    /// Declares a name.
    pub(super) fn declare(&mut self, name: &Ident, meaning: Meaning, errors: &Errors) {
        if is_reserved(name) {
            errors.push(diagnostics::reserved_name(name));
        }
        match self.declared.get(&name.to_string()) {
            Some((first, _)) => errors.push(diagnostics::duplicate_name(name, *first)),
            None => {
                self.declared.insert(name.to_string(), (name.span(), meaning));
            }
        }
    }

    /// Says what a declared name stands for, now that it is known. A second declaration of a name does not count.
    pub(super) fn define(&mut self, name: &Ident, meaning: Meaning) {
        if let Some((_, slot @ (Meaning::Pending | Meaning::Itself))) = self.declared.get_mut(&name.to_string()) {
            *slot = meaning;
        }
    }

    /// What a name stands for, or `None` after reporting why it stands for nothing.
    pub(super) fn look_up(&self, name: &Ident, errors: &Errors) -> Option<Meaning> {
        match self.declared.get(&name.to_string()) {
            Some((declared, Meaning::Pending)) => {
                errors.push(diagnostics::used_before_declaration(name, *declared));
                None
            }
            Some((_, Meaning::Itself)) => {
                errors.push(diagnostics::defined_by_itself(name));
                None
            }
            Some((_, Meaning::Broken)) => None,
            None if self.is_unread(name) => None,
            Some((_, meaning)) => Some(*meaning),
            None if errors.is_full() => None,
            None => {
                let candidates: Vec<&str> = self.declared.keys().map(String::as_str).chain(PREDEFINED).collect();
                errors.push(diagnostics::unknown_name(name, &candidates));
                None
            }
        }
    }

    /// Names that stand for something of a kind, for help.
    pub(super) fn of_kind(&self, is_meant: impl Fn(Meaning) -> bool) -> Vec<&str> {
        self.declared.iter().filter(|(_, (_, meaning))| is_meant(*meaning)).map(|(name, _)| name.as_str()).collect()
    }

    /// Where a name is declared.
    pub(super) fn declared_at(&self, name: &Ident) -> Option<Span> {
        self.declared.get(&name.to_string()).map(|(span, _)| *span)
    }

    /// Whether something has this name.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.declared.contains_key(name)
    }

    /// What a name stands for, if it has been declared.
    pub(super) fn get(&self, name: &Ident) -> Option<Meaning> {
        let declared = self.declared.get(&name.to_string()).map(|(_, meaning)| *meaning);
        declared.or_else(|| self.is_unread(name).then_some(Meaning::Broken))
    }

    /// Whether an item that could not be read may declare this name, with whatever indices.
    fn is_unread(&self, name: &Ident) -> bool {
        !self.unread.is_empty() && self.unread.contains(spelling::stem(&name.to_string()))
    }
}

/// Whether a body, a joint or a parameter may have this name, as it stands: neither raw nor with anything around it.
pub fn is_free_name(word: &str) -> bool {
    syn::parse_str::<Ident>(word).is_ok_and(|name| name == word && !word.starts_with("r#") && !is_reserved(&name))
}

/// Whether no model can have this name: a type would hide a primitive one, or what generated code names beside it.
pub(super) fn is_no_type(name: &Ident) -> bool {
    let words = reserved::PRIMITIVES.into_iter().chain(reserved::BESIDE_THE_MODEL);
    words.into_iter().any(|word| name == word)
}

/// Whether a name has a fixed meaning in expressions.
pub(super) fn is_reserved(name: &Ident) -> bool {
    let words = PREDEFINED.into_iter().chain(parse::CONNECTIVES).chain(functions::NAMES.iter().copied());
    words.into_iter().any(|word| name == word)
}

impl Meaning {
    /// In words, for messages.
    pub(super) fn describe(self, name: &Ident) -> String {
        match self {
            Meaning::Body(_) => format!("body `{name}`"),
            Meaning::Member(_) | Meaning::Beam(_) => format!("flexible member `{name}`"),
            Meaning::Marker(_) => format!("marker `{name}`"),
            Meaning::Joint(_) => format!("joint `{name}`"),
            Meaning::Coordinate(_) => format!("coordinate `{name}`"),
            Meaning::Input(_) => format!("input `{name}`"),
            Meaning::State(_) => format!("state `{name}`"),
            Meaning::Parameter(_) => format!("parameter `{name}`"),
            Meaning::Definition(_) | Meaning::Pending | Meaning::Itself | Meaning::Broken => format!("`{name}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_name_is_a_word_and_nothing_else() {
        assert!(["arm", "_x", "größe", "θ1"].into_iter().all(is_free_name));
        let refused =
            ["", " ", "_", "arm ", " arm", "arm\n", "r#fn", "r#arm", "fn", "self", "a b", "a//b", "a/**/", "1a", "pi"];
        assert_eq!(refused.into_iter().filter(|word| is_free_name(word)).collect::<Vec<_>>(), [""; 0]);
    }
}
