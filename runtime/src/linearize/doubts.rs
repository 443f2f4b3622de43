//! What the matrices of a linearisation do not say: that the equations, or the motion, change with time.

use super::terms::Terms;
use super::{About, steady};
use crate::model::{Model, State};
use crate::prelude::*;

/// Times without a common period at which equations are compared, s.
const LATER: [f64; 3] = [0.137, 1.618, 27.18];
/// Forces that differ by more than this part of the largest have changed.
const CHANGED: f64 = 1e-12;
/// Accelerations below this part of the largest force are none.
const AT_REST: f64 = 1e-9;

/// A reason why the eigenvalues of a linearisation may not tell whether departures grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Forces, inputs or constraints, or their derivatives, change with time.
    Equations {
        /// The time of the matrices, s.
        t: f64,
    },
    /// The motion does not stay in the state about which was linearised.
    Motion,
}

impl core::fmt::Display for Doubt {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Doubt::Equations { t } => {
                write!(out, "forces, inputs or constraints change with time; these are the matrices at t = {t} s")
            }
            Doubt::Motion => out.write_str(
                "the motion does not stay in this state, and the matrices change along it; eigenvalues say nothing about \
                 its stability",
            ),
        }
    }
}

/// The doubts about a linearisation at a state, the one with its accelerations.
pub(super) fn doubts(model: &dyn Model, state: &State, about: About) -> Vec<Doubt> {
    // A steady motion was compared with later times.
    if about == About::Steady {
        return Vec::new();
    }
    let forces = |t: f64| {
        let (mut r, mut g) = (vec![0.0; state.v.len()], vec![0.0; state.lambda.len()]);
        model.residual(&State { t, ..state.clone() }, &mut r, &mut g);
        r.extend(g);
        r
    };
    let terms = |t: f64| Terms::new(model, &mut State { t, ..state.clone() });
    let now = forces(state.t);
    let size = now.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
    let is_moved = |t: f64| forces(t).iter().zip(&now).any(|(later, now)| (later - now).abs() > CHANGED * size);
    // Forces are cheaper to compare than their derivatives.
    let is_changed = || {
        let Ok(now) = terms(state.t) else { return true };
        let differs =
            |later: Terms| now.of_motion().zip(later.of_motion()).any(|(a, b)| steady::changed(b, a).is_some());
        LATER.iter().any(|later| terms(state.t + later).map_or(true, differs))
    };
    let mut doubts = Vec::new();
    if LATER.iter().any(|later| is_moved(state.t + later)) || is_changed() {
        doubts.push(Doubt::Equations { t: state.t });
    }
    let moves = || {
        let moving = state.v.len() - model.describe().states;
        state.v.rows(0, moving).iter().any(|v| *v != 0.0) || state.a.amax() > AT_REST * size
    };
    if about == About::State && moves() && steady::instant(model, state).is_err() {
        doubts.push(Doubt::Motion);
    }
    doubts
}
