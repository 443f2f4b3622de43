//! Sliding of contacts, and the instants at which it ends or turns round.

use nalgebra::DVector;

use crate::model::{ContactLaw, Model, State};
use crate::prelude::*;
use crate::rows::{Rows, relative_velocities};
use crate::tangent::{ALIKE, ContactDerivatives, Turn, constraint_span};

/// The rough contacts of a model.
#[derive(Clone)]
pub(super) struct Slides<'m> {
    model: &'m dyn Model,
    /// Number of each, first row in Wᵀ, and number of tangents.
    contacts: Vec<(usize, usize, usize)>,
    /// Slips up to this part of one plus the largest velocity are none.
    at_rest: f64,
    /// Contacts whose sliding has ended, until the velocity tells what followed.
    passed: Vec<Turn>,
}

/// Sliding that has ended within a step.
pub(super) struct Stopped {
    contact: usize,
    first: usize,
    tangents: usize,
    /// Of the slip at the beginning, along which it is measured.
    direction: [f64; 2],
    /// Slip at the beginning, m/s.
    pub(super) slip: f64,
}

/// Why the end of sliding is not followed.
pub(super) enum NoTurn {
    /// Slip turns by more than a right angle in the step.
    TooFar,
    /// These contacts stop at the same instant.
    Several([usize; 2]),
}

impl Stopped {
    /// As if it had ended where the step began.
    pub(super) fn at_beginning(&self) -> Turn {
        Turn { contact: self.contact, direction: self.direction, leader: self.contact }
    }
}

impl<'m> Slides<'m> {
    pub(super) fn new(model: &'m dyn Model, at_rest: f64) -> Self {
        let info = model.describe();
        let mut laws = vec![ContactLaw::default(); info.contacts.len()];
        model.contact_laws(&mut laws);
        let mut first = 0;
        let mut contacts = Vec::new();
        for (contact, (of, law)) in info.contacts.iter().zip(&laws).enumerate() {
            if law.friction != 0.0 && of.tangents > 0 {
                contacts.push((contact, first, of.tangents));
            }
            first += 1 + of.tangents;
        }
        Self { model, contacts, at_rest, passed: Vec::new() }
    }

    /// Slips up to this are none, m/s.
    pub(super) fn rest(&self, state: &State) -> f64 {
        self.at_rest * (1.0 + state.v.amax())
    }

    fn is_passed(&self, contact: usize) -> bool {
        self.passed.iter().any(|turn| turn.contact == contact)
    }

    /// The first contact whose sliding has ended in a step between these states; `forces`: those of the contacts in it, along
    /// the rows of Wᵀ.
    pub(super) fn stopped(&self, before: &State, after: &State, forces: &[f64]) -> Option<Stopped> {
        let is_pressed = |first: usize| forces[first] > 0.0;
        if !self.contacts.iter().any(|&(_, first, _)| is_pressed(first)) {
            return None;
        }
        let (rest, velocities) =
            (self.rest(after), [before, after].map(|state| relative_velocities(self.model, state)));
        self.contacts.iter().find_map(|&(contact, first, tangents)| {
            let [old, new] = velocities.each_ref().map(|velocities| slip(velocities, first, tangents));
            let size = old[0].hypot(old[1]);
            if !is_pressed(first) || self.is_passed(contact) || size <= rest {
                return None;
            }
            let direction = old.map(|slip| slip / size);
            let has_stopped = along(new, direction) <= rest;
            has_stopped.then_some(Stopped { contact, first, tangents, direction, slip: size })
        })
    }

    /// How fast a contact slides that stopped later, along its direction then, m/s.
    pub(super) fn slip(&self, stopped: &Stopped, state: &State) -> f64 {
        along(slip(&relative_velocities(self.model, state), stopped.first, stopped.tangents), stopped.direction)
    }

    /// The end of sliding at the end of a step between these states: of this contact, and of those that stop at the same
    /// instant whatever changes, as other feet of a body do.
    pub(super) fn turns(
        &self,
        stopped: &Stopped,
        [before, after]: [&State; 2],
        forces: &[f64],
    ) -> Result<Vec<Turn>, NoTurn> {
        let (nearly, velocities) =
            (100.0 * self.rest(after), [before, after].map(|state| relative_velocities(self.model, state)));
        let slip_of = |end: usize, first, tangents| slip(&velocities[end], first, tangents);
        let turn = |contact, slip: [f64; 2]| {
            let size = slip[0].hypot(slip[1]);
            Turn { contact, direction: slip.map(|slip| slip / size), leader: stopped.contact }
        };
        let slip = slip_of(1, stopped.first, stopped.tangents);
        if slip[0].hypot(slip[1]) > nearly {
            return Err(NoTurn::TooFar);
        }
        let mut turns = vec![turn(stopped.contact, slip)];
        for &(contact, first, tangents) in &self.contacts {
            let slides = |end: usize| {
                let slip = slip_of(end, first, tangents);
                slip[0].hypot(slip[1]) > nearly
            };
            let stops = forces[first] > 0.0 && slides(0) && !slides(1);
            if contact == stopped.contact || !stops || self.is_passed(contact) {
                continue;
            }
            let [old, new] = [0, 1].map(|end| slip_of(end, first, tangents));
            let other = turn(contact, if new == [0.0; 2] { old } else { new });
            if !self.follows((&other, first), (&turns[0], stopped.first), after, forces) {
                return Err(NoTurn::Several([stopped.contact, contact]));
            }
            turns.push(other);
        }
        Ok(turns)
    }

    /// Whether the slip of a contact follows from that of another one, from constraints, and from contacts that are pressed.
    fn follows(&self, other: (&Turn, usize), of: (&Turn, usize), state: &State, forces: &[f64]) -> bool {
        let (model, info, nv) = (self.model, self.model.describe(), state.v.len());
        let np = info.differentiated.len();
        let rows = Rows::of_contacts(model, state).to_vectors();
        let ContactDerivatives { by_q, by_p, .. } = ContactDerivatives::at(model, state, np > 0);
        let with = |row: usize| {
            let derivatives = by_q[row * nv..][..nv].iter().chain(&by_p[row * np..][..np]);
            DVector::from_iterator(nv + np, derivatives.copied())
        };
        let along = |(turn, first): (&Turn, usize)| {
            let mut sum = (DVector::zeros(nv), DVector::zeros(nv + np));
            for k in 0..info.contacts[turn.contact].tangents {
                sum.0.axpy(turn.direction[k], &rows[first + 1 + k], 1.0);
                sum.1.axpy(turn.direction[k], &with(first + 1 + k), 1.0);
            }
            sum
        };
        let mut span = constraint_span(model, state, np > 0, nv + np);
        let mut first = 0;
        for contact in &info.contacts {
            if forces[first] > 0.0 {
                span.take(rows[first].clone(), with(first));
            }
            first += 1 + contact.tangents;
        }
        let (row, with) = along(of);
        span.take(row, with);
        let (row, with) = along(other);
        let size = 1.0 + with.amax();
        span.take(row, with).is_some_and(|with| with.amax() <= ALIKE * size)
    }

    /// Contacts that were passed, until the velocity shows what followed.
    pub(super) fn passed(&self) -> &[Turn] {
        &self.passed
    }

    /// Notes that a step ended where sliding does.
    pub(super) fn pass(&mut self, turn: Turn) {
        self.passed.push(turn);
    }

    /// After a step: what was passed is over where the velocity shows it.
    pub(super) fn settle(&mut self, state: &State) {
        if self.passed.is_empty() {
            return;
        }
        let (rest, velocities) = (self.rest(state), relative_velocities(self.model, state));
        let Self { contacts, passed, .. } = self;
        passed.retain(|turn| {
            let of = contacts.iter().find(|(contact, ..)| *contact == turn.contact);
            let remaining =
                of.map_or(0.0, |&(_, first, tangents)| along(slip(&velocities, first, tangents), turn.direction));
            remaining > 0.0 && remaining <= 100.0 * rest
        });
    }
}

fn slip(velocities: &[f64], first: usize, tangents: usize) -> [f64; 2] {
    [0, 1].map(|k| if k < tangents { velocities[first + 1 + k] } else { 0.0 })
}

fn along(slip: [f64; 2], direction: [f64; 2]) -> f64 {
    slip[0] * direction[0] + slip[1] * direction[1]
}
