//! Why a motion has no slopes.

use thiserror::Error;

use crate::model::Model;
use crate::prelude::*;
use crate::step::StepError;
use crate::tangent::NoSlope;

/// Why slopes of a motion cannot be computed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GradientError {
    /// The motion itself fails.
    #[error(transparent)]
    Motion(#[from] StepError),
    /// The model was not asked for derivatives.
    #[error(
        "{model} lacks derivatives with respect to parameters; write `differentiate …;` with their names, or `differentiate all;`, in its text"
    )]
    NotProvided {
        /// Name of the model.
        model: String,
    },
    /// An impact within a step, whose instant is not found.
    #[error(
        "an impact at t = {t} s is a part of a step of {scheme}, so that its instant, which changes with parameters, is not found; take another scheme"
    )]
    Impact {
        /// Label of the scheme.
        scheme: String,
        /// Time of the end of its step, s.
        t: f64,
    },
    /// Contacts that close at one instant, so that it depends on the change which closes first.
    #[error(
        "there is no slope: contacts {contacts} close at the same instant, t = {t} s; changes of one sign let one of them close first, those of the other another one"
    )]
    Simultaneous {
        /// Their names.
        contacts: String,
        /// Time, s.
        t: f64,
    },
    /// Contacts that stop to slide at one instant, so that it depends on the change which stops first.
    #[error(
        "there is no slope: contacts {contacts} stop to slide at the same instant, t = {t} s; changes of one sign let one of them stop first, those of the other the other one"
    )]
    StopTogether {
        /// Their names.
        contacts: String,
        /// Time, s.
        t: f64,
    },
    /// Impacts that follow each other without end.
    #[error("impacts follow each other without end from t = {t} s on; take longer steps")]
    Impacts {
        /// Time, s.
        t: f64,
    },
    /// A contact is on the verge of closing, opening, sticking or sliding, where slopes to both sides differ.
    #[error(
        "there is no slope: at t = {t} s contact {contact} is on the verge of opening or closing, or of sliding or sticking, where the motion answers to changes of one sign otherwise than to those of the other"
    )]
    Contact {
        /// Its name.
        contact: String,
        /// Time, s.
        t: f64,
    },
    /// The scheme does not say how its steps answer to changes.
    #[error("{scheme}: {reason}")]
    Scheme {
        /// Label of the scheme.
        scheme: String,
        /// Why.
        reason: &'static str,
    },
    /// Steps that lead nowhere.
    #[error(
        "steps of {step:?} s until t = {until:?} s, expected positive ones, at most 10⁸ of them, and finite times that ascend"
    )]
    BadSteps {
        /// Length of a step, s.
        step: f64,
        /// Time of the end, s.
        until: f64,
    },
    /// A direction that the model does not have.
    #[error("{model}: expected {expected}, found {found}")]
    Direction {
        /// Name of the model.
        model: String,
        /// Which directions there are.
        expected: String,
        /// The one that was asked for.
        found: String,
    },
    /// Initial conditions that leave something open, of which nothing tells how it depends on parameters.
    #[error(
        "{model}: its initial conditions leave {what} open, so that nothing says how the start depends on parameters; add `initial …` for it, or give the start"
    )]
    OpenStart {
        /// Name of the model.
        model: String,
        /// A coordinate or a velocity.
        what: String,
    },
    /// Equations that determine changes are singular.
    #[error("{model}: the equations that determine small changes are singular at t = {t} s")]
    Singular {
        /// Name of the model.
        model: String,
        /// Time, s.
        t: f64,
    },
}

impl GradientError {
    /// Why changes of a model's motion are not determined.
    pub(super) fn of(model: &dyn Model, reason: NoSlope) -> Self {
        let info = model.describe();
        match reason {
            NoSlope::Singular { t } => GradientError::Singular { model: info.name.clone(), t },
            NoSlope::Contact { t, contact } => {
                GradientError::Contact { contact: format!("`{}`", info.contacts[contact].name), t }
            }
        }
    }
}
