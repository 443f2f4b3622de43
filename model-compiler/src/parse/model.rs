//! The model as a whole: its head, its items, and the settings `planar`, `coordinates` and
//! `fused_multiply_add`.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::Result;

use super::reader::Reader;
use super::{
    Body, Constraint, Contact, Definition, Flexible, Force, Gravity, Initial, Input, Joint, Marker, Output, Parameter,
    State,
};
use super::{body, condition, contact, flexible, force, joint, keywords, parameter, repeat, state, value};
use crate::diagnostics::{self, Errors, Place};

/// A model, as written.
#[derive(Clone, Debug)]
pub struct Description {
    /// The path to the runtime, of `crate = path;`.
    pub runtime: Option<TokenStream>,
    /// Lines of its doc comment.
    pub doc: Vec<String>,
    /// Visibility of the type to generate.
    pub visibility: syn::Visibility,
    /// Name of the type to generate.
    pub name: Ident,
    /// Its items, in the order written.
    pub items: Vec<Item>,
    /// What is not among them because of errors; nothing, where [`parse`](super::parse) succeeds.
    pub unread: Unread,
}

/// Items with errors in their syntax, which later stages do without.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// All of their words. What they declare is among them, so one that is declared nowhere else is no further mistake.
    pub words: BTreeSet<String>,
    /// One of them may be a joint.
    pub has_joint: bool,
    /// One of them may be a setting or a loop, without which everything else means something else.
    pub has_setting: bool,
}

/// One statement of a model.
#[derive(Clone, Debug)]
pub enum Item {
    /// `planar;`
    Planar(Span),
    /// `coordinates …;`
    Coordinates(Coordinates),
    /// `fused_multiply_add;`
    FusedMultiplyAdd(Span),
    /// `param …;` or `const …;`
    Parameter(Parameter),
    /// `input …;`
    Input(Input),
    /// `state …: …;`
    State(State),
    /// `let …;`
    Definition(Definition),
    /// `gravity …;`
    Gravity(Gravity),
    /// `body … { … }`
    Body(Body),
    /// `flexible …: kind { … }`
    Flexible(Flexible),
    /// `marker …;`
    Marker(Marker),
    /// `joint …`
    Joint(Joint),
    /// `force …` or `torque …`
    Force(Force),
    /// `constraint …;` or `drive …;`
    Constraint(Constraint),
    /// `contact … { … }`
    Contact(Contact),
    /// `initial …;`
    Initial(Initial),
    /// `output …;`
    Output(Output),
    /// `provide …, …;`
    Provide(Vec<Request>),
    /// `differentiate …, …;`: names of parameters.
    Differentiate(Vec<Ident>),
}

/// A function asked for: `function`, `function(frame)` or `function(frame in frame)`.
#[derive(Clone, Debug)]
pub struct Request {
    /// The word for the function.
    pub function: Ident,
    /// A body or a marker.
    pub frame: Option<Ident>,
    /// The body or marker in whose axes the results are.
    pub axes: Option<Ident>,
}

/// `coordinates formulation(rotation);`
#[derive(Clone, Debug)]
pub struct Coordinates {
    /// The word for the formulation.
    pub formulation: Ident,
    /// The word for the coordinates of rotations.
    pub rotation: Option<Ident>,
}

/// Reads a whole model. Errors inside its braces are collected; one in its head ends the reading.
pub(super) fn description(mut reader: Reader, errors: &Errors) -> Result<Description> {
    let runtime = runtime(&mut reader)?;
    let doc = doc_comment(&mut reader)?;
    let visibility = visibility(&mut reader)?;
    if !reader.take_word("model") {
        return Err(diagnostics::no_model(Place::at(reader.open_span()), &reader.found()));
    }
    let name = reader.name("the name of the model")?;
    let mut inside = reader.group(Delimiter::Brace)?;
    let (mut items, mut unread) = (Vec::new(), Unread::default());
    self::items(&mut inside, errors, &mut items, &mut unread, None);
    unread.has_setting |= reader.integers().is_guess_used() || reader.integers().is_too_long();
    errors.keep(reader.finish("nothing after the model"));
    Ok(Description { runtime, doc, visibility, name, items, unread })
}

/// `crate = path;`, where the runtime is not the dependency `hamel`.
///
/// Generated code stands in a module of its own, so the path has to mean the same there: a name alone is a dependency.
pub(super) fn runtime(reader: &mut Reader) -> Result<Option<TokenStream>> {
    if !reader.take_word("crate") {
        return Ok(None);
    }
    reader.expect("=")?;
    let first = reader.span();
    let mut path: Vec<TokenTree> = Vec::new();
    while !reader.is_empty() && !reader.sees(";") {
        path.extend(reader.take_token());
    }
    let place = reader.since(first);
    reader.expect(";")?;
    let parse = |tokens: TokenStream| syn::parse::Parser::parse2(syn::Path::parse_mod_style, tokens);
    let parsed = parse(path.iter().cloned().collect()).map_err(|_| diagnostics::path_to_the_runtime(place))?;
    let begins_with =
        |words: &[&str]| parsed.segments.first().is_some_and(|first| words.iter().any(|word| first.ident == word));
    if begins_with(&["self", "super"]) {
        return Err(diagnostics::path_to_the_runtime(place));
    }
    let is_absolute = parsed.leading_colon.is_some() || begins_with(&["crate", "$crate"]);
    Ok(Some(if is_absolute { quote!(#parsed) } else { quote!(::#parsed) }))
}

/// Reads items to the end of a group; goes on after one in error. If they are too many, that is an error of the loop around
/// them, or of the first that is too many.
pub(super) fn items(
    reader: &mut Reader,
    errors: &Errors,
    items: &mut Vec<Item>,
    unread: &mut Unread,
    range: Option<Place>,
) {
    while !reader.is_empty() && !reader.integers().is_too_long() {
        let start = *reader;
        let found = errors.found();
        if reader.sees_word("for") {
            let read =
                repeat::repetition(reader, |inside, place| self::items(inside, errors, items, unread, Some(place)));
            if errors.keep(read).is_none() {
                reader.skip_item(start, false);
                unread.has_setting = true;
            }
        } else {
            let read = errors.keep(item(reader, errors));
            if read.is_none() {
                // What follows an unknown word may be in order.
                reader.skip_item(start, keyword(start).is_none());
            }
            // One whose fields are in error lacks them.
            match read.filter(|_| errors.found() == found) {
                Some(item) => items.push(item),
                None => leave_out(start, *reader, unread),
            }
        }
        let place = range.unwrap_or_else(|| Place::at(start.span()));
        errors.keep(reader.integers().count_items(items.len(), place));
    }
}

/// Notes what an item in error may be, and what it may declare.
fn leave_out(start: Reader, end: Reader, unread: &mut Unread) {
    let mut item = start;
    if item.take(";") {
        return;
    }
    let keyword = keyword(start);
    while item.take("#") {
        item.take_token();
    }
    item.take_any_word();
    let has_name = item.word().is_some() && !names_a_setting(item);
    let words = end.words_since(item);
    match keyword {
        Some(keyword) => {
            if keyword == "const" {
                words.first().into_iter().for_each(|name| item.integers().guess(name));
            }
            unread.has_joint |= keyword == "joint";
            unread.has_setting |= ["planar", "coordinates"].iter().any(|setting| keyword == setting);
        }
        None => {
            words.first().into_iter().for_each(|name| item.integers().guess(name));
            unread.has_joint = true;
            unread.has_setting |= !has_name;
        }
    }
    unread.words.extend(words.iter().map(Ident::to_string));
}

/// The word that an item begins with, if it is one of the language.
fn keyword(mut item: Reader) -> Option<Ident> {
    doc_comment(&mut item).ok()?;
    item.word().filter(keywords::begins_item)
}

/// `word;` or `word(…)`, as after a misspelled `coordinates`.
fn names_a_setting(mut reader: Reader) -> bool {
    reader.take_any_word().is_some() && (reader.sees(";") || reader.sees_group(Delimiter::Parenthesis))
}

fn item(reader: &mut Reader, errors: &Errors) -> Result<Item> {
    let doc = doc_comment(reader)?;
    let Some(word) = reader.word() else {
        let is_closed = reader.sees(";");
        return Err(reader.expected(if is_closed {
            "an item of a model (no `;` after `}`)"
        } else {
            "an item of a model"
        }));
    };
    if !keywords::begins_item(&word) {
        return Err(diagnostics::unknown_item(&word, &keywords::ITEMS));
    }
    reader.take_any_word();
    match word.to_string().as_str() {
        "planar" => reader.expect(";").map(|()| Item::Planar(word.span())),
        "coordinates" => coordinates(reader).map(Item::Coordinates),
        "fused_multiply_add" => reader.expect(";").map(|()| Item::FusedMultiplyAdd(word.span())),
        "param" => parameter::parameter(reader, doc, false).map(Item::Parameter),
        "const" => parameter::parameter(reader, doc, true).map(Item::Parameter),
        "input" => parameter::input(reader).map(Item::Input),
        "state" => state::state(reader).map(Item::State),
        "let" => parameter::definition(reader).map(Item::Definition),
        "gravity" => parameter::gravity(reader, word.span()).map(Item::Gravity),
        "body" => body::body(reader, errors).map(Item::Body),
        "flexible" => flexible::flexible(reader, errors).map(Item::Flexible),
        "marker" => joint::marker(reader).map(Item::Marker),
        "joint" => joint::joint(reader, errors).map(Item::Joint),
        "force" | "torque" => force::force(reader, word, errors).map(Item::Force),
        "constraint" => condition::constraint(reader, false).map(Item::Constraint),
        "drive" => condition::constraint(reader, true).map(Item::Constraint),
        "contact" => contact::contact(reader, errors).map(Item::Contact),
        "initial" => condition::initial(reader).map(Item::Initial),
        "output" => condition::output(reader).map(Item::Output),
        "provide" => provide(reader).map(Item::Provide),
        "differentiate" => differentiate(reader).map(Item::Differentiate),
        _ => Err(diagnostics::unknown_item(&word, &keywords::ITEMS)),
    }
}

fn coordinates(reader: &mut Reader) -> Result<Coordinates> {
    let formulation = reader.name("`absolute` or `joint`")?;
    let rotation = if reader.sees_group(Delimiter::Parenthesis) {
        let mut inside = reader.group(Delimiter::Parenthesis)?;
        let rotation = inside.name("coordinates of rotations")?;
        inside.finish("`)`")?;
        Some(rotation)
    } else {
        None
    };
    reader.expect(";")?;
    Ok(Coordinates { formulation, rotation })
}

fn provide(reader: &mut Reader) -> Result<Vec<Request>> {
    let mut requests = Vec::new();
    loop {
        let function = reader.name("a function, such as `forward_dynamics`")?;
        let mut request = Request { function, frame: None, axes: None };
        if reader.sees_group(Delimiter::Parenthesis) {
            let mut inside = reader.group(Delimiter::Parenthesis)?;
            request.frame = Some(value::indexed_name(&mut inside, "a body or a marker")?);
            if inside.take_word("in") {
                request.axes = Some(value::indexed_name(&mut inside, "the same body or marker again")?);
            }
            inside.finish("`in` or `)`")?;
        }
        requests.push(request);
        if !reader.take(",") {
            reader.expect(";")?;
            return Ok(requests);
        }
    }
}

fn differentiate(reader: &mut Reader) -> Result<Vec<Ident>> {
    let mut parameters = Vec::new();
    loop {
        parameters.push(reader.name("a parameter or `all`")?);
        if !reader.take(",") {
            reader.expect(";")?;
            return Ok(parameters);
        }
    }
}

/// Lines of `///`, which arrive as `#[doc = "…"]`.
fn doc_comment(reader: &mut Reader) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    while reader.sees("#") {
        let hash = reader.span();
        reader.take("#");
        if !reader.sees_group(Delimiter::Bracket) {
            return Err(diagnostics::comment_after_hash(hash));
        }
        let mut inside = reader.group(Delimiter::Bracket)?;
        if !inside.take_word("doc") {
            return Err(inside.expected("`doc`"));
        }
        inside.expect("=")?;
        let error = inside.expected("a string");
        let literal = inside.take_literal().map(|literal| TokenStream::from(TokenTree::from(literal)));
        let text = literal.and_then(|tokens| syn::parse2::<syn::LitStr>(tokens).ok()).ok_or(error)?;
        inside.finish("`]`")?;
        lines.push(text.value());
    }
    Ok(lines)
}

/// `pub`, `pub(crate)` and the like, or nothing.
fn visibility(reader: &mut Reader) -> Result<syn::Visibility> {
    let mut tokens = TokenStream::new();
    if let Some(word) = reader.word().filter(|word| word == "pub") {
        reader.take_any_word();
        tokens.extend([TokenTree::from(word)]);
        if reader.sees_group(Delimiter::Parenthesis) {
            tokens.extend(reader.take_token());
        }
    }
    syn::parse2(tokens)
}
