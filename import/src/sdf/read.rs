//! From SDFormat to a robot: names, frames, links and what joints say.

use std::collections::HashMap;
use std::f64::consts::TAU;

use hamel_compiler::escape::{excerpt, line};
use roxmltree::Node;

use super::GRAVITY;
use super::frames::Frames;
use super::tree;
use crate::error::{Errors, Place, Problem, Warning};
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Follower, Inertial, Joint, Kind, Limits, Link, Name, Origin, Robot, Spring, merge};
use crate::shape::Shape;
use crate::xml::{self, Notes, too_many};
use crate::{Options, limits, urdf};

/// Elements without a meaning for the dynamics, and what follows from leaving them out.
const IGNORED: [(&str, &str); 34] = [
    ("visual", "shapes are not part of the dynamics"),
    ("collision", "there are no contacts"),
    ("plugin", "there are no plugins"),
    ("sensor", "outputs are written in the model"),
    ("physics", "settings of a simulator"),
    ("scene", "settings of pictures"),
    ("light", "settings of pictures"),
    ("gui", "settings of pictures"),
    ("actor", "settings of pictures"),
    ("projector", "settings of pictures"),
    ("particle_emitter", "settings of pictures"),
    ("audio", "settings of a simulator"),
    ("audio_sink", "settings of a simulator"),
    ("audio_source", "settings of a simulator"),
    ("road", "settings of pictures"),
    ("state", "states are given to a run"),
    ("self_collide", "there are no contacts"),
    ("allow_auto_disable", "settings of a simulator"),
    ("enable_wind", "there is no wind"),
    ("wind", "there is no wind"),
    ("atmosphere", "there is no air"),
    ("magnetic_field", "there are no magnets"),
    ("spherical_coordinates", "places on the earth are not part of the dynamics"),
    ("gripper", "settings of a controller"),
    ("battery", "there are no batteries"),
    ("must_be_base_link", "settings of a simulator"),
    ("velocity_decay", "drag is written in the model"),
    ("fluid_added_mass", "added mass is written in the model"),
    ("density", "shapes are not part of the dynamics"),
    ("auto_inertia_params", "shapes are not part of the dynamics"),
    ("use_parent_model_frame", "it is that of `axis`"),
    ("initial_position", "states are given to a run"),
    ("provide_feedback", "settings of a simulator"),
    ("kinematic", "what moves is moved by forces"),
];

const KINDS: [&str; 8] = ["revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw"];

/// What Drake has added: the inertia of a rotor about its axis, and how many times it turns faster than the joint.
const ROTOR: [&str; 2] = ["rotor_inertia", "gear_ratio"];

/// What to do about what stands in other files.
const INCLUDED: &str = "expand it first: `gz sdf -p FILE > robot.sdf`";

/// Limits beyond this are none; it was written so before `inf` was.
const UNLIMITED: f64 = 1e16;

/// kg/m³, of shapes that do not say theirs.
const DENSITY: f64 = 1000.0;

/// Reads a description; warnings tell what has been left out.
pub(super) fn read(text: &str, options: &Options) -> Result<(Robot, Vec<Warning>), Errors> {
    let document = xml::document(text, limits::NESTING)?;
    let root = document.root_element();
    let mut reader = Reader {
        notes: Notes::new(text),
        exact_angles: options.exact_angles,
        has_looks: options.visuals.is_some(),
        version: 0,
        frames: Frames::default(),
        items: Vec::new(),
        scopes: Vec::new(),
        links: Vec::new(),
        link_frames: Vec::new(),
    };
    let robot = reader.robot(root, options.is_floating);
    let warnings = reader.notes.finish()?;
    // What could not be read is an error.
    robot.map(|robot| (robot, warnings)).ok_or_else(|| Problem::NoLink.at(Place { line: 1, column: 1 }).into())
}

/// What a frame is that of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Index of the link; the first is the world.
    Link(usize),
    Joint,
    Frame,
    /// What stands in it.
    Model(usize),
}

/// What has a frame.
#[derive(Clone, Copy)]
pub(super) struct Item<'d> {
    pub(super) node: Node<'d, 'd>,
    /// Where its names are looked up.
    pub(super) scope: usize,
    what: What,
}

/// The names within a model, or within the world.
struct Scope<'d> {
    /// Number of its own frame.
    frame: usize,
    names: HashMap<&'d str, usize>,
    /// What stands before its names in the whole.
    prefix: String,
    is_static: bool,
}

/// A joint as it is described.
pub(super) struct Described {
    pub(super) name: Name,
    pub(super) place: Place,
    pub(super) kind: Kind,
    pub(super) is_endless: bool,
    /// Links.
    pub(super) ends: [usize; 2],
    /// Number of its frame.
    pub(super) frame: usize,
    /// None, one, or two that follow each other.
    pub(super) axes: Vec<Axis>,
    /// m per turn.
    pub(super) pitch: Option<Number>,
}

/// An axis, and what is said of the coordinate that belongs to it.
pub(super) struct Axis {
    pub(super) direction: [Number; 3],
    /// Number of the frame that has these components.
    pub(super) frame: usize,
    pub(super) damping: Option<Number>,
    pub(super) rotor: Option<Number>,
    pub(super) spring: Option<Spring>,
    pub(super) follows: Option<Follower>,
    pub(super) limits: Limits,
}

pub(super) struct Reader<'a, 'd> {
    pub(super) notes: Notes<'a>,
    exact_angles: bool,
    /// What links look like is read, too.
    has_looks: bool,
    /// What follows `1.` in the version.
    version: u32,
    pub(super) frames: Frames,
    /// By the numbers of their frames.
    pub(super) items: Vec<Item<'d>>,
    scopes: Vec<Scope<'d>>,
    pub(super) links: Vec<Link>,
    /// By the indices of links.
    pub(super) link_frames: Vec<usize>,
}

/// The elements of the format itself.
pub(super) fn elements<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(|child| child.is_element() && child.tag_name().namespace().is_none())
}

pub(super) fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    elements(node).find(|child| child.tag_name().name() == name)
}

impl<'d> Reader<'_, 'd> {
    fn robot(&mut self, root: Node<'d, 'd>, is_floating: bool) -> Option<Robot> {
        if !root.has_tag_name("sdf") {
            let found = root.tag_name().name().to_owned();
            let problem = Problem::OtherFormat { format: "an SDFormat description", root: "sdf", found };
            return self.notes.wrong(root, problem);
        }
        let version = self.notes.attribute(root, "version")?;
        let minor = version.trim().strip_prefix("1.").and_then(|minor| minor.split('.').next()?.parse().ok());
        let Some(minor) = minor else {
            let what = format!("expected a version such as 1.9, found `{}`", excerpt(version));
            return self.notes.wrong(root, Problem::Unsupported { what, help: "write the version of SDFormat" });
        };
        self.version = minor;
        let worlds: Vec<Node<'d, 'd>> = elements(root).filter(|child| child.has_tag_name("world")).collect();
        if let Some(second) = worlds.get(1) {
            let what = "there is a second `world`".to_owned();
            return self.notes.wrong(*second, Problem::Unsupported { what, help: "give each world a file of its own" });
        }
        let around = [root].into_iter().chain(worlds.first().copied());
        let inside: Vec<Node<'d, 'd>> = around.flat_map(elements).filter(|node| !node.has_tag_name("world")).collect();
        let models: Vec<Node<'d, 'd>> = inside.iter().copied().filter(|node| node.has_tag_name("model")).collect();
        let place = self.notes.place(root);
        self.link(root, 0, Name("world".to_owned()));
        self.scopes.push(Scope {
            frame: 0,
            names: HashMap::from([("world", 0)]),
            prefix: String::new(),
            is_static: false,
        });
        self.gather(&inside, 0, models.len() > 1);
        let named = match models.as_slice() {
            [only] => Some(*only),
            _ => worlds.first().copied(),
        };
        let name = named.and_then(|node| node.attribute("name")).unwrap_or_default();
        let name = Name(name.chars().take(limits::LETTERS).collect());
        self.place_all()?;
        let inertials: Vec<Option<Inertial>> = (1..self.links.len()).map(|link| self.inertial_of(link)).collect();
        for (link, inertial) in self.links.iter_mut().skip(1).zip(inertials) {
            link.inertial = inertial;
        }
        let described: Vec<usize> =
            (0..self.items.len()).filter(|&item| self.items[item].what == What::Joint).collect();
        let described: Vec<Described> = described.into_iter().filter_map(|item| self.joint(item)).collect();
        let fixed = (1..self.links.len()).filter(|&link| self.scopes[self.scope_of(link)].is_static).collect();
        let links = self.links.iter().map(|link| (&link.name, link.place));
        self.notes.refuse_equal("link", links);
        self.notes.refuse_equal("joint", described.iter().map(|joint| (&joint.name, joint.place)));
        let gravity = self.gravity(worlds.first().copied());
        if let Some(first) = self.links.get(limits::LINKS) {
            let help = "split the description, or write the model by hand with loops";
            return self.notes.wrong_at(first.place, too_many("links", self.links.len(), limits::LINKS, help));
        }
        if self.notes.has_errors() {
            return None;
        }
        let (mut joints, closures) = tree::grow(self, described, fixed, is_floating);
        self.markers(&mut joints);
        let looks = if self.has_looks { self.looks() } else { Vec::new() };
        let links = std::mem::take(&mut self.links);
        Some(Robot {
            name,
            place,
            gravity: gravity?,
            links,
            joints,
            actuators: Vec::new(),
            closures,
            looks,
            is_read_by_pinocchio: false,
        })
    }

    fn scope_of(&self, link: usize) -> usize {
        self.items[self.link_frames[link]].scope
    }

    fn gravity(&mut self, world: Option<Node<'d, 'd>>) -> Option<String> {
        let Some(world) = world else { return Some(urdf::GRAVITY.to_owned()) };
        let Some(node) = child(world, "gravity") else { return Some(GRAVITY.to_owned()) };
        let gravity = self.notes.text_numbers::<3>(node, "gravity")?;
        Some(format!("[{}] m/s^2", gravity.each_ref().map(Number::literal).join(", ")))
    }

    /// Something with a frame.
    fn item(&mut self, node: Node<'d, 'd>, scope: usize, what: What) -> usize {
        self.items.push(Item { node, scope, what });
        self.frames.add(self.scopes.get(scope).map_or(0, |scope| scope.frame))
    }

    fn link(&mut self, node: Node<'d, 'd>, scope: usize, name: Name) -> usize {
        let frame = self.item(node, scope, What::Link(self.links.len()));
        self.links.push(Link { name, place: self.notes.place(node), inertial: None });
        self.link_frames.push(frame);
        frame
    }

    /// The name of something, with those of the models around it.
    fn full_name(&self, scope: usize, name: &str) -> Name {
        Name(format!("{}{name}", self.scopes[scope].prefix))
    }

    /// Finds all that has a name, model within model.
    fn gather(&mut self, nodes: &[Node<'d, 'd>], scope: usize, is_prefixed: bool) {
        for &node in nodes {
            let word = node.tag_name().name();
            if !matches!(word, "link" | "joint" | "frame" | "model") {
                match word {
                    "pose" | "static" | "gravity" => {}
                    "include" | "population" => {
                        self.notes.wrong::<()>(node, Problem::Macro { found: line(word), help: INCLUDED });
                    }
                    _ => self.ignore(node),
                }
                continue;
            }
            let Some(name) = node.attribute("name") else {
                self.notes.attribute(node, "name");
                continue;
            };
            if self.notes.checked_name(node, name).is_none() {
                continue;
            }
            let frame = match word {
                "link" => {
                    let name = self.full_name(scope, name);
                    self.link(node, scope, name)
                }
                "joint" => self.item(node, scope, What::Joint),
                "frame" => self.item(node, scope, What::Frame),
                _ => self.model(node, name, scope, is_prefixed),
            };
            self.foreign(node);
            // A joint may have the name of a link.
            let names = &mut self.scopes[scope].names;
            match names.get(name) {
                Some(&known) if word != "joint" && self.items[known].what == What::Joint => {
                    names.insert(name, frame);
                }
                Some(&known) if word != "joint" && word != "link" => {
                    let first = self.notes.place(self.items[known].node);
                    let kind = if word == "model" { "model" } else { "frame" };
                    let problem = Problem::Twice { kind, name: line(name), first };
                    self.notes.wrong::<()>(node, problem);
                }
                Some(_) => {}
                None => {
                    names.insert(name, frame);
                }
            }
        }
    }

    fn model(&mut self, node: Node<'d, 'd>, name: &str, scope: usize, is_prefixed: bool) -> usize {
        let own = self.scopes.len();
        let frame = self.item(node, scope, What::Model(own));
        let around = &self.scopes[scope];
        let prefix = if is_prefixed { format!("{}{name}::", around.prefix) } else { around.prefix.clone() };
        let is_static = around.is_static || self.flag(node, "static");
        self.scopes.push(Scope { frame, names: HashMap::new(), prefix, is_static });
        let inside: Vec<Node<'d, 'd>> = elements(node).collect();
        self.gather(&inside, own, true);
        frame
    }

    /// What other programs have added to the format.
    fn foreign(&mut self, node: Node<'d, 'd>) {
        for child in node.children().filter(|child| child.tag_name().namespace().is_some()) {
            if ROTOR.contains(&child.tag_name().name()) {
                continue;
            }
            if child.tag_name().name() == "joint" {
                let what = "a joint that SDFormat does not have is not read".to_owned();
                self.notes.wrong::<()>(child, Problem::Unsupported { what, help: "write it in the model" });
            } else {
                self.notes.ignore(child, "it is not part of SDFormat");
            }
        }
    }

    fn ignore(&mut self, node: Node) {
        let name = node.tag_name().name();
        let reason = IGNORED.iter().find(|(known, _)| *known == name).map_or("it is not known", |(_, reason)| reason);
        self.notes.ignore(node, reason);
    }

    fn flag(&mut self, node: Node<'d, 'd>, name: &str) -> bool {
        child(node, name).is_some_and(|node| matches!(xml::text(node).to_lowercase().as_str(), "true" | "1"))
    }

    /// The frame of a name; an error stands where it is used.
    fn frame(&mut self, node: Node<'d, 'd>, scope: usize, name: &str) -> Option<usize> {
        let (mut at, mut rest) = (scope, name);
        loop {
            if rest == "__model__" {
                return Some(self.scopes[at].frame);
            }
            if let Some(&frame) = self.scopes[at].names.get(rest) {
                return Some(frame);
            }
            let inner =
                rest.split_once("::").and_then(|(first, inner)| Some((*self.scopes[at].names.get(first)?, inner)));
            match inner {
                Some((frame, inner)) if let What::Model(scope) = self.items[frame].what => (at, rest) = (scope, inner),
                _ => {
                    let names: Vec<&str> = self.scopes[at].names.keys().copied().collect();
                    return self.notes.wrong(node, Problem::unknown("frame", rest, names.iter()));
                }
            }
        }
    }

    /// Says where all frames stand.
    fn place_all(&mut self) -> Option<()> {
        for number in 1..self.items.len() {
            let Item { node, scope, what } = self.items[number];
            let own = self.scopes[scope].frame;
            let base = match what {
                What::Link(_) | What::Model(_) => Some(own),
                What::Joint => self.end(node, scope, "child"),
                What::Frame => match node.attribute("attached_to").filter(|name| !name.is_empty()) {
                    Some(name) => self.frame(node, scope, name),
                    None => Some(own),
                },
            };
            let pose = child(node, "pose").map_or(Some((None, Pose::IDENTITY)), |pose| self.pose(pose, scope));
            if let (Some(base), Some((relative_to, pose))) = (base, pose) {
                self.frames.place(number, relative_to.unwrap_or(base), pose);
            }
        }
        if self.notes.has_errors() {
            return None;
        }
        if let Err(number) = self.frames.settle() {
            let node = self.items[number].node;
            let name = line(node.attribute("name").unwrap_or_default());
            return self.notes.wrong(node, Problem::Circular(name));
        }
        // What stands in a model is known before the model is placed by it.
        for number in (1..self.items.len()).rev() {
            let Item { node, what: What::Model(inside), .. } = self.items[number] else { continue };
            let Some(name) = node.attribute("placement_frame").filter(|name| !name.is_empty()) else { continue };
            if let Some(placed) = self.frame(node, inside, name) {
                let pose = self.frames.own(number).then(&self.frames.between(number, placed).inverse());
                self.frames.replace(number, pose);
            }
        }
        Some(())
    }

    /// A pose, and the frame that it is relative to if it says one.
    pub(super) fn pose(&mut self, node: Node<'d, 'd>, scope: usize) -> Option<(Option<usize>, Pose)> {
        let name = node.attribute("relative_to").or(node.attribute("frame")).filter(|name| !name.is_empty());
        let base = match name {
            Some(name) => Some(self.frame(node, scope, name)?),
            None => None,
        };
        Some((base, self.own_pose(node)?))
    }

    fn own_pose(&mut self, node: Node<'d, 'd>) -> Option<Pose> {
        let place = self.notes.place(node);
        if xml::text(node).is_empty() {
            return Some(Pose::IDENTITY);
        }
        if node.attribute("rotation_format") == Some("quat_xyzw") {
            let [x, y, z, qx, qy, qz, qw] = self.notes.text_numbers::<7>(node, "pose")?.map(|number| number.value);
            return match Pose::turned([qw, qx, qy, qz]) {
                Some(turned) => Some(Pose { position: [x, y, z], ..turned }),
                None => self.notes.wrong(node, Problem::ZeroAxis),
            };
        }
        let [x, y, z, roll, pitch, yaw] = self.notes.text_numbers::<6>(node, "pose")?;
        let is_in_degrees = matches!(node.attribute("degrees"), Some("true" | "1"));
        let rpy = [roll, pitch, yaw].map(|angle| match is_in_degrees {
            true => Number::computed(angle.value.to_radians()).angle(true),
            false => angle.angle(self.exact_angles),
        });
        for angle in rpy.iter().filter(|angle| !angle.is_as_written) {
            let message = || format!("the angle {} is taken for {}", angle.written.literal(), angle.text);
            self.notes.warn(place, "angle", message);
        }
        Some(Pose::of(&Origin { place, xyz: [x, y, z], rpy }))
    }

    /// The frame that `parent` or `child` of a joint names.
    fn end(&mut self, node: Node<'d, 'd>, scope: usize, role: &'static str) -> Option<usize> {
        let Some(end) = child(node, role) else {
            let element = "joint".to_owned();
            return self.notes.wrong(node, Problem::MissingElement { element, missing: role });
        };
        let name = xml::text(end);
        if name == "world" && role == "parent" { Some(0) } else { self.frame(end, scope, &name) }
    }

    /// The link that a frame belongs to.
    fn link_of(&mut self, frame: usize) -> Option<usize> {
        let mut at = frame;
        for _ in 0..=self.items.len() {
            let Item { node, scope, what } = self.items[at];
            at = match what {
                What::Link(link) => return Some(link),
                What::Joint => self.end(node, scope, "child")?,
                What::Frame => match node.attribute("attached_to").filter(|name| !name.is_empty()) {
                    Some(name) => self.frame(node, scope, name)?,
                    None => self.scopes[scope].frame,
                },
                What::Model(inside) => match node.attribute("canonical_link").filter(|name| !name.is_empty()) {
                    Some(name) => self.frame(node, inside, name)?,
                    None => match self.first_link(inside) {
                        Some(frame) => frame,
                        None => return self.notes.wrong(node, Problem::NoLink),
                    },
                },
            };
        }
        let node = self.items[frame].node;
        let name = line(node.attribute("name").unwrap_or_default());
        self.notes.wrong(node, Problem::Circular(name))
    }

    /// The frame of the first link of a model; where it has none itself, of the first model in it.
    fn first_link(&self, scope: usize) -> Option<usize> {
        let inside = |what: fn(&What) -> bool| {
            (1..self.items.len()).find(|&item| self.items[item].scope == scope && what(&self.items[item].what))
        };
        inside(|what| matches!(what, What::Link(_))).or_else(|| inside(|what| matches!(what, What::Model(_))))
    }

    /// Frames that are described become links without mass.
    fn markers(&mut self, joints: &mut Vec<crate::robot::Joint>) {
        for number in 1..self.items.len() {
            let Item { node, scope, what: What::Frame } = self.items[number] else { continue };
            let Some(link) = self.link_of(number) else { continue };
            let place = self.notes.place(node);
            let name = self.full_name(scope, node.attribute("name").unwrap_or_default());
            // Frames may have the names of links elsewhere.
            let marker = self.links.len();
            self.links.push(Link { name: name.clone(), place, inertial: None });
            let pose = self.frames.between(self.link_frames[link], number);
            joints.push(Joint::plain(name, place, Kind::Fixed, (link, marker), &pose));
        }
    }

    /// What a link weighs.
    fn inertial_of(&mut self, link: usize) -> Option<Inertial> {
        let Item { node, scope, .. } = self.items[self.link_frames[link]];
        let place = self.notes.place(node);
        let around = self.notes.enter(Some(format!("link `{}`", self.links[link].name)));
        let mut inertial = None;
        for child in elements(node) {
            match child.tag_name().name() {
                "pose" => {}
                "inertial" => inertial = Some(child),
                "gravity" => {
                    if matches!(xml::text(child).as_str(), "false" | "0") {
                        let message = "`gravity` is ignored: it acts on all bodies";
                        self.notes.warn(self.notes.place(child), message, || message.to_owned());
                    }
                }
                "visual" | "collision" if self.has_looks => {}
                "kinematic" | "enable_wind" | "self_collide" | "must_be_base_link"
                    if matches!(xml::text(child).as_str(), "false" | "0") => {}
                _ => self.ignore(child),
            }
        }
        let inertial = match inertial {
            Some(inertial) if matches!(inertial.attribute("auto"), Some("true" | "1")) => {
                self.automatic(node, inertial, scope, place)
            }
            Some(inertial) => self.inertial(inertial),
            None => {
                let message = "`inertial` is missing: in SDFormat such a link has 1 kg and 1 kg m² about each axis";
                self.notes.warn(place, message, || message.to_owned());
                Some(unit(place))
            }
        };
        self.notes.enter(around);
        inertial.filter(|known| !(known.mass.is_zero() && known.inertia.iter().all(Number::is_zero)))
    }

    /// The element `inertial`.
    fn inertial(&mut self, node: Node<'d, 'd>) -> Option<Inertial> {
        let mut inertial = unit(self.notes.place(node));
        for part in elements(node) {
            match part.tag_name().name() {
                "mass" => [inertial.mass] = self.notes.text_numbers::<1>(part, "mass")?,
                "pose" => {
                    if part.attribute("relative_to").is_some_and(|name| !name.is_empty()) {
                        let what = "the `pose` of an `inertial` is that in its link".to_owned();
                        let help = "leave out `relative_to`";
                        return self.notes.wrong(part, Problem::Unsupported { what, help });
                    }
                    let pose = self.own_pose(part)?;
                    inertial.origin = pose.origin(&inertial.origin);
                }
                "inertia" => {
                    for (entry, name) in ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].into_iter().enumerate() {
                        if let Some(part) = child(part, name) {
                            [inertial.inertia[entry]] = self.notes.text_numbers::<1>(part, name)?;
                        }
                    }
                }
                _ => self.ignore(part),
            }
        }
        if inertial.mass.value < 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(inertial.mass.value));
        }
        Some(inertial)
    }

    /// What the shapes of a link weigh.
    fn automatic(&mut self, link: Node<'d, 'd>, node: Node<'d, 'd>, scope: usize, place: Place) -> Option<Inertial> {
        let number = |reader: &mut Self, around, name| match child(around, name) {
            Some(found) => reader.notes.text_numbers::<1>(found, name).map(|[number]| Some(number.value)),
            None => Some(None),
        };
        let density = number(self, node, "density")?.unwrap_or(DENSITY);
        let frame = self.frame(link, scope, link.attribute("name").unwrap_or_default())?;
        let mut parts = Vec::new();
        for collision in elements(link).filter(|node| node.has_tag_name("collision")) {
            let density = number(self, collision, "density")?.unwrap_or(density);
            let (base, pose) = match child(collision, "pose") {
                Some(pose) => self.pose(pose, scope)?,
                None => (None, Pose::IDENTITY),
            };
            let pose = base.map_or(pose, |base| self.frames.between(frame, base).then(&pose));
            let geometry = child(collision, "geometry").and_then(|geometry| elements(geometry).next());
            let Some(geometry) = geometry else {
                let element = "collision".to_owned();
                return self.notes.wrong(collision, Problem::MissingElement { element, missing: "geometry" });
            };
            let shape = self.shape(geometry)?;
            let mass = density * shape.volume();
            if mass.is_nan() || mass <= 0.0 {
                return self.notes.wrong(collision, Problem::NegativeMass(mass));
            }
            let origin = pose.origin(&Origin::identity(self.notes.place(collision)));
            let [xx, yy, zz] = shape.moments(mass).map(Number::computed);
            let inertia = [xx, Number::zero(), Number::zero(), yy, Number::zero(), zz];
            parts.push(Inertial { origin, mass: Number::computed(mass), inertia });
        }
        if parts.is_empty() {
            let element = "link".to_owned();
            return self.notes.wrong(link, Problem::MissingElement { element, missing: "collision" });
        }
        let mut total = merge::combined(&parts, place);
        // The shapes say how a mass that is given is spread.
        if let Some(mass) = number(self, node, "mass")? {
            let factor = mass / total.mass.value;
            total.mass = Number::computed(mass);
            total.inertia = total.inertia.map(|moment| Number::computed(factor * moment.value));
        }
        Some(total)
    }

    pub(super) fn shape(&mut self, node: Node<'d, 'd>) -> Option<Shape> {
        let word = node.tag_name().name();
        let number = |reader: &mut Self, name| {
            let element = reader.notes.element(node, name)?;
            reader.notes.text_numbers::<1>(element, name).map(|[number]| number.value)
        };
        Some(match word {
            "sphere" => Shape::Sphere(number(self, "radius")?),
            "cylinder" => Shape::Cylinder(number(self, "radius")?, 0.5 * number(self, "length")?),
            "capsule" => Shape::Capsule(number(self, "radius")?, 0.5 * number(self, "length")?),
            "box" | "ellipsoid" => {
                let name = if word == "box" { "size" } else { "radii" };
                let element = self.notes.element(node, name)?;
                let size = self.notes.text_numbers::<3>(element, name)?.map(|number| number.value);
                if word == "box" { Shape::Box(size.map(|edge| 0.5 * edge)) } else { Shape::Ellipsoid(size) }
            }
            other => {
                return self
                    .notes
                    .wrong(node, Problem::Shape { found: line(other), help: "give its body an explicit `inertial`" });
            }
        })
    }

    fn joint(&mut self, number: usize) -> Option<Described> {
        let Item { node, scope, .. } = self.items[number];
        if self.scopes[scope].is_static {
            return None;
        }
        let name = self.full_name(scope, node.attribute("name").unwrap_or_default());
        let around = self.notes.enter(Some(format!("joint `{name}`")));
        let joint = self.named_joint(number, name);
        self.notes.enter(around);
        joint
    }

    fn named_joint(&mut self, number: usize, name: Name) -> Option<Described> {
        let Item { node, scope, .. } = self.items[number];
        let word = self.notes.attribute(node, "type")?;
        let (kind, count) = match word {
            "revolute" | "continuous" => (Kind::Revolute, 1),
            "universal" | "revolute2" => (Kind::Revolute, 2),
            "prismatic" => (Kind::Prismatic, 1),
            "screw" => (Kind::Screw, 1),
            "fixed" => (Kind::Fixed, 0),
            "ball" => (Kind::Ball, 0),
            other => {
                let problem = Problem::UnknownWord { what: "type of joint", found: excerpt(other), known: &KINDS };
                return self.notes.wrong(node, problem);
            }
        };
        let ends = ["parent", "child"].map(|role| {
            let end = self.end(node, scope, role)?;
            self.link_of(end)
        });
        for element in elements(node) {
            match element.tag_name().name() {
                "pose" | "parent" | "child" | "thread_pitch" | "screw_thread_pitch" => {}
                "axis" if count > 0 => {}
                "axis2" if count > 1 => {}
                "axis" | "axis2" => {
                    let message = format!("`{}` is ignored: the joint has none", element.tag_name().name());
                    self.notes.warn(self.notes.place(element), &message, || message.clone());
                }
                _ => self.ignore(element),
            }
        }
        let axes: Vec<Option<Axis>> =
            ["axis", "axis2"].into_iter().take(count).map(|axis| self.axis(number, word, axis)).collect();
        let pitch = if kind == Kind::Screw { Some(self.pitch(node)?) } else { None };
        let rotor = self.rotor(node);
        let (ends, mut axes) = ([ends[0]?, ends[1]?], axes.into_iter().collect::<Option<Vec<Axis>>>()?);
        match (axes.as_mut_slice(), rotor?) {
            ([axis], rotor) => axis.rotor = rotor,
            (_, None) => {}
            (_, Some(_)) => {
                let message = "`rotor_inertia` of a joint without one coordinate is ignored";
                self.notes.warn(self.notes.place(node), message, || message.to_owned());
            }
        }
        if ends[0] == ends[1] {
            return self.notes.wrong(node, Problem::Ring(self.links[ends[1]].name.to_string()));
        }
        let (place, is_endless) = (self.notes.place(node), word == "continuous");
        Some(Described { name, place, kind, is_endless, ends, frame: number, axes, pitch })
    }

    /// The inertia of a rotor, as the joint feels it; `None` within if there is none.
    fn rotor(&mut self, node: Node<'d, 'd>) -> Option<Option<Number>> {
        let [inertia, ratio] = ROTOR.map(|name| {
            let found =
                node.children().find(|part| part.tag_name().namespace().is_some() && part.tag_name().name() == name);
            match found {
                Some(part) => self.notes.text_numbers::<1>(part, name).map(|[number]| Some(number)),
                None => Some(None),
            }
        });
        let (Some(inertia), ratio) = (inertia?, ratio?) else { return Some(None) };
        if inertia.value < 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(inertia.value));
        }
        let seen = match ratio {
            Some(ratio) => Number::computed(inertia.value * ratio.value * ratio.value),
            None => inertia,
        };
        Some(Some(seen).filter(|seen| !seen.is_zero()))
    }

    /// m per turn of a screw.
    fn pitch(&mut self, node: Node<'d, 'd>) -> Option<Number> {
        if let Some(pitch) = child(node, "screw_thread_pitch") {
            return self.notes.text_numbers::<1>(pitch, "screw_thread_pitch").map(|[pitch]| pitch);
        }
        // Before 1.10 it was the angle of an advance, with the opposite sign.
        let Some(pitch) = child(node, "thread_pitch") else {
            let element = "joint".to_owned();
            return self.notes.wrong(node, Problem::MissingElement { element, missing: "screw_thread_pitch" });
        };
        let [turn] = self.notes.text_numbers::<1>(pitch, "thread_pitch")?;
        if turn.is_zero() {
            self.notes.wrong(pitch, Problem::ZeroAxis)
        } else {
            Some(Number::computed(-TAU / turn.value))
        }
    }

    fn axis(&mut self, number: usize, kind: &str, name: &'static str) -> Option<Axis> {
        let Item { node, scope, .. } = self.items[number];
        let Some(node) = child(node, name) else {
            let element = "joint".to_owned();
            return self.notes.wrong(node, Problem::MissingElement { element, missing: name });
        };
        // Axes once were those of the model.
        let mut frame = if self.version < 5 { self.scopes[scope].frame } else { number };
        let mut direction = [0, 0, 1].map(Number::whole);
        let mut axis = Axis {
            direction: direction.clone(),
            frame,
            damping: None,
            rotor: None,
            spring: None,
            follows: None,
            limits: Limits::default(),
        };
        for part in elements(node) {
            match part.tag_name().name() {
                "xyz" => {
                    direction = self.notes.text_numbers::<3>(part, "xyz")?;
                    if let Some(name) = part.attribute("expressed_in").filter(|name| !name.is_empty()) {
                        frame = self.frame(part, scope, name)?;
                    }
                }
                "use_parent_model_frame" => {
                    if matches!(xml::text(part).as_str(), "true" | "1") {
                        frame = self.scopes[scope].frame;
                    }
                }
                "limit" => axis.limits = self.limit(part, kind)?,
                "dynamics" => (axis.damping, axis.spring) = self.dynamics(part)?,
                "mimic" => axis.follows = Some(self.mimic(part, scope)?),
                _ => self.ignore(part),
            }
        }
        if direction.iter().all(Number::is_zero) {
            return self.notes.wrong(node, Problem::ZeroAxis);
        }
        Some(Axis { direction, frame, ..axis })
    }

    fn limit(&mut self, node: Node<'d, 'd>, kind: &str) -> Option<Limits> {
        let [mut position, mut velocity, mut effort] = [[None, None], [None, None], [None, None]];
        for part in elements(node) {
            let into = match part.tag_name().name() {
                "lower" => &mut position[0],
                "upper" => &mut position[1],
                "velocity" => &mut velocity[1],
                "effort" => &mut effort[1],
                // Of stops, which are rigid here.
                "stiffness" | "dissipation" => continue,
                _ => {
                    self.ignore(part);
                    continue;
                }
            };
            let text = xml::text(part);
            let word = text.trim_start_matches(['+', '-']).to_lowercase();
            if word != "inf" && word != "infinity" {
                let [number] = self.notes.text_numbers::<1>(part, "limit")?;
                *into = Some(number).filter(|number| number.value.abs() < UNLIMITED);
            }
        }
        let place = self.notes.place(node);
        let mut limits = Limits::default();
        match position {
            _ if kind == "continuous" => {}
            [Some(lower), Some(upper)] if lower.value <= upper.value => limits.position = Some([lower, upper]),
            [Some(_), Some(_)] => {
                let message = "a `limit` is ignored: its `lower` is greater than its `upper`";
                self.notes.warn(place, message, || message.to_owned());
            }
            [None, None] => {}
            _ => {
                let message = "a `limit` on one side alone is ignored";
                self.notes.warn(place, message, || message.to_owned());
            }
        }
        // What is negative says that there is none.
        let of = |[_, limit]: [Option<Number>; 2]| limit.filter(|limit: &Number| limit.value >= 0.0);
        (limits.velocity, limits.effort) = (of(velocity), of(effort));
        Some(limits)
    }

    /// Damping and spring.
    fn dynamics(&mut self, node: Node<'d, 'd>) -> Option<(Option<Number>, Option<Spring>)> {
        let mut read = |name| match child(node, name) {
            Some(part) => self.notes.text_numbers::<1>(part, name).map(|[number]| Some(number)),
            None => Some(None),
        };
        let [damping, friction, stiffness, rest] =
            ["damping", "friction", "spring_stiffness", "spring_reference"].map(&mut read);
        let is_some = |number: &Number| !number.is_zero();
        if friction?.is_some_and(|friction| is_some(&friction)) {
            let message = "`friction` is ignored: a model that is solved for accelerations has no sticking";
            self.notes.warn(self.notes.place(node), message, || message.to_owned());
        }
        let rest = rest?.unwrap_or(Number::zero());
        let spring = stiffness?.filter(is_some).map(|stiffness| Spring { stiffness, rest });
        Some((damping?.filter(is_some), spring))
    }

    /// The coordinate of another joint that is followed: multiplier (coordinate − reference) + offset.
    fn mimic(&mut self, node: Node<'d, 'd>, scope: usize) -> Option<Follower> {
        let mut read = |name, default| match child(node, name) {
            Some(part) => self.notes.text_numbers::<1>(part, name).map(|[number]| number),
            None => Some(Number::whole(default)),
        };
        let [multiplier, offset, reference] =
            [("multiplier", 1), ("offset", 0), ("reference", 0)].map(|(name, default)| read(name, default));
        let (multiplier, offset, reference) = (multiplier?, offset?, reference?);
        let name = self.notes.attribute(node, "joint")?;
        let leader = self.frame(node, scope, name)?;
        let Item { node: joint, scope, what } = self.items[leader];
        if what != What::Joint {
            return self.notes.wrong(node, Problem::Unknown { kind: "joint", name: line(name), near: None });
        }
        let mut name = self.full_name(scope, joint.attribute("name").unwrap_or_default());
        if matches!(joint.attribute("type"), Some("universal" | "revolute2")) {
            name = tree::of_axis(&name, usize::from(node.attribute("axis") == Some("axis2")));
        }
        let offset = match reference.is_zero() {
            true => offset,
            false => Number::computed(offset.value - multiplier.value * reference.value),
        };
        Some(Follower { place: self.notes.place(node), joint: Some(name), multiplier, offset })
    }
}

/// What a link has that does not say what it weighs.
fn unit(place: Place) -> Inertial {
    let inertia = [1, 0, 0, 1, 0, 1].map(Number::whole);
    Inertial { origin: Origin::identity(place), mass: Number::whole(1), inertia }
}
