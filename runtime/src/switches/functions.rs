//! The switching functions of a model at a state: what is zero where formulas give way to others.

use crate::model::{Model, State};
use crate::prelude::*;

/// Values of all switching functions of a model, their rates and slopes.
#[derive(Clone)]
pub(crate) struct SwitchingFunctions {
    pub(crate) values: Vec<f64>,
    /// ṡ without accelerations.
    rates: Vec<f64>,
    /// Slopes by coordinates, velocities and parameters, row by row.
    by: [Vec<f64>; 3],
    columns: [usize; 3],
}

impl SwitchingFunctions {
    /// All zero, before they are evaluated.
    pub(crate) fn new(model: &dyn Model) -> Self {
        let (n, nv, np) = (model.n_switching_functions(), model.dims().nv, model.describe().differentiated.len());
        let columns = [nv, nv, np];
        Self { values: vec![0.0; n], rates: vec![0.0; n], by: columns.map(|columns| vec![0.0; n * columns]), columns }
    }

    pub(crate) fn evaluate(&mut self, model: &dyn Model, state: &State) {
        let Self { values, rates, by: [by_q, by_v, by_p], .. } = self;
        model.switching_functions(state, values, rates, by_q, by_v, by_p);
    }

    /// Slopes of one by coordinates, velocities and parameters.
    pub(crate) fn slopes(&self, switch: usize) -> [&[f64]; 3] {
        let of = |by: usize| &self.by[by][switch * self.columns[by]..][..self.columns[by]];
        [of(0), of(1), of(2)]
    }

    /// ṡ of one, with these accelerations.
    pub(crate) fn rate(&self, switch: usize, a: &[f64]) -> f64 {
        let [_, by_v, _] = self.slopes(switch);
        self.rates[switch] + by_v.iter().zip(a).map(|(by, a)| by * a).sum::<f64>()
    }
}
