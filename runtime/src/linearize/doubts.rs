//! What the matrices of a linearisation do not say: that the equations, or the motion, change with time, or that they are
//! others on both sides of the state.

use super::terms::Terms;
use super::{About, steady};
use crate::chart;
use crate::configuration::joined;
use crate::model::{Block, Model, State};
use crate::prelude::*;

/// Times without a common period at which equations are compared, s.
const LATER: [f64; 3] = [0.137, 1.618, 27.18];
/// Forces that differ by more than this part of the largest have changed.
const CHANGED: f64 = 1e-12;
/// How far beside a state forces are compared, in the units of coordinates and velocities, and nearer.
const ASIDE: f64 = 1e-5;
const NEARER: f64 = 1.0 / 16.0;
/// Changes below this part of the largest are rounding.
const ROUNDING: f64 = 1e-8;
/// Changes to both sides that differ by less than this part are those of smooth forces.
const BENT: f64 = 1e-3;
/// Accelerations below this part of the largest force are none.
const AT_REST: f64 = 1e-9;

/// A reason why the eigenvalues of a linearisation may not tell whether departures grow.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// Forces, inputs or constraints, or their derivatives, change with time.
    Equations {
        /// The time of the matrices, s.
        t: f64,
    },
    /// The motion does not stay in the state about which was linearised.
    Motion,
    /// Forces or constraints have a jump or a kink in the state, as those of `sign(v)`, `abs(x)` and `if x < 0`: the
    /// matrices are those of one side.
    OneSide {
        /// The coordinate or velocity along which they have it.
        along: String,
    },
}

impl core::fmt::Display for Doubt {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Doubt::Equations { t } => {
                write!(out, "forces, inputs or constraints change with time; these are the matrices at t = {t} s")
            }
            Doubt::OneSide { along } => write!(
                out,
                "forces have a jump or a kink in this state along `{along}`, as those of `sign(v)`, `abs(x)` or `if x < 0`; \
                 these are the matrices of one side"
            ),
            Doubt::Motion => out.write_str(
                "the motion does not stay in this state, and the matrices change along it; eigenvalues say nothing about \
                 its stability",
            ),
        }
    }
}

/// The coordinate or velocity along which forces or constraints have a jump or a kink in a state, if there is one.
fn edge(model: &dyn Model, state: &State) -> Option<String> {
    let (info, nv) = (model.describe(), state.v.len());
    let residual = |state: &State| {
        let (mut r, mut g) = (vec![0.0; nv], vec![0.0; state.lambda.len()]);
        model.residual(state, &mut r, &mut g);
        r.extend(g);
        r
    };
    let here = residual(state);
    // Of each equation, by what both sides together differ from it, and the larger change to a side.
    let around = |place: usize, is_velocity: bool, way: f64| -> Vec<[f64; 2]> {
        let sides = [way, -way].map(|way| {
            let mut aside = state.clone();
            if is_velocity {
                aside.v[place] += way;
            } else {
                let mut shift = vec![0.0; nv];
                shift[place] = way;
                chart::place(&info.blocks, state.q.as_slice(), &shift, aside.q.as_mut_slice());
            }
            residual(&aside)
        });
        let changes = sides[0].iter().zip(&sides[1]).zip(&here).map(|((one, other), here)| [one - here, other - here]);
        changes.map(|[one, other]| [(one + other).abs(), one.abs().max(other.abs())]).collect()
    };
    let places: Vec<(usize, bool)> =
        [false, true].into_iter().flat_map(|kind| (0..nv).map(move |i| (i, kind))).collect();
    let all: Vec<Vec<[f64; 2]>> = places.iter().map(|&(place, kind)| around(place, kind, ASIDE)).collect();
    // What is left of terms that cancel.
    let mut forces = vec![0.0; nv];
    model.applied_force(state.t, state.q.as_slice(), state.v.as_slice(), &mut forces);
    let largest =
        |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let size = largest(&mut here.iter().chain(&forces).chain(&state.lambda).copied());
    let floor = (CHANGED * size).max(ROUNDING * largest(&mut all.iter().flatten().map(|change| change[1])));
    for (&(place, is_velocity), far) in places.iter().zip(&all) {
        let near = around(place, is_velocity, NEARER * ASIDE);
        // A change shrinks with the way, what both sides differ by with its square; but a kink with the way, and a jump not.
        let has_edge = far.iter().zip(&near).any(|(far, near)| {
            let is_kink = far[0] > BENT * far[1] && near[0] > 4.0 * NEARER * NEARER * far[0] && near[0] > floor;
            is_kink || near[1] > 2.0 * NEARER * far[1] && near[1] > floor
        });
        if has_edge {
            let of_velocity = || info.velocities.get(place);
            let of_coordinate = || {
                let own = joined(&info.blocks)
                    .find(|(block, _, v)| matches!(block, Block::Vector { .. }) && v.contains(&place));
                own.and_then(|(_, q, v)| info.coordinates.get(q.start + place - v.start))
            };
            let channel = if is_velocity { of_velocity() } else { of_coordinate().or_else(of_velocity) };
            return channel.map(|channel| {
                match is_velocity && info.coordinates.iter().any(|coordinate| coordinate.name == channel.name) {
                    true => format!("velocity({})", channel.name),
                    false => channel.name.clone(),
                }
            });
        }
    }
    None
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
    let mut doubts: Vec<Doubt> = edge(model, state).map(|along| Doubt::OneSide { along }).into_iter().collect();
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
