//! Integer constants, which say how often something is repeated, and how much has been.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Ident;
use syn::Result;

use super::expression::{Operator, Value, ValueKind};
use crate::diagnostics::{self, Place};
use crate::limits;

/// Integer constants that have been read so far, and how much has been repeated.
#[derive(Debug, Default)]
pub(super) struct Integers {
    known: RefCell<BTreeMap<String, i64>>,
    /// Constants whose declaration is in error.
    guessed: RefCell<BTreeSet<String>>,
    /// One of those has been used.
    is_guess_used: Cell<bool>,
    /// Rounds of all loops.
    pub(super) rounds: Cell<usize>,
    /// Tokens that loops have made of their bodies.
    pub(super) substituted: Cell<usize>,
    /// Values that `[value; n]` has made.
    repeated: Cell<i64>,
    /// There was too much of that: what follows is not read.
    pub(super) is_too_long: Cell<bool>,
}

impl Integers {
    /// Keeps a constant if it is an integer.
    pub(super) fn learn(&self, name: &Ident, value: &Value) {
        if let Some(integer) = self.evaluate(value) {
            self.known.borrow_mut().entry(name.to_string()).or_insert(integer);
        }
    }

    /// Gives a constant whose declaration is in error a value, so that the loops it bounds can be searched for further
    /// mistakes. The model is refused in any case.
    pub(super) fn guess(&self, name: &Ident) {
        // Divisible by what meshes are divided by.
        const GUESS: i64 = 12;
        let name = name.to_string();
        self.known.borrow_mut().entry(name.clone()).or_insert_with(|| {
            self.guessed.borrow_mut().insert(name);
            GUESS
        });
    }

    /// Whether the number of rounds, values or indices is that of no constant that was read.
    pub(super) fn is_guess_used(&self) -> bool {
        self.is_guess_used.get()
    }

    /// Whether there was too much of something, so that nothing more is read.
    pub(super) fn is_too_long(&self) -> bool {
        self.is_too_long.get()
    }

    /// Refuses more items than a model may have, once.
    pub(super) fn count_items(&self, count: usize, place: Place) -> Result<()> {
        if count > limits::ITEMS && !self.is_too_long.replace(true) {
            return Err(diagnostics::too_many_items(place, limits::ITEMS));
        }
        Ok(())
    }

    /// Counts values that `[value; n]` makes.
    pub(super) fn repeat(&self, count: i64, place: Place) -> Result<()> {
        let repeated = self.repeated.get().saturating_add(count);
        if repeated > limits::REPEATED_VALUES {
            self.is_too_long.set(true);
            return Err(diagnostics::too_many_values(place, limits::REPEATED_VALUES));
        }
        self.repeated.set(repeated);
        Ok(())
    }

    /// The value of an expression of integers.
    pub(super) fn evaluate(&self, value: &Value) -> Option<i64> {
        match &value.kind {
            ValueKind::Number(digits) => digits.parse().ok(),
            ValueKind::Name(name) => {
                let name = name.to_string();
                if self.guessed.borrow().contains(&name) {
                    self.is_guess_used.set(true);
                }
                self.known.borrow().get(&name).copied()
            }
            ValueKind::Negation(value) => self.evaluate(value)?.checked_neg(),
            ValueKind::Operation(operator, _, lhs, rhs) => {
                let (lhs, rhs) = (self.evaluate(lhs)?, self.evaluate(rhs)?);
                match operator {
                    Operator::Add => lhs.checked_add(rhs),
                    Operator::Subtract => lhs.checked_sub(rhs),
                    Operator::Multiply => lhs.checked_mul(rhs),
                    Operator::Divide => lhs.checked_rem(rhs).filter(|rest| *rest == 0).and(lhs.checked_div(rhs)),
                    Operator::Power => lhs.checked_pow(u32::try_from(rhs).ok()?),
                }
            }
            _ => None,
        }
    }
}
