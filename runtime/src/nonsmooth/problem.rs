//! The contact problem: impulses Λ and slips `ξ = b + G Λ` that obey the laws of contact and friction.
//!
//! Of each contact `Λ_N ≥ 0, ξ_N ≥ 0, Λ_N ξ_N = 0`, and `Λ_T` is the point of the disc of radius `μ Λ_N` that is
//! nearest to `Λ_T − r ξ_T`, as a projection [rezaei, Eqs. 38, 39, 47, 48]. Unknowns are scaled by contact so that the
//! largest diagonal entry of G is one; then r = 1 suits every contact. G need not be symmetric: the coupling of stages
//! is not. Not here: how b and G are computed, see [`super::contacts`].

use super::couplings::{Block3, Couplings, Vector, product, times};

use crate::prelude::*;

/// One contact of a problem: a row for its normal, then one for each direction of friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactRows {
    pub(super) normal: usize,
    pub(super) tangents: usize,
    pub(super) friction: f64,
}

impl ContactRows {
    pub(super) fn all(&self) -> core::ops::Range<usize> {
        self.normal..self.normal + 1 + self.tangents
    }

    pub(super) fn tangential(&self) -> core::ops::Range<usize> {
        self.normal + 1..self.normal + 1 + self.tangents
    }

    /// The values of the contact among those of all rows.
    pub(super) fn part(&self, values: &[f64]) -> Vector {
        let values = &values[self.all()];
        let tangent = |index: usize| values.get(index).copied().unwrap_or(0.0);
        [values[0], tangent(1), tangent(2)]
    }
}

/// State of a contact in the active set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Status {
    Open,
    Stick,
    /// Sliding, with the direction of the force on the boundary of the friction disc, and the ratio `μ Λ_N / |y|` of
    /// the radius of the disc to the magnitude of the force y that was projected onto it.
    Slide {
        direction: [f64; 2],
        shrink: f64,
    },
}

/// Blocks of one contact in the diagonal matrices L, R and D of a matrix `L G R + D`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Terms {
    pub(super) left: Block3,
    pub(super) right: Block3,
    pub(super) own: Block3,
}

/// b, G and the unknowns of all closed contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) contacts: Vec<ContactRows>,
    /// Contact of every row.
    contact_of: Vec<usize>,
    couplings: Couplings,
    bias: Vec<f64>,
    /// Λ over `scales`.
    unknowns: Vec<f64>,
    scales: Vec<f64>,
    /// ξ times `scales`.
    slips: Vec<f64>,
}

impl Problem {
    /// Reserves memory for this many contacts and rows.
    pub(super) fn reserve(&mut self, contacts: usize, rows: usize) {
        self.contacts.reserve(contacts);
        self.contact_of.reserve(rows);
        self.couplings.reserve(contacts);
        for values in [&mut self.bias, &mut self.unknowns, &mut self.scales, &mut self.slips] {
            values.reserve(rows);
        }
    }

    /// Removes all contacts.
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.contact_of.clear();
    }

    /// Adds a contact.
    pub(super) fn push(&mut self, tangents: usize, friction: f64) {
        self.contact_of.resize(self.size() + 1 + tangents, self.contacts.len());
        self.contacts.push(ContactRows { normal: self.size() - 1 - tangents, tangents, friction });
    }

    /// Allocates b, G and Λ of the contacts that were added, all zero.
    pub(super) fn allocate(&mut self) {
        let n = self.size();
        self.couplings.clear(self.contacts.len());
        for values in [&mut self.bias, &mut self.unknowns, &mut self.scales, &mut self.slips] {
            values.clear();
            values.resize(n, 0.0);
        }
    }

    /// Number of rows.
    pub(super) fn size(&self) -> usize {
        self.contact_of.len()
    }

    /// Adds to an entry of G.
    pub(super) fn add_entry(&mut self, row: usize, column: usize, value: f64) {
        let (on, from) = (self.contact_of[row], self.contact_of[column]);
        let (k, l) = (row - self.contacts[on].normal, column - self.contacts[from].normal);
        self.couplings.block_mut(on, from)[k][l] += value;
    }

    /// Sets an entry of b and of the initial guess of Λ.
    pub(super) fn set_row(&mut self, row: usize, bias: f64, guess: f64) {
        self.bias[row] = bias;
        self.unknowns[row] = guess;
    }

    /// Λ.
    pub(super) fn impulse(&self, row: usize) -> f64 {
        self.unknowns[row] * self.scales[row]
    }

    /// Scales b, G and Λ; called once, before the problem is solved.
    pub(super) fn scale(&mut self) {
        for (index, contact) in self.contacts.iter().enumerate() {
            let own = self.couplings.own(index);
            let largest = (0..=contact.tangents).map(|k| own[k][k]).fold(0.0, f64::max);
            let scale = if largest > 0.0 && largest.is_finite() { largest.sqrt().recip() } else { 1.0 };
            self.scales[contact.all()].fill(scale);
        }
        let scale = |index: usize| self.scales[self.contacts[index].normal];
        for (on, row) in self.couplings.rows_mut().iter_mut().enumerate() {
            for (from, block) in row {
                let factor = scale(on) * scale(*from);
                block.as_flattened_mut().iter_mut().for_each(|entry| *entry *= factor);
            }
        }
        for ((bias, unknown), scale) in self.bias.iter_mut().zip(&mut self.unknowns).zip(&self.scales) {
            *bias *= scale;
            *unknown /= scale;
        }
    }

    /// Whether all numbers are finite.
    pub(super) fn is_finite(&self) -> bool {
        self.couplings.is_finite() && self.bias.iter().chain(&self.unknowns).all(|value| value.is_finite())
    }

    /// Scaled G.
    pub(super) fn couplings(&self) -> &Couplings {
        &self.couplings
    }

    /// The rows of one contact in the product of scaled G and the values of all rows.
    pub(super) fn act(&self, on: usize, values: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        for (from, block) in self.couplings.row(on) {
            let part = self.contacts[*from].part(values);
            for (sum, row) in sum.iter_mut().zip(block) {
                row.iter().zip(part).for_each(|(entry, value)| *sum += entry * value);
            }
        }
        sum
    }

    /// Calls `entry` for the entries of `L G R + D`, block by block, including every diagonal block.
    pub(super) fn assemble(&self, terms: &[Terms], mut entry: impl FnMut(usize, usize, f64)) {
        for (on, contact) in self.contacts.iter().enumerate() {
            for (from, block) in self.couplings.row(on) {
                let mut sum = product(&product(&terms[on].left, block), &terms[*from].right);
                if *from == on {
                    for (sum, own) in sum.as_flattened_mut().iter_mut().zip(terms[on].own.as_flattened()) {
                        *sum += own;
                    }
                }
                for (row, sum) in contact.all().zip(&sum) {
                    for (column, &sum) in self.contacts[*from].all().zip(sum) {
                        entry(row, column, sum);
                    }
                }
            }
        }
    }

    /// Scale of a row: Λ was divided by it, the slip multiplied by it.
    pub(super) fn scale_of(&self, row: usize) -> f64 {
        self.scales[row]
    }

    /// Scaled b.
    pub(super) fn bias(&self, row: usize) -> f64 {
        self.bias[row]
    }

    /// Scaled Λ.
    pub(super) fn unknowns(&self) -> &[f64] {
        &self.unknowns
    }

    pub(super) fn unknowns_mut(&mut self) -> &mut [f64] {
        &mut self.unknowns
    }

    /// The slips updated last, scaled.
    pub(super) fn slips(&self) -> &[f64] {
        &self.slips
    }

    /// The slip of one row.
    pub(super) fn slip(&self, row: usize) -> f64 {
        self.slips[row]
    }

    /// Computes the slips for Λ.
    pub(super) fn update_slips(&mut self) {
        for index in 0..self.contacts.len() {
            self.update_slip(index);
        }
    }

    /// Computes the slips of one contact.
    pub(super) fn update_slip(&mut self, index: usize) {
        let changes = self.act(index, &self.unknowns);
        for (row, change) in self.contacts[index].all().zip(changes) {
            self.slips[row] = self.bias[row] + change;
        }
    }

    /// Violation of the laws of a contact: Λ minus its projection, row by row; scaled.
    pub(super) fn residual(&self, contact: &ContactRows) -> [f64; 3] {
        let (unknowns, slips) = (&self.unknowns, &self.slips);
        let normal = unknowns[contact.normal];
        let mut residual = [normal.min(slips[contact.normal]), 0.0, 0.0];
        let mut force = [0.0; 2];
        for (force, row) in force.iter_mut().zip(contact.tangential()) {
            *force = unknowns[row] - slips[row];
        }
        let force = on_disc(force, contact.friction * normal.max(0.0));
        for (k, row) in contact.tangential().enumerate() {
            residual[1 + k] = unknowns[row] - force[k];
        }
        residual
    }

    /// Active-set state of a contact, from the projection of its forces.
    pub(super) fn status(&self, contact: &ContactRows) -> Status {
        let (unknowns, slips) = (&self.unknowns, &self.slips);
        let normal = unknowns[contact.normal];
        if normal - slips[contact.normal] <= 0.0 {
            return Status::Open;
        }
        let mut force = [0.0; 2];
        for (force, row) in force.iter_mut().zip(contact.tangential()) {
            *force = unknowns[row] - slips[row];
        }
        let (size, radius) = (force[0].hypot(force[1]), contact.friction * normal.max(0.0));
        if size <= radius && contact.friction > 0.0 {
            return Status::Stick;
        }
        let direction = if size > 0.0 { force.map(|part| part / size) } else { [0.0; 2] };
        Status::Slide { direction, shrink: if size > 0.0 { radius / size } else { 0.0 } }
    }

    /// Largest violation of the laws as a relative velocity, and the magnitude of the summands from which it is
    /// computed.
    pub(super) fn violation(&self) -> (f64, f64) {
        let (mut violation, mut size) = (0.0_f64, 0.0_f64);
        for (index, contact) in self.contacts.iter().enumerate() {
            let mut terms = contact.part(&self.bias).map(f64::abs);
            for (from, block) in self.couplings.row(index) {
                let unknowns = self.contacts[*from].part(&self.unknowns).map(f64::abs);
                let sizes = times(&block.map(|row| row.map(f64::abs)), &unknowns);
                terms.iter_mut().zip(sizes).for_each(|(term, size)| *term += size);
            }
            let scale = self.scales[contact.normal];
            for (residual, term) in self.residual(contact).into_iter().zip(terms) {
                violation = larger(violation, residual.abs() / scale);
                size = larger(size, term / scale);
            }
        }
        (violation, size)
    }

    /// The largest relative velocity of the contacts without impulses.
    pub(super) fn free_velocity(&self) -> f64 {
        let of = |contact: &ContactRows| {
            let scale = self.scales[contact.normal];
            contact.part(&self.bias).into_iter().fold(0.0, |largest: f64, part| largest.max(part.abs() / scale))
        };
        self.contacts.iter().map(of).fold(0.0, f64::max)
    }

    /// Whether a contact violates its laws by more than this relative velocity.
    pub(super) fn violates(&self, contact: &ContactRows, tolerance: f64) -> bool {
        let scale = self.scales[contact.normal];
        self.residual(contact).iter().any(|residual| residual.is_nan() || residual.abs() > tolerance * scale)
    }
}

/// The larger of two numbers; NaN if one of them is NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// The projection of a point onto a disc around the origin.
pub(super) fn on_disc(point: [f64; 2], radius: f64) -> [f64; 2] {
    let size = point[0].hypot(point[1]);
    if size <= radius { point } else { point.map(|part| part * (radius / size)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of a contact are divided by the root of its largest diagonal entry of G, and Λ is multiplied by it.
    #[test]
    fn scaled_rows_have_the_impulses_that_were_given() {
        let mut problem = Problem::default();
        problem.push(1, 0.5);
        problem.push(0, 0.0);
        problem.allocate();
        for (row, column, value) in [(0, 0, 1.0), (1, 1, 4.0), (0, 1, 0.5), (1, 0, 0.5), (2, 2, 16.0), (0, 2, 4.0)] {
            problem.add_entry(row, column, value);
        }
        for (row, (bias, guess)) in [(-3.0, 2.0), (1.0, -0.5), (10.0, 0.25)].into_iter().enumerate() {
            problem.set_row(row, bias, guess);
        }
        problem.scale();
        assert_eq!([0, 1, 2].map(|row| problem.scale_of(row)), [0.5, 0.5, 0.25]);
        assert_eq!([0, 1, 2].map(|row| problem.impulse(row)), [2.0, -0.5, 0.25]);
        assert_eq!([0, 1, 2].map(|row| problem.bias(row)), [-1.5, 0.5, 2.5]);
        assert_eq!(problem.unknowns(), [4.0, -1.0, 1.0]);
        // G Λ, scaled.
        assert_eq!(problem.act(0, &[1.0, 0.0, 0.0])[..2], [0.25, 0.125]);
        assert_eq!(problem.act(0, &[0.0, 1.0, 0.0])[..2], [0.125, 1.0]);
        assert_eq!(problem.act(0, &[0.0, 0.0, 1.0])[..2], [0.5, 0.0]);
        assert_eq!(problem.act(1, &[0.0, 0.0, 1.0])[0], 1.0);
        assert!(problem.is_finite());
        problem.set_row(1, f64::NAN, 0.0);
        assert!(!problem.is_finite());
        problem.set_row(1, 0.0, f64::INFINITY);
        assert!(!problem.is_finite());
        problem.set_row(1, 0.0, 0.0);
        problem.add_entry(2, 2, f64::NAN);
        assert!(!problem.is_finite());
    }
}
