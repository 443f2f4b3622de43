//! The derivatives of contacts at an instant, and what their laws say of small changes.

use nalgebra::{DMatrix, DVector};

use super::bundle::add_scaled;
use super::contact_derivatives::ContactDerivatives;
use super::map::{Acting, Kind};
use super::terms::Wanted;
use crate::model::{ContactLaw, Model, State};
use crate::prelude::*;
use crate::rows::{RANK, Rows};
use crate::span::Span;

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
    pub(super) derivatives: ContactDerivatives,
    /// Where forces act: Wᵀ `[rows × nv]`, and derivatives of W Λ, `[nv × nv]` and `[nv × np]`, the latter row by row.
    pub(super) pushed: DMatrix<f64>,
    pub(super) force_by_q: DMatrix<f64>,
    pub(super) force_by_p: Vec<f64>,
    /// By the velocities before an impact: a factor of each row of Wᵀ.
    pub(super) by_before: Vec<f64>,
    /// What the laws say, contact by contact.
    pub(super) rules: Vec<Rule>,
    /// Room for derivatives at other velocities.
    others: [ContactDerivatives; 2],
    /// Of an impact: whether M does not change.
    has_steady_mass: bool,
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
/// Rows whose derivatives differ by less than this part of the largest are alike.
pub(crate) const ALIKE: f64 = 1e-7;

impl<'m> ContactTerms<'m> {
    pub(super) fn new(model: &'m dyn Model) -> Self {
        let (info, nv) = (model.describe(), model.dims().nv);
        let (np, n_rows) = (info.differentiated.len(), info.contact_jacobian.rows);
        let mut first_rows = vec![0];
        let mut end = 0;
        for contact in &info.contacts {
            end += 1 + contact.tangents;
            first_rows.push(end);
        }
        let mut laws = vec![ContactLaw::default(); info.contacts.len()];
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
            derivatives: ContactDerivatives::new(model),
            pushed: zeros(n_rows, nv),
            force_by_q: zeros(nv, nv),
            force_by_p: vec![0.0; nv * np],
            by_before: vec![0.0; n_rows],
            rules: Vec::new(),
            others: [(); 2].map(|()| ContactDerivatives::new(model)),
            has_steady_mass: false,
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
        self.derivatives.evaluate(self.model, measured, wanted.parameters);
        self.by_before.fill(0.0);
        let (nv, np) = (self.nv, self.np);
        if let Some(restitution) = &acting.restitution {
            let mut before = measured.clone();
            before.v.copy_from_slice(&restitution.before);
            let [of_before, _] = &mut self.others;
            of_before.evaluate(self.model, &before, wanted.parameters);
            let along = &self.measured * &before.v;
            for contact in 0..self.laws.len() {
                let law = &self.laws[contact];
                for (k, row) in (self.first_rows[contact]..self.first_rows[contact + 1]).enumerate() {
                    let factor = if k == 0 { law.restitution } else { law.tangential_restitution };
                    let (factor, slip) = (restitution.share * factor, along[row] + rate[row]);
                    self.by_before[row] = factor;
                    self.slips[row] += factor * slip;
                    let of_row = |columns: usize| row * columns..(row + 1) * columns;
                    let ContactDerivatives { by_q, by_p, .. } = &mut self.derivatives;
                    add_scaled(factor, &of_before.by_q[of_row(nv)], &mut by_q[of_row(nv)]);
                    add_scaled(factor, &of_before.by_p[of_row(np)], &mut by_p[of_row(np)]);
                    let of_factor = &of_before.restitution_by_p[of_row(np)];
                    add_scaled(restitution.share * slip, of_factor, &mut by_p[of_row(np)]);
                }
            }
        }
        self.has_steady_mass = !acting.pressed.is_empty() && has_steady_mass(self.model, pushed);
        let undecided = self.decide(acting, kind, 1.0 + measured.v.amax());
        self.leave_out(&undecided, measured, acting, wanted)
    }

    /// Of contacts that stick, normals and tangents that follow from constraints and from other contacts, as where a body
    /// stands on several feet: their laws hold by themselves, and how the force is shared among them, which nothing
    /// determines, changes nothing. Of contacts that slide it does. What is undecided must follow in this way.
    fn leave_out(
        &mut self,
        undecided: &[usize],
        state: &State,
        acting: &Acting,
        wanted: Wanted,
    ) -> Result<(), AboutToChange> {
        let is_closed = |contact: &usize| self.rules[*contact].state != Touch::Open;
        let closed: Vec<usize> = (0..self.laws.len()).filter(is_closed).collect();
        if closed.len() < 2 && undecided.is_empty() {
            return Ok(());
        }
        let (nv, np) = (self.nv, self.np);
        let slides = |contact: &usize| self.rules[*contact].state == Touch::Slide && self.laws[*contact].friction > 0.0;
        let may_share = !closed.iter().any(slides);
        let ContactDerivatives { by_q, by_p, gap_by_p, .. } = &self.derivatives;
        let row = |contact: usize, k: usize| {
            let place = self.rows(contact).start + k;
            let by_before = self.by_before[place];
            let mut with = DVector::zeros(2 * (nv + np) + 1);
            with.rows_mut(0, nv).copy_from_slice(&by_q[place * nv..][..nv]);
            with.rows_mut(nv, np).copy_from_slice(&by_p[place * np..][..np]);
            with.rows_mut(nv + np, nv).copy_from(&(by_before * self.measured.row(place).transpose()));
            if k == 0 {
                with.rows_mut(2 * nv + np, np).copy_from_slice(&gap_by_p[contact * np..][..np]);
            }
            // How it changes with time alone.
            with[2 * (nv + np)] = acting.moving.as_ref().map_or(0.0, |moving| (1.0 + by_before) * moving.rates[place]);
            (self.measured.row(place).transpose(), with)
        };
        let mut span = constraint_span(self.model, state, wanted.parameters, 2 * (nv + np) + 1);
        let all = by_q.iter().chain(by_p).chain(gap_by_p);
        let size = 1.0 + all.fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let mut follows = |contact: usize, k: usize| {
            let (row, with) = row(contact, k);
            let is_alike = span.take(row, with).is_some_and(|with| with.amax() <= ALIKE * size);
            is_alike && (k > 0 || may_share)
        };
        let mut left_out: Vec<(usize, usize)> =
            closed.iter().filter(|contact| follows(**contact, 0)).map(|&contact| (contact, 0)).collect();
        let is_decided = |contact: &usize| !undecided.contains(contact);
        for &contact in closed.iter().filter(|contact| is_decided(contact)) {
            if self.rules[contact].state == Touch::Stick {
                left_out.extend((1..self.rows(contact).len()).filter(|&k| follows(contact, k)).map(|k| (contact, k)));
            }
        }
        for &contact in undecided {
            let is_open = self.rules[contact].state == Touch::Open;
            let mut rows = if is_open { 0..1 } else { 1..self.rows(contact).len() };
            if !rows.all(|k| follows(contact, k)) {
                return Err(AboutToChange { contact });
            }
        }
        for (contact, k) in left_out {
            self.rules[contact].of_slips[k] = [0.0; 3];
            self.rules[contact].of_forces[k][k] = 1.0;
        }
        Ok(())
    }

    /// Wᵀ.
    fn directions(&self, state: &State) -> DMatrix<f64> {
        let pattern = &self.model.describe().contact_jacobian;
        let mut values = vec![0.0; pattern.nnz()];
        self.model.contact_jacobian(state.t, state.q.as_slice(), &mut values);
        pattern.to_dense(&values)
    }

    /// ∂(W Λ)/∂q N and ∂(W Λ)/∂p. Row by row `Wᵀ v` is linear in v: its derivatives with v along each velocity alone, less
    /// those at rest, are those of the entries of W.
    fn evaluate_forces(&mut self, state: &State, forces: &[f64], wanted: Wanted) {
        self.force_by_q.fill(0.0);
        self.force_by_p.fill(0.0);
        let mut moved = state.clone();
        moved.v.fill(0.0);
        let (nv, np) = (self.nv, self.np);
        let Self { model, others: [still, along], force_by_q, force_by_p, .. } = self;
        still.evaluate(*model, &moved, wanted.parameters);
        let pattern = &model.describe().contact_jacobian;
        let mut touched = vec![false; nv];
        for (row, column) in pattern.entries() {
            touched[column] |= forces[row] != 0.0;
        }
        for i in (0..nv).filter(|&i| touched[i]) {
            moved.v.fill(0.0);
            moved.v[i] = 1.0;
            along.evaluate(*model, &moved, wanted.parameters);
            for (row, &force) in forces.iter().enumerate().filter(|(_, force)| **force != 0.0) {
                for k in 0..nv {
                    force_by_q[(i, k)] += force * (along.by_q[row * nv + k] - still.by_q[row * nv + k]);
                }
                for p in 0..np {
                    force_by_p[i * np + p] += force * (along.by_p[row * np + p] - still.by_p[row * np + p]);
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

    /// What the law of each contact says, by its relative velocities and forces; contacts of which an inequality is about to
    /// change, unless others hold what it says.
    fn decide(&mut self, acting: &Acting, kind: Kind, speed: f64) -> Vec<usize> {
        let rest = ROUNDING * speed;
        let undecided = self.decide_by(&acting.forces, (acting, kind), rest);
        if undecided.is_empty() {
            return undecided;
        }
        // Forces that were found may load some contacts to their bounds although others could bear a part.
        let forces = self.shared(acting, rest);
        match self.decide_by(&forces, (acting, kind), rest).is_empty() {
            true => Vec::new(),
            // Nothing is known of forces that would pull, or be beyond their bounds.
            false => self.decide_by(&acting.forces, (acting, kind), rest),
        }
    }

    fn decide_by(&mut self, forces: &[f64], (acting, kind): (&Acting, Kind), rest: f64) -> Vec<usize> {
        self.rules.clear();
        let mut undecided = Vec::new();
        let largest = acting.forces.iter().fold(0.0_f64, |largest, force| largest.max(force.abs()));
        let reached = (kind == Kind::Impact).then(|| self.reached(&acting.forces, ROUNDING * largest));
        for contact in 0..self.laws.len() {
            let rows = self.rows(contact);
            // What rests while others collide elsewhere goes on as it did.
            let is_reached = reached.as_ref().is_none_or(|reached| reached[contact]);
            let is_pressed = acting.pressed.get(contact).is_some_and(|is_pressed| *is_pressed);
            let touch = match acting.closed[contact] != 0.0 && is_reached {
                false => Touching::Not,
                true if is_pressed && (self.laws[contact].friction == 0.0 || self.is_steady(contact)) => {
                    Touching::Pressed
                }
                true => Touching::Alone,
            };
            let (rule, is_decided) =
                rule((&self.slips[rows.clone()], &forces[rows]), self.laws[contact].friction, touch, (rest, largest));
            if !is_decided {
                undecided.push(contact);
            }
            self.rules.push(rule);
        }
        undecided
    }

    /// Whether nothing changes by how much impulses move a contact along its normal: neither coordinates nor parameters.
    fn is_steady(&self, contact: usize) -> bool {
        let (row, are_zero) = (self.first_rows[contact], |values: &[f64]| values.iter().all(|value| *value == 0.0));
        let ContactDerivatives { by_q, by_p, .. } = &self.derivatives;
        are_zero(&by_q[row * self.nv..][..self.nv])
            && are_zero(&by_p[row * self.np..][..self.np])
            && are_zero(self.force_by_q.as_slice())
            && are_zero(&self.force_by_p)
            && self.has_steady_mass
    }

    /// The least forces of contacts at rest that do to the velocities what theirs do, with those of all others.
    fn shared(&self, acting: &Acting, rest: f64) -> Vec<f64> {
        let is_at_rest = |contact: &usize| {
            acting.closed[*contact] != 0.0 && self.rows(*contact).all(|row| self.slips[row].abs() <= rest)
        };
        let rows: Vec<usize> = (0..self.laws.len()).filter(is_at_rest).flat_map(|contact| self.rows(contact)).collect();
        let mut forces = acting.forces.clone();
        if rows.is_empty() {
            return forces;
        }
        let directions = DMatrix::from_fn(rows.len(), self.nv, |row, column| self.pushed[(rows[row], column)]);
        let svd = directions.svd(true, false);
        let Some(u) = svd.u else { return forces };
        let own = DVector::from_fn(rows.len(), |row, _| acting.forces[rows[row]]);
        let largest = svd.singular_values.iter().copied().fold(0.0, f64::max);
        let mut least = DVector::zeros(rows.len());
        for (column, _) in svd.singular_values.iter().enumerate().filter(|(_, size)| **size > RANK * largest) {
            let direction = u.column(column);
            least.axpy(direction.dot(&own), &direction, 1.0);
        }
        rows.iter().zip(&least).for_each(|(&row, force)| forces[row] = *force);
        forces
    }
}

/// What constraints of the velocities span, each with so many values: its derivatives by coordinates, along the velocities,
/// and by parameters, then zeros.
pub(crate) fn constraint_span(model: &dyn Model, state: &State, has_parameters: bool, values: usize) -> Span {
    let (dims, np) = (model.dims(), model.describe().differentiated.len());
    let mut span = Span::default();
    if dims.nc == 0 {
        return span;
    }
    let [mut by_q, mut rate_by_q, mut rate_by_v] = [(); 3].map(|()| vec![0.0; dims.nc * dims.nv]);
    model.constraint_derivatives(state, &mut by_q, &mut rate_by_q, &mut rate_by_v);
    let [mut g, mut by_p, mut rate_by_p] = [(); 3].map(|()| vec![0.0; dims.nc * np]);
    if has_parameters {
        model.parameter_derivatives(state, &mut vec![0.0; dims.nv * np], &mut g, &mut by_p, &mut rate_by_p);
    }
    let derivatives = |row: usize| by_q[row * dims.nv..][..dims.nv].iter().chain(&by_p[row * np..][..np]).copied();
    for (row, vector) in Rows::of_constraints(model, state).to_vectors().into_iter().enumerate() {
        let zeros = core::iter::repeat_n(0.0, values - dims.nv - np);
        span.take(vector, DVector::from_iterator(values, derivatives(row).chain(zeros)));
    }
    span
}

/// Whether M is the same in another configuration, and constraints couple nothing.
fn has_steady_mass(model: &dyn Model, state: &State) -> bool {
    let of = |q: &DVector<f64>| {
        let mut values = vec![0.0; model.describe().mass_matrix.nnz()];
        model.mass_matrix(q.as_slice(), &mut values);
        values
    };
    model.dims().nc == 0 && of(&state.q) == of(&state.q.map_with_location(|place, _, q| q + 0.37 + 0.1 * place as f64))
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

/// Whether a contact is closed, and whether other forces press it together where there is no impulse.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touching {
    Not,
    Alone,
    Pressed,
}

/// What the law of a contact says; relative velocities up to `rest` are zero, and so are forces far below the largest. With
/// it whether it is decided; where an inequality is about to change it is what holds if others hold the contact, so that its
/// force does not matter.
fn rule(
    (slips, forces): (&[f64], &[f64]),
    friction: f64,
    touching: Touching,
    (rest, largest): (f64, f64),
) -> (Rule, bool) {
    let mut rule =
        Rule { of_slips: [[0.0; 3]; 3], of_forces: [[0.0; 3]; 3], of_friction: [0.0; 3], state: Touch::Open };
    let (slip, force) = (&slips[1..], &forces[1..]);
    // Solutions may have forces of the size of rounding where contacts separate.
    if touching == Touching::Not || slips[0] > rest {
        (0..3).for_each(|k| rule.of_forces[k][k] = 1.0);
        return (rule, true);
    }
    let size = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let is_idle = forces[0] <= ROUNDING * largest;
    // An impact that does not reach what is pressed together, and cannot, leaves it; without friction one that presses it
    // more does the same as one that separates it for a short time, after which it comes down with the same impulse.
    let holds = touching == Touching::Pressed && (slip.is_empty() || friction == 0.0 || size(slip) > rest);
    if is_idle && !holds {
        (0..3).for_each(|k| rule.of_forces[k][k] = 1.0);
        return (rule, false);
    }
    rule.of_slips[0][0] = 1.0;
    let bound = friction * forces[0];
    if slip.is_empty() || !is_idle && size(force) < bound * (1.0 - ROUNDING) {
        rule.state = Touch::Stick;
        (1..3).for_each(|k| rule.of_slips[k][k] = 1.0);
        return (rule, true);
    }
    let rate = size(slip);
    if rate <= rest {
        // Without friction nothing changes.
        (1..3).for_each(|k| rule.of_forces[k][k] = 1.0);
        rule.state = Touch::Stick;
        return (rule, friction == 0.0);
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
    (rule, true)
}
