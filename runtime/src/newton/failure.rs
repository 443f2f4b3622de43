//! Why Newton's method has not converged: a jump of the forces, a nearly singular Jacobian, rounding, or a step that is
//! too long.

use super::{Equations, Newton, Unknown};
use crate::norms::is_finite;
use crate::prelude::*;
use crate::random::Random;
use crate::step::Cause;

/// Bisections along the last correction to locate a jump of the residual, and the least fraction of the residual's change
/// that counts as one.
const HALVINGS: u32 = 40;
const JUMP: f64 = 0.05;
/// The equations are nearly singular if a pivot of the scaled matrix is below this.
const NEARLY_SINGULAR: f64 = 1e-9;
/// Number of unknowns of a nearly singular motion that an error names, if they are above this fraction of the largest.
const NAMED: usize = 4;
const NOTABLE: f64 = 0.1;
/// Corrections up to this multiple of the estimated effect of rounding make it the cause.
const NEAR_ROUNDING: f64 = 1e5;

impl Newton {
    /// The probable cause why iterations have not converged, from the last iterate.
    pub(super) fn cause<E: Equations + ?Sized>(&mut self, equations: &mut E, size: f64) -> Cause {
        if let Some(cause) = self.jump(equations) {
            return cause;
        }
        if self.solver.least_pivot() < NEARLY_SINGULAR {
            return Cause::NearlySingular { what: self.singular_motion(equations) };
        }
        let correction = size * self.tolerance.relative;
        if size <= self.rounding_allows(equations, NEAR_ROUNDING) {
            return Cause::Rounding { correction };
        }
        Cause::StepTooLong
    }

    /// A jump of the residual along the last correction, by bisection: an interval that shrinks without its change of the
    /// residual.
    fn jump<E: Equations + ?Sized>(&mut self, equations: &mut E) -> Option<Cause> {
        let n = self.residual.len();
        let correction = self.residual.clone();
        let mut at = 0.0;
        let mut residual_at = |part: f64| {
            let move_by: Vec<f64> = correction.iter().map(|entry| (part - at) * entry).collect();
            equations.subtract(&move_by);
            at = part;
            let mut residual = vec![0.0; n];
            equations.residual(&mut residual);
            is_finite(&residual).then_some(residual)
        };
        let difference = |a: &[f64], b: &[f64]| -> (usize, f64) {
            let changes = a.iter().zip(b).map(|(a, b)| (a - b).abs()).enumerate();
            changes.fold((0, 0.0), |largest, change| if change.1 > largest.1 { change } else { largest })
        };
        // From the iterate before the correction to as far beyond the last one.
        let (mut low, mut high) = (-1.0, 1.0);
        let (mut before, mut after) = (residual_at(low)?, residual_at(high)?);
        let (_, whole) = difference(&before, &after);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let between = residual_at(middle)?;
            if difference(&before, &between).1 > difference(&between, &after).1 {
                (high, after) = (middle, between);
            } else {
                (low, before) = (middle, between);
            }
        }
        residual_at(0.0)?;
        let (equation, jump) = difference(&before, &after);
        if whole == 0.0 || jump < JUMP * whole {
            return None;
        }
        match equations.name(equation) {
            Unknown::Motion(coordinate) => Some(Cause::Jump { coordinate, jump }),
            Unknown::Multiplier(_) => None,
        }
    }

    /// The motions and multipliers that a nearly singular matrix does not determine, by inverse iteration.
    pub(super) fn singular_motion<E: Equations + ?Sized>(&mut self, equations: &E) -> String {
        let mut random = Random::default();
        self.effect.iter_mut().for_each(|entry| *entry = random.next());
        self.solver.undetermined(&self.matrix, &mut self.effect);
        let mut order: Vec<usize> = (0..self.effect.len()).collect();
        order.sort_by(|&a, &b| self.effect[b].abs().total_cmp(&self.effect[a].abs()));
        let most = order.first().map_or(0.0, |&first| self.effect[first].abs());
        let mut names: Vec<String> = Vec::new();
        for unknown in order.into_iter().filter(|&unknown| self.effect[unknown].abs() > NOTABLE * most) {
            let name = match equations.name(unknown) {
                Unknown::Motion(name) => format!("motion of `{name}`"),
                Unknown::Multiplier(name) => format!("constraint `{name}`"),
            };
            if !names.contains(&name) && names.len() < NAMED {
                names.push(name);
            }
        }
        names.join(", ")
    }
}
