//! From SDFormat to a robot: what stands in a description, and what of it has a name.

use std::collections::HashMap;

use hamel_compiler::escape::{excerpt, line};
use roxmltree::Node;

use super::GRAVITY;
use super::attributes::KNOWN;
use super::frames::Frames;
use super::joints::ROTOR;
use super::tree;
use crate::error::{Errors, Place, Problem, Warning};
use crate::robot::number::Number;
use crate::robot::{Follower, Inertial, Joint, Kind, Limits, Link, Name, Robot, Spring};
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

/// What to do about what stands in other files.
const INCLUDED: &str = "expand it first: `gz sdf -p FILE > robot.sdf`";

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
    pub(super) what: What,
}

/// The names within a model, or within the world.
pub(super) struct Scope<'d> {
    /// Number of its own frame.
    pub(super) frame: usize,
    pub(super) names: HashMap<&'d str, usize>,
    /// What stands before its names in the whole.
    prefix: String,
    pub(super) is_static: bool,
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
    pub(super) exact_angles: bool,
    /// What links look like is read, too.
    pub(super) has_looks: bool,
    /// What follows `1.` in the version.
    pub(super) version: u32,
    pub(super) frames: Frames,
    /// By the numbers of their frames.
    pub(super) items: Vec<Item<'d>>,
    pub(super) scopes: Vec<Scope<'d>>,
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
        self.notes.unknown_attributes(root, &KNOWN);
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
    pub(super) fn full_name(&self, scope: usize, name: &str) -> Name {
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

    pub(super) fn ignore(&mut self, node: Node) {
        let name = node.tag_name().name();
        let reason = IGNORED.iter().find(|(known, _)| *known == name).map_or("it is not known", |(_, reason)| reason);
        self.notes.ignore(node, reason);
    }

    pub(super) fn flag(&mut self, node: Node<'d, 'd>, name: &str) -> bool {
        child(node, name).is_some_and(|node| matches!(xml::text(node).to_lowercase().as_str(), "true" | "1"))
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
}
