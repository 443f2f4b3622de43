//! Where frames stand, by the names that poses and joints give them.

use hamel_compiler::escape::line;
use roxmltree::Node;

use super::read::{Item, Reader, What, child};
use crate::error::Problem;
use crate::robot::Origin;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::xml;

impl<'d> Reader<'_, 'd> {
    /// The frame of a name; an error stands where it is used.
    pub(super) fn frame(&mut self, node: Node<'d, 'd>, scope: usize, name: &str) -> Option<usize> {
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
    pub(super) fn place_all(&mut self) -> Option<()> {
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

    pub(super) fn own_pose(&mut self, node: Node<'d, 'd>) -> Option<Pose> {
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
    pub(super) fn end(&mut self, node: Node<'d, 'd>, scope: usize, role: &'static str) -> Option<usize> {
        let Some(end) = child(node, role) else {
            let element = "joint".to_owned();
            return self.notes.wrong(node, Problem::MissingElement { element, missing: role });
        };
        let name = xml::text(end);
        if name == "world" && role == "parent" { Some(0) } else { self.frame(end, scope, &name) }
    }

    /// The link that a frame belongs to.
    pub(super) fn link_of(&mut self, frame: usize) -> Option<usize> {
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
    pub(super) fn first_link(&self, scope: usize) -> Option<usize> {
        let inside = |what: fn(&What) -> bool| {
            (1..self.items.len()).find(|&item| self.items[item].scope == scope && what(&self.items[item].what))
        };
        inside(|what| matches!(what, What::Link(_))).or_else(|| inside(|what| matches!(what, What::Model(_))))
    }
}
