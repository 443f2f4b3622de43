//! Independent motions under constraints: those of some directions determine those of all others.
//!
//! With `G η = 0` for displacements and `G w + H η = 0` for velocities, elimination with the largest pivots chooses the
//! directions that follow from others: `η = Z p` and `w = Y p + S s`, where p and s are the entries of η and w in the
//! remaining directions. Rows of constraints on velocities count for w alone.

use nalgebra::{DMatrix, DVector};

use crate::prelude::*;
use crate::redundancy::DEPENDENT;

/// Of entries that are at least this part of the largest, the one in the last direction becomes the pivot, so that the
/// choice does not hang on rounding, and joints near the ground stay independent.
const NEARLY_LARGEST: f64 = 0.5;
/// What a dependent constraint may leave of the velocities, in units of its largest entry.
const LEFT: f64 = 1e-6;

/// Independent directions, and all others by them.
pub(crate) struct Partition {
    /// Directions of p, and of s.
    pub(crate) positions: Vec<usize>,
    pub(crate) speeds: Vec<usize>,
    /// Z, `[nv × p]`.
    pub(crate) of_positions: DMatrix<f64>,
    /// Y, `[nv × p]`, and S, `[nv × s]`.
    pub(crate) velocity_by_positions: DMatrix<f64>,
    pub(crate) of_speeds: DMatrix<f64>,
    /// Constraints that follow from others.
    pub(crate) dependences: Vec<Dependence>,
}

/// A constraint that follows from others.
pub(crate) struct Dependence {
    /// Its index.
    pub(crate) row: usize,
    /// Factors of all constraints, `[nc]`, with which their gradients add up to nothing.
    pub(crate) factors: DVector<f64>,
    /// Those that are involved are on coordinates.
    pub(crate) is_on_positions: bool,
}

/// Rows of `[G, H]` in elimination, and beside them of which given rows they consist.
struct Elimination {
    rows: DMatrix<f64>,
    nv: usize,
    /// The row of each direction that follows from others.
    row_of: Vec<Option<usize>>,
    is_used: Vec<bool>,
}

impl Partition {
    /// `on_positions` of the rows come first and are those of constraints on coordinates; the last `states` directions are
    /// those of first-order states, whose displacement nothing depends on.
    ///
    /// # Errors
    /// The index of a constraint that follows from others at this configuration, but not beside it.
    pub(crate) fn new(g: &DMatrix<f64>, h: &DMatrix<f64>, on_positions: usize, states: usize) -> Result<Self, usize> {
        let (nc, nv) = g.shape();
        let mut rows = DMatrix::zeros(nc, 2 * nv + nc);
        rows.columns_mut(0, nv).copy_from(g);
        rows.columns_mut(nv, nv).copy_from(h);
        // Units of constraints do not count.
        for (index, mut row) in rows.row_iter_mut().enumerate() {
            let size = g.row(index).amax();
            row[2 * nv + index] = 1.0;
            if size > 0.0 {
                row.unscale_mut(size);
            }
        }
        let mut elimination = Elimination { rows, nv, row_of: vec![None; nv], is_used: vec![false; nc] };
        elimination.run(on_positions);
        let positions = elimination.free(nv - states);
        let of_positions = elimination.basis(&positions);
        elimination.run(nc);
        let speeds = elimination.free(nv);
        let of_speeds = elimination.basis(&speeds);
        let by_positions = elimination.rows.columns(nv, nv) * &of_positions;
        let largest = elimination.rows.columns(0, 2 * nv).iter().fold(1.0_f64, |most, entry| most.max(entry.abs()));
        let left = |row: &usize| !elimination.is_used[*row] && by_positions.row(*row).amax() > LEFT * largest;
        if let Some(row) = (0..nc).find(left) {
            return Err(row);
        }
        let mut velocity_by_positions = DMatrix::zeros(nv, positions.len());
        for (direction, row) in elimination.row_of.iter().enumerate() {
            if let Some(row) = row {
                velocity_by_positions.set_row(direction, &-by_positions.row(*row));
            }
        }
        let dependence = |row: usize| Dependence {
            row,
            factors: elimination.rows.row(row).columns(2 * nv, nc).transpose(),
            is_on_positions: row < on_positions,
        };
        let dependences = (0..nc).filter(|&row| !elimination.is_used[row]).map(dependence).collect();
        Ok(Self { positions, speeds, of_positions, velocity_by_positions, of_speeds, dependences })
    }
}

impl Elimination {
    /// Eliminates with pivots in the first rows until none is left in them.
    fn run(&mut self, count: usize) {
        while let Some((row, column)) = self.pivot(count) {
            let pivot = self.rows[(row, column)];
            self.rows.row_mut(row).unscale_mut(pivot);
            let own = self.rows.row(row).into_owned();
            for other in (0..self.rows.nrows()).filter(|&other| other != row) {
                let factor = self.rows[(other, column)];
                if factor != 0.0 {
                    for (entry, own) in self.rows.row_mut(other).iter_mut().zip(own.iter()) {
                        *entry -= factor * own;
                    }
                    self.rows[(other, column)] = 0.0;
                }
            }
            self.row_of[column] = Some(row);
            self.is_used[row] = true;
        }
    }

    fn pivot(&self, count: usize) -> Option<(usize, usize)> {
        let rows = || (0..count).filter(|&row| !self.is_used[row]);
        let size = |row: usize, column: usize| self.rows[(row, column)].abs();
        let columns = || (0..self.nv).filter(|&column| self.row_of[column].is_none());
        let of_column = |column: usize| {
            let first = |best: (usize, f64), row: usize| {
                if size(row, column) > best.1 { (row, size(row, column)) } else { best }
            };
            rows().fold((usize::MAX, 0.0), first)
        };
        let largest = columns().map(|column| of_column(column).1).fold(0.0, f64::max);
        if largest <= DEPENDENT {
            return None;
        }
        columns().rev().find_map(|column| {
            let (row, size) = of_column(column);
            (size >= NEARLY_LARGEST * largest).then_some((row, column))
        })
    }

    /// Of the first directions those that follow from no others.
    fn free(&self, count: usize) -> Vec<usize> {
        (0..count).filter(|&direction| self.row_of[direction].is_none()).collect()
    }

    /// All directions by these.
    fn basis(&self, free: &[usize]) -> DMatrix<f64> {
        let mut basis = DMatrix::zeros(self.nv, free.len());
        for (column, &direction) in free.iter().enumerate() {
            basis[(direction, column)] = 1.0;
            for (dependent, row) in self.row_of.iter().enumerate() {
                if let Some(row) = row {
                    basis[(dependent, column)] = -self.rows[(*row, direction)];
                }
            }
        }
        basis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn independent_motions_keep_to_the_constraints() {
        let mut random = Random(7);
        for (nv, on_positions, on_velocities, states) in [(6, 2, 1, 0), (5, 0, 2, 1), (4, 0, 0, 2), (7, 4, 2, 1)] {
            let nc = on_positions + on_velocities;
            // Constraints know no first-order states.
            let mut matrix =
                |rows| DMatrix::from_fn(rows, nv, |_, j| if j + states < nv { random.next() } else { 0.0 });
            let (mut g, mut h) = (matrix(nc), matrix(nc));
            // The last constraint on coordinates is the sum of the others.
            if on_positions > 2 {
                for all in [&mut g, &mut h] {
                    let sum = all.rows(0, on_positions - 1).row_sum();
                    all.set_row(on_positions - 1, &sum);
                }
            }
            let rank = on_positions - usize::from(on_positions > 2);
            let partition = Partition::new(&g, &h, on_positions, states).expect("dependent everywhere");
            assert_eq!(partition.positions.len(), nv - rank - states);
            assert_eq!(partition.speeds.len(), nv - rank - on_velocities);
            assert!((g.rows(0, on_positions) * &partition.of_positions).iter().all(|entry| entry.abs() < 1e-12));
            for dependence in &partition.dependences {
                assert!((g.transpose() * &dependence.factors).amax() < 1e-12);
                assert!(dependence.is_on_positions && dependence.factors.amax() > 0.1);
            }
            assert_eq!(partition.dependences.len(), on_positions - rank);
            assert!((&g * &partition.of_speeds).iter().all(|entry| entry.abs() < 1e-12));
            let velocities = &g * &partition.velocity_by_positions + &h * &partition.of_positions;
            assert!(velocities.iter().all(|entry| entry.abs() < 1e-11), "{velocities}");
            let of_free = partition.of_positions.select_rows(&partition.positions);
            assert_eq!(of_free, DMatrix::identity(of_free.nrows(), of_free.ncols()));
        }
    }

    #[test]
    fn constraints_that_depend_on_each_other_in_one_configuration_are_refused() {
        let g = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 2.0, 2.0]);
        let h = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 0.0]);
        assert_eq!(Partition::new(&g, &h, 2, 0).err(), Some(1));
    }
}
