#![doc = include_str!("../README.md")]

mod bodies;
mod drawing;
mod film;
mod gltf;
mod mesh;
mod motion;
mod page;
mod pose;
mod samples;
mod scene;
mod survey;
mod tracks;

pub use film::{Browser, FilmError, Format, Look, Pace};
pub use gltf::gltf;
pub use mesh::{Mesh, MeshError, Meshes, Unread};
pub use motion::{Error, Motion};
pub use page::{GENERATOR, page, unread_files};
pub use pose::{Pose, Quaternion, Vector};
pub use scene::{Arrow, ArrowKind, Beam, Body, Color, Link, LinkKind, Part, Point, Scene, Shape, Solid};
pub use tracks::Numbers;
