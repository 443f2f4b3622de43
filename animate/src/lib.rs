#![doc = include_str!("../README.md")]

mod bodies;
mod drawing;
mod motion;
mod page;
mod pose;
mod samples;
mod scene;
mod survey;
mod tracks;

pub use motion::{Error, Motion};
pub use page::{GENERATOR, page};
pub use pose::{Pose, Quaternion, Vector};
pub use scene::{Arrow, ArrowKind, Beam, Body, Color, Link, LinkKind, Part, Point, Scene, Shape, Solid};
pub use tracks::Numbers;
