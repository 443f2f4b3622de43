//! Contacts that act at the instants of equations: their forces are further unknowns, their laws further rows.
//!
//! Which contacts are open, stick or slide is as it was in the step.

use super::super::bundle::{Bundle, add_full, add_matrix, add_scaled};
use super::super::contact_derivatives::ContactDerivatives;
use super::super::contact_terms::Rule;
use super::super::map::Acting;
use super::{
    AboutToChange, Blocks, ContactTerms, Equations, Instant, NoSlope, Outside, Player, Slopes, System, TermsOf, Touch,
};
use crate::prelude::*;

impl<'m> Player<'m> {
    /// Evaluates the contacts of all instants.
    pub(super) fn evaluate_contacts(&mut self, equations: &Equations, all: &mut [TermsOf<'m>]) -> Result<(), NoSlope> {
        for ((instant, terms), acting) in equations.linear.instants.iter().zip(all).zip(&equations.contacts) {
            let mut contacts = self.free_contacts.pop().unwrap_or_else(|| Box::new(ContactTerms::new(self.model)));
            let states = [&instant.of_constraints().state, &instant.state];
            let about = contacts.evaluate(states, (acting, equations.kind), self.wanted);
            about.map_err(|AboutToChange { contact }| NoSlope::Contact { t: instant.state.t, contact })?;
            terms.contacts = Some(contacts);
        }
        Ok(())
    }

    /// Adds rows and columns of the contacts of an instant to a system.
    pub(super) fn assemble_contacts(
        &self,
        system: &mut System,
        (i, instants): (usize, &[Instant]),
        contacts: &ContactTerms,
        n: usize,
    ) {
        let first = i * n + self.nv + self.nc;
        let pattern = &self.model.describe().contact_jacobian;
        for (row, column) in pattern.entries() {
            system.add(i * n + column, first + row, -contacts.pushed[(row, column)]);
        }
        for (contact, rule) in contacts.rules.iter().enumerate() {
            let rows = contacts.rows(contact);
            for (k, l, value) in block(rule, rows.len(), &rule.of_forces) {
                system.add(first + rows.start + k, first + rows.start + l, value);
            }
        }
        for j in 0..instants.len() {
            let here = &instants[i];
            for row in 0..self.nv {
                for column in 0..self.nv {
                    let value = -contacts.force_by_q[(row, column)];
                    self.assemble_unless_zero(system, (row, column, value), [i * n, j * n], &here.position[j]);
                }
            }
            let measured = here.of_constraints();
            for (contact, rule) in contacts.rules.iter().enumerate() {
                let rows = contacts.rows(contact);
                for (k, l, value) in block(rule, rows.len(), &rule.of_slips) {
                    let (row, of) = (rows.start + k, rows.start + l);
                    for column in 0..self.nv {
                        let by_q = value * contacts.derivatives.by_q[of * self.nv + column];
                        let by_v = value * contacts.measured[(of, column)];
                        self.assemble_unless_zero(system, (row, column, by_q), [first, j * n], &measured.position[j]);
                        self.assemble_unless_zero(system, (row, column, by_v), [first, j * n], &measured.velocity[j]);
                    }
                }
            }
        }
    }

    fn assemble_unless_zero(&self, system: &mut System, entry: (usize, usize, f64), first: [usize; 2], map: &Blocks) {
        if !map.is_zero() {
            self.assemble(system, entry, first, map);
        }
    }

    /// The part of the rows of an instant, behind those of forces, that belongs to a row of contacts.
    fn of_contacts(&self, row: usize, width: usize) -> core::ops::Range<usize> {
        (self.nc + row) * width..(self.nc + row + 1) * width
    }

    /// Adds to the right-hand side what is known of the contacts of an instant: changes of the configuration where their
    /// forces act, of configuration and velocities where velocities are measured, of those before an impact, and of its
    /// instant.
    pub(super) fn add_contacts(
        &self,
        contacts: &ContactTerms,
        [pushed, position, velocity]: [&Bundle; 3],
        (acting, registers): (&Acting, &[Bundle]),
        outside: &mut dyn Outside,
        (forces, rows): (&mut [f64], &mut [f64]),
    ) {
        let width = pushed.width();
        let mut slips = Bundle::zeros(self.nr, width);
        add_matrix(&contacts.force_by_q, 1.0, false, (pushed.values(), width), forces);
        let ContactDerivatives { by_q, by_p, friction_by_p, .. } = &contacts.derivatives;
        add_full((by_q, self.nv), 1.0, false, (position.values(), width), slips.values_mut());
        add_matrix(&contacts.measured, 1.0, false, (velocity.values(), width), slips.values_mut());
        if let Some(restitution) = &acting.restitution {
            let before = registers[restitution.velocity.0].values();
            let mut along = Bundle::zeros(self.nr, width);
            add_matrix(&contacts.measured, 1.0, false, (before, width), along.values_mut());
            for (row, factor) in contacts.by_before.iter().enumerate() {
                add_scaled(*factor, along.entries(row, 1), slips.entries_mut(row, 1));
            }
        }
        if let Some(moving) = &acting.moving {
            let time = registers[moving.time.0].values();
            for (row, (rate, by_before)) in moving.rates.iter().zip(&contacts.by_before).enumerate() {
                add_scaled((1.0 + by_before) * rate, time, slips.entries_mut(row, 1));
            }
            for (row, rate) in moving.constraint_rates.iter().enumerate() {
                add_scaled(-rate, time, &mut rows[row * width..][..width]);
            }
        }
        let mut friction = Bundle::zeros(contacts.rules.len(), width);
        if self.wanted.parameters {
            outside.add_by_parameters((&contacts.force_by_p, self.np), 1.0, forces);
            outside.add_by_parameters((by_p, self.np), 1.0, slips.values_mut());
            outside.add_by_parameters((friction_by_p, self.np), 1.0, friction.values_mut());
        }
        for (contact, rule) in contacts.rules.iter().enumerate() {
            let of = contacts.rows(contact);
            for k in 0..of.len() {
                let out = &mut rows[self.of_contacts(of.start + k, width)];
                for l in 0..of.len() {
                    add_scaled(-rule.of_slips[k][l], slips.entries(of.start + l, 1), out);
                }
                add_scaled(rule.of_friction[k], friction.entries(contact, 1), out);
            }
        }
    }

    /// The transpose: adds to the slopes by those configurations and velocities, and to those of the step by the velocities
    /// before an impact and by its instant.
    pub(super) fn add_contacts_backward(
        &self,
        contacts: &ContactTerms,
        [pushed, position, velocity]: [&mut Bundle; 3],
        (acting, of_step): (&Acting, &mut Slopes<'_>),
        outside: &mut dyn Outside,
        (forces, rows): (&[f64], &[f64]),
    ) {
        let width = pushed.width();
        let mut slips = Bundle::zeros(self.nr, width);
        let mut friction = Bundle::zeros(contacts.rules.len(), width);
        for (contact, rule) in contacts.rules.iter().enumerate() {
            let of = contacts.rows(contact);
            for k in 0..of.len() {
                let slope = &rows[self.of_contacts(of.start + k, width)];
                for l in 0..of.len() {
                    add_scaled(-rule.of_slips[k][l], slope, slips.entries_mut(of.start + l, 1));
                }
                add_scaled(rule.of_friction[k], slope, friction.entries_mut(contact, 1));
            }
        }
        add_matrix(&contacts.force_by_q, 1.0, true, (forces, width), pushed.values_mut());
        let ContactDerivatives { by_q, by_p, friction_by_p, .. } = &contacts.derivatives;
        add_full((by_q, self.nv), 1.0, true, (slips.values(), width), position.values_mut());
        add_matrix(&contacts.measured, 1.0, true, (slips.values(), width), velocity.values_mut());
        if self.wanted.parameters {
            let out = outside.parameters().values_mut();
            add_full((&contacts.force_by_p, self.np), 1.0, true, (forces, width), out);
            add_full((by_p, self.np), 1.0, true, (slips.values(), width), out);
            add_full((friction_by_p, self.np), 1.0, true, (friction.values(), width), out);
        }
        if let Some(moving) = &acting.moving {
            let time = of_step.entry(moving.time, 1).values_mut();
            for (row, (rate, by_before)) in moving.rates.iter().zip(&contacts.by_before).enumerate() {
                add_scaled((1.0 + by_before) * rate, slips.entries(row, 1), time);
            }
            for (row, rate) in moving.constraint_rates.iter().enumerate() {
                add_scaled(-rate, &rows[row * width..][..width], time);
            }
        }
        if let Some(restitution) = &acting.restitution {
            for (row, factor) in contacts.by_before.iter().enumerate() {
                slips.entries_mut(row, 1).iter_mut().for_each(|slip| *slip *= factor);
            }
            let before = of_step.entry(restitution.velocity, self.nv).values_mut();
            add_matrix(&contacts.measured, 1.0, true, (slips.values(), width), before);
        }
    }

    /// The change of the forces of contacts on the directions of the velocities, from that of the configuration and of the
    /// forces along the rows of Wᵀ.
    pub(super) fn contact_forces(
        &self,
        contacts: &ContactTerms,
        position: &Bundle,
        along: &[f64],
        outside: &mut dyn Outside,
        forces: &mut Bundle,
    ) {
        let width = position.width();
        forces.begin(self.nv, width);
        add_matrix(&contacts.force_by_q, 1.0, false, (position.values(), width), forces.values_mut());
        add_matrix(&contacts.pushed, 1.0, true, (along, width), forces.values_mut());
        if self.wanted.parameters {
            outside.add_by_parameters((&contacts.force_by_p, self.np), 1.0, forces.values_mut());
        }
    }

    /// The transpose, which goes to the configuration and to the forces along the rows of Wᵀ.
    pub(super) fn contact_forces_backward(
        &self,
        contacts: &ContactTerms,
        slope: &Bundle,
        position: &mut Bundle,
        along: &mut [f64],
        outside: &mut dyn Outside,
    ) {
        let x = (slope.values(), slope.width());
        add_matrix(&contacts.force_by_q, 1.0, true, x, position.values_mut());
        add_matrix(&contacts.pushed, 1.0, false, x, along);
        if self.wanted.parameters {
            add_full((&contacts.force_by_p, self.np), 1.0, true, x, outside.parameters().values_mut());
        }
    }
}

/// The entries of a block of a rule, those on the diagonal always, so that systems of equal states have equal places.
fn block(rule: &Rule, size: usize, values: &[[f64; 3]; 3]) -> impl Iterator<Item = (usize, usize, f64)> + use<> {
    let (values, is_slide) = (*values, rule.state == Touch::Slide);
    (0..size * size).map(move |at| (at / size, at % size)).filter_map(move |(k, l)| {
        let value = values[k][l];
        (k == l || is_slide || value != 0.0).then_some((k, l, value))
    })
}
