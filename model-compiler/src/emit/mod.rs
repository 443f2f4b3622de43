//! Schedule → TokenStream (C has [a file of its own](c())): a struct, its parameters and inputs, `impl Model`, and a private module of kernels.
//!
//! Kernels are free functions, generic over the scalar; instances of one kernel are a loop over tables of indices, and
//! what is long and regular is written [by rule](runs), so that code does not grow with their number. The text is written first and read into tokens once. Everything that
//! users did not name lives in the private module; the runtime is named in [`paths`] alone.

mod c;
mod c_casadi;
mod c_casadi_interface;
mod c_costs;
mod c_explicit;
mod c_generalized_alpha;
mod c_kernel;
mod c_motion;
mod c_precision;
mod c_turns;
mod c_unit;
mod docs;
mod formula;
mod formulas;
mod function;
mod header;
mod info;
mod kernel;
mod lanes;
mod members;
mod methods;
mod model;
mod names;
mod parameters;
mod paths;
mod runs;
mod setup;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

pub use c::{Files, c, c_name};
pub use c_casadi::{CCasadi, Numbers, c_casadi};
pub use c_motion::{CMotion, CPrecision, CStepper, c_motion};
pub use formulas::formulas;
pub use header::Header;

use crate::derive::Equations;
use crate::diagnostics;
use crate::reserved;
use crate::schedule::Schedule;
use crate::schedule::methods::is_scleronomic;
use crate::schedule::pattern::Patterns;

/// The code of a model.
///
/// # Errors
/// Never for equations that `derive` makes: an error of the family `Defect` says that the text is not Rust.
pub fn emit(header: &Header, equations: &Equations, schedule: &Schedule) -> syn::Result<TokenStream> {
    let tokens: TokenStream =
        syn::parse_str(&text(header, equations, schedule)).map_err(|error| diagnostics::defect(header.name, &error))?;
    Ok(placed(header.name, header.runtime, tokens))
}

fn text(header: &Header, equations: &Equations, schedule: &Schedule) -> String {
    let model = header.name.to_string();
    let layout = &equations.layout;
    let patterns = Patterns::of(equations, schedule);
    let members = crate::schedule::members::members(equations, schedule, &patterns);

    let mut text = format!("{FORMULAS}mod {PREFIX}{model} {{\n{}", paths::IMPORT);
    text.push_str(&model::model(header, layout, &members, !schedule.moved_by.is_empty()));
    text.push_str(&lanes::closed_form(header, layout, schedule, &members));
    text.push_str(&parameters::parameters(&model, equations, schedule));
    text.push_str(&parameters::inputs(&model, layout));
    text.push_str(&names::names(&model, layout));
    let _ = writeln!(
        text,
        "/// Kernels of [`{model}`] and where their instances stand.\npub mod {} {{\nuse super::{};",
        reserved::KERNELS,
        reserved::RUNTIME
    );
    members.iter().for_each(|members| text.push_str(&kernel::kernel(members)));
    text.push_str(&setup::constants(schedule, &members));
    text.push_str(&setup::reference_configuration(schedule));
    text.push_str(&setup::contact_laws(schedule));
    text.push_str(&setup::switching_times(schedule));
    let kinds = (methods::is_conservative(layout, &members), is_scleronomic(&members));
    text.push_str(&info::info(header, equations, schedule, &patterns, kinds));
    text.push_str("}\n}\n");
    let visibility = header.visibility.to_token_stream();
    let inputs = if layout.inputs.is_empty() { None } else { Some("Inputs") };
    let names = names::lists(layout).map(|(ending, _)| ending);
    for ending in ["", "Parameters"].into_iter().chain(inputs).chain(names) {
        let _ = writeln!(text, "{UNUSED}{visibility} use {PREFIX}{model}::{model}{ending};");
    }
    text
}

/// Before the name of a model, in the name of its module: names that differ in case alone differ there too.
const PREFIX: &str = "model_";
/// Names are the model's, numbers and formulas stand as they were written or derived, and a function has as many arguments
/// as it reads and fills.
const FORMULAS: &str = concat!(
    "#[allow(non_snake_case, clippy::approx_constant, clippy::eq_op, clippy::let_and_return, clippy::possible_missing_comma, ",
    "clippy::too_many_arguments, reason = \"generated formulas\")]\n",
);
const UNUSED: &str = "#[allow(unused_imports, reason = \"interface of the model\")]\n";

/// Code that was read from text, where the user's tokens belong: the name in the heads of items stands where it was
/// written, so that messages and editors point there, and the runtime has the user's path.
pub(crate) fn placed(name: &Ident, runtime: Option<&TokenStream>, tokens: TokenStream) -> TokenStream {
    let place = |token: TokenTree| match token {
        TokenTree::Ident(ident) if ident == *name => TokenTree::Ident(name.clone()),
        other => other,
    };
    let module = |token: TokenTree| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let inside = group.stream().into_iter().map(place);
            let inside = match runtime {
                // In the place of the first item, which imports `::hamel`.
                Some(path) => {
                    let name = Ident::new(reserved::RUNTIME, Span::call_site());
                    let rest = inside.skip_while(|token| !matches!(token, TokenTree::Punct(p) if p.as_char() == ';'));
                    quote!(use #path as #name).into_iter().chain(rest).collect()
                }
                None => inside.collect(),
            };
            Group::new(Delimiter::Brace, inside).into()
        }
        other => place(other),
    };
    tokens.into_iter().map(module).collect()
}
