//! What shapes weigh, in closed form.

use std::f64::consts::PI;

/// A shape, about its own axes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Shape {
    Sphere(f64),
    /// Radius, and half the length between the centres of its ends.
    Capsule(f64, f64),
    /// Radius, and half the length.
    Cylinder(f64, f64),
    /// Half axes.
    Ellipsoid([f64; 3]),
    /// Half edges.
    Box([f64; 3]),
}

impl Shape {
    pub(crate) fn volume(self) -> f64 {
        match self {
            Shape::Sphere(r) => 4.0 / 3.0 * PI * r.powi(3),
            Shape::Capsule(r, half) => Shape::Sphere(r).volume() + Shape::Cylinder(r, half).volume(),
            Shape::Cylinder(r, half) => 2.0 * half * PI * r * r,
            Shape::Ellipsoid([a, b, c]) => 4.0 / 3.0 * PI * a * b * c,
            Shape::Box([a, b, c]) => 8.0 * a * b * c,
        }
    }

    /// Moments of inertia about x, y and z.
    pub(crate) fn moments(self, mass: f64) -> [f64; 3] {
        let of_squares =
            |[a, b, c]: [f64; 3], n: f64| [b * b + c * c, a * a + c * c, a * a + b * b].map(|s| mass * s / n);
        match self {
            Shape::Sphere(r) => [2.0 * mass * r * r / 5.0; 3],
            Shape::Cylinder(r, half) => {
                let across = mass * (3.0 * r * r + 4.0 * half * half) / 12.0;
                [across, across, mass * r * r / 2.0]
            }
            Shape::Capsule(r, half) => {
                let length = 2.0 * half;
                let of_ends = mass * 4.0 * r / (4.0 * r + 3.0 * length);
                let [across, _, along] = Shape::Cylinder(r, half).moments(mass - of_ends);
                let [ball, ..] = Shape::Sphere(r).moments(of_ends);
                let across = across + ball + of_ends * length * (3.0 * r + 2.0 * length) / 8.0;
                [across, across, along + ball]
            }
            Shape::Ellipsoid(axes) => of_squares(axes, 5.0),
            Shape::Box(edges) => of_squares(edges, 3.0),
        }
    }
}
