//! What bodies look like of which a model says nothing: made from their joints, contacts and inertia.
//!
//! Rods lead from the centre of mass to joints; a body that touches others is as round or as angular as its contacts; a
//! body without extent of its own is the solid that has its inertia: a ball, a cylinder or a box.

use nalgebra::{Matrix3, SymmetricEigen};

use crate::pose::{Pose, Vector, add, cross, dot, length, scale, sub};
use crate::scene::{Color, Shape, Solid};

/// What is known of a body; in its own axes.
pub(crate) struct Known {
    pub planar: bool,
    pub mass: f64,
    /// About the centre of mass; in the plane that about z alone.
    pub inertia: [Vector; 3],
    pub center: Vector,
    /// Where joints, springs and rods are.
    pub attachments: Vec<Vector>,
    /// Points with which it touches others.
    pub corners: Vec<Vector>,
    /// Centres and radii of the discs or balls with which it touches others.
    pub rounds: Vec<(Vector, f64)>,
    /// A point and the direction of the axis about which it turns.
    pub axis: Option<(Vector, Vector)>,
    /// Slides along a line.
    pub slides: bool,
    /// Moves water.
    pub floats: bool,
}

/// The solid with the inertia of a body.
enum Equivalent {
    /// Nothing, of a point mass.
    Point,
    /// A thin rod along z of a frame.
    Rod(Pose, f64),
    /// A solid in a frame, and its largest dimension.
    Solid(Pose, Solid, f64),
}

/// Thickness of rods by the size of their body.
const SLENDER: f64 = 0.035;

impl Known {
    /// A length that is typical of the body, m; zero of a point.
    pub fn size(&self) -> f64 {
        let farthest =
            |points: &[Vector]| points.iter().map(|&point| length(sub(point, self.center))).fold(0.0, f64::max);
        let round = self.rounds.iter().map(|&(_, radius)| 2.0 * radius).fold(0.0, f64::max);
        let own = match self.equivalent() {
            Equivalent::Point => 0.0,
            Equivalent::Rod(_, length) => length,
            Equivalent::Solid(_, _, size) => size,
        };
        let held = farthest(&self.attachments).max(farthest(&self.corners)).max(round);
        if held > 0.0 { held } else { own }
    }

    /// Half the thickness of its rods where bodies have a typical size.
    pub fn thickness(&self, typical: f64) -> f64 {
        SLENDER * self.size().clamp(0.5 * typical, 1.5 * typical)
    }

    /// Its shapes, where bodies have a typical size; of a planar model at this height over the plane.
    pub fn shapes(&self, typical: f64, height: f64, color: Color) -> Vec<Shape> {
        let thickness = self.thickness(typical);
        let arms = self.arms(typical);
        let mut shapes = Vec::new();
        let lifted = |point: Vector| if self.planar { [point[0], point[1], point[2] + height] } else { point };
        let mut rods: Vec<Shape> = arms
            .iter()
            .filter(|arm| !self.rounds.iter().any(|(center, radius)| length(sub(**arm, *center)) < *radius))
            .map(|&arm| Shape::rod(lifted(self.center), lifted(arm), thickness, color))
            .collect();
        if let Some(shaft) = self.shaft(&arms, thickness, color) {
            rods = shaft;
        }
        if self.floats {
            let Equivalent::Solid(pose, Solid::Box([long, wide, high]), _) = self.boxed() else { return rods };
            // Inertia says little of the height of a hull.
            let size = [long, wide, high.min(0.5 * wide)];
            let upright = Pose { position: pose.position, ..Pose::IDENTITY };
            return vec![Shape::new(Solid::Hull(size), &upright, color)];
        }
        if !self.rounds.is_empty() {
            for &(center, radius) in &self.rounds {
                let solid = match self.planar {
                    true => Solid::Cylinder([radius, radius.min(3.0 * thickness)]),
                    false => Solid::Sphere([radius]),
                };
                shapes.push(Shape::new(solid, &Pose { position: lifted(center), ..Pose::IDENTITY }, color));
            }
            shapes.extend(rods);
            return shapes;
        }
        if self.planar {
            let outline =
                outline(self.corners.iter().chain(if self.corners.len() < 3 { arms.as_slice() } else { &[] }));
            if outline.len() >= 3 {
                let deep = if self.corners.len() < 3 { 1.2 * thickness } else { 4.0 * thickness };
                let pose = Pose { position: lifted([0.0; 3]), ..Pose::IDENTITY };
                shapes.push(Shape::new(Solid::Prism(outline, deep), &pose, color));
                if self.corners.len() < 3 {
                    shapes.extend(rods);
                }
                return shapes;
            }
        } else if let Some(solid) = self.hull() {
            shapes.push(Shape::new(solid.1, &Pose { position: solid.0, ..Pose::IDENTITY }, color));
            shapes.extend(rods);
            return shapes;
        }
        shapes.extend(rods);
        shapes.extend(if self.planar {
            self.in_plane(&arms, typical, height, color)
        } else {
            self.in_space(&arms, typical, color)
        });
        shapes
    }

    /// Attachments away from the centre of mass, each once.
    fn arms(&self, typical: f64) -> Vec<Vector> {
        let mut arms: Vec<Vector> = Vec::new();
        for &point in &self.attachments {
            let is_apart = |other: &Vector| length(sub(point, *other)) > 1e-6 * typical;
            if is_apart(&self.center) && arms.iter().all(is_apart) {
                arms.push(point);
            }
        }
        arms
    }

    /// A shaft along the axis of a body whose joints are apart along it, with cranks to them.
    fn shaft(&self, arms: &[Vector], thickness: f64, color: Color) -> Option<Vec<Shape>> {
        let (point, direction) = self.axis.filter(|_| !self.planar && arms.len() > 1)?;
        let foot = |arm: Vector| add(point, scale(dot(sub(arm, point), direction), direction));
        let along: Vec<f64> = arms.iter().map(|&arm| dot(sub(arm, point), direction)).collect();
        let [low, high] = [f64::min, f64::max].map(|pick| along.iter().copied().fold(0.0, pick));
        let aside = arms.iter().map(|&arm| length(sub(arm, foot(arm)))).fold(0.0, f64::max);
        if high - low < 0.3 * aside {
            return None;
        }
        let end = |along: f64| add(point, scale(along, direction));
        let mut rods = vec![Shape::rod(end(low), end(high), 1.3 * thickness, color)];
        let apart = arms.iter().filter(|arm| length(sub(**arm, foot(**arm))) > thickness);
        rods.extend(apart.map(|&arm| Shape::rod(foot(arm), arm, thickness, color)));
        Some(rods)
    }

    fn in_plane(&self, arms: &[Vector], typical: f64, height: f64, color: Color) -> Vec<Shape> {
        let thickness = self.thickness(typical);
        let center = add(self.center, [0.0, 0.0, height]);
        let deviation = self.deviation();
        let at_center = |solid| vec![Shape::new(solid, &Pose { position: center, ..Pose::IDENTITY }, color)];
        let radius = deviation * 2.0_f64.sqrt();
        match arms {
            [] if self.slides => {
                let half = (radius.clamp(0.06 * typical, 0.5 * typical)) * 1.2;
                at_center(Solid::Box([2.0 * half, 1.4 * half, 4.0 * thickness]))
            }
            [] => at_center(Solid::Cylinder([radius.max(0.05 * typical), 2.0 * thickness])),
            [arm] => {
                let reach = length(sub(self.center, *arm));
                let half = deviation * 12.0_f64.sqrt() / 2.0;
                if (half - reach).abs() < 0.35 * reach {
                    let beyond = scale(half / reach, sub(self.center, *arm));
                    vec![Shape::rod(center, add(center, beyond), thickness, color)]
                } else if radius < 3.0 * thickness {
                    at_center(Solid::Sphere([3.0 * thickness]))
                } else {
                    at_center(Solid::Cylinder([radius, 2.0 * thickness]))
                }
            }
            _ => Vec::new(),
        }
    }

    fn in_space(&self, arms: &[Vector], typical: f64, color: Color) -> Vec<Shape> {
        let thickness = self.thickness(typical);
        let bob = || {
            let radius = if arms.is_empty() { 0.06 * typical } else { 2.5 * thickness };
            vec![Shape::new(Solid::Sphere([radius]), &Pose { position: self.center, ..Pose::IDENTITY }, color)]
        };
        match self.equivalent() {
            // Rods show where such a body is.
            _ if arms.len() > 1 => Vec::new(),
            Equivalent::Point => bob(),
            Equivalent::Rod(pose, length) => {
                let half = scale(0.5 * length, pose.column(2));
                vec![Shape::rod(sub(self.center, half), add(self.center, half), thickness, color)]
            }
            Equivalent::Solid(_, _, size) if size < 0.03 * typical => bob(),
            // Inertias that are not those of the body would hide all others.
            Equivalent::Solid(pose, solid, size) if size > 1.2 * typical && !arms.is_empty() => {
                vec![Shape::new(solid.scaled(0.8 * typical / size), &pose, color)]
            }
            Equivalent::Solid(pose, solid, _) => vec![Shape::new(solid, &pose, color)],
        }
    }

    /// Radius of gyration about z in the plane, m.
    fn deviation(&self) -> f64 {
        if self.mass > 0.0 { (self.inertia[2][2] / self.mass).max(0.0).sqrt() } else { 0.0 }
    }

    fn equivalent(&self) -> Equivalent {
        if self.planar {
            let size = self.deviation() * 8.0_f64.sqrt();
            let pose = Pose { position: self.center, ..Pose::IDENTITY };
            return if size > 0.0 {
                Equivalent::Solid(pose, Solid::Sphere([0.5 * size]), size)
            } else {
                Equivalent::Point
            };
        }
        match self.boxed() {
            Equivalent::Solid(pose, Solid::Box(edges), size) => {
                let mut order = [0, 1, 2];
                order.sort_by(|&i, &j| edges[j].total_cmp(&edges[i]));
                let [long, middle, short] = order.map(|i| edges[i]);
                let equal = |a: f64, b: f64| (a - b).abs() < 1e-3 * long;
                // A cylinder has the square of its radius over 4 where a box has that of its edge over 12.
                let cylinder = |axis: usize, across: f64| {
                    let frame = Pose::along(self.center, pose.column(axis));
                    let solid = Solid::Cylinder([across / 3.0_f64.sqrt(), edges[axis].max(0.04 * across)]);
                    Equivalent::Solid(frame, solid, size)
                };
                if middle < 0.25 * long {
                    Equivalent::Rod(Pose::along(self.center, pose.column(order[0])), long)
                } else if equal(long, short) {
                    let radius = long * (5.0_f64 / 12.0).sqrt();
                    Equivalent::Solid(pose, Solid::Sphere([radius]), size)
                } else if equal(long, middle) {
                    cylinder(order[2], long)
                } else if equal(middle, short) {
                    cylinder(order[0], middle)
                } else {
                    let edges = edges.map(|edge| edge.max(0.04 * long));
                    Equivalent::Solid(pose, Solid::Box(edges), size)
                }
            }
            other => other,
        }
    }

    /// The box with the inertia of the body, in its principal axes.
    fn boxed(&self) -> Equivalent {
        let trace: f64 = (0..3).map(|i| self.inertia[i][i]).sum();
        if !(self.mass > 0.0 && trace > 0.0) {
            return Equivalent::Point;
        }
        // Second moments of mass by mass: a box has the square of its edge over 12.
        let moments = Matrix3::from_fn(|i, j| {
            let diagonal = if i == j { 0.5 * trace } else { 0.0 };
            (diagonal - self.inertia[i][j]) / self.mass
        });
        let off = moments[(0, 1)].abs() + moments[(0, 2)].abs() + moments[(1, 2)].abs();
        let (squares, axes) = if off < 1e-6 * moments.trace().abs() {
            ([0, 1, 2].map(|i| moments[(i, i)]), Pose::IDENTITY.axes)
        } else {
            let found = SymmetricEigen::new(moments);
            let column = |i: usize| [0, 1, 2].map(|k| found.eigenvectors[(k, i)]);
            let (x, y) = (column(0), column(1));
            let z = cross(x, y);
            let values = [0, 1].map(|i| found.eigenvalues[i]);
            let last = (0..3).map(|i| (0..3).map(|j| z[i] * moments[(i, j)] * z[j]).sum::<f64>()).sum::<f64>();
            ([values[0], values[1], last], [0, 1, 2].map(|i| [x[i], y[i], z[i]]))
        };
        let edges = squares.map(|square| (12.0 * square.max(0.0)).sqrt());
        let size = edges.iter().copied().fold(0.0, f64::max);
        Equivalent::Solid(Pose { position: self.center, axes }, Solid::Box(edges), size)
    }

    /// The box around the corners of a body in space, if they span one, and its centre.
    fn hull(&self) -> Option<(Vector, Solid)> {
        if self.corners.len() < 4 {
            return None;
        }
        let of = |pick: fn(f64, f64) -> f64| {
            [0, 1, 2].map(|i| self.corners.iter().map(|point| point[i]).reduce(pick).unwrap_or(0.0))
        };
        let (low, high) = (of(f64::min), of(f64::max));
        let edges = sub(high, low);
        let long = edges.iter().copied().fold(0.0, f64::max);
        let solid = Solid::Box(edges.map(|edge| edge.max(0.02 * long)));
        (long > 0.0).then(|| (scale(0.5, add(low, high)), solid))
    }
}

/// The convex hull of points in the plane against the clock; nothing where all are on a line.
pub(crate) fn outline<'p>(points: impl Iterator<Item = &'p Vector>) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = points.map(|point| [point[0], point[1]]).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return Vec::new();
    }
    let size = points.iter().flatten().fold(0.0, |size: f64, x| size.max(x.abs()));
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = chain.as_slice()
                && turn(*a, *b, point) <= 1e-9 * size * size
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let lower = half(&mut points.iter().copied());
    let upper = half(&mut points.iter().rev().copied());
    let hull = [lower, upper].concat();
    if hull.len() < 3 { Vec::new() } else { hull }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(mass: f64, diagonal: Vector) -> Known {
        let [a, b, c] = diagonal;
        Known {
            planar: false,
            mass,
            inertia: [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]],
            center: [0.0; 3],
            attachments: Vec::new(),
            corners: Vec::new(),
            rounds: Vec::new(),
            axis: None,
            slides: false,
            floats: false,
        }
    }

    /// The only solid of a body without joints.
    fn solid(known: &Known) -> Solid {
        let shapes = known.shapes(1.0, 0.0, Color::Neutral);
        assert_eq!(shapes.len(), 1);
        shapes[0].solid.clone()
    }

    #[test]
    fn a_body_looks_like_the_solid_with_its_inertia() {
        // A box of 1 x 2 x 3 m, a cylinder of radius 0.5 m and length 2 m along y, a ball of radius 0.7 m; all of 6 kg.
        let m = 6.0;
        let Solid::Box(edges) = solid(&body(m, [m / 12.0 * 13.0, m / 12.0 * 10.0, m / 12.0 * 5.0])) else { panic!() };
        assert!(edges.iter().zip([1.0, 2.0, 3.0]).all(|(edge, expected)| (edge - expected).abs() < 1e-12), "{edges:?}");
        let (r, h) = (0.5_f64, 2.0_f64);
        let across = m / 12.0 * (3.0 * r * r + h * h);
        let Solid::Cylinder([radius, long]) = solid(&body(m, [across, m / 2.0 * r * r, across])) else { panic!() };
        assert!((radius - r).abs() < 1e-12 && (long - h).abs() < 1e-12);
        let moment = 0.4 * m * 0.49;
        let Solid::Sphere([radius]) = solid(&body(m, [moment; 3])) else { panic!() };
        assert!((radius - 0.7).abs() < 1e-12);
        // A thin disc about its axis, and a rod.
        let Solid::Cylinder([radius, _]) = solid(&body(m, [0.25 * m, 0.25 * m, 0.5 * m])) else { panic!() };
        assert!((radius - 1.0).abs() < 1e-12);
        let Solid::Capsule([_, long]) = solid(&body(m, [m / 3.0, 0.0, m / 3.0])) else { panic!() };
        assert!((long - 2.0).abs() < 1e-12);
    }

    #[test]
    fn the_solid_stands_in_the_principal_axes() {
        // The box of the test above, turned by 30° about z.
        let [a, b] = [6.5, 5.0];
        let (s, c) = (0.5_f64, 0.75_f64.sqrt());
        let mut known = body(6.0, [0.0, 0.0, 2.5]);
        known.inertia[0] = [a * c * c + b * s * s, (a - b) * s * c, 0.0];
        known.inertia[1] = [(a - b) * s * c, a * s * s + b * c * c, 0.0];
        let shapes = known.shapes(1.0, 0.0, Color::Neutral);
        let Solid::Box(edges) = shapes[0].solid else { panic!() };
        let Equivalent::Solid(pose, ..) = known.boxed() else { panic!() };
        let shortest = (0..3).min_by(|&i, &j| edges[i].total_cmp(&edges[j])).unwrap();
        let axis = pose.column(shortest);
        assert!((axis[0].abs() - c).abs() < 1e-9 && (axis[1].abs() - s).abs() < 1e-9, "{axis:?}");
        assert!((edges[shortest] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn outlines_are_convex_and_against_the_clock() {
        let square = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.0]];
        assert_eq!(outline(square.iter()), [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert!(outline([[0.0; 3], [1.0, 1.0, 0.0], [3.0, 3.0, 0.0]].iter()).is_empty(), "a line");
    }
}
