//! Joints whose coordinates follow those of others.

use std::collections::HashMap;

use super::error::{Error, Problem};
use super::robot::{Kind, Robot};

/// The joint that each joint follows, if it follows one.
pub(super) fn followed(robot: &Robot) -> Result<Vec<Option<usize>>, Error> {
    let names = robot.joints.iter().enumerate();
    let index: HashMap<&str, usize> = names.map(|(i, joint)| (joint.name.0.as_str(), i)).collect();
    let has_coordinate = |joint: usize| matches!(robot.joints[joint].kind, Kind::Revolute | Kind::Prismatic);
    let mut followed = vec![None; robot.joints.len()];
    for (own, joint) in robot.joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        let error = |problem| Error { place: mimic.place, problem };
        let Some(&other) = index.get(mimic.joint.0.as_str()) else {
            return Err(error(Problem::unknown("joint", &mimic.joint.0, index.keys())));
        };
        if let Some(&wrong) = [own, other].iter().find(|&&joint| !has_coordinate(joint)) {
            return Err(error(Problem::MimicOfOther(robot.joints[wrong].name.to_string())));
        }
        followed[own] = Some(other);
    }
    for (own, joint) in robot.joints.iter().enumerate() {
        // As many joints as there are lead to one that moves by itself, or back.
        let mut last = own;
        for _ in 0..robot.joints.len() {
            match followed[last] {
                Some(next) if next == own => {
                    let place = joint.mimic.as_ref().map_or(joint.place, |mimic| mimic.place);
                    return Err(Error { place, problem: Problem::MimicsItself(joint.name.to_string()) });
                }
                Some(next) => last = next,
                None => break,
            }
        }
    }
    Ok(followed)
}
