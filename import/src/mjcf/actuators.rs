//! Actuators of MJCF, as far as their laws are linear.

use roxmltree::Node;

use super::classes::View;
use super::drives::Drive;
use super::read::Reader;
use crate::error::Problem;
use crate::robot::number::Number;
use crate::robot::{Actuator, Name, Signal};

/// What actuators may act on beside joints.
const OTHERS: [&str; 4] = ["tendon", "site", "cranksite", "body"];

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

    fn actuator(&mut self, View { node, class }: View<'d>) -> Option<Actuator> {
        let Some(joint) = node.attribute("joint").or(node.attribute("jointinparent")) else {
            let other = OTHERS.into_iter().find(|other| node.has_attribute(*other)).unwrap_or("body");
            self.notes.ignore(node, &format!("it acts on a {}, and not on a joint", other.trim_start_matches("crank")));
            return None;
        };
        let name = self.named_copy(node)?.unwrap_or_else(|| Name(format!("actuator{}", self.actuators.len() + 1)));
        let around = self.notes.enter(Some(format!("actuator `{name}`")));
        let actuator = self.of_joint(View { node, class }, joint, name);
        self.notes.enter(around);
        actuator
    }

    fn of_joint(&mut self, View { node, class }: View<'d>, joint: &str, name: Name) -> Option<Actuator> {
        let known = self.notes.errors();
        let (drive, joint) = (self.drive(node, class), self.joint_named(joint, node));
        if joint.is_none() && self.notes.errors() == known {
            self.notes.ignore(node, "its joint has several coordinates");
        }
        let (drive, joint) = (drive?, joint?);
        self.rotor(node, joint, &drive)?;
        if self.switches.is_off("actuation") {
            return None;
        }
        if self.switches.is_group_off(drive.group) {
            self.notes.ignore(node, "its group is switched off");
            return None;
        }
        let [of_input, constant, of_length, of_rate] = self.law(node, &drive)?;
        if drive.is_clamped(self.compiler.autolimits, !self.switches.is_off("clampctrl")) {
            self.warn(node, "inputs and forces of actuators are not clamped to their ranges");
        }
        if drive.delay > 0.0 {
            self.warn(node, "`delay` of an actuator is ignored: its input acts at once");
        }
        // The length is the gear ratio times the coordinate, and the force does work on it.
        let (gear, reference) = (drive.gear(), self.references[joint]);
        Some(Actuator {
            name,
            place: self.notes.place(node),
            joint,
            input: match node.tag_name().name() {
                "position" => Signal::Coordinate,
                "velocity" => Signal::Velocity,
                _ => Signal::Effort,
            },
            of_input: gear * of_input,
            constant: gear * (constant + of_length * gear * reference),
            of_coordinate: gear * gear * of_length,
            of_velocity: gear * gear * of_rate,
        })
    }

    /// The force before the gear: factors of the input, 1, the length and its rate.
    fn law(&mut self, node: Node<'d, 'd>, drive: &Drive<'d>) -> Option<[f64; 4]> {
        let bias = match drive.bias_kind {
            "none" => [0.0; 3],
            _ => drive.bias,
        };
        let is_varied = drive.gain_kind == "affine" && drive.gain[1..] != [0.0; 2];
        if drive.dynamics == "none" && is_varied {
            let what = "a gain that is not fixed is not read".to_owned();
            return self.notes.wrong(node, Problem::Unsupported { what, help: "write the force in the model" });
        }
        let is_linear =
            matches!(drive.gain_kind, "fixed" | "affine") && matches!(drive.bias_kind, "none" | "affine") && !is_varied;
        let is_known = drive.gain.iter().chain(&bias).all(|factor| !factor.is_nan());
        let reason = if !is_linear || !is_known {
            "only forces that are linear in the input, the coordinate and the velocity are read"
        } else if drive.dynamics != "none" {
            "its input acts through a state of its own"
        } else if drive.is_damped_by_ratio() {
            "MuJoCo computes its damping from `dampratio` and the inertia, by rules that differ between versions: \
             give `kv`"
        } else {
            return Some([drive.gain[0], bias[0], bias[1], bias[2]]);
        };
        self.notes.ignore(node, reason);
        None
    }

    /// What an actuator adds to its joint, whatever its force is.
    fn rotor(&mut self, node: Node<'d, 'd>, joint: usize, drive: &Drive<'d>) -> Option<()> {
        if drive.armature < 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(drive.armature));
        }
        let gear = drive.gear().powi(2);
        let damping = if self.switches.is_off("damper") { [0.0; 3] } else { drive.damping };
        let [damping, nonlinear @ ..] = damping;
        if nonlinear != [0.0; 2] {
            self.warn(node, "`damping` of an actuator is linear: its other coefficients are ignored");
        }
        let joint = &mut self.joints[joint];
        for (sum, part) in [(&mut joint.rotor, drive.armature), (&mut joint.damping, damping)] {
            if part != 0.0 {
                *sum = Some(Number::computed(sum.as_ref().map_or(0.0, |sum| sum.value) + gear * part));
            }
        }
        Some(())
    }
}
