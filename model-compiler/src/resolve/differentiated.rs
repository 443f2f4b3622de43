//! Parameters with respect to which derivatives are asked for by `differentiate …;`.

use proc_macro2::Ident;

use super::{Parameter, ParameterId};
use crate::diagnostics::{self, Errors};

/// Stands for all parameters, unless one has this name.
const ALL: &str = "all";

/// The parameters asked for, each once, in the order of their declaration; nothing is said of names where not all
/// parameters could be read.
pub(super) fn differentiated<'d>(
    asked: impl Iterator<Item = &'d Ident>,
    parameters: &Option<Vec<Parameter>>,
    errors: &Errors,
) -> Vec<ParameterId> {
    let Some(parameters) = parameters else { return Vec::new() };
    let is_public = |parameter: &&Parameter| !parameter.is_constant;
    let mut first: Vec<Option<&Ident>> = vec![None; parameters.len()];
    for word in asked {
        let known = parameters.iter().position(|parameter| parameter.name == *word);
        match known {
            Some(index) if parameters[index].is_constant => errors.push(diagnostics::constant_differentiated(word)),
            Some(index) => match first[index] {
                Some(earlier) => errors.push(diagnostics::duplicate_name(word, earlier.span())),
                None => first[index] = Some(word),
            },
            None if word == ALL => {
                for (first, _) in first.iter_mut().zip(parameters).filter(|(_, parameter)| is_public(parameter)) {
                    first.get_or_insert(word);
                }
            }
            None => {
                let public = parameters.iter().filter(is_public).map(|parameter| parameter.name.to_string());
                let names: Vec<String> = public.chain([ALL.to_owned()]).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                errors.push(diagnostics::unknown_word("parameter", word, &names));
            }
        }
    }
    first.iter().enumerate().filter(|(_, word)| word.is_some()).map(|(index, _)| ParameterId(index)).collect()
}
