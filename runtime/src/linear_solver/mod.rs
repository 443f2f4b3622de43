//! Direct solution of linear systems with a constant pattern and changing values.
//!
//! Full matrices are eliminated by rows with partial pivoting, all others with a fixed order of pivots that keeps them
//! sparse. Both work on the matrix with its rows and columns scaled to about one by powers of two, so that the test for
//! singularity does not depend on units; scales are kept for the matrices that follow while they serve.
//! After construction, `factor` and `solve` allocate nothing, except when the sparse solver must choose new pivots.

mod dense;
#[cfg(feature = "simd")]
mod lanes;
mod number;
mod panels;
mod scales;
mod sparse;

use thiserror::Error;

#[cfg(feature = "simd")]
pub(crate) use self::lanes::LaneSolver;

use self::dense::DenseLu;
use self::scales::{MOST, ScaledBy, Scales, TRIED};
use self::sparse::SparseLu;
use crate::prelude::*;
use crate::sparsity::SparsityPattern;

/// Matrices with an entry in every so manyth place fill up: they are full.
const FULL: usize = 2;

/// The matrix is singular to working precision, or not finite.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the matrix is singular")]
pub struct Singular;

/// Size of the factors of a matrix, and the multiplications that they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Entries of both factors.
    pub entries: u64,
    /// Multiplications of a factorization with kept pivots.
    pub factor: u64,
    /// Multiplications of a solution.
    pub solve: u64,
}

/// A solver for matrices of one pattern.
#[derive(Clone)]
pub struct LinearSolver {
    /// Pattern of the matrices that are eliminated.
    pattern: SparsityPattern,
    reduction: Option<Reduction>,
    /// Factors of rows and of columns; those of an earlier matrix serve while [`LARGEST`] permits.
    scales: Scales,
    /// Those of entries, by their exponents, see [`power_of_two`]: factors themselves would be as long as the matrix.
    exponents: Vec<u16>,
    is_scaled: bool,
    /// The scaled matrix.
    values: Vec<f64>,
    method: Method,
}

/// Elimination of a matrix without some of its unknowns.
#[derive(Clone)]
struct Reduction {
    /// Pattern of the full matrices.
    given: SparsityPattern,
    left_out: Vec<usize>,
    /// Index of each entry in the reduced matrix; [`NONE`] in rows and columns that are left out.
    places: Vec<u32>,
    /// Indices of the diagonal entries of unknowns that are left out, which are one.
    ones: Vec<usize>,
    values: Vec<f64>,
}

/// Largest entry of a matrix that is scaled by the factors of an earlier one; its own leave entries below two.
const LARGEST: f64 = 4.0;

/// Part of the largest entry that is added to the diagonal of a singular matrix.
const REGULARIZATION: f64 = 1e-9;

/// Right-hand sides of one matrix that are solved for at once.
const SIDES: usize = 4;

/// Index of an entry that is left out.
const NONE: u32 = u32::MAX;

#[derive(Clone)]
enum Method {
    Dense(DenseLu),
    Sparse(Box<SparseLu>),
}

impl LinearSolver {
    /// A solver for square matrices of this pattern.
    ///
    /// # Examples
    /// Accelerations from M a = f, with the mass matrix of a model: a block of 1 kg.
    ///
    /// ```
    /// # hamel::multibody! {
    /// #     model Oscillator {
    /// #         planar;
    /// #         coordinates joint;
    /// #         body block { mass: 1 kg, inertia: 1 kg m^2 }
    /// #         joint rail: prismatic(ground, block);
    /// #         force spring: spring(ground, block) { stiffness: 4 N/m }
    /// #         initial rail.displacement = 1 m;
    /// #     }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use hamel::Model;
    /// use hamel::linear_solver::LinearSolver;
    ///
    /// let model = Oscillator::default();
    /// let pattern = &model.describe().mass_matrix;
    /// let mut values = vec![0.0; pattern.nnz()];
    /// model.mass_matrix(&[0.3], &mut values);
    /// let mut solver = LinearSolver::new(pattern.clone());
    /// solver.factor(&values)?;
    /// let mut a = [5.0];
    /// solver.solve(&mut a);
    /// assert_eq!(a, [5.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(pattern: SparsityPattern) -> Self {
        debug_assert_eq!(pattern.rows, pattern.columns, "a linear solver needs a square matrix");
        let nnz = pattern.nnz();
        Self {
            method: Method::new(&pattern),
            scales: Scales::new(&pattern, &[]),
            pattern,
            reduction: None,
            exponents: vec![0; nnz],
            is_scaled: false,
            values: vec![0.0; nnz],
        }
    }

    /// Removes unknowns, and the equations of the same indices, from now on: solutions are zero there for any matrix
    /// and right-hand side. Each call replaces the previous set.
    ///
    /// # Examples
    /// The second equation is equal to the first; without it, and without the second unknown, the first is determined.
    ///
    /// ```
    /// use hamel::linear_solver::LinearSolver;
    /// use hamel::SparsityPattern;
    ///
    /// let full = [(0, 0), (1, 0), (0, 1), (1, 1)];
    /// let mut solver = LinearSolver::new(SparsityPattern::from_entries(2, 2, full));
    /// assert!(solver.factor(&[1.0; 4]).is_err());
    /// solver.leave_out(&[1]);
    /// solver.factor(&[1.0; 4])?;
    /// let mut x = [3.0, 5.0];
    /// solver.solve(&mut x);
    /// assert_eq!(x, [3.0, 0.0]);
    /// # Ok::<(), hamel::linear_solver::Singular>(())
    /// ```
    pub fn leave_out(&mut self, unknowns: &[usize]) {
        if self.left_out() == unknowns {
            return;
        }
        let given = self.reduction.take().map_or_else(|| self.pattern.clone(), |reduction| reduction.given);
        if unknowns.is_empty() {
            *self = Self::new(given);
            return;
        }
        let mut marks = vec![false; given.columns];
        unknowns.iter().for_each(|&unknown| marks[unknown] = true);
        let is_left_out = |index: usize| marks[index];
        let kept = given.entries().filter(|&(row, column)| !is_left_out(row) && !is_left_out(column));
        let ones = unknowns.iter().map(|&unknown| (unknown, unknown));
        let pattern = SparsityPattern::from_entries(given.rows, given.columns, kept.chain(ones));
        let slot = |row, column| pattern.slot(row, column);
        let reduction = Reduction {
            places: given
                .entries()
                .map(|(row, column)| match is_left_out(row) || is_left_out(column) {
                    true => NONE,
                    false => slot(row, column).map_or(NONE, |slot| slot as u32),
                })
                .collect(),
            ones: unknowns.iter().filter_map(|&unknown| slot(unknown, unknown)).collect(),
            values: vec![0.0; pattern.nnz()],
            left_out: unknowns.to_vec(),
            given,
        };
        let scales = Scales::new(&pattern, unknowns);
        *self = Self { reduction: Some(reduction), scales, ..Self::new(pattern) };
    }

    /// The unknowns that are left out.
    pub fn left_out(&self) -> &[usize] {
        self.reduction.as_ref().map_or(&[], |reduction| &reduction.left_out)
    }

    /// Whether pivots of matrices with this pattern are shared.
    pub(crate) fn shares_pivots(pattern: &SparsityPattern) -> bool {
        !is_full(pattern) && sparse::shares_pivots(pattern.columns)
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.pattern.columns
    }

    /// Number of entries of the pattern, including those that are left out.
    pub fn nnz(&self) -> usize {
        self.reduction.as_ref().map_or(&self.pattern, |reduction| &reduction.given).nnz()
    }

    /// Cost of elimination in the order of pivots chosen last.
    pub fn work(&self) -> Work {
        match &self.method {
            Method::Dense(lu) => lu.work(),
            Method::Sparse(lu) => lu.work(),
        }
    }

    /// Factorizes the matrix with these values of the pattern.
    ///
    /// # Errors
    /// [`Singular`] when a pivot vanishes to working precision, or a value is not finite.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        let Some(mut reduction) = self.reduction.take() else { return self.factor_reduced(values) };
        reduction.reduce(values);
        let result = self.factor_reduced(&reduction.values);
        self.reduction = Some(reduction);
        result
    }

    fn factor_reduced(&mut self, values: &[f64]) -> Result<(), Singular> {
        if self.is_scaled && self.scale(values) && self.method.refactor(&self.values) {
            return Ok(());
        }
        match TRIED.into_iter().any(|by| self.factor_scaled(by, values).is_ok()) {
            true => Ok(()),
            false => Err(Singular),
        }
    }

    fn factor_scaled(&mut self, by: ScaledBy, values: &[f64]) -> Result<(), Singular> {
        let Self { pattern, scales, exponents, is_scaled, .. } = self;
        let found = scales.find(by, pattern, values);
        *is_scaled = found.is_ok();
        found?;
        for (slot, (row, column)) in pattern.entries().enumerate() {
            exponents[slot] = exponent_of(scales.rows[row] * scales.columns[column]);
        }
        if !self.scale(values) {
            return Err(Singular);
        }
        match &mut self.method {
            Method::Dense(lu) => lu.factor(&self.values),
            Method::Sparse(lu) => lu.factor(&self.pattern, &self.values),
        }
    }

    /// Replaces the right-hand side, `[n]`, by the solution for the matrix factorized last.
    pub fn solve(&mut self, rhs: &mut [f64]) {
        self.solve_scaled(rhs, true);
    }

    /// The same without testing the solution, for iterations that measure what is left of the equations.
    pub(crate) fn solve_untested(&mut self, rhs: &mut [f64]) {
        self.solve_scaled(rhs, false);
    }

    /// The same for so many right-hand sides, whose entries stand together.
    pub(crate) fn solve_several(&mut self, rhs: &mut [f64], width: usize) {
        match width {
            0 => return,
            1 => return self.solve(rhs),
            _ => {}
        }
        if let Some(reduction) = &self.reduction {
            reduction.left_out.iter().for_each(|&unknown| rhs[unknown * width..][..width].fill(0.0));
        }
        let scale = |rhs: &mut [f64], scales: &[f64]| {
            for (entries, scale) in rhs.chunks_exact_mut(width).zip(scales) {
                entries.iter_mut().for_each(|entry| *entry *= scale);
            }
        };
        scale(rhs, &self.scales.rows);
        match &mut self.method {
            Method::Dense(lu) => lu.solve_several(rhs, width),
            Method::Sparse(lu) => lu.solve_several(&self.pattern, &self.values, (rhs, width)),
        }
        scale(rhs, &self.scales.columns);
    }

    fn solve_scaled(&mut self, rhs: &mut [f64], is_tested: bool) {
        if let Some(reduction) = &self.reduction {
            reduction.left_out.iter().for_each(|&unknown| rhs[unknown] = 0.0);
        }
        for (entry, scale) in rhs.iter_mut().zip(&self.scales.rows) {
            *entry *= scale;
        }
        match &mut self.method {
            Method::Dense(lu) => lu.solve(rhs),
            Method::Sparse(lu) if is_tested => lu.solve(&self.pattern, &self.values, rhs),
            Method::Sparse(lu) => lu.substitute(rhs),
        }
        for (entry, scale) in rhs.iter_mut().zip(&self.scales.columns) {
            *entry *= scale;
        }
    }

    /// The smallest pivot of the matrix factorized last, whose rows and columns are scaled to about one.
    pub(crate) fn least_pivot(&self) -> f64 {
        self.pivots().into_iter().map(f64::abs).fold(f64::INFINITY, f64::min)
    }

    /// `out = |A| x` for given values of the pattern.
    pub(crate) fn absolute_product(&self, values: &[f64], x: &[f64], out: &mut [f64]) {
        let pattern = self.reduction.as_ref().map_or(&self.pattern, |reduction| &reduction.given);
        out.fill(0.0);
        for ((row, column), value) in pattern.entries().zip(values) {
            out[row] += value.abs() * x[column];
        }
    }

    /// Replaces a vector by an approximate null vector of the matrix, by inverse iteration with a regularized diagonal;
    /// if that fails, the vector is unchanged.
    pub(crate) fn undetermined(&self, values: &[f64], x: &mut [f64]) {
        let values = self.reduction.as_ref().map_or(values, |reduction| &reduction.values);
        let n = self.pattern.columns;
        let size = values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        let diagonal = (0..n).map(|i| (i, i, REGULARIZATION * size));
        let given = self.pattern.entries().zip(values).map(|((row, column), &value)| (row, column, value));
        let entries: Vec<(usize, usize, f64)> = given.chain(diagonal).collect();
        let (pattern, regularized) = SparsityPattern::with_values(n, &entries);
        let mut solver = Self::new(pattern);
        if solver.factor(&regularized).is_err() {
            return;
        }
        for _ in 0..2 {
            let size = x.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            x.iter_mut().for_each(|x| *x /= size);
            solver.solve(x);
        }
    }

    /// The pivots of the matrix factorized last, column by column; its rows and columns are scaled to about one.
    pub(crate) fn pivots(&self) -> Vec<f64> {
        match &self.method {
            Method::Dense(lu) => lu.pivots(),
            Method::Sparse(lu) => lu.pivots(),
        }
    }

    /// Scales the matrix by the factors at hand; whether its entries are numbers of about one at most.
    fn scale(&mut self, values: &[f64]) -> bool {
        let mut is_small = true;
        for ((scaled, value), &exponent) in self.values.iter_mut().zip(values).zip(&self.exponents) {
            *scaled = value * power_of_two(exponent);
            // What is too large for scales of its own is so for those of another matrix.
            is_small &= (scaled.abs() <= LARGEST) & (value.abs() <= MOST);
        }
        is_small
    }
}

/// Whether matrices of this pattern are eliminated as full ones.
pub(crate) fn is_full(pattern: &SparsityPattern) -> bool {
    FULL * pattern.nnz() >= pattern.columns * pattern.columns
}

impl Method {
    fn new(pattern: &SparsityPattern) -> Self {
        match is_full(pattern) {
            true => Method::Dense(DenseLu::new(pattern)),
            false => Method::Sparse(Box::new(SparseLu::new(pattern.columns))),
        }
    }

    /// Factorizes a matrix scaled by the factors of an earlier one; whether that is accurate.
    fn refactor(&mut self, values: &[f64]) -> bool {
        match self {
            Method::Dense(lu) => lu.factor(values).is_ok(),
            Method::Sparse(lu) => lu.refactor(values),
        }
    }
}

impl Reduction {
    fn reduce(&mut self, values: &[f64]) {
        for (&place, &value) in self.places.iter().zip(values) {
            if place != NONE {
                self.values[place as usize] = value;
            }
        }
        self.ones.iter().for_each(|&slot| self.values[slot] = 1.0);
    }
}

/// The larger of a number that is not negative and the size of another one; NaN if one of them is NaN.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    // Bits of such numbers are in the order of the numbers, those of NaN above all.
    f64::from_bits(a.to_bits().max(b.abs().to_bits()))
}

/// The exponent of a power of two that is a normal number or infinity: columns of rows that are scaled are enlarged only.
fn exponent_of(power: f64) -> u16 {
    (power.to_bits() >> 52) as u16
}

/// The power of two with this exponent.
fn power_of_two(exponent: u16) -> f64 {
    f64::from_bits(u64::from(exponent) << 52)
}

/// Whether a pivot of a scaled matrix of n rows exceeds round-off; false for NaN.
fn is_regular(pivot: f64, n: usize) -> bool {
    pivot.abs() > 8.0 * n as f64 * f64::EPSILON
}

#[cfg(test)]
mod tests;
