//! What steps in C99 cost at most, and the room that they need.

use super::c::Files;
use super::c_motion::{CPrecision, CStepper, NEWTON_ROUNDS, ROUNDS, Writer};
use crate::derive::FunctionRole;
use crate::schedule::totals;

impl Writer<'_, '_> {
    /// What a step costs at most, and the room that it needs beside the instance.
    pub(super) fn costs(&self, model_files: &Files) -> Vec<String> {
        let [_, nv, nc] = self.sizes();
        let n = (nv + nc) as u64;
        let counts = totals::functions(self.model.equations, self.model.schedule);
        let of =
            |role: FunctionRole| counts.iter().find(|known| known.role == role).map_or(0, |known| known.simplified);
        let (stages, ends) = match self.motion.stepper {
            CStepper::RungeKutta => (4, if nc > 0 { 3 } else { 1 }),
            CStepper::HalfExplicit => (2, if nc > 0 { 2 } else { 1 }),
            CStepper::GeneralizedAlpha { .. } => return self.costs_of_alpha(model_files),
        };
        let rounds = if nc > 0 { ROUNDS } else { 0 };
        let evaluations = match self.is_explicit() {
            true => of(FunctionRole::ForwardDynamics),
            false => {
                of(FunctionRole::MassMatrix)
                    + of(FunctionRole::BiasForce)
                    + of(FunctionRole::AppliedForce)
                    + of(FunctionRole::ConstraintJacobian)
                    + of(FunctionRole::ConstraintBias)
            }
        };
        let (factor, solve) = match self.is_explicit() {
            true => (0, 0),
            false => (n * n * n * 2 / 3 + 2 * n * n, 2 * n * n),
        };
        let total = (stages + ends) * (evaluations + factor + solve)
            + rounds * (of(FunctionRole::Constraint) + solve)
            + 20 * n * (stages + ends);
        vec![
            format!(
                "A step is at most {total} operations on numbers, sines and roots among them as one each: {} evaluations of",
                stages + ends
            ),
            format!("{evaluations}, eliminations of {factor}, and {rounds} rounds of projection at most."),
            self.room_in_words(model_files),
        ]
    }

    /// The same of an implicit scheme.
    fn costs_of_alpha(&self, model_files: &Files) -> Vec<String> {
        let [_, nv, nc] = self.sizes();
        let n = (nv + nc) as u64;
        let counts = totals::functions(self.model.equations, self.model.schedule);
        let of =
            |role: FunctionRole| counts.iter().find(|known| known.role == role).map_or(0, |known| known.simplified);
        let evaluation = of(FunctionRole::Linearization) + of(FunctionRole::Residual);
        let elimination = n * n * n * 2 / 3 + 4 * n * n;
        let total = NEWTON_ROUNDS * (evaluation + elimination + 20 * n);
        vec![
            format!(
                "A step is at most {total} operations on numbers, sines and roots among them as one each: {NEWTON_ROUNDS} rounds of Newton's"
            ),
            format!(
                "method, of which most steps take two to four, with evaluations of {evaluation} and eliminations of {elimination}."
            ),
            self.room_in_words(model_files),
        ]
    }

    /// How large an instance is, and what a call needs beside it.
    fn room_in_words(&self, model_files: &Files) -> String {
        let size = match self.motion.precision {
            CPrecision::Double => 8,
            CPrecision::Single => 4,
        };
        format!(
            "An instance has {} bytes; locals of a call need {} bytes at most, before the C compiler keeps them in registers.",
            size * self.words() as u64,
            size * deepest(&model_files.source) as u64 + 256,
        )
    }

    /// Numbers in an instance; a number has room for an index.
    fn words(&self) -> usize {
        let [nq, nv, nc] = self.sizes();
        let lists = [nq, 2 * nv, nc, self.model.equations.layout.inputs.len().max(1), self.model.n_constants().max(1)];
        let indices = if self.needs_matrix() { nv + nc } else { 0 };
        2 + lists.iter().sum::<usize>() + self.room().iter().map(|(n, ..)| (*n).max(1)).sum::<usize>() + indices
    }
}

/// Numbers that are local to a call of a function and of those below it: a kernel, its parts, and what gathers for it.
fn deepest(source: &str) -> usize {
    let (mut most, mut here) = (0, 0);
    for line in source.lines() {
        if line.starts_with('}') {
            most = most.max(here);
            here = 0;
        }
        let line = line.trim_start();
        if line.starts_with("const double ") {
            here += 1;
        } else if let Some(rest) = line.strip_prefix("double ") {
            let size =
                rest.split_once('[').and_then(|(_, rest)| rest.split_once(']')).and_then(|(n, _)| n.parse().ok());
            here += size.unwrap_or(1);
        }
    }
    3 * most
}
