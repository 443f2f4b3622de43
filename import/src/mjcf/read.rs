//! From MJCF to a robot.

use std::collections::{HashMap, HashSet};

use hamel_compiler::escape::line;
use roxmltree::Node;

use super::attributes::KNOWN;
use super::classes::{Classes, View};
use super::compiler::Compiler;
use super::drives::Drives;
use super::include;
use super::looks::Assets;
use super::meshes::Meshes;
use super::options::Switches;
use super::orientation;
use crate::error::{Errors, Place, Problem, Warning};
use crate::limits;
use crate::looks::Look;
use crate::looks::Visuals;
use crate::places::{Places, Whole};
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Actuator, Closure, Inertial, Joint, Kind, Link, Name, Robot};
use crate::xml::{self, Notes, too_many};

/// The largest depth of elements; bodies stand in the bodies that carry them.
pub(super) const NESTING: usize = 300;

/// Sections without a meaning for the dynamics, and what follows from leaving them out.
const IGNORED: [(&str, &str); 14] = [
    ("asset", "shapes are not part of the dynamics"),
    ("visual", "settings of pictures"),
    ("statistic", "settings of pictures"),
    ("size", "settings of a simulator"),
    ("custom", "settings of a simulator"),
    ("extension", "there are no plugins"),
    ("contact", "there are no contacts"),
    ("sensor", "outputs are written in the model"),
    ("keyframe", "states are given to a run"),
    ("tendon", "there are no tendons"),
    ("camera", "settings of pictures"),
    ("light", "settings of pictures"),
    ("plugin", "there are no plugins"),
    ("flex", "there are no deformable bodies"),
];

/// Elements that MuJoCo expands.
const EXPANDED: [&str; 5] = ["include", "attach", "composite", "flexcomp", "deformable"];

/// What to do about these.
pub(super) const EXPAND: &str = "expand it first: load the file with MuJoCo and save it with `mujoco.mj_saveLastXML`";

/// Reads a description; warnings tell what has been left out.
pub(super) fn read(text: &str, visuals: Option<&Visuals>) -> Result<(Robot, Vec<Warning>), Errors> {
    // What other files have is read from there, where it is known where they are.
    let folder = visuals.map(|visuals| visuals.folder.as_path()).filter(|_| text.contains("<include"));
    match folder.map(|folder| include::expand(text, folder)).transpose()? {
        None => read_whole(text, Places::new(text), visuals),
        Some(Whole { text: whole, inserted }) => read_whole(&whole, Places::with(text, &inserted), visuals),
    }
}

fn read_whole(text: &str, places: Places, visuals: Option<&Visuals>) -> Result<(Robot, Vec<Warning>), Errors> {
    let document = xml::document(text, NESTING)?;
    let root = document.root_element();
    let mut notes = Notes::at(places);
    if !root.has_tag_name("mujoco") {
        let found = root.tag_name().name().to_owned();
        let problem = Problem::OtherFormat { format: "an MJCF description", root: "mujoco", found };
        notes.wrong::<()>(root, problem);
    }
    let sections = |name: &'static str| root.children().filter(move |child| child.has_tag_name(name));
    let mut reader = Reader {
        notes,
        classes: Classes::new(sections("default")),
        compiler: Compiler::default(),
        switches: Switches::default(),
        links: Vec::new(),
        joints: Vec::new(),
        world: Vec::new(),
        references: Vec::new(),
        bodies: HashMap::new(),
        sites: HashMap::new(),
        suffix: String::new(),
        copied: HashMap::new(),
        moving: HashSet::new(),
        drives: Drives::new(),
        actuators: Vec::new(),
        closures: Vec::new(),
        meshes: Meshes::new(visuals),
        assets: None,
        looks: Vec::new(),
    };
    reader.notes.unknown_attributes(root, &KNOWN);
    sections("compiler").for_each(|node| reader.compiler(node));
    let gravity = reader.options(sections("option"));
    reader.meshes(sections("asset"));
    if visuals.is_some() {
        reader.assets = Some(reader.assets_of(sections("asset")));
    }
    reader.links.push(Link { name: Name("world".to_owned()), place: reader.notes.place(root), inertial: None });
    reader.world.push(Pose::IDENTITY);
    reader.bodies.insert("world".to_owned(), 0);
    for section in root.children().filter(Node::is_element) {
        match section.tag_name().name() {
            "default" | "compiler" | "option" | "actuator" | "equality" => {}
            "worldbody" => reader.bodies_of(section),
            "asset" if visuals.is_some() => {}
            _ => reader.ignore(section),
        }
    }
    reader.settle_masses();
    sections("equality").for_each(|node| reader.equality(node));
    sections("actuator").for_each(|node| reader.actuators(node));
    reader.tell_sites_from_bodies();
    let Reader { mut notes, links, joints, actuators, closures, looks, .. } = reader;
    notes.refuse_equal("body", links.iter().map(|link| (&link.name, link.place)));
    notes
        .refuse_equal("joint", joints.iter().filter(|j| j.kind != Kind::Fixed).map(|joint| (&joint.name, joint.place)));
    let place = notes.place(root);
    if let Some(first) = links.get(limits::LINKS) {
        let help = "write the model by hand with loops";
        notes.wrong_at::<()>(first.place, too_many("bodies", links.len(), limits::LINKS, help));
    }
    let warnings = notes.finish()?;
    let name = Name(root.attribute("model").unwrap_or_default().chars().take(limits::LETTERS).collect());
    let robot = Robot { name, place, gravity, links, joints, actuators, closures, looks, is_read_by_pinocchio: false };
    Ok((robot, warnings))
}

/// What stands in a body, with the frames around it multiplied out.
pub(super) struct Item<'d> {
    pub(super) view: View<'d>,
    pub(super) frame: Pose,
    /// What is added to names in a copy.
    suffix: String,
}

pub(super) struct Reader<'a, 'd> {
    pub(super) notes: Notes<'a>,
    pub(super) classes: Classes<'d>,
    pub(super) compiler: Compiler<'d>,
    pub(super) switches: Switches<'d>,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    /// Where links stand in the reference position.
    pub(super) world: Vec<Pose>,
    /// Of every joint the value of its coordinate there, in MuJoCo.
    pub(super) references: Vec<f64>,
    pub(super) bodies: HashMap<String, usize>,
    pub(super) sites: HashMap<String, usize>,
    /// What is added to names in the copy that is read.
    pub(super) suffix: String,
    /// What is added to the names of copies, by their kinds and names.
    pub(super) copied: HashMap<(&'static str, &'d str), Vec<String>>,
    /// Links of bodies that move.
    pub(super) moving: HashSet<usize>,
    /// Defaults of actuators, as far as they are known.
    pub(super) drives: Drives<'d>,
    pub(super) actuators: Vec<Actuator>,
    pub(super) closures: Vec<Closure>,
    pub(super) meshes: Meshes<'d>,
    /// What shapes refer to, where it is read what bodies look like.
    pub(super) assets: Option<Assets<'d>>,
    pub(super) looks: Vec<Look>,
}

impl<'d> Reader<'_, 'd> {
    pub(super) fn ignore(&mut self, node: Node) {
        let name = node.tag_name().name();
        if EXPANDED.contains(&name) {
            self.notes.wrong::<()>(node, Problem::Macro { found: line(name), help: EXPAND });
            return;
        }
        let reason = IGNORED.iter().find(|(known, _)| *known == name).map_or("it is not known", |(_, reason)| reason);
        self.notes.ignore(node, reason);
    }

    pub(super) fn warn(&mut self, node: Node, message: &str) {
        self.notes.warn(self.notes.place(node), message, || message.to_owned());
    }

    /// The class of an element within others of a class.
    pub(super) fn class(&mut self, node: Node<'d, 'd>, attribute: &str, around: usize) -> usize {
        let Some(name) = node.attribute(attribute) else { return around };
        match self.classes.find(name) {
            Some(class) => class,
            None => {
                let problem = Problem::unknown("class", name, self.classes.names());
                self.notes.wrong::<()>(node, problem);
                around
            }
        }
    }

    /// Whatever the elements of a body are, with the frames that they stand in.
    pub(super) fn items(&mut self, body: Node<'d, 'd>, class: usize) -> Vec<Item<'d>> {
        let mut items = Vec::new();
        let children = |node: Node<'d, 'd>| node.children().filter(Node::is_element).rev();
        let around = (Pose::IDENTITY, self.suffix.clone());
        let mut ahead: Vec<_> = children(body).map(|child| (child, class, around.clone())).collect();
        while let Some((node, class, (frame, suffix))) = ahead.pop() {
            let copies = match node.tag_name().name() {
                "frame" => {
                    let own = self.pose(View { node, class }).unwrap_or(Pose::IDENTITY);
                    vec![(own, String::new())]
                }
                "replicate" => self.copies(node).unwrap_or_default(),
                name => {
                    if matches!(name, "joint" | "freejoint" | "inertial") && suffix != self.suffix {
                        let what = format!("`{name}` is no direct part of a `replicate`");
                        self.notes.wrong::<()>(node, Problem::Unsupported { what, help: "put a `body` around it" });
                    }
                    let class = self.class(node, "class", class);
                    items.push(Item { view: View { node, class }, frame, suffix });
                    continue;
                }
            };
            let class = self.class(node, "childclass", class);
            if items.len() + ahead.len() > limits::LINKS {
                let help = "write the model by hand with loops";
                self.notes.wrong::<()>(node, too_many("elements", items.len() + ahead.len(), limits::LINKS, help));
                break;
            }
            for (own, number) in copies.into_iter().rev() {
                let inner = (frame.then(&own), format!("{number}{suffix}"));
                ahead.extend(children(node).map(|child| (child, class, inner.clone())));
            }
        }
        items
    }

    /// The bodies of the world.
    pub(super) fn bodies_of(&mut self, world: Node<'d, 'd>) {
        let class = self.class(world, "childclass", 0);
        let items = self.items(world, class);
        self.look(&items, 0);
        let mut ahead = vec![(items, 0)];
        while let Some((items, link)) = ahead.pop() {
            let mut inner = Vec::new();
            // Too many have a message at the end.
            if self.links.len() > limits::LINKS {
                break;
            }
            for item in items {
                self.suffix.clone_from(&item.suffix);
                match item.view.node.tag_name().name() {
                    "body" => inner.extend(self.body(&item, link)),
                    "site" => self.site(&item, link),
                    "geom" if link == 0 => {
                        self.warn(
                            item.view.node,
                            "shapes of the ground hold nothing up: contacts are written in the model",
                        );
                    }
                    // They have been read with their body.
                    "geom" | "joint" | "freejoint" | "inertial" => {}
                    _ => self.ignore(item.view.node),
                }
            }
            // In the order of the description.
            ahead.extend(inner.into_iter().rev());
        }
        self.suffix.clear();
    }

    /// A body with its joints: what stands in it, and its link.
    pub(super) fn body(&mut self, item: &Item<'d>, parent: usize) -> Option<(Vec<Item<'d>>, usize)> {
        let node = item.view.node;
        let class = self.class(node, "childclass", item.view.class);
        let written = self.named_copy(node)?;
        let name = written.clone().unwrap_or_else(|| Name(format!("body{}", self.links.len())));
        let around = self.notes.enter(Some(format!("body `{name}`")));
        let own = self.pose(item.view).unwrap_or(Pose::IDENTITY);
        let base = item.frame.then(&own);
        let place = self.notes.place(node);
        let items = self.items(node, class);
        let is_joint = |item: &&Item| matches!(item.view.node.tag_name().name(), "joint" | "freejoint");
        let moves = self.moving.contains(&parent) || items.iter().any(|item| is_joint(&item));
        let inertial = self.inertial(&items, place, moves || self.compiler.total_mass.is_some());
        if node.attribute("gravcomp").is_some_and(|text| text.trim() != "0") {
            self.warn(node, "`gravcomp` is ignored: write the force in the model");
        }
        let joints: Vec<&Item<'d>> = items.iter().filter(is_joint).collect();
        let carries = items.iter().any(|item| item.view.node.has_tag_name("body"));
        joints.iter().filter(|_| !carries).for_each(|joint| self.aligned(joint.view));
        let world = self.world[parent].then(&base);
        let mut last = parent;
        let count = joints.len();
        let own = |reader: &mut Self, name: Name, inertial: Option<Inertial>| {
            reader.links.push(Link { name, place, inertial });
            reader.world.push(world);
            let link = reader.links.len() - 1;
            if moves {
                reader.moving.insert(link);
            }
            link
        };
        for (index, joint) in joints.into_iter().enumerate() {
            let link = if index + 1 == count {
                own(self, name.clone(), inertial.clone())
            } else {
                own(self, Name(format!("{}_frame{}", name.0, index + 1)), None)
            };
            let base = if index == 0 { base } else { Pose::IDENTITY };
            let default =
                if count == 1 { format!("{}_joint", name.0) } else { format!("{}_joint{}", name.0, index + 1) };
            if let Some((joint, reference)) = self.joint(joint, &default, (last, link), &base) {
                self.joints.push(joint);
                self.references.push(reference);
            }
            last = link;
        }
        if count == 0 {
            last = own(self, name.clone(), inertial);
            self.fix(parent, last, &base, place, &name);
        }
        self.look(&items, last);
        if let Some(written) = written {
            self.bodies.insert(written.0, last);
            self.is_copied("body", node);
        }
        self.notes.enter(around);
        Some((items, last))
    }

    /// A joint that lets nothing move.
    pub(super) fn fix(&mut self, parent: usize, child: usize, at: &Pose, place: Place, name: &Name) {
        self.joints.push(Joint::plain(name.clone(), place, Kind::Fixed, (parent, child), at));
        self.references.push(0.0);
    }

    pub(super) fn site(&mut self, item: &Item<'d>, parent: usize) {
        let node = item.view.node;
        // What nobody can name is of no use.
        if !node.has_attribute("name") {
            return;
        }
        let (Some(pose), Some(Some(name))) = (self.pose(item.view), self.named_copy(node)) else { return };
        let (place, pose) = (self.notes.place(node), item.frame.then(&pose));
        self.links.push(Link { name: name.clone(), place, inertial: None });
        self.world.push(self.world[parent].then(&pose));
        let link = self.links.len() - 1;
        self.is_copied("site", node);
        self.fix(parent, link, &pose, place, &name);
        self.sites.insert(name.0, link);
    }

    /// Bodies and sites may have the same names, in any order; in a model both are frames.
    pub(super) fn tell_sites_from_bodies(&mut self) {
        let mut known: HashSet<String> = self.links.iter().map(|link| link.name.0.clone()).collect();
        let mut sites: Vec<(&String, usize)> = self.sites.iter().map(|(name, &link)| (name, link)).collect();
        sites.sort_by_key(|&(_, link)| link);
        for (name, link) in sites {
            if !self.bodies.contains_key(name) {
                continue;
            }
            let mut other = format!("{name}_site");
            while known.contains(&other) {
                other.push('_');
            }
            known.insert(other.clone());
            self.links[link].name = Name(other.clone());
            let held = self.joints.iter_mut().find(|joint| joint.child == link);
            held.into_iter().for_each(|joint| joint.name = Name(other.clone()));
        }
    }

    /// An attribute of one number; `None` within where it is not written.
    pub(super) fn scalar(&mut self, view: View<'d>, attribute: &'static str) -> Option<Option<Number>> {
        match self.classes.holder(view, attribute) {
            Some(node) => self.notes.number(node, attribute).map(Some),
            None => Some(None),
        }
    }

    /// An attribute of three numbers; `None` within where it is not written.
    pub(super) fn vector(&mut self, view: View<'d>, attribute: &'static str) -> Option<Option<[f64; 3]>> {
        match self.classes.holder(view, attribute) {
            Some(node) => self.notes.numbers(node, attribute).map(|vector| Some(vector.map(|number| number.value))),
            None => Some(None),
        }
    }

    /// Where an element stands, and how it is turned.
    pub(super) fn pose(&mut self, view: View<'d>) -> Option<Pose> {
        let position = self.vector(view, "pos");
        let turned = self.turned(view);
        Some(Pose { position: position?.unwrap_or_default(), ..turned? })
    }

    pub(super) fn turned(&mut self, view: View<'d>) -> Option<Pose> {
        let angle = if self.compiler.degrees { f64::to_radians } else { |x: f64| x };
        // What the element itself says goes before what its class says.
        const WAYS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
        let own = WAYS.into_iter().find(|way| view.node.has_attribute(*way));
        let way = own.or_else(|| WAYS.into_iter().find(|way| self.classes.holder(view, way).is_some()));
        let Some((way, node)) = way.and_then(|way| Some((way, self.classes.holder(view, way)?))) else {
            return Some(Pose::IDENTITY);
        };
        let values = |numbers: &[Number]| numbers.iter().map(|number| number.value).collect::<Vec<f64>>();
        let pose = match way {
            "quat" => Pose::turned(self.notes.numbers(node, way)?.map(|number: Number| number.value)),
            "axisangle" => {
                let [x, y, z, turn] = self.notes.numbers(node, way)?.map(|number: Number| number.value);
                orientation::about([x, y, z], angle(turn))
            }
            "euler" => {
                let angles = self.notes.numbers(node, way)?.map(|number: Number| angle(number.value));
                Some(self.compiler.sequence.pose(angles))
            }
            "xyaxes" => {
                let axes = self.notes.numbers::<6>(node, way)?;
                let axes = values(&axes);
                orientation::of_axes([[axes[0], axes[1], axes[2]], [axes[3], axes[4], axes[5]]])
            }
            _ => orientation::of_z(self.notes.numbers(node, way)?.map(|number: Number| number.value)),
        };
        if pose.is_none() {
            self.notes.wrong::<()>(node, Problem::ZeroAxis);
        }
        pose
    }
}
