//! Solids that bodies are drawn as, and the colours that they can have; the equations know neither.
//!
//! To add a solid, put it into the list below and give it a mesh in `animate`.

use crate::space::Space;

/// A kind of solid, about its centre.
#[derive(Debug, PartialEq, Eq)]
pub struct Solid {
    /// The word in the language.
    pub keyword: &'static str,
    /// Its dimensions in space, m, in the order in which they are given.
    pub dimensions: &'static [&'static str],
    /// The same in the plane.
    pub in_plane: &'static [&'static str],
}

/// Every solid. What has an axis has it along z, a capsule in the plane along x.
pub static ALL: [Solid; 6] = [
    Solid { keyword: "box", dimensions: &["length", "width", "height"], in_plane: &["length", "height"] },
    Solid { keyword: "capsule", dimensions: &["radius", "length"], in_plane: &["radius", "length"] },
    Solid { keyword: "cone", dimensions: &["radius", "height"], in_plane: &[] },
    Solid { keyword: "cylinder", dimensions: &["radius", "length"], in_plane: &["radius", "length"] },
    Solid { keyword: "ellipsoid", dimensions: &["semi_axis_x", "semi_axis_y", "semi_axis_z"], in_plane: &[] },
    Solid { keyword: "sphere", dimensions: &["radius"], in_plane: &["radius"] },
];

/// The colours with names; each has a light and a dark tone on a page.
pub const COLORS: [&str; 7] = ["blue", "orange", "green", "pink", "yellow", "sky", "grey"];

/// The solid with this keyword.
pub fn find(keyword: &str) -> Option<&'static Solid> {
    ALL.iter().find(|solid| solid.keyword == keyword)
}

impl Solid {
    /// The names of its dimensions; none where it does not exist.
    pub fn dimensions(&self, space: Space) -> &'static [&'static str] {
        match space {
            Space::Planar => self.in_plane,
            Space::Spatial => self.dimensions,
        }
    }
}
