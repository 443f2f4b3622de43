//! Classes of defaults: attributes that elements have where they do not say otherwise.

use std::collections::HashMap;

use roxmltree::Node;

/// An element with its class.
#[derive(Clone, Copy)]
pub(super) struct View<'d> {
    pub(super) node: Node<'d, 'd>,
    pub(super) class: usize,
}

/// A class: what elements of each tag have, and the class that it is part of.
struct Class<'d> {
    name: &'d str,
    parent: Option<usize>,
    elements: HashMap<&'d str, Node<'d, 'd>>,
}

/// All classes; the first is that of elements without one.
pub(super) struct Classes<'d> {
    classes: Vec<Class<'d>>,
}

impl<'d> Classes<'d> {
    /// The classes below these `default` elements, which stand beside each other.
    pub(super) fn new(defaults: impl Iterator<Item = Node<'d, 'd>>) -> Self {
        let main = Class { name: "main", parent: None, elements: HashMap::new() };
        let mut classes = Self { classes: vec![main] };
        for default in defaults {
            if let Some(name) = default.attribute("class") {
                classes.classes[0].name = name;
            }
            classes.add(default, 0);
        }
        classes
    }

    fn add(&mut self, default: Node<'d, 'd>, class: usize) {
        // Depth first, without recursion.
        let mut ahead = vec![(default, class)];
        while let Some((default, class)) = ahead.pop() {
            for child in default.children().filter(Node::is_element) {
                if child.has_tag_name("default") {
                    let name = child.attribute("class").unwrap_or_default();
                    self.classes.push(Class { name, parent: Some(class), elements: HashMap::new() });
                    ahead.push((child, self.classes.len() - 1));
                } else {
                    self.classes[class].elements.insert(child.tag_name().name(), child);
                }
            }
        }
    }

    /// The class of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.classes.iter().position(|class| class.name == name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &&'d str> {
        self.classes.iter().map(|class| &class.name)
    }

    /// The element that says what an attribute is: the one that is viewed, or that of a class.
    pub(super) fn holder(&self, view: View<'d>, attribute: &str) -> Option<Node<'d, 'd>> {
        if view.node.has_attribute(attribute) {
            return Some(view.node);
        }
        let tag = view.node.tag_name().name();
        let mut class = Some(view.class);
        while let Some(known) = class.map(|class| &self.classes[class]) {
            if let Some(node) = known.elements.get(tag).filter(|node| node.has_attribute(attribute)) {
                return Some(*node);
            }
            class = known.parent;
        }
        None
    }

    /// The text of an attribute.
    pub(super) fn text(&self, view: View<'d>, attribute: &str) -> Option<&'d str> {
        self.holder(view, attribute).and_then(|node| node.attribute(attribute))
    }
}
