//! Joints of MJCF.

use hamel_compiler::escape::excerpt;
use roxmltree::Node;

use super::classes::View;
use super::orientation;
use super::read::{Item, Reader};
use crate::error::Problem;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Joint, Kind, Limits, Name, Spring};

impl<'d> Reader<'_, 'd> {
    /// A joint between two links, and its coordinate in the reference position.
    pub(super) fn joint(
        &mut self,
        item: &Item<'d>,
        default: &str,
        (parent, child): (usize, usize),
        base: &Pose,
    ) -> Option<(Joint, f64)> {
        let (view, node) = (item.view, item.view.node);
        let place = self.notes.place(node);
        let name = self.named_copy(node)?.unwrap_or_else(|| Name(default.to_owned()));
        self.is_copied("joint", node);
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
        let [damping, stiffness] =
            [("damping", "damper"), ("stiffness", "spring")].map(|(attribute, switch)| {
                match self.switches.is_off(switch) {
                    true => Some(None),
                    false => self.coefficient(view, attribute),
                }
            });
        let rotor = self.scalar(view, "armature").map(|rotor| rotor.filter(|rotor| !rotor.is_zero()));
        let reference = self.scalar(view, "ref").map(|number| number.map_or(0.0, |number| angle(number.value)));
        let rest = self.scalar(view, "springref").map(|number| number.map_or(0.0, |number| angle(number.value)));
        for (attribute, message) in [
            ("frictionloss", "`frictionloss` is ignored: a model that is solved for accelerations has no sticking"),
            ("springdamper", "`springdamper` is ignored: give `stiffness` and `damping`"),
            ("springyield", "`springyield` is ignored: springs do not yield"),
        ] {
            if self.switches.is_off(attribute) {
                continue;
            }
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
            anchor: anchor.map(Number::computed),
            axis: turned.position.map(Number::computed),
            damping: damping.filter(|damping| !damping.is_zero() && !is_free),
            rotor: rotor.filter(|_| has_coordinate),
            spring,
            limits: limits?,
            start: (kind == Kind::Floating && *base != Pose::IDENTITY).then_some(*base),
            ..Joint::plain(name, place, kind, (parent, child), &at)
        };
        Some((joint, if has_coordinate { reference } else { 0.0 }))
    }

    /// The factor of a force, which may be followed by those of higher powers, if they are zero.
    fn coefficient(&mut self, view: View<'d>, attribute: &'static str) -> Option<Option<Number>> {
        let Some(holder) = self.classes.holder(view, attribute) else { return Some(None) };
        let mut factors = self.notes.list(holder, attribute, 1, 3)?;
        if factors[1..].iter().all(Number::is_zero) {
            return Some(Some(factors.swap_remove(0)));
        }
        let what = format!("`{attribute}` has factors of higher powers, which are not read");
        self.notes.wrong(holder, Problem::Unsupported { what, help: "write the force in the model" })
    }

    /// What a coordinate and the force on it shall not leave.
    fn limits(
        &mut self,
        view: View<'d>,
        kind: Option<Kind>,
        reference: f64,
        angle: impl Fn(f64) -> f64,
    ) -> Option<Limits> {
        let mut limits = Limits::default();
        let has_coordinate = kind.is_some_and(Kind::has_coordinate);
        for (attribute, word) in [("range", "limited"), ("actuatorfrcrange", "actuatorfrclimited")] {
            let Some(holder) = self.classes.holder(view, attribute) else { continue };
            // A free joint has no limits, and only one coordinate has a force.
            if !has_coordinate && (kind != Some(Kind::Ball) || attribute != "range") {
                continue;
            }
            let [lower, upper] = self.notes.numbers(holder, attribute)?.map(|number: Number| number.value);
            let is_limited = match self.classes.text(view, word).unwrap_or("auto") {
                "auto" => self.compiler.autolimits,
                word => word == "true",
            };
            if !is_limited || lower > upper {
                continue;
            }
            match (attribute, has_coordinate) {
                ("range", _) if self.switches.is_off("limit") => {}
                ("range", false) => self.warn(view.node, "`range` of a joint with several coordinates is ignored"),
                ("range", true) => {
                    limits.position = Some([lower, upper].map(|limit| Number::computed(angle(limit) - reference)));
                }
                _ => {
                    if lower != -upper {
                        let message = "`actuatorfrcrange` is not symmetric: the limit of the effort is the larger side";
                        self.warn(view.node, message);
                    }
                    limits.effort = Some(Number::computed(lower.abs().max(upper.abs())));
                }
            }
        }
        Some(limits)
    }

    /// Warns of a joint whose body, which carries no others, MuJoCo gives the frame of its inertia.
    pub(super) fn aligned(&mut self, view: View<'d>) {
        let is_free = view.node.has_tag_name("freejoint") || self.classes.text(view, "type") == Some("free");
        let is_aligned = match view.node.attribute("align") {
            Some("true") => true,
            Some("false") => false,
            _ => self.compiler.aligns_free,
        };
        if is_free && is_aligned {
            self.warn(view.node, "`align` is ignored: the frame of a free body stays where it is described");
        }
    }
}
