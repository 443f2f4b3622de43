//! Slopes of accelerations from those of forces, with the mass matrix: the part of their computation that repeats the same
//! operations for each of many columns, as loops, whose time is not that of fetching code.

/// Room for a row.
pub const MOST_VELOCITIES: usize = 256;

/// Replaces ∂τ/∂q, ∂τ/∂v and M of a tree, row by row, by (∂a/∂q, ∂a/∂v, M⁻¹) = (−M⁻¹ ∂τ/∂q, −M⁻¹ ∂τ/∂v, M⁻¹).
///
/// Velocities of a link stand behind those of its parents, so that the factors of `M = Lᵀ D L` have no entry where M has
/// none. [Featherstone 2008, Sec. 6.5]
///
/// # Panics
/// When there are more than 256 velocities, or the matrices are not square and of one size.
pub fn solve_for_accelerations(by_position: &mut [f64], by_velocity: &mut [f64], mass: &mut [f64]) {
    let n = mass.len().isqrt();
    assert!(n <= MOST_VELOCITIES && [by_position.len(), by_velocity.len(), mass.len()] == [n * n; 3]);
    let solution = Solution { n, by_position, by_velocity, mass };
    #[cfg(feature = "simd")]
    pulp::Arch::new().dispatch(solution);
    #[cfg(not(feature = "simd"))]
    solution.solve();
}

struct Solution<'m> {
    n: usize,
    by_position: &'m mut [f64],
    by_velocity: &'m mut [f64],
    mass: &'m mut [f64],
}

#[cfg(feature = "simd")]
impl pulp::NullaryFnOnce for Solution<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.solve();
    }
}

impl Solution<'_> {
    #[inline(always)]
    fn solve(self) {
        match self.n {
            0..=16 => self.solve_in_parts::<2, 16>(),
            17..=24 => self.solve_in_parts::<3, 24>(),
            25..=32 => self.solve_in_parts::<4, 32>(),
            33..=40 => self.solve_in_parts::<5, 40>(),
            _ => self.solve_in_place(),
        }
    }

    /// Short rows in copies of known lengths, whose loops leave no rest: they take half of the time. The results are the
    /// same, digit by digit.
    #[inline(always)]
    fn solve_in_parts<const PARTS: usize, const LEN: usize>(self) {
        let Self { n, by_position, by_velocity, mass } = self;
        let mut entries = [Entries::<1>::default(); LEN];
        let mut factors = [Row::<PARTS>::default(); LEN];
        read(mass, n, &mut factors);
        for k in (0..n).rev() {
            let own = factors[k];
            let inverse = 1.0 / own.0.as_flattened()[k];
            for i in (0..k).rev() {
                let entry = own.0.as_flattened()[i];
                if entry != 0.0 {
                    entries[k].insert(i);
                    let factor = entry * inverse;
                    factors[i] = factors[i].less(factor, &own);
                    factors[k].0.as_flattened_mut()[i] = factor;
                }
            }
            factors[k].0.as_flattened_mut()[k] = inverse;
        }
        let mut rows = [Row::<PARTS>::default(); LEN];
        for matrix in [by_position, by_velocity] {
            read(matrix, n, &mut rows);
            substitute(-1.0, &factors[..n], &entries, &mut rows);
            write(&rows, n, matrix);
        }
        rows = [Row::default(); LEN];
        rows[..n].iter_mut().enumerate().for_each(|(k, row)| row.0.as_flattened_mut()[k] = 1.0);
        substitute(1.0, &factors[..n], &entries, &mut rows);
        write(&rows, n, mass);
    }

    #[inline(always)]
    fn solve_in_place(self) {
        let Self { n, by_position, by_velocity, mass } = self;
        let mut entries = [All::default(); MOST_VELOCITIES];
        factorize(n, mass, &mut entries);
        for matrix in [by_position, by_velocity] {
            solve(n, mass, &entries, matrix);
        }
        invert(n, mass, &entries);
    }
}

/// So many values that a processor treats them together.
const PART: usize = 8;

/// A row, and zeros behind it.
#[derive(Clone, Copy)]
struct Row<const PARTS: usize>([[f64; PART]; PARTS]);

impl<const PARTS: usize> Default for Row<PARTS> {
    #[inline(always)]
    fn default() -> Self {
        Self([[0.0; PART]; PARTS])
    }
}

impl<const PARTS: usize> Row<PARTS> {
    #[inline(always)]
    fn scaled(&self, factor: f64) -> Self {
        Self(self.0.map(|part| part.map(|value| value * factor)))
    }

    #[inline(always)]
    fn less(&self, factor: f64, other: &Self) -> Self {
        let part = |k: usize| core::array::from_fn(|j| self.0[k][j] - factor * other.0[k][j]);
        Self(core::array::from_fn(part))
    }
}

#[inline(always)]
fn read<const PARTS: usize>(matrix: &[f64], n: usize, rows: &mut [Row<PARTS>]) {
    for (values, row) in matrix.chunks_exact(n).zip(rows) {
        row.0.as_flattened_mut()[..n].copy_from_slice(values);
    }
}

#[inline(always)]
fn write<const PARTS: usize>(rows: &[Row<PARTS>], n: usize, matrix: &mut [f64]) {
    for (values, row) in matrix.chunks_exact_mut(n).zip(rows) {
        values.copy_from_slice(&row.0.as_flattened()[..n]);
    }
}

/// `sign` (Lᵀ D L)⁻¹ of all columns.
#[inline(always)]
fn substitute<const PARTS: usize>(sign: f64, factors: &[Row<PARTS>], entries: &[Entries<1>], x: &mut [Row<PARTS>]) {
    for (k, factors) in factors.iter().enumerate().rev() {
        let own = x[k];
        entries[k].for_each(|i| x[i] = x[i].less(factors.0.as_flattened()[i], &own));
    }
    for (k, factors) in factors.iter().enumerate() {
        let factors = factors.0.as_flattened();
        let mut own = x[k].scaled(sign * factors[k]);
        entries[k].for_each(|i| own = own.less(factors[i], &x[i]));
        x[k] = own;
    }
}

/// Columns of the entries of a row of L that are not zero, one bit each: asking each entry of a row costs more than the
/// operations with those of a tree.
#[derive(Clone, Copy)]
struct Entries<const WORDS: usize>([u64; WORDS]);

/// Of a row of any length.
type All = Entries<{ MOST_VELOCITIES / 64 }>;

impl<const WORDS: usize> Default for Entries<WORDS> {
    #[inline(always)]
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl<const WORDS: usize> Entries<WORDS> {
    #[inline(always)]
    fn insert(&mut self, column: usize) {
        self.0[column / 64] |= 1 << (column % 64);
    }

    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (word, &entries) in self.0.iter().enumerate() {
            let mut left = entries;
            while left != 0 {
                visit(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

/// M = Lᵀ D L in its lower triangle, L without its diagonal of ones, and 1/D.
#[inline(always)]
fn factorize(n: usize, m: &mut [f64], entries: &mut [All; MOST_VELOCITIES]) {
    for k in (0..n).rev() {
        let (above, row) = m.split_at_mut(k * n);
        row[k] = 1.0 / row[k];
        for i in (0..k).rev() {
            if row[i] == 0.0 {
                continue;
            }
            entries[k].insert(i);
            let factor = row[i] * row[k];
            subtract(&mut above[i * n..][..=i], factor, &row[..=i]);
            row[i] = factor;
        }
    }
}

/// −(Lᵀ D L)⁻¹ of all columns.
#[inline(always)]
fn solve(n: usize, factors: &[f64], entries: &[All; MOST_VELOCITIES], x: &mut [f64]) {
    for k in (0..n).rev() {
        let (above, row) = x.split_at_mut(k * n);
        let (row, factors) = (&row[..n], &factors[k * n..][..n]);
        entries[k].for_each(|i| subtract(&mut above[i * n..][..n], factors[i], row));
    }
    for k in 0..n {
        let (above, row) = x.split_at_mut(k * n);
        let (row, factors) = (&mut row[..n], &factors[k * n..][..n]);
        let scale = -factors[k];
        row.iter_mut().for_each(|value| *value *= scale);
        entries[k].for_each(|i| subtract(row, factors[i], &above[i * n..][..n]));
    }
}

/// Replaces the factors by the inverse: L⁻ᵀ in the upper triangle, and row by row what remains.
#[inline(always)]
fn invert(n: usize, m: &mut [f64], entries: &[All; MOST_VELOCITIES]) {
    for i in 0..n {
        m[i * n..][i + 1..n].fill(0.0);
    }
    for k in (0..n).rev() {
        let (above, row) = m.split_at_mut(k * n);
        let (factors, row) = row[..n].split_at(k);
        entries[k].for_each(|i| {
            let above = &mut above[i * n..][k..n];
            above[0] -= factors[i];
            subtract(&mut above[1..], factors[i], &row[1..]);
        });
    }
    let mut factors = [0.0; MOST_VELOCITIES];
    for k in 0..n {
        let (above, row) = m.split_at_mut(k * n);
        let row = &mut row[..n];
        factors[..k].copy_from_slice(&row[..k]);
        row[..k].fill(0.0);
        let scale = row[k];
        row[k + 1..].iter_mut().for_each(|value| *value *= scale);
        entries[k].for_each(|i| subtract(row, factors[i], &above[i * n..][..n]));
    }
}

/// `row −= factor · other`.
#[inline(always)]
fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    for (value, other) in row.iter_mut().zip(other) {
        *value -= factor * other;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::prelude::*;

    /// Trees whose joints move what stands behind them: M⁻¹ and solutions beside those of a dense decomposition.
    #[test]
    fn solutions_are_those_of_a_dense_decomposition() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in [1, 2, 5, 12, 16, 17, 18, 24, 25, 32, 33, 40, 41, 50, 70] {
            // Lᵀ D L of a random tree.
            let parents: Vec<Option<usize>> =
                (0..n).map(|k| (k > 0).then(|| ((random() + 1.0) * 0.5 * k as f64) as usize)).collect();
            let mut lower = DMatrix::identity(n, n);
            for k in 0..n {
                let mut above = parents[k];
                while let Some(i) = above {
                    lower[(k, i)] = 0.3 * random();
                    above = parents[i];
                }
            }
            let pivots = DMatrix::from_diagonal(&nalgebra::DVector::from_fn(n, |_, _| 1.5 + random()));
            let mass = lower.transpose() * pivots * &lower;
            let right = [(); 2].map(|()| DMatrix::from_fn(n, n, |_, _| random()));
            let by_rows = |matrix: &DMatrix<f64>| matrix.transpose().as_slice().to_vec();
            let ([mut by_q, mut by_v], mut inverse) = (right.each_ref().map(by_rows), by_rows(&mass));
            solve_for_accelerations(&mut by_q, &mut by_v, &mut inverse);
            let expected = mass.try_inverse().unwrap();
            for (found, expected) in
                [(by_q, -&expected * &right[0]), (by_v, -&expected * &right[1]), (inverse, expected.clone())]
            {
                let error = (DMatrix::from_row_slice(n, n, &found) - &expected).amax();
                assert!(error < 1e-11 * expected.amax(), "{n}: {error:e}");
            }
        }
    }
}
