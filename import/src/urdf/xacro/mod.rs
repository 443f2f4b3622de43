//! Xacro: descriptions with properties, macros and conditions, expanded to URDF.
//!
//! What is read are properties, expressions of numbers, truths and texts, macros with parameters and blocks, conditions,
//! arguments, and files that are included. Names are looked up where a macro is called, and properties are evaluated when
//! they are used, as xacro does; lists, dictionaries and other files are not read.

mod expression;
mod files;
mod macros;
mod source;
mod value;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use hamel_compiler::escape::excerpt;

use crate::error::{Error, Errors, Place, Problem};
use crate::looks::Visuals;
use crate::places::{Places, Whole};
use crate::{limits, xml};
use macros::{Block, Macro};
use source::{Element, File};
use value::Value;

/// Elements and macros within each other at most.
const DEPTH: usize = 250;
/// Elements and calls of macros at most, while a description is expanded.
const STEPS: usize = 2_000_000;

/// What to do about what is not read.
const HELP: &str = "write it otherwise, or expand the file first: `xacro FILE > robot.urdf`";

/// Elements that URDF leaves out, whatever stands in them.
const LEFT_OUT: [&str; 4] = ["gazebo", "transmission", "ros2_control", "sensor"];

/// Whether a description has something to be expanded.
pub(super) fn is_macro(text: &str) -> bool {
    text.contains("<xacro:") || text.contains("xmlns:xacro") && (text.contains("${") || text.contains("$("))
}

/// The text of a description without macros, with these arguments.
pub(super) fn expand(text: &str, files: Option<&Visuals>, arguments: &[(String, String)]) -> Result<Whole, Errors> {
    let document = xml::document(text, limits::NESTING)?;
    let root = Rc::new(Element::of(text, &document, 0));
    let mut expander = Expander {
        places: Places::new(text),
        search: files,
        files: vec![File { name: None, included_at: 0 }],
        folders: vec![files.map(|files| files.folder.clone()).unwrap_or_default()],
        arguments: arguments.iter().cloned().collect(),
        declared: HashSet::new(),
        scopes: vec![Scope::default()],
        depth: 0,
        steps: 0,
    };
    let mut expanded = Vec::new();
    expander.element(&root, &mut expanded)?;
    for (name, _) in arguments {
        if !expander.declared.contains(name) {
            let known: Vec<&str> = expander.declared.iter().map(String::as_str).collect();
            return Err(Problem::unknown("argument", name, known.iter()).at(Place { line: 1, column: 1 }).into());
        }
    }
    match expanded.first() {
        Some(expanded) => Ok(source::written(expanded, &expander.files)),
        None => Err(expander.wrong(&root, "expected a `robot` around everything".to_owned())),
    }
}

/// A property.
#[derive(Clone)]
enum Property {
    Known(Value),
    /// Evaluated when it is used.
    Written(String),
    /// That is being evaluated.
    Evaluated,
}

/// Names of a call of a macro, or of the whole description.
#[derive(Default)]
struct Scope {
    properties: HashMap<String, Property>,
    macros: HashMap<String, Rc<Macro>>,
    blocks: HashMap<String, Block>,
}

struct Expander<'a> {
    places: Places<'a>,
    search: Option<&'a Visuals>,
    files: Vec<File>,
    /// Of each file its folder.
    folders: Vec<std::path::PathBuf>,
    arguments: HashMap<String, String>,
    declared: HashSet<String>,
    /// The innermost last.
    scopes: Vec<Scope>,
    depth: usize,
    steps: usize,
}

type Out = Vec<Rc<Element>>;

impl Expander<'_> {
    /// What is wrong with an element.
    fn wrong(&self, element: &Element, what: String) -> Errors {
        self.error(element, Problem::Unsupported { what, help: HELP }).into()
    }

    fn error(&self, element: &Element, problem: Problem) -> Error {
        let File { name, included_at } = &self.files[element.file];
        let at = if name.is_some() { *included_at } else { element.at };
        let of = name.as_ref().map(|name| format!("`{}` in `{}`", excerpt(&element.name), excerpt(name)));
        Error { place: self.places.of(at), of, problem }
    }

    /// An attribute that an element needs.
    fn needed<'e>(&self, element: &'e Element, missing: &'static str) -> Result<&'e str, Errors> {
        let problem = || Problem::MissingAttribute { element: element.name.clone(), missing };
        element.attribute(missing).ok_or_else(|| self.error(element, problem()).into())
    }

    /// The value of a text in an element.
    fn value(&mut self, element: &Element, text: &str) -> Result<Value, Errors> {
        let scope = self.scopes.len() - 1;
        self.evaluated(text, scope, element.file).map_err(|why| self.wrong(element, why))
    }

    fn children(&mut self, of: &Element, out: &mut Out) -> Result<(), Errors> {
        of.children.iter().try_for_each(|child| self.element(child, out))
    }

    /// What an element is expanded to.
    fn element(&mut self, element: &Rc<Element>, out: &mut Out) -> Result<(), Errors> {
        self.depth += 1;
        self.steps += 1;
        for (found, most, what) in
            [(self.depth, DEPTH, "elements and macros within each other"), (self.steps, STEPS, "elements")]
        {
            if found > most {
                let help = "macros that call each other need a condition that ends it";
                return Err(self.error(element, xml::too_many(what, found, most, help)).into());
            }
        }
        match element.name.strip_prefix("xacro:") {
            None => self.plain(element, out)?,
            Some("property") => self.property(element)?,
            Some("macro") => self.define(element)?,
            Some("include") => self.include(element, out)?,
            Some("arg") => {
                let (name, default) = (self.needed(element, "name")?, self.needed(element, "default")?);
                if !self.arguments.contains_key(name) {
                    let default = self.value(element, default)?.text();
                    self.arguments.insert(name.to_owned(), default);
                }
                self.declared.insert(name.to_owned());
            }
            Some(word @ ("if" | "unless")) => {
                let written = self.needed(element, "value")?;
                let is_true = self.value(element, written)?.condition().map_err(|why| self.wrong(element, why))?;
                if is_true == (word == "if") {
                    self.children(element, out)?;
                }
            }
            Some("insert_block") => self.insert(element, out)?,
            Some("call") => {
                let written = self.needed(element, "macro")?;
                let name = self.value(element, written)?.text();
                let mut called = Element::clone(element);
                called.attributes.retain(|(attribute, _)| attribute != "macro");
                self.call(&called, &name, out)?;
            }
            Some(word @ ("element" | "attribute")) => {
                return Err(self.wrong(element, format!("`xacro:{word}` is not read")));
            }
            Some(name) => self.call(element, name, out)?,
        }
        self.depth -= 1;
        Ok(())
    }

    /// An element of URDF, with the values of its attributes.
    fn plain(&mut self, element: &Element, out: &mut Out) -> Result<(), Errors> {
        let mut expanded = Element { attributes: Vec::new(), children: Vec::new(), ..element.clone() };
        if !LEFT_OUT.contains(&element.name.as_str()) {
            for (name, text) in &element.attributes {
                expanded.attributes.push((name.clone(), self.value(element, text)?.text()));
            }
            self.children(element, &mut expanded.children)?;
        }
        let children = &expanded.children;
        expanded.size = children.iter().fold(1, |sum, child| child.size.saturating_add(sum));
        expanded.height = children.iter().fold(1, |most, child| most.max(child.height + 1));
        for (found, most, what) in
            [(expanded.size, STEPS, "elements"), (expanded.height, limits::NESTING, "elements within each other")]
        {
            if found > most {
                let problem = xml::too_many(what, found, most, "descriptions of robots are smaller");
                return Err(self.error(element, problem).into());
            }
        }
        out.push(Rc::new(expanded));
        Ok(())
    }

    fn property(&mut self, element: &Rc<Element>) -> Result<(), Errors> {
        let name = self.needed(element, "name")?;
        let name = self.value(element, name)?.text();
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && !name.is_empty();
        if !is_name {
            return Err(
                self.wrong(element, format!("expected letters, digits and `_` in `name`, found `{}`", excerpt(&name)))
            );
        }
        if element.attribute("remove").is_some() {
            return Err(self.wrong(element, "`remove` is not read".to_owned()));
        }
        let (value, default) = (element.attribute("value"), element.attribute("default"));
        let here = self.scopes.len() - 1;
        let target = match element.attribute("scope") {
            None => here,
            Some("global") => 0,
            Some("parent") => here.saturating_sub(1),
            Some(other) => {
                let problem =
                    Problem::UnknownWord { what: "scope", found: excerpt(other), known: &["parent", "global"] };
                return Err(self.error(element, problem).into());
            }
        };
        let Some(text) = value.or(default) else {
            self.scopes[target].blocks.insert(name, Block::Written(element.clone()));
            return Ok(());
        };
        if value.is_none() && self.scopes.iter().any(|scope| scope.properties.contains_key(&name)) {
            return Ok(());
        }
        let is_lazy = match element.attribute("lazy_eval") {
            Some(written) => self.value(element, written)?.condition().map_err(|why| self.wrong(element, why))?,
            None => true,
        };
        let property = match Value::literal(text) {
            Value::Text(text) if is_lazy && element.attribute("scope").is_none() => Property::Written(text),
            Value::Text(_) => Property::Known(self.value(element, text)?.known()),
            value => Property::Known(value),
        };
        self.scopes[target].properties.insert(name, property);
        Ok(())
    }

    /// The value of a property that is seen from a scope; `None` if there is none.
    fn looked_up(&mut self, name: &str, scope: usize, file: usize) -> Result<Option<Value>, String> {
        let Some(owner) = (0..=scope).rev().find(|scope| self.scopes[*scope].properties.contains_key(name)) else {
            return Ok(None);
        };
        match self.scopes[owner].properties[name].clone() {
            Property::Known(value) => Ok(Some(value)),
            Property::Evaluated => Err(format!("the property `{name}` depends on itself")),
            Property::Written(text) => {
                self.scopes[owner].properties.insert(name.to_owned(), Property::Evaluated);
                let value = self.evaluated(&text, owner, file)?.known();
                self.scopes[owner].properties.insert(name.to_owned(), Property::Known(value.clone()));
                Ok(Some(value))
            }
        }
    }

    /// The value of a text with `${…}` and `$(…)`; alone, these keep what they are.
    fn evaluated(&mut self, text: &str, scope: usize, file: usize) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("expected at most {DEPTH} elements, macros and properties within each other"));
        }
        let mut parts = Vec::new();
        let (mut rest, mut plain) = (text, String::new());
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            let dollars = rest.len() - rest.trim_start_matches('$').len();
            let (begin, end) = match rest[dollars..].chars().next() {
                Some('{') => ("${", '}'),
                Some('(') => ("$(", ')'),
                _ => {
                    plain.push_str(&rest[..dollars]);
                    rest = &rest[dollars..];
                    continue;
                }
            };
            // Several in a row stand for one less.
            if dollars > 1 {
                plain.push_str(&rest[1..=dollars]);
                rest = &rest[dollars + 1..];
                continue;
            }
            let Some(length) = rest.find(end) else {
                return Err(format!("expected `{end}` behind `{}`", excerpt(rest)));
            };
            if !plain.is_empty() {
                parts.push(Value::Text(std::mem::take(&mut plain)));
            }
            let inner = self.evaluated(&rest[2..length], scope, file)?.text();
            let value = match begin {
                "${" => expression::evaluate(&inner, &mut |name| self.looked_up(name, scope, file)),
                _ => self.command(&inner, file).map(Value::Text),
            };
            parts.push(value.map_err(|why| match begin {
                "${" => format!("`${{{}}}`: {why}", excerpt(&inner)),
                _ => why,
            })?);
            rest = &rest[length + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Value::Text(plain));
        }
        self.depth -= 1;
        Ok(match <[Value; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => {
                let text: String = parts.iter().map(Value::text).collect();
                if text.len() > limits::BYTES {
                    return Err("a text is larger than a description may be".to_owned());
                }
                Value::Text(text)
            }
        })
    }
}
