//! Outputs and their derivatives at the instants of a motion.

use super::Slopes;
use super::direction::Backwards;
use crate::model::{Dims, Model, State};
use crate::prelude::*;
use crate::tangent::{Bundle, Outside, add_full};

/// Values and derivatives by ξ, v, a, λ, p and u, row by row.
pub(super) struct Outputs<'m> {
    model: &'m dyn Model,
    pub(super) values: Vec<f64>,
    by: [Vec<f64>; 6],
    columns: [usize; 6],
    changes: Bundle,
}

impl<'m> Outputs<'m> {
    pub(super) fn new(model: &'m dyn Model) -> Self {
        let (info, Dims { nv, nc, .. }) = (model.describe(), model.dims());
        let (ny, np, nu) = (info.outputs.len(), info.differentiated.len(), info.inputs.len());
        let columns = [nv, nv, nv, nc, np, nu];
        let by = columns.map(|columns| vec![0.0; ny * columns]);
        Self { model, values: vec![0.0; ny], by, columns, changes: Bundle::default() }
    }

    pub(super) fn evaluate(&mut self, state: &State) {
        self.model.outputs(state, &mut self.values);
    }

    fn evaluate_derivatives(&mut self, state: &State) {
        let [by_q, by_v, by_a, by_lambda, by_p, by_u] = &mut self.by;
        self.model.output_derivatives(state, by_q, by_v, by_a, by_lambda, by_u);
        if !by_p.is_empty() {
            self.model.output_parameter_derivatives(state, by_p);
        }
    }

    /// Changes of the outputs, from those of a state.
    pub(super) fn changes(&mut self, state: &State, carried: &[Bundle], outside: &mut dyn Outside) -> &Bundle {
        let width = carried[0].width();
        self.changes.begin(self.values.len(), width);
        if self.values.is_empty() {
            return &self.changes;
        }
        self.evaluate_derivatives(state);
        let out = self.changes.values_mut();
        for ((by, columns), x) in self.by.iter().zip(self.columns).zip(carried).take(4) {
            add_full((by, columns), 1.0, false, (x.values(), width), out);
        }
        let [.., by_p, by_u] = &self.by;
        let [.., np, nu] = self.columns;
        add_full((by_p, np), 1.0, false, (outside.parameters().values(), width), out);
        add_full((by_u, nu), 1.0, false, (outside.inputs(state.t).values(), width), out);
        &self.changes
    }

    /// Adds what the slopes of a result by outputs contribute to those by the state, and to those by parameters and inputs.
    pub(super) fn add_slopes(&mut self, state: &State, result: usize, own: &mut Slopes, outside: &mut Backwards) {
        if own.outputs.iter().all(|slope| *slope == 0.0) {
            return;
        }
        self.evaluate_derivatives(state);
        let slopes = (own.outputs.as_slice(), 1);
        let state_slopes = [&mut own.position, &mut own.velocity, &mut own.acceleration, &mut own.multipliers];
        for ((by, columns), out) in self.by.iter().zip(self.columns).zip(state_slopes) {
            add_full((by, columns), 1.0, true, slopes, out.as_mut_slice());
        }
        let [.., by_p, by_u] = &self.by;
        let [.., np, nu] = self.columns;
        let slope_by = |by: &[f64], columns: usize| {
            let mut slope = vec![0.0; columns];
            add_full((by, columns), 1.0, true, slopes, &mut slope);
            slope
        };
        outside.parameters().add_to(result, &slope_by(by_p, np));
        outside.add_inputs_of(result, state.t, slope_by(by_u, nu).into_iter());
    }
}
