//! What holds and guides bodies: joints, rails, surfaces and supports.

use hamel_compiler::resolve::BodyId;

use super::{Drawing, Rail, name};
use crate::pose::{Pose, add, dot, length, scale, sub};
use crate::scene::{Color, Part, Shape, Solid};

impl Drawing<'_> {
    /// Rails and surfaces on the ground, and supports of joints.
    pub fn fixed(&self) -> Vec<Shape> {
        let mut shapes = self.ground.clone();
        let mut add_once = |shape: Shape| {
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        };
        for surface in self.surfaces.iter().filter(|surface| surface.body.is_none()) {
            add_once(self.surface(&surface.frame));
        }
        for rail in self.rails.iter().filter(|rail| self.system.joints[rail.joint].parent.body.is_none()) {
            add_once(self.rail(rail));
        }
        for (joint, ends) in self.system.joints.iter().zip(&self.ends) {
            let ground = [&joint.parent, &joint.child].iter().position(|frame| frame.body.is_none());
            let is_pivot = ["revolute", "spherical"].contains(&joint.kind.keyword());
            if let (true, true, Some(end)) = (self.planar, is_pivot, ground) {
                let r = 1.6 * self.thickness();
                let outline = vec![[-1.9 * r, -2.9 * r], [1.9 * r, -2.9 * r], [0.75 * r, 0.0], [-0.75 * r, 0.0]];
                let mut pose = Pose { axes: Pose::IDENTITY.axes, ..ends[end] };
                pose.position[2] -= 3.0 * self.thickness();
                add_once(Shape::new(Solid::Prism(outline, self.thickness()), &pose, Color::Neutral));
            }
        }
        shapes
    }

    /// A plate under a surface, as large as the motion.
    fn surface(&self, frame: &Pose) -> Shape {
        let [low, high] = self.extent;
        let middle = scale(0.5, add(low, high));
        let size = (1.3 * length(sub(high, low))).max(4.0 * self.typical());
        let thick = 0.8 * self.thickness();
        let normal = frame.column(if self.planar { 1 } else { 2 });
        let above = dot(sub(middle, frame.position), normal);
        let foot = sub(middle, scale(above, normal));
        let position = sub(foot, scale(0.5 * thick, normal));
        let edges = if self.planar { [size, thick, 8.0 * self.thickness()] } else { [size, size, thick] };
        Shape::new(Solid::Box(edges), &Pose { position, axes: frame.axes }, Color::Floor)
    }

    fn rail(&self, rail: &Rail) -> Shape {
        let frame = self.ends[rail.joint][0];
        let [low, high] = rail.range;
        let room = 0.5 * self.typical();
        let axis = frame.column(rail.axis);
        let mut position = add(frame.position, scale(0.5 * (low + high), axis));
        if self.planar {
            position[2] -= 2.5 * self.thickness();
        }
        let half = 0.45 * self.thickness();
        Shape::new(Solid::Cylinder([half, high - low + 2.0 * room]), &Pose::along(position, axis), Color::Neutral)
    }

    /// Joints, as their axes say.
    pub fn joints(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (index, joint) in self.system.joints.iter().enumerate() {
            let bodies = [joint.parent.body, joint.child.body];
            // On the child, which has the axis, or on what there is.
            let end = if bodies[1].is_some() { 1 } else { 0 };
            let frame = self.ends[index][end];
            let own = |body: Option<BodyId>| body.filter(|body| !self.system.bodies[body.0].is_part);
            let thickness = bodies.into_iter().filter_map(own).map(|body| self.known[body.0].thickness(self.typical()));
            let r = 1.45 * thickness.reduce(f64::min).unwrap_or(0.5 * self.thickness());
            let solids: Vec<(Solid, Pose)> = match joint.kind.keyword() {
                "spherical" if !self.planar => vec![(Solid::Sphere([1.15 * r]), frame)],
                "revolute" | "spherical" if self.planar => vec![(Solid::Cylinder([r, 6.5 * self.thickness()]), frame)],
                "revolute" => vec![(Solid::Cylinder([r, 3.2 * r]), frame)],
                "cylindrical" | "screw" => vec![(Solid::Cylinder([0.8 * r, 4.5 * r]), frame)],
                "universal" => {
                    let about = |axis: usize| Pose::along(frame.position, frame.column(axis));
                    [0, 1].map(|axis| (Solid::Cylinder([0.6 * r, 3.6 * r]), about(axis))).to_vec()
                }
                "fixed" => vec![(Solid::Box([1.5 * r; 3]), frame)],
                "point_on_line" => vec![(Solid::Sphere([r]), frame)],
                _ => Vec::new(),
            };
            if solids.is_empty() || bodies[end].is_some_and(|body| self.is_inner(body, joint.kind.keyword())) {
                continue;
            }
            let shapes = solids.into_iter().map(|(solid, pose)| Shape::new(solid, &pose, Color::Neutral)).collect();
            parts.push(Part { name: name(&joint.name), mover: bodies[end].map(|body| body.0), shapes });
        }
        for rail in &self.rails {
            if let Some(body) = self.system.joints[rail.joint].parent.body {
                let joint = &self.system.joints[rail.joint];
                parts.push(Part { name: name(&joint.name), mover: Some(body.0), shapes: vec![self.rail(rail)] });
            }
        }
        for surface in &self.surfaces {
            if let Some(body) = surface.body {
                let thick = 0.8 * self.thickness();
                let normal = surface.frame.column(if self.planar { 1 } else { 2 });
                let position = sub(surface.frame.position, scale(0.5 * thick, normal));
                let size = 2.0 * self.known[body.0].size().max(self.typical());
                let edges = if self.planar { [size, thick, 6.0 * self.thickness()] } else { [size, size, thick] };
                let pose = Pose { position, axes: surface.frame.axes };
                let part = Part {
                    name: self.system.bodies[body.0].name.to_string(),
                    mover: Some(body.0),
                    shapes: vec![Shape::new(Solid::Box(edges), &pose, self.color(body.0))],
                };
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        parts
    }

    /// Joints that the compiler has placed within a flexible member.
    fn is_inner(&self, body: BodyId, keyword: &str) -> bool {
        self.system.bodies[body.0].is_part && !["revolute", "spherical", "fixed", "cylindrical"].contains(&keyword)
    }
}
