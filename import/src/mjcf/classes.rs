//! Classes of defaults: attributes that elements have where they do not say otherwise.

use std::collections::HashMap;

use roxmltree::Node;

/// Elements of actuators: a class has one default for all of them.
const ACTUATORS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "pid",
    "orientation",
    "dcmotor",
    "plugin",
];

/// An element with its class.
#[derive(Clone, Copy)]
pub(super) struct View<'d> {
    pub(super) node: Node<'d, 'd>,
    pub(super) class: usize,
}

/// A class: what elements of each kind have, and the class that it is part of.
struct Class<'d> {
    name: &'d str,
    parent: Option<usize>,
    /// The number of the outermost `default` that it stands in. Of the classes around it, a class has what is said there
    /// or before.
    section: usize,
    /// With the sections that they stand in.
    elements: HashMap<&'d str, Vec<(usize, Node<'d, 'd>)>>,
}

/// A class, and the last section of which it counts what it says.
pub(super) type Around = (usize, usize);

/// All classes; the first is that of elements without one.
pub(super) struct Classes<'d> {
    classes: Vec<Class<'d>>,
}

impl<'d> Classes<'d> {
    /// The classes below these `default` elements, which stand beside each other.
    pub(super) fn new(defaults: impl Iterator<Item = Node<'d, 'd>>) -> Self {
        let main = Class { name: "main", parent: None, section: 0, elements: HashMap::new() };
        let mut classes = Self { classes: vec![main] };
        for (section, default) in defaults.enumerate() {
            if let Some(name) = default.attribute("class") {
                classes.classes[0].name = name;
            }
            classes.add(default, section);
        }
        classes
    }

    fn add(&mut self, default: Node<'d, 'd>, section: usize) {
        // Depth first, without recursion.
        let mut ahead = vec![(default, 0)];
        while let Some((default, class)) = ahead.pop() {
            for child in default.children().filter(Node::is_element) {
                let name = child.tag_name().name();
                if name == "default" {
                    let name = child.attribute("class").unwrap_or_default();
                    self.classes.push(Class { name, parent: Some(class), section, elements: HashMap::new() });
                    ahead.push((child, self.classes.len() - 1));
                } else {
                    let kind = if ACTUATORS.contains(&name) { "actuator" } else { name };
                    self.classes[class].elements.entry(kind).or_default().push((section, child));
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

    /// A class and those around it, from within.
    pub(super) fn lineage(&self, class: usize) -> impl Iterator<Item = Around> {
        std::iter::successors(Some((class, usize::MAX)), |&(class, last)| {
            let Class { parent, section, .. } = self.classes[class];
            Some((parent?, last.min(section)))
        })
    }

    /// What a class itself says of a kind of elements.
    pub(super) fn own(&self, (class, last): Around, kind: &str) -> impl DoubleEndedIterator<Item = Node<'d, 'd>> {
        let known = self.classes[class].elements.get(kind).map_or(&[][..], Vec::as_slice);
        known.iter().filter(move |(section, _)| *section <= last).map(|(_, node)| *node)
    }

    /// The element of a class, or of one around it, that says what an attribute is by default.
    pub(super) fn default(&self, class: usize, kind: &str, attribute: &str) -> Option<Node<'d, 'd>> {
        self.lineage(class).find_map(|around| self.own(around, kind).rev().find(|node| node.has_attribute(attribute)))
    }

    /// The element that says what an attribute is: the one that is viewed, or that of a class.
    pub(super) fn holder(&self, view: View<'d>, attribute: &str) -> Option<Node<'d, 'd>> {
        match view.node.has_attribute(attribute) {
            true => Some(view.node),
            false => self.default(view.class, view.node.tag_name().name(), attribute),
        }
    }

    /// The text of an attribute.
    pub(super) fn text(&self, view: View<'d>, attribute: &str) -> Option<&'d str> {
        self.holder(view, attribute).and_then(|node| node.attribute(attribute))
    }
}
