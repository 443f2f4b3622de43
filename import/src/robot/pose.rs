//! Where links stand in their bodies, in numbers: to add up what they weigh, and for chains of fixed joints that are too
//! long to be written out.

use std::f64::consts::FRAC_PI_2;

use super::number::Number;
use super::placement::Placement;
use super::{Origin, Robot};
use crate::error::{Errors, Problem};

/// A place and axes in a body.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pose {
    pub(crate) position: [f64; 3],
    /// Rows of the matrix that turns components in these axes to components in those of the body.
    pub(crate) rotation: [[f64; 3]; 3],
}

impl Pose {
    pub(crate) const IDENTITY: Pose =
        Pose { position: [0.0; 3], rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };

    /// That of a frame in another: rotations about its fixed x, y and z axes, in this order.
    pub(crate) fn of(origin: &Origin) -> Pose {
        let [(sx, cx), (sy, cy), (sz, cz)] = origin.rpy.each_ref().map(|angle| angle.sin_cos);
        let rotation = [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ];
        Pose { position: origin.xyz.each_ref().map(|component| component.value), rotation }
    }

    /// That of the frame itself in a frame at this pose.
    pub(crate) fn inverse(&self) -> Pose {
        let rotation = [0, 1, 2].map(|i| self.rotation.map(|row| row[i]));
        let position = rotation.map(|row| -(0..3).map(|k| row[k] * self.position[k]).sum::<f64>());
        Pose { position, rotation }
    }

    /// The rotation by a quaternion w, x, y, z, of any length but zero.
    pub(crate) fn turned(quaternion: [f64; 4]) -> Option<Pose> {
        let norm = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
        if !(norm.is_finite() && norm > 1e-12) {
            return None;
        }
        let [w, x, y, z] = quaternion.map(|part| part / norm);
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        // What is rounding of a right angle is one.
        let exact = |entry: f64| if entry.abs() < 1e-15 { 0.0 } else { entry };
        Some(Pose { position: [0.0; 3], rotation: rotation.map(|row| row.map(exact)) })
    }

    /// The rotation as a quaternion w, x, y, z.
    pub(crate) fn quaternion(&self) -> [f64; 4] {
        let r = &self.rotation;
        let squares = [
            1.0 + r[0][0] + r[1][1] + r[2][2],
            1.0 + r[0][0] - r[1][1] - r[2][2],
            1.0 - r[0][0] + r[1][1] - r[2][2],
            1.0 - r[0][0] - r[1][1] + r[2][2],
        ];
        let products = [
            [0.0, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]],
            [r[2][1] - r[1][2], 0.0, r[0][1] + r[1][0], r[0][2] + r[2][0]],
            [r[0][2] - r[2][0], r[0][1] + r[1][0], 0.0, r[1][2] + r[2][1]],
            [r[1][0] - r[0][1], r[0][2] + r[2][0], r[1][2] + r[2][1], 0.0],
        ];
        // The largest component is divided by.
        let largest = (0..4).fold(0, |a, b| if squares[b] > squares[a] { b } else { a });
        let double = squares[largest].sqrt();
        [0, 1, 2, 3].map(|i| if i == largest { 0.5 * double } else { 0.5 * products[largest][i] / double })
    }

    /// A frame in the frame at this pose.
    pub(crate) fn then(&self, next: &Pose) -> Pose {
        let turned = |vector: [f64; 3]| self.rotation.map(|row| (0..3).map(|k| row[k] * vector[k]).sum::<f64>());
        let step = turned(next.position);
        let columns = [0, 1, 2].map(|column| turned(next.rotation.map(|row| row[column])));
        Pose {
            position: [0, 1, 2].map(|k| self.position[k] + step[k]),
            rotation: [0, 1, 2].map(|row| columns.map(|column| column[row])),
        }
    }

    /// The largest difference of components between two.
    pub(crate) fn distance(&self, other: &Pose) -> f64 {
        let components = |pose: &Pose| [pose.position, pose.rotation[0], pose.rotation[1], pose.rotation[2]];
        let (own, others) = (components(self), components(other));
        own.as_flattened().iter().zip(others.as_flattened()).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()))
    }

    /// As a description would have it.
    pub(crate) fn origin(&self, like: &Origin) -> Origin {
        let [[xx, xy, xz], [_, yy, yz], [zx, zy, zz]] = self.rotation;
        let roll = zy.atan2(zz);
        let pitch = (-zx).atan2(xx.hypot(self.rotation[1][0]));
        // From what is left without the roll: where the pitch is a right angle, only their sum is known.
        let (sin, cos) = roll.sin_cos();
        let yaw = (sin * xz - cos * xy).atan2(cos * yy - sin * yz);
        Origin {
            place: like.place,
            xyz: self.position.map(Number::computed),
            rpy: [roll, pitch, yaw].map(|angle| Number::computed(right_or(angle)).angle(true)),
        }
    }
}

/// The right angle that differs from a computed angle by rounding alone, or the angle: its digits mean no other.
fn right_or(angle: f64) -> f64 {
    let right = (angle / FRAC_PI_2).round() * FRAC_PI_2;
    if (angle - right).abs() < ROUNDING { right } else { angle }
}

/// Rounding of an angle between products of rotations.
const ROUNDING: f64 = 4e-15;

/// Where every link stands in its body.
pub(crate) fn poses(robot: &Robot, placement: &Placement) -> Result<Vec<Pose>, Errors> {
    let mut poses = vec![Pose::IDENTITY; robot.links.len()];
    for &index in &placement.outwards {
        let joint = &robot.joints[index];
        if placement.links[joint.child].joint == Some(index) {
            poses[joint.child] = poses[joint.parent].then(&Pose::of(&joint.origin));
            if !poses[joint.child].position.iter().all(|component| component.is_finite()) {
                return Err(Problem::TooFar(joint.name.to_string()).at(joint.place).into());
            }
        }
    }
    Ok(poses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    fn pose(rpy: [f64; 3]) -> Pose {
        let mut origin = Origin::identity(Place { line: 1, column: 1 });
        origin.rpy = rpy.map(|angle| Number::computed(angle).angle(false));
        Pose::of(&origin)
    }

    /// Angles that are found in a pose give it back, also where roll and yaw turn about one axis.
    #[test]
    fn angles_are_those_of_the_pose() {
        let like = Origin::identity(Place { line: 1, column: 1 });
        let right = FRAC_PI_2;
        for pitch in [0.0, 0.3, -1.2, right, -right, right - 1e-8, right - 1e-5] {
            for (roll, yaw) in
                [(0.0, 0.0), (0.4, -2.0), (3.0, 3.0), (-right, right), (2.0 * right, 0.1), (right - 5e-12, 0.0)]
            {
                let pose = pose([roll, pitch, yaw]);
                let again = Pose::of(&pose.origin(&like));
                for (row, expected) in again.rotation.iter().zip(pose.rotation) {
                    for (found, expected) in row.iter().zip(expected) {
                        assert!((found - expected).abs() < 4e-15, "{roll} {pitch} {yaw}: {again:?} and {pose:?}");
                    }
                }
            }
        }
    }
}
