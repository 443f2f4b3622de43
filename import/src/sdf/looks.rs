//! What links of SDFormat look like.

use roxmltree::Node;

use super::read::{Item, Reader, child, elements};
use crate::looks::{Form, Look, color, numbers};
use crate::robot::pose::Pose;
use crate::xml::text;

impl<'d> Reader<'_, 'd> {
    /// The shapes of all links.
    pub(super) fn looks(&mut self) -> Vec<Look> {
        let mut looks = Vec::new();
        // Links that were added have no elements of their own.
        for link in 1..self.link_frames.len() {
            let Item { node, scope, .. } = self.items[self.link_frames[link]];
            for shape in elements(node).filter(|child| ["visual", "collision"].contains(&child.tag_name().name())) {
                let (place, is_collision) = (self.notes.place(shape), shape.has_tag_name("collision"));
                let known = self.notes.errors();
                let found = self.form(shape).zip(self.pose_of(shape, scope, link));
                self.notes.forget(known);
                let Some((form, pose)) = found else {
                    if !is_collision {
                        let message = "a `visual` is ignored: expected a mesh or a solid with finite numbers";
                        self.notes.warn(place, message, || message.to_owned());
                    }
                    continue;
                };
                let material = child(shape, "material");
                let part = |name| color(&text(child(material?, name)?));
                let color = part("diffuse").or_else(|| part("ambient"));
                looks.push(Look { place, link, pose, form, color, is_collision });
            }
        }
        looks
    }

    fn pose_of(&mut self, shape: Node<'d, 'd>, scope: usize, link: usize) -> Option<Pose> {
        let Some(pose) = child(shape, "pose") else { return Some(Pose::IDENTITY) };
        let (base, pose) = self.pose(pose, scope)?;
        Some(base.map_or(pose, |base| self.frames.between(self.link_frames[link], base).then(&pose)))
    }

    fn form(&mut self, shape: Node<'d, 'd>) -> Option<Form> {
        let solid = elements(child(shape, "geometry")?).next()?;
        if !solid.has_tag_name("mesh") {
            return self.shape(solid).map(Form::Solid);
        }
        let scale = child(solid, "scale").map_or(Some([1.0; 3]), |scale| numbers::<3>(&text(scale)))?;
        Some(Form::Mesh(text(child(solid, "uri")?), scale))
    }
}
