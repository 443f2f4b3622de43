//! How frames are turned: five ways of saying it.

use crate::robot::pose::Pose;

/// Where three rotations follow each other, about which axes, and whether these turn along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence([(usize, bool); 3]);

impl Sequence {
    /// `xyz`: small letters are axes that turn along, capitals are fixed ones.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let axis = |letter: char| Some(("xyz".find(letter.to_ascii_lowercase())?, letter.is_ascii_lowercase()));
        let axes: Vec<(usize, bool)> = text.chars().map(axis).collect::<Option<_>>()?;
        axes.try_into().ok().map(Self)
    }

    /// The rotation by these angles, rad.
    pub(super) fn pose(self, angles: [f64; 3]) -> Pose {
        self.0.into_iter().zip(angles).fold(Pose::IDENTITY, |pose, ((axis, turns_along), angle)| {
            let mut direction = [0.0; 3];
            direction[axis] = 1.0;
            let own = about(direction, angle).unwrap_or(Pose::IDENTITY);
            if turns_along { pose.then(&own) } else { own.then(&pose) }
        })
    }
}

/// The rotation about an axis.
pub(super) fn about(axis: [f64; 3], angle: f64) -> Option<Pose> {
    let [x, y, z] = unit(axis)?;
    let (sin, cos) = (0.5 * angle).sin_cos();
    Pose::turned([cos, sin * x, sin * y, sin * z])
}

/// The smallest rotation that turns z into a direction.
pub(super) fn of_z(direction: [f64; 3]) -> Option<Pose> {
    let [x, y, z] = unit(direction)?;
    let across = x.hypot(y);
    // Straight back it may turn about any axis across.
    let axis = if across == 0.0 { [1.0, 0.0, 0.0] } else { [-y, x, 0.0] };
    about(axis, across.atan2(z))
}

/// The axes x, and y as far as it is across.
pub(super) fn of_axes([x, y]: [[f64; 3]; 2]) -> Option<Pose> {
    let x = unit(x)?;
    let along: f64 = (0..3).map(|k| x[k] * y[k]).sum();
    let y = unit([0, 1, 2].map(|k| y[k] - along * x[k]))?;
    let z = [0, 1, 2].map(|k| x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3]);
    Some(Pose { position: [0.0; 3], rotation: [0, 1, 2].map(|k| [x[k], y[k], z[k]]) })
}

pub(super) fn unit(vector: [f64; 3]) -> Option<[f64; 3]> {
    let norm = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
    (norm.is_finite() && norm > 1e-12).then(|| vector.map(|part| part / norm))
}
