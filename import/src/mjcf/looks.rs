//! What bodies of MJCF look like: their geoms of the groups that MuJoCo shows, 0 to 2.

use std::collections::HashMap;

use roxmltree::Node;

use super::classes::View;
use super::read::{Item, Reader};
use crate::looks::{Form, Look, color, numbers};

/// The last group that is shown.
const SHOWN: f64 = 2.0;

/// What geoms refer to.
#[derive(Default)]
pub(super) struct Assets<'d> {
    meshes: HashMap<String, Form>,
    colors: HashMap<&'d str, [f64; 3]>,
}

impl<'d> Reader<'_, 'd> {
    /// Meshes and materials by their names. Meshes with a frame or with vertices of their own are not among them.
    pub(super) fn assets_of(&self, sections: impl Iterator<Item = Node<'d, 'd>>) -> Assets<'d> {
        let mut assets = Assets::default();
        for node in sections.flat_map(|section| section.children().filter(Node::is_element)) {
            let class = node.attribute("class").and_then(|class| self.classes.find(class)).unwrap_or(0);
            let view = View { node, class };
            match node.tag_name().name() {
                "mesh" => {
                    let own = ["refpos", "refquat", "vertex", "builtin"];
                    if own.iter().any(|name| node.has_attribute(*name)) {
                        continue;
                    }
                    let scale = self.classes.text(view, "scale").map_or(Some([1.0; 3]), numbers::<3>);
                    if let (Some((name, Some(file))), Some(scale)) = (self.mesh_file(node), scale) {
                        assets.meshes.insert(name, Form::Mesh(file, scale));
                    }
                }
                "material" => {
                    let found = self.classes.text(view, "rgba").and_then(color);
                    if let (Some(name), Some(color)) = (node.attribute("name"), found) {
                        assets.colors.insert(name, color);
                    }
                }
                _ => {}
            }
        }
        assets
    }

    /// Notes what a link looks like.
    pub(super) fn look(&mut self, items: &[Item<'d>], link: usize) {
        if self.assets.is_none() {
            return;
        }
        for item in items.iter().filter(|item| item.view.node.has_tag_name("geom")) {
            let view = item.view;
            let text = |name| self.classes.text(view, name);
            let group = text("group").and_then(numbers::<1>).map_or(0.0, |[group]| group);
            let is_clear = text("rgba").and_then(numbers::<4>).is_some_and(|[.., opacity]| opacity == 0.0);
            let word = text("type").unwrap_or("sphere");
            if group > SHOWN || is_clear || matches!(word, "plane" | "hfield") {
                continue;
            }
            let color = text("rgba").and_then(color);
            let material = || self.assets.as_ref()?.colors.get(text("material")?).copied();
            let color = color.or_else(material);
            let mesh = text("mesh").and_then(|name| self.assets.as_ref()?.meshes.get(name).cloned());
            let known = self.notes.errors();
            let found = match word {
                "mesh" => mesh.zip(self.place_of(item)),
                _ => self.solid(item, word).map(|(shape, pose)| (Form::Solid(shape), pose)),
            };
            self.notes.forget(known);
            let place = self.notes.place(view.node);
            match found {
                Some((form, pose)) => self.looks.push(Look { place, link, pose, form, color, is_collision: false }),
                None => {
                    let message = "a `geom` is not drawn: expected a solid, or a mesh of a file";
                    self.notes.warn(place, message, || message.to_owned());
                }
            }
        }
    }
}
