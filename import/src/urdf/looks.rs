//! What links of URDF look like.

use std::collections::HashMap;

use roxmltree::Node;

use super::read::Reader;
use crate::looks::{Form, Look, color, numbers};
use crate::robot::Origin;
use crate::robot::number::Number;
use crate::robot::pose::Pose;
use crate::shape::Shape;

impl Reader<'_> {
    /// The shapes of links that have these names.
    pub(super) fn looks(&mut self, robot: Node, links: &[Node], index: &HashMap<&str, usize>) -> Vec<Look> {
        let mut materials: HashMap<&str, [f64; 3]> = HashMap::new();
        for material in robot.descendants().filter(|node| node.has_tag_name("material")) {
            if let (Some(name), Some(color)) = (material.attribute("name"), color_of(material)) {
                materials.insert(name, color);
            }
        }
        let mut looks = Vec::new();
        for node in links {
            let Some(&link) = node.attribute("name").and_then(|name| index.get(name)) else { continue };
            for shape in node.children().filter(|child| ["visual", "collision"].contains(&child.tag_name().name())) {
                let (place, is_collision) = (self.notes.place(shape), shape.has_tag_name("collision"));
                let (Some(form), Some(pose)) = (form(shape), self.look_pose(shape)) else {
                    if !is_collision {
                        let message = "a `visual` is ignored: expected a mesh or a solid with finite numbers";
                        self.notes.warn(place, message, || message.to_owned());
                    }
                    continue;
                };
                let material = child(shape, "material");
                let color = material.and_then(color_of);
                let named = || material?.attribute("name").and_then(|name| materials.get(name).copied());
                looks.push(Look { place, link, pose, form, color: color.or_else(named), is_collision });
            }
        }
        looks
    }

    fn look_pose(&self, shape: Node) -> Option<Pose> {
        let Some(origin) = child(shape, "origin") else { return Some(Pose::IDENTITY) };
        let [xyz, rpy] = ["xyz", "rpy"].map(|name| origin.attribute(name).map_or(Some([0.0; 3]), numbers::<3>));
        let place = self.notes.place(origin);
        let rpy = rpy?.map(|angle| Number::computed(angle).angle(self.exact_angles));
        Some(Pose::of(&Origin { place, xyz: xyz?.map(Number::computed), rpy }))
    }
}

fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn color_of(material: Node) -> Option<[f64; 3]> {
    color(child(material, "color")?.attribute("rgba")?)
}

fn form(shape: Node) -> Option<Form> {
    let solid = child(shape, "geometry")?.children().find(Node::is_element)?;
    let number = |name| numbers::<1>(solid.attribute(name)?).map(|[number]| number);
    Some(match solid.tag_name().name() {
        "mesh" => {
            let scale = solid.attribute("scale").map_or(Some([1.0; 3]), numbers::<3>)?;
            Form::Mesh(solid.attribute("filename")?.to_owned(), scale)
        }
        "sphere" => Form::Solid(Shape::Sphere(number("radius")?)),
        "cylinder" => Form::Solid(Shape::Cylinder(number("radius")?, 0.5 * number("length")?)),
        "capsule" => Form::Solid(Shape::Capsule(number("radius")?, 0.5 * number("length")?)),
        "box" => Form::Solid(Shape::Box(numbers::<3>(solid.attribute("size")?)?.map(|edge| 0.5 * edge))),
        _ => return None,
    })
}
