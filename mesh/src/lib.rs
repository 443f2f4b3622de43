//! Meshes of files: triangles of STL, binary and as text, of OBJ and of COLLADA ([`file()`]), and the convex hull of points ([`hull`]).
//!
//! What is not a mesh, or only a part of one, is an error with its place: a surface with holes would look like a choice of
//! somebody.

mod collada;
mod error;
mod hull;
mod read;

pub use collada::collada;
pub use error::MeshError;
pub use hull::hull;
pub use read::{file, obj, stl};

/// Vertices, and of each triangle three of them.
///
/// ```
/// let plate = hamel_mesh::obj("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3 4\n")?;
/// assert_eq!((plate.vertices.len(), plate.triangles.len()), (4, 2));
/// # Ok::<(), hamel_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Places, in the unit of the file.
    pub vertices: Vec<[f64; 3]>,
    /// Indices of vertices, against the clock as seen from outside where the file has them so.
    pub triangles: Vec<[u32; 3]>,
    /// How many of the triangles belong to the first object or group of a file in OBJ; otherwise all.
    pub of_first: usize,
    /// The first line of a file in OBJ that programs read differently: polygons of more than four vertices that are not
    /// flat and convex, lines and points.
    pub doubt: Option<usize>,
}

#[cfg(test)]
mod tests;
