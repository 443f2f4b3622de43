//! What links weigh: said, or of their shapes.

use hamel_compiler::escape::line;
use roxmltree::Node;

use super::read::{Item, Reader, child, elements};
use crate::error::{Place, Problem};
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Inertial, Origin, merge};
use crate::shape::Shape;
use crate::xml;

/// kg/m³, of shapes that do not say theirs.
const DENSITY: f64 = 1000.0;

impl<'d> Reader<'_, 'd> {
    /// What a link weighs.
    pub(super) fn inertial_of(&mut self, link: usize) -> Option<Inertial> {
        let Item { node, scope, .. } = self.items[self.link_frames[link]];
        let place = self.notes.place(node);
        let around = self.notes.enter(Some(format!("link `{}`", self.links[link].name)));
        let mut inertial = None;
        for child in elements(node) {
            match child.tag_name().name() {
                "pose" => {}
                "inertial" => inertial = Some(child),
                "gravity" => {
                    if matches!(xml::text(child).as_str(), "false" | "0") {
                        let message = "`gravity` is ignored: it acts on all bodies";
                        self.notes.warn(self.notes.place(child), message, || message.to_owned());
                    }
                }
                "visual" | "collision" if self.has_looks => {}
                "kinematic" | "enable_wind" | "self_collide" | "must_be_base_link"
                    if matches!(xml::text(child).as_str(), "false" | "0") => {}
                _ => self.ignore(child),
            }
        }
        let inertial = match inertial {
            Some(inertial) if matches!(inertial.attribute("auto"), Some("true" | "1")) => {
                self.automatic(node, inertial, scope, place)
            }
            Some(inertial) => self.inertial(inertial),
            None => {
                let message = "`inertial` is missing: in SDFormat such a link has 1 kg and 1 kg m² about each axis";
                self.notes.warn(place, message, || message.to_owned());
                Some(unit(place))
            }
        };
        self.notes.enter(around);
        inertial.filter(|known| !(known.mass.is_zero() && known.inertia.iter().all(Number::is_zero)))
    }

    /// The element `inertial`.
    fn inertial(&mut self, node: Node<'d, 'd>) -> Option<Inertial> {
        let mut inertial = unit(self.notes.place(node));
        for part in elements(node) {
            match part.tag_name().name() {
                "mass" => [inertial.mass] = self.notes.text_numbers::<1>(part, "mass")?,
                "pose" => {
                    if part.attribute("relative_to").is_some_and(|name| !name.is_empty()) {
                        let what = "the `pose` of an `inertial` is that in its link".to_owned();
                        let help = "leave out `relative_to`";
                        return self.notes.wrong(part, Problem::Unsupported { what, help });
                    }
                    let pose = self.own_pose(part)?;
                    inertial.origin = pose.origin(&inertial.origin);
                }
                "inertia" => {
                    for (entry, name) in ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].into_iter().enumerate() {
                        if let Some(part) = child(part, name) {
                            [inertial.inertia[entry]] = self.notes.text_numbers::<1>(part, name)?;
                        }
                    }
                }
                _ => self.ignore(part),
            }
        }
        if inertial.mass.value < 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(inertial.mass.value));
        }
        Some(inertial)
    }

    /// What the shapes of a link weigh.
    fn automatic(&mut self, link: Node<'d, 'd>, node: Node<'d, 'd>, scope: usize, place: Place) -> Option<Inertial> {
        let number = |reader: &mut Self, around, name| match child(around, name) {
            Some(found) => reader.notes.text_numbers::<1>(found, name).map(|[number]| Some(number.value)),
            None => Some(None),
        };
        let density = number(self, node, "density")?.unwrap_or(DENSITY);
        let frame = self.frame(link, scope, link.attribute("name").unwrap_or_default())?;
        let mut parts = Vec::new();
        for collision in elements(link).filter(|node| node.has_tag_name("collision")) {
            let density = number(self, collision, "density")?.unwrap_or(density);
            let (base, pose) = match child(collision, "pose") {
                Some(pose) => self.pose(pose, scope)?,
                None => (None, Pose::IDENTITY),
            };
            let pose = base.map_or(pose, |base| self.frames.between(frame, base).then(&pose));
            let geometry = child(collision, "geometry").and_then(|geometry| elements(geometry).next());
            let Some(geometry) = geometry else {
                let element = "collision".to_owned();
                return self.notes.wrong(collision, Problem::MissingElement { element, missing: "geometry" });
            };
            let shape = self.shape(geometry)?;
            let mass = density * shape.volume();
            if mass.is_nan() || mass <= 0.0 {
                return self.notes.wrong(collision, Problem::NegativeMass(mass));
            }
            let origin = pose.origin(&Origin::identity(self.notes.place(collision)));
            let [xx, yy, zz] = shape.moments(mass).map(Number::computed);
            let inertia = [xx, Number::zero(), Number::zero(), yy, Number::zero(), zz];
            parts.push(Inertial { origin, mass: Number::computed(mass), inertia });
        }
        if parts.is_empty() {
            let element = "link".to_owned();
            return self.notes.wrong(link, Problem::MissingElement { element, missing: "collision" });
        }
        let mut total = merge::combined(&parts, place);
        // The shapes say how a mass that is given is spread.
        if let Some(mass) = number(self, node, "mass")? {
            let factor = mass / total.mass.value;
            total.mass = Number::computed(mass);
            total.inertia = total.inertia.map(|moment| Number::computed(factor * moment.value));
        }
        Some(total)
    }

    pub(super) fn shape(&mut self, node: Node<'d, 'd>) -> Option<Shape> {
        let word = node.tag_name().name();
        let number = |reader: &mut Self, name| {
            let element = reader.notes.element(node, name)?;
            reader.notes.text_numbers::<1>(element, name).map(|[number]| number.value)
        };
        Some(match word {
            "sphere" => Shape::Sphere(number(self, "radius")?),
            "cylinder" => Shape::Cylinder(number(self, "radius")?, 0.5 * number(self, "length")?),
            "capsule" => Shape::Capsule(number(self, "radius")?, 0.5 * number(self, "length")?),
            "box" | "ellipsoid" => {
                let name = if word == "box" { "size" } else { "radii" };
                let element = self.notes.element(node, name)?;
                let size = self.notes.text_numbers::<3>(element, name)?.map(|number| number.value);
                if word == "box" { Shape::Box(size.map(|edge| 0.5 * edge)) } else { Shape::Ellipsoid(size) }
            }
            other => {
                return self
                    .notes
                    .wrong(node, Problem::Shape { found: line(other), help: "give its body an explicit `inertial`" });
            }
        })
    }
}

/// What a link has that does not say what it weighs.
fn unit(place: Place) -> Inertial {
    let inertia = [1, 0, 0, 1, 0, 1].map(Number::whole);
    Inertial { origin: Origin::identity(place), mass: Number::whole(1), inertia }
}
