//! Contacts that act at the instants of equations: their forces are further unknowns, their laws further rows.
//!
//! Which contacts are open, stick or slide is as it was in the step.

use super::super::contact_terms::Rule;
use super::super::map::Acting;
use super::{
    AboutToChange, Blocks, ContactTerms, Equations, Instant, Matrix, NoSlope, Outside, Player, System, TermsOf, Touch,
};
use crate::prelude::*;

impl<'m> Player<'m> {
    /// Evaluates the contacts of all instants.
    pub(super) fn evaluate_contacts(&mut self, equations: &Equations, all: &mut [TermsOf<'m>]) -> Result<(), NoSlope> {
        for ((instant, terms), acting) in equations.linear.instants.iter().zip(all).zip(&equations.contacts) {
            let mut contacts = self.free_contacts.pop().unwrap_or_else(|| Box::new(ContactTerms::new(self.model)));
            let states = [&instant.of_constraints().state, &instant.state];
            let about = contacts.evaluate(states, acting, self.wanted);
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
                        let by_q = value * contacts.by_q[(of, column)];
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

    /// The change of the velocities before an impact, if the law of impact applies.
    pub(super) fn before<'r>(&self, acting: &Acting, registers: &'r [Matrix]) -> Option<&'r Matrix> {
        acting.restitution.as_ref().map(|restitution| &registers[restitution.velocity.0])
    }

    /// Adds to the right-hand side what is known of the contacts of an instant: changes of the configuration where their
    /// forces act, of configuration and velocities where velocities are measured, and of those before an impact.
    pub(super) fn add_contacts(
        &self,
        contacts: &ContactTerms,
        [pushed, position, velocity]: [&Matrix; 3],
        before: Option<&Matrix>,
        outside: &mut dyn Outside,
        (out, first): (&mut Matrix, usize),
    ) {
        let mut forces = &contacts.force_by_q * pushed;
        let mut slips = &contacts.by_q * position + &contacts.measured * velocity;
        if let Some(before) = before {
            let along = &contacts.measured * before;
            for (row, factor) in contacts.by_before.iter().enumerate() {
                let mut slip = slips.row_mut(row);
                slip += *factor * along.row(row);
            }
        }
        let mut friction = Matrix::zeros(contacts.rules.len(), pushed.ncols());
        if self.wanted.parameters {
            let parameters = &*outside.parameters();
            forces += &contacts.force_by_p * parameters;
            slips += &contacts.by_p * parameters;
            friction += &contacts.friction_by_p * parameters;
        }
        let mut rows = out.rows_mut(first, self.nv);
        rows += forces;
        for (contact, rule) in contacts.rules.iter().enumerate() {
            let rows = contacts.rows(contact);
            for k in 0..rows.len() {
                let mut out = out.row_mut(first + self.nv + self.nc + rows.start + k);
                for l in 0..rows.len() {
                    out -= rule.of_slips[k][l] * slips.row(rows.start + l);
                }
                out += rule.of_friction[k] * friction.row(contact);
            }
        }
    }

    /// The transpose: adds to the slopes by those configurations and velocities; gives that by the velocities before an
    /// impact.
    pub(super) fn add_contacts_backward(
        &self,
        contacts: &ContactTerms,
        [pushed, position, velocity]: [&mut Matrix; 3],
        outside: &mut dyn Outside,
        (adjoint, first): (&Matrix, usize),
    ) -> Matrix {
        let columns = adjoint.ncols();
        let forces = adjoint.rows(first, self.nv);
        let mut slips = Matrix::zeros(self.nr, columns);
        let mut friction = Matrix::zeros(contacts.rules.len(), columns);
        for (contact, rule) in contacts.rules.iter().enumerate() {
            let rows = contacts.rows(contact);
            for k in 0..rows.len() {
                let of = adjoint.row(first + self.nv + self.nc + rows.start + k);
                for l in 0..rows.len() {
                    let mut slip = slips.row_mut(rows.start + l);
                    slip -= rule.of_slips[k][l] * of;
                }
                let mut slope = friction.row_mut(contact);
                slope += rule.of_friction[k] * of;
            }
        }
        *pushed += contacts.force_by_q.tr_mul(&forces);
        *position += contacts.by_q.tr_mul(&slips);
        *velocity += contacts.measured.tr_mul(&slips);
        if self.wanted.parameters {
            let parameters = outside.parameters();
            *parameters += contacts.force_by_p.tr_mul(&forces);
            *parameters += contacts.by_p.tr_mul(&slips);
            *parameters += contacts.friction_by_p.tr_mul(&friction);
        }
        for (row, factor) in contacts.by_before.iter().enumerate() {
            slips.row_mut(row).scale_mut(*factor);
        }
        contacts.measured.tr_mul(&slips)
    }

    /// The change of the forces of contacts on the directions of the velocities, from that of the configuration.
    pub(super) fn contact_forces(
        &self,
        contacts: &ContactTerms,
        position: &Matrix,
        (solution, first): (&Matrix, usize),
        outside: &mut dyn Outside,
    ) -> Matrix {
        let along = solution.rows(first + self.nv + self.nc, self.nr);
        let mut forces = &contacts.force_by_q * position + contacts.pushed.tr_mul(&along);
        if self.wanted.parameters {
            forces += &contacts.force_by_p * &*outside.parameters();
        }
        forces
    }

    /// The transpose, which goes to the configuration and to the unknowns.
    pub(super) fn contact_forces_backward(
        &self,
        contacts: &ContactTerms,
        slope: &Matrix,
        position: &mut Matrix,
        (adjoint, first): (&mut Matrix, usize),
        outside: &mut dyn Outside,
    ) {
        *position += contacts.force_by_q.tr_mul(slope);
        let mut rows = adjoint.rows_mut(first + self.nv + self.nc, self.nr);
        rows += &contacts.pushed * slope;
        if self.wanted.parameters {
            *outside.parameters() += contacts.force_by_p.tr_mul(slope);
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
