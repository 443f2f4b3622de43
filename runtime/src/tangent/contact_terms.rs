//! The derivatives of contacts at an instant, and what their laws say of small changes.

use nalgebra::DMatrix;

use super::map::{Acting, Kind};
use super::terms::Wanted;
use crate::model::{ContactLaw, Model, State};
use crate::prelude::*;

/// Contacts and rows of Wᵀ of a model.
pub(super) struct ContactTerms<'m> {
    model: &'m dyn Model,
    nv: usize,
    np: usize,
    /// First row of each contact, and the end.
    first_rows: Vec<usize>,
    laws: Vec<ContactLaw>,
    /// Of each velocity the group to which M and the constraints couple it, by a velocity of that group.
    groups: Vec<usize>,
    /// Where relative velocities are measured: Wᵀ `[rows × nv]`, velocities ξ `[rows]`, and their derivatives.
    pub(super) measured: DMatrix<f64>,
    slips: Vec<f64>,
    pub(super) by_q: DMatrix<f64>,
    pub(super) by_p: DMatrix<f64>,
    /// Where forces act: Wᵀ `[rows × nv]`, and derivatives of W Λ, `[nv × nv]` and `[nv × np]`.
    pub(super) pushed: DMatrix<f64>,
    pub(super) force_by_q: DMatrix<f64>,
    pub(super) force_by_p: DMatrix<f64>,
    /// ∂μ/∂p, `[contacts × np]`.
    pub(super) friction_by_p: DMatrix<f64>,
    restitution_by_p: DMatrix<f64>,
    /// By the velocities before an impact: a factor of each row of Wᵀ.
    pub(super) by_before: Vec<f64>,
    /// What the laws say, contact by contact.
    pub(super) rules: Vec<Rule>,
}

/// What the law of a contact says of the changes of its relative velocities ξ and forces Λ:
/// `Σ C δξ + Σ D δΛ = m δμ`, for the normal and the tangents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rule {
    pub(super) of_slips: [[f64; 3]; 3],
    pub(super) of_forces: [[f64; 3]; 3],
    pub(super) of_friction: [f64; 3],
    pub(super) state: Touch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It has no force.
    Open,
    Stick,
    Slide,
}

/// A contact has no slope where an inequality of its law is about to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AboutToChange {
    pub(super) contact: usize,
}

/// Relative velocities below this part of the velocities are zero, and so are differences of forces below this part of
/// them.
const ROUNDING: f64 = 1e-10;

impl<'m> ContactTerms<'m> {
    pub(super) fn new(model: &'m dyn Model) -> Self {
        let (info, nv) = (model.describe(), model.dims().nv);
        let (np, n_rows, n) = (info.differentiated.len(), info.contact_jacobian.rows, info.contacts.len());
        let mut first_rows = vec![0];
        let mut end = 0;
        for contact in &info.contacts {
            end += 1 + contact.tangents;
            first_rows.push(end);
        }
        let mut laws = vec![ContactLaw::default(); n];
        model.contact_laws(&mut laws);
        let zeros = |rows: usize, columns: usize| DMatrix::zeros(rows, columns);
        Self {
            model,
            nv,
            np,
            first_rows,
            laws,
            groups: groups(model),
            measured: zeros(n_rows, nv),
            slips: vec![0.0; n_rows],
            by_q: zeros(n_rows, nv),
            by_p: zeros(n_rows, np),
            pushed: zeros(n_rows, nv),
            force_by_q: zeros(nv, nv),
            force_by_p: zeros(nv, np),
            friction_by_p: zeros(n, np),
            restitution_by_p: zeros(n_rows, np),
            by_before: vec![0.0; n_rows],
            rules: Vec::new(),
        }
    }

    /// Rows of a contact.
    pub(super) fn rows(&self, contact: usize) -> core::ops::Range<usize> {
        self.first_rows[contact]..self.first_rows[contact + 1]
    }

    /// Evaluates everything: relative velocities at one state, forces at another.
    pub(super) fn evaluate(
        &mut self,
        [measured, pushed]: [&State; 2],
        (acting, kind): (&Acting, Kind),
        wanted: Wanted,
    ) -> Result<(), AboutToChange> {
        self.measured = self.directions(measured);
        self.pushed = self.directions(pushed);
        self.evaluate_forces(pushed, &acting.forces, wanted);
        let mut rate = vec![0.0; self.slips.len()];
        let mut unused = rate.clone();
        self.model.contact_bias(measured.t, measured.q.as_slice(), measured.v.as_slice(), &mut rate, &mut unused);
        let along = &self.measured * &measured.v;
        self.slips.iter_mut().zip(along.iter().zip(&rate)).for_each(|(slip, (along, rate))| *slip = along + rate);
        (self.by_q, self.by_p) = self.derivatives(measured, wanted);
        self.by_before.fill(0.0);
        if let Some(restitution) = &acting.restitution {
            let mut before = measured.clone();
            before.v.copy_from_slice(&restitution.before);
            let (by_q, by_p) = self.derivatives(&before, wanted);
            let along = &self.measured * &before.v;
            for contact in 0..self.laws.len() {
                for (k, row) in self.rows(contact).enumerate() {
                    let law = &self.laws[contact];
                    let factor = if k == 0 { law.restitution } else { law.tangential_restitution };
                    let (factor, slip) = (restitution.share * factor, along[row] + rate[row]);
                    self.by_before[row] = factor;
                    self.slips[row] += factor * slip;
                    (0..self.nv).for_each(|i| self.by_q[(row, i)] += factor * by_q[(row, i)]);
                    for p in 0..by_p.ncols() {
                        let by_factor = restitution.share * self.restitution_by_p[(row, p)];
                        self.by_p[(row, p)] += factor * by_p[(row, p)] + by_factor * slip;
                    }
                }
            }
        }
        self.decide(acting, kind, 1.0 + measured.v.amax())
    }

    /// Wᵀ.
    fn directions(&self, state: &State) -> DMatrix<f64> {
        let pattern = &self.model.describe().contact_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        self.model.contact_jacobian(state.t, state.q.as_slice(), &mut values);
        pattern.to_dense(&values)
    }

    /// Derivatives of the relative velocities at a state, by ξ and p; those of the laws are kept.
    fn derivatives(&mut self, state: &State, wanted: Wanted) -> (DMatrix<f64>, DMatrix<f64>) {
        let (rows, nv, np, n) = (self.slips.len(), self.nv, self.np, self.laws.len());
        let mut by_q = vec![0.0; rows * nv];
        self.model.contact_derivatives(state, &mut by_q);
        let by_q = DMatrix::from_row_slice(rows, nv, &by_q);
        if !wanted.parameters {
            return (by_q, DMatrix::zeros(rows, np));
        }
        let [mut gap, mut friction] = [(); 2].map(|()| vec![0.0; n * np]);
        let [mut rate, mut restitution] = [(); 2].map(|()| vec![0.0; rows * np]);
        self.model.contact_parameter_derivatives(state, &mut gap, &mut rate, &mut restitution, &mut friction);
        self.restitution_by_p = DMatrix::from_row_slice(rows, np, &restitution);
        self.friction_by_p = DMatrix::from_row_slice(n, np, &friction);
        (by_q, DMatrix::from_row_slice(rows, np, &rate))
    }

    /// ∂(W Λ)/∂q N and ∂(W Λ)/∂p. Row by row `Wᵀ v` is linear in v: its derivatives with v along each velocity alone, less
    /// those at rest, are those of the entries of W.
    fn evaluate_forces(&mut self, state: &State, forces: &[f64], wanted: Wanted) {
        self.force_by_q.fill(0.0);
        self.force_by_p.fill(0.0);
        let mut moved = state.clone();
        moved.v.fill(0.0);
        let (by_q, by_p) = self.derivatives(&moved, wanted);
        let pattern = &self.model.describe().contact_jacobian;
        let mut touched = vec![false; self.nv];
        for (row, column) in pattern.entries() {
            touched[column] |= forces[row] != 0.0;
        }
        for i in (0..self.nv).filter(|&i| touched[i]) {
            moved.v.fill(0.0);
            moved.v[i] = 1.0;
            let (along_q, along_p) = self.derivatives(&moved, wanted);
            for (row, &force) in forces.iter().enumerate().filter(|(_, force)| **force != 0.0) {
                for k in 0..self.nv {
                    self.force_by_q[(i, k)] += force * (along_q[(row, k)] - by_q[(row, k)]);
                }
                for p in 0..self.np {
                    self.force_by_p[(i, p)] += force * (along_p[(row, p)] - by_p[(row, p)]);
                }
            }
        }
    }

    /// Whether each contact touches a velocity that impulses change, those larger than this.
    fn reached(&self, impulses: &[f64], least: f64) -> Vec<bool> {
        let pattern = &self.model.describe().contact_jacobian;
        let groups_of = |contact: usize| {
            let rows = self.rows(contact);
            pattern.entries().filter(move |(row, _)| rows.contains(row)).map(|(_, column)| self.groups[column])
        };
        let mut is_struck = vec![false; self.nv];
        for contact in 0..self.laws.len() {
            if impulses[self.rows(contact)].iter().any(|impulse| impulse.abs() > least) {
                groups_of(contact).for_each(|group| is_struck[group] = true);
            }
        }
        (0..self.laws.len()).map(|contact| groups_of(contact).any(|group| is_struck[group])).collect()
    }

    /// What the law of each contact says, by its relative velocities and forces.
    fn decide(&mut self, acting: &Acting, kind: Kind, speed: f64) -> Result<(), AboutToChange> {
        self.rules.clear();
        let largest = acting.forces.iter().fold(0.0_f64, |largest, force| largest.max(force.abs()));
        let reached = (kind == Kind::Impact).then(|| self.reached(&acting.forces, ROUNDING * largest));
        for contact in 0..self.laws.len() {
            let rows = self.rows(contact);
            // What rests while others collide elsewhere goes on as it did.
            let is_reached = reached.as_ref().is_none_or(|reached| reached[contact]);
            let rule = rule(
                (&self.slips[rows.clone()], &acting.forces[rows]),
                self.laws[contact].friction,
                acting.closed[contact] != 0.0 && is_reached,
                (ROUNDING * speed, largest),
            );
            self.rules.push(rule.ok_or(AboutToChange { contact })?);
        }
        Ok(())
    }
}

/// Velocities that M or a constraint couples have the same group, the first of them.
fn groups(model: &dyn Model) -> Vec<usize> {
    let info = model.describe();
    let nv = model.dims().nv;
    let mut groups: Vec<usize> = (0..nv).collect();
    let rows = &info.constraint_jacobian;
    let mut first_of_rows = vec![None; rows.rows];
    let of_constraints = rows.entries().map(|(row, column)| (*first_of_rows[row].get_or_insert(column), column));
    for (a, b) in info.mass_matrix.entries().chain(of_constraints.collect::<Vec<_>>()) {
        let (first, other) = (groups[a].min(groups[b]), groups[a].max(groups[b]));
        if first != other {
            groups.iter_mut().filter(|group| **group == other).for_each(|group| *group = first);
        }
    }
    groups
}

/// What the law of a contact says, unless an inequality is about to change; relative velocities up to `rest` are zero,
/// and so are forces far below the largest.
fn rule(
    (slips, forces): (&[f64], &[f64]),
    friction: f64,
    is_closed: bool,
    (rest, largest): (f64, f64),
) -> Option<Rule> {
    let mut rule =
        Rule { of_slips: [[0.0; 3]; 3], of_forces: [[0.0; 3]; 3], of_friction: [0.0; 3], state: Touch::Open };
    let (slip, force) = (&slips[1..], &forces[1..]);
    // Solutions may have forces of the size of rounding where contacts separate.
    if !is_closed || slips[0] > rest {
        (0..3).for_each(|k| rule.of_forces[k][k] = 1.0);
        return Some(rule);
    }
    if forces[0] <= ROUNDING * largest {
        return None;
    }
    rule.of_slips[0][0] = 1.0;
    let size = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let bound = friction * forces[0];
    if slip.is_empty() || size(force) < bound * (1.0 - ROUNDING) {
        rule.state = Touch::Stick;
        (1..3).for_each(|k| rule.of_slips[k][k] = 1.0);
        return Some(rule);
    }
    let rate = size(slip);
    if rate <= rest {
        // Without friction nothing changes.
        (1..3).for_each(|k| rule.of_forces[k][k] = 1.0);
        return (friction == 0.0).then_some(rule);
    }
    rule.state = Touch::Slide;
    for k in 0..slip.len() {
        let along = -slip[k] / rate;
        rule.of_forces[k + 1][k + 1] = 1.0;
        rule.of_forces[k + 1][0] = -friction * along;
        rule.of_friction[k + 1] = forces[0] * along;
        if slip.len() > 1 {
            for l in 0..slip.len() {
                let across = f64::from(u8::from(k == l)) - slip[k] * slip[l] / (rate * rate);
                rule.of_slips[k + 1][l + 1] = bound / rate * across;
            }
        }
    }
    Some(rule)
}
