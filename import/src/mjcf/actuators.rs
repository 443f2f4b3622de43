//! Actuators of MJCF, as far as their laws are linear.

use roxmltree::Node;

use super::classes::View;
use super::read::Reader;
use crate::error::Problem;
use crate::robot::{Actuator, Name, Signal};

impl<'d> Reader<'_, 'd> {
    pub(super) fn actuators(&mut self, section: Node<'d, 'd>) {
        for node in section.children().filter(Node::is_element) {
            let class = self.class(node, "class", 0);
            let view = View { node, class };
            self.for_each_copy(view, &[("joint", "joint"), ("joint", "jointinparent")], |reader| {
                let actuator = reader.actuator(view);
                reader.actuators.extend(actuator);
            });
        }
    }

    pub(super) fn actuator(&mut self, view: View<'d>) -> Option<Actuator> {
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
        let name = self.named_copy(node)?.unwrap_or_else(|| Name(format!("actuator{}", self.actuators.len() + 1)));
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
    pub(super) fn law(&mut self, view: View<'d>, word: &str) -> Option<(Signal, f64, [f64; 4])> {
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
