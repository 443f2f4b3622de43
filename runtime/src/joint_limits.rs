//! Joints that go past their limits: limits are data, and nothing stops a joint there unless the model has a contact.

use crate::caution::Caution;
use crate::model::{JointLimits, Model, State};

/// How far a coordinate may be beyond a limit, relative to the range: contacts that stop joints give way by less.
const YIELDING: f64 = 1e-3;

/// Follows the coordinates that have limits.
pub(crate) struct Followed {
    joints: Vec<Joint>,
}

struct Joint {
    coordinate: usize,
    range: [f64; 2],
    /// When the coordinate was first beyond a limit, s, and the limit.
    first: Option<(f64, f64)>,
}

impl Followed {
    pub(crate) fn new(model: &dyn Model, start: &State) -> Followed {
        let joint =
            |limits: &JointLimits| Some(Joint { coordinate: limits.coordinate, range: limits.range?, first: None });
        let mut followed = Followed { joints: model.describe().limits.iter().filter_map(joint).collect() };
        followed.follow(start);
        followed
    }

    /// Looks at a state.
    pub(crate) fn follow(&mut self, state: &State) {
        for joint in &mut self.joints {
            if joint.first.is_none() {
                joint.first = joint.passed(state).map(|limit| (state.t, limit));
            }
        }
    }

    /// The joint that was the first to go past a limit.
    pub(crate) fn caution(&self, model: &dyn Model) -> Option<Caution> {
        let passed = || self.joints.iter().filter_map(|joint| Some((joint, joint.first?)));
        let (joint, (t, limit)) = passed().min_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b))?;
        let coordinate = model.describe().coordinates.get(joint.coordinate)?.clone();
        Some(Caution::JointLimit { coordinate, t, limit, others: passed().count() - 1 })
    }
}

impl Joint {
    /// The limit beyond which the coordinate is.
    fn passed(&self, state: &State) -> Option<f64> {
        let ([low, high], q) = (self.range, state.q[self.coordinate]);
        let margin = YIELDING * (high - low);
        match q {
            q if q < low - margin => Some(low),
            q if q > high + margin => Some(high),
            _ => None,
        }
    }
}
