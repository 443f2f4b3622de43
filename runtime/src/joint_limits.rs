//! Joints that go past their limits, or faster than they may: limits are data, and nothing stops a joint there unless the
//! model has a contact.

use crate::caution::Caution;
use crate::model::{Model, State};
use crate::prelude::*;

/// How far a coordinate may be beyond a limit, relative to the range: contacts that stop joints give way by less. A velocity
/// the same, relative to its limit.
const YIELDING: f64 = 1e-3;

/// Follows the coordinates and velocities that have limits.
pub(crate) struct Followed {
    places: Vec<Limited>,
    speeds: Vec<Limited>,
}

/// A coordinate or velocity.
struct Limited {
    place: usize,
    range: [f64; 2],
    /// When it was first beyond a limit, s, and the limit.
    first: Option<(f64, f64)>,
}

impl Followed {
    pub(crate) fn new(model: &dyn Model, start: &State) -> Followed {
        let limited = |place, range| Limited { place, range, first: None };
        let limits = || model.describe().limits.iter();
        let mut followed = Followed {
            places: limits().filter_map(|limits| Some(limited(limits.coordinate, limits.range?))).collect(),
            speeds: limits()
                .filter_map(|limits| Some((limits.velocity, limits.speed?)))
                .map(|(place, speed)| limited(place, [-speed, speed]))
                .collect(),
        };
        followed.follow(start);
        followed
    }

    /// Looks at a state.
    pub(crate) fn follow(&mut self, state: &State) {
        self.places.iter_mut().for_each(|limited| limited.follow(state.t, state.q[limited.place]));
        self.speeds.iter_mut().for_each(|limited| limited.follow(state.t, state.v[limited.place]));
    }

    /// The coordinate that was the first to go past a limit, and the velocity.
    pub(crate) fn cautions(&self, model: &dyn Model) -> impl Iterator<Item = Caution> {
        let info = model.describe();
        let place = first(&self.places).and_then(|(place, t, limit, others)| {
            let may_be_stopped = !info.contacts.is_empty();
            let coordinate = info.coordinates.get(place)?.clone();
            Some(Caution::JointLimit { coordinate, t, limit, others, may_be_stopped })
        });
        let speed = first(&self.speeds).and_then(|(place, t, limit, others)| {
            Some(Caution::JointSpeed { velocity: info.velocities.get(place)?.clone(), t, limit: limit.abs(), others })
        });
        place.into_iter().chain(speed)
    }
}

/// The first that was beyond a limit, when, s, the limit, and how many others were.
fn first(all: &[Limited]) -> Option<(usize, f64, f64, usize)> {
    let passed = || all.iter().filter_map(|limited| Some((limited.place, limited.first?)));
    let (place, (t, limit)) = passed().min_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b))?;
    Some((place, t, limit, passed().count() - 1))
}

impl Limited {
    fn follow(&mut self, t: f64, value: f64) {
        if self.first.is_some() {
            return;
        }
        let [low, high] = self.range;
        let margin = YIELDING * (high - low);
        if value < low - margin {
            self.first = Some((t, low));
        } else if value > high + margin {
            self.first = Some((t, high));
        }
    }
}
