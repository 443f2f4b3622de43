//! From XML to a robot.

use std::collections::HashMap;

use hamel_compiler::escape::{excerpt, line};
use roxmltree::{Document, Node, ParsingOptions};

use super::error::{Error, Place, Problem, Warning};
use super::limits;
use super::number::Number;
use super::places::Places;
use super::robot::{Inertial, Joint, Kind, Link, Mimic, Name, Origin, Robot};

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

/// What to do about a description that is too large.
const LARGE: &str = "leave out what is not about links and joints";

/// Reads a description; warnings tell what has been left out.
pub(super) fn read(text: &str, exact_angles: bool) -> Result<(Robot, Vec<Warning>), Error> {
    let whole = Place { line: 1, column: 1 };
    if text.len() > limits::BYTES {
        return Err(Error { place: whole, problem: too_many("bytes", text.len(), limits::BYTES, LARGE) });
    }
    let options = ParsingOptions { nodes_limit: limits::NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let most = limits::NODES as usize;
        if matches!(error, roxmltree::Error::NodesLimitReached) {
            return Error { place: whole, problem: too_many("elements and texts", most + 1, most, LARGE) };
        }
        let at = error.pos();
        // The message repeats the position at its end.
        let message = error.to_string();
        let message = line(message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message));
        Error { place: Place { line: at.row, column: at.col }, problem: Problem::Xml(message) }
    })?;
    let mut reader = Reader { places: Places::new(text), ignored: Vec::new(), exact_angles };
    reader.refuse_deep(document.root_element())?;
    let robot = reader.robot(document.root_element())?;
    Ok((robot, reader.warnings()))
}

struct Reader<'a> {
    places: Places<'a>,
    /// Places and messages.
    ignored: Vec<(Place, String)>,
    exact_angles: bool,
}

impl<'a> Reader<'a> {
    /// Refuses elements within elements within elements.
    fn refuse_deep(&self, root: Node) -> Result<(), Error> {
        let (mut node, mut depth) = (root, 1);
        // Depth first, without recursion.
        loop {
            if depth > limits::NESTING {
                let help = "elements of URDF stand in at most four others";
                return Err(self.error(node, too_many("elements within each other", depth, limits::NESTING, help)));
            }
            if let Some(child) = node.first_child() {
                (node, depth) = (child, depth + 1);
                continue;
            }
            loop {
                if node == root {
                    return Ok(());
                }
                if let Some(next) = node.next_sibling() {
                    node = next;
                    break;
                }
                let Some(parent) = node.parent() else { return Ok(()) };
                (node, depth) = (parent, depth - 1);
            }
        }
    }

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
        for (what, found) in [("links", &links), ("joints", &joints)] {
            if let Some(first) = found.get(limits::LINKS) {
                let help = "split the description, or write the model by hand with loops";
                return Err(self.error(*first, too_many(what, found.len(), limits::LINKS, help)));
            }
        }
        let links = links.into_iter().map(|link| self.link(link)).collect::<Result<Vec<_>, _>>()?;
        self.refuse_equal("link", links.iter().map(|link| (&link.name, link.place)))?;
        let names = links.iter().enumerate();
        let index: HashMap<&str, usize> = names.map(|(i, link)| (link.name.0.as_str(), i)).collect();
        let joints = joints.into_iter().map(|joint| self.joint(joint, &index)).collect::<Result<Vec<_>, _>>()?;
        self.refuse_equal("joint", joints.iter().map(|joint| (&joint.name, joint.place)))?;
        let name = if node.has_attribute("name") { self.name(node)? } else { Name(String::new()) };
        Ok(Robot { name, place: self.place(node), links, joints })
    }

    fn link(&mut self, node: Node<'a, 'a>) -> Result<Link, Error> {
        let name = self.name(node)?;
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
        let name = self.name(node)?;
        let kind = match self.attribute(node, "type")? {
            "revolute" | "continuous" => Kind::Revolute,
            "prismatic" => Kind::Prismatic,
            "fixed" => Kind::Fixed,
            "floating" => Kind::Floating,
            "planar" => Kind::Planar,
            other => return Err(self.error(node, Problem::UnknownType(excerpt(other)))),
        };
        let link = |role: &'static str| {
            let end = self.element(node, role)?;
            let name = self.attribute(end, "link")?;
            links.get(name).copied().ok_or_else(|| self.error(end, Problem::unknown("link", name, links.keys())))
        };
        let (parent, child) = (link("parent")?, link("child")?);
        let origin = self.origin(node)?;
        let mut axis = [1.0, 0.0, 0.0].map(|component| Number::parse(&component.to_string()).unwrap_or(Number::zero()));
        let (mut damping, mut mimic) = (None, None);
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
                "mimic" if kind == Kind::Fixed => {
                    self.ignored.push((self.place(child), "`mimic` is ignored: the joint is fixed".to_owned()));
                }
                "mimic" => mimic = Some(self.mimic(child)?),
                _ => self.ignore(child)?,
            }
        }
        Ok(Joint { name, place: self.place(node), kind, parent, child, origin, axis, damping, mimic })
    }

    fn mimic(&self, node: Node<'a, 'a>) -> Result<Mimic, Error> {
        let joint = Name(self.attribute(node, "joint")?.to_owned());
        let number = |attribute, default: &str| match node.attribute(attribute) {
            Some(_) => self.numbers(node, attribute).map(|[number]| number),
            None => Ok(Number::parse(default).unwrap_or(Number::zero())),
        };
        Ok(Mimic {
            place: self.place(node),
            joint,
            multiplier: number("multiplier", "1")?,
            offset: number("offset", "0")?,
        })
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
    fn origin(&mut self, node: Node<'a, 'a>) -> Result<Origin, Error> {
        let mut origin = Origin::identity(self.place(node));
        if let Some(child) = node.children().find(|child| child.has_tag_name("origin")) {
            origin.place = self.place(child);
            if child.has_attribute("xyz") {
                origin.xyz = self.numbers(child, "xyz")?;
            }
            if child.has_attribute("rpy") {
                let written: [Number; 3] = self.numbers(child, "rpy")?;
                origin.rpy = written.each_ref().map(|angle| angle.angle(self.exact_angles));
                for angle in origin.rpy.iter().filter(|angle| !angle.is_as_written) {
                    let message = format!("the angle {} is taken for {}", angle.written.literal(), angle.text);
                    self.ignored.push((origin.place, message));
                }
            }
        }
        Ok(origin)
    }

    fn numbers<const N: usize>(&self, node: Node<'a, 'a>, attribute: &'static str) -> Result<[Number; N], Error> {
        let text = self.attribute(node, attribute)?;
        let numbers: Option<Vec<Number>> = text.split_whitespace().map(Number::parse).collect();
        numbers.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| {
            let problem = Problem::NotNumbers { attribute, expected: N, found: excerpt(text) };
            let value = node.attribute_node(attribute).map_or(node.range().start, |found| found.range_value().start);
            Error { place: self.place_of(value), problem }
        })
    }

    /// The name of a robot, a link or a joint.
    fn name(&self, node: Node<'a, 'a>) -> Result<Name, Error> {
        let name = self.attribute(node, "name")?;
        let letters = name.chars().count();
        if letters > limits::LETTERS {
            let help = "names of this length are not read";
            return Err(self.error(node, too_many("characters in a name", letters, limits::LETTERS, help)));
        }
        Ok(Name(name.to_owned()))
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

    fn refuse_equal<'n>(
        &self,
        kind: &'static str,
        names: impl Iterator<Item = (&'n Name, Place)>,
    ) -> Result<(), Error> {
        let mut seen: HashMap<&Name, Place> = HashMap::new();
        for (name, place) in names {
            if let Some(&first) = seen.get(name) {
                return Err(Error { place, problem: Problem::Twice { kind, name: name.to_string(), first } });
            }
            seen.insert(name, place);
        }
        Ok(())
    }

    fn place(&self, node: Node) -> Place {
        self.place_of(node.range().start)
    }

    fn place_of(&self, byte: usize) -> Place {
        self.places.of(byte)
    }

    fn error(&self, node: Node, problem: Problem) -> Error {
        Error { place: self.place(node), problem }
    }

    /// Equal messages are one warning.
    fn warnings(self) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = Vec::new();
        let mut index: HashMap<String, usize> = HashMap::new();
        for (place, message) in self.ignored {
            match index.get(&message) {
                Some(&known) => {
                    warnings[known].count += 1;
                    warnings[known].place = warnings[known].place.min(place);
                }
                None => {
                    index.insert(message.clone(), warnings.len());
                    warnings.push(Warning { place, count: 1, message });
                }
            }
        }
        warnings
    }
}

fn too_many(what: &'static str, found: usize, most: usize, help: &'static str) -> Problem {
    Problem::TooMany { what, found, most, help }
}
