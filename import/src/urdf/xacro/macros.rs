//! Macros of xacro: definitions, calls and blocks.

use std::rc::Rc;

use hamel_compiler::escape::excerpt;

use super::source::Element;
use super::{Expander, Out, Property, Scope};
use crate::error::{Errors, Problem};

/// A macro.
pub(super) struct Macro {
    body: Rc<Element>,
    parameters: Vec<Parameter>,
}

struct Parameter {
    /// Without the stars of blocks.
    name: String,
    kind: Kind,
}

enum Kind {
    /// A value, if it has to be given.
    Needed,
    /// What it is otherwise.
    Default(String),
    /// What the property of the same name is where the macro is called, or else the default.
    Forwarded(Option<String>),
    /// An element.
    Block,
    /// What stands in an element.
    Content,
}

/// Elements that are inserted.
#[derive(Clone)]
pub(super) enum Block {
    /// As they are, of a call.
    Expanded(Out),
    /// What stands in a property, evaluated where it is inserted.
    Written(Rc<Element>),
}

impl Expander<'_> {
    pub(super) fn define(&mut self, element: &Rc<Element>) -> Result<(), Errors> {
        let name = self.needed(element, "name")?;
        let name = name.strip_prefix("xacro:").unwrap_or(name).to_owned();
        if name == "call" || name.contains('.') {
            return Err(self.wrong(element, format!("`{}` is no name of a macro", excerpt(&name))));
        }
        let parameters = parameters(element.attribute("params").unwrap_or_default());
        let parameters = parameters.map_err(|why| self.wrong(element, why))?;
        let macros = &mut self.scopes.last_mut().unwrap_or_else(|| unreachable!("the first scope stays")).macros;
        macros.insert(name, Rc::new(Macro { body: element.clone(), parameters }));
        Ok(())
    }

    pub(super) fn call(&mut self, element: &Element, name: &str, out: &mut Out) -> Result<(), Errors> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.macros.get(name).cloned());
        let Some(found) = found else {
            let known: Vec<&str> =
                self.scopes.iter().flat_map(|scope| scope.macros.keys().map(String::as_str)).collect();
            return Err(self.error(element, Problem::unknown("macro", name, known.iter())).into());
        };
        let mut scope = Scope::default();
        for (attribute, text) in &element.attributes {
            let is_value =
                |known: &&Parameter| known.name == *attribute && !matches!(known.kind, Kind::Block | Kind::Content);
            if !found.parameters.iter().any(|known| is_value(&known)) {
                let known: Vec<&str> = found.parameters.iter().map(|known| known.name.as_str()).collect();
                return Err(self.error(element, Problem::unknown("parameter", attribute, known.iter())).into());
            }
            let value = self.value(element, text)?.known();
            scope.properties.insert(attribute.clone(), Property::Known(value));
        }
        let mut blocks = Vec::new();
        self.children(element, &mut blocks)?;
        let mut blocks = blocks.into_iter();
        for Parameter { name: parameter, kind } in &found.parameters {
            let default = match kind {
                Kind::Block | Kind::Content => {
                    let Some(block) = blocks.next() else {
                        return Err(self.wrong(
                            element,
                            format!("expected an element in it for the block `{parameter}` of `{name}`"),
                        ));
                    };
                    let block = if matches!(kind, Kind::Block) { vec![block] } else { block.children.clone() };
                    scope.blocks.insert(parameter.clone(), Block::Expanded(block));
                    continue;
                }
                _ if scope.properties.contains_key(parameter) => continue,
                Kind::Needed => None,
                Kind::Default(text) => Some(text),
                Kind::Forwarded(default) => {
                    let here = self.scopes.len() - 1;
                    let outer = self.looked_up(parameter, here, element.file);
                    if let Some(value) = outer.map_err(|why| self.wrong(element, why))? {
                        scope.properties.insert(parameter.clone(), Property::Known(value));
                        continue;
                    }
                    default.as_ref()
                }
            };
            let Some(default) = default else {
                return Err(self.wrong(element, format!("expected the parameter `{parameter}` of `{name}`")));
            };
            let value = self.value(element, default)?.known();
            scope.properties.insert(parameter.clone(), Property::Known(value));
        }
        if let Some(more) = blocks.next() {
            return Err(self.wrong(element, format!("`{name}` has no block for `{}` in it", excerpt(&more.name))));
        }
        self.scopes.push(scope);
        self.children(&found.body, out)?;
        self.scopes.pop();
        Ok(())
    }

    pub(super) fn insert(&mut self, element: &Rc<Element>, out: &mut Out) -> Result<(), Errors> {
        let name = self.needed(element, "name")?;
        match self.scopes.iter().rev().find_map(|scope| scope.blocks.get(name).cloned()) {
            Some(Block::Expanded(block)) => {
                self.steps += block.len();
                out.extend(block);
                Ok(())
            }
            Some(Block::Written(property)) => self.children(&property, out),
            None => {
                let known: Vec<&str> =
                    self.scopes.iter().flat_map(|scope| scope.blocks.keys().map(String::as_str)).collect();
                Err(self.error(element, Problem::unknown("block", name, known.iter())).into())
            }
        }
    }
}

/// `prefix length:=1 name:='a b' *origin **content side:=^|left`.
fn parameters(text: &str) -> Result<Vec<Parameter>, String> {
    let mut parameters = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end =
            rest.find(|letter: char| letter.is_whitespace() || letter == ':' || letter == '=').unwrap_or(rest.len());
        let word = &rest[..end];
        if word.is_empty() {
            return Err(format!("expected a name in `params`, found `{}`", excerpt(rest)));
        }
        let after = rest[end..].trim_start();
        let kind = match after.strip_prefix(":=").or(after.strip_prefix('=')) {
            None => {
                rest = after;
                Kind::Needed
            }
            Some(value) => {
                let value = value.trim_start();
                let (value, is_forwarded) = match value.strip_prefix('^') {
                    Some(value) => (value.strip_prefix('|').unwrap_or(value), true),
                    None => (value, false),
                };
                let length = length(value);
                let written = value[..length].to_owned();
                rest = value[length..].trim_start();
                match (is_forwarded, written.is_empty()) {
                    (true, is_empty) => Kind::Forwarded(Some(written).filter(|_| !is_empty)),
                    (false, true) => Kind::Needed,
                    (false, false) => Kind::Default(written),
                }
            }
        };
        let (name, kind) = match (word.strip_prefix("**"), word.strip_prefix('*')) {
            (Some(name), _) => (name, Kind::Content),
            (None, Some(name)) => (name, Kind::Block),
            (None, None) => (word, kind),
        };
        parameters.push(Parameter { name: name.to_owned(), kind });
    }
    Ok(parameters)
}

/// How long a default is, which ends at a space that is in no expression or quotes.
fn length(text: &str) -> usize {
    let mut until = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match until {
            Some(end) if letter == end => until = None,
            Some(_) => {}
            None => match letter {
                '{' if before == '$' => until = Some('}'),
                '(' if before == '$' => until = Some(')'),
                '\'' | '"' => until = Some(letter),
                _ if letter.is_whitespace() => return at,
                _ => {}
            },
        }
        before = letter;
    }
    text.len()
}
