//! An order of pivots that was found for a matrix, and where it leaves the entries of factors.
//!
//! Matrices of the same pattern share it. Those whose own pivots would be the same need not search for them, and have the
//! same digits as if they did, see [`LinearSolver`](crate::linear_solver::LinearSolver).

use crate::prelude::*;

/// An order of pivots with the panels in which they are eliminated: neighbouring columns.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pivots {
    /// The columns of the matrix in the order of their pivots.
    pub(crate) columns: Vec<u32>,
    /// For each row its place among the pivots.
    pub(crate) row_position: Vec<u32>,
    /// For each panel the numbers of its columns, of rows below it, and of panels with rows above it.
    pub(crate) sizes: Vec<[u32; 3]>,
    /// Panel by panel the rows below it, upwards, by their distances.
    pub(crate) below: Vec<u32>,
    /// Panel by panel those with rows above it, upwards, by their distances.
    pub(crate) above: Vec<u32>,
    /// Entries of both factors, and multiplications that these cost.
    pub(crate) entries: u64,
    pub(crate) multiplications: u64,
}

impl Pivots {
    /// Whether its lists have the lengths that they need for a matrix of n unknowns.
    pub(crate) fn fits(&self, n: usize) -> bool {
        let sum = |kind: usize| self.sizes.iter().map(|size| size[kind] as usize).sum::<usize>();
        let expected = [self.columns.len(), self.below.len(), self.above.len()];
        self.columns.len() == n && self.row_position.len() == n && [sum(0), sum(1), sum(2)] == expected
    }
}
