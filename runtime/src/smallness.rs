//! Motions as small as the absolute tolerance by which steps are chosen, which then says little about them.

use nalgebra::DVector;

use crate::caution::Caution;
use crate::configuration::joined;
use crate::model::{Block, Channel, Model, State};
use crate::prelude::*;

/// If nothing changes by more than so many absolute tolerances, all is known to a few digits at most.
const SMALL: f64 = 100.0;
/// A value that changes by less than so many, beside larger ones, is known to a digit at most.
const SMALL_BESIDE: f64 = 10.0;
/// Changes below this part of the tolerance, beside larger ones, are what errors leave of none.
const NO_MOTION_BESIDE: f64 = 1e-3;
/// What begins with smaller velocities and accelerations, relative to the largest, does not move but for errors.
const STILL: f64 = 1e-9;
/// Smaller changes, relative to one plus the largest value, are those of a model at rest.
const AT_REST: f64 = 1e-13;

/// How far coordinates and first-order states go in steps that are chosen by a tolerance.
pub(crate) struct Changes {
    /// The absolute tolerance, zero where steps are not chosen.
    tolerance: f64,
    start: DVector<f64>,
    /// The largest of each.
    largest: DVector<f64>,
    /// Which move from the start on; of rotations it is not asked.
    moves: Vec<bool>,
    states: usize,
}

/// Coordinates, and states in place of their integrals.
fn values(state: &State, states: usize) -> impl Iterator<Item = f64> {
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    q[..q.len() - states].iter().chain(&v[v.len() - states..]).copied()
}

impl Changes {
    pub(crate) fn new(model: &dyn Model, start: &State, tolerance: f64) -> Self {
        let states = model.describe().states;
        let [velocity, acceleration] = [&start.v, &start.a].map(|rates| STILL * rates.amax());
        let mut moves = vec![false; start.q.len()];
        for (_, q, v) in joined(&model.describe().blocks).filter(|(block, ..)| matches!(block, Block::Vector { .. })) {
            for (place, rate) in q.zip(v) {
                moves[place] = start.v[rate].abs() > velocity || start.a[rate].abs() > acceleration;
            }
        }
        let start = DVector::from_iterator(start.q.len(), values(start, states));
        Self { tolerance, largest: DVector::zeros(start.len()), start, moves, states }
    }

    /// Looks at a state.
    pub(crate) fn follow(&mut self, state: &State) {
        if self.tolerance > 0.0 {
            for ((largest, start), value) in self.largest.iter_mut().zip(&self.start).zip(values(state, self.states)) {
                *largest = largest.max((value - start).abs());
            }
        }
    }

    pub(crate) fn caution(&self, model: &dyn Model) -> Option<Caution> {
        let &Self { tolerance, ref start, ref largest, ref moves, states } = self;
        let change = largest.iter().copied().fold(0.0, f64::max);
        let at_rest = AT_REST * (1.0 + start.amax());
        if change < SMALL * tolerance {
            return (change > at_rest).then_some(Caution::Small { change, tolerance });
        }
        let least = at_rest.max(NO_MOTION_BESIDE * tolerance);
        let is_small =
            |&(place, change): &(usize, &f64)| moves[place] && (least..SMALL_BESIDE * tolerance).contains(change);
        let mut small = largest.iter().enumerate().filter(is_small);
        let (place, &change) = small.next()?;
        let info = model.describe();
        let channel: &Channel = match place.checked_sub(info.coordinates.len() - states) {
            None => info.coordinates.get(place),
            Some(state) => info.velocities.get(info.velocities.len() - states + state),
        }?;
        Some(Caution::SmallBeside { channel: channel.clone(), change, tolerance, others: small.count() })
    }
}
