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

/// The keyword of the solid that is read from a file, which its list of dimensions begins with.
pub const MESH: &str = "mesh";
/// Endings of files with meshes.
const MESH_FILES: [&str; 3] = ["stl", "obj", "dae"];

/// Every solid. What has an axis has it along z, a capsule in the plane along x; a mesh stands as its file has it.
pub static ALL: [Solid; 7] = [
    Solid { keyword: "box", dimensions: &["length", "width", "height"], in_plane: &["length", "height"] },
    Solid { keyword: "capsule", dimensions: &["radius", "length"], in_plane: &["radius", "length"] },
    Solid { keyword: "cone", dimensions: &["radius", "height"], in_plane: &[] },
    Solid { keyword: "cylinder", dimensions: &["radius", "length"], in_plane: &["radius", "length"] },
    Solid { keyword: "ellipsoid", dimensions: &["semi_axis_x", "semi_axis_y", "semi_axis_z"], in_plane: &[] },
    Solid { keyword: MESH, dimensions: &["scale"], in_plane: &["scale"] },
    Solid { keyword: "sphere", dimensions: &["radius"], in_plane: &["radius"] },
];

/// The colours with names; each has a light and a dark tone on a page.
pub const COLORS: [&str; 7] = ["blue", "orange", "green", "pink", "yellow", "sky", "grey"];

/// The solid with this keyword.
pub fn find(keyword: &str) -> Option<&'static Solid> {
    ALL.iter().find(|solid| solid.keyword == keyword)
}

/// Whether a file has an ending that meshes are read from, in letters of either kind.
///
/// ```
/// use hamel_compiler::solids::is_mesh_file;
/// assert!(is_mesh_file("meshes/base.STL") && !is_mesh_file("base.ply"));
/// ```
pub fn is_mesh_file(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| MESH_FILES.contains(&ending.as_str()))
}

/// The endings of files that meshes are read from, in words.
pub fn mesh_files() -> String {
    let [rest @ .., last] = MESH_FILES.map(|ending| format!("`.{ending}`"));
    format!("{} or {last}", rest.join(", "))
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
