//! What actuators are before they act on something: what their elements say, with the defaults of their classes.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_4;
use std::rc::Rc;

use roxmltree::Node;

use super::read::Reader;

/// An actuator of any element: its force is a gain times the input, plus a bias. Both may be functions of its length and
/// of the rate of this.
#[derive(Clone, Copy)]
pub(super) struct Drive<'d> {
    /// The element that was the last to say something; `general` says things one by one, others several at once.
    element: &'d str,
    /// Gear ratios, of which joints with one coordinate have the first.
    gears: [f64; 6],
    /// Factors of 1, the length and its rate; not numbers where an element said them that is not read.
    pub(super) gain: [f64; 3],
    pub(super) bias: [f64; 3],
    pub(super) gain_kind: &'d str,
    pub(super) bias_kind: &'d str,
    /// How the input becomes what the gain multiplies.
    pub(super) dynamics: &'d str,
    pub(super) group: f64,
    /// Of the rotor, before the gear.
    pub(super) armature: f64,
    /// Factors of the velocity before the gear, its square and its cube.
    pub(super) damping: [f64; 3],
    pub(super) delay: f64,
    inherits: f64,
    /// Ranges of the input and of the force, and whether they are limits.
    ranges: [([f64; 2], &'d str); 2],
}

impl Default for Drive<'_> {
    fn default() -> Self {
        Self {
            element: "general",
            gears: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            gain_kind: "fixed",
            bias_kind: "none",
            dynamics: "none",
            group: 0.0,
            armature: 0.0,
            damping: [0.0; 3],
            delay: 0.0,
            inherits: 0.0,
            ranges: [([0.0; 2], "auto"); 2],
        }
    }
}

impl Drive<'_> {
    pub(super) fn gear(&self) -> f64 {
        self.gears[0]
    }

    /// Whether its input pulls a coordinate to it.
    fn is_servo(&self) -> bool {
        self.bias_kind == "affine" && self.gain[0] == -self.bias[1]
    }

    /// Whether its damping is a ratio: MuJoCo has it with the sign that a damping has not.
    pub(super) fn is_damped_by_ratio(&self) -> bool {
        self.is_servo() && self.bias[2] > 0.0
    }

    /// Whether its input or its force has limits.
    pub(super) fn is_clamped(&self, autolimits: bool, clamps_inputs: bool) -> bool {
        let is_limit = |(range, word): ([f64; 2], &str)| match word {
            "auto" => autolimits && range != [0.0; 2],
            word => word == "true",
        };
        let [input, force] = self.ranges.map(is_limit);
        let is_inherited = self.inherits > 0.0 && self.is_servo();
        clamps_inputs && (input || is_inherited) || force
    }

    /// What it does, of an element that is not read.
    fn unknown(&mut self) {
        (self.gain, self.bias) = ([f64::NAN; 3], [f64::NAN; 3]);
        (self.gain_kind, self.bias_kind, self.dynamics) = (self.element, self.element, self.element);
    }
}

/// Of classes, their drives, after those of the classes around them; `None` of one that is wrong.
pub(super) type Drives<'d> = HashMap<usize, Option<Rc<[Drive<'d>]>>>;

impl<'d> Reader<'_, 'd> {
    /// The drive of an actuator.
    pub(super) fn drive(&mut self, node: Node<'d, 'd>, class: usize) -> Option<Drive<'d>> {
        let around = match self.drives.get(&class) {
            Some(known) => known.clone(),
            None => {
                let lineage: Vec<_> = self.classes.lineage(class).collect();
                let whole = lineage.into_iter().rev().map(|(class, _)| self.drives_of(class)?.pop());
                let around = whole.collect::<Option<Vec<_>>>().map(Rc::from);
                self.drives.insert(class, around.clone());
                around
            }
        };
        self.told(&around?, node)
    }

    /// The drive of a class, after those that the classes around it had when it was made.
    fn drives_of(&mut self, class: usize) -> Option<Vec<Drive<'d>>> {
        let lineage: Vec<_> = self.classes.lineage(class).collect();
        let mut drives: Vec<Drive<'d>> = Vec::with_capacity(lineage.len());
        for around in lineage.into_iter().rev() {
            drives.push(drives.last().copied().unwrap_or_default());
            let own: Vec<_> = self.classes.own(around, "actuator").collect();
            for node in own {
                let told = self.told(&drives, node)?;
                drives.pop();
                drives.push(told);
            }
        }
        Some(drives)
    }

    /// The last of these drives, with what an element says.
    ///
    /// As in MuJoCo since version 3.16, gain and bias are those of the nearest class that was told by the same element, or
    /// by a `general` with the same kind of gain; all others set them to what the element has without a class.
    fn told(&mut self, around: &[Drive<'d>], node: Node<'d, 'd>) -> Option<Drive<'d>> {
        let element = node.tag_name().name();
        let last = around.last().copied().unwrap_or_default();
        let mut drive = Drive { element, ..last };
        self.entries(node, "gear", &mut drive.gears)?;
        self.entries(node, "damping", &mut drive.damping)?;
        drive.armature = self.number_or(node, "armature", drive.armature)?;
        drive.group = self.number_or(node, "group", drive.group)?;
        drive.delay = self.number_or(node, "delay", drive.delay)?;
        drive.inherits = self.number_or(node, "inheritrange", drive.inherits)?;
        for (index, (range, limited)) in
            [("ctrlrange", "ctrllimited"), ("forcerange", "forcelimited")].into_iter().enumerate()
        {
            let (limits, word) = &mut drive.ranges[index];
            *word = node.attribute(limited).unwrap_or(word);
            if node.has_attribute(range) {
                *limits = self.notes.numbers::<2>(node, range)?.map(|number| number.value);
            }
        }
        let gain_kind = if element == "damper" { "affine" } else { "fixed" };
        let is_source =
            |drive: &&Drive| drive.element == element || (drive.element, drive.gain_kind) == ("general", gain_kind);
        let source = around.iter().rev().find(is_source).copied().unwrap_or_default();
        if element != "general" {
            (drive.gain, drive.bias) = ([0.0; 3], [0.0; 3]);
            (drive.gain_kind, drive.bias_kind, drive.dynamics) = (gain_kind, "affine", "none");
        }
        match element {
            "general" => {
                self.entries(node, "gainprm", &mut drive.gain)?;
                self.entries(node, "biasprm", &mut drive.bias)?;
                drive.gain_kind = node.attribute("gaintype").unwrap_or(drive.gain_kind);
                drive.bias_kind = node.attribute("biastype").unwrap_or(drive.bias_kind);
                drive.dynamics = node.attribute("dyntype").unwrap_or(drive.dynamics);
            }
            "motor" => (drive.gain[0], drive.bias_kind) = (1.0, "none"),
            "position" | "intvelocity" => {
                let kp = self.number_or(node, "kp", source.gain[0])?;
                let kv = self.number_or(node, "kv", -source.bias[2])?;
                // A ratio stands where a damping would, with the other sign.
                let ratio = self.number_or(node, "dampratio", -kv)?;
                (drive.gain[0], drive.bias) = (kp, [0.0, -kp, ratio]);
                let time = if source.dynamics == "filterexact" { 1.0 } else { 0.0 };
                drive.dynamics = match self.number_or(node, "timeconst", time)? {
                    _ if element == "intvelocity" => "integrator",
                    0.0 => "none",
                    _ => "filterexact",
                };
            }
            "velocity" => {
                let kv = self.number_or(node, "kv", source.gain[0])?;
                (drive.gain[0], drive.bias[2]) = (kv, -kv);
            }
            "damper" => {
                drive.gain[2] = -self.number_or(node, "kv", -source.gain[2])?;
                (drive.bias_kind, drive.ranges[0].1) = ("none", "true");
            }
            "adhesion" => {
                drive.gain[0] = self.number_or(node, "gain", source.gain[0])?;
                (drive.bias_kind, drive.ranges[0].1) = ("none", "true");
            }
            "cylinder" => {
                let area = self.number_or(node, "area", source.gain[0])?;
                drive.gain[0] = match node.has_attribute("diameter") {
                    true => FRAC_PI_4 * self.number_or(node, "diameter", 0.0)?.powi(2),
                    false => area,
                };
                drive.bias = source.bias;
                self.entries(node, "bias", &mut drive.bias)?;
                drive.dynamics = "filter";
            }
            _ => drive.unknown(),
        }
        Some(drive)
    }

    fn number_or(&mut self, node: Node<'d, 'd>, attribute: &'static str, default: f64) -> Option<f64> {
        match node.has_attribute(attribute) {
            true => self.notes.number(node, attribute).map(|number| number.value),
            false => Some(default),
        }
    }

    /// Sets as many of these numbers as an attribute has; others remain.
    fn entries<const N: usize>(
        &mut self,
        node: Node<'d, 'd>,
        attribute: &'static str,
        entries: &mut [f64; N],
    ) -> Option<()> {
        if node.has_attribute(attribute) {
            // Parameters of a gain or a bias are ten, of which linear ones need three.
            let most = if attribute.ends_with("prm") { 10 } else { N };
            let written = self.notes.list(node, attribute, 1, most)?;
            entries.iter_mut().zip(written).for_each(|(entry, number)| *entry = number.value);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
