//! The instants at which something becomes zero: a gap, a slip, or a switching function.

use super::super::bundle::{Bundle, add_scaled};
use super::super::contact_derivatives::ContactDerivatives;
use super::super::map::{Closing, Zero};
use super::{Outside, Player, Slopes};
use crate::model::State;
use crate::prelude::*;
use crate::switches::SwitchingFunctions;

impl Player<'_> {
    /// The change of the instant at which something of a contact becomes zero: what that changes by, over its rate.
    pub(super) fn close(&self, closing: &Closing, registers: &[Bundle], time: &mut Bundle, outside: &mut dyn Outside) {
        let [by_q, by_v, by_p] = self.slopes_of_zero(closing);
        let [position, velocity] = [closing.position, closing.velocity].map(|register| &registers[register.0]);
        time.begin(1, position.width());
        if !by_p.is_empty() {
            outside.add_by_parameters((&by_p, by_p.len()), -1.0 / closing.rate, time.values_mut());
        }
        for (by, vectors) in [(by_q, position), (by_v, velocity)] {
            for (row, slope) in by.iter().enumerate() {
                add_scaled(-slope / closing.rate, vectors.entries(row, 1), time.values_mut());
            }
        }
    }

    /// The transpose.
    pub(super) fn close_backward(
        &self,
        closing: &Closing,
        slope: &Bundle,
        slopes: &mut Slopes<'_>,
        outside: &mut dyn Outside,
    ) {
        let [by_q, by_v, by_p] = self.slopes_of_zero(closing);
        let add = |by: &[f64], to: &mut Bundle| {
            for (row, by) in by.iter().enumerate() {
                add_scaled(-by / closing.rate, slope.values(), to.entries_mut(row, 1));
            }
        };
        add(&by_q, slopes.entry(closing.position, self.nv));
        add(&by_v, slopes.entry(closing.velocity, self.nv));
        add(&by_p, outside.parameters());
    }

    /// By coordinates, velocities and, where they are wanted, parameters.
    fn slopes_of_zero(&self, closing: &Closing) -> [Vec<f64>; 3] {
        let (state, np) = (&closing.state, self.np);
        match closing.zero {
            Zero::Gap { contact, row } => {
                let mut by_q = vec![0.0; self.nv];
                self.add_row_of_contacts(state, (row, 1.0), &mut by_q);
                let of_rows = ContactDerivatives::at(self.model, state, self.wanted.parameters);
                [by_q, Vec::new(), of_rows.gap_by_p[contact * np..][..np].to_vec()]
            }
            Zero::Slip { contact, row, direction } => {
                let of_rows = ContactDerivatives::at(self.model, state, self.wanted.parameters);
                let [mut by_q, mut by_v, mut by_p] = [self.nv, self.nv, np].map(|n| vec![0.0; n]);
                let tangents = self.model.describe().contacts[contact].tangents;
                for (row, factor) in (0..tangents).map(|k| (row + 1 + k, direction[k])) {
                    self.add_row_of_contacts(state, (row, factor), &mut by_v);
                    let add = |out: &mut [f64], all: &[f64]| {
                        let n = out.len();
                        out.iter_mut().zip(&all[row * n..][..n]).for_each(|(out, by)| *out += factor * by);
                    };
                    add(&mut by_q, &of_rows.by_q);
                    add(&mut by_p, &of_rows.by_p);
                }
                [by_q, by_v, by_p]
            }
            Zero::Switch(switch) => {
                let mut functions = SwitchingFunctions::new(self.model);
                functions.evaluate(self.model, state);
                let [by_q, by_v, by_p] = functions.slopes(switch);
                [by_q.to_vec(), by_v.to_vec(), by_p[..np].to_vec()]
            }
        }
    }

    /// Adds a multiple of a row of Wᵀ.
    fn add_row_of_contacts(&self, state: &State, (wanted, factor): (usize, f64), out: &mut [f64]) {
        let pattern = &self.model.describe().contact_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        self.model.contact_jacobian(state.t, state.q.as_slice(), &mut values);
        let of_row = pattern.entries().zip(&values).filter(|((row, _), _)| *row == wanted);
        of_row.for_each(|((_, column), value)| out[column] += factor * value);
    }
}
