//! What is drawn, and how it moves: the data of a page.

use std::sync::Arc;

use serde::Serialize;

use crate::mesh::{Mesh, Unread};
use crate::pose::{Pose, Quaternion, Vector};
use crate::tracks::Numbers;

/// One motion as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// What tells it from others, such as a value of a parameter.
    pub label: String,
    /// Motion in the x-y plane.
    pub planar: bool,
    /// Direction against gravity.
    pub up: Vector,
    /// The instants that are shown, s.
    pub times: Numbers,
    /// Number of frames that move.
    pub movers: usize,
    /// Instant by instant and mover by mover: x, y and the angle, which counts turns, of a planar motion; else x, y, z
    /// and the Euler parameters w, x, y, z.
    pub poses: Numbers,
    /// Forces and torques, instant by instant: point and vector, six numbers each.
    pub vectors: Numbers,
    /// What the vectors are, in their order.
    pub arrows: Vec<Arrow>,
    /// Meshes of shapes, each once; a page has them beside its scenes.
    #[serde(skip)]
    pub meshes: Vec<Arc<Mesh>>,
    /// Files of which nothing is drawn.
    pub unread: Vec<Unread>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// What does not move.
    pub fixed: Vec<Shape>,
    /// Joints.
    pub joints: Vec<Part>,
    /// What connects two points: springs, dampers and rods.
    pub links: Vec<Link>,
    /// Flexible members.
    pub beams: Vec<Beam>,
    /// Points whose paths can be drawn.
    pub points: Vec<Point>,
    /// Bodies float in water, whose surface is z = 0.
    pub water: bool,
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Its frame among those that move.
    pub mover: usize,
    /// What it looks like.
    pub shapes: Vec<Shape>,
}

/// What is fixed to a frame that moves, or to the ground.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Its frame among those that move; the ground when absent.
    pub mover: Option<usize>,
    /// What it looks like.
    pub shapes: Vec<Shape>,
}

/// A solid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// Which one, and its dimensions in m.
    #[serde(flatten)]
    pub solid: Solid,
    /// Its centre in the frame to which it belongs, m.
    pub at: Vector,
    /// Its axes in that frame.
    pub turn: Quaternion,
    /// Its colour.
    pub color: Color,
    /// Made from what is known of the body, and not given by the model.
    pub derived: bool,
}

/// Solids about their centre; those that have an axis have it along z.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", content = "size", rename_all = "snake_case")]
pub enum Solid {
    /// Edges along x, y and z.
    Box([f64; 3]),
    /// Radius.
    Sphere([f64; 1]),
    /// Semi-axes.
    Ellipsoid([f64; 3]),
    /// Radius and length.
    Cylinder([f64; 2]),
    /// Radius, and the distance of the centres of its ends.
    Capsule([f64; 2]),
    /// Radius of its base at z = 0, and height.
    Cone([f64; 2]),
    /// A boat with its bow along x: length, breadth, height.
    Hull([f64; 3]),
    /// A surface.
    Mesh {
        /// Its place among the meshes of the scene.
        mesh: usize,
        /// How long a unit of its file is along its axes, m; negative where it is mirrored.
        scale: [f64; 3],
    },
    /// A convex outline in the x-y plane, point by point against the clock, and its thickness.
    Prism(Vec<[f64; 2]>, f64),
}

/// A colour: one of the palette of the page, which has two tones of each, or a given one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// A place of the palette, taken round and round.
    Palette(usize),
    /// Joints, guides and supports.
    Neutral,
    /// What bodies lie on.
    Floor,
    /// Red, green and blue, 0 to 1.
    Rgb([f32; 3]),
}

/// An arrow that a vector is drawn as.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrow {
    /// Name of the force.
    pub name: String,
    /// What it is.
    pub kind: ArrowKind,
}

/// What an arrow shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrowKind {
    /// An applied force, N.
    Force,
    /// An applied torque, N m.
    Torque,
    /// The force of a contact, N.
    Contact,
    /// The force that a joint passes on to its second body, N.
    Load,
    /// The torque that it passes on, N m.
    Moment,
}

/// A connection of two points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// Name.
    pub name: String,
    /// What it looks like.
    pub kind: LinkKind,
    /// The frames of its ends among those that move; the ground when absent.
    pub movers: [Option<usize>; 2],
    /// Its ends in these frames, m.
    pub ends: [Vector; 2],
    /// Half its width, m.
    pub radius: f64,
}

/// What a link looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// A coil.
    Spring,
    /// A piston in a cylinder.
    Damper,
    /// Both.
    SpringDamper,
    /// A rod of constant length.
    Rod,
}

/// A flexible member, swept through the frames of its nodes along their x axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Beam {
    /// Name.
    pub name: String,
    /// The frames of its nodes among those that move.
    pub nodes: Vec<usize>,
    /// Dimensions of its cross-section along the y and z axes of the nodes, m.
    pub section: [f64; 2],
    /// Its colour.
    pub color: Color,
}

/// A point of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Name.
    pub name: String,
    /// The frame that carries it among those that move.
    pub mover: usize,
    /// Where it is in that frame, m.
    pub at: Vector,
    /// Its path is shown unless the viewer says otherwise.
    pub shown: bool,
}

impl Solid {
    /// The same, so many times as large.
    pub(crate) fn scaled(self, factor: f64) -> Solid {
        match self {
            Solid::Box(size) => Solid::Box(size.map(|edge| factor * edge)),
            Solid::Sphere(size) => Solid::Sphere(size.map(|edge| factor * edge)),
            Solid::Ellipsoid(size) => Solid::Ellipsoid(size.map(|edge| factor * edge)),
            Solid::Cylinder(size) => Solid::Cylinder(size.map(|edge| factor * edge)),
            Solid::Capsule(size) => Solid::Capsule(size.map(|edge| factor * edge)),
            Solid::Cone(size) => Solid::Cone(size.map(|edge| factor * edge)),
            Solid::Hull(size) => Solid::Hull(size.map(|edge| factor * edge)),
            Solid::Mesh { mesh, scale } => Solid::Mesh { mesh, scale: scale.map(|part| factor * part) },
            Solid::Prism(outline, thickness) => {
                Solid::Prism(outline.into_iter().map(|point| point.map(|x| factor * x)).collect(), factor * thickness)
            }
        }
    }
}

impl Shape {
    /// A solid that stands like this in its frame, derived from what is known of the body.
    pub(crate) fn new(solid: Solid, pose: &Pose, color: Color) -> Shape {
        Shape { solid, at: pose.position, turn: pose.quaternion(), color, derived: true }
    }

    /// A capsule from one point to another.
    pub(crate) fn rod(from: Vector, to: Vector, radius: f64, color: Color) -> Shape {
        let apart = crate::pose::sub(to, from);
        let middle = crate::pose::scale(0.5, crate::pose::add(from, to));
        let solid = Solid::Capsule([radius, crate::pose::length(apart)]);
        Shape::new(solid, &Pose::along(middle, apart), color)
    }
}
