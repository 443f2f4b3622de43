//! What every body weighs: the link that a joint moves, and everything that fixed joints hold to it.
//!
//! Only the sum has to be possible. Real descriptions have links without mass, such as a `base_link` that carries the
//! trunk, and links with an inertia that no body has, such as a cable of which only the mass is known.

use hamel_compiler::resolve::{ImpossibleInertia, impossible_inertia};

use nalgebra::{Matrix3, SymmetricEigen};

use super::number::Number;
use super::placement::Placement;
use super::pose::Pose;
use super::{Inertial, Name, Origin, Robot};
use crate::error::{Error, Errors, Place, Problem, Warning};

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
///
/// With `is_repaired` inertias that no body has are replaced by the nearest that one has.
pub(super) fn merge(
    robot: &Robot,
    placement: &Placement,
    poses: &[Pose],
    is_repaired: bool,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Option<Inertial>>, Errors> {
    let mut parts = vec![Vec::new(); robot.links.len()];
    for (link, seat) in placement.links.iter().enumerate() {
        if let (Some(body), Some(inertial)) = (seat.body, &robot.links[link].inertial) {
            parts[body].push((link, inertial.clone()));
        }
    }
    let carriers = carriers(robot, placement);
    let (mut bodies, mut errors) = (Vec::new(), Vec::new());
    for (body, parts) in parts.iter_mut().enumerate() {
        let merged = placement.is_body(body).then(|| match total(robot, poses, body, parts, is_repaired, warnings) {
            // What it carries has what it lacks.
            Ok(total) if total.mass.is_zero() && !carriers[body] => {
                let link = &robot.links[body];
                let problem = if parts.is_empty() { Problem::NoInertia } else { Problem::NoMass };
                Err(vec![problem(link.name.to_string()).at(link.place)])
            }
            result => result,
        });
        bodies.push(merged.transpose().unwrap_or_else(|found| {
            errors.extend(found);
            None
        }));
    }
    Errors::of(errors).map(|()| bodies)
}

/// Whether a link carries bodies, which other joints move.
fn carriers(robot: &Robot, placement: &Placement) -> Vec<bool> {
    let mut carriers = vec![false; robot.links.len()];
    for &joint in &placement.joints {
        if let Some(body) = placement.links[robot.joints[joint].parent].body {
            carriers[body] = true;
        }
    }
    carriers
}

/// A body from its parts.
fn total(
    robot: &Robot,
    poses: &[Pose],
    body: usize,
    parts: &mut [(usize, Inertial)],
    is_repaired: bool,
    warnings: &mut Vec<Warning>,
) -> Result<Inertial, Vec<Error>> {
    let link = &robot.links[body];
    let refused = |problem: fn(String) -> Problem| vec![problem(link.name.to_string()).at(link.place)];
    let moments = |parts: &[(usize, Inertial)]| -> Vec<Moments> {
        parts.iter().map(|(part, inertial)| Moments::of(inertial, &poses[*part])).collect()
    };
    let seen = moments(parts);
    let mut sum = Moments::sum(&seen);
    if ![sum.mass].iter().chain(&sum.center).chain(sum.inertia.iter().flatten()).all(|number| number.is_finite()) {
        return Err(refused(Problem::TooHeavy));
    }
    if sum.impossible().is_some() {
        // Of one part at least, because a sum of possible inertias is possible.
        let culprits = seen.iter().enumerate().filter_map(|(index, part)| Some((index, part.impossible()?)));
        let culprits: Vec<(usize, ImpossibleInertia)> = culprits.collect();
        if !is_repaired {
            let of_part = |(index, law): (usize, ImpossibleInertia)| {
                let part = &robot.links[parts[index].0];
                let [link, body] = [part, link].map(|link| link.name.to_string());
                Problem::Impossible { link, body, law }.at(part.place)
            };
            return Err(culprits.into_iter().map(of_part).collect());
        }
        for (index, _) in culprits {
            let (part, inertial) = &mut parts[index];
            let repaired = repaired(inertial);
            let part = &robot.links[*part];
            warnings.push(Warning { place: part.place, count: 1, message: said(&part.name, inertial, &repaired) });
            *inertial = repaired;
        }
        sum = Moments::sum(&moments(parts));
    }
    // What was written stands as it was written.
    match parts {
        [(part, inertial)] if *part == body => Ok(inertial.clone()),
        _ => Ok(sum.inertial(Origin::identity(link.place))),
    }
}

/// The nearest inertia that a rigid body has.
///
/// A body has the second moments Σ = ½ tr(J) 1 − J of its mass, which are never negative: those that are become zero. The
/// distance is the one of Σ.
fn repaired(inertial: &Inertial) -> Inertial {
    let [xx, xy, xz, yy, yz, zz] = inertial.inertia.each_ref().map(|moment| moment.value);
    let half = 0.5 * (xx + yy + zz);
    let sigma = Matrix3::new(half - xx, -xy, -xz, -xy, half - yy, -yz, -xz, -yz, half - zz);
    let parts = SymmetricEigen::new(sigma);
    let moments = parts.eigenvalues.map(|moment| moment.max(0.0));
    let sigma = parts.eigenvectors * Matrix3::from_diagonal(&moments) * parts.eigenvectors.transpose();
    let inertia = Matrix3::from_diagonal_element(sigma.trace()) - sigma;
    let entries = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    // Rounding of the axes leaves no couplings where there were none.
    let entry = |(entry, written): ((usize, usize), &Number)| {
        let value = inertia[entry];
        let is_rounding = written.is_zero() && value.abs() <= 1e-14 * inertia.trace();
        Number::computed(if is_rounding { 0.0 } else { value })
    };
    let mut repaired = entries.into_iter().zip(&inertial.inertia).map(entry);
    Inertial { inertia: [(); 6].map(|()| repaired.next().unwrap_or(Number::zero())), ..inertial.clone() }
}

/// What was repaired.
fn said(name: &Name, from: &Inertial, to: &Inertial) -> String {
    const ENTRIES: [&str; 6] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"];
    let changes = ENTRIES.iter().zip(from.inertia.iter().zip(&to.inertia));
    let changes = changes.filter(|(_, (from, to))| from.value != to.value);
    let changes: Vec<String> =
        changes.map(|(entry, (from, to))| format!("{entry} from {} to {}", from.literal(), to.literal())).collect();
    format!("the inertia of `{name}` is repaired, because no rigid body has it: {} kg m²", changes.join(", "))
}

/// The inertia of several parts of a link.
pub(crate) fn combined(parts: &[Inertial], place: Place) -> Inertial {
    let moments: Vec<Moments> = parts.iter().map(|part| Moments::of(part, &Pose::IDENTITY)).collect();
    Moments::sum(&moments).inertial(Origin::identity(place))
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
        // Without mass nothing depends on it.
        let share = |part: &Moments| if mass == 0.0 { 0.0 } else { part.mass / mass };
        let center = [0, 1, 2].map(|k| without_rounding(parts.iter().map(|part| share(part) * part.center[k])));
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
pub(super) mod tests;
