//! What joints say: their kinds, axes, limits, springs, and whom they follow.

use std::f64::consts::TAU;

use hamel_compiler::escape::{excerpt, line};
use roxmltree::Node;

use super::read::{Axis, Described, Item, Reader, What, child, elements};
use super::tree;
use crate::error::Problem;
use crate::robot::number::Number;
use crate::robot::{Follower, Kind, Limits, Name, Spring};
use crate::xml;

const KINDS: [&str; 8] = ["revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw"];

/// What Drake has added: the inertia of a rotor about its axis, and how many times it turns faster than the joint.
pub(super) const ROTOR: [&str; 2] = ["rotor_inertia", "gear_ratio"];

/// Limits beyond this are none; it was written so before `inf` was.
const UNLIMITED: f64 = 1e16;

impl<'d> Reader<'_, 'd> {
    pub(super) fn joint(&mut self, number: usize) -> Option<Described> {
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
                // Many tools write an axis for every joint.
                "axis" => {}
                "axis2" if count > 1 => {}
                "axis2" => {
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
