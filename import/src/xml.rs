//! What readers of all formats share: XML with places, attributes that hold numbers, and lists of what is wrong and of
//! what is left out.
//!
//! Readers go on after a mistake: what is wrong is noted, and `None` stands for what could not be read.

use std::collections::HashMap;

use hamel_compiler::escape::{excerpt, line};
use roxmltree::{Document, Node, ParsingOptions};

use crate::error::{Error, Errors, Place, Problem, Warning};
use crate::limits;
use crate::places::Places;
use crate::robot::Name;
use crate::robot::number::Number;

/// What to do about a description that is too large.
const LARGE: &str = "leave out what is not about links and joints";

/// A document, unless it is none or far larger than robots are.
pub(crate) fn document(text: &str, nesting: usize) -> Result<Document<'_>, Errors> {
    let whole = Place { line: 1, column: 1 };
    if text.len() > limits::BYTES {
        return Err(too_many("bytes", text.len(), limits::BYTES, LARGE).at(whole).into());
    }
    // Entities could be far larger than the text, and other readers of robots know none either.
    let has_entities = text.contains("<!ENTITY");
    let options = ParsingOptions { nodes_limit: limits::NODES, allow_dtd: !has_entities, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let most = limits::NODES as usize;
        if matches!(error, roxmltree::Error::NodesLimitReached) {
            return too_many("elements and texts", most + 1, most, LARGE).at(whole);
        }
        let at = error.pos();
        let place = Place { line: at.row, column: at.col };
        match error {
            roxmltree::Error::InvalidComment(_) => {
                let what = "a comment contains `--`, or ends with `-`".to_owned();
                return Problem::Unsupported { what, help: "XML has no such comments" }.at(place);
            }
            roxmltree::Error::DtdDetected => {
                let what = "entities (`<!ENTITY`) are not expanded".to_owned();
                return Problem::Unsupported { what, help: "write what they stand for" }.at(whole);
            }
            _ => {}
        }
        // The message repeats the position at its end.
        let message = error.to_string();
        let message = line(message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message));
        Problem::Xml(message).at(place)
    })?;
    match too_deep(document.root_element(), nesting) {
        Some(node) => {
            let problem =
                too_many("elements within each other", nesting + 1, nesting, "descriptions of robots are not as deep");
            Err(problem.at(Places::new(text).of(node.range().start)).into())
        }
        None => Ok(document),
    }
}

/// The first element within too many others.
fn too_deep<'a, 'i>(root: Node<'a, 'i>, nesting: usize) -> Option<Node<'a, 'i>> {
    let (mut node, mut depth) = (root, 1);
    // Depth first, without recursion.
    loop {
        if depth > nesting {
            return Some(node);
        }
        if let Some(child) = node.first_child() {
            (node, depth) = (child, depth + 1);
            continue;
        }
        loop {
            if node == root {
                return None;
            }
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            (node, depth) = (node.parent()?, depth - 1);
        }
    }
}

/// The text in an element, without spaces around it.
pub(crate) fn text(node: Node) -> String {
    let texts = node.children().filter(Node::is_text).filter_map(|child| child.text());
    texts.collect::<String>().trim().to_owned()
}

pub(crate) fn too_many(what: &'static str, found: usize, most: usize, help: &'static str) -> Problem {
    Problem::TooMany { what, found, most, help }
}

/// Notes of a reader on the text that it reads.
pub(crate) struct Notes<'a> {
    places: Places<'a>,
    errors: Vec<Error>,
    /// The element with a name that is being read, as messages call it.
    of: Option<String>,
    warnings: Vec<Warning>,
    /// The warning of each kind.
    kinds: HashMap<String, usize>,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self::at(Places::new(text))
    }

    /// Notes on a text that knows the places of its bytes.
    pub(crate) fn at(places: Places<'a>) -> Self {
        Self { places, errors: Vec::new(), of: None, warnings: Vec::new(), kinds: HashMap::new() }
    }

    /// All errors, or the warnings.
    pub(crate) fn finish(self) -> Result<Vec<Warning>, Errors> {
        Errors::of(self.errors).map(|()| self.warnings)
    }

    /// Whether something is wrong.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// How much is wrong so far.
    pub(crate) fn errors(&self) -> usize {
        self.errors.len()
    }

    /// Forgets what was found wrong since then, in what is no part of the dynamics.
    pub(crate) fn forget(&mut self, known: usize) {
        self.errors.truncate(known);
    }

    /// Begins an element whose name, `` joint `elbow` ``, is to stand before what is wrong with it, or ends it; gives what
    /// stood there before.
    pub(crate) fn enter(&mut self, of: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.of, of)
    }

    pub(crate) fn place(&self, node: Node) -> Place {
        self.places.of(node.range().start)
    }

    /// Notes that something is wrong with an element.
    pub(crate) fn wrong<T>(&mut self, node: Node, problem: Problem) -> Option<T> {
        self.wrong_byte(node.range().start, problem)
    }

    /// Notes that something is wrong with the value of an attribute.
    fn wrong_value<T>(&mut self, node: Node, attribute: &str, problem: Problem) -> Option<T> {
        let value = node.attribute_node(attribute).map_or(node.range().start, |found| found.range_value().start);
        self.wrong_byte(value, problem)
    }

    fn wrong_byte<T>(&mut self, byte: usize, problem: Problem) -> Option<T> {
        let place = self.places.of(byte);
        let of = match (self.of.clone(), self.places.file(byte)) {
            (of, None) => of,
            (None, Some(file)) => Some(format!("`{file}`")),
            (Some(of), Some(file)) => Some(format!("{of} of `{file}`")),
        };
        self.errors.push(Error { place, of, problem });
        None
    }

    pub(crate) fn wrong_at<T>(&mut self, place: Place, problem: Problem) -> Option<T> {
        self.errors.push(Error { place, of: self.of.clone(), problem });
        None
    }

    /// Notes that something is left out or decided; the first of a kind is said, with how many follow.
    pub(crate) fn warn(&mut self, place: Place, kind: &str, message: impl FnOnce() -> String) {
        match self.kinds.get(kind) {
            Some(&known) => {
                let known = &mut self.warnings[known];
                known.count += 1;
                if place < known.place {
                    (known.place, known.message) = (place, message());
                }
            }
            None => {
                self.kinds.insert(kind.to_owned(), self.warnings.len());
                self.warnings.push(Warning { place, count: 1, message: message() });
            }
        }
    }

    /// Leaves an element out, for a reason.
    pub(crate) fn ignore(&mut self, node: Node, reason: &str) {
        let message = format!("`{}` is ignored: {reason}", node.tag_name().name());
        self.warn(self.place(node), &message, || message.clone());
    }

    pub(crate) fn attribute<'d>(&mut self, node: Node<'d, 'd>, attribute: &'static str) -> Option<&'d str> {
        let found = node.attribute(attribute);
        if found.is_none() {
            let element = node.tag_name().name().to_owned();
            self.wrong::<()>(node, Problem::MissingAttribute { element, missing: attribute });
        }
        found
    }

    pub(crate) fn element<'d>(&mut self, node: Node<'d, 'd>, name: &'static str) -> Option<Node<'d, 'd>> {
        let found = node.children().find(|child| child.has_tag_name(name));
        if found.is_none() {
            let element = node.tag_name().name().to_owned();
            self.wrong::<()>(node, Problem::MissingElement { element, missing: name });
        }
        found
    }

    /// The numbers of an attribute.
    pub(crate) fn numbers<const N: usize>(&mut self, node: Node, attribute: &'static str) -> Option<[Number; N]> {
        let Some(text) = node.attribute(attribute) else {
            let element = node.tag_name().name().to_owned();
            return self.wrong(node, Problem::MissingAttribute { element, missing: attribute });
        };
        let numbers: Option<Vec<Number>> = text.split_whitespace().map(Number::parse).collect();
        if let Some(numbers) = numbers.and_then(|numbers| <[Number; N]>::try_from(numbers).ok()) {
            return Some(numbers);
        }
        let problem = Problem::NotNumbers { attribute, expected: N, found: excerpt(text) };
        self.wrong_value(node, attribute, problem)
    }

    /// The numbers that are the text of an element.
    pub(crate) fn text_numbers<const N: usize>(&mut self, node: Node, name: &'static str) -> Option<[Number; N]> {
        let text = text(node);
        let numbers: Option<Vec<Number>> = text.split_whitespace().map(Number::parse).collect();
        if let Some(numbers) = numbers.and_then(|numbers| <[Number; N]>::try_from(numbers).ok()) {
            return Some(numbers);
        }
        self.wrong(node, Problem::NotNumbers { attribute: name, expected: N, found: excerpt(&text) })
    }

    /// Between so and so many numbers of an attribute.
    pub(crate) fn list(
        &mut self,
        node: Node,
        attribute: &'static str,
        least: usize,
        most: usize,
    ) -> Option<Vec<Number>> {
        let text = node.attribute(attribute).unwrap_or_default();
        let numbers: Option<Vec<Number>> = text.split_whitespace().map(Number::parse).collect();
        if let Some(numbers) = numbers.filter(|numbers| (least..=most).contains(&numbers.len())) {
            return Some(numbers);
        }
        let problem = Problem::NotList { attribute, least, most, found: excerpt(text) };
        self.wrong_value(node, attribute, problem)
    }

    pub(crate) fn number(&mut self, node: Node, attribute: &'static str) -> Option<Number> {
        self.numbers(node, attribute).map(|[number]| number)
    }

    /// The numbers of an attribute that may be left out.
    pub(crate) fn optional<const N: usize>(
        &mut self,
        node: Node,
        attribute: &'static str,
    ) -> Option<Option<[Number; N]>> {
        if node.has_attribute(attribute) { self.numbers(node, attribute).map(Some) } else { Some(None) }
    }

    /// The name of a robot, a link or a joint.
    pub(crate) fn name(&mut self, node: Node) -> Option<Name> {
        let Some(name) = node.attribute("name") else {
            let element = node.tag_name().name().to_owned();
            return self.wrong(node, Problem::MissingAttribute { element, missing: "name" });
        };
        self.checked_name(node, name)
    }

    /// A name, unless it is too long.
    pub(crate) fn checked_name(&mut self, node: Node, name: &str) -> Option<Name> {
        let letters = name.chars().count();
        if letters > limits::LETTERS {
            let help = "names of this length are not read";
            return self.wrong(node, too_many("characters in a name", letters, limits::LETTERS, help));
        }
        Some(Name(name.to_owned()))
    }

    /// Names that occur twice are wrong.
    pub(crate) fn refuse_equal<'n>(&mut self, kind: &'static str, names: impl Iterator<Item = (&'n Name, Place)>) {
        let mut seen: HashMap<&Name, Place> = HashMap::new();
        for (name, place) in names {
            if let Some(&first) = seen.get(name) {
                self.errors.push(Problem::Twice { kind, name: name.to_string(), first }.at(place));
            } else {
                seen.insert(name, place);
            }
        }
    }
}
