//! What connects bodies and joints of MJCF beside the tree.

use roxmltree::Node;

use super::classes::View;
use super::read::Reader;
use crate::error::Problem;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Closure, Follower, Kind, Name};

/// How far apart rounding leaves frames, m or 1.
const ROUNDING: f64 = 1e-12;

/// The same of numbers that are written with a few digits.
const WRITTEN: f64 = 1e-6;

impl<'d> Reader<'_, 'd> {
    /// What connects bodies and joints beside the tree.
    pub(super) fn equality(&mut self, section: Node<'d, 'd>) {
        if self.switches.is_off("equality") {
            return;
        }
        for node in section.children().filter(Node::is_element) {
            let view = View { node, class: self.class(node, "class", 0) };
            // A class has one default for all of these elements.
            let default = || self.classes.default(view.class, "equality", "active")?.attribute("active");
            if node.attribute("active").or_else(default) == Some("false") {
                self.warn(node, "an `equality` that is not active is ignored");
                continue;
            }
            match node.tag_name().name() {
                word @ ("connect" | "weld") => {
                    let references = [("body", "body1"), ("body", "body2"), ("site", "site1"), ("site", "site2")];
                    self.for_each_copy(view, &references, |reader| reader.closure(node, word == "weld"));
                }
                "joint" => {
                    let references = [("joint", "joint1"), ("joint", "joint2")];
                    self.for_each_copy(view, &references, |reader| reader.coupled(node));
                }
                _ => self.notes.ignore(node, "there are no such constraints"),
            }
        }
    }

    fn closure(&mut self, node: Node<'d, 'd>, is_weld: bool) {
        let (Some(ends), Some(name)) = (self.closed(node, is_weld), self.named_copy(node)) else { return };
        let default = || Name(format!("{}{}", node.tag_name().name(), self.closures.len() + 1));
        let (name, place) = (name.unwrap_or_else(default), self.notes.place(node));
        let kind = if is_weld { Kind::Fixed } else { Kind::Ball };
        self.join(node, &name, kind, &ends);
        let axis = [0, 0, 1].map(Number::whole);
        self.closures.push(Closure { name, place, kind, axis, ends });
    }

    /// Lets a free body start where it is tied to, with all that it carries: where it is described would be in conflict.
    fn join(&mut self, node: Node<'d, 'd>, name: &Name, kind: Kind, ends: &[(usize, Pose); 2]) {
        let frames = ends.map(|(link, end)| match kind {
            Kind::Fixed => self.world[link].then(&end),
            _ => Pose { position: self.world[link].then(&end).position, ..Pose::IDENTITY },
        });
        let gap = frames[0].inverse().then(&frames[1]).distance(&Pose::IDENTITY);
        if gap < ROUNDING {
            return;
        }
        let roots = ends.map(|(link, _)| self.root(link));
        let is_free = |root: &usize| self.joints[*root].kind == Kind::Floating;
        let moved = [1, 0].into_iter().find(|&k| roots[k].as_ref().is_some_and(is_free) && roots[0] != roots[1]);
        let joint = moved.and_then(|k| Some((k, &mut self.joints[roots[k]?])));
        let start = match joint {
            Some((k, joint)) => {
                let motion = frames[1 - k].then(&frames[k].inverse());
                joint.start = Some(motion.then(&joint.start.unwrap_or(Pose::IDENTITY)));
                format!("`{}` starts", joint.name)
            }
            None => "the motion starts".to_owned(),
        };
        if gap > WRITTEN {
            self.notes.warn(self.notes.place(node), "a closure that is open", || {
                format!("`{name}` does not hold where the robot is described: {start} where it does")
            });
        }
    }

    /// The joint that connects a link with the ground, itself or through others.
    fn root(&self, mut link: usize) -> Option<usize> {
        loop {
            // Every link but the world has a joint, in the same order, unless something is wrong.
            let index = link.checked_sub(1)?;
            let joint = self.joints.get(index).filter(|joint| joint.child == link && joint.parent < link)?;
            if joint.parent == 0 {
                return Some(index);
            }
            link = joint.parent;
        }
    }

    /// The frames that a `connect` or a `weld` keeps together.
    pub(super) fn closed(&mut self, node: Node<'d, 'd>, is_weld: bool) -> Option<[(usize, Pose); 2]> {
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
        let anchor = self.notes.optional::<3>(node, "anchor")?.map(|anchor| anchor.map(|number| number.value));
        let anchor = Pose { position: anchor.unwrap_or_default(), ..Pose::IDENTITY };
        // A pose says where the first body has the anchor of the second, and how that body is turned in it.
        let held = self.notes.optional::<7>(node, "relpose")?.and_then(|pose| {
            let [x, y, z, quaternion @ ..] = pose.map(|number| number.value);
            Some(Pose { position: [x, y, z], ..Pose::turned(quaternion)? })
        });
        // Without it the bodies stay as they are in the reference position.
        Some([(first, held.unwrap_or_else(|| between.inverse().then(&anchor))), (second, anchor)])
    }

    pub(super) fn named(&mut self, kind: &'static str, name: &str, node: Node) -> Option<usize> {
        let known = if kind == "site" { &self.sites } else { &self.bodies };
        let found = known.get(&format!("{name}{}", self.suffix)).or(known.get("world").filter(|_| name == "world"));
        match found {
            Some(link) => Some(*link),
            None => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                let problem = Problem::unknown(kind, name, names.iter());
                self.notes.wrong(node, problem)
            }
        }
    }

    /// The index of a joint that has one coordinate.
    pub(super) fn joint_named(&mut self, name: &str, node: Node) -> Option<usize> {
        let name = &format!("{name}{}", self.suffix);
        let mut known = self.joints.iter().filter(|joint| joint.kind != Kind::Fixed);
        if known.clone().all(|joint| joint.name.0 != *name) {
            let names: Vec<&str> = known.map(|joint| joint.name.0.as_str()).collect();
            let problem = Problem::unknown("joint", name, names.iter());
            return self.notes.wrong(node, problem);
        }
        let found = known.find(|joint| joint.name.0 == *name)?;
        let (found, kind) = (self.joints.iter().position(|joint| std::ptr::eq(joint, found))?, found.kind);
        kind.has_coordinate().then_some(found)
    }

    /// A joint whose coordinate follows another one.
    pub(super) fn coupled(&mut self, node: Node<'d, 'd>) {
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
        let joint = second.map(|name| Name(format!("{name}{}", self.suffix)));
        let [offset, multiplier] = [0, 1].map(|k| coefficients[k].clone());
        self.joints[first].follows = Some(Follower { place, joint, multiplier, offset });
    }
}
