//! Elements of descriptions with macros, of several files, and the text that is made of them.

use std::rc::Rc;

use roxmltree::{Document, Node};

use crate::places::{Inserted, Whole};

/// An element, as it is written or as it was expanded.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// With its prefix.
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Rc<Element>>,
    /// Index of the file that it stands in, and its first byte there.
    pub(super) file: usize,
    pub(super) at: usize,
    /// Of what was expanded, how many elements it has, and how deep they stand.
    pub(super) size: usize,
    pub(super) height: usize,
}

impl Element {
    /// The outermost element of a file, which is not nested deeper than documents may be.
    pub(super) fn of(text: &str, document: &Document, file: usize) -> Element {
        Self::of_node(text, document.root_element(), file)
    }

    fn of_node(text: &str, node: Node, file: usize) -> Element {
        let at = node.range().start;
        let is_end = |letter: char| letter.is_whitespace() || letter == '/' || letter == '>';
        let name = text[at + 1..].split(is_end).next().unwrap_or_default().to_owned();
        let attributes = node.attributes().filter(|attribute| attribute.namespace().is_none());
        Element {
            name,
            attributes: attributes.map(|known| (known.name().to_owned(), known.value().to_owned())).collect(),
            children: node
                .children()
                .filter(Node::is_element)
                .map(|child| Rc::new(Self::of_node(text, child, file)))
                .collect(),
            file,
            at,
            size: 0,
            height: 0,
        }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A file with elements.
pub(super) struct File {
    /// As it is named where it is included; `None` for the first.
    pub(super) name: Option<String>,
    /// Where what includes it begins in the first file.
    pub(super) included_at: usize,
}

/// The text of elements. Each of its bytes stands for the beginning of an element of the first file.
pub(super) fn written(root: &Element, files: &[File]) -> Whole {
    let mut whole = Whole { text: String::new(), inserted: Vec::new() };
    write(root, files, &mut whole);
    whole
}

fn write(element: &Element, files: &[File], whole: &mut Whole) {
    let part = |begin: usize, end: usize| {
        let File { name, included_at } = &files[element.file];
        let at = if name.is_some() { *included_at } else { element.at };
        Inserted { part: begin..end, stands_for: at..at, file: name.clone() }
    };
    // Prefixes of others mean nothing here.
    let name = element.name.replace(':', ".");
    let begin = whole.text.len();
    whole.text.push_str(&format!("<{name}"));
    for (attribute, value) in &element.attributes {
        whole.text.push_str(&format!(" {attribute}=\"{}\"", escaped(value)));
    }
    whole.text.push_str(if element.children.is_empty() { "/>" } else { ">" });
    whole.inserted.push(part(begin, whole.text.len()));
    if element.children.is_empty() {
        return;
    }
    element.children.iter().for_each(|child| write(child, files, whole));
    let begin = whole.text.len();
    whole.text.push_str(&format!("</{name}>"));
    whole.inserted.push(part(begin, whole.text.len()));
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '"' => text.push_str("&quot;"),
            '\n' | '\r' | '\t' => text.push_str(&format!("&#{};", letter as u32)),
            _ => text.push(letter),
        }
    }
    text
}
