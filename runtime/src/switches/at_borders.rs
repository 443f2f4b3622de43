//! Steps of equal length within which the state crosses a border at which forces jump.

use super::crossed::{between, jump_between};
use super::crossings::{CrossingWithin, Crossings};
use crate::caution::Caution;
use crate::chart::{moved, thrown};
use crate::model::{Model, State};
use crate::prelude::*;

/// So often a border is looked at at which forces do not jump.
const LOOKED_AT: u32 = 20;
/// Crossings so close to the end of a step, relative to its length, are at its end.
const AT_END: f64 = 1e-6;

/// A border that is foretold in more steps than not, and so many times more, but not crossed, is one that only stages cross: the
/// motion stays there.
const STAYING: u32 = 10;

/// What is known of a border.
#[derive(Clone, Copy)]
enum Border {
    /// Forces were found not to jump so often.
    Smooth(u32),
    Jump,
}

/// Follows a run with steps of equal length.
pub(crate) struct AtBorders {
    crossings: Crossings,
    last: State,
    borders: Vec<Border>,
    /// In how many more steps each was foretold than not.
    foretold: Vec<u32>,
    /// The first jump within a step, and the length of that, s.
    first: Option<[f64; 2]>,
    count: u64,
}

impl AtBorders {
    /// For a run from this state, if the model has borders.
    pub(crate) fn new(model: &dyn Model, start: &State) -> Option<Self> {
        let mut crossings = Crossings::new(model)?;
        crossings.begin(model, start);
        let n = model.n_switching_functions();
        let (borders, foretold) = (vec![Border::Smooth(0); n], vec![0; n]);
        Some(Self { crossings, last: start.clone(), borders, foretold, first: None, count: 0 })
    }

    /// The state is another one, as where forces have jumped.
    pub(crate) fn jump(&mut self, model: &dyn Model, state: &State) {
        self.crossings.begin(model, state);
        self.last.copy_from(state);
    }

    /// A step that ends in this state, before which no impact changes velocities.
    pub(crate) fn follow(&mut self, model: &dyn Model, state: &State) {
        let Self { crossings, last, borders, foretold, first, count } = self;
        let dt = state.t - last.t;
        crossings.end(model, state);
        let mut is_jump = false;
        let inside = |crossing: &CrossingWithin| (AT_END..1.0 - AT_END).contains(&crossing.part);
        for crossing in crossings.within(dt).filter(inside) {
            let border = &mut borders[crossing.switch];
            if let Border::Smooth(seen) = *border
                && seen < LOOKED_AT
            {
                let jumps = match crossing.returns {
                    false => {
                        // Halfway to the borders that are crossed before and behind.
                        let others =
                            || crossings.within(dt).map(|other| other.part).filter(|part| *part != crossing.part);
                        let before = others().filter(|part| *part < crossing.part).fold(0.0, f64::max);
                        let behind = others().filter(|part| *part > crossing.part).fold(1.0, f64::min);
                        let halfway = |part: f64| between(last, state, 0.5 * (part + crossing.part));
                        jump_between(model, &halfway(before), &halfway(behind)).is_some()
                    }
                    true => jump_between(model, last, &moved(model, last, crossing.part * dt)).is_some(),
                };
                *border = if jumps { Border::Jump } else { Border::Smooth(seen + 1) };
            }
            if matches!(border, Border::Jump) {
                is_jump = true;
                first.get_or_insert([last.t + crossing.part * dt, dt]);
            }
        }
        let mut ahead = crossings.foretold(dt).peekable();
        for (switch, steps) in foretold.iter_mut().enumerate() {
            let is_foretold = ahead.next_if_eq(&switch).is_some();
            *steps = if is_foretold { *steps + 1 } else { steps.saturating_sub(1) };
            let stays = is_foretold
                && *steps >= STAYING
                && (*steps > STAYING || jump_between(model, last, &thrown(model, last, dt)).is_some());
            if stays {
                is_jump = true;
                first.get_or_insert([last.t, dt]);
            } else if *steps == STAYING {
                *steps -= 1;
            }
        }
        drop(ahead);
        *count += u64::from(is_jump);
        crossings.go_on();
        last.copy_from(state);
    }

    pub(crate) fn caution(&self) -> Option<Caution> {
        self.first.map(|[t, length]| Caution::JumpedAtBorder { t, length, count: self.count })
    }
}
