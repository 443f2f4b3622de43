//! The coupling of contacts: G as a sparse matrix of 3 × 3 blocks, one for each pair of contacts.
//!
//! Only contacts with a body in common are coupled, so that G is sparse if there are many contacts. A block has the
//! rows of one contact and the columns of another, the normal first; rows and columns of missing tangents are zero.

use crate::prelude::*;

/// Values of one contact: normal, then tangential; entries of missing tangents are zero.
pub(super) type Vector = [f64; 3];
/// Rows of a 3 × 3 matrix.
pub(super) type Block3 = [Vector; 3];

pub(super) const IDENTITY: Block3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// Number of blocks in a row for which memory is reserved.
const RESERVED: usize = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Couplings {
    /// For each contact the contacts that act on it, in ascending order, including itself.
    rows: Vec<Vec<(usize, Block3)>>,
    /// Number of contacts; rows beyond it keep their memory.
    size: usize,
}

impl Couplings {
    /// Reserves memory for this many contacts.
    pub(super) fn reserve(&mut self, contacts: usize) {
        let missing = contacts.saturating_sub(self.rows.len());
        self.rows.extend((0..missing).map(|_| Vec::with_capacity(RESERVED.min(contacts))));
    }

    /// Sets all couplings to zero.
    pub(super) fn clear(&mut self, contacts: usize) {
        self.reserve(contacts);
        self.size = contacts;
        for (contact, row) in self.rows.iter_mut().enumerate() {
            row.clear();
            if contact < contacts {
                row.push((contact, Block3::default()));
            }
        }
    }

    /// The block of the action of a contact on another.
    pub(super) fn block_mut(&mut self, on: usize, from: usize) -> &mut Block3 {
        let row = &mut self.rows[on];
        let at = row.binary_search_by_key(&from, |(contact, _)| *contact).unwrap_or_else(|at| {
            row.insert(at, (from, Block3::default()));
            at
        });
        &mut row[at].1
    }

    /// The blocks of the actions on a contact, in ascending order, including its own.
    pub(super) fn row(&self, on: usize) -> &[(usize, Block3)] {
        &self.rows[on]
    }

    pub(super) fn rows_mut(&mut self) -> &mut [Vec<(usize, Block3)>] {
        &mut self.rows[..self.size]
    }

    /// The block of the action of a contact on another, if they are coupled.
    pub(super) fn block(&self, on: usize, from: usize) -> Option<&Block3> {
        let row = &self.rows[on];
        row.binary_search_by_key(&from, |(contact, _)| *contact).ok().map(|at| &row[at].1)
    }

    /// The block on the diagonal.
    pub(super) fn own(&self, contact: usize) -> Block3 {
        self.block(contact, contact).copied().unwrap_or_default()
    }

    pub(super) fn is_finite(&self) -> bool {
        let blocks = self.rows[..self.size].iter().flatten();
        blocks.flat_map(|(_, block)| block.as_flattened()).all(|entry| entry.is_finite())
    }
}

pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn times(block: &Block3, vector: &Vector) -> Vector {
    [dot(&block[0], vector), dot(&block[1], vector), dot(&block[2], vector)]
}

pub(super) fn product(left: &Block3, right: &Block3) -> Block3 {
    let mut product = Block3::default();
    for (row, left) in product.iter_mut().zip(left) {
        for (left, right) in left.iter().zip(right) {
            for (entry, right) in row.iter_mut().zip(right) {
                *entry += left * right;
            }
        }
    }
    product
}
