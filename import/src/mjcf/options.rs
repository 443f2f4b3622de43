//! `option`: gravity, and what is switched off.

use std::collections::HashMap;

use roxmltree::Node;

use super::read::Reader;
use crate::robot::number::Number;

/// What flags switch off that a model would have otherwise, and what follows.
const SWITCHES: [(&str, &str); 7] = [
    ("passive", "joints have no springs and no damping"),
    ("damper", "joints have no damping"),
    ("spring", "joints have no springs"),
    ("actuation", "actuators have no inputs and no forces"),
    ("limit", "joints have no limits"),
    ("equality", "nothing is connected beside the tree"),
    ("constraint", "joints have no limits, and nothing is connected beside the tree"),
];

/// What is switched off.
#[derive(Default)]
pub(super) struct Switches<'d> {
    /// Flags, with the elements that switch them off.
    off: HashMap<&'d str, Node<'d, 'd>>,
    /// Groups of actuators, a bit each.
    groups: u32,
}

impl Switches<'_> {
    /// Whether a flag switches something off, by itself or with others.
    pub(super) fn is_off(&self, flag: &str) -> bool {
        let with_others = match flag {
            "limit" | "equality" | "frictionloss" => self.off.contains_key("constraint"),
            // A flag of versions before 3.4.
            "damper" | "spring" => self.off.contains_key("passive"),
            _ => false,
        };
        with_others || self.off.contains_key(flag)
    }

    /// Whether actuators of a group have no force.
    pub(super) fn is_group_off(&self, group: f64) -> bool {
        group >= 0.0 && group < f64::from(u32::BITS) && self.groups >> (group as u32) & 1 == 1
    }
}

impl<'d> Reader<'_, 'd> {
    /// What is switched off, and the gravity; the last `option` that says something counts.
    pub(super) fn options(&mut self, options: impl Iterator<Item = Node<'d, 'd>>) -> String {
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
            let groups = option.attribute("actuatorgroupdisable").unwrap_or_default().split_whitespace();
            let groups = groups.filter_map(|group| group.parse().ok()).filter_map(|group| 1_u32.checked_shl(group));
            self.switches.groups |= groups.fold(0, |all, group| all | group);
            for flag in option.children().filter(|child| child.has_tag_name("flag")) {
                for attribute in flag.attributes() {
                    match attribute.value() {
                        "disable" => self.switches.off.insert(attribute.name(), flag),
                        _ => self.switches.off.remove(attribute.name()),
                    };
                }
            }
        }
        for (name, consequence) in SWITCHES {
            if let Some(&flag) = self.switches.off.get(name) {
                self.warn(flag, &format!("`{name}` is switched off: {consequence}"));
            }
        }
        if self.switches.is_off("gravity") {
            gravity = [(); 3].map(|()| Number::zero());
        }
        format!("[{}] m/s^2", gravity.each_ref().map(Number::literal).join(", "))
    }
}
