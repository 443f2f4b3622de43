//! What every body weighs: the link that a joint moves, and everything that fixed joints hold to it.
//!
//! Only the sum has to be possible. Real descriptions have links without mass, such as a `base_link` that carries the
//! trunk, and links with an inertia that no body has, such as a cable of which only the mass is known.

use hamel_compiler::resolve::{ImpossibleInertia, impossible_inertia};

use super::error::{Error, Problem};
use super::number::Number;
use super::placement::Placement;
use super::pose::Pose;
use super::robot::{Inertial, Origin, Robot};

/// What is left of terms that cancel is not told from zero below this part of their sizes.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Mass, centre of mass and inertia about it, of a link or of several, in the axes of a body.
#[derive(Clone, Copy, Debug)]
struct Moments {
    mass: f64,
    center: [f64; 3],
    inertia: [[f64; 3]; 3],
}

/// The inertia of every body, in the frame of its link; `None` of links that are none.
pub(super) fn merge(robot: &Robot, placement: &Placement, poses: &[Pose]) -> Result<Vec<Option<Inertial>>, Error> {
    let mut parts = vec![Vec::new(); robot.links.len()];
    for (link, seat) in placement.links.iter().enumerate() {
        if let (Some(body), Some(inertial)) = (seat.body, &robot.links[link].inertial) {
            parts[body].push((link, inertial));
        }
    }
    let bodies = parts.iter().enumerate();
    bodies.map(|(body, parts)| placement.is_body(body).then(|| total(robot, poses, body, parts)).transpose()).collect()
}

/// A body from its parts.
fn total(robot: &Robot, poses: &[Pose], body: usize, parts: &[(usize, &Inertial)]) -> Result<Inertial, Error> {
    let link = &robot.links[body];
    let refused = |problem: fn(String) -> Problem| Error { place: link.place, problem: problem(link.name.to_string()) };
    let seen: Vec<Moments> = parts.iter().map(|(part, inertial)| Moments::of(inertial, &poses[*part])).collect();
    if seen.is_empty() {
        return Err(refused(Problem::NoInertia));
    }
    let sum = Moments::sum(&seen);
    if sum.mass == 0.0 {
        return Err(refused(Problem::NoMass));
    }
    if ![sum.mass].iter().chain(&sum.center).chain(sum.inertia.iter().flatten()).all(|number| number.is_finite()) {
        return Err(refused(Problem::TooHeavy));
    }
    if let Some(law) = sum.impossible() {
        // Of one part at least, because a sum of possible inertias is possible.
        let culprit = seen.iter().zip(parts).find_map(|(part, (link, _))| Some((*link, part.impossible()?)));
        let (part, law) = culprit.unwrap_or((body, law));
        let part = &robot.links[part];
        let [link, body] = [part, link].map(|link| link.name.to_string());
        return Err(Error { place: part.place, problem: Problem::Impossible { link, body, law } });
    }
    // What was written stands as it was written.
    match parts {
        [(part, inertial)] if *part == body => Ok((*inertial).clone()),
        _ => Ok(sum.inertial(Origin::identity(link.place))),
    }
}

impl Moments {
    /// Those of a link at a pose in its body.
    fn of(inertial: &Inertial, link: &Pose) -> Moments {
        let Pose { position, rotation: r } = link.then(&Pose::of(&inertial.origin));
        let [xx, xy, xz, yy, yz, zz] = inertial.inertia.each_ref().map(|moment| moment.value);
        let own = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let inertia = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                // The same for (i, j) and (j, i), to the last digit.
                let (i, j) = (i.max(j), i.min(j));
                without_rounding((0..9).map(|term| r[i][term / 3] * own[term / 3][term % 3] * r[j][term % 3]))
            })
        });
        Moments { mass: inertial.mass.value, center: position, inertia }
    }

    /// The parallel-axis theorem: about the common centre, a part at d from it adds J + m (dᵀd 1 − d dᵀ).
    fn sum(parts: &[Moments]) -> Moments {
        let mass = parts.iter().map(|part| part.mass).sum();
        let center = [0, 1, 2].map(|k| without_rounding(parts.iter().map(|part| part.mass / mass * part.center[k])));
        let entry = |i: usize, j: usize| {
            without_rounding(parts.iter().flat_map(|part| {
                let d = [0, 1, 2].map(|k| part.center[k] - center[k]);
                let square = if i == j { part.mass * d.iter().map(|d| d * d).sum::<f64>() } else { 0.0 };
                [part.inertia[i][j], square, -part.mass * d[i] * d[j]]
            }))
        };
        Moments { mass, center, inertia: [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i.max(j), i.min(j)))) }
    }

    fn impossible(&self) -> Option<ImpossibleInertia> {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = self.inertia;
        impossible_inertia(&[xx, xy, xz, yx, yy, yz, zx, zy, zz])
    }

    fn inertial(&self, origin: Origin) -> Inertial {
        let [[xx, xy, xz], [_, yy, yz], [_, _, zz]] = self.inertia;
        let inertia = [xx, xy, xz, yy, yz, zz].map(Number::computed);
        Inertial {
            origin: Origin { xyz: self.center.map(Number::computed), ..origin },
            mass: Number::computed(self.mass),
            inertia,
        }
    }
}

/// A sum, or zero if nothing but rounding is left of it: symmetric parts shall not leave a coupling that they have not.
fn without_rounding(terms: impl Iterator<Item = f64>) -> f64 {
    let (sum, size) = terms.fold((0.0, 0.0), |(sum, size), term: f64| (sum + term, size + term.abs()));
    if sum.abs() <= ROUNDING * size { 0.0 } else { sum }
}

#[cfg(test)]
mod tests;
