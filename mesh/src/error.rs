//! What can be wrong with a file of a mesh.

use thiserror::Error;

/// Why a file is no mesh.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MeshError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Unread(String),
    /// Another format.
    #[error("expected a file that ends in `.stl`, `.obj` or `.dae`")]
    Ending,
    /// Larger than any part is.
    #[error("expected at most {most} bytes, found {bytes}")]
    Large {
        /// What it has.
        bytes: u64,
        /// What is read.
        most: u64,
    },
    /// The file ends before the mesh does.
    #[error("the file ends after {after} triangles{}", .of.map_or(String::new(), |of| format!(", of {of}")))]
    Ended {
        /// Triangles that are whole.
        after: usize,
        /// What it says to have.
        of: Option<usize>,
    },
    /// The file goes on behind the mesh.
    #[error("expected the end of the file behind {triangles} triangles, found {bytes} bytes")]
    Behind {
        /// What it says to have.
        triangles: usize,
        /// What follows.
        bytes: usize,
    },
    /// A line that says something else than it should.
    #[error("line {line}: expected {expected}, found `{found}`")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// Its beginning.
        found: String,
    },
    /// A vertex that is nowhere.
    #[error("a number of vertex {vertex} is not finite")]
    NotFinite {
        /// Its number in the file, from 1.
        vertex: usize,
    },
    /// More triangles than a file can have.
    #[error("expected at most {most} triangles")]
    Many {
        /// What is read.
        most: usize,
    },
    /// Nothing to be seen, or to have a mass.
    #[error("expected triangles with an area, found none")]
    Empty,
}
