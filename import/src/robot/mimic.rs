//! Joints whose coordinates follow those of others.

use std::collections::HashMap;

use super::Robot;
use super::number::Number;
use crate::error::{Errors, Problem};

/// A joint with `ratio` times the coordinate of one that moves by itself, and an offset.
#[derive(Clone)]
pub(super) struct Followed {
    pub(super) leader: usize,
    pub(super) ratio: Number,
    pub(super) offset: Number,
}

/// What each joint follows, if it follows one, directly or through others.
pub(super) fn followed(robot: &Robot) -> Result<Vec<Option<Followed>>, Errors> {
    let next = next(robot)?;
    let of = |own: usize| {
        // With the ratio zero a joint stays where it is.
        let first = robot.joints[own].follows.as_ref().filter(|follows| !follows.multiplier.is_zero())?;
        let mut leader = next[own]?;
        let (mut ratio, mut offset) = (first.multiplier.clone(), first.offset.clone());
        while let (Some(further), Some(follows)) = (next[leader], &robot.joints[leader].follows) {
            offset = Number::computed(ratio.value * follows.offset.value + offset.value);
            ratio = Number::computed(ratio.value * follows.multiplier.value);
            leader = further;
        }
        Some(Followed { leader, ratio, offset })
    };
    Ok((0..robot.joints.len()).map(of).collect())
}

/// The joint that each joint names.
fn next(robot: &Robot) -> Result<Vec<Option<usize>>, Errors> {
    let names = robot.joints.iter().enumerate();
    let index: HashMap<&str, usize> = names.map(|(i, joint)| (joint.name.0.as_str(), i)).collect();
    let has_coordinate = |joint: usize| robot.joints[joint].kind.has_coordinate();
    let mut followed = vec![None; robot.joints.len()];
    let mut errors = Vec::new();
    for (own, joint) in robot.joints.iter().enumerate() {
        let Some(follows) = &joint.follows else { continue };
        let Some(name) = &follows.joint else { continue };
        let problem = match index.get(name.0.as_str()) {
            None => Problem::unknown("joint", &name.0, index.keys()),
            Some(&other) => match [own, other].into_iter().find(|&joint| !has_coordinate(joint)) {
                Some(wrong) => Problem::MimicOfOther(robot.joints[wrong].name.to_string()),
                None => {
                    followed[own] = Some(other);
                    continue;
                }
            },
        };
        errors.push(crate::Error { of: Some(format!("joint `{}`", joint.name)), ..problem.at(follows.place) });
    }
    for (own, joint) in robot.joints.iter().enumerate() {
        // As many joints as there are lead to one that moves by itself, or back.
        let mut last = own;
        for _ in 0..robot.joints.len() {
            match followed[last] {
                Some(next) if next == own => {
                    let place = joint.follows.as_ref().map_or(joint.place, |follows| follows.place);
                    errors.push(Problem::MimicsItself(joint.name.to_string()).at(place));
                    break;
                }
                Some(next) => last = next,
                None => break,
            }
        }
    }
    Errors::of(errors).map(|()| followed)
}
