//! What bodies of MJCF weigh.

use hamel_compiler::escape::line;
use roxmltree::Node;

use super::compiler::{Compiler, FromGeoms};
use super::orientation;
use super::principal::principal;
use super::read::{Item, Reader};
use crate::error::{Place, Problem};
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::robot::{Inertial, Origin, merge};
use crate::shape::Shape;

/// Shapes of closed form.
const SOLIDS: [&str; 5] = ["sphere", "capsule", "cylinder", "ellipsoid", "box"];

/// What to do about shapes whose inertia is not computed.
const WEIGH: &str = "give its body an explicit `inertial`, as MuJoCo does: `<compiler saveinertial=\"true\"/>`, then load the file and save it with `mujoco.mj_saveLastXML`";

impl<'d> Reader<'_, 'd> {
    /// What a body weighs, as it is given or as its shapes have it; where that does not matter, they may be of any kind.
    pub(super) fn inertial(&mut self, items: &[Item<'d>], place: Place, matters: bool) -> Option<Inertial> {
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
        let Compiler { least_mass, least_inertia, balances, .. } = self.compiler;
        if least_mass > 0.0 || least_inertia > 0.0 || balances && inertial.is_some() {
            let bounded = inertial.get_or_insert_with(|| Inertial::point(place, 0.0));
            self.bound(bounded);
        }
        inertial
    }

    /// Bounds of masses and moments from below, and moments that no body has made equal.
    fn bound(&self, inertial: &mut Inertial) {
        let Compiler { least_mass, least_inertia, balances, .. } = self.compiler;
        inertial.mass = Number::computed(inertial.mass.value.max(least_mass));
        let [xx, xy, xz, yy, yz, zz] = inertial.inertia.each_ref().map(|moment| moment.value);
        let is_turned = [xy, xz, yz] != [0.0; 3];
        let tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let (moments, turned) = if is_turned { principal(tensor) } else { ([xx, yy, zz], Pose::IDENTITY) };
        let mut bounded = moments.map(|moment| moment.max(least_inertia));
        let sum: f64 = bounded.iter().sum();
        if balances && bounded.iter().any(|moment| sum - moment < *moment) {
            bounded = [sum / 3.0; 3];
        }
        if bounded != moments {
            let r = turned.rotation;
            let entry = |i: usize, j: usize| (0..3).map(|k| r[i][k] * bounded[k] * r[j][k]).sum::<f64>();
            inertial.inertia =
                [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| Number::computed(entry(i, j)));
        }
    }

    /// The element `inertial`.
    pub(super) fn given(&mut self, item: &Item<'d>) -> Option<Inertial> {
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
    pub(super) fn geom(&mut self, item: &Item<'d>, matters: bool) -> Option<Inertial> {
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
        if matches!(word, "plane" | "hfield")
            || !matters && (!SOLIDS.contains(&word) || self.classes.text(view, "mesh").is_some())
        {
            return None;
        }
        if self.classes.text(view, "shellinertia") == Some("true") {
            let what = "the inertia of a shell is not computed".to_owned();
            let help = "give the body an `inertial`, or the asset of a mesh `inertia=\"shell\"`";
            return self.notes.wrong(node, Problem::Unsupported { what, help });
        }
        if word == "mesh" {
            let (weight, place) = (self.weight(item), self.place_of(item));
            let (weight, place) = (weight?, place?);
            let mass = mass.unwrap_or(density * weight.mass);
            let at = place.then(&Pose { position: weight.center, ..Pose::IDENTITY });
            return self.of_shape(
                node,
                mass,
                &at,
                weight.tensor.map(|row| row.map(|entry| mass / weight.mass * entry)),
            );
        }
        let (shape, pose) = self.solid(item, word)?;
        let mass = mass.unwrap_or(density * shape.volume());
        let [xx, yy, zz] = shape.moments(mass);
        self.of_shape(node, mass, &pose, [[xx, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, zz]])
    }

    /// The inertia of a shape whose centre stands there.
    fn of_shape(&mut self, node: Node, mass: f64, pose: &Pose, tensor: [[f64; 3]; 3]) -> Option<Inertial> {
        if mass.is_nan() || mass <= 0.0 {
            return self.notes.wrong(node, Problem::NegativeMass(mass));
        }
        let origin = pose.origin(&Origin::identity(self.notes.place(node)));
        let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = tensor;
        let inertia = [xx, xy, xz, yy, yz, zz].map(Number::computed);
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
        if self.classes.text(view, "mesh").is_some() {
            return self.fitted(item, word);
        }
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
    pub(super) fn settle_masses(&mut self) {
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
}
