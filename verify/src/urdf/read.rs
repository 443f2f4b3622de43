//! From XML to a robot.

use std::collections::HashMap;

use hamel_compiler::diagnostics::nearest;
use roxmltree::{Document, Node};

use super::error::{Error, Place, Problem, Warning};
use super::number::Number;
use super::robot::{Inertial, Joint, Kind, Link, Origin, Robot};

/// Elements without a meaning for the dynamics, and what follows from leaving them out.
const IGNORED: [(&str, &str); 11] = [
    ("visual", "shapes are not part of the dynamics"),
    ("collision", "there are no contacts"),
    ("material", "colours are not part of the dynamics"),
    ("transmission", "actuators act on joints directly"),
    ("gazebo", "settings of a simulator"),
    ("sensor", "outputs are written in the model"),
    ("ros2_control", "settings of a controller"),
    ("limit", "joints move beyond their limits"),
    ("safety_controller", "settings of a controller"),
    ("calibration", "settings of a controller"),
    ("contact", "there are no contacts"),
];

/// Reads a description; warnings tell what has been left out.
pub(super) fn read(text: &str) -> Result<(Robot, Vec<Warning>), Error> {
    let document = Document::parse(text).map_err(|error| {
        let at = error.pos();
        // The message repeats the position at its end.
        let message = error.to_string();
        let message = message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message).to_owned();
        Error { place: Place { line: at.row, column: at.col }, problem: Problem::Xml(message) }
    })?;
    let mut reader = Reader { document: &document, ignored: Vec::new() };
    let robot = reader.robot(document.root_element())?;
    Ok((robot, reader.warnings()))
}

struct Reader<'a> {
    document: &'a Document<'a>,
    /// Places and messages.
    ignored: Vec<(Place, String)>,
}

impl<'a> Reader<'a> {
    fn robot(&mut self, node: Node<'a, 'a>) -> Result<Robot, Error> {
        if !node.has_tag_name("robot") {
            return Err(self.error(node, Problem::NotARobot(node.tag_name().name().to_owned())));
        }
        let (mut links, mut joints) = (Vec::new(), Vec::new());
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "link" => links.push(child),
                "joint" => joints.push(child),
                _ => self.ignore(child)?,
            }
        }
        let links = links.into_iter().map(|link| self.link(link)).collect::<Result<Vec<_>, _>>()?;
        self.refuse_equal("link", links.iter().map(|link| (link.name.as_str(), link.place)))?;
        let index: HashMap<&str, usize> = links.iter().enumerate().map(|(i, link)| (link.name.as_str(), i)).collect();
        let joints = joints.into_iter().map(|joint| self.joint(joint, &index)).collect::<Result<Vec<_>, _>>()?;
        self.refuse_equal("joint", joints.iter().map(|joint| (joint.name.as_str(), joint.place)))?;
        let name = node.attribute("name").unwrap_or_default().to_owned();
        Ok(Robot { name, place: self.place(node), links, joints })
    }

    fn link(&mut self, node: Node<'a, 'a>) -> Result<Link, Error> {
        let name = self.attribute(node, "name")?.to_owned();
        let mut inertial = None;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "inertial" => inertial = self.inertial(child)?,
                _ => self.ignore(child)?,
            }
        }
        Ok(Link { name, place: self.place(node), inertial })
    }

    /// `None` if there is neither mass nor inertia.
    fn inertial(&mut self, node: Node<'a, 'a>) -> Result<Option<Inertial>, Error> {
        let mass = self.element(node, "mass")?;
        let [mass] = self.numbers(mass, "value")?;
        let inertia = self.element(node, "inertia")?;
        let mut moments = Vec::new();
        for attribute in ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"] {
            let [moment] = self.numbers(inertia, attribute)?;
            moments.push(moment);
        }
        let origin = self.origin(node)?;
        for child in node.children().filter(Node::is_element) {
            if !["mass", "inertia", "origin"].contains(&child.tag_name().name()) {
                self.ignore(child)?;
            }
        }
        if mass.value < 0.0 {
            return Err(self.error(node, Problem::NegativeMass(mass.value)));
        }
        let is_empty = mass.is_zero() && moments.iter().all(Number::is_zero);
        let inertia = <[Number; 6]>::try_from(moments).ok().filter(|_| !is_empty);
        Ok(inertia.map(|inertia| Inertial { origin, mass, inertia }))
    }

    fn joint(&mut self, node: Node<'a, 'a>, links: &HashMap<&str, usize>) -> Result<Joint, Error> {
        let name = self.attribute(node, "name")?.to_owned();
        let kind = match self.attribute(node, "type")? {
            "revolute" | "continuous" => Kind::Revolute,
            "prismatic" => Kind::Prismatic,
            "fixed" => Kind::Fixed,
            "floating" => Kind::Floating,
            "planar" => Kind::Planar,
            other => return Err(self.error(node, Problem::UnknownType(other.to_owned()))),
        };
        let link = |role: &'static str| {
            let end = self.element(node, role)?;
            let name = self.attribute(end, "link")?;
            let unknown = || {
                let mut names: Vec<&str> = links.keys().copied().collect();
                names.sort_unstable();
                Problem::UnknownLink { name: name.to_owned(), near: nearest(name, names).map(str::to_owned) }
            };
            links.get(name).copied().ok_or_else(|| self.error(end, unknown()))
        };
        let (parent, child) = (link("parent")?, link("child")?);
        let origin = self.origin(node)?;
        let mut axis = [1.0, 0.0, 0.0].map(|component| Number::parse(&component.to_string()).unwrap_or(Number::zero()));
        let mut damping = None;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "parent" | "child" | "origin" => {}
                "axis" => {
                    axis = self.numbers(child, "xyz")?;
                    let turns = !matches!(kind, Kind::Fixed | Kind::Floating);
                    if turns && axis.iter().all(Number::is_zero) {
                        return Err(self.error(child, Problem::ZeroAxis));
                    }
                }
                "dynamics" => damping = self.dynamics(child)?,
                "mimic" => {
                    let message = "`mimic` is ignored: the joint moves by itself";
                    self.ignored.push((self.place(child), message.to_owned()));
                }
                _ => self.ignore(child)?,
            }
        }
        Ok(Joint { name, place: self.place(node), kind, parent, child, origin, axis, damping })
    }

    /// The damping, if there is any.
    fn dynamics(&mut self, node: Node<'a, 'a>) -> Result<Option<Number>, Error> {
        let optional = |attribute| match node.attribute(attribute) {
            Some(_) => self.numbers(node, attribute).map(|[number]| Some(number).filter(|number| !number.is_zero())),
            None => Ok(None),
        };
        let (damping, friction) = (optional("damping")?, optional("friction")?);
        if friction.is_some() {
            let message = "`friction` is ignored: a model that is solved for accelerations has no sticking";
            self.ignored.push((self.place(node), message.to_owned()));
        }
        Ok(damping)
    }

    /// The child `origin`, which may be left out, as may each of its attributes.
    fn origin(&self, node: Node<'a, 'a>) -> Result<Origin, Error> {
        let mut origin = Origin::identity(self.place(node));
        if let Some(child) = node.children().find(|child| child.has_tag_name("origin")) {
            origin.place = self.place(child);
            if child.has_attribute("xyz") {
                origin.xyz = self.numbers(child, "xyz")?;
            }
            if child.has_attribute("rpy") {
                origin.rpy = self.numbers(child, "rpy")?;
            }
        }
        Ok(origin)
    }

    fn numbers<const N: usize>(&self, node: Node<'a, 'a>, attribute: &'static str) -> Result<[Number; N], Error> {
        let text = self.attribute(node, attribute)?;
        let numbers: Option<Vec<Number>> = text.split_whitespace().map(Number::parse).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
            let problem = Problem::NotNumbers { attribute, expected: N, found: text.to_owned() };
            let value = node.attribute_node(attribute).map_or(node.range().start, |found| found.range_value().start);
            Error { place: self.place_of(value), problem }
        })
    }

    fn attribute(&self, node: Node<'a, 'a>, attribute: &'static str) -> Result<&'a str, Error> {
        let missing = || {
            let element = node.tag_name().name().to_owned();
            self.error(node, Problem::MissingAttribute { element, missing: attribute })
        };
        node.attribute(attribute).ok_or_else(missing)
    }

    fn element(&self, node: Node<'a, 'a>, name: &'static str) -> Result<Node<'a, 'a>, Error> {
        let missing =
            || self.error(node, Problem::MissingElement { element: node.tag_name().name().to_owned(), missing: name });
        node.children().find(|child| child.has_tag_name(name)).ok_or_else(missing)
    }

    /// Leaves an element out, with a warning.
    fn ignore(&mut self, node: Node<'a, 'a>) -> Result<(), Error> {
        let name = node.tag_name().name();
        if node.tag_name().namespace().is_some_and(|namespace| namespace.contains("xacro")) {
            return Err(self.error(node, Problem::Macro(name.to_owned())));
        }
        let message = match IGNORED.iter().find(|(known, _)| *known == name) {
            Some((_, consequence)) => format!("`{name}` is ignored: {consequence}"),
            None => format!("`{name}` is ignored: it is not known"),
        };
        self.ignored.push((self.place(node), message));
        Ok(())
    }

    fn refuse_equal<'n>(&self, kind: &'static str, names: impl Iterator<Item = (&'n str, Place)>) -> Result<(), Error> {
        let mut seen: HashMap<&str, Place> = HashMap::new();
        for (name, place) in names {
            if let Some(&first) = seen.get(name) {
                return Err(Error { place, problem: Problem::Twice { kind, name: name.to_owned(), first } });
            }
            seen.insert(name, place);
        }
        Ok(())
    }

    fn place(&self, node: Node) -> Place {
        self.place_of(node.range().start)
    }

    fn place_of(&self, byte: usize) -> Place {
        let at = self.document.text_pos_at(byte);
        Place { line: at.row, column: at.col }
    }

    fn error(&self, node: Node, problem: Problem) -> Error {
        Error { place: self.place(node), problem }
    }

    /// Equal messages are one warning.
    fn warnings(self) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        for (place, message) in self.ignored {
            match warnings.iter_mut().find(|warning| warning.message == message) {
                Some(warning) => {
                    warning.count += 1;
                    warning.place = warning.place.min(place);
                }
                None => warnings.push(Warning { place, count: 1, message }),
            }
        }
        warnings
    }
}
