//! From MJCF to a robot.

use std::collections::{HashMap, HashSet};

use hamel_compiler::escape::{excerpt, line};
use roxmltree::Node;

use super::classes::{Classes, View};
use super::include::{self, Whole};
use super::looks::Assets;
use super::orientation::{self, Sequence};
use crate::error::{Errors, Place, Problem, Warning};
use crate::limits;
use crate::looks::Look;
use crate::looks::Visuals;
use crate::places::Places;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{
    Actuator, Closure, Follower, Inertial, Joint, Kind, Limits, Link, Name, Origin, Robot, Signal, Spring, merge,
};
use crate::shape::Shape;
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
const EXPANDED: [&str; 6] = ["include", "replicate", "attach", "composite", "flexcomp", "deformable"];

/// What to do about these.
const EXPAND: &str = "expand it first: load the file with MuJoCo and save it with `mujoco.mj_saveLastXML`";

/// Shapes of closed form.
const SOLIDS: [&str; 5] = ["sphere", "capsule", "cylinder", "ellipsoid", "box"];

/// What to do about shapes whose inertia is not computed.
const WEIGH: &str = "give its body an explicit `inertial`, as MuJoCo does: `<compiler saveinertial=\"true\"/>`, then load the file and save it with `mujoco.mj_saveLastXML`";

/// Reads a description; warnings tell what has been left out.
pub(super) fn read(text: &str, visuals: Option<&Visuals>) -> Result<(Robot, Vec<Warning>), Errors> {
    // What other files have is read from there, where it is known where they are.
    let folder = visuals.map(|visuals| visuals.folder.as_path()).filter(|_| text.contains("<include"));
    match folder.map(|folder| include::expand(text, folder)).transpose()? {
        None => read_whole(text, Places::new(text), visuals.is_some()),
        Some(Whole { text: whole, inserted }) => read_whole(&whole, Places::with(text, &inserted), visuals.is_some()),
    }
}

fn read_whole(text: &str, places: Places, has_looks: bool) -> Result<(Robot, Vec<Warning>), Errors> {
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
        links: Vec::new(),
        joints: Vec::new(),
        world: Vec::new(),
        references: Vec::new(),
        bodies: HashMap::new(),
        sites: HashMap::new(),
        moving: HashSet::new(),
        actuators: Vec::new(),
        closures: Vec::new(),
        assets: None,
        looks: Vec::new(),
    };
    sections("compiler").for_each(|node| reader.compiler(node));
    let gravity = reader.gravity(sections("option"));
    if has_looks {
        reader.assets = Some(reader.assets_of(sections("compiler"), sections("asset")));
    }
    reader.links.push(Link { name: Name("world".to_owned()), place: reader.notes.place(root), inertial: None });
    reader.world.push(Pose::IDENTITY);
    reader.bodies.insert("world", 0);
    for section in root.children().filter(Node::is_element) {
        match section.tag_name().name() {
            "default" | "compiler" | "option" | "actuator" | "equality" => {}
            "worldbody" => reader.bodies_of(section),
            "asset" if has_looks => {}
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

/// Where inertias come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FromGeoms {
    Always,
    Never,
    WhereNoneIsGiven,
}

/// Settings of MuJoCo's compiler.
struct Compiler {
    degrees: bool,
    sequence: Sequence,
    autolimits: bool,
    from_geoms: FromGeoms,
    groups: [f64; 2],
    least_mass: f64,
    least_inertia: f64,
    total_mass: Option<f64>,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            degrees: true,
            sequence: Sequence::parse("xyz").unwrap_or_else(|| unreachable!("these are axes")),
            autolimits: true,
            from_geoms: FromGeoms::WhereNoneIsGiven,
            groups: [0.0, 5.0],
            least_mass: 0.0,
            least_inertia: 0.0,
            total_mass: None,
        }
    }
}

/// What stands in a body, with the frames around it multiplied out.
pub(super) struct Item<'d> {
    pub(super) view: View<'d>,
    frame: Pose,
}

pub(super) struct Reader<'a, 'd> {
    pub(super) notes: Notes<'a>,
    pub(super) classes: Classes<'d>,
    compiler: Compiler,
    links: Vec<Link>,
    joints: Vec<Joint>,
    /// Where links stand in the reference position.
    world: Vec<Pose>,
    /// Of every joint the value of its coordinate there, in MuJoCo.
    references: Vec<f64>,
    bodies: HashMap<&'d str, usize>,
    sites: HashMap<&'d str, usize>,
    /// Links of bodies that move.
    moving: HashSet<usize>,
    actuators: Vec<Actuator>,
    closures: Vec<Closure>,
    /// What shapes refer to, where it is read what bodies look like.
    pub(super) assets: Option<Assets<'d>>,
    pub(super) looks: Vec<Look>,
}

impl<'d> Reader<'_, 'd> {
    fn ignore(&mut self, node: Node) {
        let name = node.tag_name().name();
        if EXPANDED.contains(&name) {
            self.notes.wrong::<()>(node, Problem::Macro { found: line(name), help: EXPAND });
            return;
        }
        let reason = IGNORED.iter().find(|(known, _)| *known == name).map_or("it is not known", |(_, reason)| reason);
        self.notes.ignore(node, reason);
    }

    fn warn(&mut self, node: Node, message: &str) {
        self.notes.warn(self.notes.place(node), message, || message.to_owned());
    }

    fn compiler(&mut self, node: Node<'d, 'd>) {
        let number = |reader: &mut Self, attribute| match node.has_attribute(attribute) {
            true => reader.notes.number(node, attribute).map(|number| number.value),
            false => None,
        };
        match node.attribute("angle") {
            Some("radian") => self.compiler.degrees = false,
            Some("degree") => self.compiler.degrees = true,
            _ => {}
        }
        if let Some(text) = node.attribute("eulerseq") {
            match Sequence::parse(text) {
                Some(sequence) => self.compiler.sequence = sequence,
                None => {
                    let what = format!("expected three axes in `eulerseq`, found `{}`", excerpt(text));
                    self.notes.wrong::<()>(node, Problem::Unsupported { what, help: "write them as `xyz` or `XYZ`" });
                }
            }
        }
        if node.attribute("coordinate") == Some("global") {
            let what = "global coordinates are not read".to_owned();
            self.notes.wrong::<()>(node, Problem::Unsupported { what, help: EXPAND });
        }
        if let Some(word) = node.attribute("autolimits") {
            self.compiler.autolimits = word == "true";
        }
        self.compiler.from_geoms = match node.attribute("inertiafromgeom") {
            Some("true") => FromGeoms::Always,
            Some("false") => FromGeoms::Never,
            Some("auto") => FromGeoms::WhereNoneIsGiven,
            _ => self.compiler.from_geoms,
        };
        if node.has_attribute("inertiagrouprange")
            && let Some(range) = self.notes.numbers::<2>(node, "inertiagrouprange")
        {
            self.compiler.groups = range.map(|number| number.value);
        }
        if let Some(mass) = number(self, "boundmass") {
            self.compiler.least_mass = mass;
        }
        if let Some(inertia) = number(self, "boundinertia") {
            self.compiler.least_inertia = inertia;
        }
        if let Some(mass) = number(self, "settotalmass") {
            self.compiler.total_mass = Some(mass).filter(|mass| *mass > 0.0);
        }
        if node.attribute("balanceinertia") == Some("true") {
            self.warn(node, "`balanceinertia` is ignored: see `--repair-inertia`");
        }
    }

    /// The gravity of the last `option` that says it.
    fn gravity(&mut self, options: impl Iterator<Item = Node<'d, 'd>>) -> String {
        let mut gravity = [0.0, 0.0, -9.81].map(Number::computed);
        for option in options {
            if option.has_attribute("gravity") {
                gravity = self.notes.numbers(option, "gravity").unwrap_or(gravity);
            }
            for attribute in ["density", "viscosity"] {
                if option.attribute(attribute).and_then(|text| text.parse().ok()).is_some_and(|value: f64| value != 0.0)
                {
                    self.warn(option, "the fluid around bodies is ignored");
                }
            }
            let mut flags = option.children().filter(|child| child.has_tag_name("flag"));
            if flags.any(|flag| flag.attribute("gravity") == Some("disable")) {
                gravity = [(); 3].map(|()| Number::zero());
            }
        }
        format!("[{}] m/s^2", gravity.each_ref().map(Number::literal).join(", "))
    }

    /// The class of an element within others of a class.
    fn class(&mut self, node: Node<'d, 'd>, attribute: &str, around: usize) -> usize {
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
    fn items(&mut self, body: Node<'d, 'd>, class: usize) -> Vec<Item<'d>> {
        let mut items = Vec::new();
        let children = |node: Node<'d, 'd>| node.children().filter(Node::is_element).collect::<Vec<_>>();
        let mut ahead: Vec<_> = children(body).into_iter().map(|child| (child, class, Pose::IDENTITY)).collect();
        ahead.reverse();
        while let Some((node, class, frame)) = ahead.pop() {
            if node.has_tag_name("frame") {
                let own = self.pose(View { node, class }).unwrap_or(Pose::IDENTITY);
                let class = self.class(node, "childclass", class);
                let inner = children(node).into_iter().rev().map(|child| (child, class, frame.then(&own)));
                ahead.extend(inner);
                continue;
            }
            let class = self.class(node, "class", class);
            items.push(Item { view: View { node, class }, frame });
        }
        items
    }

    /// The bodies of the world.
    fn bodies_of(&mut self, world: Node<'d, 'd>) {
        let class = self.class(world, "childclass", 0);
        let items = self.items(world, class);
        self.look(&items, 0);
        let mut ahead = vec![(items, 0)];
        while let Some((items, link)) = ahead.pop() {
            let mut inner = Vec::new();
            for item in items {
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
    }

    /// A body with its joints: what stands in it, and its link.
    fn body(&mut self, item: &Item<'d>, parent: usize) -> Option<(Vec<Item<'d>>, usize)> {
        let node = item.view.node;
        let class = self.class(node, "childclass", item.view.class);
        let written = node.attribute("name");
        let name = match written {
            Some(name) => self.notes.checked_name(node, name)?,
            None => Name(format!("body{}", self.links.len())),
        };
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
            self.bodies.insert(written, last);
        }
        self.notes.enter(around);
        Some((items, last))
    }

    /// A joint that lets nothing move.
    fn fix(&mut self, parent: usize, child: usize, at: &Pose, place: Place, name: &Name) {
        self.joints.push(Joint::plain(name.clone(), place, Kind::Fixed, (parent, child), at));
        self.references.push(0.0);
    }

    fn site(&mut self, item: &Item<'d>, parent: usize) {
        let node = item.view.node;
        // What nobody can name is of no use.
        let Some(name) = node.attribute("name") else { return };
        let (Some(pose), Some(name_of)) = (self.pose(item.view), self.notes.checked_name(node, name)) else { return };
        let (place, pose) = (self.notes.place(node), item.frame.then(&pose));
        self.links.push(Link { name: name_of.clone(), place, inertial: None });
        self.world.push(self.world[parent].then(&pose));
        let link = self.links.len() - 1;
        self.sites.insert(name, link);
        self.fix(parent, link, &pose, place, &name_of);
    }

    /// Bodies and sites may have the same names, in any order; in a model both are frames.
    fn tell_sites_from_bodies(&mut self) {
        let mut known: HashSet<String> = self.links.iter().map(|link| link.name.0.clone()).collect();
        let mut sites: Vec<(&str, usize)> = self.sites.iter().map(|(&name, &link)| (name, link)).collect();
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

    /// A joint between two links, and its coordinate in the reference position.
    fn joint(
        &mut self,
        item: &Item<'d>,
        default: &str,
        (parent, child): (usize, usize),
        base: &Pose,
    ) -> Option<(Joint, f64)> {
        let (view, node) = (item.view, item.view.node);
        let place = self.notes.place(node);
        let name = match node.attribute("name") {
            Some(name) => self.notes.checked_name(node, name)?,
            None => Name(default.to_owned()),
        };
        let around = self.notes.enter(Some(format!("joint `{name}`")));
        let is_free = node.has_tag_name("freejoint");
        let word = if is_free { "free" } else { self.classes.text(view, "type").unwrap_or("hinge") };
        let kind = match word {
            "hinge" => Some(Kind::Revolute),
            "slide" => Some(Kind::Prismatic),
            "ball" => Some(Kind::Ball),
            "free" => Some(Kind::Floating),
            other => {
                const KINDS: [&str; 4] = ["hinge", "slide", "ball", "free"];
                let problem = Problem::UnknownWord { what: "type of joint", found: excerpt(other), known: &KINDS };
                self.notes.wrong(node, problem)
            }
        };
        let angle = if self.compiler.degrees && kind == Some(Kind::Revolute) { f64::to_radians } else { |x: f64| x };
        let (pos, axis) = (self.vector(view, "pos"), self.vector(view, "axis"));
        let axis = axis.map(|axis| axis.unwrap_or([0.0, 0.0, 1.0]));
        if axis.is_some_and(|axis| orientation::unit(axis).is_none()) && kind != Some(Kind::Ball) && !is_free {
            self.notes.wrong::<()>(node, Problem::ZeroAxis);
        }
        let damping = self.scalar(view, "damping");
        let stiffness = self.scalar(view, "stiffness");
        let rotor = self.scalar(view, "armature").map(|rotor| rotor.filter(|rotor| !rotor.is_zero()));
        let reference = self.scalar(view, "ref").map(|number| number.map_or(0.0, |number| angle(number.value)));
        let rest = self.scalar(view, "springref").map(|number| number.map_or(0.0, |number| angle(number.value)));
        for (attribute, message) in [
            ("frictionloss", "`frictionloss` is ignored: a model that is solved for accelerations has no sticking"),
            ("springdamper", "`springdamper` is ignored: give `stiffness` and `damping`"),
        ] {
            let holder = self.classes.holder(view, attribute);
            let is_zero = |node: Node| {
                let words = node.attribute(attribute).unwrap_or_default().split_whitespace();
                words.map(|word| word.parse::<f64>()).all(|value| value.is_ok_and(|value| value == 0.0))
            };
            if holder.is_some_and(|node| !is_zero(node)) && !is_free {
                self.warn(node, message);
            }
        }
        let limits = self.limits(view, kind, reference.unwrap_or_default(), angle);
        self.notes.enter(around);
        let (kind, pos, axis, reference) = (kind?, pos?.unwrap_or_default(), axis?, reference?);
        let (damping, stiffness, rest, rotor) = (damping?, stiffness?, rest?, rotor?);
        let has_coordinate = kind.has_coordinate();
        // A slider moves the same wherever it stands.
        let anchor = match kind {
            Kind::Revolute | Kind::Ball => item.frame.then(&Pose { position: pos, ..Pose::IDENTITY }).position,
            _ => [0.0; 3],
        };
        let at = match kind {
            Kind::Floating => Pose::IDENTITY,
            _ => base.then(&Pose { position: anchor, ..Pose::IDENTITY }),
        };
        let turned = Pose { position: [0.0; 3], ..item.frame }.then(&Pose { position: axis, ..Pose::IDENTITY });
        if stiffness.as_ref().is_some_and(|stiffness| !stiffness.is_zero()) && !has_coordinate && !is_free {
            self.warn(node, "`stiffness` of a joint with several coordinates is ignored");
        }
        if let Some(rotor) = &rotor {
            if rotor.value < 0.0 {
                return self.notes.wrong(node, Problem::NegativeMass(rotor.value));
            }
            if !has_coordinate {
                self.warn(node, "`armature` of a joint with several coordinates is ignored");
            }
        }
        let spring = stiffness
            .filter(|stiffness| !stiffness.is_zero() && has_coordinate)
            .map(|stiffness| Spring { stiffness, rest: Number::computed(rest - reference) });
        if reference != 0.0 && has_coordinate {
            self.warn(node, "`ref` is no part of a coordinate: it is counted from the reference position");
        }
        let joint = Joint {
            name,
            place,
            kind,
            is_endless: false,
            parent,
            child,
            origin: at.origin(&Origin::identity(place)),
            anchor: anchor.map(Number::computed),
            axis: turned.position.map(Number::computed),
            pitch: None,
            damping: damping.filter(|damping| !damping.is_zero() && !is_free),
            rotor: rotor.filter(|_| has_coordinate),
            spring,
            follows: None,
            limits: limits?,
            start: (kind == Kind::Floating && *base != Pose::IDENTITY).then_some(*base),
        };
        Some((joint, if has_coordinate { reference } else { 0.0 }))
    }

    fn limits(
        &mut self,
        view: View<'d>,
        kind: Option<Kind>,
        reference: f64,
        angle: impl Fn(f64) -> f64,
    ) -> Option<Limits> {
        let mut limits = Limits::default();
        if !kind.is_some_and(Kind::has_coordinate) {
            return Some(limits);
        }
        for (attribute, word) in [("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited")] {
            let Some(holder) = self.classes.holder(view, attribute) else { continue };
            let [lower, upper] = self.notes.numbers(holder, attribute)?.map(|number: Number| number.value);
            let is_limited = match self.classes.text(view, word).unwrap_or("auto") {
                "auto" => self.compiler.autolimits,
                word => word == "true",
            };
            if !is_limited || lower > upper {
                continue;
            }
            if attribute == "range" {
                limits.position = Some([lower, upper].map(|limit| Number::computed(angle(limit) - reference)));
            } else {
                limits.effort = Some(Number::computed(lower.abs().max(upper.abs())));
            }
        }
        Some(limits)
    }

    /// An attribute of one number; `None` within where it is not written.
    pub(super) fn scalar(&mut self, view: View<'d>, attribute: &'static str) -> Option<Option<Number>> {
        match self.classes.holder(view, attribute) {
            Some(node) => self.notes.number(node, attribute).map(Some),
            None => Some(None),
        }
    }

    /// An attribute of three numbers; `None` within where it is not written.
    fn vector(&mut self, view: View<'d>, attribute: &'static str) -> Option<Option<[f64; 3]>> {
        match self.classes.holder(view, attribute) {
            Some(node) => self.notes.numbers(node, attribute).map(|vector| Some(vector.map(|number| number.value))),
            None => Some(None),
        }
    }

    /// Where an element stands, and how it is turned.
    fn pose(&mut self, view: View<'d>) -> Option<Pose> {
        let position = self.vector(view, "pos");
        let turned = self.turned(view);
        Some(Pose { position: position?.unwrap_or_default(), ..turned? })
    }

    fn turned(&mut self, view: View<'d>) -> Option<Pose> {
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

    /// What a body weighs, as it is given or as its shapes have it; where that does not matter, they may be of any kind.
    fn inertial(&mut self, items: &[Item<'d>], place: Place, matters: bool) -> Option<Inertial> {
        let given = items.iter().find(|item| item.view.node.has_tag_name("inertial"));
        let from_geoms = match self.compiler.from_geoms {
            FromGeoms::Always => true,
            FromGeoms::Never => false,
            FromGeoms::WhereNoneIsGiven => given.is_none(),
        };
        let mut inertial = if from_geoms {
            let geoms = items.iter().filter(|item| item.view.node.has_tag_name("geom"));
            let parts: Vec<Inertial> = geoms.filter_map(|geom| self.geom(geom, matters)).collect();
            match parts.as_slice() {
                [] => None,
                [only] => Some(only.clone()),
                parts => Some(merge::combined(parts, place)),
            }
        } else {
            given.and_then(|given| self.given(given))
        };
        let (mass, inertia) = (self.compiler.least_mass, self.compiler.least_inertia);
        if mass > 0.0 || inertia > 0.0 {
            let bounded = inertial.get_or_insert_with(|| Inertial::point(place, 0.0));
            bounded.mass = Number::computed(bounded.mass.value.max(mass));
            for diagonal in [0, 3, 5] {
                bounded.inertia[diagonal] = Number::computed(bounded.inertia[diagonal].value.max(inertia));
            }
            if inertia > 0.0 && [1, 2, 4].iter().any(|&product| !bounded.inertia[product].is_zero()) {
                let what = "`boundinertia` is not read together with products of inertia".to_owned();
                self.notes.wrong_at::<()>(place, Problem::Unsupported { what, help: EXPAND });
            }
        }
        inertial
    }

    /// The element `inertial`.
    fn given(&mut self, item: &Item<'d>) -> Option<Inertial> {
        let node = item.view.node;
        let mass = self.notes.number(node, "mass");
        let pose = self.pose(item.view);
        let inertia = if node.has_attribute("fullinertia") {
            self.notes.numbers::<6>(node, "fullinertia").map(|[xx, yy, zz, xy, xz, yz]| [xx, xy, xz, yy, yz, zz])
        } else if node.has_attribute("diaginertia") {
            let diagonal = |[xx, yy, zz]: [Number; 3]| [xx, Number::zero(), Number::zero(), yy, Number::zero(), zz];
            self.notes.numbers::<3>(node, "diaginertia").map(diagonal)
        } else {
            Some([(); 6].map(|()| Number::zero()))
        };
        let (mass, pose, inertia) = (mass?, item.frame.then(&pose?), inertia?);
        if mass.value < 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(mass.value));
        }
        let origin = pose.origin(&Origin::identity(self.notes.place(node)));
        Some(Inertial { origin, mass, inertia })
    }

    /// What a shape weighs, if anything.
    fn geom(&mut self, item: &Item<'d>, matters: bool) -> Option<Inertial> {
        let (view, node) = (item.view, item.view.node);
        let group = self.scalar(view, "group")?.map_or(0.0, |group| group.value);
        if !(self.compiler.groups[0]..=self.compiler.groups[1]).contains(&group) {
            return None;
        }
        let mass = self.scalar(view, "mass")?.map(|mass| mass.value);
        let density = self.scalar(view, "density")?.map_or(1000.0, |density| density.value);
        if mass.map_or(density == 0.0, |mass| mass == 0.0) {
            return None;
        }
        let word = self.classes.text(view, "type").unwrap_or("sphere");
        if matches!(word, "plane" | "hfield") || !matters && !SOLIDS.contains(&word) {
            return None;
        }
        if self.classes.text(view, "shellinertia") == Some("true") {
            let what = "the inertia of a shell is not computed".to_owned();
            return self.notes.wrong(node, Problem::Unsupported { what, help: "give the body an `inertial`" });
        }
        let (shape, pose) = self.solid(item, word)?;
        let mass = mass.unwrap_or(density * shape.volume());
        if mass.is_nan() || mass <= 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(mass));
        }
        let origin = pose.origin(&Origin::identity(self.notes.place(node)));
        let [xx, yy, zz] = shape.moments(mass).map(Number::computed);
        let inertia = [xx, Number::zero(), Number::zero(), yy, Number::zero(), zz];
        Some(Inertial { origin, mass: Number::computed(mass), inertia })
    }

    /// A shape of closed form, and where it stands in the body.
    pub(super) fn solid(&mut self, item: &Item<'d>, word: &str) -> Option<(Shape, Pose)> {
        let (view, node) = (item.view, item.view.node);
        let least = match word {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            "ellipsoid" | "box" => 3,
            other => return self.notes.wrong(node, Problem::Shape { found: line(other), help: WEIGH }),
        };
        let mut pose = self.pose(view)?;
        let line = match self.classes.holder(view, "fromto").filter(|_| least > 1) {
            Some(holder) => {
                let ends = self.notes.numbers::<6>(holder, "fromto")?.map(|number| number.value);
                let along = [0, 1, 2].map(|k| ends[k] - ends[k + 3]);
                let Some(turned) = orientation::of_z(along) else { return self.notes.wrong(node, Problem::ZeroAxis) };
                pose = Pose { position: [0, 1, 2].map(|k| 0.5 * (ends[k] + ends[k + 3])), ..turned };
                Some(0.5 * along.iter().map(|part| part * part).sum::<f64>().sqrt())
            }
            None => None,
        };
        let Some(holder) = self.classes.holder(view, "size") else {
            let element = "geom".to_owned();
            return self.notes.wrong(node, Problem::MissingAttribute { element, missing: "size" });
        };
        let least = if line.is_some() { 1 } else { least };
        let size: Vec<f64> = self.notes.list(holder, "size", least, 3)?.iter().map(|number| number.value).collect();
        let shape = match (word, line) {
            ("sphere", _) => Shape::Sphere(size[0]),
            ("capsule", line) => Shape::Capsule(size[0], line.unwrap_or_else(|| size[1])),
            ("cylinder", line) => Shape::Cylinder(size[0], line.unwrap_or_else(|| size[1])),
            (word, line) => {
                let axes = line.map_or_else(|| [size[0], size[1], size[2]], |half| [size[0], size[0], half]);
                if word == "box" { Shape::Box(axes) } else { Shape::Ellipsoid(axes) }
            }
        };
        Some((shape, item.frame.then(&pose)))
    }

    /// Where a shape that is not of closed form stands in the body.
    pub(super) fn place_of(&mut self, item: &Item<'d>) -> Option<Pose> {
        Some(item.frame.then(&self.pose(item.view)?))
    }

    /// Masses that are to have a sum.
    fn settle_masses(&mut self) {
        let Some(wanted) = self.compiler.total_mass else { return };
        let total: f64 =
            self.links.iter().filter_map(|link| link.inertial.as_ref()).map(|known| known.mass.value).sum();
        if total > 0.0 {
            let factor = wanted / total;
            for inertial in self.links.iter_mut().filter_map(|link| link.inertial.as_mut()) {
                inertial.mass = Number::computed(inertial.mass.value * factor);
                inertial.inertia = inertial.inertia.each_ref().map(|moment| Number::computed(moment.value * factor));
            }
        }
    }

    /// What connects bodies and joints beside the tree.
    fn equality(&mut self, section: Node<'d, 'd>) {
        for node in section.children().filter(Node::is_element) {
            if node.attribute("active") == Some("false") {
                self.warn(node, "an `equality` that is not active is ignored");
                continue;
            }
            match node.tag_name().name() {
                word @ ("connect" | "weld") => {
                    if let Some(ends) = self.closed(node, word == "weld") {
                        let default = format!("{word}{}", self.closures.len() + 1);
                        let name = Name(node.attribute("name").map_or(default, str::to_owned));
                        let place = self.notes.place(node);
                        let kind = if word == "weld" { Kind::Fixed } else { Kind::Ball };
                        let axis = [0, 0, 1].map(Number::whole);
                        self.closures.push(Closure { name, place, kind, axis, ends });
                    }
                }
                "joint" => self.coupled(node),
                _ => self.notes.ignore(node, "there are no such constraints"),
            }
        }
    }

    /// The frames that a `connect` or a `weld` keeps together.
    fn closed(&mut self, node: Node<'d, 'd>, is_weld: bool) -> Option<[(usize, Pose); 2]> {
        if node.has_attribute("site1") || node.has_attribute("site2") {
            let [first, second] = ["site1", "site2"].map(|attribute| {
                let name = self.notes.attribute(node, attribute)?;
                self.named("site", name, node)
            });
            return Some([(first?, Pose::IDENTITY), (second?, Pose::IDENTITY)]);
        }
        let first = self.notes.attribute(node, "body1").and_then(|name| self.named("body", name, node));
        let second = self.named("body", node.attribute("body2").unwrap_or("world"), node);
        let (first, second) = (first?, second?);
        let between = self.world[second].inverse().then(&self.world[first]);
        if !is_weld {
            let anchor = self.notes.numbers(node, "anchor")?.map(|number: Number| number.value);
            let anchor = Pose { position: anchor, ..Pose::IDENTITY };
            return Some([(first, anchor), (second, between.then(&anchor))]);
        }
        let held = match node.has_attribute("relpose") {
            true => {
                let [x, y, z, quaternion @ ..] = self.notes.numbers::<7>(node, "relpose")?.map(|number| number.value);
                Pose::turned(quaternion).map(|turned| Pose { position: [x, y, z], ..turned })
            }
            false => None,
        };
        // Without it the bodies stay as they are in the reference position.
        Some([(first, held.unwrap_or(between.inverse())), (second, Pose::IDENTITY)])
    }

    fn named(&mut self, kind: &'static str, name: &str, node: Node) -> Option<usize> {
        let known = if kind == "site" { &self.sites } else { &self.bodies };
        match known.get(name) {
            Some(link) => Some(*link),
            None => {
                let problem = Problem::unknown(kind, name, known.keys());
                self.notes.wrong(node, problem)
            }
        }
    }

    /// The index of a joint that has one coordinate.
    fn joint_named(&mut self, name: &str, node: Node) -> Option<usize> {
        let mut known = self.joints.iter().filter(|joint| joint.kind != Kind::Fixed);
        if known.clone().all(|joint| joint.name.0 != name) {
            let names: Vec<&str> = known.map(|joint| joint.name.0.as_str()).collect();
            let problem = Problem::unknown("joint", name, names.iter());
            return self.notes.wrong(node, problem);
        }
        let found = known.find(|joint| joint.name.0 == name)?;
        let (found, kind) = (self.joints.iter().position(|joint| std::ptr::eq(joint, found))?, found.kind);
        kind.has_coordinate().then_some(found)
    }

    /// A joint whose coordinate follows another one.
    fn coupled(&mut self, node: Node<'d, 'd>) {
        let Some(name) = self.notes.attribute(node, "joint1") else { return };
        let Some(first) = self.joint_named(name, node) else { return };
        let coefficients = match node.has_attribute("polycoef") {
            true => self.notes.list(node, "polycoef", 1, 5),
            false => Some([0, 1].map(Number::whole).to_vec()),
        };
        let Some(mut coefficients) = coefficients else { return };
        // What is not written keeps its default.
        let written = coefficients.len();
        coefficients.extend([0, 1, 0, 0, 0].map(Number::whole).into_iter().skip(written));
        let second = node.attribute("joint2");
        if second.is_some() && coefficients[2..].iter().any(|coefficient| !coefficient.is_zero()) {
            let what = "a coupling of joints by a polynomial is not read".to_owned();
            let help = "write it as a `constraint` of the model";
            self.notes.wrong::<()>(node, Problem::Unsupported { what, help });
            return;
        }
        if self.joints[first].follows.is_some() {
            let what = format!("`{}` follows several joints", self.joints[first].name);
            self.notes
                .wrong::<()>(node, Problem::Unsupported { what, help: "write one as a `constraint` of the model" });
            return;
        }
        let place = self.notes.place(node);
        let joint = second.map(|name| Name(name.to_owned()));
        let [offset, multiplier] = [0, 1].map(|k| coefficients[k].clone());
        self.joints[first].follows = Some(Follower { place, joint, multiplier, offset });
    }

    fn actuators(&mut self, section: Node<'d, 'd>) {
        for node in section.children().filter(Node::is_element) {
            let class = self.class(node, "class", 0);
            let view = View { node, class };
            if let Some(actuator) = self.actuator(view) {
                self.actuators.push(actuator);
            }
        }
    }

    fn actuator(&mut self, view: View<'d>) -> Option<Actuator> {
        let node = view.node;
        let word = node.tag_name().name();
        let joint = self.classes.text(view, "joint").or(self.classes.text(view, "jointinparent"));
        let is_read = matches!(word, "motor" | "position" | "velocity" | "damper" | "general");
        let has_dynamics = self.classes.text(view, "dyntype").is_some_and(|word| word != "none")
            || ["timeconst", "dampratio"]
                .iter()
                .any(|attribute| self.classes.text(view, attribute).is_some_and(|text| text.trim() != "0"));
        let (Some(joint), true, false) = (joint, is_read, has_dynamics) else {
            self.notes.ignore(node, "only motors, and laws that are linear, act on joints");
            return None;
        };
        let name = match node.attribute("name") {
            Some(name) => self.notes.checked_name(node, name)?,
            None => Name(format!("actuator{}", self.actuators.len() + 1)),
        };
        let around = self.notes.enter(Some(format!("actuator `{name}`")));
        let law = self.law(view, word);
        let joint = self.joint_named(joint, node);
        self.notes.enter(around);
        let Some(joint) = joint else {
            if !self.notes.has_errors() {
                self.notes.ignore(node, "only motors, and laws that are linear, act on joints");
            }
            return None;
        };
        for attribute in ["ctrlrange", "forcerange"] {
            if self.classes.holder(view, attribute).is_some() {
                self.warn(node, "inputs and forces of actuators are not clamped to their ranges");
            }
        }
        let (input, gear, [of_input, constant, of_length, of_rate]) = law?;
        // The length is the gear ratio times the coordinate, and the force does work on it.
        let reference = self.references[joint];
        Some(Actuator {
            name,
            place: self.notes.place(node),
            joint,
            input,
            of_input: gear * of_input,
            constant: gear * (constant + of_length * gear * reference),
            of_coordinate: gear * gear * of_length,
            of_velocity: gear * gear * of_rate,
        })
    }

    /// What the input is, the gear ratio, and the force: factors of the input, 1, the length and its rate.
    fn law(&mut self, view: View<'d>, word: &str) -> Option<(Signal, f64, [f64; 4])> {
        let gear = match self.classes.holder(view, "gear") {
            Some(node) => self.notes.list(node, "gear", 1, 6)?[0].value,
            None => 1.0,
        };
        let scalar = |reader: &mut Self, attribute, default: f64| {
            Some(reader.scalar(view, attribute)?.map_or(default, |number| number.value))
        };
        let list = |reader: &mut Self, attribute, default: [f64; 3]| -> Option<[f64; 3]> {
            let Some(node) = reader.classes.holder(view, attribute) else { return Some(default) };
            let mut values = reader.notes.list(node, attribute, 1, 10)?.into_iter().map(|number| number.value);
            Some(default.map(|default| values.next().unwrap_or(default)))
        };
        Some(match word {
            "position" => {
                let (kp, kv) = (scalar(self, "kp", 1.0)?, scalar(self, "kv", 0.0)?);
                (Signal::Coordinate, gear, [kp, 0.0, -kp, -kv])
            }
            "velocity" => {
                let kv = scalar(self, "kv", 1.0)?;
                (Signal::Velocity, gear, [kv, 0.0, 0.0, -kv])
            }
            "general" => {
                let [gain, ..] = list(self, "gainprm", [1.0, 0.0, 0.0])?;
                let bias = match self.classes.text(view, "biastype").unwrap_or("none") {
                    "affine" => list(self, "biasprm", [0.0; 3])?,
                    _ => [0.0; 3],
                };
                if self.classes.text(view, "gaintype").is_some_and(|word| word != "fixed") {
                    let what = "a gain that is not fixed is not read".to_owned();
                    let help = "write the force in the model";
                    return self.notes.wrong(view.node, Problem::Unsupported { what, help });
                }
                (Signal::Effort, gear, [gain, bias[0], bias[1], bias[2]])
            }
            "damper" => {
                let what = "a damper whose input is its damping is not linear".to_owned();
                return self
                    .notes
                    .wrong(view.node, Problem::Unsupported { what, help: "write the force in the model" });
            }
            _ => (Signal::Effort, gear, [1.0, 0.0, 0.0, 0.0]),
        })
    }
}
