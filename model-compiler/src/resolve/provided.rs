//! Functions asked for by `provide …;`: they exist where the joints' coordinates are free of constraints.

use proc_macro2::Ident;

use super::context::Context;
use super::{Formulation, Provided};
use crate::diagnostics;

impl Context<'_> {
    /// The functions asked for, each once and in order. `is_constrained`: joints close loops, or constraints are written.
    pub(super) fn resolve_provided<'d>(
        &self,
        asked: impl Iterator<Item = &'d Ident>,
        is_constrained: bool,
    ) -> Vec<Provided> {
        let mut provided: Vec<(Provided, &Ident)> = Vec::new();
        for word in asked {
            let Some(function) = Provided::ALL.into_iter().find(|function| word == function.keyword()) else {
                let known = Provided::ALL.map(Provided::keyword);
                self.errors.push(diagnostics::unknown_word("function", word, &known));
                continue;
            };
            match provided.iter().find(|(known, _)| *known == function) {
                Some((_, first)) => self.errors.push(diagnostics::duplicate_name(word, first.span())),
                None => provided.push((function, word)),
            }
            if self.settings.formulation != Formulation::Joint || is_constrained {
                self.errors.push(diagnostics::provided_without_freedom(word, is_constrained));
            } else if !self.members.is_empty() {
                self.errors.push(diagnostics::provided_for_rigid_bodies(word));
            }
        }
        provided.sort();
        provided.into_iter().map(|(function, _)| function).collect()
    }
}
