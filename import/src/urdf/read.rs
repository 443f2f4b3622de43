//! From URDF to a robot.

use std::collections::{HashMap, HashSet};

use hamel_compiler::escape::excerpt;
use roxmltree::Node;

use super::attributes::KNOWN;
use super::{GRAVITY, xacro};
use crate::error::{Errors, Problem, Warning};
use crate::places::{Places, Whole};
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Follower, Inertial, Joint, Kind, Limits, Link, Name, Origin, Robot};
use crate::xml::{self, Notes, too_many};
use crate::{Options, limits};

/// Elements without a meaning for the dynamics, and what follows from leaving them out.
const IGNORED: [(&str, &str); 10] = [
    ("visual", "shapes are not part of the dynamics"),
    ("collision", "there are no contacts"),
    ("material", "colours are not part of the dynamics"),
    ("transmission", "actuators act on joints directly"),
    ("gazebo", "settings of a simulator"),
    ("sensor", "outputs are written in the model"),
    ("ros2_control", "settings of a controller"),
    ("safety_controller", "settings of a controller"),
    ("calibration", "settings of a controller"),
    ("contact", "there are no contacts"),
];

const KINDS: [&str; 6] = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];

/// Reads a description; warnings tell what has been left out.
pub(super) fn read(text: &str, options: &Options) -> Result<(Robot, Vec<Warning>), Errors> {
    if xacro::is_macro(text) || !options.arguments.is_empty() {
        let Whole { text: whole, inserted } = xacro::expand(text, options.visuals.as_ref(), &options.arguments)?;
        read_whole(&whole, Places::with(text, &inserted), options)
    } else {
        read_whole(text, Places::new(text), options)
    }
}

fn read_whole(text: &str, places: Places, options: &Options) -> Result<(Robot, Vec<Warning>), Errors> {
    let document = xml::document(text, limits::NESTING)?;
    let (exact_angles, has_looks) = (options.exact_angles, options.visuals.is_some());
    let mut reader = Reader { notes: Notes::at(places), exact_angles, has_looks, has_quaternions: false };
    let robot = reader.robot(document.root_element());
    let warnings = reader.notes.finish()?;
    // What could not be read is an error.
    robot.map(|robot| (robot, warnings)).ok_or_else(|| Problem::NoLink.at(crate::Place { line: 1, column: 1 }).into())
}

pub(super) struct Reader<'a> {
    pub(super) notes: Notes<'a>,
    pub(super) exact_angles: bool,
    /// What links look like is read, too.
    has_looks: bool,
    has_quaternions: bool,
}

impl Reader<'_> {
    fn robot(&mut self, node: Node) -> Option<Robot> {
        if !node.has_tag_name("robot") {
            let found = node.tag_name().name().to_owned();
            let problem = Problem::OtherFormat { format: "a URDF description", root: "robot", found };
            return self.notes.wrong(node, problem);
        }
        // Quaternions came with version 1.1; readers of 1.0 pass over them.
        self.has_quaternions = !matches!(node.attribute("version"), None | Some("1" | "1.0"));
        let mut known = KNOWN.to_vec();
        if !self.has_quaternions {
            known.iter_mut().filter(|(element, _)| *element == "origin").for_each(|(_, known)| *known = "xyz rpy");
        }
        self.notes.unknown_attributes(node, &known);
        let (mut links, mut joints) = (Vec::new(), Vec::new());
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "link" => links.push(child),
                "joint" => joints.push(child),
                "material" if self.has_looks => {}
                _ => self.ignore(child),
            }
        }
        for (what, found) in [("links", &links), ("joints", &joints)] {
            if let Some(first) = found.get(limits::LINKS) {
                let help = "split the description, or write the model by hand with loops";
                return self.notes.wrong(*first, too_many(what, found.len(), limits::LINKS, help));
            }
        }
        // Also of links that cannot be read: joints may name them.
        let known: HashSet<&str> = links.iter().filter_map(|link| link.attribute("name")).collect();
        let nodes = links.clone();
        let links: Vec<Option<Link>> = links.into_iter().map(|link| self.link(link)).collect();
        let named = links.iter().flatten();
        self.notes.refuse_equal("link", named.map(|link| (&link.name, link.place)));
        let names = links.iter().flatten().enumerate();
        let index: HashMap<&str, usize> = names.map(|(i, link)| (link.name.0.as_str(), i)).collect();
        let joints: Vec<Option<Joint>> = joints.into_iter().map(|joint| self.joint(joint, &index, &known)).collect();
        self.notes.refuse_equal("joint", joints.iter().flatten().map(|joint| (&joint.name, joint.place)));
        let looks = if self.has_looks { self.looks(node, &nodes, &index) } else { Vec::new() };
        let name = if node.has_attribute("name") { self.notes.name(node)? } else { Name(String::new()) };
        let (links, joints) = (links.iter().flatten().cloned().collect(), joints.into_iter().flatten().collect());
        let gravity = GRAVITY.to_owned();
        Some(Robot {
            name,
            place: self.notes.place(node),
            gravity,
            links,
            joints,
            actuators: Vec::new(),
            closures: Vec::new(),
            looks,
            is_read_by_pinocchio: true,
        })
    }

    fn link(&mut self, node: Node) -> Option<Link> {
        let name = self.notes.name(node)?;
        let of = format!("link `{name}`");
        let (place, read) = (self.notes.place(node), self.within(of, |reader| reader.inertial_of(node)));
        Some(Link { name, place, inertial: read? })
    }

    fn within<T>(&mut self, of: String, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.notes.enter(Some(of));
        let result = read(self);
        self.notes.enter(around);
        result
    }

    /// The `inertial` of a link, if there is one.
    fn inertial_of(&mut self, node: Node) -> Option<Option<Inertial>> {
        let mut inertial = Some(None);
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "inertial" => inertial = self.inertial(child),
                "visual" | "collision" if self.has_looks => {}
                _ => self.ignore(child),
            }
        }
        inertial
    }

    /// `None` within if there is neither mass nor inertia.
    fn inertial(&mut self, node: Node) -> Option<Option<Inertial>> {
        let mass = self.notes.element(node, "mass").and_then(|mass| self.notes.number(mass, "value"));
        let inertia = self.notes.element(node, "inertia").and_then(|inertia| {
            let moments = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(|name| self.notes.number(inertia, name));
            moments.into_iter().collect::<Option<Vec<Number>>>()
        });
        let origin = self.origin(node);
        for child in node.children().filter(Node::is_element) {
            if !["mass", "inertia", "origin"].contains(&child.tag_name().name()) {
                self.ignore(child);
            }
        }
        let (mass, moments) = (mass?, inertia?);
        if mass.value < 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(mass.value));
        }
        let is_empty = mass.is_zero() && moments.iter().all(Number::is_zero);
        let inertia = <[Number; 6]>::try_from(moments).ok().filter(|_| !is_empty);
        let origin = origin?;
        Some(inertia.map(|inertia| Inertial { origin, mass, inertia }))
    }

    fn joint(&mut self, node: Node, links: &HashMap<&str, usize>, known: &HashSet<&str>) -> Option<Joint> {
        let name = self.notes.name(node)?;
        let of = format!("joint `{name}`");
        self.within(of, |reader| reader.named_joint(node, name, links, known))
    }

    fn named_joint(
        &mut self,
        node: Node,
        name: Name,
        links: &HashMap<&str, usize>,
        known: &HashSet<&str>,
    ) -> Option<Joint> {
        let word = self.notes.attribute(node, "type");
        let kind = word.and_then(|word| match word {
            "revolute" | "continuous" => Some(Kind::Revolute),
            "prismatic" => Some(Kind::Prismatic),
            "fixed" => Some(Kind::Fixed),
            "floating" => Some(Kind::Floating),
            "planar" => Some(Kind::Planar),
            other => {
                let problem = Problem::UnknownWord { what: "type of joint", found: excerpt(other), known: &KINDS };
                self.notes.wrong(node, problem)
            }
        });
        let [parent, child] = ["parent", "child"].map(|role| {
            let end = self.notes.element(node, role)?;
            let name = self.notes.attribute(end, "link")?;
            match links.get(name) {
                Some(link) => Some(*link),
                // Its own mistakes are reported.
                None if known.contains(name) => None,
                None => self.notes.wrong(end, Problem::unknown("link", name, links.keys())),
            }
        });
        let origin = self.origin(node);
        let mut axis = Some([1, 0, 0].map(Number::whole));
        let (mut damping, mut follows, mut limits) = (Some(None), Some(None), Some(Limits::default()));
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "parent" | "child" | "origin" => {}
                "axis" => {
                    axis = self.notes.numbers(child, "xyz");
                    let turns = !matches!(kind, None | Some(Kind::Fixed | Kind::Floating));
                    if turns && axis.as_ref().is_some_and(|axis| axis.iter().all(Number::is_zero)) {
                        axis = self.notes.wrong(child, Problem::ZeroAxis);
                    }
                }
                "dynamics" => damping = self.dynamics(child),
                "limit" => limits = self.limit(child, word),
                "mimic" if kind == Some(Kind::Fixed) => {
                    let message = "`mimic` is ignored: the joint is fixed".to_owned();
                    self.notes.warn(self.notes.place(child), "mimic of fixed", || message);
                }
                "mimic" => follows = self.mimic(child).map(Some),
                _ => self.ignore(child),
            }
        }
        Some(Joint {
            name,
            place: self.notes.place(node),
            kind: kind?,
            is_endless: word == Some("continuous"),
            parent: parent?,
            child: child?,
            origin: origin?,
            anchor: [(); 3].map(|()| Number::zero()),
            axis: axis?,
            pitch: None,
            damping: damping?,
            rotor: None,
            spring: None,
            follows: follows?,
            limits: limits?,
            start: None,
        })
    }

    fn mimic(&mut self, node: Node) -> Option<Follower> {
        let joint = self.notes.attribute(node, "joint").map(|joint| Name(joint.to_owned()));
        let [multiplier, offset] = [("multiplier", 1), ("offset", 0)].map(|(attribute, default)| {
            let written = self.notes.optional(node, attribute)?;
            Some(written.map_or(Number::whole(default), |[number]| number))
        });
        Some(Follower { place: self.notes.place(node), joint: Some(joint?), multiplier: multiplier?, offset: offset? })
    }

    /// The damping, if there is any.
    fn dynamics(&mut self, node: Node) -> Option<Option<Number>> {
        let [damping, friction] = ["damping", "friction"].map(|attribute| {
            let written = self.notes.optional(node, attribute)?;
            Some(written.map(|[number]| number).filter(|number| !number.is_zero()))
        });
        if friction?.is_some() {
            let message = "`friction` is ignored: a model that is solved for accelerations has no sticking";
            self.notes.warn(self.notes.place(node), message, || message.to_owned());
        }
        damping
    }

    /// Limits, where a joint has the coordinate that they are about.
    fn limit(&mut self, node: Node, kind: Option<&str>) -> Option<Limits> {
        let [lower, upper, velocity, effort] = ["lower", "upper", "velocity", "effort"].map(|attribute| {
            let written = self.notes.optional(node, attribute)?;
            Some(written.map(|[number]| number))
        });
        let (lower, upper, velocity, effort) = (lower?, upper?, velocity?, effort?);
        let place = self.notes.place(node);
        if !matches!(kind, Some("revolute" | "continuous" | "prismatic")) {
            let message = "`limit` is ignored: only joints with one coordinate have limits";
            self.notes.warn(place, message, || message.to_owned());
            return Some(Limits::default());
        }
        let mut limits = Limits::default();
        // What is not written is zero; where neither is, nobody meant a joint that cannot move.
        if kind != Some("continuous") && (lower.is_some() || upper.is_some()) {
            let [lower, upper] = [lower, upper].map(|number| number.unwrap_or(Number::zero()));
            if lower.value <= upper.value {
                limits.position = Some([lower, upper]);
            } else {
                let message = "a `limit` is ignored: its `lower` is greater than its `upper`";
                self.notes.warn(place, message, || message.to_owned());
            }
        }
        for (written, limit, name) in
            [(velocity, &mut limits.velocity, "velocity"), (effort, &mut limits.effort, "effort")]
        {
            match written {
                Some(number) if number.value < 0.0 => {
                    let message = format!("a `limit` is ignored: its `{name}` is negative");
                    self.notes.warn(place, &message, || message.clone());
                }
                other => *limit = other,
            }
        }
        Some(limits)
    }

    /// The child `origin`, which may be left out, as may each of its attributes.
    fn origin(&mut self, node: Node) -> Option<Origin> {
        let mut origin = Origin::identity(self.notes.place(node));
        if let Some(child) = node.children().find(|child| child.has_tag_name("origin")) {
            origin.place = self.notes.place(child);
            let (xyz, rpy) = (self.notes.optional(child, "xyz"), self.notes.optional::<3>(child, "rpy"));
            if let Some(xyz) = xyz? {
                origin.xyz = xyz;
            }
            if self.has_quaternions && child.has_attribute("quat_xyzw") {
                return self.turned(child, origin);
            }
            if let Some(written) = rpy? {
                origin.rpy = written.each_ref().map(|angle| angle.angle(self.exact_angles));
                for angle in origin.rpy.iter().filter(|angle| !angle.is_as_written) {
                    let message = || format!("the angle {} is taken for {}", angle.written.literal(), angle.text);
                    self.notes.warn(origin.place, "angle", message);
                }
            }
        }
        Some(origin)
    }

    /// An origin that a quaternion turns.
    fn turned(&mut self, node: Node, origin: Origin) -> Option<Origin> {
        if node.has_attribute("rpy") {
            let what = "there are both `rpy` and `quat_xyzw`".to_owned();
            return self.notes.wrong(node, Problem::Unsupported { what, help: "leave one of them out" });
        }
        let [x, y, z, w] = self.notes.numbers(node, "quat_xyzw")?.map(|number: Number| number.value);
        match Pose::turned([w, x, y, z]) {
            Some(turned) => Some(Origin { rpy: turned.origin(&origin).rpy, ..origin }),
            None => self.notes.wrong(node, Problem::ZeroAxis),
        }
    }

    /// Leaves an element out, with a warning.
    fn ignore(&mut self, node: Node) {
        let name = node.tag_name().name();
        let reason = IGNORED.iter().find(|(known, _)| *known == name).map_or("it is not known", |(_, reason)| reason);
        self.notes.ignore(node, reason);
    }
}
