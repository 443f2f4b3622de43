//! First-order states: filters, memory of the water, lags of actuators.

use super::context::Context;
use super::dependence::Site;
use super::names::Meaning;
use super::outlines::StateOutline;
use super::{StateEquation, StateId};
use crate::diagnostics;
use crate::parse;
use crate::space::Shape;
use crate::units::Unit;

impl<'a> Context<'_> {
    /// Declares the states with their units.
    pub(super) fn declare_states(&mut self, written: impl Iterator<Item = &'a parse::State>) {
        for state in written {
            let unit = match &state.unit {
                None => Some(Unit::ONE),
                Some(expression) => self.unit(expression).map(|(unit, factor)| {
                    if !factor.is_one() {
                        self.errors.push(diagnostics::state_not_in_si(expression.place, unit));
                    }
                    unit
                }),
            };
            let meaning = match unit {
                Some(unit) => {
                    self.states.push(StateOutline { name: state.name.clone(), unit });
                    Meaning::State(StateId(self.states.len() - 1))
                }
                None => Meaning::Broken,
            };
            self.names.declare(&state.name, meaning, self.errors);
        }
    }

    /// A state with its rate.
    pub(super) fn resolve_state(&self, written: &parse::State) -> Option<StateEquation> {
        let StateOutline { name, unit } = self.states.iter().find(|outline| outline.name == written.name)?;
        let rate = self.typed(&written.rate, Shape::Scalar, unit.over(Unit::SECOND))?;
        Some(StateEquation { name: name.clone(), unit: *unit, rate: self.allow(rate, Site::Rate)? })
    }

    /// The name of a state.
    pub(super) fn state_name(&self, id: StateId) -> String {
        self.states.get(id.0).map(|state| state.name.to_string()).unwrap_or_default()
    }
}
