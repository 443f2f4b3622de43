//! Places and directions as numbers.

use serde::Serialize;

/// A vector of three components.
pub type Vector = [f64; 3];

/// A frame in another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Its origin, m.
    pub position: Vector,
    /// Its axes as columns, row by row.
    pub axes: [Vector; 3],
}

/// Euler parameters w, x, y, z of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quaternion(pub [f64; 4]);

impl Pose {
    /// No change.
    pub const IDENTITY: Pose = Pose { position: [0.0; 3], axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// From the twelve values of [`Asked::Pose`](hamel_compiler::picture::Asked::Pose).
    pub fn from_values(values: &[f64]) -> Pose {
        let row = |i: usize| [values[i], values[i + 1], values[i + 2]];
        let mut pose = Pose { position: row(0), axes: [row(3), row(6), row(9)] };
        // Interpolated Euler parameters are not of unit length, and all columns are longer by their square.
        let scale = length(pose.column(0));
        if scale > 0.0 {
            pose.axes.iter_mut().flatten().for_each(|entry| *entry /= scale);
        }
        pose
    }

    /// One of its axes.
    pub fn column(&self, index: usize) -> Vector {
        self.axes.map(|row| row[index])
    }

    /// A point of the frame, seen from outside.
    pub fn point(&self, point: Vector) -> Vector {
        add(self.position, self.turn(point))
    }

    /// A direction of the frame, seen from outside.
    pub fn turn(&self, vector: Vector) -> Vector {
        self.axes.map(|row| dot(row, vector))
    }

    /// A direction seen from outside, in the frame.
    pub fn turn_back(&self, vector: Vector) -> Vector {
        [0, 1, 2].map(|i| dot(self.column(i), vector))
    }

    /// A frame in this one, seen from outside.
    pub fn then(&self, next: &Pose) -> Pose {
        let columns = [0, 1, 2].map(|i| self.turn(next.column(i)));
        Pose { position: self.point(next.position), axes: [0, 1, 2].map(|i| columns.map(|column| column[i])) }
    }

    /// Angle about z, rad.
    pub fn angle(&self) -> f64 {
        self.axes[1][0].atan2(self.axes[0][0])
    }

    /// Its rotation.
    pub fn quaternion(&self) -> Quaternion {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.axes;
        // The largest of the four is found by a sum without cancellation.
        let squares = [1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i];
        let largest = (0..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
        let four = 2.0 * squares[largest].max(0.0).sqrt();
        let (w, x, y, z) = match largest {
            0 => (four / 4.0, (h - f) / four, (c - g) / four, (d - b) / four),
            1 => ((h - f) / four, four / 4.0, (b + d) / four, (c + g) / four),
            2 => ((c - g) / four, (b + d) / four, four / 4.0, (f + h) / four),
            _ => ((d - b) / four, (c + g) / four, (f + h) / four, four / 4.0),
        };
        Quaternion([w, x, y, z])
    }

    /// A frame at this point whose z axis has this direction.
    pub fn along(position: Vector, direction: Vector) -> Pose {
        let z = unit(direction).unwrap_or([0.0, 0.0, 1.0]);
        let side = if z[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let x = unit(sub(side, scale(dot(side, z), z))).unwrap_or([1.0, 0.0, 0.0]);
        let y = cross(z, x);
        Pose { position, axes: [0, 1, 2].map(|i| [x[i], y[i], z[i]]) }
    }
}

/// a + b.
pub fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
pub fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a.
pub fn scale(s: f64, a: Vector) -> Vector {
    a.map(|component| s * component)
}

/// a · b.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// |a|.
pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// a / |a|, unless that is zero.
pub fn unit(a: Vector) -> Option<Vector> {
    let length = length(a);
    (length > 0.0 && length.is_finite()).then(|| scale(1.0 / length, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rotation by an angle about an axis.
    fn turned(axis: Vector, angle: f64) -> Pose {
        let Some([x, y, z]) = unit(axis) else { return Pose::IDENTITY };
        let (s, c) = angle.sin_cos();
        let d = 1.0 - c;
        let axes = [
            [c + x * x * d, x * y * d - z * s, x * z * d + y * s],
            [y * x * d + z * s, c + y * y * d, y * z * d - x * s],
            [z * x * d - y * s, z * y * d + x * s, c + z * z * d],
        ];
        Pose { position: [1.0, 2.0, 3.0], axes }
    }

    #[test]
    fn quaternions_are_those_of_axis_and_angle() {
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -2.0, 0.5], [-3.0, 1.0, 1.0]] {
            for angle in [0.0, 0.3, 1.5, 2.5, 3.1, std::f64::consts::PI] {
                let Quaternion([w, x, y, z]) = turned(axis, angle).quaternion();
                let direction = unit(axis).unwrap();
                let expected = scale((0.5 * angle).sin(), direction);
                let side = if w * (0.5 * angle).cos() + dot([x, y, z], expected) < 0.0 { -1.0 } else { 1.0 };
                let error = length(sub([x, y, z], scale(side, expected))) + (w - side * (0.5 * angle).cos()).abs();
                assert!(error < 1e-14, "{axis:?} {angle}: {error}");
            }
        }
    }

    #[test]
    fn frames_follow_each_other() {
        let (a, b) = (turned([1.0, -2.0, 0.5], 0.7), turned([0.2, 1.0, 0.0], -1.9));
        let point = [0.3, -0.4, 1.1];
        assert!(length(sub(a.then(&b).point(point), a.point(b.point(point)))) < 1e-14);
        assert!(length(sub(a.turn_back(a.turn(point)), point)) < 1e-14);
    }

    #[test]
    fn a_frame_along_a_direction_has_right_handed_unit_axes() {
        for direction in [[0.0, 0.0, 2.0], [1.0, 0.0, 0.0], [0.1, -3.0, 0.2], [0.0, 0.0, -1.0]] {
            let pose = Pose::along([0.0; 3], direction);
            assert!(length(sub(pose.column(2), unit(direction).unwrap())) < 1e-15);
            assert!(length(sub(cross(pose.column(0), pose.column(1)), pose.column(2))) < 1e-15);
        }
    }
}
