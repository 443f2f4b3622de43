//! Attributes of elements that are known, so that what is misspelt, or new in the format, is not passed over in silence.

use roxmltree::Node;

use crate::xml::Notes;

/// Elements, each with its attributes.
pub(crate) type Known = [(&'static str, &'static str)];

impl Notes<'_> {
    /// Notes attributes that are not known, of an element and of what stands in it; in elements that are not known, of
    /// nothing.
    pub(crate) fn unknown_attributes(&mut self, node: Node, known: &Known) {
        let name = node.tag_name().name();
        if node.tag_name().namespace().is_some() {
            return;
        }
        let Some((_, attributes)) = known.iter().find(|(element, _)| *element == name) else { return };
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            if !attributes.split_whitespace().any(|known| known == attribute.name()) {
                let message = format!("the attribute `{}` of `{name}` is not known, and ignored", attribute.name());
                self.warn(self.place(node), &message, || message.clone());
            }
        }
        for child in node.children().filter(Node::is_element) {
            self.unknown_attributes(child, known);
        }
    }
}
